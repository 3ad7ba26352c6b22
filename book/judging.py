"""Run the judges of a chapter's exercises without running the chapter: only the statements that they need.

The pages bring this file to the reader's browser too, where it finds what a cell needs from above.
"""

from __future__ import annotations

import ast
import dis
import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from types import CodeType, ModuleType
from typing import Any

import numpy as np

# Methods that change what they are called on, and how many arguments they take: np.add(x, y) changes nothing.
CHANGES = {"append": 1, "extend": 1, "insert": 2, "update": 1, "add": 1, "setdefault": 2}
CHANGES |= {"clear": 0, "pop": 2, "sort": 0}
# The third reads annotations in a class: a function of their own from Python 3.14 on, which a dataclass calls at once.
READS = "LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"
AT_ONCE = "comp>", "genexpr>", "__annotate__"


class Statement:
    """A statement of a cell, and the names that it binds and reads."""

    def __init__(self, node: ast.stmt) -> None:
        self.code = compile(ast.Module([node], []), "<cell>", "exec", dont_inherit=True)
        now = list(_run_at_once(self.code))
        inner = [code for code in _inside(self.code) if code not in now]
        self.binds = set(_names(self.code, "STORE_NAME")) | _changed(node)
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            self.binds.add("*")  # any name
        self.reads = {name for code in now for name in _read_from_outside(code)}
        self.reads_late = {name for code in inner for name in _names(code, *READS)}
        # a loop or a change of a part leaves something of what was there
        whole = ast.Assign | ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
        self.replaces = self.binds - _changed(node) if isinstance(node, whole) else set()


def _names(code: CodeType, *operations: str) -> Iterator[str]:
    """The names in some instructions, but those that Python binds itself."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in operations and not instruction.argval.startswith("__"):
            yield instruction.argval


def _read_from_outside(code: CodeType) -> set[str]:
    """The names that some code reads and, but for a statement as a whole, does not bind itself."""
    names = set(_names(code, *READS))
    return names if code.co_name == "<module>" else names - set(_names(code, "STORE_NAME"))


def _inside(code: CodeType) -> Iterator[CodeType]:
    """The functions and the bodies of classes inside some code, and those inside them."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inside(constant)


def _run_at_once(code: CodeType) -> Iterator[CodeType]:
    """Some code, and what in it runs when it does: the bodies of classes, comprehensions and annotations."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            is_class = not constant.co_flags & inspect.CO_OPTIMIZED
            if is_class or constant.co_name.endswith(AT_ONCE):
                yield from _run_at_once(constant)


def _changed(node: ast.stmt) -> set[str]:
    """The names of what a statement changes in part: by `x[...] = `, `x.y = ` or, outside functions, `x.append()`."""
    changed = set()
    inside = isinstance(node, ast.FunctionDef | ast.ClassDef)
    for part in ast.walk(node):
        match part:
            case ast.Call(func=ast.Attribute(value=ast.Name(name), attr=way), args=given):
                if not inside and len(given) <= CHANGES.get(way, -1):
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
        if not wanted.isdisjoint(one.binds) or (wanted and "*" in one.binds):
            chosen.add(index)
            wanted -= one.replaces
            wanted |= with_late(one.reads)
    return chosen


@cache
def statements_of(source: str) -> list[Statement]:
    """The statements of a cell."""
    return [Statement(node) for node in ast.parse(source).body]


def given_for(above: list[str], code: str) -> list[Statement]:
    """The statements of the cells above that some code needs. SyntaxError if it is not Python."""
    asked = set[str]()
    for one in map(Statement, ast.parse(code).body):
        asked |= one.reads | one.reads_late | one.binds - one.replaces
    statements = [one for source in above for one in statements_of(source)]
    chosen = needed(statements, {len(statements) - 1: asked})
    return [statements[index] for index in sorted(chosen)]


def module_for(run: str) -> dict[str, Any]:
    """The names of a new module, for cells to run in.

    Processes find by its module what they are sent, so a sweep would wait for ever for a function that has none.
    """
    sys.modules[run] = ModuleType(run)
    return vars(sys.modules[run])


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


def nothing(answer: Any) -> Any:
    """Zeros of an answer's shape."""
    if isinstance(answer, tuple):
        return tuple(nothing(part) for part in answer)
    if isinstance(answer, dict):
        return {key: nothing(part) for key, part in answer.items()}
    if isinstance(answer, set | str):
        return type(answer)()
    if is_dataclass(answer):
        names = [one.name for one in fields(answer)]
        return replace(answer, **{name: nothing(getattr(answer, name)) for name in names})
    try:
        return 0 * np.asarray(answer)
    except TypeError:  # a chain, or None: there is no zero of it
        return answer
