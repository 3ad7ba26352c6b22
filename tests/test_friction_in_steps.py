"""Coulomb friction in joints, in steps through contact: right at any step, and never more than the step can give."""

from __future__ import annotations

import math

import numpy as np
import pytest

from chaindyn import (
    Chain,
    Closure,
    Drive,
    Free,
    Geometry,
    HalfSpace,
    Link,
    Prismatic,
    Revolute,
    Sphere,
    crba,
    joint_friction,
    kinetic_energy,
    simulate,
    simulate_contact,
)
from chaindyn.jobs.contact_records import scene_of
from chaindyn.jobs.sticking import rates_with_friction

WIDTH = 0.01  # of the smooth step of `joint_friction`
INERTIA = 0.5
FAR = [Geometry(Sphere(0.01), 0), Geometry(HalfSpace((0, 0, 1)), "ground", offset=(0, 0, -50))]
STEPS = 0.02, 0.01, 0.001


def hinge(coulomb, viscous=0.0):
    """A wheel on an upright axle, without weight."""
    drive = Drive(coulomb=coulomb, viscous=viscous)
    wheel = Link(Revolute((0, 0, 1)), 1, (0, 0, 0), INERTIA * np.eye(3), drive=drive)
    return Chain([wheel], gravity=(0, 0, 0))


def turned(chain, qd, end, step, torque=0.0, **more):
    """Return the motion of a wheel that touches nothing."""
    times = np.linspace(0, end, round(end / step) + 1)
    given = {"torque": np.array([torque]), "t": times, "step": step}
    return simulate_contact(chain, FAR, [0.0], [qd], **given, **more)


def arm(count, seed):
    """An arm of hinges in all directions, with much friction in some, little in others, and none in one."""
    rng = np.random.default_rng(seed)
    links = []
    for k in range(count):
        moments = rng.uniform(0.5, 1, 3) * 0.02
        drive = Drive(coulomb=(0.0, 4.0, 0.3, 1.0)[k % 4], viscous=0.05 * (k % 2))
        axis = rng.normal(size=3)
        own = Revolute(axis / np.linalg.norm(axis)), rng.uniform(0.3, 1), rng.normal(size=3) / 20
        links.append(Link(*own, np.diag(moments), offset=(0.2, 0, 0.05), drive=drive))
    return Chain(links)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_a_stuck_wheel_creeps_as_the_smooth_law_says(step, compiled):
    """F x / sqrt(x^2 + w^2) balances 2 N m at x = w s / sqrt(1 - s^2), s = 2 / 5. It is there in some time I w / F."""
    qd = turned(hinge(5.0), 0.0, 1.0, step, 2.0, compiled=compiled).qd[-1, 0]
    assert qd == pytest.approx(WIDTH * 0.4 / math.sqrt(1 - 0.16), rel=1e-12)


@pytest.mark.parametrize("step", STEPS)
def test_a_slipping_wheel_with_both_frictions(step):
    """Far above the width friction is constant: I dv/dt = T - F - b v, which the implicit step does to its order h."""
    torque, F, b = 2.0, 0.8, 0.1
    limit, rate = (torque - F) / b, b / INERTIA
    motion = turned(hinge(F, b), 0.0, 1.0, step, torque)
    # a step divides by 1 + h rate: off by half of h rate^2 t e^(-rate t) of the limit. At the start friction is less,
    # which gives I dv = F (1 - x / sqrt(x^2 + w^2)) dt, dt < I dx / (T - F): together less than F w / (T - F)
    wanted, off = limit * -math.expm1(-rate), limit * rate**2 * math.exp(-rate) * step / 2
    more = motion.qd[-1, 0] - (wanted - off)
    assert -0.1 * off < more < 0.1 * off + F * WIDTH / (torque - F)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_a_wheel_is_braked_evenly_and_stops_in_time(step, compiled):
    """It loses F / I each second, and stands after I v / F, without trembling."""
    F, start = 5.0, 3.0
    motion = turned(hinge(F), start, 0.5, step, compiled=compiled)
    t, qd = motion.t, motion.qd[:, 0]
    stop = INERTIA * start / F
    fast = qd > 0.5  # the smooth law gives up w^2 / 2 v^2 of F, there 2e-4
    assert np.abs(qd - (start - F / INERTIA * t))[fast].max() < 2e-4 * F / INERTIA * stop
    # in the last width of the rate friction fades: below it the rate falls by e in each I w / F, 1 ms
    assert t[np.argmax(qd < WIDTH)] == pytest.approx(stop, abs=step + 2 * INERTIA * WIDTH / F)
    assert (np.diff(qd) <= 0).all() and (qd >= 0).all()
    assert qd[-1] < 1e-9


@pytest.mark.parametrize("h", [1e-4, 1e-2, 0.5])
@pytest.mark.parametrize("count", [1, 3, 7])
def test_the_rates_obey_the_law_with_the_inertia(count, h):
    """M (x - moved) = -h F x / sqrt(x^2 + w^2), M by composites, in arms with friction far apart; none by -h F."""
    for seed in range(20):
        chain, rng = arm(count, seed), np.random.default_rng(seed)
        driven = scene_of(chain, FAR, None, (), ("steps", 0, 0, "newton", "together"), 0, ()).driven
        q, moved = rng.normal(size=count), rng.normal(size=count) * rng.choice([0.1, 1, 10])
        x = rates_with_friction(driven, q, moved, h)
        M, c = crba(chain, q), h * chain.coulomb
        given, size = M @ (x - moved), np.abs(M).max() * np.abs(moved).max()
        # rounding of x, 1e-16 moved, and of M^-1, acts with the steepness of the law, c / w
        steep = 1e-15 * np.abs(moved).max() * np.linalg.cond(M)
        assert (np.abs(given) <= c + 1e-13 * size).all()
        law = -c * x / np.sqrt(x * x + WIDTH**2)
        assert np.abs(given - law).max() < 1e-12 * size + steep * c.max(initial=0) / WIDTH
        lost = [v @ M @ v / 2 for v in (moved, x)]
        assert lost[1] <= lost[0] * (1 + 1e-12)


@pytest.mark.parametrize("compiled", [False, True])
def test_an_arm_comes_near_to_fine_steps_of_simulate(compiled):
    """Its error falls with the step."""
    chain = arm(4, 1)
    q, qd, torque = np.array([0.3, -0.4, 0.2, 0.5]), np.array([1, 2, -2, 1.0]), np.zeros(4)
    torque[1] = 1.0
    fine = simulate(chain, q, qd, t=[0, 0.1], step=5e-5, torque=torque, compiled=True)
    errors = []
    for step in (4e-3, 1e-3):
        coarse = simulate_contact(
            chain, FAR, q, qd, t=[0, 0.1], step=step, torque=torque, compiled=compiled
        )
        errors.append(np.abs(coarse.q[-1] - fine.q[-1]).max())
    assert errors[1] < 0.4 * errors[0]
    assert errors[1] < 2e-4


@pytest.mark.parametrize("step", [0.01, 0.001])
def test_friction_alone_never_gives_energy(step):
    """An arm without weight: it loses some in each step, but for what the midpoint rule gains, of order h^3 a step."""
    chain = arm(5, 3)
    chain = Chain(list(chain.links), gravity=(0, 0, 0))
    qd = np.array([1, -2, 1, 0.5, -1.0])
    t = np.linspace(0, 0.2, round(0.2 / step) + 1)
    motion = simulate_contact(chain, FAR, np.zeros(5), qd, t=t, step=step)
    energy = kinetic_energy(chain, motion.q, motion.qd)
    power = (joint_friction(chain, motion.qd) * motion.qd).sum(-1)
    assert (power <= 0).all()
    assert np.diff(energy).max() < 30 * step**3 * energy[0]
    assert energy[-1] < 0.7 * energy[0]


def struck(F, step, compiled=False, restitution=0.0):
    """Return a motion of a stuck arm, hit from the side by a ball of 0.2 kg at 0.5 m from its hinge, with 3 m/s."""
    drive = Drive(coulomb=F)
    bar = Link(Revolute((0, 0, 1)), 1, (0, 0, 0), INERTIA * np.eye(3), drive=drive, name="bar")
    ball = Link(Free(), 0.2, (0, 0, 0), 1e-4 * np.eye(3), parent="ground", name="ball")
    chain = Chain([bar, ball], gravity=(0, 0, 0))
    shapes = [Geometry(Sphere(0.05), "bar", offset=(0.5, 0, 0)), Geometry(Sphere(0.05), "ball")]
    q = chain.neutral.astype(float)
    q[1:3], qd = (0.5, -0.1 - 1.5 * step), np.zeros(7)
    qd[5] = 3.0
    t = step * np.arange(7)
    how = {"t": t, "step": step, "friction": 0.0, "restitution": restitution, "compiled": compiled}
    return simulate_contact(chain, shapes, q, qd, **how)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("F", "step"), [(5.0, 0.01), (5.0, 0.001), (500.0, 0.001)])
def test_a_stuck_joint_that_is_struck_resists_with_no_more_than_the_step_gives(F, step, compiled):
    """Angular momentum about the hinge: what bar and ball lose in a step is friction's, at most h F."""
    motion = struck(F, step, compiled)
    total = INERTIA * motion.qd[:, 0]
    for row, (q, qd) in enumerate(zip(motion.q, motion.qd, strict=True)):
        total[row] += 0.2 * (q[1] * qd[5] - q[2] * qd[4])  # the ball does not turn
    lost = -np.diff(total)
    assert motion.log.t.size and np.abs(motion.qd[:, 1:4]).max() < 1e-12
    assert lost.max() <= step * F * (1 + 1e-9)
    (hit,) = np.flatnonzero(np.isclose(motion.t, motion.log.t[0]))
    # the ball gives 0.3 N m s: the bar turns as it would without friction, in the step of the blow
    free = struck(0.0, step, compiled)
    assert motion.qd[hit, 0] == pytest.approx(free.qd[hit, 0], rel=1e-12)
    assert motion.qd[hit, 0] > 0.4
    # and next it is braked, by no more than a step gives; the ball may push on
    braked = max(motion.qd[hit, 0] - step * F / INERTIA, 0)
    assert braked - 1e-9 < motion.qd[hit + 1, 0] < motion.qd[hit, 0] - 1e-3


def test_a_loop_slides_to_rest():
    """Two sliders on one line, tied together: friction in one of them brakes both, and the tie holds."""
    rub = Drive(coulomb=4.0)
    links = [
        Link(Prismatic((1, 0, 0)), 1, (0, 0, 0), np.eye(3), drive=rub, name="a"),
        Link(Prismatic((1, 0, 0)), 3, (0, 0, 0), np.eye(3), parent="ground", name="b"),
    ]
    chain = Chain(links, gravity=(0, 0, 0))
    tie = Closure(Prismatic((0, 1, 0)), "a", onto="b")
    t = np.linspace(0, 1.5, 76)
    motion = simulate_contact(chain, FAR, [0.0, 0.0], [1.0, 1.0], t=t, step=0.02, constraints=[tie])
    assert np.abs(motion.qd[:, 0] - motion.qd[:, 1]).max() < 1e-9
    fast = motion.qd[:, 0] > 0.3  # F / (1 + 3) = 1 m/s^2, less w^2 / 2 v^2 of it, 6e-4 at most
    assert np.abs(motion.qd[:, 0] - (1 - t))[fast].max() < 6e-4
    assert np.abs(motion.qd[-1]).max() < 1e-9


@pytest.mark.parametrize("law", ["newton", "moreau"])
def test_compiled_steps_are_the_same(law):
    """An arm that falls on a floor, with friction in its joints and at its contacts."""
    chain = arm(5, 4)
    shapes = [Geometry(HalfSpace((0, 0, 1)), "ground", offset=(0, 0, -0.1))]
    shapes += [Geometry(Sphere(0.05), k, offset=(0.1, 0, 0)) for k in range(5)]
    how = {"t": np.linspace(0, 0.3, 31), "step": 0.005, "friction": 0.3, "restitution": 0.2}
    one, other = (
        simulate_contact(chain, shapes, np.zeros(5), np.zeros(5), law=law, compiled=c, **how)
        for c in (False, True)
    )
    assert one.log.t.size > 5
    assert np.abs(one.qd - other.qd).max() < 1e-9
    assert np.abs(one.q - other.q).max() < 1e-10
