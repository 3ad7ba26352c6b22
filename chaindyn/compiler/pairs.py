"""Pairs of shapes whose contacts have closed forms: which of a scene they are, and where they touch, by `where` alone.

All corners of a body on a half-space, and the nearest points of two balls, or capsules, or one of each. As numbers or
recorded; a gap is found however large it is. Where two boxes touch is the affair of `boxes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from chaindyn._ops import concatenate, positive, sqrt, where
from chaindyn.chain import Chain
from chaindyn.compiler.boxes import MOST_POINTS, crossed, dot
from chaindyn.geometry import along_segment
from chaindyn.models.scenes import (
    as_pairs,
    corners_on_plane,
    friction_and_restitution,
    joined,
    may_touch,
)
from chaindyn.models.shapes import Core, Geometry, check_scene

__all__: list[str] = []

Array = Any

CROSSING = 1e-3  # sine of the angle from which on two capsules touch in one point, wherever they do
NEAR = 1e-3  # of both radii: a gap below which capsules that lie side by side are looked at more closely
FLAT = 1e-9  # of the length of a capsule, up to which both its ends are equally high


class NotInClosedForm(ValueError):
    """Shapes that may touch in ways that no closed form says."""


@dataclass(frozen=True, eq=False)
class Touches:
    """Where two shapes touch or may touch, whatever their gaps.

    points : (k, 3), midway between the surfaces; normals : (k, 3), into the first; gaps : (k,); trust : (1,), positive
    where this is all that `find_contacts` finds of closed gaps.
    """

    points: Array
    normals: Array
    gaps: Array
    trust: Array


@dataclass(frozen=True, eq=False)
class Pair:
    """Two geometries that may touch, in the frames of the links that they are on.

    bodies : links, -1 the ground; a : the first one's core, b : that of the other, or normal (3,) and origin (3,) of a
    half-space; turned : whether the half-space comes first among the bodies; friction, restitution : of the two.
    """

    bodies: tuple[int, int]
    a: Core
    b: Any
    turned: bool
    friction: float
    restitution: float

    @property
    def is_boxes(self) -> bool:
        """Whether both are boxes."""
        return isinstance(self.b, Core) and len(self.a.edges) > 0 and len(self.b.edges) > 0

    @property
    def count(self) -> int:
        """How many contacts they may have."""
        if self.is_boxes:
            return MOST_POINTS
        return 1 if isinstance(self.b, Core) else len(self.a.corners)

    @property
    def is_outer(self) -> bool:
        """Whether one of them is on the ground, or a half-space: not two bodies that are mostly far from each other."""
        return min(self.bodies) < 0 or not isinstance(self.b, Core)

    @property
    def said(self) -> tuple[Any, ...]:
        """All that tells pairs from each other."""
        b = self.b
        other = (
            (b.corners.tobytes(), b.radius)
            if isinstance(b, Core)
            else b[0].tobytes() + b[1].tobytes()
        )
        own = self.a.corners.tobytes(), self.a.radius
        return self.bodies, *own, other, self.turned, self.friction, self.restitution

    def room_between(self, R: Array, p: Array, margin: float) -> Array:
        """Return a number (1,) that is positive only if the two are open: of the balls around both cores.

        The half-space has none: that is for pairs of cores. R, p, margin : as for `at`.
        """
        balls = [ball_around(core) for core in (self.a, self.b)]
        places = [
            place + turn @ middle
            for (turn, place), (middle, _) in zip(
                [pose_of(body, R, p) for body in self.bodies], balls, strict=True
            )
        ]
        reach, apart = sum(radius for _, radius in balls) + margin, places[0] - places[1]
        return dot(apart, apart) - reach * reach

    def at(self, R: Array, p: Array, margin: float) -> Touches:
        """Return where they touch, with links at the poses R (n, 3, 3), p (n, 3); margin : of closed gaps."""
        first, second = self.bodies[::-1] if self.turned else self.bodies
        a = self.a.placed(*pose_of(first, R, p))
        turn, place = pose_of(second, R, p)
        if isinstance(self.b, Core):
            return between_thin(a, self.b.placed(turn, place), margin)
        n, origin = turn @ self.b[0], place + turn @ self.b[1]
        points, gaps = corners_on_plane(a, n, origin)
        normals = np.broadcast_to(-n if self.turned else n, points.shape)
        return Touches(points, normals, gaps, np.ones(1))


def ball_around(core: Core) -> tuple[Array, float]:
    """Return middle (3,) and radius of a ball that holds a core with its padding."""
    middle = core.corners.mean(0)
    return middle, float(np.linalg.norm(core.corners - middle, axis=-1).max()) + core.radius


def pose_of(body: int, R: Array, p: Array) -> tuple[Array, Array]:
    """Return the pose of a link, or of the ground."""
    return (np.eye(3), np.zeros(3)) if body < 0 else (R[body], p[body])


def pairs_in_closed_form(chain: Chain, geometries: Sequence[Geometry], exclude: Any) -> list[Pair]:
    """Return the pairs of geometries that may touch, as `find_contacts` knows them.

    NotInClosedForm names two geometries that are none; ValueError for what is wrong with geometries or `exclude`.
    """
    shapes, bodies, _, _ = check_scene(chain, geometries, chain.neutral.astype(float), 0)
    apart, joints = as_pairs(exclude, len(shapes)), joined(chain, bodies)
    places, found = [on_link(own) for own in shapes], []
    for i, j in combinations(range(len(shapes)), 2):
        i, j = (j, i) if bodies[i] < 0 else (i, j)
        if may_touch(bodies[i], bodies[j], *joints) and {i, j} not in apart:
            names = [f"geometries[{k}], a {type(shapes[k].shape).__name__}," for k in (i, j)]
            cores = require_closed_form((places[i], places[j]), " and ".join(names))
            turned = not isinstance(places[i], Core)
            surfaces = friction_and_restitution(shapes[i], shapes[j])
            found.append(Pair((bodies[i], bodies[j]), *cores, turned, *surfaces))
    return found


def require_closed_form(places: tuple[Any, Any], names: str) -> tuple[Core, Any]:
    """Return two shapes, a core first, as of `on_link`; NotInClosedForm, with their names, if they have none."""
    a, b = places if isinstance(places[0], Core) else places[::-1]
    flat = [isinstance(x, Core) and len(x.normals) > 0 for x in (a, b)]
    boxes = [isinstance(x, Core) and len(x.edges) > 0 for x in (a, b)]
    if not isinstance(a, Core) or (isinstance(b, Core) and any(flat) and not all(boxes)):
        raise NotInClosedForm(
            f"{names} may touch, but compiled contacts are those of half-spaces with bodies, of boxes with boxes, and "
            "of balls and capsules with each other: exclude the pair if it cannot meet, or leave out compiled=True"
        )
    return a, b


def on_link(own: Geometry) -> Any:
    """Return a geometry's shape in the frame of its link: a core, or normal and origin of a half-space."""
    if hasattr(own.shape, "core"):
        return own.shape.core.placed(own.rotation, own.offset)
    return own.rotation @ own.shape.normal, np.asarray(own.offset, float)


# Two thin cores -----------------------------------------------------------------------------------


def within_one(t: Array) -> Array:
    """Return a number (1,), or the nearer of 0 and 1."""
    t = where(positive(t), t, 0)
    return where(positive(1 - t), t, 1)


def place_on(x: Array, ends: Array) -> Array:
    """Return the point of a segment with these ends (1 or 2, 3) that is nearest to x (3,)."""
    if len(ends) == 1:
        return ends[0]
    along = ends[1] - ends[0]
    return along_segment(ends, within_one(dot(x - ends[0], along) / dot(along, along)))


def nearest_of_ends(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the nearest points (3,) of two points or segments (1 or 2, 3), one of which is an end."""
    pairs = [(x, place_on(x, b)) for x in a]
    pairs += [(place_on(y, a), y) for y in b] if len(a) > 1 else []
    (x, y), *others = pairs
    least = dot(x - y, x - y)
    for u, v in others:
        square = dot(u - v, u - v)
        nearer = positive(least - square)
        x, y, least = where(nearer, u, x), where(nearer, v, y), where(nearer, square, least)
    return x, y


def nearest_inside(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Return the nearest points (3,) of the lines of two segments (2, 3), and whether they cross inside both (1,).

    It is the positive sine of their angle, or zero. Elsewhere the points are not to be used.
    """
    e, f, c = a[1] - a[0], b[1] - b[0], b[0] - a[0]
    m = crossed(e, f)
    square, whole = dot(m, m), dot(e, e) * dot(f, f)
    crossing = positive(square - CROSSING * CROSSING * whole)
    below = where(crossing, square, whole)
    s, t = dot(crossed(c, f), m) / below, dot(crossed(c, e), m) / below
    inside = positive(s) & positive(1 - s) & positive(t) & positive(1 - t) & crossing
    return along_segment(a, s), along_segment(b, t), inside


def between_thin(a: Core, b: Core, margin: float) -> Touches:
    """Return where two balls or capsules touch.

    Not to be trusted are cores that meet, and capsules that lie side by side: these touch in two points.
    """
    x, y = nearest_of_ends(a.corners, b.corners)
    reach, one = a.radius + b.radius, np.ones(1)
    several = one
    if len(a.corners) == len(b.corners) == 2:
        u, v, inside = nearest_inside(a.corners, b.corners)
        x, y = where(inside, u, x), where(inside, v, y)
    length = sqrt(dot(x - y, x - y))
    apart = positive(length - FLAT * reach)
    n = (x - y) / where(apart, length, 1)
    gap = length - reach
    near = positive(margin + reach * NEAR - gap)
    if len(a.corners) == len(b.corners) == 2:
        edges = a.corners[1] - a.corners[0], b.corners[1] - b.corners[0]
        depth = where(positive(margin - gap), margin - gap, 0)
        limits = [depth + FLAT * sqrt(dot(e, e)) for e in edges]
        slopes = [dot(e, n) * dot(e, n) - k * k for e, k in zip(edges, limits, strict=True)]
        steep = where(positive(slopes[0]), slopes[0], slopes[1])
        several = where(inside, 1, steep)
    trust = where(near, where(apart, several, -1), 1)
    points = (x + y + (b.radius - a.radius) * n) / 2
    return Touches(points[None], n[None], gap, trust)


# All pairs of a scene -----------------------------------------------------------------------------


def touches_of(pairs: Sequence[Pair], R: Array, p: Array, margin: float) -> Touches:
    """Return where all pairs touch, one after another."""
    found = [pair.at(R, p, margin) for pair in pairs]
    whole = [[getattr(own, name) for own in found] for name in ("points", "normals")]
    points, normals = (concatenate(parts, axis=-2) for parts in whole)
    gaps, trust = (
        concatenate([getattr(own, k) for own in found], axis=-1) for k in ("gaps", "trust")
    )
    return Touches(points, normals, gaps, trust)


def each_contact(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yield the pair of each contact that there may be."""
    for pair in pairs:
        for _ in range(pair.count):
            yield pair
