"""A page once read is there without a network: its text, formulas, figures and explorers; and a new build is seen."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from book import live
from book.browser import HEIGHT, WIDTHS, serve
from book.extensions import offline

pytestmark = pytest.mark.browser

CHAPTER = (
    "chapters/03_inertia_momentum_equation_of_motion.html"  # it has figures, explorers and sketches
)
OTHER = "book/notation.html"
NEVER = "chapters/12_control.html"
STORES = "caches.keys().then((names) => names.filter((name) => name.startsWith('offline ')))"
KEPT = f"""async (ends) => {{
  const names = await {STORES};
  const stores = await Promise.all(names.map((name) => caches.open(name)));
  const urls = (await Promise.all(stores.map((store) => store.keys()))).flat().map(({{ url }}) => url);
  return ends.every((end) => urls.some((url) => url.split('?')[0].endsWith(end)));
}}"""
WHOLE = """() => ({
  formulas: document.querySelectorAll("article mjx-container").length,
  raw: document.querySelectorAll("article span.math:not(:has(mjx-container))").length,
  images: document.querySelectorAll("article img").length,
  blank: [...document.querySelectorAll("article img")].filter((one) => one.complete && !one.naturalWidth).length,
  explorers: document.querySelectorAll("article .chaindyn").length,
  lit: document.querySelectorAll("article .chaindyn canvas").length,
  faces: document.fonts.check("16px 'Source Serif 4'"),
})"""


def until(true: Callable[[], bool], seconds: float = 30) -> None:
    """Wait in this process: under a policy no function can be written into the page that waits there."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


@pytest.fixture
def reader(chromium: Browser) -> Iterator[BrowserContext]:
    """A browser with workers that heeds policies."""
    viewport = {"width": WIDTHS[0], "height": HEIGHT}
    context = chromium.new_context(
        bypass_csp=False, service_workers="allow", viewport=viewport, reduced_motion="reduce"
    )
    yield context
    context.close()


@pytest.fixture
def copy(site_folder: Path, tmp_path: Path) -> Path:
    """The site without its lab, of which a test may replace files."""
    target = tmp_path / "site"
    shutil.copytree(
        site_folder, target, copy_function=os.link, ignore=shutil.ignore_patterns(live.NAME)
    )
    return target


@contextmanager
def served(folder: Path, reader: BrowserContext) -> Iterator[Callable[[str], str]]:
    """The site, and behind it neither a server nor, for what it keeps open, a network."""
    with serve(folder) as address:
        yield lambda name: address + name
    reader.set_offline(True)


def read(page: Page, address: str, *kept: str) -> None:
    """Go to a page, and wait until it is kept."""
    page.goto(address)
    page.wait_for_load_state("networkidle")
    until(lambda: page.evaluate(KEPT, [address, *kept]))


def walk_down(page: Page) -> None:
    for top in range(0, page.evaluate("document.body.scrollHeight"), 2 * HEIGHT):
        page.evaluate("top => scrollTo(0, top)", top)
        page.wait_for_timeout(40)


def stopped(page: Page) -> dict:
    """What the page has when all that it asked for has come or failed."""
    page.wait_for_load_state("networkidle")
    walk_down(page)
    page.evaluate("window.MathJax?.startup?.promise?.then(() => true)")
    page.wait_for_load_state("networkidle")
    return page.evaluate(WHOLE)


def test_a_page_once_read_is_whole_without_a_network(reader, copy):
    page, troubles = reader.new_page(), list[str]()
    page.on("pageerror", lambda error: troubles.append(str(error)))
    with served(copy, reader) as at:
        read(page, at(CHAPTER), "three.js", "tex-mml-chtml.js")
        before = stopped(page)
        assert before["formulas"] > 200 and before["explorers"] and before["images"]
        page.wait_for_timeout(500)
    answer = page.reload()
    assert answer and answer.from_service_worker and answer.status == 200
    after = stopped(page)
    assert after == before
    assert not after["raw"] and not after["blank"] and after["faces"]
    # an explorer answers, and what is asked of a page's address does not hide it
    slider = page.locator("article .chaindyn input[type=range]").first
    slider.scroll_into_view_if_needed()
    shown = page.locator("article .chaindyn").first.inner_text()
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    until(lambda: page.locator("article .chaindyn").first.inner_text() != shown)
    assert page.goto(f"{page.url}?again=1#summary")
    assert page.evaluate(WHOLE)["images"] == before["images"]
    assert not troubles


def test_a_figure_that_was_not_in_sight_is_kept_too(reader, copy):
    """Pictures come when the reader is near them; who is on a train wants them all."""
    page = reader.new_page()
    with served(copy, reader) as at:
        read(page, at(CHAPTER))
        sources = page.evaluate(
            "[...document.querySelectorAll('article img')].map(({ src }) => src)"
        )
        assert sources
        until(lambda: page.evaluate(KEPT, sources))


def test_without_a_network_a_page_never_read_says_what_can_be_read(reader, copy):
    page = reader.new_page()
    with served(copy, reader) as at:
        read(page, at(OTHER))
        never = at(NEVER)
    page.goto(never)
    assert page.locator("h1").inner_text() == "No network"
    page.get_by_role("link", name=re.compile("^Notation")).click()
    assert page.url.endswith(OTHER)
    assert page.locator("article h1").count() == 1


def test_a_new_build_replaces_what_was_kept(reader, copy):
    """What was read is there as it is now; what is gone is not kept."""
    page = reader.new_page()
    with served(copy, reader) as at:
        read(page, at(OTHER))
        read(page, at("book/glossary.html"))
        (old,) = page.evaluate(STORES)
        replace(copy / OTHER, lambda text: text.replace("<h1>", "<h1>Anew: "))
        (copy / "book/glossary.html").unlink()
        replace(copy / offline.FILE, lambda _: offline.worker(copy, keeps=True))
        page.goto(at("book/references.html"))
        until(lambda: len(names := page.evaluate(STORES)) == 1 and names != [old])
        assert page.evaluate(KEPT, [at(OTHER)])
        assert not page.evaluate(KEPT, [at("book/glossary.html")])
        kept = at(OTHER)
    page.goto(kept)
    assert page.locator("article h1").inner_text().startswith("Anew: ")


def test_a_page_is_never_older_than_the_network_has_it(reader, copy):
    page = reader.new_page()
    with served(copy, reader) as at:
        read(page, at(OTHER))
        replace(copy / OTHER, lambda text: text.replace("<h1>", "<h1>Anew: "))
        page.reload()
        assert page.locator("article h1").inner_text().startswith("Anew: ")


def test_a_build_that_keeps_nothing_clears_away_what_was_kept(reader, copy):
    page = reader.new_page()
    with served(copy, reader) as at:
        read(page, at(OTHER))
        replace(copy / offline.FILE, lambda _: offline.worker(copy, keeps=False))
        page.goto(at("book/references.html"))
        until(lambda: page.evaluate(STORES) == [])
        count = "navigator.serviceWorker.getRegistrations().then((all) => all.length)"
        until(lambda: page.evaluate(count) == 0)


def test_the_store_is_told_apart_by_what_is_published(site_folder, tmp_path):
    for name in ("book/a.html", "live/lab.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a")
    first = offline.fingerprint(tmp_path)
    (tmp_path / "live/lab.html").write_text("b")
    (tmp_path / offline.FILE).write_text("b")
    assert offline.fingerprint(tmp_path) == first
    (tmp_path / "book/a.html").write_text("b")
    assert offline.fingerprint(tmp_path) != first
    published = (site_folder / offline.FILE).read_text("utf-8")
    assert published == offline.worker(site_folder, keeps=True)
    assert offline.fingerprint(site_folder) in published
    assert offline.BUILD not in published.replace("BUILD (ext", "")


def replace(file: Path, change: Callable[[str], str]) -> None:
    """Write a file anew that is a link to the site's own."""
    text = change(file.read_text(encoding="utf-8"))
    file.unlink()
    file.write_text(text, encoding="utf-8")
