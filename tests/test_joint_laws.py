"""Joints that a reader writes: they pass through every algorithm, or are told which law they break; and copies."""

import copy
import pickle
import re
from dataclasses import dataclass, replace

import numpy as np
import pytest
from trees import (
    EPS,
    EVERY_KIND,
    Case,
    allowed,
    assert_near,
    bound,
    mass_matrix_and_bias,
    random_tree,
)

import chaindyn as cd
from chaindyn import (
    Chain,
    Cylindrical,
    Fixed,
    Helical,
    Joint,
    Link,
    Planar,
    Prismatic,
    Revolute,
    Universal,
    aba,
    crba,
    forward_kinematics,
    random_state,
    rnea,
    rotation_about,
)
from chaindyn.contract import across

BODY = {"mass": 2.0, "com": (0.1, 0.2, 0.3), "inertia": np.diag([0.2, 0.3, 0.4])}
NOTHING = {"mass": 0, "com": (0, 0, 0), "inertia": np.zeros((3, 3))}


@dataclass(frozen=True, eq=False)
class Bolt(Joint):
    """A reader's screw joint, of an axis of length one."""

    axis: object
    pitch: object = 0.1

    def pose(self, q):
        return rotation_about(self.axis, q), np.asarray(self.pitch)[..., None] * self.axis * q

    def motion_subspace(self, q):
        moment = np.asarray(self.pitch)[..., None] * np.asarray(self.axis)
        return np.concatenate([self.axis, moment], axis=-1)[..., None]


def mixed_chain(kind):
    """Return a tree in which screw joints of a kind stand among others."""
    rng = np.random.default_rng(12)
    axes = rng.normal(size=(2, 3))
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    joints = [Revolute(rng.normal(size=3)), kind(axes[0], 0.2), Universal(), kind(axes[1], -0.3)]
    parents = ["ground", 0, 1, 1]
    links = [
        Link(joint, **BODY, offset=rng.normal(size=3), parent=parent)
        for joint, parent in zip(joints, parents, strict=True)
    ]
    return Chain(links)


BLOW = {"point": (0.1, 0.2, 0.3), "normal": (0, 0, 1), "restitution": 0.5, "body": 3}
MASK = np.array([True, False, False, True, False])
ALGORITHMS = {
    "forward_kinematics": lambda c, q, v, a: cd.forward_kinematics(c, q),
    "body_twists": lambda c, q, v, a: cd.body_twists(c, q, v, frame="world"),
    "body_accelerations": lambda c, q, v, a: cd.body_accelerations(c, q, v, a),
    "body_jacobian": lambda c, q, v, a: cd.body_jacobian(c, q, 3),
    "jacobian_dot_qd": lambda c, q, v, a: cd.jacobian_dot_qd(c, q, v, 3),
    "rnea": lambda c, q, v, a: cd.rnea(c, q, v, a),
    "joint_wrenches": lambda c, q, v, a: cd.joint_wrenches(c, q, v, a, recursion="world"),
    "bias_force": lambda c, q, v, a: cd.bias_force(c, q, v),
    "solve_full_system": lambda c, q, v, a: cd.solve_full_system(c, q, v, a),
    "crba": lambda c, q, v, a: cd.crba(c, q),
    "coriolis_matrix": lambda c, q, v, a: cd.coriolis_matrix(c, q, v),
    "aba": lambda c, q, v, a: cd.aba(c, q, v, a),
    "articulated_inertia": lambda c, q, v, a: cd.articulated_inertia(c, q),
    "factorise": lambda c, q, v, a: cd.factorise(c, q).delassus(cd.body_jacobian(c, q, 3)),
    "hybrid_dynamics": lambda c, q, v, a: cd.hybrid_dynamics(
        c, q, v, prescribed=MASK, qdd=a[MASK], tau=a[~MASK]
    ),
    "inverse_operational_space_inertia": lambda c, q, v, a: cd.inverse_operational_space_inertia(
        c, q
    ),
    "impact": lambda c, q, v, a: list(vars(cd.impact(c, q, v, **BLOW)).values()),
    "integrate": lambda c, q, v, a: cd.integrate(c, q, v),
    "difference": lambda c, q, v, a: cd.difference(c, q, 0 * q),
    "coordinate_rate": lambda c, q, v, a: cd.coordinate_rate(c, q, v),
    "kinetic_energy": lambda c, q, v, a: cd.kinetic_energy(c, q, v),
    "momentum": lambda c, q, v, a: cd.momentum(c, q, v),
    "simulate": lambda c, q, v, a: (
        cd.simulate(c, q, v, t=[0, 0.01, 0.02], method="RK4", step=0.01, progress=False).q
    ),
    "computed_torque": lambda c, q, v, a: cd.computed_torque(
        c, q, v, q_desired=0 * q, qd_desired=v, qdd_desired=a, kp=1, kd=2
    ),
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_reader_s_screw_goes_through_every_algorithm(name):
    own, mine = mixed_chain(Helical), mixed_chain(Bolt)
    q, qd = random_state(own, 5)
    qdd = np.random.default_rng(6).normal(size=own.nv)
    expected, result = (ALGORITHMS[name](chain, q, qd, qdd) for chain in (own, mine))
    if not isinstance(expected, tuple | list):
        expected, result = [expected], [result]
    for one, other in zip(result, expected, strict=True):
        assert np.shape(one) == np.shape(other)
        assert np.abs(np.asarray(one) - other).max(initial=0) <= 1e-12 * np.abs(other).max(
            initial=1
        )


def test_a_reader_s_screw_in_a_batch():
    own, mine = mixed_chain(Helical), mixed_chain(Bolt)
    q, qd = random_state(own, 5, batch=(3, 2))
    assert_near(aba(mine, q, qd, 0 * qd), aba(own, q, qd, 0 * qd), 4)


def test_what_a_reader_s_joint_carries_has_a_default():
    """An orthonormal basis of what S does no work on, for one joint, a stack and a batch."""
    for pitch, axis in ((0.3, np.array([0, 0.6, 0.8])), (np.array([0.3, -1]), np.eye(3)[:2])):
        joint = Bolt(axis, pitch)
        S, T = joint.motion_subspace(None), joint.constraint_subspace(None)
        assert T.shape == (*S.shape[:-1], 5)
        assert np.abs(S.mT @ T).max() <= 4 * EPS
        assert np.abs(T.mT @ T - np.eye(5)).max() <= 10 * EPS


# --- the new joints, against hinges and slides ---


def slides_and_hinges(kind, axis, more):
    """Return links on hinges and slides that together are a cylindrical or planar joint, all but the last massless."""
    if kind is Cylindrical:
        return [Link(Revolute(axis), **NOTHING), Link(Prismatic(axis), **BODY, **more)]
    b1, b2 = across(axis).T
    return [
        Link(Prismatic(b1), **NOTHING),
        Link(Prismatic(b2), **NOTHING),
        Link(Revolute(axis), **BODY, **more),
    ]


@pytest.mark.parametrize("kind", [Cylindrical, Planar])
@pytest.mark.parametrize("recursion", ["body", "world"])
def test_cylinder_and_plane_are_slides_and_hinges(kind, recursion):
    axis = np.array([2, -1, 2]) / 3
    tail = Link(Universal(), **BODY, offset=(0.3, 0.1, 0))
    one = Chain([Link(Revolute((1, 2, 3)), **BODY), Link(kind(axis), **BODY), tail])
    many = Chain([Link(Revolute((1, 2, 3)), **BODY), *slides_and_hinges(kind, axis, {}), tail])
    q, qd = random_state(one, 8)
    tau = np.random.default_rng(9).normal(size=one.nv)
    assert one.nv == many.nv
    for x, y in zip(forward_kinematics(one, q), forward_kinematics(many, q), strict=True):
        assert np.abs(x[1:] - y[-2:]).max() <= 20 * EPS
    M = crba(one, q)
    assert_near(crba(many, q), M, 4)
    qdd = aba(one, q, qd, tau, recursion=recursion)
    assert_near(aba(many, q, qd, tau), qdd, 4, allowed(M))
    assert_near(rnea(many, q, qd, qdd), rnea(one, q, qd, qdd, recursion=recursion), 4)


def test_a_screw_is_a_hinge_and_a_slide_that_keep_step():
    """With qd = B x of hinge and slide, the screw's M is B^T M B, and its bias force B^T h."""
    axis, pitch = np.array([2, -1, 2]) / 3, 0.35
    tail = Link(Revolute((0, 1, 0)), **BODY, offset=(0.3, 0.1, 0))
    screw = Chain([Link(Helical(axis, pitch), **BODY), tail])
    both = Chain([Link(Revolute(axis), **NOTHING), Link(Prismatic(axis), **BODY), tail])
    B = np.array([[1, 0], [pitch, 0], [0, 1.0]])
    q, qd = random_state(screw, 3)
    M, h = mass_matrix_and_bias(both, B @ q, B @ qd)
    assert_near(crba(screw, q), B.T @ M @ B, 3)
    tau = np.array([0.4, -1.1])
    assert_near(aba(screw, q, qd, tau), np.linalg.solve(B.T @ M @ B, tau - B.T @ h), 3, allowed(M))


@pytest.mark.parametrize("seed", range(20))
def test_trees_of_every_joint_solve_the_dense_equation(seed):
    case = Case(2 + seed, branching=True, seed=700 + seed, kinds=EVERY_KIND)
    chain = random_tree(case)
    q, qd = random_state(chain, seed)
    tau = np.random.default_rng(seed).normal(size=chain.nv)
    M, h = mass_matrix_and_bias(chain, q, qd)
    assert_near(crba(chain, q), M, chain.n, 1e-12)
    if chain.nv:
        assert_near(aba(chain, q, qd, tau), np.linalg.solve(M, tau - h), chain.n, allowed(M))


# --- laws ---


class Short(Bolt):
    """Forgets to advance."""

    def pose(self, q):
        R, p = super().pose(q)
        return R, 0 * p


class Stretched(Bolt):
    def pose(self, q):
        R, p = super().pose(q)
        return 1.1 * R, p


class Mirrored(Bolt):
    def pose(self, q):
        R, p = super().pose(q)
        return -R, p


class Drifting(Bolt):
    def rate(self, q, qd):
        return 2 * qd


class Lame(Bolt):
    def difference(self, q0, q1):
        return q0 - q1


class Idle(Bolt):
    def motion_subspace(self, q):
        return 0 * super().motion_subspace(q)


class Leaky(Bolt):
    def constraint_subspace(self, q):
        return np.broadcast_to(np.eye(6)[:, 1:], (*np.shape(self.pitch), 6, 5))


class Poor(Bolt):
    def constraint_subspace(self, q):
        return 0 * super().constraint_subspace(q)


class Turning(Bolt):
    """A universal joint that takes its subspace for constant."""

    nq = nv = 2

    def pose(self, q):
        return Universal(self.axis, across(self.axis)[..., 0]).pose(q)

    def motion_subspace(self, q):
        return Universal(self.axis, across(self.axis)[..., 0]).motion_subspace(q)


class Flat(Bolt):
    def motion_subspace(self, q):
        return super().motion_subspace(q)[..., 0]


class Alone(Bolt):
    """Does not mind that it stands for several."""

    def pose(self, q):
        R, p = super().pose(q)
        return R, p + 0.1 * (p.ndim - 1)


class Long(Bolt):
    neutral = (0, 0)


class Broken(Bolt):
    def pose(self, q):
        return {}["no such key"]


class Single(Bolt):
    """Multiplies as if it stood for one joint only."""

    def pose(self, q):
        return super().pose(q)[0], self.axis * self.pitch * q


class Hollow(Bolt):
    def pose(self, q):
        R, p = super().pose(q)
        return R, p * np.nan


LAWS = {
    Short: "S qd of motion_subspace, while q moves by integrate",
    Stretched: "R of pose is no rotation matrix: R R\\^T is off by 0.21",
    Mirrored: "R of pose is mirrored: det R is off by 2",
    Drifting: r"rate, while q moves by integrate\(q, t qd\), qd = \[1.0\], is off by 1",
    Lame: "R after integrate(q0, difference(q0, q1)) is off by".replace("(", r"\(").replace(
        ")", r"\)"
    ),
    Idle: "the columns of motion_subspace are dependent",
    Leaky: r"motion_subspace\^T constraint_subspace is off by",
    Poor: "the columns of constraint_subspace are dependent",
    Turning: "motion_subspace_rate, while q moves",
    Flat: r"motion_subspace has shape \(2, 6\), but must be \(2, 6, 1\)",
    Alone: "p of a joint alone, and of several as one, is off by 0.1",
    Long: "neutral has 2 entries, but nq = 1",
    Broken: "KeyError: 'no such key'",
    Single: "could not be broadcast .*One object is asked for all 2 joints of its kind",
    Hollow: "is off by nan",
}


@pytest.mark.parametrize("kind", LAWS, ids=lambda kind: kind.__name__)
def test_a_joint_that_breaks_a_law_is_told_which(kind):
    links = [
        Link(Revolute(), **BODY),
        Link(kind((0, 0.6, 0.8)), **BODY, name="nut"),
        Link(kind((1, 0, 0), -0.3), **BODY),
    ]
    with pytest.raises(
        ValueError, match=rf"link 'nut': its joint, {kind.__name__}, .*{LAWS[kind]}"
    ):
        Chain(links)


def test_a_joint_that_is_not_written_yet_says_so():
    @dataclass(frozen=True, eq=False)
    class Later(Joint):
        pass

    with pytest.raises(NotImplementedError):
        Chain([Link(Later(), **BODY)])


def test_what_offers_too_little_is_told_what():
    class Stray:
        nq = nv = 1

        def motion_subspace(self, q):
            return np.eye(6)[:, :1]

    says = r"its joint, Stray, has no quaternion, neutral, pose, .*: a class derived from chaindyn.Joint has them"
    with pytest.raises(ValueError, match=says):
        Chain([Link(Stray(), **BODY)])


def test_symbols_in_a_reader_s_joint_are_not_tried():
    sp = pytest.importorskip("sympy")
    h = sp.Symbol("h")
    chain = Chain([Link(Bolt(np.array([0, 0, 1]), h), 1, (0, 0, 0), np.eye(3, dtype=int))])
    assert crba(chain, np.array([sp.Symbol("q")]))[0, 0].expand() == 1 + h**2


def test_inside_a_joint_the_public_functions_behave_as_outside():
    """Lists are taken, and bad values refused, as at the public door."""

    @dataclass(frozen=True, eq=False)
    class Upright(Joint):
        def pose(self, q):
            R = rotation_about([0, 0, 1], q)
            return R, np.zeros(R.shape[:-1])

        def motion_subspace(self, q):
            return np.array([[0, 0, 1, 0, 0, 0]]).mT

    for upright in (1, 2):  # the same S for all joints of one class
        chain = Chain([Link(Upright(), **BODY)] * upright + [Link(Revolute(), **BODY)])
        own = Chain([Link(Revolute(), **BODY)] * (upright + 1))
        q, qd = random_state(own, 1)
        assert_near(aba(chain, q, qd, qd), aba(own, q, qd, qd), 3)

    class Careless(Upright):
        def motion_subspace_rate(self, q, qd):
            rotation_about([0, 0, np.nan], q)
            return super().motion_subspace_rate(q, qd)

    with pytest.raises(ValueError, match=r"axis\[2\] is nan"):
        Chain([Link(Careless(), **BODY)])


# --- copies ---


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_are_as_well_protected(duplicate):
    """What a chain is made of cannot be written after it was checked, in copies neither."""
    links = [
        Link(kind(), **BODY, name=kind.__name__)
        for kind in (Revolute, Prismatic, Fixed, Universal, Planar, Cylindrical)
    ]
    links.append(Link(Helical((0, 0.6, 0.8), 0.2), **BODY))
    chain = Chain(links)
    q, qd = random_state(chain, 2)
    expected = aba(chain, q, qd, qd)
    again = duplicate(chain)
    assert_near(aba(again, q, qd, qd), expected, chain.n, 0)
    kept = [again.mass, again.com, again.inertia, again.offset, again.rotation, again.gravity]
    kept += [again.spatial_inertia, again.neutral, again.quaternions, again.link_of_column]
    kept += [again.group_order, again.group_columns, *again.members]
    kept += [x for _, i, j in again.groups for x in (i, j)]
    joints = [*again.joints, *(joint for joint, _, _ in again.groups)]
    kept += [x for joint in joints for x in vars(joint).values() if isinstance(x, np.ndarray)]
    kept += [x for joint in joints if isinstance(joint, Revolute) for x in joint.terms]
    assert len(kept) > 30
    for array in kept:
        assert not array.flags.writeable


def test_a_parent_that_is_an_array_is_refused():
    links = [Link(Revolute(), **BODY), Link(Revolute(), **BODY, parent=np.array([0, 1]))]
    with pytest.raises(ValueError, match=r"link 1 .* has parent"):
        Chain(links)
    assert Chain([links[0], replace(links[1], parent=np.int64(0))]).parent == (-1, 0)


def test_pitches_are_checked():
    with pytest.raises(ValueError, match="pitch is nan"):
        Helical(pitch=np.nan)
    with pytest.raises(
        ValueError, match=re.escape("the joint's pitch has shape (2,), but must be ()")
    ):
        Chain([Link(Helical(pitch=(1, 2)), **BODY)])
    with pytest.raises(ValueError, match="normal is"):
        Planar((0, 0, 0))
    assert bound(1) > 0 and Fixed().constraint_subspace(np.zeros(0)).tolist() == np.eye(6).tolist()


@pytest.mark.parametrize("kind", [cd.Fixed, cd.Free])
def test_a_foreign_weld_and_a_foreign_free_body_pass(kind, monkeypatch):
    """Of a matrix without columns older versions of NumPy know no rank."""
    rank = np.linalg.matrix_rank

    def of_columns(matrix, *args, **options):
        assert matrix.shape[-1], "zero-size array to reduction operation maximum"
        return rank(matrix, *args, **options)

    monkeypatch.setattr(np.linalg, "matrix_rank", of_columns)
    foreign = type(f"My{kind.__name__}", (kind,), {"__module__": "a.reader"})
    Chain([Link(foreign(), 1.0, (0, 0, 0), np.eye(3))])
