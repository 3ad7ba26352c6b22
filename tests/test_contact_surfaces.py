"""How a contact moves: what surfaces do to its acceleration, against distances of shapes that really move."""

from __future__ import annotations

import numpy as np
import pytest

from chaindyn import (
    Box,
    Capsule,
    Chain,
    ConvexHull,
    Free,
    Geometry,
    HalfSpace,
    Link,
    Sphere,
    distance,
    find_contacts,
    forward_kinematics,
    integrate,
    random_state,
)
from chaindyn.contact import normals_of
from chaindyn.rest import contact_bias
from chaindyn.state import State

WEDGE = ConvexHull(
    np.array([(0, 0, 0), (1, 0, 0), (0, 0.7, 0), (0, 0, 0.9), (0.4, 0.5, 0.6)]) - 0.3
)
SHAPES = {
    "ball": Sphere(0.3),
    "capsule": Capsule(0.2, 1.1),
    "box": Box((0.8, 0.5, 1.2)),
    "wedge": WEDGE,
}
PAIRS = [(a, b) for a in SHAPES for b in SHAPES if a <= b]
STEP = 2e-3


def touching_pair(a, b, source):
    """Two free bodies, shapes and a posture in which they touch, with rates of about one."""
    chain = Chain([Link(Free(), 1, (0, 0, 0), np.eye(3), parent="ground") for _ in range(2)])
    q, qd = random_state(chain, source)
    q[7:10] = q[:3] + 3 * source.normal(size=3)
    for deep in (0.03, 0.0, 0.0):  # out of each other, so that it is not two corners that touch
        R, p = forward_kinematics(chain, q)
        found = distance(SHAPES[a], (R[0], p[0]), SHAPES[b], (R[1], p[1]))
        q[:3] -= (found.distance + deep) * found.normal
    return chain, [Geometry(SHAPES[a], 0), Geometry(SHAPES[b], 1)], q, qd


def kind(contact):
    """What touches: the radii, and which surfaces are straight."""
    return contact.radii, [edge is not None for edge in contact.edges]


def second_derivative(values, h):
    """Of five values h apart, to h^4."""
    return np.array([-1, 16, -30, 16, -1]) @ values / (12 * h * h)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_the_gap_is_accelerated_as_the_surfaces_say(a, b):
    source = np.random.default_rng(PAIRS.index((a, b)))
    judged = 0
    for _ in range(12):
        chain, shapes, q, qd = touching_pair(a, b, source)
        moments = STEP * np.arange(-2, 3)
        seen = [
            find_contacts(chain, shapes, integrate(chain, q, t * qd), margin=0.1) for t in moments
        ]
        seen = [min(contacts, key=lambda c: c.gap) for contacts in seen]
        normals = normals_of(seen)
        if any(str(kind(contact)) != str(kind(seen[2])) for contact in seen) or (
            (normals @ normals[2]).min() < 0.999
        ):
            continue  # another corner or edge comes to touch meanwhile
        normals = normals[2:3]
        rates, turns = contact_bias(State(chain, q, qd), [seen[2]], normals)
        gap_acceleration = normals[0] @ rates[0] + turns[0]
        expected = second_derivative([contact.gap for contact in seen], STEP)
        assert gap_acceleration == pytest.approx(expected, abs=2e-5 * (1 + abs(expected)))
        judged += 1
    assert judged >= 8


def surfaces(shapes, q, margin=1e-6):
    chain = Chain([Link(Free(), 1, (0, 0, 0), np.eye(3), parent="ground") for _ in range(2)])
    return find_contacts(chain, [Geometry(s, k) for k, s in enumerate(shapes)], q, margin=margin)


HALF_TURN = np.sqrt(0.5)


@pytest.mark.parametrize(
    ("shapes", "q", "radii", "edges"),
    [
        ((Sphere(0.5), Sphere(0.25)), [0, 0, 0.75, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], (0.5, 0.25), (0, 0)),
        ((Sphere(0.5), Box((1, 1, 1))), [0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], (0.5, np.inf), (0, 0)),
        ((Box((1, 1, 1)), Sphere(0.5)), [0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], (np.inf, 0.5), (0, 0)),
        # two capsules that cross at a right angle: the first along z, the second turned to x, beside it in y
        (
            (Capsule(0.1, 1), Capsule(0.2, 1)),
            [0, 0.3, 0, 1, 0, 0, 0, 0, 0, 0, HALF_TURN, 0, HALF_TURN, 0],
            (0.1, 0.2),
            ((0, 0, 1), (1, 0, 0)),
        ),
        # a ball beside a capsule
        (
            (Sphere(0.1), Capsule(0.2, 1)),
            [0, 0.3, 0.1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
            (0.1, 0.2),
            (0, (0, 0, 1)),
        ),
    ],
)  # fmt: skip
def test_what_touches_is_told(shapes, q, radii, edges):
    (contact,) = surfaces(shapes, np.array(q, float))
    assert contact.radii == pytest.approx(radii)
    for found, expected in zip(contact.edges, edges, strict=True):
        if np.shape(expected):
            assert abs(found @ np.array(expected, float)) == pytest.approx(1, abs=1e-12)
        else:
            assert found is None


def test_faces_that_overlap_cross_in_edges_and_corners():
    """A box over the rim of another: two corners on its face, and two crossings of edges."""
    q = np.array([0.5, 0.1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0])
    contacts = surfaces((Box((1, 0.5, 1)), Box((1, 1, 1))), q)
    told = sorted((contact.radii, contact.edges[0] is not None) for contact in contacts)
    assert told == [((0, 0), True)] * 2 + [((0, np.inf), False)] * 2
    for contact in contacts:
        if contact.edges[0] is not None:
            assert abs(contact.edges[0] @ contact.edges[1]) < 1e-12


def test_on_the_ground_corners_and_balls_touch_a_face():
    chain = Chain([Link(Free(), 1, (0, 0, 0), np.eye(3))])
    floor = Geometry(HalfSpace((0, 0, 1)), "ground")
    for shape, radius in ((Sphere(0.5), 0.5), (Box((1, 1, 1)), 0), (Capsule(0.5, 1), 0.5)):
        lying = np.array([0, 0, 0.5, HALF_TURN, HALF_TURN, 0, 0])
        for contact in find_contacts(chain, [Geometry(shape, 0), floor], lying, margin=1e-9):
            assert contact.radii == (radius, np.inf)
            assert contact.edges == (None, None)
    tray = Geometry(HalfSpace((0, 0, 1)), 0)  # a face on a link, a ball on the ground
    ball = Geometry(Sphere(0.5), "ground", offset=(0, 0, 0.5))
    (contact,) = find_contacts(chain, [tray, ball], chain.neutral, margin=1e-9)
    assert contact.radii == (np.inf, 0.5)
