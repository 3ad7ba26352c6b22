"""Five problems of the IFToMM library through the public functions, each against a route that shares nothing."""

import importlib.util
import json
import sys
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.special import ellipj, ellipk

from chaindyn import (
    Chain,
    Closure,
    Distance,
    Link,
    Revolute,
    assemble,
    body_twists,
    constrained_forward_dynamics,
    constraint_error,
    constraint_jacobian,
    forward_kinematics,
    kinetic_energy,
    momentum,
    simulate,
)
from chaindyn.constraints import rows_and_errors
from chaindyn.guards.numbers import NOISE
from chaindyn.models.benchmarks import (
    ANDREWS_ORDER,
    ANDREWS_REFERENCE,
    Problem,
    Spring,
    andrews_mechanism,
    bricard_mechanism,
    flyball_governor,
    n_four_bar,
    simple_pendulum,
)
from chaindyn.state import State

PROBLEMS = {
    "A01": simple_pendulum,
    "A02": n_four_bar,
    "A03": andrews_mechanism,
    "A04": bricard_mechanism,
    "A05": flyball_governor,
}
TIGHT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}


def multipliers(problem: Problem, q, qd):
    tau = problem.torque(0.0, q, qd)
    return constrained_forward_dynamics(problem.chain, problem.constraints, q, qd, tau)


# What all have in common ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_starts_closed_and_consistent(name):
    problem = PROBLEMS[name]()
    if problem.constraints:
        assert np.abs(constraint_error(problem.chain, problem.constraints, problem.q)).max() < 1e-15
        K = constraint_jacobian(problem.chain, problem.constraints, problem.q)
        assert np.abs(K @ problem.qd).max() < 1e-15


@pytest.mark.parametrize("name", ["A03", "A05"])
def test_springs_do_the_work_that_their_energy_loses(name):
    """The rate of the stored energy along the velocities, by the complex step's elder brother, is minus their power."""
    problem, rng = PROBLEMS[name](), np.random.default_rng(1)
    v, h = rng.normal(size=problem.chain.nv), 1e-6
    for spring in problem.springs:
        ahead, behind = (spring.energy(problem.chain, problem.q + s * h * v) for s in (1, -1))
        elastic = Spring(spring.rod, spring.stiffness).torque(problem.chain, problem.q, v)
        assert elastic @ v == pytest.approx(-(ahead - behind) / (2 * h), rel=1e-6, abs=1e-6)


def test_a_spring_is_a_pair_of_forces():
    """Its joint forces are J^T of the force on either body, evaluated point by point, with the damper's part."""
    problem, rng = flyball_governor(), np.random.default_rng(2)
    chain = problem.chain
    q, v = problem.q + 0.1 * rng.normal(size=4), rng.normal(size=4)
    spring = problem.springs[1]
    R, p = forward_kinematics(chain, q)
    i, j = chain.index(spring.rod.link), chain.index(spring.rod.onto)
    places = [p[k] + R[k] @ at for k, at in ((i, spring.rod.offset), (j, spring.rod.onto_offset))]
    rates = []
    for column in np.eye(4):
        V = body_twists(chain, q, column, frame="world")
        rates.append(
            [V[k, 3:] + np.cross(V[k, :3], x) for k, x in zip((i, j), places, strict=True)]
        )
    rates = np.array(rates)  # (nv, 2 ends, 3)
    d = places[0] - places[1]
    length = np.linalg.norm(d)
    closing = np.einsum("nek,n->ek", rates, v)
    pull = 8e5 * (length - 0.5) + 4e4 * (closing[0] - closing[1]) @ d / length
    expected = rates[:, 0] @ (-pull * d / length) + rates[:, 1] @ (pull * d / length)
    assert spring.torque(chain, q, v) == pytest.approx(expected, rel=1e-11)


def test_problems_take_batches():
    problem, rng = andrews_mechanism(), np.random.default_rng(3)
    q = problem.q + 1e-3 * rng.normal(size=(2, 3, 7))
    v = rng.normal(size=(3, 7))
    for k in np.ndindex(2, 3):
        one = problem.torque(0.0, q[k], v[k[1:]])
        assert problem.torque(0.0, q, v)[k] == pytest.approx(one)
        assert problem.energy(q, v)[k] == pytest.approx(problem.energy(q[k], v[k[1:]]))
        assert problem.place(q)[k] == pytest.approx(problem.place(q[k]))


# A01, the simple pendulum -------------------------------------------------------------------------


def swing(t):
    """Return x and y of the pendulum from x = -1 at rest: sin(angle / 2) = k sn(K + w t, k^2), with k^2 = 1/2."""
    w, m = np.sqrt(9.81), 0.5
    sn, _, dn, _ = ellipj(ellipk(m) + w * np.asarray(t), m)
    half = np.sqrt(m) * sn
    return np.stack([-2 * half * dn, -1 + 2 * half**2], axis=-1)


@pytest.mark.parametrize(
    ("duration", "cure"),
    [
        (1.0, "projection"),
        pytest.param(10.0, "projection", marks=pytest.mark.nightly),
        (0.5, (400, 40)),
    ],
)
def test_the_pendulum_swings_by_elliptic_functions(duration, cure):
    problem, t = simple_pendulum(), np.linspace(0, duration, 11)
    motion = problem.simulate(t, stabilisation=cure, rtol=1e-11, atol=1e-12)
    assert np.abs(problem.place(motion.q) - swing(t)).max() < 1e-9
    assert (
        np.abs(
            problem.energy(motion.q, motion.qd) - problem.energy(motion.q[0], motion.qd[0])
        ).max()
        < 5e-9
    )
    assert np.abs(motion.gap).max() < 1e-9


def test_the_pendulum_pulls_at_its_rod():
    """At the bottom three weights hang on it; the multiplier is negative where the rod pulls."""
    problem = simple_pendulum()
    _, force = multipliers(problem, np.array([0, -1.0]), np.array([np.sqrt(2 * 9.81), 0]))
    assert force == pytest.approx(-3 * 9.81)


# A02, N four-bar loops ----------------------------------------------------------------------------


def as_one_pendulum(loops, t):
    """Return the angle of the cranks, which stay parallel: one equation of motion."""
    inertia, weight = (loops + 1) / 3 + loops, 9.81 * ((loops + 1) / 2 + loops)
    slope = lambda t, y: [y[1], -weight / inertia * np.cos(y[0])]  # noqa: E731
    return solve_ivp(slope, (0, t[-1]), [np.pi / 2, -1], t_eval=t, **TIGHT).y[0]


@pytest.mark.parametrize(
    ("loops", "duration", "step", "cure", "bound"),
    [
        (2, 0.9, 0.01, "projection", 5e-8),
        (2, 0.9, 0.01, (400, 40), 5e-8),
        pytest.param(2, 10.0, 0.003, "projection", 1e-8, marks=pytest.mark.nightly),
        pytest.param(40, 10.0, 0.008, (400, 40), 1e-6, marks=pytest.mark.nightly),
    ],
)
def test_the_four_bars_pass_the_posture_with_more_freedoms(loops, duration, step, cure, bound):
    """They pass it once in 0.9 s, and a dozen times in 10 s."""
    problem, t = n_four_bar(loops), np.linspace(0, duration, 10)
    motion = problem.simulate(t, stabilisation=cure, method="RK4", step=step)
    angle = as_one_pendulum(loops, t)
    assert angle[-1] < -0.5
    exact = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    assert np.abs(problem.place(motion.q) - exact).max() < bound
    assert np.abs(motion.gap).max() < 1e-10


def test_the_four_bars_start_with_one_metre_a_second():
    problem = n_four_bar(3)
    V = body_twists(problem.chain, problem.q, problem.qd, frame="world")[0]
    assert V[3:] + np.cross(V[:3], [0, 0, 1]) == pytest.approx([1, 0, 0])
    assert problem.place(problem.q) == pytest.approx([0, 1])
    assert len(problem.chain.links) == 7 and len(problem.constraints) == 3


def cut_elsewhere(loops):
    """Return the four-bars with every crank on the ground, and each rod on a crank, held to the next one."""
    bar, hinge = (1.0, (0.5, 0, 0), np.diag([0, 1, 1]) / 12), Revolute((0, -1, 0))
    links = [
        Link(hinge, *bar, offset=(k, 0, 0), parent="ground", name=f"crank {k}")
        for k in range(loops + 1)
    ]
    links += [
        Link(hinge, *bar, offset=(1, 0, 0), parent=f"crank {k}", name=f"rod {k}")
        for k in range(loops)
    ]
    pins = [
        Closure(
            Revolute((0, 1, 0)),
            f"rod {k}",
            f"crank {k + 1}",
            offset=(1, 0, 0),
            onto_offset=(1, 0, 0),
        )
        for k in range(loops)
    ]
    along = np.array([1.0] * (loops + 1) + [-1.0] * loops)
    return Chain(links), tuple(pins), along, 0 * along


@pytest.mark.nightly
@pytest.mark.parametrize("cut", ["at the ground", "turned", "at the cranks"])
@pytest.mark.parametrize("loops", [1, 2])
def test_small_steps_go_through_a_singular_posture(loops, cut):
    """Where all rods are in line only rounding is left of a row. Adaptive steps come within 1e-6 of it."""
    problem = n_four_bar(loops)
    chain, pins = problem.chain, problem.constraints
    along, still = -problem.qd, problem.q - np.pi / 2 * -problem.qd
    if cut == "at the cranks":
        chain, pins, along, still = cut_elsewhere(loops)
    elif cut == "turned":  # by 45 degrees, so that no single row becomes short
        c = np.sqrt(0.5)
        pins = [replace(pin, rotation=[[c, 0, c], [0, 1, 0], [-c, 0, c]]) for pin in pins]
    angle, rate = 1e-6, -5.5  # where a step may end
    inertia, weight = (loops + 1) / 3 + loops, 9.81 * ((loops + 1) / 2 + loops)
    slope = lambda t, y: [y[1], -weight / inertia * np.cos(y[0])]  # noqa: E731
    end = solve_ivp(slope, (0, 0.02), [angle, rate], **TIGHT).y[:, -1]
    motion = simulate(
        chain,
        still + angle * along,
        rate * along,
        t=[0, 0.02],
        constraints=pins,
        stabilisation="projection",
        rtol=1e-9,
        atol=1e-11,
        progress=False,
    )
    assert motion.reason == "" and end[0] < -0.05
    assert np.abs(motion.q[-1] - still - end[0] * along).max() < 1e-7
    assert np.abs(motion.qd[-1] - end[1] * along).max() < 1e-6
    assert np.ptp(motion.energy) < 1e-5


@pytest.mark.parametrize("duration", [0.75, pytest.param(10.0, marks=pytest.mark.nightly)])
def test_steps_that_creep_towards_a_singular_posture_get_through_it(duration):
    """With this tolerance steps become so short that they end where only rounding is left of a row.

    The first time is at 0.71 s. Where what is left counts, the bars stop there.
    """
    problem, t = n_four_bar(2), np.linspace(0, duration, 16)
    motion = problem.simulate(t, stabilisation="projection", rtol=1e-9, atol=1e-11)
    angle = as_one_pendulum(2, t)
    assert motion.reason == "" and angle[-1] < -0.18
    assert np.abs(motion.q[:, 0] - angle).max() < 1e-6
    assert np.ptp(problem.energy(motion.q, motion.qd)) < 1e-5


@pytest.mark.parametrize("size", [1e-6, 1, 1e3])
def test_rows_of_which_a_posture_leaves_nothing_count_as_zero(size):
    """Of five rows of a hinge two act in the plane, and one is left where all rods are in line: in any unit."""
    bar = (1.0, (size / 2, 0, 0), np.diag([0, 1, 1]) * size**2 / 12)
    chain = Chain([Link(Revolute(), *bar, offset=(k and size, 0, 0)) for k in range(3)])
    pin = Closure(Revolute(), 2, offset=(size, 0, 0), onto_offset=(size, 0, 0))
    for angle, left in [(1e-3, 2), (1e-7, 1), (0.0, 1)]:
        q = np.array([angle, -angle, np.pi + angle])
        K, loose, _ = rows_and_errors(State(chain, q), [pin], NOISE)
        assert (np.abs(K).max(-1) > 1e-12 * size).sum() == left
        assert loose == NOISE
        kept, loose, _ = rows_and_errors(State(chain, q), [pin], 0)
        assert np.array_equal(kept, constraint_jacobian(chain, pin, q)) and loose < NOISE


# A03, Andrews' squeezing mechanism -----------------------------------------------------------------


def in_plane(numbers):
    """Return complex numbers (m, ...) as real and imaginary parts in turn (2 m, ...)."""
    return np.concatenate([np.stack([z.real, z.imag]) for z in np.array(numbers)])


def andrews_matrices(y, v, *, xb=-0.03635, m3=0.02373):
    """Return M, f, G, gap and k of M a + G^T lambda = f, G a = k, from the geometry alone: a route without the package.

    y, v : beta, theta, gamma, phi, delta, omega, epsilon and rates. Places are complex numbers: each body's centre is
    where it is carried by turns, and its velocity's slopes are i times arms.
    """
    beta, theta, gamma, phi, delta, omega, epsilon = y
    turns = np.array([beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon])
    rates = np.array([v[0], v[0] + v[1], v[2], v[3] + v[4], v[4], v[5] + v[6], v[6]])
    spin = np.array(  # which coordinates turn which body
        [
            [1, 0, 0, 0, 0, 0, 0],
            [1, 1, 0, 0, 0, 0, 0],
            [0, 0, 1, 0, 0, 0, 0],
            [0, 0, 0, 1, 1, 0, 0],
            [0, 0, 0, 0, 1, 0, 0],
            [0, 0, 0, 0, 0, 1, 1],
            [0, 0, 0, 0, 0, 0, 1],
        ]
    )
    e = np.exp(1j * turns)
    A, B, C = -0.06934 - 0.00227j, xb + 0.03273j, 0.014 + 0.072j

    def carried(*arms):
        """Return slopes (7,) and bias acceleration of a point at the end of arms: (body, arm in it)."""
        slope = sum(1j * e[body] * arm * spin[body] for body, arm in arms)
        return slope, sum(-e[body] * arm * rates[body] ** 2 for body, arm in arms)

    centres = (
        [(0, 0.00092)],
        [(0, 0.007), (1, -0.0115)],
        [(2, 0.01043 - 0.01874j)],
        [(4, 0.04), (3, -1j * (0.02 - 0.01421))],
        [(4, 0.02308 + 0.00916j)],
        [(6, -0.04j), (5, 0.02 - 0.01421)],
        [(6, -0.00449 - 0.01228j)],
    )
    masses = 0.04325, 0.00365, m3, 0.00706, 0.07050, 0.00706, 0.05498
    moments = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
    M, f = np.zeros((7, 7)), 0.033 * np.eye(7)[0]
    for body, (arms, mass, moment) in enumerate(zip(centres, masses, moments, strict=True)):
        J, bias = carried(*arms)
        M += mass * np.outer(J.conj(), J).real + moment * np.outer(spin[body], spin[body])
        f -= mass * (J.conj() * bias).real
    D, (J, _) = B + e[2] * (0.02 - 0.018j), carried((2, 0.02 - 0.018j))
    length = abs(D - C)
    f -= (J.conj() * (D - C)).real * 4530 * (length - 0.07785) / length

    ends = (  # where the four paths to E end
        (0, [(0, 0.007), (1, -0.028)]),
        (B, [(2, -0.035j)]),
        (A, [(4, 0.04), (3, -0.02j)]),
        (A, [(6, -0.04j), (5, 0.02)]),
    )
    places = [start + sum(e[body] * arm for body, arm in arms) for start, arms in ends]
    paths = [carried(*arms) for _, arms in ends]
    gap = in_plane([places[0] - place for place in places[1:]])
    G = in_plane([paths[0][0] - slope for slope, _ in paths[1:]])
    k = -in_plane([paths[0][1] - bias for _, bias in paths[1:]])
    return M, f, G, gap, k


def andrews_accelerations(y, v, **data):
    M, f, G, _, k = andrews_matrices(y, v, **data)
    system = np.block([[M, G.T], [G, np.zeros((6, 6))]])
    return np.split(np.linalg.solve(system, np.concatenate([f, k])), [7])


@cache
def andrews_by_hand(end=0.03, **data):
    """Return the 27 numbers at the end, by the route without the package, from the start that the package gives."""
    start = np.concatenate([andrews_mechanism().q[list(ANDREWS_ORDER)], np.zeros(7)])

    def slope(t, z):
        return np.concatenate([z[7:], andrews_accelerations(z[:7], z[7:], **data)[0]])

    y, v = np.split(solve_ivp(slope, (0, end), start, **TIGHT).y[:, -1], 2)
    return y, v, *andrews_accelerations(y, v, **data)


def andrews_numbers(problem, q, qd):
    """Return the 27 numbers of a state of the package, in the order and with the signs of the literature."""
    order = list(ANDREWS_ORDER)
    qdd, forces = multipliers(problem, q, qd)
    R, _ = forward_kinematics(problem.chain, q)
    T = Revolute().constraint_subspace(np.zeros(1))
    on_FE = [(R[1] @ (T @ own)[3:])[:2] for own in forces.reshape(3, 5)]
    return q[order], qd[order], qdd[order], -np.concatenate(on_FE)


def off(found, wanted):
    """Return the largest error of two lists of arrays, relative to one more than the number."""
    pairs = zip(found, map(np.array, wanted), strict=True)
    return [float((np.abs(x - y) / (1 + np.abs(y))).max()) for x, y in pairs]


def test_andrews_start_is_that_of_the_test_set():
    """All 27 numbers at the start, of which accelerations and multipliers are computed, as the Test Set prints them."""
    problem = andrews_mechanism()
    found = andrews_numbers(problem, problem.q, problem.qd)
    printed = np.zeros(7), np.zeros(6)
    printed[0][:2] = 14222.4439199541138706, -10666.8329399655854029
    printed[1][:2] = 98.5668703962410896, -6.12268834425566265
    # rounding of what nearly cancels: 1e-14 of the largest, times the condition of the system
    assert np.abs(found[2] - printed[0]).max() < 1e-8
    assert np.abs(found[3] - printed[1]).max() < 1e-10


def test_andrews_in_motion_is_the_route_without_the_package():
    """All 27 numbers within 1e-8 at 4 ms, when the crank has begun to turn."""
    problem = andrews_mechanism()
    motion = problem.simulate([0, 0.004], stabilisation="projection", rtol=1e-11, atol=1e-13)
    found = andrews_numbers(problem, motion.q[-1], motion.qd[-1])
    assert found[1][0] > 50
    assert max(off(found, andrews_by_hand(0.004))) < 1e-8
    energy = problem.energy(motion.q, motion.qd)
    assert abs(energy[1] - energy[0]) < 1e-12


@pytest.mark.nightly
def test_andrews_at_thirty_milliseconds():
    """The published angles, and all 27 numbers of the route without the package, within 1e-8."""
    problem = andrews_mechanism()
    motion = problem.simulate([0, 0.03], stabilisation="projection", rtol=1e-12, atol=1e-14)
    found = andrews_numbers(problem, motion.q[-1], motion.qd[-1])
    assert max(off(found, andrews_by_hand())) < 1e-8
    assert np.abs(found[0] - ANDREWS_REFERENCE[0]).max() < 1e-8
    energy = problem.energy(motion.q, motion.qd)
    assert abs(energy[1] - energy[0]) < 1e-11


def velocities_from_posture(y):
    """Return the velocities in a posture: one freedom, so rows give their direction and the energy gives their size."""
    M, _, G, _, _ = andrews_matrices(y, np.zeros(7))
    direction = np.linalg.svd(G)[2][-1]
    problem, q = andrews_mechanism(), np.empty(7)
    q[list(ANDREWS_ORDER)] = y
    still = np.zeros(7)
    left = problem.energy(problem.q, still) - problem.energy(q, still)
    return direction * np.sign(direction[0]) * np.sqrt(2 * left / (direction @ M @ direction))


def test_the_published_reference_of_andrews_is_as_good_as_its_angles():
    """Its angles close the loops to the last digit; its other numbers follow from them, and miss that by up to 1e-6.

    They break the equations that they solve: rows times velocities is 1e-9 m/s, of terms of 30 m/s, and rows times
    accelerations 2e-3 m/s^2 off, of terms of 5000. What the angles imply agrees with the route without the package at
    the moment when the crank is there, 1.3e-12 s before 0.03 s: all 27 numbers within 1e-8.
    """
    y, v, a, forces = map(np.array, ANDREWS_REFERENCE)
    _, _, G, gap, k = andrews_matrices(y, v)
    assert np.abs(gap).max() < 1e-16
    assert 3e-10 < np.abs(G @ v).max() < 3e-9  # rounding would be 1e-14
    assert 5e-4 < np.abs(G @ a - k).max() < 5e-3
    implied = velocities_from_posture(y)
    assert 1e-9 < off([implied], [v])[0] < 1e-7
    rest = andrews_accelerations(y, implied)
    assert 1e-7 < max(off(rest, [a, forces])) < 1e-5

    mine = andrews_by_hand()
    late = (y[0] - mine[0][0]) / mine[1][0]
    assert 5e-13 < late < 3e-12
    moved = andrews_by_hand(0.03 + late)
    assert max(off(moved, [y, implied, *rest])) < 1e-8


def test_misprints_of_andrews_data():
    """B at +0.03635 is out of reach; 0.02372 kg misses the reference; and EGA is EHA, whose supplement is printed."""
    A, printed = np.array([-0.06934, -0.00227]), np.array([0.03635, 0.03273])
    assert (
        np.linalg.norm(printed - A) > 0.04 + 0.02 + 0.035 + 0.015
    )  # from A by G or H to E, and from there to B
    lighter = andrews_by_hand(m3=0.02372)
    assert off(lighter[:1], ANDREWS_REFERENCE[:1])[0] > 1e-5
    assert off(andrews_by_hand()[:1], ANDREWS_REFERENCE[:1])[0] < 1e-9

    chain, q = andrews_mechanism().chain, andrews_mechanism().q
    R, p = forward_kinematics(chain, q)
    E = p[1] + R[1] @ [-0.028, 0, 0]
    angles = []
    for rod in ("GE", "HE"):
        corner = p[chain.index(rod)]
        sides = E - corner, [*A, 0] - corner
        cosine = np.dot(*sides) / np.prod([np.linalg.norm(x) for x in sides])
        angles.append(np.arccos(cosine))
    assert angles[0] == pytest.approx(angles[1], abs=1e-12)
    assert np.pi - angles[1] == pytest.approx(1.348, abs=5e-4)


def test_andrews_can_be_put_together_by_assemble():
    """The crank held, the other six coordinates are found again from a posture 0.05 rad away."""
    problem = andrews_mechanism()
    held = np.arange(7) == 0
    away = problem.q + 0.05 * ~held * np.array([1, -1, 1, -1, 1, -1, 1])
    found = assemble(problem.chain, problem.constraints, away, held=held)
    assert found == pytest.approx(problem.q, abs=1e-9)


# A04, Bricard's mechanism --------------------------------------------------------------------------


def bricard_by_hand(a):
    """Return the moment of inertia I(a) and the weight's energy of the mechanism with one freedom, and the angles.

    Odd hinges turn by a, even ones by b with (1 + sin a)(1 + sin b) = 1. Rods one by one: places, and velocities for
    a rate of 1 of a.
    """
    s = np.sin(a)
    b = -np.arcsin(s / (1 + s))
    db = -np.cos(a) / (1 + s) ** 2 / np.cos(b)
    edges = np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0]])
    axes = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    R, w, x, v = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
    inertia = weight = 0.0
    for axis, edge, angle, rate in zip(
        axes, edges, (a, b) * 2 + (a,), (1, db) * 2 + (1,), strict=True
    ):
        cross = np.cross(np.eye(3), axis)
        w = w + rate * (R @ axis)
        R = R @ (np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)
        along = R @ edge
        centre, rate_of_centre = x + along / 2, v + np.cross(w, along / 2)
        spin = w @ w * (1 + 0.01) / 12 - (w @ along) ** 2 * ((1 + 0.01) / 12 - 0.01 / 6)
        inertia += rate_of_centre @ rate_of_centre + spin
        weight += 9.81 * centre[1]
        x, v = x + along, v + np.cross(w, along)
    return inertia, weight, np.array([a, b, a, b, a])


def when_bricard_is_at(a):
    """Return the time at which the mechanism, let go at a = 0, reaches an angle: a quadrature of its energy."""
    start = bricard_by_hand(0.0)[1]

    def slowness(u):  # da = 2 u du: the square root at the start is gone
        inertia, weight, _ = bricard_by_hand(u * u)
        return 2 * u * np.sqrt(inertia / (2 * (start - weight)))

    return quad(slowness, 0, np.sqrt(a), epsabs=1e-12, epsrel=1e-12)[0]


def test_bricard_has_one_freedom_and_one_idle_row():
    problem = bricard_mechanism()
    for a in (0.3, 1.0, 2.0, 3.0):
        q = bricard_by_hand(a)[2]
        assert np.abs(constraint_error(problem.chain, problem.constraints, q)).max() < 1e-15
        K = constraint_jacobian(problem.chain, problem.constraints, q)
        assert np.linalg.matrix_rank(K, tol=1e-9) == 4
        v = np.linalg.svd(K)[2][-1]
        assert kinetic_energy(problem.chain, q, v / v[0]) == pytest.approx(
            bricard_by_hand(a)[0] / 2
        )


@pytest.mark.parametrize("a", [0.5, 1.3, 2.6])
def test_bricard_moves_as_its_energy_says(a):
    """Where it is at the time that a quadrature gives, from the equation of a motion with one freedom."""
    problem, t = bricard_mechanism(), when_bricard_is_at(a)
    motion = problem.simulate([0, t], stabilisation="projection", rtol=1e-11, atol=1e-12)
    assert motion.q[-1] == pytest.approx(bricard_by_hand(a)[2], abs=1e-9)


@pytest.mark.parametrize("duration", [1.0, pytest.param(10.0, marks=pytest.mark.nightly)])
def test_bricard_keeps_gap_and_energy(duration):
    problem, t = bricard_mechanism(), np.linspace(0, duration, 11)
    motion = problem.simulate(t, stabilisation="projection", rtol=1e-11, atol=1e-12)
    energy = problem.energy(motion.q, motion.qd)
    assert np.abs(motion.gap).max() < 1e-10
    assert np.abs(energy - energy[0]).max() < 1e-8
    if duration == 10:
        # the published curve: P3 goes from x = 1 to -1 and back in 5 s, and twice
        assert problem.place(motion.q)[[0, 5, 10], 0] == pytest.approx([1, 1, 1], abs=5e-3)
        period = 2 * when_bricard_is_at(np.pi)
        assert period == pytest.approx(5.0, abs=0.02)


# A05, the flyball governor -------------------------------------------------------------------------


def governor_by_hand(t):
    """Return the slider's height and the shaft's rate at times: both arms alike, and the shaft's angle left out.

    Lagrange's equations for the height s and the angle alpha of the arms below the horizontal. The angular momentum
    about the shaft is constant, and takes the place of the angle.
    """
    rod, ball, cube, g = 0.3, 5.0, 3.0, 9.81
    mass = rod + ball
    centre = (rod / 2 + ball) / mass
    hinge = rod * (1 + 1e-4) / 12 + rod / 4 + ball  # about the arm's end
    fixed = rod * 1e-4 / 6 + cube * 0.01 / 6

    def about_shaft(alpha):
        """Return the moment of inertia about the shaft, and its slope: the sum over a rod, and a ball."""
        c, s = np.cos(alpha), np.sin(alpha)
        thick = rod * 1e-4 / 12
        arm = rod * (0.05**2 + 0.05 * c + c * c / 3) + ball * (0.05 + c) ** 2 + thick * (1 + s * s)
        slope = -rod * (0.05 + 2 * c / 3) * s - 2 * ball * (0.05 + c) * s + 2 * thick * s * c
        return fixed + 2 * arm, 2 * slope

    momentum_z = about_shaft(np.pi / 6)[0] * 2 * np.pi

    def slope(t, z):
        s, alpha, ds, dalpha = z
        arm = np.array([0.5 * np.cos(alpha), 1 - 0.5 * np.sin(alpha) - s])
        length = np.hypot(*arm)
        by_s, by_alpha = (
            -arm[1] / length,
            arm @ [-0.5 * np.sin(alpha), -0.5 * np.cos(alpha)] / length,
        )
        pull = 8e5 * (length - 0.5) + 4e4 * (by_s * ds + by_alpha * dalpha)
        inertia, change = about_shaft(alpha)
        spin = momentum_z / inertia
        dds = -g - 2 * pull * by_s / cube
        ddalpha = (
            change * spin**2 / 4 + mass * g * centre * np.cos(alpha) - pull * by_alpha
        ) / hinge
        return [ds, dalpha, dds, ddalpha]

    start = [0.5, np.pi / 6, 0, 0]
    z = solve_ivp(slope, (0, t[-1]), start, "Radau", t_eval=t, rtol=1e-9, atol=1e-11).y
    return z[0], momentum_z / about_shaft(z[1])[0]


@pytest.mark.parametrize(
    ("duration", "bound"), [(0.25, 1e-6), pytest.param(10.0, 1e-5, marks=pytest.mark.nightly)]
)
def test_the_governor_moves_as_lagrange_says(duration, bound):
    problem, t = flyball_governor(), np.linspace(0, duration, 101)
    motion = problem.simulate(t, method="Radau", rtol=1e-7, atol=1e-9)
    height, spin = governor_by_hand(t)
    assert np.abs(problem.place(motion.q)[:, 0] - height).max() < bound
    assert np.abs(motion.qd[:, 0] - spin).max() < 10 * bound
    L = momentum(problem.chain, motion.q, motion.qd)[:, 2]
    assert np.abs(L - L[0]).max() < 10 * bound * L[0]
    if duration == 10:  # the published curve: between 0.50 and 0.743 m, and 0.62 m in the end
        assert height.min() > 0.4985
        assert height.max() == pytest.approx(0.743, abs=2e-3)
        assert height[-1] == pytest.approx(0.62, abs=5e-3)


def test_the_governor_starts_with_springs_at_rest():
    """Then its slider falls freely, and each arm as Lagrange says: weight and centrifugal force about the hinge."""
    problem = flyball_governor()
    qdd, _ = multipliers(problem, problem.q, problem.qd)
    assert problem.torque(0, problem.q, problem.qd) == pytest.approx(np.zeros(4), abs=1e-9)
    assert qdd[1] == pytest.approx(-9.81)
    assert qdd[2] == pytest.approx(qdd[3], rel=1e-12)
    height, _ = governor_by_hand(np.linspace(0, 1e-5, 3))
    assert height[-1] == pytest.approx(0.5 - 9.81 * 1e-10 / 2, abs=2e-11)


# Bad input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [0, -1, 1.5, "two"])
def test_loops_of_the_four_bars_are_counted(bad):
    with pytest.raises(ValueError, match="loops is"):
        n_four_bar(bad)


def test_springs_say_what_they_take():
    rod = Distance("P1", length=1.0)
    with pytest.raises(ValueError, match="stiffness of a Spring"):
        Spring(rod, -1.0)
    with pytest.raises(ValueError, match="damping of a Spring"):
        Spring(rod, 1.0, np.nan)
    with pytest.raises(ValueError, match="rod of a Spring"):
        Spring(Closure(Revolute(), "P1"), 1.0)


def test_no_warning_where_nothing_is_wrong():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        n_four_bar(2).simulate([0, 0.05], stabilisation="projection", method="RK4", step=0.05)


# The command that writes result files ----------------------------------------------------------------


def bench():
    path = Path(__file__).parents[1] / "bench" / "iftomm.py"
    spec = importlib.util.spec_from_file_location("bench_iftomm", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for their types
    spec.loader.exec_module(module)
    return module


def test_result_files_are_written(tmp_path, monkeypatch, capsys):
    """A five-hundredth of each duration, in ten lines: times and the coordinates that each problem asks for."""
    command = bench()
    monkeypatch.setattr(command, "SHARE", 0.002)
    monkeypatch.setattr(command, "LINES", 10)
    command.STIFF.update(rtol=1e-4, atol=1e-6)
    command.main(["--save", "--into", str(tmp_path)])
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert list(summary["problems"]) == list(PROBLEMS)
    for name, make in PROBLEMS.items():
        problem, table = make(), np.loadtxt(tmp_path / f"{name}.txt")
        assert table.shape == (11, 1 + len(problem.columns))
        assert table[:, 0] == pytest.approx(np.linspace(0, problem.duration / 500, 11))
        assert table[0, 1:] == pytest.approx(problem.place(problem.q))
        assert summary["problems"][name]["error"] < 1e-6
        assert summary["problems"][name]["cpu_s"] > 0
    printed = capsys.readouterr().out
    assert all(f"{name} " in printed for name in PROBLEMS)
    fallen = np.loadtxt(tmp_path / "A01.txt")
    assert fallen[:, 1:] == pytest.approx(swing(fallen[:, 0]), abs=1e-9)


def test_result_files_of_some_problems_alone(tmp_path, monkeypatch, capsys):
    command = bench()
    monkeypatch.setattr(command, "SHARE", 0.01)
    monkeypatch.setattr(command, "LINES", 2)
    command.main(["A01"])
    assert "A01 simple pendulum" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        command.main(["A06"])
    assert "no problem 'A06'" in capsys.readouterr().err


def test_a_motion_that_ends_early_is_no_result(monkeypatch):
    command = bench()
    entry = command.ENTRIES["A01"]
    broken = command.Entry(
        "broken", entry.make, {"until": lambda t, q, qd: 1e-3 - t}, entry.error, ""
    )
    with pytest.raises(RuntimeError, match="broken was not solved"):
        command.solve(broken)
