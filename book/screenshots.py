"""Store a picture of every page, wide and narrow, light and dark, a PDF of it as printed, and its notebook in the lab.

``python -m book.screenshots [PAGE ...]`` writes into ``book/_build/screenshots``; look at them after a change of style.
"""

from __future__ import annotations

import sys
from itertools import product

from playwright.sync_api import Browser, sync_playwright

from book import live
from book.browser import (
    HEIGHT,
    SCHEMES,
    WIDTHS,
    chromium,
    open_notebook,
    open_page,
    page_names,
    run_notebook,
    serve,
    settle,
)
from book.site import BUILD, HTML

FOLDER = BUILD / "screenshots"


def main(pages: list[str]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, serve(HTML) as address:
        browser = chromium(playwright)
        for name in pages:
            stem = name.replace("/", "-")
            for width, scheme in product(WIDTHS, SCHEMES):
                page = open_page(browser, width, scheme)
                page.goto(f"{address}{name}.html")
                settle(page)
                page.screenshot(path=FOLDER / f"{stem}-{width}-{scheme}.png", full_page=True)
                if (width, scheme) == (WIDTHS[0], SCHEMES[0]):
                    page.pdf(path=FOLDER / f"{stem}.pdf", format="A4")
                page.context.close()
            if (HTML / "_sources" / f"{name}.ipynb").is_file() and (HTML / live.NAME).is_dir():
                for scheme in SCHEMES:
                    _finished_notebook(browser, f"{address}{live.address(name)}", stem, scheme)
            print(FOLDER / f"{stem}-*.png", flush=True)
        browser.close()


def _finished_notebook(browser: Browser, address: str, stem: str, scheme: str) -> None:
    """Pictures of a notebook after it ran in the lab, where its first widget is, or else its last cell."""
    page = open_page(browser, WIDTHS[0], scheme)
    open_notebook(page, address)
    run_notebook(page)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        shown = page.locator(".jp-OutputArea-output .chaindyn, .jp-Cell:last-child").first
        shown.scroll_into_view_if_needed()
        page.wait_for_timeout(500)
        page.screenshot(path=FOLDER / f"lab-{stem}-{width}-{scheme}.png")
    page.context.close()


if __name__ == "__main__":
    main(sys.argv[1:] or page_names())
