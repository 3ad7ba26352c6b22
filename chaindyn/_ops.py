"""The few operations that every exported function is built from, chosen by what they are given.

NumPy arrays and JAX arrays (traced ones too) are computed by their own namespace. Symbols and exact
or certified numbers (SymPy, CasADi, mpmath, fractions, python-flint) travel in NumPy arrays of
objects, and a function of such an array is taken entry by entry from the library the entry is from.
Constants are integers, so that what is exact stays exact.
"""

from __future__ import annotations

import functools
import itertools
import math
import sys
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from fractions import Fraction
from numbers import Complex, Real
from typing import Any, TypeVar

import numpy as np

Array = Any  # a NumPy or JAX array; what its entries are is the caller's choice

# who walks trees where every link cannot be visited by itself: a recording, which has one of each kind
walker: ContextVar[Any] = ContextVar("chaindyn_walker", default=None)
# the recording in progress, which keeps what must hold for it to be right
recording: ContextVar[Any] = ContextVar("chaindyn_recording", default=None)

Whole = TypeVar("Whole")
Sweep = TypeVar("Sweep", bound=Callable[..., Any])

SMALL = np.int16  # of constants: with integers of this size, single precision stays single


def altered(x: Whole, **values: Any) -> Whole:
    """Return a copy of an object in which these attributes differ; nothing is checked or worked out anew."""
    twin = object.__new__(type(x))
    twin.__dict__.update(x.__dict__, **values)
    return twin


def replaceable(sweep: Sweep) -> Sweep:
    """Let a recording walk a tree in a sweep's place, by its method of the same name."""

    @functools.wraps(sweep)
    def walk(step: Any, parent: Sequence[int], start: Any, *links: Any, **more: Any) -> Any:
        if (recorder := walker.get()) is None:
            return sweep(step, parent, start, *links, **more)
        return getattr(recorder, sweep.__name__)(step, parent, start, links, **more)

    return walk  # type: ignore[return-value]


def namespace(arrays: Sequence[Array]) -> Any:
    """Return the module that computes with these arrays: that of the first foreign one, or NumPy."""
    for x in arrays:
        if not isinstance(x, np.ndarray) and hasattr(x, "__array_namespace__"):
            return x.__array_namespace__()
    return np


def holds_objects(x: Any) -> bool:
    """Whether this is an array of symbols or exact numbers."""
    return isinstance(x, np.ndarray) and x.dtype.char == "O"


def _entry_function(name: str, x: Any, *more: Any) -> Any:
    """Apply the elementary function `name` to one entry of an object array."""
    if more and isinstance(x, int | float) and not isinstance(more[0], int | float):
        x = more[0] * 0 + x  # a number of the other one's kind
    if isinstance(x, int | float):
        # math.sin(0) would turn an exact zero into a float
        exact: dict[tuple[str, Any], int] = {
            ("sin", 0): 0,
            ("cos", 0): 1,
            ("sqrt", 0): 0,
            ("sqrt", 1): 1,
        }
        return exact[name, x] if (name, x) in exact else getattr(math, name)(x, *more)
    method = getattr(type(x), name, None)  # python-flint's balls, CasADi's expressions
    if method is not None:
        return method(x, *more)
    # SymPy makes a class for each undefined function, a(t), and that has no module: its bases do
    home = next(kind.__module__ for kind in type(x).__mro__ if kind.__module__)
    library = sys.modules[home.partition(".")[0]]
    if not hasattr(library, name):
        raise TypeError(
            f"there is no {name} of {x!r}: SymPy, mpmath and python-flint have numbers with one"
        )
    return getattr(library, name)(x, *more)


def _elementary(name: str, x: Array) -> Array:
    if holds_objects(x):
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


def sqrt(x: Array) -> Array:
    """Square root of each entry."""
    return _elementary("sqrt", x)


@functools.cache
def eye(n: int) -> Array:
    """Identity matrix of integers, shape (n, n): each time the same array, which cannot be written."""
    identity = np.eye(n, dtype=SMALL)
    identity.setflags(write=False)
    return identity


@functools.cache
def levi_civita() -> Array:
    """Permutation symbol of integers (3, 9): ``a @ levi_civita()`` are the entries of the matrix of a x, row by row."""
    one = np.eye(3, dtype=SMALL)
    symbol = -np.cross(one[:, None], one).reshape(3, 9)
    symbol.setflags(write=False)
    return symbol


def zeros(shape: tuple[int, ...]) -> Array:
    """Array of the integer 0."""
    return np.zeros(shape, dtype=SMALL)


def _common(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the shape that all can be broadcast to: most often, all are the same."""
    return shapes[0] if shapes.count(shapes[0]) == len(shapes) else np.broadcast_shapes(*shapes)


def broadcast_batch(arrays: Sequence[Array], core: int) -> list[Array]:
    """Give arrays the same leading axes; their last `core` axes stay as they are."""
    if {x.ndim for x in arrays} == {core}:  # none has any, most often
        return list(arrays)
    shapes = [x.shape[:-core] for x in arrays]
    batch = _common(shapes)
    if shapes.count(batch) == len(shapes):
        return list(arrays)
    xp = namespace(arrays)
    return [
        x if shape == batch else xp.broadcast_to(x, batch + x.shape[-core:])
        for x, shape in zip(arrays, shapes, strict=True)
    ]


def concatenate(arrays: Sequence[Array], axis: int) -> Array:
    """Join arrays along a negative axis; the axes before it are broadcast against each other."""
    arrays = broadcast_batch(arrays, -axis)
    return namespace(arrays).concatenate(arrays, axis=axis)


def stack(arrays: Sequence[Array], axis: int) -> Array:
    """Join arrays along a new negative axis; the axes before it are broadcast against each other."""
    core = -axis - 1
    xp = namespace(arrays)
    if xp is np and core and {x.ndim for x in arrays} == {core}:
        return np.array(arrays)  # several times faster
    return xp.stack(broadcast_batch(arrays, core) if core else arrays, axis=axis)


def unstack(x: Array, axis: int) -> list[Array]:
    """Split an array along an axis, which disappears: the inverse of `stack`."""
    if x.ndim == -axis > 1 and isinstance(x, np.ndarray):
        return list(x)
    after = (slice(None),) * (-axis - 1)
    return [x[(..., i, *after)] for i in range(x.shape[axis])]


@functools.cache
def _layout(shapes: tuple[tuple[int, ...] | None, ...], columns: int) -> tuple[Any, Any, Any, Any]:
    """Return shape, heights and widths of a matrix of blocks of these shapes, and where each goes; None is zeros.

    The blocks stand row after row, `columns` in each row.
    """
    rows = [shapes[k : k + columns] for k in range(0, len(shapes), columns)]
    heights = [next(shape[-2] for shape in row if shape) for row in rows]
    widths = [next(shape[-1] for shape in column if shape) for column in zip(*rows, strict=True)]
    bands = [
        slice(end - m, end) for m, end in zip(heights, itertools.accumulate(heights), strict=True)
    ]
    strips = [
        slice(end - m, end) for m, end in zip(widths, itertools.accumulate(widths), strict=True)
    ]
    given = zip(itertools.product(bands, strips), shapes, strict=True)
    places = [(..., band, strip) for (band, strip), shape in given if shape]
    batch = _common([shape[:-2] for shape in shapes if shape])
    return (*batch, sum(heights), sum(widths)), heights, widths, places


def block(rows: Sequence[Sequence[Array]]) -> Array:
    """Assemble matrices from blocks, broadcasting their batch axes; the integer 0 is a block of zeros."""
    shapes: list[tuple[int, ...] | None] = []
    blocks = []
    for b in itertools.chain(*rows):
        if type(b) is int:
            shapes.append(None)
        else:
            shapes.append(b.shape)
            blocks.append(b)
    shape, heights, widths, places = _layout(tuple(shapes), len(rows[0]))
    xp = namespace(blocks)
    if xp is np:
        whole = np.zeros(shape, np.result_type(*blocks))
        for place, b in zip(places, blocks, strict=True):
            whole[place] = b
        return whole

    def filled(b: Array, height: int, width: int) -> Array:  # JAX's arrays cannot be written
        b = zeros((height, width)) if isinstance(b, int) else b
        return xp.broadcast_to(b, (*shape[:-2], height, width))

    bands = [
        xp.concatenate([filled(b, height, w) for b, w in zip(row, widths, strict=True)], axis=-1)
        for row, height in zip(rows, heights, strict=True)
    ]
    return xp.concatenate(bands, axis=-2)


def by_blocks(blocks: Sequence[Array]) -> Callable[[Array], Array]:
    """Return the function that multiplies columns (..., n, c) by a matrix with blocks (..., k, k) on its diagonal.

    Neighbours with one row each are multiplied together, entry by entry.
    """
    parts: list[Array] = []
    acting = [b for b in blocks if b.shape[-1]]
    for single, run in itertools.groupby(acting, lambda b: b.shape[-1] == 1):
        own = list(run)
        parts += [concatenate(own, axis=-2)] if single else own

    def times(x: Array) -> Array:
        done, end = [x[..., :0, :]], 0
        for b in parts:
            own = x[..., end : end + b.shape[-2], :]
            done.append(b * own if b.shape[-1] == 1 else b @ own)
            end += b.shape[-2]
        return concatenate(done, axis=-2)

    return times


def _quotient(a: Any, b: Any) -> Any:
    """Divide two entries of object arrays: two integers give an integer or a fraction, no float."""
    if not (isinstance(a, int) and isinstance(b, int)):
        return a / b
    exact = Fraction(a, b)
    return exact.numerator if exact.denominator == 1 else exact


_quotients = np.frompyfunc(_quotient, 2, 1)


def divide(a: Array, b: Array) -> Array:
    """Quotient of each entry; among objects, that of integers stays exact."""
    objects = (holds_objects(a) or holds_objects(b)) and namespace([a, b]) is np
    return _quotients(a, b) if objects else a / b


def atan2(y: Array, x: Array) -> Array:
    """Angle of the point (x, y), from -pi to pi; analytic in complex x and y, whose real parts say the turn."""
    if not (holds_objects(y) or holds_objects(x)):
        xp = namespace([y, x])
        if "c" not in (y.dtype.kind, x.dtype.kind):
            return xp.arctan2(y, x)
        turn = xp.arctan2(y.real, x.real)
        c, s = xp.cos(turn), xp.sin(turn)
        return turn + xp.arctan((c * y - s * x) / (c * x + s * y))  # the angle that is left
    y, x = np.broadcast_arrays(y, x)
    entries = np.empty(y.shape, object)
    for index in np.ndindex(y.shape):
        entries[index] = _entry_function("atan2", y[index], x[index])
    return entries


def _chosen(condition: Any, a: Any, b: Any) -> Any:
    """Choose between two entries, now or, where the condition is recorded, later."""
    later = getattr(condition, "where", None)
    return (a if condition else b) if later is None else later(a, b)


_choices = np.frompyfunc(_chosen, 3, 1)


def where(condition: Array, a: Array, b: Array) -> Array:
    """Entries of `a` where the condition holds, of `b` elsewhere."""
    if holds_objects(condition):
        return np.asarray(_choices(condition, a, b), object)
    xp = namespace([condition, a, b])
    if xp is np and type(a) is type(b) is int:  # of two constants NumPy makes 64 bits
        return np.where(condition, SMALL(a), SMALL(b))
    return xp.where(condition, a, b)


def _entry_positive(x: Any) -> bool:
    try:
        if isinstance(x, Complex) and not isinstance(x, Real):
            x = x.real
        return bool(x > 0)
    except Exception:  # a symbol's sign is not known, and each library refuses in its own way
        return True


_positives = np.frompyfunc(lambda x: x.above_zero() if hasattr(x, "above_zero") else x > 0, 1, 1)


def positive(x: Array) -> Array:
    """Whether each entry is above zero; one whose sign cannot be known, a symbol, counts as positive.

    Of complex numbers, which carry a derivative in their imaginary part, the real part is judged.
    """
    if holds_objects(x):
        if any(
            hasattr(entry, "above_zero") for entry in x.flat
        ):  # recorded: a truth that is found later
            return np.asarray(_positives(x), object)
        return np.vectorize(_entry_positive, otypes=[bool])(x)
    return (x.real if x.dtype.kind == "c" else x) > 0


def is_small(x: Array, limit: Array) -> Array:
    """Whether each entry is at most this limit, so that a series is summed; symbols and exact numbers at most 0."""
    return ~positive(x - (0 if holds_exact(x) else limit))


def expect(x: Array) -> None:
    """Note, in a recording, that entries must come out positive, or true, for what was recorded to hold."""
    if (notes := recording.get()) is not None:
        notes.expect(x)


def expect_regular(state: Any, felt: Sequence[Array], S: Sequence[Array], inertias: Array) -> None:
    """Note, in a recording, that what each joint feels (..., k, k) must be large beside inertias (..., n, 6, 6)."""
    if (notes := recording.get()) is not None:
        notes.expect_regular(state, felt, S, inertias)


def holds_exact(x: Any) -> bool:
    """Whether this is an array of symbols or exact numbers; recorded ones stand for floats, and are none."""
    return holds_objects(x) and not any(hasattr(entry, "above_zero") for entry in x.flat)


def largest_place(x: Array) -> Array:
    """Place of the largest entry along the last axis, of symbols and exact numbers the first above zero.

    Of recorded numbers it is a number that is found later.
    """
    if holds_exact(x):
        return positive(x).argmax(-1)
    if not holds_objects(x):
        return x.argmax(-1)
    largest, place = x[..., 0], 0 * x[..., 0]
    for k in range(1, x.shape[-1]):
        larger = positive(np.asarray(x[..., k] - largest, object))
        largest, place = where(larger, x[..., k], largest), where(larger, k, place)
    return place


def take_along_last(x: Array, index: Array) -> Array:
    """Entries of `x` at these places along its last axis; the other axes are those of `index`, or broadcast."""
    if holds_objects(index):
        taken = x[..., :1]
        for k in range(1, x.shape[-1]):
            taken = where(positive(index - (k - Fraction(1, 2))), x[..., k : k + 1], taken)
        return taken
    return namespace([x, index]).take_along_axis(x, index, axis=-1)


def repeat(
    count: int, body: Callable[..., Any], state: tuple[Any, ...], only: Array = None
) -> tuple[Any, ...]:
    """Return a state, a tuple of arrays, after body(k, state) has changed it for k = 0 ... count - 1.

    only : (count, 1), not zero in turns that change something: the others, which would change nothing, may be left out.
    A recording keeps one turn: then k has no value, and places arrays by `take`, `put` and `rows_from` alone. A loop
    inside another works on the arrays of that one where they lie: who wants to read them afterwards as they were gives
    it copies, x + 0.
    """
    if (notes := recording.get()) is not None:
        state = notes.repeat(count, body, state, only)
        return state
    for k in range(count):
        state = body(k, state)
    return state


def until_still(most: int, body: Callable[..., Any], state: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a state, a tuple of arrays, after body(state) has changed it `most` times, or until it changes nothing.

    Once a turn changes nothing no later one does: the turn has no number. A recording keeps one turn, of matrices.
    """
    if (notes := recording.get()) is not None:
        state = notes.until_still(most, body, state)
        return state
    for _ in range(most):
        before, state = state, body(state)
        if all(np.array_equal(x, y) for x, y in zip(before, state, strict=True)):
            break
    return state


def computed_place(k: Any, count: int) -> Any:
    """Return a place of so many as an index: a computed one is an array (1, 1), and the nearest that there is."""
    return min(max(int(k.item()), 0), count - 1) if isinstance(k, np.ndarray) else k


def take(x: Array, k: Any, axis: int = -2) -> Array:
    """Row k of matrices (..., m, n) as (..., 1, n), or with axis -1 column k as (..., m, 1).

    k may be a whole number that is computed, as an array (1, 1), of one state: then the nearest row stands in for one
    that is not there.
    """
    if hasattr(x, "take_at"):
        return x.take_at(k, axis)
    if holds_objects(k):  # recorded without a loop: it may be any row
        found = take(x, 0, axis)
        for i in range(1, x.shape[axis]):
            found = where(positive(k - (i - Fraction(1, 2))), take(x, i, axis), found)
        return found
    k = computed_place(k, x.shape[axis])
    return x[..., k : k + 1, :] if axis == -2 else x[..., k : k + 1]


def replaced(x: Array, part: slice, new: Array, axis: int) -> Array:
    """Matrices (..., m, n) with some rows, or with axis -1 columns, replaced; the axes before are broadcast."""
    after: Any = (slice(None),) * (-axis - 1)
    if type(x) is type(new) is np.ndarray and x.shape[:-2] == new.shape[:-2]:
        whole: Any = x.astype(np.result_type(x, new))
        whole[(..., part, *after)] = new
        return whole
    start, stop, _ = part.indices(x.shape[axis])
    parts = [x[(..., slice(start), *after)], new, x[(..., slice(stop, None), *after)]]
    return concatenate(parts, axis)


def put(x: Array, k: Any, new: Array, axis: int = -2) -> Array:
    """Matrices (..., m, n) with row k replaced by (..., 1, n), or with axis -1 column k by (..., m, 1).

    k : as for `take`.
    """
    if hasattr(x, "put_at"):
        return x.put_at(k, new, axis)
    if holds_objects(k):
        last = x.shape[axis] - 1
        for i in range(last + 1):
            here = positive(k - (i - Fraction(1, 2))) if i else True
            here = here & (positive(i + Fraction(1, 2) - k) if i < last else True)
            x = put(x, i, where(np.asarray(here), new, take(x, i, axis)), axis)
        return x
    k = computed_place(k, x.shape[axis])
    return replaced(x, slice(k, k + 1), new, axis)


def rows_from(start: Any, change: Callable[..., Any], *arrays: Array) -> tuple[Array, ...]:
    """Matrices (..., m, n) whose rows from `start` on are changed together, each by its own rows alone."""
    if hasattr(arrays[0], "rows_from"):
        arrays = arrays[0].rows_from(start, change, arrays)
        return arrays
    if start == 0 and (notes := recording.get()) is not None:
        arrays = notes.rows(change, arrays)
        return arrays
    rows = slice(start, None)
    changed = change(*[x[..., rows, :] for x in arrays])
    return tuple(replaced(x, rows, new, -2) for x, new in zip(arrays, changed, strict=True))


def solve_pivoted(A: Array, b: Array) -> Array:
    """Solve A x = b for any regular A (..., k, k), b : (..., k, m), by the library's own solver.

    Among objects, which have none, by `solve`: without pivoting. Long doubles, which it does not know either,
    are solved for in double precision, and what is left over is solved for again.
    """
    if holds_objects(A) or holds_objects(b):
        return solve(A, b)
    library = namespace([A, b]).linalg.solve
    if np.result_type(A.dtype, b.dtype).char not in "gG":
        return library(A, b)
    simple = A.astype(complex if A.dtype.kind == "c" else float)
    x = 0 * b
    for _ in range(4):
        left = b - A @ x
        x = x + library(simple, left.astype(complex if left.dtype.kind == "c" else float))
    return x


def solve(A: Array, b: Array) -> Array:
    """Solve A x = b for a symmetric positive definite A, by elimination without pivoting.

    A : (..., k, k), b : (..., k, m). Returns x (..., k, m). k may be 0. Nothing is checked here: a
    singular A gives infinite or undefined entries.
    """
    k = A.shape[-1]
    if k == 1:
        return divide(b, A) if "O" in (A.dtype.char, b.dtype.char) else b / A
    rows = concatenate([A, b], axis=-1)
    for i in range(k):
        own = divide(rows[..., i : i + 1, :], rows[..., i : i + 1, i : i + 1])
        rows = rows - rows[..., i : i + 1] * own
        rows = concatenate([rows[..., :i, :], own, rows[..., i + 1 :, :]], axis=-2)
    return rows[..., k:]
