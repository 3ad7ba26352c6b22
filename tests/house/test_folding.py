"""A cell's code folds under the label that its author gave it, and stands open where there is none."""

from __future__ import annotations

import ast

import pytest
from docutils import nodes
from docutils.utils import new_document

from book.extensions.folding import DRAWING, FoldedCode, fold_cells, label
from book.pages import code_cells, pages, read_page, tags

LABEL = 80  # characters
PAGES = [pytest.param(page, id=page.stem) for page in pages()]


@pytest.mark.parametrize(
    ("metadata", "says"),
    [
        ({}, ""),
        ({"tags": ["export"]}, ""),
        ({"fold": "The model"}, "The model"),
        ({"fold": "The wheel, drawn", "tags": ["hide-input"]}, "The wheel, drawn"),
        ({"tags": ["hide-input"]}, DRAWING),
        ({"fold": False, "tags": ["hide-input"]}, ""),
    ],
)
def test_labels(metadata, says):
    assert label(metadata) == says


def test_a_cell_with_a_label_folds_and_no_other():
    def cell(metadata):
        code = nodes.container("", nodes.literal_block("", "x = 1"), nb_element="cell_code_source")
        return nodes.container("", code, nb_element="cell_code", cell_metadata=metadata)

    page = new_document("page")
    page += [cell({"fold": "The model"}), cell({"tags": ["export"]})]
    fold_cells(None, page)
    folded, stands_open = (one[0] for one in page.children)
    assert isinstance(folded, FoldedCode) and folded["label"] == "The model"
    assert folded["lines"] == 1 and folded.astext() == "x = 1"
    assert not isinstance(stands_open, FoldedCode)


@pytest.mark.parametrize("page", PAGES)
def test_a_label_is_short_and_no_law_folds(page):
    for cell in code_cells(read_page(page)):
        said = label(cell.metadata)
        assert len(said) <= LABEL and said == said.strip(" :;,"), said
        if said and "export" in tags(cell):
            laws = [
                node for node in ast.parse(cell.source).body if isinstance(node, ast.FunctionDef)
            ]
            assert not laws, f"{said}: what a page derives stands open"


@pytest.mark.parametrize("page", PAGES)
def test_no_two_folds_of_a_page_have_one_label(page):
    said = [label(cell.metadata) for cell in code_cells(read_page(page))]
    drawn = [one for one in said if one not in ("", "Imports")]
    assert DRAWING not in drawn, "a label says what is drawn"
    assert len(drawn) == len({*drawn}), sorted({one for one in drawn if drawn.count(one) > 1})
