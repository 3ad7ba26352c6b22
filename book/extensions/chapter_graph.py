"""``{chapter-graph}``: which chapter needs which, drawn from ``needs`` in their front matter.

An edge is left out where a longer way says the same: 9 needs 8 and 8 needs 5, so 9 needs 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from itertools import pairwise
from textwrap import wrap
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from book.extensions.chapter_map import PLAN, skip
from book.pages import BookError, chapter_of, chapters

Needs = Mapping[int, list[int]]

WIDE, HIGH, GAP, STEP = 128, 74, 16, 122  # of a box, between two, and from row to row [px]


class chapter_graph(nodes.General, nodes.Element):
    """Where the graph is drawn."""


class ChapterGraph(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        for page in (PLAN, *chapters()):
            self.env.note_dependency(str(page))
        return [chapter_graph()]


def needs_of_chapters() -> dict[int, list[int]]:
    """What each chapter, not appendix, says that it needs. BookError where that is no earlier chapter of the book."""
    said = {page: chapter_of(page) for page in chapters()}
    found = {own["chapter"] for own in said.values()}
    for page, own in said.items():
        needs = own.get("needs")
        if not isinstance(needs, list):
            raise BookError(f"{page.name}: the front matter has no list `needs` of chapters")
        if wrong := [n for n in needs if n not in found or n >= own["chapter"]]:
            raise BookError(f"{page.name}: needs {wrong}, which are no earlier chapters")
    return {own["chapter"]: own["needs"] for own in said.values() if not own.get("appendix")}


def all_needed(needs: Needs) -> dict[int, set[int]]:
    """All that has to be read before each chapter."""
    found = dict[int, set[int]]()
    for chapter in sorted(needs):
        found[chapter] = set(needs[chapter]).union(*(found[n] for n in needs[chapter]))
    return found


def edges(needs: Needs) -> list[tuple[int, int]]:
    """(earlier, later) where no other chapter lies between."""
    every = all_needed(needs)
    return [
        (one, chapter)
        for chapter, direct in sorted(needs.items())
        for one in sorted(direct)
        if not any(one in every[other] for other in direct)
    ]


Way = tuple[int, int, int]  # where the line from a chapter to another passes a row


def ranks(needs: Needs) -> dict[int, int]:
    """The row of each chapter: the length of the longest way to it."""
    found = dict[int, int]()
    for chapter in sorted(needs):
        found[chapter] = max((found[n] + 1 for n in needs[chapter]), default=0)
    return found


def rows(needs: Needs) -> list[list[int | Way]]:
    """What stands or passes in each row, ordered by where that which it comes from stands in the row above."""
    rank = ranks(needs)
    above = dict[int | Way, list[int | Way]]({chapter: [] for chapter in needs})
    level_of = dict[int | Way, int](rank.items())
    for one, other in edges(needs):
        last: int | Way = one
        for level in range(rank[one] + 1, rank[other]):
            way = (one, other, level)
            above[way], level_of[way] = [last], level
            last = way
        above[other].append(last)
    found, place = list[list[int | Way]](), dict[int | Way, float]()
    for level in range(max(rank.values()) + 1):
        row = [item for item in above if level_of[item] == level]
        near = {item: [place[one] for one in above[item]] or [0.0] for item in row}
        row.sort(key=lambda item: sum(near[item]) / len(near[item]))
        place |= _places(row)
        found.append(row)
    return found


def _places(row: list[int | Way]) -> dict[int | Way, float]:
    """The middle of each thing in a row [px], the middle of the row being 0."""
    wide = [WIDE if isinstance(item, int) else GAP for item in row]
    left = -(sum(wide) + GAP * (len(row) - 1)) / 2
    found = dict[int | Way, float]()
    for item, own in zip(row, wide, strict=True):
        found[item] = left + own / 2
        left += own + GAP
    return found


def in_words(needs: Needs) -> str:
    """What the picture says, for those who do not see it."""
    said = [
        f"{chapter} needs {', '.join(map(str, direct))}" if direct else f"{chapter} needs nothing"
        for chapter, direct in sorted(needs.items())
    ]
    return "Which chapter needs which earlier ones: " + "; ".join(said) + "."


def drawn(needs: Needs, titles: Mapping[int, str]) -> str:
    """The graph as SVG, in the colours of the page that it stands in."""
    levels = rows(needs)
    places = [_places(row) for row in levels]
    width = 2 * max(abs(x) for row in places for x in row.values()) + WIDE + 2 * GAP
    at = {
        item: (width / 2 + x, float(GAP + level * STEP))
        for level, row in enumerate(places)
        for item, x in row.items()
    }
    height = (len(levels) - 1) * STEP + HIGH + 2 * GAP
    rank = ranks(needs)
    parts = [
        _line([at[one], *(at[one, other, k] for k in range(rank[one] + 1, rank[other])), at[other]])
        for one, other in edges(needs)
    ]
    parts += [_box(*at[chapter], chapter, titles[chapter]) for chapter in sorted(needs)]
    alt = escape(in_words(needs), quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" role="img" '
        f'aria-label="{alt}">{"".join(parts)}</svg>'
    )


def _line(points: list[tuple[float, float]]) -> str:
    """From below the first to above the last, straight past the rows between."""
    drawn = f"M{points[0][0]:g} {points[0][1] + HIGH:g}"
    for (x, y), (u, v) in pairwise(points):
        y, bend = y + HIGH, (v - y - HIGH) / 2
        drawn += f"C{x:g} {y + bend:g} {u:g} {v - bend:g} {u:g} {v:g}V{v + HIGH:g}"
    return f'<path d="{drawn.rpartition("V")[0]}"/>'


def _box(x: float, y: float, chapter: int, title: str) -> str:
    lines = wrap(title, 17)
    words = "".join(
        f'<text x="{x:g}" y="{y + 33 + 15 * k:g}">{escape(line)}</text>'
        for k, line in enumerate(lines)
    )
    return (
        f'<rect x="{x - WIDE / 2:g}" y="{y:g}" width="{WIDE}" height="{HIGH}" rx="6"/>'
        f'<text class="number" x="{x:g}" y="{y + 17:g}">{chapter}</text>{words}'
    )


def titles() -> dict[int, str]:
    """The short titles of the plan."""
    plan: list[dict[str, Any]] = yaml.safe_load(PLAN.read_text("utf-8"))
    return {number: title for part in plan for number, title in part["chapters"].items()}


def visit_html(self: HTML5Translator, node: chapter_graph) -> None:
    self.body.append(
        f'<figure class="chapter-graph" tabindex="0">{drawn(needs_of_chapters(), titles())}</figure>'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    app.add_directive("chapter-graph", ChapterGraph)
    app.add_node(chapter_graph, html=(visit_html, None), latex=(skip, None), text=(skip, None))
