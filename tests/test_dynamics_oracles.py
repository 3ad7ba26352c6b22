"""Joints of every kind, free bases and four robots, against Pinocchio and MuJoCo, and four routes against each other.

Pinocchio's results are kept as data, so that this runs where it is not installed; MuJoCo runs here where it is.
An error is measured by what is compared, or, where the terms of a sum cancel, by the terms.
"""

import numpy as np
import pytest
from engines import as_in_mujoco, mujoco_model
from scipy.linalg import cho_factor, cho_solve
from trees import (
    EPS,
    STORED_KINDS,
    allowed,
    assert_near,
    assert_within,
    oracle,
    projected,
    reactions,
    stored_chain,
    wrench_at,
)

from chaindyn import (
    Chain,
    Free,
    aba,
    bias_force,
    body_twists,
    coriolis_matrix,
    crba,
    forward_kinematics,
    impact,
    inverse_operational_space_inertia,
    joint_wrenches,
    load_urdf,
    rnea,
    solve_full_system,
)

MODELS = oracle("dynamics")["models"]
ROBOTS = [model for model in MODELS if "file" in model]
RECURSIONS = ("body", "world")


def name_of(model):
    return model["name"].replace(" ", "-").replace(",", "")


@pytest.fixture(params=MODELS, ids=name_of)
def stored(request):
    """Each model's chain, its state, and what Pinocchio computed."""
    model = request.param
    state = {key: np.array(value) for key, value in model["state"].items()}
    return stored_chain(model), state, model


def first(state, *names):
    return [state[name] for name in names]


def product(chain):
    """100 roundings a link, never above 1e-8."""
    return min(100 * EPS * chain.n, 1e-8)


def solve(model, recursion="body"):
    """100 roundings for each unit of M's condition, never above 1e-8; more in world coordinates far out.

    There a link's inertia is about a distant origin, and m r^2 hides what it is about its own.
    """
    q = np.array(model["state"]["q"])
    reach = np.abs(forward_kinematics(stored_chain(model), q)[1]).max()  # of links of about a metre
    return (1 if recursion == "body" else 1 + reach**2) * allowed(model["crba"])


# --- Pinocchio ---


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_inverse_dynamics(stored, recursion):
    chain, state, expected = stored
    motion, external = first(state, "q", "qd", "qdd"), state["external"]
    size = reactions(chain, *motion, external)
    tau = rnea(chain, *motion, external=external, recursion=recursion)
    assert_within(tau, expected["rnea"], size, product(chain))
    h = bias_force(chain, *motion[:2], recursion=recursion)
    size = reactions(chain, *motion[:2], 0 * motion[2])
    assert_within(h, expected["bias_force"], size, product(chain))


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_joint_wrenches(stored, recursion):
    chain, state, expected = stored
    options = {"external": state["external"], "recursion": recursion}
    f = joint_wrenches(chain, *first(state, "q", "qd", "qdd"), **options)
    assert_near(f, np.array(expected["wrenches"]), chain.n, product(chain))


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_mass_and_coriolis_matrix(stored, recursion):
    chain, state, expected = stored
    q, qd = first(state, "q", "qd")
    M = crba(chain, q, recursion=recursion)
    assert_near(M, np.array(expected["crba"]), chain.n, product(chain))
    weightless = Chain(chain.links, gravity=(0, 0, 0))
    bias = coriolis_matrix(chain, q, qd, recursion=recursion) @ qd
    size = reactions(weightless, q, qd, 0 * qd)
    assert_within(bias, expected["coriolis"], size, product(chain))


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_forward_dynamics(stored, recursion):
    chain, state, expected = stored
    options = {"external": state["external"], "recursion": recursion}
    qdd = aba(chain, *first(state, "q", "qd", "tau"), **options)
    assert_near(qdd, np.array(expected["aba"]), chain.n, solve(expected, recursion))


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_how_links_yield(stored, recursion):
    chain, state, expected = stored
    inverses = inverse_operational_space_inertia(chain, state["q"], recursion=recursion)
    limit = solve(expected, recursion)
    for inverse, reference in zip(inverses, np.array(expected["inverse_inertias"]), strict=True):
        assert_near(inverse, reference, chain.n, limit)


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_impacts(stored, recursion):
    chain, state, expected = stored
    q, qd = first(state, "q", "qd")
    limit = solve(expected, recursion)
    most = max(limit, 1e-8)
    twists = body_twists(chain, q, qd, frame="world")
    in_world = inverse_operational_space_inertia(chain, q, frame="world")
    for stored_blow in expected["blows"]:
        blow = dict(stored_blow)
        results = {k: blow.pop(k) for k in ("impulse", "qd_jump", "twist_jumps", "joint_impulses")}
        hit = impact(chain, q, qd, **blow, recursion=recursion)
        b = blow["body"]
        still = not any(chain.joints[i].nv for i in chain.path(b))
        cancelling = 1 if still else projected(in_world[b], twists[b], blow)
        given = results["impulse"] * np.linalg.norm(wrench_at(blow["point"], blow["normal"]))
        for key, value in results.items():  # a free joint passes on none of what is given
            size = given if key == "joint_impulses" else 0
            assert_within(getattr(hit, key), value, size, min(cancelling * limit, most))


# --- four routes to the accelerations ---


def test_four_routes_to_the_accelerations(stored):
    """The large system, articulated bodies, M with Cholesky, and inverse dynamics undone."""
    chain, state, expected = stored
    q, qd, qdd, tau = first(state, "q", "qd", "qdd", "tau")
    limit = allowed(expected["crba"])
    articulated = aba(chain, q, qd, tau)
    M = crba(chain, q)
    assert_near(
        cho_solve(cho_factor(M), tau - bias_force(chain, q, qd)), articulated, chain.n, limit
    )
    assert_near(solve_full_system(chain, q, qd, tau)[2], articulated, chain.n, limit)
    assert_near(aba(chain, q, qd, rnea(chain, q, qd, qdd)), qdd, chain.n, limit)


# --- MuJoCo ---


def of_mujoco(mujoco, chain, q, qd):
    """Return M and h of our rates, from MuJoCo's of its own."""
    model = mujoco_model(mujoco, chain)
    data = mujoco.MjData(model)
    theirs = as_in_mujoco(chain)
    data.qpos[:], data.qvel[:] = theirs.to_q(chain, q), theirs.to_qd(chain, q, qd)
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    for column, row in zip(np.eye(model.nv), M, strict=True):
        mujoco.mj_mulM(model, data, row, column)
    M = theirs.from_matrix(chain, q, M)
    return M, theirs.from_bias(chain, q, qd, data.qfrc_bias, M)


# MuJoCo refuses bodies as light as the tiny tree's.
WEIGHTY = [model for model in MODELS if not model["name"].startswith("tiny")]


@pytest.mark.parametrize("stored", WEIGHTY, ids=name_of, indirect=True)
def test_mujoco_computes_the_same(stored):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    chain, state, _ = stored
    q, qd = first(state, "q", "qd")
    M, h = of_mujoco(mujoco, chain, q, qd)
    assert_near(crba(chain, q), M, chain.n, product(chain))
    size = reactions(chain, q, qd, 0 * qd)
    assert_within(bias_force(chain, q, qd), h, size, product(chain))


# --- the data themselves ---


@pytest.mark.parametrize("model", ROBOTS, ids=name_of)
def test_the_file_still_gives_the_stored_chain(model, robot_file):
    pytest.importorskip("yourdfpy")
    chain, kept = load_urdf(robot_file(model["file"]), **model["options"]), stored_chain(model)
    assert chain.names == kept.names and chain.parent == kept.parent
    assert [type(joint) for joint in chain.joints] == [type(joint) for joint in kept.joints]
    for name in ("mass", "com", "inertia", "offset", "rotation"):
        assert_near(getattr(chain, name), getattr(kept, name), 1)


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_pinocchio_still_gives_the_stored_results(model, robot_file):
    """Its version or its way of reading files may change: then the file is to be made again."""
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    from oracles import make_dynamics as make

    if "file" in model:
        pytest.importorskip("yourdfpy")
        again = make.robot(model["name"])
    else:
        again = next(make.tree(case) for case in make.TREES if make.name_of(case) == model["name"])
    limit = allowed(model["crba"])
    for key in ("crba", "wrenches", "aba", "inverse_inertias"):
        assert_near(np.array(again[key]), np.array(model[key]), 1, limit)
    for key in ("rnea", "bias_force", "coriolis"):
        size = np.linalg.norm(model["wrenches"])
        assert_within(np.array(again[key]), model[key], size, limit)


def test_every_asked_for_model_is_there():
    names = [model["name"] for model in MODELS]
    assert names[:4] == ["UR5", "Allegro hand", "Solo12, free", "Talos, free"]
    assert len(set(names)) == len(names)
    chains = [stored_chain(model) for model in MODELS]
    assert [isinstance(chain.joints[0], Free) for chain in chains[:4]] == [False, False, True, True]
    trees = chains[4:]
    assert {1, 30} <= {chain.n for chain in trees}
    assert sum(len(set(chain.parent)) < chain.n for chain in trees) >= 6
    assert {type(joint) for chain in trees for joint in chain.joints} == set(STORED_KINDS)
