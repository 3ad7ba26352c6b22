"""Cards that show what links lead to: by pointer and keyboard, from every kind of link, and never in the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Locator, Page, expect
from test_essays import ESSAYS

from book.browser import HEIGHT, SCHEMES, WIDTHS, drawn, open_page, page_names, serve, settle

pytestmark = pytest.mark.browser

SHORT = ["search", "genindex", *(f"book/{name}" for name in ["intro", "goals", *ESSAYS])]
PAGES = [name for name in page_names() if name not in SHORT]
CARD = ".preview:popover-open"
LOADED = "performance.getEntriesByType('resource').find(({name}) => name.endsWith('previews.js'))"

# What a link leads to: how its address ends, on its own page or on another, and what its card has.
KINDS = {
    "an equation here": ("^='#equation-", "mjx-container[display=true]"),
    "an equation elsewhere": ("*='.html#equation-", "mjx-container[display=true]"),
    "a figure": ("^='#fig-", "figure img"),
    "a table": ("^='#tab-", ".preview-title"),
    "an exercise here": ("^='#ex-", ".preview-title + p"),
    "an exercise elsewhere": ("*='.html#ex-", ".preview-title + p"),
    "a term": ("*='glossary.html#term-", ".preview-title + p"),
    "a reference": ("*='references.html#id", ".citation p"),
    "a function": ("*='.html#chaindyn.", ".preview-title + p"),
    "a section": ("*='.html#what-", ".preview-title + p"),
    "a page": ("$='.html", ".preview-title + p"),
}
SEEN = """card => {
  const { left, top, right, bottom } = card.getBoundingClientRect();
  return {
    whole: left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight,
    cut: card.scrollWidth > card.clientWidth,
    left_over: card.querySelectorAll("a, button, [id], [tabindex], h1, h2, h3").length,
  };
}"""


def links(page: Page, address: str) -> Locator:
    return page.locator(f"article a.reference.internal[href{address}']").locator("visible=true")


@pytest.fixture(scope="module")
def opened(chromium: Browser, site_url: str) -> Iterator[Callable[..., Page]]:
    """Go to a page at rest, each in one tab for all tests, with no card, the pointer in a corner, nothing in focus."""
    tabs: dict[str, Page] = {}

    def open_one(name: str, width: int = WIDTHS[0], scheme: str = SCHEMES[0]) -> Page:
        if name not in tabs:
            page = tabs[name] = open_page(chromium, width, scheme)
            page.goto(f"{site_url}{name}.html")
            settle(page)
            page.evaluate(
                "document.querySelectorAll('.folded-exercise').forEach((one) => { one.open = true; })"
            )
            page.wait_for_function(LOADED)
            page.clock.install()
        page = tabs[name]
        page.emulate_media(color_scheme=scheme)
        if page.viewport_size != {"width": width, "height": HEIGHT}:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            drawn(page)
        page.mouse.move(1, 1)
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Escape")
        expect(page.locator(CARD)).to_have_count(0)
        return page

    yield open_one
    for page in tabs.values():
        page.context.close()


@pytest.fixture(scope="module")
def chapter(site_folder: Path) -> str:
    """A page with links to terms and to its own equations."""
    return first_with(site_folder, "*='glossary.html#term-", "^='#equation-")


@cache
def first_with(site: Path, *addresses: str) -> str:
    """The first page with links to such addresses, each in one of its paragraphs."""
    patterns = []
    for address in addresses:
        how, end = address.split("='")
        start = {"^": "", "*": '[^"]*', "$": '[^"#]*'}[how]
        after = '"' if how == "$" else ""
        patterns.append(
            f'<p>[^\\n]*<a class="[^"]*reference internal" href="{start}{re.escape(end)}{after}'
        )
    for name in PAGES:
        page = (site / f"{name}.html").read_text(encoding="utf-8")
        if all(re.search(pattern, page) for pattern in patterns) and all(
            re.search(pattern, first_reading(page)) for pattern in patterns
        ):
            return name
    raise AssertionError(f"no page has links to {addresses}")


@cache
def first_reading(html: str) -> str:
    """The text of a page without what waits for a second reading."""
    page = BeautifulSoup(html, "html.parser")
    for folded in page.find_all("details", class_="second-reading"):
        folded.decompose()
    return str(page.find("article"))


def rest_on(link: Locator) -> Locator:
    """Let the pointer rest on a link until its card is there.

    A page on which formulas come into view is still being set, and may move the link away from under the pointer: it
    is then taken there again, as a reader does.
    """
    shown = "link => link.getAttribute('aria-describedby') === 'link-preview'"
    for _ in range(3):
        link.scroll_into_view_if_needed()
        link.hover()
        link.page.wait_for_function(
            f"link => ({shown})(link) || !link.matches(':hover')", arg=link.element_handle()
        )
        if link.evaluate(shown):
            break
    card = link.page.locator(CARD)
    expect(card).to_be_visible()
    return card


def later(page: Page) -> None:
    """Two seconds later, by the page's own clock."""
    page.clock.fast_forward(2000)
    drawn(page)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_card_shows_what_a_link_leads_to(opened, site_folder, kind, width):
    address, holds = KINDS[kind]
    page = opened(first_with(site_folder, address), width)
    link = links(page, address).first
    said = link.inner_text()
    card = rest_on(link)
    expect(card.locator(holds).first).to_be_visible()
    card.locator("img").evaluate_all("images => Promise.all(images.map((image) => image.decode()))")
    seen = card.evaluate(SEEN)
    assert seen == {"whole": True, "cut": False, "left_over": 0}
    shown = card.inner_text()
    assert not re.search(r"\\[a-z(\[]|\$", shown)
    number = re.search(r"\d[\d.]*\d|\d", said)
    assert (
        number[0] if number else said.partition(",")[0].removesuffix("s").lower()
    ) in shown.lower()
    assert link.get_attribute("title") is None  # which the browser would show as well


def test_a_figure_of_a_page_in_another_folder_has_its_picture(chromium, site_folder):
    """No link of the book leads so far today: the index gets one, of a site that is not at the top of its host."""
    name = first_with(site_folder, "^='#fig-")
    html = (site_folder / f"{name}.html").read_text(encoding="utf-8")
    figure = re.search(r'<figure[^>]* id="([^"]+)"', html)
    link = f'<a class="reference internal" href="{name}.html#{figure[1]}">a figure</a>'
    page = open_page(chromium, WIDTHS[0], "light")
    with serve(site_folder.parent) as address:
        page.goto(f"{address}{site_folder.name}/genindex.html")
        page.wait_for_function(LOADED)
        page.locator("article").evaluate(
            "(text, it) => text.insertAdjacentHTML('afterbegin', it)", link
        )
        card = rest_on(links(page, "*='#fig-").first)
        card.locator("img").evaluate("image => image.decode()")
        page.context.close()


def test_a_display_is_set_as_on_its_page(opened, chapter):
    """The same formula, in whole: what is said to a screen reader is the same, and so is its number."""
    page = opened(chapter)
    link = links(page, "^='#equation-").first
    card = rest_on(link)
    here = page.locator(f"[id='{link.get_attribute('href')[1:]}']")
    for part in ("mjx-assistive-mml", ".eqno"):
        told = here.locator(part).text_content().removesuffix("#")
        assert card.locator(part).text_content() == told


def test_by_keyboard(opened, chapter):
    page = opened(chapter)
    link = links(page, "*='glossary.html#term-").first
    link.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    card = page.locator(CARD)
    expect(card).to_be_visible()
    assert page.evaluate(
        "document.activeElement.getAttribute('aria-describedby')"
    ) == card.get_attribute("id")
    assert card.get_attribute("role") == "tooltip"
    page.mouse.move(300, 5)
    page.mouse.move(5, 5)
    later(page)
    expect(card).to_be_visible()  # while the link has the keyboard, wherever the pointer goes
    page.keyboard.press("Tab")
    expect(link).not_to_have_attribute("aria-describedby", re.compile("."))
    page.keyboard.press("Escape")  # the next stop may have a card of its own
    expect(card).to_have_count(0)


@pytest.mark.parametrize("way", ["pointer", "keyboard"])
def test_escape_sends_it_away(opened, chapter, way):
    page = opened(chapter)
    link = links(page, "^='#equation-").first
    if way == "pointer":
        rest_on(link)
    else:
        page.keyboard.press("Tab")
        link.focus()
        expect(page.locator(CARD)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(CARD)).to_have_count(0)
    assert link.get_attribute("aria-describedby") is None
    later(page)
    expect(page.locator(CARD)).to_have_count(0)
    if way == "keyboard":
        expect(link).to_be_focused()


def test_the_pointer_moves_onto_it_and_away(opened, chapter):
    page = opened(chapter)
    card = rest_on(links(page, "*='glossary.html#term-").first)
    card.hover()
    later(page)
    expect(card).to_be_visible()
    page.mouse.move(1, 1)
    expect(card).to_have_count(0)


def test_who_passes_over_a_link_sees_nothing(opened, chapter):
    page = opened(chapter)
    link = links(page, "^='#equation-").first
    link.scroll_into_view_if_needed()
    box = link.bounding_box()
    page.evaluate("document.addEventListener('toggle', () => { window.shown = true; }, true)")
    page.clock.pause_at(page.evaluate("Date.now()") + 1000)
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.clock.fast_forward(200)
    page.mouse.move(1, 1)
    page.clock.fast_forward(2000)
    page.clock.resume()
    drawn(page)
    assert not page.evaluate("window.shown")
    rest_on(link)
    page.wait_for_function("window.shown")


def test_another_link_has_another_card(opened, chapter):
    page = opened(chapter)
    equation, term = links(page, "^='#equation-").first, links(page, "*='glossary.html#term-").first
    rest_on(equation)
    rest_on(term)
    expect(page.locator(f"{CARD} .preview-title")).to_be_visible()
    assert equation.get_attribute("aria-describedby") is None
    expect(page.locator(".preview")).to_have_count(1)


def test_nothing_on_the_page_moves(opened, chapter):
    page = opened(chapter)
    link = links(page, "^='#equation-").first
    link.scroll_into_view_if_needed()
    layout = "() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth, scrollY]"
    before = page.evaluate(layout), link.bounding_box()
    rest_on(link)
    assert (page.evaluate(layout), link.bounding_box()) == before


# axe-core reads the whole page, whatever it is to judge, and a chapter takes it long: its text is away meanwhile, and
# the link with it, so that the pointer, on nothing then, is kept from sending the card away.
ALONE = """() => {
  window.judged = new AbortController();
  const kept = { capture: true, signal: window.judged.signal };
  addEventListener("pointerover", event => event.stopImmediatePropagation(), kept);
  const article = document.querySelector("article");
  window.rest = [...article.children].filter(part => !part.matches(".preview"));
  window.rest.forEach(part => part.remove());
}"""
TOGETHER = """() => {
  document.querySelector("article").prepend(...window.rest);
  window.judged.abort();
}"""


def cards() -> Iterator[Any]:
    """Every kind of card once with every change, on a screen of its own; on the other screens nightly."""
    screens = [(width, scheme) for width in WIDTHS for scheme in SCHEMES]
    for k, kind in enumerate(["an equation here", "a term", "a reference", "a function"]):
        for j, screen in enumerate(screens):
            marks = [] if j == k else [pytest.mark.nightly]
            yield pytest.param(kind, *screen, marks=marks, id="-".join(map(str, (kind, *screen))))


@pytest.mark.parametrize(("kind", "width", "scheme"), list(cards()))
def test_axe_finds_nothing_in_it(opened, site_folder, kind, width, scheme):
    address = KINDS[kind][0]
    page = opened(first_with(site_folder, address), width, scheme)
    card = rest_on(links(page, address).first)
    page.evaluate(ALONE)
    try:
        expect(card).to_be_visible()
        found = Axe().run(page, context="article > .preview").response
    finally:
        page.evaluate(TOGETHER)  # for the next test
    assert found["passes"]
    assert not found["violations"]


def test_a_page_that_cannot_be_fetched_shows_nothing_and_is_asked_for_again(
    chromium, site_url, chapter
):
    page = open_page(chromium, WIDTHS[0], "light")
    errors = list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.route("**/glossary.html", lambda route: route.fulfill(status=404, body="<p id='x'>no</p>"))
    page.goto(f"{site_url}{chapter}.html")
    settle(page)
    page.wait_for_function(LOADED)
    term, equation = links(page, "*='glossary.html#term-").first, links(page, "^='#equation-").first
    term.scroll_into_view_if_needed()
    with page.expect_response("**/glossary.html"):
        term.hover()
    rest_on(equation)  # which comes after the other was given up
    page.unroute("**/glossary.html")
    expect(page.locator(f"{CARD} mjx-container")).to_be_visible()
    assert term.get_attribute("aria-describedby") is None
    rest_on(term)
    expect(page.locator(f"{CARD} .preview-title")).to_be_visible()
    assert errors == []
    page.context.close()


def test_touch_has_no_cards_and_a_tap_follows_the_link(chromium, site_url, chapter):
    context = chromium.new_context(viewport={"width": WIDTHS[1], "height": HEIGHT}, has_touch=True)
    page = context.new_page()
    page.goto(f"{site_url}{chapter}.html")
    settle(page)
    page.wait_for_function(LOADED)
    page.clock.install()
    link = links(page, "^='#equation-").first
    link.scroll_into_view_if_needed()
    box = link.bounding_box()
    finger = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    hand = context.new_cdp_session(page)
    hand.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [finger]})
    later(page)
    expect(page.locator(CARD)).to_have_count(0)
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    link.tap()
    page.wait_for_function("address => location.hash === address", arg=link.get_attribute("href"))
    later(page)
    expect(page.locator(CARD)).to_have_count(0)
    context.close()


def test_on_paper_there_is_none(opened, chapter):
    page = opened(chapter)
    card = rest_on(links(page, "^='#equation-").first)
    page.emulate_media(media="print")
    expect(card).to_be_hidden()
    page.emulate_media(media="screen")
    expect(card).to_be_visible()


def test_it_waits_until_the_page_is_there_and_asks_for_other_pages_only_when_wanted(
    chromium, site_url, chapter
):
    page = open_page(chromium, WIDTHS[0], "light")
    asked, messages = list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on(
        "console",
        lambda message: messages.append(message.text) if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(f"{site_url}{chapter}.html")
    settle(page)
    page.wait_for_function(LOADED)
    start = page.evaluate(
        f"[{LOADED}.startTime, performance.getEntriesByType('navigation')[0].loadEventStart]"
    )
    assert start[0] >= start[1] > 0
    glossary = f"{site_url}book/glossary.html"
    assert glossary not in asked
    terms = links(page, "*='glossary.html#term-")
    for link in (terms.nth(0), terms.nth(1), terms.nth(0)):
        rest_on(link)
    assert asked.count(glossary) == 1
    assert messages == []
    page.context.close()
