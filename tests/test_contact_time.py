"""Motion through contacts: Zeno's ball, slopes, stacks, rods, and what happens when it ends early."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from contacts import Touch, ball, box, corners, points_on_plane, stack

from chaindyn import (
    Box,
    Chain,
    Closure,
    Free,
    Geometry,
    HalfSpace,
    Link,
    Prismatic,
    Revolute,
    Sphere,
    Spherical,
    body_twists,
    collision_impulses,
    forward_kinematics,
    integrate,
    kinetic_energy,
    momentum,
    quaternion_from_rotation,
    random_state,
    resting_contact,
    rotation_about,
    simulate,
    simulate_contact,
)
from chaindyn.jobs.floating import rates_in_new_axes

G = 9.81
DOWN = {"gravity": (0, 0, -G)}


def bouncing(height=1.0, radius=0.1, restitution=0.8, **more):
    chain = Chain([ball(1.0, radius)], **DOWN)
    find = points_on_plane(
        chain, {0: np.zeros((1, 3))}, radius=radius, restitution=restitution, **more
    )
    q = chain.neutral.astype(float).copy()
    q[2] = radius + height
    return chain, find, q


def on_slope(degrees, mu, size=(1.0, 0.8, 0.2)):
    """A block at rest on a slope that falls along x, and a finder of its lower corners."""
    a = np.radians(degrees)
    chain = Chain([box(3.0, size)], **DOWN)
    up = np.array([np.sin(a), 0, np.cos(a)])
    R = rotation_about(np.array([0, 1.0, 0]), np.array([a]))
    low = corners(size)
    find = points_on_plane(chain, {0: low[low[:, 2] < 0]}, up, friction=mu)
    return chain, find, np.concatenate([up * size[2] / 2, quaternion_from_rotation(R)])


# --- by events ---


@pytest.mark.parametrize(("eps", "step"), [(0.8, 0.2), (0.0, 0.1)])
def test_zenos_ball(eps, step):
    """It comes to rest after sqrt(2h/g) (1 + e)/(1 - e), having bounced infinitely often."""
    chain, find, q = bouncing(restitution=eps)
    end = np.sqrt(2 / G) * (1 + eps) / (1 - eps)
    motion = simulate_contact(
        chain, find, q, np.zeros(6), t=[0, end / 2, end + 0.2], step=step, method="events"
    )
    log = motion.log
    assert motion.reason == ""
    assert log.t[log.kind == "rest"] == pytest.approx([end], abs=1e-9)
    blows = log.t[log.kind == "blow"]
    k = np.arange(len(blows))
    assert blows == pytest.approx(
        np.sqrt(2 / G) * (1 + 2 * sum((eps**j * (k >= j) for j in range(1, len(k))), 0.0 * k)),
        abs=1e-10,
    )
    speeds = np.sqrt(2 * G) * eps**k
    share = np.append(np.full(len(k) - 1, 1 + eps), 1.0)  # the last is handed over
    assert log.impulses[log.kind == "blow", 2] == pytest.approx(share * speeds, rel=1e-7)
    assert motion.q[-1, 2] == pytest.approx(0.1, abs=1e-9)
    assert np.abs(motion.qd[-1]).max() < 1e-12


def test_a_ball_that_loses_nothing_keeps_its_energy():
    chain, find, q = bouncing(restitution=1.0)
    qd = np.array([0, 0, 0, 1.0, 0, 0])
    motion = simulate_contact(chain, find, q, qd, t=np.linspace(0, 3, 7), step=0.1, method="events")
    assert motion.energy == pytest.approx(np.full(7, motion.energy[0]), rel=1e-12)
    blows = (motion.log.t / np.sqrt(2 / G) - 1) / 2
    assert blows == pytest.approx(np.round(blows), abs=1e-10)
    assert motion.q[:, 0] == pytest.approx(motion.t)


def test_weight_lets_a_step_of_moreaus_law_gain_a_little():
    """Of a contact that still overlaps and opens more slowly than weight closes it; by no more than order h^2."""
    eps, h = 0.2, 0.01
    chain, find, q = bouncing(restitution=eps)
    t = h * np.arange(81)
    motion = simulate_contact(chain, find, q, np.zeros(6), t=t, step=h, law="moreau")
    gained = np.diff(motion.energy)
    # of (1 - e) v (g h - (1 + e) v) / 2, for 1 kg
    most = (1 - eps) / (8 * (1 + eps)) * (G * h) ** 2
    assert 0.1 * most < gained.max() <= most * (1 + 1e-9)
    assert motion.energy[-1] < motion.energy[0]


def test_before_the_first_contact_it_is_simulate():
    rod = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12]))
    far = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12]), offset=(1, 0, 0))
    chain = Chain([rod, far], **DOWN)
    find = points_on_plane(chain, {1: [(1, 0, 0)]}, restitution=0.5)

    def lifted(q):
        return [Touch(c.bodies, c.point, c.normal, c.gap + 1.2, 0, 0.5) for c in find(q)]

    q, qd, t = np.array([0.0, 0.3]), np.array([0.2, -1.0]), np.linspace(0, 0.3, 4)
    free = simulate(chain, q, qd, t=t, torque=[1.0, 0.0], rtol=1e-12, atol=1e-12)
    assert min(c.gap for q in free.q for c in lifted(q)) > 0.01
    events = simulate_contact(
        chain, lifted, q, qd, t=t, step=0.005, torque=[1.0, 0.0], method="events"
    )
    assert events.q == pytest.approx(free.q, abs=3e-8)
    errors = []
    for step in (0.01, 0.005):
        motion = simulate_contact(
            chain, lifted, q, qd, t=t, step=step, torque=lambda t, q, qd: np.array([1.0, 0])
        )
        errors.append(np.abs(motion.q - free.q).max())
        assert len(motion.log.t) == 0
    assert errors[0] < 5e-3
    assert 1.7 < errors[0] / errors[1] < 4.5  # first order, or better


def test_laws_and_orders_reach_the_blow():
    """Five balls in a row, by events."""
    slide = Prismatic((1, 0, 0))
    chain = Chain([Link(slide, 1, (0, 0, 0), np.eye(3), parent="ground")] * 5, gravity=(0, 0, 0))

    def find(q):
        return [
            Touch((i + 1, i), (q[i] + 0.5, 0, 0), (1, 0, 0), q[i + 1] - q[i] - 1, 0, 1.0)
            for i in range(4)
        ]

    q, qd = np.array([-0.5, 1, 2, 3, 4]), np.array([1.0, 0, 0, 0, 0])
    common = {"t": [0, 1.0], "step": 0.1, "method": "events"}
    ends = simulate_contact(chain, find, q, qd, order="sequence", **common)
    assert ends.qd[-1] == pytest.approx([0, 0, 0, 0, 1], abs=1e-12)
    assert ends.q[-1] == pytest.approx([0, 1, 2, 3, 4.5], abs=1e-12)
    ends = simulate_contact(chain, find, q, qd, **common)
    assert ends.qd[-1] == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=1e-12)
    plastic = simulate_contact(chain, find, q, qd, restitution=0, **common)
    assert plastic.qd[-1] == pytest.approx(np.full(5, 0.2), abs=1e-12)
    assert np.unique(ends.log.t) == pytest.approx([0.5])


# --- by steps ---


@pytest.mark.parametrize("method", ["steps", "events"])
def test_a_block_on_15_degrees_does_not_creep(method):
    chain, find, q = on_slope(15, 0.5)
    motion = simulate_contact(chain, find, q, np.zeros(6), t=[0, 10], step=0.05, method=method)
    assert np.abs(motion.q[-1] - q).max() < 1e-12
    weight = motion.log.impulses.sum(0) / 10
    assert weight == pytest.approx([0, 0, 3 * G], abs=1e-9)


@pytest.mark.parametrize("method", ["steps", "events"])
def test_a_block_on_30_degrees_slides(method):
    mu, a = 0.3, np.radians(30)
    chain, find, q = on_slope(30, mu)
    motion = simulate_contact(chain, find, q, np.zeros(6), t=[0, 1], step=0.05, method=method)
    along = np.array([np.cos(a), 0, -np.sin(a)])
    rate = G * (np.sin(a) - mu * np.cos(a))
    assert motion.q[-1, :3] - q[:3] == pytest.approx(rate / 2 * along, abs=1e-10)
    assert motion.q[-1, 3:] == pytest.approx(q[3:], abs=1e-10)
    # pushed up the slope it stops, and stays if friction can hold it
    chain, find, q = on_slope(15, 0.5)
    up = np.array([0, 0, 0, -1.0, 0, 0])
    motion = simulate_contact(chain, find, q, up, t=[0, 0.3, 0.4], step=0.005, method=method)
    way = 1 / (2 * G * (np.sin(np.radians(15)) + 0.5 * np.cos(np.radians(15))))
    moved = np.linalg.norm(motion.q[1, :3] - q[:3])
    assert moved == pytest.approx(way, rel=5e-2)
    assert motion.q[2] == pytest.approx(motion.q[1], abs=1e-12)


@pytest.mark.parametrize(
    ("count", "step"), [(4, 0.1), pytest.param(10, 0.01, marks=pytest.mark.nightly)]
)
def test_a_stack_does_not_sag(count, step):
    chain, find, q = stack(count)
    motion = simulate_contact(chain, find, q, np.zeros(chain.nv), t=[0, 10], step=step)
    assert motion.reason == ""
    assert np.abs(motion.q[-1] - q).max() < 1e-9
    lowest = (motion.log.bodies == [0, -1]).all(1)
    assert motion.log.impulses[lowest].sum(0) == pytest.approx([0, 0, count * G * 10], rel=1e-9)


@pytest.mark.parametrize(("gap", "caught"), [(0.0075, False), (0.0025, True)])
def test_a_step_takes_contacts_that_close_half_way(gap, caught):
    chain = Chain([ball(1.0, 0.1)], gravity=(0, 0, 0))
    find = points_on_plane(chain, {0: np.zeros((1, 3))}, radius=0.1)
    q, qd = chain.neutral.astype(float).copy(), np.array([0, 0, 0, 0, 0, -1.0])
    q[2] = 0.1 + gap
    motion = simulate_contact(chain, find, q, qd, t=[0, 0.01], step=0.01)
    assert motion.q[-1, 2] - q[2] == pytest.approx(-0.005 if caught else -0.01)
    assert motion.qd[-1, 5] == pytest.approx(0 if caught else -1)
    assert motion.log.impulses.sum() == pytest.approx(float(caught))


def test_steps_come_near_to_events():
    chain, find, q = bouncing(restitution=0.6)
    t = np.linspace(0, 1.2, 9)
    exact = simulate_contact(chain, find, q, np.zeros(6), t=t, step=0.1, method="events")
    errors = [
        np.abs(simulate_contact(chain, find, q, np.zeros(6), t=t, step=h).q - exact.q).mean()
        for h in (8e-3, 2e-3)
    ]
    assert errors[1] < errors[0] / 2
    assert errors[1] < 1e-2


def test_a_ball_slides_and_then_rolls():
    """Bowling: from v without spin to 5/7 v, whatever the friction."""
    r, mu = 0.1, 0.2
    chain, find, q = bouncing(0.0, r, 0.0, friction=mu)
    motion = simulate_contact(
        chain, find, q, np.array([0, 0, 0, 3.0, 0, 0]), t=[0, 0.2, 0.6], step=0.005
    )
    assert motion.qd[1, 3:] != pytest.approx([15 / 7, 0, 0], abs=1e-2)
    v = np.linalg.norm(motion.qd[2, 3:])
    assert v == pytest.approx(15 / 7, rel=3e-3)
    assert np.linalg.norm(motion.qd[2, :3]) * r == pytest.approx(v, rel=1e-2)


def test_the_rod_of_painleve_goes_on_where_no_force_could():
    angle, mu = np.arctan(2), 2.0
    none = (0, (0, 0, 0), np.zeros((3, 3)))
    chain = Chain(
        [
            Link(Prismatic((1, 0, 0)), *none),
            Link(Prismatic((0, 0, 1)), *none),
            Link(Revolute((0, -1, 0)), 1, (0, 0, 0), np.diag([0, 1 / 3, 1 / 3])),
        ],
        **DOWN,
    )
    find = points_on_plane(chain, {2: [(-1, 0, 0)]}, friction=mu)
    q, qd = np.array([0, np.sin(angle), angle]), np.array([-1.0, 0, 0])
    jumps = []
    for h in (1e-3, 1e-5):
        motion = simulate_contact(chain, find, q, qd, t=[0, h], step=h)
        jumps.append(motion.qd[-1] - qd)
    assert jumps[1] == pytest.approx(jumps[0], abs=2e-2)
    assert np.abs(jumps[1]).max() > 0.1


def test_loops_stay_closed():
    """A parallelogram's coupler falls onto the floor."""
    from chaindyn.models.robots import four_bar, four_bar_posture

    chain, loops = four_bar(2)
    find = points_on_plane(chain, {1: [(0.5, 0, 0)]}, normal=(0, 0, 1))

    def high(q):
        return [Touch(c.bodies, c.point, c.normal, c.gap - 0.5) for c in find(q)]

    q = four_bar_posture(2, 1.2)
    motion = simulate_contact(chain, high, q, np.zeros(3), t=[0, 1.5], step=0.01, constraints=loops)
    assert np.abs(motion.gap).max() < 1e-10
    assert len(motion.log.t) > 10
    assert high(motion.q[-1])[0].gap > -0.05
    assert isinstance(loops[0], Closure)


# --- early ends, bad input ---


@pytest.mark.parametrize("method", ["steps", "events"])
def test_nothing_is_lost_when_it_ends_early(method):
    chain, find, q = bouncing()

    def failing(now):
        if now[2] > 0.2 or failing.calls < 8:
            failing.calls += 1
            return find(now)
        raise OSError("the cable is out")

    failing.calls = 0
    with pytest.warns(RuntimeWarning, match="the cable is out"):
        motion = simulate_contact(
            chain, failing, q, np.zeros(6), t=np.linspace(0, 3, 31), step=0.1, method=method
        )
    assert isinstance(motion.error, OSError)
    assert 3 < len(motion.t) < 31
    assert f"t = {motion.t[-1]:.6g} s" in motion.reason
    assert len(motion.q) == len(motion.qd) == len(motion.t)
    whole = simulate_contact(
        chain, find, q, np.zeros(6), t=np.linspace(0, 3, 31), step=0.1, method=method
    )
    n = len(motion.t) - 1
    assert motion.q[:n] == pytest.approx(whole.q[:n])


def test_an_interrupt_keeps_what_there_is(monkeypatch):
    chain, find, q = bouncing()

    def interrupted(now):
        interrupted.calls += 1
        if interrupted.calls > 30:
            raise KeyboardInterrupt
        return find(now)

    interrupted.calls = 0
    with pytest.warns(RuntimeWarning, match="interrupted"):
        motion = simulate_contact(chain, interrupted, q, np.zeros(6), t=[0, 1, 2], step=0.01)
    assert len(motion.t) == 2
    assert isinstance(motion.error, KeyboardInterrupt)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"step": 0}, "step is 0"),
        ({"step": -1}, "step is -1"),
        ({"t": [0, 0]}, "t must increase"),
        ({"step": np.nan}, "step is nan"),
        ({"step": [0.1]}, r"step has shape \(1,\)"),
        ({"t": [0]}, "a start, and one or more times"),
        ({"t": [0, np.nan]}, r"t\[1\] is nan"),
        ({"margin": 0}, "margin is 0"),
        ({"margin": -1e-9}, "margin is -1e-09"),
        ({"margin": np.nan}, "margin is nan"),
        ({"order": "sequence"}, 'order "sequence" takes blows one after another'),
        ({"order": "sequenced"}, "order is 'sequenced'"),
        ({"law": "Moreau"}, "law is 'Moreau'"),
        ({"restitution": np.nan}, "restitution is nan"),
        ({"torque": lambda t, q, qd: None}, "at t = 0 s: torque"),
        ({"torque": lambda t, q, qd: np.zeros(2)}, r"at t = 0 s: torque has shape \(2,\)"),
        ({"constraints": "rope"}, r"constraints\[0\] is 'rope'"),
        ({"q": np.zeros(3)}, r"q has shape \(3,\)"),
        ({"q": np.array([0, 0, 1, 2, 0, 0, 0])}, "has length 2, but must have 1"),
        ({"qd": np.full(6, 1j)}, "real numbers"),
        ({"find": None}, "geometries is a NoneType, but must be a list"),
        ({"find": Geometry(Sphere(0.1), 0)}, "geometries is a Geometry"),
        ({"find": [Sphere(0.1)]}, r"geometries\[0\] is Sphere"),
        ({"find": [Geometry(Sphere(0.1), "arm")]}, r"geometries\[0\]: body is 'arm'"),
        (
            {
                "find": [Geometry(Sphere(1), 0), Geometry(HalfSpace((0, 0, 1)), "ground")],
                "q": np.array([0, 0, 0.7, 1, 0, 0, 0]),
            },
            "'link0' starts 0.3 m deep inside 'ground'",
        ),
        ({"method": "leaps"}, "method is 'leaps'"),
        ({"law": "poisson"}, 'law "poisson" gives back'),
        ({"restitution": 2}, "restitution is 2"),
        ({"restitution": [0.1]}, "restitution must be one number"),
        ({"friction": -1}, "friction is -1"),
        ({"torque": np.zeros(3)}, r"torque has shape \(3,\)"),
        ({"q": np.array([0, 0, 0.05, 1, 0, 0, 0])}, r"0.05 m deep inside 'ground'"),
        ({"qd": np.zeros((2, 6))}, "one state at a time"),
        ({"find": lambda q: [3]}, r"contacts\[0\] is 3"),
        ({"find": lambda q: 3}, r"geometries\(q\) is 3"),
    ],
)
def test_bad_input_is_told(options, match):
    chain, find, q = bouncing()
    given = {"q": q, "qd": np.zeros(6), "t": [0, 1], "step": 0.1, "find": find, **options}
    with pytest.raises(ValueError, match=match):
        simulate_contact(chain, given.pop("find"), given.pop("q"), given.pop("qd"), **given)


# --- bodies that turn ---


def two_spinning_balls(step):
    """Two rough balls that strike off their line of centres; momentum before and after."""
    radii, masses = (0.1, 0.15), (1.0, 2.0)
    chain = Chain(
        [replace(ball(m, r), parent="ground") for m, r in zip(masses, radii, strict=True)],
        gravity=(0, 0, 0),
    )
    shapes = [Geometry(Sphere(r), i, friction=0.4, restitution=0.5) for i, r in enumerate(radii)]
    q = chain.neutral.astype(float).reshape(2, 7).copy()
    q[1, :3] = 0.5, 0.12, 0.05
    qd = np.array([3.0, -5, 8, 2, 0.1, 0, -4, 6, 2, -1, 0, 0.2])
    motion = simulate_contact(chain, shapes, q.ravel(), qd, t=[0, 0.4], step=step)
    assert len(motion.log.t) == 1
    before, after = momentum(chain, motion.q, motion.qd)
    return chain, motion, after - before, np.abs(before)


def test_a_blow_between_spinning_balls_conserves_momentum():
    errors = []
    for step in (0.005, 0.0025, 0.00125):
        _, _, lost, size = two_spinning_balls(step)
        errors.append([np.abs(lost[:3]).max() / size[:3].max(), np.abs(lost[3:]).max()])
    angular, linear = np.array(errors).T
    assert (linear[:-1] > 3.5 * linear[1:]).all()  # flight alone is of order two
    assert linear[-1] < 3e-4
    # of the arm to the other body, which is found at the end of the step: order one
    assert (angular[:-1] > 1.8 * angular[1:]).all()
    assert angular[-1] < 0.0064


@pytest.mark.parametrize("law", ["newton", "moreau"])
@pytest.mark.parametrize("gravity", [0.0, G])
@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_ball_keeps_its_spin_about_the_normal(law, gravity, mu):
    """Friction acts at a point below its centre; without friction it keeps all of its spin."""
    chain = Chain([ball(1.0, 0.1)], gravity=(0, 0, -gravity))
    floor = [Geometry(Sphere(0.1), 0), Geometry(HalfSpace((0, 0, 1)), "ground")]
    q = chain.neutral.astype(float).copy()
    q[2] = 0.3
    qd = np.array([3.0, -5, 8, 1, 0, -1])
    motion = simulate_contact(
        chain, floor, q, qd, t=[0, 1], step=0.01, friction=mu, restitution=0.5, law=law
    )
    assert len(motion.log.t) > 0
    R = forward_kinematics(chain, motion.q)[0][:, 0]
    before, after = (R @ motion.qd[:, :3, None])[..., 0]
    assert after[2] == pytest.approx(before[2], abs=1e-12)
    assert np.abs(after[:2] - before[:2]).max() == pytest.approx(0, abs=1e-12) or mu > 0
    assert np.abs(after[:2] - before[:2]).max() > 0.5 or mu == 0


def floating_arm():
    """A lopsided body that floats and carries an arm with a ball joint at its end."""
    return [
        Link(Free(), 1.0, (0.1, 0.2, 0), np.diag([0.1, 0.2, 0.25]), parent="ground"),
        Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), np.diag([0.1, 0.2, 0.2])),
        Link(Spherical(), 0.5, (0, 0.3, 0), np.diag([0.1, 0.05, 0.1]), offset=(1, 0, 0)),
    ]


def of_links(chain, q, qd):
    """Centres' momenta (n, 3) and angular momenta about the centres (n, 3), in the world."""
    R, _ = forward_kinematics(chain, q)
    w, v = np.split(body_twists(chain, q, qd), 2, axis=-1)
    linear = chain.mass[:, None] * (v + np.cross(w, chain.com))
    return [(R @ x[..., None])[..., 0] for x in (linear, (chain.inertia @ w[..., None])[..., 0])]


def test_what_floats_keeps_its_momentum_where_a_step_ends():
    """And a body alone the direction of its spin and its energy; of a ball that is all of the spin."""
    tilted = rotation_about(np.array([0.6, 0, 0.8]), np.array([0.7]))
    brick = Link(
        Free(),
        2.0,
        (0.1, 0.2, 0),
        np.diag([0.1, 0.2, 0.25]),
        offset=(1, 0, 0),
        rotation=tilted,
        parent="ground",
    )
    pendulum = Link(Spherical(), 1, (0, 0, 0.1), np.eye(3), parent="ground")
    still = replace(ball(1.0, 0.1), parent="ground")
    chain = Chain(
        [replace(ball(1.0, 0.1), com=(0.1, 0, 0)), brick, *floating_arm(), pendulum, still]
    )
    q, qd = random_state(chain, 0)
    qd[-6:-3] = 0
    end = integrate(chain, q, 0.3 * random_state(chain, 1)[1])
    new = rates_in_new_axes(chain, q, qd, end)
    (linear, spin), (linear1, spin1) = of_links(chain, q, qd), of_links(chain, end, new)
    for tree in ([0], [1], [2, 3, 4], [6]):
        assert linear1[tree].sum(0) == pytest.approx(linear[tree].sum(0))
    assert np.linalg.norm(np.cross(spin1[1], spin[1])) < 1e-12
    assert spin1[1] @ spin[1] > 0
    assert spin1[0] == pytest.approx(spin[0])
    lone = [*range(12), *range(chain.nv - 6, chain.nv)]
    energies = [
        kinetic_energy(chain, at, np.where(np.isin(np.arange(chain.nv), lone), rates, 0))
        for at, rates in ((q, qd), (end, new))
    ]
    assert energies[1] == pytest.approx(energies[0], rel=1e-13)
    others = [*range(12, 15), *range(18, chain.nv - 6)]
    assert (new[others] == qd[others]).all()
    assert (new[-6:-3] == 0).all()


def test_rates_of_what_does_not_float_are_left():
    chain = Chain([Link(Spherical(), 1, (0, 0, 0.1), np.eye(3)), *floating_arm()[1:]])
    q, qd = random_state(chain, 0)
    assert (rates_in_new_axes(chain, q, qd, random_state(chain, 1)[0]) == qd).all()


def on_smooth_floor(links, shapes, seed, step, lift):
    """Changes of [L; p] about the world's origin and of energy, the largest as shares, of a spinning throw."""
    chain = Chain(links, gravity=(0, 0, 0))
    q, qd = random_state(chain, seed)
    q[:3] = 0, 0, lift
    qd[:6] = 5 * np.random.default_rng(seed).normal(size=6)
    qd[3:6] = forward_kinematics(chain, q)[0][0].T @ [1, 0, -3.0]
    shapes = [*shapes, Geometry(HalfSpace((0, 0, 1)), "ground")]
    motion = simulate_contact(
        chain,
        shapes,
        q,
        qd,
        t=np.linspace(0, 0.4, 21),
        step=step,
        law="moreau",
        restitution=1.0,
    )
    assert len(motion.log.t) > 0
    P = momentum(chain, motion.q, motion.qd)
    return np.append(np.abs(P - P[0]).max(0), np.ptp(motion.kinetic) / motion.kinetic[0])


def test_a_spinning_brick_slides_on_a_smooth_floor_with_the_momentum_it_had():
    """Also about the vertical; both were lost at order one."""
    size = (0.6, 0.3, 0.05)
    lost = np.array(
        [
            [
                on_smooth_floor([box(1.0, size)], [Geometry(Box(size), 0)], k, h, 0.5)
                for k in range(3)
            ]
            for h in (0.01, 0.005, 0.0025)
        ]
    ).mean(1)
    along, turning = lost[:, 3:5].max(1), lost[:, 2]
    assert (along[:-1] > 3.3 * along[1:]).all()
    assert along[-1] < 0.007
    assert turning[0] > 3 * turning[1] > 9 * turning[2]
    assert turning[-1] < 0.003


def test_a_floating_chain_slides_on_a_smooth_floor_with_the_momentum_it_had():
    links, shapes = floating_arm(), [Geometry(Sphere(0.2), 0), Geometry(Sphere(0.2), 2)]
    lost = np.array(
        [
            [on_smooth_floor(links, shapes, k, h, 1.5) for k in range(3)]
            for h in (0.01, 0.005, 0.0025)
        ]
    ).mean(1)
    along, gained = lost[:, 3:5].max(1), lost[:, 6]
    assert (along[:-1] > 3.5 * along[1:]).all()
    assert along[-1] < 5e-4
    assert gained[-1] < 0.003


def two_spinning_bricks(step, seed):
    """Change of momentum [L; p], the largest of each half, where two rough bricks strike off their line of centres."""
    size = (0.4, 0.2, 0.1)
    chain = Chain([replace(box(m, size), parent="ground") for m in (1.0, 2.0)], gravity=(0, 0, 0))
    shapes = [Geometry(Box(size), i, friction=0.4, restitution=0.5) for i in range(2)]
    q = chain.neutral.astype(float).copy()
    q[7:10] = 0.7, 0.1, 0.05
    qd = np.array([0, 0, 0, 2, 0.1, 0, -4, 6, 2, -1, 0, 0.2])
    qd[:3] = 4 * np.random.default_rng(seed).normal(size=3)
    motion = simulate_contact(chain, shapes, q, qd, t=[0, 0.4], step=step, law="moreau")
    assert len(motion.log.t) > 0
    lost = np.diff(momentum(chain, motion.q, motion.qd), axis=0)
    return np.abs(lost).reshape(2, 3).max(1)


def test_a_blow_between_spinning_bricks_conserves_momentum():
    lost = np.array(
        [[two_spinning_bricks(h, k) for k in range(4)] for h in (0.01, 0.005, 0.0025)]
    ).mean(1)
    angular, linear = lost.T
    assert (linear[:-1] > 3 * linear[1:]).all()
    assert linear[-1] < 0.001
    assert angular[-1] < 0.004  # of order one, as that of balls


def test_a_spinning_brick_gains_nothing_from_a_floor():
    """By Moreau's law without weight: as much as flight, of order two, and no more."""
    size = (0.6, 0.3, 0.05)
    chain = Chain([box(1.0, size)], gravity=(0, 0, 0))
    shapes = [Geometry(Box(size), 0), Geometry(HalfSpace((0, 0, 1)), "ground")]
    for seed in range(4):
        q, _ = random_state(chain, seed)
        q[:3] = 0, 0, 0.5
        spin = 5 * np.random.default_rng(seed).normal(size=3)
        down = forward_kinematics(chain, q)[0][0].T @ [1, 0, -3.0]
        qd, t = np.concatenate([spin, down]), 0.01 * np.arange(41)
        motion = simulate_contact(
            chain, shapes, q, qd, t=t, step=0.005, law="moreau", restitution=1.0, friction=0.3
        )
        assert len(motion.log.t) > 0
        assert np.diff(motion.kinetic).max() < 3e-4 * motion.kinetic[0]


# --- what is refused ---


@pytest.mark.parametrize("step", [1e-300, 5e-324, 1e-17])
def test_a_step_that_time_cannot_tell_is_refused(step):
    chain, find, q = bouncing()
    with pytest.raises(
        ValueError, match=r"step is .* s, but near t = 1 s times are 2.2e-16 s apart"
    ):
        simulate_contact(chain, find, q, np.zeros(6), t=[0, 1], step=step)


@pytest.mark.parametrize("number", [np.longdouble, Fraction])
def test_a_chain_of_other_numbers_is_refused(number):
    one = np.array([number(1)])[0]
    chain = Chain([Link(Free(), one, (0, 0, 0), np.eye(3, dtype=int) * one)], **DOWN)
    q, touch = np.array([0, 0, 0.3, 1, 0, 0, 0]), [Touch((0, -1), (0, 0, 0.2), (0, 0, 1), 0, 0, 0)]
    down = np.array([0, 0, 0, 0, 0, -1.0])
    with pytest.raises(ValueError, match="collision_impulses computes in double precision"):
        collision_impulses(chain, q, down, touch, restitution=0.5, friction=0.3)
    with pytest.raises(ValueError, match="resting_contact computes in double precision"):
        resting_contact(chain, q, 0 * down, 0 * down, touch)
    for method in ("steps", "events"):
        with pytest.raises(ValueError, match="simulate_contact computes in double precision"):
            simulate_contact(chain, lambda q: touch, q, down, t=[0, 1], step=0.1, method=method)


@pytest.mark.filterwarnings("error")
def test_where_warnings_are_errors_the_motion_is_in_the_error():
    chain, find, q = bouncing()

    def torque(t, q, qd):
        return np.full(6, np.nan if t > 0.5 else 0.0)

    with pytest.raises(
        RuntimeWarning, match=r"ended early: .* last state reached is that"
    ) as caught:
        simulate_contact(
            chain, find, q, np.zeros(6), t=np.linspace(0, 1, 11), step=0.1, torque=torque
        )
    assert caught.value.simulation.t == pytest.approx(np.linspace(0, 0.5, 6))
