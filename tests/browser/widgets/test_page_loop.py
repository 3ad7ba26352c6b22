"""LoopExplorer on a page of its own, by mouse, keyboard and touch."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hands import PHONE, centre, drag, drawn, pass_time, request_of, rows_of, touch
from playwright.sync_api import Page, expect

import chaindyn
from chaindyn.widgets import LoopExplorer

pytestmark = pytest.mark.browser

SHORT = {"t": np.linspace(0, 1, 26)}


def crank_of(page: Page) -> float:
    drawn(page)
    return float(np.rad2deg(request_of(page)["held"][0]))


def test_a_crank_is_dragged_to_where_it_locks(put_on_page):
    """Of 1.3 m it locks at 120.3 degrees: there the two rods of 1 m, stretched, are the chord of 2 m."""
    page = put_on_page(LoopExplorer(lengths=[1.3, 1, 1]))
    verdict, drop = page.locator(".work"), page.get_by_role("button", name="drop")
    expect(verdict).to_contain_text(
        "The loop is closed: K has rank 2, and the mechanism 1 freedom."
    )
    expect(verdict).to_contain_text("The crank locks at \u2212120.3\u00b0 and 120.3\u00b0.")
    ring = page.get_by_role("button", name="End of the crank")
    start = centre(ring)
    drag(page, start, (-40, 0))
    assert 60 < crank_of(page) < 110
    drag(page, centre(ring), (-200, 200))
    assert crank_of(page) > 121
    expect(verdict).to_contain_text("It locks: here the loop cannot close.")
    expect(verdict).to_contain_text(re.compile(r"misses the foot by [\d.]+\smm at least"))
    expect(drop).to_be_disabled()
    assert rows_of(page) == [["\u2013"] * 2] * 2
    page.get_by_role("spinbutton", name="angle of crank [\u00b0]").fill("120")
    expect(drop).to_be_enabled()


def test_a_crank_is_turned_by_keyboard(put_on_page):
    page = put_on_page(LoopExplorer())
    slider = page.get_by_role("slider", name="angle of crank [\u00b0], slider")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert crank_of(page) == pytest.approx(63, abs=0.01)
    page.get_by_role("button", name="End of the crank").focus()
    page.keyboard.press("ArrowLeft")
    assert crank_of(page) > 64
    field = page.get_by_role("spinbutton", name="angle of crank [\u00b0]")
    field.fill("0")
    expect(page.locator(".work")).to_contain_text("in a singular posture: K has rank 1")
    assert rows_of(page)[0] == ["1.414\u00a0m", "0.000\u00a0m"]
    field.fill("90")
    before = rows_of(page)
    page.get_by_role("button", name="the other assembly").click()
    assert request_of(page)["flipped"]
    assert rows_of(page)[0] != before[0]


def test_a_five_bar_has_two_cranks(put_on_page):
    page = put_on_page(LoopExplorer())
    expect(page.get_by_role("button", name="End of the")).to_have_count(1)
    page.get_by_label("Mechanism", exact=True).select_option(label="five-bar")
    expect(page.get_by_role("button", name="End of the left arm")).to_be_visible()
    right = page.get_by_role("button", name="End of the right arm")
    drag(page, centre(right), (20, 5))
    left, turned = np.rad2deg(request_of(page)["held"])
    assert left == pytest.approx(105)
    assert turned < 70
    page.get_by_role("spinbutton", name="length of arms [m]").fill("0.55")
    assert request_of(page)["lengths"] == [0.55, 0.6, 0.6, 0.55]
    expect(page.locator(".work")).to_contain_text("the mechanism 2 freedoms")


def test_a_loop_falls_with_and_without_a_cure(put_on_page):
    """Straight through the posture with all rods in line, in which nothing but a cure holds the loop together."""
    page = put_on_page(LoopExplorer())
    gap = page.get_by_role("img", name="Gap [m] against time")
    expect(gap).to_be_hidden()
    page.get_by_role("button", name="drop").click()
    expect(gap).to_be_visible()
    page.get_by_role("button", name="pause").click()
    verdict = page.locator(".work")
    expect(verdict).to_contain_text(
        re.compile(r"^No cure: in \d\.\d s the gap is [\d.]+\sm?m at most")
    )
    page.get_by_label("Cure", exact=True).select_option("Baumgarte")
    expect(verdict).to_contain_text("step times rate is 0.20, and must be below 2.785")
    expect(verdict).to_contain_text(re.compile(r"in 5\.0 s the gap is [\d.]+\sp?n?m at most"))
    page.get_by_label("Cure", exact=True).select_option("projection")
    expect(verdict).to_contain_text("Projection: in 5.0 s the gap stays below 0.1\u00a0pm")
    label = gap.get_attribute("aria-label") or ""
    assert all(name in label for name in ("no cure from", "Baumgarte from", "projection from"))
    page.get_by_role("button", name="the other assembly").click()  # another start: all is forgotten
    expect(gap).to_be_hidden()
    expect(page.get_by_role("button", name="drop")).to_be_visible()


def test_lenses_show_how_far_the_loop_has_opened_with_each_cure(put_on_page):
    """A power of ten makes the gap a part of one, to the scale of the picture; projection keeps the loop closed."""
    page = put_on_page(LoopExplorer())
    lens, words = page.locator(".lens"), page.locator(".stage text")
    cures = page.get_by_label("Cure", exact=True)
    expect(lens).to_have_count(0)
    page.get_by_role("button", name="step").click()
    expect(lens).to_have_count(3)
    seen = {}
    for time in ("2.6", "3.2", "5"):
        page.get_by_role("spinbutton", name="time [s]").fill(time)
        expect(page.locator(".readout")).to_contain_text(f"Time {float(time):.2f} s")
        gap, times = (each.replace("\u00a0", " ") for each in words.all_text_contents()[:2])
        value, unit = gap.removeprefix("no cure: ").split()
        assert f"gap {value} {unit}" in page.locator(".readout").inner_text().replace("\u00a0", " ")
        apart = page.evaluate("""() => {
          const [from, to] = [...document.querySelectorAll(".lens ~ polyline.force")[0].points];
          return Math.hypot(to.x - from.x, to.y - from.y);
        }""")
        metres = float(value) * {"mm": 1e-3, "\u00b5m": 1e-6, "nm": 1e-9}[unit]
        seen[time] = metres, times, apart
    assert [times for _, times, _ in seen.values()] == ["\u00d7 10\u2078", "\u00d7 10\u2074", ""]
    scale = (
        seen["5"][2] / seen["5"][0]
    )  # pixels a metre; upwards a little less, for it is seen from above
    assert seen["3.2"][2] == pytest.approx(1e4 * scale * seen["3.2"][0], rel=0.02)
    assert seen["2.6"][2] == pytest.approx(1e8 * scale * seen["2.6"][0], rel=0.02)
    expect(words.nth(2)).to_have_text(re.compile(r"^Baumgarte: (closed|[\d.]+\sp?n?m)$"))
    expect(words.nth(4)).to_have_text("projection: closed")
    assert cures.input_value() == "none"
    page.mouse.click(*centre(lens.nth(2)))  # it falls anew
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    assert cures.input_value() == "projection"


def test_a_fall_past_no_line_says_nothing_of_one(put_on_page):
    """With a crank of 0.6 m the rods are never all in line; of four equal sides they are, soon after half a second."""
    said = page_said(put_on_page(LoopExplorer(lengths=[0.6, 1, 1], dropped=True)), "1")
    assert "rods in line: no hold" not in said
    said = page_said(put_on_page(LoopExplorer(dropped=True)), "0.7")
    assert "rods in line: no hold" in said


def page_said(page: Page, time: str) -> list[str]:
    """What is written in the picture at a time of the fall."""
    page.get_by_role("spinbutton", name="time [s]").fill(time)
    expect(page.locator(".readout")).to_contain_text(f"Time {float(time):.2f} s")
    return page.locator(".stage text").all_text_contents()


def test_baumgarte_beyond_his_edge(put_on_page):
    page = put_on_page(LoopExplorer(lengths=[0.6, 1, 1], cure="Baumgarte", dropped=True))
    page.get_by_role("button", name="step").click()
    largest = {}
    for rate in ("50", "160"):
        page.get_by_role("spinbutton", name="Baumgarte\u2019s rate [1/s]").fill(rate)
        expect(page.locator(".work")).to_contain_text(f"rate {rate} /s")
        label = page.get_by_role("img", name="Gap [m]").get_attribute("aria-label") or ""
        said = re.search(r"Baumgarte from \S+ to ([^\s,]+)", label)[1]
        largest[rate] = float(said.replace("\u2212", "-"))
    assert largest["160"] > 100 * largest["50"]


def test_a_fall_is_played_stepped_and_reset_by_keyboard(put_on_page):
    page = put_on_page(LoopExplorer(**SHORT), clock=True)
    page.get_by_role("application").focus()
    page.keyboard.press(" ")
    pass_time(page, 0.5)
    slider = page.get_by_role("slider", name="time [s], slider")
    assert float(slider.input_value()) == pytest.approx(0.5, abs=0.1)
    page.keyboard.press(" ")
    pass_time(page, 0.1)
    at = float(slider.input_value())
    page.get_by_role("button", name="step").focus()
    page.keyboard.press("Enter")
    pass_time(page, 0.1)
    assert float(slider.input_value()) == pytest.approx(at + 0.02, abs=0.021)
    page.get_by_role("button", name="reset").focus()
    page.keyboard.press("Enter")
    pass_time(page, 0.1)
    expect(slider).to_have_value("0")
    expect(page.get_by_role("button", name="drop")).to_be_visible()
    page.evaluate("close_view()")


def test_what_falls_is_caught_where_it_is(put_on_page):
    page = put_on_page(LoopExplorer(lengths=[0.6, 1, 1], dropped=True, **SHORT))
    page.get_by_role("spinbutton", name="time [s]").fill("0.4")
    where = page.locator(".readout")
    expect(where).to_contain_text("Time 0.40 s")
    fallen = float(re.search(r"crank at (\S+)\u00b0", where.inner_text())[1].replace("\u2212", "-"))
    drag(page, centre(page.locator("[data-grab='0']").first), (2, 0), steps=1)
    expect(where).to_contain_text("In the hand")
    assert crank_of(page) == pytest.approx(fallen, abs=3)
    assert not request_of(page)["dropped"]


def test_a_crank_is_turned_by_touch(put_on_page):
    page = put_on_page(LoopExplorer(), **PHONE)
    touch(page, centre(page.get_by_role("button", name="End of the crank")), (30, 20))
    assert crank_of(page) < 50
    assert page.evaluate("scrollY") == 0


def test_it_fits_a_narrow_phone(put_on_page):
    page = put_on_page(
        LoopExplorer("five-bar", dropped=True), viewport={"width": 360, "height": 800}
    )
    expect(page.get_by_role("img", name="Gap [m]")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_graph_of_singular_values_turns_the_crank(put_on_page):
    page = put_on_page(LoopExplorer())
    graph = page.get_by_role("img", name="Smaller singular value")
    graph.scroll_into_view_if_needed()
    box = graph.bounding_box()
    page.mouse.click(box["x"] + box["width"] * (64 + 0.75 * 286) / 360, box["y"] + 40)
    assert crank_of(page) == pytest.approx(90, abs=2)


def test_python_computes_the_loop_by_the_functions_given(put_on_page):
    def without_weight(chain, q, qd, **options):
        afloat = chaindyn.Chain(
            [
                chaindyn.Link(*parts[:-1], offset=parts[-1])
                for parts in zip(
                    chain.joints, chain.mass, chain.com, chain.inertia, chain.offset, strict=True
                )
            ],
            gravity=(0, 0, 0),
        )
        pin = chaindyn.Closure(
            chaindyn.Revolute((0, 1, 0)), 2, offset=(1, 0, 0), onto_offset=(1, 0, 0)
        )
        return chaindyn.simulate(afloat, q, qd, **{**options, "constraints": pin})

    widget = LoopExplorer(simulate=without_weight, t=np.linspace(0, 0.2, 6))
    page = put_on_page(widget, kernel=True)
    source = page.locator(".source")
    mine = "Computed by Python with your constraint_jacobian, simulate."
    expect(source).to_have_text(mine)
    page.get_by_role("button", name="step").click()
    expect(source).to_have_text(mine)
    expect(page.locator(".readout")).to_contain_text("crank at 60.0\u00b0")  # afloat, it stays
    expect(page.locator(".error")).to_be_empty()
