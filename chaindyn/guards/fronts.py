"""Rows in a recording that each reach few columns: eliminated front by front, and what is zero is never written.

Neighbouring rows with the same columns are a front. Rows after it know of it only what their columns there are left of:
vectors square to the front's rows, which take part in its elimination as rows without a pivot, are then made square to
each other, and are the next fronts' columns in place of those that made them, each with a weight of its own. So no
column is used up by a row, whether that counts or not: which rows do is known only as the program runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chaindyn._ops import divide, eye, positive, where, zeros
from chaindyn.guards.loops import are_more, is_zero
from chaindyn.guards.numbers import is_recorded

__all__: list[str] = []

Array = Any

MOST_WRITTEN = (
    60_000  # products in fronts, by a rough count; beyond, loops over whole rows are shorter
)
CLEARLY = 0.5  # of the products of whole rows that fronts must not exceed
TINY = 1e-26  # of a column's square: what is left of it is only rounding


@dataclass(frozen=True, eq=False)
class Front:
    """Rows that are eliminated together, the columns they reach that later rows reach too, how many they reach."""

    rows: Sequence[int]
    kept: Sequence[int]
    reach: int

    @property
    def work(self) -> int:
        """How many products it needs, by a rough count."""
        return self.reach * (len(self.rows) + len(self.kept)) ** 2


@dataclass(eq=False)
class Vector:
    """What is left of a row or a column: its coordinates by column, and its parts along the rows before."""

    coordinates: dict[Any, Any] = field(default_factory=dict)
    parts: dict[int, Any] = field(default_factory=dict)

    def less(self, part: Any, other: Vector) -> None:
        """Take away so much of another one."""
        for c, x in other.coordinates.items():
            own = self.coordinates.get(c)
            self.coordinates[c] = -(part * x) if own is None else own - part * x


@dataclass(frozen=True, eq=False)
class Pivot:
    """A row that is square to those before: itself, times the weights, its inverse square, what is wanted of it."""

    own: Vector
    answer: dict[Any, Any]
    inverse: Any
    right: Array
    error: Any


def entries(row: Array) -> dict[int, Any]:
    """Return the entries of a row (n,) that are not known to be zero, by their columns."""
    return {int(i): x for i, x in enumerate(row) if not is_zero(x)}


def summed(terms: Sequence[Any]) -> Any:
    """Return a sum, of nothing zero."""
    return functools.reduce(lambda a, b: a + b, terms) if terms else 0


def fronts_of(supports: Sequence[set[int]]) -> list[Front]:
    """Return the fronts of rows that reach these columns, in order: neighbours together where that is less work."""
    later = [set[int]()]  # what the rows behind each one reach
    for own in reversed(supports):
        later.append(later[-1] | own)
    later.reverse()

    def front(start: int, stop: int, carried: set[int]) -> Front:
        own = set[int]().union(*supports[start:stop])
        reach = own | carried if own & carried else own  # what was joined stays together
        return Front(range(start, stop), sorted(reach & later[stop]), len(reach))

    found: list[Front] = []
    start, carried = 0, set[int]()
    for stop in range(1, len(supports) + 1):
        one = front(start, stop, carried)
        if stop < len(supports):
            following = front(stop, stop + 1, set(one.kept) | (carried & later[stop]))
            if front(start, stop + 1, carried).work <= one.work + following.work:
                continue
        found.append(one)
        start, carried = stop, set(one.kept) | (carried & later[stop])
    return found


def worth_it(supports: Sequence[set[int]], fronts: Sequence[Front], n: int) -> bool:
    """Whether fronts need clearly fewer products than whole rows, and no more than a text may hold."""
    work = sum(front.work for front in fronts)
    return work <= min(MOST_WRITTEN, CLEARLY * n * len(supports) ** 2)


@dataclass(eq=False)
class Elimination:
    """Rows, front by front. weights : by column and column, of E; columns : what is left of those in use."""

    rows: list[dict[int, Any]]
    weights: dict[Any, dict[Any, Any]]
    wanted: Array
    doubt: Array
    columns: dict[int, Vector]
    made_of: dict[Any, Vector] = field(default_factory=dict)
    pivots: dict[int, Pivot] = field(default_factory=dict)
    steps: list[tuple[str, Any]] = field(default_factory=list)

    def entered(self, k: int) -> Vector:
        """Return what the fronts before have left of a row."""
        made = Vector()
        for i, x in self.rows[k].items():
            for own, new in (
                (self.columns[i].coordinates, made.coordinates),
                (self.columns[i].parts, made.parts),
            ):
                for c, y in own.items():
                    new[c] = new[c] + x * y if c in new else x * y
        return made

    def answer(self, vector: Vector) -> dict[Any, Any]:
        """Return E times a vector."""
        found: dict[Any, list[Any]] = {}
        for c, x in vector.coordinates.items():
            for other, weight in self.weights[c].items():
                found.setdefault(other, []).append(weight * x)
        return {c: summed(terms) for c, terms in found.items()}

    def pivot(self, k: int, own: Vector, others: Sequence[Vector]) -> None:
        """Make others square to a row, if that counts."""
        before = [(self.pivots[j], part) for j, part in own.parts.items()]
        right = self.wanted[k] - summed([part * p.right for p, part in before])
        error = self.doubt[k] + summed([part * part * p.error for p, part in before])
        answer = self.answer(own)
        self.steps.append(("row", k))
        if (square := product(own, answer)) is None:  # a row of zeros
            own.parts[k], self.pivots[k] = 0, Pivot(own, answer, 0, right, error)
            return
        counts = are_more(np.array([[square]], object), error)
        inverse = where(counts, divide(1, where(counts, np.array([[square]], object), 1)), 0)[0, 0]
        for x in others:
            if (shared := product(x, answer)) is not None:
                x.parts[k] = part = shared * inverse
                x.less(part, own)
        own.parts[k] = where(counts, 1, 0)[0, 0]
        self.pivots[k] = Pivot(own, answer, inverse, right, error)

    def again(self, x: Vector, rows: Sequence[int]) -> None:
        """Make what is left of a column square to rows once more: of a little left most may be rounding."""
        for k in rows:
            if (shared := product(x, self.pivots[k].answer)) is not None:
                more = shared * self.pivots[k].inverse
                x.parts[k] = x.parts[k] + more if k in x.parts else more
                x.less(more, self.pivots[k].own)

    def join(self, front: Front) -> None:
        """Make what is left of columns square to each other: columns of their own, where these are fewer."""
        kept = front.kept
        left = [self.columns[i] for i in kept]
        if len(set().union(*[x.coordinates for x in left])) <= len(left):
            return
        for x in left if len(left) > 1 else ():
            self.again(x, front.rows)
        new: list[dict[Any, Any]] = [{} for _ in left]
        for a, x in enumerate(left):
            name, answer = ("joined", len(self.made_of)), self.answer(x)
            square = np.array([[product(x, answer)]], object)
            size = summed([self.weights[kept[a]][kept[a]]])
            counts = positive(square - TINY * size)
            inverse = where(counts, divide(1, where(counts, square, 1)), 0)[0, 0]
            self.made_of[name], self.weights[name] = x, {name: square[0, 0]}
            new[a][name] = 1
            for b in range(a + 1, len(left)):
                if (shared := product(left[b], answer)) is not None:
                    new[b][name] = shared * inverse
                    left[b].less(new[b][name], x)
            self.steps.append(("joined", name))
        for i, x, coordinates in zip(kept, left, new, strict=True):
            self.columns[i] = Vector(coordinates, x.parts)

    def run(self, fronts: Sequence[Front]) -> None:
        """Eliminate all rows."""
        for front in fronts:
            own = [self.entered(k) for k in front.rows]
            rest = [self.columns[i] for i in front.kept]
            for place, k in enumerate(front.rows):
                self.pivot(k, own[place], [*own[place + 1 :], *rest])
            self.join(front)

    def combined(self) -> tuple[dict[Any, Any], dict[int, Any]]:
        """Return u by column, and the shares by row, from the last to the first."""
        u: dict[Any, Any] = {}
        shares = {}
        for what, k in reversed(self.steps):
            if what == "joined":
                own, factor = self.made_of[k], u.pop(k, None)
            else:
                p = self.pivots[k]
                known = summed([x * u[c] for c, x in p.answer.items() if c in u])
                shares[k] = factor = p.inverse * (p.right - known)
                own = p.own
            for c, x in own.coordinates.items() if factor is not None else ():
                u[c] = u[c] + x * factor if c in u else x * factor
        return u, shares


def product(vector: Vector, answer: dict[Any, Any]) -> Any:
    """Return the product of a vector with E times another; None if they share no column."""
    terms = [x * answer[c] for c, x in vector.coordinates.items() if c in answer]
    return summed(terms) if terms else None


def in_fronts(shortest: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `shortest`: rows of a recording that reach few columns each are eliminated front by front."""

    @functools.wraps(shortest)
    def found(rows: Array, times: Callable[[Array], Array], wanted: Array, doubt: Array) -> Any:
        plain = isinstance(rows, np.ndarray) and rows.ndim == 2 and is_recorded(rows)
        if not plain:
            return shortest(rows, times, wanted, doubt)
        (m, n), c = rows.shape, wanted.shape[-1]
        own = [entries(row) for row in rows]
        weights = {i: entries(row) for i, row in enumerate(np.asarray(times(eye(n)), object))}
        # a joint's columns, which E mixes, are reached together
        supports = [set().union(*[weights[i] for i in x]) for x in own]
        fronts = fronts_of(supports)
        if len(fronts) < 2 or not worth_it(supports, fronts, n):
            return shortest(rows, times, wanted, doubt)
        columns = {i: Vector({i: 1}) for i in range(n)}
        whole = Elimination(own, weights, np.asarray(wanted), np.asarray(doubt)[:, 0], columns)
        whole.run(fronts)
        by_column, by_row = whole.combined()
        u, shares, mix = (np.full(shape, 0, object) for shape in ((n, c), (m, c), (m, m)))
        for i, x in by_column.items():
            u[i] = x
        for k, x in by_row.items():
            shares[k] = x
            for j, part in whole.pivots[k].own.parts.items():
                mix[m - 1 - j, k] = part
        return u, shares, mix

    return found


def column_by_column(step: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a link step inward of forces: in a recording it is taken of columns that are not zeros alone."""

    @functools.wraps(step)
    def taken(children: Any, own: Any, load: Array, tau: Array) -> Any:
        m = tau.shape[-1]
        if m < 2 or type(own.D) is not np.ndarray or own.D.dtype.char != "O":  # quick, for numbers
            return step(children, own, load, tau)
        parts = children[0], load, tau
        if not all(type(x) is np.ndarray and x.ndim == 2 for x in parts) or not is_recorded(own.D):
            return step(children, own, load, tau)
        wide = [x for x in parts if x.shape[-1] == m]
        narrow = [x for x in parts if x.shape[-1] != m]
        if not all(is_zero(y) for x in narrow for y in x.flat):
            return step(children, own, load, tau)
        acting = np.array([not all(is_zero(y) for x in wide for y in x[:, j]) for j in range(m)])
        if acting.all():
            return step(children, own, load, tau)
        few = [x[:, acting] if x.shape[-1] == m else x for x in parts]
        if not acting.any():
            return (zeros(tau.shape), zeros((6, m))), (zeros((6, m)),)
        (left, p), up = step((few[0],), own, *few[1:])

        def whole(x: Array) -> Array:
            found = np.full((x.shape[0], m), 0, object)
            found[:, acting] = x
            return found

        return (whole(left), whole(p)), tuple(whole(x) for x in up)

    return taken
