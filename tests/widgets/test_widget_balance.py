"""The two halves of BalanceExplorer: linear model, gain, eigenvalues and fates of the page, held to Python's."""

import itertools
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eig, expm, solve_continuous_are
from scipy.optimize import linear_sum_assignment
from widget_cases import EPS, tell

import chaindyn
from book.pages import ROOT
from chaindyn.linear_models import linearise

pytest.importorskip("anywidget")
from chaindyn.widgets import BalanceExplorer
from chaindyn.widgets.balance import EFFORT, PLACES, RATES, SYSTEMS, chain_of, motors_of, upright
from chaindyn.widgets.explorer import plain

PAGE = SimpleNamespace(
    _esm=f"""{BalanceExplorer._esm}
const worldOf = (scene, request, K) => {{
  const still = standing(scene, request);
  return feedback(still, K ?? gainOf(still, request), request.limit);
}};
const modelOf = (scene, request) => {{
  const still = standing(scene, request);
  return {{ A: still.A, B: still.B, K: gainOf(still, request) }};
}};
const runOf = (scene, request, K, seconds) => {{
  const world = worldOf(scene, request, K);
  const motion = knocked(world, request);
  while (motion.time < seconds - world.step / 2) stepOn(world, motion);
  return {{ ...motion, step: world.step }};
}};
const endOf = (scene, request, K) => {{
  const world = worldOf(scene, request, K);
  const motion = knocked(world, request);
  while (!motion.fate) stepOn(world, motion);
  return motion;
}};
const lowOf = (scene, request, postures) => postures.map((q) => fallen(standing(scene, request), {{ q }}));
const basinOf = (scene, request, only) => {{
  const basin = new Basin(worldOf(scene, request), request);
  if (only !== undefined) basin.order = basin.order.slice(0, only);
  basin.work(1e6);
  const knocks = basin.fates.map((_, k) => basin.knockAt(k));
  return {{ fates: basin.fates, knocks, order: basin.order, count: basin.count(), complete: basin.complete }};
}};
"""
)
SCENE = BalanceExplorer().scene
CHAINS = [
    ("cart-pole", "first", 2),
    ("acrobot", "others", 2),
    *(("chain", "every", n) for n in (1, 2, 5, 10)),
    *(("chain", "others", n) for n in (3, 10)),
    *(("chain", "first", n) for n in (1, 3)),
]


def request_of(system="cart-pole", **options):
    return dict(BalanceExplorer(system, **options).request)


def model_of(system, drive, n):
    at_rest = np.zeros(n)
    A, B = linearise(chain_of(system, n), upright(system, n), at_rest, at_rest)
    return A, B[:, motors_of(drive, n)]


# --- The linear model and the gain


def slowest(A, B, Q, R):
    return eig(A - B @ B.T @ solve_continuous_are(A, B, Q, [[R]]) / R)[0].real.max()


def test_equal_weights_leave_the_acrobot_slow_and_others_do_not():
    """Chapter 23 says so of its sliders, and of a weight on (3 q1 + q2)^2."""
    A, B = model_of("acrobot", "others", 2)
    settings = itertools.product(*(np.linspace(*ends, 5) for ends in (PLACES, RATES, EFFORT)))
    of_sliders = [
        slowest(A, B, np.diag(10 ** np.array([p, p, r, r])), 10**e) for p, r, e in settings
    ]
    assert -2.695 < min(of_sliders) < -2.685
    row = np.array([[3.0, 1, 0, 0]])
    assert round(slowest(A, B, row.T @ row, 1e-4), 1) == -5.5


@pytest.mark.parametrize(("system", "drive", "n"), CHAINS)
def test_the_page_linearises_as_python_does(on_page, system, drive, n):
    page = on_page(PAGE, "modelOf", SCENE, request_of(system, count=n, drive=drive))
    for own, book in zip((page["A"], page["B"]), model_of(system, drive, n), strict=True):
        np.testing.assert_allclose(own, book, rtol=0, atol=2e-14 * np.abs(book).max())


def inverse(M):
    """The inverse, in as many digits as the matrix has: LAPACK knows no more than 16."""
    n = len(M)
    M = np.concatenate([M, np.eye(n, dtype=M.dtype)], axis=1)
    for k in range(n):
        best = k + np.abs(M[k:, k]).argmax()
        M[[k, best]] = M[[best, k]]
        M[k] /= M[k, k]
        M -= np.where(np.arange(n) == k, 0, M[:, k])[:, None] * M[k]
    return M[:, n:]


def refined(A, B, Q, R):
    """The gain by SciPy, and the same after three Newton steps with three digits more."""
    long = np.longdouble
    P = solve_continuous_are(A, B, np.diag(Q), R * np.eye(B.shape[1]))
    rough = B.T @ P / R
    A, B, P, shift = A.astype(long), B.astype(long), P.astype(long), long(15)
    eye, G = np.eye(len(A), dtype=long), B @ B.T / R
    for _ in range(3):
        closed, W = A - G @ P, np.diag(Q) + P @ G @ P
        left = inverse(closed - shift * eye)
        U = left @ (closed + shift * eye)
        P = 2 * shift * left.T @ W @ left
        for _ in range(14):
            P, U = P + U.T @ P @ U, U @ U
        P = (P + P.T) / 2
    return rough, (B.T @ P / R).astype(float)


@pytest.mark.skipif(np.finfo(np.longdouble).eps == EPS, reason="no more digits than 16 here")
@pytest.mark.parametrize(("system", "drive", "n"), CHAINS)
def test_gains_are_the_best_ones_over_all_sliders(on_page, system, drive, n):
    """To 1e-8, or ten times what SciPy misses at worst: of ten rods, 3e-6, and where their foot is free, 8e-5."""
    A, B = model_of(system, drive, n)
    corners = list(itertools.product(PLACES, RATES, EFFORT))
    missed = []
    for places, rates, effort in corners[1::2] if n == 10 else corners:
        weights = {"places": places, "rates": rates, "effort": effort}
        page = on_page(PAGE, "modelOf", SCENE, request_of(system, count=n, drive=drive, **weights))
        rough, K = refined(A, B, np.repeat([10.0**places, 10.0**rates], n), 10.0**effort)
        missed.append([np.abs(x - K).max() / np.abs(K).max() for x in (page["K"], rough)])
    own, scipys = np.max(missed, axis=0)
    assert own <= max(1e-8, 10 * scipys)
    assert own <= (1e-6 if drive == "every" else 1e-3)


def test_a_cart_without_motor_has_no_gain(on_page):
    """Nothing reaches the second state, which grows: no solution stabilises it."""
    with pytest.raises(ArithmeticError, match="no stabilising solution"):
        on_page(PAGE, "lqr", [[-1, 0], [0, 2]], [[1], [0]], [1, 1], [1])


# --- Eigenvalues


def assert_same_eigenvalues(mine, M):
    """Each is off by rounding times its condition, 1 / |y* x| of its left and right vectors."""
    values, left, right = eig(M, left=True, right=True)
    condition = 1 / np.abs((left.conj() * right).sum(0))
    far = np.abs(values[:, None] - mine)
    rows, columns = linear_sum_assignment(far)
    assert (far[rows, columns] <= 100 * EPS * np.linalg.norm(M) * condition[rows]).all()


def test_eigenvalues_of_any_matrix(on_page):
    rng = np.random.default_rng(0)
    special = [np.zeros((3, 3)), np.eye(2), np.diag([3.0, -1, 2]), np.array([[0, 1], [-1, 0]])]
    special += [np.roll(np.eye(4), 1, 0), np.array([[2.0, 1], [0, 3]]), np.array([[5.0]])]
    scaled = rng.normal(size=(6, 6)) * np.logspace(-4, 4, 6)
    for M in [*special, scaled, *(rng.normal(size=(n, n)) for n in (2, 3, 5, 8, 13, 20))]:
        mine = np.array(on_page(PAGE, "eigenvaluesOf", M)) @ [1, 1j]
        assert_same_eigenvalues(mine, M)
        assert (np.diff(mine.real) <= 0).all()


def test_units_leave_eigenvalues_alone(on_page):
    """A matrix is balanced first: rows in millions and columns in millionths cost no digits."""
    M = np.random.default_rng(3).normal(size=(6, 6))
    units = 2.0 ** np.array([30, 0, -30, 10, -20, 20])
    scaled = M * units[:, None] / units
    both = [np.array(on_page(PAGE, "eigenvaluesOf", x)) @ [1, 1j] for x in (M, scaled)]
    expected, mine = (x[np.lexsort([x.imag, x.real.round(9)])] for x in both)
    np.testing.assert_allclose(mine, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("system", "drive", "n"), CHAINS)
def test_eigenvalues_of_closed_loops(on_page, system, drive, n):
    request = request_of(system, count=n, drive=drive)
    page = on_page(PAGE, "modelOf", SCENE, request)
    A, B, K = (np.array(page[name]) for name in "ABK")
    mine = np.array(on_page(PAGE, "eigenvaluesOf", A - B @ K)) @ [1, 1j]
    assert_same_eigenvalues(mine, A - B @ K)
    assert mine.real.max() < 0
    alone = np.array(on_page(PAGE, "eigenvaluesOf", A))
    growing = n - (system == "cart-pole")  # every hinge falls over in a way of its own
    assert (alone[:, 0] > 1e-6).sum() == growing


# --- Motions


@pytest.mark.parametrize(
    ("system", "options"),
    [
        ("cart-pole", {"aside": 0.9, "rate": -3.0}),  # its motor is at its limit at first
        ("cart-pole", {"joint": 0, "aside": 0.5, "rate": 1.0}),
        ("acrobot", {"rate": 0.06}),
        ("chain", {"count": 3, "limit": 30, "aside": 0.2}),
        ("chain", {"count": 10, "joint": 4, "limit": 500}),
    ],
)
def test_a_knocked_chain_moves_as_chaindyn_says(on_page, system, options):
    request = request_of(system, **options)
    page = on_page(PAGE, "modelOf", SCENE, request)
    K, n = np.array(page["K"]), request["count"]
    chain, place, motors = chain_of(system, n), upright(system, n), motors_of(request["drive"], n)
    start = np.concatenate([place, np.zeros(n)])
    start[[request["joint"], n + request["joint"]]] += request["aside"], request["rate"]

    def forces(x):
        deviation = x - np.concatenate([place, np.zeros(n)])
        return np.clip(-K @ deviation, -request["limit"], request["limit"])

    def slope(_, x):
        tau = np.zeros(n)
        tau[motors] = forces(x)
        return np.concatenate([x[n:], chaindyn.aba(chain, x[:n], x[n:], tau)])

    motion = on_page(PAGE, "runOf", SCENE, request, None, 0.48)
    steps = np.linspace(0, motion["time"], round(motion["time"] / motion["step"]) + 1)
    exact = solve_ivp(slope, (0, motion["time"]), start, t_eval=steps, rtol=1e-9, atol=1e-10)
    moved = np.concatenate([motion["q"], motion["qd"]])
    allowed = 5e-4 * np.abs(moved).max()  # RK4's own at this step, and kinks
    np.testing.assert_allclose(moved, exact.y[:, -1], rtol=0, atol=allowed)
    peak = np.abs([forces(x) for x in exact.y.T[:-1]]).max()  # at the start of each step
    assert motion["peak"] == pytest.approx(peak, rel=1e-3)
    assert motion["time"] == pytest.approx(0.48)


def test_a_small_knock_decays_as_the_linear_model_does(on_page):
    request = request_of("chain", count=2, aside=1e-6, rate=0.0)
    page = on_page(PAGE, "modelOf", SCENE, request)
    A, B, K = (np.array(page[name]) for name in "ABK")
    motion = on_page(PAGE, "runOf", SCENE, request, None, 1.0)
    expected = expm((A - B @ K) * motion["time"]) @ [1e-6, 0, 0, 0]
    moved = np.concatenate([motion["q"] - upright("chain", 2), motion["qd"]])
    np.testing.assert_allclose(moved, expected, rtol=0, atol=1e-10)


def test_the_essay_says_which_knocks_are_survived(on_page):
    text = (ROOT / "book" / "how_a_broom_stays_up.md").read_text(encoding="utf-8")
    now, fates, peaks = dict(BalanceExplorer(aside=0.2, rate=0).request), [], []
    for change in re.findall(r"```\{scene\} (\{.*\})\n", text):
        now |= json.loads(change)
        end = on_page(PAGE, "endOf", SCENE, now)
        fates.append(end["fate"])
        peaks.append(end["peak"])
    held, slow = "recovered", "neither"
    assert fates == [held, held, held, "fell", held, slow, held, held, held]
    assert peaks[0] == pytest.approx(8.4, abs=0.05)
    assert peaks[5] == pytest.approx(5.2, abs=0.05)
    assert peaks[2] == peaks[3] == 10  # all that the motor has


def test_fates(on_page):
    """Of a knock that is small, too large, and too slow to be over; and of a gain that does not balance."""
    small = on_page(PAGE, "endOf", SCENE, request_of(aside=0.1, rate=0.0))
    assert small["fate"] == "recovered"
    assert small["time"] == pytest.approx(small["quiet"] + 1, abs=0.01)
    deviations = np.abs(np.subtract(small["q"], [0, np.pi / 2]))
    assert deviations[0] < 0.05
    assert deviations[1] < np.deg2rad(2)
    large = on_page(PAGE, "endOf", SCENE, request_of(aside=1.1, rate=3.0))
    assert large["fate"] == "fell"
    assert large["peak"] == 10
    lazy = request_of(places=-1, rates=1, effort=3, joint=0, aside=1.4, rate=0.0)
    slow = on_page(PAGE, "endOf", SCENE, lazy)
    assert slow["fate"] == "neither"
    assert slow["time"] == pytest.approx(10, abs=0.01)
    none = on_page(PAGE, "endOf", SCENE, request_of(aside=0.01, rate=0.0), [[0, 0, 0, 0]])
    assert (
        none["fate"] == "fell"
    )  # with 3.8 /s (the cart gives way), from 0.01 to a right angle in 1.4 s
    assert 1 < none["time"] < 1.8
    still = on_page(PAGE, "endOf", SCENE, request_of(aside=0.0, rate=0.0))
    assert still["fate"] == "recovered"
    assert still["quiet"] < 0.01
    assert still["peak"] < 1e-12


def test_who_passes_through_quiet_has_not_recovered(on_page):
    """A rod held by a spring alone swings on, at 1 rad/s by 0.09 rad: quiet for 0.8 s each time it passes."""
    spring = 9.81 / 2 + 1 / 3
    request = request_of("chain", count=1, aside=0.0, rate=0.09)
    assert on_page(PAGE, "endOf", SCENE, request, [[spring, 0]])["fate"] == "neither"


def test_a_chain_fell_when_its_centre_of_mass_is_below_its_foot(on_page):
    rng = np.random.default_rng(1)
    for system, n in (("cart-pole", 2), ("acrobot", 2), ("chain", 7)):
        chain = chain_of(system, n)
        q = upright(system, n) + rng.normal(size=(40, n))
        R, p = chaindyn.forward_kinematics(chain, q)
        height = (p + (R @ chain.com[..., None])[..., 0])[..., 2] @ chain.mass
        low = on_page(PAGE, "lowOf", SCENE, request_of(system, count=n), q)
        assert low == list(height < 0)
        assert len(set(low)) == 2
    assert on_page(PAGE, "lowOf", SCENE, request_of(), [[0, "no number"]]) == [True]


def test_a_motion_that_leaves_all_bounds_has_fallen(on_page):
    wild = 1e9 * np.array([[1, 1, 1, 1]])
    request = request_of(limit=1e300, aside=0.5)
    end = on_page(PAGE, "endOf", SCENE, request, wild)
    assert end["fate"] == "fell"


# --- The basin


def test_the_basin_is_what_single_knocks_say(on_page):
    """Also of the half that is not computed but mirrored."""
    request = request_of()
    basin = on_page(PAGE, "basinOf", SCENE, request)
    assert basin["complete"]
    assert basin["count"]["done"] == 625
    assert basin["count"]["recovered"] == basin["fates"].count("recovered")
    assert 0.2 < basin["count"]["recovered"] / 625 < 0.6
    corner = {"joint": 1, "aside": -request["widest"], "rate": request["fastest"]}
    assert basin["knocks"][0] == corner
    assert basin["knocks"][312] == {"joint": 1, "aside": 0, "rate": 0}
    rng = np.random.default_rng(2)
    for k in rng.choice(np.arange(313, 625), 25, replace=False):
        end = on_page(PAGE, "endOf", SCENE, request | basin["knocks"][k])
        assert end["fate"] == basin["fates"][k]


def test_the_basin_grows_from_the_middle(on_page):
    basin = on_page(PAGE, "basinOf", SCENE, request_of("chain", count=3), 5)
    known = [k for k, fate in enumerate(basin["fates"]) if fate]
    assert basin["order"][0] == 312
    assert len(known) == basin["count"]["done"] == 9
    rows, columns = np.divmod(known, 25)
    assert max(np.hypot(rows - 12, columns - 12)) < 2


def test_stronger_motors_widen_the_basin(on_page):
    shares = [
        on_page(PAGE, "basinOf", SCENE, request_of(limit=limit))["count"]["recovered"]
        for limit in (5, 20)
    ]
    assert 0 < shares[0] < shares[1]


# --- The Python half


@pytest.mark.parametrize(("system", "drive", "n"), CHAINS)
def test_python_answers_with_the_functions_given(on_page, system, drive, n):
    widget = BalanceExplorer(system, count=n, drive=drive)
    values = widget.answer["values"]
    A, B = model_of(system, drive, n)
    np.testing.assert_array_equal(values["A"], A)
    np.testing.assert_array_equal(values["B"], B)
    page = on_page(PAGE, "modelOf", SCENE, dict(widget.request))
    size = np.abs(values["K"]).max()
    tolerance = 1e-3 if n == 10 else 1e-7  # SciPy's own, see above
    np.testing.assert_allclose(page["K"], values["K"], rtol=0, atol=tolerance * size)


def test_who_spoils_linearise_sees_the_chain_fall(on_page):
    def forgetful(chain, q, qd, tau):
        A, B = linearise(chain, q, qd, tau)
        return A, -B

    widget = BalanceExplorer(aside=0.1, rate=0.0, linearise=forgetful)
    K = widget.answer["values"]["K"]
    assert on_page(PAGE, "endOf", SCENE, dict(widget.request), K)["fate"] == "fell"


def test_functions_that_fail_are_named_balance():
    calls = []

    def failing(chain, q, qd, tau):
        calls.append(chain.n)
        if len(calls) > 1:
            raise ArithmeticError("not today")
        return linearise(chain, q, qd, tau)

    answer = tell(BalanceExplorer(linearise=failing), places=2)
    line = failing.__code__.co_firstlineno + 3
    assert f"not today; in linearise, line {line}" in answer["error"]
    with pytest.raises(ValueError, match=r"linearise returned shape .*not \(4, 4\) and \(4, 2\)"):
        BalanceExplorer(linearise=lambda *_: (np.eye(2), np.eye(2)))
    with pytest.raises(ValueError, match="linearise returned numbers that are not finite"):
        BalanceExplorer(linearise=lambda *_: (np.full((4, 4), np.nan), np.ones((4, 2))))


def test_python_and_page_name_the_same_joints(on_page):
    for system, each in SYSTEMS.items():
        for drive, most in each.drives.items():
            for n in {2, most}:
                world = on_page(PAGE, "standing", SCENE, request_of(system, count=n, drive=drive))
                assert world["motors"] == list(motors_of(drive, n))
                np.testing.assert_array_equal(world["upright"], upright(system, n))
                assert world["tree"]["names"] == list(chain_of(system, n).names)


def test_the_state_of_a_balance_is_small():
    for system in SYSTEMS:
        widget = BalanceExplorer(system)
        assert len(json.dumps(plain([widget.scene, widget.request, widget.answer]))) < 12000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"system": "unicycle"}, "system is 'unicycle', but must be"),
        ({"drive": "every"}, "drive is 'every', but must be 'first'"),
        ({"count": 3}, "count is 3, but must be a whole number from 2 to 2"),
        ({"system": "chain", "count": 11}, "count is 11, but must be a whole number from 1 to 10"),
        ({"system": "chain", "count": 1, "drive": "others"}, "count is 1, .* from 2 to 10"),
        ({"system": "chain", "count": 4, "drive": "first"}, "count is 4, .* from 1 to 3"),
        ({"joint": 2}, "joint is 2, but must be a whole number from 0 to 1"),
        ({"joint": True}, "joint is True"),
        ({"places": 3.5}, "places is 3.5, but must lie between -1 and 3"),
        ({"rates": -3}, "rates is -3, but must lie between -2 and 1"),
        ({"effort": np.nan}, "effort is nan, but must lie between -1 and 3"),
        ({"limit": 0}, "limit is 0, but must be positive"),
        ({"aside": 4}, "aside is 4, but must lie between -3.14159 and 3.14159"),
        ({"rate": np.inf}, "rate is inf, but must lie between -100 and 100"),
    ],
)
def test_a_bad_balance_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        BalanceExplorer(**options)
