"""What the explorers that move share: the motion that a reader's function returns, as long as it was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def padded(result: Any, t: np.ndarray, names: Sequence[str]) -> list[np.ndarray]:
    """Return fields of a `Simulation` at all times t, NaN from an early end on.

    ValueError if times are missing and the result has no reason.
    """
    wanted = np.isin(result.t, t)  # the last state of an early end may lie between
    missing = len(t) - wanted.sum()
    if missing and not result.reason:
        raise ValueError(f"{missing} of the {len(t)} times are missing, for no reason")
    parts = [np.asarray(getattr(result, name), float)[wanted] for name in names]
    return [np.concatenate([x, np.full((missing, *x.shape[1:]), np.nan)]) for x in parts]
