"""What a reader's hand does with a widget, and what the eye then reads of it, once it is there."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import Locator, Page

PHONE = {
    "viewport": {"width": 390, "height": 600},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
FRAME = "new Promise(requestAnimationFrame)"
NUMBERS = """() => [...document.querySelectorAll(".chaindyn tbody tr")]
  .map((row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText))"""


def drawn(page: Page) -> None:
    """Wait until what was asked for is answered, where Python answers, and drawn."""
    page.wait_for_function(
        "!window.python || model.get('answer').serial === model.get('request').serial"
    )
    page.evaluate(FRAME)  # what was changed before is drawn in this frame at the latest


def width_of(page: Page) -> float:
    """How wide the picture is in its own pixels: wider on a wide card."""
    return page.evaluate("document.querySelector('.stage > svg').viewBox.baseVal.width")


def request_of(page: Page) -> dict:
    return page.evaluate("model.get('request')")


def rows_of(page: Page) -> list[list[str]]:
    """The numbers shown, row by row, once they are drawn; where they were folded away, that comes after a click."""
    page.wait_for_selector(".chaindyn tbody tr", state="attached")
    drawn(page)
    return page.evaluate(NUMBERS)


def verdict_of(page: Page) -> str:
    drawn(page)
    return page.locator(".work").inner_text()


def as_shown(*columns: list[float]) -> list[list[str]]:
    def shown(x: float) -> str:
        return f"{round(x, 2) + 0:.2f}".replace("-0.00", "0.00").replace("-", "\u2212")

    return [[shown(x) for x in row] for row in zip(*columns, strict=True)]


def look(page: Page, preset: str) -> None:
    """Look from the front, the side, the top, or anywhere else that the stage offers."""
    if not page.locator("details.views[open]").count():
        page.get_by_text("View", exact=True).click()
    page.get_by_role("button", name=f"view {preset}", exact=True).click()
    drawn(page)


def pass_time(page: Page, seconds: float) -> None:
    """Let time pass on a page whose clock is the test's, frame by frame; without this it stands still."""
    page.clock.run_for(round(1000 * seconds))


def centre(target: Locator) -> tuple[float, float]:
    for _ in range(100):
        drawn(target.page)  # strokes are drawn anew each time, handles move
        if box := target.bounding_box():  # none, if a stroke was replaced since it was found
            return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    raise AssertionError(f"{target} is not on the page")


def drag(page: Page, start: tuple[float, float], by: tuple[float, float], steps: int = 8) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + by[0], start[1] + by[1], steps=steps)
    page.mouse.up()


def touch(page: Page, start: tuple[float, float], by: tuple[float, float]) -> None:
    session = page.context.new_cdp_session(page)
    for share in np.linspace(0, 1, 9):
        at = {"x": start[0] + share * by[0], "y": start[1] + share * by[1]}
        kind = "touchMove" if share else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
