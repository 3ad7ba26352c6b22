"""What is mended in the pages: stops that stay beside their formulas."""

from __future__ import annotations

from docutils import nodes
from docutils.utils import new_document

from book.extensions.markup import keep_stops


def test_a_stop_stays_with_its_formula_and_no_word_changes():
    """Two commas are equal texts; the one that is moved is the one after the formula."""
    document = new_document("page")
    link, formulas = nodes.reference("", "force vectors"), [nodes.math("", x) for x in "XYZ"]
    texts = [nodes.Text(x) for x in ("You need ", ", ", " and ", ", ", ".")]
    parts = [
        texts[0],
        link,
        texts[1],
        formulas[0],
        texts[2],
        formulas[1],
        texts[3],
        formulas[2],
        texts[4],
    ]
    document += nodes.paragraph("", "", *parts)
    said = document.astext()
    keep_stops(None, document, "page")  # type: ignore[arg-type]
    assert document.astext() == said
    together = list(document.findall(nodes.inline))
    assert [one.astext() for one in together] == ["Y,", "Z."]
