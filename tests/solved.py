"""Run the checks of a chapter's exercises without running the chapter: only the statements that they need."""

from __future__ import annotations

import ast
import dis
import os
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
from wrong_answers import WRONG

from book.exercises import Exercise, exercises
from book.pages import read_page

Verdicts = dict[str, str | None]  # what the check says of each answer; None: solved
CHANGES = ("append", "extend", "insert", "update", "add", "setdefault", "clear", "pop", "sort")


class Statement:
    """A statement of a cell, and the names that it binds and reads."""

    def __init__(self, node: ast.stmt) -> None:
        self.code = compile(ast.Module([node], []), "<cell>", "exec", dont_inherit=True)
        inner = list(_functions(self.code))
        self.binds = set(_names(self.code, "STORE_NAME")) | _changed(node)
        self.reads = set(_names(self.code, "LOAD_NAME"))
        self.reads_late = {
            name for code in inner for name in _names(code, "LOAD_GLOBAL", "LOAD_NAME")
        }
        # a loop or a change of a part leaves something of what was there
        whole = ast.Assign | ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
        self.replaces = self.binds - _changed(node) if isinstance(node, whole) else set()


def _names(code: CodeType, *operations: str) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in operations:
            yield instruction.argval


def _functions(code: CodeType) -> Iterator[CodeType]:
    """The functions inside some code, and those inside them."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _functions(constant)


def _changed(node: ast.stmt) -> set[str]:
    """The names of what a statement changes in part: by `x[...] = `, `x.y = ` or, outside functions, `x.append()`."""
    changed = set()
    inside = isinstance(node, ast.FunctionDef | ast.ClassDef)
    for part in ast.walk(node):
        match part:
            case ast.Call(func=ast.Attribute(value=ast.Name(name), attr=way)) if way in CHANGES:
                if not inside:
                    changed.add(name)
        if isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.ctx, ast.Store):
            while isinstance(part, ast.Subscript | ast.Attribute):
                part = part.value
            if isinstance(part, ast.Name):
                changed.add(part.id)
    return changed


def needed(statements: list[Statement], asked: dict[int, set[str]]) -> set[int]:
    """Which statements give the names that are asked for, each after the statement of its index.

    A function reads global names when it is called, so with its name all these are wanted as well.
    """
    late = dict[str, set[str]]()
    for one in statements:
        for name in one.binds:
            late.setdefault(name, set()).update(one.reads_late)

    def with_late(names: set[str]) -> set[str]:
        found, waiting = set[str](), set(names)
        while waiting:
            found |= waiting
            waiting = set().union(*(late.get(name, set()) for name in waiting)) - found
        return found

    wanted, chosen = set[str](), set[int]()
    for index in reversed(range(len(statements))):
        wanted |= with_late(asked.get(index, set()))
        one = statements[index]
        if not wanted.isdisjoint(one.binds):
            chosen.add(index)
            wanted -= one.replaces
            wanted |= with_late(one.reads)
    return chosen


def judged(sources: list[str]) -> list[tuple[str, str]]:
    """The names of judge and answer in every `attempt("...", lambda: judge(answer))`."""
    found = []
    for node in ast.walk(ast.parse("\n".join(sources))):
        match node:
            case ast.Call(
                func=ast.Name("attempt"),
                args=[_, ast.Lambda(body=ast.Call(func=ast.Name(judge), args=[ast.Name(answer)]))],
            ):
                found.append((judge, answer))
    return found


@cache
def verdicts(page: Path) -> dict[str, Verdicts]:
    """What the checks of a chapter say of its solutions and of the wrong answers, by label."""
    checked = {one.solution[-1]: one for one in exercises(page) if one.checked and one.solution}
    cells = [cell.source for cell in read_page(page).cells if cell.cell_type == "code"]
    statements, asked, tried = list[Statement](), dict[int, set[str]](), dict[int, Exercise]()
    for source in cells:
        statements += [Statement(node) for node in ast.parse(source).body]
        if exercise := checked.get(source):
            last = len(statements) - 1
            asked[last], tried[last] = _asked(exercise), exercise
    chosen = needed(statements, asked)
    space: dict[str, Any] = {"__name__": "__main__"}
    found, here = {}, Path.cwd()
    os.chdir(page.parent)
    try:
        for index, one in enumerate(statements):
            if index in chosen:
                exec(one.code, space)
            if index in tried:
                found[tried[index].label] = tried_answers(tried[index], space)
    finally:
        os.chdir(here)
    return found


def _asked(exercise: Exercise) -> set[str]:
    """The names that judge, solution and wrong answers need."""
    own = {name for pair in judged(exercise.solution) for name in pair}
    wrong = [one for _, definitions in _wrong(exercise) for one in definitions]
    return own.union(*(one.reads | one.reads_late for one in wrong))


def tried_answers(exercise: Exercise, space: dict[str, Any]) -> Verdicts:
    [(judge, answer), *_] = judged(exercise.solution)
    right = space[answer]
    said = {"the solution": _verdict(space[judge], right)}
    if not isinstance(right, type):
        said["zeros"] = _verdict(
            space[judge], lambda *given, **more: _nothing(right(*given, **more))
        )
    for words, definitions in _wrong(exercise):
        for one in definitions:
            exec(one.code, space)
        said[words] = _verdict(space[judge], space[answer])
    space[answer] = right
    return said


def _wrong(exercise: Exercise) -> Iterator[tuple[str, list[Statement]]]:
    """The wrong answers to an exercise: what is wrong, and the definitions of its solution so changed."""
    source = "\n".join(exercise.solution)
    for words, old, new in WRONG.get(exercise.label, []):
        assert old in source, (exercise.label, words, old)
        body = ast.parse(source.replace(old, new)).body
        kinds = ast.FunctionDef | ast.ClassDef
        yield words, [Statement(node) for node in body if isinstance(node, kinds)]


def _nothing(answer: Any) -> Any:
    """Zeros of an answer's shape."""
    if isinstance(answer, tuple):
        return tuple(_nothing(part) for part in answer)
    if is_dataclass(answer):
        names = [one.name for one in fields(answer)]
        return replace(answer, **{name: _nothing(getattr(answer, name)) for name in names})
    try:
        return 0 * np.asarray(answer)
    except TypeError:  # a chain, or None: there is no zero of it
        return answer


def _verdict(judge: Callable[[Any], None], answer: Any) -> str | None:
    """What `attempt` would print; other exceptions, which would stop the page, are let through."""
    try:
        with np.errstate(all="ignore"):
            judge(answer)
    except (AssertionError, ValueError) as refused:
        return str(refused) or "refused"
    return None
