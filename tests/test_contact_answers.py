"""Known answers of contact, all the way: shapes, their contacts, and what these do. Each answer is known by hand.

The same scenes are asked of other engines by bench/contact_answers.py.
"""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from contacts import ball, box

from chaindyn import (
    Box,
    Chain,
    Geometry,
    HalfSpace,
    Link,
    Prismatic,
    Sphere,
    collision_impulses,
    find_contacts,
    resting_contact,
    simulate_contact,
)
from chaindyn.guards.ties import islands

G = 9.81
KEPT = Path(__file__).parents[1] / "chapters" / "22_through_time_engines.json"


def floor(**surface):
    return Geometry(HalfSpace((0, 0, 1)), "ground", **surface)


def scene(shape, links, gravity=(0, 0, -G), **surface):
    """Free bodies of one shape over a floor, and their geometries."""
    chain = Chain(links, gravity=gravity)
    return chain, [floor(**surface), *(Geometry(shape, i, **surface) for i in range(len(links)))]


def at(chain, *places):
    """Upright bodies at places."""
    q = chain.neutral.astype(float).copy()
    for i, place in enumerate(places):
        q[7 * i : 7 * i + 3] = place
    return q


def test_zeno():
    e, radius = 0.8, 0.1
    chain, geometries = scene(Sphere(radius), [ball(1.0, radius)], restitution=e)
    end = np.sqrt(2 / G) * (1 + e) / (1 - e)
    start = at(chain, (0, 0, radius + 1)), np.zeros(6)
    motion = simulate_contact(
        chain, geometries, *start, t=[0, end + 0.1], step=0.2, method="events"
    )
    assert motion.reason == ""
    assert motion.log.t[motion.log.kind == "rest"] == pytest.approx([end], abs=1e-9)
    assert motion.q[-1] == pytest.approx(at(chain, (0, 0, radius)), abs=1e-9)


@pytest.mark.parametrize(
    ("order", "expected"),
    [("sequence", [0, 0, 0, 0, 1]), ("together", [-0.6, 0.4, 0.4, 0.4, 0.4])],
)
def test_the_cradle_by_events(order, expected):
    """Balls that touch each other, found as balls."""
    r = 0.5
    slide = Link(Prismatic((1, 0, 0)), 1, (0, 0, 0), 0.4 * r * r * np.eye(3), parent="ground")
    chain = Chain([slide] * 5, gravity=(0, 0, 0))
    balls = [Geometry(Sphere(r), i, restitution=1.0) for i in range(5)]
    q, qd = np.array([-0.25, 1, 2, 3, 4]), np.array([1.0, 0, 0, 0, 0])
    motion = simulate_contact(
        chain, balls, q, qd, t=[0, 0.5], step=0.1, method="events", order=order
    )
    assert motion.qd[-1] == pytest.approx(expected, abs=1e-12)
    assert motion.q[-1] == pytest.approx([0, 1, 2, 3, 4] + 0.25 * np.array(expected), abs=1e-10)


@pytest.mark.parametrize("law", ["newton", "poisson", "moreau"])
@pytest.mark.parametrize("wide", [0.3, 0.6])
def test_housners_block(wide, law):
    """1 - 3/2 sin^2(alpha), from edge to edge; the left edge takes nothing."""
    high = 1.0
    chain, geometries = scene(Box((wide, 0.4, high)), [box(1.0, (wide, 0.4, high))], friction=1.0)
    q = at(chain, (0, 0, high / 2))
    contacts = find_contacts(chain, geometries, q)
    assert len(contacts) == 4
    qd = np.array([0, 1.0, 0, high / 2, 0, -wide / 2])
    hit = collision_impulses(chain, q, qd, contacts, restitution=None, friction=None, law=law)
    sine = wide / np.hypot(wide, high)
    ratio = 1 - 1.5 * sine**2
    after = ratio * np.array([0, 1, 0, high / 2, 0, wide / 2])  # about the edge at x = +wide/2
    assert qd + hit.qd_jump == pytest.approx(after, abs=1e-12)
    left = np.array([c.point[0] < 0 for c in contacts])
    assert np.abs(hit.impulses[left]).max() < 1e-12
    assert hit.energy_after == pytest.approx(ratio**2 * hit.energy_before)


def test_a_block_rocks_through_its_blow():
    """By events: it falls from one edge onto the other, with the energy that Housner's ratio leaves."""
    wide, high, tilt = 0.3, 1.0, 0.05
    size = (wide, 0.4, high)
    chain, geometries = scene(Box(size), [box(1.0, size)], friction=1.0)
    turn = np.array(
        [np.cos(tilt / 2), 0, -np.sin(tilt / 2), 0]
    )  # it stands on the edge at x = -wide/2
    c, s = np.cos(tilt), np.sin(tilt)
    middle = np.array([c * wide / 2 - s * high / 2 - wide / 2, 0, s * wide / 2 + c * high / 2])
    q = np.concatenate([middle, turn])
    motion = simulate_contact(
        chain, geometries, q, np.zeros(6), t=np.linspace(0, 0.4, 81), step=0.005
    )
    spin = motion.qd[:, 1]
    k = int(np.argmax(np.diff(spin) < -0.03))  # the step in which it is struck
    ratio = 1 - 1.5 * (wide / np.hypot(wide, high)) ** 2
    assert spin[k + 1] / spin[k] == pytest.approx(ratio, rel=0.05)
    fallen = np.sqrt(2 * G * (middle[2] - high / 2) / (chain.links[0].inertia[1, 1] + 0.2725))
    assert spin[k] == pytest.approx(fallen, rel=0.05)


@pytest.mark.parametrize("law", ["newton", "poisson", "steps"])
@pytest.mark.parametrize("u", [1.0, 2.0])
def test_backspin(law, u):
    """It leaves with (5 u - 2 r w)/7 and e v, and comes back if r w > 5/2 u."""
    r, e, v, w = 0.1, 0.6, 2.0, 40.0
    chain, geometries = scene(
        Sphere(r), [ball(2.0, r)], gravity=(0, 0, 0), restitution=e, friction=1.0
    )
    q, qd = at(chain, (0, 0, r)), np.array([0, -w, 0, u, 0, -v])
    back = (5 * u - 2 * r * w) / 7
    assert (back < 0) == (r * w > 5 / 2 * u)
    if law == "steps":
        step = 1e-6  # it turns meanwhile, and its own axes with it
        motion = simulate_contact(chain, geometries, q, qd, t=[0, step], step=step)
        assert motion.qd[-1, 3:] == pytest.approx([back, 0, e * v], abs=1e-4)
        return
    contacts = find_contacts(chain, geometries, q, margin=1e-9)
    hit = collision_impulses(chain, q, qd, contacts, restitution=None, friction=None, law=law)
    rolling = [0, back / r, 0, back, 0, e * v]
    assert qd + hit.qd_jump == pytest.approx(rolling, abs=1e-12)


@pytest.mark.parametrize(("left", "right"), [(0.4, 0.8), (0.3, 0.3), (0.9, 0.1)])
def test_a_rod_on_two_supports(left, right):
    """The lever: each support, a pair of knobs, carries the share of the other's arm."""
    mass, r, size = 3.0, 0.1, (2.0, 0.4, 0.1)
    chain = Chain([box(mass, size)], gravity=(0, 0, -G))
    knobs = [
        Geometry(Sphere(r), "ground", offset=(x, y, -r), friction=0.5)
        for x in (-left, right)
        for y in (-0.15, 0.15)
    ]
    geometries = [*knobs, Geometry(Box(size), 0, friction=0.5)]
    q = at(chain, (0, 0, size[2] / 2))
    contacts = find_contacts(chain, geometries, q, margin=1e-9)
    assert len(contacts) == 4
    qdd, forces = resting_contact(chain, q, np.zeros(6), np.zeros(6), contacts, friction=None)
    assert np.abs(qdd).max() < 1e-12
    shares = np.array([right, left]) / (left + right) * mass * G
    on_left = np.array([c.point[0] < 0 for c in contacts])
    found = [forces[own, 2].sum() for own in (on_left, ~on_left)]
    assert found == pytest.approx(shares, rel=1e-12)
    motion = simulate_contact(chain, geometries, q, np.zeros(6), t=[0, 1], step=0.05)
    assert motion.q[-1] == pytest.approx(q, abs=1e-12)
    on_left = motion.log.points[:, 0] < 0
    found = [motion.log.impulses[own, 2].sum() for own in (on_left, ~on_left)]
    assert found == pytest.approx(shares, rel=1e-10)


def on_slope(degrees, mu):
    """A block on a floor over which gravity leans."""
    a, size = np.radians(degrees), (1.0, 0.8, 0.2)
    leaning = G * np.array([np.sin(a), 0, -np.cos(a)])
    chain, geometries = scene(Box(size), [box(3.0, size)], gravity=leaning, friction=mu)
    return chain, geometries, at(chain, (0, 0, 0.1))


@pytest.mark.parametrize(
    ("step", "method"),
    [
        (0.1, "steps"),
        (0.1, "events"),
        pytest.param(0.001, "steps", marks=pytest.mark.nightly),
        pytest.param(0.01, "events", marks=pytest.mark.nightly),
    ],
)
def test_a_block_sticks(step, method):
    chain, geometries, q = on_slope(15, 0.5)
    motion = simulate_contact(
        chain, geometries, q, np.zeros(6), t=[0, 10], step=step, method=method
    )
    assert np.abs(motion.q[-1] - q).max() < 1e-12


@pytest.mark.parametrize(("degrees", "mu"), [(30, 0.3), (50, 1.0), (16.75, 0.3)])
def test_a_block_slides(degrees, mu):
    chain, geometries, q = on_slope(degrees, mu)
    motion = simulate_contact(chain, geometries, q, np.zeros(6), t=[0, 1], step=0.05)
    a = np.radians(degrees)
    way = G * (np.sin(a) - mu * np.cos(a)) / 2
    assert motion.q[-1, :3] - q[:3] == pytest.approx([way, 0, 0], abs=1e-10)


@pytest.mark.parametrize(
    ("count", "step"),
    [(3, 0.2), (10, 0.5), pytest.param(10, 0.01, marks=pytest.mark.nightly)],
)
def test_a_stack_of_boxes_does_not_sag(count, step):
    """Ten boxes for ten seconds, box on box as they are found: less than 1e-9 m."""
    size = (1.0, 1.0, 0.5)
    chain, geometries = scene(Box(size), [box(size=size) for _ in range(count)], friction=0.5)
    q = at(chain, *((0, 0, 0.25 + 0.5 * i) for i in range(count)))
    assert len(find_contacts(chain, geometries, q, margin=1e-9)) == 4 * count
    motion = simulate_contact(chain, geometries, q, np.zeros(chain.nv), t=[0, 10], step=step)
    assert motion.reason == ""
    assert np.abs(motion.q[-1] - q).max() < 1e-9
    for i in range(count):
        own = (np.sort(motion.log.bodies, axis=-1) == [i - 1, i]).all(-1)
        carried = np.abs(motion.log.impulses[own, 2].sum())
        assert carried == pytest.approx((count - i) * G * 10, rel=1e-9)


def test_what_does_not_meet_is_solved_apart():
    """Boxes on one floor, each with its friction: each slides as if it were alone; a stack is one island."""
    size, speeds, frictions = (
        (0.2, 0.2, 0.1),
        [(1.0, 0.0), (0.3, -2.0), (0.0, 0.5)],
        [0.4, 0.1, 1.6],
    )

    def at_end(*which):
        links = [box(size=size) for _ in which]
        chain = Chain(links, gravity=(0, 0, -G))
        shapes = [Geometry(Box(size), i, friction=frictions[k]) for i, k in enumerate(which)]
        q = at(chain, *((5 * k, 0, 0.05) for k in which))
        qd = np.concatenate([[0, 0, 0, *speeds[k], 0] for k in which])
        given = [floor(friction=1.0), *shapes]
        return simulate_contact(chain, given, q, qd, t=[0, 0.1], step=0.02).qd[-1].reshape(-1, 6)

    together = at_end(0, 1, 2)
    for k in range(3):
        assert together[k] == pytest.approx(at_end(k)[0], abs=1e-13)
        speed = np.linalg.norm(speeds[k])
        mu = np.sqrt(frictions[k])  # of two surfaces, 1 and this, the geometric mean counts
        left = max(0, speed - mu * G * 0.1)
        assert np.linalg.norm(together[k][3:5]) == pytest.approx(left, abs=1e-12)
    W = np.kron(np.diag([1.0, 1, 1, 1]), np.eye(3))
    assert [k.tolist() for k in islands(W)] == [[0], [1], [2], [3]]
    W[0, 7] = W[7, 0] = W[6, 10] = W[10, 6] = 1e-9  # 0 meets 2, and 2 meets 3
    assert [k.tolist() for k in islands(W)] == [[0, 2, 3], [1]]


def test_torques_of_speed_act_in_a_step():
    """A damped ball on a floor: a function of the rates is asked at the rates of each slope."""
    chain, geometries = scene(Sphere(0.1), [ball(2.0, 0.1)])

    def drag(t, q, qd):
        return -3 * qd * [0, 0, 0, 1, 1, 0]

    q, qd = at(chain, (0, 0, 0.1)), np.array([0, 0, 0, 1.0, 2.0, 0])
    for step, bound in ((0.02, 2e-4), (0.01, 5e-5)):
        motion = simulate_contact(chain, geometries, q, qd, t=[0, 1], step=step, torque=drag)
        assert motion.qd[-1] == pytest.approx(np.exp(-1.5) * qd, abs=bound)


# --- what the other engines say ---


def load():
    path = KEPT.parents[1] / "bench" / "contact_answers.py"
    spec = importlib.util.spec_from_file_location("contact_answers", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_kept_is_what_was_asked():
    bench, kept = load(), json.loads(KEPT.read_text())
    assert set(kept) == set(bench.SETTINGS)
    for name, (_, _, settings) in bench.SETTINGS.items():
        for kind, given in settings.items():
            assert kept[name][kind]["settings"] == given
            answers = [kept[name][kind][question.__name__] for question in bench.ANSWERS]
            assert np.isfinite(np.concatenate([np.ravel(x) for x in answers])).all()


@pytest.mark.parametrize("question", ["housner", "rod", "slides"])
def test_mujoco_still_says_what_is_kept(question):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    bench, kept = load(), json.loads(KEPT.read_text())["mujoco"]
    if kept["version"] != mujoco.__version__:
        pytest.skip(f"kept of MuJoCo {kept['version']}")
    answer = getattr(bench, question)(lambda s: bench.asked(bench.mujoco, {}, s))
    assert answer == pytest.approx(kept["default"][question], rel=1e-6, abs=1e-9)
