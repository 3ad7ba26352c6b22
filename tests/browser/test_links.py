"""The built pages, read as files: every internal link arrives, and chapters and API lead to each other."""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pytest

import chaindyn
from book.browser import page_names
from book.export import modules
from book.extensions.api import api_pages
from book.extensions.exported import public_name
from book.extensions.linked_data import NAMESPACE, UNLISTED


@dataclass
class Html(HTMLParser):
    """The ids and links of a page; a link is kept with the id that it stands in or after."""

    ids: Counter[str] = field(default_factory=Counter)
    links: list[tuple[str, str]] = field(default_factory=list)
    last_id: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        if identifier := values.get("id"):
            self.ids[identifier] += 1
            self.last_id = identifier
        for name in ("href", "src"):
            if address := values.get(name):
                self.links.append((self.last_id, address))


@cache
def read(file: Path) -> Html:
    page = Html()
    page.feed(file.read_text(encoding="utf-8"))
    return page


def arrives(file: Path, address: str) -> bool:
    """Whether a link on a page leads to a file and, if it names one, to an id on it; other hosts are not asked."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return True
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return False
    fragment = unquote(parts.fragment)
    return not fragment or target.suffix != ".html" or fragment in read(target).ids


@pytest.mark.parametrize("name", ["index", *page_names()])
def test_internal_links_arrive(site_folder, name):
    file = site_folder / f"{name}.html"
    # A bare "#" is what the theme writes for the page itself.
    broken = [
        address for _, address in read(file).links if address != "#" and not arrives(file, address)
    ]
    assert not broken


def page_of(site_folder: Path, entry: str) -> Path:
    """The page of the API on which an entry stands."""
    found = [
        page for name in api_pages() if entry in read(page := site_folder / f"{name}.html").ids
    ]
    assert len(found) == 1, f"{entry} stands on {found}"
    return found[0]


def test_exported_definitions_and_their_api_entries_lead_to_each_other(site_folder):
    exported = 0
    for module in modules():
        chapter = site_folder / Path(module.source).with_suffix(".html")
        for name in module.definitions():
            anchor = f"export-{name}"
            assert anchor in read(chapter).ids
            if name not in importlib.import_module(f"chaindyn.{module.name}").__all__:
                assert not any(
                    link.endswith(f".{name}") and "api/" in link for _, link in read(chapter).links
                )
                continue
            entry = public_name(module.name, name)
            api = page_of(site_folder, entry)
            assert any(link.endswith(f"{api.name}#{entry}") for _, link in read(chapter).links)
            assert any(
                where.startswith(entry) and link.endswith(f"{chapter.stem}.html#{anchor}")
                for where, link in read(api).links
            ), f"the entry of {entry} does not lead to {chapter.name}"
            exported += 1
    assert exported


def test_the_api_leads_on_from_where_all_of_it_once_stood(site_folder):
    """Links of the time when the API was one page: each name and each module has its anchor there still."""
    index = site_folder / "book" / "api.html"
    entries = [entry for page in api_pages() for entry in read(site_folder / f"{page}.html").ids]
    names = {entry for entry in entries if re.fullmatch(r"chaindyn(\.\w+)+|module-[\w-]+", entry)}
    offered = {f"chaindyn.{name}" for name in chaindyn.__all__ if callable(getattr(chaindyn, name))}
    assert offered <= names
    for name in offered | {name for name in names if name.startswith("module-")}:
        assert read(index).ids[name] == 1
        leads = {link for where, link in read(index).links if where == name}
        assert len(leads) == 1 and leads.pop().endswith(f"#{name}")


def record(site_folder: Path, name: str) -> dict[str, Any]:
    """What a page says of itself to search engines."""
    html = (site_folder / f"{name}.html").read_text("utf-8")
    found = re.findall(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    assert len(found) <= 1
    return json.loads(found[0]) if found else {}


def test_what_search_engines_read(site_folder):
    """The book names its chapters, each chapter the book, its place and what it needs; the course is one."""
    book = record(site_folder, "book/intro")
    urls = [part["url"] for part in book["hasPart"]]
    root = book["url"].removesuffix("book/intro.html")
    names = [url.removeprefix(root).removesuffix(".html") for url in urls]
    assert "Book" in book["@type"]
    assert names == sorted(x for x in page_names() if x.startswith("chapters/"))
    for number, name in enumerate(names, 1):
        chapter = record(site_folder, name)
        assert "Chapter" in chapter["@type"]
        assert chapter["position"] == number
        assert chapter["isPartOf"]["url"] == book["url"]
        assert chapter["license"] == book["license"]
    assert record(site_folder, names[2])["competencyRequired"]
    course = record(site_folder, "book/teaching")
    assert course["@type"] == "Course"
    assert course["provider"]["name"]


def test_the_list_of_pages_is_whole(site_folder):
    tree = ElementTree.parse(site_folder / "sitemap.xml")
    found = [one.text for one in tree.iter(f"{{{NAMESPACE}}}loc")]
    names = {address.split("/", 4)[4].removesuffix(".html") for address in found}
    assert names == set(page_names()) - UNLISTED
    assert len(found) == len(names)
