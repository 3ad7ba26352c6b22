"""No module of the book's tools or of the package needs, at the top or inside a function, one that needs it."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from book.pages import ROOT


def imports(root: Path, package: str) -> dict[str, set[str]]:
    """For each module of a package those that it imports by name, in functions too."""
    modules = dict[str, Path]()
    for file in (root / package).rglob("*.py"):
        if any(folder.startswith("_") for folder in file.relative_to(root).parts[:-1]):
            continue  # what was built there: the site, the lab
        modules[
            ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        ] = file
    found = {name: set[str]() for name in modules}
    for name, file in modules.items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found[name] |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{file}: import from the package by its name"
                found[name] |= {_meant(node.module, alias.name, modules) for alias in node.names}
        found[name] &= modules.keys() - {name}
    return found


def _meant(module: str, name: str, modules: dict[str, Path]) -> str:
    """The module that ``from module import name`` imports."""
    return f"{module}.{name}" if f"{module}.{name}" in modules else module


@pytest.mark.parametrize("package", ["book", "chaindyn"])
def test_no_module_imports_itself_through_others(package):
    try:
        TopologicalSorter(imports(ROOT, package)).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_guards_know_no_laws_and_the_compiler_knows_them_by_one_file():
    found = imports(ROOT, "chaindyn")
    rooms = {f"chaindyn.{name}" for name in ("guards", "compiler", "models", "jobs", "widgets")}
    ground = {"chaindyn", "chaindyn._ops", "chaindyn.array_types", "chaindyn.teaching"}
    laws = {name for name in found if name.rpartition(".")[0] == "chaindyn"} - rooms - ground
    beyond = {name: own & laws for name, own in found.items() if own & laws}
    assert [name for name in beyond if name.startswith("chaindyn.guards")] == []
    knowing = {name for name in beyond if name.startswith("chaindyn.compiler.")}
    in_time = (
        "rollouts",
        "contacts",
        "pairs",
        "closed",
        "touching",
        "touching_rollouts",
        "yielding",
    )  # they step by what chapters say of motion and touch
    assert knowing == {f"chaindyn.compiler.{name}" for name in ("ways", *in_time)}


def test_a_circle_is_found(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "__init__.py").write_text("from book import a\n")
    (tmp_path / "book" / "a.py").write_text("def f():\n    from book.b import g\n")
    (tmp_path / "book" / "b.py").write_text("import book.a\n")
    found = imports(tmp_path, "book")
    assert found == {"book": {"book.a"}, "book.a": {"book.b"}, "book.b": {"book.a"}}
    with pytest.raises(CycleError):
        TopologicalSorter(found).prepare()
