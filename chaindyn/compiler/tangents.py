"""Recordings differentiated: what every recorded number changes by when arguments do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from chaindyn.compiler.operations import SLOPE, SWEPT, TRUTHS, mark_of
from chaindyn.compiler.plan import Output, live_numbers, sources_of
from chaindyn.compiler.recording import CannotRecord, Number
from chaindyn.compiler.rolled import Recording, Sweep

__all__: list[str] = []


@dataclass(frozen=True, eq=False)
class Slopes:
    """The changes of a recording's numbers: each sweep has a twin that carries the changes of what it carries.

    twin : the twins' numbers, by sweep; still : entries of sweeps that are taken not to change, until it shows that
    they do; seeds : the changes of the numbers of arguments; known : of all others so far.
    """

    recording: Recording
    twin: dict[int, int]
    still: set[tuple[int, int]]
    seeds: dict[int, Number]
    known: dict[int, Number] = field(default_factory=dict)

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
        made: Number = SLOPE[x.op](x, *x.args, *slopes)
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
        slopes = Slopes(recording, twin, still, seeds)
        for x in live:
            slopes.known[x.index] = slopes.of(x)
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
