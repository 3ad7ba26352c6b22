"""What every widget does on a page of its own: there without Python and with it, accessible, fitting a phone."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from explorers import EXPLORERS
from hands import PHONE, drawn, request_of, rows_of, touch
from playwright.sync_api import expect

from book.browser import HEIGHT, SCHEMES, WIDTHS
from chaindyn.widgets import ScrewExplorer

pytestmark = pytest.mark.browser


SHARED = [name for name in EXPLORERS if name != "strike"]  # the first screen is another page
MODES = [(width, scheme) for scheme in SCHEMES for width in WIDTHS]


@pytest.mark.parametrize("name", SHARED)
def test_it_is_there_without_python_and_says_so(put_on_page, name):
    page = put_on_page(EXPLORERS[name]())
    expect(page.locator(".source")).to_contain_text("All of this is computed by the page")
    expect(page.locator(".error")).to_be_empty()
    assert page.locator(".chaindyn svg polyline").count() > 10
    page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    if page.locator(".chaindyn tbody").count():  # a swing has no table
        assert all(all(row) for row in rows_of(page))
    expect(page.locator("[role=status]")).not_to_be_empty()


def test_a_number_can_be_typed_and_rubbed_out(put_on_page):
    """The field is not written to while it is typed in, and an empty one asks for nothing."""
    page = put_on_page(ScrewExplorer())
    field = page.get_by_role("spinbutton", name="motion point x [m]")
    field.fill("")
    expect(field).to_have_value("")
    assert request_of(page)["motion"]["point"][0] == 0.6
    field.press_sequentially("-0.50")
    expect(field).to_have_value("-0.50")
    assert request_of(page)["motion"]["point"][0] == -0.5


def test_a_finger_on_the_background_scrolls_the_page_or_turns_the_view(put_on_page):
    page = put_on_page(ScrewExplorer(), **PHONE)
    box = page.locator(".stage > svg").bounding_box()
    background = (box["x"] + 25, box["y"] + box["height"] - 40)
    strokes = page.locator(".chaindyn svg g").first.inner_html()
    touch(page, background, (90, 0))
    page.wait_for_function(
        "old => document.querySelector('.chaindyn svg g').innerHTML !== old", arg=strokes
    )
    touch(page, background, (0, -200))
    page.wait_for_function("scrollY > 50")


def test_a_view_that_is_closed_listens_no_more(put_on_page):
    page = put_on_page(ScrewExplorer())
    assert page.evaluate("Object.values(listeners).flat().length") == 2
    page.evaluate("close_view()")
    assert page.evaluate("Object.values(listeners).flat().length") == 0


@pytest.mark.parametrize("name", SHARED)
@pytest.mark.parametrize(
    "modes",
    [
        pytest.param(MODES[:1], id="wide"),
        pytest.param(MODES[1:], id="others", marks=pytest.mark.slow),
    ],
)
def test_it_is_accessible_and_fits(put_on_page, name, modes):
    # a height of its own, so that no other test goes on with this page, whose scheme changes
    page = put_on_page(EXPLORERS[name](), viewport={"width": WIDTHS[0], "height": HEIGHT - 1})
    for width, scheme in modes:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.emulate_media(color_scheme=scheme)
        drawn(page)
        closed = page.locator("details:not([open]) summary")
        while closed.count():
            closed.first.click()
        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        found = Axe().run(page, options={"runOnly": {"type": "tag", "values": tags}}).response
        rules = [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]]
        assert not rules, (width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(SMALL) == []


SMALL = """[...document.querySelectorAll(".chaindyn :is(button, input, select, summary, .reach)")]
  .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 24).map(e => e.outerHTML)"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_of_the_page_wins_over_that_of_the_system(put_on_page, theme):
    page = put_on_page(ScrewExplorer(), color_scheme="light" if theme == "dark" else "dark")
    paper = "getComputedStyle(document.querySelector('.chaindyn')).backgroundColor"
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    assert page.evaluate(paper) == {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 27, 33)"}[theme]
    page.evaluate("delete document.documentElement.dataset.theme")
    page.evaluate(f"document.body.dataset.jpThemeLight = '{str(theme == 'light').lower()}'")
    assert page.evaluate(paper) == {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 27, 33)"}[theme]
