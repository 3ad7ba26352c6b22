# Generated from chapters/11_simulation.md by `python -m book export`; edit it there.
# sha256 of the text below: 6e17b1c0b122cd328782abee77fbc2672f9a75db59113cc9ca6e159142fc0702
"""Simulation: from accelerations to motion, on the manifold of the coordinates.

Derived in chapter 11, "Simulation".
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chaindyn._ops import (
    Array,
    altered,
    block,
    concatenate,
    eye,
    solve_pivoted,
    stack,
)
from chaindyn.array_types import Array3, Array6, ArrayM, ArrayNq, ArrayNv, Scalar
from chaindyn.articulated import aba
from chaindyn.bearings import joint_friction
from chaindyn.chain import Chain, forward_kinematics
from chaindyn.composite import crba, mass_matrix
from chaindyn.guards.arguments import FLAGS
from chaindyn.guards.door import checked
from chaindyn.guards.loops import Gains, StabilisationWord
from chaindyn.guards.motion import check_start, settle
from chaindyn.inverse_dynamics import joint_forces, rnea, transmitted_wrenches, with_rotors
from chaindyn.jobs.marching import Loads, MethodWord, Recorded, choose_steps, loaded, march
from chaindyn.kinematics import body_twists
from chaindyn.postures import difference, integrate
from chaindyn.spatial import X_motion, skew
from chaindyn.state import State

__all__ = ["Driven", "Simulation", "kinetic_energy", "momentum", "potential_energy", "simulate"]


# Chapter 11, "Simulation": Energy and momentum
@checked(q="nq", qd="nv")
def kinetic_energy(chain: Chain, q: ArrayNq, qd: ArrayNv) -> Scalar:
    """Return the kinetic energy (...) of the links and rotors [J].

    q : (..., nq); qd : (..., nv). Half of the sum of V^T I V over the links, and that
    of the rotors: qd^T M qd / 2.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> float(kinetic_energy(rod, np.zeros(1), np.ones(1)).round(4))
    0.1667
    """
    V = body_twists(chain, q, qd)[..., None]
    twice = (V * (chain.spatial_inertia @ V)).sum((-3, -2, -1))
    if chain.has_rotors:
        twice = twice + (chain.reflected_inertia * qd * qd).sum(-1)
    return twice / 2


# Chapter 11, "Simulation": Energy and momentum
@checked(q="nq")
def potential_energy(chain: Chain, q: ArrayNq) -> Scalar:
    """Return the potential energy of gravity (...) [J].

    q : (..., nq). Zero if the common centre of mass is at the world's origin. Minus the
    sum of m g . c over the links, c the centre of mass in the world.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> float(potential_energy(rod, np.full(1, np.pi / 2)).round(3))
    -4.905
    """
    R, p = forward_kinematics(chain, q)
    centres = p + (R @ chain.com[..., None])[..., 0]
    return -(chain.mass[:, None] * chain.gravity * centres).sum((-2, -1))


@checked(q="nq", qd="nv", point=3)
def momentum(chain: Chain, q: ArrayNq, qd: ArrayNv, *, point: Array3 | None = None) -> Array6:
    """Return the momentum of the whole chain (..., 6) [L; p] about a point, in world
    axes [N m s, N s].

    q : (..., nq); qd : (..., nv); point : (..., 3) in the world [m], its origin if
    None. If the point is fixed, the rate of the momentum is the sum of all external
    wrenches about it: weight, and those of the ground on the roots. The spin of rotors
    relative to their links is left out, as in `rnea`.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> momentum(rod, np.zeros(1), np.ones(1)).round(3) + 0.0
    array([ 0.   ,  0.333,  0.   ,  0.   ,  0.   , -0.5  ])
    """
    R, p = forward_kinematics(chain, q)
    own = chain.spatial_inertia @ body_twists(chain, q, qd)[..., None]
    to_link = X_motion(R.mT, p if point is None else p - point[..., None, :])
    return (to_link.mT @ own).sum(-3)[..., 0]


# Chapter 11, "Simulation": A chain with forces on it
@dataclass(frozen=True, eq=False)
class Driven(Loads):
    """A chain and its loads: functions of (t, q, qd), arrays, or None for zero.

    torque, external : joint forces (nv,), wrenches on the links (n, 6). constraints :
    the closures of its loops, if any; gains : (kp, kd) that stabilise them;
    friction_width : of the friction in its joints, if any, as for `joint_friction`;
    held : joint forces (..., nv) that stay through a step, of a chain with friction;
    forward : the compiled `aba`, or None; span : what else it takes, (h,) if it is
    `aba_over`; tolerance : of the closures' rows, as for
    `constrained_forward_dynamics`.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> held = Driven(rod, torque=np.array([-4.905]))
    >>> held.acceleration(0, np.zeros(1), np.zeros(1)).round(9) + 0.0
    array([0.])
    """

    def loads(self, t: float, q: Array, qd: Array) -> tuple[Array, Any]:
        """Return joint forces (..., nv), with friction, and wrenches (..., n, 6).

        ValueError, with the time, if a function gives bad ones.
        """
        tau, external = self.given(t, q, qd)
        if self.chain.has_friction:
            rubbing = joint_friction(self.chain, qd, width=self.friction_width)
            tau = tau + self.held + rubbing
        return tau, external

    def acceleration(self, t: float, q: Array, qd: Array) -> Array:
        """Return qdd (..., nv)."""
        return self.response(q, qd, *self.loads(t, q, qd))

    def force(self, t: float, q: Array, qd: Array) -> Array:
        """Return all joint forces (..., nv), weight included, inertia not."""
        tau, external = self.loads(t, q, qd)
        return tau - rnea(self.chain, q, 0 * qd, 0 * qd, external=external)

    def over(self, h: float, qd: Array) -> "Driven":
        """Return what drives a step of h from qd (..., nv): C acts on the rates at its
        end.
        """
        if not self.chain.has_friction:
            return self
        smooth = altered(heavier_rotors(self.chain, h), viscous=0 * self.chain.viscous)
        drag = self.held - self.chain.viscous * qd
        return replace(self, chain=smooth, held=drag, span=(h,))


# Chapter 11, "Simulation": A chain with forces on it
def heavier_rotors(chain: Chain, h: float) -> Chain:
    """Return a chain whose rotors are heavier by h times viscous friction."""
    if not chain.has_friction:
        return chain
    felt = chain.reflected_inertia + h * chain.viscous
    return altered(chain, reflected_inertia=felt, has_rotors=True, programs={})


def aba_over(
    chain: Chain, q: Array, qd: Array, tau: Array, h: float, *, external: Any = None
) -> Array:
    """Return qdd (..., nv) by `aba` over a step of h, for which rotors are heavier."""
    return aba(heavier_rotors(chain, h), q, qd, tau, external=external)


# Chapter 11, "Simulation": The new velocity first
def semi_implicit_euler_step(
    driven: Driven, t: float, q: Array, qd: Array, h: float
) -> tuple[Array, Array]:
    """Return q and qd a time h later: the new velocity first. Order 1.

    Viscous friction is that of the new velocity, and so is the position's step.
    """
    qd = qd + h * driven.over(h, qd).acceleration(t, q, qd)
    return integrate(driven.chain, q, h * qd), qd


# Chapter 11, "Simulation": Four slopes
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


# Chapter 11, "Simulation": Simulate
@dataclass(frozen=True, eq=False)
class Simulation(Recorded):
    """A motion: times, states and energies, and the reason if it ended early.

    t : (m,) [s]; q : (m, ..., nq); qd : (m, ..., nv). reason : empty if all requested
    times were reached without interruption; else the cause and time of the end, and the
    last state is the last one reached. error : the exception that ended it, if any.
    constraints : the closures of its loops; gap, gap_rate : how far they are open
    (m, ..., rows) [rad, m], and how fast. The energies `kinetic`,
    `potential` and `energy` (m, ...) [J] and the gaps are computed on first use.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> fall = simulate(rod, np.zeros(1), np.zeros(1), t=[0, 0.2, 0.4])
    >>> fall.t, fall.q[:, 0].round(3)
    (array([0. , 0.2, 0.4]), array([0.   , 0.293, 1.126]))
    >>> fall.energy.round(5) + 0.0
    array([0., 0., 0.])
    """

    laws_of_energy = kinetic_energy, potential_energy


# Chapter 11, "Simulation": Simulate
@checked(q="nq", qd="nv", progress=FLAGS, compiled=FLAGS)
@np.errstate(all="ignore")  # what comes of it is judged after each step
def simulate(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    *,
    t: ArrayM,
    torque: Any = None,
    external: Any = None,
    method: MethodWord = "DOP853",
    step: float | None = None,
    until: Callable[[float, Array, Array], float] | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    progress: bool = True,
    constraints: Any = (),
    stabilisation: Gains | StabilisationWord = None,
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
    compiled : whether forward dynamics runs as machine code (chapter 26), in all
    methods but "variational", with loops too: the same motion to rounding. For
    many motions by equal steps, `rollout` is faster still. With batch axes all states
    take the same steps. Needs SciPy. If it ends early, also by the user's interruption,
    or when the chain would be faster than light, the result has the states so far and
    the reason, with a RuntimeWarning, which has the result in its attribute
    `simulation` where warnings are errors. ValueError for bad input; for torque,
    external and until if they are bad at t[0].

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> fall = simulate(rod, still, still, t=[0, 0.2, 0.4])
    >>> fall.q[:, 0].round(3)
    array([0.   , 0.293, 1.126])
    """
    times, q, qd = check_start(t, q, qd)
    driven, cure = loaded(
        Driven,
        chain,
        q,
        qd,
        torque=torque,
        external=external,
        constraints=constraints,
        stabilisation=stabilisation,
        friction_width=friction_width,
        compiled=compiled and (method, aba_over),
    )
    equal = {
        "RK4": rk4_step,
        "semi-implicit Euler": semi_implicit_euler_step,
        "variational": variational_step,
    }
    given = driven, q, qd, times
    steps = choose_steps(equal, *given, method, step, cure, rtol=rtol, atol=atol)
    return march(Simulation, steps, *given, until=until, progress=progress)


# Chapter 11, "Simulation": A rule without angles
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


# Chapter 11, "Simulation": What a link carries through a step
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


# Chapter 11, "Simulation": All links at once
def generalised_force(state: State, wrenches: Array) -> Array:
    """Return the sum of J^T f (..., nv) over the links, of f (..., n, 6, 1) on each."""
    return joint_forces(state, transmitted_wrenches(state, wrenches))


# Chapter 11, "Simulation": All links at once
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
    return integrate(chain, q, settle(correct, first, state.poses[1], "variational", h))


# Chapter 11, "Simulation": All links at once
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
    pi = with_rotors(chain, pi, difference(chain, q, q1) / h)
    foreseen = solve_pivoted(M, (pi + push + drag * qd)[..., None])[..., 0]
    pi = pi + h / 2 * driven.force(t + h, q1, foreseen) + drag * foreseen
    return q1, solve_pivoted(M, pi[..., None])[..., 0]
