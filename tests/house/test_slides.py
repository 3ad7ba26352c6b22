"""Slides: what they show and leave out, and that they ask no other host for anything."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest

from book.pages import chapters, main_chapters
from book.slides import ALIVE, THEME, WIDGET, html_of, short, slides_of, write_slides

made_of = cache(slides_of)
CHAPTERS = [pytest.param(page, id=page.stem) for page in chapters()]
MAIN = [pytest.param(page, id=page.stem) for page in main_chapters()]


@pytest.mark.parametrize("page", MAIN)
def test_a_chapter_has_slides_for_sections_equations_figures_and_functions(page):
    cells = made_of(page).cells
    kinds = [cell.metadata["slideshow"]["slide_type"] for cell in cells]
    assert kinds[0] == "slide" and kinds.count("slide") >= 5
    assert cells[0].source.startswith("# ")
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert "\\tag{" in prose and "## Summary" in prose
    assert "## Exercises" not in prose and "Solution" not in prose and "```{" not in prose
    assert not re.search(r"^judge_|attempt\(", "\n".join(cell.source for cell in cells), re.M)


def test_a_page_of_slides_asks_nobody_for_anything():
    (page,) = [page for page in chapters() if page.stem.startswith("09")]
    html = html_of(made_of(page))
    asked = set(
        re.findall(r"<(?:script|link|img|iframe)[^>]*?(?:src|href)=\"((?!data:)[^\"]+)", html)
    )
    assert asked == {
        "vendor/mathjax/tex-mml-chtml.js",
        "vendor/reveal/dist/reveal.js",
        "vendor/reveal/dist/reveal.css",
        "vendor/reveal/dist/theme/book.css",
        "vendor/stage.js",
        "vendor/widgets.js",
    }
    assert "Reveal.initialize(" in html and html.count("<section>") > 15
    assert not re.search(r"url\(['\"]?https?:|@import|import .* from 'http", html)
    pictures = re.findall(r"<img[^>]*>", html)
    assert len(pictures) >= 3 and all('alt="' in picture for picture in pictures)
    assert 'alt="A chain of bars hangs straight down' in html
    assert "subplots(" not in html  # a figure without the code that drew it


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_chapters_explorer_has_a_slide_with_the_state_that_the_loader_reads(page):
    slides = made_of(page)
    shown = [cell for cell in slides.cells if ALIVE in cell.metadata.get("tags", [])]
    explorers = re.findall(r"^\w+Explorer\(", page.read_text(encoding="utf-8"), re.M)
    assert len(shown) == len(explorers) and slides.metadata[ALIVE] == bool(shown)
    for cell in shown:
        html = cell.outputs[0].data["text/html"]
        view, state = (
            json.loads(re.search(f'<script type="{WIDGET}-{kind}\\+json">(.*?)</script>', html)[1])
            for kind in ("view", "state")
        )
        model = state["state"][view["model_id"]]["state"]
        assert "render" in model["_esm"] and ".chaindyn" in model["_css"] and model["scene"]
        assert "error" not in model["answer"] and re.search(r"<noscript>\w.{40}", html)


def test_slides_bring_the_loader_of_the_site_and_what_lights_the_stage(tmp_path):
    (page,) = [page for page in chapters() if page.stem.startswith("19")]  # it has no explorer
    (made,) = write_slides(tmp_path, [page])
    assert "widgets.js" not in made.read_text(encoding="utf-8")
    assert (tmp_path / "vendor" / "widgets.js").read_bytes() == (THEME / "widgets.js").read_bytes()
    stage = (tmp_path / "vendor" / "stage.js").read_text(encoding="utf-8")
    assert "WebGLRenderer" in stage and "dataset.stage = URL.createObjectURL" in stage


def test_exported_code_is_shown_with_one_line_of_docstring():
    source = '''from chaindyn._ops import Array


def f(x: Array) -> Array:
    """Return x.

    x : (n,) [m].
    """
    return x


class A:
    """An A."""

    def g(self) -> None:
        """Do nothing,
        twice."""
'''
    assert short(source) == (
        'def f(x: Array) -> Array:\n    """Return x."""\n    return x\n\n\n'
        'class A:\n    """An A."""\n\n    def g(self) -> None:\n        """Do nothing,"""'
    )
    assert short("import numpy as np") == ""
