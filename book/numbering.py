"""What cross-references say ("(4.2)", "Fig. 3.1", "Kim [2012]"), counted from the sources without building the site.

Whole pages are counted, solutions included, so that an equation has the same number in every edition of a chapter.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from pybtex.database import parse_file

from book.pages import ROOT, chapter_of, chapters, last_heading, options, read_page

_MARK = re.compile(
    r"^\$\$[ ]*\((?P<eq>[\w-]+)\)"
    r"|^[`:]{3,}\{(?P<name>math|figure|list-table|table|exercise-start|exercise)\}[ ]*(?P<title>.*)"
    r"(?P<options>(?:\n:[\w-]+:.*)*)"
    r"|^\((?P<target>[\w-]+)\)=\n+(?P<heading>#{1,6} .*)",
    re.MULTILINE,
)
_COUNTED = {"figure": "Fig.", "list-table": "Table", "table": "Table"}


@cache
def texts(root: Path = ROOT) -> dict[str, str]:
    """What references to the chapters and to the literature say, by domain, role and target."""
    found = _citations(root / "book" / "references.bib")
    for page in chapters(root):
        found |= _of_page(page)
    return found


def _of_page(page: Path) -> dict[str, str]:
    chapter = chapter_of(page)["chapter"]
    found = {f"std:doc:{path}{page.stem}": _title(page) for path in ("", "../chapters/")}
    counts = dict.fromkeys(("eq", "Fig.", "Table", "exercise"), 0)

    def next_of(kind: str) -> str:
        counts[kind] += 1
        return f"{chapter}.{counts[kind]}"

    for cell in read_page(page).cells:
        if cell.cell_type == "code":
            if name := _figure_of(cell):
                found[f"std:numref:{name}"] = f"Fig. {next_of('Fig.')}"
            continue
        for mark in _MARK.finditer(cell.source):
            found |= _marked(mark, next_of)
    return found


def _marked(mark: re.Match[str], next_of: Any) -> dict[str, str]:
    """The text of the reference to one equation, figure, table, exercise or section."""
    if mark["eq"]:
        return {f"math:eq:{mark['eq'].lower()}": next_of("eq")}
    if mark["target"]:
        return {f"std:ref:{mark['target']}": last_heading(mark["heading"])}
    said = options(mark["options"])
    if mark["name"] == "math":
        label = said.get("label")
        return {f"math:eq:{label.lower()}": next_of("eq")} if label else {}
    if mark["name"] in _COUNTED:
        word = _COUNTED[mark["name"]]
        return {f"std:numref:{said.get('name', '')}": f"{word} {next_of(word)}"}
    return {f"exercise:{said.get('label', '')}": next_of("exercise")}


def _figure_of(cell: NotebookNode) -> str | None:
    name: str | None = cell.metadata.get("mystnb", {}).get("figure", {}).get("name")
    return name


def _title(page: Path) -> str:
    return last_heading(f"# {chapter_of(page)['title']}")


def _citations(file: Path) -> dict[str, str]:
    """Author and year, as the site cites: "Kim [2012]", in brackets "[Kim, 2012]"."""
    found = {}
    for key, entry in parse_file(str(file)).entries.items() if file.is_file() else ():
        names = [" ".join(person.last_names) for person in entry.persons.get("author", [])]
        who = " et al.".join([names[0], ""]) if len(names) > 2 else " and ".join(names)
        who, year = re.sub(r"[{}]", "", who) or key, entry.fields.get("year", "n.d.")
        found |= {f"cite:t:{key}": f"{who} [{year}]", f"cite:p:{key}": f"[{who}, {year}]"}
    return found
