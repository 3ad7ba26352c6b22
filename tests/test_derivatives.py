"""How forces and accelerations change: the recursion against complex steps, for every joint, trees and batches."""

from __future__ import annotations

import warnings
from dataclasses import astuple, dataclass, replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy.linalg import expm
from scipy.optimize import brentq
from test_constraints import five_bar
from trees import EPS, EVERY_KIND, Case, motion, random_tree

from chaindyn import (
    Chain,
    Drive,
    Fixed,
    Frame,
    Joint,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    aba,
    body_jacobian,
    body_twists,
    constrained_forward_dynamics,
    constraint_jacobian,
    coordinate_rate,
    crba,
    difference,
    forward_kinematics,
    impact,
    integrate,
    point_velocity,
    random_state,
    rnea,
)
from chaindyn.derivatives import rnea_derivatives
from chaindyn.forward_derivatives import aba_derivatives
from chaindyn.linear_models import linearise
from chaindyn.sensitivity import (
    body_jacobian_derivative,
    constrained_forward_dynamics_derivatives,
    impact_derivatives,
    saltation_matrix,
)
from chaindyn.simulation import Driven, joint_friction, rk4_step
from chaindyn.teaching import normwise

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


@pytest.mark.parametrize("frame", FRAMES)
def test_what_does_not_move_has_a_jacobian_that_does_not_change(frame):
    """A mark on the ground, below joints whose axes turn; and what is welded, which has no columns at all."""
    mark = Frame("mark", "ground", (0.3, -0.2, 0.5))
    links = [Link(Universal(), 1, (0.1, 0, 0.2), np.eye(3))] * 2
    chain = Chain(links, frames=[mark])
    q, _ = random_state(chain, 7, batch=(3,))
    found = body_jacobian_derivative(chain, q, "mark", frame=frame)
    assert found.shape == (3, 6, 4, 4) and not found.any()
    weld = Chain([Link(Fixed(), 1, (0, 0, 0), np.eye(3))])
    assert body_jacobian_derivative(weld, np.zeros((2, 0)), frame=frame).shape == (2, 6, 0, 0)


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
        chain,
        q,
        qd,
        point=forward_kinematics(chain, q)[1][body] + forward_kinematics(chain, q)[0][body] @ arm,
        normal=normal,
        restitution=0.3,
        body=body,
    )
    exact = np.vectorize(mpmath.mpf, otypes=[object])
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -16

        def slope(f):
            pairs = [(f(h * exact(e)), f(-h * exact(e))) for e in np.eye(chain.nv)]
            columns = [
                [(a - b) / (2 * h) for a, b in zip(one, two, strict=True)] for one, two in pairs
            ]
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
            lambda t: normal @ (struck_point(run(q, qd, t)[0]) - wall),
            0,
            time,
            xtol=1e-16,
            rtol=1e-15,
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


@pytest.mark.parametrize("restitution", [0.4, 1.0])
@pytest.mark.parametrize("case", BLOWS, ids=str)
def test_a_blow_leaves_a_cloud_of_motions_the_square_of_the_restitution(case, restitution):
    """The determinant of the saltation matrix, whatever the chain, its posture and its forces."""
    chain = random_tree(case)
    q, qd, tau = motion(case, chain)
    body = chain.n - 1
    arm, normal = blow_at(chain, q, qd, np.random.default_rng(case.seed), body)
    R, p = forward_kinematics(chain, q)
    blow = {"point": p[body] + R[body] @ arm, "normal": normal, "body": body}
    leap = saltation_matrix(chain, q, qd, tau, **blow, restitution=restitution)
    share = np.linalg.det(leap) / restitution**2
    assert abs(share - 1) < 100 * EPS * np.linalg.cond(leap)


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


def fractional(chain):
    """Return the same chain with its first mass as a fraction."""
    first, *others = chain.links
    return Chain([replace(first, mass=Fraction(first.mass)), *others])


@pytest.mark.parametrize("of_whom", ["chain", "q", "qd", "tau"])
@pytest.mark.parametrize("kind", [np.longdouble, object])
def test_loops_in_other_numbers_than_floats(kind, of_whom):
    """Long doubles, objects that are floats and an exact mass give the derivatives that floats give, all columns."""
    chain, loops, q = five_bar()
    rng = np.random.default_rng(5)
    free = np.linalg.svd(constraint_jacobian(chain, loops, q))[2][-2:]
    given = {"q": q, "qd": free.T @ rng.normal(size=2), "tau": rng.normal(size=chain.nv)}
    expected = constrained_forward_dynamics_derivatives(chain, loops, **given)
    if of_whom == "chain":
        chain = fractional(chain)
    else:
        given[of_whom] = given[of_whom].astype(kind)
    found = constrained_forward_dynamics_derivatives(chain, loops, **given)
    for one, other in zip([*found[0], *found[1]], [*expected[0], *expected[1]], strict=True):
        assert one.shape == other.shape
        assert np.abs(one - other).max() <= 1e-12 * np.abs(other).max()


# Joints that readers write --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Swashplate(Joint):
    """A hinge whose axis leans as it turns, so that S turns with q: pose and subspace only."""

    lean: float = 0.3

    def pose(self, q):
        turn, tilt = q[..., 0], self.lean * np.sin(q[..., 0])
        c, s, C, S = np.cos(turn), np.sin(turn), np.cos(tilt), np.sin(tilt)
        zero, one = 0 * c, 0 * c + 1
        about_z = np.stack([c, -s, zero, s, c, zero, zero, zero, one], -1).reshape(*c.shape, 3, 3)
        about_x = np.stack([one, zero, zero, zero, C, -S, zero, S, C], -1).reshape(*c.shape, 3, 3)
        return about_z @ about_x, np.stack([zero, zero, zero], -1)

    def motion_subspace(self, q):
        tilt, rate = self.lean * np.sin(q), self.lean * np.cos(q)
        parts = [rate, np.sin(tilt), np.cos(tilt), 0 * q, 0 * q, 0 * q]
        return np.stack(parts, axis=-2)

    def motion_subspace_rate(self, q, qd):
        tilt, rate = self.lean * np.sin(q), self.lean * np.cos(q) * qd
        parts = [
            -self.lean * np.sin(q) * qd,
            rate * np.cos(tilt),
            -rate * np.sin(tilt),
            0 * q,
            0 * q,
            0 * q,
        ]
        return np.stack(parts, axis=-2)


def test_a_joint_that_a_reader_writes_and_whose_subspace_turns():
    body = {"mass": 1.2, "com": (0.1, 0.2, 0.3), "inertia": np.diag([0.1, 0.2, 0.25])}
    chain = Chain(
        [
            Link(Spherical(), **body),
            Link(Swashplate(), **body, offset=(0, 0, 1)),
            Link(Revolute((0, 1, 0)), **body, offset=(1, 0, 0)),
        ]
    )
    q, qd = random_state(chain, 3)
    qdd = np.arange(chain.nv) - 2.0
    assert columnwise(rnea_derivatives(chain, q, qd, qdd), routes(chain, q, qd, qdd)) <= 300 * EPS
    found = body_jacobian_derivative(chain, q)
    expected = along(lambda d: body_jacobian(chain, integrate(chain, q, d)), chain.nv)
    assert np.abs(found - expected).max() <= 300 * EPS * np.abs(expected).max()


def geared():
    """Two hinges and a slide with drives, and a tool on the last link."""
    body = {"mass": 1.2, "com": (0.1, 0.2, 0.3), "inertia": np.diag([0.1, 0.2, 0.25])}
    kinds = [(Revolute((0, 0, 1)), 30), (Revolute((0, 1, 0)), 20), (Prismatic((1, 0, 0)), 50)]
    links = [
        Link(joint, **body, offset=(0.3, 0, 0.2), drive=Drive(rotor_inertia=1e-3, gear_ratio=ratio))
        for joint, ratio in kinds
    ]
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    return Chain(links, frames=[Frame("tool", 2, offset=(0.1, 0.4, 0), rotation=turn)])


def test_rotors_and_tools():
    chain = geared()
    q, qd = random_state(chain, 4)
    tau = np.array([3.0, -2, 1])
    qdd = aba(chain, q, qd, tau)
    assert columnwise(rnea_derivatives(chain, q, qd, qdd), routes(chain, q, qd, qdd)) <= 300 * EPS
    expected = along(lambda d: aba(chain, q + d, qd + 0 * d, tau + 0 * d), 3)
    assert normwise(aba_derivatives(chain, q, qd, tau)[0], expected) <= 1000 * EPS
    for frame in FRAMES:
        found = body_jacobian_derivative(chain, q, "tool", frame=frame)
        expected = along(lambda d, frame=frame: body_jacobian(chain, q + d, "tool", frame=frame), 3)
        assert normwise(found, expected) <= 300 * EPS
    given = {"normal": np.array([0.6, 0, 0.8]), "restitution": 0.4, "body": "tool"}
    row = given["normal"] @ body_jacobian(chain, q, "tool", frame="mixed")[3:]
    qd = -np.sign(row @ qd) * qd
    found = impact_derivatives(chain, q, qd, **given)
    slope = along(lambda d: impact(chain, q + d, qd + 0 * d, **given).qd_jump, 3)
    assert normwise(found.qd_jump_dq, slope) <= 1000 * EPS


@pytest.mark.parametrize("width", [0.01, 0.5])
def test_friction_is_part_of_a_linear_model(width):
    """By complex steps through the friction that `simulate` adds; left out where that is asked for."""
    rng = np.random.default_rng(4)
    drives = [Drive(viscous=0.3), Drive(coulomb=0.7), Drive(viscous=0.1, coulomb=0.2), None]
    links = [
        Link(Revolute(rng.normal(size=3)), 1.5, rng.normal(size=3), np.eye(3), drive=drive)
        for drive in drives
    ]
    chain, smooth = Chain(links), Chain([replace(link, drive=None) for link in links])
    q, qd, tau = rng.normal(size=(3, 2, 4))
    qd[0, 1] = 0  # at rest, where the slope of dry friction is steepest

    def accelerate(q, qd):
        return aba(chain, q, qd, tau + joint_friction(chain, qd, width=width))

    A, B = linearise(chain, q, qd, tau, friction_width=width)
    step = 1e-100
    for k, along in enumerate(np.eye(4)):
        by_q = accelerate(q + 1j * step * along, qd).imag / step
        by_qd = accelerate(q, qd + 1j * step * along).imag / step
        assert normwise(A[..., 4:, k], by_q) <= 1e-12
        assert normwise(A[..., 4:, 4 + k], by_qd) <= 1e-12
    for one, other in zip(
        linearise(chain, q, qd, tau, friction_width=None),
        linearise(smooth, q, qd, tau),
        strict=True,
    ):
        assert np.array_equal(one, other)
    assert np.array_equal(B, linearise(smooth, q, qd, tau)[1])
    assert np.abs(A - linearise(smooth, q, qd, tau)[0]).max() > 0.01


def test_a_wheel_that_is_braked_slows_down_as_its_linear_model():
    """By hand: one hinge of inertia 2 with 0.6 of viscous and 0.1 of dry friction, at rest and turning."""
    drive = Drive(viscous=0.6, coulomb=0.1)
    chain = Chain([Link(Revolute(), 0, (0, 0, 0), 2 * np.eye(3), drive=drive)])
    A, B = linearise(chain, [0.0], [0.0], [0.0], friction_width=0.05)
    assert A.tolist() == [[0, 1], [0, pytest.approx(-(0.6 + 0.1 / 0.05) / 2, rel=1e-14)]]
    assert B.tolist() == [[0], [0.5]]
    A, _ = linearise(chain, [0.0], [3.0], [0.0], friction_width=0.05)
    slope = 0.6 + 0.1 * 0.05**2 / (9 + 0.05**2) ** 1.5
    assert A[1, 1] == pytest.approx(-slope / 2, rel=1e-14)
    with pytest.raises(ValueError, match="width"):
        linearise(chain, [0.0], [0.0], [0.0], friction_width=-1)


# What other programs say ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["hinges", "universal"])
def test_pinocchio(kind):
    """It says the same of hinges, slides and balls; of a universal joint it contradicts its own inverse dynamics."""
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    kinds = [pin.JointModelRX(), pin.JointModelSpherical(), pin.JointModelPZ(), pin.JointModelRY()]
    if kind == "universal":
        kinds[2] = pin.JointModelUniversal(np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))
    ours = {"JointModelRX": Revolute((1, 0, 0)), "JointModelRY": Revolute((0, 1, 0)),
            "JointModelPZ": Prismatic((0, 0, 1)), "JointModelSpherical": Spherical(),
            "JointModelUniversal": Universal((1, 0, 0), (0, 1, 0))}  # fmt: skip
    rng, links, parent = np.random.default_rng(4), [], 0
    for k, joint in enumerate(kinds):
        mass, com, offset = 1.0 + rng.random(), rng.normal(size=3), rng.normal(size=3)
        inertia = np.diag([0.3, 0.4, 0.5])
        parent = model.addJoint(parent, joint, pin.SE3(np.eye(3), offset), str(k))
        model.appendBodyToJoint(parent, pin.Inertia(mass, com, inertia), pin.SE3.Identity())
        links.append(Link(ours[joint.shortname()], mass, com, inertia, offset=offset))
    chain = Chain(links)
    q, qd = random_state(chain, 2)
    qdd = rng.normal(size=chain.nv)
    ball = chain.q_columns[1]
    theirs = q.copy()
    theirs[ball.start : ball.stop] = np.roll(q[ball.start : ball.stop], -1)  # the scalar comes last
    data = model.createData()
    pin.computeRNEADerivatives(model, data, theirs, qd, qdd)
    mass = np.triu(data.M) + np.triu(data.M, 1).T
    found, expected = rnea_derivatives(chain, q, qd, qdd), (data.dtau_dq, data.dtau_dv, mass)
    if kind == "hinges":
        assert columnwise(found, expected) <= 1000 * EPS
        return
    h = 1e-6
    slopes = [
        pin.rnea(model, data, pin.integrate(model, theirs, h * e), qd, qdd)
        - pin.rnea(model, data, pin.integrate(model, theirs, -h * e), qd, qdd)
        for e in np.eye(chain.nv)
    ]
    own = np.stack(slopes, axis=-1) / (2 * h)
    assert normwise(found[0], own) <= 1e-8  # our derivative is the slope of their forces
    if pin.__version__.startswith("4.1"):
        assert normwise(expected[0], own) > 1e-2  # and theirs is not


@pytest.mark.parametrize("case", CASES[:1], ids=str)
def test_jax_forward_mode_says_the_same(case, jax, jit):
    chain = random_tree(case)
    q, qd, tau = motion(case, chain)
    slopes = jax.jacfwd(
        lambda d: aba(chain, integrate(chain, jax.numpy.asarray(q), d), jax.numpy.asarray(qd), tau)
    )
    accelerations = jit(slopes)(jax.numpy.zeros(chain.nv))
    found = aba_derivatives(chain, q, qd, tau)[0]
    bound = 1000 * EPS * max(np.linalg.cond(crba(chain, q)), chain.n)
    assert normwise(found, np.asarray(accelerations)) <= bound


@pytest.mark.parametrize("case", CASES[:4], ids=str)
def test_casadi_jacobians_of_the_same_lines_say_the_same(case):
    casadi = pytest.importorskip("casadi")
    chain = random_tree(case)
    q, qd, qdd = motion(case, chain)
    symbol = casadi.SX.sym("q", chain.nq)
    entries = np.empty(chain.nq, object)
    entries[:] = [symbol[k] for k in range(chain.nq)]
    slope = casadi.jacobian(casadi.vertcat(*rnea(chain, entries, qd, qdd)), symbol)
    by_coordinates = np.array(casadi.Function("f", [symbol], [slope])(q))
    Q = np.stack([coordinate_rate(chain, q, e) for e in np.eye(chain.nv)], axis=-1)
    expected = by_coordinates @ Q
    found = rnea_derivatives(chain, q, qd, qdd)[0]
    assert normwise(found, expected) <= 100 * chain.n * EPS


# Bad input ------------------------------------------------------------------------------------------


def test_a_blow_that_grazes_leaves_or_cannot_move_anything_is_refused():
    ball = Chain([Link(Prismatic((0, 0, 1)), 1.0, (0, 0, 0), np.zeros((3, 3)))])
    given = {"point": np.zeros(3), "normal": (0, 0, 1), "restitution": 0.5}
    for speed in (0.0, 1.0):
        with pytest.raises(ValueError, match="must be negative: a grazing blow"):
            impact_derivatives(ball, [0.0], [speed], **given)
        with pytest.raises(ValueError, match="must be negative: a grazing blow"):
            saltation_matrix(ball, [0.0], [speed], [0.0], **given)
    with pytest.raises(ValueError, match="must be negative: a grazing blow"):
        impact_derivatives(
            ball, [0.0], [-1.0], **{**given, "normal": (1, 0, 0)}
        )  # across the slide
    with pytest.raises(ValueError, match=r"restitution is 1\.5"):
        impact_derivatives(ball, [0.0], [-1.0], **{**given, "restitution": 1.5})
    with pytest.raises(ValueError, match="normal"):
        impact_derivatives(ball, [0.0], [-1.0], **{**given, "normal": (0, 0, 0)})


@pytest.mark.parametrize("kind", [np.longdouble, object])
@pytest.mark.parametrize("name", ["qd", "normal", "restitution"])
def test_blows_of_other_numbers_have_the_derivatives_of_floats(name, kind):
    chain = random_tree(BLOWS[0])
    q, qd, tau = motion(BLOWS[0], chain)
    arm, normal = blow_at(chain, q, qd, np.random.default_rng(0), chain.n - 1)
    R, p = forward_kinematics(chain, q)
    blow = {"qd": qd, "point": p[-1] + R[-1] @ arm, "normal": normal, "restitution": 0.3}
    other = blow | {name: np.asarray(blow[name]).astype(kind)}
    for function, more in ((impact_derivatives, {}), (saltation_matrix, {"tau": tau})):
        wanted = function(chain, q, **blow, **more, body=chain.n - 1)
        found = function(chain, q, **other, **more, body=chain.n - 1)
        parts = [(found, wanted)] if more else zip(astuple(found), astuple(wanted), strict=True)
        for one, floats in parts:
            assert np.shape(one) == np.shape(floats)
            assert normwise(np.asarray(one, float), floats) <= 1e-12


def test_batches_of_blows():
    ball = Chain([Link(Prismatic((0, 0, 1)), 1.0, (0, 0, 0), np.zeros((3, 3)))])
    speeds = np.array([[-1.0], [-2.0], [-4.0]])
    given = {"point": np.zeros(3), "normal": (0, 0, 1), "restitution": 0.5}
    found = saltation_matrix(ball, np.zeros((3, 1)), speeds, np.zeros((3, 1)), **given)
    for v, one in zip(-speeds[:, 0], found, strict=True):
        assert np.allclose(one, [[-0.5, 0], [1.5 * 9.81 / v, -0.5]], rtol=1e-14)


def test_one_state_with_loops():
    chain, loops, q = five_bar()
    with pytest.raises(ValueError, match="one state at a time"):
        constrained_forward_dynamics_derivatives(chain, loops, np.stack([q, q]), 0 * q, 0 * q)
    with pytest.raises(ValueError, match="qd"):
        constrained_forward_dynamics_derivatives(chain, loops, q, 1j * q, 0 * q)


def two_bars():
    bar = 1.0, (0.5, 0, 0), np.diag([0.1, 0.2, 0.2])
    return Chain([Link(Revolute((0, 1, 0)), *bar, offset=(k, 0, 0)) for k in range(2)])


def test_a_batch_of_rates_alone_has_derivatives_of_its_shape():
    rng, chain = np.random.default_rng(3), two_bars()
    qd = 1 + rng.random((3, 2))
    blow = {"point": (2.0, 0, -0.5), "normal": (0, 0, 1), "restitution": 0.5}
    together = impact_derivatives(chain, np.array([0.3, 0.4]), qd, **blow)
    assert together.impulse_dqd.shape == (3, 2) and together.qd_jump_dqd.shape == (3, 2, 2)
    one = impact_derivatives(chain, np.array([0.3, 0.4]), qd[1], **blow)
    assert together.qd_jump_dqd[1] == pytest.approx(one.qd_jump_dqd, rel=1e-12)


@pytest.mark.parametrize("kind", [float, Fraction, mpmath.mpf, sp.Float])
@pytest.mark.parametrize("given", ["qd", "restitution", "normal"])
def test_a_blow_of_objects_has_the_derivatives_of_the_same_numbers(kind, given):
    """`impact` returns one of them as it is, without axes."""
    chain, q, qd, tau = two_bars(), [0.3, 0.4], [1.5, 0.75], [0.1, 0.2]
    blow = {"point": (2.0, 0, -0.5), "normal": (0, 0, 1), "restitution": 0.5}
    same = {"qd": qd, **blow}
    # in arrays of objects; the numbers are halves and quarters, which every kind holds exactly
    same[given] = np.array(np.vectorize(lambda x: kind(float(x)), otypes=[object])(same[given]))
    expected = impact_derivatives(chain, q, qd, **blow)
    found = impact_derivatives(chain, q, **same)
    for name in ("impulse_dq", "impulse_dqd", "qd_jump_dq", "qd_jump_dqd"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.shape == other.shape and one.astype(float) == pytest.approx(other, abs=1e-14)
    found = saltation_matrix(chain, q, same.pop("qd"), tau, **same)
    expected = saltation_matrix(chain, q, qd, tau, **blow)
    assert found.astype(float) == pytest.approx(expected, abs=1e-14)
