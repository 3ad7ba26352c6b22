"""ImpactExplorer on a page of its own, by mouse, keyboard and touch; and in JupyterLab."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hands import PHONE, as_shown, centre, drag, drawn, request_of, rows_of, touch
from playwright.sync_api import Page, expect
from widget_cases import arm, locking

import chaindyn
from chaindyn.widgets import ImpactExplorer

pytestmark = pytest.mark.browser


def struck_arm(**options: Any) -> ImpactExplorer:
    state = [0.4, -0.5, 0.1, 0.5], [0.8, -1.2, 0.3, 0.9]
    return ImpactExplorer(arm(), *state, **{"body": "tool", "point": (0.1, 0, 0), **options})


def plane_rods(**options: Any) -> ImpactExplorer:
    return ImpactExplorer(links=2, q=[0.5, -0.7], qd=[1, 0.5], normal=(0, -1, 0), **options)


def impact_rows(widget: ImpactExplorer, request: dict) -> list[list[str]]:
    values = widget.compute({**request, "map": None})
    column = widget.scene["chains"][request["chain"]]["column"]
    rows = []
    for k, force, moment in zip(column, values["reactions"], values["moments"], strict=True):
        was, now = (0, 0) if k is None else (request["qd"][k], values["qd_after"][k])
        numbers = [was, now, now - was, np.linalg.norm(force), np.linalg.norm(moment)]
        texts = [as_shown([x])[0][0] for x in numbers]
        rows.append(texts if k is not None else ["\u2013"] * 3 + texts[3:])
    return rows


def plot_place(page: Page, across: float, up: float) -> tuple[float, float]:
    """Where on the page these shares of the way across and up the map are."""
    box = page.locator(".chaindyn .map .plot").bounding_box()
    assert box is not None
    return box["x"] + across * box["width"], box["y"] + (1 - up) * box["height"]


def test_impact_by_mouse(put_on_page):
    widget = plane_rods()
    page = put_on_page(widget)
    assert rows_of(page) == impact_rows(widget, widget.request)
    per_metre = page.evaluate(
        "() => { const g = [...document.querySelectorAll('[data-grab]')][0].getBoundingClientRect();"
        " return Math.hypot(g.width, g.height); }"
    )
    at = centre(page.get_by_role("button", name="Point of the blow"))
    drag(page, at, (-0.3 * per_metre * np.cos(-0.2), 0.3 * per_metre * np.sin(-0.2)))
    request = request_of(page)
    assert request["point"] == pytest.approx([0.7, 0, 0], abs=0.03)
    assert request["point"][1:] == [0, 0]  # it stays on the rod that it is pulled along
    assert rows_of(page) == impact_rows(widget, request) != impact_rows(widget, widget.request)
    drag(page, centre(page.get_by_role("button", name="Direction of the blow")), (40, 0))
    request = request_of(page)
    assert np.linalg.norm(request["normal"]) == pytest.approx(1, abs=1e-12)
    assert request["normal"][0] < -0.2
    assert rows_of(page) == impact_rows(widget, request)
    drag(page, centre(page.locator("[data-grab='1']")), (0, -30))
    assert request_of(page)["q"][1] > -0.7
    assert rows_of(page) == impact_rows(widget, request_of(page))


def test_a_posture_is_chosen_in_the_map(put_on_page):
    widget = plane_rods()
    page = put_on_page(widget)
    expect(page.locator(".map .cells rect").first).to_be_attached()
    page.mouse.click(*plot_place(page, 0.75, 0.4))
    q = request_of(page)["q"]
    assert q == pytest.approx([np.pi / 2, -0.2 * np.pi], abs=0.05)
    assert rows_of(page) == impact_rows(widget, request_of(page))
    ring = page.get_by_role("button", name="The present posture in the map")
    assert centre(ring) == pytest.approx(plot_place(page, 0.75, 0.4), abs=2)
    drag(page, centre(ring), (-60, 20))
    assert request_of(page)["q"][0] < q[0] - 0.3
    assert request_of(page)["q"][1] < q[1] - 0.1
    ring.focus()
    before = request_of(page)["q"]
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowUp"):
        page.keyboard.press(key)
    expect(ring).to_be_focused()
    moved = np.rad2deg(np.subtract(request_of(page)["q"], before))
    assert moved == pytest.approx([4, 15], abs=0.01)
    assert rows_of(page) == impact_rows(widget, request_of(page))


def others_of(widget: ImpactExplorer, request: dict) -> list[float]:
    """The impulses in eleven postures across the map, but for that in which the chain stands itself."""
    cells = widget.scene["chains"][request["chain"]]["cells"]
    grid = np.array(widget.compute({**request, "map": "this"})["map"]["impulse"])
    across, up = (np.array(request["q"]) + np.pi) / (2 * np.pi) * cells
    columns = np.arange(11) * (cells - 1) // 10
    apart = np.abs(columns + 0.5 - across) > (cells - 1) / 20
    return list(grid[int(up)][columns[apart]])


OTHERS = """() => {
  const strokes = [...document.querySelectorAll(".stage polyline.stroke")];
  const dots = strokes.filter(({ points }) => points.length === 2 && `${points[0].x}` === `${points[1].x}`);
  const shades = dots.filter((dot) => dot.matches(".force")).map((dot) => Number(dot.getAttribute("opacity")));
  const { x, y, width, height } = document.querySelector(".stage svg > g").getBBox();
  const view = document.querySelector(".stage svg").viewBox.baseVal;
  const whole = x >= -1 && y >= -1 && x + width <= view.width + 1 && y + height <= view.height + 1;
  const grey = strokes.filter((one) => one.matches(".faint[opacity='0.25']")).length;
  return { whole, shades: shades.filter((shade) => shade < 1), grey };
}"""


def test_other_postures_stand_in_the_picture_by_their_blows(put_on_page):
    widget = plane_rods()
    page = put_on_page(widget)
    page.wait_for_function("document.querySelector('.map .cells rect')")
    words, button = page.locator(".stage text"), page.get_by_role("button", name="other postures")
    expect(page.locator(".key").nth(-2)).to_contain_text("before")
    expect(words).to_contain_text([page.locator(".result").inner_text().split()[1]])
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".columns")).to_contain_text("the harder the blow in that posture")
    for q in ([0.5, -0.7], [-0.4, 1.0]):
        for number, value in zip(("rod 1 [\u00b0]", "rod 2 [\u00b0]"), np.rad2deg(q), strict=True):
            page.get_by_role("spinbutton", name=number, exact=True).fill(f"{value:.6f}")
        drawn(page)  # a picture is drawn, and a map counts as late, in the next frame
        page.wait_for_function("!document.querySelector('.map .cells.late')")
        drawn(page)
        blows = others_of(widget, request_of(page))
        struck = sorted(blow for blow in blows if blow > 0)
        assert len(struck) >= 3
        seen = page.evaluate(OTHERS)
        assert seen["grey"] == 2 * (len(blows) - len(struck))  # two rods each
        assert len(seen["shades"]) == len(struck)
        shares = (np.array(seen["shades"]) - 0.15) / 0.8
        part = shares < 0.999  # what towers over the rest is shown as the darkest
        assert part.sum() >= 2
        np.testing.assert_allclose(shares[part] / shares[0], struck[: part.sum()] / struck[0])
        assert seen["whole"]
        told = [as_shown([x])[0][0] for x in (struck[0], struck[-1])]
        for number in told:
            expect(words.filter(has_text=f"{number} N s")).not_to_have_count(0)
    page.get_by_role("button", name="play the blow").click()
    expect(button).to_have_attribute("aria-pressed", "false")


def test_impact_by_keyboard_and_numbers(put_on_page):
    widget = plane_rods()
    page = put_on_page(widget)
    handle = page.get_by_role("button", name="Direction of the blow")
    handle.focus()
    page.keyboard.press("ArrowLeft")
    expect(handle).to_be_focused()
    assert request_of(page)["normal"][0] > 0
    fill = lambda name, value: page.get_by_role("spinbutton", name=name, exact=True).fill(value)  # noqa: E731
    fill("blow turn [\u00b0]", "-60")
    fill("restitution", "1")
    fill("speed of rod 1 [rad/s]", "2")
    fill("rod 2 [\u00b0]", "30")
    fill("blow point x [m]", "0.5")
    request = request_of(page)
    assert request["normal"] == pytest.approx([0.5, -np.sqrt(0.75), 0])
    assert (request["restitution"], request["qd"], request["point"]) == (1, [2, 0.5], [0.5, 0, 0])
    assert rows_of(page) == impact_rows(widget, request)
    expect(page.locator(".result")).to_contain_text("Energy lost: 0.00 J")
    page.get_by_role("slider", name="blow along link, slider").focus()
    page.keyboard.press("ArrowRight")
    assert request_of(page)["point"][0] == pytest.approx(0.51)
    fill("restitution", "3")
    assert request_of(page)["restitution"] == 1
    fill("speed of rod 1 [rad/s]", "-2")
    expect(page.locator(".result")).to_contain_text("No blow: the point is leaving the wall")
    expect(page.locator(".map .cells rect").first).to_be_attached()


def test_the_hinge_of_a_rod_feels_nothing_at_its_centre_of_percussion(put_on_page):
    page = put_on_page(ImpactExplorer(links=1, q=[0.0], normal=(0, -1, 0)))
    assert rows_of(page)[0][3] == "0.25"
    page.get_by_role("spinbutton", name="blow along link", exact=True).fill("0.6667")
    assert rows_of(page)[0][3] == "0.00"
    page.wait_for_function("document.querySelector('.map .zero').getAttribute('d')")
    expect(page.locator(".key").last).to_contain_text("bearing rod 1 feels nothing along the blow")
    page.get_by_role("combobox", name="Shading").select_option("mass")
    expect(page.locator(".shade + span")).to_contain_text("kg")
    page.get_by_role("combobox", name="Line where").select_option("jump 0")
    expect(page.locator(".key").last).to_contain_text("joint rod 1 keeps its speed")


def test_another_chain_can_be_struck(put_on_page):
    widget = struck_arm()
    page = put_on_page(widget, kernel=True)
    page.get_by_role("combobox", name="Chain").select_option("3 equal rods")
    expect(page.locator(".source")).to_have_text("Computed by Python with your impact.")
    page.wait_for_function("model.get('answer').serial === model.get('request').serial")
    request = request_of(page)
    assert len(request["q"]) == 3
    assert rows_of(page) == impact_rows(widget, request)
    page.get_by_role("combobox", name="Across").select_option("rod 1")
    assert request_of(page)["axes"] == [0, 2]
    page.wait_for_function("model.get('answer').serial === model.get('request').serial")
    page.wait_for_function("!document.querySelector('.map .cells.late')")
    page.get_by_role("combobox", name="Chain").select_option("this chain")
    page.wait_for_function("model.get('answer').serial === model.get('request').serial")
    assert rows_of(page) == impact_rows(widget, request_of(page))


def test_impact_by_touch(put_on_page):
    page = put_on_page(plane_rods(), **PHONE)
    touch(page, centre(page.get_by_role("button", name="Point of the blow")), (-40, 5))
    assert request_of(page)["point"][0] < 0.9
    ring = page.get_by_role("button", name="The present posture in the map")
    ring.scroll_into_view_if_needed()
    down = page.evaluate("scrollY")
    touch(page, centre(ring), (30, 45))
    assert request_of(page)["q"][1] < -0.9
    assert page.evaluate("scrollY") == down, "pulling at the ring must not scroll the page"


def test_a_finger_taps_the_map(put_on_page):
    page = put_on_page(plane_rods(), **PHONE)
    plot = page.locator(".map .plot")
    box = plot.bounding_box()
    plot.tap(position={"x": 0.25 * box["width"], "y": 0.5 * box["height"]})
    page.wait_for_function("model.get('request').q[0] < -1")
    assert request_of(page)["q"] == pytest.approx([-np.pi / 2, 0], abs=0.05)


def test_python_and_page_draw_one_map(put_on_page):
    widget = plane_rods()
    pages = [put_on_page(widget, kernel=kernel) for kernel in (False, True)]
    for page in pages:
        page.wait_for_function("document.querySelector('.map .zero').getAttribute('d')")
    expect(pages[1].locator(".source")).to_have_text("Computed by Python with your impact.")
    expect(pages[1].locator(".map .cells.late")).to_have_count(0)
    lines = [page.locator(".map .zero").get_attribute("d") for page in pages]
    assert lines[0] == lines[1]


def test_an_error_in_the_map_alone_is_shown(put_on_page):
    def one_at_a_time(chain, q, qd, **options):
        if q.ndim > 1:
            raise ArithmeticError("one at a time")
        return chaindyn.impact(chain, q, qd, **options)

    page = put_on_page(plane_rods(impact=one_at_a_time), kernel=True)
    expect(page.get_by_role("alert")).to_contain_text("ArithmeticError: one at a time; in impact")
    expect(page.locator(".source")).to_have_text("Computed by Python with your impact.")


def test_a_blow_that_is_not_a_number_is_shown_as_that(put_on_page):
    def lost(chain, q, qd, **options):
        blow = chaindyn.impact(chain, q, qd, **options)
        return chaindyn.Impact(**{name: np.nan * value for name, value in vars(blow).items()})

    page = put_on_page(plane_rods(impact=lost), kernel=True)
    expect(page.locator(".source")).to_have_text("Computed by Python with your impact.")
    expect(page.locator(".result")).to_contain_text("Impulse nan N s")
    assert rows_of(page)[0] == ["1.00", "nan", "nan", "nan", "nan"]
    expect(page.locator(".map .cells.late")).to_have_count(0)


def test_the_longest_choices_fit_on_a_phone(put_on_page):
    page = put_on_page(struck_arm(), viewport={"width": 340, "height": 700})
    edge = page.locator(".chaindyn").bounding_box()
    for choice in page.locator(".chaindyn select").all():
        box = choice.bounding_box()
        assert box["x"] + box["width"] <= edge["x"] + edge["width"] - 10


@pytest.mark.parametrize("kernel", [False, True])
def test_a_posture_that_locks_is_named(put_on_page, kernel):
    """Nothing turns the ring; said instead of a blow, which there is again in another posture."""
    options = {"point": (0, 0.1, 0.5), "normal": (1, 0, 0), "limits": [[-3, 3], [0, 2]]}
    page = put_on_page(ImpactExplorer(locking(), [0, 1], [-1, 0], **options), kernel=kernel)
    field = page.get_by_role("spinbutton", name="needle [\u00b0]")
    expect(page.locator(".result")).to_contain_text("The wall feels a mass of")
    expect(page.locator(".error")).to_be_empty()
    field.fill("0")
    expect(page.locator(".error")).to_contain_text(re.compile("ring.* feels no inertia"))
    expect(page.locator(".result")).to_contain_text("Impulse nan N s")
    field.fill("30")
    expect(page.locator(".error")).to_be_empty()
    expect(page.locator(".result")).to_contain_text("The wall feels a mass of")


BLOW = """
from chaindyn import impact
from chaindyn.models.robots import UR5_FLANGE, ur5
from chaindyn.widgets import ImpactExplorer

q, qd = [-0.3, -1.2, 1.3, -0.2, 1.4, 0.4], [0.2, 1.5, -1.0, -0.6, 0.5, 0.4]
ImpactExplorer(ur5(), q, qd, impact=impact, normal=(-1, 0, 0), tip=UR5_FLANGE)
"""


@pytest.mark.slow
@pytest.mark.parametrize("lab", [BLOW], indirect=True)
def test_in_jupyterlab_every_blow_is_answered(
    lab: tuple[Page, Path],
) -> None:
    """Six links, by mouse and by keyboard; timed in the page, from an input to the numbers that Python sent for it."""
    page, _ = lab
    source, result = page.locator(".source"), page.locator(".chaindyn .result")
    expect(source).to_have_text("Computed by Python with your impact.", timeout=20_000)
    ring = page.get_by_role("button", name="The present posture in the map")
    for target, by in (
        (page.get_by_role("button", name="Point of the blow"), (-20, 12)),
        (page.get_by_role("button", name="Direction of the blow"), (15, -25)),
        (ring, (40, 30)),
    ):
        before = result.inner_text()
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        assert box
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + by[0], y + by[1], steps=6)
        page.mouse.up()
        expect(result).not_to_have_text(before)
    page.get_by_text("Blow", exact=True).click()
    field = page.get_by_role("spinbutton", name="restitution", exact=True)
    field.fill("1")
    expect(result).to_contain_text("Energy lost: 0.00 J")
    ring.focus()
    cells = page.locator(".jp-Cell").count()
    before = result.inner_text()
    for key in ("ArrowRight", "Shift+ArrowDown", "a", "b", "x"):
        page.keyboard.press(key)
    expect(ring).to_be_focused()
    expect(result).not_to_have_text(before)
    assert page.locator(".jp-Cell").count() == cells
    expect(source).to_have_text("Computed by Python with your impact.")

    took = page.evaluate(ANSWER_TIMES)
    median = sorted(took)[len(took) // 2]
    print(f"a blow is answered in {median:.0f} ms")  # 100 at most on a quiet machine


# Of 15 arrow keys in the map and 15 moves of the restitution's slider, the milliseconds until what Python answers is
# drawn: while it is there, the table changes only with its answers. The map, which the slider changes, follows after.
ANSWER_TIMES = """async () => {
  const [ring, slider, root] = ["[aria-label^='The present posture']", "[aria-label='restitution, slider']", ".columns"]
    .map((selector) => document.querySelector(".chaindyn " + selector));
  const shown = () => root.querySelector(".joints").textContent;
  const took = [];
  const until = async (condition) => {
    const deadline = performance.now() + 60_000;
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(`no answer to step ${took.length}`);
      await new Promise(requestAnimationFrame);
    }
  };
  const timed = async (act) => {
    const [before, start] = [shown(), performance.now()];
    act();
    await until(() => shown() !== before);
    took.push(performance.now() - start);
    await until(() => !root.querySelector(".late"));
    await new Promise((go) => setTimeout(go, 200));
  };
  for (let k = 0; k < 15; k++) {
    const key = k % 2 ? "ArrowRight" : "ArrowLeft";
    await timed(() => ring.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey: true, bubbles: true })));
    await timed(() => {
      slider.value = 0.5 + k / 50;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
  return took;
}"""
