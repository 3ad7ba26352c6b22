"""Whole motions in machine code: a step of a method is recorded, and its program run again and again."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from chaindyn import _ops
from chaindyn.array_types import ArrayM, ArrayNq, ArrayNv
from chaindyn.compiler import store
from chaindyn.compiler.native import LANES, Kernel, NoCompiler
from chaindyn.compiler.operations import mark_of
from chaindyn.compiler.plan import MOST_STRAIGHT, Subprogram
from chaindyn.compiler.programs import kept, shared_out
from chaindyn.compiler.recorded import (
    MOST_LINKS_STRAIGHT,
    UNUSED,
    Recorded,
    kernel_of,
    record,
    recorded_link_by_link,
)
from chaindyn.compiler.recording import CannotRecord, Number, as_numbers
from chaindyn.compiler.ways import Chain, aba, held_acceleration
from chaindyn.guards.arguments import check_threads, check_word, require_fit, require_shape
from chaindyn.guards.constraint_parts import as_constraints
from chaindyn.guards.door import checked
from chaindyn.guards.loops import Gains, StabilisationWord
from chaindyn.guards.model import check_numbers
from chaindyn.guards.motion import check_step, check_times, require_possible
from chaindyn.guards.numbers import NOISE, as_array, as_real, require_finite
from chaindyn.jobs.marching import cure_of, require_closed
from chaindyn.projection import projected
from chaindyn.simulation import (
    Driven,
    Simulation,
    aba_over,
    kinetic_energy,
    rk4_step,
    semi_implicit_euler_step,
    simulate,
)

__all__ = ["rollout"]

Array = Any

MethodWord = Literal["RK4", "semi-implicit Euler"]
STEPS: dict[str, Callable[..., Any]] = {
    "RK4": rk4_step,
    "semi-implicit Euler": semi_implicit_euler_step,
}
STATE: dict[str, tuple[Any, ...]] = {"q": ("nq",), "qd": ("nv",), "tau": ("nv",)}
STEP: dict[str, tuple[Any, ...]] = {"h": ()}

MOST_AT_ONCE = 100_000  # steps, of all motions, in one call: an interrupt is heard after a second


@dataclass(frozen=True)
class Loops:
    """What closes a chain's loops: constraints, gains that stabilise them, and whether each step is projected."""

    constraints: tuple[Any, ...] = ()
    gains: tuple[Any, Any] = (0, 0)
    projects: bool = False

    @property
    def tolerance(self) -> float:
        """Of the constraints' rows, as for `constrained_forward_dynamics`."""
        return NOISE if self.projects else 0


OPEN = Loops()


def march_of(chain: Chain, method: str, lanes: bool, loops: Loops = OPEN) -> Kernel:
    """Return a step of a method, compiled for a chain: once for each chain, and for one motion or for many (lanes)."""

    def made() -> Kernel:
        step = step_of(method, loops)
        key = store.key_of(STEPS[method], chain, ("whole step", lanes, loops))
        return kernel_of(lambda: recorded_step(step, chain, loops), key, chain, lanes)[0]

    return kept(chain, (method, lanes, loops), made)


def step_of(method: str, loops: Loops = OPEN) -> Callable[..., Any]:
    """Return a step of a method as a function of a chain and arrays; forward : what it asks for accelerations.

    implicit : whether it asks for them over the step, where the chain has friction.
    """
    own = STEPS[method]
    held: dict[str, Any] = {
        "constraints": loops.constraints,
        "gains": loops.gains,
        "tolerance": loops.tolerance,
    }

    def step(
        chain: Chain, q: Array, qd: Array, tau: Array, h: Array, forward: Any = None
    ) -> tuple[Array, Array]:
        q, qd = own(Driven(chain, torque=tau, forward=forward, **held), 0, q, qd, h)
        if loops.projects:
            return projected(chain, loops.constraints, q, qd, share=NOISE)
        return q, qd

    step.implicit = own is semi_implicit_euler_step  # type: ignore[attr-defined]
    return step


def recorded_step(step: Callable[..., Any], chain: Chain, loops: Loops = OPEN) -> Recorded:
    """Record a step of a short chain around one program for its accelerations, of others as a whole.

    The same text for each of four slopes stays in what processors hold ready.
    """
    if chain.n <= MOST_LINKS_STRAIGHT:
        try:
            return recorded_asking(step, chain, loops)
        except CannotRecord:
            pass  # its accelerations alone are too long for a text without loops
    return record(step, chain, STATE | STEP, {})


@dataclass(frozen=True, eq=False)
class Question:
    """A recorded function inside another's recording: each call is one more question, with an answer for each."""

    recorded: Recorded
    calls: Iterator[int] = field(default_factory=itertools.count)

    def __call__(self, *args: Any) -> Array:
        """Return the answer: numbers of which only the question is known. What must be positive is expected."""
        recording, call = _ops.recording.get(), next(self.calls)
        given = [x for own in args for x in as_numbers(recording.tape, own).flat]
        marks = [x.mark for x in given]

        def answer(at: int) -> Number:
            args, mark = (call, at, *given), mark_of("answered", at, marks)
            number: Number = recording.tape.write("answered", args, mark)
            return number

        ends = np.cumsum([0, *self.recorded.lengths[1]])
        answers = [
            np.array([answer(at) for at in range(*e)], object) for e in itertools.pairwise(ends)
        ]
        (own, expected), (shape, _) = answers, self.recorded.outputs
        recording.expect(expected)
        return own.reshape(shape)


def recorded_asking(step: Callable[..., Any], chain: Chain, loops: Loops = OPEN) -> Recorded:
    """Record a step that asks for accelerations, the program for which it runs as often; both without loops."""
    most = UNUSED * MOST_STRAIGHT
    over = chain.has_friction and step.implicit  # type: ignore[attr-defined]
    arrays = STATE | STEP if over else STATE
    function: Callable[..., Any] = aba_over if over else aba
    options: dict[str, Any] = {}
    if loops.constraints:
        if over:
            raise CannotRecord("its accelerations over a step are those of the loops")
        function, options = (
            held_acceleration,
            {
                "constraints": loops.constraints,
                "stabilisation": loops.gains,
                "tolerance": loops.tolerance,
            },
        )
    asked = recorded_link_by_link(function, chain, arrays, options, most)
    if not asked.plan.straight:
        raise CannotRecord("its accelerations take too many operations")
    forward = {"forward": Question(asked)}
    whole = recorded_link_by_link(step, chain, STATE | STEP, forward, most)
    if not whole.plan.straight:
        raise CannotRecord("it takes too many operations")
    return replace(whole, plan=replace(whole.plan, asked=Subprogram(asked.plan, *asked.lengths)))


@checked(q="nq", qd="nv")
def rollout(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    *,
    t: ArrayM,
    torque: ArrayNv | None = None,
    method: MethodWord = "RK4",
    step: float = 1e-3,
    threads: int | None = None,
    constraints: Any = (),
    stabilisation: Gains | StabilisationWord = None,
    contacts: Any = None,
) -> Simulation:
    """Return many motions of a chain, each from its own state, as `simulate` does, in machine code on all cores.

    q : (..., nq); qd : (..., nv); t : (m,) increasing times [s]; torque : joint forces (..., nv), constant, or (m - 1,
    ..., nv), each for the time between two of t; None is none. method : "RK4" or "semi-implicit Euler"; step : the
    longest step [s]: between two times all are equal. Friction of the chain's drives acts. constraints, stabilisation :
    loops that stay closed, and what is done against drift, as for `simulate`. contacts : of an open chain that touches,
    options of `simulate_contact`, {"geometries": ..., "friction": ...}, whose compiled "steps" then take the place of
    method; bodies that start inside each other are refused as there. ValueError for bad input, if
    a motion leaves what a float can hold or becomes faster than light, or if M becomes singular (it says which motion,
    and when); RuntimeWarning if there is no compiler: `simulate` takes over.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> q, qd = np.array([[0.0], [0.1], [0.2]]), np.zeros((3, 1))
    >>> falls = rollout(rod, q, qd, t=[0, 0.2, 0.4])
    >>> falls.q[-1, :, 0].round(3)
    array([1.126, 1.201, 1.265])
    """
    times = check_times(t)
    step, workers = check_step(step, times), check_threads(threads)
    check_word(method, "method", set(STEPS))
    check_numbers(chain)
    q, qd = (as_real(x, name) for x, name in ((q, "q"), (qd, "qd")))
    batch = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1])
    count = int(np.prod(batch))
    loads = held_loads(chain, torque, batch, len(times) - 1)
    if contacts is not None:
        if as_constraints(constraints):
            raise ValueError("contacts and constraints are given, but rollout takes one of them")
        starts = flattened(q, batch), flattened(qd, batch)
        return touching_motions(chain, contacts, starts, times, loads, step, workers, batch)
    loops = check_loops(chain, constraints, stabilisation, q, qd)
    try:
        kernel = march_of(chain, method, count > 1, loops)
    except (NoCompiler, CannotRecord) as error:
        if isinstance(error, CannotRecord) and not loops.constraints:
            raise
        warnings.warn(f"{error}: simulate takes over", RuntimeWarning, stacklevel=4)
        given: dict[str, Any] = {"t": times, "torque": torque, "method": method, "step": step}
        held = loops.constraints
        return simulate(chain, q, qd, **given, constraints=held, stabilisation=stabilisation)
    states = [flattened(x, batch) for x in (q, qd)]
    paths = [np.empty((count, len(times), x.shape[-1])) for x in states]
    for path, x in zip(paths, states, strict=True):
        path[:, 0] = x
    for k, between in enumerate(itertools.pairwise(times)):
        states = marched(kernel, states, loads[k], batch, between, step, workers)
        require_possible_motions(chain, states, batch, between)
        for path, x in zip(paths, states, strict=True):
            path[:, k + 1] = x
    q_path, qd_path = in_shape(paths, batch)
    return Simulation(chain, times, q_path, qd_path, constraints=loops.constraints)


def touching_motions(
    chain: Chain,
    contacts: Any,
    states: tuple[Array, Array],
    times: Array,
    loads: Sequence[Array],
    step: float,
    threads: int,
    batch: tuple[int, ...],
) -> Simulation:
    """Return motions with contacts from states (count, ...) at the first of the times; ValueError as from `rollout`."""
    # which knows chapters that know who steps
    from chaindyn.compiler.touching_rollouts import MotionFailed, touching_paths

    try:
        q, qd = touching_paths(chain, contacts, states, times, loads, step, threads)
    except MotionFailed as failed:
        name = name_of_motion(failed.number, batch)
        raise ValueError(f"motion{name}: {failed.__cause__}") from failed.__cause__
    for k, between in enumerate(itertools.pairwise(times)):
        require_possible_motions(chain, (q[:, k + 1], qd[:, k + 1]), batch, between)
    q, qd = in_shape((q, qd), batch)
    return Simulation(chain, times, q, qd)


def in_shape(paths: Sequence[Array], batch: tuple[int, ...]) -> list[Array]:
    """Return paths (count, m, k) of all motions with times first, then the axes of the motions (m, *batch, k)."""
    return [np.moveaxis(x.reshape((*batch, *x.shape[1:])), -2, 0) for x in paths]


def check_loops(chain: Chain, constraints: Any, stabilisation: Any, q: Array, qd: Array) -> Loops:
    """Return what closes a chain's loops; ValueError for what is wrong with it, and for loops open at the start."""
    held = as_constraints(constraints)
    if not held:
        return OPEN
    gains, projects = cure_of(stabilisation)
    if gains is None:
        require_closed(Driven(chain, constraints=held), q, qd)
    return Loops(held, gains or (0, 0), projects)


def marched(
    kernel: Kernel,
    states: Sequence[Array],
    load: Array,
    batch: tuple[int, ...],
    between: tuple[float, float],
    step: float,
    threads: int,
) -> list[Array]:
    """Return the states (count, ...) of all motions at the second of two times, from those at the first.

    load : (count, nv) joint forces; batch : the axes of the motions, for ValueError, which names the first that fails;
    step : the longest step.
    """
    count, stretch = len(load), between[1] - between[0]
    left = steps = max(int(np.ceil(stretch / step - 1e-9)), 1)
    strides = [*(x.shape[-1] for x in (*states, load)), 0]
    while left:
        some = min(left, max(MOST_AT_ONCE // max(count, 1), 1))
        values = [*states, load, np.array(stretch / steps)]
        ends = [np.empty((count, 1, x.shape[-1])) for x in states]

        def march(
            span: tuple[int, int],
            given: tuple[Any, Any, Any] = (values, strides, ends),
            some: int = some,
        ) -> bool:
            return kernel.march(*given, span=span, steps=some, every=some)

        if shared_out(march, count, min(threads, count // LANES)):
            name = name_of_motion(first_that_fails(march, count), batch)
            raise ValueError(
                f"between t = {between[0]:g} and {between[1]:g} s motion{name} leaves what "
                "floats can hold, or its mass matrix becomes singular; a shorter step, or simulate, tells more"
            )
        states, left = [np.ascontiguousarray(x[:, 0]) for x in ends], left - some
    return list(states)


def require_possible_motions(
    chain: Chain, states: Sequence[Array], batch: tuple[int, ...], between: tuple[float, float]
) -> None:
    """Refuse motions that became faster than light, as `simulate` does; ValueError names the first."""
    q, qd = states

    def impossible(span: tuple[int, int]) -> bool:
        try:
            require_possible(chain, q[slice(*span)], qd[slice(*span)], kinetic_energy)
        except ArithmeticError:
            return True
        return False

    if impossible((0, len(qd))):
        name = name_of_motion(first_that_fails(impossible, len(qd)), batch)
        raise ValueError(
            f"between t = {between[0]:g} and {between[1]:g} s motion{name} becomes faster than light: a shorter step "
            "may help"
        )


def name_of_motion(number: int, batch: tuple[int, ...]) -> str:
    """Return the index of a motion in a batch, after a blank; nothing if it is the only one."""
    return f" {[int(k) for k in np.unravel_index(number, batch)]}" if batch else ""


def first_that_fails(fails: Callable[[tuple[int, int]], bool], count: int) -> int:
    """Return the first of so many motions that fails, where some do: half of those in question at a time."""
    first, end = 0, count
    while end - first > 1:
        middle = (first + end) // 2
        first, end = (first, middle) if fails((first, middle)) else (middle, end)
    return first


def flattened(x: Array, batch: tuple[int, ...]) -> Array:
    """Return an array (..., k) as floats (count, k), a row for each state of a batch."""
    rows = np.ascontiguousarray(np.broadcast_to(x, (*batch, x.shape[-1])), float)
    return rows.reshape((int(np.prod(batch)), x.shape[-1]))


def held_loads(chain: Chain, torque: Any, batch: tuple[int, ...], stretches: int) -> list[Array]:
    """Return the joint forces of every motion (count, nv) for each stretch of time."""
    count = int(np.prod(batch))
    if torque is None:
        return [np.zeros((count, chain.nv))] * stretches
    x = as_real(as_array(torque, "torque"), "torque")
    require_shape(x, "torque", (chain.nv,))
    require_finite(x, "torque")
    if x.ndim <= len(batch) + 1:
        require_fit(x, "torque", (chain.nv,), batch)
        return [flattened(x, batch)] * stretches
    if x.shape[0] != stretches:
        raise ValueError(f"torque has {x.shape[0]} stretches of time, but t has {stretches}")
    return [flattened(y, batch) for y in x]
