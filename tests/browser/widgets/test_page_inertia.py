"""InertiaExplorer on a page of its own, by mouse, keyboard and touch."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hands import (
    PHONE,
    as_shown,
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
from playwright.sync_api import expect

import chaindyn
from chaindyn.widgets import InertiaExplorer

pytestmark = pytest.mark.browser


def no_bias(inertia: np.ndarray, a: np.ndarray, v: np.ndarray) -> np.ndarray:
    return inertia @ a


def runs_away(inertia: np.ndarray, a: np.ndarray, v: np.ndarray) -> np.ndarray:
    return inertia @ (a - np.r_[v[:3] ** 2, v[3:]])


STAYS = "Momentum in space stays, and so does energy. In the brick, the spin about"


def test_momentum_and_energy_stay_while_the_spin_wanders(put_on_page):
    widget = InertiaExplorer(sides=(1.2, 0.8, 0.2), spin=(0.2, 4, 0))
    page = put_on_page(widget)
    moments, spin, momentum = rows_of(page)
    picture = page.locator(".chaindyn svg g").first.inner_html()
    assert moments == [f"{1000 * x:.2f}" for x in widget.compute(widget.request)["moments"]]
    assert spin == ["0.20", "4.00", "0.00"]
    assert momentum == ["11.33", "493.33", "0.00"]
    assert verdict_of(page) == f"{STAYS} y turns over twice in 8 s."
    page.get_by_role("spinbutton", name="time [s]").fill("2.5")
    _, later, kept = rows_of(page)
    assert kept == momentum
    expected = widget.compute(widget.request)["spin"]
    between = np.mean([expected[62], expected[63]], axis=0)  # a sample every 0.04 s
    assert later == [row[0] for row in as_shown(between)] != spin
    assert page.locator(".chaindyn svg g").first.inner_html() != picture
    energy = page.locator(".chaindyn p").filter(has_text="Energy at")
    expect(energy).to_have_text("Energy at the start 987.80 mJ, at 2.50 s 987.80 mJ.")


@pytest.mark.parametrize(
    ("side", "axis", "often"),
    [("longest", 0, "never"), ("middle", 1, "turns"), ("shortest", 2, "never")],
)
def test_a_brick_thrown_about_each_side(put_on_page, side, axis, often):
    page = put_on_page(InertiaExplorer(), clock=True)
    time = page.get_by_role("slider", name="time [s], slider")
    pass_time(page, 1)
    expect(time).to_have_value("0")
    page.get_by_role("button", name=f"throw about the {side} side").click()
    assert np.argmax(request_of(page)["spin"]) == axis
    pass_time(page, 1)
    verdict = re.compile(re.escape(f"{STAYS} {'xyz'[axis]} {often}"))
    expect(page.locator(".work")).to_have_text(verdict)
    assert float(time.input_value()) == pytest.approx(1, abs=0.1)
    page.get_by_role("button", name="stop").click()
    pass_time(page, 0.1)
    expect(page.get_by_role("button", name="play")).to_be_visible()
    at = time.input_value()
    pass_time(page, 1)
    expect(time).to_have_value(at)


def test_a_brick_by_mouse_and_keyboard(put_on_page):
    widget = InertiaExplorer(sides=(1.2, 0.8, 0.2))
    page = put_on_page(widget)
    look(page, "top")
    rows_of(page)
    per_metre = 130 * page.locator(".stage > svg").bounding_box()["width"] / width_of(page)
    drag(page, centre(page.get_by_role("button", name="Side x of the brick")), (per_metre * 0.2, 0))
    np.testing.assert_allclose(request_of(page)["sides"], [1.6, 0.8, 0.2], atol=0.03)
    page.get_by_role("button", name="Side y of the brick").focus()
    page.keyboard.press("ArrowUp")
    assert request_of(page)["sides"][1] == pytest.approx(0.9)
    tip = page.get_by_role("button", name="Spin at the start")
    drag(page, centre(tip), (per_metre * 0.27, 0))
    np.testing.assert_allclose(request_of(page)["spin"], [1.2, 4, 0], atol=0.06)
    field = page.get_by_role("spinbutton", name="side z [m]")
    field.fill("")
    field.press_sequentially("0.9")  # the 0 on the way there is no side
    assert request_of(page)["sides"][2] == 0.9
    field.fill("7")
    assert request_of(page)["sides"][2] == 2
    moments = widget.compute(request_of(page))["moments"]
    assert rows_of(page)[0] == [f"{1000 * x:.2f}" for x in moments]
    page.get_by_role("spinbutton", name="spin z [rad/s]").fill("-9")
    assert request_of(page)["spin"][2] == -5


def test_a_brick_is_taken_hold_of_where_it_was_let_go(put_on_page):
    """In flight its sides point anywhere; pulling at one starts anew, and pulls along the side all the same."""
    page = put_on_page(InertiaExplorer(sides=(1.2, 0.8, 0.2), spin=(0.1, 3, 0)))
    look(page, "top")
    page.get_by_role("spinbutton", name="time [s]").fill("2")
    rows_of(page)
    per_metre = 130 * page.locator(".stage > svg").bounding_box()["width"] / width_of(page)
    drag(page, centre(page.get_by_role("button", name="Side x of the brick")), (per_metre * 0.2, 0))
    expect(page.get_by_role("spinbutton", name="time [s]")).to_have_value("0")
    np.testing.assert_allclose(request_of(page)["sides"], [1.6, 0.8, 0.2], atol=0.03)


def test_a_brick_by_touch(put_on_page):
    page = put_on_page(InertiaExplorer(), **PHONE)
    page.get_by_role("button", name="Spin at the start").scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    touch(page, centre(page.get_by_role("button", name="Spin at the start")), (25, 30))
    assert request_of(page)["spin"] != [0.2, 4, 0]
    assert page.evaluate("scrollY") == before, "pulling at a handle must not scroll the page"


def test_who_rides_along_sees_the_brick_at_rest_and_the_momentum_wander(put_on_page):
    page = put_on_page(InertiaExplorer())
    ride = page.get_by_role("button", name="ride along")
    seconds = page.get_by_role("spinbutton", name="time [s]")

    def side() -> str:
        rows_of(page)
        return page.get_by_role("button", name="Side x of the brick").get_attribute("transform")

    at_rest = side()
    seconds.fill("2")
    assert side() != at_rest
    ride.click()
    expect(ride).to_have_attribute("aria-pressed", "true")
    assert side() == at_rest
    in_space = page.locator(".chaindyn svg g").first.inner_html()
    seconds.fill("3")
    assert side() == at_rest
    assert page.locator(".chaindyn svg g").first.inner_html() != in_space  # its arrows


def test_a_wrong_equation_of_motion_is_told(put_on_page):
    page = put_on_page(InertiaExplorer(newton_euler=no_bias))
    assert verdict_of(page) == (
        "Momentum in space strays by 5 % of its size, energy by 0 %. Nothing acts on the brick: both should stay."
    )


def test_a_spin_that_runs_away_is_told(put_on_page):
    page = put_on_page(InertiaExplorer(newton_euler=runs_away))
    assert "strays by more than 999 %" in verdict_of(page)
    assert "The spin grows beyond all bounds within" in verdict_of(page)
    page.get_by_role("spinbutton", name="time [s]").fill("7")
    assert all(all(row) for row in rows_of(page))


def test_python_flies_the_brick_and_tells_its_errors(put_on_page):
    def fragile(inertia, a, v):
        if np.abs(v).max() > 4:
            raise ArithmeticError("too fast")
        return chaindyn.newton_euler(inertia, a, v) + 0.01 * np.linalg.norm(v) * v

    page = put_on_page(InertiaExplorer(newton_euler=fragile, spin=(0.2, 3, 0)), kernel=True)
    expect(page.locator(".source")).to_have_text("Computed by Python with your newton_euler.")
    expect(page.locator(".work")).to_contain_text("Nothing acts on the brick")
    field = page.get_by_role("spinbutton", name="spin x [rad/s]")
    field.fill("5")
    expect(page.get_by_role("alert")).to_contain_text("ArithmeticError: too fast; in newton_euler")
    field.fill("2")
    expect(page.locator(".error")).to_be_empty()


def test_without_python_a_drag_no_table_holds_is_told(put_on_page):
    def dragged(inertia, a, v):
        return chaindyn.newton_euler(inertia, a, v) + np.linalg.norm(v) * v

    page = put_on_page(InertiaExplorer(newton_euler=dragged))
    expect(page.get_by_role("alert")).to_contain_text("not quadratic in the spin")
