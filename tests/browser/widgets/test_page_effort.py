"""EffortExplorer on a page of its own, by mouse, keyboard and touch."""

from __future__ import annotations

import numpy as np
import pytest
from hands import PHONE, centre, drag, look, request_of, rows_of, touch
from playwright.sync_api import Page, expect
from widget_cases import INERTIA, arm, planar

import chaindyn
from chaindyn import Chain, Link, Revolute
from chaindyn.widgets import EffortExplorer

pytestmark = pytest.mark.browser


def bars_of(page: Page) -> list[list[float]]:
    return [[float(x.replace("\u2212", "-")) for x in row] for row in rows_of(page)]


def expected_bars(widget: EffortExplorer, page: Page) -> np.ndarray:
    parts = widget.compute(request_of(page))["parts"]
    return np.vstack([parts, parts.sum(0)]).T


def test_efforts_by_number_keyboard_and_mouse(put_on_page):
    widget = EffortExplorer(planar(), [0.5, -0.7], tip=(1, 0, 0))
    page = put_on_page(widget)
    np.testing.assert_array_equal(bars_of(page), np.zeros((2, 5)))  # its axes are upright
    page.get_by_role("spinbutton", name="velocity [rad/s]").fill("2")
    assert request_of(page)["qd"] == [2, 0]
    page.get_by_label("Joint", exact=True).select_option(label="link1")
    slider = page.get_by_role("slider", name="acceleration [rad/s\u00b2], slider")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert request_of(page)["qdd"] == pytest.approx([0, 0.5])
    np.testing.assert_allclose(bars_of(page), expected_bars(widget, page), atol=0.006)
    page.get_by_role("spinbutton", name="load [kg]").fill("1.5")
    assert request_of(page)["load"] == 1.5
    look(page, "top")
    rows_of(page)
    before = request_of(page)["q"]
    drag(page, centre(page.locator("[data-grab='1']").first), (-30, 20))
    assert request_of(page)["q"] != before
    np.testing.assert_allclose(bars_of(page), expected_bars(widget, page), atol=0.006)
    page.get_by_role("button", name="hold still").click()
    page.get_by_role("button", name="no load").click()
    assert request_of(page)["qd"] == request_of(page)["qdd"] == [0, 0]
    np.testing.assert_array_equal(bars_of(page), np.zeros((2, 5)))


def test_an_effort_is_told_in_words(put_on_page):
    """A rod of 1 kg, level, its centre half a metre out: a torque of m g / 2 about the axis y, and a force of m g."""
    rod = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), INERTIA, name="rod")
    page = put_on_page(EffortExplorer(Chain([rod]), tip=(1, 0, 0), load=2))
    parts = "\u22124.91 (weight) + 0.00 (velocity) + 0.00 (acceleration) \u2212 19.62 (load)"
    expect(page.locator(".work")).to_contain_text(f"Joint rod: \u221224.53 N\u00a0m = {parts}.")
    carried = "a force of 29.43 N (arrow) and a moment of 24.53 N m"
    expect(page.locator(".chaindyn p").filter(has_text=carried)).to_be_visible()
    page.get_by_role("spinbutton", name="velocity [rad/s]").fill("2")
    expect(page.locator(".work")).to_contain_text("the motor gives \u221249.05 W")


def test_efforts_by_touch(put_on_page):
    page = put_on_page(EffortExplorer(arm()), **PHONE)
    before = request_of(page)["q"]
    touch(page, centre(page.locator("[data-grab='4']")), (10, 30))
    assert request_of(page)["q"] != before
    assert page.evaluate("scrollY") == 0


def test_functions_that_disagree_on_an_effort_are_told(put_on_page):
    def without_load(chain, q, qd, qdd, *, external=None, **options):
        return chaindyn.rnea(chain, q, qd, qdd)

    level = [0, np.pi / 2, 0.1, 0.2]
    page = put_on_page(EffortExplorer(arm(), level, rnea=without_load, load=1), kernel=True)
    expect(page.get_by_role("alert")).to_contain_text("rnea and joint_wrenches disagree at joint")
    page.get_by_role("button", name="no load").click()
    expect(page.locator(".error")).to_be_empty()
    expect(page.locator(".source")).to_have_text(
        "Computed by Python with your rnea, joint_wrenches."
    )


def test_rings_swell_as_it_lifts(put_on_page):
    """As a reader finds it: the arm moves and its rings change, until it is held; then it is at rest again."""
    page = put_on_page(EffortExplorer(arm(), [0.4, -0.5, 0.1, 0.5]), fresh=True)
    arcs = "[...document.querySelectorAll('.stage polyline[stroke-width=\"9\"]:not(.ink)')]"
    colours = f"[...new Set({arcs}.map((one) => one.classList[1]))]"
    page.wait_for_function(f"{colours}.length === 4")  # weight, velocity, acceleration, load
    rings = f"{arcs}.map((one) => one.getAttribute('points')).join()"
    first = page.evaluate(rings)
    page.wait_for_function(f"first => {rings} !== first", arg=first)
    page.get_by_role("button", name="hold", exact=True).click()
    expect(page.locator(".work")).to_be_visible()
    assert request_of(page)["load"] == 0
    assert page.evaluate(colours) == ["z"]  # at rest, without a load, there is weight alone
