"""Processes that compute the pieces of a sweep, any of which may be killed at any moment.

The pools of the standard library share one channel, and can wait for ever if a process dies that writes into it, or
while more is queued than it holds (CPython's gh-94777). Here each process has a channel of its own, which ends with it,
and is sent a piece only when it waits for one. No thread helps with that.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

LOSSES = 3  # processes that die at one piece before it is given up


def in_processes(
    work: Callable[..., Any],
    piece: Callable[[int], Any],
    todo: list[int],
    count: int,
    copies: bool,
) -> Iterator[tuple[int, Any]]:
    """Yield the number of each piece and what work(*piece(number)) returns, as they finish in so many processes.

    copies : whether they start as copies of this process, which are given the number only. A piece that is lost with a
    process is computed again. RuntimeError if three die of the same piece; and whatever `work` raises.
    """
    crew = Crew(work, piece, todo, copies)
    try:
        crew.idle += [crew.start() for _ in range(min(count, len(todo)))]
        while crew.left or crew.busy:
            crew.hand_out()
            for link in connection.wait(crew.busy):
                number, content = crew.receive(link)
                if content is None:
                    continue
                crew.hand_out()  # before the result is used, which can take long
                done, result = pickle.loads(content)
                if not done:
                    raise result
                yield number, result
        crew.dismiss()
    finally:
        crew.end()


class Crew:
    """The processes, what is left to do, and who does what."""

    def __init__(
        self, work: Callable[..., Any], piece: Callable[[int], Any], todo: list[int], copies: bool
    ) -> None:
        self.left, self.losses = deque(todo), Counter[int]()
        self.task: Any
        self.message: Callable[[int], tuple[Any, ...]]
        self.busy, self.all = dict[Any, int](), dict[Any, Any]()
        self.context: Any = multiprocessing.get_context("fork" if copies else "spawn")
        if copies:
            self.task = lambda i: work(*piece(i))
            self.message = lambda i: (i,)
        else:  # if the pieces share their first part, a rule, each process gets that once
            first, last = piece(todo[0])[0], piece(todo[-1])[0]
            shared = (first,) if first is last else ()
            self.task = ForkingPickler.dumps(functools.partial(work, *shared)).tobytes()
            self.message = lambda i: piece(i)[len(shared) :]
        self.idle = list[Any]()

    def start(self) -> Any:
        """Start a process and return the link to it."""
        link, far_end = self.context.Pipe()
        process = self.context.Process(target=serve, args=(far_end, self.task))
        process.start()
        far_end.close()  # so that the link ends when the process does
        self.all[link] = process
        return link

    def hand_out(self) -> None:
        """Send every process that waits a piece."""
        while self.left and self.idle:
            link = self.idle.pop()
            number = self.busy[link] = self.left.popleft()
            with suppress(ConnectionError):  # it is dead, which `receive` finds
                link.send(self.message(number))

    def receive(self, link: Any) -> tuple[int, bytes | None]:
        """Return what number a process was at, and what it made of it: None if it died."""
        number = self.busy.pop(link)
        try:
            content = link.recv_bytes()
        except (EOFError, OSError):
            self.lose(link, number)
            return number, None
        self.idle.append(link)
        return number, content

    def lose(self, link: Any, number: int) -> None:
        """Replace a process that died, and put its piece back; RuntimeError at the third time."""
        process = self.all.pop(link)
        process.join()
        link.close()
        self.left.appendleft(number)
        self.losses[number] += 1
        if self.losses[number] < LOSSES:
            self.idle.append(self.start())
            return
        if process.exitcode < 0:
            how = (
                f"was killed (by signal {-process.exitcode}): it may need more memory than there is"
            )
        else:
            how = (
                f"ended by itself (exit status {process.exitcode}), and may have said why on standard error. Where a "
                'process is no copy of this one, a script must do its work under `if __name__ == "__main__":`'
            )
        raise RuntimeError(f"three times a process of the sweep that computed chunk {number} {how}")

    def dismiss(self) -> None:
        """Tell all processes that nothing more comes, and wait until they have ended."""
        for link in self.all:
            with suppress(ConnectionError):
                link.send(None)
        for process in self.all.values():
            process.join()

    def end(self) -> None:
        """Leave no process behind, whatever happened."""
        for link, process in self.all.items():
            process.kill()
            process.join()
            link.close()


# In the process ------------------------------------------------------------------------------------


def serve(link: Any, task: Any) -> None:
    """Compute what is sent, until nothing more is. Only the parent handles Ctrl-C, and the process ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None  # this is a child process

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    while (content := link.recv_bytes()) != NOTHING:
        link.send_bytes(answer(task, content))


NOTHING = bytes(ForkingPickler.dumps(None))


@functools.lru_cache(1)
def loaded(task: bytes) -> Any:
    """Return a task that was sent; its function may compile when it comes, which once is enough for."""
    return pickle.loads(task)


def answer(task: Any, content: bytes) -> Any:
    """Return what a task gives, pickled as (True, result), or (False, error)."""
    try:
        call = loaded(task) if isinstance(task, bytes) else task
        return ForkingPickler.dumps((True, call(*pickle.loads(content))))
    except BaseException as error:
        text = "In a process of the sweep:\n" + "".join(traceback.format_exception(error))
        error.add_note(text)
        with suppress(Exception):
            pickle.loads(message := bytes(ForkingPickler.dumps((False, error))))
            return message
        # one that cannot be sent, or not be made again from what is sent
        other = RuntimeError(f"{type(error).__name__}: {error}")
        other.__notes__ = [text]
        return ForkingPickler.dumps((False, other))
