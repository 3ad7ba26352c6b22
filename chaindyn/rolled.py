"""Arrays with one entry for every link, recorded once for every kind of link."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import reduce
from typing import Any

import numpy as np

from chaindyn import _ops
from chaindyn.recording import PRIME, Number, Tape, as_numbers, mark_of

Array = Any


SYMMETRIC = ("inertia", "spatial_inertia")


class CannotRoll(Exception):
    """An operation that one kind of link cannot stand for all its links in."""


class CannotRecord(Exception):
    """What a function does depends on values, or goes beyond what a recording knows."""


class Refine(Exception):
    """Links that were taken for one kind are not: which differ (a label for each link)."""

    def __init__(self, labels: Sequence[Any]) -> None:
        super().__init__("links of one kind differ")
        self.labels = labels


# pytrees: what link steps hand on is made of tuples, lists, dataclasses, arrays and None


def leaves_of(tree: Any) -> list[Any]:
    """Return the arrays of nested tuples, lists and dataclasses."""
    if isinstance(tree, tuple | list):
        return [leaf for part in tree for leaf in leaves_of(part)]
    if dataclasses.is_dataclass(tree) and not isinstance(tree, Link | Rolled | Number):
        return [leaf for f in fields(tree) for leaf in leaves_of(getattr(tree, f.name))]
    return [tree]


def with_leaves(tree: Any, leaves: Any) -> Any:
    """Return the same nest with these arrays, an iterator, in place of its own."""
    if isinstance(tree, tuple | list):
        return type(tree)([with_leaves(part, leaves) for part in tree])
    if dataclasses.is_dataclass(tree) and not isinstance(tree, Link | Rolled | Number):
        return type(tree)(*[with_leaves(getattr(tree, f.name), leaves) for f in fields(tree)])
    return next(leaves)


@dataclass(frozen=True, eq=False)
class Recording:
    """A recording in progress: the tape, the tree, the kind of every link, and what every kind knows of its links.

    columns : for each kind the columns of numbers that differ from link to link (what each number "data" stands for);
    shared : those of the whole chain; open : whether the model's numbers may be others later, so that none is looked at;
    sweeps : those that were recorded; memory : results of operations on links, which their kind has done already.
    """

    tape: Tape
    parent: tuple[int, ...]
    kind: Array
    columns: dict[int, dict[Any, Array]] = field(default_factory=dict)
    shared: dict[Any, Any] = field(default_factory=dict)
    open: bool = False
    sweeps: list[Sweep] = field(default_factory=list)
    memory: dict[Any, Any] = field(default_factory=dict)
    seen: dict[Any, Any] = field(default_factory=dict)

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
            return -self.seen[opposite]
        key = (kind, column.tobytes())
        if key not in self.seen:
            own = self.columns.setdefault(kind, {})
            self.seen[key] = self.tape.unknown("data", len(own), owner=kind)
            own[len(own)] = column
        return self.seen[key]

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
        if all(e is first for e in entries):
            return as_numbers(self.tape, first) if not isinstance(first, np.ndarray) or first.dtype != object else first
        if len({np.shape(e) for e in entries}) > 1:
            raise Refine(self.labelled(kind, [np.shape(e) for e in entries]))
        if any(isinstance(e, np.ndarray) and e.dtype == object for e in entries):
            whole = np.stack([np.asarray(e, object) for e in entries])
            result = np.empty(whole.shape[1:], object)
            for place in np.ndindex(result.shape):
                column = whole[(slice(None), *place)]
                if all(isinstance(e, Number) for e in column):
                    if len({e.mark for e in column}) > 1:
                        raise Refine(self.labelled(kind, [e.mark for e in column]))
                    result[place] = column[0]
                else:
                    result[place] = self.parameter(kind, column.astype(float))
            return result
        whole = np.asarray(entries, float)
        result = np.empty(whole.shape[1:], object)
        for place in np.ndindex(result.shape):
            result[place] = self.parameter(kind, np.ascontiguousarray(whole[(slice(None), *place)]))
        return result

    def labelled(self, kind: int, labels: Sequence[Any]) -> list[Any]:
        """Return a label for every link, from those of one kind."""
        own: list[Any] = [None] * len(self.parent)
        for i, label in zip(self.members(kind), labels, strict=True):
            own[i] = label
        return own

    def done(self, key: Any, alive: Any, make: Callable[[], Any]) -> Any:
        """Return a result that a kind has already, or make it; alive : what the key names by identity."""
        if key not in self.memory:
            self.memory[key] = make(), alive
        return self.memory[key][0]

    def read(self, number: Any, link: int) -> Any:
        """Return the number of one link as nobody's."""
        if not isinstance(number, Number) or number.owner is None:
            return number
        return self.tape.write("read", (number, link), mark_of("read", link, number.mark))

    def expect(self, x: Any) -> None:
        """Note that entries must come out positive."""
        if isinstance(x, Link):
            x = x.alone()
        if isinstance(x, Rolled):
            entries = [e for block in x.settled().blocks.values() for e in block.flat]
            x = np.array([self.over_links("least", entries)], object)
        for entry in np.asarray(x, object).flat:
            if isinstance(entry, Number):
                self.tape.expectations.append(entry)
            elif not entry > 0:
                raise CannotRecord("what must be positive is not")

    def expect_regular(self, felt: Sequence[Any], inertias: Any) -> None:
        """Note that what every joint feels (k, k) must be large beside the largest entry of the inertias (n, 6, 6).

        Of a symmetric matrix that is positive definite the largest entry is on the diagonal. The smallest eigenvalue is
        at least the determinant, divided by the trace k - 1 times.
        """
        diagonal = (inertias * _ops.eye(6)).sum(-1)
        blocks = diagonal.blocks.values() if isinstance(diagonal, Rolled) else [diagonal]
        largest = self.extreme("greatest", [reduce(Number.maximum, as_numbers(self.tape, b).flat) for b in blocks])
        known = {id(b): b for D in felt if (b := D.block if isinstance(D, Link) else D).size}
        if known:
            least = self.extreme("least", [bound_of_eigenvalues(as_numbers(self.tape, b)) for b in known.values()])
            self.tape.expectations.append(least - 1e-9 * largest)

    def extreme(self, op: str, numbers: Sequence[Number]) -> Number:
        """Return the "least" or the "greatest" of numbers, over all links of their kinds."""
        nobodys = [x for x in numbers if x.owner is None]
        owned = [x for x in numbers if x.owner is not None]
        found = [*nobodys, self.over_links(op, owned)] if owned else nobodys
        return reduce(Number.minimum if op == "least" else Number.maximum, found)

    def over_links(self, op: str, numbers: Sequence[Number]) -> Number:
        """Return the "total" over all links of the kinds that these belong to, or the "least" or "greatest"."""
        given = [x for x in numbers if x.mark or op != "total"]
        if not given:
            return self.tape.constant(0)
        marks = sorted((x.owner or -1, x.mark) for x in given)
        return self.tape.write(op, tuple(given), mark_of(op, marks))


def bound_of_eigenvalues(D: Array) -> Number:
    """Return a number (k, k) that the smallest eigenvalue of a positive definite matrix is not below."""
    k = D.shape[-1]
    if k == 1:
        return D.flat[0]
    rest, product = D, 1
    for _ in range(k):
        pivot = rest[..., :1, :1]
        product = product * pivot
        rest = rest[..., 1:, 1:] - rest[..., 1:, :1] @ (rest[..., :1, 1:] / pivot)
    trace = (D * _ops.eye(k)).sum(keepdims=True).flat[0]
    return product.flat[0] / trace ** (k - 1)


def binary(op: str, a: Any, b: Any) -> Any:
    """Apply an operation by name."""
    return {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "/": lambda: _ops.divide(a, b),
        "@": lambda: a @ b,
        "&": lambda: a & b,
    }[op]()


def as_objects(x: Any) -> Any:
    """Return what a kind's block can be computed with."""
    return x if isinstance(x, np.ndarray | int | float) else np.asarray(x)


class Foreign:
    """What arrays of links have in common: operators, and that NumPy leaves these to them."""

    __array_ufunc__ = None
    __slots__ = ()
    dtype = np.dtype(object)

    def __array_namespace__(self) -> Any:
        """Return the functions for such arrays."""
        return Functions

    def __add__(self, other: Any) -> Any:
        return self.combine("+", other, False)

    def __radd__(self, other: Any) -> Any:
        return self.combine("+", other, True)

    def __sub__(self, other: Any) -> Any:
        return self.combine("-", other, False)

    def __rsub__(self, other: Any) -> Any:
        return self.combine("-", other, True)

    def __mul__(self, other: Any) -> Any:
        return self.combine("*", other, False)

    def __rmul__(self, other: Any) -> Any:
        return self.combine("*", other, True)

    def __truediv__(self, other: Any) -> Any:
        return self.combine("/", other, False)

    def __rtruediv__(self, other: Any) -> Any:
        return self.combine("/", other, True)

    def __matmul__(self, other: Any) -> Any:
        return self.combine("@", other, False)

    def __rmatmul__(self, other: Any) -> Any:
        return self.combine("@", other, True)

    def __and__(self, other: Any) -> Any:
        return self.combine("&", other, False)

    def __rand__(self, other: Any) -> Any:
        return self.combine("&", other, True)

    def __neg__(self) -> Any:
        return self.combine("*", -1, False)

    def __gt__(self, other: Any) -> Any:
        return apply(_ops.positive, self - other)

    def __invert__(self) -> Any:
        return apply(inverted, self)

    @property
    def mT(self) -> Any:  # noqa: N802
        """The transposes of the matrices in the last two axes."""
        return self.transposed()

    def combine(self, op: str, other: Any, swapped: bool) -> Any:
        raise NotImplementedError

    def transposed(self) -> Any:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Link(Foreign):
    """An array of one link; block : what stands for it in all links of its kind."""

    recording: Recording
    link: int
    block: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return self.block.shape

    @property
    def ndim(self) -> int:
        return self.block.ndim

    def __len__(self) -> int:
        return len(self.block)

    @property
    def kind(self) -> int:
        return int(self.recording.kind[self.link])

    def changed(self, word: Any, alive: Any, make: Callable[[], Array]) -> Link:
        """Return the array that a function of the block makes, once for the kind."""
        key = (word, id(self.block))
        block = self.recording.done(key, (self.block, alive), make)
        return Link(self.recording, self.link, block)

    def combine(self, op: str, other: Any, swapped: bool) -> Any:
        if isinstance(other, Link):
            if other.link != self.link:
                return binary(op, *((other.alone(), self.alone()) if swapped else (self.alone(), other.alone())))
            other = other.block
        elif isinstance(other, Rolled):
            return NotImplemented
        a, b = (other, self.block) if swapped else (self.block, other)
        return self.changed((op, swapped, id(other)), other, lambda: np.asarray(binary(op, a, b)))

    def transposed(self) -> Any:
        return self.changed("mT", None, lambda: self.block.mT)

    def __getitem__(self, key: Any) -> Any:
        return self.changed(("item", repr(key)), None, lambda: np.asarray(self.block[key]))

    def reshape(self, *shape: Any) -> Link:
        return self.changed(("reshape", shape), None, lambda: self.block.reshape(*shape))

    def sum(self, axis: Any = None, keepdims: bool = False) -> Link:
        return self.changed(
            ("sum", axis, keepdims), None, lambda: np.asarray(self.block.sum(axis, keepdims=keepdims))
        )

    def astype(self, _kind: Any) -> Link:
        return self

    def alone(self) -> Array:
        """Return the array as nobody's numbers."""
        entries = np.empty(self.block.shape, object)
        for place, x in np.ndenumerate(self.block):
            entries[place] = self.recording.read(x, self.link)
        return entries


@dataclass(frozen=True, eq=False)
class Rolled(Foreign):
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
        return next(iter(self.blocks.values())).ndim

    @property
    def shape(self) -> tuple[int, ...]:
        shape = list(next(iter(self.blocks.values())).shape)
        shape[self.axis] = len(self.links)
        return tuple(shape)

    def __len__(self) -> int:
        return self.shape[0]

    def settled(self) -> Rolled:
        """Return the same with the entries of each link in one run, block entry after block entry."""
        key = ("settled", id(self))
        return self.recording.done(key, self, self.settle)

    def settle(self) -> Rolled:
        starts = np.flatnonzero(np.r_[True, np.diff(self.links) != 0]) if len(self.links) else []
        if len(set(self.links[starts].tolist())) < len(starts):
            raise CannotRoll("the entries of a link lie apart")
        ends = [*starts[1:], len(self.links)] if len(starts) else []
        taken: dict[int, Any] = {}
        labels: list[Any] = [None] * len(self.recording.parent)
        for a, b in zip(starts, ends, strict=True):
            i = self.links[a]
            labels[i] = tuple(self.rows[a:b].tolist())
            if taken.setdefault(int(self.recording.kind[i]), labels[i]) != labels[i]:
                differ = True
                break
        else:
            differ = False
        if differ:
            for a, b in zip(starts, ends, strict=True):
                labels[self.links[a]] = tuple(self.rows[a:b].tolist())
            raise Refine(labels)
        blocks = {
            kind: self.blocks[kind]
            if rows == tuple(range(self.blocks[kind].shape[self.axis]))
            else self.blocks[kind].take(rows, axis=self.axis)
            for kind, rows in taken.items()
        }
        rows = np.concatenate([np.arange(b - a) for a, b in zip(starts, ends, strict=True)]) if len(starts) else self.rows
        return Rolled(self.recording, self.axis, blocks, self.links, rows)

    def mapped(self, function: Callable[[Array], Array], axis: int | None = None) -> Rolled:
        """Return the array that a function makes of every block; axis : where its own axis is then."""
        blocks = {kind: function(block) for kind, block in self.blocks.items()}
        return Rolled(self.recording, self.axis if axis is None else axis, blocks, self.links, self.rows)

    def share(self, other: Array, axis: int, kind: int) -> Array:
        """Return what a plain array, as long as this one along an axis, is for the links of a kind."""
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
        if isinstance(other, Link):
            other = other.alone()
        mine = self.settled()
        if isinstance(other, Rolled):
            return mine.with_rolled(op, other.settled(), swapped)
        other = as_objects(other)
        along = isinstance(other, np.ndarray) and other.ndim >= -mine.axis and other.shape[mine.axis] != 1
        if op == "@" and along and mine.axis == (-2 if swapped else -1):
            return mine.contracted(other, swapped)
        if op == "@" and mine.axis == (-2 if swapped else -1):
            raise CannotRoll("a product along links")
        if op == "@" and mine.axis > -3:
            along = False  # the axis is one of the result's own
        blocks = {}
        for kind, block in mine.blocks.items():
            part = mine.share(other, mine.axis, kind) if along else other
            a, b = (part, block) if swapped else (block, part)
            blocks[kind] = np.asarray(binary(op, a, b), object)
        return Rolled(mine.recording, mine.axis, blocks, mine.links, mine.rows)

    def contracted(self, other: Array, swapped: bool) -> Array:
        """Return the matrix product that sums over all links."""
        axis = -1 if swapped else -2
        parts = []
        for kind, block in self.blocks.items():
            share = self.share(other, axis, kind)
            parts.append(share @ block if swapped else block @ share)
        return total(self.recording, parts)

    def with_rolled(self, op: str, other: Rolled, swapped: bool) -> Any:
        a, b = (other, self) if swapped else (self, other)
        if op == "@" and a.axis == -1 and b.axis == -2:
            return total(a.recording, [a.blocks[kind] @ b.blocks[kind] for kind in a.blocks])
        if a.axis != b.axis or not np.array_equal(a.links, b.links) or a.blocks.keys() != b.blocks.keys():
            raise CannotRoll("arrays over different links")
        blocks = {kind: np.asarray(binary(op, a.blocks[kind], b.blocks[kind]), object) for kind in a.blocks}
        return Rolled(a.recording, a.axis, blocks, a.links, a.rows)

    def transposed(self) -> Rolled:
        axis = {-1: -2, -2: -1}.get(self.axis, self.axis)
        return self.mapped(lambda block: block.mT, axis)

    def astype(self, _kind: Any) -> Rolled:
        return self

    def reshape(self, *shape: Any) -> Rolled:
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
            kind: block.reshape((*before, widths[kind] * times, *rest)) for kind, block in mine.blocks.items()
        }
        links = np.repeat(mine.links, times)
        rows = (mine.rows[:, None] * times + np.arange(times)).reshape(-1)
        return Rolled(self.recording, -1 - len(rest), blocks, links, rows)

    def sum(self, axis: Any = None, keepdims: bool = False) -> Any:
        axes = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes = {a % self.ndim - self.ndim for a in axes}
        mine = self.settled()
        if self.axis in axes:
            parts = [np.asarray(b.sum(tuple(axes), keepdims=keepdims), object) for b in mine.blocks.values()]
            return total(self.recording, parts)
        lost = 0 if keepdims else sum(a > self.axis for a in axes)
        return mine.mapped(
            lambda b: np.asarray(b.sum(tuple(axes), keepdims=keepdims), object), self.axis + lost
        )

    def __getitem__(self, key: Any) -> Any:
        key = key if isinstance(key, tuple) else (key,)
        given = sum(k is not None and k is not Ellipsis for k in key)
        if not any(k is Ellipsis for k in key):
            key = (*key, Ellipsis)
        spot = next(i for i, k in enumerate(key) if k is Ellipsis)
        key = (*key[:spot], *[slice(None)] * (self.ndim - given), *key[spot + 1 :])
        at, place = self.ndim + self.axis, 0
        for where, k in enumerate(key):
            if k is None:
                continue
            if place == at:
                break
            place += 1
        own = key[where]
        rest = (*key[:where], slice(None), *key[where + 1 :])
        after = self.axis + sum(isinstance(k, int | np.integer) for k in key[where + 1 :])
        after -= sum(k is None for k in key[where + 1 :])
        plain = all(isinstance(k, slice) and k == slice(None) for k in rest)
        base = self if plain else self.mapped(lambda b: np.asarray(b[rest], object), after)
        if isinstance(own, slice) and own == slice(None):
            return base
        return base.along(own)

    def along(self, own: Any) -> Any:
        """Return entries along the axis of links."""
        if isinstance(own, int | np.integer):
            return self.of_link(int(self.links[own]), (int(self.rows[own]),), drop=True)
        if isinstance(own, slice):
            links, rows = self.links[own], self.rows[own]
            if len(links) and (links[0] == links).all() and (len(links) < len(self.links) or len(self.recording.parent) == 1):
                return self.of_link(int(links[0]), tuple(rows.tolist()), drop=False)
            if not len(links):
                return np.empty([0 if a == self.axis + self.ndim else s for a, s in enumerate(self.shape)], object)
            return Rolled(self.recording, self.axis, self.blocks, links, rows)
        own = np.asarray(own)
        if own.dtype == bool:
            own = np.flatnonzero(own)
        if own.ndim == 1:
            return Rolled(self.recording, self.axis, self.blocks, self.links[own], self.rows[own])
        if own.ndim == 2 and own.shape[1] == 0:  # of joints without coordinates
            at = self.ndim + self.axis
            return np.empty((*self.shape[:at], *own.shape, *self.shape[at + 1 :]), object)
        if own.ndim == 2:
            flat = self.along(own.reshape(-1)).settled()
            if not (flat.links.reshape(own.shape) == flat.links.reshape(own.shape)[:, :1]).all():
                raise CannotRoll("entries of several links")
            blocks = {kind: np.expand_dims(b, self.axis - 1) for kind, b in flat.blocks.items()}
            links = flat.links.reshape(own.shape)[:, 0]
            return Rolled(self.recording, self.axis - 1, blocks, links, np.zeros(len(links), int))
        raise CannotRoll("entries of several links")

    def of_link(self, link: int, rows: tuple[int, ...], drop: bool) -> Link:
        """Return the entries of one link."""
        kind = int(self.recording.kind[link])
        whole = self.blocks[kind]

        def make() -> Array:
            if drop:
                return np.asarray(whole.take(rows[0], axis=self.axis), object)
            full = rows == tuple(range(whole.shape[self.axis]))
            return whole if full else whole.take(rows, axis=self.axis)

        key = ("rows", id(whole), self.axis, rows, drop)
        return Link(self.recording, link, self.recording.done(key, whole, make))


def total(recording: Recording, parts: Sequence[Array]) -> Array:
    """Return the sum over all links of what each kind has (...), as nobody's numbers."""
    entries = np.empty(parts[0].shape, object)
    for place in np.ndindex(entries.shape):
        entries[place] = recording.over_links("total", [p[place] for p in parts])
    return entries


class Functions:
    """The functions that arrays of links are made and changed by."""

    @staticmethod
    def sin(x: Any) -> Any:
        return apply(_ops.sin, x)

    @staticmethod
    def cos(x: Any) -> Any:
        return apply(_ops.cos, x)

    @staticmethod
    def sqrt(x: Any) -> Any:
        return apply(_ops.sqrt, x)

    @staticmethod
    def where(condition: Any, a: Any, b: Any) -> Any:
        given = [condition, a, b]
        rolled = [x.settled() for x in given if isinstance(x, Rolled)]
        first = rolled[0]
        blocks = {}
        for kind in first.blocks:
            own = [x.settled().blocks[kind] if isinstance(x, Rolled) else x for x in given]
            blocks[kind] = _ops.where(*own)
        return Rolled(first.recording, first.axis, blocks, first.links, first.rows)

    @staticmethod
    def broadcast_to(x: Any, shape: tuple[int, ...]) -> Any:
        if isinstance(x, np.ndarray):
            return np.broadcast_to(x, shape)
        if isinstance(x, Link):
            if x.shape == tuple(shape):
                return x
            return np.broadcast_to(x.alone(), shape)
        if x.shape == tuple(shape):
            return x

        def grown(block: Array) -> Array:
            own = list(shape)
            own[x.axis] = block.shape[x.axis]
            return np.broadcast_to(block, own)

        return x.mapped(grown)

    @staticmethod
    def stack(arrays: Sequence[Any], axis: int) -> Any:
        if all(isinstance(x, Link) for x in arrays) and len({x.link for x in arrays}) == len(arrays):
            return rolled_up([x.changed(("stack", axis), None, lambda x=x: np.expand_dims(x.block, axis)) for x in arrays], axis)
        if any(isinstance(x, Rolled) for x in arrays):
            first = next(x for x in arrays if isinstance(x, Rolled))
            # a new axis after the links' one, or in its place, moves it one to the left
            own = first.axis - 1 if axis >= first.axis else first.axis
            return blockwise(arrays, lambda parts: np.stack(np.broadcast_arrays(*parts), axis=axis), own)
        return np.stack([x.alone() if isinstance(x, Link) else x for x in arrays], axis=axis)

    @staticmethod
    def concatenate(arrays: Sequence[Any], axis: int) -> Any:
        if all(isinstance(x, Link) for x in arrays) and len({x.link for x in arrays}) == len(arrays) > 1:
            return rolled_up(arrays, axis)
        rolled = [x for x in arrays if isinstance(x, Rolled)]
        if not rolled:
            if len({x.link for x in arrays if isinstance(x, Link)}) == 1:
                first = next(x for x in arrays if isinstance(x, Link))
                parts = [x.block if isinstance(x, Link) else x for x in arrays]
                key = ("concatenate", axis, *[id(p) for p in parts])
                return first.changed(key, parts, lambda: np.concatenate(parts, axis=axis))
            return np.concatenate([x.alone() if isinstance(x, Link) else x for x in arrays], axis=axis)
        axis = axis if axis < 0 else axis - rolled[0].ndim
        if any(x.axis == axis for x in rolled):
            recording = rolled[0].recording
            return end_to_end([repeated(recording, x, axis) if isinstance(x, np.ndarray) else x for x in arrays])
        return blockwise(arrays, lambda parts: np.concatenate(parts, axis=axis), rolled[0].axis)


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
            blocks[kind] = np.concatenate([blocks[kind], block], axis=x.axis) if kind in blocks else block
    return Rolled(first.recording, first.axis, blocks, np.concatenate(links), np.concatenate(rows))


def repeated(recording: Recording, x: Array, axis: int) -> Rolled:
    """Return a plain array that says the same of every link as an array of links."""
    n = len(recording.parent)
    times = x.shape[axis] // n
    front = np.moveaxis(x, axis, 0).reshape((n, times, *np.delete(x.shape, axis))) if times * n == x.shape[axis] else None
    if front is None or not (front == front[:1]).all():
        raise CannotRoll("arrays of links and others, end to end")
    block = as_numbers(recording.tape, np.moveaxis(front[0], 0, axis))
    kinds = sorted(set(recording.kind.tolist()))
    return Rolled(recording, axis, dict.fromkeys(kinds, block), np.repeat(np.arange(n), times), np.tile(np.arange(times), n))


def blockwise(arrays: Sequence[Any], function: Callable[[list[Array]], Array], axis: int) -> Rolled:
    """Return what a function makes of the blocks of several arrays, kind by kind."""
    arrays = [x.settled() if isinstance(x, Rolled) else x.alone() if isinstance(x, Link) else x for x in arrays]
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


# sweeps


@dataclass(frozen=True, eq=False)
class Sweep:
    """A walk along the tree, recorded: what is carried from link to link, entry by entry.

    inward : which way; sources : what each carried entry is, the number of a class, or None where it is not carried;
    made : for each kind what its links hand on, a number for each class; start : what the ground carries, or None.
    """

    index: int
    inward: bool
    made: dict[int, list[Number]]
    start: list[Number] | None


def representative(recording: Recording, kind: int, links: Any) -> Any:
    """Return what stands for what is given of the links of a kind, a nest of arrays each."""
    members = recording.members(kind)
    nests = [links[i] for i in members]
    flat = [leaves_of(nest) for nest in nests]
    chosen = []
    for leaf in zip(*flat, strict=True):
        first = leaf[0]
        if isinstance(first, Link):
            blocks = {id(x.block) if isinstance(x, Link) else None for x in leaf}
            if len(blocks) > 1:
                raise Refine(recording.labelled(kind, [id(x.block) for x in leaf]))
            chosen.append(first.block)
        elif first is None or isinstance(first, str | int | bool):
            chosen.append(first)
        else:
            chosen.append(recording.each(kind, list(leaf)))
    return with_leaves(nests[0], iter(chosen))


def sign_and_size(mark: int) -> tuple[int, int]:
    """Return a mark up to its sign, and the sign."""
    return (mark, 1) if mark <= PRIME - mark else (PRIME - mark, -1)


def classes_of(marks: Sequence[tuple[int, ...]]) -> list[tuple[Any, int]]:
    """Return for each entry its class and its sign in it, from the marks that it has in several places."""
    found = []
    for entry in marks:
        first = next((m for m in entry if m), 0)
        sign = sign_and_size(first)[1] if first else 1
        found.append((tuple(m if sign == 1 else -m % PRIME for m in entry), sign))
    return found


@dataclass(frozen=True, eq=False)
class Pattern:
    """What is known beforehand of what is carried: for each entry a constant, or a class and a sign."""

    constants: list[float | None]
    classes: list[tuple[Any, int]]

    def numbers(self, recording: Recording, sweep: int, turn: int, kind: int, op: str) -> tuple[list[Number], list[int]]:
        """Return the carried entries as a link of a kind reads them, and the class of each entry (-1 for constants)."""
        names: dict[Any, int] = {}
        entries, places = [], []
        for constant, (name, sign) in zip(self.constants, self.classes, strict=True):
            if constant is not None:
                entries.append(recording.tape.constant(constant))
                places.append(-1)
                continue
            place = names.setdefault(name, len(names))
            x = recording.tape.write(
                op, (sweep, place), mark_of(op, sweep, turn, place), kind
            )
            entries.append(x if sign == 1 else -x)
            places.append(place)
        return entries, places


def refined(old: Pattern | None, outcomes: Sequence[Sequence[Number]], inward: bool) -> Pattern:
    """Return what is still known of carried entries when these are what is carried, in several places."""
    constants: list[float | None] = []
    for entry in zip(*outcomes, strict=True):
        values = [x.value for x in entry]
        same = values[0] is not None and all(v == values[0] for v in values)
        constants.append(values[0] if same and (values[0] == 0 or not inward) else None)
    if old is not None:
        constants = [c if c == o else None for c, o in zip(constants, old.constants, strict=True)]
    classes = classes_of(list(zip(*[[x.mark for x in o] for o in outcomes], strict=True)))
    if old is not None:
        classes = [
            ((new[0], before[0], new[1] * before[1]), new[1])
            for new, before in zip(classes, old.classes, strict=True)
        ]
    return Pattern(constants, classes)


def partition(pattern: Pattern) -> list[Any]:
    """Return a pattern in a form that can be compared: constants, and who is alike."""
    names: dict[Any, tuple[int, int]] = {}
    form: list[Any] = []
    for i, (constant, (name, sign)) in enumerate(zip(pattern.constants, pattern.classes, strict=True)):
        if constant is not None:
            form.append(("constant", constant))
            continue
        first, first_sign = names.setdefault(name, (i, sign))
        form.append((first, sign * first_sign))
    return form


def flat_numbers(recording: Recording, leaves: Sequence[Any]) -> list[Number]:
    """Return all entries of arrays, one after another."""
    return [x for leaf in leaves for x in as_numbers(recording.tape, leaf).flat]


def shaped(entries: Sequence[Number], shapes: Sequence[tuple[int, ...]]) -> list[Array]:
    """Return arrays of these shapes with the entries, one after another."""
    arrays, at = [], 0
    for shape in shapes:
        size = int(np.prod(shape))
        own = np.empty(size, object)
        own[:] = entries[at : at + size]
        arrays.append(own.reshape(shape))
        at += size
    return arrays


@dataclass(frozen=True, eq=False)
class Walker:
    """Walks a tree once for every kind of link: what `outward` and `inward` become in a recording."""

    recording: Recording

    def require_known(self, parent: Sequence[int]) -> None:
        """Refuse to walk another tree than that of the recording."""
        if tuple(parent) != self.recording.parent:
            raise CannotRoll("a walk along another tree")

    def kinds(self) -> list[int]:
        return sorted(set(self.recording.kind.tolist()))

    def spread(self, results: dict[int, Any]) -> list[Any]:
        """Return for every link what its kind has, its arrays as the link's own."""
        kinds = self.recording.kind.tolist()
        leaves = {kind: leaves_of(nest) for kind, nest in results.items()}
        whole = []
        for i, kind in enumerate(kinds):
            own = [
                Link(self.recording, i, x) if isinstance(x, np.ndarray) else x for x in leaves[kind]
            ]
            whole.append(with_leaves(results[kind], iter(own)))
        return whole

    def outward(
        self, step: Callable[..., Any], parent: Sequence[int], ground: Any, links: Sequence[Any]
    ) -> list[Any]:
        """Record a walk outwards."""
        self.require_known(parent)
        recording, index = self.recording, len(self.recording.sweeps)
        recording.sweeps.append(Sweep(index, False, {}, None))  # its place
        given = {kind: [representative(recording, kind, x) for x in links] for kind in self.kinds()}
        start = [alone(x) for x in leaves_of(ground)]
        carried = [x is not None for x in start]
        base = flat_numbers(recording, [x for x in start if x is not None])
        shapes = [np.shape(x) for x in start if x is not None]
        pattern, turn = refined(None, [base], False), 0
        while True:
            results, outcomes, places = {}, {}, []
            for kind in self.kinds():
                entries, places = pattern.numbers(recording, index, turn, kind, "carried")
                arrays = iter(shaped(entries, shapes))
                given_by_parent = with_leaves(ground, iter([next(arrays) if c else None for c in carried]))
                results[kind] = step(given_by_parent, *given[kind])
                own = [x for x, c in zip(leaves_of(results[kind]), carried, strict=True) if c]
                if (grown := [np.shape(x) for x in own]) != shapes:
                    break
                outcomes[kind] = flat_numbers(recording, own)
            if grown != shapes:
                base, shapes = self.broadened(start, grown), grown
                pattern, turn = refined(None, [base], False), turn + 1
                continue
            new = refined(pattern, [base, *outcomes.values()], False)
            if partition(new) == partition(pattern):
                break
            pattern, turn = new, turn + 1
        made, first = picked(pattern, places, outcomes), picked(pattern, places, {0: base})[0]
        recording.sweeps[index] = Sweep(index, False, made, first)
        as_arrays = {
            kind: with_leaves(nest, iter([objects(recording, x) for x in leaves_of(nest)]))
            for kind, nest in results.items()
        }
        return self.spread(as_arrays)

    def broadened(self, start: Sequence[Any], shapes: Sequence[tuple[int, ...]]) -> list[Number]:
        """Return what the ground carries, with the shapes of what links carry."""
        try:
            leaves = [
                np.broadcast_to(as_numbers(self.recording.tape, x), shape)
                for x, shape in zip([x for x in start if x is not None], shapes, strict=True)
            ]
        except ValueError:
            raise CannotRoll("links carry other shapes than the ground") from None
        if any(x is not None and np.ndim(x) > len(s) for x, s in zip(start, shapes, strict=False)):
            raise CannotRoll("links carry other shapes than the ground")
        return flat_numbers(self.recording, leaves)

    def inward(
        self,
        step: Callable[..., Any],
        parent: Sequence[int],
        nothing: Sequence[Any],
        links: Sequence[Any],
    ) -> tuple[list[Any], list[Any]]:
        """Record a walk inwards."""
        self.require_known(parent)
        recording, index = self.recording, len(self.recording.sweeps)
        recording.sweeps.append(Sweep(index, True, {}, None))  # its place
        given = {kind: [representative(recording, kind, x) for x in links] for kind in self.kinds()}
        base_leaves = [alone(x) for x in leaves_of(tuple(nothing))]
        base = flat_numbers(recording, base_leaves)
        if any(x.mark for x in base):
            raise CannotRoll("a leaf receives something")
        pattern, turn, shapes = refined(None, [base], True), 0, None
        while True:
            results, outcomes, places = {}, {}, []
            for kind in self.kinds():
                if shapes is None:
                    arrays = base_leaves
                    places = [-1] * len(base)
                else:
                    entries, places = pattern.numbers(recording, index, turn, kind, "received")
                    arrays = shaped(entries, shapes)
                received = with_leaves(tuple(nothing), iter([as_numbers(recording.tape, a) for a in arrays]))
                results[kind] = step(received, *given[kind])
                outcomes[kind] = flat_numbers(recording, leaves_of(results[kind][1]))
            new_shapes = [np.shape(x) for x in leaves_of(results[self.kinds()[0]][1])]
            if shapes is None or new_shapes != shapes:
                grown = shapes is not None
                shapes = new_shapes
                zero = recording.tape.constant(0)
                base = [zero] * sum(int(np.prod(s)) for s in shapes)
                pattern = refined(refined(None, [base], True), [base, *outcomes.values()], True)
                turn += 1
                if grown and turn > 4:
                    raise CannotRoll("what is handed on grows from link to link")
                continue
            new = refined(pattern, [base, *outcomes.values()], True)
            if partition(new) == partition(pattern):
                break
            pattern, turn = new, turn + 1
        made = picked(pattern, places, outcomes)
        recording.sweeps[index] = Sweep(index, True, made, None)
        kept = {
            kind: with_leaves(result[0], iter([objects(recording, x) for x in leaves_of(result[0])]))
            for kind, result in results.items()
        }
        ground_entries, _ = pattern.numbers(recording, index, turn, -1, "received")
        ground_entries = [self.at_ground(x) for x in ground_entries]
        arrays = shaped(ground_entries, shapes)
        return self.spread(kept), list(with_leaves(results[self.kinds()[0]][1], iter(arrays)))

    def at_ground(self, x: Number) -> Number:
        """Return what the ground receives as nobody's."""
        if x.owner is None:
            return x
        if x.op == "negative":
            return -self.at_ground(x.args[0])
        return self.recording.tape.write("grounded", x.args, mark_of("grounded", x.mark))


def picked(pattern: Pattern, places: Sequence[int], outcomes: dict[int, list[Number]]) -> dict[int, list[Number]]:
    """Return for each kind the number of each class."""
    made: dict[int, list[Number]] = {kind: [] for kind in outcomes}
    count = 0
    for e, (place, (_, sign)) in enumerate(zip(places, pattern.classes, strict=True)):
        if place == count:
            for kind, entries in outcomes.items():
                made[kind].append(entries[e] if sign == 1 else -entries[e])
            count += 1
    return made


def alone(x: Any) -> Any:
    """Return what the ground has as nobody's."""
    return x.alone() if isinstance(x, Link) else x


def objects(recording: Recording, x: Any) -> Any:
    """Return arrays as arrays of numbers; what is no array stays what it is."""
    return as_numbers(recording.tape, x) if isinstance(x, np.ndarray) else x
