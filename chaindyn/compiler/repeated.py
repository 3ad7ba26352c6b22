"""Loops in a recording: a body that is recorded once, and the arrays that it reads and writes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from chaindyn import _ops
from chaindyn.compiler.operations import mark_of
from chaindyn.compiler.recording import CannotRecord, Later, Number, Tape, as_numbers

__all__: list[str] = []

Array = Any

MOST_WRITTEN_OUT = (
    2_500  # turns times numbers that each may change: so short a loop is quicker without
)
MOST_REACHED = 12  # columns a row, in the mean, up to which rows are written out


@dataclass(frozen=True, eq=False)
class Turns:
    """A loop of a recording: its number, those of the loops around it and its own, its first turn and its end.

    still : the numbers of its arrays, if it ends as soon as a turn changes none of them; only : that of the array that
    says which turns may be left out, if any.
    """

    number: int
    path: tuple[int, ...]
    start: Said
    end: int
    still: frozenset[int] | None = None
    only: int | None = None


Said = tuple[int, int, int]  # a place: the number of a loop, times its turn, plus
# What stands for a loop where a place hangs on none, or is a number itself.
NO_LOOP, COMPUTED = -1, -2


@dataclass(frozen=True, eq=False)
class Index(Later):
    """A place that hangs on the turn of a loop: `times` the turn, and `plus`."""

    loop: int
    times: int = 1
    plus: int = 0

    def __add__(self, other: int) -> Index:
        return replace(self, plus=self.plus + other)

    __radd__ = __add__

    def __sub__(self, other: int) -> Index:
        return self + -other

    def __rsub__(self, other: int) -> Index:
        return Index(self.loop, -self.times, other - self.plus)


def said(k: Any) -> Said:
    """Return what a program says of a place."""
    if isinstance(k, Number):
        return COMPUTED, 1, 0
    return (k.loop, k.times, k.plus) if isinstance(k, Index) else (NO_LOOP, 0, int(k))


@dataclass(frozen=True, eq=False)
class Memory:
    """Numbers (rows, columns) that a loop works on, column after column.

    number : its own; filled : what they are first; changes : one for each time after which they may be others; home :
    the loops that may change them, the last of these now; done : their loop, once it is over; puts : what changes them.
    """

    number: int
    rows: int
    columns: int
    filled: Number
    changes: list[None] = field(default_factory=list)
    home: list[tuple[int, ...]] = field(default_factory=list)
    done: list[Number] = field(default_factory=list)
    puts: list[Number] = field(default_factory=list)


class Entries:
    """The functions of arrays in loops: what NumPy, or the few operations, do with their entries."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        own = getattr(_ops if name in ("sin", "cos", "sqrt", "where") else np, name)

        def call(*args: Any, **options: Any) -> Any:
            return own(*[entries_of(x) for x in args], **options)

        return call


def entries_of(x: Any) -> Any:
    """Return arrays of loops, by themselves or in a list, as their entries."""
    if isinstance(x, list | tuple):
        return type(x)(entries_of(part) for part in x)
    return x.whole() if isinstance(x, Held) else x


def delegated(name: str) -> Callable[..., Any]:
    """Return the operator of arrays in loops that does with all entries what that of plain arrays does."""
    return lambda self, *others: getattr(self.whole(), name)(*map(np.asarray, others))


@dataclass(frozen=True, eq=False, repr=False)
class Held(Later):
    """An array (rows, columns) of a loop between two changes; what is done to it is done to its entries then."""

    tape: Tape
    memory: Memory
    version: int
    __array_ufunc__ = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.memory.rows, self.memory.columns

    @property
    def is_over(self) -> bool:
        """Whether the array's loop is over, and the array still what it was then."""
        return not self.memory.home and self.version == len(self.memory.changes)

    def is_of(self, path: Sequence[int]) -> bool:
        """Whether the array belongs to the loop that is being recorded, and is what it is now."""
        return self.memory.home[-1:] == [tuple(path)] and self.version == len(self.memory.changes)

    def read(self, i: Any, j: Any) -> Number:
        """Return an entry; CannotRecord if it may be another one by now."""
        memory, tape = self.memory, self.tape
        if self.version != len(memory.changes):
            raise CannotRecord("a loop reads an array that it has changed since")
        computed = [k for k in (i, j) if isinstance(k, Number)]
        args = (memory.number, *said(i), *said(j), *computed, *memory.done)
        mark = mark_of("taken", *args[:7], self.version, *[k.mark for k in computed])
        return tape.write("taken", args, mark, None, tuple(tape.path))

    def part(self, rows: Sequence[Any], columns: Sequence[Any]) -> Array:
        """Return the entries of some rows and columns."""
        entries = np.empty((len(rows), len(columns)), object)
        for a, b in np.ndindex(entries.shape):
            entries[a, b] = self.read(rows[a], columns[b])
        return entries

    def whole(self) -> Array:
        """Return all entries."""
        return self.part(range(self.shape[0]), range(self.shape[1]))

    def span(self, k: Any, axis: int) -> tuple[Sequence[Any], Sequence[Any]]:
        """Return the rows and columns of row k (axis -2) or column k (axis -1)."""
        rows, columns = map(range, self.shape)
        if isinstance(k, np.ndarray | Held):
            (k,) = as_numbers(self.tape, as_plain(k)).flat
        return ([k], columns) if axis == -2 else (rows, [k])

    def take_at(self, k: Any, axis: int) -> Array:
        """Return a row (1, columns), or a column (rows, 1)."""
        return self.part(*self.span(k, axis))

    def put_at(self, k: Any, new: Any, axis: int) -> Held:
        """Return the array with a row, or a column, replaced: from now on this one is not read."""
        rows, columns = self.span(k, axis)
        return self.written(rows, columns, new)

    def written(self, rows: Sequence[Any], columns: Sequence[Any], new: Any) -> Held:
        """Return the array with other entries in some rows and columns; CannotRecord if it is not the loop's own."""
        tape, memory = self.tape, self.memory
        values = as_numbers(tape, np.broadcast_to(np.asarray(new), (len(rows), len(columns))))
        if self.version != len(memory.changes) or memory.home[-1:] != [tuple(tape.path)]:
            raise CannotRecord(
                "a loop changes an array that is not its own, or one that it has changed since"
            )
        for a, b in np.ndindex(values.shape):
            computed = [k for k in (rows[a], columns[b]) if isinstance(k, Number)]
            place = (memory.number, *said(rows[a]), *said(columns[b]))
            there = mark_of("taken", *place, self.version, *[k.mark for k in computed])
            if values[a, b].mark == there:
                continue  # what is there already
            mark = mark_of("put", *place, len(tape.numbers))
            args = (*place, *computed, values[a, b])
            own = tape.write("put", args, mark, None, tuple(tape.path))
            memory.puts.append(own)
        memory.changes.append(None)
        return now(tape, memory)

    def rows_from(self, start: Any, change: Callable[..., Any], arrays: Sequence[Held]) -> Any:
        """Return arrays, this the first, whose rows from one on are changed, each by itself: a loop inside.

        Of an array whose loop is over all rows are, of a copy.
        """
        if self.is_over and self.memory.done and said(start) == said(0):
            return each_row(self.tape, change, arrays)
        tape, memories = self.tape, [x.memory for x in arrays]
        if any(x.version != len(x.memory.changes) for x in arrays):
            raise CannotRecord("a loop reads an array that it has changed since")
        with turning(tape, said(start), self.shape[0], memories) as turns:
            row, own = Index(turns.number), [now(tape, m) for m in memories]
            made = change(*[x.take_at(row, -2) for x in own])
            for x, new in zip(own, made, strict=True):
                x.put_at(row, new, -2)
        return tuple(now(tape, m) for m in memories)

    def __array_namespace__(self) -> Entries:
        return Entries()

    def __array__(self, *_: Any, **__: Any) -> Array:
        return self.whole()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.whole(), name)

    def __getitem__(self, key: Any) -> Any:
        return self.whole()[key]

    __neg__, __matmul__ = delegated("__neg__"), delegated("__matmul__")
    __add__, __sub__, __mul__ = (delegated(f"__{x}__") for x in ("add", "sub", "mul"))
    __radd__, __rsub__, __rmul__ = (delegated(f"__{x}__") for x in ("radd", "rsub", "rmul"))
    __truediv__, __rmatmul__ = (delegated(f"__{x}__") for x in ("truediv", "rmatmul"))


def now(tape: Tape, memory: Memory) -> Held:
    """Return an array as it is until its next change."""
    return Held(tape, memory, len(memory.changes))


def sources_left_out(tape: Tape, numbers: set[int]) -> list[Number]:
    """Return the quotients, roots and results of loops that must be finite, of those that were left out, by index.

    What a loop reads of its arrays is finite if these are to begin with: its own quotients and roots are `watched`.
    """
    waiting, found = sorted(numbers), dict[int, Number]()
    while waiting:
        x = tape.numbers[waiting.pop()]
        known = x.op in ("inverse", "sqrt") and (x.scope or tape.is_finite(x))
        if x.index in found or known:
            continue
        found[x.index] = x
        if x.op == "filled":
            waiting += x.wild
    return [x for k, x in sorted(found.items()) if x.op != "filled"]


def watched(tape: Tape, turns: Turns, first: int) -> None:
    """Add to a sum, which stays zero unless a quotient or a root of a turn is not finite. The outermost loop has it."""
    wild = [
        x
        for x in tape.numbers[first:]
        if x.op in ("inverse", "sqrt") and x.scope == turns.path and not tape.is_finite(x)
    ]
    if wild and not tape.watch:
        number, zero = len(tape.memories), tape.constant(0)
        filled = tape.write("filled", (number, zero), mark_of("filled", number), None, ())
        tape.memories.append(Memory(number, 1, 1, filled))
        tape.watch.append(tape.memories[number])
    for x in wild:
        place, path = (tape.watch[0].number, *said(0), *said(0)), tuple(tape.path)
        so_far = tape.write("taken", place, mark_of("watched", x.index), None, path)
        nothing = tape.write("-", (x, x), mark_of("nothing", x.index))
        whole = tape.write("+", (so_far, nothing), mark_of("watched so far", x.index))
        tape.write("put", (*place, whole), mark_of("put", *place, x.index), None, path)


@contextmanager
def turning(
    tape: Tape,
    start: Said,
    end: int,
    memories: Sequence[Memory],
    still: bool = False,
    only: int | None = None,
) -> Iterator[Turns]:
    """Record the body of a loop, which may change some arrays, and then the loop; still, only : as of `Turns`."""
    own = frozenset(m.number for m in memories) if still else None
    turns = Turns(len(tape.loops), (*tape.path, len(tape.loops)), start, end, own, only)
    tape.loops.append(turns)
    first = len(tape.numbers)
    tape.path.append(turns.number)
    for memory in memories:
        memory.home.append(turns.path)
        memory.changes.append(None)
    yield turns
    watched(tape, turns, first)
    if not turns.path[1:]:
        memories = [*memories, *tape.watch]
    tape.path.pop()
    inside = [x for x in tape.numbers[first:] if turns.number in x.scope]
    parts = [x for x in inside if x.op in ("put", "loop")]
    given = {
        y.index: y
        for x in inside
        for y in x.args
        if isinstance(y, Number) and turns.number not in y.scope
    }
    fills = [m.filled for m in memories if m.filled.scope == turns.path[:-1]]
    args = (turns.number, *fills, *parts, *given.values())
    loop = tape.write("loop", args, mark_of("loop", turns.number), None, turns.path[:-1])
    for memory in memories:
        memory.home[-1:] = []
        memory.changes.append(None)
        if not memory.home:
            memory.done.append(loop)
    if tape.watch and not tape.path:
        tape.expectations.append(now(tape, tape.watch.pop()).read(0, 0) + 1)


def as_plain(x: Any) -> Array:
    """Return an array as a plain one, of a link's or a loop's too."""
    x = entries_of(x)
    return x.alone() if hasattr(x, "alone") else np.asarray(x)


def held(tape: Tape, values: Array) -> Memory:
    """Return room for an array (rows, columns), filled with these values; of a loop that is over, as a copy.

    So is an array that was filled before with the same values, and that no loop has changed.
    """
    number, known = len(tape.memories), None
    if isinstance(values, Held):
        entries: tuple[Any, ...] = (values.memory.number, *values.memory.done)
    else:
        entries = tuple(as_numbers(tape, values).T.ravel())
        if any(x.value is None for x in entries):
            known = (values.shape, *[x.index for x in entries])
        before = tape.fills.get(known)
        if before is not None and not before.puts and not tape.path:
            entries, known = (before.number, before.filled), None
    filled = tape.write(
        "filled", (number, *entries), mark_of("filled", number), None, tuple(tape.path)
    )
    rows, columns = values.shape
    memory = Memory(number, rows, columns, filled)
    tape.memories.append(memory)
    if known is not None and not tape.path:
        tape.fills[known] = memory
    return memory


def after_turns(
    tape: Tape,
    count: int,
    body: Callable[..., Any],
    state: Sequence[Any],
    still: bool = False,
    only: Any = None,
) -> tuple[Any, ...]:
    """Return the state after so many turns of a body, recorded once; turn by turn where that is short.

    state : arrays (rows, columns), which the body takes with the turn and returns; still : whether the loop ends as
    soon as a turn changes nothing, which a text without a loop cannot; only : (count, 1), zero in turns that a loop may
    leave out.
    """
    if (given := for_a_loop(tape, count, state, still)) is None:
        if still:
            raise CannotRecord("a loop until nothing changes is recorded of matrices alone")
        made = tuple(map(as_plain, state))
        for k in range(count):
            made = tuple(body(k, made))
        return made
    memories, left_out = rooms_for(tape, given), None
    if isinstance(only, Held) and only.is_of(tape.path):  # which is read alone
        left_out = only.memory.number
    elif only is not None:
        memories.append(held(tape, only if isinstance(only, Held) else as_plain(only)))
        left_out = memories[-1].number
    with turning(tape, said(0), count, memories, still, left_out) as turns:
        own = [now(tape, m) for m in memories[: len(given)]]
        settle(tape, own, body(Index(turns.number), tuple(own)))
    return tuple(now(tape, m) for m in memories[: len(given)])


def rooms_for(tape: Tape, given: Sequence[Any]) -> list[Memory]:
    """Return room for the arrays of a loop: that of the loop around it where they are its own, each once."""
    memories: list[Memory] = []
    for x in given:
        own = isinstance(x, Held) and x.is_of(tape.path) and x.memory not in memories
        memories.append(x.memory if own else held(tape, x))
    return memories


def for_a_loop(
    tape: Tape, count: int, state: Sequence[Any], still: bool = False
) -> list[Any] | None:
    """Return arrays as a loop takes them, those of loops and plain ones; None if it is written out.

    After a loop nothing is: what it reads of arrays of loops would be written out too, and judged entry by entry.
    """
    arrays = [
        x if isinstance(x, Held) and (x.is_over or x.is_of(tape.path)) else as_plain(x)
        for x in state
    ]
    size = sum(math.prod(x.shape) for x in arrays)
    flat = all(len(x.shape) == 2 for x in arrays)
    long = still or tape.loops or count * size > MOST_WRITTEN_OUT
    return arrays if flat and long else None


def reach_few(rows: Any) -> bool:
    """Whether rows have few entries each that are not known to be zero: written out these need no loop."""
    if not (type(rows) is np.ndarray and rows.ndim == 2 and rows.size):
        return False
    acting = sum(bool(getattr(x, "value", x) != 0) for x in rows.flat)
    return acting <= MOST_REACHED * len(rows)


def each_row(tape: Tape, change: Callable[..., Any], arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Return arrays all of whose rows are changed, each by itself: a loop, or all together where that is short."""
    few = reach_few(arrays[0])
    if few or (given := for_a_loop(tape, arrays[0].shape[-2], arrays)) is None:
        return tuple(change(*map(as_plain, arrays)))
    own = [now(tape, held(tape, x)) for x in given]
    return tuple(own[0].rows_from(0, change, own))


def settle(tape: Tape, before: Sequence[Held], after: Sequence[Any]) -> None:
    """Write down what a body returns in place of what it was given, where that is not there yet."""
    values = [
        None if isinstance(x, Held) and x.memory is old.memory else as_plain(x)
        for old, x in zip(before, after, strict=True)
    ]
    for old, x, new in zip(before, after, values, strict=True):
        if new is not None:
            rows, columns = map(range, old.shape)
            now(tape, old.memory).written(rows, columns, new)
        elif x.version != len(x.memory.changes):
            raise CannotRecord("a loop returns an array that it has changed since")
