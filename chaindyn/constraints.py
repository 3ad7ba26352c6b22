# Generated from chapters/13_loops_and_redundancy.md by `python -m book export`; edit it there.
# sha256 of the text below: b22903758281bbcd977120b3d7575b1cad1fc6863940ea0d900e28c29baf5ce2
"""Loops: constraints between the links of a tree, and the dynamics that keeps them.

Derived in chapter 13, "Loops and redundancy".
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from chaindyn._ops import Array, concatenate, divide, eye, solve, sqrt, zeros
from chaindyn.articulated import FactorisedChain, factorise_state
from chaindyn.chain import Chain, difference, integrate
from chaindyn.closure import BodyConstraint, Constraint, constraint_error, constraint_jacobian
from chaindyn.composite import crba
from chaindyn.guards.arguments import (
    FRAMES,
    check_array,
    check_mask,
    check_matrix,
    check_positive_number,
    require_between,
    require_positive,
    require_same_batch,
    require_shape,
    unit,
)
from chaindyn.guards.constraint_parts import as_constraints, bodies_of, parts_in
from chaindyn.guards.door import checked
from chaindyn.guards.equations import (
    DEPENDENT,
    SINGULAR,
    require_no_more,
    require_rank_of_real_part,
    solved,
)
from chaindyn.guards.numbers import (
    are_exact,
    as_array,
    as_real,
    frozen,
    in_double,
    may_be_nonzero,
    power_of_two_near,
    read_only,
    require_finite,
    without_precision,
)
from chaindyn.hybrid import check_hybrid, hybrid_dynamics, interleave
from chaindyn.inverse_dynamics import ground_acceleration, net_bias, rnea
from chaindyn.joints import Joint, across
from chaindyn.spatial import X_motion, crm
from chaindyn.state import State, evaluate

__all__ = [
    "Coupling",
    "Distance",
    "Held",
    "Rolling",
    "assemble",
    "constrained_forward_dynamics",
    "constrained_hybrid_dynamics",
    "constrained_inverse_dynamics",
    "solve_kkt",
]


# Chapter 13, "Loops and redundancy": What counts as dependent
def are_floats(*arrays: Array) -> bool:
    """Whether all are plain NumPy numbers, which its factorisations take."""
    return all(
        isinstance(x, np.ndarray) and x.dtype.kind in "iuf" and x.dtype.itemsize <= 8
        for x in arrays
    )


def independent_combinations(
    K: Array, size: Array, loose: Array | float = 0
) -> tuple[Array, Array]:
    """Return independent combinations (..., m, p) of rows K (..., m, nv), and the rank
    (...).

    Column j times K is combination j; columns beyond the rank are zero, p is the
    smaller of m and nv. size : (..., nv), the units of the columns. Rows are compared
    at length one; one below 1e-10 of the largest counts as zero. loose : (...), the
    relative error of the rows: combinations smaller than that, or than rounding, count
    as zero.
    """
    rows = K / size[..., None, :]
    scale = power_of_two_near(rows)
    rows = rows / scale
    lengths = np.linalg.norm(rows, axis=-1)
    longest = lengths.max(-1, initial=0, keepdims=True)
    counts = lengths > 1e-10 * longest
    shrink = np.where(counts, 1 / np.where(counts, lengths, 1), 0)
    U, sizes, _ = np.linalg.svd(shrink[..., None] * rows, full_matrices=False)
    ratio = longest / np.where(counts, lengths, longest).min(
        -1, initial=np.inf, keepdims=True, where=longest > 0
    )
    rounding = 16 * max(K.shape[-2:]) * np.finfo(sizes.dtype).eps * ratio
    kept = sizes > np.maximum(rounding, np.asarray(loose)[..., None]) * sizes[..., :1]
    return shrink[..., None] / scale * U * kept[..., None, :], kept.sum(-1)


def solvable_combinations(K: Array, squares: Array, loose: Array | float, *beside: Array) -> Array:
    """Return combinations (..., m, p) of rows K (..., m, nv) that are not floats, for
    elimination to solve for.

    They are the rows that are not zeros, as some of a planar loop are; if inexact ones
    depend on each other, independent combinations, by their values in double precision.
    squares : (..., nv), of the units of the columns;
    loose : as for `independent_combinations`; beside : what else enters the
    elimination.
    """
    rows = np.eye(K.shape[-2], dtype=int)[:, rows_that_act(K)]
    known = None if are_exact(K, *beside) else in_double(rows.T @ K)
    if known is None:
        require_no_more(rows.shape[-1], K.shape[-1])
        return rows
    size = in_double(squares)
    size = np.ones(K.shape[-1]) if size is None else np.sqrt(np.where(size.real > 0, size.real, 1))
    combine, rank = independent_combinations(known.real, size, loose)
    if np.iscomplexobj(known):
        require_rank_of_real_part(independent_combinations(known, size, loose)[1], rank)
    return rows if (rank == rows.shape[-1]).all() else rows @ combine[..., : rank.max(initial=0)]


def multipliers_of(C: Array, missed: Array, combine: Array) -> Array:
    """Return multipliers (..., p, c) of combinations of rows, with C times them
    `missed`; of empty ones zero.

    C : (..., p, p); missed : (..., p, c); combine : (..., m, p), zeros where a batch
    has less of them.
    """
    empty = (combine == 0).all(-2)[..., None] * eye(combine.shape[-1])
    return solved(C + empty, missed, DEPENDENT)


def rows_that_act(K: Array) -> Array:
    """Return which rows (m,) of symbols or exact numbers are not zero, as some of a
    planar loop are.
    """
    return np.array([may_be_nonzero(K[..., i, :]) for i in range(K.shape[-2])], bool)


# Chapter 13, "Loops and redundancy": The null space
@dataclass(frozen=True, eq=False)
class Held:
    """Result of `solve_kkt`: x (..., nv), multipliers (..., m), and the rank (...) of
    K; unpacked, the first two.
    """

    x: Array
    multipliers: Array
    rank: Array

    def __iter__(self) -> Iterator[Array]:
        """Yield x and the multipliers, so that ``x, multipliers = solve_kkt(...)``."""
        yield self.x
        yield self.multipliers


def size_of_motions(M: Array) -> Array:
    """Return roots of the diagonal of M (..., nv), to compare motions of several
    units.
    """
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    return np.where(diagonal > 0, np.sqrt(np.abs(diagonal)), 1)


def require_symmetric(M: Array) -> None:
    """Refuse matrices M (..., nv, nv) that differ from their transposes by more than
    rounding.
    """
    differ = np.abs(M - M.mT).max(initial=0)
    if differ > 1e-8 * np.abs(M).max(initial=0):
        raise ValueError(f"M is not symmetric: it differs from its transpose by up to {differ:.3g}")


def require_positive_on(reduced: Array, free: Array) -> None:
    """Refuse an M that is singular on the motions that K allows; reduced : (..., nv,
    nv); free : (...), count.
    """
    n = reduced.shape[-1]
    smallest = np.linalg.eigvalsh(reduced).min(-1, initial=np.inf)
    if (smallest <= 10 * n * np.finfo(float).eps).any() and np.any(free):
        raise ValueError(
            "M is not positive on the motions that K allows: there is a motion that no row forbids and "
            "that feels no inertia"
        )


@checked()
def solve_kkt(M: Array, K: Array, right: Array, k: Array, *, tolerance: float = 0) -> Held:
    """Return x (..., nv) and multipliers (..., m) with M x = right + K^T multipliers
    and K x = k, for any rank of K.

    M : (..., nv, nv), symmetric and positive on the motions that K (..., m, nv) allows;
    it need not be regular.
    right : (..., nv); k : (..., m). x and K^T multipliers are unique. If rows depend on
    each other the multipliers are not, and the smallest are given, for rows of length
    one; a contradictory k is met as nearly as possible. tolerance : the relative error
    at which rows still count as dependent, beside rounding. The result has the `rank`
    too. With numbers other than floats M must be regular; rows of symbols and exact
    numbers must be independent too, except for rows of zeros. ValueError if shapes do
    not fit, if M is not symmetric, or is singular on a motion that K allows. "Notes on
    rigid body dynamics", constraints, with the sign of the multipliers restored; by a
    basis of the null space of K.
    """
    M = check_matrix(M, "M", (None, None))
    n = M.shape[-2]
    require_shape(M, "M", (n, n))
    K, right, k = check_matrix(K, "K", (None, n)), as_array(right, "right"), as_array(k, "k")
    require_shape(right, "right", (n,), f": M is {n} x {n}")
    require_shape(k, "k", K.shape[-2:-1], f": K has {K.shape[-2]} rows")
    require_finite(right, "right")
    require_finite(k, "k")
    require_same_batch({"M": (M, 2), "K": (K, 2), "right": (right, 1), "k": (k, 1)})
    share = check_array(tolerance, "tolerance", ())
    require_between(share, "tolerance", 0, 1)
    right, k = right[..., None], k[..., None]
    if not are_floats(M, K, right, k):
        combine = solvable_combinations(K, M.diagonal(axis1=-2, axis2=-1), share, M)
        rows = combine.mT @ K
        x = solved(M, concatenate([right, rows.mT], axis=-1), SINGULAR)
        found = multipliers_of(rows @ x[..., 1:], combine.mT @ k - rows @ x[..., :1], combine)
        x = x[..., :1] + x[..., 1:] @ found
        rank = (combine != 0).any(-2).sum(-1) + zeros(x.shape[:-2])
        return Held(x[..., 0], (combine @ found)[..., 0], rank[()])
    require_symmetric(M)
    size = size_of_motions(M)
    combine, rank = independent_combinations(K, size, share)
    rows = combine.mT @ K / size[..., None, :]  # independent ones, and zeros below
    U, sizes, Vh = np.linalg.svd(rows)
    p = rows.shape[-2]
    held = np.arange(n) < rank[..., None]  # the motions in Vh that the rows constrain
    inverse = np.where(held[..., :p], 1 / np.where(held[..., :p], sizes, 1), 0)[..., None]
    taken = Vh[..., :p, :].mT @ (inverse * (U.mT @ (combine.mT @ k)))
    scaled = M / (size[..., :, None] * size[..., None, :])
    pushed = right / size[..., None]
    free = (~held)[..., None] * Vh
    reduced = free @ scaled @ free.mT + held[..., None] * eye(n)
    require_positive_on(reduced, n - rank)
    x = taken + free.mT @ np.linalg.solve(reduced, free @ (pushed - scaled @ taken))
    multipliers = combine @ (U @ (inverse * (Vh[..., :p, :] @ (scaled @ x - pushed))))
    x = (x / size[..., None])[..., 0]
    return Held(x, multipliers[..., 0], np.broadcast_to(rank, x.shape[:-1])[()])


# Chapter 13, "Loops and redundancy": Assembling a mechanism
def plain_coordinates(chain: Chain) -> Array:
    """Return for each velocity (nv,) the index of the coordinate whose rate it is; -1
    for balls and free bodies.
    """
    found = np.full(chain.nv, -1)
    for joint, own, rates in zip(chain.joints, chain.q_columns, chain.v_columns, strict=True):
        if type(joint).rate is Joint.rate:
            found[rates] = np.arange(own.start, own.stop)
    return found


def pushed_back(step: Array, C: Array, down: Array, up: Array) -> Array:
    """Return the step (n,) after the least forces of limits, which push joints back and
    never pull.

    C : (n, n), steps by unit forces; down, up : (n,), bounds of the step. Where no
    forces achieve them, each joint stops at its limit. Lawson and Hanson (1974),
    chapter 23.
    """
    from scipy.optimize import nnls

    sizes, V = np.linalg.eigh(C)
    F = V * np.sqrt(np.maximum(sizes, 0))
    rows, short = np.concatenate([F, -F]), np.concatenate([down - step, step - up])
    limited = np.isfinite(short)
    E = np.vstack([rows[limited].T, short[limited]])
    goal = np.eye(len(E))[-1]
    left = goal - E @ nnls(E, goal)[0]
    if left[-1] > 1e-12:
        step = step - F @ (left[:-1] / left[-1])
    return np.clip(step, down, up)


@dataclass(frozen=True, eq=False)
class Assembly:
    """A search for a posture that closes loops, from one start, within the limits of
    the joints.

    M : (nv, nv), the metric in which steps are short; moved : (nv,) booleans, which
    velocities may change.
    """

    chain: Chain
    constraints: Any
    M: Array
    moved: Array

    def gap(self, q: Array) -> float:
        """Return the norm of all errors of a posture."""
        return float(np.linalg.norm(constraint_error(self.chain, self.constraints, q)))

    def after(self, q: Array, step: Array) -> Array:
        """Return the posture (nq,) after a step (nv,)."""
        return np.clip(
            integrate(self.chain, q, step), self.chain.lower_limit, self.chain.upper_limit
        )

    def room(self, q: Array) -> tuple[Array, Array]:
        """Return the distances (nv,) and (nv,) of each joint from its lower and upper
        limit, by velocity.
        """
        place = plain_coordinates(self.chain)
        down, up = self.chain.lower_limit - q, self.chain.upper_limit - q
        return np.where(place < 0, -np.inf, down[place]), np.where(place < 0, np.inf, up[place])

    def step(self, q: Array, towards: Array, tolerance: float) -> Array:
        """Return the step (nv,) nearest to `towards` that closes the gap to first order
        and keeps the limits.

        tolerance : as for `solve_kkt`.
        """
        chain, moved, m = self.chain, self.moved, int(self.moved.sum())
        K = constraint_jacobian(chain, self.constraints, q)[:, moved]
        M, error = self.M[np.ix_(moved, moved)], constraint_error(chain, self.constraints, q)
        forces = np.concatenate([(M @ towards[moved])[None], np.eye(m)])
        wanted = np.concatenate([-error[None], np.zeros((m, len(K)))])
        step, *answers = solve_kkt(M, K, forces, wanted, tolerance=tolerance).x
        down, up = (way[moved] for way in self.room(q))
        if ((step < down) | (step > up)).any():
            step = pushed_back(step, np.array(answers), down, up)
        return interleave(moved, step, np.zeros(chain.nv - m))

    def closed(self, q: Array) -> tuple[Array, float]:
        """Return the posture (nq,) after Newton's steps, none of which opens the gap,
        and the remaining gap.
        """
        gap, still = self.gap(q), np.zeros(self.chain.nv)
        for _ in range(60):
            if gap <= 1e-14:
                break
            # far away, a direction in which the gap hardly changes would need a step of
            # many turns
            step = self.step(q, still, 1e-3 if gap > 1e-3 else 1e-8)
            step = step / max(1.0, 2 * np.abs(step).max(initial=0))
            for share in 0.5 ** np.arange(12):
                ahead = self.after(q, share * step)
                if self.gap(ahead) < gap:
                    break
            else:
                break
            q, gap = ahead, self.gap(ahead)
        return q, gap

    def drawn_near(self, q: Array, start: Array) -> Array:
        """Return the closed posture (nq,) nearest to `start`, from one that is closed,
        by steps along the loops.
        """

        def far(q: Array) -> float:
            away = difference(self.chain, start, q)
            return float(away @ self.M @ away)

        for _ in range(50):
            step = self.step(q, difference(self.chain, q, start), 1e-8)
            if np.abs(step).max(initial=0) <= 1e-10:
                return q
            for share in 0.5 ** np.arange(8):
                ahead, gap = self.closed(self.after(q, share * step))
                if gap <= 1e-10 and far(ahead) < far(q) * (1 - 1e-10):
                    break
            else:
                return q
            q = ahead
        return q


def within_reach(chain: Chain, q: Array, moved: Array) -> Array:
    """Return a posture (nq,) with every joint beyond its limits moved to them.

    moved : (nv,) booleans. ValueError if one that may not move is beyond.
    """
    near = np.clip(q, chain.lower_limit, chain.upper_limit)
    place = plain_coordinates(chain)
    for j in np.flatnonzero(~moved & (place >= 0) & (near != q)[place]):
        own = place[j]
        raise ValueError(
            f"held[{j}] keeps the joint of link {chain.names[chain.link_of_column[j]]!r} at {q[own]:.6g}, but its "
            f"limits are {chain.lower_limit[own]:.6g} and {chain.upper_limit[own]:.6g}"
        )
    return near


@checked(q="nq")
def assemble(chain: Chain, constraints: Any, q: Array, *, held: Any = None) -> Array:
    """Return the posture (..., nq) nearest to q that closes the loops, with every joint
    within its `Limits`.

    constraints : as for `constraint_jacobian`; q : (..., nq) floats; held : (nv,)
    booleans, true for velocities that stay zero throughout, so that their joints do not
    move. Newton's steps close the loops, and steps along them approach q as far as
    possible, in the metric of the mass matrix at q: a local search. If a loop can be
    assembled in two ways, it finds the nearer one. If it gets stuck, it starts again
    from five postures near q, always the same. With a closure of a hand onto the ground
    it is inverse kinematics. ValueError with the remaining gap if the loops cannot be
    closed from here, or if a held joint is beyond its limits.
    """
    constraints, start = as_constraints(constraints), as_real(q, "q")
    moved = ~(np.zeros(chain.nv, bool) if held is None else check_mask(held, "held", chain.nv))
    limited = np.isfinite([chain.lower_limit, chain.upper_limit]).any()
    answers = []
    for one in start.reshape(-1, chain.nq):
        rng, least = np.random.default_rng(0), np.inf
        search, begin = (
            Assembly(chain, constraints, crba(chain, one), moved),
            within_reach(chain, one, moved),
        )
        for attempt in range(6):
            jolt = 0.2 * attempt * rng.normal(size=chain.nv) * moved
            closed, gap = search.closed(search.after(begin, jolt))
            least = min(least, gap)
            if gap <= 1e-10:
                break
        else:
            raise ValueError(
                f"the loops cannot be closed from here{' within the limits' if limited else ''}: the nearest that was "
                f"found leaves a gap of {least:.3g}; another start, fewer joints held or other lengths may do"
            )
        answers.append(search.drawn_near(closed, one))
    return np.array(answers).reshape(start.shape)


# Chapter 13, "Loops and redundancy": The code: two sweeps and a small system
def whitened(factors: FactorisedChain, forces: Array) -> tuple[Array, list[Array]]:
    """Return A (..., nv, m) with A^T A = F^T M^-1 F for joint forces F (..., nv, m),
    and the roots of each joint's D.

    M is L D L^T by the sweeps: the remaining force at each joint, divided by the root
    of D.
    """
    left, _ = factors.inward_forces(forces)
    roots = [np.linalg.cholesky(own.D) for own in factors.links]
    parts = [np.linalg.solve(root, y) for root, y in zip(roots, left, strict=True)]
    return np.concatenate(np_broadcast(parts), axis=-2), roots


def np_broadcast(parts: list[Array]) -> list[Array]:
    """Return arrays of several heights with the same batch axes."""
    batch = np.broadcast_shapes(*[x.shape[:-2] for x in parts])
    return [np.broadcast_to(x, batch + x.shape[-2:]) for x in parts]


def held_response(
    factors: FactorisedChain, K: Array, wanted: Array, loose: Array | float = 0
) -> tuple[Array, Array]:
    """Return multipliers (..., m, 1) and their accelerations M^-1 K^T multipliers (...,
    nv, 1).

    K times these is `wanted` (..., m, 1). K : (..., m, nv) of the velocities that are
    free in the factors. One inward sweep for every row, one outward sweep for all of
    them together. loose : as for `independent_combinations`.
    """
    if not are_floats(K, wanted, *(own.D for own in factors.links)):
        felt = [own.D.diagonal(axis1=-2, axis2=-1) for own in factors.links]
        combine = solvable_combinations(K, concatenate(felt, axis=-1), loose, *felt)
        C = factors.delassus(combine.mT @ K)
        multipliers = combine @ multipliers_of(C, combine.mT @ wanted, combine)
        return multipliers, factors.solve(K.mT @ multipliers)
    A, roots = whitened(factors, K.mT)
    diagonals = [np.diagonal(own.D, axis1=-2, axis2=-1)[..., None] for own in factors.links]
    size = np.sqrt(np.concatenate(np_broadcast(diagonals), axis=-2))[..., 0]
    combine, rank = independent_combinations(K, size, loose)
    U, sizes, Vh = np.linalg.svd(A @ combine, full_matrices=False)
    kept = np.arange(sizes.shape[-1]) < rank[..., None]
    inverse = np.where(kept, 1 / np.where(kept, sizes, 1), 0)[..., None]
    shares = inverse * (Vh @ (combine.mT @ wanted))
    z = U @ shares
    left = [
        root @ z[..., own.start : own.stop, :]
        for root, own in zip(roots, factors.rows, strict=True)
    ]
    return combine @ (Vh.mT @ (inverse * shares)), factors.outward_motions(left)[1]


# Chapter 13, "Loops and redundancy": The code: two sweeps and a small system
def check_stabilisation(stabilisation: Any) -> tuple[Any, Any] | None:
    """Return the gains (kp, kd), not negative, or None; ValueError for anything
    else.
    """
    if stabilisation is None:
        return None
    try:
        kp, kd = (
            without_precision(g, check_array(g, "stabilisation", ())[()]) for g in stabilisation
        )
        right = float(kp) >= 0 and float(kd) >= 0
    except (TypeError, ValueError):
        right = False
    if not right:
        raise ValueError(
            f"stabilisation is {stabilisation!r}, but must be None or two gains (kp, kd), not negative; "
            "(g**2, 2 * g) is critical damping"
        )
    return kp, kd


def gap_share(K: Array, error: Array) -> Array:
    """Return the relative error of rows (..., m, nv) in loops with gaps (..., m), from
    the joint motion of the gaps.

    Zero where the numbers are not known.
    """
    known, gaps = in_double(K), in_double(error)
    if known is None or gaps is None:
        return np.zeros(())
    largest, error = np.abs(known.real).max(-1, initial=0), gaps.real
    counts = largest > 1e-10 * largest.max(-1, initial=0, keepdims=True)
    moved = np.where(counts, np.abs(error) / np.where(counts, largest, 1), 0).max(-1, initial=0)
    return np.minimum(10 * moved, 1e-4)


def broken_row(K: Array, x: Array, wanted: Array, share: float) -> tuple[float, int] | None:
    """Return the error of K x (..., m, 1) against `wanted` and its row, or None if it
    is within a share.

    K : (..., m, nv); x : (..., nv, 1). The share is of the largest possible product of
    entries, plus a small constant.
    """
    missed = np.abs(K @ x - wanted)[..., 0]
    size = np.abs(K).max((-2, -1), initial=0) * np.abs(x).max((-2, -1), initial=0)
    size = size + np.abs(wanted).max((-2, -1), initial=0)
    wrong = np.argwhere(missed > 1e-9 + share * size[..., None])
    if not len(wrong):
        return None
    row = tuple(wrong[0])
    return float(missed[row]), int(row[-1])


def warn_if_inconsistent(K: Array, qd: Array) -> None:
    """Warn if velocities (..., nv) break the constraints by more than a thousandth of
    what they could.
    """
    if broken := broken_row(K, qd[..., None], np.zeros((1, 1)), 1e-3):
        warnings.warn(
            "the velocities break the constraints: K qd is {:.3g} in row {}, but should be zero; the gap opens at "
            "this rate".format(*broken),
            RuntimeWarning,
            stacklevel=5,
        )


def firm_parts(state: State, constraints: Any, share: float, *names: str) -> list[Array]:
    """Return K (..., m, nv), the relative error of its rows (...), the loops' errors
    (..., m), and other parts.

    share : where near a singular posture less than that is left of a row, it counts as
    zero.
    """
    names = ("jacobian", "error", *names, *(["row_bounds"] if share else []))
    K, error, *more = parts_in(state, constraints, *names)
    loose = gap_share(K, error)
    if share:
        bounds = more.pop()
        rows = bounds.max(-1, initial=0, keepdims=True)  # radians and metres have no common size
        units = (bounds / np.where(rows > 0, rows, 1)).max(-2, initial=0, keepdims=True)
        units = np.where(units > 0, units, 1)
        left, largest = ((x / units).max(-1, initial=0, keepdims=True) for x in (np.abs(K), bounds))
        K, loose = K * (left > share * largest), np.maximum(loose, share)
    return [K, loose, error, *more]


def wanted_in(
    state: State, constraints: Any, gains: tuple[Any, Any] | None, share: float = 0
) -> tuple[Array, Array, Array | float]:
    """Return K (..., m, nv), the value of K qdd (..., m, 1), and the relative error of
    the rows (...).
    """
    K, loose, error, bias = firm_parts(state, constraints, share, "bias")
    k, qd = -bias[..., None], state.qd[..., None]
    if gains is not None:
        k = k - gains[1] * (K @ qd) - gains[0] * error[..., None]
    if gains is None and are_floats(K, k, qd):
        warn_if_inconsistent(K, state.qd)
    return K, k, loose


# Chapter 13, "Loops and redundancy": The code: two sweeps and a small system
@checked(q="nq", qd="nv", tau="nv", external=("n", 6), external_frame=FRAMES)
def constrained_forward_dynamics(
    chain: Chain,
    constraints: Any,
    q: Array,
    qd: Array,
    tau: Array,
    *,
    external: Array | None = None,
    external_frame: str = "body",
    stabilisation: Any = None,
    tolerance: float = 0,
) -> tuple[Array, Array]:
    """Return accelerations qdd (..., nv) and multipliers (..., m) of a chain or tree
    whose loops are closed.

    constraints : one or several, as for `constraint_jacobian`; q, qd, tau, external and
    external_frame as for `aba`. M qdd + h = tau + K^T multipliers + the forces from
    outside, and K qdd = -dK/dt qd. stabilisation : gains (kp, kd); then K qdd = -dK/dt
    qd - kd K qd - kp error. Rows may depend on each other: qdd and K^T multipliers do
    not change, and the multipliers are the smallest for rows of length one. Those of
    symbols and exact numbers must be independent, except for rows of zeros. tolerance :
    a row, or a combination of rows, of which a posture leaves no more than this share,
    counts as dependent. In O(n) for each row, plus the cost of rows alone.
    RuntimeWarning, with the size, if qd breaks the constraints and there is no
    stabilisation. ValueError as from `constraint_jacobian` and `aba`. Kim (2012),
    section 3.2, reconstructed here.
    """
    gains, constraints = check_stabilisation(stabilisation), as_constraints(constraints)
    require_between(check_array(tolerance, "tolerance", ()), "tolerance", 0, 1)
    state = evaluate(chain, q, qd, tau, external)
    factors = factorise_state(state)
    loads = net_bias(state, external, external_frame) + factors.inertias @ state.eta
    left, _ = factors.inward_forces(tau[..., None], loads)
    _, free = factors.outward_motions(left, state.eta, ground_acceleration(chain))
    K, wanted, loose = wanted_in(state, constraints, gains, tolerance)
    multipliers, more = held_response(factors, K, wanted - K @ free, loose)
    return (free + more)[..., 0], multipliers[..., 0]


# Chapter 13, "Loops and redundancy": The code: two sweeps and a small system
def projected(
    chain: Chain, constraints: Any, q: Array, qd: Array, share: float = 0
) -> tuple[Array, Array]:
    """Return the state near q (..., nq), qd (..., nv) that keeps the constraints, by
    least steps in the metric M.

    share : as for `firm_parts`.
    """
    constraints = as_constraints(constraints)
    for _ in range(3):
        state = State(chain, q)
        K, loose, error = firm_parts(state, constraints, share)
        _, step = held_response(factorise_state(state), K, -error[..., None], loose)
        q = integrate(chain, q, step[..., 0])
    state = State(chain, q)
    K, loose, _ = firm_parts(state, constraints, share)
    _, change = held_response(factorise_state(state), K, -(K @ qd[..., None]), loose)
    return q, qd + change[..., 0]


# Chapter 13, "Loops and redundancy": Inverse dynamics of a loop
def least_multipliers(K: Array, right: Array, weights: Array | None) -> Array:
    """Return the multipliers (..., m, 1) of least weighted square with K^T multipliers
    = right; K : (..., m, p).

    The columns of K are independent; weights : (m,), None is ones.
    """
    roots = None if weights is None else sqrt(weights)[:, None]
    B = K if roots is None else divide(K, roots)
    if are_floats(B, right):
        Q, R = np.linalg.qr(B)
        x = Q @ np.linalg.solve(R.mT, right)
    else:
        x = B @ solve(B.mT @ B, right)
    return x if roots is None else divide(x, roots)


def least_motors(
    K: Array, K_a: Array, needed: Array, first: Array, weights: Array, count: Array
) -> Array:
    """Return multipliers (..., m, 1) with the least weighted square of the motors'
    needed - K_a^T multipliers.

    K : (..., m, p), of the passive joints, K_a : (..., m, n_a) of the motors; first :
    (..., m, 1) balances the passive ones, and so does the result. count : (...), the
    number of further combinations that act on the motors.
    """
    Q = np.linalg.qr(K, mode="complete")[0][..., K.shape[-1] :]  # no passive joint feels it
    roots = np.sqrt(weights)[..., None]
    felt = roots * (K_a.mT @ Q)
    U, sizes, Vh = np.linalg.svd(felt, full_matrices=False)
    kept = np.arange(sizes.shape[-1]) < count[..., None]
    inverse = np.where(kept, 1 / np.where(kept, sizes, 1), 0)[..., None]
    left = roots * (needed - K_a.mT @ first)
    return first + Q @ (Vh.mT @ (inverse * (U.mT @ left)))


def require_motors(K: Array, passive: Array, size: Array, objective: str) -> Array:
    """Return the number of free combinations of multipliers (...); ValueError if motors
    are missing or not unique.
    """
    K_p, needed = K[..., passive], int(passive.sum())
    _, rank = independent_combinations(K, size)
    _, held = independent_combinations(K_p, size[..., passive]) if needed else (None, 0 * rank)
    missing = int((needed - held).max(initial=0))
    if missing:
        freedoms = int((passive.size - rank).min(initial=passive.size))
        raise ValueError(
            f"too few motors: the loops can balance {needed - missing} of the {needed} passive joint forces in this "
            f"posture, so at least {missing} more must be actuated (of {passive.size} velocities {freedoms} are free)"
        )
    choices = rank - held
    if objective == "unique" and (choices > 0).any():
        raise ValueError(
            f"the motors' forces are not unique: {int(choices.max())} of them can be chosen at will; objective "
            '"min_force" or "min_torque" chooses'
        )
    return choices


def warn_if_impossible(K: Array, qdd: Array, wanted: Array) -> None:
    """Warn if accelerations (..., nv, 1) break the constraints, as
    `warn_if_inconsistent` does for velocities.
    """
    if broken := broken_row(K, qdd, wanted, 1e-3):
        warnings.warn(
            "the accelerations break the constraints: K qdd misses its value by {:.3g} in row {}; no forces of "
            "motors bring this motion about".format(*broken),
            RuntimeWarning,
            stacklevel=4,
        )


@checked(q="nq", qd="nv", qdd="nv", objective={"unique", "min_force", "min_torque"})
def constrained_inverse_dynamics(
    chain: Chain,
    constraints: Any,
    q: Array,
    qd: Array,
    qdd: Array,
    *,
    actuated: Array,
    tau_passive: Array = 0,
    objective: str = "unique",
    weights: Any = None,
) -> tuple[Array, Array]:
    """Return joint forces tau (..., nv) and multipliers (..., m) for a prescribed
    motion of a chain with loops.

    q, qd, qdd : a motion that keeps the constraints. actuated : (nv,) booleans, true
    where there is a motor.
    tau_passive : a number or (..., n_p), the forces in the other joints, zero by
    default. objective : "unique", if there is only one solution; "min_force", the one
    with the least sum of weights times squares of multipliers; "min_torque", the same
    for the motors' forces. weights : (m,) or (n_a,), ones if None: for several units, N
    and N m, choose weights that make the squares comparable, such as 1/kg and 1/(kg
    m^2). ValueError gives the number of missing motors, or if the solution is not
    unique; RuntimeWarning, with the size, if qd or qdd break the constraints. With
    symbols and numbers other than floats none of this is checked, rows must be
    independent, and there is no "min_torque". Kim (2012), (54)-(66).
    """
    constraints, passive = as_constraints(constraints), ~check_mask(actuated, "actuated", chain.nv)
    K, wanted, _ = wanted_in(State(chain, q, qd), constraints, None)
    required = rnea(chain, q, qd, qdd)
    m, count = K.shape[-2], int(passive.sum())
    own_forces = as_array(tau_passive, "tau_passive")
    if own_forces.shape != ():
        require_shape(own_forces, "tau_passive", (count,), f": {count} velocities have no motor")
    require_finite(own_forces, "tau_passive")
    tau_passive = without_precision(tau_passive, own_forces)
    if weights is not None:
        weights = check_array(
            weights, "weights", (chain.nv - count if objective == "min_torque" else m,)
        )
        require_positive(weights, "weights")
    K_p, missed = K[..., passive], (required[..., passive] - tau_passive)[..., None]
    if are_floats(K, missed):
        warn_if_impossible(K, qdd[..., None], wanted)
        choices = require_motors(K, passive, size_of_motions(crba(chain, q)), objective)
        forces = None if objective == "min_torque" else weights
        multipliers = least_multipliers(K_p, missed, forces)
        if objective == "min_torque":
            own = np.ones(chain.nv - count) if weights is None else weights
            K_a, needed = K[..., ~passive], required[..., ~passive][..., None]
            multipliers = least_motors(K_p, K_a, needed, multipliers, own, choices)
    elif objective == "min_torque":
        raise ValueError('objective "min_torque" takes floats')
    else:
        multipliers = least_multipliers(K_p, missed, weights)
    tau = required - (K.mT @ multipliers)[..., 0]
    # for the passive ones the prescribed values, without rounding
    given = tau_passive + 0 * missed[..., 0]
    return interleave(passive, given, tau[..., ~passive]), multipliers[..., 0]


# Chapter 13, "Loops and redundancy": Some joints prescribed, others free
def require_kept(K: Array, qdd: Array, wanted: Array) -> None:
    """Refuse accelerations that break the constraints: the prescribed ones contradict
    them.
    """
    if are_floats(K, qdd, wanted) and (broken := broken_row(K, qdd, wanted, 1e-6)):
        raise ValueError(
            "the prescribed accelerations break the constraints: K qdd misses its value by {:.3g} in row {}, "
            "whatever the other joints do; prescribe fewer".format(*broken)
        )


@checked(q="nq", qd="nv")
def constrained_hybrid_dynamics(
    chain: Chain,
    constraints: Any,
    q: Array,
    qd: Array,
    *,
    prescribed: Array,
    qdd: Array,
    tau: Array,
) -> tuple[Array, Array, Array]:
    """Return all accelerations (..., nv), joint forces (..., nv) and multipliers (...,
    m), when some of each are given.

    constraints : as for `constraint_jacobian`; q, qd, prescribed, qdd and tau as for
    `hybrid_dynamics`. In O(n) for each row. Rows may depend on each other, as in
    `constrained_forward_dynamics`: if a row involves prescribed joints only, forces and
    multipliers are not unique, and the smallest multipliers for rows of length one are
    given. ValueError if the prescribed accelerations break the constraints. Kim (2012),
    section 3.3, reconstructed here.
    """
    u, qdd, tau = check_hybrid(chain, prescribed, qdd, tau, q, qd)
    constraints = as_constraints(constraints)
    state = evaluate(chain, q, qd, qdd, tau)
    factors = factorise_state(state, u)
    K, wanted, loose = wanted_in(state, constraints, None)
    free, _ = hybrid_dynamics(chain, q, qd, prescribed=u, qdd=qdd, tau=tau)
    multipliers, more = held_response(factors, K[..., ~u], wanted - K @ free[..., None], loose)
    forces = (K.mT @ multipliers)[..., 0]
    _, needed = hybrid_dynamics(chain, q, qd, prescribed=u, qdd=qdd, tau=tau + forces[..., ~u])
    answer = interleave(u, qdd, free[..., ~u] + more[..., 0])
    require_kept(K, answer[..., None], wanted)
    return answer, interleave(u, (needed - forces)[..., u], tau), multipliers[..., 0]


# Chapter 13, "Loops and redundancy": Rods, gears, and what cannot be integrated
def point_place(state: State, body: int, point: Array) -> Array:
    """Return the position of a point (3,) of a body in the world (..., 3); body : -1 is
    the ground.
    """
    if body < 0:
        return point
    R, p = state.poses
    return p[..., body, :] + (R[..., body, :, :] @ point[:, None])[..., 0]


def point_motion(state: State, body: int, point: Array) -> tuple[Array, Array]:
    """Return twist and acceleration (..., 6) of a body about a point of it, in world
    axes, while qdd = 0.

    The linear part of each is that of the particle: its velocity, and the rate of it.
    """
    if body < 0:
        return zeros((6,)), zeros((6,))
    R, _ = state.poses
    there = X_motion(R[..., body, :, :], 0 * point) @ X_motion(eye(3), point)
    V, A = (
        there @ state.twists[..., body, :, :],
        there @ state.bias_accelerations[..., body, :, :],
    )
    return V[..., 0], (A + turned_on(V))[..., 0]


def turned_on(V: Array) -> Array:
    """Return [0; w x v] (..., 6, 1) of a twist (..., 6, 1): to add to a spatial
    acceleration for the particle's.
    """
    w = concatenate([V[..., :3, 0], 0 * V[..., 3:, 0]], axis=-1)
    return crm(w) @ concatenate([0 * V[..., :3, :], V[..., 3:, :]], axis=-2)


@dataclass(frozen=True, eq=False)
class Distance(BodyConstraint):
    """A rod without mass, with a ball at each end: it keeps two points of two bodies at
    one distance.

    link : index or name; onto : the other, "ground" by default. offset (3,) [m] is the
    point in the link, onto_offset that in the other; length [m]. The error is (d.d -
    length^2) / (2 length) for d from the other's point to the link's: the multiplier is
    the force in the rod [N], positive if it pushes. ValueError as for a `Closure`, and
    if the length is not positive.
    """

    link: int | str
    onto: int | str = "ground"
    _: KW_ONLY
    length: Any
    offset: Any = (0, 0, 0)
    onto_offset: Any = (0, 0, 0)

    def __post_init__(self) -> None:
        label = f"Distance of {self.link!r} from {self.onto!r}"
        check_positive_number(self.length, f"{label}: length")
        object.__setattr__(self, "length", frozen(self.length))
        for part in ("offset", "onto_offset"):
            value = check_array(getattr(self, part), f"{label}: {part}", (3,))
            object.__setattr__(self, part, read_only(value))

    def bodies(self, chain: Chain) -> tuple[int, int]:
        """Return the indices of the link and of the body it is held to, -1 for the
        ground.
        """
        return bodies_of("Distance", chain, self.link, self.onto)

    def ends(self, chain: Chain) -> list[tuple[int, Array]]:
        """Return the body and the point of it at the onto end and at the link's."""
        link, onto = self.bodies(chain)
        return [(onto, self.onto_offset), (link, self.offset)]

    def error_in(self, state: State) -> Array:
        """Return the `error` of a chain in an evaluated state."""
        start, end = (point_place(state, *place) for place in self.ends(state.chain))
        d = end - start
        square = (d * d).sum(-1, keepdims=True) - self.length * self.length
        return divide(square, 2 * np.asarray(self.length))

    def seen_rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return a frame at the rod's end in the link, in world axes, and the rod's
        direction as a row (..., 1, 6).
        """
        start, end = (point_place(state, *place) for place in self.ends(state.chain))
        along = divide(end - start, np.asarray(self.length))[..., None, :]
        return eye(3), end, concatenate([0 * along, along], axis=-1)

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        places = self.ends(state.chain)
        start, end = (point_place(state, *place) for place in places)
        (V, A), (V_end, A_end) = (point_motion(state, *place) for place in places)
        v, a = (V_end - V)[..., 3:], (A_end - A)[..., 3:]
        return divide((v * v + (end - start) * a).sum(-1, keepdims=True), np.asarray(self.length))


# Chapter 13, "Loops and redundancy": Rods, gears, and what cannot be integrated
@dataclass(frozen=True, eq=False)
class Coupling(Constraint):
    """A gear, a belt or a screw between joints: the sum of rate factors times joint
    rates is zero.

    factors : for each joint concerned, by index or name of its link, one number, or as
    many as the joint has rates.
    total : the value of the same sum of coordinates, if it exists, for joints whose
    coordinates' rates are their velocities; the error is the difference from it. With a
    ball, a planar or a free joint it is None. The multiplier acts along the joints,
    times the factors, as motors would. ValueError names the entry that does not fit a
    chain.
    """

    factors: Mapping[int | str, Any]
    _: KW_ONLY
    total: Any = 0

    def __post_init__(self) -> None:
        if not isinstance(self.factors, Mapping) or not self.factors:
            raise ValueError(
                f"factors of a Coupling are {self.factors!r}, but must be a dict such as {{'wheel': 3, 'pinion': 1}}"
            )
        check_array(self.total, "total of a Coupling", ())
        object.__setattr__(self, "total", frozen(self.total))
        kept = {body: frozen(factor) for body, factor in self.factors.items()}
        object.__setattr__(self, "factors", kept)

    def row(self, chain: Chain) -> Array:
        """Return the factors as one row (nv,)."""
        parts: dict[int, Any] = {}
        for body, factor in self.factors.items():
            try:
                i = chain.index(body)
            except ValueError:
                raise ValueError(
                    f"a Coupling names link {body!r}: an index below {chain.n} or one of {list(chain.names)} would do"
                ) from None
            if i in parts:
                raise ValueError(
                    f"a Coupling names link {chain.names[i]!r} twice: once as {body!r}"
                )
            k = chain.joints[i].nv
            own = as_array(factor, f"factor of link {body!r}")
            if own.shape != (k,) and not (k == 1 and own.shape == ()):
                raise ValueError(
                    f"factor of link {body!r} has shape {own.shape}, but its joint has {k} rates"
                )
            require_finite(own, f"factor of link {body!r}")
            parts[i] = own.reshape((k,))
        for i, joint in enumerate(chain.joints):
            parts.setdefault(i, zeros((joint.nv,)))
        return np.concatenate([parts[i] for i in range(chain.n)])

    def error_in(self, state: State) -> Array | None:
        """Return the `error` of a chain in an evaluated state."""
        chain, row = state.chain, self.row(state.chain)
        own = np.flatnonzero(row)
        coordinates = plain_coordinates(chain)[own]
        if (coordinates < 0).any():
            return None
        return (row[own] * state.q[..., coordinates]).sum(-1, keepdims=True) - self.total

    def jacobian_in(self, state: State) -> Array:
        """Return the `jacobian` of a chain in an evaluated state."""
        return self.row(state.chain)[None] + zeros((*state.q.shape[:-1], 1, state.chain.nv))

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        return zeros((*np.broadcast_shapes(state.q.shape[:-1], state.qd.shape[:-1]), 1))


# Chapter 13, "Loops and redundancy": Rods, gears, and what cannot be integrated
@dataclass(frozen=True, eq=False)
class Rolling(BodyConstraint):
    """A ball or a thin disc that rolls on a plane of the ground, and neither slips nor
    lifts off: three rows.

    link : index or name; radius [m]. axis : (3,) of the disc, in link axes; None is a
    ball. offset : (3,) of the centre in the link [m]; normal : (3,) of the plane, in
    the world, upwards; height : of the plane along it [m]. The particle at the contact
    does not move along two directions in the plane, nor along the normal; multipliers
    are the friction forces and the normal force on the link [N]. The error is zero in
    the first two rows, which are not the derivative of any function of q, and in the
    third the height of the lowest point over the plane.
    """

    link: int | str
    radius: Any
    _: KW_ONLY
    axis: Any = None
    offset: Any = (0, 0, 0)
    normal: Any = (0, 0, 1)
    height: Any = 0

    def __post_init__(self) -> None:
        label = f"Rolling of {self.link!r}"
        check_positive_number(self.radius, f"{label}: radius")
        check_array(self.height, f"{label}: height", ())
        for part in ("radius", "height"):
            object.__setattr__(self, part, frozen(getattr(self, part)))
        object.__setattr__(
            self, "offset", read_only(check_array(self.offset, f"{label}: offset", (3,)))
        )
        for part in ("axis", "normal"):
            if getattr(self, part) is not None:
                value = check_array(getattr(self, part), f"{label}: {part}", (3,))
                object.__setattr__(self, part, unit(value, f"{label}: {part}"))

    def bodies(self, chain: Chain) -> tuple[int, int]:
        """Return the index of the link, and -1 for the ground."""
        return bodies_of("Rolling", chain, self.link, "ground")

    def centre(self, state: State) -> tuple[int, Array]:
        """Return the link's index and the centre in it."""
        return self.bodies(state.chain)[0], self.offset

    @property
    def directions(self) -> Array:
        """Two directions in the plane and its normal (3, 3), as rows."""
        return concatenate([across(self.normal).mT, self.normal[None]], axis=-2)

    def down(self, state: State) -> tuple[Array, Array, Array]:
        """Return the axis of the disc (..., 3), and the normal across it: direction
        (..., 3) and length (..., 1).

        For a ball, which has no axis, it is the whole normal.
        """
        if self.axis is None:
            return 0 * self.normal, self.normal, eye(1)[0]
        R, _ = state.poses
        u = (R[..., self.centre(state)[0], :, :] @ self.axis[:, None])[..., 0]
        s = self.normal - (u * self.normal).sum(-1, keepdims=True) * u
        size = sqrt((s * s).sum(-1, keepdims=True))
        return u, divide(s, size), size

    def error_in(self, state: State) -> Array:
        """Return the `error` of a chain in an evaluated state."""
        centre = point_place(state, *self.centre(state))
        _, _, size = self.down(state)
        lowest = (self.normal * centre).sum(-1, keepdims=True) - self.radius * size
        return concatenate([0 * lowest, 0 * lowest, lowest - self.height], axis=-1)

    def seen_rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return a frame at the contact, in world axes, and the rows (3, 6) of the
        velocity there.
        """
        contact = point_place(state, *self.centre(state)) - self.radius * self.down(state)[1]
        return eye(3), contact, concatenate([0 * self.directions, self.directions], axis=-1)

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        V, A = point_motion(state, *self.centre(state))
        u, along, size = self.down(state)
        du = (crm(V)[..., :3, :3] @ u[..., None])[..., 0]  # w x u
        leaning = (self.normal * u).sum(-1, keepdims=True)
        ds = -(self.normal * du).sum(-1, keepdims=True) * u - leaning * du
        dr = -self.radius * divide(ds - (along * ds).sum(-1, keepdims=True) * along, size)
        r = -self.radius * along
        moved = (X_motion(eye(3), r) @ A[..., None])[..., 3:, :]
        turned = crm(V)[..., :3, :3] @ dr[..., None]
        return (self.directions @ (moved + turned))[..., 0]
