"""Chains written as JSON and as URDF, and read back; what other engines read of them; and what cannot be written."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from laws import every_joint, in_precision
from test_names import Rail, tree
from trees import CASES, EPS, random_tree

import chaindyn as cd
from chaindyn import (
    Chain,
    Drive,
    Fixed,
    Frame,
    Free,
    Limits,
    Link,
    Planar,
    Prismatic,
    Revolute,
    crba,
    from_json,
    load_urdf,
    to_json,
    to_urdf,
)
from chaindyn.models.robots import stewart_platform, ur5, ur5_uncorrected
from chaindyn.models.welded import as_published

BODY: dict[str, Any] = {"mass": 1.5, "com": (0.1, 0.2, 0), "inertia": np.diag([1.0, 1.2, 1.5])}
MAKERS = [tree, every_joint, ur5, ur5_uncorrected, lambda: stewart_platform()[0]]
NUMBERS = ("mass", "com", "inertia", "offset", "rotation", "gravity", "viscous", "lower_limit")


def one(**changes: Any) -> Chain:
    return Chain([replace(Link(Revolute((0, 1, 0), name="j"), **BODY, name="a"), **changes)])


# JSON ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("kind", [None, np.float32, np.longdouble])
def test_json_is_read_back_to_the_last_bit(make, kind):
    chain = make() if kind is None else in_precision(make(), kind)
    again = from_json(to_json(chain))
    assert again == chain and to_json(again) == to_json(chain)
    for name in NUMBERS:
        a, b = getattr(again, name), getattr(chain, name)
        assert (
            a.dtype == b.dtype and np.array_equal(a, b) and (np.signbit(a) == np.signbit(b)).all()
        )
    q, qd = cd.random_state(chain, 0)
    h = cd.bias_force(again, q, qd)
    assert h.tobytes() == cd.bias_force(chain, q, qd).tobytes() or h.dtype == np.longdouble


@pytest.mark.parametrize("case", CASES, ids=str)
def test_random_trees_are_read_back(case):
    chain = random_tree(case)
    assert from_json(to_json(chain)) == chain


def test_fractions_and_whole_numbers_stay_exact():
    third = Fraction(1, 3)
    chain = one(mass=third, com=(1, third, 0), inertia=np.diag([1, 1, 1]), offset=(0, 2, -1))
    again = from_json(to_json(chain))
    assert again == chain and again.mass[0] == third and type(again.com[0][0]) is int
    assert again.offset.dtype.kind == "i"


def test_all_that_a_chain_has_is_written():
    drive = Drive(rotor_inertia=1e-4, gear_ratio=-100, viscous=0.1, coulomb=np.float64(0.3))
    link = Link(Revolute(name="j"), **BODY, drive=drive, limits=Limits(-1.0, effort=5), name="ä\n")
    published = as_published(
        replace(link, name="b", limits=None, joint=Revolute(), inertia=np.diag([1, 1, 5]))
    )
    chain = Chain(
        [link, published], (0, 1, 0), [Frame("tip", "b", (0, 0, 0.1)), Frame("g", "ground")]
    )
    again = from_json(to_json(chain))
    assert again == chain and again.joint_names == chain.joint_names
    assert again.lower_limit[0] == -1 and again.effort_limit[0] == 5
    assert np.isinf([*again.upper_limit, again.effort_limit[1], again.lower_limit[1]]).all()
    assert again.gear_ratio[0] == -100 and again.gravity.tolist() == [0, 1, 0]


def test_joints_of_others_are_read_where_their_class_is_given():
    chain = Chain([Link(Rail(2.0, name="r"), **BODY)])
    assert from_json(to_json(chain), joints=[Rail]) == chain
    with pytest.raises(ValueError, match=r"link 0 \(None\): its joint is .*'Rail'.*but must be of"):
        from_json(to_json(chain))


def test_what_json_cannot_hold_is_told():
    x = sp.symbols("x")
    with pytest.raises(ValueError, match="link 'a': mass is x, but JSON holds real numbers alone"):
        to_json(one(mass=x))
    with pytest.raises(ValueError, match="frame 'f': offset is"):
        to_json(Chain([Link(Revolute(), **BODY)], frames=[Frame("f", 0, (x, 0, 0))]))
    with pytest.raises(ValueError, match="chain must be a Chain"):
        to_json(3)  # type: ignore[arg-type]


def broken(change) -> str:
    told = json.loads(to_json(Chain(one().links, frames=[Frame("f", "a")])))
    change(told)
    return json.dumps(told)


def put(*path: Any) -> Any:
    """Return what puts the last of these at the place of the others."""

    def change(told: Any) -> None:
        *way, last, value = path
        for key in way:
            told = told[key]
        told[last] = value

    return change


@pytest.mark.parametrize(
    "text, words",
    [
        (3, "text is 3, but must be what to_json returns"),
        ("{", "not JSON"),
        ("[" * 10**5, "not JSON"),
        ("[1, 2]", "not a chain"),
        ('{"format": "robot"}', "not a chain: the text must be an object with format"),
        (broken(put("version", 2)), "version is 2, but must be 1"),
        (broken(lambda told: told.pop("links")), r"the chain lacks \['links'\]"),
        (broken(put("color", "red")), r"the chain has \['color'\], which is unknown"),
        (broken(put("links", {})), "links must be a list"),
        (broken(put("links", [])), "at least one link"),
        (broken(put("links", [3])), "link 0 is 3, but must be an object"),
        (broken(lambda told: told["links"][0].pop("com")), r"link 0 lacks \['com'\]"),
        (broken(put("links", 0, "com", [0, 0])), r"'a'\): com has shape"),
        (broken(put("links", 0, "com", "left")), r"link 0 \('a'\): com is left, but must hold"),
        (broken(put("links", 0, "mass", -1)), r"mass is -1"),
        (broken(put("links", 0, "mass", True)), "mass is True, but must hold numbers"),
        (broken(put("links", 0, "mass", None)), "mass is None, but must hold numbers"),
        (broken(put("links", 0, "mass", "inf")), "mass is inf"),
        (broken(put("links", 0, "mass", {"exact": "1/0"})), "mass is .*but must hold numbers"),
        (broken(put("links", 0, "mass", {"float16": "1"})), "'float16' is no kind of number"),
        (broken(put("links", 0, "mass", float("nan"))), "mass is no number: NaN, but must hold"),
        (broken(put("links", 0, "inertia", [[1, 2], [3]])), "inertia is .* but must hold numbers"),
        (broken(put("links", 0, "name", 3)), "named 3"),
        (broken(put("links", 0, "parent", "b")), "has parent 'b'"),
        (broken(put("links", 0, "judged", 3)), "judged is 3, but must be true or false"),
        (broken(put("links", 0, "joint", "hinge")), "its joint is 'hinge', but must be of kind"),
        (broken(put("links", 0, "joint", "kind", "Joint")), "but must be of kind"),
        (broken(put("links", 0, "joint", "axis", [0, 0, 0])), "a direction must not be zero"),
        (broken(put("links", 0, "joint", "pitch", 1)), r"its joint has \['pitch'\]"),
        (broken(put("links", 0, "drive", {"viscous": 1})), "drive lacks"),
        (broken(put("links", 0, "limits", 1)), "limits is 1, but must be an object"),
        (broken(put("frames", 0, "link", "b")), "frame 'f': its link"),
        (broken(put("frames", 0, "rotation", 2)), "frame 'f': rotation has shape"),
        (broken(put("gravity", [0, 0])), "gravity has shape"),
        ("chain.json", "not JSON: .*of a file, what is in it"),
        (broken(put("frames", 0, "name", [])), r"frames\[0\] is named \[\], but a name must be a"),
        (broken(put("links", 0, "mass", {"exact": "1e9999999"})), "is no whole number or fraction"),
        (broken(put("links", 0, "mass", {"exact": "0.5"})), "is no whole number or fraction"),
        ('{"format": 1, "format": 2}', "not JSON: 'format' stands twice"),
        ("\xe4".encode("latin-1"), "not JSON"),
    ],
)
def test_what_is_no_chain_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        from_json(text)


@pytest.mark.parametrize(
    "way",
    [
        ("version",),
        ("links",),
        ("frames",),
        ("gravity",),
        ("links", 0),
        ("links", 0, "joint"),
        ("links", 0, "joint", "kind"),
        ("links", 0, "mass"),
        ("links", 0, "limits"),
        ("links", 0, "judged"),
        ("links", 0, "x" * 10**6),
        ("frames", 0),
        ("frames", 0, "offset"),
    ],
)
@pytest.mark.parametrize("wrong", ["x" * 10**6, ["x" * 10**6], {"float32": "x" * 10**6}])
def test_a_refusal_is_short_whatever_stands_there(way, wrong):
    """A megabyte of rubbish in a file is no megabyte on the screen."""
    with pytest.raises(ValueError) as told:
        from_json(broken(put(*way, wrong)))
    assert len(str(told.value)) < 1000


# URDF ------------------------------------------------------------------------------------------


def mixed(n: int = 12, seed: int = 0) -> Chain:
    """A tree of all joints that URDF has, with friction and limits, some turned by a quarter."""
    rng = np.random.default_rng(seed)
    quarter = cd.rotation_about(np.array([0, 1, 0]), np.array([np.pi / 2]))
    links = []
    for i in range(n):
        axis = rng.normal(size=3)
        joint = [Revolute(axis, name=f"j{i}"), Prismatic(axis), Planar(axis), Revolute((0, 0, 1))][
            i % 4
        ]
        flat = isinstance(joint, Planar)
        turn = cd.exp_so3(3 * rng.normal(size=3))
        a = rng.normal(size=(3, 3))
        moments = a @ a.T
        links.append(
            Link(
                joint,
                rng.uniform(1, 2),
                rng.normal(size=3),
                np.trace(moments) * np.eye(3) - moments,
                rng.normal(size=3),
                quarter @ turn if i % 5 == 0 else quarter if i % 5 == 1 else turn,
                parent=int(rng.integers(i)) if i else "ground",
                name=f"b{i}",
                drive=Drive(viscous=0.1 * (i + 1), coulomb=0.2) if i % 3 else None,
                limits=None if flat or i % 4 == 3 else Limits(-1 - i, 2, velocity=3, effort=4 + i),
            )
        )
    frames = [Frame("tip", "b3", (1, 2, 3), quarter), Frame("corner", "ground", (0, 0, 1))]
    return Chain(links, frames=frames)


def written(tmp_path, chain: Chain) -> Any:
    path = tmp_path / "chain.urdf"
    path.write_text(to_urdf(chain), encoding="utf-8")
    return path


def in_order(chain: Chain, like: Chain, name: str) -> Any:
    """Return numbers of the links in the order of another chain; a file is read depth first."""
    return getattr(chain, name)[[chain.index(link) for link in like.names]]


@pytest.mark.parametrize("seed", range(5))
def test_urdf_is_read_back(tmp_path, seed):
    chain = mixed(seed=seed)
    again = load_urdf(written(tmp_path, chain))
    for name in ("mass", "com", "inertia", "offset", "rotation"):
        a, b = in_order(again, chain, name), getattr(chain, name)
        assert np.abs(a - b).max() <= 8 * EPS * max(1, np.abs(b).max()), name
    assert {
        n: again.names[again.parent[i]] for i, n in enumerate(again.names) if again.parent[i] >= 0
    } == {
        n: chain.names[chain.parent[i]] for i, n in enumerate(chain.names) if chain.parent[i] >= 0
    }
    for i, link in enumerate(chain.names):
        k = again.index(link)
        one, other = chain.joints[i], again.joints[k]
        assert type(one) is type(other) and again.joint_names[k] == chain.joint_names[i]
        axis = "normal" if isinstance(one, Planar) else "axis"
        assert (getattr(one, axis) == getattr(other, axis)).all()
        for columns, parts in (
            ("v_columns", ("viscous", "coulomb", "velocity_limit", "effort_limit")),
            ("q_columns", ("lower_limit", "upper_limit")),
        ):
            own, theirs = (list(getattr(x, columns)[j]) for x, j in ((chain, i), (again, k)))
            for part in parts:
                assert (getattr(again, part)[theirs] == getattr(chain, part)[own]).all(), part
    for frame, (link, offset, rotation) in chain.frame_places.items():
        there = again.frame_places[frame]
        assert there[0] == (-1 if link < 0 else again.index(chain.names[link]))
        assert np.abs(there[1] - offset).max() <= 8 * EPS
        assert np.abs(there[2] - rotation).max() <= 8 * EPS


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_other_engines_read_the_same_robot(tmp_path, engine):
    links = [replace(x, parent=None) for x in mixed(16, 7) if not isinstance(x.joint, Planar)]
    chain = Chain(links)
    rng = np.random.default_rng(1)
    q = rng.uniform(-1, 1, chain.nv)
    if engine == "pinocchio":
        pin = pytest.importorskip("pinocchio")
        model = pin.buildModelFromXML(to_urdf(chain))
        ends = [i for i, joint in enumerate(chain.joints) if not np.isfinite(chain.lower_limit[i])]
        theirs = cd.convention("Pinocchio", unbounded=ends).to_q(chain, q)
        M = pin.crba(model, model.createData(), theirs)
        M = np.triu(M) + np.triu(M, 1).T
        assert list(model.names)[1:] == list(chain.joint_names)
        bounded = np.isfinite(chain.upper_limit)
        own = [model.joints[i + 1].idx_q for i in np.flatnonzero(bounded).tolist()]
        assert (model.lowerPositionLimit[own] == chain.lower_limit[bounded]).all()
    else:
        mujoco = pytest.importorskip("mujoco")
        path = written(tmp_path, Chain([replace(x, drive=None) for x in links]))
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        M = np.zeros((chain.nv, chain.nv))
        mujoco.mj_fullM(model, data, M)
    scale = np.abs(M).max()
    assert np.abs(crba(chain, q) - M).max() <= 1e-13 * scale


def test_limits_that_are_not_there_are_read_by_others_and_back(tmp_path):
    # every file must be read by those who take the format at its word: "inf" is no number to them
    given = [
        (Prismatic, None),
        (Prismatic, Limits(-1, np.inf)),
        (Revolute, Limits(upper=2)),
        (Revolute, Limits(-1, 2, effort=5)),
        (Revolute, Limits(velocity=3)),
        (Revolute, None),
    ]
    links = [
        replace(one()[0], joint=kind((0, 0, 1)), name=f"l{k}", limits=limits)
        for k, (kind, limits) in enumerate(given)
    ]
    chain, path = Chain(links), tmp_path / "chain.urdf"
    text = to_urdf(chain)
    assert "inf" not in text
    again = load_urdf(written(tmp_path, chain))
    bounds = ("lower_limit", "upper_limit", "velocity_limit", "effort_limit")
    for name in bounds:
        assert (getattr(again, name) == getattr(chain, name)).all(), name
    yourdfpy = pytest.importorskip("yourdfpy")
    robot = yourdfpy.URDF.load(str(path), build_scene_graph=False, load_meshes=False)
    assert [j.type for j in robot.robot.joints] == [
        *["prismatic"] * 2,
        *["revolute"] * 2,
        *["continuous"] * 2,
    ]
    assert robot.validate()
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(text)
    assert model.njoints == 7 and model.nv == 6
    assert (
        model.lowerPositionLimit[[1, 3]].tolist() == [-1, -1]
        and model.lowerPositionLimit[0] < -1e300
    )
    assert model.upperPositionLimit[2] == 2 and model.velocityLimit[4] == 3
    assert model.effortLimit[3] == 5 and model.effortLimit[0] > 1e300


def test_robots_that_float_and_links_that_are_welded(tmp_path):
    chain = Chain(
        [Link(Free(name="loose"), **BODY, name="trunk"), Link(Revolute(), **BODY, name="arm")]
    )
    again = load_urdf(written(tmp_path, chain))
    assert again.joint_names == ("loose", "arm") and isinstance(again.joints[0], Free)
    welded = Chain([*chain, Link(Fixed(), **BODY, offset=(0, 0, 1), name="hand")])
    merged = load_urdf(written(tmp_path, welded))
    q, _ = cd.random_state(chain, 0)
    assert merged.n == 2 and "hand" in merged.frame_places
    assert np.abs(crba(merged, q) - crba(welded, q)).max() <= 50 * EPS


def test_rotors_may_be_left_out(tmp_path):
    chain = one(drive=Drive(1e-4, 100, viscous=0.2))
    (tmp_path / "a.urdf").write_text(to_urdf(chain, rotors="skip"))
    again = load_urdf(tmp_path / "a.urdf")
    assert again.viscous[0] == 0.2 and not again.has_rotors
    q = np.array([0.3])
    assert np.abs(crba(chain, q) - crba(again, q) - 1).max() <= 8 * EPS  # 100^2 1e-4 kg m^2
    with pytest.raises(ValueError, match="rotors is 'no'"):
        to_urdf(chain, rotors="no")  # type: ignore[arg-type]


def test_names_are_escaped(tmp_path):
    chain = one(name='<b> & "c" é')
    assert load_urdf(written(tmp_path, chain)).names == chain.names


@pytest.mark.parametrize(
    "chain, words",
    [
        (Chain(one().links, gravity=(0, 0, 0)), "gravity is .* but URDF holds none"),
        (one(joint=cd.Spherical()), "link 'a': its joint is Spherical, but URDF holds"),
        (one(joint=cd.Helical((0, 0, 1), 0.1)), "link 'a': its joint is Helical"),
        (one(joint=cd.Universal()), "link 'a': its joint is Universal"),
        (one(drive=Drive(1e-4, 100)), "link 'a': its drive has a rotor, but URDF holds none"),
        (one(joint=Free(), limits=Limits(effort=3)), "link 'a': it has limits.*floating"),
        (one(joint=Planar(), limits=Limits(lower=-3)), "link 'a': it has limits.*planar"),
        (
            one(joint=Planar(), drive=Drive(viscous=(1, 1, 2))),
            "its joint has damping .1.0, 1.0, 2.0",
        ),
        (one(joint=Free(), drive=Drive(viscous=1)), "none of a floating joint"),
        (one(mass=sp.symbols("m")), "link 'a': mass is .* must hold real numbers"),
        (one(name="a\x00b"), "a name holds a character that XML has not"),
        (3, "chain must be a Chain"),
    ],
)
def test_what_urdf_cannot_hold_is_told(chain, words):
    with pytest.raises(ValueError, match=words):
        to_urdf(chain)
