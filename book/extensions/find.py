"""What the search looks through: each section of the book, with its text but without its code, under all its names.

A section's names are its title and the terms of the glossary that it explains; a function of the API has its own. One
file of it is fetched when somebody searches (theme/find.js).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from book.extensions.glossary import PAGE as GLOSSARY
from book.extensions.glossary import spoken
from book.extensions.numbers import chapter_number

FILE = "find.json"  # in the site
# Not what somebody reads: code, what it printed, tables of numbers, what leads elsewhere, and displays.
APART = (
    nodes.literal_block,
    nodes.raw,
    nodes.comment,
    nodes.math_block,
    nodes.table,
    nodes.image,
    nodes.section,
    nodes.title,
    nodes.target,
    addnodes.index,
    addnodes.desc,
)
# What students type, for what the section calls by its full name.
ALSO = {
    "complementarity": "LCP linear complementarity problem",
    "articulated-body inertia": "ABA articulated-body algorithm",
    "quaternion": "quaternion derivative, rate of a quaternion",
}


def section_rows(app: Sphinx, page: str) -> Iterator[list[Any]]:
    """Each section of a page: its page, anchor, title, that of the page, other names, and text."""
    doctree = app.env.get_doctree(page)
    title = app.env.titles[page].astext()
    number = chapter_number(app.env, page)
    names = dict[str, list[str]]()
    for _, term, anchor, *_ in getattr(app, "glossary_sections", {}).get(page, []):
        names.setdefault(anchor, []).extend([*spoken(term), ALSO.get(term, "")])
    within = f"{number}. {title}" if number is not None else title
    for section in doctree.findall(nodes.section):
        if "solution-content" in section["ids"]:
            continue
        around = section.parent if "exercise-content" in section["ids"] else section
        own = next(iter(around.findall(nodes.title)), None)
        head = _text(own) if own is not None else title
        anchor = "" if isinstance(section.parent, nodes.document) else around["ids"][0]
        also = ", ".join(name for one in section["ids"] for name in names.get(one, []) if name)
        yield [page, anchor, head, within, also, _text(section)]


def other_rows(app: Sphinx, page: str) -> Iterator[list[Any]]:
    """The terms of the glossary, and the functions of the API, with what is said of each."""
    doctree, title = app.env.get_doctree(page), app.env.titles[page].astext()
    if page == GLOSSARY:
        for item in doctree.findall(nodes.definition_list_item):
            terms = list(item.findall(nodes.term))
            said = next(iter(item.findall(nodes.definition)))
            also = ", ".join(way for term in terms for way in spoken(term.astext()))
            yield [page, terms[0]["ids"][0], terms[0].astext(), title, also, _text(said)]
    for entry in doctree.findall(addnodes.desc):
        signature = next(iter(entry.findall(addnodes.desc_signature)), None)
        said = next(iter(entry.findall(addnodes.desc_content)), None)
        if signature is not None and signature["ids"]:
            name = signature["ids"][0].removeprefix("chaindyn.")
            yield [page, signature["ids"][0], name, title, "", _text(said) if said else ""]


def _text(node: nodes.Node) -> str:
    """What is read of a node, on one line; formulas as TeX between dollars."""
    return " ".join("".join(_parts(node)).split())


def _parts(node: nodes.Node) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child.astext()
        elif isinstance(child, nodes.math):
            yield f"${child.astext()}$"
        elif isinstance(child, addnodes.pending_xref) and child.astext() == child["reftarget"]:
            continue  # a number or an author that the site will put there
        elif "cell" in getattr(child, "attributes", {}).get("classes", ()):
            continue
        elif not isinstance(child, APART):
            yield from _parts(child)
            if not isinstance(child, nodes.Inline | nodes.TextElement):
                yield " "
            elif isinstance(child, nodes.paragraph | nodes.term):
                yield " "


def write_index(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.name != "html":
        return
    rows = list[list[Any]]()
    for page in sorted(app.env.found_docs):
        rows += [*section_rows(app, page), *other_rows(app, page)]
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, FILE).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("build-finished", write_index)
