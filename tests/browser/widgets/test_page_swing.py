"""SwingExplorer on a page of its own, by mouse, keyboard and touch; and in JupyterLab."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hands import PHONE, centre, drag, drawn, pass_time, request_of, touch
from playwright.sync_api import Page, expect
from widget_cases import arm

import chaindyn
from chaindyn.widgets import SwingExplorer

pytestmark = pytest.mark.browser


def swinging_arm(**options: Any) -> SwingExplorer:
    state = [0.4, -0.5, 0.1, 0.5], [1, 2, 0.3, -1]
    options = {"t": np.linspace(0.5, 1.5, 11), "target": [0.2, 0.1, 0.05, 0.3], **options}
    return SwingExplorer(arm(), *state, tip=(0.1, 0.2, -0.3), **options)


def settled(page: Page) -> dict:
    """The request, once the hand rests: then it is asked for."""
    drawn(page)
    expect(page.locator(".work")).not_to_have_text("The chain is in your hand.")
    return request_of(page)


def test_an_early_end_is_told_by_page_and_python_alike(put_on_page):
    options = {"links": 3, "q": [0.5] * 3, "method": "variational", "step": 0.04}
    for kernel in (False, True):
        page = put_on_page(SwingExplorer(**options), kernel=kernel)
        source = "Computed by Python" if kernel else "computed by the page"
        expect(page.locator(".source")).to_contain_text(source)
        expect(page.locator(".work")).to_contain_text(
            "It ended early: the variational step of 0.04 s does not converge"
        )
        page.get_by_role("spinbutton", name="time [s]").fill("8")
        assert float(page.get_by_role("slider", name="time [s], slider").input_value()) < 7


def test_a_control_that_runs_away_is_told_and_fits(put_on_page):
    """Euler's method needs less than 2 of step times kd, here 2.4; half of that, and it holds."""
    options = {"links": 3, "motors": True, "frequency": 15.0, "damping": 2.0, "step": 0.04}
    phone = {"viewport": {"width": 390, "height": 900}}
    page = put_on_page(SwingExplorer(**options, method="semi-implicit Euler"), **phone)
    verdict = page.locator(".work")
    expect(verdict).to_contain_text(re.compile(r"by at most [\d.]+e\d+\srad"))
    page.get_by_role("spinbutton", name="time [s]").fill("7.9")
    expect(page.locator(".readout")).to_contain_text(re.compile(r"kinetic energy [\d.]+e\d+ J"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_label("Step", exact=True).select_option(label="20 ms")
    expect(verdict).to_contain_text(re.compile(r"by at most [\d.]+\smrad"))


@pytest.mark.parametrize("damping", ["0.3", "1", "1.8"])
def test_the_error_of_a_driven_chain_has_its_closed_form(put_on_page, damping):
    page = put_on_page(SwingExplorer(links=2))
    page.get_by_label("Motors", exact=True).select_option(label="sway about the target")
    page.get_by_role("spinbutton", name="damping ratio").fill(damping)
    verdict = page.locator(".work")
    expect(verdict).to_contain_text(f"kd = {6 * float(damping):.2f} /s")
    expect(verdict).to_contain_text(
        re.compile(r"strays from its closed form by at most [\d.]+\s[µn]rad")
    )
    expect(page.get_by_role("img", name="Tracking error")).to_be_visible()
    expect(page.get_by_role("img", name="Torque")).to_be_visible()
    expect(page.get_by_role("img", name="Change of the total energy")).to_be_hidden()


def test_the_method_shows_in_the_energy(put_on_page):
    page = put_on_page(SwingExplorer(links=1))
    verdict = page.locator(".work")
    strays = {}
    for method in ("semi-implicit Euler", "RK4"):
        for step in ("20 ms", "10 ms"):
            page.get_by_label("Method", exact=True).select_option(method)
            page.get_by_label("Step", exact=True).select_option(label=step)
            expect(verdict).to_contain_text(f"{method}, steps of {step}")
            value, unit = re.search(r"strays by ([\d.]+)\s(.?)J", verdict.inner_text()).groups()
            power = {"": 0, "m": -3, "\u00b5": -6, "n": -9}[unit]
            strays[method, step] = float(value) * 10**power
    assert (
        1.8
        <= strays["semi-implicit Euler", "20 ms"] / strays["semi-implicit Euler", "10 ms"]
        <= 2.2
    )
    assert strays["RK4", "20 ms"] / strays["RK4", "10 ms"] >= 14
    page.get_by_label("Method", exact=True).select_option("DOP853")
    expect(page.locator(".source")).to_contain_text("RK4 with steps of 2.5 ms: DOP853 needs Python")
    expect(page.get_by_label("Step", exact=True)).to_be_hidden()


def test_the_method_parts_from_the_truth_at_the_tip(put_on_page):
    """By a metre or so with Euler's method, by a millimetre at most with RK4; and no word of it where chaos begins."""
    page = put_on_page(SwingExplorer(links=3, method="semi-implicit Euler"))
    time = page.get_by_role("spinbutton", name="time [s]")
    off = page.locator(".stage text").filter(has_text=re.compile("off$|told$"))
    expect(off).to_have_count(0)  # they start together
    time.fill("8")
    expect(off).to_have_text(re.compile(r"^1\.\d\d\sm off$"))
    page.get_by_label("Method", exact=True).select_option("RK4")
    expect(off).to_have_text(re.compile(r"^[\d.]+\s(mm|\u00b5m) off$"))
    page.get_by_role("spinbutton", name="rod 1 [\u00b0]").fill("80")
    settled(page)
    time.fill("8")
    expect(off).to_have_text("chaos: where it should be cannot be told")
    time.fill("2")
    expect(off).to_have_text(re.compile(r"^[\d.]+\s(mm|\u00b5m) off$"))
    # a step that goes nowhere, for the reader's chain alone
    page.evaluate("""() => {
      const rk4_step = (_, __, q, qd) => [q, qd];
      globalThis.chaindynPhysics = { names: ["rk4_step"], runs: { rk4_step } };
      dispatchEvent(new Event("chaindyn-physics"));
    }""")
    page.get_by_role("spinbutton", name="rod 1 [\u00b0]").fill("-10")
    settled(page)
    time.fill("2")
    expect(off).to_have_text(re.compile(r"^(\d\.\d\d\sm|\d{3}\smm) off$"))


def test_levels_rise_with_the_energy_of_each_method(put_on_page):
    """The middle of a rod of length L that is let go 0.25 rad below the level lies L/2 sin 0.25 below its hinge."""
    page = put_on_page(SwingExplorer(links=1, method="semi-implicit Euler", step=0.04))
    words = page.locator(".stage text")
    kept = re.compile(r"^RK4, variational: \u00b1[\d.]+\s[\u00b5mn]?J$")
    expect(words.filter(has_text=kept)).to_have_count(1)
    hinge, end = stroke_of(page, "force", "6 5")
    long = np.hypot(*np.subtract(end, hinge))
    ((_, start), _) = stroke_of(page, "y", "5 5")
    assert start - hinge[1] == pytest.approx(long / 2 * np.sin(0.25), abs=0.5)
    page.get_by_role("spinbutton", name="time [s]").fill("0.5")
    expect(page.locator(".readout")).to_contain_text("Time 0.50 s")
    said = words.filter(has_text="semi-implicit Euler: ").text_content() or ""
    chosen = said.replace("\u2212", "-")
    value, unit = chosen.split(": ")[1].split()
    rise = float(value) * {"J": 1, "mJ": 1e-3}[unit] / 9.81  # of 1 kg, on a rod of 1 m
    ((_, now), _) = stroke_of(page, "y", "none")
    assert abs(start - now) > 3
    assert start - now == pytest.approx(rise * long, abs=0.5)


def stroke_of(page: Page, colour: str, dash: str) -> tuple[list[float], list[float]]:
    """The first two places of the first stroke of this look."""
    points = page.locator(f".stage polyline.{colour}[stroke-dasharray='{dash}']").first
    first, second = (points.get_attribute("points") or "").split()[:2]
    return [float(x) for x in first.split(",")], [float(x) for x in second.split(",")]


def test_the_camera_fits_the_motion_until_the_reader_turns_it(put_on_page):
    page = put_on_page(SwingExplorer(links=1, q=[0], motors=True))
    tall = "Math.abs(document.querySelector('.stage polyline.force').getBBox().height)"
    zoom = f"{tall} / document.querySelector('.stage > svg').viewBox.baseVal.height"
    assert page.evaluate(zoom) == pytest.approx(0.84, abs=0.02)  # a rod of a metre that rises
    page.get_by_role("application").focus()
    page.keyboard.press("-")
    drawn(page)
    smaller = page.evaluate(zoom)
    assert smaller < 0.8
    page.get_by_role("spinbutton", name="rod 1 [\u00b0]").fill("-90")
    settled(page)
    assert page.evaluate(zoom) == pytest.approx(smaller)


def test_torques_stand_at_their_joints(put_on_page):
    page = put_on_page(SwingExplorer(links=2, motors=True))
    words = page.locator(".stage text")
    expect(words).to_have_count(2)
    said = re.search(
        r"torques (.*) N m", page.locator(".readout").inner_text().replace("\u00a0", " ")
    )[1]
    at_start = [float(x.replace("\u2212", "-")) for x in said.split(", ")]
    shown = [float(x.split()[0].replace("\u2212", "-")) for x in words.all_text_contents()]
    assert shown == pytest.approx(at_start, abs=0.51)


def test_a_swing_by_mouse(put_on_page):
    page = put_on_page(SwingExplorer(links=2))
    slider = page.get_by_role("slider", name="time [s], slider")
    graph = page.get_by_role("img", name="Energy [J]")
    graph.scroll_into_view_if_needed()
    box = graph.bounding_box()
    assert box
    middle = box["x"] + box["width"] * (64 + 143) / 360, box["y"] + box["height"] / 2
    page.mouse.click(*middle)
    expect(page.locator(".readout")).to_contain_text("Time 4.0")
    assert float(slider.input_value()) == pytest.approx(4, abs=0.05)
    drag(page, middle, (-box["width"] * 286 / 360 / 4, 0))
    expect(page.locator(".readout")).to_contain_text("Time 2.0")
    assert float(slider.input_value()) == pytest.approx(2, abs=0.05)
    # A link that is taken hold of stays where it is, and becomes the start.
    page.evaluate("scrollTo(0, 0)")
    before = request_of(page)["q"]
    page.evaluate("new Promise(requestAnimationFrame)")
    readout = page.locator(".readout").inner_text()
    drag(page, centre(page.locator("[data-grab='1']").first), (1, 0), steps=1)
    caught = settled(page)["q"]
    assert caught != before
    assert float(slider.input_value()) == 0
    tip = [
        float(x) for x in re.search(r"\(([^)]*)\)", readout)[1].replace("\u2212", "-").split(", ")
    ]
    chain = SwingExplorer(links=2, t=[0, 1]).swung[1].chain
    R, p = chaindyn.forward_kinematics(chain, np.array(caught))
    np.testing.assert_allclose(p[-1] + R[-1] @ [1, 0, 0], tip, atol=0.06)
    before = caught
    drag(page, centre(page.locator("[data-grab='0']").first), (0, 30))
    after = settled(page)["q"]
    assert after[0] != before[0]
    assert after[1] == before[1]
    expect(page.locator(".readout")).to_contain_text("Time 0.00 s")


def test_a_swing_by_keyboard(put_on_page):
    page = put_on_page(SwingExplorer(links=2))
    slider = page.get_by_role("slider", name="time [s], slider")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("0.1")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    page.wait_for_function("slider => Number(slider.value) > 0.4", arg=slider.element_handle())
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="play")).to_be_visible()
    page.get_by_role("application").focus()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    button = page.get_by_role("button", name="pause")
    button.focus()
    page.keyboard.press(" ")  # the button's own, and only that
    expect(page.get_by_role("button", name="play")).to_be_focused()
    joint = page.get_by_role("slider", name="rod 2 [\u00b0], slider")
    joint.focus()
    page.keyboard.press("ArrowRight")
    assert settled(page)["q"][1] > -0.25
    expect(slider).to_have_value("0")
    page.get_by_label("Chain", exact=True).select_option(label="5 equal rods")
    assert len(settled(page)["q"]) == 5
    expect(page.locator(".readout")).to_contain_text("Time 0.00 s: tip at (")
    page.get_by_role("spinbutton", name="speed of rod 5 [rad/s]").fill("2")
    assert settled(page)["qd"] == [0, 0, 0, 0, 2]
    expect(page.locator(".readout")).to_contain_text("kinetic energy 0.67 J")  # a rod about its end


def test_a_swing_is_read_out(put_on_page):
    """A rod at rest, level: the tip at 1 m, no energy; told to who cannot see it, too."""
    page = put_on_page(SwingExplorer(links=1, q=[0]))
    words = "Time 0.00 s: tip at (1.00, 0.00, 0.00) m, kinetic energy 0.00 J, potential 0.00 J, total 0.00 J."
    expect(page.locator(".readout")).to_have_text(words)
    expect(page.locator("[role=status]")).to_contain_text(words)
    label = page.get_by_role("img", name="Energy [J] against time").get_attribute("aria-label")
    assert "kinetic from 0.00 to 4.90, potential from \u22124.90 to 0.00" in (label or "")


def test_a_swing_is_played_and_paused(put_on_page):
    page = put_on_page(SwingExplorer(links=1, t=np.linspace(0, 2, 51)), clock=True)
    slider = page.get_by_role("slider", name="time [s], slider")
    pass_time(page, 0.5)
    expect(slider).to_have_value("0")
    page.get_by_role("button", name="play").click()
    pass_time(page, 1)
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    assert float(slider.input_value()) == pytest.approx(1, abs=0.1)
    page.keyboard.press("Tab")  # to the slider, where space pauses too
    expect(slider).to_be_focused()
    page.keyboard.press(" ")
    pass_time(page, 0.1)
    at = slider.input_value()
    pass_time(page, 1)
    expect(slider).to_have_value(at)
    page.keyboard.press(" ")
    pass_time(page, 1.5)
    expect(slider).to_have_value("2")
    expect(page.get_by_role("button", name="play")).to_be_visible()


def test_a_swing_ends_with_its_view(put_on_page):
    page = put_on_page(SwingExplorer(links=1), clock=True)
    page.evaluate(
        """() => { window.frames_asked = 0; const ask = window.requestAnimationFrame;
        window.requestAnimationFrame = (call) => (window.frames_asked++, ask(call)); }"""
    )
    page.get_by_role("button", name="play").click()
    pass_time(page, 1)
    assert page.evaluate("frames_asked") > 3
    page.evaluate("close_view()")
    pass_time(page, 0.1)  # what was asked for before
    asked = page.evaluate("frames_asked")
    pass_time(page, 1)
    assert page.evaluate("frames_asked") == asked
    assert page.evaluate("Object.values(listeners).flat().length") == 0


def test_who_wants_no_motion_sees_stills(put_on_page):
    page = put_on_page(SwingExplorer(links=1), clock=True, reduced_motion="reduce")
    page.evaluate(
        """() => { window.seen = []; const slider = document.querySelector("[aria-label='time [s], slider']");
        const look = () => { if (seen.at(-1) !== slider.value) seen.push(slider.value); requestAnimationFrame(look); };
        look(); }"""
    )
    page.get_by_role("button", name="play").click()
    pass_time(page, 1.3)
    assert page.evaluate("seen") == ["0", "0.5", "1"]


def test_a_swing_by_touch(put_on_page):
    page = put_on_page(SwingExplorer(links=2), **PHONE)
    before = request_of(page)["q"]
    touch(page, centre(page.locator("[data-grab='1']").first), (5, 25))
    assert settled(page)["q"] != before
    assert page.evaluate("scrollY") == 0


def test_python_swings_the_chain_by_the_functions_given(put_on_page):
    def no_feedback(chain, q, qd, *, qdd_desired, kp, **options):
        if kp > 60:
            raise ArithmeticError("too stiff")
        return chaindyn.rnea(chain, q, qd, qdd_desired)

    widget = SwingExplorer(links=1, t=np.linspace(0, 2, 21), computed_torque=no_feedback)
    page = put_on_page(widget, kernel=True)
    source, verdict = page.locator(".source"), page.locator(".work")
    expect(source).to_have_text("Computed by Python with your simulate, computed_torque.")
    page.get_by_label("Motors", exact=True).select_option(label="hold the target")
    expect(source).to_contain_text("Computed by Python")
    expect(verdict).to_contain_text(
        re.compile(r"strays from its closed form by at most 1\.\d\d\srad")
    )
    page.get_by_role("spinbutton", name="frequency [rad/s]").fill("9")
    expect(page.get_by_role("alert")).to_contain_text("too stiff; in computed_torque, line")
    page.get_by_role("spinbutton", name="frequency [rad/s]").fill("2")
    expect(page.locator(".error")).to_be_empty()
    expect(source).to_contain_text("Computed by Python")


def test_while_python_computes_the_page_says_so(put_on_page):
    page = put_on_page(SwingExplorer(links=1, t=np.linspace(0, 1, 11)), kernel=True)
    source = page.locator(".source")
    expect(source).to_contain_text("Computed by Python")
    page.evaluate(
        """() => { const python = window.python;
        window.python = (request) => new Promise((go) => (window.go = go)).then(() => python(request)); }"""
    )
    page.get_by_role("spinbutton", name="rod 1 [\u00b0]").fill("30")
    expect(source).to_contain_text("Python is computing")
    expect(page.locator(".chaindyn")).to_have_attribute("aria-busy", "true")
    page.evaluate("go()")
    expect(source).to_contain_text("Computed by Python")
    expect(page.locator(".chaindyn")).to_have_attribute("aria-busy", "false")


SWING = """
from chaindyn import computed_torque, simulate
from chaindyn.widgets import SwingExplorer

SwingExplorer(links=3, simulate=simulate, computed_torque=computed_torque)
"""


@pytest.mark.slow
@pytest.mark.parametrize("lab", [SWING], indirect=True)
def test_in_jupyterlab_a_chain_swings_and_keys_are_its_own(lab: tuple[Page, Path]) -> None:
    """Played, scrubbed and driven; the answer for another posture is timed, from the input to what Python sent."""
    page, _ = lab
    source, verdict = page.locator(".source"), page.locator(".chaindyn .work")
    mine = "Computed by Python with your simulate, computed_torque."
    expect(source).to_have_text(mine)
    cells = page.locator(".jp-Cell").count()
    slider = page.get_by_role("slider", name="time [s], slider")
    slider.focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "a", "b", "x"):  # the first stops it, too
        page.keyboard.press(key)
    expect(slider).to_have_value("0.04")
    page.keyboard.press(" ")
    page.wait_for_function("slider => Number(slider.value) > 0.3", arg=slider.element_handle())
    page.keyboard.press(" ")
    expect(slider).to_be_focused()
    expect(page.get_by_role("button", name="play")).to_be_visible()
    assert page.locator(".jp-Cell").count() == cells
    page.locator("summary", has_text="Posture and speeds at the start").click()
    start = time.monotonic()
    page.get_by_role("spinbutton", name="rod 1 [\u00b0]").fill("40")
    expect(source).to_contain_text("Python is computing")
    expect(source).to_have_text(mine)
    print(f"a swing of 8 s is answered in {time.monotonic() - start:.1f} s")
    page.get_by_label("Motors", exact=True).select_option(label="sway about the target")
    expect(source).to_contain_text("Python is computing")
    expect(source).to_have_text(mine)
    expect(verdict).to_contain_text("strays from its closed form by at most")
    expect(page.locator(".chaindyn .error")).to_be_empty()
