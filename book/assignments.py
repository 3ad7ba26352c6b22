"""``python -m book edition assignments --out FOLDER``: the exercises of each chapter, as a course of nbgrader.

A chapter is an assignment: what its exercises need from the text, then for each exercise its statement, a cell for the
answer and a locked cell with the judge, worth a point for every five minutes of the exercise. An exercise without a
judge has a cell for an answer in words, which the teacher grades; projects are left out. nbgrader makes the students'
notebooks of it, collects them and keeps the grades; whether an answer is right is asked of the book's judges
(book/grade.py), in a process of their own, since nbgrader's way is to run the judge where the submission has run.
"""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from traitlets import Bool, Float

from book.edited import notebook_of, page_of
from book.exercises import Exercise, exercises
from book.grade import LIMIT, Grade, page_named, verdicts
from book.judging import Statement, judged, needed
from book.numbering import texts
from book.pages import PACKAGE, ROOT, BookError, chapter_of, code_cells, data_of, number_cells, tags
from book.plain import plain_notebook

MINUTES_A_POINT = 5
STUB = "# Your answer may stand here too."  # where the source has the solution
TEXT_STUB = "Write your answer here, in words and formulas."
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_PART = re.compile(r"^(?=`{3,}\{(?:exercise-start|code-cell)\}|#{1,3} )", re.MULTILINE)
_SOLUTION = r"(`{{3,}}){{solution-start}} {label}\n(?::[^\n]*\n)*\1\n(.*?)`{{3,}}{{solution-end}}"
_CODE = re.compile(
    r"(?ms)^(`{3,}){code-cell}[^\n]*\n(?:---\n.*?\n---\n|(?::[^\n]*\n)*)\n*(.*?)^\1$"
)
_CONFIG = '''"""Settings of nbgrader: the book judges the answers, and no notebook of a student is run as a whole."""

import sys

sys.path.insert(0, {root!r})

from nbgrader.apps import NbGraderApp  # noqa: E402
from nbgrader.converters import Autograde  # noqa: E402
from nbgrader.preprocessors import Execute  # noqa: E402
from nbgrader.server_extensions.formgrader.handlers import template_path  # noqa: E402

from book.assignments import Judge, Mend  # noqa: E402
from book.exported import Export  # noqa: E402
from book.formulas import TEMPLATES  # noqa: E402

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = {package!r}
c.ClearSolutions.code_stub = {{"python": {stub!r}}}
c.ClearSolutions.text_stub = {text_stub!r}
c.Autograde.sanitize_preprocessors = [Mend, *Autograde.sanitize_preprocessors.default()]
c.Autograde.autograde_preprocessors = [
    Judge if step is Execute else step for step in Autograde.autograde_preprocessors.default()
]
c.ExportApp.plugin_class = Export
c.HTMLExporter.extra_template_basedirs = [str(TEMPLATES), template_path]
c.HTMLExporter.filters = {{"markdown2html": "book.formulas.markdown"}}
'''


def points(exercise: Exercise) -> int:
    """What an exercise is worth: a point for every five minutes."""
    return max(1, (exercise.facts.minutes or 0) // MINUTES_A_POINT)


_RUBRICS = {
    "by hand": "{half} for the method, that is the right law with the right quantities; {half} for the results, in "
    "equal parts. A wrong sign or unit costs one point once, and what follows from it nothing.",
    "recall": "{all} for the right answer with its reason, {half} for the answer alone.",
    "proof": "{all} for steps of which each follows from what stands before, in equal parts. Examples, and numbers "
    "that agree, are no proof: {half} at most.",
    "explore": "{half} for what was seen, with numbers, {half} for why it is so.",
}  # fmt: skip
BY_TEACHER = tuple(_RUBRICS)  # the kinds that are graded without a judge


def rubric(exercise: Exercise) -> str:
    """How the points of an answer in words are given; the teacher may write another into the source."""
    every = points(exercise)
    told = _RUBRICS[exercise.facts.kind].format(all=every, half=f"{every / 2:g}")
    return f"**Points.** Of {every}: {told}"


# Writing ----------------------------------------------------------------------------------------


def write_assignments(
    out: Path, pages: list[Path], weeks: dict[str, set[str]] | None = None
) -> list[Path]:
    """Write a course directory of nbgrader, with an assignment for each chapter; return their notebooks.

    weeks : labels of exercises by the names of the assignments that are wanted instead.
    """
    out.mkdir(parents=True, exist_ok=True)
    config = _CONFIG.format(root=str(ROOT), package=PACKAGE, stub=STUB, text_stub=TEXT_STUB)
    (out / "nbgrader_config.py").write_text(config, encoding="utf-8")
    own = {page: {one.label for one in exercises(page)} for page in pages}
    wanted = [(page.stem, page, own[page]) for page in pages]
    if weeks is not None:
        wanted = [
            (week, page, own[page] & asked) for week, asked in weeks.items() for page in pages
        ]
    written = list[Path]()
    for name, page, labels in wanted:
        if not labels:
            continue
        folder = out / "source" / name
        folder.mkdir(parents=True, exist_ok=True)
        written.append(folder / page.with_suffix(".ipynb").name)
        made = assignment_of(page, labels)
        nbformat.validate(made)
        nbformat.write(made, written[-1])
        for file in data_of(page):
            shutil.copy(file, folder)
    return written


def assignment_of(page: Path, labels: set[str] | None = None) -> NotebookNode:
    """The exercises of a chapter, or those with some labels, as a source notebook of nbgrader."""
    title = chapter_of(page)["title"]
    cells = [new_markdown_cell(f"# {title}: exercises\n\n{_HOW}")]
    chosen = [one for one in exercises(page) if labels is None or one.label in labels]
    given = _given_before(page, chosen)
    for exercise in chosen:
        if judged(exercise.checks):
            cells += _given(given[exercise.label], exercise)
            cells += _exercise(exercise, page)
        elif exercise.facts.kind in BY_TEACHER:
            cells += _in_words(exercise, page)
    notebook = new_notebook(cells=cells, metadata={"kernelspec": _KERNEL})
    number_cells(notebook)
    return plain_notebook(notebook, texts(), page.parent)


def as_handed_out(page: Path, names: set[str]) -> NotebookNode:
    """The assignment whose cells have these names, or had them all before its teacher left some out."""
    some = assignment_of(page, names)
    return some if {_name(cell) for cell in some.cells} - {""} == names else assignment_of(page)


_HOW = (
    "Write your answers into the cells that say so. The cell below each answer in code judges it: it raises an error "
    "that says what is wrong, or nothing if the answer is right. Answers in words your teacher reads. Leave the other "
    "cells as they are."
)


def _given(lines: list[str], exercise: Exercise) -> Iterator[NotebookNode]:
    """The cell with what exercises need from the text."""
    if lines:
        spaced = re.sub(r"(?<!\n)\n(def |class |@)", r"\n\n\n\1", "\n".join(lines).strip())
        yield _cell(spaced, f"{exercise.label}-given", locked=True)


def _exercise(exercise: Exercise, page: Path) -> Iterator[NotebookNode]:
    """Statement, answer and judge."""
    yield new_markdown_cell(_statement(exercise, page))
    ((judge, answer),) = judged(exercise.checks)
    start, test = split(exercise.checks[0], judge)
    solved = (
        f"{_without_attempt(exercise.solution[-1])}\n{answer} = {_tried(exercise.solution[-1])}"
    )
    region = f"### BEGIN SOLUTION\n{solved.strip()}\n### END SOLUTION"
    yield _cell(f"{start}\n\n{region}", f"{exercise.label}-answer", solution=True)
    test = f"{_without_attempt(test)}\n\n{judge}({answer})"
    yield _cell(test, exercise.label, grade=True, locked=True, points=points(exercise))


def _in_words(exercise: Exercise, page: Path) -> Iterator[NotebookNode]:
    """Statement, and a cell for an answer in words: nbgrader leaves its grade to the teacher."""
    code = "".join(f"\n\n```python\n{source}\n```" for source in exercise.checks)
    yield new_markdown_cell(_statement(exercise, page) + code)
    told = f"{_solution(exercise, page)}\n\n{rubric(exercise)}"
    source = f"<!-- BEGIN SOLUTION -->\n\n{told}\n\n<!-- END SOLUTION -->"
    worth = {"grade": True, "solution": True, "points": points(exercise)}
    yield new_markdown_cell(source, metadata=_told(exercise.label, "markdown", **worth))


def _cell(source: str, name: str, **metadata: Any) -> NotebookNode:
    """A cell of code with what nbgrader wants to know of it."""
    return new_code_cell(source, metadata=_told(name, "code", **metadata))


def _told(name: str, cell_type: str, **metadata: Any) -> dict[str, Any]:
    """What nbgrader wants to know of a cell."""
    kind = {"schema_version": 3, "grade_id": name, "cell_type": cell_type, "task": False}
    kind |= {"grade": False, "solution": False, "locked": False}
    return {"nbgrader": {**kind, **metadata}}


def _statement(exercise: Exercise, page: Path) -> str:
    """The statement of an exercise and its hint, in MyST."""
    asked = f":label: {exercise.label}\n"
    parts = [part for part in _PART.split(page_of(page, "student")) if asked in part]
    if len(parts) != 1:
        raise BookError(f"{page.name}: {exercise.label} is the label of {len(parts)} exercises")
    return parts[0].strip()


def _solution(exercise: Exercise, page: Path) -> str:
    """The solution of an exercise, in MyST, with its cells of code as text."""
    pattern = _SOLUTION.format(label=re.escape(exercise.label))
    if (found := re.search(pattern, page_of(page, "solutions"), re.DOTALL)) is None:
        raise BookError(f"{page.name}: {exercise.label} has no solution")
    return _CODE.sub(r"\1python\n\2\1", found[2]).strip()


def split(source: str, judge: str) -> tuple[str, str]:
    """The cell of an exercise in two: what is the reader's to write, and its judge. BookError if that comes first."""
    lines = source.split("\n")
    (first,) = [
        node.lineno - 1 for node in ast.parse(source).body if getattr(node, "name", "") == judge
    ]
    while first and lines[first - 1].startswith(("#", "@")):
        first -= 1
    if not first:
        raise BookError(f"{judge} stands above what it judges: put the reader's part first")
    return "\n".join(lines[:first]).strip(), "\n".join(lines[first:]).strip()


def _without_attempt(source: str) -> str:
    """A cell without its lines `attempt(...)`."""
    return "\n".join(text for node, text in _texts(source) if not _judging(node)).strip()


def _tried(source: str) -> str:
    """What the last `attempt(...)` of a cell tries."""
    *_, call = filter(None, (_judging(node) for node, _ in _texts(source)))
    return ast.unparse(call.args[0])


def _judging(node: ast.stmt) -> ast.Call | None:
    """The call of the judge in a line `attempt("...", lambda: judge(answer))`."""
    match node:
        case ast.Expr(
            ast.Call(func=ast.Name("attempt"), args=[_, ast.Lambda(body=ast.Call() as call)])
        ):
            return call
    return None


def _texts(source: str) -> Iterator[tuple[ast.stmt, str]]:
    """The statements of a cell, each with its text and the comments and empty lines above it."""
    lines, done = source.split("\n"), 0
    for node in ast.parse(source).body:
        yield node, "\n".join(lines[done : node.end_lineno])
        done = node.end_lineno or done


# What an exercise needs from the text -------------------------------------------------------------


def _given_before(page: Path, chosen: list[Exercise]) -> dict[str, list[str]]:
    """What each coded exercise of some needs from the text, and none of them above has got."""
    of_cell = {one.checks[0]: one.label for one in chosen if judged(one.checks)}
    found, waiting = dict[str, list[str]](), list[str]()
    for source, given in _statements(page, chosen):
        if label := of_cell.get(source):
            found[label], waiting = waiting, []
        else:
            waiting += given
    return found


def _statements(page: Path, some: list[Exercise]) -> list[tuple[str, list[str]]]:
    """The student's cells of code, each with the texts of those statements that some exercises need."""
    cells = code_cells(notebook_of(page, "student"))
    module = next(iter(chapter_of(page).get("modules") or {}), "")
    parts = [list(_texts(_imported(cell, module))) for cell in cells]
    flat = [Statement(node) for part in parts for node, _ in part]
    chosen = needed(flat, _asked(some, [cell.source for cell in cells], parts))
    found, index = list[tuple[str, list[str]]](), 0
    for cell, part in zip(cells, parts, strict=True):
        found.append(
            (cell.source, [text for k, (_, text) in enumerate(part, index) if k in chosen])
        )
        index += len(part)
    return found


def _asked(some: list[Exercise], sources: list[str], parts: list[Any]) -> dict[int, set[str]]:
    """The names that exercises and their solutions read from above, by the last statement of the exercise's cell."""
    of_cell = {one.checks[0]: one for one in some if judged(one.checks)}
    asked, index = dict[int, set[str]](), -1
    for source, part in zip(sources, parts, strict=True):
        index += len(part)
        if exercise := of_cell.get(source):
            asked[index] = _read_from_above(f"{source}\n{exercise.solution[-1]}")
    return asked


def _read_from_above(source: str) -> set[str]:
    """The names that some code reads and does not bind before."""
    bound, read, late = set[str](), set[str](), set[str]()
    for one in [Statement(node) for node, _ in _texts(source)]:
        read |= one.reads - bound
        bound |= one.binds
        late |= one.reads_late
    return read | late - bound


def _imported(cell: NotebookNode, module: str) -> str:
    """The source of a cell; of one that exports, imports of what it exports from the package."""
    if "export" not in tags(cell):
        return str(cell.source)
    nodes = [node for node, _ in _texts(cell.source)]
    names = [node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    lines = [ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    if names:
        home = f"{PACKAGE}.{cell.metadata.get('module', module)}"
        lines.append(f"from {home} import {', '.join(names)}")
    return "\n".join(lines)


# Grading ----------------------------------------------------------------------------------------


def _page(resources: dict[str, Any]) -> Path | None:
    """The chapter of a notebook; nothing for one with tests of its own, as that of drills (book/bank.py)."""
    try:
        return page_named(resources["nbgrader"]["notebook"])
    except BookError:
        return None


class Mend(Preprocessor):
    """The first step of ``nbgrader autograde``: each cell that was handed out is there once, under its name.

    nbgrader refuses a notebook in which a cell was renamed, copied or made anew, and gives it nothing without a word.
    """

    enabled = Bool(True).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        from nbgrader.api import Gradebook

        told = resources["nbgrader"]
        if (page := _page(resources)) is None:
            return nb, resources
        with Gradebook(told["db_url"]) as book:
            found = book.find_notebook(told["notebook"], told["assignment"]).source_cells
            names = {cell.name for cell in found}
        mend(nb, as_handed_out(page, names), names)
        return nb, resources


def mend(notebook: NotebookNode, handed_out: NotebookNode, names: set[str]) -> None:
    """Give cells of a submission the names that they were handed out with, and add those that are not there.

    names : those that the assignment still has. Of several cells with one name the last that was written in keeps it.
    A cell without one is known by what it says, an answer by the statement above it. What is added is as handed out.
    """
    ours = {_name(cell): cell for cell in handed_out.cells if _name(cell) in names}
    kept = dict[str, NotebookNode]()
    for cell in notebook.cells:
        known = ours.get(_name(cell))
        if known and cell.cell_type == known.cell_type and cell.source != _handed_out(known.source):
            kept[_name(cell)] = cell
    for cell in notebook.cells:
        known = ours.get(_name(cell))
        alike = known is not None and cell.cell_type == known.cell_type
        if not alike or kept.setdefault(_name(cell), cell) is not cell:
            cell.metadata.pop("nbgrader", None)
    place, above = 0, ""
    for cell in handed_out.cells:
        name, given, cells = _name(cell), _handed_out(cell.source), notebook.cells
        where = [k for k, one in enumerate(cells) if one is kept.get(name)]
        where += [k for k, one in enumerate(cells) if one.source == given and not _name(one)]
        if name in ours:
            if not where and not _is_below(cells[:place], cells[place:], above, cell.cell_type):
                cells.insert(place, _added(cell, given, notebook.nbformat_minor >= 5))
            where = where or [place]
            cells[where[0]].metadata["nbgrader"] = ours[name].metadata["nbgrader"]
        if where:
            place = where[0] + 1
        above = given


def _added(cell: NotebookNode, source: str, with_id: bool) -> NotebookNode:
    """A cell that a submission lacks, as it was handed out."""
    made = NotebookNode({**cell, "source": source, "id": f"added-{_name(cell)}"})
    if not with_id:
        del made["id"]
    return made


def _is_below(before: list[NotebookNode], after: list[NotebookNode], above: str, kind: str) -> bool:
    """Whether what follows some cells is one of a kind and without a name, right below one that says `above`."""
    follows = bool(before and after) and before[-1].source == above
    return follows and after[0].cell_type == kind and not _name(after[0])


def _name(cell: NotebookNode) -> str:
    """What nbgrader calls a cell."""
    told = cell.metadata.get("nbgrader")
    return str(told.get("grade_id", "")) if isinstance(told, dict) else ""


def _handed_out(source: str) -> str:
    """A cell of a source as `nbgrader generate_assignment` hands it out."""
    source = re.sub(r"(?s)### BEGIN SOLUTION\n.*?### END SOLUTION", STUB, source)
    return re.sub(r"(?s)<!-- BEGIN SOLUTION -->\n.*?<!-- END SOLUTION -->", TEXT_STUB, source)


class Judge(Preprocessor):
    """The step of ``nbgrader autograde`` that says which answers are right, in place of running the submission."""

    enabled = Bool(True).tag(config=True)  # without a judge nbgrader would give every point
    limit = Float(LIMIT, help="seconds for one exercise").tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        if (page := _page(resources)) is None:
            from nbgrader.preprocessors import Execute

            return Execute(parent=self).preprocess(nb, resources)  # type: ignore[no-any-return]
        sources = [cell.source for cell in code_cells(nb)]
        names = {_name(cell) for cell in code_cells(nb)}
        said = {one.exercise.label: one for one in verdicts(page, sources, self.limit, names)}
        for cell in code_cells(nb):
            if (label := _name(cell)) in said:
                cell.outputs = [_output(said[label])]
        return nb, resources


def _output(grade: Grade) -> NotebookNode:
    """What a judge says, as nbgrader reads it: an error is no point."""
    if grade.solved:
        return new_output("stream", name="stdout", text="solved\n")
    return new_output("error", ename="NotSolved", evalue=grade.why, traceback=[grade.why])
