"""Chains written down: as JSON, which is read back to the last bit, and as URDF, for what URDF can hold."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields
from fractions import Fraction
from reprlib import Repr
from typing import Any, Literal
from xml.etree import ElementTree

import numpy as np

from chaindyn import joints as first_joints
from chaindyn import other_joints
from chaindyn._ops import Array
from chaindyn.chain import Chain, Link
from chaindyn.contract import Joint
from chaindyn.guards.arguments import check_chain, check_word
from chaindyn.guards.joint_defaults import parameters
from chaindyn.guards.numbers import as_real
from chaindyn.joints import Prismatic, Revolute
from chaindyn.models.parts import Drive, Frame, Limits
from chaindyn.models.welded import as_published
from chaindyn.other_joints import Fixed, Free, Planar

__all__ = ["from_json", "to_json", "to_urdf"]

FORMAT, VERSION = "chaindyn chain", 1
OWN = {
    name: kind
    for module in (first_joints, other_joints)
    for name, kind in vars(module).items()
    if name in module.__all__ and isinstance(kind, type) and kind is not Joint
}
# JSON has no infinite numbers, and numbers of one precision.
ENDLESS = {"inf": math.inf, "-inf": -math.inf}
BRIEF = Repr()  # what a text holds, in a message
BRIEF.maxstring = BRIEF.maxlong = BRIEF.maxother = 80
PRECISIONS = ("float32", "longdouble")
NUMBERS = ("mass", "com", "inertia", "offset", "rotation")
GRAVITY = (0, 0, -9.81)  # what a chain from a URDF file has


def to_json(chain: Chain) -> str:
    """Return a chain as JSON, which `from_json` reads back to the last bit: the same chain by ``==``.

    Names, frames, drives and limits are in it, and joints by their kind. Whole numbers, fractions, single and long
    double precision stay what they are. ValueError, with the name of link or frame, for symbols and complex numbers,
    and for joints that are no dataclass.

    >>> import json
    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, name="rod")])
    >>> json.loads(to_json(rod))["links"][0]["com"]
    [0.5, 0.0, 0.0]
    """
    check_chain(chain)
    links = [link_as_json(link, chain.names[i]) for i, link in enumerate(chain.links)]
    whole = {
        "format": written(FORMAT),
        "version": written(VERSION),
        "gravity": written(encoded(chain.gravity, "gravity")),
        "links": lines_of(links),
        "frames": lines_of([frame_as_json(frame) for frame in chain.frames]),
    }
    entries = ",\n".join(f'"{key}": {text}' for key, text in whole.items())
    return f"{{\n{entries}\n}}\n"


def from_json(text: str, *, joints: Iterable[type] = ()) -> Chain:
    """Return the chain that `to_json` wrote.

    joints : classes of joints that are not the package's own, if the chain has some. ValueError, which says where, for
    what is no such text, or for a link, a frame or a number that cannot be.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, name="rod")])
    >>> again = from_json(to_json(rod))
    >>> again == rod, again.mass
    (True, array([1]))
    """
    kinds = OWN | {kind.__name__: kind for kind in joints}
    if not isinstance(text, str | bytes):
        raise ValueError(f"text is {BRIEF.repr(text)}, but must be what to_json returns")
    try:
        data = json.loads(
            text, parse_constant=lambda word: f"no number: {word}", object_pairs_hook=each_once
        )
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"not JSON: {error} (text must be what to_json returns; of a file, what is in it)"
        ) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"not a chain: the text must be an object with format {FORMAT!r}")
    if data.get("version") != VERSION:
        raise ValueError(f"version is {BRIEF.repr(data.get('version'))}, but must be {VERSION}")
    require_keys(data, "the chain", {"format", "version", "gravity", "links", "frames"})
    for part in ("links", "frames"):
        if not isinstance(data[part], list):
            raise ValueError(f"{part} must be a list, not {BRIEF.repr(data[part])}")
    return Chain(
        [link_of_json(link, f"link {i}", kinds) for i, link in enumerate(data["links"])],
        gravity=decoded(data["gravity"], "gravity"),
        frames=[frame_of_json(frame, f"frame {i}") for i, frame in enumerate(data["frames"])],
    )


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the entries of an object of JSON, each of which must stand once."""
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data:
            raise ValueError(f"{BRIEF.repr(key)} stands twice in an object")
        data[key] = value
    return data


def written(x: Any) -> str:
    """Return a value as JSON."""
    return json.dumps(x, allow_nan=False, ensure_ascii=False)


def lines_of(values: list[Any]) -> str:
    """Return a list as JSON, a line for each value."""
    lines = ",\n".join(map(written, values))
    return f"[\n{lines}\n]" if values else "[]"


def link_as_json(link: Link, label: str) -> dict[str, Any]:
    """Return a link as JSON has it."""
    kind = type(link.joint)
    try:
        own = {name: getattr(link.joint, name) for name in parameters(kind)}
    except TypeError:
        raise ValueError(
            f"link {label!r}: its joint, {kind.__name__}, is no dataclass, so that its parameters are not known"
        ) from None
    joint = {name: encoded(x, f"link {label!r}: {name} of its joint") for name, x in own.items()}
    data: dict[str, Any] = {"name": link.name, "parent": link.parent}
    data["joint"] = {"kind": kind.__name__, "name": getattr(link.joint, "name", None), **joint}
    data |= {name: encoded(getattr(link, name), f"link {label!r}: {name}") for name in NUMBERS}
    for part in ("drive", "limits"):
        given: Any = getattr(link, part)
        data[part] = given and {
            f.name: encoded(getattr(given, f.name), f"link {label!r}: {f.name}")
            for f in fields(given)
        }
    return data if getattr(link, "judged", True) else data | {"judged": False}


def frame_as_json(frame: Frame) -> dict[str, Any]:
    """Return a frame as JSON has it."""
    label = f"frame {frame.name!r}"
    return {
        "name": frame.name,
        "link": frame.link,
        "offset": encoded(frame.offset, f"{label}: offset"),
        "rotation": encoded(frame.rotation, f"{label}: rotation"),
    }


def encoded(x: Any, what: str) -> Any:
    """Return numbers as JSON has them: doubles and whole numbers as they are, others with their kind."""
    array = np.asarray(x)
    if array.dtype.kind in "iu" or array.dtype == float:
        return entry_by_entry(array.tolist(), lambda v: v if math.isfinite(v) else str(v))
    if array.dtype.kind == "f":
        name = "float32" if array.dtype == np.float32 else "longdouble"
        words = [np.format_float_scientific(v, unique=True) for v in array.ravel()]
        return {name: np.reshape(words, array.shape).tolist()}
    if all(isinstance(v, Fraction | int) for v in array.flat):
        return {"exact": entry_by_entry(array.tolist(), str)}
    raise ValueError(
        f"{what} is {x!r}, but JSON holds real numbers alone: give them for the symbols"
    )


def entry_by_entry(x: Any, change: Callable[[Any], Any]) -> Any:
    """Return nested lists with every entry changed."""
    return [entry_by_entry(part, change) for part in x] if isinstance(x, list) else change(x)


def decoded(data: Any, what: str) -> Array:
    """Return the array that was `encoded`; ValueError if it is none."""

    def plain(entry: Any) -> Any:
        if isinstance(entry, bool) or not (isinstance(entry, int | float) or entry in ENDLESS):
            raise ValueError(f"{BRIEF.repr(entry)} is no number")
        return ENDLESS.get(entry, entry)

    def exact(entry: Any) -> Any:
        # with an exponent, a few characters would be a number of any length
        if not re.fullmatch(r"[-+]?[0-9]+(/[0-9]+)?", entry):
            raise ValueError(f"{BRIEF.repr(entry)} is no whole number or fraction")
        number = Fraction(entry)
        return number if number.denominator > 1 or "/" in entry else int(entry)

    try:
        if not isinstance(data, dict):
            return np.array(entry_by_entry(data, plain))
        ((kind, entries),) = data.items()
        if kind == "exact":
            return np.array(entry_by_entry(entries, exact), object)[()]
        if kind not in PRECISIONS:
            raise ValueError(f"{BRIEF.repr(kind)} is no kind of number")
        return np.array(entry_by_entry(entries, np.dtype(kind).type), kind)
    except (ValueError, TypeError, OverflowError, RecursionError, ZeroDivisionError) as error:
        why = str(error)[:200]
        raise ValueError(f"{what} is {str(data)[:60]}, but must hold numbers: {why}") from None


def require_keys(data: Any, label: str, keys: set[str], optional: Iterable[str] = ()) -> None:
    """Refuse what is no object with these entries and no others."""
    if not isinstance(data, dict):
        raise ValueError(
            f"{label} is {BRIEF.repr(data)}, but must be an object with {sorted(keys)}"
        )
    lacking, more = keys - data.keys(), data.keys() - keys - {*optional}
    if lacking or more:
        wrong = (
            f"lacks {sorted(lacking)}"
            if lacking
            else f"has {BRIEF.repr(sorted(more))}, which is unknown"
        )
        raise ValueError(f"{label} {wrong}")


def link_of_json(data: Any, label: str, kinds: dict[str, type]) -> Link:
    """Return the link that JSON tells of."""
    keys = {"name", "parent", "joint", *NUMBERS, "drive", "limits"}
    require_keys(data, label, keys, ["judged"])
    label = f"{label} ({BRIEF.repr(data['name'])})"
    joint = data["joint"]
    kind: Any = kinds.get(str(joint.get("kind"))) if isinstance(joint, dict) else None
    if kind is None:
        raise ValueError(
            f"{label}: its joint is {BRIEF.repr(joint)}, but must be of kind {sorted(kinds)}"
        )
    own = parameters(kind)
    require_keys(joint, f"{label}: its joint", {"kind", "name", *own})
    values = {name: decoded(joint[name], f"{label}: {name} of its joint") for name in own}
    parts: dict[str, Any] = {}
    for part, made in (("drive", Drive), ("limits", Limits)):
        given = data[part]
        if given is not None:
            require_keys(given, f"{label}: {part}", {f.name for f in fields(made)})
            numbers = {name: decoded(x, f"{label}: {name}") for name, x in given.items()}
            parts[part] = made(**numbers)
    link = Link(
        kind(**values, name=joint["name"]),
        **{name: decoded(data[name], f"{label}: {name}") for name in NUMBERS},
        parent=data["parent"],
        name=data["name"],
        **parts,
    )
    if data.get("judged", True) not in (True, False):
        raise ValueError(
            f"{label}: judged is {BRIEF.repr(data['judged'])}, but must be true or false"
        )
    return link if data.get("judged", True) else as_published(link)


def frame_of_json(data: Any, label: str) -> Frame:
    """Return the frame that JSON tells of."""
    require_keys(data, label, {"name", "link", "offset", "rotation"})
    label = f"frame {BRIEF.repr(data['name'])}"
    return Frame(
        data["name"],
        data["link"],
        decoded(data["offset"], f"{label}: offset"),
        decoded(data["rotation"], f"{label}: rotation"),
    )


def to_urdf(
    chain: Chain, *, name: str = "chain", rotors: Literal["refuse", "skip"] = "refuse"
) -> str:
    """Return a chain as URDF, which `load_urdf` reads back to some 1e-15.

    name : of the robot; rotors : what to do with the rotors of drives, which URDF cannot hold: "refuse" the chain, or
    "skip" them and keep the friction. The ground is a link called "ground"; frames are links without mass on fixed
    joints, and `load_urdf` makes frames of them again. Links on `Fixed` joints are written as such; read back they are
    one body with their parent. Where a slide or a bounded turn lacks a limit, which URDF asks for, it is the largest
    number, 1.8e308, which `load_urdf` takes for none. ValueError, which names link, joint or frame, for what URDF
    cannot hold: joints that are not Revolute, Prismatic, Planar, Free or Fixed, bounds of free joints, another gravity
    than (0, 0, -9.81), symbols, characters that XML has not, and two joints, or links and frames, of one name.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, name="rod")])
    >>> text = to_urdf(rod)
    >>> text[text.index("<axis") : text.index("</joint>")].strip()
    '<axis xyz="0.0 1.0 0.0" />'
    """
    check_chain(chain)
    check_word(rotors, "rotors", {"refuse", "skip"})
    if not np.array_equal(as_real(chain.gravity, "gravity"), GRAVITY):
        raise ValueError(
            f"gravity is {chain.gravity.tolist()}, but URDF holds none, and load_urdf takes {list(GRAVITY)}: give a "
            "Chain with it, or write to_json"
        )
    root = ElementTree.Element("robot", name=name)
    ElementTree.SubElement(root, "link", name="ground")
    for i in range(chain.n):
        write_link(root, chain, i, rotors)
    taken = set(chain.joint_names)
    for frame, (link, offset, rotation) in chain.frame_places.items():
        ElementTree.SubElement(root, "link", name=frame)
        joint = f"{frame} (frame)"
        while joint in taken:
            joint += "'"
        taken.add(joint)
        parent = "ground" if link < 0 else chain.names[link]
        write_joint(root, joint, "fixed", parent, frame, (offset, rotation))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    try:
        ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(f"a name holds a character that XML has not: {error}") from None
    return f'<?xml version="1.0"?>\n{text}\n'


def write_link(root: ElementTree.Element, chain: Chain, i: int, rotors: str) -> None:
    """Add a link, and the joint that moves it."""
    name, label = chain.names[i], f"link {chain.names[i]!r}"
    element = ElementTree.SubElement(root, "link", name=name)
    mass, com, inertia = (
        as_real(getattr(chain, part)[i], f"{label}: {part}") for part in ("mass", "com", "inertia")
    )
    if mass or inertia.any():
        inertial = ElementTree.SubElement(element, "inertial")
        write_origin(inertial, com, np.eye(3))
        ElementTree.SubElement(inertial, "mass", value=spelt(mass))
        moments = {
            f"i{a}{b}": spelt(inertia["xyz".index(a), "xyz".index(b)])
            for a, b in ("xx", "xy", "xz", "yy", "yz", "zz")
        }
        ElementTree.SubElement(inertial, "inertia", moments)
    if rotors == "refuse" and chain.reflected_inertia[list(chain.v_columns[i])].any():
        raise ValueError(
            f"{label}: its drive has a rotor, but URDF holds none: rotors='skip' leaves it out, to_json keeps it"
        )
    joint, limits = chain.joints[i], chain.limits[i]
    places = [np.broadcast_to(as_real(x, label), joint.nq) for x in (limits.lower, limits.upper)]
    sizes = [as_real(x, label) for x in (limits.velocity, limits.effort)]
    bounded = bool(np.isfinite(places).any())
    kind = urdf_kind(joint, label, bounded=bounded)
    if kind in ("planar", "floating") and (bounded or any(np.isfinite(x).any() for x in sizes)):
        raise ValueError(f"{label}: it has limits, but URDF holds none of a {kind} joint")
    parent = "ground" if chain.parent[i] < 0 else chain.names[chain.parent[i]]
    seat = as_real(chain.offset[i], label), as_real(chain.rotation[i], label)
    element = write_joint(root, chain.joint_names[i], kind, parent, name, seat)
    if kind in ("revolute", "continuous", "prismatic", "planar"):
        axis = as_real(joint.normal if kind == "planar" else joint.axis, f"{label}: axis")
        ElementTree.SubElement(element, "axis", xyz=spelt(axis))
    write_friction(element, chain, i, label)
    if kind == "prismatic" or bounded or any(np.isfinite(x).any() for x in sizes):
        ends = [] if kind == "continuous" else zip(("lower", "upper"), places, strict=True)
        data = dict(ends) | dict(zip(("velocity", "effort"), sizes, strict=True))
        # slides and bounded turns must have all four, and readers of URDF know no word for infinity
        data = {key: np.clip(x, -sys.float_info.max, sys.float_info.max) for key, x in data.items()}
        ElementTree.SubElement(element, "limit", {key: spelt(x) for key, x in data.items()})


def urdf_kind(joint: Any, label: str, *, bounded: bool) -> str:
    """Return URDF's word for a kind of joint."""
    kinds = {Revolute: "revolute", Prismatic: "prismatic", Planar: "planar", Free: "floating"}
    kind = (kinds | {Fixed: "fixed"}).get(type(joint))
    if kind is None:
        raise ValueError(
            f"{label}: its joint is {type(joint).__name__}, but URDF holds Revolute, Prismatic, Planar, Free and "
            "Fixed: make it of hinges and slides with links without mass between, or write to_json"
        )
    return "continuous" if kind == "revolute" and not bounded else kind


def write_joint(
    root: ElementTree.Element,
    name: str,
    kind: str,
    parent: str,
    child: str,
    seat: tuple[Array, Array],
) -> ElementTree.Element:
    """Add a joint, which joins two links, and return its element."""
    element = ElementTree.SubElement(root, "joint", name=name, type=kind)
    write_origin(element, *(as_real(x, f"joint {name!r}") for x in seat))
    ElementTree.SubElement(element, "parent", link=parent)
    ElementTree.SubElement(element, "child", link=child)
    return element


def write_friction(element: ElementTree.Element, chain: Chain, i: int, label: str) -> None:
    """Add the friction of a link's joint, if it has some."""
    own = list(chain.v_columns[i])
    data = {"damping": chain.viscous[own], "friction": chain.coulomb[own]}
    data = {key: as_real(x, f"{label}: {key}") for key, x in data.items() if x.any()}
    for key, values in data.items():
        if element.get("type") == "floating" or (values != values[0]).any():
            raise ValueError(
                f"{label}: its joint has {key} {values.tolist()}, but URDF holds one number, "
                "and none of a floating joint"
            )
    if data:
        attributes = {key: spelt(values[0]) for key, values in data.items()}
        ElementTree.SubElement(element, "dynamics", attributes)


def write_origin(element: ElementTree.Element, offset: Array, rotation: Array) -> None:
    """Add a pose to an element: a place, and angles about the fixed axes x, y, z."""
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    # what is left when the turn about z is undone; that way no angle is lost where x points along z
    left = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ rotation
    pitch, roll = math.atan2(-left[2, 0], left[0, 0]), math.atan2(-left[1, 2], left[1, 1])
    angles = np.array([roll, pitch, yaw])
    ElementTree.SubElement(element, "origin", xyz=spelt(offset), rpy=spelt(angles + 0.0))


def spelt(x: Any) -> str:
    """Return numbers so that nothing is lost when they are read."""
    return " ".join(repr(float(v)) for v in np.ravel(x))
