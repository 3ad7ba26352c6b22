"""The lab: every chapter runs in the reader's browser, prints there what the book prints, and asks no other host."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page

from book import live
from book.browser import HEIGHT, SCHEMES, WIDTHS, drawn, open_notebook, run_code, run_notebook
from book.pages import ROOT, pages

pytestmark = pytest.mark.browser
slow = pytest.mark.slow

NAMES = [page.relative_to(ROOT).with_suffix("").as_posix() for page in pages()]
# With every change: what reads URDF through the stand-in for lxml, and what solves and integrates most.
SAMPLE = ("chapters/04_", "chapters/10_", "chapters/15_")
SOME = [
    pytest.param(name, marks=slow if name.startswith(SAMPLE) else pytest.mark.nightly)
    for name in NAMES
]
LEVEL_A_AND_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
OURS = ".jp-OutputArea-output"  # what we put into the lab; the rest is JupyterLab's


@pytest.fixture(scope="module")
def lab_url(site_folder: Path, site_url: str) -> str:
    if not (site_folder / live.NAME / "index.html").is_file():
        required = (
            os.environ.get("CI") == "true" or os.environ.get("CHAINDYN_REQUIRE_BROWSER") == "1"
        )
        reason = "the site has no lab: what it is made of could not be had (python -m book live)"
        (pytest.fail if required else pytest.skip)(reason)
    return site_url


@dataclass
class Visitor:
    """A browser that has never been here, and what went wrong in it."""

    context: BrowserContext
    page: Page
    site: str
    troubles: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.context.on("request", lambda request: self._asked(request.url))
        self.context.on("response", lambda response: self._got(response.status, response.url))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("console", lambda message: self._told(message.type, message.text))

    def _asked(self, url: str) -> None:
        if not url.startswith((self.site, "data:", "blob:")):
            self.troubles.append(f"asked {url}")

    def _got(self, status: int, url: str) -> None:
        if status >= 400:
            self.troubles.append(f"{status} {url}")

    def _told(self, kind: str, text: str) -> None:
        if kind == "error":
            self.troubles.append(text)


@pytest.fixture
def visitor(chromium: Browser, lab_url: str) -> Iterator[Visitor]:
    viewport = {"width": WIDTHS[0], "height": HEIGHT}
    context = chromium.new_context(
        viewport=viewport, service_workers="allow"
    )  # the lab has its own
    visitor = Visitor(context, context.new_page(), lab_url)
    visitor.watch()
    yield visitor
    context.close()


def printed(notebook: dict[str, Any]) -> list[tuple[str, str]]:
    """The source of each code cell and the text that it printed; none for a cell that only draws."""
    told = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        draws = "nbval-ignore-output" in cell["metadata"].get("tags", [])
        text = "" if draws else "".join(_text(output) for output in cell["outputs"])
        told.append((_joined(cell["source"]), text))
    return told


def _text(output: dict[str, Any]) -> str:
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    return _joined(output.get("text") or output.get("data", {}).get("text/plain", ""))


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def violations(page: Page) -> str:
    """What axe-core finds in what we put into the lab."""
    options = {"runOnly": {"type": "tag", "values": LEVEL_A_AND_AA}, "resultTypes": ["violations"]}
    found = Axe().run(page, context=OURS, options=options).response["violations"]
    return "\n".join(
        f"{violation['id']} ({violation['help']}): {node['target']} {json.dumps(node['html'][:200])}"
        for violation in found
        for node in violation["nodes"]
    )


@pytest.mark.parametrize("name", SOME)
def test_chapter_runs_and_prints_what_the_book_prints(visitor, name):
    visitor.page.goto(f"{visitor.site}{name}.html")
    link = visitor.page.get_by_role("link", name="Run in your browser").get_attribute("href")
    open_notebook(visitor.page, f"{visitor.site}{name.rpartition('/')[0]}/{link}")
    ran = printed(run_notebook(visitor.page))
    wanted = printed(nbformat.read(ROOT / f"{name}.ipynb", as_version=4))
    assert len(ran) == len(wanted)
    for got, expected in zip(ran, wanted, strict=True):
        assert got == expected
    assert not visitor.troubles
    command(
        visitor.page, "apputils:adaptive-theme"
    )  # by which the lab follows the system, until now
    for width, scheme in zip(WIDTHS, SCHEMES, strict=True):
        command(visitor.page, "apputils:change-theme", theme=f"JupyterLab {scheme.capitalize()}")
        light = str(scheme == "light").lower()
        visitor.page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")
        visitor.page.set_viewport_size({"width": width, "height": HEIGHT})
        drawn(visitor.page)
        assert not violations(visitor.page), (width, scheme)


def command(page: Page, name: str, **arguments: str) -> None:
    page.evaluate(
        "([name, options]) => void jupyterapp.commands.execute(name, options)", [name, arguments]
    )


# The times that follow are printed, for who runs this with `-s`: what a busy machine takes says nothing of the lab.


SLIDER = """
import numpy as np
from ipywidgets import FloatSlider, interact
import matplotlib.pyplot as plt
from chaindyn import forward_kinematics
from chaindyn.models.robots import ur5
arm = ur5()

@interact(elbow=FloatSlider(value=0, min=-2, max=2, step=0.5, description="elbow [rad]"))
def draw(elbow):
    _, p = forward_kinematics(arm, np.array([0, -1, elbow, 0, 0, 0]))
    fig, ax = plt.subplots(figsize=(3, 3))
    ax.plot(p[:, 0], p[:, 2])
    ax.set_title(f"elbow at {elbow}")
    plt.show()
    print(f"the elbow is at {elbow}")
"""


@slow
def test_a_slider_answers_every_key(visitor):
    page = visitor.page
    open_notebook(page, f"{visitor.site}{live.address(NAMES[0])}")
    run_code(page, SLIDER)
    says = (
        "value => document.querySelector('.jp-Notebook').innerText.includes(`elbow is at ${value}`)"
    )
    page.wait_for_function(says, arg="0.0")
    page.get_by_role("slider", name="elbow [rad]").focus()
    for value in ("0.5", "1.0", "1.5", "2.0"):
        start = time.monotonic()
        page.keyboard.press("ArrowRight")
        page.wait_for_function(says, arg=value, polling=10)
        print(f"slider to plot in {(time.monotonic() - start) * 1000:.0f} ms")
    assert not visitor.troubles


@slow
def test_first_widget_of_the_book_answers_without_python(chromium, site_url):
    """The page's own data answer."""
    name = "book/intro"
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{site_url}{name}.html", wait_until="commit")
    widget = page.locator(".chaindyn").first
    slider = widget.get_by_role("slider").first
    slider.wait_for(state="attached")
    before = widget.inner_html()
    slider.focus()
    page.keyboard.press("ArrowRight")
    answered = page.wait_for_function(
        "([widget, before]) => widget.innerHTML !== before && performance.now()",
        arg=[widget.element_handle(), before],
        polling=10,
    )
    print(f"first widget of {name} answers in {answered.json_value() / 1000:.2f} s")
    context.close()
