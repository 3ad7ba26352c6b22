# Generated from chapters/17_contact.md by `python -m book export`; edit it there.
# sha256 of the text below: 90a51d1d610f3de06aaf7fa60831fc0920eb1a1af8e3b7c1a8ff05c69c780601
"""Contact: blows at several places, forces at rest, friction, and motion through both.

Derived in chapter 17, "Contact".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from chaindyn._ops import Array, concatenate, eye, positive, sqrt, where
from chaindyn.articulated import FactorisedChain, aba, factorise_state
from chaindyn.chain import Chain, integrate
from chaindyn.constraints import constrained_forward_dynamics, held_response, projected
from chaindyn.geometry import find_contacts
from chaindyn.guards.arguments import check_load, check_positive_number
from chaindyn.guards.complementarity import (
    are_not_negative,
    as_problem,
    balanced,
    distinct,
    ends_of_face,
    fitting,
    is_singular,
    require_few,
    residual_of,
    settling,
)
from chaindyn.guards.constraint_parts import as_constraints, parts_in
from chaindyn.guards.contacts import (
    LAWS,
    METHODS,
    ORDERS,
    SeriesOfBlows,
    affordable_share,
    as_contacts,
    check_options,
    coefficients,
    comes_to_rest,
    directions_of_slip,
    doubles_of_one_state,
    explained_as_jams,
    finder,
    first_time,
    is_pressed,
    longest_lateness,
    require_apart,
    resting_ones,
    warn_if_not_unique,
    without_locked,
    without_rounding,
)
from chaindyn.guards.door import checked
from chaindyn.guards.loops import gap_share
from chaindyn.guards.motion import check_step, check_times, require_possible, warn_of_end
from chaindyn.guards.ties import island_by_island, lemke, most_even, or_nearby, smallest_solution
from chaindyn.inverse_dynamics import transmitted_wrenches
from chaindyn.jobs.marching import require_closed
from chaindyn.jobs.runs import columns_of, run
from chaindyn.other_joints import Free
from chaindyn.simulation import Driven, Simulation, kinetic_energy, rk4_step
from chaindyn.spatial import skew
from chaindyn.state import State, evaluate

__all__ = [
    "LCP",
    "Collision",
    "ContactLog",
    "ContactMotion",
    "collision_impulses",
    "resting_contact",
    "simulate_contact",
    "solve_lcp",
]


# Chapter 17, "Contact": Either a gap or a force
@dataclass(frozen=True, eq=False)
class LCP:
    """The result of `solve_lcp`: z and w = A z + b (n,), none negative, z_i w_i = 0.

    residual : the largest |min(z_i, w_i)|, which is zero for a solution; iterations :
    pivots, sweeps, or modes tried.
    count : "one" or "many" solutions, "unknown" if the method cannot decide; solutions
    : (k, n), those found by enumeration: each isolated one, and one or two points of a
    continuum.
    """

    z: Array
    w: Array
    residual: float
    iterations: int
    count: str = "unknown"
    solutions: Array | None = None


# Chapter 17, "Contact": Either a gap or a force
def solutions_of_mode(A: Array, b: Array, active: Array) -> list[Array]:
    """Return the z (n,) of one mode: none, the only one, or two of a continuum.

    active : (n,) booleans.
    """
    own, right = A[np.ix_(active, active)], -b[active]
    if is_singular(own, A):
        return fitting(A, b, active, ends_of_face(A, b, active))
    return fitting(A, b, active, np.linalg.solve(own, right)[None])


@balanced
def enumerate_modes(A: Array, b: Array) -> tuple[Array, int]:
    """Return all solutions (k, n) of an LCP, the smallest first, and how many modes.

    Of a continuum one or two points. ArithmeticError if there is none; ValueError if n
    is above 12.
    """
    require_few(len(b))
    modes = (np.array(mode, bool) for mode in product((False, True), repeat=len(b)))
    found = (z for mode in modes for z in solutions_of_mode(A, b, mode))
    return distinct(A, b, found), 2 ** len(b)


# Chapter 17, "Contact": Projected Gauss-Seidel
@balanced
def projected_gauss_seidel(A: Array, b: Array, sweeps: int, tolerance: float) -> tuple[Array, int]:
    """Return z (1, n) after so many sweeps, or fewer if it settles, and their number.

    It settles when no |min(A_ii z_i, w_i)| is above a share of max |b|. ValueError if a
    diagonal entry is not positive; ArithmeticError if z grows without bound.
    """
    settled, diagonal = settling(A, b, tolerance), np.diagonal(A)
    z = np.zeros(len(b))
    for count in range(1, sweeps + 1):
        for i in range(len(b)):
            z[i] = max(0.0, z[i] - (A[i] @ z + b[i]) / diagonal[i])
        if settled(z, count):
            break
    return z[None], count


# Chapter 17, "Contact": Projected Gauss-Seidel
def result_of(A: Array, b: Array, z: Array, iterations: int, *more: Any) -> LCP:
    """Return the result for z (n,), with w and the residual computed from it."""
    z = np.maximum(z, 0)
    return LCP(z, A @ z + b, residual_of(A, b, z), iterations, *more)


@checked(method={"lemke", "pgs", "enumerate"})
def solve_lcp(
    A: Array, b: Array, *, method: str = "lemke", sweeps: int = 1000, tolerance: float = 1e-14
) -> LCP:
    """Return z (n,) and w (n,) with w = A z + b, z >= 0, w >= 0 and z.w = 0: a linear
    complementarity problem.

    A : (n, n); b : (n,); floats, one problem at a time. method : "lemke", which finds
    one solution for the matrices of contact problems and many others, ties decided
    lexicographically, so that it ends; "pgs", projected Gauss-Seidel, which improves z
    in at most so many `sweeps` and stops when the residual is `tolerance` times the
    largest |b|: check the `residual` of the result; "enumerate", which tries all modes,
    for n up to 12, and gives in `count` whether there is one solution or many.
    ArithmeticError if there is no solution, if Lemke's path ends on a ray, or if PGS
    grows without bound: the message distinguishes them. ValueError for bad input.
    Cottle, Pang and Stone (1992), chapters 4 and 5.
    """
    A, b, sweeps, tolerance = as_problem(A, b, sweeps, tolerance)
    if method == "enumerate":
        found, count = enumerate_modes(A, b)
        several = "one" if len(found) == 1 else "many"
        return result_of(A, b, found[0], count, several, found)
    if method == "pgs":
        (z,), count = projected_gauss_seidel(A, b, sweeps, tolerance)
    else:
        (z,), count = lemke(A, b)
    return result_of(A, b, z, count)


# Chapter 17, "Contact": Several blows at once
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


# Chapter 17, "Contact": Several blows at once
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


# Chapter 17, "Contact": Several blows at once
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


# Chapter 17, "Contact": Several blows at once
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


# Chapter 17, "Contact": Several blows at once
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


# Chapter 17, "Contact": Friction
def pyramid_impulse(z: Array, directions: Array) -> Array:
    """Return the impulse p (..., 1 + k) of z (..., d + 2): of its normal part and its d
    parts of friction.

    directions : (d, k), of friction, in the tangent plane (k = 2) or along the only
    tangent (k = 1).
    """
    return concatenate([z[..., :1], z[..., 1:-1] @ directions], axis=-1)


def coulomb_conditions(z: Array, v: Array, mu: Array, known: Array, directions: Array) -> Array:
    """Return w (..., d + 2), with which z >= 0, w >= 0 and z.w = 0 are Coulomb's law:
    Stewart and Trinkle (1996).

    z : (..., d + 2), of a contact the normal impulse, d parts of friction, and the
    speed of slip; v : (..., 1 + k), how it moves after the blow; mu (...); known (...),
    friction allowed beyond mu times the normal impulse;
    directions : as for `pyramid_impulse`.
    """
    normal, friction, slip = z[..., :1], z[..., 1:-1], z[..., -1:]
    room = mu[..., None] * normal + known[..., None] - friction.sum(-1, keepdims=True)
    return concatenate([v[..., :1], v[..., 1:] @ directions.mT + slip, room], axis=-1)


def cone_margins(p: Array, mu: Array, known: Array) -> Array:
    """Return what must not be negative (..., 2) for impulses p (..., 1 + k) to lie in
    their cones.

    The normal part, and by how much friction is below mu times it and what is `known`.
    """
    friction = p[..., 1:]
    size = sqrt((friction * friction).sum(-1, keepdims=True))
    return concatenate([p[..., :1], mu[..., None] * p[..., :1] + known[..., None] - size], axis=-1)


# Chapter 17, "Contact": Friction
def in_pyramids(W: Array, b: Array, mu: Array, known: Array, sliding: Array, facets: int) -> Array:
    """Return impulses as `contact_impulses` does, by an LCP with pyramids in place of
    cones.
    """
    angles = 2 * np.pi * np.arange(facets) / facets
    fan = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    place = np.arange(len(mu) * (facets + 2)).reshape(len(mu), -1)
    rough = np.flatnonzero((mu > 0) & ~sliding)
    own = np.concatenate([place[:, 0], place[rough, 1:-1].ravel(), place[rough, -1]])
    z = np.eye(place.size)[own].reshape(-1, *place.shape)  # a unit of each unknown
    p = pyramid_impulse(z, fan)
    p[..., 1] -= np.where(sliding, mu, 0) * p[..., 0]
    size = np.trace(W) / len(W) or 1.0
    effects = p.reshape(len(z), -1) @ W.T / size
    w = coulomb_conditions(z, effects.reshape(p.shape), mu, 0 * known, fan)
    start = coulomb_conditions(0 * z[0], b.reshape(-1, 3), mu, size * known, fan)
    A = w.reshape(len(z), -1)[:, own].T
    found = solve_lcp(A, start.ravel()[own])
    return most_even(A, found.z, found.w) @ p.reshape(len(z), -1) / size


# Chapter 17, "Contact": Friction
def sticking_impulses(W: Array, b: Array, mu: Array, known: Array) -> Array | None:
    """Return the smallest impulses (3 m,) with which all of W p + b vanishes, if they
    lie in their cones; else None.

    For contacts without friction only the normal components count. known (m,) :
    friction allowed beyond mu times the normal impulse.
    """
    held = np.stack([np.ones(len(mu), bool), mu > 0, mu > 0], axis=-1).ravel()
    p = smallest_solution(W, b, held)
    inside = p is not None and (cone_margins(p.reshape(-1, 3), mu, known) >= 0).all()
    return p if inside else None


@island_by_island
def contact_impulses(
    W: Array, b: Array, mu: Array, known: Array, facets: int, sliding: Array, size: float
) -> Array:
    """Return impulses p (3 m,): normal parts complementary to W p + b there, and
    friction by Coulomb's law.

    W : (3 m, 3 m); b : (3 m,), for each contact the speeds along the normal and two
    tangents without p; mu : (m,); known : (m,), friction allowed beyond mu times the
    normal part; facets : the number of sides of the pyramid in place of the cone;
    sliding : (m,) booleans, where friction is mu times the normal part, against the
    first tangent; size : of the speeds from which b was computed, if they are larger
    than b [m/s]. Forces and accelerations may take the place of impulses and speeds.
    Stewart and Trinkle (1996). ArithmeticError as from `solve_lcp`.
    """
    stuck = None if sliding.any() else sticking_impulses(W, b, mu, known)
    if stuck is not None:
        return stuck
    return or_nearby(in_pyramids, W, b, size, mu, known, sliding, facets)


# Chapter 17, "Contact": One contact at a time, and one mode at a time*
def contact_turn(p: Array, v: Array, W: Array, mu: Array, known: Array) -> Array:
    """Return the impulse (..., 1 + k) of a contact after its turn of projected
    Gauss-Seidel.

    p, v : (..., 1 + k), its impulse and velocity before; W : (..., 1 + k, 1 + k), how
    it yields to its own impulse;
    mu, known : (...). What does not yield is left as it is.
    """
    tangents = W[..., 1:, 1:] * eye(W.shape[-1] - 1)
    yields = W[..., 0, :1], tangents.sum((-2, -1), keepdims=True)[..., 0]
    for_normal, for_friction = (where(positive(x), x, np.inf) for x in yields)
    normal = p[..., :1] - v[..., :1] / for_normal
    normal = where(positive(normal), normal, 0)
    slip = v[..., 1:] + W[..., 1:, 0] * (normal - p[..., :1])
    friction = p[..., 1:] - slip / for_friction
    size = sqrt((friction * friction).sum(-1, keepdims=True))
    most = mu[..., None] * normal + known[..., None]
    too_long = positive(size - most)
    share = where(too_long, most / where(too_long, size, 1), 1)
    return concatenate([normal, share * friction], axis=-1)


# Chapter 17, "Contact": One contact at a time, and one mode at a time*
def impulses_by_turns(W: Array, b: Array, mu: Array, known: Array, sweeps: int) -> Array:
    """Return impulses p (c,) after so many sweeps from zero, in which each contact has
    one turn, or until none changes.

    W : (c, c), b : (c,), with c = 2 m in a plane and 3 m in space; mu, known : (m,).
    """
    m = len(mu)
    start = b.reshape(m, -1)
    p, blocks = 0 * start, W.reshape(m, -1, m, len(b) // m)
    for _ in range(sweeps):
        before = p.copy()
        for k in range(m):
            v = start[k] + np.tensordot(blocks[k], p)
            p[k] = contact_turn(p[k], v, blocks[k, :, k], mu[k], known[k])
        if (p == before).all():
            break
    return p.ravel()


# Chapter 17, "Contact": One contact at a time, and one mode at a time*
def contact_modes() -> Array:
    """Return the modes (7, 3) of a contact in a plane: open, sticks, slips forwards,
    slips backwards.

    The last three take the place of the first where friction is known to be allowed
    without a normal impulse.
    """
    pushing = [[1, 1, 0], [1, 0, -1], [1, 0, 1]]
    return np.array([[0, 0, 0], *pushing, [0, 1, 0], [0, 0, -1], [0, 0, 1]])


def mode_equations(p: Array, v: Array, mu: Array, known: Array, mode: Array) -> Array:
    """Return what must be zero (..., 2) in a mode (..., 3) of a contact in a plane; p,
    v (..., 2); mu, known (...).
    """
    pushes, sticks, side = (mode[..., k : k + 1] for k in range(3))
    most = mu[..., None] * p[..., :1] + known[..., None]
    along = sticks * v[..., 1:] + (1 - sticks) * (p[..., 1:] - side * most)
    return concatenate([pushes * v[..., :1] + (1 - pushes) * p[..., :1], along], axis=-1)


def mode_margins(p: Array, v: Array, mu: Array, known: Array, mode: Array) -> tuple[Array, Array]:
    """Return what must not be negative in a mode (..., 3): impulses (..., 2) and speeds
    (..., 2).
    """
    pushes, sticks, side = (mode[..., k : k + 1] for k in range(3))
    impulses = concatenate([pushes, sticks], axis=-1) * cone_margins(p, mu, known)
    speeds = concatenate([(1 - pushes) * v[..., :1], -side * v[..., 1:]], axis=-1)
    return impulses, speeds


# Chapter 17, "Contact": One contact at a time, and one mode at a time*
def impulses_by_modes(W: Array, b: Array, mu: Array, known: Array) -> list[Array]:
    """Return the impulses p (2 m,) of contacts in a plane that obey Coulomb's law, of
    each of the modes that fits.

    W : (2 m, 2 m); b : (2 m,); mu, known : (m,). A mode whose equations are singular is
    left out.
    """
    m, found = len(mu), []
    unit, still = np.eye(2 * m).reshape(-1, m, 2), np.zeros((m, 2))
    responses, start = W.T.reshape(-1, m, 2), b.reshape(m, 2)
    modes = contact_modes()[1:] if known.any() else contact_modes()[:4]
    for mode in map(np.array, product(modes, repeat=m)):
        columns = mode_equations(unit, responses, mu, 0 * known, mode)
        A = columns.reshape(2 * m, -1).T
        if is_singular(A, A):
            continue
        right = mode_equations(still, start, mu, known, mode)
        p = -np.linalg.solve(A, right.ravel())
        v = W @ p + b
        given = p.reshape(m, 2), v.reshape(m, 2), mu, known, mode
        if are_not_negative(mode_margins(*given), p, np.append(v, b)):
            found.append(p)
    return found


# Chapter 17, "Contact": The laws with friction
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


# Chapter 17, "Contact": The laws with friction
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


# Chapter 17, "Contact": The laws with friction
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


# Chapter 17, "Contact": The laws with friction
def blow_by(law: str, W: Array, v: Array, restitution: Array, mu: Array, size: float = 0) -> Array:
    """Return the impulses (3 m,) of one blow; W : (3 m, 3 m); v : (3 m,); restitution,
    mu : (m,); size : as above.
    """
    blow = {"newton": newton_blow, "poisson": poisson_blow, "moreau": moreau_blow}[law]
    eps, friction = np.repeat(restitution, 3), np.repeat(mu, 3)
    return blow(ImpactProblem(W, mu, size), v, eps, normals_first(len(mu)), friction)


def normals_first(m: int) -> Array:
    """Return ones for the normals of m contacts, zeros for their tangents (3 m,)."""
    return np.tile([1.0, 0, 0], m)


# Chapter 17, "Contact": Together, or one after another?
@dataclass(frozen=True, eq=False)
class Collision:
    """Response of a chain to blows at several contacts.

    impulses : (m, 3) on the first body of each contact, in world axes [N s]; qd_jump :
    (nv,) of the joint rates;
    energy_before, energy_after : kinetic [J]; blows : their number, one after another;
    multipliers : (r,), the impulses in the loop closures, if any.
    """

    impulses: Array
    qd_jump: Array
    energy_before: float
    energy_after: float
    blows: int
    multipliers: Array


# Chapter 17, "Contact": Together, or one after another?
def series_of_blows(
    W: Array, v: Array, restitution: Array, mu: Array, law: str, order: str
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


# Chapter 17, "Contact": Together, or one after another?
@checked(q="nq", qd="nv", law=LAWS, order=ORDERS)
def collision_impulses(
    chain: Chain,
    q: Array,
    qd: Array,
    contacts: Any,
    *,
    restitution: Any,
    friction: Any = 0,
    law: str = "newton",
    order: str = "together",
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
    friction it is `impact`. Friction is Coulomb's, in a pyramid of eight sides.
    ArithmeticError as from `solve_lcp`; ValueError for bad input, a chain whose numbers
    are no floats among it, or if M is singular.
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


# Chapter 17, "Contact": Friction at rest and in motion
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


# Chapter 17, "Contact": Friction at rest and in motion
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


# Chapter 17, "Contact": Friction at rest and in motion
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


# Chapter 17, "Contact": Friction at rest and in motion
def free_acceleration(chain: Chain, constraints: Any, *given: Array) -> Array:
    """Return qdd (nv,) without forces at contacts; given : q, qd and tau."""
    if constraints:
        return constrained_forward_dynamics(chain, constraints, *given)[0]
    return aba(chain, *given)


# Chapter 17, "Contact": Friction at rest and in motion
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


# Chapter 17, "Contact": Friction at rest and in motion
@checked(q="nq", qd="nv", tau="nv")
def resting_contact(
    chain: Chain,
    q: Array,
    qd: Array,
    tau: Array,
    contacts: Any,
    *,
    friction: Any = 0,
    tolerance: float = 1e-9,
    constraints: Any = (),
) -> tuple[Array, Array]:
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


# Chapter 17, "Contact": Through time
@dataclass(frozen=True, eq=False)
class ContactLog:
    """Record of contacts, one row for each contact and each blow or step with an
    impulse.

    t : (k,) [s]; kind : (k,) "blow", "push" (a step of contact) or "rest" (bouncing has
    ended, at this time); bodies : (k, 2) links' indices, -1 the ground; points,
    normals, impulses : (k, 3) in the world, impulses on the first [N s].
    """

    t: Array
    kind: Array
    bodies: Array
    points: Array
    normals: Array
    impulses: Array


@dataclass(frozen=True, eq=False)
class ContactMotion(Simulation):
    """A `Simulation` with the log of its contacts."""

    log: ContactLog = field(default_factory=lambda: ContactLog(*columns_of([])))


# Chapter 17, "Contact": Through time
@dataclass(frozen=True, eq=False)
class Scene:
    """A chain with its loads, the search for its contacts, and their laws.

    find : a function of q (nq,) that returns contacts; margin : the gap up to which one
    counts as closed [m].
    """

    driven: Driven
    find: Callable[[Array], Sequence[Any]]
    restitution: Any
    friction: Any
    law: str
    order: str
    margin: float

    def closed(self, q: Array) -> list[Any]:
        """Return the contacts whose gap is closed."""
        return [contact for contact in self.find(q) if contact.gap <= self.margin]

    def coefficients(self, contacts: Sequence[Any]) -> tuple[Array, ...]:
        """Return restitution and friction (m,) each."""
        given = {"restitution": self.restitution, "friction": self.friction}
        return coefficients(contacts, **given)

    def kept(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return the nearby state with closed loops."""
        loops = self.driven.constraints
        return projected(self.driven.chain, loops, q, qd) if loops else (q, qd)


# Chapter 17, "Contact": Through time
def slopes(driven: Driven, t: float, q: Array, rates: Array) -> Array:
    """Return the accelerations (k, nv) in one posture q (nq,) at rates (k, nv); in one
    call without user functions.
    """
    if callable(driven.torque):
        return np.stack([driven.acceleration(t, q, qd) for qd in rates])
    return driven.acceleration(t, q, rates)


# Chapter 17, "Contact": Through time
def free_rates(driven: Driven, t: float, q: Array, qd: Array, h: float) -> tuple[Array, Array]:
    """Return the rates (nv,) after a step without contacts: without the loads on the
    chain at rest, and with them.

    Terms of the velocities, the rotation of a body's own axes among them, follow the
    midpoint rule: Euler's rule would make a spinning body faster and faster. For a
    chain at rest they vanish exactly. What `over` holds through the step, viscous
    friction, is a load.
    """
    at_rest, first = slopes(driven, t, q, np.stack([0 * qd, qd]))
    gained = h / 2 * at_rest
    half = qd + h / 2 * (first - at_rest)
    there, without = slopes(driven, t, q, np.stack([half + gained, gained]))
    before = qd + h * (there - without)
    return before, before + h * at_rest


def gap_half_way(gap: Array, speed: Array, h: Array) -> Array:
    """Return the gap (...) half a step h before its end, of that at the end and the
    speed of separation (...).
    """
    return gap - h / 2 * speed


# Chapter 17, "Contact": Through time
def carried_momenta(chain: Chain, q: Array, qd: Array) -> tuple[Array, Array, Array]:
    """Return each link's R (n, 3, 3), and world momentum (n, 3) and mass (n, 1) of it
    with all that it carries.
    """
    state = State(chain, q, qd)
    R, twists = state.poses[0], state.twists[..., 0]
    speeds = twists[:, 3:] + np.cross(twists[:, :3], chain.com)
    mass = chain.mass[:, None]
    sums = np.append(mass * (R @ speeds[..., None])[..., 0], mass, axis=-1)
    for k, parent in reversed(list(enumerate(chain.parent))):
        if parent >= 0:
            sums[parent] += sums[k]
    return R, sums[:, :3], sums[:, 3:]


def turned_spin(w: Array, inertia: Array, turn: Array) -> Array:
    """Return angular velocities (m, 3) in axes turned by (m, 3, 3), of the same energy
    and direction of momentum.
    """
    spin = inertia @ w[..., None]
    turned = turn @ spin
    new = np.linalg.solve(inertia, turned)
    twice, reached = (w[:, None] @ spin)[..., 0], (turned.mT @ new)[..., 0]
    return new[..., 0] * np.sqrt(np.divide(twice, reached, out=twice, where=reached > 0))


# Chapter 17, "Contact": Through time
def rates_in_new_axes(chain: Chain, q: Array, rates: Array, q1: Array) -> Array:
    """Return the rates (nv,) at q1 of a chain that has the given ones at q: what floats
    keeps its linear momentum.

    A free body that carries no other keeps its energy too, and the direction of its
    angular momentum about its centre.
    """
    roots, columns = floating_roots(chain)
    if not roots.size:
        return rates
    rates, alone = rates.copy(), ~np.isin(roots, chain.parent)
    own, turning = roots[alone], columns[alone, :3]
    R, before, _ = carried_momenta(chain, q, rates)
    R1 = State(chain, q1).poses[0]
    turn = R1[own].mT @ R[own]
    rates[turning] = turned_spin(rates[turning], chain.inertia[own], turn)
    _, after, mass = carried_momenta(chain, q1, rates)
    missing = ((before - after) / mass)[roots, :, None]
    rates[columns[:, 3:]] += (R1[roots].mT @ missing)[..., 0]
    return rates


def floating_roots(chain: Chain) -> tuple[Array, Array]:
    """Return the free bodies (k,) that hang on nothing, and the places (k, 6) of their
    rates.
    """
    free = [isinstance(joint, Free) for joint in chain.joints]
    roots = np.flatnonzero(free & (np.array(chain.parent) < 0))
    return roots, np.array([chain.v_columns[k] for k in roots])


# Chapter 17, "Contact": Through time
def closing_contacts(scene: Scene, state: State, moved: Array, h: float) -> tuple[list[Any], Array]:
    """Return the contacts that are closed half a step h before a posture, and their
    rows (m, 3, nv).

    moved : (nv,), the rates there without contacts.
    """
    contacts = list(scene.find(state.q))
    if not contacts:
        return contacts, np.zeros((0, 3, state.chain.nv))
    rows = contact_rows(state, contacts)
    gaps = np.array([float(contact.gap) for contact in contacts])
    speeds = (normals_of(contacts) * (rows @ moved)).sum(-1)
    closed = np.flatnonzero(gap_half_way(gaps, speeds, h) <= scene.margin)
    return [contacts[k] for k in closed], rows[closed]


# Chapter 17, "Contact": Through time
def impulses_of_step(
    scene: Scene, state: State, contacts: Sequence[Any], rows: Array, moved: Array, before: Array
) -> tuple[ContactResponse, Array]:
    """Return the response of contacts that close, and their impulses (3 m,) in a step.

    moved, before : (nv,), the rates without contacts, with and without loads.
    """
    eps, mu = scene.coefficients(contacts)
    loops, normals = scene.driven.constraints, normals_of(contacts)
    here = contact_response(state, normals, rows, rows @ moved, loops)
    v, came, eps = here.K @ moved, here.K @ before, np.repeat(eps, 3)
    problem = ImpactProblem(here.W, mu, float(np.abs(came).max()))
    if scene.law == "newton":
        return here, newton_push(problem, v, came, eps, normals_first(len(mu)))
    return here, moreau_push(problem, v, came, eps)


# Chapter 17, "Contact": Through time
def moreau_jean_step(
    scene: Scene, t: float, q: Array, qd: Array, end: float
) -> tuple[Array, Array, list[tuple[float, str, Any, Array]]]:
    """Return q and qd at the time `end`, and rows to log: contacts that close within
    half a step act by one impulse each.

    Contact rows are taken where the step would end without contacts, in whose axes the
    new rates are, until they are carried on to where it ends. The first tangents are
    along the slip without contacts: along the slip before, where friction is large
    beside it, each small change of its direction would grow.
    """
    h, log = end - t, []
    driven = scene.driven.over(h, qd)
    middle = integrate(driven.chain, q, h / 2 * qd)
    before, moved = free_rates(driven, t + h / 2, middle, qd, h)
    there = integrate(driven.chain, middle, h / 2 * moved)
    state = State(driven.chain, there)
    contacts, rows = closing_contacts(scene, state, moved, h)
    if contacts:
        here, p = impulses_of_step(scene, state, contacts, rows, moved, before)
        rates = moved + here.jump(p)[0]
        last = integrate(driven.chain, middle, h / 2 * rates)
        moved, there = rates_in_new_axes(driven.chain, there, rates, last), last
        impulses, pushing = here.in_world(p), np.flatnonzero(p[0::3] > 0)
        log = [(t + h, "push", contacts[k], impulses[k]) for k in pushing]
    return *scene.kept(there, moved), log


# Chapter 17, "Contact": Through time
def time_since_contact(scene: Scene, q: Array, qd: Array) -> float:
    """Return the longest time since a closed, approaching contact should have struck
    [s]; 0 if there is none.
    """
    contacts = [contact for contact in scene.find(q) if contact.gap < 0]
    if not contacts:
        return 0.0
    rows = contact_rows(State(scene.driven.chain, q), contacts)
    speeds = (normals_of(contacts) * (rows @ qd)).sum(-1)
    gaps = np.array([float(contact.gap) for contact in contacts])
    return longest_lateness(gaps, speeds)


def landing(scene: Scene, t: float, q: Array, qd: Array, h: float) -> float | None:
    """Return after how long a flight from q, qd has its first contact, within h, or
    None if it has none.
    """

    def late(tau: float) -> float:
        return time_since_contact(scene, *rk4_step(scene.driven, t, q, qd, tau))

    return first_time(late, t, h)


# Chapter 17, "Contact": Through time
def gap_accelerations(
    scene: Scene, t: float, state: State, contacts: Sequence[Any], rows: Array
) -> Array:
    """Return how gaps accelerate (m,) without forces at the contacts; rows : (m, 3,
    nv).
    """
    normals = normals_of(contacts)
    rates, turns = contact_bias(state, contacts, normals)
    rates = rates + rows @ scene.driven.acceleration(t, state.q, state.qd)
    return (normals * rates).sum(-1) + turns


def blow_at(
    scene: Scene, t: float, q: Array, qd: Array
) -> tuple[Array, list[tuple[float, str, Any, Array]]]:
    """Return the rates (nv,) after a blow at all closed contacts, and rows to log.

    A contact that would bounce for less than 1e-5 s comes to rest, at the time at which
    bouncing would end.
    """
    contacts, loops = scene.closed(q), scene.driven.constraints
    state, (eps, mu) = State(scene.driven.chain, q, qd), scene.coefficients(contacts)
    rows = contact_rows(state, contacts)
    here = contact_response(state, normals_of(contacts), rows, rows @ qd, loops)
    v, pull = here.K @ qd, -gap_accelerations(scene, t, state, contacts, rows)
    approach = np.maximum(-v[0::3], 0)
    ends = comes_to_rest(approach, eps, pull)
    given = np.where(ends, 0, eps), mu, scene.law, scene.order
    p, _ = series_of_blows(here.W, v, *given)
    impulses, log = here.in_world(p), []
    for k in np.flatnonzero(p[0::3] > 0):
        log.append((t, "blow", contacts[k], impulses[k]))
        if ends[k]:
            left = 2 * eps[k] * approach[k] / (pull[k] * (1 - eps[k]))
            log.append((t + left, "rest", contacts[k], 0 * impulses[k]))
    return qd + here.jump(p)[0], log


# Chapter 17, "Contact": Through time
def is_resting(scene: Scene, t: float, q: Array, qd: Array) -> bool:
    """Whether some closed contact has no speed along its normal and is pressed."""
    contacts = scene.closed(q)
    if not contacts:
        return False
    state = State(scene.driven.chain, q, qd)
    rows = contact_rows(state, contacts)
    speeds = (normals_of(contacts) * (rows @ qd)).sum(-1)
    return is_pressed(speeds, gap_accelerations(scene, t, state, contacts, rows))


# Chapter 17, "Contact": Through time
def event_step(
    scene: Scene, t: float, q: Array, qd: Array, end: float
) -> tuple[Array, Array, list[tuple[float, str, Any, Array]]]:
    """Return q and qd at the time `end`, and rows to log: flights by RK4 between blows,
    rest by a Moreau-Jean step.

    After 1000 blows in one step its remainder is a Moreau-Jean step too.
    """
    log: list[tuple[float, str, Any, Array]] = []
    for _ in range(1000):
        if is_resting(scene, t, q, qd):
            break
        flown = landing(scene, t, q, qd, end - t)
        if flown is None:
            return *scene.kept(*rk4_step(scene.driven, t, q, qd, end - t)), log
        q, qd = rk4_step(scene.driven, t, q, qd, flown)
        t = t + flown
        qd, more = blow_at(scene, t, q, qd)
        log += more
        if t >= end:
            return q, qd, log
    q, qd, more = moreau_jean_step(scene, t, q, qd, end)
    return q, qd, log + more


# Chapter 17, "Contact": Through time
@checked(q="nq", qd="nv", method=METHODS, law=LAWS, order=ORDERS)
def simulate_contact(
    chain: Chain,
    geometries: Any,
    q: Array,
    qd: Array,
    *,
    t: Array,
    step: float,
    torque: Any = None,
    method: str = "steps",
    restitution: Any = None,
    friction: Any = None,
    law: str = "newton",
    order: str = "together",
    margin: float = 1e-9,
    constraints: Any = (),
) -> ContactMotion:
    """Return the motion of a chain or tree that touches, from q (nq,), qd (nv,) at
    t[0], at all times t.

    geometries : the shapes that may touch, as for `find_contacts`, or a function of q
    that returns contacts. t : (m,) increasing [s]; step : the longest step [s]. torque
    : (nv,), or a function of (t, q, qd). method : "steps", Moreau-Jean time stepping of
    order one, for any number of contacts: bodies may sink in by the step times their
    speed in a blow; or "events", flights by RK4 with each landing found to rounding,
    and Moreau-Jean steps while something rests; a contact that is closed and open again
    within a quarter of a step is missed. restitution,
    friction : one number for all, or None for each contact's own. law, order : as for
    `collision_impulses`; "poisson" and "sequence" are for events; in "steps" the law
    "moreau" with equal restitutions gains no energy, or under loads a little, of order
    step^2. margin : the gap up to which a contact counts as closed [m]. constraints :
    loop closures; each step ends with closed loops. Friction in the chain's own joints
    acts as in `simulate`. The result is a `Simulation` with a `log` of contacts and
    impulses. If it ends early, also by the user's interruption, the result has the
    states so far and the reason, with a RuntimeWarning, which has the result in its
    attribute `simulation` where warnings are errors. ValueError for bad input, such as
    bodies that start more than 1e-3 m inside each other, or a chain whose numbers are
    no floats.
    """
    q, qd = doubles_of_one_state("simulate_contact", chain, q=q, qd=qd)
    times = check_times(t)
    step, margin = check_step(step, times), check_positive_number(margin, "margin")
    check_options(method, law, order, restitution=restitution, friction=friction)
    load = check_load(torque, "torque", (chain.nv,), ())
    driven = Driven(chain, load, None, as_constraints(constraints), (0, 0))
    find = finder(chain, geometries, find_contacts, margin)
    scene = Scene(driven, find, restitution, friction, law, order, margin)
    require_closed(driven, q, qd)
    require_apart(find(q), chain.names)
    driven.acceleration(times[0], q, qd)  # errors at the start are raised at once
    one = partial({"steps": moreau_jean_step, "events": event_step}[method], scene)
    judge = partial(require_possible, chain, kinetic_energy=kinetic_energy)
    (t, q, qd), rows, reason, problem = run(one, judge, (q, qd), times, step)
    given = chain, t, q, qd, reason, problem, driven.constraints
    motion = ContactMotion(*given, log=ContactLog(*columns_of(rows)))
    return warn_of_end(motion, stacklevel=4)
