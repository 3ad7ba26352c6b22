"""Small pictures beside an equation, made by one function of the page, that move as its arguments do.

The function is called once, with numbers that record what is done to them (`chaindyn.compiler.recording`). The
page plays that tape with the reader's arguments: it needs no Python, and no formula is written twice.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from chaindyn.compiler.operations import VALUE
from chaindyn.compiler.recording import (
    CannotRecord,
    Number,
    Tape,
    as_numbers,
    quietly,
    reached_from,
)
from chaindyn.widgets.explorer import AnyWidget, Dict, linked, plain, source
from chaindyn.widgets.line_names import Watched
from chaindyn.widgets.lines import Line, noted
from chaindyn.widgets.marks import Mark
from chaindyn.widgets.tree import VIEWS

MOST_SAMPLES = 2000


@dataclass(frozen=True)
class Slider:
    """A number from `low` to `high`. With the unit "°" the reader sees degrees and the function gets radians.

    ValueError if it does not start between them, or its step is not positive.
    """

    start: float
    low: float
    high: float
    unit: str = ""
    step: float = 0.01

    @property
    def bounds(self) -> tuple[float, float]:
        """Where it may stand."""
        return self.low, self.high

    def __post_init__(self) -> None:
        if not (self.low <= self.start <= self.high and self.low < self.high and self.step > 0):
            raise ValueError(f"{self}: low <= start <= high, low < high and step > 0 must hold")


@dataclass(frozen=True)
class Clock:
    """A time from 0 to `length` [s], which the reader can play; `slow` times slower than life.

    ValueError if it does not start between them, or length or slow are not positive.
    """

    length: float
    start: float = 0.0
    slow: float = 1.0
    unit: ClassVar[str] = "s"

    @property
    def bounds(self) -> tuple[float, float]:
        """Where it may stand."""
        return 0.0, self.length

    def __post_init__(self) -> None:
        if not (0 <= self.start <= self.length and self.length > 0 and self.slow > 0):
            raise ValueError(f"{self}: 0 <= start <= length, length > 0 and slow > 0 must hold")


@dataclass(frozen=True)
class Place:
    """A point (3,) [m] that the reader drags in the picture, called by `name`. ValueError if it is none."""

    start: tuple[float, float, float]
    name: str = "point"
    colour: str = "ink"

    def __post_init__(self) -> None:
        if np.shape(self.start) != (3,) or not np.isfinite(self.start).all():
            raise ValueError(f"{self}: start must be three finite numbers")


Parameter = Slider | Clock | Place
Draw = Callable[..., Iterable[Mark]]


class Sketch(AnyWidget):
    """A picture of what `draw` returns, with sliders for its arguments.

    draw(**arguments) -> marks (`chaindyn.widgets.marks`): for each argument a `Slider` or a `Clock`, which give it a
    float, or a `Place`, which gives it a (3,). It is recorded, so that it may branch on none of them; with `sampled` it
    is called at every position of its sliders instead (one or two; no places), and the page goes between those.
    title : what the picture is, for who cannot see it. view : "space", "xy", "xz" or "yz", from where it is seen at
    first; width [m] and centre (3,) [m] of what is seen; floor : height of the ground below [m], half a width below the
    centre if not given, and for "xy" out of sight.
    TypeError if the arguments are not those of `draw`, or `draw` cannot be recorded; ValueError for an unknown view,
    too many samples, marks that change in kind or number, numbers that are not finite, or a `draw` that gives other
    numbers than it did when it was recorded.
    """

    scene = Dict().tag(sync=True)
    _esm = linked("sketch.js")
    _css = source("base.css", "stage.css", "motion.css", "sketch.css", "whence.css")

    def __init__(
        self,
        draw: Draw,
        arguments: Mapping[str, Parameter],
        *,
        title: str,
        view: str = "xy",
        width: float = 3.0,
        centre: ArrayLike = (0, 0, 0),
        floor: float | None = None,
        sampled: bool = False,
    ) -> None:
        if view not in VIEWS:
            raise ValueError(f"view is {view!r}, but must be one of {list(VIEWS)}")
        if (names := list(inspect.signature(draw).parameters)) != list(arguments):
            raise TypeError(f"draw takes {names}, but the arguments are {list(arguments)}")
        made = samples_of(draw, arguments) if sampled else tape_of(draw, arguments)
        middle = np.asarray(centre, float)
        if floor is None:  # seen from above its shadows would only distract
            floor = float(middle[2]) - width * (5 if view == "xy" else 0.5)
        super().__init__(
            scene=plain(
                {
                    "title": title,
                    "view": VIEWS[view],
                    "width": width,
                    "centre": middle,
                    "floor": floor,
                    "arguments": [told(name, own) for name, own in arguments.items()],
                    **made,
                }
            )
        )


def told(name: str, parameter: Parameter) -> dict[str, Any]:
    """Return an argument for the page."""
    own = {"kind": type(parameter).__name__, "argument": name, **asdict(parameter)}
    if isinstance(parameter, Place):
        return own
    return {**own, "bounds": parameter.bounds, "unit": parameter.unit}


def given(parameter: Parameter, value: Any) -> Any:
    """Return what `draw` gets when the reader chooses a value."""
    if isinstance(parameter, Place):
        return np.asarray(value, float)
    degrees = isinstance(parameter, Slider) and parameter.unit == "°"
    return math.radians(value) if degrees else float(value)


def tape_of(draw: Draw, arguments: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the marks of a sketch, with places on a tape for numbers, and the tape: a list of (operation, *operands).

    Operands are places of earlier numbers; of a "constant" its value, of an "input" which one it is. And the lines of
    `draw` (`chaindyn.widgets.lines`) that made them, with places too.
    """
    tape, inputs = Tape(), itertools.count()

    def unknown(parameter: Parameter) -> Any:
        if isinstance(parameter, Place):
            return as_numbers(tape, [tape.unknown("input", next(inputs)) for _ in range(3)])
        return tape.unknown("input", next(inputs))

    try:
        with quietly():
            found = noted(draw, {name: unknown(own) for name, own in arguments.items()})
    except (TypeError, CannotRecord) as error:
        error.add_note("draw is recorded and may not branch on its arguments; else use sampled")
        raise
    marks = found.marks
    numbers = [{name: as_numbers(tape, x) for name, x in mark.numbers.items()} for mark in marks]
    drawn_numbers = [x for own in numbers for array in own.values() for x in array.flat]
    named = [as_numbers(tape, line.numbers) for line in found.lines]
    order = reached_from([*drawn_numbers, *(x for array in named for x in array.flat)])
    place = {x.index: k for k, x in enumerate(order)}
    rows = [
        [x.op, *(place[y.index] if isinstance(y, Number) else y for y in x.args)] for x in order
    ]
    slots = np.frompyfunc(lambda x: place[x.index], 1, 1)
    places = [{name: np.asarray(slots(x)) for name, x in own.items()} for own in numbers]
    start, other = at_start(arguments), elsewhere(arguments)
    drawn = drawn_with(draw, start)
    require_finite(drawn)
    require_equal(drawn, start, rows, places)
    require_equal(drawn_with(draw, other), other, rows, places)
    lines = [lined(*each) for each in zip(found.lines, map(slots, named), strict=True)]
    asked = [{"before": before, "made": text} for before, text in found.before]
    shown = [{**mark, **own} for mark, own in zip(described(marks, places), asked, strict=True)]
    return {"marks": shown, "tape": rows, "lines": lines}


def lined(line: Line, places: Any) -> dict[str, Any]:
    """Return a line for the page, with the places of its numbers."""
    laws = [list(law) for law in line.laws]
    return {"name": line.name, "text": line.text, "laws": laws, "places": np.asarray(places)}


def at_start(arguments: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return what `draw` gets first."""
    return {name: given(own, own.start) for name, own in arguments.items()}


def elsewhere(arguments: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return what `draw` gets when each argument is changed, each to another share of its range."""

    def value(own: Parameter, share: float) -> Any:
        if isinstance(own, Place):
            return np.add(own.start, [0.3 * share, -0.2 * share, 0.1 * share])
        low, high = own.bounds
        return low + share * (high - low)

    shares = (0.37 + 0.618 * k for k in itertools.count())
    return {
        name: given(own, value(own, share % 1))
        for (name, own), share in zip(arguments.items(), shares, strict=False)
    }


def drawn_with(draw: Draw, values: Mapping[str, Any]) -> list[Mark]:
    """Return the marks at some values of the arguments; one that cannot be drawn there may have no numbers."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return list(draw(**values))


def require_finite(marks: Sequence[Mark]) -> None:
    """Refuse marks that cannot be drawn at the start: ValueError names the first."""
    for mark in marks:
        for name, array in mark.numbers.items():
            if not np.isfinite(np.asarray(array, float)).all():
                raise ValueError(f"{name} of {type(mark).__name__} is {array} at the start")


def require_equal(
    marks: Sequence[Mark],
    values: Mapping[str, Any],
    rows: Sequence[Any],
    places: Sequence[Mapping[str, Any]],
) -> None:
    """Refuse a tape that gives other numbers than the marks drawn with these values: ValueError names the mark.

    A mark with an entry that is no number, which the page leaves out, must have one in both.
    """
    numbers = played(rows, [float(x) for own in values.values() for x in np.ravel(own)])
    for mark, own in zip(marks, places, strict=True):
        for name, array in mark.numbers.items():
            there = np.array([numbers[k] for k in np.ravel(own[name])])
            here = np.ravel(array).astype(float)
            drawn, limit = np.isfinite(here).all(), 1e-9 * max(1.0, float(np.linalg.norm(here)))
            if drawn != np.isfinite(there).all() or np.linalg.norm(there - here) > limit:
                what = f"{name} of {type(mark).__name__} at {dict(values)}"
                raise ValueError(f"{what} is {here}, but its recording {there}")


def samples_of(draw: Draw, arguments: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the marks of a sketch, with columns for numbers, and their values at all positions of the sliders."""
    axes = [positions(name, own) for name, own in arguments.items()]
    count = math.prod(map(len, axes))
    if not 1 <= len(axes) <= 2 or count > MOST_SAMPLES:
        raise ValueError(
            f"{len(axes)} arguments with {count} positions: at most two and {MOST_SAMPLES} can be sampled"
        )
    drawn, watched = [], Watched(draw, list(arguments))
    for position in itertools.product(*axes):
        pairs = zip(arguments.items(), position, strict=True)
        drawn.append(drawn_with(watched.marks, {name: given(own, x) for (name, own), x in pairs}))
    numbers = [[mark.numbers for mark in marks] for marks in drawn]
    outlines = [outline(*each) for each in zip(drawn, numbers, strict=True)]
    if any(each != outlines[0] for each in outlines):
        raise ValueError("draw returns other marks at some positions than at others")
    rows = [[y for own in row for x in own.values() for y in x.flat] for row in numbers]
    table = Columns(np.array(rows, float))
    places = iter(table.first)
    columns = [
        {
            name: np.reshape([next(places) for _ in range(x.size)], x.shape)
            for name, x in own.items()
        }
        for own in numbers[0]
    ]
    traces, lines = lines_of(watched, table)
    marks = [
        {**mark, **own} for mark, own in zip(described(drawn[0], columns), traces, strict=True)
    ]
    return {
        "marks": marks,
        "lines": lines,
        "samples": {"counts": [len(axis) for axis in axes], **table.told()},
    }


class Columns:
    """The numbers of all samples, column by column; those that agree everywhere share one."""

    def __init__(self, table: np.ndarray) -> None:
        self.all: dict[bytes, np.ndarray] = {}
        self.first = self.places(table)
        self.drawn = len(self.all)  # the others are only written

    def places(self, table: np.ndarray) -> list[int]:
        """Return where the columns of a table (samples, k) stand, and add those that are new."""
        keys = [column.tobytes() for column in table.T]
        for key, column in zip(keys, table.T, strict=True):
            self.all.setdefault(key, column)
        place = {key: k for k, key in enumerate(self.all)}
        return [place[key] for key in keys]

    def told(self) -> dict[str, Any]:
        """Return them for the page: what stays, which columns change, and those in all rows.

        Six digits are drawn; what is only written has three decimals.
        """
        table = np.array(list(self.all.values())).T
        change = (table != table[0]).any(0)
        columns = np.flatnonzero(change)
        decimals = [20 if k < self.drawn else 3 for k in columns]
        rows = [
            [round(float(f"{x:.6g}"), k) for x, k in zip(row, decimals, strict=True)]
            for row in table[:, columns]
        ]
        return {"fixed": np.where(change, 0, table[0]), "columns": columns, "rows": rows}


def lines_of(watched: Watched, table: Columns) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return, for the page, the way back from each mark, and the lines on these ways, whose numbers join the table.

    A way is {made, laws, trace}: how the page writes the mark's number, and steps as `traced` in `sketch_whence.js`
    has them.
    """
    order = {name: k for k, name in enumerate(watched.arguments)}
    values, lines, ways = zip(*watched.values, strict=True), list[dict[str, Any]](), []
    for steps in watched.behind:
        place: dict[Any, int | None] = {}
        for step in steps:
            line = {"name": step.name, "text": step.text, "laws": [list(law) for law in step.laws]}
            line |= valued(next(values), table)
            lines += [line] * bool(step.name and line not in lines)
            place[step.key] = lines.index(line) if step.name else None
        trace = [
            {
                "line": place[step.key],
                "lines": [place[key] for key in step.rests],
                "arguments": [order[name] for name in step.arguments],
            }
            for step in steps
        ]
        ways.append({"made": steps[0].text, "laws": steps[0].laws, "trace": trace} if steps else {})
    return ways, lines


def valued(values: Sequence[np.ndarray | str], table: Columns) -> dict[str, Any]:
    """Return, for the page, where the values of a name at all samples stand, or what it says of them instead."""
    arrays = [x for x in values if isinstance(x, np.ndarray)]
    if len(arrays) < len(values) or len({x.shape for x in arrays}) > 1:
        said = {x if isinstance(x, str) else "" for x in values}
        return {"says": said.pop() if len(said) == 1 else ""}
    places = np.array(table.places(np.array([x.ravel() for x in arrays], float)))
    whole = all(x.dtype.kind != "f" for x in arrays)
    return {"places": places.reshape(arrays[0].shape).tolist(), "whole": whole}


def outline(marks: Sequence[Mark], numbers: Sequence[Mapping[str, np.ndarray]]) -> Any:
    """Return all of some marks but the values of their numbers."""
    return [
        (mark.looks, [x.shape for x in own.values()])
        for mark, own in zip(marks, numbers, strict=True)
    ]


def positions(name: str, parameter: Parameter) -> np.ndarray:
    """Return where a slider may stand, as the reader sees it. TypeError for a point."""
    if isinstance(parameter, Place):
        raise TypeError(f"{name} is a place, of which there are too many to sample")
    low, high = parameter.bounds
    step = 0.04 / parameter.slow if isinstance(parameter, Clock) else parameter.step
    return np.linspace(low, high, 1 + round((high - low) / step))


def described(marks: Sequence[Mark], places: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the marks for the page: how they look, and where their numbers stand."""
    return [{**mark.looks, "numbers": own} for mark, own in zip(marks, places, strict=True)]


def played(rows: Sequence[Sequence[Any]], inputs: Sequence[float]) -> list[float]:
    """Return the numbers on a tape, as the page does."""
    values: list[Any] = []
    with np.errstate(all="ignore"):  # a page divides by zero in silence
        for op, *args in rows:
            if op == "constant":
                values.append(np.float64(args[0]))
            elif op == "input":
                values.append(np.float64(inputs[args[0]]))
            else:
                values.append(VALUE[op](*(values[k] for k in args)))
    return [float(x) for x in values]
