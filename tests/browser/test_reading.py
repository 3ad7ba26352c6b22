"""What a reader does with a page: unfold, launch, download, read in the dark and without scripts."""

from __future__ import annotations

import re

import nbformat
import pytest
import yaml
from playwright.sync_api import Browser, expect

from book.browser import drawn, open_page, settle
from book.extensions.folding import label
from book.pages import ROOT, chapters, code_cells, read_page, tags

pytestmark = pytest.mark.browser

CHAPTERS = [f"chapters/{page.stem}" for page in chapters()]
FOLDED = ".tag_export .fold-toggle"


@pytest.fixture(scope="module")
def opened(chromium: Browser, site_url: str):
    """Go to a page, each in one tab for all tests, which leave it as it was."""
    tabs = {}

    def open_one(name: str):
        if name not in tabs:
            tabs[name] = open_page(chromium, 1280, "light")
            tabs[name].goto(f"{site_url}{name}.html")
            settle(tabs[name])
        return tabs[name]

    yield open_one
    for page in tabs.values():
        page.context.close()


def test_long_docstrings_unfold_by_keyboard(opened):
    page = opened(CHAPTERS[0])
    button = page.locator(FOLDED).first
    rest = page.locator(".tag_export .folded-lines").first
    assert button.get_attribute("aria-expanded") == "false"
    assert not rest.is_visible()
    button.focus()
    page.keyboard.press("Enter")
    expect(rest).to_be_visible()
    expect(button).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Space")
    expect(rest).to_be_hidden()


def test_copy_button_copies_the_cell_as_its_author_wrote_it(opened):
    page = opened(CHAPTERS[0])
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    cell = page.locator(".tag_export", has=page.locator(".fold-toggle")).first
    cell.hover()
    cell.locator("button.copybtn").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() in [part.source.strip() for part in read_page(chapters()[0]).cells]


def test_without_scripts_everything_is_there(chromium, site_url):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site_url}{CHAPTERS[0]}.html")
    assert page.locator(FOLDED).count() == 0
    law = page.locator(".tag_export .sd").last
    law.locator("xpath=ancestor::details[1]/summary").click()  # of a second reading
    expect(law).to_be_visible()
    fold = page.locator("details.folded-code").first
    fold.locator("summary").click()
    expect(fold.locator("pre").first).to_be_visible()
    assert page.locator(".chapter-map .here").is_visible()
    assert "This widget needs JavaScript" in page.locator(".bd-article").inner_text()
    context.close()


def test_figures_turn_light_in_the_dark(opened):
    figure = (
        "() => getComputedStyle(document.querySelector('.cell_output img[src$=\".svg\"]')).filter"
    )
    page = opened(CHAPTERS[0])
    assert page.evaluate(figure) == "none"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"({figure})().startsWith('invert(1)')")
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"({figure})() === 'none'")


@pytest.mark.parametrize("name", CHAPTERS)
def test_launch_buttons_lead_to_the_notebook(site_folder, name):
    url = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]["url"]
    repository = url.removeprefix("https://github.com/")
    html = (site_folder / f"{name}.html").read_text(encoding="utf-8")
    launches = re.findall(r'href="(https://(?:mybinder|colab)[^"]*)"', html)
    assert len(launches) == 2
    for launch in launches:
        assert f"/{repository}/" in launch
        assert launch.endswith(f"{name}.ipynb")


@pytest.mark.parametrize("name", CHAPTERS)
def test_downloads_are_the_twin_in_plain_markdown(site_folder, name):
    html = (site_folder / f"{name}.html").read_text(encoding="utf-8")
    assert f"_sources/{name}.ipynb" in html
    assert f"_sources/{name}.py" in html
    offered = nbformat.read(site_folder / "_sources" / f"{name}.ipynb", as_version=4)
    twin = nbformat.read(ROOT / f"{name}.ipynb", as_version=4)
    cells, others = ([c for c in n.cells if c.cell_type == "code"] for n in (offered, twin))
    assert cells == others
    prose = "\n".join(cell.source for cell in offered.cells if cell.cell_type == "markdown")
    assert not re.findall(r"\{[\w:]+\}`|```\{|\$\$ *\(eq|\([a-z]+-\d+-[\w-]+\)", prose)
    compile((site_folder / "_sources" / f"{name}.py").read_text(encoding="utf-8"), name, "exec")


def test_code_steps_back_and_opens_by_keyboard(opened):
    page = opened(CHAPTERS[0])
    fold = page.locator("details.folded-code", has_text="Check:").first
    assert not fold.locator("pre").is_visible()
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(fold.locator("pre")).to_be_visible()
    page.keyboard.press("Enter")
    expect(fold.locator("pre")).to_be_hidden()
    assert not page.locator(".tag_export:not(:has(details)) .cell_input").first.is_hidden()


def test_an_address_opens_what_it_names(opened):
    """The API page links to the mark above what a cell exports, also where that cell is folded."""
    folded = [
        f"chapters/{page.stem}"
        for page in chapters()
        for cell in code_cells(read_page(page))
        if "export" in tags(cell) and label(cell.metadata) and "\nclass " in cell.source
    ]
    if not folded:
        pytest.skip("no page folds what it exports")
    page = opened(folded[0])
    cell = page.locator(".exported[id] + .cell:has(details.folded-code)").first
    anchor = cell.evaluate("cell => cell.previousElementSibling.id")
    assert not cell.locator("pre").first.is_visible()
    page.evaluate(f"location.hash = '#{anchor}'")
    page.wait_for_function(
        "() => document.querySelector('.exported[id] + .cell details.folded-code').open"
    )


def test_on_paper_is_what_is_read(opened):
    """Solutions are, but neither code that steps back nor what is clicked."""
    page = opened(CHAPTERS[0])
    page.emulate_media(media="print")
    expect(page.locator(".cell_input:not(details *)").first).to_be_visible()
    expect(page.locator(".chaindyn :is(button, input):visible")).to_have_count(0)
    expect(page.locator("details.folded-code:visible")).to_have_count(0)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open], .folded-code, .chaindyn *)").count() == 0
    assert page.locator("details.folded-code[open]").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")


def test_a_box_is_as_wide_as_its_title_and_folds_by_any_word_of_it(opened):
    page = opened(CHAPTERS[0])
    narrow = """[...document.querySelectorAll(".admonition > .admonition-title")]
        .filter((title) => title.clientWidth && title.offsetWidth < title.parentElement.clientWidth - 1).length"""
    assert page.evaluate(narrow) == 0
    problems = list[str]()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.locator(".folded-exercise > summary").first.click()
    solution = page.locator(".solution").first
    words = solution.locator(".admonition-title")
    where = {"x": 100, "y": 15}  # on the exercise's name, which is a link without this script
    words.click(position=where)
    expect(solution).not_to_have_class(re.compile("toggle-hidden"))
    words.click(position=where)
    expect(solution).to_have_class(re.compile("toggle-hidden"))
    assert not problems
    names = [button.get_attribute("aria-label") for button in page.locator(".toggle-button").all()]
    assert len(set(names)) == len(names) > 10
    assert names[0] == "Hint to Exercise 1.1"


def test_a_display_breaks_between_its_equations_first(opened):
    """On a phone no line holds the end of one equation and the beginning of the next."""
    page = opened(CHAPTERS[0])
    for width in (
        390,
        340,
        300,
        260,
        220,
    ):  # until a display has two equations that do not fit on one line
        page.set_viewport_size({"width": width, "height": 900})
        drawn(page)  # the page sets its displays anew before it draws
        if page.locator("mjx-container.apart").count():
            break
    else:
        pytest.fail("no display of this chapter is broken between two equations")
    halves = page.evaluate("""() => [...document.querySelectorAll("mjx-container.apart")].flatMap((display) => {
        const parts = [...display.querySelectorAll(".break-whole")].map((part) => part.getBoundingClientRect());
        return parts.slice(1).filter((part, k) => part.height > 60 && part.top < parts[k].bottom - 5);
    })""")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert halves == []


AT_THIRD_SECTION = """() => {
    const line = document.querySelector(".place-line"), heads = document.querySelectorAll("article section > h2");
    heads[2].scrollIntoView();
    return line?.hidden === false && heads[2].innerText.includes(line.innerText.split(" · ")[1]);
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_a_line_says_where_the_reader_is(opened, width):
    page = opened(CHAPTERS[0])
    page.set_viewport_size({"width": width, "height": 900})
    line = page.locator(".place-line")
    page.wait_for_function(
        AT_THIRD_SECTION
    )  # formulas and figures may still move what stands below them
    title, section = (line.inner_text() + " · ").split(" · ")[:2]
    assert title.startswith("1.")
    assert section and section in page.locator("article section > h2").nth(2).inner_text()
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("name", ["book/notation", "book/exercises", "book/errata"])
def test_on_a_phone_wordy_tables_are_cards(opened, name):
    page = opened(name)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_selector("table.cards")
    wide = """[...document.querySelectorAll("table.cards")].filter(
        (table) => table.offsetWidth > table.parentElement.clientWidth + 1).length"""
    assert page.evaluate(wide) == 0
    cell = page.locator("table.cards td:not(:first-child, .empty)").first
    assert cell.get_attribute("data-column")
    page.set_viewport_size({"width": 1280, "height": 900})


def test_a_page_says_of_what_it_is_and_shows_its_own_card(site_folder):
    said, cards = set(), set()
    for name in CHAPTERS:
        html = (site_folder / f"{name}.html").read_text(encoding="utf-8")
        assert html.count('name="viewport"') == 1
        (words,) = re.findall(r'<meta name="description" content="([^"]+)">', html)
        (card,) = re.findall(r'<meta property="og:image" content="([^"]+)">', html)
        assert (site_folder / card.split("/", 4)[4]).is_file()
        said.add(words)
        cards.add(card)
    assert len(said) == len(cards) == len(CHAPTERS)


def test_figures_can_be_read_on_a_phone(opened):
    """Words of nine pixels at least: what is too wide for that is panned in its own box, also by keyboard."""
    page = opened("chapters/11_simulation")
    page.set_viewport_size({"width": 390, "height": 900})
    small = page.evaluate("""() => {
        const wanted = image => parseFloat(image.style.getPropertyValue("--legible"));
        return [...document.querySelectorAll("article img[style*='--legible']")]
            .filter(image => image.clientWidth && image.clientWidth + 1 < wanted(image))
            .map(image => image.src);
    }""")
    assert small == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_no_tex_in_links_and_titles(site_folder):
    for name in CHAPTERS:
        html = (site_folder / f"{name}.html").read_text(encoding="utf-8")
        said = re.findall(r'<title>(.*?)</title>|title="([^"]*)"|std-ref">(.*?)</span>', html)
        raw = [text for text in map("".join, said) if re.search(r"\\[a-zA-Z]+|\$", text)]
        assert not raw, name


def test_search_quotes_without_tex_and_finds_while_one_types(opened):
    page = opened("search")
    page.goto(page.url + "?q=screw")
    page.wait_for_selector("p.context")
    quoted = " ".join(page.locator("p.context").all_inner_texts())
    assert quoted and not re.search(r"\\[a-zA-Z(]|import ", quoted)
    page.locator(".bd-search-container input").fill("plucker")
    expect(page.locator(".found a").first).to_have_attribute("href", re.compile("01_plucker"))


@pytest.mark.parametrize("anchor", ["chaindyn.aba", "chaindyn.Chain", "module-articulated"])
def test_who_comes_by_an_old_address_of_the_api_is_led_on(chromium, site_url, anchor):
    page = open_page(chromium, 1280, "light")
    page.goto(f"{site_url}book/api.html#{anchor}")
    page.wait_for_url(f"{site_url}book/api/*.html#{anchor}")
    assert page.locator(f"[id='{anchor}']").is_visible()
    page.goto(f"{site_url}book/api.html")  # to the index itself who wants that
    settle(page)
    assert page.url.endswith("book/api.html")
    page.context.close()


def test_every_page_says_licence_and_how_to_cite(site_folder):
    for name in CHAPTERS:
        html = (site_folder / f"{name}.html").read_text(encoding="utf-8")
        assert 'rel="license"' in html
        assert "Cite as" in html
