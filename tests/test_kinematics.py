"""Twists, accelerations, Jacobians: by complex step, by finite differences, by two recursions, and in batches."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import least_squares
from trees import EPS, assert_near, bound

from chaindyn import (
    Chain,
    Fixed,
    Joint,
    Link,
    Prismatic,
    Revolute,
    X_motion,
    body_accelerations,
    body_jacobian,
    body_twists,
    classical_acceleration,
    forward_kinematics,
    jacobian_dot_qd,
    point_velocity,
    random_state,
    rotation_about,
    skew,
)
from chaindyn.models.robots import ur5

FRAMES = ("body", "world", "mixed")
STEP = 1e-30  # of a complex step: nothing is subtracted, so it may be as small as one likes


def rate(function, q, qd, qdd=None):
    """d/dt of function(q, qd) along q + t qd, qd + t qdd, by complex step: exact to rounding."""
    velocity = qd if qdd is None else qd + 1j * STEP * qdd
    return np.imag(function(q + 1j * STEP * qd, velocity)) / STEP


def vee(A):
    """The vector a of a skew-symmetric matrix a~ (..., 3, 3)."""
    return np.stack([A[..., 2, 1], A[..., 0, 2], A[..., 1, 0]], axis=-1)


def twists_from_poses(chain, q, qd):
    """[w; v] in mixed coordinates from the rates of the poses: w~ = Rdot R^T, v = pdot."""
    R, _ = forward_kinematics(chain, q)
    dR = rate(lambda q, _: forward_kinematics(chain, q)[0], q, qd)
    dp = rate(lambda q, _: forward_kinematics(chain, q)[1], q, qd)
    return np.concatenate([vee(dR @ R.mT), dp], axis=-1)


def reframed(chain, q, mixed, frame):
    """Mixed motions (n, 6) expressed in another frame, by 3-vectors alone."""
    R, p = forward_kinematics(chain, q)
    w, v = mixed[:, :3], mixed[:, 3:]
    if frame == "world":
        v = v - np.cross(w, p)  # of the particle that is at the world's origin
    if frame == "body":
        w, v = (np.einsum("nji,nj->ni", R, x) for x in (w, v))
    return np.concatenate([w, v], axis=-1)


@pytest.mark.parametrize("frame", FRAMES)
def test_twists_are_the_rates_of_the_poses(moving, frame):
    chain, q, qd, _ = moving
    expected = reframed(chain, q, twists_from_poses(chain, q, qd), frame)
    assert_near(body_twists(chain, q, qd, frame=frame), expected, chain.n)


def test_twists_agree_with_finite_differences_as_far_as_their_step_allows(moving):
    chain, q, qd, _ = moving

    def difference(h):
        return (
            forward_kinematics(chain, q + h * qd)[1] - forward_kinematics(chain, q - h * qd)[1]
        ) / (2 * h)

    h = 1e-3
    D = difference(h)
    truncation = (
        np.linalg.norm(difference(2 * h) - D) / 3
    )  # what the step's square leaves, by Richardson
    rounding = 10 * EPS * chain.n * np.linalg.norm(forward_kinematics(chain, q)[1]) / h
    error = np.linalg.norm(body_twists(chain, q, qd, frame="mixed")[:, 3:] - D)
    assert error <= 1.5 * truncation + rounding
    assert error <= 1e-2 * np.linalg.norm(D) + rounding  # the estimate is not just large


@pytest.mark.parametrize("frame", FRAMES)
def test_spatial_accelerations_are_the_rates_of_the_twists(moving, frame):
    """In body and in world coordinates componentwise; "mixed" only turns what "body" is."""
    chain, q, qd, qdd = moving
    source = "body" if frame == "mixed" else frame
    expected = rate(lambda q, qd: body_twists(chain, q, qd, frame=source), q, qd, qdd)
    if frame == "mixed":
        R, _ = forward_kinematics(chain, q)
        expected = (X_motion(R, np.zeros((chain.n, 3))) @ expected[..., None])[..., 0]
    assert_near(body_accelerations(chain, q, qd, qdd, frame=frame), expected, chain.n)


def test_classical_accelerations_are_second_derivatives_of_the_origins(moving):
    """dw/dt and d2p/dt2 are the rates of what "mixed" twists hold."""
    chain, q, qd, qdd = moving
    expected = rate(lambda q, qd: body_twists(chain, q, qd, frame="mixed"), q, qd, qdd)
    result = body_accelerations(chain, q, qd, qdd, frame="mixed", classical=True)
    assert_near(result, expected, chain.n)


@pytest.mark.parametrize("frame", FRAMES)
def test_classical_exceeds_spatial_by_w_cross_v(moving, frame):
    chain, q, qd, qdd = moving
    v = body_twists(chain, q, qd, frame=frame)
    a = body_accelerations(chain, q, qd, qdd, frame=frame)
    classical = body_accelerations(chain, q, qd, qdd, frame=frame, classical=True)
    extra = np.concatenate([0 * v[:, :3], np.cross(v[:, :3], v[:, 3:])], axis=-1)
    assert_near(classical, a + extra, chain.n)
    assert_near(classical_acceleration(a, v), classical, chain.n)


def test_accelerations_agree_with_finite_differences_as_far_as_their_step_allows(moving):
    chain, q, qd, qdd = moving

    def twist(t):
        return body_twists(chain, q + t * qd + t**2 / 2 * qdd, qd + t * qdd)

    def difference(h):
        return (twist(h) - twist(-h)) / (2 * h)

    h = 1e-3
    D = difference(h)
    truncation = np.linalg.norm(difference(2 * h) - D) / 3
    rounding = 10 * EPS * chain.n * np.linalg.norm(twist(0)) / h
    error = np.linalg.norm(body_accelerations(chain, q, qd, qdd) - D)
    assert error <= 1.5 * truncation + rounding
    assert error <= 1e-2 * np.linalg.norm(D) + rounding


@pytest.mark.parametrize("frame", FRAMES)
def test_the_recursions_in_body_and_world_coordinates_agree(moving, frame):
    chain, q, qd, qdd = moving
    body = body_twists(chain, q, qd, frame=frame)
    assert_near(body_twists(chain, q, qd, frame=frame, recursion="world"), body, chain.n)
    body = body_accelerations(chain, q, qd, qdd, frame=frame)
    world = body_accelerations(chain, q, qd, qdd, frame=frame, recursion="world")
    assert_near(world, body, chain.n)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_twist_is_the_jacobian_times_qd(moving, frame):
    chain, q, qd, _ = moving
    twists = body_twists(chain, q, qd, frame=frame)
    product = np.array([body_jacobian(chain, q, body, frame=frame) @ qd for body in range(chain.n)])
    assert_near(product, twists, chain.n)


@pytest.mark.parametrize("frame", FRAMES)
def test_a_column_is_the_twist_of_one_joint_moving_alone(moving, frame):
    chain, q, _, _ = moving
    columns = body_twists(chain, q, np.eye(chain.nv), frame=frame)  # a batch: one joint at a time
    for body in (0, chain.n // 2, chain.n - 1):
        J = body_jacobian(chain, q, body, frame=frame)
        assert J.shape == (6, chain.nv)
        assert_near(J, columns[:, body].T, chain.n)
        off_path = [k for k in range(chain.nv) if chain.link_of_column[k] not in chain.path(body)]
        assert not J[:, off_path].any()


@pytest.mark.parametrize("frame", FRAMES)
def test_jacobian_dot_qd_is_the_rate_of_the_jacobian_times_qd(moving, frame):
    """Componentwise; in "mixed" coordinates, whose origin travels, it is the classical bias."""
    chain, q, qd, _ = moving
    for body in (chain.n // 2, chain.n - 1):
        dJ = rate(lambda q, _, body=body: body_jacobian(chain, q, body, frame=frame), q, qd)
        bias = jacobian_dot_qd(chain, q, qd, body, frame=frame, classical=frame == "mixed")
        # terms of this size cancel in both, to nothing where a path holds no revolute joint
        scale = np.linalg.norm(body_jacobian(chain, q, body, frame=frame)) * (qd @ qd)
        assert np.linalg.norm(bias - dJ @ qd) <= bound(chain.n) * (scale + np.linalg.norm(bias))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("classical", [False, True], ids=["spatial", "classical"])
def test_accelerations_are_affine_in_qdd(moving, frame, classical):
    chain, q, qd, qdd = moving
    options = {"frame": frame, "classical": classical}
    accelerations = body_accelerations(chain, q, qd, qdd, **options)
    body = chain.n - 1
    J = body_jacobian(chain, q, body, frame=frame)
    expected = J @ qdd + jacobian_dot_qd(chain, q, qd, body, **options)
    scale = np.linalg.norm(accelerations) + np.linalg.norm(J) * np.linalg.norm(qdd)
    assert np.linalg.norm(accelerations[body] - expected) <= bound(chain.n) * scale


def test_velocity_of_a_point_does_not_depend_on_the_frame(moving):
    chain, q, qd, _ = moving
    _, p = forward_kinematics(chain, q)
    world = body_twists(chain, q, qd, frame="world")
    mixed = body_twists(chain, q, qd, frame="mixed")
    terms = np.linalg.norm(world[:, :3], axis=-1) * np.linalg.norm(p, axis=-1)  # of w x p
    scale = np.linalg.norm(world[:, 3:]) + np.linalg.norm(terms)
    assert np.linalg.norm(point_velocity(world, p) - mixed[:, 3:]) <= bound(chain.n) * scale


def test_a_straight_chain_of_a_thousand_links_is_accurate_in_body_coordinates():
    """Against the closed form: a planar chain at rest but for its first joint turns as one rigid rod."""
    chain = Chain(
        [Link(Revolute(), 1, (0, 0, 0), np.eye(3), offset=(i > 0, 0, 0)) for i in range(1000)]
    )
    q, qd = np.zeros(1000), np.eye(1000)[0]
    twists = body_twists(chain, q, qd)
    assert np.array_equal(twists[:, 4], np.arange(1000))  # v_y = w x
    accelerations = body_accelerations(chain, q, qd, 0 * qd, frame="mixed", classical=True)
    assert np.array_equal(accelerations[:, 3], -np.arange(1000))  # centripetal


@dataclass(frozen=True, eq=False)
class Cardan(Joint):
    """A joint of two degrees, whose motion subspace changes: about z, then about the turned x."""

    first: Any = (0, 0, 1)
    second: Any = (1, 0, 0)
    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    def pose(self, q):
        R = rotation_about(self.first, q[..., :1]) @ rotation_about(self.second, q[..., 1:])
        return R, np.zeros(R.shape[:-1])

    def motion_subspace(self, q):
        first = np.array(self.first)[..., None, :] @ rotation_about(self.second, q[..., 1:])
        w = np.concatenate([first, np.array(self.second)[..., None, :] + 0 * first], axis=-2)
        return np.concatenate([w, 0 * w], axis=-1).mT

    def motion_subspace_rate(self, q, qd):
        return np.imag(self.motion_subspace(q + 1j * STEP * qd)) / STEP

    def random(self, rng, shape):
        return rng.uniform(-np.pi, np.pi, (*shape, 2))


@pytest.mark.parametrize("batch", [(), (3,)], ids=str)
@pytest.mark.parametrize("recursion", ["body", "world"])
def test_joints_of_several_degrees_whose_subspace_changes(batch, recursion):
    """The shapes are there from the start: columns of S side by side, and the term of dS/dt."""
    rng = np.random.default_rng(7)
    joints = [Revolute((1, 2, 3)), Cardan(), Fixed(), Cardan(), Prismatic((0, 1, 1)), Cardan()]
    parents = ["ground", 0, 1, 1, 2, 4]
    chain = Chain(
        [
            Link(joint, 1, (0, 0, 0), np.eye(3), rng.normal(size=3), parent=parent)
            for joint, parent in zip(joints, parents, strict=True)
        ]
    )
    q, qd = random_state(chain, rng, batch=batch)
    qdd = rng.normal(size=qd.shape)
    twists = body_twists(chain, q, qd, recursion=recursion)
    for body in range(chain.n):
        J = body_jacobian(chain, q, body)
        assert J.shape == (*batch, 6, 8)
        assert np.abs((J @ qd[..., None])[..., 0] - twists[..., body, :]).max() <= 1e-13
    R, _ = forward_kinematics(chain, q)
    dp = rate(lambda q, _: forward_kinematics(chain, q)[1], q, qd)
    assert_near((R @ twists[..., 3:, None])[..., 0], dp, chain.n)
    expected = rate(lambda q, qd: body_twists(chain, q, qd), q, qd, qdd)
    assert_near(body_accelerations(chain, q, qd, qdd, recursion=recursion), expected, chain.n)


def test_skew_of_a_twist_generates_the_motion(moving):
    """Rdot = R w~ with the body twist: the link's axes turn as its twist says."""
    chain, q, qd, _ = moving
    R, _ = forward_kinematics(chain, q)
    dR = rate(lambda q, _: forward_kinematics(chain, q)[0], q, qd)
    assert_near(R @ skew(body_twists(chain, q, qd)[:, :3]), dR, chain.n)


def test_how_many_conditions_lock_the_flange():
    """Chapter 27: two with joint 5 in the arm's plane, three with joints 2, 3 and 4 in line."""
    arm, rng, found = ur5(), np.random.default_rng(0), []

    def rows(q):
        return body_jacobian(arm, q, "flange", frame="mixed")[3:]

    def locked(x):
        return [*rows(x[:6]).T @ x[6:], x[6:] @ x[6:] - 1]

    for _ in range(24):
        end = least_squares(locked, rng.uniform(-3, 3, 9), xtol=1e-15, ftol=1e-15, gtol=1e-15)
        if end.cost > 1e-24:
            continue
        q, d = end.x[:6], end.x[6:]
        changes = [(rows(q + h) - rows(q - h)).T @ d / 2e-6 for h in 1e-6 * np.eye(6)]
        free = null_space(rows(q), rcond=1e-6)  # a turn of d makes up for all other changes
        conditions = np.linalg.matrix_rank(np.transpose(changes).T @ free, tol=1e-5)
        bent, in_line = abs(np.sin(q[4])) > 1e-6, abs(np.sin(q[2])) < 1e-6
        found.append((conditions, bent, in_line))
    assert {(2, False, False), (3, True, True)} <= set(found)
    assert all(in_line for conditions, _, in_line in found if conditions > 2)
