"""A state is evaluated once, and lazily; a factorised chain solves with the mass matrix that nobody made."""

import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from trees import (
    CASES,
    EPS,
    EVERY_KIND,
    Case,
    allowed,
    assert_near,
    bound,
    motion,
    random_tree,
)

import chaindyn.joints
import chaindyn.state
from chaindyn import (
    Chain,
    Link,
    Prismatic,
    Revolute,
    aba,
    bias_force,
    body_jacobian,
    body_twists,
    crba,
    factorise,
    forward_kinematics,
    hybrid_dynamics,
    impact,
    inverse_operational_space_inertia,
    joint_wrenches,
    random_state,
    rnea,
)
from chaindyn.state import State, evaluate

TREES = [Case(1 + k, branching=k % 2 == 0, seed=900 + k, kinds=EVERY_KIND) for k in range(24)]
MASSIVE = {"mass": 1.0, "com": (0.2, 0.1, 0), "inertia": np.diag([0.1, 0.2, 0.25])}


# --- evaluated once ---


@pytest.fixture
def counted(monkeypatch):
    """Count how often poses, subspaces and sweeps of poses are computed."""
    counts = Counter()

    def count(holder, name):
        function = getattr(holder, name)

        def counting(*args):
            counts[name] += 1
            return function(*args)

        monkeypatch.setattr(holder, name, counting)

    for name in ("pose", "motion_subspace", "motion_subspace_rate"):
        count(chaindyn.joints.Revolute, name)
    for name in ("joint_poses", "world_poses", "crm", "Ad"):
        count(chaindyn.state, name)
    return counts


def arm_in_motion():
    chain = Chain([Link(Revolute((0, 1, 0)), **MASSIVE, offset=(0.3, 0, 0))] * 4)
    rng = np.random.default_rng(4)
    return chain, *rng.normal(size=(3, 4)), rng.normal(size=(4, 6))


CALLS = {
    "aba": lambda c, q, v, a, f, **how: aba(c, q, v, a, external=f, **how),
    "rnea": lambda c, q, v, a, f, **how: rnea(c, q, v, a, external=f, **how),
    "joint_wrenches": lambda c, q, v, a, f, **how: joint_wrenches(
        c, q, v, a, external=f, frame="mixed", **how
    ),
    "hybrid_dynamics": lambda c, q, v, a, f, **how: hybrid_dynamics(
        c, q, v, prescribed=np.arange(4) < 2, qdd=a[:2], tau=a[2:], external=f, **how
    ),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("recursion", ["body", "world"])
@pytest.mark.parametrize("frame", ["body", "world", "mixed"])
def test_nothing_is_evaluated_twice(counted, name, recursion, frame):
    CALLS[name](*arm_in_motion(), external_frame=frame, recursion=recursion)
    for what in ("pose", "motion_subspace", "motion_subspace_rate", "joint_poses", "crm"):
        assert counted[what] == 1, what
    assert counted["world_poses"] <= 1 and counted["Ad"] <= 2


def test_an_impact_evaluates_once(counted):
    chain, q, qd, _, _ = arm_in_motion()
    impact(chain, q, qd, point=(1, 0, 0), normal=(0, 0, 1), restitution=0)
    for what in ("pose", "motion_subspace", "joint_poses", "world_poses"):
        assert counted[what] == 1, what
    assert counted["crm"] == counted["motion_subspace_rate"] == 0  # velocities play no such part


def test_what_is_not_asked_for_is_not_evaluated(counted):
    chain, q, qd, _, _ = arm_in_motion()
    State(chain, q, qd)
    assert not counted
    crba(chain, q)
    assert counted["world_poses"] == counted["crm"] == counted["motion_subspace_rate"] == 0


def test_a_state_cannot_be_changed():
    chain, q, qd, _, _ = arm_in_motion()
    state = State(chain, q, qd)
    with pytest.raises(AttributeError):
        state.q = q + 1


@pytest.mark.parametrize("recursion", ["body", "world"])
@pytest.mark.parametrize("case", TREES, ids=str)
def test_frames_of_a_state(case, recursion):
    """Twists by the state in every frame, against each link's Jacobian."""
    chain = random_tree(case)
    q, qd = random_state(chain, case.seed, batch=(2,))
    state = evaluate(chain, q, qd, recursion=recursion)
    for frame in ("body", "world", "mixed"):
        V = state.in_frame(state.twists, frame)
        for i in range(chain.n):
            J = body_jacobian(chain, q, i, frame=frame)
            size = 1 + np.linalg.norm(V)
            assert np.linalg.norm((J @ qd[..., None])[..., 0] - V[:, i]) <= bound(chain.n) * size


@pytest.mark.parametrize("recursion", ["body", "world"])
def test_at_a_posture_of_integers_exact_forces_have_exact_answers(recursion):
    """Integers in the inertias stay exact for fractions among any of the operands, here 10 = 3 + 7 kg that slide."""
    body = {"com": (0, 0, 0), "inertia": np.zeros((3, 3), int)}
    chain = Chain([Link(Prismatic((1, 0, 0)), m, **body) for m in (3, 7)], gravity=(0, 0, 0))
    still = np.zeros(2, int)
    third, whole = Fraction(1, 3), Fraction(1)
    qdd = aba(chain, still, still, np.array([third, whole]), recursion=recursion)
    assert qdd.tolist() == [Fraction(-2, 9), Fraction(23, 63)]
    moved, felt = hybrid_dynamics(
        chain,
        still,
        still,
        prescribed=[True, False],
        qdd=np.array([third]),
        tau=np.array([whole]),
        recursion=recursion,
    )
    assert moved.tolist() == [third, Fraction(-4, 21)] and felt.tolist() == [2, 1]
    assert not any(isinstance(x, float) for x in [*qdd, *moved, *felt])


# --- far from the world origin ---


def far_away(distance, joint=Revolute):
    links = [
        Link(joint((0, 1, 0)), **MASSIVE, offset=(distance if not i else 0.4, 0, 0))
        for i in range(3)
    ]
    return Chain(links)


@pytest.mark.parametrize("distance", [1e4, 1e5, -1e5])
def test_about_a_far_origin_the_world_recursion_warns(distance):
    chain = far_away(distance)
    q, qd = random_state(chain, 1)
    for call in (
        lambda **how: rnea(chain, q, qd, qd, **how),
        lambda **how: crba(chain, q, **how),
        lambda **how: aba(chain, q, qd, qd, **how),
        lambda **how: inverse_operational_space_inertia(chain, q, **how),
    ):
        with pytest.warns(RuntimeWarning, match="away from the world origin.*recursion='body'"):
            call(recursion="world")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call()


@pytest.mark.parametrize("distance", [0, 10, 1000])
def test_near_it_does_not(distance):
    chain = far_away(distance)
    q, qd = random_state(chain, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = rnea(chain, q, qd, qd, recursion="world")
    size = (1 + distance) ** 2
    assert np.abs(result - rnea(chain, q, qd, qd)).max() <= 1000 * EPS * size


def test_kinematics_far_away_is_no_trouble():
    chain = far_away(1e6)
    q, qd = random_state(chain, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body_twists(chain, q, qd, recursion="world")


# --- a factorised chain ---


def that_move(cases):
    """Return the cases whose trees have a joint that moves."""
    return [case for case in cases if random_tree(case).nv]


@pytest.mark.parametrize("recursion", ["body", "world"])
@pytest.mark.parametrize("case", that_move(TREES), ids=str)
def test_a_factorised_chain_solves_with_the_mass_matrix(case, recursion):
    chain = random_tree(case)
    q, _ = random_state(chain, case.seed)
    M = crba(chain, q)
    b = np.random.default_rng(case.seed).normal(size=(chain.nv, 5))
    factors = factorise(chain, q, recursion=recursion)
    assert_near(factors.solve(b), np.linalg.solve(M, b), chain.n, allowed(M))
    K = np.random.default_rng(1 + case.seed).normal(size=(4, chain.nv))
    W = factors.delassus(K)
    assert_near(W, K @ np.linalg.solve(M, K.T), chain.n, allowed(M))
    assert np.abs(W - W.T).max() <= 10 * EPS * chain.nv * np.abs(W).max()
    assert np.linalg.eigvalsh((W + W.T) / 2).min() >= -10 * EPS * chain.nv * np.abs(W).max()


def test_dependent_rows_give_a_singular_matrix_and_none_an_empty_one():
    chain, q, _, _, _ = arm_in_motion()
    factors = factorise(chain, q)
    row = np.arange(1.0, 5)
    W = factors.delassus(np.stack([row, 2 * row]))
    assert abs(np.linalg.det(W)) <= 10 * EPS * np.abs(W).max() ** 2
    assert factors.delassus(np.zeros((0, 4))).shape == (0, 0)
    assert factors.solve(np.zeros((4, 0))).shape == (4, 0)


@pytest.mark.parametrize("case", that_move(CASES[4:9]), ids=str)
def test_forward_dynamics_is_one_of_its_right_hand_sides(case):
    chain = random_tree(case)
    q, qd, tau = motion(case, chain)
    b = tau - bias_force(chain, q, qd)
    M = crba(chain, q)
    qdd = aba(chain, q, qd, tau)
    size = np.linalg.norm(np.linalg.solve(M, bias_force(chain, q, qd)))
    error = np.linalg.norm(factorise(chain, q).solve(b[:, None])[:, 0] - qdd)
    assert error <= allowed(M) * max(size, np.linalg.norm(qdd))


def test_a_link_s_mobility_is_one_of_its_delassus_matrices():
    chain = random_tree(TREES[9])
    q, _ = random_state(chain, 3)
    W = inverse_operational_space_inertia(chain, q)
    factors = factorise(chain, q)
    for i in range(chain.n):
        assert_near(factors.delassus(body_jacobian(chain, q, i)), W[i], chain.n, 1e-10)


def test_a_batch_of_postures_and_right_hand_sides_is_a_loop():
    chain = random_tree(TREES[11])
    q, _ = random_state(chain, 5, batch=(3,))
    rng = np.random.default_rng(6)
    b, K = rng.normal(size=(2, 3, chain.nv, 2)), rng.normal(size=(3, 4, chain.nv))
    factors = factorise(chain, q)
    x, W = factors.solve(b), factors.delassus(K)
    assert x.shape == b.shape and W.shape == (3, 4, 4)
    for k in range(3):
        one = factorise(chain, q[k])
        assert_near(x[1, k], one.solve(b[1, k]), chain.n)
        assert_near(W[k], one.delassus(K[k]), chain.n)


def test_symbols_are_solved_exactly():
    sp = pytest.importorskip("sympy")
    q2, b1, b2 = sp.symbols("q2 b1 b2")
    rod = {"mass": 1, "com": (1, 0, 0), "inertia": np.zeros((3, 3), int)}
    chain = Chain([Link(Revolute(), **rod), Link(Revolute(), **rod, offset=(2, 0, 0))])
    q = np.array([0, q2])
    x = factorise(chain, q).solve(np.array([[b1], [b2]]))
    left = sp.Matrix(crba(chain, q)) * sp.Matrix(x) - sp.Matrix([b1, b2])
    assert left.applyfunc(sp.simplify) == sp.zeros(2, 1)


def test_bad_right_hand_sides_are_refused():
    chain, q, _, _, _ = arm_in_motion()
    factors = factorise(chain, q)
    for call, says in [
        (
            lambda: factors.solve(np.ones(4)),
            r"b has shape \(4,\), but must have shape \(..., 4, m\)",
        ),
        (
            lambda: factors.solve(np.ones((3, 1))),
            r"b has shape \(3, 1\), but must .* \(..., 4, m\)",
        ),
        (
            lambda: factors.delassus(np.ones((2, 3))),
            r"K has shape \(2, 3\), but must .* \(..., m, 4\)",
        ),
        (lambda: factors.solve(np.full((4, 1), np.nan)), r"b\[0, 0\] is nan"),
        (lambda: factors.delassus([["a"] * 4]), "K must hold numbers or symbols"),
        (lambda: factorise(chain, q, recursion="mixed"), "recursion is 'mixed'"),
        (lambda: factorise(chain, q[:2]), r"q has shape \(2,\)"),
    ]:
        with pytest.raises(ValueError, match=says):
            call()


def test_a_singular_mass_matrix_and_an_overflow_are_two_things():
    hollow = Link(Revolute(), 0, (0, 0, 0), np.zeros((3, 3)), name="hollow")
    with pytest.raises(ValueError, match="M is singular: the joint of link 'hollow'"):
        factorise(Chain([Link(Revolute(), **MASSIVE), hollow]), [0, 0])
    huge = Link(Prismatic((1, 0, 0)), 1e200, (1e60, 1e60, 0), np.zeros((3, 3)), name="huge")
    with np.errstate(all="ignore"):
        chain = Chain([Link(Revolute((0, 1, 1)), **MASSIVE), huge])
        with pytest.raises(ValueError, match=r"the inertia of link .* overflows"):
            factorise(chain, [0.3, 0.2])


def test_the_pose_of_the_struck_link_is_that_of_the_world():
    """Guards the fixture: counting functions are the ones in use."""
    chain, q, _, _, _ = arm_in_motion()
    R, p = forward_kinematics(chain, q)
    assert_near(State(chain, q).poses[0], R, 4, 0)
    assert_near(State(chain, q).poses[1], p, 4, 0)
