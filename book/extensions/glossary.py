"""The terms of the glossary: in the index under the sections to which they lead, and in the text of chapters,
where the first mention of each leads to its definition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

PAGE = "book/glossary"
Entry = tuple[str, str, str, str, None]  # as in an index node: kind, text, anchor, "main", key
# Words that are on every page, or that text uses in other senses too: the definition would say the wrong thing.
PLAIN = set(
    "blow chain closure drift exponential impact impulse Jacobian joint link logarithm momentum pitch power"
    " projection".split()
)
# Where no term is marked: what is a link or no running text.
APART = (nodes.reference, addnodes.pending_xref, nodes.title, nodes.table, nodes.figure)


def sections(app: Sphinx, env: BuildEnvironment) -> dict[str, list[Entry]]:
    """Return index entries by page: each term at the section that its definition ends with."""
    found: dict[str, list[Entry]] = {}
    for item in env.get_and_resolve_doctree(PAGE, app.builder).findall(nodes.definition_list_item):
        links: list[Any] = [link for link in item.findall(nodes.reference) if "refuri" in link]
        page, _, anchor = links[-1]["refuri"].partition("#") if links else ("", "", "")
        name = f"chapters/{page.rpartition('/')[2].removesuffix('.html')}"
        if name in env.found_docs:
            terms = [term.astext() for term in item.findall(nodes.term)]
            found.setdefault(name, []).extend(("single", t, anchor, "main", None) for t in terms)
    return found


def enter_in_index(app: Sphinx, env: BuildEnvironment) -> list[str]:
    if PAGE not in env.found_docs:
        return []
    app.glossary_sections = sections(app, env)  # type: ignore[attr-defined]
    index = env.get_domain("index").data.setdefault("entries", {})
    for page, entries in app.glossary_sections.items():  # type: ignore[attr-defined]
        there = index.setdefault(page, [])
        there += [entry for entry in entries if entry not in there]
    return []


def spoken(term: str) -> list[str]:
    """The ways in which text says a term: "spatial inertia" for "inertia, spatial", and an abbreviation in brackets."""
    term, _, short = term.removesuffix(")").partition(" (")
    first, _, rest = term.partition(", ")
    return [way for way in (f"{rest} {first}".strip(), short) if way]


def watch_terms(app: Sphinx, doctree: nodes.document) -> None:
    """A chapter is made anew when the glossary has changed."""
    if PAGE in app.env.found_docs and app.env.docname.startswith("chapters/"):
        app.env.note_dependency(f"{PAGE}.md")


def mark_terms(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Lead from the first mention of each term in a chapter to the glossary, but for those that it explains itself."""
    if app.builder.name != "html" or not page.startswith("chapters/"):
        return
    explained = {entry[1] for entry in getattr(app, "glossary_sections", {}).get(page, [])}
    anchors, left = dict[str, str](), set[str]()
    for (kind, term), (where, anchor) in app.env.get_domain("std").data["objects"].items():
        if kind == "term" and where == PAGE:
            anchors.update((way.lower(), anchor) for way in spoken(term))
            if term not in explained | PLAIN:
                left.add(anchor)
    if not left:
        return
    # longer ones first: "centre of percussion" is no percussion
    ways = "|".join(re.escape(way) for way in sorted(anchors, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])({ways})s?(?![\w-])", re.IGNORECASE)
    address = app.builder.get_relative_uri(page, PAGE)
    for paragraph in list(doctree.findall(nodes.paragraph)):
        if _within(paragraph, APART):
            continue
        for text in [part for part in paragraph.children if isinstance(part, nodes.Text)]:
            marked = list(_marked(text.astext(), pattern, anchors, left, address))
            paragraph.replace(text, marked)


def _within(node: nodes.Node, kinds: tuple[type[nodes.Node], ...]) -> bool:
    while node := node.parent:
        if isinstance(node, kinds):
            return True
    return False


def _marked(
    text: str, pattern: re.Pattern[str], anchors: dict[str, str], left: set[str], address: str
) -> Iterator[nodes.Node]:
    """A text in parts: links for the terms in it that are left, which they are no longer, and what is between."""
    done = 0
    for found in pattern.finditer(text):
        anchor = anchors[found[1].lower()]
        if anchor in left:
            left.remove(anchor)
            yield nodes.Text(text[done : found.start()])
            link = f"{address}#{anchor}"
            yield nodes.reference("", found[0], internal=True, refuri=link, classes=["term"])
            done = found.end()
    yield nodes.Text(text[done:])


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", watch_terms)
    app.connect("doctree-resolved", mark_terms)
    app.connect("env-updated", enter_in_index)
