"""What a change touches, for ``python -m book test --changed``: definitions, and the tests that come to them by name.

Functions, classes and what is assigned, of package, tools and tests, are read from the sources, each with the names in
it. From those whose code differs from the base's one comes in steps to all that name them, and so to tests; the fewer
steps, the earlier a test runs, and those first whose parameters name what has changed. What is reached in other ways
(a method of an object that another function made, a name that is put together) is not found: `python -m book test` has
it all.

As a plugin of pytest (``-p book.touched``) this puts the tests into that order, and leaves out the rest when the time
is up.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from book.pages import PACKAGE, ROOT, BookError

FOLDERS = "chaindyn", "book", "tests"
PLAN = "CHAINDYN_TOUCHED"  # the environment variable that names the file with the plan
Name = tuple[str, str]  # a module and a definition in it


@dataclass
class Module:
    """A file: its definitions, each with the statements that make it, and what its imports mean."""

    file: str
    name: str
    tree: ast.Module
    parts: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imported: dict[str, Name] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    self.imported[alias.asname or alias.name] = node.module, alias.name
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    self.imported[alias.asname or first] = (
                        (alias.name if alias.asname else first),
                        "",
                    )
        for statement in self.tree.body:
            for name in _bound(statement):
                self.parts.setdefault(name, []).append(statement)


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement at the top of a module defines; imports define nothing."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    nodes = ast.walk(statement)
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _module_name(file: str) -> str:
    """By which others import a file: tests import each other by their bare names."""
    stem = file.removesuffix(".py")
    if stem.startswith("tests/"):
        return stem if stem.endswith("conftest") else stem.rpartition("/")[2]
    return stem.replace("/", ".").removesuffix(".__init__")


def _code(statements: list[ast.stmt]) -> str:
    """Some statements without their docstrings and comments."""
    told = []
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
                del node.body[0]
        told.append(ast.dump(statement))
    return "\n".join(told)


class Sources:
    """The modules of package, tools and tests, and which definition names which."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules = dict[str, Module]()
        gc.disable()  # which would look through the growing trees again and again
        for folder in FOLDERS:
            for path in sorted((root / folder).rglob("*.py")):
                file = path.relative_to(root).as_posix()
                tree = ast.parse(path.read_text(encoding="utf-8"))
                self.modules[_module_name(file)] = Module(file, _module_name(file), tree)
        gc.enable()

    def resolved(self, name: Name) -> Name | None:
        """Where a name that some module imports is defined; None if not in the project."""
        module, inside = name
        for _ in range(9):  # what a package offers of its modules
            if inside and f"{module}.{inside}" in self.modules:
                return f"{module}.{inside}", ""
            if (found := self.modules.get(module)) is None:
                return None
            if not inside or inside in found.parts:
                return module, inside
            if inside not in found.imported:
                return None
            module, inside = found.imported[inside]
        return None

    def named(self, module: Module, statement: ast.stmt) -> Iterator[Name]:
        """The definitions that a statement names: by name, as a fixture, or, at the package's top, in a string."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                yield from self._dotted(module, node)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield from self._plain(module, node.id)
            elif isinstance(node, ast.arg) and module.file.startswith("tests/"):
                yield from self._plain(module, node.arg)
            elif isinstance(node, ast.Constant) and str(node.value).isidentifier():
                if found := self.resolved((PACKAGE, str(node.value))):  # a table of functions
                    yield found

    def _plain(self, module: Module, name: str) -> Iterator[Name]:
        if name in module.parts:
            yield module.name, name
        elif name in module.imported:
            if found := self.resolved(module.imported[name]):
                yield found
        elif module.file.startswith("tests/"):
            for folder in Path(module.file).parents:
                conftest = (folder / "conftest").as_posix()
                if conftest in self.modules and name in self.modules[conftest].parts:
                    yield conftest, name

    def _dotted(self, module: Module, node: ast.Attribute) -> Iterator[Name]:
        """`cd.rnea`, where `cd` is a module."""
        if isinstance(node.value, ast.Name) and node.value.id in module.imported:
            if (found := self.resolved(module.imported[node.value.id])) and not found[1]:
                if inside := self.resolved((found[0], node.attr)):
                    yield inside

    @cached_property
    def users(self) -> dict[Name, set[Name]]:
        """By definition, those that name it."""
        found = dict[Name, set[Name]]()
        for module in self.modules.values():
            for name, statements in module.parts.items():
                for statement in statements:
                    for used in self.named(module, statement):
                        if used != (module.name, name):
                            found.setdefault(used, set()).add((module.name, name))
        return found

    def steps(self, changed: set[Name]) -> dict[Name, int]:
        """How many steps from what has changed each definition is that comes to it."""
        steps, layer = dict.fromkeys(changed, 0), changed
        while layer:
            layer = set().union(*(self.users.get(name, set()) for name in layer)) - steps.keys()
            steps |= dict.fromkeys(layer, max(steps.values()) + 1)
        return steps

    def tests(self, steps: dict[Name, int]) -> dict[str, int]:
        """The tests among some definitions, by "file::name"."""
        files = {name: self.modules[name[0]].file for name in steps}
        return {
            f"{file}::{name[1]}": steps[name]
            for name, file in files.items()
            if name[1].startswith("test") and Path(file).name.startswith("test_")
            if not file.startswith("tests/browser/")
        }


# What has changed -------------------------------------------------------------------------------


def changed_files(base: str, root: Path = ROOT) -> list[str]:
    """The files that differ from a commit, also those that are not yet added. BookError if there is no such commit."""
    found = set[str]()
    for command in (
        ["diff", "--name-only", "-z", base, "--"],
        ["ls-files", "-o", "--exclude-standard", "-z"],
    ):
        done = subprocess.run(
            ["git", *command], cwd=root, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise BookError(f"git {command[0]}: {done.stderr.strip() or 'failed'}")
        found |= set(filter(None, done.stdout.split("\0")))
    return sorted(found)


def changed_names(files: list[str], base: str, sources: Sources) -> set[Name]:
    """The definitions whose code differs from a commit's, and those that name a changed file which is not Python."""
    found = set[Name]()
    for file in files:
        module = sources.modules.get(_module_name(file)) if file.endswith(".py") else None
        if module is not None and module.file == file:
            command = ["git", "show", f"{base}:{file}"]
            done = subprocess.run(
                command, cwd=sources.root, capture_output=True, text=True, check=False
            )
            old = Module(file, module.name, ast.parse(done.stdout if not done.returncode else ""))
            for name in module.parts.keys() | old.parts.keys():
                if _code(module.parts.get(name, [])) != _code(old.parts.get(name, [])):
                    found.add((module.name, name))
        elif not file.endswith((".py", ".md", ".ipynb")):
            found |= set(_naming(Path(file).name, sources))
    return found


def _naming(file: str, sources: Sources) -> Iterator[Name]:
    """The definitions with a string that names a file."""
    for module in sources.modules.values():
        for name, statements in module.parts.items():
            for node in (node for statement in statements for node in ast.walk(statement)):
                if (
                    isinstance(node, ast.Constant)
                    and isinstance(node.value, str)
                    and file in node.value
                ):
                    yield module.name, name


# The plan ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """What is to be run: the files of tests, the nearest first, and what tells how near each test is.

    tests : steps by "file::name"; of_pages : tests that are run for the pages in their parameters alone; words : names
    and pages that have changed; others : files with tests that come to the change, but are left out.
    """

    files: list[str]
    tests: dict[str, int]
    of_pages: list[str]
    words: list[str]
    others: list[str]

    def rank(self, test: str) -> int | None:
        """How near a test is, by its "file::name[parameters]"; None if it is not to be run."""
        name, _, parameters = test.partition("[")
        told = any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", parameters) for word in self.words)
        if name in self.tests:
            return 0 if told else self.tests[name]
        return 0 if told and name in self.of_pages else None


def plan(files: list[str], base: str = "HEAD", most: int = 10, root: Path = ROOT) -> Plan:
    """Find the tests that a change of some files touches, and choose the `most` files that are nearest to it."""
    sources = Sources(root)
    changed = changed_names(files, base, sources)
    pages = {Path(file).stem for file in files if file.endswith((".md", ".ipynb"))}
    own = {module.rpartition(".")[2] for module, _ in changed}
    tests = sources.tests(sources.steps(changed))
    near = dict[str, list[int]]()
    for test, steps in tests.items():
        near.setdefault(test.partition("::")[0], []).append(steps)

    def order(file: str) -> tuple[int, bool, int, str]:
        least = min(near[file])
        return (
            least,
            Path(file).stem.removeprefix("test_") not in own,
            -near[file].count(least),
            file,
        )

    chosen = sorted(near, key=order)
    reading = {("book.pages", "chapters"), ("book.pages", "pages")}
    of_pages = (
        [test for test, steps in sources.tests(sources.steps(reading)).items() if steps < 4]
        if pages
        else []
    )
    for_pages = {test.partition("::")[0] for test in of_pages} - set(chosen[:most])
    words = pages | {
        name for module, name in changed if not module.startswith("test") and len(name) > 2
    }
    return Plan([*chosen[:most], *sorted(for_pages)], tests, of_pages, sorted(words), chosen[most:])


@contextlib.contextmanager
def planned(own: Plan, seconds: float) -> Iterator[None]:
    """Hand a plan to the plugin; after some seconds of tests only the nearest still begin."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.json"
        file.write_text(json.dumps({"plan": asdict(own), "seconds": seconds}), encoding="utf-8")
        os.environ[PLAN] = str(file)
        yield


# The plugin -------------------------------------------------------------------------------------


class Order:
    """Puts the nearest tests first, leaves out those that do not come to the change, and stops when the time is up."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.plan, self.seconds = Plan(**told["plan"]), float(told["seconds"])
        self.until, self.left = 0.0, 0
        self.ranks = dict[Any, int]()

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        found = ((self.plan.rank(item.nodeid), item) for item in items)
        self.ranks = {item: rank for rank, item in found if rank is not None}
        config.hook.pytest_deselected(items=[item for item in items if item not in self.ranks])
        items[:] = sorted(self.ranks, key=self.ranks.__getitem__)

    def pytest_collection_finish(self) -> None:
        self.until = time.monotonic() + self.seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> bool | None:
        if time.monotonic() < self.until or not self.ranks[item]:
            return None
        self.left += 1
        return True

    def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["left"] = self.left
        elif exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK  # nothing comes to the change

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.left += getattr(node, "workeroutput", {}).get("left", 0)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.left:
            terminalreporter.line(
                f"{self.left} more come to the change; there was no time for them"
            )


def pytest_configure(config: Any) -> None:
    config.pluginmanager.register(
        Order(json.loads(Path(os.environ[PLAN]).read_text(encoding="utf-8")))
    )
