# Generated from chapters/32_ties_and_rays.md by `python -m book export`; edit it there.
# sha256 of the text below: ac3a60c29682a4a3fe13e2222c5ffd582a424da77903d29d515809d6e9036e74
"""Ties and rays: Lemke's path among contacts that depend on each other.

Derived in chapter 32, "Ties and rays".
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.complementarity import (
    ROUNDING,
    balanced_twice,
    endless_path,
    longest_path,
    polished,
    ray_error,
)

__all__: list[str] = []


# Chapter 32, "Ties and rays": Rays
def pivoted(tableau: Array, row: int, column: int) -> Array:
    """Return the tableau in which the unknown of a column enters the basis in a row."""
    own = tableau[row] / tableau[row, column]
    new = tableau - np.outer(tableau[:, column], own)
    new[row], new[:, column] = own, 0
    new[row, column] = 1
    return new


def leaving_row(tableau: Array, column: int, last: int) -> int | None:
    """Return the row of the lexicographically least ratio, None if the column is a ray.

    last : a row preferred if its value is among the least, since it ends the path.
    """
    n, growing = len(tableau), tableau[:, column]
    rows = np.flatnonzero(growing > ROUNDING * np.abs(growing).max())
    for j in (-1, *range(n)):
        if len(rows) < 2:
            break
        ratios = tableau[rows, j] / growing[rows]
        rows = rows[ratios <= ratios.min() + 1e-10 * max(1, np.abs(ratios).min())]
        if last in rows:
            return last
    return int(rows[0]) if len(rows) else None


# Chapter 32, "Ties and rays": Rays
@balanced_twice
def lemke(A: Array, b: Array) -> tuple[Array, int]:
    """Return a solution (1, n) of an LCP by Lemke's path, and the number of pivots.

    Ties are decided lexicographically. ArithmeticError if the path ends on a ray.
    """
    n = len(b)
    if (b >= 0).all():
        return np.zeros((1, n)), 0
    large, most = np.abs(A).max() or 1, np.abs(b).max()
    start = np.full((n, 1), -1.0)
    tableau = np.hstack([np.eye(n), -A / large, start, b[:, None] / most])
    basis = np.arange(n)  # w_i is i, z_i is n + i, z_0 is 2 n
    entering, row = 2 * n, int(n - 1 - np.argmin(b[::-1]))
    for count in range(1, longest_path(n) + 1):
        tableau = pivoted(tableau, row, entering)
        left, basis[row] = int(basis[row]), entering
        values = np.zeros(2 * n + 1)
        if left == 2 * n:
            values[basis] = tableau[:, -1]
            z, active = values[n:-1] * (most / large), basis[basis >= n] - n
            return polished(A, b, z, active)[None], count
        entering = left + n if left < n else left - n
        following = leaving_row(tableau, entering, int(np.argmax(basis == 2 * n)))
        if following is None:
            values[basis], values[entering] = -tableau[:, entering], 1
            raise ray_error(A, b, np.maximum(values[n:-1], 0))
        row = following
    raise endless_path(n)


# Chapter 32, "Ties and rays": Contacts that depend on each other
def most_even(A: Array, z: Array, w: Array) -> Array:
    """Return the smallest z (n,) with the same w (n,) as a solution, if it is one too,
    else that solution's z.
    """
    size = np.abs(A).max(initial=0) * np.abs(z).max(initial=0)
    held = np.flatnonzero(w <= 1e-10 * size)
    even = np.zeros(len(z))
    even[held] = np.linalg.lstsq(A[:, held], A @ z, rcond=ROUNDING)[0]
    same = np.abs(A @ (even - z)).max(initial=0) <= 1e-12 * size
    pushes = (even >= -1e-13 * np.abs(even).max(initial=0)).all()
    return np.maximum(even, 0) if same and pushes else z


def smallest_solution(W: Array, b: Array, asked: Array) -> Array | None:
    """Return the smallest p (n,) with W p + b zero in the rows asked for (n,), and p
    zero in all others; None if there is none.
    """
    p, own = np.zeros(len(b)), W[np.ix_(asked, asked)]
    sizes, U = np.linalg.eigh(own)
    kept = sizes > ROUNDING * sizes.max(initial=0)
    p[asked] = -(U[:, kept] / sizes[kept]) @ (U[:, kept].T @ b[asked])
    size = np.abs(W).max(initial=0) * np.abs(p).max(initial=0)
    missed = np.abs(own @ p[asked] + b[asked]).max(initial=0)
    return p if missed <= 1e-12 * size else None


# Chapter 32, "Ties and rays": Contacts that depend on each other
def proximal_point(
    impulses: Callable[..., Array], W: Array, b: Array, size: float, *given: Any
) -> Array | None:
    """Return p (3 m,) of `impulses` for W, b and what else is given, from a series of
    regularised problems; None if it fails.

    In each one a share of the mean is added to W's diagonal, and the effect of the last
    impulses taken from b.
    """
    mean, size = np.trace(W) / len(W), max(size, float(np.abs(b).max()))
    for share in (1e-8, 1e-6, 1e-4):
        more, p = share * mean, np.zeros(len(b))
        try:
            for _ in range(30):
                before = p
                p = impulses(W + more * np.eye(len(W)), b - more * p, *given)
                if more * np.abs(p - before).max() <= 1e-12 * size:
                    return p
        except ArithmeticError:
            continue
    return None


def or_nearby(
    impulses: Callable[..., Array], W: Array, b: Array, size: float, *given: Any
) -> Array:
    """Return `impulses` for W, b and what else is given, by nearby problems if it
    fails; its error if they fail too.
    """
    try:
        return impulses(W, b, *given)
    except ArithmeticError:
        nearby = proximal_point(impulses, W, b, size, *given)
        if nearby is None:
            raise
        return nearby


# Chapter 32, "Ties and rays": Contacts that depend on each other
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


def island_by_island(solve: Callable[..., Array]) -> Callable[..., Array]:
    """Wrap a solver of contacts, so that each island is a problem of its own."""

    @functools.wraps(solve)
    def solve_each(
        W: Array,
        b: Array,
        mu: Array,
        known: Array | None = None,
        facets: int = 0,
        sliding: Array | None = None,
        size: float = 0,
    ) -> Array:
        m = len(mu)
        known = np.zeros(m) if known is None else known
        slides = np.zeros(m, bool) if sliding is None else sliding & (mu > 0)
        groups = islands(W) if m else []
        if len(groups) == 1:
            return solve(W, b, mu, known, facets, slides, size)
        p = np.zeros((m, 3))
        for k in groups:
            own = (3 * k[:, None] + np.arange(3)).ravel()
            given = W[np.ix_(own, own)], b[own], mu[k], known[k], facets, slides[k]
            p[k] = solve(*given, size).reshape(-1, 3)
        return p.ravel()

    return solve_each
