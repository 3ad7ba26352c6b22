"""The lines of a page's function behind the marks that it yields: which name they gave to which numbers.

A recording knows what was done, but not what the page calls it. While the function waits at a mark, its variables are
looked at, and its source says which line gave each of them its value.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from chaindyn.compiler.recording import Number
from chaindyn.widgets.marks import Mark

MOST_ENTRIES = 100  # of a variable: nobody reads more
WRITTEN_IN = re.compile(r"# Generated from chapters/(.+)\.md")


@dataclass(frozen=True)
class Line:
    """What a line of the page calls some numbers.

    text : the line, "" if its source is not at hand; laws : (name, chapter) of the functions of the book in it.
    """

    name: str
    numbers: np.ndarray
    text: str
    laws: tuple[tuple[str, str], ...]


@dataclass
class Noted:
    """Marks; of each how many lines had been read before it, and what in the page its number is; and the lines."""

    marks: list[Mark] = field(default_factory=list)
    before: list[tuple[int, str]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


def noted(draw: Callable[..., Iterable[Mark]], arguments: Mapping[str, Any]) -> Noted:
    """Return the marks that `draw` makes of recorded arguments, with its lines, if it yields them one by one."""
    found, drawing = Noted(), draw(**arguments)
    held = {name: parts_of(value) for name, value in arguments.items()}
    source: Source | None = None
    for mark in drawing:
        text, frame = "", getattr(drawing, "gi_frame", None)
        if frame is not None:
            source = Source(frame) if source is None else source
            found.lines += new_lines(frame, held, source)
            text = source.yielded(frame.f_lineno)
        found.marks.append(mark)
        found.before.append((len(found.lines), text))
    return found


def new_lines(
    frame: FrameType, held: dict[str, list[Number] | None], source: Source
) -> Iterator[Line]:
    """Yield the variables of a frame that hold other recorded numbers than before, and remember them in `held`."""
    for name, value in frame.f_locals.items():
        parts, before = parts_of(value), held.get(name)
        if parts is None or (
            before and len(parts) == len(before) and all(map(same, parts, before))
        ):
            continue
        held[name] = parts
        yield Line(name, np.array(value, object), *source.assigned(name, frame.f_lineno))


def same(one: Any, other: Any) -> bool:
    """Whether two entries are one; recorded ones, which cannot be compared, are if they are the same thing."""
    if isinstance(one, Number) or isinstance(other, Number):
        return one is other
    return bool(one == other)


def parts_of(value: Any) -> list[Number] | None:
    """Return the entries of a number or an array, None if none of them is recorded, or nobody would read them all."""
    if isinstance(value, Number):
        return [value]
    if not isinstance(value, np.ndarray | list | tuple) or not is_regular(value):
        return None
    parts = list(np.array(value, object).flat)
    if len(parts) > MOST_ENTRIES:
        return None
    return parts if any(isinstance(x, Number) for x in parts) else None


def is_regular(value: Any) -> bool:
    """Whether the entries of a list are numbers, or arrays of one shape; an array's are."""
    if isinstance(value, np.ndarray):
        regular: bool = value.dtype == object
        return regular
    if not all(isinstance(x, Number | float | int | np.ndarray) for x in value):
        return False
    return len({np.shape(x) if isinstance(x, np.ndarray) else () for x in value}) == 1


class Source:
    """The text of a running function; where it is not at hand, all its lines are empty."""

    def __init__(self, frame: FrameType) -> None:
        self.names = frame.f_globals
        try:
            rows, first = inspect.getsourcelines(frame.f_code)
            text = inspect.cleandoc("\n" + "".join(rows))
            self.tree: ast.Module | None = ast.parse(text)
        except (OSError, SyntaxError, TypeError):
            self.tree, text, first = None, "", 1
        self.text, self.shift = text, max(first, 1) - 1

    def nodes(self, *kinds: type) -> list[Any]:
        """Return the statements of these kinds, as they stand."""
        walked = [] if self.tree is None else ast.walk(self.tree)
        return sorted((x for x in walked if isinstance(x, kinds)), key=lambda x: x.lineno)

    def written(self, node: ast.AST) -> str:
        """Return a piece of the text on one line."""
        return re.sub(r"\s*\n\s*", " ", ast.get_source_segment(self.text, node) or "")

    def assigned(self, name: str, now: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Return the last line before this one that gives a name its value, and the laws in it."""
        makers = [x for x in self.nodes(ast.Assign, ast.AugAssign, ast.For) if gives(x, name)]
        above = [x for x in makers if x.lineno + self.shift <= now] or makers
        if not above:
            return "", ()
        if not isinstance(node := above[-1], ast.For):
            return self.written(node), self.laws(node)
        head = f"for {self.written(node.target)} in {self.written(node.iter)}"
        return head, self.laws(node.iter)

    def yielded(self, now: int) -> str:
        """Return what the mark that is yielded on this line makes its number of, if the line says so."""
        for node in self.nodes(ast.Yield):
            call, here = node.value, node.lineno + self.shift <= now <= node.end_lineno + self.shift
            if here and isinstance(call, ast.Call) and len(call.args) > 1:
                return self.written(call.args[1])
        return ""

    def laws(self, node: ast.AST) -> tuple[tuple[str, str], ...]:
        """Return the functions of the book in a piece of the text, each with the chapter that derives it."""
        names = dict.fromkeys(x.id for x in ast.walk(node) if isinstance(x, ast.Name))
        chapters = {name: chapter_of(self.names.get(name)) for name in names}
        return tuple((name, chapter) for name, chapter in chapters.items() if chapter)


def line_of(law: Callable[..., Any], name: str) -> str:
    """Return the line of a function of the book that gives a name its value, or of "return" what it returns.

    LookupError if there is none; "" where the source is not at hand.
    """
    try:
        text = textwrap.dedent(inspect.getsource(inspect.unwrap(law)))
    except (OSError, TypeError):
        return ""
    for node in ast.walk(ast.parse(text)):
        returns = isinstance(node, ast.Return) and name == "return"
        if returns or (isinstance(node, ast.Assign) and gives(node, name)):
            return re.sub(r"\s*\n\s*", " ", ast.get_source_segment(text, node) or "")
    raise LookupError(f"{law.__name__} gives no {name}")


def gives(node: Any, name: str) -> bool:
    """Whether a statement gives a name its value."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(x, ast.Name) and x.id == name for t in targets for x in ast.walk(t))


def chapter_of(law: Any) -> str:
    """Return the chapter's page from which a function was exported, "" if it is none of the book's."""
    module = sys.modules.get(getattr(law, "__module__", None) or "")
    if not callable(law) or module is None or not module.__name__.startswith("chaindyn."):
        return ""
    try:
        found = WRITTEN_IN.match(inspect.getsource(module))
    except (OSError, TypeError):
        return ""
    return found[1] if found else ""
