"""A Sketch on a page of its own: sliders, places, a clock, a curve, and the key of its symbols."""

from __future__ import annotations

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from hands import PHONE, centre, drag, drawn, pass_time
from playwright.sync_api import Locator, Page, expect

from chaindyn.widgets.marks import Arrow, Axes, Ball, Box, Dot, Line, Rod, Value
from chaindyn.widgets.sketch import Clock, Place, Sketch, Slider

pytestmark = pytest.mark.browser


def lever(P, angle, time):
    c, s = np.cos(angle), np.sin(angle)
    f, there = np.array([c, s, 0 * c]), np.array([time, 0.5, 0])
    yield Rod([0, 0, 0], P)
    yield Rod([0, 0, -0.1], [0, 0, 0.1], 0.2, flat=True)
    yield Box(np.eye(3), there, [0.2, 0.2, 0.2])
    yield Ball(there, 0.05)
    yield Axes(np.eye(3), [0, 0, 0], "O")
    yield Line([[-1, 0, 0], [1, 0, 0]], "faint", dashed=True, words="ground")
    yield Dot(there, "there")
    yield Arrow(P, f, "force", "f", symbol="f", words="force")
    yield Arrow([0, 0, 0], P, "slide", "r", symbol="r", words="arm")
    yield Value("moment", np.cross(P, f)[2], "N m", against="angle")
    yield Value("most", np.sqrt(P @ P), "N m", against="angle")


@pytest.fixture
def sketch():
    arguments = {
        "P": Place((0.5, 0.2, 0), "P"),
        "angle": Slider(90, -180, 180, "°", 1),
        "time": Clock(2),
    }
    return Sketch(lever, arguments, title="A lever")


def moment_of(page):
    drawn(page)
    return float(page.locator(".value output").first.inner_text().split()[0].replace("−", "-"))


def test_sliders_and_places_move_it(put_on_page, sketch):
    page = put_on_page(sketch)
    assert moment_of(page) == 0.5
    page.get_by_role("slider", name="angle").fill("0")
    assert moment_of(page) == -0.2
    expect(page.get_by_role("slider", name="angle")).to_have_attribute("aria-valuetext", "0°")
    place = page.get_by_role("button", name="P. Arrow keys move it")
    place.press("ArrowUp")
    assert moment_of(page) == -0.25
    drag(page, centre(place), (0, 30))
    assert moment_of(page) > -0.2


def test_a_curve_follows_and_can_be_pressed(put_on_page, sketch):
    page = put_on_page(sketch)
    graph = page.locator("svg.graph")
    assert "moment from −0.54 to 0.54" in graph.get_attribute("aria-label")
    graph.scroll_into_view_if_needed()
    box = graph.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 15, centre(graph)[1])
    drawn(page)
    assert float(page.get_by_role("slider", name="angle").input_value()) > 150
    place = page.get_by_role("button", name="P. Arrow keys move it")
    place.press("Shift+ArrowRight")
    drawn(page)
    assert "most from 0.78 to 0.78" in graph.get_attribute("aria-label")


def test_a_clock_plays_and_pauses_and_begins_again(put_on_page, sketch):
    page = put_on_page(sketch, clock=True)
    time = page.get_by_role("slider", name="time")
    page.get_by_role("button", name="play").click()
    pass_time(page, 1)
    assert 0.7 < float(time.input_value()) < 1.2
    page.get_by_role("button", name="pause").click()
    pass_time(page, 0.1)
    before = time.input_value()
    pass_time(page, 1)
    assert time.input_value() == before
    time.fill("2")
    page.get_by_role("button", name="play").click()
    pass_time(page, 0.5)
    assert float(time.input_value()) < 1


def test_the_key_is_one_stop_and_lights_the_arrows(put_on_page, sketch):
    page = put_on_page(sketch)
    force, arm = page.locator(".symbols button").all()
    assert page.locator(".symbols > .plain").all_inner_texts() == ["— ground"]
    strokes = page.locator(".stroke.slide")
    expect(strokes.first).to_have_attribute("opacity", "1")
    page.get_by_role("slider", name="time").focus()
    page.keyboard.press("Tab")
    expect(page.locator(".value .asks").first).to_be_focused()
    page.keyboard.press("Tab")
    expect(force).to_be_focused()
    expect(force).to_have_attribute("aria-pressed", "true")
    expect(strokes.first).to_have_attribute("opacity", "0.25")  # the other one is dim
    page.keyboard.press("ArrowRight")
    expect(arm).to_be_focused()
    expect(arm).to_have_attribute("aria-pressed", "true")
    expect(strokes.first).to_have_attribute("opacity", "1")
    page.keyboard.press("Tab")
    expect(page.locator("[aria-pressed=true]")).to_have_count(0)
    page.mouse.move(*centre(page.locator(".hit").first))
    expect(force).to_have_attribute("aria-pressed", "true")


def test_a_number_says_where_it_is_from_until_escape(put_on_page, sketch):
    page = put_on_page(sketch)
    asks = page.get_by_role("button", name="moment: where is it from?")
    asks.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Where moment comes from")
    expect(panel.locator("li").first).to_contain_text("moment 0.50")
    assert not Axe().run(page).response["violations"]
    page.get_by_role("slider", name="angle").fill("0")
    expect(panel.locator("li").first).to_contain_text("moment \u22120.20")
    asks.focus()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(asks).to_be_focused()


def thrown(speed):
    height = speed**2 / (2 * 9.81) if speed > 0 else 0.0
    stop = np.array([1.0, height, 0])
    yield Arrow([0, 0, 0], stop, "motion", "h", symbol="h", words="way up")
    yield Value("height", height, "m")
    yield Value("twice", 2 * height, "m")


CELL = """<div class="cell"><div class="cell_input"><details class="folded-code"><summary>Code</summary><pre>{}
</pre></details></div></div>"""
# As the site has it, the line broken where the page breaks it; and a cell with another line after it.
CODE = ["height = speed**2 / (2 * 9.81)\n  if speed > 0 else 0.0", "start = 1"]
CELLS = f"document.querySelector('h1').insertAdjacentHTML('afterend', {''.join(map(CELL.format, CODE))!r})"


@pytest.fixture
def sampled():
    speed = Slider(3, -5, 5, "m/s", 0.5)
    return Sketch(thrown, {"speed": speed}, title="Thrown", sampled=True)


def test_a_sampled_number_is_asked_by_mouse_and_leads_to_its_cell(put_on_page, sampled):
    page = put_on_page(sampled)
    page.evaluate(CELLS)
    page.get_by_role("button", name="twice: where is it from?").click()
    panel = page.get_by_role("region", name="Where twice comes from")
    number, name, slider = panel.locator("li").all()
    expect(number).to_contain_text("twice 0.92\u00a0m")
    expect(number.locator("code")).to_have_text("2 * height")
    expect(name).to_contain_text("height 0.459")
    expect(name.locator("code")).to_have_text(
        "height = speed**2 / (2 * 9.81) if speed > 0 else 0.0"
    )
    expect(slider).to_contain_text("speed 3.00\u00a0m/s")
    assert not Axe().run(page).response["violations"]
    page.get_by_role("slider", name="speed").fill("5")
    expect(name).to_contain_text("height 1.274")
    link = name.get_by_role("link", name="its cell")
    folds = page.locator("details.folded-code")
    link.click()
    expect(folds.nth(0)).to_have_attribute("open", "")
    expect(folds.nth(1)).not_to_have_attribute("open", "")
    assert page.evaluate(
        "document.querySelector(location.hash) === document.querySelectorAll('.cell')[0]"
    )
    expect(panel).to_be_visible()


def test_a_sampled_number_is_asked_by_keyboard_and_said(put_on_page, sampled):
    page = put_on_page(sampled)
    page.get_by_role("slider", name="speed").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="twice: where is it from?")).to_be_focused()
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Where twice comes from")
    expect(panel).to_be_visible()
    said = "twice is 0.92\u00a0m, through height 0.459, from speed 3.00\u00a0m/s."
    expect(page.locator("[role=status]", has_text="twice is")).to_have_text(said)
    assert panel.locator("a", has_text="its cell").count() == 0  # there is no book around it
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the arrow, by its key
    expect(page.get_by_role("region", name="Where way up comes from")).to_contain_text("stop")


def test_an_address_opens_a_sampled_number_where_it_was_asked(put_on_page, sampled):
    page = put_on_page(sampled)
    page.evaluate("location.hash = '#where=thrown.twice&at=4'")
    panel = page.get_by_role("region", name="Where twice comes from")
    expect(panel.locator("li").first).to_contain_text("twice 1.63\u00a0m")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_and_fits_a_phone(put_on_page, sketch, scheme):
    page = put_on_page(sketch, color_scheme=scheme, **PHONE)
    assert not Axe().run(page).response["violations"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_it_is_lit_by_the_stage(put_on_page, sketch):
    page = put_on_page(sketch, stage=True)
    stage = page.locator(".stage")
    if page.evaluate("!document.createElement('canvas').getContext('webgl2')"):
        pytest.skip("no WebGL here")
    expect(stage).to_have_attribute("data-lit", "true")
    expect(page.locator(".stroke.body")).to_have_count(0)  # solids in their place


def swept(put_on_page, sketch) -> tuple[Page, Locator]:
    """A page whose first slider has begun to move: its picture came into sight while the page's clock stood still."""
    page = put_on_page(sketch, fresh=True, clock=True, viewport={"width": 800, "height": 40})
    slider = page.locator("input[type='range']").first
    assert slider.input_value() == "90"
    page.set_viewport_size({"width": 800, "height": 900})
    for _ in range(100):  # until the browser has noticed that
        pass_time(page, 0.05)
        if slider.input_value() != "90":
            return page, slider
    raise AssertionError("the slider does not move")


def test_the_first_slider_shows_once_what_it_does(put_on_page, sketch):
    page, slider = swept(put_on_page, sketch)
    pass_time(page, 0.8)
    assert float(slider.input_value()) < 60  # towards its farther end
    pass_time(page, 3)
    assert slider.input_value() == "90"
    pass_time(page, 3)
    assert slider.input_value() == "90"


def test_who_takes_hold_of_a_sketch_stops_its_slider(put_on_page, sketch):
    page, slider = swept(put_on_page, sketch)
    slider.focus()
    for _ in range(2):
        pass_time(page, 0.5)
        assert slider.input_value() == "90"


def test_no_slider_moves_for_who_prefers_that(put_on_page, sketch):
    page = put_on_page(sketch, fresh=True, clock=True, reduced_motion="reduce")
    slider = page.locator("input[type='range']").first
    for _ in range(4):
        pass_time(page, 0.5)
        assert slider.input_value() == "90"
