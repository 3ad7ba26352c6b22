"""The few operations that every exported function is built from, chosen by what they are given.

NumPy arrays and JAX arrays (traced ones too) are computed by their own namespace. Symbols and exact
or certified numbers (SymPy, CasADi, mpmath, fractions, python-flint) travel in NumPy arrays of
objects, and a function of such an array is taken entry by entry from the library the entry is from.
Constants are integers, so that what is exact stays exact.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

Array = Any  # a NumPy or JAX array; what its entries are is the caller's choice


def namespace(arrays: Sequence[Array]) -> Any:
    """Return the module that computes with these arrays: that of the first foreign one, or NumPy."""
    for x in arrays:
        if not isinstance(x, np.ndarray) and hasattr(x, "__array_namespace__"):
            return x.__array_namespace__()
    return np


def _entry_function(name: str, x: Any) -> Any:
    """Apply the elementary function `name` to one entry of an object array."""
    if isinstance(x, int | float):
        exact = {("sin", 0): 0, ("cos", 0): 1}  # math.sin(0) would turn an exact zero into a float
        return exact[name, x] if (name, x) in exact else getattr(math, name)(x)
    method = getattr(x, name, None)  # python-flint's balls, CasADi's expressions
    if method is not None:
        return method()
    return getattr(sys.modules[type(x).__module__.partition(".")[0]], name)(x)


def _elementary(name: str, x: Array) -> Array:
    if isinstance(x, np.ndarray) and x.dtype == object:
        entries = np.empty(x.shape, object)
        for index, entry in np.ndenumerate(x):
            entries[index] = _entry_function(name, entry)
        return entries
    return getattr(namespace([x]), name)(x)


def sin(x: Array) -> Array:
    """Sine of each entry."""
    return _elementary("sin", x)


def cos(x: Array) -> Array:
    """Cosine of each entry."""
    return _elementary("cos", x)


def eye(n: int) -> Array:
    """Identity matrix of integers, shape (n, n)."""
    return np.eye(n, dtype=int)


def zeros(shape: tuple[int, ...]) -> Array:
    """Array of the integer 0."""
    return np.zeros(shape, dtype=int)


def broadcast_batch(arrays: Sequence[Array], core: int) -> list[Array]:
    """Give arrays the same leading axes; their last `core` axes stay as they are."""
    shapes = [x.shape[:-core] for x in arrays]
    if all(shape == shapes[0] for shape in shapes):
        return list(arrays)
    batch = np.broadcast_shapes(*shapes)
    xp = namespace(arrays)
    return [xp.broadcast_to(x, batch + x.shape[-core:]) for x in arrays]


def concatenate(arrays: Sequence[Array], axis: int) -> Array:
    """Join arrays along a negative axis; the axes before it are broadcast against each other."""
    return namespace(arrays).concatenate(broadcast_batch(arrays, -axis), axis=axis)


def stack(arrays: Sequence[Array], axis: int) -> Array:
    """Join arrays of one shape along a new negative axis."""
    return namespace(arrays).stack(arrays, axis=axis)


def unstack(x: Array, axis: int) -> list[Array]:
    """Split an array along an axis, which disappears: the inverse of `stack`."""
    return list(namespace([x]).moveaxis(x, axis, 0))


def block(rows: Sequence[Sequence[Array]]) -> Array:
    """Assemble matrices from blocks, broadcasting their batch axes; the integer 0 is a block of zeros."""
    heights = [next(b.shape[-2] for b in row if not isinstance(b, int)) for row in rows]
    columns = zip(*rows, strict=True)
    widths = [next(b.shape[-1] for b in column if not isinstance(b, int)) for column in columns]
    filled = [
        zeros((height, width)) if isinstance(b, int) else b
        for row, height in zip(rows, heights, strict=True)
        for b, width in zip(row, widths, strict=True)
    ]
    filled = broadcast_batch(filled, 2)
    xp, n = namespace(filled), len(widths)
    return xp.concatenate(
        [xp.concatenate(filled[i : i + n], axis=-1) for i in range(0, len(filled), n)], axis=-2
    )
