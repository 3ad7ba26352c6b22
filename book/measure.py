"""Measure what a reader meets: lines of code, shares of text, code and figures, the first paint, the cost of a frame.

``python -m book measure pages [--write] [PAGE ...]`` counts lines of code in the sources (book/budget.py); the others
open pages of the built site. ``python -m book measure shares [PAGE ...]`` adds up heights, as laid out on a wide screen
and on a phone.
``python -m book measure screens [PAGE ...]`` tells how many screens long pages are as one comes to them, with what
folds folded: on a phone at most `SCREENS`.
``python -m book measure paint [PAGE ...]`` opens each page with an empty cache on a slow network (1.44 Mbit/s, 563 ms
to and fro, what browsers call "slow 4G") and a processor made four times slower; the server compresses, as those that
books are published on do. A page is named as in ``chapters/14_loops_and_redundancy``; with none, all are measured.
``python -m book measure frames [PAGE ...]`` moves the first slider of each explorer and sketch, frame by frame, and
tells what a frame costs the page's own thread (scripts, style and layout), with that processor and with one four times
slower. Solids are drawn by the graphics processor, whose time is not in it.
``python -m book measure rooms [--write] [PAGE ...]`` tells how high each widget is, on a phone and on a wide screen;
kept with ``--write``, so high is the room that it finds before it comes (book/extensions/rooms.py).
``--site FOLDER`` measures another build.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from book import budget, durations
from book.browser import HEIGHT, WIDTHS, chromium, drawn, open_page, page_names, serve, settle
from book.extensions import rooms
from book.pages import BookError
from book.site import HTML

KINDS = ("text", "code", "outputs", "figures")
SCREENS = 35  # of a phone, a page at most
PHONE = (390, 844)  # px
SLOW_4G = {
    "offline": False,
    "latency": 562.5,  # ms
    "downloadThroughput": 1.44e6 / 8,  # bytes a second
    "uploadThroughput": 0.675e6 / 8,
}
SLOWER = 4  # times, the processor
PAINTS = 3  # of which the middle one is told

HEIGHTS = """() => {
  const height = (boxes) => [...boxes].reduce((sum, box) => sum + box.getBoundingClientRect().height, 0);
  const article = document.querySelector("article.bd-article");
  const outermost = (selector) =>
    [...article.querySelectorAll(selector)].filter((box) => !box.parentElement.closest(selector));
  const code = height(outermost("details.folded-code, details.hide, div.cell_input, .exported"));
  const figures = height(outermost(".cell_output img, .cell_output .chaindyn, figure"));
  const drawn = ".cell_output img, .cell_output .chaindyn, .cell_output figure";
  const outputs = height(outermost("div.cell_output")) - height(outermost(drawn));
  return { text: article.getBoundingClientRect().height - code - figures - outputs, code, outputs, figures };
}"""

FRAMES = 40
MOVE = """(slider, frames) => new Promise((done) => {
  const [low, high] = [Number(slider.min), Number(slider.max)];
  let k = 0;
  const next = () => {
    slider.value = low + ((high - low) * k) / frames;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    k += 1;
    requestAnimationFrame(k < frames ? next : () => requestAnimationFrame(done));
  };
  next();
})"""
BUSY = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")

FIRST_PAINT = """() => new Promise((done) => {
  const told = (list) => list.getEntries().forEach((entry) => {
    if (entry.name === "first-contentful-paint") done(entry.startTime / 1000);
  });
  new PerformanceObserver(told).observe({ type: "paint", buffered: true });
})"""


def shares(page: Page) -> dict[str, float]:
    """The heights [px] that an open page gives to each of `KINDS`."""
    heights: dict[str, float] = page.evaluate(HEIGHTS)
    return heights


def first_paint(browser: Browser, address: str) -> tuple[float, float]:
    """Seconds to the first contentful paint, and the kilobytes that came until the page was at rest."""
    page = open_page(browser, 390, "light")
    session = page.context.new_cdp_session(page)
    received = [0.0]

    def count(event: dict[str, Any]) -> None:
        received[0] += event["encodedDataLength"] / 1000

    session.on("Network.loadingFinished", count)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW_4G)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(address, wait_until="commit", timeout=120_000)
    seconds: float = page.evaluate(FIRST_PAINT)
    page.wait_for_load_state("networkidle", timeout=120_000)
    page.context.close()
    return seconds, received[0]


def _print_shares(browser: Browser, address: str, names: list[str]) -> None:
    for width in WIDTHS:
        print(
            f"\n{width} px wide" + " " * 39 + "screens " + "".join(f"{kind:>10}" for kind in KINDS)
        )
        for name in names:
            page = open_page(browser, width, "light")
            page.goto(f"{address}{name}.html")
            settle(page)
            heights = shares(page)
            page.context.close()
            total = sum(heights.values())
            parts = "".join(f"{heights[kind] / total:10.0%}" for kind in KINDS)
            print(f"{name:48} {total / 900:8.0f}{parts}", flush=True)


LENGTH = "document.querySelector('article.bd-article').getBoundingClientRect().height"


def screens(browser: Browser, address: str) -> tuple[float, float]:
    """How many screens long a page is, on a phone and on a wide screen."""
    lengths = list[float]()
    for width, height in (PHONE, (WIDTHS[0], HEIGHT)):
        page = open_page(browser, width, "light")
        page.set_viewport_size({"width": width, "height": height})
        page.goto(address)
        settle(page)
        lengths.append(page.evaluate(LENGTH) / height)
        page.context.close()
    return lengths[0], lengths[1]


def _print_screens(browser: Browser, address: str, names: list[str]) -> None:
    print(" " * 48 + "screens of a phone   wide")
    for name in names:
        phone, wide = screens(browser, f"{address}{name}.html")
        long = f"   more than {SCREENS}" if phone > SCREENS else ""
        print(f"{name:48} {phone:17.1f} {wide:6.1f}{long}", flush=True)


def _print_paints(browser: Browser, address: str, names: list[str]) -> None:
    print(" " * 48 + "first paint [s]   transferred [kB]")
    for name in names:
        runs = [first_paint(browser, f"{address}{name}.html") for _ in range(PAINTS)]
        seconds, kilobytes = (statistics.median(values) for values in zip(*runs, strict=True))
        print(f"{name:48} {seconds:14.2f} {kilobytes:18.0f}", flush=True)


def frame_costs(page: Page, slower: float = 1) -> list[float]:
    """Milliseconds of the page's thread for a frame of each widget that has a slider, while that moves."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    session.send("Emulation.setCPUThrottlingRate", {"rate": slower})

    def busy() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return sum(one["value"] for one in metrics if one["name"] in BUSY)

    costs = []
    for widget in page.locator(".chaindyn").all():
        sliders = widget.locator("input[type=range]")
        if sliders.count():
            widget.scroll_into_view_if_needed()
            before = busy()
            sliders.first.evaluate(MOVE, FRAMES)
            costs.append(1000 * (busy() - before) / FRAMES)
    return costs


def _print_frames(browser: Browser, address: str, names: list[str]) -> None:
    print(" " * 48 + f"of each widget, as it is | {SLOWER} times slower [ms]")
    for name in names:
        page = open_page(browser, WIDTHS[0], "light")
        page.goto(f"{address}{name}.html")
        settle(page)
        parts = (" ".join(f"{x:.1f}" for x in frame_costs(page, rate)) for rate in (1, SLOWER))
        print(f"{name:48} {' | '.join(parts)}", flush=True)
        page.context.close()


WIDGETS = """() => {
  const states = [...document.querySelectorAll("script[type$='widget-state+json']")];
  const all = Object.assign({}, ...states.map((one) => JSON.parse(one.textContent).state));
  const views = [...document.querySelectorAll("script[type$='widget-view+json']")];
  return views.map((view) => {
    const { _anywidget_id, scene } = all[JSON.parse(view.textContent).model_id].state;
    return [{ _anywidget_id, scene: { title: scene?.title ?? "" } }, view.nextElementSibling.offsetHeight];
  });
}"""


# what waits below its title has no height until then
UNFOLD = """document.querySelectorAll(".second-reading, .folded-exercise").forEach((fold) => { fold.open = true; })"""


def rooms_of(page: Page) -> dict[str, rooms.Room]:
    """How high the widgets of an open page are, on a phone and on a wide screen, by name."""
    heights = list[list[float]]()
    page.evaluate(UNFOLD)
    for width in reversed(WIDTHS):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        drawn(page)
        found = page.evaluate(WIDGETS)
        heights.append([height for _, height in found])
    names = [rooms.name_of(state) for state, _ in found]
    return dict(zip(names, zip(*heights, strict=True), strict=True)) if names else {}


def _print_rooms(browser: Browser, address: str, names: list[str], write: bool = False) -> None:
    measured = dict[str, dict[str, rooms.Room]]()
    for name in names:
        page = open_page(browser, WIDTHS[0], "light")
        page.goto(f"{address}{name}.html")
        settle(page)
        if found := rooms_of(page):
            measured[name] = found
            for widget, (narrow, wide) in found.items():
                print(f"{name:48} {narrow:6.0f} {wide:6.0f}  {widget}", flush=True)
        page.context.close()
    if write:
        rooms.write(measured)


MEASURES: dict[str, Callable[[Browser, str, list[str]], None]] = {
    "shares": _print_shares,
    "screens": _print_screens,
    "paint": _print_paints,
    "frames": _print_frames,
}


@contextmanager
def _opened(site: Path) -> Iterator[tuple[Browser, str]]:
    with sync_playwright() as playwright, serve(site, compressed=True) as address:
        browser = chromium(playwright)
        yield browser, address
        browser.close()


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m book measure", description=__doc__)
    parser.add_argument("what", choices=["pages", "tests", "rooms", *MEASURES])
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    parser.add_argument("--site", type=Path, default=HTML, help="the folder of a built site")
    parser.add_argument(
        "--write", action="store_true", help="keep what `pages` and `rooms` measure"
    )
    arguments = parser.parse_intermixed_args(argv)
    if arguments.what == "pages":
        budget.measure(arguments.pages, arguments.write)
        return 0
    if arguments.what == "tests":
        durations.measure()
        return 0
    names = arguments.pages or [name for name in page_names() if name not in ("search", "genindex")]
    for name in names:
        if not (arguments.site / f"{name}.html").is_file():
            raise BookError(f"there is no page {name} in {arguments.site}: build the site first")
    with _opened(arguments.site) as (browser, address):
        if arguments.what == "rooms":
            _print_rooms(browser, address, names, arguments.write)
        else:
            MEASURES[arguments.what](browser, address, names)
    return 0
