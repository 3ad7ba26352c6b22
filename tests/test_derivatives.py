"""How forces and accelerations change: the recursion against complex steps, for every joint, trees and batches."""

from __future__ import annotations

import warnings

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq
from test_constraints import five_bar
from trees import EPS, EVERY_KIND, Case, motion, random_tree

from chaindyn import aba, body_twists, forward_kinematics, impact, point_velocity, body_jacobian, constrained_forward_dynamics, constraint_jacobian, crba, difference, integrate, rnea
from chaindyn.simulation import Driven, rk4_step
from chaindyn.derivatives import (
    aba_derivatives,
    impact_derivatives,
    saltation_matrix,
    body_jacobian_derivative,
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


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_jacobian_against_complex_steps(case, frame):
    chain = random_tree(case)
    q, _, _ = motion(case, chain)
    for body in {0, chain.n // 2, chain.n - 1}:
        found = body_jacobian_derivative(chain, q, body, frame=frame)
        expected = along(
            lambda d, body=body: body_jacobian(chain, integrate(chain, q, d), body, frame=frame),
            chain.nv,
        )
        size = np.abs(body_jacobian(chain, q, body, frame=frame)).max(initial=0) ** 2
        assert np.abs(found - expected).max(initial=0) <= 100 * chain.n * EPS * size


BLOWS = [Case(n, n % 2 == 0, seed=70 + n, kinds=EVERY_KIND) for n in (2, 3, 4, 5)]


def blow_at(chain, q, qd, rng, body):
    """A blow on a link, approaching: its point fixed on the link, and its normal."""
    R, p = forward_kinematics(chain, q)
    arm, normal = rng.normal(size=(2, 3))
    normal = normal / np.linalg.norm(normal)
    point = p[body] + R[body] @ arm
    speed = point_velocity(body_twists(chain, q, qd, frame="world")[body], point) @ normal
    return arm, (-normal if speed > 0 else normal)


@pytest.mark.parametrize("case", BLOWS, ids=str)
def test_blow_against_differences_of_forty_digits(case):
    chain = random_tree(case)
    q, qd, _ = motion(case, chain)
    rng = np.random.default_rng(case.seed)
    body = chain.n - 1
    arm, normal = blow_at(chain, q, qd, rng, body)

    def blow(q, qd):
        R, p = forward_kinematics(chain, q)
        point = p[body] + R[body] @ arm
        return impact(chain, q, qd, point=point, normal=normal, restitution=0.3, body=body)

    found = impact_derivatives(
        chain, q, qd, point=forward_kinematics(chain, q)[1][body] + forward_kinematics(chain, q)[0][body] @ arm,
        normal=normal, restitution=0.3, body=body,
    )
    exact = np.vectorize(mpmath.mpf, otypes=[object])
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -16

        def slope(f):
            pairs = [(f(h * exact(e)), f(-h * exact(e))) for e in np.eye(chain.nv)]
            columns = [[(a - b) / (2 * h) for a, b in zip(one, two, strict=True)] for one, two in pairs]
            return np.array(columns, float).T

        def answer(q, qd):
            result = blow(q, qd)
            return [*result.qd_jump, result.impulse]

        by_q = slope(lambda d: answer(integrate(chain, exact(q), d), exact(qd)))
        by_qd = slope(lambda d: answer(exact(q), exact(qd) + d))
    bound = 1000 * EPS * max(np.linalg.cond(crba(chain, q)), chain.n)
    for matrix, row, expected in (
        (found.qd_jump_dq, found.impulse_dq, by_q),
        (found.qd_jump_dqd, found.impulse_dqd, by_qd),
    ):
        assert np.abs(np.vstack([matrix, row]) - expected).max() <= bound * np.abs(expected).max()


@pytest.mark.parametrize("case", BLOWS, ids=str)
def test_what_two_motions_do_that_strike_one_after_the_other(case):
    """Motions beside the one that strikes, through their own blows, each at its own time: to second order in time."""
    chain = random_tree(case)
    q, qd, tau = motion(case, chain)
    qd = qd / np.linalg.norm(qd)
    rng = np.random.default_rng(case.seed)
    body = chain.n - 1
    arm, normal = blow_at(chain, q, qd, rng, body)
    driven = Driven(chain, lambda t, q, qd: tau)

    def struck_point(q):
        R, p = forward_kinematics(chain, q)
        return p[body] + R[body] @ arm

    wall = struck_point(q)
    blow = {"point": wall, "normal": normal, "restitution": 0.4, "body": body}

    def run(q, qd, time):
        return rk4_step(driven, 0, q, qd, time)

    def through(q, qd, time):
        hit = brentq(
            lambda t: normal @ (struck_point(run(q, qd, t)[0]) - wall), 0, time, xtol=1e-16, rtol=1e-15
        )
        q, qd = run(q, qd, hit)
        jump = impact(chain, q, qd, **{**blow, "point": struck_point(q)}).qd_jump
        return run(q, qd + jump, time - hit)

    after = qd + impact(chain, q, qd, **blow).qd_jump
    saltation = saltation_matrix(chain, q, qd, tau, **blow)
    rates = [linearise(chain, q, v, tau)[0] for v in (qd, after)]
    scale = max(np.linalg.norm(A, 2) for A in rates)
    half = 1e-4 / scale
    early = run(q, qd, -half)
    end = run(q, after, half)
    step = 1e-3 * half
    columns = []
    for unit in np.eye(2 * chain.nv):
        delta, nu = step * unit[: chain.nv], step * unit[chain.nv :]
        ends = [
            through(integrate(chain, early[0], sign * delta), early[1] + sign * nu, 2 * half)
            for sign in (1, -1)
        ]
        (q1, v1), (q0, v0) = ends
        apart = [difference(chain, end[0], x) for x in (q1, q0)]
        columns.append(np.concatenate([apart[0] - apart[1], v1 - v0]) / (2 * step))
    expected = np.stack(columns, axis=-1)
    found = expm(half * rates[1]) @ saltation @ expm(half * rates[0])
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()


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
