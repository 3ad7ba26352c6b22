"""Laws of closed chains as machine code, against the laws as they stand, complex steps and the dense derivatives."""

import pickle
import warnings

import numpy as np
import pytest
from loops import allowed_motions, random_loops
from trees import EPS

from chaindyn import (
    Closure,
    Distance,
    Revolute,
    Spherical,
    assemble,
    bias_force,
    compiled,
    constrained_forward_dynamics,
    constrained_forward_dynamics_derivatives,
    constrained_hybrid_dynamics,
    constrained_inverse_dynamics,
    constraint_bias,
    constraint_jacobian,
    crba,
    forward_kinematics,
    impact,
    integrate,
    rollout,
    simulate,
    solve_kkt,
)
from chaindyn.models.robots import five_bar, four_bar, four_bar_posture
from chaindyn.projection import projected
from chaindyn.teaching import normwise

CLOSE = 1e4 * EPS  # beside the loss by the conditions of these mechanisms, below a thousand


def mechanism(name):
    """Return a chain, its loops, a state that keeps them, and joint forces."""
    rng = np.random.default_rng(3)
    if name == "five-bar":  # two of five rows act
        chain, loops = five_bar()
        q = assemble(chain, loops, np.array([2.3, -1.1, 2.0, -1.4]))
    elif name == "cranks":  # the middle one is redundant
        chain, loops = four_bar(3)
        q = four_bar_posture(3, 1.1)
    elif name == "closed twice":
        chain, loops = five_bar()
        q, loops = assemble(chain, loops, np.array([2.3, -1.1, 2.0, -1.4])), (*loops, *loops)
    elif name == "rod":
        chain, _ = five_bar()
        loops = (Distance(1, onto=3, length=0.3, offset=(0.2, 0.1, 0)),)
        q = assemble(chain, loops, np.array([2.3, -1.1, 2.0, -1.4]))
    else:
        seed = int(name.rpartition(" ")[2])
        chain, loops, q, qd, rng = random_loops(seed, 4, joints=(Spherical, Revolute))
        loops = loops[:1]
        return chain, tuple(loops), *projected(chain, loops, q, qd), rng.normal(size=chain.nv)
    allowed = allowed_motions(chain, loops, q)
    return chain, loops, q, rng.normal(size=len(allowed)) @ allowed, rng.normal(size=chain.nv)


NAMES = ["five-bar", "cranks", "closed twice", "rod", "tree 1", "tree 5"]


@pytest.fixture(autouse=True)
def nothing_is_slow_in_silence():
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*is not compiled")
        yield


@pytest.mark.parametrize("name", NAMES)
def test_accelerations_and_multipliers_are_those_of_the_law(name):
    chain, loops, q, qd, tau = mechanism(name)
    fast = compiled(constrained_forward_dynamics, chain, given={"constraints": loops})
    for found, wanted in zip(
        fast(q, qd, tau), constrained_forward_dynamics(chain, loops, q, qd, tau), strict=True
    ):
        assert normwise(found, wanted) <= CLOSE
    assert fast.runs == (1, 0)
    taus = tau + np.arange(10)[:, None]
    wanted = constrained_forward_dynamics(chain, loops, q, qd, taus)
    for own, other in zip(fast(q, qd, taus), wanted, strict=True):
        assert normwise(own, other) <= CLOSE
    assert fast.runs == (11, 0)


@pytest.mark.parametrize("name", ["five-bar", "closed twice", "rod", "tree 1"])
def test_derivatives_are_the_slopes_of_the_recording(name):
    """Against the dense derivatives and, where no row depends on others, complex steps of the law."""
    chain, loops, q, qd, tau = mechanism(name)
    fast = compiled(
        constrained_forward_dynamics, chain, given={"constraints": loops}, derivatives=True
    )
    value, slopes = fast(q, qd, tau)
    assert normwise(value[0], constrained_forward_dynamics(chain, loops, q, qd, tau)[0]) <= CLOSE
    dense = constrained_forward_dynamics_derivatives(chain, loops, q, qd, tau)
    for k in range(3):
        assert normwise(slopes[k][0], dense[0][k]) <= 10 * CLOSE
        assert normwise(slopes[k][1], dense[1][k]) <= 10 * CLOSE
    h = 1e-100
    for j, along in enumerate(np.eye(chain.nv)):
        moved = (
            (integrate(chain, q, 1j * h * along), qd + 0j, tau + 0j),
            (q + 0j, qd + 1j * h * along, tau + 0j),
            (q + 0j, qd + 0j, tau + 1j * h * along),
        )
        for k, state in enumerate(moved):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the loops are opened, by nothing
                parts = constrained_forward_dynamics(chain, loops, *state)
            for own, part in zip(slopes[k], parts, strict=True):
                size = np.abs(own).max()
                assert np.abs(own[:, j] - part.imag / h).max() <= 10 * CLOSE * size


@pytest.mark.parametrize(
    "count", [20, *[pytest.param(k, marks=pytest.mark.nightly) for k in (40, 100)]]
)
def test_a_long_line_of_cranks_runs_in_loops_over_its_rows(count):
    """Both against the law; K qdd against what the rows want, which no elimination is needed for."""
    chain, loops = four_bar(count + 1)
    q = four_bar_posture(count + 1, 1.0)
    qd = 0.5 * (q - four_bar_posture(count + 1, 0.0))
    tau = np.random.default_rng(count).normal(size=chain.nv)
    fast = compiled(constrained_forward_dynamics, chain, given={"constraints": loops})
    found = fast(q, qd, tau)
    assert fast.runs == (1, 0)
    for own, other in zip(
        found, constrained_forward_dynamics(chain, loops, q, qd, tau), strict=True
    ):
        assert normwise(own, other) <= 100 * CLOSE
    missed = constraint_jacobian(chain, loops, q) @ found[0] + constraint_bias(chain, loops, q, qd)
    assert np.abs(missed).max() <= CLOSE * np.abs(found[0]).max()


def line_of_cranks(count, angle, cut):
    """Return cranks with so many loops, at an angle and turning, and torques."""
    q, flat = (four_bar_posture(count + 1, a, cut=cut) for a in (1.0, 0.0))
    tau = np.random.default_rng(count).normal(size=2 * count + 1)
    return *four_bar(count + 1, cut=cut), flat + angle * (q - flat), 0.5 * (q - flat), tau


def least_motion(chain, loops, q, qd, tau):
    """Return accelerations and multipliers by a dense null space, which knows no order of the rows."""
    K, bias = constraint_jacobian(chain, loops, q), constraint_bias(chain, loops, q, qd)
    return solve_kkt(crba(chain, q), K, tau - bias_force(chain, q, qd), -bias)


@pytest.mark.parametrize(
    "count", [4, 20, *[pytest.param(k, marks=pytest.mark.nightly) for k in (40, 100)]]
)
def test_rods_cut_at_their_ends_are_fronts(count):
    """No loop in the text, which grows with the cranks alone; against the law and a dense null space."""
    chain, loops, *state = line_of_cranks(count, 1.0, "rod")
    fast = compiled(constrained_forward_dynamics, chain, given={"constraints": loops})
    found = fast(*state)
    assert fast.runs == (1, 0)
    for wanted in (
        constrained_forward_dynamics(chain, loops, *state),
        least_motion(chain, loops, *state),
    ):
        for own, other in zip(found, wanted, strict=True):
            assert normwise(own, other) <= 100 * CLOSE
    foot, closed, *posture = line_of_cranks(count, 1.0, "foot")
    tau = posture[2]
    tau[1:] = 0  # a motor at the first crank moves both alike
    one, other = (x.names.index("crank 0") for x in (chain, foot))
    qdd, _ = fast(*state[:2], tau)
    assert np.allclose(
        qdd[one],
        constrained_forward_dynamics(foot, closed, *posture[:2], tau)[0][other],
        rtol=1e-9,
    )


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("angle", [1.0, 1e-3, 1e-6, 0.0])
def test_fronts_leave_out_what_adds_nothing(angle, twice):
    """Rows that vanish on the line, and each loop closed twice: smallest multipliers of any rank."""
    chain, loops, q, qd, tau = line_of_cranks(8, angle, "rod")
    if twice:
        loops = tuple(loop for own in loops for loop in (own, own))
    fast = compiled(constrained_forward_dynamics, chain, given={"constraints": loops})
    found = fast(q, qd, tau)
    assert fast.runs == (1, 0)
    plain = constrained_forward_dynamics(chain, loops, q, qd, tau)
    dense = least_motion(chain, loops, q, qd, tau)
    for k in (0, 1):
        assert normwise(found[k], plain[k]) <= 1e4 * EPS / (angle or 1)
        if angle in (0.0, 1.0):
            assert normwise(found[k], tuple(dense)[k]) <= 1e4 * EPS


@pytest.mark.parametrize("angle", [1.0, 1e-3, 1e-6, 1e-8, 0.0])
def test_postures_in_which_rows_vanish(angle):
    """All cranks in line: the rank falls from 4 to 2, by the same threshold in both."""
    chain, loops = four_bar(3)
    turning = four_bar_posture(3, 1.0) - four_bar_posture(3, 0.0)
    q, qd, tau = four_bar_posture(3, angle), -2.0 * turning, np.zeros(5)
    fast = compiled(constrained_forward_dynamics, chain, given={"constraints": loops})
    found, _ = fast(q, qd, tau)
    wanted, _ = constrained_forward_dynamics(chain, loops, q, qd, tau)
    assert fast.runs == (1, 0)
    # a row of the length `angle` has lost as much of its digits, also in the loops' bias
    assert normwise(found, wanted) <= 1e3 * EPS / (angle or 1)


def test_a_gap_makes_rows_no_less_dependent():
    """A loop closed twice, and open by a nanometre: the second closing must not count as a row of its own."""
    chain, loops, q, qd, tau = mechanism("closed twice")
    once = loops[0]
    moved = Closure(
        once.joint, once.link, once.onto, offset=once.offset + np.array([1e-9, 0, 0]),
        rotation=once.rotation, onto_offset=once.onto_offset, onto_rotation=once.onto_rotation,
    )  # fmt: skip
    fast = compiled(constrained_forward_dynamics, chain, given={"constraints": (once, moved)})
    found, wanted = (
        fast(q, qd, tau)[0],
        constrained_forward_dynamics(chain, (once, moved), q, qd, tau)[0],
    )
    alone, _ = constrained_forward_dynamics(chain, once, q, qd, tau)
    assert fast.runs == (1, 0)
    assert normwise(found, wanted) <= CLOSE
    assert normwise(found, alone) <= 1e-7


@pytest.mark.parametrize("name", ["five-bar", "tree 1"])
def test_inverse_hybrid_dynamics_and_blows(name):
    chain, loops, q, qd, tau = mechanism(name)
    qdd, _ = constrained_forward_dynamics(chain, loops, q, qd, tau)
    motors = {"actuated": np.ones(chain.nv, bool), "objective": "min_force"}
    one = np.arange(chain.nv) == 0
    R, p = forward_kinematics(chain, q)
    point = p[1] + R[1] @ (0.3, 0.1, 0)
    rest = {"constraints": loops}
    for function, given, args in (
        (constrained_inverse_dynamics, motors, {"qdd": qdd}),
        (constrained_hybrid_dynamics, {"prescribed": one}, {"qdd": qdd[one], "tau": tau[~one]}),
        (impact, {"body": 1}, {"point": point, "restitution": np.array(0.5)}),
    ):
        for sign in (1, -1) if function is impact else (None,):
            own = args if sign is None else {**args, "normal": sign * np.array([0.6, 0, 0.8])}
            fast = compiled(function, chain, given=rest | given)
            found, wanted = fast(q, qd, **own), function(chain, q=q, qd=qd, **own, **rest, **given)
            parts = zip(*(vars(x).values() if sign else x for x in (found, wanted)), strict=True)
            for mine, other in parts:
                assert normwise(mine, other) <= 10 * CLOSE or not np.any(other)
            assert fast.runs == (1, 0) or not np.any(getattr(wanted, "impulse", 1))


def test_motors_that_are_missing_or_too_many_are_refused_in_the_same_words():
    chain, loops, q, qd, tau = mechanism("five-bar")
    qdd, _ = constrained_forward_dynamics(chain, loops, q, qd, tau)
    for motors in ([0], [0, 1, 3]):
        given = {"constraints": loops, "actuated": np.isin(np.arange(4), motors)}
        fast = compiled(constrained_inverse_dynamics, chain, given=given)
        with pytest.raises(ValueError, match=r"motors") as plain:
            constrained_inverse_dynamics(chain, q=q, qd=qd, qdd=qdd, **given)
        with pytest.raises(ValueError, match=r"motors") as told:
            fast(q, qd, qdd)
        assert str(told.value) == str(plain.value)


def test_velocities_that_break_the_loops_are_told():
    chain, loops, q, qd, tau = mechanism("five-bar")
    fast = compiled(constrained_forward_dynamics, chain, given={"constraints": loops})
    with pytest.warns(RuntimeWarning, match="the velocities break the constraints"):
        fast(q, qd + np.eye(4)[2], tau)
    given = {"constraints": loops, "stabilisation": (400, 40)}
    fast = compiled(constrained_forward_dynamics, chain, given=given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, _ = fast(q, qd + np.eye(4)[2], tau)
    wanted, _ = constrained_forward_dynamics(chain, q=q, qd=qd + np.eye(4)[2], tau=tau, **given)
    assert normwise(found, wanted) <= CLOSE


def test_what_is_given_is_kept_when_a_function_is_sent():
    chain, loops, q, qd, tau = mechanism("five-bar")
    fast = compiled(constrained_forward_dynamics, chain, given={"constraints": loops})
    assert repr(fast) == "<constrained_forward_dynamics, compiled for 4 links>"
    there = pickle.loads(pickle.dumps(fast))
    assert repr(there) == repr(fast)
    assert np.array_equal(there(q, qd, tau)[0], fast(q, qd, tau)[0])


@pytest.mark.parametrize("bad", [{"constrained": ()}, {"chain": None}, "constraints", [1]])
def test_what_no_function_takes_is_refused(bad):
    chain, _ = five_bar()
    with pytest.raises(ValueError, match=r"given is .* must have arguments of constrained_forward"):
        compiled(constrained_forward_dynamics, chain, given=bad)


# Motions ----------------------------------------------------------------------------------------


def one_pendulum(loops, t):
    """Return the angle to the ground of parallel cranks that start upright with -1 rad/s, from their energy."""
    from scipy.integrate import solve_ivp

    weight = 9.81 * ((loops + 1) / 2 + loops) / ((loops + 1) / 3 + loops)
    options = {"rtol": 1e-13, "atol": 1e-14, "method": "DOP853", "t_eval": t}
    found = solve_ivp(
        lambda _, y: (y[1], -weight * np.cos(y[0])), (0, t[-1]), [np.pi / 2, -1], **options
    )
    return found.y[0]


@pytest.mark.parametrize(
    ("cure", "options", "limit"),
    [
        ((2500, 100), {"method": "RK4", "step": 1e-3}, 1e-9),
        ("projection", {"method": "RK4", "step": 1e-3}, 1e-9),
        ("projection", {"rtol": 1e-11}, 1e-7),  # whose steps become short on the line
    ],
)
@pytest.mark.parametrize("cut", ["foot", "rod"])
def test_any_cut_the_same_motion(cut, cure, options, limit):
    """Ten seconds, through the line again and again, where the rank of the rows falls by two."""
    chain, loops = four_bar(3, cut=cut)
    q, still = (four_bar_posture(3, angle, cut=cut) for angle in (np.pi / 2, 0.0))
    qd = (still - q) / (np.pi / 2)
    t = np.linspace(0, 10, 21)
    held = {"constraints": loops, "stabilisation": cure, "compiled": True, "progress": False}
    motion = simulate(chain, q, qd, t=t, **held, **options)
    angle = one_pendulum(2, t)
    assert motion.reason == "" and angle.min() < -0.2
    assert np.abs(motion.q[:, 0] - angle).max() <= limit


@pytest.mark.parametrize("cure", [None, (400, 40), "projection"])
@pytest.mark.parametrize("method", ["RK4", "semi-implicit Euler", "DOP853"])
def test_motions_are_those_of_the_law(method, cure):
    chain, loops, q, qd, tau = mechanism("five-bar")
    options = {} if method == "DOP853" else {"step": 0.01}
    both = [
        simulate(
            chain, q, qd, t=[0, 0.05, 0.1], torque=tau, constraints=loops, stabilisation=cure,
            method=method, compiled=own, **options,
        )
        for own in (True, False)
    ]  # fmt: skip
    assert normwise(both[0].q, both[1].q) <= 1e-11
    assert normwise(both[0].qd, both[1].qd) <= 1e-10
    with pytest.raises(ValueError, match="open at the start"):
        simulate(chain, q + 0.1, qd, t=[0, 1], constraints=loops, compiled=True)


@pytest.mark.parametrize("cure", [None, (400, 40), "projection"])
@pytest.mark.parametrize("method", ["RK4", "semi-implicit Euler"])
def test_rollouts_are_those_motions_many_at_a_time(method, cure):
    chain, loops, q, qd, tau = mechanism("five-bar")
    options = {"t": [0, 0.05, 0.1], "constraints": loops, "stabilisation": cure, "step": 0.01}
    speeds = np.linspace(-1, 1, 9)[:, None] * qd
    many = rollout(chain, q, speeds, torque=tau, method=method, **options)
    for k in (0, 4, 7):
        one = simulate(chain, q, speeds[k], torque=tau, method=method, **options)
        assert normwise(many.q[:, k], one.q) <= 1e-11
        assert np.abs(many.qd[:, k] - one.qd).max() <= 1e-10
        assert (
            normwise(rollout(chain, q, speeds[k], torque=tau, method=method, **options).q, one.q)
            <= 1e-11
        )
    assert np.abs(many.gap).max() <= (1e-9 if cure == "projection" else 1e-2)
    with pytest.raises(ValueError, match="open at the start"):
        rollout(chain, q + 0.1, qd, t=[0, 1], constraints=loops)
    with pytest.raises(ValueError, match="stabilisation is"):
        rollout(chain, q, qd, t=[0, 1], constraints=loops, stabilisation="springs")
