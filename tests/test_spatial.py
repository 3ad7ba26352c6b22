"""Laws of spatial algebra, on random motions, forces and frames, near the identity and far from it."""

from fractions import Fraction

import numpy as np
import pytest
from trees import EPS, random_inertia, random_rotation, small_rotation

from chaindyn import (
    X_force,
    X_inverse,
    X_motion,
    crf,
    crm,
    point_velocity,
    screw,
    screw_axis,
    skew,
    spatial_inertia,
    swap_order,
    swap_order_matrix,
    wrench,
)
from chaindyn.teaching import normwise

BATCHES = [(), (1,), (5,), (2, 3)]


def frames(batch, near):
    """Random rotations and origins; a third of the uses are within 1e-7 of the identity."""
    rng = np.random.default_rng(len(batch) + near)
    make = small_rotation if near else random_rotation
    E = np.array([make(rng) for _ in range(int(np.prod(batch)))]).reshape((*batch, 3, 3))
    return E, (1e-7 if near else 1.0) * rng.normal(size=(*batch, 3))


@pytest.fixture(params=[(b, near) for b in BATCHES for near in (False, True)], ids=str)
def frame(request):
    return frames(*request.param)


@pytest.fixture
def X(frame):
    return X_motion(*frame)


@pytest.fixture
def X_star(frame):
    return X_force(*frame)


@pytest.fixture
def vectors(frame):
    """Two motions and a force, for each frame."""
    rng = np.random.default_rng(7)
    return rng.normal(size=(3, *frame[1].shape[:-1], 6))


def times(A, x):
    return (A @ x[..., None])[..., 0]


def assert_equal(a, b, roundings=10):
    """The laws hold to a few roundings, however large a batch is."""
    assert normwise(a, b) <= roundings * EPS


def test_skew_is_the_cross_product(vectors):
    a, b = vectors[0][..., :3], vectors[1][..., :3]
    assert_equal(times(skew(a), b), np.cross(a, b))
    assert np.array_equal(skew(a), -skew(a).mT)


def test_force_cross_is_minus_the_transpose_of_motion_cross(vectors):
    assert np.array_equal(crf(vectors[0]), -crm(vectors[0]).mT)  # to the bit


def test_motion_cross_with_itself_is_zero(vectors):
    v = vectors[0]
    assert np.abs(times(crm(v), v)).max() <= 4 * EPS * np.abs(v).max() ** 2


def test_motion_cross_satisfies_jacobi(vectors):
    a, b, c = vectors
    terms = [times(crm(x) @ crm(y), z) for x, y, z in ((a, b, c), (b, c, a), (c, a, b))]
    assert np.abs(sum(terms)).max() <= 20 * EPS * max(np.abs(t).max() for t in terms)


def test_transform_times_inverse_is_one(X, X_star):
    one = np.broadcast_to(np.eye(6), X.shape)
    for A in (X, X_star):
        assert_equal(A @ X_inverse(A), one)
        assert_equal(X_inverse(A) @ A, one)
        assert_equal(X_inverse(A), np.linalg.inv(A), roundings=30)  # the dense solve's own error


def test_force_transform_is_the_inverse_transpose(X, X_star):
    assert_equal(X_star, X_inverse(X).mT)
    assert_equal(X_star, np.linalg.inv(X).mT, roundings=30)


def test_transforms_compose(frame):
    E, r = frame
    F, s = frames(r.shape[:-1], near=False)  # of C in B; r is of B in A
    r_C = r + times(E.mT, s)
    assert_equal(X_motion(F, s) @ X_motion(E, r), X_motion(F @ E, r_C))
    assert_equal(X_force(F, s) @ X_force(E, r), X_force(F @ E, r_C))


def test_crosses_transform_by_similarity(X, X_star, vectors):
    v = vectors[0]
    assert_equal(crm(times(X, v)), X @ crm(v) @ X_inverse(X), roundings=30)
    assert_equal(crf(times(X, v)), X_star @ crf(v) @ X_inverse(X_star), roundings=30)


def test_power_does_not_depend_on_the_observer(X, X_star, vectors):
    m, _, f = vectors
    there = (times(X, m) * times(X_star, f)).sum(-1)
    scale = np.linalg.norm(m) * np.linalg.norm(f) * np.linalg.norm(X) * np.linalg.norm(X_star)
    assert np.abs(there - (m * f).sum(-1)).max() <= 10 * EPS * scale


def test_power_rate_is_shared_by_the_two_crosses(vectors):
    v, m, f = vectors
    total = (times(crm(v), m) * f).sum(-1) + (m * times(crf(v), f)).sum(-1)  # d(m.f)/dt = 0
    assert np.abs(total).max() <= 10 * EPS * np.linalg.norm(v) * np.linalg.norm(m) * np.linalg.norm(
        f
    )


def test_motion_cross_is_the_rate_of_the_transform_to_carried_axes(vectors):
    """Seen from axes that are carried along with velocity v, a fixed motion m changes as -v x m."""
    v, m, _ = vectors
    w, u = v[..., :3], v[..., 3:]
    step = 1e-30j  # complex step: no subtraction, so no cancellation
    E = np.eye(3) - step * skew(w)  # E(t) of axes that turn with w, to first order
    moved = times(X_motion(E, step * u), m.astype(complex))
    assert_equal(moved.imag / 1e-30, -times(crm(v), m))


def test_orderings_round_trip_to_the_bit(vectors, X):
    v = vectors[0]
    assert np.array_equal(swap_order(swap_order(v)), v)
    assert np.array_equal(swap_order_matrix(swap_order_matrix(X)), X)
    assert np.array_equal(swap_order(v)[..., :3], v[..., 3:])


def test_orderings_commute_with_transforming(X, vectors):
    v = vectors[0]
    assert_equal(times(swap_order_matrix(X), swap_order(v)), swap_order(times(X, v)))


@pytest.mark.parametrize("law", [crm, crf], ids=["crm", "crf"])
def test_linear_first_crosses_are_the_swapped_blocks(law, vectors):
    v = vectors[0]
    w, u = skew(v[..., :3]), skew(v[..., 3:])
    linear_first = swap_order_matrix(law(v))
    right, left = (u, 0 * u) if law is crm else (0 * u, u)
    assert np.array_equal(linear_first, np.block([[w, right], [left, w]]))


def test_point_velocity_is_rigid(vectors):
    v, a, b = vectors[0], vectors[1][..., :3], vectors[2][..., :3]
    stretch = ((a - b) * (point_velocity(v, a) - point_velocity(v, b))).sum(-1)
    assert np.abs(stretch).max() <= 20 * EPS * np.abs(v).max() * (1 + np.abs(a - b).max()) ** 2 * 3
    assert_equal(point_velocity(v, a), v[..., 3:] + np.cross(v[..., :3], a))


def test_points_of_a_screw_advance_along_it(vectors):
    point, direction = vectors[0][..., :3], vectors[1][..., :3]
    pitch = vectors[2][..., 0]
    s = screw(point, direction, pitch)
    along = direction / np.linalg.norm(direction, axis=-1, keepdims=True)
    assert_equal(s[..., :3], along)
    velocity = point_velocity(s, point)
    scale = 1 + np.abs(point).max() + np.abs(pitch).max()
    assert np.abs(velocity - pitch[..., None] * along).max() <= 10 * EPS * scale


def test_screw_axis_gives_the_screw_back(vectors):
    v = vectors[0]
    point, direction, pitch, magnitude = screw_axis(v)
    assert_equal(magnitude[..., None] * screw(point, direction, pitch), v, roundings=20)
    assert np.abs((point * direction).sum(-1)).max() <= 20 * EPS * (1 + np.abs(point).max())


def test_wrench_on_a_line_does_no_work_on_its_points_that_stay(vectors):
    point, direction = vectors[0][..., :3], vectors[1][..., :3]
    f = wrench(point, direction)
    turning = screw(
        point, vectors[2][..., :3]
    )  # about any line through a point of the force's line
    assert np.abs((f * turning).sum(-1)).max() <= 10 * EPS * (1 + np.abs(point).max()) ** 2
    assert np.array_equal(f, swap_order(screw(point, direction)))


def test_spatial_inertia_gives_the_kinetic_energy_of_its_particles():
    """A body of four particles: mass, centre and inertia from them, energy from their velocities."""
    rng = np.random.default_rng(3)
    mass, place, v = rng.uniform(1, 2, 4), rng.normal(size=(4, 3)), rng.normal(size=6)
    com = mass @ place / mass.sum()
    arms = place - com
    inertia = np.einsum("k,kij->ij", mass, (arms**2).sum(-1)[:, None, None] * np.eye(3))
    inertia -= np.einsum("k,ki,kj->ij", mass, arms, arms)
    inertia = (inertia + inertia.T) / 2  # einsum rounds the two halves differently
    energy = (mass * (point_velocity(v, place) ** 2).sum(-1)).sum() / 2
    I = spatial_inertia(mass.sum(), com, inertia)
    assert abs(v @ I @ v / 2 - energy) <= 20 * EPS * energy
    assert np.array_equal(I, I.T)


def test_spatial_inertia_transforms_as_a_map_from_motions_to_forces(frame):
    E, r = frame
    rng = np.random.default_rng(5)
    com, inertia = rng.normal(size=3), random_inertia(rng)
    there = spatial_inertia(2.0, times(E, com - r), E @ inertia @ E.mT)
    here = spatial_inertia(2.0, com, inertia)
    moved = X_force(E, r) @ here @ X_inverse(X_motion(E, r))
    assert_equal(there, moved, roundings=100)


def test_exact_numbers_stay_exact():
    E = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    r = np.array([Fraction(1, 3), Fraction(2, 7), Fraction(-5)], object)
    v = np.array([Fraction(k, 7) for k in range(1, 7)], object)
    X = X_motion(E, r)
    assert (X @ X_inverse(X) == np.eye(6)).all()
    assert (X_force(E, r) == X_inverse(X).T).all()
    assert (crf(v) == -crm(v).T).all()
    assert (X_force(E, r) @ crf(v) @ X.T == crf(X @ v)).all()
    assert not any(
        isinstance(x, float) for A in (X, crm(v), spatial_inertia(3, r, E)) for x in A.flat
    )


def test_integers_stay_integers():
    assert crm(np.arange(6)).dtype.kind == "i"
    assert X_motion(np.eye(3, dtype=int), np.arange(3)).dtype.kind == "i"
