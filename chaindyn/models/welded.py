"""What files weld together, made one body; inertias as published; cylinders as prisms; hulls with fewer corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from chaindyn._ops import Array
from chaindyn.chain import Link
from chaindyn.guards.model import require_inertia_of_a_body
from chaindyn.models.shapes import ConvexHull
from chaindyn.spatial import skew

__all__: list[str] = []


@dataclass(frozen=True, eq=False)
class Body:
    """Mass [kg], centre of mass (3,) [m] and inertia about it (3, 3) [kg m^2] in some frame."""

    mass: float
    com: Array
    inertia: Array

    def seen_from(self, pose: Array) -> Body:
        """Return the same body in the frame in which its own has this pose (4, 4)."""
        R, p = pose[:3, :3], pose[:3, 3]
        return Body(self.mass, R @ self.com + p, R @ self.inertia @ R.T)


def one_body(bodies: Sequence[Body]) -> Body:
    """Return several bodies welded into one, by the parallel-axis theorem."""
    heavy = [body for body in bodies if body.mass or body.inertia.any()]
    if len(heavy) == 1:
        return heavy[0]
    mass = sum(body.mass for body in heavy)
    moment = sum((body.mass * body.com for body in heavy), np.zeros(3))
    com = moment / mass if mass else moment
    arms = [skew(body.com - com) for body in heavy]
    parts = [b.inertia + b.mass * d @ d.T for b, d in zip(heavy, arms, strict=True)]
    return Body(mass, com, sum(parts, np.zeros((3, 3))))


@dataclass(frozen=True, eq=False)
class PublishedLink(Link):
    """A link whose inertia is taken as it was published, though no body has it: a `Chain` does not judge it."""

    judged: ClassVar[bool] = False


def as_published(link: Link) -> PublishedLink:
    """Return the same link, not to be judged."""
    return PublishedLink(**{field.name: getattr(link, field.name) for field in fields(link)})


def fault_of(link: Link, mover: str, *, is_leaf: bool) -> str | None:
    """Return what is wrong with the inertia of a link that something moves, if anything."""
    if is_leaf and not link.mass and not link.inertia.any():
        return (
            f"link {link.name!r}, moved by {mover}, has no mass and carries nothing: with "
            "nothing to accelerate the mass matrix is singular; give it an <inertial>, lock the joint, "
            "or choose a tip that cuts it away"
        )
    try:
        require_inertia_of_a_body(link, f"link {link.name!r}")
    except ValueError as error:
        return str(error)
    return None


def prism(radius: float, length: float) -> ConvexHull:
    """Return a right prism of 32 sides about z, with its corners on the rims of a cylinder."""
    for name, value in (("radius", radius), ("length", length)):
        if value <= 0:
            raise ValueError(f"a cylinder has {name} {value:g}, but it must be positive")
    angle = np.arange(32) * np.pi / 16
    rim = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle], axis=1)
    return ConvexHull(
        np.concatenate([rim + np.array([0, 0, z]) for z in (-length / 2, length / 2)])
    )


def with_corners(hull: ConvexHull, most: int | None) -> ConvexHull:
    """Return the hull of at most so many of a hull's corners, which lies inside it; None takes all.

    They are the farthest ones in directions that are spread evenly, once the hull is as wide as it is long.
    """
    if most is None or len(hull.points) <= most:
        return hull
    across = np.linalg.svd(hull.points - hull.points.mean(0), full_matrices=False)[2]
    points = (hull.points - hull.points.mean(0)) @ across.T
    points = points / np.ptp(points, axis=0)
    k = np.arange(most) + 0.5
    z, turn = 1 - 2 * k / most, np.pi * (1 + 5**0.5) * k  # on a spiral from pole to pole
    round_it = np.sqrt(1 - z * z)
    directions = np.stack([round_it * np.cos(turn), round_it * np.sin(turn), z], axis=1)
    return ConvexHull(hull.points[sorted({int((points @ d).argmax()) for d in directions})])
