"""ChainExplorer on a page of its own, by mouse, keyboard and touch."""

from __future__ import annotations

import numpy as np
import pytest
from hands import PHONE, as_shown, centre, look, request_of, rows_of, touch, width_of
from playwright.sync_api import expect
from widget_cases import INERTIA, arm, planar

import chaindyn
from chaindyn import Chain, Fixed, Link, Revolute
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
    per_unit = svg["width"] / width_of(page)
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
    page.evaluate("scrollTo(0, 0)")
    page.evaluate("new Promise(requestAnimationFrame)")
    touch(page, centre(page.locator("[data-grab='1']")), (0, -40))
    first, second = request_of(page)["q"]
    assert first == 0.5
    assert second > -0.5
    assert page.evaluate("scrollY") == 0, "pulling at a link must not scroll the page"


def test_each_joint_sweeps_and_leaves_its_arrow(put_on_page):
    """As a reader finds it, and again at a button; at rest there is an arrow for each joint that carries the body."""
    page = put_on_page(ChainExplorer(arm(), [0.4, -0.5, 0.1, 0.5], body="tool"), fresh=True)
    posture = "document.querySelector('[data-grab=\"1\"]').getAttribute('points')"
    first = page.evaluate(posture)
    page.wait_for_function(f"first => {posture} !== first", arg=first)
    arrows = "document.querySelectorAll('.stage polyline[stroke-width=\"3\"]:is(.motion, .slide)').length"
    for _ in range(60):  # until it rests
        seen = page.evaluate(posture)
        page.wait_for_timeout(400)
        if page.evaluate(posture) == seen:
            break
    assert page.evaluate(posture) == seen
    assert page.evaluate(arrows) >= 2


def test_two_columns_along_one_line_are_told(put_on_page):
    """A straight arm in the plane: both joints move its end across, and neither along."""
    links = [
        Link(joint, 1, (0.5, 0, 0), INERTIA, offset, name=name)
        for joint, offset, name in (
            (Revolute((0, 0, 1)), (0, 0, 0), "upper"),
            (Revolute((0, 0, 1)), (1, 0, 0), "lower"),
            (Fixed(), (1, 0, 0), "hand"),
        )
    ]
    page = put_on_page(ChainExplorer(Chain(links), [0.5, 0.9], body="hand"))
    lost = page.locator(".chaindyn p", has_text="a direction is lost")
    expect(lost).to_have_count(0)
    page.get_by_role("spinbutton", name="lower [\u00b0]").fill("0")
    expect(lost).to_contain_text("upper and lower move it along one line")
    assert page.locator(".stage polyline.force").count() == 2
    page.get_by_role("spinbutton", name="lower [\u00b0]").fill("20")
    expect(lost).to_have_count(0)
