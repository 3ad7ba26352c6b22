"""Notes to the teacher are on no page but the instructor's: an admonition of class ``teacher`` leaves the document."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

from book.edited import SHOWN


def leave_out(app: Sphinx, doctree: nodes.document) -> None:
    if app.config[SHOWN]:
        return
    for note in list(doctree.findall(nodes.admonition)):
        if "teacher" in note["classes"]:
            note.parent.remove(note)


def setup(app: Sphinx) -> None:
    app.add_config_value(SHOWN, False, "env")
    app.connect("doctree-read", leave_out)
