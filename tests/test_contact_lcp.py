"""Linear complementarity: three methods, against each other and against five solvers; ties, rays, what is refused."""

import numpy as np
import pytest
from lcps import KINDS, problem, problems
from scipy.optimize import LinearConstraint, linprog, milp, nnls
from trees import oracle

from chaindyn import solve_lcp

# Lemke's path without a rule for ties comes back to where it was
TIED = np.array([[1.0, 2, 0], [0, 1, 2], [2, 0, 1]])


def p_matrix(n, rng, skewness=1.0):
    """All principal minors are positive: the symmetric part is positive definite."""
    G, H = rng.normal(size=(2, n, n))
    return G @ G.T / n + 0.1 * np.eye(n) + skewness * (H - H.T)


def assert_solves(answer, A, b, tolerance=1e-10):
    size = np.abs(b).max(initial=0) + np.abs(A).max(initial=0) * np.abs(answer.z).max(initial=0)
    assert (answer.z >= 0).all()
    assert answer.w == pytest.approx(A @ answer.z + b, abs=1e-15 * size)
    assert np.abs(np.minimum(answer.z, A @ answer.z + b)).max(initial=0) <= tolerance * size
    assert abs(answer.z @ answer.w) <= tolerance * size * max(1, np.abs(answer.z).max(initial=0))
    assert answer.residual == np.abs(np.minimum(answer.z, answer.w)).max(initial=0)


def by_milp(A, b, bound=1e3):
    """A solution by SciPy's mixed integer program: a switch for each pair."""
    n = len(b)
    eye, none = np.eye(n), np.zeros((n, n))
    rows = [
        LinearConstraint(np.hstack([A, none]), -b, np.inf),  # w >= 0
        LinearConstraint(np.hstack([eye, -bound * eye]), -np.inf, 0),  # z <= bound s
        LinearConstraint(np.hstack([A, bound * eye]), -np.inf, bound - b),  # w <= bound (1 - s)
    ]
    limits = ([0] * 2 * n, [bound] * n + [1] * n)
    answer = milp(np.zeros(2 * n), constraints=rows, integrality=[0] * n + [1] * n,
                  bounds=limits)  # fmt: skip
    return None if answer.x is None else answer.x[:n]


@pytest.mark.parametrize("n", [1, 2, 5, 20, 50, 100])
@pytest.mark.parametrize("skewness", [0.0, 1.0])
def test_p_matrices(n, skewness):
    for seed in range(3):
        rng = np.random.default_rng([n, seed])
        A, b = p_matrix(n, rng, skewness), rng.normal(size=n)
        answer = solve_lcp(A, b)
        assert_solves(answer, A, b)
        if n <= 8:
            each = solve_lcp(A, b, method="enumerate")
            assert each.count == "one"
            assert len(each.solutions) == 1
            assert each.z == pytest.approx(answer.z, abs=1e-9)


def test_quantecon_and_quadprog_agree():
    """Their answers are kept as data: QuantEcon's own Lemke, and a quadratic program where A is symmetric."""
    stored = oracle("lcp")
    asked = {"quantecon": 0, "quadprog": 0}
    for (kind, A, b), (by_quantecon, by_quadprog) in zip(
        problems(stored["each"]), stored["results"], strict=True
    ):
        answer = solve_lcp(A, b)
        assert_solves(answer, A, b)
        for name, z in (("quantecon", by_quantecon), ("quadprog", by_quadprog)):
            if z is None:
                continue
            asked[name] += 1
            if kind == "supports":  # z need not be the same; what it does is
                assert A @ z == pytest.approx(A @ answer.z, abs=1e-9 * np.abs(b).max(initial=1))
            else:  # unique; the bound is one part in 1e9 of how far A^-1 may spread the last digit of b
                spread = np.abs(answer.z).max(initial=0) + np.linalg.norm(np.linalg.inv(A), np.inf)
                assert np.abs(answer.z - z).max() <= 1e-9 * spread
    assert len(stored["results"]) == 140
    assert asked == {"quantecon": 137, "quadprog": 28}  # QuantEcon ends on a ray at three with ties


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [3, pytest.param(60, marks=pytest.mark.nightly)])
def test_a_hundred_contacts(kind, count):
    for seed in range(count):
        A, b = problem(kind, 100, 100 + seed)
        answer = solve_lcp(A, b)
        assert_solves(answer, A, b)
        assert np.abs(answer.z * answer.w).max() <= 1e-10 * np.abs(b).max() * max(1, answer.z.max())


def test_the_last_digits_are_won_back_from_the_tableau():
    """The mode is solved anew; without that it is 5e-14 here."""
    for seed in range(8):
        A, b = problem("skew", 100, seed)
        answer = solve_lcp(A, b)
        assert answer.residual <= 1e-14 * (np.abs(b).max() + np.abs(A).max() * answer.z.max())


def test_some_p_matrices_have_no_definite_symmetric_part():
    """Else Lemke's method would be tested on the easy kind only."""
    for kind in ("dominant", "triangular"):
        A, _ = problem(kind, 12, 0)
        assert np.linalg.eigvalsh(A + A.T)[0] < 0
        minors = [
            np.linalg.det(A[np.ix_(s, s)])
            for s in (np.flatnonzero([k >> i & 1 for i in range(12)]) for k in range(1, 2**12))
        ]
        assert min(minors) > 0


def test_nonnegative_least_squares_and_an_integer_program_agree():
    """Non-negative least squares is the LCP of a Gram matrix; a mixed integer program takes any matrix."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        G, x = rng.normal(size=(9, 6)), rng.normal(size=9)
        A, b = G.T @ G, -G.T @ x
        z = solve_lcp(A, b).z
        assert z == pytest.approx(nnls(G, x)[0], abs=1e-10)
        assert z == pytest.approx(solve_lcp(A, b, method="pgs", sweeps=20000).z, abs=1e-9)
        B = p_matrix(6, rng, 0.5)
        assert solve_lcp(B, b).z == pytest.approx(by_milp(B, b), abs=1e-6)


def test_enumeration_and_the_integer_program_agree_whether_there_is_a_solution():
    counts = {"none": 0, "one": 0, "many": 0}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        A, b = rng.normal(size=(4, 4)), rng.normal(size=4)
        z = by_milp(A, b)
        try:
            answer = solve_lcp(A, b, method="enumerate")
        except ArithmeticError as error:
            assert "no solution" in str(error)
            assert z is None
            counts["none"] += 1
            continue
        counts[answer.count] += 1
        assert min(np.abs(z - x).max() for x in answer.solutions) < 1e-4
        for x in answer.solutions:
            assert np.abs(np.minimum(x, A @ x + b)).max() < 1e-9
        try:
            found = solve_lcp(A, b)
        except ArithmeticError as error:
            assert "neither" in str(error)
            continue
        assert min(np.abs(found.z - x).max() for x in answer.solutions) < 1e-8
    assert min(counts.values()) > 3


# --- none, one, many ---


@pytest.mark.parametrize(
    ("A", "b", "count", "sizes"),
    [
        ([[2]], [-4], "one", [2]),
        ([[2]], [4], "one", [0]),
        ([[-2]], [4], "many", [0, 2]),
        ([[0]], [0], "many", [0, None]),  # any push
        ([[1, 1], [1, 1]], [-1, -1], "many", [None, None]),  # two supports in one place
        ([[0, 1], [-1, 0]], [0, 3], "many", [0, None]),  # mode {0} is singular: z_0 from 0 to 3
        ([[1, -1], [-1, 1]], [-5, 5], "many", [5, None]),  # z_0 = 5 + z_1, as large as one likes
        ([[1, 0], [0, 1]], [-1, 0], "one", [1]),  # two modes say the same
    ],
)
def test_modes_are_counted(A, b, count, sizes):
    answer = solve_lcp(A, b, method="enumerate")
    assert answer.count == count
    assert len(answer.solutions) >= len(sizes)
    for z, size in zip(answer.solutions, sizes, strict=False):
        w = np.array(A) @ z + b
        assert np.abs(np.minimum(z, w)).max() < 1e-9
        if size is not None:
            assert np.abs(z).sum() == pytest.approx(size)


def test_no_answer_is_told():
    with pytest.raises(ArithmeticError, match="no solution: none of its 2 modes"):
        solve_lcp([[-1.0]], [-1.0], method="enumerate")
    with pytest.raises(ArithmeticError, match="Lemke's ray proves"):
        solve_lcp([[-1.0]], [-1.0])
    # what would lift the first presses on nothing: -1 - z_1 can be no w
    with pytest.raises(ArithmeticError, match="Lemke's ray proves"):
        solve_lcp([[0.0, -1], [1, 0]], [-1.0, 1])
    with pytest.raises(ArithmeticError, match="grows without bound"):
        solve_lcp([[1.0, -2], [-2, 1]], [-1.0, -1], method="pgs")


@pytest.mark.parametrize("method", ["lemke", "enumerate"])
def test_nothing_yields(method):
    """A vanishes: z changes nothing."""
    none = np.zeros((2, 2))
    assert solve_lcp(none, [1, 2], method=method).w == pytest.approx([1, 2])
    with pytest.raises(ArithmeticError, match="no solution"):
        solve_lcp(none, [1, -2], method=method)


def test_twelve_contacts_are_enumerated():
    A, b = 2 * np.eye(12) - np.eye(12, k=1) - np.eye(12, k=-1), -np.eye(12)[0]
    answer = solve_lcp(A, b, method="enumerate")
    assert answer.count == "one"
    assert answer.iterations == 4096
    assert answer.z == pytest.approx(np.arange(12, 0, -1) / 13)


def test_a_ray_that_proves_nothing_says_so():
    """z = (1, 1) solves it, though the path finds a ray."""
    A, b = np.array([[-1.0, 2], [2, -1]]), np.array([-1.0, -1])
    assert solve_lcp(A, b, method="enumerate").z == pytest.approx([1, 1])
    with pytest.raises(ArithmeticError, match="says neither that there is a solution"):
        solve_lcp(A, b)


# --- ties ---


def naive(A, b, pivots):
    """Lemke's path with the first row of a tie; the bases it sees."""
    n = len(b)
    tableau = np.hstack([np.eye(n), -A, -np.ones((n, 1)), b[:, None]])
    basis, entering, row, seen = list(range(n)), 2 * n, int(np.argmin(b)), []
    for _ in range(pivots):
        own = tableau[row] / tableau[row, entering]
        tableau = tableau - np.outer(tableau[:, entering], own)
        tableau[row] = own
        left, basis[row] = basis[row], entering
        seen.append(tuple(sorted(basis)))
        if left == 2 * n:
            return seen
        entering = left + n if left < n else left - n
        ratios = [x / d if d > 1e-12 else np.inf for x, d in tableau[:, [-1, entering]]]
        row = int(np.argmin(np.round(ratios, 12)))
    return seen


def test_a_path_that_goes_in_circles_ends_with_the_lexicographic_rule():
    b = -np.ones(3)
    seen = naive(TIED, b, 60)
    assert len(seen) == 60  # it has not ended
    assert len(set(seen)) < 10  # and sees the same bases again and again
    answer = solve_lcp(TIED, b)
    assert answer.z == pytest.approx(np.full(3, 1 / 3))
    assert answer.iterations < 10


@pytest.mark.parametrize("n", range(3, 14))
@pytest.mark.parametrize("coupling", [1.0, 2.0, 3.0])
def test_larger_circles_end_too(n, coupling):
    """All ratios tie, all the way round."""
    A = np.eye(n) + coupling * np.roll(np.eye(n), 1, axis=1)
    answer = solve_lcp(A, -np.ones(n))
    assert_solves(answer, A, -np.ones(n))
    assert answer.iterations <= n + 1


# linear programs, minimise c.x with G x <= h and x >= 0, on which simplex methods go in circles
CIRCLES = {
    "Beale": (
        [-3 / 4, 150, -1 / 50, 6],
        [[1 / 4, -60, -1 / 25, 9], [1 / 2, -90, -1 / 50, 3], [0, 0, 1, 0]],
        [0, 0, 1],
        -1 / 20,
    ),
    "Chvatal": (
        [-10, 57, 9, 24],
        [[1 / 2, -11 / 2, -5 / 2, 9], [1 / 2, -3 / 2, -1 / 2, 1], [1, 0, 0, 0]],
        [0, 0, 1],
        -1,
    ),
    "without end": ([-2, -3, 1, 12], [[-2, -9, 1, 9], [1 / 3, 1, -1 / 3, -2]], [0, 0], None),
}


def as_lcp(c, G, h):
    """The conditions of Karush, Kuhn and Tucker."""
    c, G, h = (np.array(x, float) for x in (c, G, h))
    m, n = G.shape
    A = np.block([[np.zeros((n, n)), G.T], [-G, np.zeros((m, m))]])
    return A, np.concatenate([c, h])


@pytest.mark.parametrize("name", CIRCLES)
def test_programs_on_which_the_simplex_method_cycles(name):
    c, G, h, least = CIRCLES[name]
    A, b = as_lcp(c, G, h)
    truth = linprog(c, A_ub=G, b_ub=h, method="highs")
    if least is None:
        assert truth.status in (3, 4)  # it falls for ever
        with pytest.raises(ArithmeticError, match="Lemke's ray proves"):
            solve_lcp(A, b)
        with pytest.raises(ArithmeticError, match="none of its 64 modes"):
            solve_lcp(A, b, method="enumerate")
        return
    answer = solve_lcp(A, b)
    assert_solves(answer, A, b)
    assert answer.z[: len(c)] @ c == pytest.approx(least, abs=1e-12)
    assert truth.fun == pytest.approx(least)


def test_programs_without_a_point_or_without_an_end_are_proved_so():
    """For these matrices a ray is always a proof."""
    outcomes = {"solved": 0, "none": 0}
    for seed in range(120):
        rng = np.random.default_rng(seed)
        G = rng.integers(-3, 4, size=(5, 4)).astype(float)
        c, h = rng.integers(-2, 6, size=4), rng.integers(-2, 6, size=5)
        A, b = as_lcp(c, G, h)
        truth = linprog(c, A_ub=G, b_ub=h, method="highs")
        try:
            answer = solve_lcp(A, b)
        except ArithmeticError as error:
            assert "Lemke's ray proves" in str(error)
            assert truth.status in (2, 3, 4)
            outcomes["none"] += 1
            continue
        assert_solves(answer, A, b)
        assert answer.z[:4] @ c == pytest.approx(truth.fun, abs=1e-9)
        outcomes["solved"] += 1
    assert min(outcomes.values()) > 20


def exponential(n):
    """A triangular P-matrix and a b for which the path visits all modes (Murty)."""
    A = np.eye(n) + np.triu(np.full((n, n), 2.0), 1)
    return A, -np.array([sum(2.0**j for j in range(i, n)) for i in range(n)])


def test_a_path_through_all_modes():
    for n in range(2, 10):
        A, b = exponential(n)
        answer = solve_lcp(A, b)
        assert_solves(answer, A, b)
        assert answer.iterations == 2**n
    A, b = exponential(14)
    with pytest.raises(ArithmeticError, match="did not end in 2400 pivots"):
        solve_lcp(A, b)


def test_degenerate_problems_end():
    """Supports that depend on each other, values that tie: always a solution, and the same motion."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        m, r = rng.integers(2, 13), rng.integers(1, 4)
        K = rng.integers(-1, 2, size=(m, r)).astype(float)
        A, b = K @ K.T, K @ rng.integers(-2, 3, size=r)
        answer = solve_lcp(A, b)
        assert_solves(answer, A, b)
        x, _ = nnls(np.vstack([K.T]), -np.linalg.lstsq(K, b, rcond=None)[0])
        assert K.T @ answer.z == pytest.approx(K.T @ x, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e9])
def test_units_play_no_part(scale):
    rng = np.random.default_rng(5)
    A, b = p_matrix(12, rng), rng.normal(size=12)
    z = solve_lcp(A, b).z
    assert solve_lcp(scale * A, b).z * scale == pytest.approx(z, abs=1e-12 * z.max())
    assert solve_lcp(A, scale * b).z / scale == pytest.approx(z, abs=1e-12 * z.max())
    few, right = A[:5, :5], b[:5]
    again = solve_lcp(scale * few, right / scale, method="enumerate")
    assert again.z * scale**2 == pytest.approx(solve_lcp(few, right).z, abs=1e-12)


# --- projected Gauss-Seidel ---


def test_gauss_seidel_reports_what_it_has_not_reached():
    rng = np.random.default_rng(1)
    A, b = p_matrix(20, rng, 0), rng.normal(size=20)
    exact = solve_lcp(A, b).z
    errors, residuals = [], []
    for sweeps in (1, 10, 100, 3000):
        answer = solve_lcp(A, b, method="pgs", sweeps=sweeps)
        assert answer.iterations <= sweeps
        assert answer.residual == pytest.approx(
            np.abs(np.minimum(answer.z, A @ answer.z + b)).max()
        )
        errors.append(np.abs(answer.z - exact).max())
        residuals.append(answer.residual)
    assert residuals == sorted(residuals, reverse=True)
    assert errors[0] > 0.1
    assert errors[-1] < 1e-11
    loose = solve_lcp(A, b, method="pgs", tolerance=1e-3)
    assert 1e-6 < loose.residual <= 1e-3 * np.abs(b).max()


# --- bad input ---


def test_nothing_to_solve():
    answer = solve_lcp(np.zeros((0, 0)), np.zeros(0))
    assert answer.z.shape == answer.w.shape == (0,)
    assert answer.residual == 0
    assert solve_lcp(np.zeros((0, 0)), np.zeros(0), method="enumerate").count == "one"


@pytest.mark.parametrize(
    ("A", "b", "options", "match"),
    [
        (np.eye(3), np.ones(2), {}, r"A has shape \(3, 3\) and b \(2,\)"),
        (np.ones((2, 3)), np.ones(3), {}, "A has shape"),
        (np.ones((2, 3, 3)), np.ones(3), {}, "one problem at a time"),
        ([[np.nan]], [1], {}, r"A\[0, 0\] is nan"),
        ([[1]], [np.inf], {}, r"b\[0\] is inf"),
        ([[1j]], [1], {}, "real numbers"),
        ([[1]], [1], {"method": "simplex"}, "method is 'simplex'"),
        ([[1]], [1], {"sweeps": 0}, "sweeps is 0"),
        ([[1]], [1], {"sweeps": 2.5}, "sweeps is 2.5"),
        ([[1]], [1], {"sweeps": True}, "sweeps is True"),
        ([[1]], [1], {"tolerance": 0}, "tolerance is 0"),
        ([[1]], [1], {"tolerance": np.nan}, "tolerance is nan"),
        ([[1]], [[1]], {}, r"b \(1, 1\)"),
        ([[1]], [1j], {}, "real numbers"),
        ([["x"]], [1], {}, "A"),
        ([[1]], [None], {}, "b"),
        ([[-1]], [1], {"method": "pgs"}, r"A\[0, 0\] is -1"),
        ([[0]], [1], {"method": "pgs"}, r"A\[0, 0\] is 0"),
        (np.eye(13), np.ones(13), {"method": "enumerate"}, "n up to 12, not 13"),
    ],
)
def test_bad_input_is_told(A, b, options, match):
    with pytest.raises(ValueError, match=match):
        solve_lcp(A, b, **options)


# --- units that lie far apart ---


def in_other_units(A, b, rng, span, two_sided):
    """The same problem with its rows, and its columns, in other units; and the units of w and z."""
    rows = 10.0 ** rng.uniform(-span, span, len(b))
    columns = 10.0 ** rng.uniform(-span, span, len(b)) if two_sided else rows
    return rows[:, None] * A * columns, rows * b, rows, columns


def friction_matrix(m, rng):
    """The LCP of Coulomb's law for m contacts in a plane, with whole directions: copositive, no more; and its b."""
    K, v = rng.normal(size=(2 * m, max(3, m))), rng.normal(size=max(3, m))
    N, T = np.kron(np.eye(m), [[1.0], [0]]), np.kron(np.eye(m), [[0.0, 0], [1, -1]])
    E, W, none = np.kron(np.eye(m), [[1.0], [1]]), K @ K.T, np.zeros((m, m))
    A = np.block(
        [
            [N.T @ W @ N, N.T @ W @ T, none],
            [T.T @ W @ N, T.T @ W @ T, E],
            [np.diag(rng.uniform(0.1, 1, m)), -E.T, none],
        ]
    )
    return A, np.concatenate([N.T @ K @ v, T.T @ K @ v, np.zeros(m)])


def solvable(kind, n, rng):
    """A problem with a known solution, unique where A is a P-matrix; None for friction's, that always have one."""
    if kind == "friction":
        return *friction_matrix(max(n // 4, 1), rng), None
    G, K = rng.normal(size=(n, n)), rng.normal(size=(n, n // 2 + 1))
    A = {
        "definite": G @ G.T / n + np.eye(n) / 10,
        "semidefinite": K @ K.T,
        "triangular": np.eye(n) + np.triu(3 * G, 1) / np.sqrt(n),
        "skew": np.eye(n) / 10 + G - G.T,
    }[kind]
    z = np.maximum(rng.normal(size=n), 0)
    w = np.where(z > 0, 0, np.abs(rng.normal(size=n)))
    return A, w - A @ z, None if kind == "semidefinite" else z


def worst_row(A, b, z):
    """By how much z fails, relative to the terms of each row (of the largest row for those below 1e-6 of it)."""
    w, terms = A @ z + b, np.abs(A) @ z + np.abs(b)
    return (np.where(z > 0, np.abs(w), -w) / np.maximum(terms, 1e-6 * terms.max())).max()


@pytest.mark.parametrize("kind", ["definite", "semidefinite", "triangular", "skew", "friction"])
@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("span", [4, 8])
def test_solutions_are_found_in_any_units(kind, two_sided, span):
    for seed in range(25):
        rng = np.random.default_rng([seed, span, two_sided])
        A, b, known = solvable(kind, int(rng.integers(1, 13 if seed % 2 else 7)), rng)
        scaled, right, rows, columns = in_other_units(A, b, rng, span, two_sided)
        methods = ["lemke"] + ["enumerate"] * (len(b) < 7) + ["pgs"] * (kind == "definite")
        for method in methods:
            z = solve_lcp(scaled, right, method=method, sweeps=5000).z
            assert (z >= 0).all()
            assert worst_row(scaled / rows[:, None], b, z) <= 1e-7
            if known is not None:
                assert z * columns == pytest.approx(known, abs=1e-6 * known.max(initial=1e-9))


@pytest.mark.parametrize("span", [0, 4, 8])
def test_what_has_no_solution_is_found_to_have_none_in_any_units(span):
    """By Farkas: y >= 0 with A^T y <= 0 and b.y < 0, here put in."""
    proofs = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, span])
        n = int(rng.integers(1, 6))
        A, b, y = rng.normal(size=(n, n)), rng.normal(size=n), rng.uniform(0.1, 1, n)
        A -= np.outer(y, np.maximum(A.T @ y, 0) + rng.uniform(size=n)) / (y @ y)
        b -= y * (max(b @ y, 0) + 0.1) / (y @ y)
        A, b, *_ = in_other_units(A, b, rng, span, two_sided=True)
        with pytest.raises(ArithmeticError, match="no solution: none of its"):
            solve_lcp(A, b, method="enumerate")
        with pytest.raises(ArithmeticError, match="Lemke") as caught:
            solve_lcp(A, b)
        proofs += "ray proves" in str(caught.value)
    assert proofs > 5


@pytest.mark.parametrize("span", [0, 8])
def test_no_proof_is_told_of_what_has_a_solution(span):
    told = 0
    for seed in range(150):
        rng = np.random.default_rng([seed, span])
        A, b = rng.normal(size=(2, 3, 3))
        A, b, *_ = in_other_units(A, b[0], rng, span, two_sided=True)
        try:
            solve_lcp(A, b)
        except ArithmeticError as error:
            if "proves" in str(error):
                told += 1
                with pytest.raises(ArithmeticError, match="no solution"):
                    solve_lcp(A, b, method="enumerate")
    assert told > 3


@pytest.mark.parametrize("method", ["lemke", "pgs", "enumerate"])
def test_a_light_contact_beside_a_heavy_one(method):
    assert solve_lcp(np.diag([1e12, 1]), [-1, -1], method=method).z == pytest.approx([1e-12, 1])
    assert solve_lcp(np.diag([1e-12, 1]), [-1, -1], method=method).z == pytest.approx([1e12, 1])
    assert solve_lcp(np.eye(2), [-1, -1e-12], method=method).z == pytest.approx([1, 1e-12], abs=0)
    stiff = 1e16 * np.array([[2, 1], [1, 2]])  # z is far below the tolerance of w
    answer = solve_lcp(stiff, [-1.0, -0.6], method=method)
    assert answer.z * 1e16 == pytest.approx([1.4 / 3, 0.2 / 3], abs=1e-12)


@pytest.mark.parametrize("b", [-1e-8, -1e-30, -1.0])
def test_a_small_number_is_no_zero(b):
    for method in ("lemke", "enumerate"):
        with pytest.raises(ArithmeticError, match="no solution"):
            solve_lcp([[0.0]], [b], method=method)
    with pytest.raises(ArithmeticError, match="no solution"):
        solve_lcp([[1.0, 0], [0, 0]], [1e12 * b, b], method="enumerate")


def test_a_ray_proves_no_more_than_its_digits():
    """(1, 1) seems to be without an effect, but a z of 1e14 solves it: the message says so."""
    A, b = [[1, -1], [-1, 1 + 1e-14]], [-1.0, -1]
    with pytest.raises(ArithmeticError, match=r"ray proves; or one of about [1-9]e\+1[345] times"):
        solve_lcp(A, b)
    with pytest.raises(ArithmeticError, match=r"ray proves$"):
        solve_lcp([[-1.0]], [-1.0])
