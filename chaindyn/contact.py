# Generated from chapters/17_contact.md by `python -m book export`; edit it there.
# sha256 of the text below: e58ae4c3f6848b1800921cc5b222bb91fd357ed184c419ce5b8250a1d1da9156
"""Contact: blows at several places, forces at rest, friction, and motion through both.

Derived in chapter 17, "Contact".
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any

import numpy as np

from chaindyn._ops import Array, concatenate, eye, positive, sqrt, where
from chaindyn.articulated import FactorisedChain, aba, factorise_state
from chaindyn.chain import Chain, integrate
from chaindyn.constraints import constrained_forward_dynamics, held_response, projected
from chaindyn.guards.arguments import (
    check_array,
    check_load,
    check_matrix,
    check_positive_number,
    is_several,
    require_one_state,
)
from chaindyn.guards.complementarity import balance, balance_rows, fits, ray_error, terms_of
from chaindyn.guards.constraint_parts import as_constraints, parts_in
from chaindyn.guards.door import checked, outside
from chaindyn.guards.loops import gap_share
from chaindyn.guards.model import require_doubles
from chaindyn.guards.motion import check_step, check_times, require_possible
from chaindyn.guards.numbers import as_array, as_real, in_floats, read_only_view, require_finite
from chaindyn.inverse_dynamics import transmitted_wrenches
from chaindyn.jobs.marching import require_closed
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
    """The result of `solve_lcp`: z (n,) and w = A z + b (n,), both at least 0, and z_i
    w_i = 0.

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


def residual_of(A: Array, b: Array, z: Array) -> float:
    """Return by how much z (n,) fails to solve w = A z + b, z and w >= 0, z.w = 0: the
    largest |min(z_i, w_i)|.
    """
    return float(np.abs(np.minimum(z, A @ z + b)).max(initial=0))


def result_of(A: Array, b: Array, z: Array, iterations: int, *more: Any) -> LCP:
    """Return the result for z (n,), with w and the residual computed from it."""
    z = np.maximum(z, 0)
    return LCP(z, A @ z + b, residual_of(A, b, z), iterations, *more)


# Chapter 17, "Contact": Either a gap or a force
def solutions_of_mode(A: Array, b: Array, active: Array, tolerance: float) -> list[Array]:
    """Return the z (n,) of one mode, active (n,) booleans: none, the only one, or two
    of a continuum.

    A continuum without end has its second point where a weighted sum of the entries is
    twice the least and one size of b / A more.
    """
    own, right = A[np.ix_(active, active)], -b[active]
    z = np.zeros(len(b))
    if np.linalg.matrix_rank(own, tol=tolerance * np.abs(A).max(initial=0)) == active.sum():
        z[active] = np.linalg.solve(own, right)
        return [z] if fits(A, b, z, active, tolerance) else []
    from scipy.optimize import linprog

    found: list[Array] = []
    weights = 1 + np.sqrt(np.arange(2, 2 + active.sum()))  # a direction without level ties
    large, most = np.abs(A).max() or 1, np.abs(b).max() or 1  # the program's tolerance is absolute
    equal = {"A_eq": own / large, "b_eq": right / most}
    limits = {"A_ub": -A[np.ix_(~active, active)] / large, "b_ub": b[~active] / most}
    lowest = linprog(weights, **equal, **limits, method="highs")
    if lowest.status == 0:
        limits = {
            "A_ub": np.vstack([limits["A_ub"], weights]),
            "b_ub": np.append(limits["b_ub"], 2 * lowest.fun + 1),
        }
        highest = linprog(-weights, **equal, **limits, method="highs")
        for answer in (lowest, highest):
            found.append(np.zeros(len(b)))
            found[-1][active] = answer.x * most / large
    return [z for z in found if fits(A, b, z, active, tolerance)]


def enumerate_modes(A: Array, b: Array) -> LCP:
    """Return the solution of an LCP with n <= 12 and how many there are, by trying all
    2^n modes.

    Of many the smallest is z. ArithmeticError if there is none; ValueError if n is
    above 12.
    """
    n = len(b)
    if n > 12:
        raise ValueError(f'method "enumerate" tries 2^n modes and takes n up to 12, not {n}')
    size = max(np.abs(b).max(initial=0) / (np.abs(A).max(initial=0) or 1), np.finfo(float).tiny)
    found: list[Array] = []
    for choice in product((False, True), repeat=n):
        for z in solutions_of_mode(A, b, np.array(choice, bool), 1e-11):
            limit = 1e-8 * max(size, np.abs(z).max(initial=0))
            if all(np.abs(z - other).max(initial=0) > limit for other in found):
                found.append(z)
    if not found:
        raise ArithmeticError(f"the LCP has no solution: none of its {2**n} modes fits")
    found.sort(key=np.linalg.norm)
    count = "one" if len(found) == 1 else "many"
    return result_of(A, b, found[0], 2**n, count, np.array(found))


# Chapter 17, "Contact": Lemke's method*
def pivoted(tableau: Array, row: int, column: int) -> Array:
    """Return the tableau in which the unknown of a column enters the basis in a row."""
    own = tableau[row] / tableau[row, column]
    new = tableau - np.outer(tableau[:, column], own)
    new[row], new[:, column] = own, 0
    new[row, column] = 1
    return new


def leaving_row(tableau: Array, column: int, last: int) -> int | None:
    """Return the row of the lexicographically least ratio, None if nothing in the
    column is positive.

    last : a row preferred if its value is among the least, since it ends the path; -1
    for none.
    """
    n, growing = len(tableau), tableau[:, column]
    rows = np.flatnonzero(growing > 1e-11 * np.abs(growing).max())
    for j in (-1, *range(n)):
        if len(rows) < 2:
            break
        ratios = tableau[rows, j] / growing[rows]
        rows = rows[ratios <= ratios.min() + 1e-10 * max(1, np.abs(ratios).min())]
        if last in rows:
            return last
    return int(rows[0]) if len(rows) else None


def lemke(A: Array, b: Array) -> LCP:
    """Return a solution of an LCP by Lemke's path with lexicographic ties.
    ArithmeticError if it ends on a ray.
    """
    n = len(b)
    if (b >= 0).all():
        return result_of(A, b, np.zeros(n), 0)
    large, most = np.abs(A).max() or 1, np.abs(b).max()
    start = np.full((n, 1), -1.0)
    tableau = np.hstack([np.eye(n), -A / large, start, b[:, None] / most])
    basis = np.arange(n)  # w_i is i, z_i is n + i, z_0 is 2 n
    entering, row = 2 * n, int(n - 1 - np.argmin(b[::-1]))
    limit = 1000 + 100 * n
    for count in range(1, limit + 1):
        tableau = pivoted(tableau, row, entering)
        left, basis[row] = int(basis[row]), entering
        if left == 2 * n:
            z = np.zeros(2 * n)
            z[basis] = tableau[:, -1]
            return polished(A, b, z[n:] * (most / large), basis[basis >= n] - n, count)
        entering = left + n if left < n else left - n
        last = int(np.flatnonzero(basis == 2 * n)[0])
        following = leaving_row(tableau, entering, last)
        if following is None:
            ray = np.zeros(2 * n + 1)
            ray[basis], ray[entering] = -tableau[:, entering], 1
            raise ray_error(A, b, np.maximum(ray[n : 2 * n], 0))
        row = following
    raise ArithmeticError(
        f"Lemke's method did not end in {limit} pivots: its path may lead through most of the 2^n modes, or rounding "
        'hides it; method "pgs", or "enumerate" for n up to 12, may do'
    )


def polished(A: Array, b: Array, z: Array, active: Array, count: int) -> LCP:
    """Return the result for z (n,) from a tableau, or for its mode solved again,
    whichever is nearer to a solution.
    """
    again = np.zeros(len(b))
    own = np.ix_(active, active)
    again[active] = np.linalg.lstsq(A[own], -b[active], rcond=1e-13)[0]
    answers = [result_of(A, b, x, count) for x in (z, again)]
    best = min(answers, key=lambda answer: answer.residual)
    size = np.abs(b).max() + np.abs(A).max() * np.abs(best.z).max()
    if best.residual > 1e-6 * size:
        raise ArithmeticError(
            f"Lemke's path ends at a point that is no solution (residual {best.residual:.3g}): the pivots have "
            "lost too many digits"
        )
    return best


# Chapter 17, "Contact": Projected Gauss-Seidel
def projected_gauss_seidel(A: Array, b: Array, sweeps: int, tolerance: float) -> LCP:
    """Return the result of PGS after so many sweeps, or fewer if no |min(A_ii z_i,
    w_i)| is above a share of max |b|.

    ValueError if a diagonal entry is not positive; ArithmeticError if z grows without
    bound.
    """
    diagonal = np.diagonal(A)
    wrong = np.flatnonzero(diagonal <= 0)
    if len(wrong):
        i = int(wrong[0])
        raise ValueError(
            f'method "pgs" divides by the diagonal of A, but A[{i}, {i}] is {diagonal[i]:g}: it must be positive'
        )
    z = np.zeros(len(b))
    limit, size = tolerance * np.abs(b).max(initial=0), np.abs(b / diagonal).max(initial=0)
    for count in range(1, sweeps + 1):
        for i in range(len(b)):
            z[i] = max(0.0, z[i] - (A[i] @ z + b[i]) / diagonal[i])
        if not np.abs(z).max(initial=0) <= 1e12 * size:
            raise ArithmeticError(
                f"projected Gauss-Seidel grows without bound, beyond 1e12 times the first guess in sweep {count}: "
                "there is no solution, or this matrix is none for it"
            )
        if np.abs(np.minimum(diagonal * z, A @ z + b)).max(initial=0) <= limit:
            break
    return result_of(A, b, z, count)


def is_index(x: Any) -> bool:
    """Whether something is a whole number."""
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def in_balance(
    solve: Callable[..., LCP], A: Array, b: Array, rows: Array, columns: Array, *options: Any
) -> LCP:
    """Return what a method finds, in the units of A and b, rows and columns (n,) being
    exponents of two.
    """
    if not (rows.any() or columns.any()):
        return solve(A, b, *options)
    found = solve(np.ldexp(A, rows[:, None] + columns), np.ldexp(b, rows), *options)
    z, solutions = np.ldexp(found.z, columns), found.solutions
    if solutions is not None:
        solutions = np.array(sorted(np.ldexp(solutions, columns), key=np.linalg.norm))
        z = solutions[0]
    return result_of(A, b, z, found.iterations, found.count, solutions)


def lemke_twice(A: Array, b: Array) -> LCP:
    """Return a solution by Lemke's path, with the rows in units of their own terms if
    small ones go under.
    """
    answer = lemke(A, b)
    if fits(A, b, answer.z, answer.z > 0, 1e-9, 1e-13):
        return answer
    try:
        again = in_balance(lemke, A, b, *balance_rows(A, terms_of(A, b, answer.z)))
    except ArithmeticError:
        return answer
    return again if fits(A, b, again.z, again.z > 0, 1e-9, 1e-15) else answer


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
    A, b = as_real(check_matrix(A, "A", (None, None)), "A"), as_real(as_array(b, "b"), "b")
    n = A.shape[-1]
    if A.shape != (n, n) or b.shape != (n,):
        raise ValueError(
            f"A has shape {A.shape} and b {b.shape}, but they must be (n, n) and (n,): one problem at a time"
        )
    require_finite(b, "b")
    if not is_index(sweeps) or sweeps < 1:
        raise ValueError(f"sweeps is {sweeps!r}, but must be a whole number, 1 at least")
    tolerance = check_positive_number(tolerance, "tolerance")
    if method == "lemke":
        return in_balance(lemke_twice, A, b, *balance(A))
    if method == "enumerate":
        return in_balance(enumerate_modes, A, b, *balance(A))
    return in_balance(projected_gauss_seidel, A, b, *balance(A), int(sweeps), tolerance)


# Chapter 17, "Contact": Several blows at once
def check_contact(chain: Chain, contact: Any, k: int) -> None:
    """Refuse a contact that does not fit this chain: bodies, point, normal, gap,
    friction, restitution, radii.
    """
    parts = ("bodies", "point", "normal", "gap", "friction", "restitution")
    lacking = [name for name in parts if not hasattr(contact, name)]
    if lacking:
        raise ValueError(
            f"contacts[{k}] is {contact!r}, but must have {', '.join(parts)}, as a Contact has"
        )
    place = f"contacts[{k}]"
    bodies = tuple(contact.bodies) if is_several(contact.bodies) else ()
    whole = all(is_index(b) and -1 <= b < chain.n for b in bodies)
    if len(bodies) != 2 or not whole or bodies[0] == bodies[1]:
        raise ValueError(
            f"{place}.bodies is {contact.bodies!r}, but must be two different links' indices from 0 to "
            f"{chain.n - 1}, or -1 for the ground"
        )
    for name, shape in (("point", (3,)), ("normal", (3,)), ("gap", ())):
        as_real(check_array(getattr(contact, name), f"{place}.{name}", shape), f"{place}.{name}")
    length = float(np.linalg.norm(np.asarray(contact.normal, float)))
    if abs(length - 1) > 1e-6:
        raise ValueError(f"{place}.normal has length {length:.6g}, but must have 1 to 1e-6")
    for name, most in (("friction", np.inf), ("restitution", 1)):
        check_array(getattr(contact, name), f"{place}.{name}", ())
        check_coefficients(getattr(contact, name), f"{place}.{name}", most)
    radii = as_real(
        as_array(getattr(contact, "radii", (0, np.inf)), f"{place}.radii"), f"{place}.radii"
    )
    if radii.shape != (2,) or not (radii >= 0).all():
        raise ValueError(
            f"{place}.radii is {contact.radii!r}, but must be two numbers, the radii of the surfaces at the contact: "
            "zero or more, infinity for a flat one [m]"
        )


def check_coefficients(x: Any, name: str, most: float) -> Array:
    """Return friction or restitution as floats; refuse what lies outside [0, most]."""
    x = as_real(as_array(x, name), name)
    require_finite(x, name)
    wrong = np.argwhere((x < 0) | (x > most))
    if len(wrong):
        entry = f"{name}[{', '.join(map(str, wrong[0]))}]" if x.ndim else name
        limits = "not be negative" if most == np.inf else f"lie between 0 and {most:g}"
        raise ValueError(f"{entry} is {x[tuple(wrong[0])]:.16g}, but must {limits}")
    return x


def of_contacts(value: Any, name: str, contacts: Sequence[Any], most: float) -> Array:
    """Return friction or restitution of all contacts (m,): one number, (m,) of them, or
    None for each one's own.
    """
    m = len(contacts)
    if value is None:
        return np.array([float(getattr(contact, name)) for contact in contacts])
    x = check_coefficients(value, name, most)
    if x.shape not in ((), (m,)):
        raise ValueError(
            f"{name} has shape {x.shape}, but must be one number, ({m},), one for each contact, or None for their own"
        )
    return np.broadcast_to(x, (m,)).astype(float)


def as_contacts(chain: Chain, contacts: Any, name: str = "contacts") -> list[Any]:
    """Return contacts as a list, each checked; the name is that of the list in
    messages.
    """
    if not is_several(contacts):
        raise ValueError(f"{name} is {contacts!r}, but must be a list of contacts")
    given = list(contacts)
    for k, contact in enumerate(given):
        check_contact(chain, contact, k)
    return given


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
        arms = skew(points[k] - p[b])
        loads[b, :, k] += sign * np.concatenate([turned @ arms, turned + 0 * arms], axis=-2)
    return loads.reshape(chain.n, 6, 3 * m)


def rows_of_loads(state: State, loads: Array) -> Array:
    """Return the rows K (c, nv) whose transposes are the joint forces of wrenches (n,
    6, c), in link coordinates.
    """
    through = transmitted_wrenches(state, loads)
    return (state.screws[:, None, :] @ through[state.chain.link_of_column])[:, 0].mT


def contact_frames(normals: Array, slips: Array) -> Array:
    """Return frames (m, 3, 3) whose rows are the normal and two tangents, the first
    along the slip (m, 3).

    Where nothing slips, the first tangent is any; normals : (m, 3).
    """
    along = slips - (slips * normals).sum(-1, keepdims=True) * normals
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    size = np.abs(slips).max(initial=0)
    other = np.eye(3)[np.abs(normals).argmin(-1)]
    other = other - (other * normals).sum(-1, keepdims=True) * normals
    other = other / np.linalg.norm(other, axis=-1, keepdims=True)
    slipping = length > 1e-9 * size
    first = np.where(slipping, along / np.where(slipping, length, 1), other)
    return np.stack([normals, first, np.cross(normals, first)], axis=-2)


@dataclass(frozen=True, eq=False)
class Touching:
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
        motions, multipliers = held_motion(self.factors, self.L, self.loose, forces)
        return motions[:, 0], multipliers[:, 0]

    def in_world(self, p: Array) -> Array:
        """Return impulses p (3 m,) in world axes (m, 3)."""
        return (p.reshape(-1, 1, 3) @ self.frames)[:, 0]


def held_motion(
    factors: FactorisedChain, L: Array, loose: Any, forces: Array
) -> tuple[Array, Array]:
    """Return M^-1 forces (nv, c) of a chain with its loops closed, and the loops'
    multipliers (r, c).
    """
    motions = factors.solve(forces)
    if not len(L):
        return motions, np.zeros((0, forces.shape[-1]))
    multipliers, more = held_response(factors, L, -L @ motions, loose)
    return motions + more, multipliers


def normals_of(contacts: Sequence[Any]) -> Array:
    """Return the unit normals (m, 3) of contacts."""
    normals = np.array([contact.normal for contact in contacts], float).reshape(-1, 3)
    return normals / np.linalg.norm(normals, axis=-1, keepdims=True)


def contact_rows(state: State, contacts: Sequence[Any]) -> Array:
    """Return the rows (m, 3, nv) of the velocity of the first body's point relative to
    the second's, in world axes.
    """
    return rows_of_loads(state, contact_loads(state, contacts)).reshape(-1, 3, state.chain.nv)


def touching(
    state: State, normals: Array, rows: Array, slips: Array, constraints: tuple[Any, ...] = ()
) -> Touching:
    """Return contacts with these normals (m, 3) and rows (m, 3, nv); the first tangents
    are along the slips (m, 3).
    """
    factors, nv = factorise_state(state), state.chain.nv
    frames = contact_frames(normals, slips)
    K = (frames @ rows).reshape(-1, nv)
    if not constraints:
        return Touching(factors, frames, K, factors.delassus(K), np.zeros((0, nv)), 0)
    L, error = parts_in(state, constraints, "jacobian", "error")
    loose = gap_share(L, error)
    W = K @ held_motion(factors, L, loose, K.mT)[0]
    locked = np.diagonal(W) <= 1e-12 * np.diagonal(
        factors.delassus(K)
    )  # held by loops: mere rounding
    K, W = np.where(locked[:, None], 0, K), np.where(locked[:, None] | locked, 0, W)
    return Touching(factors, frames, K, (W + W.mT) / 2, L, loose)


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


# Chapter 17, "Contact": Making it robust*
def most_even(A: Array, answer: LCP) -> Array:
    """Return the smallest z (n,) with the same w as a solution, if it is one too, else
    that solution's z.
    """
    size = np.abs(A).max(initial=0) * np.abs(answer.z).max(initial=0)
    held = np.flatnonzero(answer.w <= 1e-10 * size)
    z = np.zeros(len(answer.z))
    z[held] = np.linalg.lstsq(A[:, held], A @ answer.z, rcond=1e-11)[0]
    same = np.abs(A @ (z - answer.z)).max(initial=0) <= 1e-12 * size
    return np.maximum(z, 0) if same and (z >= -1e-13 * np.abs(z).max(initial=0)).all() else answer.z


def all_stuck(W: Array, b: Array, mu: Array, known: Array) -> Array | None:
    """Return the smallest impulses (3 m,) with which all of W p + b vanishes, if they
    lie in their cones; else None.

    For contacts without friction only the normal components count. known (m,) :
    friction allowed beyond mu times the normal impulse.
    """
    asked = np.stack([np.ones(len(mu), bool), mu > 0, mu > 0], axis=-1).ravel()
    p = np.zeros(len(b))
    own = W[np.ix_(asked, asked)]
    sizes, U = np.linalg.eigh(own)
    kept = sizes > 1e-11 * sizes.max(initial=0)
    p[asked] = -(U[:, kept] / sizes[kept]) @ (U[:, kept].T @ b[asked])
    size = np.abs(W).max(initial=0) * np.abs(p).max(initial=0)
    missed = np.abs(own @ p[asked] + b[asked]).max(initial=0)
    inside = (cone_margins(p.reshape(-1, 3), mu, known) >= 0).all()
    return p if inside and missed <= 1e-12 * size else None


def in_pyramids(W: Array, b: Array, mu: Array, known: Array, sliding: Array, facets: int) -> Array:
    """Return impulses as `contact_impulses` does, by an LCP with pyramids in place of
    cones.
    """
    rough, angles = np.flatnonzero((mu > 0) & ~sliding), 2 * np.pi * np.arange(facets) / facets
    fan = np.stack([np.cos(angles), np.sin(angles)], axis=-1)  # exact along the axes up to rounding
    place = np.arange(len(mu) * (facets + 2)).reshape(len(mu), -1)
    own = np.concatenate([place[:, 0], place[rough, 1:-1].ravel(), place[rough, -1]])
    z = np.eye(place.size)[own].reshape(-1, *place.shape)  # a unit of each unknown
    p = pyramid_impulse(z, fan)
    p[..., 1] -= np.where(sliding, mu, 0) * p[..., 0]
    size = np.trace(W) / len(W) or 1.0
    effects = p.reshape(len(z), -1) @ W.T / size
    w = coulomb_conditions(z, effects.reshape(p.shape), mu, 0 * known, fan)
    start = coulomb_conditions(0 * z[0], b.reshape(-1, 3), mu, size * known, fan)
    A = w.reshape(len(z), -1)[:, own].T
    return most_even(A, solve_lcp(A, start.ravel()[own])) @ p.reshape(len(z), -1) / size


def by_and_by(
    impulses: Callable[[Array, Array], Array], W: Array, b: Array, size: float
) -> Array | None:
    """Return p (3 m,) of `impulses` for W and b, from a series of regularised problems;
    None if it fails.

    In each one a share of the mean is added to W's diagonal, and the effect of the last
    impulses taken from b.
    """
    mean = np.trace(W) / len(W)
    for share in (1e-8, 1e-6, 1e-4):
        more, p = share * mean, np.zeros(len(b))
        try:
            for _ in range(30):
                before, p = p, impulses(W + more * np.eye(len(W)), b - more * p)
                if more * np.abs(p - before).max() <= 1e-12 * size:
                    return p
        except ArithmeticError:
            continue
    return None


def islands(W: Array) -> list[Array]:
    """Return the contacts (k,) of each island: impulses in one have no effect in
    another; W : (3 m, 3 m).
    """
    m = len(W) // 3
    linked = (W != 0).reshape(m, 3, m, 3).any((1, 3)) | np.eye(m, dtype=bool)
    first, before = np.arange(m), None
    while before is None or (first != before).any():
        before, first = first, np.where(linked, first, m).min(-1)
    return [np.flatnonzero(first == k) for k in np.unique(first)]


def contact_impulses(
    W: Array,
    b: Array,
    mu: Array,
    known: Array | None = None,
    facets: int = 8,
    sliding: Array | None = None,
    size: float = 0,
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
    m = len(mu)
    known = np.zeros(m) if known is None else known
    sliding = np.zeros(m, bool) if sliding is None else sliding & (mu > 0)
    if not m:
        return np.zeros(0)
    groups = islands(W)
    if len(groups) > 1:
        apart = np.zeros((m, 3))
        for k in groups:
            own = (3 * k[:, None] + np.arange(3)).ravel()
            given = (
                W[np.ix_(own, own)],
                b[own],
                mu[k],
                known[k],
                facets,
                sliding[k],
                size,
            )
            apart[k] = contact_impulses(*given).reshape(-1, 3)
        return apart.ravel()
    stuck = None if sliding.any() else all_stuck(W, b, mu, known)
    if stuck is not None:
        return stuck

    def impulses(W: Array, b: Array) -> Array:
        return in_pyramids(W, b, mu, known, sliding, facets)

    try:
        return impulses(W, b)
    except ArithmeticError:
        nearby = by_and_by(impulses, W, b, max(size, float(np.abs(b).max())))
        if nearby is None:
            raise
        return nearby


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


def impulses_by_turns(W: Array, b: Array, mu: Array, known: Array, sweeps: int) -> Array:
    """Return impulses p (c,) after so many sweeps from zero, in which each contact has
    one turn, or until none changes.

    W : (c, c), b : (c,), with c = 2 m in a plane and 3 m in space; mu, known : (m,).
    """
    m = len(mu)
    p, start, blocks = (
        np.zeros((m, len(b) // m)),
        b.reshape(m, -1),
        W.reshape(m, -1, m, len(b) // m),
    )
    for _ in range(sweeps):
        before = p.copy()
        for k in range(m):
            v = start[k] + np.tensordot(blocks[k], p)
            p[k] = contact_turn(p[k], v, blocks[k, :, k], mu[k], known[k])
        if (p == before).all():
            break
    return p.ravel()


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
    return impulses, concatenate([(1 - pushes) * v[..., :1], -side * v[..., 1:]], axis=-1)


def impulses_by_modes(W: Array, b: Array, mu: Array, known: Array) -> list[Array]:
    """Return the impulses p (2 m,) of contacts in a plane that obey Coulomb's law, of
    each of the modes that fits.

    W : (2 m, 2 m); b : (2 m,); mu, known : (m,). A mode whose equations are singular is
    left out.
    """
    m, fitting = len(mu), []
    unit, still = np.eye(2 * m).reshape(-1, m, 2), np.zeros((m, 2))
    modes = contact_modes()[1:] if known.any() else contact_modes()[:4]
    for choice in product(modes, repeat=m):
        mode = np.array(choice)
        A = mode_equations(unit, W.T.reshape(-1, m, 2), mu, 0 * known, mode).reshape(2 * m, -1).T
        if np.linalg.matrix_rank(A, tol=1e-11 * np.abs(A).max()) < 2 * m:
            continue
        right = mode_equations(still, b.reshape(m, 2), mu, known, mode)
        p = -np.linalg.solve(A, right.ravel())
        v = W @ p + b
        margins = mode_margins(p.reshape(m, 2), v.reshape(m, 2), mu, known, mode)
        sizes = np.abs(p).max(), max(np.abs(v).max(), np.abs(b).max())
        if all((x >= -1e-11 * size).all() for x, size in zip(margins, sizes, strict=True)):
            fitting.append(p)
    return fitting


# Chapter 17, "Contact": The laws with friction
@dataclass(frozen=True, eq=False)
class Struck:
    """Contacts that are struck: their response W (3 m, 3 m), friction mu (m,), and the
    size of speeds at the start.
    """

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
        spent, wanted = compression @ self.W @ compression, again @ self.W @ again
        return again if wanted <= spent * (1 + 1e-14) else np.sqrt(spent / wanted) * again


def newton_push(
    struck: Struck, moved: Array, before: Array, restitution: Array, normal: Array
) -> Array:
    """Return the impulses (3 m,) by which contacts separate at e times the speeds of
    approach before.

    moved : (3 m,), velocities after all else; restitution : (3 m,); normal : (3 m,),
    ones for normals, else zero.
    """
    return struck.impulses(moved + restitution * normal * before, 0 * moved)


def moreau_push(struck: Struck, moved: Array, before: Array, restitution: Array) -> Array:
    """Return the impulses (3 m,) by which all of the velocity before returns, slip too,
    times e.
    """
    return struck.impulses(moved + restitution * before, 0 * moved)


def newton_blow(struck: Struck, v: Array, restitution: Array, normal: Array, mu: Array) -> Array:
    """Return the impulses (3 m,) of contacts with velocities v (3 m,): each separates
    at e times its approach speed.
    """
    return newton_push(struck, v, v, restitution, normal)


def poisson_blow(struck: Struck, v: Array, restitution: Array, normal: Array, mu: Array) -> Array:
    """Return the impulses (3 m,) of compression, and of a restitution with at least e
    times its normal parts.
    """
    compression = struck.impulses(v, 0 * v)
    given = restitution * normal * compression
    after = v + struck.response(compression + given)
    return compression + given + struck.impulses(after, mu * given)


def moreau_blow(struck: Struck, v: Array, restitution: Array, normal: Array, mu: Array) -> Array:
    """Return the impulses (3 m,) of compression, plus e times them, as far as energy
    allows.
    """
    compression = struck.impulses(v, 0 * v)
    return compression + struck.affordable(restitution * compression, compression)


def blow_by(law: str, W: Array, v: Array, restitution: Array, mu: Array, size: float = 0) -> Array:
    """Return the impulses (3 m,) of one blow; W : (3 m, 3 m); v : (3 m,); restitution,
    mu : (m,); size : as above.
    """
    blow = {"newton": newton_blow, "poisson": poisson_blow, "moreau": moreau_blow}[law]
    eps, friction, normal = np.repeat(restitution, 3), np.repeat(mu, 3), normals_first(len(mu))
    return blow(Struck(W, mu, size), v, eps, normal, friction)


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


def struck_next(v: Array, order: str, movable: Array, limit: float) -> Array:
    """Return which contacts (k,) take part in the next blow; none if no contact
    approaches faster than the limit.
    """
    speeds = np.where(movable, v[0::3], np.inf)
    fastest = speeds.min(initial=np.inf)
    if not fastest < -limit:
        return np.zeros(0, int)
    if order == "together":
        return np.flatnonzero(movable)
    return np.flatnonzero(speeds <= fastest * (1 - 1e-9))


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
    diagonal = np.diagonal(W)
    movable = diagonal[0::3] > 1e-12 * diagonal.reshape(-1, 3).sum(-1)
    size, fastest = np.abs(v).max(initial=0), np.abs(v[0::3]).max(initial=0)
    total, count, most = np.zeros(len(v)), 0, 100 * len(mu)
    for count in range(most + 1):
        last = count == most
        now = v + W @ total
        k = struck_next(now, "together" if last else order, movable, 1e-12 * fastest)
        if not len(k):
            return total, count
        if np.abs(now).max() > 1e6 * size:
            raise ArithmeticError(
                f"the law {law!r} gains energy with each blow: after {count} blows the contacts are 1e6 times faster; "
                'the law "moreau" never gains'
            )
        own = (3 * k[:, None] + np.arange(3)).ravel()
        again = 0 * restitution[k] if last else restitution[k]
        total[own] += blow_by(law, W[np.ix_(own, own)], now[own], again, mu[k], size)
    return total, most + 1


@checked(q="nq", qd="nv", law={"newton", "poisson", "moreau"}, order={"together", "sequence"})
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
    require_one_state(q=q, qd=qd)
    require_doubles(chain, "collision_impulses")
    q, qd = as_real(q, "q"), as_real(qd, "qd")
    contacts, constraints = as_contacts(chain, contacts), as_constraints(constraints)
    eps = of_contacts(restitution, "restitution", contacts, 1)
    mu = of_contacts(friction, "friction", contacts, np.inf)
    state = evaluate(chain, q, qd)
    rows = contact_rows(state, contacts)
    here = touching(state, normals_of(contacts), rows, rows @ qd, constraints)
    p, count = series_of_blows(here.W, here.K @ qd, eps, mu, law, order)
    jump, multipliers = here.jump(p)
    before, after = (kinetic_energy(chain, q, rates) for rates in (qd, qd + jump))
    return Collision(here.in_world(p), jump, float(before), float(after), count, multipliers)


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


def edges_of(contact: Any) -> tuple[Array | None, Array | None]:
    """Return the directions (3,) in which the surfaces of a contact are straight; None
    if in none, or in all.
    """
    edges: tuple[Array | None, Array | None] = getattr(contact, "edges", (None, None))
    return edges


def contact_path(V: Array, contact: Any, normal: Array) -> tuple[Array, Array]:
    """Return the rates (3,) of a contact's point and of its normal; V : (n, 6) twists
    in the world.

    The contact may have `radii` of the two surfaces and `edges`, as a `Contact` has;
    without them it is a corner of the first body on a face of the second.
    """
    (a, b), x = contact.bodies, np.asarray(contact.point, float)
    r_a, r_b = getattr(contact, "radii", (0, np.inf))
    if np.isinf(r_a):
        r_b = 0 if np.isinf(r_b) else r_b
        turned = np.cross(spin_of(V, a), normal)
        return field_at(V, b, x - r_b * normal) + r_b * turned, turned
    if np.isinf(r_b):
        turned = np.cross(spin_of(V, b), normal)
        return field_at(V, a, x + r_a * normal) - r_a * turned, turned
    e_a, e_b = (np.zeros(3) if e is None else np.asarray(e) for e in edges_of(contact))
    across = contact_frames(normal[None], np.zeros((1, 3)))[0, 1:]
    middle = field_at(V, a, x + r_a * normal)
    apart = middle - field_at(V, b, x - r_b * normal)
    along = across @ np.stack([e_a, e_b], axis=-1)
    lines = np.block([[(r_a + r_b) * np.eye(2), along * [-1, 1]], [along.T, np.zeros((2, 2))]])
    turns = -normal @ np.cross(spin_of(V, a), e_a), -normal @ np.cross(spin_of(V, b), e_b)
    *turned, slid, _ = np.linalg.lstsq(lines, np.array([*(across @ apart), *turns]), rcond=None)[0]
    turned = turned @ across
    return middle + slid * e_a - r_a * turned, turned


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
def resting_ones(contacts: Sequence[Any], speeds: Array, tolerance: float) -> Array:
    """Return which contacts (k,) can carry force: gap and speed along the normal are
    zero to the tolerance.

    ValueError if one approaches: that is a blow.
    """
    touch = np.array([float(contact.gap) <= tolerance for contact in contacts], bool)
    wrong = np.flatnonzero(touch & (speeds < -tolerance))
    if len(wrong):
        k = int(wrong[0])
        raise ValueError(
            f"contacts[{k}] is closed and approaches at {-speeds[k]:.3g} m/s: that is a blow, which "
            "`collision_impulses` takes; only a contact with gap and speed zero rests"
        )
    return np.flatnonzero(touch & (speeds <= tolerance))


def warn_if_not_unique(W: Array, b: Array, mu: Array, sliding: Array) -> None:
    """Warn if contacts, all of which slide or are smooth, have several motions; W : (3
    m, 3 m), b : (3 m,).
    """
    if not sliding.any() or len(mu) > 12 or ((mu > 0) & ~sliding).any():
        return
    A = W[0::3, 0::3] - mu * W[0::3, 1::3]
    if np.linalg.eigvalsh(A + A.T)[0] >= -1e-12 * np.abs(A).max():
        return
    answer = enumerate_modes(A, b[0::3])
    if answer.solutions is not None and np.ptp(answer.solutions @ A.T, axis=0).max() > 1e-9:
        warnings.warn(
            "friction leaves more than one motion: forces that hold the contact and others that let it go both "
            "obey Coulomb's law (Painleve); one of them is returned",
            RuntimeWarning,
            stacklevel=4,
        )


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
    require_one_state(q=q, qd=qd, tau=tau)
    require_doubles(chain, "resting_contact")
    q, qd, tau = as_real(q, "q"), as_real(qd, "qd"), as_real(tau, "tau")
    contacts, constraints = as_contacts(chain, contacts), as_constraints(constraints)
    mu = of_contacts(friction, "friction", contacts, np.inf)
    tolerance = check_positive_number(tolerance, "tolerance")
    state = evaluate(chain, q, qd)
    normals, rows = normals_of(contacts), contact_rows(state, contacts)
    parting = rows @ qd
    active = resting_ones(contacts, (normals * parting).sum(-1), tolerance)
    free = (
        constrained_forward_dynamics(chain, constraints, q, qd, tau)[0]
        if constraints
        else aba(chain, q, qd, tau)
    )
    forces = np.zeros((len(contacts), 3))
    if not len(active):
        return free, forces
    normals, rows, parting, mu = (x[active] for x in (normals, rows, parting, mu))
    rates, turns = contact_bias(state, [contacts[k] for k in active], normals)
    rates = rates + rows @ free
    slips = parting - (normals * parting).sum(-1, keepdims=True) * normals
    sliding = np.linalg.norm(slips, axis=-1) > tolerance
    here = touching(state, normals, rows, np.where(sliding[:, None], slips, rates), constraints)
    b = (here.frames @ rates[..., None])[..., 0]
    b[:, 0] += turns
    locked = ~here.K.any(axis=-1).reshape(-1, 3)
    b[locked & (np.abs(b) <= 1e-10 * np.abs(rows).max() * np.abs(free).max())] = 0
    try:
        warn_if_not_unique(here.W, b.ravel(), mu, sliding)
        p = contact_impulses(here.W, b.ravel(), mu, sliding=sliding)
    except ArithmeticError as error:
        raise ArithmeticError(
            f"no forces at the contacts obey Coulomb's law here ({error}): where friction is strong a rigid body "
            "that slides may jam, which takes an impulse; `simulate_contact` goes on"
        ) from None
    forces[active] = here.in_world(p)
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


def as_log(rows: Sequence[tuple[float, str, Any, Array]]) -> ContactLog:
    """Return a log of rows (time, kind, contact, impulse)."""
    contacts = [contact for _, _, contact, _ in rows]
    return ContactLog(
        np.array([t for t, *_ in rows]),
        np.array([kind for _, kind, *_ in rows], str),
        np.array([contact.bodies for contact in contacts], int).reshape(-1, 2),
        np.array([contact.point for contact in contacts], float).reshape(-1, 3),
        np.array([contact.normal for contact in contacts], float).reshape(-1, 3),
        np.array([impulse for *_, impulse in rows], float).reshape(-1, 3),
    )


@dataclass(frozen=True, eq=False)
class ContactMotion(Simulation):
    """A `Simulation` with the log of its contacts."""

    log: ContactLog = field(default_factory=lambda: as_log([]))


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

    def coefficients(self, contacts: Sequence[Any]) -> tuple[Array, Array]:
        """Return restitution and friction (m,) each."""
        eps = of_contacts(self.restitution, "restitution", contacts, 1)
        return eps, of_contacts(self.friction, "friction", contacts, np.inf)

    def kept(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return the nearby state with closed loops."""
        constraints = self.driven.constraints
        return projected(self.driven.chain, constraints, q, qd) if constraints else (q, qd)


# Chapter 17, "Contact": Through time
def slopes(driven: Driven, t: float, q: Array, rates: Array) -> Array:
    """Return the accelerations (k, nv) in one posture q (nq,) at rates (k, nv); in one
    call without user functions.
    """
    if callable(driven.torque):
        return np.stack([driven.acceleration(t, q, qd) for qd in rates])
    return driven.acceleration(t, q, rates)


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


def in_motion(chain: Chain, q: Array, qd: Array) -> tuple[Array, Array, Array]:
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


def carried_on(chain: Chain, q: Array, rates: Array, q1: Array) -> Array:
    """Return the rates (nv,) at q1 of a chain that has the given ones at q: what floats
    keeps its linear momentum.

    A free body that carries no other keeps its energy too, and the direction of its
    angular momentum about its centre.
    """
    free = [isinstance(joint, Free) for joint in chain.joints]
    roots = np.flatnonzero(free & (np.array(chain.parent) < 0))
    if not roots.size:
        return rates
    rates = rates.copy()
    columns = np.array([chain.v_columns[k] for k in roots])
    alone = ~np.isin(roots, chain.parent)
    own, turning = roots[alone], columns[alone, :3]
    R, before, _ = in_motion(chain, q, rates)
    R1 = State(chain, q1).poses[0]
    rates[turning] = turned_spin(rates[turning], chain.inertia[own], R1[own].mT @ R[own])
    _, after, mass = in_motion(chain, q1, rates)
    missing = ((before - after) / mass)[roots, :, None]
    rates[columns[:, 3:]] += (R1[roots].mT @ missing)[..., 0]
    return rates


def moreau_jean_step(
    scene: Scene, t: float, q: Array, qd: Array, h: float
) -> tuple[Array, Array, list[tuple[float, str, Any, Array]]]:
    """Return q and qd a time h later, and rows to log: contacts that close within half
    a step act by one impulse each.

    Contact rows are taken where the step would end without contacts, in whose axes the
    new rates are, until they are carried on to where it ends. The first tangents are
    along the slip without contacts: along the slip before, where friction is large
    beside it, each small change of its direction would grow.
    """
    driven = scene.driven.over(h, qd)
    chain = driven.chain
    middle = integrate(chain, q, h / 2 * qd)
    before, moved = free_rates(driven, t + h / 2, middle, qd, h)
    there, rows_to_log = integrate(chain, middle, h / 2 * moved), []
    contacts = list(scene.find(there))
    state, rows, normals = State(chain, there), np.zeros((0, 3, chain.nv)), normals_of(contacts)
    if contacts:
        rows = contact_rows(state, contacts)
        gaps = np.array([float(contact.gap) for contact in contacts])
        half_way = gap_half_way(gaps, (normals * (rows @ moved)).sum(-1), h)
        closed = np.flatnonzero(half_way <= scene.margin)
        contacts, rows, normals = [contacts[k] for k in closed], rows[closed], normals[closed]
    if contacts:
        eps, mu = scene.coefficients(contacts)
        here = touching(state, normals, rows, rows @ moved, driven.constraints)
        v, came, eps = here.K @ moved, here.K @ before, np.repeat(eps, 3)
        struck = Struck(here.W, mu, float(np.abs(came).max()))
        if scene.law == "newton":
            p = newton_push(struck, v, came, eps, normals_first(len(mu)))
        else:
            p = moreau_push(struck, v, came, eps)
        moved = moved + here.jump(p)[0]
        end = integrate(chain, middle, h / 2 * moved)
        moved, there = carried_on(chain, there, moved, end), end
        impulses = here.in_world(p)
        pushed = np.flatnonzero(p[0::3] > 0)
        rows_to_log = [(t + h, "push", contacts[k], impulses[k]) for k in pushed]
    return *scene.kept(there, moved), rows_to_log


# Chapter 17, "Contact": Through time
def overdue(scene: Scene, q: Array, qd: Array) -> float:
    """Return the longest time since a closed, approaching contact should have struck
    [s]; 0 if there is none.
    """
    contacts = [contact for contact in scene.find(q) if contact.gap < 0]
    if not contacts:
        return 0.0
    rows = contact_rows(State(scene.driven.chain, q), contacts)
    speeds = (normals_of(contacts) * (rows @ qd)).sum(-1)
    gaps = np.array([float(contact.gap) for contact in contacts])
    late = speeds < -1e-10
    return float((gaps[late] / speeds[late]).max(initial=0))


def landing(scene: Scene, t: float, q: Array, qd: Array, h: float) -> float | None:
    """Return after how long a flight from q, qd has its first contact, within h, or
    None if it has none.

    Sought at four times; found by Newton's method on the gap, bracketed between a time
    before and one after.
    """
    early = 0.0
    for late in h * np.array([0.25, 0.5, 0.75, 1.0]):
        due = overdue(scene, *rk4_step(scene.driven, t, q, qd, late))
        if due > 0:
            break
        early = late
    else:
        return None
    for _ in range(100):
        tau = late - due if early < late - due else (early + late) / 2
        still_due = overdue(scene, *rk4_step(scene.driven, t, q, qd, tau))
        if still_due > 0:
            late, due = tau, still_due
        elif due <= 1e-9:  # a last Newton step, smaller than its error
            return float(tau)
        else:
            early = tau
        if due <= 1e-16 or late - early <= 4 * np.finfo(float).eps * (abs(t) + late):
            break
    return float(late)


def blow_in(
    scene: Scene, t: float, q: Array, qd: Array
) -> tuple[Array, list[tuple[float, str, Any, Array]]]:
    """Return the rates (nv,) after a blow at all closed contacts, and rows to log.

    A contact that would bounce for less than 1e-5 s comes to rest, at the time at which
    bouncing would end.
    """
    chain, contacts = scene.driven.chain, scene.closed(q)
    state, normals = State(chain, q, qd), normals_of(contacts)
    eps, mu = scene.coefficients(contacts)
    rows = contact_rows(state, contacts)
    here = touching(state, normals, rows, rows @ qd, scene.driven.constraints)
    rates, turns = contact_bias(state, contacts, normals)
    pull = -(normals * (rates + rows @ scene.driven.acceleration(t, q, qd))).sum(-1) - turns
    v = here.K @ qd
    approach = np.maximum(-v[0::3], 0)
    ends = (pull > 0) & (2 * eps * approach < 1e-5 * pull) & (eps < 1)
    p, _ = series_of_blows(here.W, v, np.where(ends, 0, eps), mu, scene.law, scene.order)
    impulses, log = here.in_world(p), []
    for k in np.flatnonzero(p[0::3] > 0):
        log.append((t, "blow", contacts[k], impulses[k]))
        if ends[k]:
            left = 2 * eps[k] * approach[k] / (pull[k] * (1 - eps[k]))
            log.append((t + left, "rest", contacts[k], 0 * impulses[k]))
    return qd + here.jump(p)[0], log


def rests(scene: Scene, t: float, q: Array, qd: Array) -> bool:
    """Whether some closed contact has no speed along its normal and is pressed."""
    contacts = scene.closed(q)
    if not contacts:
        return False
    state, normals = State(scene.driven.chain, q, qd), normals_of(contacts)
    rows = contact_rows(state, contacts)
    still = np.abs((normals * (rows @ qd)).sum(-1)) <= 1e-9
    rates, turns = contact_bias(state, contacts, normals)
    rates = rates + rows @ scene.driven.acceleration(t, q, qd)
    return bool((still & ((normals * rates).sum(-1) + turns < -1e-9)).any())


def event_step(
    scene: Scene, t: float, q: Array, qd: Array, end: float
) -> tuple[Array, Array, list[tuple[float, str, Any, Array]]]:
    """Return q and qd at the time `end`, and rows to log: flights by RK4 between blows,
    rest by a Moreau-Jean step.

    After 1000 blows in one step its remainder is a Moreau-Jean step too.
    """
    log: list[tuple[float, str, Any, Array]] = []
    for _ in range(1000):
        if rests(scene, t, q, qd):
            break
        flown = landing(scene, t, q, qd, end - t)
        if flown is None:
            return *scene.kept(*rk4_step(scene.driven, t, q, qd, end - t)), log
        q, qd = rk4_step(scene.driven, t, q, qd, flown)
        t = t + flown
        qd, more = blow_in(scene, t, q, qd)
        log += more
        if t >= end:
            return q, qd, log
    q, qd, more = moreau_jean_step(scene, t, q, qd, end - t)
    return q, qd, log + more


# Chapter 17, "Contact": Through time
def finder(chain: Chain, geometries: Any, margin: float) -> Callable[[Array], Sequence[Any]]:
    """Return a function of q that finds contacts: of geometries, or by the user's
    function, checked.
    """
    if callable(geometries):
        own = outside(geometries)
        return lambda q: as_contacts(chain, own(read_only_view(q)), "geometries(q)")
    from chaindyn.geometry import find_contacts

    return lambda q: find_contacts(chain, geometries, q, margin=margin)


def require_apart(contacts: Sequence[Any], names: Sequence[str]) -> None:
    """Refuse a start in which bodies are more than a millimetre inside each other, with
    names and depth.
    """
    for contact in contacts:
        if contact.gap < -1e-3:
            one, other = ("ground" if b < 0 else names[b] for b in contact.bodies)
            raise ValueError(
                f"{one!r} starts {-contact.gap:.3g} m deep inside {other!r}, at {np.round(contact.point, 3).tolist()}: "
                "bodies may touch at the start, and overlap by 1e-3 m at most"
            )


def advance(
    scene: Scene, q: Array, qd: Array, times: Array, step: float, method: str
) -> Iterator[tuple[float, Array, Array, bool, list[Any]]]:
    """Yield time, state, whether the time was requested, and rows to log, after each
    step.
    """
    for start, end in pairwise(times):
        count = max(int(np.ceil((end - start) / step - 1e-9)), 1)
        for k in range(1, count + 1):
            old = start + (k - 1) * ((end - start) / count)
            new = end if k == count else start + k * ((end - start) / count)
            if method == "steps":
                q, qd, log = moreau_jean_step(scene, old, q, qd, new - old)
            else:
                q, qd, log = event_step(scene, old, q, qd, new)
            q, qd = in_floats(q, qd)
            require_possible(scene.driven.chain, q, qd, kinetic_energy)
            yield new, q, qd, k == count, log


def tell_why(motion: ContactMotion) -> ContactMotion:
    """Return a motion, with a warning if it ended early; where warnings are errors, the
    error has the motion.
    """
    if motion.error is None:
        return motion
    try:
        warnings.warn(f"the simulation ended early: {motion.reason}", RuntimeWarning, stacklevel=4)
    except RuntimeWarning as raised:
        raised.simulation = motion  # type: ignore[attr-defined]
        raised.add_note("what was computed is in this exception's attribute `simulation`")
        raise
    return motion


@checked(
    q="nq",
    qd="nv",
    method={"steps", "events"},
    law={"newton", "poisson", "moreau"},
    order={"together", "sequence"},
)
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
    require_doubles(chain, "simulate_contact")
    require_one_state(q=q, qd=qd)
    q, qd, times = as_real(q, "q"), as_real(qd, "qd"), check_times(t)
    step, margin = check_step(step, times), check_positive_number(margin, "margin")
    if method == "steps" and law == "poisson":
        raise ValueError(
            'law "poisson" gives back a share of each push, at rest too: "steps" take "newton" or "moreau"'
        )
    if method == "steps" and order == "sequence":
        raise ValueError(
            'order "sequence" takes blows one after another, but "steps" take all that a step holds together: '
            'method "events" has both orders'
        )
    load = check_load(torque, "torque", (chain.nv,), ())
    driven = Driven(chain, load, None, as_constraints(constraints), (0, 0))
    for name, value, most in (("restitution", restitution, 1), ("friction", friction, np.inf)):
        if value is not None and check_coefficients(value, name, most).shape != ():
            raise ValueError(f"{name} must be one number, or None for each contact's own")
    scene = Scene(
        driven, finder(chain, geometries, margin), restitution, friction, law, order, margin
    )
    require_closed(driven, q, qd)
    require_apart(scene.find(q), chain.names)
    driven.acceleration(times[0], q, qd)  # errors at the start are raised at once
    last: tuple[Any, ...] = (times[0], q, qd)
    states, log, problem = [last], [], None
    try:
        for *state, asked, more in advance(scene, q, qd, times, step, method):
            last = tuple(state)
            log += more
            if asked:
                states.append(last)
    except (Exception, KeyboardInterrupt) as caught:
        problem = caught
    reason = ""
    if problem is not None:
        what = (
            "interrupted"
            if isinstance(problem, KeyboardInterrupt)
            else str(problem) or repr(problem)
        )
        reason = f"{what} (the last state reached is that at t = {last[0]:.6g} s)"
        if last[0] > states[-1][0]:
            states.append(last)
    reached, places, rates = (np.array(column) for column in zip(*states, strict=True))
    given = chain, reached, places, rates, reason, problem, driven.constraints
    return tell_why(ContactMotion(*given, log=as_log(log)))
