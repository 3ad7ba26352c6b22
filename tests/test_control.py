"""Control: the closed forms that tracking errors obey, on angles and on manifolds, and what is refused."""

import numpy as np
import pytest
from test_simulation import tree_of
from trees import EPS, EVERY_KIND, allowed, assert_near, vanishes

from chaindyn import (
    Ad,
    Chain,
    Fixed,
    Free,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    aba,
    commanded_acceleration,
    computed_torque,
    crba,
    difference,
    exp_se3,
    exp_so3,
    forward_kinematics,
    integrate,
    random_state,
    rnea,
    simulate,
    tracking_error,
)
from chaindyn.control import transport_joint
from chaindyn.teaching import normwise

TIGHT = {"rtol": 1e-11, "atol": 1e-12, "progress": False}
STEP = 1e-30
ARM = Chain([Link(Revolute(), 1, (0.5, 0, 0), np.eye(3), offset=(1, 0, 0))] * 2)
BALL = Chain([Link(Spherical(), 1.0, (0.1, 0, -0.5), np.diag([0.1, 0.2, 0.15]))])
FREE = Chain([Link(Free(), 1.5, (0.1, 0.2, 0), np.diag([0.3, 0.4, 0.5]))])


def desired(chain, seed, spread=1.0):
    """Two states and an acceleration, the desired one within a turn of the other."""
    rng = np.random.default_rng(seed)
    q, qd = random_state(chain, rng)
    there = integrate(chain, q, spread * rng.normal(size=chain.nv))
    rates = rng.normal(size=(2, chain.nv))
    return q, qd, {"q_desired": there, "qd_desired": rates[0], "qdd_desired": rates[1]}


# --- the errors' closed forms ---


def closed_form(e, rate, kp, kd, t):
    """e'' + kd e' + kp e = 0, from e and rate at t = 0: the two roots of s^2 + kd s + kp."""
    t = t[:, None]
    root = np.emath.sqrt(kd**2 / 4 - kp + 0j)
    double = np.abs(root) < 1e-9
    spread = np.where(double, t, np.sinh(root * t) / np.where(double, 1, root))
    return (np.exp(-kd / 2 * t) * (e * np.cosh(root * t) + (rate + kd / 2 * e) * spread)).real


@pytest.mark.parametrize(
    ("kp", "kd"),
    [
        (25.0, 2.0),
        (25.0, 10.0),
        (25.0, 26.0),
        (np.array([4, 25, 9, 16.0]), np.array([4.0, 2.0, 20.0, 8.0])),
    ],
    ids=["underdamped", "critical", "overdamped", "a gain for each joint"],
)
def test_errors_of_angles_and_lengths_obey_their_closed_form(kp, kd):
    chain = tree_of((Revolute, Prismatic, Fixed, Universal), 1)
    rng = np.random.default_rng(1)
    size, pace, phase = rng.normal(size=(3, 4))

    def wanted(t):
        angle = pace * t + phase
        return size * np.sin(angle), size * pace * np.cos(angle), -size * pace**2 * np.sin(angle)

    def torque(t, q, qd):
        names = ("q_desired", "qd_desired", "qdd_desired")
        return computed_torque(
            chain, q, qd, **dict(zip(names, wanted(t), strict=True)), kp=kp, kd=kd
        )

    q, qd = random_state(chain, 2)
    t = np.linspace(0, 0.6, 7)
    result = simulate(chain, q, qd, t=t, torque=torque, **TIGHT)
    error = np.array([wanted(s)[0] for s in t]) - result.q
    rate = np.array([wanted(s)[1] for s in t]) - result.qd
    expected = closed_form(error[0], rate[0], kp * np.ones(4), kd * np.ones(4), t)
    assert np.abs(error - expected).max() <= 1e-8 * np.abs(error).max()
    e, e_rate = tracking_error(
        chain, result.q[-1], result.qd[-1], q_desired=wanted(0.6)[0], qd_desired=wanted(0.6)[1]
    )
    assert_near(np.r_[e, e_rate], np.r_[error[-1], rate[-1]], chain.n)


@pytest.mark.parametrize("kd", [2.0, 10.0, 26.0])
def test_a_ball_that_turns_about_one_axis_obeys_the_closed_form_too(kd):
    """The desired motion spins steadily about the axis about which the ball is off."""
    axis = np.array([2.0, -1.0, 2.0]) / 3
    rotor = Chain([Link(Spherical(), 1.0, (0.1, 0, -0.5), np.diag([0.1, 0.2, 0.15]))])

    def torque(t, q, qd):
        there = integrate(rotor, rotor.neutral, 1.5 * t * axis)
        return computed_torque(
            rotor,
            q,
            qd,
            q_desired=there,
            qd_desired=1.5 * axis,
            qdd_desired=0 * axis,
            kp=25.0,
            kd=kd,
        )

    start, t = -1.2, np.linspace(0, 0.6, 7)
    q = integrate(rotor, rotor.neutral, start * axis)
    result = simulate(rotor, q, 0.4 * axis, t=t, torque=torque, **TIGHT)
    there = integrate(rotor, rotor.neutral, 1.5 * t[:, None] * axis)
    error = difference(rotor, result.q, there)
    expected = closed_form(-start, 1.5 - 0.4, np.array([25.0]), np.array([kd]), t)
    assert np.abs(error @ axis - expected[:, 0]).max() <= 1e-8
    assert np.abs(error - (error @ axis)[:, None] * axis).max() <= 1e-8  # and stays on the axis


# --- on manifolds ---


def test_transported_velocities_are_seen_from_here():
    """A velocity at the place a step x away, in its axes there, is that of the same motion in the axes here."""
    rng = np.random.default_rng(3)
    x, v, w = rng.normal(size=(3, 6))
    seen, _ = transport_joint(Spherical(), x[:3], v[:3], w[:3])
    assert_near(seen, exp_so3(x[:3]) @ v[:3], 1)
    seen, _ = transport_joint(Free(), x, v, w)
    assert_near(seen, Ad(*exp_se3(x)) @ v, 1)
    seen, rate = transport_joint(Universal(), x[:2], v[:2], w[:2])
    assert (seen == v[:2]).all() and (rate == 0).all()


@pytest.mark.parametrize("joint", [Revolute(), Universal(), Spherical(), Free()], ids=str)
@pytest.mark.parametrize("many", ["q", "qd", "q_desired", "qd_desired", "qdd_desired"])
def test_any_of_the_states_may_be_a_batch(joint, many):
    """What stands alone is the same for all, whatever the joint looks at."""
    chain = Chain([Link(joint, 1.0, (0.1, 0, -0.5), np.diag([0.3, 0.4, 0.5]))])
    q, qd, there = desired(chain, 21)
    given = {"q": q, "qd": qd} | there
    other = dict(zip(("q", "qd"), random_state(chain, 22), strict=True)) | desired(chain, 22)[2]
    given[many] = np.stack([given[many], other[many], given[many]])
    gains = {"kp": 4.0, "kd": 3.0}
    calls = [
        lambda x: commanded_acceleration(chain, **x, **gains),
        lambda x: computed_torque(chain, **x, **gains),
    ]
    if many != "qdd_desired":
        error = {name: x for name, x in given.items() if name != "qdd_desired"}
        whole = tracking_error(chain, **error)
        assert [x.shape for x in whole] == [(3, chain.nv)] * 2
        for k in range(3):
            one = tracking_error(chain, **error | {many: error[many][k]})
            assert all(normwise(x[k], y) <= 4 * EPS for x, y in zip(whole, one, strict=True))
    for call in calls:
        whole = call(given)
        assert whole.shape == (3, chain.nv)
        for k in range(3):
            assert normwise(whole[k], call(given | {many: given[many][k]})) <= 20 * EPS


@pytest.mark.parametrize("order", range(4))
def test_leading_axes_of_several_states_go_together(order):
    """Two postures and three rates are six states, whichever of the arguments has which axis."""
    chain = tree_of((Free, Revolute, Spherical, Prismatic), 23)
    shapes = np.roll(np.array([(2, 1), (3,), (), (2, 3)], object), order)
    given = {}
    for name, shape in zip(("q", "qd", "q_desired", "qd_desired"), shapes, strict=True):
        pair = random_state(chain, sum(map(ord, name)), batch=shape)
        given[name] = pair["qd" in name]
    whole = tracking_error(chain, **given)
    ahead = given | {"qdd_desired": np.arange(chain.nv) / 4}
    gains = {"kp": 4.0, "kd": 3.0}
    command = commanded_acceleration(chain, **ahead, **gains)
    assert [x.shape for x in (*whole, command)] == [(2, 3, chain.nv)] * 3
    each = {name: np.broadcast_to(x, (2, 3, x.shape[-1])) for name, x in ahead.items()}
    for k in np.ndindex(2, 3):
        alone = {name: x[k] for name, x in each.items()}
        assert normwise(command[k], commanded_acceleration(chain, **alone, **gains)) <= 20 * EPS
        del alone["qdd_desired"]
        one = tracking_error(chain, **alone)
        assert all(normwise(x[k], y) <= 4 * EPS for x, y in zip(whole, one, strict=True))


@pytest.mark.parametrize("chain", [BALL, FREE], ids=["ball", "free body"])
def test_errors_of_what_is_desired_are_its_motion_relative_to_the_body(chain):
    """e' is the velocity of the desired pose as the body sees it: with X its place there, X' = e'~ X."""
    q, qd, there = desired(chain, 4)
    goal, goal_rate = there["q_desired"], there["qd_desired"]

    def relative(t):
        (R0, p0), (R1, p1) = (
            forward_kinematics(chain, integrate(chain, place, t * v))
            for place, v in ((q, qd), (goal, goal_rate))
        )
        return R0[0].T @ R1[0], R0[0].T @ (p1[0] - p0[0])

    R, p = (x.imag / STEP for x in relative(1j * STEP))
    R0, p0 = relative(0)
    spin = R @ R0.T
    e, rate = tracking_error(chain, q, qd, q_desired=goal, qd_desired=goal_rate)
    assert_near(spin[[2, 0, 1], [1, 2, 0]], rate[:3], 1)
    if chain is FREE:
        assert_near(p - spin @ p0, rate[3:], 1)
    assert_near(difference(chain, integrate(chain, q, e), goal), 0 * e, 1, 1e-14)


@pytest.mark.parametrize("seed", [5, 6])
def test_the_commanded_acceleration_makes_the_error_s_rate_fall_as_it_should(seed):
    """d e'/dt = -kd e' - kp e for every kind of joint, along the motion that obeys the command."""
    chain = tree_of(EVERY_KIND, seed)
    q, qd, there = desired(chain, seed, 0.5)
    rng = np.random.default_rng(seed)
    kp, kd = rng.uniform(1, 9, size=(2, chain.nv))
    qdd = commanded_acceleration(chain, q, qd, **there, kp=kp, kd=kd)
    e, rate = tracking_error(
        chain, q, qd, q_desired=there["q_desired"], qd_desired=there["qd_desired"]
    )

    def later(t):
        goal = integrate(chain, there["q_desired"], t * there["qd_desired"])
        now = integrate(chain, q, t * qd), qd + t * qdd
        rates = there["qd_desired"] + t * there["qdd_desired"]
        return tracking_error(chain, *now, q_desired=goal, qd_desired=rates)[1]

    h = 1e-3  # central differences of order 6: the logarithm has no complex step
    weights = {1: 45, 2: -9, 3: 1}
    slope = sum(w * (later(k * h) - later(-k * h)) for k, w in weights.items()) / (60 * h)
    assert_near(slope, -kd * rate - kp * e, chain.n, 1e-10)


def steer(chain, wanted, kp, kd):
    """A torque function that follows a motion."""

    def torque(t, q, qd):
        q_desired, qd_desired, qdd_desired = wanted(t)
        return computed_torque(
            chain,
            q,
            qd,
            q_desired=q_desired,
            qd_desired=qd_desired,
            qdd_desired=qdd_desired,
            kp=kp,
            kd=kd,
        )

    return torque


def rolling(chain, seed):
    """A motion that starts somewhere and keeps its velocity, a constant one in its own axes."""
    q, qd = random_state(chain, seed)
    return lambda t: (integrate(chain, q, t * qd), qd, 0 * qd)


@pytest.mark.parametrize("chain", [BALL, FREE], ids=["ball", "free body"])
def test_the_error_dies_out_and_its_energy_never_grows(chain):
    """On a ball |e'|^2 / 2 + kp |e|^2 / 2 falls at the rate kd |e'|^2; so does the turning part on a free body."""
    wanted, kp, kd = rolling(chain, 7), 9.0, 3.0
    q, qd, _ = desired(chain, 8)
    q = integrate(chain, wanted(0)[0], np.r_[1.5, -1.2, 1.4, np.ones(chain.nv - 3)])
    t = np.linspace(0, 6, 61)
    result = simulate(chain, q, qd, t=t, torque=steer(chain, wanted, kp, kd), rtol=1e-9)
    errors = [
        np.stack(tracking_error(chain, result.q[k], result.qd[k], q_desired=wanted(s)[0], qd_desired=wanted(s)[1]))
        for k, s in enumerate(t)
    ]  # fmt: skip
    e, rate = np.moveaxis(np.array(errors), 0, 1)
    turning = (rate[:, :3] ** 2).sum(-1) / 2 + kp * (e[:, :3] ** 2).sum(-1) / 2
    assert (np.diff(turning) <= 1e-8 * turning[0]).all()
    assert turning[0] > 20  # it starts far off: by 2.4 rad
    # the slowest mode is exp(-kd t / 2)
    size = np.linalg.norm(np.c_[e, rate], axis=-1)
    assert size[-1] <= 50 * np.exp(-kd / 2 * 6) * size[0]


def test_the_ball_s_error_energy_falls_by_kd_times_the_rate_squared():
    wanted, kp, kd = rolling(BALL, 9), 9.0, 3.0
    q, qd, _ = desired(BALL, 10)
    torque = steer(BALL, wanted, kp, kd)

    def energy(t, q, qd):
        e, rate = tracking_error(
            BALL, q, qd, q_desired=wanted(t)[0], qd_desired=wanted(t)[1]
        )  # fmt: skip
        return rate @ rate / 2 + kp * e @ e / 2, kd * rate @ rate

    result = simulate(BALL, q, qd, t=0.5 + 1e-3 * np.arange(-3, 4), torque=torque, **TIGHT)
    pairs = [energy(*x) for x in zip(result.t, result.q, result.qd, strict=True)]
    values, losses = np.transpose(pairs)
    slope = np.dot([-1, 9, -45, 0, 45, -9, 1], values) / 60e-3
    assert abs(slope + losses[3]) <= 1e-6 * losses[3]


def test_every_kind_of_joint_comes_back_to_its_motion():
    chain = tree_of(EVERY_KIND, 11)
    wanted = rolling(chain, 12)
    rng = np.random.default_rng(12)
    q = integrate(chain, wanted(0)[0], 0.3 * rng.normal(size=chain.nv))
    qd = wanted(0)[1] + 0.3 * rng.normal(size=chain.nv)
    result = simulate(
        chain, q, qd, t=[0, 1], torque=steer(chain, wanted, 100.0, 20.0), method="RK4", step=0.025
    )
    before, after = (np.linalg.norm(difference(chain, result.q[k], wanted(k)[0])) for k in (0, 1))
    assert after <= 1e-3 * before  # (1 + 10 t + ...) exp(-10 t)


# --- torque and acceleration ---


def test_the_torque_makes_the_chain_obey_the_command():
    chain = tree_of(EVERY_KIND, 13)
    q, qd, there = desired(chain, 13)
    gains = {"kp": 4, "kd": 3.0}
    command = commanded_acceleration(chain, q, qd, **there, **gains)
    tau = computed_torque(chain, q, qd, **there, **gains)
    assert_near(tau, rnea(chain, q, qd, command), chain.n)
    assert_near(aba(chain, q, qd, tau), command, chain.n, allowed(crba(chain, q)))


def test_on_the_desired_motion_nothing_but_feedforward_is_left():
    chain = tree_of((Revolute, Prismatic, Universal), 14)
    q, qd, there = desired(chain, 14)
    on = there | {"q_desired": q, "qd_desired": qd}
    command = commanded_acceleration(chain, q, qd, **on, kp=1e6, kd=1e6)
    assert (command == there["qdd_desired"]).all()
    for chain in (BALL, FREE):
        q, qd, there = desired(chain, 15)
        on = there | {"q_desired": q, "qd_desired": qd}
        command = commanded_acceleration(chain, q, qd, **on, kp=1, kd=1)
        assert_near(command, there["qdd_desired"], 1, 100 * EPS)


def test_symbols_give_the_textbook_s_law():
    sp = pytest.importorskip("sympy")
    m, L, g, a, w, b, v, u, p, d = sp.symbols("m L g a w b v u p d")
    chain = Chain([Link(Revolute(), m, (0, -L, 0), np.zeros((3, 3), int))], gravity=(0, -g, 0))
    there = {"q_desired": [b], "qd_desired": [v], "qdd_desired": [u]}
    tau = computed_torque(
        chain,
        np.array([a]),
        np.array([w]),
        **{k: np.array(x) for k, x in there.items()},
        kp=p,
        kd=d,
    )
    expected = m * L**2 * (u + d * (v - w) + p * (b - a)) + m * g * L * sp.sin(a)
    assert vanishes(tau[0] - expected) and not tau[0].atoms(sp.Float)


def test_jax_differentiates_with_respect_to_gains(jax, jit):
    q, qd, there = desired(ARM, 18)
    of_gain = lambda kp: computed_torque(ARM, q, qd, **there, kp=kp, kd=1.0)  # noqa: E731
    slope = jit(jax.jacobian(of_gain))(4.0)
    assert_near(np.asarray(slope), crba(ARM, q) @ (there["q_desired"] - q), 2)


def test_welds_have_no_error():
    chain = Chain([Link(Fixed(), 1, (0, 0, 0), np.eye(3))])
    e, rate = tracking_error(chain, [], [], q_desired=[], qd_desired=[])
    assert e.shape == rate.shape == (0,)
    tau = computed_torque(chain, [], [], q_desired=[], qd_desired=[], qdd_desired=[], kp=1, kd=1)
    assert tau.shape == (0,)


# --- what is refused ---


@pytest.mark.parametrize("function", [computed_torque, commanded_acceleration])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kp": 0}, "kp is 0, but must be positive"),
        ({"kp": -2.5}, "kp is -2.5, but must be positive"),
        ({"kd": [1, -1]}, r"kd\[1\] is -1, but must be positive"),
        ({"kd": [0.0, 1.0]}, r"kd\[0\] is 0.0, but must be positive"),
        ({"kp": np.nan}, "kp is nan: every entry must be finite"),
        ({"kd": [1, np.inf]}, r"kd\[1\] is inf: every entry must be finite"),
        ({"kp": [1, 2, 3]}, r"kp has shape \(3,\), but must be a number or \(2,\): nv = 2"),
        ({"kd": np.eye(2)}, r"kd has shape \(2, 2\), but must be a number or \(2,\): nv = 2"),
        ({"kd": "strong"}, "kd must hold numbers or symbols, not 'strong'"),
        ({"kp": None}, "kp must hold numbers or symbols, not None"),
        ({"q_desired": [0.0]}, r"q_desired has shape \(1,\), but .* \(\.\.\., 2\): this chain has nq = 2"),
        ({"qd_desired": [0, np.nan]}, r"qd_desired\[1\] \(link 'link1'\) is nan"),
        ({"qdd_desired": np.zeros((2, 3))}, r"qdd_desired has shape \(2, 3\), but .* this chain has nv = 2"),
        ({"q": np.zeros((2, 2)), "q_desired": np.zeros((3, 2))}, "batch axes of .* cannot be broadcast"),
        ({"chain": None}, "chain must be a Chain"),
    ],
)  # fmt: skip
def test_bad_input_is_told(function, change, message):
    zero = np.zeros(2)
    good = {"chain": ARM, "q": zero, "qd": zero, "kp": 1, "kd": 1}
    good |= {"q_desired": zero, "qd_desired": zero, "qdd_desired": zero}
    with pytest.raises(ValueError, match=message):
        function(**good | change)


def test_a_desired_quaternion_off_the_unit_sphere_is_refused():
    zero = np.zeros(3)
    with pytest.raises(ValueError, match=r"q_desired: the quaternion of link 'link0'.* has length 2"):  # fmt: skip
        tracking_error(BALL, BALL.neutral, zero, q_desired=[0, 2, 0, 0], qd_desired=zero)


def test_errors_are_zero_up_to_a_quaternion_s_sign():
    q, qd = random_state(FREE, 19)
    mirrored = np.r_[q[:3], -q[3:]]
    e, rate = tracking_error(FREE, q, qd, q_desired=mirrored, qd_desired=qd)
    assert np.abs(np.r_[e, rate]).max() <= 100 * EPS * (1 + np.linalg.norm(q) * np.linalg.norm(qd))
    assert normwise(q, mirrored) > 0.1
