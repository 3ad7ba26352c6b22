"""The two halves of ContactExplorer: the page's laws, solvers, shapes and steps, held to the chapters' own."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from widget_cases import tell

import chaindyn
from chaindyn.complementarity import contact_impulses, impulses_by_modes, impulses_by_turns
from chaindyn.contact import series_of_blows

pytest.importorskip("anywidget")
from chaindyn.widgets import ContactExplorer
from chaindyn.widgets.contact import KINDS, LAWS, ORDERS, chain_of
from chaindyn.widgets.explorer import plain

PAGE = SimpleNamespace(
    _esm=f"""{ContactExplorer._esm}
const workOf = (how) => ({{ sweeps: 1, work: {{ iterations: 0, residual: 0, count: "" }}, ...how }});
const blowsOf = (W, v, laws) => seriesOfBlows(W, v, laws, workOf({{ solver: "lemke" }}));
function solved(problem, how) {{
  const whole = workOf(how);
  return {{ p: contactImpulses(problem, whole), ...whole.work }};
}}
const touching = (one, other) => contactsBetween(shapeAt(one.core, one.radius), shapeAt(other.core, other.radius));
function runOf(request, steps) {{
  const world = worldOf(request);
  let state = {{ ...request, ...(request.q ? {{}} : startOf(request)) }};
  const energy = [energyOf(world.tree, state.q, state.qd)];
  const run = {{ start: state.q, energy, given: [], impulses: [], residual: 0, fault: "" }};
  try {{
    for (let k = 0; k < steps; k++) {{
      const {{ q, qd, given, impulses, residual }} = stepOf(state, world);
      state = {{ ...state, q, qd }};
      run.energy.push(energyOf(world.tree, q, qd));
      run.given.push(given);
      run.impulses.push(impulses.reduce((sum, [normal]) => sum + normal, 0));
      run.residual = Math.max(run.residual, residual);
    }}
  }} catch (problem) {{
    run.fault = problem.message;
  }}
  return {{ ...run, q: state.q, qd: state.qd }};
}}
"""
)


def started(on_page, *given, **options):
    """A widget's request with the state at its start."""
    request = ContactExplorer(*given, **options).request
    return {**request, **on_page(PAGE, "startOf", request)}


def at_first_touch(on_page, request):
    """The request with the state from which a step has the first impulse of its motion."""
    pushes = np.array(on_page(PAGE, "runOf", request, 700)["impulses"])
    run = on_page(PAGE, "runOf", request, int(np.flatnonzero(pushes)[0]))
    return {**request, "q": run["q"], "qd": run["qd"]}


def random_contacts(rng, m, nv):
    """W and v of m contacts with random rows, in the plane."""
    K, v = rng.normal(size=(2 * m, nv)), rng.normal(size=nv)
    return K @ K.T, K @ v


def in_space(W, v):
    """The same with a second tangent, along which nothing moves."""
    m = len(v) // 2
    k = 3 * (np.arange(2 * m) // 2) + np.arange(2 * m) % 2
    whole, velocity = np.zeros((3 * m, 3 * m)), np.zeros(3 * m)
    whole[np.ix_(k, k)], velocity[k] = W, v
    return whole, velocity, k


# --- Solvers


def test_the_page_solves_lcps_as_the_book_does(on_page):
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 12, 30):
        G, b = rng.normal(size=(n, n)), rng.normal(size=n)
        A = G @ G.T + 0.1 * np.eye(n) + (H := rng.normal(size=(n, n))) - H.T  # not symmetric
        answer = on_page(PAGE, "lemke", A, b)
        np.testing.assert_allclose(answer["z"], chaindyn.solve_lcp(A, b).z, atol=1e-9)
    circle = on_page(PAGE, "lemke", [[1, 2, 0], [0, 1, 2], [2, 0, 1]], [-1, -1, -1])
    np.testing.assert_allclose(circle["z"], 1 / 3, atol=1e-12)
    with pytest.raises(ArithmeticError, match="ends on a ray"):
        on_page(PAGE, "lemke", [[-1.0]], [-1.0])


@pytest.mark.parametrize("sweeps", [1, 3, 40])
def test_sweeps_are_those_of_the_book(on_page, sweeps):
    rng = np.random.default_rng(1)
    W, v = random_contacts(rng, 4, 9)
    problem = {"W": W, "b": v, "mu": 0}
    p = np.array(on_page(PAGE, "solved", problem, {"solver": "pgs", "sweeps": sweeps})["p"])
    expected = chaindyn.solve_lcp(W[::2, ::2], v[::2], method="pgs", sweeps=sweeps).z
    np.testing.assert_allclose(p[::2], expected, atol=1e-12)
    assert not p[1::2].any()


@pytest.mark.parametrize("sweeps", [1, 2, 30])
def test_turns_with_friction_are_those_of_the_book(on_page, sweeps):
    """Also those of contacts that do not yield, and with friction that is allowed beyond the cone."""
    rng = np.random.default_rng(7)
    W, v = random_contacts(rng, 4, 9)
    W[2:4], W[:, 2:4] = 0, 0
    mu, known = 0.4, rng.uniform(size=4)
    problem = {"W": W, "b": v, "mu": mu, "known": known}
    p = on_page(PAGE, "solved", problem, {"solver": "pgs", "sweeps": sweeps})["p"]
    expected = impulses_by_turns(W, v, np.full(4, mu), known, sweeps)
    np.testing.assert_allclose(p, expected, atol=1e-12)
    np.testing.assert_array_equal(expected[2:4], 0)


def test_modes_and_pyramids_are_those_of_the_book(on_page):
    """Where what is known moves the cone too."""
    rng = np.random.default_rng(8)
    slipped = 0
    for _ in range(16):
        m = rng.integers(1, 4)
        W, v = random_contacts(rng, m, 2 * m + 2)
        mu, known = rng.choice([0, 0.2]), rng.uniform(0, 0.1, m)
        known = known if mu else 0 * known
        problem = {"W": W, "b": v, "mu": mu, "known": known}
        whole, velocity, k = in_space(W, v)
        modes = impulses_by_modes(W, v, np.full(m, mu), known)
        pyramids = contact_impulses(whole, velocity, np.full(m, mu), known, facets=2)[k]
        for solver in ("modes", "lemke"):
            p = on_page(PAGE, "solved", problem, {"solver": solver})["p"]
            np.testing.assert_allclose(p, pyramids, atol=1e-10)
            assert min(np.abs(one - p).max() for one in modes) < 1e-10
        slips = np.abs((W @ p + v)[1::2]) > 1e-6
        slipped += (slips & (np.abs(p[1::2]) > 1e-6)).sum()
    assert slipped > 3


@pytest.mark.parametrize("solver", ["pgs", "modes"])
def test_all_solvers_agree_where_the_motion_is_unique(on_page, solver):
    rng = np.random.default_rng(2)
    for m in (1, 2, 3):
        W, v = random_contacts(rng, m, 2 * m + 2)
        problem = {"W": W, "b": v, "mu": 0.2}
        mine = on_page(PAGE, "solved", problem, {"solver": solver, "sweeps": 2000})
        exact = on_page(PAGE, "solved", problem, {"solver": "lemke"})
        np.testing.assert_allclose(mine["p"], exact["p"], atol=1e-8)
        assert mine["residual"] < 1e-8
        assert mine["count"] == ("one" if solver == "modes" else "")


def test_modes_count_none_one_and_many(on_page):
    """Friction that drives a contact into the ground: 1 - 2 mu is negative, as for Painleve's rod."""

    def count(b, mu=0.8):
        return on_page(PAGE, "byModes", {"W": [[1, 2], [2, 5]], "b": b, "mu": mu, "known": [0]})

    two = count([0.1, 3])
    assert two["count"] == "many"
    assert two["iterations"] == 4
    jam = count([-0.1, 3])
    assert jam["count"] == "one"
    np.testing.assert_allclose(jam["p"], [6.5, -3.2], atol=1e-12)  # it sticks at once
    with pytest.raises(ArithmeticError, match="none of the 2 modes fits"):
        on_page(PAGE, "byModes", {"W": [[-1, 0], [0, 1]], "b": [-1, 0], "mu": 0, "known": [0]})


def test_too_many_modes_are_left_to_lemke(on_page):
    W, v = random_contacts(np.random.default_rng(3), 6, 14)
    answer = on_page(PAGE, "solved", {"W": W, "b": v, "mu": 0.3}, {"solver": "modes"})
    assert answer["count"] == "too many"
    assert answer["residual"] < 1e-10


def test_the_residual_says_what_is_wrong(on_page):
    """A push too small, a pull, friction outside its cone, friction that does not stop what it could."""
    known = {"W": np.eye(2), "b": [-1, 0.5], "mu": 0.6, "known": [0]}
    for p, expected in (
        ([1, -0.5], 0),
        ([0.9, -0.5], 0.1),
        ([-0.2, 0], 1.2),
        ([1, -0.7], 0.2),
        ([1, -0.2], 0.3),
    ):
        assert on_page(PAGE, "residualOf", known, p) == pytest.approx(expected, abs=1e-14)


# --- Laws


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("order", ORDERS)
def test_blows_are_those_of_the_book(on_page, law, order):
    rng = np.random.default_rng(4)
    struck = 0
    for _ in range(12):
        m = rng.integers(1, 5)
        W, v = random_contacts(rng, m, 2 * m + 1)
        mu, e = rng.choice([0, 0.3, 0.8]), rng.uniform()
        laws = {"restitution": e, "friction": mu, "law": law, "order": order}
        whole, velocity, k = in_space(W, v)
        given = np.full(m, e), np.full(m, mu), law, order
        try:
            expected, blows = series_of_blows(whole, velocity, *given)
        except ArithmeticError:  # a law may have no answer
            continue
        mine = on_page(PAGE, "blowsOf", W, v, laws)
        assert mine["blows"] == blows
        np.testing.assert_allclose(W @ mine["p"], W @ expected[k], atol=1e-9)
        struck += blows > 0
    assert struck > 6


def test_moreaus_blows_never_gain_energy_and_newtons_do(on_page):
    rng = np.random.default_rng(5)
    gains = {"newton": 0, "moreau": 0}
    for _ in range(60):
        W, v = random_contacts(rng, rng.integers(1, 4), rng.integers(3, 9))
        for law in gains:
            laws = {"restitution": 0.9, "friction": 0.8, "law": law, "order": "together"}
            try:
                p = np.array(on_page(PAGE, "blowsOf", W, v, laws)["p"])
            except ArithmeticError:
                assert law == "newton"
                continue
            gains[law] += p @ (v + W @ p / 2) > 1e-10
    assert gains["moreau"] == 0 < gains["newton"]


def test_a_cradle_by_both_orders(on_page):
    rows = np.zeros((8, 5))
    rows[::2] = np.eye(5)[1:] - np.eye(5)[:-1]
    arriving = np.array([1.0, 0, 0, 0, 0])
    for order, parting in {"sequence": [0, 0, 0, 0, 1], "together": [-0.6, *[0.4] * 4]}.items():
        laws = {"restitution": 1, "friction": 0, "law": "newton", "order": order}
        p = on_page(PAGE, "blowsOf", rows @ rows.T, rows @ arriving, laws)["p"]
        np.testing.assert_allclose(arriving + rows.T @ p, parting, atol=1e-12)


# --- Shapes


def random_shape(rng, kind):
    """A shape of the page's, and chaindyn's with its pose."""
    angle, at = rng.uniform(-np.pi, np.pi), rng.uniform(-0.5, 0.5, 2)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    R = np.eye(3)
    R[np.ix_([0, 2], [0, 2])] = turn
    pose = R, np.array([at[0], 0, at[1]])
    if kind == "box":
        w, h = sides = rng.uniform(0.1, 0.4, 2)
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * sides / 2
        return {"core": corners @ turn.T + at, "radius": 0}, (chaindyn.Box((w, 50, h)), pose)
    radius, length = rng.uniform(0.03, 0.1), rng.uniform(0.1, 0.6)
    if kind == "ball":
        return {"core": [at], "radius": radius}, (chaindyn.Sphere(radius), pose)
    ends = np.array([(0, -length / 2), (0, length / 2)])
    return {"core": ends @ turn.T + at, "radius": radius}, (chaindyn.Capsule(radius, length), pose)


@pytest.mark.parametrize(
    "kinds", ["ball ball", "ball box", "rod ball", "rod rod", "rod box", "box box"]
)
def test_gaps_are_those_of_chaindyn(on_page, kinds):
    """The smallest of a patch; of boxes that do not overlap the page needs no gap, for they have no contact."""
    rng, seen = np.random.default_rng(6), {-1: 0, 1: 0}
    for _ in range(150):
        (one, first), (other, second) = (random_shape(rng, kind) for kind in kinds.split())
        truth = chaindyn.distance(*first, *second)
        contacts = on_page(PAGE, "touching", one, other)
        apart = truth.distance > 0
        if kinds == "box box" and apart:
            assert all(contact["gap"] > 0 for contact in contacts)
            continue
        crossed = "rod" in kinds and truth.distance < 1e-9 - one["radius"] - other["radius"]
        if crossed or truth.distance > 0.04:
            continue  # cores that overlap have other directions out; far ones are not looked for
        nearest = min(contacts, key=lambda contact: contact["gap"])
        assert nearest["gap"] == pytest.approx(truth.distance, abs=1e-9)
        np.testing.assert_allclose(nearest["normal"], truth.normal[[0, 2]], atol=1e-7)
        seen[1 if apart else -1] += 1
    assert seen[-1] > 2
    assert seen[1] > 2 or kinds == "box box"


def test_a_face_on_a_face_touches_at_both_ends_of_the_patch(on_page):
    def box(x, z):
        return {
            "core": [(x - 1, z - 1), (x + 1, z - 1), (x + 1, z + 1), (x - 1, z + 1)],
            "radius": 0,
        }

    contacts = on_page(PAGE, "touching", box(0.5, 2), box(0, 0))
    assert sorted(contact["point"] for contact in contacts) == [[-0.5, 1], [1, 1]]
    assert all(contact["normal"] == [0, 1] and contact["gap"] == 0 for contact in contacts)
    beam = {"core": [(0, 1.3), (3, 1.3)], "radius": 0.3}  # beyond the corner it hangs over
    ends = [contact["point"] for contact in on_page(PAGE, "touching", beam, box(0, 0))]
    np.testing.assert_allclose(sorted(ends), [[0, 1], [1, 1]], atol=1e-12)


# --- Steps

CASES = [
    ("stack", "floor", {}),
    ("stack", "floor", {"speed": 1.0}),
    ("stack", "slope", {"count": 3, "friction": 0.2}),
    ("stack", "stairs", {"speed": 2.0, "restitution": 0.4}),
    ("chain", "stairs", {"law": "moreau", "restitution": 0.5}),
    ("chain", "slope", {"angle": 0.4}),
    ("chain", "floor", {"law": "poisson", "count": 2}),
    ("chain", "floor", {"order": "sequence", "restitution": 0.6, "friction": 0}),
    ("cradle", "floor", {}),
    ("cradle", "floor", {"order": "together", "law": "moreau", "friction": 0.3}),
]


@pytest.mark.parametrize(("scene", "ground", "options"), CASES)
def test_the_page_computes_what_python_computes_contact(on_page, scene, ground, options):
    """From states on the way of a throw, the first when it begins to touch."""
    widget = ContactExplorer(scene, ground, **{"step": 0.005, **options})
    request = started(on_page, scene, ground, **{"step": 0.005, **options})
    request, touched = at_first_touch(on_page, request), 0
    for _ in range(12):
        page = on_page(PAGE, "stepOf", request)
        asked = {name: request[name] for name in ("q", "qd")} | {"contacts": page["contacts"]}
        answer = tell(widget, **asked)["values"]
        touched += np.abs(page["impulses"]).max(initial=0) > 0
        # boxes on two stairs: contacts nearly depend on each other, and a step takes impulses to 1e-6 there
        near = 1e-7 if (scene, ground) == ("stack", "stairs") else 1e-9
        assert np.abs(np.subtract(page["qd"], answer["qd"])).max() < near
        assert np.abs(np.subtract(page["q"], answer["q"])).max() < near / 100
        further = on_page(PAGE, "runOf", request, 14)
        request |= {name: further[name] for name in ("q", "qd")}
    assert touched > (0 if scene == "cradle" else 2)


@pytest.mark.parametrize(
    ("scene", "options"),
    [
        ("stack", {"count": 4}),
        ("stack", {"count": 1, "speed": 2.0}),
        ("stack", {"count": 1, "speed": 2.0, "friction": 0.1, "law": "moreau"}),
        ("chain", {"count": 1}),
        ("chain", {"law": "moreau", "restitution": 0.7}),
        ("cradle", {"count": 2, "order": "together"}),
    ],
)
def test_impulses_are_those_that_simulate_contact_logs(on_page, scene, options):
    """Where they are unique, or all stick: there both take the smallest."""
    request = at_first_touch(on_page, started(on_page, scene, "floor", **options))
    page = on_page(PAGE, "stepOf", request)
    q, h = np.array(request["q"]), request["step"]
    contacts = [
        SimpleNamespace(
            **{name: contact[name] for name in ("bodies", "gap")},
            **{name: np.insert(contact[name], 1, 0.0) for name in ("point", "normal")},
            friction=0,
            restitution=0,
        )
        for contact in page["contacts"]
    ]
    motion = chaindyn.simulate_contact(
        chain_of(scene, request["count"]),
        lambda now: [] if np.array_equal(now, q) else contacts,
        q,
        request["qd"],
        t=[0, h],
        step=h,
        **{name: request[name] for name in ("restitution", "friction", "law")},
    )
    normals = np.array([contact["normal"] for contact in page["contacts"]])
    tangents = np.stack([normals[:, 1], -normals[:, 0]], -1)
    p = np.array(page["impulses"])
    pushed = p[:, 0] > 0
    mine = (p[:, :1] * normals + p[:, 1:] * tangents)[pushed]
    np.testing.assert_allclose(motion.log.impulses[:, [0, 2]], mine, atol=1e-9)
    assert pushed.any()


def test_a_stack_of_ten_does_not_sag_unless_sweeps_are_few(on_page):
    request = started(on_page, "stack", "floor", count=10)
    run = on_page(PAGE, "runOf", request, 400)
    assert np.abs(np.subtract(run["q"], run["start"])).max() < 1e-9
    np.testing.assert_allclose(run["impulses"][-1], 0.005 * 9.81 * sum(range(1, 11)), rtol=1e-9)
    few = on_page(PAGE, "runOf", {**request, "solver": "pgs"}, 100)
    assert few["start"][-2] - few["q"][-2] > 0.01
    assert few["residual"] > 1e-3


def test_a_cradle_swings_to_its_last_ball(on_page):
    """After a quarter of a period and a blow only the last ball moves, with the speed of the first."""
    request = started(on_page, "cradle", "floor", speed=2.0)
    run = on_page(PAGE, "runOf", request, 540)
    np.testing.assert_allclose(run["qd"][:4], 0, atol=0.01)
    assert run["qd"][4] > 1.9


@pytest.mark.parametrize("ground", ["floor", "stairs", "slope"])
@pytest.mark.parametrize("law", LAWS)
def test_a_chain_that_is_thrown(on_page, ground, law):
    """By Moreau's law impulses add no energy; by Newton's they do, on the floor beyond all bounds."""
    options = {"restitution": 0.8, "friction": 0.6, "law": law}
    run = on_page(PAGE, "runOf", started(on_page, "chain", ground, **options), 800)
    gift = np.maximum(run["given"], 0).sum() / run["energy"][0]
    assert (gift > 1e-4) if (law, ground) == ("newton", "floor") else True
    if law == "moreau":
        assert gift < 1e-12
        assert max(run["energy"]) < run["energy"][0] * (1 + 1e-3)
        assert not run["fault"]


def test_a_bouncing_box_keeps_what_restitution_leaves(on_page):
    """A box that falls flat on the floor with e = 1 comes back as high, step for step."""
    request = started(on_page, "stack", "floor", count=1, restitution=1.0)
    request["q"] = [0, 0.5, 0]
    run = on_page(PAGE, "runOf", request, 1000)
    assert np.abs(np.subtract(run["energy"], run["energy"][0])).max() < 1e-9
    assert sum(x > 0 for x in run["impulses"]) > 5
    assert np.abs(run["given"]).max() < 1e-9  # nor does a blow that gives all back give more


# --- The Python half


def test_scenes_are_the_same_on_both_sides(on_page):
    for scene, kind in KINDS.items():
        for count in (1, kind.most):
            request = {**ContactExplorer(scene).request, "count": count}
            tree = on_page(PAGE, "worldOf", request)["tree"]
            chain = chain_of(scene, count)
            assert [link["parent"] for link in tree] == list(chain.parent)
            for name, own in (("mass", chain.mass), ("com", chain.com[:, [0, 2]])):
                np.testing.assert_allclose([link[name] for link in tree], own, atol=1e-15)
            np.testing.assert_allclose(
                [link["inertia"] for link in tree], chain.inertia[:, 1, 1], atol=1e-15
            )
            np.testing.assert_allclose(
                [link["offset"] for link in tree], chain.offset[:, [0, 2]], atol=1e-15
            )


def test_python_takes_no_step_that_it_has_no_solver_for():
    widget = ContactExplorer("stack", "floor")
    assert widget.answer["values"] == {}
    state = {"q": [0, 0.1, 0], "qd": [0, 0, 0], "count": 1}
    assert tell(widget, **state, solver="pgs")["values"] == {}
    assert tell(widget, **state, solver="lemke")["values"]["qd"][1] == pytest.approx(-9.81 * 0.005)


def test_functions_that_fail_are_named_contact():
    def too_slow(chain, contacts, q, qd, **options):
        raise ArithmeticError("too slow for me")

    widget = ContactExplorer("cradle", simulate_contact=too_slow)
    answer = tell(widget, q=[0.0] * 5, qd=[0.0] * 5)
    line = too_slow.__code__.co_firstlineno + 1
    assert f"too slow for me; in simulate_contact, line {line}" in answer["error"]


def test_the_state_of_a_throw_is_small():
    for scene in KINDS:
        widget = ContactExplorer(scene)
        assert len(json.dumps(plain([widget.scene, widget.request, widget.answer]))) < 3000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scene": "pile"}, "scene is 'pile', but must be 'chain' or 'cradle' or 'stack'"),
        ({"ground": "sea"}, "ground is 'sea', but must be"),
        ({"law": "hertz"}, "law is 'hertz', but must be"),
        ({"order": "at once"}, "order is 'at once', but must be"),
        ({"solver": "newton"}, "solver is 'newton', but must be"),
        ({"count": 0}, "count is 0, but must be a whole number from 1 to 8"),
        ({"scene": "stack", "count": 11}, "count is 11, but must be a whole number from 1 to 10"),
        ({"count": 2.5}, "count is 2.5"),
        ({"sweeps": True}, "sweeps is True"),
        ({"restitution": 1.1}, "restitution is 1.1, but must lie between 0 and 1"),
        ({"friction": -0.1}, "friction is -0.1, but must not be negative"),
        ({"friction": np.nan}, "friction"),
        ({"angle": 1.0}, "angle is 1.0, but must lie between 0 and 0.785398"),
        ({"speed": np.nan}, "speed is nan, but must lie between 0 and 6"),
        ({"step": 0}, "step is 0, but must be positive"),
    ],
)
def test_a_bad_throw_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        ContactExplorer(**options)
