"""Who computes the pieces of a sweep: this process, copies of it, new ones, or an executor; and how far they are."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import closing
from itertools import islice
from typing import Any

from chaindyn.jobs.pace import Pace


def finished(
    submit: Callable[[int], Future[Any]], todo: list[int], ahead: int
) -> Iterator[tuple[int, Any]]:
    """Yield chunks and their results as they finish; at most `ahead` run at once."""
    left, under_way = iter(todo), dict[Future[Any], int]()
    while True:
        for i in islice(left, ahead - len(under_way)):
            under_way[submit(i)] = i
        if not under_way:
            return
        done, _ = wait(under_way, return_when=FIRST_COMPLETED)
        for future in sorted(
            done, key=lambda f: f.exception() is not None
        ):  # lost chunks come last
            yield under_way.pop(future), future.result()


def may_copy() -> bool:
    """Whether a process can be started as a copy of this one, which has the function already.

    True on Linux, in a process without other threads: a copy lacks the threads, but
    keeps their locks closed for ever.
    """
    return sys.platform == "linux" and threading.active_count() == 1 and "jax" not in sys.modules


def default_workers(chunks: int) -> int:
    """Return the default number of processes: one for each available core, or 1 where processes cannot be copied."""
    count = getattr(
        os, "process_cpu_count", lambda: len(os.sched_getaffinity(0))
    )  # the first is Python 3.13's
    return max(1, min(count() or 1, chunks)) if may_copy() else 1


def computed(
    work: Callable[..., Any], piece: Callable[[int], Any], todo: list[int], workers: Any
) -> Iterator[tuple[int, Any]]:
    """Yield the number of each piece and work(*piece(number)): from here, from processes, or from an executor."""
    if hasattr(workers, "get_executor"):  # a client of Dask
        workers = workers.get_executor()
    if isinstance(workers, Executor):
        pool = workers
        return finished(lambda i: pool.submit(work, *piece(i)), todo, 128)
    if workers is None:
        workers = default_workers(len(todo))
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
        raise ValueError(
            f"workers is {workers!r}, but must be a number of processes, 1 for none but this, an executor of "
            "concurrent.futures, or a client of Dask"
        )
    if workers == 1 or not todo:
        return ((i, work(*piece(i))) for i in todo)
    from chaindyn.jobs.processes import in_processes  # a browser has none

    return in_processes(work, piece, todo, workers, may_copy())


def reported(
    results: Any, todo: list[int], size: int, count: int, progress: bool
) -> Iterator[tuple[int, Any]]:
    """Yield the results of `computed` as they come; report on standard error, once each has been used.

    size : states in a piece; count : states in all, of which those in no piece of `todo` are done already.
    """
    done = count - sum(min(size, count - i * size) for i in todo)
    begin = shown = time.monotonic()
    pace = Pace(begin, done)
    pause = 0.5 if sys.stderr.isatty() else 20
    with closing(
        results
    ):  # a traceback keeps them alive, and with them the processes that exit waits for
        for i, result in results:
            yield i, result
            done += min(size, count - i * size)
            now = time.monotonic()
            pace.note(now, done)
            if progress and now - begin > 2 and (done == count or now - shown > pause):
                show_progress(done, count, now - begin, pace.left(now, done, count))
                shown = now


def show_progress(done: int, count: int, spent: float, left: float) -> None:
    """Write a line on standard error: states done, the time for the rest, at the end that for all."""
    last = done == count
    time_of = f"{spent:.0f} s" if last else f"{left:.0f} s left"
    line = f"sweep: {done:,} of {count:,} states, {100 * done / count:.0f} %, {time_of}"
    end = "\n" if last or not sys.stderr.isatty() else ""
    print(f"\r{line:<70}" if sys.stderr.isatty() else line, end=end, file=sys.stderr, flush=True)
