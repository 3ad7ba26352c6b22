"""Every page of the site, opened in a browser: nothing foreign, nothing broken, nothing out of reach."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Response
from test_sketches import sketches_of

from book.browser import HEIGHT, SCHEMES, WIDTHS, drawn, open_page, page_names, settle
from book.pages import main_chapters

MAIN = {f"chapters/{page.stem}" for page in main_chapters()}  # appendices may go without sketches

pytestmark = pytest.mark.browser

PAGES = page_names()
# The scope lets all that is asked of a page come together, which a process opens once.
for_every_page = pytest.mark.parametrize("name", PAGES, scope="session")
MODES = [(width, scheme) for scheme in SCHEMES for width in WIDTHS]
FAST, *REST = MODES
NARROW = min(WIDTHS)

WITHOUT_WIDGET, WITH_WIDGET = 1_000_000, 2_000_000  # bytes, gzipped
LEVEL_A_AND_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

# How far what is in sight is pushed about while the page comes (Cumulative Layout Shift): more is called poor. On a
# quiet machine it is below 0.05; where faces come late, some lines break anew.
STILL = 0.25
WATCH = """(() => {
  window.shifted = 0;
  const add = (list) => list.getEntries().forEach((one) => { if (!one.hadRecentInput) window.shifted += one.value; });
  new PerformanceObserver(add).observe({type: "layout-shift", buffered: true});
})()"""
OVERFLOW = "document.documentElement.scrollWidth - window.innerWidth"
# Checked in the page: images that did not load, and those that a screen reader would pass by or spell out.
BROKEN_IMAGES = """async () => {
  const broken = async image => {
    image.loading = "eager";
    try { await image.decode(); } catch { return `${image.src} does not load`; }
    const alt = image.getAttribute("alt")?.trim();
    return !alt || alt === image.getAttribute("src") ? `${image.src} has no alt text` : null;
  };
  return (await Promise.all([...document.images].map(broken))).filter(Boolean);
}"""

# A formula is drawn by some twenty elements that are hidden from screen readers and hold no text, for CSS draws the
# glyphs: axe-core finds nothing in them, and takes most of its time for it. They are taken out; their boxes stay, and
# so does the MathML beside them, which is what a screen reader gets.
WITHOUT_GLYPHS = """() => {
  const drawn = [...document.querySelectorAll("mjx-math[aria-hidden=true]")];
  const boxes = drawn.map(math => math.getBoundingClientRect());
  drawn.forEach((math, k) => {
    math.replaceChildren();
    Object.assign(math.style, {display: "inline-block", width: `${boxes[k].width}px`, height: `${boxes[k].height}px`});
  });
}"""
# The MathML in its turn is a name and some text to axe-core, in few elements as in many. Of the thousands of coloured
# words in a page's code, each of a colour and ground of its own is judged once, and what is folded away is not seen.
LESS = """() => {
  for (const math of document.querySelectorAll("mjx-assistive-mml math")) {
    const text = document.createElementNS(math.namespaceURI, "mtext");
    text.textContent = math.textContent;
    math.replaceChildren(text);
  }
  const words = [...document.querySelectorAll(".highlight pre span")];
  const seen = new Set([""]);
  const ground = word => getComputedStyle(word.closest("pre")).backgroundColor;
  const kinds = words.map(word => word.checkVisibility() ? word.className + ground(word) : "");
  words.forEach((word, k) => {
    if (seen.has(kinds[k])) word.replaceWith(...word.childNodes);
    seen.add(kinds[k]);
  });
  document.querySelectorAll(".highlight pre").forEach(code => code.normalize());
}"""
SILENT = """() => [...document.querySelectorAll("mjx-container")]
  .filter(formula => !formula.querySelector("mjx-assistive-mml math")?.textContent.trim())
  .map(formula => formula.outerHTML.slice(0, 200))"""


@dataclass
class Visit:
    """What happened while a page was opened."""

    status: int = 0
    requests: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    bodies: dict[str, int] = field(default_factory=dict)  # gzipped bytes by address
    images: list[str] = field(default_factory=list)
    formulas_in_error: list[str] = field(default_factory=list)
    silent_formulas: list[str] = field(default_factory=list)
    widgets: int = 0
    sketches: int = 0
    wrong_sketches: list[str] = field(default_factory=list)
    overflow: int = 0
    shifted: float = 0
    violations: str = ""


@pytest.fixture(scope="session")
def visit(chromium: Browser, site_folder: Path, site_url: str) -> Callable[..., Visit]:
    """Open a page, once for each width and colour scheme, and tell what happened; axe-core judges it where asked to.

    On the screen on which each page is seen with every change it is loaded as on a phone and widened then, which tells
    of both for the price of one.
    """

    @cache
    def opened(name: str, width: int, scheme: str, judged: bool) -> Visit:
        both = (width, scheme) == FAST
        page = open_page(chromium, NARROW if both else width, scheme)
        result, responses = Visit(), list[Response]()
        requests, failures, messages = list[str](), list[str](), list[str]()

        def on_console(message: ConsoleMessage) -> None:
            if message.type == "error":
                messages.append(f"{message.text} ({message.location.get('url')})")

        page.on("request", lambda request: requests.append(request.url))
        page.on("requestfailed", lambda request: failures.append(request.url))
        page.on("response", lambda response: responses.append(response))
        page.on("console", on_console)
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.add_init_script(WATCH)
        response = page.goto(f"{site_url}{name}.html")
        result.status = response.status if response else 0
        settle(page)
        result.shifted = page.evaluate("shifted")
        result.overflow = page.evaluate(OVERFLOW)
        if both:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            drawn(page)
            result.overflow = max(result.overflow, page.evaluate(OVERFLOW))
        failures += [
            f"{response.status} {response.url}" for response in responses if response.status >= 400
        ]
        result.bodies = {
            response.url: weight(site_folder, unquote(urlsplit(response.url).path))
            for response in responses
            if response.ok and response.url.startswith(site_url)
        }
        result.images = page.evaluate(BROKEN_IMAGES)
        result.formulas_in_error = page.locator("mjx-merror, [data-mjx-error]").all_inner_texts()
        result.silent_formulas = page.evaluate(SILENT)
        result.widgets = page.locator(
            "script[type='application/vnd.jupyter.widget-view+json']"
        ).count()
        if both:  # as wide as its reader with a desk has it
            result.sketches, result.wrong_sketches = sketches_of(page)
        # what the page did; axe-core, which comes now, asks for style sheets itself
        result.requests, result.failures, result.messages = [*requests], [*failures], [*messages]
        result.violations = violations(page) if judged else ""
        page.context.close()
        return result

    def visit(name: str, width: int, scheme: str, judged: bool = False) -> Visit:
        return opened(name, width, scheme, judged or (width, scheme) == FAST)

    return visit


@cache
def weight(site: Path, address: str) -> int:
    """The bytes of a served file, gzipped."""
    return len(gzip.compress((site / address.lstrip("/")).read_bytes()))


def violations(page: Page) -> str:
    """What axe-core finds on a page, told for a test's message; nothing if it finds nothing."""
    only = {"type": "tag", "values": LEVEL_A_AND_AA}
    options = {"runOnly": only, "resultTypes": ["violations"]}
    page.evaluate(WITHOUT_GLYPHS)
    page.evaluate(LESS)
    return "\n".join(
        f"{violation['id']} ({violation['help']}): {node['target']} {json.dumps(node['html'][:200])}"
        for violation in Axe().run(page, options=options).response["violations"]
        for node in violation["nodes"]
    )


@for_every_page
def test_opens(visit, name):
    seen = visit(name, *FAST)
    assert seen.status == 200
    assert not seen.failures


@for_every_page
def test_asks_no_other_host(visit, site_url, name):
    foreign = [
        url
        for url in visit(name, *FAST).requests
        if not url.startswith((site_url, "data:", "blob:"))
    ]
    assert not foreign


@for_every_page
def test_console_is_clean(visit, name):
    assert not visit(name, *FAST).messages


@for_every_page
def test_images_load_and_have_alt_text(visit, name):
    assert not visit(name, *FAST).images


@for_every_page
def test_formulas_are_set(visit, name):
    seen = visit(name, *FAST)
    assert not seen.formulas_in_error
    assert not seen.silent_formulas  # each has its MathML, for who cannot see it


@for_every_page
def test_weight(visit, name):
    seen = visit(name, *FAST)
    heaviest = sorted(((size, url) for url, size in seen.bodies.items()), reverse=True)[:5]
    assert sum(seen.bodies.values()) <= (WITH_WIDGET if seen.widgets else WITHOUT_WIDGET), heaviest
    if not seen.widgets:
        assert not [url for url in seen.requests if "html-manager" in url or "require.js" in url]


@for_every_page
def test_stands_still_while_it_comes(visit, name):
    """Room is kept for faces, figures and widgets (`python -m book measure rooms --write`)."""
    assert visit(name, *FAST).shifted <= STILL


@for_every_page
def test_does_not_scroll_sideways(visit, name):
    assert visit(name, *FAST).overflow <= 0


@for_every_page
def test_every_sketch_is_drawn_and_its_symbols_stand_in_its_section(visit, name):
    seen = visit(name, *FAST)
    assert not seen.wrong_sketches
    assert seen.sketches or name not in MAIN


@for_every_page
def test_is_accessible(visit, name):
    assert not visit(name, *FAST).violations


def every_screen() -> Iterator[Any]:
    """Each page on each of the other screens, nightly; every third page on one of them with every change."""
    for i, name in enumerate(PAGES):
        for k, (width, scheme) in enumerate(REST):
            now = i % len(REST) == 0 and (i // len(REST) - k) % len(REST) == 0
            mark = pytest.mark.slow if now else pytest.mark.nightly
            yield pytest.param(name, width, scheme, marks=mark, id=f"{name}-{width}-{scheme}")


@pytest.mark.parametrize(("name", "width", "scheme"), list(every_screen()))
def test_on_every_screen(visit, name, width, scheme):
    seen = visit(name, width, scheme, judged=True)
    assert seen.status == 200
    assert not seen.failures
    assert not seen.messages
    assert not seen.images
    assert seen.overflow <= 0
    assert not seen.violations
