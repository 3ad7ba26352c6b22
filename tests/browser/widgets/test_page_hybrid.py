"""HybridExplorer on a page of its own, by mouse, keyboard and touch; and in JupyterLab."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hands import PHONE, centre, request_of, rows_of, touch
from playwright.sync_api import Page, expect
from widget_cases import INERTIA, arm, spindle

import chaindyn
from chaindyn import Chain, Link, Prismatic, Revolute
from chaindyn.widgets import HybridExplorer

pytestmark = pytest.mark.browser


def parts_of(page: Page) -> list[list[tuple[float, str]]]:
    """Of each joint the acceleration and the force, and whether given or answered."""
    rows = rows_of(page)
    cells = [[text.replace("\u2212", "-").split() for text in row] for row in rows]
    return [[(float(cell[0]), cell[-1]) for cell in row] for row in cells]


def expect_parts(page: Page, widget: HybridExplorer) -> None:
    """That the numbers shown are Python's, and said to be given where they are."""
    request = request_of(page)
    values = widget.compute(request)
    shown = parts_of(page)
    numbers = [[number for number, _ in row] for row in shown]
    np.testing.assert_allclose(
        numbers, np.transpose([values["qdd"], values["tau"]]), atol=0.00501, rtol=1e-9
    )
    roles = [[role for _, role in row] for row in shown]
    assert roles == [
        ["given", "answered"] if told else ["answered", "given"] for told in request["prescribed"]
    ]


def test_a_joint_is_told_or_set_free_by_mouse_and_keyboard(put_on_page):
    widget = HybridExplorer(arm(), [0.4, -0.5, 0.1, 0.5], qdd=[2])
    page = put_on_page(widget)
    expect_parts(page, widget)
    slide = page.locator("[data-joint=slide]")
    expect(slide).to_have_attribute("aria-label", re.compile("^slide is free, its force is given"))
    page.mouse.click(*centre(slide))
    assert request_of(page)["prescribed"] == [True, False, True, False]
    expect(slide).to_have_attribute(
        "aria-label", re.compile("^slide is prescribed, its acceleration is given")
    )
    expect(slide.locator("rect")).to_have_count(1)
    expect_parts(page, widget)
    for key in ("ArrowUp", "Shift+ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    assert request_of(page)["qdd"] == pytest.approx([2, 0, 1, 0])
    expect_parts(page, widget)
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    assert request_of(page)["prescribed"] == [True, False, False, False]
    assert widget.scene["strongest"][2] == 50
    assert request_of(page)["tau"] == pytest.approx([0, 0, -0.5, 0])
    expect_parts(page, widget)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert request_of(page)["prescribed"] == [True, False, False, True]
    expect_parts(page, widget)
    expect(page.locator("[data-joint=finger]")).to_be_focused()


def test_the_switch_of_a_row_keeps_the_focus_and_changes_the_slider(put_on_page):
    widget = HybridExplorer(arm(), [0.4, -0.5, 0.1, 0.5])
    page = put_on_page(widget)
    force = page.get_by_role("slider", name="force of slide [N], slider")
    acceleration = page.get_by_role("slider", name="acceleration of slide [m/s\u00b2], slider")
    expect(acceleration).to_be_hidden()
    force.focus()
    page.keyboard.press("ArrowRight")
    assert request_of(page)["tau"] == [0, 0, 0.25, 0]
    switch = page.get_by_role("button", name="slide is free, its force is given; prescribe its")
    switch.focus()
    page.keyboard.press("Enter")
    expect(force).to_be_hidden()
    expect(acceleration).to_be_visible()
    told = page.get_by_role(
        "button", name="slide is prescribed, its acceleration is given; set it free"
    )
    expect(told).to_be_focused()
    page.get_by_role("spinbutton", name="acceleration of slide [m/s\u00b2]").fill("-4")
    expect_parts(page, widget)
    told.click()
    expect(switch).to_be_focused()
    assert request_of(page)["tau"] == [0, 0, 0.25, 0]
    expect_parts(page, widget)


def test_both_limits_and_the_way_back(put_on_page):
    widget = HybridExplorer(arm(), [0.4, -0.5, 0.1, 0.5], [1, 2, 0, 1], qdd=[2])
    page = put_on_page(widget)
    work = page.locator(".work")
    expect(work).to_have_text(
        re.compile("^Prescribed: base. Free: link1, slide, finger. 3 equations")
    )
    before = parts_of(page)
    page.get_by_role("button", name="swap given and answered").click()
    assert request_of(page)["prescribed"] == [False, True, True, True]
    expect(work).to_contain_text("One equation is solved")
    other = {"given": "answered", "answered": "given"}
    assert parts_of(page) == [[(x, other[role]) for x, role in row] for row in before]
    for name in ("all prescribed: inverse dynamics", "all free: forward dynamics"):
        page.get_by_role("button", name=name).click()
        expect(work).to_contain_text(re.compile(name, re.IGNORECASE))
        expect_parts(page, widget)
        assert [[x for x, _ in row] for row in parts_of(page)] == [
            [x for x, _ in row] for row in before
        ]
    page.get_by_role("button", name="zero all given").click()
    page.get_by_role("button", name="hold still").click()
    page.get_by_role("button", name="all prescribed").click()
    expect_parts(page, widget)
    weight = chaindyn.rnea(arm(), np.array(request_of(page)["q"]), np.zeros(4), np.zeros(4))
    np.testing.assert_allclose([row[1][0] for row in parts_of(page)], weight, atol=0.00501)


def test_the_chain_starts_to_move_as_it_is_drawn(put_on_page):
    """A rod that falls from level: its centre goes down, and later it hangs lower by g t^2 3/4 at its tip."""
    rod = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), np.diag([0.001, 1 / 12, 1 / 12]), name="rod")
    widget = HybridExplorer(Chain([rod]), prescribed=[False], view="xz", tip=(1, 0, 0))
    page = put_on_page(widget)
    assert parts_of(page) == [[(14.71, "answered"), (0.0, "given")]]  # 3 g / (2 m)
    page.get_by_role("spinbutton", name="look ahead [s]").fill("0.3")
    rows_of(page)
    lines = "[...document.querySelectorAll('.chaindyn svg polyline.motion')].map(e => e.getAttribute('points'))"
    later, arrow = (
        np.array([point.split(",") for point in line.split()], float)
        for line in page.evaluate(lines)
    )
    turned = 0.5 * 0.3**2 * 1.5 * 9.81
    direction = (later[1] - later[0]) / np.linalg.norm(later[1] - later[0])
    np.testing.assert_allclose(direction, [np.cos(turned), np.sin(turned)], atol=1e-3)
    fall = arrow[1] - arrow[0]
    assert fall[1] > 10 * abs(fall[0])
    page.get_by_role("button", name="rod is free").first.click()
    rows_of(page)
    (later,) = page.evaluate(lines)  # at rest and told to stay: no arrow
    assert len({point.split(",")[1] for point in later.split()}) == 1
    force = page.locator(".chaindyn svg polyline.force")
    assert force.count() == 2  # the arc of the torque that holds it, and its head


def test_hybrid_dynamics_by_touch(put_on_page):
    widget = HybridExplorer(arm(), [0.4, -0.5, 0.1, 0.5])
    page = put_on_page(widget, **PHONE)
    page.touchscreen.tap(*centre(page.locator("[data-joint=finger]")))
    assert request_of(page)["prescribed"] == [True, False, False, True]
    before = request_of(page)["q"]
    touch(page, centre(page.locator("[data-grab='4']")), (10, 30))
    assert request_of(page)["q"] != before
    assert page.evaluate("scrollY") == 0
    expect_parts(page, widget)


def test_a_hand_moves_the_cart_and_a_tap_stiffens_a_joint(put_on_page):
    """The rod, limp, swings against the cart; with its motor on it stands still to the cart after a while."""
    links = [
        Link(joint, 1, (0, 0, -0.3), INERTIA, name=name)
        for joint, name in [(Prismatic((1, 0, 0)), "cart"), (Revolute((0, 1, 0)), "rod")]
    ]
    widget = HybridExplorer(Chain(links), [0, 0.3], prescribed=[True, False], view="xz")
    page = put_on_page(widget, fresh=True)
    points = "document.querySelector('[data-grab=\"1\"]').getAttribute('points').split(/[ ,]/).map(Number)"
    rod = f"(() => {{ const p = {points};"
    rod += " return Math.atan2(p[2] - p[0], p[3] - p[1]); })()"
    first = page.evaluate(rod)
    page.wait_for_function(f"first => Math.abs({rod} - first) > 0.2", arg=first)
    page.locator("[data-joint=rod]").dispatch_event(
        "click"
    )  # it moves: no mouse of a test would meet it
    assert request_of(page)["prescribed"] == [True, True]
    assert request_of(page)["q"] == [0, 0.3]  # the motion is the picture's own
    page.wait_for_timeout(1500)
    held = page.evaluate(rod)
    cart = "document.querySelector('[data-joint=cart]').getAttribute('transform')"
    before = page.evaluate(cart)
    page.wait_for_function(f"before => {cart} !== before", arg=before)
    assert page.evaluate(rod) == pytest.approx(held, abs=0.02)
    page.get_by_role("button", name="stop", exact=True).click()
    expect(page.get_by_role("button", name="move it")).to_be_visible()


def test_joints_at_one_place_have_a_sign_each(put_on_page):
    links = [
        Link(joint, 1, (0, 0, -0.3), INERTIA, name=name)
        for joint, name in [(Prismatic((1, 0, 0)), "cart"), (Revolute((0, 1, 0)), "rod")]
    ]
    page = put_on_page(HybridExplorer(Chain(links), view="xz"), **PHONE)
    for name, mask in [("cart", [False, False]), ("rod", [False, True]), ("cart", [True, True])]:
        page.touchscreen.tap(*centre(page.locator(f"[data-joint={name}] .reach")))
        assert request_of(page)["prescribed"] == mask


@pytest.mark.parametrize("kernel", [False, True])
def test_a_joint_that_feels_no_inertia_is_named(put_on_page, kernel):
    page = put_on_page(HybridExplorer(spindle(), prescribed=[True, True]), kernel=kernel)
    error = page.locator(".error")
    expect(error).to_be_empty()
    page.locator("[data-joint=spindle]").click()
    expect(error).to_contain_text(re.compile("spindle.* feels no inertia"))
    page.locator("[data-joint=rod]").click()
    expect(error).to_contain_text("spindle")
    page.locator("[data-joint=spindle]").click()
    expect(error).to_be_empty()
    assert parts_of(page)[1] == [(0.0, "given"), (0.0, "answered")]


def forgets_weight(chain, q, qd, **given):
    adrift = Chain(chain.links, gravity=(0, 0, 0))
    return chaindyn.hybrid_dynamics(adrift, q, qd, **given)


def tells_all(chain, q, qd, *, prescribed, qdd, tau):
    still = np.zeros(chain.nv)
    return still, chaindyn.rnea(chain, q, qd, still)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (forgets_weight, "These accelerations and forces do not fit together: by Newton"),
        (tells_all, "hybrid_dynamics did not keep what joint base was given."),
    ],
)
def test_wrong_hybrid_dynamics_is_told(put_on_page, function, message):
    options = {"qdd": [2], "hybrid_dynamics": function}
    page = put_on_page(HybridExplorer(arm(), [0.4, -0.5, 0.1, 0.5], **options), kernel=True)
    expect(page.get_by_role("alert")).to_contain_text(message)
    expect(page.locator(".source")).to_have_text("Computed by Python with your hybrid_dynamics.")


def test_python_answers_of_hybrid_dynamics_in_every_role(put_on_page):
    widget = HybridExplorer(arm(), [0.4, -0.5, 0.1, 0.5], [1, 2, 0, 1], qdd=[2])
    page = put_on_page(widget, kernel=True)
    expect(page.locator(".source")).to_have_text("Computed by Python with your hybrid_dynamics.")
    for name in ("base", "slide", "finger"):
        page.locator(f"[data-joint={name}]").click()
        expect_parts(page, widget)
        expect(page.locator(".error")).to_be_empty()


TOLD = """
from chaindyn import Chain, Link, Prismatic, Revolute, hybrid_dynamics
from chaindyn.widgets import HybridExplorer

inertia = ((0.03, 0, 0), (0, 0.03, 0), (0, 0, 0.001))
links = [
    Link(Prismatic((1, 0, 0)), 3, (0, 0, 0), inertia, name="cart"),
    Link(Revolute((0, 1, 0)), 1, (0, 0, -0.3), inertia, (0, 0, -0.15), name="rod"),
]

def strict(*state, qdd, **given):
    if max(abs(qdd), default=0) > 1.5:
        raise ArithmeticError("too much")
    return hybrid_dynamics(*state, qdd=qdd, **given)

HybridExplorer(Chain(links), hybrid_dynamics=strict, view="xz")
"""


@pytest.mark.slow
@pytest.mark.parametrize("lab", [TOLD], indirect=True)
def test_in_jupyterlab_a_joint_is_told_and_set_free_by_keys(lab: tuple[Page, Path]) -> None:
    page, _ = lab
    source, error = page.locator(".source"), page.locator(".chaindyn .error")
    python = "Computed by Python with your hybrid_dynamics."
    # What moves is the page's own; Python answers for the chain at rest.
    page.get_by_role("button", name="stop", exact=True).click()
    expect(source).to_have_text(python)
    cells = page.locator(".jp-Cell").count()
    work, rod = page.locator(".chaindyn .work"), page.locator("[data-joint=rod]")
    expect(work).to_contain_text("Prescribed: cart. Free: rod.")
    rod.focus()
    page.keyboard.press("Enter")
    expect(work).to_contain_text("All prescribed")
    for key in ("Shift+ArrowUp", "Shift+ArrowUp", "a", "b", "x"):
        page.keyboard.press(key)
    expect(error).to_contain_text("ArithmeticError: too much; in hybrid_dynamics, line 12")
    page.keyboard.press("Space")
    expect(work).to_contain_text("Prescribed: cart. Free: rod.")
    expect(error).to_be_empty()
    expect(rod).to_be_focused()
    page.locator("[data-joint=cart]").click()
    expect(work).to_contain_text("All free")
    expect(source).to_have_text(python)
    assert page.locator(".jp-Cell").count() == cells
