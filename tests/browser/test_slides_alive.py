"""A chapter's slides, opened as a file: the explorer is alive there, and its controls leave the slide where it is."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from book.pages import chapters, main_chapters
from book.slides import write_slides

pytestmark = pytest.mark.browser

HERE = "JSON.stringify(Reveal.getIndices())"
TO_EXPLORER = """() => {
  const { h, v } = Reveal.getIndices(document.querySelector(".explorer .chaindyn:not(.sketch)").closest("section"));
  Reveal.slide(h, v);
}"""
EXPLORER = ".explorer:has(.chaindyn:not(.sketch))"  # sketches stand before it
SLIDER = f"{EXPLORER} input[type=range]"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SCREENS = {
    "projector": {"viewport": {"width": 1280, "height": 720}},
    "phone": PHONE,
}


@pytest.fixture(scope="module")
def slides(tmp_path_factory) -> str:
    """The address of the slides of a chapter with an explorer of many controls, as files."""
    (chapter,) = [page for page in chapters() if page.stem.startswith("09")]
    (page,) = write_slides(tmp_path_factory.mktemp("slides"), [chapter])
    return page.as_uri()


@pytest.fixture(scope="module")
def lecture(tmp_path_factory) -> str:
    """The address of the slides of the first chapter."""
    (page,) = write_slides(tmp_path_factory.mktemp("slides"), chapters()[:1])
    return page.as_uri()


def test_the_speakers_view_has_the_notes(chromium, lecture):
    context = chromium.new_context(**SCREENS["projector"])
    page = context.new_page()
    page.goto(lecture)
    page.wait_for_function("window.Reveal?.isReady()")
    expect(page.locator("aside.notes").first).to_be_hidden()
    with context.expect_page() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes .value")
    expect(notes).to_contain_text("At the board")
    context.close()


SPILT = """() => Reveal.getSlides().filter((one) => !one.querySelector(".explorer")).map((one) => {
  const at = Reveal.getIndices(one);
  Reveal.slide(at.h, at.v);
  const [scale, high] = [Reveal.getScale(), Reveal.getConfig().height];
  return [one.innerText.slice(0, 40), one.scrollHeight - high];
}).filter(([, over]) => over > 0)"""


@pytest.mark.parametrize(
    "chapter",
    [
        pytest.param(page, id=page.stem, marks=[pytest.mark.nightly] * (k > 0))
        for k, page in enumerate(main_chapters())
    ],
)
def test_every_slide_of_a_lecture_fits(chromium, tmp_path, chapter):
    (made,) = write_slides(tmp_path, [chapter])
    context = chromium.new_context(**SCREENS["projector"])
    page = context.new_page()
    page.goto(made.as_uri())
    page.wait_for_function("window.Reveal?.isReady()")
    page.evaluate("window.MathJax?.startup?.promise?.then(() => true)")
    assert page.evaluate(SPILT) == []
    context.close()


@pytest.fixture
def at_explorer(chromium, slides):
    """Open the slide with the explorer, on some screen, with what went wrong and what was loaded."""
    contexts = []

    def opened(**screen) -> Page:
        contexts.append(chromium.new_context(**screen, reduced_motion="reduce"))
        page = contexts[-1].new_page()
        page.errors, page.asked = [], []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(slides)
        page.wait_for_selector(f"{EXPLORER} .chaindyn", state="attached")
        page.evaluate(TO_EXPLORER)
        expect(page.locator(f"{EXPLORER} .chaindyn")).to_be_visible()
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("screen", SCREENS)
def test_it_is_shown_lit_from_the_folder_alone(at_explorer, screen):
    page = at_explorer(**SCREENS[screen])
    page.wait_for_selector(f"{EXPLORER} .stage[data-lit=true]")  # this Chromium has WebGL
    folder = page.url.partition("#")[0].rpartition("/")[0]
    away = [url for url in page.asked if not url.startswith((folder, "blob:", "data:"))]
    assert away == [] and page.errors == []
    expect(page.locator(f"{EXPLORER} .error")).to_be_empty()
    box = page.locator(EXPLORER).bounding_box()
    size = page.viewport_size
    assert box["x"] >= 0 and box["x"] + box["width"] <= size["width"]
    assert box["y"] >= 0 and box["y"] + box["height"] <= size["height"]
    handle = page.locator(SLIDER).first.bounding_box()
    assert handle["height"] >= 20 and handle["width"] >= 100  # a finger finds it


def test_its_keys_are_its_own(at_explorer):
    """Arrows, space and Enter on sliders, folds and the picture; elsewhere they turn the slides."""
    page = at_explorer(**SCREENS["projector"])
    here = page.evaluate(HERE)
    slider = page.locator(SLIDER).nth(1)
    before, words = slider.input_value(), page.locator(f"{EXPLORER} .work").inner_text()
    for _ in range(10):
        slider.press("ArrowRight")
    expect(slider).not_to_have_value(before)
    expect(page.locator(f"{EXPLORER} .work")).not_to_have_text(words)
    fold = page.locator(f"{EXPLORER} details:not(.views) > summary").first
    fold.press("Space")
    expect(page.locator(f"{EXPLORER} table").first).to_be_visible()
    for stop in (fold, page.locator(f"{EXPLORER} .stage svg"), page.get_by_label("Held at")):
        for key in ("ArrowLeft", "ArrowUp", "n", "Home"):
            stop.press(key)
    assert page.evaluate(HERE) == here
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowUp")
    page.wait_for_function(f"here => {HERE} !== here", arg=here)


def test_the_mouse_moves_what_it_takes_hold_of(at_explorer):
    page = at_explorer(**SCREENS["projector"])
    here, slider = page.evaluate(HERE), page.locator(SLIDER).first
    before, box = slider.input_value(), slider.bounding_box()
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
    assert float(slider.input_value()) > float(before)
    picture = page.locator(f"{EXPLORER} .stage svg")
    seen, place = picture.inner_html(), picture.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 200, y, steps=4)
    page.mouse.up()
    expect(picture).not_to_have_js_property("innerHTML", seen)
    assert page.evaluate(HERE) == here


SWIPE = """([select, way]) => {
  const target = document.querySelector(select);
  const tell = (kind, k) => target.dispatchEvent(
    new PointerEvent(kind, { pointerType: "touch", bubbles: true, clientX: 195 + k * way, clientY: 200 }));
  tell("pointerdown", 0);
  for (let k = 1; k <= 6; k++) tell("pointermove", k);
  tell("pointerup", 6);
}"""


def test_a_finger_on_it_does_not_turn_the_slide(at_explorer):
    page = at_explorer(**PHONE)
    here = page.evaluate(HERE)
    page.evaluate(SWIPE, [f"{EXPLORER} .chaindyn", -25])
    assert page.evaluate(HERE) == here
    page.evaluate(SWIPE, [".reveal", -25])
    page.wait_for_function(f"here => {HERE} !== here", arg=here)
