"""Many motions with contacts: each marches through one program by itself, on as many threads as there are."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from chaindyn.compiler.programs import shared_out
from chaindyn.compiler.touching import (
    MOST_AT_ONCE,
    CompiledSteps,
    Level,
    StepLines,
    has_programs,
    levels_of,
)
from chaindyn.compiler.ways import Chain
from chaindyn.contact import moreau_push, newton_push, normals_first
from chaindyn.guards.cones import in_steps
from chaindyn.guards.contacts import require_apart, require_compilable
from chaindyn.guards.motion import require_possible
from chaindyn.jobs.contact_records import Scene, scene_of
from chaindyn.jobs.runs import steps_between
from chaindyn.simulation import kinetic_energy
from chaindyn.stepping import free_rates, gap_half_way, moreau_jean_step, simulate_contact

__all__: list[str] = []

Array = Any

LINES = StepLines(free_rates, gap_half_way, newton_push, moreau_push, normals_first)
GIVEN = inspect.signature(simulate_contact).parameters
OPTIONS: dict[str, Any] = {
    name: GIVEN[name].default for name in ("friction", "restitution", "law", "margin", "exclude")
}
DEEP = -1e-3  # a gap in the first step beyond which a start is looked at more closely [m]


class MotionFailed(Exception):
    """One of many motions cannot go on; number : which."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def scene_said(chain: Chain, contacts: Any) -> Scene:
    """Return the scene that options of `simulate_contact` say; ValueError for what is none."""
    names = ", ".join(["geometries", *OPTIONS])
    if not isinstance(contacts, Mapping) or "geometries" not in contacts:
        raise ValueError(
            f"contacts is {contacts!r}, but must be a dictionary with geometries, and what else of {names} is given"
        )
    if unknown := [name for name in contacts if name not in ("geometries", *OPTIONS)]:
        raise ValueError(f"contacts has {unknown[0]!r}, but takes {names}")
    given = OPTIONS | dict(contacts)
    laws: Any = "steps", given["restitution"], given["friction"], given["law"], "together"
    scene = scene_of(chain, given["geometries"], None, (), laws, given["margin"], given["exclude"])
    require_compilable("steps", scene.driven, scene.seen[0])
    return scene


@dataclass(eq=False)
class Motion:
    """One motion on its way, by programs of its own start: its state, and how many steps each way took."""

    scene: Scene
    levels: Sequence[Level]
    q: Array
    qd: Array
    counts: list[int]

    def states_at(
        self, times: Array, longest: float, loads: Sequence[Array]
    ) -> Iterator[tuple[Array, Array]]:
        """Yield the state at each of the times; loads : between two of them (nv,)."""
        first = steps_between(times[0], times[1], longest)
        self.require_apart(first[1] - first[0], loads[0])
        yield self.q, self.qd
        for (start, end), load in zip(itertools.pairwise(times.tolist()), loads, strict=True):
            self.go(start, end, longest, load)
            yield self.q, self.qd

    def go(self, start: float, end: float, longest: float, load: Array) -> None:
        """March from one time to another under joint forces (nv,). ArithmeticError for a state that cannot be."""
        moments = steps_between(start, end, longest)
        left, h = len(moments) - 1, (end - start) / (len(moments) - 1)
        while left and self.levels:
            some = min(left, MOST_AT_ONCE)
            reached = self.levels[0].end_of(self.q, self.qd, load, h, some)
            if reached is None:
                break
            (self.q, self.qd), left = reached, left - some
            self.counts[0] += some
        if left:
            self.go_on(float(moments[len(moments) - 1 - left]), end, longest, load)

    def go_on(self, start: float, end: float, longest: float, load: Array) -> None:
        """March as `go` does, in smaller portions: what a program doubts is left to the next, or to the step itself."""
        chain = self.scene.driven.chain
        scene = replace(self.scene, driven=replace(self.scene.driven, torque=load))
        one = partial(moreau_jean_step, scene)
        steps = CompiledSteps(one, load, self.levels, self.counts)
        judge = partial(require_possible, chain, kinetic_energy=kinetic_energy)
        for reached, _ in steps.stretch(judge, (start, self.q, self.qd), end, longest):
            _, self.q, self.qd = reached

    def require_apart(self, h: float, load: Array) -> None:
        """Refuse a start with bodies inside each other: where the first step is not deep, it is none."""
        gap = self.levels[0].least_gap(self.q, self.qd, load, h) if self.levels else -np.inf
        if not gap > DEEP:
            require_apart(self.scene.find(self.q), self.scene.driven.chain.names)


def touching_paths(
    chain: Chain,
    contacts: Any,
    states: tuple[Array, Array],
    times: Array,
    loads: Sequence[Array],
    step: float,
    threads: int,
) -> list[Array]:
    """Return q (count, m, nq) and qd (count, m, nv) of motions at all times (m,), from states at the first.

    states : (count, ...) each; loads : for each stretch of time (count, nv). MotionFailed for one that cannot go on, or
    starts with bodies inside each other.
    """
    scene = scene_said(chain, contacts)
    levels, count = levels_of(scene, chain, LINES), len(states[0])
    if not has_programs(levels):
        levels = []
    paths = [np.empty((count, len(times), x.shape[-1])) for x in states]
    taken: list[list[int]] = []

    def run(piece: tuple[int, int]) -> bool:
        for k in range(*piece):
            fresh = [Level(level.chain, level.scene) for level in levels]
            motion = Motion(scene, fresh, states[0][k], states[1][k], [0, 0])
            try:
                with in_steps():
                    own = motion.states_at(times, step, [x[k] for x in loads])
                    for j, reached in enumerate(own):
                        paths[0][k, j], paths[1][k, j] = reached
            except (ArithmeticError, ValueError) as error:
                raise MotionFailed(k) from error
            taken.append(motion.counts)
        return False

    shared_out(run, count, threads)
    if levels:
        counts = np.sum(taken, axis=0).tolist()
        CompiledSteps(moreau_jean_step, None, levels, counts).warn_of_many()
    return paths
