"""Motions with contacts in machine code, against the same steps as they stand."""

import re
import warnings

import numpy as np
import pytest
from contacts import ball, box, points_on_plane

from chaindyn import (
    Box,
    Capsule,
    Chain,
    Coupling,
    Drive,
    Free,
    Geometry,
    HalfSpace,
    Link,
    Prismatic,
    Revolute,
    Sphere,
    simulate_contact,
)
from chaindyn.compiler import touching
from chaindyn.compiler.native import NoCompiler
from chaindyn.compiler.recording import CannotRecord

FLOOR = Geometry(HalfSpace((0, 0, 1)), "ground", friction=0.5)
ROUND = {"friction": 0.4, "restitution": 0.3}


def capsule(**more):
    """A capsule along x, which begins at its link's frame."""
    along = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])
    own = {"shape": Capsule(0.03, 0.14), "offset": (0.1, 0, 0), "rotation": along}
    return own | more


def hanging(links):
    """Capsules on hinges that lie across, the first one free, tilted over a floor."""
    common = 0.3, (0.1, 0, 0), np.diag([1e-4, 1e-3, 1e-3])
    hinge = Link(Revolute((0, 1, 0)), *common, offset=(0.2, 0, 0))
    chain = Chain([Link(Free(), *common), *[hinge] * (links - 1)])
    shapes = [FLOOR, *[Geometry(link=k, friction=0.5, **capsule()) for k in range(links)]]
    q, tilt = chain.neutral.astype(float), -0.3
    q[2], q[3], q[5] = 0.05, np.cos(tilt / 2), np.sin(tilt / 2)
    return chain, shapes, q, np.zeros(chain.nv), {}


def falling():
    """Four links that fall, and fold."""
    return hanging(4)


def sliding():
    """A box that is thrown along the floor, flat on it, and comes to rest."""
    chain = Chain([box(size=(0.4, 0.3, 0.2))])
    q, qd = chain.neutral.astype(float), np.array([0, 0, 0, 1.0, 0.4, 0])
    q[2] = 0.1
    return chain, [FLOOR, Geometry(Box((0.4, 0.3, 0.2)), 0, friction=0.8)], q, qd, {}


def tumbling():
    """A box that falls on a corner and turns over."""
    chain, shapes, q, qd, _ = sliding()
    q[2], q[3:7] = 0.35, [0.8, 0.3, 0.4, np.sqrt(1 - 0.89)]
    return chain, shapes, q, qd + np.array([1, 2, 0.5, 0, 0, 0]), {}


def piled():
    """Three balls, one upon the other, of which the lowest is pushed in."""
    chain = Chain([ball(mass=m) for m in (1.0, 0.5, 2.0)])
    q = chain.neutral.astype(float)
    q[2::7] = 0.1, 0.2995, 0.5
    shapes = [FLOOR, *[Geometry(Sphere(0.1), k, **ROUND) for k in range(3)]]
    return chain, shapes, q, np.zeros(chain.nv), {}


def crossing():
    """Capsules that fall across each other onto the floor, one with a tip on the other's side."""
    chain = Chain([ball(), ball(), ball()])
    q = chain.neutral.astype(float)
    q[:7] = 0, 0, 0.04, 1, 0, 0, 0
    q[7:14] = -0.02, 0, 0.12, np.cos(0.6), 0, 0, np.sin(0.6)
    q[14:] = 0.05, -0.1, 0.3, np.cos(0.5), np.sin(0.5), 0, 0
    shapes = [FLOOR, *[Geometry(link=k, friction=0.6, **capsule()) for k in range(3)]]
    return chain, shapes, q, np.zeros(chain.nv), {"restitution": 0.2, "friction": 0.3}


def bouncing():
    """A ball with spin between two walls, by the law that gives back slip too."""
    chain = Chain([ball()])
    q, qd = chain.neutral.astype(float), np.array([3.0, 20, 0, 2, 0, 0])
    q[2] = 0.15
    wall = Geometry(HalfSpace((-1, 0, 0.1)), "ground", offset=(0.5, 0, 0), friction=0.2)
    shapes = [Geometry(Sphere(0.1), 0, **ROUND), FLOOR, wall]
    return chain, shapes, q, qd, {"law": "moreau", "margin": 1e-7}


def driven():
    """A leg on a slide with a motor, rotors and viscous friction, which pushes off the floor; its wall moves along."""
    motor = Drive(rotor_inertia=1e-4, gear_ratio=10, viscous=0.2)
    slide = Link(Prismatic((0, 0, 1)), 2.0, (0, 0, 0), np.eye(3) / 50)
    thigh = Link(Revolute((0, 1, 0)), 0.5, (0.1, 0, 0), np.eye(3) / 500, drive=motor)
    shin = Link(
        Revolute((0, 1, 0)), 0.3, (0.1, 0, 0), np.eye(3) / 900, offset=(0.2, 0, 0), drive=motor
    )
    chain = Chain([slide, thigh, shin])
    shapes = [
        FLOOR,
        Geometry(link=2, friction=0.5, **capsule()),
        Geometry(HalfSpace((0, 0, -1)), 0, offset=(0, 0, 0.05), friction=0.3),
    ]
    return (
        chain,
        shapes,
        np.array([0.36, 0.9, 0.5]),
        np.zeros(3),
        {"torque": [0, 0.4, 0.2], "exclude": [(0, 2)]},
    )


SCENES = [falling, sliding, tumbling, piled, crossing, bouncing, driven]


def both(scene, t=None, step=0.002, **more):
    """A motion in machine code, and as it stands."""
    chain, shapes, q, qd, given = scene()
    given = {"t": np.linspace(0, 0.3, 16) if t is None else t, "step": step, **given, **more}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*as they stand")
        fast = simulate_contact(chain, shapes, q, qd, compiled=True, **given)
    return fast, simulate_contact(chain, shapes, q, qd, **given)


@pytest.mark.parametrize("scene", SCENES)
def test_the_same_motion(scene):
    fast, slow = both(scene)
    assert not fast.reason and np.array_equal(fast.t, slow.t)
    size = max(np.abs(slow.qd).max(), 1)
    assert np.abs(fast.q - slow.q).max() < 1e-9 * size
    assert np.abs(fast.qd - slow.qd).max() < 1e-8 * size
    assert len(slow.log.t) > 10  # there is contact


@pytest.mark.parametrize("scene", SCENES)
def test_what_is_logged(scene):
    """The momenta that all pushes give are the same, however they are shared among points of one contact."""
    fast, slow = both(scene)
    assert set(fast.log.kind) == {"push"} and fast.log.bodies.dtype == slow.log.bodies.dtype
    assert np.isin(fast.log.t, np.append(slow.log.t, 0)).mean() > 0.99
    for log in (fast.log, slow.log):
        np.testing.assert_allclose(np.linalg.norm(log.normals, axis=-1), 1, atol=1e-12)
        assert ((log.normals * log.impulses).sum(-1) > 0).all()
    sums = []
    for log in (fast.log, slow.log):
        arms = np.cross(log.points, log.impulses)
        sums.append(np.concatenate([log.impulses.sum(0), arms.sum(0)]))
    np.testing.assert_allclose(*sums, atol=1e-8 * np.abs(sums[1]).max())


def steps_of(scene, **more):
    """How many steps of a motion ran in programs, and how many as they stand."""
    counts = []

    class Noted(touching.CompiledSteps):
        def run(self, *args):
            found = super().run(*args)
            counts.append(self.counts)
            return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(touching, "CompiledSteps", Noted)
        chain, shapes, q, qd, given = scene()
        motion = simulate_contact(
            chain, shapes, q, qd, t=[0, 0.3], step=0.002, compiled=True, **given, **more
        )
    return motion, tuple(counts[0])


@pytest.mark.parametrize("scene", SCENES)
def test_programs_take_the_steps(scene):
    _, (fast, slow) = steps_of(scene)
    assert fast + slow == 150 and slow <= 3


def test_links_far_from_each_other_are_only_watched():
    """The first program knows the floor alone; those that know more are not made until links come near."""
    made = []
    real = touching.program_of

    def noted(chain, scene):
        made.append((len(scene.contacts), scene.loosely))
        return real(chain, scene)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(touching, "program_of", noted)
        steps_of(falling)
        assert made == [(8, True)]
        made.clear()
        steps_of(piled)
        assert made == [(3, True), (3, False), (6, False)]


def side_by_side():
    """Two capsules side by side, one on the other: an edge on an edge."""
    chain = Chain([ball(), ball()])
    q = chain.neutral.astype(float)
    q[2::7] = 0.03, 0.09
    shapes = [FLOOR, *[Geometry(link=k, friction=0.5, **capsule(offset=(0, 0, 0))) for k in (0, 1)]]
    return chain, shapes, q, np.zeros(chain.nv), {}


def test_steps_without_a_closed_form_are_taken_as_they_stand():
    """And it is said that most were."""
    chain, shapes, q, qd, _ = side_by_side()
    with pytest.warns(RuntimeWarning, match=r"150 of 150 steps with contacts ran as they stand"):
        motion, counts = steps_of(side_by_side)
    assert counts == (0, 150)
    slow = simulate_contact(chain, shapes, q, qd, t=[0, 0.3], step=0.002)
    np.testing.assert_array_equal(motion.q, slow.q)
    np.testing.assert_array_equal(motion.log.impulses, slow.log.impulses)


def test_a_motion_in_portions_is_the_same_to_the_bit(monkeypatch):
    chain, shapes, q, qd, given = tumbling()
    given = {"t": [0, 0.3], "step": 0.002, "compiled": True, **given}
    whole = simulate_contact(chain, shapes, q, qd, **given)
    monkeypatch.setattr(touching, "MOST_AT_ONCE", 7)
    parts = simulate_contact(chain, shapes, q, qd, **given)
    np.testing.assert_array_equal(whole.q, parts.q)
    np.testing.assert_array_equal(whole.log.t, parts.log.t)


def test_a_motion_that_fails_keeps_what_it_had():
    """A torque beyond all bounds: the same end as of steps as they stand."""
    chain, shapes, q, qd, _ = driven()
    given = {"t": [0, 0.1, 0.2], "step": 0.01, "torque": [1e150, 0, 0], "exclude": [(0, 2)]}
    ends = []
    for compiled in (True, False):
        with pytest.warns(RuntimeWarning, match="faster than light|finite"):
            motion = simulate_contact(chain, shapes, q, qd, compiled=compiled, **given)
        ends.append(motion)
    fast, slow = ends
    assert fast.reason and fast.t[-1] == slow.t[-1] == 0


@pytest.mark.parametrize("error", [CannotRecord("it is too long"), NoCompiler("there is none")])
def test_what_cannot_be_compiled_runs_as_it_stands_and_says_so(error, monkeypatch):
    def fails(*_):
        raise error

    monkeypatch.setattr(touching, "program_of", fails)
    chain, shapes, q, qd, _ = sliding()
    given = {"t": [0, 0.02], "step": 0.01}
    with pytest.warns(RuntimeWarning, match=f"contacts run as they stand: {error}"):
        motion = simulate_contact(chain, shapes, q, qd, compiled=True, **given)
    np.testing.assert_array_equal(motion.q, simulate_contact(chain, shapes, q, qd, **given).q)


def test_the_program_for_links_that_meet_may_be_missing(monkeypatch):
    """Then such steps are taken as they stand."""
    real = touching.program_of

    def only_the_first(chain, scene):
        if not scene.watched:
            raise CannotRecord("it is too long")
        return real(chain, scene)

    monkeypatch.setattr(touching, "program_of", only_the_first)
    with pytest.warns(RuntimeWarning, match="ran as they stand"):
        motion, (fast, slow) = steps_of(piled)
    chain, shapes, q, qd, _ = piled()
    other = simulate_contact(chain, shapes, q, qd, t=[0, 0.3], step=0.002)
    assert slow > 100 and fast + slow == 150
    assert np.abs(motion.q - other.q).max() < 1e-9


REFUSED = {
    "events": ({"method": "events"}, "method 'events'"),
    "force": ({"torque": lambda t, q, qd: 0 * qd}, "torque as a function"),
    "loops": ({"constraints": Coupling({1: 1.0, 2: 1.0})}, "constraints"),
    "flag": ({"compiled": 2}, "compiled is 2"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what):
    more, message = REFUSED[what]
    chain, shapes, q, qd, _ = driven()
    with pytest.raises(ValueError, match=re.escape(message)):
        simulate_contact(
            chain,
            shapes,
            q,
            qd,
            t=[0, 0.1],
            step=0.01,
            **{"compiled": True, "exclude": [(0, 2)], **more},
        )


def test_shapes_that_are_refused():
    chain = Chain([box(), box()])
    q = chain.neutral.astype(float)
    q[9] = 5
    given = {"t": [0, 0.1], "step": 0.01, "compiled": True}
    boxes = [FLOOR, Geometry(Box((1, 1, 1)), 0), Geometry(Sphere(0.5), 1)]
    still = np.zeros(chain.nv)
    with pytest.raises(ValueError, match=r"geometries\[1\], a Box, and geometries\[2\], a Sphere,"):
        simulate_contact(chain, boxes, q, still, **given)
    q[2] = 0.5
    assert not simulate_contact(chain, boxes, q, still, exclude=[(1, 2)], **given).reason
    with pytest.raises(ValueError, match="no two of these geometries may touch"):
        simulate_contact(chain, boxes[:2], q, still, exclude=[(0, 1)], **given)
    finder = points_on_plane(chain, {0: [[0, 0, 0]]})
    with pytest.raises(ValueError, match="geometries as a function"):
        simulate_contact(chain, finder, q, still, **given)
