"""Recordings differentiated: what every recorded number changes by when arguments do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from chaindyn.compiler.operations import SLOPE, SWEPT, TRUTHS, VALUE, mark_of
from chaindyn.compiler.plan import Output, live_numbers, sources_of
from chaindyn.compiler.recording import CannotRecord, Number
from chaindyn.compiler.repeated import COMPUTED, Held, Index, Memory, held, now, turning
from chaindyn.compiler.rolled import Recording, Sweep

__all__: list[str] = []


@dataclass(frozen=True, eq=False)
class Slopes:
    """The changes of a recording's numbers: each sweep has a twin that carries the changes of what it carries.

    live : all of them; twin : the twins' numbers, by sweep; still : entries of sweeps that are taken not to change,
    until it shows that they do; seeds : the changes of the numbers of arguments; known : of all others so far; same :
    the numbers that stand for others from now on, since their loops are run anew; arrays : for each array of such a
    loop that of its numbers and that of their changes; turned : for each loop the one in its place, by their numbers.
    """

    recording: Recording
    live: Sequence[Number]
    twin: dict[int, int]
    still: set[tuple[int, int]]
    seeds: dict[int, Number]
    known: dict[int, Number] = field(default_factory=dict)
    same: dict[int, Number] = field(default_factory=dict)
    arrays: dict[int, tuple[Memory, Memory]] = field(default_factory=dict)
    turned: dict[int, int] = field(default_factory=dict)

    def take_in(self, x: Number) -> None:
        """Find what a number changes by, once those before it are known; what stands for it, if a loop is run anew."""
        if x.op == "taken":
            self.same[x.index], self.known[x.index] = [
                own.read(*where) for own, where in self.at(x)
            ]
        elif x.op == "put":
            values = self.same.get(x.args[-1].index, x.args[-1]), self.known[x.args[-1].index]
            for (own, (row, column)), value in zip(self.at(x), values, strict=True):
                own.written([row], [column], value)
        elif x.op == "loop":
            self.run_anew(x)
        elif x.op != "filled":
            args = [self.same.get(y.index, y) if isinstance(y, Number) else y for y in x.args]
            if any(a is not b for a, b in zip(args, x.args, strict=True)) and x.op in VALUE:
                self.same[x.index] = args[0].apply(x.op, *args[1:])
            self.known[x.index] = self.of(x)

    def at(self, x: Number) -> list[tuple[Held, list[Any]]]:
        """Return the arrays that stand for that of a number, as they are now, and its row and column in them."""
        tape, (number, *where) = self.recording.tape, x.args[:7]
        if COMPUTED in (where[0], where[3]):
            raise CannotRecord("a place that is computed has no slopes, for it jumps")
        places = [
            k if loop < 0 else Index(self.turned[loop], times, k)
            for loop, times, k in (where[:3], where[3:])
        ]
        return [(now(tape, memory), places) for memory in self.arrays[number]]

    def run_anew(self, x: Number) -> None:
        """Record a loop again, with the changes of its arrays beside them."""
        tape = self.recording.tape
        turns = tape.loops[x.args[0]]
        if turns.still is not None:
            raise CannotRecord(
                "a loop until nothing changes has no slopes, for it may end before they settle: write the equations "
                "that its result solves, and take theirs"
            )
        body = [y for y in self.live if y.scope == turns.path]
        for own in [y for y in x.args[1:] if y.op == "filled"]:
            self.arrays[own.args[0]] = self.filled_anew(own)
        used = {y.args[0]: None for y in x.args[1:] if y.op == "filled"}
        used |= {y.args[0]: None for y in self.live if y.op == "put" and turns.number in y.scope}
        memories = [own for k in used if k in self.arrays for own in self.arrays[k]]
        loop, times, plus = turns.start
        start = (self.turned.get(loop, loop), times, plus)
        with turning(tape, start, turns.end, memories) as anew:
            self.turned[turns.number] = anew.number
            for y in body:
                self.take_in(y)

    def filled_anew(self, own: Number) -> tuple[Memory, Memory]:
        """Return arrays that are filled as an array of a loop is, and with the changes of that."""
        tape, (number, *entries) = self.recording.tape, own.args
        if isinstance(source := entries[0], int):
            if entries[1].op == "filled":  # with the same, before
                return self.filled_anew(entries[1])
            copies = [held(tape, now(tape, memory)) for memory in self.arrays[source]]
            return copies[0], copies[1]
        shape = tape.memories[number]
        values = [[self.same.get(y.index, y), self.known[y.index]] for y in entries]
        columns = np.array(values, object).reshape((shape.columns, shape.rows, 2))
        first, second = (held(tape, columns[..., k].T) for k in range(2))
        return first, second

    def of(self, x: Number) -> Number:
        """Return the change of a number, from those of the numbers before it."""
        tape = self.recording.tape
        if x.op in ("constant", "data", "shared", *TRUTHS):
            return tape.constant(0)
        if x.op == "input":
            return self.seeds.get(x.index, tape.constant(0))
        if x.op in SWEPT:
            return self.carried(x)
        if x.op == "read":
            number, link = x.args
            slope = self.known[number.index]
            result: Number = self.recording.read(slope, link)
            return result
        slopes = [self.known[y.index] for y in x.args if isinstance(y, Number)]
        if x.op == "same":
            return self.recording.owned(slopes[0], x.owner) if x.owner is not None else slopes[0]
        if x.op == "total":
            owned = [
                self.recording.owned(slope, y.owner)
                for slope, y in zip(slopes, x.args, strict=True)
                if y.owner is not None
            ]
            return self.recording.over_links("total", owned)
        if not any(slope.mark for slope in slopes):
            return tape.constant(0)
        if x.op not in SLOPE:
            raise CannotRecord(f"the slope of {x.op!r} is not known")
        whole = [self.same.get(y.index, y) for y in (x, *x.args)]
        made: Number = SLOPE[x.op](*whole, *slopes)
        return made

    def carried(self, x: Number) -> Number:
        """Return the change of what a sweep carries: what its twin does."""
        sweep, place = x.args
        if (sweep, place) in self.still:
            return self.recording.tape.constant(0)
        twin = self.twin[sweep]
        mark = mark_of(x.op, twin, place, x.owner)
        return self.recording.tape.write(x.op, (twin, place), mark, x.owner)


def slopes_of(recording: Recording, roots: Sequence[Number], seeds: dict[int, Number]) -> Slopes:
    """Return the changes of all numbers that these hang on; seeds : those of arguments' numbers, by their index.

    What a sweep carries is first taken not to change, and is given up entry by entry as the links show that it does.
    """
    live = live_numbers(recording, roots)
    swept = {x.args: x for x in live if x.op in SWEPT}
    first = len(recording.sweeps)
    twin = {s: first + k for k, s in enumerate(sorted({s for s, _ in swept}))}
    still = set(swept)
    while True:
        slopes = Slopes(recording, live, twin, still, seeds)
        for x in live:
            if not x.scope:
                slopes.take_in(x)
        moved = {
            place
            for place in still
            if any(slopes.known[y.index].mark for y in sources_of(recording, swept[place]))
        }
        if not moved:
            break
        still = still - moved
    recording.sweeps.extend(twin_of(recording, slopes, s) for s in twin)
    return slopes


def twin_of(recording: Recording, slopes: Slopes, sweep: int) -> Sweep:
    """Return the sweep that carries the changes of what a sweep carries, for all that is known."""
    own, zero = recording.sweeps[sweep], recording.tape.constant(0)
    made = {
        kind: [slopes.known.get(x.index, zero) for x in entries]
        for kind, entries in own.made.items()
    }
    start = None if own.start is None else [slopes.known.get(x.index, zero) for x in own.start]
    return Sweep(slopes.twin[sweep], own.inward, made, start)


def slopes_of_outputs(
    recording: Recording, outputs: Sequence[Output], seeds: dict[int, Number]
) -> list[Output]:
    """Return the changes of results, laid down where the results would be."""
    slopes = slopes_of(recording, [o.number for o in outputs], seeds)
    return [replace(o, number=slopes.known[o.number.index]) for o in outputs]
