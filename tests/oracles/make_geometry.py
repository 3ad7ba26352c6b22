"""What two collision libraries, Coal and FCL, say of the pairs of shapes in `pairs`, kept as data.

Run from tests/ as ``python -m oracles.make_geometry``; needs coal and python-fcl. Written to geometry.json.gz: for
each pair Coal's signed distance and its normal, from the second shape into the first, and FCL's distance where
they are apart, else null. The shapes are not stored: `pairs` makes the same ones each time.

FCL is asked for distances only: its depths come from a search that may stop short of the bottom.
"""

from __future__ import annotations

import gzip
import importlib.metadata
import json
from pathlib import Path
from typing import Any

import coal
import fcl
import numpy as np
from pairs import Pair, pairs
from scipy import spatial

from chaindyn import ConvexHull

FILE = Path(__file__).with_name("geometry.json.gz")
EACH = 200
CLOSE = 1e-10  # what Coal is asked for


def triangles_of(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return corners (k, 3) and outward triangles (f, 3) of the hull of some points."""
    hull = spatial.ConvexHull(points)
    renumbered = np.full(len(points), -1)
    renumbered[hull.vertices] = np.arange(len(hull.vertices))
    faces = []
    for simplex, equation in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = points[simplex]
        inward = np.cross(b - a, c - a) @ equation[:3] < 0
        faces.append(renumbered[simplex[::-1] if inward else simplex])
    return points[hull.vertices], np.array(faces)


def for_coal(shape: Any) -> Any:
    """Return Coal's shape."""
    name = type(shape).__name__
    if name != "ConvexHull":
        sizes = vars(shape).values()
        return getattr(coal, name)(*(x for x in sizes if isinstance(x, float | np.ndarray)))
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    corners, faces = triangles_of(shape.points)
    points.extend(list(corners))
    triangles.extend([coal.Triangle(*(int(i) for i in face)) for face in faces])
    return coal.Convex(points, triangles)


def for_fcl(shape: Any) -> Any:
    """Return FCL's shape."""
    if isinstance(shape, ConvexHull):
        corners, faces = triangles_of(shape.points)
        return fcl.Convex(corners, len(faces), np.insert(faces, 0, 3, axis=1).ravel())
    name = type(shape).__name__
    sizes = [shape.radius, shape.length] if name == "Capsule" else None
    return getattr(fcl, name)(*(sizes or (shape.sides if name == "Box" else [shape.radius])))


def ask_coal(pair: Pair) -> list[float]:
    """Return signed distance and normal (4 numbers)."""
    poses = [coal.Transform3s(*pose) for pose in (pair.pose_a, pair.pose_b)]
    request, result = coal.DistanceRequest(True), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = CLOSE
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    a, b = for_coal(pair.a), for_coal(pair.b)
    found = coal.distance(a, poses[0], b, poses[1], request, result)
    return [round(float(x), 12) for x in (found, *-np.array(result.normal))]


def ask_fcl(pair: Pair) -> float:
    """Return the distance of shapes that are apart."""
    objects = [
        fcl.CollisionObject(for_fcl(shape), fcl.Transform(*pose))
        for shape, pose in ((pair.a, pair.pose_a), (pair.b, pair.pose_b))
    ]
    result = fcl.DistanceResult()
    return round(float(fcl.distance(*objects, fcl.DistanceRequest(), result)), 12)


def main() -> None:
    """Write what both libraries say."""
    said = []
    for pair in pairs(EACH):
        by_coal = ask_coal(pair)
        said.append([*by_coal, ask_fcl(pair) if by_coal[0] > 1e-3 else None])
    content = {
        "engines": {name: importlib.metadata.version(name) for name in ("coal", "python-fcl")},
        "each": EACH,
        "results": said,
    }
    text = json.dumps(content, separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{FILE.name}: {len(said)} pairs, {FILE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
