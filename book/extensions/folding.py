"""Code steps back: imports, checks, drawings and long classes fold under a label that says what they hold.

What a cell holds is read from its tags and its syntax, so that no page has to say it. One that should be labelled
otherwise, or stand open, says so in its metadata: ``fold: "The model"``, ``fold: false``. The folds are `<details>`,
which need no script. The lines of imports above other code, and the bodies of long classes beside functions, are folded
by theme/book.js.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from book.extensions.exported import section_of

LONG = 25  # lines, above which a class folds, and so does what is neither exported nor a result
SHORT = 5  # lines that are not worth a fold
LABEL = 72  # characters
DRAWING = "How the figure is drawn"
CHECKS = ("check", "agree", "same")  # functions that take what they hold to first, and say it


class FoldedCode(nodes.Element):
    """The source of a cell under its label."""


def label(source: str, metadata: dict[str, Any], section: str = "") -> str:
    """What the code of a cell in some section folds under, or "" where it stands open."""
    chosen = metadata.get("fold")
    if chosen is not None:
        return str(chosen or "")
    tags = metadata.get("tags", [])
    body = ast.parse(source).body
    lines = source.strip().count("\n") + 1
    if "hide-input" in tags or (lines > SHORT and _draws(body, metadata)):
        return DRAWING
    if lines <= SHORT or "solution" in tags or _calls(body, "attempt"):
        return ""
    if all(isinstance(node, ast.Import | ast.ImportFrom) for node in body):
        return "Imports"
    if "export" in tags:
        return _exported_classes(body) if lines > LONG else ""
    if _calls(body, *CHECKS, "normwise") or _asserts(body):
        return _shortened(
            "Check: ", [*_said(body, *CHECKS)] or [*_said(body, "print")][:1] or [section]
        )
    if lines > LONG:
        names = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        return _shortened("Code: ", names or [section])
    return ""


def _walk(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes, in the order in which they are written."""
    for child in body:
        yield from _in_order(child)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def _name(node: ast.AST) -> str:
    """The name of what a node calls, or ""."""
    if not isinstance(node, ast.Call):
        return ""
    called = node.func
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _calls(body: list[ast.stmt], *names: str) -> bool:
    return any(_name(node) in names for node in _walk(body))


def _asserts(body: list[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Assert) for node in _walk(body))


def _draws(body: list[ast.stmt], metadata: dict[str, Any]) -> bool:
    """Whether a cell ends in a figure: its metadata describe one, and it asks matplotlib for axes."""
    pictured = metadata.get("mystnb", {}).keys() & {"image", "figure"}
    return bool(pictured) and _calls(body, "subplots", "figure", "show")


def _exported_classes(body: list[ast.stmt]) -> str:
    """The label of a cell that exports classes and nothing else."""
    rest = [node for node in body if not isinstance(node, ast.Import | ast.ImportFrom)]
    names = [node.name for node in rest if isinstance(node, ast.ClassDef)]
    if len(names) < len(rest):
        return ""
    return f"The exported class{'es' if len(names) > 1 else ''} {_series(names)}"


def _series(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _said(body: list[ast.stmt], *names: str) -> dict[str, None]:
    """What calls of some functions say first, each once, without what is put in when they run."""
    texts = dict[str, None]()
    for node in _walk(body):
        if _name(node) in names and isinstance(node, ast.Call) and node.args:
            if text := _constant(node.args[0]):
                texts[text] = None
    return texts


def _constant(text: ast.expr) -> str:
    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
    fixed = [
        part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "…"
        for part in parts
    ]
    line = " ".join("".join(fixed).split())
    return re.sub(r"^[…\s:;,.]+|[\s:;,.]+…?$", "", line)


def _shortened(start: str, texts: list[str]) -> str:
    """As many of some texts as fit into a label, and how many more there are."""
    for shown in range(len(texts), 0, -1):
        more = f" and {len(texts) - shown} more" if shown < len(texts) else ""
        made = start + "; ".join(texts[:shown]) + more
        if len(made) <= LABEL:
            return made
    return f"{start}{texts[0]}" + (f" and {len(texts) - 1} more" if len(texts) > 1 else "")


def fold_cells(app: Sphinx, doctree: nodes.document) -> None:
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") != "cell_code" or not cell.children:
            continue
        source = cell[0]
        if source.get("nb_element") != "cell_code_source":
            continue
        if said := label(source.astext(), cell["cell_metadata"], section_of(cell)):
            cell["hide_mode"] = ""  # of MyST-NB's own fold, whose label says nothing
            lines = source.astext().strip().count("\n") + 1
            folded = FoldedCode(label=said, lines=lines, drawing=said == DRAWING)
            cell.replace(source, folded)
            folded += source


def open_fold(self: Any, node: FoldedCode) -> None:
    lines = f"{node['lines']} line{'s' if node['lines'] > 1 else ''}"
    drawing = " drawing" if node["drawing"] else ""
    self.body.append(
        f'<details class="folded-code{drawing}"><summary>{self.encode(node["label"])} '
        f'<span class="lines">{lines}</span></summary>\n'
    )


def close_fold(self: Any, node: FoldedCode) -> None:
    self.body.append("</details>\n")


def setup(app: Sphinx) -> None:
    app.add_node(FoldedCode, html=(open_fold, close_fold))
    app.connect("doctree-read", fold_cells)
