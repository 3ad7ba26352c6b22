"""The sketches on the pages of the site: all are drawn, symbols of the formulas around them light their arrows, and
their numbers say where they are from.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from book.browser import SCHEMES, WIDTHS, drawn, open_page, settle

pytestmark = pytest.mark.browser

SYMBOLS = """() => [...document.querySelectorAll(".chaindyn.sketch")].flatMap((sketch) => {
  const section = sketch.closest("section");
  const there = [...section.querySelectorAll("mjx-container [data-symbol]")].map((one) => one.dataset.symbol);
  const keys = [...sketch.querySelectorAll(".symbols button")].map(({ dataset }) => dataset.symbol);
  return keys.map((symbol) => [symbol, there.includes(symbol)]);
})"""
# Each number of each sketch is asked where it is from: what cannot be asked, or does not answer what it shows.
ASKED = """async () => {
  const wrong = [];
  for (const value of document.querySelectorAll(".chaindyn.sketch .value")) {
    const button = value.querySelector("button.asks");
    button?.click();
    await new Promise(requestAnimationFrame); // both are drawn anew
    const told = value.closest(".sketch").querySelector(".whence:not([hidden]) li output")?.textContent;
    if (told !== value.querySelector("output").textContent) wrong.push(`${value.textContent}, when asked, is ${told}`);
    button?.click();
  }
  return wrong;
}"""
SET = """[...document.querySelectorAll(".sketch .symbols button")].every((one) => one.querySelector("mjx-container"))"""


# Strokes become solids once the lights have come, which is sooner or later as the machine is busy.
NO_LIGHTS = "HTMLCanvasElement.prototype.getContext = () => null"


def opened(chromium: Browser, site_url: str, name: str, first: str = "") -> Page:
    """A page at rest. first: a script that runs before its own."""
    page = open_page(chromium, WIDTHS[0], SCHEMES[0])
    page.add_init_script(first)
    page.goto(f"{site_url}{name}.html")
    settle(page)
    page.wait_for_function(SET)
    return page


def sketches_of(page: Page) -> tuple[int, list[str]]:
    """How many sketches a page has, and what is wrong with them: `test_pages.py` asks every page while it is open."""
    page.wait_for_function(SET)
    sketches, wrong = page.locator(".chaindyn.sketch").all(), list[str]()
    for k, sketch in enumerate(sketches, 1):
        stops = sketch.locator("[tabindex='0'], button:not([tabindex='-1']), input").count()
        wrong += [f"sketch {k} is empty"] * (not sketch.locator(".stage .stroke").count())
        wrong += [f"sketch {k} says nan"] * bool(re.search(r"\bnan\b", sketch.inner_text()))
        wrong += [f"sketch {k} has {stops} stops of the tab key"] * (stops > 12)
    lost = [symbol for symbol, stands in page.evaluate(SYMBOLS) if not stands]
    wrong += page.evaluate(ASKED)
    return len(sketches), wrong + [f"{symbol} does not stand in its section" for symbol in lost]


def test_a_symbol_lights_its_arrow_and_the_key_lights_the_symbol(chromium, site_url):
    page = opened(chromium, site_url, "chapters/01_plucker_coordinates", NO_LIGHTS)
    sketch = page.locator(".chaindyn.sketch").first
    key = sketch.locator("button[data-symbol=v_P]")
    symbol = page.locator("mjx-msub[data-symbol=v_P]").first
    symbol.hover()
    expect(key).to_have_attribute("aria-pressed", "true")
    dim = sketch.locator(".stage .stroke.slide").first
    expect(dim).to_have_attribute("opacity", "0.25")
    page.mouse.move(0, 0)
    expect(key).to_have_attribute("aria-pressed", "false")
    expect(dim).to_have_attribute("opacity", "1")
    key.hover()
    expect(symbol).to_have_class("means motion lit")
    drawn(page)
    # r_i, r with a tilde, and r of another section are other symbols
    found = page.locator(".means[data-symbol=r]")
    assert found.count() == page.locator("mjx-mi.means[data-symbol=r]").count() > 3
    assert page.locator(":is(mjx-msub, mjx-base) > [data-symbol=r]").count() == 0
    page.context.close()


def test_a_page_that_is_loaded_again_keeps_the_readers_place(chromium, site_url):
    """Sketches above the place, which come after the text, find the room that they had."""
    page = opened(chromium, site_url, "chapters/09_articulated_body_inertia")
    place = page.locator("#summary")
    place.evaluate("(place) => place.scrollIntoView({ block: 'center' })")
    drawn(page)
    before = place.bounding_box()["y"]
    page.reload()
    settle(page)
    page.wait_for_function(SET)
    assert abs(place.bounding_box()["y"] - before) < 20
    page.context.close()
