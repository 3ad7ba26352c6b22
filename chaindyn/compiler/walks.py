"""Walks along a tree, recorded once for every kind of link.

What they carry is guessed first, and corrected until the steps of all kinds agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chaindyn.compiler.operations import PASSING, mark_of
from chaindyn.compiler.recording import Number, as_numbers
from chaindyn.compiler.rolled import (
    CannotRoll,
    Link,
    Pairs,
    Recording,
    Refine,
    Sweep,
    alone,
    leaves_of,
    with_leaves,
)

__all__: list[str] = []

Array = Any


MOST_TURNS = 4  # in which what is handed on may still change its shapes
NOBODY = -1  # in place of a kind, where numbers are written that are then made the ground's


def at_home(leaf: Any, link: int) -> Any:
    """Return what is given of a link; an array of another link as nobody's."""
    return leaf.alone() if isinstance(leaf, Link) and leaf.link != link else leaf


def representative(recording: Recording, kind: int, links: Any) -> Any:
    """Return what stands for what is given of the links of a kind, a nest of arrays each."""
    members = recording.members(kind)
    nests = [links[i] for i in members]
    flat = [
        [at_home(leaf, i) for leaf in leaves_of(nest)]
        for i, nest in zip(members, nests, strict=True)
    ]
    chosen = []
    for leaf in zip(*flat, strict=True):
        first = leaf[0]
        if any(isinstance(x, Link) for x in leaf):
            blocks = [id(x.block) if isinstance(x, Link) else None for x in leaf]
            if len(set(blocks)) > 1:
                raise Refine(recording.labelled(kind, blocks))
            chosen.append(first.block)
        elif first is None or isinstance(first, str | int | bool):
            chosen.append(first)
        else:
            chosen.append(recording.each(kind, list(leaf)))
    return with_leaves(nests[0], iter(chosen))


def name_and_sign(x: Number) -> tuple[Any, int]:
    """Return what names a number up to its sign, and the sign, 0 of zero."""
    if x.value is not None:
        return ("constant", abs(x.value)), int(np.sign(x.value))
    return (x.operand.index, -1) if x.op == "negative" else (x.index, 1)


def classes_of(entries: Sequence[Sequence[Number]]) -> list[tuple[Any, int]]:
    """Return for each entry its class and its sign in it, from the numbers that it is in several places."""
    found = []
    for entry in entries:
        names = [name_and_sign(x) for x in entry]
        sign = next((s for _, s in names if s), 1)
        found.append((tuple((name, s * sign) for name, s in names), sign))
    return found


@dataclass(frozen=True, eq=False)
class Pattern:
    """What is known beforehand of what is carried: for each entry a constant, or a class and a sign."""

    constants: list[float | None]
    classes: list[tuple[Any, int]]

    def numbers(
        self, recording: Recording, sweep: int, turn: int, kind: int, op: str
    ) -> tuple[list[Number], list[int]]:
        """Return the carried entries as a link of a kind reads them, and the class of each entry (-1 for constants)."""
        names: dict[Any, int] = {}
        entries, places = [], []
        for constant, (name, sign) in zip(self.constants, self.classes, strict=True):
            if constant is not None:
                entries.append(recording.tape.constant(constant))
                places.append(-1)
                continue
            place = names.setdefault(name, len(names))
            path = tuple(recording.tape.path) if op in PASSING else None
            mark = mark_of(op, sweep, turn, place)
            x = recording.tape.write(op, (sweep, place), mark, kind, path)
            recording.turns[x.index], recording.last_turn[sweep] = (sweep, turn), turn
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
    classes = classes_of(list(zip(*outcomes, strict=True)))
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
    for i, (constant, (name, sign)) in enumerate(
        zip(pattern.constants, pattern.classes, strict=True)
    ):
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
class Guess:
    """What is taken for known of what a sweep carries, until the steps of some kind show otherwise.

    sweep : its number; turn : how often it was tried before; pattern : of all entries; shapes : of the arrays.
    """

    sweep: int
    turn: int
    pattern: Pattern
    shapes: list[tuple[int, ...]]

    def arrays(self, recording: Recording, kind: int, op: str) -> tuple[list[Array], list[int]]:
        """Return the carried arrays as a link of a kind reads them, and the class of each entry."""
        entries, places = self.pattern.numbers(recording, self.sweep, self.turn, kind, op)
        return shaped(entries, self.shapes), places

    def corrected(self, pattern: Pattern) -> Guess:
        """Return the guess for the next turn, with another pattern."""
        return replace(self, pattern=pattern, turn=self.turn + 1)


@dataclass(frozen=True, eq=False)
class Turn:
    """What the steps of all kinds made of a guess.

    results : what each kind's step returned; outcomes : the entries it hands on; places : the class of each entry that
    was read; shapes : of the arrays that are handed on.
    """

    results: dict[int, Any]
    outcomes: dict[int, list[Number]]
    places: list[int]
    shapes: list[tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Walker:
    """Walks a tree once for every kind of link: what `outward` and `inward` become in a recording."""

    recording: Recording

    def kinds(self) -> list[int]:
        """Return the kinds of links, in order."""
        return sorted(set(self.recording.kind.tolist()))

    def begin(
        self, parent: Sequence[int], links: Sequence[Any], inward: bool
    ) -> tuple[int, dict[int, list[Any]]]:
        """Return the number of a new sweep, and what stands for what is given of the links of each kind."""
        recording = self.recording
        if tuple(parent) != recording.parent:
            raise CannotRoll("a walk along another tree")
        index = len(recording.sweeps)
        recording.sweeps.append(Sweep(index, inward, {}, None))  # its place
        given = {k: [representative(recording, k, x) for x in links] for k in self.kinds()}
        return index, given

    def spread(self, results: dict[int, Any]) -> list[Any]:
        """Return for every link what its kind has, its arrays as the link's own."""
        recording = self.recording
        leaves = {
            kind: [objects(recording, x) for x in leaves_of(nest)] for kind, nest in results.items()
        }
        whole = []
        for i, kind in enumerate(recording.kind.tolist()):
            own = [Link(recording, i, x) if isinstance(x, np.ndarray) else x for x in leaves[kind]]
            whole.append(with_leaves(results[kind], iter(own)))
        return whole

    def outward(
        self, step: Callable[..., Any], parent: Sequence[int], ground: Any, links: Sequence[Any]
    ) -> list[Any]:
        """Record a walk outwards: arguments and result as those of `chain.outward`."""
        index, given = self.begin(parent, links, False)
        start = [alone(x) for x in leaves_of(ground)]
        base = flat_numbers(self.recording, [x for x in start if x is not None])
        shapes = [np.shape(x) for x in start if x is not None]
        guess = Guess(index, 0, refined(None, [base], False), shapes)
        while True:
            turn = self.turn_outward(step, ground, given, guess)
            if turn.shapes != guess.shapes:
                base = self.broadened(start, turn.shapes)
                pattern = refined(None, [base], False)
                guess = Guess(index, guess.turn + 1, pattern, turn.shapes)
                continue
            pattern = refined(guess.pattern, [base, *turn.outcomes.values()], False)
            if partition(pattern) == partition(guess.pattern):
                break
            guess = guess.corrected(pattern)
        made = picked(guess.pattern, turn.places, turn.outcomes)
        first = picked(guess.pattern, turn.places, {0: base})[0]
        self.recording.sweeps[index] = Sweep(index, False, made, first)
        return self.spread(turn.results)

    def turn_outward(
        self, step: Callable[..., Any], ground: Any, given: dict[int, list[Any]], guess: Guess
    ) -> Turn:
        """Return what the steps make of a guess, up to the first kind whose arrays have other shapes."""
        carried = [x is not None for x in leaves_of(ground)]
        turn = Turn({}, {}, [], guess.shapes)
        for kind in self.kinds():
            arrays, places = guess.arrays(self.recording, kind, "carried")
            own = iter(arrays)
            of_parent = with_leaves(ground, iter([next(own) if c else None for c in carried]))
            result = step(of_parent, *given[kind])
            leaves = [x for x, c in zip(leaves_of(result), carried, strict=True) if c]
            shapes = [np.shape(x) for x in leaves]
            turn.results[kind] = result
            if shapes != guess.shapes:
                return replace(turn, shapes=shapes)
            turn.outcomes[kind] = flat_numbers(self.recording, leaves)
            turn = replace(turn, places=places)
        return turn

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
        """Record a walk inwards: arguments and results as those of `chain.inward`."""
        index, given = self.begin(parent, links, True)
        empty = with_leaves(tuple(nothing), iter([alone(x) for x in leaves_of(tuple(nothing))]))
        if any(x.mark for x in flat_numbers(self.recording, leaves_of(empty))):
            raise CannotRoll("a leaf receives something")
        turn = self.turn_inward(step, empty, given, None)
        guess = self.first_guess(index, 1, turn)
        while True:
            turn = self.turn_inward(step, empty, given, guess)
            if turn.shapes != guess.shapes:
                guess = self.first_guess(index, guess.turn + 1, turn)
                if guess.turn > MOST_TURNS:
                    raise CannotRoll("what is handed on grows from link to link")
                continue
            pattern = refined(
                guess.pattern, [self.zeros(guess.shapes), *turn.outcomes.values()], True
            )
            if partition(pattern) == partition(guess.pattern):
                break
            guess = guess.corrected(pattern)
        made = picked(guess.pattern, turn.places, turn.outcomes)
        self.recording.sweeps[index] = Sweep(index, True, made, None)
        kept = self.spread({kind: result[0] for kind, result in turn.results.items()})
        return kept, self.of_ground(guess, turn)

    def turn_inward(
        self,
        step: Callable[..., Any],
        empty: tuple[Any, ...],
        given: dict[int, list[Any]],
        guess: Guess | None,
    ) -> Turn:
        """Return what the steps make of a guess, None for that of a tree of leaves, which receive `empty`."""
        tape = self.recording.tape
        turn = Turn({}, {}, [], [])
        for kind in self.kinds():
            arrays, places = leaves_of(empty), turn.places
            if guess is not None:
                arrays, places = guess.arrays(self.recording, kind, "received")
            received = with_leaves(empty, iter([as_numbers(tape, a) for a in arrays]))
            turn.results[kind] = step(received, *given[kind])
            turn.outcomes[kind] = flat_numbers(self.recording, leaves_of(turn.results[kind][1]))
            turn = replace(turn, places=places)
        handed = leaves_of(turn.results[self.kinds()[0]][1])
        return replace(turn, shapes=[np.shape(x) for x in handed])

    def on_the_way(
        self,
        step: Callable[..., Any],
        parent: Sequence[int],
        start: Sequence[Any],
        links: Sequence[Any],
        meeting: Callable[..., Any] | None = None,
    ) -> Pairs:
        """Record columns on their way to the ground: arguments and result as those of `composite.on_the_way`."""
        if not self.recording.passing:
            raise CannotRoll("columns on their way have no slopes")
        index, given = self.begin(parent, [start, *links], True)
        begun = {
            kind: [
                flat_numbers(self.recording, [x[:, k : k + 1] for x in columns])
                for k in range(block.shape[-1])
            ]
            for kind, ((block, columns), *_) in given.items()
        }
        every = [column for own in begun.values() for column in own]
        shapes: list[tuple[int, ...]] = [(x.shape[0], 1) for x in next(iter(given.values()))[0][1]]
        none = self.zeros(shapes)
        guess = Guess(index, 0, refined(None, every or [none], True), shapes)
        while True:
            turn = self.turn_on_the_way(step, given, guess)
            pattern = refined(guess.pattern, [*every, *turn.outcomes.values()], True)
            if partition(pattern) == partition(guess.pattern):
                break
            guess = guess.corrected(pattern)
        made = picked(guess.pattern, turn.places, turn.outcomes)
        first = {
            kind: [picked(guess.pattern, turn.places, {0: x})[0] for x in own]
            for kind, own in begun.items()
        }
        self.recording.sweeps[index] = Sweep(index, True, made, None, first)
        left = {
            kind: (objects(self.recording, given[kind][0][0]), *turn.results[kind][:2])
            for kind in given
        }
        inner = [p for p in parent if p >= 0]
        if meeting is not None and len(inner) > len(set(inner)):  # there are forks
            left = {
                kind: (*own, *self.met(meeting, kind, given[kind][1:], guess))
                for kind, own in left.items()
            }
        return Pairs(self.recording, index, left)

    def met(
        self, meeting: Callable[..., Any], kind: int, link: Sequence[Any], guess: Guess
    ) -> list[Array]:
        """Return what columns of a link's branch and of another one leave in each other's rows, at its parent."""
        tape, columns = self.recording.tape, []
        for op in PASSING[1:]:
            tape.path.extend([-1 - guess.sweep, 0] if op == "one" else [0])
            columns.append(tuple(guess.arrays(self.recording, kind, op)[0]))
        left = [as_numbers(tape, x) for x in meeting(*columns, *link)]
        del tape.path[-3:]
        return left

    def turn_on_the_way(
        self, step: Callable[..., Any], given: dict[int, list[Any]], guess: Guess
    ) -> Turn:
        """Return what the steps make of a column on its way, and what it leaves at a link of each kind."""
        tape, turn = self.recording.tape, Turn({}, {}, [], guess.shapes)
        for kind, (_, *own) in given.items():
            tape.path.append(-1 - guess.sweep)
            arrays, places = guess.arrays(self.recording, kind, "passing")
            rows, columns, passed = step(tuple(arrays), *own)
            turn.outcomes[kind] = flat_numbers(self.recording, leaves_of(passed))
            turn.results[kind] = tuple(as_numbers(tape, x) for x in (rows, columns))
            tape.path.pop()
            turn = replace(turn, places=places)
            if any(x.mark and not x.scope for left in turn.results[kind] for x in left.flat):
                raise CannotRoll("what a column leaves is not of it")
        return turn

    def zeros(self, shapes: Sequence[tuple[int, ...]]) -> list[Number]:
        """Return the entries of what a leaf receives, in arrays of these shapes."""
        return [self.recording.tape.constant(0)] * sum(int(np.prod(s)) for s in shapes)

    def first_guess(self, sweep: int, number: int, turn: Turn) -> Guess:
        """Return what is known of what is received when leaves receive nothing, and others this."""
        base = self.zeros(turn.shapes)
        pattern = refined(refined(None, [base], True), [base, *turn.outcomes.values()], True)
        return Guess(sweep, number, pattern, turn.shapes)

    def of_ground(self, guess: Guess, turn: Turn) -> list[Any]:
        """Return what the ground receives."""
        entries, _ = guess.pattern.numbers(
            self.recording, guess.sweep, guess.turn, NOBODY, "received"
        )
        arrays = shaped([self.at_ground(x) for x in entries], guess.shapes)
        return list(with_leaves(turn.results[self.kinds()[0]][1], iter(arrays)))

    def at_ground(self, x: Number) -> Number:
        """Return what the ground receives as nobody's."""
        if x.owner is None:
            return x
        if x.op == "negative":
            turned: Number = -self.at_ground(x.operand)
            return turned
        return self.recording.tape.write("grounded", x.args, mark_of("grounded", x.mark))


def picked(
    pattern: Pattern, places: Sequence[int], outcomes: dict[int, list[Number]]
) -> dict[int, list[Number]]:
    """Return for each kind the number of each class."""
    made: dict[int, list[Number]] = {kind: [] for kind in outcomes}
    count = 0
    for e, (place, (_, sign)) in enumerate(zip(places, pattern.classes, strict=True)):
        if place == count:
            for kind, entries in outcomes.items():
                made[kind].append(entries[e] if sign == 1 else -entries[e])
            count += 1
    return made


def objects(recording: Recording, x: Any) -> Any:
    """Return arrays as arrays of numbers; what is no array stays what it is."""
    return as_numbers(recording.tape, x) if isinstance(x, np.ndarray) else x
