"""Outlines: what two bodies share, seen along their normal, and how their surfaces go on there.

An outline is a polygon, a segment or a point. Which of these it is, what lies within it, and whether a face is seen
from the side, is decided up to a tolerance, so that a contact neither comes nor goes by rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.simplices import lowest_corners, rounding_of, unit_rows


def across_of(n: Array) -> Array:
    """Return two unit vectors (2, 3) which with a unit vector (3,) as the third form a right-handed frame."""
    x, y, z = (float(c) for c in n)
    s = 1.0 if z >= 0 else -1.0
    f = -1 / (s + z)  # the world's frame, mirrored so that its z, or -z, becomes n
    return np.array([[1 + s * x * x * f, s * x * y * f, -s * x], [x * y * f, s + y * y * f, -y]])


def flat_within(a: Any, b: Any) -> float:
    """Return by how much corners of two cores, near the origin, may differ along the normal of a face they lie in [m].

    A face that is tilted by less than 1e-9 lies flat.
    """
    return 1e5 * rounding_of(a.corners, b.corners)


def distinct_points(points: Array, tolerance: float) -> Array:
    """Return the points (m, d) without those that lie within the tolerance of one before them."""
    near = np.abs(points[:, None] - points).max(-1) <= tolerance
    return points[near.argmax(1) == np.arange(len(points))]


def outline(points: Array, tolerance: float) -> Array:
    """Return the corners (k, 2) of the hull of points (m, 2), counterclockwise; k is 2 for a line, 1 for a point.

    From left to right along the lower side, and back along the upper one, a point stays if the path turns left there,
    by more than the tolerance [m].
    """

    def one_side(points: list[list[float]]) -> list[list[float]]:
        kept: list[list[float]] = []
        for x, y in points:
            while len(kept) > 1:
                (x0, y0), (x1, y1) = kept[-2:]
                turn = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)
                if turn > tolerance * float(np.hypot(x - x0, y - y0)):
                    break
                kept.pop()
            kept.append([x, y])
        return kept[:-1]

    points = distinct_points(points, tolerance)
    ordered = sorted(points.tolist())
    return np.array(one_side(ordered) + one_side(ordered[::-1])) if len(points) > 2 else points


def clipped(subject: Array, polygon: Array, tolerance: float) -> Array:
    """Return the part of a polygon, segment or point (k, 2) in a convex polygon (m, 2), counterclockwise, m > 2.

    Each edge in turn cuts off the part to its right, after Sutherland and Hodgman (1974); parts within the tolerance
    [m] of an edge stay.
    """
    left: list[list[float]] = subject.tolist()
    rim = polygon.tolist()
    for (x0, y0), (x1, y1) in zip(rim, rim[1:] + rim[:1], strict=True):
        length = float(np.hypot(x1 - x0, y1 - y0))
        inside = [((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / length for x, y in left]
        kept = []
        for k, ((x, y), here) in enumerate(zip(left, inside, strict=True)):
            if here >= -tolerance:
                kept.append([x, y])
            (xn, yn), there = left[k + 1 - len(left)], inside[k + 1 - len(left)]
            if (here < -tolerance) != (there < -tolerance):
                share = min(max(here / (here - there), 0.0), 1.0)
                kept.append([x + share * (xn - x), y + share * (yn - y)])
        left = kept
    return distinct_points(np.array(left), tolerance) if left else np.zeros((0, 2))


def common_stretch(a: Array, b: Array, tolerance: float) -> Array:
    """Return the ends (2, 2) of the common part of two segments (2, 2) on one line; (0, 2) if they cross or miss."""
    along = unit_rows((a[1] - a[0])[None])[0]
    left = np.array([-along[1], along[0]])
    if np.abs((b - a[0]) @ left).max() > tolerance:
        return np.zeros((0, 2))
    s, t = np.sort((a - a[0]) @ along), np.sort((b - a[0]) @ along)
    low, high = max(s[0], t[0]), min(s[1], t[1])
    ends = a[0] + np.array([[low], [high]]) * along
    return ends if high > low + tolerance else np.zeros((0, 2))


def shared_outline(a: Array, b: Array, tolerance: float) -> Array:
    """Return the corners (k, 2) of the common part of two outlines: none where it is a single point."""
    if len(a) > 2 or len(b) > 2:
        return clipped(a, b, tolerance) if len(b) > 2 else clipped(b, a, tolerance)
    return common_stretch(a, b, tolerance) if len(a) == len(b) == 2 else np.zeros((0, 2))


def lower_surface(core: Any, low: Array, n: Array, base: Array) -> Array:
    """Return the heights (k,) along n at which lines in its direction, through points (k, 3), enter a core.

    low : the corners (m, 3) over whose outline the points lie. Of a line or a point the height is that of the segment
    from the lowest corner to the highest, where the point is beside it.
    """
    heights = low @ n
    facing = core.normals @ n
    down = facing < -1e-6
    if not down.any() or len(low) < 3:
        ends = low[[heights.argmin(), heights.argmax()]]
        flat = ends - np.outer(ends @ n, n)
        along = flat[1] - flat[0]
        length = along @ along or np.inf  # a point, which is 0 of the way along
        places = [(x - flat[0]) @ along / length for x in base - np.outer(base @ n, n)]
        shares = np.clip(places, 0, 1)
        return np.array([((1 - t) * ends[0] + t * ends[1]) @ n for t in shares])
    entering = (
        core.offsets[down] - (base - np.outer(base @ n, n)) @ core.normals[down].T
    ) / facing[down]
    return entering.max(1).clip(heights.min(), heights.max())


def straight_at(rim: Array, u: Array, tolerance: float) -> Array:
    """Return the directions (d, 2) in which an outline (k, 2) continues straight, both ways, from its point u (2,).

    None at a corner, one on a side, two inside.
    """
    if np.abs(rim - u).max(-1).min() <= tolerance:
        return np.zeros((0, 2))
    sides = unit_rows(np.roll(rim, -1, axis=0) - rim)
    beside = np.abs(sides[:, 0] * (u - rim)[:, 1] - sides[:, 1] * (u - rim)[:, 0])
    return sides[[beside.argmin()]] if len(rim) == 2 or beside.min() <= tolerance else np.eye(2)


def surfaces_at(a: Any, b: Any, at: Any, points: Sequence[Array]) -> list[tuple[Any, Any]]:
    """Return the radii and the edges of both surfaces at points (3,) of the contact between two cores in the world.

    at : their separation. Seen along the normal, a core's lowest corners are one, an edge or a face. A corner of one
    within a face of the other is a corner on a face; where the sides of two faces cross, two edges touch. b may be a
    half-space (normal, point), which is a face.
    """
    if isinstance(b, tuple):
        return [((a.radius, np.inf), (None, None))] * len(points)
    n, origin = at.normal, at.points.mean(0)
    tolerance = 1e5 * rounding_of(a.corners - origin, b.corners - origin)
    across = across_of(n)
    lowest = lowest_corners(a, n, tolerance), lowest_corners(b, -n, tolerance)
    rims = [outline((corners - origin) @ across.T, tolerance) for corners in lowest]
    found: list[tuple[Any, Any]] = []
    for point in points:
        straight = [straight_at(rim, across @ (point - origin), tolerance) for rim in rims]
        if len(rims[1]) > 2 and len(straight[0]) == 0:
            found.append(((a.radius, np.inf), (None, None)))
        elif len(rims[0]) > 2 and len(straight[1]) == 0:
            found.append(((np.inf, b.radius), (None, None)))
        else:
            flat = [len(directions) == 2 for directions in straight]
            radii = [np.inf if f else core.radius for f, core in zip(flat, (a, b), strict=True)]
            edges = [d[0] @ across if len(d) == 1 else None for d in straight]
            found.append(((radii[0], radii[1]), (edges[0], edges[1])))
    return found


def turned(
    point: Array, normal: Array, gap: float, surfaces: Any
) -> tuple[Array, Array, float, Any]:
    """Return a place of contact as it is for the other of the two bodies."""
    radii, edges = surfaces
    return point, -normal, gap, (radii[::-1], edges[::-1])
