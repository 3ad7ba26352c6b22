# Generated from chapters/12_maximal_coordinates.md by `python -m book export`; edit it there.
# sha256 of the text below: a5fc0c827bd45db67b191b848e82720558d9a0c25d4a14479bb28d914c1929a2
"""Constraints: a joint held as rows, and rows of several constraints as one matrix.

Derived in chapter 12, "Maximal coordinates".
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from chaindyn._ops import SMALL, Array, concatenate, solve
from chaindyn.chain import Chain
from chaindyn.guards.arguments import FRAMES
from chaindyn.guards.constraint_parts import (
    as_constraints,
    bodies_of,
    check_closure,
    check_multipliers,
    errors_in,
    forces_in,
    largest_rows,
    parts_in,
    rows_in,
)
from chaindyn.guards.door import checked
from chaindyn.guards.joint_laws import as_guest
from chaindyn.inverse_dynamics import wrenches_in
from chaindyn.kinematics import screws_seen_from
from chaindyn.lie import log_so3
from chaindyn.models.arrays import stack_joints
from chaindyn.nearest import nearest_coordinates
from chaindyn.spatial import X_motion, crm
from chaindyn.state import State

__all__ = [
    "Closure",
    "constraint_bias",
    "constraint_error",
    "constraint_jacobian",
    "constraint_wrenches",
]


# Chapter 12, "Maximal coordinates": A joint held as rows
@dataclass(frozen=True, eq=False)
class Constraint:
    """A constraint whose error, rows and bias come from a chain's evaluated state."""

    @checked(q="nq")
    def error(self, chain: Chain, q: Array) -> Array | None:
        """Return the error (..., m) at q (..., nq), None for one of velocities."""
        return self.error_in(State(chain, q))

    @checked(q="nq")
    def jacobian(self, chain: Chain, q: Array) -> Array:
        """Return the rows K (..., m, nv) at q (..., nq).

        ValueError if the chain has no such link.
        """
        return self.jacobian_in(State(chain, q))

    @checked(q="nq", qd="nv")
    def bias(self, chain: Chain, q: Array, qd: Array) -> Array:
        """Return dK/dt qd (..., m), which K qdd must cancel."""
        return self.bias_in(State(chain, q, qd))

    def error_in(self, state: State) -> Array | None:
        """Return the `error` of a chain in an evaluated state."""
        raise NotImplementedError

    def jacobian_in(self, state: State) -> Array:
        """Return the `jacobian` of a chain in an evaluated state."""
        raise NotImplementedError

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        raise NotImplementedError


# Chapter 12, "Maximal coordinates": A joint held as rows
@dataclass(frozen=True, eq=False)
class BodyConstraint(Constraint):
    """A constraint on the twist of a link relative to another body, or the ground."""

    def bodies(self, chain: Chain) -> tuple[int, int]:
        """Return the indices of the link and of its other body, -1 for the ground."""
        raise NotImplementedError

    def seen_rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return a frame in the world, R, p, and the rows (..., m, 6) of its twist."""
        raise NotImplementedError

    def rows_and_screws(self, state: State) -> tuple[Array, Array]:
        """Return rows (..., m, 6) and screws (..., 6, nv), whose product is K."""
        chain, (R, p, rows) = state.chain, self.seen_rows(state)
        one, other = ({*chain.path(body)} if body >= 0 else set() for body in self.bodies(chain))
        signs = np.array([(i in one) - (i in other) for i in chain.link_of_column], SMALL)
        return rows, (screws_seen_from(state, R, p) * signs[:, None]).mT

    def jacobian_in(self, state: State) -> Array:
        """Return the `jacobian` of a chain in an evaluated state."""
        rows, screws = self.rows_and_screws(state)
        return rows @ screws

    def row_bounds_in(self, state: State) -> Array:
        """Return how large each entry of the `jacobian` could be."""
        return largest_rows(*self.rows_and_screws(state))

    def link_rows_in(self, state: State) -> Array:
        """Return the rows (..., m, n, 6) of the links' twists, each in its own axes."""
        return rows_of_links(state, self.bodies(state.chain), *self.seen_rows(state))


# Chapter 12, "Maximal coordinates": A joint held as rows
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


# Chapter 12, "Maximal coordinates": A joint held as rows
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
        i, j = self.bodies(state.chain)
        R_link, p_link = self.placed(state, i)
        R_onto, p_onto = self.placed(state, j)
        return R_onto.mT @ R_link, (R_onto.mT @ (p_link - p_onto))[..., 0]


# Chapter 12, "Maximal coordinates": A joint held as rows
def relative_motion(state: State, held: FramedConstraint) -> tuple[Array, Array]:
    """Return the relative twist and acceleration (..., 6, 1) of the two frames."""
    (i, j), (R, p) = held.bodies(state.chain), held.relative_pose(state)
    V, A = state.twists, state.bias_accelerations
    link = X_motion(held.rotation.mT, held.offset)
    twist, acceleration = link @ V[..., i, :, :], link @ A[..., i, :, :]
    if j >= 0:
        onto = X_motion(R.mT, p) @ X_motion(held.onto_rotation.mT, held.onto_offset)
        carried = onto @ V[..., j, :, :]
        twist = twist - carried
        turned = crm(twist[..., 0]) @ carried
        acceleration = acceleration - onto @ A[..., j, :, :] + turned
    return twist, acceleration


# Chapter 12, "Maximal coordinates": A joint held as rows
@dataclass(frozen=True, eq=False)
class Closure(FramedConstraint):
    """A joint held as rows of equations, between a link and another one or the ground:
    it closes a loop.

    joint : any `Joint`; link : index or name of its child; onto : of its parent,
    "ground" by default. offset (3,) [m] and rotation (3, 3) place the joint in the
    link, onto_offset and onto_rotation in the other: the joint's point x lies at
    ``offset + rotation @ x`` in the one and, while the joint is in its zero position,
    at ``onto_offset + onto_rotation @ x`` in the other. ValueError names the impossible
    part; a link that a chain does not have is named when the rows are computed.

    The rows are T^T times the twist of the link relative to the other, T being the
    joint's constraint subspace in the frame that it has in the link: a multiplier is a
    moment [N m] or a force [N] on the link along a column of T. The error (..., m)
    [rad, m] is the rotation and shift, in these directions, from the nearest pose that
    the joint can have; its derivative is the rows where the constraint is kept. There
    the bias is exact; elsewhere, if T does not depend on the joint's coordinates.

    The interface of a constraint, for other kinds: any object with ``error(chain, q)``
    (..., m), which is zero where the constraint is kept (None if there is no such
    function), ``jacobian(chain, q)``, K (..., m, nv), and ``bias(chain, q, qd)``, dK/dt
    qd (..., m). Forces that hold it are K^T lambda. If it acts on the links and not
    along the joints, ``link_rows(chain, q)`` (..., m, n, 6) gives its rows: K qd is the
    sum of these rows times the links' twists, in link coordinates. "Notes on rigid body
    dynamics", constraints and subspaces: the rows are the complement of the joint's
    motions.
    """

    def coordinates(self, chain: Chain, q: Array) -> Array:
        """Return the joint's own coordinates (..., nq of the joint) at q (..., nq).

        Where q does not keep the constraint, those of a pose near by.
        """
        return nearest_coordinates(self.joint, *self.relative_pose(State(chain, q)))

    def error_in(self, state: State) -> Array:
        """Return the `error` of a chain in an evaluated state."""
        (R, p), joint = self.relative_pose(state), as_guest(self.joint)
        nearest = nearest_coordinates(self.joint, R, p)
        R0, p0 = joint.pose(nearest)
        turn, shift = log_so3(R0.mT @ R)[..., None], R0.mT @ (p - p0)[..., None]
        T = joint.constraint_subspace(nearest)
        return (T.mT @ concatenate([turn, shift], axis=-2))[..., 0]

    def seen_rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return R, p in the world of the link's frame, and T^T (..., m, 6)."""
        R, p = self.placed(state, self.bodies(state.chain)[0])
        nearest = nearest_coordinates(self.joint, *self.relative_pose(state))
        return R, p[..., 0], as_guest(self.joint).constraint_subspace(nearest).mT

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        twist, acceleration = relative_motion(state, self)
        nearest = nearest_coordinates(self.joint, *self.relative_pose(state))
        joint = as_guest(self.joint)
        S, T = joint.motion_subspace(nearest), joint.constraint_subspace(nearest)
        rate = solve(S.mT @ S, S.mT @ twist)
        turning = joint.motion_subspace_rate(nearest, rate[..., 0])
        return (T.mT @ (acceleration - turning @ rate))[..., 0]


# Chapter 12, "Maximal coordinates": A joint held as rows
@checked(q="nq")
def constraint_jacobian(chain: Chain, constraints: Any, q: Array) -> Array:
    """Return the rows K (..., m, nv) of all constraints: K qd = 0 on velocities.

    constraints : one or several, each a `Closure` or any object with its three methods;
    q : (..., nq). Their forces are K^T lambda (..., nv). ValueError names the
    constraint and its error. "Notes on rigid body dynamics", constraints.
    """
    return rows_in(State(chain, q), as_constraints(constraints))


@checked(q="nq")
def constraint_error(chain: Chain, constraints: Any, q: Array) -> Array:
    """Return the errors of a posture in all constraints (..., m).

    Arguments and order as for `constraint_jacobian`. A constraint of velocities alone,
    whose ``error`` returns None, has zeros here.
    """
    return errors_in(State(chain, q), as_constraints(constraints))


@checked(q="nq", qd="nv")
def constraint_bias(chain: Chain, constraints: Any, q: Array, qd: Array) -> Array:
    """Return dK/dt qd (..., m) of all constraints: K qdd = -dK/dt qd keeps them.

    Arguments as for `constraint_jacobian`; qd : (..., nv). "Notes on rigid body
    dynamics", constraints.
    """
    return parts_in(State(chain, q, qd), as_constraints(constraints), "bias")[0]


# Chapter 12, "Maximal coordinates": A joint held as rows
@checked(q="nq", frame=FRAMES)
def constraint_wrenches(
    chain: Chain, constraints: Any, q: Array, multipliers: Array, *, frame: str = "body"
) -> Array:
    """Return the wrench (..., n, 6) [tau; f] of constraints on each link.

    constraints, q : as for `constraint_jacobian`; multipliers : (..., m), in the order
    of its rows, forces or impulses; frame : as for `body_twists`. With them as
    `external`, `joint_wrenches` gives the wrenches in the joints of a closed chain. A
    constraint without rows of links, such as a `Coupling`, acts along the joints and
    has no wrench. ValueError if there are more or fewer multipliers than rows. "Two
    rigid bodies with a constraint", general form.
    """
    constraints, state = as_constraints(constraints), State(chain, q)
    lam = check_multipliers(multipliers, rows_in(state, constraints), state)
    wrenches, _ = forces_in(state, constraints, lam[..., None])
    return wrenches_in(state, wrenches, frame)
