"""URDF files: what is read, merged, cut away and locked, and what is refused with which words."""

import builtins
import copy
import json
import pickle
import sys
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy import spatial
from trees import EPS, assert_near, random_inertia

from chaindyn import (
    Chain,
    ConvexHull,
    Free,
    Planar,
    Prismatic,
    Revolute,
    aba,
    assemble,
    bias_force,
    body_jacobian,
    body_twists,
    constrained_forward_dynamics,
    constraint_error,
    constraint_jacobian,
    crba,
    find_contacts,
    forward_kinematics,
    load_collision,
    load_couplings,
    load_mjcf,
    load_model,
    load_urdf,
    load_visual,
    random_state,
    rotation_about,
    simulate,
    spatial_inertia,
)
from chaindyn.models import files, urdf
from chaindyn.models.robots import UR5_FLANGE, ur5, ur5_uncorrected
from chaindyn.models.welded import with_corners
from chaindyn.teaching import normwise

pytest.importorskip("yourdfpy")


def link(name, mass=1.0, com="0 0 0", rpy="0 0 0", inertia=(1, 1, 1, 0, 0, 0)):
    moments = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), inertia, strict=True)
    entries = " ".join(f'{key}="{float(value)!r}"' for key, value in moments)
    return f"""<link name="{name}"><inertial><origin xyz="{com}" rpy="{rpy}"/>
        <mass value="{mass!r}"/><inertia {entries}/></inertial></link>"""


def joint(name, parent, child, kind="revolute", xyz="0 0 0", rpy="0 0 0", axis="0 0 1", extra=""):
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
        <origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{extra}</joint>"""


BARE = '<link name="base"/>'
ARM = (
    BARE,
    link("upper", 2.0, "0 0 0.5"),
    link("lower", 1.0, "0 0 0.3"),
    joint("shoulder", "base", "upper", xyz="0 0 1", axis="0 2 0"),
    joint("elbow", "upper", "lower", "prismatic", xyz="0 0 1", rpy="0 0 1.5", axis="1 0 0"),
)
GRIPPER = (
    *ARM,
    link("palm", 0.5, "0 0 0.1"),
    joint("wrist", "lower", "palm", "fixed", xyz="0 0 0.6", rpy="0 0.5 0"),
    link("left", 0.1, "0 0 0.02"),
    link("right", 0.1, "0 0 0.02"),
    joint("left_slide", "palm", "left", "prismatic", axis="0 1 0"),
    joint(
        "right_slide",
        "palm",
        "right",
        "prismatic",
        axis="0 -1 0",
        extra='<mimic joint="left_slide"/>',
    ),
)


@pytest.fixture
def write(tmp_path):
    """Write a robot's elements to a file and give its path."""

    def write(*elements, text=None):
        path = tmp_path / "robot.urdf"
        path.write_text(text or f'<?xml version="1.0"?><robot name="r">{"".join(elements)}</robot>')
        return path

    return write


# --- what is read ---


def test_an_arm_is_read(write):
    chain = load_urdf(write(*ARM))
    assert chain.names == ("upper", "lower") and chain.parent == (-1, 0)
    assert isinstance(chain.joints[0], Revolute) and isinstance(chain.joints[1], Prismatic)
    assert chain.joints[0].axis.tolist() == [0, 1, 0]  # normalised
    assert chain.mass.tolist() == [2, 1]
    assert chain.com.tolist() == [[0, 0, 0.5], [0, 0, 0.3]]
    assert chain.offset.tolist() == [[0, 0, 1], [0, 0, 1]]
    turn = rotation_about(np.array([0, 0, 1]), np.array([1.5]))
    assert np.abs(chain.rotation - [np.eye(3), turn]).max() <= EPS
    assert str(load_urdf(str(write(*ARM))).names) == str(chain.names)  # a path may be a string


def test_the_axis_is_x_where_none_is_given(write):
    bare = '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>'
    chain = load_urdf(write(BARE, link("arm"), bare))
    assert isinstance(chain.joints[0], Revolute)
    assert chain.joints[0].axis.tolist() == [1, 0, 0]
    assert not chain.offset.any() and np.array_equal(chain.rotation[0], np.eye(3))


def test_angles_turn_about_fixed_axes_roll_first(write):
    rpy = np.array([0.3, -0.7, 1.1])
    path = write(BARE, link("arm"), joint("j", "base", "arm", rpy="0.3 -0.7 1.1"))
    X, Y, Z = (rotation_about(np.eye(3)[k], rpy[k : k + 1]) for k in range(3))
    assert np.abs(load_urdf(path).rotation[0] - Z @ Y @ X).max() <= 4 * EPS


def test_an_inertia_is_turned_into_the_link_s_axes(write):
    entries = (1.0, 2.0, 2.5, 0.1, 0.2, -0.1)
    path = write(BARE, link("arm", rpy="0 0 0.4", inertia=entries), joint("j", "base", "arm"))
    R = rotation_about(np.array([0, 0, 1]), np.array([0.4]))
    own = np.array([[1, 0.1, 0.2], [0.1, 2, -0.1], [0.2, -0.1, 2.5]])
    assert normwise(load_urdf(path).inertia[0], R @ own @ R.T) <= 4 * EPS


def test_branches_come_depth_first_in_the_order_of_the_file(write):
    path = write(
        BARE,
        *(link(name) for name in "dcba"),
        joint("j1", "b", "c"),
        joint("j2", "base", "a"),
        joint("j3", "base", "b"),
        joint("j4", "b", "d"),
    )
    chain = load_urdf(path)
    assert chain.names == ("a", "b", "c", "d") and chain.parent == (-1, -1, 1, 1)


def test_what_is_drawn_is_not_looked_at(write):
    drawn = """<visual><geometry><mesh filename="package://nowhere/x.dae"/></geometry></visual>
        <collision><geometry><sphere radius="round"/></geometry></collision>"""
    path = write(
        BARE.replace("/>", f">{drawn}</link>"), *ARM[1:], "<gazebo/><material/><!-- note -->"
    )
    assert load_urdf(path).names == ("upper", "lower")


# --- what is merged, locked, cut away ---


def test_fixed_and_locked_joints_merge_bodies(write):
    """The merged spatial inertia is the sum of the parts', each moved to the link's frame."""
    positions = {"left_slide": 0.03, "right_slide": 0.04}
    chain = load_urdf(write(*GRIPPER), lock=positions)
    assert chain.names == ("upper", "lower")
    R = rotation_about(np.array([0, 1, 0]), np.array([0.5]))
    p = np.array([0, 0, 0.6])
    parts = [(1.0, np.array([0, 0, 0.3]), np.eye(3)), (0.5, R @ [0, 0, 0.1] + p, np.eye(3))]
    for y in (0.03, -0.04):
        parts.append((0.1, R @ [0, y, 0.02] + p, np.eye(3)))
    expected = sum(spatial_inertia(m, c, R @ I @ R.T) for m, c, I in parts)
    assert normwise(chain.spatial_inertia[1], expected) <= 10 * EPS
    assert chain.mass[1] == pytest.approx(1.7, rel=4 * EPS)


def test_locking_a_hinge_equals_holding_it(write):
    """Two models of one body: the free chain's far links held at q, and the chain with them locked."""
    rng = np.random.default_rng(0)
    elements = [BARE]
    for i in range(6):
        I = random_inertia(rng)
        moments = (*np.diag(I), I[0, 1], I[0, 2], I[1, 2])
        numbers = [" ".join(map(repr, rng.normal(size=3).tolist())) for _ in range(4)]
        elements += [
            link(f"l{i}", rng.uniform(1, 2), numbers[0], inertia=moments),
            joint(
                f"j{i}",
                f"l{i - 1}" if i else "base",
                f"l{i}",
                ("revolute", "prismatic")[i % 2],
                numbers[1],
                numbers[2],
                numbers[3],
            ),
        ]
    path = write(*elements)
    free = load_urdf(path)
    q, qd = random_state(free, 1)
    held = [0, 1, 4, 5]
    locked = load_urdf(path, lock={f"j{i}": q[i] for i in held})
    qd[held] = 0
    names = ["l2", "l3"]
    assert locked.names == tuple(names)
    moving = [free.index(name) for name in names]
    for whole, some in zip(
        forward_kinematics(free, q), forward_kinematics(locked, q[2:4]), strict=True
    ):
        assert normwise(some, whole[moving]) <= 100 * EPS * 6
    assert (
        normwise(body_twists(locked, q[2:4], qd[2:4]), body_twists(free, q, qd)[moving])
        <= 100 * EPS * 6
    )

    # energy: the locked chain's two bodies hold all that moves of the six
    def energy(chain, q, qd):
        v = body_twists(chain, q, qd)
        return np.einsum("ni,nij,nj->", v, chain.spatial_inertia, v) / 2

    whole = energy(free, q, qd)
    assert abs(energy(locked, q[2:4], qd[2:4]) - whole) <= 100 * EPS * 6 * whole


def test_what_is_welded_to_the_root_is_the_ground_s(write):
    path = write(
        BARE,
        link("stand", 50.0),
        link("arm"),
        joint("foot", "base", "stand", "fixed", xyz="1 0 0"),
        joint("j", "stand", "arm", xyz="0 0 2"),
    )
    chain = load_urdf(path)
    assert chain.names == ("arm",) and chain.parent == (-1,)
    assert chain.offset.tolist() == [[1, 0, 2]] and chain.mass.tolist() == [1]


def test_a_massless_weld_changes_nothing_to_the_bit(write):
    com, inertia = "0.1 0.2 0.3", (1 / 3, 1 / 3, 1 / 3, 0.01, 0.02, 0.03)
    body = link("arm", 1 / 3, com, inertia=inertia)
    alone = load_urdf(write(BARE, body, joint("j", "base", "arm")))
    tool = joint("weld", "arm", "tool", "fixed", xyz="9 9 9", rpy="1 1 1")
    with_tool = load_urdf(write(BARE, body, '<link name="tool"/>', joint("j", "base", "arm"), tool))
    assert np.array_equal(alone.com, with_tool.com) and np.array_equal(
        alone.inertia, with_tool.inertia
    )


def test_tip_keeps_the_path_and_cuts_branches_away(write):
    path = write(*GRIPPER)
    assert load_urdf(path, tip="lower").mass.tolist() == [2, 1]  # no palm, no fingers
    assert load_urdf(path, tip="palm").mass.tolist() == [2, 1.5]  # welded on, merged
    assert load_urdf(path, tip="left").names == (
        "upper",
        "lower",
        "left",
    )  # the mimic finger is cut away
    assert load_urdf(path, tip="upper").names == ("upper",)


def test_locks_may_be_names_alone_and_of_what_is_cut_away(write):
    path = write(*GRIPPER)
    assert load_urdf(path, lock=["left_slide", "right_slide"]).names == ("upper", "lower")
    assert load_urdf(path, lock={"right_slide": 0.1}).names == ("upper", "lower", "left")
    assert load_urdf(path, tip="lower", lock=("left_slide",)).names == ("upper", "lower")
    assert (
        load_urdf(path, lock=["wrist", "left_slide", "right_slide"]).n == 2
    )  # a weld is locked already


def test_a_floating_base_may_be_locked_where_it_is(write):
    path = write(
        BARE,
        link("trunk"),
        link("leg"),
        joint("free", "base", "trunk", "floating", xyz="0 0 1"),
        joint("hip", "trunk", "leg", xyz="1 0 0"),
    )
    chain = load_urdf(path, lock=["free"])
    assert chain.names == ("leg",) and chain.offset.tolist() == [[1, 0, 1]]


def test_a_floating_joint_is_free(write):
    path = write(
        BARE,
        link("trunk"),
        link("leg"),
        joint("free", "base", "trunk", "floating", xyz="0 0 1"),
        joint("hip", "trunk", "leg", xyz="1 0 0"),
    )
    chain = load_urdf(path)
    assert [type(j) for j in chain.joints] == [Free, Revolute]
    assert chain.offset.tolist() == [[0, 0, 1], [1, 0, 0]]


def test_a_planar_joint_slides_across_its_axis_and_turns_about_it(write):
    path = write(
        BARE, link("puck"), joint("table", "base", "puck", "planar", xyz="0 0 1", axis="0 0 2")
    )
    chain = load_urdf(path)
    assert [type(j) for j in chain.joints] == [Planar] and chain.nv == 3
    R, p = forward_kinematics(chain, [0.2, -0.3, np.pi / 2])
    assert np.abs(p[0] - [0.2, -0.3, 1]).max() <= 4 * EPS
    assert np.abs(R[0] - [[0, -1, 0], [1, 0, 0], [0, 0, 1]]).max() <= 4 * EPS


def test_a_root_link_may_float(write):
    path = write(
        link("trunk"),
        link("head"),
        link("leg"),
        joint("neck", "trunk", "head", "fixed", xyz="0 0 1"),
        joint("hip", "trunk", "leg", xyz="1 0 0"),
    )
    chain, bolted = load_urdf(path, floating=True), load_urdf(path)
    assert chain.names == ("trunk", "leg") and bolted.names == ("leg",)
    assert [type(j) for j in chain.joints] == [Free, Revolute]
    assert chain.mass.tolist() == [2, 1] and chain.com[0].tolist() == [0, 0, 0.5]
    assert chain.neutral.tolist() == [0, 0, 0, 1, 0, 0, 0, 0]


def test_a_massless_link_may_carry_others(write):
    path = write(
        BARE,
        '<link name="cross"/>',
        link("arm"),
        joint("u1", "base", "cross", axis="1 0 0"),
        joint("u2", "cross", "arm", axis="0 1 0"),
    )
    chain = load_urdf(path)
    assert chain.mass.tolist() == [0, 1] and not chain.inertia[0].any()


def test_a_chain_of_a_thousand_welds_is_read(write):
    links = [link(f"l{i}") for i in range(1000)]
    welds = [joint(f"w{i}", f"l{i}", f"l{i + 1}", "fixed", xyz="0.001 0 0") for i in range(999)]
    chain = load_urdf(write(BARE, *links, joint("j", "base", "l0"), *welds))
    assert chain.n == 1 and chain.mass[0] == 1000
    assert abs(chain.com[0, 0] - 0.4995) <= 1000 * EPS


def test_a_file_of_any_depth_and_length_is_read(write):
    """Elements inside elements, and text between them, that mean nothing here."""
    deep, long = "<visual>" * 5000 + "</visual>" * 5000, "<!--" + "x" * 11_000_000 + "-->"
    arm = link("arm").replace("<mass", deep + "<mass")
    hinge = joint("j", "base", "arm", extra=deep)
    far = link("tip").replace("<mass", "y" * 11_000_000 + "<mass")
    chain = load_urdf(write(BARE, deep, long, arm, hinge, long, far, joint("k", "arm", "tip")))
    assert chain.names == ("arm", "tip") and chain.mass.tolist() == [1, 1]


def test_reading_takes_as_long_as_the_file(write, monkeypatch):
    """Counted in comparisons of names, of which searching a list for each would need millions."""
    n = 1500
    joints = [joint(f"j{i}", f"l{i}", f"l{i + 1}", "fixed") for i in range(n)]
    path = write(*(link(f"l{i}") for i in range(n + 1)), *reversed(joints))
    count = 0

    class Name(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            nonlocal count
            count += 1
            return str.__eq__(self, other)

    parse = urdf.ElementTree.parse

    def with_counted_names(path):
        tree = parse(path)
        for element in tree.iter():
            for attribute in ("name", "link"):
                if attribute in element.attrib:
                    element.set(attribute, Name(element.get(attribute)))
        return tree

    monkeypatch.setattr(urdf.ElementTree, "parse", with_counted_names)
    robot = urdf.read(path)
    assert len(urdf.depth_first(robot)) == n
    assert count <= 20 * n


# --- published inertias ---

IMPOSSIBLE = link("lower", inertia=(1, 1, 3, 0, 0, 0))
MASSLESS_HAND = ('<link name="hand"/>', joint("grip", "lower", "hand", axis="1 0 0"))


def test_published_inertias_are_taken_with_a_warning_when_asked(write):
    path = write(*ARM[:2], IMPOSSIBLE, *ARM[3:], *MASSLESS_HAND)
    with pytest.warns(UserWarning) as caught:
        chain = load_urdf(path, inertia="warn")
    (message,) = (str(w.message) for w in caught)
    assert caught[0].filename == __file__
    for part in ("robot.urdf", "'lower'", "triangle", "1, 1 and 3", "'hand'", "'grip'", "no mass"):
        assert part in message
    assert np.array_equal(chain.inertia[1], np.diag([1, 1, 3])) and chain.mass[2] == 0
    again = [
        Chain(chain.links, gravity=(0, 0, 0)),
        pickle.loads(pickle.dumps(chain)),
        copy.deepcopy(chain),
    ]
    for other in again:  # taken once, taken for good
        assert np.array_equal(other.inertia, chain.inertia)
    assert crba(chain, [0.1, 0.2, 0.3]).shape == (3, 3)
    with pytest.raises(ValueError, match="joint of link 'hand' feels no inertia"):
        aba(chain, [0.1, 0.2, 0.3], [0, 0, 0], [0, 0, 0])


def test_the_other_links_are_judged_as_ever(write):
    path = write(*ARM[:2], IMPOSSIBLE, *ARM[3:])
    with pytest.warns(UserWarning):
        chain = load_urdf(path, inertia="warn")
    assert [getattr(part, "judged", True) for part in chain.links] == [True, False]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_urdf(write(*ARM), inertia="warn").names == ("upper", "lower")
    with pytest.raises(ValueError, match=r"link 'lower': mass is -1.0"):
        load_urdf(write(*ARM[:2], link("lower", -1.0), *ARM[3:]), inertia="warn")


# --- what is refused ---

MASSLESS_LEAF = (BARE, '<link name="hand"/>', joint("grip", "base", "hand"))
REFUSED = {
    "unknown joint type": (
        [*ARM[:-1], joint("elbow", "upper", "lower", "ball")], {},
        ["joint 'elbow'", "type 'ball'", "revolute", "fixed"],
    ),
    "no joint type": (
        [*ARM[:-1], ARM[-1].replace('type="prismatic"', "")], {}, ["joint 'elbow'", "type None", "one of"],
    ),
    "a base floating by half": (
        [BARE, link("a"), joint("f", "base", "a")], {"floating": 1}, ["floating is 1", "True or False"],
    ),
    "a planar joint locked elsewhere": (
        [BARE, link("a"), joint("f", "base", "a", "planar")], {"lock": {"f": 1}},
        ["'f' at 1", "planar", "0 only"],
    ),
    "a fixed joint locked elsewhere": (
        GRIPPER, {"lock": {"wrist": 0.5}}, ["'wrist' at 0.5", "fixed", "0 only"],
    ),
    "a mimic joint": (
        GRIPPER, {}, ["joint 'right_slide'", "mimics joint 'left_slide'", "lock it", "tip that cuts it away"],
    ),
    "several mimic joints": (
        [*GRIPPER, link("third", 0.1), joint("third_slide", "palm", "third", extra='<mimic joint="left_slide"/>')], {},
        ["'right_slide' mimics joint 'left_slide', joint 'third_slide' mimics", "lock them", "cuts them away"],
    ),
    "two bodies that cannot be": (
        [BARE, link("a", inertia=(1, 1, 3, 0, 0, 0)), link("b", inertia=(1, 1, 4, 0, 0, 0)), joint("j1", "base", "a"),
         joint("j2", "a", "b")], {},
        ["link 'a'", "1, 1 and 3", "link 'b'", "1, 1 and 4", "inertia='warn'"],
    ),
    "an unknown rule for inertias": (
        ARM, {"inertia": "loose"}, ["inertia is 'loose'", "'strict' or 'warn'"],
    ),
    "an endless name": (
        [*ARM, link("x" * 1_000_001)], {}, ["<link> has name = 'xxxx", "of 1000001 characters", "1000000 are the most"],
    ),
    "a lock beyond all floats": (
        ARM, {"lock": {"elbow": 10**400}}, ["joint 'elbow' at an integer too large for a float"],
    ),
    "a massless moving leaf": (
        MASSLESS_LEAF, {}, ["link 'hand'", "joint 'grip'", "no mass", "singular", "<inertial>"],
    ),
    "a leaf massless for want of its branch": (
        [BARE, '<link name="a"/>', link("b"), joint("j1", "base", "a"), joint("j2", "a", "b")],
        {"tip": "a"}, ["link 'a'", "joint 'j1'", "no mass"],
    ),
    "unknown tip": (ARM, {"tip": "hand"}, ["tip is 'hand'", "'base', 'upper', 'lower'"]),
    "the root for a tip": (ARM, {"tip": "base"}, ["no joint moves"]),
    "unknown lock": (ARM, {"lock": ["wrist"]}, ["lock", "'wrist'", "['elbow', 'shoulder']"]),
    "a lock that is a word": (ARM, {"lock": "elbow"}, ["lock is 'elbow'", "list of joint names"]),
    "a lock that is a number": (ARM, {"lock": 3}, ["lock is 3", "list of joint names"]),
    "a lock that names a list": (ARM, {"lock": [["elbow"]]}, ["lock names the joint ['elbow']", "joints are"]),
    "a lock that is true": (ARM, {"lock": {"elbow": True}}, ["joint 'elbow' at True", "number"]),
    "a complex lock": (ARM, {"lock": {"elbow": np.complex64(1)}}, ["joint 'elbow' at", "number"]),
    "a lock at NaN": (ARM, {"lock": {"elbow": np.nan}}, ["joint 'elbow' at nan", "finite"]),
    "a lock at a word": (ARM, {"lock": {"elbow": "half"}}, ["joint 'elbow' at 'half'", "number"]),
    "all locked": (ARM, {"lock": ["elbow", "shoulder"]}, ["no joint moves"]),
    "no links": ([], {}, ["no links"]),
    "no joints": ([BARE], {}, ["no joint moves"]),
    "several roots": ([*ARM, link("lost")], {}, ["['base', 'lost']", "one root link"]),
    "a link with two parents": (
        [*ARM, joint("again", "base", "lower")], {},
        ["link 'lower'", "['elbow', 'again']", "tree", "loops"],
    ),
    "a loop beside the tree": (
        [*ARM, link("a"), link("b"), joint("ab", "a", "b"), joint("ba", "b", "a")], {},
        ["['ab', 'ba']", "loop"],
    ),
    "nothing but a loop": (
        [link("a"), link("b"), joint("ab", "a", "b"), joint("ba", "b", "a")], {}, ["['ab', 'ba']", "loop"],
    ),
    "a joint of a link with itself": (
        [link("a"), joint("aa", "a", "a")], {}, ["['aa']", "loop"],
    ),
    "an unknown child": ([*ARM, joint("x", "lower", "gone")], {}, ["joint 'x'", "child is 'gone'", "links"]),
    "no parent element": (
        [*ARM[:-1], ARM[-1].replace('<parent link="upper"/>', "")], {}, ["joint 'elbow'", "parent is None"],
    ),
    "a link twice": ([*ARM, link("lower")], {}, ["two links named 'lower'", "differ"]),
    "a joint twice": ([*ARM, link("x"), joint("elbow", "lower", "x")], {}, ["two joints named 'elbow'"]),
    "a link without a name": ([*ARM, "<link/>"], {}, ["<link> number 4", "no name"]),
    "a moving link named ground": (
        [BARE, link("ground"), joint("j", "base", "ground")], {}, ["'ground' is taken"],
    ),
    "negative mass": ([*ARM[:2], link("lower", -1.0), *ARM[3:]], {}, ["link 'lower'", "mass is -1.0"]),
    "negative mass, welded to more": (
        [*ARM, link("hole", -0.1), joint("w", "lower", "hole", "fixed")], {}, ["link 'hole'", "mass is -0.1"],
    ),
    "an inertia of no body": (
        [*ARM[:2], link("lower", inertia=(1, 1, 3, 0, 0, 0)), *ARM[3:]], {},
        ["'lower'", "triangle inequality", "1, 1 and 3"],
    ),
    "a mass that is no number": (
        [*ARM[:2], ARM[2].replace('"1.0"', '"${m}"', 1), *ARM[3:]], {},
        ["link 'lower'", "<inertial/mass>", "value = '${m}'", "a number"],
    ),
    "no mass element": (
        [*ARM[:2], ARM[2].replace('<mass value="1.0"/>', ""), *ARM[3:]], {},
        ["link 'lower'", "<inertial> has no <mass>"],
    ),
    "an inertia that lacks a moment": (
        [*ARM[:2], ARM[2].replace('iyy="1.0"', ""), *ARM[3:]], {},
        ["link 'lower'", "iyy = None", "a number"],
    ),
    "an infinite moment": (
        [*ARM[:2], ARM[2].replace('iyy="1.0"', 'iyy="inf"'), *ARM[3:]], {}, ["iyy = 'inf'", "finite"],
    ),
    "an origin of two numbers": (
        [*ARM[:-1], ARM[-1].replace('xyz="0 0 1"', 'xyz="0 1"', 1)], {},
        ["joint 'elbow'", "<origin> has xyz = '0 1'", "3 numbers"],
    ),
    "a zero axis": (
        [*ARM[:-1], joint("elbow", "upper", "lower", axis="0 0 0")], {},
        ["joint 'elbow'", "axis is [0.0, 0.0, 0.0]", "not be zero"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("elements, options, parts", REFUSED.values(), ids=REFUSED)
def test_is_refused(write, elements, options, parts):
    with pytest.raises(ValueError) as caught:
        load_urdf(write(*elements), **options)
    message = str(caught.value)
    assert "robot.urdf: " in message
    assert not [part for part in parts if part not in message], message


@pytest.mark.parametrize(
    "text, parts",
    [
        ("solid cube\nfacet normal 0 0 1", ["not an XML file"]),
        ("<robot name='r'><link name='a'></robot>", ["not an XML file", "mismatched tag"]),
        ("<mujoco><worldbody/></mujoco>", ["not a URDF", "<mujoco>", "<robot>"]),
        ("\x00\x01", ["not an XML file"]),
        ("<?xml version='1.0' encoding='wood'?><robot/>", ["not an XML file", "unknown encoding"]),
        ("<?xml version='1.0' encoding='utf-7'?><robot/>", ["not an XML file", "encodings"]),
    ],
    ids=[
        "an STL file",
        "a torn file",
        "another robot format",
        "bytes",
        "an unknown encoding",
        "UTF-7",
    ],
)
def test_what_is_no_urdf_is_refused(write, text, parts):
    with pytest.raises(ValueError) as caught:
        load_urdf(write(text=text))
    assert all(part in str(caught.value) for part in ["robot.urdf: ", *parts])


def test_a_missing_file_is_named(tmp_path):
    for path, says in (tmp_path / "gone.urdf", "there is no such file"), (tmp_path, "is a folder"):
        with pytest.raises(FileNotFoundError, match=f"{path.name}: .*{says}.* must name a URDF"):
            load_urdf(path)


@pytest.mark.parametrize("load", [load_urdf, load_model, load_mjcf])
def test_what_names_no_file_at_all_is_told(load):
    with pytest.raises(FileNotFoundError, match=r"there is no such file, but .* must name a"):
        load("a" * 5000)


@pytest.mark.parametrize("load", [load_urdf, load_model, lambda text: load_collision(text, ur5())])
@pytest.mark.parametrize("text", ["<robot/>", f"<robot name='r'>{'<link/>' * 1000}</robot>"])
def test_a_text_is_no_name_of_a_file(load, text):
    with pytest.raises(ValueError, match=r"path is .<robot.*, a text, but must name a URDF.*: w"):
        load(text)


XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'


@pytest.mark.parametrize(
    "text",
    [
        f'<robot {XACRO} name="r"><xacro:include filename="arm.xacro"/><xacro:arm/></robot>',
        f'<robot {XACRO} name="r"><link name="world"/><xacro:arm parent="world"/></robot>',
        f'<robot {XACRO} name="r">{link("a", 1.0, "0 0 ${h}")}</robot>',
    ],
    ids=["no links", "nothing moves", "a value"],
)
def test_macros_that_are_not_expanded_are_told(write, text):
    """What is wrong is not what is missing, but that it comes from a file before xacro ran on it."""
    for load in load_urdf, load_model:
        with pytest.raises(ValueError, match=r"the file holds macros of xacro: let ROS's xacro"):
            load(write(text=text))
    with pytest.raises(ValueError, match=r"there are no links: .* elements$"):
        load_urdf(write(text=f'<robot {XACRO} name="r"/>'))


@pytest.mark.parametrize("path", [None, 3, b"robot.urdf"], ids=repr)
def test_what_names_no_file_is_told(path):
    with pytest.raises(ValueError, match=r"path is .*, but must name a URDF file"):
        load_urdf(path)


def test_what_the_parser_leaves_out_is_noticed(write, monkeypatch):
    import yourdfpy

    load = yourdfpy.URDF.load

    def forgetful(*args, **kwargs):
        robot = load(*args, **kwargs)
        robot.robot.links.pop()
        return robot

    monkeypatch.setattr(yourdfpy.URDF, "load", forgetful)
    with pytest.raises(ValueError, match=r"robot.urdf: yourdfpy read 4 of 5 links and joints"):
        load_urdf(write(*ARM))


def test_a_missing_parser_is_named(write, monkeypatch):
    path, real = write(*ARM), builtins.__import__

    def no_yourdfpy(name, *args, **kwargs):
        if name == "yourdfpy":
            raise ImportError("No module named 'yourdfpy'")
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "yourdfpy", raising=False)
    monkeypatch.setattr(builtins, "__import__", no_yourdfpy)
    with pytest.raises(ImportError, match=r"yourdfpy.*pip install \"chaindyn\[urdf\]\""):
        load_urdf(path)


# --- real robots ---


def test_the_uncorrected_ur5_is_the_ur5_of_the_file(robot_file):
    data, file = ur5_uncorrected(), load_urdf(robot_file("ur_description/urdf/ur5_robot.urdf"))
    assert data.names == file.names and data.parent == file.parent
    for name in ("mass", "com", "offset"):
        assert np.array_equal(getattr(data, name), getattr(file, name))  # to the bit
    for ours, theirs in zip(data.inertia, file.inertia, strict=True):
        assert np.abs(ours - theirs).max() <= 5e-7 * theirs.max()  # 0.0833333 for 1/12
    assert np.array_equal([j.axis for j in data.joints], [j.axis for j in file.joints])
    quarter = np.pi / 2 - 1.57079632679  # what the file's twelve digits leave
    assert np.abs(data.rotation - file.rotation).max() <= quarter + EPS


def test_the_ur5_has_wrists_as_wide_as_wrists():
    """Moments about the wrists' own axes, as in the makers' description; all else but the forearm is the file's."""
    arm, old = ur5(), ur5_uncorrected()
    for name in ("mass", "offset", "rotation"):
        assert np.array_equal(getattr(arm, name), getattr(old, name))
    about = [np.diag(arm.inertia[i])[axis] for i, axis in ((3, 2), (4, 2), (5, 1))]
    assert about == pytest.approx([0.0021942, 0.0021942, 0.0001321171875], rel=1e-12)
    gyration = [np.sqrt(2 * links.inertia[3, 2, 2] / links.mass[3]) for links in (arm, old)]
    assert gyration == pytest.approx([0.06, 0.6])
    for i in range(5):  # a centre of mass lies between the link's joint and the next one
        way = arm.offset[i + 1] if i != 1 else np.array([0, 0, 0.425])
        assert np.all((arm.com[i] >= np.minimum(way, 0)) & (arm.com[i] <= np.maximum(way, 0)))
    assert 0 < arm.com[5, 1] < UR5_FLANGE[1]
    for links in (arm, old):
        assert np.array_equal(links.inertia[:2], arm.inertia[:2])


def test_the_ur5_reaches_as_far_as_its_makers_say():
    """Stretched out, the wrist is at the sum of the lengths published for the DH table: d1 and a2 + a3."""
    chain = ur5()
    R, p = forward_kinematics(chain, np.zeros(6))
    assert np.abs(p[3] - (0.425 + 0.39225, 0.13585 - 0.1197, 0.089159)).max() <= 4 * EPS
    flange = p[5] + R[5] @ UR5_FLANGE
    assert abs(flange[1] - (0.10915 + 0.0823)) <= 4 * EPS  # d4 + d6
    assert abs(flange[2] - (0.089159 - 0.09465)) <= 4 * EPS  # d1 - d5
    assert np.linalg.matrix_rank(body_jacobian(chain, [0, -1, 1, 0.5, 1, 0])) == 6


LOADABLE = [
    ("a1_description/urdf/a1.urdf", {}, 12),
    ("allegro_hand_description/urdf/allegro_right_hand.urdf", {}, 16),
    ("anymal_c_simple_description/urdf/anymal.urdf", {}, 12),
    (
        "baxter_description/urdf/baxter.urdf",
        {"lock": ["r_gripper_r_finger_joint", "l_gripper_r_finger_joint"]},
        17,
    ),
    ("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", {}, 43),
    ("icub_description/robots/icub_reduced.urdf", {}, 29),
    ("kinova_description/robots/kinova.urdf", {}, 6),
    (
        "panda_description/urdf/panda.urdf",
        {"lock": ["panda_finger_joint1", "panda_finger_joint2"]},
        7,
    ),
    ("panda_description/urdf/panda.urdf", {"tip": "panda_link8"}, 7),
    ("solo_description/robots/solo12.urdf", {}, 12),
    ("talos_data/robots/talos_reduced.urdf", {}, 32),
    ("xarm_description/urdf/xarm7.urdf", {}, 7),
]


@pytest.mark.parametrize(
    "name, options, n", LOADABLE, ids=[name.partition("/")[0] for name, *_ in LOADABLE]
)
def test_published_robots_are_read_as_pinocchio_reads_them(robot_file, name, options, n):
    """Poses and merged bodies against Pinocchio's own parser, which locks joints by reducing its model."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    from oracles import make_pinocchio as make

    path = robot_file(name)
    chain = load_urdf(path, **options)
    assert chain.n == n
    model, frames = make.model_of_file(path, chain, dict.fromkeys(options.get("lock", ()), 0.0))
    q, _ = random_state(chain, 0)
    data = model.createData()
    configuration = make.configuration(model, make.columns(model, chain, frames), q)
    pin.framesForwardKinematics(model, data, configuration)
    R, p = forward_kinematics(chain, q)
    assert_near(R, np.array([data.oMf[f].rotation for f in frames]), n)
    assert_near(p, np.array([data.oMf[f].translation for f in frames]), n)
    if "tip" in options:
        return  # Pinocchio's bodies have the branches still on them
    bodies = make.bodies_of(model, frames)
    assert_near(chain.mass, np.array(bodies["mass"]), 1)
    moments = chain.mass[:, None] * chain.com
    assert_near(moments, np.array(bodies["mass"])[:, None] * bodies["com"], 1)
    assert_near(chain.inertia, np.array(bodies["inertia"]), 1)


def test_published_files_with_impossible_bodies_are_refused(robot_file):
    with pytest.raises(
        ValueError, match=r"romeo_small.urdf.*RShoulderYawLink.*triangle inequality"
    ):
        load_urdf(robot_file("romeo_description/urdf/romeo_small.urdf"))
    with pytest.raises(
        ValueError, match=r"'l_gripper', moved by joint 'l_gripper_joint', has no mass"
    ):
        load_urdf(robot_file("romeo_description/urdf/romeo_laas_small.urdf"))
    with pytest.raises(ValueError, match=r"panda_finger_joint2.*mimics.*panda_finger_joint1"):
        load_urdf(robot_file("panda_description/urdf/panda.urdf"))


def test_published_files_with_impossible_bodies_are_read_when_asked(robot_file):
    with pytest.warns(UserWarning, match=r"romeo_laas_small.urdf.*ShoulderYaw.*'l_gripper'"):
        chain = load_urdf(
            robot_file("romeo_description/urdf/romeo_laas_small.urdf"), inertia="warn"
        )
    q, _ = random_state(chain, 0)
    M = crba(chain, q)
    assert np.isfinite(M).all() and M.shape == (chain.nv, chain.nv)


# Frames, friction and limits -------------------------------------------------------------------


def test_what_is_welded_keeps_its_name_as_a_frame(write):
    """Poses of all URDF links, where their joints put them by hand."""
    path = write(*GRIPPER)
    chain = load_urdf(path, lock={"right_slide": 0.3})
    assert [frame.name for frame in chain.frames] == ["base", "palm", "right"]
    q = np.array([0.4, 0.2, 0.1])
    R, p = forward_kinematics(chain, q)
    lean = rotation_about(np.array([0, 1, 0]), np.array([0.5]))
    R_palm, p_palm = R[1] @ lean, p[1] + R[1] @ [0, 0, 0.6]
    for name, expected in (
        ("base", (np.eye(3), np.zeros(3))),
        ("palm", (R_palm, p_palm)),
        ("right", (R_palm, p_palm + R_palm @ [0, -0.3, 0])),
        ("left", (R[2], p[2])),
    ):
        for own, wanted in zip(forward_kinematics(chain, q, name), expected, strict=True):
            assert np.abs(own - wanted).max() <= 8 * EPS
    cut = load_urdf(path, tip="palm")
    assert [frame.name for frame in cut.frames] == ["base", "palm"]  # fingers are cut away


def test_frames_of_floating_roots_and_of_the_ground(write):
    extra = joint("weld", "trunk", "head", "fixed", xyz="0 0 1")
    path = write(link("trunk"), link("head"), extra, link("leg"), joint("hip", "trunk", "leg"))
    chain = load_urdf(path, floating=True)
    assert chain.names == ("trunk", "leg")
    assert [(frame.name, frame.link) for frame in chain.frames] == [("head", "trunk")]
    assert [(f.name, f.link) for f in load_urdf(path).frames] == [
        ("trunk", "ground"),
        ("head", "ground"),
    ]
    path = write('<link name="ground"/>', link("arm"), joint("j", "ground", "arm"))
    assert load_urdf(path).frames == ()


def test_damping_and_friction_are_read(write):
    extra = '<dynamics damping="0.7" friction="1.5"/>'
    path = write(*ARM[:3], joint("a", "base", "upper", extra=extra), joint("b", "upper", "lower"))
    chain = load_urdf(path)
    assert chain.viscous.tolist() == [0.7, 0] and chain.coulomb.tolist() == [1.5, 0]
    assert chain.links[1].drive is None and not chain.has_rotors
    only = write(*ARM[:2], joint("a", "base", "upper", extra='<dynamics damping="0.7"/>'))
    assert load_urdf(only).coulomb.tolist() == [0]


def limit(**attributes):
    return "<limit " + " ".join(f'{k}="{v}"' for k, v in attributes.items()) + "/>"


@pytest.mark.parametrize(
    ("kind", "told", "places", "sizes"),
    [
        ("revolute", {"lower": -1, "upper": 2, "velocity": 3, "effort": 4}, (-1, 2), (3, 4)),
        ("prismatic", {"upper": 2, "velocity": 3, "effort": 4}, (0, 2), (3, 4)),
        ("revolute", {"velocity": 3, "effort": "inf"}, (-np.inf, np.inf), (3, np.inf)),
        ("continuous", {"lower": -1, "upper": 2, "effort": 4}, (-np.inf, np.inf), (np.inf, 4)),
        ("revolute", None, (-np.inf, np.inf), (np.inf, np.inf)),
    ],
)
def test_limits_are_read(write, kind, told, places, sizes):
    extra = "" if told is None else limit(**told)
    chain = load_urdf(write(*ARM[:2], joint("a", "base", "upper", kind, extra=extra)))
    assert (*chain.lower_limit, *chain.upper_limit) == places
    assert (*chain.velocity_limit, *chain.effort_limit) == sizes


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (limit(lower=2, upper=1), r"joint 'a': <limit> has lower = 2 above upper = 1"),
        (limit(velocity=-1), r"joint 'a': <limit> has velocity = -1, but must not be negative"),
        (limit(effort="nan"), r"joint 'a': <limit> has effort = 'nan'"),
        (limit(effort="much"), r"joint 'a': <limit> has effort = 'much'"),
        ('<dynamics damping="-1"/>', r"joint 'a': <dynamics> has damping = -1, but must not"),
        ('<dynamics friction="inf"/>', r"joint 'a': <dynamics> has friction = 'inf'"),
    ],
)
def test_bad_limits_and_friction_are_told(write, extra, words):
    with pytest.raises(ValueError, match=words):
        load_urdf(write(*ARM[:2], joint("a", "base", "upper", extra=extra)))


def test_published_limits_and_friction_are_those_that_pinocchio_reads(robot_file):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    for name in ("ur_description/urdf/ur5_robot.urdf", "xarm_description/urdf/xarm7.urdf"):
        path = robot_file(name)
        chain, model = load_urdf(path), pin.buildModelFromUrdf(str(path))
        assert np.allclose(chain.lower_limit, model.lowerPositionLimit, atol=0, rtol=4 * EPS)
        assert np.allclose(chain.upper_limit, model.upperPositionLimit, atol=0, rtol=4 * EPS)
        assert np.array_equal(chain.velocity_limit, model.velocityLimit)
        assert np.array_equal(chain.effort_limit, model.effortLimit)
        assert np.array_equal(chain.viscous, model.damping)
        assert np.array_equal(chain.coulomb, model.friction)
    assert chain.has_friction


def test_published_frames_are_those_that_pinocchio_reads(robot_file):
    """Poses and Jacobians of every URDF link, the welded ones too."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    path = robot_file("ur_description/urdf/ur5_robot.urdf")
    chain, model = load_urdf(path), pin.buildModelFromUrdf(str(path))
    assert {"ee_link", "tool0", "base_link"} <= {frame.name for frame in chain.frames}
    data, (q, _) = model.createData(), random_state(chain, 4)
    pin.framesForwardKinematics(model, data, q)
    for name in (*chain.names, *(frame.name for frame in chain.frames)):
        index = model.getFrameId(name)
        R, p = forward_kinematics(chain, q, name)
        assert np.abs(R - data.oMf[index].rotation).max() <= 100 * EPS
        assert np.abs(p - data.oMf[index].translation).max() <= 100 * EPS
        local = pin.computeFrameJacobian(model, data, q, index)[[3, 4, 5, 0, 1, 2]]
        assert np.abs(body_jacobian(chain, q, name) - local).max() <= 100 * EPS


# Mimic joints ----------------------------------------------------------------------------------


def mimicking(*elements, multiplier=-2, offset=0.25):
    extra = f'<mimic joint="shoulder" multiplier="{multiplier}" offset="{offset}"/>'
    hinge = joint("elbow", "upper", "lower", xyz="0 0 1", axis="0 1 0", extra=extra)
    return (*ARM[:4], hinge, *elements)


def test_mimic_joints_are_held_by_couplings(write):
    """With a multiplier and an offset: the place, the speed and the acceleration follow the leader's."""
    path = write(*mimicking())
    chain = load_urdf(path, mimic="free")
    assert chain.names == ("upper", "lower")
    (gear,) = load_couplings(path, chain)
    q = np.array([0.4, -2 * 0.4 + 0.25])
    qd, tau = np.array([0.3, -0.6]), np.array([5.0, 1.0])
    assert np.abs(constraint_error(chain, gear, q)).max() <= EPS
    assert constraint_error(chain, gear, q + np.array([0.1, 0]))[0] == pytest.approx(0.2)
    qdd, _ = constrained_forward_dynamics(chain, gear, q, qd, tau)
    assert qdd[1] == pytest.approx(-2 * qdd[0], rel=1e-12)
    rows = np.array([1, -2.0])
    reduced = rows @ (tau - bias_force(chain, q, qd)) / (rows @ crba(chain, q) @ rows)
    assert qdd[0] == pytest.approx(reduced, rel=1e-12)
    closed = assemble(chain, gear, [0.4, 0.0])
    assert closed[1] == pytest.approx(-2 * closed[0] + 0.25, abs=1e-9)
    motion = simulate(chain, q, qd, t=[0, 0.3], constraints=gear, progress=False)
    assert np.abs(motion.q[:, 1] - (-2 * motion.q[:, 0] + 0.25)).max() <= 1e-7


def test_a_leader_that_is_locked_counts_with_its_position(write):
    path, lock = write(*mimicking()), {"shoulder": 0.5}
    chain = load_urdf(path, mimic="free", lock=lock)
    (held,) = load_couplings(path, chain, lock=lock)
    assert np.abs(constraint_error(chain, held, [-2 * 0.5 + 0.25])).max() <= EPS
    with pytest.raises(ValueError, match=r"'elbow' mimics joint 'shoulder', which this chain has"):
        load_couplings(path, chain)
    alone = load_urdf(path, lock=["elbow"])
    assert load_couplings(path, alone, lock=["elbow"]) == []


def test_mimic_joints_that_cannot_be_held(write):
    path = write(*mimicking())
    chain = load_urdf(path, mimic="free")
    with pytest.raises(ValueError, match=r"mimic is 'hold', but must be 'free' or 'refuse'"):
        load_urdf(path, mimic="hold")
    with pytest.raises(ValueError, match="path is 3"):
        load_couplings(3, chain)
    with pytest.raises(ValueError, match="chain must be a Chain"):
        load_couplings(path, None)
    with pytest.raises(ValueError, match="are not in this file"):
        load_couplings(path, ur5())
    for leader, words in (("elbow", "another joint"), ("knee", "another joint")):
        extra = f'<mimic joint="{leader}"/>'
        path = write(*ARM[:4], joint("elbow", "upper", "lower", extra=extra))
        with pytest.raises(ValueError, match=words):
            load_couplings(path, load_urdf(path, mimic="free"))
    path = write(
        *ARM[:4], joint("elbow", "upper", "lower", "planar", extra='<mimic joint="shoulder"/>')
    )
    with pytest.raises(ValueError, match="'elbow' is planar: one coordinate is wanted"):
        load_couplings(path, load_urdf(path, mimic="free"))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("panda_description/urdf/panda.urdf", 1),
        ("talos_data/robots/talos_full_v2.urdf", 12),
        ("tiago_pro_description/robots/tiago_pro.urdf", 10),
        ("baxter_description/urdf/baxter.urdf", 2),
    ],
)
def test_published_grippers_follow_their_leaders(robot_file, name, count):
    """Against the file's own numbers, read again here, along a motion."""
    path = robot_file(name)
    chain = load_urdf(path, mimic="free", inertia="warn")
    held = load_couplings(path, chain)
    assert len(held) == count
    told = []
    for element in ElementTree.parse(path).getroot().findall("joint"):
        if (mimic := element.find("mimic")) is not None:
            joints = {
                j.get("name"): j.find("child")
                for j in ElementTree.parse(path).getroot().findall("joint")
            }
            own, leader = (
                chain.index(joints[j].get("link"))
                for j in (element.get("name"), mimic.get("joint"))
            )
            told.append(
                (own, leader, float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
            )
    column = [own.start for own in chain.v_columns]
    q, qd = random_state(chain, 1)
    for own, leader, k, offset in told:
        q[column[own]] = k * q[column[leader]] + offset
        qd[column[own]] = k * qd[column[leader]]
    assert np.abs(constraint_error(chain, held, q)).max() <= 8 * EPS
    assert np.abs(constraint_jacobian(chain, held, q) @ qd).max() <= 8 * EPS
    qdd, _ = constrained_forward_dynamics(chain, held, q, qd, 0 * qd)
    for own, leader, k, _ in told:
        size = np.abs(qdd).max()
        assert abs(qdd[column[own]] - k * qdd[column[leader]]) <= 1e-9 * size


# Collision shapes ------------------------------------------------------------------------------

COLLIDING = """<robot name="r">
  <link name="base"><collision><geometry><box size="1 2 0.1"/></geometry></collision></link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision><origin xyz="0 0 0.5" rpy="0 1.5707963267948966 0.3"/>
      <geometry><cylinder radius="0.1" length="1"/></geometry></collision>
    <collision><geometry><sphere radius="0.2"/></geometry></collision>
  </link>
  <link name="tool"><collision><origin xyz="0.1 0 0"/>
    <geometry><capsule radius="0.05" length="0.4"/></geometry></collision></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="weld" type="fixed"><parent link="arm"/><child link="tool"/>
    <origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/></joint>
</robot>"""


def test_collision_shapes_are_on_the_links_that_they_move_with(write):
    path = write(text=COLLIDING)
    chain = load_urdf(path)
    base, tube, ball, tool = load_collision(path, chain, friction=0.4, restitution=0.1)
    assert [g.link for g in (base, tube, ball, tool)] == ["ground", "arm", "arm", "arm"]
    assert (base.shape.sides == [1, 2, 0.1]).all() and ball.shape.radius == 0.2
    assert (tool.shape.radius, tool.shape.length) == (0.05, 0.4)
    assert all((g.friction, g.restitution) == (0.4, 0.1) for g in (base, tube, ball, tool))
    # first about x by 0, then about y by a quarter: z turns to x; then about z by 0.3
    expected = [[0, -np.sin(0.3), np.cos(0.3)], [0, np.cos(0.3), np.sin(0.3)], [-1, 0, 0]]
    assert np.abs(tube.rotation - expected).max() <= 1e-15
    assert (tube.offset == [0, 0, 0.5]).all()
    corners = tube.shape.core.corners
    assert (
        len(corners) == 64 and np.abs(np.linalg.norm(corners[:, :2], axis=1) - 0.1).max() <= 1e-15
    )
    assert np.abs(np.abs(corners[:, 2]) - 0.5).max() <= 1e-15
    assert np.abs(tool.offset - [0, 0.1, 1]).max() <= 1e-15  # its own x is the arm's y
    assert len(find_contacts(chain, [base, ball], np.zeros(1))) == 1  # the ground is no parent


def test_collision_shapes_of_floating_locked_and_cut_links(write):
    text = COLLIDING.replace('name="weld" type="fixed"', 'name="weld" type="prismatic"')
    text = text.replace('<origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>', '<axis xyz="0 0 1"/>')
    inertial = link("arm").partition(">")[2].removesuffix("</link>")
    path = write(text=text.replace('<link name="base">', f'<link name="base">{inertial}'))
    floating = load_urdf(path, lock={"weld": 0.25}, floating=True)
    base, _, _, tool = load_collision(path, floating, lock={"weld": 0.25})
    assert (base.link, tool.link) == ("base", "arm")
    assert np.abs(tool.offset - [0.1, 0, 0.25]).max() <= 1e-15
    cut = load_urdf(path, tip="arm")
    assert [g.link for g in load_collision(path, cut)] == ["ground", "arm", "arm"]


def test_a_mesh_becomes_its_hull(write, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    (tmp_path / "robot_description" / "meshes").mkdir(parents=True)
    file = tmp_path / "robot_description" / "meshes" / "part.stl"
    trimesh.creation.box((1, 1, 1)).export(file)
    for name in (
        "package://robot_description/meshes/part.stl",
        "robot_description/meshes/part.stl",
    ):
        mesh = f'<mesh filename="{name}" scale="1 2 3"/>'
        path = write(text=COLLIDING.replace('<sphere radius="0.2"/>', mesh))
        hull = load_collision(path, load_urdf(path))[2].shape
        assert np.abs(np.ptp(hull.points, axis=0) - [1, 2, 3]).max() <= 1e-6


@pytest.mark.parametrize("kind", ["glb", "gltf"])
def test_a_mesh_may_be_a_gltf(write, tmp_path, kind):
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.Scene()
    for place in ((0, 0, 0.5), (0, 2, 3)):
        at = trimesh.transformations.translation_matrix(place)
        scene.add_geometry(trimesh.creation.box((1, 1, 1)), transform=at)
    made = scene.export(file_type=kind)
    for name, data in ({"model.glb": made} if kind == "glb" else made).items():
        (tmp_path / name).write_bytes(data)
    mesh = f'<mesh filename="model.{kind}" scale="1 2 3"/>'
    path = write(text=COLLIDING.replace('<sphere radius="0.2"/>', mesh))
    hull = load_collision(path, load_urdf(path))[2].shape
    assert hull.points.min(0).tolist() == [-0.5, -1, 0] and hull.points.max(0).tolist() == [
        0.5,
        5,
        10.5,
    ]


@pytest.mark.parametrize("name", ["../x.bin", "/etc/hostname", "none.bin", "http://x.org/a.bin"])
def test_a_gltf_names_numbers_beside_it_alone(write, tmp_path, name):
    trimesh = pytest.importorskip("trimesh")
    made = trimesh.Scene(trimesh.creation.box((1, 1, 1))).export(file_type="gltf")
    (tmp_path.parent / "x.bin").write_bytes(made["gltf_buffer_0.bin"])
    whole = json.loads(made["model.gltf"])
    whole["buffers"][0]["uri"] = name
    (tmp_path / "model.gltf").write_text(json.dumps(whole))
    mesh = '<mesh filename="model.gltf"/>'
    path = write(text=COLLIDING.replace('<sphere radius="0.2"/>', mesh))
    with pytest.raises(ValueError, match=f"'model.gltf' cannot be used: .* no file '{name}'"):
        load_collision(path, load_urdf(path))


def test_hulls_may_have_fewer_corners(write, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    ball = trimesh.creation.icosphere(subdivisions=5)
    ball.export(tmp_path / "ball.stl")
    mesh = '<mesh filename="ball.stl" scale="0.5 2 0.01"/>'
    path = write(text=COLLIDING.replace('<sphere radius="0.2"/>', mesh))
    chain = load_urdf(path)
    whole = load_collision(path, chain)[2].shape
    for corners, least in ((12, 0.69), (32, 0.88), (64, 0.94), (10**5, 0.99)):
        few = load_collision(path, chain, corners=corners)[2].shape
        assert len(few.points) <= corners
        points = {tuple(x) for x in whole.points}
        assert all(tuple(x) in points for x in few.points)  # so it lies within
        rounded = spatial.ConvexHull(few.points / (0.5, 2, 0.01))
        assert -rounded.equations[:, 3].max() >= least, corners
    box = ConvexHull(np.random.default_rng(0).uniform(-1, 1, (500, 3)).clip(-0.5, 0.5) * (1, 5, 2))
    fewer = with_corners(box, 12)
    assert np.ptp(fewer.points, axis=0).tolist() == [1, 5, 2] and len(fewer.points) <= 12
    for bad in (11, 3.5, True, "32"):
        with pytest.raises(ValueError, match=r"corners is .*, but must be None"):
            load_collision(path, chain, corners=bad)  # type: ignore[arg-type]


def test_which_corners_of_a_hull_are_kept_does_not_depend_on_where_it_lies():
    points = np.random.default_rng(1).normal(size=(40, 3)) * [1, 2, 5]
    away = np.array([300, 0, 7])
    kept, moved = (with_corners(ConvexHull(x), 20).points for x in (points, points + away))
    assert len(kept) < 20
    assert np.abs(moved - (kept + away)).max() <= EPS * 400  # both are rounded sums
    assert len(with_corners(ConvexHull(points), 40).points) == 40  # as many as it may have


def test_collision_shapes_of_another_chain_are_refused(write):
    path = write(text=COLLIDING)
    with pytest.raises(
        ValueError, match=r"the chain's links \['shoulder_link', .* are not in this file"
    ):
        load_collision(path, ur5())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('<sphere radius="0.2"/>', '<cone radius="1"/>', ["link 'arm'", "<cone>", "sphere, box"]),
        ('<sphere radius="0.2"/>', "<sphere/>", ["link 'arm'", "radius = ''", "a number"]),
        (
            '<sphere radius="0.2"/>',
            '<sphere radius="-1"/>',
            ["link 'arm'", "Sphere.radius", "positive"],
        ),
        (
            '<box size="1 2 0.1"/>',
            '<box size="1 2"/>',
            ["link 'base'", "size = '1 2'", "3 numbers"],
        ),
        ('<box size="1 2 0.1"/>', '<box size="1 2 nan"/>', ["size = '1 2 nan'", "finite"]),
        ('<box size="1 2 0.1"/>', "", ["link 'base'", "0 shapes", "one"]),
        ('length="1"/>', 'length="0"/>', ["cylinder has length 0", "positive"]),
        ('xyz="0 0 0.5"', 'xyz="0 zero"', ["link 'arm'", "xyz = '0 zero'"]),
        (
            '<sphere radius="0.2"/>',
            '<mesh filename="gone.stl"/>',
            ["link 'arm'", "no mesh 'gone.stl'"],
        ),
    ],
)
def test_collision_shapes_that_cannot_be(write, old, new, says):
    if "mesh" in new:
        pytest.importorskip("trimesh")
    path = write(text=COLLIDING.replace(old, new))
    chain = load_urdf(path)
    with pytest.raises(ValueError) as error:
        load_collision(path, chain)
    assert all(word in str(error.value) for word in [path.name, *says]), str(error.value)


def test_a_mesh_needs_trimesh(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    path = write(text=COLLIDING.replace('<sphere radius="0.2"/>', '<mesh filename="part.stl"/>'))
    with pytest.raises(
        ImportError, match=r"link 'arm': trimesh .* 'part.stl'.* pip install trimesh"
    ):
        load_collision(path, load_urdf(path))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("../../outside.stl", "lies outside"),
        ("package://robot/../outside.stl", "lies outside"),
        ("package://../outside.stl", "in no package"),
        ("package://./outside.stl", "in no package"),
        ("{away}/outside.stl", "lies outside"),
        ("file://{away}/outside.stl", "lies outside"),
        ("meshes/part.zip", "must be a file of dae, glb, gltf, obj, off, ply, stl"),
        ("meshes/part.zae", "must be a file of"),
        ("meshes/part", "must be a file of"),
        ("meshes/bad.stl", "cannot be used"),
        ("meshes/bad.obj", "cannot be used"),
        ("meshes/bad.ply", "cannot be used"),
        ("meshes/bad.off", "cannot be used"),
        ("meshes/bad.dae", "cannot be used"),
        ("meshes/empty.dae", "cannot be used"),
    ],
)
def test_meshes_that_are_refused(tmp_path, text, says):
    """All in ValueErrors with the names of file, link and mesh; the files outside could be read."""
    trimesh = pytest.importorskip("trimesh")
    robot = tmp_path / "robot"
    (robot / "urdf" / "meshes").mkdir(parents=True)
    for folder in (tmp_path, robot / "urdf" / "meshes"):
        trimesh.creation.box((1, 1, 1)).export(folder / "outside.stl")
    for kind in ("stl", "obj", "ply", "off", "dae"):
        (robot / "urdf" / "meshes" / f"bad.{kind}").write_text("solid <COLLADA>\nf 1 2 3\n")
    (robot / "urdf" / "meshes" / "empty.dae").write_text("<?xml version='1.0'?><COLLADA/>")
    name = text.format(away=tmp_path)
    path = robot / "urdf" / "robot.urdf"
    path.write_text(COLLIDING.replace('<sphere radius="0.2"/>', f'<mesh filename="{name}"/>'))
    with pytest.raises(ValueError) as error:
        load_collision(path, load_urdf(path))
    assert all(word in str(error.value) for word in ("robot.urdf", "link 'arm'", name, says))


@pytest.mark.parametrize(
    "name",
    [
        "../meshes/part.STL",
        "package://robot/meshes/part.STL",
        "package://robot/urdf/../meshes/part.STL",
        "package://other/part.STL",
        "{robot}/meshes/part.STL",
        "file://{robot}/meshes/part.STL",
        "../../robot/meshes/part.STL",
    ],
)
def test_meshes_in_the_package_are_found(tmp_path, name):
    trimesh = pytest.importorskip("trimesh")
    robot, other = tmp_path / "robot", tmp_path / "other"
    for folder in (robot / "urdf", robot / "meshes", other):
        folder.mkdir(parents=True)
    for folder in (robot / "meshes", other):
        trimesh.creation.box((1, 1, 1)).export(folder / "part.STL", file_type="stl")
    name = name.format(robot=robot)
    path = robot / "urdf" / "robot.urdf"
    path.write_text(COLLIDING.replace('<sphere radius="0.2"/>', f'<mesh filename="{name}"/>'))
    assert len(load_collision(path, load_urdf(path))[2].shape.points) == 8
    if name.startswith("../meshes"):  # a package.xml says where the package ends
        (robot / "urdf" / "package.xml").write_text("<package/>")
        with pytest.raises(ValueError, match="lies outside"):
            load_collision(path, load_urdf(path))


@pytest.mark.parametrize("mark", ["package.xml", ".git", "__init__.py"])
def test_a_package_may_keep_its_meshes_further_away(tmp_path, mark):
    """Hands beside humanoids, each with folders of their own."""
    trimesh = pytest.importorskip("trimesh")
    robot, hands = tmp_path / "robots" / "humanoid" / "one", tmp_path / "robots" / "hands"
    for folder in (robot, hands):
        folder.mkdir(parents=True)
    trimesh.creation.box((1, 1, 1)).export(hands / "part.stl")
    path, name = robot / "robot.urdf", "../../hands/part.stl"
    path.write_text(COLLIDING.replace('<sphere radius="0.2"/>', f'<mesh filename="{name}"/>'))
    with pytest.raises(ValueError, match="lies outside"):
        load_collision(path, load_urdf(path))
    (tmp_path / "robots" / mark).touch()
    assert len(load_collision(path, load_urdf(path))[2].shape.points) == 8


@pytest.mark.parametrize(
    ("limit", "says"), [("MOST_BYTES", "684 bytes; 7 are"), ("MOST_CORNERS", "8 corners; 7 are")]
)
def test_meshes_that_are_too_large_are_refused(write, tmp_path, monkeypatch, limit, says):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "part.stl")
    path = write(text=COLLIDING.replace('<sphere radius="0.2"/>', '<mesh filename="part.stl"/>'))
    chain = load_urdf(path)
    assert len(load_collision(path, chain)) == 4
    monkeypatch.setattr(f"chaindyn.models.urdf.{limit}", 7)
    with pytest.raises(ValueError, match=rf"link 'arm': the mesh 'part.stl' .*{says} the most"):
        load_collision(path, chain)


@pytest.mark.parametrize(
    ("old", "says"),
    [
        ('<mass value="1"/>', "link 'arm': <inertial> has 2 <mass>"),
        ("<inertial><mass", "link 'arm': has 2 <inertial>"),
        ('<axis xyz="0 0 1"/>', "joint 'hinge': has 2 <axis>"),
        (
            '<limit lower="-1" upper="1" effort="1" velocity="1"/>',
            "joint 'hinge': has 2 <limit>",
        ),
        ('<origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>', "joint 'weld': has 2 <origin>"),
        ('<parent link="arm"/>', "joint 'weld': has 2 <parent>"),
        ('<origin xyz="0.1 0 0"/>', "link 'tool': <collision> has 2 <origin>"),
    ],
)
def test_what_stands_twice_is_refused(write, old, says):
    again = "<inertial/>" + old if old.startswith("<inertial>") else old + old
    path = write(text=COLLIDING.replace(old, again))
    with pytest.raises(ValueError) as error:
        load_collision(path, load_urdf(path))
    assert f"{path}: {says}, but must have one" in str(error.value)


@pytest.mark.parametrize("number", ["1_0", "\u0661", "\uff11"])
def test_numbers_that_python_alone_reads_are_refused(write, number):
    for old in ('mass value="1"', 'box size="1 2 0.1"'):
        path = write(text=COLLIDING.replace(old, old.replace("1", number, 1)))
        with pytest.raises(ValueError, match=rf"{number}.*finite"):
            load_collision(path, load_urdf(path))


def test_a_shape_that_cannot_be_used_is_skipped_on_request(write):
    text = COLLIDING.replace('<sphere radius="0.2"/>', '<mesh filename="package://away/ball.stl"/>')
    text = text.replace('radius="0.05" length', 'radius="0" length')
    path = write(text=text)
    chain = load_urdf(path)
    with pytest.raises(ValueError, match=r"ball\.stl"):
        load_collision(path, chain)
    with pytest.warns(UserWarning, match=r"left out: .*ball\.stl.*link 'tool'.*radius"):
        shapes = load_collision(path, chain, broken="skip")
    assert [g.link for g in shapes] == ["ground", "arm"]
    with pytest.raises(ValueError, match="friction"):
        load_collision(path, chain, broken="skip", friction=-1)
    with pytest.raises(ValueError, match="broken is 'ignore'"):
        load_collision(path, chain, broken="ignore")


# A file's forgivable faults --------------------------------------------------------------------

POINT = '<link name="camera"><inertial><origin xyz="0.1 0 0"/><mass value="0.3"/></inertial></link>'


def test_what_is_welded_may_be_a_point_of_mass(write):
    weld = joint("mount", "lower", "camera", "fixed", xyz="0 0 0.5")
    path = write(*ARM, POINT, weld)
    with pytest.warns(UserWarning, match="link 'camera' has no <inertia>, and is a point of mass"):
        chain = load_urdf(path)
    whole = POINT.replace(
        "</inertial>", '<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    same = load_urdf(write(*ARM, whole, weld))
    assert np.array_equal(chain.spatial_inertia, same.spatial_inertia)
    moving = write(*ARM, POINT, weld.replace("fixed", "continuous"))
    with pytest.raises(ValueError, match="link 'camera': <inertial> has no <inertia>"):
        load_urdf(moving)
    with pytest.warns(UserWarning, match="has no <inertia>"):
        assert load_urdf(moving, inertia="warn").mass[-1] == 0.3


def test_a_prefix_may_be_undeclared(write):
    path = write(
        *ARM[:3], ARM[3].replace("</joint>", '<limit drake:acceleration="3"/></joint>'), *ARM[4:]
    )
    assert load_urdf(path).names == load_urdf(write(*ARM)).names


def test_a_model_is_read_from_its_file_once(write, monkeypatch):
    path = write(*GRIPPER, POINT, joint("mount", "lower", "camera", "fixed"))
    parsed, count = urdf.parsed, 0

    def counted(file):
        nonlocal count
        count += 1
        return parsed(file)

    for module in (urdf, files):
        monkeypatch.setattr(module, "parsed", counted)
    with pytest.warns(UserWarning, match="point of mass") as warned:
        robot = load_model(path)
    assert count == 1 and warned[0].filename == __file__
    with pytest.warns(UserWarning, match="point of mass") as warned:
        assert robot.chain == load_urdf(path, mimic="free")
    assert warned[0].filename == __file__
    assert robot.constraints[0].factors == load_couplings(path, robot.chain)[0].factors


def test_a_model_has_everything_by_name(write):
    path = write(text=COLLIDING.replace('<sphere radius="0.2"/>', '<cone radius="1"/>'))
    robot = load_model(path, friction=0.4)
    assert robot.joints == {"hinge": "arm"} and robot.bodies["tool"] == "tool"
    assert len(robot.geometries) == 3 and robot.geometries[0].friction == 0.4
    assert len(robot.left_out) == 1 and "cone" in robot.left_out[0]
    with pytest.raises(ValueError, match="friction"):
        load_model(path, friction=-1)
    gripper = load_model(write(*GRIPPER))
    assert (
        len(gripper.constraints) == 1 and gripper.places(gripper.chain.neutral)["left_slide"] == 0
    )


# What must not be read --------------------------------------------------------------------------

LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha" * 10}">' for i in range(12))


@pytest.mark.parametrize(
    "text",
    [
        f'<!DOCTYPE robot [{LAUGHS}]><robot name="&l11;"/>',
        '<!DOCTYPE robot [<!ENTITY file SYSTEM "file:///etc/passwd">]><robot name="r">&file;</robot>',
        '<!DOCTYPE robot [<!ENTITY % far SYSTEM "http://127.0.0.1:9/x.dtd"> %far;]><robot name="r"/>',
        f'<!DOCTYPE robot [<!ENTITY long "{"x" * 10**6}">]><robot name="{"&long;" * 500}"/>',
    ],
    ids=["laughs", "another file", "another host", "many times a long one"],
)
@pytest.mark.parametrize("load", [load_urdf, load_model])
def test_entities_are_refused(write, text, load):
    """They could stand for other files, or for more than memory holds; no other file is asked for."""
    with pytest.raises(ValueError, match=r"robot\.urdf: .*it declares the entity '\w+': write out"):
        load(write(text=text))


@pytest.mark.parametrize(
    "name",
    ["../../../etc/passwd.stl", "/etc/passwd.stl", "package://../x.stl", "file:///etc/x.stl"],
)
@pytest.mark.parametrize("load", [load_collision, load_visual])
def test_meshes_elsewhere_are_not_read(write, monkeypatch, name, load):
    pytest.importorskip("trimesh")
    text = COLLIDING.replace("collision>", f"{'visual' if load is load_visual else 'collision'}>")
    path = write(text=text.replace('<sphere radius="0.2"/>', f'<mesh filename="{name}"/>'))
    chain = load_urdf(path)
    monkeypatch.setattr(files.Path, "read_bytes", reading_only(path, files.Path.read_bytes))
    if load is load_visual:
        with pytest.warns(UserWarning, match=r"lies outside|is in no package|there is no mesh"):
            load(path, chain)
    else:
        with pytest.raises(ValueError, match=r"lies outside|is in no package|there is no mesh"):
            load(path, chain)


def reading_only(path, read):
    """Return how a file's bytes are read, of this one alone."""

    def checked(own):
        assert own == path, f"{own} was read"
        return read(own)

    return checked


@pytest.mark.parametrize("number", ["nan", "1e999", "0x10", "١", "1_0", "", "1 2", "--1"])
@pytest.mark.parametrize(
    "old", ['<mass value="2.0"/>', 'xyz="0 0 1" rpy="0 0 1.5"', 'axis xyz="0 2 0"'], ids=str
)
def test_numbers_that_are_none(write, old, number):
    """What, where, and what would be right."""
    place = old.replace("2.0", number).replace("1.5", number).replace(" 2 ", f" {number} ")
    text = "".join(ARM).replace(old, place)
    assert text != "".join(ARM)
    with pytest.raises(
        ValueError, match=r"robot\.urdf: (link 'upper'|joint '\w+').*but must have.*finite"
    ):
        load_urdf(write(text))
