"""A search for postures: steps for many problems at once, new starts for those that are stuck, and when to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from chaindyn.chain import Chain
from chaindyn.guards.arguments import check_positive_number
from chaindyn.guards.states import in_one_batch
from chaindyn.guards.targets import as_targets, check_search, in_rows
from chaindyn.postures import difference, integrate, random_state

__all__ = ["Reached"]

ROUND = 10  # steps after which a problem that has made no progress is given up
PROGRESS = 0.9  # of the error before a round, which must be undercut after it
SETTLED = 1e-8  # of a posture that is drawn to another: a step [rad, m] that counts as none

Step = Callable[..., tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class Reached:
    """Postures that `inverse_kinematics` found.

    q : (..., nq); reached : (...), whether all targets are reached there; error : (...), the root of the sum of the
    weighted squares of what is missing; starts : (...), how many were made.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> found = inverse_kinematics(rod, Target(0, rotation=exp_so3(np.array([0, 0.5, 0]))))
    >>> bool(found.reached), found.q.round(4)
    (True, array([0.5]))
    """

    q: np.ndarray
    reached: np.ndarray
    error: np.ndarray
    starts: np.ndarray


@dataclass(frozen=True, eq=False)
class Search:
    """Problems of inverse kinematics, one a row, and how they are searched.

    step : returns the next posture and the square of what is missing now, (..., nq) and (..., 1), of a posture,
    rotations, positions, what is the same for all, a posture to be drawn to, and how much; common : weights, and which
    joints may move; q, rest : (count, nq), where to begin, and what to be drawn to, if that is asked for; rotations,
    positions : (count, k, 3, 3) and (count, k, 3); batch : the axes of the problems; again : returns new starts, of a
    number and the first starts; steps : from one start, at most.
    """

    step: Step
    common: tuple[Any, ...]
    q: np.ndarray
    rest: np.ndarray
    rotations: np.ndarray
    positions: np.ndarray
    batch: tuple[int, ...]
    again: Callable[[int, np.ndarray], np.ndarray]
    restarts: int
    steps: int
    tolerance: float
    drawn: bool

    def after_round(self, q: Any, rows: Any, share: Any, still: float) -> tuple[Any, Any]:
        """Return postures after a round of steps, and what is then missing (..., 1).

        A posture stays as it is once it has arrived and its step is no larger than `still`.
        """
        limit = self.tolerance * self.tolerance
        targets, rest = (self.rotations[rows], self.positions[rows]), self.rest[rows]
        for k in range(ROUND + 1):
            ahead, square = self.step(q, *targets, *self.common, rest, share)
            going = square > limit
            if still < np.inf:
                going = going | (np.abs(ahead - q).max(-1, keepdims=True) > still)
            if k == ROUND or not going.any():
                break
            q = np.where(going, ahead, q)
        return q, np.sqrt(square)

    def descended(
        self, rows: np.ndarray, q: np.ndarray, share: float = 0.0, still: float = np.inf
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the postures of some problems after as many steps as help, and what is missing (count,).

        share : of the way to the posture that they are drawn to, which each step goes besides.
        """
        q, error, alive = q.copy(), np.full(len(rows), np.inf), np.arange(len(rows))
        drawn = np.array([share])
        for _ in range(0, self.steps, ROUND):
            # one problem alone goes the short way, without a batch axis
            own: Any = int(alive[0]) if len(alive) == 1 else alive
            before = error[alive]
            ahead, missing = self.after_round(q[own], rows[own], drawn, still)
            q[own], error[own] = ahead, missing[..., 0]
            now = error[alive]
            alive = alive[(now > self.tolerance) & (now < PROGRESS * before) | (share > 0)]
            if not len(alive):
                break
        return q, error

    def searched(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the best postures (count, nq), what is missing (count,), and how many starts were made (count,)."""
        count = len(self.q)
        best, least, starts = self.q.copy(), np.full(count, np.inf), np.zeros(count, int)
        for attempt in range(self.restarts + 1):
            left = np.flatnonzero(least > self.tolerance)
            if not len(left):
                break
            begin = self.again(attempt, self.q[left]) if attempt else self.q[left]
            q, error = self.descended(left, begin)
            better = error < least[left]
            best[left[better]], least[left[better]] = q[better], error[better]
            starts[left] += 1
        return best, least, starts

    def result(self) -> Reached:
        """Return the postures; those that have arrived, drawn as near to `rest` as the targets allow."""
        q, error, starts = self.searched()
        there = np.flatnonzero(error <= self.tolerance)
        if self.drawn and len(there):
            near, missing = self.descended(there, q[there], 0.5, SETTLED)
            kept = missing <= self.tolerance
            q[there[kept]], error[there[kept]] = near[kept], missing[kept]
        whole = (q, error <= self.tolerance, error, starts)
        return Reached(*(x.reshape(self.batch + x.shape[1:]) for x in whole))


def other_starts(
    chain: Chain, mobility: np.ndarray, limits: bool, attempt: int, q: np.ndarray
) -> np.ndarray:
    """Return postures (count, nq) to begin again from: for all problems the same, but for joints that may not move."""
    rng = np.random.default_rng(attempt)
    posture, _ = random_state(chain, rng)
    low, high = chain.lower_limit, chain.upper_limit
    between = np.isfinite(low) & np.isfinite(high) & limits
    posture[between] = rng.uniform(low[between], high[between])
    start: np.ndarray = integrate(chain, q, mobility * difference(chain, q, posture))
    return np.clip(start, low, high) if limits else start


def step_of(law: Step, chain: Chain, bodies: Any, limits: bool, m: int, compiled: bool) -> Step:
    """Return a law of steps for bodies, of m rows in all; compiled once for each chain, bodies and use of limits."""
    if not compiled:
        return partial(law, chain, bodies=bodies, limits=limits)
    from chaindyn.compiler.compilation import compiled as machine_code  # which imports the laws
    from chaindyn.compiler.programs import kept

    k = len(bodies)
    shapes: dict[str, Any] = {"rotations": (k, 3, 3), "positions": (k, 3), "weights": (m,)}
    shapes |= {"mobility": ("nv",), "rest": ("nq",), "share": (1,)}
    given = {"bodies": bodies, "limits": limits}
    key = law, bodies, limits
    program: Step = kept(chain, key, lambda: machine_code(law, chain, shapes=shapes, given=given))
    return program


def search_of(
    law: Step,
    chain: Chain,
    targets: Any,
    q: Any,
    mobility: np.ndarray,
    rest: Any,
    limits: bool,
    compiled: bool,
    restarts: Any,
    steps: Any,
    tolerance: Any,
) -> Search:
    """Return the search of all problems, as `inverse_kinematics` describes them; leading axes are broadcast."""
    check_search(steps, restarts)
    bodies, rotations, positions, weights = in_rows(as_targets(chain, targets))
    arrays = {"q": (q, 1), "rest": (q if rest is None else rest, 1), "rotations": (rotations, 3)}
    batch, (begin, end, R, p) = in_one_batch(**arrays, positions=(positions, 2))
    step = step_of(law, chain, bodies, limits, len(weights), compiled)
    again = partial(other_starts, chain, mobility, limits)
    least = check_positive_number(tolerance, "tolerance")
    counts = int(restarts), int(steps)
    drawn = rest is not None
    return Search(step, (weights, mobility), begin, end, R, p, batch, again, *counts, least, drawn)
