# Generated from chapters/10_simulation.md by `python -m book export`; edit it there.
# sha256 of the text below: b771867109cadd6cf6e587a54f5e67722c4436a1a1a9106a5644b6f47c60bfa6
"""Simulation: from accelerations to motion, on the manifold of the coordinates.

Derived in chapter 10, "Simulation".
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

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
from chaindyn.chain import Chain, difference, forward_kinematics, integrate
from chaindyn.closure import constraint_error, constraint_jacobian
from chaindyn.composite import crba, mass_matrix
from chaindyn.constraints import constrained_forward_dynamics
from chaindyn.guards.arguments import FLAGS, check_positive_number
from chaindyn.guards.door import checked
from chaindyn.guards.motion import check_start, load_at, require_possible, settle
from chaindyn.inverse_dynamics import joint_forces, rnea, transmitted_wrenches, with_rotors
from chaindyn.jobs.marching import choose_steps, compiled_forward, in_pieces, loaded, march
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
    """Return the kinetic energy (...) of the links and rotors [J].

    q : (..., nq); qd : (..., nv). Half of the sum of V^T I V over the links, and that
    of the rotors: qd^T M qd / 2.
    """
    V = body_twists(chain, q, qd)[..., None]
    twice = (V * (chain.spatial_inertia @ V)).sum((-3, -2, -1))
    if chain.has_rotors:
        twice = twice + (chain.reflected_inertia * qd * qd).sum(-1)
    return twice / 2


# Chapter 10, "Simulation": Energy and momentum
@checked(q="nq")
def potential_energy(chain: Chain, q: Array) -> Array:
    """Return the potential energy of gravity (...) [J].

    q : (..., nq). Zero if the common centre of mass is at the world's origin. Minus the
    sum of m g . c over the links, c the centre of mass in the world.
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
@dataclass(frozen=True, eq=False)
class Driven:
    """A chain and its loads: functions of (t, q, qd), arrays, or None for zero.

    constraints : the closures of its loops, if any; gains : (kp, kd) that stabilise
    them; friction_width : of the friction in its joints, if any, as for
    `joint_friction`; held : joint forces (..., nv) that stay through a step, of a chain
    with friction; forward : the compiled `aba`, or None; span : what else it takes,
    (h,) if it is `aba_over`; tolerance : of the closures' rows, as for
    `constrained_forward_dynamics`.
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

    def loads(self, t: float, q: Array, qd: Array) -> tuple[Array, Any]:
        """Return joint forces (..., nv), with friction, and wrenches (..., n, 6).

        ValueError, with the time, if a function gives bad ones.
        """
        tau = load_at(self.torque, "torque", (self.chain.nv,), t, q, qd)
        external = load_at(self.external, "external", (self.chain.n, 6), t, q, qd)
        tau = 0 * qd if tau is None else tau
        if self.chain.has_friction:
            rubbing = joint_friction(self.chain, qd, width=self.friction_width)
            tau = tau + self.held + rubbing
        return tau, external

    def acceleration(self, t: float, q: Array, qd: Array) -> Array:
        """Return qdd (..., nv)."""
        return accelerated(self, q, qd, *self.loads(t, q, qd))

    def force(self, t: float, q: Array, qd: Array) -> Array:
        """Return all joint forces (..., nv), weight included, inertia not."""
        tau, external = self.loads(t, q, qd)
        return tau - rnea(self.chain, q, 0 * qd, 0 * qd, external=external)

    def over(self, h: float, qd: Array) -> "Driven":
        """Return what drives a step of h from qd (..., nv), by its final friction."""
        return driven_over(self, h, qd) if self.chain.has_friction else self


# Chapter 10, "Simulation": A chain with forces on it
def accelerated(driven: Driven, q: Array, qd: Array, tau: Array, external: Any) -> Array:
    """Return qdd (..., nv) under given loads."""
    chain = driven.chain
    if driven.forward is not None:
        more = {} if external is None else {"external": external}
        return driven.forward(q, qd, tau, *driven.span, **more)
    if not driven.constraints:
        return aba(chain, q, qd, tau, external=external)
    options = {"stabilisation": driven.gains, "tolerance": driven.tolerance}
    given = chain, driven.constraints, q, qd, tau
    return constrained_forward_dynamics(*given, external=external, **options)[0]


# Chapter 10, "Simulation": A chain with forces on it
def heavier_rotors(chain: Chain, h: float) -> Chain:
    """Return a chain whose rotors are heavier by h times viscous friction."""
    if not chain.has_friction:
        return chain
    felt = chain.reflected_inertia + h * chain.viscous
    return altered(chain, reflected_inertia=felt, has_rotors=True, programs={})


def driven_over(driven: Driven, h: float, qd: Array) -> Driven:
    """Return what drives a step of h from qd (..., nv): C acts on the rates at its end."""
    chain = driven.chain
    rubbing_no_more = altered(heavier_rotors(chain, h), viscous=0 * chain.viscous)
    drag = driven.held - chain.viscous * qd
    return replace(driven, chain=rubbing_no_more, held=drag, span=(h,))


def aba_over(
    chain: Chain, q: Array, qd: Array, tau: Array, h: float, *, external: Any = None
) -> Array:
    """Return qdd (..., nv) by `aba` over a step of h, for which rotors are heavier."""
    return aba(heavier_rotors(chain, h), q, qd, tau, external=external)


# Chapter 10, "Simulation": The new velocity first
def semi_implicit_euler_step(
    driven: Driven, t: float, q: Array, qd: Array, h: float
) -> tuple[Array, Array]:
    """Return q and qd a time h later: the new velocity first. Order 1.

    Viscous friction is that of the new velocity, and so is the position's step.
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
    """Return the twist (..., 6, 1) whose Cayley transform is the motion R, p.

    R : (..., 3, 3); p : (..., 3, 1). Near zero it is what `log_se3` gives, to second
    order; it needs no angle. Undefined for a half turn.
    """
    trace = R[..., 0:1, 0:1] + R[..., 1:2, 1:2] + R[..., 2:3, 2:3]
    C = (R - R.mT) / (1 + trace)
    c = stack([C[..., 2, 1:2], C[..., 0, 2:3], C[..., 1, 0:1]], axis=-2)
    return concatenate([2 * c, p - C @ p], axis=-2)


def cayley_rate(twist: Array) -> Array:
    """Return D (..., 6, 6), by which a twist (..., 6, 1) changes with its transform.

    It changes by D x when its Cayley transform is moved on by x, a twist in fixed axes:
    the transform comes first, then x.
    """
    c, v = twist[..., :3, :] / 2, twist[..., 3:, 0]
    turn = eye(3) - skew(c[..., 0])
    return block([[turn + c @ c.mT, 0], [-turn @ skew(v) / 2, turn]])


# Chapter 10, "Simulation": What a link carries through a step
def discrete_momenta(chain: Chain, q0: Array, q1: Array, h: float) -> tuple[Array, Array]:
    """Return every link's momentum (..., n, 6, 1) at start and end of a step.

    From q0 to q1 in a time h. Each about the link's origin there, in its axes there:
    the derivatives of the step's action with respect to where the link starts, negated,
    and where it ends.
    """
    (R0, p0), (R1, p1) = forward_kinematics(chain, q0), forward_kinematics(chain, q1)
    moved = cayley_twist(R0.mT @ R1, R0.mT @ (p1 - p0)[..., None])
    p = chain.spatial_inertia @ moved / h
    return cayley_rate(moved).mT @ p, cayley_rate(-moved).mT @ p


# Chapter 10, "Simulation": All links at once
def generalised_force(state: State, wrenches: Array) -> Array:
    """Return the sum of J^T f (..., nv) over the links, of f (..., n, 6, 1) on each."""
    return joint_forces(state, transmitted_wrenches(state, wrenches))


# Chapter 10, "Simulation": All links at once
def step_with_momentum(chain: Chain, q: Array, pi: Array, h: float) -> Array:
    """Return the q at the end of a step of h from the joint momenta `pi` (..., nv).

    Newton's method with the mass matrix in place of the derivative; ArithmeticError if
    h is too long for it.
    """
    state = State(chain, q)
    M = mass_matrix(state)

    def correct(moved: Array) -> Array:
        start, _ = discrete_momenta(chain, q, integrate(chain, q, moved), h)
        missing = pi - with_rotors(chain, generalised_force(state, start), moved / h)
        return h * solve_pivoted(M, missing[..., None])[..., 0]

    first = h * solve_pivoted(M, pi[..., None])[..., 0]
    reach = np.abs(state.poses[1]).max(initial=1)
    return integrate(chain, q, settle(correct, first, reach, "variational", h))


# Chapter 10, "Simulation": All links at once
def variational_step(
    driven: Driven, t: float, q: Array, qd: Array, h: float
) -> tuple[Array, Array]:
    """Return q and qd a time h later, by the step's own least action. Order 2.

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
    last state is the last one reached. error : the exception that ended it, if any.
    constraints : the closures of its loops. Energies and gaps are computed on first
    use.
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
        error = partial(constraint_error, self.chain, self.constraints)
        return in_pieces(error, self.chain.n, self.q)

    @cached_property
    def gap_rate(self) -> Array:
        """How fast the loops open, K qd (m, ..., rows)."""
        rates = partial(loop_rates, self.chain, self.constraints)
        return in_pieces(rates, self.chain.n, self.q, self.qd)

    @cached_property
    def kinetic(self) -> Array:
        """Kinetic energy (m, ...) [J]."""
        return in_pieces(partial(kinetic_energy, self.chain), self.chain.n, self.q, self.qd)

    @cached_property
    def potential(self) -> Array:
        """Potential energy (m, ...) [J]."""
        return in_pieces(partial(potential_energy, self.chain), self.chain.n, self.q)

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy together (m, ...) [J]."""
        return self.kinetic + self.potential


# Chapter 10, "Simulation": Simulate
def loop_rates(chain: Chain, constraints: Any, q: Array, qd: Array) -> Array:
    """Return how fast loops open, K qd (..., rows)."""
    return (constraint_jacobian(chain, constraints, q) @ qd[..., None])[..., 0]


# Chapter 10, "Simulation": Simulate
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
    """Return the motion of a chain or tree at all times t.

    It starts from q (..., nq), qd (..., nv) at t[0]. t : (m,) increasing [s]. torque :
    (nv,), or a function of (t, q, qd) that gives the joint forces (..., nv); external :
    (n, 6), or such a function, that gives the wrench on each link, about its origin in
    its axes; None is zero. method : one of SciPy's ("DOP853", "RK45", "RK23", "Radau",
    "BDF", "LSODA"), whose steps follow rtol and atol and are `step` [s] at most; or
    "RK4", "semi-implicit Euler" or "variational", whose steps are equal, and `step` at
    most. until : a function of (t, q, qd); where it falls to zero from above, the
    simulation ends, and that state is the last. It is evaluated at nine times in each
    adaptive step and at three in each fixed one, and at the extrema of the polynomial
    through these values: a crossing and return within less time is missed, and a
    shorter `step` finds it. The functions may not write into q and qd. progress :
    whether a long simulation prints its progress. constraints : loop closures, one or
    several, as for `constraint_jacobian`; the result has their `gap` and its rate.
    stabilisation : against drift, gains (kp, kd) as for `constrained_forward_dynamics`,
    or "projection", by which each step ends with closed loops (equal steps, DOP853,
    RK45, RK23). Without gains the start must keep the constraints to a thousandth; the
    ValueError has the size of the violation. friction_width : friction in the chain's
    drives acts by `joint_friction` with this width [rad/s, m/s]; steps must then be
    shorter than about width M / coulomb, or the method one for stiff equations.
    compiled : whether forward dynamics runs as machine code (chapter 20), in all
    methods but "variational", with loops too: the same motion to rounding. For
    many motions by equal steps, `rollout` is faster still. With batch axes all states
    take the same steps. Needs SciPy. If it ends early, also by the user's interruption,
    or when the chain would be faster than light, the result has the states so far and
    the reason, with a RuntimeWarning, which has the result in its attribute
    `simulation` where warnings are errors. ValueError for bad input; for torque,
    external and until if they are bad at t[0].
    """
    times, q, qd = check_start(t, q, qd)
    forward = partial(compiled_forward, compiled, method, aba_over)
    driven, cure = loaded(
        Driven,
        chain,
        q,
        qd,
        torque=torque,
        external=external,
        forward=forward,
        constraints=constraints,
        stabilisation=stabilisation,
        friction_width=friction_width,
    )
    equal = {
        "RK4": rk4_step,
        "semi-implicit Euler": semi_implicit_euler_step,
        "variational": variational_step,
    }
    given = driven, q, qd, times
    steps = choose_steps(equal, *given, method, step, cure, rtol=rtol, atol=atol)
    judge = partial(require_possible, chain, kinetic_energy=kinetic_energy)
    return march(Simulation, steps, *given, until=until, progress=progress, judge=judge)
