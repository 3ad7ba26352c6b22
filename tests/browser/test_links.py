"""The built pages, read as files: every internal link arrives, and chapters and API lead to each other."""

from __future__ import annotations

import importlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from book.browser import page_names
from book.export import modules
from book.extensions.exported import public_name


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


def test_exported_definitions_and_their_api_entries_lead_to_each_other(site_folder):
    api = site_folder / "book" / "api.html"
    exported = 0
    for module in modules():
        chapter = site_folder / Path(module.source).with_suffix(".html")
        for name in module.definitions():
            anchor = f"export-{name}"
            assert anchor in read(chapter).ids
            if name not in importlib.import_module(f"chaindyn.{module.name}").__all__:
                assert not any(
                    link.endswith(f".{name}") and "api.html#" in link
                    for _, link in read(chapter).links
                )
                continue
            entry = public_name(module.name, name)
            assert entry in read(api).ids, f"{entry} is not on the API page"
            assert any(link.endswith(f"api.html#{entry}") for _, link in read(chapter).links)
            assert any(
                where.startswith(entry) and link.endswith(f"{chapter.stem}.html#{anchor}")
                for where, link in read(api).links
            ), f"the entry of {entry} does not lead to {chapter.name}"
            exported += 1
    assert exported
