"""``{chapter-map}``: a small map of the book's parts and chapters that shows where in it the page is."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from book.extensions.numbers import chapter_number

PLAN = Path(__file__).resolve().parents[1] / "chapters.yml"


class chapter_map(nodes.General, nodes.Element):
    """Where the map is drawn."""


class ChapterMap(SphinxDirective):
    """The map, with the page's own chapter (if it is one) marked."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(PLAN))
        return [chapter_map(page=self.env.docname)]


def visit_html(self: HTML5Translator, node: chapter_map) -> None:
    env = self.builder.env
    here = chapter_number(env, node["page"])
    parts = "".join(
        _part(self, part, here, node["page"]) for part in yaml.safe_load(PLAN.read_text("utf-8"))
    )
    self.body.append(
        f'<nav class="chapter-map" aria-label="Where we are in the book"><ol>{parts}</ol></nav>'
    )
    raise nodes.SkipNode


def _part(writer: HTML5Translator, part: dict[str, Any], here: int | None, page: str) -> str:
    chapters = part["chapters"]
    stops = "".join(_stop(writer, number, title, here, page) for number, title in chapters.items())
    kind = ' class="current"' if here in chapters else ""
    return (
        f'<li{kind}><span class="part">{part["part"]} <span>{escape(part["title"])}</span></span>'
        f"<ol>{stops}</ol></li>"
    )


def _stop(writer: HTML5Translator, number: int, title: str, here: int | None, page: str) -> str:
    label = f'<span class="number">{number}</span> <span class="title">{escape(title)}</span>'
    target = _pages(writer.builder.env).get(number)
    if number == here:
        return f'<li class="here" aria-current="page">{label}</li>'
    if target is None:
        return f'<li class="planned" title="{escape(title)} (planned)">{label}</li>'
    uri = writer.builder.get_relative_uri(page, target)
    return f'<li><a href="{escape(uri)}" title="{escape(title)}">{label}</a></li>'


def _pages(env: BuildEnvironment) -> dict[int, str]:
    """The chapters that the book has, by number."""
    numbers = {
        chapter_number(env, page): page for page in env.found_docs if page.startswith("chapters/")
    }
    return {number: page for number, page in numbers.items() if number is not None}


def skip(self: Any, node: chapter_map) -> None:
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    app.add_directive("chapter-map", ChapterMap)
    app.add_node(chapter_map, html=(visit_html, None), latex=(skip, None), text=(skip, None))
