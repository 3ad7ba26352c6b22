"""ScrewExplorer on a page of its own, by mouse, keyboard and touch; and in JupyterLab."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
from hands import (
    FRAME,
    PHONE,
    as_shown,
    centre,
    drag,
    drawn,
    look,
    request_of,
    rows_of,
    touch,
    width_of,
)
from playwright.sync_api import Page, expect

import chaindyn
from chaindyn import X_motion
from chaindyn.widgets import ScrewExplorer

pytestmark = pytest.mark.browser


def screw_rows(widget: ScrewExplorer, request: dict) -> list[list[str]]:
    values = widget.compute(request)
    return [
        row
        for part in ("motion", "force")
        for row in as_shown(values[part]["O"], values[part]["B"])
    ]


def test_screw_by_mouse(put_on_page):
    widget = ScrewExplorer()
    page = put_on_page(widget)
    assert rows_of(page) == screw_rows(widget, widget.request)
    look(page, "top")
    handle = page.get_by_role("button", name="Point on the motion axis")
    before = request_of(page)["motion"]["point"]
    zoom = (
        125 * page.locator(".stage > svg").bounding_box()["width"] / width_of(page)
    )  # pixels a metre
    drag(page, centre(handle), (zoom * 0.5, -zoom * 0.25))
    request = request_of(page)
    np.testing.assert_allclose(
        request["motion"]["point"], np.add(before, [0.5, 0.25, 0]), atol=0.011
    )
    assert rows_of(page) == screw_rows(widget, request) != screw_rows(widget, widget.request)
    drag(page, centre(page.get_by_role("button", name="Direction of the force axis")), (-60, -40))
    request = request_of(page)
    assert np.linalg.norm(request["force"]["direction"]) == pytest.approx(1, abs=1e-12)
    assert request["force"]["direction"] != widget.request["force"]["direction"]
    assert rows_of(page) == screw_rows(widget, request)
    drag(page, centre(page.get_by_role("button", name="Origin of frame B")), (30, 10))
    assert request_of(page)["frame"]["origin"] != widget.request["frame"]["origin"]
    assert rows_of(page) == screw_rows(widget, request_of(page))


def test_reciprocal_screws_do_no_work(put_on_page):
    """Two lines that meet: the force goes through a point that the rotation does not move."""
    meet = {"point": (0, 0, 0.5), "pitch": 0}
    widget = ScrewExplorer(
        motion={**meet, "direction": (0, 0, 1)}, force={**meet, "direction": (1, 0, 0)}
    )
    page = put_on_page(widget)
    expect(page.locator(".work")).to_contain_text("reciprocal: the force does no work")
    page.get_by_role("spinbutton", name="force pitch [m]").fill("0.5")
    expect(page.locator(".work")).to_contain_text(
        "reciprocal"
    )  # at right angles a moment does no work either
    page.get_by_role("spinbutton", name="force point y [m]").fill("1")
    expect(page.locator(".work")).to_have_text(
        "Power m\u00b7f: \u22122.00 W, about O and about B alike."
    )


def test_screw_by_keyboard(put_on_page):
    widget = ScrewExplorer()
    page = put_on_page(widget)
    picture = page.get_by_role("application")
    picture.focus()
    strokes = page.locator(".chaindyn svg g").first.inner_html()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    page.wait_for_function(
        "old => document.querySelector('.chaindyn svg g').innerHTML !== old", arg=strokes
    )
    assert request_of(page)["motion"] == widget.request["motion"]
    look(page, "front")
    picture.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Direction of the motion axis")).to_be_focused()
    page.keyboard.press("Tab")
    handle = page.get_by_role("button", name="Point on the motion axis")
    expect(handle).to_be_focused()
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowUp"):
        page.keyboard.press(key)
    expect(handle).to_be_focused()
    np.testing.assert_allclose(request_of(page)["motion"]["point"], [0.7, 0.2, 0.25], atol=1e-9)
    slider = page.get_by_role("slider", name="motion pitch [m/rad], slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert request_of(page)["motion"]["pitch"] == pytest.approx(0.15)
    field = page.get_by_role("spinbutton", name="motion rate [rad/s]")
    field.fill("-1.25")
    assert request_of(page)["motion"]["size"] == -1.25
    expect(field).to_have_value("-1.25")
    assert rows_of(page) == screw_rows(widget, request_of(page))


def test_screw_by_touch(put_on_page):
    widget = ScrewExplorer()
    page = put_on_page(widget, **PHONE)
    touch(page, centre(page.get_by_role("button", name="Point on the motion axis")), (30, 45))
    request = request_of(page)
    assert (
        np.linalg.norm(np.subtract(request["motion"]["point"], widget.request["motion"]["point"]))
        > 0.3
    )
    assert rows_of(page) == screw_rows(widget, request)
    assert page.evaluate("scrollY") == 0, "pulling at a handle must not scroll the page"


def test_python_answers_from_the_start_and_while_dragging(put_on_page):
    widget = ScrewExplorer()
    page = put_on_page(widget, kernel=True)
    expect(page.locator(".source")).to_have_text(
        "Computed by Python with your screw, X_motion, X_force."
    )
    drag(page, centre(page.get_by_role("button", name="Point on the motion axis")), (50, 20))
    page.wait_for_function("model.get('answer').serial === model.get('request').serial")
    assert widget.request == request_of(page)
    assert rows_of(page) == screw_rows(widget, widget.request)


def test_an_error_of_the_readers_function_is_shown_and_goes_away(put_on_page):
    def fragile(E, r):
        if r[0] > 4:
            raise ArithmeticError("too far out")
        return X_motion(E, r)

    page = put_on_page(ScrewExplorer(X_motion=fragile), kernel=True)
    field = page.get_by_label("B origin x [m]")
    field.fill("5")
    expect(page.get_by_role("alert")).to_contain_text(
        "ArithmeticError: too far out; in X_motion, line"
    )
    expect(page.locator(".source")).to_contain_text(
        "Python reports an error: computed by the page from embedded"
    )
    field.fill("1")
    expect(page.locator(".error")).to_be_empty()
    expect(page.locator(".source")).to_contain_text("Computed by Python")


def test_frames_that_disagree_on_the_power_are_told(put_on_page):
    page = put_on_page(ScrewExplorer(X_force=X_motion), kernel=True)
    expect(page.locator(".work")).to_contain_text("It must not depend on the frame.")


def test_a_python_that_does_not_answer_is_done_without(put_on_page):
    page = put_on_page(ScrewExplorer(), kernel=True)
    expect(page.locator(".source")).to_contain_text("Computed by Python")
    page.evaluate(
        "() => { const python = window.python; window.python = () => new Promise(() => {}); window.back = python }"
    )
    page.get_by_role("spinbutton", name="motion pitch [m/rad]").fill("0.75")
    expect(page.locator(".source")).to_contain_text("All of this is computed by the page")
    along = page.locator(".chaindyn tbody tr").nth(5).locator("td").first
    expect(along).to_have_text("0.75")  # at pitch 0.75 m/rad, 1 rad/s
    page.evaluate("() => { window.python = window.back }")
    page.get_by_role("spinbutton", name="motion pitch [m/rad]").fill("0.25")
    expect(page.locator(".source")).to_contain_text("Computed by Python")
    expect(along).to_have_text("0.25")


def test_without_python_a_function_no_table_holds_is_told(put_on_page):
    def curved(point, direction, pitch=0):
        return chaindyn.screw(np.asarray(point) ** 2, direction, pitch)

    page = put_on_page(ScrewExplorer(screw=curved))
    expect(page.get_by_role("alert")).to_contain_text(
        "These functions are not linear where screws are"
    )


PAUSE = 0.1  # what each of the two screws of a request takes Python [s]


CELL = f"""
import json, time
import chaindyn
from chaindyn.widgets import ScrewExplorer

def unhurried(point, direction, pitch=0):
    if armed:
        time.sleep({PAUSE})
        with open("asked.txt", "a") as log:
            log.write(json.dumps(list(point)) + "\\n")
        if pitch > 0.9:
            raise ArithmeticError("too steep")
    return chaindyn.screw(point, direction, pitch)

armed = False
widget = ScrewExplorer(screw=unhurried)
armed = True
widget
"""


@pytest.mark.slow
@pytest.mark.parametrize("lab", [CELL], indirect=True)
def test_in_jupyterlab_a_drag_never_queues_up_and_ends_right(lab: tuple[Page, Path]) -> None:
    page, folder = lab
    source, error = page.locator(".source"), page.locator(".chaindyn .error")
    expect(source).to_have_text("Computed by Python with your screw, X_motion, X_force.")

    page.get_by_text("Motion screw", exact=True).click()
    asked = folder / "asked.txt"
    before = len(asked.read_text().splitlines())
    box = page.get_by_role("button", name="Point on the motion axis").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    moves = 60
    start = time.monotonic()
    for i in range(moves):
        page.mouse.move(box["x"] + 15 + i, box["y"] + 15 + i / 2)
    page.mouse.up()
    took = time.monotonic() - start
    page.evaluate(FRAME)  # until the field says where the drag ended
    x = float(page.get_by_role("spinbutton", name="motion point x [m]").input_value())

    def points() -> list[list[float]]:
        return [json.loads(line) for line in asked.read_text().splitlines()[before:]]

    deadline = time.monotonic() + 30
    while not (lines := points()) or len(lines) % 2 or abs(lines[-2][0] - x) > 0.006:
        assert time.monotonic() < deadline, "the last request is not where the drag ended"
        time.sleep(PAUSE)
    assert len(lines) / 2 <= took / (2 * PAUSE) + 3, (
        "more requests than Python had time for: they queued up"
    )
    assert len(lines) / 2 < moves
    expect(source).to_have_text("Computed by Python with your screw, X_motion, X_force.")

    page.get_by_role("spinbutton", name="motion pitch [m/rad]").fill("1")
    expect(error).to_contain_text("ArithmeticError: too steep; in screw, line 11")
    page.get_by_role("spinbutton", name="motion pitch [m/rad]").fill("0.5")
    expect(error).to_be_empty()

    cells = page.locator(".jp-Cell").count()
    slider = page.get_by_role("slider", name="motion pitch [m/rad], slider")
    for target in (
        page.get_by_role("button", name="Point on the force axis"),
        page.get_by_role("application"),
        slider,
    ):
        target.focus()
        for key in (
            "ArrowDown",
            "ArrowUp",
            "a",
            "b",
            "x",
        ):  # in JupyterLab's command mode they add and cut cells
            page.keyboard.press(key)
        expect(target).to_be_focused()
        assert page.locator(".jp-Cell").count() == cells


def test_the_lamp_shines_as_bright_as_the_power_and_goes_out(put_on_page):
    """A force along the axis of a rotation does no work on it; along that of a screw it does."""
    along = {"point": (0, 0, 0), "direction": (0, 0, 1), "size": 2}
    page = put_on_page(ScrewExplorer(), reduced_motion="reduce")
    change = (
        "(parts) => { const old = model.get('request'); model.set('request', {...old, ...parts}); }"
    )
    light = "[...document.querySelectorAll('.stage polyline.slide')].map((one) => Number(one.getAttribute('opacity')))"

    def lamp(pitch: float) -> list[float]:
        parts = {"motion": {**along, "pitch": pitch}, "force": {**along, "pitch": 0}}
        page.evaluate(change, parts)
        drawn(page)
        return page.evaluate(light)

    dark, dim, bright = lamp(0), lamp(0.2), lamp(0.7)
    assert max(dark) == 0
    assert 0 < max(dim) < max(bright)
    lamp(0.2)
    texts = " ".join(page.locator(".stage text").all_text_contents())
    assert "0.80 W" in texts  # 2 N, which advance with 2 rad/s times 0.2 m/rad
