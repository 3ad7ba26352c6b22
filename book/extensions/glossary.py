"""The terms of the glossary in index and search, under the sections to which they lead."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

PAGE = "book/glossary"


def lead_to_sections(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Enter each term in the index once more, at the section that its definition ends with."""
    if PAGE not in env.found_docs:
        return []
    entries = env.get_domain("index").data.setdefault("entries", {})
    doctree = env.get_and_resolve_doctree(PAGE, app.builder)
    for item in doctree.findall(nodes.definition_list_item):
        links = [link["refuri"] for link in item.findall(nodes.reference) if "refuri" in link]
        if not links:
            continue
        page, _, anchor = links[-1].partition("#")
        found = f"chapters/{page.rpartition('/')[2].removesuffix('.html')}"
        for term in item.findall(nodes.term):
            entry = ("single", term.astext(), anchor, "main", None)
            if found in env.found_docs and entry not in entries.setdefault(found, []):
                entries[found].append(entry)
    return []


def setup(app: Sphinx) -> None:
    app.connect("env-updated", lead_to_sections)
