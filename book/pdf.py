"""The book as one PDF, ``book/_build/chaindyn.pdf``: the pages of the built site, printed by Chromium.

Each page is printed by itself, two at a time, for all at once ask for more memory than most machines have; then the
prints are bound (book/binding.py), and links between pages become links within the file. Their style in print is that
of the pages (theme/book.css), closer set (paper.css), in the full width of the sheet and without what only a screen can
use: an explorer's controls, and code that a page folds away, of pictures and of checks, whose results stay. Solutions
are gathered at the end.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Any

import yaml
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Page, sync_playwright
from pypdf import PdfReader

from book import packing
from book.binding import ELSEWHERE, bind
from book.browser import NoBrowser, chromium, page_names, serve, settle
from book.pages import ROOT, BookError
from book.site import BUILD, HTML

STYLE = (ROOT / "book" / "paper.css").read_text(encoding="utf-8")
COVER = ROOT / "book" / "figures" / "cover.svg"
PDF = BUILD / "chaindyn.pdf"
JOINED = "book-in-one.html"  # an address at the top of the site, at which no file stands
# Where one looks things up on a screen, and what teachers do on the site.
LEFT_OUT = re.compile("search|genindex|book/(api(/.*)?|exercises|teaching|course_kit|your_edition)")
ON_PAPER = (
    "On paper a book is read in order and written in, so this edition has every chapter with its figures, its laws in "
    "code and its exercises, and all solutions at the end; what moves, the code of checks and of drawings, the "
    "reference of the package, the list of exercises and the pages for teachers are on the book’s site."
)
STATE = "application/vnd.jupyter.widget-state+json"
# Classes of what is of use on a screen only.
ON_SCREEN = {"headerlink", "take-away", "chapter-map", "copybtn", "try"}
# Scripts of use on a screen only; the first turns tables that are wide into cards.
OFF_PAPER = re.compile("/(boxes|place|walk|drills|tryit|togglebutton|copybutton|offline)[.]js")
PRESSES = 2  # browsers that print side by side, a page at a time
TOGETHER = 6  # chapters whose solutions are one print: those of all ask for 2 GB, and for more than their share of time
WIDTH = 982  # [px] of a line on the sheet, in which formulas are fitted
SCALE = 0.7  # of what stands on a screen: text of nine points, code of six and a half
HEAD = '<div style="width:100%;text-align:right;padding:0 14mm;font:8px sans-serif;color:#555">{}</div>'
MARGIN = dict.fromkeys(("top", "bottom", "left", "right"), "14mm")
# [ms], for each thing that is waited for: the solutions of all chapters take minutes.
LIMIT = 300_000
# The map of a widget follows its picture by a while.
MAPS_ARE_DRAWN = (
    "[...document.querySelectorAll('.chaindyn .map .cells')].every(map => map.childElementCount)"
)


# A link that leads out of a document is marked for the binder, and what links of the others lead to gets a link here:
# Chromium writes down only those places to which some link of the same document leads.
LEAD = """([wanted, mark]) => {
  for (const link of document.querySelectorAll("a[href^='#']")) {
    const name = link.getAttribute("href").slice(1);
    if (!document.getElementById(name)) link.href = mark + name;
  }
  const links = document.body.appendChild(document.createElement("div"));
  links.hidden = true;
  for (const name of wanted) {
    if (document.getElementById(name)) links.appendChild(document.createElement("a")).href = `#${name}`;
  }
}"""
# Every sign of the book in every face, on a last sheet, so that all prints embed the same fonts, which the book then
# has once (book/binding.py). Faces of formulas have signs of their own.
SHOW_SIGNS = """([text, formulas]) => {
  const sheet = document.body.appendChild(document.createElement("div"));
  sheet.className = "signs";
  sheet.ariaHidden = "true";
  const show = (family, face, signs) => {
    const line = sheet.appendChild(document.createElement("p"));
    line.style.font = `${face} 2px ${family}`;
    line.textContent = signs;
  };
  for (const { family, style, weight } of document.fonts) {
    const name = family.replaceAll('"', "");
    if (/awesome|MJX.*-(CB|FR|FRB|SSB|SSI|SC|T|V|VB)$/i.test(name)) continue; // icons, and alphabets not used
    show(`"${name}"`, `${style} ${weight.split(" ")[0]}`, name.startsWith("MJX") ? formulas : text);
  }
  const code = getComputedStyle(document.querySelector("pre") ?? document.body).fontFamily;
  for (const face of ["normal 400", "normal 700", "italic 400"]) show(code, face, text);
  return Promise.allSettled([...document.fonts].map((face) => face.load())).then(() => true);
}"""
FORMULAS = re.sub(  # Latin, Greek, accents, letterlike signs, arrows, operators, brackets and their parts
    "(.)-(.)",
    lambda ends: "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1))),
    " -~\u00a0-\u00ff\u02c6-\u02dd\u0391-\u03f6\u2020-\u2057\u2100-\u214f\u2190-\u22ff\u239b-\u23b3\u27e8-\u27ff",
)
Open = Callable[[str], Page]


@dataclass(frozen=True)
class Part:
    """A page of the site as it is printed: its name in addresses, its title, what it needs and what it is."""

    slug: str
    title: str
    head: str
    text: str
    states: str = ""

    @property
    def document(self) -> str:
        """The page alone."""
        article = self.text
        if self.title:
            article = f'<section class="joined-page" id="{self.slug}">{article}</section>'
        return (
            f'<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
            f"<title>{escape(settings()['title'])}</title>"
            f"{self.head}<style>{STYLE}</style></head>"
            f'<body class="bd-main"><div class="bd-content"><div class="bd-article-container">'
            f"{article}</div></div>{self.states}</body></html>"
        )


@contextmanager
def press(site: Path, **options: Any) -> Iterator[Open]:
    """What opens one document after another in a browser, addressed from the top of a site, each till it is at rest.

    Raises `BookError` without a Chromium.
    """
    try:
        with sync_playwright() as playwright, serve(site) as address:
            browser = chromium(playwright)

            def open_one(document: str) -> Page:
                for context in browser.contexts:
                    context.close()  # and what memory it holds
                page = browser.new_page(color_scheme="light", **options)
                page.set_default_timeout(LIMIT)
                page.route(
                    f"{address}{JOINED}",
                    lambda route: route.fulfill(body=document, content_type="text/html"),
                )
                page.goto(f"{address}{JOINED}")
                page.evaluate(
                    "document.querySelectorAll('details').forEach(d => { d.open = true; })"
                )
                settle(page)
                return page

            yield open_one
            browser.close()
    except NoBrowser as reason:
        raise BookError(str(reason)) from None


def write(site: Path = HTML, target: Path = PDF, names: Sequence[str] | None = None) -> Path:
    """Print the built site, or these pages of it, into `target` and return that. `BookError` without a Chromium."""
    pages = parts(site, names)
    wanted = sorted({name for part in pages for name in re.findall('href="#([^"]+)"', part.text)})
    wanted += [part.slug for part in pages]
    signs = "".join(sorted({*"".join(part.text for part in pages), *"—↑"} - {"\n"}))
    every = [front(pages), *pages]  # the contents without numbers yet: how long they are
    waiting = sorted(every, key=lambda part: len(part.text))  # the longest, at the end, goes first
    with ThreadPoolExecutor(PRESSES) as pool:
        runs = [pool.submit(printed, site, waiting, wanted, signs) for _ in range(PRESSES)]
        prints = {slug: one for run in runs for slug, one in run.result().items()}
    made = [prints[part.slug] for part in every]
    ends = accumulate(len(one.pages) - 1 for one in made)
    numbers = {part.slug: end + 1 for part, end in zip(pages, ends, strict=False)}
    made[0] = printed(site, [front(pages, numbers)], wanted, signs)["front"]
    packing.write(bind(made), target)
    return target


def printed(
    site: Path, waiting: list[Part], wanted: Sequence[str], signs: str
) -> dict[str, PdfReader]:
    """Print parts until none waits: with links to what others have, and the places in them that links want."""
    head = HEAD.format(escape(settings()["title"]))
    made = dict[str, PdfReader]()
    with press(site, viewport={"width": WIDTH, "height": 1000}) as open_one:
        while waiting:
            part = waiting.pop()
            page = open_one(part.document)
            page.wait_for_function(MAPS_ARE_DRAWN)
            page.evaluate(LEAD, [wanted, ELSEWHERE])
            page.evaluate(SHOW_SIGNS, [signs, FORMULAS])
            whole = page.pdf(
                format="A4", scale=SCALE, outline=True, tagged=True, display_header_footer=True, header_template=head,
                footer_template="<p></p>", print_background=True, margin=MARGIN,  # type: ignore[arg-type]
            )  # fmt: skip
            made[part.slug] = PdfReader(BytesIO(whole))
    return made


def front(pages: Sequence[Part], numbers: Mapping[str, int] | None = None) -> Part:
    """The title page and the contents, with the numbers of sheets where they are known."""
    config = settings()
    cover = COVER.read_text(encoding="utf-8")
    numbers = numbers or {}
    lines = "".join(
        f'<li><a href="#{part.slug}">{part.title}</a><span class="page">{numbers.get(part.slug, "")}</span></li>'
        for part in pages
    )
    text = (
        f'<section class="front">{cover[cover.index("<svg") :]}'
        f"<h1>{escape(config['title'])}</h1><p>{escape(config['author'])}</p>"
        f'<p class="paper">{ON_PAPER}</p></section>'
        f'<nav class="contents"><h2>Contents</h2><ul>{lines}</ul></nav>'
    )
    return Part("front", "", pages[0].head, text)


def parts(site: Path, names: Sequence[str] | None = None) -> list[Part]:
    """Return these pages, all in the order of the book unless told, and their solutions, which come last."""
    names = names or [name for name in page_names() if not LEFT_OUT.fullmatch(name)]
    made, solved_in = list[Part](), list[tuple[str, str]]()
    for name in names:
        soup = BeautifulSoup((site / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
        article = soup.find("article", class_="bd-article")
        if not isinstance(article, Tag):
            raise BookError(f"{name}.html has no article: build the site anew")
        for needless in [*article.find_all(_on_screen_only), *_attempts(article)]:
            needless.decompose()
        _address_anew(article, name, names)
        states = "".join(map(str, soup.find_all("script", type=STATE)))
        title = escape(article.h1.get_text() if article.h1 else name)
        if solved := [one.extract().decode() for one in article.find_all("div", class_="solution")]:
            text = f'<section class="solved"><h2>{title}</h2>{"".join(solved)}</section>'
            solved_in.append((title, text))
        made.append(Part(_slug(name), title, _head(soup, name), article.decode(), states))
    for start in range(0, len(solved_in), TOGETHER):
        some = solved_in[start : start + TOGETHER]
        title = "Solutions"
        if len(solved_in) > TOGETHER:
            first, last = (chapter.partition(".")[0] for chapter, _ in (some[0], some[-1]))
            title += f" to chapters {first} to {last}"
        text = f"<h1>{title}</h1>{''.join(text for _, text in some)}"
        slug = f"solutions-{start // TOGETHER + 1}"
        made.append(Part(slug, title, made[0].head, text))
    return made


def settings() -> dict[str, Any]:
    """The settings of the site, among them title and author."""
    return yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def _on_screen_only(tag: Tag) -> bool:
    """Asked of each element, where a selector of CSS would take ten times as long."""
    classes = tag.get("class") or ()
    drawing = tag.name == "details" and "drawing" in classes
    return tag.name == "noscript" or drawing or not ON_SCREEN.isdisjoint(classes)


def _attempts(article: Tag) -> list[Tag]:
    """The cells in which exercises are solved: nobody writes into them on paper."""
    exercises = article.find_all("details", class_="folded-exercise")
    cells = [x for one in exercises for x in one.find_all("div", class_="cell", recursive=False)]
    return [cell for cell in cells if "attempt(" in cell.get_text()]


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
        elif element.name == "a" and full.endswith(".html"):
            del element[attribute]  # to a page that is left out
        else:
            element[attribute] = full


def _head(soup: BeautifulSoup, name: str) -> str:
    """The styles and scripts of a page, addressed from the top of the site."""
    up = "../" * name.count("/")
    style = str(soup.find("style", id="site-style"))
    parts = [style.replace(f'url("{up}', 'url("')]
    for element in soup.find_all(["link", "script"]):
        foreign = element.name == "link" and "stylesheet" not in element.get("rel", [])
        foreign |= bool(OFF_PAPER.search(str(element.get("src", ""))))
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
