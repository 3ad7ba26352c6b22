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
        count = max(int(np.ceil((end - start) / longest - 1e-9)), 1)
        for k in range(1, count + 1):
            new = end if k == count else start + k * ((end - start) / count)
            yield start + (k - 1) * ((end - start) / count), new, k == count


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
    last = (times[0], *state)
    kept, notes, problem = [last], [], None
    try:
        for start, end, requested in spans(times, longest):
            *reached, more = step(start, *last[1:], end)
            state = in_floats(*reached)  # a user's forces may be exact numbers
            judge(*state)
            last = (end, *state)
            notes += more
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
