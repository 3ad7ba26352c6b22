"""Files of XML texts, taken from whoever wrote them, and where the files that they name may lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

__all__ = ["home_of", "require_file", "xml_root"]


def require_file(path: Path, argument: str, kind: str) -> None:
    """Refuse what names no file: a folder, nothing, or the text that should be in one."""
    try:
        there, folder = path.is_file(), path.is_dir()
    except OSError:  # too long for a name
        there = folder = False
    if there:
        return
    told = str(path).lstrip()
    if told.startswith("<"):
        raise ValueError(
            f"{argument} is {told[:40]!r}..., a text, but must name {kind}: write the text to a file"
        )
    what = "this is a folder" if folder else "there is no such file"
    raise FileNotFoundError(f"{path}: {what}, but {argument} must name {kind}")


def xml_root(text: bytes) -> ElementTree.Element:
    """Return the root element of an XML text; prefixes stay in names, so that one may be undeclared, as many are.

    ValueError if it is none, or declares an entity.
    """
    builder, parser = ElementTree.TreeBuilder(), expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse_entity
    try:
        parser.Parse(text, True)
    except (expat.ExpatError, LookupError) as error:  # the latter: its encoding
        raise ValueError(str(error)) from None
    return builder.close()


def refuse_entity(name: str, *_: Any) -> None:
    """Refuse an entity that a file declares: it may stand for another file, or for more than memory holds."""
    raise ValueError(f"it declares the entity {name!r}: write out what it stands for")


def home_of(folder: Path) -> Path:
    """Return where a robot's files lie: in its package, for ROS, git or Python, or else in the folder above its own."""
    above = [folder, *folder.parents]
    for place in above:
        if (place / "package.xml").is_file() or (place / ".git").exists():
            return place
    python = [place for place in above if (place / "__init__.py").is_file()]
    return python[-1] if python else folder.parent
