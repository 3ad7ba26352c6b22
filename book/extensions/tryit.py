"""Places beside cells and exercises where a reader can run them, and what the browser needs for that.

The places are empty: without scripts, in a file that is opened, and where the site has no Python, there is nothing.
"""

from __future__ import annotations

import json
import shutil
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx_exercise.nodes import is_exercise_node

from book import live, tryit
from book.extensions.hosting import BOOK
from book.pages import chapters

FOLDER = "tryit"  # in the site
EDITOR = BOOK / "_assets" / "vendor" / "editor.js"


def possible() -> bool:
    """Whether the site has Python and an editor for its pages."""
    return live.ready() and EDITOR.is_file()


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """Put a place after each cell and exercise that can be tried."""
    page = Path(app.env.doc2path(app.env.docname))
    if not possible() or page not in chapters():
        return
    cells = [x for x in doctree.findall(nodes.container) if "cell" in x["classes"]]
    of_label = {x["label"]: x for x in doctree.findall(is_exercise_node)}
    for one in tryit.tries(page):
        node = of_label[one.name] if one.cell is None else cells[one.cell]
        if one.cell is not None and _source(node) != one.source.strip():
            raise ExtensionError(f"{page}: cell {one.cell} stands elsewhere on the page")
        node.parent.insert(node.parent.index(node) + 1, _place(one))


def _source(cell: nodes.Element) -> str:
    return next(iter(cell.findall(nodes.literal_block))).astext().strip()


def _place(one: tryit.Try) -> nodes.raw:
    kind = "cell" if one.cell is not None else "empty"
    said = {"data-try": one.name, "data-title": one.title, "data-kind": kind}
    words = " ".join(f'{name}="{escape(value)}"' for name, value in said.items())
    return nodes.raw("", f'<div class="try" {words}></div>', format="html")


def leave_data(app: Sphinx, exception: Exception | None) -> None:
    """Write what the browser fetches when a reader looks like trying something."""
    if exception or app.builder.name != "html" or not possible():
        return
    folder = Path(app.outdir, FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(BOOK / "judging.py", folder)
    for page in chapters():
        text = json.dumps(tryit.page_data(page), ensure_ascii=False, sort_keys=True)
        (folder / f"{page.stem}.json").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", mark)
    app.connect("build-finished", leave_data)
    if possible():
        app.add_js_file("tryit/tryit.js", loading_method="defer")
