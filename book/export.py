"""From chapters to package: the cells tagged ``export`` become the modules of ``chaindyn``.

Export goes one way. Each module starts with a comment that holds the hash of the text below it, so
that a module which somebody edited is told from one whose chapter has moved on: the second is
written anew, the first never.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from book.pages import (
    PACKAGE,
    ROOT,
    BookError,
    chapters,
    front_matter,
    last_heading,
    read_page,
    tags,
)

WIDTH = 100
_HEADER = re.compile(
    r"# Generated from (?P<source>\S+) by `python -m book export`; edit it there\.\n"
    r"# sha256 of the text below: (?P<digest>[0-9a-f]{64})\n"
)


@dataclass(frozen=True)
class ExportCell:
    """One cell tagged ``export``, parsed."""

    where: str  # file and first line of the cell, for messages
    section: str
    source: str
    tree: ast.Module


@dataclass
class Module:
    """What one module of the package is made from."""

    name: str
    docstring: str
    source: str  # the chapter's path from the project root
    number: int
    title: str
    cells: list[ExportCell] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"{PACKAGE}/{self.name.replace('.', '/')}.py"  # a room and its module: guards.pivots

    def definitions(self) -> list[str]:
        """The functions and classes that the cells define, in order."""
        return [
            node.name
            for cell in self.cells
            for node in cell.tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        ]


def modules(root: Path = ROOT) -> list[Module]:
    """All modules that the chapters export, in the chapters' order."""
    found: dict[str, Module] = {}
    for page in chapters(root):
        for module in _modules_of(page, page.relative_to(root).as_posix()):
            if module.name in found:
                raise BookError(
                    f"{module.source}: module {module.name!r} is already exported by "
                    f"{found[module.name].source}"
                )
            found[module.name] = module
    return list(found.values())


def exported_names(root: Path = ROOT) -> dict[str, Module]:
    """Every name without a leading underscore that a chapter exports, and the module that holds it."""
    return {
        name: module
        for module in modules(root)
        for name in module.definitions()
        if not name.startswith("_")
    }


def offered(root: Path = ROOT) -> dict[str, list[str]]:
    """What the package offers at its top, by module: what ``chaindyn/__init__.py`` imports from its modules.

    These names are kept; all others are helpers, which a reader may import and which promise nothing.
    """
    front = root / PACKAGE / "__init__.py"
    names: dict[str, list[str]] = {}
    for node in ast.parse(front.read_text(encoding="utf-8")).body if front.exists() else []:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{PACKAGE}."):
            module = (node.module or "").removeprefix(f"{PACKAGE}.")
            names.setdefault(module, []).extend(alias.name for alias in node.names)
    return names


def _modules_of(page: Path, source: str) -> list[Module]:
    header = front_matter(page).get(PACKAGE, {})
    try:
        number, title = header["chapter"], header["title"]
    except KeyError as missing:
        raise BookError(f"{source}: the front matter lacks {PACKAGE}.{missing.args[0]}") from None
    declared = header.get("modules") or {}
    found = {name: Module(name, doc, source, number, title) for name, doc in declared.items()}
    section = ""
    for cell in read_page(page).cells:
        if cell.cell_type == "markdown":
            section = last_heading(cell.source, section)
        elif "export" in tags(cell):
            where = f"{source}, cell {_first_line(cell.source)!r}"
            name = cell.metadata.get("module", next(iter(found), None))
            if name not in found:
                raise BookError(
                    f"{where}: exported to module {name!r}, which the front matter "
                    f"({PACKAGE}.modules) does not name; it names: {', '.join(found) or 'none'}"
                )
            found[name].cells.append(
                ExportCell(where, section, cell.source, _parse(cell.source, where))
            )
    for module in found.values():
        if not module.cells:
            raise BookError(f"{source}: no cell is exported to module {module.name!r}")
    return list(found.values())


def _first_line(source: str) -> str:
    return next((line for line in source.splitlines() if line.strip()), "")


# What may stand in an export cell ---------------------------------------------------------------


def _parse(source: str, where: str) -> ast.Module:
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise BookError(
            f"{where}, line {error.lineno}: an export cell holds plain Python: {error.msg}: "
            f"{(error.text or '').strip()}"
        ) from None
    end = 0
    for node in tree.body:
        allowed = isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef) or (
            isinstance(node, ast.ClassDef) and _is_frozen_dataclass(node)
        )
        if not allowed or node.lineno == end:
            statement = _first_line(ast.get_source_segment(source, node) or "")
            raise BookError(
                f"{where}, line {node.lineno}: an export cell holds imports, functions and frozen "
                f"dataclasses (@dataclass(frozen=True)), each on lines of its own; this one holds: "
                f"{statement}"
            )
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            raise BookError(f"{where}, line {node.lineno}: import names, not *")
        end = node.end_lineno or 0
    return tree


def _is_frozen_dataclass(node: ast.ClassDef) -> bool:
    return any(
        isinstance(call, ast.Call)
        and ast.unparse(call.func) in ("dataclass", "dataclasses.dataclass")
        and any(k.arg == "frozen" and ast.unparse(k.value) == "True" for k in call.keywords)
        for call in node.decorator_list
    )


# Imports ----------------------------------------------------------------------------------------


def _imports(module: Module) -> list[str]:
    """One statement for each imported name; those that would import from the module itself left out."""
    own = set(module.definitions())
    bound: dict[str, tuple[str, str]] = {}  # name in the module: (statement, where)
    for cell in module.cells:
        for node in cell.tree.body:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            origin = (
                "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            )
            if origin in (f"{PACKAGE}.{module.name}", f".{module.name}"):
                continue
            for alias in node.names:
                name = alias.asname or alias.name
                if origin in (PACKAGE, ".") and name in own:
                    continue
                single = _single(node, alias)
                if name in own or bound.get(name, (single,))[0] != single:
                    other = bound[name][0] if name in bound else f"the definition of {name}"
                    raise BookError(f"{cell.where}: {single!r} clashes with {other!r}")
                bound[name] = (single, cell.where)
    return [statement for statement, _ in bound.values()]


def _single(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import(names=[alias]))
    return ast.unparse(ast.ImportFrom(module=node.module, names=[alias], level=node.level))


# Text -------------------------------------------------------------------------------------------


def _body(cell: ExportCell) -> str:
    """The cell without its imports."""
    lines = cell.source.splitlines()
    for node in cell.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
    return "\n".join(lines).strip()


def _comment(module: Module, cell: ExportCell) -> str:
    text = f'Chapter {module.number}, "{module.title}"'
    if cell.section and cell.section != module.title:
        text += f": {cell.section}"
    return textwrap.fill(text, WIDTH, initial_indent="# ", subsequent_indent="# ")


def _docstring(module: Module) -> str:
    lead = f'Derived in chapter {module.number}, "{module.title}".'
    doc = module.docstring.strip()
    wrapped = textwrap.fill(doc, WIDTH - 3) if "\n" not in doc else doc
    return f'"""{wrapped}\n\n{textwrap.fill(lead, WIDTH)}\n"""'


def _ruff(arguments: list[str], text: str, path: str) -> str:
    command = [sys.executable, "-m", "ruff", *arguments, "--quiet", "--no-cache"]
    command += ["--config", str(ROOT / "pyproject.toml"), "--stdin-filename", str(ROOT / path), "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf-8")
    if run.returncode > 1 or (not run.stdout and text):
        raise BookError(f"{path}: ruff could not read the generated text:\n{run.stderr}")
    return run.stdout


def _undefined(module: Module, text: str) -> list[str]:
    found = json.loads(
        _ruff(["check", "--select", "F821", "--output-format", "json"], text, module.path)
    )
    names = [re.search(r"`([^`]+)`", item["message"]) for item in found]
    return sorted({match[1] for match in names if match})


def _assemble(module: Module, public: list[str], extra: Iterable[str] = ()) -> str:
    defined = module.definitions()
    repeated = sorted({n for n in defined if defined.count(n) > 1})
    if repeated:
        raise BookError(
            f"{module.source}: exported twice to {module.name!r}: {', '.join(repeated)}"
        )
    if strangers := sorted(set(public) - set(defined)):
        raise BookError(
            f"{PACKAGE}/__init__.py imports {', '.join(strangers)} from {module.name!r}, where no cell of "
            f"{module.source} defines it"
        )
    parts = [_docstring(module), "\n".join([*_imports(module), *extra])]
    typed = "" if public else ": list[str]"
    parts.append(f"__all__{typed} = {json.dumps(public)}")
    for cell in module.cells:
        if body := _body(cell):
            parts.append(f"{_comment(module, cell)}\n{body}")
    return "\n\n\n".join(part for part in parts if part) + "\n"


def generate(root: Path = ROOT) -> dict[str, str]:
    """The text of every exported module, by its path from the project root."""
    texts: dict[str, str] = {}
    all_modules = modules(root)
    public = offered(root)
    for position, module in enumerate(all_modules):
        # In a chapter with several modules a later one may use what an earlier one defines: in the
        # notebook the name is there, in the package it is imported.
        earlier = {
            name: other.name
            for other in all_modules[:position]
            if other.source == module.source
            for name in other.definitions()
        }
        missing = _undefined(module, _assemble(module, public.get(module.name, [])))
        if unknown := [name for name in missing if name not in earlier]:
            name = unknown[0]
            users = [
                c.where for c in module.cells if re.search(rf"\b{re.escape(name)}\b", c.source)
            ]
            raise BookError(
                f"{users[0] if users else module.source}: {name!r} is neither imported nor defined "
                f"in a cell exported to {module.name!r}"
            )
        extra = [f"from {PACKAGE}.{earlier[name]} import {name}" for name in missing]
        text = _assemble(module, public.get(module.name, []), extra)
        text = _ruff(
            ["check", "--fix", "--exit-zero", "--select", "I,F401,RUF022"], text, module.path
        )
        text = _ruff(["format"], text, module.path)
        texts[module.path] = _header(module.source, text) + text
    return texts


def _header(source: str, text: str) -> str:
    return (
        f"# Generated from {source} by `python -m book export`; edit it there.\n"
        f"# sha256 of the text below: {_digest(text)}\n"
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


# Files ------------------------------------------------------------------------------------------


def was_edited(text: str) -> bool:
    """Whether a module is not (or no longer) what export wrote."""
    match = _HEADER.match(text)
    return match is None or match["digest"] != _digest(text[match.end() :])


def orphans(root: Path, wanted: Iterable[str]) -> list[Path]:
    """Modules that export once wrote and that no chapter exports any more."""
    keep = {root / path for path in wanted}
    return [
        path
        for path in sorted((root / PACKAGE).rglob("*.py"))
        if path not in keep and _HEADER.match(path.read_text(encoding="utf-8"))
    ]


def _difference(old: str, new: str, path: str) -> str:
    lines = difflib.unified_diff(
        old.splitlines(keepends=True),
        new.splitlines(keepends=True),
        path,
        f"{path} (from the chapter)",
    )
    return "".join(lines)


def export(root: Path = ROOT, check: bool = False) -> int:
    """Write (or with ``check`` only compare) all modules; the number of those that are not right."""
    texts = generate(root)
    problems = 0
    for path, new in texts.items():
        target = root / path
        old = target.read_text(encoding="utf-8") if target.exists() else None
        if old == new:
            print(f"{path}: up to date")
        elif old is not None and was_edited(old):
            problems += 1
            print(f"{path}: edited by hand, so it is left alone. Move the change to the chapter,")
            print("then delete the module and export again. The difference:")
            print(_difference(old, new, path))
        elif check:
            problems += 1
            print(f"{path}: the chapter has changed (run: python -m book export). The difference:")
            print(_difference(old or "", new, path))
        else:
            target.parent.mkdir(exist_ok=True)
            target.write_text(new, encoding="utf-8", newline="\n")
            print(f"{path}: written")
    for path in orphans(root, texts):
        problems += 1
        print(f"{path.relative_to(root)}: no chapter exports it any more; delete it")
    return problems


def main(argv: list[str] | None = None) -> int:
    """``python -m book export [--check]``."""
    parser = argparse.ArgumentParser(prog="python -m book export", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail on any difference"
    )
    arguments = parser.parse_args(argv)
    return 1 if export(check=arguments.check) else 0
