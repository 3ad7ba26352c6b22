"""The built site, served on this machine, in a Chromium.

``CHAINDYN_SITE`` names another build than ``book/_build/html``. Where there is no Chromium the tests are skipped,
but not in CI (``CI=true``) nor where ``CHAINDYN_REQUIRE_BROWSER=1``: there they fail.

A test that fails leaves in ``build/browser`` what its pages looked like, as picture and as text, and a trace of all
that was done to them, for ``python -m playwright show-trace``. (Not by pytest-playwright: its pages are a test's own,
ours some of a session's, in widths, schemes and a Chromium that it would have to be told one by one.)
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, expect, sync_playwright

from book import browser as site_browser
from book import site
from book.pages import ROOT

LEFT = ROOT / "build" / "browser"
# [ms] of a machine whose cores are busy; only what fails takes as long
PATIENCE = 60_000
expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def site_folder() -> Path:
    """The folder of the built site; built now if it never was."""
    folder = Path(os.environ.get("CHAINDYN_SITE", site.HTML))
    return folder if (folder / "index.html").is_file() else site.build()


@pytest.fixture(scope="session")
def site_url(site_folder: Path) -> Iterator[str]:
    """The address of the served site, with a slash at the end."""
    with site_browser.serve(site_folder) as address:
        yield address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            browser = site_browser.chromium(playwright)
        except site_browser.NoBrowser as reason:
            required = (
                os.environ.get("CI") == "true" or os.environ.get("CHAINDYN_REQUIRE_BROWSER") == "1"
            )
            (pytest.fail if required else pytest.skip)(str(reason))
        new_context = browser.new_context

        def new_traced_context(**options: Any) -> BrowserContext:
            # Playwright waits by functions that it writes into the page; test_policy.py goes without
            # and sees no request that a worker makes for it; test_offline.py goes with one
            told = {"bypass_csp": True, "service_workers": "block", **options}
            context = new_context(**told)
            context.set_default_timeout(PATIENCE)
            context.tracing.start()  # with a snapshot of each step it would take twice the time
            return context

        browser.new_context = new_traced_context  # type: ignore[method-assign]
        yield browser
        browser.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Any:
    """Leave what a failed test saw, of every page that is open: before its fixtures close them."""
    report = yield
    browser = getattr(item, "funcargs", {}).get("chromium")
    if report.failed and report.when != "teardown" and browser:
        name = re.sub(r"[^\w.-]+", "_", item.nodeid)
        for k, context in enumerate(browser.contexts):
            leave(context, LEFT / f"{name}-{k}")
    return report


def leave(context: BrowserContext, folder: Path) -> None:
    try:
        context.tracing.stop_chunk(path=folder / "trace.zip")
        context.tracing.start_chunk()
        for k, page in enumerate(context.pages):
            page.screenshot(path=folder / f"page-{k}.png")
            (folder / f"page-{k}.html").write_text(page.content(), encoding="utf-8")
    except Error:
        """It waits for another test, untraced, or has crashed: neither must hide why this test failed."""
