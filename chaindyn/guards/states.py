"""States as real numbers: one alone, or all of a batch in one row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.arguments import require_one_state
from chaindyn.guards.numbers import as_real, is_concrete


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


def one_real_state(**arrays: Array) -> tuple[Array, ...]:
    """Return arrays by name as real numbers; refuse a batch, symbols and complex numbers."""
    require_one_state(**arrays)
    return tuple(x if is_concrete(x) else as_real(x, name) for name, x in arrays.items())
