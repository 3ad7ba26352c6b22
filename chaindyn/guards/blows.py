"""Blows that have no derivative."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.numbers import known_values


def quietly(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Return a function's result without its warnings, where what they warn of is an error afterwards."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return function(*args, **options)


def require_blow(mass: Array, row: Array, qd: Array) -> None:
    """Refuse a blow on an immovable contact, and one that grazes or separates, where `impact` has a kink."""
    weight, speeds = known_values(mass), known_values(row * qd[..., None, :])
    if weight is not None and not np.isfinite(weight).all():
        raise ValueError(
            "the chain cannot move along the normal, so that the blow has no derivative"
        )
    if speeds is None:
        return
    speed, size = speeds.sum(-1), abs(speeds).sum(-1)
    if (speed >= -64 * np.finfo(float).eps * size).any():
        raise ValueError(
            f"the struck point's normal speed is {speed.max():.3g} m/s, but must be negative: a grazing blow has no "
            "derivative, a separating one has the derivative zero"
        )
