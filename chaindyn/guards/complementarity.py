"""Linear complementarity in floats: units that lie far apart, what solves a mode, and what a ray proves."""

from __future__ import annotations

import numpy as np

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
