"""The book as one PDF, ``book/_build/chaindyn.pdf``: the pages of the built site, printed by Chromium.

The pages are joined into one document, so that equations, figures and numbers are those of the site, and links
between pages become links within the file. Their style in print is that of the pages (theme/book.css), in the full
width of the sheet and without what only a screen can use: an explorer's controls, and code that a page folds away,
of pictures and of checks, whose results stay. Solutions are gathered at the end.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import tempfile
from collections.abc import Sequence
from html import escape
from pathlib import Path

import yaml
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import sync_playwright

from book.browser import NoBrowser, chromium, page_names, serve, settle
from book.pages import ROOT, BookError
from book.site import BUILD, HTML

COVER = ROOT / "book" / "figures" / "cover.svg"
PDF = BUILD / "chaindyn.pdf"
JOINED = "book-in-one.html"  # for as long as it takes to print, at the top of the site
LEFT_OUT = ("search", "genindex")
STATE = "application/vnd.jupyter.widget-state+json"
# Classes of what is of use on a screen only.
ON_SCREEN = {"headerlink", "take-away", "chapter-map", "copybtn", "try"}
FOOT = (
    '<div style="width:100%;text-align:center;font:8px sans-serif;color:#555">'
    '<span class="pageNumber"></span></div>'
)
SCALE = 0.75  # of what stands on a screen: text of ten points, and 88 columns of code in a line
HEAD = '<div style="width:100%;text-align:right;padding:0 18mm;font:8px sans-serif;color:#555">{}</div>'
STYLE = """
html { --measure: 100%; }
.chaindyn :is(button, select, input, details, label:has(> input)), details.folded-code { display: none !important; }
body { background: none; }
.joined-page { break-before: page; }
.joined-page h1 { display: block !important; }
.contents { background: none !important; }
.chaindyn { break-inside: avoid; }
h1, h2, h3, h4 { break-after: avoid; }
:is(h1, h2, h3, h4) + p { break-after: avoid; }
table, .pst-scrollable-table-container { break-inside: auto !important; overflow: visible !important; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
.front { text-align: center; padding-top: 12vh; }
.front > svg { width: 78%; height: auto; }
.front h1 { font-size: 3rem; margin: 0 0 1rem; }
.contents { break-before: page; }
.contents li { list-style: none; margin: 0.3rem 0; }
"""
LIMIT = 300_000  # [ms], for each thing that is waited for: all formulas and widgets of the book at once take minutes
# The map of a widget follows its picture by a while.
MAPS_ARE_DRAWN = (
    "[...document.querySelectorAll('.chaindyn .map .cells')].every(map => map.childElementCount)"
)


def write(site: Path = HTML, target: Path = PDF, names: Sequence[str] | None = None) -> Path:
    """Print the built site, or these pages of it, into `target` and return that. `BookError` without a Chromium."""
    joined = site / JOINED
    joined.write_text(join(site, names), encoding="utf-8")
    try:
        with sync_playwright() as playwright, serve(site) as address:
            browser = chromium(playwright)
            page = browser.new_page(color_scheme="light")
            page.set_default_timeout(LIMIT)
            page.goto(f"{address}{JOINED}")
            settle(page)
            page.wait_for_function(MAPS_ARE_DRAWN)
            page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            with tempfile.TemporaryDirectory() as scratch:
                made = Path(scratch, PDF.name)
                head = HEAD.format(escape(_settings()["title"]))
                page.pdf(path=made, format="A4", scale=SCALE, outline=True, tagged=True, display_header_footer=True,
                         header_template=head, footer_template=FOOT, print_background=True,
                         margin={"top": "18mm", "bottom": "18mm", "left": "18mm", "right": "18mm"})  # fmt: skip
                shutil.move(made, target)
            browser.close()
    except NoBrowser as reason:
        raise BookError(str(reason)) from None
    finally:
        joined.unlink()
    return target


def join(site: Path, names: Sequence[str] | None = None) -> str:
    """Return one HTML document of these pages: of all, in the order of the book, unless told."""
    names = names or [name for name in page_names() if name not in LEFT_OUT]
    config = _settings()
    articles, states, contents, solutions = list[str](), list[str](), list[str](), list[str]()
    head = ""
    for name in names:
        soup = BeautifulSoup((site / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
        article = soup.find("article", class_="bd-article")
        if not isinstance(article, Tag):
            raise BookError(f"{name}.html has no article: build the site anew")
        for needless in article.find_all(_on_screen_only):
            needless.decompose()
        _address_anew(article, name, names)
        states += map(str, soup.find_all("script", type=STATE))
        title = escape(article.h1.get_text() if article.h1 else name)
        contents.append(f'<li><a href="#{_slug(name)}">{title}</a></li>')
        if solved := [one.extract().decode() for one in article.find_all("div", class_="solution")]:
            solutions.append(f"<section><h2>{title}</h2>{''.join(solved)}</section>")
        articles.append(
            f'<section class="joined-page" id="{_slug(name)}">{article.decode()}</section>'
        )
        widgets = soup.find("script", src=re.compile(r"widgets\.js"))
        if widgets or not head:  # all that a page may need
            head = _head(soup, name)
    if solutions:
        contents.append('<li><a href="#solutions">Solutions</a></li>')
        articles.append(
            f'<section class="joined-page" id="solutions"><h1>Solutions</h1>{"".join(solutions)}</section>'
        )
    cover = COVER.read_text(encoding="utf-8")
    front = (
        f'<section class="front">{cover[cover.index("<svg") :]}'
        f"<h1>{escape(config['title'])}</h1><p>{escape(config['author'])}</p></section>"
        f'<nav class="contents"><h2>Contents</h2><ul>{"".join(contents)}</ul></nav>'
    )
    return (
        f'<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>{escape(config['title'])}</title>"
        f"{head}<style>{STYLE}</style></head>"
        f'<body class="bd-main"><div class="bd-content"><div class="bd-article-container">{front}'
        f"{''.join(articles)}</div></div>{''.join(states)}</body></html>"
    )


def _settings() -> dict[str, str]:
    """The settings of the site, among them title and author."""
    return yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def _on_screen_only(tag: Tag) -> bool:
    """Asked of each element, where a selector of CSS would take ten times as long."""
    classes = tag.get("class") or ()
    drawing = tag.name == "details" and "drawing" in classes
    return tag.name == "noscript" or drawing or not ON_SCREEN.isdisjoint(classes)


def _slug(name: str) -> str:
    return re.sub(r"\W", "-", name)


def _address_anew(article: Tag, name: str, names: Sequence[str]) -> None:
    """Give a page's anchors names of their own, and its links and pictures addresses from the top of the site."""
    for element in article.find_all(id=True):
        element["id"] = f"{_slug(name)}--{element['id']}"
    for element, attribute in [
        (e, a) for a in ("href", "src") for e in article.find_all(attrs={a: True})
    ]:
        address = str(element[attribute])
        if re.match(r"[a-z]+:", address):
            continue
        path, _, anchor = address.partition("#")
        full = (
            posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            if path
            else f"{name}.html"
        )
        target = full.removesuffix(".html")
        if target in names and full.endswith(".html"):
            element[attribute] = f"#{_slug(target)}--{anchor}" if anchor else f"#{_slug(target)}"
        else:
            element[attribute] = full


def _head(soup: BeautifulSoup, name: str) -> str:
    """The styles and scripts of a page, addressed from the top of the site."""
    up = "../" * name.count("/")
    style = str(soup.find("style", id="site-style"))
    parts = [style.replace(f'url("{up}', 'url("')]
    for element in soup.find_all(["link", "script"]):
        foreign = element.name == "link" and "stylesheet" not in element.get("rel", [])
        if foreign or element.find_parent("article") or "json" in str(element.get("type", "")):
            continue
        for attribute in ("href", "src"):
            address = str(element.get(attribute, ""))
            if address and not re.match(r"[a-z]+:", address):
                element[attribute] = posixpath.normpath(
                    posixpath.join(posixpath.dirname(name), address)
                )
        parts.append(str(element))
    return "".join(parts)
