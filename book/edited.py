"""What a chapter is in an edition: without solutions for students, with notes for teachers (see book/editions.py).

A note to the teacher is an admonition of class ``teacher``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from book.lecture import lecture_of, with_notes
from book.pages import BookError, code_cells, notebook_from, number_cells, tags
from book.practice import without_solutions

SHOWN = "chaindyn_teacher_notes"  # the site's setting: see book/extensions/teacher.py

_FENCE = re.compile(r"^(`{3,}|:{3,})(?:\{([\w-]+)\})?")
_DRILL = re.compile(r"`{3,}\{drill\}[ ]*(\S+)")
_TEACHER = re.compile(r"(?:^:[\w-]+:.*\n)*?:class:.*\bteacher\b")


def edited(
    source: str, edition: str, name: str = "page", instead: Mapping[str, list[str]] | None = None
) -> str:
    """Return the MyST source of a page as an edition has it. BookError if a solution or a note does not end.

    Where a solution is taken out, lines stand `instead` of each drill in it, by its label.
    """
    lines, kept = source.split("\n"), list[str]()
    while lines:
        fence = _FENCE.match(lines[0])
        kind = fence[2] if fence else None
        if kind == "solution-start" and edition in ("student", "slides"):
            drills = _skip_solution(lines, name)
            kept += [line for label in drills for line in (instead or {}).get(label, [])]
        elif kind and edition != "instructor" and _TEACHER.match("\n".join(lines[1:6])):
            _take_block(lines, name)
        elif fence:  # what stands inside a block is left alone: it may show how to write a solution
            kept += _take_block(lines, name)
        else:
            kept.append(lines.pop(0))
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(kept))


def _take_block(lines: list[str], name: str) -> list[str]:
    """Take a fenced block off the lines and return it."""
    fence, taken = _FENCE.match(lines[0]), [lines.pop(0)]
    assert fence
    while lines:
        taken.append(lines.pop(0))
        if taken[-1].rstrip() == fence[1]:
            return taken
    raise BookError(f"{name}: the block that begins with {taken[0]!r} does not end")


def _skip_solution(lines: list[str], name: str) -> list[str]:
    """Take a solution off the lines, to the directive that ends it, and return the labels of its drills."""
    first, drills = lines[0], list[str]()
    while lines:
        fence = _FENCE.match(lines[0])
        if fence is None:
            lines.pop(0)
        elif (block := _take_block(lines, name))[0].startswith(f"{fence[1]}{{solution-end}}"):
            return drills
        elif drill := _DRILL.match(block[0]):
            drills.append(drill[1])
        elif block[0] != first and "{solution-start}" in block[0]:
            break
    raise BookError(f"{name}: {first} is not followed by its {{solution-end}}")


def page_of(page: Path, edition: str) -> str:
    """The source of a chapter in an edition."""
    source = page.read_text(encoding="utf-8")
    if edition == "instructor":
        source = with_notes(source, lecture_of(page))
    return edited(
        source, edition, page.name, without_solutions(page) if edition == "student" else {}
    )


def notebook_of(page: Path, edition: str) -> NotebookNode:
    """A chapter in an edition as a notebook of MyST, with the outputs of cells that the committed notebook has."""
    notebook = notebook_from(page_of(page, edition))
    if edition == "student":  # a cell of a solution may stand outside it
        notebook.cells = [cell for cell in notebook.cells if "solution" not in tags(cell)]
    number_cells(notebook)
    twin = page.with_suffix(".ipynb")
    if twin.is_file():
        _with_outputs(notebook, nbformat.read(twin, as_version=4))
    return notebook


def without_notes(notebook: NotebookNode) -> None:
    """Take the notes to the teacher out of a notebook."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = edited(cell.source, "solutions", "notebook")


def _with_outputs(notebook: NotebookNode, executed: NotebookNode) -> None:
    """Give each code cell the outputs of the executed cell of the same source; both have them in the same order."""
    done = code_cells(executed)
    for cell in code_cells(notebook):
        if one := next((one for one in done if one.source == cell.source), None):
            cell.outputs, cell.execution_count = one.outputs, one.execution_count
            done.remove(one)
