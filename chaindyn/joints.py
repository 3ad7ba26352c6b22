# Generated from chapters/04_joints_links_chains_trees.md by `python -m book export`; edit it there.
# sha256 of the text below: e458da307446c7c3ef3afab8d3fbd4e81ba682ac06c88f637dc671bfc1c4f9b0
"""Joints: how one body may move against another.

Derived in chapter 4, "Joints, links, chains, trees".
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from chaindyn._ops import (
    Array,
    block,
    concatenate,
    cos,
    divide,
    eye,
    positive,
    sin,
    stack,
    where,
    zeros,
)
from chaindyn.guards.door import checked
from chaindyn.guards.joint_defaults import JointDefaults, keep_unit, random_angle
from chaindyn.guards.numbers import read_only_view
from chaindyn.lie import (
    conjugate,
    exp_quaternion,
    log_quaternion,
    normalised,
    quaternion_product,
    rotation_from_quaternion,
)
from chaindyn.spatial import skew

__all__ = ["Joint", "Prismatic", "Revolute", "Spherical", "rotation_about"]


# Chapter 4, "Joints, links, chains, trees": Rodrigues' formula
def rodrigues_terms(axis: Array) -> tuple[Array, Array, Array]:
    """Return what stands with cos q, with sin q and alone (..., 3, 3)."""
    along = axis[..., :, None] * axis[..., None, :]
    return eye(3) - along, skew(axis), along


def turned_by(angle: Array, terms: tuple[Array, Array, Array]) -> Array:
    """Return the rotation matrix by an angle (..., 1), from the terms of its axis."""
    with_cos, with_sin, along = terms
    c, s = cos(angle)[..., None], sin(angle)[..., None]
    return c * with_cos + s * with_sin + along


@checked(axis=3, angle=1)
def rotation_about(axis: Array, angle: Array) -> Array:
    """Return the rotation matrix about a unit axis (Rodrigues).

    axis : (..., 3) of length one, not normalised here; angle : (..., 1) [rad]. Returns
    (..., 3, 3), which takes child axes to parent axes.
    """
    return turned_by(angle, rodrigues_terms(axis))


# Chapter 4, "Joints, links, chains, trees": What every joint provides
def across(axis: Array) -> Array:
    """Return unit vectors b1, b2 (..., 3, 2) with b1 x b2 = axis, a unit axis (..., 3).

    Of axes along z they are x and y. Rational in the axis, so exact where it is.
    """
    upward = where(positive(axis[..., 2:]), 1, -1)  # so that `size` is never near zero
    middle = axis + upward * eye(3)[2]
    size = 1 + upward * axis[..., 2:]
    product = axis[..., :2, None] * middle[..., None, :]
    whole = axis.dtype.kind == "i"  # then the quotients are integers too
    share = product // size[..., None] if whole else divide(product, size[..., None])
    b1, b2 = eye(3)[0] - share[..., 0, :], upward * (eye(3)[1] - share[..., 1, :])
    return stack([b1, b2], axis=-1)


# Chapter 4, "Joints, links, chains, trees": What every joint provides
@dataclass(frozen=True, eq=False)
class Joint(JointDefaults):
    """A joint: the pose of the child in the joint frame, and the motions it allows.

    To make one, derive a frozen dataclass whose fields are its parameters, and write
    `pose` and `motion_subspace`; nq and nv if it has not one coordinate and one
    velocity, `motion_subspace_rate` if S depends on q (and, for derivatives on symbols,
    `motion_subspace_second_rate`), and `neutral`, `rate`, `integrate` and `difference`
    if a coordinate's rate is not its velocity.

    A `Chain` tests these laws at a random posture for joints from outside the package:

    R is a rotation matrix. While q moves as integrate(q, t qd), S qd = [w; v] with
    w~ = R^T dR/dt and v = R^T dp/dt.

    Along the same way dS/dt is `motion_subspace_rate`, and dq/dt is `rate`.

    S has nv independent columns, T has 6 - nv, and S^T T = 0.

    integrate(q0, difference(q0, q1)) puts the child where q1 does.

    With parameters of one more axis, (m, ...), and q (..., m, nq) one object stands for
    m joints.
    """

    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    quaternion: ClassVar[range] = range(0)  # which entries of q are one

    @property
    def neutral(self) -> tuple[int, ...]:
        """The coordinates (nq,) of the zero position."""
        return (0,) * self.nq

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame at q."""
        raise NotImplementedError

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, nv), in child coordinates: the joint's twist is S qd.

        Constant, it may lack batch axes.
        """
        raise NotImplementedError

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dq/dt (..., nq): by default, qd itself."""
        return qd

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the coordinates after one second at the velocity `step` (..., nv)."""
        return q + step

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the step (..., nv) that takes q0 to q1."""
        return q1 - q0


# Chapter 4, "Joints, links, chains, trees": A hinge and a slide
@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """A hinge: the child turns about `axis` (..., 3), which is normalised when made.

    The axis is fixed in both bodies. q is the angle [rad], qd its rate. With axes (m,
    3) one object stands for m hinges.
    """

    axis: Array = (0, 0, 1)

    def __post_init__(self) -> None:
        keep_unit(self, axis="axis")

    @cached_property
    def terms(self) -> tuple[Array, Array, Array]:
        """The terms of Rodrigues' formula (..., 3, 3), the same for every angle."""
        terms: tuple[Array, Array, Array] = read_only_view(rodrigues_terms(self.axis))
        return terms

    @cached_property
    def screw(self) -> Array:
        """S = [axis; 0] (..., 6, 1), the same for every angle."""
        return read_only_view(concatenate([self.axis, 0 * self.axis], -1)[..., None])

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame at q."""
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


# Chapter 4, "Joints, links, chains, trees": A hinge and a slide
@dataclass(frozen=True, eq=False)
class Prismatic(Joint):
    """A slide: the child moves along `axis` (..., 3) without turning.

    The axis is normalised when made; q is the displacement [m].
    """

    axis: Array = (0, 0, 1)

    def __post_init__(self) -> None:
        keep_unit(self, axis="axis")

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame at q."""
        p = self.axis * q
        return zeros((*p.shape, 3)) + eye(3), p

    def motion_subspace(self, q: Array) -> Array:
        """Return S = [0; axis] (..., 6, 1), in child coordinates."""
        return concatenate([0 * self.axis, self.axis], axis=-1)[..., None]

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 5): every moment, and forces across the axis."""
        return block([[eye(3), 0], [0, across(self.axis)]])


# Chapter 4, "Joints, links, chains, trees": A joint with three degrees of freedom
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
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame at q."""
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
        return quaternion_product(q, concatenate([zeros((1,)), qd / 2], axis=-1))

    def integrate(self, q: Array, step: Array) -> Array:
        """Return q after a turn by the rotation vector `step` (..., 3)."""
        return normalised(quaternion_product(q, exp_quaternion(step)))

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the rotation vector (..., 3), by at most pi, that turns q0 into q1."""
        return log_quaternion(quaternion_product(conjugate(q0), q1))

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return quaternions, uniformly distributed, (*shape, 4)."""
        return normalised(rng.normal(size=(*shape, 4)))
