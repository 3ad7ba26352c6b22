# Generated from chapters/21_rest_and_friction.md by `python -m book export`; edit it there.
# sha256 of the text below: ff2526febd246de67425109420d702b44004be1dafdbb5fdd3d9035b4df0ae94
"""Rest: the forces and accelerations of bodies that touch.

Derived in chapter 21, "Rest and friction".
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.array_types import ArrayMx3, ArrayNq, ArrayNv
from chaindyn.articulated import aba
from chaindyn.chain import Chain
from chaindyn.complementarity import contact_impulses, enumerate_modes
from chaindyn.constraints import constrained_forward_dynamics
from chaindyn.contact import (
    ContactResponse,
    contact_frames,
    contact_response,
    contact_rows,
    normals_of,
)
from chaindyn.guards.arguments import check_positive_number
from chaindyn.guards.constraint_parts import as_constraints
from chaindyn.guards.contacts import (
    as_contacts,
    coefficients,
    doubles_of_one_state,
    explained_as_jams,
    resting_ones,
    warn_if_not_unique,
    without_rounding,
)
from chaindyn.guards.door import checked
from chaindyn.state import State, evaluate

__all__ = ["resting_contact"]


# Chapter 21, "Rest and friction": Friction at rest and in motion
def free_acceleration(chain: Chain, constraints: Any, *given: Array) -> Array:
    """Return qdd (nv,) without forces at contacts; given : q, qd and tau."""
    if constraints:
        return constrained_forward_dynamics(chain, constraints, *given)[0]
    return aba(chain, *given)


# Chapter 21, "Rest and friction": Friction at rest and in motion
def resting_problem(
    state: State,
    contacts: Sequence[Any],
    rows: Array,
    velocities: Array,
    free: Array,
    tolerance: float,
    constraints: tuple[Any, ...],
) -> tuple[ContactResponse, Array, Array]:
    """Return the response of contacts, how they accelerate without forces (3 m,), and
    which slide (m,).

    rows : (m, 3, nv); velocities : (m, 3); free : (nv,), the accelerations without
    forces at contacts; tolerance : of slips [m/s].
    """
    normals = normals_of(contacts)
    rates, turns = contact_bias(state, contacts, normals)
    rates = rates + rows @ free
    slips = velocities - (normals * velocities).sum(-1, keepdims=True) * normals
    sliding = np.linalg.norm(slips, axis=-1) > tolerance
    along = np.where(sliding[:, None], slips, rates)
    here = contact_response(state, normals, rows, along, constraints)
    b = (here.frames @ rates[..., None])[..., 0]
    b[:, 0] += turns
    size = np.abs(rows).max() * np.abs(free).max()
    return here, without_rounding(b, here.K, size).ravel(), sliding


# Chapter 21, "Rest and friction": Friction at rest and in motion
@checked(q="nq", qd="nv", tau="nv")
def resting_contact(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    tau: ArrayNv,
    contacts: Any,
    *,
    friction: Any = 0,
    tolerance: float = 1e-9,
    constraints: Any = (),
) -> tuple[ArrayNv, ArrayMx3]:
    """Return the accelerations qdd (nv,) of a chain or tree that touches, and the
    forces (m, 3) at its contacts [N].

    q : (nq,); qd, tau : (nv,), one state in floats. contacts : a list, as from
    `find_contacts`; those with a gap or a speed along the normal above the tolerance
    [m, m/s] carry no force. friction : one number, (m,), or None for each contact's
    own; a contact whose slip is above the tolerance slides, others may stick or begin
    to. Forces are on the first body, in world axes. Where a contact has `radii` and
    `edges` of its two surfaces, these determine how it moves; without them it is a
    corner of the first body on a flat face of the second. constraints : loop closures.
    The motion of smooth contacts is unique; forces need not be, and then the smallest
    are given if they can be. ValueError if a closed contact approaches, or the chain's
    numbers are no floats. ArithmeticError if no forces obey Coulomb's law,
    RuntimeWarning if several motions do (Painleve).

    >>> brick = Link(Free(), 2, (0, 0, 0), np.eye(3), name="brick")
    >>> floor = Geometry(HalfSpace((0, 0, 1)), "ground")
    >>> chain, q = Chain([brick]), np.array([0, 0, 1, 1, 0, 0, 0.0])
    >>> contacts = find_contacts(chain, [Geometry(Box((2, 2, 2)), "brick"), floor], q)
    >>> qdd, forces = resting_contact(chain, q, np.zeros(6), np.zeros(6), contacts)
    >>> forces.round(6) + 0.0
    array([[0.   , 0.   , 4.905],
           [0.   , 0.   , 4.905],
           [0.   , 0.   , 4.905],
           [0.   , 0.   , 4.905]])
    """
    q, qd, tau = doubles_of_one_state("resting_contact", chain, q=q, qd=qd, tau=tau)
    contacts, constraints = as_contacts(chain, contacts), as_constraints(constraints)
    (mu,) = coefficients(contacts, friction=friction)
    tolerance = check_positive_number(tolerance, "tolerance")
    state, forces = evaluate(chain, q, qd), np.zeros((len(contacts), 3))
    rows = contact_rows(state, contacts)
    v = rows @ qd
    k = resting_ones(contacts, (normals_of(contacts) * v).sum(-1), tolerance)
    free = free_acceleration(chain, constraints, q, qd, tau)
    if not len(k):
        return free, forces
    given = [contacts[i] for i in k], rows[k], v[k], free, tolerance, constraints
    here, b, sliding = resting_problem(state, *given)
    with explained_as_jams():
        warn_if_not_unique(enumerate_modes, here.W, b, mu[k], sliding)
        p = contact_impulses(here.W, b, mu[k], sliding=sliding)
    forces[k] = here.in_world(p)
    return free + here.jump(p)[0], forces


# Chapter 21, "Rest and friction": The motion of the contact point*
def field_at(spatial: Array, body: int, x: Array) -> Array:
    """Return a body's twist or spatial acceleration, of (n, 6) in the world, at a point
    x (3,); zero for body -1.
    """
    return np.zeros(3) if body < 0 else spatial[body, 3:] + np.cross(spatial[body, :3], x)


def spin_of(V: Array, body: int) -> Array:
    """Return the angular velocity (3,) of a body, of twists (n, 6); zero for body
    -1.
    """
    return np.zeros(3) if body < 0 else V[body, :3]


def path_on_face(
    V: Array, bodies: Sequence[int], x: Array, normal: Array, radius: float
) -> tuple[Array, Array]:
    """Return the rates (3,) of point and normal of a ball of one body on a flat face of
    another.

    bodies : the ball's and the face's; radius : negative if the normal points into the
    face.
    """
    ball, face = bodies
    turned = np.cross(spin_of(V, face), normal)
    return field_at(V, ball, x + radius * normal) - radius * turned, turned


def path_of_edges(
    V: Array,
    bodies: Sequence[int],
    x: Array,
    normal: Array,
    radii: Sequence[float],
    edges: Sequence[Array],
) -> tuple[Array, Array]:
    """Return the rates (3,) of point and normal where neither surface is flat.

    edges : (2, 3), the directions in which the surfaces are straight, or zero.
    """
    (a, b), (r_a, r_b), (e_a, e_b) = bodies, radii, edges
    across = contact_frames(normal[None], np.zeros((1, 3)))[0, 1:]
    middle = field_at(V, a, x + r_a * normal)
    apart = middle - field_at(V, b, x - r_b * normal)
    along = across @ np.stack([e_a, e_b], axis=-1)
    lines = np.block([[(r_a + r_b) * np.eye(2), along * [-1, 1]], [along.T, np.zeros((2, 2))]])
    turns = [-normal @ np.cross(spin_of(V, k), e) for k, e in ((a, e_a), (b, e_b))]
    right = np.array([*(across @ apart), *turns])
    *turned, slid, _ = np.linalg.lstsq(lines, right, rcond=None)[0]
    turned = turned @ across
    return middle + slid * e_a - r_a * turned, turned


# Chapter 21, "Rest and friction": The motion of the contact point*
def contact_path(V: Array, contact: Any, normal: Array) -> tuple[Array, Array]:
    """Return the rates (3,) of a contact's point and of its normal; V : (n, 6) twists
    in the world.

    The contact may have `radii` of the two surfaces and `edges`, as a `Contact` has;
    without them it is a corner of the first body on a face of the second.
    """
    (a, b), x = contact.bodies, np.asarray(contact.point, float)
    r_a, r_b = getattr(contact, "radii", (0, np.inf))
    if np.isinf(r_a):
        return path_on_face(V, (b, a), x, normal, 0 if np.isinf(r_b) else -r_b)
    if np.isinf(r_b):
        return path_on_face(V, (a, b), x, normal, r_a)
    own = getattr(contact, "edges", (None, None))
    edges = [np.zeros(3) if e is None else np.asarray(e) for e in own]
    return path_of_edges(V, (a, b), x, normal, (r_a, r_b), edges)


# Chapter 21, "Rest and friction": The motion of the contact point*
def contact_bias(state: State, contacts: Sequence[Any], normals: Array) -> tuple[Array, Array]:
    """Return the rate of separation and slip (m, 3) due to velocities alone, and a term
    along the normals (m,).

    In world axes. The rate is that of the points in contact, which may differ from one
    time to the next.
    """
    V = state.in_frame(state.twists, "world")
    A = state.in_frame(state.bias_accelerations, "world")
    rates, turns = np.zeros((len(contacts), 3)), np.zeros(len(contacts))
    for k, (contact, normal) in enumerate(zip(contacts, normals, strict=True)):
        (a, b), x = contact.bodies, np.asarray(contact.point, float)
        moved, turned = contact_path(V, contact, normal)
        spin = spin_of(V, a) - spin_of(V, b)
        rates[k] = field_at(A, a, x) - field_at(A, b, x) + np.cross(spin, moved)
        turns[k] = turned @ (field_at(V, a, x) - field_at(V, b, x))
    return rates, turns
