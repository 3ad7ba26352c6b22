# Generated from chapters/04_joints_links_chains_trees.md by `python -m book export`; edit it there.
# sha256 of the text below: 5040cbf296316122c1035250d10edfa1bd418577bf7e6b8af74e3700c26d650c
"""Joints: how one body may move against another.

Derived in chapter 4, "Joints, links, chains, trees".
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from chaindyn._ops import Array, block, concatenate, cos, eye, sin, zeros
from chaindyn.array_types import Array1, Array3, Array3x3
from chaindyn.contract import Joint, across
from chaindyn.guards.door import checked
from chaindyn.guards.joint_defaults import keep_unit, random_angle
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

__all__ = ["Prismatic", "Revolute", "Spherical", "rotation_about"]


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
def rotation_about(axis: Array3, angle: Array1) -> Array3x3:
    """Return the rotation matrix about a unit axis (Rodrigues).

    axis : (..., 3) of length one, not normalised here; angle : (..., 1) [rad]. Returns
    (..., 3, 3), which takes child axes to parent axes.

    >>> rotation_about((0, 0, 1), np.array([np.pi / 2])).round(9) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    return turned_by(angle, rodrigues_terms(axis))


# Chapter 4, "Joints, links, chains, trees": A slide and a hinge
@dataclass(frozen=True, eq=False)
class Prismatic(Joint):
    """A slide: the child moves along `axis` (..., 3) without turning.

    The axis is normalised when made; q is the displacement [m].

    >>> R, p = Prismatic((1, 0, 0)).pose(np.array([0.5]))
    >>> p
    array([0.5, 0. , 0. ])
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


# Chapter 4, "Joints, links, chains, trees": A slide and a hinge
@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """A hinge: the child turns about `axis` (..., 3), which is normalised when made.

    The axis is fixed in both bodies. q is the angle [rad], qd its rate. With axes (m,
    3) one object stands for m hinges.

    >>> R, p = Revolute((0, 0, 1)).pose(np.array([np.pi / 2]))
    >>> R.round(9) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
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


# Chapter 4, "Joints, links, chains, trees": A joint with three degrees of freedom
@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """A ball in a socket: the child turns about a point.

    q (..., 4) is the unit quaternion [w, x, y, z] of the child in the parent, qd (...,
    3) its angular velocity in child axes [rad/s], which is not the rate of q.

    >>> quarter_turn = exp_quaternion(np.array([0, 0, np.pi / 2]))
    >>> R, p = Spherical().pose(quarter_turn)
    >>> R.round(9) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
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
