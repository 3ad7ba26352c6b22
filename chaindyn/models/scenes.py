"""Shapes at their poses: how far apart any two are, and where those of a chain touch.

Which of chapter 19's laws serves which pair, what radii and half-spaces add, which pairs may touch, and what a contact
says of itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.chain import Chain, forward_kinematics
from chaindyn.geometry import contact_patch, core_distance, sweep_and_prune
from chaindyn.guards.door import checked
from chaindyn.guards.outlines import surfaces_at, turned
from chaindyn.guards.simplices import rounding_in_world, rounding_of
from chaindyn.models.shapes import (
    Contact,
    Core,
    Geometry,
    boxes_around,
    check_pose,
    check_scene,
    check_shape,
    in_world,
    require_an_end,
)

__all__ = ["Separation", "distance", "find_contacts"]


@dataclass(frozen=True, eq=False)
class Separation:
    """The distance of two shapes, and their nearest points.

    distance : [m], negative by the depth where they overlap. points : (2, 3), the
    nearest points, of the first shape and of the second; of overlapping shapes, those
    that a move by the depth along the normal brings together. normal : (3,), of unit
    length, from the second into the first. points[0] - points[1] is distance times
    normal.
    """

    distance: float
    points: Array
    normal: Array


def core_separation(a: Core, b: Core) -> Separation:
    """Return the separation of two cores, their radii included, where they are."""
    origin = a.corners[0]
    apart, points, n = core_distance(a.moved(-origin), b.moved(-origin))
    out = np.array([-a.radius * n, b.radius * n])
    return Separation(apart - a.radius - b.radius, points + origin + out, n + 0.0)


def above_plane(a: Core, n: Array, origin: Array) -> Separation:
    """Return the separation of a core from what lies below a plane with normal n."""
    heights = (a.corners - origin) @ n - a.radius
    height = float(heights.min())
    lowest = heights <= height + rounding_of(a.corners, origin[None])
    x = a.corners[lowest].mean(0) - a.radius * n
    return Separation(height, np.array([x, x - height * n]), n)


def separation_in_world(a: Any, b: Any) -> Separation:
    """Return the separation of two shapes in the world; one may be a half-space."""
    require_an_end(a, b)
    if not isinstance(a, Core):
        other = above_plane(b, *a)
        return Separation(other.distance, other.points[::-1], -other.normal)
    return core_separation(a, b) if isinstance(b, Core) else above_plane(a, *b)


@checked()
def distance(
    shape_a: Any, pose_a: tuple[Array, Array], shape_b: Any, pose_b: tuple[Array, Array]
) -> Separation:
    """Return the distance of two shapes and their nearest points, in the world.

    shape_a, shape_b : Sphere, Capsule, Box, ConvexHull or HalfSpace. pose_a, pose_b :
    (R, p), the pose of each shape's frame in the world. Overlapping shapes have a
    negative distance, the depth: the length of the shortest move that separates them.
    Where several normals are equally good, such as for balls about one point, it is any
    one of them. ValueError for a wrong shape or pose, and for two half-spaces, which
    have no distance.
    """
    a = in_world(check_shape(shape_a, "shape_a"), *check_pose(pose_a, "pose_a"))
    b = in_world(check_shape(shape_b, "shape_b"), *check_pose(pose_b, "pose_b"))
    return separation_in_world(a, b)


def patch_on_plane(a: Core, n: Array, origin: Array, margin: float) -> list[tuple[Array, float]]:
    """Return points (3,) and gaps of a core's corners on what lies below a plane."""
    gaps = (a.corners - origin) @ n - a.radius
    near = gaps <= max(margin, gaps.min()) + rounding_of(a.corners, origin[None])
    places = a.corners[near] - np.outer(a.radius + gaps[near] / 2, n)
    return list(zip(places, gaps[near].tolist(), strict=True))


def touching_points(a: Any, b: Any, margin: float) -> list[tuple[Array, Array, float, Any]]:
    """Return points, normals into a, gaps and surfaces of two shapes in the world."""
    if not isinstance(a, Core):
        return [turned(*found) for found in touching_points(b, a, margin)]
    at = separation_in_world(a, b)
    if at.distance > margin + rounding_in_world(a, b):
        return []
    if isinstance(b, Core):
        patch = contact_patch(a, b, at, margin)
    else:
        patch = patch_on_plane(a, b[0], b[1], margin)
    surfaces = surfaces_at(a, b, at, [x for x, _ in patch])
    return [(x, at.normal, gap, own) for (x, gap), own in zip(patch, surfaces, strict=True)]


def may_touch(i: int, j: int, parent: Sequence[int]) -> bool:
    """Whether two bodies can collide: neither one body, nor a link and its parent."""
    return i != j and not (min(i, j) >= 0 and (parent[i] == j or parent[j] == i))


@checked(q="nq")
def find_contacts(
    chain: Chain, geometries: Iterable[Geometry], q: Array, *, margin: float = 0
) -> list[Contact]:
    """Return all points of contact between the geometries of a chain in a posture.

    q : (nq,). margin : [m], zero or more: the largest gap that counts; one above it by
    rounding only counts too. Geometries of one body, and of a link and its parent, are
    left out: they meet in the joint. Geometries on the ground can meet every link, also
    one whose parent is the ground. Two faces give the corners of their common part, an
    edge and a face both ends; a half-space the corners of the other body. Contacts come
    in the order of the geometries; bodies[0] is that of the first one, except that the
    ground is always second. ValueError for an unknown link, a negative margin, several
    postures, or two half-spaces that may meet.
    """
    shapes, bodies, q, margin = check_scene(chain, geometries, q, margin)
    R, p = forward_kinematics(chain, q)
    R, p = np.append(R, [np.eye(3)], 0), np.append(p, [np.zeros(3)], 0)
    worlds = [
        in_world(own.shape, R[i] @ own.rotation, p[i] + R[i] @ own.offset)
        for own, i in zip(shapes, bodies, strict=True)
    ]
    contacts = []
    for i, j in sweep_and_prune(*boxes_around(worlds, margin / 2))[0]:
        if bodies[i] < 0:
            i, j = j, i
        if may_touch(bodies[i], bodies[j], chain.parent):
            require_an_end(worlds[i], worlds[j], i, j)
            friction = float(np.sqrt(shapes[i].friction * shapes[j].friction))
            restitution = max(shapes[i].restitution, shapes[j].restitution)
            contacts += [
                Contact((bodies[i], bodies[j]), x, n, gap, friction, restitution, *own)
                for x, n, gap, own in touching_points(worlds[i], worlds[j], margin)
            ]
    return contacts
