"""Constraints between the bodies of a chain: which bodies, which frames in them, and whose twists.

What all of them share; each kind adds its error, its rows and its bias, as chapter 13 derives them for a joint. Written
by hand.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from chaindyn._ops import SMALL, Array, concatenate, eye, holds_objects, zeros
from chaindyn.array_types import ArrayM, ArrayNq, ArrayNx6
from chaindyn.chain import Chain
from chaindyn.guards.arguments import FRAMES, FrameWord
from chaindyn.guards.constraint_parts import (
    as_constraints,
    between_links,
    bodies_of,
    check_closure,
    check_multipliers,
    forces_in,
    largest_rows,
    rows_in,
)
from chaindyn.guards.door import checked
from chaindyn.inverse_dynamics import wrenches_in
from chaindyn.kinematics import screws_seen_from
from chaindyn.models.arrays import stack_joints
from chaindyn.spatial import X_motion
from chaindyn.state import State

__all__ = ["constraint_wrenches"]


@dataclass(frozen=True, eq=False)
class Constraint:
    """A constraint whose error, rows and bias come from a chain's evaluated state."""

    @checked(q="nq")
    def error(self, chain: Chain, q: Array) -> Array | None:
        """Return the error (..., m) at q (..., nq), None for one of velocities."""
        return between_links(self, chain).error_in(State(chain, q))

    @checked(q="nq")
    def jacobian(self, chain: Chain, q: Array) -> Array:
        """Return the rows K (..., m, nv) at q (..., nq).

        ValueError if the chain has no such link.
        """
        return between_links(self, chain).jacobian_in(State(chain, q))

    @checked(q="nq", qd="nv")
    def bias(self, chain: Chain, q: Array, qd: Array) -> Array:
        """Return dK/dt qd (..., m), which K qdd must cancel."""
        return between_links(self, chain).bias_in(State(chain, q, qd))

    def error_in(self, state: State) -> Array | None:
        """Return the `error` of a chain in an evaluated state."""
        raise NotImplementedError

    def jacobian_in(self, state: State) -> Array:
        """Return the `jacobian` of a chain in an evaluated state."""
        raise NotImplementedError

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class BodyConstraint(Constraint):
    """A constraint on the twist of a link relative to another body, or the ground."""

    def bodies(self, chain: Chain) -> tuple[int, int]:
        """Return the indices of the link and of its other body, -1 for the ground."""
        raise NotImplementedError

    def seen_rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return a frame in the world, R, p, and the rows (..., m, 6) of its twist."""
        raise NotImplementedError

    def rows_and_screws(self, state: State) -> tuple[Array, Array, np.ndarray | None]:
        """Return rows (..., m, 6), screws (..., 6, c) and their places among all nv: the products are those of K.

        Of plain numbers all columns at once, places None. Of objects each operation costs: only columns that are not
        zeros, and the rows are turned into the world's axes instead of these.
        """
        chain, (R, p, rows) = state.chain, self.seen_rows(state)
        one, other = ({*chain.path(body)} if body >= 0 else set() for body in self.bodies(chain))
        signs = np.array([(i in one) - (i in other) for i in chain.link_of_column], SMALL)
        if not holds_objects(p):
            return rows, (screws_seen_from(state, R, p) * signs[:, None]).mT, None
        places = np.flatnonzero(signs)
        screws = screws_seen_from(state, eye(3), p, places) * signs[places, None]
        return rows @ X_motion(R.mT, zeros((3,))), screws.mT, places

    def jacobian_in(self, state: State) -> Array:
        """Return the `jacobian` of a chain in an evaluated state."""
        rows, screws, places = self.rows_and_screws(state)
        return at_columns(rows @ screws, places, state.chain.nv)

    def row_bounds_in(self, state: State) -> Array:
        """Return how large each entry of the `jacobian` could be."""
        rows, screws, places = self.rows_and_screws(state)
        return at_columns(largest_rows(rows, screws), places, state.chain.nv)

    def link_rows_in(self, state: State) -> Array:
        """Return the rows (..., m, n, 6) of the links' twists, each in its own axes."""
        return rows_of_links(state, self.bodies(state.chain), *self.seen_rows(state))


def at_columns(x: Array, places: np.ndarray | None, nv: int) -> Array:
    """Return columns (..., m, c) in their places among nv, zeros between them; None: all of them."""
    if places is None:
        return x
    source = np.full(nv, len(places))
    source[places] = np.arange(len(places))
    return concatenate([x, zeros((*x.shape[:-1], 1))], axis=-1)[..., source]


def rows_of_links(state: State, bodies: tuple[int, int], R: Array, p: Array, rows: Array) -> Array:
    """Return rows (..., m, 6) of a frame R, p in the world as (..., m, n, 6)."""
    (R_links, p_links), total = state.poses, 0
    for body, sign in zip(bodies, (1, -1), strict=True):
        if body >= 0:
            own = R_links[..., body, :, :]
            place = (own.mT @ (p - p_links[..., body, :])[..., None])[..., 0]
            at = (np.arange(state.chain.n) == body).astype(SMALL)[:, None]
            seen = rows @ X_motion(R.mT @ own, place)
            total = total + sign * at * seen[..., None, :]
    return total


@dataclass(frozen=True, eq=False)
class FramedConstraint(BodyConstraint):
    """A constraint between a frame in a link and one in another body: see `Closure`."""

    joint: Any
    link: int | str
    onto: int | str = "ground"
    _: KW_ONLY
    offset: Any = (0, 0, 0)
    rotation: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    onto_offset: Any = (0, 0, 0)
    onto_rotation: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))

    def __post_init__(self) -> None:
        check_closure(self, stack_joints)

    def bodies(self, chain: Chain) -> tuple[int, int]:
        """Return the indices of the link and of its other body, -1 for the ground."""
        return bodies_of("Closure", chain, self.link, self.onto)

    def placed(self, state: State, body: int) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3, 1) in the world of the frame in a body."""
        offset, rotation = self.onto_offset, self.onto_rotation
        if body == self.bodies(state.chain)[0]:
            offset, rotation = self.offset, self.rotation
        if body < 0:
            return rotation, offset[:, None]
        R, p = state.poses
        own = R[..., body, :, :]
        return own @ rotation, p[..., body, :, None] + own @ offset[:, None]

    def relative_pose(self, state: State) -> tuple[Array, Array]:
        """Return R, p (..., 3) of the link's frame, seen from that in the other."""
        held = between_links(self, state.chain)
        i, j = held.bodies(state.chain)
        R_link, p_link = held.placed(state, i)
        R_onto, p_onto = held.placed(state, j)
        return R_onto.mT @ R_link, (R_onto.mT @ (p_link - p_onto))[..., 0]


@checked(q="nq", frame=FRAMES)
def constraint_wrenches(
    chain: Chain, constraints: Any, q: ArrayNq, multipliers: ArrayM, *, frame: FrameWord = "body"
) -> ArrayNx6:
    """Return the wrench (..., n, 6) [tau; f] of constraints on each link.

    constraints, q : as for `constraint_jacobian`; multipliers : (..., m), in the order
    of its rows, forces or impulses; frame : as for `body_twists`. With them as
    `external`, `joint_wrenches` gives the wrenches in the joints of a closed chain. A
    constraint without rows of links, such as a `Coupling`, acts along the joints and
    has no wrench. ValueError if there are more or fewer multipliers than rows. "Two
    rigid bodies with a constraint", general form.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, name="rod")])
    >>> string = Distance("rod", length=1, offset=(1, 0, 0), onto_offset=(1, 0, 1))
    >>> pull = np.array([-4.905])
    >>> constraint_wrenches(rod, string, np.zeros(1), pull)[0].round(6) + 0.0
    array([ 0.   , -4.905,  0.   ,  0.   ,  0.   ,  4.905])
    """
    constraints, state = as_constraints(constraints), State(chain, q)
    lam = check_multipliers(multipliers, rows_in(state, constraints), state)
    wrenches, _ = forces_in(state, constraints, lam[..., None])
    return wrenches_in(state, wrenches, frame)
