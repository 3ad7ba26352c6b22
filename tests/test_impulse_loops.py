"""A blow on a chain whose loops are closed: against dense systems, cuts at other places, and laws."""

import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from loops import allowed_motions, opened, random_loops, ring
from trees import EPS

from chaindyn import (
    Chain,
    Closure,
    Coupling,
    Cylindrical,
    Distance,
    Fixed,
    Link,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    assemble,
    body_jacobian,
    body_twists,
    constraint_jacobian,
    constraint_wrenches,
    crba,
    forward_kinematics,
    impact,
    kinetic_energy,
    spatial_inertia,
)
from chaindyn.teaching import normwise

RECURSIONS = ("body", "world")
UP = (0, 1, 0)
SEEDS, JOINTS = (0, 1, 2, 4, 6, 7), (Spherical, Universal, Cylindrical, Planar)


def blow_on(chain, q, qd, b, rng):
    """Return a contact near a link, towards which it moves."""
    point = forward_kinematics(chain, q)[1][b] + 0.5 * rng.normal(size=3)
    normal = rng.normal(size=3)
    V = body_twists(chain, q, qd, frame="world")[b]
    if normal @ (V[3:] + np.cross(V[:3], point)) > 0:
        normal = -normal
    return {"body": b, "point": point, "normal": normal, "restitution": rng.uniform()}


def looped(chain, loops, q, qd, rng):
    """Return a link of a loop that moves, and by no joint of six freedoms: others feel nothing of the loops."""
    speeds = np.linalg.norm(body_twists(chain, q, qd), axis=-1)
    held = {i for loop in loops for body in loop.bodies(chain) for i in chain.path(body)}
    return int(rng.choice([i for i in held if speeds[i] > 1e-3 and chain.joints[i].nv < 6]))


def row_of(chain, q, blow):
    """Return how the joint rates move the struck point along the normal (nv,)."""
    normal = blow["normal"] / np.linalg.norm(blow["normal"])
    J = body_jacobian(chain, q, blow["body"], frame="world")
    return normal @ (J[3:] - np.cross(blow["point"], J[:3].T).T)


@pytest.mark.parametrize("recursion", RECURSIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_loops_jump_as_the_bordered_system_says(seed, recursion):
    chain, loops, q, qd, rng = random_loops(seed, 12, JOINTS)
    blow = blow_on(chain, q, qd, looped(chain, loops, q, qd, rng), rng)
    hit = impact(chain, q, qd, **blow, constraints=loops, recursion=recursion)
    M, K, row = crba(chain, q), constraint_jacobian(chain, loops, q), row_of(chain, q, blow)
    s = 1 / np.sqrt(np.diag(M))
    system = np.block([[M * np.outer(s, s), -(K * s).T], [K * s, np.zeros((len(K), len(K)))]])
    y = np.linalg.lstsq(system, np.concatenate([s * row, np.zeros(len(K))]), rcond=1e-11)[0]
    unit, held = s * y[: len(M)], y[len(M) :]
    limit = 1e4 * EPS * np.linalg.cond(M)
    assert abs(hit.effective_mass * (row @ unit) - 1) <= limit
    speed = row @ qd
    impulse = -(1 + blow["restitution"]) * speed / (row @ unit)
    assert abs(hit.impulse / impulse - 1) <= limit
    assert normwise(hit.qd_jump, unit * impulse) <= limit
    assert normwise(K.T @ hit.multipliers, K.T @ held * impulse) <= limit
    assert (
        np.abs(K @ (qd + hit.qd_jump)).max() <= limit * np.abs(K).max() * np.abs(hit.qd_jump).max()
    )
    after = kinetic_energy(chain, q, qd + hit.qd_jump)
    assert abs(hit.energy_after / after - 1) <= limit
    loss = (1 - blow["restitution"] ** 2) * hit.effective_mass * speed**2 / 2
    assert abs(hit.energy_before - hit.energy_after - loss) <= limit * hit.energy_before


@pytest.mark.parametrize("recursion", RECURSIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_link_s_momentum_jumps_by_what_acts_on_it(seed, recursion):
    """About the world origin, with the wrenches of the loops from the multipliers, link by link."""
    chain, loops, q, qd, rng = random_loops(seed, 12, JOINTS)
    b = looped(chain, loops, q, qd, rng)
    blow = blow_on(chain, q, qd, b, rng)
    hit = impact(chain, q, qd, **blow, constraints=loops, recursion=recursion)
    R, p = forward_kinematics(chain, q)
    held = constraint_wrenches(chain, loops, q, hit.multipliers, frame="world")
    push = hit.impulse * blow["normal"] / np.linalg.norm(blow["normal"])
    jumps = body_twists(chain, q, hit.qd_jump, frame="world")
    assert normwise(hit.twist_jumps, jumps) <= 1e-12
    size = np.abs(hit.joint_impulses).max()
    for i in range(chain.n):
        turned = R[i] @ chain.inertia[i] @ R[i].T
        I = spatial_inertia(chain.mass[i], p[i] + R[i] @ chain.com[i], turned)
        got = hit.joint_impulses[i] + held[i]
        if i == b:
            got = got + np.concatenate([np.cross(blow["point"], push), push])
        for child in range(chain.n):
            if chain.parent[child] == i:
                got = got - hit.joint_impulses[child]
        assert np.abs(I @ jumps[i] - got).max() <= 1e-11 * size


def test_an_impulse_passes_where_the_loop_is_cut_elsewhere():
    """A ring without redundant rows, cut at its ball or at a hinge: each joint's impulse is the same."""
    (chain, ball, q, qd, rng), cut = ring(6), 3
    blow = blow_on(chain, q, qd, 2, rng)
    hit = impact(chain, q, qd, **blow, constraints=ball)
    tree, pin, q2, qd2 = opened(chain, q, qd, cut)
    other = impact(tree, q2, qd2, **blow, constraints=[ball, pin])
    limit = 100 * EPS * np.linalg.cond(crba(tree, q2)) * np.linalg.cond(crba(chain, q))
    assert abs(other.impulse / hit.impulse - 1) <= limit
    assert normwise(other.twist_jumps, hit.twist_jumps) <= limit
    assert normwise(other.multipliers[:3], hit.multipliers) <= limit
    apart = np.arange(6) != cut
    assert normwise(other.joint_impulses[apart], hit.joint_impulses[apart]) <= limit
    pinned = constraint_wrenches(tree, [pin], q2, other.multipliers[3:], frame="world")
    assert normwise(pinned[cut], hit.joint_impulses[cut]) <= limit


def four_bar(joint=None):
    """Return three rods that close a loop with the ground, its pin, and a posture."""
    rod = Link(Revolute(UP), 1.3, (0.5, 0, 0), np.diag([0.001, 0.1, 0.1]), offset=(1, 0, 0))
    first = Link(Revolute(UP), 1.3, (0.5, 0, 0), np.diag([0.001, 0.1, 0.1]))
    chain = Chain([first, rod, rod])
    pin = Closure(joint or Revolute(UP), 2, offset=(1, 0, 0), onto_offset=(1.2, 0, 0))
    return chain, pin, assemble(chain, pin, np.array([-1.9, 1.8, 1.3]))


def test_a_mechanism_of_one_freedom_weighs_what_its_crank_says():
    """m_e = M / (dx/dt)^2, for the one speed that there is."""
    chain, pin, q = four_bar()
    u = allowed_motions(chain, pin, q)[0]
    reduced = u @ crba(chain, q) @ u
    for b in range(3):
        blow = {"body": b, "point": forward_kinematics(chain, q)[1][b] + [0.3, 0, 0.2]}
        blow |= {"normal": np.array([0.6, 0, 0.8]), "restitution": 0.3}
        x = row_of(chain, q, blow) @ u
        hit = impact(chain, q, -np.sign(x) * u, **blow, constraints=pin)
        if abs(x) > 1e-9:
            assert hit.effective_mass == pytest.approx(reduced / x**2, rel=1e-12)
            assert hit.impulse == pytest.approx(1.3 * reduced / abs(x), rel=1e-12)


def test_redundant_rows_change_no_jump():
    chain, pin, q = four_bar()
    rod = Closure(Fixed(), 0, 0 + 1)  # not kept, and not used: only its class
    assert rod.bodies(chain) == (0, 1)
    ball = Closure(Spherical(), 2, offset=(1, 0, 0), onto_offset=(1.2, 0, 0))
    u = allowed_motions(chain, pin, q)[0]
    blow = {"point": (1, 0, 0.3), "normal": (1, 0, 0.2), "restitution": 0.5, "body": 1}
    u = u * -np.sign(row_of(chain, q, {**blow, "normal": np.array(blow["normal"])}) @ u)
    once = impact(chain, q, u, **blow, constraints=ball)
    for loops in ([pin], [ball, pin], [pin, pin, pin]):
        again = impact(chain, q, u, **blow, constraints=loops)
        assert once.impulse == pytest.approx(again.impulse, rel=1e-12)
        assert normwise(again.qd_jump, once.qd_jump) <= 1e-12


@pytest.mark.parametrize("gap", [1e-9, 1e-7])
def test_rows_that_a_little_gap_sets_apart_are_redundant_still(gap):
    """A rhombus whose coupler hangs on a third crank, which locks it only if the loop is open."""
    chain, _, _ = four_bar()
    pin = Closure(Revolute(UP), 2, offset=(1, 0, 0), onto_offset=(1, 0, 0))
    crank = Distance(1, length=1.0, offset=(0.5, 0, 0), onto_offset=(0.5, 0, 0))
    q, u = np.array([-1.2, 1.2, np.pi - 1.2]), np.array([1.0, -1.0, 1.0])
    blow = {"point": (1, 0, 0.3), "normal": np.array([1, 0, 0.2]), "restitution": 0.5, "body": 1}
    u = u * -np.sign(row_of(chain, q, blow) @ u)
    closed = impact(chain, q, u, **blow, constraints=pin)
    assert np.linalg.norm(closed.qd_jump) > 1
    near = q + gap * np.array([0.3, -0.7, 0.6])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the rates are those of the closed loop
        found = impact(chain, near, u, **blow, constraints=[pin, crank])
    assert normwise(found.qd_jump, closed.qd_jump) <= 1e3 * gap


def test_a_loop_makes_nothing_lighter():
    """Constraints take motions away: the struck point yields less, or as much."""
    ratios = []
    for seed in SEEDS:
        chain, loops, q, qd, rng = random_loops(seed, 12, JOINTS)
        blow = blow_on(chain, q, qd, looped(chain, loops, q, qd, rng), rng)
        masses = [
            impact(chain, q, qd, **blow, constraints=loops[:k]).effective_mass
            for k in range(len(loops) + 1)
        ]
        ratios += [b / a for a, b in pairwise(masses)]
    assert min(ratios) >= 1 - 1e-10
    assert max(ratios) > 1.5


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_what_a_loop_locks_cannot_be_struck(recursion):
    """Two rods and the ground are a truss."""
    chain, _, _ = four_bar()
    truss = Chain(chain.links[:2])
    pin = Closure(Revolute(UP), 1, offset=(1, 0, 0), onto_offset=(1.2, 0, 0))
    q = assemble(truss, pin, np.array([-1.0, 1.8]))
    blow = {"point": (0.9, 0, 0.4), "normal": (1, 0, 0.2), "restitution": 0.5, "body": 1}
    with pytest.warns(RuntimeWarning, match="cannot move"):
        hit = impact(truss, q, np.zeros(2), **blow, constraints=pin, recursion=recursion)
    assert hit.effective_mass == np.inf
    assert hit.impulse == 0
    assert not hit.qd_jump.any()


def test_gears_are_struck_in_exact_numbers():
    """A slide of 2 kg drives one of 3 kg at twice the speed: 2 + 4 * 3 kg, and the gear's impulse along the joints."""
    rail = Prismatic((1, 0, 0))
    slides = Chain(
        [
            Link(rail, 2, (0, 0, 0), np.eye(3, dtype=int), parent="ground", name="slow"),
            Link(rail, 3, (0, 0, 0), np.eye(3, dtype=int), parent="ground", name="fast"),
        ]
    )
    gear = Coupling({"slow": 2, "fast": -1})
    third = Fraction(1, 3)
    hit = impact(
        slides,
        np.array([0 * third, 0 * third]),
        np.array([third, 2 * third]),
        point=(0, 0, 0),
        normal=(-1, 0, 0),
        restitution=0,
        body="slow",
        constraints=gear,
    )
    assert hit.effective_mass == 14
    assert hit.impulse == 14 * third
    assert list(hit.qd_jump) == [-third, -2 * third]
    assert list(hit.multipliers) == [2]  # 3 kg lose 2/3 m/s
    # along its rail each joint passes the gear's impulse: 2 * 2 N s forward on the slow one, 2 backward on the fast
    assert [list(x[3:]) for x in hit.joint_impulses] == [[4, 0, 0], [-2, 0, 0]]
    assert hit.energy_after == 0


def test_a_batch_of_loops_is_struck_at_once():
    chain, pin, q = four_bar()
    qs = np.stack([q, assemble(chain, pin, q + 0.3)])
    us = np.stack([allowed_motions(chain, pin, one)[0] for one in qs])
    blow = {"point": (1, 0, 0.3), "normal": (1, 0, 0.2), "restitution": 0.5, "body": 1}
    both = impact(chain, qs, us, **blow, constraints=pin)
    for k in range(2):
        one = impact(chain, qs[k], us[k], **blow, constraints=pin)
        assert normwise(both.qd_jump[k], one.qd_jump) <= 1e-13
        assert normwise(both.multipliers[k], one.multipliers) <= 1e-12
        assert normwise(both.joint_impulses[k], one.joint_impulses) <= 1e-13


def test_no_constraints_are_none():
    chain, _, q = four_bar()
    blow = {"point": (1, 0, 0.3), "normal": (1, 0, 0.2), "restitution": 0.5, "body": 1}
    u = -np.array([0.3, 1, 0.2])
    a, b = (impact(chain, q, u, **blow, **more) for more in ({}, {"constraints": []}))
    assert np.array_equal(a.qd_jump, b.qd_jump)
    assert a.multipliers.shape == b.multipliers.shape == (0,)


def test_bad_loops_are_told():
    chain, pin, q = four_bar()
    blow = {"point": (1, 0, 0.3), "normal": (1, 0, 0.2), "restitution": 0.5, "body": 1}
    with pytest.warns(RuntimeWarning, match=r"velocities break the constraints: K qd is"):
        impact(chain, q, np.array([1.0, 0, 0]), **blow, constraints=pin)
    with pytest.raises(ValueError, match=r"constraints\[0\] is 3"):
        impact(chain, q, np.zeros(3), **blow, constraints=[3])
    with pytest.raises(ValueError, match="link of a Distance is 'tip'"):
        impact(chain, q, np.zeros(3), **blow, constraints=Distance("tip", length=1))
