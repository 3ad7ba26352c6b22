"""Slides: what they show and leave out, and that they ask no other host for anything."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest

from book.edited import page_of
from book.lecture import LECTURES, MOST_EQUATIONS, MOST_WORDS, _part, lecture_of
from book.pages import BookError, chapter_of, chapters, main_chapters
from book.reading import sections
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


def main_sections(page):
    """The headings of a chapter's main path, and of its title."""
    ends = ("", "Summary", "Further reading")
    own = [x.title for x in sections(page) if not (x.second or x.exercises or x.title in ends)]
    return [chapter_of(page)["title"], *own]


@pytest.mark.parametrize("page", MAIN)
def test_a_lecture_has_a_slide_and_notes_for_each_section_of_the_main_path(page):
    parts = lecture_of(page)
    headings = re.findall(r"^#{1,3} +(.*\S)", page.read_text(encoding="utf-8"), re.M)
    assert not set(main_sections(page)) - parts.keys()
    assert [heading for heading in headings if heading in parts] == list(parts)
    for heading, part in parts.items():
        prose = re.sub(r"^\$\$.*?^\$\$.*?$", "", part.slide, flags=re.M | re.S)
        assert len(prose.split()) <= MOST_WORDS, f"{heading}: {len(prose.split())} words"
        assert part.slide.count("$$") <= 2 * MOST_EQUATIONS, heading
        assert 2 <= part.minutes <= 30, heading
        for note in (part.board, part.mistake):
            assert 5 <= len(note.split()) <= 60, f"{heading}: {note}"
    assert 30 <= sum(part.minutes for part in parts.values()) <= 180


@pytest.mark.parametrize("page", MAIN)
def test_no_slide_of_a_lecture_is_a_title_alone(page):
    cells = made_of(page).cells
    kinds = [cell.metadata["slideshow"]["slide_type"] for cell in cells]
    for cell, kind in zip(cells, kinds, strict=True):
        if kind == "notes":
            assert "minutes" in cell.source and "At the board" in cell.source
        elif cell.cell_type == "markdown":
            assert len(cell.source.split("\n")) > 1, cell.source
    assert kinds.count("notes") == len(lecture_of(page))


def test_every_lecture_belongs_to_a_chapter():
    assert {path.stem for path in LECTURES.glob("*.md")} <= {page.stem for page in chapters()}


GOOD = "* A sentence.\n\n{eq}`eq-1-field`\n\nMinutes: 8\nBoard: a\nlong one.\nMistake: none.\n"


def test_a_part_shows_its_equations_and_keeps_its_notes_apart():
    chapter = "$$\nu = 2\n$$\n\nAn equation without a name.\n\n$$\nv = 1\n$$ (eq-1-field)\n"
    part = _part(2, GOOD, "here", chapter)
    assert part.slide == "* A sentence.\n\n$$\nv = 1\n$$ (eq-1-field)"
    assert (part.minutes, part.board, part.mistake) == (8, "a long one.", "none.")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (GOOD.replace("eq-1-field", "eq-1-lost"), "has no equation 'eq-1-lost'"),
        (GOOD.replace("Board", "Bord"), "after the slide stand Minutes, Board, Mistake"),
        (GOOD.replace("8", "eight"), "after the slide stand"),
        (GOOD[GOOD.index("Minutes") :], "there is nothing to show"),
    ],
)
def test_a_part_that_is_not_one_is_refused(wrong, words):
    with pytest.raises(BookError, match=words):
        _part(2, wrong, "here", "$$\nv = 1\n$$ (eq-1-field)\n")


@pytest.mark.parametrize("page", MAIN)
def test_the_notes_stand_in_the_instructors_edition_alone(page):
    assert page_of(page, "instructor").count("For the teacher") == len(lecture_of(page))
    for edition in ("student", "solutions", "slides"):
        assert "For the teacher" not in page_of(page, edition)


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
        "vendor/reveal/plugin/notes.js",
        "vendor/reveal/dist/theme/book.css",
        "vendor/stage.js",
        "vendor/widgets.js",
    }
    assert "Reveal.initialize(" in html and html.count("<section>") > 15
    assert not re.search(r"url\(['\"]?https?:|@import|import .* from 'http", html)
    pictures = re.findall(r"<img[^>]*>", html)
    assert len(pictures) >= 2 and all('alt="' in picture for picture in pictures)
    assert 'alt="A chain of bars hangs straight down' in html
    assert "subplots(" not in html  # a figure without the code that drew it


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_chapters_explorer_has_a_slide_with_the_state_that_the_loader_reads(page):
    slides = made_of(page)
    shown = [cell for cell in slides.cells if ALIVE in cell.metadata.get("tags", [])]
    source, starred = page.read_text(encoding="utf-8"), r"^#{1,2} +[^\n]*\*\n.*?(?=^#{1,2} |\Z)"
    if page in main_chapters():
        source = re.sub(starred, "", source, flags=re.M | re.S)
    widgets = re.findall(r"^(?:\w+Explorer|Sketch)\(", source, re.M)
    assert len(shown) == len(widgets) and slides.metadata[ALIVE] == bool(shown)
    for cell in shown:
        html = cell.outputs[0].data["text/html"]
        view, state = (
            json.loads(re.search(f'<script type="{WIDGET}-{kind}\\+json">(.*?)</script>', html)[1])
            for kind in ("view", "state")
        )
        model = state["state"][view["model_id"]]["state"]
        assert "render" in model["_esm"] and ".chaindyn" in model["_css"] and model["scene"]
        assert "error" not in model.get("answer", {}) and re.search(r"<noscript>\w.{40}", html)


def test_slides_bring_the_loader_of_the_site_and_what_lights_the_stage(tmp_path):
    (page,) = [page for page in chapters() if page.stem.startswith("28")]  # nothing in it is alive
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
