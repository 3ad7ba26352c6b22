"""No equation is cut, on a wide screen or on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from book.browser import HEIGHT, WIDTHS, drawn, open_page, page_names, settle

pytestmark = pytest.mark.browser

PAGES = [name for name in page_names() if name not in ("search", "genindex")]
SAMPLE = PAGES[1:12:5]  # the rest has its turn at night
SMALLEST = {1280: 0.9, 390: 0.8}  # of its size, that a display may be set on a screen

UNFOLD = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  for (const fold of document.querySelectorAll(".toggle-hidden")) fold.classList.remove("toggle-hidden");
}"""
CUT = """smallest => [...document.querySelectorAll("mjx-container[display=true]")].flatMap(formula => {
  const size = parseFloat(getComputedStyle(formula).fontSize);
  const full = parseFloat(formula.dataset.fullSize);
  const fits = formula.clientWidth && formula.scrollWidth <= formula.clientWidth + 1 && size >= smallest * full - 0.1;
  const number = formula.parentElement.querySelector(".eqno")?.textContent.slice(0, -1) ?? "";
  const text = formula.querySelector("mjx-assistive-mml").textContent.replace(/\\s+/g, " ").slice(0, 70);
  const width = formula.clientWidth ? (size / full * formula.clientWidth / formula.scrollWidth).toFixed(2) : "hidden";
  return fits ? [] : [`${width} ${number} ${text}`];
})"""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in SAMPLE else pytest.mark.nightly) for name in PAGES],
)
def test_no_display_is_cut(chromium: Browser, site_url: str, name: str):
    page = open_page(chromium, WIDTHS[0], "light")
    page.goto(f"{site_url}{name}.html")
    settle(page)
    cut = list[str]()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.evaluate(UNFOLD)
        page.evaluate("fit()")
        drawn(page)
        cut += [f"{width} px: {display}" for display in page.evaluate(CUT, SMALLEST[width])]
    page.context.close()
    assert not cut, "\n".join(cut)
