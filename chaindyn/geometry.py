# Generated from chapters/19_where_bodies_touch.md by `python -m book export`; edit it there.
# sha256 of the text below: e236daf9b2a007adc23413cebf65a88b14932a012a5e1813b71b61fee8018bac
"""Geometry: where the links of a chain touch each other and the ground.

Derived in chapter 19, "Where bodies touch".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.outlines import across_of, flat_within, lower_surface, outline, shared_outline
from chaindyn.guards.simplices import (
    crossed_edges,
    direction_of,
    first_least,
    lowest_corners,
    nearest_part,
    nearly_touching,
    normal_of_faces,
    normal_of_segments,
    rounding_of,
    spanning_corners,
)
from chaindyn.models.shapes import Core

__all__: list[str] = []


# Chapter 19, "Where bodies touch": Closed forms first
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


# Chapter 19, "Where bodies touch": Any two bodies: one point against the origin
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


# Chapter 19, "Where bodies touch": Any two bodies: one point against the origin
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


# Chapter 19, "Where bodies touch": Any two bodies: one point against the origin
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


# Chapter 19, "Where bodies touch": Depth of an overlap
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


# Chapter 19, "Where bodies touch": Depth of an overlap
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


# Chapter 19, "Where bodies touch": One function for all pairs
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


# Chapter 19, "Where bodies touch": Not one point but a patch
def contact_patch(a: Core, b: Core, at: Any, margin: float) -> list[tuple[Array, float]]:
    """Return points (3,) and gaps of the contact between two cores in the world.

    at : their separation. Seen along the normal, the corners of a that can be within
    the margin have an outline, those of b have another, and the corners of the common
    part are the points. If none of them is as near as the nearest points, as where
    edges cross, these are added, so that every contact has its deepest point.
    """
    n, origin = at.normal, at.points.mean(0)
    a, b = a.moved(-origin), b.moved(-origin)
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


# Chapter 19, "Where bodies touch": Which pairs to compare
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


# Chapter 19, "Where bodies touch": Depth of any two solids*
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
