"""Inertia by its laws: sums over particles, rates by the complex step, other observers, other numbers."""

from fractions import Fraction

import numpy as np
import pytest

from chaindyn import (
    X_force,
    X_inverse,
    X_motion,
    apparent_inverse_inertia,
    crm,
    inertia_from_parameters,
    inertia_parameters,
    inertia_rate,
    newton_euler,
    pseudo_inertia,
    rotation_about,
    skew,
    spatial_inertia,
    weight_wrench,
)
from chaindyn.teaching import normwise

EPS = np.finfo(float).eps


def cloud(seed, size=20):
    """Return masses (size,) and places (size, 3) of particles."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.1, 2, size), rng.normal(size=(size, 3))


def inertia_of(masses, places):
    """Return the sum over particles of mu [r~; 1] [r~^T 1]."""
    arms = np.concatenate([skew(places), np.broadcast_to(np.eye(3), (len(masses), 3, 3))], axis=-2)
    return np.einsum("k,kij,klj->il", masses, arms, arms)


def frame(seed):
    """Return E and r of another observer."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    return rotation_about(axis / np.linalg.norm(axis), rng.normal(size=1)), rng.normal(size=3)


@pytest.mark.parametrize("seed", range(20))
def test_a_cloud_has_the_inertia_of_its_mass_centre_and_moments(seed):
    masses, places = cloud(seed)
    com = masses @ places / masses.sum()
    arms = skew(places - com)
    central = np.einsum("k,kij,klj->il", masses, arms, arms)
    direct = spatial_inertia(masses.sum(), com, central)
    assert normwise(direct, inertia_of(masses, places)) < 100 * EPS


@pytest.mark.parametrize("seed", range(20))
def test_ten_parameters_round_trip_and_are_additive(seed):
    one, two = inertia_of(*cloud(seed, 7)), inertia_of(*cloud(seed + 100, 9))
    ten = inertia_parameters(np.stack([one, two]))
    assert ten.shape == (2, 10)
    assert normwise(inertia_from_parameters(ten), [one, two]) < 10 * EPS
    assert normwise(inertia_from_parameters(ten.sum(0)), one + two) < 10 * EPS


@pytest.mark.parametrize("seed", range(20))
def test_pseudo_inertia_is_the_sum_of_second_moments(seed):
    masses, places = cloud(seed)
    homogeneous = np.concatenate([places, np.ones((len(masses), 1))], axis=-1)
    moments = np.einsum("k,ki,kj->ij", masses, homogeneous, homogeneous)
    assert normwise(pseudo_inertia(inertia_of(masses, places)), moments) < 100 * EPS


def test_pseudo_inertia_tells_what_no_body_has():
    impossible = spatial_inertia(1, np.zeros(3), np.diag([1.0, 1.0, 2.5]))
    assert np.linalg.eigvalsh(pseudo_inertia(impossible)).min() < -0.1


@pytest.mark.parametrize("seed", range(20))
def test_rate_of_a_carried_inertia_by_complex_step(seed):
    inertia, v = inertia_of(*cloud(seed)), np.random.default_rng(seed).normal(size=6)
    step = 1e-30
    carry = np.eye(6) - 1j * step * crm(v)  # space to body, after a short time
    moved = (carry.T @ inertia @ carry).imag / step
    assert normwise(inertia_rate(inertia, v), moved) < 100 * EPS


@pytest.mark.parametrize("seed", range(20))
def test_newton_euler_is_the_rate_of_momentum_and_every_observer_agrees(seed):
    rng = np.random.default_rng(seed)
    inertia, (a, v) = inertia_of(*cloud(seed)), rng.normal(size=(2, 6))
    wrench = newton_euler(inertia, a, v)
    scale = np.linalg.norm(inertia) * (np.linalg.norm(a) + v @ v)
    by_momentum = inertia @ a + inertia_rate(inertia, v) @ v
    assert np.linalg.norm(wrench - by_momentum) < 100 * EPS * scale
    X, X_star = X_motion(*frame(seed)), X_force(*frame(seed))
    back = X_inverse(X)
    seen = newton_euler(X_star @ inertia @ back, X @ a, X @ v)
    moved = np.linalg.norm(X, 2) ** 4
    assert np.linalg.norm(seen - X_star @ wrench) < 100 * EPS * scale * moved


def test_weight_is_the_sum_of_the_particles_weights():
    (masses, places), g = cloud(3), np.array([0.3, -0.2, -9.81])
    weights = masses[:, None] * g
    summed = np.concatenate([np.cross(places, weights).sum(0), weights.sum(0)])
    com = masses @ places / masses.sum()
    assert normwise(weight_wrench(masses.sum(), com, g), summed) < 100 * EPS


@pytest.mark.parametrize("k", range(7))
def test_apparent_inverse_inertia_has_rank_k_and_undoes_the_inertia_on_its_range(k):
    rng = np.random.default_rng(k)
    inertia, S = inertia_of(*cloud(k)), rng.normal(size=(5, 6, k))
    Phi = apparent_inverse_inertia(inertia, S)
    bound = 1000 * EPS * np.linalg.cond(inertia)
    assert (np.linalg.matrix_rank(Phi, hermitian=True) == k).all()
    assert normwise(Phi @ inertia @ S, S) < bound
    if k == 6:
        assert (
            normwise(Phi, np.stack([np.linalg.inv(inertia)] * 5)) < bound * np.linalg.cond(S).max()
        )


def test_what_is_exact_stays_exact():
    inertia = np.vectorize(Fraction, otypes=[object])(
        spatial_inertia(2, np.array([1, 0, 3]), np.diag([4, 5, 6]))
    )
    S = np.array([[0, 0, 1, 0, 0, 0], [1, 2, 0, 0, 1, 0]], object).T
    Phi = apparent_inverse_inertia(inertia, S)
    assert all(isinstance(x, Fraction | int) for x in Phi.flat)
    assert (Phi @ inertia @ S == S).all()


@pytest.mark.parametrize(
    "bad, told",
    [
        (
            lambda: apparent_inverse_inertia(np.eye(6), np.ones((5, 1))),
            ["S has shape (5, 1)", "6, k"],
        ),
        (lambda: apparent_inverse_inertia(np.eye(6), np.ones((6, 2))), ["singular", "depend"]),
        (lambda: apparent_inverse_inertia(np.eye(6), np.full((6, 1), np.nan)), ["S[0, 0] is nan"]),
        (lambda: apparent_inverse_inertia(np.eye(6), np.zeros((6, 1))), ["column 0 of S is zero"]),
        (
            lambda: apparent_inverse_inertia(np.zeros((6, 6), object), np.eye(6)[:, :1]),
            ["singular", "no inertia"],
        ),
        (
            lambda: apparent_inverse_inertia(np.diag([1.0, 1, 0, 1, 1, 1]), np.eye(6)[:, 1:3]),
            ["singular", "no inertia"],
        ),
        (lambda: apparent_inverse_inertia(np.zeros((6, 6)), np.eye(6)[:, :1]), ["singular"]),
        (lambda: inertia_parameters(np.eye(3)), ["inertia has shape (3, 3)", "(..., 6, 6)"]),
        (lambda: newton_euler(np.eye(6), np.ones(6), np.ones(3)), ["v has shape (3,)", "(..., 6)"]),
        (lambda: weight_wrench(1, [0, 0, 0], [0, 0, np.nan]), ["gravity[2] is nan", "finite"]),
    ],
)
def test_bad_input_is_told(bad, told):
    with pytest.raises(ValueError) as error:
        bad()
    assert all(word in str(error.value) for word in told)
