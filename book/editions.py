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
import shutil
import subprocess
from pathlib import Path

import nbformat

from book.assignments import write_assignments
from book.edited import SHOWN, notebook_of, page_of
from book.numbering import texts
from book.pages import ROOT, BookError, chapters, data_of
from book.plain import plain_notebook
from book.slides import write_slides

EDITIONS = ("student", "solutions", "instructor", "slides", "assignments")


def write(edition: str, out: Path, pages: list[Path] | None = None) -> list[Path]:
    """Write an edition's chapters into a folder, and what their cells read; return the pages that were written."""
    if edition == "slides":
        return write_slides(out, pages or chapters())
    if edition == "assignments":
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
