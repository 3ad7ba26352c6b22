"""Laws of rotations and rigid motions, near no turn, near a half turn and between."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy.linalg import expm
from scipy.spatial.transform import Rotation
from trees import EPS

from chaindyn import (
    Ad,
    Chain,
    Free,
    Link,
    Revolute,
    Spherical,
    X_force,
    X_inverse,
    X_motion,
    ad,
    coordinate_rate,
    crm,
    difference,
    exp_quaternion,
    exp_se3,
    exp_so3,
    integrate,
    left_jacobian_so3,
    log_quaternion,
    log_se3,
    log_so3,
    quaternion_from_rotation,
    quaternion_product,
    random_state,
    rotation_from_quaternion,
    screw,
    screw_axis,
    skew,
)
from chaindyn.guards.quaternions import of_moderate_size
from chaindyn.lie import conjugate, normalised, stumpff
from chaindyn.teaching import normwise

BATCHES = [(), (3,), (300,), (2, 15)]


def directions(rng, n):
    x = rng.normal(size=(n, 3))
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def rotation_vectors(batch, seed=0):
    """A third anywhere, a third within 1e-7 of no turn, a third within 1e-7 of a half turn."""
    rng, n = np.random.default_rng(seed), int(np.prod(batch))
    near = 10 ** rng.uniform(-12, -7, n)
    kind = rng.permutation(np.arange(n) % 3)
    angle = np.choose(kind, [rng.uniform(0, np.pi, n), near, np.pi - near])
    return (angle[:, None] * directions(rng, n)).reshape((*batch, 3))


@pytest.fixture(params=BATCHES, ids=str)
def batch(request):
    return request.param


@pytest.fixture
def w(batch):
    return rotation_vectors(batch)


@pytest.fixture
def twist(batch, w):
    return np.concatenate([w, np.random.default_rng(1).normal(size=(*batch, 3))], axis=-1)


@pytest.fixture
def poses(batch):
    """Three poses for each place of the batch, a third of them near the identity as a whole."""
    rng = np.random.default_rng(2)
    made = []
    for seed in range(3):
        v = rotation_vectors(batch, 10 + seed)
        near = np.linalg.norm(v, axis=-1, keepdims=True) < 1e-6
        made.append((exp_so3(v), np.where(near, 1e-7, 1.0) * rng.normal(size=v.shape)))
    return made


def times(A, x):
    return (A @ x[..., None])[..., 0]


def compose(S, T):
    return S[0] @ T[0], times(S[0], T[1]) + S[1]


def inverse(T):
    return T[0].mT, -times(T[0].mT, T[1])


def as_matrix(T):
    """4x4 matrices, the second route to every law of poses."""
    R, p = T
    M = np.zeros((*p.shape[:-1], 4, 4), np.result_type(R, p))
    M[..., :3, :3], M[..., :3, 3], M[..., 3, 3] = R, p, 1
    return M


def hat(twist):
    M = np.zeros((*twist.shape[:-1], 4, 4), twist.dtype)
    M[..., :3, :3], M[..., :3, 3] = skew(twist[..., :3]), twist[..., 3:]
    return M


def assert_equal(a, b, roundings=10):
    assert normwise(a, b) <= roundings * EPS


def assert_each_equal(a, b, roundings=10):
    """Each vector of a batch by itself, so that small ones are not hidden behind large ones."""
    error = np.linalg.norm(a - b, axis=-1)
    assert (error <= roundings * EPS * np.linalg.norm(b, axis=-1)).all()


def exact_rotation(w):
    """exp(w~), by the matrix exponential at 40 digits, rounded once."""
    with mpmath.workdps(40):
        x, y, z = (mpmath.mpf(float(e)) for e in w)
        R = mpmath.expm(mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]]), method="taylor")
        return np.array(R.tolist(), dtype=float)


# The exponential --------------------------------------------------------------------------------


@pytest.mark.parametrize("order", range(5))
def test_stumpff_is_its_series_to_the_last_digits(order):
    angles = np.concatenate([[0, 1e-300, 1e-170], 10.0 ** np.arange(-20, 0), np.linspace(0.1, 3.2)])
    angles = np.concatenate([angles, [1 - EPS, 1, 1 + EPS]])  # where series and quotient meet
    with mpmath.workdps(40):
        exact = [
            float(
                mpmath.fsum(
                    (-mpmath.mpf(x)) ** j / mpmath.factorial(order + 2 * j) for j in range(40)
                )
            )
            for x in angles**2
        ]
    # sin(t) / t near t = pi is known to an absolute error
    assert (np.abs(stumpff(angles**2, order) - exact) <= 8 * EPS / np.prod(range(1, order))).all()
    below = angles < 1
    assert (np.abs(stumpff(angles**2, order) / exact - 1)[below] <= 4 * EPS).all()


@pytest.mark.parametrize("order", range(5))
def test_stumpff_of_an_exact_zero_is_exact(order):
    (value,) = stumpff(np.array([Fraction(0)], object), order)
    assert value == Fraction(1, int(np.prod(range(1, order + 1))))
    assert not isinstance(value, float)


def test_exp_is_the_matrix_exponential(w):
    assert_equal(exp_so3(w), expm(skew(w)), roundings=30)  # expm's own error


def test_exp_agrees_with_forty_digits():
    w = rotation_vectors((60,), seed=3)
    exact = np.stack([exact_rotation(v) for v in w])
    assert np.abs(exp_so3(w) - exact).max() <= 4 * EPS


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-20, 1e-9])
def test_exp_near_the_identity_keeps_the_relative_accuracy_of_the_vector(size):
    w = size * np.array([3.0, -2.0, 1.0])
    R = exp_so3(w)
    assert_each_equal(np.array([R[2, 1], R[0, 2], R[1, 0]]), w, roundings=1 + 4 * size / EPS)


def test_exp_agrees_with_scipy(w):
    flat = w.reshape(-1, 3)
    assert_equal(exp_so3(flat), Rotation.from_rotvec(flat).as_matrix())


def test_exp_of_zero_is_one():
    assert np.array_equal(exp_so3(np.zeros(3)), np.eye(3))


def test_exp_is_a_rotation(w):
    R = exp_so3(w)
    assert np.abs(R @ R.mT - np.eye(3)).max() <= 10 * EPS
    assert (np.linalg.det(R) > 0).all()


def test_exp_of_a_multiple_is_a_power(w):
    assert_equal(exp_so3(3 * w), exp_so3(w) @ exp_so3(w) @ exp_so3(w), roundings=20)
    assert_equal(exp_so3(-w), exp_so3(w).mT)


def test_conjugation_turns_the_rotation_vector(w, poses):
    R = poses[0][0]
    assert_equal(R @ exp_so3(w) @ R.mT, exp_so3(times(R, w)), roundings=20)


# The logarithm ----------------------------------------------------------------------------------


def test_log_undoes_exp(w):
    assert_each_equal(log_so3(exp_so3(w)), w)


def test_log_of_a_matrix_right_to_the_last_digit():
    w = rotation_vectors((60,), seed=4)
    assert_each_equal(log_so3(np.stack([exact_rotation(v) for v in w])), w, roundings=4)


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-100, 1e-16, 1e-8])
def test_log_keeps_the_relative_accuracy_of_tiny_turns(size):
    w = size * directions(np.random.default_rng(5), 20)
    assert_each_equal(log_so3(exp_so3(w)), w, roundings=4)


def test_exp_undoes_log(poses):
    R = poses[0][0]
    assert_equal(exp_so3(log_so3(R)), R)


def test_log_of_half_turns_is_one_of_the_two():
    k = np.concatenate([np.eye(3), directions(np.random.default_rng(6), 50)])
    with np.errstate(all="raise"):  # no warning either
        w = log_so3(2 * k[:, :, None] * k[:, None, :] - np.eye(3))
    assert np.abs(np.linalg.norm(w, axis=-1) - np.pi).max() <= 10 * EPS
    assert np.abs(np.cross(w, k)).max() <= 10 * EPS


def test_log_never_turns_by_more_than_half():
    w = log_so3(exp_so3(4 * rotation_vectors((300,), seed=7)))
    assert np.linalg.norm(w, axis=-1).max() <= np.pi * (1 + EPS)


def test_log_of_one_is_zero():
    assert np.array_equal(log_so3(np.eye(3)), np.zeros(3))


# Quaternions ------------------------------------------------------------------------------------


@pytest.fixture
def quaternions(batch):
    return normalised(np.random.default_rng(8).normal(size=(3, *batch, 4)))


def test_quaternions_form_a_group(quaternions):
    a, b, c = quaternions
    one = np.broadcast_to([1.0, 0, 0, 0], a.shape)
    left = quaternion_product(quaternion_product(a, b), c)
    assert_equal(left, quaternion_product(a, quaternion_product(b, c)))
    assert_equal(quaternion_product(a, conjugate(a)), one)
    assert_equal(quaternion_product(a, one), a, roundings=1)


def test_lengths_of_quaternions_multiply(batch):
    a, b = np.random.default_rng(9).normal(size=(2, *batch, 4))
    length = np.linalg.norm(quaternion_product(a, b), axis=-1)
    assert_equal(length, np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1))


def test_product_of_quaternions_is_the_product_of_rotations(quaternions):
    a, b, _ = quaternions
    product = rotation_from_quaternion(quaternion_product(a, b))
    assert_equal(product, rotation_from_quaternion(a) @ rotation_from_quaternion(b))


def test_rotation_of_a_quaternion_agrees_with_scipy(quaternions):
    q = quaternions[0].reshape(-1, 4)
    theirs = Rotation.from_quat(np.roll(q, -1, axis=-1)).as_matrix()
    assert_equal(rotation_from_quaternion(q), theirs)


def test_neither_sign_nor_length_of_a_quaternion_matters(quaternions):
    q = quaternions[0]
    R = rotation_from_quaternion(q)
    assert np.array_equal(rotation_from_quaternion(-q), R)
    assert_equal(rotation_from_quaternion(3 * q), R)
    assert_equal(log_quaternion(-3 * q), log_quaternion(q))


def test_exp_and_log_of_quaternions(w):
    q = exp_quaternion(w)
    assert_equal(np.linalg.norm(q, axis=-1), np.ones(w.shape[:-1]), roundings=4)
    assert_equal(rotation_from_quaternion(q), exp_so3(w))
    assert_each_equal(log_quaternion(q), w)


def test_quaternion_of_a_rotation_is_the_one_with_a_positive_scalar(poses):
    R = poses[0][0]
    q = quaternion_from_rotation(R)
    assert (q[..., 0] >= 0).all()
    assert_equal(rotation_from_quaternion(q), R)
    assert_equal(np.linalg.norm(q, axis=-1), np.ones(q.shape[:-1]), roundings=4)


@pytest.mark.parametrize("largest", range(4))
def test_each_entry_of_the_quaternion_may_be_the_largest(largest):
    q = normalised(0.1 * np.random.default_rng(10).normal(size=(50, 4)) + np.eye(4)[largest])
    found = quaternion_from_rotation(rotation_from_quaternion(q))
    assert_equal(found, q * np.where(q[:, :1] > 0, 1, -1))


def test_rate_of_a_quaternion_is_half_the_velocity_times_it(w, quaternions):
    q, h = quaternions[0], 1e-30
    moved = quaternion_product(exp_quaternion(1j * h * w), q.astype(complex))
    velocity = np.concatenate([0 * w[..., :1], w], axis=-1)
    assert_equal(moved.imag / h, quaternion_product(velocity, q) / 2)


# The left Jacobian ------------------------------------------------------------------------------


def test_left_jacobian_is_the_derivative_of_exp(w):
    change, h = np.random.default_rng(11).normal(size=w.shape), 1e-30
    R = exp_so3(w)
    spin = np.imag(exp_so3(w + 1j * h * change)) / h @ R.mT
    assert_equal(spin, skew(times(left_jacobian_so3(w), change)), roundings=30)


def test_left_jacobian_is_the_mean_of_the_turn(w):
    places, weights = np.polynomial.legendre.leggauss(20)
    turns = exp_so3((1 + places)[:, None] / 2 * w[..., None, :])
    mean = (turns * weights[:, None, None] / 2).sum(-3)
    assert_equal(left_jacobian_so3(w), mean)


def test_right_jacobian_is_the_transpose(w):
    V = left_jacobian_so3(w)
    assert_equal(left_jacobian_so3(-w), V.mT)
    assert_equal(exp_so3(w).mT @ V, V.mT)


# Rigid motions ----------------------------------------------------------------------------------


def test_exp_of_a_twist_is_the_matrix_exponential(twist):
    assert_equal(as_matrix(exp_se3(twist)), expm(hat(twist)), roundings=30)


def test_log_of_a_pose_undoes_exp(twist):
    R, p = exp_se3(twist)
    found = log_se3(R, p)
    assert_each_equal(found[..., :3], twist[..., :3])
    assert_each_equal(found[..., 3:], twist[..., 3:], roundings=20)


def test_exp_undoes_log_of_a_pose(poses):
    T = poses[0]
    assert_equal(as_matrix(exp_se3(log_se3(*T))), as_matrix(T), roundings=20)


def test_a_constant_twist_moves_along_its_screw(twist):
    axis, direction, pitch, angle = screw_axis(twist)
    far = 1 + np.linalg.norm(axis, axis=-1).max()  # tiny turns have distant axes
    R, p = exp_se3(twist)
    advance = times(R, axis) + p - axis - (pitch * angle)[..., None] * direction
    assert np.abs(advance).max() <= 20 * EPS * far


def test_turning_about_a_line_leaves_it_and_the_pitch_slides_along():
    R, p = exp_se3(2.5 * screw([1.0, 2.0, 3.0], [0.0, 0.6, 0.8], 0.1))
    moved = R @ [1.0, 2.0, 3.0] + p
    assert_equal(moved, np.array([1.0, 2.0, 3.0]) + 0.25 * np.array([0.0, 0.6, 0.8]))


def test_motions_with_one_twist_follow_each_other(twist):
    T = compose(exp_se3(0.3 * twist), exp_se3(0.7 * twist))
    assert_equal(as_matrix(T), as_matrix(exp_se3(twist)), roundings=20)


def test_poses_form_a_group(poses):
    a, b, c = poses
    one = np.broadcast_to(np.eye(4), as_matrix(a).shape)
    assert_equal(as_matrix(compose(compose(a, b), c)), as_matrix(compose(a, compose(b, c))))
    assert_equal(as_matrix(compose(a, inverse(a))), one)
    assert_equal(as_matrix(compose(a, b)), as_matrix(a) @ as_matrix(b))
    R = compose(a, b)[0]
    assert np.abs(R @ R.mT - np.eye(3)).max() <= 20 * EPS


# Ad and ad --------------------------------------------------------------------------------------


def test_Ad_is_the_adjoint_action(poses, twist):
    T = as_matrix(poses[0])
    assert_equal(
        T @ hat(twist) @ as_matrix(inverse(poses[0])), hat(times(Ad(*poses[0]), twist)), 20
    )


def test_Ad_of_a_product_is_the_product(poses):
    a, b, _ = poses
    assert_equal(Ad(*compose(a, b)), Ad(*a) @ Ad(*b))
    assert_equal(Ad(*inverse(a)) @ Ad(*a), np.broadcast_to(np.eye(6), Ad(*a).shape), 20)


def test_Ad_is_the_inverse_of_X_motion_and_its_transpose_is_X_force(poses):
    R, p = poses[0]
    assert_equal(Ad(R, p), X_inverse(X_motion(R.mT, p)), roundings=4)
    assert_equal(Ad(R, p).mT, X_force(R.mT, p), roundings=4)


def test_Ad_of_exp_is_exp_of_ad(twist):
    assert_equal(Ad(*exp_se3(twist)), expm(ad(twist)), roundings=50)


def test_Ad_keeps_the_bracket(poses, twist):
    A, other = Ad(*poses[0]), twist[..., ::-1]
    image = times(ad(times(A, twist)), times(A, other))
    assert_equal(times(A, times(ad(twist), other)), image, roundings=50)


def test_ad_is_the_commutator(twist):
    a, b = hat(twist), hat(twist[..., ::-1])
    assert_equal(hat(times(ad(twist), twist[..., ::-1])), a @ b - b @ a)
    assert np.array_equal(ad(twist), crm(twist))


def test_rate_of_Ad_is_Ad_times_ad(poses, twist):
    h, T = 1e-30, poses[0]
    moved = compose(T, exp_se3(1j * h * twist))
    assert_equal(np.imag(Ad(*moved)) / h, Ad(*T) @ ad(twist), roundings=20)


def test_power_is_the_same_for_both(poses, twist):
    A, f = Ad(*poses[0]), np.random.default_rng(12).normal(size=twist.shape)
    there, here = (times(A, twist) * f).sum(-1), (twist * times(A.mT, f)).sum(-1)
    assert np.abs(there - here).max() <= 20 * EPS * np.linalg.norm(A) * np.linalg.norm(f) * np.pi


# Batches ----------------------------------------------------------------------------------------


def test_batch_is_loop_to_the_bit():
    w = rotation_vectors((30,), seed=13)
    twist = np.concatenate([w, w[::-1]], axis=-1)
    R, p = exp_se3(twist)
    for i in range(30):
        one = exp_se3(twist[i])
        assert np.abs(one[0] - R[i]).max() <= 2 * EPS  # a matrix product may add in another order
        assert np.abs(one[1] - p[i]).max() <= 8 * EPS
        assert_each_equal(log_se3(R[i], p[i]), log_se3(R, p)[i])
        assert_each_equal(exp_quaternion(w[i]), exp_quaternion(w)[i], roundings=2)


# Other numbers ----------------------------------------------------------------------------------


def test_rotation_of_a_rational_quaternion_is_exact():
    q = np.array([Fraction(1), Fraction(2), Fraction(-3), Fraction(5)], object)
    R = rotation_from_quaternion(q)
    assert (R @ R.T == np.eye(3, dtype=int)).all()
    assert all(isinstance(x, int | Fraction) for x in R.flat)


def test_symbols_solve_the_differential_equation_without_a_float():
    t = sp.symbols("t", positive=True)
    k = np.array([2, -1, 2]) / sp.Integer(3)
    twist = t * screw(np.array(sp.symbols("a1:4")), k, sp.symbols("h"))
    R, p = exp_se3(twist)
    assert not any(sp.sympify(x).atoms(sp.Float) for x in (*R.flat, *p))
    slip = sp.Matrix(R).diff(t) - sp.Matrix(skew(k) @ R)
    assert sp.simplify(slip) == sp.zeros(3, 3)
    advance = sp.Matrix(p).diff(t) - sp.Matrix(twist[3:] / t + np.array(skew(k) @ p))
    assert sp.simplify(advance) == sp.zeros(3, 1)


def test_mpmath_takes_the_logarithm_back_at_forty_digits():
    with mpmath.workdps(40):
        w = np.array([mpmath.mpf("0.3"), mpmath.mpf("-1.1"), mpmath.mpf("2.2")], object)
        assert max(abs(log_so3(exp_so3(w)) - w)) < mpmath.mpf(10) ** -37


def test_balls_hold_the_true_rotation():
    flint = pytest.importorskip("flint", reason="python-flint is not installed")
    w = [0.3, -1.1, 2.2]
    R = exp_so3(np.array([flint.arb(x) for x in w], object))
    with mpmath.workdps(40):
        x, y, z = map(mpmath.mpf, w)
        exact = mpmath.expm(mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]]), method="taylor")
        for i, j in np.ndindex(3, 3):
            low, high = (flint.arb(mpmath.nstr(exact[i, j] + d, 36)) for d in (-1e-25, 1e-25))
            assert R[i, j].overlaps(low.union(high))
            assert R[i, j].rad() < 1e-13


def test_jax_differentiates_exp_and_log_at_the_identity_and_at_a_half_turn_and_compiles(jax, jit):
    move = jit(jax.jacobian(lambda v: log_se3(*exp_se3(v))))(jax.numpy.zeros(6))
    half_turn = jit(jax.jacobian(log_quaternion))(jax.numpy.array([0.0, 0.6, 0.0, 0.8]))
    w = rotation_vectors((30,), seed=15)
    compiled = jit(lambda w: log_so3(exp_so3(w)))(w)
    assert_equal(move, np.eye(6))
    assert np.isfinite(half_turn).all()
    assert_each_equal(np.asarray(compiled), w)


@pytest.mark.parametrize(
    "function",
    [
        exp_so3,
        exp_quaternion,
        left_jacobian_so3,
        lambda v: log_quaternion(np.array([2.0, 0, 0, 0]) + v @ np.eye(4)[1:]),
    ],
    ids=["exp_so3", "exp_quaternion", "left_jacobian_so3", "log_quaternion"],
)
def test_jax_differentiates_twice_near_zero_as_complex_steps_do(jax, jit, function):
    """First derivatives, forward and backward, against complex steps; second ones against differences of these."""

    def derivatives(w):
        return jax.jacfwd(function)(w), jax.jacrev(function)(w), jax.jacfwd(jax.jacrev(function))(w)

    def stepped(w):
        return np.stack([function(w + 1e-30j * d).imag / 1e-30 for d in np.eye(3)], axis=-1)

    sizes = np.array([0.0, 1e-200, 1e-12, 1e-6, 0.02, 0.3])  # on both sides of where a series ends
    w = sizes[:, None] * np.array([0.6, 0, 0.8])
    forward, backward, second = map(np.asarray, jit(jax.vmap(derivatives))(w))
    h = 1e-4  # the error of a central difference is of the order of h^2 times the fourth derivative
    for k in range(len(w)):
        assert np.abs(forward[k] - backward[k]).max() <= 4 * EPS
        assert np.abs(forward[k] - stepped(w[k])).max() <= 8 * EPS
        moved = [(stepped(w[k] + h * d) - stepped(w[k] - h * d)) / (2 * h) for d in np.eye(3)]
        assert np.abs(second[k] - np.stack(moved, axis=-1)).max() <= 10 * h**2


def test_jax_differentiates_a_zero_step_of_balls_and_free_bodies(jax, jit):
    links = [Link(joint, 1, (0, 0, 0), np.eye(3)) for joint in (Free(), Spherical())]
    chain = Chain(links)
    q, _ = random_state(chain, 3)

    moved = jit(jax.jacrev(lambda step: integrate(chain, q, step)))(np.zeros(9))
    expected = np.stack([coordinate_rate(chain, q, qd) for qd in np.eye(9)], axis=-1)
    assert np.abs(np.asarray(moved) - expected).max() <= 8 * EPS


# Complex steps ----------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [1e-12, 1e-3, 0.02, 0.5, 1.6, 3.1])
def test_complex_steps_go_through_logarithms(angle):
    """What the exponential adds to the imaginary part, the logarithm takes back: the chain rule."""
    w, d = angle * np.array([2.0, -1, 2]) / 3, np.array([0.2, 0.5, -0.4])
    wh = w + 1e-30j * d
    for back in (log_so3(exp_so3(wh)), log_quaternion(-3 * exp_quaternion(wh))):
        assert np.abs(back.real - w).max() <= 4 * EPS * max(angle, 1)
        assert np.abs(back.imag / 1e-30 - d).max() <= 40 * EPS
    p = np.array([0.3, -2, 1]) + 1e-30j * np.array([1.0, 2, 3])
    twist = np.concatenate([wh, p])
    back = log_se3(*exp_se3(twist))
    assert np.abs((back - twist).real).max() <= 40 * EPS
    assert np.abs((back - twist).imag / 1e-30).max() <= 200 * EPS


def test_complex_steps_go_through_the_difference_of_states():
    links = [Link(joint, 1, (0, 0, 0), np.eye(3)) for joint in (Free(), Spherical(), Revolute())]
    chain = Chain(links)
    q, step = random_state(chain, 4)
    change = np.random.default_rng(5).normal(size=chain.nv)
    back = difference(chain, q, integrate(chain, q, 0.3 * step + 1e-30j * change))
    assert np.abs(back.real - 0.3 * step).max() <= 40 * EPS
    assert np.abs(back.imag / 1e-30 - change).max() <= 200 * EPS


# Sizes and precisions ---------------------------------------------------------------------------


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e-160, 1e-77, 1e77, 1e160, 1e300])
def test_the_length_of_a_quaternion_does_not_matter_however_large_or_small(size):
    quarter = size * np.array([1.0, 0, 0, 1.0])
    assert np.abs(log_quaternion(quarter) - [0, 0, np.pi / 2]).max() <= EPS
    turn = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    assert np.abs(rotation_from_quaternion(quarter) - turn).max() <= EPS
    batch = np.stack([quarter, [0.6, 0.8, 0, 0]])
    assert np.abs(log_quaternion(batch)[1] - [2 * np.arctan2(0.8, 0.6), 0, 0]).max() <= 2 * EPS


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_the_length_of_a_quaternion_in_single_precision_does_not_matter(size):
    w = log_quaternion(np.array([size, 0, 0, size], np.float32))
    assert w.dtype == np.float32 and abs(w[2] - np.pi / 2) <= 2e-7


def test_a_quaternion_of_moderate_size_is_not_touched():
    for given in (np.array([1e-76, 0, 0, 1e76]), np.array([3, 0, 0, 4]), np.ones((0, 4))):
        assert of_moderate_size(given) is given


def test_rotations_in_single_precision_are_accepted_where_they_are_made():
    """`exp_so3` is orthonormal to some roundings of single precision, for small and for large angles."""
    for size in (1e-3, 1, 30):
        w = (size * rotation_vectors((300,), seed=17)).astype(np.float32)
        R = exp_so3(w)
        again = exp_so3(log_so3(R))
        assert R.dtype == again.dtype == np.float32
        assert np.abs(again - R).max() <= 2e-6


def test_the_logarithm_keeps_the_precision_of_long_doubles(extended):
    w = rotation_vectors((30,), seed=18).astype(extended)
    fine = np.finfo(extended).eps
    for back in (log_so3(exp_so3(w)), log_quaternion(exp_quaternion(w))):
        assert back.dtype == extended
        assert np.abs(back - w).max() <= 100 * fine
    small = w / 100  # where the series is summed
    assert np.abs(log_quaternion(exp_quaternion(small)) - small).max() <= fine


def test_an_exact_zero_stays_exact():
    one = np.array([1, 0, 0, 0], object)
    assert log_quaternion(one).tolist() == [0, 0, 0]
    assert all(isinstance(x, int) for x in log_quaternion(one))
    assert exp_quaternion(np.zeros(3, int).astype(object)).tolist() == [1, 0, 0, 0]


# Bad input --------------------------------------------------------------------------------------

MIRROR, STRETCHED = np.diag([1.0, 1.0, -1.0]), 1.01 * np.eye(3)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: exp_so3([1.0, 2.0]), r"w has shape \(2,\)"),
        (lambda: exp_so3([1.0, np.nan, 0.0]), r"w\[1\] is nan"),
        (lambda: exp_so3([[1.0, 2.0, 3.0], [1.0, 2.0]]), "rows differ"),
        (lambda: exp_so3("turn"), "must hold numbers"),
        (lambda: left_jacobian_so3(np.inf * np.ones(3)), "inf"),
        (lambda: exp_se3(np.zeros(3)), r"twist has shape \(3,\)"),
        (lambda: exp_quaternion(np.zeros(4)), r"w has shape \(4,\)"),
        (lambda: log_so3(MIRROR), "R is no rotation matrix.*det R = -1"),
        (lambda: log_so3(STRETCHED), "R is no rotation matrix"),
        (lambda: log_so3(np.eye(4)), r"R has shape \(4, 4\)"),
        (lambda: log_so3(np.full((3, 3), np.nan)), "nan"),
        (lambda: quaternion_from_rotation(MIRROR), "R is no rotation matrix"),
        (lambda: log_se3(np.eye(3), np.zeros(2)), r"p has shape \(2,\)"),
        (lambda: log_se3(STRETCHED, np.zeros(3)), "R is no rotation matrix"),
        (lambda: Ad(STRETCHED, np.zeros(3)), "R is no rotation matrix"),
        (lambda: Ad(np.ones((2, 3, 3)) * np.eye(3), np.zeros((3, 3))), "cannot be broadcast"),
        (lambda: ad(np.zeros(5)), r"v has shape \(5,\)"),
        (lambda: quaternion_product(np.ones(3), np.ones(4)), r"a has shape \(3,\)"),
        (lambda: rotation_from_quaternion(np.ones(3)), r"quaternion has shape \(3,\)"),
        (lambda: rotation_from_quaternion(np.zeros((2, 4))), "no rotation has it"),
        (lambda: log_quaternion(np.zeros(4)), "no rotation has it"),
        (lambda: log_quaternion([np.nan, 0, 0, 0]), "nan"),
    ],
)
def test_bad_input_is_told_what_is_wrong(call, says):
    with pytest.raises(ValueError, match=says):
        call()
