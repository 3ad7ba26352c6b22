"""Linear complementarity in floats: units that lie far apart, what solves a mode, and what a ray proves.

A method is a function of A (n, n) and b (n,) that returns the solutions that it finds, (k, n), and how many steps
that took.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from chaindyn._ops import Array
from chaindyn.array_types import ArrayKxN, ArrayN
from chaindyn.guards.arguments import check_matrix, check_positive_number
from chaindyn.guards.contacts import is_index
from chaindyn.guards.numbers import as_array, as_real, require_finite

__all__ = ["LCP"]

Method = Callable[..., tuple[np.ndarray, int]]
MethodWord = Literal["lemke", "pgs", "enumerate"]
METHODS: set[str] = set(get_args(MethodWord))


MOST = 12  # unknowns whose modes are all tried


ROUNDING = 1e-11  # of the largest entry, up to which a pivot or a rank is none


APART = 1e3  # of the largest entries of rows and columns, up to which they are left as they are


def balance(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return exponents (n,) of two for rows and columns, with which the largest entry of each is near 1.

    Rows and columns may be multiplied by any positive numbers: z and w change their units, no more. Zeros where the
    sizes are not far apart. For a positive definite A the diagonal becomes nearly one.
    """
    sizes = np.abs(A)
    n, largest = len(A), np.concatenate([sizes.max(1, initial=0), sizes.max(0, initial=0)])
    largest = largest[largest > 0]
    rows, columns = np.zeros(n), np.zeros(n)
    if len(largest) and largest.max() > APART * largest.min():
        with np.errstate(divide="ignore"):
            logs = np.log2(sizes)
        for _ in range(12):  # of which each halves what is left
            now = logs + rows[:, None] + columns
            steps = (np.where(np.isfinite(x), x / 2, 0) for x in (now.max(1), now.max(0)))
            rows, columns = (x - step for x, step in zip((rows, columns), steps, strict=True))
    return np.rint(rows).astype(int), np.rint(columns).astype(int)


def balance_rows(A: np.ndarray, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return exponents as `balance` does, by which the terms of each row come near 1, and then A's columns."""
    with np.errstate(divide="ignore"):
        rows = -np.log2(np.where(terms > 0, terms, 1))
        columns = -(np.log2(np.abs(A)) + rows[:, None]).max(0)
    columns = np.where(np.isfinite(columns), columns, 0)
    return np.rint(rows).astype(int), np.rint(columns).astype(int)


def as_problem(
    A: Any, b: Any, sweeps: Any, tolerance: Any
) -> tuple[np.ndarray, np.ndarray, int, float]:
    """Return A (n, n), b (n,) and the options of an LCP in floats, or say what is wrong with them."""
    A = as_real(check_matrix(A, "A", (None, None)), "A")
    b = as_real(as_array(b, "b"), "b")
    n = A.shape[-1]
    if A.shape != (n, n) or b.shape != (n,):
        raise ValueError(
            f"A has shape {A.shape} and b {b.shape}, but they must be (n, n) and (n,): one problem at a time"
        )
    require_finite(b, "b")
    if not is_index(sweeps) or sweeps < 1:
        raise ValueError(f"sweeps is {sweeps!r}, but must be a whole number, 1 at least")
    return A, b, int(sweeps), check_positive_number(tolerance, "tolerance")


def in_units(
    method: Method, A: np.ndarray, b: np.ndarray, units: tuple[np.ndarray, ...], *options: Any
) -> tuple[np.ndarray, int]:
    """Return what a method finds, in the units of A and b; units : exponents (n,) of two for rows and columns."""
    rows, columns = units
    if not (rows.any() or columns.any()):
        return method(A, b, *options)
    found, count = method(np.ldexp(A, rows[:, None] + columns), np.ldexp(b, rows), *options)
    return np.array(sorted(np.ldexp(found, columns), key=np.linalg.norm)), count


def balanced(method: Method) -> Method:
    """Wrap a method in units in which the largest entries of rows and columns are near 1."""

    @functools.wraps(method)
    def solve(A: np.ndarray, b: np.ndarray, *options: Any) -> tuple[np.ndarray, int]:
        return in_units(method, A, b, balance(A), *options)

    return solve


def balanced_twice(method: Method) -> Method:
    """Wrap a method as `balanced` does, and once more with rows in units of their own terms if small ones go under."""

    def twice(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, int]:
        (z,), count = method(A, b)
        if fits(A, b, z, z > 0, 1e-9, 1e-13):
            return z[None], count
        try:
            (again,), more = in_units(method, A, b, balance_rows(A, terms_of(A, b, z)))
        except ArithmeticError:
            return z[None], count
        better = fits(A, b, again, again > 0, 1e-9, 1e-15)
        return (again[None], more) if better else (z[None], count)

    return functools.wraps(method)(balanced(twice))


def residual_of(A: np.ndarray, b: np.ndarray, z: np.ndarray) -> float:
    """Return by how much z (n,) fails to be a solution: the largest |min(z_i, w_i)|."""
    return float(np.abs(np.minimum(z, A @ z + b)).max(initial=0))


def terms_of(A: np.ndarray, b: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return the size (n,) of what is added in each row of A z + b."""
    terms: np.ndarray = np.abs(A) @ np.abs(z) + np.abs(b)
    return terms


def fits(
    A: np.ndarray,
    b: np.ndarray,
    z: np.ndarray,
    active: np.ndarray,
    tolerance: float,
    floor: float = 1e-15,
) -> bool:
    """Whether z (n,) solves a mode, each row to the tolerance of its own terms, or to the floor of the largest."""
    w, terms = A @ z + b, terms_of(A, b, z)
    reach = tolerance * terms + floor * terms.max(initial=0)
    positive = (z >= -tolerance * np.abs(z).max(initial=0)).all()
    return bool(positive and (np.where(active, np.abs(w), -w) <= reach).all())


def is_singular(own: np.ndarray, A: np.ndarray) -> bool:
    """Whether the matrix of a mode, a part of A, has rows that depend on each other up to rounding."""
    tolerance = ROUNDING * np.abs(A).max(initial=0)
    return int(np.linalg.matrix_rank(own, tol=tolerance)) < len(own)


def fitting(
    A: np.ndarray, b: np.ndarray, active: np.ndarray, parts: np.ndarray
) -> list[np.ndarray]:
    """Return those z (n,) that solve a mode, of their own parts (k, s) where it is active (n,)."""
    found = np.zeros((len(parts), len(b)))
    found[:, active] = parts
    return [z for z in found if fits(A, b, z, active, ROUNDING)]


def ends_of_face(A: np.ndarray, b: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Return two points of the continuum of a mode whose matrix is singular, (2, s), or none.

    By linear programs, in a direction without level ties. A continuum without end has its second point where a
    weighted sum of the entries is twice the least and one size of b / A more.
    """
    from scipy.optimize import linprog

    own, right = A[np.ix_(active, active)], -b[active]
    weights = 1 + np.sqrt(np.arange(2, 2 + active.sum()))
    # the programs' tolerance is absolute
    large, most = np.abs(A).max() or 1, np.abs(b).max() or 1
    equal = {"A_eq": own / large, "b_eq": right / most}
    limits = {"A_ub": -A[np.ix_(~active, active)] / large, "b_ub": b[~active] / most}
    lowest = linprog(weights, **equal, **limits, method="highs")
    if lowest.status != 0:
        return np.zeros((0, len(own)))
    limits = {
        "A_ub": np.vstack([limits["A_ub"], weights]),
        "b_ub": np.append(limits["b_ub"], 2 * lowest.fun + 1),
    }
    highest = linprog(-weights, **equal, **limits, method="highs")
    return np.array([answer.x * most / large for answer in (lowest, highest)])


def are_not_negative(parts: Sequence[np.ndarray], *sizes: np.ndarray) -> bool:
    """Whether no part is negative by more than a rounding of what is as large as these."""
    pairs = zip(parts, sizes, strict=True)
    return all(bool((x >= -ROUNDING * np.abs(size).max()).all()) for x, size in pairs)


def require_few(n: int) -> None:
    """Refuse an LCP with too many unknowns for all modes to be tried."""
    if n > MOST:
        raise ValueError(f'method "enumerate" tries 2^n modes and takes n up to {MOST}, not {n}')


def distinct(A: np.ndarray, b: np.ndarray, solutions: Iterable[np.ndarray]) -> np.ndarray:
    """Return solutions (k, n), each once, the smallest first; ArithmeticError if there are none."""
    size = max(np.abs(b).max(initial=0) / (np.abs(A).max(initial=0) or 1), np.finfo(float).tiny)
    found: list[np.ndarray] = []
    for z in solutions:
        limit = 1e-8 * max(size, np.abs(z).max(initial=0))
        if all(np.abs(z - other).max(initial=0) > limit for other in found):
            found.append(z)
    if not found:
        raise ArithmeticError(f"the LCP has no solution: none of its {2 ** len(b)} modes fits")
    return np.array(sorted(found, key=np.linalg.norm))


def settling(A: np.ndarray, b: np.ndarray, tolerance: float) -> Callable[[np.ndarray, int], bool]:
    """Return a function of z (n,) and the number of sweeps, whether z has settled: for projected Gauss-Seidel.

    That is when no |min(A_ii z_i, w_i)| is above this share of max |b|. ValueError if a diagonal entry of A is not
    positive; ArithmeticError, then, if z grows without bound.
    """
    diagonal = np.diagonal(A)
    wrong = np.flatnonzero(diagonal <= 0)
    if len(wrong):
        i = int(wrong[0])
        raise ValueError(
            f'method "pgs" divides by the diagonal of A, but A[{i}, {i}] is {diagonal[i]:g}: it must be positive'
        )
    limit, size = tolerance * np.abs(b).max(initial=0), np.abs(b / diagonal).max(initial=0)

    def has_settled(z: np.ndarray, count: int) -> bool:
        if not np.abs(z).max(initial=0) <= 1e12 * size:
            raise ArithmeticError(
                f"projected Gauss-Seidel grows without bound, beyond 1e12 times the first guess in sweep {count}: "
                "there is no solution, or this matrix is none for it"
            )
        return bool(np.abs(np.minimum(diagonal * z, A @ z + b)).max(initial=0) <= limit)

    return has_settled


def polished(A: np.ndarray, b: np.ndarray, z: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Return z (n,) from a tableau, or that of its mode solved again, whichever is nearer to a solution.

    ArithmeticError if neither is near to one.
    """
    again = np.zeros(len(b))
    own = np.ix_(active, active)
    again[active] = np.linalg.lstsq(A[own], -b[active], rcond=1e-13)[0]
    best: np.ndarray
    residual, best = min(
        ((residual_of(A, b, x), x) for x in np.maximum([z, again], 0)), key=lambda found: found[0]
    )
    if residual > 1e-6 * (np.abs(b).max() + np.abs(A).max() * np.abs(best).max()):
        raise ArithmeticError(
            f"Lemke's path ends at a point that is no solution (residual {residual:.3g}): the pivots have "
            "lost too many digits"
        )
    return best


def longest_path(n: int) -> int:
    """Return after how many pivots Lemke's path is given up."""
    return 1000 + 100 * n


def endless_path(n: int) -> ArithmeticError:
    """Return the error for such a path."""
    return ArithmeticError(
        f"Lemke's method did not end in {longest_path(n)} pivots: its path may lead through most of the 2^n modes, or "
        'rounding hides it; method "pgs", or "enumerate" for n up to 12, may do'
    )


def ray_error(A: np.ndarray, b: np.ndarray, y: np.ndarray) -> ArithmeticError:
    """Return the error for a ray, with its meaning; y (n,) : the part of z that grows along it.

    From w >= 0 follows -b.y <= (A^T y).z. With bounds of rounding on both sides this proves how large any solution
    must be, whatever the rounding of y.
    """
    rounding = 2 * (len(b) + 2) * np.finfo(float).eps
    most = (A.T @ y + rounding * (np.abs(A).T @ y)).max(initial=0)
    least = -b @ y - rounding * (np.abs(b) @ y)
    size = (np.abs(A).max(initial=0) or 1) * least / np.abs(b).max()
    if size > 1e10 * most:
        far = f"; or one of about {size / most:.0e} times the size of b / A" if most > 0 else ""
        return ArithmeticError(
            f"the LCP has no solution: no z >= 0 makes w = A z + b >= 0, as Lemke's ray proves{far}"
        )
    return ArithmeticError(
        "Lemke's method ends on a ray: for this matrix that says neither that there is a solution nor that there "
        'is none; for n up to 12 method "enumerate" can tell'
    )


@dataclass(frozen=True, eq=False)
class LCP:
    """The result of `solve_lcp`: z and w = A z + b (n,), none negative, z_i w_i = 0.

    residual : the largest |min(z_i, w_i)|, which is zero for a solution; iterations :
    pivots, sweeps, or modes tried.
    count : "one" or "many" solutions, "unknown" if the method cannot decide; solutions
    : (k, n), those found by enumeration: each isolated one, and one or two points of a
    continuum.

    >>> found = solve_lcp(np.array([[2, 1], [1, 2]]), np.array([-1, 1]), method="enumerate")
    >>> found.z, found.w
    (array([0.5, 0. ]), array([0. , 1.5]))
    >>> found.count
    'one'
    """

    z: ArrayN
    w: ArrayN
    residual: float
    iterations: int
    count: str = "unknown"
    solutions: ArrayKxN | None = None


def result_of(A: Array, b: Array, z: Array, iterations: int, *more: Any) -> LCP:
    """Return the result for z (n,), with w and the residual computed from it."""
    z = np.maximum(z, 0)
    return LCP(z, A @ z + b, residual_of(A, b, z), iterations, *more)
