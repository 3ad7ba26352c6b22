"""A joint held as rows: its error, its rows and their rate, for every joint; and rows of several constraints."""

from dataclasses import dataclass

import numpy as np
import pytest
from trees import EPS, EVERY_KIND, Case, random_joint, random_rotation, random_tree

from chaindyn import (
    Chain,
    Closure,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Joint,
    Link,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    body_jacobian,
    constrained_forward_dynamics,
    constraint_bias,
    constraint_error,
    constraint_jacobian,
    constraint_wrenches,
    forward_kinematics,
    impact,
    integrate,
    jacobian_dot_qd,
    quaternion_from_rotation,
    random_state,
    rotation_about,
)
from chaindyn.nearest import nearest_coordinates
from chaindyn.projection import projected
from chaindyn.teaching import normwise

BOUND = 1000 * EPS
STEP = 1e-30
SOLID = {"mass": 1.3, "com": (0.1, -0.2, 0.3), "inertia": np.diag([0.2, 0.3, 0.4])}
PAIR = Chain([Link(Free(), **SOLID, parent="ground", name=name) for name in ("frame", "door")])


def pose_product(*poses):
    """Return the pose of the last frame, from the poses of each in the one before."""
    R, p = np.eye(3), np.zeros(3)
    for R_next, p_next in poses:
        R, p = R @ R_next, p + R @ p_next
    return R, p


def pose_inverse(R, p):
    return R.T, -R.T @ p


def held(kind, seed=0, onto="frame"):
    """Return a closure in general position, a posture of the pair that keeps it, and the joint's coordinates."""
    rng = np.random.default_rng(seed)
    joint = random_joint(kind, rng)
    placed = {
        "offset": rng.normal(size=3),
        "rotation": random_rotation(rng),
        "onto_offset": rng.normal(size=3),
        "onto_rotation": random_rotation(rng),
    }
    x = joint.random(rng, ())
    frame = random_rotation(rng), rng.normal(size=3)
    door = pose_product(
        *([frame] if onto == "frame" else []),
        (placed["onto_rotation"], placed["onto_offset"]),
        joint.pose(x),
        pose_inverse(placed["rotation"], placed["offset"]),
    )
    q = [part for R, p in (frame, door) for part in (p, quaternion_from_rotation(R))]
    return Closure(joint, "door", onto, **placed), np.concatenate(q), x


def slope(function, q, qd):
    """Return the rate of a function of the pair's posture, by a complex step."""
    return function(integrate(PAIR, q, STEP * 1j * qd)).imag / STEP


@pytest.fixture(params=EVERY_KIND, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


@pytest.fixture(params=["frame", "ground"])
def onto(request):
    return request.param


def test_the_error_vanishes_where_the_joint_can_be(kind, onto):
    for seed in range(5):
        closure, q, x = held(kind, seed, onto)
        assert np.abs(closure.error(PAIR, q)).max(initial=0) <= BOUND
        own = closure.coordinates(PAIR, q)
        for one, other in zip(closure.joint.pose(own), closure.joint.pose(x), strict=True):
            assert np.abs(one - other).max() <= BOUND


def test_there_are_as_many_rows_as_the_joint_takes_freedoms(kind, onto):
    closure, q, _ = held(kind, 1, onto)
    m = 6 - kind.nv
    K = closure.jacobian(PAIR, q)
    assert K.shape == (m, 12)
    assert closure.error(PAIR, q).shape == closure.bias(PAIR, q, np.ones(12)).shape == (m,)
    assert np.linalg.matrix_rank(K) == m


def test_the_rows_are_the_slope_of_the_error(kind, onto):
    rng = np.random.default_rng(2)
    for seed in range(5):
        closure, q, _ = held(kind, seed, onto)
        K = closure.jacobian(PAIR, q)
        for qd in rng.normal(size=(3, 12)):
            rate = slope(lambda q, closure=closure: closure.error(PAIR, q), q, qd)
            assert np.abs(rate - K @ qd).max(initial=0) <= BOUND


def test_the_bias_is_the_rate_of_the_rows_times_the_velocity(kind, onto):
    """Where the posture keeps the constraint; the velocity need not."""
    rng = np.random.default_rng(3)
    for seed in range(5):
        closure, q, _ = held(kind, seed, onto)
        qd = rng.normal(size=12)
        rate = slope(lambda q, closure=closure, qd=qd: closure.jacobian(PAIR, q) @ qd, q, qd)
        bias = closure.bias(PAIR, q, qd)
        assert np.abs(rate - bias).max(initial=0) <= BOUND * max(1, np.abs(bias).max(initial=0))


@pytest.mark.parametrize("kind", [k for k in EVERY_KIND if k is not Universal])
def test_the_bias_is_so_anywhere_if_t_is_constant(kind):
    closure, _, _ = held(kind, 4)
    q, qd = random_state(PAIR, 4)
    rate = slope(lambda q: closure.jacobian(PAIR, q) @ qd, q, qd)
    assert normwise(closure.bias(PAIR, q, qd), rate) <= BOUND


def test_the_joint_may_move_and_the_error_stays_zero(kind):
    """The relative twists that K lets through are those of the joint, also far from where it was."""
    closure, q, x = held(kind, 5)
    rng = np.random.default_rng(5)
    step = 0.8 * rng.normal(size=kind.nv)
    R, p = forward_kinematics(PAIR, q)
    frame = pose_product((R[0], p[0]), (closure.onto_rotation, closure.onto_offset))
    back = pose_inverse(closure.rotation, closure.offset)
    R, p = pose_product(frame, closure.joint.pose(closure.joint.integrate(x, step)), back)
    moved = np.concatenate([q[:7], p, quaternion_from_rotation(R)])
    assert np.abs(closure.error(PAIR, moved)).max(initial=0) <= BOUND


def test_a_posture_that_is_far_away_has_an_error():
    """Also one that is turned by half a turn, in which a sine would vanish."""
    for kind in EVERY_KIND:
        closure, _, _ = held(kind, 6)
        misses = [closure.error(PAIR, random_state(PAIR, seed)[0]) for seed in range(5)]
        assert kind is Free or min(np.linalg.norm(miss) for miss in misses) > 0.05
    upright = np.array(PAIR.neutral, float)
    for turn in (3.1, np.pi - 1e-9):
        over = quaternion_from_rotation(rotation_about(np.array([1.0, 0, 0]), np.array([turn])))
        q = np.concatenate([upright[:10], over])
        hinge = Closure(Revolute((0, 0, 1)), "door", "frame")
        assert np.linalg.norm(hinge.error(PAIR, q)) == pytest.approx(turn)


def test_what_holds_two_bodies_does_not_hold_them_together_in_place(kind):
    """Action is reaction: bodies that move as one do not feel the joint."""
    closure, q, _ = held(kind, 7)
    J = np.concatenate([body_jacobian(PAIR, q, i, frame="world") for i in range(2)])
    together = np.linalg.solve(J, np.concatenate([np.eye(6)] * 2))
    assert np.abs(closure.jacobian(PAIR, q) @ together).max(initial=0) <= BOUND


def test_a_multiplier_is_a_moment_or_a_force_on_the_link(kind):
    """K^T lambda is the wrench T lambda on the link, about the joint's point in it, and its opposite on the other."""
    closure, q, x = held(kind, 8)
    rng = np.random.default_rng(8)
    T = closure.joint.constraint_subspace(x)
    forces = rng.normal(size=T.shape[1])
    moment, force = np.split(T @ forces, 2)
    R, p = forward_kinematics(PAIR, q)
    axes = R[1] @ closure.rotation
    spot = p[1] + R[1] @ closure.offset
    f = axes @ force
    world = np.concatenate([axes @ moment + np.cross(spot, f), f])
    expected = [
        sign * body_jacobian(PAIR, q, i, frame="world").T @ world for i, sign in ((0, -1), (1, 1))
    ]
    load = closure.jacobian(PAIR, q).T @ forces
    assert np.abs(load - sum(expected)).max() <= BOUND


def test_in_joint_coordinates_the_rows_go_through_the_jacobians():
    """A loop closed between two leaves of a tree, against the same loop of free bodies."""
    tree = random_tree(Case(9, branching=True, seed=31, kinds=EVERY_KIND))
    q, qd = random_state(tree, 9)
    free = Chain([Link(Free(), **SOLID, parent="ground") for _ in range(tree.n)])
    R, p = forward_kinematics(tree, q)
    x = np.concatenate(
        [[*p_i, *quaternion_from_rotation(R_i)] for R_i, p_i in zip(R, p, strict=True)]
    )
    J = np.concatenate([body_jacobian(tree, q, i) for i in range(tree.n)])
    for kind in EVERY_KIND:
        template, _, _ = held(kind, 10)
        placed = {name: getattr(template, name) for name in ("offset", "rotation", "onto_offset")}
        closure = Closure(template.joint, 8, 5, **placed)
        K = closure.jacobian(tree, q)
        assert np.abs(K - closure.jacobian(free, x) @ J).max(initial=0) <= BOUND
        assert np.abs(closure.error(tree, q) - closure.error(free, x)).max(initial=0) <= BOUND
        h = 1e-5
        if kind is Universal:  # far from where it is kept, its bias is not the rate
            continue
        rows = [closure.jacobian(tree, integrate(tree, q, s * h * qd)) @ qd for s in (1, -1)]
        rate = (rows[0] - rows[1]) / (2 * h)
        assert np.abs(closure.bias(tree, q, qd) - rate).max(initial=0) <= 1e-6


# --- where the joint is ---


@pytest.mark.parametrize("pitch", [0.3, -0.02, 0])
def test_a_nut_counts_its_turns(pitch):
    axis = np.array([2.0, -1, 3]) / np.sqrt(14)
    nut = Helical(axis, pitch)
    for angle in (25.0, -40.1, 0.2):
        x = nearest_coordinates(nut, *nut.pose(np.array([angle])))
        wrapped = (angle - x[0]) / (2 * np.pi)
        assert abs(wrapped - (0 if pitch else round(wrapped))) <= 1e-12
        R, p = nut.pose(np.array([angle]))
        lifted = nearest_coordinates(nut, R, p + 0.4 * pitch * axis)
        assert abs(lifted - x) <= 1e-12  # lifted off its thread, it is turned as before


def test_the_nearest_posture_of_a_hinge_is_the_nearest():
    rng = np.random.default_rng(12)
    hinge = Revolute(rng.normal(size=3))
    R = random_rotation(rng)
    angles = np.linspace(-np.pi, np.pi, 2001)[:, None]
    distances = np.linalg.norm(hinge.pose(angles)[0] - R, axis=(-2, -1))
    best = nearest_coordinates(hinge, R, np.zeros(3))
    assert abs(best - angles[distances.argmin()]) <= 4e-3
    assert np.linalg.norm(hinge.pose(best)[0] - R) <= distances.min()


@dataclass(frozen=True, eq=False)
class Sleeve(Joint):
    """A ring on a rod along z, as a reader might write it: without saying where it is nearest."""

    nq = 2
    nv = 2

    def pose(self, q):
        p = np.concatenate([0 * q, q[..., 1:]], axis=-1)
        return rotation_about(np.array([0, 0, 1]), q[..., :1]), p

    def motion_subspace(self, q):
        return np.eye(6)[:, [2, 5]]


@dataclass(frozen=True, eq=False)
class Told(Sleeve):
    """The same, which says it."""

    def nearest(self, R, p):
        return np.concatenate([np.arctan2(R[..., 1, :1], R[..., 0, :1]), p[..., 2:]], axis=-1)


@pytest.mark.parametrize("joint", [Sleeve(), Told()], ids=["sought", "told"])
def test_a_readers_joint_closes_as_well(joint):
    like = Closure(Cylindrical((0, 0, 1)), "door", "frame", onto_offset=(1, 2, 3))
    own = Closure(joint, "door", "frame", onto_offset=(1, 2, 3))
    x = np.array([2.5, -0.7])
    R, p = pose_product((np.eye(3), np.array([1, 2, 3])), joint.pose(x))
    q = np.concatenate([PAIR.neutral[:7], p, quaternion_from_rotation(R)])
    assert np.abs(own.error(PAIR, q)).max() <= BOUND
    assert np.abs(own.coordinates(PAIR, q) - x).max() <= BOUND
    qd = np.random.default_rng(13).normal(size=12)
    spans, accelerations = [], []
    for closure in (own, like):  # the same forces, up to a turn of the basis
        K = closure.jacobian(PAIR, q)
        spans.append(K.T @ np.linalg.pinv(K.T))
        free = qd - np.linalg.pinv(K) @ (K @ qd)
        accelerations.append(-np.linalg.pinv(K) @ closure.bias(PAIR, q, free))
    assert np.abs(spans[0] - spans[1]).max() <= BOUND
    assert np.abs(accelerations[0] - accelerations[1]).max() <= BOUND


@dataclass(frozen=True, eq=False)
class Crank(Joint):
    """A pin at the end of an arm that turns about z: its motion subspace is no axis through the pin."""

    def pose(self, q):
        R = rotation_about(np.array([0, 0, 1]), q)
        return R, (R @ np.array([[1.0], [0], [0.5]]))[..., 0]

    def motion_subspace(self, q):
        return np.array([[0.0, 0, 1, 0, 1, 0]]).T


@dataclass(frozen=True, eq=False)
class Ball(Joint):
    """A ball, written anew: with a quaternion, whose neutral value is not zero."""

    nq = 4
    nv = 3
    quaternion = range(4)
    neutral = (1, 0, 0, 0)
    pose = Spherical.pose
    motion_subspace = Spherical.motion_subspace
    rate = Spherical.rate
    integrate = Spherical.integrate
    difference = Spherical.difference
    random = Spherical.random


@pytest.mark.parametrize("joint", [Crank(), Ball()], ids=["crank", "ball"])
def test_where_a_readers_joint_is_can_be_sought(joint):
    rng = np.random.default_rng(14)
    for _ in range(5):
        R, p = joint.pose(joint.random(rng, ()))
        found = joint.pose(nearest_coordinates(joint, R, p))
        assert np.abs(found[0] - R).max() <= BOUND
        assert np.abs(found[1] - p).max() <= BOUND


# --- several at once ---


class Level:
    """Keep a link's centre at one height: a constraint as a reader writes it."""

    def error(self, chain, q):
        return forward_kinematics(chain, q)[1][..., 1, 2:]

    def jacobian(self, chain, q):
        return body_jacobian(chain, q, 1, frame="mixed")[..., 5:, :]

    def bias(self, chain, q, qd):
        return jacobian_dot_qd(chain, q, qd, 1, frame="mixed", classical=True)[..., 5:]


class Skate(Level):
    """Let no height change, and ask for no height."""

    def error(self, chain, q):
        return None


def test_rows_stand_one_under_another_in_order():
    (a, q, _), (b, _, _) = held(Universal, 20), held(Prismatic, 21, "ground")
    qd = np.random.default_rng(20).normal(size=12)
    constraints = [a, Level(), b]
    for together, parts in [
        (constraint_jacobian(PAIR, constraints, q), [c.jacobian(PAIR, q) for c in constraints]),
        (constraint_error(PAIR, constraints, q), [c.error(PAIR, q) for c in constraints]),
        (constraint_bias(PAIR, constraints, q, qd), [c.bias(PAIR, q, qd) for c in constraints]),
    ]:
        assert np.array_equal(together, np.concatenate(parts))
    assert np.array_equal(constraint_jacobian(PAIR, a, q), a.jacobian(PAIR, q))
    assert constraint_error(PAIR, (Skate(), b), q).tolist() == [0, *b.error(PAIR, q)]


def test_no_constraints_are_no_rows():
    q, qd = random_state(PAIR, 22, batch=(3,))
    assert constraint_jacobian(PAIR, [], q).shape == (3, 0, 12)
    assert constraint_error(PAIR, [], q).shape == constraint_bias(PAIR, (), q, qd).shape == (3, 0)
    assert constraint_bias(PAIR, [], q[0], qd).shape == (3, 0)


@dataclass
class Constant(Level):
    """Rows that do not depend on the posture, and so have no batch."""

    rows: np.ndarray

    def error(self, chain, q):
        return None

    def jacobian(self, chain, q):
        return self.rows

    def bias(self, chain, q, qd):
        return np.zeros(len(self.rows))


def test_constant_rows_take_the_batch_of_the_posture():
    q, qd = random_state(PAIR, 23, batch=(4,))
    constant = Constant(np.ones((2, 12)))
    assert constraint_jacobian(PAIR, [constant], q).shape == (4, 2, 12)
    assert constraint_error(PAIR, constant, q).shape == (4, 2)
    assert constraint_bias(PAIR, [constant], q[0], qd).shape == (4, 2)


# --- bad input ---


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"joint": Revolute}, "joint is"),
        ({"offset": (1, 2)}, "offset has shape"),
        ({"onto_offset": (1, np.nan, 2)}, "onto_offset"),
        ({"rotation": 2 * np.eye(3)}, "rotation is no rotation"),
        ({"onto_rotation": np.diag([1, 1, -1])}, "onto_rotation is no rotation"),
        ({"joint": Revolute([(0, 0, 1)] * 2)}, "axis has shape"),
    ],
)
def test_a_closure_that_cannot_be_is_refused(change, says):
    with pytest.raises(ValueError, match=says) as error:
        Closure(**{"joint": Fixed(), "link": "door", "onto": "frame"} | change)
    assert "'door' onto 'frame'" in str(error.value)


@dataclass(frozen=True, eq=False)
class Wrong(Sleeve):
    def motion_subspace(self, q):
        return np.eye(6)[:, [2, 4]]


def test_a_joint_that_breaks_its_laws_is_refused():
    with pytest.raises(ValueError, match="breaks a law of Joint"):
        Closure(Wrong(), "door")


@pytest.mark.parametrize(
    ("link", "onto", "says"),
    [
        ("window", "frame", "link of a Closure is 'window'"),
        ("door", "wall", r"onto of a Closure is 'wall'.*\"ground\""),
        (2, 0, "link of a Closure is 2: an index below 2"),
        (None, 0, "link of a Closure is None"),
        ("ground", 0, "link of a Closure is 'ground'"),
        ("door", 1, "'door' to itself"),
    ],
)
def test_links_that_a_chain_does_not_have_are_refused(link, onto, says):
    closure = Closure(Spherical(), link, onto)
    q, qd = random_state(PAIR, 0)
    for ask in (
        lambda: closure.error(PAIR, q),
        lambda: closure.jacobian(PAIR, q),
        lambda: closure.bias(PAIR, q, qd),
        lambda: constraint_jacobian(PAIR, [closure], q),
    ):
        with pytest.raises(ValueError, match=says):
            ask()


def test_methods_check_what_they_are_given():
    closure, q, _ = held(Planar, 30)
    with pytest.raises(ValueError, match="q has shape"):
        closure.error(PAIR, q[:-1])
    with pytest.raises(ValueError, match=r"qd.* is nan"):
        closure.bias(PAIR, q, np.full(12, np.nan))
    with pytest.raises(ValueError, match="length"):
        closure.jacobian(PAIR, 2 * q)


class Bad(Level):
    def __init__(self, **answers):
        self.answers = answers

    def error(self, chain, q):
        return self.answers.get("error", np.zeros(2))

    def jacobian(self, chain, q):
        return self.answers.get("jacobian", np.zeros((2, 12)))

    def bias(self, chain, q, qd):
        return self.answers.get("bias", np.zeros(2))


@pytest.mark.parametrize(
    ("constraints", "says"),
    [
        ([Fixed()], r"constraints\[0\] is .* error, jacobian and bias"),
        ([Closure], r"constraints\[0\] is"),
        ([Skate(), 3], r"constraints\[1\] is 3"),
        (np.array(1.0), r"constraints\[0\] is array\(1\.\)"),
        (Bad(jacobian=np.zeros((2, 11))), r"jacobian of constraints\[0\] has shape \(2, 11\).*12"),
        ([Skate(), Bad(jacobian=np.zeros(12))], r"jacobian of constraints\[1\] has shape \(12,\)"),
        (Bad(jacobian=np.full((1, 12), np.nan)), r"jacobian of constraints\[0\].* is nan"),
        (Bad(error=np.array(1.0)), r"error of constraints\[0\] has shape \(\)"),
        (Bad(bias=None), r"bias of constraints\[0\]"),
        (Bad(bias=np.array([1, np.inf])), r"bias of constraints\[0\].* is inf"),
    ],
)
def test_constraints_that_are_none_are_refused(constraints, says):
    q, qd = random_state(PAIR, 0)
    with pytest.raises(ValueError, match=says):
        constraint_jacobian(PAIR, constraints, q)
        constraint_error(PAIR, constraints, q)
        constraint_bias(PAIR, constraints, q, qd)


@pytest.mark.parametrize("method", ["error", "jacobian", "bias"])
def test_a_constraint_cannot_write_into_the_state(method):
    class Writer(Level):
        pass

    def write(self, chain, *state):
        state[-1][0] = 5

    setattr(Writer, method, write)
    q, qd = random_state(PAIR, 0)
    kept = q.copy(), qd.copy()
    function = {"error": constraint_error, "jacobian": constraint_jacobian, "bias": constraint_bias}
    with pytest.raises(ValueError, match="read-only"):
        function[method](PAIR, Writer(), q, *([qd] if method == "bias" else []))
    assert np.array_equal(q, kept[0]) and np.array_equal(qd, kept[1])


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ({"bias": np.zeros(1)}, r"bias of constraints\[1\] .*\(1,\).*\(\.\.\., 2\): .* 2 rows"),
        ({"error": np.zeros(3)}, r"error of constraints\[1\] .*\(3,\).*\(\.\.\., 2\)"),
        ({"jacobian": np.zeros((1, 12))}, r"of constraints\[1\] .*\(2,\).*\(\.\.\., 1\)"),
    ],
)
def test_parts_of_a_constraint_have_as_many_rows(answers, says):
    """Not broadcast, and not left to a product of matrices that does not fit."""
    q, qd = random_state(PAIR, 0)
    loops, tau = [Level(), Bad(**answers)], np.zeros(12)
    tries = [
        lambda: constrained_forward_dynamics(PAIR, loops, q, 0 * qd, tau),
        lambda: constrained_forward_dynamics(PAIR, loops, q, qd, tau, stabilisation=(1, 1)),
    ]
    if "bias" not in answers:
        blow = {"point": (0, 0, 0), "normal": (0, 0, 1), "restitution": 0, "body": 1}
        tries.append(lambda: impact(PAIR, q, 0 * qd, constraints=loops, **blow))
        tries.append(lambda: projected(PAIR, loops, q, qd))
    for attempt in tries:
        with pytest.raises(ValueError, match=says):
            attempt()


def test_rows_of_links_are_as_many_as_rows():
    class Told(Level):
        def link_rows(self, chain, q):
            return np.zeros((2, 2, 6))

    with pytest.raises(ValueError, match=r"link_rows of constraints\[0\] .* 1 rows"):
        constraint_wrenches(PAIR, Told(), random_state(PAIR, 0)[0], np.ones(1))


def test_what_a_reader_calls_is_checked():
    class Careless(Level):
        def error(self, chain, q):
            return forward_kinematics(chain, q[:-1])[1][..., 1, 2:]

    with pytest.raises(ValueError, match="q has shape"):
        constraint_error(PAIR, Careless(), random_state(PAIR, 0)[0])
