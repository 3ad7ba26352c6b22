# Generated from chapters/16_where_bodies_touch.md by `python -m book export`; edit it there.
# sha256 of the text below: 7420c5fcb09c8cbfc812c426e063b8c9f9b0040440acd2f04bd31880eb4920f3
"""Geometry: where the links of a chain touch each other and the ground.

Derived in chapter 16, "Where bodies touch".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.chain import Chain, forward_kinematics
from chaindyn.guards.door import checked
from chaindyn.guards.outlines import (
    across_of,
    flat_within,
    lower_surface,
    outline,
    shared_outline,
    surfaces_at,
    turned,
)
from chaindyn.guards.simplices import (
    crossed_edges,
    direction_of,
    first_least,
    lowest_corners,
    nearest_part,
    nearly_touching,
    normal_of_faces,
    normal_of_segments,
    rounding_in_world,
    rounding_of,
    spanning_corners,
)
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


# Chapter 16, "Where bodies touch": Closed forms first
def place_on_segment(x: Array, ends: Array) -> float:
    """Return where, from 0 to 1, a segment with ends (2, 3) is nearest to x (3,)."""
    along = ends[1] - ends[0]
    length = along @ along
    return float(np.clip((x - ends[0]) @ along / length, 0, 1)) if length else 0.0


def along_segment(ends: Array, t: float) -> Array:
    """Return the point (3,) of a segment at a share t of its length."""
    return (1 - t) * ends[0] + t * ends[1]


def nearest_on_segments(a: Array, b: Array) -> Array:
    """Return the points (2, 3), on a and on b, where two segments (2, 3) are nearest.

    Either may be one point. Each end is tested against the other segment, and the
    insides against each other, except where the segments are parallel.
    """
    pairs = [(x, along_segment(b, place_on_segment(x, b))) for x in a]
    pairs += [(along_segment(a, place_on_segment(y, a)), y) for y in b]
    e, f, c = a[1] - a[0], b[1] - b[0], b[0] - a[0]
    by_f, by_e, m = np.cross([c, c, e], [f, e, f])
    if m @ m > 0:
        s, sigma = by_f @ m / (m @ m), by_e @ m / (m @ m)
        if 0 < s < 1 and 0 < sigma < 1:
            pairs.append((along_segment(a, s), along_segment(b, sigma)))
    gaps = [((x - y) ** 2).sum() for x, y in pairs]
    return np.array(pairs[int(np.argmin(gaps))])


def thin_distance(a: Array, b: Array) -> tuple[Array, Array]:
    """Return nearest points (2, 3) and unit normal, from b to a, of points or segments.

    a, b : their corners (1 or 2, 3). Where the two meet, the normal is at right angles
    to both, and points to the side of a's middle; any one of several such directions.
    """
    points = nearest_on_segments(a[[0, -1]], b[[0, -1]])
    return points, normal_of_segments(a, b, points)


# Chapter 16, "Where bodies touch": Any two bodies: one point against the origin
@dataclass(frozen=True, eq=False)
class Simplex:
    """Some corners of a - b, and the point v among them that is nearest so far.

    pairs : (k, 2), k at most 4, which corner of a and of b each is. points : (k, 3),
    their differences [m]. weights : (k,), of v, positive, of sum one.
    """

    pairs: Array
    points: Array
    weights: Array

    @property
    def nearest(self) -> Array:
        """The point v (3,), nearest to the origin of all that were found."""
        return self.weights @ self.points


# Chapter 16, "Where bodies touch": Any two bodies: one point against the origin
def farthest_pair(a: Array, b: Array, direction: Array) -> tuple[int, int]:
    """Return which corners of a (k, 3) and b (m, 3) differ most in a direction (3,)."""
    return int((a @ direction).argmax()), int((b @ direction).argmin())


def with_corner(simplex: Simplex, pair: tuple[int, int], w: Array) -> Simplex:
    """Return a simplex with a corner w (3,) more and a v that is nearer, without the
    corners that v does not need.
    """
    pairs = np.append(simplex.pairs, [pair], axis=0)
    points = np.append(simplex.points, [w], axis=0)
    kept, weights = nearest_part(points, np.append(simplex.weights, 0.0))
    return Simplex(pairs[kept], points[kept], weights)


# Chapter 16, "Where bodies touch": Any two bodies: one point against the origin
def gjk(a: Array, b: Array) -> list[Simplex]:
    """Return the simplices by which the algorithm of Gilbert, Johnson and Keerthi goes.

    a, b : (k, 3) and (m, 3), corners of two convex bodies [m]. In the last one
    `nearest` is the point of a - b nearest to the origin, zero if the bodies overlap.
    """
    limit = rounding_of(a, b)
    steps = [Simplex(np.zeros((1, 2), int), a[:1] - b[:1], np.ones(1))]
    while (length := np.linalg.norm(steps[-1].nearest)) > limit:
        outward = direction_of(steps[-1].points, steps[-1].nearest)
        i, j = farthest_pair(a, b, -outward)
        w = a[i] - b[j]
        if length - outward @ w <= limit:  # no corner of a - b lies nearer
            break
        trial = with_corner(steps[-1], (i, j), w)
        if not np.linalg.norm(trial.nearest) < length:
            break
        steps.append(trial)
    return steps


# Chapter 16, "Where bodies touch": Depth of an overlap
def epa(a: Array, b: Array) -> tuple[Array, float, list[Array]]:
    """Return normal (3,) and depth of bodies that overlap, by the expanding polytope.

    a, b : (k, 3) and (m, 3), their corners [m]; one of them is a solid. The shortest
    move of a that separates them is by the depth along the normal. The third is the
    visited faces (m, 3, 3) of a - b. A negative depth is a gap.
    """
    from scipy import spatial

    limit, seen = rounding_of(a, b), []
    pairs = spanning_corners(a, b, farthest_pair)
    while True:
        points = np.array([a[i] - b[j] for i, j in pairs])
        hull = spatial.ConvexHull(points)
        seen.append(points[hull.simplices])
        nearest = hull.equations[hull.equations[:, 3].argmax()]
        outward = nearest[:3]
        i, j = farthest_pair(a, b, outward)
        depth = float(outward @ (a[i] - b[j]))
        if depth + nearest[3] <= limit or (i, j) in pairs:
            return -outward, depth, seen
        pairs.append((i, j))


# Chapter 16, "Where bodies touch": Depth of an overlap
def box_depth(a: Core, b: Core) -> tuple[Array, float]:
    """Return normal (3,), into a, and depth of two boxes that overlap.

    It is that of one of the fifteen lines that can separate them: the normals of their
    faces, and the common normals of an edge of one and an edge of the other.
    """
    axes = np.concatenate([a.edges, b.edges, crossed_edges(a.edges, b.edges)])
    axes = np.stack([axes, -axes], axis=1).reshape(-1, 3)
    depths = (b.corners @ axes.T).max(0) - (a.corners @ axes.T).min(0)
    best = first_least(depths, rounding_of(a.corners, b.corners))
    return axes[best], float(depths[best])


# Chapter 16, "Where bodies touch": Depth of an overlap
def solid_depth(a: Core, b: Core) -> tuple[Array, float]:
    """Return normal (3,), into a, and depth of two cores; one of them is a solid."""
    if len(a.corners) == 1:  # the face of b that is nearest to the point
        depths = b.offsets - b.normals @ a.corners[0]
        best = int(depths.argmin())
        return b.normals[best], float(depths[best])
    if len(b.corners) == 1:
        normal, depth = solid_depth(b, a)
        return -normal, depth
    if len(a.edges) and len(b.edges):
        return box_depth(a, b)
    return epa(a.corners, b.corners)[:2]


# Chapter 16, "Where bodies touch": One function for all pairs
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


def core_distance(a: Core, b: Core) -> tuple[float, Array, Array]:
    """Return distance, points (2, 3) and normal (3,) of two cores without their radii.

    Where they overlap or nearly touch, the faces decide.
    """
    if not len(a.normals) and not len(b.normals):
        points, n = thin_distance(a.corners, b.corners)
        return float(n @ (points[0] - points[1])), points, n
    last = gjk(a.corners, b.corners)[-1]
    if close := nearly_touching(a, b, last.nearest, solid_depth, gjk):
        return close
    own, other = last.pairs.T
    points = np.array([last.weights @ a.corners[own], last.weights @ b.corners[other]])
    n = normal_of_faces(a, b, last.points, last.nearest)
    return float(np.linalg.norm(last.nearest)), points, n


# Chapter 16, "Where bodies touch": One function for all pairs
def core_separation(a: Core, b: Core) -> Separation:
    """Return the separation of two cores, their radii included, where they are."""
    origin = a.corners[0]
    apart, points, n = core_distance(moved_core(a, -origin), moved_core(b, -origin))
    out = np.array([-a.radius * n, b.radius * n])
    return Separation(apart - a.radius - b.radius, points + origin + out, n + 0.0)


def moved_core(core: Core, p: Array) -> Core:
    """Return a core moved by p (3,)."""
    return core.placed(np.eye(3), p)


def above_plane(a: Core, n: Array, origin: Array) -> Separation:
    """Return the separation of a core from what lies below a plane with normal n."""
    heights = (a.corners - origin) @ n - a.radius
    height = float(heights.min())
    lowest = heights <= height + rounding_of(a.corners, origin[None])
    x = a.corners[lowest].mean(0) - a.radius * n
    return Separation(height, np.array([x, x - height * n]), n)


# Chapter 16, "Where bodies touch": One function for all pairs
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


def separation_in_world(a: Any, b: Any) -> Separation:
    """Return the separation of two shapes in the world; one may be a half-space."""
    require_an_end(a, b)
    if not isinstance(a, Core):
        other = above_plane(b, *a)
        return Separation(other.distance, other.points[::-1], -other.normal)
    return core_separation(a, b) if isinstance(b, Core) else above_plane(a, *b)


# Chapter 16, "Where bodies touch": Not one point but a patch
def contact_patch(a: Core, b: Core, at: Separation, margin: float) -> list[tuple[Array, float]]:
    """Return points (3,) and gaps of the contact between two cores in the world.

    at : their separation. Seen along the normal, the corners of a that can be within
    the margin have an outline, those of b have another, and the corners of the common
    part are the points. If none of them is as near as the nearest points, as where
    edges cross, these are added, so that every contact has its deepest point.
    """
    n, origin = at.normal, at.points.mean(0)
    a, b = moved_core(a, -origin), moved_core(b, -origin)
    tolerance = flat_within(a, b)
    reach = max(margin - at.distance, 0.0) + tolerance
    below, above = lowest_corners(a, n, reach), lowest_corners(b, -n, reach)
    across = across_of(n)
    rim_a, rim_b = (outline(x @ across.T, tolerance) for x in (below, above))
    base = shared_outline(rim_a, rim_b, tolerance) @ across
    under = lower_surface(a, below, n, base) - a.radius
    over = b.radius - lower_surface(b, above, -n, base)
    middle, gaps = origin + base + np.outer((under + over) / 2, n), under - over
    kept = gaps <= max(margin, at.distance) + tolerance
    found = list(zip(middle[kept], gaps[kept].tolist(), strict=True))
    if min((gap for _, gap in found), default=np.inf) > at.distance + tolerance:
        found.append((origin, at.distance))
    return found


# Chapter 16, "Where bodies touch": Not one point but a patch
def patch_on_plane(a: Core, n: Array, origin: Array, margin: float) -> list[tuple[Array, float]]:
    """Return points (3,) and gaps of a core's corners on what lies below a plane."""
    gaps = (a.corners - origin) @ n - a.radius
    near = gaps <= max(margin, gaps.min()) + rounding_of(a.corners, origin[None])
    places = a.corners[near] - np.outer(a.radius + gaps[near] / 2, n)
    return list(zip(places, gaps[near].tolist(), strict=True))


# Chapter 16, "Where bodies touch": Which pairs to compare
def sweep_and_prune(low: Array, high: Array) -> tuple[list[tuple[int, int]], int]:
    """Return the pairs of boxes that meet, and the number of pairs tested.

    low, high : (n, 3), the boxes' least and greatest coordinates [m]. A plane sweeps
    along x; a box that it enters is tested against those only that it is cutting.
    """
    starts, ends = low.tolist(), high.tolist()
    pairs, looked, cut = [], 0, list[int]()
    for i in sorted(range(len(starts)), key=lambda i: starts[i][0]):
        (x, y, z), (_, y1, z1) = starts[i], ends[i]
        cut = [j for j in cut if ends[j][0] >= x]
        looked += len(cut)
        for j in cut:
            (_, v, w), (_, v1, w1) = starts[j], ends[j]
            if y <= v1 and v <= y1 and z <= w1 and w <= z1:
                pairs.append((min(i, j), max(i, j)))
        cut.append(i)
    return sorted(pairs), looked


# Chapter 16, "Where bodies touch": Contacts of a chain
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


# Chapter 16, "Where bodies touch": Contacts of a chain
def may_touch(i: int, j: int, parent: Sequence[int]) -> bool:
    """Whether two bodies can collide: neither one body, nor a link and its parent."""
    return i != j and not (min(i, j) >= 0 and (parent[i] == j or parent[j] == i))


# Chapter 16, "Where bodies touch": Contacts of a chain
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
