"""Arrays with one entry for every link, recorded once for every kind of link."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from chaindyn import _ops
from chaindyn.compiler.operations import mark_of
from chaindyn.compiler.recording import CannotRecord, Later, Number, Tape, as_numbers
from chaindyn.compiler.repeated import after_turns, each_row, sources_left_out

__all__: list[str] = []

Array = Any


Result = TypeVar("Result")
SYMMETRIC = ("inertia", "spatial_inertia")  # parameters of links whose entries mirror each other
ROUNDING = 1e-10  # relative: beyond, the functions themselves judge pivots, at leisure


class CannotRoll(Exception):
    """An operation that one kind of link cannot stand for all its links in."""


class Refine(Exception):
    """Links that were taken for one kind are not: which differ (a label for each link)."""

    def __init__(self, labels: Sequence[Any]) -> None:
        super().__init__("links of one kind differ")
        self.labels = labels


def leaves_of(tree: Any) -> list[Any]:
    """Return the arrays of nested tuples, lists and dataclasses."""
    if isinstance(tree, tuple | list):
        return [leaf for part in tree for leaf in leaves_of(part)]
    if dataclasses.is_dataclass(tree) and not isinstance(tree, Later):
        return [leaf for f in fields(tree) for leaf in leaves_of(getattr(tree, f.name))]
    return [tree]


def with_leaves(tree: Any, leaves: Iterator[Any]) -> Any:
    """Return the same nest with these arrays in place of its own."""
    kind: Any = type(tree)
    if isinstance(tree, tuple | list):
        return kind([with_leaves(part, leaves) for part in tree])
    if dataclasses.is_dataclass(tree) and not isinstance(tree, Later):
        return kind(*[with_leaves(getattr(tree, f.name), leaves) for f in fields(tree)])
    return next(leaves)


@dataclass(frozen=True, eq=False, repr=False)
class Recording:
    """A recording in progress: the tape, the tree, the kind of every link, and what every kind knows of its links.

    columns : for each kind the columns of numbers that differ from link to link (what each number "data" stands for);
    shared : those of the whole chain; open : whether the model's numbers may be others later, so that none is looked
    at; passing : whether columns may be on their way to the ground; sweeps : those that were recorded; memory : results
    of operations on links, which their kind has done already; seen : the parameters that have a number; refusals : why
    it will not do, whoever drops these errors; turns : the sweep and the turn that numbers were carried in, by their
    index; last_turn : of each sweep.
    """

    tape: Tape
    parent: tuple[int, ...]
    kind: Array
    columns: dict[int, dict[Any, Array]] = field(default_factory=dict)
    shared: dict[Any, Any] = field(default_factory=dict)
    open: bool = False
    passing: bool = True
    sweeps: list[Sweep] = field(default_factory=list)
    memory: dict[Any, Any] = field(default_factory=dict)
    seen: dict[Any, Any] = field(default_factory=dict)
    refusals: list[Exception] = field(default_factory=list)
    turns: dict[int, tuple[int, int]] = field(default_factory=dict)
    last_turn: dict[int, int] = field(default_factory=dict)

    def members(self, kind: int) -> Array:
        """Return the links of a kind."""
        return np.flatnonzero(self.kind == kind)

    def parameter(self, kind: int, column: Array) -> Number:
        """Return the number that stands for a column (members,), a number for each link of a kind."""
        first = float(column[0])
        if first in (0, 1, -1, 2, 0.5) and (column == first).all():
            return self.tape.constant(first)
        if float(np.abs(column).max()) == 0:
            return self.tape.constant(0)
        opposite = (kind, (-column).tobytes())
        if opposite in self.seen:
            mirrored: Number = -self.seen[opposite]
            return mirrored
        key = (kind, column.tobytes())
        if key not in self.seen:
            own = self.columns.setdefault(kind, {})
            self.seen[key] = self.tape.unknown("data", len(own), owner=kind)
            own[len(own)] = column
        number: Number = self.seen[key]
        return number

    def model(self, kind: int, name: str, entries: Sequence[Any]) -> Array:
        """Return what stands for a parameter of the links of a kind, arrays (members, ...).

        In an open recording every entry is a number of its own, but those that mirror each other in inertias.
        """
        if not self.open:
            return self.each(kind, entries)
        whole = np.asarray(entries, float)
        result = np.empty(whole.shape[1:], object)
        own = self.columns.setdefault(kind, {})
        for place in np.ndindex(result.shape):
            key = (name, *(sorted(place) if name in SYMMETRIC else place))
            own[key] = whole[(slice(None), *place)]
            result[place] = self.tape.unknown("data", key, owner=kind)
        return result

    def common(self, value: float) -> Number:
        """Return the number that stands for a parameter of the whole chain."""
        value = float(value)
        if value in (0, 1, -1):
            return self.tape.constant(value)
        if value not in self.seen:
            self.seen[value] = len(self.shared)
            self.shared[len(self.shared)] = value
        return self.tape.unknown("shared", self.seen[value])

    def whole_chain(self, name: str, values: Sequence[float]) -> Array:
        """Return what stands for a parameter (k,) of the whole chain."""
        if not self.open:
            return as_numbers(self.tape, np.array([self.common(x) for x in values], object))
        entries = np.empty(len(values), object)
        for k, x in enumerate(values):
            self.shared[name, k] = float(x)
            entries[k] = self.tape.unknown("shared", (name, k))
        return entries

    def each(self, kind: int, entries: Sequence[Any]) -> Array:
        """Return what stands for arrays (members, ...), one for each link of a kind: numbers that differ are data."""
        first = entries[0]
        if (
            isinstance(first, np.ndarray)
            and first.dtype == object
            and all(e is first for e in entries)
        ):
            return first
        if len({np.shape(e) for e in entries}) > 1:
            raise Refine(self.labelled(kind, [np.shape(e) for e in entries]))
        if any(isinstance(e, np.ndarray) and e.dtype == object for e in entries):
            return self.each_recorded(kind, np.stack([np.asarray(e, object) for e in entries]))
        whole = np.asarray(entries, float)
        result = np.empty(whole.shape[1:], object)
        for place in np.ndindex(result.shape):
            result[place] = self.parameter(kind, np.ascontiguousarray(whole[(slice(None), *place)]))
        return result

    def each_recorded(self, kind: int, whole: Array) -> Array:
        """Return what stands for arrays (members, ...) with recorded numbers in them, which all members must share."""
        result = np.empty(whole.shape[1:], object)
        for place in np.ndindex(result.shape):
            column = whole[(slice(None), *place)]
            if not all(isinstance(e, Number) for e in column):
                result[place] = self.parameter(kind, column.astype(float))
                continue
            if len({e.index for e in column}) > 1:
                raise Refine(self.labelled(kind, [e.index for e in column]))
            result[place] = column[0]
        return result

    def labelled(self, kind: int, labels: Sequence[Any]) -> list[Any]:
        """Return a label for every link, from those of one kind."""
        own: list[Any] = [None] * len(self.parent)
        for i, label in zip(self.members(kind), labels, strict=True):
            own[i] = label
        return own

    def done(self, key: Any, alive: Any, make: Callable[[], Result]) -> Result:
        """Return a result that a kind has already, or make it; alive : what the key names by identity."""
        if key not in self.memory:
            self.memory[key] = make(), alive
        made: Result = self.memory[key][0]
        return made

    def read(self, number: Any, link: int) -> Any:
        """Return the number of one link as nobody's."""
        if not isinstance(number, Number) or number.owner is None:
            return number
        return self.tape.write("read", (number, link), mark_of("read", link, number.mark))

    def repeat(
        self, count: int, body: Callable[..., Any], state: Sequence[Any], only: Any = None
    ) -> tuple[Any, ...]:
        """Return the state after so many turns of a body, as `_ops.repeat` does."""
        return after_turns(self.tape, count, body, state, only=only)

    def until_still(
        self, most: int, body: Callable[..., Any], state: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Return the state once a turn of a body changes nothing, as `_ops.until_still` does."""
        return after_turns(self.tape, most, lambda _, own: body(own), state, still=True)

    def rows(self, change: Callable[..., Any], arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Return arrays all of whose rows are changed, each by itself, as `_ops.rows_from` does."""
        return each_row(self.tape, change, arrays)

    def expect_what_was_left_out(self) -> None:
        """Note that quotients and roots must be finite that were left out: zero times one, or one minus itself.

        Sweeps are recorded in several turns: of those before the last nothing is computed.
        """
        tape, stale = self.tape, set()
        for x in tape.numbers:
            turn = self.turns.get(x.index)
            before = turn is not None and self.last_turn.get(turn[0]) != turn[1]
            if before or any(isinstance(y, Number) and y.index in stale for y in x.args):
                stale.add(x.index)
        sources = sources_left_out(tape, tape.doubts - stale)
        signs = [tape.finite(x) for x in sources]  # no number, if one is none: neither is their sum
        tape.expectations.extend(x for x in signs if x.owner is None)
        if owned := [x for x in signs if x.owner is not None]:
            tape.expectations.append(self.over_links("total", owned))

    def expect(self, x: Any) -> None:
        """Note that entries must come out positive."""
        if isinstance(x, Link):
            x = x.alone()
        if isinstance(x, Rolled):
            entries = [
                self.owned(e, kind)
                for kind, b in x.settled().blocks.items()
                for e in as_numbers(self.tape, b).flat
            ]
            x = np.array([self.over_links("least", entries)], object)
        for entry in np.asarray(x, object).flat:
            if isinstance(entry, Number):
                if entry.scope:
                    raise CannotRecord("what must be positive hangs on the turn of a loop")
                self.tape.certain.add(entry.index)
                self.tape.expectations.append(entry)
            elif not entry > 0:
                raise CannotRecord("what must be positive is not")

    def expect_regular(
        self, state: Any, felt: Sequence[Any], S: Sequence[Any], inertias: Any
    ) -> None:
        """Note that what every joint feels, D = S^T I S (k, k), must be large beside its rounding.

        Of a symmetric matrix that is positive definite the largest entry is on the diagonal. So each pivot of D is
        compared with what its motion would feel of the largest moment of inertia and of the largest mass of all, moved
        by the longest arm: no units meet that differ, and bodies of all sizes are judged alike.
        """
        diagonal = (inertias * _ops.eye(6)).sum(-1)
        blocks = diagonal.blocks.values() if isinstance(diagonal, Rolled) else [diagonal]
        turning, moving = (
            self.extreme(
                "greatest", [largest_of(as_numbers(self.tape, b[..., own])) for b in blocks]
            )
            for own in (slice(3), slice(3, 6))
        )
        turning = turning + moving * self.longest_arm(state)
        known = {id(b): (b, s) for D, s in zip(felt, S, strict=True) if (b := block_of(D)).size}
        pivots: dict[int, tuple[Number, list[Number]]] = {}
        for D, s in known.values():
            squares = as_numbers(self.tape, block_of(s)) ** 2
            sizes = squares[..., :3, :].sum(-2) * turning + squares[..., 3:, :].sum(-2) * moving
            for size, pivot in zip(sizes.flat, pivots_of(as_numbers(self.tape, D)), strict=True):
                pivots.setdefault(size.index, (size, []))[1].append(pivot)
                self.tape.certain.add(pivot.index)
        margins = [
            x - ROUNDING * size
            for size, own in pivots.values()
            for x in (own if size.owner is not None else [self.extreme("least", own)])
        ]
        if margins:
            self.expect([self.extreme("least", margins)])

    def longest_arm(self, state: Any) -> Number:
        """Return the square of the greatest distance between origins of a link and its parent, unless all have one."""
        zero = self.tape.constant(0)
        if state.recursion == "world":
            return zero
        _, p = state.local_poses
        inner = np.array(state.chain.parent) >= 0
        if isinstance(p, Rolled):
            blocks = [
                b for kind, b in p.settled().blocks.items() if inner[self.members(kind)].any()
            ]
        else:
            blocks = [p[inner]]
        arms = [x for b in blocks for x in (as_numbers(self.tape, b) ** 2).sum(-1).flat]
        return self.extreme("greatest", arms) if arms else zero

    def extreme(self, op: str, numbers: Sequence[Number]) -> Number:
        """Return the "least" or the "greatest" of numbers, over all links of their kinds."""
        nobodys = [x for x in numbers if x.owner is None]
        owned = [x for x in numbers if x.owner is not None]
        found = [*nobodys, self.over_links(op, owned)] if owned else nobodys
        return reduce(Number.minimum if op == "least" else Number.maximum, found)

    def owned(self, x: Number, kind: int) -> Number:
        """Return a number as one that every link of a kind has, also where it is nobody's."""
        if x.owner is not None or not x.mark:
            return x
        return self.tape.write("same", (x,), mark_of("same", kind, x.mark), kind)

    def over_links(self, op: str, numbers: Sequence[Number]) -> Number:
        """Return the "total" over all links of the kinds that these belong to, or the "least" or "greatest"."""
        given = [x for x in numbers if x.mark or op != "total"]
        if not given:
            return self.tape.constant(0)
        marks = sorted((x.owner, x.mark) for x in given)
        return self.tape.write(op, tuple(given), mark_of(op, marks))


def block_of(x: Any) -> Array:
    """Return what stands for an array in all links of a kind."""
    return x.block if isinstance(x, Link) else x


def largest_of(entries: Array) -> Number:
    """Return the largest of some numbers."""
    largest: Number = reduce(Number.maximum, entries.flat)
    return largest


def pivots_of(D: Array) -> list[Number]:
    """Return the pivots (k,) of a matrix (k, k), which are positive if it is positive definite."""
    pivots: list[Number] = []
    for _ in range(D.shape[-1]):
        pivot = D[..., :1, :1]
        pivots.append(pivot.flat[0])
        D = D[..., 1:, 1:] - D[..., 1:, :1] @ (D[..., :1, 1:] / pivot)
    return pivots


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _ops.divide,
    "@": operator.matmul,
    "&": operator.and_,
}


def both_ways(op: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Return the methods for an operator: of arrays on its left, and on its right."""
    return (
        lambda self, other: self.combine(op, other, False),
        lambda self, other: self.combine(op, other, True),
    )


def as_objects(x: Any) -> Any:
    """Return what a kind's block can be computed with."""
    return x if isinstance(x, np.ndarray | int | float) else np.asarray(x)


class Opaque(Later):
    """What arrays of links have in common: operators, and that NumPy leaves these to them."""

    __array_ufunc__ = None
    __slots__ = ()
    recording: Recording
    dtype = np.dtype(object)

    def __array_namespace__(self) -> Any:
        """Return the functions for such arrays."""
        return Functions

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Refuse to be a plain array. CannotRoll always; NumPy drops the error in places, the recording does not."""
        self.recording.refusals.append(CannotRoll("arrays of links as plain ones"))
        raise self.recording.refusals[-1]

    __add__, __radd__ = both_ways("+")
    __sub__, __rsub__ = both_ways("-")
    __mul__, __rmul__ = both_ways("*")
    __truediv__, __rtruediv__ = both_ways("/")
    __matmul__, __rmatmul__ = both_ways("@")
    __and__, __rand__ = both_ways("&")

    def __neg__(self) -> Any:
        return self.combine("*", -1, False)

    def __gt__(self, other: Any) -> Any:
        return apply(_ops.positive, self - other)

    def __invert__(self) -> Any:
        return apply(inverted, self)

    @property
    def mT(self) -> Any:
        """The transposes of the matrices in the last two axes."""
        return self.transposed()

    def astype(self, kind: Any) -> Any:
        """Return the array itself: recorded numbers are doubles, and what another type makes of them is a value."""
        return self if np.dtype(kind) in (np.dtype(float), np.dtype(object)) else self.refuse()

    def combine(self, op: str, other: Any, swapped: bool) -> Any:
        """Return `self op other`, or `other op self` if swapped."""
        raise NotImplementedError

    def transposed(self) -> Any:
        """Return the transposes of the matrices in the last two axes."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False)
class Link(Opaque):
    """An array of one link; block : what stands for it in all links of its kind."""

    recording: Recording
    link: int
    block: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(self.block.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return int(self.block.ndim)

    def __len__(self) -> int:
        return len(self.block)

    @property
    def kind(self) -> int:
        """The kind of the link."""
        return int(self.recording.kind[self.link])

    def changed(self, word: Any, alive: Any, make: Callable[[], Array]) -> Link:
        """Return the array that a function of the block makes, once for the kind."""
        key = (word, id(self.block))
        block = self.recording.done(key, (self.block, alive), make)
        return Link(self.recording, self.link, block)

    def combine(self, op: str, other: Any, swapped: bool) -> Any:
        """Return `self op other`, or `other op self` if swapped; nobody's numbers if it is of two links."""
        if isinstance(other, Rolled):
            return NotImplemented
        if isinstance(other, Link):
            if other.link != self.link:
                first, second = (other, self) if swapped else (self, other)
                return OPERATORS[op](first.alone(), second.alone())
            other = other.block
        a, b = (other, self.block) if swapped else (self.block, other)
        return self.changed(
            (op, swapped, id(other)), other, lambda: np.asarray(OPERATORS[op](a, b))
        )

    def transposed(self) -> Any:
        """Return the transposes of the matrices in the last two axes."""
        return self.changed("mT", None, lambda: self.block.mT)

    def __getitem__(self, key: Any) -> Any:
        return self.changed(("item", repr(key)), None, lambda: np.asarray(self.block[key]))

    def reshape(self, *shape: Any) -> Link:
        """Return the same entries in another shape."""
        return self.changed(("reshape", shape), None, lambda: self.block.reshape(*shape))

    def sum(self, axis: Any = None, keepdims: bool = False) -> Link:
        """Return the sum along axes, along all if none is named."""
        return self.changed(
            ("sum", axis, keepdims),
            None,
            lambda: np.asarray(self.block.sum(axis, keepdims=keepdims)),
        )

    def alone(self) -> Array:
        """Return the array as nobody's numbers."""
        entries = np.empty(self.block.shape, object)
        for place, x in np.ndenumerate(self.block):
            entries[place] = self.recording.read(x, self.link)
        return entries


@dataclass(frozen=True, eq=False, repr=False)
class Rolled(Opaque):
    """An array one of whose axes runs over links, or over the coordinates or velocities of each.

    axis : which, counted from the end, negative; blocks : for each kind what stands for all of its links, with their
    own entries along that axis; links : (length,) whose each entry along the axis is; rows : (length,) which entry of
    the block it is.
    """

    recording: Recording
    axis: int
    blocks: dict[int, Array]
    links: Array
    rows: Array

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return int(next(iter(self.blocks.values())).ndim)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        shape = list(next(iter(self.blocks.values())).shape)
        shape[self.axis] = len(self.links)
        return tuple(shape)

    def __len__(self) -> int:
        return self.shape[0]

    def settled(self) -> Rolled:
        """Return the same with the entries of each link in one run, block entry after block entry."""
        key = ("settled", id(self))
        return self.recording.done(key, self, self.settle)

    def runs(self) -> list[tuple[int, int]]:
        """Return where the entries of each link start and end, in the order they stand in."""
        if not len(self.links):
            return []
        starts = np.flatnonzero(np.r_[True, np.diff(self.links) != 0])
        if len(set(self.links[starts].tolist())) < len(starts):
            raise CannotRoll("the entries of a link lie apart")
        return list(zip(starts.tolist(), [*starts[1:].tolist(), len(self.links)], strict=True))

    def settle(self) -> Rolled:
        """Return what `settled` keeps; Refine if links of a kind have other entries of their blocks here."""
        runs = self.runs()
        labels: list[Any] = [None] * len(self.recording.parent)
        for a, b in runs:
            labels[self.links[a]] = tuple(self.rows[a:b].tolist())
        taken: dict[int, tuple[int, ...]] = {}
        for a, _ in runs:
            i = self.links[a]
            if taken.setdefault(int(self.recording.kind[i]), labels[i]) != labels[i]:
                raise Refine(labels)
        blocks = {
            kind: taken_from(self.blocks[kind], own, self.axis) for kind, own in taken.items()
        }
        rows = np.concatenate([np.arange(b - a) for a, b in runs]) if runs else self.rows
        return Rolled(self.recording, self.axis, blocks, self.links, rows)

    def mapped(self, function: Callable[[Array], Array], axis: int | None = None) -> Rolled:
        """Return the array that a function makes of every block; axis : where its own axis is then."""
        blocks = {kind: function(block) for kind, block in self.blocks.items()}
        return Rolled(
            self.recording, self.axis if axis is None else axis, blocks, self.links, self.rows
        )

    def share(self, other: Array, axis: int, kind: int) -> Array:
        """Return what a plain array, as long as this one along an axis, is for the links of a kind; None for none."""
        own = np.flatnonzero(self.recording.kind[self.links] == kind)
        members, counts = np.unique(self.links[own], return_counts=True)
        if len(members) == 0:
            return None
        front = np.moveaxis(other, axis, 0)[own]
        entries = front.reshape((len(members), counts[0], *front.shape[1:]))
        entries = np.moveaxis(entries, 1, axis)
        everybody = self.recording.members(kind)
        if len(everybody) != len(members):
            raise CannotRoll("a plain array for some links of a kind")
        order = np.argsort(self.links[own][:: counts[0]], kind="stable")
        return self.recording.each(kind, list(entries[order]))

    def combine(self, op: str, other: Any, swapped: bool) -> Any:
        """Return `self op other`, or `other op self` if swapped, kind by kind."""
        if isinstance(other, Link):
            other = other.alone()
        mine = self.settled()
        if isinstance(other, Rolled):
            return mine.with_rolled(op, other.settled(), swapped)
        other = as_objects(other)
        along = (
            isinstance(other, np.ndarray)
            and other.ndim >= -mine.axis
            and other.shape[mine.axis] != 1
        )
        if op == "@" and mine.axis == (-2 if swapped else -1):
            if along:
                return mine.contracted(other, swapped)
            raise CannotRoll("a product along links")
        if op == "@" and mine.axis > -3:
            along = False  # the axis is one of the result's own
        blocks = {}
        for kind, block in mine.blocks.items():
            part = mine.share(other, mine.axis, kind) if along else other
            a, b = (part, block) if swapped else (block, part)
            blocks[kind] = np.asarray(OPERATORS[op](a, b), object)
        return Rolled(mine.recording, mine.axis, blocks, mine.links, mine.rows)

    def contracted(self, other: Array, swapped: bool) -> Array:
        """Return the matrix product that sums over all links."""
        axis = -1 if swapped else -2
        parts = {}
        for kind, block in self.blocks.items():
            share = self.share(other, axis, kind)
            parts[kind] = share @ block if swapped else block @ share
        return total(self.recording, parts)

    def with_rolled(self, op: str, other: Rolled, swapped: bool) -> Any:
        """Return `self op other`, or `other op self` if swapped, of arrays over the same links."""
        a, b = (other, self) if swapped else (self, other)
        if op == "@" and a.axis == -1 and b.axis == -2:
            return total(a.recording, {kind: a.blocks[kind] @ b.blocks[kind] for kind in a.blocks})
        if (
            a.axis != b.axis
            or not np.array_equal(a.links, b.links)
            or a.blocks.keys() != b.blocks.keys()
        ):
            raise CannotRoll("arrays over different links")
        blocks = {
            kind: np.asarray(OPERATORS[op](a.blocks[kind], b.blocks[kind]), object)
            for kind in a.blocks
        }
        return Rolled(a.recording, a.axis, blocks, a.links, a.rows)

    def transposed(self) -> Rolled:
        """Return the transposes of the matrices in the last two axes."""
        axis = {-1: -2, -2: -1}.get(self.axis, self.axis)
        return self.mapped(lambda block: block.mT, axis)

    def reshape(self, *shape: Any) -> Rolled:
        """Return the same entries in another shape, whose axis of links holds whole links."""
        shape = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        mine, at = self.settled(), self.ndim + self.axis
        before, after = self.shape[:at], self.shape[at + 1 :]
        if tuple(shape[:at]) != before or len(shape) <= at or shape[at] % max(len(self.links), 1):
            raise CannotRoll("a change of shape across links")
        times, rest = shape[at] // max(len(self.links), 1), tuple(shape[at + 1 :])
        if int(np.prod(after)) != times * int(np.prod(rest)):
            raise CannotRoll("a change of shape across links")
        widths = {kind: block.shape[mine.axis] for kind, block in mine.blocks.items()}
        blocks = {
            kind: block.reshape((*before, widths[kind] * times, *rest))
            for kind, block in mine.blocks.items()
        }
        links = np.repeat(mine.links, times)
        rows = (mine.rows[:, None] * times + np.arange(times)).reshape(-1)
        return Rolled(self.recording, -1 - len(rest), blocks, links, rows)

    def sum(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the sum along axes, along all if none is named; nobody's numbers if it is over links."""
        named = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes = {a % self.ndim - self.ndim for a in named}
        mine = self.settled()

        def summed(block: Array) -> Array:
            return np.asarray(block.sum(tuple(axes), keepdims=keepdims), object)

        if self.axis in axes:
            return total(self.recording, {kind: summed(b) for kind, b in mine.blocks.items()})
        lost = 0 if keepdims else sum(a > self.axis for a in axes)
        return mine.mapped(summed, self.axis + lost)

    def spelled_out(self, key: Any) -> tuple[Any, ...]:
        """Return an index that says of every axis what it takes."""
        key = key if isinstance(key, tuple) else (key,)
        given = sum(k is not None and k is not Ellipsis for k in key)
        if not any(k is Ellipsis for k in key):
            key = (*key, Ellipsis)
        spot = next(i for i, k in enumerate(key) if k is Ellipsis)
        return (*key[:spot], *[slice(None)] * (self.ndim - given), *key[spot + 1 :])

    def __getitem__(self, key: Any) -> Any:
        key = self.spelled_out(key)
        axes = [where for where, k in enumerate(key) if k is not None]
        where = axes[self.ndim + self.axis]
        own, before, behind = key[where], key[:where], key[where + 1 :]
        rest = (*before, slice(None), *behind)
        base = self
        if not all(is_whole(k) for k in rest):
            lost = sum(isinstance(k, int | np.integer) for k in behind)
            axis = self.axis + lost - sum(k is None for k in behind)
            base = self.mapped(lambda b: np.asarray(b[rest], object), axis)
        return base if is_whole(own) else base.along(own)

    def along(self, own: Any) -> Any:
        """Return entries along the axis of links."""
        if isinstance(own, int | np.integer):
            return self.of_link(int(self.links[own]), (int(self.rows[own]),), drop=True)
        if isinstance(own, slice):
            return self.along_slice(own)
        own = np.asarray(own)
        if own.dtype == bool:
            own = np.flatnonzero(own)
        if own.ndim == 1:
            return Rolled(self.recording, self.axis, self.blocks, self.links[own], self.rows[own])
        if own.ndim == 2:
            return self.along_table(own)
        raise CannotRoll("entries of several links")

    def along_slice(self, own: slice) -> Any:
        """Return a stretch of the axis of links: an array of one link, if that is all there is in it."""
        links, rows = self.links[own], self.rows[own]
        if not len(links):
            at = self.ndim + self.axis
            return np.empty((*self.shape[:at], 0, *self.shape[at + 1 :]), object)
        some = len(links) < len(self.links) or len(self.recording.parent) == 1
        if some and (links[0] == links).all():
            return self.of_link(int(links[0]), tuple(rows.tolist()), drop=False)
        return Rolled(self.recording, self.axis, self.blocks, links, rows)

    def along_table(self, own: Array) -> Any:
        """Return entries (links, k), each row of one link, as an array with an axis more."""
        if own.shape[1] == 0:  # of joints without coordinates
            at = self.ndim + self.axis
            return np.empty((*self.shape[:at], *own.shape, *self.shape[at + 1 :]), object)
        flat = self.along(own.reshape(-1)).settled()
        links = flat.links.reshape(own.shape)
        if not (links == links[:, :1]).all():
            raise CannotRoll("entries of several links")
        blocks = {kind: np.expand_dims(b, self.axis - 1) for kind, b in flat.blocks.items()}
        rows = np.zeros(len(links), int)
        return Rolled(self.recording, self.axis - 1, blocks, links[:, 0], rows)

    def of_link(self, link: int, rows: tuple[int, ...], drop: bool) -> Link:
        """Return the entries of one link."""
        kind = int(self.recording.kind[link])
        whole = self.blocks[kind]

        def make() -> Array:
            if drop:
                return np.asarray(whole.take(rows[0], axis=self.axis), object)
            return taken_from(whole, rows, self.axis)

        key = ("rows", id(whole), self.axis, rows, drop)
        return Link(self.recording, link, self.recording.done(key, whole, make))


def taken_from(block: Array, rows: tuple[int, ...], axis: int) -> Array:
    """Return entries of a block along an axis: the block itself, if these are all."""
    return block if rows == tuple(range(block.shape[axis])) else block.take(rows, axis=axis)


def is_whole(index: Any) -> bool:
    """Whether an index of an axis takes all of it."""
    return isinstance(index, slice) and index == slice(None)


def total(recording: Recording, parts: dict[int, Array]) -> Array:
    """Return the sum over all links of what each kind has (...), as nobody's numbers."""
    own = {kind: as_numbers(recording.tape, part) for kind, part in parts.items()}
    entries = np.empty(next(iter(own.values())).shape, object)
    for place in np.ndindex(entries.shape):
        numbers = [recording.owned(part[place], kind) for kind, part in own.items()]
        entries[place] = recording.over_links("total", numbers)
    return entries


class Functions:
    """The functions that arrays of links are made and changed by."""

    @staticmethod
    def sin(x: Any) -> Any:
        """Return the sines of all entries."""
        return apply(_ops.sin, x)

    @staticmethod
    def cos(x: Any) -> Any:
        """Return the cosines of all entries."""
        return apply(_ops.cos, x)

    @staticmethod
    def sqrt(x: Any) -> Any:
        """Return the square roots of all entries."""
        return apply(_ops.sqrt, x)

    @staticmethod
    def where(condition: Any, a: Any, b: Any) -> Any:
        """Return the entries of `a` where a condition is true, those of `b` elsewhere."""
        given = [condition, a, b]
        rolled = [x.settled() for x in given if isinstance(x, Rolled)]
        if not rolled:
            return _ops.where(*[alone(x) for x in given])
        first = rolled[0]
        blocks = {}
        for kind in first.blocks:
            own = [x.settled().blocks[kind] if isinstance(x, Rolled) else x for x in given]
            blocks[kind] = _ops.where(*own)
        return Rolled(first.recording, first.axis, blocks, first.links, first.rows)

    @staticmethod
    def broadcast_to(x: Any, shape: tuple[int, ...]) -> Any:
        """Return an array with entries repeated until it has a shape."""
        if isinstance(x, np.ndarray):
            return np.broadcast_to(x, shape)
        if x.shape == tuple(shape):
            return x
        if isinstance(x, Link):
            return np.broadcast_to(x.alone(), shape)

        def grown(block: Array) -> Array:
            own = list(shape)
            own[x.axis] = block.shape[x.axis]
            return np.broadcast_to(block, own)

        return x.mapped(grown)

    @staticmethod
    def stack(arrays: Sequence[Any], axis: int) -> Any:
        """Return arrays side by side along a new axis."""
        if are_of_different_links(arrays):
            return rolled_up([with_axis(x, axis) for x in arrays], axis)
        first = next((x for x in arrays if isinstance(x, Rolled)), None)
        if first is None:
            return np.stack([alone(x) for x in arrays], axis=axis)
        # a new axis after the links' one, or in its place, moves it one to the left
        own = first.axis - 1 if axis >= first.axis else first.axis
        return blockwise(
            arrays, lambda parts: np.stack(np.broadcast_arrays(*parts), axis=axis), own
        )

    @staticmethod
    def concatenate(arrays: Sequence[Any], axis: int) -> Any:
        """Return arrays end to end along an axis."""
        if len(arrays) > 1 and are_of_different_links(arrays):
            return rolled_up(arrays, axis)
        rolled = [x for x in arrays if isinstance(x, Rolled)]
        if not rolled:
            return joined_of_link(arrays, axis)
        first = rolled[0]
        axis = axis if axis < 0 else axis - first.ndim
        if any(x.axis == axis for x in rolled):
            long = [
                repeated(first.recording, x, axis) if isinstance(x, np.ndarray) else x
                for x in arrays
            ]
            return end_to_end(long)
        return blockwise(arrays, lambda parts: np.concatenate(parts, axis=axis), first.axis)


def are_of_different_links(arrays: Sequence[Any]) -> bool:
    """Whether these are arrays of one link each, no two of the same."""
    links = [x.link for x in arrays if isinstance(x, Link)]
    return len(links) == len(arrays) == len(set(links))


def with_axis(x: Link, axis: int) -> Link:
    """Return an array of a link with an axis of length one more."""
    return x.changed(("stack", axis), None, lambda: np.expand_dims(x.block, axis))


def joined_of_link(arrays: Sequence[Any], axis: int) -> Any:
    """Return arrays end to end, some of them of a link: the link's own if all these are of one, else nobody's."""
    of_links = [x for x in arrays if isinstance(x, Link)]
    if len({x.link for x in of_links}) != 1:
        return np.concatenate([alone(x) for x in arrays], axis=axis)
    parts = [x.block if isinstance(x, Link) else x for x in arrays]
    key = ("concatenate", axis, *[id(p) for p in parts])
    return of_links[0].changed(key, parts, lambda: np.concatenate(parts, axis=axis))


def inverted(x: Array) -> Array:
    """Return whether each is not true."""
    return ~x


def apply(function: Callable[[Array], Array], x: Any) -> Any:
    """Return a function of every entry."""
    if isinstance(x, Link):
        return x.changed((function.__name__,), None, lambda: function(x.block))
    return x.mapped(function)


def rolled_up(links: Sequence[Link], axis: int) -> Rolled:
    """Return arrays of different links, one after another, as one."""
    recording = links[0].recording
    blocks: dict[int, Array] = {}
    labels: list[Any] = [None] * len(recording.parent)
    for x in links:
        if blocks.setdefault(x.kind, x.block) is not x.block:
            for y in links:
                labels[y.link] = id(y.block)
            raise Refine(labels)
    widths = {kind: block.shape[axis] for kind, block in blocks.items()}
    own = np.concatenate([np.full(widths[x.kind], x.link) for x in links])
    rows = np.concatenate([np.arange(widths[x.kind]) for x in links])
    return Rolled(recording, axis, blocks, own.astype(int), rows.astype(int))


def end_to_end(arrays: Sequence[Rolled]) -> Rolled:
    """Join arrays along their axis of links."""
    blocks: dict[int, Array] = {}
    links, rows = [], []
    first = arrays[0]
    for x in arrays:
        shift = {kind: blocks[kind].shape[x.axis] if kind in blocks else 0 for kind in x.blocks}
        links.append(x.links)
        by_link = np.array([shift.get(int(k), 0) for k in first.recording.kind[x.links]], int)
        rows.append(x.rows + by_link)
        for kind, block in x.blocks.items():
            blocks[kind] = (
                np.concatenate([blocks[kind], block], axis=x.axis) if kind in blocks else block
            )
    return Rolled(first.recording, first.axis, blocks, np.concatenate(links), np.concatenate(rows))


def repeated(recording: Recording, x: Array, axis: int) -> Rolled:
    """Return a plain array that says the same of every link as an array of links."""
    n = len(recording.parent)
    times = x.shape[axis] // n
    front = (
        np.moveaxis(x, axis, 0).reshape((n, times, *np.delete(x.shape, axis)))
        if times * n == x.shape[axis]
        else None
    )
    if front is None:
        raise CannotRoll("arrays of links and others, end to end")
    first, *others = [as_numbers(recording.tape, own) for own in front]
    if any(a is not b for own in others for a, b in zip(own.flat, first.flat, strict=True)):
        raise CannotRoll("arrays of links and others, end to end")
    block = np.moveaxis(first, 0, axis)
    kinds = sorted(set(recording.kind.tolist()))
    return Rolled(
        recording,
        axis,
        dict.fromkeys(kinds, block),
        np.repeat(np.arange(n), times),
        np.tile(np.arange(times), n),
    )


def blockwise(arrays: Sequence[Any], function: Callable[[list[Array]], Array], axis: int) -> Rolled:
    """Return what a function makes of the blocks of several arrays, kind by kind."""
    arrays = [x.settled() if isinstance(x, Rolled) else alone(x) for x in arrays]
    first = next(x for x in arrays if isinstance(x, Rolled))
    blocks = {}
    for kind in first.blocks:
        parts = []
        for x in arrays:
            if isinstance(x, Rolled):
                if not np.array_equal(x.links, first.links):
                    raise CannotRoll("arrays over different links")
                parts.append(x.blocks[kind])
            elif x.ndim >= -first.axis and x.shape[first.axis] != 1:
                parts.append(first.share(x, first.axis, kind))
            else:
                parts.append(x)
        blocks[kind] = function(parts)
    return Rolled(first.recording, axis, blocks, first.links, first.rows)


@dataclass(frozen=True, eq=False)
class Sweep:
    """A walk along the tree, recorded: what is carried from link to link, entry by entry.

    inward : which way; sources : what each carried entry is, the number of a class, or None where it is not carried;
    made : for each kind what its links hand on, a number for each class; start : what the ground carries, or None;
    begun : of columns on their way to the ground, for each kind those that begin at its links, such numbers for each.
    """

    index: int
    inward: bool
    made: dict[int, list[Number]]
    start: list[Number] | None
    begun: dict[int, list[list[Number]]] | None = None

    def handed_on(self, kind: int, place: int) -> list[Number]:
        """Return what the links of a kind hand on of a class."""
        return [
            self.made[kind][place],
            *[column[place] for column in (self.begun or {}).get(kind, [])],
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Pairs(Opaque):
    """Matrices with a row and a column for each joint rate, and zeros for joints on different branches.

    sweep : the number of that which fills them; blocks : for each kind what its links have on the diagonal (..., k, k),
    and what a column from further out leaves in their rows (..., k, 1), and in their columns (..., k, 1); and, where
    columns meet, what one leaves in the row of the other (..., 1, 1), and what that leaves in its row.
    """

    recording: Recording
    sweep: int
    blocks: dict[int, tuple[Array, ...]]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many matrices there are, and of each the rows and columns."""
        shapes = [self.blocks[kind][0].shape for kind in self.recording.kind.tolist()]
        size = sum(shape[-1] for shape in shapes)
        return *shapes[0][:-2], size, size

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __getitem__(self, key: tuple[Any, ...]) -> Pairs:
        """Return some of the matrices; CannotRoll for parts of them."""
        if not all(is_whole(own) for own in key[-2:]):
            raise CannotRoll("a part of a matrix of pairs of joints")
        blocks = {kind: tuple(x[key] for x in own) for kind, own in self.blocks.items()}
        return Pairs(self.recording, self.sweep, blocks)

    def combine(self, op: str, other: Any, swapped: bool) -> Any:
        """Refuse: a matrix is a result, and no more. CannotRoll always."""
        raise CannotRoll("a matrix of pairs of joints is computed with")

    def transposed(self) -> Any:
        """Refuse, as `combine`."""
        return self.combine("mT", None, False)


def alone(x: Any) -> Any:
    """Return an array of a link as nobody's; what is none as it is."""
    return x.alone() if isinstance(x, Link) else x
