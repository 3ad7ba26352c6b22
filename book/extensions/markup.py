"""Repair markup that assistive technology stumbles on, where its writer offers no setting."""

from __future__ import annotations

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


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", repair)
