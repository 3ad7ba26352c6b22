"""Inverse kinematics: steps by a dense least-squares solve, answers by poses alone, and optima by a general solver."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import least_squares, minimize
from scipy.spatial.transform import Rotation
from trees import EVERY_KIND, Case, random_tree

from chaindyn import (
    Chain,
    Frame,
    Free,
    Limits,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    Target,
    body_jacobian,
    coordinate_rate,
    difference,
    forward_kinematics,
    integrate,
    inverse_kinematics,
    load_urdf,
    pose_error,
    random_state,
    within_limits,
)
from chaindyn.guards.targets import LEAST_DAMPING
from chaindyn.models.robots import ur5
from chaindyn.reaching import damped_step, step_to_targets

TIPS = ("link_3.0_tip", "link_7.0_tip", "link_11.0_tip", "link_15.0_tip")
ROD = 1.0, (0.5, 0, 0), np.diag([1e-3, 1 / 12, 1 / 12])


def planar(*lengths, limits=None):
    """Rods on hinges about y, and the end of the last, "tip"."""
    offsets = (0, *lengths[:-1])
    return Chain(
        [
            Link(Revolute((0, 1, 0)), *ROD, offset=(before, 0, 0), limits=limits)
            for before in offsets
        ],
        frames=[Frame("tip", None, (lengths[-1], 0, 0))],
    )


def within(chain, low, high):
    return Chain(
        [replace(link, limits=Limits(low, high)) for link in chain.links], frames=chain.frames
    )


def missing(chain, q, body, R, p):
    """What is missing to a pose, by SciPy's rotations."""
    R_now, p_now = forward_kinematics(chain, q, body)
    return np.concatenate([Rotation.from_matrix(R @ R_now.mT).as_rotvec(), p - p_now], axis=-1)


# The error of a pose, and a step --------------------------------------------------------------------


def test_the_error_of_a_pose_is_the_turn_and_the_way():
    chain = random_tree(Case(6, seed=31, kinds=(Free, *EVERY_KIND)))
    q, _ = random_state(chain, 1, batch=(5,))
    R, p = forward_kinematics(chain, random_state(chain, 2, batch=(5,))[0], 4)
    found = pose_error(chain, q, 4, rotation=R, position=p)
    assert np.abs(found - missing(chain, q, 4, R, p)).max() < 1e-12
    tip = chain.n - 1
    R, p = forward_kinematics(chain, q, tip)
    assert np.abs(pose_error(chain, q, tip, rotation=R, position=p)).max() < 1e-12


def test_the_body_that_none_names_is_the_only_leaf():
    chain = ur5()
    q, there = random_state(chain, 6)
    R, p = forward_kinematics(chain, there, chain.n - 1)
    named = pose_error(chain, q, chain.n - 1, rotation=R, position=p)
    assert np.array_equal(pose_error(chain, q, rotation=R, position=p), named)
    two = Chain([Link(Revolute(), *ROD, parent="ground")] * 2)
    with pytest.raises(ValueError, match="body"):
        pose_error(two, np.zeros(2), rotation=R, position=p)


def test_its_rate_is_minus_the_twist_near_the_pose():
    chain, h = ur5(), 1e-6
    q, qd = random_state(chain, 3)
    R, p = forward_kinematics(chain, q, "flange")
    ahead = pose_error(chain, q + h * qd, "flange", rotation=R, position=p)
    J = body_jacobian(chain, q, "flange", frame="mixed")
    assert np.abs(ahead / h + J @ qd).max() < 1e-5


def test_a_step_is_the_least_of_the_damped_squares():
    rng = np.random.default_rng(4)
    for m, n in ((6, 7), (6, 6), (3, 2), (12, 16)):
        J, e, to = rng.normal(size=(m, n)), rng.normal(size=m), rng.normal(size=n)
        moved = rng.random(n) < 0.7
        for mu in (1e-3, 0.5):
            found = damped_step(J, e, np.array([mu]), moved.astype(float), to)
            rows = np.vstack([J[:, moved], np.sqrt(mu) * np.eye(moved.sum())])
            right = np.concatenate([e - J[:, ~moved] @ to[~moved], np.sqrt(mu) * to[moved]])
            expected = to.copy()
            expected[moved] = np.linalg.lstsq(rows, right, rcond=None)[0]
            assert np.abs(found - expected).max() < 1e-9


def test_no_step_is_longer_than_the_damping_allows():
    rng = np.random.default_rng(5)
    for _ in range(50):
        J = rng.normal(size=(6, 7)) * 10 ** rng.uniform(-6, 1, size=(6, 1))
        e = rng.normal(size=6)
        step = damped_step(J, e, np.array([e @ e / 2]), np.ones(7), np.zeros(7))
        assert np.linalg.norm(step) <= np.sqrt(0.5) + 1e-12


def test_an_arm_that_has_arrived_stretched_out_still_has_a_step():
    """Towards rest, as far as the hand stays: there is damping even where nothing is missing."""
    arm = planar(1, 1)
    there = forward_kinematics(arm, np.zeros(2), "tip")[1]
    given = np.eye(3)[None], there[None], np.ones(3), np.ones(2)
    rest, share = np.array([0.3, 0.1]), np.array([0.5])
    ahead, square = step_to_targets(
        arm, np.zeros(2), *given, rest, share, bodies=(("tip", 3, 6),), limits=False
    )
    # stretched along x the tip moves along z alone, by 2 and 1: [1, -2] leaves it there
    still = np.array([1, -2]) / np.sqrt(5)
    assert square == 0
    assert np.abs(ahead - still * (still @ rest) * share).max() < 1e-12


@pytest.mark.parametrize("weight", [1e-7, 5e-7, 2e-6])
def test_no_target_takes_more_of_the_way_to_rest_than_there_is(weight):
    """What rest asks for and the target forbids is left undone by a share, w^2 s^2 of w^2 s^2 + damping."""
    arm = planar(1)
    there = forward_kinematics(arm, np.zeros(1), "tip")[1]
    given = np.eye(3)[None], there[None], np.full(3, weight), np.ones(1)
    ahead, _ = step_to_targets(
        arm, np.zeros(1), *given, np.ones(1), np.ones(1), bodies=(("tip", 3, 6),), limits=False
    )
    assert ahead[0] == pytest.approx(LEAST_DAMPING / (LEAST_DAMPING + weight**2), rel=1e-9)


# Robots ---------------------------------------------------------------------------------------------


@pytest.fixture(params=["panda", "ur5", "hand"])
def robot(request, robot_file):
    """A robot with limits, and the bodies that are to reach, with or without an attitude."""
    if request.param == "panda":
        return (
            load_urdf(robot_file("panda_description/urdf/panda.urdf"), tip="panda_hand"),
            ("panda_hand",),
            True,
        )
    if request.param == "ur5":
        return load_urdf(robot_file("ur_description/urdf/ur5_robot.urdf")), ("tool0",), True
    return (
        load_urdf(robot_file("allegro_hand_description/urdf/allegro_right_hand.urdf")),
        TIPS,
        False,
    )


def asked(chain, bodies, turned, count, seed):
    """Poses of bodies in random postures within the limits."""
    low, high = chain.lower_limit, chain.upper_limit
    q = np.random.default_rng(seed).uniform(low, high, (count, chain.nq))
    poses = {body: forward_kinematics(chain, q, body) for body in bodies}
    return [Target(b, p, R if turned else None) for b, (R, p) in poses.items()]


def test_robots_reach_what_they_can(robot):
    chain, bodies, turned = robot
    targets = asked(chain, bodies, turned, 100, 6)
    first = inverse_kinematics(chain, targets, restarts=0, compiled=True)
    assert first.reached.sum() >= 80  # 85 to 100 were seen
    found = inverse_kinematics(chain, targets, compiled=True)
    assert found.reached.sum() >= 99
    assert within_limits(chain, found.q).all()
    for target in targets:
        R, p = forward_kinematics(chain, found.q, target.body)
        off = np.linalg.norm(p - target.position, axis=-1)
        assert off[found.reached].max() < 1e-7
        if turned:
            turn = Rotation.from_matrix(R @ target.rotation.mT).magnitude()
            assert turn[found.reached].max() < 1e-7
    same = first.reached  # a first start that succeeds is all there is
    assert (found.q[same] == first.q[same]).all() and (found.starts[same] == 1).all()


def test_a_batch_is_a_loop_and_machine_code_changes_nothing():
    chain = within(ur5(), -2.5, 2.5)
    (target,) = asked(chain, ["flange"], True, 12, 7)
    whole = inverse_kinematics(chain, target, restarts=3)
    quick = inverse_kinematics(chain, target, restarts=3, compiled=True)
    assert (whole.reached == quick.reached).all()
    assert np.abs(whole.q - quick.q)[whole.reached].max() < 1e-7
    for k in range(12):
        one = replace(target, position=target.position[k], rotation=target.rotation[k])
        alone = inverse_kinematics(chain, one, restarts=3)
        assert alone.reached == whole.reached[k] and alone.starts == whole.starts[k]
        if alone.reached:
            assert np.abs(alone.q - whole.q[k]).max() < 1e-7
    assert quick.q.shape == (12, 6) and alone.q.shape == (6,) and alone.reached.shape == ()
    by_pose = inverse_kinematics(
        chain, {"flange": (target.rotation, target.position)}, restarts=3, compiled=True
    )
    assert (by_pose.q == quick.q).all()


def test_axes_of_starts_and_targets_go_together():
    arm = planar(1, 1, 1)
    starts = np.array([[0.3, 0.4, 0.5], [-0.3, -0.4, -0.5]])
    places = np.array([[1.5, 0, 0.3], [0.8, 0, -1], [0.1, 0, 1.7], [1, 0, 1]])
    found = inverse_kinematics(arm, Target(2, places[:, None]), q=starts)
    assert found.q.shape == (4, 2, 3) and found.reached.all()
    _, p = forward_kinematics(arm, found.q, 2)
    assert np.abs(p - places[:, None]).max() < 1e-7


# What is left to choose -----------------------------------------------------------------------------


def test_the_posture_is_the_nearest_to_rest_that_the_target_allows():
    arm = within(ur5(), -3, 3)
    target = Target("flange", forward_kinematics(arm, np.full(6, 0.7), "flange")[1])
    rest = np.array([0.4, 1.0, 0.9, -0.2, 0.3, 0.1])
    found = inverse_kinematics(arm, target, rest=rest)
    assert found.reached
    general = minimize(
        lambda q: (q - rest) @ (q - rest),
        found.q,
        bounds=[(-3, 3)] * 6,
        constraints={
            "type": "eq",
            "fun": lambda q: forward_kinematics(arm, q, "flange")[1] - target.position,
        },
        method="SLSQP",
        options={"ftol": 1e-15},
    )
    assert np.linalg.norm(found.q - rest) <= np.sqrt(general.fun) + 1e-6
    tight = within(ur5(), -0.95, 0.95)
    bounded = inverse_kinematics(tight, target, rest=rest)
    assert bounded.reached and within_limits(tight, bounded.q)
    assert np.linalg.norm(bounded.q - rest) >= np.linalg.norm(found.q - rest) - 1e-9


def test_joints_that_are_held_stay():
    arm = ur5()
    goal = forward_kinematics(arm, np.array([0.5, -1, 1.2, 0.1, 0.7, 0]), "flange")[1]
    held = np.array([True, False, False, True, False, False])
    start = np.array([0.5, 0, 0.3, 0.1, 0, 0])
    found = inverse_kinematics(arm, Target("flange", goal), q=start, held=held)
    assert found.reached and (found.q[held] == start[held]).all()
    away = inverse_kinematics(arm, Target("flange", goal), q=start + 1.0 * held, held=held)
    assert (away.q[held] == start[held] + 1).all()


def test_attitudes_alone_and_joints_of_every_kind():
    for seed, kinds in enumerate([(Free,), (Spherical, Prismatic), (Spherical, *EVERY_KIND)]):
        chain = random_tree(Case(5, seed=50 + seed, kinds=kinds))
        tip = chain.n - 1
        R, p = forward_kinematics(chain, random_state(chain, seed)[0], tip)
        for target in (Target(tip, p, R), Target(tip, p), Target(tip, rotation=R)):
            found = inverse_kinematics(chain, target)
            now = missing(chain, found.q, tip, R, p)
            rows = slice(
                0 if target.rotation is not None else 3, 6 if target.position is not None else 3
            )
            assert found.reached and np.abs(now[rows]).max() < 1e-7


def test_a_free_body_takes_the_whole_pose_at_once_with_the_bodies_on_it():
    base = Link(Free(), 2, (0, 0, 0), np.eye(3))
    arms = [Link(Revolute((0, 1, 0)), *ROD, parent=0, offset=(0, y, 0)) for y in (-0.4, 0.4)]
    chain = Chain([base, *arms])
    q = integrate(chain, chain.neutral, np.array([0.3, -0.5, 0.2, 1, 2, 3, 0.7, -0.4]))
    poses = [forward_kinematics(chain, q, k) for k in range(3)]
    found = inverse_kinematics(chain, [Target(k, p, R) for k, (R, p) in enumerate(poses)])
    assert found.reached and np.abs(difference(chain, found.q, q)).max() < 1e-6
    assert coordinate_rate(chain, found.q, np.zeros(8)).shape == (9,)


# Limits ---------------------------------------------------------------------------------------------


def test_a_joint_stops_at_its_limit_and_the_others_go_on():
    arm = planar(1, 1, 1, limits=Limits(-0.8, 0.8))
    found = inverse_kinematics(arm, Target(2, (1.5, 0, -1.2)), q=np.zeros(3), restarts=0)
    assert found.reached and within_limits(arm, found.q)
    free = inverse_kinematics(arm, Target(2, (0.5, 0, -0.2)), limits=False)
    assert free.reached and not within_limits(arm, free.q)


@pytest.mark.parametrize("side", [-1, 1])
def test_the_others_do_what_a_stopped_joint_leaves(side):
    arm = planar(1, 1, 1, limits=Limits(-0.8, 0.8))
    q, place = side * np.array([0.1, 0.75, 0.2]), np.array([1.5, 0, -side * 1.8])
    given = np.eye(3)[None], place[None], np.ones(3), np.ones(3), q, np.zeros(1)
    kinds = (("tip", 3, 6),)
    free, square = step_to_targets(arm, q, *given, bodies=kinds, limits=False)
    ahead, _ = step_to_targets(arm, q, *given, bodies=kinds, limits=True)
    assert np.flatnonzero(np.abs(free) > 0.8).tolist() == [1]
    J = body_jacobian(arm, q, "tip", frame="mixed")[3:]
    e = place - forward_kinematics(arm, q, "tip")[1] - J[:, 1] * side * 0.05
    rows = np.vstack([J[:, [0, 2]], np.sqrt(square / 2) * np.eye(2)])
    others = np.linalg.lstsq(rows, np.append(e, [0, 0]), rcond=None)[0]
    assert np.abs(ahead - q - [others[0], side * 0.05, others[1]]).max() < 1e-9


def test_out_of_reach_the_nearest_is_given_and_no_error():
    arm = planar(1, 1, limits=Limits(-1, 1))
    for place in ((3.0, 0, -0.5), (-0.2, 0, 0.1)):
        found = inverse_kinematics(arm, Target("tip", place), restarts=4)
        best = least_squares(
            lambda q, place=place: forward_kinematics(arm, q, "tip")[1] - place,
            found.q,
            bounds=(-1, 1),
            xtol=1e-14,
            ftol=1e-14,
        )
        assert not found.reached and found.starts == 5
        assert abs(found.error - np.sqrt(2 * best.cost)) < 1e-4


def test_a_hinge_with_a_whole_turn_is_brought_back():
    arm = within(ur5(), -np.pi, np.pi)
    near = np.array([3.0, -1.2, 1.5, -0.8, 1.0, 0.3])
    R, p = forward_kinematics(arm, near + 0.4 * np.eye(6)[0], "flange")
    found = inverse_kinematics(arm, {"flange": (R, p)}, q=near, restarts=0)
    assert found.reached and within_limits(arm, found.q)
    assert abs(found.q[0] - (3.4 - 2 * np.pi)) < 1e-6


def test_weights_say_what_counts_where_not_all_can_be_had():
    arm = planar(1, 1)
    R = forward_kinematics(arm, np.array([0.0, 0.2]), 1)[0]
    errors = {}
    for weights in ((1, 10), (10, 1)):
        found = inverse_kinematics(arm, Target("tip", (2.0, 0, -1.0), R, weights), restarts=2)
        now = missing(arm, found.q, "tip", R, np.array([2.0, 0, -1.0]))
        errors[weights] = np.linalg.norm(now[:3]), np.linalg.norm(now[3:])
        squares = (np.repeat(weights, 3) * now) ** 2
        assert abs(found.error - np.sqrt(squares.sum())) < 1e-9
    assert errors[1, 10][1] < errors[10, 1][1] and errors[10, 1][0] < errors[1, 10][0]


# Bad input ------------------------------------------------------------------------------------------

HERE = (0.5, 0, 0.5)


@pytest.mark.parametrize(
    ("targets", "options", "words"),
    [
        (7, {}, "must be a Target, several, or a dictionary"),
        ([], {}, "targets is empty"),
        ([Target("elbow", HERE)], {}, "target 0: body is 'elbow'"),
        (Target("flange"), {}, "target 0 asks for nothing"),
        ({"flange": HERE}, {}, r"'flange' must be a pair \(R, p\)"),
        (Target("flange", (1, 2)), {}, r"position of target 0 has shape \(2,\)"),
        (Target("flange", (1, np.nan, 2)), {}, "position of target 0"),
        (Target("flange", rotation=2 * np.eye(3)), {}, "rotation of target 0 is no rotation"),
        (Target("flange", HERE, weights=(1, 0)), {}, "weights of target 0"),
        (Target("flange", HERE), {"steps": 0}, "steps is 0"),
        (Target("flange", HERE), {"restarts": -1}, "restarts is -1"),
        (Target("flange", HERE), {"tolerance": 0.0}, "tolerance is 0"),
        (Target("flange", HERE), {"q": np.zeros(5)}, r"q has shape \(5,\)"),
        (Target("flange", HERE), {"held": [1, 0]}, "held is"),
        (Target("flange", np.zeros((3, 3))), {"q": np.zeros((2, 6))}, "broadcast"),
    ],
)
def test_bad_input_is_named(targets, options, words):
    with pytest.raises(ValueError, match=words):
        inverse_kinematics(ur5(), targets, **options)


def test_a_held_joint_beyond_its_limits_is_named():
    arm = within(ur5(), -1, 1)
    held = np.arange(6) == 2
    with pytest.raises(ValueError, match=r"held\[2\] keeps the joint of link 'forearm_link'"):
        inverse_kinematics(arm, Target("flange", HERE), q=np.full(6, 1.5), held=held)
