"""How long the rest of some work takes."""

from __future__ import annotations

import math

__all__: list[str] = []


class Pace:
    """How long the rest of some work takes, by the pace of the later half of the time that was noted.

    What happens at the start alone does not count: libraries that are loaded, processes that begin, a cautious step.
    """

    def __init__(self, now: float, done: float) -> None:
        self.records = [(now, done)]

    def note(self, now: float, done: float) -> None:
        """Note how much is done now [s]; ten times a second suffice."""
        if now - self.records[-1][0] > 0.1:
            self.records.append((now, done))

    @property
    def is_known(self) -> bool:
        """Whether something was noted besides the start."""
        return len(self.records) > 2

    def left(self, now: float, done: float, whole: float) -> float:
        """Return the seconds that are left now, when so much of the whole is done."""
        then, before = self.records[(len(self.records) - 1) // 2]
        return (now - then) * (whole - done) / (done - before) if done > before else math.inf
