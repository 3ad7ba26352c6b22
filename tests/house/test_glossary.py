"""The glossary: its terms, their order, and that each leads to a section that is there."""

from __future__ import annotations

import re
from types import SimpleNamespace

from docutils import nodes
from docutils.utils import new_document

from book.extensions.glossary import PAGE, PLAIN, mark_terms
from book.pages import ROOT

LINK = re.compile(r"\[\]\(\.\./(chapters/\S+\.md)#(\S+?)\)$")
# what a reader searches for
WANTED = {
    "articulated-body inertia",
    "centre of mass",
    "Coriolis matrix",
    "gimbal lock",
    "impulse",
    "percussion",
    "quaternion",
}


def entries() -> list[tuple[list[str], str]]:
    """The terms of each entry and its definition."""
    text = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
    (body,) = re.findall(r"^```\{glossary\}\n(.*?)^```", text, re.M | re.S)
    found = []
    for block in body.strip().split("\n\n"):
        *terms, definition = block.split("\n")
        found.append((terms, definition.strip()))
    return found


def anchors(page: str) -> set[str]:
    """The names of a page's headings in links: in small letters, hyphens for spaces, no punctuation, no formula."""
    text = (ROOT / page).read_text(encoding="utf-8")
    headings = re.sub(r"\$.*?\$", "", "\n".join(re.findall(r"^#{1,3} .*$", text, re.M)))
    headings = re.findall(r"^#{1,3} (.*)$", headings, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


def test_terms_are_in_order_and_each_stands_once():
    first = [terms[0].lower().replace("'", "") for terms, _ in entries()]
    assert first == sorted(first)
    names = [term for terms, _ in entries() for term in terms]
    assert len(set(names)) == len(names)
    assert set(names) >= WANTED


def test_each_term_is_told_in_a_sentence_or_two_and_leads_to_its_section():
    for terms, definition in entries():
        link = LINK.search(definition)
        assert link, terms
        assert link[2] in anchors(link[1]), (terms, link[0])
        assert 1 <= len(re.findall(r"[.:](?= |$)", definition[: link.start()].strip())) <= 4, terms


# In the text of chapters ------------------------------------------------------------------------


def marked(*parts: nodes.Node, builder: str = "html", page: str = "chapters/09_page") -> list[str]:
    """The words that become links in a paragraph of a page that explains what a centre of percussion is."""
    objects = {("term", term): (PAGE, term) for terms, _ in entries() for term in terms}
    app = SimpleNamespace(
        builder=SimpleNamespace(name=builder, get_relative_uri=lambda page, there: f"{there}.html"),
        env=SimpleNamespace(get_domain=lambda name: SimpleNamespace(data={"objects": objects})),
        glossary_sections={page: [("single", "centre of percussion", "", "main", None)]},
    )
    document = new_document("page")
    document += nodes.paragraph("", "", *parts)
    words = document.astext()
    mark_terms(app, document, page)
    assert document.astext() == words
    return [
        f"{x.astext()}: {x['refuri'].partition('#')[2]}" for x in document.findall(nodes.reference)
    ]


def test_the_first_mention_of_a_term_leads_to_its_definition():
    text = "Twists, a wrench: one more wrench and a twist."
    assert marked(nodes.Text(text), nodes.Text(text)) == ["Twists: twist", "wrench: wrench"]


def test_terms_are_found_as_text_says_them():
    text = "Spatial inertias, the coefficient of restitution, the RNEA."
    assert marked(nodes.Text(text)) == [
        "Spatial inertias: inertia, spatial",
        "coefficient of restitution: restitution, coefficient of",
        "RNEA: recursive Newton-Euler algorithm (RNEA)",
    ]


def test_what_is_another_word_or_no_running_text_is_no_term():
    assert marked(nodes.Text("twisted, twist-free, untwist")) == []
    assert (
        marked(nodes.literal("", "twist"), nodes.title("", "", nodes.paragraph("", "twist"))) == []
    )


def test_a_page_does_not_link_what_it_explains_nor_everyday_words():
    assert marked(nodes.Text("the centre of percussion of a chain")) == []
    assert marked(nodes.Text("a percussion")) == ["percussion: percussion"]
    assert {term for terms, _ in entries() for term in terms} >= PLAIN


def test_only_chapters_of_the_site_have_such_links():
    assert marked(nodes.Text("a twist"), page="book/errata") == []
    assert marked(nodes.Text("a twist"), builder="latex") == []
