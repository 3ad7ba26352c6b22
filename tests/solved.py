"""Run the checks of a chapter's exercises without running the chapter: only the statements that they need."""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from right_answers import RIGHT
from wrong_answers import WRONG

from book.exercises import Exercise, exercises
from book.judging import Statement, judged, module_for, needed, nothing
from book.pages import read_page
from chaindyn.teaching import refusal

Verdicts = dict[str, str | None]  # what the check says of each answer; None: solved


def verdicts(page: Path) -> dict[str, Verdicts]:
    """What the checks of a chapter say of its solutions and of the wrong answers, by label."""
    return {label: said for label, (said, _) in tried(page).items()}


@cache
def tried(page: Path) -> dict[str, tuple[Verdicts, Verdicts]]:
    """The verdicts of a chapter's checks by label; and what `attempt` has against answers that are none."""
    checked = {one.solution[-1]: one for one in exercises(page) if one.checked and one.solution}
    cells = [cell.source for cell in read_page(page).cells if cell.cell_type == "code"]
    statements, asked, ends = list[Statement](), dict[int, set[str]](), dict[int, Exercise]()
    for source in cells:
        statements += [Statement(node) for node in ast.parse(source).body]
        if exercise := checked.get(source):
            last = len(statements) - 1
            asked[last], ends[last] = _asked(exercise), exercise
    chosen = needed(statements, asked)
    space = module_for(f"chapter_{page.stem[:2]}")
    found, here = {}, Path.cwd()
    os.chdir(page.parent)
    try:
        for index, one in enumerate(statements):
            if index in chosen:
                exec(one.code, space)
            if index in ends:
                odd = odd_answers(ends[index], space)
                found[ends[index].label] = tried_answers(ends[index], space), odd
    finally:
        os.chdir(here)
    return found


def _asked(exercise: Exercise) -> set[str]:
    """The names that judge, solution and wrong answers need."""
    own = {name for pair in judged(exercise.solution) for name in pair}
    tables = [*_changed(exercise, WRONG), *_changed(exercise, RIGHT)]
    others = [one for _, definitions in tables for one in definitions]
    return own.union(*(one.reads | one.reads_late for one in others))


def tried_answers(exercise: Exercise, space: dict[str, Any]) -> Verdicts:
    [(judge, answer), *_] = judged(exercise.solution)
    right = space[answer]
    said = {"the solution": _verdict(space[judge], right)}
    if not callable(right):
        said["zeros"] = _verdict(space[judge], nothing(right))
    elif not isinstance(right, type):
        said["zeros"] = _verdict(
            space[judge], lambda *given, **more: nothing(right(*given, **more))
        )
    for words, definitions in _changed(exercise, WRONG):
        for one in definitions:
            exec(one.code, space)
        said[words] = _verdict(space[judge], space[answer])
    for words, definitions in _changed(exercise, RIGHT):
        for one in definitions:
            exec(one.code, space)
        said[words] = refusal(eval(f"lambda: {judge}({answer})", space))
    space[answer] = right
    return said


def odd_answers(exercise: Exercise, space: dict[str, Any]) -> Verdicts:
    """What `attempt` has against things that no exercise asks for, and functions that give or raise them."""
    [(judge, _), *_] = judged(exercise.solution)
    said = {}
    for words, odd in ODD.items():
        test = eval(f"lambda: {judge}(odd)", {**space, "odd": odd})
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            said[words] = refusal(test)
    return said


def _giving(thing: Any) -> Callable[..., Any]:
    return lambda *given, **more: thing


def _raising(error: type[Exception]) -> Callable[..., Any]:
    def answer(*given: Any, **more: Any) -> Any:
        raise error("no")

    return answer


_THINGS = {
    "None": None,
    "a string": "no",
    "a number": -7,
    "a list of lists": [[1.5, 2], [3, 4]],
    "a ragged list": [[1.5], [2, 3]],
    "an object": object(),
    "a function": len,
}
_ERRORS = (
    TypeError,
    AttributeError,
    IndexError,
    KeyError,
    NameError,
    ZeroDivisionError,
    RuntimeError,
)
_ERRORS += (ImportError, OSError, StopIteration, RecursionError, np.linalg.LinAlgError)
ODD = {
    **_THINGS,
    **{f"gives {words}": _giving(thing) for words, thing in _THINGS.items()},
    **{f"raises {error.__name__}": _raising(error) for error in _ERRORS},
}


def _wherever_it_breaks(text: str) -> re.Pattern[str]:
    """A pattern for a piece of code, wherever its long lines break: after a bracket, or at a space."""
    return re.compile(
        re.sub(r"(?<=\S)\\ (?=\S)", r"\\s+", re.escape(text)).replace(r"\(", r"\(\s*")
    )


def _changed(
    exercise: Exercise, table: dict[str, list[tuple[str, str, str]]]
) -> Iterator[tuple[str, list[Statement]]]:
    """A table's answers to an exercise: what is changed, and the definitions of its solution so changed."""
    source = "\n".join(exercise.solution)
    answers = {answer for _, answer in judged(exercise.solution)}
    for words, old, new in table.get(exercise.label, []):
        changed, found = _wherever_it_breaks(old).subn(lambda _, new=new: new, source)
        assert found, (exercise.label, words, old)
        body = ast.parse(changed).body
        defined = [node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        values = [node for node in body if isinstance(node, ast.Assign)]
        told = [one for one in map(Statement, values) if one.binds & answers]
        yield words, [*map(Statement, defined), *told]


def _verdict(judge: Callable[[Any], None], answer: Any) -> str | None:
    """What `attempt` would print; other exceptions, which would stop the page, are let through."""
    try:
        with np.errstate(all="ignore"):
            judge(answer)
    except (AssertionError, ValueError) as refused:
        return str(refused) or "refused"
    return None
