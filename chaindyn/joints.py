# Generated from chapters/04_joints_links_chains_trees.md by `python -m book export`; edit it there.
# sha256 of the text below: 9aa7754da77be5fa835ca85679d0498c49d20138f963656e67cc6a350a63da3c
"""Joints: how one body may move against another.

Derived in chapter 4, "Joints, links, chains, trees".
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from chaindyn._ops import (
    Array,
    block,
    concatenate,
    cos,
    divide,
    eye,
    namespace,
    positive,
    sin,
    stack,
    where,
    zeros,
)
from chaindyn.guards.arguments import require_not_parallel, unit
from chaindyn.guards.door import checked
from chaindyn.guards.numbers import as_array, read_only, read_only_view, require_finite
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

__all__ = [
    "Cylindrical",
    "Fixed",
    "Free",
    "Helical",
    "Joint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Universal",
    "rotation_about",
]


# Chapter 4, "Joints, links, chains, trees": Rodrigues' formula
def rodrigues_terms(axis: Array) -> tuple[Array, Array, Array]:
    """Return the matrices (..., 3, 3) that stand with cos q, with sin q and alone in
    the formula; axis : (..., 3).
    """
    along = axis[..., :, None] * axis[..., None, :]
    return eye(3) - along, skew(axis), along


def turned_by(angle: Array, terms: tuple[Array, Array, Array]) -> Array:
    """Return the rotation matrix (..., 3, 3) by an angle (..., 1), from the terms of
    its axis.
    """
    with_cos, with_sin, along = terms
    c, s = cos(angle)[..., None], sin(angle)[..., None]
    return c * with_cos + s * with_sin + along


@checked(axis=3, angle=1)
def rotation_about(axis: Array, angle: Array) -> Array:
    """Return the rotation matrix about a unit axis (Rodrigues).

    axis : (..., 3) of length one, not normalised here; angle : (..., 1) [rad]. Returns
    (..., 3, 3), which takes child axes to parent axes: cos q (1 - k k^T) + sin q k~ + k
    k^T.
    """
    return turned_by(angle, rodrigues_terms(axis))


# Chapter 4, "Joints, links, chains, trees": What every joint provides
def across(axis: Array) -> Array:
    """Return two unit vectors (..., 3, 2) at right angles to a unit axis (..., 3) and
    to each other.

    b1 x b2 = axis. Of axes along z they are x and y. Rational in the axis, so exact
    where that is exact.
    """
    upward = where(positive(axis[..., 2:]), 1, -1)  # the reflection is never near its singularity
    middle = axis + upward * eye(3)[2]
    size = 1 + upward * axis[..., 2:]
    product = axis[..., :2, None] * middle[..., None, :]
    whole = axis.dtype.kind == "i"  # then the quotients are integers too
    share = product // size[..., None] if whole else divide(product, size[..., None])
    b1, b2 = eye(3)[0] - share[..., 0, :], upward * (eye(3)[1] - share[..., 1, :])
    return stack([b1, b2], axis=-1)


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint: the pose of the child in the joint frame, and the motions it allows.

    To make one, derive a frozen dataclass whose fields are its parameters, and write
    `pose` and `motion_subspace`; nq and nv if it has not one coordinate and one
    velocity, `motion_subspace_rate` if S depends on q (and, for derivatives on symbols,
    `motion_subspace_second_rate`), and `neutral`, `rate`, `integrate` and `difference`
    if a coordinate's rate is not its velocity. The laws, which a `Chain` tests at a
    random posture for joints from outside this module:

    - R is a rotation matrix; while q moves as integrate(q, t qd), S qd = [w; v] with w~
    = R^T dR/dt, v = R^T dp/dt; - along the same way dS/dt is `motion_subspace_rate`,
    and dq/dt is `rate`; - S has nv independent columns, T has 6 - nv, and S^T T = 0; -
    integrate(q0, difference(q0, q1)) puts the child where q1 does; - with parameters of
    one more axis, (m, ...), and q (..., m, nq) one object stands for m joints.
    """

    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    quaternion: ClassVar[range] = range(0)  # which entries of q are one

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild copies from the parameters, checked and protected as the original."""
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    @property
    def neutral(self) -> tuple[int, ...]:
        """The coordinates (nq,) of the zero position."""
        return (0,) * self.nq

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (...,
        nq).
        """
        raise NotImplementedError

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, nv), in child coordinates: the joint's twist is S qd.
        Constant, it may lack batch axes.
        """
        raise NotImplementedError

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt (..., 6, nv), by component in child coordinates: zero unless S
        depends on q.
        """
        return zeros((*q.shape[:-1], 6, self.nv))

    @property
    def turns(self) -> bool:
        """Whether S depends on q."""
        return type(self).motion_subspace_rate is not Joint.motion_subspace_rate

    def motion_subspace_second_rate(self, q: Array, qd: Array, other: Array) -> Array:
        """Return the rate (..., 6, nv) of dS/dt at rates qd while q moves with the
        rates `other`.

        By default by a complex step, for which `motion_subspace_rate` must use analytic
        operations on numbers only.
        """
        step = 1e-100
        return self.motion_subspace_rate(self.integrate(q, 1j * step * other), qd).imag / step

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 6 - nv), in child coordinates: T x are the wrenches that
        the joint can carry.

        By default an orthonormal one, of numbers only, from a QR factorisation of S.
        """
        S = self.motion_subspace(q)
        return namespace([S]).linalg.qr(S, mode="complete")[0][..., self.nv :]

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dq/dt (..., nq): by default, qd itself."""
        return qd

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the coordinates after the velocity `step` (..., nv) has acted for one
        second.
        """
        return q + step

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the step (..., nv) that takes q0 to q1."""
        return q1 - q0

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return coordinates (*shape, nq), spread over the joint's range: by default,
        normally distributed.
        """
        return rng.normal(size=(*shape, self.nq))


def random_angle(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return angles over the whole circle (*shape, 1) [rad]."""
    return rng.uniform(-np.pi, np.pi, (*shape, 1))


# Chapter 4, "Joints, links, chains, trees": Three joints
@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """A hinge: the child turns about `axis` (..., 3), which is normalised when made.

    The axis is fixed in both bodies. q is the angle [rad], qd its rate. With axes (m,
    3) one object stands for m hinges.
    """

    axis: Array = (0, 0, 1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    @cached_property
    def terms(self) -> tuple[Array, Array, Array]:
        """The terms of Rodrigues' formula (..., 3, 3), which are the same for every
        angle.
        """
        with_cos, with_sin, along = rodrigues_terms(self.axis)
        return read_only_view(with_cos), read_only_view(with_sin), read_only_view(along)

    @cached_property
    def screw(self) -> Array:
        """S = [axis; 0] (..., 6, 1), the same for every angle."""
        return read_only_view(concatenate([self.axis, 0 * self.axis], axis=-1)[..., None])

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (...,
        1).
        """
        R = turned_by(q, self.terms)
        return R, zeros(R.shape[:-1])

    def motion_subspace(self, q: Array) -> Array:
        """Return S = [axis; 0] (..., 6, 1), in child coordinates."""
        return self.screw

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 5): moments across the axis, and every force."""
        return block([[across(self.axis), 0], [0, eye(3)]])

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return angles over the whole circle, (*shape, 1)."""
        return random_angle(rng, shape)


# Chapter 4, "Joints, links, chains, trees": Three joints
@dataclass(frozen=True, eq=False)
class Prismatic(Joint):
    """A slide: the child moves along `axis` (..., 3) without turning.

    The axis is normalised when made; q is the displacement [m].
    """

    axis: Array = (0, 0, 1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (...,
        1).
        """
        p = self.axis * q
        return zeros((*p.shape, 3)) + eye(3), p

    def motion_subspace(self, q: Array) -> Array:
        """Return S = [0; axis] (..., 6, 1), in child coordinates."""
        return concatenate([0 * self.axis, self.axis], axis=-1)[..., None]

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 5): every moment, and forces across the axis."""
        return block([[eye(3), 0], [0, across(self.axis)]])


# Chapter 4, "Joints, links, chains, trees": Three joints
@dataclass(frozen=True, eq=False)
class Fixed(Joint):
    """A weld: no freedom. The child keeps its place in the parent."""

    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R = 1 and p = 0; q : (..., 0)."""
        return zeros((*q.shape[:-1], 3, 3)) + eye(3), zeros((*q.shape[:-1], 3))

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 0)."""
        return zeros((*q.shape[:-1], 6, 0))

    def constraint_subspace(self, q: Array) -> Array:
        """Return T = 1 (..., 6, 6): a weld carries every wrench."""
        return zeros((*q.shape[:-1], 6, 6)) + eye(6)


# Chapter 4, "Joints, links, chains, trees": Joints with more degrees of freedom
@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """Two hinges whose axes meet, with no body between: a cross, as in a drive shaft.

    The child turns about `first` (..., 3), fixed in the parent, and about `second`
    (..., 3), fixed in the child; both are normalised when made. q holds the two angles
    [rad], qd their rates. ValueError if the axes are parallel: that is one hinge.
    """

    first: Array = (1, 0, 0)
    second: Array = (0, 1, 0)
    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", unit(self.first, "first axis"))
        object.__setattr__(self, "second", unit(self.second, "second axis"))
        require_not_parallel(self.first, self.second)

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (...,
        2).
        """
        R = rotation_about(self.first, q[..., :1]) @ rotation_about(self.second, q[..., 1:])
        return R, zeros(R.shape[:-1])

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 2), in child coordinates, where the first axis turns with
        q2.
        """
        turned = rotation_about(self.second, q[..., 1:]).mT @ self.first[..., None]
        angular = concatenate([turned, self.second[..., None]], axis=-1)
        return concatenate([angular, 0 * angular], axis=-2)

    def turned_back(self, angular: Array, angle: Array) -> Array:
        """Return the rate (..., 6, 2) of columns whose first is the axis `angular`
        (..., 3, 1), at the rate `angle`.
        """
        rate = skew(angular[..., 0]) @ (self.second * angle)[..., None]
        both = concatenate([rate, 0 * rate], axis=-1)
        return concatenate([both, 0 * both], axis=-2)

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt (..., 6, 2), by component in child coordinates."""
        return self.turned_back(self.motion_subspace(q)[..., :3, :1], qd[..., 1:])

    def motion_subspace_second_rate(self, q: Array, qd: Array, other: Array) -> Array:
        """Return the rate of dS/dt at rates qd while q moves with the rates `other`,
        (..., 6, 2).
        """
        return self.turned_back(self.motion_subspace_rate(q, other)[..., :3, :1], qd[..., 1:])

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 4): a moment across both axes, and every force."""
        turned = self.motion_subspace(q)[..., :3, :1]
        return block([[skew(turned[..., 0]) @ self.second[..., None], 0], [0, eye(3)]])

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return angles over the whole circle, (*shape, 2)."""
        return rng.uniform(-np.pi, np.pi, (*shape, 2))


# Chapter 4, "Joints, links, chains, trees": Joints with more degrees of freedom
@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """A ball in a socket: the child turns about a point.

    q (..., 4) is the unit quaternion [w, x, y, z] of the child in the parent, qd (...,
    3) its angular velocity in child axes [rad/s], which is not the rate of q.
    """

    nq: ClassVar[int] = 4
    nv: ClassVar[int] = 3
    quaternion: ClassVar[range] = range(4)
    neutral: ClassVar[tuple[int, ...]] = (1, 0, 0, 0)

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (...,
        4).
        """
        R = rotation_from_quaternion(q)
        return R, zeros(R.shape[:-1])

    def motion_subspace(self, q: Array) -> Array:
        """Return S = [1; 0] (..., 6, 3), in child coordinates."""
        return zeros((*q.shape[:-1], 6, 3)) + eye(6)[:, :3]

    def constraint_subspace(self, q: Array) -> Array:
        """Return T = [0; 1] (..., 6, 3): every force, no moment."""
        return zeros((*q.shape[:-1], 6, 3)) + eye(6)[:, 3:]

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dq/dt (..., 4) when the child turns with qd."""
        w = concatenate([zeros((1,)), qd / 2], axis=-1)
        return quaternion_product(q, w)

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the quaternion after a turn by the rotation vector `step` (..., 3) in
        child axes.
        """
        return normalised(quaternion_product(q, exp_quaternion(step)))

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the rotation vector (..., 3), by at most pi, that turns q0 into q1."""
        return log_quaternion(quaternion_product(conjugate(q0), q1))

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return quaternions, uniformly distributed, (*shape, 4)."""
        return normalised(rng.normal(size=(*shape, 4)))


# Chapter 4, "Joints, links, chains, trees": Joints with more degrees of freedom
@dataclass(frozen=True, eq=False)
class Free(Joint):
    """No joint at all: the child moves freely, like the trunk of a walking robot.

    q (..., 7) is the pose of the child in the parent, [position; quaternion w, x, y,
    z]; qd (..., 6) is its twist [w; v] in child coordinates.
    """

    nq: ClassVar[int] = 7
    nv: ClassVar[int] = 6
    quaternion: ClassVar[range] = range(3, 7)
    neutral: ClassVar[tuple[int, ...]] = (0, 0, 0, 1, 0, 0, 0)

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (...,
        7).
        """
        return rotation_from_quaternion(q[..., 3:]), q[..., :3]

    def motion_subspace(self, q: Array) -> Array:
        """Return S = 1 (..., 6, 6), in child coordinates."""
        return zeros((*q.shape[:-1], 6, 6)) + eye(6)

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 0): it carries no wrench."""
        return zeros((*q.shape[:-1], 6, 0))

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dq/dt (..., 7) when the child moves with the twist qd."""
        velocity = (rotation_from_quaternion(q[..., 3:]) @ qd[..., 3:, None])[..., 0]
        return concatenate([velocity, Spherical().rate(q[..., 3:], qd[..., :3])], axis=-1)

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the pose after the constant twist `step` (..., 6), in child
        coordinates, for one second.
        """
        R, p = rotation_from_quaternion(q[..., 3:]), q[..., :3]
        _, moved = exp_se3(step)
        turned = quaternion_product(q[..., 3:], exp_quaternion(step[..., :3]))
        return concatenate([p + (R @ moved[..., None])[..., 0], normalised(turned)], axis=-1)

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the twist (..., 6), turning by at most pi, that takes q0 to q1 in one
        second.
        """
        (R0, p0), (R1, p1) = self.pose(q0), self.pose(q1)
        return log_se3(R0.mT @ R1, (R0.mT @ (p1 - p0)[..., None])[..., 0])

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return poses within about a metre, (*shape, 7)."""
        places = rng.normal(size=(*shape, 3))
        return concatenate([places, Spherical().random(rng, shape)], axis=-1)


# Chapter 4, "Joints, links, chains, trees": Joints with more degrees of freedom
@dataclass(frozen=True, eq=False)
class Helical(Joint):
    """A nut on a bolt: the child turns about `axis` (..., 3) and advances along it by
    `pitch` (...) [m/rad].

    The axis is normalised when made; q is the angle [rad]. A pitch below zero is a
    left-handed thread.
    """

    axis: Array = (0, 0, 1)
    pitch: Array = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))
        object.__setattr__(self, "pitch", read_only(as_array(self.pitch, "pitch")))
        require_finite(self.pitch, "pitch")

    @property
    def advance(self) -> Array:
        """The displacement (..., 3) for each radian [m/rad]."""
        return self.pitch[..., None] * self.axis

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (...,
        1).
        """
        return rotation_about(self.axis, q), self.advance * q

    def motion_subspace(self, q: Array) -> Array:
        """Return S = [axis; pitch axis] (..., 6, 1), in child coordinates."""
        return concatenate([self.axis, self.advance], axis=-1)[..., None]

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 5): moments and forces across the axis, and a force along
        it with its moment.
        """
        across_ = across(self.axis)
        thread = concatenate([-self.advance, self.axis], axis=-1)[..., None]
        return concatenate([block([[across_, 0], [0, across_]]), thread], axis=-1)

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return angles over the whole circle, (*shape, 1)."""
        return random_angle(rng, shape)


@dataclass(frozen=True, eq=False)
class Cylindrical(Joint):
    """A ring on a rod: the child turns about `axis` (..., 3) and slides along it.

    The axis is normalised when made. q is [angle, displacement] [rad, m], qd their
    rates.
    """

    axis: Array = (0, 0, 1)
    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (...,
        2).
        """
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
        """Return angles over the whole circle and displacements of about a metre,
        (*shape, 2).
        """
        return concatenate([random_angle(rng, shape), rng.normal(size=(*shape, 1))], axis=-1)


@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """A plate on a table: the child slides in a plane and turns about its `normal`
    (..., 3).

    The normal is normalised when made. q is [x, y, angle] [m, m, rad], qd their rates;
    x and y are measured along the two directions `across` the normal, which are the
    axes x and y if the normal is z.
    """

    normal: Array = (0, 0, 1)
    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit(self.normal, "normal"))

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (...,
        3).
        """
        p = across(self.normal) @ q[..., :2, None]
        return rotation_about(self.normal, q[..., 2:]), p[..., 0]

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 3), in child coordinates, where the plane's directions turn
        with the angle.
        """
        turned = rotation_about(self.normal, q[..., 2:]).mT @ across(self.normal)
        return block([[zeros((3, 2)), self.normal[..., None]], [turned, 0]])

    def turned_back(self, directions: Array, angle: Array) -> Array:
        """Return the rate (..., 6, 3) of columns that hold `directions` (..., 3, 2), at
        the rate `angle`.
        """
        back = -skew(self.normal * angle) @ directions
        return block([[zeros((3, 2)), zeros((3, 1))], [back, 0]])

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt (..., 6, 3), by component in child coordinates."""
        return self.turned_back(self.motion_subspace(q)[..., 3:, :2], qd[..., 2:])

    def motion_subspace_second_rate(self, q: Array, qd: Array, other: Array) -> Array:
        """Return the rate of dS/dt at rates qd while q moves with the rates `other`,
        (..., 6, 3).
        """
        return self.turned_back(self.motion_subspace_rate(q, other)[..., 3:, :2], qd[..., 2:])

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 3): moments across the normal, and a force along it."""
        return block([[across(self.normal), 0], [0, self.normal[..., None]]])

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return places of about a metre and angles over the whole circle, (*shape,
        3).
        """
        return concatenate([rng.normal(size=(*shape, 2)), random_angle(rng, shape)], axis=-1)
