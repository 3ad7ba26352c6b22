"""Closed forms of contacts by choices alone, against the general search: every pair of shapes that has one."""

import numpy as np
import pytest
from contacts import ball

from chaindyn import (
    Box,
    Capsule,
    Chain,
    ConvexHull,
    Geometry,
    HalfSpace,
    Sphere,
    compiled,
    find_contacts,
    forward_kinematics,
    random_state,
)
from chaindyn.compiler.pairs import (
    NotInClosedForm,
    each_contact,
    nearest_of_ends,
    pairs_in_closed_form,
    touches_of,
)

TWO = Chain([ball(), ball()])
TETRAHEDRON = ConvexHull([[0.3, 0, -0.2], [-0.2, 0.25, -0.2], [-0.2, -0.3, -0.1], [0, 0, 0.4]])
SHAPES = {
    "ball": Sphere(0.2),
    "capsule": Capsule(0.1, 0.7),
    "short": Capsule(0.25, 0.1),
    "box": Box((0.3, 0.5, 0.2)),
    "hull": TETRAHEDRON,
    "wall": HalfSpace((0.3, -0.2, 1)),
}
THIN = ("ball", "capsule", "short")
EVERY = [(a, b) for a in THIN for b in THIN] + [(a, "wall") for a in SHAPES if a != "wall"]
MARGIN = 1e-9


def scene(a, b, first=0, second=1):
    """Two shapes on two free links, off their middles and turned."""
    turn = np.array([[0.6, 0, 0.8], [0, 1, 0], [-0.8, 0, 0.6]])
    return [
        Geometry(SHAPES[a], first, offset=(0.1, 0, 0.05), friction=0.4, restitution=0.2),
        Geometry(SHAPES[b], second, offset=(0, -0.1, 0), rotation=turn, friction=0.9),
    ]


def postures(a, b, rng, count):
    """States in which the two are near each other: deep, touching or apart."""
    q, _ = random_state(TWO, rng, batch=(count,))
    q[:, :3] = rng.normal(size=(count, 3)) * 0.25
    q[:, 7:10] = rng.normal(size=(count, 3)) * 0.25
    return q


def closed_at(chain, pairs, q):
    """Whether it is to be trusted, and bodies, points, normals and gaps of closed contacts."""
    found = touches_of(pairs, *forward_kinematics(chain, q), MARGIN)
    own = list(each_contact(pairs))
    closed = np.flatnonzero(found.gaps <= MARGIN)
    return (found.trust > 0).all(), [
        (own[k].bodies, found.points[k], found.normals[k], found.gaps[k]) for k in closed
    ]


@pytest.mark.parametrize(("a", "b"), EVERY)
@pytest.mark.parametrize("on", ["links", "ground", "swapped"])
def test_closed_contacts_are_those_of_the_search(a, b, on):
    """Points, normals and gaps, in the same order; how many postures are left to the search is counted."""
    rng = np.random.default_rng(3)
    geometries = scene(a, b, 0, "ground" if on == "ground" else 1)
    if on == "swapped":
        geometries = geometries[::-1]
    pairs = pairs_in_closed_form(TWO, geometries, ())
    touching, doubted = 0, 0
    for q in postures(a, b, rng, 300):
        sure, own = closed_at(TWO, pairs, q)
        if not sure:
            doubted += 1
            continue
        wanted = find_contacts(TWO, geometries, q, margin=MARGIN)
        assert len(own) == len(wanted)
        for (bodies, point, normal, gap), other in zip(own, wanted, strict=True):
            assert bodies == other.bodies
            np.testing.assert_allclose(normal, other.normal, atol=1e-11)
            np.testing.assert_allclose(point, other.point, atol=1e-9)
            assert abs(gap - other.gap) < 1e-12
        touching += len(own) > 0
    # short capsules are often so deep in others that both their ends are
    assert touching > (20 if "short" in (a, b) else 40)
    assert doubted < (220 if "short" in (a, b) else 40)
    assert doubted == 0 or (a in THIN and b in THIN)


@pytest.mark.parametrize("angle", [0, 1e-12, 1e-7, 1e-4])
def test_capsules_side_by_side_are_left_to_the_search(angle):
    """They touch in two points, or nearly so."""
    geometries = [Geometry(Capsule(0.1, 0.5), k) for k in (0, 1)]
    pairs, q = pairs_in_closed_form(TWO, geometries, ()), TWO.neutral.astype(float)
    q[7:10] = 0.02, 0.198, 0.05
    q[10:14] = np.cos(angle / 2), np.sin(angle / 2), 0, 0
    assert not closed_at(TWO, pairs, q)[0]
    q[8] = 0.3  # far enough
    assert closed_at(TWO, pairs, q) == (True, [])


def test_nearest_points_are_the_least_of_many():
    """Against points scattered over both segments."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        a, b = rng.normal(size=(2, 2, 3))
        t = np.linspace(0, 1, 2001)[:, None]
        x, y = nearest_of_ends(a, b)
        own = np.linalg.norm(x - y)
        on_a, on_b = a[0] + t * (a[1] - a[0]), b[0] + t * (b[1] - b[0])
        ends = min(
            np.linalg.norm(on_a - end, axis=1).min() for end in b
        ), min(np.linalg.norm(on_b - end, axis=1).min() for end in a)  # fmt: skip
        assert abs(own - min(ends)) < 1e-5


@pytest.mark.parametrize(("a", "b"), [(a, b) for a in THIN for b in THIN])
def test_balls_around_a_pair_do_not_meet_where_it_is_open(a, b):
    """What they leave room between never touches; and most postures that are far apart have some."""
    (pair,) = pairs_in_closed_form(TWO, scene(a, b), ())
    roomy = 0
    for q in postures(a, b, np.random.default_rng(2), 200):
        q[7:10] *= 4
        R, p = forward_kinematics(TWO, q)
        if pair.room_between(R, p, MARGIN) > 0:
            assert pair.at(R, p, MARGIN).gaps > 0
            roomy += 1
    assert roomy > 50


@pytest.mark.parametrize(("a", "b"), EVERY)
def test_they_are_recorded(a, b):
    """The same numbers in machine code, of a batch."""
    pairs = pairs_in_closed_form(TWO, scene(a, b), ())

    def touching(chain, q):
        R, p = forward_kinematics(chain, q)
        found = touches_of(pairs, R, p, MARGIN)
        return found.points, found.normals, found.gaps, found.trust

    q = postures(a, b, np.random.default_rng(1), 40)
    fast = compiled(touching, TWO)
    for own, *wanted in zip(q, *fast(q), strict=True):
        for x, y in zip(touching(TWO, own), wanted, strict=True):
            np.testing.assert_allclose(x, y, atol=1e-12)
    assert fast.runs == (40, 0)


def test_coefficients_and_exclusions_are_those_of_the_search():
    geometries = [*scene("ball", "capsule"), Geometry(HalfSpace((0, 0, 1)), "ground", friction=0.1)]
    pairs = pairs_in_closed_form(TWO, geometries, [(0, 2)])
    q = TWO.neutral.astype(float)
    q[[2, 9]] = -1
    wanted = find_contacts(TWO, geometries, q, exclude=[(0, 2)])
    own = [pair for pair in each_contact(pairs)]
    assert [pair.bodies for pair in own] == [(0, 1), (1, -1), (1, -1)]
    assert [(pair.friction, pair.restitution) for pair in own] == [
        (x.friction, x.restitution) for x in wanted
    ]


@pytest.mark.parametrize(
    ("a", "b"), [("box", "ball"), ("capsule", "hull"), ("box", "hull"), ("wall", "wall")]
)
def test_pairs_without_a_closed_form_are_named(a, b):
    names = rf"geometries\[0\], a {type(SHAPES[a]).__name__}, and geometries\[1\], a {type(SHAPES[b]).__name__}"
    with pytest.raises(NotInClosedForm, match=names):
        pairs_in_closed_form(TWO, scene(a, b), ())
    assert not pairs_in_closed_form(TWO, scene(a, b), [(1, 0)])
