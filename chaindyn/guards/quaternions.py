"""Quaternions whose squares would overflow or vanish."""

from __future__ import annotations

from typing import Any

import numpy as np

from chaindyn.guards.numbers import known_values


def of_moderate_size(quaternion: Any) -> Any:
    """Return a quaternion (..., 4) such that no square overflows or vanishes; its length does not matter.

    ValueError for one of zeros, which has no direction. Symbols and traced arrays pass.
    """
    known = known_values(quaternion)
    if known is None or not known.size:
        return quaternion
    largest = np.abs(known).max(-1, keepdims=True)
    if not largest.all():
        raise ValueError(
            "quaternion is [0, 0, 0, 0]: no rotation has it; that of no turn is [1, 0, 0, 0]"
        )
    bound = np.finfo(known.dtype).max ** 0.25 if quaternion.dtype.kind == "f" else np.inf
    moderate = 1 / bound < largest.min() and largest.max() < bound
    return quaternion if moderate else quaternion / largest
