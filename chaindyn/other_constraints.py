# Generated from chapters/16_what_rolls.md by `python -m book export`; edit it there.
# sha256 of the text below: bdc74e5c1208bff7dc3ff7b44532ce6f1801135cc4c72b36ef81012914a7edca
"""Constraints beside the joint: rods, gears and wheels.

Derived in chapter 16, "What rolls".
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from chaindyn._ops import Array, concatenate, divide, eye, sqrt, zeros
from chaindyn.chain import Chain
from chaindyn.contract import Joint, across
from chaindyn.guards.arguments import check_array
from chaindyn.guards.constraint_parts import bodies_of
from chaindyn.guards.loops import check_factors, factors_by_joint, keep_checked
from chaindyn.guards.numbers import frozen
from chaindyn.models.between_bodies import BodyConstraint, Constraint
from chaindyn.spatial import X_motion, crm
from chaindyn.state import State

__all__ = ["Coupling", "Distance", "Rolling"]


# Chapter 16, "What rolls": Rods and gears
def dot(a: Array, b: Array) -> Array:
    """Return a . b (..., 1) of vectors (..., 3)."""
    return (a * b).sum(-1, keepdims=True)


def point_place(state: State, body: int, point: Array) -> Array:
    """Return the place (..., 3) of a body's point (3,); body -1 is the ground."""
    if body < 0:
        return point
    R, p = state.poses
    return p[..., body, :] + (R[..., body, :, :] @ point[:, None])[..., 0]


def point_motion(state: State, body: int, point: Array) -> tuple[Array, Array]:
    """Return twist and acceleration (..., 6) of a body about a point, while qdd = 0.

    In world axes. The linear part of each is that of the particle: its velocity, and
    the rate of it.
    """
    if body < 0:
        return zeros((6,)), zeros((6,))
    R, _ = state.poses
    there = X_motion(R[..., body, :, :], 0 * point) @ X_motion(eye(3), point)
    V = there @ state.twists[..., body, :, :]
    A = there @ state.bias_accelerations[..., body, :, :]
    return V[..., 0], (A + turned_on(V))[..., 0]


def turned_on(V: Array) -> Array:
    """Return [0; w x v] (..., 6, 1) of a twist (..., 6, 1).

    Added to a spatial acceleration it gives the particle's.
    """
    w = concatenate([V[..., :3, 0], 0 * V[..., 3:, 0]], axis=-1)
    return crm(w) @ concatenate([0 * V[..., :3, :], V[..., 3:, :]], axis=-2)


# Chapter 16, "What rolls": Rods and gears
@dataclass(frozen=True, eq=False)
class Distance(BodyConstraint):
    """A rod without mass, with a ball at each end: two points keep their distance.

    link : index or name, or a frame's name; onto : the other, "ground" by default.
    offset (3,) [m] is the point in the link, onto_offset that in the other; length [m].
    The error is (d.d - length^2) / (2 length) for d from the other's point to the
    link's: the multiplier is the force in the rod [N], positive if it pushes.
    ValueError as for a `Closure`, and if the length is not positive.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, name="rod")])
    >>> string = Distance("rod", length=1, offset=(1, 0, 0), onto_offset=(1, 0, 1))
    >>> still = np.zeros(1)
    >>> qdd, force = constrained_forward_dynamics(rod, string, still, still, still)
    >>> force.round(6)
    array([-4.905])
    """

    link: int | str
    onto: int | str = "ground"
    _: KW_ONLY
    length: Any
    offset: Any = (0, 0, 0)
    onto_offset: Any = (0, 0, 0)

    def __post_init__(self) -> None:
        keep_checked(
            self,
            f"Distance of {self.link!r} from {self.onto!r}",
            length="positive",
            offset=(3,),
            onto_offset=(3,),
        )

    def bodies(self, chain: Chain) -> tuple[int, int]:
        """Return the indices of the two bodies, the link's first; -1 is the ground."""
        return bodies_of("Distance", chain, self.link, self.onto)

    def ends(self, state: State, of: Callable[..., Any]) -> tuple[Any, Any]:
        """Return of(state, body, point) at the onto end and at the link's."""
        link, onto = self.bodies(state.chain)
        return of(state, onto, self.onto_offset), of(state, link, self.offset)

    def error_in(self, state: State) -> Array:
        """Return the `error` of a chain in an evaluated state."""
        start, end = self.ends(state, point_place)
        square = dot(end - start, end - start) - self.length * self.length
        return divide(square, 2 * np.asarray(self.length))

    def seen_rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return a frame at the link's end, in world axes, and the rod as a row."""
        start, end = self.ends(state, point_place)
        along = divide(end - start, np.asarray(self.length))[..., None, :]
        return eye(3), end, concatenate([0 * along, along], axis=-1)

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        start, end = self.ends(state, point_place)
        (V, A), (V_end, A_end) = self.ends(state, point_motion)
        v, a = (V_end - V)[..., 3:], (A_end - A)[..., 3:]
        square = (v * v + (end - start) * a).sum(-1, keepdims=True)
        return divide(square, np.asarray(self.length))


# Chapter 16, "What rolls": Rods and gears
def plain_coordinates(chain: Chain) -> Array:
    """Return for each velocity (nv,) the coordinate whose rate it is, or -1.

    Balls and free bodies have none.
    """
    found = np.full(chain.nv, -1)
    for joint, own, rates in zip(chain.joints, chain.q_columns, chain.v_columns, strict=True):
        if type(joint).rate is Joint.rate:
            found[rates] = np.arange(own.start, own.stop)
    return found


# Chapter 16, "What rolls": Rods and gears
@dataclass(frozen=True, eq=False)
class Coupling(Constraint):
    """A gear, a belt or a screw: the sum of factors times joint rates is zero.

    factors : for each joint concerned, by index or name of its link, one number, or as
    many as the joint has rates.
    total : the value of the same sum of coordinates, if it exists, for joints whose
    coordinates' rates are their velocities; the error is the difference from it. With a
    ball, a planar or a free joint it is None. The multiplier acts along the joints,
    times the factors, as motors would. ValueError names the entry that does not fit a
    chain.

    >>> wheel = Link(Revolute(), 1, (0, 0, 0), np.eye(3))
    >>> pinion = Link(Revolute(), 1, (0, 0, 0), np.eye(3) / 9, parent="ground")
    >>> machine, gear = Chain([wheel, pinion]), Coupling({0: 3, 1: 1})
    >>> state = np.zeros(2), np.zeros(2), np.array([2.0, 0.0])
    >>> constrained_forward_dynamics(machine, gear, *state)[0].round(9)
    array([ 1., -3.])
    """

    factors: Mapping[int | str, Any]
    _: KW_ONLY
    total: Any = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "factors", check_factors(self.factors))
        check_array(self.total, "total of a Coupling", ())
        object.__setattr__(self, "total", frozen(self.total))

    def row(self, chain: Chain) -> Array:
        """Return the factors as one row (nv,)."""
        return np.concatenate(factors_by_joint(chain, self.factors))

    def error_in(self, state: State) -> Array | None:
        """Return the `error` of a chain in an evaluated state."""
        row = self.row(state.chain)
        own = np.flatnonzero(row)
        coordinates = plain_coordinates(state.chain)[own]
        if (coordinates < 0).any():
            return None
        q = state.q[..., coordinates]
        return (row[own] * q).sum(-1, keepdims=True) - self.total

    def jacobian_in(self, state: State) -> Array:
        """Return the `jacobian` of a chain in an evaluated state."""
        batch = state.q.shape[:-1]
        return self.row(state.chain)[None] + zeros((*batch, 1, state.chain.nv))

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        batch = np.broadcast_shapes(state.q.shape[:-1], state.qd.shape[:-1])
        return zeros((*batch, 1))


# Chapter 16, "What rolls": A wheel
def across_axis(normal: Array, u: Array) -> tuple[Array, Array]:
    """Return s / |s| (..., 3) and |s| (..., 1) of the normal (3,) across an axis u."""
    s = normal - dot(u, normal) * u
    size = sqrt(dot(s, s))
    return divide(s, size), size


def rate_across(normal: Array, V: Array, u: Array, along: Array, size: Array) -> Array:
    """Return the rate (..., 3) of `along`, s / |s|, when the disc has the twist V."""
    du = (crm(V)[..., :3, :3] @ u[..., None])[..., 0]  # w x u
    ds = -dot(normal, du) * u - dot(normal, u) * du
    return divide(ds - dot(along, ds) * along, size)


# Chapter 16, "What rolls": A wheel
@dataclass(frozen=True, eq=False)
class OnPlane(BodyConstraint):
    """A ball or a thin disc on a plane of the ground; fields as for `Rolling`."""

    link: int | str
    radius: Any
    _: KW_ONLY
    axis: Any = None
    offset: Any = (0, 0, 0)
    normal: Any = (0, 0, 1)
    height: Any = 0

    def __post_init__(self) -> None:
        keep_checked(
            self,
            f"Rolling of {self.link!r}",
            radius="positive",
            height=(),
            offset=(3,),
            axis="direction",
            normal="direction",
        )

    def bodies(self, chain: Chain) -> tuple[int, int]:
        """Return the index of the link, and -1 for the ground."""
        return bodies_of("Rolling", chain, self.link, "ground")

    def centre(self, state: State) -> tuple[int, Array]:
        """Return the link's index and the centre in it."""
        return self.bodies(state.chain)[0], self.offset

    def down(self, state: State) -> tuple[Array, Array, Array]:
        """Return the disc's axis (..., 3), s / |s| (..., 3) and |s| (..., 1)."""
        if self.axis is None:
            return 0 * self.normal, self.normal, eye(1)[0]
        R, _ = state.poses
        u = (R[..., self.centre(state)[0], :, :] @ self.axis[:, None])[..., 0]
        return u, *across_axis(self.normal, u)


# Chapter 16, "What rolls": A wheel
@dataclass(frozen=True, eq=False)
class Rolling(OnPlane):
    """A ball or a thin disc that rolls on a plane of the ground: three rows.

    It neither slips nor lifts off.
    link : index or name; radius [m]. axis : (3,) of the disc, in link axes; None is a
    ball. offset : (3,) of the centre in the link [m]; normal : (3,) of the plane, in
    the world, upwards; height : of the plane along it [m]. The particle at the contact
    does not move along two directions in the plane, nor along the normal; multipliers
    are the friction forces and the normal force on the link [N]. The error is zero in
    the first two rows, which are not the derivative of any function of q, and in the
    third the height of the lowest point over the plane.

    >>> ball = Chain([Link(Free(), 1, (0, 0, 0), 0.4 * np.eye(3), name="ball")])
    >>> q = np.array([0, 0, 1, 1, 0, 0, 0.0])
    >>> constraint_jacobian(ball, Rolling("ball", 1), q) + 0.0
    array([[ 0., -1.,  0.,  1.,  0.,  0.],
           [ 1.,  0.,  0.,  0.,  1.,  0.],
           [ 0.,  0.,  0.,  0.,  0.,  1.]])
    """

    @property
    def directions(self) -> Array:
        """Two directions in the plane and its normal (3, 3), as rows."""
        return concatenate([across(self.normal).mT, self.normal[None]], axis=-2)

    def error_in(self, state: State) -> Array:
        """Return the `error` of a chain in an evaluated state."""
        centre = point_place(state, *self.centre(state))
        _, _, size = self.down(state)
        lowest = dot(self.normal, centre) - self.radius * size
        return concatenate([0 * lowest, 0 * lowest, lowest - self.height], axis=-1)

    def seen_rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return a frame at the contact, in world axes, and its velocity's rows."""
        _, along, _ = self.down(state)
        contact = point_place(state, *self.centre(state)) - self.radius * along
        rows = concatenate([0 * self.directions, self.directions], axis=-1)
        return eye(3), contact, rows

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        V, A = point_motion(state, *self.centre(state))
        u, along, size = self.down(state)
        dr = -self.radius * rate_across(self.normal, V, u, along, size)
        moved = (X_motion(eye(3), -self.radius * along) @ A[..., None])[..., 3:, :]
        turned = crm(V)[..., :3, :3] @ dr[..., None]
        return (self.directions @ (moved + turned))[..., 0]
