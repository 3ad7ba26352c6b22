"""Simulation: laws of energy and momentum, orders of the steps, closed forms, and what a failure leaves behind."""

import gc
import io
import subprocess
import sys
import threading
import tracemalloc
import warnings
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk
from trees import (
    AXES,
    CASES,
    EPS,
    EVERY_KIND,
    Case,
    allowed,
    assert_near,
    bound,
    motion,
    random_inertia,
    random_rotation,
    random_tree,
)

import chaindyn.jobs.marching as marching
import chaindyn.simulation as simulation
from chaindyn import (
    Ad,
    Chain,
    Coupling,
    Fixed,
    Free,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    aba,
    bias_force,
    body_twists,
    compiled,
    computed_torque,
    crba,
    difference,
    exp_se3,
    forward_kinematics,
    integrate,
    kinetic_energy,
    momentum,
    potential_energy,
    random_state,
    simulate,
    simulate_contact,
    skew,
)
from chaindyn.jobs.pace import Pace
from chaindyn.simulation import (
    Driven,
    cayley_rate,
    cayley_twist,
    discrete_momenta,
    generalised_force,
    rk4_step,
    semi_implicit_euler_step,
    variational_step,
)
from chaindyn.state import State
from chaindyn.teaching import normwise

STEP = 1e-30  # of a complex step, which loses nothing
MOVING = [case for case in CASES if case.n <= 30 and random_tree(case).nv > 0] + [
    Case(7, branching=True, seed=21, kinds=EVERY_KIND),
    Case(15, branching=True, seed=22, kinds=EVERY_KIND),
]
FIXED = {"semi-implicit Euler": 1, "RK4": 4, "variational": 2}  # and their orders
ADAPTIVE = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA")
TIGHT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13, "progress": False}


@pytest.fixture(params=MOVING, ids=str)
def moving(request):
    """A random chain or tree with one state."""
    chain = random_tree(request.param)
    return chain, *motion(request.param, chain)[:2]


def tree_of(kinds, seed, gravity=(0, 0, -9.81)):
    """A tree with one link on each of these joints, hung on one another at random."""
    rng = np.random.default_rng(seed)
    links = [
        Link(
            kind(*rng.normal(size=(AXES.get(kind, 0), 3))),
            rng.uniform(0.5, 2),
            0.3 * rng.normal(size=3),
            random_inertia(rng) + 0.1 * np.eye(3),
            offset=0.5 * rng.normal(size=3),
            rotation=random_rotation(rng),
            parent=int(rng.integers(i)) if i else "ground",
        )
        for i, kind in enumerate(kinds)
    ]
    return Chain(links, gravity)


def pendulum(*lengths):
    """Point masses on rods: pendulums side by side, none of which knows of another."""
    nothing = np.zeros((3, 3))
    return Chain(
        [Link(Revolute((0, 1, 0)), 1.0, (0, 0, -x), nothing, parent="ground") for x in lengths]
    )


PENDULUM = pendulum(1.0)
ONE = {"q": [1.0], "qd": [0.0]}


# --- energy and momentum ---


def test_kinetic_energy_is_half_of_the_momentum_times_the_velocity(moving):
    chain, q, qd = moving
    assert_near(kinetic_energy(chain, q, qd), qd @ crba(chain, q) @ qd / 2, chain.n)


def test_potential_energy_falls_by_the_work_of_the_weight(moving):
    """Its rate along `integrate` is qd times the forces that hold the chain still."""
    chain, q, qd = moving
    rate = potential_energy(chain, integrate(chain, q, 1j * STEP * qd)).imag / STEP
    holding = bias_force(chain, q, 0 * qd)
    scale = np.abs(holding) @ np.abs(qd)  # the sum may cancel
    assert abs(rate - holding @ qd) <= bound(chain.n) * scale


def test_potential_energy_is_zero_with_the_centre_of_mass_at_the_origin():
    chain = Chain([Link(Free(), 2, (0.1, 0.2, 0.3), np.eye(3))])
    assert potential_energy(chain, [-0.1, -0.2, -0.3, 1, 0, 0, 0]) == 0
    assert potential_energy(chain, [-0.1, -0.2, 0.7, 1, 0, 0, 0]) == pytest.approx(2 * 9.81)


def test_power_of_forces_is_the_rate_of_energy(moving):
    chain, q, qd = moving
    tau = np.random.default_rng(0).normal(size=chain.nv)
    qdd = aba(chain, q, qd, tau)
    later = integrate(chain, q, 1j * STEP * qd), qd + 1j * STEP * qdd
    kinetic, potential = kinetic_energy(chain, *later), potential_energy(chain, later[0])
    scale = np.abs(qd) @ (crba(chain, q) @ np.abs(qdd)) + np.abs(tau) @ np.abs(qd)
    scale += abs(kinetic.imag + 1j * potential.imag) / STEP
    error = abs((kinetic + potential).imag / STEP - tau @ qd)
    assert error <= allowed(crba(chain, q)) * abs(scale)


def test_momentum_is_the_sum_over_the_links_particles(moving):
    """Each link's m v at its centre of mass, and its spin about it."""
    chain, q, qd = moving
    R, p = forward_kinematics(chain, q)
    V = body_twists(chain, q, qd)
    point = np.array([0.3, -0.2, 0.5])
    for about in (None, point):
        total = np.zeros(6)
        for i in range(chain.n):
            w, v = V[i, :3], V[i, 3:] + np.cross(V[i, :3], chain.com[i])
            centre = p[i] + R[i] @ chain.com[i] - (0 if about is None else about)
            linear = chain.mass[i] * R[i] @ v
            total[:3] += R[i] @ chain.inertia[i] @ w + np.cross(centre, linear)
            total[3:] += linear
        # about a far point what is turned and what is carried there cancel
        reach = 1 + np.abs(p).max() + np.linalg.norm(point)
        scale = np.abs(chain.mass) @ np.abs(V).sum(-1) * reach**2
        result = momentum(chain, q, qd, point=about)
        assert np.abs(result - total).max() <= bound(chain.n) * scale


@pytest.mark.parametrize("point", [None, (0.5, -1.0, 2.0)])
def test_momentum_changes_by_the_weight_alone_where_nothing_holds(point):
    chain = tree_of((Free, Revolute, Spherical, Prismatic, Universal, Fixed), 1, (1, 2, -9))
    q, qd = random_state(chain, 1)
    qdd = aba(chain, q, qd, np.r_[np.zeros(6), np.ones(chain.nv - 6)])  # motors are inner forces
    later = integrate(chain, q, 1j * STEP * qd), qd + 1j * STEP * qdd
    rate = momentum(chain, *later, point=point).imag / STEP
    R, p = forward_kinematics(chain, q)
    centres = p + (R @ chain.com[..., None])[..., 0] - (0 if point is None else np.array(point))
    weights = chain.mass[:, None] * chain.gravity
    expected = np.concatenate([np.cross(centres, weights), weights], axis=-1).sum(0)
    assert_near(rate, expected, chain.n, allowed(crba(chain, q)))


def test_symbols_give_the_pendulum_s_energies_exactly():
    sp = pytest.importorskip("sympy")
    m, L, g = sp.symbols("m L g", positive=True)
    a, w = sp.symbols("a w")
    link = Link(Revolute(), m, (0, -L, 0), np.zeros((3, 3), int))
    chain = Chain([link], gravity=(0, -g, 0))
    q, qd = np.array([a]), np.array([w])
    kinetic, potential = kinetic_energy(chain, q, qd), potential_energy(chain, q)
    assert sp.simplify(kinetic - m * L**2 * w**2 / 2) == 0
    assert sp.simplify(potential + m * g * L * sp.cos(a)) == 0
    L_and_p = momentum(chain, q, qd)
    expected = [0, 0, m * L**2 * w, m * L * w * sp.cos(a), m * L * w * sp.sin(a), 0]
    assert [sp.simplify(x - y) for x, y in zip(L_and_p, expected, strict=True)] == [0] * 6
    assert not any(sp.sympify(e).atoms(sp.Float) for e in [kinetic, potential, *L_and_p])


# --- the Cayley transform and the momenta of a step ---


def hat(twist):
    """The 4 x 4 matrix of a twist (6, 1)."""
    w, v = twist[:3, 0], twist[3:]
    return np.block([[skew(w), v], [np.zeros((1, 4))]])


def cayley(twist):
    """(1 - W / 2)^-1 (1 + W / 2)."""
    W = hat(twist) / 2
    return np.linalg.solve(np.eye(4) - W, np.eye(4) + W)


TWISTS = [np.random.default_rng(k).normal(size=(6, 1)) * size for k, size in enumerate((1e-9, 0.1, 1, 4))]  # fmt: skip


@pytest.mark.parametrize("twist", TWISTS, ids=lambda x: f"{np.linalg.norm(x):.0e}")
def test_the_cayley_transform_of_its_twist_is_the_motion(twist):
    T = cayley(twist)
    # near a half turn the division by 1 + trace R = 4 cos^2(angle / 2) loses digits
    loss = 1 + np.linalg.norm(twist) ** 2
    result = cayley_twist(T[:3, :3], T[:3, 3:])
    assert np.linalg.norm(result - twist) <= 100 * EPS * loss * max(np.linalg.norm(twist), 1)
    R, p = exp_se3(np.array([0.4, -0.8, 0.5, 1.0, 2.0, 3.0]))
    assert_near(cayley(cayley_twist(R, p[:, None]))[:3], np.c_[R, p], 1)


def test_near_zero_it_is_the_logarithm_to_second_order():
    small = [np.array([0.3, -0.5, 0.2, 1, 2, 3]) * size for size in (1e-2, 5e-3)]
    errors = []
    for x in small:
        R, p = exp_se3(x)
        errors.append(np.linalg.norm(cayley_twist(R, p[:, None])[:, 0] - x))
    assert 7.5 <= errors[0] / errors[1] <= 8.5  # of third order


@pytest.mark.parametrize("twist", TWISTS, ids=lambda x: f"{np.linalg.norm(x):.0e}")
def test_cayley_rate_is_its_derivative(twist):
    """The fixed observer moves the transform on from the left; the body's from the right is that of -twist."""
    T, x = cayley(twist), np.random.default_rng(9).normal(size=(6, 1))
    loss = (1 + np.linalg.norm(twist) ** 2) ** 2
    for moved, D in (
        ((np.eye(4) + 1j * STEP * hat(x)) @ T, cayley_rate(twist)),
        (T @ (np.eye(4) + 1j * STEP * hat(x)), cayley_rate(-twist)),
    ):
        by_step = cayley_twist(moved[:3, :3], moved[:3, 3:]).imag / STEP
        assert_near(D @ x, by_step, 1, 100 * EPS * loss)


def test_cayley_of_rational_numbers_is_exact():
    sp = pytest.importorskip("sympy")
    twist = [sp.Rational(a, b) for a, b in ((1, 2), (-2, 3), (3, 5), (1, 7), (2, 1), (-1, 3))]
    w, v = sp.Matrix(twist[:3]), sp.Matrix(twist[3:])
    W = sp.zeros(4, 4)
    for k in range(3):
        W[:3, k] = w.cross(sp.eye(3)[:, k])
    W[:3, 3] = v
    T = np.array((sp.eye(4) - W / 2).inv() * (sp.eye(4) + W / 2), object)
    assert cayley_twist(T[:3, :3], T[:3, 3:])[:, 0].tolist() == twist


def action(chain, q0, q1, h):
    """The step's action: h times the kinetic energy at the Cayley velocity."""
    (R0, p0), (R1, p1) = forward_kinematics(chain, q0), forward_kinematics(chain, q1)
    V = cayley_twist(R0.mT @ R1, R0.mT @ (p1 - p0)[..., None]) / h
    return h * (V * (chain.spatial_inertia @ V)).sum() / 2


def test_discrete_momenta_are_the_derivatives_of_the_action():
    chain, h = tree_of(EVERY_KIND, 2), 0.1
    q0, qd = random_state(chain, 4)
    q1 = integrate(chain, q0, h * qd)
    start, end = discrete_momenta(chain, q0, q1, h)
    along = np.eye(chain.nv)
    by_start = [action(chain, integrate(chain, q0, 1j * STEP * x), q1, h).imag / STEP for x in along]  # fmt: skip
    by_end = [action(chain, q0, integrate(chain, q1, 1j * STEP * x), h).imag / STEP for x in along]
    scale = 1 / h  # poses differ by h times what moves: their difference has lost as much
    for q, momenta, derivative in ((q0, start, -np.array(by_start)), (q1, end, np.array(by_end))):
        force = generalised_force(State(chain, q), momenta)
        assert_near(force, derivative, chain.n, scale * bound(chain.n))


def test_every_link_s_momentum_is_carried_through_a_step():
    """Start and end momentum are one and the same, seen from where the link is: Ad^T takes one to the other."""
    chain, h = tree_of(EVERY_KIND, 3), 0.2
    q0, qd = random_state(chain, 5, batch=(4,))
    q1 = integrate(chain, q0, h * qd)
    (R0, p0), (R1, p1) = forward_kinematics(chain, q0), forward_kinematics(chain, q1)
    moved = Ad(R0.mT @ R1, (R0.mT @ (p1 - p0)[..., None])[..., 0])
    start, end = discrete_momenta(chain, q0, q1, h)
    assert start.shape == end.shape == (4, chain.n, 6, 1)
    assert_near(end, moved.mT @ start, chain.n, bound(chain.n) / h)


# --- orders ---


def spherical_pendulum():
    chain = Chain([Link(Spherical(), 1.0, (0.1, 0, -0.5), np.diag([0.1, 0.2, 0.15]))])
    return chain, integrate(chain, chain.neutral, [0.8, 0.3, 0]), np.array([0.5, -1, 2.0]), {}


def spinning_body():
    """Near its middle axis, about which it tumbles."""
    chain = Chain([Link(Free(), 1.0, (0, 0.1, 0), np.diag([0.2, 0.4, 0.5]))], gravity=(0, 0, 0))
    return chain, chain.neutral, np.array([0.2, 3, 0.1, 0.3, 0.2, 0.1]), {}


def pushed_tree():
    """Every kind of joint; forces and wrenches that depend on time, place and velocity, damping among them."""
    chain = tree_of((Free, Revolute, Spherical, Prismatic, Universal, Fixed, Revolute), 4)
    rng = np.random.default_rng(4)
    push, wrench = 2 * rng.normal(size=chain.nv), rng.normal(size=(chain.n, 6))

    def torque(t, q, qd):
        return np.sin(4 * t) * push - 0.8 * qd - 2 * difference(chain, chain.neutral, q)

    def external(t, q, qd):
        R, _ = forward_kinematics(chain, q)
        lifted = np.zeros((chain.n, 6)) + np.r_[0, 0, 0, 0, 0, 1.0]
        lifted[:, 3:] = R[:, 2, :]  # a force along the world's z
        return np.cos(3 * t) * wrench + lifted - 0.5 * body_twists(chain, q, qd)

    q = integrate(chain, chain.neutral, 0.3 * rng.normal(size=chain.nv))
    return chain, q, 0.7 * rng.normal(size=chain.nv), {"torque": torque, "external": external}


SYSTEMS = {
    "spherical pendulum": (spherical_pendulum, 0.5),
    "spinning body": (spinning_body, 0.5),
    "pushed tree": (pushed_tree, 0.25),
}


def apart(chain, a, b):
    """How far the last states of two simulations are from one another."""
    return np.linalg.norm(np.r_[difference(chain, a.q[-1], b.q[-1]), a.qd[-1] - b.qd[-1]])


@pytest.fixture(scope="module")
def truth():
    """Give the systems with their ends, computed once."""
    ends = {}
    for name, (make, end) in SYSTEMS.items():
        chain, q, qd, loads = make()
        ends[name] = chain, q, qd, loads, end, simulate(chain, q, qd, t=[0, end], **loads, **TIGHT)
    return ends


@pytest.mark.parametrize("method", FIXED)
@pytest.mark.parametrize("name", SYSTEMS)
def test_steps_converge_with_their_order(truth, name, method):
    chain, q, qd, loads, end, exact = truth[name]
    steps = {"semi-implicit Euler": 32, "RK4": 4, "variational": 6}[method]
    whole, half = (
        apart(chain, simulate(chain, q, qd, t=[0, end], method=method, step=end / m, **loads), exact)
        for m in (steps, 2 * steps)
    )  # fmt: skip
    assert half > 1e-10  # well above what the reference itself is off
    assert abs(np.log2(whole / half) - FIXED[method]) <= 0.15, (whole, half)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_scipy_s_methods_follow_their_tolerance(truth, method):
    chain, q, qd, loads, end, exact = truth["spherical pendulum"]
    rough, fine = (
        apart(chain, simulate(chain, q, qd, t=[0, end], method=method, rtol=tol, atol=tol, **loads), exact)
        for tol in (1e-5, 1e-8)
    )  # fmt: skip
    assert fine <= 1e-6 and rough <= 1e-2 and fine <= rough / 10


def test_rk4_is_the_textbook_s_where_coordinates_add():
    chain = tree_of((Revolute, Prismatic, Universal, Fixed, Revolute), 6)
    q, qd = random_state(chain, 6)
    driven = Driven(chain, lambda t, q, qd: np.cos(t) - q - qd**3)

    def f(t, y):
        return np.r_[y[chain.nv :], driven.acceleration(t, y[: chain.nv], y[chain.nv :])]

    t, h, y = 0.3, 0.05, np.r_[q, qd]
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    expected = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    result = np.r_[rk4_step(driven, t, q, qd, h)]
    assert_near(result.ravel(), expected, chain.n, allowed(crba(chain, q)))


def test_semi_implicit_euler_turns_with_the_new_velocity():
    chain = tree_of((Spherical, Revolute), 7)
    q, qd = random_state(chain, 7)
    new, rate = semi_implicit_euler_step(Driven(chain), 0.0, q, qd, 0.1)
    assert_near(rate, qd + 0.1 * aba(chain, q, qd, 0 * qd), 2)
    assert_near(new, integrate(chain, q, 0.1 * rate), 2)


def test_the_variational_step_may_be_walked_back():
    """It is symmetric: a step back leads to where it came from."""
    chain = tree_of((Spherical, Prismatic, Revolute), 8)
    q, qd = random_state(chain, 8)
    there = variational_step(Driven(chain), 0.0, q, qd, 0.02)
    back = variational_step(Driven(chain), 0.02, *there, -0.02)
    assert normwise(difference(chain, q, back[0]), 0 * qd) <= 1e-12
    assert_near(back[1], qd, chain.n, 1e-11)


def test_jax_differentiates_a_step(jax, jit):
    """The end of a step with respect to its start, against a difference."""
    driven = Driven(PENDULUM, lambda t, q, qd: -0.3 * qd)
    start, along = np.array([0.7, 0.2]), np.array([0.6, -0.8])
    for step in (rk4_step, semi_implicit_euler_step):

        def end(x, step=step):
            return step(driven, 0.0, x[:1], x[1:], 0.1)[0][0]

        slope = jit(jax.grad(end))(start) @ along
        by_difference = (end(start + 1e-5 * along) - end(start - 1e-5 * along)) / 2e-5
        assert abs(slope - by_difference) <= 1e-9


# --- a closed form ---


@pytest.mark.parametrize("amplitude", [0.1, 2.0, 3.0])
def test_the_pendulum_s_period_is_the_elliptic_integral(amplitude):
    """It comes back when its velocity, negative on the way back, has fallen to zero from above."""
    period = 4 * np.sqrt(1 / 9.81) * ellipk(np.sin(amplitude / 2) ** 2)
    swing = {"q": [amplitude], "qd": [0.0], "t": [0, 10.0], "until": lambda t, q, qd: qd[0]}
    result = simulate(PENDULUM, **swing, **TIGHT)
    assert abs(result.t[-1] / period - 1) <= 1e-10
    # a slow turn: the place there is known to the square root of its energy
    assert abs(result.q[-1, 0] - amplitude) <= 1e-9
    assert "`until` fell to zero at t = " in result.reason and result.error is None
    errors = [
        abs(simulate(PENDULUM, **swing, method="RK4", step=period / m).t[-1] - period)
        for m in (100, 200)
    ]
    # of order 4, the part of order 5 still to be seen; at 3 rad, nearly upside down, it rules
    assert errors[1] <= 3e-6 * period and 3.4 <= np.log2(errors[0] / errors[1]) <= 5.3


def test_the_quarter_period_by_every_method():
    quarter = np.sqrt(1 / 9.81) * ellipk(np.sin(0.5) ** 2)
    for method in (*FIXED, *ADAPTIVE):
        step = {"step": quarter / 50} if method in FIXED else {}
        result = simulate(
            PENDULUM, **ONE, t=[0, 1.0, 5.0], until=lambda t, q, qd: q[0], method=method, **step
        )
        order = FIXED.get(method, 4)
        assert abs(result.t[-1] / quarter - 1) <= 2 * 50.0**-order + 1e-6
        # the place is not a step's end, and is the one that was found
        assert len(result.t) == 2 and abs(result.q[-1, 0]) <= 1e-12


# --- energy over a thousand steps, and, nightly, over ten thousand shorter ones ---


def steps_of(short, long):
    """A test's step and how many of them, in short and in full."""
    return pytest.mark.parametrize(
        ("step", "count"), [short, pytest.param(*long, marks=pytest.mark.nightly)]
    )


def heights(result, lengths):
    """Energies of pendulums side by side, each in units of its own m g l."""
    x = np.array(lengths)
    return x / 9.81 * result.qd**2 / 2 - np.cos(result.q)


LENGTHS = 1.0, 1 / 4, 1 / 16  # each swings twice as fast as the one before: as with twice the step


def long_swing(method, step, count, lengths=LENGTHS):
    start = np.ones(len(lengths)), np.zeros(len(lengths))
    t = step * np.arange(count + 1)
    result = simulate(pendulum(*lengths), *start, t=t, method=method, step=2 * step)
    return heights(result, lengths)


@steps_of((0.02, 2000), (0.008, 10_000))
def test_semi_implicit_euler_is_symplectic_on_a_pendulum(step, count):
    """Its energy stays within O(h) of the start all the time: it keeps another energy, nearby."""
    energy = long_swing("semi-implicit Euler", step, count)
    swing = np.ptp(energy, axis=0)
    assert all(1.8 <= b / a <= 2.2 for a, b in pairwise(swing)), swing
    tenth = count // 10
    trend = np.abs(energy[-tenth:].mean(0) - energy[:tenth].mean(0))
    assert (trend <= 0.1 * swing).all(), trend / swing


@steps_of((0.03, 1000), (0.012, 10_000))
def test_rk4_loses_energy_with_the_fifth_power_of_the_step(step, count):
    """The error of order h^4 is reversible, as the pendulum is, and averages out; what drifts is h^5.

    Over a fixed number of steps that is h^6: a factor of 64 for each halving.
    """
    energy = long_swing("RK4", step, count)
    drift = energy[:300].mean(0) - energy[-300:].mean(0)
    tenth = count // 10
    loss = energy[:tenth].max(0) - energy[-tenth:].max(0)
    assert (loss > 0).all()
    ratios = [np.log2(b / a) for a, b in pairwise(drift)]
    assert all(abs(r - 6) <= 0.5 for r in ratios), ratios


def swinging_twins():
    """Two double pendulums in space, a ball and a hinge each; the second is a quarter as large."""
    links = []
    for size in (1.0, 0.25):
        for joint, parent in ((Spherical(), "ground"), (Revolute((0, 1, 0.2)), None)):
            body = 1.0, size * np.array([0.1, 0, -0.5]), size**2 * np.diag([0.2, 0.25, 0.1])
            links.append(Link(joint, *body, offset=(0, 0, -size if parent is None else 0), parent=parent))  # fmt: skip
    return Chain(links)


def energy_by_twin(chain, result):
    """Energy of each twin (m, 2), in units of its own size."""
    V = body_twists(chain, result.q, result.qd)[..., None]
    kinetic = (V * (chain.spatial_inertia @ V)).sum((-2, -1)) / 2
    R, p = forward_kinematics(chain, result.q)
    centres = p + (R @ chain.com[..., None])[..., 0]
    own = kinetic - chain.mass * (centres @ np.array(chain.gravity))
    return np.stack([own[:, :2].sum(-1), 4 * own[:, 2:].sum(-1)], axis=-1)


@pytest.mark.nightly
def test_the_variational_step_keeps_energy_near_for_ever():
    """It swings within O(h^2) and goes nowhere."""
    energy = long_swing("variational", 0.02, 10_000, LENGTHS[:2])
    swing = np.ptp(energy, axis=0)
    assert 3.8 <= swing[1] / swing[0] <= 4.2, swing
    trend = np.abs(energy[-1000:].mean(0) - energy[:1000].mean(0))
    assert (trend <= 0.1 * swing).all(), trend / swing


@steps_of((0.03, 300), (0.01, 1200))
def test_the_variational_step_keeps_energy_near_where_inertia_changes(step, count):
    """The small twin, twice as fast, sees twice the step."""
    chain = swinging_twins()
    turn = np.array([0.3, 0.5, 0.1, 0.2])
    q = integrate(chain, chain.neutral, np.r_[turn, turn])
    qd = np.array([0.2, 0.0, 0.5, 0.0])
    t = step * np.arange(count + 1)
    result = simulate(chain, q, np.r_[qd, 2 * qd], t=t, method="variational", step=2 * step)
    energy = energy_by_twin(chain, result)
    assert_near(energy[:, 0] + energy[:, 1] / 4, result.energy, chain.n)
    # the same stretch of both their lives: the small one's takes half the time
    swing = np.array([np.ptp(energy[:, 0]), np.ptp(energy[: count // 2 + 1, 1])])
    assert 3.5 <= swing[1] / swing[0] <= 4.5, swing
    third = count // 3
    trend = np.abs(energy[-third:].mean(0) - energy[:third].mean(0))
    assert (trend <= 0.2 * swing).all(), trend / swing


def test_momentum_is_kept_to_rounding_by_the_variational_step_only():
    """Poses are known to eps * reach, so momenta to eps * reach * mass / h, in each step anew."""
    chain = tree_of((Free, Revolute, Spherical, Prismatic, Universal), 9, gravity=(0, 0, 0))
    q, qd = random_state(chain, 9)
    start, worst = momentum(chain, q, qd), {}
    for method, steps in (("variational", 20), ("RK4", 10), ("RK4", 20)):
        h = 0.2 / steps
        result = simulate(chain, q, qd, t=h * np.arange(steps + 1), method=method, step=2 * h)
        off = np.abs(momentum(chain, result.q, result.qd) - start).max()
        worst[method, steps] = off
        reach = 1 + np.abs(forward_kinematics(chain, result.q)[1]).max()
        if method == "variational":
            assert off <= steps * EPS * reach**2 * chain.mass.sum() / h
    assert worst["RK4", 20] > 100 * worst["variational", 20]
    assert 3.5 <= np.log2(worst["RK4", 10] / worst["RK4", 20]) <= 5.5


# --- what comes out ---


@pytest.mark.parametrize("method", [*FIXED, *ADAPTIVE])
def test_output_times_are_those_asked_for(method):
    t = np.array([-1.0, -0.9, -0.2, 0.0, 0.05, 1 / 3])
    step = {"step": 0.07} if method in FIXED else {}
    result = simulate(PENDULUM, **ONE, t=t, method=method, **step)
    assert (result.t == t).all() and result.reason == "" and result.error is None
    assert (result.q[0] == 1).all() and (result.qd[0] == 0).all()
    assert result.q.shape == result.qd.shape == (6, 1)
    assert result.kinetic.shape == result.potential.shape == result.energy.shape == (6,)
    assert_near(result.energy, result.kinetic + result.potential, 1)


def test_fixed_steps_are_equal_between_outputs_and_short_enough(monkeypatch):
    taken = []

    def step(driven, t, q, qd, h):
        taken.append((t, h))
        return q, qd

    monkeypatch.setattr(simulation, "semi_implicit_euler_step", step)
    t = [0, 0.3, 0.35, 0.8, 1.1]  # 1.1 - 0.8 is above 0.3, by a rounding: that takes no fourth step
    simulate(PENDULUM, **ONE, t=t, method="semi-implicit Euler", step=0.1)
    assert [round(h, 12) for _, h in taken] == [0.1] * 3 + [0.05] + [0.09] * 5 + [0.1] * 3
    assert np.allclose(np.cumsum([h for _, h in taken])[:-1], [start for start, _ in taken[1:]])


def test_adaptive_steps_are_step_at_most():
    asked = []

    def torque(t, q, qd):
        asked.append(t)
        return [0.0]

    simulate(PENDULUM, **ONE, t=[0, 1], torque=torque, step=0.01)
    assert max(np.diff(asked)) <= 0.011 and len(asked) > 1000


def test_many_output_times_cost_no_evaluations():
    """SciPy's interpolant is made once in a step."""
    count = {}
    for m in (2, 20, 2000):
        asked = []
        torque = lambda t, q, qd, asked=asked: asked.append(t) or [0.0]  # noqa: E731
        simulate(PENDULUM, **ONE, t=np.linspace(0, 1, m), torque=torque)
        count[m] = len(asked)
    assert count[2000] <= count[20] + 60 and count[2000] <= 2 * count[2]


@pytest.mark.parametrize("method", [*FIXED, "DOP853"])
def test_a_batch_is_a_loop(method):
    chain = tree_of((Free, Revolute, Spherical), 10)
    q, qd = random_state(chain, 10, batch=(2, 2))
    push = np.random.default_rng(10).normal(size=(2, 2, chain.nv))
    adaptive = method == "DOP853"
    options = {"rtol": 1e-9, "atol": 1e-9} if adaptive else {"step": 0.02}
    t = [0, 0.03, 0.1]
    whole = simulate(chain, q, qd, t=t, torque=push, method=method, **options)
    assert whole.q.shape == (3, 2, 2, chain.nq) and whole.qd.shape == (3, 2, 2, chain.nv)
    assert whole.energy.shape == (3, 2, 2)
    for k in np.ndindex(2, 2):
        one = simulate(chain, q[k], qd[k], t=t, torque=push[k], method=method, **options)
        limit = 1e-7 if adaptive else 1e-12
        assert_near(whole.q[:, *k], one.q, chain.n, limit)
        assert_near(whole.qd[:, *k], one.qd, chain.n, limit)
        assert_near(whole.energy[:, *k], one.energy, chain.n, limit)


def test_one_of_q_and_qd_may_be_a_batch_and_loads_broadcast():
    chain = pendulum(1.0, 2.0)
    many = simulate(chain, [0.1, 0.2], np.zeros((3, 2)), t=[0, 0.1], torque=np.ones((1, 2)))
    assert many.q.shape == (2, 3, 2)
    one = simulate(chain, [0.1, 0.2], [0, 0], t=[0, 0.1], torque=[1, 1])
    assert_near(many.q[:, 1], one.q, 2, 1e-12)


@pytest.mark.parametrize("method", [*FIXED, "DOP853", "Radau"])
def test_quaternions_stay_on_the_unit_sphere(method):
    chain = tree_of((Free, Spherical), 11)
    q, qd = random_state(chain, 11)
    step = {"step": 0.02} if method in FIXED else {}
    result = simulate(chain, q, 3 * qd, t=np.linspace(0, 0.4, 21), method=method, **step)
    lengths = np.linalg.norm(result.q[1:, chain.quaternions], axis=-1)
    assert np.abs(lengths - 1).max() <= 4 * EPS


@pytest.mark.parametrize("method", [*FIXED, "DOP853", "LSODA"])
def test_a_chain_of_welds_stands_still(method):
    chain = Chain([Link(Fixed(), 1, (0, 0, -1), np.eye(3))])
    step = {"step": 0.5} if method in FIXED else {}
    result = simulate(chain, [], [], t=[0, 1, 2], method=method, **step)
    assert result.q.shape == (3, 0) and (result.energy == -9.81).all()


def test_what_was_given_is_not_written():
    chain = tree_of((Free, Revolute), 12)
    q, qd = random_state(chain, 12)
    kept = q.copy(), qd.copy()
    for method in (*FIXED, "DOP853"):
        simulate(chain, q, qd, t=[0, 0.02], method=method, step=0.01)
    assert (q == kept[0]).all() and (qd == kept[1]).all()


def test_external_wrenches_are_functions_or_arrays():
    chain = tree_of((Revolute, Spherical), 13)
    q, qd = random_state(chain, 13)
    wrench = np.random.default_rng(13).normal(size=(2, 6))
    by_array = simulate(chain, q, qd, t=[0, 0.2], external=wrench)
    by_function = simulate(chain, q, qd, t=[0, 0.2], external=lambda t, q, qd: wrench)
    without = simulate(chain, q, qd, t=[0, 0.2])
    assert_near(by_array.q, by_function.q, 2)
    assert normwise(without.q, by_array.q) > 1e-4
    step = rk4_step(Driven(chain, None, wrench), 0, q, qd, 1e-6)
    assert_near((step[1] - qd) / 1e-6, aba(chain, q, qd, 0 * qd, external=wrench), 2, 1e-4)


# --- a failure leaves what was computed ---

TENTHS = np.linspace(0, 2, 21)


def after(when, what, before=0.0):
    """A torque of a pendulum that goes wrong."""
    return lambda t, q, qd: [before] if t <= when else what()


def ends_early(message, **changes):
    with pytest.warns(RuntimeWarning, match="the simulation ended early: ") as told:
        result = simulate(PENDULUM, **ONE | {"t": TENTHS} | changes)
    assert told[0].filename == __file__  # where the user called it
    assert message in result.reason, result.reason
    assert str(told[0].message).endswith(result.reason)
    return result


BROKEN = {
    "NaN": (lambda: [np.nan], "torque[0] is nan: every entry must be finite", ValueError),
    "infinite": (lambda: [np.inf], "torque[0] is inf: every entry must be finite", ValueError),
    "wrong shape": (lambda: [0.0, 0.0], "torque has shape (2,), but must have shape (..., 1)", ValueError),
    "a batch": (lambda: np.zeros((5, 1)), "torque has shape (5, 1), but must broadcast to (1,)", ValueError),
    "None": (lambda: None, "torque must hold numbers or symbols, not None", ValueError),
    "raises": (lambda: 1 / 0, "division by zero", ZeroDivisionError),
    "raises in silence": (lambda: [][1:] or (_ for _ in ()).throw(KeyError()), "KeyError()", KeyError),
    "is interrupted": (lambda: (_ for _ in ()).throw(KeyboardInterrupt), "interrupted", KeyboardInterrupt),
}  # fmt: skip


@pytest.mark.parametrize(
    ("how", "method"),
    [*((how, "RK4") for how in BROKEN), *(("NaN", method) for method in (*FIXED, "DOP853"))],
)
def test_a_torque_that_goes_wrong_leaves_the_motion_before(how, method):
    what, message, kind = BROKEN[how]
    result = ends_early(message, torque=after(1.3149, what), method=method, step=0.01)
    assert isinstance(result.error, kind)
    if kind is ValueError:
        assert "at t = 1.31" in result.reason or "at t = 1.32" in result.reason
    # all that was asked for up to there, and the last state that was reached
    assert (result.t[:14] == TENTHS[:14]).all() and len(result.t) == 15
    assert 1.3 < result.t[-1] <= 1.32
    assert f"(the last state reached is that at t = {result.t[-1]:.6g} s)" in result.reason
    good = simulate(PENDULUM, **ONE, t=result.t, method=method, step=0.01)
    assert_near(result.q, good.q, 1, 1e-8)
    assert_near(result.energy, good.energy, 1, 1e-8)


def test_failure_at_an_output_time_adds_no_state():
    result = ends_early("nan", torque=after(1.3, lambda: [np.nan]), method="RK4", step=0.1)
    assert len(result.t) == 14 and result.t[-1] == TENTHS[13]


@pytest.mark.parametrize("method", ["RK4", "DOP853"])
def test_an_external_wrench_that_goes_wrong_says_when(method):
    bad = np.zeros((1, 6))
    bad[0, 4] = np.nan
    result = ends_early(
        "external[0, 4] is nan: every entry must be finite",
        external=lambda t, q, qd: bad if t > 0.5 else np.zeros((1, 6)),
        method=method,
        step=0.01,
    )
    assert "at t = 0.50" in result.reason and 0.49 <= result.t[-1] <= 0.5


def test_an_event_that_goes_wrong_says_when():
    result = ends_early(
        "until has shape (1,), but must be one number",
        until=lambda t, q, qd: 1.0 if t < 0.5 else q,
        method="RK4",
        step=0.01,
    )
    assert "at t = 0.5 s" in result.reason and result.t[-1] == pytest.approx(0.49)


def test_a_state_that_is_no_longer_finite_is_not_kept():
    """Kicked so hard that a step overflows: what is left is what was finite."""
    result = ends_early(
        "the state is no longer finite: shorter steps may help",
        torque=after(5, lambda: [1.7e308], 0.0),
        method="semi-implicit Euler",
        step=9,
        t=[0, 9, 18],
    )
    assert isinstance(result.error, ArithmeticError)
    assert np.isfinite(result.q).all() and np.isfinite(result.qd).all()
    assert result.t[-1] == 9


def test_steps_too_long_for_a_stiff_spring_blow_up_and_say_so():
    result = ends_early("at t = ", torque=lambda t, q, qd: -1e8 * q**3, method="RK4", step=0.1)
    assert np.isfinite(result.q).all() and 0 < len(result.t) < 21


def test_an_adaptive_method_that_gives_up_says_so():
    """Velocity that feeds on itself is infinite after a finite time."""
    result = ends_early("Required step size", torque=lambda t, q, qd: 10 * qd**3, qd=[1.0])
    assert isinstance(result.error, ArithmeticError) and 0.01 < result.t[-1] < 0.1


def with_masses_of(kind: Any) -> Chain:
    """Two pendulums whose parameters are numbers of a kind."""
    numbers = np.array([[kind(x) for x in row] for row in np.diag([2, 2, 2]).tolist()])
    link = Link(Revolute((0, 1, 0)), kind(2), [kind(0), kind(0), kind(-2)], numbers)
    return Chain([link, link])


@pytest.mark.parametrize("method", [*FIXED, *ADAPTIVE])
def test_exact_masses_and_long_doubles_give_the_motion_that_floats_give(method):
    given: dict[str, Any] = {"t": [0, 0.05, 0.1], "method": method}
    given |= {} if method in ADAPTIVE else {"step": 0.02}
    kinds = (float, Fraction, np.longdouble)
    motions = [simulate(with_masses_of(k), q=[0.3, 0.1], qd=[1, 0], **given) for k in kinds]
    for own in motions:
        assert own.reason == "" and own.t[-1] == 0.1
        assert_near(own.q.astype(float), motions[0].q, 2, 1e-9 if method in ADAPTIVE else 1e-14)


def test_symbolic_masses_are_refused_at_once():
    sp = pytest.importorskip("sympy")
    for run, more in ((simulate, {"method": "RK4"}), (simulate_contact, {"geometries": []})):
        with pytest.raises(ValueError, match="must hold real numbers"):
            run(
                with_masses_of(lambda x: x + sp.Symbol("m")),
                q=[0, 0],
                qd=[0, 0],
                t=[0, 1],
                step=0.1,
                **more,
            )


BY_STEPS = {"step": 0.01}
EVERY_METHOD = [
    *[(m, BY_STEPS) for m in ("RK4", "semi-implicit Euler")],
    *[(m, BY_STEPS | {"constraints": Coupling({0: 1, 1: -1}), "stabilisation": "projection"})
      for m in ("RK4", "DOP853")],
    *[(m, {"rtol": 1e-3}) for m in ADAPTIVE],
]  # fmt: skip
SLIDE = Prismatic((1, 0, 0))


def slides(count: int, mass: float) -> Chain:
    """Slides on the ground, side by side."""
    return Chain([Link(SLIDE, mass, (0, 0, 0), np.eye(3), parent="ground")] * count)


@pytest.mark.parametrize(("method", "options"), EVERY_METHOD)
def test_what_grows_faster_than_light_ends_with_a_reason(method, options):
    """A push that grows with the speed, e^(200 t): rates are finite for 3 s, but no motion of bodies for 0.1 s."""
    chain, given = slides(2, 1.0), {"t": np.linspace(0, 3, 4), "progress": False} | options
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        motion = simulate(
            chain, [0, 0], [1, 1], torque=lambda t, q, qd: 200 * qd, method=method, **given
        )
    assert "faster than light" in motion.reason and isinstance(motion.error, ArithmeticError)
    assert 0.05 < motion.t[-1] < 0.25 and motion.qd[-1].max() <= 299792458
    assert len(told) == 1  # and none of NumPy's


def test_a_variational_motion_that_runs_away_says_so():
    """Its equations have no solution before it is as fast as that, or it is as fast."""
    given: dict[str, Any] = {"t": [0, 9], "method": "variational", "step": 0.01}
    with pytest.warns(RuntimeWarning, match="ended early"):
        motion = simulate(slides(1, 1.0), [0], [1], torque=lambda t, q, qd: 90 * qd, **given)
    assert "faster than light" in motion.reason or "does not converge" in motion.reason
    assert np.abs(motion.qd).max() <= 299792458


@pytest.mark.parametrize("method", ["steps", "events"])
def test_contact_too_ends_what_grows_faster_than_light(method):
    given: dict[str, Any] = {"t": [0, 3], "step": 0.01, "torque": lambda t, q, qd: 200 * qd}
    with pytest.warns(RuntimeWarning, match="ended early: the chain is faster than light"):
        motion = simulate_contact(slides(1, 1.0), [], [0], [1], method=method, **given)
    assert 0.05 < motion.t[-1] < 0.25 and motion.qd[-1, 0] <= 299792458


def test_what_is_fast_but_slower_than_light_goes_on():
    """A grain of dust that spins at 1e10 rad/s, a fall for a year, a huge push for a moment; units do not matter."""
    dust = Chain([Link(Spherical(), 1e-18, (0, 0, 0), 1e-33 * np.eye(3))])
    spun = simulate(dust, [1, 0, 0, 0], [0, 0, 1e10], t=[0, 1e-9], method="RK4", step=1e-11)
    assert spun.reason == "" and spun.qd[-1, 2] == pytest.approx(1e10)
    fall = Chain([Link(Prismatic((0, 0, -1)), 1, (0, 0, 0), np.eye(3))])
    fallen = simulate(fall, [0], [0], t=[0, 3e7], method="semi-implicit Euler", step=1e6)
    assert fallen.reason == "" and fallen.qd[-1, 0] == pytest.approx(9.81 * 3e7)
    fallen = simulate(fall, [0], [0], t=[0, 3.2e7], progress=False)
    assert "faster than light" in fallen.reason


@pytest.mark.parametrize("method", [*FIXED, *ADAPTIVE])
@pytest.mark.parametrize("how", ["error", "raise"])
def test_small_numbers_end_no_simulation_where_warnings_are_errors(method, how):
    """An underflow, or an overflow that does no harm, is no reason: the motion is what it is elsewhere."""
    given: dict[str, Any] = {"t": [0, 0.1], "method": method, "progress": False}
    given |= {"step": 0.01} if method in FIXED else {}

    def torque(t, q, qd):
        return 1e-300 * qd * np.exp(-1e9 * q * q) / np.float64(1e300) ** 2

    expected = simulate(PENDULUM, [1.0], [0.3], torque=torque, **given)
    with warnings.catch_warnings(), np.errstate(all="raise" if how == "raise" else "warn"):
        warnings.simplefilter("error")
        motion = simulate(PENDULUM, [1.0], [0.3], torque=torque, **given)
    assert motion.reason == "" and (motion.q == expected.q).all()


@pytest.mark.parametrize("method", [*FIXED, *ADAPTIVE])
def test_a_motion_that_blows_up_has_one_reason_however_numpy_warns(method):
    given: dict[str, Any] = {"t": [0, 1], "method": method, "progress": False}
    given |= {"step": 0.01} if method in FIXED else {"rtol": 1e-3}
    reasons = set()
    for how in ("ignore", "warn", "raise"):
        with pytest.warns(RuntimeWarning, match="ended early"), np.errstate(all=how):
            motion = simulate(PENDULUM, [1.0], [1.0], torque=lambda t, q, qd: 1e3 * qd, **given)
        reasons.add(motion.reason)
    assert len(reasons) == 1 and "encountered" not in reasons.pop()


@pytest.mark.parametrize("what", ["NaN", "raises", "is interrupted"])
def test_a_step_stands_although_what_is_inside_it_cannot_be_had(what):
    """DOP853's polynomial asks for three more forces after the step: where one fails, the step's end is kept."""
    options, asked = {"step": 0.3, "rtol": 1e-6}, []

    def torque(t, q, qd):
        asked.append(t)
        return [0.0]

    simulate(PENDULUM, **ONE, t=[0, 2], torque=torque, **options)
    for_steps = set(asked)
    simulate(PENDULUM, **ONE, t=TENTHS, torque=torque, **options)
    bad = min(
        t for t in set(asked) - for_steps if t > 0.6
    )  # the first within a step for which only looking asks

    def failing(t, q, qd):
        return BROKEN[what][0]() if t == bad else [0.0]

    flat = Driven(PENDULUM), np.array([1.0]), np.zeros(1), np.array([0, 2.0])
    steps = marching.adaptive_steps(
        *flat, "DOP853", max_step=options["step"], rtol=options["rtol"], atol=1e-10
    )
    (broken,) = [step for step in steps if step.start < bad < step.end]
    result = ends_early(BROKEN[what][1], torque=failing, **options)
    assert result.t[-1] == broken.end
    inside = TENTHS[TENTHS <= broken.start]
    assert (result.t[:-1] == inside).all()
    good = simulate(PENDULUM, **ONE, t=[0, broken.end], **options)
    assert_near(result.q[-1], good.q[-1], 1, 1e-6)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_every_step_that_an_adaptive_method_has_made_is_kept(method):
    """The torque fails from a time on: the last state is the end of the last step before."""
    result = ends_early(
        "nan", torque=after(1.3149, lambda: [np.nan]), method=method, t=[0, 2], rtol=1e-5
    )
    flat = np.array([1.0]), np.zeros(1), np.array([0, 2.0])
    driven = Driven(PENDULUM, after(1.3149, lambda: [np.nan]))
    ends = [0.0]
    with pytest.raises(ValueError, match="nan"):
        for step in marching.adaptive_steps(driven, *flat, method, rtol=1e-5, atol=1e-10):
            ends.append(step.end)
    assert result.t[-1] == ends[-1] > 0.1


def test_a_joint_that_comes_to_feel_no_inertia_is_named():
    """Two hinges of a massless gimbal line up at 0.5 s."""
    nothing = 0.0, (0, 0, 0), np.zeros((3, 3))
    chain = Chain(
        [
            Link(Revolute((0, 0, 1)), *nothing, name="ring"),
            Link(Revolute((1, 0, 0)), *nothing),
            Link(Revolute((0, 0, 1)), 1.0, (0, 0, 0), np.diag([1.0, 1.0, 1.0])),
        ],
        gravity=(0, 0, 0),
    )
    with pytest.warns(RuntimeWarning, match="ended early"), np.errstate(all="ignore"):
        result = simulate(
            chain, [0, -0.5, 0], [0, 1.0, 0], t=np.linspace(0, 1, 11), method="RK4", step=0.1
        )
    assert "M is singular: the joint of link 'ring'" in result.reason
    assert 0.3 <= result.t[-1] <= 0.5 and np.isfinite(result.q).all()


def test_a_variational_step_too_long_says_so():
    message = "does not converge: a shorter one would"
    result = ends_early(message, method="variational", step=3, t=[0, 30], qd=[3.0])
    assert isinstance(result.error, ArithmeticError)
    assert "variational step of 3 s" in result.reason and len(result.t) == 1


ROOT = Path(__file__).resolve().parents[1]
LONG = """
import signal, sys, warnings
import numpy as np
from chaindyn import Chain, Link, Revolute, simulate
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background
axes = ((0, 1, 0), (1, 0, 0))
rod = [Link(Revolute(axes[i % 2]), 1, (0, 0, -0.1), np.diag([0.004, 0.004, 0.001]), offset=(0, 0, -0.2))
       for i in range(50)]
chain = Chain(rod)
warnings.simplefilter("ignore")
t = np.linspace(0, 10, 100001)
result = simulate(chain, np.full(50, 0.1), np.zeros(50), t=t)
print(len(result.t), len(result.q), len(result.energy), result.t[-1], np.isfinite(result.q).all(), result.reason)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_fifty_links_show_progress_and_an_interruption_loses_nothing():
    import signal

    with subprocess.Popen(
        [sys.executable, "-u", "-c", LONG],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        late = threading.Timer(60, process.kill)
        late.start()
        shown = ""
        while "to go" not in shown:
            piece = process.stderr.read(1)
            assert piece, shown
            shown += piece
        process.send_signal(signal.SIGINT)
        out, rest = process.communicate()
        late.cancel()
    assert "simulated" in shown and "of 10 s, about " in shown
    assert process.returncode == 0, rest
    count, states, energies, last, finite, reason = out.split(maxsplit=5)
    assert int(count) == int(states) == int(energies) > 10 and finite == "True"
    assert reason.startswith("interrupted (the last state reached is that at t = ")
    simulated = float(shown.split("simulated ")[1].split()[0])
    assert 0.99 * simulated <= float(last) < 10 and int(count) >= 9000 * simulated


# --- and survives what goes wrong around it ---


def clock(pace):
    """A clock on which every look takes as long."""
    now = [0.0]

    def monotonic():
        now[0] += pace
        return now[0]

    return SimpleNamespace(monotonic=monotonic)


def test_energies_that_do_not_fit_cost_no_simulation(monkeypatch):
    def greedy(chain, q, qd):
        raise MemoryError("Unable to allocate 1. PiB")

    result = simulate(PENDULUM, **ONE, t=TENTHS)
    assert len(result.q) == 21 and result.reason == ""
    laws = (greedy, simulation.potential_energy)
    monkeypatch.setattr(simulation.Simulation, "laws_of_energy", laws)
    with pytest.raises(MemoryError):
        result.energy  # noqa: B018
    monkeypatch.undo()
    assert_near(result.energy, result.kinetic + result.potential, 1)
    assert result.kinetic is result.kinetic


def test_energies_are_those_of_each_state_and_need_little_room():
    """5000 states of 20 rods have 29 MB of 6 x 6 matrices, of which a sweep keeps several."""
    chain = Chain([Link(Revolute((0, 1, 0)), 1, (0, 0, -0.5), np.eye(3), offset=(0, 0, -1))] * 20)
    q, qd = np.random.default_rng(0).normal(size=(2, 5000, 20))
    motion = simulation.Simulation(chain, np.arange(5000.0), q, qd)
    tracemalloc.start()
    try:
        energy = motion.energy
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 20e6 and energy.shape == (5000,)
    some = [0, 499, 500, 501, 4999]
    expected = kinetic_energy(chain, q[some], qd[some]) + potential_energy(chain, q[some])
    assert_near(energy[some], expected, 20)


def test_where_warnings_are_errors_the_error_has_the_simulation():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match=r"ended early: at t = .*nan") as told:
            torque = after(1.3149, lambda: [np.nan])
            simulate(PENDULUM, **ONE, t=TENTHS, torque=torque, method="RK4", step=0.01)
    result = told.value.simulation
    assert len(result.t) == 15 and isinstance(result.error, ValueError)
    assert "this exception's attribute `simulation`" in told.value.__notes__[0]


CLOSED = """
import sys
import numpy as np
import chaindyn.jobs.marching as marching
from chaindyn import Chain, Link, Revolute, simulate
now = [0.0]
def monotonic():
    now[0] += 1.0
    return now[0]
marching.time = type("clock", (), {"monotonic": staticmethod(monotonic)})
rod = Chain([Link(Revolute((0, 1, 0)), 1, (0, 0, -1), np.eye(3))])
CLOSE
for bad in (9.0, 1.05):
    result = simulate(rod, [1.0], [0.0], t=np.linspace(0, 2, 21), method="RK4", step=0.1,
                      torque=lambda t, q, qd: [np.nan if t > bad else 0.0])
    print(len(result.t), "nan" in result.reason)
"""


@pytest.mark.parametrize("close", ["sys.stderr.close()", "sys.stderr = None"])
def test_a_closed_standard_error_costs_no_simulation(close):
    """Neither telling how far it is nor warning that it ended early."""
    done = subprocess.run(
        [sys.executable, "-c", CLOSED.replace("CLOSE", close)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.split() == ["21", "False", "11", "True"], done


def test_a_grid_of_short_steps_is_not_made_before_the_first():
    """A hundred nanoseconds over a second: ten million steps, of which three are taken."""
    taken = []

    def torque(t, q, qd):
        taken.append(t)
        if len(taken) > 4:
            raise KeyboardInterrupt
        return [0.0]

    tracemalloc.start()
    try:
        options = {"t": [0, 1], "method": "semi-implicit Euler", "step": 1e-7}
        result = ends_early("interrupted", torque=torque, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 2e6  # a grid of ten million times would be 80 MB
    assert result.t[-1] == pytest.approx(3e-7, rel=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"progress": False},
        {"progress": True},
        {"progress": False, "until": lambda t, q, qd: q[0] - 0.83},
    ],
    ids=["plain", "progress", "until"],
)
def test_an_interruption_at_any_line_loses_nothing(monkeypatch, request, options):
    """Ctrl-C before each line that the modules run, one after another, until there are no more."""

    def step(driven, t, q, qd, h):
        return q - h, qd

    monkeypatch.setattr(simulation, "semi_implicit_euler_step", step)
    monkeypatch.setattr(marching, "time", clock(1.0))
    monkeypatch.setattr(sys, "stderr", io.StringIO())

    def run():
        method = {"method": "semi-implicit Euler", "step": 0.05}
        return simulate(PENDULUM, **ONE, t=[0, 0.1, 0.2, 0.25], **method, **options)

    whole, counts, kept = run(), [], []  # kept: nothing of an earlier run ends in a later one
    tracing = sys.gettrace()
    gc.collect()
    gc.disable()
    request.addfinalizer(gc.enable)
    while len(counts) < 10_000:
        lines = [len(counts)]

        def tracer(frame, event, _, lines=lines):
            if frame.f_code.co_filename not in (simulation.__file__, marching.__file__):
                return None
            if event == "line":
                lines[0] -= 1
                if lines[0] < 0:
                    lines[0] = 10**9
                    raise KeyboardInterrupt
            return tracer

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sys.settrace(tracer)
            try:
                result = run()
            except KeyboardInterrupt:
                result = None
            finally:
                sys.settrace(tracing)
        if result is not None:
            known = min(len(result.t), len(whole.t))
            assert_near(result.q[: known - 1], whole.q[: known - 1], 1)
            reached = result.t[-1]
        counts.append(-1.0 if result is None else reached)
        kept.append(result)
        if lines[0] < 10**8:  # it ran to its end
            break
    assert lines[0] >= 0 and result.reason == whole.reason and result.error is None
    assert counts == sorted(counts)  # what was reached once is never lost
    start = counts.index(0.0)  # before the first step there was nothing to lose
    assert set(counts[:start]) == {-1.0} and counts.count(counts[-1]) > 5
    assert len(counts) > 50


# --- events within a step ---


@pytest.mark.parametrize("method", ["DOP853", "RK45", "Radau", "BDF", "LSODA"])
@pytest.mark.parametrize("speed", [10.0, 12.0, 14.0])
def test_an_event_that_begins_and_ends_within_a_step_is_found(speed, method):
    """A ball thrown up is above a height near its peak for 0.2 s, in steps of seconds."""
    ball = Chain([Link(Prismatic((0, 0, 1)), 1.0, (0, 0, 0), np.eye(3))])
    high = speed**2 / (2 * 9.81) - 9.81 / 2 * 0.1**2
    for end in (2.5, 4.0):
        until = lambda t, q, qd: high - q[0]  # noqa: E731
        result = simulate(ball, [0], [speed], t=[0, end], until=until, method=method)
        assert abs(result.t[-1] - (speed / 9.81 - 0.1)) <= 1e-5, result.t
        assert abs(result.q[-1, 0] - high) <= 1e-5


def test_a_flight_that_starts_and_ends_on_the_floor_within_a_step_is_found():
    """It rises from zero first: only the fall is an event."""
    ball = Chain([Link(Prismatic((0, 0, 1)), 1.0, (0, 0, 0), np.eye(3))])
    for start in (0.0, -1e-9):
        result = simulate(ball, [start], [10], t=[0, 30], until=lambda t, q, qd: q[0])
        assert abs(result.t[-1] - 20 / 9.81) <= 1e-8


@pytest.mark.parametrize("method", FIXED)
def test_a_fixed_step_is_looked_at_in_its_middle_and_where_the_parabola_turns(method):
    """The dip is a twentieth of a step wide, and does not hold the middle."""
    until = lambda t, q, qd: (t - 0.063) ** 2 - 0.0025**2  # noqa: E731
    result = simulate(PENDULUM, **ONE, t=[0, 0.1, 0.2], until=until, method=method, step=0.1)
    assert abs(result.t[-1] - 0.0605) <= 1e-12 and len(result.t) == 2


def step_of(height, start=0.0, end=1.0, looks=8):
    """A step in whose course `height` is the state, and how often it was looked at."""
    looked = []
    step = marching.Step(start, end, lambda t: looked.append(t) or (np.array([t]),) * 2, looks)
    return marching.crossing(lambda t, q, qd: height(t), step), looked


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_the_first_fall_is_found_in_any_unit(scale, offset):
    """Three falls in one step: of a polynomial of degree 7 every extremum is seen."""
    roots = np.array([0.11, 0.13, 0.5, 0.501, 0.7, 0.9, 0.95]) * 1e-2
    found, looked = step_of(lambda t: -scale * np.prod(t - offset - roots), offset, offset + 1e-2)
    slack = 1e-12 + 8 * EPS * offset
    assert abs(found - offset - roots[0]) <= slack
    assert min(looked) == offset and max(looked) == offset + 1e-2
    found, _ = step_of(lambda t: scale * np.prod(t - offset - roots), offset, offset + 1e-2)
    assert abs(found - offset - roots[1]) <= slack


def test_what_does_not_fall_through_zero_is_no_event():
    for height in (
        lambda t: 1.0,
        lambda t: 0.0,
        lambda t: -1.0,
        lambda t: t,
        lambda t: t - 2,
        lambda t: (t - 0.3) ** 2 + 1e-9,
        lambda t: -((t - 0.3) ** 2) - 1e-9,
        lambda t: -1.0 + 1.5 * t,
    ):
        assert step_of(height)[0] is None
    assert step_of(lambda t: 1.0 - t)[0] == 1.0  # zero at the end counts
    assert step_of(lambda t: -t)[0] is None  # and at the start was counted before


def test_looking_for_events_costs_a_third_of_the_evaluations_at_most():
    """SciPy's interpolant costs three evaluations in a step of twelve; looking at it costs none."""
    count = {}
    for until in (None, lambda t, q, qd: 1.0):
        asked = []
        torque = lambda t, q, qd, asked=asked: asked.append(t) or [0.0]  # noqa: E731
        simulate(PENDULUM, **ONE, t=[0, 5], torque=torque, until=until)
        count[until is None] = len(asked)
    assert count[False] <= 4 / 3 * count[True]


# --- functions of the user ---


@pytest.mark.parametrize("method", [*FIXED, "DOP853", "LSODA"])
@pytest.mark.parametrize("name", ["torque", "external", "until"])
@pytest.mark.parametrize("which", ["q", "qd"])
def test_functions_of_the_user_cannot_write_into_the_states(name, which, method):
    value = {"torque": [0.0], "external": np.zeros((1, 6)), "until": 1.0}[name]

    def meddle(t, q, qd):
        if t > 0.005:
            (q if which == "q" else qd)[:] = 7
        return value

    with pytest.warns(RuntimeWarning, match="ended early: .*read-only"):
        result = simulate(PENDULUM, **ONE, t=[0, 0.02], method=method, step=0.01, **{name: meddle})
    assert result.q[-1, 0] <= 1 and isinstance(result.error, ValueError)
    with pytest.raises(ValueError, match="read-only"):  # at once where it is tried at once
        simulate(PENDULUM, **ONE, t=[0.02, 1], method=method, step=0.01, **{name: meddle})


@pytest.mark.parametrize("method", [*FIXED, *ADAPTIVE])
def test_states_that_a_function_of_the_user_keeps_stay_as_they_were(method):
    """No method hands out an array in which it goes on to compute."""
    kept = []

    def torque(t, q, qd):
        kept.append((q, qd, q.copy(), qd.copy()))
        return [0.0]

    simulate(PENDULUM, **ONE, t=[0, 0.3], torque=torque, method=method, step=0.05)
    assert len(kept) > 5
    assert all((q == q0).all() and (qd == qd0).all() for q, qd, q0, qd0 in kept)


@pytest.mark.parametrize("method", ["RK4", "DOP853"])
@pytest.mark.parametrize("one", [1j, 1 + 0j, np.complex64(1)])
def test_complex_forces_are_refused(one, method):
    options = {"t": [0, 1], "method": method, "step": 0.1}
    arrays = {"torque": [one], "external": np.full((1, 6), one)}
    for name, load in arrays.items():
        for bad in (load, np.array(load, dtype=object)):
            with pytest.raises(ValueError, match=f"^{name} is .*j.*, but must hold real numbers"):
                simulate(PENDULUM, **ONE, **options, **{name: bad})
            with pytest.raises(
                ValueError, match=f"at t = 0 s: {name} is .*j.*, but must hold real"
            ):
                simulate(PENDULUM, **ONE, **options, **{name: lambda t, q, qd, bad=bad: bad})
    with pytest.raises(ValueError, match=r"at t = 0 s: until is .*j.*, but must hold real"):
        simulate(PENDULUM, **ONE, **options, until=lambda t, q, qd: one)
    torque = after(0.5, lambda: [one])
    result = ends_early("must hold real numbers", torque=torque, method=method, step=0.1)
    assert 0.3 <= result.t[-1] <= 0.5


def test_steps_take_complex_and_symbolic_forces_where_states_are():
    """What `simulate` refuses the steps take: complex states, for derivatives, and symbols."""
    sp = pytest.importorskip("sympy")
    driven = Driven(PENDULUM, lambda t, q, qd: -0.3 * qd)
    q, qd = np.array([0.7]), np.array([0.2 + 1j * STEP])
    slope = rk4_step(driven, 0.0, q + 0j, qd, 0.1)[0][0].imag / STEP
    far = [rk4_step(driven, 0.0, q, np.array([0.2 + d]), 0.1)[0][0] for d in (1e-5, -1e-5)]
    assert abs(slope - (far[0] - far[1]) / 2e-5) <= 1e-9
    k = sp.Symbol("k")
    new = semi_implicit_euler_step(Driven(PENDULUM, lambda t, q, qd: -k * q), 0.0, q, qd.real, 0.1)
    assert new[1][0].has(k)


# --- progress ---


def test_a_long_simulation_says_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr(marching, "time", clock(1.0))
    simulate(PENDULUM, **ONE, t=[1, 3], method="RK4", step=0.2)
    out, err = capsys.readouterr()
    lines = err.split("\r")
    # one look at the start, one after each of ten steps; silent for three seconds
    assert out == "" and len(lines) == 1 + 7 and err.endswith("\n")
    assert "simulated 0.8 of 2 s, about 6 s to go" in lines[1]
    assert "simulated 2 of 2 s, about 0 s to go" in lines[-1]


def test_what_only_the_start_takes_is_not_expected_again():
    pace = Pace(0.0, 0.0)
    for k in range(1, 101):  # sixty seconds until the first step, then one a second
        pace.note(59.0 + k, float(k))
        if k >= 2:
            assert abs(pace.left(59.0 + k, k, 100.0) - (100 - k)) < 1e-9, k
        assert pace.is_known == (k > 1)
    slow = Pace(0.0, 0.0)
    for k in range(1, 101):  # each step takes longer than the one before: k seconds
        slow.note(k * (k + 1) / 2, float(k))
    assert 74 * 100 < slow.left(5050.0, 100.0, 200.0) < 76 * 100  # by the pace of the later half


def test_progress_is_told_twice_a_second_at_most(monkeypatch, capsys):
    monkeypatch.setattr(marching, "time", clock(0.1))
    simulate(PENDULUM, **ONE, t=[0, 10], method="semi-implicit Euler", step=0.1)
    lines = capsys.readouterr().err.split("\r")[1:]
    assert 10 <= len(lines) <= 14


def test_progress_is_silent_when_short_or_when_told_to_be(monkeypatch, capsys):
    simulate(PENDULUM, **ONE, t=[0, 1])
    monkeypatch.setattr(marching, "time", clock(1.0))
    simulate(PENDULUM, **ONE, t=[0, 3], method="RK4", step=0.2, progress=False)
    assert capsys.readouterr() == ("", "")


def test_the_line_of_progress_ends_when_the_simulation_fails(monkeypatch, capsys):
    monkeypatch.setattr(marching, "time", clock(1.0))
    ends_early("nan", torque=after(1.3, lambda: [np.nan]), method="RK4", step=0.1)
    assert capsys.readouterr().err.endswith("to go \n")


# --- what is refused ---


def nothing(t, q, qd):
    return [0.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"t": [0, 1, 1]}, r"t must increase, but t\[1\] is 1\.0 and t\[2\] is 1\.0"),
        ({"t": [0, 2, 1, 0]}, r"t must increase, but t\[1\] is 2\.0 and t\[2\] is 1\.0"),
        ({"t": [1.0]}, r"t has shape \(1,\), but must be \(m,\): a start, and one or more times"),
        ({"t": 3.0}, r"t has shape \(\), but must be \(m,\)"),
        ({"t": []}, r"t has shape \(0,\), but must be \(m,\)"),
        ({"t": [[0, 1], [2, 3]]}, r"t has shape \(2, 2\), but must be \(m,\)"),
        ({"t": [0, np.nan]}, r"t\[1\] is nan: every entry must be finite"),
        ({"t": [0, np.inf]}, r"t\[1\] is inf: every entry must be finite"),
        ({"t": [0, 1j]}, "t is .*1.j.*, but must hold real numbers"),
        ({"t": "soon"}, "t must hold numbers or symbols, not 'soon'"),
        ({"method": "rk4"}, r"method is 'rk4', but must be one of \['RK4', 'semi-implicit Euler', 'varia"),
        ({"method": ["RK4"]}, r"method is \['RK4'\], but must be one of .*'DOP853'"),
        ({"method": "RK4"}, r"'RK4' takes equal steps: `step` must say how long \[s\]"),
        ({"method": "variational"}, "'variational' takes equal steps"),
        ({"method": "RK4", "step": 0}, "step is 0.0, but must be positive"),
        ({"method": "RK4", "step": -0.1}, "step is -0.1, but must be positive"),
        ({"step": -0.1}, "step is -0.1, but must be positive"),
        ({"step": np.nan}, "step is nan: every entry must be finite"),
        ({"step": [0.1, 0.1]}, r"step has shape \(2,\), but must be one number"),
        ({"step": "short"}, "step must hold numbers"),
        ({"step": 1e-17}, r"step is 1e-17 s, but near t = 1 s times are 2\.2e-16 s apart"),
        ({"step": 1e-12, "t": [-1e6, 0]}, r"step is 1e-12 s, but near t = 1e\+06 s times are 1\.2e-10 s"),
        ({"step": 5e-324, "method": "RK4"}, "step is .* s, but near t = 1 s"),
        ({"step": 1j}, "step is .*1.j.*, but must hold real numbers"),
        ({"rtol": -1}, "rtol is -1.0, but must be positive"),
        ({"atol": np.nan}, "atol is nan: every entry must be finite"),
        ({"atol": [1e-3, 1e-3]}, r"atol has shape \(2,\), but must be one number"),
        ({"torque": [0, 0]}, r"torque has shape \(2,\), but must have shape \(\.\.\., 1\)"),
        ({"torque": np.zeros((5, 1))}, r"torque has shape \(5, 1\), but must broadcast to \(1,\)"),
        ({"torque": np.ones((3, 1)), "q": np.ones((2, 1))}, r"torque has shape \(3, 1\), but .* to \(2, 1\)"),
        ({"torque": [np.nan]}, r"torque\[0\] is nan: every entry must be finite"),
        ({"torque": "hard"}, "torque must hold numbers or symbols, not 'hard'"),
        ({"external": np.zeros(6)}, r"external has shape \(6,\), but must have shape \(\.\.\., 1, 6\)"),
        ({"external": np.zeros((4, 1, 6))}, r"external has shape \(4, 1, 6\), but must broadcast to \(1, 6\)"),
        ({"external": np.full((1, 6), np.inf)}, r"external\[0, 0\] is inf"),
        ({"torque": lambda t, q, qd: 0.0}, r"at t = 0\.5 s: torque has shape \(\), but must have shape \(\.\.\., 1\)"),
        ({"torque": lambda t, q, qd: [np.nan]}, r"at t = 0\.5 s: torque\[0\] is nan: every entry must be finite"),
        ({"external": lambda t, q, qd: np.zeros((2, 6))}, r"at t = 0\.5 s: external has shape \(2, 6\), but must"),
        ({"until": lambda t, q, qd: q}, r"at t = 0\.5 s: until has shape \(1,\), but must be one number"),
        ({"until": lambda t, q, qd: np.nan}, r"at t = 0\.5 s: until is nan: every entry must be finite"),
        ({"until": lambda t, q, qd: True}, r"at t = 0\.5 s: until must hold numbers"),
        ({"until": 3}, r"until is 3, but must be a function of \(t, q, qd\)"),
        ({"q": [0.0, 0.0]}, r"q has shape \(2,\), but must have shape \(\.\.\., 1\): this chain has nq = 1"),
        ({"qd": [np.nan]}, r"qd\[0\] \(link 'link0'\) is nan"),
        ({"q": [1j]}, "q is .*1.j.*, but must hold real numbers"),
        ({"q": np.ones((2, 1)), "qd": np.ones((3, 1))}, "batch axes of .* cannot be broadcast"),
        ({"chain": "pendulum"}, "chain must be a Chain"),
    ],
)  # fmt: skip
def test_bad_input_is_told(change, message):
    good = {"chain": PENDULUM, **ONE, "t": [0.5, 1.0]}
    with pytest.raises(ValueError, match=message):
        simulate(**good | change)


def test_symbols_are_not_simulated():
    sp = pytest.importorskip("sympy")
    a = sp.Symbol("a")
    for change in ({"q": np.array([a])}, {"t": np.array([0, a])}, {"step": a}):
        with pytest.raises(ValueError, match=r"a.*, but must hold real numbers"):
            simulate(**{"chain": PENDULUM, **ONE, "t": [0, 1]} | change)


def test_a_quaternion_off_the_unit_sphere_is_refused():
    chain = Chain([Link(Free(), 1, (0, 0, 0), np.eye(3), name="drone")])
    with pytest.raises(ValueError, match=r"the quaternion of link 'drone'.* has length 2"):
        simulate(chain, [0, 0, 0, 2, 0, 0, 0], np.zeros(6), t=[0, 1])


def test_singular_at_the_start_is_told_at_the_start():
    chain = Chain([Link(Revolute(), 0.0, (0, 0, 0), np.zeros((3, 3)), name="tip")])
    for method in (*FIXED, "DOP853"):
        with pytest.raises(ValueError, match="M is singular: the joint of link 'tip'"):
            simulate(chain, [0], [0], t=[0, 1], method=method, step=0.1)


def test_what_a_torque_function_calls_is_checked_again():
    def controller(t, q, qd):
        desired = {"q_desired": 0 * q, "qd_desired": 0 * qd, "qdd_desired": 0 * qd}
        return computed_torque(PENDULUM, q, qd, **desired, kp=4, kd=1 if t < 1.3 else -1)

    result = ends_early("kd is -1, but must be positive", torque=controller, method="RK4", step=0.1)
    assert result.t[-1] == TENTHS[12]
    with pytest.raises(ValueError, match="kd is -1, but must be positive"):
        simulate(PENDULUM, **ONE, t=[2, 3], torque=controller)
    wrong = lambda t, q, qd: crba(PENDULUM, np.zeros(2))[0]  # noqa: E731
    with pytest.raises(ValueError, match=r"q has shape \(2,\)"):
        simulate(PENDULUM, **ONE, t=[0, 1], external=wrong)
    # and afterwards the door is as it was
    with pytest.raises(ValueError, match="qd has shape"):
        kinetic_energy(PENDULUM, [0], [0, 0])


def test_points_of_momentum_are_checked():
    with pytest.raises(ValueError, match=r"point has shape \(2,\), but must have shape \(\.\.\., 3\)"):  # fmt: skip
        momentum(PENDULUM, [0], [0], point=(0, 0))


@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_a_coordinate_that_no_force_depends_on_is_not_sent_to_infinity(method):
    """A free wheel beside a stiff oscillator, for which a solver forms its derivatives anew many times.

    For the wheel's angle SciPy takes differences ten times larger each time: after three hundred times they overflow.
    """
    wheels = Chain([Link(Revolute(), 1, (0, 0, 0), np.eye(3), parent="ground") for _ in range(2)])
    farthest = 0.0

    def torque(t, q, qd):
        nonlocal farthest
        farthest = max(farthest, abs(q[0]))
        return np.array([0.0, 300 * (1 - q[1] ** 2) * qd[1] - q[1] * 300**2])

    start = np.array([0, 2.0]), np.array([1.0, 0])
    options = {"torque": torque, "method": method, "rtol": 1e-5, "atol": 1e-7, "progress": False}
    motion = simulate(wheels, *start, t=[0, 0.03], **options)
    assert motion.q[-1, 0] == pytest.approx(0.03)
    assert farthest < 20


def test_five_rods_end_where_two_computations_say():
    """The answer of chapter 11: by `aba`, and by Lagrange's equations in the plane, through ten seconds."""
    thin = np.diag([1 / 12, 1 / 12, 0])
    top, rod = (
        Link(Revolute((0, -1, 0)), 1.0, (0, 0, -0.5), thin, offset=(0, 0, offset))
        for offset in (0, -1)
    )
    fast = compiled(aba, Chain([top] + [rod] * 4))  # as it stands it takes half a minute
    order = np.arange(1, 6)
    common = 5.5 - np.maximum.outer(order, order) - np.eye(5) / 6
    levers = 9.81 * (5.5 - order)

    def by_recursion(_, y):
        return np.concatenate([y[5:], fast(y[:5], y[5:], np.zeros(5))])

    def by_lagrange(_, y):
        angles, rates = y[:5], y[5:]
        between = angles[:, None] - angles
        moments = (common * np.sin(between)) @ rates**2 + levers * np.sin(angles)
        return np.concatenate([rates, -np.linalg.solve(common * np.cos(between), moments)])

    start = np.zeros((2, 10))
    start[0, 0] = start[1, :5] = -np.pi / 2
    one, other = (
        solve_ivp(f, (0, 10), y, "DOP853", rtol=1e-12, atol=1e-12).y[:5, -1]
        for f, y in zip((by_recursion, by_lagrange), start, strict=True)
    )
    angles = np.cumsum(one)
    assert np.abs(angles - other).max() < 1e-3
    assert np.sin(angles).sum() == pytest.approx(-0.05, abs=0.005)  # towards where it came from
    assert -np.cos(angles).sum() == pytest.approx(-0.18, abs=0.005)
