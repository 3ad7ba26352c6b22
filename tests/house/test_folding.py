"""A cell's code folds under the label that its author gave it, and stands open where there is none."""

from __future__ import annotations

import ast

import pytest

from book.extensions.folding import DRAWING, label
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
