"""RotationExplorer on a page of its own, by mouse, keyboard and touch."""

from __future__ import annotations

import numpy as np
import pytest
from hands import (
    PHONE,
    centre,
    drag,
    look,
    pass_time,
    request_of,
    rows_of,
    touch,
    verdict_of,
    width_of,
)
from playwright.sync_api import Page, expect
from scipy.spatial.transform import Rotation
from widget_cases import EPS

import chaindyn
from chaindyn.teaching import normwise
from chaindyn.widgets import RotationExplorer

pytestmark = pytest.mark.browser


def matrix_of(page: Page) -> np.ndarray:
    rows = [[float(x.replace("\u2212", "-")) for x in row] for row in rows_of(page)]
    return np.array(rows[:3])


def test_a_brick_turns_with_the_pointer(put_on_page):
    """What is taken hold of, a point of a ball of 0.8 m, stays under the pointer."""
    page = put_on_page(RotationExplorer(w=(0, 0, 0)))
    look(page, "top")
    rows_of(page)
    svg = page.locator(".stage > svg").bounding_box()
    middle = svg["x"] + svg["width"] / 2 - 70, svg["y"] + svg["height"] / 2 + 25
    drag(page, middle, (60, 0), steps=20)
    start, end = np.array([[-70, -25], [-10, -25]]) * width_of(page) / svg["width"] / 132
    ball = [np.array([*at, np.sqrt(0.8**2 - at @ at)]) for at in (start, end)]
    turned = page.evaluate("model.get('request').w")
    # Each step of the drag turns about its own axis; all of them take the point along.
    assert normwise(chaindyn.exp_so3(np.array(turned)) @ ball[0], ball[1]) <= 1e-6
    assert normwise(matrix_of(page), chaindyn.exp_so3(np.array(turned))) <= 0.01


def test_a_rotation_by_keyboard_and_numbers(put_on_page):
    page = put_on_page(RotationExplorer(w=(0, 0, 1)))
    look(page, "top")
    page.get_by_role("button", name="Rotation vector", exact=False).first.focus()
    page.keyboard.press("Shift+ArrowRight")
    np.testing.assert_allclose(request_of(page)["w"], [0.25 / 0.42, 0, 1], atol=0.02)
    rows_of(page)  # until the fields say so
    page.get_by_role("spinbutton", name="w x [rad]").fill("0")
    page.get_by_role("spinbutton", name="w z [rad]").fill("0")
    page.get_by_role("button", name="quarter turn about x").click()
    page.get_by_role("button", name="quarter turn about y").click()
    np.testing.assert_allclose(matrix_of(page), [[0, 1, 0], [0, 0, -1], [-1, 0, 0]], atol=0.01)
    page.get_by_role("button", name="no rotation").click()
    page.get_by_role("button", name="quarter turn about y").click()
    page.get_by_role("button", name="quarter turn about x").click()
    np.testing.assert_allclose(matrix_of(page), [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=0.01)
    page.get_by_role("spinbutton", name="w z [rad]").fill("99")
    assert np.linalg.norm(request_of(page)["w"]) <= 2 * np.pi * (1 + EPS)


def test_near_half_a_turn_the_arrow_is_told_to_jump(put_on_page):
    page = put_on_page(RotationExplorer(w=(0, 0, 3)))
    expect(page.locator(".chaindyn p")).to_contain_text(["jumps to the other side", ""][:1])
    assert rows_of(page)[3:] == [["0.00", "0.00", "3.00"]] * 2
    page.get_by_role("spinbutton", name="w z [rad]").fill("3.3")
    assert rows_of(page)[3:] == [["0.00", "0.00", "3.30"], ["0.00", "0.00", "\u22122.98"]]
    expect(page.get_by_text("goes the shorter way")).to_be_visible()


def test_ways_to_a_target_are_told_apart(put_on_page):
    page = put_on_page(RotationExplorer(w=(0, 0, 0), target=(0, 0, 3)))
    assert "172\u00b0 in all, always at the same rate, about one axis" in verdict_of(page)
    page.get_by_role("spinbutton", name="s", exact=True).fill("0.5")
    half = chaindyn.exp_so3(np.array([0, 0, 1.5]))
    np.testing.assert_allclose(matrix_of(page), half, atol=0.006)
    page.get_by_role("button", name="mix matrices").click()
    assert "no rotations" in verdict_of(page)
    mixed = (np.eye(3) + chaindyn.exp_so3(np.array([0, 0, 3.0]))) / 2
    np.testing.assert_allclose(matrix_of(page), mixed, atol=0.006)
    percent = round(100 * np.linalg.det(mixed))
    assert f"down to {percent} % of its volume" in verdict_of(page)
    for name, y in (("w", "1.2"), ("target", "1.9")):  # past the pole of yaw and pitch
        for axis, value in zip("xyz", ("0", y, "0"), strict=True):
            page.get_by_role("spinbutton", name=f"{name} {axis} [rad]").fill(value)
    page.get_by_role("button", name="one turn").click()
    assert "it turns by 40\u00b0 in all" in verdict_of(page)
    page.get_by_role("button", name="mix Euler angles").click()
    ends = Rotation.from_rotvec([[0, 1.2, 0], [0, 1.9, 0]]).as_euler("ZYX")
    way = Rotation.from_euler(
        "ZYX", ends[0] + np.linspace(0, 1, 41)[:, None] * np.diff(ends, axis=0)
    )
    total = np.rad2deg((way[:-1].inv() * way[1:]).magnitude().sum())
    assert f"it turns by {total:.0f}\u00b0 in all" in verdict_of(page)
    assert "about an axis that moves" in verdict_of(page)
    page.get_by_role("button", name="make it the target").click()
    assert verdict_of(page) == "The brick is at its target."


def test_a_way_can_be_played_and_stopped(put_on_page):
    page = put_on_page(RotationExplorer(), clock=True)
    slider = page.get_by_role("slider", name="s, slider")
    pass_time(page, 1)
    expect(slider).to_have_value("0")
    page.get_by_role("button", name="play").click()
    pass_time(page, 0.9)  # of the 3 s that a way takes
    expect(page.get_by_role("button", name="stop")).to_be_visible()
    assert 0.25 <= float(slider.input_value()) <= 0.35
    page.get_by_role("button", name="stop").click()
    pass_time(page, 0.1)
    at = slider.input_value()
    pass_time(page, 1)
    expect(slider).to_have_value(at)
    page.get_by_role("button", name="play").click()
    pass_time(page, 4)
    expect(slider).to_have_value("1")
    expect(page.get_by_role("button", name="play")).to_be_visible()
    page.get_by_role("spinbutton", name="w x [rad]").fill("1")
    pass_time(page, 0.1)
    expect(slider).to_have_value("0")  # whoever turns the brick is at the start


def test_a_brick_is_turned_by_touch_and_the_page_stays(put_on_page):
    page = put_on_page(RotationExplorer(), **PHONE)
    before = request_of(page)["w"]
    touch(page, centre(page.locator("[data-grab='brick']").first), (10, 40))
    assert request_of(page)["w"] != before
    assert page.evaluate("scrollY") == 0


def test_python_turns_the_brick_by_the_functions_given(put_on_page):
    page = put_on_page(
        RotationExplorer(exp_so3=lambda w: chaindyn.exp_so3(-w), w=(0, 0, 1)), kernel=True
    )
    expect(page.locator(".source")).to_have_text("Computed by Python with your exp_so3, log_so3.")
    assert rows_of(page)[3:] == [["0.00", "0.00", "1.00"], ["0.00", "0.00", "\u22121.00"]]
