"""The terms of the glossary in index and search, under the sections to which they lead."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

PAGE = "book/glossary"
Entry = tuple[str, str, str, str, None]  # as in an index node: kind, text, anchor, "main", key


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


def enter_in_search(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """The search reads the index entries of each page; those of the glossary itself come last."""
    if page == PAGE:
        for node in doctree.findall(addnodes.index):
            node["entries"] = [(*entry[:3], "", entry[4]) for entry in node["entries"]]
    entries = getattr(app, "glossary_sections", {}).get(page)
    if entries:
        doctree += addnodes.index(entries=entries)


def setup(app: Sphinx) -> None:
    app.connect("env-updated", enter_in_index)
    app.connect("doctree-resolved", enter_in_search)
