"""What an explorer computes by a function that the reader redefined: recorded anew, as a module of JavaScript.

The reader's definitions take the place of the book's for as long as that takes, in every module that has them.
"""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from run import NAME, in_words, remember  # type: ignore[import-not-found]  # beside this file

DEFINITIONS = ast.FunctionDef | ast.ClassDef
TAKEN = DEFINITIONS | ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign
ROUNDING = 1e-9


def redefined(code: str, cells: list[str]) -> list[str]:
    """The names that some code defines otherwise than the cells of its page do. Nothing if it is not Python."""
    book = {one.name: ast.dump(one) for source in cells for one in _definitions(source)}
    own = {one.name: ast.dump(one) for one in _definitions(code)}
    return [name for name, said in own.items() if book.get(name, said) != said]


def _definitions(code: str) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    try:
        body = ast.parse(code).body
    except SyntaxError:
        return
    yield from (node for node in body if isinstance(node, DEFINITIONS))


def follow(
    codes: list[str], names: list[str], functions: list[str], tell: Callable[[str, str], None]
) -> str | None:
    """Record some functions with the reader's definitions. Return the module, None if it is the book's or fails."""
    try:
        return _module(codes, names, functions, tell)
    except Exception as error:
        words = f"The explorer cannot follow your {_joined(names)}, and keeps to the book's.\n"
        # the reader's own error, where there is one
        tell("problem", words + in_words(error.__cause__ or error))
    return None


def _module(
    codes: list[str], names: list[str], functions: list[str], tell: Callable[[str, str], None]
) -> str | None:
    book, was = text_of(functions), values_of(functions)
    with in_place(codes, names):
        text, now = text_of(functions), values_of(functions)
    if text == book:
        tell("note", f"Your {_joined(names)} computes just what the book's does.\n")
        return None
    far = {name: distance(now[name], was[name]) for name in was}
    far = {name: error for name, error in far.items() if not error < ROUNDING}
    tell("note", f"The explorer of this page follows your {_joined(names)}.\n" + in_numbers(far))
    return text


def in_numbers(far: dict[str, float]) -> str:
    """How far results are from the book's, in words."""
    if not far:
        return "In a test posture its numbers agree with the book's to rounding.\n"
    said = [f"{name} by {_share(error)}" for name, error in far.items()]
    return f"In a test posture its numbers differ from the book's: {', '.join(said)}.\n"


def _share(error: float) -> str:
    return f"{100 * error:.2g} %" if np.isfinite(error) else "what is not a number"


def _joined(names: list[str]) -> str:
    return ", ".join(names)


# The reader's definitions in place of the book's --------------------------------------------------


@contextlib.contextmanager
def in_place(codes: list[str], names: list[str]) -> Iterator[None]:
    """Define what the reader does, in the modules that these names are at home in, and undo it in the end."""
    import chaindyn.widgets.physics  # noqa: F401  has to be there before names are looked for

    modules = [x for name, x in sys.modules.items() if name.partition(".")[0] == "chaindyn"]
    kept = [(module, dict(vars(module))) for module in modules]
    try:
        for code in codes:
            _define(code, names, modules)
        yield
    finally:
        for module, before in kept:
            for name in vars(module).keys() - before.keys():
                delattr(module, name)
            vars(module).update(before)


def _define(code: str, names: list[str], modules: list[ModuleType]) -> None:
    remember(code)
    homes = {name: _home(name, modules) for name in names}
    of_code = [node.name for node in _definitions(code) if homes.get(node.name)]
    if not of_code:
        return
    for node in ast.parse(code, NAME).body:
        if not isinstance(node, TAKEN):
            continue
        name = getattr(node, "name", of_code[0])
        home = homes.get(name) or homes[of_code[0]]
        before = vars(home).get(name) if isinstance(node, DEFINITIONS) else None
        own = compile(ast.Module([node], []), NAME, "exec", dont_inherit=True)
        exec(own, vars(home))
        if before is not None:
            _replace(before, vars(home)[name], modules)


def _home(name: str, modules: list[ModuleType]) -> Any:
    """The module that a name is defined in."""
    for module in modules:
        if getattr(vars(module).get(name), "__module__", None) == module.__name__:
            return module
    return None


def _replace(before: Any, now: Any, modules: list[ModuleType]) -> None:
    from chaindyn.widgets import physics

    for module in modules:
        for name, value in vars(module).items():
            if value is before:
                vars(module)[name] = now
    for table in ("FUNCTIONS", "ALONE", "STEPS"):
        told = getattr(physics, table)
        own = {n: t._replace(function=_changed(t.function, before, now)) for n, t in told.items()}
        setattr(physics, table, own)


def _changed(function: Any, before: Any, now: Any) -> Any:
    """A function, or one with some arguments given, with another in its place if it is `before`."""
    if isinstance(function, partial):
        return partial(_changed(function.func, before, now), *function.args, **function.keywords)
    return now if function is before else function


# What is recorded, and in numbers -----------------------------------------------------------------


def text_of(functions: list[str]) -> str:
    """The functions as a module of JavaScript that exports `runs`: what `inForce` finds by a function's name."""
    from chaindyn.widgets import physics

    model = physics.Model()
    texts, runs = list[str](), list[str]()
    for name in functions:
        if told := physics.FUNCTIONS.get(name):
            texts.append(physics.emitted(name, told, model))
            runs.append(f"{name}_run:{{...{name.upper()},model:MODEL}}")
        else:
            texts.append(physics.emitted_other(name))
            runs.append(name)
    return "\n".join([*texts, model.text(), f"export const runs={{{','.join(runs)}}};\n"])


def values_of(functions: list[str]) -> dict[str, list[np.ndarray]]:
    """What the functions give for an arm of three links in some posture; not those that take another's results."""
    found = {}
    for name in functions:
        if (result := _value_of(name)) is not None:
            parts = result if isinstance(result, tuple) else (result,)
            found[name] = [np.asarray(part, float) for part in parts]
    return found


def _value_of(name: str) -> Any:
    """What a function gives in a test; None if it needs what only another gives."""
    from chaindyn import Driven
    from chaindyn.widgets import physics

    arm, rng = test_arm(), np.random.default_rng(5)
    told = (physics.FUNCTIONS | physics.ALONE | physics.STEPS)[name]
    given = {key: _argument(key, shape, rng) for key, shape in told.arrays.items()}
    if name in physics.ALONE:
        return told.function(**given)
    if name in physics.STEPS:
        asks_accelerations = told.asks.keys() == {"acceleration"}
        return told.function(Driven(arm), **given) if asks_accelerations else None
    if "kept" in told.arrays:
        return None
    result = told.function(arm, *given.values())
    parts = result if isinstance(result, tuple) else (result,)
    return tuple(
        part for part, rows in zip(parts, told.rows.split(), strict=True) if rows != "kept"
    )


def test_arm() -> Any:
    """An arm of three links that lie in no plane."""
    from chaindyn import Chain, Link, Prismatic, Revolute

    joints = Revolute((0, 0, 1)), Revolute((0, 1, 0)), Prismatic((1, 0, 0))
    inertia = np.diag([0.02, 0.05, 0.04])
    return Chain([Link(joint, 1.5, (0.3, 0.05, 0), inertia, (0.4, 0, 0.1)) for joint in joints])


def _argument(name: str, shape: tuple[Any, ...], rng: np.random.Generator) -> Any:
    """Some value of an argument: what chooses a link chooses the last, what is a direction is a unit vector."""
    sizes = [3 if isinstance(size, str) else size for size in shape]
    if name in ("struck", "pinned", "normal"):
        return np.array([0.0, 0.0, 1.0])
    if name == "free":
        return np.array([1.0, 0.0, 1.0])
    if name == "R":
        return np.eye(3)
    return rng.uniform(0.1, 0.9, sizes)


def distance(now: list[np.ndarray], was: list[np.ndarray]) -> float:
    """The greatest of the relative differences between results; NaN if one is not a number."""
    far = [np.linalg.norm(a - b) / (np.linalg.norm(b) or 1) for a, b in zip(now, was, strict=True)]
    return float(np.max(far))
