# Generated from chapters/20_contact.md by `python -m book export`; edit it there.
# sha256 of the text below: 01457dc7f0d199e567fc748b6cf5a4653bbafd84e20f48be5a22b378f12bf342
"""Contact: blows at several places at once, with friction.

Derived in chapter 20, "Several blows at once".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.array_types import ArrayNq, ArrayNv
from chaindyn.articulated import FactorisedChain, factorise_state
from chaindyn.chain import Chain
from chaindyn.complementarity import contact_impulses
from chaindyn.constraints import held_response
from chaindyn.guards.constraint_parts import as_constraints, parts_in
from chaindyn.guards.contacts import (
    LAWS,
    ORDERS,
    LawWord,
    OrderWord,
    SeriesOfBlows,
    affordable_share,
    as_contacts,
    coefficients,
    directions_of_slip,
    doubles_of_one_state,
    without_locked,
)
from chaindyn.guards.door import checked
from chaindyn.guards.loops import gap_share
from chaindyn.inverse_dynamics import transmitted_wrenches
from chaindyn.jobs.contact_records import Collision
from chaindyn.simulation import kinetic_energy
from chaindyn.spatial import skew
from chaindyn.state import State, evaluate

__all__ = ["collision_impulses"]


# Chapter 20, "Several blows at once": Three laws with friction
@dataclass(frozen=True, eq=False)
class ImpactProblem:
    """Contacts in a blow: response W (3 m, 3 m), friction mu (m,), size of speeds."""

    W: Array
    mu: Array
    size: float = 0

    def impulses(self, b: Array, known: Array) -> Array:
        """Return impulses (3 m,) by Coulomb's law at speeds b; known : (3 m,), of which
        the normals' entries count.
        """
        return contact_impulses(self.W, b, self.mu, known[0::3], size=self.size)

    def response(self, p: Array) -> Array:
        """Return how impulses p change the velocities (3 m,)."""
        return self.W @ p

    def affordable(self, again: Array, compression: Array) -> Array:
        """Return as much of the impulses `again` (3 m,) as the energy that compression
        took allows.
        """
        spent, wanted = (p @ self.W @ p for p in (compression, again))
        return affordable_share(spent, wanted) * again


# Chapter 20, "Several blows at once": Three laws with friction
def newton_push(
    problem: ImpactProblem, moved: Array, before: Array, restitution: Array, normal: Array
) -> Array:
    """Return the impulses (3 m,) by which contacts separate at e times the speeds of
    approach before.

    moved : (3 m,), velocities after all else; restitution : (3 m,); normal : (3 m,),
    ones for normals, else zero.
    """
    return problem.impulses(moved + restitution * normal * before, 0 * moved)


def moreau_push(problem: ImpactProblem, moved: Array, before: Array, restitution: Array) -> Array:
    """Return the impulses (3 m,) by which all of the velocity before returns, slip too,
    times e.
    """
    return problem.impulses(moved + restitution * before, 0 * moved)


# Chapter 20, "Several blows at once": Three laws with friction
def newton_blow(
    problem: ImpactProblem, v: Array, restitution: Array, normal: Array, mu: Array
) -> Array:
    """Return the impulses (3 m,) of contacts with velocities v (3 m,): each separates
    at e times its approach speed.
    """
    return newton_push(problem, v, v, restitution, normal)


def poisson_blow(
    problem: ImpactProblem, v: Array, restitution: Array, normal: Array, mu: Array
) -> Array:
    """Return the impulses (3 m,) of compression, and of a restitution with at least e
    times its normal parts.
    """
    compression = problem.impulses(v, 0 * v)
    given = restitution * normal * compression
    after = v + problem.response(compression + given)
    return compression + given + problem.impulses(after, mu * given)


def moreau_blow(
    problem: ImpactProblem, v: Array, restitution: Array, normal: Array, mu: Array
) -> Array:
    """Return the impulses (3 m,) of compression, plus e times them, as far as energy
    allows.
    """
    compression = problem.impulses(v, 0 * v)
    return compression + problem.affordable(restitution * compression, compression)


# Chapter 20, "Several blows at once": Three laws with friction
def blow_by(
    law: LawWord, W: Array, v: Array, restitution: Array, mu: Array, size: float = 0
) -> Array:
    """Return the impulses (3 m,) of one blow; W : (3 m, 3 m); v : (3 m,); restitution,
    mu : (m,); size : as above.
    """
    blow = {"newton": newton_blow, "poisson": poisson_blow, "moreau": moreau_blow}[law]
    eps, friction = np.repeat(restitution, 3), np.repeat(mu, 3)
    return blow(ImpactProblem(W, mu, size), v, eps, normals_first(len(mu)), friction)


def normals_first(m: int) -> Array:
    """Return ones for the normals of m contacts, zeros for their tangents (3 m,)."""
    return np.tile([1.0, 0, 0], m)


# Chapter 20, "Several blows at once": Three laws with friction
def series_of_blows(
    W: Array, v: Array, restitution: Array, mu: Array, law: LawWord, order: OrderWord
) -> tuple[Array, int]:
    """Return the impulses (3 m,) of all blows until no contact approaches, and their
    number; v : (3 m,).

    A contact whose inverse mass along its normal is below 1e-12 of that in all
    directions is taken as immovable. After 100 blows for each contact the last blow is
    together and without restitution. ArithmeticError if a law gains energy with every
    blow and so never ends, or as from `solve_lcp`.
    """
    series, total, count = SeriesOfBlows.of(W, v, law), np.zeros(len(v)), 0
    while len(k := series.struck(now := v + W @ total, count, order)):
        own = (3 * k[:, None] + np.arange(3)).ravel()
        again = 0 * restitution if series.is_last(count) else restitution
        given = W[np.ix_(own, own)], now[own], again[k], mu[k], series.size
        total[own] += blow_by(law, *given)
        count += 1
    return total, count


# Chapter 20, "Several blows at once": The response of a chain
def contact_loads(state: State, contacts: Sequence[Any]) -> Array:
    """Return the wrenches of unit forces at contacts along the world's axes, on the
    links (n, 6, 3 m).

    Each force acts on the first body and its opposite on the second; about the links'
    origins, in their axes.
    """
    chain, m = state.chain, len(contacts)
    R, p = state.poses
    loads = np.zeros((chain.n, 6, m, 3))
    points = np.array([contact.point for contact in contacts], float).reshape(m, 3)
    for side, sign in enumerate((1, -1)):
        bodies = np.array([contact.bodies[side] for contact in contacts], int)
        k = np.flatnonzero(bodies >= 0)
        b = bodies[k]
        turned = R[b].mT
        arms = turned @ skew(points[k] - p[b])
        loads[b, :, k] += sign * np.concatenate([arms, turned], axis=-2)
    return loads.reshape(chain.n, 6, 3 * m)


def contact_rows(state: State, contacts: Sequence[Any]) -> Array:
    """Return the rows (m, 3, nv) of the velocity of the first body's point relative to
    the second's, in world axes.
    """
    through = transmitted_wrenches(state, contact_loads(state, contacts))
    rows = (state.screws[:, None, :] @ through[state.chain.link_of_column])[:, 0].mT
    return rows.reshape(-1, 3, state.chain.nv)


# Chapter 20, "Several blows at once": The response of a chain
def normals_of(contacts: Sequence[Any]) -> Array:
    """Return the unit normals (m, 3) of contacts."""
    normals = np.array([contact.normal for contact in contacts], float).reshape(-1, 3)
    return normals / np.linalg.norm(normals, axis=-1, keepdims=True)


def contact_frames(normals: Array, slips: Array) -> Array:
    """Return frames (m, 3, 3) whose rows are the normal and two tangents, the first
    along the slip (m, 3).

    Where nothing slips, the first tangent is any; normals : (m, 3).
    """
    first = directions_of_slip(normals, slips)
    return np.stack([normals, first, np.cross(normals, first)], axis=-2)


# Chapter 20, "Several blows at once": The response of a chain
@dataclass(frozen=True, eq=False)
class ContactResponse:
    """Contacts of a chain in a posture: their rows and their response.

    K : (3 m, nv), for each contact the rows of the normal and of two tangents, zero
    where loops leave no motion;
    frames : (m, 3, 3), these directions in the world; W : (3 m, 3 m), K M^-1 K^T, of
    the chain with its loops closed, if it has any (rows L, with the relative error
    `loose`).
    """

    factors: FactorisedChain
    frames: Array
    K: Array
    W: Array
    L: Array
    loose: Any

    def jump(self, p: Array) -> tuple[Array, Array]:
        """Return the jump of the joint rates (nv,) by impulses p (3 m,), and the
        impulses in the loops.
        """
        forces = (self.K.mT @ p)[:, None]
        jumps, multipliers = response_in_loops(self.factors, self.L, self.loose, forces)
        return jumps[:, 0], multipliers[:, 0]

    def in_world(self, p: Array) -> Array:
        """Return impulses p (3 m,) in world axes (m, 3)."""
        return (p.reshape(-1, 1, 3) @ self.frames)[:, 0]


# Chapter 20, "Several blows at once": The response of a chain
def response_in_loops(
    factors: FactorisedChain, L: Array, loose: Any, forces: Array
) -> tuple[Array, Array]:
    """Return M^-1 forces (nv, c) of a chain with its loops closed, and the loops'
    multipliers (r, c).
    """
    free = factors.solve(forces)
    if not len(L):
        return free, np.zeros((0, forces.shape[-1]))
    multipliers, more = held_response(factors, L, -L @ free, loose)
    return free + more, multipliers


# Chapter 20, "Several blows at once": The response of a chain
def contact_response(
    state: State, normals: Array, rows: Array, slips: Array, constraints: tuple[Any, ...] = ()
) -> ContactResponse:
    """Return contacts with these normals (m, 3) and rows (m, 3, nv); the first tangents
    are along the slips (m, 3).
    """
    factors, nv = factorise_state(state), state.chain.nv
    frames = contact_frames(normals, slips)
    K = (frames @ rows).reshape(-1, nv)
    W = factors.delassus(K)
    if not constraints:
        return ContactResponse(factors, frames, K, W, np.zeros((0, nv)), 0)
    L, error = parts_in(state, constraints, "jacobian", "error")
    loose = gap_share(L, error)
    held, _ = response_in_loops(factors, L, loose, K.mT)
    K, W = without_locked(K, K @ held, W)
    return ContactResponse(factors, frames, K, W, L, loose)


# Chapter 20, "Several blows at once": The response of a chain
@checked(q="nq", qd="nv", law=LAWS, order=ORDERS)
def collision_impulses(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    contacts: Any,
    *,
    restitution: Any,
    friction: Any = 0,
    law: LawWord = "newton",
    order: OrderWord = "together",
    constraints: Any = (),
) -> Collision:
    """Return the response of a moving chain or tree that is struck at several contacts
    in one moment.

    q : (nq,); qd : (nv,) before, one state in floats. contacts : a list, as from
    `find_contacts`; all of them count as touching, whatever their gaps. restitution (0
    to 1), friction (0 or more) : one number, (m,), or None for each contact's own. law
    : "newton", by which a contact separates at the restitution times its speed of
    approach; "poisson", by which it returns that share of the normal impulse of
    compression; "moreau", by which it returns that share of its whole impulse of
    compression, and never gains energy, for any friction and restitutions; the others
    may. order : "together", all contacts in one blow, or "sequence", the fastest
    approach first; either is repeated until nothing approaches. constraints : loop
    closures, as for `constraint_jacobian`; qd must keep them. For one contact without
    friction it is `impact`. ArithmeticError if no impulses obey Coulomb's law, to 1e-10
    of the largest, or as from `solve_lcp`; ValueError for bad input, a chain whose
    numbers are no floats among it, or if M is singular.

    >>> ball = Chain([Link(Free(), 2, (0, 0, 0), np.eye(3))])
    >>> floor = Contact((0, -1), point=(0, 0, 0), normal=(0, 0, 1))
    >>> q, fall = np.array([0, 0, 1, 1, 0, 0, 0.0]), np.array([0, 0, 0, 0, 0, -1.0])
    >>> blow = collision_impulses(ball, q, fall, [floor], restitution=0.5)
    >>> blow.qd_jump.round(6) + 0.0, blow.impulses.round(6) + 0.0
    (array([0. , 0. , 0. , 0. , 0. , 1.5]), array([[0., 0., 3.]]))
    """
    q, qd = doubles_of_one_state("collision_impulses", chain, q=q, qd=qd)
    contacts, constraints = as_contacts(chain, contacts), as_constraints(constraints)
    eps, mu = coefficients(contacts, restitution=restitution, friction=friction)
    state = evaluate(chain, q, qd)
    rows = contact_rows(state, contacts)
    here = contact_response(state, normals_of(contacts), rows, rows @ qd, constraints)
    p, count = series_of_blows(here.W, here.K @ qd, eps, mu, law, order)
    jump, multipliers = here.jump(p)
    before, after = (float(kinetic_energy(chain, q, x)) for x in (qd, qd + jump))
    return Collision(here.in_world(p), jump, before, after, count, multipliers)
