"""ChainExplorer on a page of its own, by mouse, keyboard and touch."""

from __future__ import annotations

import numpy as np
import pytest
from hands import PHONE, as_shown, centre, look, request_of, rows_of, touch
from playwright.sync_api import expect
from widget_cases import arm, planar

import chaindyn
from chaindyn.widgets import ChainExplorer

pytestmark = pytest.mark.browser


def test_chain_by_slider_and_pickers(put_on_page):
    chain = arm()
    widget = ChainExplorer(
        chain, body="tool", limits=np.array([[-1, 1], [-2, 2], [-0.5, 0.5], [-1, 1]])
    )
    page = put_on_page(widget)

    def expected(frame: str, column: int) -> list[list[str]]:
        J = chaindyn.body_jacobian(chain, np.array(request_of(page)["q"]), "tool", frame=frame)
        return as_shown(*J[:, column].reshape(2, 3).T)

    assert rows_of(page) == expected("world", 2)  # the last joint that moves the body
    slider = page.get_by_role("slider", name="base [\u00b0], slider")
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    assert request_of(page)["q"][0] == pytest.approx(np.deg2rad(10), abs=np.deg2rad(0.6))
    expect(page.get_by_label("Joint", exact=True)).to_have_value("0")
    assert rows_of(page) == expected("world", 0)
    page.get_by_label("Frame", exact=True).select_option("body")
    assert rows_of(page) == expected("body", 0)
    page.get_by_label("Joint", exact=True).select_option(label="finger")
    assert rows_of(page) == [["0.00"] * 3] * 2  # the finger does not carry the tool
    page.get_by_role("spinbutton", name="slide [m]").fill("7")
    assert request_of(page)["q"][2] == 0.5  # as far as the limit


def test_a_link_follows_the_pointer(put_on_page):
    """Pulled at, a link turns by what takes the point under the pointer along: here exactly, for it can."""
    page = put_on_page(ChainExplorer(planar(), [0.5, -0.7], tip=(1, 0, 0)))
    look(page, "top")
    page.evaluate("new Promise(requestAnimationFrame)")
    svg = page.locator(".stage > svg").bounding_box()
    per_unit = svg["width"] / 480
    points = page.locator("[data-grab='0']").get_attribute("points").split()
    joint, end = (np.array([float(x) for x in point.split(",")]) for point in points)
    grabbed = (joint + end) / 2
    angle = 0.6  # to go, on a circle about the joint
    c, s = np.cos(angle), np.sin(angle)
    page.mouse.move(*([svg["x"], svg["y"]] + per_unit * grabbed))
    page.mouse.down()
    for share in np.linspace(0, 1, 25)[1:]:
        c, s = np.cos(share * angle), -np.sin(share * angle)  # y of a picture is down
        at = joint + np.array([[c, -s], [s, c]]) @ (grabbed - joint)
        page.mouse.move(*([svg["x"], svg["y"]] + per_unit * at))
        page.evaluate("new Promise(requestAnimationFrame)")
    page.mouse.up()
    assert request_of(page)["q"] == pytest.approx([0.5 + angle, -0.7], abs=0.02)


def test_a_link_is_pulled_by_touch(put_on_page):
    page = put_on_page(ChainExplorer(planar(), [0.5, -0.7], tip=(1, 0, 0)), **PHONE)
    look(page, "top")
    page.evaluate("new Promise(requestAnimationFrame)")
    touch(page, centre(page.locator("[data-grab='1']")), (0, -40))
    first, second = request_of(page)["q"]
    assert first == 0.5
    assert second > -0.5
    assert page.evaluate("scrollY") == 0, "pulling at a link must not scroll the page"
