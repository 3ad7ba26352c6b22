"""Complementarity problems, the same ones in every run and with every version of NumPy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pairs import Source

KINDS = ("symmetric", "skew", "dominant", "triangular", "supports")
SIZES = (1, 2, 5, 12, 30, 60, 100)


def problem(kind: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return A (n, n) and b (n,).

    All but the last are P-matrices: symmetric positive definite; with a skew part as large; with rows whose
    diagonal outweighs the rest, in units that differ by a million, and with no definite symmetric part; triangular,
    which has none either. "supports" are more contacts than freedoms, in whole numbers: ties and many solutions.
    """
    source = Source(10_000 * KINDS.index(kind) + 100 * n + seed)
    b = source.vector(1, n)
    G, H = source.vector(1, 2, n, n)
    if kind == "symmetric":
        return G @ G.T / n + np.eye(n) / 10, b
    if kind == "skew":
        return G @ G.T / n + np.eye(n) / 10 + H - H.T, b
    if kind == "dominant":
        G[np.diag_indices(n)] = 0
        G[np.diag_indices(n)] = 1.05 * np.abs(G).sum(1) + 0.1
        left, right = 10 ** (1.5 * source.vector(1, 2, n))
        return left[:, None] * G * right, left * b
    if kind == "triangular":
        return np.eye(n) + np.triu(3 * G, 1) / np.sqrt(n), b
    K = np.round(1.5 * source.vector(1, n, max(n // 4, 1)))
    return K @ K.T, K @ np.round(2.5 * source.vector(1, K.shape[1]))


def problems(each: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield so many problems of each kind and size, with the kind's name."""
    for kind in KINDS:
        for n in SIZES:
            for seed in range(each):
                yield kind, *problem(kind, n, seed)
