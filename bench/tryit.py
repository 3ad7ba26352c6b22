"""What "Try it" costs a first visitor: time from the click to the first result, and bytes, gzipped.

Served from this machine to a Chromium without a cache. Where other programs keep the machine busy, the processor's
seconds say more than the clock: those that all processes of the browser took.

    python bench/tryit.py [chapters/NAME.html EXERCISE]
"""

from __future__ import annotations

import gzip
import sys
import time
from urllib.parse import unquote, urlsplit

import psutil
from playwright.sync_api import Request, sync_playwright

from book import browser, site

DONE = "/Done in/.test(document.querySelector('.try-panel [role=status]')?.textContent)"


def measured(page_name: str, exercise: str) -> dict[str, float]:
    """Seconds to the first and the second result, the processor's seconds, and megabytes before and after the click."""
    with browser.serve(site.HTML) as address, sync_playwright() as playwright:
        own = browser.chromium(playwright)
        page = browser.open_page(own, 1280, "light")
        requests: list[Request] = []
        page.context.on("request", lambda request: requests.append(request))
        page.goto(address + page_name)
        browser.settle(page)
        place = page.locator(f"[data-try='{exercise}']")
        place.scroll_into_view_if_needed()
        button = place.get_by_role("button")
        button.wait_for()
        before, used, start = len(requests), busy(), time.monotonic()
        button.click()
        page.get_by_role("button", name="Run").click()
        page.wait_for_function(DONE, timeout=300_000)
        first, spent = time.monotonic() - start, busy() - used
        again, used = time.monotonic(), busy()
        page.get_by_role("button", name="Run").click()
        page.wait_for_timeout(50)
        page.wait_for_function(DONE, timeout=300_000)
        second, more = time.monotonic() - again, busy() - used
        sizes = [megabytes(request, address) for request in requests]
        own.close()
    return {
        "first result [s]": first,
        "of the processor [s]": spent,
        "second result [s]": second,
        "of the processor, second [s]": more,
        "page [MB]": sum(sizes[:before]),
        "after the click [MB]": sum(sizes[before:]),
    }


def busy() -> float:
    """The processor's seconds that this process's children have taken."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
    return total


def megabytes(request: Request, address: str) -> float:
    """What a file of the site weighs gzipped, if it was asked for."""
    if request.method != "GET" or not request.url.startswith(address):
        return 0.0
    file = site.HTML / unquote(urlsplit(request.url).path).lstrip("/")
    return len(gzip.compress(file.read_bytes())) / 1e6 if file.is_file() else 0.0


if __name__ == "__main__":
    given = sys.argv[1:] or ["chapters/09_articulated_body_inertia.html", "ex-9-serial"]
    for what, value in measured(*given).items():
        print(f"{what:30} {value:.2f}")
