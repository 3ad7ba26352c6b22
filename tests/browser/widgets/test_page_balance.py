"""BalanceExplorer on a page of its own, by mouse, keyboard and touch."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hands import PHONE, drawn, pass_time, request_of, rows_of
from playwright.sync_api import Page, expect

from chaindyn.linear_models import linearise
from chaindyn.widgets import BalanceExplorer

pytestmark = pytest.mark.browser
DONE = "100\u00a0% of 625"


def time_of(page: Page) -> float:
    words = page.locator(".readout").first.inner_text()
    found = re.search(r"Time ([\d.]+) s", words)
    assert found
    return float(found[1])


def basin_words(page: Page):
    return page.locator(".graphs .readout").last


def one_rod(**options) -> BalanceExplorer:
    return BalanceExplorer("chain", count=1, **options)


def test_a_knock_by_keyboard_and_what_became_of_it(put_on_page):
    page = put_on_page(one_rod(), clock=True)
    page.get_by_role("application").focus()
    page.keyboard.press(" ")
    pass_time(page, 0.3)
    expect(page.locator(".work")).to_have_text("It is on its way.")
    page.keyboard.press(" ")
    pass_time(page, 0.1)
    at = time_of(page)
    assert 0.1 < at < 0.6
    pass_time(page, 0.3)
    assert time_of(page) == at
    expect(page.get_by_role("button", name="go on")).to_be_enabled()
    page.keyboard.press(" ")
    pass_time(page, 5)
    expect(page.locator(".work")).to_contain_text(
        re.compile(r"It recovered: quiet [\d.]+ s after the knock")
    )
    expect(page.get_by_role("button", name="go on")).to_be_disabled()
    expect(page.locator(".knocks tbody th")).to_have_text(["recovered"])
    numbers = page.locator(".knocks td").all_inner_texts()[-2:]
    peak, settled = (float(x) for x in numbers)
    assert 0 < peak <= 8
    assert settled > 0.2


def test_a_knock_that_is_too_hard(put_on_page):
    page = put_on_page(one_rod(limit=1.0), clock=True)
    page.get_by_role("spinbutton", name="aside [\u00b0]").fill("40")
    page.get_by_role("button", name="knock", exact=True).click()
    pass_time(page, 3)
    expect(page.locator(".work")).to_contain_text("its centre of mass came below its foot")
    expect(page.locator(".knocks tbody th")).to_have_text(["fell"])
    page.get_by_role("button", name="stand up").click()
    pass_time(page, 0.1)
    expect(page.locator(".work")).to_have_text("It is held, and waits for a knock.")
    page.get_by_role("button", name="strike again").click()
    pass_time(page, 0.2)
    assert time_of(page) > 0.1


def test_the_basin_fills_and_a_click_knocks_from_there(put_on_page):
    page = put_on_page(one_rod(limit=3.0))
    expect(basin_words(page)).to_contain_text(DONE)
    recovered = int(re.findall(r"(\d+)\u00a0%", basin_words(page).inner_text())[1])
    assert 10 < recovered < 95
    for fate in ("recovered", "fell"):
        assert page.locator(f".panel .cells.{fate}").first.get_attribute("d")
    picture = page.locator("svg.pick")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 270 / 360, box["y"] + box["height"] * 60 / 260)
    drawn(page)
    request = request_of(page)
    assert 0.3 < request["aside"] / request["widest"] < 0.8
    assert 0.3 < request["rate"] / request["fastest"] < 0.8
    expect(page.locator(".knocks tbody th")).to_have_text(["fell"])


def test_weights_move_the_eigenvalues(put_on_page):
    page = put_on_page(BalanceExplorer())
    crosses = page.locator(".panel .stroke.motion").first
    words = page.locator(".graphs .readout").first
    expect(words).to_contain_text("All 4 decay")
    before, said = crosses.get_attribute("d"), words.inner_text()
    slider = page.get_by_role("slider", name="places, slider")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        drawn(page)
    assert request_of(page)["places"] == 1.5
    assert crosses.get_attribute("d") != before
    assert words.inner_text() != said
    assert page.locator(".panel .spots").count() > 1
    drawn(page)
    gains = [[float(x.replace("\u2212", "-")) for x in row] for row in rows_of(page)[1:]]
    assert np.shape(gains) == (2, 2)
    assert gains[0][0] == pytest.approx(-(10**0.75), abs=0.01)  # of a cart: sqrt(q / r), to push on


def test_another_system_comes_with_its_own_controls(put_on_page):
    page = put_on_page(BalanceExplorer())
    motors = page.get_by_label("Motors", exact=True)
    rods = page.get_by_role("spinbutton", name="rods")
    expect(motors).to_be_hidden()
    page.get_by_label("Knocked", exact=True).select_option(label="cart")
    expect(page.get_by_role("spinbutton", name="aside [m]")).to_be_visible()
    expect(page.get_by_role("spinbutton", name="aside [\u00b0]")).to_be_hidden()
    expect(basin_words(page)).to_contain_text("knocks on the cart")
    page.get_by_label("System", exact=True).select_option("acrobot")
    expect(page.locator(".graphs .readout").first).to_contain_text("Without feedback 2 of 4 grow")
    page.get_by_label("System", exact=True).select_option("chain")
    expect(motors).to_be_visible()
    rods.fill("10")
    drawn(page)
    assert request_of(page)["limit"] == 800
    expect(page.locator(".graphs .readout").first).to_contain_text("All 20 decay")
    expect(page.get_by_label("Knocked", exact=True).locator("option")).to_have_count(10)
    motors.select_option("first")
    drawn(page)
    assert request_of(page)["count"] == 3
    expect(page.locator(".graphs .readout").first).to_contain_text("Without feedback 3 of 6 grow")
    rods.fill("7")  # more than it can hold
    drawn(page)
    assert request_of(page)["count"] == 3
    assert not page.locator(".error").inner_text()


def test_who_wants_no_motion_gets_stills_of_a_balance(put_on_page):
    page = put_on_page(one_rod(), clock=True, reduced_motion="reduce")
    page.get_by_role("button", name="knock", exact=True).click()
    pass_time(page, 0.3)
    assert time_of(page) == 0
    pass_time(page, 0.4)
    assert time_of(page) == pytest.approx(0.5, abs=0.05)


def test_a_balance_ends_with_its_view(put_on_page):
    page = put_on_page(one_rod(), clock=True)
    page.evaluate(
        """() => { window.frames_asked = 0; const ask = window.requestAnimationFrame;
        window.requestAnimationFrame = (call) => (window.frames_asked++, ask(call)); }"""
    )
    page.get_by_role("button", name="knock", exact=True).click()
    pass_time(page, 0.2)
    assert page.evaluate("frames_asked") > 3
    page.evaluate("close_view()")
    pass_time(page, 0.1)  # what was asked for before
    asked = page.evaluate("frames_asked")
    pass_time(page, 0.5)
    assert page.evaluate("frames_asked") == asked
    assert page.evaluate("Object.values(listeners).flat().length") == 0


def test_a_balance_by_touch_on_a_phone(put_on_page):
    page = put_on_page(one_rod(), **PHONE)
    page.get_by_role("button", name="knock", exact=True).tap()
    page.wait_for_function("document.querySelector('.work').innerText.includes('recovered')")
    page.locator("svg.pick").tap()
    drawn(page)
    assert abs(request_of(page)["aside"]) < 0.3
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_python_balances_with_the_function_given(put_on_page):
    def backward(chain, q, qd, tau):
        if chain.n == 3:
            raise ArithmeticError("three are too many")
        A, B = linearise(chain, q, qd, tau)
        return A, -B

    page = put_on_page(BalanceExplorer(linearise=backward), kernel=True)
    source = page.locator(".source")
    expect(source).to_contain_text(
        "Computed by Python with your linearise. Of the chain\u2019s own"
    )
    expect(page.locator(".graphs .readout").first).to_contain_text("this feedback does not balance")
    expect(page.locator(".work")).to_contain_text("a feedback that does not balance it")
    page.get_by_role("button", name="knock", exact=True).click()
    expect(page.locator(".work")).to_contain_text("It fell")
    page.get_by_label("System", exact=True).select_option("chain")
    page.get_by_role("spinbutton", name="rods").fill("3")
    expect(page.get_by_role("alert")).to_contain_text("three are too many; in linearise, line")
    expect(source).to_contain_text("Python reports an error: computed by the page")
    page.get_by_role("spinbutton", name="rods").fill("2")
    expect(page.locator(".error")).to_be_empty()


def test_python_and_page_have_one_linear_model(put_on_page):
    page = put_on_page(BalanceExplorer("acrobot"), kernel=True)
    expect(page.locator(".source")).to_contain_text(
        "The chain\u2019s own linear model is the same."
    )
    page.get_by_role("spinbutton", name="effort").fill("1")
    expect(page.locator(".source")).to_contain_text(
        "The chain\u2019s own linear model is the same."
    )
    drawn(page)
    assert page.evaluate("model.get('answer').serial === model.get('request').serial")
