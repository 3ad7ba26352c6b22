"""The same lines on other numbers: symbols stay exact, traced arrays trace, certified numbers enclose."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from trees import EPS, Case, assert_near, bound, motion, random_tree

from chaindyn import (
    Chain,
    Fixed,
    Link,
    Prismatic,
    Revolute,
    body_accelerations,
    body_jacobian,
    body_twists,
    forward_kinematics,
    jacobian_dot_qd,
    screw,
    screw_axis,
)
from chaindyn import _ops as ops
from chaindyn.teaching import normwise

NOTHING = {"mass": 1, "com": (0, 0, 0), "inertia": np.zeros((3, 3), int)}


def planar_arm(L1, L2):
    """Two links in the x-y plane and a tool at the end of the second."""
    return Chain(
        [
            Link(Revolute(), **NOTHING),
            Link(Revolute(), **NOTHING, offset=(L1, 0, 0)),
            Link(Fixed(), **NOTHING, offset=(L2, 0, 0), name="tool"),
        ]
    )


def everything(chain, q, qd, qdd):
    """Every function of kinematics, once in each frame and recursion."""
    body = chain.n - 1
    results = [*forward_kinematics(chain, q)]
    for frame in ("body", "world", "mixed"):
        for recursion in ("body", "world"):
            results.append(body_twists(chain, q, qd, frame=frame, recursion=recursion))
            for classical in (False, True):
                options = {"frame": frame, "recursion": recursion, "classical": classical}
                results.append(body_accelerations(chain, q, qd, qdd, **options))
        results.append(body_jacobian(chain, q, body, frame=frame))
        results.append(jacobian_dot_qd(chain, q, qd, body, frame=frame))
    return results


# --- the operations themselves ---


def test_block_fills_zeros_and_broadcasts_batches():
    A, b = np.arange(24).reshape(2, 3, 2, 2), np.arange(6).reshape(3, 2, 1)
    M = ops.block([[A, b], [0, ops.eye(1)]])
    assert M.shape == (2, 3, 3, 3)
    for i, j in np.ndindex(2, 3):
        assert np.array_equal(M[i, j], np.block([[A[i, j], b[j]], [np.zeros((1, 2)), np.eye(1)]]))
    assert M.dtype.kind == "i"


def test_blocks_of_jax_arrays_are_those_of_numpy(jax):
    """Two rows of three blocks, all of different sizes, the last of more postures than the others."""
    sizes = itertools.product((1, 2), (3, 1, 2))
    A, b, _, _, c, D = (np.arange(1, 1 + m * k).reshape(m, k) for m, k in sizes)
    D = np.stack([D, 2 * D])
    for kind in (np.asarray, jax.numpy.asarray):
        M = ops.block([[kind(A), kind(b), 0], [0, kind(c), kind(D)]])
        assert M.shape == (2, 3, 6) and isinstance(M, type(kind(A)))
        for k in range(2):
            left = np.block([[A, b], [np.zeros((2, 3), int), c]])
            assert np.array_equal(M[k], np.block([left, np.vstack([np.zeros((1, 2), int), D[k]])]))


def test_blocks_keep_what_the_finest_of_them_knows(extended):
    """Of integers and longer floats come longer floats, wherever they stand."""
    third = np.full((1, 1), 1) / extended(3)
    for rows in ([[ops.eye(1), third]], [[third, ops.eye(1)]]):
        M = ops.block(rows)
        assert M.dtype == extended and third[0, 0] in M


def test_concatenate_broadcasts_the_axes_before():
    joined = ops.concatenate([np.zeros((4, 1, 2)), np.ones(3)], axis=-1)
    assert joined.shape == (4, 1, 5)
    assert np.array_equal(joined[0, 0], [0, 0, 1, 1, 1])


def test_unstack_is_the_inverse_of_stack():
    x = np.random.default_rng(0).normal(size=(2, 5, 3))
    for axis in (-1, -2, -3):
        assert np.array_equal(ops.stack(ops.unstack(x, axis), axis=axis), x)


def test_elementary_functions_of_arrays_are_numpy_s():
    x = np.random.default_rng(1).uniform(0.1, 2, (3, 4))
    for name in ("sin", "cos", "sqrt"):
        assert np.array_equal(getattr(ops, name)(x), getattr(np, name)(x))
        assert (
            normwise(getattr(ops, name)(x.astype(object)).astype(float), getattr(np, name)(x))
            <= 4 * EPS
        )


def test_elementary_functions_keep_exact_values_exact():
    zero_one = np.array([0, 1], object)
    assert ops.sin(zero_one[:1]).tolist() == [0] and ops.cos(zero_one[:1]).tolist() == [1]
    assert ops.sqrt(zero_one).tolist() == [0, 1]
    assert all(
        type(x) is int
        for x in [*ops.sqrt(zero_one), *ops.sin(zero_one[:1]), *ops.cos(zero_one[:1])]
    )


def test_a_number_without_the_function_is_told_so():
    with pytest.raises(TypeError, match=r"no sin of Fraction\(1, 2\).*mpmath"):
        ops.sin(np.array([Fraction(1, 2)], object))


def test_where_chooses_entries_and_broadcasts():
    chosen = ops.where(np.array([[True], [False]]), np.array([1.0, 2.0]), 0)
    assert chosen.tolist() == [[1, 2], [0, 0]]
    third = np.array([Fraction(1, 3)], object)
    assert ops.where(np.array([True]), third, 0).tolist() == [Fraction(1, 3)]
    assert type(ops.where(np.array([False]), third, 0)[0]) is int


def test_positive_judges_numbers_and_lets_symbols_be():
    assert ops.positive(np.array([-1.0, 0.0, 1e-300, np.nan])).tolist() == [
        False,
        False,
        True,
        False,
    ]
    assert ops.positive(np.array([1 - 5j, -1 + 5j, 1e-30j])).tolist() == [True, False, False]
    assert ops.positive(np.array([Fraction(-1, 3), 0, Fraction(1, 3)], object)).tolist() == [
        False,
        False,
        True,
    ]
    assert ops.positive(np.zeros((2, 0))).shape == (2, 0)
    sp = pytest.importorskip("sympy")
    x, y = sp.Symbol("x"), sp.Symbol("y", positive=True)
    judged = ops.positive(np.array([[x, y, -y], [sp.Integer(0), sp.sqrt(2) - 1, -sp.pi]]))
    assert judged.tolist() == [[True, True, False], [False, True, False]]
    ca = pytest.importorskip("casadi", reason="CasADi is not installed")
    assert ops.positive(np.array([ca.SX.sym("x"), -ca.SX.sym("y")], object)).tolist() == [True] * 2


def test_what_is_small_is_summed_and_an_exact_number_only_if_it_is_zero():
    assert ops.is_small(np.array([0.5, 1.0, 1.5]), 1).tolist() == [True, True, False]
    assert ops.is_small(np.array([0.3, 0.3]), np.array([0.2, 0.4])).tolist() == [False, True]
    thirds = np.array([Fraction(0), Fraction(1, 3)], object)
    assert ops.is_small(thirds, 1).tolist() == [True, False]
    sp = pytest.importorskip("sympy")
    assert ops.is_small(np.array([sp.Symbol("x"), sp.Integer(0)]), 1).tolist() == [False, True]


def test_the_largest_place_of_exact_numbers_is_the_first_above_zero():
    assert ops.largest_place(np.array([[1.0, 3.0, 2.0], [0.0, 0.0, 1.0]])).tolist() == [1, 2]
    thirds = np.array([Fraction(0), Fraction(1, 3), Fraction(2, 3)], object)
    assert ops.largest_place(thirds) == 1
    sp = pytest.importorskip("sympy")
    assert ops.largest_place(np.array([sp.Integer(0), sp.Symbol("x"), sp.Symbol("y")])) == 1


@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
def test_solve_pivoted_takes_any_regular_matrix(batch):
    rng = np.random.default_rng(3)
    A, b = rng.normal(size=(*batch, 6, 6)), rng.normal(size=(*batch, 6, 2))
    A[..., 0, 0] = 0  # an elimination without pivoting would divide by it
    x = ops.solve_pivoted(A, b)
    assert x.shape == b.shape
    assert normwise(A @ x, b) <= 100 * EPS * np.linalg.cond(A).max()
    assert ops.solve_pivoted(A, b[..., :1] * 0 + np.ones((6, 1))).shape == (*batch, 6, 1)


def test_solve_pivoted_keeps_exact_numbers_exact():
    A = np.array([[2, 1], [-1, 3]], object)
    x = ops.solve_pivoted(A, np.array([[1], [0]]))
    assert x.tolist() == [[Fraction(3, 7)], [Fraction(1, 7)]]
    x = ops.solve_pivoted(A.astype(int), np.array([[Fraction(1)], [Fraction(0)]], object))
    assert x.tolist() == [[Fraction(3, 7)], [Fraction(1, 7)]]


def test_solve_pivoted_solves_long_doubles_in_their_own_precision(extended):
    rng = np.random.default_rng(4)
    A = rng.normal(size=(3, 5, 5)).astype(extended)
    A[..., 0, 0] = 0
    for unit in (extended(1), extended(1) + 1j * extended(2)):
        x = rng.normal(size=(3, 5, 2)).astype(extended) * unit
        solved = ops.solve_pivoted(A, A @ x)
        assert solved.dtype == x.dtype
        bound = 1000 * np.finfo(extended).eps * np.linalg.cond(A.astype(float)).max()
        assert np.abs(solved - x).max() <= bound
        assert np.abs(ops.solve_pivoted(A * unit, A @ x) - x / unit).max() <= bound


@pytest.mark.parametrize("kind", [np.complex64, np.complex128, np.clongdouble])
def test_the_angle_of_complex_coordinates_is_analytic(kind):
    """Right in all four quadrants and on the axes, with the derivative (x dy - y dx) / (x^2 + y^2)."""
    eps, h = np.finfo(kind).eps, 1e-20
    turns = np.pi * np.arange(-7, 9) / 8
    y, x = np.sin(turns), np.cos(turns)
    dy, dx = np.random.default_rng(2).normal(size=(2, len(turns)))
    angle = ops.atan2((y + 1j * h * dy).astype(kind), (x + 1j * h * dx).astype(kind))
    assert angle.dtype == kind
    away = np.abs(np.exp(1j * (angle.real - turns)) - 1)
    assert away.max() <= 8 * max(eps, EPS)
    assert np.abs(angle.imag / h - (x * dy - y * dx)).max() <= 16 * max(eps, EPS)
    mixed = ops.atan2(np.array([1 + 1j * h]), np.array([1.0]))
    assert abs(mixed[0] - np.pi / 4) <= EPS and abs(mixed[0].imag / h - 0.5) <= EPS


def test_the_angle_of_complex_coordinates_is_right_far_from_the_real_ones():
    """The tangent of the angle is y / x, however large the imaginary parts."""
    y, x = np.array([1 + 0.5j, -0.2 + 0.1j]), np.array([2 - 0.3j, -1 + 0.4j])
    angle = ops.atan2(y, x)
    assert np.abs(np.sin(angle) * x - np.cos(angle) * y).max() <= 8 * EPS
    assert np.abs(ops.atan2(y.real + 0j, x) - ops.atan2(y.real, x)).max() == 0


def test_jax_takes_the_angle_of_complex_coordinates(jax):
    y, x = np.array([0.3 + 1e-20j, -2.0]), np.array([-1.0 + 2e-20j, 0.5])
    assert_near(np.asarray(ops.atan2(jax.numpy.array(y), jax.numpy.array(x))), ops.atan2(y, x), 1)


# --- symbols ---


def test_the_planar_arm_s_jacobian_in_closed_form():
    sp = pytest.importorskip("sympy")
    L1, L2, a, b = sp.symbols("L1 L2 q1 q2")
    J = body_jacobian(planar_arm(L1, L2), np.array([a, b]), "tool", frame="mixed")
    s1, c1, s12, c12 = sp.sin(a), sp.cos(a), sp.sin(a + b), sp.cos(a + b)
    expected = sp.Matrix(
        [
            [0, 0],
            [0, 0],
            [1, 1],
            [-L1 * s1 - L2 * s12, -L2 * s12],
            [L1 * c1 + L2 * c12, L2 * c12],
            [0, 0],
        ]
    )
    assert sp.simplify(sp.Matrix(J) - expected) == sp.zeros(6, 2)
    assert not sp.Matrix(J).atoms(sp.Float)


def test_symbolic_accelerations_are_the_second_derivatives_of_symbolic_poses():
    sp = pytest.importorskip("sympy")
    t, L1, L2 = sp.symbols("t L1 L2")
    a, b = (sp.Function(name)(t) for name in "ab")
    q = np.array([a, b])
    qd, qdd = (np.array([sp.diff(x, t, k) for x in q]) for k in (1, 2))
    chain = planar_arm(L1, L2)
    result = body_accelerations(chain, q, qd, qdd, frame="mixed", classical=True)[2, 3:]
    expected = [sp.diff(x, t, 2) for x in forward_kinematics(chain, q)[1][2]]
    assert all(sp.simplify(x - y) == 0 for x, y in zip(result, expected, strict=True))


def test_rational_models_give_results_without_floats():
    """Every function, on a tree with each kind of joint whose parameters are rational."""
    sp = pytest.importorskip("sympy")
    half, third = sp.Rational(1, 2), sp.Rational(1, 3)
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    chain = Chain(
        [
            Link(
                Revolute((0, 1, 0)),
                half,
                (third, 0, 0),
                NOTHING["inertia"],
                offset=(half, third, 0),
            ),
            Link(Prismatic((1, 0, 0)), 1, (0, 0, 0), NOTHING["inertia"], rotation=turn),
            Link(Revolute((sp.Rational(3, 5), 0, sp.Rational(4, 5))), **NOTHING, parent=0),
            Link(Fixed(), **NOTHING, offset=(0, third, 1)),
        ]
    )
    state = [np.array(sp.symbols(f"{name}:3")) for name in ("q", "v", "a")]
    for result in everything(chain, *state):
        assert not sp.Matrix(result.reshape(-1, 1)).atoms(sp.Float)
    values = np.random.default_rng(2).normal(size=(3, 3))
    flat = sp.lambdify(
        [x for s in state for x in s], [r.tolist() for r in everything(chain, *state)]
    )
    for symbolic, number in zip(flat(*values.ravel()), everything(chain, *values), strict=True):
        assert_near(np.array(symbolic, float), number.astype(float), chain.n)


def test_fractions_stay_fractions_where_nothing_turns():
    slides = Chain(
        [
            Link(Prismatic((0, 0, 1)), **NOTHING, offset=(1, 0, 0)),
            Link(Prismatic((1, 0, 0)), **NOTHING),
        ]
    )
    q = np.array([Fraction(1, 3), Fraction(2, 7)], object)
    _, p = forward_kinematics(slides, q)
    assert p.tolist() == [[1, 0, Fraction(1, 3)], [1 + Fraction(2, 7), 0, Fraction(1, 3)]]
    v = body_twists(slides, q, q, frame="world")
    assert v[1].tolist() == [0, 0, 0, Fraction(2, 7), 0, Fraction(1, 3)]
    assert not any(isinstance(x, float) for x in [*p.flat, *v.flat])


def test_screws_of_symbols_are_exact():
    sp = pytest.importorskip("sympy")
    h, r = sp.symbols("h r", positive=True)
    s = screw(np.array([r, 0, 0]), np.array([0, 0, sp.Integer(1)]), h)
    assert s.tolist() == [0, 0, 1, 0, -r, h]
    _, _, pitch, magnitude = screw_axis(3 * s)
    assert sp.simplify(pitch[()] - h) == 0 and sp.simplify(magnitude[()] - 3) == 0


# --- certified and precise numbers ---


@pytest.mark.parametrize(
    "case",
    [
        Case(7, seed=5),
        Case(12, branching=True, variety="wild", seed=8),
        Case(20, variety="tiny", seed=9),
    ],
    ids=str,
)
def test_floats_are_near_forty_digits(case):
    """The error of double precision itself, against mpmath's forty digits on the same model."""
    mp = pytest.importorskip("mpmath")
    chain = random_tree(case)
    state = motion(case, chain)
    precise = [np.array([mp.mpf(float(x)) for x in s], object) for s in state]
    with mp.workdps(40):
        exact_chain = Chain([_exactly(link, mp.mpf) for link in chain.links])
        pairs = zip(everything(chain, *state), everything(exact_chain, *precise), strict=True)
        spread = max(1.0, np.abs(forward_kinematics(chain, state[0])[1]).max())
        for number, exact in pairs:
            error = np.array(exact - number, object)
            norm = mp.sqrt(sum(x * x for x in exact.flat))
            # the recursion in world coordinates loses to distance, squared in accelerations
            allowed = max(bound(chain.n), 10 * EPS * chain.n * spread**2 * (case.variety == "wild"))
            assert mp.sqrt(sum(x * x for x in error.flat)) <= allowed * norm


def _exactly(link, number):
    """The link with each parameter as a precise number of the same value."""
    convert = np.vectorize(lambda x: number(float(x)), otypes=[object])
    joint = (
        link.joint if isinstance(link.joint, Fixed) else type(link.joint)(convert(link.joint.axis))
    )
    return Link(
        joint,
        number(link.mass),
        *map(convert, (link.com, link.inertia, link.offset, link.rotation)),
        parent=link.parent,
    )


def test_balls_enclose_the_result():
    """python-flint's balls: an interval around each entry that surely holds the true value."""
    flint = pytest.importorskip("flint", reason="python-flint is not installed")
    case = Case(3, seed=4, kinds=(Revolute, Prismatic))
    chain = random_tree(case)
    state = motion(case, chain)
    balls = [np.array([flint.arb(float(x)) for x in s], object) for s in state]
    balled = Chain([_exactly(link, flint.arb) for link in chain.links])
    for number, ball in zip(everything(chain, *state), everything(balled, *balls), strict=True):
        scale = np.abs(number).max()
        for x, b in zip(number.flat, ball.flat, strict=True):
            b = flint.arb(b)
            assert b.rad() <= 1e-9 * (1 + scale)
            assert abs(float(b.mid()) - x) <= bound(3) * (1 + scale) + float(b.rad())


# --- CasADi and JAX, where they are installed ---


def test_casadi_expressions_compute_the_same():
    ca = pytest.importorskip("casadi", reason="CasADi is not installed")
    case = Case(7, branching=True, seed=21)
    chain = random_tree(case)
    state = motion(case, chain)
    names = [ca.SX.sym(name, chain.nv) for name in ("q", "qd", "qdd")]
    symbols = [np.array([x[i] for i in range(chain.nv)], object) for x in names]
    results = everything(chain, *symbols)
    function = ca.Function("kinematics", names, [ca.vertcat(*r.ravel()) for r in results])
    for symbolic, number in zip(function(*state), everything(chain, *state), strict=True):
        assert_near(np.array(symbolic).ravel(), number.ravel(), chain.n)


def test_jax_compiles_batches_and_differentiates(jax, jit):
    case = Case(7, branching=True, seed=21)
    chain = random_tree(case)
    q, qd, qdd = motion(case, chain)

    def some(q, qd, qdd):  # not everything: it takes JAX most of a minute to compile that
        accelerations = body_accelerations(chain, q, qd, qdd, frame="mixed", classical=True)
        return *forward_kinematics(chain, q), accelerations, body_jacobian(chain, q, 6)

    for traced, number in zip(jit(some)(q, qd, qdd), some(q, qd, qdd), strict=True):
        assert_near(np.asarray(traced), number, chain.n)

    def height(q):
        return forward_kinematics(chain, q)[1][-1, 2]

    J = body_jacobian(chain, q, chain.n - 1, frame="mixed")
    assert_near(np.asarray(jit(jax.grad(height))(q)), J[5], chain.n)

    batch = np.stack([q, 2 * q, -q])
    mapped = jit(jax.vmap(lambda q: body_twists(chain, q, qd)))(batch)
    assert_near(np.asarray(mapped), body_twists(chain, batch, qd), chain.n)


def test_jax_arrays_stay_jax_arrays(jax):
    chain = planar_arm(1.0, 2.0)
    assert isinstance(body_jacobian(chain, jax.numpy.zeros(2), "tool"), jax.Array)


def test_jax_chooses_judges_and_solves_while_it_traces(jax):
    def all_three(x):
        A = ops.eye(2) + ops.where(ops.positive(x), x, 0) * np.array([[0, 1], [1, 0]])
        return ops.solve_pivoted(A, np.ones((2, 1)))

    for x in (-3.0, 0.5):
        expected = np.full((2, 1), 1 / (1 + max(x, 0)))
        assert_near(np.asarray(jax.jit(all_three)(x)), expected, 1)
    assert jax.jit(ops.positive)(np.array([-1, 2])).tolist() == [False, True]
