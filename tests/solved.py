"""Run the checks of a chapter's exercises without running the chapter: only the statements that they need."""

from __future__ import annotations

import ast
import dis
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from book.exercises import Exercise, exercises
from book.pages import read_page
from wrong_answers import WRONG

Verdicts = dict[str, str | None]  # what the check says of each answer; None: solved


METHODS = ("append", "extend", "insert", "update", "add", "setdefault", "clear", "pop", "sort")


class Statement:
    """A statement of a cell: the names that it binds or changes, and those that it reads."""

    def __init__(self, node: ast.stmt) -> None:
        self.node = node
        self.code = compile(ast.Module([node], []), "<cell>", "exec", dont_inherit=True)
        self.binds = set(_names(self.code, "STORE_NAME", "STORE_GLOBAL")) | _changed(node)
        self.reads = set(_names(self.code, "LOAD_NAME", "LOAD_GLOBAL"))


def _names(code: CodeType, *operations: str) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in operations:
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            # a function's own names are stored by STORE_FAST, a class's by STORE_NAME: they bind nothing here
            inner = [name for name in operations if name != "STORE_NAME"]
            yield from _names(constant, *inner)


def _changed(node: ast.stmt) -> set[str]:
    """What a statement changes by `x[...] = `, `x.y = ` or, outside of functions, `x.append(...)` and its like."""
    changed = set()
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        for part in ast.walk(node):
            match part:
                case ast.Call(func=ast.Attribute(value=ast.Name(name), attr=method)) if method in METHODS:
                    changed.add(name)
    for part in ast.walk(node):
        while isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.ctx, ast.Store):
            inner = part.value
            if isinstance(inner, ast.Name):
                changed.add(inner.id)
            if not isinstance(inner, ast.Subscript | ast.Attribute):
                break
            inner.ctx, part = ast.Store(), inner
    return changed


def needed(statements: list[Statement], names: set[str]) -> list[Statement]:
    """Those that bind what the names need, whatever the order: a function reads when it is called."""
    wanted, chosen = set(names), set[int]()
    while True:
        more = [
            i for i, one in enumerate(statements) if i not in chosen and not wanted.isdisjoint(one.binds)
        ]
        if not more:
            return [statements[i] for i in sorted(chosen)]
        chosen |= set(more)
        wanted |= set().union(*(statements[i].reads for i in more))


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
    checked = {e.solution[0]: e for e in exercises(page) if e.checked and e.solution}
    names = {name for e in checked.values() for pair in judged(e.solution) for name in pair}
    for exercise in checked.values():
        for _, definitions in _wrong(exercise):
            names |= set().union(*(one.reads for one in definitions))
    cells = [cell.source for cell in read_page(page).cells if cell.cell_type == "code"]
    by_cell = [[Statement(node) for node in ast.parse(source).body] for source in cells]
    chosen = set(needed([one for cell in by_cell for one in cell], names))
    space: dict[str, Any] = {"__name__": "__main__"}
    found, here = {}, Path.cwd()
    os.chdir(page.parent)
    try:
        for source, cell in zip(cells, by_cell, strict=True):
            for one in cell:
                if one in chosen:
                    exec(one.code, space)
            if exercise := checked.get(source):
                found[exercise.label] = _tried(exercise, space)
    finally:
        os.chdir(here)
    return found


def _tried(exercise: Exercise, space: dict[str, Any]) -> Verdicts:
    [(judge, answer), *_] = judged(exercise.solution)
    right = space[answer]
    said = {"the solution": _verdict(space[judge], right)}
    if not isinstance(right, type):
        said["zero"] = _verdict(space[judge], lambda *given, **more: _nothing(right(*given, **more)))
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
