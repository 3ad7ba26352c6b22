"""Store a picture of every page, wide and narrow, light and dark, and a PDF of it as printed.

``python -m book.screenshots [PAGE ...]`` writes into ``book/_build/screenshots``; look at them after a change of style.
"""

from __future__ import annotations

import sys
from itertools import product

from playwright.sync_api import sync_playwright

from book.browser import SCHEMES, WIDTHS, chromium, open_page, page_names, serve, settle
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
            print(FOLDER / f"{stem}-*.png", flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:] or page_names())
