"""Numbers as they come, real, complex, exact, symbolic or traced, and what can be known of them.

Only concrete real numbers can be judged by value, in arrays of objects too; symbols, traced and complex arrays pass
that part.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Complex, Rational, Real
from typing import Any

import numpy as np

from chaindyn._ops import Array, holds_exact, holds_objects, stack

EPSILON = float(np.finfo(float).eps)


# Where this share is left of a loop's row, projection fixes the state to EPSILON / NOISE, and the accelerations' error
# of EPSILON / NOISE^3 is as large as they are.
NOISE = EPSILON ** (1 / 3)


LARGEST_INTEGER = 1024  # a product of six such integers still fits into 64 bits


def is_concrete(x: np.ndarray) -> bool:
    """Whether entries are plain real numbers, which can be compared and so be checked by value."""
    return isinstance(x, np.ndarray) and x.dtype.kind in "iuf"


def known_values(x: Any) -> np.ndarray | None:
    """Return an array's entries as floats or integers by which it can be judged, None where they are not known.

    Known are plain real numbers, also those in an array of objects: integers, floats, fractions.
    """
    if is_concrete(x):
        # LAPACK has no long doubles
        known: np.ndarray = x.astype(float) if x.dtype.char == "g" else x
        return known
    if not holds_objects(x) or not all(isinstance(entry, Real) for entry in x.flat):
        return None
    return np.asarray(x, float)


def may_be_nonzero(x: np.ndarray) -> bool:
    """Whether an entry is other than zero, or is not known."""
    known = known_values(x)
    return known is None or bool(known.any())


def is_recorded(x: Any) -> bool:
    """Whether entries are numbers of a recording, which stand for floats."""
    return holds_objects(x) and bool(x.size) and not holds_exact(x)


def are_exact(*arrays: Any) -> bool:
    """Whether no entry is a number with rounding errors: integers, fractions and symbols alone."""
    return all(
        x.dtype.kind in "iu"
        or (
            holds_objects(x)
            and all(isinstance(e, Rational) or not isinstance(e, Complex) for e in x.flat)
        )
        for x in arrays
    )


def in_double(x: Any) -> np.ndarray | None:
    """Return entries of any kind in double precision, complex ones too, None where they are not known."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "iufc":
        return x.astype(complex if x.dtype.kind == "c" else float, copy=False)
    if not holds_objects(x) or not all(isinstance(entry, Complex) for entry in x.flat):
        return None
    real = all(isinstance(entry, Real) for entry in x.flat)
    return np.asarray(x, float if real else complex)


def as_array(x: Any, name: str) -> Any:
    """Return `x` as an array; JAX arrays stay what they are.

    Floats are computed with in the precision that they have: single, double or long double. Half precision
    is refused: its three digits are too few for a sweep. Integers stay integers up to 1024; larger ones
    become floats, for products of integers are cut to 64 bits without a word (in 8 bits, -1 is 255).
    Objects stay what they are, so that what is exact stays exact; ValueError if one is too large for a float,
    or if an entry is masked.
    """
    if type(x) is np.ndarray:  # most often
        array = x
    elif not isinstance(x, np.ndarray | np.generic) and hasattr(x, "__array_namespace__"):
        return x.astype(float) if x.dtype.kind in "iu" else x
    else:
        require_unmasked(x, name)
        try:
            array = np.asarray(x)
        except ValueError as error:
            raise ValueError(
                f"{name} is not an array: its rows differ in length ({error})"
            ) from None
        except OverflowError as error:
            raise ValueError(f"{name} holds a number too large for a float: {error}") from None
    kind = array.dtype.kind
    if kind in "fc" and array.dtype.itemsize > 2:
        return array
    if kind in "iu":
        return narrowed(array)
    if kind == "f":
        raise ValueError(
            f"{name} is of type {array.dtype}, which has three digits: give it as float32 or float64"
        )
    if kind == "O" and not any(
        isinstance(e, str | list | tuple | bool | type) or not hasattr(e, "__mul__")
        for e in array.flat
    ):
        return of_objects(array, name, given=isinstance(x, np.ndarray))
    raise ValueError(f"{name} must hold numbers or symbols, not {x!r}")


def require_unmasked(x: Any, name: str) -> None:
    """Refuse masked entries, also in a list of masked arrays: NumPy would compute with what is below the mask."""
    parts = x if isinstance(x, list | tuple) else [x]
    masked = sum(
        int(np.ma.getmaskarray(p).sum()) for p in parts if isinstance(p, np.ma.MaskedArray)
    )
    if masked:
        entries = "entry" if masked == 1 else "entries"
        raise ValueError(
            f"{name} holds {masked} masked {entries}, without a value to compute with: fill them, or leave them out"
        )


def unmasked(x: Any, name: str) -> np.ndarray:
    """Return what NumPy makes of an array, of any kind; ValueError if an entry is masked."""
    if type(x) is np.ndarray:  # most often
        return x
    require_unmasked(x, name)
    return np.asarray(x)


def narrowed(array: np.ndarray) -> np.ndarray:
    """Return integers of any kind as Python's own kind, or as floats if one is beyond 1024."""
    if array.size and (array.max() > LARGEST_INTEGER or array.min() < -LARGEST_INTEGER):
        return array.astype(float)
    return array.astype(int, copy=False)


def of_objects(array: np.ndarray, name: str, *, given: bool) -> np.ndarray:
    """Return objects as they are, but as floats where they came from a list of integers too large for NumPy's."""
    try:
        known = known_values(array)
    except OverflowError as error:
        raise ValueError(f"{name} holds a number too large for a float: {error}") from None
    listed = not given and all(isinstance(entry, int | float) for entry in array.flat)
    return array if known is None or not listed else known


def first_wrong(x: Any, is_wrong: Callable[[Any], Any]) -> tuple[int, ...] | None:
    """Return the index of the first entry of which this holds, if any; of objects, real numbers alone are asked."""
    if is_concrete(x):
        wrong = np.asarray(is_wrong(x))
    elif holds_objects(x):
        wrong = np.empty(x.shape, bool)
        for index, entry in np.ndenumerate(x):
            wrong[index] = isinstance(entry, Real) and bool(is_wrong(entry))
    else:
        return None
    return first_true(wrong)


def first_true(wrong: np.ndarray) -> tuple[int, ...] | None:
    """Return the index of the first entry that is true, if any is."""
    return tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else None


def all_finite(x: np.ndarray) -> bool:
    """Whether real numbers are finite, by one sum: quicker than to ask each, as only a sum that overflows is."""
    total = np.vdot(x, x) if x.size < 100 or x.flags.c_contiguous else x.sum()
    return math.isfinite(total) or bool(np.isfinite(x).all())


def require_finite(
    x: Any, name: str, where: Callable[[tuple[int, ...]], str] | None = None
) -> None:
    """Refuse NaN and infinity, naming the first bad entry and, by `where`, what it belongs to."""
    if is_concrete(x) and all_finite(x):
        return
    if isinstance(x, np.ndarray) and x.dtype.kind == "c":  # of a complex step, say
        index = first_true(~np.isfinite(x))
    else:
        index = first_wrong(x, lambda entry: (entry != entry) | (abs(entry) == np.inf))
    if index is None:
        return
    entry = f"{name}[{', '.join(map(str, index))}]" if index else name
    belongs = f" ({where(index)})" if where else ""
    raise ValueError(f"{entry}{belongs} is {x[index]}: every entry must be finite")


def as_real(x: Any, name: str) -> np.ndarray:
    """Return an array as NumPy's floats; refuse symbols and complex numbers."""
    array = np.asarray(as_array(x, name))
    require_not_complex(array, name)
    try:
        return array.astype(float)
    except (TypeError, ValueError):  # a symbol
        raise ValueError(f"{name} is {x!r}, but must hold real numbers") from None


def without_precision(x: Any, array: Any) -> Any:
    """Return an array without axes as Python's number if it was one, which takes the precision of what it meets."""
    return array.item() if type(x) in (int, float) else array


def require_no_overflow(what: str, *arrays: Any) -> None:
    """Refuse matrices that finite arguments made infinite or undefined: LAPACK might never return."""
    if not all(x.dtype.kind not in "fc" or np.isfinite(x).all() for x in arrays):
        raise ValueError(
            f"{what} overflow: a coordinate, a velocity, a force or a number of the chain is too large"
        )


def read_only_view(x: Any) -> Any:
    """Return a view of a NumPy array (or of each in a tuple) into which nobody can write; others cannot be written."""
    if isinstance(x, tuple):
        return tuple(map(read_only_view, x))
    if not isinstance(x, np.ndarray):
        return x
    view = x.view()
    view.flags.writeable = False
    return view


def require_not_complex(x: Any, name: str) -> None:
    """Refuse complex numbers, also in an array of objects; symbols pass."""
    entries = x.flat if x.dtype.kind == "O" else ()
    if x.dtype.kind == "c" or any(
        isinstance(e, Complex) and not isinstance(e, Real) for e in entries
    ):
        raise ValueError(f"{name} is {x!r}, but must hold real numbers")


def is_number(x: Any) -> bool:
    """Whether numbers are finite; what is no real number is not asked."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind != "f" or all_finite(x)
    return not isinstance(x, float | np.floating) or math.isfinite(x)


def in_floats(*arrays: Any) -> tuple[Any, ...]:
    """Return arrays, exact numbers in them rounded to floats."""
    return tuple(x.astype(float) if x.dtype.char == "O" else x for x in arrays)


def frozen(x: Any) -> Any:
    """Return a parameter so that nobody can write into it: of an array a copy, of a list a tuple."""
    if isinstance(x, np.ndarray):
        return read_only(x)
    return tuple(x) if isinstance(x, list) else x


def read_only(x: Any) -> np.ndarray:
    """Return a copy that cannot be written: what was checked once and computed with must not change.

    Integers are treated as at the door.
    """
    array = np.array(as_array(x, "what a chain keeps"))
    array.setflags(write=False)
    return array


def protected(array: np.ndarray) -> np.ndarray:
    """Return an array as it is, which cannot be written from now on."""
    array.setflags(write=False)
    return array


def power_of_two_near(x: np.ndarray) -> np.ndarray:
    """Return a unit (..., 1, 1) for matrices, in which no square overflows and by which no digit is lost."""
    largest = np.abs(x).max((-2, -1), initial=0, keepdims=True)
    unit: np.ndarray = np.ldexp(np.ones_like(largest), np.frexp(largest)[1] - 1)
    return unit


def at_least_rounding(tolerance: float, x: np.ndarray) -> float:
    """Return a relative tolerance, or 32 roundings in the precision of `x` where these are more."""
    eps = np.finfo(x.dtype).eps if x.dtype.kind == "f" else 0
    return max(tolerance, 32 * float(eps))


def by_complex_step(function: Callable[[Any], Any], tangent: Array) -> Array:
    """Return the derivative (m, nv) of a function of a tangent like the given one, at zero; in any numbers."""
    step, columns = 1e-100, []
    for along in np.eye(tangent.shape[-1]):
        value = function(1j * step * along)
        value = value.astype(complex) if holds_objects(value) else value
        columns.append(value.imag / step)
    return stack(columns, axis=-1)
