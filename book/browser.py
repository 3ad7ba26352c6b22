"""Open the built site in a browser: what the browser tests and the screenshots share."""

from __future__ import annotations

import functools
import gzip
import http.server
import io
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Playwright

from book.pages import pages_in_order

SCHEMES = ("light", "dark")
WIDTHS = (1280, 390)
HEIGHT = 900


class NoBrowser(RuntimeError):
    """There is no Chromium on this machine; the message says where one was looked for."""


def page_names() -> list[str]:
    """The pages that readers come to, in the order of the book, from the table of contents; then the search."""
    return [*pages_in_order(), "search", "genindex"]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing of each request."""


class _Compressing(_Quiet):
    """Compresses what is text, as the servers do that books are published on."""

    def send_head(self) -> Any:
        path = Path(self.translate_path(self.path))
        if path.suffix not in {".html", ".css", ".js", ".json", ".svg"} or not path.is_file():
            return super().send_head()
        body = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)


@contextmanager
def serve(folder: Path, compressed: bool = False) -> Iterator[str]:
    """Serve a folder on a free port of this machine alone; yields its address, with a slash at the end."""
    handler = functools.partial(_Compressing if compressed else _Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def chromium(playwright: Playwright) -> Browser:
    """Start the Chromium of this machine, or Playwright's own where there is one. Raises `NoBrowser`."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    found = [path for name in names if name and (path := shutil.which(name))]
    found += [path for path in (playwright.chromium.executable_path,) if Path(path).exists()]
    if not found:
        raise NoBrowser("no Chromium: install it, or name one in the environment variable CHROMIUM")
    # No sandbox: containers, where such tests run as root, have none to offer. Only our own pages are opened.
    return playwright.chromium.launch(
        executable_path=found[0], args=["--no-sandbox", "--disable-gpu"]
    )


def open_page(browser: Browser, width: int, scheme: str) -> Page:
    """An empty page of some width, in light or dark. Its context holds nothing else: close that when done."""
    viewport = {"width": width, "height": HEIGHT}
    # Playwright waits by functions that it writes into the page; tests/browser/test_policy.py goes without.
    context = browser.new_context(viewport=viewport, color_scheme=scheme, bypass_csp=True)
    return context.new_page()


_WIDGETS_DRAWN = """() => {
    const wanted = document.querySelectorAll("script[type='application/vnd.jupyter.widget-view+json']");
    return [...wanted].every(view => view.parentElement.querySelector(".chaindyn"));
}"""


def drawn(page: Page) -> None:
    """Wait until what a page was told last is laid out and painted: for two frames."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def settle(page: Page) -> None:
    """Wait until a page that was gone to is at rest: everything loaded, formulas set, widgets drawn."""
    page.wait_for_load_state("networkidle")
    page.evaluate("window.MathJax?.startup?.promise?.then(() => true)")
    page.evaluate("document.fonts.ready.then(() => true)")
    page.wait_for_function(_WIDGETS_DRAWN)
    drawn(page)


# The lab ----------------------------------------------------------------------------------------

_KERNEL = "jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel"


def open_notebook(page: Page, address: str) -> None:
    """Go to a notebook in the lab and wait until it is there and Python is ready."""
    page.goto(address)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
    page.wait_for_function(f"window.jupyterapp && {_KERNEL}?.status === 'idle'", timeout=120_000)


def run_notebook(page: Page, timeout: float = 300) -> dict[str, Any]:
    """Run all cells of the open notebook, up to the first that fails, and return it as it then is."""
    page.evaluate("""() => {
        window.ran = false;
        jupyterapp.commands.execute("notebook:run-all-cells").finally(() => { window.ran = true; });
    }""")
    page.wait_for_function("window.ran", timeout=timeout * 1000)
    notebook: dict[str, Any] = page.evaluate(
        "jupyterapp.shell.currentWidget.context.model.toJSON()"
    )
    return notebook


def run_code(page: Page, code: str) -> None:
    """Put a cell before those of the open notebook and run it, without waiting for what it does."""
    page.evaluate(
        """code => {
            const notebook = jupyterapp.shell.currentWidget.content;
            notebook.model.sharedModel.insertCell(0, {cell_type: "code", source: code, metadata: {}});
            notebook.activeCellIndex = 0;
            void jupyterapp.commands.execute("notebook:run-cell");
        }""",
        code,
    )
