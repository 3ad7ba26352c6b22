"""Shapes of bodies, where they stand on a chain, and what is said of a place where they touch.

What chapter 19 asks of a shape is its core, the hull of some corners and a radius; all else here says which shapes
there may be. Shapes are checked when they are made, and cannot be changed.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.array_types import Array3
from chaindyn.guards.arguments import (
    check_array,
    check_positive_number,
    is_several,
    require_one_state,
    require_rotation,
    unit,
)
from chaindyn.guards.bodies import placed_on
from chaindyn.guards.numbers import as_array, as_real, read_only, require_finite

__all__ = ["Box", "Capsule", "Contact", "ConvexHull", "Geometry", "HalfSpace", "Sphere"]


@dataclass(frozen=True, eq=False)
class Core:
    """A convex polytope and a radius: all points no farther than the radius from the polytope.

    corners : (k, 3) [m], one for a ball, two for a capsule, four or more for a solid. radius : [m], 0 for a solid.
    normals, offsets : (f, 3) and (f,), the faces of a solid: its points are those with normals @ x <= offsets.
    edges : (e, 3), the directions of a box's edges; of other solids they are not needed.
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

    def moved(self, p: Array) -> "Core":
        """Return the same core moved by p (3,)."""
        return self.placed(np.eye(3), p)


@dataclass(frozen=True, eq=False)
class Shape:
    """The common part of all bounded shapes: a core, in the shape's frame."""

    @cached_property
    def core(self) -> Core:
        """The polytope of the shape and its padding radius."""
        raise NotImplementedError(f"{type(self).__name__} must say what its core is")


@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A ball about the origin of its frame; radius in metres. ValueError if it is not positive.

    >>> ball, marble = Sphere(0.5), Sphere(0.1)
    >>> here, there = (np.eye(3), np.zeros(3)), (np.eye(3), np.array([0, 3, 4]))
    >>> round(distance(ball, here, marble, there).distance, 9)
    4.4
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
    """All points within a radius of a segment: length [m] along z, half of it on each side of the origin.

    The length is that between the centres of the two round ends. ValueError if either is not positive.

    >>> floor, pill = HalfSpace((0, 0, 1)), Capsule(0.5, length=2)
    >>> pose = np.eye(3), np.array([0, 0, 5])
    >>> round(distance(pill, pose, floor, (np.eye(3), np.zeros(3))).distance, 9)
    3.5
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
    """A cuboid about the origin; sides (3,) are its full lengths along x, y and z [m], all positive.

    >>> floor, brick = HalfSpace((0, 0, 1)), Box((2, 4, 6))
    >>> pose = np.eye(3), np.array([0, 0, 5])
    >>> round(distance(brick, pose, floor, (np.eye(3), np.zeros(3))).distance, 9)
    2.0
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
    """The smallest convex solid that holds points (m, 3) [m], in any order; points inside have no effect.

    ValueError if there are fewer than four points, or if all lie in a plane, to 1e-9 of their extent.

    >>> floor, corner = HalfSpace((0, 0, 1)), ConvexHull(np.eye(4, 3))
    >>> pose = np.eye(3), np.array([0, 0, 5])
    >>> round(distance(corner, pose, floor, (np.eye(3), np.zeros(3))).distance, 9)
    5.0
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

    def __repr__(self) -> str:
        return f"ConvexHull of {len(self.points)} points"

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
    """All points x with normal . x <= 0 in the shape's frame: a floor or a wall without end.

    normal : (3,) points out of it, of any length but zero.

    >>> floor, ball = HalfSpace((0, 0, 1)), Sphere(0.5)
    >>> pose = np.eye(3), np.array([0, 0, 5])
    >>> found = distance(ball, pose, floor, (np.eye(3), np.zeros(3)))
    >>> found.normal + 0.0
    array([0., 0., 1.])
    """

    normal: Array

    def __post_init__(self) -> None:
        normal = check_array(self.normal, "HalfSpace.normal", (3,))
        object.__setattr__(
            self, "normal", unit(as_real(normal, "HalfSpace.normal"), "HalfSpace.normal")
        )


@dataclass(frozen=True, eq=False)
class Geometry:
    """A shape on a link of a chain, or on the ground.

    link : index or name of the link, name of a frame, or "ground". offset (3,) [m] and rotation (3, 3) place the
    shape's frame there. friction : coefficient of Coulomb's law, zero or more. restitution : from 0 to 1. ValueError
    for other values.

    >>> ball = Chain([Link(Free(), 1, (0, 0, 0), np.eye(3) / 1000, name="ball")])
    >>> rubber = Geometry(Sphere(0.1), "ball", friction=0.9)
    >>> floor = Geometry(HalfSpace((0, 0, 1)), "ground", friction=0.4)
    >>> (contact,) = find_contacts(ball, [rubber, floor], np.array([0, 0, 0.1, 1, 0, 0, 0]))
    >>> round(contact.friction, 9)
    0.6
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

    bodies : indices of two links, -1 for the ground; the first is the one that the normal points into.
    point : (3,) in the world [m], midway between the two surfaces.
    normal : (3,) in the world, of unit length, from the second body into the first.
    gap : [m], along the normal from surface to surface, negative where they overlap.
    friction : the root of the product of both bodies' coefficients. restitution : the larger of both.
    radii : of the two surfaces there [m], 0 of a corner or a sharp edge, infinite of a face.
    edges : for each surface that is straight in one direction only, that direction (3,) in the world; otherwise None.

    >>> ball = Chain([Link(Free(), 2, (0, 0, 0), np.eye(3))])
    >>> floor = Contact((0, -1), point=(0, 0, 0), normal=(0, 0, 1))
    >>> q, rest = np.array([0, 0, 1, 1, 0, 0, 0.0]), np.zeros(6)
    >>> qdd, forces = resting_contact(ball, q, rest, rest, [floor])
    >>> forces.round(6) + 0.0
    array([[ 0.  ,  0.  , 19.62]])
    """

    bodies: tuple[int, int]
    point: Array3
    normal: Array3
    gap: float = 0.0
    friction: float = 0.0
    restitution: float = 0.0
    radii: tuple[float, float] = (0.0, np.inf)
    edges: tuple[Array | None, Array | None] = (None, None)


def in_world(shape: Any, R: Array, p: Array) -> Any:
    """Return a shape in the world, its frame at a pose: a core, or normal and origin of a half-space."""
    return (R @ shape.normal, p) if isinstance(shape, HalfSpace) else shape.core.placed(R, p)


def boxes_around(worlds: Sequence[Any], wider: float) -> tuple[Array, Array]:
    """Return the least and the greatest coordinates (n, 3) of shapes in the world, so much wider on each side [m].

    A half-space is unbounded.
    """
    low, high = np.full((len(worlds), 3), -np.inf), np.full((len(worlds), 3), np.inf)
    for k, shape in enumerate(worlds):
        if isinstance(shape, Core):
            low[k] = shape.corners.min(0) - shape.radius
            high[k] = shape.corners.max(0) + shape.radius
    return low - wider, high + wider


def check_shape(shape: Any, name: str) -> Any:
    """Return a shape; ValueError if it is none."""
    if not isinstance(shape, Shape | HalfSpace):
        raise ValueError(
            f"{name} is {shape!r}, but must be a Sphere, Capsule, Box, ConvexHull or HalfSpace"
        )
    return shape


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


def check_scene(
    chain: Any, geometries: Any, q: Any, margin: Any
) -> tuple[list[Geometry], list[int], Array, float]:
    """Return geometries, the body that each is on (-1: the ground), a posture (nq,) and a margin; or ValueError."""
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
    geometries = [on_its_link(geometry, chain) for geometry in geometries]
    return geometries, bodies, as_real(q, "q"), margin


def body_of(geometry: Any, k: int, chain: Any) -> int:
    """Return the index of the link of the k-th geometry, -1 for the ground; ValueError if it is wrong."""
    if not isinstance(geometry, Geometry):
        raise ValueError(f"geometries[{k}] is {geometry!r}, but must be a Geometry")
    if geometry.link == "ground":
        return -1
    try:
        return int(chain.index(geometry.link))
    except ValueError as error:
        raise ValueError(f'geometries[{k}]: {error}, or "ground"') from None


def on_its_link(geometry: Geometry, chain: Any) -> Geometry:
    """Return a shape that is on a frame as one on the link that carries the frame; any other as it is."""
    if not isinstance(geometry.link, str) or geometry.link not in chain.frame_places:
        return geometry
    given = geometry.link, geometry.offset, geometry.rotation
    link, offset, rotation = placed_on(chain.frame_places, *given)
    on = "ground" if link < 0 else link
    return replace(geometry, link=on, offset=offset, rotation=rotation)


def require_an_end(a: Any, b: Any, *places: int) -> None:
    """Refuse two half-spaces in the world, of geometries with these indices: they have no distance."""
    if isinstance(a, Core) or isinstance(b, Core):
        return
    if places:
        both = " and ".join(f"geometries[{k}]" for k in places)
        raise ValueError(
            f"{both} are both half-spaces, which have no distance: give one of them an end"
        )
    raise ValueError("two half-spaces have no distance: give one of the bodies an end")
