"""``{scene}``: a paragraph of an essay, and what the picture above takes while it is read (theme/essay.js).

An essay is a page with one explorer and the scenes right after it. A scene's argument is JSON, of the explorer's
request whatever differs from the scene before. Without the script, and in print, picture and text stand one after the
other.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

from docutils import nodes
from docutils.parsers.rst import DirectiveError
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def change_of(argument: str) -> str:
    """What a scene sets, as the page holds it. Raises `ValueError` where it is no JSON object."""
    change = json.loads(argument or "{}")
    if not isinstance(change, dict):
        raise ValueError(f"{argument} is no object, as {{}} is")
    return json.dumps(change, separators=(",", ":"))


class Scene(SphinxDirective):
    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        try:
            change = change_of(" ".join(self.arguments))
        except ValueError as error:
            raise DirectiveError(3, f"a scene sets what is no JSON: {error}") from None
        head = f'<div class="scene" data-take="{escape(change)}">'
        return [
            nodes.raw("", head, format="html"),
            *self.parse_content_to_nodes(),
            nodes.raw("", "</div>", format="html"),
        ]


def add_script(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if '<div class="scene"' in context.get("body", ""):
        app.add_js_file("essay.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    app.add_directive("scene", Scene)
    app.connect("html-page-context", add_script)
