# Generated from chapters/34_other_joints.md by `python -m book export`; edit it there.
# sha256 of the text below: ad9a6ec94a7a05bf6d93167c68737a1c3c9c31975c1be9cb7391cd615825eb51
"""Joints beyond hinge, slide and ball.

Derived in chapter 34, "Other joints, a reference".
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from chaindyn._ops import Array, block, concatenate, eye, zeros
from chaindyn.contract import Joint, across
from chaindyn.guards.arguments import require_not_parallel
from chaindyn.guards.joint_defaults import keep_finite, keep_unit, random_angle
from chaindyn.joints import Spherical, rotation_about
from chaindyn.lie import (
    exp_quaternion,
    exp_se3,
    log_se3,
    normalised,
    quaternion_product,
    rotation_from_quaternion,
)
from chaindyn.spatial import skew

__all__ = ["Cylindrical", "Fixed", "Free", "Helical", "Planar", "Universal"]


# Chapter 34, "Other joints, a reference": A universal joint
@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """Two hinges whose axes meet, with no body between: a cross, as in a drive shaft.

    The child turns about `first` (..., 3), fixed in the parent, and about `second`
    (..., 3), fixed in the child; both are normalised when made. q holds the two angles
    [rad], qd their rates. ValueError if the axes are parallel: that is one hinge.

    >>> R, p = Universal().pose(np.array([np.pi / 2, 0]))
    >>> R.round(9) + 0.0
    array([[ 1.,  0.,  0.],
           [ 0.,  0., -1.],
           [ 0.,  1.,  0.]])
    """

    first: Array = (1, 0, 0)
    second: Array = (0, 1, 0)
    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    def __post_init__(self) -> None:
        keep_unit(self, first="first axis", second="second axis")
        require_not_parallel(self.first, self.second)

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame at q."""
        R = rotation_about(self.first, q[..., :1])
        R = R @ rotation_about(self.second, q[..., 1:])
        return R, zeros(R.shape[:-1])

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 2), in child coordinates; the first axis turns with q2."""
        turned = rotation_about(self.second, q[..., 1:]).mT @ self.first[..., None]
        angular = concatenate([turned, self.second[..., None]], axis=-1)
        return concatenate([angular, 0 * angular], axis=-2)

    def dS(self, angular: Array, angle: Array) -> Array:
        """Return the rate (..., 6, 2) of S; its first axis is `angular` (..., 3, 1)."""
        rate = skew(angular[..., 0]) @ (self.second * angle)[..., None]
        both = concatenate([rate, 0 * rate], axis=-1)
        return concatenate([both, 0 * both], axis=-2)

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt (..., 6, 2), by component in child coordinates."""
        return self.dS(self.motion_subspace(q)[..., :3, :1], qd[..., 1:])

    def motion_subspace_second_rate(self, q: Array, qd: Array, other: Array) -> Array:
        """Return the rate of dS/dt at rates qd while q moves with the rates `other`."""
        return self.dS(self.motion_subspace_rate(q, other)[..., :3, :1], qd[..., 1:])

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 4): a moment across both axes, and every force."""
        turned = self.motion_subspace(q)[..., :3, :1]
        return block([[skew(turned[..., 0]) @ self.second[..., None], 0], [0, eye(3)]])

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return angles over the whole circle, (*shape, 2)."""
        return rng.uniform(-np.pi, np.pi, (*shape, 2))


# Chapter 34, "Other joints, a reference": A weld, and no joint at all
@dataclass(frozen=True, eq=False)
class Fixed(Joint):
    """A weld: no freedom. The child keeps its place in the parent.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)
    >>> tip = Link(Fixed(), 1, (0, 0, 0), np.zeros((3, 3)), offset=(1, 0, 0))
    >>> crba(Chain([rod, tip]), np.zeros(1)).round(4)
    array([[1.3333]])
    """

    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame, 1 and 0."""
        return zeros((*q.shape[:-1], 3, 3)) + eye(3), zeros((*q.shape[:-1], 3))

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 0)."""
        return zeros((*q.shape[:-1], 6, 0))

    def constraint_subspace(self, q: Array) -> Array:
        """Return T = 1 (..., 6, 6): a weld carries every wrench."""
        return zeros((*q.shape[:-1], 6, 6)) + eye(6)


# Chapter 34, "Other joints, a reference": A weld, and no joint at all
@dataclass(frozen=True, eq=False)
class Free(Joint):
    """No joint at all: the child moves freely, like the trunk of a walking robot.

    q (..., 7) is the pose of the child in the parent, [position; quaternion w, x, y,
    z]; qd (..., 6) is its twist [w; v] in child coordinates.

    >>> stone = Chain([Link(Free(), 2, (0, 0, 0), np.eye(3))])
    >>> q = np.array([0, 0, 5, 1, 0, 0, 0.0])
    >>> aba(stone, q, np.zeros(6), np.zeros(6)).round(9) + 0.0
    array([ 0.  ,  0.  ,  0.  ,  0.  ,  0.  , -9.81])
    """

    nq: ClassVar[int] = 7
    nv: ClassVar[int] = 6
    quaternion: ClassVar[range] = range(3, 7)
    neutral: ClassVar[tuple[int, ...]] = (0, 0, 0, 1, 0, 0, 0)

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame at q."""
        return rotation_from_quaternion(q[..., 3:]), q[..., :3]

    def motion_subspace(self, q: Array) -> Array:
        """Return S = 1 (..., 6, 6), in child coordinates."""
        return zeros((*q.shape[:-1], 6, 6)) + eye(6)

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 0): it carries no wrench."""
        return zeros((*q.shape[:-1], 6, 0))

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dq/dt (..., 7) when the child moves with the twist qd."""
        v = (rotation_from_quaternion(q[..., 3:]) @ qd[..., 3:, None])[..., 0]
        return concatenate([v, Spherical().rate(q[..., 3:], qd[..., :3])], axis=-1)

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the pose after one second at the twist `step` (..., 6)."""
        R, p = self.pose(q)
        p = p + (R @ exp_se3(step)[1][..., None])[..., 0]
        turned = quaternion_product(q[..., 3:], exp_quaternion(step[..., :3]))
        return concatenate([p, normalised(turned)], axis=-1)

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the twist (..., 6) that takes q0 to q1 in a second, by at most pi."""
        (R0, p0), (R1, p1) = self.pose(q0), self.pose(q1)
        return log_se3(R0.mT @ R1, (R0.mT @ (p1 - p0)[..., None])[..., 0])

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return poses within about a metre, (*shape, 7)."""
        places = rng.normal(size=(*shape, 3))
        return concatenate([places, Spherical().random(rng, shape)], axis=-1)


# Chapter 34, "Other joints, a reference": A nut, a ring and a plate
@dataclass(frozen=True, eq=False)
class Helical(Joint):
    """A nut on a bolt: the child turns about `axis` (..., 3) and advances along it.

    The axis is normalised when made; q is the angle [rad]. pitch : (...) the advance
    [m/rad]; below zero it is a left-handed thread.

    >>> bolt = Helical(pitch=0.002 / (2 * np.pi))
    >>> R, p = bolt.pose(np.array([10 * np.pi]))
    >>> p.round(9)
    array([0.  , 0.  , 0.01])
    """

    axis: Array = (0, 0, 1)
    pitch: Array = 0

    def __post_init__(self) -> None:
        keep_unit(self, axis="axis")
        keep_finite(self, "pitch")

    @property
    def advance(self) -> Array:
        """The displacement (..., 3) for each radian [m/rad]."""
        return self.pitch[..., None] * self.axis

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame at q."""
        return rotation_about(self.axis, q), self.advance * q

    def motion_subspace(self, q: Array) -> Array:
        """Return S = [axis; pitch axis] (..., 6, 1), in child coordinates."""
        return concatenate([self.axis, self.advance], axis=-1)[..., None]

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 5): four columns across, and a force with its moment."""
        across_ = across(self.axis)
        thread = concatenate([-self.advance, self.axis], axis=-1)[..., None]
        return concatenate([block([[across_, 0], [0, across_]]), thread], axis=-1)

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return angles over the whole circle, (*shape, 1)."""
        return random_angle(rng, shape)


# Chapter 34, "Other joints, a reference": A nut, a ring and a plate
@dataclass(frozen=True, eq=False)
class Cylindrical(Joint):
    """A ring on a rod: the child turns about `axis` (..., 3) and slides along it.

    The axis is normalised when made. q is [angle, displacement] [rad, m], qd their
    rates.

    >>> R, p = Cylindrical().pose(np.array([np.pi / 2, 0.3]))
    >>> log_so3(R).round(4) + 0.0, p
    (array([0.    , 0.    , 1.5708]), array([0. , 0. , 0.3]))
    """

    axis: Array = (0, 0, 1)
    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    def __post_init__(self) -> None:
        keep_unit(self, axis="axis")

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame at q."""
        return rotation_about(self.axis, q[..., :1]), self.axis * q[..., 1:]

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 2), in child coordinates: the axis above, and below."""
        axis = self.axis[..., None]
        return block([[axis, 0], [0, axis]])

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 4): moments and forces across the axis."""
        across_ = across(self.axis)
        return block([[across_, 0], [0, across_]])

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return angles over the circle, displacements of about a metre (*shape, 2)."""
        return concatenate([random_angle(rng, shape), rng.normal(size=(*shape, 1))], -1)


# Chapter 34, "Other joints, a reference": A nut, a ring and a plate
@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """A plate on a table: the child slides in a plane and turns about its `normal`.

    The normal (..., 3) is normalised when made. q is [x, y, angle] [m, m, rad], qd
    their rates; x and y are measured along the two directions `across` the normal,
    which are the axes x and y if the normal is z.

    >>> R, p = Planar().pose(np.array([1, 2, np.pi / 2]))
    >>> p
    array([1., 2., 0.])
    >>> log_so3(R).round(4) + 0.0
    array([0.    , 0.    , 1.5708])
    """

    normal: Array = (0, 0, 1)
    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3

    def __post_init__(self) -> None:
        keep_unit(self, normal="normal")

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame at q."""
        p = across(self.normal) @ q[..., :2, None]
        return rotation_about(self.normal, q[..., 2:]), p[..., 0]

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 3); in the child the plane's directions turn with q3."""
        turned = rotation_about(self.normal, q[..., 2:]).mT @ across(self.normal)
        return block([[zeros((3, 2)), self.normal[..., None]], [turned, 0]])

    def dS(self, directions: Array, angle: Array) -> Array:
        """Return the rate (..., 6, 3) of S, which holds `directions` (..., 3, 2)."""
        back = -skew(self.normal * angle) @ directions
        return block([[zeros((3, 2)), zeros((3, 1))], [back, 0]])

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt (..., 6, 3), by component in child coordinates."""
        return self.dS(self.motion_subspace(q)[..., 3:, :2], qd[..., 2:])

    def motion_subspace_second_rate(self, q: Array, qd: Array, other: Array) -> Array:
        """Return the rate of dS/dt at rates qd while q moves with the rates `other`."""
        return self.dS(self.motion_subspace_rate(q, other)[..., 3:, :2], qd[..., 2:])

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 3): moments across the normal, and a force along it."""
        return block([[across(self.normal), 0], [0, self.normal[..., None]]])

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return places of about a metre and angles over the circle (*shape, 3)."""
        return concatenate([rng.normal(size=(*shape, 2)), random_angle(rng, shape)], -1)
