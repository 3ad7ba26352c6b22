"""Sparse systems of states: one batch of real numbers, each system factorised and its solution refined once."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.numbers import as_real


def in_one_batch(**arrays: tuple[Any, int]) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """Return the batch axes that arrays have together, and each as real numbers (count, ...), one state a row.

    arrays : by name, each with the number of its axes that are no batch axes.
    """
    batch = np.broadcast_shapes(*[x.shape[: x.ndim - core] for x, core in arrays.values()])
    rows = []
    for name, (x, core) in arrays.items():
        own = x.shape[x.ndim - core :]
        whole = np.broadcast_to(as_real(x, name), batch + own)
        rows.append(whole.reshape((math.prod(batch), *own)))
    return batch, rows


def solved_one_by_one(systems: Iterable[tuple[Any, Array]], count: int, size: int) -> np.ndarray:
    """Return the solutions (count, size) of sparse systems, each a matrix and its right side. Needs SciPy."""
    from scipy.sparse.linalg import splu

    solutions = np.zeros((count, size))
    for k, (matrix, right) in enumerate(systems):
        factors = splu(matrix)
        x = factors.solve(right)
        solutions[k] = x + factors.solve(right - matrix @ x)
    return solutions
