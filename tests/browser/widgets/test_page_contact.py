"""ContactExplorer on a page of its own, by mouse, keyboard and touch."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hands import PHONE, drawn, pass_time, request_of, rows_of
from playwright.sync_api import Page, expect

import chaindyn
from chaindyn.widgets import ContactExplorer

pytestmark = pytest.mark.browser


def time_of(page: Page) -> float:
    return float(page.get_by_role("spinbutton", name="time [s]").input_value())


def test_a_stack_stands_by_lemke_and_sinks_by_few_sweeps(put_on_page):
    page = put_on_page(ContactExplorer("stack", "floor", count=10), clock=True)
    worth = page.locator(".readout").last
    expect(page.locator(".readout").first).to_contain_text("20\u00a0stick")
    page.get_by_role("button", name="start").click()
    pass_time(page, 0.3)
    expect(worth).to_contain_text(
        "Deepest overlap none; the top has come down by less than 1\u00a0nm"
    )
    page.get_by_label("Solver", exact=True).select_option("pgs")  # while it runs
    pass_time(page, 0.5)
    expect(worth).to_contain_text(re.compile(r"10 sweeps; residual \d·10.* by [\d.]+\smm"))
    page.get_by_role("button", name="pause").click()
    slider = page.get_by_role("slider", name="sweeps, slider")
    expect(slider).to_be_visible()
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert request_of(page)["sweeps"] == 11
    pass_time(page, 0.1)
    expect(worth).to_contain_text("11 sweeps")


def test_space_starts_and_pauses_and_the_time_is_scrubbed(put_on_page):
    page = put_on_page(ContactExplorer("cradle"), clock=True)
    page.get_by_role("application").focus()
    page.keyboard.press(" ")
    pass_time(page, 0.4)
    page.keyboard.press(" ")
    pass_time(page, 0.1)
    at = time_of(page)
    assert 0.1 < at < 0.6
    page.get_by_role("button", name="step").focus()
    page.keyboard.press("Enter")
    pass_time(page, 0.1)
    expect(page.locator(".readout").first).to_contain_text("Time")
    field = page.get_by_role("spinbutton", name="time [s]")
    field.fill("0")
    pass_time(page, 0.1)
    assert request_of(page)["qd"] == [0] * 5
    page.get_by_role("spinbutton", name="friction").fill("0.5")
    page.get_by_role(
        "button", name="step"
    ).click()  # another way from there: the one before is gone
    pass_time(page, 0.1)
    field.fill("9")
    pass_time(page, 0.1)
    assert time_of(page) == 0
    page.get_by_role("button", name="throw again").click()
    pass_time(page, 0.3)
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    assert time_of(page) > 0


def test_another_scene_comes_with_its_own_controls(put_on_page):
    page = put_on_page(ContactExplorer())
    expect(page.get_by_label("Ground", exact=True)).to_be_visible()
    page.get_by_label("Scene", exact=True).select_option("cradle")
    expect(page.get_by_label("Ground", exact=True)).to_be_hidden()
    assert request_of(page)["restitution"] == 1
    page.get_by_label("Scene", exact=True).select_option("stack")
    page.get_by_label("Ground", exact=True).select_option("slope")
    angle = page.get_by_role("spinbutton", name="slope [\u00b0]")
    angle.fill("30")
    assert request_of(page)["angle"] == pytest.approx(np.pi / 6)
    page.get_by_role("spinbutton", name="how many").fill("1")
    expect(page.locator(".readout").first).to_contain_text("2\u00a0slip right")  # 0.5 is too little
    page.get_by_role("spinbutton", name="friction").fill("0.9")
    expect(page.locator(".readout").first).to_contain_text("2\u00a0stick")
    rows = rows_of(page)
    assert [row[0] for row in rows] == ["sticks"] * 2
    weight = np.array([[float(x.replace("\u2212", "-")) for x in row[1:]] for row in rows]).sum(0)
    np.testing.assert_allclose(weight, 9.81 * np.array([np.cos(np.pi / 6), -0.5]), atol=0.2)


def test_cones_arrows_and_signs_are_drawn(put_on_page):
    page = put_on_page(ContactExplorer("stack", "floor", count=2))
    drawn(page)
    assert page.locator(".stage svg .cone").count() == 4
    assert page.locator(".stage svg .letter").all_text_contents() == ["S"] * 4
    page.get_by_role("spinbutton", name="friction").fill("0")
    drawn(page)
    assert page.locator(".stage svg .cone").count() == 0


def test_arrows_carry_the_weight_on_a_slope(put_on_page):
    """What holds a box at rest points straight up, though no normal does."""
    page = put_on_page(ContactExplorer("stack", "slope", count=1, friction=0.9))
    drawn(page)
    points = [x.get_attribute("points") for x in page.locator(".stage svg polyline.ink").all()]
    ends = np.array([[float(x) for x in re.split("[ ,]", each)[:4]] for each in points])
    assert len(ends) == 2
    right, down = (ends[:, 2:] - ends[:, :2]).sum(0)
    assert abs(right) < 1e-6
    assert down < -30


def test_who_wants_no_motion_gets_stills(put_on_page):
    page = put_on_page(ContactExplorer("cradle"), clock=True, reduced_motion="reduce")
    page.get_by_role("button", name="start").click()
    pass_time(page, 0.3)
    assert time_of(page) == 0
    pass_time(page, 0.4)
    assert time_of(page) == pytest.approx(0.5, abs=0.05)


def test_a_law_without_an_end_is_told(put_on_page):
    """Newton's law drives a chain beyond all bounds; the page says so and stops."""
    widget = ContactExplorer("chain", "floor", restitution=1, friction=1, step=0.01)
    page = put_on_page(widget, clock=True)
    page.get_by_role("button", name="start").click()
    for _ in range(40):
        pass_time(page, 0.25)
        if "It stops here" in page.locator(".work").inner_text():
            break
    expect(page.locator(".work")).to_contain_text(re.compile("Impulses have added|It stops here"))


def test_it_runs_by_touch_on_a_phone(put_on_page):
    page = put_on_page(ContactExplorer(), **PHONE)
    page.get_by_role("button", name="start").tap()
    page.wait_for_function("+document.querySelector('input[aria-label=\"time [s]\"]').value > 0.1")
    page.get_by_role("button", name="pause").tap()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_python_takes_the_step_that_is_shown(put_on_page):
    """Its functions are the reader's: here a gravity that lifts."""

    def lifted(chain, contacts, q, qd, **options):
        joints = zip(chain.joints, chain.mass, chain.com, chain.inertia, chain.offset, strict=True)
        links = [
            chaindyn.Link(
                *parts[:4], offset=parts[4], parent=int(parent) if parent >= 0 else "ground"
            )
            for parts, parent in zip(joints, chain.parent, strict=True)
        ]
        up = chaindyn.Chain(links, gravity=(0, 0, 9.81))
        return chaindyn.simulate_contact(up, contacts, q, qd, **options)

    page = put_on_page(
        ContactExplorer("stack", "floor", count=1, simulate_contact=lifted), kernel=True
    )
    source = page.locator(".source")
    mine = "Computed by Python with your simulate_contact, collision_impulses."
    expect(source).to_contain_text(
        f"{mine} The next step\u2019s rates differ from the page\u2019s by"
    )
    page.get_by_role("button", name="step").click()
    page.wait_for_function("model.get('request').qd[1] > 0.04")  # g h
    page.get_by_label("Solver", exact=True).select_option("pgs")
    expect(source).to_contain_text("Computed by the page")
    expect(page.locator(".error")).to_be_empty()
