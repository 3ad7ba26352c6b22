"""Code steps back where its author says so: ``fold: "Draw the figure"`` in a cell's metadata folds it under that label.

A cell that is only tagged ``hide-input`` folds under `DRAWING`; all other code stands open. Laws that the text does not
discuss line by line are tagged ``signatures``: of these the first lines stand, with what they say of themselves, and
the rest folds. The folds are `<details>`, which need no script. Parts of open cells (imports above other code, long
docstrings, judges) are folded by theme/book.js.
"""

from __future__ import annotations

import ast
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.application import Sphinx

DRAWING = "Draw the figure"
SIGNATURES = "signatures"  # the tag


class FoldedCode(nodes.Element):
    """The source of a cell under its label."""


def label(metadata: dict[str, Any]) -> str:
    """What the code of a cell folds under, or "" where it stands open."""
    tagged = "hide-input" in metadata.get("tags", [])
    return str(metadata.get("fold", DRAWING if tagged else "") or "")


def signatures(source: str) -> str:
    """The first lines of all that some code defines, each with the first sentence that it says of itself."""
    lines, said = source.splitlines(), list[str]()
    for node in ast.parse(source).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        said += [""] * bool(said) + lines[node.lineno - 1 : node.body[0].lineno - 1]
        first = (ast.get_docstring(node) or "").split("\n\n")[0].split(".\n")[0]
        said.append(f'    """{" ".join(first.split()).rstrip(".")}."""' if first else "    ...")
    return "\n".join(said)


def _signatures(source: str) -> nodes.raw:
    html = highlight(signatures(source), PythonLexer(), HtmlFormatter(nowrap=True))
    return nodes.raw(
        "", f'<div class="highlight signatures"><code>{html}</code></div>', format="html"
    )


def fold_cells(app: Sphinx, doctree: nodes.document) -> None:
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") != "cell_code" or not cell.children:
            continue
        source = cell[0]
        if source.get("nb_element") != "cell_code_source":
            continue
        short = SIGNATURES in cell["cell_metadata"].get("tags", [])
        if said := "all of it" if short else label(cell["cell_metadata"]):
            cell["hide_mode"] = ""  # of MyST-NB's own fold, whose label says nothing
            lines = source.astext().strip().count("\n") + 1
            folded = FoldedCode(label=said, lines=lines)
            cell.replace(source, [_signatures(source.astext()), folded] if short else folded)
            folded += source


def open_fold(self: Any, node: FoldedCode) -> None:
    lines = f"{node['lines']} line{'s' if node['lines'] > 1 else ''}"
    self.body.append(
        f'<details class="folded-code"><summary>{self.encode(node["label"])} '
        f'<span class="lines">{lines}</span></summary>\n'
    )


def close_fold(self: Any, node: FoldedCode) -> None:
    self.body.append("</details>\n")


def setup(app: Sphinx) -> None:
    app.add_node(FoldedCode, html=(open_fold, close_fold))
    app.connect("doctree-read", fold_cells)
