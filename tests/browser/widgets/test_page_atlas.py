"""AtlasExplorer on a page of its own, by mouse and keyboard, with and without Python."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hands import as_shown, centre, drag, drawn, request_of, rows_of
from playwright.sync_api import Page, expect

from chaindyn.models.robots import ur5
from chaindyn.widgets import AtlasExplorer
from chaindyn.widgets.explorer import equal_rods

pytestmark = pytest.mark.browser

BENT = [0.4, -1.3, 1.9, -0.6, 1.1, 0.0]


def atlas(**options: object) -> AtlasExplorer:
    known = np.geomspace(1, 1000, 31), np.bincount([4] * 3 + [7] * 5 + [12], minlength=30)
    cases = {"folded": ([0, 0, 3.1, 0.5, 0.2, 0], (0, 1, 0))}
    return AtlasExplorer(ur5(), BENT, body="flange", **{"atlas": known, "cases": cases, **options})


def bearings(widget: AtlasExplorer, request: dict) -> list[list[str]]:
    values = widget.compute({**request, "map": None, "sample": None})
    share = 100 * np.array(values["force"]) / values["mass"]
    return as_shown(values["force"], values["moment"], share)


def count_of(page: Page) -> int:
    said = page.get_by_text(re.compile("blows of your own")).inner_text()
    return int("".join(x for x in said.split("blows")[0] if x.isdigit()))


@pytest.mark.parametrize("kernel", [False, True])
def test_a_posture_is_chosen_by_button_map_and_hand(put_on_page, kernel):
    widget = atlas()
    page = put_on_page(widget, kernel=kernel)
    assert rows_of(page) == bearings(widget, widget.request)
    page.get_by_role("button", name="folded").click()
    assert rows_of(page) == bearings(widget, request_of(page))
    expect(page.locator(".result")).to_contain_text("of the blows in the atlas are lighter")
    expect(page.locator(".map .cells rect").first).to_be_attached()
    ring = page.get_by_role("button", name="The present posture in the map")
    before = request_of(page)
    drag(page, centre(ring), (-60, -20))
    after = request_of(page)
    assert after["q"][1] < before["q"][1] - 0.5  # the second joint goes across
    assert after["q"][2] <= np.pi + 1e-9
    ring.focus()
    page.keyboard.press("ArrowDown")
    assert request_of(page)["q"][2] < after["q"][2]
    assert rows_of(page) == bearings(widget, request_of(page))
    drag(page, centre(page.get_by_role("button", name="Direction of the blow")), (30, 25))
    turned = request_of(page)["direction"]
    assert np.linalg.norm(turned) == pytest.approx(1)
    assert turned[1] < 0.99
    assert rows_of(page) == bearings(widget, request_of(page))


@pytest.mark.parametrize("kernel", [False, True])
def test_a_sample_grows_until_it_is_stopped(put_on_page, kernel):
    page = put_on_page(atlas(), kernel=kernel)
    page.get_by_role("button", name="Draw blows").click()
    page.wait_for_function("document.querySelectorAll('.chart .drawn circle').length > 15")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Draw more")).to_be_visible()
    stopped = count_of(page)
    assert stopped % 500 == 0
    median = float(re.search(r"lighter than ([\d.]+) kg", page.content())[1])
    assert 0.8 < median < 1.5
    page.get_by_role("button", name="Look at one").click()
    drawn(page)
    assert count_of(page) in (stopped, stopped + 500)  # what was on its way may still have come


def test_what_the_map_shades_and_over_which_joints(put_on_page):
    widget = atlas()
    page = put_on_page(widget)
    page.get_by_role("combobox", name="Across").select_option("wrist_2_link")
    page.get_by_role("combobox", name="Shading").select_option(
        "moment on the bearing of upper_arm_link"
    )
    expect(page.locator(".shade + span")).to_contain_text("N m s")
    request = request_of(page)
    assert (request["axes"], request["quantity"]) == ([4, 2], ["moment", 1])
    page.get_by_role("combobox", name="Up").select_option("wrist_2_link")  # exchanged
    assert request_of(page)["axes"] == [2, 4]
    page.wait_for_function("!document.querySelector('.map .late')")


def test_the_heaviest_direction(put_on_page):
    widget = atlas()
    page = put_on_page(widget)
    at_first = widget.answer["values"]["mass"]
    page.get_by_role("button", name="Heaviest direction here").click()
    there = widget.compute({**request_of(page), "map": None, "sample": None})["mass"]
    assert there > at_first
    expect(page.locator(".result")).to_contain_text(f"{there:.2f} kg")


def test_it_says_so_where_nothing_can_move(put_on_page):
    page = put_on_page(AtlasExplorer(equal_rods(2, (0, 0, 1)), [0.3, 0.5], (0, 1, 0)))
    expect(page.locator(".result")).to_contain_text("the whole chain weighs 2.00 kg")
    page.get_by_role("spinbutton", name="direction tilt [\u00b0]").fill("90")
    expect(page.locator(".result")).to_contain_text("weighs infinitely much")
    expect(page.locator(".error")).to_be_empty()
