"""Drills on a page: fresh numbers, an answer judged, hint and solution, by keys alone, and what comes again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from book.browser import HEIGHT, SCHEMES, WIDTHS, settle
from book.drills import drawn, drills
from book.pages import chapters

pytestmark = pytest.mark.browser

(CHAPTER,) = [page for page in chapters() if page.stem.startswith("01")]
LABEL = "ex-1-door"
# axe-core reads the whole page, whatever it is to judge: the rest of the chapter, which takes it long, goes before.
ALONE = """drill => {
  for (let part = drill; !part.matches("article"); part = part.parentElement) {
    for (const other of [...part.parentElement.children]) if (other !== part) other.remove();
  }
}"""


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [WIDTHS[0], WIDTHS[-1]])
def test_a_drill_is_done_by_keys(
    chromium: Browser, site_folder: Path, site_url: str, width: int, scheme: str
):
    context = chromium.new_context(viewport={"width": width, "height": HEIGHT}, color_scheme=scheme)
    page, troubles = context.new_page(), list[str]()
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(f"{site_url}chapters/{CHAPTER.stem}.html#drill-{LABEL}")
    settle(page)
    drill, own = drills(CHAPTER)[LABEL], page.locator(f"#drill-{LABEL}")
    first, second = (drawn(drill, LABEL, seed) for seed in "12")
    expect(own.locator(".drill-text")).to_have_text(first.text)  # its address opens it
    picture = own.get_by_role("img", name="The door from above")
    expect(picture).to_contain_text(f"{first.numbers['width']} m")
    expect(picture).to_have_attribute("width", re.compile(r"\d"))
    own.locator("input").first.focus()
    page.keyboard.type(f"{-first.answers[0]:.6g}".replace(".", ","))
    page.keyboard.press("Tab")
    page.keyboard.type(f"{first.answers[1]:.6g}")
    page.keyboard.press("Enter")
    says = own.get_by_role("status")
    expect(says).to_have_text(next(iter(drill.wrong)))  # the hinge as seen from the handle
    expect(own.locator("input").first).to_be_focused()
    expect(own.locator("input").first).to_have_attribute("aria-invalid", "true")
    own.get_by_role("button", name="Hint").press("Enter")
    expect(own.get_by_role("group", name="Hint")).to_contain_text("The handle moves with")
    own.get_by_role("button", name="Solution").press("Enter")
    expect(own.get_by_role("group", name="Solution")).to_contain_text(first.solution)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    own.evaluate(ALONE)
    assert Axe().run(page, context=f"#drill-{LABEL}").response["violations"] == []
    own.get_by_role("button", name="New numbers").press("Enter")
    expect(own.locator(".drill-text")).to_have_text(second.text)
    for field, answer in zip(own.locator("input").all(), second.answers, strict=True):
        field.fill(f"{answer:.4g}")
    own.get_by_role("button", name="Check").press("Enter")
    expect(says).to_have_text("Right.")
    expect(own.locator(".drill-kept")).to_contain_text("1 of 2. It comes again in 1 day.")
    page.goto(f"{site_url}book/exercises.html")
    expect(page.locator(".drill-record")).to_contain_text(re.compile("You have tried 1 of"))
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    kept = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert kept["drills"][LABEL]["right"] == kept["drills"][LABEL]["wrong"] == 1
    assert not troubles
    context.close()
