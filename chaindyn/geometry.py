# Generated from chapters/16_where_bodies_touch.md by `python -m book export`; edit it there.
# sha256 of the text below: 3d3ddae834a5b1775d4dee5d2ff0f7a2fd15f94ec3f2332e2fca45d8c45f5a50
"""Geometry: where the links of a chain touch each other and the ground.

Derived in chapter 16, "Where bodies touch".
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.chain import Chain, forward_kinematics
from chaindyn.guards.arguments import (
    check_array,
    check_positive_number,
    is_several,
    require_one_state,
    require_rotation,
    unit,
)
from chaindyn.guards.door import checked
from chaindyn.guards.numbers import as_array, as_real, read_only, require_finite

__all__ = [
    "Box",
    "Capsule",
    "Contact",
    "ConvexHull",
    "Geometry",
    "HalfSpace",
    "Separation",
    "Sphere",
    "distance",
    "find_contacts",
]


# Chapter 16, "Where bodies touch": Four shapes and a floor
@dataclass(frozen=True, eq=False)
class Core:
    """A convex polytope and a radius: all points no farther than the radius from the
    polytope.

    corners : (k, 3) [m], one for a ball, two for a capsule, four or more for a solid.
    radius : [m], 0 for a solid.
    normals, offsets : (f, 3) and (f,), the faces of a solid: its points are those with
    normals @ x <= offsets.
    edges : (e, 3), the directions of a box's edges; of other solids they are not
    needed.
    """

    corners: Array
    radius: float = 0.0
    normals: Array = field(default_factory=lambda: np.zeros((0, 3)))
    offsets: Array = field(default_factory=lambda: np.zeros(0))
    edges: Array = field(default_factory=lambda: np.zeros((0, 3)))

    def placed(self, R: Array, p: Array) -> "Core":
        """Return the same core with its frame at the pose R (3, 3), p (3,)."""
        normals = self.normals @ R.T
        offsets = self.offsets + normals @ p
        return Core(self.corners @ R.T + p, self.radius, normals, offsets, self.edges @ R.T)


@dataclass(frozen=True, eq=False)
class Shape:
    """The common part of all bounded shapes: a core, in the shape's frame."""

    @cached_property
    def core(self) -> Core:
        """The polytope of the shape and its padding radius."""
        raise NotImplementedError(f"{type(self).__name__} must say what its core is")


@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A ball about the origin of its frame; radius in metres. ValueError if it is not
    positive.
    """

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_positive_number(self.radius, "Sphere.radius"))

    @cached_property
    def core(self) -> Core:
        """A point."""
        return Core(np.zeros((1, 3)), self.radius)


@dataclass(frozen=True, eq=False)
class Capsule(Shape):
    """All points within a radius of a segment: length [m] along z, half of it on each
    side of the origin.

    The length is that between the centres of the two round ends. ValueError if either
    is not positive.
    """

    radius: float
    length: float

    def __post_init__(self) -> None:
        for name in ("radius", "length"):
            value = check_positive_number(getattr(self, name), f"Capsule.{name}")
            object.__setattr__(self, name, value)

    @cached_property
    def core(self) -> Core:
        """A segment."""
        half = self.length / 2
        return Core(np.array([[0.0, 0.0, -half], [0.0, 0.0, half]]), self.radius)


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A cuboid about the origin; sides (3,) are its full lengths along x, y and z [m],
    all positive.
    """

    sides: Array

    def __post_init__(self) -> None:
        sides = check_array(self.sides, "Box.sides", (3,))
        sides = as_real(sides, "Box.sides")
        if not (sides > 0).all():
            raise ValueError(f"Box.sides is {sides.tolist()}, but all must be positive")
        object.__setattr__(self, "sides", read_only(sides))

    @cached_property
    def core(self) -> Core:
        """Eight corners and six faces."""
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        normals = np.concatenate([np.eye(3), -np.eye(3)])
        offsets = np.concatenate([self.sides, self.sides]) / 2
        return Core(signs * self.sides / 2, 0.0, normals, offsets, np.eye(3))


@dataclass(frozen=True, eq=False)
class ConvexHull(Shape):
    """The smallest convex solid that holds points (m, 3) [m], in any order; points
    inside have no effect.

    ValueError if there are fewer than four points, or if all lie in a plane, to 1e-9 of
    their extent.
    """

    points: Array

    def __post_init__(self) -> None:
        name = "ConvexHull.points"
        points = as_array(self.points, name)
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 4:
            raise ValueError(
                f"{name} has shape {points.shape}, but must be (m, 3) with four points or more"
            )
        require_finite(points, name)
        points = as_real(points, name)
        sizes = np.linalg.svd(points - points.mean(0), compute_uv=False)
        if not sizes[2] > 1e-9 * sizes[0]:
            raise ValueError(
                f"{name} lies in a plane, a line or a point (extents {sizes.round(12).tolist()}), but must "
                "enclose a volume: give a thin plate its thickness"
            )
        object.__setattr__(self, "points", read_only(points))

    @cached_property
    def core(self) -> Core:
        """The corners and faces, as Qhull finds them."""
        from scipy import spatial

        try:
            hull = spatial.ConvexHull(self.points)
        except spatial.QhullError:
            raise ValueError(
                "ConvexHull.points are too far away, too large or too small for Qhull to tell them apart"
            ) from None
        faces = np.unique(hull.equations.round(12), axis=0, return_index=True)[1]
        faces = hull.equations[np.sort(faces)]  # a face of many corners comes as many triangles
        corners = self.points[np.sort(hull.vertices)]
        return Core(corners, 0.0, faces[:, :3], -faces[:, 3])


@dataclass(frozen=True, eq=False)
class HalfSpace:
    """All points x with normal . x <= 0 in the shape's frame: a floor or a wall without
    end.

    normal : (3,) points out of it, of any length but zero.
    """

    normal: Array

    def __post_init__(self) -> None:
        normal = check_array(self.normal, "HalfSpace.normal", (3,))
        object.__setattr__(
            self, "normal", unit(as_real(normal, "HalfSpace.normal"), "HalfSpace.normal")
        )


# Chapter 16, "Where bodies touch": Closed forms first
def rounding_of(a: Array, b: Array) -> float:
    """Return a bound for the rounding of differences of points (k, 3) and (m, 3): 64
    units of their extent [m].
    """
    extent = np.abs(a - b[0]).max() + np.abs(b - b[0]).max()
    return 64 * float(np.finfo(float).eps * extent)


def place_on_segment(x: Array, ends: Array) -> float:
    """Return where between the ends (2, 3) of a segment, from 0 to 1, it is nearest to
    x (3,).
    """
    along = ends[1] - ends[0]
    length = along @ along
    return float(np.clip((x - ends[0]) @ along / length, 0, 1)) if length else 0.0


def along_segment(ends: Array, t: float) -> Array:
    """Return the point (3,) of a segment at a share t of its length."""
    return (1 - t) * ends[0] + t * ends[1]


def nearest_on_segments(a: Array, b: Array) -> Array:
    """Return the points (2, 3), on a and on b, where two segments (2, 3) are nearest;
    either may be one point.

    Each end is tested against the other segment, and the insides against each other,
    except where the segments are parallel.
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


def unit_rows(vectors: Array) -> Array:
    """Return vectors (m, 3) at length one, those of length zero as they are."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def common_normal(axes: Array) -> Array:
    """Return a unit vector at right angles to vectors (m, 3) that lie in a plane; there
    may be several, or all.
    """
    rows = np.concatenate([unit_rows(axes), np.zeros((3, 3))])
    normal: Array = np.linalg.svd(rows)[2][2]
    return normal


def sharpened_normal(n: Array, candidates: Array, noise: float) -> Array:
    """Return a unit vector n (3,), known to `noise`, or one of some unit vectors (m, 3)
    that equals it to that.

    Such a candidate is n in exact arithmetic, or as good.
    """
    if not len(candidates):
        return n
    off = np.linalg.norm(candidates - n, axis=1)
    best = int(off.argmin())
    return candidates[best] if off[best] <= noise else n


def are_parallel(u: Array, v: Array) -> bool:
    """Whether two vectors (3,) lie along each other, to 1e-9, or one is zero."""
    crossed = np.linalg.norm(np.cross(u, v))
    return bool(crossed <= 1e-9 * np.linalg.norm(u) * np.linalg.norm(v))


def thin_distance(a: Array, b: Array) -> tuple[Array, Array]:
    """Return nearest points (2, 3) and unit normal, from b to a, of points or segments:
    corners (1 or 2, 3).

    Where the two meet, the normal is at right angles to both, and points to the side of
    a's middle; any one of several such directions.
    """
    points = nearest_on_segments(a[[0, -1]], b[[0, -1]])
    v = points[0] - points[1]
    rounding = rounding_of(a, b)
    across = common_normal(np.array([a[-1] - a[0], b[-1] - b[0]]))
    length = np.linalg.norm(v)
    if length > rounding:
        crossing = len(a) == len(b) == 2 and not are_parallel(a[1] - a[0], b[1] - b[0])
        candidates = np.array([across, -across]) if crossing else np.zeros((0, 3))
        return points, sharpened_normal(v / length, candidates, float(rounding / length))
    return points, across if (a.mean(0) - b.mean(0)) @ across >= 0 else -across


# Chapter 16, "Where bodies touch": Any two bodies: one point against the origin
@dataclass(frozen=True, eq=False)
class Simplex:
    """Some corners of a - b, and the point of their hull that is nearest to the origin.

    pairs : (k, 2), k at most 4, which corner of a and of b each is. points : (k, 3),
    their differences [m].
    weights : (k,), positive, of sum one.
    """

    pairs: Array
    points: Array
    weights: Array

    @property
    def nearest(self) -> Array:
        """The point (3,) nearest to the origin."""
        return self.weights @ self.points


def affine_weights(points: Array) -> Array:
    """Return weights (k,), of sum one, of the point nearest to the origin on the line,
    plane ... through points.
    """
    edges = points[1:] - points[0]
    t = np.linalg.lstsq(edges.T, -points[0], rcond=None)[0]
    return np.concatenate([[1 - t.sum()], t])


def reduced_simplex(simplex: Simplex) -> Simplex:
    """Return a part of a simplex and its nearest point, which is nearer than the point
    that the weights give.

    Walk from there towards the nearest point of the whole plane; where a weight would
    turn negative, stop, drop that corner, and walk on in what is left. Each walk but
    the last loses a corner: three at most (Wolfe 1976). Usually, but not always, no
    other part is nearer.
    """
    pairs, points, weights = simplex.pairs, simplex.points, simplex.weights
    while len(points) > 1:
        target = affine_weights(points)
        falling = target <= 0
        if not falling.any():
            return Simplex(pairs, points, target)
        fall = (weights - target)[falling]
        share = weights[falling] / np.where(fall > 0, fall, 1)
        weights = weights + share.min() * (target - weights)
        weights[np.flatnonzero(falling)[share.argmin()]] = 0
        kept = weights > 0
        pairs, points, weights = (
            pairs[kept],
            points[kept],
            weights[kept] / weights[kept].sum(),
        )
    return Simplex(pairs, points, weights)


def farthest_pair(a: Array, b: Array, direction: Array) -> tuple[int, int]:
    """Return which corners of a (k, 3) and b (m, 3) have the difference that lies
    farthest in a direction (3,).
    """
    return int((a @ direction).argmax()), int((b @ direction).argmin())


def direction_of(simplex: Simplex) -> Array:
    """Return the direction (3,) from the origin to the nearest point of a simplex: of a
    triangle, its normal.

    They are the same, but a close nearest point has lost digits that the triangle's
    edges still have.
    """
    v = simplex.nearest
    if len(simplex.points) == 3:
        normal = unit_rows(np.cross(*(simplex.points[1:] - simplex.points[0]))[None])[0]
        if normal @ v:
            return normal if normal @ v > 0 else -normal
    return v / np.linalg.norm(v)


def gjk(a: Array, b: Array) -> list[Simplex]:
    """Return the simplices by which the algorithm of Gilbert, Johnson and Keerthi nears
    the origin; the last holds.

    a, b : (k, 3) and (m, 3), corners of two convex bodies [m]. The point of a - b
    nearest to the origin is ``gjk(a, b)[-1].nearest``, zero if the bodies overlap. It
    ends: each simplex is strictly nearer than the one before it, and there are finitely
    many.
    """
    limit = rounding_of(a, b)
    first = np.zeros((1, 2), int)
    steps = [Simplex(first, a[:1] - b[:1], np.ones(1))]
    while True:
        here = steps[-1]
        length = np.linalg.norm(here.nearest)
        if length <= limit:
            return steps
        towards = direction_of(here)
        i, j = farthest_pair(a, b, -towards)
        w = a[i] - b[j]
        if length - towards @ w <= limit:
            return steps  # no corner of a - b lies nearer, by more than rounding
        trial = reduced_simplex(
            Simplex(
                np.append(here.pairs, [[i, j]], axis=0),
                np.append(here.points, [w], axis=0),
                np.append(here.weights, 0.0),
            )
        )
        if not np.linalg.norm(trial.nearest) < length:
            return steps
        steps.append(trial)


# Chapter 16, "Where bodies touch": Depth of an overlap
def spanning_corners(a: Array, b: Array) -> list[tuple[int, int]]:
    """Return four pairs of corners of a and b whose differences span a volume."""
    pairs = [(0, 0)]
    for _ in range(3):
        points = np.array([a[i] - b[j] for i, j in pairs])
        free = np.linalg.svd(points - points[0])[2][len(pairs) - 1 :]  # perpendicular to the span
        reached = [farthest_pair(a, b, d) for d in (*free, *-free)]
        lengths = [abs((a[i] - b[j] - points[0]) @ free.T).max() for i, j in reached]
        pairs.append(reached[int(np.argmax(lengths))])
    return pairs


def epa(a: Array, b: Array) -> tuple[Array, float, list[Array]]:
    """Return normal (3,) and depth of two bodies that overlap, by the expanding
    polytope algorithm.

    a, b : (k, 3) and (m, 3), their corners [m]; one of them is a solid. The shortest
    move of a that separates them is by the depth along the normal. The third is the
    visited faces (m, 3, 3) of a - b. A negative depth is a gap. It ends: each step adds
    a corner of a - b, of which there are finitely many.
    """
    from scipy import spatial

    limit = rounding_of(a, b)
    pairs = spanning_corners(a, b)
    seen = []
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


def box_depth(a: Core, b: Core) -> tuple[Array, float]:
    """Return normal (3,), into a, and depth of two boxes that overlap, from the fifteen
    lines that can separate them.

    These are the normals of their faces, and the common normals of an edge of one and
    an edge of the other. Of depths that differ by rounding the first counts, so that a
    face comes before edges.
    """
    crossed = np.cross(a.edges[:, None], b.edges).reshape(-1, 3)
    lengths = np.linalg.norm(crossed, axis=1)
    sound = lengths > 1e-6  # parallel edges are covered by the faces
    axes = np.concatenate([a.edges, b.edges, crossed[sound] / lengths[sound, None]])
    axes = np.stack([axes, -axes], axis=1).reshape(-1, 3)
    depths = (b.corners @ axes.T).max(0) - (a.corners @ axes.T).min(0)
    best = int((depths <= depths.min() + rounding_of(a.corners, b.corners)).argmax())
    return axes[best], float(depths[best])


def solid_depth(a: Core, b: Core) -> tuple[Array, float]:
    """Return normal (3,), into a, and depth of two cores that overlap and of which one
    is a solid.
    """
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


def lowest_corners(core: Core, n: Array, within: float) -> Array:
    """Return the corners (k, 3) of a core that lie lowest in the direction of n, within
    a tolerance.
    """
    heights = core.corners @ n
    return core.corners[heights <= heights.min() + within]


def facing_points(a: Core, b: Core, n: Array, depth: float) -> tuple[Array, float]:
    """Return points (2, 3) of two cores at the ends of the move by the depth along n,
    and its error.

    The error is not zero if the plane across n separates the bodies, but their nearest
    points are not opposite.
    """
    within = 64 * rounding_of(a.corners, b.corners)
    below, above = lowest_corners(a, n, within), lowest_corners(b, -n, within)
    last = gjk(below + depth * n, above)[-1]
    own, other = last.pairs.T
    x, y = last.weights @ below[own], last.weights @ above[other]
    middle = (x + y) / 2
    middle = middle - n * (n @ middle)  # where x and y differ, along n, and by rounding across
    points = np.array([middle + n * (n @ x), middle + n * (n @ y)])
    return points, float(np.linalg.norm(last.nearest))


def core_distance(a: Core, b: Core) -> tuple[float, Array, Array]:
    """Return distance, points (2, 3) and normal (3,) of two cores, as if their radii
    were zero.

    The direction of a short distance has few digits left. There the faces are used too,
    and decide if by them the bodies overlap, or have opposite points at this distance.
    """
    if not len(a.normals) and not len(b.normals):
        points, n = thin_distance(a.corners, b.corners)
        return float(n @ (points[0] - points[1])), points, n
    rounding = rounding_of(a.corners, b.corners)
    last = gjk(a.corners, b.corners)[-1]
    length = float(np.linalg.norm(last.nearest))
    if length <= 1e8 * rounding:
        n, depth = solid_depth(a, b)
        points, miss = facing_points(a, b, n, depth)
        if length <= rounding or depth >= 0 or miss <= 64 * rounding:
            return -depth, points, n
    faces = np.concatenate([-a.normals, b.normals])
    own, other = last.pairs.T
    points = np.array([last.weights @ a.corners[own], last.weights @ b.corners[other]])
    return length, points, sharpened_normal(direction_of(last), faces, rounding / length)


def moved_core(core: Core, p: Array) -> Core:
    """Return a core moved by p (3,)."""
    return core.placed(np.eye(3), p)


def core_separation(a: Core, b: Core) -> Separation:
    """Return the separation of two cores, their radii included, in the frame in which
    they are placed.
    """
    origin = a.corners[
        0
    ]  # relative to one of them: far from the world's origin digits would be lost
    apart, points, n = core_distance(moved_core(a, -origin), moved_core(b, -origin))
    out = np.array([-a.radius * n, b.radius * n])
    return Separation(apart - a.radius - b.radius, points + origin + out, n + 0.0)


def above_plane(a: Core, n: Array, origin: Array) -> Separation:
    """Return the separation of a core from the half-space below a plane through the
    origin with normal n.
    """
    heights = (a.corners - origin) @ n - a.radius
    height = float(heights.min())
    x = a.corners[heights <= height + rounding_of(a.corners, origin[None])].mean(0) - a.radius * n
    return Separation(height, np.array([x, x - height * n]), n)


def check_pose(pose: Any, name: str) -> tuple[Array, Array]:
    """Return a pose (R, p) as floats; ValueError if it is none."""
    try:
        R, p = pose
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {pose!r}, but must be (R, p)") from None
    turn, place = f"the rotation of {name}", f"the position of {name}"
    R = as_real(check_array(R, turn, (3, 3)), turn)
    require_rotation(R, turn)
    return R, as_real(check_array(p, place, (3,)), place)


def check_shape(shape: Any, name: str) -> None:
    """Refuse anything but one of the shapes."""
    if not isinstance(shape, Shape | HalfSpace):
        raise ValueError(
            f"{name} is {shape!r}, but must be a Sphere, Capsule, Box, ConvexHull or HalfSpace"
        )


def in_world(shape: Any, R: Array, p: Array) -> Any:
    """Return a shape in the world, its frame at a pose: a core, or normal and origin of
    a half-space.
    """
    return (R @ shape.normal, p) if isinstance(shape, HalfSpace) else shape.core.placed(R, p)


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
    worlds = []
    for shape, pose, letter in ((shape_a, pose_a, "a"), (shape_b, pose_b, "b")):
        check_shape(shape, f"shape_{letter}")
        worlds.append(in_world(shape, *check_pose(pose, f"pose_{letter}")))
    return separation_in_world(*worlds)


def separation_in_world(a: Any, b: Any) -> Separation:
    """Return the separation of two shapes in the world, of which one may be a
    half-space.
    """
    if isinstance(a, Core) and isinstance(b, Core):
        return core_separation(a, b)
    if isinstance(a, Core):
        return above_plane(a, *b)
    if not isinstance(b, Core):
        raise ValueError("two half-spaces have no distance: give one of the bodies an end")
    other = above_plane(b, *a)
    return Separation(other.distance, other.points[::-1], -other.normal)


# Chapter 16, "Where bodies touch": Triangle against triangle
def foot_in_triangle(x: Array, triangle: Array) -> Array | None:
    """Return the foot (3,) of the perpendicular from x (3,) to a triangle (3, 3); None
    if it lies beside it.
    """
    edges = triangle[1:] - triangle[0]
    t = np.linalg.lstsq(edges.T, x - triangle[0], rcond=None)[0]
    return triangle[0] + t @ edges if t.min() >= 0 and t.sum() <= 1 else None


def pierced_at(ends: Array, triangle: Array) -> Array | None:
    """Return the point (3,) at which a segment (2, 3) goes through a triangle (3, 3),
    or None.
    """
    n = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
    before, after = (ends - triangle[0]) @ n
    if before * after > 0 or before == after:
        return None
    x = along_segment(ends, before / (before - after))
    foot = foot_in_triangle(x, triangle)
    return x if foot is not None else None


def triangle_distance(a: Array, b: Array) -> tuple[float, Array]:
    """Return the distance [m] of two triangles (3, 3), zero where they meet, and their
    nearest points (2, 3).

    Where they do not meet, a corner of one is nearest to the face of the other, or two
    edges are nearest.
    """
    rims = [(t[[0, 1]], t[[1, 2]], t[[2, 0]]) for t in (a, b)]
    crossings = [pierced_at(e, b) for e in rims[0]] + [pierced_at(e, a) for e in rims[1]]
    pairs = [(x, x) for x in crossings if x is not None]
    pairs += [(x, y) for x in a if (y := foot_in_triangle(x, b)) is not None]
    pairs += [(x, y) for y in b if (x := foot_in_triangle(y, a)) is not None]
    pairs += [tuple(nearest_on_segments(d, e)) for d in rims[0] for e in rims[1]]
    gaps = [float(np.linalg.norm(x - y)) for x, y in pairs]
    best = int(np.argmin(gaps))
    return gaps[best], np.array(pairs[best])


# Chapter 16, "Where bodies touch": Not one point but a patch
def across_of(n: Array) -> Array:
    """Return two unit vectors (2, 3) which with a unit vector (3,) as the third form a
    right-handed frame.
    """
    x, y, z = (float(c) for c in n)
    s = 1.0 if z >= 0 else -1.0
    f = -1 / (s + z)  # the world's frame, mirrored so that its z, or -z, becomes n
    return np.array([[1 + s * x * x * f, s * x * y * f, -s * x], [x * y * f, s + y * y * f, -y]])


def distinct_points(points: Array, tolerance: float) -> Array:
    """Return the points (m, d) without those that lie within the tolerance of one
    before them.
    """
    near = np.abs(points[:, None] - points).max(-1) <= tolerance
    return points[near.argmax(1) == np.arange(len(points))]


def outline(points: Array, tolerance: float) -> Array:
    """Return the corners (k, 2) of the hull of points (m, 2), counterclockwise; k is 2
    for a line, 1 for a point.

    From left to right along the lower side, and back along the upper one, a point stays
    if the path turns left there, by more than the tolerance [m].
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
    """Return the part of a polygon, segment or point (k, 2) in a convex polygon (m, 2),
    counterclockwise, m > 2.

    Each edge in turn cuts off the part to its right, after Sutherland and Hodgman
    (1974); parts within the tolerance [m] of an edge stay.
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
    """Return the ends (2, 2) of the common part of two segments (2, 2) on one line; (0,
    2) if they cross or miss.
    """
    along = unit_rows((a[1] - a[0])[None])[0]
    left = np.array([-along[1], along[0]])
    if np.abs((b - a[0]) @ left).max() > tolerance:
        return np.zeros((0, 2))
    s, t = np.sort((a - a[0]) @ along), np.sort((b - a[0]) @ along)
    low, high = max(s[0], t[0]), min(s[1], t[1])
    ends = a[0] + np.array([[low], [high]]) * along
    return ends if high > low + tolerance else np.zeros((0, 2))


def shared_outline(a: Array, b: Array, tolerance: float) -> Array:
    """Return the corners (k, 2) of the common part of two outlines: none where it is a
    single point.
    """
    if len(a) > 2 or len(b) > 2:
        return clipped(a, b, tolerance) if len(b) > 2 else clipped(b, a, tolerance)
    return common_stretch(a, b, tolerance) if len(a) == len(b) == 2 else np.zeros((0, 2))


def lower_surface(core: Core, low: Array, n: Array, base: Array) -> Array:
    """Return the heights (k,) along n at which lines in its direction, through points
    (k, 3), enter a core.

    low : the corners (m, 3) over whose outline the points lie. Of a line or a point the
    height is that of the segment from the lowest corner to the highest, where the point
    is beside it.
    """
    heights = low @ n
    facing = core.normals @ n
    down = facing < -1e-6
    if not down.any() or len(low) < 3:
        ends = low[[heights.argmin(), heights.argmax()]]
        flat = ends - np.outer(ends @ n, n)
        places = [place_on_segment(x, flat) for x in base - np.outer(base @ n, n)]
        return np.array([along_segment(ends, t) @ n for t in places])
    entering = (
        core.offsets[down] - (base - np.outer(base @ n, n)) @ core.normals[down].T
    ) / facing[down]
    return entering.max(1).clip(heights.min(), heights.max())


def contact_patch(a: Core, b: Core, at: Separation, margin: float) -> list[tuple[Array, float]]:
    """Return points (3,) and gaps of the contact between two cores in the world, their
    nearest points known.

    Seen along the normal, the corners of a that can be within the margin have an
    outline, those of b have another, and the corners of the common part are the points.
    If none of them is as near as the nearest points, as where edges cross, these are
    added, so that every contact has its deepest point.
    """
    n, origin = at.normal, at.points.mean(0)
    a, b = moved_core(a, -origin), moved_core(b, -origin)
    tolerance = 1e5 * rounding_of(a.corners, b.corners)  # a face tilted by less than 1e-9 lies flat
    reach = max(margin - at.distance, 0.0) + tolerance
    below, above = lowest_corners(a, n, reach), lowest_corners(b, -n, reach)
    across = across_of(n)
    rim_a, rim_b = (outline(corners @ across.T, tolerance) for corners in (below, above))
    base = shared_outline(rim_a, rim_b, tolerance) @ across
    found: list[tuple[Array, float]] = []
    if len(base):
        under = lower_surface(a, below, n, base) - a.radius
        over = b.radius - lower_surface(b, above, -n, base)
        kept = under - over <= max(margin, at.distance) + tolerance
        middle = origin + base + np.outer((under + over) / 2, n)
        found = list(zip(middle[kept], (under - over)[kept].tolist(), strict=True))
    if min((gap for _, gap in found), default=np.inf) > at.distance + tolerance:
        found.append((origin, at.distance))
    return found


def patch_on_plane(a: Core, n: Array, origin: Array, margin: float) -> list[tuple[Array, float]]:
    """Return points (3,) and gaps of the contact between a core and the half-space
    below a plane: its corners.
    """
    gaps = (a.corners - origin) @ n - a.radius
    near = gaps <= max(margin, gaps.min()) + rounding_of(a.corners, origin[None])
    return [
        (x - (a.radius + g / 2) * n, float(g))
        for x, g in zip(a.corners[near], gaps[near], strict=True)
    ]


# Chapter 16, "Where bodies touch": Which pairs to compare
def bounds_of(shape: Any) -> tuple[Array, Array]:
    """Return the least and the greatest coordinates (3,) of a shape in the world; a
    half-space is unbounded.
    """
    if not isinstance(shape, Core):
        return np.full(3, -np.inf), np.full(3, np.inf)
    return shape.corners.min(0) - shape.radius, shape.corners.max(0) + shape.radius


def sphere_pairs(centres: Array, radii: Array) -> list[tuple[int, int]]:
    """Return the pairs, of all n (n - 1)/2, whose bounding spheres, centres (n, 3) and
    radii (n,) [m], meet.
    """
    apart = centres[:, None] - centres
    meet = (apart**2).sum(-1) <= (radii[:, None] + radii) ** 2
    return [(int(i), int(j)) for i, j in zip(*np.triu(meet, 1).nonzero(), strict=True)]


def sweep_and_prune(low: Array, high: Array) -> tuple[list[tuple[int, int]], int]:
    """Return the pairs of boxes, from low (n, 3) to high (n, 3) [m], that meet, and the
    number of pairs tested.

    A plane sweeps along x. Boxes that it cuts are open; a box that it enters is tested
    against these only.
    """
    starts, ends = low.tolist(), high.tolist()
    pairs, looked = [], 0
    still_open: list[int] = []
    for i in sorted(range(len(starts)), key=lambda i: starts[i][0]):
        (x, y, z), (_, y1, z1) = starts[i], ends[i]
        still_open = [j for j in still_open if ends[j][0] >= x]
        looked += len(still_open)
        for j in still_open:
            if y <= ends[j][1] and starts[j][1] <= y1 and z <= ends[j][2] and starts[j][2] <= z1:
                pairs.append((min(i, j), max(i, j)))
        still_open.append(i)
    return sorted(pairs), looked


@dataclass(frozen=True, eq=False)
class BoxTree:
    """A box around some boxes, from low (3,) to high (3,) [m]: either one of them, by
    its index, or two halves.
    """

    low: Array
    high: Array
    index: int | None = None
    halves: "tuple[BoxTree, ...]" = ()


def box_tree(low: Array, high: Array, members: Array | None = None) -> BoxTree:
    """Return a tree of boxes, from low (n, 3) to high (n, 3) [m], halved again and
    again along the longest side.
    """
    members = np.arange(len(low)) if members is None else members
    around = low[members].min(0), high[members].max(0)
    if len(members) == 1:
        return BoxTree(*around, index=int(members[0]))
    middles = (low + high)[members, (around[1] - around[0]).argmax()]
    first, second = np.array_split(members[middles.argsort(kind="stable")], 2)
    return BoxTree(*around, halves=(box_tree(low, high, first), box_tree(low, high, second)))


def tree_pairs(a: BoxTree, b: BoxTree) -> tuple[list[tuple[int, int]], int]:
    """Return the pairs, one box of each of two trees, that meet, and the number of
    pairs of boxes tested.
    """
    pairs, looked, waiting = [], 0, [(a, b)]
    while waiting:
        one, other = waiting.pop()
        looked += 1
        if (one.low > other.high).any() or (other.low > one.high).any():
            continue
        if one.index is not None and other.index is not None:
            pairs.append((one.index, other.index))
        elif other.index is not None or (
            one.index is None and np.ptp([one.low, one.high]) >= np.ptp([other.low, other.high])
        ):
            waiting.extend((half, other) for half in one.halves)
        else:
            waiting.extend((one, half) for half in other.halves)
    return sorted(pairs), looked


# Chapter 16, "Where bodies touch": Contacts of a chain
@dataclass(frozen=True, eq=False)
class Geometry:
    """A shape on a link of a chain, or on the ground.

    link : index or name of the link, or "ground". offset (3,) [m] and rotation (3, 3)
    place the shape's frame in the link's. friction : coefficient of Coulomb's law, zero
    or more. restitution : from 0 to 1. ValueError for other values.
    """

    shape: Any
    link: int | str
    _: KW_ONLY
    offset: Array = (0, 0, 0)
    rotation: Array = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    friction: float = 0.0
    restitution: float = 0.0

    def __post_init__(self) -> None:
        check_shape(self.shape, "the shape of a Geometry")
        if isinstance(self.link, bool) or not isinstance(self.link, int | np.integer | str):
            raise ValueError(f'link is {self.link!r}, but must be an index, a name or "ground"')
        rotation, offset = check_pose((self.rotation, self.offset), "a Geometry")
        object.__setattr__(self, "rotation", read_only(rotation))
        object.__setattr__(self, "offset", read_only(offset))
        for name, most in (("friction", None), ("restitution", 1)):
            value = float(as_real(check_array(getattr(self, name), name, ()), name))
            if value < 0 or (most is not None and value > most):
                what = "zero or more" if most is None else f"from 0 to {most}"
                raise ValueError(f"{name} is {value:g}, but must be {what}")
            object.__setattr__(self, name, value)


@dataclass(frozen=True, eq=False)
class Contact:
    """One point where two bodies touch, nearly touch, or overlap.

    bodies : indices of two links, -1 for the ground; the first is the one that the
    normal points into. point : (3,) in the world [m], midway between the two surfaces.
    normal : (3,) in the world, of unit length, from the second body into the first. gap
    : [m], along the normal from surface to surface, negative where they overlap.
    friction : the root of the product of both bodies' coefficients. restitution : the
    larger of both. radii : of the two surfaces there [m], 0 of a corner or a sharp
    edge, infinite of a face. edges : for each surface that is straight in one direction
    only, that direction (3,) in the world; otherwise None.
    """

    bodies: tuple[int, int]
    point: Array
    normal: Array
    gap: float = 0.0
    friction: float = 0.0
    restitution: float = 0.0
    radii: tuple[float, float] = (0.0, np.inf)
    edges: tuple[Array | None, Array | None] = (None, None)


def straight_at(rim: Array, u: Array, tolerance: float) -> Array:
    """Return the directions (d, 2) in which an outline (k, 2) continues straight, both
    ways, from its point u (2,).

    None at a corner, one on a side, two inside.
    """
    if np.abs(rim - u).max(-1).min() <= tolerance:
        return np.zeros((0, 2))
    sides = unit_rows(np.roll(rim, -1, axis=0) - rim)
    beside = np.abs(sides[:, 0] * (u - rim)[:, 1] - sides[:, 1] * (u - rim)[:, 0])
    return sides[[beside.argmin()]] if len(rim) == 2 or beside.min() <= tolerance else np.eye(2)


def surfaces_at(a: Core, b: Core, at: Separation, points: Sequence[Array]) -> list[tuple[Any, Any]]:
    """Return the radii and the edges of both surfaces at points (3,) of the contact
    between two cores in the world.

    Seen along the normal, a core's lowest corners are one, an edge or a face. A corner
    of one within a face of the other is a corner on a face; where the sides of two
    faces cross, two edges touch.
    """
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


def body_of(geometry: Any, k: int, chain: Chain) -> int:
    """Return the index of the link of the k-th geometry, -1 for the ground; ValueError
    if it is wrong.
    """
    if not isinstance(geometry, Geometry):
        raise ValueError(f"geometries[{k}] is {geometry!r}, but must be a Geometry")
    if geometry.link == "ground":
        return -1
    try:
        return chain.index(geometry.link)
    except ValueError as error:
        raise ValueError(f'geometries[{k}]: {error}, or "ground"') from None


def may_touch(i: int, j: int, parent: Sequence[int]) -> bool:
    """Whether two bodies can collide: not one with itself, nor a link with its parent,
    unless that is the ground.
    """
    return i != j and not (min(i, j) >= 0 and (parent[i] == j or parent[j] == i))


@checked(q="nq")
def find_contacts(
    chain: Chain, geometries: Iterable[Geometry], q: Array, *, margin: float = 0
) -> list[Contact]:
    """Return all points of contact between the geometries of a chain in a posture q
    (nq,), with gaps up to the margin.

    Geometries of one body, and of a link and its parent, are left out: they meet in the
    joint. Geometries on the ground can meet every link, also one whose parent is the
    ground. margin : [m], zero or more. Two faces give the corners of their common part,
    an edge and a face both ends; a half-space the corners of the other body. Gaps above
    the margin by rounding only count as within it. Contacts come in the order of the
    geometries; bodies[0] is that of the first one, except that the ground is always
    second. ValueError for an unknown link, a negative margin, several postures, or two
    half-spaces that may meet.
    """
    if not is_several(geometries):
        raise ValueError(
            f"geometries is a {type(geometries).__name__}, but must be a list of Geometry"
        )
    geometries = list(geometries)
    require_one_state(q=q)
    margin = float(as_real(check_array(margin, "margin", ()), "margin"))
    if margin < 0:
        raise ValueError(f"margin is {margin:g}, but must be zero or more [m]")
    bodies = [body_of(geometry, k, chain) for k, geometry in enumerate(geometries)]
    R, p = forward_kinematics(chain, as_real(q, "q"))
    worlds = []
    for geometry, body in zip(geometries, bodies, strict=True):
        turn, place = (R[body], p[body]) if body >= 0 else (np.eye(3), np.zeros(3))
        own = turn @ geometry.rotation, place + turn @ geometry.offset
        worlds.append(in_world(geometry.shape, *own))
    contacts = []
    for i, j in near_pairs(worlds, margin):
        if bodies[i] < 0:
            i, j = j, i
        if may_touch(bodies[i], bodies[j], chain.parent):
            if not (isinstance(worlds[i], Core) or isinstance(worlds[j], Core)):
                raise ValueError(
                    f"geometries[{i}] and geometries[{j}] are both half-spaces, which have no distance: give one of "
                    "them an end"
                )
            pair = geometries[i], geometries[j]
            friction = float(np.sqrt(pair[0].friction * pair[1].friction))
            restitution = max(pair[0].restitution, pair[1].restitution)
            contacts += [
                Contact(
                    (bodies[i], bodies[j]), point, normal, gap, friction, restitution, *surfaces
                )
                for point, normal, gap, surfaces in touching_points(worlds[i], worlds[j], margin)
            ]
    return contacts


def near_pairs(worlds: Sequence[Any], margin: float) -> list[tuple[int, int]]:
    """Return the pairs of shapes in the world whose bounds, half the margin wider on
    each side, meet.
    """
    if not worlds:
        return []
    low, high = (np.array(ends) for ends in zip(*map(bounds_of, worlds), strict=True))
    return sweep_and_prune(low - margin / 2, high + margin / 2)[0]


def touching_points(a: Any, b: Any, margin: float) -> list[tuple[Array, Array, float, Any]]:
    """Return points (3,), normals (3,) into a, gaps and surfaces of all contact between
    two shapes in the world.
    """
    if not isinstance(a, Core) and isinstance(b, Core):
        turned = touching_points(b, a, margin)
        return [(x, -n, gap, (radii[::-1], edges[::-1])) for x, n, gap, (radii, edges) in turned]
    at = separation_in_world(a, b)
    if isinstance(b, Core):
        rounding = rounding_of(a.corners, b.corners)
        found = contact_patch(a, b, at, margin)
        surfaces = surfaces_at(a, b, at, [point for point, _ in found])
    else:
        n, origin = b
        rounding = rounding_of(a.corners, origin[None])
        found = patch_on_plane(a, n, origin, margin)
        surfaces = [((a.radius, np.inf), (None, None))] * len(found)
    if at.distance > margin + rounding:
        return []
    return [(x, at.normal, gap, more) for (x, gap), more in zip(found, surfaces, strict=True)]
