"""Robots from URDF files: the moving links as a `Chain`, what is welded together merged.

yourdfpy reads the file; what is drawn (meshes, materials) is never looked at. What collides is read on request.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args
from xml.etree import ElementTree

import numpy as np

from chaindyn._ops import Array
from chaindyn.chain import Chain, Link
from chaindyn.guards.arguments import check_chain, check_word, unit
from chaindyn.guards.model import INERTIA_RULES, InertiaRule, check_corners
from chaindyn.guards.xml_text import home_of, require_file, xml_root
from chaindyn.joints import Prismatic, Revolute, rotation_about
from chaindyn.models.parts import Drive, Frame, Limits
from chaindyn.models.shapes import Box, Capsule, ConvexHull, Geometry, Shape, Sphere
from chaindyn.models.welded import (
    Body,
    as_published,
    fault_of,
    one_body,
    prism,
    with_corners,
)
from chaindyn.other_constraints import Coupling
from chaindyn.other_joints import Free, Planar

__all__ = ["load_collision", "load_couplings", "load_urdf"]

MOVING = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "planar": Planar,  # its axis is the plane's normal
}
# Characters of an attribute; libxml2, which yourdfpy reads with, gives up at ten million.
LONGEST = 10**6
MimicRule = Literal["refuse", "free"]
BrokenRule = Literal["refuse", "skip"]
MIMIC_RULES: set[str] = set(get_args(MimicRule))
BROKEN_RULES: set[str] = set(get_args(BrokenRule))
# Of a mesh: the kinds of files, and sizes that a computer takes in its stride.
MESHES = ("dae", "glb", "gltf", "obj", "off", "ply", "stl")
MOST_BYTES, MOST_CORNERS = 10**8, 10**6
INERTIAS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")

# What is read of an element, and of what stands in it; the rest is only drawn, or of no meaning here.
READ: dict[str, dict[str, tuple[str, ...]]] = {
    "link": {"inertial": ("origin", "mass", "inertia")},
    "joint": dict.fromkeys(("parent", "child", "origin", "axis", "mimic", "dynamics", "limit"), ()),
}

# What stands in a file's elements: where, which attributes, how many numbers each, and whether they must be there
# (yourdfpy fills a missing inertia with ones). The units and meanings: http://wiki.ros.org/urdf/XML.
NUMBERS: dict[str, tuple[tuple[str, tuple[str, ...], int, bool], ...]] = {
    "link": (
        ("inertial/origin", ("xyz", "rpy"), 3, False),
        ("inertial/mass", ("value",), 1, True),
        ("inertial/inertia", INERTIAS, 1, True),
    ),
    "joint": (
        ("origin", ("xyz", "rpy"), 3, False),
        ("axis", ("xyz",), 3, True),
        ("mimic", ("multiplier", "offset"), 1, False),
        ("dynamics", ("damping", "friction"), 1, False),
        ("limit", ("lower", "upper", "velocity", "effort"), 1, False),
    ),
}


def load_urdf(
    path: str | PathLike[str],
    *,
    tip: str | None = None,
    lock: Mapping[str, float] | Iterable[str] | None = None,
    floating: bool = False,
    inertia: InertiaRule = "strict",
    mimic: MimicRule = "refuse",
) -> Chain:
    """Return the chain or tree that a URDF file describes; needs ``pip install "chaindyn[urdf]"``.

    tip : name of a link: only the links on the path out to it are kept; what branches off is cut away, welded
    parts and their mass too. lock : joints to weld, a mapping from joint name to position [rad or m], or
    names alone (position 0). floating : whether the root link is free to move, on a `Free` joint, as a
    walking robot's trunk is; if not, it belongs to the ground. Fixed and locked joints are merged: the bodies
    that they join become one, by the parallel-axis theorem. The merged bodies are the ones whose inertia is
    judged: published files hold parts that no mass has, welded to others that outweigh them. inertia : what to do
    where it is impossible for any body, missing, or where a moving leaf has no mass (as in files made for kinematics
    alone); what is welded to another body may be a point of mass without <inertia>, with a warning:
    "strict" refuses the file, "warn" takes the numbers as published, with one UserWarning that lists them. Motion is
    right then as far as M is regular: `aba` refuses what a massless leaf makes singular. mimic : what to do with joints
    that mimic others: "refuse" them, or let them move as any joint, "free", to be held by what `load_couplings` gives.

    A link is named after its URDF link (the child of the joint that moves it), its frame is that link's
    frame, and links come depth first, branches in the order of the file. Joints keep their names, by which
    ``chain.q_of`` makes coordinates. A URDF link that is welded to another
    keeps its name as a `Frame` of the chain, on the link that it has become part of or on the ground (unless it is
    called "ground"). Damping and friction are the viscous and coulomb of the link's `Drive`, and act in `simulate`;
    limits are its `Limits`. Everything drawn is ignored; a link without <inertial> is massless.

    ImportError without yourdfpy; FileNotFoundError; ValueError, with the names of file, link and joint, for
    what is no URDF or no tree, an impossible inertia, unknown names, joints that mimic
    others (unless free, locked or cut away; all of them are named), a moving leaf without mass.

    >>> from pathlib import Path
    >>> rod = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), np.eye(3), name="rod")
    >>> _ = Path("rod.urdf").write_text(to_urdf(Chain([rod])))
    >>> load_urdf("rod.urdf")
    Chain of 1 link, nq = 1, nv = 1, gravity (0, 0, -9.81) m/s^2
       link  parent  joint       axis   q  mass [kg]
    0  rod   ground  Revolute    0 1 0  0  1
    """
    if not isinstance(path, str | PathLike):
        raise ValueError(f"path is {path!r}, but must name a URDF file")
    robot = read(Path(path))
    chain, faults = chain_of(
        robot, tip=tip, lock=lock, floating=floating, inertia=inertia, mimic=mimic
    )
    if faults:
        warnings.warn(f"{robot.path}: {faults}", UserWarning, stacklevel=2)
    return chain


def chain_of(
    robot: Any,
    *,
    tip: str | None = None,
    lock: Any = None,
    floating: bool = False,
    inertia: str = "strict",
    mimic: str = "refuse",
) -> tuple[Chain, str]:
    """Return the chain of what was read, and what to warn of; arguments as for `load_urdf`."""
    try:
        if not isinstance(floating, bool):
            raise ValueError(f"floating is {floating!r}, but must be True or False")
        check_word(inertia, "inertia", INERTIA_RULES)
        check_word(mimic, "mimic", MIMIC_RULES)
        joints = depth_first(robot)
        locked = positions(lock, {joint.name for joint in robot.joints})
        if tip is not None:
            joints = path_to(tip, joints, [link.name for link in robot.links])
        links, faults, frames = merged(robot, joints, locked, floating=floating, mimic=mimic)
        if faults and inertia == "strict":
            raise ValueError(f"{'; '.join(faults)} (inertia='warn' takes them as published)")
        chain = Chain(links, frames=frames)
    except ValueError as error:
        raise ValueError(f"{robot.path}: {error}{unexpanded(robot.root)}") from None
    welded_on = sorted(robot.points & {frame.name for frame in frames})
    faults += [f"link {name!r} has no <inertia>, and is a point of mass" for name in welded_on]
    return chain, f"taken as published: {'; '.join(faults)}" if faults else ""


def read(path: Path, root: ElementTree.Element | None = None) -> Any:
    """Return yourdfpy's Robot: links with inertials, joints with origins; nothing that is only drawn.

    root : the file's root element, where it was read already. The robot keeps it, and the path.
    """
    try:
        import yourdfpy
    except ImportError as error:
        raise ImportError(
            'load_urdf reads URDF files with yourdfpy, which is not installed: pip install "chaindyn[urdf]"'
        ) from error
    require_file(path, "path", "a URDF file")
    try:
        root = parsed(path) if root is None else root
        bare = skeleton(root)
        document = io.BytesIO(ElementTree.tostring(bare))
        robot = yourdfpy.URDF.load(document, build_scene_graph=False, load_meshes=False).robot
    except ValueError as error:
        raise ValueError(f"{path}: {error}{unexpanded(root)}") from None
    count = len(robot.links) + len(robot.joints)
    if count != len(bare):  # yourdfpy's parser goes on after what it cannot read
        raise ValueError(f"{path}: yourdfpy read {count} of {len(bare)} links and joints")
    robot.path, robot.root = path, root
    robot.points = {
        link.get("name")
        for link in root.findall("link")
        if link.find("inertial") is not None and link.find("inertial/inertia") is None
    }
    return robot


def unexpanded(root: ElementTree.Element | None) -> str:
    """Return what to do about a file that is refused, if macros of xacro are left in it; otherwise nothing."""
    elements = () if root is None else root.iter()
    if not any(
        one.tag.startswith("xacro:") or "${" in "".join(one.attrib.values()) for one in elements
    ):
        return ""
    return "; the file holds macros of xacro: let ROS's xacro expand them, and give what it writes"


def parsed(path: Path) -> ElementTree.Element:
    """Return the root element of an XML file."""
    try:
        return xml_root(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"not an XML file, which a URDF is: {error}") from None


def skeleton(root: ElementTree.Element) -> ElementTree.Element:
    """Return the elements that say how a robot moves, checked; refuse what is no URDF."""
    if root.tag != "robot":
        raise ValueError(f"not a URDF: its root element is <{root.tag}>, but must be <robot>")
    bare = ElementTree.Element("robot", name=root.get("name", ""))
    names: dict[str, set[str]] = {"link": set(), "joint": set()}
    for element in root:
        if element.tag not in names:
            continue
        name = element.get("name")
        if not name:
            nth = len(names[element.tag]) + 1
            raise ValueError(f"<{element.tag}> number {nth} has no name, but every one needs one")
        if name in names[element.tag]:
            raise ValueError(f"there are two {element.tag}s named {name!r}: names must differ")
        names[element.tag].add(name)
        kept, label = copied(element, bare), f"{element.tag} {name!r}"
        for part in element:
            inner = READ[element.tag].get(part.tag)
            if inner is not None:
                require_one(element, part.tag, label)
                holder = copied(part, kept)
                for number in part:
                    if number.tag in inner:
                        require_one(part, number.tag, label)
                        copied(number, holder)
        check_numbers(kept, label)
    for joint in bare.findall("joint"):
        check_joint_element(joint, names["link"])
    return bare


def require_one(element: ElementTree.Element, tag: str, label: str) -> None:
    """Refuse an element that holds several of a kind of which readers take one."""
    count = len(element.findall(tag))
    if count > 1:
        where = "" if element.tag in READ else f"<{element.tag}> "
        raise ValueError(f"{label}: {where}has {count} <{tag}>, but must have one")


def numbers_in(text: str) -> list[float]:
    """Return the numbers of a text, none if it has other words; Python alone reads 1_0 and other alphabets' digits."""
    try:
        return [float(word) for word in text.split()] if text.isascii() and "_" not in text else []
    except ValueError:
        return []


def copied(element: ElementTree.Element, parent: ElementTree.Element) -> ElementTree.Element:
    """Append an element, without what it holds, to another; refuse an attribute that parsers balk at."""
    for attribute, text in element.attrib.items():
        if len(text) > LONGEST:
            raise ValueError(
                f"a <{element.tag}> has {attribute} = {text[:20]!r}... of {len(text)} characters, "
                f"but {LONGEST} are the most"
            )
    return ElementTree.SubElement(parent, element.tag, element.attrib)


def check_numbers(element: ElementTree.Element, label: str) -> None:
    """Refuse numbers that are missing, unreadable or not finite."""
    if element.tag == "link" and (inertial := element.find("inertial")) is not None:
        if inertial.find("mass") is None:
            raise ValueError(f"{label}: <inertial> has no <mass>")
        if inertial.find("inertia") is None:  # see `points` of `read`
            ElementTree.SubElement(inertial, "inertia", dict.fromkeys(INERTIAS, "0"))
    for where, attributes, count, required in NUMBERS[element.tag]:
        holder = element.find(where)
        for attribute in attributes if holder is not None else ():
            text = holder.get(attribute)  # type: ignore[union-attr]
            if text is None and not required:
                continue
            wanted = "a number" if count == 1 else f"{count} numbers"
            values = numbers_in(text or "")
            endless = where == "limit" and not np.isnan(values).any()
            if len(values) != count or not (endless or np.isfinite(values).all()):
                raise ValueError(
                    f"{label}: <{where}> has {attribute} = {text!r}, but must have {wanted}, finite"
                )


def check_joint_element(joint: ElementTree.Element, links: set[str]) -> None:
    """Refuse a joint of unknown type, and one that does not join two links of the file."""
    label = f"joint {joint.get('name')!r}"
    known = [*MOVING, "floating", "fixed"]
    if joint.get("type") not in known:
        raise ValueError(
            f"{label} has type {joint.get('type')!r}, but must be one of {', '.join(known)}"
        )
    for end in ("parent", "child"):
        holder = joint.find(end)
        name = None if holder is None else holder.get("link")
        if name not in links:
            raise ValueError(f"{label}: its {end} is {name!r}, but must be one of the file's links")


def depth_first(robot: Any) -> list[Any]:
    """Return the joints from the root link outward, a branch at a time; refuse what is not one tree."""
    children: dict[str, list[Any]] = {link.name: [] for link in robot.links}
    roots = dict.fromkeys(children)
    for joint in robot.joints:
        children[joint.parent].append(joint)
        if joint.child not in roots:
            others = [j.name for j in robot.joints if j.child == joint.child]
            raise ValueError(
                f"link {joint.child!r} is the child of several joints, {others}: "
                "joints must form a tree, without loops"
            )
        del roots[joint.child]
    if not children:
        raise ValueError("there are no links: <robot> must hold <link> and <joint> elements")
    if len(roots) > 1:
        raise ValueError(
            f"several links are no joint's child, {list(roots)}: there must be one root link"
        )
    order, waiting = [], [joint for root in roots for joint in reversed(children[root])]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting.extend(reversed(children[joint.child]))
    if not roots or len(order) < len(robot.joints):
        reached = {joint.name for joint in order}
        loop = [joint.name for joint in robot.joints if joint.name not in reached]
        raise ValueError(f"the joints {loop} form a loop or hang on one: joints must form a tree")
    return order


def path_to(tip: str, joints: Sequence[Any], links: Sequence[str]) -> list[Any]:
    """Return those of the joints, which are in order from the root, that lie on the path to a link."""
    if tip not in links:
        raise ValueError(f"tip is {tip!r}, but must be one of the links {list(links)}")
    path: list[Any] = []
    for joint in reversed(joints):
        if joint.child == (path[-1].parent if path else tip):
            path.append(joint)
    return path[::-1]


def positions(
    lock: Mapping[str, float] | Iterable[str] | None, joints: set[str]
) -> dict[str, float]:
    """Return the position of each locked joint; refuse unknown names and what is no position."""
    if not isinstance(lock, Iterable | None) or isinstance(lock, str | bytes):
        raise ValueError(
            f"lock is {lock!r}, but must be a list of joint names, or a mapping to positions"
        )
    given = lock.items() if isinstance(lock, Mapping) else ((name, 0.0) for name in lock or ())
    locked = {}
    for name, position in given:
        if not isinstance(name, str) or name not in joints:
            raise ValueError(
                f"lock names the joint {name!r}, but the file's joints are {sorted(joints)}"
            )
        number = isinstance(position, int | float | np.integer | np.floating)
        try:
            locked[name] = float(position) if number else np.nan
        except OverflowError:
            raise ValueError(
                f"lock puts joint {name!r} at an integer too large for a float"
            ) from None
        if isinstance(position, bool) or not np.isfinite(locked[name]):
            raise ValueError(
                f"lock puts joint {name!r} at {position!r}, but must give a finite number"
            )
    return locked


def own_body(link: Any) -> Body:
    """Return what a URDF link's <inertial> says, in the link's frame; nothing if it has none."""
    if link.inertial is None:
        return Body(0.0, np.zeros(3), np.zeros((3, 3)))
    if link.inertial.mass < 0:  # refused here, for merging could hide it
        raise ValueError(
            f"link {link.name!r}: mass is {link.inertial.mass}, but must not be negative"
        )
    return Body(link.inertial.mass, np.zeros(3), link.inertial.inertia).seen_from(
        pose_of(link.inertial)
    )


def pose_of(element: Any) -> Array:
    """Return the pose (4, 4) that an element's <origin> gives; the identity where there is none."""
    return np.eye(4) if element.origin is None else element.origin


def displacement(joint: Any, position: float) -> Array:
    """Return the pose (4, 4) of the child in the joint's frame, at one position."""
    pose = np.eye(4)
    if position == 0:
        return pose
    if joint.type not in MOVING or joint.type == "planar":
        raise ValueError(
            f"lock puts joint {joint.name!r} at {position:g}, but it is {joint.type} and can be locked at 0 only"
        )
    axis = unit(joint.axis, f"joint {joint.name!r}: axis")
    if joint.type == "prismatic":
        pose[:3, 3] = position * axis
    else:
        pose[:3, :3] = rotation_about(axis, np.array([position]))
    return pose


def require_movable(joints: Sequence[Any]) -> None:
    """Refuse joints that mimic others, which a chain's cannot, naming all."""
    mimics = [f"joint {j.name!r} mimics joint {j.mimic.joint!r}" for j in joints if j.mimic]
    if mimics:
        what = "lock it at a position" if len(mimics) == 1 else "lock them at positions"
        cut = "it" if len(mimics) == 1 else "them"
        raise ValueError(
            f"{', '.join(mimics)}, which a chain cannot: {what}, or choose a tip that cuts {cut} away, or give "
            "mimic='free' and hold what load_couplings returns"
        )


def merged(
    robot: Any, joints: Sequence[Any], locked: Mapping[str, float], *, floating: bool, mimic: str
) -> tuple[list[Link], list[str], list[Frame]]:
    """Return the moving links, what is wrong with their inertias, and the frames of all that is welded to them.

    What fixed and locked joints hold together is one link.
    """
    described = {link.name: link for link in robot.links}
    moved = {joint.child for joint in joints}
    welded = {joint.name for joint in joints if joint.type == "fixed" or joint.name in locked}
    # for each URDF link, the moving link that it is part of and its pose (4, 4) there
    home = {name: ("ground", np.eye(4)) for name in described if name not in moved}
    parts: dict[str, list[Body]] = {"ground": []}
    # for each moving link, its joint, its parent and the joint's pose there
    hinges: dict[str, tuple[Any, str, Array]] = {}
    if floating:
        (root,) = set(described) - {joint.child for joint in robot.joints}
        home[root], hinges[root] = (root, np.eye(4)), (None, "ground", np.eye(4))
        parts[root] = [own_body(described[root])]
    for joint in joints:
        carrier, pose = home[joint.parent]
        pose = pose @ pose_of(joint)
        if joint.name in welded:
            pose = pose @ displacement(joint, locked.get(joint.name, 0))
        else:
            hinges[joint.child] = joint, carrier, pose
            carrier, pose = joint.child, np.eye(4)
            parts[carrier] = []
        home[joint.child] = carrier, pose
        parts[carrier].append(own_body(described[joint.child]).seen_from(pose))
    if not hinges:
        raise ValueError("no joint moves: a chain needs one that is neither fixed nor locked")
    if mimic == "refuse":
        require_movable([joint for joint, _, _ in hinges.values() if joint is not None])
    index = {"ground": "ground"} | {name: i for i, name in enumerate(hinges)}
    carriers = {carrier for _, carrier, _ in hinges.values()}
    links, faults = [], []
    for name, (joint, carrier, pose) in hinges.items():
        link = moving_link(name, joint, index[carrier], pose, one_body(parts[name]))
        mover = "no joint" if joint is None else f"joint {joint.name!r}"
        fault = fault_of(link, mover, is_leaf=name not in carriers)
        if name in robot.points and not link.inertia.any():
            fault = f"link {name!r}: <inertial> has no <inertia>"
        links.append(as_published(link) if fault else link)
        faults += [fault] if fault else []
    (root,) = set(described) - {joint.child for joint in robot.joints}
    kept = [root, *(joint.child for joint in joints)]
    welded_on = [name for name in kept if name not in hinges and name != "ground"]
    frames = [
        Frame(name, home[name][0], home[name][1][:3, 3], home[name][1][:3, :3])
        for name in welded_on
    ]
    return links, faults, frames


def moving_link(name: str, joint: Any, parent: int | str, pose: Array, body: Body) -> Link:
    """Return one link of the chain, free if it has no joint."""
    free = joint is None or joint.type == "floating"
    called = None if joint is None else joint.name
    return Link(
        joint=Free(name=called)
        if free
        else MOVING[joint.type](unit(joint.axis, f"joint {called!r}: axis"), name=called),
        mass=body.mass,
        com=body.com,
        inertia=body.inertia,
        offset=pose[:3, 3],
        rotation=pose[:3, :3],
        parent=parent,
        name=name,
        drive=None if free else drive_of(joint),
        limits=None if free else limits_of(joint),
    )


def drive_of(joint: Any) -> Drive | None:
    """Return the friction that a joint's <dynamics> says, None if it says none."""
    given = joint.dynamics
    if given is None:
        return None
    viscous, coulomb = float(given.damping or 0), float(given.friction or 0)
    for name, value in (("damping", viscous), ("friction", coulomb)):
        if value < 0:
            raise ValueError(
                f"joint {joint.name!r}: <dynamics> has {name} = {value:g}, but must not be negative"
            )
    return Drive(viscous=viscous, coulomb=coulomb) if viscous or coulomb else None


def limits_of(joint: Any) -> Limits | None:
    """Return what a joint's <limit> says, None if it has none. Turns without end have no bounds of place.

    Of the bounds of place one that is missing is 0, as the format has it; if both are, the joint has none. The largest
    number is no bound, either.
    """
    given = joint.limit
    if given is None or joint.type == "planar":
        return None
    bounded = joint.type != "continuous" and (given.lower, given.upper) != (None, None)
    lower, upper = (given.lower or 0.0, given.upper or 0.0) if bounded else (-np.inf, np.inf)
    places = endless(lower), endless(upper)
    sizes = [np.inf if x is None else endless(x) for x in (given.velocity, given.effort)]
    for name, value in zip(("velocity", "effort"), sizes, strict=True):
        if value < 0:
            raise ValueError(
                f"joint {joint.name!r}: <limit> has {name} = {value:g}, but must not be negative"
            )
    if places[0] > places[1]:
        raise ValueError(
            f"joint {joint.name!r}: <limit> has lower = {places[0]:g} above upper = {places[1]:g}"
        )
    return Limits(*places, *sizes)


def endless(x: float) -> float:
    """Return a bound, infinite where it is the largest number, by which URDF files say that there is none."""
    return float(np.copysign(np.inf, x)) if abs(x) >= sys.float_info.max else x


def load_couplings(
    path: str | PathLike[str],
    chain: Chain,
    *,
    lock: Mapping[str, float] | Iterable[str] | None = None,
) -> list[Coupling]:
    """Return what holds the mimic joints of a URDF file, in the chain that `load_urdf` made of it with mimic="free".

    lock : as it was given to `load_urdf`. A joint that mimics another keeps q = multiplier q of the other + offset, one
    `Coupling` each, with that offset for its total, in the order of the file; a leader that is locked counts with its
    position. For `constrained_forward_dynamics`, `simulate`, `assemble` and all that take constraints.

    ImportError without yourdfpy; ValueError, with the names of file and joint, where the leader is unknown or cut away,
    or where a joint mimics itself or has more than one coordinate.

    >>> from pathlib import Path
    >>> pair = Chain([Link(Revolute(), 1, (0, 0, 0), np.eye(3), parent="ground")] * 2)
    >>> mimic = '<child link="link1" /><mimic joint="link0" multiplier="2" />'
    >>> text = to_urdf(pair).replace('<child link="link1" />', mimic)
    >>> _ = Path("pair.urdf").write_text(text)
    >>> constraint_jacobian(pair, load_couplings("pair.urdf", pair), np.zeros(2))
    array([[-2.,  1.]])
    """
    if not isinstance(path, str | PathLike):
        raise ValueError(f"path is {path!r}, but must name a URDF file")
    check_chain(chain)
    return couplings_of(read(Path(path)), chain, lock)


def couplings_of(robot: Any, chain: Chain, lock: Any) -> list[Coupling]:
    """Return what holds the mimic joints of what was read; arguments as for `load_couplings`."""
    try:
        require_from_file(chain, robot)
        joints = {joint.name: joint for joint in robot.joints}
        locked = positions(lock, set(joints))
        return [
            coupling_of(joint, joints, chain, locked)
            for joint in robot.joints
            if joint.mimic and joint.child in chain.names
        ]
    except ValueError as error:
        raise ValueError(f"{robot.path}: {error}") from None


def coupling_of(
    joint: Any, joints: Mapping[str, Any], chain: Chain, locked: Mapping[str, float]
) -> Coupling:
    """Return what holds one mimic joint, which moves a link of the chain."""
    label = f"joint {joint.name!r} mimics joint {joint.mimic.joint!r}"
    leader = joints.get(joint.mimic.joint)
    if leader is None or leader is joint:
        raise ValueError(f"{label}, but must mimic another joint of the file")
    for one in (joint, leader):
        if one.type not in ("revolute", "continuous", "prismatic", "fixed"):
            raise ValueError(
                f"{label}, but joint {one.name!r} is {one.type}: one coordinate is wanted"
            )
    multiplier = 1.0 if joint.mimic.multiplier is None else joint.mimic.multiplier
    offset = joint.mimic.offset or 0.0
    if leader.child in chain.names:
        return Coupling({joint.child: 1, leader.child: -multiplier}, total=offset)
    if leader.name in locked or leader.type == "fixed":
        total = offset + multiplier * locked.get(leader.name, 0)
        return Coupling({joint.child: 1}, total=total)
    raise ValueError(
        f"{label}, which this chain has not: keep it, lock both, or give lock as it was given to load_urdf"
    )


def load_collision(
    path: str | PathLike[str],
    chain: Chain,
    *,
    lock: Mapping[str, float] | Iterable[str] | None = None,
    friction: float = 0.0,
    restitution: float = 0.0,
    broken: BrokenRule = "refuse",
    corners: int | None = None,
) -> list[Geometry]:
    """Return the shapes of a URDF file's <collision> elements, on the links of the chain that `load_urdf` made of it.

    lock : as it was given to `load_urdf`. friction, restitution : of all shapes, for a URDF has none. Shapes of links
    that are welded to a moving link come with it, those welded to the root are on the ground (or on the root, if it is
    floating), and those of what a tip has cut away are left out. A sphere, box and capsule are what they are; a
    cylinder becomes a prism of 32 sides with its corners on the rim, which is thinner by at most 0.5 % of the radius. A
    mesh becomes its convex hull, scaled; this takes ``pip install trimesh``. Its file, stl, obj, ply, off, dae, glb or
    gltf (which may keep its numbers in a .bin beside it), of at most 1e8 bytes and 1e6 corners, is looked for beside
    the URDF and, if it is given as package://NAME/..., in every folder NAME above or beside a folder above. It must lie
    in that folder, or else in the package that the URDF is in: the nearest folder above with a package.xml or a .git,
    or the uppermost with an __init__.py, or else that above the URDF's own, so that ../meshes is found. broken : what
    to do with a shape that is unknown, degenerate or not there: "refuse" the file, or "skip" it, with one UserWarning
    that lists them. corners : so many corners are kept of a mesh's hull at most, at least 12, None for all: contact
    takes longer with many. The hull of those that are kept lies within; of a ball 32 keep 88 % of the radius, 64 keep
    94 %, and a box stays a box.

    ImportError without yourdfpy, or if there is a mesh and no trimesh; ValueError, with the names of file and
    link, for a shape that is unknown, has no sizes, or a mesh that is not there, lies elsewhere, is too large or
    cannot be read.

    >>> from pathlib import Path
    >>> rod = Chain([Link(Revolute(), 1, (0, 0, 0), np.eye(3), name="rod")])
    >>> box = '<collision><geometry><box size="1 2 3"/></geometry></collision></link>'
    >>> _ = Path("rod.urdf").write_text(to_urdf(rod).replace("</link>", box))
    >>> (geometry,) = load_collision("rod.urdf", rod)
    >>> geometry.shape.sides
    array([1., 2., 3.])
    """
    if not isinstance(path, str | PathLike):
        raise ValueError(f"path is {path!r}, but must name a URDF file")
    check_chain(chain)
    check_word(broken, "broken", BROKEN_RULES)
    path = Path(path)
    given = lock, friction, restitution, broken, corners
    geometries, skipped = collision_of(read(path), chain, *given)
    if skipped:
        warnings.warn(f"{path}: left out: {'; '.join(skipped)}", UserWarning, stacklevel=2)
    return geometries


def collision_of(
    robot: Any,
    chain: Chain,
    lock: Any,
    friction: float,
    restitution: float,
    broken: str,
    corners: Any,
) -> tuple[list[Geometry], list[str]]:
    """Return the shapes of what was read on the links of a chain, and what is wrong with those that are left out."""
    geometries, skipped = [], []
    check_corners(corners)
    try:
        require_from_file(chain, robot)
        home = homes(robot, chain, positions(lock, {joint.name for joint in robot.joints}))
        for element in robot.root.iter("link"):
            name = str(element.get("name"))
            for collision in element.findall("collision") if name in home else ():
                try:
                    shape, own = labelled_shape(collision, name, robot.path.parent)
                except ValueError as error:
                    if broken == "refuse":
                        raise
                    skipped.append(str(error))
                    continue
                if isinstance(shape, ConvexHull) and collision.find("geometry/mesh") is not None:
                    shape = with_corners(shape, corners)
                body, pose = home[name]
                pose = pose @ own
                geometries.append(
                    Geometry(
                        shape,
                        body,
                        offset=pose[:3, 3],
                        rotation=pose[:3, :3],
                        friction=friction,
                        restitution=restitution,
                    )
                )
    except ValueError as error:
        raise ValueError(f"{robot.path}: {error}") from None
    return geometries, skipped


def labelled_shape(collision: ElementTree.Element, name: str, folder: Path) -> tuple[Shape, Array]:
    """Return one <collision> of a link as `collision_shape`; the error names the link."""
    label = f"link {name!r}"
    try:
        return collision_shape(collision, label, folder)
    except ValueError as error:
        raise ValueError(str(error) if label in str(error) else f"{label}: {error}") from None


def require_from_file(chain: Chain, robot: Any) -> None:
    """Refuse a chain with links that a URDF file does not have."""
    known = {link.name for link in robot.links}
    strange = [name for name in chain.names if name not in known]
    if strange:
        raise ValueError(
            f"the chain's links {strange} are not in this file: give the chain that load_urdf made of it"
        )


def homes(robot: Any, chain: Chain, locked: Mapping[str, float]) -> dict[str, tuple[str, Array]]:
    """Return for each URDF link that is in a chain the chain's link that it is part of, and its pose (4, 4) there."""
    children = {joint.child for joint in robot.joints}
    home = {
        link.name: (link.name if link.name in chain.names else "ground", np.eye(4))
        for link in robot.links
        if link.name not in children
    }
    for joint in depth_first(robot):
        if joint.child in chain.names:
            home[joint.child] = joint.child, np.eye(4)
        elif joint.parent in home and (joint.type == "fixed" or joint.name in locked):
            carrier, pose = home[joint.parent]
            moved = displacement(joint, locked.get(joint.name, 0))
            home[joint.child] = carrier, pose @ pose_of(joint) @ moved
    return home


def numbers_of(element: ElementTree.Element, attribute: str, count: int, label: str) -> Array:
    """Return so many finite numbers from an attribute, or say what is wrong with it."""
    text = element.get(attribute, "")
    values = np.array(numbers_in(text))
    if len(values) != count or not np.isfinite(values).all():
        wanted = "a number" if count == 1 else f"{count} numbers"
        raise ValueError(
            f"{label}: <{element.tag}> of <collision> has {attribute} = {text!r}, but must have {wanted}, finite"
        )
    return values


def collision_shape(
    collision: ElementTree.Element, label: str, folder: Path
) -> tuple[Shape, Array]:
    """Return the shape of a <collision> element and its pose (4, 4) in the link."""
    form, pose = form_of(collision, label)
    match form.tag:
        case "sphere":
            return Sphere(float(numbers_of(form, "radius", 1, label)[0])), pose
        case "box":
            return Box(numbers_of(form, "size", 3, label)), pose
        case "cylinder" | "capsule":
            radius, length = (float(numbers_of(form, x, 1, label)[0]) for x in ("radius", "length"))
            return Capsule(radius, length) if form.tag == "capsule" else prism(radius, length), pose
        case "mesh":
            return mesh_hull(form, label, folder), pose
    raise ValueError(
        f"{label}: <collision> has a <{form.tag}>, but must have one of sphere, box, cylinder, capsule, mesh"
    )


def form_of(element: ElementTree.Element, label: str) -> tuple[ElementTree.Element, Array]:
    """Return the shape's element in a <collision> or <visual>, and its pose (4, 4) in the link."""
    pose = np.eye(4)
    require_one(element, "origin", label)
    require_one(element, "geometry", label)
    origin = element.find("origin")
    if origin is not None:
        if origin.get("xyz") is not None:
            pose[:3, 3] = numbers_of(origin, "xyz", 3, label)
        if origin.get("rpy") is not None:
            for angle, axis in zip(numbers_of(origin, "rpy", 3, label), np.eye(3), strict=True):
                pose[:3, :3] = rotation_about(axis, np.array([angle])) @ pose[:3, :3]
    found = element.findall("geometry/*")
    if len(found) != 1:
        raise ValueError(
            f"{label}: <{element.tag}> has {len(found)} shapes in its <geometry>, but must have one"
        )
    return found[0], pose


def mesh_hull(mesh: ElementTree.Element, label: str, folder: Path) -> ConvexHull:
    """Return the convex hull of a mesh that a file holds."""
    parts, name = mesh_parts(mesh, label, folder), mesh.get("filename", "")
    try:
        return ConvexHull(np.concatenate([part.vertices for part in parts] or [np.zeros((0, 3))]))
    except ValueError as error:
        raise ValueError(f"{label}: the mesh {name!r} cannot be used: {error}") from error


def mesh_parts(mesh: ElementTree.Element, label: str, folder: Path) -> list[Any]:
    """Return the parts of the mesh that a file holds, scaled: trimesh's, with vertices and faces."""
    name = mesh.get("filename", "")
    try:
        import trimesh
    except ImportError as error:
        raise ImportError(
            f"{label}: trimesh reads the mesh {name!r}, but is not installed: pip install trimesh"
        ) from error
    scale = numbers_of(mesh, "scale", 3, label) if mesh.get("scale") else np.ones(3)
    kind = name.rpartition(".")[2].lower()
    if kind not in MESHES:
        raise ValueError(f"{label}: the mesh {name!r} must be a file of {', '.join(MESHES)}")
    file = mesh_file(name, label, Path(os.path.abspath(folder)))
    size = file.stat().st_size
    if size > MOST_BYTES:
        raise ValueError(f"{label}: the mesh {name!r} has {size} bytes; {MOST_BYTES} are the most")
    try:
        # materials and pictures beside it are not looked for
        beside = Buffers(file.parent) if kind == "gltf" else None
        loaded: Any = trimesh.load(io.BytesIO(file.read_bytes()), file_type=kind, resolver=beside)
        parts = [loaded]
        if isinstance(loaded, trimesh.Scene):
            placed = [loaded.graph[node] for node in loaded.graph.nodes_geometry]
            parts = [loaded.geometry[own].copy().apply_transform(T) for T, own in placed]
        count = sum(len(part.vertices) for part in parts)
        if count > MOST_CORNERS:
            raise ValueError(f"it has {count} corners; {MOST_CORNERS} are the most")
        for part in parts:
            part.vertices = np.asarray(part.vertices, float) * scale
        return parts
    except Exception as error:  # each reader has its own
        what = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
        raise ValueError(f"{label}: the mesh {name!r} cannot be used: {what}") from error


class Buffers(dict[str, bytes]):
    """The .bin files in a folder, by name: where a .gltf keeps its numbers."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __missing__(self, name: str) -> bytes:
        file = Path(os.path.abspath(self.folder / name))
        if file.suffix != ".bin" or file.parent != self.folder or not file.is_file():
            raise ValueError(f"there is no file {name!r} of numbers beside it")
        if file.stat().st_size > MOST_BYTES:
            raise ValueError(f"{name!r} has more than {MOST_BYTES} bytes")
        return file.read_bytes()


def mesh_file(name: str, label: str, folder: Path) -> Path:
    """Return the file of a mesh, in the package that is named or that the URDF's folder is in; refuse one outside."""
    above = [folder, *folder.parents]
    if name.startswith("package://"):
        package, _, rest = name.removeprefix("package://").partition("/")
        if package in ("", ".", ".."):
            raise ValueError(f"{label}: the mesh {name!r} is in no package")
        roots = [place for place in above if place.name == package]
        roots += [place / package for place in above]
        places = [(root, root / rest) for root in roots]
    else:
        places = [(home_of(folder), folder / name.removeprefix("file://"))]
    found = [(root, Path(os.path.abspath(place))) for root, place in places]
    inside = [place for root, place in found if place.is_relative_to(root)]
    if not inside:
        raise ValueError(f"{label}: the mesh {name!r} lies outside {found[0][0]}")
    file = next((place for place in inside if place.is_file()), None)
    if file is None:
        raise ValueError(f"{label}: there is no mesh {name!r} near {folder}")
    return file
