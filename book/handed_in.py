"""Drills that are handed in as files: a zip with which Gradescope grades, and a notebook for nbgrader."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book import gradescope as grader
from book.drills import Item, Question
from book.pages import number_cells
from book.sketch import in_base64

_RUN = "#!/bin/sh\nexec python3 /autograder/source/gradescope.py\n"
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def parts_of(question: Question) -> list[dict[str, Any]]:
    """What is asked, each with its answer, its tolerance, and what mistakes give that can be told from it."""
    return [
        {
            "asked": f"{what} [{unit}]",
            "answer": question.answers[k],
            "within": question.tolerance(k),
            "mistakes": {
                said: wrong[k]
                for said, wrong in question.mistakes.items()
                if abs(wrong[k] - question.answers[k]) > 2 * question.tolerance(k)
            },
        }
        for k, (what, unit) in enumerate(question.asked)
    ]


def gradescope(bank: list[Item]) -> bytes:
    """A zip that grades the form of `blank`: by the name of who hands in, each with numbers of one's own."""
    key: dict[str, dict[str, Any]] = {}
    for item in bank:
        key.setdefault(item.draw, {})[item.label] = parts_of(item.question)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {
            "setup.sh": "#!/bin/sh\n",  # nothing is needed but Python
            "run_autograder": _RUN,
            "gradescope.py": Path(grader.__file__).read_text(encoding="utf-8"),
            "key.json": json.dumps(key, ensure_ascii=False, indent=1),
        }.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return packed.getvalue()


def blank(bank: list[Item]) -> str:
    """The form that students fill: a row for each number that is asked."""
    text, seen = io.StringIO(), set[str]()
    table = csv.writer(text)
    table.writerow(["drill", "part", "asked", "unit", grader.NAME])
    for item in bank:
        if item.label not in seen:
            for k, (what, unit) in enumerate(item.question.drill.asked.items(), 1):
                table.writerow([item.label, k, what, unit, ""])
        seen.add(item.label)
    return text.getvalue()


def notebook(bank: list[Item]) -> NotebookNode:
    """The questions as a source notebook of nbgrader: a point for each number, and the tests hidden from students."""
    cells = [new_markdown_cell("# Drills\n\nReplace each `None` by a number.")]
    for item in bank:
        question, name = item.question, item.name.replace("-", "_")
        asked = "\n".join(
            f"{k}. {what} [{unit}]" for k, (what, unit) in enumerate(question.asked, 1)
        )
        picture = question.picture and (
            f"![{question.alt}](data:image/svg+xml;base64,{in_base64(question.picture)})\n\n"
        )
        cells.append(new_markdown_cell(f"## {item.name}\n\n{question.text}\n\n{picture}{asked}"))
        for cell, suffix in ((_answer(question, name), ""), (_test(question, name), "_test")):
            locked = suffix == "_test"
            cell.metadata["nbgrader"] = {
                "grade": locked,
                "grade_id": f"{name}{suffix}",
                "locked": locked,
                "schema_version": 3,
                "solution": not locked,
                "task": False,
            } | ({"points": len(question.answers)} if locked else {})
            cells.append(cell)
    made = new_notebook(cells=cells, metadata={"kernelspec": _KERNEL})
    number_cells(made)
    nbformat.validate(made)
    return made


def _answer(question: Question, name: str) -> NotebookNode:
    nothing = ", ".join("None" for _ in question.answers)
    right = ", ".join(f"{x:.6g}" for x in question.answers)
    return new_code_cell(
        f"{name} = [{nothing}]\n### BEGIN SOLUTION\n{name} = [{right}]\n### END SOLUTION"
    )


def _test(question: Question, name: str) -> NotebookNode:
    lines = [
        f"assert len({name}) == {len(question.answers)} and None not in {name}, 'an answer is missing'",
        "### BEGIN HIDDEN TESTS",
    ]
    for k, part in enumerate(parts_of(question)):
        for said, wrong in part["mistakes"].items():
            lines.append(f"assert abs({name}[{k}] - {wrong:.9g}) > {part['within']:.3g}, {said!r}")
        close = f"abs({name}[{k}] - {part['answer']:.9g}) <= {part['within']:.3g}"
        lines.append(f"assert {close}, {part['asked'] + ': not right'!r}")
    return new_code_cell("\n".join([*lines, "### END HIDDEN TESTS"]))
