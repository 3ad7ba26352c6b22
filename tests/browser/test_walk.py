"""A chapter is a walk: how long it is, where one is, what leads on, and what of it is done."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from book.browser import HEIGHT, open_page, page_names, settle
from book.exercises import exercises
from book.measure import SCREENS, screens
from book.pages import chapters
from book.reading import sections

pytestmark = pytest.mark.browser

CHAPTER = next(page for page in chapters() if any(one.second for one in sections(page)))
EVERY = [one.label for one in exercises(CHAPTER)]


@pytest.fixture
def page(chromium: Browser, site_url: str) -> Iterator[Page]:
    """The chapter, to a reader who was never here."""
    page = open_page(chromium, 390, "light")
    page.goto(f"{site_url}chapters/{CHAPTER.stem}.html", wait_until="domcontentloaded")
    yield page
    page.context.close()


def fold(page: Page, label: str):
    return page.locator(f".folded-exercise[data-exercise='{label}']")


def test_head_and_sections_say_how_long_they_take(page):
    expect(page.locator(".walk-head")).to_contain_text(f"{len(EVERY)} exercises")
    expect(page.locator(".walk-head")).to_contain_text("to read")
    said = [one.minutes for one in sections(CHAPTER)[1:] if one.minutes]
    shown = page.locator("article section > h2 .minutes").all_inner_texts()
    assert shown == [f"{minutes} min" for minutes in said]
    contents = page.locator(".toc-h2 .minutes").all_text_contents()
    assert contents[: len(shown)] == shown


def test_each_section_leads_to_the_next(page):
    links = page.locator(".onward a")
    assert links.count() == len(sections(CHAPTER)) - 2  # the first has no title, the last no next
    target = (links.first.get_attribute("href") or "").removeprefix("#")
    links.first.click()
    expect(page.locator(f"section[id='{target}'] > h2")).to_be_in_viewport()


def second_reading(page: Page, k: int = 0):
    """One of the sections that wait, and the name of it in an address."""
    waits = page.locator("details.second-reading").nth(k)
    return waits, waits.evaluate("(waits) => waits.parentElement.id")


def test_what_is_for_a_second_reading_waits_below_its_title(page):
    waits, anchor = second_reading(page)
    inside = waits.locator("p").first
    heading = page.locator(f"section[id='{anchor}'] > h2")
    expect(waits.locator("> summary")).to_have_text(re.compile("^For a second reading: .+"))
    assert heading.is_visible() and not inside.is_visible()
    assert page.locator("details.second-reading .onward").count()  # what leads on waits with it
    waits.locator("> summary").press("Enter")
    expect(inside).to_be_visible()
    waits.locator("> summary").press("Enter")
    expect(inside).not_to_be_visible()
    heading.click(position={"x": 5, "y": 5})
    expect(inside).to_be_visible()
    heading.click(position={"x": 5, "y": 5})  # who selects words of it does not lose what he reads
    expect(inside).to_be_visible()


def test_an_address_opens_a_second_reading(page, site_url):
    waits, anchor = second_reading(page)
    page.evaluate("(anchor) => { location.hash = anchor; }", anchor)
    expect(waits).to_have_attribute("open", "")
    # closed again, the same link in the contents opens it once more
    waits.locator("> summary").click()
    expect(waits).not_to_have_attribute("open", "")
    page.evaluate(
        "(anchor) => document.querySelector(`.toc-h2 > a[href='#${anchor}']`).click()", anchor
    )
    expect(waits).to_have_attribute("open", "")
    # a mark above its title, and a place within it, from another page
    other, name = second_reading(page, 1)
    mark = page.locator(
        f"section[id='{name}'] > span:empty, section[id='{name}'] details [id]"
    ).first
    place = mark.get_attribute("id")
    page.goto(f"{site_url}search.html")
    page.goto(f"{site_url}chapters/{CHAPTER.stem}.html#{place}", wait_until="domcontentloaded")
    expect(other).to_have_attribute("open", "")
    expect(page.locator("details.second-reading").last).not_to_have_attribute("open", "")


def test_a_second_reading_stays_as_it_was_left(page):
    waits, _ = second_reading(page)
    waits.locator("> summary").click()
    page.wait_for_function("localStorage.getItem('chaindyn-opened')?.includes('#')")
    page.reload(wait_until="domcontentloaded")
    expect(waits).to_have_attribute("open", "")
    expect(page.locator("details.second-reading[open]")).to_have_count(1)
    waits.locator("> summary").click()
    page.wait_for_function("localStorage.getItem('chaindyn-opened') === '[]'")
    page.reload(wait_until="domcontentloaded")
    expect(page.locator("details.second-reading[open]")).to_have_count(0)


def test_the_search_leads_into_a_second_reading(page, site_url):
    _, anchor = second_reading(page)
    title = next(one.title for one in sections(CHAPTER) if one.second).rstrip("*")
    page.goto(f"{site_url}search.html?q={title}", wait_until="domcontentloaded")
    page.locator(f".found a[href$='{CHAPTER.stem}.html#{anchor}']").first.click()
    page.wait_for_url(f"**/{CHAPTER.stem}.html#{anchor}", wait_until="domcontentloaded")
    waits = page.locator(f"section[id='{anchor}'] > details.second-reading")
    expect(waits).to_have_attribute("open", "")
    expect(waits.locator("p").first).to_be_visible()


def test_words_that_are_sought_on_the_page_open_a_second_reading(page, site_url):
    """By the browser itself; an address with words is sought as they are by Ctrl-F."""
    waits, _ = second_reading(page)
    words = waits.locator("p").first.evaluate(
        "(p) => p.firstChild.textContent.trim().split(/\\s+/).slice(0, 6).join(' ')"
    )
    page.goto(f"{site_url}search.html")
    page.goto(f"{site_url}chapters/{CHAPTER.stem}.html#:~:text={quote(words)}")
    expect(waits).to_have_attribute("open", "")


AT_REST = """async (look) => {
  let [seen, since] = ["", 0];
  while (since < 20) {
    await new Promise(requestAnimationFrame);
    const now = JSON.stringify(eval(look)());
    since = now === seen ? since + 1 : 0;
    seen = now;
  }
  return JSON.parse(seen);
}"""  # what is seen once it has been the same for twenty frames


def test_what_is_drawn_in_a_second_reading_is_drawn_when_it_opens(chromium, site_folder, site_url):
    held = '<details class="second-reading">(?:(?!</details>\n</section>).)*?widget-view\\+json'
    name = next(
        page.stem
        for page in chapters()
        if re.search(
            held, (site_folder / f"chapters/{page.stem}.html").read_text("utf-8"), re.DOTALL
        )
    )
    open_all = "document.querySelectorAll('.second-reading').forEach((one) => { one.open = true; })"
    look = """() => [...document.querySelectorAll(".second-reading .chaindyn")].map((widget) => {
      const picture = widget.querySelector("svg");
      const { x, y, width, height } = picture.getBBox();
      return [picture.clientWidth, picture.getAttribute("viewBox"), ...[x, y, width, height].map(Math.round)];
    })"""
    seen = []
    for early in (True, False):  # open from the first, and opened when all is drawn
        page = open_page(chromium, 390, "light")
        page.emulate_media(reduced_motion="reduce")
        if early:
            page.add_init_script(f"addEventListener('DOMContentLoaded', () => {{ {open_all} }})")
        page.goto(f"{site_url}chapters/{name}.html")
        settle(page)
        page.evaluate(open_all)
        seen.append(page.evaluate(AT_REST, look))
        page.context.close()
    assert seen[0] == seen[1]
    assert seen[0] and all(width > 300 for width, *_ in seen[0])


TABLE = json.loads((Path(__file__).parent / "screens.json").read_text("utf-8"))


def lengths() -> list:
    """The longest pages with every change, the others nightly."""
    return [
        pytest.param(page.stem, marks=() if page.stem in TABLE else pytest.mark.nightly)
        for page in chapters()
    ]


@pytest.mark.parametrize("name", lengths())
def test_a_page_is_no_longer_than_its_screens(chromium, site_url, name):
    """As one comes to it, with what folds folded. Pages above have numbers of their own, which only go down."""
    phone, _ = screens(chromium, f"{site_url}chapters/{name}.html")
    most = TABLE.get(name, SCREENS)
    assert phone <= most, f"{name} is {phone:.1f} screens of a phone long, more than {most}"
    if name in TABLE:
        assert phone > most - 3, f"{name} is shorter than screens.json says: {phone:.1f}"


def test_exercises_are_lines_and_an_address_opens_one(page):
    lines = page.locator(".folded-exercise > summary")
    assert lines.count() == len(EVERY)
    assert re.match(r"\d+\.1 ", lines.first.inner_text())
    statement = page.locator(f"[id='{EVERY[1]}']")
    assert not statement.is_visible()
    page.evaluate("(label) => { location.hash = label; }", EVERY[1])
    expect(statement).to_be_visible()


def test_what_is_solved_is_kept_and_counted(page):
    lines = fold(page, EVERY[0])
    lines.locator("> summary").click()
    lines.get_by_label("I have solved it").check()
    said = f"1 of {len(EVERY)} solved"
    expect(page.locator(".walk-head")).to_contain_text(said)
    # what the check of an answer says (tryit/panel.js)
    solved = "(label) => dispatchEvent(new CustomEvent('chaindyn:solved', { detail: label }))"
    page.evaluate(solved, EVERY[2])
    page.reload(wait_until="domcontentloaded")
    expect(page.locator(".walk-head")).to_contain_text(said.replace("1", "2", 1))
    expect(fold(page, EVERY[2]).locator("> summary")).to_contain_text("solved")
    lines.locator("> summary").click()
    lines.get_by_label("I have solved it").uncheck()
    expect(page.locator(".walk-head")).to_contain_text(said)


def test_without_storage_it_holds_until_the_page_is_left(chromium, site_url):
    page = open_page(chromium, 390, "light")
    forbid = """for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(window, name, { configurable: true, get() { throw new DOMException("forbidden"); } });"""
    page.add_init_script(forbid)
    troubles = list[str]()
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(f"{site_url}chapters/{CHAPTER.stem}.html", wait_until="domcontentloaded")
    lines = fold(page, EVERY[0])
    lines.locator("> summary").click()
    lines.get_by_label("I have solved it").check()
    expect(page.locator(".walk-head")).to_contain_text(f"1 of {len(EVERY)} solved")
    assert troubles == []
    page.context.close()


def test_the_opening_page_leads_back_to_where_one_stopped(page, site_url):
    page.locator("article section > h2").nth(2).evaluate("(heading) => heading.scrollIntoView()")
    page.wait_for_function("localStorage.getItem('chaindyn-place')")
    page.goto(f"{site_url}{page_names()[0]}.html", wait_until="domcontentloaded")
    link = page.locator(".go-on a")
    expect(link).to_contain_text(" · ")
    assert f"chapters/{CHAPTER.stem}.html#" in (link.get_attribute("href") or "")


def test_the_page_of_exercises_is_short_on_a_phone(chromium, site_url):
    page = open_page(chromium, 390, "light")
    page.goto(f"{site_url}book/exercises.html", wait_until="domcontentloaded")
    height = page.evaluate("document.querySelector('article').offsetHeight")
    assert height < 10 * HEIGHT
    fold = page.locator("article details").first
    fold.locator("> summary").click()
    expect(fold.locator("a").first).to_be_visible()
    page.context.close()


def test_a_goal_is_a_path_of_sections_that_are_there(chromium, site_url):
    page = open_page(chromium, 390, "light")
    page.goto(f"{site_url}book/goals.html", wait_until="domcontentloaded")
    paths = page.locator(".path-time")
    assert paths.count() >= 7
    links = page.locator("article ol a").evaluate_all("(links) => links.map((link) => link.href)")
    assert sum("#" in link for link in links) > 30
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.context.close()
