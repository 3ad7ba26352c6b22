"""Hybrid dynamics: dense solves with Pinocchio's matrices, both limits, round trips, other numbers, what is refused."""

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
    assert_within,
    bound,
    motion,
    oracle,
    random_tree,
    reactions,
    stored_chain,
    vanishes,
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
    body_accelerations,
    body_jacobian,
    crba,
    forward_kinematics,
    hybrid_dynamics,
    hybrid_dynamics_dense,
    joint_wrenches,
    random_state,
    rnea,
)

MODELS = {model["name"]: model for model in oracle("dynamics")["models"]}
TALOS = "Talos, free"
RECURSIONS = ("body", "world")
STEP = 1e-30
TREES = [
    Case(1, seed=600, kinds=(Free,)),
    Case(3, seed=601, kinds=(Spherical, Universal)),
    Case(7, branching=True, seed=602, kinds=EVERY_KIND),
    Case(12, seed=603, kinds=EVERY_KIND),
    Case(12, branching=True, variety="tiny", seed=604, kinds=EVERY_KIND),
    Case(20, branching=True, variety="wild", seed=605, kinds=EVERY_KIND),
    Case(30, branching=True, seed=606, kinds=EVERY_KIND),
    Case(200, seed=607, kinds=EVERY_KIND),
]
EVERYWHERE = CASES + TREES
MASSLESS = (0, (0, 0, 0), np.zeros((3, 3), int))


def of_each(case):
    """Return how a case is called: what its joints are, too."""
    return f"{case}-{'every' if case.kinds == EVERY_KIND else case.kinds[0].__name__}-{case.seed}"


@pytest.fixture(params=EVERYWHERE, ids=of_each)
def moving(request):
    """Each random chain or tree, with q, qd, qdd and pushes from outside of the size of its weight."""
    case = request.param
    chain = random_tree(case)
    push = np.random.default_rng(case.seed).normal(size=(chain.n, 3)) * 10 * chain.mass[:, None]
    external = np.concatenate([np.cross(chain.com, push), push], axis=-1)  # on the centres of mass
    return chain, *motion(case, chain), external


def name_of(name):
    return name.replace(" ", "-").replace(",", "")


def masks(chain, seed=0, count=4):
    """Return random masks from few to many prescribed, then two that split every joint of several degrees."""
    rng = np.random.default_rng(seed)
    drawn = [rng.random(chain.nv) < share for share in np.linspace(0.2, 0.8, count)]
    split = rng.random(chain.nv) < 0.5
    for own in chain.v_columns:
        if len(own) > 1:
            split[own.start], split[own.stop - 1] = True, False
    return [*drawn, split, ~split]


def condition(M, u):
    """Return the bound for a solve with the part of M that is free to move."""
    M_vv = M[np.ix_(~u, ~u)]
    return allowed(M_vv) if len(M_vv) else 100 * EPS


def far(chain, q, recursion, size=1):
    """Return what world coordinates lose far out: m r^2 hides what a link of this size has about its own origin."""
    reach = np.abs(forward_kinematics(chain, q)[1]).max()
    return 1 if recursion == "body" else 1 + (reach / size) ** 2


def length(chain):
    """Return how large the links are, a metre at most."""
    return min(np.abs(chain.com).max(), 1)


def split(u, qdd, tau):
    """Return the arguments that prescribe the motion where u is true."""
    return {"prescribed": u, "qdd": qdd[..., u], "tau": tau[..., ~u]}


def assert_given(u, given, qdd, tau):
    """Assert that what was given comes back to the bit, in its place."""
    assert (qdd[..., u] == given["qdd"]).all() and (tau[..., ~u] == given["tau"]).all()


# --- Pinocchio ---


def solved_densely(model, u, qdd, tau, pushed):
    """Return all qdd and tau from Pinocchio's M and h, by Cholesky; `pushed` is J^T external."""
    M, h = np.array(model["crba"]), np.array(model["bias_force"]) - pushed
    told, other = np.zeros(len(h)), np.zeros(len(h))
    told[u] = qdd
    free = np.ix_(~u, ~u)
    other[~u] = cho_solve(cho_factor(M[free]), (tau - (h + M @ told)[~u])) if (~u).any() else ()
    forces = M @ (told + other) + h
    forces[~u] = tau
    return told + other, forces


def masks_of(name, chain):
    """Return the masks for a model; the humanoid's legs, last, follow a gait."""
    legs = [np.array([chain.names[i].startswith("leg_") for i in chain.link_of_column])]
    return masks(chain, len(name)) + legs * (name == TALOS)


@pytest.mark.parametrize("recursion", RECURSIONS)
@pytest.mark.parametrize("pushed", [False, True], ids=["alone", "pushed"])
@pytest.mark.parametrize("name", MODELS, ids=name_of)
def test_dense_solves_with_the_matrices_of_pinocchio(name, pushed, recursion):
    model, chain = MODELS[name], stored_chain(MODELS[name])
    q, qd, qdd, tau = (np.array(model["state"][key]) for key in ("q", "qd", "qdd", "tau"))
    external, work = None, 0
    M = np.array(model["crba"])
    if pushed:  # J^T external is what Pinocchio's inverse dynamics is short of
        external = np.array(model["state"]["external"])
        work = M @ qdd + model["bias_force"] - model["rnea"]
    loss = far(chain, q, recursion)
    for u in masks_of(name, chain):
        given = split(u, qdd, tau)
        result = hybrid_dynamics(chain, q, qd, **given, external=external, recursion=recursion)
        expected = solved_densely(model, u, given["qdd"], given["tau"], work)
        assert_given(u, given, *result)
        limit = loss * condition(M, u)
        assert_near(result[0], expected[0], chain.n, limit)
        assert_within(result[1], expected[1], reactions(chain, q, qd, expected[0], external), limit)


def test_a_humanoid_s_legs_follow_a_gait():
    """Its base and arms respond: no force moves the base, none is asked of the arms; the legs do as told."""
    model, chain = MODELS[TALOS], stored_chain(MODELS[TALOS])
    q, qd, qdd = (np.array(model["state"][key]) for key in ("q", "qd", "qdd"))
    u = masks_of(TALOS, chain)[-1]
    assert u.sum() == 12 and isinstance(chain.joints[0], Free) and not u[:6].any()
    still = np.zeros(chain.nv - 12)
    found, forces = hybrid_dynamics(chain, q, qd, prescribed=u, qdd=qdd[u], tau=still)
    again = rnea(chain, q, qd, found)
    size = reactions(chain, q, qd, found)
    limit = condition(np.array(model["crba"]), u)
    assert_within(again, forces, size, limit)
    assert np.linalg.norm(again[:6]) <= limit * size
    assert np.linalg.norm(forces[u]) > 1e-3 * size  # the legs' motors do work on it
    assert np.abs(found[:6]).min() > 1e-3
    # told to move otherwise, the legs move the base otherwise
    other, _ = hybrid_dynamics(chain, q, qd, prescribed=u, qdd=-qdd[u], tau=still)
    assert np.linalg.norm(other[:6] - found[:6]) > 1e-2 * np.linalg.norm(found[:6])


# --- both limits, and the way back ---


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_all_prescribed_is_inverse_dynamics(moving, recursion):
    chain, q, qd, qdd, external = moving
    u, none = np.ones(chain.nv, bool), np.zeros(0)
    for push in (None, external):
        options = {"external": push, "recursion": recursion}
        same, tau = hybrid_dynamics(chain, q, qd, prescribed=u, qdd=qdd, tau=none, **options)
        assert (same == qdd).all()
        expected = rnea(chain, q, qd, qdd, **options)
        assert_within(tau, expected, reactions(chain, q, qd, qdd, push), bound(chain.n))


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_none_prescribed_is_forward_dynamics(moving, recursion):
    chain, q, qd, tau, external = moving
    u, none = np.zeros(chain.nv, bool), np.zeros(0)
    limit = condition(crba(chain, q), u)
    for push in (None, external):
        options = {"external": push, "recursion": recursion}
        qdd, same = hybrid_dynamics(chain, q, qd, prescribed=u, qdd=none, tau=tau, **options)
        assert (same == tau).all()
        expected = aba(chain, q, qd, tau, **options)
        assert_near(qdd, expected, chain.n, limit * far(chain, q, recursion))


def test_dense_is_recursive(moving):
    chain, q, qd, qdd, _ = moving
    M, tau = crba(chain, q), rnea(chain, q, qd, qdd)
    u0 = np.random.default_rng(chain.n).normal(size=chain.nv)
    for u in masks(chain, 1, 2):
        given = split(u, u0, tau)
        dense = hybrid_dynamics_dense(chain, q, qd, **given)
        assert_given(u, given, *dense)
        found = hybrid_dynamics(chain, q, qd, **given)
        limit = condition(M, u)
        assert_near(dense[0], found[0], chain.n, limit)
        assert_within(dense[1], found[1], reactions(chain, q, qd, found[0]), limit)


def reached(chain, state, external, M, u):
    """Return how exactly forces can say a motion: 100 roundings a link of what each is read off, through M_vv^-1."""
    q, qd, qdd = state
    f = np.abs(joint_wrenches(chain, q, qd, qdd, external=external))[chain.link_of_column]
    S = [
        joint.motion_subspace(q[list(own)]).T
        for joint, own in zip(chain.joints, chain.q_columns, strict=True)
    ]
    terms = (np.abs(np.concatenate(S)) * f).sum(-1)[~u]
    scale = 1 / np.sqrt(np.diag(M)[~u])  # so that the inverse is as good as it can be
    inverse = np.linalg.inv(M[np.ix_(~u, ~u)] * np.outer(scale, scale)) * np.outer(scale, scale)
    error = 100 * EPS * chain.n * np.linalg.norm(np.abs(inverse) @ terms)
    return error / np.linalg.norm(qdd) if error else 0


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_a_motion_given_in_part_comes_back_whole(moving, recursion):
    chain, q, qd, qdd, external = moving
    M = crba(chain, q)
    tau = rnea(chain, q, qd, qdd, external=external, recursion=recursion)
    size = reactions(chain, q, qd, qdd, external)
    loss = far(chain, q, recursion, length(chain))
    for u in masks(chain, 2, 2):
        given = split(u, qdd, tau)
        found = hybrid_dynamics(chain, q, qd, **given, external=external, recursion=recursion)
        assert_given(u, given, *found)
        limit = condition(M, u)
        assert_within(found[1], tau, size, loss * limit)
        if (
            chain.mass.max() > 1e3 * chain.mass.min()
        ):  # next to the large, the small are hardly felt
            limit = max(limit, reached(chain, (q, qd, qdd), external, M, u))
        assert_near(found[0], qdd, chain.n, min(loss * limit, 0.01))


def test_inverse_dynamics_of_what_it_finds_gives_the_forces(moving):
    """Whatever M is like: the motion found takes the forces given and found, as exactly as links weigh."""
    chain, q, qd, qdd, external = moving
    scale = np.sqrt(np.diag(crba(chain, q)))
    tau = scale * np.random.default_rng(chain.n).normal(size=chain.nv)
    for u in masks(chain, 3, 2):
        found, forces = hybrid_dynamics(chain, q, qd, **split(u, qdd, tau), external=external)
        again = rnea(chain, q, qd, found, external=external)
        A = body_accelerations(chain, q, qd, found)[..., None]
        # a link that is free to fall accelerates without any reaction
        size = max(
            reactions(chain, q, qd, found, external), np.linalg.norm(chain.spatial_inertia @ A)
        )
        assert_within(again, forces, size, bound(chain.n))


# --- batches ---

BATCHED = Case(9, branching=True, seed=620, kinds=EVERY_KIND)


def drawn(case, batch=()):
    """Return a chain, a mask that splits its joints, and the arguments of a hybrid problem."""
    chain = random_tree(case)
    q, qd, qdd = motion(case, chain, batch)
    rng = np.random.default_rng(case.seed)
    tau, external = rng.normal(size=qd.shape), rng.normal(size=(*batch, chain.n, 6))
    u = masks(chain, case.seed)[-1]
    return chain, u, {"q": q, "qd": qd, "qdd": qdd[..., u], "tau": tau[..., ~u]}, external


@pytest.mark.parametrize("share", [0, 0.5, 1], ids=["none", "some", "all"])
@pytest.mark.parametrize(
    "batched", [("q",), ("qd",), ("qdd",), ("tau",), ("external",), ("q", "tau"), ("qd", "qdd")], ids="-".join
)  # fmt: skip
def test_any_argument_may_be_a_batch(batched, share):
    """Given once, an argument is meant for all of the batch; so it is where nothing depends on it."""
    chain, u, many, external = drawn(BATCHED, (4,))
    u = u if share == 0.5 else np.full(chain.nv, bool(share))
    rng = np.random.default_rng(5)
    many["qdd"], many["tau"] = rng.normal(size=(4, u.sum())), rng.normal(size=(4, (~u).sum()))
    many["external"] = external
    state = {name: x if name in batched else x[0] for name, x in many.items()}
    whole = hybrid_dynamics(chain, prescribed=u, **state)
    assert all(x.shape == (4, chain.nv) for x in whole)
    for k in range(4):
        own = {name: x[k] if name in batched else x for name, x in state.items()}
        limit = condition(crba(chain, own["q"]), u)
        for x, y in zip(hybrid_dynamics(chain, prescribed=u, **own), whole, strict=True):
            assert_near(y[k], x, chain.n, limit)


def test_one_posture_against_many_accelerations():
    """Batch axes are broadcast: postures along one axis, motions told along the other."""
    chain, u, state, _ = drawn(BATCHED, (3,))
    state["qdd"] = np.random.default_rng(6).normal(size=(5, 1, u.sum()))
    whole = hybrid_dynamics(chain, prescribed=u, **state)
    dense = hybrid_dynamics_dense(chain, prescribed=u, **state)
    assert whole[0].shape == whole[1].shape == (5, 3, chain.nv)
    own = {name: x[4, 0] if name == "qdd" else x[2] for name, x in state.items()}
    limit = condition(crba(chain, own["q"]), u)
    for x, y, z in zip(hybrid_dynamics(chain, prescribed=u, **own), whole, dense, strict=True):
        assert_near(y[4, 2], x, chain.n, limit)
        assert_near(z[4, 2], x, chain.n, limit)


def test_no_state_at_all():
    chain, u, state, _ = drawn(BATCHED, (0,))
    for function in (hybrid_dynamics, hybrid_dynamics_dense):
        assert [x.shape for x in function(chain, prescribed=u, **state)] == [(0, chain.nv)] * 2


def test_welds_and_nothing_else():
    chain = Chain([Link(Fixed(), 1, (0, 0, 0), np.eye(3))] * 3)
    none = np.zeros(0)
    for function in (hybrid_dynamics, hybrid_dynamics_dense):
        result = function(chain, none, none, prescribed=np.zeros(0, bool), qdd=none, tau=none)
        assert [x.shape for x in result] == [(0,), (0,)]


# --- wrenches from outside ---


@pytest.mark.parametrize("frame", ["body", "world", "mixed"])
@pytest.mark.parametrize("recursion", RECURSIONS)
def test_external_wrenches_in_every_frame(frame, recursion):
    """A wrench on a link does what J^T times it does, and the motors need not do it."""
    chain, u, state, external = drawn(BATCHED)
    work = sum(
        body_jacobian(chain, state["q"], i, frame=frame).T @ external[i] for i in range(chain.n)
    )
    options = {"external_frame": frame, "recursion": recursion}
    found = hybrid_dynamics(chain, prescribed=u, **state, external=external, **options)
    without = state | {"tau": state["tau"] + work[~u]}
    qdd, tau = hybrid_dynamics(chain, prescribed=u, **without)
    limit = condition(crba(chain, state["q"]), u)
    assert_near(found[0], qdd, chain.n, limit)
    assert_near(found[1], tau - work, chain.n, limit)


# --- other numbers ---


@pytest.mark.parametrize("function", ["body", "world", "dense"])
def test_a_cart_and_a_pendulum_in_closed_form(function):
    """The cart moves as told and the pendulum swings; the pendulum moves as told and the cart rolls."""
    sp = pytest.importorskip("sympy")
    m, M, L, g = sp.symbols("m M L g", positive=True)
    x, a, v, w, told, push = sp.symbols("x a v w told push")
    none = np.zeros((3, 3), int)
    cart = Link(Prismatic((1, 0, 0)), M, (0, 0, 0), none)
    chain = Chain([cart, Link(Revolute(), m, (0, -L, 0), none)], gravity=(0, -g, 0))
    state = np.array([x, a]), np.array([v, w])
    c, s = sp.cos(a), sp.sin(a)

    def solved(*mask):
        given = {"qdd": np.array([told]), "tau": np.array([push])}
        if function == "dense":
            return hybrid_dynamics_dense(chain, *state, prescribed=mask, **given)
        return hybrid_dynamics(chain, *state, prescribed=mask, **given, recursion=function)

    qdd, tau = solved(True, False)
    swing = push / (m * L**2) - (c * told + g * s) / L
    force = (M + m) * told + m * L * (c * swing - s * w**2)
    assert (qdd[0], tau[1]) == (told, push)
    assert vanishes(qdd[1] - swing) and vanishes(tau[0] - force)
    assert not any(e.atoms(sp.Float) for e in (*qdd, *tau))

    qdd, tau = solved(False, True)
    roll = (push - m * L * (c * told - s * w**2)) / (M + m)
    torque = m * L**2 * told + m * L * c * roll + m * g * L * s
    assert (qdd[1], tau[0]) == (told, push)
    assert vanishes(qdd[0] - roll) and vanishes(tau[1] - torque)
    assert not any(e.atoms(sp.Float) for e in (*qdd, *tau))


@pytest.mark.parametrize("function", [hybrid_dynamics, hybrid_dynamics_dense])
def test_fractions_stay_fractions_where_nothing_turns(function):
    links = [Link(Prismatic((1, 0, 0)), m, (0, 0, 0), np.eye(3, dtype=int)) for m in (2, 3)]
    slides = Chain(links, gravity=(-10, 0, 0))
    rest = np.array([Fraction(0)] * 2, object)
    given = {"qdd": [Fraction(1, 3)], "tau": [Fraction(1, 2)]}
    qdd, tau = function(slides, rest, rest, prescribed=[True, False], **given)
    # 5 a + 3 b + 50 = tau1 with a = 1/3, and 3 (a + b) + 30 = 1/2
    assert qdd.tolist() == [Fraction(1, 3), Fraction(-61, 6)]
    assert tau.tolist() == [Fraction(127, 6), Fraction(1, 2)]
    assert not any(isinstance(x, float) for x in (*qdd, *tau))


SMALL = Case(5, branching=True, seed=631, kinds=EVERY_KIND)
LAWS = {"recursive": hybrid_dynamics, "dense": hybrid_dynamics_dense}


@pytest.mark.parametrize("law", LAWS)
def test_complex_numbers_differentiate(law):
    """All four blocks that (34) is made of, by complex steps of what is given."""
    chain, u, state, _ = drawn(SMALL)
    M = crba(chain, state["q"])
    M_uu, M_uv, M_vv = M[np.ix_(u, u)], M[np.ix_(u, ~u)], M[np.ix_(~u, ~u)]
    inverse = np.linalg.inv(M_vv)
    limit = condition(M, u)

    def rates(name):
        step = state | {name: state[name] + 1j * STEP * np.eye(len(state[name]))}
        return [x.imag.T / STEP for x in LAWS[law](chain, prescribed=u, **step)]

    by_tau, by_qdd = rates("tau"), rates("qdd")
    assert_near(by_tau[0][~u], inverse, chain.n, limit)
    assert_near(by_tau[1][u], M_uv @ inverse, chain.n, limit)
    assert_near(by_qdd[0][~u], -inverse @ M_uv.T, chain.n, limit)
    assert_near(by_qdd[1][u], M_uu - M_uv @ inverse @ M_uv.T, chain.n, limit)
    for x in (by_tau[0][u], by_qdd[1][~u]):
        assert not x.any()


def test_the_recursion_is_the_one_that_was_asked_for():
    """Body coordinates keep the digits of a straight chain; about the world's origin its length costs some."""
    n = 300
    rod = Link(Revolute(), 1, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12]), offset=(1, 0, 0))
    chain, rng = Chain([rod] * n, gravity=(0, -9.81, 0)), np.random.default_rng(1)
    qd, qdd, tau = rng.normal(size=(3, n))
    given = split(np.arange(n) % 2 == 0, qdd, tau)
    by_body, by_world = (
        hybrid_dynamics(chain, np.zeros(n), qd, **given, recursion=r)[0] for r in RECURSIONS
    )
    assert 1e-14 < np.linalg.norm(by_world - by_body) / np.linalg.norm(by_body) < 1e-8


# --- joints that feel no inertia ---


def solid(joint=None, **placed):
    return Link(joint or Revolute(), 1.0, (0.2, 0.1, 0.3), np.eye(3), (0.3, 0, 0.1), **placed)


def massless(joint, **placed):
    return Link(joint, *MASSLESS, (0.1, 0.2, 0), **placed)


# what is to be prescribed so that the others have an answer; with nothing prescribed the tip is named
CURED = {
    "a leaf": ([solid(), massless(Revolute((0, 1, 0)), name="tip")], [1]),
    "a slide with a tool": (
        [solid(), massless(Prismatic(), name="tip"), massless(Fixed())], [1]
    ),
    "a branch": ([solid(), massless(Prismatic(), parent=0, name="tip"), solid(parent=0)], [1]),
    "one axis twice, the first": (
        [Link(Revolute((1, 2, 3)), *MASSLESS, name="tip"), Link(Revolute((1, 2, 3)), 1, (0.2, 0.1, 0), np.eye(3))], [0]
    ),
    "one axis twice, the second": (
        [Link(Revolute((1, 2, 3)), *MASSLESS, name="tip"), Link(Revolute((1, 2, 3)), 1, (0.2, 0.1, 0), np.eye(3))], [1]
    ),
    "a rod's spin on its ball": (
        [solid(), Link(Spherical(), 1, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12]), name="tip")], [1]
    ),
    "a massless ball's three turns": ([solid(), massless(Spherical(), name="tip")], [1, 2, 3]),
}  # fmt: skip


@pytest.mark.parametrize("name", CURED)
@pytest.mark.parametrize("recursion", RECURSIONS)
def test_a_joint_that_feels_no_inertia_is_named_unless_it_is_told_its_motion(name, recursion):
    links, columns = CURED[name]
    chain = Chain(links)
    q, qd = random_state(chain, 8, batch=(2,))
    rng = np.random.default_rng(8)
    qdd, tau = rng.normal(size=(2, 2, chain.nv))
    u = np.isin(np.arange(chain.nv), columns)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, forces = hybrid_dynamics(chain, q, qd, **split(u, qdd, tau), recursion=recursion)
        lacking = [u & (np.arange(chain.nv) != k) for k in columns]  # all but one
        if not name.startswith("one axis twice"):  # there the other one would do, too
            lacking.append(~u)
        for u_less in lacking:
            given = split(u_less, qdd, tau)
            with pytest.raises(ValueError, match="joint of link 'tip' feels no inertia"):
                hybrid_dynamics(chain, q, qd, **given, recursion=recursion)
            named = "" if name.startswith("one axis twice") else "joint of link 'tip' "
            with pytest.raises(ValueError, match=f"M is singular: the {named}"):
                hybrid_dynamics_dense(chain, q, qd, **given)
    for k in range(2):
        M = crba(chain, q[k])
        limit = condition(M, u)
        again = rnea(chain, q[k], qd[k], found[k])
        assert_within(again, forces[k], reactions(chain, q[k], qd[k], found[k]), limit)
        assert_given(u, split(u, qdd, tau), found, forces)


def nearly_parallel_slides(roundings, *others, mass=1.0):
    """Two slides whose M, each coordinate in a unit of its own, has this many rounding units as an eigenvalue."""
    angle = np.arccos(1 - roundings * EPS)
    along = Prismatic((np.cos(angle), np.sin(angle), 0))
    first = Link(Prismatic((1, 0, 0)), *MASSLESS, name="tip")
    second = Link(along, mass, (0, 0, 0), np.eye(3))
    return Chain([first, second, *others], gravity=(0, 0, 0))


@pytest.mark.parametrize("mass", [1.0, 1e-20, 1e20])
def test_the_dense_route_tells_inertia_from_rounding_at_ten_units_a_velocity(mass):
    """M_vv is singular where its smallest eigenvalue is below 10 n_v units, whatever the other masses are."""
    up = Link(Prismatic((0, 0, 1)), 1, (0, 0, 0), np.eye(3), parent="ground")
    for others, singular, regular in (((), (4, 17), (23, 100)), ((up,), (4, 17, 27), (33, 100))):
        for roundings in singular:
            chain = nearly_parallel_slides(roundings, *others, mass=mass)
            still, given = (
                np.zeros(chain.nv),
                split(np.zeros(chain.nv, bool), *np.ones((2, chain.nv))),
            )
            with pytest.raises(ValueError, match="M is singular"):
                hybrid_dynamics_dense(chain, still, still, **given)
        for roundings in regular:
            chain = nearly_parallel_slides(roundings, *others, mass=mass)
            push = np.eye(chain.nv)[0]
            given = split(np.zeros(chain.nv, bool), push, push)
            qdd, _ = hybrid_dynamics_dense(chain, 0 * push, 0 * push, **given)
            # 1 - cos^2 is twice the eigenvalue, which is itself known to a unit or two
            assert np.isclose(qdd[0], 1 / (2 * mass * roundings * EPS), rtol=3 / roundings)


def test_a_massless_leaf_that_is_told_its_motion_changes_nothing():
    arm = [solid(), solid(Universal())]
    with_tip = Chain([*arm, massless(Revolute((0, 1, 0)))])
    q, qd = random_state(with_tip, 9)
    tau = np.array([0.3, -0.2, 0.5])
    u = np.array([False, False, False, True])
    qdd, forces = hybrid_dynamics(with_tip, q, qd, prescribed=u, qdd=[5.0], tau=tau)
    without = Chain(arm)
    limit = condition(crba(without, q[:3]), u[:3])
    assert_near(qdd[:3], aba(without, q[:3], qd[:3], tau), 3, limit)
    assert abs(forces[3]) <= 100 * EPS * np.linalg.norm(forces)


# --- what is refused ---

ARM = Chain([solid(Revolute((0, 1, 0))), solid(Universal(), name="wrist"), solid(Prismatic())])
GOOD = {
    "chain": ARM,
    "q": np.zeros(4),
    "qd": np.zeros(4),
    "prescribed": np.array([True, False, True, False]),
    "qdd": np.ones(2),
    "tau": np.ones(2),
}
BOOLEANS = r"but must be 4 booleans, one for each joint velocity of this chain \(nv = 4\)"
BAD = [
    ({"prescribed": [True, False, True]}, rf"prescribed is \[True, False, True\], {BOOLEANS}"),
    ({"prescribed": [1, 0, 1, 0]}, rf"prescribed is \[1, 0, 1, 0\], {BOOLEANS}"),
    ({"prescribed": [0, 2]}, rf"prescribed is \[0, 2\], {BOOLEANS}"),
    ({"prescribed": np.ones(4)}, BOOLEANS),
    ({"prescribed": np.ones((2, 4), bool)}, BOOLEANS),
    ({"prescribed": True}, rf"prescribed is True, {BOOLEANS}"),
    ({"prescribed": None}, rf"prescribed is None, {BOOLEANS}"),
    ({"prescribed": "wrist"}, rf"prescribed is 'wrist', {BOOLEANS}"),
    ({"prescribed": [[True], [True, False]]}, rf"prescribed is .*, {BOOLEANS}"),
    ({"qdd": np.ones(4)}, r"qdd has shape \(4,\), .* \(\.\.\., 2\): the mask prescribes 2 of the 4 velocities"),
    ({"tau": np.ones(4)}, r"tau has shape \(4,\), .* \(\.\.\., 2\): the mask leaves open 2 of the 4 velocities"),
    ({"prescribed": [True] * 4}, r"qdd has shape \(2,\), .* \(\.\.\., 4\): the mask prescribes 4 of the 4"),
    ({"prescribed": [False] * 4}, r"qdd has shape \(2,\), .* \(\.\.\., 0\): the mask prescribes 0 of the 4"),
    ({"qdd": 1.0}, r"qdd has shape \(\)"),
    ({"tau": "push"}, "tau must hold numbers"),
    ({"tau": None}, "tau must hold numbers"),
    ({"qdd": [[1, 2], [3]]}, "qdd is not an array: its rows differ in length"),
    ({"qdd": [1, np.nan]}, r"qdd\[1\] \(link 'wrist'\) is nan"),
    ({"tau": np.array([[1, 1], [1, np.inf]])}, r"tau\[1, 1\] \(link 'link2'\) is inf"),
    ({"q": [0, np.nan, 0, 0]}, r"q\[1\] \(link 'wrist'\) is nan"),
    ({"q": np.zeros(3)}, r"q has shape \(3,\).*nq = 4"),
    ({"qd": np.zeros(5)}, r"qd has shape \(5,\).*nv = 4"),
    ({"q": np.zeros((2, 4)), "qdd": np.ones((3, 2))}, r"batch axes of q \(2, 4\), .* qdd \(3, 2\), .* broadcast"),
    ({"q": np.zeros((2, 4)), "tau": np.ones((3, 2))}, r"batch axes of q \(2, 4\), .* tau \(3, 2\) cannot be broadcast"),
    ({"qdd": np.ones((2, 2)), "tau": np.ones((3, 2))}, r"qdd \(2, 2\), tau \(3, 2\) cannot be broadcast"),
    ({"chain": "arm"}, "chain must be a Chain"),
]  # fmt: skip
BAD_OPTIONS = [
    ({"external": np.zeros((2, 6))}, r"external has shape \(2, 6\), but .* \(\.\.\., 3, 6\): this chain has n = 3"),
    ({"external": np.full((3, 6), np.nan)}, r"external\[0, 0\] \(link 'link0'\) is nan"),
    ({"external": np.zeros((3, 3, 6)), "tau": np.ones((2, 2))}, r"tau \(2, 2\), external \(3, 3, 6\) cannot be"),
    ({"external_frame": "tool"}, "external_frame is 'tool', but must be 'body' or 'mixed' or 'world'"),
    ({"recursion": "mixed"}, "recursion is 'mixed', but must be 'body' or 'world'"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), BAD)
@pytest.mark.parametrize("law", LAWS)
def test_bad_input_is_told(law, change, message):
    with pytest.raises(ValueError, match=message):
        LAWS[law](**GOOD | change)


@pytest.mark.parametrize(("change", "message"), BAD_OPTIONS)
def test_bad_wrenches_and_options_are_told(change, message):
    with pytest.raises(ValueError, match=message):
        hybrid_dynamics(**GOOD | change)


@pytest.mark.parametrize("law", LAWS)
def test_lists_and_whole_numbers_will_do(law):
    result = LAWS[law](**GOOD)
    plain = GOOD | {"q": [0] * 4, "qd": [0] * 4, "qdd": [1, 1], "tau": [1, 1]}
    plain["prescribed"] = [True, False, True, False]
    for x, y in zip(LAWS[law](**plain), result, strict=True):
        assert_near(x, y, 3)


def test_the_trees_have_joints_of_every_kind():
    chains = [random_tree(case) for case in TREES]
    assert {type(joint) for chain in chains for joint in chain.joints} == set(EVERY_KIND)
    own = {type(joint) for joint in random_tree(BATCHED).joints}
    assert len(own) >= 5
    for chain in chains:  # the masks split every joint that can be split
        u = masks(chain)[-1]
        for columns in chain.v_columns:
            assert len(columns) < 2 or 0 < u[list(columns)].sum() < len(columns)
