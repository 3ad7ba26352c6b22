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

from book.assignments import write_assignments
from book.classroom import PLANS, weeks_of
from book.edited import SHOWN, notebook_of, page_of
from book.numbering import texts
from book.pages import ROOT, BookError, chapters, data_of, pages
from book.plain import plain_notebook
from book.slides import write_slides
from book.twins import as_twin_of

EDITIONS = ("student", "solutions", "instructor", "slides", "assignments")


def write(edition: str, out: Path, some: list[Path] | None = None) -> list[Path]:
    """Write an edition's chapters into a folder, and what their cells read; return the pages that were written."""
    if edition == "slides":
        return write_slides(out, some or chapters())
    if edition == "assignments":
        return write_assignments(out, some or chapters())
    out.mkdir(parents=True, exist_ok=True)
    written = list[Path]()
    for page in some or chapters():
        target = out / page.name
        target.write_text(page_of(page, edition), encoding="utf-8")
        made = plain_notebook(notebook_of(page, edition), texts(), page.parent)
        nbformat.validate(made)
        target.with_suffix(".ipynb").write_text(nbformat.writes(made) + "\n", encoding="utf-8")
        for file in data_of(page):
            shutil.copy(file, out)
        written.append(target)
    return written


def write_project(edition: str, out: Path, repository: str = "") -> Path:
    """Write the whole book as an edition: ``python -m book site``, ``pdf`` and ``test`` there build and check it.

    Site, search index, lab and PDF are then made from sources that have no solution, so none can have one. The
    library's tests stay behind, some of which have answers; so do the workflows that release it. Without an address of
    the edition's own repository a student's pages have no buttons that open notebooks of the published book.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    ours = {page.relative_to(ROOT) for page in pages()}
    ours |= {page.with_suffix(".ipynb") for page in ours}
    for name in map(Path, filter(None, listed.split("\0"))):
        if name in ours or not (ROOT / name).is_file() or _stays_behind(name):
            continue
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, out / name)
    for page in pages():
        target = out / page.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page_of(page, edition), encoding="utf-8")
        made = as_twin_of(page, notebook_of(page, edition))
        nbformat.write(made, target.with_suffix(".ipynb"))
    settings = (out / "_config.yml").read_text(encoding="utf-8")
    (out / "_config.yml").write_text(_settings(settings, edition, repository), encoding="utf-8")
    return out


def _stays_behind(name: Path) -> bool:
    workflow = name.parts[:2] == (".github", "workflows") and name.name != "publish.yml"
    return workflow or name.parts[0] == "tests"


def _settings(settings: str, edition: str, repository: str) -> str:
    """The settings of the site for an edition that is kept at some address."""
    if edition == "instructor":
        settings = settings.replace("\n  config:\n", f"\n  config:\n    {SHOWN}: true\n", 1)
    if repository:
        settings = re.sub(r"(?m)^(repository:\n  url: ).*", rf"\g<1>{repository}", settings)
    elif edition == "student":
        settings = re.sub(r"(?m)^launch_buttons:\n(?:  .*\n)+", "", settings)
        settings = re.sub(r"(?m)^  (use_\w+_button): true$", r"  \1: false", settings)
    return settings


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m book edition")
    parser.add_argument("edition", choices=EDITIONS)
    parser.add_argument("--out", type=Path, required=True, help="an empty or new folder")
    parser.add_argument(
        "--project", action="store_true",
        help="write the whole book, of which `python -m book site` and `pdf` make site, lab and PDF",
    )  # fmt: skip
    parser.add_argument(
        "--repository", default="", metavar="URL", help="where the project will be kept: buttons open it there"
    )  # fmt: skip
    parser.add_argument(
        "--plan",
        choices=PLANS,
        help="assignments: what a plan has handed in, by week, and not by chapter",
    )
    arguments = parser.parse_args(argv)
    out = arguments.out.absolute()
    if out.is_dir() and any(out.iterdir()):
        raise BookError(f"{out} is not empty: name a new folder")
    if arguments.repository and not arguments.project:
        raise BookError("only a project has a repository: add --project")
    if arguments.project and arguments.edition in ("slides", "assignments"):
        raise BookError(f"{arguments.edition} have files of their own: leave --project out")
    if arguments.plan and arguments.edition != "assignments":
        raise BookError("only assignments follow a plan")
    if arguments.plan:
        written = write_assignments(out, chapters(), weeks_of(arguments.plan))
        print(f"edition: {len(written)} notebooks by week in {out}")
    elif arguments.project:
        write_project(arguments.edition, out, arguments.repository)
        print(f"edition: {out}; for its site: cd {out} && python -m book site")
    else:
        print(f"edition: {len(write(arguments.edition, out))} chapters in {out}")
    return 0
