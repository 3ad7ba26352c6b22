"""The stage: solids below the strokes, turned by mouse, keyboard and fingers; strokes alone without WebGL."""

from __future__ import annotations

import gzip
import inspect

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import three
from explorers import EXPLORERS, striking
from hands import PHONE, centre, drag, drawn, request_of
from playwright.sync_api import Page, expect

from chaindyn import point_velocity
from chaindyn.impulse import contact_impulse, impulse_response

pytestmark = pytest.mark.browser

CALM = {"reduced_motion": "reduce"}
NO_WEBGL = """HTMLCanvasElement.prototype.getContext = new Proxy(HTMLCanvasElement.prototype.getContext, {
  apply(get, canvas, [kind, ...rest]) {
    if (!kind.startsWith("webgl")) return get.call(canvas, kind, ...rest);
    requestAnimationFrame(() => (window.refused = true)); // told when what was refused had its time to answer
    return null;
  },
})"""
# A picture that moves would have moved; one that came near would have asked for what lights it.
A_WHILE = """async () => {
  for (let k = 0; k < 12; k++) await new Promise(requestAnimationFrame);
  await new Promise(requestIdleCallback);
}"""
# How many pixels of the canvas are painted, and where their middle is, in shares of its width and height.
PAINTED = """() => new Promise((tell) => requestAnimationFrame(() => setTimeout(() => {
  const canvas = document.querySelector(".stage canvas");
  const copy = Object.assign(document.createElement("canvas"), { width: 160, height: 120 });
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0, 160, 120);
  const { data } = context.getImageData(0, 0, 160, 120);
  let [n, x, y] = [0, 0, 0];
  for (let k = 0; k < data.length / 4; k++) {
    if (data[4 * k + 3] > 128) [n, x, y] = [n + 1, x + (k % 160), y + Math.floor(k / 160)];
  }
  tell([n, x / n / 160, y / n / 120]);
})))"""


def lit(page: Page) -> Page:
    page.wait_for_selector(".stage[data-lit=true]")
    drawn(page)
    return page


def view_of(page: Page) -> str:
    """How the picture is seen: where its handles are drawn."""
    drawn(page)
    handles = page.locator(".stage .handle").all()
    return " ".join(handle.get_attribute("transform") or "" for handle in handles)


def test_three_js_is_small():
    assert len(gzip.compress(three().encode())) <= 200_000


@pytest.mark.parametrize("name", EXPLORERS)
def test_solids_stand_below_the_strokes(put_on_page, name):
    page = lit(put_on_page(EXPLORERS[name](), stage=True, **CALM))
    painted, x, y = painted_of(page)
    assert painted > 150  # of 19 200: two thin rods at least
    assert 0.15 < x < 0.85
    assert 0.15 < y < 0.85
    assert page.locator(".stage > canvas").get_attribute("aria-hidden") == "true"


def painted_of(page: Page) -> tuple[float, float, float]:
    """Turn the view a hair, so that the canvas is drawn, and look at it in the same frame."""
    return tuple(
        page.evaluate(
            """(painted) => {
          const svg = document.querySelector(".stage > svg");
          const key = (name) => svg.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
          key("ArrowLeft"), key("ArrowRight");
          return eval(painted)();
        }""",
            PAINTED.replace("setTimeout(() => {", "Promise.resolve().then(() => {"),
        )
    )


def test_the_keyboard_turns_zooms_and_resets(put_on_page):
    page = lit(put_on_page(EXPLORERS["impact"](), stage=True))
    picture = page.get_by_role("application")
    picture.focus()
    seen = [view_of(page)]
    for key in ("ArrowLeft", "ArrowUp", "+"):
        page.keyboard.press(key)
        seen.append(view_of(page))
    assert len({*seen}) == 4
    page.keyboard.press("0")
    assert view_of(page) == seen[0]
    page.get_by_text("View", exact=True).press("Enter")
    views = [
        page.get_by_role("button", name=f"view {name}", exact=True)
        for name in ("front", "side", "top", "three-quarter", "reset")
    ]
    looked = []
    for button in views:
        button.press("Enter")
        looked.append(view_of(page))
    assert len({*looked[:4]}) == 4
    assert looked[3] == looked[4] == seen[0]


def test_the_mouse_turns_and_the_wheel_zooms_with_ctrl_alone(put_on_page):
    page = lit(put_on_page(EXPLORERS["impact"](), stage=True))
    before = view_of(page)
    box = page.locator(".stage").bounding_box()
    corner = (box["x"] + 12, box["y"] + 12)
    drag(page, corner, (60, 30))
    turned = view_of(page)
    assert turned != before
    page.mouse.wheel(0, 120)
    assert view_of(page) == turned
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    assert view_of(page) != turned


def test_bodies_of_the_same_inertia_are_shown_on_request(put_on_page):
    page = lit(put_on_page(striking(), stage=True, **CALM))
    before = painted_of(page)
    page.get_by_text("View", exact=True).click()
    for look in ("box", "ellipsoid"):
        page.get_by_role("combobox", name="Links").select_option(look)
        now = painted_of(page)
        assert now != before
        before = now


def test_two_fingers_zoom(put_on_page):
    page = lit(put_on_page(EXPLORERS["impact"](), stage=True, **PHONE))
    before = view_of(page)
    box = page.locator(".stage").bounding_box()
    x, y = box["x"] + 40, box["y"] + 30
    session = page.context.new_cdp_session(page)
    for kind, gap in (("touchStart", 30), ("touchMove", 60), ("touchMove", 90)):
        points = [{"x": x, "y": y, "id": 0}, {"x": x + gap, "y": y, "id": 1}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert view_of(page) != before


@pytest.mark.parametrize("name", ["impact", "strike", "loop", "balance", "rotation"])
def test_without_webgl_the_strokes_serve(put_on_page, name):
    page = put_on_page(
        EXPLORERS[name](), stage=True, viewport={"width": 1200, "height": 901}, **CALM
    )
    page.context.add_init_script(NO_WEBGL)
    page.reload()
    page.wait_for_function("window.refused")
    expect(page.locator(".stage[data-lit=true]")).to_have_count(0)
    assert page.locator(".stage svg polyline.stroke").count() > 10
    page.context.add_init_script("")


def test_where_the_site_has_no_three_js_nothing_is_asked_for(put_on_page):
    page = put_on_page(striking(), **CALM)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate(A_WHILE)
    assert asked == []
    assert page.locator(".stage svg polyline.stroke").count() > 10


def test_in_print_the_strokes_serve(put_on_page):
    """At the instant of the blow, whatever moved before; the page notes what it looks like while it prints."""
    page = lit(put_on_page(striking(), stage=True))
    page.evaluate("""() => addEventListener("beforeprint", () => {
      const count = (what) => document.querySelectorAll(".stage " + what).length;
      window.printed = [count("svg polyline.stroke"), count("svg text"), count("canvas[hidden]")];
    })""")
    strokes = page.locator(".stage svg polyline.stroke")
    few = strokes.count()
    page.pdf()
    page.wait_for_function("window.printed")
    many, words, hidden = page.evaluate("window.printed")
    assert many > few + 5
    assert (words >= 7, hidden) == (True, 1)  # the blow and the push of each of six bearings
    lit(page)


def test_a_context_that_is_lost_and_found(put_on_page):
    page = lit(put_on_page(striking(), stage=True, **CALM))
    page.evaluate("""() => {
      const context = document.querySelector(".stage canvas").getContext("webgl2");
      window.loss = context.getExtension("WEBGL_lose_context");
      loss.loseContext();
    }""")
    page.wait_for_selector(".stage[data-lit=false]")
    drawn(page)
    assert page.locator(".stage svg polyline.stroke").count() > 10
    page.evaluate("loss.restoreContext()")
    lit(page)


# The first screen -------------------------------------------------------------------------------


def clock_of(page: Page) -> float:
    return float(page.get_by_role("slider", name="time of the film").input_value())


def test_it_moves_at_once_and_can_be_paused(put_on_page):
    page = put_on_page(striking(), stage=True, fresh=True)
    first = clock_of(page)
    page.wait_for_function(
        f"Math.abs(document.querySelector('.strip input').value - {first}) > 0.02"
    )
    page.get_by_role("button", name="Pause").click()
    drawn(page)
    still = clock_of(page)
    page.evaluate(A_WHILE)
    assert clock_of(page) == still
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(
        f"Math.abs(document.querySelector('.strip input').value - {still}) > 0.02"
    )


def test_it_is_still_for_who_prefers_that_until_asked(put_on_page):
    page = put_on_page(striking(), stage=True, **CALM)
    drawn(page)
    still = clock_of(page)
    page.evaluate(A_WHILE)
    assert clock_of(page) == still
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(
        f"Math.abs(document.querySelector('.strip input').value - {still}) > 0.02"
    )


def test_the_three_questions_are_answered_as_it_is_pulled(put_on_page):
    widget = striking()
    page = put_on_page(widget, **CALM)
    answer = page.locator(".answer b")
    expect(answer).to_have_text("1.94\u00a0N\u00a0s")
    assert page.locator(".question").all_inner_texts() == [
        "How strong was the blow?",
        "What does each joint\u2019s speed become?",
        "What did each bearing have to carry?",
    ]
    page.get_by_role("spinbutton", name="restitution").fill("1")
    values = widget.compute({**widget.request, "restitution": 1.0})
    expect(answer).to_have_text(f"{values['impulse']:.2f}\u00a0N\u00a0s")
    drag(page, centre(page.get_by_role("button", name="The wall: turn it")), (0, -60))
    request = request_of(page)
    assert request["normal"] != [-1, 0, 0]
    drawn(page)
    expect(answer).to_have_text(f"{widget.compute(request)['impulse']:.2f}\u00a0N\u00a0s")
    drag(page, centre(page.locator("[data-grab='1']").first), (0, -25))
    assert request_of(page)["q"] != widget.request["q"]


def test_the_answers_stand_beside_the_picture_whatever_the_page_brings_later(put_on_page):
    page = put_on_page(striking(), **CALM)
    page.add_style_tag(content=EXPLORERS["chain"]().get_state()["_css"])
    picture, answers = (page.locator(one).bounding_box() for one in (".stage", ".answers"))
    assert answers["x"] > picture["x"] + 0.9 * picture["width"]
    assert abs(answers["y"] - picture["y"]) < 0.2 * picture["height"]
    strip = page.locator(".strip").bounding_box()
    assert strip["y"] > picture["y"] + picture["height"] - 1


def test_each_number_of_a_blow_says_where_it_is_from(put_on_page):
    page = put_on_page(striking(), **CALM)
    impulse, *others = page.locator(".answers .asks").all()
    assert len(others) == 12
    impulse.focus()
    page.keyboard.press("Enter")
    panel = page.locator(".whence")
    first = panel.locator("li").first
    expect(first).to_contain_text("impulse 1.94\u00a0N\u00a0s")
    page.get_by_role("spinbutton", name="restitution").fill("1")
    expect(first).to_contain_text("(1 + 1.00)")
    expect(first.locator("output")).to_have_text(page.locator(".answer b").inner_text())
    impulse.focus()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(impulse).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(others[0]).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel.locator("li")).to_have_count(11)
    assert Axe().run(page).response["violations"] == []


def test_an_address_brings_a_blow_back(put_on_page):
    page = put_on_page(striking(), **CALM)
    page.get_by_role("spinbutton", name="restitution").fill("0.25")
    page.locator(".answers .asks").first.click()
    link = page.locator(".whence a", has_text="Link to this").get_attribute("href")
    strength = page.locator(".answer b").inner_text()
    page.keyboard.press("Escape")
    page.get_by_role("spinbutton", name="restitution").fill("1")
    expect(page.locator(".answer b")).not_to_have_text(strength)
    page.evaluate(f"location.hash = {link!r}")
    expect(page.locator(".answer b")).to_have_text(strength)
    expect(page.locator(".whence")).to_be_visible()
    assert request_of(page)["restitution"] == 0.25


def test_a_blow_is_shared_by_a_sentence_and_a_link(put_on_page):
    """By the clipboard, where the device has no way of its own."""
    page = put_on_page(striking(), **CALM, permissions=["clipboard-read", "clipboard-write"])
    page.evaluate("Object.defineProperty(navigator, 'share', { value: undefined })")
    page.get_by_role("spinbutton", name="restitution").fill("0.25")
    page.get_by_role("button", name="Share this blow").click()
    line = page.locator(".shared")
    strength = page.locator(".answer b").inner_text().replace("\u00a0", " ")
    expect(line).to_contain_text(f"hits a wall with {strength}, as a ball of 2.28 kg would.")
    expect(line.get_by_role("status")).to_have_text("Copied.")
    link = line.locator("a").get_attribute("href")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"A robot arm hits a wall with {strength}")
    assert copied.endswith(f"?fresh{link}") or copied.endswith(link)
    assert Axe().run(page).response["violations"] == []
    page.get_by_role("spinbutton", name="restitution").fill("1")
    page.evaluate(f"location.hash = {link!r}")
    page.wait_for_function("model.get('request').restitution === 0.25")
    expect(page.locator(".whence")).to_be_hidden()
    for wrong in ("#blow=1,2", "#blow=x", link.replace("0.25", "7")):
        page.evaluate(f"location.hash = {wrong!r}")
        drawn(page)
        assert request_of(page)["restitution"] == 0.25


def test_what_the_film_has_come_to_stands_on_the_picture(put_on_page):
    page = put_on_page(striking(), **CALM)
    caption, film = page.locator(".caption"), page.get_by_role("slider", name="time of the film")
    said = []
    for time in np.arange(0.05, 1, 0.01):
        film.fill(f"{time:.3f}")
        drawn(page)
        said += [caption.inner_text()] if caption.inner_text() not in said else []
    assert said[0] == "0.57 m/s towards the wall"
    assert said[1] == "the blow: 1.94 N s, as of 2.28 kg"
    told = [one.split("carries ")[1] for one in said if "carries" in one]
    assert told == [f"{x} N s" for x in ("1.78", "0.78", "0.64", "0.39", "0.26", "0.26")]
    assert said[-1] == "wrist 1 turned at \u22120.60, and now at 7.59 rad/s"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("strike", {"restitution": 0.0}),
        ("balance", {"aside": 0.3}),
        ("inertia", {"spin": [0, 0, 3]}),
        ("effort", {"load": 0.5}),
    ],
)
def test_a_view_takes_what_the_page_sets(put_on_page, name, change):
    page = put_on_page(EXPLORERS[name](), **CALM)
    page.locator(".chaindyn").evaluate(
        "(it, detail) => it.dispatchEvent(new CustomEvent('chaindyn-take', { detail, bubbles: true }))",
        change,
    )
    drawn(page)
    request = request_of(page)
    assert {key: request[key] for key in change} == change


def test_each_step_of_a_blow_says_the_line_of_the_law(put_on_page):
    page = put_on_page(striking(), **CALM)
    page.locator(".answers .asks").first.click()
    lines = page.locator(".whence code").all_inner_texts()
    laws = [
        inspect.getsource(inspect.unwrap(law))
        for law in (contact_impulse, impulse_response, point_velocity)
    ]
    flat = " ".join(" ".join(laws).split())
    assert len(lines) == 3
    assert all(" ".join(line.split()) in flat for line in lines)


def test_let_go_it_swings_again(put_on_page):
    page = put_on_page(striking())
    page.get_by_role("slider", name="restitution, slider").fill("0.8")
    drawn(page)
    expect(
        page.get_by_role("button", name="Play")
    ).to_be_visible()  # held at the instant of the blow
    held = clock_of(page)
    page.wait_for_function(f"document.querySelector('.strip input').value < {held} - 0.1")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("screen", [{}, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("name", ["impact", "strike", "contact", "rotation"])
def test_it_is_accessible(put_on_page, name, screen, scheme):
    page = lit(put_on_page(EXPLORERS[name](), stage=True, **CALM, **screen, color_scheme=scheme))
    for summary in page.locator("summary").all():
        if not summary.evaluate("summary => summary.parentElement.open"):
            summary.click()
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": tags}})
    assert found.response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_picture_stays_in_sight_on_a_phone(put_on_page):
    page = lit(put_on_page(striking(), stage=True, **PHONE, **CALM))
    page.get_by_role("spinbutton", name="speed of wrist 3").scroll_into_view_if_needed()
    box = page.locator(".stage").bounding_box()
    assert -1 <= box["y"] < 100
    assert box["height"] < 0.6 * 600


def test_what_is_closed_lets_go_of_everything(put_on_page):
    page = lit(put_on_page(striking(), stage=True))
    page.evaluate("close_view()")
    page.evaluate(A_WHILE)
    before = clock_of(page)
    page.evaluate(A_WHILE)
    assert clock_of(page) == before
    page.evaluate("window.close_view = () => {}")
