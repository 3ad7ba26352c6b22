"""``python -m book grade SUBMISSION.ipynb``: which attempts of a submitted chapter their judges accept.

The judge is the book's, never the submission's, and each exercise is judged in a process of its own with a time limit.
There the submission's code has names of its own, and what it answers becomes plain data (book/answers.py) before a
judge compares it. Afterwards the judge has to refuse a wrong answer still, so that a submission which bends `check` or
NumPy to its will does not pass. This stops mischief, not an attacker: the code of a
submission runs with the rights of who grades it, so grade in a container what you do not trust.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from book.answers import Plain, words
from book.exercises import Exercise, exercises
from book.judging import Statement, judged, module_for, needed, nothing
from book.pages import ROOT, BookError, chapters, read_page

LIMIT = 60.0  # seconds for one exercise


@dataclass(frozen=True)
class Grade:
    """What the judge says of one attempt; `why` is empty if it is solved."""

    exercise: Exercise
    solved: bool
    why: str = ""


def grade(submission: Path, page: Path | None = None, limit: float = LIMIT) -> list[Grade]:
    """Judge every attempt of a submission. BookError if it is no notebook of a chapter."""
    sources = _sources(submission)
    return verdicts(page or page_named(submission.name), sources, limit)


def verdicts(page: Path, sources: list[str], limit: float = LIMIT) -> list[Grade]:
    """Judge every attempt at a chapter's exercises in the sources of some cells."""
    return [
        _in_a_process(one, page, sources, limit) for one in exercises(page) if judged(one.checks)
    ]


def _sources(submission: Path) -> list[str]:
    try:
        cells = nbformat.read(submission, as_version=4).cells
    except (OSError, ValueError) as error:
        raise BookError(f"{submission}: not a notebook: {error}") from None
    return [cell.source for cell in cells if cell.cell_type == "code"]


def page_named(submission: str) -> Path:
    """The chapter whose number a submission's name begins with."""
    for page in chapters():
        if submission.startswith(page.stem[:3]):
            return page
    raise BookError(
        f"{submission}: begin the name with that of the chapter, as in {chapters()[0].stem}.ipynb, "
        "or say which it is: --chapter 1"
    )


def _in_a_process(exercise: Exercise, page: Path, sources: list[str], limit: float) -> Grade:
    token = secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="chaindyn-grade-") as scratch:
        answer = Path(scratch) / "verdict"
        task = {"page": str(page), "label": exercise.label, "sources": sources}
        task |= {"token": token, "answer": str(answer)}
        command = [sys.executable, "-c", "from book.grade import child; child()"]
        with subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, text=True, start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as process:  # fmt: skip
            try:
                process.communicate(json.dumps(task), timeout=limit)
            except subprocess.TimeoutExpired:
                _end(process)
                return Grade(exercise, False, f"no answer within {limit:g} s")
            finally:
                _end(process)  # what it may have left running
        verdict = answer.read_text(encoding="utf-8") if answer.is_file() else ""
    if not verdict.startswith(token):
        return Grade(exercise, False, "its process ended before the judge had spoken")
    why = verdict.removeprefix(token)
    return Grade(exercise, not why, why)


def _end(process: subprocess.Popen[str]) -> None:
    """End a process and those that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


# In the process of one exercise -----------------------------------------------------------------


def child() -> None:
    """Judge one exercise, as the standard input says, and leave the verdict where it says."""
    task = json.load(sys.stdin)
    sys.stdin = io.StringIO()
    page, token, answer = Path(task["page"]), task.pop("token"), Path(task.pop("answer"))
    os.chdir(page.parent)
    (exercise,) = [one for one in exercises(page) if one.label == task["label"]]
    try:
        why = _verdict(exercise, page, task["sources"])
    except Exception as error:  # whatever the code of a submission may raise
        why = f"{type(error).__name__}: {error}"
    answer.write_text(token + why, encoding="utf-8")


def _verdict(exercise: Exercise, page: Path, sources: list[str]) -> str:
    """Nothing if the judge accepts the submission's answer, else why not."""
    (judge_name, name), *_ = judged(exercise.checks)
    cells = [cell.source for cell in read_page(page).cells if cell.cell_type == "code"]
    ours = cells[: 1 + max(cells.index(source) for source in exercise.checks)]
    book = _made(ours, judge_name, module_for("book_cells"), {})
    judge = book[judge_name]
    plain = Plain()
    space = _made(sources, name, module_for("submitted_cells"), _classes(ours, book))
    if name not in space:
        return f"there is no {name}"
    answer = plain(space[name])
    if (why := _refusal(judge, answer)) is not None:
        return why
    if _bent(judge, answer):
        return "after this submission has run, the judge accepts zeros"
    return ""


def _bent(judge: Callable[[Any], None], answer: Any) -> bool:
    """Whether a judge accepts nothing, or zeros in place of what an accepted answer gives."""
    if _refusal(judge, lambda *given, **more: None) is None:
        return True
    if not callable(answer):
        return _refusal(judge, nothing(answer)) is None
    zeroed = False

    def zeros(*given: Any, **more: Any) -> Any:
        nonlocal zeroed
        whole = answer(*given, **more)
        empty = nothing(whole)
        zeroed = zeroed or empty is not whole  # there is no zero of a chain
        return empty

    return _refusal(judge, zeros) is None and zeroed


def _refusal(judge: Callable[[Any], None], answer: Any) -> str | None:
    """Why a judge refuses an answer; None if it does not."""
    try:
        judge(answer)
    except NotImplementedError:
        return "not attempted"
    except Exception as refused:
        return words(refused)
    return None


def _classes(sources: list[str], space: dict[str, Any]) -> dict[str, Any]:
    """The classes that some cells have defined, by their text."""
    nodes = [node for source in sources for node in _parsed(source)]
    last = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    return {ast.dump(node): space[name] for name, node in last.items() if name in space}


def _made(
    sources: list[str], name: str, space: dict[str, Any], classes: dict[str, Any]
) -> dict[str, Any]:
    """Run of some cells what gives a name, and return all names.

    Of a class that is there already, in the same words, no second one is made: to a judge its objects would be strange.
    """
    nodes = [node for source in sources for node in _parsed(source)]
    if not nodes:
        return {}
    chosen = needed(list(map(Statement, nodes)), {len(nodes) - 1: {name}})
    for index in sorted(chosen):
        match nodes[index]:
            case ast.ClassDef(name=known) as node if ast.dump(node) in classes:
                space[known] = classes[ast.dump(node)]
            case node:
                exec(Statement(node).code, space)
    return space


def _parsed(source: str) -> list[ast.stmt]:
    """The statements of a cell; none where it is not Python, as one that was left half written."""
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m book grade")
    parser.add_argument("submission", type=Path, help="a notebook, named like its chapter")
    parser.add_argument("--chapter", type=int, help="its number, where the name does not say it")
    parser.add_argument(
        "--limit", type=float, default=LIMIT, help="seconds for an exercise (default: 60)"
    )
    arguments = parser.parse_args(argv)
    page = None
    if arguments.chapter is not None:
        found = [one for one in chapters() if one.stem.startswith(f"{arguments.chapter:02d}_")]
        if not found:
            raise BookError(f"there is no chapter {arguments.chapter}")
        page = found[0]
    grades = grade(arguments.submission, page, arguments.limit)
    for one in grades:
        number = f"{one.exercise.chapter}.{one.exercise.number}"
        print(f"{number:6} {one.exercise.title}: {'solved' if one.solved else 'no: ' + one.why}")
    print(f"{sum(one.solved for one in grades)} of {len(grades)} solved")
    return 0
