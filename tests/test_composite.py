"""The mass matrix, the Coriolis matrix and the stacked form: laws on random trees with joints of every kind."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import cho_factor, cho_solve
from trees import (
    CASES,
    EPS,
    assert_near,
    bound,
    motion,
    random_inertia,
    random_rotation,
    random_tree,
)

from chaindyn import (
    Chain,
    Fixed,
    Free,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    aba,
    bias_force,
    body_accelerations,
    body_jacobian,
    body_twists,
    coriolis_matrix,
    crba,
    crf,
    crm,
    integrate,
    joint_wrenches,
    random_state,
    rnea,
    solve_full_system,
    tree_matrix,
)
from chaindyn.stacked import body_coriolis, crf_bar
from chaindyn.state import State

STEP = 1e-30
EVERY = (Revolute, Prismatic, Universal, Spherical, Free, Fixed)
WITH_COORDINATES = (Revolute, Prismatic, Universal, Fixed)  # qd is the derivative of q
AXES = {Revolute: 1, Prismatic: 1, Universal: 2}
SEEDS = range(40)
MANY = [*SEEDS, *(pytest.param(k, marks=pytest.mark.nightly) for k in range(40, 200))]
RECURSIONS = ("body", "world")


def tree_of(seed, kinds=EVERY, gravity=(0.3, -0.5, -9.81)):
    """Return a tree of 1 to 14 links of these kinds of joint, the first one moving."""
    rng = np.random.default_rng(seed)
    links = []
    for i in range(int(rng.integers(1, 15))):
        kind = kinds[seed % (len(kinds) - 1)] if i == 0 else kinds[rng.integers(len(kinds))]
        links.append(
            Link(
                joint=kind(*rng.normal(size=(AXES.get(kind, 0), 3))),
                mass=rng.uniform(0.1, 2),
                com=rng.normal(size=3) / 2,
                inertia=random_inertia(rng),
                offset=rng.normal(size=3) / 2,
                rotation=random_rotation(rng),
                parent=["ground", *range(i)][rng.integers(i + 1)],
            )
        )
    return Chain(links, gravity)


def state_of(seed, chain, batch=()):
    rng = np.random.default_rng(1000 + seed)
    q, qd = random_state(chain, rng, batch=batch)
    return q, qd, rng.normal(size=(*batch, chain.nv))


def drawn(seed, kinds=EVERY):
    chain = tree_of(seed, kinds)
    return (chain, *state_of(seed, chain))


def without_weight(chain):
    return Chain(chain.links, gravity=(0, 0, 0))


def mass_rate(chain, q, qd):
    """Return dM/dt along the motion, by a complex step of `integrate`."""
    return crba(chain, integrate(chain, q, 1j * STEP * qd)).imag / STEP


def unrelated(chain):
    """Return where in (nv, nv) neither link hangs on the other."""
    hangs = tree_matrix(chain)[np.ix_(chain.link_of_column, chain.link_of_column)]
    return (hangs + hangs.T) == 0


def velocity_scale(chain, q, qd):
    """Return how large C may be: of slides it is zero, and an error is measured by M."""
    return np.linalg.norm(crba(chain, q)) * np.linalg.norm(qd)


def solving(M):
    """100 roundings for each unit of the mass matrix's condition, never above 1e-8."""
    return min(100 * EPS * np.linalg.cond(M), 1e-8)


def test_the_trees_have_every_kind_of_joint_and_branch():
    trees = [tree_of(seed) for seed in SEEDS]
    seen = [type(joint) for tree in trees for joint in tree.joints]
    assert min(seen.count(kind) for kind in EVERY) > 20
    assert sum(unrelated(tree).any() for tree in trees) > 20
    assert sum(tree.parent.count(-1) > 1 for tree in trees) > 5


# --- the tree in one matrix ---


@pytest.mark.parametrize("seed", SEEDS)
def test_tree_matrix_is_the_inverse_of_one_less_the_parent_matrix(seed):
    chain = tree_of(seed)
    Delta, one = tree_matrix(chain), np.eye(chain.n, dtype=int)
    P = (np.array(chain.parent)[:, None] == np.arange(chain.n)).astype(int)
    assert Delta.dtype.kind == "i"
    assert (Delta @ (one - P) == one).all()


def test_tree_matrix_of_a_serial_chain_is_the_lower_triangle():
    chain = Chain([Link(Revolute(), 1, (0, 0, 0), np.eye(3))] * 5)
    assert (tree_matrix(chain) == np.tri(5)).all()


@pytest.mark.parametrize("seed", MANY)
def test_stacked_equals_recursive(seed):
    """Alexiou's (16) to (20), with sums by the tree matrix and no loop over bodies."""
    chain, q, qd, qdd = drawn(seed)

    state = State(chain, q, qd, "world")

    def parts(rates):
        return state.along_joints(state.subspaces, rates)[..., 0]

    def times(matrices, vectors):
        return (matrices @ vectors[..., None])[..., 0]

    Delta, inertias, screws = tree_matrix(chain), state.inertias, state.screws
    v = Delta @ parts(qd)
    ring = state.along_joints(state.subspace_rates, qd)[..., 0]
    a = Delta @ (parts(qdd) + times(crm(v), parts(qd)) + ring)
    assert_near(v, body_twists(chain, q, qd, frame="world"), chain.n)
    assert_near(a, body_accelerations(chain, q, qd, qdd, frame="world"), chain.n)

    falling = np.concatenate([np.zeros(3), chain.gravity])
    f = Delta.T @ (times(inertias, a - falling) + times(crf(v), times(inertias, v)))
    assert_near((screws * f[chain.link_of_column]).sum(-1), rnea(chain, q, qd, qdd), chain.n)

    owner = chain.link_of_column
    composite = np.tensordot(Delta.T, inertias, 1)
    felt = times(composite[owner], screws) @ screws.T  # row j, column i: s_i . I^C_j s_j
    hangs = Delta[np.ix_(owner, owner)] == 1
    assert_near(np.where(hangs, felt, np.where(hangs.T, felt.T, 0)), crba(chain, q), chain.n)


# --- the mass matrix ---


@pytest.mark.parametrize("recursion", RECURSIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_is_the_sum_over_the_bodies(seed, recursion):
    chain, q, *_ = drawn(seed)
    J = np.stack([body_jacobian(chain, q, i) for i in range(chain.n)])
    M = crba(chain, q, recursion=recursion)
    assert_near(M, (J.mT @ chain.spatial_inertia @ J).sum(0), chain.n)


@pytest.mark.parametrize("case", [case for case in CASES if case.n <= 30], ids=str)
def test_mass_matrix_of_tiny_and_of_very_different_links(case):
    chain = random_tree(case)
    q, *_ = motion(case, chain)
    J = np.stack([body_jacobian(chain, q, i) for i in range(chain.n)])
    assert_near(crba(chain, q), (J.mT @ chain.spatial_inertia @ J).sum(0), chain.n)


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_is_the_hessian_of_the_energy_and_positive_definite(seed):
    """Entry by entry, (i, j) by itself and (j, i) by itself: crba mirrors one half, and M = M^T says nothing."""
    chain, q, *_ = drawn(seed)
    units = np.eye(chain.nv)

    def energies(rates):
        V = body_twists(chain, q, rates)[..., None]
        return (V.mT @ chain.spatial_inertia @ V).sum((-3, -2, -1)) / 2

    hessian = energies(units[:, None] + units) - energies(units)[:, None] - energies(units)
    columns = rnea(without_weight(chain), q, 0 * units[0], units).T
    for recursion in RECURSIONS:
        M = crba(chain, q, recursion=recursion)
        assert_near(M, hessian, chain.n)
        assert_near(M, columns, chain.n)
        assert np.linalg.eigvalsh(columns)[0] > 0
    assert_near(columns, columns.T, chain.n)


@pytest.mark.parametrize("seed", SEEDS)
def test_unrelated_joints_have_exact_zeros(seed):
    chain, q, qd, _ = drawn(seed)
    for recursion in RECURSIONS:
        M = crba(chain, q, recursion=recursion)
        C = coriolis_matrix(chain, q, qd, recursion=recursion)
        assert (M[unrelated(chain)] == 0).all()
        assert (C[unrelated(chain)] == 0).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_kinetic_energy_of_any_motion(seed):
    chain, q, *_ = drawn(seed)
    qd = np.random.default_rng(seed).normal(size=(20, chain.nv))
    V = body_twists(chain, q, qd)[..., None]
    energies = (V.mT @ chain.spatial_inertia @ V).sum((-3, -2, -1))
    assert_near(np.einsum("bi,ij,bj->b", qd, crba(chain, q), qd), energies, chain.n)


@pytest.mark.parametrize("seed", SEEDS)
def test_canonical_equation(seed):
    """M qdd + C qd + g = tau, with weight."""
    chain, q, qd, qdd = drawn(seed)
    tau = crba(chain, q) @ qdd + coriolis_matrix(chain, q, qd) @ qd
    tau = tau + bias_force(chain, q, 0 * qd)
    assert_near(tau, rnea(chain, q, qd, qdd), chain.n)


@pytest.mark.parametrize("seed", SEEDS)
def test_eliminating_from_the_leaves_fills_no_zero(seed):
    chain, q, *_ = drawn(seed)
    M = crba(chain, q)
    L = np.linalg.cholesky(M[::-1, ::-1])[::-1, ::-1].T
    assert_near(L.T @ L, M, chain.n)
    assert (L[unrelated(chain)] == 0).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_three_ways(seed):
    chain, q, qd, tau = drawn(seed)
    M = crba(chain, q)
    qdd = cho_solve(cho_factor(M), tau - bias_force(chain, q, qd))
    assert_near(qdd, aba(chain, q, qd, tau), chain.n, solving(M))
    assert_near(qdd, solve_full_system(chain, q, qd, tau)[2], chain.n, solving(M))


def with_virtual_bodies(chain):
    """Return the tree with a massless body between two hinges for each universal joint."""
    massless = 0, (0, 0, 0), np.zeros((3, 3))
    links, last = [], {-1: "ground"}
    for i, link in enumerate(chain.links):
        parent = last[chain.parent[i]]
        if isinstance(link.joint, Universal):
            cross = Link(Revolute(link.joint.first), *massless, link.offset, link.rotation, parent)
            links.append(cross)
            body = link.mass, link.com, link.inertia
            links.append(Link(Revolute(link.joint.second), *body))
        else:
            links.append(replace(link, parent=parent))
        last[i] = len(links) - 1
    return Chain(links, chain.gravity)


@pytest.mark.parametrize("seed", MANY)
def test_virtual_bodies_make_a_universal_joint(seed):
    chain = tree_of(seed, (Universal, *EVERY))
    virtual = with_virtual_bodies(chain)
    q, qd, qdd = state_of(seed, chain)
    M, n = crba(chain, q), virtual.n
    assert_near(crba(virtual, q), M, n)
    difference = coriolis_matrix(virtual, q, qd) - coriolis_matrix(chain, q, qd)
    assert np.linalg.norm(difference) <= bound(n) * velocity_scale(chain, q, qd)
    tau = rnea(chain, q, qd, qdd)
    size = np.linalg.norm(joint_wrenches(chain, q, qd, qdd))
    assert np.linalg.norm(rnea(virtual, q, qd, qdd) - tau) <= bound(n) * size
    assert_near(aba(virtual, q, qd, tau), qdd, n, solving(M))


def test_a_chain_of_welds_has_an_empty_mass_matrix():
    chain = Chain([Link(Fixed(), 1, (0, 0, 0), np.eye(3))] * 3)
    assert crba(chain, np.zeros(0)).shape == (0, 0)
    assert coriolis_matrix(chain, np.zeros((4, 0)), np.zeros((4, 0))).shape == (4, 0, 0)


# --- the Coriolis matrix ---


def test_one_body_has_one_coriolis_matrix():
    """The three demands that determine B(I, v)."""
    rng = np.random.default_rng(3)
    inertia = tree_of(3).spatial_inertia[0]
    v, u, f = rng.normal(size=(3, 10, 6))
    B = body_coriolis(inertia, v)

    def times(matrix, vector):
        return (matrix @ vector[..., None])[..., 0]

    assert_near(times(crf_bar(f), v), times(crf(v), f), 1)
    assert_near(times(B, v), times(crf(v) @ inertia, v), 1)
    assert_near(B + B.mT, crf(v) @ inertia - inertia @ crm(v), 1)
    difference = times(B, u) - times(body_coriolis(inertia, u), v)
    assert_near(difference, -times(inertia @ crm(v), u), 1)


@pytest.mark.parametrize("recursion", RECURSIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_coriolis_matrix_times_rates_is_the_bias_without_weight(seed, recursion):
    chain, q, qd, _ = drawn(seed)
    C = coriolis_matrix(chain, q, qd, recursion=recursion)
    error = np.linalg.norm(C @ qd - bias_force(without_weight(chain), q, qd))
    assert error <= bound(chain.n) * velocity_scale(chain, q, qd) * np.linalg.norm(qd)


@pytest.mark.parametrize("seed", MANY)
def test_mass_matrix_changes_by_the_coriolis_matrix_and_its_transpose(seed):
    chain, q, qd, _ = drawn(seed)
    C = coriolis_matrix(chain, q, qd)
    error = np.linalg.norm(mass_rate(chain, q, qd) - C - C.T)
    assert error <= bound(chain.n) * velocity_scale(chain, q, qd)


@pytest.mark.parametrize("seed", SEEDS)
def test_velocity_terms_take_no_energy_from_any_vector(seed):
    """dM/dt - 2 C is skew-symmetric: with every x, not with the velocity alone."""
    chain, q, qd, x = drawn(seed)
    C = coriolis_matrix(chain, q, qd)
    power = x @ (mass_rate(chain, q, qd) - 2 * C) @ x
    assert abs(power) <= bound(chain.n) * velocity_scale(chain, q, qd) * (x @ x)


@pytest.mark.parametrize("seed", SEEDS)
def test_coriolis_matrix_is_christoffels_where_rates_are_derivatives(seed):
    chain, q, qd, x = drawn(seed, WITH_COORDINATES)
    by_q = crba(chain, q + 1j * STEP * np.eye(chain.nv)).imag / STEP
    symbols = by_q.transpose(1, 2, 0) + by_q.transpose(1, 0, 2) - by_q
    C = coriolis_matrix(chain, q, qd)
    scale = velocity_scale(chain, q, qd)
    expected = np.einsum("ijk,k->ij", symbols, qd) / 2
    assert np.linalg.norm(C - expected) <= bound(chain.n) * scale
    exchanged = C @ x - coriolis_matrix(chain, q, x) @ qd
    assert np.linalg.norm(exchanged) <= bound(chain.n) * scale * np.linalg.norm(x)


@pytest.mark.parametrize("seed", SEEDS)
def test_exchanged_arguments_differ_by_the_commutator(seed):
    """C(qd) x - C(x) qd = M [qd, x]: also with balls and free bodies there is no torsion."""
    chain, q, qd, x = drawn(seed)
    brackets = {Spherical: np.cross, Free: lambda a, b: crm(a) @ b}
    bracket = np.concatenate(
        [
            brackets.get(type(joint), lambda a, b: 0 * a)(qd[list(own)], x[list(own)])
            for joint, own in zip(chain.joints, chain.v_columns, strict=True)
        ]
    )
    M, C = crba(chain, q), coriolis_matrix(chain, q, qd)
    error = C @ x - coriolis_matrix(chain, q, x) @ qd - M @ bracket
    scale = velocity_scale(chain, q, qd) * np.linalg.norm(x)
    assert np.linalg.norm(error) <= bound(chain.n) * scale


def test_a_spinning_body_has_a_bias_though_its_mass_matrix_is_constant():
    moments, w = np.diag([1, 2, 2.5]), np.array([0.4, 0.5, 2.0])
    chain = Chain([Link(Spherical(), 1, (0, 0, 0), moments)])
    q = random_state(chain, 1)[0]
    assert_near(crba(chain, q), moments, 1)
    assert_near(coriolis_matrix(chain, q, w) @ w, np.cross(w, moments @ w), 1)


@pytest.mark.parametrize("seed", MANY)
def test_body_equals_world(seed):
    chain, q, qd, _ = drawn(seed)
    in_world = coriolis_matrix(chain, q, qd, recursion="world")
    C = coriolis_matrix(chain, q, qd)
    scale = velocity_scale(chain, q, qd)
    assert np.linalg.norm(in_world - C) <= bound(chain.n) * scale
    assert_near(crba(chain, q, recursion="world"), crba(chain, q), chain.n)


def test_the_recursion_is_the_one_that_was_asked_for():
    """The results agree but for rounding, and that is different."""
    chain, q, qd, _ = drawn(7)
    for function, state in ((crba, (q,)), (coriolis_matrix, (q, qd))):
        by_body, by_world = (function(chain, *state, recursion=r) for r in RECURSIONS)
        assert 0 < np.linalg.norm(by_world - by_body) < 1e-10 * np.linalg.norm(by_body)


@pytest.mark.parametrize("joint", [Revolute(), Prismatic(), Spherical()], ids=repr)
def test_batch_where_nothing_depends_on_the_posture(joint):
    chain = Chain([Link(joint, 1, (0, 0, 0), np.diag([1, 2, 2]))])
    many, rates, _ = state_of(5, chain, batch=(7,))
    shape = (7, chain.nv, chain.nv)
    assert crba(chain, many).shape == crba(chain, many, recursion="world").shape == shape
    for state in [(many, rates), (many, rates[0]), (many[0], rates)]:
        assert coriolis_matrix(chain, *state).shape == shape


def test_no_state_at_all():
    chain = tree_of(2)
    q, qd, _ = state_of(2, chain, batch=(0,))
    assert crba(chain, q).shape == coriolis_matrix(chain, q, qd).shape == (0, chain.nv, chain.nv)


# --- other numbers ---

SMALL = Chain(
    [
        Link(Revolute((0, 0, 1)), 2, (1, 0, 0), np.diag([0, 1, 1])),
        Link(Universal((1, 0, 0), (0, 1, 0)), 1, (0, 0, -1), np.diag([1, 1, 0]), (2, 0, 0)),
        Link(Prismatic((0, 0, 1)), 3, (0, 1, 0), np.diag([1, 2, 2]), parent=0),
    ]
)


def planar_arm():
    """Two uniform rods of mass 1 and length 1 in the plane, in whole numbers and fractions."""
    half, twelfth = sp.Rational(1, 2), sp.Rational(1, 12)
    inertia = np.array([[0, 0, 0], [0, twelfth, 0], [0, 0, twelfth]], object)
    return Chain([Link(Revolute(), 1, (half, 0, 0), inertia, (i, 0, 0)) for i in (0, 1)])


def test_symbols_stay_exact():
    q, qd = (np.array(sp.symbols(f"{name}1:3")) for name in ("q", "u"))
    arm, (_, bend), (u1, u2) = planar_arm(), q, qd
    M, C = (
        sp.Matrix(x).applyfunc(sp.simplify) for x in (crba(arm, q), coriolis_matrix(arm, q, qd))
    )
    assert not (M.atoms(sp.Float) | C.atoms(sp.Float))
    c, s = sp.cos(bend), sp.sin(bend) / 2
    third, half = sp.Rational(1, 3), sp.Rational(1, 2)
    expected = sp.Matrix([[5 * third + c, third + c * half], [third + c * half, third]])
    assert sp.simplify(M - expected) == sp.zeros(2, 2)
    expected = sp.Matrix([[-s * u2, -s * (u1 + u2)], [s * u1, 0]])
    assert sp.simplify(C - expected) == sp.zeros(2, 2)


def test_fractions_stay_exact():
    slides = Chain(
        [Link(Prismatic((0, 0, 1)), m, (0, 0, 0), np.zeros((3, 3), int)) for m in (2, 3)]
    )
    third = np.array([Fraction(1, 3), Fraction(2, 3)], object)
    assert crba(slides, third).tolist() == [[5, 3], [3, 3]]
    assert coriolis_matrix(slides, third, third).tolist() == [[0, 0], [0, 0]]
    entries = [*crba(slides, third).flat, *coriolis_matrix(slides, third, third).flat]
    assert not any(isinstance(x, float) for x in entries)


# --- what is refused ---


def test_bad_input_is_told():
    q, *_ = state_of(0, SMALL)
    with pytest.raises(ValueError, match="chain must be a Chain"):
        tree_matrix([1, 2])
    with pytest.raises(ValueError, match=r"q has shape \(3,\).*nq = 4"):
        crba(SMALL, q[:3])
    with pytest.raises(ValueError, match=r"qd has shape \(5,\).*nv = 4"):
        coriolis_matrix(SMALL, q, np.zeros(5))
    with pytest.raises(ValueError, match="recursion is 'link'"):
        crba(SMALL, q, recursion="link")
    with pytest.raises(ValueError, match="link1"):
        crba(SMALL, np.array([0, np.nan, 0, 0]))
    with pytest.raises(ValueError, match="cannot be broadcast"):
        coriolis_matrix(SMALL, np.zeros((2, 4)), np.zeros((3, 4)))
    ball = Chain([Link(Spherical(), 1, (0, 0, 0), np.eye(3), name="ball")])
    with pytest.raises(ValueError, match="quaternion of link 'ball'"):
        coriolis_matrix(ball, np.array([1, 1, 0, 0]), np.zeros(3))
