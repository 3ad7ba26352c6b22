"""The built site, served on this machine, in a Chromium.

``CHAINDYN_SITE`` names another build than ``book/_build/html``. Where there is no Chromium the tests are skipped,
but not in CI (``CI=true``) nor where ``CHAINDYN_REQUIRE_BROWSER=1``: there they fail.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from book import browser as site_browser
from book import site


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
        yield browser
        browser.close()
