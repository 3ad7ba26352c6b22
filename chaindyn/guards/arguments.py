"""What an argument must be: its shape, its sign, its words.

Each refusal says what is wrong, where, and what would be right.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from numbers import Rational, Real
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from chaindyn._ops import expect, holds_exact, recording, sqrt
from chaindyn.guards.numbers import (
    EPSILON,
    as_array,
    as_real,
    at_least_rounding,
    first_wrong,
    known_values,
    read_only,
    require_finite,
    require_unmasked,
    without_precision,
)

# Words that public functions take: for those who write, and, as sets, for what is checked.
FrameWord = Literal["body", "world", "mixed"]
RecursionWord = Literal["body", "world"]
FRAMES: set[str] = set(get_args(FrameWord))
RECURSIONS: set[str] = set(get_args(RecursionWord))


FLAGS = {False, True}


def require_shape(x: Any, name: str, core: tuple[int, ...], why: str = "") -> None:
    """Refuse an array whose last axes are not `core`."""
    if x.shape[max(x.ndim - len(core), 0) :] != core:
        wanted = "(..., " + ", ".join(map(str, core)) + ")"
        raise ValueError(f"{name} has shape {x.shape}, but must have shape {wanted}{why}")


def require_rows(x: Any, name: str, m: int | str, core: tuple[int, ...]) -> None:
    """Refuse what is not an array (..., m, *core); m is a number of rows, or "m" for any."""
    own = x.shape[max(x.ndim - len(core) - 1, 0) :]
    if len(own) != len(core) + 1 or own[1:] != core or m not in ("m", own[0]):
        wanted = ", ".join(map(str, ("...", m, *core)))
        why = "" if m == "m" else f": this constraint has {m} rows"
        raise ValueError(f"{name} has shape {x.shape}, but must have shape ({wanted}){why}")


def require_same_batch(arrays: dict[str, tuple[Any, int]]) -> None:
    """Refuse arguments whose batch axes cannot be broadcast together."""
    batches = [x.shape[: x.ndim - core] for x, core in arrays.values()]
    try:
        if batches.count(batches[0]) < len(batches):
            np.broadcast_shapes(*batches)
    except ValueError:
        shapes = ", ".join(f"{name} {x.shape}" for name, (x, _) in arrays.items())
        raise ValueError(f"the batch axes of {shapes} cannot be broadcast together") from None


def require_unit_quaternions(q: Any, name: str, chain: Any) -> None:
    """Refuse coordinates whose quaternions are off the unit sphere by more than 1e-6, naming the link."""
    columns = chain.quaternions
    quaternions = known_values(q[..., columns]) if columns.size else None
    if quaternions is None:
        return
    lengths = np.sqrt((quaternions**2).sum(-1))
    wrong = np.argwhere(~(np.abs(lengths - 1) <= 1e-6))
    if len(wrong):
        first = tuple(wrong[0])
        own = columns[first[-1]]
        raise ValueError(
            f"{name}: the quaternion of link {chain.link_of('nq', own[0])!r}, entries {own[0]} to {own[-1]}, has "
            f"length {lengths[first]:.6g}, but must have 1 to within 1e-6; chain.neutral has the identity's"
        )


def check_chain(chain: Any) -> None:
    """Refuse what is no Chain; in a chapter's notebook `Chain` is a class of its own cells."""
    if not hasattr(chain, "link_of") or isinstance(chain, type):
        raise ValueError(f"chain must be a Chain, not {chain!r}")


def check_mask(mask: Any, name: str, nv: int) -> np.ndarray:
    """Return a mask as booleans (nv,), one for each joint velocity, or say what is wrong with it."""
    require_unmasked(mask, name)
    try:
        array = np.asarray(mask)
    except ValueError:  # rows that differ in length
        array = np.empty(0)
    if array.dtype != bool or array.shape != (nv,):
        raise ValueError(
            f"{name} is {mask!r}, but must be {nv} booleans, one for each joint velocity of this chain (nv = {nv})"
        )
    return array


def require_made_by(function: str, x: Any, name: str, part: str) -> None:
    """Refuse what is no result of this function, which has such a part."""
    if not hasattr(x, part) or isinstance(x, type):
        raise ValueError(f"{name} is {x!r}, but must be what {function} returns")


def require_positive(x: Any, name: str) -> None:
    """Refuse numbers that are not finite and above zero, naming the first."""
    x = as_array(x, name)
    require_finite(x, name)
    index = first_wrong(x, lambda entry: entry <= 0)
    if index is not None:
        entry = f"{name}[{', '.join(map(str, index))}]" if index else name
        raise ValueError(f"{entry} is {x[index]}, but must be positive")


def check_folder(x: Any, name: str) -> Path:
    """Return the path of a folder, which need not be there, or say what names none."""
    if not isinstance(x, str | os.PathLike):
        raise ValueError(f"{name} is {x!r}, but must name a folder")
    return Path(x)


def check_positive_number(x: Any, name: str) -> float:
    """Return one real number above zero as a float, or say what is wrong with it."""
    x = as_array(x, name)
    if x.shape != ():
        raise ValueError(f"{name} has shape {x.shape}, but must be one number")
    require_positive(as_real(x, name), name)
    return float(x)


def check_threads(threads: Any) -> int:
    """Return a number of threads, all cores for None, or say what is wrong with it."""
    count = os.cpu_count() or 1 if threads is None else threads
    if not isinstance(count, int | np.integer) or count < 1:
        raise ValueError(f"threads is {threads!r}, but must be a number of threads, at least 1")
    return int(count)


def check_shapes(shapes: Any, names: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Return the shapes of a function's arguments by name, {} for None, or say what is wrong with them."""
    if not isinstance(shapes or {}, dict):
        raise ValueError(f"shapes is {shapes!r}, but must be a dictionary of shapes by name")
    for name, shape in (shapes or {}).items():
        if name not in names:
            raise ValueError(f"shapes names {name!r}, but the function's arguments are {[*names]}")
        if not isinstance(shape, tuple) or not all(
            x in ("n", "nq", "nv")
            if isinstance(x, str)
            else isinstance(x, int | np.integer) and x >= 0
            for x in shape
        ):
            raise ValueError(
                f"the shape of {name} is {shape!r}, but must be a tuple of numbers and 'n', 'nq' or 'nv'"
            )
    return {
        name: tuple(x if isinstance(x, str) else int(x) for x in shape)
        for name, shape in (shapes or {}).items()
    }


def check_gain(gain: Any, name: str, nv: int) -> Any:
    """Return a gain, one number or one for each joint velocity, or say what is wrong with it."""
    given = as_array(gain, name)
    if given.shape not in ((), (nv,)):
        raise ValueError(
            f"{name} has shape {given.shape}, but must be a number or ({nv},): nv = {nv}"
        )
    require_positive(given, name)
    return without_precision(gain, given)


def check_load(load: Any, name: str, core: tuple[int, ...], batch: tuple[int, ...]) -> Any:
    """Return what acts on a chain in states (*batch, ...): a function, None, or real numbers (..., *core)."""
    if load is None or callable(load):
        return load
    load = as_array(load, name)
    require_fit(load, name, core, batch)
    require_finite(load, name)
    return as_real(load, name)


def require_fit(x: Any, name: str, core: tuple[int, ...], batch: tuple[int, ...]) -> None:
    """Refuse an array whose last axes are not `core`, or whose others do not broadcast to those of the states."""
    require_shape(x, name, core)
    own = x.shape[: x.ndim - len(core)]
    pairs = zip(reversed(own), reversed(batch), strict=False)
    if len(own) > len(batch) or any(m not in (1, states) for m, states in pairs):
        wanted = f"broadcast to {(*batch, *core)}" if core else "be one number"
        raise ValueError(f"{name} has shape {x.shape}, but must {wanted}")


def check_matrix(x: Any, name: str, shape: tuple[int | None, int | None]) -> Any:
    """Return matrices as an array (..., rows, columns), finite; of the two counts, None is any."""
    x = as_array(x, name)
    if x.ndim < 2 or any(m not in (None, own) for m, own in zip(shape, x.shape[-2:], strict=True)):
        wanted = ", ".join("m" if m is None else str(m) for m in shape)
        raise ValueError(f"{name} has shape {x.shape}, but must have shape (..., {wanted})")
    require_finite(x, name)
    return x


def check_batch(batch: Any) -> None:
    """Refuse batch axes that are not whole numbers, zero or more, in a tuple."""
    integers = isinstance(batch, tuple | list) and all(
        isinstance(m, int | np.integer) and not isinstance(m, bool) and m >= 0 for m in batch
    )
    if not integers:
        raise ValueError(f"batch is {batch!r}, but must be a tuple of counts, such as (5,)")


def check_word(value: Any, name: str, options: set[Any]) -> None:
    """Refuse an option that is none of the values it may have."""
    try:
        known = value in options
    except TypeError:  # what cannot be hashed
        known = False
    if not known:
        listed = " or ".join(repr(option) for option in sorted(options))
        raise ValueError(f"{name} is {value!r}, but must be {listed}")


def unit(axis: Any, name: str = "axis") -> Any:
    """Return direction vectors (..., 3) at length one, which cannot be written; one that is exact stays exact.

    Symbols must have length one already; exact numbers that do not are refused.
    """
    axis = as_array(axis, name)
    require_shape(axis, name, (3,))
    require_finite(axis, name)
    if not isinstance(axis, np.ndarray):  # JAX's, whose values may not be known yet
        return axis / sqrt((axis * axis).sum(-1, keepdims=True))
    if axis.dtype == object:
        rows = [_unit_of_objects(row, name) for row in axis.reshape(-1, 3)]
        return read_only(np.stack(rows).reshape(axis.shape) if rows else axis)
    with np.errstate(over="ignore", under="ignore"):
        off = np.abs((axis * axis).sum(-1) - 1)
    # what was brought to length one stays as it is
    if (off <= at_least_rounding(0, axis) / 4).all():
        return read_only(axis)
    largest = np.abs(axis).max(-1, keepdims=True)
    if (largest == 0).any():
        raise ValueError(f"{name} is {axis.tolist()}: a direction must not be zero")
    axis = axis / largest  # first, so that no square overflows or vanishes
    return read_only(axis / np.sqrt((axis * axis).sum(-1, keepdims=True)))


def _unit_of_recorded(direction: np.ndarray) -> np.ndarray:
    """Return a direction that is known later (3,) at length one."""
    square = (direction * direction).sum(keepdims=True)
    expect(square)
    return np.asarray(direction / sqrt(square))


def _unit_of_objects(direction: np.ndarray, name: str) -> np.ndarray:
    """Return one direction (3,) at length one, if it has floats; refuse an exact one of another length.

    To divide by the length would make it inexact. Symbols pass.
    """
    entries = direction.tolist()
    if not all(isinstance(x, Real) for x in entries):
        return direction if holds_exact(direction) else _unit_of_recorded(direction)
    if not any(entries):
        raise ValueError(f"{name} is {entries}: a direction must not be zero")
    exact, largest = all(isinstance(x, Rational) for x in entries), max(abs(x) for x in entries)
    square = (direction * direction).sum() if exact or largest <= 1 else largest
    if square == 1:
        return direction
    if exact:
        raise ValueError(
            f"{name} is {entries}, of length sqrt({square}): a direction of exact numbers must have "
            "length one already; or give it as floats, which are normalised"
        )
    direction = direction / largest  # first, so that no square overflows or vanishes
    return np.asarray(direction / sqrt((direction * direction).sum(keepdims=True)))


def require_axis(motion: Any, square: Any) -> None:
    """Refuse motions (..., 6) whose first half has a square (..., 1) of zero: translations, which have no axis."""
    known = known_values(square)
    if known is not None and (known == 0).any():
        first = motion[known[..., 0] == 0][0]
        raise ValueError(
            f"motion {first.tolist()} has no axis: its first three numbers are 0, or their squares are"
        )


def check_motion_subspace(S: Any, name: str = "S", **beside: tuple[Any, int]) -> Any:
    """Return a motion subspace (..., 6, k) as an array; refuse columns that are not finite or not independent.

    k may be 0. Columns are compared at length one, so that units play no part. beside : arrays whose batch axes must
    fit those of S, each with the number of its other axes.
    """
    S = as_array(S, name)
    if S.ndim < 2 or S.shape[-2] != 6:
        raise ValueError(f"{name} has shape {S.shape}, but must have shape (..., 6, k)")
    require_finite(S, name)
    require_same_batch(beside | {name: (S, 2)})
    known, k = known_values(S), S.shape[-1]
    if known is None or not known.size:
        return S
    largest = np.abs(known).max(-2, keepdims=True)
    zero = np.argwhere(largest[..., 0, :] == 0)
    if len(zero):
        raise ValueError(
            f"column {zero[0][-1]} of {name} is zero: each must be a motion that the joint allows"
        )
    columns = known / largest  # first, so that no square overflows or vanishes
    columns = columns / np.sqrt((columns * columns).sum(-2, keepdims=True))
    ranks = np.linalg.matrix_rank(columns, tol=at_least_rounding(1e-12, columns))
    if (ranks < k).any():
        raise ValueError(
            f"the columns of {name} depend on each other, and {name}^T I {name} is singular: of {k} motions, "
            f"{ranks.min()} are independent; leave out those that the others make"
        )
    return S


def require_one_state(**arrays: Any) -> None:
    """Refuse a batch where only one state can be taken."""
    for name, x in arrays.items():
        if x.ndim > 1:
            raise ValueError(f"{name} has shape {x.shape}, but this takes one state at a time")


def require_between(x: Any, name: str, low: int, high: int) -> None:
    """Refuse an entry that lies outside [low, high], naming the first; symbols pass."""
    if (
        recording.get() is not None
    ):  # both ends allowed, and a little more: who is told is judged again
        expect(1 - (2 * x - low - high) ** 2 / (high - low) ** 2 + EPSILON)
        return
    index = first_wrong(x, lambda entry: np.logical_not((entry >= low) & (entry <= high)))
    if index is not None:
        raise ValueError(f"{name} is {float(x[index]):.16g}, but must lie between {low} and {high}")


def require_rotation(R: Any, name: str) -> None:
    """Refuse matrices (..., 3, 3) that do not turn vectors: stretched, sheared or mirrored ones.

    They must be orthonormal to 1e-8, those in single precision to 32 roundings.
    """
    known = known_values(R)
    if known is None or not known.size:
        return
    tolerance = at_least_rounding(1e-8, known)
    error = np.abs(known @ known.mT - np.eye(3)).max()
    determinant = np.linalg.det(known).min()
    if error > tolerance or determinant < 0:
        digits = f"{tolerance:.0e}".replace("e-0", "e-")
        raise ValueError(
            f"{name} is no rotation matrix: R R^T differs from 1 by {error:.1e} and det R = "
            f"{determinant:.3g}; the columns must be orthonormal, to {digits}, and right-handed"
        )


def require_not_parallel(first: Any, second: Any) -> None:
    """Refuse unit axes (..., 3) of a universal joint that lie along each other, to 1e-6."""
    one, other = known_values(first), known_values(second)
    if one is None or other is None:
        return
    if (np.linalg.norm(np.cross(one, other), axis=-1) <= 1e-6).any():
        raise ValueError(
            f"the axes {first.tolist()} and {second.tolist()} of a universal joint are parallel: that is one "
            "hinge, Revolute, whose two angles could not be told apart"
        )


def is_several(x: Any) -> bool:
    """Whether something can be gone through; an array without axes cannot, though it says so."""
    return isinstance(x, Iterable) and getattr(x, "ndim", 1) > 0


def check_array(value: Any, name: str, shape: tuple[int, ...]) -> Any:
    """Return one parameter as an array of exactly this shape with finite entries."""
    value = as_array(value, name)
    if value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}, but must be {shape}")
    require_finite(value, name)
    return value
