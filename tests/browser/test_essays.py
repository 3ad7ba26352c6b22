"""Essays on the site: the picture stays in sight, and takes what each scene sets, by scrolling, buttons and keys."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from book.browser import HEIGHT, WIDTHS, drawn, settle

pytestmark = pytest.mark.browser

ESSAYS = ["where_a_blow_goes", "how_a_broom_stays_up", "why_a_book_turns_over"]
KEEP = """addEventListener("chaindyn-take", ({ detail }) => (window.taken = detail))"""


def opened(chromium: Browser, site_url: str, name: str, width: int = WIDTHS[0]) -> Page:
    """An essay at rest; motion is reduced, so that what is gone to is there at once."""
    viewport = {"width": width, "height": HEIGHT}
    page = chromium.new_context(viewport=viewport, reduced_motion="reduce").new_page()
    page.add_init_script(KEEP)
    page.goto(f"{site_url}book/{name}.html")
    settle(page)
    return page


def taken_at(page: Page, k: int) -> dict:
    """What all scenes up to one set."""
    scenes = page.locator(".scene").all()[: k + 1]
    changes = [json.loads(scene.get_attribute("data-take") or "") for scene in scenes]
    return {name: value for change in changes for name, value in change.items()}


def reads(page: Page, k: int) -> None:
    """Wait until a scene is the one that is read, in sight below its picture, and its picture has taken it."""
    count = page.locator(".scene").count()
    expect(page.locator(".essay-place")).to_have_text(f"{k + 1} of {count}")
    scene = page.locator(".scene").nth(k)
    expect(scene).to_have_class("scene read-now")
    expect(scene.locator("p").first).to_be_in_viewport(ratio=0.5)
    bottom = page.locator(".essay-picture").evaluate("it => it.getBoundingClientRect().bottom")
    assert scene.locator("p").first.bounding_box()["y"] > bottom - 1
    assert page.evaluate("window.taken") == taken_at(page, k)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ESSAYS)
def test_a_walk_by_buttons(chromium, site_url, name, width):
    page = opened(chromium, site_url, name, width)
    back, on = (page.get_by_role("button", name=word, exact=True) for word in ("Back", "Next"))
    expect(back).to_be_disabled()
    last = page.locator(".scene").count() - 1
    on.focus()
    for k in (1, 2, 3):
        page.keyboard.press("Enter")
        reads(page, k)
        expect(on).to_be_focused()
        expect(page.locator(".essay-spoken")).to_contain_text(
            page.locator(".scene").nth(k).inner_text()[:40]
        )
    stage = page.locator(".essay-picture .stage").bounding_box()
    assert stage["y"] > 0
    assert stage["y"] + stage["height"] < 0.72 * HEIGHT
    back.click()
    reads(page, 2)
    for k in range(3, last + 1):
        on.click()
        reads(page, k)
    expect(on).to_be_disabled()
    page.evaluate("scrollTo(0, 0)")
    expect(back).to_be_disabled()
    page.wait_for_function(f"JSON.stringify(taken) === {json.dumps(compact(taken_at(page, 0)))}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.context.close()


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":")).replace(".0,", ",").replace(".0}", "}")


def test_the_picture_shows_what_a_scene_says(chromium, site_url):
    page = opened(chromium, site_url, ESSAYS[0])
    expect(page.locator(".answer b")).to_have_text("1.94\u00a0N\u00a0s")
    for strength in ("1.29", "2.58", "3.87"):
        page.get_by_role("button", name="Next", exact=True).click()
        expect(page.locator(".answer b")).to_have_text(f"{strength}\u00a0N\u00a0s")
    page.reload()  # further down it is as it was left
    settle(page)
    expect(page.locator(".answer b")).to_have_text("3.87\u00a0N\u00a0s")
    page.context.close()


@pytest.mark.parametrize("name", ESSAYS)
def test_an_essay_is_accessible_and_says_what_it_is(chromium, site_url, name):
    page = opened(chromium, site_url, name, WIDTHS[1])
    drawn(page)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    options = {"runOnly": {"type": "tag", "values": tags}}
    assert Axe().run(page, options=options).response["violations"] == []
    for named in ("meta[name=description]", "meta[property='og:image']"):
        assert len(page.locator(named).get_attribute("content") or "") > 30
    page.context.close()


def test_without_scripts_it_is_text_below_a_picture(chromium, site_url):
    page = chromium.new_context(java_script_enabled=False).new_page()
    page.goto(f"{site_url}book/{ESSAYS[1]}.html")
    expect(page.locator(".scene").last).to_be_visible()
    assert page.locator(".essay-ways").count() == 0
    page.context.close()
