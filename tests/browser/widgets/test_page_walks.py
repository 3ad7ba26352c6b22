"""A walk through every explorer as a reader finds it: by touch on a phone, by keyboard alone, and without a hand."""

from __future__ import annotations

import pytest
from explorers import EXPLORERS
from hands import PHONE, drawn, pass_time
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

STOPS = 12  # of the tab key, before the reader opens more
# Those that show a motion begin with it; in the other a pull at a link or a slider is the beginning.
MOVING = [
    "balance",
    "chain",
    "contact",
    "effort",
    "heft",
    "hybrid",
    "impact",
    "inertia",
    "loop",
    "mass",
    "rotation",
    "screw",
]
MOVING += ["strike", "swing"]
SLIDER = ".columns input[type='range']:visible:not([aria-label^='time'])"
PICTURE = """() => [...document.querySelectorAll(".stage > svg :is(polyline, polygon, g.handle)")]
  .map((one) => one.getAttribute("points") ?? one.getAttribute("transform")).join(" ")"""
# Of each control outside the picture, once it has the focus: its name, and how far it is from where it should be [px].
WALK = """() => {
  const picture = document.querySelector(".stage");
  const out = ({ top, bottom }, low, high) => Math.max(0, low - top, bottom - high);
  const far = [];
  for (const control of document.querySelectorAll(".columns :is(button, input, select, summary)")) {
    if (control.disabled || !control.checkVisibility()) continue;
    control.focus();
    const [box, seen] = [control, picture].map((each) => each.getBoundingClientRect());
    const above = box.left < seen.right ? seen.bottom : 0; // a control below the picture is not to be behind it
    far.push([control.ariaLabel ?? control.textContent, out(seen, 0, innerHeight), out(box, above, innerHeight)]);
  }
  return far;
}"""


def seen_of(page: Page) -> str:
    """The picture, and what stands in words below it."""
    drawn(page)
    return page.evaluate(PICTURE) + page.locator(".columns > div").first.inner_text()


@pytest.mark.parametrize("name", MOVING)
def test_it_begins_in_motion(put_on_page, name):
    page = put_on_page(EXPLORERS[name](), fresh=True)
    first = page.evaluate(PICTURE)
    page.wait_for_function(f"first => ({PICTURE})() !== first", arg=first)


@pytest.mark.parametrize("name", MOVING)
@pytest.mark.parametrize("why", ["prefers that", "took hold of it"])
def test_it_is_still_for_who(put_on_page, name, why):
    """Three seconds of the page's own clock, which the test moves on, change nothing."""
    if (name, why) == ("strike", "took hold of it"):
        return  # the first screen goes on moving until one pulls
    motion = "reduce" if why == "prefers that" else "no-preference"
    page = put_on_page(
        EXPLORERS[name](), fresh=motion == "reduce", clock=True, reduced_motion=motion
    )
    pass_time(page, 0.2)
    first = page.evaluate(PICTURE)
    pass_time(page, 3)
    assert page.evaluate(PICTURE) == first


@pytest.mark.parametrize("name", EXPLORERS)
def test_the_first_slider_changes_what_is_seen(put_on_page, name):
    page = put_on_page(EXPLORERS[name](), reduced_motion="reduce")
    before = seen_of(page)
    slider = page.locator(SLIDER).first
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert seen_of(page) != before


@pytest.mark.parametrize("name", EXPLORERS)
def test_by_touch_on_a_phone_the_picture_stays_in_sight(put_on_page, name):
    page = put_on_page(EXPLORERS[name](), fresh=True, **PHONE, reduced_motion="reduce")
    closed = page.locator(".columns details:not([open]) > summary:visible")
    while closed.count():
        closed.first.tap()
        drawn(page)
    walked = page.evaluate(WALK)
    assert len(walked) > 5
    assert [(control, *far) for control, *far in walked if max(far) > 1] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator(".error")).to_be_empty()


@pytest.mark.parametrize("name", EXPLORERS)
def test_by_keyboard_alone(put_on_page, name):
    """A dozen stops at most, each with a name; the last one's picture is in sight, and it can be worked."""
    screen = {"viewport": {"width": 1280, "height": 720}, "reduced_motion": "reduce"}
    page = put_on_page(EXPLORERS[name](), fresh=True, **screen)
    names = []
    for _ in range(STOPS + 1):
        page.keyboard.press("Tab")
        stop = page.evaluate("""() => {
          const here = document.activeElement.closest(".chaindyn *") && document.activeElement;
          return here && (here.getAttribute("aria-label") || here.textContent);
        }""")
        if stop is None or stop in names[:1]:  # out of it, or round again
            break
        names.append(stop)
    assert 3 < len(names) <= STOPS, "\n".join(names)
    assert all(name.strip() for name in names)
    seen = "() => Math.max(...[...document.querySelectorAll('.stage')].map((x) => x.getBoundingClientRect().bottom))"
    assert page.evaluate(seen) <= 720
    closed = page.locator(".columns details:not([open]) > summary:visible")
    while closed.count():
        closed.first.press("Enter")
        drawn(page)
    assert [(control, *far) for control, *far in page.evaluate(WALK) if max(far) > 1] == []
    slider = page.locator(SLIDER).first
    before = slider.input_value()
    slider.press("ArrowRight")
    expect(slider).not_to_have_value(before)
