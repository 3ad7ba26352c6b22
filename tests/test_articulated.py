"""Forward dynamics: laws that accelerations obey, Pinocchio's results, other numbers, and what is refused."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import cho_factor, cho_solve
from trees import (
    CASES,
    EPS,
    EVERY_KIND,
    Case,
    allowed,
    assert_near,
    mass_matrix_and_bias,
    motion,
    oracle,
    random_inertia,
    random_rotation,
    random_tree,
    stored_chain,
    vanishes,
)

from chaindyn import (
    Chain,
    Fixed,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    aba,
    apparent_inertia,
    articulated_inertia,
    bias_force,
    body_jacobian,
    body_twists,
    crba,
    decompose_force,
    factorise,
    forward_kinematics,
    hybrid_dynamics,
    hybrid_dynamics_dense,
    impact,
    inverse_operational_space_inertia,
    random_state,
    spatial_inertia,
)
from chaindyn._ops import divide, solve
from chaindyn.articulated import acceleration_step, articulated_step, force_step
from chaindyn.guards.pivots import rounding_step
from chaindyn.teaching import normwise

MODELS = oracle("aba")["models"]
MASSLESS = (0, (0, 0, 0), np.zeros((3, 3), int))
ROD = Link(Revolute(), 1, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12]), offset=(1, 0, 0))
MOVING = [case for case in CASES if case.n <= 30 and random_tree(case).nv > 0]


@pytest.fixture(params=MOVING, ids=str)
def moving(request):
    """A random chain or tree with one state, and forces on its joints and links."""
    chain = random_tree(request.param)
    rng = np.random.default_rng(request.param.seed)
    external = rng.normal(size=(chain.n, 6))
    return chain, *motion(request.param, chain), external


# --- laws ---


def test_the_equations_of_motion_hold(moving):
    chain, q, qd, tau, external = moving
    M, h = mass_matrix_and_bias(chain, q, qd)
    pushed = sum(body_jacobian(chain, q, i).T @ external[i] for i in range(chain.n))
    scale = 1 / np.sqrt(np.diag(M))  # so that the dense solve is as good as it can be
    by_dense = scale * np.linalg.solve(M * np.outer(scale, scale), scale * (tau + pushed - h))
    assert_near(aba(chain, q, qd, tau, external=external), by_dense, chain.n, allowed(M))


def test_power_is_the_rate_of_energy(moving):
    """Along the motion that aba gives, by a complex step."""
    chain, q, qd, tau, _ = moving
    qdd, h = aba(chain, q, qd, tau), 1e-30

    def energies(t):
        V = body_twists(chain, q + qd * t, qd + qdd * t)[..., None]
        R, p = forward_kinematics(chain, q + qd * t)
        centres = p + (R @ chain.com[..., None])[..., 0]
        kinetic = (V.mT @ chain.spatial_inertia @ V)[:, 0, 0] / 2
        return np.concatenate([kinetic, -chain.mass * (centres @ np.array(chain.gravity))])

    rates = energies(1j * h).imag / h
    # the sum cancels: what counts is how large the links' own rates are
    scale = np.abs(rates).sum() + np.abs(tau * qd).sum()
    M, _ = mass_matrix_and_bias(chain, q, qd)
    assert abs(rates.sum() - tau @ qd) <= allowed(M) * scale


def test_body_and_world_coordinates_agree(moving):
    chain, q, qd, tau, external = moving
    M, _ = mass_matrix_and_bias(chain, q, qd)
    reach = np.abs(forward_kinematics(chain, q)[1]).max()
    size = np.abs(chain.offset).min() + 0.1
    # with sizes from 1e-4 to 1e4 the world sees only the large ones
    loss = 1 if reach < 100 * size else 1e6
    by_body = aba(chain, q, qd, tau, external=external)
    by_world = aba(chain, q, qd, tau, external=external, recursion="world")
    assert_near(by_world, by_body, chain.n, loss * allowed(M))


@pytest.mark.parametrize("frame", ["body", "world", "mixed"])
@pytest.mark.parametrize("recursion", ["body", "world"])
def test_external_wrenches_in_every_frame(frame, recursion):
    case = Case(9, branching=True, seed=33)
    chain = random_tree(case)
    q, qd, tau = motion(case, chain)
    external = np.random.default_rng(3).normal(size=(chain.n, 6))
    torques = sum(body_jacobian(chain, q, i, frame=frame).T @ external[i] for i in range(chain.n))
    options = {"external_frame": frame, "recursion": recursion}
    pushed = aba(chain, q, qd, tau, external=external, **options)
    M, _ = mass_matrix_and_bias(chain, q, qd)
    assert_near(pushed, aba(chain, q, qd, tau + torques), chain.n, allowed(M))


def test_a_falling_body_falls():
    gravity = np.array([1.0, 2.0, -9.0])
    slides = [Link(Prismatic(axis), *MASSLESS) for axis in np.eye(3)[:2]]
    chain = Chain([*slides, Link(Prismatic((0, 0, 1)), 3, (0.1, 0, 0), np.eye(3))], gravity)
    assert_near(aba(chain, np.ones(3), np.ones(3), np.zeros(3)), gravity, 3)


def test_welds_and_nothing_else():
    chain = Chain([Link(Fixed(), 1, (0, 0, 0), np.eye(3))] * 3)
    none = np.zeros(0)
    assert aba(chain, none, none, none).shape == (0,)
    assert aba(chain, np.zeros((5, 0)), none, none).shape == (5, 0)
    assert articulated_inertia(chain, none)[0, 3, 3] == 3


def test_a_weld_or_a_heavier_link_is_the_same():
    """Two links welded, and one link with the mass of both."""
    rng = np.random.default_rng(4)
    com, inertia = np.array([0.1, 0.2, -0.1]), random_inertia(rng)
    offset = np.array([0.4, 0, 0.3])
    first = Link(Revolute((0, 1, 1)), 2, (0, 0.1, 0), inertia)
    welded = Chain([first, Link(Fixed(), 1.5, com, inertia, offset=offset), replace_parent(1)])
    total, centre = 3.5, (2 * np.array([0, 0.1, 0]) + 1.5 * (com + offset)) / 3.5
    spread = 0
    for m, c in ((2, np.array([0, 0.1, 0])), (1.5, com + offset)):
        d = c - centre
        spread = spread + inertia + m * (d @ d * np.eye(3) - np.outer(d, d))
    merged = Chain([Link(Revolute((0, 1, 1)), total, centre, spread), replace_parent(0, offset)])
    q, qd = random_state(merged, 4)
    tau = rng.normal(size=2)
    assert_near(aba(welded, q, qd, tau), aba(merged, q, qd, tau), 3)


def replace_parent(parent, shift=(0, 0, 0)):
    """A last link on a hinge at the same place, whichever link carries it."""
    place = np.array([0.2, 0.1, 0]) + np.asarray(shift)
    return Link(Revolute((1, 0, 0)), 1, (0, 0.3, 0), np.eye(3), offset=place, parent=parent)


# --- articulated and apparent inertia ---


def test_articulated_inertia_is_what_a_free_link_shows():
    """The first link on six massless joints: the inverse of J M^-1 J^T, with nothing held."""
    case = Case(8, branching=True, seed=41, kinds=(Revolute, Prismatic))
    chain = random_tree(case)
    kept = [0, *(i for i in range(1, chain.n) if 0 in chain.path(i))]
    assert len(kept) > 3
    q, _ = random_state(chain, 41)
    virtual = [
        Link(kind(axis), *MASSLESS, name=f"{kind.__name__} {k}")
        for kind in (Prismatic, Revolute)
        for k, axis in enumerate(np.eye(3))
    ]
    base = Link(Fixed(), *links_part(chain, 0), name="base")
    rest = [
        Link(
            chain.joints[i], *links_part(chain, i), chain.offset[i], chain.rotation[i],
            parent="base" if chain.parent[i] == 0 else f"link{chain.parent[i]}", name=f"link{i}",
        )
        for i in kept[1:]
    ]  # fmt: skip
    free = Chain([*virtual, base, *rest])
    at = np.concatenate([np.zeros(6), q[[chain.v_columns[i][0] for i in kept[1:]]]])
    M, _ = mass_matrix_and_bias(free, at, 0 * at)
    J = body_jacobian(free, at, "base")
    expected = np.linalg.inv(J @ np.linalg.solve(M, J.T))
    assert_near(articulated_inertia(chain, q)[0], expected, chain.n, allowed(M))


def links_part(chain, i):
    return chain.mass[i], chain.com[i], chain.inertia[i]


@pytest.mark.parametrize("k", [0, 1, 2, 3, 6])
def test_decomposition_and_apparent_inertia(k):
    rng = np.random.default_rng(k)
    inertia = spatial_inertia(2.0, rng.normal(size=3), random_inertia(rng))
    S, f = rng.normal(size=(6, k)), rng.normal(size=(5, 6))
    f_a, f_c = decompose_force(f, inertia, S)
    scale = np.linalg.norm(f) * np.linalg.cond(inertia)
    assert np.abs(f_c @ S).max(initial=0) <= 100 * EPS * scale
    assert np.abs(f_a + f_c - f).max() <= 4 * EPS * scale
    again, rest = decompose_force(f_a, inertia, S)
    assert (
        np.abs(again - f_a).max() <= 100 * EPS * scale and np.abs(rest).max() <= 100 * EPS * scale
    )
    # f_a is made of columns of I S
    along = (f_a @ np.linalg.pinv(inertia @ S).T) @ (inertia @ S).T if k else 0 * f_a
    assert np.abs(along - f_a).max() <= 100 * EPS * scale
    shown = apparent_inertia(inertia, S)
    assert np.linalg.matrix_rank(shown, tol=1e-9 * np.abs(inertia).max()) == 6 - k
    assert np.abs(shown @ S).max(initial=0) <= 100 * EPS * np.linalg.cond(inertia)
    carried = decompose_force(f @ inertia, inertia, S)[1]
    assert np.abs(f @ shown - carried).max() <= 100 * EPS * scale * np.abs(inertia).max()


def test_steps_take_joints_of_any_freedom():
    """Two bodies, the first on k = 3 (a ball), the second on k = 2 joints with a changing S: a dense solve."""
    rng = np.random.default_rng(7)
    I1, I2 = (spatial_inertia(m, rng.normal(size=3), random_inertia(rng)) for m in (1.0, 2.0))
    S1, S2 = np.eye(6)[:, :3], rng.normal(size=(6, 2))
    X1, X2 = np.eye(6), rng.normal(size=(6, 6))
    eta1, eta2, b1, b2, ground = rng.normal(size=(5, 6, 1))
    tau1, tau2 = rng.normal(size=(3, 1)), rng.normal(size=(2, 1))
    second, handed = articulated_step((0,), np.hstack([S2, X2]), I2)
    first, _ = articulated_step(handed, np.hstack([S1, X1]), I1)
    (u2, _), handed = force_step((0,), second, b2 + second.inertia @ eta2, tau2)
    (u1, _), _ = force_step(handed, first, b1 + first.inertia @ eta1, tau1)
    a1, qdd1 = acceleration_step((ground, None), X1, S1, first, eta1, u1)
    _, qdd2 = acceleration_step((a1, None), X2, S2, second, eta2, u2)
    # a1 = S1 x1 + c1, a2 = X2 a1 + S2 x2 + eta2; each joint: S^T f = tau
    J1, J2 = np.hstack([S1, np.zeros((6, 2))]), np.hstack([X2 @ S1, S2])
    c1 = X1 @ ground + eta1
    c2 = X2 @ c1 + eta2
    M = J1.T @ I1 @ J1 + J2.T @ I2 @ J2
    h = J1.T @ (I1 @ c1 + b1) + J2.T @ (I2 @ c2 + b2)
    expected = np.linalg.solve(M, np.vstack([tau1, tau2]) - h)
    assert_near(np.vstack([qdd1, qdd2]), expected, 2, allowed(M))


# --- Pinocchio ---


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model["name"].replace(" ", "-"))
@pytest.mark.parametrize("recursion", ["body", "world"])
def test_pinocchio_computes_the_same(model, recursion):
    chain = stored_chain(model)
    states = {key: np.array([s[key] for s in model["states"]]) for key in model["states"][0]}
    result = aba(chain, **states, recursion=recursion)
    reach = np.abs(forward_kinematics(chain, states["q"])[1]).max()
    loss = 1 if recursion == "body" or reach < 100 else 1e4  # world coordinates lose to distance
    for qdd, expected, q, qd in zip(result, model["qdd"], states["q"], states["qd"], strict=True):
        M, _ = mass_matrix_and_bias(chain, q, qd)
        assert_near(qdd, expected, chain.n, loss * allowed(M))


# --- accuracy ---


def test_straight_chain_of_a_thousand_links(extended):
    n = 1000
    chain = Chain([ROD] * n, gravity=(0, -9.81, 0))
    rng = np.random.default_rng(0)
    q, qd, tau = np.zeros(n), rng.normal(size=n), rng.normal(size=n)
    exact = aba(chain, *(x.astype(extended) for x in (q, qd, tau)))
    assert exact.dtype == extended
    assert normwise(aba(chain, q, qd, tau), exact) <= 1e-14


def test_the_recursion_is_the_one_that_was_asked_for(extended):
    """Body coordinates keep all digits of a straight chain; about the world's origin its length costs some."""
    n = 300
    chain = Chain([ROD] * n, gravity=(0, -9.81, 0))
    state = np.zeros(n), *np.random.default_rng(1).normal(size=(2, n))
    exact = aba(chain, *(x.astype(extended) for x in state))
    assert normwise(aba(chain, *state), exact) <= 1e-14
    assert 1e-13 <= normwise(aba(chain, *state, recursion="world"), exact) <= 1e-8


@pytest.mark.parametrize("seed", [1, 2])
def test_chains_of_a_thousand_links_in_space(extended, seed):
    case = Case(1000, seed=seed)
    chain = random_tree(case)
    state = motion(case, chain)
    exact = aba(chain, *(x.astype(extended) for x in state))
    assert normwise(aba(chain, *state), exact) <= 1e-11


@pytest.mark.parametrize(
    "kinds", [(Spherical,), (Universal,), EVERY_KIND], ids=["balls", "crosses", "every"]
)
def test_long_chains_of_joints_of_several_degrees(kinds):
    """What rounding leaves unsymmetric in the articulated inertia must not grow from link to link."""
    case = Case(150, seed=61, kinds=kinds)
    chain = random_tree(case)
    q, qd, tau = motion(case, chain)
    M = crba(chain, q)
    expected = cho_solve(cho_factor(M), tau - bias_force(chain, q, qd))
    assert_near(aba(chain, q, qd, tau), expected, chain.n, allowed(M))
    inertia = articulated_inertia(chain, q)
    assert np.abs(inertia - inertia.mT).max() <= 100 * EPS * np.abs(inertia).max()


# --- the small solve ---


@pytest.mark.parametrize("k", [0, 1, 2, 3, 6])
@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
def test_solve_is_linear_algebra_s(k, batch):
    rng = np.random.default_rng(k)
    root = rng.normal(size=(*batch, k, k))
    A = root @ root.mT + 0.1 * np.eye(k)
    b = rng.normal(size=(*batch, k, 4))
    x = solve(A, b)
    assert x.shape == (*batch, k, 4)
    expected = np.linalg.solve(A, b)
    assert np.abs(x - expected).max(initial=0) <= 1e-11 * np.abs(expected).max(initial=1)


def test_solve_broadcasts():
    A, b = np.array([[2.0, 1.0], [1.0, 3.0]]), np.ones((5, 2, 1))
    assert np.allclose(solve(A, b), np.linalg.solve(A, b[0]))
    assert solve(np.ones((7, 1, 1)), np.ones((1, 3))).shape == (7, 1, 3)
    assert solve(np.ones((7, 0, 0)), np.ones((0, 3))).shape == (7, 0, 3)


def test_solve_and_divide_keep_integers_among_objects_exact():
    A = np.array([[2, 1], [1, 3]], object)
    x = solve(A, np.array([[1], [0]], object))
    assert x.tolist() == [[Fraction(3, 5)], [Fraction(-1, 5)]]
    assert divide(np.array([6], object), np.array([3])).tolist() == [2]
    assert type(divide(np.array([6], object), np.array([3], object))[0]) is int
    sp = pytest.importorskip("sympy")
    a, b = sp.symbols("a b")
    x = solve(np.array([[a, 1], [1, b]]), np.array([[1], [a]]))
    assert [sp.simplify(e) for e in (a * x[0, 0] + x[1, 0] - 1, x[0, 0] + b * x[1, 0] - a)] == [
        0,
        0,
    ]


# --- other numbers ---


def test_symbols_stay_exact_and_give_the_closed_form():
    """A cart with a pendulum, all of whose parameters are integers: no float enters."""
    sp = pytest.importorskip("sympy")
    m, M, L, g = sp.symbols("m M L g", positive=True)
    x, a, v, w, f, t = sp.symbols("x a v w f t")
    none = np.zeros((3, 3), int)
    chain = Chain(
        [
            Link(Prismatic((1, 0, 0)), M, (0, 0, 0), none),
            Link(Revolute(), m, (0, -L, 0), none),
        ],
        gravity=(0, -g, 0),
    )
    for recursion in ("body", "world"):
        qdd = aba(chain, *map(np.array, ([x, a], [v, w], [f, t])), recursion=recursion)
        assert not any(e.atoms(sp.Float) for e in qdd)
        s, c = sp.sin(a), sp.cos(a)
        # the textbook's two equations
        forces = (M + m) * qdd[0] + m * L * (c * qdd[1] - s * w**2) - f
        torques = m * L**2 * qdd[1] + m * L * c * qdd[0] + m * g * L * s - t
        assert vanishes(forces) and vanishes(torques)
    one = Chain([Link(Prismatic((1, 0, 0)), 3, (0, 0, 0), none)], gravity=(0, 0, 0))
    assert aba(one, *map(np.array, ([x], [v], [f])))[0] == f / 3


def test_fractions_stay_fractions_where_nothing_turns():
    slides = Chain(
        [
            Link(Prismatic((1, 0, 0)), 2, (0, 0, 0), np.eye(3, dtype=int)),
            Link(Prismatic((1, 0, 0)), 3, (0, 0, 0), np.eye(3, dtype=int)),
        ],
        gravity=(0, 0, -10),
    )
    third = np.array([Fraction(1, 3), Fraction(1)], object)
    qdd = aba(slides, third, third, third)
    # 2 a = 1/3 - 1, 3 (a + b) = 1
    assert qdd.tolist() == [Fraction(-1, 3), Fraction(2, 3)]
    assert not any(isinstance(x, float) for x in qdd)


def test_complex_numbers_differentiate():
    """d qdd / d tau = M^-1, by a complex step."""
    case = Case(5, seed=52)
    chain = random_tree(case)
    q, qd, tau = motion(case, chain)
    inverse = aba(chain, q, qd, tau + 1e-30j * np.eye(chain.nv)).imag / 1e-30
    M, _ = mass_matrix_and_bias(chain, q, qd)
    assert_near(inverse @ M, np.eye(chain.nv), 5, allowed(M))


# --- what is refused ---


def hung(*links, gravity=(0, 0, -9.81)):
    return Chain(links, gravity)


SOLID = (1.0, (0.2, 0.1, 0.3), np.eye(3))
POINT = (1.0, (0.0, 0.0, 0.3), np.zeros((3, 3)))
SINGULAR = {
    "massless hinge": (hung(Link(Revolute(), *SOLID), Link(Revolute(), *MASSLESS, name="tip")), None),
    "massless slide": (hung(Link(Revolute(), *SOLID), Link(Prismatic(), *MASSLESS, name="tip")), None),
    "massless tool on a massless link": (
        hung(Link(Revolute(), *SOLID), Link(Revolute(), *MASSLESS, name="tip"), Link(Fixed(), *MASSLESS)),
        None,
    ),
    "point mass on the axis": (
        hung(Link(Revolute(), *SOLID), Link(Revolute((0, 0, 1)), *POINT, name="tip")),
        None,
    ),
    "point mass on a slanted axis": (
        hung(Link(Revolute(), *SOLID), Link(Revolute((1, 2, 3)), 1, (0.1, 0.2, 0.3), np.zeros((3, 3)), name="tip")),
        None,
    ),
    "one axis twice": (
        hung(Link(Revolute((1, 2, 3)), *MASSLESS, name="tip"), Link(Revolute((1, 2, 3)), *SOLID)),
        None,
    ),
    "gimbal lock": (
        hung(
            Link(Revolute((0, 0, 1)), *MASSLESS, name="tip"),
            Link(Revolute((1, 0, 0)), *MASSLESS),
            Link(Revolute((0, 0, 1)), 1, (0, 0, 0), np.diag([1, 2, 2.5])),
        ),
        np.array([0.3, 0, 0.8]),
    ),
    "a branch": (
        hung(
            Link(Revolute(), *SOLID), Link(Revolute(), *SOLID), Link(Prismatic(), *MASSLESS, parent=0, name="tip")
        ),
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.parametrize("recursion", ["body", "world"])
def test_a_joint_that_feels_no_inertia_is_named(name, recursion):
    chain, q = SINGULAR[name]
    q = random_state(chain, 5)[0] if q is None else q
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        message = "M is singular: the joint of link 'tip' feels no inertia in this posture"
        with pytest.raises(ValueError, match=message):
            aba(chain, q, q, q, recursion=recursion)
        with pytest.raises(ValueError, match=message):
            articulated_inertia(chain, q)
        many = np.stack([q + 0.3, q, q - 0.3]) if name == "gimbal lock" else np.stack([q] * 3)
        with pytest.raises(ValueError, match=message):
            aba(chain, many, many, many, recursion=recursion)


def test_near_singular_is_not_singular():
    chain, q = SINGULAR["gimbal lock"]
    for tilt in (1e-2, 1e-4, 1e-6):
        at = q + np.array([0, tilt, 0])
        M, h = mass_matrix_and_bias(chain, at, q)
        qdd = aba(chain, at, q, q)
        assert_near(M @ qdd + h, q, 3, 100 * EPS * np.abs(M).max() * np.linalg.norm(qdd))


@pytest.mark.parametrize("recursion", ["body", "world"])
@pytest.mark.parametrize("seed", range(40))
def test_gimbal_lock_in_general_position_is_found(seed, recursion):
    """Where D is not exactly zero, but what rounding leaves of it, such as -1.8e-16; here of either sign."""
    rng = np.random.default_rng(seed)
    outer, inner, _ = random_rotation(rng)
    placed = {"rotation": random_rotation(rng), "offset": rng.normal(size=3)}
    chain = Chain(
        [
            Link(Revolute(outer), *MASSLESS, **placed, name="tip"),
            Link(Revolute(inner), *MASSLESS),
            Link(Revolute(outer), 1, 0.3 * rng.normal(size=3), random_inertia(rng)),
        ]
    )
    q = rng.uniform(-3, 3, 3) * [1, 0, 1]
    with pytest.raises(ValueError, match="the joint of link 'tip' feels no inertia"):
        aba(chain, q, q, q, recursion=recursion)
    for tilt in (1e-3, 1e-6):  # and near by there is an answer
        at = q + np.array([0, tilt, 0])
        M, h = mass_matrix_and_bias(chain, at, q)
        qdd = aba(chain, at, q, q, recursion=recursion)
        # rounding M by a unit lets the racing joints answer by so much
        assert_near(M @ qdd + h, q, 3, 100 * EPS * np.abs(M).max() * np.linalg.norm(qdd))


def axis_beside_a_mass(roundings, mass):
    """A hinge that feels this many rounding units of what its link's inertia has in the axes of the link."""
    place = (1, 1 + np.sqrt(2 * roundings * EPS), 0)
    return Chain([Link(Revolute((1, 1, 0)), mass, place, np.zeros((3, 3)), name="tip")])


def nearly_parallel_slides(roundings, mass):
    """A massless slide that feels this many rounding units of the mass of the slide that it carries."""
    angle = np.arcsin(np.sqrt(roundings * EPS))
    along = Prismatic((np.cos(angle), np.sin(angle), 0))
    first = Link(Prismatic((1, 0, 0)), *MASSLESS, name="tip")
    return Chain([first, Link(along, mass, (0, 0, 0), np.eye(3))], gravity=(0, 0, 0))


@pytest.mark.parametrize("recursion", ["body", "world"])
@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("made", [axis_beside_a_mass, nearly_parallel_slides])
def test_inertia_is_told_from_rounding_at_32_units(made, mass, recursion):
    for roundings in (8, 24, 30):
        chain = made(roundings, mass)
        with pytest.raises(ValueError, match="the joint of link 'tip' feels no inertia"):
            nothing = np.zeros(chain.nv)
            aba(chain, nothing, nothing, 1 + nothing, recursion=recursion)
    for roundings in (36, 64, 1e6):
        chain = made(roundings, mass)
        still = Chain(chain.links, gravity=(0, 0, 0))
        push = np.eye(chain.nv)[0]
        qdd = aba(still, 0 * push, 0 * push, push, recursion=recursion)
        # what it feels is itself known to a unit or two
        assert np.isclose(qdd[0], 1 / (mass * roundings * EPS), rtol=3 / roundings)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_uncertainty_is_the_first_order_of_what_rounding_does(k):
    """An error E in the articulated inertia changes what the parent feels: here by a complex step."""
    rng = np.random.default_rng(k)
    inertia = spatial_inertia(2.0, rng.normal(size=3), random_inertia(rng))
    S, X, below = rng.normal(size=(6, k)), rng.normal(size=(6, 6)), np.diag(rng.uniform(1, 2, 6))
    own, _ = articulated_step((0,), np.hstack([S, X]), inertia)
    felt, (handed,) = rounding_step((below,), X, S, own)
    rounded = np.diag(
        np.diag(inertia)
    )  # each entry is at most the mean of the diagonal ones beside it
    error = below + rounded
    assert_near(felt, S.T @ error @ S, 1)
    by_step = apparent_inertia(inertia + 1e-30j * error, S).imag / 1e-30
    assert_near(handed, X.T @ (by_step + rounded) @ X, 1, 1e-12)


@pytest.mark.parametrize("n", [1000, 3000])
def test_long_and_light_chains_are_not_refused(n):
    straight = Chain([ROD] * n)
    assert np.isfinite(aba(straight, np.zeros(n), np.zeros(n), np.ones(n))).all()
    light = Link(Revolute((0, 1, 0)), 1e-13, (0.5, 0, 0), 1e-13 * np.eye(3), offset=(1, 0, 0))
    heavy = Chain([ROD] * 20 + [light])
    q = np.linspace(0, 1, 21)
    assert np.isfinite(aba(heavy, q, q, 0 * q)).all()


def test_massless_links_within_a_chain_are_fine():
    wrist = [Link(Revolute(axis), *MASSLESS) for axis in ((0, 0, 1), (1, 0, 0))]
    chain = Chain([Link(Revolute((0, 1, 0)), *SOLID), *wrist, Link(Revolute((0, 1, 0)), *SOLID)])
    q, qd = random_state(chain, 6)
    M, h = mass_matrix_and_bias(chain, q, qd)
    expected = np.linalg.solve(M, q - h)
    assert_near(aba(chain, q, qd, q), expected, 4, allowed(M))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(2)}, r"q has shape \(2,\), but must have shape \(\.\.\., 3\): this chain has nq = 3"),
        ({"tau": np.zeros((4, 2))}, r"tau has shape \(4, 2\), but .* shape \(\.\.\., 3\): this chain has nv = 3"),
        ({"tau": [0, np.nan, 0]}, r"tau\[1\] \(link 'link1'\) is nan"),
        ({"qd": [np.inf, 0, 0]}, r"qd\[0\] \(link 'link0'\) is inf"),
        ({"external": np.zeros((2, 6))}, r"external has shape \(2, 6\), but .* \(\.\.\., 3, 6\): this chain has n = 3"),
        ({"external": np.full((3, 6), np.nan)}, r"external\[0, 0\] \(link 'link0'\) is nan"),
        ({"external": "push"}, "external must hold numbers"),
        ({"external_frame": "tool"}, "external_frame is 'tool', but must be 'body' or 'mixed' or 'world'"),
        ({"recursion": "mixed"}, "recursion is 'mixed', but must be 'body' or 'world'"),
        ({"q": np.zeros((2, 3)), "tau": np.zeros((4, 3))}, "batch axes of .* cannot be broadcast"),
        ({"chain": "arm"}, "chain must be a Chain"),
    ],
)  # fmt: skip
def test_bad_input_is_told(change, message):
    good = {"chain": Chain([ROD] * 3), "q": np.zeros(3), "qd": np.zeros(3), "tau": np.zeros(3)}
    with pytest.raises(ValueError, match=message):
        aba(**good | change)


def test_bad_subspaces_are_told():
    inertia = np.eye(6)
    with pytest.raises(ValueError, match=r"S has shape \(6,\)"):
        decompose_force(np.ones(6), inertia, np.ones(6))
    with pytest.raises(ValueError, match=r"S has shape \(3, 1\)"):
        apparent_inertia(inertia, np.ones((3, 1)))
    with pytest.raises(ValueError, match="inertia has shape"):
        apparent_inertia(np.eye(3), np.ones((6, 1)))


def test_motions_that_no_inertia_resists_are_refused():
    """A needle turned about itself: S^T I S = 0 is no division, whichever way it is asked."""
    needle = spatial_inertia(np.array(1.0), np.array([0.5, 0, 0]), np.diag([0, 0.1, 0.1]))
    S = np.eye(6)[:, :1]
    for call in (
        lambda: apparent_inertia(needle, S),
        lambda: decompose_force(np.ones(6), needle, S),
    ):
        with pytest.raises(ValueError, match="S\\^T I S is singular: the body has no inertia"):
            call()
    for bad, says in [
        (np.full((6, 1), np.nan), r"S\[0, 0\] is nan"),
        (np.zeros((6, 1)), "column 0 of S is zero"),
        (np.ones((6, 2)), "the columns of S depend on each other"),
    ]:
        with pytest.raises(ValueError, match=says):
            apparent_inertia(np.eye(6), bad)
        with pytest.raises(ValueError, match=says):
            decompose_force(np.ones(6), np.eye(6), bad)


# --- plain numbers in arrays of objects ---


def needs_regular_posture(chain, q, one):
    """Every public function that must refuse a chain one of whose joints feels no inertia, with `one` for each rate."""
    free, nothing = np.zeros(chain.nv, bool), one[:0]
    hybrid = {"prescribed": free, "qdd": nothing, "tau": one}
    contact = {"point": one[:1].repeat(3), "normal": (0, 0, 1), "restitution": 0}
    return [
        lambda: aba(chain, q, one, one),
        lambda: factorise(chain, q).solve(one[:, None]),
        lambda: articulated_inertia(chain, q),
        lambda: hybrid_dynamics(chain, q, one, **hybrid),
        lambda: hybrid_dynamics_dense(chain, q, one, **hybrid),
        lambda: inverse_operational_space_inertia(chain, q),
        lambda: impact(chain, q, one, **contact),
    ]


@pytest.mark.parametrize("angle", [0.0, 1e-9])
def test_floats_in_objects_are_judged_as_floats_are(angle):
    """Two rings without mass carry a wheel; where their axes lie in line, D is some rounding error and no inertia."""
    axis, ring = (1, 2, 3), np.zeros((3, 3))
    rings = [Link(Revolute(a), 0, (0, 0, 0), ring, name=str(a)) for a in (axis, (3, 0, -1))]
    wheel = Link(Revolute(axis), 1, (0, 0, 0), np.diag([1, 2, 2.5]), name="wheel")
    chain = Chain([*rings, wheel])
    q = np.array([0.4, angle, 0.7])
    for numbers in (q, q.astype(object)):
        for call in needs_regular_posture(chain, numbers, np.ones(3).astype(numbers.dtype)):
            with pytest.raises(
                ValueError, match=r"M is singular: the joint of link '(\(1, 2, 3\)|wheel)'"
            ):
                call()
    q[1] = 1e-3
    for numbers in (q, q.astype(object)):
        for call in needs_regular_posture(chain, numbers, np.ones(3).astype(numbers.dtype)):
            call()


@pytest.mark.parametrize("mass", [0, Fraction(1, 10**30)])
def test_exact_numbers_are_singular_only_where_they_are_zero(mass):
    """No rounding is taken off a fraction, however small it is beside the others."""
    inertia = np.zeros((3, 3), int)
    cart = Link(Prismatic((1, 0, 0)), 1, (0, 0, 0), inertia, name="cart")
    speck = Link(Prismatic((0, 1, 0)), mass, (0, 0, 0), inertia, name="speck")
    chain = Chain([cart, speck], gravity=(0, 0, 0))
    q, one = np.array([Fraction(0)] * 2, object), np.array([Fraction(1)] * 2, object)
    for call in needs_regular_posture(chain, q, one):
        if mass:
            call()
            continue
        with pytest.raises(ValueError, match="M is singular: the joint of link 'speck'"):
            call()
    if mass:
        assert aba(chain, q, one, one).tolist() == [1 / (1 + mass), 1 / mass]
