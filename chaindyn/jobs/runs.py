"""Runs of a simulation: its steps between the times asked for, the states kept, and what remains if it ends early."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from chaindyn.guards.motion import reason_of
from chaindyn.guards.numbers import in_floats


def spans(times: np.ndarray, longest: float) -> Iterator[tuple[float, float, bool]]:
    """Yield start and end of each step, none above the longest, and whether its end is one of the times."""
    for start, end in pairwise(times):
        yield from ((a, b, b == end) for a, b in pairwise(steps_between(start, end, longest)))


def steps_between(start: float, end: float, longest: float) -> np.ndarray:
    """Return where equal steps from one time to another, none above the longest, begin and end (k + 1,)."""
    count = max(int(np.ceil((end - start) / longest - 1e-9)), 1)
    moments: np.ndarray = start + np.arange(count + 1) * ((end - start) / count)
    moments[-1] = end
    return moments


def run(
    step: Callable[..., Any],
    judge: Callable[..., Any],
    state: tuple[np.ndarray, ...],
    times: np.ndarray,
    longest: float,
) -> tuple[list[np.ndarray], list[Any], str, BaseException | None]:
    """Return times and states, (m, ...) each, what the steps noted, and why it ended early, if it did.

    step : a function of a start, the state and an end, that returns the state there and what it notes; judge : of the
    state, that raises if it cannot be. All that is raised, an interruption too, ends the run, and the last state
    reached is kept.
    """

    def on_the_way() -> Iterator[tuple[tuple[Any, ...], Any, bool]]:
        last = state
        for start, end, requested in spans(times, longest):
            *reached, more = step(start, *last, end)
            last = in_floats(*reached)  # a user's forces may be exact numbers
            judge(*last)
            yield (end, *last), more, requested

    columns, notes, reason, problem = collected((times[0], *state), on_the_way())
    return columns, [note for more in notes for note in more], reason, problem


def collected(
    first: tuple[Any, ...], on_the_way: Iterator[tuple[tuple[Any, ...], Any, bool]]
) -> tuple[list[np.ndarray], list[Any], str, BaseException | None]:
    """Return times and states, (m, ...) each, what was noted on the way, and why it ended early, if it did.

    first, and what comes: a time and the state there, what was noted since the one before, and whether it was asked
    for. All that is raised, an interruption too, is the end, and the last state reached is kept.
    """
    last, notes, problem = first, [], None
    kept = [last]
    try:
        for last, more, requested in on_the_way:
            notes.append(more)
            if requested:
                kept.append(last)
    except (Exception, KeyboardInterrupt) as caught:
        problem = caught
    if last[0] > kept[-1][0]:
        kept.append(last)
    columns = [np.array(column) for column in zip(*kept, strict=True)]
    return columns, notes, reason_of(problem, last[0]), problem


def columns_of(
    rows: Sequence[tuple[float, str, Any, np.ndarray]],
) -> tuple[np.ndarray, ...]:
    """Return a log's rows (time, kind, contact, impulse) as the columns of a `ContactLog`."""
    contacts = [contact for _, _, contact, _ in rows]
    return (
        np.array([t for t, *_ in rows]),
        np.array([kind for _, kind, *_ in rows], str),
        np.array([contact.bodies for contact in contacts], int).reshape(-1, 2),
        np.array([contact.point for contact in contacts], float).reshape(-1, 3),
        np.array([contact.normal for contact in contacts], float).reshape(-1, 3),
        np.array([impulse for *_, impulse in rows], float).reshape(-1, 3),
    )
