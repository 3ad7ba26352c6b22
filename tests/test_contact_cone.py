"""Coulomb's law on the round cone: its equation, its derivative, and the impulses that Newton's method finds."""

import numpy as np
import pytest
from contacts import Touch, ball, box, corners, stack

from chaindyn import Chain, Link, Prismatic, collision_impulses, resting_contact, simulate_contact
from chaindyn.complementarity import (
    contact_impulses,
    impulses_by_modes,
    impulses_by_turns,
    newton_step,
)
from chaindyn.friction import (
    cone_margins,
    cone_slopes,
    coulomb_miss,
    forces_of_unknowns,
    into_cone,
    shortened,
)
from chaindyn.guards import cones

G = 9.81


def problem(seed, most=8):
    """W, b and mu of some contacts of bodies with few freedoms: rows often depend on each other."""
    rng = np.random.default_rng(seed)
    m, nv = rng.integers(1, most + 1), rng.integers(2, 13)
    K = rng.normal(size=(3 * m, nv))
    return K @ K.T, K @ rng.normal(size=nv), rng.uniform(0, 1.5, m), rng


def broken(W, b, mu, known, p):
    """By how much Coulomb's law is broken, said in its own words: speeds, and shares of impulses."""
    v, p = (W @ p + b).reshape(-1, 3), p.reshape(-1, 3)
    slip, friction = np.linalg.norm(v[:, 1:], axis=1), np.linalg.norm(p[:, 1:], axis=1)
    most, size = mu * p[:, 0] + known, np.abs(p).max() + np.abs(b).max()
    scale = size * np.abs(v).max() + size * 1e-3
    return max(
        -p[:, 0].min() / size,
        -v[:, 0].min() / size,
        np.abs(p[:, 0] * v[:, 0]).max() / scale,
        (friction - most).max() / size,
        # friction takes all the power that it can
        np.abs((p[:, 1:] * v[:, 1:]).sum(1) + most * slip).max() / scale,
    )


# --- the equation ---


def test_a_force_is_put_into_its_cone():
    pulls, slips, sticks = [-1.0, 3, 4], [10.0, -6, -8], [10.0, 3, -4]
    p = np.array([pulls, slips, sticks])
    mu, none = np.full(3, 0.5), np.zeros(3)
    expected = [[0, 0, 0], [10, -3, -4], [10, 3, -4]]
    np.testing.assert_allclose(into_cone(p, mu, none), expected, atol=1e-15)
    known = into_cone(p, mu, np.array([2.5, 1, 0]))
    np.testing.assert_allclose(known, [[0, 1.5, 2], [10, -3.6, -4.8], [10, 3, -4]], atol=1e-15)
    np.testing.assert_array_equal(shortened(np.zeros((2, 2)), np.zeros((2, 1))), np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("p", "v", "obeys"),
    [
        ([2, 0.6, -0.8], [0, -3, 4], True),  # it slips
        ([2, 0.6, -0.8], [0, 3, -4], False),  # friction along the slip
        ([2, 0.3, -0.4], [0, -3, 4], False),  # too little friction
        ([2, 0.3, -0.4], [0, 0, 0], True),  # it sticks
        ([2, 1.2, -1.6], [0, 0, 0], False),  # outside the cone
        ([0, 0, 0], [1, 5, 0], True),  # it is open
        ([0, 0, 0], [-1, 5, 0], False),  # it closes
        ([2, 0, 0], [1, 0, 0], False),  # it pushes what leaves
    ],
)
def test_the_law_case_by_case(p, v, obeys):
    miss = coulomb_miss(np.array(p, float), np.array(v, float), np.array(0.5), np.array(0.0))
    assert (np.abs(miss).max() < 1e-15) == obeys


def test_slopes_against_difference_quotients():
    rng = np.random.default_rng(0)
    p, mu = rng.normal(size=(60, 3)), rng.uniform(0, 1.5, 60)
    known = np.where(np.arange(60) % 2, 0, rng.uniform(0, 0.5, 60))
    h = 1e-6
    away = np.abs(cone_margins(p, mu, known)).min(-1) > 10 * h  # from the corners
    quotients = np.stack(
        [(into_cone(p + h * e, mu, known) - into_cone(p - h * e, mu, known)) / (2 * h)
         for e in np.eye(3)], axis=-1,
    )  # fmt: skip
    np.testing.assert_allclose(cone_slopes(p, mu, known)[away], quotients[away], atol=1e-8)
    assert away.sum() > 50


def test_where_a_contact_slides_its_friction_comes_with_the_normal_force():
    forces = forces_of_unknowns(np.array([0.3, 0.4]), np.array([True, False]))
    np.testing.assert_allclose(forces @ [2, 5, 5, 1, 0.2, 0.1], [2, -0.6, 0, 1, 0.2, 0.1])


# --- the solver ---


@pytest.mark.parametrize("known", [False, True])
def test_random_contacts_obey_the_law(known):
    """With rows that depend on each other too; `known` is friction as Poisson's restitution has it."""
    for seed in range(60):
        W, b, mu, rng = problem(seed)
        more = mu * rng.uniform(0, 1, len(mu)) * known
        assert broken(W, b, mu, more, contact_impulses(W, b, mu, more)) < 1e-10


def test_pyramids_break_the_law_of_the_cone():
    """So the test above can fail."""
    worst = 0
    for seed in range(10):
        W, b, mu, _ = problem(seed, 3)
        worst = max(worst, broken(W, b, mu, 0 * mu, contact_impulses(W, b, mu, facets=8)))
    assert worst > 1e-3


def test_turns_come_to_the_same_impulses():
    compared = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        K = rng.normal(size=(9, 14))
        W, b, mu = K @ K.T, K @ rng.normal(size=14), rng.uniform(0, 0.8, 3)
        turned = impulses_by_turns(W, b, mu, 0 * mu, 3000)
        if broken(W, b, mu, 0 * mu, turned) < 1e-12:
            np.testing.assert_allclose(contact_impulses(W, b, mu), turned, atol=1e-9)
            compared += 1
    assert compared > 6


def test_modes_in_a_plane_come_to_the_same_impulses():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        K = rng.normal(size=(4, 6))
        W, b, mu = K @ K.T, K @ rng.normal(size=6), np.array([0.2, 0.5])
        (p,) = impulses_by_modes(W, b, mu, 0 * mu)
        flat = np.array([0, 1, 3, 4])
        whole, speeds = np.zeros((6, 6)), np.zeros(6)
        whole[np.ix_(flat, flat)], speeds[flat] = W, b
        np.testing.assert_allclose(contact_impulses(whole, speeds, mu)[flat], p, atol=1e-9)


def test_units_do_not_matter():
    """Contacts of a grain and of a mountain, in one problem."""
    W, b, mu, rng = problem(5)
    sizes = np.repeat(10.0 ** rng.uniform(-6, 6, len(mu)), 3)
    p = contact_impulses(W, b, mu)
    scaled = contact_impulses(sizes[:, None] * W * sizes, sizes * b, mu)
    assert broken(W, b, mu, 0 * mu, scaled * sizes) < 1e-10
    np.testing.assert_allclose(W @ (scaled * sizes - p), 0 * b, atol=1e-10 * np.abs(b).max())


def test_where_sweeps_and_newton_fail_it_is_said_and_nothing_is_returned(monkeypatch):
    wire = Chain([Link(Prismatic((0.6, 0, 0.8)), 1, (0, 0, 0), np.eye(3))])
    plane, given = [Touch((0, -1), (0, 0, 0), (0, 0, 1))], {"restitution": 0.5, "friction": 2}
    with pytest.raises(
        ArithmeticError, match=r"residual of .* of the largest. With pyramids .* ray"
    ):
        collision_impulses(wire, [0], [-1], plane, **given)
    W, b, mu, _ = problem(7)
    monkeypatch.setattr(cones, "LONGEST", 1)
    monkeypatch.setattr(cones, "STARTS", (0,))
    monkeypatch.setattr(cones, "LATER", ())
    with pytest.raises(ArithmeticError, match="From pyramids it leaves"):
        contact_impulses(W, b, mu)


def straight_legs(seed, m=6):
    """A trunk that lands on feet under straight legs, each of which gives way sideways, a million times less."""
    rng = np.random.default_rng(seed)
    feet = np.column_stack([rng.uniform(-1, 1, (m, 2)), -np.ones(m)])
    axes = np.eye(3)[[2, 0, 1]]  # the normal comes first
    trunk = np.concatenate([np.broadcast_to(axes, (m, 3, 3)), np.cross(feet[:, None], axes)], -1)
    legs = 1e-3 * np.kron(np.eye(m), [[0], [1], [1]])
    K = np.concatenate([trunk.reshape(3 * m, 6), legs], axis=-1)
    qd = np.array([*rng.normal(0, 0.2, 2), -1, *rng.normal(0, 0.1, 3), *rng.normal(size=m)])
    return K @ K.T, K @ qd, np.full(m, 0.6)


def test_contacts_that_yield_a_little_more_lead_where_others_do_not():
    missed = []
    for seed in range(20):
        W, b, mu = straight_legs(seed)
        W, b, none, _ = cones.in_own_units(W, b, 0 * mu)
        given, size = (W, b, mu, none), np.abs(b).max()
        starts = np.zeros(len(b)), impulses_by_turns(*given, 50)
        at_once = [cones.newton(newton_step, given, p, size)[1] for p in starts]
        p, residual = cones.from_yielding(newton_step, given, size)
        assert residual < 1e-11 and broken(*given, p) < 1e-8
        missed.append(min(at_once) > 1e-3)
    assert sum(missed) >= 3


def test_a_simulation_goes_on_where_a_single_blow_is_refused(monkeypatch):
    """Its steps are less exact by far; within it, and not after it, 1e-6 is enough."""
    W, b, mu, _ = problem(7)
    right, newton = contact_impulses(W, b, mu), cones.newton

    def a_little_off(*given):
        p, _ = newton(*given)
        return p * (1 + 1e-8), 1e-8

    monkeypatch.setattr(cones, "newton", a_little_off)
    monkeypatch.setattr(cones, "LATER", ())
    for _ in range(2):
        with pytest.raises(ArithmeticError, match="leaves a residual of 1e-08"):
            contact_impulses(W, b, mu)
        with cones.in_steps():
            found = contact_impulses(W, b, mu)
        assert 0 < np.abs(W @ (found - right)).max() < 1e-6 * np.abs(b).max()


def test_pyramids_are_another_start(monkeypatch):
    """As if sweeps led nowhere."""
    monkeypatch.setattr(cones, "STARTS", ())
    monkeypatch.setattr(cones, "LATER", ())
    for seed in (1, 4, 11):
        W, b, mu, _ = problem(seed, 3)
        assert broken(W, b, mu, 0 * mu, contact_impulses(W, b, mu)) < 1e-10


# --- bodies ---


@pytest.mark.parametrize("heading", np.radians(np.arange(0, 360, 23)))
def test_a_block_that_slides_is_slowed_by_mu_g_against_its_velocity(heading):
    mu, size = 0.3, (0.4, 0.3, 0.1)
    chain = Chain([box(2.0, size)], gravity=(0, 0, -G))
    way = np.array([np.cos(heading), np.sin(heading), 0])
    qd, q = np.concatenate([np.zeros(3), 2 * way]), chain.neutral.astype(float)
    q[2] = 0.05
    at = corners(size)[corners(size)[:, 2] < 0]

    def find(q):
        return [Touch((0, -1), q[:3] + x, (0, 0, 1), q[2] - 0.05, mu) for x in at]

    qdd, _ = resting_contact(chain, q, qd, np.zeros(6), find(q), friction=None)
    np.testing.assert_allclose(qdd[3:], -mu * G * way, atol=1e-12)
    h = 0.01  # several steps in one, and the last one in which it stops
    motion = simulate_contact(chain, find, q, qd, t=[0, 0.1, 1.0], step=h)
    np.testing.assert_allclose(motion.qd[1, 3:], (2 - mu * G * 0.1) * way, atol=1e-11)
    np.testing.assert_allclose(motion.qd[2], np.zeros(6), atol=1e-12)


@pytest.mark.parametrize("heading", np.radians([0, 10, 22.5, 67, 200]))
def test_a_stack_pushed_between_facets_slides_as_it_is_pushed(heading):
    """Two boxes, the lower one pushed: it slides under the upper one and over the floor, by hand."""
    chain, find, q = stack(2, friction=0.2)
    chain = Chain([box(size=(1, 1, 0.5)) for _ in range(2)], gravity=(0, 0, -G))
    way, push = np.array([np.cos(heading), np.sin(heading), 0]), 20.0
    tau = np.zeros(12)
    tau[3:6] = push * way
    qdd, _ = resting_contact(chain, q, np.zeros(12), tau, find(q), friction=None)
    below, above = push - 0.2 * 3 * G, 0.2 * G  # both drag the lower box
    np.testing.assert_allclose(qdd[3:6], below * way, atol=1e-10)
    np.testing.assert_allclose(qdd[9:12], above * way, atol=1e-10)


def test_a_spinning_disc_of_feet_keeps_its_place():
    """Turning about its middle, each foot slips another way: no force, and a moment of mu N r."""
    ring = 12
    chain = Chain([ball(3.0, 0.2)], gravity=(0, 0, -G))
    turn = 2 * np.pi * np.arange(ring) / ring + 0.1
    feet = [Touch((0, -1), (0.2 * np.cos(a), 0.2 * np.sin(a), 0), (0, 0, 1)) for a in turn]
    tau = np.array([0, 0, 5.0, 0, 0, 0])
    qdd, forces = resting_contact(chain, chain.neutral, np.zeros(6), tau, feet, friction=0.4)
    np.testing.assert_allclose(forces.sum(0), [0, 0, 3 * G], atol=1e-10)
    np.testing.assert_allclose(qdd[2] * 0.4 * 3 * 0.04, 5 - 0.4 * 3 * G * 0.2, atol=1e-10)
