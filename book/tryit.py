"""The cells that a reader can run on the page: which they are, and what is kept above each of them.

An exercise has one, whose check runs behind it, or empty where there is no check; so has a cell tagged ``try``, and
one that exports what an explorer of its page records (`followed`): there, the explorer follows what the reader makes.
What a cell needs from above is found by its names, in the browser, by `book.judging.given_for`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from nbformat import NotebookNode

from book.exercises import exercises
from book.pages import PACKAGE, ROOT, chapter_of, chapters, code_cells, data_of, read_page, tags

_START = re.compile(r"^`{3,}\{exercise-start\}.*\n(?:.*\n)*?:label:[ ]*(\S+)", re.MULTILINE)
_JUDGE = re.compile(r"^def judge_", re.MULTILINE)
_WIDGET = re.compile(rf"from {PACKAGE}\.widgets import (?:\(([^)]*)\)|(.*))")


@dataclass(frozen=True)
class Try:
    """A cell that runs on its page.

    name : by which the reader's work is kept; title : what it is called; source : what stands in it; above : how many
    cells of code stand above it; cell : its own place among them, None where it is new.
    """

    name: str
    title: str
    source: str
    above: int
    cell: int | None = None

    @property
    def parts(self) -> tuple[str, str]:
        """What the reader is given to write in, and an exercise's check, which runs behind it."""
        start = _JUDGE.search(self.source)
        if start is None:
            return self.source, ""
        return self.source[: start.start()].rstrip(), self.source[start.start() :]


@cache
def _read(page: Path) -> NotebookNode:
    return read_page(page)


@cache
def tries(page: Path) -> list[Try]:
    """The cells of a chapter that run on its page, in order."""
    of_exercise = {one.label: one for one in exercises(page)}
    recorded = set(followed(explorers(page)))
    found, code, label = list[Try](), 0, None
    for cell in _read(page).cells:
        if cell.cell_type == "markdown":
            for label in _START.findall(cell.source):
                one = of_exercise[label]
                if not one.checked:
                    found.append(Try(label, f"Exercise {one.chapter}.{one.number}", "", code))
        else:
            own = of_exercise.get(label or "")
            if own and cell.source in own.checks and "attempt(" in cell.source:
                title = f"Exercise {own.chapter}.{own.number}"
                found.append(Try(own.label, title, cell.source, code, code))
            elif chosen := [name for name in exported(cell) if name in recorded]:
                found.append(Try(chosen[0], chosen[0], cell.source, code, code))
            elif "try" in tags(cell):
                found.append(Try(f"cell-{code}", "this cell", cell.source, code, code))
            code += 1
    return found


def exported(cell: NotebookNode) -> Iterator[str]:
    """The functions that a cell exports."""
    if "export" in tags(cell):
        for node in ast.parse(cell.source).body:
            if isinstance(node, ast.FunctionDef):
                yield node.name


def page_data(page: Path) -> dict[str, Any]:
    """What the browser needs to run cells of a page: their sources, and the files that they read."""
    code = [cell.source for cell in code_cells(_read(page))]
    defined = _defined(code)
    return {
        "cells": code,
        "tries": {
            one.name: {"source": own, "check": check, "above": one.above}
            for one in tries(page)
            for own, check in [one.parts]
        },
        "files": [file.relative_to(ROOT).as_posix() for file in data_of(page)],
        "followed": {
            name: own for name, own in followed(explorers(page)).items() if name in defined
        },
    }


def _defined(cells: list[str]) -> set[str]:
    """The functions and classes that some cells define."""
    nodes = [node for cell in cells for node in ast.parse(cell).body]
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}


# Explorers that follow ----------------------------------------------------------------------------


@cache
def explorers(page: Path) -> frozenset[str]:
    """The explorers that the cells of a page show, by the names of their classes."""
    text = "\n".join(cell.source for cell in code_cells(_read(page)))
    lists = [inside or line for inside, line in _WIDGET.findall(text)]
    return frozenset(name.strip() for names in lists for name in names.split(",") if name.strip())


def followed(names: frozenset[str]) -> dict[str, list[str]]:
    """What some explorers compute of the book: functions of the chapters, each with what is recorded of it."""
    own = {one for name in names for one in _emitted_for(name)}
    found = dict[str, list[str]]()
    for name in sorted(own):
        for function in _called(name):
            found.setdefault(function, []).append(name)
    return found


@cache
def _emitted_for(explorer: str) -> frozenset[str]:
    """The recorded functions that an explorer's view holds."""
    import chaindyn.widgets as widgets

    view = str(getattr(getattr(widgets, explorer, None), "_esm", ""))
    of_chains = re.findall(r"(?m)^const ([A-Z_]+)=\{keep:", view)
    return frozenset([name.lower() for name in of_chains] + re.findall(r'inForce\("(\w+)"', view))


def _modules(page: Path) -> Iterable[str]:
    """The modules that a chapter exports to."""
    return chapter_of(page).get("modules") or ()


@cache
def _called(name: str) -> frozenset[str]:
    """The chapters' functions that are called while one is recorded."""
    from chaindyn.widgets.physics import FUNCTIONS, emitted_other, recorded, template

    called, making = set[str](), False
    homes = {f"{PACKAGE}.{name}" for page in chapters() for name in _modules(page)}

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal making
        if frame.f_code is template.__code__:  # what makes a chain is no part of the function
            making = event == "call"
        elif event == "call" and not making and frame.f_globals.get("__name__", "") in homes:
            called.add(frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        recorded(FUNCTIONS[name]) if name in FUNCTIONS else emitted_other(name)
    finally:
        sys.setprofile(before)
    return frozenset(called)
