# Generated from chapters/04_joints_links_chains_trees.md by `python -m book export`; edit it there.
# sha256 of the text below: 5a193edbee094ccc925fd68d5c2b7494a94e79fb835c8732d9177a7f8c86a5b3
"""Joints: how one body may move against another.

Derived in chapter 4, "Joints, links, chains, trees".
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from chaindyn._check import checked, require_not_parallel, unit
from chaindyn._ops import Array, concatenate, cos, eye, sin, zeros
from chaindyn.lie import (
    conjugate,
    exp_quaternion,
    exp_se3,
    log_quaternion,
    log_se3,
    normalised,
    quaternion_product,
    rotation_from_quaternion,
)
from chaindyn.spatial import skew

__all__ = ["Fixed", "Free", "Prismatic", "Revolute", "Spherical", "Universal", "rotation_about"]


# Chapter 4, "Joints, links, chains, trees": Rodrigues' formula
@checked(axis=3, angle=1)
def rotation_about(axis: Array, angle: Array) -> Array:
    """Return the rotation matrix about a unit axis (Rodrigues).

    axis : (..., 3) of length one, not normalised here; angle : (..., 1) [rad]. Returns
    (..., 3, 3), which takes child axes to parent axes: cos q (1 - k k^T) + sin q k~ + k k^T.
    """
    along = axis[..., :, None] * axis[..., None, :]
    c, s = cos(angle)[..., None], sin(angle)[..., None]
    return c * (eye(3) - along) + s * skew(axis) + along


# Chapter 4, "Joints, links, chains, trees": Three joints
@dataclass(frozen=True, eq=False)
class Revolute:
    """A hinge: the child turns about `axis` (..., 3), which is normalised when made.

    The axis is fixed in both bodies. q is the angle [rad], qd its rate. With axes (m, 3)
    one object stands for m hinges.
    """

    axis: Array = (0, 0, 1)
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    neutral: ClassVar[tuple[int, ...]] = (0,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (..., 1)."""
        R = rotation_about(self.axis, q)
        return R, zeros(R.shape[:-1])

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 1), in child coordinates: the joint's twist is S qd."""
        return concatenate([self.axis, 0 * self.axis], axis=-1)[..., None]

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt (..., 6, 1), by component in child coordinates: S is constant."""
        return zeros((*self.axis.shape[:-1], 6, 1))

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dq/dt, which is qd itself."""
        return qd

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the coordinates after the motion S @ step has acted for one second."""
        return q + step

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the step that takes q0 to q1."""
        return q1 - q0

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return angles over the whole circle, (*shape, 1)."""
        return rng.uniform(-np.pi, np.pi, (*shape, 1))


# Chapter 4, "Joints, links, chains, trees": Three joints
@dataclass(frozen=True, eq=False)
class Prismatic:
    """A slide: the child moves along `axis` (..., 3) without turning.

    The axis is normalised when made; q is the displacement [m].
    """

    axis: Array = (0, 0, 1)
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    neutral: ClassVar[tuple[int, ...]] = (0,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (..., 1)."""
        p = self.axis * q
        return zeros((*p.shape, 3)) + eye(3), p

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 1), in child coordinates: the joint's twist is S qd."""
        return concatenate([0 * self.axis, self.axis], axis=-1)[..., None]

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt (..., 6, 1), by component in child coordinates: S is constant."""
        return zeros((*self.axis.shape[:-1], 6, 1))

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dq/dt, which is qd itself."""
        return qd

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the coordinates after the motion S @ step has acted for one second."""
        return q + step

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the step that takes q0 to q1."""
        return q1 - q0

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return displacements of the order of one metre, (*shape, 1)."""
        return rng.normal(size=(*shape, 1))


# Chapter 4, "Joints, links, chains, trees": Three joints
@dataclass(frozen=True, eq=False)
class Fixed:
    """A weld: no freedom. The child keeps its place in the parent."""

    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0
    neutral: ClassVar[tuple[int, ...]] = ()

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R = 1 and p = 0; q : (..., 0)."""
        return zeros((*q.shape[:-1], 3, 3)) + eye(3), zeros((*q.shape[:-1], 3))

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 0)."""
        return zeros((*q.shape[:-1], 6, 0))

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt (..., 6, 0)."""
        return zeros((*q.shape[:-1], 6, 0))

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dq/dt, which is qd itself."""
        return qd

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the coordinates after the motion S @ step has acted for one second."""
        return q + step

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the step that takes q0 to q1."""
        return q1 - q0

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return the only choice, (*shape, 0)."""
        return rng.normal(size=(*shape, 0))


# Chapter 4, "Joints, links, chains, trees": Joints with more freedom
@dataclass(frozen=True, eq=False)
class Universal:
    """Two hinges whose axes meet, with nothing between: a cross, as in a drive shaft.

    The child turns about `first` (..., 3), fixed in the parent, and about `second` (..., 3), fixed in the
    child; both are normalised when made. q holds the two angles [rad], qd their rates. ValueError if the
    axes are parallel: that is one hinge.
    """

    first: Array = (1, 0, 0)
    second: Array = (0, 1, 0)
    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2
    neutral: ClassVar[tuple[int, ...]] = (0, 0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", unit(self.first, "first axis"))
        object.__setattr__(self, "second", unit(self.second, "second axis"))
        require_not_parallel(self.first, self.second)

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (..., 2)."""
        R = rotation_about(self.first, q[..., :1]) @ rotation_about(self.second, q[..., 1:])
        return R, zeros(R.shape[:-1])

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 2), in child coordinates, where the first axis turns with q2."""
        turned = rotation_about(self.second, q[..., 1:]).mT @ self.first[..., None]
        angular = concatenate([turned, self.second[..., None]], axis=-1)
        return concatenate([angular, 0 * angular], axis=-2)

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt (..., 6, 2), by component in child coordinates."""
        turned = self.motion_subspace(q)[..., :3, :1]
        rate = skew(turned[..., 0]) @ (self.second * qd[..., 1:])[..., None]
        angular = concatenate([rate, 0 * rate], axis=-1)
        return concatenate([angular, 0 * angular], axis=-2)

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dq/dt, which is qd itself."""
        return qd

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the coordinates after the rates `step` have acted for one second."""
        return q + step

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the step that takes q0 to q1."""
        return q1 - q0

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return angles over the whole circle, (*shape, 2)."""
        return rng.uniform(-np.pi, np.pi, (*shape, 2))


# Chapter 4, "Joints, links, chains, trees": Joints with more freedom
@dataclass(frozen=True, eq=False)
class Spherical:
    """A ball in a socket: the child turns about a point.

    q (..., 4) is the unit quaternion [w, x, y, z] of the child in the parent, qd (..., 3) its angular velocity
    in child axes [rad/s], which is not the rate of q.
    """

    nq: ClassVar[int] = 4
    nv: ClassVar[int] = 3
    neutral: ClassVar[tuple[int, ...]] = (1, 0, 0, 0)
    quaternion: ClassVar[range] = range(4)

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (..., 4)."""
        R = rotation_from_quaternion(q)
        return R, zeros(R.shape[:-1])

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 3), in child coordinates: constant."""
        return zeros((*q.shape[:-1], 6, 3)) + eye(6)[:, :3]

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt = 0 (..., 6, 3)."""
        return zeros((*q.shape[:-1], 6, 3))

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dq/dt (..., 4) when the child turns with qd."""
        w = concatenate([zeros((1,)), qd / 2], axis=-1)
        return quaternion_product(q, w)

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the quaternion after a turn by the rotation vector `step` (..., 3) in child axes."""
        return normalised(quaternion_product(q, exp_quaternion(step)))

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the rotation vector (..., 3), by at most pi, that turns q0 into q1."""
        return log_quaternion(quaternion_product(conjugate(q0), q1))

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return quaternions, uniformly distributed, (*shape, 4)."""
        return normalised(rng.normal(size=(*shape, 4)))


# Chapter 4, "Joints, links, chains, trees": Joints with more freedom
@dataclass(frozen=True, eq=False)
class Free:
    """No joint at all: the child may move anyhow, like the trunk of a walking robot.

    q (..., 7) is where the child is in the parent, [position; quaternion w, x, y, z]; qd (..., 6) is its twist
    [w; v] in child coordinates.
    """

    nq: ClassVar[int] = 7
    nv: ClassVar[int] = 6
    neutral: ClassVar[tuple[int, ...]] = (0, 0, 0, 1, 0, 0, 0)
    quaternion: ClassVar[range] = range(3, 7)

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (..., 7)."""
        return rotation_from_quaternion(q[..., 3:]), q[..., :3]

    def motion_subspace(self, q: Array) -> Array:
        """Return S = 1 (..., 6, 6), in child coordinates."""
        return zeros((*q.shape[:-1], 6, 6)) + eye(6)

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt = 0 (..., 6, 6)."""
        return zeros((*q.shape[:-1], 6, 6))

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dq/dt (..., 7) when the child moves with the twist qd."""
        velocity = (rotation_from_quaternion(q[..., 3:]) @ qd[..., 3:, None])[..., 0]
        return concatenate([velocity, Spherical().rate(q[..., 3:], qd[..., :3])], axis=-1)

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the pose after the constant twist `step` (..., 6), in child coordinates, for one second."""
        R, p = rotation_from_quaternion(q[..., 3:]), q[..., :3]
        _, moved = exp_se3(step)
        turned = quaternion_product(q[..., 3:], exp_quaternion(step[..., :3]))
        return concatenate([p + (R @ moved[..., None])[..., 0], normalised(turned)], axis=-1)

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the twist (..., 6), turning by at most pi, that takes q0 to q1 in one second."""
        (R0, p0), (R1, p1) = self.pose(q0), self.pose(q1)
        return log_se3(R0.mT @ R1, (R0.mT @ (p1 - p0)[..., None])[..., 0])

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return poses within about a metre, (*shape, 7)."""
        places = rng.normal(size=(*shape, 3))
        return concatenate([places, Spherical().random(rng, shape)], axis=-1)
