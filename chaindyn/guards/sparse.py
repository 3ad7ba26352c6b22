"""Sparse systems, one for each state: each is factorised, and its solution refined once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.numbers import require_no_overflow


def solved_one_by_one(systems: Iterable[tuple[Any, Array]], count: int, size: int) -> np.ndarray:
    """Return the solutions (count, size) of sparse systems, each a matrix and its right side. Needs SciPy."""
    from scipy.sparse.linalg import splu

    solutions = np.zeros((count, size))
    for k, (matrix, right) in enumerate(systems):
        factors = splu(matrix)
        x = factors.solve(right)
        solutions[k] = x + factors.solve(right - matrix @ x)
    return solutions


def each_state(
    system: Callable[..., tuple[Any, Array]],
    state: Any,
    T: Sequence[Array],
    load: Array,
    motors: Array,
) -> Iterator[tuple[Any, Array]]:
    """Yield system(chain, X, T, eta, load, motors) for each state of a batch (count, ...).

    T : one (6, 6 - k) for each joint, or (count, 6, 6 - k); load, motors : (count, n, 6, 1).
    """
    X, eta = state.transforms, state.eta
    require_no_overflow("the equations", X, load, eta)
    own = [np.broadcast_to(x, (len(X), *x.shape[-2:])) for x in T]
    for k in range(len(X)):
        given = eta[k, ..., 0], load[k, ..., 0], motors[k, ..., 0]
        yield system(state.chain, X[k], [x[k] for x in own], *given)
