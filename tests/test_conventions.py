"""The conventions against the engines that have them, on 10^3 random states each, and what holds of every convention.

Pinocchio, MuJoCo and Modern Robotics run here where they are installed; Drake's results are kept as data. Each engine
is given a state by its own vectors, and what it answers is brought back. Errors are normwise over all states.
"""

from dataclasses import replace

import numpy as np
import pytest
from engines import as_in_mujoco, drake_tree, modern_robotics_model, mujoco_model
from laws import every_joint, without_rotors
from trees import EPS, oracle

from chaindyn import (
    Chain,
    Convention,
    Free,
    Helical,
    Link,
    Planar,
    Revolute,
    Spherical,
    X_force,
    X_motion,
    aba,
    bias_force,
    body_accelerations,
    body_jacobian,
    body_twists,
    convention,
    coriolis_matrix,
    crba,
    forward_kinematics,
    integrate,
    kinetic_energy,
    random_state,
    rnea,
    spatial_inertia,
    swap_order,
)
from chaindyn.conventions import CONVENTIONS
from chaindyn.teaching import normwise

STATES = 1000
SEED = 1500
FRAMES = ("body", "world", "mixed")


def rounding(chain):
    """100 roundings a link."""
    return 100 * EPS * chain.n


def state_of(chain, batch=(STATES,)):
    """Return q, qd, qdd, tau and wrenches on the links, at random."""
    rng = np.random.default_rng(SEED)
    q, qd = random_state(chain, rng, batch=batch)
    qdd, tau = rng.normal(size=(2, *qd.shape))
    return q, qd, qdd, tau, rng.normal(size=(*batch, chain.n, 6))


def loop(function, *states):
    """Return what an engine answers to one state after another, each answer's arrays stacked."""
    answers = [function(*state) for state in zip(*states, strict=True)]
    return [np.array(part) for part in zip(*answers, strict=True)]


def assert_same(result, reference, limit):
    error = normwise(result, reference)
    assert error <= limit, f"error {error:.2e} exceeds {limit:.2e}"


def joints_of(*kinds):
    """Return the tree of every joint, those of some kinds replaced by hinges."""
    chain = without_rotors()
    links = [
        replace(link, joint=Revolute((2, 0, 1))) if isinstance(link.joint, kinds) else link
        for link in chain.links
    ]
    return Chain(links, chain.gravity)


# Pinocchio --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pinocchio():
    """Give a tree with every joint, Pinocchio's model of it with our convention of it, and states."""
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    from oracles.make_dynamics import model_of_tree

    chain = joints_of()
    built = model_of_tree(chain)
    return chain, built, built.theirs, state_of(chain)


def test_pinocchio_moves_the_same_way(pinocchio):
    """Poses, twists, spatial and classical accelerations, and Jacobians, in its three frames."""
    import pinocchio as pin

    chain, built, theirs, (q, qd, qdd, *_) = pinocchio
    model, data = built.model, built.model.createData()
    kinds = [pin.LOCAL, pin.WORLD, pin.LOCAL_WORLD_ALIGNED]

    def answer(*full):
        pin.forwardKinematics(model, data, *full)
        pin.computeJointJacobians(model, data, full[0])
        pin.updateFramePlacements(model, data)
        poses = [data.oMf[f] for f in built.frames]
        moved = [
            [[get(model, data, f, kind).vector.copy() for f in built.frames] for kind in kinds]
            for get in (
                pin.getFrameVelocity,
                pin.getFrameAcceleration,
                pin.getFrameClassicalAcceleration,
            )
        ]
        J = [pin.getFrameJacobian(model, data, built.frames[-1], kind) for kind in kinds]
        R, p = ([getattr(x, part).copy() for x in poses] for part in ("rotation", "translation"))
        return R, p, *moved, J

    full = theirs.to_q(chain, q), theirs.to_qd(chain, q, qd), theirs.to_qdd(chain, q, qd, qdd)
    R, p, twists, spatial, classical, J = loop(answer, *full)
    limit = rounding(chain)
    for result, reference in zip((R, p), forward_kinematics(chain, q), strict=True):
        assert_same(result, reference, limit)
    for k, frame in enumerate(FRAMES):
        V = body_twists(chain, q, qd, frame=frame)
        assert_same(theirs.convert_twist(twists[:, k]), V, limit)
        for result, option in ((spatial, False), (classical, True)):
            A = body_accelerations(chain, q, qd, qdd, frame=frame, classical=option)
            assert_same(theirs.convert_twist(result[:, k]), A, limit)
        expected = body_jacobian(chain, q, chain.n - 1, frame=frame)
        assert_same(theirs.from_jacobian(chain, q, J[:, k]), expected, limit)
        assert_same(theirs.to_jacobian(chain, q, expected), J[:, k], limit)


def test_pinocchio_computes_the_same_dynamics(pinocchio):
    import pinocchio as pin

    chain, built, theirs, (q, qd, qdd, tau, external) = pinocchio
    model, data = built.model, built.model.createData()

    def answer(q, v, a, tau, wrenches):
        forces = [pin.Force.Zero() for _ in range(model.njoints)]
        for f, wrench in zip(built.frames, wrenches, strict=True):
            frame = model.frames[f]
            forces[frame.parentJoint] += frame.placement.act(pin.Force(wrench))
        M = pin.crba(model, data, q)
        return (
            pin.rnea(model, data, q, v, a, forces).copy(),
            np.triu(M) + np.triu(M, 1).T,
            pin.nonLinearEffects(model, data, q, v).copy(),
            pin.aba(model, data, q, v, tau, forces).copy(),
            pin.computeMinverse(model, data, q).copy(),
        )

    tau2, M2, h2, a2, inverse = loop(
        answer,
        theirs.to_q(chain, q),
        theirs.to_qd(chain, q, qd),
        theirs.to_qdd(chain, q, qd, qdd),
        theirs.to_tau(chain, q, tau),
        theirs.to_external(chain, q, external),
    )
    M, h, limit = crba(chain, q), bias_force(chain, q, qd), rounding(chain)
    assert_same(theirs.from_tau(chain, q, tau2), rnea(chain, q, qd, qdd, external=external), limit)
    assert_same(theirs.from_matrix(chain, q, M2), M, limit)
    assert_same(theirs.from_bias(chain, q, qd, h2, M), h, limit)
    assert_same(theirs.to_bias(chain, q, qd, h, M), h2, limit)
    cond = np.linalg.cond(M).max()
    assert_same(
        theirs.from_qdd(chain, q, qd, a2), aba(chain, q, qd, tau, external=external), cond * limit
    )
    upper = np.triu(inverse) + np.triu(inverse, 1).mT
    assert_same(theirs.from_matrix(chain, q, upper), np.linalg.inv(M), cond * limit)


def test_pinocchio_s_inertia_and_transforms_are_exchanged(pinocchio):
    import pinocchio as pin

    theirs, rng = pinocchio[2], np.random.default_rng(SEED)
    R, p = pin.SE3.Random().rotation, rng.normal(size=3)
    T = pin.SE3(R, p)
    J = np.diag([1.0, 1.2, 1.4])
    body = pin.Inertia(1.3, p, J)
    kinds = {
        ("twist", "twist"): (X_motion(R.T, p), T.actionInverse),
        ("wrench", "wrench"): (X_force(R.T, p), T.inverse().dualAction),
        ("twist", "wrench"): (spatial_inertia(1.3, p, J), body.matrix()),
    }
    for (takes, gives), (ours, other) in kinds.items():
        assert_same(theirs.convert_matrix(other, takes=takes, gives=gives), ours, 100 * EPS)


def test_pinocchio_s_unbounded_hinges_have_cosine_and_sine():
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelRUBX(), pin.SE3.Identity(), "wheel")
    chain = Chain([Link(Revolute((1, 0, 0)), 1, (0, 0, 0), np.eye(3), name="wheel")])
    theirs = convention("Pinocchio", unbounded=["wheel"])
    q, _ = random_state(chain, SEED, batch=(100,))
    assert_same(theirs.from_q(chain, theirs.to_q(chain, q)), q, 10 * EPS)
    data = model.createData()
    for one in q:
        pin.forwardKinematics(model, data, theirs.to_q(chain, one))
        assert_same(data.oMi[joint].rotation, forward_kinematics(chain, one)[0][0], 10 * EPS)


# MuJoCo -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mujoco():
    """Give a tree with every joint that MuJoCo has, its model, our convention of it, and states.

    The first link is free in the world; another, free on a link, is three slides and a ball.
    """
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    chain = joints_of(Helical)
    more = replace(chain.links[0], parent=3, offset=(0.1, 0.2, -0.3))
    chain = Chain([*chain.links, more], chain.gravity)
    return mujoco, chain, mujoco_model(mujoco, chain), as_in_mujoco(chain), state_of(chain)


def bodies(chain):
    """Return MuJoCo's number of each link: the world is 0, and bodies are counted depth first."""
    order = sorted(range(chain.n), key=chain.path)
    return [order.index(i) + 1 for i in range(chain.n)]


def test_mujoco_moves_the_same_way(mujoco):
    """Poses, and about each link's origin its Jacobian and its velocity in both of MuJoCo's axes."""
    mujoco, chain, model, theirs, (q, qd, *_) = mujoco
    data, own = mujoco.MjData(model), bodies(chain)

    def answer(qpos, qvel):
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_forward(model, data)
        J, twists = np.zeros((2, 3, model.nv)), np.zeros((2, chain.n, 6))
        mujoco.mj_jac(model, data, J[0], J[1], data.xpos[own[-1]], own[-1])
        for local, frame in enumerate(twists):
            for b, twist in zip(own, frame, strict=True):
                mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, b, twist, local)
        turns = data.xmat[own].reshape(-1, 3, 3)
        return data.xpos[own], turns, data.xquat[own], J, twists

    p, R, quaternions, J, twists = loop(answer, theirs.to_q(chain, q), theirs.to_qd(chain, q, qd))
    limit = rounding(chain)
    R_, p_ = forward_kinematics(chain, q)
    assert_same(R, R_, limit)
    assert_same(p, p_, limit)
    w, x, y, z = np.moveaxis(quaternions, -1, 0)  # scalar first
    assert_same(w * w + x * x - y * y - z * z, R_[..., 0, 0], limit)
    linear_first = replace(theirs, twist="v w")  # mj_jac hands out the linear half first
    ours = linear_first.from_jacobian(chain, q, np.concatenate([J[:, 0], J[:, 1]], axis=1))
    assert_same(ours, body_jacobian(chain, q, chain.n - 1, frame="mixed"), limit)
    for k, frame in enumerate(("mixed", "body")):
        V = body_twists(chain, q, qd, frame=frame)
        assert_same(theirs.convert_twist(twists[:, k]), V, limit)


def test_mujoco_computes_the_same_dynamics(mujoco):
    mujoco, chain, model, theirs, (q, qd, qdd, tau, external) = mujoco
    data, own = mujoco.MjData(model), bodies(chain)

    def answer(qpos, qvel, qacc, force, wrenches):
        data.qpos[:], data.qvel[:] = qpos, qvel
        data.qfrc_applied[:], data.xfrc_applied[own] = force, wrenches
        mujoco.mj_forward(model, data)
        M, forward = np.zeros((model.nv, model.nv)), data.qacc.copy()
        mujoco.mj_fullM(model, data, M)
        bias = data.qfrc_bias.copy()
        data.qacc[:] = qacc
        mujoco.mj_inverse(model, data)
        return M, bias, forward, data.qfrc_inverse.copy()

    M2, h2, a2, tau2 = loop(
        answer,
        theirs.to_q(chain, q),
        theirs.to_qd(chain, q, qd),
        theirs.to_qdd(chain, q, qd, qdd),
        theirs.to_tau(chain, q, tau),
        theirs.to_external(chain, q, external),
    )
    M, h, limit = crba(chain, q), bias_force(chain, q, qd), rounding(chain)
    assert_same(theirs.from_matrix(chain, q, M2), M, limit)
    assert_same(theirs.to_matrix(chain, q, M), M2, limit)
    assert_same(theirs.from_bias(chain, q, qd, h2, M), h, limit)
    assert_same(theirs.to_bias(chain, q, qd, h, M), h2, limit)
    # what `mj_inverse` calls inverse is without the applied forces
    assert_same(theirs.from_tau(chain, q, tau2), rnea(chain, q, qd, qdd), limit)
    cond = np.linalg.cond(M).max()
    forward = aba(chain, q, qd, tau, external=external)
    assert_same(theirs.from_qdd(chain, q, qd, a2), forward, cond * limit)


def test_mujoco_s_own_wrenches_have_the_moment_first(mujoco):
    """What was applied to a body in one order, it keeps in the other; about the centre of mass of one body alone."""
    mujoco, chain, *_ = mujoco
    alone = Chain(chain.links[:1], chain.gravity)
    model, theirs = mujoco_model(mujoco, alone), as_in_mujoco(alone)
    data = mujoco.MjData(model)
    applied = np.arange(1.0, 7.0)
    data.xfrc_applied[1] = applied
    mujoco.mj_forward(model, data)
    mujoco.mj_rnePostConstraint(model, data)
    assert theirs.external == "f tau"
    assert_same(theirs.convert_wrench(data.cfrc_ext[1]), swap_order(applied), 100 * EPS)


# Modern Robotics --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def robotics():
    """Give a serial chain of a hinge, a slide, a universal joint, a ring on a rod and a bolt, its lists, and states."""
    mr = pytest.importorskip("modern_robotics", reason="modern_robotics is not installed")
    tree = joints_of()
    links = [replace(tree.links[i], parent=None) for i in (1, 2, 5, 8, 7)]
    chain = Chain(links, tree.gravity)
    return mr, chain, modern_robotics_model(chain), state_of(chain)


def test_modern_robotics_moves_the_same_way(robotics):
    mr, chain, model, (q, *_) = robotics
    theirs = convention("Modern Robotics")
    S, home = model["S"], model["home"]
    B = mr.Adjoint(mr.TransInv(home)) @ S

    def answer(q):
        poses = mr.FKinSpace(home, S, q), mr.FKinBody(home, B, q)
        return *poses, mr.JacobianSpace(S, q), mr.JacobianBody(B, q)

    T, T_, J_space, J_body = loop(answer, theirs.to_q(chain, q))
    R, p = forward_kinematics(chain, q)
    limit = rounding(chain)
    for pose in (T, T_):
        assert_same(pose[:, :3, :3], R[:, -1], limit)
        assert_same(pose[:, :3, 3], p[:, -1], limit)
    for J, frame in ((J_space, "world"), (J_body, "body")):
        assert_same(theirs.from_jacobian(chain, q, J), body_jacobian(chain, q, frame=frame), limit)


def test_modern_robotics_has_the_same_inverse_dynamics(robotics):
    """The wrench at the tip is what the tip does to what it touches: of the other sign."""
    mr, chain, model, (q, qd, qdd, _, external) = robotics
    theirs = convention("Modern Robotics")
    external = external * (np.arange(chain.n) == chain.n - 1)[:, None]  # on the last link alone
    g, lists = np.array(chain.gravity), (model["M"], model["G"], model["S"])
    (tau,) = loop(
        lambda q, qd, qdd, tip: (mr.InverseDynamics(q, qd, qdd, g, tip[-1], *lists),),
        theirs.to_q(chain, q),
        theirs.to_qd(chain, q, qd),
        theirs.to_qdd(chain, q, qd, qdd),
        theirs.to_external(chain, q, external),
    )
    expected = rnea(chain, q, qd, qdd, external=external)
    assert_same(theirs.from_tau(chain, q, tau), expected, rounding(chain))


# Their code calls its inverse dynamics once for each column of M, which takes it a minute for all states.
@pytest.mark.parametrize("states", [30, pytest.param(STATES, marks=pytest.mark.nightly)])
def test_modern_robotics_has_the_same_mass_matrix_and_bias(robotics, states):
    mr, chain, model, (q, qd, *_) = robotics
    theirs, q, qd = convention("Modern Robotics"), q[:states], qd[:states]
    lists = model["M"], model["G"], model["S"]
    at_com = spatial_inertia(chain.links[0].mass, np.zeros(3), chain.links[0].inertia)
    assert_same(theirs.convert_matrix(at_com, takes="twist", gives="wrench"), lists[1][0], EPS)
    M, c = loop(
        lambda q, qd: (mr.MassMatrix(q, *lists), mr.VelQuadraticForces(q, qd, *lists)),
        theirs.to_q(chain, q),
        theirs.to_qd(chain, q, qd),
    )
    limit, ours = rounding(chain), crba(chain, q)
    assert_same(theirs.from_matrix(chain, q, M), ours, limit)
    weight = bias_force(chain, q, 0 * qd)
    h = theirs.from_bias(chain, q, qd, c, ours) + weight
    assert_same(h, bias_force(chain, q, qd), limit)


# Drake ------------------------------------------------------------------------------------------


def test_drake_has_the_same_states_and_dynamics():
    """Drake's joints were set by its own functions; what its vectors then held, and what it computed, is stored."""
    data = oracle("drake")
    chain = drake_tree(data["links"])
    theirs = convention("Drake", order=data["results"][0]["order"])
    q, qd, M2, h2, J, R, p = (
        np.array([result[key] for result in data["results"]])
        for key in ("q", "qd", "M", "bias", "J", "R", "p")
    )
    positions, v = (np.array([x["theirs"][key] for x in data["results"]]) for key in ("q", "v"))
    limit = rounding(chain)
    ours = theirs.from_q(chain, positions)
    assert_same(theirs.to_qd(chain, q, qd), v, limit)
    for posture in (q, ours):  # a quaternion may come back with the other sign
        for result, reference in zip(forward_kinematics(chain, posture), (R, p), strict=True):
            assert_same(result, reference, limit)
    with_signs = np.abs(theirs.to_q(chain, q)) - np.abs(
        positions
    )  # of quaternions; angles are unique
    assert np.abs(with_signs).max() <= limit
    M, h = crba(chain, q), bias_force(chain, q, qd)
    assert_same(theirs.to_matrix(chain, q, M), M2, limit)
    assert_same(theirs.to_bias(chain, q, qd, h, M), h2, limit)
    assert_same(
        theirs.to_jacobian(chain, q, body_jacobian(chain, q, chain.n - 1, frame="mixed")), J, limit
    )
    # as its documentation has it, a wrench on a body does J^T F to the joints
    external = np.random.default_rng(SEED).normal(size=(len(q), chain.n, 6))
    F = theirs.to_external(chain, q, external)[:, -1, :, None]
    own = body_jacobian(chain, q, chain.n - 1).mT @ external[:, -1, :, None]
    assert_same((J.mT @ F)[..., 0], theirs.to_tau(chain, q, own[..., 0]), limit)


# Every convention -------------------------------------------------------------------------------


ALL = [*CONVENTIONS.values()]


def whole(convention):
    """Return a convention as if it had every joint, its joints shuffled and a hinge without bounds."""
    order = tuple(int(i) for i in np.random.default_rng(3).permutation(10))
    return replace(convention, lacks=(), order=order, unbounded=("link1",))


@pytest.fixture(params=ALL, ids=lambda convention: convention.name.replace(" ", "-"))
def moved(request):
    """Give each convention, the tree of every joint, and states with two batch axes."""
    chain = every_joint()
    return whole(request.param), chain, state_of(chain, (50, 4))


def test_there_and_back_is_where_it_began(moved):
    theirs, chain, (q, qd, qdd, tau, external) = moved
    limit = 100 * EPS
    M, C, J = crba(chain, q), coriolis_matrix(chain, q, qd), body_jacobian(chain, q, 8)
    h = bias_force(chain, q, qd)
    there = theirs.to_q(chain, q)
    back = theirs.from_q(chain, there)
    for a, b in zip(forward_kinematics(chain, back), forward_kinematics(chain, q), strict=True):
        assert_same(a, b, limit)
    assert_same(theirs.to_q(chain, back), there, limit)
    assert_same(theirs.from_qd(chain, q, theirs.to_qd(chain, q, qd)), qd, limit)
    assert_same(theirs.from_qdd(chain, q, qd, theirs.to_qdd(chain, q, qd, qdd)), qdd, limit)
    assert_same(theirs.from_tau(chain, q, theirs.to_tau(chain, q, tau)), tau, limit)
    assert_same(theirs.from_matrix(chain, q, theirs.to_matrix(chain, q, M)), M, limit)
    assert_same(theirs.from_matrix(chain, q, theirs.to_matrix(chain, q, C)), C, limit)
    assert_same(theirs.from_jacobian(chain, q, theirs.to_jacobian(chain, q, J)), J, limit)
    assert_same(
        theirs.from_external(chain, q, theirs.to_external(chain, q, external)), external, limit
    )
    assert_same(theirs.from_bias(chain, q, qd, theirs.to_bias(chain, q, qd, h, M), M), h, limit)
    C2 = theirs.to_coriolis(chain, q, qd, C, M)
    assert_same(theirs.from_coriolis(chain, q, qd, C2, M), C, limit)


EXACT = [name for name, c in CONVENTIONS.items() if c.angular_axes == c.linear_axes == "child"]


@pytest.mark.parametrize("name", EXACT)
def test_what_is_only_exchanged_comes_back_to_the_bit(name):
    """Planar joints and angles aside, which Pinocchio turns."""
    chain = joints_of(Planar)
    theirs = convention(name, lacks=())
    q, qd, _, _, external = state_of(chain)
    assert np.array_equal(theirs.from_q(chain, theirs.to_q(chain, q)), q)
    assert np.array_equal(theirs.from_qd(chain, q, theirs.to_qd(chain, q, qd)), qd)
    for x in (theirs.convert_twist, theirs.convert_wrench):
        assert np.array_equal(x(x(external)), external)


def test_accelerations_are_the_rates_of_velocities(moved):
    """By central differences, of second order: bound by the third power of a step of 1e-5."""
    theirs, chain, (q, qd, qdd, *_) = moved
    h = 1e-5
    late, early = (theirs.to_qd(chain, integrate(chain, q, s * qd), qd + s * qdd) for s in (h, -h))
    assert_same((late - early) / (2 * h), theirs.to_qdd(chain, q, qd, qdd), 1e-8)


def test_power_energy_and_the_equation_of_motion_are_kept(moved):
    theirs, chain, (q, qd, qdd, tau, _) = moved
    M, h = crba(chain, q), bias_force(chain, q, qd)
    v, f = theirs.to_qd(chain, q, qd), theirs.to_tau(chain, q, tau)
    M2, h2 = theirs.to_matrix(chain, q, M), theirs.to_bias(chain, q, qd, h, M)
    assert_same((v * f).sum(-1), (qd * tau).sum(-1), 1000 * EPS)
    energy = (v[..., None, :] @ M2 @ v[..., None])[..., 0, 0] / 2
    assert_same(energy, kinetic_energy(chain, q, qd), 1000 * EPS)
    a = theirs.to_qdd(chain, q, qd, qdd)
    moving = (M2 @ a[..., None])[..., 0] + h2
    assert_same(moving, theirs.to_tau(chain, q, rnea(chain, q, qd, qdd)), 1000 * EPS)


def test_coriolis_matrices_give_the_bias_and_the_rate_of_the_mass_matrix(moved):
    """The rate by central differences, of second order, with a step of 1e-5."""
    theirs, chain, (q, qd, *_) = moved
    M, C = crba(chain, q), coriolis_matrix(chain, q, qd)
    there = theirs.to_coriolis(chain, q, qd, C, M)
    weight = bias_force(chain, q, 0 * qd)
    h = theirs.to_bias(chain, q, qd, bias_force(chain, q, qd) - weight, M)
    v = theirs.to_qd(chain, q, qd)
    assert_same((there @ v[..., None])[..., 0], h, 1000 * EPS)
    step = 1e-5
    late, early = (integrate(chain, q, s * qd) for s in (step, -step))
    late, early = (theirs.to_matrix(chain, x, crba(chain, x)) for x in (late, early))
    assert_same((late - early) / (2 * step), there + there.mT, 1e-8)


def test_external_wrenches_have_the_power_of_their_point_and_axes(moved):
    """The wrench, as the engine has it, times the velocity of the point it is about, in its axes."""
    theirs, chain, (q, qd, _, _, external) = moved
    frame = theirs.external_frame
    V = body_twists(chain, q, qd, frame="mixed" if frame == "com" else frame)
    if frame == "com":
        R, _ = forward_kinematics(chain, q)
        arm = (R @ chain.com[:, :, None])[..., 0]
        V = np.concatenate([V[..., :3], V[..., 3:] + np.cross(V[..., :3], arm)], axis=-1)
    theirs_f = theirs.to_external(chain, q, external)
    f = theirs.external_sign * (swap_order(theirs_f) if theirs.external == "f tau" else theirs_f)
    power = (body_twists(chain, q, qd) * external).sum(-1)
    assert_same((V * f).sum(-1), power, 1000 * EPS)


def test_spatial_matrices_agree_with_the_vectors_they_act_on():
    rng = np.random.default_rng(SEED)
    A, x, y = rng.normal(size=(3, 6, 6)), rng.normal(size=6), None
    for theirs in ALL:
        convert = {"twist": theirs.convert_twist, "wrench": theirs.convert_wrench}
        for takes in convert:
            for gives in convert:
                A2 = theirs.convert_matrix(A, takes=takes, gives=gives)
                y = (A2 @ convert[takes](x)[:, None])[..., 0]
                assert_same(convert[gives](y), A @ x, 100 * EPS)
                assert np.array_equal(theirs.convert_matrix(A2, takes=takes, gives=gives), A)
    mirtich = convention("Mirtich").convert_matrix(A, takes="twist", gives="wrench")
    assert np.array_equal(
        mirtich, np.roll(A, 3, axis=-2)
    )  # a wrench has its force first, a twist its turning


def test_angles_of_a_ball_are_turns_about_the_parent_s_axes():
    """Also where they are not unique, at a pitch of 90 degrees."""
    chain = Chain([Link(Spherical(), 1, (0, 0, 0), np.eye(3))])
    theirs = convention("Drake")
    half = np.sqrt(0.5)
    for q, angles in (
        ([half, half, 0, 0], [np.pi / 2, 0, 0]),
        ([half, 0, half, 0], None),
        ([half, 0, 0, half], [0, 0, np.pi / 2]),
        ([0, 1, 0, 0], [np.pi, 0, 0]),
    ):
        there = theirs.to_q(chain, q)
        if angles is not None:
            assert np.allclose(there, angles, atol=1e-15)
        R = forward_kinematics(chain, theirs.from_q(chain, there))[0]
        assert_same(R, forward_kinematics(chain, q)[0], 1e-7 if angles is None else 10 * EPS)


# Symbols and bad input --------------------------------------------------------------------------


def test_symbols_travel_exactly():
    sympy = pytest.importorskip("sympy")
    chain = Chain([Link(Planar((0, 0, 1)), 1, (0, 0, 0), np.eye(3, dtype=int))])
    x, y, a, u, v, w = symbols = sympy.symbols("x y a u v w")
    q, qd = np.array(symbols[:3], object), np.array(symbols[3:], object)
    theirs = convention("Pinocchio")
    assert list(theirs.to_q(chain, q)) == [x, y, sympy.cos(a), sympy.sin(a)]
    c, s = sympy.cos(a), sympy.sin(a)
    assert [sympy.expand(e) for e in theirs.to_qd(chain, q, qd)] == [
        c * u + s * v,
        c * v - s * u,
        w,
    ]


@pytest.fixture(scope="module")
def base():
    """Give a floating body that carries a hinge and a nut on a bolt."""
    joints = Free(), Revolute(), Helical((0, 0, 1), 0.1)
    names = "trunk", "arm", "nut"
    return Chain(
        [Link(j, 1, (0, 0, 0), np.eye(3), name=n) for j, n in zip(joints, names, strict=True)]
    )


BAD = {
    "name": (lambda c: convention("Bullet"), "name is 'Bullet', but must be 'Alexiou' or 'Drake'"),
    "word": (
        lambda c: Convention("mine", quaternion="wxyz"),
        "quaternion is 'wxyz', but must be 'w x y z' or 'x y z w'",
    ),
    "lacks": (
        lambda c: convention("MuJoCo").to_q(c, c.neutral),
        "link 'nut' has a joint of kind Helical, which MuJoCo lacks",
    ),
    "free": (
        lambda c: convention("Modern Robotics").to_qd(c, c.neutral, np.zeros(c.nv)),
        "link 'trunk' has a joint of kind Free, which Modern Robotics lacks",
    ),
    "order": (
        lambda c: convention("Kim", order=["arm", "arm"]).to_q(c, c.neutral),
        r"order is \['arm', 'arm'\], but must name each link that moves once",
    ),
    "missing": (
        lambda c: convention("Kim", order=["arm", "trunk"]).to_q(c, c.neutral),
        "must name each link that moves once",
    ),
    "unbounded": (
        lambda c: convention("Pinocchio", unbounded=["nut"]).to_q(c, c.neutral),
        "unbounded names link 'nut', whose joint is Helical, but must name links on a Revolute",
    ),
    "shape": (
        lambda c: convention("Pinocchio").from_q(c, np.zeros(8)),
        r"theirs has shape \(8,\)",
    ),
    "quaternion": (
        lambda c: convention("Pinocchio").from_q(c, np.zeros(9)),
        "quaternion of link 'trunk'",
    ),
    "scalar": (  # MuJoCo's order given to Pinocchio is no error; a length is
        lambda c: convention("Drake").from_q(c, [0, 0, 0, 2, 0, 0, 0, 0, 0]),
        "quaternion of link 'trunk'",
    ),
    "nan": (
        lambda c: convention("Pinocchio").from_q(c, np.full(9, np.nan)),
        "theirs",
    ),
    "takes": (
        lambda c: convention("Kim").convert_matrix(np.eye(6), takes="force", gives="twist"),
        "takes is 'force', but must be 'twist' or 'wrench'",
    ),
    "six": (lambda c: convention("Kim").convert_twist(np.zeros(5)), r"twist has shape \(5,\)"),
    "nv": (
        lambda c: convention("Kim").to_qd(c, c.neutral, np.zeros(3)),
        "this chain has nv = 8",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told(case, base):
    call, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        call(base)


def test_massless_reactions_are_not_needed(base):
    """A conversion asks for kinematics only, so a chain whose M is singular has one, too."""
    light = Chain([replace(link, mass=0, inertia=np.zeros((3, 3))) for link in base.links])
    q, qd = random_state(light, 1)
    assert convention("Drake").to_qd(light, q, qd).shape == (light.nv,)
