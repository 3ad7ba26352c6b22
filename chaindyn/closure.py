# Generated from chapters/12_maximal_coordinates.md by `python -m book export`; edit it there.
# sha256 of the text below: 28b0befd1b9181d4be7c0a40e3c86fd8e020bbacc66bb1183e3fb9b60f1ca67e
"""Constraints: a joint held as rows, and rows of several constraints as one matrix.

Derived in chapter 12, "Maximal coordinates".
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from chaindyn._ops import SMALL, Array, atan2, concatenate, cos, divide, eye, sin, solve, zeros
from chaindyn.chain import Chain
from chaindyn.guards.arguments import (
    FRAMES,
    check_array,
    require_rotation,
    require_rows,
    require_same_batch,
    require_shape,
)
from chaindyn.guards.door import checked, outside
from chaindyn.guards.joint_laws import as_guest, check_laws
from chaindyn.guards.model import check_joint
from chaindyn.guards.numbers import as_array, read_only, read_only_view, require_finite
from chaindyn.inverse_dynamics import wrenches_in
from chaindyn.joints import Prismatic, Revolute, Spherical, across, rotation_about
from chaindyn.kinematics import screws_seen_from
from chaindyn.lie import log_se3, log_so3, quaternion_from_rotation
from chaindyn.models.arrays import stack_joints
from chaindyn.other_joints import Cylindrical, Fixed, Free, Helical, Planar, Universal
from chaindyn.spatial import X_motion, crm, skew
from chaindyn.state import State

__all__ = [
    "Closure",
    "constraint_bias",
    "constraint_error",
    "constraint_jacobian",
    "constraint_wrenches",
]


# Chapter 12, "Maximal coordinates": A joint held as rows
def turn_about(axis: Array, R: Array) -> Array:
    """Return the angle (..., 1) of the rotation about a unit axis (3,) that is nearest
    to R (..., 3, 3).
    """
    sines = R[..., np.array([2, 0, 1]), np.array([1, 2, 0])]
    sines = sines - R[..., np.array([1, 2, 0]), np.array([2, 0, 1])]
    around = eye(3) - axis[:, None] * axis
    cosine = (around * R).sum(-1).sum(-1, keepdims=True)
    return atan2((axis * sines).sum(-1, keepdims=True), cosine)


def nearest_angles(joint: Universal, R: Array) -> Array:
    """Return the angles (..., 2) with which a universal joint is turned like R (..., 3,
    3), or nearly so.
    """
    first, second = joint.first, joint.second
    seen = (R.mT @ first[:, None])[..., 0]  # the axis of the parent, from the child
    around = eye(3) - second[:, None] * second
    sine = (seen * (skew(first) @ second)).sum(-1, keepdims=True)
    cosine = (seen * (around @ first)).sum(-1, keepdims=True)
    angle = atan2(sine, cosine)
    return concatenate([turn_about(first, R @ rotation_about(second, angle).mT), angle], axis=-1)


def nearest_turn(joint: Helical, R: Array, p: Array) -> Array:
    """Return the angle (..., 1) of a nut at the pose R, p: of all that fit R, the one
    nearest to p.
    """
    angle = turn_about(joint.axis, R)
    if not np.any(joint.pitch != 0):
        return angle
    turned = divide((joint.axis * p).sum(-1, keepdims=True), joint.pitch)
    s, c = sin(turned - angle), cos(turned - angle)
    return turned - atan2(s, c)


def sought_coordinates(joint: Any, R: Array, p: Array) -> Array:
    """Return coordinates (..., nq) that bring a joint of any kind near a pose: Gauss
    and Newton, from neutral.
    """
    guest = as_guest(joint)
    q = np.zeros((*p.shape[:-1], joint.nq)) + joint.neutral
    for _ in range(12):
        R0, p0 = guest.pose(q)
        S = guest.motion_subspace(q)
        miss = log_se3(R0.mT @ R, (R0.mT @ (p - p0)[..., None])[..., 0])
        q = guest.integrate(q, solve(S.mT @ S, S.mT @ miss[..., None])[..., 0])
    return q


def nearest_coordinates(joint: Any, R: Array, p: Array) -> Array:
    """Return the coordinates (..., nq) of a joint that bring it to the pose R (..., 3,
    3), p (..., 3), or near it.

    If the joint can have this pose, they give it exactly. A user's joint may have a
    method ``nearest(R, p)`` for them; otherwise they are sought, from the zero
    position.
    """

    def along(axis: Array) -> Array:
        return (axis * p).sum(-1, keepdims=True)

    match joint:
        case Fixed():
            return zeros((*p.shape[:-1], 0))
        case Revolute(axis):
            return turn_about(axis, R)
        case Prismatic(axis):
            return along(axis)
        case Helical():
            return nearest_turn(joint, R, p)
        case Cylindrical(axis):
            return concatenate([turn_about(axis, R), along(axis)], axis=-1)
        case Planar(normal):
            return concatenate([p @ across(normal), turn_about(normal, R)], axis=-1)
        case Universal():
            return nearest_angles(joint, R)
        case Spherical():
            return quaternion_from_rotation(R)
        case Free():
            return concatenate([p, quaternion_from_rotation(R)], axis=-1)
    own = getattr(joint, "nearest", None)
    return outside(own)(R, p) if own else sought_coordinates(joint, R, p)


# Chapter 12, "Maximal coordinates": A joint held as rows
@dataclass(frozen=True, eq=False)
class Constraint:
    """A constraint whose error, rows and bias are computed from a chain's evaluated
    state.
    """

    @checked(q="nq")
    def error(self, chain: Chain, q: Array) -> Array | None:
        """Return the error (..., m) of a posture q (..., nq), or None for a constraint
        of velocities.
        """
        return self.error_in(State(chain, q))

    @checked(q="nq")
    def jacobian(self, chain: Chain, q: Array) -> Array:
        """Return the rows K (..., m, nv) in a posture q (..., nq); ValueError if the
        chain has no such link.
        """
        return self.jacobian_in(State(chain, q))

    @checked(q="nq", qd="nv")
    def bias(self, chain: Chain, q: Array, qd: Array) -> Array:
        """Return dK/dt qd (..., m), which K qdd must cancel; q : (..., nq), qd : (...,
        nv).
        """
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


@dataclass(frozen=True, eq=False)
class BodyConstraint(Constraint):
    """A constraint between two bodies: its rows multiply the twist of a link relative
    to another, or to the ground.
    """

    def bodies(self, chain: Chain) -> tuple[int, int]:
        """Return the indices of the link and of the body it is held to, -1 for the
        ground.
        """
        raise NotImplementedError

    def seen_rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return a frame in the world, R (..., 3, 3), p (..., 3), and the rows (..., m,
        6) of the twist seen there.
        """
        raise NotImplementedError

    def rows_and_screws(self, state: State) -> tuple[Array, Array]:
        """Return rows (..., m, 6) and the twists seen there for rates of one (..., 6,
        nv): K is their product.
        """
        chain = state.chain
        R, p, rows = self.seen_rows(state)
        moved = [{*chain.path(body)} if body >= 0 else set() for body in self.bodies(chain)]
        signs = np.array([(i in moved[0]) - (i in moved[1]) for i in chain.link_of_column], SMALL)
        return rows, (screws_seen_from(state, R, p) * signs[:, None]).mT

    def jacobian_in(self, state: State) -> Array:
        """Return the `jacobian` of a chain in an evaluated state."""
        rows, screws = self.rows_and_screws(state)
        return rows @ screws

    def row_bounds_in(self, state: State) -> Array:
        """Return how large each entry of the `jacobian` could be, if what is multiplied
        there were parallel.
        """
        rows, screws = self.rows_and_screws(state)
        return sum(
            np.linalg.norm(rows[..., :, None, x], axis=-1)
            * np.linalg.norm(screws.mT[..., None, :, x], axis=-1)
            for x in (slice(3), slice(3, 6))
        )

    def link_rows_in(self, state: State) -> Array:
        """Return the coefficients in K qd of each link's twist, in its own coordinates
        (..., m, n, 6).
        """
        (R, p, rows), (R_links, p_links) = self.seen_rows(state), state.poses
        total: Array = 0
        for body, sign in zip(self.bodies(state.chain), (1, -1), strict=True):
            if body >= 0:
                own = R_links[..., body, :, :]
                place = (own.mT @ (p - p_links[..., body, :])[..., None])[..., 0]
                at = (np.arange(state.chain.n) == body).astype(SMALL)[:, None]
                total = total + sign * at * (rows @ X_motion(R.mT @ own, place))[..., None, :]
        return total


# Chapter 12, "Maximal coordinates": A joint held as rows
def bodies_of(kind: str, chain: Chain, link: int | str, onto: int | str) -> tuple[int, int]:
    """Return the indices of the link that a constraint holds and of the body it is held
    to, -1 for the ground.
    """
    found = []
    for part, body in (("link", link), ("onto", onto)):
        if part == "onto" and body == "ground":
            found.append(-1)
            continue
        try:
            if body is None:
                raise ValueError
            found.append(chain.index(body))
        except ValueError:
            ground = ', or "ground"' if part == "onto" else ""
            raise ValueError(
                f"{part} of a {kind} is {body!r}: an index below {chain.n} or one of "
                f"{list(chain.names)}{ground} would do"
            ) from None
    if found[0] == found[1]:
        raise ValueError(
            f"a {kind} holds link {chain.names[found[0]]!r} to itself: it takes two bodies"
        )
    return found[0], found[1]


@dataclass(frozen=True, eq=False)
class Closure(BodyConstraint):
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

    joint: Any
    link: int | str
    onto: int | str = "ground"
    _: KW_ONLY
    offset: Any = (0, 0, 0)
    rotation: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    onto_offset: Any = (0, 0, 0)
    onto_rotation: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))

    def __post_init__(self) -> None:
        label = f"Closure of {self.link!r} onto {self.onto!r}"
        check_joint(self.joint, label)
        check_laws(
            [(as_guest(stack_joints([self.joint])), None, None)], [self.joint], [str(self.link)]
        )
        for name, shape in (("offset", (3,)), ("rotation", (3, 3))):
            for part in (name, f"onto_{name}"):
                value = check_array(getattr(self, part), f"{label}: {part}", shape)
                if name == "rotation":
                    require_rotation(value, f"{label}: {part}")
                object.__setattr__(self, part, read_only(value))

    def bodies(self, chain: Chain) -> tuple[int, int]:
        """Return the indices of the link and of the body it is held to, -1 for the
        ground.
        """
        return bodies_of("Closure", chain, self.link, self.onto)

    def placed(self, state: State, body: int) -> tuple[Array, Array]:
        """Return the pose in the world, R (..., 3, 3), p (..., 3, 1), of the joint's
        frame in a body.
        """
        R, p = state.poses
        at_link = body == self.bodies(state.chain)[0]
        offset, rotation = (
            (self.offset, self.rotation) if at_link else (self.onto_offset, self.onto_rotation)
        )
        if body < 0:
            return rotation, offset[:, None]
        own = R[..., body, :, :]
        return own @ rotation, p[..., body, :, None] + own @ offset[:, None]

    def relative_pose(self, state: State) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the joint's frame in the link, seen from
        that in the other.
        """
        (R_link, p_link), (R_onto, p_onto) = (
            self.placed(state, body) for body in self.bodies(state.chain)
        )
        return R_onto.mT @ R_link, (R_onto.mT @ (p_link - p_onto))[..., 0]

    def coordinates(self, chain: Chain, q: Array) -> Array:
        """Return the joint's own coordinates (..., nq of the joint), where q (..., nq)
        keeps the constraint.

        Elsewhere, those of a pose near by that the joint can have.
        """
        return nearest_coordinates(self.joint, *self.relative_pose(State(chain, q)))

    def error_in(self, state: State) -> Array:
        """Return the `error` of a chain in an evaluated state."""
        R, p = self.relative_pose(state)
        joint = as_guest(self.joint)
        nearest = nearest_coordinates(self.joint, R, p)
        R0, p0 = joint.pose(nearest)
        turn, shift = log_so3(R0.mT @ R)[..., None], R0.mT @ (p - p0)[..., None]
        T = joint.constraint_subspace(nearest)
        return (T.mT @ concatenate([turn, shift], axis=-2))[..., 0]

    def seen_rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return the pose in the world of the joint's frame in the link, and T^T (...,
        m, 6).
        """
        R, p = self.placed(state, self.bodies(state.chain)[0])
        nearest = nearest_coordinates(self.joint, *self.relative_pose(state))
        return R, p[..., 0], as_guest(self.joint).constraint_subspace(nearest).mT

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        i, j = self.bodies(state.chain)
        R, p = self.relative_pose(state)
        link, V = X_motion(self.rotation.mT, self.offset), state.twists
        A = state.bias_accelerations
        twist, acceleration = link @ V[..., i, :, :], link @ A[..., i, :, :]
        if j >= 0:
            onto = X_motion(R.mT, p) @ X_motion(self.onto_rotation.mT, self.onto_offset)
            carried = onto @ V[..., j, :, :]
            twist = twist - carried
            acceleration = acceleration - onto @ A[..., j, :, :] + crm(twist[..., 0]) @ carried
        joint = as_guest(self.joint)
        nearest = nearest_coordinates(self.joint, R, p)
        S, T = joint.motion_subspace(nearest), joint.constraint_subspace(nearest)
        rate = solve(S.mT @ S, S.mT @ twist)
        turning = joint.motion_subspace_rate(nearest, rate[..., 0])
        return (T.mT @ (acceleration - turning @ rate))[..., 0]


# Chapter 12, "Maximal coordinates": A joint held as rows
def as_constraints(constraints: Any) -> tuple[Any, ...]:
    """Return constraints as a tuple; ValueError names what is not a constraint."""
    try:
        given = (constraints,) if isinstance(constraints, str) else tuple(constraints)
    except TypeError:  # one alone
        given = (constraints,)
    for k, constraint in enumerate(given):
        lacking = [name for name in ("error", "jacobian", "bias") if not hasattr(constraint, name)]
        if lacking or isinstance(constraint, type):
            raise ValueError(
                f"constraints[{k}] is {constraint!r}, but must have error, jacobian and bias, as a Closure has"
            )
    return given


def part_of(
    constraints: Sequence[Any], k: int, part: str, core: tuple[int, ...], state: State, m: Any = "m"
) -> Any:
    """Return the result (..., m, *core) of one of a constraint's functions; ValueError
    if its shape is wrong.

    One with `error_in`, `jacobian_in` and `bias_in`, such as a closure, uses the
    evaluated state. Functions of others are the user's, called with checked arguments
    that they cannot write into. The result may be None where it is optional: errors and
    rows of links. m : how many rows there must be, if that is known.
    """
    constraint = constraints[k]
    own = getattr(constraint, f"{part}_in", None)
    if own is not None:
        return own(state)
    if part == "row_bounds" or (part == "link_rows" and not hasattr(constraint, part)):
        return None
    known = (state.q, state.qd) if part == "bias" else (state.q,)
    value = outside(getattr(constraint, part))(state.chain, *map(read_only_view, known))
    if value is None and part in ("error", "link_rows"):
        return None
    name = f"{part} of constraints[{k}]"
    value = as_array(value, name)
    require_rows(value, name, m, core)
    require_finite(value, name)
    return value


def parts_in(state: State, constraints: Sequence[Any], *names: str) -> list[Array]:
    """Return parts of constraints, one under another: "jacobian", "row_bounds" (..., m,
    nv), "error", "bias" (..., m).

    One that does not exist is zero. ValueError if one constraint's parts have different
    numbers of rows.
    """
    row = (state.chain.nv,)
    cores = {"jacobian": row, "row_bounds": row, "error": (), "bias": ()}
    batch = state.q.shape[:-1]
    if "bias" in names:
        batch = np.broadcast_shapes(batch, state.qd.shape[:-1])
    columns = [[zeros((*batch, 0, *cores[name]))] for name in names]
    for k in range(len(constraints)):
        m: Any = "m"
        for column, name in zip(columns, names, strict=True):
            own = part_of(constraints, k, name, cores[name], state, m)
            own = zeros((m, *cores[name])) if own is None else own
            m = own.shape[-1 - len(cores[name])]
            column.append(own)
    return [
        concatenate(column, axis=-1 - len(cores[name]))
        for column, name in zip(columns, names, strict=True)
    ]


def rows_in(state: State, constraints: Sequence[Any]) -> Array:
    """Return the rows K (..., m, nv) of constraints, of a chain in an evaluated
    state.
    """
    return parts_in(state, constraints, "jacobian")[0]


def errors_in(state: State, constraints: Sequence[Any]) -> Array:
    """Return the errors (..., m) of constraints; where one is of velocities alone,
    zeros.
    """
    parts = [zeros((*state.q.shape[:-1], 0))]
    for k in range(len(constraints)):
        own = part_of(constraints, k, "error", (), state)
        if own is None:
            own = zeros(part_of(constraints, k, "jacobian", (state.chain.nv,), state).shape[-2:-1])
        parts.append(own)
    return concatenate(parts, axis=-1)


def forces_in(state: State, constraints: Sequence[Any], multipliers: Array) -> tuple[Array, Array]:
    """Return the forces of multipliers (..., m, c) on links (..., n, 6, c), in their
    axes, and on joints (..., nv, c).

    Constraints without rows of links act along the joints, as motors would.
    """
    chain, batch = state.chain, state.q.shape[:-1]
    on_links, along = zeros((*batch, 6 * chain.n, 1)), zeros((*batch, chain.nv, 1))
    end = 0
    for k in range(len(constraints)):
        rows = part_of(constraints, k, "jacobian", (chain.nv,), state)
        start, end = end, end + rows.shape[-2]
        own = multipliers[..., start:end, :]
        links = part_of(constraints, k, "link_rows", (chain.n, 6), state, end - start)
        if links is None:
            along = along + rows.mT @ own
        else:
            on_links = on_links + links.reshape((*links.shape[:-2], 6 * chain.n)).mT @ own
    return on_links.reshape((*on_links.shape[:-2], chain.n, 6, on_links.shape[-1])), along


@checked(q="nq")
def constraint_jacobian(chain: Chain, constraints: Any, q: Array) -> Array:
    """Return the rows K (..., m, nv) of all constraints, one under another: K qd = 0 on
    velocities.

    constraints : one or several, each a `Closure` or any object with its three methods;
    q : (..., nq). Their forces are K^T lambda (..., nv). ValueError names the
    constraint and its error. "Notes on rigid body dynamics", constraints.
    """
    return rows_in(State(chain, q), as_constraints(constraints))


@checked(q="nq")
def constraint_error(chain: Chain, constraints: Any, q: Array) -> Array:
    """Return the errors of a posture in all constraints (..., m), in the order of
    `constraint_jacobian`'s rows.

    Arguments as there. A constraint of velocities alone, whose ``error`` returns None,
    has zeros here.
    """
    return errors_in(State(chain, q), as_constraints(constraints))


@checked(q="nq", qd="nv")
def constraint_bias(chain: Chain, constraints: Any, q: Array, qd: Array) -> Array:
    """Return dK/dt qd (..., m) of all constraints: they are kept while K qdd = -dK/dt
    qd.

    Arguments as for `constraint_jacobian`; qd : (..., nv). "Notes on rigid body
    dynamics", constraints.
    """
    return parts_in(State(chain, q, qd), as_constraints(constraints), "bias")[0]


@checked(q="nq", frame=FRAMES)
def constraint_wrenches(
    chain: Chain, constraints: Any, q: Array, multipliers: Array, *, frame: str = "body"
) -> Array:
    """Return the wrench (..., n, 6) [tau; f] of constraints on each link, for these
    multipliers.

    constraints, q : as for `constraint_jacobian`; multipliers : (..., m), in the order
    of its rows, forces or impulses; frame : as for `body_twists`. With them as
    `external`, `joint_wrenches` gives the wrenches in the joints of a closed chain. A
    constraint without rows of links, such as a `Coupling`, acts along the joints and
    has no wrench. ValueError if there are more or fewer multipliers than rows. "Two
    rigid bodies with a constraint", general form.
    """
    constraints, state = as_constraints(constraints), State(chain, q)
    rows, multipliers = rows_in(state, constraints), as_array(multipliers, "multipliers")
    require_shape(
        multipliers,
        "multipliers",
        rows.shape[-2:-1],
        f": the constraints have {rows.shape[-2]} rows",
    )
    require_finite(multipliers, "multipliers")
    require_same_batch({"q": (state.q, 1), "multipliers": (multipliers, 1)})
    wrenches, _ = forces_in(state, constraints, multipliers[..., None])
    return wrenches_in(state, wrenches, frame)
