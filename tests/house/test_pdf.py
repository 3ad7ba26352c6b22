"""The pages of a site in one document, as it goes to the printer (printed: tests/browser/test_pdf.py)."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup

from book.pdf import join

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
    made = join(site, ["one", "two"])
    assert made.rindex("Push.") < made.index("<h1>Solutions</h1>") < made.index("Pull.")
    assert made.count("Pull.") == 2 and made.count("<h2>Gates &amp; all</h2>") == 1
    soup = BeautifulSoup(made, "html.parser")
    for link in soup.find_all("a", href=re.compile("^#")):
        assert soup.find(id=link["href"][1:]), link
    last = soup.find(class_="contents").find_all("li")[-1]
    assert last.get_text() == "Solutions"


def test_the_title_is_the_book_s(site):
    soup = BeautifulSoup(join(site, ["one", "two"]), "html.parser")
    assert [
        title.get_text() for title in soup.find_all("title") if not title.find_parent("svg")
    ] == ["Chains of rigid bodies"]


def test_a_book_without_solutions_has_no_chapter_for_them(site):
    bare = PAGE.replace('class="solution"', 'class="note"')
    (site / "one.html").write_text(bare, encoding="utf-8")
    assert "Solutions" not in join(site, ["one"])
