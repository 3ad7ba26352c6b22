# Generated from chapters/13_loops_and_redundancy.md by `python -m book export`; edit it there.
# sha256 of the text below: 78ae0da589a1e3180a7648b931f3d739ed60d2abf6cc43ea9119bc6109c28087
"""Loops: constraints between the links of a tree, and the dynamics that keeps them.

Derived in chapter 13, "Loops".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from chaindyn._ops import Array, concatenate, zeros
from chaindyn.articulated import FactorisedChain, factorise_state
from chaindyn.chain import Chain, integrate
from chaindyn.guards.arguments import FRAMES
from chaindyn.guards.constraint_parts import as_constraints, parts_in
from chaindyn.guards.door import checked
from chaindyn.guards.equations import SINGULAR, solved
from chaindyn.guards.loops import (
    are_floats,
    at_length_one,
    check_kkt,
    check_share,
    check_stabilisation,
    inverse_of,
    judged_rows,
    multipliers_of,
    regular,
    size_of_motions,
    solvable_combinations,
    warn_if_inconsistent,
)
from chaindyn.inverse_dynamics import ground_acceleration, net_bias
from chaindyn.state import State, evaluate

__all__ = ["Held", "constrained_forward_dynamics", "solve_kkt"]


# Chapter 13, "Loops": The null space
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


# Chapter 13, "Loops": The null space
def subspaces(rows: Array, rank: Array) -> tuple[Array, Array, Array, Array]:
    """Return U (..., p, p), 1 / sizes (..., p, 1), R^T (..., p, n) and N^T (..., n, n).

    rows : (..., p, n), of which as many as the rank (...) are independent, the others
    zero; R : the motions that they forbid; N : those that they allow, zeros first.
    """
    U, sizes, Vh = np.linalg.svd(rows)
    forbidden = np.arange(Vh.shape[-1]) < rank[..., None]
    R = Vh[..., : sizes.shape[-1], :]
    return U, inverse_of(sizes, rank), R, (~forbidden)[..., None] * Vh


# Chapter 13, "Loops": The null space
@dataclass(frozen=True, eq=False)
class Held:
    """Result of `solve_kkt`: x (..., nv), multipliers (..., m), rank of K (...).

    Unpacked it gives the first two.
    """

    x: Array
    multipliers: Array
    rank: Array

    def __iter__(self) -> Iterator[Array]:
        """Yield x and the multipliers, so that ``x, multipliers = solve_kkt(...)``."""
        yield self.x
        yield self.multipliers


# Chapter 13, "Loops": The null space
@checked()
def solve_kkt(M: Array, K: Array, right: Array, k: Array, *, tolerance: float = 0) -> Held:
    """Return x and multipliers with M x = right + K^T multipliers and K x = k.

    x : (..., nv); multipliers : (..., m).
    M : (..., nv, nv), symmetric and positive on the motions that K (..., m, nv) allows;
    it need not be regular, and K may have any rank.
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


# Chapter 13, "Loops": The code: two sweeps and a small system
def whitened(factors: FactorisedChain, forces: Array) -> tuple[Array, list[Array]]:
    """Return B (..., nv, m) with B^T B = F^T M^-1 F, and the roots of each joint's D.

    F : (..., nv, m), joint forces. M is L D L^T by the sweeps: the remaining force at
    each joint, divided by the root of D.
    """
    left, _ = factors.inward_forces(forces)
    roots = [np.linalg.cholesky(own.D) for own in factors.links]
    parts = [np.linalg.solve(root, y) for root, y in zip(roots, left, strict=True)]
    return concatenate(parts, axis=-2), roots


# Chapter 13, "Loops": The code: two sweeps and a small system
def held_response(
    factors: FactorisedChain, K: Array, wanted: Array, row_error: Array | float = 0
) -> tuple[Array, Array]:
    """Return multipliers (..., m, 1) and their accelerations M^-1 K^T multipliers.

    K times these (..., nv, 1) is `wanted` (..., m, 1). K : (..., m, nv) of the
    velocities that are free in the factors. One inward sweep for every row, one outward
    sweep for all of them together. row_error : as for `independent_combinations`.
    """
    squares = [own.D.diagonal(axis1=-2, axis2=-1) for own in factors.links]
    if not are_floats(K, wanted, *squares):
        return response_by_elimination(factors, K, wanted, row_error, squares)
    B, roots = whitened(factors, K.mT)
    size = np.sqrt(concatenate(squares, axis=-1))
    combine, rank = independent_combinations(K, size, row_error)
    U, sizes, Vh = np.linalg.svd(B @ combine, full_matrices=False)
    inverse = inverse_of(sizes, rank)
    shares = inverse * (Vh @ (combine.mT @ wanted))
    z = U @ shares
    left = [root @ z[..., own, :] for root, own in zip(roots, factors.rows, strict=True)]
    return combine @ (Vh.mT @ (inverse * shares)), factors.outward_motions(left)[1]


# Chapter 13, "Loops": The code: two sweeps and a small system
def rows_and_errors(state: State, constraints: Any, share: float, *names: str) -> list[Array]:
    """Return K (..., m, nv), the relative error of its rows (...), the loops' errors
    (..., m), and other parts.

    share : where near a singular posture less than that is left of a row, it counts as
    zero.
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


# Chapter 13, "Loops": The code: two sweeps and a small system
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
    """Return accelerations (..., nv) and multipliers (..., m) of a chain with loops.

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
    check_share(tolerance)
    state = evaluate(chain, q, qd, tau, external)
    factors = factorise_state(state)
    loads = net_bias(state, external, external_frame) + factors.inertias @ state.eta
    left, _ = factors.inward_forces(tau[..., None], loads)
    _, free = factors.outward_motions(left, state.eta, ground_acceleration(chain))
    K, wanted, row_error = wanted_in(state, constraints, gains, tolerance)
    multipliers, more = held_response(factors, K, wanted - K @ free, row_error)
    return (free + more)[..., 0], multipliers[..., 0]


# Chapter 13, "Loops": The code: two sweeps and a small system
def projected(
    chain: Chain, constraints: Any, q: Array, qd: Array, share: float = 0
) -> tuple[Array, Array]:
    """Return the state near q (..., nq), qd (..., nv) that keeps the constraints.

    By least steps in the metric M. share : as for `rows_and_errors`.
    """
    constraints = as_constraints(constraints)
    for _ in range(3):
        state = State(chain, q)
        K, row_error, error = rows_and_errors(state, constraints, share)
        _, step = held_response(factorise_state(state), K, -error[..., None], row_error)
        q = integrate(chain, q, step[..., 0])
    state = State(chain, q)
    K, row_error, _ = rows_and_errors(state, constraints, share)
    _, change = held_response(factorise_state(state), K, -(K @ qd[..., None]), row_error)
    return q, qd + change[..., 0]


# Chapter 13, "Loops": Symbols and exact numbers*
def kkt_by_elimination(M: Array, K: Array, right: Array, k: Array, row_error: Array) -> Held:
    """Return what `solve_kkt` does of numbers that are not floats, for a regular M."""
    squares = M.diagonal(axis1=-2, axis2=-1)
    combine = solvable_combinations(independent_combinations, K, squares, row_error, M)
    rows = combine.mT @ K
    x = solved(M, concatenate([right, rows.mT], axis=-1), SINGULAR)
    open_, answers = x[..., :1], x[..., 1:]
    found = multipliers_of(rows @ answers, combine.mT @ k - rows @ open_, combine)
    x = open_ + answers @ found
    rank = (combine != 0).any(-2).sum(-1) + zeros(x.shape[:-2])
    return Held(x[..., 0], (combine @ found)[..., 0], rank[()])


# Chapter 13, "Loops": Symbols and exact numbers*
def response_by_elimination(
    factors: FactorisedChain,
    K: Array,
    wanted: Array,
    row_error: Array | float,
    squares: list[Array],
) -> tuple[Array, Array]:
    """Return what `held_response` does of numbers that are not floats.

    squares : for each joint the diagonal of its D.
    """
    combine = solvable_combinations(
        independent_combinations, K, concatenate(squares, axis=-1), row_error, *squares
    )
    C = factors.delassus(combine.mT @ K)
    multipliers = combine @ multipliers_of(C, combine.mT @ wanted, combine)
    return multipliers, factors.solve(K.mT @ multipliers)
