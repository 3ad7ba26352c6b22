"""Sparse systems, one for each state: each is factorised, and its solution refined once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from chaindyn._ops import Array


def solved_one_by_one(systems: Iterable[tuple[Any, Array]], count: int, size: int) -> np.ndarray:
    """Return the solutions (count, size) of sparse systems, each a matrix and its right side. Needs SciPy."""
    from scipy.sparse.linalg import splu

    solutions = np.zeros((count, size))
    for k, (matrix, right) in enumerate(systems):
        factors = splu(matrix)
        x = factors.solve(right)
        solutions[k] = x + factors.solve(right - matrix @ x)
    return solutions
