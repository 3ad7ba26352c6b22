"""Every kind of joint: poses and subspaces along a motion, steps and their inverses, what is refused and drawn."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation
from trees import EPS, EVERY_KIND, Case, assert_near, bound, random_joint, random_tree

from chaindyn import (
    Chain,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Link,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    aba,
    bias_force,
    body_jacobian,
    body_twists,
    coordinate_rate,
    coriolis_matrix,
    crba,
    difference,
    forward_kinematics,
    impact,
    integrate,
    inverse_operational_space_inertia,
    joint_wrenches,
    random_state,
    rnea,
    skew,
    solve_full_system,
)
from chaindyn.contract import across
from chaindyn.guards.joint_defaults import parameters

STEP = 1e-30
BODY = {"mass": 1, "com": (0.1, 0.2, 0.3), "inertia": np.eye(3)}
TURNING = {Spherical: slice(0, 3), Free: slice(0, 3)}  # which of qd turn by a quaternion
TREES = [Case(1 + k % 12, branching=k % 2 == 0, seed=400 + k, kinds=EVERY_KIND) for k in range(40)]


@pytest.fixture(params=EVERY_KIND, ids=lambda kind: kind.__name__)
def kind(request):
    """Each kind of joint."""
    return request.param


@pytest.fixture(params=[(), (1,), (4,)], ids=lambda m: f"stacked{m}" if m else "one")
def stacked(request):
    """How many joints one object stands for."""
    return request.param


@pytest.fixture(params=[(), (2, 3)], ids=["single", "batch"])
def batch(request):
    """The batch axes of the states."""
    return request.param


def drawn(kind, stacked, batch):
    """Return a joint, or several in one, two states and a step that turns by less than half a turn."""
    rng = np.random.default_rng(len(batch) + sum(stacked))
    joint = random_joint(kind, rng, stacked)
    shape = (*batch, *stacked)
    step = rng.normal(size=(*shape, joint.nv))
    if kind in TURNING:
        turn = step[..., TURNING[kind]]
        size = np.linalg.norm(turn, axis=-1, keepdims=True)
        step[..., TURNING[kind]] = turn / size * rng.uniform(0, 3, size.shape)
    return joint, joint.random(rng, shape), joint.random(rng, shape), step


def same_coordinates(kind, a, b):
    """Return how far coordinates are apart, a quaternion and its negative being one."""
    if kind not in TURNING:
        return np.abs(a - b).max(initial=0)
    n = len(kind.quaternion)
    one, other = a[..., -n:], b[..., -n:]
    sign = np.where((one * other).sum(-1, keepdims=True) < 0, -1, 1)
    return max(np.abs(one - sign * other).max(), np.abs(a[..., :-n] - b[..., :-n]).max(initial=0))


# --- a joint's pose, subspace and rate ---


def test_the_subspace_is_the_rate_of_the_pose(kind, stacked, batch):
    """S qd = [w; v] in child axes, with w~ = R^T dR/dt and v = R^T dp/dt, by complex step along `integrate`."""
    joint, q, _, qd = drawn(kind, stacked, batch)
    R, _ = joint.pose(q)
    dR, dp = (np.imag(x) / STEP for x in joint.pose(joint.integrate(q + 0j, 1j * STEP * qd)))
    twist = (joint.motion_subspace(q) @ qd[..., None])[..., 0]
    assert twist.shape == (*batch, *stacked, 6)
    assert np.abs(R.mT @ dR - skew(twist[..., :3])).max() <= 30 * EPS
    assert np.abs((R.mT @ dp[..., None])[..., 0] - twist[..., 3:]).max() <= 30 * EPS


def test_the_subspace_s_rate_is_its_derivative(kind, stacked, batch):
    joint, q, _, qd = drawn(kind, stacked, batch)
    moved = joint.motion_subspace(joint.integrate(q + 0j, 1j * STEP * qd))
    rate = joint.motion_subspace_rate(q, qd)
    assert rate.shape[-2:] == (6, joint.nv)
    assert np.abs(np.imag(moved) / STEP - rate).max(initial=0) <= 30 * EPS


def test_which_joints_have_a_subspace_that_changes(kind):
    joint, q, _, qd = drawn(kind, (), ())
    assert joint.motion_subspace_rate(q, qd).any() == (kind in (Universal, Planar))


def test_what_a_joint_carries_does_no_work_and_completes_the_space(kind, stacked, batch):
    joint, q, _, _ = drawn(kind, stacked, batch)
    S, T = joint.motion_subspace(q), joint.constraint_subspace(q)
    assert T.shape[-2:] == (6, 6 - joint.nv)
    assert np.abs(S.mT @ T).max(initial=0) <= 10 * EPS
    for columns, count in ((S, joint.nv), (T, 6 - joint.nv)):
        sizes = np.linalg.svd(columns, compute_uv=False)
        assert sizes.shape[-1] == count and (sizes > 1e-3).all()


def test_directions_across_an_axis():
    """Unit vectors at right angles, right-handed, near the poles too; whole numbers and fractions stay exact."""
    rng = np.random.default_rng(3)
    axes = rng.normal(size=(200, 3))
    axes[:100, :2] *= 1e-9  # along z, up and down
    axes = np.concatenate([axes, np.eye(3), -np.eye(3)])
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    b1, b2 = np.moveaxis(across(axes), -1, 0)
    frame = np.stack([b1, b2, axes], axis=-1)
    assert np.abs(frame.mT @ frame - np.eye(3)).max() <= 10 * EPS
    assert np.abs(np.cross(b1, b2) - axes).max() <= 10 * EPS
    for axis in (*np.eye(3, dtype=int), *-np.eye(3, dtype=int)):
        assert across(axis).dtype == int
        assert (np.cross(*across(axis).T) == axis).all()
    exact = across(np.array([Fraction(2, 3), Fraction(-1, 3), Fraction(2, 3)]))
    assert all(isinstance(x, Fraction) for x in exact.ravel())
    assert (exact.T @ exact == np.eye(2, dtype=int)).all()


def test_a_stack_is_its_joints(kind, batch):
    joint, q, _, qd = drawn(kind, (4,), batch)
    values = {name: getattr(joint, name) for name in parameters(kind)}
    R, p = joint.pose(q)
    S, rate = joint.motion_subspace(q), joint.motion_subspace_rate(q, qd)
    for i in range(4):
        one, own = kind(**{name: x[i] for name, x in values.items()}), q[..., i, :]
        R_one, p_one = one.pose(own)
        assert np.abs(R_one - R[..., i, :, :]).max() <= 4 * EPS
        assert np.abs(p_one - p[..., i, :]).max() <= 4 * EPS
        for whole, single in [
            (S, one.motion_subspace(own)),
            (rate, one.motion_subspace_rate(own, qd[..., i, :])),
        ]:
            whole = whole if whole.ndim < 3 else whole[..., i, :, :]
            assert np.abs(single - whole).max(initial=0) <= 8 * EPS


def test_poses_agree_with_scipy(kind, batch):
    joint, q, _, _ = drawn(kind, (), batch)
    R, p = joint.pose(q)
    flat = q.reshape(R[..., 0, 0].size, joint.nq)
    turned = {
        Revolute: lambda x: Rotation.from_rotvec(x[0] * joint.axis),
        Universal: lambda x: (
            Rotation.from_rotvec(x[0] * joint.first) * Rotation.from_rotvec(x[1] * joint.second)
        ),
        Spherical: lambda x: Rotation.from_quat(np.roll(x, -1)),
        Free: lambda x: Rotation.from_quat(np.roll(x[3:], -1)),
        Helical: lambda x: Rotation.from_rotvec(x[0] * joint.axis),
        Cylindrical: lambda x: Rotation.from_rotvec(x[0] * joint.axis),
        Planar: lambda x: Rotation.from_rotvec(x[2] * joint.normal),
    }.get(kind, lambda x: Rotation.identity())
    placed = {
        Prismatic: lambda x: x[0] * joint.axis,
        Free: lambda x: x[:3],
        Helical: lambda x: x[0] * joint.pitch * joint.axis,
        Cylindrical: lambda x: x[1] * joint.axis,
        Planar: lambda x: across(joint.normal) @ x[:2],
    }
    place = placed.get(kind, lambda x: np.zeros(3))
    for x, R_one, p_one in zip(flat, R.reshape(-1, 3, 3), p.reshape(-1, 3), strict=True):
        assert np.abs(turned(x).as_matrix() - R_one).max() <= 10 * EPS
        assert np.abs(place(x) - p_one).max() <= 4 * EPS


def test_the_rate_of_the_coordinates_is_the_derivative_of_a_step(kind, stacked, batch):
    joint, q, _, qd = drawn(kind, stacked, batch)
    rate = joint.rate(q, qd)
    assert rate.shape == q.shape
    steps = joint.integrate(q + 0j, 1j * STEP * qd).imag / STEP
    assert np.abs(steps - rate).max(initial=0) <= 30 * EPS


def test_the_rate_of_the_coordinates_moves_the_pose_as_the_subspace_says(kind, stacked, batch):
    """S qd = [w; v] with w~ = R^T dR/dt and v = R^T dp/dt, by complex step along the rate: no exponential."""
    joint, q, _, qd = drawn(kind, stacked, batch)
    R, _ = joint.pose(q)
    dR, dp = (np.imag(x) / STEP for x in joint.pose(q + 1j * STEP * joint.rate(q, qd)))
    twist = (joint.motion_subspace(q) @ qd[..., None])[..., 0]
    assert np.abs(R.mT @ dR - skew(twist[..., :3])).max() <= 30 * EPS
    assert np.abs((R.mT @ dp[..., None])[..., 0] - twist[..., 3:]).max() <= 30 * EPS


def test_a_quaternion_s_rate_is_tangent_and_linear(batch):
    """q . dq/dt = 0, |dq/dt| = |w| / 2, and twice the velocity is twice the rate."""
    for kind in (Spherical, Free):
        joint, q, _, qd = drawn(kind, (), batch)
        own, rate = q[..., list(joint.quaternion)], joint.rate(q, qd)
        turning = rate[..., list(joint.quaternion)]
        assert np.abs((own * turning).sum(-1)).max() <= 10 * EPS
        speed = np.linalg.norm(qd[..., TURNING[kind]], axis=-1)
        assert np.abs(np.linalg.norm(turning, axis=-1) - speed / 2).max() <= 10 * EPS
        assert (joint.rate(q, 2 * qd) == 2 * rate).all()


def test_a_ball_s_rate_by_hand():
    """At rest in [1, 0, 0, 0] a spin about x changes the x entry by half of it; angles and lengths change by qd."""
    assert Spherical().rate(np.array([1, 0, 0, 0]), np.array([3, 0, 0])).tolist() == [0, 1.5, 0, 0]
    turned = np.array([0.0, 1, 0, 0])  # by half a turn about x: child y is parent -y
    assert Spherical().rate(turned, np.array([0, 2, 0])).tolist() == [0, 0, 0, 1]
    moving = Free().rate(np.array([5, 5, 5, *turned]), np.array([0, 0, 0, 1, 2, 3]))
    assert moving.tolist() == [1, -2, -3, 0, 0, 0, 0]


# --- steps ---


def test_difference_undoes_integrate(kind, stacked, batch):
    joint, q, _, step = drawn(kind, stacked, batch)
    found = joint.difference(q, joint.integrate(q, step))
    assert found.shape == step.shape
    assert np.abs(found - step).max(initial=0) <= 200 * EPS


def test_integrate_undoes_difference(kind, stacked, batch):
    joint, q0, q1, _ = drawn(kind, stacked, batch)
    reached = joint.integrate(q0, joint.difference(q0, q1))
    assert reached.shape == q1.shape
    assert same_coordinates(kind, reached, q1) <= 200 * EPS


def test_half_steps_and_steps_back(kind, stacked, batch):
    joint, q, _, step = drawn(kind, stacked, batch)
    whole = joint.integrate(q, step)
    halves = joint.integrate(joint.integrate(q, step / 2), step / 2)
    assert same_coordinates(kind, halves, whole) <= 100 * EPS
    assert same_coordinates(kind, joint.integrate(whole, -step), q) <= 100 * EPS
    assert same_coordinates(kind, joint.integrate(q, 0 * step), q) <= 4 * EPS


def test_a_quaternion_s_sign_makes_no_difference(batch):
    for kind in (Spherical, Free):
        joint, q0, q1, _ = drawn(kind, (), batch)
        other = q1.copy()
        other[..., list(joint.quaternion)] *= -1
        assert np.abs(joint.difference(q0, other) - joint.difference(q0, q1)).max() <= 100 * EPS


def test_a_free_body_follows_its_twist(batch):
    """pose(integrate(q, twist)) = pose(q) exp(twist), by SciPy's matrix exponential."""
    joint, q, _, twist = drawn(Free, (), batch)
    hat = np.zeros((*batch, 4, 4))
    hat[..., :3, :3], hat[..., :3, 3] = skew(twist[..., :3]), twist[..., 3:]

    def matrix(q):
        T = np.zeros((*batch, 4, 4)) + np.eye(4)
        T[..., :3, :3], T[..., :3, 3] = joint.pose(q)
        return T

    assert_near(matrix(joint.integrate(q, twist)), matrix(q) @ expm(hat), 1)


def test_quaternions_stay_unit_over_a_thousand_steps():
    joint, q, _, step = drawn(Free, (), ())
    for _ in range(1000):
        q = joint.integrate(q, step)
    assert abs(np.linalg.norm(q[3:]) - 1) <= 4 * EPS


@pytest.mark.parametrize("case", TREES, ids=str)
def test_a_chain_steps_joint_by_joint(case):
    chain = random_tree(case)
    q0, step = random_state(chain, case.seed, batch=(2,))
    q1, _ = random_state(chain, 1 + case.seed, batch=(2,))
    moved, apart = integrate(chain, q0, step), difference(chain, q0, q1)
    assert moved.shape == q0.shape and apart.shape == step.shape
    for joint, i, j in zip(chain.joints, chain.q_columns, chain.v_columns, strict=True):
        i, j = list(i), list(j)
        own = joint.integrate(q0[:, i], step[:, j])
        assert np.abs(moved[:, i] - own).max(initial=0) <= 10 * EPS
        own = joint.difference(q0[:, i], q1[:, i])
        assert np.abs(apart[:, j] - own).max(initial=0) <= 100 * EPS
    for one, other in zip(
        forward_kinematics(chain, integrate(chain, q0, apart)),
        forward_kinematics(chain, q1),
        strict=True,
    ):
        assert_near(one, other, chain.n)


@pytest.mark.parametrize("case", TREES, ids=str)
def test_a_chain_s_coordinates_change_as_along_integrate(case):
    chain = random_tree(case)
    q, qd = random_state(chain, case.seed, batch=(2,))
    rate = coordinate_rate(chain, q, qd)
    assert rate.shape == (2, chain.nq)
    steps = integrate(chain, q + 0j, 1j * STEP * qd).imag / STEP
    assert np.abs(steps - rate).max(initial=0) <= 30 * EPS
    for k in range(2):
        assert np.abs(coordinate_rate(chain, q[k], qd[k]) - rate[k]).max(initial=0) <= 10 * EPS
    own = q[:, chain.quaternions]
    assert np.abs((own * rate[:, chain.quaternions]).sum(-1)).max(initial=0) <= 10 * EPS
    for i, j in zip(chain.q_columns, chain.v_columns, strict=True):
        if len(i) == len(j):  # angles and lengths
            assert (rate[:, list(i)] == qd[:, list(j)]).all()


def test_one_posture_and_many_velocities():
    chain = random_tree(TREES[10])
    q, _ = random_state(chain, 1)
    _, qd = random_state(chain, 2, batch=(3, 4))
    rates = coordinate_rate(chain, q, qd)
    assert chain.quaternions.size and rates.shape == (3, 4, chain.nq)
    assert np.abs(rates[2, 1] - coordinate_rate(chain, q, qd[2, 1])).max() <= 10 * EPS
    many, _ = random_state(chain, 3, batch=(5,))
    rates = coordinate_rate(chain, many, qd[0, 0])
    assert rates.shape == (5, chain.nq)
    assert np.abs(rates[4] - coordinate_rate(chain, many[4], qd[0, 0])).max() <= 10 * EPS
    for joint in (
        Revolute(),
        Prismatic(),
        Universal(),
        Spherical(),
    ):  # alone, so that none has a batch for it
        chain = Chain([Link(joint, 1, (0, 0, 0), np.eye(3))])
        many, qd = random_state(chain, 4, batch=(3,))
        rates = coordinate_rate(chain, many, qd[0])
        assert rates.shape == (3, chain.nq)
        assert np.abs(rates[2] - coordinate_rate(chain, many[2], qd[0])).max() <= 10 * EPS


@pytest.mark.parametrize("case", TREES, ids=str)
def test_twists_are_the_rates_of_poses_along_integrate(case):
    chain = random_tree(case)
    q, qd = random_state(chain, case.seed)
    R, _ = forward_kinematics(chain, q)
    moved = forward_kinematics(chain, integrate(chain, q + 0j, 1j * STEP * qd))
    dR, dp = (x.imag / STEP for x in moved)
    V = body_twists(chain, q, qd, frame="mixed")
    size = 1 + np.linalg.norm(V)
    assert np.linalg.norm(dR - skew(V[:, :3]) @ R) <= bound(chain.n) * size
    assert np.linalg.norm(dp - V[:, 3:]) <= bound(chain.n) * size
    for i in range(chain.n):
        J = body_jacobian(chain, q, i, frame="mixed")
        assert np.linalg.norm(J @ qd - V[i]) <= bound(chain.n) * size


# --- neutral positions, random ones, a chain's book-keeping ---


def test_in_neutral_position_a_joint_does_nothing(kind):
    joint = drawn(kind, (), ())[0]
    R, p = joint.pose(np.array(joint.neutral, float))
    assert len(joint.neutral) == joint.nq
    assert np.abs(R - np.eye(3)).max() <= EPS and not p.any()


@pytest.mark.parametrize("case", TREES, ids=str)
def test_a_chain_knows_its_neutral_position_and_its_quaternions(case):
    chain = random_tree(case)
    neutral = chain.neutral
    assert neutral.shape == (chain.nq,) and not neutral.flags.writeable
    with_quaternion = [joint for joint in chain.joints if isinstance(joint, Spherical | Free)]
    assert chain.quaternions.shape == (len(with_quaternion), 4)
    assert chain.nq == chain.nv + len(with_quaternion)
    assert (neutral[chain.quaternions] == [1, 0, 0, 0]).all()
    q, _ = random_state(chain, case.seed, batch=(5,))
    lengths = np.linalg.norm(q[:, chain.quaternions], axis=-1)
    assert np.abs(lengths - 1).max(initial=0) <= 4 * EPS
    # at rest in it, each link has its parent's axes but for its placement
    R, p = forward_kinematics(chain, neutral)
    for i, above in enumerate(chain.parent):
        axes, origin = (R[above], p[above]) if above >= 0 else (np.eye(3), np.zeros(3))
        assert np.abs(R[i] - axes @ chain.rotation[i]).max() <= 10 * EPS
        assert np.abs(p[i] - origin - axes @ chain.offset[i]).max() <= 100 * EPS


def test_random_balls_are_turned_evenly():
    """Uniform rotations: each entry of R has mean 0 and mean square 1/3, within five standard errors."""
    q = Spherical().random(np.random.default_rng(0), (4000,))
    R, _ = Spherical().pose(q)
    assert np.abs(R.mean(0)).max() <= 5 * (1 / 3 / 4000) ** 0.5
    assert np.abs((R**2).mean(0) - 1 / 3).max() <= 5 * (4 / 45 / 4000) ** 0.5


# --- what is refused ---


@pytest.mark.parametrize("second", [(0, 0, 2), (0, 0, -3), (1e-7, 0, 1), (0, -5e-7, -1)], ids=str)
def test_parallel_axes_are_refused(second):
    with pytest.raises(ValueError, match=r"axes .* of a universal joint are parallel: .* Revolute"):
        Universal((0, 0, 1), second)
    with pytest.raises(ValueError, match="parallel"):
        Universal([(0, 0, 1), (0, 0, 1)], [(1, 0, 0), second])


def test_nearly_parallel_axes_are_not():
    assert Universal((0, 0, 1), (1e-5, 0, 1)).nv == 2


@pytest.mark.parametrize("which", ["first", "second"])
def test_a_universal_joint_s_zero_axis_is_named(which):
    with pytest.raises(ValueError, match=f"{which} axis"):
        Universal(**{which: (0, 0, 0)})


BALL = Chain([Link(Revolute(), **BODY), Link(Spherical(), **BODY, name="ball")])
BLOW = {"point": (0, 0, 0), "normal": (0, 0, 1), "restitution": 0.5}
NEED_UNIT = {
    "forward_kinematics": lambda q, v: forward_kinematics(BALL, q),
    "body_twists": lambda q, v: body_twists(BALL, q, v),
    "body_jacobian": lambda q, v: body_jacobian(BALL, q),
    "rnea": lambda q, v: rnea(BALL, q, v, v),
    "joint_wrenches": lambda q, v: joint_wrenches(BALL, q, v, v),
    "bias_force": lambda q, v: bias_force(BALL, q, v),
    "solve_full_system": lambda q, v: solve_full_system(BALL, q, v, v),
    "crba": lambda q, v: crba(BALL, q),
    "coriolis_matrix": lambda q, v: coriolis_matrix(BALL, q, v),
    "aba": lambda q, v: aba(BALL, q, v, v),
    "inverse_operational_space_inertia": lambda q, v: inverse_operational_space_inertia(BALL, q),
    "impact": lambda q, v: impact(BALL, q, v, **BLOW),
    "integrate": lambda q, v: integrate(BALL, q, v),
    "coordinate_rate": lambda q, v: coordinate_rate(BALL, q, v),
    "difference": lambda q, v: difference(BALL, q, q),
}


@pytest.mark.parametrize("name", NEED_UNIT)
def test_a_quaternion_that_is_not_unit_is_refused(name):
    still = np.zeros(4)
    NEED_UNIT[name](np.array([0.3, 1, 0, 0, 1e-4]), still)  # off by 5e-9
    says = r"quaternion of link 'ball', entries 1 to 4, has length {}, but must have 1"
    for quaternion, length in [
        ((1, 1, 0, 0), "1.41421"),
        ((0, 0, 0, 0), "0"),
        ((0.999, 0, 0, 0), "0.999"),
    ]:
        with pytest.raises(ValueError, match=says.format(length)):
            NEED_UNIT[name](np.array([0.3, *quaternion]), still)


def test_steps_of_the_wrong_shape_are_refused():
    with pytest.raises(ValueError, match=r"step has shape \(5,\).*nv = 4"):
        integrate(BALL, BALL.neutral, np.zeros(5))
    with pytest.raises(ValueError, match=r"q1 has shape \(4,\).*nq = 5"):
        difference(BALL, BALL.neutral, np.zeros(4))


def test_rates_of_bad_states_are_refused():
    for q, qd, says in [
        (BALL.neutral, np.zeros(5), r"qd has shape \(5,\).*nv = 4"),
        (BALL.neutral[:4], np.zeros(4), r"q has shape \(4,\).*nq = 5"),
        (BALL.neutral, [0, np.nan, 0, 0], r"qd\[1\] \(link 'ball'\) is nan"),
        (np.stack([BALL.neutral] * 2), np.zeros((3, 4)), "cannot be broadcast"),
    ]:
        with pytest.raises(ValueError, match=says):
            coordinate_rate(BALL, q, qd)


def test_wrenches_of_the_wrong_shape_are_refused():
    still = np.zeros(4)
    for function in (rnea, aba, joint_wrenches):
        with pytest.raises(ValueError, match=r"external has shape \(2, 3\), but must have shape"):
            function(BALL, BALL.neutral, still, still, external=np.zeros((2, 3)))


# --- drawings ---


@pytest.mark.parametrize("plane", [None, "xz"])
def test_every_joint_can_be_drawn(kind, plane):
    plt = pytest.importorskip("matplotlib.pyplot")
    from chaindyn.drawing import draw_chain, draw_tree

    joint = drawn(kind, (), ())[0]
    links = [
        Link(Revolute((0, 1, 0)), **BODY),
        Link(joint, **BODY, offset=(0.5, 0, 0)),
        Link(Fixed(), **BODY, offset=(0.5, 0, 0)),
    ]
    chain = Chain(links)
    q, _ = random_state(chain, 1)
    ax = draw_chain(chain, q, plane=plane)
    ax.figure.canvas.draw()
    plt.close(ax.figure)
    ax = draw_tree(chain)
    words = [text.get_text() for text in ax.texts]
    assert kind.__name__.lower() in words
    plt.close(ax.figure)
