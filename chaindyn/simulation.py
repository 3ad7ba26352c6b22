# Generated from chapters/10_simulation.md by `python -m book export`; edit it there.
# sha256 of the text below: 825188dfb4bc64dbd912cda1ae505533b59eff42171052ea6102449c79dcb78f
"""Simulation: from accelerations to motion, on the manifold of the coordinates.

Derived in chapter 10, "Simulation".
"""

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev

from chaindyn._ops import (
    Array,
    altered,
    block,
    concatenate,
    divide,
    eye,
    solve_pivoted,
    sqrt,
    stack,
)
from chaindyn.articulated import aba
from chaindyn.chain import Chain, coordinate_rate, difference, forward_kinematics, integrate
from chaindyn.closure import as_constraints, constraint_error, constraint_jacobian
from chaindyn.composite import crba, mass_matrix
from chaindyn.constraints import constrained_forward_dynamics, projected
from chaindyn.guards.arguments import FLAGS, check_load, check_positive_number
from chaindyn.guards.door import call_user_function, checked
from chaindyn.guards.loops import check_stabilisation
from chaindyn.guards.motion import check_step, check_times, require_possible
from chaindyn.guards.numbers import NOISE, as_real, in_floats
from chaindyn.inverse_dynamics import joint_forces, rnea, transmitted_wrenches, with_rotors
from chaindyn.kinematics import body_twists
from chaindyn.spatial import X_motion, skew
from chaindyn.state import State

__all__ = [
    "Driven",
    "Simulation",
    "joint_friction",
    "kinetic_energy",
    "momentum",
    "potential_energy",
    "simulate",
]


# Chapter 10, "Simulation": Energy and momentum
@checked(q="nq", qd="nv")
def kinetic_energy(chain: Chain, q: Array, qd: Array) -> Array:
    """Return the kinetic energy (...) [J], half of the sum of V^T I V over the links,
    and that of the rotors.

    q : (..., nq); qd : (..., nv). It is qd^T M qd / 2.
    """
    V = body_twists(chain, q, qd)[..., None]
    twice = (V * (chain.spatial_inertia @ V)).sum((-3, -2, -1))
    if chain.has_rotors:
        twice = twice + (chain.reflected_inertia * qd * qd).sum(-1)
    return twice / 2


@checked(q="nq")
def potential_energy(chain: Chain, q: Array) -> Array:
    """Return the potential energy of gravity (...) [J], zero if the common centre of
    mass is at the world's origin.

    q : (..., nq). Minus the sum of m g . c over the links, c the centre of mass in the
    world.
    """
    R, p = forward_kinematics(chain, q)
    centres = p + (R @ chain.com[..., None])[..., 0]
    return -(chain.mass[:, None] * chain.gravity * centres).sum((-2, -1))


@checked(q="nq", qd="nv", point=3)
def momentum(chain: Chain, q: Array, qd: Array, *, point: Array | None = None) -> Array:
    """Return the momentum of the whole chain (..., 6) [L; p] about a point, in world
    axes [N m s, N s].

    q : (..., nq); qd : (..., nv); point : (..., 3) in the world [m], its origin if
    None. If the point is fixed, the rate of the momentum is the sum of all external
    wrenches about it: weight, and those of the ground on the roots. The spin of rotors
    relative to their links is left out, as in `rnea`.
    """
    R, p = forward_kinematics(chain, q)
    own = chain.spatial_inertia @ body_twists(chain, q, qd)[..., None]
    to_link = X_motion(R.mT, p if point is None else p - point[..., None, :])
    return (to_link.mT @ own).sum(-3)[..., 0]


# Chapter 10, "Simulation": Friction in the joints
@checked(qd="nv")
def joint_friction(chain: Chain, qd: Array, *, width: float = 0.01) -> Array:
    """Return the joint forces of friction (..., nv) [N m, N] in the chain's drives.

    qd : (..., nv). Minus viscous times qd, minus coulomb times qd / sqrt(qd^2 +
    width^2), for each rate alone;
    width : of the smooth step from -coulomb to coulomb [rad/s, m/s], positive. Its
    power is never positive.
    """
    width = check_positive_number(width, "width")
    smooth_sign = divide(qd, sqrt(qd * qd + width * width))
    return -(chain.viscous * qd + chain.coulomb * smooth_sign)


# Chapter 10, "Simulation": A chain with forces on it
def heavier_rotors(chain: Chain, h: float) -> Chain:
    """Return a chain whose rotors are heavier by h times viscous friction, as the step
    of a time h feels them.
    """
    if not chain.has_friction:
        return chain
    felt = chain.reflected_inertia + h * chain.viscous
    return altered(chain, reflected_inertia=felt, has_rotors=True, programs={})


def aba_over(
    chain: Chain, q: Array, qd: Array, tau: Array, h: float, *, external: Array | None = None
) -> Array:
    """Return qdd (..., nv) by `aba` over a step of a time h, for which rotors are
    heavier.
    """
    return aba(heavier_rotors(chain, h), q, qd, tau, external=external)


@dataclass(frozen=True, eq=False)
class Driven:
    """A chain and its loads: torque and external are functions of (t, q, qd), arrays,
    or None for zero.

    constraints : the closures of its loops, if any; gains : (kp, kd) that stabilise
    them; friction_width : of the friction in its joints, if any, as for
    `joint_friction`; held : joint forces (..., nv) that stay through a step, of a chain
    with friction; forward : the compiled `aba`, or None; span : what else it takes,
    (h,) if it is `aba_over`;
    tolerance : of the closures' rows, as for `constrained_forward_dynamics`.
    """

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

    def loads(self, t: float, q: Array, qd: Array) -> tuple[Array, Array | None]:
        """Return joint forces (..., nv), with friction, and wrenches (..., n, 6);
        ValueError, with the time, if bad.
        """
        tau, external = self.torque, self.external
        if callable(tau):
            tau = call_user_function(tau, "torque", (self.chain.nv,), t, q, qd)
        if callable(external):
            external = call_user_function(external, "external", (self.chain.n, 6), t, q, qd)
        tau = 0 * qd if tau is None else tau
        if self.chain.has_friction:
            rubbing = joint_friction(self.chain, qd, width=self.friction_width)
            tau = tau + self.held + rubbing
        return tau, external

    def over(self, h: float, qd: Array) -> "Driven":
        """Return what drives a step of h from qd (..., nv): viscous friction is then
        that of the rates at its end.
        """
        chain = self.chain
        if not chain.has_friction:
            return self
        heavier = heavier_rotors(chain, h)
        rubbing_no_more = altered(heavier, viscous=0 * chain.viscous)
        drag = self.held - chain.viscous * qd
        return replace(self, chain=rubbing_no_more, held=drag, span=(h,))

    def acceleration(self, t: float, q: Array, qd: Array) -> Array:
        """Return qdd (..., nv)."""
        tau, external = self.loads(t, q, qd)
        if self.forward is not None:
            more = {} if external is None else {"external": external}
            return self.forward(q, qd, tau, *self.span, **more)
        if not self.constraints:
            return aba(self.chain, q, qd, tau, external=external)
        given = self.chain, self.constraints, q, qd, tau
        options = {"stabilisation": self.gains, "tolerance": self.tolerance}
        return constrained_forward_dynamics(*given, external=external, **options)[0]

    def force(self, t: float, q: Array, qd: Array) -> Array:
        """Return all forces along the joints (..., nv), weight included, inertia
        not.
        """
        tau, external = self.loads(t, q, qd)
        return tau - rnea(self.chain, q, 0 * qd, 0 * qd, external=external)


# Chapter 10, "Simulation": The new velocity first
def semi_implicit_euler_step(
    driven: Driven, t: float, q: Array, qd: Array, h: float
) -> tuple[Array, Array]:
    """Return q and qd a time h later: first the velocity, then the position by the new
    velocity. Order 1.

    Viscous friction is that of the new velocity.
    """
    qd = qd + h * driven.over(h, qd).acceleration(t, q, qd)
    return integrate(driven.chain, q, h * qd), qd


# Chapter 10, "Simulation": Four slopes
def rk4_step(driven: Driven, t: float, q: Array, qd: Array, h: float) -> tuple[Array, Array]:
    """Return q and qd a time h later, by the classic four slopes. Order 4.

    On balls and free bodies, whose coordinates do not add, the commutator-free form of
    Celledoni, Marthinsen and Owren (2003), which is the classic method where they do.
    """
    chain, f = driven.chain, driven.acceleration
    v1, a1 = qd, f(t, q, qd)
    q2, v2 = integrate(chain, q, h / 2 * v1), qd + h / 2 * a1
    a2 = f(t + h / 2, q2, v2)
    q3, v3 = integrate(chain, q, h / 2 * v2), qd + h / 2 * a2
    a3 = f(t + h / 2, q3, v3)
    q4, v4 = integrate(chain, q2, h * v3 - h / 2 * v1), qd + h * a3
    a4 = f(t + h, q4, v4)
    half_way = integrate(chain, q, h / 12 * (3 * v1 + 2 * v2 + 2 * v3 - v4))
    q = integrate(chain, half_way, h / 12 * (-v1 + 2 * v2 + 2 * v3 + 3 * v4))
    return q, qd + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


# Chapter 10, "Simulation": A rule without angles
def cayley_twist(R: Array, p: Array) -> Array:
    """Return the twist (..., 6, 1) whose Cayley transform is the motion R (..., 3, 3),
    p (..., 3, 1).

    Near zero it is what `log_se3` gives, to second order; it needs no angle. Undefined
    for a half turn.
    """
    trace = R[..., 0:1, 0:1] + R[..., 1:2, 1:2] + R[..., 2:3, 2:3]
    C = (R - R.mT) / (1 + trace)
    c = stack([C[..., 2, 1:2], C[..., 0, 2:3], C[..., 1, 0:1]], axis=-2)
    return concatenate([2 * c, p - C @ p], axis=-2)


def cayley_rate(twist: Array) -> Array:
    """Return D (..., 6, 6): `twist` (..., 6, 1) changes by D x when its Cayley
    transform is moved on by x.

    x is a twist in fixed axes; the transform comes first, then x.
    """
    c, v = twist[..., :3, :] / 2, twist[..., 3:, 0]
    turn = eye(3) - skew(c[..., 0])
    return block([[turn + c @ c.mT, 0], [-turn @ skew(v) / 2, turn]])


# Chapter 10, "Simulation": What a link carries through a step
def discrete_momenta(chain: Chain, q0: Array, q1: Array, h: float) -> tuple[Array, Array]:
    """Return the momentum of every link (..., n, 6, 1) at the start and at the end of a
    step from q0 to q1.

    Each about the link's origin there, in its axes there: the derivatives of the step's
    action with respect to where the link starts, negated, and where it ends.
    """
    (R0, p0), (R1, p1) = forward_kinematics(chain, q0), forward_kinematics(chain, q1)
    moved = cayley_twist(R0.mT @ R1, R0.mT @ (p1 - p0)[..., None])
    p = chain.spatial_inertia @ moved / h
    return cayley_rate(moved).mT @ p, cayley_rate(-moved).mT @ p


# Chapter 10, "Simulation": All links at once
def generalised_force(state: State, wrenches: Array) -> Array:
    """Return the sum of J^T f (..., nv) over the links; wrenches : (..., n, 6, 1), in
    link coordinates.
    """
    return joint_forces(state, transmitted_wrenches(state, wrenches))


# Chapter 10, "Simulation": All links at once
def step_with_momentum(chain: Chain, q: Array, pi: Array, h: float) -> Array:
    """Return the q at the end of a step of h that starts with the joint momenta `pi`
    (..., nv).

    Newton's method with the mass matrix in place of the derivative; ArithmeticError if
    h is too long for it.
    """
    state = State(chain, q)
    M, reach = mass_matrix(state), np.abs(state.poses[1]).max(initial=1)
    moved = h * solve_pivoted(M, pi[..., None])[..., 0]
    for _ in range(50):
        start, _ = discrete_momenta(chain, q, integrate(chain, q, moved), h)
        missing = pi - with_rotors(chain, generalised_force(state, start), moved / h)
        correction = h * solve_pivoted(M, missing[..., None])[..., 0]
        moved = moved + correction
        if np.abs(correction).max(initial=0) <= 64 * np.finfo(float).eps * reach:
            return integrate(chain, q, moved)
    raise ArithmeticError(f"the variational step of {h:g} s does not converge: a shorter one would")


def variational_step(
    driven: Driven, t: float, q: Array, qd: Array, h: float
) -> tuple[Array, Array]:
    """Return q and qd a time h later, by the principle of least action for the step
    itself. Order 2.

    Half of the forces' impulse, a step that conserves momentum, the other half. Energy
    does not drift, and without external forces momentum is conserved to rounding.
    Viscous friction in each half is that of the rates there.
    """
    chain, drag = driven.chain, h / 2 * driven.chain.viscous
    push = h / 2 * driven.force(t, q, qd)
    pi = (crba(chain, q) @ qd[..., None])[..., 0] + push
    q1 = step_with_momentum(chain, q, pi, h)
    _, end = discrete_momenta(chain, q, q1, h)
    arrived = State(heavier_rotors(chain, h / 2), q1)
    pi, M = generalised_force(arrived, end), mass_matrix(arrived)
    if chain.has_rotors:
        pi = with_rotors(chain, pi, difference(chain, q, q1) / h)
    foreseen = solve_pivoted(M, (pi + push + drag * qd)[..., None])[..., 0]
    pi = pi + h / 2 * driven.force(t + h, q1, foreseen) + drag * foreseen
    return q1, solve_pivoted(M, pi[..., None])[..., 0]


# Chapter 10, "Simulation": Simulate
@dataclass(frozen=True, eq=False)
class Simulation:
    """A motion: times, states and energies, and the reason if it ended early.

    t : (m,) [s]; q : (m, ..., nq); qd : (m, ..., nv). reason : empty if all requested
    times were reached without interruption; else the cause and time of the end, and the
    last state is the last one reached.
    error : the exception that ended it, if any. constraints : the closures of its
    loops. Energies and gaps are computed on first use.
    """

    chain: Chain = field(repr=False)
    t: Array
    q: Array
    qd: Array
    reason: str = ""
    error: BaseException | None = None
    constraints: tuple[Any, ...] = ()

    @cached_property
    def gap(self) -> Array:
        """How far the loops are open (m, ..., rows) [rad, m], by `constraint_error`."""
        return in_pieces(self.error_of, self.chain, self.q)

    @cached_property
    def gap_rate(self) -> Array:
        """How fast the loops open, K qd (m, ..., rows)."""
        return in_pieces(self.rate_of, self.chain, self.q, self.qd)

    def error_of(self, chain: Chain, q: Array) -> Array:
        """Return the errors of the constraints (..., rows)."""
        return constraint_error(chain, self.constraints, q)

    def rate_of(self, chain: Chain, q: Array, qd: Array) -> Array:
        """Return the rates of the constraints (..., rows)."""
        return (constraint_jacobian(chain, self.constraints, q) @ qd[..., None])[..., 0]

    @cached_property
    def kinetic(self) -> Array:
        """Kinetic energy (m, ...) [J]."""
        return in_pieces(kinetic_energy, self.chain, self.q, self.qd)

    @cached_property
    def potential(self) -> Array:
        """Potential energy (m, ...) [J]."""
        return in_pieces(potential_energy, self.chain, self.q)

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy together (m, ...) [J]."""
        return self.kinetic + self.potential


def in_pieces(function: Callable[..., Array], chain: Chain, *states: Array) -> Array:
    """Return function(chain, *states) (m, ...) of states (m, ...), some thousand links
    at a time.
    """
    m, *batch = states[0].shape[:-1]
    most = max(10_000 // (chain.n * max(math.prod(batch), 1)), 1)
    pieces = [function(chain, *(x[k : k + most] for x in states)) for k in range(0, m, most)]
    return np.concatenate(pieces)


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a method: its start and end [s], and `at`, which gives q and qd at a
    time between.

    looks : the number of times after its start at which events are looked for.
    """

    start: float
    end: float
    at: Callable[[float], tuple[Array, Array]]
    looks: int


def fixed_steps(
    driven: Driven,
    q: Array,
    qd: Array,
    times: Array,
    step: Callable[..., Any],
    h: float,
    cure: Callable[..., Any] | None = None,
) -> Iterator[Step]:
    """Yield the steps of a method whose steps are equal.

    Each requested time is the end of a step; between two of them the steps are equal, h
    at most. cure : applied to each state after its step.
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
    driven: Driven,
    q: Array,
    qd: Array,
    times: Array,
    method: str,
    cure: Callable[..., Any] | None = None,
    **options: Any,
) -> Iterator[Step]:
    """Yield the steps of one of SciPy's methods; ArithmeticError if it fails.

    cure : applied to each state after its step, in methods that can go on from the
    result.
    """
    from scipy import integrate as scipy_integrate

    chain = driven.chain

    def state(y: Array) -> tuple[Array, Array]:
        place = y[: q.size].reshape(q.shape).copy()  # y is the solver's own
        speed = y[q.size :].reshape(qd.shape).copy()
        if chain.nq > chain.nv:
            place = integrate(chain, place, 0 * qd)  # on the unit sphere
        return place, speed

    def slope(t: float, y: Array) -> Array:
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
            # SciPy enlarges its differences tenfold, up to infinity, for a coordinate
            # that no force depends on
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


def with_progress(steps: Iterator[Step], start: float, end: float) -> Iterator[Step]:
    """Yield the same steps; from the third second on, print the progress on standard
    error.
    """
    began = shown = time.monotonic()

    def say(text: str) -> None:
        with suppress(Exception):  # a closed standard error must not end a simulation
            if sys.stderr is not None:
                print(text, end="", file=sys.stderr, flush=True)

    try:
        for step in steps:
            yield step
            now = time.monotonic()
            if now - began > 3 and now - shown > 0.5:
                left = (now - began) * (end - step.end) / (step.end - start)
                say(
                    f"\rsimulated {step.end - start:.3g} of {end - start:.3g} s, about {left:.0f} s to go "
                )
                shown = now
    finally:
        if shown > began:
            say("\n")


def crossing(until: Any, step: Step) -> float | None:
    """Return the first time in a step at which `until` falls to zero from above; None
    if none is found.

    It is evaluated `looks` times after the start, and at the extrema of the polynomial
    through these values.
    """
    from scipy.optimize import brentq

    @cache
    def height(t: float) -> float:
        return float(call_user_function(until, "until", (), t, *step.at(t)))

    old, new = step.start, step.end
    places = -np.cos(
        np.pi * np.arange(step.looks + 1) / step.looks
    )  # from -1 at the start to 1 at the end
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


# Chapter 10, "Simulation": Simulate
def choose_steps(
    driven: Driven,
    q: Array,
    qd: Array,
    times: Array,
    method: str,
    step: float | None,
    cure: Callable[..., Any] | None = None,
    **options: Any,
) -> Iterator[Step]:
    """Return the steps of a method; ValueError if there is no such method, or if it
    lacks the length of its steps.

    cure : applied to each state after its step; ValueError too if the method cannot use
    it.
    """
    fixed = {
        "RK4": rk4_step,
        "semi-implicit Euler": semi_implicit_euler_step,
        "variational": variational_step,
    }
    adaptive = ("BDF", "DOP853", "LSODA", "RK23", "RK45", "Radau")
    if not isinstance(method, str) or method not in (*fixed, *adaptive):
        raise ValueError(f"method is {method!r}, but must be one of {[*fixed, *adaptive]}")
    if driven.constraints and method == "variational":
        raise ValueError('"variational" steps take chains and trees, without constraints')
    if cure is not None and method in ("BDF", "LSODA", "Radau"):
        raise ValueError(
            f"{method!r} builds on earlier states, which projection moves; DOP853, RK45, RK23 and equal steps do not"
        )
    if step is not None:
        step = check_step(step, times)
    if method in fixed:
        if step is None:
            raise ValueError(f"{method!r} takes equal steps: `step` must say how long [s]")
        return fixed_steps(driven, q, qd, times, fixed[method], step, cure)
    options = {name: check_positive_number(x, name) for name, x in options.items()}
    longest = np.inf if step is None else step
    return adaptive_steps(driven, q, qd, times, method, cure, max_step=longest, **options)


def sample(
    chain: Chain, steps: Iterator[Step], times: Array, until: Any
) -> Iterator[tuple[Any, bool]]:
    """Yield states (t, q, qd), and whether each was requested, to the end or until
    `until` falls to zero.
    """
    done = 1
    for step in steps:
        require_possible(chain, *step.at(step.end), kinetic_energy)
        event = None if until is None else crossing(until, step)
        end = step.end if event is None else event
        try:
            while done < len(times) and times[done] <= end:
                yield (times[done], *step.at(times[done])), True
                done += 1
            yield (end, *step.at(end)), False
        except (Exception, KeyboardInterrupt):
            # DOP853's polynomial evaluates forces again: if they fail, the step's end
            # is kept
            yield (end, *step.at(end)), False
            raise
        if event is not None:
            return


def conclude(
    driven: Driven,
    columns: tuple[Array, ...],
    count: int,
    last: tuple[float, Array, Array],
    problem: BaseException | None,
) -> Simulation:
    """Return the motion with `count` states in the columns and the last state `last`;
    warn of a problem.

    Where warnings are errors, the error has the motion in its attribute `simulation`.
    """
    reason = ""
    if problem is not None:
        stopped = isinstance(problem, KeyboardInterrupt)
        what = "interrupted" if stopped else str(problem) or repr(problem)
        reason = f"{what} (the last state reached is that at t = {last[0]:.6g} s)"
    elif count < len(columns[0]) - 1:
        reason = f"`until` fell to zero at t = {last[0]:.6g} s"
    if last[0] > columns[0][count - 1]:
        for column, x in zip(columns, last, strict=True):
            column[count] = x
        count += 1
    t, q, qd = (column[:count] for column in columns)
    motion = Simulation(driven.chain, t, q, qd, reason, problem, driven.constraints)
    if problem is not None:
        try:
            warnings.warn(f"the simulation ended early: {reason}", RuntimeWarning, stacklevel=5)
        except RuntimeWarning as raised:
            raised.simulation = motion  # type: ignore[attr-defined]
            raised.add_note("what was computed is in this exception's attribute `simulation`")
            raise
        except Exception:  # the warning cannot be written: `reason` has the same text
            return motion
    return motion


def require_closed(driven: Driven, q: Array, qd: Array) -> None:
    """Refuse a start with loops open, or opening, by more than a thousandth; the
    message has the size.
    """
    if not driven.constraints:
        return
    K = constraint_jacobian(driven.chain, driven.constraints, q)
    gap = np.abs(constraint_error(driven.chain, driven.constraints, q)).max(initial=0)
    rate, size = np.abs(K @ qd[..., None]).max(initial=0), np.abs(K).max(initial=0)
    if gap > 1e-3 * max(size, 1):
        raise ValueError(f"the loops are open at the start, by {gap:.3g}: `assemble` closes them")
    if rate > 1e-9 + 1e-3 * size * np.abs(qd).max(initial=0):
        raise ValueError(
            f"the velocities break the constraints at the start: K qd is {rate:.3g}, but should be zero"
        )


def compiled_forward(chain: Chain, method: str, constraints: Any) -> dict[str, Any]:
    """Return compiled forward dynamics, for `Driven`; ValueError if the simulation
    needs more than that.
    """
    from chaindyn.compiler.compilation import (
        forward_dynamics,
    )  # which imports this module

    if method == "variational" or as_constraints(constraints):
        what = "the variational method" if method == "variational" else "constraints"
        raise ValueError(f"compiled=True goes with equations of motion alone, but here are {what}")
    if method != "semi-implicit Euler" or not chain.has_friction:
        return {"forward": forward_dynamics(chain)}
    over = forward_dynamics(chain, aba_over)

    def forward(q: Array, qd: Array, tau: Array, h: float, **more: Array) -> Array:
        return over(q, qd, tau, np.array(h), **more)  # an array goes the short way

    return {"forward": forward, "span": (0.0,)}


@checked(q="nq", qd="nv", progress=FLAGS, compiled=FLAGS)
@np.errstate(all="ignore")  # what comes of it is judged after each step
def simulate(
    chain: Chain,
    q: Array,
    qd: Array,
    *,
    t: Array,
    torque: Any = None,
    external: Any = None,
    method: str = "DOP853",
    step: float | None = None,
    until: Callable[[float, Array, Array], float] | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    progress: bool = True,
    constraints: Any = (),
    stabilisation: Any = None,
    friction_width: float = 0.01,
    compiled: bool = False,
) -> Simulation:
    """Return the motion of a chain or tree from q (..., nq), qd (..., nv) at t[0], at
    all times t.

    t : (m,) increasing [s]. torque : (nv,), or a function of (t, q, qd) that gives the
    joint forces (..., nv);
    external : (n, 6), or such a function, that gives the wrench on each link, about its
    origin in its axes; None is zero. method : one of SciPy's ("DOP853", "RK45", "RK23",
    "Radau", "BDF", "LSODA"), whose steps follow rtol and atol and are `step` [s] at
    most; or "RK4", "semi-implicit Euler" or "variational", whose steps are equal, and
    `step` at most. until : a function of (t, q, qd); where it falls to zero from above,
    the simulation ends, and that state is the last. It is evaluated at nine times in
    each adaptive step and at three in each fixed one, and at the extrema of the
    polynomial through these values: a crossing and return within less time is missed,
    and a shorter `step` finds it. The functions may not write into q and qd.
    progress : whether a long simulation prints its progress.
    constraints : loop closures, one or several, as for `constraint_jacobian`; the
    result has their `gap` and its rate. stabilisation : against drift, gains (kp, kd)
    as for `constrained_forward_dynamics`, or "projection", by which each step ends with
    closed loops (equal steps, DOP853, RK45, RK23). Without gains the start must keep
    the constraints to a thousandth; the ValueError has the size of the violation.
    friction_width : friction in the chain's drives acts by `joint_friction` with this
    width [rad/s, m/s]; steps must then be shorter than about width M / coulomb, or the
    method one for stiff equations.
    compiled : whether forward dynamics runs as machine code (chapter 20), in all
    methods but "variational" and without constraints: the same motion to rounding. For
    many motions by equal steps, `rollout` is faster still. With batch axes all states
    take the same steps. Needs SciPy. If it ends early, also by the user's interruption,
    or when the chain would be faster than light, the result has the states so far and
    the reason, with a RuntimeWarning, which has the result in its attribute
    `simulation` where warnings are errors. ValueError for bad input; for torque,
    external and until if they are bad at t[0].
    """
    times = check_times(t)
    shape = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1])
    q, qd = (
        np.broadcast_to(x, (*shape, x.shape[-1])) for x in (as_real(q, "q"), as_real(qd, "qd"))
    )
    projects = isinstance(stabilisation, str) and stabilisation == "projection"
    driven = Driven(
        chain,
        check_load(torque, "torque", (chain.nv,), shape),
        check_load(external, "external", (chain.n, 6), shape),
        as_constraints(constraints),
        (0, 0) if projects or stabilisation is None else check_stabilisation(stabilisation),
        check_positive_number(friction_width, "friction_width"),
        tolerance=NOISE if projects else 0,
        **(compiled_forward(chain, method, constraints) if compiled else {}),
    )
    cure = partial(projected, chain, driven.constraints, share=NOISE) if projects else None
    if projects or stabilisation is None:
        require_closed(driven, q, qd)
    steps = choose_steps(driven, q, qd, times, method, step, cure, rtol=rtol, atol=atol)
    # errors at the start are raised at once
    as_real(driven.acceleration(times[0], q, qd), "the acceleration at the start")
    if until is not None:
        call_user_function(until, "until", (), times[0], q, qd)
    if progress:
        steps = with_progress(steps, times[0], times[-1])

    # room for all requested states and an early end: a lack of memory is found before
    # the first step
    columns = tuple(np.empty((len(times) + 1, *np.shape(x))) for x in (times[0], q, qd))
    for column, x in zip(columns, (times[0], q, qd), strict=True):
        column[0] = x
    count, last, problem = 1, (times[0], q, qd), None
    try:
        try:
            for last, wanted in sample(chain, steps, times, until):
                if wanted:
                    for column, x in zip(columns, last, strict=True):
                        column[count] = x
                    count += 1
        except (Exception, KeyboardInterrupt) as caught:
            problem = caught
        return conclude(driven, columns, count, last, problem)
    except KeyboardInterrupt as caught:  # while the result was put together
        return conclude(driven, columns, count, last, problem or caught)
