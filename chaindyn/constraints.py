# Generated from chapters/14_loops_and_redundancy.md by `python -m book export`; edit it there.
# sha256 of the text below: bcf66b5d9c5e9fcce08dc7ae412801804c4287b82852f70b51192bbb989c8a36
"""Loops: constraints between the links of a tree, and the dynamics that keeps them.

Derived in chapter 14, "Loops".
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from chaindyn._ops import (
    Array,
    by_blocks,
    concatenate,
    divide,
    eye,
    positive,
    put,
    repeat,
    rows_from,
    solve,
    take,
    where,
    zeros,
)
from chaindyn.array_types import ArrayM, ArrayMxNv, ArrayNq, ArrayNv, ArrayNvxNv, ArrayNx6, Scalar
from chaindyn.articulated import FactorisedChain, factorise_state
from chaindyn.chain import Chain
from chaindyn.guards.arguments import FRAMES, FrameWord
from chaindyn.guards.constraint_parts import as_constraints, parts_in
from chaindyn.guards.door import checked
from chaindyn.guards.equations import SINGULAR, solved
from chaindyn.guards.fronts import in_fronts
from chaindyn.guards.loops import (
    Gains,
    are_floats,
    are_more,
    at_length_one,
    check_kkt,
    check_share,
    check_stabilisation,
    inverse_of,
    judged_rows,
    lengths_and_doubt,
    only_rounding,
    regular,
    rows_that_act,
    rows_times,
    size_of_motions,
    spread,
    warn_if_inconsistent,
)
from chaindyn.inverse_dynamics import ground_acceleration, net_bias
from chaindyn.state import State, evaluate

__all__ = ["Held", "constrained_forward_dynamics", "solve_kkt"]


# Chapter 14, "Loops": The null space
def independent_combinations(
    K: Array, size: Array, row_error: Array | float = 0
) -> tuple[Array, Array]:
    """Return independent combinations (..., m, p) of rows K (..., m, nv), and the rank.

    Column j times K is combination j; columns beyond the rank (...) are zero, p is the
    smaller of m and nv. size : (..., nv), the units of the columns. Rows are compared
    at length one; one below 1e-10 of the largest counts as zero. row_error : (...), the
    relative error of the rows: combinations smaller than that, or than rounding, count
    as zero.
    """
    rows, factors, rounding = at_length_one(K / size[..., None, :])
    U, sizes, _ = np.linalg.svd(rows, full_matrices=False)
    noise = np.maximum(rounding, np.asarray(row_error)[..., None])
    kept = sizes > noise * sizes[..., :1]
    return factors * U * kept[..., None, :], kept.sum(-1)


# Chapter 14, "Loops": The null space
def subspaces(rows: Array, rank: Array) -> tuple[Array, Array, Array, Array]:
    """Return U (..., p, p), 1 / sizes (..., p, 1), R^T (..., p, n) and N^T (..., n, n).

    rows : (..., p, n), of which as many as the rank (...) are independent, the others
    zero; R : the motions that they forbid; N : those that they allow, zeros first.
    """
    U, sizes, Vh = np.linalg.svd(rows)
    forbidden = np.arange(Vh.shape[-1]) < rank[..., None]
    R = Vh[..., : sizes.shape[-1], :]
    return U, inverse_of(sizes, rank), R, (~forbidden)[..., None] * Vh


# Chapter 14, "Loops": The null space
@dataclass(frozen=True, eq=False)
class Held:
    """Result of `solve_kkt`: x (..., nv), multipliers (..., m), rank of K (...).

    Unpacked it gives the first two.

    >>> K, k = np.array([[1, -1]]), np.zeros(1)
    >>> found = solve_kkt(2 * np.eye(2), K, np.array([4, 0]), k)
    >>> found.x.round(9), found.multipliers.round(9)
    (array([1., 1.]), array([-2.]))
    >>> int(found.rank)
    1
    """

    x: ArrayNv
    multipliers: ArrayM
    rank: Scalar

    def __iter__(self) -> Iterator[Array]:
        """Yield x and the multipliers, so that ``x, multipliers = solve_kkt(...)``."""
        yield self.x
        yield self.multipliers


# Chapter 14, "Loops": The null space
@checked()
def solve_kkt(
    M: ArrayNvxNv, K: ArrayMxNv, right: ArrayNv, k: ArrayM, *, tolerance: float = 0
) -> Held:
    """Return x and multipliers with M x = right + K^T multipliers and K x = k.

    x : (..., nv); multipliers : (..., m).
    M : (..., nv, nv), symmetric and positive on the motions that K (..., m, nv) allows;
    it need not be regular, and K may have any rank.
    right : (..., nv); k : (..., m). x and K^T multipliers are unique. If rows depend on
    each other the multipliers are not, and the smallest are given, for rows of length
    one; a contradictory k is met as nearly as possible. tolerance : the relative error
    at which rows still count as dependent, beside rounding. The result has the `rank`
    too. With numbers other than floats M must be regular. ValueError if shapes do
    not fit, if M is not symmetric, or is singular on a motion that K allows. "Notes on
    rigid body dynamics", constraints, with the sign of the multipliers restored; by a
    basis of the null space of K.

    >>> found = solve_kkt(np.eye(2), np.ones((1, 2)), np.array([1.0, 0]), np.zeros(1))
    >>> found.x.round(9)
    array([ 0.5, -0.5])
    """
    M, K, right, k, row_error = check_kkt(M, K, right, k, tolerance)
    if not are_floats(M, K, right, k):
        return kkt_by_elimination(M, K, right, k, row_error)
    size = size_of_motions(M)
    combine, rank = independent_combinations(K, size, row_error)
    M, right = M / (size[..., :, None] * size[..., None, :]), right / size[..., None]
    U, inverse, R, N = subspaces(combine.mT @ K / size[..., None, :], rank)
    first = R.mT @ (inverse * (U.mT @ (combine.mT @ k)))  # one that has K first = k
    reduced = regular(N @ M @ N.mT, rank)
    x = first + N.mT @ np.linalg.solve(reduced, N @ (right - M @ first))
    multipliers = combine @ (U @ (inverse * (R @ (M @ x - right))))
    x = (x / size[..., None])[..., 0]
    return Held(x, multipliers[..., 0], np.broadcast_to(rank, x.shape[:-1])[()])


# Chapter 14, "Loops": A small system whose rows may depend on each other*
def squared_up(rows: Array, times: Callable[[Array], Array], wanted: Array, doubt: Array) -> Any:
    """Return rows square to each other, what is wanted of them, inverse squares, mix.

    Arguments as for `shortest`, and so is mix. The inverse squares (..., m, 1) are zero
    for rows that add nothing.
    """
    m, batch = rows.shape[-2], wanted.shape[:-2]

    def step(k: Any, state: Any) -> Any:
        rows, wanted, doubt, part, inverses, mix = state
        own, right, error = take(rows, k), take(wanted, k), take(doubt, k)
        answer = times(own.mT)
        square = own @ answer
        counts = are_more(square, error)
        inverse = where(counts, divide(1, where(counts, square, 1)), 0)

        def less(row: Array, wanted: Array, left: Array, part: Array) -> Any:
            part = row @ answer * inverse
            left = left + part * part * error
            return row - part * own, wanted - part * right, left, part

        changed = rows_from(k + 1, less, rows, wanted, doubt, part)
        part = put(changed[-1], k, where(counts, 1, 0))
        inverses, mix = put(inverses, k, inverse), put(mix, m - 1 - k, part.mT)
        return *changed[:-1], put(part, k, 0 * inverse), inverses, mix

    start = [zeros((*batch, m, columns)) for columns in (1, 1, m)]
    rows, wanted, _, _, inverses, mix = repeat(m, step, (rows, wanted, doubt, *start))
    return rows, wanted, inverses, mix


# Chapter 14, "Loops": A small system whose rows may depend on each other*
@in_fronts
def shortest(
    rows: Array, times: Callable[[Array], Array], wanted: Array, doubt: Array
) -> tuple[Array, Array, Array]:
    """Return u (..., n, c), where x = times(u) is the shortest with rows x = wanted.

    rows : (..., m, n), of any rank; times : multiplies columns (..., n, c) by the E of
    the squares x^T E^-1 x; wanted : (..., m, c); doubt : (..., m, 1), the squares that
    rounding may leave of rows. Also the shares (..., m, c), zero for rows that add
    nothing, and mix (..., m, m): column j says of what row j is made, of the last row
    first, with a one for itself; where a row adds nothing the others lack it.
    """
    (m, n), c = rows.shape[-2:], wanted.shape[-1]
    rows, wanted, inverses, mix = squared_up(rows, times, wanted, doubt)

    def add(k: Any, state: Any) -> Any:
        (u, shares), row = state, m - 1 - k
        own, right = take(rows, row), take(wanted, row)
        share = take(inverses, row) * (right - only_rounding(own @ times(u)))
        return u + own.mT * share, put(shares, row, share)

    start = [zeros((*wanted.shape[:-2], size, c)) for size in (n, m)]
    return *repeat(m, add, tuple(start)), mix


# Chapter 14, "Loops": A small system whose rows may depend on each other*
def smallest_multipliers(mix: Array, shares: Array, squares: Array) -> Array:
    """Return multipliers (..., m, c) with L^T multipliers = shares, the shortest.

    mix, shares : as from `shortest`, which has the rows of L^T from the last to the
    first; squares : (..., m, 1), the squared lengths of the rows, by which the
    multipliers are compared.
    """
    scale = divide(1, squares)
    shares = shares[..., ::-1, :]
    return scale * shortest(mix, lambda x: scale * x, shares, 0 * squares)[0]


# Chapter 14, "Loops": The code
def held_response(
    factors: FactorisedChain, K: Array, wanted: Array, row_error: Array | float = 0
) -> tuple[Array, Array]:
    """Return multipliers (..., m, 1) and their accelerations M^-1 K^T multipliers.

    K times these (..., nv, 1) is `wanted` (..., m, 1). K : (..., m, nv) of the
    velocities that are free in the factors, of any rank: the multipliers are the
    smallest for rows of length one. One inward sweep for every row, one outward sweep
    for all of them together. row_error : (...), the relative error of the rows.
    """
    acting, felt = rows_that_act(K), [own.D for own in factors.links]
    K, wanted = K[..., acting, :], wanted[..., acting, :]
    units = concatenate([D.diagonal(axis1=-2, axis2=-1) for D in felt], axis=-1)
    times = by_blocks([solve(D, eye(D.shape[-1])) for D in felt])

    def swept(K: Array, _: Array) -> Any:
        rows = concatenate(factors.inward_forces(K.mT)[0], axis=-2)
        return rows.mT, (rows * times(rows)).sum(-2)[..., None]

    rows, own = rows_from(0, swept, K, zeros((K.shape[-2], 1)))
    squares, doubt = lengths_and_doubt(K, units, own, row_error)
    u, shares, mix = shortest(rows, times, wanted, doubt)
    multipliers = spread(smallest_multipliers(mix, shares, squares), acting)
    left = [u[..., own.start : own.stop, :] for own in factors.rows]
    return multipliers, factors.outward_motions(left)[1]


# Chapter 14, "Loops": The code
def rows_and_errors(state: State, constraints: Any, share: float, *names: str) -> list[Array]:
    """Return K (..., m, nv), the relative error of its rows (...), and more parts.

    These are the loops' errors (..., m), and those with the names. share : where near a
    singular posture less than that is left of a row, it counts as zero.
    """
    return judged_rows(partial(parts_in, state, constraints), share, *names)


def wanted_in(
    state: State, constraints: Any, gains: tuple[Any, Any] | None, share: float = 0
) -> tuple[Array, Array, Array | float]:
    """Return K (..., m, nv), K qdd (..., m, 1), and the rows' relative error (...)."""
    K, row_error, error, bias = rows_and_errors(state, constraints, share, "bias")
    k, qd = -bias[..., None], state.qd[..., None]
    if gains is None:
        warn_if_inconsistent(K, state.qd, k)
        return K, k, row_error
    return K, k - gains[1] * (K @ qd) - gains[0] * error[..., None], row_error


# Chapter 14, "Loops": The code
@checked(q="nq", qd="nv", tau="nv", external=("n", 6), external_frame=FRAMES)
def constrained_forward_dynamics(
    chain: Chain,
    constraints: Any,
    q: ArrayNq,
    qd: ArrayNv,
    tau: ArrayNv,
    *,
    external: ArrayNx6 | None = None,
    external_frame: FrameWord = "body",
    stabilisation: Gains = None,
    tolerance: float = 0,
) -> tuple[ArrayNv, ArrayM]:
    """Return accelerations (..., nv) and multipliers (..., m) of a chain with loops.

    constraints : one or several, as for `constraint_jacobian`; q, qd, tau, external and
    external_frame as for `aba`. M qdd + h = tau + K^T multipliers + the forces from
    outside, and K qdd = -dK/dt qd. stabilisation : gains (kp, kd); then K qdd = -dK/dt
    qd - kd K qd - kp error. Rows may depend on each other: qdd and K^T multipliers do
    not change, and the multipliers are the smallest for rows of length one. tolerance :
    a row, or a combination of rows, of which a posture leaves no more than this share,
    counts as dependent. In O(n) for each row, plus the cost of rows alone.
    RuntimeWarning, with the size, if qd breaks the constraints and there is no
    stabilisation. ValueError as from `constraint_jacobian` and `aba`.

    >>> from chaindyn.models.robots import four_bar, four_bar_posture
    >>> chain, loops = four_bar()
    >>> q, still = four_bar_posture(2, 1.0), np.zeros(3)
    >>> qdd, multipliers = constrained_forward_dynamics(chain, loops, q, still, still)
    >>> (constraint_jacobian(chain, loops, q) @ qdd).round(9) + 0.0
    array([0., 0., 0., 0., 0.])
    """
    gains, constraints = check_stabilisation(stabilisation), as_constraints(constraints)
    check_share(tolerance)
    state = evaluate(chain, q, qd, tau, external)
    factors = factorise_state(state)
    loads = net_bias(state, external, external_frame) + factors.inertias @ state.eta
    left, _ = factors.inward_forces(tau[..., None], loads)
    _, free = factors.outward_motions(left, state.eta, ground_acceleration(chain))
    K, wanted, row_error = wanted_in(state, constraints, gains, tolerance)
    wanted = wanted - rows_times(K, free)
    multipliers, more = held_response(factors, K, wanted, row_error)
    return (free + more)[..., 0], multipliers[..., 0]


# Chapter 14, "Loops": Symbols and exact numbers*
def kkt_by_elimination(M: Array, K: Array, right: Array, k: Array, row_error: Array) -> Held:
    """Return what `solve_kkt` does of numbers that are not floats, for a regular M."""
    inverse = solved(M, eye(M.shape[-1]), SINGULAR)
    free, units = inverse @ right, M.diagonal(axis1=-2, axis2=-1)
    own = (K @ inverse * K).sum(-1, keepdims=True)
    squares, doubt = lengths_and_doubt(K, units, own, row_error)
    u, shares, mix = shortest(K, lambda x: inverse @ x, k - K @ free, doubt)
    multipliers = smallest_multipliers(mix, shares, squares)
    counts = positive(mix[..., ::-1, :].diagonal(axis1=-2, axis2=-1) ** 2)
    rank = counts.sum(-1) + zeros(u.shape[:-2])
    return Held((free + inverse @ u)[..., 0], multipliers[..., 0], rank)
