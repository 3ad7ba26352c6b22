"""Where the book's pages are and how they are read."""

from __future__ import annotations

import re
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import jupytext
import yaml
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "chaindyn"
DATA = {".csv", ".json", ".npz", ".urdf", ".xml"}

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_OPTION = re.compile(r":([\w-]+):[ ]*(.*)")
_HEADING = re.compile(r"^#{1,6}\s+(.*\S)")
_ROLE = re.compile(r"\{[\w:-]+\}`([^`<]*)(?:<[^`]*>)?`")


class BookError(Exception):
    """Something an author can put right: the message says what and where."""


def front_matter(page: Path) -> dict[str, Any]:
    """The YAML between the ``---`` lines that open a page; {} where there is none."""
    text = page.read_text(encoding="utf-8")
    match = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    if match is None:
        return {}
    try:
        return deepcopy(_loaded(match[1])) or {}
    except yaml.YAMLError as error:
        raise BookError(f"{page}: the front matter is not YAML: {error}") from None


_loaded = lru_cache(200)(yaml.safe_load)


def pages(root: Path = ROOT) -> list[Path]:
    """The MyST notebooks of the book: pages in book/ and chapters/ whose front matter has a kernel."""
    candidates = [*sorted((root / "book").glob("*.md")), *sorted((root / "chapters").glob("*.md"))]
    return [page for page in candidates if {"jupytext", "kernelspec"} <= front_matter(page).keys()]


def pages_in_order(root: Path = ROOT) -> list[str]:
    """The names of all pages that the table of contents lists, each before those under it."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    listed = [entry for part in toc["parts"] for entry in part["chapters"]]
    under = [[entry, *entry.get("sections", [])] for entry in listed]
    return [toc["root"], *(entry["file"] for entries in under for entry in entries)]


def data_of(page: Path) -> list[Path]:
    """What a page's cells read: files beside it named like it, or with an underscore and more behind its name."""
    files = [file for file in sorted(page.parent.iterdir()) if file.suffix in DATA]
    return [file for file in files if f"{file.stem}_".startswith(f"{page.stem}_")]


def chapters(root: Path = ROOT) -> list[Path]:
    """The pages in chapters/, in order."""
    return [page for page in pages(root) if page.parent.name == "chapters"]


def is_appendix(page: Path) -> bool:
    """Whether a chapter is an appendix, for those who want it: it may go without exercises and summary."""
    return bool(front_matter(page).get(PACKAGE, {}).get("appendix"))


def main_chapters(root: Path = ROOT) -> list[Path]:
    """The chapters that are no appendices, in order."""
    return [page for page in chapters(root) if not is_appendix(page)]


def read_page(page: Path) -> NotebookNode:
    """A page as a notebook, without outputs."""
    try:
        return notebook_from(page.read_text(encoding="utf-8"))
    except Exception as error:  # jupytext lets through what its many readers raise
        raise BookError(f"{page}: not a MyST notebook: {error}") from error


def chapter_of(page: Path) -> dict[str, Any]:
    """What a chapter's front matter says of it: number, title, needs, modules."""
    said: dict[str, Any] = front_matter(page)[PACKAGE]
    return said


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells of code, in order."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def number_cells(notebook: NotebookNode, word: str = "cell") -> None:
    """Name the cells by their order, so that the same page gives the same notebook."""
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"{word}-{number}"


def options(text: str) -> dict[str, str]:
    """The options of a directive, which are written ``:name: value``."""
    return {match[1]: match[2].strip() for match in _OPTION.finditer(text)}


def notebook_from(text: str) -> NotebookNode:
    """The source of a page as a notebook, without outputs; each caller gets one of its own."""
    return deepcopy(_parsed(text))


@lru_cache(200)
def _parsed(text: str) -> NotebookNode:
    return jupytext.reads(text, fmt="md:myst")  # a fifth of a second for a chapter


def tags(cell: NotebookNode) -> list[str]:
    """The tags of a cell."""
    return list(cell.metadata.get("tags", []))


def last_heading(markdown: str, before: str = "") -> str:
    """The text of the last heading in some Markdown, or ``before`` where there is none."""
    fence = ""
    for line in markdown.splitlines():
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = ""
        elif not fence and (heading := _HEADING.match(line)):
            before = " ".join(_ROLE.sub(r"\1", heading[1]).split())
    return before
