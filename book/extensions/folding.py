"""Code steps back where its author says so: ``fold: "Draw the figure"`` in a cell's metadata folds it under that label.

A cell that is only tagged ``hide-input`` folds under `DRAWING`; all other code stands open. The folds are `<details>`,
which need no script. Parts of open cells (imports above other code, long docstrings, judges) are folded by
theme/book.js.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

DRAWING = "Draw the figure"


class FoldedCode(nodes.Element):
    """The source of a cell under its label."""


def label(metadata: dict[str, Any]) -> str:
    """What the code of a cell folds under, or "" where it stands open."""
    tagged = "hide-input" in metadata.get("tags", [])
    return str(metadata.get("fold", DRAWING if tagged else "") or "")


def fold_cells(app: Sphinx, doctree: nodes.document) -> None:
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") != "cell_code" or not cell.children:
            continue
        source = cell[0]
        if source.get("nb_element") != "cell_code_source":
            continue
        if said := label(cell["cell_metadata"]):
            cell["hide_mode"] = ""  # of MyST-NB's own fold, whose label says nothing
            lines = source.astext().strip().count("\n") + 1
            folded = FoldedCode(label=said, lines=lines)
            cell.replace(source, folded)
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
