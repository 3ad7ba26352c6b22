"""Shapes at their poses: how far apart any two are, and where those of a chain touch.

Which of chapter 19's laws serves which pair, what radii and half-spaces add, which pairs may touch, and what a contact
says of itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.array_types import Array2x3, Array3, Array3x3, ArrayNq
from chaindyn.chain import Chain, forward_kinematics
from chaindyn.geometry import contact_patch, core_distance, sweep_and_prune
from chaindyn.guards.arguments import is_several
from chaindyn.guards.contacts import is_index
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

__all__ = ["Separation", "distance", "find_contacts", "overlapping_pairs"]


@dataclass(frozen=True, eq=False)
class Separation:
    """The distance of two shapes, and their nearest points.

    distance : [m], negative by the depth where they overlap. points : (2, 3), the
    nearest points, of the first shape and of the second; of overlapping shapes, those
    that a move by the depth along the normal brings together. normal : (3,), of unit
    length, from the second into the first. points[0] - points[1] is distance times
    normal.

    >>> ball, here = Sphere(2), (np.eye(3), np.zeros(3))
    >>> found = distance(ball, (np.eye(3), np.array([3, 0, 0])), ball, here)
    >>> round(found.distance, 9), found.normal.round(9) + 0.0
    (-1.0, array([1., 0., 0.]))
    >>> found.points.round(9) + 0.0
    array([[1., 0., 0.],
           [2., 0., 0.]])
    """

    distance: float
    points: Array2x3
    normal: Array3


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
    shape_a: Any, pose_a: tuple[Array3x3, Array3], shape_b: Any, pose_b: tuple[Array3x3, Array3]
) -> Separation:
    """Return the distance of two shapes and their nearest points, in the world.

    shape_a, shape_b : Sphere, Capsule, Box, ConvexHull or HalfSpace. pose_a, pose_b :
    R (3, 3), p (3,), the pose of each shape's frame in the world. Overlapping shapes
    have a negative distance, the depth: the length of the shortest move that separates
    them. Where several normals are equally good, such as for balls about one point, it
    is any one of them. ValueError for a wrong shape or pose, and for two half-spaces,
    which have no distance.

    >>> here, there = (np.eye(3), np.zeros(3)), (np.eye(3), np.array([3, 0, 0]))
    >>> found = distance(Sphere(1), here, Box((1, 1, 1)), there)
    >>> round(found.distance, 9)
    1.5
    >>> found.points.round(9) + 0.0
    array([[1. , 0. , 0. ],
           [2.5, 0. , 0. ]])
    """
    a = in_world(check_shape(shape_a, "shape_a"), *check_pose(pose_a, "pose_a"))
    b = in_world(check_shape(shape_b, "shape_b"), *check_pose(pose_b, "pose_b"))
    return separation_in_world(a, b)


def corners_on_plane(a: Core, n: Array, origin: Array) -> tuple[Array, Array]:
    """Return points (k, 3), midway between the surfaces, and gaps (k,) of all corners of a core on such a plane."""
    gaps = (a.corners - origin) @ n - a.radius
    return a.corners - (a.radius + gaps / 2)[:, None] * n, gaps


def patch_on_plane(a: Core, n: Array, origin: Array, margin: float) -> list[tuple[Array, float]]:
    """Return points (3,) and gaps of a core's corners on what lies below a plane."""
    places, gaps = corners_on_plane(a, n, origin)
    near = gaps <= max(margin, gaps.min()) + rounding_of(a.corners, origin[None])
    return list(zip(places[near], gaps[near].tolist(), strict=True))


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


def joined(chain: Chain, bodies: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return of each link the one to which it is welded, and the body that its joints hang on; -1 is the ground.

    Links without mass and geometry are no bodies: they stand between the axes of one joint. bodies : of geometries.
    """
    root, below = list(range(chain.n)), [-1] * chain.n
    for i, up in enumerate(chain.parent):
        if up >= 0 and chain.joints[i].nv == 0:
            root[i] = root[up]
            below[i] = below[root[i]]
            continue
        while up >= 0 and chain.links[up].mass == 0 and up not in bodies and root[up] == up:
            up = chain.parent[up]
        below[i] = root[up] if up >= 0 else -1
    return root, below


def may_touch(i: int, j: int, root: Sequence[int], below: Sequence[int]) -> bool:
    """Whether two bodies can collide: neither one body, nor neighbours on the tree."""
    if min(i, j) < 0:
        return i != j
    i, j = root[i], root[j]
    return i != j and below[i] != j and below[j] != i


def as_pairs(exclude: Any, count: int) -> set[frozenset[int]]:
    """Return pairs of the indices of so many geometries; ValueError for anything else."""
    if not is_several(exclude):
        raise ValueError(f"exclude is {exclude!r}, but must be pairs of indices of geometries")
    pairs = set()
    for pair in exclude:
        both = tuple(pair) if is_several(pair) else ()
        if len(both) != 2 or not all(is_index(k) and 0 <= k < count for k in both):
            raise ValueError(
                f"exclude has {pair!r}, but must have pairs of indices of geometries, from 0 to {count - 1}"
            )
        pairs.add(frozenset(both))
    return pairs


@checked(q="nq")
def overlapping_pairs(
    chain: Chain,
    geometries: Iterable[Geometry],
    q: ArrayNq,
    *,
    exclude: Any = (),
    depth: float = 1e-3,
) -> frozenset[tuple[int, int]]:
    """Return the pairs of geometries that overlap in a posture, for `exclude` of `find_contacts`.

    q : (nq,). depth : [m], how deep an overlap counts. exclude : pairs that are left
    out already. Pairs are of indices of geometries, the smaller one first. ValueError as
    from `find_contacts`.

    >>> ball = Chain([Link(Free(), 1, (0, 0, 0), np.eye(3), name="ball")])
    >>> shapes = Geometry(Sphere(0.1), "ball"), Geometry(HalfSpace((0, 0, 1)), "ground")
    >>> q = np.array([0, 0, 0.05, 1, 0, 0, 0])
    >>> pairs = overlapping_pairs(ball, shapes, q)
    >>> pairs, find_contacts(ball, shapes, q, exclude=pairs)
    (frozenset({(0, 1)}), [])
    """
    shapes, bodies, q, _ = check_scene(chain, geometries, q, 0)
    found = pairs_at(chain, shapes, bodies, q, 0, exclude)
    return frozenset(
        (min(pair), max(pair)) for pair, points in found if min(x[2] for x in points) < -depth
    )


@checked(q="nq")
def find_contacts(
    chain: Chain,
    geometries: Iterable[Geometry],
    q: ArrayNq,
    *,
    margin: float = 0,
    exclude: Any = (),
) -> list[Contact]:
    """Return all points of contact between the geometries of a chain in a posture.

    q : (nq,). margin : [m], zero or more: the largest gap that counts; one above it by
    rounding only counts too. exclude : pairs of indices of geometries that may pass
    through each other, such as `Model.apart` and `overlapping_pairs`. Geometries of one
    body, links welded to each other included, and of neighbours on the tree are left
    out: they meet in the joint. Geometries on the ground can meet every link, also
    one whose parent is the ground. Two faces give the corners of their common part, an
    edge and a face both ends; a half-space the corners of the other body. Contacts come
    in the order of the geometries; bodies[0] is that of the first one, except that the
    ground is always second. ValueError for an unknown link, a negative margin, several
    postures, or two half-spaces that may meet.

    >>> ball = Link(Free(), 1, (0, 0, 0), np.eye(3) / 1000, name="ball")
    >>> floor = Geometry(HalfSpace((0, 0, 1)), "ground")
    >>> q = np.array([0, 0, 0.09, 1, 0, 0, 0])
    >>> (contact,) = find_contacts(Chain([ball]), [Geometry(Sphere(0.1), "ball"), floor], q)
    >>> contact.normal, round(contact.gap, 9)
    (array([0., 0., 1.]), -0.01)
    """
    shapes, bodies, q, margin = check_scene(chain, geometries, q, margin)
    contacts = []
    for (i, j), points in pairs_at(chain, shapes, bodies, q, margin, exclude):
        surfaces = friction_and_restitution(shapes[i], shapes[j])
        contacts += [
            Contact((bodies[i], bodies[j]), x, n, gap, *surfaces, *own) for x, n, gap, own in points
        ]
    return contacts


def friction_and_restitution(one: Geometry, other: Geometry) -> tuple[float, float]:
    """Return the friction of two surfaces on each other, their geometric mean, and the larger restitution."""
    friction = float(np.sqrt(one.friction * other.friction))
    return friction, max(one.restitution, other.restitution)


def pairs_at(
    chain: Chain,
    shapes: Sequence[Geometry],
    bodies: Sequence[int],
    q: Array,
    margin: float,
    exclude: Any,
) -> Iterator[tuple[tuple[int, int], list[tuple[Array, Array, float, Any]]]]:
    """Yield pairs of indices of geometries that touch, one on the ground second, and their points as of
    `touching_points`.
    """
    apart, joints = as_pairs(exclude, len(shapes)), joined(chain, bodies)
    R, p = forward_kinematics(chain, q)
    R, p = np.append(R, [np.eye(3)], 0), np.append(p, [np.zeros(3)], 0)
    worlds = [
        in_world(own.shape, R[i] @ own.rotation, p[i] + R[i] @ own.offset)
        for own, i in zip(shapes, bodies, strict=True)
    ]
    for i, j in sweep_and_prune(*boxes_around(worlds, margin / 2))[0]:
        if bodies[i] < 0:
            i, j = j, i
        if may_touch(bodies[i], bodies[j], *joints) and {i, j} not in apart:
            require_an_end(worlds[i], worlds[j], i, j)
            if points := touching_points(worlds[i], worlds[j], margin):
                yield (i, j), points
