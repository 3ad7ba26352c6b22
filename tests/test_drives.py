"""Drives of joints: what rotors behind gears add to every function, and what cannot have them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from laws import in_precision
from trees import EPS

import chaindyn
from chaindyn import (
    Chain,
    Coupling,
    Cylindrical,
    Drive,
    Fixed,
    Free,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    aba,
    bias_force,
    body_jacobian,
    body_twists,
    constrained_forward_dynamics,
    coriolis_matrix,
    crba,
    factorise,
    hybrid_dynamics,
    hybrid_dynamics_dense,
    impact,
    inverse_operational_space_inertia,
    inverse_operational_space_inertia_serial,
    joint_friction,
    joint_wrenches,
    kinetic_energy,
    maximal_coordinate_dynamics,
    momentum,
    random_state,
    rnea,
    simulate,
    solve_full_system,
    to_maximal,
)
from chaindyn.compiler.compilation import forward_dynamics
from chaindyn.models.robots import ur5
from chaindyn.simulation import heavier_rotors, semi_implicit_euler_step
from chaindyn.state import State
from chaindyn.teaching import normwise

DRIVES: tuple[Any, ...] = (
    None,
    Drive(1e-4, 100),
    Drive(2e-4, [-50, 80]),
    Drive([0.3, 0.0], [1, 9]),
    None,
    Drive(0.02, 3),
    None,
)


def solid(joint: Any, rng: np.random.Generator, **more: Any) -> Link:
    cloud = rng.normal(size=(5, 3))
    moments = np.trace(cloud.T @ cloud) * np.eye(3) - cloud.T @ cloud
    return Link(joint, rng.uniform(1, 3), rng.normal(size=3), moments, rng.normal(size=3), **more)


def tree(drives: tuple[Any, ...] = DRIVES) -> Chain:
    """A floating tree whose hinges, slides, cardans and cylinders have drives, in part."""
    rng = np.random.default_rng(4)
    joints = [Free(), Revolute((1, 2, 3)), Universal((1, 0, 0), (0, 1, 1)), Cylindrical((0, 1, 1))]
    joints += [Spherical(), Prismatic((1, 1, 0)), Fixed()]
    parents = ["ground", 0, 1, 1, 3, 4, 2]
    return Chain(
        [
            solid(joint, rng, parent=parent, drive=drive)
            for joint, parent, drive in zip(joints, parents, drives, strict=True)
        ]
    )


def bare(chain: Chain) -> Chain:
    return Chain([replace(link, drive=None) for link in chain.links], chain.gravity)


def allowed(M: Any) -> float:
    return 100 * EPS * len(M) * float(np.linalg.cond(M))


@pytest.fixture(scope="module")
def case():
    chain = tree()
    q, qd = random_state(chain, 5)
    return chain, q, qd, np.random.default_rng(6).normal(size=chain.nv)


def test_reflected_inertia_is_ratio_squared_times_rotor():
    chain = tree()
    expected = [0] * 6 + [1, 2e-4 * 2500, 2e-4 * 6400, 0.3, 0] + [0] * 3 + [0.18]
    assert np.abs(chain.reflected_inertia - expected).max() <= 4 * EPS
    assert chain.has_rotors and not bare(chain).has_rotors
    assert not Chain([Link(Revolute(), 1, (1, 0, 0), np.eye(3), drive=Drive(0, 50))]).has_rotors
    with pytest.raises(ValueError, match="read-only"):
        chain.reflected_inertia[0] = 1
    copy = pickle.loads(pickle.dumps(chain))
    assert (copy.reflected_inertia == chain.reflected_inertia).all()


# The mass matrix, and all that must agree with it ------------------------------------------------


def mass_matrix_by_jacobians(chain: Chain, q: Any) -> Any:
    """The sum of J^T I J over the links, and what the drives say on the diagonal."""
    J = [body_jacobian(chain, q, i) for i in range(chain.n)]
    links = sum(j.T @ inertia @ j for j, inertia in zip(J, chain.spatial_inertia, strict=True))
    own = []
    for link in chain.links:
        drive = link.drive or Drive()
        own.append(drive.rotor_inertia * np.square(drive.gear_ratio) * np.ones(link.joint.nv))
    return links + np.diag(np.concatenate(own))


@pytest.mark.parametrize("recursion", ["body", "world"])
def test_mass_matrix(case, recursion):
    chain, q, qd, _ = case
    M = mass_matrix_by_jacobians(chain, q)
    assert normwise(crba(chain, q, recursion=recursion), M) <= 100 * EPS * chain.n
    assert abs(kinetic_energy(chain, q, qd) / (qd @ M @ qd / 2) - 1) <= 100 * EPS * chain.n
    columns = np.stack(
        [rnea(chain, q, 0 * qd, e, recursion=recursion) for e in np.eye(chain.nv)]
    ) - bias_force(chain, q, 0 * qd)
    assert normwise(columns, M) <= 1000 * EPS * chain.n


@pytest.mark.parametrize("recursion", ["body", "world"])
def test_inverse_and_forward_dynamics(case, recursion):
    chain, q, qd, qdd = case
    M, h = mass_matrix_by_jacobians(chain, q), bias_force(bare(chain), q, qd)
    tau = rnea(chain, q, qd, qdd, recursion=recursion)
    assert normwise(tau, M @ qdd + h) <= 100 * EPS * chain.n
    assert normwise(aba(chain, q, qd, tau, recursion=recursion), qdd) <= allowed(M)
    factors = factorise(chain, q, recursion=recursion)
    assert normwise(factors.solve(np.eye(chain.nv)), np.linalg.inv(M)) <= allowed(M)
    K = np.random.default_rng(1).normal(size=(3, chain.nv))
    assert normwise(factors.delassus(K), K @ np.linalg.solve(M, K.T)) <= allowed(M)
    assert normwise(bias_force(chain, q, qd), h) == 0  # at constant speed rotors need nothing


def test_the_large_system(case):
    chain, q, qd, qdd = case
    tau = rnea(chain, q, qd, qdd)
    accelerations, wrenches, answer = solve_full_system(chain, q, qd, tau)
    limit = allowed(crba(chain, q))
    assert normwise(answer, qdd) <= limit
    there = chaindyn.body_accelerations(chain, q, qd, qdd, frame="world")
    assert normwise(accelerations, there) <= limit
    assert normwise(wrenches, joint_wrenches(chain, q, qd, qdd, frame="world")) <= limit


def test_what_links_exert_on_each_other_has_nothing_of_the_rotors(case):
    chain, q, qd, qdd = case
    through = joint_wrenches(chain, q, qd, qdd)
    assert (through == joint_wrenches(bare(chain), q, qd, qdd)).all()
    state = State(chain, q)
    along = np.concatenate([S.T @ f for S, f in zip(state.S, through, strict=True)])
    shares = rnea(chain, q, qd, qdd) - chain.reflected_inertia * qdd
    assert normwise(along, shares) <= 100 * EPS * chain.n
    assert (coriolis_matrix(chain, q, qd) == coriolis_matrix(bare(chain), q, qd)).all()
    assert (momentum(chain, q, qd) == momentum(bare(chain), q, qd)).all()


@pytest.mark.parametrize("recursion", ["body", "world"])
@pytest.mark.parametrize("seed", range(4))
def test_hybrid_dynamics(case, seed, recursion):
    chain, q, qd, qdd = case
    tau = rnea(chain, q, qd, qdd)
    u = np.random.default_rng(seed).random(chain.nv) < 0.5
    given: dict[str, Any] = {"prescribed": u, "qdd": qdd[u], "tau": tau[~u]}
    limit = allowed(crba(chain, q))
    for answer in (
        hybrid_dynamics(chain, q, qd, **given, recursion=recursion),
        hybrid_dynamics_dense(chain, q, qd, **given),
    ):
        assert normwise(answer[0], qdd) <= limit
        assert normwise(answer[1], tau) <= limit


@pytest.mark.parametrize("recursion", ["body", "world"])
def test_how_links_yield(case, recursion):
    chain, q, _, _ = case
    M = mass_matrix_by_jacobians(chain, q)
    yields = inverse_operational_space_inertia(chain, q, recursion=recursion)
    for i in range(chain.n):
        J = body_jacobian(chain, q, i)
        assert normwise(yields[i], J @ np.linalg.solve(M, J.T)) <= allowed(M)
    rng = np.random.default_rng(9)
    serial = Chain(
        [solid(Revolute(rng.normal(size=3)), rng, drive=Drive(0.1, k)) for k in range(4)]
    )
    q = rng.normal(size=4)
    printed = inverse_operational_space_inertia_serial(serial, q, recursion=recursion)
    limit = allowed(crba(serial, q))
    assert normwise(printed[-1], inverse_operational_space_inertia(serial, q)[-1]) <= limit


@pytest.mark.parametrize("recursion", ["body", "world"])
def test_impact(case, recursion):
    chain, q, qd, _ = case
    M, b = mass_matrix_by_jacobians(chain, q), 5
    R, p = chaindyn.forward_kinematics(chain, q)
    point, normal = p[b] + R[b] @ [0.1, 0.2, 0.3], np.array([1.0, 2, 2]) / 3
    wrench = np.concatenate([np.cross(point, normal), normal])
    row = body_jacobian(chain, q, b, frame="world").T @ wrench
    qd = qd if row @ qd < 0 else -qd
    blow = impact(
        chain, q, qd, point=point, normal=normal, restitution=0.5, body=b, recursion=recursion
    )
    mass = 1 / (row @ np.linalg.solve(M, row))
    limit = allowed(M)
    assert abs(blow.effective_mass / mass - 1) <= limit
    jump = np.linalg.solve(M, row) * 1.5 * mass * -(row @ qd)
    assert normwise(blow.qd_jump, jump) <= limit
    after = qd + jump
    for energy, rates in ((blow.energy_before, qd), (blow.energy_after, after)):
        assert abs(energy / (rates @ M @ rates / 2) - 1) <= limit
        assert abs(energy / kinetic_energy(chain, q, rates) - 1) <= limit


def test_the_opening_pages_arm():
    """Reflected inertias of 1 and 0.2 kg m^2 make its tip six times as heavy, by the dense equation too."""
    arm = ur5()
    geared = [
        replace(link, drive=Drive(x))
        for link, x in zip(arm.links, (1, 1, 1, 0.2, 0.2, 0.2), strict=True)
    ]
    chain = Chain(geared)
    q = np.array([-0.3, -1.2, 1.3, -0.2, 1.4, 0.4])
    R, p = chaindyn.forward_kinematics(arm, q)
    tip = p[-1] + R[-1] @ chaindyn.models.robots.UR5_FLANGE
    qd = np.array([0.2, 1.5, -1.0, -0.6, 0.5, 0.4])
    blow = impact(chain, q, qd, point=tip, normal=(-1, 0, 0), restitution=0.5)
    row = body_jacobian(arm, q, frame="world").T @ np.r_[np.cross(tip, [-1, 0, 0]), -1, 0, 0]
    M = crba(arm, q) + np.diag([1, 1, 1, 0.2, 0.2, 0.2])
    assert abs(blow.effective_mass * (row @ np.linalg.solve(M, row)) - 1) <= allowed(M)
    assert round(float(blow.effective_mass), 1) == 13.9


# A rotor as a body of its own --------------------------------------------------------------------


def with_rotor_bodies(ratio: Any, rotor: Any, carrier: Any) -> tuple[Chain, Chain]:
    """A floating carrier, an arm, and a rotor that turns about a parallel axis: as a body, and as a number."""
    rng = np.random.default_rng(8)
    flat = np.diag([rotor / 2 + 0.01, rotor / 2 + 0.01, rotor])
    body = {"offset": (0.2, -0.1, 0.3), "parent": 0, "name": "rotor"}
    base, arm = solid(carrier, rng, name="base"), solid(Revolute((0, 0, 1)), rng, name="arm")
    turning = Link(Revolute((0, 0, 1)), 0.7, (0, 0, 0), flat, **body)
    welded = Link(Fixed(), 0.7, (0, 0, 0), flat, **body)
    return (
        Chain([base, arm, turning]),
        Chain([base, replace(arm, drive=Drive(rotor, ratio)), welded]),
    )


@pytest.mark.parametrize("ratio", [1, -30, 100])
def test_a_rotor_that_is_a_body_of_its_own(ratio):
    """The masses differ by N J times how fast the carrier turns about the rotor's axis, and by nothing else."""
    rotor = 2e-3
    exact, model = with_rotor_bodies(ratio, rotor, Free())
    q, qd = random_state(model, 3)
    place, speed = np.append(q, 0.4), np.append(qd, ratio * qd[-1])
    turning = np.vstack([np.eye(model.nv), [0] * 6 + [ratio]])
    M = turning.T @ crba(exact, place) @ turning
    carrier_turns = body_jacobian(model, q, "base")[2]  # about z, the rotor's axis
    neglected = ratio * rotor * np.outer(np.eye(model.nv)[-1], carrier_turns)
    assert normwise(crba(model, q) + neglected + neglected.T, M) <= 100 * EPS * model.n
    # and the forces by the gyroscopic moment that its spin puts on the carrier
    h = turning.T @ bias_force(exact, place, speed)
    V = body_twists(model, q, qd)[0]
    spin = ratio * rotor * qd[-1] * np.array([0, 0, 1])
    moment = np.r_[np.cross(V[:3], spin), np.zeros(3)]
    gyroscopic = body_jacobian(model, q, "base").T @ moment
    assert normwise(bias_force(model, q, qd) + gyroscopic, h) <= 1000 * EPS * model.n


def test_a_rotor_on_a_carrier_that_does_not_turn_is_exact():
    """By the rows of a Coupling, too: the constraint of chapter 16 gives the same accelerations."""
    exact, model = with_rotor_bodies(40, 3e-3, Prismatic((1, 2, 2)))
    q, qd = np.array([0.3, -1.1]), np.array([0.7, 2.0])
    tau = np.array([3.0, -4.0])
    gear = Coupling({"arm": 40, "rotor": -1}, total=40 * q[-1] - 0.4)
    held, _ = constrained_forward_dynamics(
        exact, gear, np.append(q, 0.4), np.append(qd, 40 * qd[-1]), np.append(tau, 0)
    )
    qdd = aba(model, q, qd, tau)
    assert normwise(held, np.append(qdd, 40 * qdd[-1])) <= allowed(crba(exact, np.append(q, 0.4)))


def test_against_pinocchio():
    pin = pytest.importorskip("pinocchio")
    rng = np.random.default_rng(2)
    rotors = [0.3, 0, 1.7, 0.05]
    joints = [Revolute((0, 0, 1)), Prismatic((0, 1, 0)), Revolute((1, 0, 0)), Revolute((0, 1, 0))]
    links = [
        solid(joint, rng, drive=Drive(x), parent=parent)
        for joint, x, parent in zip(joints, rotors, ["ground", 0, 0, 2], strict=True)
    ]
    chain = Chain(links)
    model = pin.Model()
    kinds = [pin.JointModelRZ(), pin.JointModelPY(), pin.JointModelRX(), pin.JointModelRY()]
    for i, (link, kind) in enumerate(zip(links, kinds, strict=True)):
        place = pin.SE3(np.eye(3), np.asarray(link.offset, float))
        j = model.addJoint(chain.parent[i] + 1, kind, place, f"j{i}")
        body = pin.Inertia(link.mass, np.asarray(link.com, float), link.inertia)
        model.appendBodyToJoint(j, body, pin.SE3.Identity())
    model.armature = np.array(rotors, float)
    data = model.createData()
    q, qd = random_state(chain, 3)
    tau = rng.normal(size=4)
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    assert normwise(crba(chain, q), M) <= 100 * EPS * 4
    assert normwise(aba(chain, q, qd, tau), pin.aba(model, data, q, qd, tau)) <= allowed(M)
    assert normwise(rnea(chain, q, qd, tau), pin.rnea(model, data, q, qd, tau)) <= 1000 * EPS * 4


# Time --------------------------------------------------------------------------------------------


def pendulums() -> Chain:
    rod: dict[str, Any] = {"mass": 1, "com": (0.5, 0, 0), "inertia": np.diag([0, 1 / 12, 1 / 12])}
    first = Link(Revolute((0, 1, 0)), **rod, drive=Drive(1e-3, 20))
    return Chain([first, Link(Revolute((0, 1, 0)), **rod, offset=(1, 0, 0), drive=Drive(1e-3, 10))])


@pytest.mark.parametrize(
    ("method", "bound"), [("DOP853", 1e-6), ("variational", 1e-2), ("RK4", 1e-5)]
)
def test_energy_is_kept(method, bound):
    """To the order of the method, over two seconds in which 2 J and more go to and fro."""
    step = None if method == "DOP853" else 0.005
    motion = simulate(
        pendulums(), [0, 0.5], [0, 1], t=np.linspace(0, 2, 21), method=method, step=step
    )
    assert np.abs(motion.energy - motion.energy[0]).max() <= bound
    assert np.ptp(motion.kinetic) > 1


def test_the_variational_step_is_of_order_two():
    """Its momenta have the rotors in them: against DOP853, halving the step divides the error by four."""
    chain, end = pendulums(), []
    truth = simulate(chain, [0, 0.5], [0, 1], t=[0, 1], rtol=1e-12, atol=1e-12).q[-1]
    for step in (0.02, 0.01):
        motion = simulate(chain, [0, 0.5], [0, 1], t=[0, 1], method="variational", step=step)
        end.append(np.abs(motion.q[-1] - truth).max())
    assert 3.5 < end[0] / end[1] < 4.5


# Other numbers ------------------------------------------------------------------------------------


def test_symbols():
    """A hinged rod with rotor J behind a gear N: (m c^2 + N^2 J) qdd = tau, exactly."""
    m, c, J, N, q, tau = sp.symbols("m c J N q tau", positive=True)
    rod = Link(Revolute(), m, (c, 0, 0), np.zeros((3, 3), int), drive=Drive(J, N))
    chain = Chain([rod], gravity=(0, 0, 0))
    assert chain.has_rotors
    M = m * c**2 + N**2 * J
    assert sp.simplify(crba(chain, [q])[0, 0] - M) == 0
    assert sp.simplify(aba(chain, [q], [0], [tau])[0] - tau / M) == 0
    assert sp.simplify(rnea(chain, [q], [0], [tau])[0] - tau * M) == 0


def test_a_massless_leaf_may_move_if_its_rotor_does():
    rod = Link(Revolute(), 1, (1, 0, 0), np.eye(3))
    ghost: dict[str, Any] = {"mass": 0, "com": (0, 0, 0), "inertia": np.zeros((3, 3))}
    chain = Chain([rod, Link(Revolute(), **ghost, drive=Drive(0.5, 2))])
    assert aba(chain, [0, 0], [0, 0], [0, 3])[1] == pytest.approx(3 / 2)
    with pytest.raises(ValueError, match="feels no inertia"):
        aba(bare(chain), [0, 0], [0, 0], [0, 3])


# Bad input, and what has no rotors ---------------------------------------------------------------


def refused(message: str, joint: Any, drive: Any) -> None:
    with pytest.raises(ValueError, match=message):
        Chain([Link(joint, 1, (1, 0, 0), np.eye(3), name="arm", drive=drive)])


def test_bad_drives_are_told():
    refused(r"'arm'.*rotor_inertia is -1, but must not be negative", Revolute(), Drive(-1))
    refused(r"rotor_inertia has shape \(2,\).*\(1,\)", Revolute(), Drive([1, 2]))
    refused("gear_ratio is nan", Revolute(), Drive(1, np.nan))
    refused("must be a Drive", Revolute(), 5)
    refused("must be a Drive", Revolute(), Drive)
    refused("does not move", Fixed(), Drive(1))
    refused("velocities of Spherical are not the rates", Spherical(), Drive(1))
    refused("velocities of Free are not the rates", Free(), Drive(sp.Symbol("J")))
    Chain([Link(Spherical(), 1, (1, 0, 0), np.eye(3), drive=Drive(0, 5))])


def test_maximal_coordinates_refuse_rotors(case):
    chain, q, qd, qdd = case
    with pytest.raises(
        ValueError, match="to_maximal knows no rotors, but the drive of link 'link1'"
    ):
        to_maximal(chain)
    with pytest.raises(ValueError, match="knows no rotors"):
        maximal_coordinate_dynamics(chain, q, qd, qdd)
    to_maximal(bare(chain))


@pytest.mark.parametrize(
    "name",
    ["Effort", "Heft", "Hybrid", "Impact", "MassMatrix", "Swing"],
)
def test_widgets_refuse_rotors(name):
    widgets = pytest.importorskip("chaindyn.widgets")
    more = {"prescribed": [True, False]} if name == "Hybrid" else {}
    explorer = getattr(widgets, f"{name}Explorer")
    with pytest.raises(ValueError, match=f"{name}Explorer knows no rotors"):
        explorer(pendulums(), **more)


# Friction ----------------------------------------------------------------------------------------


def rubbing(**drive: Any) -> Chain:
    rod: dict[str, Any] = {"mass": 1, "com": (0.5, 0, 0), "inertia": np.diag([0, 1 / 12, 1 / 12])}
    first = Link(Revolute((0, 1, 0)), **rod, name="upper", drive=Drive(**drive))
    return Chain([first, Link(Revolute((0, 1, 0)), **rod, offset=(1, 0, 0))])


def test_joint_friction_is_viscous_and_coulombs():
    chain = Chain(
        [
            Link(Universal(), 1, (1, 0, 0), np.eye(3), drive=Drive(viscous=[1, 2], coulomb=3)),
            Link(Revolute(), 1, (1, 0, 0), np.eye(3)),
            Link(Spherical(), 1, (1, 0, 0), np.eye(3), drive=Drive(viscous=0.5)),
        ]
    )
    assert chain.viscous.tolist() == [1, 2, 0, 0.5, 0.5, 0.5]
    assert chain.coulomb.tolist() == [3, 3, 0, 0, 0, 0]
    assert chain.has_friction and not chain.has_rotors
    assert not tree().has_friction and not bare(chain).has_friction
    qd = np.array([[2.0, -2, 5, 1, 2, 3], np.zeros(6)])
    friction = chaindyn.joint_friction(chain, qd, width=1e-9)
    assert np.abs(friction[0] - [-5, 7, 0, -0.5, -1, -1.5]).max() <= 1e-12
    assert not friction[1].any()
    at_width = chaindyn.joint_friction(chain, [0.2, 0, 0, 0, 0, 0], width=0.2)
    assert at_width[0] == pytest.approx(-0.2 - 3 / np.sqrt(2), rel=1e-14)
    default = chaindyn.joint_friction(chain, [0.01, 0, 0, 0, 0, 0])
    assert default[0] == pytest.approx(-0.01 - 3 / np.sqrt(2), rel=1e-14)
    assert (np.sum(qd * friction, axis=-1) <= 0).all()


def test_dynamics_knows_no_friction():
    chain = rubbing(viscous=2, coulomb=3)
    q, qd = random_state(chain, 1)
    assert (rnea(chain, q, qd, qd) == rnea(bare(chain), q, qd, qd)).all()
    assert (aba(chain, q, qd, qd) == aba(bare(chain), q, qd, qd)).all()


@pytest.mark.parametrize(
    ("method", "step"), [("DOP853", None), ("RK4", 0.004), ("variational", 0.004), ("Radau", None)]
)
def test_energy_falls_by_what_friction_takes(method, step):
    chain, times = rubbing(viscous=0.4, coulomb=0.7), np.linspace(0, 0.8, 201)
    options: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-11} if step is None else {}
    motion = simulate(
        chain, [0, 0.5], [0, 1], t=times, method=method, step=step, friction_width=0.1, **options
    )
    power = (motion.qd * chaindyn.joint_friction(chain, motion.qd, width=0.1)).sum(-1)
    gained = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(motion.t))])
    assert gained[-1] < -0.4 and (np.diff(gained) <= 0).all()
    bound = 2e-3 if step else 1e-4
    assert np.abs(motion.energy - motion.energy[0] - gained).max() <= bound


def test_a_hinge_creeps_under_less_than_coulombs_friction():
    """With w tau / sqrt(F^2 - tau^2), as the smooth law has it: this is what the width costs."""
    chain = Chain(
        [Link(Revolute(), 1, (0, 0, 0), np.eye(3), drive=Drive(coulomb=5))], gravity=(0, 0, 0)
    )
    motion = simulate(chain, [0], [0], t=[0, 1], torque=[3], method="Radau", friction_width=1e-3)
    assert motion.qd[-1, 0] == pytest.approx(1e-3 * 3 / 4, rel=1e-6)


def test_friction_acts_where_bodies_touch_and_loops_close():
    chain = rubbing(viscous=1)
    q, qd = np.array([0.3, 0.2]), np.array([1.0, -1.0])
    gear = Coupling({0: 1, 1: 1})
    held = simulate(chain, q, qd, t=[0, 0.2], constraints=gear, stabilisation=(10, 10))
    assert held.energy[-1] < held.energy[0] - 0.05
    free = chaindyn.simulate_contact(chain, [], q, qd, t=[0, 0.2], step=2e-3, method="events")
    same = simulate(chain, q, qd, t=[0, 0.2], rtol=1e-11, atol=1e-12)
    assert np.abs(free.q[-1] - same.q[-1]).max() <= 1e-8


def test_bad_friction_is_told():
    refused("'arm'.*viscous is -1, but must not be negative", Revolute(), Drive(viscous=-1))
    refused("coulomb is -2, but must not be negative", Revolute(), Drive(coulomb=-2))
    refused(r"coulomb has shape \(3,\)", Revolute(), Drive(coulomb=[1, 2, 3]))
    chain = rubbing(coulomb=1)
    for width in (0, -1, np.nan):
        with pytest.raises(ValueError, match="width"):
            chaindyn.joint_friction(chain, [0, 0], width=width)
        with pytest.raises(ValueError, match="friction_width"):
            simulate(chain, [0, 0], [0, 0], t=[0, 1], friction_width=width)
    widgets = pytest.importorskip("chaindyn.widgets")
    with pytest.raises(ValueError, match=r"SwingExplorer knows no friction.*'upper'"):
        widgets.SwingExplorer(chain)


def test_maximal_coordinates_leave_out_what_is_said_of_joints():
    """A link that is free must not rub, or be held, as its joint did."""
    chain = rubbing(viscous=2, coulomb=3)
    held = Chain([replace(link, limits=chaindyn.Limits(-1, 1)) for link in chain.links])
    free, _ = to_maximal(held)
    assert not free.has_friction and np.isinf(free.upper_limit).all()


# Viscous friction at the end of a step -----------------------------------------------------------

EQUAL_STEPS = ("semi-implicit Euler", "variational", "contact")


def in_oil(inertia: float = 0.2, viscous: float = 0.5, **more: Any) -> Chain:
    """A disc on its axis: qd falls as exp(-viscous t / inertia)."""
    axis = Revolute((0, 0, 1))
    return Chain(
        [Link(axis, 1, (0, 0, 0), inertia * np.eye(3), drive=Drive(viscous=viscous, **more))]
    )


def gantry_in_oil() -> Chain:
    """A slide on a slide that carries a ball: three kinds of joint, and inertia that no posture changes."""
    drives = [Drive(0.1, 2, viscous=30), Drive(viscous=0.3), Drive(viscous=[0.1, 0, 2])]
    joints = [Prismatic((1, 0, 0)), Prismatic((1, 0, 0)), Spherical()]
    links = [Link(j, 1, (0, 0, 0), np.eye(3), drive=d) for j, d in zip(joints, drives, strict=True)]
    return Chain(links, gravity=(0, 0, 0))


def by_equal_steps(method: str, chain: Chain, q: Any, qd: Any, t: Any, step: float, **more: Any):
    if method == "contact":
        return chaindyn.simulate_contact(chain, [], q, qd, t=t, step=step, **more)
    return simulate(chain, q, qd, t=t, step=step, method=method, **more)


@pytest.mark.parametrize("method", ["semi-implicit Euler", "contact"])
@pytest.mark.parametrize("step", [1e-4, 1e-2, 1.0, 1e4])
def test_a_step_takes_viscous_friction_at_its_end(method, step):
    """(M + h C) qd' = (M qd + h tau): exact, whatever M h C, loads and rotors are."""
    chain, qd, tau = gantry_in_oil(), np.array([1.0, -2, 0.3, 0, 0]), np.array([3.0, 1, 0, 0, 0])
    q = np.array([0.2, 0.1, 1, 0, 0, 0])
    M, C = crba(chain, q), np.diag(chain.viscous)
    expected = np.linalg.solve(M + step * C, M @ qd + step * tau)
    motion = by_equal_steps(method, chain, q, qd, [0, step], step, torque=tau)
    assert np.abs(motion.qd[-1] - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("method", "step"),
    [
        *[(method, step) for method in EQUAL_STEPS[::2] for step in (1e-4, 1e-2, 1.0, 100.0, 1e4)],
        *[("variational", step) for step in (1e-4, 1e-2, 1.0)],
    ],
)
def test_viscous_friction_alone_never_adds_energy_however_long_the_step(method, step):
    chain = gantry_in_oil()
    motion = by_equal_steps(
        method, chain, [0, 0, 1, 0, 0, 0], [1, -2, 0, 0, 1e-6], np.arange(21) * step, step
    )
    assert motion.reason == "" and len(motion.t) == 21
    assert (np.diff(motion.kinetic) <= 4 * EPS * motion.kinetic[0]).all()
    assert motion.kinetic[-1] < motion.kinetic[0]
    if step >= 100:
        assert motion.kinetic[-1] <= 1e-12 * motion.kinetic[0]


@pytest.mark.parametrize(
    ("method", "factor"), [("semi-implicit Euler", 2), ("contact", 2), ("variational", 4)]
)
def test_viscous_friction_leaves_each_method_its_order(method, factor):
    """Against exp(-c t / I), alone and under a load: twice the steps divide the error by 2, or by 4."""
    chain = in_oil(inertia=0.2, viscous=0.5)
    fall, errors = np.exp(-0.5 / 0.2), []
    for step in (0.02, 0.01, 0.005):
        motion = by_equal_steps(method, chain, [0.3], [2.0], [0, 1], step, torque=[0.7])
        errors.append(abs(motion.qd[-1, 0] - (1.4 + (2 - 1.4) * fall)))
    assert errors[0] / errors[1] == pytest.approx(factor, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(factor, rel=0.05)


def test_a_variational_step_in_oil_is_the_trapezoidal_rule():
    """Half of the friction at the rates of either end: (M + h C / 2) qd' = (M - h C / 2) qd + h tau."""
    step, tau, drive = 0.6, 0.7, Drive(viscous=0.5)
    slide = Chain([Link(Prismatic((1, 0, 0)), 0.2, (0, 0, 0), np.eye(3), drive=drive)])
    motion = simulate(
        slide, [0.3], [2.0], t=[0, step], torque=[tau], method="variational", step=step
    )
    expected = (0.2 * 2 - 0.3 * 0.5 * 2 + step * tau) / (0.2 + 0.3 * 0.5)
    assert motion.qd[-1, 0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("method", ["semi-implicit Euler", "variational"])
def test_a_chain_in_oil_keeps_its_order(method):
    """Inertia that changes, Coriolis forces, rotors and Coulomb's friction with it: against DOP853."""
    chain = rubbing(viscous=3, coulomb=0.7, rotor_inertia=1e-3, gear_ratio=10)
    given: dict[str, Any] = {"t": [0, 0.4], "friction_width": 0.5}
    truth = simulate(chain, [0, 0.5], [0, 1], rtol=1e-12, atol=1e-12, **given)
    order, far = {"semi-implicit Euler": 1, "variational": 2}[method], []
    for step in (0.002, 0.001):
        motion = simulate(chain, [0, 0.5], [0, 1], method=method, step=step, **given)
        far.append(np.abs(motion.qd[-1] - truth.qd[-1]).max())
    assert np.log2(far[0] / far[1]) == pytest.approx(order, abs=0.15)


def test_loops_stay_closed_in_oil_however_long_the_step():
    """Two discs geared to each other, one of them in thick oil: both stop, and the gear holds."""
    chain = Chain(
        [*in_oil(viscous=50).links, replace(in_oil().links[0], drive=None, parent="ground")]
    )
    gear = Coupling({0: 1, 1: 2})
    given: dict[str, Any] = {"t": [0, 1, 2], "constraints": gear}
    motion = simulate(chain, [0, 0], [2, -1], method="semi-implicit Euler", step=1.0, **given)
    held = chaindyn.simulate_contact(chain, [], [0, 0], [2, -1], step=1.0, **given)
    # along the gear's only motion, qd = (2, -1) s, M is 4 * 0.2 + 0.2 and C is 4 * 50
    for end in (motion.qd[1], held.qd[1]):
        assert np.abs(end - np.array([2, -1]) / 201).max() <= 1e-12
    assert np.abs(motion.gap).max() <= 1e-9


def test_a_contact_in_oil_holds_what_rests():
    """A slide in thick oil is pressed to the floor by its weight: it stays, and the floor carries the weight."""
    link = Link(Prismatic((0, 0, 1)), 2, (0, 0, 0), np.eye(3), drive=Drive(viscous=1e5))

    def floor(q):
        return [chaindyn.Contact((0, -1), (0, 0, 0), (0, 0, 1), q[0])]

    given: dict[str, Any] = {"t": [0, 0.1], "step": 0.01, "friction": 0, "restitution": 0}
    motion = chaindyn.simulate_contact(Chain([link]), floor, [0.0], [0.0], **given)
    assert np.abs(motion.qd).max() <= 1e-15
    assert motion.log.impulses[:, 2].sum() == pytest.approx(2 * 9.81 * 0.1, rel=1e-12)


def test_without_viscous_friction_steps_are_what_they_were():
    """To the last bit: with the explicit formulas, for a chain without friction and one with Coulomb's alone."""
    for chain in (pendulums(), rubbing(coulomb=0.7)):
        q, qd, h = np.array([0.3, 0.5]), np.array([1.0, -2.0]), 0.01
        driven = chaindyn.Driven(chain, torque=np.array([0.2, -0.1]))
        _, after = semi_implicit_euler_step(driven, 0.0, q, qd, h)
        assert (after == qd + h * driven.acceleration(0.0, q, qd)).all()


@pytest.mark.parametrize("viscous", [0.4, 3e3])
def test_compiled_motions_have_the_same_friction(viscous):
    chain = rubbing(viscous=viscous, coulomb=0.7, rotor_inertia=1e-3, gear_ratio=10)
    given: dict[str, Any] = {"t": [0, 0.05, 0.1], "step": 0.01, "torque": [0.5, -0.2]}
    for method in ("semi-implicit Euler", "RK4") if viscous < 1 else ("semi-implicit Euler",):
        truth = simulate(chain, [0, 0.5], [0, 1], method=method, **given)
        assert truth.reason == ""
        same = simulate(chain, [0, 0.5], [0, 1], method=method, compiled=True, **given)
        rolled = chaindyn.rollout(chain, [0, 0.5], [0, 1], method=method, **given)
        many = chaindyn.rollout(chain, [[0, 0.5]] * 9, [0, 1], method=method, **given)
        for motion in (same.qd, rolled.qd, many.qd[:, 4]):
            assert np.abs(motion - truth.qd).max() <= 1e-10


def test_wrenches_push_a_compiled_chain_in_oil():
    """The equation of a step: M + h C times the new rates less the old ones, by what pushes and holds at the old."""
    chain, h = rubbing(viscous=0.4), 0.01
    q, qd, push = np.array([0.3, 0.5]), np.array([1.0, -2.0]), np.arange(12.0).reshape(2, 6) / 4
    given: dict[str, Any] = {"t": [0, h], "step": h, "external": push}
    felt = crba(chain, q) + h * np.diag(chain.viscous)
    load = rnea(chain, q, qd, 0 * qd, external=push) + chain.viscous * qd
    after = qd - h * np.linalg.solve(felt, load)
    for compiled in (False, True):
        motion = simulate(chain, q, qd, method="semi-implicit Euler", compiled=compiled, **given)
        assert np.abs(motion.qd[-1] - after).max() <= 1e-13 * np.abs(load).max()


def test_a_chain_with_heavier_rotors_has_programs_of_its_own():
    """Else it would get those of the chain that it is a copy of, whose rotors are lighter."""
    chain = rubbing(viscous=3.0)
    state = np.array([0.3, 0.5]), np.array([1.0, -2.0]), np.array([0.5, -0.2])
    forward_dynamics(chain)(*state)
    heavier = heavier_rotors(chain, 0.2)
    found = forward_dynamics(heavier)(*state)
    assert np.abs(found - aba(heavier, *state)).max() <= 1e-12
    assert np.abs(found - aba(chain, *state)).max() > 1


def test_a_long_chain_rolls_on_in_oil():
    """With loops in its program, which a longer chain has: the same steps as `simulate`'s."""
    link = replace(rubbing(viscous=400.0).links[0], name=None)
    chain = Chain([link, *[replace(link, offset=(1, 0, 0))] * 15])
    q, qd = random_state(chain, 3)
    given: dict[str, Any] = {"t": [0, 0.02], "step": 0.01, "method": "semi-implicit Euler"}
    truth, rolled = simulate(chain, q, qd, **given), chaindyn.rollout(chain, q, qd, **given)
    assert np.abs(rolled.qd - truth.qd).max() <= 1e-9


@pytest.mark.parametrize("kind", [np.float32, np.longdouble])
def test_joints_without_drives_have_the_precision_of_the_links(kind):
    chain = in_precision(ur5(), kind)
    q, qd = (x.astype(kind) for x in random_state(chain, 1))
    assert chain.viscous.dtype == chain.rotor_inertia.dtype == kind
    assert joint_friction(chain, qd).dtype == kind
    found = inverse_operational_space_inertia_serial(chain, q)
    assert found.dtype == kind
    assert ur5().viscous.dtype == int  # which leaves symbols and fractions exact


def test_one_joint_with_a_rotor_has_the_batch_of_its_states():
    # Nothing else of its mass matrix depends on the state.
    drive = Drive(rotor_inertia=0.125, gear_ratio=4.0)
    chain = Chain([Link(Revolute(), 1.0, (1.0, 0, 0), 0.5 * np.eye(3), drive=drive)])
    found = crba(chain, np.zeros((4, 3, 1)))
    assert found.shape == (4, 3, 1, 1)
    assert (found == 0.5 + 1.0 + 0.125 * 4.0**2).all()
