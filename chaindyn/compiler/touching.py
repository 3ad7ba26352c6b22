"""Steps with contacts in machine code: one program for all that a step of Moreau and Jean does, of chapter 22's lines.

Contacts that there may be are known before: those of pairs in closed form. Which are closed is found as it runs.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from chaindyn._ops import (
    concatenate,
    expect,
    eye,
    put,
    repeat,
    solve,
    sqrt,
    take,
    zeros,
)
from chaindyn.articulated import FactorisedChain, factorise_state
from chaindyn.compiler import store
from chaindyn.compiler.closed import (
    FIRST,
    FRICTION,
    GAP,
    NORMAL,
    POINT,
    RESTITUTION,
    SECOND,
    Closed,
    Rows,
    none_closed,
    of_all,
    of_the_closed,
    rows_of,
    surfaces_of,
    with_all_of,
    with_boxes,
)
from chaindyn.compiler.contacts import MOST_SWEEPS, impulses_on_rows
from chaindyn.compiler.native import Kernel, NoCompiler
from chaindyn.compiler.pairs import Pair, each_contact, pairs_in_closed_form, touches_of
from chaindyn.compiler.programs import kept
from chaindyn.compiler.recorded import Recorded, kernel_of, recorded_link_by_link
from chaindyn.compiler.recording import CannotRecord
from chaindyn.compiler.ways import Chain
from chaindyn.jobs.floating import rates_in_new_axes
from chaindyn.jobs.runs import collected, columns_of, steps_between
from chaindyn.models.scenes import as_pairs
from chaindyn.postures import integrate
from chaindyn.simulation import Driven
from chaindyn.state import State

__all__: list[str] = []

Array = Any

MOST_AT_ONCE = 1000  # steps in one call: an interrupt is heard after a moment
MOST_ON_ONE = 8  # contacts closed at once, on the average of all bodies
HALF = 0.5
ONE_AT_A_TIME = threading.Lock()  # programs are made, by whatever thread first needs them
FEW = 8  # steps in a call after one that was in doubt


class StepLines(NamedTuple):
    """The functions of chapters 20 and 22 that a step is made of: they are handed in, since they know who steps."""

    free_rates: Callable[..., Any]
    gap_half_way: Callable[..., Any]
    newton_push: Callable[..., Any]
    moreau_push: Callable[..., Any]
    normals_first: Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Touching:
    """What may touch in a scene, and by which laws.

    pairs : of its geometries; boxes : pairs of boxes; watched : others, which must stay open for a step to hold;
    restitution, friction : (m,), of each contact that there may be, those of boxes last; law : "newton" or "moreau";
    margin : up to which a gap counts as closed [m]; loosely : whether those watched are only watched by the balls
    around them; lines : of a step.
    """

    pairs: Sequence[Pair]
    boxes: Sequence[Pair]
    watched: Sequence[Pair]
    restitution: Array
    friction: Array
    law: str
    margin: float
    loosely: bool
    lines: StepLines

    @cached_property
    def contacts(self) -> list[Pair]:
        """The pair of each contact."""
        return list(each_contact([*self.pairs, *self.boxes]))

    @property
    def room(self) -> int:
        """How many contacts may be closed at once."""
        bodies = {body for contact in self.contacts for body in contact.bodies}
        return min(len(self.contacts), MOST_ON_ONE * len(bodies))

    @cached_property
    def said(self) -> tuple[Any, ...]:
        """All that a program hangs on, to compare."""
        own = (
            self.restitution.tobytes(),
            self.friction.tobytes(),
            self.law,
            self.margin,
            self.loosely,
        )
        parts = self.pairs, self.boxes, self.watched
        return *[tuple(x.said for x in part) for part in parts], *own

    def step(
        self, chain: Chain, q: Array, qd: Array, start: Array, tau: Array, h: Array
    ) -> tuple[Array, ...]:
        """Return q and qd a step h later, and impulses of all contacts (3 m,): the next ones' start.

        Then of those that are closed their rows, as of `Closed`, their impulses along the normal and two tangents, and
        in the world (k, 3). tau : (nv,); start : (3 m,). What `moreau_jean_step` does, but for searches.
        """
        driven = Driven(chain, torque=tau).over(h, qd)
        chain = driven.chain
        middle = integrate(chain, q, h / 2 * qd)
        before, moved = self.lines.free_rates(driven, 0, middle, qd, h)
        there = integrate(chain, middle, h / 2 * moved)
        state = State(chain, there)
        closed = self.closed_at(state, 0 * h.reshape(1, 1))
        self.watch(state)

        def closes(gap: Array, speed: Array) -> Array:
            return self.margin - self.lines.gap_half_way(gap, speed, h)

        rows = rows_of(closed, state, (moved, before), closes)
        start = of_the_closed(closed, start.reshape(-1, 3), rows.acts)
        factors = factorise_state(state)
        p, felt = self.impulses(factors, closed, rows, start)
        rates = moved + jump_of(factors, felt)
        last = integrate(chain, middle, h / 2 * rates)
        whole, in_world = of_all(
            closed, p.reshape(-1, 3), rows.acts, rows.frames, len(self.contacts)
        )
        rates = rates_in_new_axes(chain, there, rates, last)
        return last, rates, whole.reshape(-1), closed.rows, p.reshape(-1, 3), in_world

    def closed_at(self, state: State, zero: Array) -> Closed:
        """Return the contacts that are closed; zero : (1, 1), of this recording."""
        count = sum(pair.count for pair in self.pairs)
        surfaces = surfaces_of(self.contacts, self.restitution, self.friction, 0)
        closed = none_closed(self.room, zero)
        if self.pairs:
            touches = touches_of(self.pairs, *state.poses, self.margin)
            expect(touches.trust)
            closed = with_all_of(closed, touches, surfaces[:count], self.margin)
        if self.boxes:
            given = self.boxes, surfaces[count:], state.poses, self.margin
            closed, trust = with_boxes(closed, *given)
            expect(trust)
        expect(self.room + HALF - closed.count)
        return closed

    def watch(self, state: State) -> None:
        """Expect that all pairs are open that are only watched."""
        if self.loosely:
            for pair in self.watched:
                expect(pair.room_between(*state.poses, self.margin))
        elif self.watched:
            others = touches_of(self.watched, *state.poses, self.margin)
            expect(others.gaps - self.margin)
            expect(others.trust)

    def impulses(
        self, factors: FactorisedChain, closed: Closed, rows: Rows, start: Array
    ) -> tuple[Array, Array]:
        """Return impulses p (3 m,), and as joint forces that links have left of them, as of `inward_forces` (nv,)."""
        speeds = rows.speeds + 0
        v, came = speeds[:, :3].reshape(-1), speeds[:, 3:].reshape(-1)
        size = sqrt((v * v + came * came).sum(-1, keepdims=True))
        both = rows_in_three_factors(factors, rows.K, rows.acts)
        problem: Any = OnRows(*both, closed.rows[:, FRICTION][:, 0], size, start, rows.acts)
        eps = np.repeat(closed.rows[:, RESTITUTION][:, 0], 3)
        if self.law == "newton":
            order = self.lines.normals_first(self.room)
            found = self.lines.newton_push(problem, v, came, eps, order)
        else:
            found = self.lines.moreau_push(problem, v, came, eps)
        p, felt, sweeps = found
        expect(MOST_SWEEPS - sweeps)
        return p, felt


@dataclass(frozen=True, eq=False)
class OnRows:
    """An `ImpactProblem` by its rows A and L, W = A L^T; start : impulses (3 m,) to begin with; acts : (m, 1)."""

    A: Array
    L: Array
    mu: Array
    size: Array
    start: Array
    acts: Array

    def impulses(self, b: Array, known: Array) -> Any:
        """Return impulses (3 m,) by Coulomb's law at speeds b, L^T times these, and how many sweeps they took."""
        given = self.A, self.L, b, self.mu, known[0::3], self.size, self.start, self.acts
        return impulses_on_rows(*given)


def rows_in_three_factors(factors: FactorisedChain, K: Array, acts: Array) -> tuple[Array, Array]:
    """Return A and L (m, 3 nv) with K M^-1 K^T = A L^T, for three rows K (m, 3 nv) of each contact.

    L : the joint forces that links have left of forces K^T; A : L D^-1. acts : (m, 1), zero where K is.
    """
    inverses = [solve(own.D, eye(own.D.shape[-1])) for own in factors.links]

    def swept(k: Any, state: Any) -> Any:
        K, A, L = state
        left, _ = factors.inward_forces(take(K, k).reshape(3, -1).T)
        answers = [inverse @ y for inverse, y in zip(inverses, left, strict=True)]
        own = [concatenate(parts, axis=-2).T.reshape(1, -1) for parts in (answers, left)]
        return K, put(A, k, own[0]), put(L, k, own[1])

    return repeat(K.shape[0], swept, (K, zeros(K.shape), zeros(K.shape)), acts)[1:]


def jump_of(factors: FactorisedChain, felt: Array) -> Array:
    """Return the jump of the joint rates (nv,) by what links have left of impulses (nv,)."""
    left = [felt[own.start : own.stop, None] for own in factors.rows]
    return factors.outward_motions(left)[1][:, 0]


def program_of(chain: Chain, scene: Touching) -> Kernel:
    """Return `step` of a scene in machine code, made once for each chain and scene, and kept on disk.

    CannotRecord; NoCompiler.
    """
    arrays: dict[str, tuple[Any, ...]] = {
        "q": ("nq",),
        "qd": ("nv",),
        "start": (3 * len(scene.contacts),),
        "tau": ("nv",),
        "h": (),
    }
    key = ("contacts", scene.said)

    def recorded() -> Recorded:
        return recorded_link_by_link(scene.step, chain, arrays, {})

    def made() -> Kernel:
        known = store.key_of(impulses_on_rows, chain, (*key, *scene.lines))
        return kernel_of(recorded, known, chain, False)[0]

    return kept(chain, key, made)


# Motions ------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Level:
    """A program and what it goes on with: `step` of a scene, compiled when it is first needed.

    start : impulses (3 m,) of the last step.
    """

    chain: Chain
    scene: Touching

    def __post_init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin the next step without impulses."""
        self.start = np.zeros(3 * len(self.scene.contacts))

    @cached_property
    def kernel(self) -> Kernel:
        """The program."""
        with ONE_AT_A_TIME:
            return program_of(self.chain, self.scene)

    def march(
        self, q: Array, qd: Array, tau: Array, h: float, some: int
    ) -> tuple[int, list[Array]]:
        """Return of how many steps the program is sure, and their results, (k, ...) each."""
        values = [np.ascontiguousarray(x, float) for x in (q, qd, self.start, tau, h)]
        results = [np.full((1, some, *shape), np.nan) for shape in self.kernel.outputs[:-1]]
        self.kernel.march(values, [0] * len(values), results, (0, 1), some, 1, again=3)
        finite = np.isfinite(results[0][0, :, 0])
        good = some if finite.all() else int(finite.argmin())
        found = [x[0, :good] for x in results]
        if good:
            self.start = found[2][-1]
        return good, found

    def end_of(
        self, q: Array, qd: Array, tau: Array, h: float, steps: int
    ) -> tuple[Array, Array] | None:
        """Return the state after so many steps; None if one of them is in doubt: then nothing has changed."""
        values = [np.ascontiguousarray(x, float) for x in (q, qd, self.start, tau, h)]
        results = [np.empty((1, 1, *shape)) for shape in self.kernel.outputs[:3]]
        if self.kernel.march(values, [0] * len(values), results, (0, 1), steps, steps):
            return None
        q, qd, self.start = (x[0, 0] for x in results)
        return q, qd

    def least_gap(self, q: Array, qd: Array, tau: Array, h: float) -> float:
        """Return the least gap in a first step, infinite if none is closed, minus infinity if the step is in doubt."""
        good, found = self.march(q, qd, tau, h, 1)
        self.forget()
        return float(found[3][..., GAP].min(initial=np.inf)) if good else -np.inf

    def noted(self, moments: Array, found: Sequence[Array]) -> tuple[Array, ...]:
        """Return the columns of the log: a row for each contact that pushes in a step."""
        table, p, impulses = found[3:]
        steps, k = np.nonzero(p[..., 0] > 0)
        rows, kinds = table[steps, k], np.full(len(k), "push")
        bodies = rows[:, FIRST.start : SECOND.stop].astype(int) - 1
        return moments[steps], kinds, bodies, rows[:, POINT], rows[:, NORMAL], impulses[steps, k]


@dataclass(eq=False)
class CompiledSteps:
    """Steps of a motion with contacts, many in one call of a program; what it doubts goes to the next, or to `one`.

    one : a step as it stands; levels : programs, the first for most of the time; counts : of steps, those in programs
    and the others.
    """

    one: Callable[..., Any]
    torque: Any
    levels: Sequence[Level]
    counts: list[int] = field(default_factory=lambda: [0, 0])

    def run(
        self, judge: Callable[..., Any], start: tuple[Array, Array], times: Array, longest: float
    ) -> tuple[list[Array], tuple[Array, ...], str, BaseException | None]:
        """Return times, states, columns of the log, and why it ended early: what `noted_steps` does for other steps."""
        first = float(times[0]), *start

        def on_the_way() -> Iterator[tuple[tuple[Any, ...], Any, bool]]:
            last = first
            for end in times[1:].tolist():
                for reached, columns in self.stretch(judge, last, end, longest):
                    last = reached
                    yield last, columns, last[0] == end

        states, log, reason, problem = collected(first, on_the_way())
        self.warn_of_many()
        whole = tuple(np.concatenate(parts) for parts in zip(columns_of([]), *log, strict=True))
        return states, whole, reason, problem

    def warn_of_many(self) -> None:
        """Say that a motion is slow because many of its steps are left to the step as it stands."""
        fast, slow = self.counts
        if slow > fast:
            warnings.warn(
                f"{slow} of {fast + slow} steps with contacts ran as they stand: bodies touched in ways that have no "
                "closed form, as capsules side by side, or impulses settled slowly",
                RuntimeWarning,
                stacklevel=6,
            )

    def stretch(
        self, judge: Callable[..., Any], last: tuple[Any, ...], end: float, longest: float
    ) -> Iterator[tuple[tuple[Any, ...], tuple[Array, ...]]]:
        """Yield states on the way to a time, each with the columns of what was noted since the one before."""
        moments, most = steps_between(last[0], end, longest), MOST_AT_ONCE
        count, done = len(moments) - 1, 0
        h = (end - last[0]) / count
        while done < count:
            good, last, columns = self.in_programs(judge, moments[done:], h, last, most)
            if not good:
                *reached, more = self.one(moments[done], *last[1:], moments[done + 1])
                judge(*reached)
                last, columns = (float(moments[done + 1]), *reached), columns_of(more)
                self.counts[1] += 1
            most = min(2 * most, MOST_AT_ONCE) if good == most else FEW
            done += good or 1
            yield last, columns

    def in_programs(
        self,
        judge: Callable[..., Any],
        moments: Array,
        h: float,
        last: tuple[Any, ...],
        most: int,
    ) -> tuple[int, tuple[Any, ...], tuple[Array, ...]]:
        """Return how many steps the first program took that is sure of one, the state after them, and what they noted.

        moments : (k + 1,), before and after the steps that are left, h long each; most : steps in one call.
        ArithmeticError as from `judge`, of the states.
        """
        _, q, qd = last
        tau = np.zeros(len(qd)) if self.torque is None else self.torque
        for k, level in enumerate(self.levels):
            some = min(len(moments) - 1, FEW if k else most)
            try:
                good, found = level.march(q, qd, tau, h, some)
            except (CannotRecord, NoCompiler):  # it takes too much text
                self.levels = self.levels[:k]
                break
            if good:
                judge(*found[:2])
                self.counts[0] += good
                last = float(moments[good]), found[0][-1], found[1][-1]
                return good, last, level.noted(moments[1:], found)
            level.forget()
        return 0, last, ()


def levels_of(scene: Any, chain: Chain, lines: StepLines) -> list[Level]:
    """Return the programs of a scene of `simulate_contact`, the first for most of the time; ValueError if it has none.

    What may touch in the last scene stays with the chain, and the geometries with it: no others have their identities.
    """
    geometries, exclude = scene.seen
    laws = scene.restitution, scene.friction, scene.law, scene.margin
    apart = frozenset(map(frozenset, as_pairs(exclude, len(geometries))))
    key = tuple(map(id, geometries)), apart, laws, lines
    known, *last = chain.__dict__.get("scene", (None,))
    if known != key:
        last = [tuple(geometries), touching_of(scene, chain, lines)]
        chain.__dict__["scene"] = key, *last
    return [Level(chain, touching) for touching in last[1]]


def touching_of(scene: Any, chain: Chain, lines: StepLines) -> list[Touching]:
    """Return what may touch in a scene, for each of its programs, and ValueError, as `levels_of` does.

    Links that may touch each other are only watched by the first ones.
    """
    pairs = pairs_in_closed_form(chain, *scene.seen)
    if not pairs:
        raise ValueError(
            "no two of these geometries may touch: simulate(..., compiled=True) moves a chain without contacts"
        )
    boxes = [pair for pair in pairs if pair.is_boxes]
    thin = [pair for pair in pairs if not pair.is_boxes]
    outer = [pair for pair in thin if pair.is_outer]
    inner = [pair for pair in thin if not pair.is_outer]
    parts: list[tuple[list[Pair], list[Pair], bool]] = [(thin, [], False)]
    if outer and inner:
        parts = [(outer, inner, True), (outer, inner, False), *parts]
    found = []
    for own, watched, loosely in parts:
        eps, mu = scene.coefficients(list(each_contact([*own, *boxes])))
        law, margin = scene.law, scene.margin
        found.append(Touching(own, boxes, watched, eps, mu, law, margin, loosely, lines))
    return found


def has_programs(levels: Sequence[Level]) -> bool:
    """Whether the first of these can be made, now, so that it can be said now: with a warning if it cannot be."""
    try:
        levels[0].kernel  # noqa: B018
    except (CannotRecord, NoCompiler) as error:
        warnings.warn(
            f"steps with contacts run as they stand: {error}", RuntimeWarning, stacklevel=7
        )
        return False
    return True


def compiled_steps(scene: Any, one: Callable[..., Any], chain: Chain, lines: StepLines) -> Any:
    """Return the steps of a scene of `simulate_contact` in machine code; `one`, with a warning, if that cannot be.

    one : a step as it stands. ValueError for what has no closed form.
    """
    levels = levels_of(scene, chain, lines)
    return CompiledSteps(one, scene.driven.torque, levels) if has_programs(levels) else one
