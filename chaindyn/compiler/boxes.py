"""Where two boxes touch, by choices alone: the axis that separates them, and the common part of what they turn to it.

They are the points that `find_contacts` has. The normal is the first of fifteen axes along which the overlap is least.
The corners that lie lowest along it, and those of the other box that lie highest, span two outlines; the corners of the
outlines' common part are the points. Lowest are at most the four corners of one face. So each outline has four sides,
some of length zero, and the common part at most eight corners: one where each side enters the other outline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from chaindyn._ops import concatenate, positive, sqrt, stack, where

__all__: list[str] = []

Array = Any

# Eight corners of a common part, and the nearest points where none of them is as deep.
MOST_POINTS = 9
ROUNDING = 128 * np.finfo(float).eps  # of half diagonals, as `rounding_of` has it of corners
FLAT = 1e5  # of the same, up to which a face lies flat, as `flat_within` has it
FAR = 1e30  # more than any gap or depth [m]
# Square of the sine up to which two edges have no common normal, as of `crossed_edges`.
PARALLEL = 1e-12


@dataclass(frozen=True, eq=False)
class Solid:
    """A box: its middle (3,), the directions of its edges (3, 3), rows, and half their lengths (3,)."""

    middle: Array
    edges: Array
    half: Array

    @classmethod
    def of(cls, row: Array) -> Solid:
        """Return the box that a row (15,) says."""
        return cls(row[:3], row[3:12].reshape(3, 3), row[12:])

    @property
    def row(self) -> Array:
        """All of it as a row (15,)."""
        return concatenate([self.middle, self.edges.reshape(9), self.half], axis=-1)

    def reach(self, n: Array) -> Array:
        """Return how far (1,) it reaches from its middle along a direction (3,)."""
        return dot(self.half, size(self.edges @ n))


@dataclass(frozen=True, eq=False)
class Axis:
    """What may separate two boxes: normal n (3,) into the first, depth (1,), and by what.

    ours : 1 if it is across a face of the first, else 0 (1,); own, other : edges (3,) that it is across, or zeros.
    """

    n: Array
    depth: Array
    ours: Array
    own: Array
    other: Array

    def or_if_less(self, new: Axis, within: Array) -> Axis:
        """Return this, or another one that is less deep, by more than rounding."""
        less = positive(self.depth - new.depth - within)
        pairs = zip(vars(new).values(), vars(self).values(), strict=True)
        return Axis(*[where(less, x, y) for x, y in pairs])


@dataclass(frozen=True, eq=False)
class Outline:
    """What a box turns to another one, seen along a normal: corners of one of its faces, counterclockwise.

    corners : (4, 2), of which some are the same; solid : 1 if more than two differ, else 0 (1,); slope : (2,), and
    height : (1,) over the origin, of its surface; low, high : (1,), its least and greatest height; sound : (1,),
    positive if it is all that is near enough.
    """

    corners: Array
    solid: Array
    slope: Array
    height: Array
    low: Array
    high: Array
    sound: Array

    def heights(self, x: Array) -> Array:
        """Return the height (1,) of the surface over a point (2,)."""
        height = self.height + dot(self.slope, x)
        height = where(positive(height - self.low), height, self.low)
        return where(positive(self.high - height), height, self.high)


def dot(x: Array, y: Array) -> Array:
    """Return the product of two vectors as an array (1,)."""
    return (x * y).sum(-1, keepdims=True)


def size(x: Array) -> Array:
    """Return absolute values."""
    return where(positive(x), x, -x)


def crossed(x: Array, y: Array) -> Array:
    """Return the cross product of vectors (3,), or of columns (3, k), (3, 1)."""
    after, before = np.array([1, 2, 0]), np.array([2, 0, 1])
    return x[after] * y[before] - x[before] * y[after]


def least(numbers: Sequence[Array]) -> Array:
    """Return the least of some arrays (1,)."""
    first, *others = numbers
    for x in others:
        first = where(positive(first - x), x, first)
    return first


def separating_axis(a: Solid, b: Solid, within: Array) -> Axis:
    """Return the first of the axes along which two boxes overlap least, to rounding (1,)."""
    apart, none, one = a.middle - b.middle, np.zeros(3), np.ones(1)
    axes = [(n, one, none, none, None) for n in a.edges]
    axes += [(n, 0 * one, none, none, None) for n in b.edges]
    for e in a.edges:
        for f in b.edges:
            m = crossed(e, f)
            square = dot(m, m)
            crossing = positive(square - PARALLEL)
            n = m / sqrt(where(crossing, square, 1))
            axes.append((n, 0 * one, e, f, crossing))
    found = list[Axis]()
    for n, ours, own, other, sound in axes:
        along = dot(apart, n)
        n = where(positive(-along - within), -n, n)
        depth = a.reach(n) + b.reach(n) - size(along)
        depth = depth if sound is None else where(sound, depth, FAR)
        new = Axis(n, depth, ours, own, other)
        found = [found[0].or_if_less(new, within)] if found else [new]
    return found[0]


def frame_across(n: Array) -> Array:
    """Return two unit vectors (2, 3) which with a unit vector (3,) as the third form a right-handed frame."""
    x, y, z = n[0:1], n[1:2], n[2:3]
    side = where(positive(z), 1, -1)
    f = -1 / (side + z)
    first = concatenate([1 + side * x * x * f, side * x * y * f, -side * x], axis=-1)
    return stack([first, concatenate([x * y * f, side + y * y * f, -y], axis=-1)], axis=-2)


def extreme(own: Solid, n: Array, side: int, edge: Array) -> Array:
    """Return the corner (3,) that is farthest along side times n; with an edge that is no zeros, the middle of that."""
    along = own.edges @ n
    signs = where(positive(side * along), 1, -1)
    along_edge = size(own.edges @ edge)
    return own.middle + (where(positive(along_edge - 0.5), 0, signs * own.half)) @ own.edges


def outline_of(own: Solid, n: Array, across: Array, side: int, reach: Array) -> Outline:
    """Return the outline of the corners that are farthest along side times n (3,), to within a reach (1,).

    They are of the face whose middle is farthest; across : (2, 3), the plane in which they are seen.
    """
    along = own.edges @ n
    far = own.half * size(along)
    turn = [np.roll(np.arange(3), -k) for k in range(3)]
    first = positive(far[0:1] - far[1:2]) & positive(far[0:1] - far[2:3])
    second = positive(far[1:2] - far[2:3])

    def chosen(x: Array) -> Array:
        return where(first, x[turn[0]], where(second, x[turn[1]], x[turn[2]]))

    edges = stack([chosen(x) for x in own.edges.T], axis=-1)
    half, along, far = chosen(own.half), chosen(along), chosen(far)
    up = where(positive(along[0:1]), 1, -1)
    W, U, V = side * up * half[0:1] * edges[0], half[1:2] * edges[1], up * half[2:3] * edges[2]
    middle = own.middle + W
    seen = [middle @ across.T + s * (U @ across.T) + t * (V @ across.T) for s, t in SIGNS]
    tops = [dot(middle, n) + s * dot(U, n) + t * dot(V, n) for s, t in SIGNS]
    top = side * dot(middle, n) + far[1:2] + far[2:3]
    near = [positive(reach - (top - side * h)) for h in tops]
    rims = [concatenate([x, h], axis=-1) for x, h in zip(seen, tops, strict=True)]
    for k in (3, 2, 1, 0, 3, 2, 1):  # a corner that is too far gives way to the next
        rims[k] = where(near[k], rims[k], rims[(k + 1) % 4])
    corners = stack(rims, axis=-2)
    heights = [x[2:] for x in rims]
    slope = -(edges[0] @ across.T) / along[0:1]
    count = sum(where(x, 1, 0) for x in near)
    return Outline(
        corners[:, :2],
        where(positive(count - 2.5), 1, 0),
        slope,
        dot(middle, n) - dot(slope, middle @ across.T),
        least(heights),
        -least([-h for h in heights]),
        2 * far[0:1] - reach,
    )


SIGNS = ((1, 1), (-1, 1), (-1, -1), (1, -1))


def inside_of(x: Array, rim: Array, lengths: Sequence[Array]) -> list[Array]:
    """Return how far (1,) inside each side of an outline (4, 2) a point (2,) is; inside of those of length zero."""
    found = []
    for k, length in enumerate(lengths):
        along, to = rim[(k + 1) % 4] - rim[k], x - rim[k]
        turn = along[0:1] * to[1:2] - along[1:2] * to[0:1]
        there = positive(length)
        found.append(where(there, turn / where(there, length, 1), 1))
    return found


def entries(rim: Array, other: Array, within: Array) -> list[tuple[Array, Array]]:
    """Return for each side of an outline (4, 2) where (2,) it enters another one, and whether it does (1,)."""
    lengths = [[side_length(own, k, within) for k in range(4)] for own in (rim, other)]
    inside = [inside_of(x, other, lengths[1]) for x in rim]
    found = []
    for k in range(4):
        first, last, misses = np.zeros(1), np.ones(1), positive(np.zeros(1))
        for here, there in zip(inside[k], inside[(k + 1) % 4], strict=True):
            enters, leaves = positive(-within - here), positive(-within - there)
            change = here - there
            share = here / where(positive(change * change), change, 1)
            later = enters & positive(share - first)
            sooner = leaves & positive(last - share)
            first, last = where(later, share, first), where(sooner, share, last)
            misses = where(enters & leaves, 1, misses)
        length = lengths[0][k]
        crosses = positive((last - first) * length - within) & positive(0.5 - misses)
        found.append((rim[k] + first * (rim[(k + 1) % 4] - rim[k]), crosses))
    return found


def side_length(rim: Array, k: int, within: Array) -> Array:
    """Return the length (1,) of a side of an outline (4, 2), zero if it is nearly that."""
    along = rim[(k + 1) % 4] - rim[k]
    square = dot(along, along)
    there = positive(square - within * within)
    return where(there, sqrt(where(there, square, 1)), 0)


def nearest_point(a: Solid, b: Solid, axis: Axis) -> Array:
    """Return the point (3,) midway between the nearest ones of two boxes, as far as they are corners or edges."""
    x, y = extreme(a, axis.n, -1, axis.own), extreme(b, axis.n, 1, axis.other)
    e, f, c = axis.own, axis.other, y - x
    m = crossed(e, f)
    square = dot(m, m)
    crossing = positive(square)
    below = where(crossing, square, 1)
    on_a = x + dot(crossed(c, f), m) / below * e
    on_b = y + dot(crossed(c, e), m) / below * f
    half = axis.depth / 2 * axis.n
    return where(crossing, (on_a + on_b) / 2, where(positive(axis.ours), y - half, x + half))


def between_boxes(a: Solid, b: Solid, margin: float) -> tuple[Array, Array, Array, Array, Array]:
    """Return where two boxes touch: points (9, 3), their normal (3,) into the first, gaps (9,), and which are closed.

    The last says, where it is not positive (1,), that this may not be what `find_contacts` finds.
    """
    rounding = ROUNDING * (sqrt(dot(a.half, a.half)) + sqrt(dot(b.half, b.half)))
    within = FLAT * rounding
    origin = b.middle
    a, b = Solid(a.middle - origin, a.edges, a.half), Solid(0 * origin, b.edges, b.half)
    axis = separating_axis(a, b, rounding)
    across = frame_across(axis.n)
    touching = positive(axis.depth + margin + rounding)
    overlap = margin + axis.depth
    reach = where(positive(overlap), overlap, 0) + within
    below = outline_of(a, axis.n, across, -1, reach)
    above = outline_of(b, axis.n, across, 1, reach)
    places = [
        (x, yes & positive(above.solid)) for x, yes in entries(below.corners, above.corners, within)
    ]
    places += [
        (x, yes & positive(below.solid)) for x, yes in entries(above.corners, below.corners, within)
    ]
    limit = where(positive(margin + axis.depth), margin, -axis.depth) + within
    points, gaps, closed = [], [], []
    for x, yes in places:
        under, over = below.heights(x), above.heights(x)
        points.append(x @ across + (under + over) / 2 * axis.n)
        gaps.append(under - over)
        closed.append(yes & positive(limit - gaps[-1]))
    for j, k in combinations(range(8), 2):
        off = places[j][0] - places[k][0]
        closed[k] = closed[k] & positive(where(closed[j], dot(off, off) - within * within, 1))
    deep = [where(yes, gap, FAR) for yes, gap in zip(closed, gaps, strict=True)]
    lacking = positive(least(deep) + axis.depth - within)
    points.append(nearest_point(a, b, axis))
    gaps.append(-axis.depth)
    closed = [x & touching for x in (*closed, lacking)]
    faces = least([below.sound, above.sound])
    apart = where(lacking, within + axis.depth, 1)
    trust = where(touching, least([faces, apart]), 1)
    return (
        stack(points, axis=-2) + origin,
        axis.n,
        concatenate(gaps, axis=-1),
        concatenate(closed, axis=-1),
        trust,
    )
