"""What two collision libraries, Coal and FCL, say of random pairs of shapes, kept as data.

Run from tests/ as ``python -m oracles.make_geometry`` where coal and python-fcl are installed (chaindyn is not
needed). Written to geometry.json.gz: the pairs, and for each library distance, normal (from the second shape
into the first) and witness points; null where it has none to give.

FCL is asked for distances only, of pairs that are apart. Its depths come from a search that stops at 1e-6 and
is not always at the bottom; Coal's are used.
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
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

FILE = Path(__file__).with_name("geometry.json.gz")
KINDS = ("Sphere", "Capsule", "Box", "ConvexHull")
CLOSE = 1e-10  # what both libraries are asked for
EACH = {"apart": 24, "touching": 16, "deep": 24, "far": 8, "parallel": 24}


def random_shape(kind: str, rng: Any) -> list[Any]:
    """Return the arguments of a shape of this kind."""
    match kind:
        case "Sphere":
            return [rng.uniform(0.1, 1)]
        case "Capsule":
            return [rng.uniform(0.1, 0.6), rng.uniform(0.2, 2)]
        case "Box":
            return [rng.uniform(0.2, 2, 3).tolist()]
    return [rng.normal(size=(int(rng.integers(4, 24)), 3)).tolist()]


def triangles_of(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return corners (k, 3) and outward triangles (f, 3) of the hull of some points."""
    hull = ConvexHull(points)
    renumbered = np.full(len(points), -1)
    renumbered[hull.vertices] = np.arange(len(hull.vertices))
    corners, faces = points[hull.vertices], []
    for simplex, equation in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = points[simplex]
        turned = np.cross(b - a, c - a) @ equation[:3] < 0
        faces.append(renumbered[simplex[::-1] if turned else simplex])
    return corners, np.array(faces)


def for_coal(kind: str, arguments: list[Any]) -> Any:
    """Return Coal's shape."""
    if kind != "ConvexHull":
        return getattr(coal, kind)(*(np.array(x) if isinstance(x, list) else x for x in arguments))
    points = coal.StdVec_Vec3s()
    corners, faces = triangles_of(np.array(arguments[0]))
    points.extend(list(corners))
    triangles = coal.StdVec_Triangle()
    triangles.extend([coal.Triangle(*(int(i) for i in face)) for face in faces])
    return coal.Convex(points, triangles)


def for_fcl(kind: str, arguments: list[Any]) -> Any:
    """Return FCL's shape."""
    if kind == "Box":
        return fcl.Box(*arguments[0])
    if kind != "ConvexHull":
        return getattr(fcl, kind)(*arguments)
    corners, faces = triangles_of(np.array(arguments[0]))
    packed = np.concatenate([np.insert(face, 0, 3) for face in faces])
    return fcl.Convex(corners, len(faces), packed)


def ask_coal(pair: dict[str, Any]) -> dict[str, Any]:
    """Return signed distance, normal and witness points."""
    shapes = [for_coal(*pair[k]) for k in ("a", "b")]
    poses = [coal.Transform3s(np.array(R), np.array(p)) for R, p in (pair["pose_a"], pair["pose_b"])]
    request, result = coal.DistanceRequest(True), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = CLOSE
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    found = coal.distance(shapes[0], poses[0], shapes[1], poses[1], request, result)
    points = [result.getNearestPoint1(), result.getNearestPoint2()]
    return {"distance": found, "normal": (-np.array(result.normal)).tolist(), "points": np.array(points).tolist()}


def ask_fcl(pair: dict[str, Any]) -> dict[str, Any]:
    """Return distance and witness points of shapes that are apart."""
    objects = [
        fcl.CollisionObject(for_fcl(*pair[k]), fcl.Transform(np.array(R), np.array(p)))
        for k, (R, p) in (("a", pair["pose_a"]), ("b", pair["pose_b"]))
    ]
    request = fcl.DistanceRequest(
        enable_nearest_points=True, gjk_solver_type=fcl.GJKSolverType.GST_LIBCCD
    )
    result = fcl.DistanceResult()
    found = fcl.distance(*objects, request, result)
    return {"distance": found, "points": np.array(result.nearest_points).tolist()}


def pose(rng: Any, spread: float) -> list[Any]:
    """Return a random rotation and place."""
    return [Rotation.random(rng=rng).as_matrix().tolist(), (spread * rng.normal(size=3)).tolist()]


def random_pair(kinds: tuple[str, str], how: str, rng: Any) -> dict[str, Any]:
    """Return two shapes at two poses, placed as `how` says."""
    pair: dict[str, Any] = {"how": how}
    for k, kind in zip("ab", kinds, strict=True):
        pair[k] = [kind, random_shape(kind, rng)]
        pair[f"pose_{k}"] = pose(rng, {"deep": 0.2, "far": 100}.get(how, 1.0))
    if how == "parallel":  # one rotation for both, and one of them shifted straight along an axis of it
        pair["pose_b"][0] = pair["pose_a"][0]
        axis = np.array(pair["pose_a"][0])[:, int(rng.integers(3))]
        pair["pose_b"][1] = (np.array(pair["pose_a"][1]) + axis * rng.uniform(-3, 3)).tolist()
    if how in ("apart", "touching"):  # move the first away along the normal, or onto the surface
        found = ask_coal(pair)
        wanted = rng.uniform(0.05, 2) if how == "apart" else 0.0
        shift = (wanted - found["distance"]) * np.array(found["normal"])
        pair["pose_a"][1] = (np.array(pair["pose_a"][1]) + shift).tolist()
    return pair


def main() -> None:
    """Write the pairs and what both libraries say of them."""
    rng, pairs = np.random.default_rng(1600), []
    for first, a in enumerate(KINDS):
        for b in KINDS[first:]:
            for how, count in EACH.items():
                for _ in range(count):
                    pair = random_pair((a, b), how, rng)
                    pair["coal"] = ask_coal(pair)
                    pair["fcl"] = ask_fcl(pair) if pair["coal"]["distance"] > 1e-3 else None
                    pairs.append(pair)
    content = {
        "engines": {name: importlib.metadata.version(name) for name in ("coal", "python-fcl")},
        "pairs": pairs,
    }
    text = json.dumps(content, separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{FILE.name}: {len(pairs)} pairs, {FILE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
