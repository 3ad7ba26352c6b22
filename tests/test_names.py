"""A chain by name: joints and their columns, links by index and name; when two chains are one, and how they look."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
import sympy as sp
from laws import every_joint

import chaindyn as cd
from chaindyn import (
    Chain,
    Coupling,
    Drive,
    Fixed,
    Frame,
    Free,
    Limits,
    Link,
    Prismatic,
    Revolute,
    Spherical,
)
from chaindyn.models.robots import stewart_platform, ur5, ur5_uncorrected
from chaindyn.models.welded import as_published

BODY: dict[str, Any] = {"mass": 1, "com": (0, 0, 0), "inertia": np.eye(3)}
ROBOT = """<robot name="r"><link name="base"/>
{links}
<joint name="turn" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
<joint name="slide" type="prismatic"><limit lower="-1" upper="1" effort="1" velocity="1"/>
<parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint>
<joint name="a" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/></joint>
<joint name="loose" type="floating"><parent link="base"/><child link="d"/></joint></robot>"""
INERTIAL = """<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""


@pytest.fixture
def file(tmp_path):
    links = "".join(f'<link name="{name}">{INERTIAL}</link>' for name in "abcd")
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT.format(links=links))
    return path


def tree() -> Chain:
    return Chain(
        [
            Link(Free(name="root"), **BODY, name="trunk"),
            Link(Revolute(name="hip"), **BODY, name="thigh"),
            Link(Fixed(name="weld"), **BODY, name="cap"),
            Link(cd.Spherical(), **BODY, name="foot", parent="thigh"),
            Link(Prismatic(), **BODY, parent="thigh"),
        ]
    )


# Joints and their columns ----------------------------------------------------------------------


def test_a_joint_without_a_name_is_called_as_its_link():
    assert tree().joint_names == ("root", "hip", "weld", "foot", "link4")
    same = Chain([Link(Revolute(), **BODY, name="a"), Link(Revolute(name="a"), **BODY, name="b")])
    assert same.joint_names == ("a (joint)", "a") and same.joint_index("a") == 1
    assert same.joint_index("b") == 1 and same.joint_index(0) == same.joint_index("a (joint)") == 0


def test_names_make_coordinates_and_rates():
    chain = tree()
    ball = [0.6, 0.8, 0, 0]
    q = chain.q_of({"hip": 0.3, "foot": ball})
    assert q.tolist() == [0, 0, 0, 1, 0, 0, 0, 0.3, *ball, 0]
    assert chain.q_of({}).tolist() == chain.neutral.tolist()
    assert chain.q_of({"link4": 2}, otherwise=q).tolist() == [*q[:-1], 2]
    assert q[-1] == 0  # what was given is not written into
    qd = chain.qd_of({"foot": (1, 2, 3), "root": range(6)})
    assert qd.tolist() == [*range(6), 0, 1, 2, 3, 0]
    assert chain.named_qd(qd)["foot"].tolist() == [1, 2, 3] and chain.named_qd(qd)["hip"] == 0
    assert list(chain.named_q(q)) == ["root", "hip", "foot", "link4"]  # what is fixed has none


@pytest.mark.parametrize("make", [tree, every_joint, ur5, lambda: stewart_platform()[0]])
@pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 1)])
def test_there_and_back(make, batch):
    chain = make()
    q, qd = cd.random_state(chain, 1, batch=batch)
    assert (chain.q_of(chain.named_q(q)) == q).all()
    assert (chain.qd_of(chain.named_qd(qd)) == qd).all()
    for i, joint in enumerate(chain.joint_names):
        if chain.joints[i].nq:
            own = np.reshape(chain.named_q(q)[joint], (*batch, -1))
            assert (own == q[..., list(chain.q_columns[i])]).all()


def test_batches_and_kinds_of_number():
    chain = tree()
    q = chain.q_of({"hip": np.zeros((4, 1)), "link4": [1, 2, 3]})
    assert q.shape == (4, 3, 13) and (q[..., -1] == [1, 2, 3]).all()
    assert chain.q_of({"hip": np.float32(0.1)}).dtype == np.float32
    assert chain.q_of({"hip": 1}).dtype == float
    x = sp.symbols("x")
    assert chain.q_of({"hip": x})[7] is x and chain.q_of({"hip": Fraction(1, 3)})[7] == Fraction(
        1, 3
    )


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda c: c.q_of({"knee": 1}), "joint is 'knee', but this chain's joints are"),
        (lambda c: c.q_of({None: 1}), "must be a name or an index"),
        (lambda c: c.q_of({7: 1}), "an index below 5"),
        (lambda c: c.q_of({"hip": 1, "thigh": 2}), "joint 'hip' is named twice: once as 'thigh'"),
        (lambda c: c.q_of({"foot": 1}), "joint 'foot' has 4 coordinates, but is given.*shape ()"),
        (lambda c: c.qd_of({"foot": [1, 2]}), "joint 'foot' has 3 rates"),
        (lambda c: c.q_of({"weld": 1}), "joint 'weld' has 0 coordinates"),
        (lambda c: c.q_of({"hip": [1, 2], "link4": [1, 2, 3]}), "'hip': .2,., 'link4': .3,."),
        (lambda c: c.q_of([0.3]), "is no mapping from names of joints to coordinates"),
        (lambda c: c.q_of({"hip": "left"}), "the coordinates of joint 'hip' must hold numbers"),
        (lambda c: c.q_of({"hip": 1}, otherwise=[0, 0]), "otherwise has shape"),
        (lambda c: c.named_q([0, 0]), "q has shape"),
        (lambda c: c.named_qd([0, 0]), "qd has shape"),
    ],
)
def test_bad_names_and_shapes(call, words):
    with pytest.raises(ValueError, match=words):
        call(tree())


def test_names_of_joints_must_differ():
    links = [Link(Revolute(name="j"), **BODY), Link(Prismatic(name="j"), **BODY, name="b")]
    with pytest.raises(ValueError, match=r"link 1 \('b'\): its joint is named 'j', but a name"):
        Chain(links)
    with pytest.raises(ValueError, match="its joint is named 3"):
        Chain([Link(Revolute(name=3), **BODY)])


def test_a_urdf_s_joints_keep_their_names_and_columns(file):
    """Where a joint is called as another's link; what `lock` names, the chain names, too."""
    pin = pytest.importorskip("pinocchio")
    chain = cd.load_urdf(file)
    assert chain.joint_names == ("turn", "slide", "a", "loose")
    theirs = pin.buildModelFromUrdf(str(file))
    q = chain.q_of({"a": 0.2, "slide": -0.3, "turn": 0.7, "loose": [1, 2, 3, 0.6, 0, 0.8, 0]})
    order = [name for name in theirs.names if name != "universe"]
    links = [chain.names[chain.joint_index(joint)] for joint in order]
    unbounded = [chain.names[chain.joint_index(joint)] for joint in ("turn", "a")]
    moved = cd.convention("Pinocchio", order=links, unbounded=unbounded).to_q(chain, q)
    at = {name: theirs.joints[theirs.getJointId(name)] for name in order}
    assert moved[at["slide"].idx_q] == -0.3
    assert moved[at["a"].idx_q : at["a"].idx_q + 2].tolist() == [np.cos(0.2), np.sin(0.2)]
    held = cd.load_urdf(file, lock={"turn": 0.7})
    assert held.joint_names == ("slide", "a", "loose")
    assert list(held.named_q(held.neutral)) == ["slide", "a", "loose"]
    floating = cd.load_urdf(file, floating=True)
    assert floating.joint_names == ("base", "turn", "slide", "a", "loose")


def test_what_load_model_gives_speaks_the_same_names(file):
    model = cd.load_model(file)
    q = model.posture({"slide": 0.5})
    assert model.places(q)["slide"] == 0.5 and q[model.position_columns("slide")] == 0.5
    assert {joint: model.chain.names[i] for i, joint in enumerate(model.chain.joint_names)} == dict(
        model.joints
    )


def test_an_mjcf_s_joints_keep_their_names_and_columns():
    mujoco = pytest.importorskip("mujoco")
    from test_mjcf import ALL

    m = mujoco.MjModel.from_xml_string(ALL)
    chain = cd.load_mjcf(m).chain
    q, _ = cd.random_state(chain, 2)
    theirs = cd.convention("MuJoCo").to_q(chain, q)
    named = chain.named_q(q)
    assert set(named) == {m.joint(j).name for j in range(m.njnt)}
    for joint in ("hip", "hip_slide", "rock", "ball"):
        start = m.joint(joint).qposadr[0]
        own = theirs[start : start + np.size(named[joint])]
        assert own.tolist() == np.ravel(named[joint]).tolist()


def test_a_coupling_takes_names_of_joints():
    chain = tree()
    q = chain.neutral
    by_joint, by_link = Coupling({"hip": 1, "link4": 2}), Coupling({"thigh": 1, "link4": 2})
    assert (by_joint.jacobian(chain, q) == by_link.jacobian(chain, q)).all()
    with pytest.raises(ValueError, match="a Coupling names link 'thigh' twice: once as"):
        Coupling({"hip": 1, "thigh": 2}).jacobian(chain, q)


def test_names_change_no_number():
    """A name is not part of what is computed, nor of how joints of one kind are evaluated together."""
    plain, named = ur5(), ur5()
    links = [replace(link, joint=replace(link.joint, name=None)) for link in plain]
    plain = Chain(links, frames=plain.frames)
    q, _ = cd.random_state(plain, 0)
    assert (cd.crba(plain, q) == cd.crba(named, q)).all()
    assert plain.joint_names == plain.names and plain != named


def test_copies_keep_names_and_axes_to_the_bit():
    """A direction of length one is not brought to length one again, which would change its last digit."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        joint = Revolute(rng.normal(size=3), name="j")
        for again in (pickle.loads(pickle.dumps(joint)), copy.deepcopy(joint), replace(joint)):
            assert again.name == "j" and again.axis.tobytes() == joint.axis.tobytes()


# Links -----------------------------------------------------------------------------------------


def test_links_by_index_and_name():
    chain = tree()
    assert len(chain) == chain.n == 5 and list(chain) == list(chain.links)
    assert chain["thigh"] is chain[1] is chain[-4] is chain.links[1]
    assert "thigh" in chain and "knee" not in chain and "hip" not in chain
    assert chain[2] in chain and replace(chain[2]) not in chain
    with pytest.raises(ValueError, match="'knee'"):
        chain["knee"]
    with pytest.raises(ValueError, match="5"):
        chain[5]
    with pytest.raises(ValueError, match="by None"):
        chain[None]  # type: ignore[index]
    with pytest.raises(ValueError, match="'tool', a frame on link"):
        Chain(chain.links, frames=[Frame("tool", "cap")])["tool"]


# When two chains are one -----------------------------------------------------------------------


@pytest.mark.parametrize("make", [tree, every_joint, ur5, lambda: stewart_platform()[0]])
def test_copies_are_equal(make):
    chain = make()
    for same in (make(), pickle.loads(pickle.dumps(chain)), copy.deepcopy(chain)):
        assert same == chain and hash(same) == hash(chain) and not same != chain
    assert {chain: 1}[make()] == 1


def one(**changes: Any) -> Chain:
    link = Link(Revolute((0, 1, 0), name="j"), 1.0, (0, 0, 1.0), np.eye(3), name="a")
    return Chain([replace(link, **changes)])


@pytest.mark.parametrize(
    "changes",
    [
        {"mass": 2.0},
        {"mass": 1},  # whole numbers stay exact, so this chain computes otherwise
        {"mass": np.float32(1)},
        {"com": (0, 0, np.nextafter(1, 2))},
        {"inertia": np.diag([1.0, 1.0, 1.5])},
        {"offset": (0, 0, 1)},
        {"rotation": ((0, -1, 0), (1, 0, 0), (0, 0, 1))},
        {"name": "b"},
        {"joint": Revolute((0, 1, 0), name="k")},
        {"joint": Revolute((0, 0, 1), name="j")},
        {"joint": Prismatic((0, 1, 0), name="j")},
        {"drive": Drive(viscous=0.1)},
        {"drive": Drive(coulomb=0.1)},
        {"drive": Drive(rotor_inertia=4, gear_ratio=1)},
        {"limits": Limits(lower=-1)},
        {"limits": Limits(effort=1)},
    ],
    ids=str,
)
def test_chains_that_differ_in_one_thing(changes):
    assert one(**changes) != one() and one(**changes) == one(**changes)


def test_chains_that_differ_in_other_ways():
    assert one(drive=Drive(4, 1)) != one(drive=Drive(1, 2))  # the same reflected inertia
    links = list(one().links)
    assert Chain(links, gravity=(0, 0, -1)) != Chain(links)
    assert Chain(links, frames=[Frame("f", 0)]) != Chain(links)
    assert Chain(links, frames=[Frame("f", 0)]) != Chain(links, frames=[Frame("f", "ground")])
    assert Chain(links, frames=[Frame("f", 0)]) != Chain(links, frames=[Frame("f", 0, (0, 0, 1))])
    assert Chain([as_published(links[0])]) != Chain(links)
    two = Link(Revolute(), **BODY, name="b")
    assert Chain([*links, two]) != Chain([*links, replace(two, parent="ground")])
    assert Chain([*links, two]) == Chain([*links, replace(two, parent="a")])
    assert ur5() != ur5_uncorrected() and ur5() != 3 and ur5() != "ur5"


def test_chains_of_symbols_and_fractions():
    L, third = sp.symbols("L"), Fraction(1, 3)
    assert one(mass=L) == one(mass=sp.symbols("L")) != one(mass=2 * L)
    assert one(mass=third) == one(mass=Fraction(2, 6)) != one(mass=1 / 3)
    casadi = pytest.importorskip("casadi")
    x = casadi.SX.sym("x")
    assert one(mass=x) == one(mass=x) and one(mass=x) != one(mass=casadi.SX.sym("x"))


@dataclass(frozen=True, eq=False)
class Rail(cd.Joint):
    """A slide along z that a reader wrote."""

    scale: float = 1.0
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    neutral: ClassVar[tuple[int, ...]] = (0,)

    def pose(self, q):
        return np.eye(3) + 0 * q[..., None], q * np.asarray(self.scale)[..., None] * np.array(
            [0, 0, 1]
        )

    def motion_subspace(self, q):
        column = np.array([0, 0, 0, 0, 0, 1.0]) * np.asarray(self.scale)[..., None]
        return np.broadcast_to(column[..., None], (*q.shape[:-1], 6, 1))


def test_joints_of_others_have_names_and_are_compared():
    def rail(scale: float, name: str) -> Chain:
        return Chain([Link(Rail(scale, name=name), **BODY), Link(Rail(), **BODY)])

    assert rail(2, "r").joint_names == ("r", "link1") and rail(2, "r") == rail(2, "r")
    assert rail(2, "r") != rail(3, "r")
    assert cd.forward_kinematics(rail(2, "r"), [0.5, 0])[1][0].tolist() == [0, 0, 1]


def test_jax_compiles_once_for_equal_chains():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    traced = []

    def mass_matrix(chain, q):
        traced.append(chain)
        return cd.crba(chain, q)

    fast = jax.jit(mass_matrix, static_argnums=0)
    for chain in (ur5(), ur5(), ur5_uncorrected()):
        M = fast(chain, np.zeros(6))
        assert np.allclose(M, cd.crba(chain, np.zeros(6)), rtol=1e-12)
    assert len(traced) == 2


# How it looks ----------------------------------------------------------------------------------


def test_a_chain_is_shown_as_a_table():
    assert repr(ur5()).splitlines()[:3] == [
        "Chain of 6 links, nq = 6, nv = 6, gravity (0, 0, -9.81) m/s^2",
        "   link            parent          joint                          axis   q  mass [kg]",
        "0  shoulder_link   ground          Revolute  shoulder_pan_joint   0 0 1  0  3.7",
    ]
    assert repr(ur5()).endswith("frames: flange")
    assert "foot   thigh   Spherical" in repr(tree()) and " 8:12 " in repr(tree())
    assert "1 link," in repr(one()) and "L**2" in repr(one(mass=sp.symbols("L") ** 2))


def test_the_table_fits_on_a_screen():
    name = "a_very_long_name_of_a_link_that_somebody_generated_{}"
    links = [
        Link(Revolute((1, 2, 3), name=name.format(f"j{i}")), **BODY, name=name.format(i))
        for i in range(200)
    ]
    frames = [Frame(f"frame number {i}", i) for i in range(100)]
    lines = repr(Chain(links, frames=frames)).splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 120
    assert lines[0].startswith("Chain of 200 links") and lines[-2].startswith("199")
    assert "... 183 more ..." in lines[14] and lines[-1].endswith("and 95 more")


class Tripod(Chain):
    def __repr__(self) -> str:
        return "a tripod"


def test_what_is_derived_may_look_otherwise():
    assert repr(Tripod([Link(Revolute(), **BODY)])) == "a tripod"
    assert Tripod([Link(Revolute(), **BODY)]) != Chain([Link(Revolute(), **BODY)])


def test_what_is_written_into_the_neutral_posture_stays():
    """An array of whole numbers would round a height of half a metre to zero, without a word."""
    single = np.float32(1), np.zeros(3, np.float32), np.eye(3, dtype=np.float32)
    for body, kind in (((1, (0, 0, 0), np.eye(3)), float), (single, np.float32)):
        chain = Chain([Link(Free(), *body, name="trunk")])
        q = chain.neutral.copy()
        q[2] = 0.5
        assert q.dtype == kind and q.tolist() == [0, 0, 0.5, 1, 0, 0, 0]
        with pytest.raises(ValueError, match="read-only"):
            chain.neutral[2] = 0.5


def test_exact_chains_have_an_exact_neutral_posture():
    thin = np.zeros((3, 3), int)
    for mass in (2, Fraction(1, 3), sp.Symbol("m")):
        chain = Chain(
            [Link(Spherical(), mass, (0, 0, 0), thin), Link(Prismatic(), 1, (0, 0, 1), thin)]
        )
        assert chain.neutral.dtype == int
        exact = chain.q_of({"link1": Fraction(1, 3)})
        assert [type(x) for x in exact] == [int] * 4 + [Fraction]
    inexact = Chain([Link(Prismatic(), 1.5, (0, 0, 0), np.eye(3))])
    assert inexact.q_of({"link0": Fraction(1, 3)})[0] == Fraction(1, 3)
