"""Boxes on boxes in machine code: the same points of contact as the general search has, and the same motions."""

import warnings

import numpy as np
import pytest
from contacts import ball, box

from chaindyn import (
    Box,
    Chain,
    Geometry,
    HalfSpace,
    compiled,
    distance,
    find_contacts,
    forward_kinematics,
    kinetic_energy,
    momentum,
    random_state,
    simulate_contact,
)
from chaindyn.compiler.boxes import Solid, between_boxes

TWO = Chain([ball(), ball()])
SIDES = (0.3, 0.5, 0.2), (0.4, 0.25, 0.35)
MARGIN = 1e-9
# ways in which they lie, and how many numbers of points these lead to at least
WAYS = {"anyhow": 4, "turned alike": 1, "flat on each other": 3, "touching": 1}


def postures(way, count):
    """States of two boxes: some deep in each other, and those of most ways brought to touch, a little deep."""
    rng = np.random.default_rng(list(WAYS).index(way))
    for _ in range(count):
        q, _ = random_state(TWO, rng)
        q[:3], q[7:10] = 0.15 * rng.normal(size=(2, 3))
        if way == "turned alike":
            q[10:14] = q[3:7]
        if way == "flat on each other":
            angle = rng.uniform(0, 7)
            q[3:7], q[10:14] = (1, 0, 0, 0), (np.cos(angle), 0, 0, np.sin(angle))
        if way != "anyhow":
            found = distance(*[x for pair in placed(q) for x in pair])
            q[:3] -= (found.distance + 10 ** rng.uniform(-8, -2)) * found.normal
        yield q


def placed(q):
    """Both boxes with their poses."""
    R, p = forward_kinematics(TWO, q)
    return [(Box(sides), (R[k], p[k])) for k, sides in enumerate(SIDES)]


def touching(chain, q):
    """What is found of the two boxes by choices alone."""
    R, p = forward_kinematics(chain, q)
    boxes = [Solid(p[k], R[k].T, np.array(sides) / 2) for k, sides in enumerate(SIDES)]
    points, n, gaps, closed, trust = between_boxes(*boxes, MARGIN)
    return points, n, gaps, 1 * closed, trust


@pytest.fixture(scope="module")
def fast():
    return compiled(touching, TWO)


@pytest.mark.parametrize("way", WAYS)
def test_closed_contacts_are_those_of_the_search(way, fast):
    """Points, normals and gaps, in whatever order; no posture is left to the search but deep ones."""
    geometries = [Geometry(Box(sides), k) for k, sides in enumerate(SIDES)]
    counts, doubted, count = set(), 0, 200
    for q in postures(way, count):
        points, n, gaps, closed, trust = fast(q)
        if not trust > 0:
            doubted += 1
            continue
        wanted = find_contacts(TWO, geometries, q, margin=MARGIN)
        k = np.flatnonzero(closed)
        assert len(k) == len(wanted)
        counts.add(len(k))
        if not wanted:
            continue
        np.testing.assert_allclose(n, wanted[0].normal, atol=1e-9)
        apart = np.linalg.norm(np.array([x.point for x in wanted])[:, None] - points[k], axis=-1)
        nearest = apart.argmin(1)
        assert apart.min(1).max() < 1e-8 and sorted(nearest) == list(range(len(k)))
        np.testing.assert_allclose([x.gap for x in wanted], gaps[k][nearest], atol=1e-9)
    assert fast.runs.interpreted == 0
    assert doubted < (0.2 if way == "anyhow" else 0.01) * count
    assert len(counts) >= WAYS[way]


def test_machine_code_finds_what_python_does(fast):
    for way in WAYS:
        for q in postures(way, 5):
            own, other = fast(q), touching(TWO, q)
            closed = other[3] > 0
            np.testing.assert_array_equal(own[3], other[3])
            np.testing.assert_array_equal(own[4] > 0, other[4] > 0)
            np.testing.assert_allclose(own[1], other[1], atol=1e-12)
            for k in (0, 2):
                np.testing.assert_allclose(own[k][closed], other[k][closed], atol=1e-11)


FLOOR = Geometry(HalfSpace((0, 0, 1)), "ground", friction=0.5)


def standing(count=3):
    """Boxes one upon the other."""
    chain = Chain([box(size=(0.2, 0.2, 0.1)) for _ in range(count)])
    q = chain.neutral.astype(float)
    q[2::7] = 0.1 * (np.arange(count) + 0.5)
    shapes = [Geometry(Box((0.2, 0.2, 0.1)), k, friction=0.5) for k in range(count)]
    return chain, [FLOOR, *shapes], q, np.zeros(chain.nv), {}


def crooked():
    """The same, each turned and shifted, and falling a little."""
    chain, shapes, q, qd, given = standing()
    angles = np.array([0.3, -0.2, 0.5])
    q[0::7], q[2::7] = (0.01, -0.02, 0.015), q[2::7] + 0.004 * np.arange(3)
    q[3::7], q[6::7] = np.cos(angles / 2), np.sin(angles / 2)
    return chain, shapes, q, qd, given


def knocking():
    """Two boxes that meet in flight, corner first, and fall."""
    chain = Chain([box(size=(0.2, 0.2, 0.1)), box(2.0, size=(0.1, 0.3, 0.2))])
    q, qd = chain.neutral.astype(float), np.zeros(12)
    q[:3], q[7:10] = (-0.2, 0, 0.3), (0.1, 0.02, 0.32)
    q[3:7], q[10:14] = [0.8, 0.3, 0.4, np.sqrt(0.11)], [0.9, -0.3, 0.1, np.sqrt(0.09)]
    R, _ = forward_kinematics(chain, q)
    qd[:3], qd[3:6], qd[9:] = (1, -2, 0), R[0].T @ (2, 0, 0), R[1].T @ (-1, 0, 0)
    shapes = [Geometry(Box((0.2, 0.2, 0.1)), 0, friction=0.3, restitution=0.4)]
    shapes += [Geometry(Box((0.1, 0.3, 0.2)), 1, friction=0.6), FLOOR]
    return chain, shapes, q, qd, {}


def shelved():
    """A box that slides on one that belongs to the ground, over its edge."""
    chain = Chain([box(size=(0.2, 0.2, 0.1))])
    q, qd = chain.neutral.astype(float), np.array([0, 0, 0, 1, 0.2, 0])
    q[2] = 0.55
    shelf = Geometry(Box((0.5, 0.4, 0.1)), "ground", offset=(0, 0, 0.45), friction=0.2)
    return chain, [shelf, Geometry(Box((0.2, 0.2, 0.1)), 0, friction=0.2)], q, qd, {}


SCENES = [standing, crooked, knocking, shelved]


def motion(scene, compiled=True, t=None, **more):
    """A motion of a scene; that steps ran as they stand is an error."""
    chain, shapes, q, qd, given = scene()
    times = np.linspace(0, 0.3, 16) if t is None else t
    given = {"t": times, "step": 0.002, "compiled": compiled, **given, **more}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*as they stand")
        return simulate_contact(chain, shapes, q, qd, **given)


@pytest.mark.parametrize("scene", SCENES)
def test_the_same_motion(scene):
    own, other = motion(scene), motion(scene, compiled=False)
    assert not own.reason and len(other.log.t) > 20
    size = max(np.abs(other.qd).max(), 1)
    assert np.abs(own.q - other.q).max() < 1e-9 * size
    assert np.abs(own.qd - other.qd).max() < 1e-7 * size
    assert set(map(tuple, own.log.bodies)) == set(map(tuple, other.log.bodies))
    for pair in np.unique(other.log.bodies, axis=0):
        logs = [log.impulses[(log.bodies == pair).all(-1)] for log in (own.log, other.log)]
        np.testing.assert_allclose(*[x.sum(0) for x in logs], atol=1e-8 * np.abs(logs[1]).sum())


def test_a_stack_stands_and_does_not_sink():
    found = motion(standing, t=np.linspace(0, 2, 5))
    assert not found.reason
    assert np.abs(found.q - found.q[0]).max() < 1e-12
    assert np.abs(found.qd).max() < 1e-12


def test_knocks_keep_momentum_and_gain_no_energy():
    """Without weight and floor, by the law that never gains."""

    def free():
        chain, shapes, q, qd, _ = knocking()
        return Chain(chain.links, gravity=(0, 0, 0)), shapes[:2], q, qd, {"law": "moreau"}

    found = motion(free, t=np.linspace(0, 0.4, 41), friction=0.5, restitution=0.7)
    chain, q, qd = free()[0], found.q, found.qd
    assert len(found.log.t) > 0
    linear = np.array([momentum(chain, x, y)[3:] for x, y in zip(q, qd, strict=True)])
    # each of 2 kg m/s; by the midpoint rule bodies that turn freely keep it, and energy, to the square of the step
    np.testing.assert_allclose(linear, linear[[0] * len(linear)], atol=1e-3)
    energy = np.array([kinetic_energy(chain, x, y) for x, y in zip(q, qd, strict=True)])
    assert np.diff(energy).max() < 1e-4 * energy[0] and energy[-1] < 0.9 * energy[0]
