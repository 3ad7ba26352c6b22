"""HeftExplorer on a page of its own, by mouse, keyboard and touch."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hands import centre, drag, request_of, rows_of
from playwright.sync_api import expect
from widget_cases import locking, planar

from chaindyn.widgets import HeftExplorer

pytestmark = pytest.mark.browser


def test_heft_by_keyboard_and_mouse(put_on_page):
    widget = HeftExplorer(planar(), [0.5, -0.7], view="xy", tip=(1, 0, 0))
    page = put_on_page(widget)
    held = page.get_by_role("combobox", name="Held at")
    before = rows_of(page)
    held.focus()
    page.keyboard.press("ArrowDown")
    assert request_of(page)["body"] == 1
    expect(page.locator("caption").first).to_contain_text("joint of link1")
    assert rows_of(page) != before
    felt = widget.compute(request_of(page))["felt"]
    least, greatest = np.linalg.eigvalsh(felt[:2, :2])
    # at the ends of the two pulls that stand in the picture, the heaviest first
    pulls = page.locator(".stage text").filter(has_text="kg").all_text_contents()
    assert pulls == [f"{greatest:.2f} kg", f"{least:.2f} kg"]
    assert rows_of(page)[-1] == [f"{least:.2f}", f"{greatest:.2f}"]
    bent = request_of(page)["q"][1]
    field = page.get_by_role("spinbutton", name="link1")
    field.fill("60")
    assert abs(request_of(page)["q"][1] - np.pi / 3) < 1e-3 < abs(bent - np.pi / 3)
    rows_of(page)  # until the link is drawn where it is now
    page.evaluate("scrollTo(0, 0)")
    drag(page, centre(page.locator('[data-grab="1"]').first), (-30, 20))
    assert abs(request_of(page)["q"][1] - np.pi / 3) > 0.01


@pytest.mark.parametrize("kernel", [False, True])
def test_a_posture_that_locks_is_named(put_on_page, kernel):
    page = put_on_page(HeftExplorer(locking(), [0, 1], body=1), kernel=kernel)
    expect(page.locator(".error")).to_be_empty()
    page.get_by_role("spinbutton", name="needle [\u00b0]").fill("0")
    expect(page.locator(".error")).to_contain_text(re.compile("ring.* feels no inertia"))
    page.get_by_role("spinbutton", name="needle [\u00b0]").fill("30")
    expect(page.locator(".error")).to_be_empty()
