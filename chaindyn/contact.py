# Generated from chapters/16_contact_part2.md by `python -m book export`; edit it there.
# sha256 of the text below: 7611afa86751f9be4d7d1f655cebbf8695a7429cc692b895d095b22283d72641
"""Contact: blows at several places, forces at rest, friction, and motion through both.

Derived in chapter 16, "Contact".
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from chaindyn._check import (
    as_array,
    as_real,
    check_matrix,
    check_positive_number,
    checked,
    require_finite,
)
from chaindyn._ops import Array

__all__ = ["LCP", "solve_lcp"]


# Chapter 16, "Contact": Either a gap or a force
@dataclass(frozen=True, eq=False)
class LCP:
    """What `solve_lcp` finds: z (n,) and w = A z + b (n,), both at least 0, and z_i w_i = 0.

    residual : the largest |min(z_i, w_i)|, which is zero for a solution; iterations : pivots, sweeps, or modes tried.
    count : "one" or "many" solutions, "unknown" if the method cannot tell; solutions : (k, n), what enumeration found
    of them: each isolated one, and of a continuum one point or two.
    """

    z: Array
    w: Array
    residual: float
    iterations: int
    count: str = "unknown"
    solutions: Array | None = None


def residual_of(A: Array, b: Array, z: Array) -> float:
    """Return by how much z (n,) fails to solve w = A z + b, z and w >= 0, z.w = 0: the largest |min(z_i, w_i)|."""
    return float(np.abs(np.minimum(z, A @ z + b)).max(initial=0))


def told(A: Array, b: Array, z: Array, iterations: int, *more: Any) -> LCP:
    """Return the result for z (n,), with w and the residual computed from it."""
    z = np.maximum(z, 0)
    return LCP(z, A @ z + b, residual_of(A, b, z), iterations, *more)


# Chapter 16, "Contact": Either a gap or a force
def solutions_of_mode(A: Array, b: Array, active: Array, tolerance: float) -> list[Array]:
    """Return the z (n,) of one mode, active (n,) booleans: none, the only one, or two of a continuum.

    A continuum without end has its second point where a sum of the entries is one larger.
    """
    own, right = A[np.ix_(active, active)], -b[active]
    z = np.zeros(len(b))
    if np.linalg.matrix_rank(own, tol=tolerance * np.abs(A).max(initial=0)) == active.sum():
        z[active] = np.linalg.solve(own, right)
        reach = tolerance * max(
            np.abs(b).max(initial=0), np.abs(A).max(initial=0) * np.abs(z).max(initial=0)
        )
        fits = (z >= -tolerance * np.abs(z).max(initial=0)).all() and (A @ z + b >= -reach).all()
        return [z] if fits else []
    from scipy.optimize import linprog

    found: list[Array] = []
    weights = 1 + np.sqrt(np.arange(2, 2 + active.sum()))  # a direction in which nothing lies level
    equal = {"A_eq": own, "b_eq": right, "A_ub": -A[np.ix_(~active, active)], "b_ub": b[~active]}
    lowest = linprog(weights, **equal, method="highs")
    if lowest.status == 0:
        limits = {
            "A_ub": np.vstack([equal["A_ub"], weights]),
            "b_ub": np.append(equal["b_ub"], lowest.fun + 1 + abs(lowest.fun)),
        }
        highest = linprog(-weights, **{**equal, **limits}, method="highs")
        for answer in (lowest, highest):
            found.append(np.zeros(len(b)))
            found[-1][active] = answer.x
    return found


def enumerate_modes(A: Array, b: Array) -> LCP:
    """Return the solution of an LCP with n <= 12 and how many there are, by trying all 2^n modes.

    Of many the smallest is z. ArithmeticError if there is none; ValueError if n is above 12.
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
    return told(A, b, found[0], 2**n, count, np.array(found))


# Chapter 16, "Contact": Lemke's method
def pivoted(tableau: Array, row: int, column: int) -> Array:
    """Return the tableau in which the unknown of a column is the one that its row gives."""
    own = tableau[row] / tableau[row, column]
    new = tableau - np.outer(tableau[:, column], own)
    new[row], new[:, column] = own, 0
    new[row, column] = 1
    return new


def leaving_row(tableau: Array, column: int, last: int) -> int | None:
    """Return the row of the lexicographically least ratio, None if nothing in the column is positive.

    last : a row that is preferred if its value is among the least, since with it the path ends; -1 for none.
    """
    n, growing = len(tableau), tableau[:, column]
    rows = np.flatnonzero(growing > 1e-11 * np.abs(growing).max())
    for j in (-1, *range(n)):
        if len(rows) < 2:
            break
        ratios = tableau[rows, j] / growing[rows]
        rows = rows[ratios <= ratios.min() + 1e-12 * max(1, np.abs(ratios).min())]
        if j == -1 and last in rows:
            return last
    return int(rows[0]) if len(rows) else None


def ray_error(A: Array, b: Array, y: Array) -> ArithmeticError:
    """Return the error that says what a ray means; y (n,) : the part of z that grows along it."""
    size = np.abs(A).max() * y.max(initial=0)
    if (A.T @ y <= 1e-9 * size).all() and b @ y < -1e-9 * np.abs(b).max() * y.max(initial=0):
        return ArithmeticError(
            "the LCP has no solution: no z >= 0 makes w = A z + b >= 0, as Lemke's ray proves"
        )
    return ArithmeticError(
        "Lemke's method ends on a ray: for this matrix that says neither that there is a solution nor that there "
        'is none; for n up to 12 method "enumerate" can tell'
    )


def lemke(A: Array, b: Array) -> LCP:
    """Return a solution of an LCP by Lemke's path with lexicographic ties. ArithmeticError if it ends on a ray."""
    n = len(b)
    if (b >= 0).all():
        return told(A, b, np.zeros(n), 0)
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
    raise ArithmeticError(f"Lemke's method did not end in {limit} pivots: rounding hides the path")


def polished(A: Array, b: Array, z: Array, active: Array, count: int) -> LCP:
    """Return the result for z (n,) from a tableau, or for its mode solved anew, whichever is nearer to a solution."""
    again = np.zeros(len(b))
    own = np.ix_(active, active)
    again[active] = np.linalg.lstsq(A[own], -b[active], rcond=1e-13)[0]
    answers = [told(A, b, x, count) for x in (z, again)]
    best = min(answers, key=lambda answer: answer.residual)
    size = np.abs(b).max() + np.abs(A).max() * np.abs(best.z).max()
    if best.residual > 1e-6 * size:
        raise ArithmeticError(
            f"Lemke's path ends at a point that is no solution (residual {best.residual:.3g}): the pivots have "
            "lost too many digits"
        )
    return best


# Chapter 16, "Contact": Projected Gauss-Seidel
def projected_gauss_seidel(A: Array, b: Array, sweeps: int, tolerance: float) -> LCP:
    """Return what PGS has after so many sweeps, or fewer if the residual falls to a share of max |b|.

    ValueError if a diagonal entry is not positive; ArithmeticError if z grows without bound.
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
        if residual_of(A, b, z) <= limit:
            break
    return told(A, b, z, count)


@checked(method={"lemke", "pgs", "enumerate"})
def solve_lcp(
    A: Array, b: Array, *, method: str = "lemke", sweeps: int = 1000, tolerance: float = 1e-14
) -> LCP:
    """Return z (n,) and w (n,) with w = A z + b, z >= 0, w >= 0 and z.w = 0: a linear complementarity problem.

    A : (n, n); b : (n,); floats, one problem at a time. method : "lemke", which finds one solution for the matrices
    of contact problems and many others, ties decided lexicographically, so that it ends; "pgs", projected
    Gauss-Seidel, which improves z in at most so many `sweeps` and stops when the residual is `tolerance` times the
    largest |b|: look at the `residual` of the result; "enumerate", which tries all modes, for n up to 12, and tells
    in `count` whether there is one solution or many. ArithmeticError if there is no solution, if Lemke's path ends on
    a ray, or if PGS grows without bound: it says which. ValueError for bad input. Cottle, Pang and Stone (1992),
    chapters 4 and 5.
    """
    A, b = as_real(check_matrix(A, "A", (None, None)), "A"), as_real(as_array(b, "b"), "b")
    n = A.shape[-1]
    if A.shape != (n, n) or b.shape != (n,):
        raise ValueError(
            f"A has shape {A.shape} and b {b.shape}, but they must be (n, n) and (n,): one problem at a time"
        )
    require_finite(b, "b")
    if not isinstance(sweeps, int | np.integer) or isinstance(sweeps, bool) or sweeps < 1:
        raise ValueError(f"sweeps is {sweeps!r}, but must be a whole number, 1 at least")
    tolerance = check_positive_number(tolerance, "tolerance")
    if method == "lemke":
        return lemke(A, b)
    if method == "enumerate":
        return enumerate_modes(A, b)
    return projected_gauss_seidel(A, b, int(sweeps), tolerance)
