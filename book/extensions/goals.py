"""``{path}``: sections of chapters in the order in which somebody reads them who wants something, with their times.

A line names a chapter by its file and, behind a colon, sections by their titles; without, its main path is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import DirectiveError
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.pages import ROOT, chapter_of
from book.reading import main_path, sections, spoken


class StopMissing(Exception):
    """A path names what is not in the book; the message says what."""


def stops(line: str, root: Path = ROOT) -> tuple[Path, list[tuple[str, int]], int]:
    """A line of a path: the chapter, the sections in it with their minutes (none: all), and the minutes together."""
    stem, _, named = line.partition(":")
    page = root / "chapters" / f"{stem.strip()}.md"
    if not page.is_file():
        raise StopMissing(f"a path names chapters/{stem.strip()}.md, which is not there")
    minutes = {one.title: one.minutes for one in sections(page)}
    titles = [title.strip() for title in named.split(";") if title.strip()]
    if wrong := [title for title in titles if title not in minutes]:
        raise StopMissing(f"a path names sections that {page.name} has not: {'; '.join(wrong)}")
    found = [(title, minutes[title]) for title in titles]
    return page, found, sum(m for _, m in found) if found else main_path(page)


class Goal(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        way, total = nodes.enumerated_list(enumtype="arabic", suffix="."), 0
        for line in filter(str.strip, self.content):
            try:
                page, named, minutes = stops(line)
            except StopMissing as error:
                raise DirectiveError(3, f"{error} (line {self.lineno})") from None
            self.env.note_dependency(str(page))
            way += nodes.list_item("", nodes.paragraph("", "", *self.stop(page, named, minutes)))
            total += minutes
        hours = max(1, round(total / 30)) * 30
        return [nodes.paragraph("", f"{spoken(hours).capitalize()}:", classes=["path-time"]), way]

    def stop(self, page: Path, named: list[tuple[str, int]], minutes: int) -> Iterator[nodes.Node]:
        about = chapter_of(page)
        yield self.link(page, "", f"{about['chapter']} {about['title']}")
        if not named:
            yield from (nodes.Text(" "), nodes.inline("", f"{minutes} min", classes=["minutes"]))
        for k, (title, own) in enumerate(named):
            yield nodes.Text(" · " if k else ": ")
            yield self.link(page, title, title.rstrip("*"))
            yield from (nodes.Text(" "), nodes.inline("", f"{own} min", classes=["minutes"]))

    def link(self, page: Path, title: str, words: str) -> nodes.Node:
        """To a page, or to the section of it with some title, which `lead` finds when all pages are read."""
        link = pending_xref(
            "",
            nodes.inline("", words),
            refdomain="std",
            reftype="doc",
            reftarget=f"/chapters/{page.stem}",
            refexplicit=True,
            refwarn=True,
            refdoc=self.env.docname,
        )
        link["section"] = title
        return link


def lead(app: Sphinx, doctree: nodes.document) -> None:
    """Give links to sections their anchors, which docutils makes of the titles."""
    for link in doctree.findall(pending_xref):
        if link.get("section"):
            link["reftype"], link["refdomain"] = "section-of", ""


def resolve(
    app: Sphinx, env: object, node: pending_xref, inside: nodes.Element
) -> nodes.Node | None:
    if node["reftype"] != "section-of":
        return None
    page = node["reftarget"].removeprefix("/")
    for section in app.env.get_doctree(page).findall(nodes.section):
        if section[0].astext() == node["section"]:
            address = app.builder.get_relative_uri(node["refdoc"], page)
            anchor = f"{address}#{section['ids'][0]}"
            return nodes.reference("", "", inside, internal=True, refuri=anchor)
    return None


def setup(app: Sphinx) -> None:
    app.add_directive("path", Goal)
    app.connect("doctree-read", lead)
    app.connect("missing-reference", resolve)
