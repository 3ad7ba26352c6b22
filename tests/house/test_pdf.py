"""The pages of a site as they go to the printer (printed and bound: tests/browser/test_pdf.py)."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup

from book import pdf
from book.pdf import front, parts

PAGE = """<html><head><title>A page</title><style id="site-style">p {}</style></head><body>
<article class="bd-article"><h1>Doors</h1>
<div class="exercise" id="ex-door"><p>Push.</p></div>
<div class="solution" id="ex-door-solution"><p><a href="#ex-door">Pull.</a></p></div>
<p><a href="#ex-door-solution">How</a></p></article></body></html>"""


@pytest.fixture
def site(tmp_path):
    (tmp_path / "one.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "two.html").write_text(PAGE.replace("Doors", "Gates & all"), encoding="utf-8")
    return tmp_path


def test_solutions_stand_at_the_end_and_links_still_lead_to_them(site):
    pages = parts(site, ["one", "two"])
    assert [page.title for page in pages] == ["Doors", "Gates &amp; all", "Solutions"]
    assert ["Push." in page.text for page in pages] == [True, True, False]
    assert [page.text.count("Pull.") for page in pages] == [0, 0, 2]
    assert pages[-1].text.startswith("<h1>Solutions</h1>")
    assert pages[-1].text.count("<h2>Gates &amp; all</h2>") == 1
    book = BeautifulSoup("".join(page.document for page in (front(pages), *pages)), "html.parser")
    links = book.find_all("a", href=re.compile("^#"))
    # Three of the contents; on each page to its solution, and from that to its exercise.
    assert len(links) == 3 + 2 * 2
    for link in links:
        assert len(book.find_all(id=link["href"][1:])) == 1, link


def test_solutions_of_many_pages_are_printed_some_at_a_time(site, monkeypatch):
    monkeypatch.setattr(pdf, "TOGETHER", 1)
    for name, title in (("one", "3. Doors"), ("two", "4. Gates")):
        (site / f"{name}.html").write_text(PAGE.replace("Doors", title), encoding="utf-8")
    pages = parts(site, ["one", "two"])[2:]
    assert [page.slug for page in pages] == ["solutions-1", "solutions-2"]
    assert [page.title for page in pages] == [f"Solutions to chapters {k} to {k}" for k in (3, 4)]
    assert ["4. Gates" in page.text for page in pages] == [False, True]
    assert [page.text.count("Pull.") for page in pages] == [1, 1]


def test_contents_name_each_part_and_its_sheet(site):
    pages = parts(site, ["one", "two"])
    entries = BeautifulSoup(front(pages, {"one": 2, "two": 5}).text, "html.parser").find_all("li")
    assert [entry.get_text() for entry in entries] == ["Doors2", "Gates & all5", "Solutions"]


def test_the_title_is_the_book_s(site):
    for page in parts(site, ["one", "two"]):
        titles = BeautifulSoup(page.document, "html.parser").find_all("title")
        assert [title.get_text() for title in titles if not title.find_parent("svg")] == [
            "Chains of rigid bodies"
        ]


def test_a_book_without_solutions_has_no_chapter_for_them(site):
    bare = PAGE.replace('class="solution"', 'class="note"')
    (site / "one.html").write_text(bare, encoding="utf-8")
    assert [page.title for page in parts(site, ["one"])] == ["Doors"]
