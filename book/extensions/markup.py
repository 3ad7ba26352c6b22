"""Mend what the writers of pages offer no setting for: markup that assistive technology stumbles on, and widgets
where there are no scripts."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

REPAIRS = {
    # docutils: entries of a bibliography, in an element of role "list"; the old role was withdrawn from ARIA.
    ' role="doc-biblioentry"': ' role="listitem"',
}


def repair(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    for wrong, right in REPAIRS.items():
        context["body"] = context.get("body", "").replace(wrong, right)


def describe_widgets(app: Sphinx, doctree: nodes.document) -> None:
    """Where a widget cannot run, its cell's alt text says what it shows."""
    for view in list(doctree.findall(nodes.raw)):
        if "application/vnd.jupyter.widget-view+json" not in view.astext():
            continue
        cell = view.parent
        while cell is not None and "cell_metadata" not in cell:
            cell = cell.parent
        metadata = cell["cell_metadata"] if cell is not None else {}
        alt = metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        words = f"This widget needs JavaScript. What it shows: {escape(alt)}"
        view.parent.append(nodes.raw("", f"<noscript><p>{words}</p></noscript>", format="html"))


def keep_stops(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """A stop or a comma after a formula stays on its line: a browser would break before it."""
    for formula in list(doctree.findall(nodes.math)):
        after = formula.next_node(descend=False, siblings=True)
        stop = (
            re.match(r"[.,;:!?)\]’”]+", after.astext()) if isinstance(after, nodes.Text) else None
        )
        if stop is None:
            continue
        around = after.parent.children
        # not by `index`: equal texts may come before
        place = next(k for k, node in enumerate(around) if node is after)
        after.parent[place] = nodes.Text(after.astext()[stop.end() :])
        together = nodes.inline(classes=["keep-together"])
        formula.replace_self(together)
        together += [formula, nodes.Text(stop[0])]


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", describe_widgets)
    app.connect("doctree-resolved", keep_stops)
    app.connect("html-page-context", repair)
