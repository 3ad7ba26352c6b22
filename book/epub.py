"""The book as an EPUB, ``book/_build/chaindyn.epub``: the pages of the built site, for readers without a browser.

The pages are those of the PDF (book/pdf.py), each opened once, so that formulas can be taken as MathML from MathJax,
and a picture of each explorer as it stands there. Then each page is a file of strict XHTML, in a zip with its table of
contents. Solutions come last.
"""

from __future__ import annotations

import re
import uuid
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Page
from pygments.formatters import HtmlFormatter

from book import cover, pdf
from book.site import BUILD, HTML

EPUB = BUILD / "chaindyn.epub"
COVER = pdf.COVER.with_suffix(".png")
KINDS = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".gif": "image/gif"}
WIDTH = 800  # [px] of the pages as they are opened: as wide as a tablet
# What strict XHTML has of an element outside formulas and drawings; all else is a script's or a screen's.
ATTRIBUTES = {
    "id",
    "class",
    "href",
    "src",
    "alt",
    "title",
    "colspan",
    "rowspan",
    "scope",
    "lang",
    "start",
    "style",
}
FOREIGN = ("svg", "math")
STYLE = """
body { line-height: 1.45; }
img, svg { max-width: 100%; height: auto; }
pre { white-space: pre-wrap; font-size: 0.8em; }
table { border-collapse: collapse; font-size: 0.9em; }
td, th { padding: 0.15em 0.5em; border-bottom: 1px solid; text-align: left; vertical-align: top; }
.admonition, .exercise, .solution { border-left: 3px solid; padding-left: 0.8em; margin: 1em 0; }
.admonition-title, .title { font-weight: bold; }
.eqno { float: right; }
figure { margin: 1em 0; }
"""
TAKE_FORMULAS = """() => {
  for (const item of window.MathJax?.startup.document.math ?? []) { // a page without formulas has none
    const made = document.createElement("template");
    made.innerHTML = MathJax.startup.toMML(item.root);
    made.content.firstChild.setAttribute("alttext", item.math.trim());
    item.typesetRoot.replaceWith(made.content);
  }
}"""
ADDRESS_OF_WIDGET = """(widget, address) => {
  const picture = document.createElement("img"), title = widget.querySelector("h2, h3, .title");
  picture.src = address;
  picture.alt = widget.getAttribute("aria-label") || title?.textContent || "A picture that moves on the site.";
  widget.replaceWith(picture);
}"""


@dataclass(frozen=True)
class Part:
    """A page of the book: the name of its file, its title, and what stands between its tags."""

    name: str
    title: str
    text: str

    @property
    def file(self) -> str:
        return f"{self.name}.xhtml"

    @property
    def properties(self) -> str:
        """What a reading system must know to show it."""
        kinds = [("mathml", "<math"), ("svg", "<svg")]
        return " ".join(name for name, tag in kinds if tag in self.text)


@dataclass
class Book:
    """Its parts in order, and its pictures by the names of their files."""

    parts: list[Part] = field(default_factory=list)
    pictures: dict[str, bytes] = field(default_factory=dict)


def write(site: Path = HTML, target: Path = EPUB, names: Sequence[str] | None = None) -> Path:
    """Write the built site, or these pages of it, into `target` and return that. `BookError` without a Chromium."""
    texts, widgets = list[str](), dict[str, bytes]()
    with pdf.press(site, viewport={"width": WIDTH, "height": 1000}) as open_one:
        for part in pdf.parts(site, names):
            page = open_one(part.document)
            widgets |= _take_pictures(page, part.slug)
            page.evaluate(TAKE_FORMULAS)
            texts.append(page.content())
    pack(book_of(texts, site, widgets), target)
    return target


def _take_pictures(page: Page, slug: str) -> dict[str, bytes]:
    """A picture of each explorer of a part as it stands, which takes its place."""
    taken = dict[str, bytes]()
    page.add_style_tag(content=pdf.STYLE)
    for k, widget in enumerate(page.query_selector_all(".chaindyn")):
        name = f"explorer-{slug}-{k}.png"
        taken[name] = widget.screenshot()
        widget.evaluate(ADDRESS_OF_WIDGET, name)
    return taken


def book_of(texts: Sequence[str], site: Path, widgets: dict[str, bytes]) -> Book:
    """The parts of documents whose formulas are MathML, and the pictures that they show."""
    soups = [BeautifulSoup(text, "html.parser") for text in texts]
    sections = [one for soup in soups for one in soup.find_all("section", class_="joined-page")]
    made = Book()
    homes = {str(e["id"]): str(s["id"]) for s in sections for e in [s, *s.find_all(id=True)]}
    for section in sections:
        _make_strict(section)
        for link in section.find_all("a", href=True):
            _lead(link, homes)
        for picture in section.find_all("img"):
            name, content = _picture(str(picture["src"]), site, widgets)
            made.pictures[name] = content
            picture["src"] = f"images/{name}"
        title = section.h1.get_text().strip().removesuffix("#") if section.h1 else "Page"
        made.parts.append(Part(str(section["id"]), title, section.decode(formatter="minimal")))
    return made


def _make_strict(section: Tag) -> None:
    """Leave what a book without scripts can show: folded code goes, as in print, and other folds are open."""
    for needless in section.find_all(["script", "button", "input", "select", "label", "noscript"]):
        needless.decompose()
    for folded in section.find_all("details", class_="folded-code"):
        folded.decompose()
    for fold in section.find_all("details"):
        fold.name = "div"
    for head in section.find_all("summary"):
        head.name = "p"
    seen = set[str]()
    for element in section.find_all(True):
        if element.get("id") in seen:  # each exercise of a page has the same inside
            del element["id"]
        seen.add(str(element.get("id")))
        if element.name not in FOREIGN and not element.find_parent(FOREIGN):
            element.attrs = {k: v for k, v in element.attrs.items() if k in ATTRIBUTES}


def _lead(link: Tag, homes: dict[str, str]) -> None:
    """Let a link lead to the file of its place; one that leads nowhere in the book becomes text."""
    address = str(link["href"])
    if re.match(r"(https?|mailto):", address):
        link["href"] = quote(
            address, safe="%:/?#[]@!$&'()*+,;=~"
        )  # publishers put < and > into some
        return
    place = address.removeprefix("#")
    if address.startswith("#") and place in homes:
        link["href"] = f"{homes[place]}.xhtml#{place}"
    else:
        del link["href"]


def _picture(address: str, site: Path, widgets: dict[str, bytes]) -> tuple[str, bytes]:
    """A picture's name in the book, and what it is made of."""
    if address in widgets:
        return address, widgets[address]
    file = site / address.partition("?")[0]
    return re.sub(r"[^\w.-]", "-", address.partition("?")[0]), file.read_bytes()


# The package --------------------------------------------------------------------------------------


def pack(book: Book, target: Path) -> None:
    """Write a book as EPUB 3: first its kind, stored as it is, then what leads to the package, then the package."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, content in _files(book):
            package.writestr(name, content)


def _files(book: Book) -> Iterator[tuple[str, str | bytes]]:
    yield (
        "META-INF/container.xml",
        (
            '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            '<rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/>'
            "</rootfiles></container>"
        ),
    )
    yield "book/package.opf", _package(book)
    lines = "".join(f'<li><a href="{p.file}">{escape(p.title)}</a></li>' for p in book.parts)
    yield (
        "book/contents.xhtml",
        _page("Contents", f'<nav epub:type="toc"><h1>Contents</h1><ol>{lines}</ol></nav>'),
    )
    yield "book/style.css", STYLE + HtmlFormatter(style="default").get_style_defs(".highlight")
    yield "book/images/cover.png", COVER.read_bytes()
    for part in book.parts:
        yield f"book/{part.file}", _page(part.title, part.text)
    for name, content in book.pictures.items():
        yield f"book/images/{name}", content


def _page(title: str, text: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html>'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en">'
        f'<head><title>{escape(title)}</title><link rel="stylesheet" href="style.css"/></head>'
        f"<body>{text}</body></html>"
    )


def _package(book: Book) -> str:
    settings: dict[str, Any] = pdf.settings()
    identifier = uuid.uuid5(uuid.NAMESPACE_URL, settings["repository"]["url"])
    items = [
        '<item id="contents" href="contents.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
        '<item id="style" href="style.css" media-type="text/css"/>',
        '<item id="cover" href="images/cover.png" media-type="image/png" properties="cover-image"/>',
    ]
    for part in book.parts:
        needs = f' properties="{part.properties}"' if part.properties else ""
        items.append(
            f'<item id="{part.name}" href="{part.file}" media-type="application/xhtml+xml"{needs}/>'
        )
    items += [
        f'<item id="picture-{k}" href="images/{name}" media-type="{KINDS[Path(name).suffix]}"/>'
        for k, name in enumerate(book.pictures)
    ]
    order = "".join(f'<itemref idref="{part.name}"/>' for part in book.parts)
    features = ["MathML", "alternativeText", "structuralNavigation", "tableOfContents"]
    about = [
        ("schema:accessMode", "textual"),
        ("schema:accessMode", "visual"),
        *(("schema:accessibilityFeature", feature) for feature in features),
        ("schema:accessibilityHazard", "none"),
        ("dcterms:modified", datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")),
    ]
    said = "".join(f'<meta property="{name}">{value}</meta>' for name, value in about)
    return (
        '<?xml version="1.0" encoding="utf-8"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
        'unique-identifier="id" xml:lang="en"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">urn:uuid:{identifier}</dc:identifier><dc:title>{escape(cover.TITLE)}</dc:title>'
        f"<dc:creator>{escape(settings['author'])}</dc:creator><dc:language>en</dc:language>"
        f"<dc:rights>Text and figures: CC BY 4.0; code: BSD 3-Clause</dc:rights>{said}</metadata>"
        f'<manifest>{"".join(items)}</manifest><spine><itemref idref="contents"/>{order}</spine></package>'
    )
