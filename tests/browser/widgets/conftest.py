"""A widget on a page of its own, and in a JupyterLab of its own.

The page plays the part of anywidget: it hands the view a model with get, set, on, off and save_changes. A kernel
is played by a real widget of this process, which is sent what the page saves.
"""

from __future__ import annotations

import functools
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from book import assets
from chaindyn.widgets import Explorer

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A widget</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="view.css">
<style>html { color-scheme: light dark } body { margin: 8px; background: light-dark(#fff, #14181e) }</style></head>
<body><main><h1 style="color: light-dark(#000, #fff)">A widget</h1><div id="widget"></div></main>
<script type="module">
  import view, * as inside from "./view.js";
  const state = await (await fetch("state.json")).json();
  const listeners = {};
  const model = {
    get: (key) => state[key],
    on: (event, call) => (listeners[event] ??= []).push(call),
    off: (event, call) => (listeners[event] = listeners[event].filter((other) => other !== call)),
    set: (key, value) => ((state[key] = value), (listeners["change:" + key] ?? []).forEach((call) => call())),
    save_changes: async () => {
      const answer = await window.python?.(state.request);
      if (answer) model.set("answer", answer);
    },
  };
  Object.assign(window, { model, inside, listeners });
  const asked = new URLSearchParams(location.search);
  if (asked.has("kernel")) window.python = (request) => window.ask_python(location.pathname, request);
  window.close_view = view.render({ model, el: document.getElementById("widget") });
  if (!asked.has("fresh")) {
    const root = document.querySelector(".chaindyn");
    root.dispatchEvent(new Event("focusin")); // taken in hand: it does not begin by itself
    const folded = () => root.querySelectorAll("details:not([open], .views)");
    const unfold = () => folded().forEach((each) => (each.open = true));
    new MutationObserver(unfold).observe(root.querySelector(".columns"), { childList: true, subtree: true });
    unfold();
  }
</script></body></html>"""
Files = dict[str, tuple[str, str]]
FOLDERS = count()
KERNEL = "jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel"


@pytest.fixture(scope="session")
def pages() -> Iterator[tuple[str, Files]]:
    """An address on this machine, and what is served there: by path, the kind and the text."""
    files: Files = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, text = files[self.path.partition("?")[0]]
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing of each request."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", files
        server.shutdown()


class Tab:
    """A page in a context of its own, on which one widget after another is put; each is a new document."""

    def __init__(self, chromium: Browser, **options: object) -> None:
        self.widget: Explorer | None = None  # the one that answers
        self.folder = ""
        self.errors: list[str] = []
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.tracing.stop_chunk()
        self.page = page = context.new_page()
        page.on("console", lambda said: said.type == "error" and self.errors.append(said.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.expose_function("ask_python", self.answer)

    def answer(self, folder: str, request: dict) -> dict | None:
        if folder != self.folder or self.widget is None:
            return None  # asked by a document that is gone
        self.widget.set_state({"request": request})
        return self.widget.answer

    def open(self, address: str, folder: str, widget: Explorer | None, fresh: bool) -> Page:
        self.page.context.tracing.start_chunk()
        self.widget, self.folder = widget, folder
        self.page.mouse.move(0, 0)
        asked = [word for word, wanted in (("kernel", widget), ("fresh", fresh)) if wanted]
        self.page.goto(f"{address}{folder}?{'&'.join(asked)}")
        self.page.wait_for_selector(".chaindyn")
        return self.page

    def rest(self) -> None:
        """Let the view end, that nothing moves on while other tests run."""
        self.page.evaluate("close_view()")
        self.page.context.tracing.stop_chunk()
        self.widget = None
        errors, self.errors = self.errors, []
        assert not errors, f"errors on the page: {errors}"


@pytest.fixture(scope="session")
def tabs() -> dict[str, Tab]:
    """The tabs that wait for a widget, by the options of their context."""
    return {}


@pytest.fixture
def put_on_page(
    chromium: Browser, pages: tuple[str, Files], tabs: dict[str, Tab]
) -> Iterator[Callable[..., Page]]:
    """Open one widget on a page.

    `kernel`: Python answers; `clock`: the page's time is the test's, by `page.clock`; `stage`: three.js is served;
    `fresh`: as a reader finds it, who has touched nothing. Otherwise it is in hand, at rest, and all is unfolded.
    """
    address, files = pages
    used: list[tuple[str, Tab]] = []

    def put(
        widget: Explorer,
        *,
        kernel: bool = False,
        clock: bool = False,
        stage: bool = False,
        fresh: bool = False,
        **options: object,
    ) -> Page:
        state = widget.get_state()
        model = {key: state[key] for key in ("request", "answer", "scene") if key in state}
        folder = f"/{next(FOLDERS)}/"
        files[folder] = "text/html", PAGE
        if stage:
            files[folder] = "text/html", PAGE.replace("<html", '<html data-stage="/three.js"', 1)
            files["/three.js"] = "text/javascript", three()
        files[f"{folder}view.js"] = "text/javascript", state["_esm"]
        files[f"{folder}view.css"] = "text/css", state["_css"]
        files[f"{folder}state.json"] = "application/json", json.dumps(model, allow_nan=False)
        kind = json.dumps(options)
        tab = (not clock and tabs.pop(kind, None)) or Tab(chromium, **options)
        used.append(("" if clock else kind, tab))
        if clock:
            tab.page.clock.install()
        page = tab.open(address, folder, widget if kernel else None, fresh)
        if clock:
            page.clock.pause_at(page.evaluate("Date.now()") + 1000)
        return page

    yield put
    for kind, tab in used:
        tab.rest()
        if kind in ("", *tabs):
            tab.page.context.close()
        else:
            tabs[kind] = tab


@functools.cache
def three() -> str:
    """What the stage draws with, as the site serves it; the test is skipped where it was not fetched."""
    bundle = assets.FOLDER / "vendor" / "three" / "three.js"
    if not bundle.is_file():
        pytest.skip("three.js is not there: python -m book assets")
    return bundle.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, Path]]:
    """The address of a JupyterLab, its token, and its folder."""
    folder = tmp_path_factory.mktemp("lab")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root"]
    options += ["--LabApp.expose_app_in_browser=True", f"--ServerApp.root_dir={folder}"]
    own = {
        name: str(folder / name.lower())
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    }
    # the server runs code: nobody else on the machine may ask it to
    own["JUPYTER_TOKEN"] = token = secrets.token_hex()
    with (folder / "lab.log").open("w") as log:
        command = [sys.executable, "-m", "jupyterlab", *options]
        server = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **own})
        try:
            address = f"http://127.0.0.1:{port}"
            deadline = time.monotonic() + 60
            while not answers(f"{address}/api"):
                assert server.poll() is None and time.monotonic() < deadline, (
                    folder / "lab.log"
                ).read_text()
                time.sleep(0.2)
            yield address, token, folder
        finally:
            server.terminate()
            server.wait(20)


@pytest.fixture
def lab(
    chromium: Browser, jupyter: tuple[str, str, Path], request: pytest.FixtureRequest
) -> Iterator[tuple[Page, Path]]:
    """A page of a JupyterLab, in which the cell that is the parameter has run; and the folder of its notebook."""
    address, token, root = jupyter
    folder = root / request.node.originalname
    folder.mkdir()
    cell = {"cell_type": "code", "id": "a", "source": request.param.strip()}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {
        "cells": [cell | {"metadata": {}, "outputs": [], "execution_count": None}],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (folder / "try.ipynb").write_text(json.dumps(notebook))
    context = chromium.new_context(viewport={"width": 1280, "height": 1400})
    page = context.new_page()
    workspace = f"{address}/lab/workspaces/{folder.name}"  # else it opens what was open before, too
    page.goto(f"{workspace}/tree/{folder.name}/try.ipynb?token={token}")
    run_all(page)
    yield page, folder
    page.evaluate(f"{KERNEL}.shutdown()")
    context.close()


def answers(address: str) -> bool:
    try:
        return urllib.request.urlopen(address, timeout=2).status == 200
    except (urllib.error.URLError, OSError):
        return False


def run_all(page: Page) -> None:
    """Run the notebook of a JupyterLab, until its widget is there."""
    page.wait_for_function(f"window.jupyterapp && {KERNEL}?.status === 'idle'", timeout=90_000)
    page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_selector(".chaindyn")
