"""The glossary: its terms, their order, and that each leads to a section that is there."""

from __future__ import annotations

import re

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
