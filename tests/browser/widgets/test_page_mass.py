"""MassMatrixExplorer on a page of its own, by mouse, keyboard and touch."""

from __future__ import annotations

import numpy as np
import pytest
from hands import PHONE, as_shown, centre, drag, request_of, rows_of
from playwright.sync_api import Page, expect
from widget_cases import arm

import chaindyn
from chaindyn.widgets import MassMatrixExplorer

pytestmark = pytest.mark.browser


def lit(page: Page) -> int:
    """How many links are lit up."""
    rows_of(page)
    return page.locator(".chaindyn svg polyline.force").count()


def test_an_entry_lights_up_the_bodies_that_make_it(put_on_page):
    """Of the arm: base carries all, the second link two more, the slide the tool, the finger itself alone."""
    page = put_on_page(MassMatrixExplorer(arm(), [0.4, -0.5, 0.1, 0.5]))
    made = {(0, 0): 5, (0, 1): 3, (1, 1): 3, (2, 1): 2, (2, 2): 2, (3, 0): 1, (3, 3): 1, (1, 3): 0}
    seats = {
        5: 6,
        3: 3,
        2: 2,
        1: 1,
        0: 0,
    }  # a link is lit once for each child's seat: the base has two
    for (row, col), bodies in made.items():
        cell = page.locator(".matrix tbody tr").nth(row).locator("td").nth(col)
        cell.click()
        assert lit(page) == seats[bodies], (row, col)
        expect(cell).to_have_attribute("aria-selected", "true")
    expect(page.locator(".chaindyn p").filter(has_text="No body hangs on both")).to_be_visible()
    expect(page.locator(".work")).to_contain_text("M(2, 4) = 0.000 kg m\u00b2: the torque [N m]")


def test_the_composite_of_an_entry_is_told(put_on_page):
    chain = arm()
    q = np.array([0.4, -0.5, 0.1, 0.5])
    page = put_on_page(MassMatrixExplorer(chain, q, entry=(1, 2)))
    R, p = chaindyn.forward_kinematics(chain, q)
    centres = p + (R @ chain.com[:, :, None])[..., 0]
    where = ", ".join(f"{x:.2f}".replace("-", "\u2212") for x in centres[2:4].mean(0))
    told = page.locator(".chaindyn p").filter(has_text="2 bodies hang on both joints")
    expect(told).to_contain_text(f"slide, tool. Together 2.00 kg, centred at ({where}) m")
    M = chaindyn.crba(chain, q)
    value = f"{M[1, 2]:.3f}".replace("-", "\u2212")
    expect(page.locator(".work")).to_contain_text(f"M(2, 3) = {value} kg m: the torque [N m]")
    at_joint = f"{M[1, 2]:.2f} kg m".replace("-", "\u2212")
    expect(page.locator(".stage text").filter(has_text=at_joint)).to_have_count(1)


def test_it_points_along_a_row_until_the_reader_does(put_on_page):
    page = put_on_page(MassMatrixExplorer(arm(), entry=(1, 0)), fresh=True)
    pointed = page.locator(".matrix td[aria-selected=true]")
    third = page.locator(".matrix tbody tr").nth(1).locator("td").nth(2)
    expect(third).to_have_attribute("aria-selected", "true")
    page.locator(".matrix tbody tr").nth(3).locator("td").nth(3).click()
    page.wait_for_timeout(1600)  # it would have gone on
    expect(page.locator(".work")).to_contain_text("M(4, 4)")
    expect(pointed).to_have_count(1)


def test_a_mass_matrix_by_keyboard_number_and_mouse(put_on_page):
    chain = arm()
    page = put_on_page(MassMatrixExplorer(chain, [0.4, -0.5, 0.1, 0.5]))
    page.locator(".matrix td[tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    expect(page.locator(".work")).to_contain_text("M(1, 3)")
    page.get_by_role("spinbutton", name="2 link1 [\u00b0]").fill("50")
    M = chaindyn.crba(chain, np.array(request_of(page)["q"]))
    shown = as_shown(*M)
    for row, col in [(1, 3), (2, 3), (3, 1), (3, 2)]:
        shown[row][col] = "0"  # not by rounding
    assert rows_of(page) == shown
    page.locator(".matrix tbody tr").nth(3).locator("td").nth(3).hover()
    expect(page.locator(".work")).to_contain_text("M(4, 4)")
    page.get_by_role("application").hover()
    expect(page.locator(".work")).to_contain_text("M(1, 3)")  # what was chosen stays
    before = request_of(page)["q"]
    drag(page, centre(page.locator("[data-grab='4']")), (15, 25))
    assert request_of(page)["q"] != before


def test_a_mass_matrix_by_touch(put_on_page):
    page = put_on_page(MassMatrixExplorer(arm()), **PHONE)
    page.locator(".matrix tbody tr").nth(2).locator("td").nth(1).tap()
    expect(page.locator(".work")).to_contain_text("M(3, 2)")


def test_a_wrong_mass_matrix_is_told(put_on_page):
    def halved(chain, q):
        M = chaindyn.crba(chain, q)
        M[0, 0] /= 2
        return M

    chain, q = arm(), np.array([0.4, -0.5, 0.1, 0.5])
    page = put_on_page(MassMatrixExplorer(chain, q, crba=halved), kernel=True)
    expect(page.locator(".source")).to_have_text("Computed by Python with your crba.")
    right = chaindyn.crba(chain, q)[0, 0]
    expect(page.get_by_role("alert")).to_contain_text(f"this entry is {right:.3f}.")
    page.locator(".matrix tbody tr").nth(1).locator("td").nth(1).click()
    expect(page.locator(".error")).to_be_empty()
