"""What is refused of an MJCF file before MuJoCo compiles it: its parser takes more on trust than a robot needs.

It passes over entities and fills numbers that are none with others, both without an error; it makes as many copies as a
file asks for, takes as much memory, and opens every file that one names.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from chaindyn.guards.xml_text import home_of, xml_root

__all__ = ["check_mjcf", "check_numbers_of"]

MOST_COPIES = 10**5
# What takes memory by its attributes alone, which are multiplied; and what <size> may ask for of one kind.
GRIDS = {"hfield": ("nrow", "ncol"), "texture": ("width", "height")}
MOST_POINTS, MOST_OF_A_KIND = 10**8, 10**6
NAN = re.compile(r"[-+]?nan(\(\w*\))?", re.IGNORECASE)
# What MuJoCo's parser allows and XML does not: "--" in a comment, and attributes without a space between them.
COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
SQUEEZED = re.compile(rb'(=\s*"[^"]*")(?=\w)')
TRUST = "if you trust it, compile it with mujoco.MjModel.from_xml_path and give the result"
# What names a file, by element, and where the compiler says that such files lie; an asset's faces each have one.
FOLDERS = {
    "mesh": "meshdir",
    "skin": "meshdir",
    "flexcomp": "meshdir",
    "hfield": "meshdir",
    "texture": "texturedir",
}
# What MuJoCo compiles to, by kind: numbers that load_mjcf reads.
COMPILED = {
    "body": ("mass", "inertia", "pos", "quat", "ipos", "iquat", "gravcomp"),
    "jnt": ("pos", "axis", "stiffness"),
    "geom": ("pos", "quat", "size", "friction"),
    "site": ("pos", "quat"),
}
WORDS = {"body": "body", "jnt": "joint", "geom": "geom", "site": "site"}


def check_mjcf(text: bytes, path: Path | None = None) -> None:
    """Refuse an MJCF text, and what it includes, that MuJoCo should not be given.

    path : of its file; without one, files that it names are not judged. ValueError for entities, numbers that are none,
    too many copies, and files outside the package, or else outside the folder above the file's own.
    """
    folder = None if path is None else Path(os.path.abspath(path)).parent
    elements = [*with_included(root_of(text), folder)]
    for element, copies in elements:
        check_attributes(element, copies)
        check_sizes(element)
    if folder is not None:
        check_places([element for element, _ in elements], folder)


def root_of(text: bytes) -> ElementTree.Element:
    """Return the root element of an MJCF text."""
    try:
        return xml_root(SQUEEZED.sub(rb"\1 ", COMMENT.sub(b"", text)).lstrip())
    except ValueError as error:
        raise ValueError(f"not an XML file, which an MJCF is: {error}") from None


def with_included(
    root: ElementTree.Element, folder: Path | None
) -> Iterator[tuple[ElementTree.Element, float]]:
    """Yield all elements, those of included files too, each with how many copies are made of it."""
    seen: set[Path] = set()
    waiting = [(root, folder, 1.0)]
    while waiting:
        element, own, copies = waiting.pop()
        copies *= copies_of(element)
        yield element, copies
        waiting += [(part, own, copies) for part in element]
        name = element.get("file")
        if own is None or folder is None or name is None or element.tag not in ("include", "model"):
            continue
        # MuJoCo looks beside the main file; beside the including one it costs nothing to look, too
        for path in {Path(os.path.abspath(place / name)) for place in (folder, own)} - seen:
            if path.is_relative_to(home_of(folder)) and path.is_file():
                seen.add(path)
                waiting.append((included(path, name), path.parent, copies))


def included(path: Path, name: str) -> ElementTree.Element:
    """Return the root element of a file that another includes."""
    try:
        return root_of(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"in {name}, which it includes: {error}") from None


def copies_of(element: ElementTree.Element) -> float:
    """Return how many copies an element asks for, as replicate and composite do."""
    if element.tag not in ("replicate", "composite", "flexcomp"):
        return 1.0
    return math.prod(max(abs(n), 1.0) for n in numbers_of(element.get("count", "1")))


def numbers_of(text: str) -> list[float]:
    """Return the numbers of a text, none if it has other words."""
    try:
        return [number_of(word) for word in text.split()]
    except (ValueError, OverflowError):
        return []


def number_of(word: str) -> float:
    """Return a number as C reads it, which MuJoCo's parser leaves it to: 0x10 is one, and nan(1) is none."""
    if NAN.fullmatch(word):
        return math.nan
    return float.fromhex(word) if "x" in word.lower() else float(word)


def label_of(element: ElementTree.Element) -> str:
    """Return what to call an element."""
    return f"<{element.tag}>" + (f" {element.get('name')!r}" if element.get("name") else "")


def check_attributes(element: ElementTree.Element, copies: float) -> None:
    """Refuse NaN, which MuJoCo takes for "not given", and copies without end."""
    label = label_of(element)
    for attribute, text in element.attrib.items():
        if attribute != "name" and any(math.isnan(n) for n in numbers_of(text)):
            raise ValueError(f"{label} has {attribute} = {text!r}, but must have finite numbers")
    if not copies <= MOST_COPIES:
        raise ValueError(f"{label} makes {copies:.0f} copies; {MOST_COPIES} are the most; {TRUST}")


def check_sizes(element: ElementTree.Element) -> None:
    """Refuse what takes more memory than a robot needs by a number alone."""
    label, most, asked = label_of(element), MOST_POINTS, dict[str, float]()
    if element.tag in GRIDS:
        sides = GRIDS[element.tag]
        asked[" x ".join(sides)] = math.prod(
            max(numbers_of(element.get(side, "0")), default=0) for side in sides
        )
    elif element.tag == "size":
        most, kinds = MOST_OF_A_KIND, [key for key in element.attrib if key.startswith("n")]
        asked |= {key: max(numbers_of(element.attrib[key]), default=0) for key in kinds}
    for key, n in asked.items():
        if n > most:
            raise ValueError(f"{label} has {key} = {n:.0f}; {most} are the most; {TRUST}")


def check_places(elements: list[ElementTree.Element], folder: Path) -> None:
    """Refuse files outside the folder in which a robot's files lie."""
    home, dirs, bare = home_of(folder), {"meshdir": "", "texturedir": ""}, False
    for element in elements:
        if element.tag == "compiler":
            bare |= element.get("strippath") == "true"
            for key in dirs:
                dirs[key] = element.get(key, element.get("assetdir", dirs[key]))
    for element in elements:
        named = [
            text for key, text in element.attrib.items() if key.startswith("file") and text.strip()
        ]
        for name in named:
            short = re.split(r"[/\\]", name)[-1] if bare and element.tag in FOLDERS else name
            place = folder / dirs.get(FOLDERS.get(element.tag, ""), "") / short
            if not Path(os.path.abspath(place)).is_relative_to(home):
                raise ValueError(
                    f"{label_of(element)} names the file {name!r}, which lies outside {home}: {TRUST}"
                )


def check_numbers_of(model: Any) -> None:
    """Refuse a compiled model with numbers that are not finite, by the name of what has them."""
    for kind, attributes in COMPILED.items():
        for attribute in attributes:
            rows = getattr(model, f"{kind}_{attribute}")
            bad = ~np.isfinite(rows.reshape(len(rows), -1)).all(-1) if len(rows) else []
            for i in np.flatnonzero(bad):
                name = getattr(model, kind)(int(i)).name or f"{kind}{i}"
                raise ValueError(
                    f"{WORDS[kind]} {name!r}: {attribute} is {rows[i]}, but must be finite"
                )
