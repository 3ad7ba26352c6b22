# Generated from chapters/04_joints_links_chains_trees.md by `python -m book export`; edit it there.
# sha256 of the text below: 342c36807f5de49c60818a15be5924e2c7c4d7d7956e7a191883b45d6e48b266
"""Joints: how one body may move against another.

Derived in chapter 4, "Joints, links, chains, trees".
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from chaindyn._check import checked, unit
from chaindyn._ops import Array, concatenate, cos, eye, sin, zeros
from chaindyn.spatial import skew

__all__ = ["Fixed", "Prismatic", "Revolute", "rotation_about"]


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
        return 0 * self.motion_subspace(q)

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
        return 0 * self.motion_subspace(q)

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return displacements of the order of one metre, (*shape, 1)."""
        return rng.normal(size=(*shape, 1))


# Chapter 4, "Joints, links, chains, trees": Three joints
@dataclass(frozen=True, eq=False)
class Fixed:
    """A weld: no freedom. The child keeps its place in the parent."""

    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R = 1 and p = 0; q : (..., 0)."""
        return zeros((*q.shape[:-1], 3, 3)) + eye(3), zeros((*q.shape[:-1], 3))

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 0)."""
        return zeros((*q.shape[:-1], 6, 0))

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt (..., 6, 0)."""
        return zeros((*q.shape[:-1], 6, 0))

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return the only choice, (*shape, 0)."""
        return rng.normal(size=(*shape, 0))
