"""Nobody is let in: what a page's address, its storage or a foreign notebook brings along does not run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from book import live
from book.browser import drawn, open_notebook, run_code
from book.policy import ALLOWED, BUTTONS, POLICY

pytestmark = pytest.mark.browser

KINDS = (
    "book/intro",
    "chapters/09_articulated_body_inertia",
    "chapters/12_control",
    "book/exercises",
    "book/api",
    "book/api/dynamics",
)
CHAPTER = "chapters/01_plucker_coordinates"
SHOWS = {  # what a stored output may try: neither a script nor a handler
    "output_type": "display_data",
    "data": {
        "text/html": "<img src='nowhere' onerror='window.let_in = 1'><script>window.let_in = 2</script>"
    },
    "metadata": {},
}

TRICKS = (
    "document.body.insertAdjacentHTML('beforeend', \"<img src='' onerror='window.let_in = 1'>\")",
    "document.body.append(Object.assign(document.createElement('script'), {text: 'let_in = 2'}))",
)


@contextmanager
def held_to_policy(chromium: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page of a browser that heeds policies, and what the console said of them or of other troubles."""
    context = chromium.new_context(bypass_csp=False, service_workers="allow")
    page, said = context.new_page(), list[str]()
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda told: told.type == "error" and said.append(told.text))
    yield page, said
    context.close()


def arrive(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.evaluate("window.MathJax?.startup?.promise?.then(() => true)")
    for _ in range(12):  # what comes into sight begins
        page.mouse.wheel(0, 2500)
        drawn(page)


@pytest.mark.parametrize(
    "name", [*(f"{name}.html" for name in KINDS), "search.html?q=inertia", "genindex.html"]
)
def test_pages_keep_to_their_policy(chromium, site_url, name):
    with held_to_policy(chromium) as (page, said):
        arrive(page, site_url + name)
        if name.startswith("search"):
            page.locator("#search-results li").first.wait_for()
        assert not said
        for trick in TRICKS:
            with page.expect_console_message(lambda told: told.type == "error"):
                page.evaluate(trick)
        drawn(page)
        assert page.evaluate("window.let_in") is None
        assert len(said) == 2 and all("Content Security Policy" in words for words in said)


def test_every_page_has_a_policy_and_no_other_buttons(site_folder: Path):
    pages = [
        page for page in site_folder.rglob("*.html") if "<head>" in page.read_text(encoding="utf-8")
    ]
    assert len(pages) > 25
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert text.count(POLICY) == 1, page
        policy = text[text.index(POLICY) :].partition(">")[0]
        assert all(name in policy for name in ALLOWED)
        lab = live.NAME in page.relative_to(site_folder).parts
        assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
        assert ("'unsafe-eval'" in policy) == lab
        if not lab:
            assert {*re.findall(r'<[a-z][^<>]* on[a-z]+="([^"]*)"', text)} <= {*BUTTONS}, page


@pytest.fixture
def lab(site_folder: Path, site_url: str) -> str:
    if not (site_folder / live.NAME / "index.html").is_file():
        pytest.skip("the site has no lab (python -m book live)")
    return f"{site_url}{live.NAME}/"


@pytest.mark.parametrize("app", ["repl", "consoles", "lab", "tree", "edit", "retro"])
def test_the_lab_is_notebooks_alone(chromium, lab, app):
    with held_to_policy(chromium) as (page, _):
        answer = page.goto(
            f"{lab}{app}/index.html?kernel=python&code=import%20js%3B%20js.let_in%20%3D%201"
        )
        assert answer and answer.status == 404


def foreign(site_folder: Path, cells: list[dict[str, Any]]) -> dict[str, Any]:
    """A notebook with these cells behind the book's own first ones."""
    own = json.loads((site_folder / live.NAME / "files" / f"{CHAPTER}.ipynb").read_text())
    return {**own, "cells": own["cells"][:6] + cells}


@pytest.mark.slow
@pytest.mark.parametrize("name", [CHAPTER, "chapters/my_classmates"])
def test_a_foreign_notebook_is_not_trusted_whatever_its_name(chromium, site_folder, lab, name):
    evil = {
        "cell_type": "code",
        "id": "evil",
        "metadata": {},
        "source": "",
        "execution_count": 1,
        "outputs": [SHOWS],
    }
    words = {
        "cell_type": "markdown",
        "id": "words",
        "metadata": {},
        "source": SHOWS["data"]["text/html"],
    }
    with held_to_policy(chromium) as (page, said):
        page.goto(f"{lab}notebooks/index.html?path={CHAPTER}.ipynb")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_function("window.jupyterapp?.serviceManager?.contents")
        model = {
            "type": "notebook",
            "format": "json",
            "content": foreign(site_folder, [evil, words]),
        }
        page.evaluate(  # as if it had been put there, by "Open" or another page of the same host
            "([path, model]) => jupyterapp.serviceManager.contents.save(path, model)",
            [f"{name}.ipynb", model],
        )
        page.goto(f"{lab}notebooks/index.html?path={name}.ipynb")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_selector(".book-back")  # lab.js is done
        page.wait_for_timeout(1000)
        assert page.evaluate("window.let_in") is None
        cells = "[...jupyterapp.shell.currentWidget.content.model.cells].map(cell => cell.trusted)"
        trusted = page.evaluate(cells)
        assert trusted[-2:] == [False, False]
        assert all(trusted[:6]) == (name == CHAPTER)
        assert not [words for words in said if "Content Security Policy" in words]


@pytest.mark.slow
def test_the_books_own_notebook_is_trusted_and_runs_under_the_policy(chromium, lab):
    with held_to_policy(chromium) as (page, said):
        page.goto(f"{lab}../{CHAPTER}.html")  # whose worker leaves the lab to the lab's own
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        open_notebook(page, f"{lab}notebooks/index.html?path={CHAPTER}.ipynb")
        cells = "[...jupyterapp.shell.currentWidget.content.model.cells].map(cell => cell.trusted)"
        page.wait_for_function(f"{cells}.every(trusted => trusted)")
        run_code(page, "print(6 * 7)")
        answer = "document.querySelector('.jp-OutputArea-output')?.innerText.includes('42')"
        page.wait_for_function(answer)
        assert not said
