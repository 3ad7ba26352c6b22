"""``python -m book edition student|solutions|instructor|slides|assignments --out FOLDER``: editions from one source.

=============  ==========================================================================
student        the chapters without a solution; what judges an attempt stays
solutions      the chapters as they are on the site
instructor     the chapters with the notes to the teacher, which no other edition has
slides         a reveal.js page for each chapter (book/slides.py)
assignments    the exercises as a course of nbgrader (book/assignments.py)
=============  ==========================================================================

Of the first three, each chapter comes as a page (.md) and as a notebook in plain Markdown (.ipynb) with the outputs
that the committed notebook has. A note to the teacher is an admonition of class ``teacher``.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from book.numbering import texts
from book.pages import ROOT, BookError, chapters, data_of, notebook_from, tags
from book.plain import plain_notebook

EDITIONS = ("student", "solutions", "instructor", "slides", "assignments")

SHOWN = "chaindyn_teacher_notes"  # the site's setting: see book/extensions/teacher.py

_FENCE = re.compile(r"^(`{3,}|:{3,})(?:\{([\w-]+)\})?")
_TEACHER = re.compile(r"(?:^:[\w-]+:.*\n)*?:class:.*\bteacher\b")


def edited(source: str, edition: str, name: str = "page") -> str:
    """Return the MyST source of a page as an edition has it. BookError if a solution or a note does not end."""
    lines, kept = source.split("\n"), list[str]()
    while lines:
        fence = _FENCE.match(lines[0])
        kind = fence[2] if fence else None
        if kind == "solution-start" and edition in ("student", "slides"):
            _skip_solution(lines, name)
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


def _skip_solution(lines: list[str], name: str) -> None:
    """Take a solution off the lines, from the directive that starts it to the one that ends it."""
    first = lines[0]
    while lines:
        fence = _FENCE.match(lines[0])
        if fence is None:
            lines.pop(0)
        elif (block := _take_block(lines, name))[0].startswith(f"{fence[1]}{{solution-end}}"):
            return
        elif block[0] != first and "{solution-start}" in block[0]:
            break
    raise BookError(f"{name}: {first} is not followed by its {{solution-end}}")


def page_of(page: Path, edition: str) -> str:
    """The source of a chapter in an edition."""
    return edited(page.read_text(encoding="utf-8"), edition, page.name)


def notebook_of(page: Path, edition: str) -> NotebookNode:
    """A chapter in an edition as a notebook of MyST, with the outputs of cells that the committed notebook has."""
    notebook = notebook_from(page_of(page, edition))
    if edition == "student":  # a cell of a solution may stand outside it
        notebook.cells = [cell for cell in notebook.cells if "solution" not in tags(cell)]
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"  # the same page gives the same notebook
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
    done = [cell for cell in executed.cells if cell.cell_type == "code"]
    for cell in notebook.cells:
        same = (one for one in done if one.source == cell.source)
        if cell.cell_type == "code" and (one := next(same, None)):
            cell.outputs = one.outputs
            done.remove(one)


def write(edition: str, out: Path, pages: list[Path] | None = None) -> list[Path]:
    """Write an edition's chapters into a folder, and what their cells read; return the pages that were written."""
    if edition == "slides":
        from book.slides import write_slides

        return write_slides(out, pages or chapters())
    if edition == "assignments":
        from book.assignments import write_assignments

        return write_assignments(out, pages or chapters())
    out.mkdir(parents=True, exist_ok=True)
    written = list[Path]()
    for page in pages or chapters():
        target = out / page.name
        target.write_text(page_of(page, edition), encoding="utf-8")
        made = plain_notebook(notebook_of(page, edition), texts(), page.parent)
        nbformat.validate(made)
        target.with_suffix(".ipynb").write_text(nbformat.writes(made) + "\n", encoding="utf-8")
        for file in data_of(page):
            shutil.copy(file, out)
        written.append(target)
    return written


def write_project(edition: str, out: Path) -> Path:
    """Write the whole book as an edition, so that ``python -m book site`` and ``pdf`` there build it.

    Site, search index, lab and PDF are then made from sources that have no solution, so none can have one.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    ours = {page.relative_to(ROOT) for page in chapters()}
    ours |= {page.with_suffix(".ipynb") for page in ours}
    for name in map(Path, filter(None, listed.split("\0"))):
        if name in ours or not (ROOT / name).is_file():
            continue
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, out / name)
    for page in chapters():
        target = out / page.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page_of(page, edition), encoding="utf-8")
        nbformat.write(notebook_of(page, edition), target.with_suffix(".ipynb"))
    if edition == "instructor":
        settings = (out / "_config.yml").read_text(encoding="utf-8")
        shown = settings.replace("\n  config:\n", f"\n  config:\n    {SHOWN}: true\n", 1)
        (out / "_config.yml").write_text(shown, encoding="utf-8")
    return out


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m book edition")
    parser.add_argument("edition", choices=EDITIONS)
    parser.add_argument("--out", type=Path, required=True, help="an empty or new folder")
    parser.add_argument(
        "--project", action="store_true",
        help="write the whole book, of which `python -m book site` and `pdf` make site, lab and PDF",
    )  # fmt: skip
    arguments = parser.parse_args(argv)
    out = arguments.out.absolute()
    if out.is_dir() and any(out.iterdir()):
        raise BookError(f"{out} is not empty: name a new folder")
    if arguments.project and arguments.edition in ("slides", "assignments"):
        raise BookError(f"{arguments.edition} have files of their own: leave --project out")
    if arguments.project:
        write_project(arguments.edition, out)
        print(f"edition: {out}; for its site: cd {out} && python -m book site")
    else:
        print(f"edition: {len(write(arguments.edition, out))} chapters in {out}")
    return 0
