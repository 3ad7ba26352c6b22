# Generated from chapters/30_shapes_that_degenerate.md by `python -m book export`; edit it there.
# sha256 of the text below: 06e706907231852a6a538a27f57cd62bb6ff162fd447f0fa1ea279f473dbd661
"""Triangles: bodies without an inside.

Derived in chapter 30, "Shapes that degenerate".
"""

import numpy as np

from chaindyn._ops import Array
from chaindyn.geometry import along_segment, nearest_on_segments

__all__: list[str] = []


# Chapter 30, "Shapes that degenerate": Triangles: bodies without an inside
def foot_in_triangle(x: Array, triangle: Array) -> Array | None:
    """Return the foot (3,) of the perpendicular from x (3,); None if it lies beside."""
    edges = triangle[1:] - triangle[0]
    t = np.linalg.lstsq(edges.T, x - triangle[0], rcond=None)[0]
    return triangle[0] + t @ edges if t.min() >= 0 and t.sum() <= 1 else None


def pierced_at(ends: Array, triangle: Array) -> Array | None:
    """Return the point (3,) where a segment (2, 3) goes through a triangle, or None."""
    n = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
    before, after = (ends - triangle[0]) @ n
    if before * after > 0 or before == after:
        return None
    x = along_segment(ends, before / (before - after))
    foot = foot_in_triangle(x, triangle)
    return x if foot is not None else None


# Chapter 30, "Shapes that degenerate": Triangles: bodies without an inside
def triangle_distance(a: Array, b: Array) -> tuple[float, Array]:
    """Return the distance [m] of two triangles (3, 3), and their nearest points (2, 3).

    It is zero where they meet. Where they do not, a corner of one is nearest to the
    face of the other, or two edges are nearest.
    """
    rims = [(t[[0, 1]], t[[1, 2]], t[[2, 0]]) for t in (a, b)]
    crossings = [pierced_at(e, b) for e in rims[0]]
    crossings += [pierced_at(e, a) for e in rims[1]]
    pairs = [(x, x) for x in crossings if x is not None]
    pairs += [(x, y) for x in a if (y := foot_in_triangle(x, b)) is not None]
    pairs += [(x, y) for y in b if (x := foot_in_triangle(y, a)) is not None]
    pairs += [tuple(nearest_on_segments(d, e)) for d in rims[0] for e in rims[1]]
    gaps = [float(np.linalg.norm(x - y)) for x, y in pairs]
    best = int(np.argmin(gaps))
    return gaps[best], np.array(pairs[best])
