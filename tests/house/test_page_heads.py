"""What the pages' style is made of, and how wide figures must be."""

from __future__ import annotations

import pytest

from book.extensions.figures import legible_width
from book.extensions.hosting import _anew


@pytest.mark.parametrize(
    ("css", "sheet", "anew"),
    [
        ('a { src: url("../vendor/a.woff2") }', "_static/book.css", 'a { src: url("../vendor/a.woff2") }'),
        ("a { src: url(../vendor/a.woff2) }", "_static/styles/t.css", 'a { src: url("vendor/a.woff2") }'),
        ("a { src: url('data:x') }", "_static/styles/t.css", "a { src: url('data:x') }"),
        ('@charset "utf-8";/* b */@import "../basic.css";a {}', "_static/styles/t.css", "a {}"),
    ],
)  # fmt: skip
def test_addresses_in_the_one_style_sheet(css, sheet, anew):
    assert _anew(css, sheet) == anew


def test_the_smallest_words_decide_how_wide_a_figure_is():
    svg = '<svg height="100pt" width="400pt"><g transform="scale(0.12 -0.12)"/><g transform="scale(0.1 -0.1)"/></svg>'
    assert legible_width(svg) == 360
    assert legible_width("<svg></svg>") is None
