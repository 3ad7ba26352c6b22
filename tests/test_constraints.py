"""Loops: rods, gears and wheels as rows, and the dynamics that keeps them, by routes that share nothing."""

import warnings
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from loops import allowed_motions, laid_through, opened, random_loops, ring
from scipy.integrate import solve_ivp
from scipy.optimize import minimize
from trees import (
    EPS,
    EVERY_KIND,
    Case,
    oracle,
    random_joint,
    random_rotation,
    random_tree,
    stored_chain,
)

from chaindyn import (
    Chain,
    Closure,
    Coupling,
    Cylindrical,
    Distance,
    Fixed,
    Free,
    Limits,
    Link,
    Planar,
    Prismatic,
    Revolute,
    Rolling,
    Spherical,
    Universal,
    aba,
    assemble,
    bias_force,
    body_jacobian,
    body_twists,
    constrained_forward_dynamics,
    constrained_hybrid_dynamics,
    constrained_inverse_dynamics,
    constraint_bias,
    constraint_error,
    constraint_jacobian,
    constraint_wrenches,
    crba,
    difference,
    forward_kinematics,
    integrate,
    joint_wrenches,
    kinetic_energy,
    maximal_coordinate_dynamics,
    potential_energy,
    quaternion_from_rotation,
    random_state,
    rnea,
    simulate,
    solve_kkt,
    to_maximal,
    to_maximal_state,
    within_limits,
)
from chaindyn.assembly import pushed_back
from chaindyn.constraints import independent_combinations, shortest
from chaindyn.guards.loops import broken_row, gap_share, lengths_and_doubt
from chaindyn.guards.targets import room
from chaindyn.models import robots
from chaindyn.other_constraints import plain_coordinates
from chaindyn.redundancy import least_motors, least_multipliers
from chaindyn.teaching import normwise

STEP = 1e-30
BOUND = 1000 * EPS
UP = (0, 1, 0)


def planar(n, length=1.0, axis=UP):
    """Return n rods in a row, on hinges about y."""
    moments = length**2 / 12 * np.diag([0.01, 1, 1])
    return Chain(
        [
            Link(
                Revolute(axis),
                1.0 + 0.3 * i,
                (length / 2, 0, 0),
                moments,
                offset=(length if i else 0, 0, 0),
                name=f"rod {i}",
            )
            for i in range(n)
        ]
    )


def four_bar(joint=None):
    """Return three rods whose end is pinned to the ground, a posture that closes them, and a velocity that fits."""
    chain = planar(3)
    loops = [Closure(joint or Revolute(UP), 2, offset=(1, 0, 0), onto_offset=(1.2, 0, 0))]
    q = assemble(chain, loops, np.array([-1.9, 1.8, 1.3]))
    return chain, loops, q, allowed_motions(chain, loops, q)[0] * 2


def five_bar():
    """Return four rods that close a loop with the ground: two freedoms."""
    chain = planar(4)
    loops = [Closure(Cylindrical(UP), 3, offset=(1, 0, 0), onto_offset=(0.8, 0, 0))]
    q = assemble(chain, loops, np.array([-2.0, 0.9, 1.1, 1.0]))
    return chain, loops, q


def dense(chain, loops, q, qd, tau, gains=(0, 0)):
    """Return qdd and multipliers of the bordered system, by its pseudo-inverse, scaled so that units play no part."""
    M, K = crba(chain, q), constraint_jacobian(chain, loops, q)
    k = -constraint_bias(chain, loops, q, qd) - gains[1] * K @ qd
    k = k - gains[0] * constraint_error(chain, loops, q)
    s = 1 / np.sqrt(np.diag(M))
    M, K = M * np.outer(s, s), K * s
    system = np.block([[M, -K.T], [K, np.zeros((len(K), len(K)))]])
    right = np.concatenate([s * (tau - bias_force(chain, q, qd)), k])
    y = np.linalg.lstsq(system, right, rcond=1e-11)[0]
    return s * y[: len(M)], y[len(M) :], np.linalg.cond(M)


# Rods, gears, wheels ----------------------------------------------------------------------------

TREE = random_tree(Case(6, branching=True, seed=3, kinds=EVERY_KIND))
ROLLER = Chain(
    [
        Link(Free(), 1.5, (0.1, 0, 0.2), np.diag([0.2, 0.3, 0.4]), name="wheel"),
        Link(Revolute((1, 2, 2)), 0.4, (0.3, 0, 0), 0.02 * np.eye(3), offset=(0, 0.1, 0)),
    ]
)
ROWS = {
    "rod": (TREE, Distance(5, 2, length=0.7, offset=(0.1, 0.4, -0.2), onto_offset=(1, 0, 0.3))),
    "rod to the ground": (TREE, Distance(4, length=1.7, offset=(0.1, 0.4, -0.2))),
    "disc": (
        ROLLER,
        Rolling("wheel", 0.3, axis=(1, 2, -2), offset=(0.1, 0, 0), normal=(0.6, 0, 0.8)),
    ),
    "ball": (ROLLER, Rolling(1, 0.3, offset=(0.1, 0.2, 0), height=-0.4)),
}


@pytest.fixture(params=ROWS)
def row(request):
    return ROWS[request.param]


def slope(chain, function, q, qd):
    """Return the rate of a function of the posture, by a complex step."""
    return function(integrate(chain, q, STEP * 1j * qd)).imag / STEP


def test_rows_are_the_slope_of_the_error(row):
    chain, constraint = row
    for seed in range(5):
        q, qd = random_state(chain, seed)
        rate = slope(chain, lambda q: constraint.error(chain, q), q, qd)
        K = constraint.jacobian(chain, q)
        integrable = slice(2, 3) if isinstance(constraint, Rolling) else slice(None)
        assert np.abs((K @ qd - rate)[integrable]).max() <= BOUND * np.abs(K).max()


def test_the_bias_is_the_rate_of_the_rows(row):
    chain, constraint = row
    for seed in range(5):
        q, qd = random_state(chain, seed)
        rate = slope(chain, lambda q, qd=qd: constraint.jacobian(chain, q) @ qd, q, qd)
        assert np.abs(constraint.bias(chain, q, qd) - rate).max() <= BOUND * (qd @ qd)


def test_a_rod_measures_the_distance_of_its_ends():
    chain, rod = ROWS["rod"]
    q, _ = random_state(chain, 1)
    R, p = forward_kinematics(chain, q)
    d = p[5] + R[5] @ rod.offset - p[2] - R[2] @ rod.onto_offset
    fitting = Distance(
        5, 2, length=float(np.linalg.norm(d)), offset=rod.offset, onto_offset=rod.onto_offset
    )
    assert abs(fitting.error(chain, q)[0]) <= 10 * EPS
    longer = Distance(
        5, 2, length=float(np.linalg.norm(d)) + 1e-6, offset=rod.offset, onto_offset=rod.onto_offset
    )
    assert longer.error(chain, q)[0] == pytest.approx(-1e-6, rel=1e-5)


def test_the_multiplier_of_a_rod_is_its_force():
    """A weight on a rod above its foot: the rod pushes with the weight; below, it pulls."""
    chain = Chain([Link(Free(), 2.0, (0, 0, 0), np.eye(3), name="weight")])
    for height, sign in ((0.5, 1), (-0.5, -1)):
        rod = Distance("weight", length=0.5)
        q = np.array([0, 0, height, 1, 0, 0, 0])
        _, multipliers = constrained_forward_dynamics(chain, rod, q, np.zeros(6), np.zeros(6))
        assert multipliers == pytest.approx([sign * 2 * 9.81])


def test_the_particle_at_the_contact_stands_still():
    """The rows, from the twist of the link and the lowest point of the disc found by search."""
    chain, disc = ROWS["disc"]
    for seed in range(3):
        q, qd = random_state(chain, seed)
        R, p = forward_kinematics(chain, q)
        centre, u = p[0] + R[0] @ disc.offset, R[0] @ disc.axis
        one = np.cross(u, [0.3, -0.5, 0.7])
        one = one / np.linalg.norm(one)
        rim = np.stack([one, np.cross(u, one)])

        def height(a, rim=rim):
            return np.array([np.cos(a), np.sin(a)]) @ rim @ disc.normal

        angle = min(
            (
                minimize(lambda a: height(a[0]), [start], tol=1e-14).x[0]
                for start in (0.0, 2.0, 4.0)
            ),
            key=height,
        )
        contact = centre + 0.3 * np.array([np.cos(angle), np.sin(angle)]) @ rim
        V = body_twists(chain, q, qd, frame="mixed")[0]
        velocity = V[3:] + np.cross(V[:3], contact - p[0])
        assert disc.jacobian(chain, q) @ qd == pytest.approx(disc.directions @ velocity, abs=1e-6)
        assert disc.error(chain, q)[2] == pytest.approx(disc.normal @ contact, abs=1e-12)
        assert disc.directions @ disc.directions.T == pytest.approx(np.eye(3), abs=1e-14)
        assert disc.directions[2] == pytest.approx(disc.normal)


def test_a_ball_rolls_down_a_slope_with_five_sevenths():
    slope_, g = 0.3, 9.81
    normal = np.array([np.sin(slope_), 0, np.cos(slope_)])
    ball = Chain([Link(Free(), 3.0, (0, 0, 0), 2 / 5 * 3.0 * 0.2**2 * np.eye(3))])
    rolling = Rolling(0, 0.2, normal=normal)
    q = np.concatenate([0.2 * normal, [0.6, 0, 0.8, 0]])
    qdd, multipliers = constrained_forward_dynamics(ball, rolling, q, np.zeros(6), np.zeros(6))
    R, _ = forward_kinematics(ball, q)
    down = np.array([np.cos(slope_), 0, -np.sin(slope_)])
    assert R[0] @ qdd[3:] == pytest.approx(5 / 7 * g * np.sin(slope_) * down, abs=1e-12)
    assert multipliers[2] == pytest.approx(3 * g * np.cos(slope_))
    friction = rolling.directions[:2].T @ multipliers[:2]
    assert friction == pytest.approx(-2 / 7 * 3 * g * np.sin(slope_) * down)


def test_a_disc_that_rolls_in_a_circle_leans_as_it_must():
    """The steady turn of a thin disc: its lean, speed and radius are bound by one closed formula.

    A disc of radius r leans by a from the upright, its centre on a circle of radius c, turning about it at W. Momentum
    about the centre: (I3 + m r^2) w3 W cos a - I1 W^2 sin a cos a - m g r sin a = 0 with r w3 = c W, w3 its whole spin.
    """
    m, r, g, a, c = 1.3, 0.4, 9.81, 0.35, 1.7
    I1, I3 = m * r**2 / 4, m * r**2 / 2
    # the centre moves on the smaller circle; the spin about its own axis follows from rolling: w3 = c W / r
    W = np.sqrt(
        m * g * r * np.sin(a) / ((I3 + m * r**2) * c / r * np.cos(a) + I1 * np.sin(a) * np.cos(a))
    )
    disc = Chain([Link(Free(), m, (0, 0, 0), np.diag([I1, I1, I3]))])
    rolling = Rolling(0, r, axis=(0, 0, 1))
    # axis of the disc: horizontal, tilted by a; the disc leans inwards, towards the middle of the circle
    u = np.array([np.cos(a), 0, np.sin(a)])
    R = np.column_stack([np.cross([0, 1, 0], u), [0, 1, 0], u])
    best = np.inf
    for sign in (1, -1):
        centre = np.array([sign * c, 0, r * np.cos(a)])
        v = W * np.cross([0, 0, 1], centre)
        # w = W z + s u, with the contact particle at rest
        s_down = np.array([0, 0, 1]) - u[2] * u
        arm = -r * s_down / np.linalg.norm(s_down)
        rows = np.cross(u, arm)
        spin = -(rows @ (v + W * np.cross([0, 0, 1], arm))) / (rows @ rows)
        w = W * np.array([0, 0, 1]) + spin * u
        assert np.abs(v + np.cross(w, arm)).max() < 1e-12
        q = np.concatenate([centre, quaternion_from_rotation(R)])
        qd = np.concatenate([R.T @ w, R.T @ v])
        assert np.abs(rolling.error(disc, q)).max() < 1e-12
        qdd, _ = constrained_forward_dynamics(disc, rolling, q, qd, np.zeros(6))
        A = qdd[3:] + np.cross(qd[:3], qd[3:])
        best = min(best, np.abs(R @ A - W * np.cross([0, 0, 1], v)).max())
    assert best < 1e-9 * W**2 * c


def test_a_gear_divides_the_torque():
    """Two wheels, 3 teeth to 1: the inertia felt at the small one is that of the large one over nine."""
    wheels = Chain(
        [
            Link(Revolute(), 1, (0, 0, 0), np.diag([1, 1, 2.0]), parent="ground", name=n)
            for n in ("large", "small")
        ]
    )
    gear = Coupling({"large": 3, "small": 1})
    qdd, multipliers = constrained_forward_dynamics(
        wheels, gear, np.zeros(2), np.zeros(2), np.array([0, 1.0])
    )
    assert qdd == pytest.approx([-(1 / 3) / (2 + 2 / 9), 1 / (2 + 2 / 9)])
    assert multipliers == pytest.approx([2 * qdd[0] / 3])
    assert gear.error(wheels, np.array([0.2, -0.5])) == pytest.approx([0.1])
    assert Coupling({0: 3, 1: 1}, total=0.4).error(wheels, np.array([0.2, -0.5])) == pytest.approx(
        [-0.3]
    )


def test_a_gear_knows_coordinates_of_joints_with_several():
    chain = Chain(
        [
            Link(Free(), 1, (0, 0, 0), np.eye(3)),
            Link(Universal((1, 0, 0), UP), 1, (0, 0, 0), np.eye(3)),
            Link(Revolute(), 1, (0, 0, 0), np.eye(3)),
        ]
    )
    gear = Coupling({1: (2, -1), 2: 5})
    q, qd = random_state(chain, 0)
    assert gear.error(chain, q) == pytest.approx([2 * q[7] - q[8] + 5 * q[9]])
    assert gear.jacobian(chain, q) @ qd == pytest.approx([2 * qd[6] - qd[7] + 5 * qd[8]])
    assert np.array_equal(gear.bias(chain, q, qd), [0])
    assert Coupling({0: (1, 0, 0, 0, 0, 0), 2: 1}).error(chain, q) is None
    batch = np.stack([q, q])
    assert gear.jacobian(chain, batch).shape == (2, 1, 9)
    assert constraint_error(chain, [gear, Coupling({0: (1, 0, 0, 0, 0, 0)})], batch).shape == (2, 2)


def test_parts_of_constraints_that_cannot_be_are_refused():
    chain = planar(2)
    q = np.zeros(2)
    for make, says in [
        (lambda: Distance(1, length=0), "length"),
        (lambda: Distance(1, length=1, offset=(1, 2)), "offset"),
        (lambda: Distance(1, length=1, onto_offset=(1, 2, np.nan)), "onto_offset"),
        (lambda: Distance(7, length=1).error(chain, q), "link of a Distance is 7"),
        (lambda: Distance(1, "roof", length=1).error(chain, q), "onto of a Distance is 'roof'"),
        (lambda: Distance(1, 1, length=1).error(chain, q), "to itself"),
        (lambda: Coupling({}), "factors"),
        (lambda: Coupling([1, 2]), "factors"),
        (lambda: Coupling({0: 1}, total=np.nan), "total"),
        (lambda: Coupling({"roof": 1}).jacobian(chain, q), "'roof'"),
        (lambda: Coupling({0: (1, 2)}).jacobian(chain, q), "1 rates"),
        (lambda: Coupling({0: np.inf}).jacobian(chain, q), "inf"),
        (lambda: Rolling(0, -1), "radius"),
        (lambda: Rolling(0, 1, axis=(0, 0, 0)), "axis"),
        (lambda: Rolling(0, 1, normal=(0, 0, 0)), "normal"),
        (lambda: Rolling(0, 1, height=np.nan), "height"),
        (lambda: Rolling(0, 1, offset=(0, 0)), "offset"),
        (lambda: Rolling(9, 1).error(chain, q), "link of a Rolling is 9"),
    ]:
        with pytest.raises(ValueError, match=says):
            make()


# The system -------------------------------------------------------------------------------------


def random_system(rng, n=7, m=4, rank=None, singular=False):
    A = rng.normal(size=(n, n))
    K = rng.normal(size=(m, n))
    if rank is not None:
        K = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    M = A @ A.T + 0.1 * np.eye(n)
    if singular:  # no inertia along the first row
        P = np.eye(n) - np.outer(K[0], K[0]) / (K[0] @ K[0])
        M = P @ M @ P
    return M, K, rng.normal(size=n), K @ rng.normal(size=n)


@pytest.mark.parametrize("rank", [None, 1, 2, 3])
@pytest.mark.parametrize("singular", [False, True])
def test_the_bordered_system_is_solved_for_any_rank(rank, singular):
    rng = np.random.default_rng(5)
    for _ in range(5):
        M, K, right, k = random_system(rng, rank=rank, singular=singular)
        answer = solve_kkt(M, K, right, k)
        x, multipliers = answer
        assert answer.rank == (rank or 4)
        system = np.block([[M, -K.T], [K, np.zeros((4, 4))]])
        reference = np.linalg.lstsq(system, np.concatenate([right, k]), rcond=1e-12)[0]
        limit = (
            100
            * EPS
            * min(np.linalg.cond(M), 1e3)
            * np.linalg.cond(K @ K.T if rank is None else np.eye(2))
        )
        assert normwise(x, reference[:7]) <= max(limit, 1e-11)
        assert normwise(K.T @ multipliers, K.T @ reference[7:]) <= max(limit, 1e-10)
        assert np.abs(M @ x - right - K.T @ multipliers).max() <= 1e-11
        # the smallest, of rows taken at length one in the metric of the diagonal
        rows = K / np.sqrt(np.where(np.diag(M) > 0, np.diag(M), 1))
        lengths = np.linalg.norm(rows, axis=1)
        scaled = multipliers * lengths
        _, _, Vh = np.linalg.svd((rows / lengths[:, None]).T)
        assert np.abs(Vh[answer.rank :] @ scaled).max(initial=0) <= 1e-10


def test_rows_of_any_size_and_unit_are_rows():
    rng = np.random.default_rng(6)
    M, K, right, k = random_system(rng)
    scale = np.array([1e-4, 1, 1e3, 1e-2])
    answer = solve_kkt(M, scale[:, None] * K, right, scale * k)
    assert answer.rank == 4
    assert normwise(answer.x, solve_kkt(M, K, right, k).x) <= 1e-9
    s = 10.0 ** rng.integers(-4, 4, 7)
    other = solve_kkt(M * np.outer(s, s), K * s, right * s, k)
    assert other.rank == 4
    assert normwise(other.x * s, solve_kkt(M, K, right, k).x) <= 1e-9


@pytest.mark.parametrize(
    ("rows", "loose", "edge"),
    [
        (lambda d: [[1, 0], [0, d]], 0, 1e-10),  # shorter rows are none
        (lambda d: [[1, 0], [1, d]], 0, 64 * EPS),  # rounding of rows of one length
        (
            lambda d: [[1, 0], [1e-3, 1e-3 * d]],
            0,
            64e3 * EPS,
        ),  # a short one carries that of the long one
        (lambda d: [[1, 0], [1, d]], 1e-6, 2e-6),  # rows that may be wrong
    ],
)
def test_what_counts_as_a_row_of_its_own(rows, loose, edge):
    for size in (np.ones(2), np.array([1e3, 1e3])):
        for d, wanted in ((2 * edge, 2), (edge / 2, 1)):
            combine, rank = independent_combinations(np.array(rows(d)) * size, size, loose)
            assert rank == wanted
            assert np.abs(combine[:, wanted:]).max(initial=0) == 0


@pytest.mark.parametrize("exponent", [-900, -540, -500, 500, 520, 900])
def test_rows_may_be_of_any_size(exponent):
    """Of dependent ones too; of a power of two no digit is lost."""
    M, K, right, k = random_system(np.random.default_rng(4))
    K, k = np.concatenate([K, K.sum(-2, keepdims=True)]), np.append(k, k.sum())
    scale = 2.0**exponent
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, one = solve_kkt(M, scale * K, right, scale * k), solve_kkt(M, K, right, k)
    assert found.rank == one.rank == len(K) - 1
    assert np.array_equal(found.x, one.x)
    assert np.array_equal(found.multipliers * scale, one.multipliers)


def test_rows_of_zeros_are_none_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert independent_combinations(np.zeros((3, 2)), np.ones(2))[1] == 0


def test_no_rows_zero_rows_and_more_rows_than_unknowns():
    rng = np.random.default_rng(7)
    M, K, right, k = random_system(rng)
    x, multipliers = solve_kkt(M, K[:0], right, k[:0])
    assert multipliers.shape == (0,)
    assert normwise(x, np.linalg.solve(M, right)) <= 1e-12
    answer = solve_kkt(M, 0 * K, right, 0 * k)
    assert answer.rank == 0
    assert normwise(answer.x, np.linalg.solve(M, right)) <= 1e-12
    assert np.array_equal(answer.multipliers, np.zeros(4))
    K = rng.normal(size=(12, 7))
    x = rng.normal(size=7)
    answer = solve_kkt(M, K, right, K @ x)
    assert answer.rank == 7
    assert normwise(answer.x, x) <= 1e-11
    noisy = np.vstack([K[:2], 1e-14 * K[2:3], K[0] + K[1] + 1e-15 * K[3]])
    assert solve_kkt(M, noisy, right, np.zeros(4)).rank == 2
    nearly = np.vstack([K[:2], K[0] + K[1] + 1e-6 * K[3]])
    assert solve_kkt(M, nearly, right, np.zeros(3)).rank == 3
    assert solve_kkt(M, nearly, right, np.zeros(3), tolerance=1e-4).rank == 2


def test_batches_may_have_several_ranks():
    rng = np.random.default_rng(8)
    systems = [random_system(rng, rank=r) for r in (None, 2, 1)]
    together = solve_kkt(*(np.stack(part) for part in zip(*systems, strict=True)))
    assert together.rank.tolist() == [4, 2, 1]
    for i, system in enumerate(systems):
        assert normwise(together.x[i], solve_kkt(*system).x) <= 1e-11


def test_exact_systems_stay_exact():
    M = np.array([[2, 1, 0], [1, 3, 0], [0, 0, 5]], object)
    K = np.array([[1, 1, 1]], object)
    x, multipliers = solve_kkt(
        M, K, np.array([1, 0, 2], object), np.array([Fraction(1, 3)], object)
    )
    assert K @ x == [Fraction(1, 3)]
    only = solve_kkt(M, K, 0 * x, np.array([1], object))
    assert only.rank == 1
    assert all(M @ x == np.array([1, 0, 2]) + K.T @ multipliers)
    # a row twice has each half of its multiplier, exactly, and twice and once 2 : 1 for rows of length one
    twice = solve_kkt(M, np.concatenate([K, 2 * K]), 0 * x, np.array([1, 2], object))
    assert twice.rank == 1 and list(twice.x) == list(only_still(M, K))
    once = solve_kkt(M, K, 0 * x, np.array([1], object)).multipliers[0]
    assert list(twice.multipliers) == [once / 2, once / 4]


def only_still(M, K):
    """Return the x of least x^T M x with K x = 1, of one row, in fractions: by Cramer's rule."""
    cofactors = np.array(
        [[3 * 5, -5, 0], [-5, 2 * 5, 0], [0, 0, 5]], object
    )  # of M, whose determinant is 25
    inverse = np.vectorize(lambda x: Fraction(x, 25), otypes=[object])(cofactors)
    assert (M @ inverse == np.eye(3, dtype=int)).all()
    return (inverse @ K.T / (K @ inverse @ K.T))[:, 0]


OTHER_NUMBERS = {
    "long double": lambda x: x.astype(np.longdouble),
    "complex": lambda x: x + 1e-100j,
    "objects": lambda x: x.astype(object),
    "complex objects": lambda x: (x + 0j).astype(object),
    "sixty digits": np.vectorize(mpmath.mpf, otypes=[object]),
}


@pytest.mark.parametrize("others", [slice(0, 4), slice(1, 2)], ids=["all", "rows alone"])
@pytest.mark.parametrize("kind", OTHER_NUMBERS)
def test_dependent_rows_of_any_known_numbers(kind, others):
    """The rank, x and the smallest multipliers are those of floats, also where ranks differ in a batch."""
    rng = np.random.default_rng(8)
    systems = [random_system(rng, rank=r) for r in (None, 2, 1)]
    together = [np.stack(part) for part in zip(*systems, strict=True)]
    for system in (*systems, together):
        floats = solve_kkt(*system)
        given = list(system)
        given[others] = [OTHER_NUMBERS[kind](x) for x in given[others]]
        with mpmath.workdps(60):
            answer = solve_kkt(*given)
        assert np.array_equal(answer.rank, floats.rank)
        for found, expected in ((answer.x, floats.x), (answer.multipliers, floats.multipliers)):
            found = found.astype(complex)
            assert found.shape == expected.shape
            assert normwise(found.real, expected) <= 1e-10


def test_long_doubles_are_solved_to_their_own_precision():
    rng = np.random.default_rng(3)
    M, K, right, _ = (x.astype(np.longdouble) for x in random_system(rng, rank=2))
    K = np.concatenate([K[:2], K[:1] + K[1:2], 2 * K[:1]])
    k = K @ rng.normal(size=7).astype(np.longdouble)
    x, multipliers = solve_kkt(M, K, right, k)
    assert np.abs(K @ x - k).max() <= 100 * np.finfo(np.longdouble).eps * np.abs(K).max()
    assert np.abs(M @ x - right - K.T @ multipliers).max() <= 1e-17 * np.abs(M).max() * 7


def test_slopes_through_dependent_rows():
    """A complex step along the rows' common direction, against differences of floats."""
    rng = np.random.default_rng(4)
    M, K, right, k = random_system(rng, rank=2)
    mix = np.linalg.lstsq(K[:2].T, K.T, rcond=None)[0].T  # K = mix @ K[:2]
    turn = rng.normal(size=(2, 7))

    def answer(h):
        return solve_kkt(M + 0 * h, K + mix @ (h * turn), right + 0 * h, k).x

    slope = answer(1e-100j).imag / 1e-100
    differences = (answer(1e-5) - answer(-1e-5)) / 2e-5
    assert normwise(slope, differences) <= 1e-8


def test_what_has_no_answer_in_other_numbers_is_refused():
    M, K = np.eye(2), np.array([[1, 1], [1, 1 + 1j]])
    x, _ = solve_kkt(np.diag([1.0, 1]), K[:, ::-1] + [[0, 0], [1, 0]], np.zeros(2), np.ones(2))
    assert np.isfinite(x).all()
    with pytest.raises(ValueError, match="real parts"):
        solve_kkt(M, K, np.zeros(2), np.ones(2))
    for kind in (OTHER_NUMBERS["long double"], OTHER_NUMBERS["objects"], np.complex128):
        singular = kind(np.diag([1.0, 0]))
        with pytest.raises(ValueError, match="M is singular"):
            solve_kkt(singular, np.eye(2), np.zeros(2), np.zeros(2))
    sp = pytest.importorskip("sympy")
    a = np.array([[sp.Symbol("a"), 1]])
    b, one = a[0, 0], np.eye(2, dtype=int).astype(object)
    held = solve_kkt(one, np.concatenate([a, 2 * a, a + 1]), 0 * a[0], np.array([b, 2 * b, b + 1]))
    assert held.rank == 2
    assert [sp.simplify(x) for x in held.x] == [1, 0]


def test_a_plane_loop_is_solved_in_symbols():
    """A parallelogram by a hinge, three of whose five rows are zeros: (2/3 + 1) qdd = tau - 2 g cos(a)."""
    sp = pytest.importorskip("sympy")
    g, tau, w = sp.symbols("g tau w")
    third = sp.Rational(1, 12)
    rod = 1, (sp.Rational(1, 2), 0, 0), np.array([[0, 0, 0], [0, third, 0], [0, 0, third]])
    chain = Chain(
        [Link(Revolute((0, -1, 0)), *rod, offset=(int(i > 0), 0, 0)) for i in range(3)],
        gravity=(0, 0, -g),
    )
    pin = Closure(Revolute(UP), 2, offset=(1, 0, 0), onto_offset=(1, 0, 0))
    q = np.array([sp.pi / 3, -sp.pi / 3, 4 * sp.pi / 3])
    turning, motor = np.array([w, -w, w]), np.array([tau, 0, 0])
    qdd, multipliers = constrained_forward_dynamics(chain, pin, q, turning, motor)
    expected = sp.Rational(3, 5) * (tau - g)
    assert [sp.simplify(x - sign * expected) for x, sign in zip(qdd, (1, -1, 1), strict=True)] == [
        0,
        0,
        0,
    ]
    assert [x == 0 for x in multipliers] == [True, True, False, True, False]
    M, K = crba(chain, q), constraint_jacobian(chain, pin, q)
    forces = motor - bias_force(chain, q, turning)
    held = solve_kkt(M, K, forces, -constraint_bias(chain, pin, q, turning))
    assert held.rank == 2
    assert [sp.simplify(x - y) for x, y in zip(held.x, qdd, strict=True)] == [0, 0, 0]
    assert [sp.simplify(x - y) for x, y in zip(held.multipliers, multipliers, strict=True)] == [
        0
    ] * 5
    # closed twice, each pin bears half
    twice, halves = constrained_forward_dynamics(chain, [pin, pin], q, turning, motor)
    assert [sp.simplify(x - y) for x, y in zip(twice, qdd, strict=True)] == [0, 0, 0]
    wanted = [*multipliers, *multipliers]
    assert [sp.simplify(2 * x - y) for x, y in zip(halves, wanted, strict=True)] == [0] * 10


def test_a_row_of_zeros_has_no_multiplier_in_exact_numbers():
    half = Fraction(1, 2)
    M, K = np.array([[half, 0], [0, half]]), np.array([[0, 0], [1, 1]], object)
    x, multipliers = solve_kkt(M, K, np.array([1, 0]), np.array([half, 0]))
    assert list(x) == [1, -1] and list(multipliers) == [0, -half]


def test_what_breaks_a_row_is_measured_by_what_stands_in_it():
    """By the largest that K x can be, and what it should be."""
    K, x = np.array([[0, 2.0], [1, 1]]), np.array([[1.0], [3]])
    off = np.array([[0], [0.07]])
    assert broken_row(K, x, K @ x, 1e-2) is None
    assert broken_row(K, x, K @ x - off, 1e-2) is None  # 6 + 6 stand in it
    assert broken_row(K, x, K @ x - off, 5e-3) == pytest.approx((0.07, 1))
    assert broken_row(K, 0 * x, np.zeros((2, 1)), 1e-2) is None


def test_systems_that_do_not_fit_are_refused():
    M, K, right, k = random_system(np.random.default_rng(9))
    for given, says in [
        ((M[:6], K, right, k), "M has shape"),
        ((M, K[:, :6], right, k), "K has shape"),
        ((M, K, right[:6], k), "right has shape"),
        ((M, K, right, k[:3]), "k has shape"),
        ((M, K, right, k * np.nan), "k.* is nan"),
        ((M, K, right * np.inf, k), "right.* is"),
        ((M, K * np.nan, right, k), "nan"),
        ((np.stack([M] * 2), K, np.stack([right] * 3), k), "broadcast"),
        ((0 * M, K, right, k), "feels no inertia"),
        ((np.diag([1.0, 1, 1, 1, 1, 1, -1]), 0 * K, right, k), "feels no inertia"),
    ]:
        with pytest.raises(ValueError, match=says):
            solve_kkt(*given)


def test_matrices_and_shares_that_cannot_be_are_refused():
    M, K, right, k = 2 * np.eye(2), np.ones((1, 2)), np.ones(2), np.ones(1)
    with pytest.raises(ValueError, match=r"M is not symmetric: it differs .* by up to 0\.5"):
        solve_kkt(M + np.triu(np.full((2, 2), 0.5), 1), K, right, k)
    solve_kkt(M + np.triu(np.full((2, 2), 1e-12), 1), K, right, k)  # rounding
    for bad in (-0.1, 1.5, np.nan, "small", (0, 1)):
        with pytest.raises(ValueError, match="tolerance"):
            solve_kkt(M, K, right, k, tolerance=bad)


# Forward dynamics -------------------------------------------------------------------------------


def in_forty_digits(chain, loops, q, qd, tau, rows=slice(None)):
    """Return qdd and the multipliers of some rows, by the bordered system, and its condition once it is scaled."""
    with mpmath.workdps(40):
        exact = [np.array([mpmath.mpf(x) for x in y], object) for y in (q, qd)]
        M, K = crba(chain, exact[0]), constraint_jacobian(chain, loops, exact[0])[rows]
        k = -constraint_bias(chain, loops, *exact)[rows]
        right = [*(tau - bias_force(chain, *exact)), *k]
        system = np.block([[M, -K.T], [K, np.zeros((len(K), len(K)), int)]])
        found = mpmath.lu_solve(mpmath.matrix(system.tolist()), mpmath.matrix(right))
    n = chain.nv
    scale = 1 / np.sqrt(np.diag(M).astype(float))
    lengths = np.linalg.norm(K.astype(float) * scale, axis=1)
    scale = np.concatenate([scale, 1 / lengths])
    condition = np.linalg.cond(system.astype(float) * np.outer(scale, scale))
    answers = np.array([float(x) for x in found])
    return answers[:n], answers[n:], condition


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", [Revolute, Spherical, Universal, Prismatic, Fixed])
def test_a_loop_of_each_kind_is_within_its_condition(kind, seed):
    """A chain in space with two loops by joints of one kind, against the dense system in forty digits."""
    chain = random_tree(Case(8, seed=seed, kinds=(Spherical, Universal, Revolute, Prismatic)))
    rng = np.random.default_rng(seed)
    q, _ = random_state(chain, rng)
    loops = [
        laid_through(chain, q, random_joint(kind, rng), *pair, rng) for pair in ((7, 0), (5, 2))
    ]
    K = constraint_jacobian(chain, loops, q)
    loops = loops if np.linalg.matrix_rank(K, tol=1e-9) == len(K) else loops[:1]
    N = allowed_motions(chain, loops, q)
    qd, tau = N.T @ rng.normal(size=len(N)), rng.normal(size=chain.nv)
    qdd, multipliers = constrained_forward_dynamics(chain, loops, q, qd, tau)
    exact, forces, condition = in_forty_digits(chain, loops, q, qd, tau)
    assert normwise(qdd, exact) <= 100 * EPS * condition <= 1e-6
    assert normwise(multipliers, forces) <= 100 * EPS * condition


@pytest.mark.parametrize("rods", [3, 4, 7])
@pytest.mark.parametrize(
    "joint", [Revolute(UP), Spherical(), Cylindrical(UP), Planar(UP)], ids=repr
)
def test_a_loop_in_the_plane_is_within_its_condition(joint, rods):
    """Rows that say nothing are left out of the dense system, and nothing changes."""
    chain, rng = planar(rods), np.random.default_rng(rods)
    loop = Closure(joint, rods - 1, offset=(1, 0, 0), onto_offset=(1.2, 0, 0))
    q = assemble(chain, loop, np.linspace(-2.0, 1.5, rods))
    qd = rng.normal(size=rods) @ np.diag(np.ones(rods))
    N = allowed_motions(chain, loop, q)
    qd, tau = N.T @ (N @ qd), rng.normal(size=rods)
    K = constraint_jacobian(chain, loop, q)
    rows = np.flatnonzero(np.abs(K).max(1) > 1e-9)
    qdd, multipliers = constrained_forward_dynamics(chain, loop, q, qd, tau)
    if not len(rows):  # a plane forbids nothing here
        assert normwise(qdd, aba(chain, q, qd, tau)) <= 1e-12
        return
    exact, forces, condition = in_forty_digits(chain, loop, q, qd, tau, rows)
    assert normwise(qdd, exact) <= 100 * EPS * condition <= 1e-9
    assert normwise(multipliers[rows], forces) <= 100 * EPS * condition


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_with_loops_move_as_the_dense_system_says(seed):
    chain, loops, q, qd, rng = random_loops(seed)
    tau = rng.normal(size=chain.nv)
    qdd, multipliers = constrained_forward_dynamics(chain, loops, q, qd, tau)
    reference, other, size = dense(chain, loops, q, qd, tau)
    K = constraint_jacobian(chain, loops, q)
    limit = 100 * EPS * size * max(1, np.linalg.cond(K @ K.T) ** 0.5 if len(K) < chain.nv else 1e3)
    limit = min(max(limit, 1e-11), 1e-7)
    assert normwise(qdd, reference) <= limit
    assert normwise(K.T @ multipliers, K.T @ other) <= limit
    assert np.abs(K @ qdd + constraint_bias(chain, loops, q, qd)).max() <= limit * np.abs(
        K
    ).max() * np.linalg.norm(qdd)


@pytest.mark.parametrize("seed", range(4))
def test_the_power_of_the_loops_is_zero(seed):
    """What weight and motors do is all that goes into the motion."""
    chain, loops, q, qd, rng = random_loops(seed)
    tau = rng.normal(size=chain.nv)
    qdd, _ = constrained_forward_dynamics(chain, loops, q, qd, tau)
    moved = integrate(chain, q, STEP * 1j * qd)
    K = kinetic_energy(chain, moved, qd + STEP * 1j * qdd).imag / STEP
    U = potential_energy(chain, moved).imag / STEP
    assert K + U == pytest.approx(tau @ qd, rel=1e-9, abs=1e-9 * abs(K))


def test_redundant_rows_change_nothing():
    for seed in range(4):
        chain, loops, q, qd, rng = random_loops(seed)
        tau = rng.normal(size=chain.nv)
        alone, single = constrained_forward_dynamics(chain, loops, q, qd, tau)
        twice, double = constrained_forward_dynamics(chain, [*loops, loops[0]], q, qd, tau)
        assert normwise(twice, alone) <= 1e-9
        K = constraint_jacobian(chain, loops, q)
        K2 = constraint_jacobian(chain, [*loops, loops[0]], q)
        assert normwise(K2.T @ double, K.T @ single) <= 1e-9
    # a hinge in space closes a loop in a plane: three of its five rows say nothing new
    for joint in (Cylindrical(UP), Revolute(UP), Spherical(), Closure):
        chain, loops, q, qd = four_bar()
        reference, _ = constrained_forward_dynamics(chain, loops, q, qd, np.ones(3))
        other = Closure(
            Planar(UP) if joint is Closure else joint, 2, offset=(1, 0, 0), onto_offset=(1.2, 0, 0)
        )
        if joint is Closure:
            other = [
                Distance(2, length=1.0, offset=(1, 0, 0), onto_offset=(1.2, 0, 1)),
                Distance(2, length=1.0, offset=(1, 0, 0), onto_offset=(0.2, 0, 0)),
            ]
        found, _ = constrained_forward_dynamics(chain, other, q, qd, np.ones(3))
        assert normwise(found, reference) <= 1e-10


def test_the_least_multipliers_are_those_of_rows_of_length_one():
    """Of a loop that is closed again by rows twice as long, those have half the multipliers."""

    class Longer:
        def __getattr__(self, part):
            return lambda *given: 2 * getattr(loops[0], part)(*given)

    chain, loops, q, qd, rng = random_loops(1)
    tau, free = rng.normal(size=chain.nv), np.zeros(chain.nv, bool)
    constraints, rows = [loops[0], Longer()], loops[0].jacobian(chain, q).shape[-2]
    _, forward = constrained_forward_dynamics(chain, constraints, q, qd, tau)
    none = np.zeros(0)
    *_, hybrid = constrained_hybrid_dynamics(
        chain, constraints, q, qd, prescribed=free, qdd=none, tau=tau
    )
    for multipliers in (forward, hybrid):
        assert np.abs(multipliers).max() > 1e-3
        once, longer = multipliers[:rows], multipliers[rows:]
        assert longer == pytest.approx(once / 2, rel=1e-9, abs=1e-9)


def test_loops_whose_gap_is_a_little_open_count_as_redundant_still():
    """A turned plane, so that the rows that say nothing are not exactly zero, and a gap of a nanometre."""
    rng = np.random.default_rng(1)
    turn = random_rotation(rng)
    flat, loops, q, qd = four_bar()
    links = [
        Link(l.joint, l.mass, l.com, l.inertia, l.offset, turn if i == 0 else np.eye(3))
        for i, l in enumerate(flat.links)
    ]
    chain = Chain(links, gravity=turn @ np.array([0, 0, -9.81]))
    loop = Closure(
        Revolute(UP),
        2,
        offset=(1, 0, 0),
        onto_offset=turn @ np.array([1.2, 0, 0]),
        onto_rotation=turn,
    )
    reference, _ = constrained_forward_dynamics(flat, loops, q, qd, np.ones(3))
    found, _ = constrained_forward_dynamics(chain, loop, q, qd, np.ones(3))
    assert normwise(found, reference) <= 1e-11
    rows = [
        loop,
        Distance(2, length=1.0, offset=(1, 0, 0), onto_offset=turn @ np.array([1.2, 0, 1])),
    ]
    for gap in (1e-9, 1e-7):
        near = q + gap * rng.normal(size=3)
        found, _ = constrained_forward_dynamics(chain, rows, near, qd, np.ones(3))
        assert normwise(found, reference) <= 1e3 * gap


@pytest.mark.parametrize("seed", range(3))
def test_maximal_coordinates_say_the_same(seed):
    """Chapter 13's sparse system of a tree, against the links set free and their joints as closures."""
    tree = random_tree(Case(4, branching=True, seed=seed, kinds=EVERY_KIND))
    q, qd = random_state(tree, seed)
    rng = np.random.default_rng(seed)
    external = rng.normal(size=(4, 6))
    free, held = to_maximal(tree)
    Q, V = to_maximal_state(tree, q, qd)
    found, multipliers = constrained_forward_dynamics(
        free, held, Q, V, np.zeros(free.nv), external=external
    )
    reference = maximal_coordinate_dynamics(tree, q, qd, np.zeros(tree.nv), external=external)
    accelerations = reference.accelerations.ravel()
    limit = 1e-9
    assert normwise(found, accelerations) <= limit
    assert normwise(multipliers, reference.multipliers) <= limit


def test_a_loop_is_cut_anywhere():
    """A five-link loop, cut at its end or in its middle: the same motion."""
    chain, loops, q = five_bar()
    qd = allowed_motions(chain, loops, q).T @ [1.0, -2.0]
    tau = np.array([0.3, -0.2, 0.5, 0.1])
    qdd, _ = constrained_forward_dynamics(chain, loops, q, qd, tau)
    # rods 0, 1 from one foot, 3, 2 from the other; pinned between 1 and 2
    one = chain.links
    halves = Chain(
        [
            one[0],
            one[1],
            Link(
                Revolute(UP),
                one[3].mass,
                (-0.5, 0, 0),
                one[3].inertia,
                offset=(0.8, 0, 0),
                parent="ground",
            ),
            Link(Revolute(UP), one[2].mass, (-0.5, 0, 0), one[2].inertia, offset=(-1, 0, 0)),
        ]
    )
    pin = Closure(Revolute(UP), 1, 3, offset=(1, 0, 0), onto_offset=(-1, 0, 0))
    angle, rate, bend = q.sum(), qd.sum(), qdd.sum()
    q2 = np.array([q[0], q[1], angle, -q[3]])
    qd2 = np.array([qd[0], qd[1], rate, -qd[3]])
    assert np.abs(pin.error(halves, q2)).max() < 1e-12
    # the motor of the closing joint is none; that between rods 1 and 2 pulls the ends of both halves together
    tau2 = np.array([tau[0], tau[1], 0, -tau[3]])
    torque = np.zeros((4, 6))
    torque[1, 1], torque[3, 1] = -tau[2], tau[2]
    found, _ = constrained_forward_dynamics(halves, pin, q2, qd2, tau2, external=torque)
    assert normwise(found, np.array([qdd[0], qdd[1], bend, -qdd[3]])) <= 1e-10


def test_joints_carry_what_a_cut_there_would():
    """A ring without redundant rows, cut at one joint or another: the multipliers of the cut are the joint's wrench."""
    chain, ball, q, qd, rng = ring(5)
    R, tau = forward_kinematics(chain, q)[0], rng.normal(size=6)
    qdd, multipliers = constrained_forward_dynamics(chain, ball, q, qd, tau)
    held = constraint_wrenches(chain, ball, q, multipliers)
    through = joint_wrenches(chain, q, qd, qdd, external=held, frame="world")
    for cut in (1, 3, 5):
        tree, pin, q2, qd2 = opened(chain, q, qd, cut)
        # the motor at the cut twists both bars
        motor = np.zeros((6, 6))
        motor[cut, :3] = chain.joints[cut].axis * tau[cut]
        turn = R[cut - 1].T @ R[cut]
        motor[cut - 1] = -np.concatenate([turn @ motor[cut, :3], np.zeros(3)])
        tau2 = np.concatenate([tau[:cut], np.zeros(6), tau[cut + 1 :]])
        loops = [ball, pin]
        qdd2, multipliers2 = constrained_forward_dynamics(
            tree, loops, q2, qd2, tau2, external=motor
        )
        limit = 100 * EPS * np.linalg.cond(crba(tree, q2)) * np.linalg.cond(crba(chain, q))
        held2 = constraint_wrenches(tree, loops, q2, multipliers2)
        assert normwise(constraint_wrenches(tree, [ball], q2, multipliers2[:3]), held) <= limit
        # what the cut bar gets by its pin and its motor is what its joint carried
        pinned = constraint_wrenches(tree, [pin], q2, multipliers2[3:], frame="world")[cut]
        about = np.concatenate([R[cut] @ motor[cut, :3], np.zeros(3)])
        assert normwise(pinned + about, through[cut]) <= limit
        # and by the free tree's own joint nothing goes
        wrenches = joint_wrenches(tree, q2, qd2, qdd2, external=held2 + motor, frame="world")
        assert np.abs(wrenches[cut]).max() <= limit * np.abs(through).max()
        others = np.arange(6) != cut
        assert normwise(wrenches[others], through[others]) <= limit


def test_wrenches_do_the_work_of_the_rows(row):
    """K qd = the sum of the rows of links times twists, and so the power of the wrenches is that of K^T lambda."""
    chain, constraint = row
    q, qd = random_state(chain, 3, batch=(2,))
    multipliers = np.random.default_rng(3).normal(size=(2, len(constraint.jacobian(chain, q)[0])))
    wanted = (constraint.jacobian(chain, q) @ qd[..., None])[..., 0] * multipliers
    for frame in ("body", "world", "mixed"):
        wrenches = constraint_wrenches(chain, constraint, q, multipliers, frame=frame)
        power = (wrenches * body_twists(chain, q, qd, frame=frame)).sum((-1, -2))
        assert np.abs(power - wanted.sum(-1)).max() <= BOUND * np.abs(wanted).max()


def test_a_coupling_names_each_link_once():
    chain = planar(3)
    for twice in ({0: 1, "rod 0": 1}, {"rod 0": 1, 0: 1}):
        with pytest.raises(ValueError, match="names link 'rod 0' twice"):
            Coupling(twice).jacobian(chain, np.zeros(3))


def test_constraints_keep_what_was_checked():
    """Arrays are copied and cannot be written; nobody's later change reaches what was checked."""
    chain, q = planar(3), np.array([0.3, 0.4, 0.5])
    number, factors = np.array(1.5), {"rod 0": np.array([1.0]), 1: [2.0], "rod 2": 3}
    kept = [
        Distance("rod 2", length=number),
        Rolling("rod 2", number, height=number),
        Coupling(factors, total=number),
    ]
    before = [(one.error(chain, q), one.jacobian(chain, q)) for one in kept]
    with pytest.raises(ValueError, match="read-only"):
        kept[0].length[...] = np.nan
    number[...], factors["rod 0"][0] = np.nan, np.nan
    factors[1][0], factors["rod 2"] = np.nan, np.nan
    for one, (error, rows) in zip(kept, before, strict=True):
        assert np.array_equal(one.error(chain, q), error)
        assert np.array_equal(one.jacobian(chain, q), rows)
    for array in (kept[1].radius, kept[1].height, kept[2].total, kept[2].factors["rod 0"]):
        assert not array.flags.writeable


class Weld:
    """A reader's own: a link's twist is zero, told by its rows in link coordinates or not told."""

    def __init__(self, told):
        self.told = told

    def error(self, chain, q):
        return None

    def jacobian(self, chain, q):
        return body_jacobian(chain, q, 2)

    def bias(self, chain, q, qd):
        return np.zeros(6)

    def link_rows(self, chain, q):
        return self.told


def test_a_reader_s_rows_of_links_are_taken():
    q, _ = random_state(TREE, 1)
    on_two = np.zeros((6, 6, 6))
    on_two[:, 2] = np.eye(6)
    multipliers = np.arange(1.0, 8)
    gear = Coupling({3: np.ones(TREE.joints[3].nv)})
    wrenches = constraint_wrenches(TREE, [gear, Weld(on_two)], q, multipliers)
    assert np.array_equal(wrenches[2], multipliers[1:])
    assert not wrenches[np.arange(6) != 2].any()  # and a gear acts along the joints
    assert not constraint_wrenches(TREE, Weld(None), q, multipliers[1:]).any()
    assert constraint_wrenches(TREE, [], q, []).shape == (6, 6)
    with pytest.raises(ValueError, match=r"link_rows of constraints\[0\] has shape \(6, 6\)"):
        constraint_wrenches(TREE, Weld(np.eye(6)), q, multipliers[1:])
    with pytest.raises(
        ValueError, match=r"multipliers has shape \(7,\).*the constraints have 6 rows"
    ):
        constraint_wrenches(TREE, Weld(on_two), q, multipliers)
    with pytest.raises(ValueError, match=r"multipliers.* is nan"):
        constraint_wrenches(TREE, Weld(on_two), q, np.full(6, np.nan))


def test_a_four_bar_moves_as_its_lagrangian_says():
    """SymPy: two of the angles as functions of the crank's, by implicit differentiation; one equation is left."""
    sp = pytest.importorskip("sympy")
    chain, loops, q, qd = four_bar()
    a, b, c = sp.symbols("a b c")
    masses = [link.mass for link in chain.links]
    inertia = float(chain.links[0].inertia[1, 1])

    def direction(angle):  # about +y, from +x downwards
        return sp.Matrix([sp.cos(angle), -sp.sin(angle)])

    closing = (
        direction(a) + direction(a + b) + direction(a + b + c) - sp.Matrix([sp.Rational(6, 5), 0])
    )
    slopes = -closing.jacobian([b, c]).inv() * closing.jacobian([a])
    rates = sp.Matrix([1, slopes[0], slopes[1]])  # d(a, b, c)/da
    joints, centre = sp.zeros(2, 1), []
    total = 0
    T, V = 0, 0
    for i, angle in enumerate((a, a + b, a + b + c)):
        centre = joints + direction(angle) / 2
        joints = joints + direction(angle)
        velocity = centre.jacobian([a, b, c]) * rates
        total = sum(rates[: i + 1])
        T += masses[i] * (velocity.T * velocity)[0] / 2 + inertia * total**2 / 2
        V += masses[i] * sp.Float(9.81) * centre[1]
    mass = 2 * T  # times da^2 / 2
    along = lambda f: sum(sp.diff(f, x) * r for x, r in zip((a, b, c), rates, strict=True))  # noqa: E731
    values = dict(zip((a, b, c), q, strict=True))
    tau = np.array([0.4, 0, 0])
    m, dm, dV = (float(f.subs(values)) for f in (mass, along(mass), along(V)))
    expected = (tau[0] - dm * qd[0] ** 2 / 2 - dV) / m
    qdd, _ = constrained_forward_dynamics(chain, loops, q, qd, tau)
    assert qd == pytest.approx([qd[0] * float(r.subs(values)) for r in rates])
    assert qdd[0] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    "model", oracle("constraints")["models"], ids=lambda m: str(len(m["links"]))
)
def test_pinocchio_says_the_same(model):
    """Trees with pins and welds, computed by Pinocchio's `constraintDynamics` and kept."""
    chain = stored_chain(model)
    kinds = {"Spherical": Spherical, "Fixed": Fixed}
    loops = [
        Closure(kinds[data["joint"]](), **{k: x for k, x in data.items() if k != "joint"})
        for data in model["loops"]
    ]
    q, qd, tau = (np.array(model[name]) for name in ("q", "qd", "tau"))
    assert np.abs(constraint_error(chain, loops, q)).max() <= 1e-12
    qdd, _ = constrained_forward_dynamics(chain, loops, q, qd, tau)
    K, M = constraint_jacobian(chain, loops, q), crba(chain, q)
    limit = 100 * EPS * np.linalg.cond(M) * np.linalg.cond(K)
    assert normwise(qdd, np.array(model["qdd"])) <= limit <= 1e-6


def test_gauss_least_squares_gives_the_same():
    """Of all accelerations that the rows allow, the nearest to the free ones in the metric M: scipy's minimiser."""
    chain, loops, q, qd, rng = random_loops(2)
    tau = rng.normal(size=chain.nv)
    free = aba(chain, q, qd, tau)
    M, K = crba(chain, q), constraint_jacobian(chain, loops, q)
    k = -constraint_bias(chain, loops, q, qd)
    root = np.linalg.cholesky(M)
    particular = np.linalg.lstsq(K, k, rcond=None)[0]
    N = allowed_motions(chain, loops, q).T
    z = np.linalg.lstsq(root.T @ N, root.T @ (free - particular), rcond=None)[0]
    qdd, _ = constrained_forward_dynamics(chain, loops, q, qd, tau)
    assert normwise(qdd, particular + N @ z) <= 1e-10


def test_stabilisation_adds_a_spring_and_a_damper():
    chain, loops, q = five_bar()
    rng = np.random.default_rng(1)
    qd = allowed_motions(chain, loops, q).T @ [1.0, -2.0]
    q, qd = q + 1e-3 * rng.normal(size=4), qd + 1e-2 * rng.normal(size=4)
    tau = rng.normal(size=4)
    qdd, _ = constrained_forward_dynamics(chain, loops, q, qd, tau, stabilisation=(100.0, 20.0))
    reference, _, _ = dense(chain, loops, q, qd, tau, (100.0, 20.0))
    assert normwise(qdd, reference) <= 1e-9
    K, error = constraint_jacobian(chain, loops, q), constraint_error(chain, loops, q)
    right = -constraint_bias(chain, loops, q, qd) - 20 * K @ qd - 100 * error
    assert normwise(K @ qdd, right) <= 1e-9
    plain, _ = constrained_forward_dynamics(chain, loops, q, qd, tau, stabilisation=(0, 0))
    assert normwise(plain, dense(chain, loops, q, qd, tau)[0]) <= 1e-9


def test_external_wrenches_and_frames_pass_through():
    chain, loops, q, qd, rng = random_loops(3)
    tau, external = rng.normal(size=chain.nv), rng.normal(size=(chain.n, 6))
    body, _ = constrained_forward_dynamics(chain, loops, q, qd, tau, external=external)
    R, _ = forward_kinematics(chain, q)
    turned = (R[:, None] @ external.reshape(-1, 2, 3)[..., None]).reshape(-1, 6)
    mixed, _ = constrained_forward_dynamics(
        chain, loops, q, qd, tau, external=turned, external_frame="mixed"
    )
    forces = bias_force(chain, q, qd) - rnea(chain, q, qd, 0 * qd, external=external)
    moved, _ = constrained_forward_dynamics(chain, loops, q, qd, tau + forces)
    assert normwise(mixed, body) <= 1e-10
    assert normwise(moved, body) <= 1e-10


def test_batches_are_loops_and_none_is_none():
    chain, loops, q, qd = four_bar()
    rng = np.random.default_rng(0)
    tau = rng.normal(size=(4, 3))
    together, multipliers = constrained_forward_dynamics(chain, loops, q, qd, tau)
    assert together.shape == (4, 3) and multipliers.shape == (4, 5)
    for i in range(4):
        alone = constrained_forward_dynamics(chain, loops, q, qd, tau[i])
        assert normwise(together[i], alone[0]) <= 1e-12
    qdd, none = constrained_forward_dynamics(chain, [], q, qd, tau)
    assert none.shape == (4, 0)
    assert normwise(qdd, aba(chain, q, qd, tau)) <= 1e-12


def test_velocities_that_break_the_loop_are_told_with_the_size():
    chain, loops, q, qd = four_bar()
    wrong = qd + np.array([0, 0, 1.0])
    size = np.abs(constraint_jacobian(chain, loops, q) @ wrong).max()
    with pytest.warns(
        RuntimeWarning, match="the velocities break the constraints: K qd is"
    ) as caught:
        constrained_forward_dynamics(chain, loops, q, wrong, np.zeros(3))
    assert float(str(caught[0].message).split("K qd is ")[1].split(" ")[0]) <= size * 1.01
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        constrained_forward_dynamics(chain, loops, q, qd * (1 + 1e-6), np.zeros(3))
        constrained_forward_dynamics(chain, loops, q, wrong, np.zeros(3), stabilisation=(4.0, 4.0))


@pytest.mark.parametrize(
    "bad", ["projection", 3, (1, 2, 3), (-1, 2), (1, -2), (np.nan, 1), ("a", 1)]
)
def test_gains_that_are_none_are_refused(bad):
    chain, loops, q, qd = four_bar()
    with pytest.raises(ValueError, match="stabilisation"):
        constrained_forward_dynamics(chain, loops, q, qd, np.zeros(3), stabilisation=bad)


def test_a_gap_counts_as_the_joint_motion_that_closes_it():
    K = np.array([[0, 2.0], [1e-14, 0], [4.0, 1.0]])  # the second says nothing
    assert gap_share(K, np.array([1e-6, 5.0, 0])) == pytest.approx(5e-6)  # ten times, to be safe
    assert gap_share(K, np.array([0, 5.0, -8e-6])) == pytest.approx(2e-5)
    assert gap_share(K, np.array([1e-3, 5.0, 0])) == 1e-4  # and no more than that
    assert gap_share(0 * K, np.ones(3)) == 0
    small = np.array([[4.0, 1], [2e-9, 0]])  # but not nothing
    assert gap_share(small, np.array([0, 1e-15])) == pytest.approx(5e-6)
    assert gap_share(np.stack([K, K]), np.array([[1e-6, 0, 0], [0, 0, 0.0]])) == pytest.approx(
        [5e-6, 0]
    )


class Foreign:
    """A constraint of somebody else, of two columns too few."""

    def error(self, chain, q):
        return None

    def jacobian(self, chain, q):
        return np.ones((1, chain.nv - 2))

    def bias(self, chain, q, qd):
        return np.zeros(1)


def test_rows_of_another_width_and_unknown_links_are_refused():
    chain, _, q, qd = four_bar()
    with pytest.raises(ValueError, match=r"jacobian of constraints\[0\] has shape \(1, 1\)"):
        constrained_forward_dynamics(chain, Foreign(), q, qd, np.zeros(3))
    with pytest.raises(ValueError, match="link of a Closure is 'roof'"):
        constrained_forward_dynamics(chain, Closure(Fixed(), "roof"), q, qd, np.zeros(3))
    with pytest.raises(ValueError, match="nan"):
        constrained_forward_dynamics(chain, [], q, qd, np.array([0, 0, np.nan]))
    with pytest.raises(ValueError, match="constraints"):
        constrained_forward_dynamics(chain, [3], q, qd, np.zeros(3))


# Inverse and hybrid dynamics --------------------------------------------------------------------


def motion_of(chain, loops, q, seed=0):
    """Return velocities and accelerations that keep the constraints."""
    rng = np.random.default_rng(seed)
    N = allowed_motions(chain, loops, q).T
    qd = N @ rng.normal(size=N.shape[1])
    K, bias = constraint_jacobian(chain, loops, q), constraint_bias(chain, loops, q, qd)
    return qd, np.linalg.lstsq(K, -bias, rcond=1e-10)[0] + N @ rng.normal(size=N.shape[1])


def test_inverse_dynamics_undoes_forward_dynamics():
    chain, loops, q = five_bar()
    qd, qdd = motion_of(chain, loops, q)
    for actuated in ([1, 1, 0, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1]):
        mask = np.array(actuated, bool)
        tau, multipliers = constrained_inverse_dynamics(chain, loops, q, qd, qdd, actuated=mask)
        assert np.array_equal(tau[~mask], [0, 0])
        found, held = constrained_forward_dynamics(chain, loops, q, qd, tau)
        assert normwise(found, qdd) <= 1e-10
        K = constraint_jacobian(chain, loops, q)
        assert normwise(K.T @ held, K.T @ multipliers) <= 1e-10


def test_passive_forces_are_reckoned_with():
    chain, loops, q = five_bar()
    qd, qdd = motion_of(chain, loops, q)
    mask = np.array([True, False, False, True])
    spring = np.array([0.7, -1.2])
    tau, _ = constrained_inverse_dynamics(
        chain, loops, q, qd, qdd, actuated=mask, tau_passive=spring
    )
    assert np.array_equal(tau[~mask], spring)
    assert normwise(constrained_forward_dynamics(chain, loops, q, qd, tau)[0], qdd) <= 1e-10
    same, _ = constrained_inverse_dynamics(chain, loops, q, qd, qdd, actuated=mask, tau_passive=0.5)
    assert np.array_equal(same[~mask], [0.5, 0.5])


@pytest.mark.parametrize("seed", range(5))
def test_random_trees_are_moved_as_they_are_told(seed):
    """As many motors as freedoms, laid so that the others can be balanced; then more of them."""
    chain, loops, q, _, rng = random_loops(seed)
    qd, qdd = motion_of(chain, loops, q, seed)
    K = constraint_jacobian(chain, loops, q)
    rank = np.linalg.matrix_rank(K, tol=1e-8)
    order = rng.permutation(chain.nv)
    passive = []
    for j in order:  # independent columns, as many as there are rows
        if len(passive) < rank and np.linalg.cond(K[:, [*passive, j]]) < 1e4:
            passive.append(j)
    mask = np.ones(chain.nv, bool)
    mask[passive] = False
    if len(passive) == rank:
        tau, multipliers = constrained_inverse_dynamics(chain, loops, q, qd, qdd, actuated=mask)
        assert (
            normwise(crba(chain, q) @ qdd + bias_force(chain, q, qd), tau + K.T @ multipliers)
            <= 1e-9
        )
        assert np.array_equal(tau[~mask], np.zeros(rank))
    mask[passive[: rank // 2]] = True
    for objective in ("min_force", "min_torque"):
        tau, multipliers = constrained_inverse_dynamics(
            chain, loops, q, qd, qdd, actuated=mask, objective=objective
        )
        assert (
            normwise(crba(chain, q) @ qdd + bias_force(chain, q, qd), tau + K.T @ multipliers)
            <= 1e-9
        )


def test_the_least_is_the_least():
    """Against every other answer near by, with and without weights."""
    chain, loops, q = five_bar()
    loops = [Closure(Cylindrical(UP), 3, offset=(1, 0, 0), onto_offset=(0.8, 0, 0))]
    qd, qdd = motion_of(chain, loops, q)
    K = constraint_jacobian(chain, loops, q)
    rng = np.random.default_rng(1)
    mask = np.array([True, True, False, True])
    for weights in (None, "some"):
        for objective in ("min_force", "min_torque"):
            count = len(K) if objective == "min_force" else 3
            w = None if weights is None else rng.uniform(0.1, 5, count)
            tau, multipliers = constrained_inverse_dynamics(
                chain, loops, q, qd, qdd, actuated=mask, objective=objective, weights=w
            )
            cost = lambda tau, x, w=w, o=objective: (  # noqa: E731
                (np.ones(len(K)) if w is None else w) @ x**2
                if o == "min_force"
                else (np.ones(3) if w is None else w) @ tau[mask] ** 2
            )
            least = cost(tau, multipliers)
            free = np.linalg.svd(K[:, ~mask].T)[2][
                1:
            ]  # multipliers that the passive joint does not feel
            for _ in range(20):
                other = multipliers + free.T @ rng.normal(size=len(free)) * 10.0 ** rng.uniform(
                    -4, 0
                )
                assert cost(tau - K.T @ (other - multipliers), other) >= least * (1 - 1e-12)


@pytest.mark.parametrize("condition", [1e4, 1e6, 1e8])
def test_the_least_loses_digits_as_the_condition_does_and_not_its_square(condition):
    """Both choices against 60 digits; multipliers by the square matrix K^T K lose the square of what they must."""
    m, p, motors, rng = 12, 8, 6, np.random.default_rng(0)
    left, right = (np.linalg.qr(rng.normal(size=(k, p)))[0] for k in (m, p))
    K, K_a = left * np.geomspace(1, 1 / condition, p) @ right.T, rng.normal(size=(m, motors))
    missing, needed = rng.normal(size=(p, 1)), rng.normal(size=(motors, 1))
    with mpmath.workdps(60):
        A, B, b, d = (mpmath.matrix(x.tolist()) for x in (K, K_a, missing, needed))
        exact = A * mpmath.lu_solve(A.T * A, b)
        whole = mpmath.zeros(m + p)  # B B^T and the multipliers of A^T x = b
        whole[:m, :m], whole[:m, m:], whole[m:, :m] = B * B.T, A, A.T
        rest = mpmath.zeros(m + p, 1)
        rest[:m, 0], rest[m:, 0] = B * d, b
        torques = d - B.T * mpmath.lu_solve(whole, rest)[:m, 0]
        exact, torques = (np.array(x.tolist(), float) for x in (exact, torques))
    found = least_multipliers(K, missing, None)
    squared = K @ np.linalg.solve(K.T @ K, missing)
    bound = condition * EPS
    assert normwise(found, exact) <= bound < normwise(squared, exact) / 10
    chosen = least_motors(K, K_a, needed, found, np.ones(motors), np.array(m - p))
    assert normwise(needed - K_a.T @ chosen, torques) <= 10 * bound


def test_all_driven_takes_the_pseudo_inverse():
    """With a motor at every joint the least force is none, and the least torques a projection: Kim's (65), (66)."""
    chain, loops, q = five_bar()
    qd, qdd = motion_of(chain, loops, q)
    required, K = rnea(chain, q, qd, qdd), constraint_jacobian(chain, loops, q)
    every = np.ones(4, bool)
    tau, multipliers = constrained_inverse_dynamics(
        chain, loops, q, qd, qdd, actuated=every, objective="min_force"
    )
    assert normwise(tau, required) <= 1e-14 and np.abs(multipliers).max() <= 1e-14
    tau, _ = constrained_inverse_dynamics(
        chain, loops, q, qd, qdd, actuated=every, objective="min_torque"
    )
    assert normwise(tau, required - np.linalg.pinv(K, rcond=1e-10) @ K @ required) <= 1e-12


def test_a_mechanism_that_cannot_move_needs_no_motor():
    """n = m: a triangle of two rods and the ground holds itself."""
    chain = planar(2)
    loops = Closure(Cylindrical(UP), 1, offset=(1, 0, 0), onto_offset=(1.1, 0, 0))
    q = assemble(chain, loops, np.array([-1.0, 1.9]))
    still = np.zeros(2)
    tau, _ = constrained_inverse_dynamics(
        chain, loops, q, still, still, actuated=[True, True], objective="min_torque"
    )
    assert np.abs(tau).max() <= 1e-12


def test_too_few_and_too_many_motors_are_told():
    chain, loops, q = five_bar()
    qd, qdd = motion_of(chain, loops, q)

    def drive(actuated, **more):
        return constrained_inverse_dynamics(chain, loops, q, qd, qdd, actuated=actuated, **more)

    with pytest.raises(
        ValueError, match=r"at least 1 more must be actuated .of 4 velocities 2 are free"
    ):
        drive([True, False, False, False])
    with pytest.raises(ValueError, match=r"balance 2 of the 4 .* at least 2 more"):
        drive([False] * 4)
    with pytest.raises(ValueError, match="at least 1 more"):
        drive([False, True, False, False], objective="min_force")
    with pytest.raises(ValueError, match="not unique: 1 of them"):
        drive([True, True, True, False])
    with pytest.raises(ValueError, match="not unique: 2 of them"):
        drive([True] * 4)
    both = [True, True, False, False]
    for given, says in [
        ({"actuated": [True] * 3}, "actuated"),
        ({"actuated": both, "tau_passive": np.zeros(3)}, "tau_passive has shape"),
        ({"actuated": both, "tau_passive": np.nan}, "tau_passive"),
        ({"actuated": both, "objective": "best"}, "objective"),
        ({"actuated": both, "objective": "min_force", "weights": np.ones(3)}, "weights"),
        ({"actuated": both, "objective": "min_torque", "weights": [1, -1]}, "weights"),
        ({"actuated": both, "objective": "min_torque", "weights": np.ones(4)}, "weights"),
    ]:
        with pytest.raises(ValueError, match=says):
            drive(**given)


def test_motions_that_break_the_loop_are_told_by_inverse_dynamics_too():
    chain, loops, q = five_bar()
    qd, qdd = motion_of(chain, loops, q)
    feet = np.array([True, True, False, False])
    K = constraint_jacobian(chain, loops, q)
    ask = {"chain": chain, "constraints": loops, "q": q, "actuated": feet}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        constrained_inverse_dynamics(**ask, qd=qd, qdd=qdd)
        constrained_inverse_dynamics(**ask, qd=qd, qdd=qdd + 1e-6)
    off = np.array([0, 0, 1.0, 0])
    with pytest.warns(RuntimeWarning) as caught:
        constrained_inverse_dynamics(**ask, qd=qd + off, qdd=qdd)
    assert "the velocities break the constraints: K qd is" in str(caught[0].message)
    assert caught[0].filename == __file__
    with pytest.warns(RuntimeWarning, match="the accelerations break the constraints") as caught:
        constrained_inverse_dynamics(**ask, qd=qd, qdd=qdd + off)
    assert caught[0].filename == __file__
    told = str(caught[0].message)
    size, row = float(told.split("by ")[1].split(" ")[0]), int(told.split("row ")[1].split(";")[0])
    assert size == pytest.approx(abs(K[row, 2]), rel=1e-2)
    with pytest.warns(RuntimeWarning, match="K qd is"):
        constrained_hybrid_dynamics(
            chain, loops, q, qd + off, prescribed=feet & False, qdd=[], tau=np.zeros(4)
        )


def test_hybrid_dynamics_lies_between_the_others():
    chain, loops, q = five_bar()
    qd, qdd = motion_of(chain, loops, q)
    mask = np.array([True, False, False, True])
    tau, multipliers = constrained_inverse_dynamics(chain, loops, q, qd, qdd, actuated=mask)
    found, forces, held = constrained_hybrid_dynamics(
        chain, loops, q, qd, prescribed=mask, qdd=qdd[mask], tau=tau[~mask]
    )
    K = constraint_jacobian(chain, loops, q)
    assert normwise(found, qdd) <= 1e-10 and normwise(forces, tau) <= 1e-10
    assert normwise(K.T @ held, K.T @ multipliers) <= 1e-10
    none = np.zeros(4, bool)
    found, forces, _ = constrained_hybrid_dynamics(
        chain, loops, q, qd, prescribed=none, qdd=[], tau=tau
    )
    assert normwise(found, qdd) <= 1e-10 and np.array_equal(forces, tau)


@pytest.mark.parametrize("seed", range(6))
def test_hybrid_dynamics_keeps_every_equation(seed):
    chain, loops, q, qd, rng = random_loops(seed)
    K = constraint_jacobian(chain, loops, q)
    rank = np.linalg.matrix_rank(K, tol=1e-8)
    mask = np.zeros(chain.nv, bool)
    for j in rng.permutation(chain.nv):  # as many as leave the rows to the others
        mask[j] = True
        others = K[:, ~mask]
        if np.linalg.matrix_rank(others, tol=1e-3) < rank or mask.sum() > 3:
            mask[j] = False
    given, push = rng.normal(size=mask.sum()), rng.normal(size=(~mask).sum())
    qdd, tau, multipliers = constrained_hybrid_dynamics(
        chain, loops, q, qd, prescribed=mask, qdd=given, tau=push
    )
    assert np.array_equal(qdd[mask], given) and np.array_equal(tau[~mask], push)
    balance = crba(chain, q) @ qdd + bias_force(chain, q, qd)
    assert normwise(balance, tau + K.T @ multipliers) <= 1e-8
    assert np.abs(K @ qdd + constraint_bias(chain, loops, q, qd)).max() <= 1e-8 * np.linalg.norm(
        K
    ) * np.linalg.norm(qdd)


def test_prescriptions_that_contradict_the_loop_are_refused():
    chain, loops, q = five_bar()
    qd, qdd = motion_of(chain, loops, q)
    three = np.array([True, True, True, False])
    constrained_hybrid_dynamics(chain, loops, q, qd, prescribed=three, qdd=qdd[:3], tau=[0.0])
    with pytest.raises(
        ValueError, match="the prescribed accelerations break the constraints: K qdd misses"
    ):
        constrained_hybrid_dynamics(
            chain, loops, q, qd, prescribed=three, qdd=qdd[:3] + 1, tau=[0.0]
        )


# Assembly ---------------------------------------------------------------------------------------


def test_a_four_bar_is_put_together_both_ways():
    chain = planar(3)
    loop = Closure(Revolute(UP), 2, offset=(1, 0, 0), onto_offset=(1.2, 0, 0))
    above, below = (
        assemble(chain, loop, np.array(q)) for q in ([-1.9, 1.8, 1.3], [1.9, -1.8, -1.3])
    )
    for q in (above, below):
        assert np.abs(constraint_error(chain, loop, q)).max() <= 1e-10
    assert above == pytest.approx(-below, abs=1e-7)


def test_the_posture_is_the_nearest():
    """Against SciPy's minimiser, in the metric M of the start."""
    chain = planar(4)
    loop = Closure(Cylindrical(UP), 3, offset=(1, 0, 0), onto_offset=(0.8, 0, 0))
    start = np.array([-1.8, 0.7, 1.1, 0.9])
    M = crba(chain, start)
    best = minimize(
        lambda q: (q - start) @ M @ (q - start),
        start,
        constraints={"type": "eq", "fun": lambda q: constraint_error(chain, loop, q)[[0, 3]]},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 200},
    )
    rows = constraint_error(chain, loop, start)
    assert np.count_nonzero(np.abs(rows) > 1e-9) == 2
    q = assemble(chain, loop, start)
    far = (q - start) @ M @ (q - start)
    assert (
        far <= best.fun * (1 + 1e-9) or np.abs(constraint_error(chain, loop, best.x)).max() > 1e-7
    )
    assert np.abs(constraint_error(chain, loop, q)).max() <= 1e-10
    N = allowed_motions(chain, loop, q)
    assert np.abs(N @ M @ (q - start)).max() <= 1e-4 * np.abs(M @ (q - start)).max()


def test_a_closed_loop_stays_and_batches_are_loops():
    chain, loops, q, _ = four_bar()
    assert assemble(chain, loops, q) == pytest.approx(q, abs=1e-9)
    many = assemble(chain, loops, q + 0.1 * np.random.default_rng(0).normal(size=(2, 3, 3)))
    assert many.shape == (2, 3, 3)
    assert np.abs(constraint_error(chain, loops, many)).max() <= 1e-10
    tree, loops, q, *_ = random_loops(4)
    found = assemble(
        tree, loops, integrate(tree, q, 0.05 * np.random.default_rng(1).normal(size=tree.nv))
    )
    assert np.abs(constraint_error(tree, loops, found)).max() <= 1e-10


def test_joints_that_are_held_stay():
    chain = planar(4)
    loop = Closure(Revolute(UP), 3, offset=(1, 0, 0), onto_offset=(0.8, 0, 0))
    start = np.array([-2.0, 0.9, 1.1, 1.0])
    held = np.array([True, False, False, False])
    q = assemble(chain, loop, start, held=held)
    assert q[0] == start[0] and np.abs(constraint_error(chain, loop, q)).max() <= 1e-10
    with pytest.raises(ValueError, match="cannot be closed"):
        assemble(chain, loop, start, held=[True, True, True, False])
    with pytest.raises(ValueError, match="held"):
        assemble(chain, loop, start, held=[True])


def test_a_loop_that_cannot_close_says_the_gap():
    chain = planar(3)
    far = Closure(Revolute(UP), 2, offset=(1, 0, 0), onto_offset=(3.2, 0, 0))
    with pytest.raises(ValueError, match=r"leaves a gap of 0\.2;"):
        assemble(chain, far, np.array([-0.5, 0.4, 0.3]))
    with pytest.raises(ValueError, match="nan"):
        assemble(chain, far, np.full(3, np.nan))


def test_a_stretched_start_is_no_trap():
    """All rods in line with the goal: no step of Newton's bends them."""
    chain = planar(3)
    loop = Closure(Revolute(UP), 2, offset=(1, 0, 0), onto_offset=(1.2, 0, 0))
    q = assemble(chain, loop, np.zeros(3))
    assert np.abs(constraint_error(chain, loop, q)).max() <= 1e-10


def limited(seed):
    """Return five rods whose loop would take joints further than their limits let them, the loop, and a start."""
    rng = np.random.default_rng(seed)
    chain, start = planar(5), np.array([-1.8, 0.7, 0.9, 0.9, 0.5]) + 0.2 * rng.normal(size=5)
    loop = Closure(Cylindrical(UP), 4, offset=(1, 0, 0), onto_offset=(0.8, 0, 0.2))
    way = np.abs(assemble(chain, loop, start) - start) * rng.uniform(0.3, 1.1, size=5) + 0.02
    links = list(chain.links)
    for i in (1, 3, 4):
        links[i] = replace(links[i], limits=Limits(start[i] - way[i], start[i] + way[i]))
    return Chain(links), loop, start


@pytest.mark.parametrize("seed", [0, 2, 4, 5, 6, 8, 14, 18])
def test_the_posture_is_the_nearest_within_the_limits(seed):
    """SciPy's minimiser, which begins there, finds nothing nearer; and without limits it would be elsewhere."""
    chain, loop, start = limited(seed)
    M, q = crba(chain, start), assemble(chain, loop, start)
    low, high = chain.lower_limit, chain.upper_limit
    assert within_limits(chain, q)
    assert np.abs(constraint_error(chain, loop, q)).max() <= 1e-10
    assert np.abs(q - assemble(planar(5), loop, start)).max() > 1e-3
    used = np.abs(constraint_error(chain, loop, start)) > 1e-9
    best = minimize(
        lambda x: (x - start) @ M @ (x - start),
        q,
        bounds=list(zip(low, high, strict=True)),
        constraints={"type": "eq", "fun": lambda x: constraint_error(chain, loop, x)[used]},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 300},
    )
    assert (q - start) @ M @ (q - start) <= best.fun * (1 + 1e-6)


def test_limits_push_and_do_not_pull():
    """What limits add to a step is the least that brings it back, by another solver."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        F = rng.normal(size=(5, 3))
        C, step = F @ F.T, rng.normal(size=5)
        inside = step + F @ rng.normal(size=3)  # what can be reached
        down, up = inside - rng.uniform(0.1, 1, 5), inside + rng.uniform(0.1, 1, 5)
        down[0], up[1] = -np.inf, np.inf
        found = pushed_back(step, C, down, up)
        assert (found >= down - 1e-12).all() and (found <= up + 1e-12).all()
        y = np.linalg.lstsq(F, found - step, rcond=None)[0]
        assert F @ y == pytest.approx(found - step, abs=1e-9)
        limits = [
            (row, low, high) for row, low, high in zip(F, down - step, up - step, strict=True)
        ]
        best = minimize(
            lambda y: y @ y / 2,
            np.linalg.lstsq(F, inside - step, rcond=None)[0],
            jac=lambda y: y,
            constraints=[
                {"type": "ineq", "fun": lambda y, r=sign * row, c=sign * edge: r @ y - c}
                for row, low, high in limits
                for sign, edge in ((1, low), (-1, high))
                if np.isfinite(edge)
            ],
            method="SLSQP",
            options={"ftol": 1e-14},
        )
        assert y @ y / 2 <= best.fun + 1e-8
    assert pushed_back(step, 0 * C, step + 1, step + 2) == pytest.approx(step + 1)  # nothing yields


def test_what_limits_forbid_is_told():
    chain, loop, start = limited(4)
    links = list(chain.links)
    for i in range(1, 5):
        links[i] = replace(links[i], limits=Limits(start[i] - 1e-3, start[i] + 1e-3))
    links[1] = replace(links[1], name="stiff")
    stiff = Chain(links)
    with pytest.raises(ValueError, match=r"from here within the limits: .* leaves a gap of \d\.\d"):
        assemble(stiff, loop, start)
    held = np.arange(5) == 1
    with pytest.raises(
        ValueError, match=r"held\[1\] keeps the joint of link 'stiff' at 3, but its limits are"
    ):
        assemble(stiff, loop, np.where(held, 3.0, start), held=held)
    beyond = assemble(chain, loop, start + 3 * (np.arange(5) == 1))
    assert (
        within_limits(chain, beyond)
        and np.abs(constraint_error(chain, loop, beyond)).max() <= 1e-10
    )
    slide = Link(Prismatic((1, 0, 0)), 1, (0, 0, 0), np.eye(3), limits=Limits(-0.1, 0.5))
    at = Closure(Prismatic((0, 0, 1)), 0, onto_offset=(0.7, 0, 0))
    with pytest.raises(ValueError, match=r"within the limits.*a gap of 0\.2;"):
        assemble(Chain([slide]), at, np.zeros(1))
    assert assemble(Chain([replace(slide, limits=Limits(-0.1, 0.8))]), at, [5.0]) == pytest.approx(
        0.7
    )


def test_limits_are_those_of_each_joint():
    """Also of the first coordinate; and a ball has none, whatever the last joint's are."""
    solid = 1, (0.5, 0, 0), np.eye(3)
    narrow = Limits(-0.1, 0.2)
    rods = Chain([Link(Revolute(UP), *solid, offset=(i, 0, 0), limits=narrow) for i in (0, 1)])
    down, up = room(rods, plain_coordinates(rods), np.array([0.05, -0.1]))
    assert down == pytest.approx([-0.15, 0]) and up == pytest.approx([0.15, 0.3])
    high = Closure(Planar((0, 0, 1)), 1, offset=(1, 0, 0), onto_offset=(0, 0, -0.01))
    with pytest.raises(
        ValueError,
        match=r"held\[0\] keeps the joint of link 'link0' at 0.3, but its limits are -0.1",
    ):
        assemble(rods, high, [0.3, 0], held=[True, False])
    ball = Chain(
        [Link(Spherical(), *solid), Link(Revolute(UP), *solid, offset=(1, 0, 0), limits=narrow)]
    )
    held = np.arange(4) < 3
    rod = Distance(1, length=1.995, offset=(1, 0, 0))
    found = assemble(ball, rod, [1, 0, 0, 0, 0.9], held=held)
    assert list(found[:4]) == [1, 0, 0, 0]
    assert found[4] == pytest.approx(2 * np.arccos(1.995 / 2), abs=1e-9)
    assert room(ball, plain_coordinates(ball), found)[0][:3] == pytest.approx([-np.inf] * 3)


def test_velocities_know_their_coordinates():
    inertia = 1, (0, 0, 0), np.eye(3)
    joints = [
        Spherical(),
        Universal((1, 0, 0), (0, 1, 0)),
        Fixed(),
        Free(),
        Planar(UP),
        Revolute(UP),
    ]
    chain = Chain([Link(joint, *inertia) for joint in joints])
    assert list(plain_coordinates(chain)) == [-1] * 3 + [4, 5] + [-1] * 6 + [13, 14, 15, 16]


def test_balls_and_free_bodies_are_assembled():
    free, held = to_maximal(random_tree(Case(4, branching=True, seed=5, kinds=EVERY_KIND)))
    q, _ = random_state(free, 3)
    found = assemble(free, held, q)
    assert np.abs(constraint_error(free, held, found)).max() <= 1e-10
    assert difference(free, q, found).shape == (24,)


# Simulation -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "step"),
    [("RK4", 2e-2), ("semi-implicit Euler", 1e-2), ("DOP853", None), ("RK23", None)],
)
def test_projection_keeps_loops_closed_between_steps_too(method, step):
    chain, loops, q, qd = four_bar()
    motion = simulate(
        chain,
        q,
        qd,
        t=np.linspace(0, 0.3, 7),
        constraints=loops,
        stabilisation="projection",
        method=method,
        step=step,
        rtol=1e-5,
        progress=False,
    )
    assert not motion.reason and len(motion.t) == 7
    assert motion.gap.shape == motion.gap_rate.shape == (7, 5)
    assert np.abs(motion.gap).max() <= 1e-12 and np.abs(motion.gap_rate).max() <= 1e-11
    K = constraint_jacobian(chain, loops, motion.q[3])
    assert motion.gap_rate[3] == pytest.approx(K @ motion.qd[3], abs=1e-15)


def test_a_loop_swings_as_its_lagrangian_says():
    """A parallelogram, against the pendulum that it is, by an adaptive method at tight tolerance."""
    rod = 1.0, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12])
    chain = Chain([Link(Revolute(UP), *rod, offset=(i > 0, 0, 0)) for i in range(3)])
    pin = Closure(Revolute(UP), 2, offset=(1, 0, 0), onto_offset=(1, 0, 0))
    angle = 1.0  # downwards from the horizontal
    q = np.array([angle, -angle, angle + np.pi])
    t = np.linspace(0, 1, 5)
    motion = simulate(
        chain, q, np.zeros(3), t=t, constraints=pin, rtol=1e-10, atol=1e-12, progress=False
    )
    # two cranks of 1/3 each and a coupler of 1: I = 5/3; their weights act at 1/2, 1/2, 1
    pendulum = Chain([Link(Revolute(UP), 3.0, (2 / 3, 0, 0), np.diag([0.2, 1 / 3, 0.2]))])
    exact = simulate(pendulum, q[:1], np.zeros(1), t=t, rtol=1e-11, atol=1e-13, progress=False)
    assert motion.q[:, 0] == pytest.approx(exact.q[:, 0], abs=1e-7)
    assert np.abs(motion.gap).max() <= 1e-7


def test_gains_bring_an_open_loop_together():
    chain, loops, q = five_bar()
    motion = simulate(
        chain,
        q + 0.01,
        np.zeros(4),
        t=[0, 1.0],
        constraints=loops,
        stabilisation=(400.0, 40.0),
        method="RK4",
        step=1e-2,
        progress=False,
    )
    assert np.abs(motion.gap[0]).max() > 1e-3 > 1e-4 > np.abs(motion.gap[-1]).max()


def test_starts_and_options_that_cannot_be_are_refused():
    chain, loops, q, qd = four_bar()

    def run(q=q, qd=qd, **more):
        return simulate(
            chain, q, qd, **{"t": [0, 0.01], "constraints": loops, "progress": False, **more}
        )

    with pytest.raises(ValueError, match=r"open at the start, by 0\.\d+: `assemble`"):
        run(q + 0.3)
    with pytest.raises(ValueError, match="velocities break the constraints at the start: K qd is"):
        run(qd=qd + np.array([0, 0, 1.0]), stabilisation="projection")
    for bad in ("spring", (1,), (-1, 2), 3):
        with pytest.raises(ValueError, match="stabilisation"):
            run(stabilisation=bad)
    with pytest.raises(ValueError, match="builds on earlier states"):
        run(method="LSODA", stabilisation="projection")
    with pytest.raises(ValueError, match="variational"):
        run(method="variational", step=1e-3)
    with pytest.raises(ValueError, match="constraints"):
        run(constraints=3)
    assert simulate(chain, q, qd, t=[0, 0.01], progress=False).gap.shape == (2, 0)


def test_many_states_are_simulated_together():
    chain, loops, q, qd = four_bar()
    both = simulate(
        chain,
        q,
        np.stack([qd, -qd]),
        t=[0, 0.1],
        constraints=loops,
        stabilisation="projection",
        method="RK4",
        step=2e-2,
        progress=False,
    )
    one = simulate(
        chain,
        q,
        -qd,
        t=[0, 0.1],
        constraints=loops,
        stabilisation="projection",
        method="RK4",
        step=2e-2,
        progress=False,
    )
    assert both.gap.shape == (2, 2, 5)
    assert both.q[:, 1] == pytest.approx(one.q, abs=1e-12)


# Mechanisms -------------------------------------------------------------------------------------


@pytest.mark.parametrize("cranks", [2, 3, 6])
def test_the_four_bar_of_the_benchmark_is_a_pendulum(cranks):
    """Its cranks stay parallel: one equation with I = (N + 1)/3 + N, at postures on both sides."""
    chain, loops = robots.four_bar(cranks)
    N = cranks - 1
    inertia, weight = (N + 1) / 3 + N, 9.81 * ((N + 1) / 2 + N)
    for angle in (0.4, np.pi / 2, 2.5, 4.0):
        q = robots.four_bar_posture(cranks, angle)
        assert np.abs(constraint_error(chain, loops, q)).max() <= 1e-12
        together = np.array([1.0] + [x for k in range(N) for x in (-1.0 if k == 0 else 0.0, 1.0)])
        qdd, _ = constrained_forward_dynamics(chain, loops, q, 1.7 * together, 0 * q)
        assert qdd == pytest.approx(-weight * np.cos(angle) / inertia * together, abs=1e-9)
        energy = kinetic_energy(chain, q, 1.7 * together)
        assert energy == pytest.approx(inertia * 1.7**2 / 2)
    flat = robots.four_bar_posture(cranks, 0.0)
    assert len(allowed_motions(chain, loops, flat)) == N + 1


def test_the_five_bar_closes_and_has_two_freedoms():
    chain, loops = robots.five_bar()
    q = assemble(chain, loops, np.array([2.0, -1.0, -1.2, -1.0]))
    assert np.abs(constraint_error(chain, loops, q)).max() <= 1e-10
    assert len(allowed_motions(chain, loops, q)) == 2
    assert chain.mass.sum() == pytest.approx(2.2)


@pytest.mark.parametrize("bad", [1, 0, 2.0, "two"])
def test_a_four_bar_has_two_cranks_at_least(bad):
    with pytest.raises(ValueError, match="cranks"):
        robots.four_bar(bad)


def test_cranks_stay_parallel_through_the_posture_with_more_freedoms():
    """Started upright, through the line in which one freedom becomes three, and on below, by steps of RK4."""
    cranks, end = 3, 1.0
    chain, loops = robots.four_bar(cranks)
    q = robots.four_bar_posture(cranks, np.pi / 2)
    together = np.array([1.0, -1, 1, 0, 1])
    inertia, weight = 1 + 2, 9.81 * (1.5 + 2)
    exact = solve_ivp(
        lambda t, y: [y[1], -weight * np.cos(y[0]) / inertia],
        (0, end),
        [np.pi / 2, -1],
        "DOP853",
        rtol=1e-12,
        atol=1e-12,
    ).y[:, -1]
    assert exact[0] < -0.5  # it has passed
    motion = simulate(
        chain,
        q,
        -together,
        t=[0, end],
        constraints=loops,
        stabilisation="projection",
        method="RK4",
        step=1e-2,
        progress=False,
    )
    assert motion.q[-1, 0] == pytest.approx(exact[0], abs=1e-7)
    assert motion.q[-1] == pytest.approx(robots.four_bar_posture(3, motion.q[-1, 0]), abs=1e-10)
    assert motion.energy[-1] == pytest.approx(motion.energy[0], abs=1e-6)


# The elimination itself ------------------------------------------------------------------------


def eliminated(rows, wanted):
    """Return `shortest` of rows in the plain metric, judged as rows of numbers with no more error than rounding."""
    _, doubt = lengths_and_doubt(
        rows, np.ones(rows.shape[-1]), (rows * rows).sum(-1, keepdims=True), 0
    )
    return shortest(rows, lambda x: x, wanted, doubt)


def test_a_row_takes_the_rounding_of_the_rows_that_are_taken_from_it():
    """A short row, known to rounding beside the others, says nothing of what is left of a long one without it."""
    x, y = np.linalg.qr(np.random.default_rng(3).normal(size=(6, 2)))[0].T
    rounding = np.finfo(float).eps
    short = 1e-4 * x + 2 * rounding * y
    _, _, mix = eliminated(np.stack([short, x]), np.zeros((2, 1)))
    assert list(mix[::-1].diagonal()) == [1, 0]
    _, _, mix = eliminated(np.stack([short, x + 1e-9 * y]), np.zeros((2, 1)))
    assert list(mix[::-1].diagonal()) == [1, 1]


@pytest.mark.parametrize("angle", [1e-2, 1e-4, 1e-6])
def test_rows_that_are_nearly_parallel_are_met_to_rounding(angle):
    rng = np.random.default_rng(5)
    rows = rng.normal(size=6) + angle * rng.normal(size=(4, 6))
    wanted = rng.normal(size=(4, 1))
    u, shares, _ = eliminated(rows, wanted)
    size = np.abs(rows).max() * np.abs(u).max()
    assert np.abs(rows @ u - wanted).max() <= 30 * np.finfo(float).eps * size
    assert np.abs(shares).min() > 0


def test_exact_solutions_say_the_rank_of_each_right_side():
    """Also where the sides alone are several."""
    M, K = (np.array(x, object) * Fraction(1) for x in (np.diag([2, 1]), [[1, 1]]))
    sides = np.array([[1, 0], [2, 1], [0, 0]], object) * Fraction(1)
    found = solve_kkt(M, K, sides, np.array([Fraction(0)]))
    assert found.x.shape == (3, 2) and found.rank.tolist() == [1, 1, 1]
    assert (found.x.sum(-1) == 0).all()
