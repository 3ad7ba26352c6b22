"""How forces and accelerations change: the recursion against complex steps, for every joint, trees and batches."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from test_constraints import five_bar
from trees import EPS, EVERY_KIND, Case, motion, random_tree

from chaindyn import aba, constrained_forward_dynamics, constraint_jacobian, crba, difference, integrate, rnea
from chaindyn.derivatives import (
    aba_derivatives,
    constrained_forward_dynamics_derivatives,
    linearise,
    rnea_derivatives,
)

STEP = 1e-100
CASES = [Case(n, branching=n % 2 == 0, seed=40 + n, kinds=EVERY_KIND) for n in (1, 2, 3, 5, 8, 13)]
CASES += [Case(8, True, "tiny", 60, EVERY_KIND), Case(8, True, "wild", 61, EVERY_KIND)]
FRAMES = ("body", "world", "mixed")


def along(f, size):
    """Columns of the derivative of f, which takes a tangent (size,)."""
    columns = [f(1j * STEP * unit).imag / STEP for unit in np.eye(size)]
    return np.stack(columns, axis=-1)


def routes(chain, q, qd, qdd, **outside):
    """The three derivatives of rnea by complex steps."""

    def forces(q, qd, qdd):
        return rnea(chain, q, qd, qdd, **outside)

    return (
        along(lambda d: forces(integrate(chain, q, d), qd + 0 * d, qdd + 0 * d), chain.nv),
        along(lambda d: forces(q + 0j, qd + d, qdd + 0 * d), chain.nv),
        along(lambda d: forces(q + 0j, qd + 0 * d, qdd + d), chain.nv),
    )


def columnwise(found, expected):
    """The largest error of a row, as a share of the row's size among all three derivatives."""
    found, expected = np.concatenate(found, axis=-1), np.concatenate(expected, axis=-1)
    size = np.linalg.norm(expected, axis=-1).max()
    return np.abs(found - expected).max() / size if size else np.abs(found).max()


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_rnea_against_complex_steps(case, frame):
    chain = random_tree(case)
    q, qd, qdd = motion(case, chain)
    if not chain.nv:
        pytest.skip("nothing moves")
    wrenches = np.random.default_rng(case.seed).normal(size=(chain.n, 6))
    outside = {"external": wrenches, "external_frame": frame}
    found = rnea_derivatives(chain, q, qd, qdd, **outside)
    assert columnwise(found, routes(chain, q, qd, qdd, **outside)) <= 100 * chain.n * EPS


@pytest.mark.parametrize("case", CASES[:6], ids=str)
def test_the_last_one_is_the_mass_matrix_and_batches_are_the_same(case):
    chain = random_tree(case)
    q, qd, qdd = motion(case, chain, (2, 3))
    found = rnea_derivatives(chain, q, qd, qdd)
    M = crba(chain, q)
    assert np.abs(found[2] - M).max(initial=0) <= 100 * chain.n * EPS * np.abs(M).max(initial=0)
    for k in np.ndindex(2, 3):
        alone = rnea_derivatives(chain, q[k], qd[k], qdd[k])
        assert all(
            np.allclose(x[k], y, rtol=1e-12, atol=1e-12) for x, y in zip(found, alone, strict=True)
        )


@pytest.mark.parametrize("case", CASES[:6], ids=str)
def test_aba_against_complex_steps(case):
    chain = random_tree(case)
    q, qd, tau = motion(case, chain)
    wrenches = np.random.default_rng(case.seed).normal(size=(chain.n, 6))
    outside = {"external": wrenches, "external_frame": "world"}

    def accelerations(q, qd, tau):
        return aba(chain, q, qd, tau, **outside)

    found = aba_derivatives(chain, q, qd, tau, **outside)
    expected = (
        along(lambda d: accelerations(integrate(chain, q, d), qd + 0 * d, tau + 0 * d), chain.nv),
        along(lambda d: accelerations(q + 0j, qd + d, tau + 0 * d), chain.nv),
        along(lambda d: accelerations(q + 0j, qd + 0 * d, tau + d), chain.nv),
    )
    bound = 100 * EPS * max(np.linalg.cond(crba(chain, q)), chain.n)
    assert columnwise(found, expected) <= bound


@pytest.mark.parametrize("case", CASES[:6], ids=str)
def test_linear_model_of_what_two_motions_do(case):
    """The deviation of two motions after a short time, by differences to fourth order in time."""
    chain = random_tree(case)
    q, qd, tau = motion(case, chain)
    A, B = linearise(chain, q, qd, tau)
    rng = np.random.default_rng(case.seed)
    delta, nu, push = 1e-6 * rng.normal(size=(3, chain.nv))

    def apart(time):
        one = integrate(chain, q, time * qd)
        other = integrate(chain, integrate(chain, q, delta), time * (qd + nu))
        return difference(chain, one, other)

    h = 1e-3
    moved = (8 * (apart(h) - apart(-h)) - (apart(2 * h) - apart(-2 * h))) / (12 * h)
    expected = A @ np.concatenate([delta, nu]) + B @ push
    assert np.abs(moved - expected[: chain.nv]).max(initial=0) <= 1e-5 * np.abs(
        np.concatenate([delta, nu])
    ).max(initial=1e-300)


def test_loops_against_differences():
    """A five-bar with redundant rows, along each coordinate as if the loop could open: to the differences' accuracy."""
    chain, loops, q = five_bar()
    rng = np.random.default_rng(5)
    free = np.linalg.svd(constraint_jacobian(chain, loops, q))[2][-2:]
    qd, tau = free.T @ rng.normal(size=2), rng.normal(size=chain.nv)

    def answer(q, qd, tau):
        with warnings.catch_warnings():  # beside the loop rates break it
            warnings.simplefilter("ignore")
            return np.concatenate(constrained_forward_dynamics(chain, loops, q, qd, tau))

    def differences(f, h=1e-4):
        pairs = [[f(k * h * e) - f(-k * h * e) for k in (1, 2)] for e in np.eye(chain.nv)]
        return np.stack([(8 * one - two) / (12 * h) for one, two in pairs], axis=-1)

    accelerations, forces = constrained_forward_dynamics_derivatives(chain, loops, q, qd, tau)
    expected = (
        differences(lambda d: answer(integrate(chain, q, d), qd, tau)),
        differences(lambda d: answer(q, qd + d, tau)),
        differences(lambda d: answer(q, qd, tau + d)),
    )
    for found, multipliers, both in zip(accelerations, forces, expected, strict=True):
        assert (
            np.abs(np.concatenate([found, multipliers]) - both).max() <= 1e-8 * np.abs(both).max()
        )
