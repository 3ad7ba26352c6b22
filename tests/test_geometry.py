"""Where bodies touch: distances against closed forms, other libraries and programs; patches; contacts of chains."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from pairs import KINDS, WAYS, Source, cores_of, pair_of, pairs
from scipy import spatial
from scipy.optimize import linprog, minimize
from trees import EPS, oracle

from chaindyn import (
    Box,
    Capsule,
    Chain,
    ConvexHull,
    Fixed,
    Free,
    Geometry,
    HalfSpace,
    Link,
    Revolute,
    Sphere,
    body_jacobian,
    distance,
    exp_so3,
    find_contacts,
    forward_kinematics,
    integrate,
)
from chaindyn.geometry import contact_patch, epa, gjk, nearest_on_segments, sweep_and_prune
from chaindyn.guards.outlines import common_stretch
from chaindyn.guards.simplices import affine_weights, direction_of, nearest_part, rounding_of
from chaindyn.models.scenes import core_separation, touching_points
from chaindyn.models.shapes import in_world
from chaindyn.triangles import triangle_distance

HERE = np.eye(3), np.zeros(3)
UP = np.array([0.0, 0.0, 1.0])
EVERY_TWO = list(itertools.combinations_with_replacement(KINDS, 2))


def at(*p):
    return np.eye(3), np.array(p, float)


def about(axis, angle):
    return exp_so3(angle * np.asarray(axis, float))


# Distances: others' results ------------------------------------------------------------------


def compare_with_stored(every):
    """Compare with Coal every so-manyth pair, to 1e-7; normals too, where they are unique."""
    stored = oracle("geometry")
    said = stored["results"][::every]
    for pair, (theirs, *normal, fcl) in zip(pairs(stored["each"], every), said, strict=True):
        found = distance(pair.a, pair.pose_a, pair.b, pair.pose_b)
        assert abs(found.distance - theirs) <= 1e-7, pair
        if np.abs(found.normal - normal).max() > 1e-7:
            # bodies that touch in a corner, or overlap with several ways out that are equally short
            assert pair.way in ("touching", "parallel"), pair
            a, b = cores_of(pair)
            apart = found.distance + a.radius + b.radius
            # of balls and capsules whose centre lines meet, Coal's normal does not part the bodies by the depth
            if len(a.normals) or len(b.normals) or apart > 1e-9:
                parting = (a.corners @ normal).min() - (b.corners @ normal).max()
                assert abs(parting - apart) <= 1e-7, pair
        # FCL stops early where it iterates, and of some parallel boxes it is wrong by their size
        if fcl is not None and pair.way != "parallel":
            assert abs(found.distance - fcl) <= 1e-3, pair
    return len(said)


def test_others_agree():
    assert compare_with_stored(every=23) > 400


@pytest.mark.nightly
def test_others_agree_on_ten_thousand_pairs():
    assert compare_with_stored(every=1) == 10_000


# Distances: proofs -----------------------------------------------------------------------------


def inside(core, x, tolerance):
    """Whether a point is in a core, blown up by its radius."""
    if len(core.normals):
        return (core.normals @ x - core.offsets <= tolerance).all()
    a, b = core.corners[0], core.corners[-1]
    t = np.clip((x - a) @ (b - a) / max((b - a) @ (b - a), 1e-300), 0, 1)
    return np.linalg.norm(x - a - t * (b - a)) <= core.radius + tolerance


def least_depth(a, b):
    """The depth of two cores that overlap, by Qhull's faces of all differences of corners."""
    every = (a.corners[:, None] - b.corners).reshape(-1, 3)
    return -spatial.ConvexHull(every).equations[:, 3].max()


@pytest.mark.parametrize("kinds", EVERY_TWO, ids=lambda kinds: "-".join(k.__name__ for k in kinds))
@pytest.mark.parametrize("way", WAYS)
def test_every_answer_is_proved(kinds, way):
    """A plane that parts the bodies by the distance; points in both so far apart; of depths, no face is nearer."""
    for seed in range(77_000, 77_008):
        pair = pair_of(kinds, way, seed)
        a, b = cores_of(pair)
        scale = np.abs(a.corners - b.corners[0]).max() + a.radius + b.radius + 1
        far = np.abs(a.corners).max() + np.abs(b.corners).max()
        bound = 1e3 * EPS * (scale + far)
        found = distance(pair.a, pair.pose_a, pair.b, pair.pose_b)
        n, (x, y) = found.normal, found.points
        assert abs(n @ n - 1) <= 10 * EPS
        assert np.abs(x - y - found.distance * n).max() <= bound
        assert inside(a, x, bound) and inside(b, y, bound)
        core_gap = (a.corners @ n).min() - (b.corners @ n).max()
        # the normal is known to rounding over the distance of the cores
        loose = bound * max(1.0, scale / max(abs(found.distance + a.radius + b.radius), 1e-3))
        assert abs(core_gap - a.radius - b.radius - found.distance) <= loose
        if core_gap < -bound and (len(a.normals) or len(b.normals)):
            assert abs(least_depth(a, b) + core_gap) <= bound


def test_distance_against_a_quadratic_program():
    source = Source(1)
    sums = np.repeat(np.eye(2), [9, 7], axis=1)
    for _ in range(5):
        a, b = source.vector(1, 9, 3), source.vector(1, 7, 3) + np.array([3, 0, 0])
        both = np.concatenate([a, -b])
        program = minimize(
            lambda w, both=both: (w @ both) @ (w @ both),
            np.concatenate([np.full(9, 1 / 9), np.full(7, 1 / 7)]),
            jac=lambda w, both=both: 2 * both @ (w @ both),
            constraints={"type": "eq", "fun": lambda w: sums @ w - 1, "jac": lambda w: sums},
            bounds=[(0, 1)] * 16,
            options={"ftol": 1e-15, "maxiter": 500},
        )
        found = distance(ConvexHull(a), HERE, ConvexHull(b), HERE)
        assert abs(found.distance - np.linalg.norm(program.x @ both)) <= 1e-6


def test_spheres_and_planes_in_closed_form():
    source = Source(2)
    for _ in range(20):
        (r, s), x, y = [source.number(0.1, 1) for _ in range(2)], source.vector(2), source.vector(2)
        found = distance(Sphere(r), (source.rotation(), x), Sphere(s), (source.rotation(), y))
        assert abs(found.distance - np.linalg.norm(x - y) + r + s) <= 10 * EPS
        assert np.abs(found.normal - (x - y) / np.linalg.norm(x - y)).max() <= 10 * EPS
        # a ball and a box, by clamping its centre to the box
        R, half = source.rotation(), np.array([0.5, 0.7, 0.9])
        local = R.T @ (x - y)
        nearest = np.clip(local, -half, half)
        apart = np.linalg.norm(local - nearest)
        if apart == 0:
            apart = -(half - np.abs(local)).min()
        found = distance(Sphere(r), (np.eye(3), x), Box(2 * half), (R, y))
        assert abs(found.distance - apart + r) <= 20 * EPS
        # a box on a tilted plane: its lowest corner
        normal = source.vector(1)
        corners = y + np.array(list(itertools.product(*np.stack([-half, half], axis=1)))) @ R.T
        turn = source.rotation()
        out = turn @ normal / np.linalg.norm(normal)
        found = distance(Box(2 * half), (R, y), HalfSpace(normal), (turn, x))
        assert abs(found.distance - ((corners - x) @ out).min()) <= 20 * EPS
        assert np.abs(found.normal - out).max() <= 10 * EPS
        other = distance(HalfSpace(normal), (turn, x), Box(2 * half), (R, y))
        assert other.distance == found.distance and (other.normal == -found.normal).all()
        assert (other.points == found.points[::-1]).all()


def test_segments_against_dense_points():
    source = Source(3)
    t = np.linspace(0, 1, 401)[:, None]
    for _ in range(20):
        a, b = source.vector(1, 2, 3), source.vector(1, 2, 3)
        x, y = nearest_on_segments(a, b)
        dense = ((1 - t) * a[0] + t * a[1])[:, None] - ((1 - t) * b[0] + t * b[1])
        apart = np.linalg.norm(x - y)
        least = np.linalg.norm(dense, axis=-1).min()
        assert apart <= least + 1e-12
        assert least - apart <= 1e-2


def test_a_box_at_every_height_over_another():
    """From a gap, through rounding, to a depth: distance and normal have no seam, however the pair is turned."""
    source = Source(4)
    heights = [0, *(sign * 10.0**-k for k in range(1, 17) for sign in (1, -1))]
    for turn, yaw in itertools.product((np.eye(3), source.rotation()), (0.0, 0.4, np.pi / 4)):
        for gap, shift in itertools.product(heights, (0.0, 0.3)):
            place = np.array([shift, shift / 2, 1.0 + gap])
            found = distance(
                Box((1, 1, 1)),
                (turn @ about(UP, yaw), turn @ place),
                Box((3, 3, 1)),
                (turn, np.zeros(3)),
            )
            assert abs(found.distance - gap) <= 20 * EPS
            assert np.abs(found.normal - turn @ UP).max() <= 1e-14


def test_faces_that_are_tilted_by_a_hair():
    """The gap is that of the lowest corner, however near it is and however little the face is tilted."""
    source = Source(17)
    top = Box((2, 2, 2))
    limit = 500 * EPS  # GJK stops at 64 roundings of the extent of both bodies, here about 5
    for _ in range(300):
        tilt = exp_so3(source.vector(1) * [1, 1, 3] * 10.0 ** -source.number(3, 15))
        gap = round(source.number(0, 4)) and 10.0 ** -source.number(2, 15)
        lowest = (CUBE.core.corners @ tilt.T)[:, 2].min()
        place = np.array([*source.vector(0.3, 2), 1 + gap - lowest])
        found = distance(CUBE, (tilt, place), top, HERE)
        assert abs(found.distance - gap) <= limit
        turned = source.rotation()
        again = distance(CUBE, (turned @ tilt, turned @ place), top, (turned, np.zeros(3)))
        assert abs(again.distance - gap) <= limit
        assert np.abs(turned @ UP - again.normal).max() <= max(
            1e-12, 3 * np.abs(tilt - np.eye(3)).max()
        )


def test_edges_at_every_height():
    """Two cubes on edge, crossed: the normal is that of both edges."""
    first, second = about((1, 0, 0), np.pi / 4), about((0, 1, 0), np.pi / 4)
    for gap in [0, *(sign * 10.0**-k for k in range(1, 17) for sign in (1, -1))]:
        place = np.array([0.1, 0.2, np.sqrt(2) + gap])
        found = distance(Box((1, 1, 1)), (second, place), Box((1, 1, 1)), (first, np.zeros(3)))
        assert abs(found.distance - gap) <= 20 * EPS
        assert np.abs(found.normal - UP).max() <= 1e-13


def test_far_from_the_origin_no_digit_is_lost():
    away = np.array([1e6, -2e6, 3e6])
    for pair in pairs(1):
        near = distance(pair.a, pair.pose_a, pair.b, pair.pose_b)
        p, q = (
            np.round(pose[1] * 2**20) / 2**20 for pose in (pair.pose_a, pair.pose_b)
        )  # sums stay exact
        near = distance(pair.a, (pair.pose_a[0], p), pair.b, (pair.pose_b[0], q))
        far = distance(pair.a, (pair.pose_a[0], p + away), pair.b, (pair.pose_b[0], q + away))
        assert abs(near.distance - far.distance) <= 1e-8


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_units_do_not_matter(size):
    for pair in pairs(1):
        a, b = ConvexHull(Source(5).vector(1, 9, 3)), pair.b
        if not isinstance(b, Box | ConvexHull):
            continue
        larger = Box(b.sides * size) if isinstance(b, Box) else ConvexHull(b.points * size)
        (R, p), (S, q) = pair.pose_a, pair.pose_b
        one = distance(a, (R, p), b, (S, q))
        scaled = distance(ConvexHull(a.points * size), (R, p * size), larger, (S, q * size))
        assert abs(scaled.distance / size - one.distance) <= 1e-11 * max(1, abs(one.distance))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Sphere(1), Sphere(2)),
        (Capsule(0.5, 1), Capsule(0.25, 2)),
        (Sphere(1), Capsule(0.5, 1)),
        (Sphere(1), Box((2, 2, 2))),
        (Box((1, 1, 1)), Box((1, 1, 1))),
        (Capsule(0.1, 1), Box((2, 2, 2))),
        (ConvexHull(np.eye(4)[:, :3] - 0.25), ConvexHull(0.25 - np.eye(4)[:, :3])),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_one_in_the_other_about_one_point(a, b):
    """Where several ways out are equally short: one of them, of length one, and it is as short as can be."""
    found = distance(a, HERE, b, HERE)
    assert np.isfinite(found.points).all() and abs(np.linalg.norm(found.normal) - 1) <= 10 * EPS
    moved = distance(a, (np.eye(3), -found.distance * found.normal), b, HERE)
    assert abs(moved.distance) <= 100 * EPS
    if isinstance(a, Sphere | Capsule) and isinstance(b, Sphere | Capsule):
        assert abs(found.distance + a.radius + b.radius) <= 10 * EPS
    else:
        assert abs(found.distance + least_depth(a.core, b.core) + a.core.radius) <= 10 * EPS


# GJK and EPA -------------------------------------------------------------------------------------


def awkward_bodies(source):
    """Corners of two bodies for which simplices are thin, tied, flat, equal, tiny or far away."""
    kind = int(source.number(0, 9))
    a, b = source.vector(1, 12, 3), source.vector(1, 9, 3)
    shift = source.vector(3)
    match kind:
        case 8:  # flat faces that nearly touch, tilted by a hair
            a = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
            b, a = a * [2, 2, -1], a @ exp_so3(source.vector(10.0 ** -source.number(6, 15))).T
            shift = np.array([*shift[:2] / 4, 10.0 ** -source.number(6, 15)])
        case 0:  # a lattice: ties everywhere
            a, b, shift = a.round(), b.round(), shift.round()
        case 1:  # flat, and in parallel planes
            a, b = a * [1, 1, 0], b * [1, 1, 0]
        case 2:  # needles
            a, b = a * [1, 1e-8, 1e-8], b * [1e-8, 1, 1e-8]
        case 3:  # the same body, hardly moved
            b, shift = a, shift * 10.0 ** -source.number(5, 17)
        case 4:  # cubes with parallel faces
            a = b = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
            shift = shift.round(1)
        case 5:  # very different sizes
            b = b * 1e-6
        case 6:  # corners that are there twice, but for rounding
            a = np.concatenate([a, a + 1e-16 * source.vector(1, 12, 3)])
        case _:  # a fine ball, almost round
            a = a / np.linalg.norm(a, axis=1, keepdims=True)
    return a + shift, b


def gjk_ends_with_its_proof(count, seed):
    source, longest, worst = Source(seed), 0, 0.0
    for _ in range(count):
        a, b = awkward_bodies(source)
        steps = gjk(a, b)
        last = steps[-1]
        longest = max(longest, len(steps))
        v = last.nearest
        own, other = last.pairs.T
        assert (last.points == a[own] - b[other]).all()
        assert (last.weights > 0).all() and abs(last.weights.sum() - 1) <= 10 * EPS
        scale = np.abs(a - b[0]).max() + np.abs(b - b[0]).max()
        length = np.linalg.norm(v)
        if (
            length > 1e-6 * scale
        ):  # of a shorter one rounding has the last word: `distance` asks the faces
            n = direction_of(last.points, v)
            worst = max(worst, (length - (a @ n).min() + (b @ n).max()) / scale)
    return longest, worst


def test_gjk_never_loops():
    longest, worst = gjk_ends_with_its_proof(4000, 6)
    assert longest <= 30
    assert worst <= 1e-12


@pytest.mark.nightly
def test_gjk_never_loops_on_a_hundred_thousand():
    longest, worst = gjk_ends_with_its_proof(100_000, 7)
    assert longest <= 40
    assert worst <= 1e-12


@pytest.mark.parametrize("each", [2, pytest.param(1000, marks=pytest.mark.nightly)])
def test_gjk_never_loops_whatever_the_shapes_and_however_they_lie(each):
    """Every two kinds of shapes: apart, touching, deep, far and exactly parallel, each way round; 10^5 at night."""
    for pair in pairs(each):
        a, b = cores_of(pair)
        for one, other in ((a, b), (b, a)):
            assert len(gjk(one.corners, other.corners)) <= 30, pair


def test_gjk_comes_nearer_with_every_step():
    source = Source(8)
    for _ in range(50):
        lengths = [np.linalg.norm(s.nearest) for s in gjk(*awkward_bodies(source))]
        assert (np.diff(lengths) < 0).all()


def test_a_reduced_simplex_is_nearer_than_before():
    """Usually it is the nearest part; in the first case the edge is 1.029 m away, and the last three's face 1 m."""
    source, missed = Source(11), 0
    known = np.array([[0, 2, 3], [-5, -2, 1], [-3, 1, 1], [5, -1, 1]], float)
    for points in (known, *(source.vector(5, 4, 3) for _ in range(1000))):
        weights = np.append(affine_weights(points[:3]), 0.0)
        v = weights @ points
        if weights[:3].min() <= 0 or v @ points[3] >= v @ v:
            continue  # none of GJK's steps
        kept, own = nearest_part(points, weights)
        nearest = own @ points[kept]
        length = np.linalg.norm(nearest)
        assert length < np.linalg.norm(v)
        assert np.abs((points[kept] - nearest) @ nearest).max() <= 1e-12
        assert own.min() > 0
        missed += length > np.linalg.norm(gjk(points, np.zeros((1, 3)))[-1].nearest) + 1e-9
    assert 1 <= missed <= 5


def test_epa_grows_from_inside():
    """Its faces' distances never exceed the depth, and the last is the depth."""
    source = Source(9)
    for _ in range(20):
        a, b = source.vector(1, 12, 3), source.vector(1, 9, 3)
        n, depth, seen = epa(a, b)
        every = spatial.ConvexHull((a[:, None] - b).reshape(-1, 3))
        assert abs(depth + every.equations[:, 3].max()) <= 1e-14
        assert abs((b @ n).max() - (a @ n).min() - depth) <= 1e-14
        for faces in seen:
            assert all(
                (every.equations[:, :3] @ x + every.equations[:, 3] <= 1e-13).all()
                for x in faces.reshape(-1, 3)
            )


# Triangles -------------------------------------------------------------------------------------


def test_triangles_against_gjk():
    source, meet = Source(10), 0
    for _ in range(300):
        a, b = source.vector(1, 3, 3), source.vector(1, 3, 3)
        apart, (x, y) = triangle_distance(a, b)
        meet += apart == 0
        assert abs(apart - np.linalg.norm(gjk(a, b)[-1].nearest)) <= 1e-13
        assert abs(np.linalg.norm(x - y) - apart) <= 1e-15
    assert 20 < meet < 280


def test_triangles_in_one_plane_and_through_each_other():
    flat = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0]], float)
    small = np.array([[1, 1, 0], [1.5, 1, 0], [1, 1.5, 0]])
    assert triangle_distance(flat, small)[0] == 0  # one within the other
    beside = triangle_distance(flat, small + np.array([5, 0, 0]))[0]
    assert abs(beside - np.sqrt(5)) <= 3 * EPS  # the corners (4, 0) and (6, 1)
    upright = np.array([[1, 1, -1], [1, 1, 1], [1.2, 1, 1]])
    apart, (x, y) = triangle_distance(flat, upright)
    assert apart == 0 and (x == y).all() and abs(x[2]) <= EPS


def test_two_linked_rings():
    """Bodies that are not convex: a sweep of boxes leaves few pairs of triangles, and loses none."""

    def ring(turn, shift):
        u, v = np.meshgrid(np.arange(10) * np.pi / 5, np.arange(5) * 2 * np.pi / 5, indexing="ij")
        grid = np.stack(
            [(1 + 0.2 * np.cos(v)) * np.cos(u), (1 + 0.2 * np.cos(v)) * np.sin(u), 0.2 * np.sin(v)],
            -1,
        )
        east, north = np.roll(grid, -1, 0), np.roll(grid, -1, 1)
        both = np.roll(east, -1, 1)
        halves = [
            np.stack(corners, 2).reshape(-1, 3, 3)
            for corners in ((grid, east, both), (grid, both, north))
        ]
        return np.concatenate(halves) @ turn.T + shift

    one = ring(np.eye(3), np.zeros(3))
    other = ring(about((1, 0, 0), np.pi / 2), np.array([0.5, 0, 0]))
    margin = 0.15
    both = np.concatenate([one, other])
    met, _ = sweep_and_prune(both.min(1) - margin, both.max(1) + margin)
    close = [(i, j) for i, j in met if i < len(one) <= j]
    assert len(close) < 0.2 * len(one) * len(other)
    apart = min(triangle_distance(both[i], both[j])[0] for i, j in close)
    samples = [spatial.cKDTree(densely(t)) for t in (one, other)]
    sampled = samples[0].query(samples[1].data)[0].min()
    assert apart <= sampled <= apart + 0.03
    assert 0 < apart < margin


def densely(triangles):
    weights = np.array([(i, j, 8 - i - j) for i in range(9) for j in range(9 - i)]) / 8
    return (weights @ triangles).reshape(-1, 3)


# Patches ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [1e-3, 1e-6, 1e-7, 3e-8, 1e-8, 1e-9, 1e-12, 1e-15])
def test_segments_that_cross_at_a_small_angle(angle):
    """Two of length 2 that cross in their middles have distance zero, whatever the angle."""
    one = np.array([[-1.0, 0, 0], [1, 0, 0]])
    other = one @ exp_so3(np.array([0, 0, angle])).T
    x, y = nearest_on_segments(one, other)
    assert np.linalg.norm(x - y) <= 1e-15


def contacts_of_mujoco(assets, fixed, free):
    """Return MuJoCo's model and data, once a geometry is fixed and another hangs on a free joint."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><asset>{assets}</asset><worldbody>{fixed}<body {free[0]}><freejoint/>"
        f"{free[1]}</body></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return mujoco, model, data


def coal_of(shape):
    """Return a shape for Coal."""
    coal = pytest.importorskip("coal")
    if isinstance(shape, Capsule):
        return coal.Capsule(shape.radius, shape.length)
    corners = coal.StdVec_Vec3s()
    corners.extend(shape.core.corners)
    return coal.ConvexBase.convexHull(corners, False, "")


def coal_distance(a, pose_a, b, pose_b):
    """Return Coal's distance and normal."""
    coal = pytest.importorskip("coal")
    found = coal.DistanceResult()
    poses = [coal.Transform3s(*pose) for pose in (pose_a, pose_b)]
    one, other = coal_of(a), coal_of(b)
    far = coal.distance(one, poses[0], other, poses[1], coal.DistanceRequest(), found)
    return far, found.normal


def test_others_say_the_same_of_the_pencil_and_the_mug():
    """The table of chapter 19, first row."""
    turns = 2 * np.pi / 24 * np.arange(25)
    walls = [
        [(r * np.cos(a), r * np.sin(a), z) for r in (0.038, 0.042) for a in two for z in (0, 0.095)]
        for two in itertools.pairwise(turns)
    ]
    pencil = Capsule(0.004, 0.17)
    held = about((0, 1, 0), np.radians(70)), np.array([0.03, 0.01, 0.13])
    staves = [ConvexHull(wall) for wall in walls]
    ours = min(distance(pencil, held, wall, HERE).distance for wall in staves)
    assert f"{1e3 * ours:.5f}" == "4.70525"
    assert abs(min(coal_distance(pencil, held, wall, HERE)[0] for wall in staves) - ours) < 1e-12
    names = range(24)
    mujoco, model, data = contacts_of_mujoco(
        "".join(
            f'<mesh name="{k}" vertex="{" ".join(map(str, np.ravel(walls[k])))}"/>' for k in names
        ),
        "".join(f'<geom type="mesh" mesh="{k}" name="{k}"/>' for k in names),
        (
            'pos="0.03 0.01 0.13" euler="0 70 0"',
            '<geom name="pencil" type="capsule" size="0.004 0.085"/>',
        ),
    )
    pen, line = model.geom("pencil").id, np.zeros(6)
    near = [mujoco.mj_geomDistance(model, data, pen, model.geom(f"{k}").id, 1, line) for k in names]
    assert abs(min(near) - ours) < 2e-9


def test_others_on_boxes_and_on_crossing_capsules():
    """The table of chapter 19, the other rows."""
    coal = pytest.importorskip("coal")
    lines = about((0, 1, 0), np.pi / 2), about((1, 0, 0), np.pi / 2)
    thick, places = Capsule(0.08, 1.0), [(turn, np.zeros(3)) for turn in lines]
    ours = distance(thick, places[0], thick, places[1])
    theirs, normal = coal_distance(thick, places[0], thick, places[1])
    assert abs(ours.distance + 0.16) < 1e-12 and abs(np.linalg.norm(ours.normal) - 1) < 1e-12
    assert abs(theirs + 0.16) < 1e-12 and not normal.any()
    capsule = '<geom type="capsule" size="0.08 0.5" euler="{}"/>'.format
    _, _, data = contacts_of_mujoco("", capsule("0 90 0"), ("", capsule("90 0 0")))
    assert data.ncon == 1 and abs(data.contact.dist[0] + 0.16) < 1e-12
    assert abs(np.linalg.norm(data.contact.frame[0, :3]) - 1) < 1e-12

    away = np.array([0.4, 0, 0.9999])
    cube = Box((1, 1, 1))
    assert len(points_of(cube, (np.eye(3), away), cube, HERE)[0]) == 4
    box = '<geom type="box" size=".5 .5 .5"/>'
    assert contacts_of_mujoco("", box, ('pos="0.4 0 0.9999"', box))[2].ncon == 4
    asked, found = coal.CollisionRequest(), coal.CollisionResult()
    asked.num_max_contacts, solid = 10, coal.Box(1.0, 1.0, 1.0)
    poses = [coal.Transform3s(np.eye(3), p) for p in (np.zeros(3), away)]
    assert coal.collide(solid, poses[0], solid, poses[1], asked, found) == 1


def points_of(a, pose_a, b, pose_b, margin=0.0):
    """Places (k, 3) and gaps (k,) of the contact of two shapes."""
    found = touching_points(in_world(a, *pose_a), in_world(b, *pose_b), margin)
    return np.array([x for x, *_ in found]).reshape(-1, 3), np.array([g for _, _, g, _ in found])


def same_points(found, expected, tolerance=1e-9):
    """Whether two sets of places are the same, in any order."""
    found, expected = np.asarray(found), np.asarray(expected)
    if len(found) != len(expected):
        return False
    apart = np.linalg.norm(found[:, None] - expected, axis=-1)
    return apart.min(0).max() <= tolerance and apart.min(1).max() <= tolerance


def common_polygon(a, b, centre):
    """Corners (k, 2) of the intersection of two convex polygons, by Qhull's intersection of half-planes."""
    planes = np.concatenate([spatial.ConvexHull(x).equations for x in (a, b)])
    corners = spatial.HalfspaceIntersection(planes, centre).intersections
    return corners[spatial.ConvexHull(corners).vertices]


@pytest.mark.parametrize("gap", [0.0, 1e-13, -1e-13, 1e-9, -1e-9, -1e-4, 1e-4])
def test_face_on_face_gives_the_corners_of_what_they_share(gap):
    source = Source(11)
    for _ in range(12):
        yaw, shift = source.number(0, 3), source.vector(0.6, 2)
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
        c, s = np.cos(yaw), np.sin(yaw)
        upper = square @ np.array([[c, s], [-s, c]]) + shift
        wide = square * [2.0, 1.2]
        expected = common_polygon(upper, wide, shift / 2)
        turn = source.rotation()
        pose = turn @ about(UP, yaw), turn @ np.array([*shift, 1 + gap])
        for body, base in (
            (Box((1, 1, 1)), Box((2, 1.2, 1))),
            (ConvexHull(Box((1, 1, 1)).core.corners), Box((2, 1.2, 1))),
            (ConvexHull(Box((1, 1, 1)).core.corners), ConvexHull(Box((2, 1.2, 1)).core.corners)),
        ):
            points, gaps = points_of(body, pose, base, (turn, np.zeros(3)), margin=max(gap, 0))
            assert same_points(points @ turn[:, :2], expected, 1e-8)
            assert np.abs(points @ turn[:, 2] - 0.5 - gap / 2).max() <= 1e-12
            assert np.abs(gaps - gap).max() <= 1e-13


def test_edges_give_both_ends():
    lifted = 0.5 + np.sqrt(0.5)
    on_edge = about((0, 1, 0), np.pi / 4), np.array([0.2, 0.3, lifted])
    points, gaps = points_of(Box((1, 1, 1)), on_edge, Box((2, 2, 1)), HERE)
    assert same_points(points, [[0.2, -0.2, 0.5], [0.2, 0.8, 0.5]])
    assert np.abs(gaps).max() <= 1e-15
    hangs_over = about((0, 1, 0), np.pi / 4), np.array([0.2, 0.7, lifted])
    points, _ = points_of(Box((1, 1, 1)), hangs_over, Box((2, 2, 1)), HERE)
    assert same_points(points, [[0.2, 0.2, 0.5], [0.2, 1.0, 0.5]])
    crossed = about((1, 0, 0), np.pi / 4), np.zeros(3)
    points, gaps = points_of(
        Box((1, 1, 1)), (on_edge[0], [0.1, 0.2, 2 * lifted - 1]), Box((1, 1, 1)), crossed
    )
    assert same_points(points, [[0.1, 0.0, lifted - 0.5]])


def test_capsules_give_both_ends_where_they_lie():
    lying = about((0, 1, 0), np.pi / 2)
    points, gaps = points_of(Capsule(0.1, 1), (lying, [0.8, 0, 0.6]), Box((2, 2, 1)), HERE)
    assert same_points(points, [[0.3, 0, 0.5], [1.0, 0, 0.5]]) and np.abs(gaps).max() <= 1e-15
    points, gaps = points_of(
        Capsule(0.1, 1), (lying, [0.3, 0, 0.3]), Capsule(0.2, 1), (lying, np.zeros(3))
    )
    assert same_points(points, [[-0.2, 0, 0.2], [0.5, 0, 0.2]]) and np.abs(gaps).max() <= 1e-15
    turned = about((1, 0, 0), np.pi / 2)
    points, _ = points_of(
        Capsule(0.1, 1), (lying, [0.3, 0, 0.3]), Capsule(0.2, 1), (turned, np.zeros(3))
    )
    assert same_points(points, [[0, 0, 0.2]])
    points, _ = points_of(
        Capsule(0.1, 1), (np.eye(3), [0, 0, 1.1]), Box((2, 2, 1)), HERE
    )  # it stands
    assert same_points(points, [[0, 0, 0.5]])
    points, gaps = points_of(Capsule(0.1, 1), (lying, [0, 0, 0.05]), HalfSpace(UP), HERE)
    assert same_points(points, [[-0.5, 0, -0.025], [0.5, 0, -0.025]])
    assert np.abs(gaps + 0.05).max() <= 1e-15


def test_parallel_capsules_touch_along_what_they_share():
    """In general position; a shared end counts as one point, and so does a line that only crosses."""
    source = Source(18)
    for shared in (1.0, 0.3, 0.0, -0.2):
        turn, place = source.rotation(), source.vector(3)
        r, t, one, other = (source.number(0.1, 0.6), source.number(0.1, 0.6), 1.4, 2.2)
        along = one / 2 + other / 2 - shared  # by which the second is shifted along z
        apart = np.hypot(r + t, min(shared, 0.0)) if shared < 0 else r + t
        a, b = Capsule(r, one), Capsule(t, other)
        pose_b = turn, place + turn @ [apart, 0, along]
        points, gaps = points_of(a, (turn, place), b, pose_b, margin=1.0)
        local = (points - place) @ turn
        if shared > 0:
            expected = [[r, 0, one / 2], [r, 0, one / 2 - shared]]
            assert same_points(local, expected) and np.abs(gaps).max() <= 1e-14
        else:
            assert len(points) == 1
            assert abs(gaps[0] - (np.hypot(apart, shared) - r - t)) <= 1e-14
        skewed = turn @ about((1, 0, 0), 1e-3), pose_b[1]
        assert len(points_of(a, (turn, place), b, skewed, margin=1.0)[0]) == 1


def test_what_two_segments_on_one_line_share():
    """Anywhere in the plane, in every order of the ends; nothing if they cross, miss, or share an end only."""
    origin, along = np.array([3.0, -2.0]), np.array([0.6, 0.8])
    segment = lambda s, t: origin + np.outer([s, t], along)  # noqa: E731
    for one, other in itertools.product(((1, 4), (4, 1)), ((2, 7), (7, 2))):
        shared = common_stretch(segment(*one), segment(*other), 1e-9)
        assert same_points(shared, segment(2, 4), 1e-14)
    beside = segment(2, 7) + np.array([-0.8, 0.6]) * 1e-3
    for other in (segment(4, 7), segment(5, 7), segment(4 - 5e-10, 7), beside):
        assert common_stretch(segment(1, 4), other, 1e-9).shape == (0, 2)


def test_a_wall_that_does_not_pass_through_the_origin():
    source = Source(19)
    for _ in range(5):
        turn, place = source.rotation(), source.vector(5)
        lying = turn @ about((0, 1, 0), np.pi / 2), place + turn @ [0.3, 0.4, 0.15]
        points, gaps = points_of(Capsule(0.2, 1), lying, HalfSpace(UP), (turn, place))
        expected = place + np.array([[-0.2, 0.4, -0.025], [0.8, 0.4, -0.025]]) @ turn.T
        assert same_points(points, expected, 1e-14) and np.abs(gaps + 0.05).max() <= 1e-14


def test_a_tilted_box_has_the_corners_within_the_margin():
    """Each with its own gap: that of the two surfaces along the normal, as linear programs have it."""
    source, several = Source(12), 0
    for _ in range(20):
        tilt = exp_so3(np.append(source.vector(2e-3, 2), source.number(0, 3)))
        body, base = Box((1, 1, 1)), Box((1.5, 1.5, 1))
        pose = tilt, np.array([*source.vector(0.4, 2), 1 + source.number(-1e-3, 1e-3)])
        a, b = body.core.placed(*pose), base.core
        found = distance(body, pose, base, HERE)
        points, gaps = points_of(body, pose, base, HERE, margin=2e-3)
        assert abs(gaps.min() - found.distance) <= 1e-8
        assert gaps.max() <= 2e-3 + 1e-8
        several += len(points) > 2
        n = found.normal
        for x, gap in zip(points, gaps, strict=True):
            program = linprog(  # the places s, t along n at which the line through x leaves b and enters a
                [1, -1],
                A_ub=np.block(
                    [
                        [(a.normals @ n)[:, None], np.zeros((6, 1))],
                        [np.zeros((6, 1)), (b.normals @ n)[:, None]],
                    ]
                ),
                b_ub=np.concatenate([a.offsets - a.normals @ x, b.offsets - b.normals @ x]) + 1e-10,
                bounds=[(None, None)] * 2,
            )
            assert program.status == 0
            assert abs(program.fun - gap) <= 1e-6
    assert several > 10


def test_a_face_lies_flat_to_a_billionth():
    """With no margin, a face that touches keeps its corners while it is tilted by rounding, and no longer."""
    for angle, count in ((0, 4), (1e-11, 4), (3e-10, 4), (3e-8, 1), (1e-6, 1)):
        tilt = about(np.array([0.6, 0.8, 0]), angle)
        corners = Box((1, 1, 1)).core.corners @ tilt.T
        pose = tilt, np.array([0, 0, 0.5 - corners[:, 2].min()])
        assert len(points_of(Box((1, 1, 1)), pose, Box((2, 2, 1)), HERE)[0]) == count


def test_a_tilted_box_that_is_deep_has_all_the_corners_that_are_inside():
    tilt = about((1, 1, 0), 1e-3)
    for height, count in ((0.995, 4), (0.9995, 3)):
        points, gaps = points_of(Box((1, 1, 1)), (tilt, [0, 0, height]), Box((2, 2, 1)), HERE)
        corners = Box((1, 1, 1)).core.corners @ tilt.T + [0, 0, height - 0.5]
        inside = np.sort(corners[corners[:, 2] < 0][:, 2])
        assert len(points) == len(inside) == count
        assert np.abs(np.sort(gaps) - inside).max() <= 1e-6


def test_a_margin_lets_contacts_in_one_by_one():
    tilt = about((1, 1, 0), 1e-3)
    pose = tilt, np.array([0, 0, 1.001])
    counts = [
        len(points_of(Box((1, 1, 1)), pose, Box((2, 2, 1)), HERE, margin)[0])
        for margin in np.linspace(0, 3e-3, 31)
    ]
    assert counts[0] == 0 and counts[-1] == 4
    assert (np.diff(counts) >= 0).all() and set(counts) == {0, 1, 3, 4}


def test_no_contact_is_ever_dropped():
    """Whatever overlaps or touches has a point, and the deepest one is the distance."""
    for pair in itertools.chain(pairs(3), touching_lattice()):
        a, b = cores_of(pair)
        found = core_separation(a, b)
        if found.distance <= 1e-12:
            gaps = [gap for _, gap in contact_patch(a, b, found, 0.0)]
            scale = np.abs(a.corners - b.corners[0]).max() + a.radius + b.radius
            assert gaps and abs(min(gaps) - found.distance) <= 1e-8 * scale, pair
            assert touching_points(a, b, 1e-12), pair
            assert touching_points(b, a, 1e-12), pair


def touching_lattice():
    """Pairs of boxes turned by quarters, faces, edges and corners exactly on each other."""
    template = pair_of((Box, Box), "deep", 0)
    for shift in itertools.product((-1.0, -0.5, 0.0, 1.0), repeat=3):
        yield dataclasses.replace(
            template, a=Box((1, 1, 1)), b=Box((1, 1, 1)), pose_a=at(*shift), pose_b=HERE
        )


# Broad phase -----------------------------------------------------------------------------------


def test_the_sweep_finds_all_boxes_that_meet():
    source = Source(13)
    for count in (1, 2, 7, 60):
        low = source.vector(2, count, 3).round(1)  # so that some only touch
        high = low + source.vector(1, count, 3).round(1) ** 2
        meet = (low[:, None] <= high).all(-1) & (low <= high[:, None]).all(-1)
        expected = [(int(i), int(j)) for i, j in zip(*np.triu(meet, 1).nonzero(), strict=True)]
        assert sweep_and_prune(low, high)[0] == expected


# Contacts of a chain ---------------------------------------------------------------------------

BLOCK = {"mass": 1.0, "com": (0, 0, 0), "inertia": np.eye(3)}


def pile(count):
    return Chain([Link(Free(), **BLOCK, parent="ground", name=f"block {i}") for i in range(count)])


def upright(*places):
    return np.concatenate([[*p, 1, 0, 0, 0] for p in places])


CUBE = Box((1, 1, 1))
FLOOR = Geometry(HalfSpace(UP), "ground", friction=0.5, restitution=0.3)


def test_a_stack_on_a_floor():
    n = 5
    chain = pile(n)
    things = [FLOOR, *(Geometry(CUBE, i, friction=0.32) for i in range(n))]
    contacts = find_contacts(chain, things, upright(*((0, 0, 0.5 + i) for i in range(n))))
    assert len(contacts) == 4 * n
    for contact in contacts:
        first, second = contact.bodies
        assert second == -1 if first == 0 and contact.point[2] < 0.5 else abs(first - second) == 1
        above = 1 if first > second else -1
        assert np.abs(contact.normal - above * UP).max() <= 1e-14
        assert abs(contact.gap) <= 1e-14
        floor = second == -1
        assert abs(contact.friction - (0.4 if floor else 0.32)) <= 1e-15
        assert contact.restitution == (0.3 if floor else 0.0)
        assert np.abs(np.abs(contact.point[:2]) - 0.5).max() <= 1e-14
    assert {c.bodies for c in contacts} == {(0, -1), *((i, i + 1) for i in range(n - 1))}


def test_the_ground_is_second_and_names_work():
    chain = pile(1)
    for things in ([FLOOR, Geometry(CUBE, "block 0")], [Geometry(CUBE, 0), FLOOR]):
        for contact in find_contacts(chain, things, upright((0, 0, 0.4))):
            assert contact.bodies == (0, -1)
            assert (contact.normal == UP).all()
            assert abs(contact.gap + 0.1) <= 1e-15 or contact.gap > 0
            assert type(contact.gap) is float
            with pytest.raises(dataclasses.FrozenInstanceError):
                contact.gap = 0.0


def test_a_gap_grows_at_the_rate_of_the_points_along_the_normal():
    """Along any motion: the gap's slope is the normal speed of the first body's point less the second's."""
    rng = np.random.default_rng(14)
    chain = pile(2)
    shapes = [Sphere(0.4), Capsule(0.2, 0.8), CUBE, ConvexHull(rng.normal(size=(12, 3)) / 2)]
    seen = 0
    for a, b in itertools.product(shapes, repeat=2):
        things = [
            Geometry(a, 0, offset=(0.1, 0, 0), rotation=about((0, 1, 0), 0.3)),
            Geometry(b, 1),
        ]
        q = integrate(chain, chain.neutral, 0.7 * rng.normal(size=chain.nv))
        qd = rng.normal(size=chain.nv)
        contacts = find_contacts(chain, things, q, margin=10)
        contact = min(contacts, key=lambda c: c.gap)
        step = 1e-6
        ends = [
            min(
                c.gap
                for c in find_contacts(chain, things, integrate(chain, q, s * step * qd), margin=10)
            )
            for s in (1, -1)
        ]
        p = forward_kinematics(chain, q)[1]
        speed = 0.0
        for body, sign in zip(contact.bodies, (1, -1), strict=True):
            w, v = np.split(body_jacobian(chain, q, body, frame="mixed") @ qd, 2)
            speed += sign * contact.normal @ (v + np.cross(w, contact.point - p[body]))
        if abs(contact.gap) > 1e-3:
            seen += 1
            assert abs((ends[0] - ends[1]) / (2 * step) - speed) <= 2e-4 * max(1, abs(speed)), (
                a,
                b,
            )
    assert seen > 10


def test_neighbours_in_the_tree_are_left_out():
    rod = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": np.eye(3)}
    chain = Chain([Link(Revolute(), **rod, offset=(float(i > 0), 0, 0)) for i in range(3)])
    balls = [Geometry(Sphere(0.3), i, offset=(x, 0, 0)) for i in range(3) for x in (0, 1.0)]
    assert (
        find_contacts(chain, balls, np.zeros(3)) == []
    )  # each overlaps the next link's, in the joint
    folded = np.array([0, 2.6, 2.6])
    assert {c.bodies for c in find_contacts(chain, balls, folded)} == {(0, 2)}
    ground = Geometry(Sphere(0.1), "ground", offset=(0.0, 0, 0))
    assert {c.bodies for c in find_contacts(chain, [*balls, ground], np.zeros(3))} == {
        (0, -1)
    }  # it is no parent
    star = Chain(
        [Link(Fixed(), **rod), Link(Revolute(), **rod, parent=0), Link(Revolute(), **rod, parent=0)]
    )
    thick = [Geometry(Sphere(0.3), i) for i in range(3)]
    assert {c.bodies for c in find_contacts(star, thick, np.zeros(2))} == {
        (1, 2)
    }  # siblings may touch


def test_offset_and_rotation_place_the_shape():
    rng = np.random.default_rng(15)
    chain = pile(2)
    q = integrate(chain, chain.neutral, rng.normal(size=chain.nv) / 2)
    R, p = forward_kinematics(chain, q)
    turn, offset = exp_so3(rng.normal(size=3)), rng.normal(size=3) / 3
    things = [Geometry(CUBE, 0, offset=offset, rotation=turn), Geometry(Sphere(0.2), 1)]
    (contact,) = find_contacts(chain, things, q, margin=5)
    found = distance(CUBE, (R[0] @ turn, p[0] + R[0] @ offset), Sphere(0.2), (R[1], p[1]))
    assert abs(contact.gap - found.distance) <= 1e-14
    assert np.abs(contact.point - found.points.mean(0)).max() <= 1e-14
    assert np.abs(contact.normal - found.normal).max() <= 1e-14


def test_what_is_found_does_not_depend_on_the_broad_phase():
    rng = np.random.default_rng(16)
    chain = pile(12)
    shapes = [Sphere(0.4), Capsule(0.2, 0.8), CUBE, ConvexHull(rng.normal(size=(12, 3)) / 2)] * 3
    things = [*(Geometry(s, i) for i, s in enumerate(shapes)), FLOOR]
    q = upright(*(rng.uniform(-1.5, 1.5, (12, 3))))
    contacts = find_contacts(chain, things, q, margin=0.05)
    R, p = forward_kinematics(chain, q)
    expected = {
        (i, j)
        for i, j in itertools.combinations(range(12), 2)
        if distance(shapes[i], (R[i], p[i]), shapes[j], (R[j], p[j])).distance <= 0.05
    }
    expected |= {
        (i, -1)
        for i in range(12)
        if distance(shapes[i], (R[i], p[i]), HalfSpace(UP), HERE).distance <= 0.05
    }
    assert {c.bodies for c in contacts} == expected
    assert len(expected) > 10


def test_nothing_to_touch():
    chain = pile(2)
    assert find_contacts(chain, [], chain.neutral) == []
    assert find_contacts(chain, [FLOOR], chain.neutral) == []
    assert find_contacts(chain, [FLOOR, Geometry(CUBE, "ground")], chain.neutral) == []


# Bad input -------------------------------------------------------------------------------------

FLAT = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Sphere(0), ["Sphere.radius", "positive"]),
        (lambda: Sphere(-1.0), ["-1.0", "positive"]),
        (lambda: Sphere(np.nan), ["Sphere.radius", "nan"]),
        (lambda: Sphere("big"), ["Sphere.radius", "big"]),
        (lambda: Sphere([1.0, 2.0]), ["Sphere.radius", "one number"]),
        (lambda: Capsule(0.1, 0), ["Capsule.length", "positive"]),
        (lambda: Capsule(0, 1), ["Capsule.radius", "positive"]),
        (lambda: Box((1, 0, 1)), ["Box.sides", "[1.0, 0.0, 1.0]", "positive"]),
        (lambda: Box((1, 1)), ["Box.sides", "(2,)", "(3,)"]),
        (lambda: Box((1, np.inf, 1)), ["Box.sides", "inf"]),
        (lambda: ConvexHull([]), ["ConvexHull.points", "four points"]),
        (lambda: ConvexHull(np.eye(3)), ["(3, 3)", "four points"]),
        (lambda: ConvexHull(FLAT), ["lies in a plane", "thickness"]),
        (lambda: ConvexHull([[0, 0, 0]] * 5), ["lies in a plane, a line or a point"]),
        (lambda: ConvexHull([*FLAT, [0, 0, np.nan]]), ["ConvexHull.points[4, 2]", "nan"]),
        (lambda: ConvexHull(np.ones((4, 2))), ["(4, 2)", "(m, 3)"]),
        (lambda: HalfSpace((0, 0, 0)), ["must not be zero"]),
        (lambda: HalfSpace((0, 1)), ["HalfSpace.normal", "(3,)"]),
        (lambda: Geometry("box", 0), ["shape of a Geometry", "'box'", "Sphere"]),
        (lambda: Geometry(Sphere, 0), ["shape of a Geometry", "Sphere"]),
        (lambda: Geometry(CUBE, None), ["link is None", "ground"]),
        (lambda: Geometry(CUBE, 0, offset=(0, 0)), ["position of a Geometry", "(2,)"]),
        (lambda: Geometry(CUBE, 0, offset=(0, 0, np.nan)), ["position of a Geometry", "nan"]),
        (
            lambda: Geometry(CUBE, 0, rotation=2 * np.eye(3)),
            ["rotation of a Geometry", "no rotation"],
        ),
        (lambda: Sphere(1j), ["Sphere.radius", "real numbers"]),
        (lambda: Box((1, 1, 1j)), ["Box.sides", "real numbers"]),
        (lambda: Box(1), ["Box.sides", "()"]),
        (lambda: ConvexHull([[0, 0, 0], [1, 0]]), ["ConvexHull.points", "differ in length"]),
        (lambda: ConvexHull([*FLAT[:3], [1, 1, 1e-12]]), ["lies in a plane", "thickness"]),
        (lambda: HalfSpace((0, np.nan, 1)), ["HalfSpace.normal", "nan"]),
        (lambda: Geometry(CUBE, True), ["link is True", "ground"]),
        (lambda: Geometry(CUBE, 0.0), ["link is 0.0", "ground"]),
        (lambda: Geometry(CUBE, 0, offset=(0, 0, 1j)), ["position of a Geometry", "real"]),
        (lambda: Geometry(CUBE, 0, rotation=np.eye(2)), ["rotation of a Geometry", "(2, 2)"]),
        (lambda: Geometry(CUBE, 0, friction=[0.1]), ["friction", "(1,)"]),
        (lambda: Geometry(CUBE, 0, friction=np.inf), ["friction", "inf"]),
        (lambda: Geometry(CUBE, 0, friction=-0.1), ["friction is -0.1", "zero or more"]),
        (lambda: Geometry(CUBE, 0, friction=np.nan), ["friction", "nan"]),
        (lambda: Geometry(CUBE, 0, restitution=1.01), ["restitution is 1.01", "from 0 to 1"]),
        (lambda: Geometry(CUBE, 0, restitution=-0.01), ["restitution is -0.01", "from 0 to 1"]),
        (lambda: distance(CUBE, HERE, "box", HERE), ["shape_b", "'box'"]),
        (lambda: distance(CUBE, np.eye(3), CUBE, HERE), ["pose_a", "(R, p)"]),
        (lambda: distance(CUBE, 5, CUBE, HERE), ["pose_a is 5", "(R, p)"]),
        (lambda: distance(CUBE, HERE, CUBE, (np.eye(3), [0, np.nan, 0])), ["pose_b", "nan"]),
        (lambda: distance(CUBE, (-np.eye(3), np.zeros(3)), CUBE, HERE), ["pose_a", "no rotation"]),
        (lambda: distance(FLOOR.shape, HERE, FLOOR.shape, HERE), ["two half-spaces", "end"]),
    ],
)
def test_what_cannot_be_is_refused(make, says):
    with pytest.raises(ValueError) as error:
        make()
    assert all(word in str(error.value) for word in says), str(error.value)


@pytest.mark.parametrize(
    ("things", "q", "margin", "says"),
    [
        ([Geometry(CUBE, 3)], None, 0, ["geometries[0]", "3", '"ground"']),
        ([FLOOR, Geometry(CUBE, "arm")], None, 0, ["geometries[1]", "'arm'", "block 0"]),
        ([CUBE], None, 0, ["geometries[0]", "must be a Geometry"]),
        (None, None, 0, ["geometries is a NoneType", "a list"]),
        (Geometry(CUBE, 0), None, 0, ["geometries is a Geometry", "a list"]),
        ([Geometry(CUBE, -3)], None, 0, ["geometries[0]", "-3"]),
        ([Geometry(CUBE, 0)], None, np.inf, ["margin", "inf"]),
        ([Geometry(CUBE, 0)], None, 1j, ["margin", "real numbers"]),
        ([Geometry(CUBE, 0)], np.zeros(14), 0, ["q", "quaternion", "block 0"]),
        ([Geometry(CUBE, 0)], None, -1e-3, ["margin is -0.001", "zero or more"]),
        ([Geometry(CUBE, 0)], None, np.nan, ["margin", "nan"]),
        ([Geometry(CUBE, 0)], None, [0.1, 0.2], ["margin", "(2,)"]),
        ([Geometry(CUBE, 0)], np.zeros((2, 14)), 0, ["q"]),
        ([Geometry(CUBE, 0)], np.full(14, np.nan), 0, ["q", "nan"]),
        ([Geometry(CUBE, 0)], np.zeros(13), 0, ["q", "(13,)"]),
        (
            [FLOOR, Geometry(HalfSpace(UP), 0)],
            None,
            0,
            ["geometries[1] and geometries[0]", "half-spaces"],
        ),
    ],
)
def test_what_cannot_be_found_is_refused(things, q, margin, says):
    chain = pile(2)
    with pytest.raises(ValueError) as error:
        find_contacts(chain, things, chain.neutral if q is None else q, margin=margin)
    assert all(word in str(error.value) for word in says), str(error.value)


def test_several_postures_are_refused():
    chain = pile(1)
    with pytest.raises(ValueError, match="one state at a time"):
        find_contacts(chain, [FLOOR], np.stack([chain.neutral] * 2))


def test_shapes_cannot_be_changed():
    box = Box((1, 2, 3))
    with pytest.raises(ValueError, match="read-only"):
        box.sides[0] = 5
    given = np.array([1.0, 2.0, 3.0])
    box = Box(given)
    given[0] = 7
    assert box.sides[0] == 1
    assert rounding_of(np.zeros((1, 3)), np.ones((1, 3))) == 64 * EPS


def test_welded_links_and_links_that_are_only_axes_make_neighbours():
    """A ball that is fixed to a ball, and behind two axes without mass another: none of them meet. The last one may."""
    body, none = (1, (0, 0, 0), np.eye(3)), (0, (0, 0, 0), np.zeros((3, 3)))
    joints = [Free(), Fixed(), *[Revolute(axis) for axis in np.eye(3)], Revolute((0, 0, 1))]
    parts = [body, body, none, none, body, body]
    chain = Chain([Link(j, *part) for j, part in zip(joints, parts, strict=True)])
    balls = [Geometry(Sphere(1), i) for i in (0, 1, 4, 5)]
    found = {c.bodies for c in find_contacts(chain, balls, chain.neutral)}
    assert found == {(0, 5), (1, 5)}
    assert not find_contacts(chain, balls, chain.neutral, exclude=[(0, 3), (3, 1)])
    # a link without mass but with a shape is a body, and comes between
    found = {
        c.bodies for c in find_contacts(chain, [*balls, Geometry(Sphere(1), 3)], chain.neutral)
    }
    assert (0, 4) in found and (3, 4) not in found
