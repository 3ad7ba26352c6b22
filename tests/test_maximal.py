"""Maximal coordinates: links set free, joints as equations, and the same motion and the same forces."""

import numpy as np
import pytest
from maximal import eliminate
from trees import EPS, EVERY_KIND, KINDS, Case, random_tree

from chaindyn import (
    Chain,
    Fixed,
    Free,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    aba,
    bias_force,
    body_accelerations,
    body_twists,
    constraint_bias,
    constraint_error,
    constraint_jacobian,
    crba,
    forward_kinematics,
    joint_wrenches,
    kinetic_energy,
    maximal_coordinate_dynamics,
    momentum,
    potential_energy,
    random_state,
    to_maximal,
    to_maximal_state,
)
from chaindyn.maximal import constraint_subspaces, maximal_system
from chaindyn.models.welded import PublishedLink
from chaindyn.state import State
from chaindyn.teaching import normwise

LIMIT = 1e-9
SIZES = [1, 2, 3, 5, 8, 13, 21, 30]
TREES = [
    Case(n, branching=branching, seed=500 + n, kinds=EVERY_KIND)
    for n in SIZES
    for branching in (False, True)
]


def loaded(chain, seed, batch=()):
    """Return a state, joint forces and wrenches from outside."""
    rng = np.random.default_rng(seed)
    q, qd = random_state(chain, rng, batch=batch)
    return q, qd, rng.normal(size=(*batch, chain.nv)), rng.normal(size=(*batch, chain.n, 6))


def assert_is_reduced(chain, seed, **frame):
    """Assert that links accelerate and joints carry as the recursions in joint coordinates say."""
    q, qd, tau, external = loaded(chain, seed)
    result = maximal_coordinate_dynamics(chain, q, qd, tau, external=external, **frame)
    qdd = aba(chain, q, qd, tau, external=external, **frame)
    A = body_accelerations(chain, q, qd, qdd)
    F = joint_wrenches(chain, q, qd, qdd, external=external, **frame)
    assert normwise(result.accelerations, A) <= LIMIT
    assert normwise(result.wrenches, F) <= LIMIT
    return result


@pytest.mark.parametrize("case", TREES, ids=str)
@pytest.mark.parametrize("frame", ["body", "world", "mixed"])
def test_maximal_is_reduced(case, frame):
    assert_is_reduced(random_tree(case), case.seed, external_frame=frame)


@pytest.mark.parametrize("kind", EVERY_KIND, ids=lambda kind: kind.__name__)
def test_maximal_is_reduced_with_each_joint_alone(kind):
    assert_is_reduced(random_tree(Case(4, seed=3, kinds=(kind,))), 3)


@pytest.mark.parametrize("variety", ["tiny", "wild"])
def test_maximal_is_reduced_whatever_the_sizes(variety):
    case = Case(8, branching=True, variety=variety, seed=40)
    chain = random_tree(case)
    q, qd, tau, _ = loaded(chain, 40)
    result = maximal_coordinate_dynamics(chain, q, qd, tau)
    qdd = aba(chain, q, qd, tau)
    assert normwise(result.accelerations, body_accelerations(chain, q, qd, qdd)) <= LIMIT
    assert normwise(result.wrenches, joint_wrenches(chain, q, qd, qdd)) <= LIMIT


def test_without_external_wrenches_there_are_none():
    chain = random_tree(TREES[5])
    q, qd, tau, external = loaded(chain, 1)
    result = maximal_coordinate_dynamics(chain, q, qd, tau)
    zero = maximal_coordinate_dynamics(chain, q, qd, tau, external=0 * external)
    assert np.array_equal(result.accelerations, zero.accelerations)


def test_multipliers_are_what_the_joints_carry():
    """A joint's wrench is what its motor gives, along S, and T lambda; S and T together span all wrenches."""
    chain = random_tree(Case(9, branching=True, seed=41, kinds=EVERY_KIND))
    q, qd, tau, external = loaded(chain, 41)
    result = maximal_coordinate_dynamics(chain, q, qd, tau, external=external)
    rest = result.multipliers
    for i, (joint, own, f) in enumerate(
        zip(chain.joints, chain.q_columns, result.wrenches, strict=True)
    ):
        S, T = joint.motion_subspace(q[list(own)]), joint.constraint_subspace(q[list(own)])
        parts = np.linalg.solve(np.concatenate([S, T], axis=-1), f)
        m = 6 - joint.nv
        assert np.abs(parts[joint.nv :] - rest[:m]).max(initial=0) <= 1e-12 * np.linalg.norm(f)
        assert np.abs(S.T @ f - tau[list(chain.v_columns[i])]).max(
            initial=0
        ) <= 1e-12 * np.linalg.norm(f)
        rest = rest[m:]
    assert rest.size == 0


def test_the_bordered_system_of_free_links_says_the_same():
    """Mass matrix and bias of the chain of free links, rows and their bias of its constraints: a dense solve."""
    chain = random_tree(Case(6, branching=True, seed=42, kinds=EVERY_KIND))
    q, qd, tau, external = loaded(chain, 42)
    free, held = to_maximal(chain)
    x, v = to_maximal_state(chain, q, qd)
    M, h = crba(free, x), bias_force(free, x, v)
    K, k = constraint_jacobian(free, held, x), -constraint_bias(free, held, x, v)
    result = maximal_coordinate_dynamics(chain, q, qd, 0 * tau, external=external)
    system = np.block([[M, -K.T], [K, np.zeros((len(K), len(K)))]])
    solution = np.linalg.solve(system, np.concatenate([external.ravel() - h, k]))
    assert normwise(result.accelerations.ravel(), solution[: 6 * chain.n]) <= LIMIT
    assert normwise(result.multipliers, solution[6 * chain.n :]) <= LIMIT


def matrix_of(chain, q, qd):
    """Return the sparse system of one state, without loads."""
    state, none = State(chain, q, qd), np.zeros((chain.n, 6))
    X, T = np.stack(state.X), constraint_subspaces(state)
    return maximal_system(chain, X, T, state.eta[..., 0], none, none)


def test_in_longer_numbers_the_result_is_within_the_condition(extended):
    chain = random_tree(Case(10, branching=True, seed=43))
    q, qd, tau, _ = loaded(chain, 43)
    result = maximal_coordinate_dynamics(chain, q, qd, 0 * tau)
    weight = np.concatenate(
        [np.zeros((chain.n, 3)), forward_kinematics(chain, q)[0].mT @ chain.gravity], -1
    )
    V, inertia = body_twists(chain, q, qd), chain.spatial_inertia
    cross = State(chain, q, qd).crm_twists
    load = np.einsum("nij,nj->ni", inertia, weight) + np.einsum("nji,njk,nk->ni", cross, inertia, V)
    matrix, right = matrix_of(chain, q, qd)
    right[: 6 * chain.n] = load.ravel()
    A = matrix.toarray()
    truth = eliminate(A.astype(extended), right.astype(extended)[:, None])[:, 0].astype(float)
    assert normwise(result.accelerations.ravel(), truth[: 6 * chain.n]) <= 100 * EPS * chain.n
    assert normwise(-result.multipliers, truth[6 * chain.n :]) <= 100 * EPS * chain.n


def test_the_matrix_is_symmetric_and_its_entries_grow_like_the_links():
    counts = []
    for n in (10, 20, 40):
        chain = random_tree(Case(n, seed=44, kinds=(Revolute,)))
        matrix, _ = matrix_of(chain, *random_state(chain, 44))
        assert matrix.shape == (11 * n, 11 * n)
        assert abs(matrix - matrix.T).max() == 0
        counts.append(matrix.nnz)
    assert counts[2] - counts[1] == pytest.approx(2 * (counts[1] - counts[0]), rel=0.02)


def test_a_batch_of_any_shape():
    chain = random_tree(Case(5, branching=True, seed=45, kinds=EVERY_KIND))
    q, qd, tau, external = loaded(chain, 45, batch=(2, 3))
    result = maximal_coordinate_dynamics(chain, q, qd[0], tau[1, 1], external=external)
    qdd = aba(chain, q, qd[0], tau[1, 1], external=external)
    F = joint_wrenches(chain, q, qd[0], qdd, external=external)
    assert normwise(result.wrenches, F) <= LIMIT
    assert result.multipliers.shape == (2, 3, 6 * chain.n - chain.nv)


# --- the same bodies, set free ---


@pytest.fixture(scope="module")
def tree():
    chain = random_tree(Case(9, branching=True, seed=46, kinds=EVERY_KIND))
    return Chain(chain.links, gravity=(1, -2, 3))


def test_links_are_the_same_and_free(tree):
    free, held = to_maximal(tree)
    assert free.n == len(held) == tree.n
    assert free.nv == 6 * tree.n
    assert free.names == tree.names
    assert set(free.parent) == {-1}
    for part in ("mass", "com", "inertia", "gravity"):
        assert np.array_equal(getattr(free, part), getattr(tree, part))
    assert not free.offset.any()
    assert np.array_equal(free.rotation, np.broadcast_to(np.eye(3), (tree.n, 3, 3)))
    assert [c.joint for c in held] == list(tree.joints)


def test_state_is_the_same_motion(tree):
    q, qd = random_state(tree, 47, batch=(3,))
    free, _ = to_maximal(tree)
    x, v = to_maximal_state(tree, q, qd)
    for many, one in zip(forward_kinematics(free, x), forward_kinematics(tree, q), strict=True):
        assert np.abs(many - one).max() <= 100 * EPS * tree.n
    assert normwise(body_twists(free, x, v), body_twists(tree, q, qd)) <= 100 * EPS * tree.n
    about = np.array([1.0, 2, 3])
    for quantity in (
        lambda chain, q, qd: kinetic_energy(chain, q, qd),
        lambda chain, q, qd: potential_energy(chain, q),
        lambda chain, q, qd: momentum(chain, q, qd, point=about),
    ):
        assert normwise(quantity(free, x, v), quantity(tree, q, qd)) <= 100 * EPS * tree.n


def test_constraints_hold_and_let_the_tree_move(tree):
    """A motion of the tree keeps them at all three levels."""
    q, qd, tau, _ = loaded(tree, 48)
    free, held = to_maximal(tree)
    x, v = to_maximal_state(tree, q, qd)
    K = constraint_jacobian(free, held, x)
    A = body_accelerations(tree, q, qd, aba(tree, q, qd, tau))
    assert K.shape == (6 * tree.n - tree.nv, 6 * tree.n)
    assert np.linalg.matrix_rank(K) == len(K)
    bound = 1000 * EPS * tree.n
    assert np.abs(constraint_error(free, held, x)).max() <= bound
    assert np.abs(K @ v).max() <= bound * np.linalg.norm(v)
    left = K @ A.ravel() + constraint_bias(free, held, x, v)
    assert np.abs(left).max() <= bound * np.linalg.norm(A)


def test_rows_are_those_of_the_sparse_system(tree):
    q, qd = random_state(tree, 49)
    free, held = to_maximal(tree)
    x, v = to_maximal_state(tree, q, qd)
    matrix, right = matrix_of(tree, q, qd)
    K = constraint_jacobian(free, held, x)
    assert np.abs(matrix.toarray()[6 * tree.n :, : 6 * tree.n] - K).max() <= 1000 * EPS
    k = -constraint_bias(free, held, x, v)
    assert np.abs(right[6 * tree.n :] - k).max() <= 1000 * EPS * np.abs(k).max()


def test_inertias_that_are_not_judged_come_along():
    """A link from a published file keeps its kind: no body has this inertia."""
    chain = Chain([PublishedLink(Revolute(), 1, (0, 0, 0), np.diag([1, 1, 9]))])
    free, _ = to_maximal(chain)
    assert np.array_equal(free.inertia[0], np.diag([1, 1, 9]))


def test_names_come_along():
    links = [
        Link(Revolute(), 1, (0, 0, 0), np.eye(3), name="a"),
        Link(Fixed(), 1, (0, 0, 0), np.eye(3)),
    ]
    free, held = to_maximal(Chain(links))
    assert free.names == ("a", "link1")
    assert [(c.link, c.onto) for c in held] == [("a", "ground"), ("link1", "a")]


# --- what has no answer ---


def test_a_joint_that_feels_no_inertia_is_named():
    ring = {"mass": 0, "com": (0, 0, 0), "inertia": np.zeros((3, 3))}
    wheel = {"mass": 1, "com": (0, 0, 0), "inertia": np.eye(3)}
    gimbal = Chain(
        [
            Link(Revolute((0, 0, 1)), **ring),
            Link(Revolute((0, 1, 0)), **ring),
            Link(Revolute((0, 0, 1)), **wheel, name="wheel"),
        ]
    )
    q, none = np.array([0.3, 0.5, 0.1]), np.zeros(3)
    assert_is_reduced(gimbal, 0)
    with pytest.raises(ValueError, match=r"link0.*no inertia"):
        maximal_coordinate_dynamics(gimbal, np.array([0.3, 0, 0.1]), none, none)
    with pytest.raises(ValueError, match=r"link0.*no inertia"):
        maximal_coordinate_dynamics(gimbal, np.stack([q, 0 * q]), none, none)


def test_point_masses_and_rods_are_bodies():
    """Their inertias are singular; the system is not."""
    rod = {"mass": 1, "com": (0, 0, -0.5), "inertia": np.diag([1, 1, 0]) / 12}
    bead = {"mass": 2, "com": (0, 0, -1), "inertia": np.zeros((3, 3))}
    chain = Chain(
        [Link(Revolute((0, 1, 0)), **rod), Link(Revolute((1, 0, 0)), **bead, offset=(0, 0, -1))]
    )
    assert_is_reduced(chain, 50)


def test_what_is_no_number_is_refused():
    sympy = pytest.importorskip("sympy")
    chain = random_tree(Case(2, seed=51, kinds=KINDS[:1]))
    symbols = np.array(sympy.symbols("a b"), object)
    none = np.zeros(2)
    with pytest.raises(ValueError, match=r"q is .* real numbers"):
        maximal_coordinate_dynamics(chain, symbols, none, none)
    with pytest.raises(ValueError, match="tau"):
        maximal_coordinate_dynamics(chain, none, none, none + 1j)


def test_to_maximal_wants_a_chain():
    with pytest.raises(ValueError, match="chain must be a Chain"):
        to_maximal(None)


def test_free_bodies_need_no_multiplier():
    chain = Chain([Link(Free(), 1, (0, 0.1, 0), np.eye(3), parent="ground") for _ in range(2)])
    result = assert_is_reduced(chain, 52)
    assert result.multipliers.shape == (0,)


def test_known_answers():
    """A box on a vertical rail with no motor falls; held by a weld, its ground carries its weight."""
    body = {"mass": 3.0, "com": (0, 0, 0), "inertia": np.eye(3)}
    none = np.zeros(1)
    falls = maximal_coordinate_dynamics(Chain([Link(Prismatic(), **body)]), none, none, none)
    assert np.abs(falls.accelerations - [[0, 0, 0, 0, 0, -9.81]]).max() <= 1e-14
    assert np.abs(falls.wrenches).max() <= 1e-14
    weld = Chain([Link(Fixed(), **body)])
    rests = maximal_coordinate_dynamics(weld, none[:0], none[:0], none[:0])
    assert np.abs(rests.wrenches - [[0, 0, 0, 0, 0, 3 * 9.81]]).max() <= 1e-13
    ball = Chain([Link(Spherical(), 3.0, (0, 0, -2.0), np.eye(3))])
    hangs = maximal_coordinate_dynamics(ball, np.array([1.0, 0, 0, 0]), np.zeros(3), np.zeros(3))
    assert np.abs(hangs.multipliers - [0, 0, 3 * 9.81]).max() <= 1e-13
