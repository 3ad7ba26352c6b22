# Generated from chapters/30_shapes_that_degenerate.md by `python -m book export`; edit it there.
# sha256 of the text below: b830fe524f1c2f6f8340dae301820adfabb1dafe67984c8ffd08cd204d2d6455
"""Simplices that degenerate: what distances and depths do where rounding decides.

Derived in chapter 30, "Shapes that degenerate".
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chaindyn._ops import Array

__all__: list[str] = []


# Chapter 30, "Shapes that degenerate": How large rounding is
def rounding_of(a: Array, b: Array) -> float:
    """Return a bound [m] for the rounding of differences of points (k, 3) and (m, 3).

    It is 64 units in the last place of their extent.
    """
    extent = np.abs(a - b[0]).max() + np.abs(b - b[0]).max()
    return 64 * float(np.finfo(float).eps * extent)


# Chapter 30, "Shapes that degenerate": How large rounding is
def lowest_corners(core: Any, n: Array, within: float) -> Array:
    """Return the corners (k, 3) of a core that lie lowest along n, to a tolerance."""
    heights = core.corners @ n
    return core.corners[heights <= heights.min() + within]


def first_least(values: Array, within: float) -> int:
    """Return the index of the first of the values that is least, to a tolerance."""
    return int((values <= values.min() + within).argmax())


def rounding_in_world(a: Any, b: Any) -> float:
    """Return the bound [m] for a core a, and a core or half-space (normal, point) b."""
    return rounding_of(a.corners, b[1][None] if isinstance(b, tuple) else b.corners)


# Chapter 30, "Shapes that degenerate": A tetrahedron that is nearly flat
def affine_weights(points: Array) -> Array:
    """Return weights (k,) of the point nearest to the origin on what points span.

    Their sum is one; that is a line through two points, a plane through three.
    """
    edges = points[1:] - points[0]
    t = np.linalg.lstsq(edges.T, -points[0], rcond=None)[0]
    return np.concatenate([[1 - t.sum()], t])


def nearest_part(points: Array, weights: Array) -> tuple[Array, Array]:
    """Return which points (k, 3) hold a nearer one than their mean, and its weights.

    Walk from the mean that the weights (k,) give towards the nearest point of the whole
    plane; where a weight would turn negative, stop, drop that corner, and walk on in
    what is left (Wolfe 1976). Usually, but not always, no other part is nearer.
    """
    own = np.arange(len(points))
    while len(own) > 1:
        target = affine_weights(points[own])
        falling = target <= 0
        if not falling.any():
            return own, target
        fall = (weights - target)[falling]
        share = weights[falling] / np.where(fall > 0, fall, 1)
        weights = weights + share.min() * (target - weights)
        weights[np.flatnonzero(falling)[share.argmin()]] = 0
        kept = weights > 0
        own, weights = own[kept], weights[kept] / weights[kept].sum()
    return own, weights


# Chapter 30, "Shapes that degenerate": The direction of a short vector
def unit_rows(vectors: Array) -> Array:
    """Return vectors (m, 3) at length one, those of length zero as they are."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def direction_of(points: Array, v: Array) -> Array:
    """Return the direction (3,) of the nearest point v of a simplex (k, 3).

    Of a triangle, its normal: they are the same, but a short v has lost digits that the
    triangle's edges still have.
    """
    if len(points) == 3:
        normal = unit_rows(np.cross(*(points[1:] - points[0]))[None])[0]
        if normal @ v:
            return normal if normal @ v > 0 else -normal
    return v / np.linalg.norm(v)


# Chapter 30, "Shapes that degenerate": The direction of a short vector
def sharpened_normal(n: Array, candidates: Array, noise: float) -> Array:
    """Return a unit vector n (3,), known to `noise`, or the candidate that equals it.

    candidates : (m, 3), unit vectors, one of which may be n in exact arithmetic.
    """
    if not len(candidates):
        return n
    off = np.linalg.norm(candidates - n, axis=1)
    best = int(off.argmin())
    return candidates[best] if off[best] <= noise else n


def normal_of_faces(a: Any, b: Any, points: Array, v: Array) -> Array:
    """Return the direction (3,) of v, of a simplex (k, 3), sharpened by two cores."""
    faces = np.concatenate([-a.normals, b.normals])
    noise = rounding_of(a.corners, b.corners) / float(np.linalg.norm(v))
    return sharpened_normal(direction_of(points, v), faces, noise)


# Chapter 30, "Shapes that degenerate": The direction of a short vector
def common_normal(axes: Array) -> Array:
    """Return a unit vector at right angles to vectors (m, 3) that lie in a plane."""
    rows = np.concatenate([unit_rows(axes), np.zeros((3, 3))])
    normal: Array = np.linalg.svd(rows)[2][2]
    return normal


def are_parallel(u: Array, v: Array) -> bool:
    """Whether two vectors (3,) lie along each other, to 1e-9, or one is zero."""
    crossed = np.linalg.norm(np.cross(u, v))
    return bool(crossed <= 1e-9 * np.linalg.norm(u) * np.linalg.norm(v))


def normal_of_segments(a: Array, b: Array, points: Array) -> Array:
    """Return the unit normal (3,), from b to a, of points or segments (1 or 2, 3).

    points : (2, 3), their nearest points.
    """
    v, rounding = points[0] - points[1], rounding_of(a, b)
    across = common_normal(np.array([a[-1] - a[0], b[-1] - b[0]]))
    length = np.linalg.norm(v)
    if not length > rounding:
        return across if (a.mean(0) - b.mean(0)) @ across >= 0 else -across
    crossing = len(a) == len(b) == 2 and not are_parallel(a[1] - a[0], b[1] - b[0])
    candidates = np.array([across, -across]) if crossing else np.zeros((0, 3))
    return sharpened_normal(v / length, candidates, float(rounding / length))


# Chapter 30, "Shapes that degenerate": A volume to begin with
def spanning_corners(
    a: Array, b: Array, farthest_pair: Callable[[Array, Array, Array], tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return four pairs of corners of a and b whose differences span a volume."""
    pairs = [(0, 0)]
    for _ in range(3):
        points = np.array([a[i] - b[j] for i, j in pairs])
        free = np.linalg.svd(points - points[0])[2][len(pairs) - 1 :]  # across the span
        reached = [farthest_pair(a, b, d) for d in (*free, *-free)]
        lengths = [abs((a[i] - b[j] - points[0]) @ free.T).max() for i, j in reached]
        pairs.append(reached[int(np.argmax(lengths))])
    return pairs


# Chapter 30, "Shapes that degenerate": A volume to begin with
def crossed_edges(a: Array, b: Array) -> Array:
    """Return the unit vectors (m, 3) across an edge of each, a (e, 3) and b (f, 3).

    Parallel edges, which the faces cover, give none.
    """
    crossed = np.cross(a[:, None], b).reshape(-1, 3)
    lengths = np.linalg.norm(crossed, axis=1)
    sound = lengths > 1e-6
    crossed_units: Array = crossed[sound] / lengths[sound, None]
    return crossed_units


# Chapter 30, "Shapes that degenerate": Where two bodies nearly touch
def facing_points(
    a: Any, b: Any, n: Array, depth: float, gjk: Callable[[Array, Array], Any]
) -> tuple[Array, float]:
    """Return points (2, 3) of two cores at the ends of the move by the depth along n.

    And its error, not zero if the plane across n separates the bodies, but their
    nearest points are not opposite.
    """
    within = 64 * rounding_of(a.corners, b.corners)
    below, above = lowest_corners(a, n, within), lowest_corners(b, -n, within)
    last = gjk(below + depth * n, above)[-1]
    own, other = last.pairs.T
    x, y = last.weights @ below[own], last.weights @ above[other]
    middle = (x + y) / 2
    middle = middle - n * (n @ middle)  # x and y differ along n, and across by rounding
    points = np.array([middle + n * (n @ x), middle + n * (n @ y)])
    return points, float(np.linalg.norm(last.nearest))


def nearly_touching(
    a: Any,
    b: Any,
    v: Array,
    depth_of: Callable[[Any, Any], tuple[Array, float]],
    gjk: Callable[[Array, Array], Any],
) -> tuple[float, Array, Array] | None:
    """Return distance, points (2, 3) and normal (3,) by the faces; None if v is right.

    v : (3,), the point of a - b nearest to the origin, by gjk. depth_of : returns
    normal and depth of two cores.
    """
    rounding = rounding_of(a.corners, b.corners)
    length = float(np.linalg.norm(v))
    if length <= 1e8 * rounding:
        n, depth = depth_of(a, b)
        points, miss = facing_points(a, b, n, depth, gjk)
        if length <= rounding or depth >= 0 or miss <= 64 * rounding:
            return -depth, points, n
    return None
