"""Motions in time, step by step: of equal or chosen length, looked into for events, and kept when something fails.

What a step computes is the chapters'; here it is only taken, again and again.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeVar, get_args

import numpy as np
from numpy.polynomial import Chebyshev

from chaindyn.articulated import aba
from chaindyn.chain import Chain
from chaindyn.closure import constraint_error, constraint_jacobian
from chaindyn.constraints import constrained_forward_dynamics
from chaindyn.guards.arguments import check_load, check_positive_number
from chaindyn.guards.constraint_parts import as_constraints
from chaindyn.guards.door import call_user_function
from chaindyn.guards.loops import STABILISATIONS, check_stabilisation
from chaindyn.guards.motion import check_step, load_at, reason_of, require_possible, warn_of_end
from chaindyn.guards.numbers import NOISE, as_real, in_floats
from chaindyn.jobs.pace import Pace
from chaindyn.postures import coordinate_rate, integrate
from chaindyn.projection import projected

EqualWord = Literal["RK4", "semi-implicit Euler", "variational"]
AdaptiveWord = Literal["BDF", "DOP853", "LSODA", "RK23", "RK45", "Radau"]  # of SciPy
MethodWord = Literal[EqualWord, AdaptiveWord]
ADAPTIVE: tuple[str, ...] = get_args(AdaptiveWord)
MULTISTEP = ("BDF", "LSODA", "Radau")  # which build on earlier states

Cure = Callable[[Any, Any], tuple[Any, Any]]
Motion = TypeVar("Motion", bound="Recorded")
State = tuple[Any, Any]


def in_pieces(law: Callable[..., Any], links: int, *states: Any) -> Any:
    """Return law(*states) (m, ...) of states (m, ...), some thousand links at a time."""
    m, *batch = states[0].shape[:-1]
    most = max(10_000 // (links * max(math.prod(batch), 1)), 1)
    return np.concatenate([law(*(x[k : k + most] for x in states)) for k in range(0, m, most)])


# What drives a chain, and how it is stepped -------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Loads:
    """What `Driven` holds, and says of it: a chain, its loads, and by which function it responds to them."""

    chain: Chain
    torque: Any = None
    external: Any = None
    constraints: tuple[Any, ...] = ()
    gains: Any = (0, 0)
    friction_width: Any = 0.01
    held: Any = 0
    forward: Any = None
    span: tuple[Any, ...] = ()
    tolerance: float = 0

    def given(self, t: float, q: Any, qd: Any) -> tuple[Any, Any]:
        """Return the user's joint forces (..., nv), zeros for None, and wrenches (..., n, 6) or None, at a time.

        ValueError, with the time, if a function gives bad ones.
        """
        tau = load_at(self.torque, "torque", (self.chain.nv,), t, q, qd)
        external = load_at(self.external, "external", (self.chain.n, 6), t, q, qd)
        return 0 * qd if tau is None else tau, external

    def response(self, q: Any, qd: Any, tau: Any, external: Any) -> Any:
        """Return qdd (..., nv): by the compiled program if there is one, by `aba`, or with loops by chapter 14's."""
        if self.forward is not None:
            more = {} if external is None else {"external": external}
            return self.forward(q, qd, tau, *self.span, **more)
        if not self.constraints:
            return aba(self.chain, q, qd, tau, external=external)
        options = {"stabilisation": self.gains, "tolerance": self.tolerance}
        given = self.chain, self.constraints, q, qd, tau
        return constrained_forward_dynamics(*given, external=external, **options)[0]


def loaded(
    driven: Callable[..., Any],
    chain: Chain,
    q: np.ndarray,
    qd: np.ndarray,
    *,
    torque: Any,
    external: Any,
    constraints: Any,
    stabilisation: Any,
    friction_width: Any,
    compiled: Any,
) -> tuple[Any, Cure | None]:
    """Return what drives a chain from q, qd on, as a user asked for it, and what brings states back to closed loops.

    driven : makes it of checked loads; compiled : False, or the method's name and forward dynamics over a step, if
    machine code is wanted. ValueError for what is wrong with any of these, and for loops that are open at the start, if
    no gains are there to close them.
    """
    gains, projects = cure_of(stabilisation)
    whole = driven(
        chain,
        check_load(torque, "torque", (chain.nv,), q.shape[:-1]),
        check_load(external, "external", (chain.n, 6), q.shape[:-1]),
        as_constraints(constraints),
        gains or (0, 0),
        check_positive_number(friction_width, "friction_width"),
        tolerance=NOISE if projects else 0,
    )
    if compiled:
        method, over = compiled
        whole = replace(whole, **compiled_forward(method, over, whole))
    if gains is None:
        require_closed(whole, q, qd)
    if not projects:
        return whole, None
    draw = None
    if whole.forward is not None:
        from chaindyn.compiler.compilation import drawing_in  # which imports the laws

        draw = drawing_in(chain, whole.constraints, NOISE)
    return whole, partial(projected, chain, whole.constraints, share=NOISE, draw=draw)


def cure_of(stabilisation: Any) -> tuple[tuple[Any, Any] | None, bool]:
    """Return the gains against drift, None without any, and whether steps are projected; ValueError for neither."""
    projects = isinstance(stabilisation, str) and stabilisation in STABILISATIONS
    return (None if projects else check_stabilisation(stabilisation)), projects


def require_closed(driven: Any, q: Any, qd: Any) -> None:
    """Refuse a start with loops open, or opening, by more than a thousandth; the message has the size."""
    if not driven.constraints:
        return
    given = driven.chain, driven.constraints, q
    K = constraint_jacobian(*given)
    gap = np.abs(constraint_error(*given)).max(initial=0)
    rate, size = np.abs(K @ qd[..., None]).max(initial=0), np.abs(K).max(initial=0)
    if gap > 1e-3 * max(size, 1):
        raise ValueError(f"the loops are open at the start, by {gap:.3g}: `assemble` closes them")
    if rate > 1e-9 + 1e-3 * size * np.abs(qd).max(initial=0):
        raise ValueError(
            f"the velocities break the constraints at the start: K qd is {rate:.3g}, but should be zero"
        )


def compiled_forward(method: str, over: Callable[..., Any], driven: Any) -> dict[str, Any]:
    """Return compiled forward dynamics, for what drives a chain; ValueError if more is needed.

    over : forward dynamics over a step, for a method that takes the friction at its end.
    """
    from chaindyn.compiler.compilation import (  # which import the laws
        forward_dynamics,
        held_dynamics,
    )

    chain = driven.chain
    implicit = method == "semi-implicit Euler" and chain.has_friction
    if method == "variational" or (implicit and driven.constraints):
        what = (
            "the variational method" if method == "variational" else "loops with implicit friction"
        )
        raise ValueError(f"compiled=True goes with equations of motion alone, but here are {what}")
    if driven.constraints:
        return {"forward": held_dynamics(driven)}
    if not implicit:
        return {"forward": forward_dynamics(chain)}
    own = forward_dynamics(chain, over)

    def forward(q: Any, qd: Any, tau: Any, h: float, **more: Any) -> Any:
        return own(q, qd, tau, np.array(h), **more)  # an array goes the short way

    return {"forward": forward, "span": (0.0,)}


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a method: its start and end [s], and `at`, which gives q and qd at a time between.

    looks : the number of times after its start at which events are looked for.
    """

    start: float
    end: float
    at: Callable[[float], State]
    looks: int


def choose_steps(
    equal: Mapping[str, Callable[..., Any]],
    driven: Any,
    q: np.ndarray,
    qd: np.ndarray,
    times: np.ndarray,
    method: Any,
    step: Any,
    cure: Cure | None = None,
    **options: Any,
) -> Iterator[Step]:
    """Return the steps of a method; ValueError if there is no such method, or if it lacks the length of its steps.

    equal : the methods whose steps are equal, by name. cure : applied to each state after its step; ValueError too if
    the method cannot use it.
    """
    if not isinstance(method, str) or method not in (*equal, *ADAPTIVE):
        raise ValueError(f"method is {method!r}, but must be one of {[*equal, *ADAPTIVE]}")
    if driven.constraints and method == "variational":
        raise ValueError('"variational" steps take chains and trees, without constraints')
    if cure is not None and method in MULTISTEP:
        raise ValueError(
            f"{method!r} builds on earlier states, which projection moves; DOP853, RK45, RK23 and equal steps do not"
        )
    if step is not None:
        step = check_step(step, times)
    if method in equal:
        if step is None:
            raise ValueError(f"{method!r} takes equal steps: `step` must say how long [s]")
        return fixed_steps(driven, q, qd, times, equal[method], step, cure)
    options = {name: check_positive_number(x, name) for name, x in options.items()}
    longest = np.inf if step is None else step
    return adaptive_steps(driven, q, qd, times, method, cure, max_step=longest, **options)


def fixed_steps(
    driven: Any,
    q: Any,
    qd: Any,
    times: np.ndarray,
    step: Callable[..., Any],
    h: float,
    cure: Cure | None = None,
) -> Iterator[Step]:
    """Yield the steps of a method whose steps are equal.

    Each requested time is the end of a step; between two of them the steps are equal, h at most. cure : applied to
    each state after its step.
    """

    def go(*given: Any) -> Any:
        ahead = in_floats(*step(driven, *given))
        return ahead if cure is None else cure(*ahead)

    for start, end in pairwise(times):
        count = max(int(np.ceil((end - start) / h - 1e-9)), 1)
        new = start
        for k in range(1, count + 1):
            old, new = new, end if k == count else start + k * ((end - start) / count)
            ahead = go(old, q, qd, new - old)

            def at(
                t: float,
                old: float = old,
                new: float = new,
                here: Any = (q, qd),
                ahead: Any = ahead,
            ) -> Any:
                if t in (old, new):
                    return here if t == old else ahead
                return go(old, *here, t - old)

            yield Step(old, new, at, looks=2)
            q, qd = ahead


def adaptive_steps(
    driven: Any,
    q: Any,
    qd: Any,
    times: np.ndarray,
    method: str,
    cure: Cure | None = None,
    **options: Any,
) -> Iterator[Step]:
    """Yield the steps of one of SciPy's methods; ArithmeticError if it fails.

    cure : applied to each state after its step, in methods that can go on from the result.
    """
    from scipy import integrate as scipy_integrate

    chain = driven.chain

    def state(y: np.ndarray) -> State:
        place = y[: q.size].reshape(q.shape).copy()  # y is the solver's own
        speed = y[q.size :].reshape(qd.shape).copy()
        if chain.nq > chain.nv:
            place = integrate(chain, place, 0 * qd)  # on the unit sphere
        return place, speed

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        q, qd = state(y)
        rates = coordinate_rate(chain, q, qd), driven.acceleration(t, q, qd)
        return np.concatenate([rate.ravel() for rate in rates])

    flat = np.concatenate([q.ravel(), qd.ravel()])
    solver = getattr(scipy_integrate, method)(slope, times[0], flat, times[-1], **options)
    while solver.status == "running":
        message = solver.step()
        if solver.status == "failed":
            raise ArithmeticError(message)
        if getattr(solver, "jac_factor", None) is not None:
            # SciPy enlarges its differences tenfold, up to infinity, for a coordinate that no force depends on
            solver.jac_factor = np.minimum(solver.jac_factor, 1)

        path = cache(solver.dense_output)  # made at most once, since it costs evaluations

        def at(t: float, path: Callable[[], Any] = path) -> Any:
            if cure is None or t == solver.t:
                return state(solver.y if t == solver.t else path()(t))
            return cure(*state(path()(t)))

        if cure is not None:
            path()  # before its end is moved
            solver.y = np.concatenate([x.ravel() for x in cure(*state(solver.y))])
            solver.f = slope(solver.t, solver.y)
        yield Step(solver.t_old, solver.t, at, looks=8)


# What is looked for and told on the way -----------------------------------------------------------


def with_progress(steps: Iterator[Step], start: float, end: float) -> Iterator[Step]:
    """Yield the same steps; from the third second on, print the progress on standard error."""
    began = shown = time.monotonic()
    pace = Pace(began, start)

    def say(text: str) -> None:
        with suppress(Exception):  # a closed standard error must not end a simulation
            if sys.stderr is not None:
                print(text, end="", file=sys.stderr, flush=True)

    try:
        for step in steps:
            yield step
            now = time.monotonic()
            pace.note(now, step.end)
            if now - began > 3 and now - shown > 0.5 and pace.is_known:
                left = pace.left(now, step.end, end)
                say(
                    f"\rsimulated {step.end - start:.3g} of {end - start:.3g} s, about {left:.0f} s to go "
                )
                shown = now
    finally:
        if shown > began:
            say("\n")


def crossing(until: Any, step: Step) -> float | None:
    """Return the first time in a step at which `until` falls to zero from above; None if none is found.

    It is evaluated `looks` times after the start, and at the extrema of the polynomial through these values.
    """
    from scipy.optimize import brentq

    @cache
    def height(t: float) -> float:
        return float(call_user_function(until, "until", (), t, *step.at(t)))

    old, new = step.start, step.end
    # from -1 at the start to 1 at the end
    places = -np.cos(np.pi * np.arange(step.looks + 1) / step.looks)
    inner = old + (1 + places[1:-1]) / 2 * (new - old)
    heights = np.array([height(t) for t in (old, *inner, new)])
    curve = Chebyshev.fit(places, heights, step.looks, domain=[-1, 1])
    turns = curve.trim(1e-12 * np.abs(heights).max()).deriv().roots()
    turns = turns.real[(np.abs(turns.imag) <= 1e-3) & (np.abs(turns.real) < 1)]
    more = old + (1 + turns) / 2 * (new - old)
    for a, b in pairwise(sorted({old, *inner, *more, new})):
        if height(a) > 0 >= height(b):
            return float(brentq(height, a, b, xtol=4 * np.finfo(float).eps * max(abs(a), abs(b))))
    return None


def sampled(
    steps: Iterator[Step], times: np.ndarray, until: Any, judge: Callable[..., None]
) -> Iterator[tuple[Any, bool]]:
    """Yield states (t, q, qd), and whether each was requested, to the end or until `until` falls to zero."""
    done = 1
    for step in steps:
        judge(*step.at(step.end))
        event = None if until is None else crossing(until, step)
        end = step.end if event is None else event
        try:
            while done < len(times) and times[done] <= end:
                yield (times[done], *step.at(times[done])), True
                done += 1
            yield (end, *step.at(end)), False
        except (Exception, KeyboardInterrupt):
            # DOP853's polynomial evaluates forces again: if they fail, the step's end is kept
            yield (end, *step.at(end)), False
            raise
        if event is not None:
            return


# The march ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Recorded:
    """What a march leaves, and `Simulation` says of it: times, states, and why it ended.

    laws_of_energy : kinetic and potential energy, of a chain and its states; the laws themselves import what is here.
    """

    laws_of_energy: ClassVar[tuple[Callable[..., Any], ...]] = ()

    chain: Chain = field(repr=False)
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    reason: str = ""
    error: BaseException | None = None
    constraints: tuple[Any, ...] = ()

    def along(self, law: Callable[..., Any], *states: np.ndarray) -> Any:
        """Return law(chain, *states) of all states, some thousand links at a time."""
        return in_pieces(partial(law, self.chain), self.chain.n, *states)

    @cached_property
    def kinetic(self) -> Any:
        """Kinetic energy (m, ...) [J]."""
        return self.along(self.laws_of_energy[0], self.q, self.qd)

    @cached_property
    def potential(self) -> Any:
        """Potential energy (m, ...) [J]."""
        return self.along(self.laws_of_energy[1], self.q)

    @property
    def energy(self) -> Any:
        """Kinetic and potential energy together (m, ...) [J]."""
        return self.kinetic + self.potential

    @cached_property
    def gap(self) -> Any:
        """How far the loops are open (m, ..., rows) [rad, m], by `constraint_error`."""
        return self.along(lambda chain, q: constraint_error(chain, self.constraints, q), self.q)

    @cached_property
    def gap_rate(self) -> Any:
        """How fast the loops open, K qd (m, ..., rows)."""

        def rates(chain: Chain, q: Any, qd: Any) -> Any:
            return (constraint_jacobian(chain, self.constraints, q) @ qd[..., None])[..., 0]

        return self.along(rates, self.q, self.qd)


def march(
    motion: type[Motion],
    steps: Iterator[Step],
    driven: Any,
    q: np.ndarray,
    qd: np.ndarray,
    times: np.ndarray,
    *,
    until: Any,
    progress: bool,
) -> Motion:
    """Return the motion over some steps at all times, or up to where it fails, is interrupted, or `until` is zero.

    motion : `Simulation`, or what is made as it is, of t, q, qd, the reason of an early end, its error and the
    constraints. Impossible states end it; errors at the start are raised at once.
    """
    kinetic_energy = motion.laws_of_energy[0]
    judge = partial(
        require_possible,
        driven.chain,
        kinetic_energy=kinetic_energy,
        loops=bool(driven.constraints),
    )
    as_real(driven.acceleration(times[0], q, qd), "the acceleration at the start")
    if until is not None:
        call_user_function(until, "until", (), times[0], q, qd)
    if progress:
        steps = with_progress(steps, times[0], times[-1])

    # room for all requested states and an early end: a lack of memory is found before the first step
    columns = tuple(np.empty((len(times) + 1, *np.shape(x))) for x in (times[0], q, qd))
    for column, x in zip(columns, (times[0], q, qd), strict=True):
        column[0] = x
    count, last, problem = 1, (times[0], q, qd), None

    def conclude(problem: BaseException | None) -> Motion:
        kept, reason = count, reason_of(problem, last[0])
        if not reason and kept < len(times):
            reason = f"`until` fell to zero at t = {last[0]:.6g} s"
        if last[0] > columns[0][kept - 1]:
            for column, x in zip(columns, last, strict=True):
                column[kept] = x
            kept += 1
        t, q, qd = (column[:kept] for column in columns)
        return motion(driven.chain, t, q, qd, reason, problem, driven.constraints)

    try:
        try:
            for last, wanted in sampled(steps, times, until, judge):
                if wanted:
                    for column, x in zip(columns, last, strict=True):
                        column[count] = x
                    count += 1
        except (Exception, KeyboardInterrupt) as caught:
            problem = caught
        return warn_of_end(conclude(problem), stacklevel=6)
    except KeyboardInterrupt as caught:  # while the result was put together
        return warn_of_end(conclude(problem or caught), stacklevel=6)
