"""Cells that run on their page: a cold start, a check that answers, work that stays, an explorer that follows."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from book import tryit
from book.browser import HEIGHT, SCHEMES, WIDTHS, drawn, settle
from book.exercises import exercises
from book.pages import chapters

pytestmark = pytest.mark.browser
slow = pytest.mark.slow

(CHAPTER,) = [page for page in chapters() if page.stem.startswith("09")]
EXERCISE = "ex-9-serial"
LEVEL_A_AND_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PATIENCE = 120_000  # a busy machine's
DATA = tryit.page_data(CHAPTER)
SOURCE = DATA["tries"][EXERCISE]["source"]


def solution() -> str:
    """The exercise's cell with the book's solution, which asks for the check itself."""
    (own,) = [one for one in exercises(CHAPTER) if one.label == EXERCISE]
    return "\n".join([SOURCE, *own.solution])


@pytest.fixture(scope="module")
def address(site_folder: Path, site_url: str) -> str:
    if not (site_folder / "tryit" / f"{CHAPTER.stem}.json").is_file():
        pytest.skip("the site has no Python for its pages (python -m book live)")
    return f"{site_url}chapters/{CHAPTER.stem}.html"


@contextmanager
def visit(chromium: Browser, address: str) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": WIDTHS[0], "height": HEIGHT})
    page, troubles = context.new_page(), list[str]()
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda said: said.type == "error" and troubles.append(said.text))
    page.goto(address)
    settle(page)
    yield page
    context.close()
    assert not troubles


@pytest.fixture
def page(chromium: Browser, address: str) -> Iterator[Page]:
    """The chapter's page, to which nobody has been."""
    with visit(chromium, address) as page:
        yield page


@pytest.fixture(scope="module")
def lively(chromium: Browser, address: str) -> Iterator[Page]:
    with visit(chromium, address) as page:
        yield page


@pytest.fixture
def warm(lively: Page) -> Iterator[Page]:
    """A page that tests share with its Python, which takes long to start; each leaves its cells as they were."""
    yield lively
    for panel in lively.locator(".try-panel:visible").all():
        panel.get_by_role("button", name="Begin again").click()
        panel.get_by_role("button", name="Close").click()


def place_of(page: Page, name: str) -> Locator:
    """Where the button of a cell or an exercise is, which is unfolded and in sight."""
    place = page.locator(f"[data-try='{name}']")
    place.evaluate("(place) => place.closest('details')?.setAttribute('open', '')")
    place.scroll_into_view_if_needed()
    return place


def opened(page: Page, name: str) -> None:
    """Open the editor of a cell."""
    place = place_of(page, name)
    place.get_by_role("button").click()
    expect(page.locator(".try-panel:visible .cm-content")).to_be_focused(timeout=PATIENCE)


def write(page: Page, code: str) -> None:
    page.locator(".try-panel:visible .cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(code)


def run(page: Page, code: str | None = None) -> str:
    """Run a cell, with other code if there is one; what it says."""
    if code is not None:
        write(page, code)
    panel = page.locator(".try-panel:visible")
    page.keyboard.press("Control+Enter")
    expect(panel.get_by_role("status")).to_have_text(
        re.compile("Done in|An error|could not"), timeout=PATIENCE
    )
    expect(panel.get_by_role("button", name="Run")).to_be_enabled(timeout=PATIENCE)
    return panel.locator(".try-output").inner_text()


def test_nothing_of_it_is_loaded_before_it_is_asked_for(page):
    asked = list[str]()
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    place_of(page, EXERCISE)
    button = page.locator(f"[data-try='{EXERCISE}'] button")
    expect(button).to_be_visible()
    assert [url for url in asked if url.startswith("GET") and "image" not in url] == []
    assert [url.split()[0] for url in asked] == ["HEAD"] * len(asked)
    button.focus()
    page.wait_for_function(
        "performance.getEntriesByType('resource').some(({name}) => name.includes('panel.js'))"
    )


def test_a_solution_is_accepted_and_a_wrong_answer_refused(warm):
    page = warm
    start = time.monotonic()
    opened(page, EXERCISE)
    assert run(page).strip() == "Exercise 9.6: not attempted yet"
    print(f"first result after {time.monotonic() - start:.1f} s")
    assert "Exercise 9.6: solved" in run(page, solution())
    assert page.locator("pre[data-verdict='solved']").count() == 1
    head = "def chain_dynamics_solved(chain, q, qd, tau):"
    wrong = solution().replace(head, f"{head}\n    tau = 2 * tau", 1)
    assert "Exercise 9.6: not yet right. State 0: your accelerations" in run(page, wrong)
    said = run(page, "def f():\n    return zork\nf()")
    assert "NameError: name 'zork' is not defined" in said
    assert "line 2, in f: return zork" in said
    assert run(page, "mass").strip() == "20.0"  # of a cell above


@slow
def test_work_survives_a_reload_and_can_be_taken_back(page):
    opened(page, EXERCISE)
    write(page, "# mine")
    page.reload()
    settle(page)
    button = place_of(page, EXERCISE).get_by_role("button")
    expect(button).to_have_text("Go on with it")
    opened(page, EXERCISE)
    editor = page.locator(".try-panel .cm-content")
    assert editor.inner_text() == "# mine"
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    assert download.value.suggested_filename == f"{EXERCISE}.py"
    text = Path(download.value.path()).read_text()
    assert text.startswith("# Exercise 9.6, ")
    assert text.endswith("\n\n# mine\n")
    page.get_by_role("button", name="Begin again").click()
    expect(editor).to_contain_text("raise NotImplementedError")
    page.keyboard.press("Control+z")
    expect(editor).to_have_text("# mine")
    page.get_by_role("button", name="Begin again").click()
    page.get_by_role("button", name="Close").click()
    expect(button).to_be_focused()
    expect(button).to_have_text("Try it")
    assert (
        page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('chaindyn:'))") == []
    )


FORBIDDEN = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("no", "SecurityError"); }, configurable: true})"""
FULL = """Storage.prototype.setItem = function () { throw new DOMException("no", "QuotaExceededError"); }"""


@pytest.mark.parametrize("trouble", [FORBIDDEN, FULL], ids=["forbidden", "full"])
def test_where_nothing_can_be_kept_it_is_said(chromium, address, trouble):
    context = chromium.new_context()
    page, errors = context.new_page(), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(trouble)
    page.goto(address)
    opened(page, EXERCISE)
    write(page, "# mine")
    expect(page.locator(".try-hint")).to_contain_text("This browser does not keep what you write")
    context.close()
    assert not [error for error in errors if "SecurityError" in error or "tryit" in error]


@slow
def test_a_run_is_stopped_and_says_so(warm):
    page = warm
    opened(page, EXERCISE)
    write(page, "print('begun')\nwhile True:\n    pass")
    page.keyboard.press("Control+Enter")
    panel = page.locator(".try-panel")
    expect(panel.locator(".try-output")).to_contain_text("begun", timeout=PATIENCE)
    panel.get_by_role("button", name="Stop").click()
    expect(panel.get_by_role("status")).to_contain_text("Stopped")
    assert run(page, "1 + 1").strip() == "2"


@slow
def test_what_a_cell_asks_for_comes_when_it_does(warm):
    page = warm
    opened(page, EXERCISE)
    code = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint('drawn')"
    assert run(page, code).strip() == "drawn"
    image = page.locator(".try-output img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 200
    assert "There is no Python module zork here." in run(page, "import zork")


def felt(page: Page) -> str:
    """The masses that the explorer has in its table, which is folded."""
    return page.locator(".chaindyn table").first.text_content() or ""


def test_an_explorer_follows_a_redefined_function(warm):
    page = warm
    book = felt(page)
    opened(page, "articulated_step")
    source = DATA["tries"]["articulated_step"]["source"]
    term = "parent[..., k:] - parent[..., :k] @ G"
    assert term in source
    said = run(page, source.replace(term, "parent[..., k:]"))  # what the joint takes is dropped
    assert "The explorer of this page follows your articulated_step." in said
    assert "its numbers differ from the book's: masses_felt by" in said
    expect(page.locator(".chaindyn .source")).to_have_text(
        "Computed by the page with your articulated_step."
    )
    mine = felt(page)
    assert mine != book
    choice = page.get_by_role("radiogroup", name="This explorer computes by")
    choice.get_by_label("the book").check()
    expect(page.locator(".chaindyn .source")).to_contain_text("by the book")
    assert felt(page) == book
    choice.get_by_label("your articulated_step").check()
    expect(page.locator(".chaindyn .source")).to_contain_text("your")
    assert felt(page) == mine
    said = run(page, source.replace(term, "zork"))
    assert "cannot follow your articulated_step" in said
    assert "NameError: name 'zork' is not defined" in said
    expect(choice).to_have_count(0)
    assert felt(page) == book


def test_where_there_is_no_python_there_is_no_button(chromium, address, site_folder):
    context = chromium.new_context()
    page = context.new_page()
    page.route("**/pyodide-lock.json", lambda route: route.fulfill(status=404))
    page.goto(address)
    with page.expect_response("**/pyodide-lock.json"):
        place_of(page, EXERCISE)
    drawn(page)
    assert page.locator(".try button").count() == 0
    page.unroute("**/pyodide-lock.json")
    page.goto((site_folder / "chapters" / f"{CHAPTER.stem}.html").as_uri())
    place_of(page, EXERCISE)
    drawn(page)
    assert page.locator(".try button").count() == 0
    context.close()


@slow
def test_by_keyboard_on_a_phone_for_everyone(chromium, address):
    context = chromium.new_context(
        viewport={"width": min(WIDTHS), "height": HEIGHT}, has_touch=True
    )
    page = context.new_page()
    page.goto(address)
    settle(page)
    place_of(page, EXERCISE).get_by_role("button").focus()
    page.keyboard.press("Enter")
    editor = page.locator(".try-panel .cm-content")
    expect(editor).to_be_focused(timeout=PATIENCE)
    run(page, "import warnings\nwarnings.warn('far')\nprint('x' * 2000)\n1 / 0  # 'why'")
    page.keyboard.press("Tab")  # indents
    expect(editor).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Run")).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    box = page.get_by_role("button", name="Run").bounding_box()
    assert box is not None
    assert box["height"] >= 24
    # the rest of the page is judged elsewhere, and long
    page.evaluate(
        "document.querySelector('article').replaceChildren(document.querySelector('.try-panel'))"
    )
    only = {"type": "tag", "values": LEVEL_A_AND_AA}
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        drawn(page)
        found = Axe().run(page, context=".try-panel", options={"runOnly": only}).response
        assert json.dumps(found["violations"], indent=1) == "[]", scheme
    context.close()
