"""The widgets on a page of their own: by mouse, keyboard and touch, without Python and with it.

The page plays the part of anywidget: it hands the view a model with get, set, on, off and save_changes. A kernel
is played by a real widget of this process, which is sent what the page saves.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect
from scipy.spatial.transform import Rotation

import chaindyn
from book.browser import SCHEMES, WIDTHS
from chaindyn import Chain, Fixed, Link, Prismatic, Revolute, X_motion
from chaindyn.teaching import normwise
from chaindyn.widgets import (
    ChainExplorer,
    EffortExplorer,
    Explorer,
    HeftExplorer,
    HybridExplorer,
    ImpactExplorer,
    InertiaExplorer,
    MassMatrixExplorer,
    RotationExplorer,
    ScrewExplorer,
    SwingExplorer,
)
from chaindyn.widgets.explorer import plain

pytestmark = pytest.mark.browser

EPS = np.finfo(float).eps
INERTIA = 0.01 * np.eye(3)
MODES = [(width, scheme) for scheme in SCHEMES for width in WIDTHS]
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A widget</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="view.css">
<style>html { color-scheme: light dark } body { margin: 8px; background: light-dark(#fff, #14181e) }</style></head>
<body><main><h1 style="color: light-dark(#000, #fff)">A widget</h1><div id="widget"></div></main>
<script type="module">
  import view, * as inside from "./view.js";
  const state = await (await fetch("state.json")).json();
  const listeners = {};
  const model = {
    get: (key) => state[key],
    on: (event, call) => (listeners[event] ??= []).push(call),
    off: (event, call) => (listeners[event] = listeners[event].filter((other) => other !== call)),
    set: (key, value) => ((state[key] = value), (listeners["change:" + key] ?? []).forEach((call) => call())),
    save_changes: async () => {
      const answer = await window.python?.(state.request);
      if (answer) model.set("answer", answer);
    },
  };
  Object.assign(window, { model, inside, listeners });
  window.close_view = view.render({ model, el: document.getElementById("widget") });
</script></body></html>"""


def arm() -> Chain:
    turned = chaindyn.rotation_about(np.array([0.6, 0, 0.8]), np.array([0.7]))
    return Chain(
        [
            Link(Revolute((0, 0, 1)), 1, (0, 0, 0.2), INERTIA, name="base"),
            Link(Revolute((0, 3, 4)), 1, (0.2, 0, 0), INERTIA, offset=(0, 0, 0.4), rotation=turned),
            Link(Prismatic((1, 1, 0)), 1, (0.1, 0, 0), INERTIA, offset=(0.4, 0, 0), name="slide"),
            Link(
                Fixed(), 1, (0.05, 0, 0), INERTIA, offset=(0.2, 0, 0), rotation=turned, name="tool"
            ),
            Link(
                Revolute((1, 0, 0)),
                1,
                (0, 0, 0.15),
                INERTIA,
                offset=(0, 0.1, 0),
                parent="base",
                name="finger",
            ),
        ]
    )


def planar() -> Chain:
    links = [
        Link(Revolute(), 1, (0.5, 0, 0), INERTIA, offset=(0 if i == 0 else 1, 0, 0))
        for i in range(2)
    ]
    return Chain(links)


def struck_arm(**options: Any) -> ImpactExplorer:
    state = [0.4, -0.5, 0.1, 0.5], [0.8, -1.2, 0.3, 0.9]
    return ImpactExplorer(arm(), *state, **{"body": "tool", "point": (0.1, 0, 0), **options})


WIDGETS: dict[str, Callable[[], Explorer]] = {
    "screw": ScrewExplorer,
    "rotation": RotationExplorer,
    "effort": lambda: EffortExplorer(arm(), [0.4, -0.5, 0.1, 0.5], [1, 2, 0, 1], load=1),
    "mass": lambda: MassMatrixExplorer(arm(), [0.4, -0.5, 0.1, 0.5], entry=(1, 0)),
    "inertia": InertiaExplorer,
    "chain": lambda: ChainExplorer(arm(), [0.4, -0.5, 0.1, 0.5], body="tool"),
    "heft": lambda: HeftExplorer(arm(), [0.4, -0.5, 0.1, 0.5], body="slide"),
    "impact": lambda: struck_arm(),
    "swing": lambda: SwingExplorer(motors=True, t=np.linspace(0, 4, 101)),
    "hybrid": lambda: HybridExplorer(arm(), [0.4, -0.5, 0.1, 0.5], [1, 2, 0, 1], qdd=[2]),
}


@pytest.fixture
def put_on_page(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Serve one widget on a page and open it. `kernel`: Python answers; `expose`: functions of the view to call."""
    closing: list[Callable[[], Any]] = []

    def put(widget: Explorer, *, kernel: bool = False, expose: str = "", **context: Any) -> Page:
        state = widget.get_state()
        model = {key: state[key] for key in ("request", "answer", "scene")}
        files = {
            "/": ("text/html", PAGE),
            "/view.js": (
                "text/javascript",
                state["_esm"] + (f"\nexport {{ {expose} }};" if expose else ""),
            ),
            "/view.css": ("text/css", state["_css"]),
            "/state.json": ("application/json", json.dumps(model, allow_nan=False)),
        }

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                kind, text = files[self.path]
                self.send_response(200)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, format: str, *arguments: Any) -> None:
                """Say nothing of each request."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = chromium.new_context(
            **{"viewport": {"width": 1280, "height": 900}, **context}
        ).new_page()
        closing.extend([page.context.close, server.shutdown, server.server_close])
        errors: list[str] = []
        page.on("console", lambda message: message.type == "error" and errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        closing.insert(0, lambda: pytest.fail(f"errors on the page: {errors}") if errors else None)
        if kernel:

            def python(request: dict) -> dict:
                widget.set_state({"request": request})
                return widget.answer

            page.expose_function("python", python)
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.wait_for_selector(".chaindyn")
        return page

    yield put
    for close in closing:
        close()


def request_of(page: Page) -> dict:
    return page.evaluate("model.get('request')")


def rows_of(page: Page) -> list[list[str]]:
    """The numbers shown, row by row, once the picture is drawn."""
    page.evaluate("new Promise(requestAnimationFrame)")
    page.evaluate("new Promise(requestAnimationFrame)")
    return [row.locator("td").all_inner_texts() for row in page.locator(".chaindyn tbody tr").all()]


def as_shown(*columns: list[float]) -> list[list[str]]:
    def shown(x: float) -> str:
        return f"{round(x, 2) + 0:.2f}".replace("-0.00", "0.00").replace("-", "\u2212")

    return [[shown(x) for x in row] for row in zip(*columns, strict=True)]


def screw_rows(widget: ScrewExplorer, request: dict) -> list[list[str]]:
    values = widget.compute(request)
    return [
        row
        for part in ("motion", "force")
        for row in as_shown(values[part]["O"], values[part]["B"])
    ]


def centre(target: Locator) -> tuple[float, float]:
    for _ in range(20):  # strokes are drawn anew: one may be replaced while it is measured
        if box := target.bounding_box():
            return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    raise AssertionError(f"{target} is not on the page")


def drag(page: Page, start: tuple[float, float], by: tuple[float, float], steps: int = 8) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + by[0], start[1] + by[1], steps=steps)
    page.mouse.up()


# --- Without Python ---------------------------------------------------------------------------------------------------


def test_the_page_computes_what_python_computes_screw(put_on_page):
    widget = ScrewExplorer()
    page = put_on_page(widget, expose="fromTables")
    rng = np.random.default_rng(2)
    for _ in range(5):
        request = json.loads(json.dumps(widget.request))
        for part in ("motion", "force"):
            direction = rng.normal(size=3)
            direction = (direction / np.linalg.norm(direction)).tolist()
            pitch, size = rng.normal(size=2).tolist()
            request[part] = {
                "point": rng.normal(size=3).tolist(),
                "direction": direction,
                "pitch": pitch,
                "size": size,
            }
        request["frame"] = {"origin": rng.normal(size=3).tolist(), "turn": rng.uniform(-180, 180)}
        ask = "request => inside.fromTables(model.get('scene').tables, model.get('scene').lattice, request)"
        here, there = widget.compute(request), page.evaluate(ask, request)
        for part in ("motion", "force"):
            for frame in "OB":
                assert normwise(there[part][frame], here[part][frame]) <= 100 * EPS
        scale = np.linalg.norm(here["motion"]["O"]) * np.linalg.norm(here["force"]["O"])
        assert abs(there["power"]["B"] - here["power"]["O"]) <= 100 * EPS * scale
        assert normwise(there["field"], here["field"]) <= 100 * EPS


@pytest.mark.parametrize("frame", ["world", "body", "mixed"])
def test_the_page_computes_what_python_computes_chain(put_on_page, frame):
    chain = arm()
    widget = ChainExplorer(chain, frame=frame)
    page = put_on_page(widget, expose="fromTree")
    for seed in range(3):
        q, _ = chaindyn.random_state(chain, seed)
        for body in range(chain.n):
            request = {"q": q.tolist(), "body": body, "frame": frame}
            there = page.evaluate(
                "request => inside.fromTree(model.get('scene'), request)", request
            )
            here = widget.compute(request)
            assert set(there) == set(here)
            for name in here:
                assert normwise(there[name], here[name]) <= 100 * EPS * chain.n, (name, body)


def test_the_page_computes_what_python_computes_heft(put_on_page):
    chain = arm()
    widget = HeftExplorer(chain)
    page = put_on_page(widget, expose="fromInertias")
    for seed in range(3):
        q, _ = chaindyn.random_state(chain, seed)
        for body in range(chain.n):
            request = {"q": q.tolist(), "body": body}
            there = page.evaluate(
                "request => inside.fromInertias(model.get('scene'), request)", request
            )
            here = widget.compute(request)
            assert set(there) == set(here)
            for name in here:
                assert normwise(there[name], here[name]) <= 1000 * EPS * chain.n, (name, body)


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
    assert rows_of(page)[-1] == [f"{least:.2f}", f"{greatest:.2f}"]
    bent = request_of(page)["q"][1]
    field = page.get_by_role("spinbutton", name="link1")
    field.fill("60")
    assert abs(request_of(page)["q"][1] - np.pi / 3) < 1e-3 < abs(bent - np.pi / 3)
    rows_of(page)  # until the link is drawn where it is now
    drag(page, centre(page.locator('[data-grab="1"]').first), (-30, 20))
    assert abs(request_of(page)["q"][1] - np.pi / 3) > 0.01


# --- A brick that spins -----------------------------------------------------------------------------------------------


def no_bias(inertia: np.ndarray, a: np.ndarray, v: np.ndarray) -> np.ndarray:
    return inertia @ a


def runs_away(inertia: np.ndarray, a: np.ndarray, v: np.ndarray) -> np.ndarray:
    return inertia @ (a - np.r_[v[:3] ** 2, v[3:]])


@pytest.mark.parametrize("function", [chaindyn.newton_euler, no_bias, runs_away])
def test_the_page_computes_what_python_computes_inertia(put_on_page, function):
    widget = InertiaExplorer(newton_euler=function)
    page = put_on_page(widget, expose="fromTables")
    rng = np.random.default_rng(5)
    for _ in range(4):
        request = {
            "sides": rng.uniform(0.3, 1.5, 3).tolist(),
            "spin": rng.uniform(-4, 4, 3).tolist(),
        }
        there = page.evaluate("request => inside.fromTables(model.get('scene'), request)", request)
        here = widget.compute(request)
        assert set(there) == set(here)
        for name in here:  # Python rounds to six places, and near the middle axis flights part
            assert np.shape(there[name]) == np.shape(here[name])
            assert normwise(there[name], here[name]) <= 1e-5, name


def verdict_of(page: Page) -> str:
    rows_of(page)
    return page.locator(".work").inner_text()


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
    page = put_on_page(InertiaExplorer())
    page.get_by_role("button", name=f"throw about the {side} side").click()
    assert np.argmax(request_of(page)["spin"]) == axis
    assert verdict_of(page).startswith(f"{STAYS} {'xyz'[axis]} {often}")
    time = page.get_by_role("slider", name="time [s], slider")
    page.wait_for_function("slider => Number(slider.value) > 0.1", arg=time.element_handle())
    page.get_by_role("button", name="stop").click()
    expect(page.get_by_role("button", name="play")).to_be_visible()
    at = time.input_value()
    page.wait_for_timeout(100)
    assert time.input_value() == at


def test_a_brick_by_mouse_and_keyboard(put_on_page):
    widget = InertiaExplorer(sides=(1.2, 0.8, 0.2))
    page = put_on_page(widget)
    page.get_by_role("button", name="view x\u2013y").click()
    rows_of(page)
    per_metre = 130 * page.locator(".chaindyn svg").bounding_box()["width"] / 480
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
    page.get_by_role("button", name="view x\u2013y").click()
    page.get_by_role("spinbutton", name="time [s]").fill("2")
    rows_of(page)
    per_metre = 130 * page.locator(".chaindyn svg").bounding_box()["width"] / 480
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


# --- Each of them -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WIDGETS)
def test_it_is_there_without_python_and_says_so(put_on_page, name):
    page = put_on_page(WIDGETS[name]())
    expect(page.locator(".source")).to_contain_text("No Python is answering: computed by the page")
    expect(page.locator(".error")).to_be_empty()
    assert page.locator(".chaindyn svg polyline").count() > 10
    assert all(all(row) for row in rows_of(page))
    expect(page.locator("[role=status]")).not_to_be_empty()


def test_screw_by_mouse(put_on_page):
    widget = ScrewExplorer()
    page = put_on_page(widget)
    assert rows_of(page) == screw_rows(widget, widget.request)
    page.get_by_role("button", name="view x\u2013y").click()
    handle = page.get_by_role("button", name="Point on the motion axis")
    before = request_of(page)["motion"]["point"]
    zoom = 95 * page.locator(".chaindyn svg").bounding_box()["width"] / 480  # pixels a metre
    drag(page, centre(handle), (zoom * 0.5, -zoom * 0.25))
    request = request_of(page)
    np.testing.assert_allclose(
        request["motion"]["point"], np.add(before, [0.5, 0.25, 0]), atol=0.011
    )
    assert rows_of(page) == screw_rows(widget, request) != screw_rows(widget, widget.request)
    drag(page, centre(page.get_by_role("button", name="Direction of the force axis")), (-60, -40))
    request = request_of(page)
    assert np.linalg.norm(request["force"]["direction"]) == pytest.approx(1, abs=1e-12)
    assert request["force"]["direction"] != widget.request["force"]["direction"]
    assert rows_of(page) == screw_rows(widget, request)
    drag(page, centre(page.get_by_role("button", name="Origin of frame B")), (30, 10))
    assert request_of(page)["frame"]["origin"] != widget.request["frame"]["origin"]
    assert rows_of(page) == screw_rows(widget, request_of(page))


def test_reciprocal_screws_do_no_work(put_on_page):
    """Two lines that meet: the force goes through a point that the rotation does not move."""
    meet = {"point": (0, 0, 0.5), "pitch": 0}
    widget = ScrewExplorer(
        motion={**meet, "direction": (0, 0, 1)}, force={**meet, "direction": (1, 0, 0)}
    )
    page = put_on_page(widget)
    expect(page.locator(".work")).to_contain_text("reciprocal: the force does no work")
    page.get_by_role("spinbutton", name="force pitch [m]").fill("0.5")
    expect(page.locator(".work")).to_contain_text(
        "reciprocal"
    )  # at right angles a moment does no work either
    page.get_by_role("spinbutton", name="force point y [m]").fill("1")
    expect(page.locator(".work")).to_have_text(
        "Power m\u00b7f: \u22122.00 W, about O and about B alike."
    )


def test_screw_by_keyboard(put_on_page):
    widget = ScrewExplorer()
    page = put_on_page(widget)
    picture = page.get_by_role("application")
    picture.focus()
    strokes = page.locator(".chaindyn svg g").first.inner_html()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    page.wait_for_function(
        "old => document.querySelector('.chaindyn svg g').innerHTML !== old", arg=strokes
    )
    assert request_of(page)["motion"] == widget.request["motion"]
    page.get_by_role("button", name="view x\u2013z").press("Enter")
    picture.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Direction of the motion axis")).to_be_focused()
    page.keyboard.press("Tab")
    handle = page.get_by_role("button", name="Point on the motion axis")
    expect(handle).to_be_focused()
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowUp"):
        page.keyboard.press(key)
    expect(handle).to_be_focused()
    np.testing.assert_allclose(request_of(page)["motion"]["point"], [0.7, 0.2, 0.25], atol=1e-9)
    slider = page.get_by_role("slider", name="motion pitch [m/rad], slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert request_of(page)["motion"]["pitch"] == pytest.approx(0.15)
    field = page.get_by_role("spinbutton", name="motion rate [rad/s]")
    field.fill("-1.25")
    assert request_of(page)["motion"]["size"] == -1.25
    expect(field).to_have_value("-1.25")
    assert rows_of(page) == screw_rows(widget, request_of(page))


def test_a_number_can_be_typed_and_rubbed_out(put_on_page):
    """The field is not written to while it is typed in, and an empty one asks for nothing."""
    page = put_on_page(ScrewExplorer())
    field = page.get_by_role("spinbutton", name="motion point x [m]")
    field.fill("")
    expect(field).to_have_value("")
    assert request_of(page)["motion"]["point"][0] == 0.6
    field.press_sequentially("-0.50")
    expect(field).to_have_value("-0.50")
    assert request_of(page)["motion"]["point"][0] == -0.5


def touch(page: Page, start: tuple[float, float], by: tuple[float, float]) -> None:
    session = page.context.new_cdp_session(page)
    for share in np.linspace(0, 1, 9):
        at = {"x": start[0] + share * by[0], "y": start[1] + share * by[1]}
        kind = "touchMove" if share else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


PHONE = {
    "viewport": {"width": 390, "height": 600},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}


def test_screw_by_touch(put_on_page):
    widget = ScrewExplorer()
    page = put_on_page(widget, **PHONE)
    touch(page, centre(page.get_by_role("button", name="Point on the motion axis")), (30, 45))
    request = request_of(page)
    assert (
        np.linalg.norm(np.subtract(request["motion"]["point"], widget.request["motion"]["point"]))
        > 0.3
    )
    assert rows_of(page) == screw_rows(widget, request)
    assert page.evaluate("scrollY") == 0, "pulling at a handle must not scroll the page"


def test_a_finger_on_the_background_scrolls_the_page_or_turns_the_view(put_on_page):
    page = put_on_page(ScrewExplorer(), **PHONE)
    box = page.locator(".chaindyn svg").bounding_box()
    background = (box["x"] + 25, box["y"] + box["height"] - 40)
    strokes = page.locator(".chaindyn svg g").first.inner_html()
    touch(page, background, (90, 0))
    page.wait_for_function(
        "old => document.querySelector('.chaindyn svg g').innerHTML !== old", arg=strokes
    )
    touch(page, background, (0, -200))
    page.wait_for_function("scrollY > 50")


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
    page.get_by_role("button", name="view x\u2013y").click()
    page.evaluate("new Promise(requestAnimationFrame)")
    svg = page.locator(".chaindyn svg").bounding_box()
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
    page.get_by_role("button", name="view x\u2013y").click()
    page.evaluate("new Promise(requestAnimationFrame)")
    touch(page, centre(page.locator("[data-grab='1']")), (0, -40))
    first, second = request_of(page)["q"]
    assert first == 0.5
    assert second > -0.5
    assert page.evaluate("scrollY") == 0, "pulling at a link must not scroll the page"


def test_a_view_that_is_closed_listens_no_more(put_on_page):
    page = put_on_page(ScrewExplorer())
    assert page.evaluate("Object.values(listeners).flat().length") == 2
    page.evaluate("close_view()")
    assert page.evaluate("Object.values(listeners).flat().length") == 0


# --- With Python ------------------------------------------------------------------------------------------------------


def test_python_answers_from_the_start_and_while_dragging(put_on_page):
    widget = ScrewExplorer()
    page = put_on_page(widget, kernel=True)
    expect(page.locator(".source")).to_have_text(
        "Computed by Python with your screw, X_motion, X_force."
    )
    drag(page, centre(page.get_by_role("button", name="Point on the motion axis")), (50, 20))
    page.wait_for_function("model.get('answer').serial === model.get('request').serial")
    assert widget.request == request_of(page)
    assert rows_of(page) == screw_rows(widget, widget.request)


def test_an_error_of_the_readers_function_is_shown_and_goes_away(put_on_page):
    def fragile(E, r):
        if r[0] > 4:
            raise ArithmeticError("too far out")
        return X_motion(E, r)

    page = put_on_page(ScrewExplorer(X_motion=fragile), kernel=True)
    field = page.get_by_label("B origin x [m]")
    page.get_by_text("Frame B", exact=True).click()
    field.fill("5")
    expect(page.get_by_role("alert")).to_contain_text(
        "ArithmeticError: too far out; in X_motion, line"
    )
    expect(page.locator(".source")).to_contain_text(
        "Python reports an error: computed by the page from embedded"
    )
    field.fill("1")
    expect(page.locator(".error")).to_be_empty()
    expect(page.locator(".source")).to_contain_text("Computed by Python")


def test_frames_that_disagree_on_the_power_are_told(put_on_page):
    page = put_on_page(ScrewExplorer(X_force=X_motion), kernel=True)
    expect(page.locator(".work")).to_contain_text("It must not depend on the frame.")


def test_a_python_that_does_not_answer_is_done_without(put_on_page):
    page = put_on_page(ScrewExplorer(), kernel=True)
    expect(page.locator(".source")).to_contain_text("Computed by Python")
    page.evaluate(
        "() => { const python = window.python; window.python = () => new Promise(() => {}); window.back = python }"
    )
    page.get_by_role("spinbutton", name="motion pitch [m/rad]").fill("0.75")
    expect(page.locator(".source")).to_contain_text("No Python is answering")
    assert rows_of(page)[5][0] == "0.75"  # at pitch 0.75 m/rad, 1 rad/s
    page.evaluate("() => { window.python = window.back }")
    page.get_by_role("spinbutton", name="motion pitch [m/rad]").fill("0.25")
    expect(page.locator(".source")).to_contain_text("Computed by Python")
    assert rows_of(page)[5][0] == "0.25"


def test_without_python_a_function_no_table_holds_is_told(put_on_page):
    def curved(point, direction, pitch=0):
        return chaindyn.screw(np.asarray(point) ** 2, direction, pitch)

    page = put_on_page(ScrewExplorer(screw=curved))
    expect(page.get_by_role("alert")).to_contain_text(
        "These functions are not linear where screws are"
    )


# --- For everyone -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WIDGETS)
@pytest.mark.parametrize(
    ("width", "scheme"), [MODES[0], *(pytest.param(*m, marks=pytest.mark.slow) for m in MODES[1:])]
)
def test_it_is_accessible_and_fits(put_on_page, name, scheme, width):
    page = put_on_page(
        WIDGETS[name](), viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    closed = page.locator("details:not([open]) summary")
    while closed.count():
        closed.first.click()
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = (
        Axe().run(page, options={"runOnly": {"type": "tag", "values": tags}}).response["violations"]
    )
    assert not found, [(rule["id"], rule["nodes"][0]["html"]) for rule in found]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = (
        "[...document.querySelectorAll('.chaindyn :is(button, input, select, summary, .reach)')]"
    )
    small += ".filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 24).map(e => e.outerHTML)"
    assert page.evaluate(small) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_of_the_page_wins_over_that_of_the_system(put_on_page, theme):
    page = put_on_page(ScrewExplorer(), color_scheme="light" if theme == "dark" else "dark")
    paper = "getComputedStyle(document.querySelector('.chaindyn')).backgroundColor"
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    assert page.evaluate(paper) == {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 27, 33)"}[theme]
    page.evaluate("delete document.documentElement.dataset.theme")
    page.evaluate(f"document.body.dataset.jpThemeLight = '{str(theme == 'light').lower()}'")
    assert page.evaluate(paper) == {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 27, 33)"}[theme]


# --- ImpactExplorer ---------------------------------------------------------------------------------------------------


def plane_rods(**options: Any) -> ImpactExplorer:
    return ImpactExplorer(links=2, q=[0.5, -0.7], qd=[1, 0.5], normal=(0, -1, 0), **options)


def impact_rows(widget: ImpactExplorer, request: dict) -> list[list[str]]:
    values = widget.compute({**request, "map": None})
    column = widget.scene["chains"][request["chain"]]["column"]
    rows = []
    for k, force, moment in zip(column, values["reactions"], values["moments"], strict=True):
        was, now = (0, 0) if k is None else (request["qd"][k], values["qd_after"][k])
        numbers = [was, now, now - was, np.linalg.norm(force), np.linalg.norm(moment)]
        texts = [as_shown([x])[0][0] for x in numbers]
        rows.append(texts if k is not None else ["\u2013"] * 3 + texts[3:])
    return rows


def plot_place(page: Page, across: float, up: float) -> tuple[float, float]:
    """Where on the page these shares of the way across and up the map are."""
    box = page.locator(".chaindyn .map .plot").bounding_box()
    assert box is not None
    return box["x"] + across * box["width"], box["y"] + (1 - up) * box["height"]


@pytest.mark.parametrize("feel", [["jump", 2], ["reaction", 0]])
@pytest.mark.parametrize("body", ["slide", "tool", "finger"])
def test_the_page_computes_what_python_computes_impact(put_on_page, body, feel):
    chain = arm()
    widget = struck_arm(body=body, axes=(1, "along"))
    page = put_on_page(widget, expose="fromMasses")
    rng = np.random.default_rng(4)
    for seed in range(2):
        q, qd = chaindyn.random_state(chain, seed)
        normal, point = rng.normal(size=(2, 3))
        request = {**widget.request, "q": q, "qd": qd, "point": point, "restitution": 0.3}
        request |= {"normal": normal / np.linalg.norm(normal), "feel": feel}
        for sign in (1, -1):  # of the two, one approaches
            request["qd"] = sign * qd
            sent = json.loads(json.dumps(plain(request)))
            here = plain(widget.compute({**sent, "map": "k" if seed == 0 else None}))
            ask = "request => inside.fromMasses(model.get('scene').chains[0], request)"
            there = page.evaluate(ask, {**sent, "map": "k" if seed == 0 else None})
            assert set(there) == set(here)
            # M is formed and factorised here, and not in Python, which sweeps: both lose by its conditioning
            bound = 100 * EPS * np.linalg.cond(chaindyn_mass_matrix(chain, q)) * chain.n
            for name in set(here) - {"map", "impulse"}:
                assert normwise(there[name], here[name]) <= bound, name
            assert there["impulse"] == pytest.approx(here["impulse"], rel=bound)
            for name in ("impulse", "mass", "felt") if seed == 0 else ():
                got, wanted = (np.array(x["map"][name], float) for x in (there, here))
                assert normwise(got, wanted) <= 1e-9, name


def chaindyn_mass_matrix(chain: Chain, q: np.ndarray) -> np.ndarray:
    J = [chaindyn.body_jacobian(chain, q, i) for i in range(chain.n)]
    return sum(j.T @ inertia @ j for j, inertia in zip(J, chain.spatial_inertia, strict=True))


def test_impact_by_mouse(put_on_page):
    widget = plane_rods()
    page = put_on_page(widget)
    assert rows_of(page) == impact_rows(widget, widget.request)
    per_metre = page.evaluate(
        "() => { const g = [...document.querySelectorAll('[data-grab]')][0].getBoundingClientRect();"
        " return Math.hypot(g.width, g.height); }"
    )
    at = centre(page.get_by_role("button", name="Point of the blow"))
    drag(page, at, (-0.3 * per_metre * np.cos(-0.2), 0.3 * per_metre * np.sin(-0.2)))
    request = request_of(page)
    assert request["point"] == pytest.approx([0.7, 0, 0], abs=0.03)
    assert request["point"][1:] == [0, 0]  # it stays on the rod that it is pulled along
    assert rows_of(page) == impact_rows(widget, request) != impact_rows(widget, widget.request)
    drag(page, centre(page.get_by_role("button", name="Direction of the blow")), (40, 0))
    request = request_of(page)
    assert np.linalg.norm(request["normal"]) == pytest.approx(1, abs=1e-12)
    assert request["normal"][0] < -0.2
    assert rows_of(page) == impact_rows(widget, request)
    drag(page, centre(page.locator("[data-grab='1']")), (0, -30))
    assert request_of(page)["q"][1] > -0.7
    assert rows_of(page) == impact_rows(widget, request_of(page))


def test_a_posture_is_chosen_in_the_map(put_on_page):
    widget = plane_rods()
    page = put_on_page(widget)
    expect(page.locator(".map .cells rect").first).to_be_attached()
    page.mouse.click(*plot_place(page, 0.75, 0.4))
    q = request_of(page)["q"]
    assert q == pytest.approx([np.pi / 2, -0.2 * np.pi], abs=0.05)
    assert rows_of(page) == impact_rows(widget, request_of(page))
    ring = page.get_by_role("button", name="The present posture in the map")
    assert centre(ring) == pytest.approx(plot_place(page, 0.75, 0.4), abs=2)
    drag(page, centre(ring), (-60, 20))
    assert request_of(page)["q"][0] < q[0] - 0.3
    assert request_of(page)["q"][1] < q[1] - 0.1
    ring.focus()
    before = request_of(page)["q"]
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowUp"):
        page.keyboard.press(key)
    expect(ring).to_be_focused()
    moved = np.rad2deg(np.subtract(request_of(page)["q"], before))
    assert moved == pytest.approx([4, 15], abs=0.01)
    assert rows_of(page) == impact_rows(widget, request_of(page))


def test_impact_by_keyboard_and_numbers(put_on_page):
    widget = plane_rods()
    page = put_on_page(widget)
    handle = page.get_by_role("button", name="Direction of the blow")
    handle.focus()
    page.keyboard.press("ArrowLeft")
    expect(handle).to_be_focused()
    assert request_of(page)["normal"][0] > 0
    fill = lambda name, value: page.get_by_role("spinbutton", name=name, exact=True).fill(value)  # noqa: E731
    fill("blow turn [\u00b0]", "-60")
    fill("restitution", "1")
    fill("speed of rod 1 [rad/s]", "2")
    fill("rod 2 [\u00b0]", "30")
    fill("blow point x [m]", "0.5")
    request = request_of(page)
    assert request["normal"] == pytest.approx([0.5, -np.sqrt(0.75), 0])
    assert (request["restitution"], request["qd"], request["point"]) == (1, [2, 0.5], [0.5, 0, 0])
    assert rows_of(page) == impact_rows(widget, request)
    expect(page.locator(".result")).to_contain_text("Energy lost: 0.00 J")
    page.get_by_role("slider", name="blow along link, slider").focus()
    page.keyboard.press("ArrowRight")
    assert request_of(page)["point"][0] == pytest.approx(0.51)
    fill("restitution", "3")
    assert request_of(page)["restitution"] == 1
    fill("speed of rod 1 [rad/s]", "-2")
    expect(page.locator(".result")).to_contain_text("No blow: the point is leaving the wall")
    expect(page.locator(".map .cells rect").first).to_be_attached()


def test_the_hinge_of_a_rod_feels_nothing_at_its_centre_of_percussion(put_on_page):
    page = put_on_page(ImpactExplorer(links=1, q=[0.0], normal=(0, -1, 0)))
    assert rows_of(page)[0][3] == "0.25"
    page.get_by_role("spinbutton", name="blow along link", exact=True).fill("0.6667")
    assert rows_of(page)[0][3] == "0.00"
    page.wait_for_function("document.querySelector('.map .zero').getAttribute('d')")
    expect(page.locator(".key").last).to_contain_text("bearing rod 1 feels nothing along the blow")
    page.get_by_text("Map", exact=True).click()
    page.get_by_role("combobox", name="Shading").select_option("mass")
    expect(page.locator(".shade + span")).to_contain_text("kg")
    page.get_by_role("combobox", name="Line where").select_option("jump 0")
    expect(page.locator(".key").last).to_contain_text("joint rod 1 keeps its speed")


def test_another_chain_can_be_struck(put_on_page):
    widget = struck_arm()
    page = put_on_page(widget, kernel=True)
    page.get_by_role("combobox", name="Chain").select_option("3 equal rods")
    expect(page.locator(".source")).to_have_text("Computed by Python with your impact.")
    page.wait_for_function("model.get('answer').serial === model.get('request').serial")
    request = request_of(page)
    assert len(request["q"]) == 3
    assert rows_of(page) == impact_rows(widget, request)
    page.get_by_text("Map", exact=True).click()
    page.get_by_role("combobox", name="Across").select_option("rod 1")
    assert request_of(page)["axes"] == [0, 2]
    page.wait_for_function("model.get('answer').serial === model.get('request').serial")
    page.wait_for_function("!document.querySelector('.map .cells.late')")
    page.get_by_role("combobox", name="Chain").select_option("this chain")
    page.wait_for_function("model.get('answer').serial === model.get('request').serial")
    assert rows_of(page) == impact_rows(widget, request_of(page))


def test_impact_by_touch(put_on_page):
    page = put_on_page(plane_rods(), **PHONE)
    touch(page, centre(page.get_by_role("button", name="Point of the blow")), (-40, 5))
    assert request_of(page)["point"][0] < 0.9
    ring = page.get_by_role("button", name="The present posture in the map")
    ring.scroll_into_view_if_needed()
    down = page.evaluate("scrollY")
    touch(page, centre(ring), (30, 45))
    assert request_of(page)["q"][1] < -0.9
    assert page.evaluate("scrollY") == down, "pulling at the ring must not scroll the page"


def test_a_finger_taps_the_map(put_on_page):
    page = put_on_page(plane_rods(), **PHONE)
    plot = page.locator(".map .plot")
    box = plot.bounding_box()
    plot.tap(position={"x": 0.25 * box["width"], "y": 0.5 * box["height"]})
    page.wait_for_function("model.get('request').q[0] < -1")
    assert request_of(page)["q"] == pytest.approx([-np.pi / 2, 0], abs=0.05)


def test_python_and_page_draw_one_map(put_on_page):
    widget = plane_rods()
    pages = [put_on_page(widget, kernel=kernel) for kernel in (False, True)]
    for page in pages:
        page.wait_for_function("document.querySelector('.map .zero').getAttribute('d')")
    expect(pages[1].locator(".source")).to_have_text("Computed by Python with your impact.")
    expect(pages[1].locator(".map .cells.late")).to_have_count(0)
    lines = [page.locator(".map .zero").get_attribute("d") for page in pages]
    assert lines[0] == lines[1]


def test_an_error_in_the_map_alone_is_shown(put_on_page):
    def one_at_a_time(chain, q, qd, **options):
        if q.ndim > 1:
            raise ArithmeticError("one at a time")
        return chaindyn.impact(chain, q, qd, **options)

    page = put_on_page(plane_rods(impact=one_at_a_time), kernel=True)
    expect(page.get_by_role("alert")).to_contain_text("ArithmeticError: one at a time; in impact")
    expect(page.locator(".source")).to_have_text("Computed by Python with your impact.")


def test_a_blow_that_is_not_a_number_is_shown_as_that(put_on_page):
    def lost(chain, q, qd, **options):
        blow = chaindyn.impact(chain, q, qd, **options)
        return chaindyn.Impact(**{name: np.nan * value for name, value in vars(blow).items()})

    page = put_on_page(plane_rods(impact=lost), kernel=True)
    expect(page.locator(".source")).to_have_text("Computed by Python with your impact.")
    expect(page.locator(".result")).to_contain_text("Impulse nan N s")
    assert rows_of(page)[0] == ["1.00", "nan", "nan", "nan", "nan"]
    expect(page.locator(".map .cells.late")).to_have_count(0)


def test_the_longest_choices_fit_on_a_phone(put_on_page):
    page = put_on_page(struck_arm(), viewport={"width": 340, "height": 700})
    page.get_by_text("Map", exact=True).click()
    edge = page.locator(".chaindyn").bounding_box()
    for choice in page.locator(".chaindyn select").all():
        box = choice.bounding_box()
        assert box["x"] + box["width"] <= edge["x"] + edge["width"] - 10


# --- A brick to turn --------------------------------------------------------------------------------------------------


def test_the_page_computes_what_python_computes_rotation(put_on_page):
    widget = RotationExplorer()
    page = put_on_page(widget, expose="fromVectors")
    rng = np.random.default_rng(7)
    vectors = [*rng.normal(size=(4, 3)), np.zeros(3), [3.1, 0.3, -0.2], [1e-9, 0, 0], [0, -4, 2]]
    for w in vectors:
        request = {"w": list(w), "target": rng.normal(size=3).tolist()}
        there = page.evaluate("request => inside.fromVectors(model.get('scene'), request)", request)
        here = widget.compute(request)
        assert set(there) == set(here)
        for name in here:
            error = np.linalg.norm(np.subtract(there[name], here[name]))
            assert error <= 100 * EPS * max(1, np.linalg.norm(here[name])), (name, w)


def matrix_of(page: Page) -> np.ndarray:
    rows = [[float(x.replace("\u2212", "-")) for x in row] for row in rows_of(page)]
    return np.array(rows[:3])


def test_a_brick_turns_with_the_pointer(put_on_page):
    """What is taken hold of, a point of a ball of 0.8 m, stays under the pointer."""
    page = put_on_page(RotationExplorer(w=(0, 0, 0)))
    page.get_by_role("button", name="view x\u2013y").click()
    rows_of(page)
    svg = page.locator(".chaindyn svg").bounding_box()
    middle = svg["x"] + svg["width"] / 2 - 70, svg["y"] + svg["height"] / 2 + 25
    drag(page, middle, (60, 0), steps=20)
    start, end = np.array([[-70, -25], [-10, -25]]) * 480 / svg["width"] / 132
    ball = [np.array([*at, np.sqrt(0.8**2 - at @ at)]) for at in (start, end)]
    turned = page.evaluate("model.get('request').w")
    # Each step of the drag turns about its own axis; all of them take the point along.
    assert normwise(chaindyn.exp_so3(np.array(turned)) @ ball[0], ball[1]) <= 1e-6
    assert normwise(matrix_of(page), chaindyn.exp_so3(np.array(turned))) <= 0.01


def test_a_rotation_by_keyboard_and_numbers(put_on_page):
    page = put_on_page(RotationExplorer(w=(0, 0, 1)))
    page.get_by_role("button", name="view x\u2013y").click()
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
    page.get_by_text("Target", exact=True).click()
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
    page = put_on_page(RotationExplorer())
    page.get_by_role("button", name="play").click()
    slider = page.get_by_role("slider", name="s, slider")
    page.wait_for_function("slider => Number(slider.value) > 0.05", arg=slider.element_handle())
    page.get_by_role("button", name="stop").click()
    at = slider.input_value()
    page.wait_for_timeout(100)
    assert slider.input_value() == at
    page.get_by_role("spinbutton", name="w x [rad]").fill("1")
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


# --- A mass matrix to point at ----------------------------------------------------------------------------------------


def test_the_page_computes_what_python_computes_mass(put_on_page):
    chain = arm()
    widget = MassMatrixExplorer(chain)
    page = put_on_page(widget, expose="fromBodies")
    for seed in range(3):
        request = {"q": chaindyn.random_state(chain, seed)[0].tolist()}
        there = page.evaluate("request => inside.fromBodies(model.get('scene'), request)", request)
        here = widget.compute(request)
        assert set(there) == set(here)
        for name in here:
            assert normwise(there[name], here[name]) <= 100 * EPS * chain.n, name


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


# --- What each joint must do ------------------------------------------------------------------------------------------


def test_the_page_computes_what_python_computes_effort(put_on_page):
    chain = arm()
    widget = EffortExplorer(chain, tip=(0.1, 0.2, -0.3))
    page = put_on_page(widget, expose="fromLaws")
    for seed in range(3):
        q, qd = chaindyn.random_state(chain, seed)
        qdd = np.random.default_rng(seed).normal(size=4)
        request = {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist(), "load": 0.7}
        there = page.evaluate("request => inside.fromLaws(model.get('scene'), request)", request)
        here = widget.compute(request)
        assert set(there) == set(here)
        for name in here:
            assert normwise(there[name], here[name]) <= 200 * EPS * chain.n, name


def bars_of(page: Page) -> list[list[float]]:
    return [[float(x.replace("\u2212", "-")) for x in row] for row in rows_of(page)]


def expected_bars(widget: EffortExplorer, page: Page) -> np.ndarray:
    parts = widget.compute(request_of(page))["parts"]
    return np.vstack([parts, parts.sum(0)]).T


def test_efforts_by_number_keyboard_and_mouse(put_on_page):
    widget = EffortExplorer(planar(), [0.5, -0.7], tip=(1, 0, 0))
    page = put_on_page(widget)
    np.testing.assert_array_equal(bars_of(page), np.zeros((2, 5)))  # its axes are upright
    page.get_by_role("spinbutton", name="velocity [rad/s]").fill("2")
    assert request_of(page)["qd"] == [2, 0]
    page.get_by_label("Joint", exact=True).select_option(label="link1")
    slider = page.get_by_role("slider", name="acceleration [rad/s\u00b2], slider")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert request_of(page)["qdd"] == pytest.approx([0, 0.5])
    np.testing.assert_allclose(bars_of(page), expected_bars(widget, page), atol=0.006)
    page.get_by_role("spinbutton", name="load [kg]").fill("1.5")
    assert request_of(page)["load"] == 1.5
    page.get_by_role("button", name="view x\u2013y").click()
    rows_of(page)
    before = request_of(page)["q"]
    drag(page, centre(page.locator("[data-grab='1']").first), (-30, 20))
    assert request_of(page)["q"] != before
    np.testing.assert_allclose(bars_of(page), expected_bars(widget, page), atol=0.006)
    page.get_by_role("button", name="hold still").click()
    page.get_by_role("button", name="no load").click()
    assert request_of(page)["qd"] == request_of(page)["qdd"] == [0, 0]
    np.testing.assert_array_equal(bars_of(page), np.zeros((2, 5)))


def test_an_effort_is_told_in_words(put_on_page):
    """A rod of 1 kg, level, its centre half a metre out: a torque of m g / 2 about the axis y, and a force of m g."""
    rod = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), INERTIA, name="rod")
    page = put_on_page(EffortExplorer(Chain([rod]), tip=(1, 0, 0), load=2))
    parts = "\u22124.91 (weight) + 0.00 (velocity) + 0.00 (acceleration) \u2212 19.62 (load)"
    expect(page.locator(".work")).to_contain_text(f"Joint rod: \u221224.53 N\u00a0m = {parts}.")
    carried = "a force of 29.43 N (arrow) and a moment of 24.53 N m"
    expect(page.locator(".chaindyn p").filter(has_text=carried)).to_be_visible()
    page.get_by_role("spinbutton", name="velocity [rad/s]").fill("2")
    expect(page.locator(".work")).to_contain_text("the motor gives \u221249.05 W")


def test_efforts_by_touch(put_on_page):
    page = put_on_page(EffortExplorer(arm()), **PHONE)
    before = request_of(page)["q"]
    touch(page, centre(page.locator("[data-grab='4']")), (10, 30))
    assert request_of(page)["q"] != before
    assert page.evaluate("scrollY") == 0


def test_functions_that_disagree_on_an_effort_are_told(put_on_page):
    def without_load(chain, q, qd, qdd, *, external=None, **options):
        return chaindyn.rnea(chain, q, qd, qdd)

    level = [0, np.pi / 2, 0.1, 0.2]
    page = put_on_page(EffortExplorer(arm(), level, rnea=without_load, load=1), kernel=True)
    expect(page.get_by_role("alert")).to_contain_text("rnea and joint_wrenches disagree at joint")
    page.get_by_role("button", name="no load").click()
    expect(page.locator(".error")).to_be_empty()
    expect(page.locator(".source")).to_have_text(
        "Computed by Python with your rnea, joint_wrenches."
    )


# --- Told or free -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("told", range(16))
def test_the_page_computes_what_python_computes_hybrid(put_on_page, told):
    chain = arm()
    widget = HybridExplorer(chain)
    page = put_on_page(widget, expose="fromEquations")
    rng = np.random.default_rng(told)
    q, qd = chaindyn.random_state(chain, told)
    given = {"qdd": 5 * rng.normal(size=4), "tau": rng.normal(size=4)}
    mask = [bool(told >> k & 1) for k in range(4)]
    request = plain({"q": q, "qd": qd, "prescribed": mask, **given})
    there = page.evaluate("request => inside.fromEquations(model.get('scene'), request)", request)
    here = widget.compute(request)
    assert there["values"].keys() == here.keys()
    bound = 100 * EPS * chain.n * np.linalg.cond(chaindyn.crba(chain, q))
    for name in here:
        assert normwise(there["values"][name], here[name]) <= bound, name


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
    expect(slide).to_have_attribute("aria-label", re.compile("^slide is told its acceleration"))
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
    switch = page.get_by_role("button", name="slide is free, its force is given; tell it")
    switch.focus()
    page.keyboard.press("Enter")
    expect(force).to_be_hidden()
    expect(acceleration).to_be_visible()
    told = page.get_by_role("button", name="slide is told its acceleration; set it free")
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
    expect(work).to_have_text(re.compile("^Told: base. Free: link1, slide, finger. 3 equations"))
    before = parts_of(page)
    page.get_by_role("button", name="swap given and answered").click()
    assert request_of(page)["prescribed"] == [False, True, True, True]
    expect(work).to_contain_text("One equation is solved")
    other = {"given": "answered", "answered": "given"}
    assert parts_of(page) == [[(x, other[role]) for x, role in row] for row in before]
    for name in ("all told: inverse dynamics", "all free: forward dynamics"):
        page.get_by_role("button", name=name).click()
        expect(work).to_contain_text(re.compile(name, re.IGNORECASE))
        expect_parts(page, widget)
        assert [[x for x, _ in row] for row in parts_of(page)] == [
            [x for x, _ in row] for row in before
        ]
    page.get_by_role("button", name="zero all given").click()
    page.locator("summary").filter(has_text="Velocities").click()
    page.get_by_role("button", name="hold still").click()
    page.get_by_role("button", name="all told").click()
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


def test_joints_at_one_place_have_a_sign_each(put_on_page):
    links = [
        Link(joint, 1, (0, 0, -0.3), INERTIA, name=name)
        for joint, name in [(Prismatic((1, 0, 0)), "cart"), (Revolute((0, 1, 0)), "rod")]
    ]
    page = put_on_page(HybridExplorer(Chain(links), view="xz"), **PHONE)
    for name, mask in [("cart", [False, False]), ("rod", [False, True]), ("cart", [True, True])]:
        page.touchscreen.tap(*centre(page.locator(f"[data-joint={name}] .reach")))
        assert request_of(page)["prescribed"] == mask


def spindle() -> Chain:
    return Chain(
        [
            Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), INERTIA, name="rod"),
            Link(Revolute((1, 0, 0)), 0, (0, 0, 0), 0 * INERTIA, offset=(1, 0, 0), name="spindle"),
        ]
    )


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


# --- A chain that swings ----------------------------------------------------------------------------------------------


def swinging_arm(**options: Any) -> SwingExplorer:
    state = [0.4, -0.5, 0.1, 0.5], [1, 2, 0.3, -1]
    options = {"t": np.linspace(0.5, 1.5, 11), "target": [0.2, 0.1, 0.05, 0.3], **options}
    return SwingExplorer(arm(), *state, tip=(0.1, 0.2, -0.3), **options)


def settled(page: Page) -> dict:
    """The request, once the hand rests."""
    page.wait_for_timeout(250)
    page.evaluate("new Promise(requestAnimationFrame)")
    return request_of(page)


@pytest.mark.parametrize("motors", ["off", "hold", "sway"])
@pytest.mark.parametrize("method", ["RK4", "semi-implicit Euler", "variational"])
def test_the_page_computes_what_python_computes_swing(put_on_page, method, motors):
    """Two ways: with transforms from link to link, and about the world's origin."""
    widget = swinging_arm(method=method)
    page = put_on_page(widget, expose="bySteps")
    request = {**widget.request, "motors": motors, "frequency": 5.0, "damping": 1.2}
    there = page.evaluate("request => inside.bySteps(model.get('scene'), request)", request)
    here = plain(widget.compute(request))
    assert set(there) == set(here)
    assert there["reason"] == here["reason"] == ""
    assert (here["tau"] is None) == (there["tau"] is None) == (motors == "off")
    for name in {"q", "kinetic", "potential", "tau"} - ({"tau"} if motors == "off" else set()):
        assert normwise(there[name], here[name]) <= 1e-10, name  # a second's growth of rounding


def test_an_early_end_is_told_by_page_and_python_alike(put_on_page):
    options = {"links": 3, "q": [0.5] * 3, "method": "variational", "step": 0.04}
    for kernel in (False, True):
        page = put_on_page(SwingExplorer(**options), kernel=kernel)
        source = "Computed by Python" if kernel else "No Python"
        expect(page.locator(".source")).to_contain_text(source, timeout=20_000)
        expect(page.locator(".work")).to_contain_text(
            "It ended early: the variational step of 0.04 s does not converge"
        )
        page.get_by_role("spinbutton", name="time [s]").fill("8")
        assert float(page.get_by_role("slider", name="time [s], slider").input_value()) < 7
        page.context.close()


def test_a_control_that_runs_away_is_told_and_fits(put_on_page):
    """Euler's method needs less than 2 of step times kd, here 2.4; half of that, and it holds."""
    options = {"links": 3, "motors": True, "frequency": 15.0, "damping": 2.0, "step": 0.04}
    phone = {"viewport": {"width": 390, "height": 900}}
    page = put_on_page(SwingExplorer(**options, method="semi-implicit Euler"), **phone)
    verdict = page.locator(".work")
    expect(verdict).to_contain_text(re.compile(r"by at most [\d.]+e\d+\srad"))
    page.get_by_role("spinbutton", name="time [s]").fill("7.9")
    expect(page.locator(".readout")).to_contain_text(re.compile(r"kinetic energy [\d.]+e\d+ J"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_label("Step", exact=True).select_option(label="20 ms")
    expect(verdict).to_contain_text(re.compile(r"by at most [\d.]+\smrad"))


@pytest.mark.parametrize("damping", ["0.3", "1", "1.8"])
def test_the_error_of_a_driven_chain_has_its_closed_form(put_on_page, damping):
    page = put_on_page(SwingExplorer(links=2))
    page.get_by_label("Motors", exact=True).select_option(label="sway about the target")
    page.get_by_role("spinbutton", name="damping ratio").fill(damping)
    verdict = page.locator(".work")
    expect(verdict).to_contain_text(f"kd = {6 * float(damping):.2f} /s")
    expect(verdict).to_contain_text(
        re.compile(r"strays from its closed form by at most [\d.]+\s[µn]rad")
    )
    expect(page.get_by_role("img", name="Tracking error")).to_be_visible()
    expect(page.get_by_role("img", name="Torque")).to_be_visible()
    expect(page.get_by_role("img", name="Change of the total energy")).to_be_hidden()


def test_the_method_shows_in_the_energy(put_on_page):
    page = put_on_page(SwingExplorer(links=1))
    verdict = page.locator(".work")
    strays = {}
    for method in ("semi-implicit Euler", "RK4"):
        for step in ("20 ms", "10 ms"):
            page.get_by_label("Method", exact=True).select_option(method)
            page.get_by_label("Step", exact=True).select_option(label=step)
            expect(verdict).to_contain_text(f"{method}, steps of {step}")
            value, unit = re.search(r"strays by ([\d.]+)\s(.?)J", verdict.inner_text()).groups()
            power = {"": 0, "m": -3, "\u00b5": -6, "n": -9}[unit]
            strays[method, step] = float(value) * 10**power
    assert (
        1.8
        <= strays["semi-implicit Euler", "20 ms"] / strays["semi-implicit Euler", "10 ms"]
        <= 2.2
    )
    assert strays["RK4", "20 ms"] / strays["RK4", "10 ms"] >= 14
    page.get_by_label("Method", exact=True).select_option("DOP853")
    expect(page.locator(".source")).to_contain_text("RK4 with steps of 2.5 ms: DOP853 needs Python")
    expect(page.get_by_label("Step", exact=True)).to_be_hidden()


def test_a_swing_by_mouse(put_on_page):
    page = put_on_page(SwingExplorer(links=2))
    slider = page.get_by_role("slider", name="time [s], slider")
    graph = page.get_by_role("img", name="Energy [J]")
    graph.scroll_into_view_if_needed()
    box = graph.bounding_box()
    assert box
    middle = box["x"] + box["width"] * (64 + 143) / 360, box["y"] + box["height"] / 2
    page.mouse.click(*middle)
    expect(page.locator(".readout")).to_contain_text("Time 4.0")
    assert float(slider.input_value()) == pytest.approx(4, abs=0.05)
    drag(page, middle, (-box["width"] * 286 / 360 / 4, 0))
    expect(page.locator(".readout")).to_contain_text("Time 2.0")
    assert float(slider.input_value()) == pytest.approx(2, abs=0.05)
    # A link that is taken hold of stays where it is, and becomes the start.
    page.evaluate("scrollTo(0, 0)")
    before = request_of(page)["q"]
    page.evaluate("new Promise(requestAnimationFrame)")
    readout = page.locator(".readout").inner_text()
    drag(page, centre(page.locator("[data-grab='1']").first), (1, 0), steps=1)
    caught = settled(page)["q"]
    assert caught != before
    assert float(slider.input_value()) == 0
    tip = [
        float(x) for x in re.search(r"\(([^)]*)\)", readout)[1].replace("\u2212", "-").split(", ")
    ]
    chain = SwingExplorer(links=2, t=[0, 1]).swung[1].chain
    R, p = chaindyn.forward_kinematics(chain, np.array(caught))
    np.testing.assert_allclose(p[-1] + R[-1] @ [1, 0, 0], tip, atol=0.06)
    before = caught
    drag(page, centre(page.locator("[data-grab='0']").first), (0, 30))
    after = settled(page)["q"]
    assert after[0] != before[0]
    assert after[1] == before[1]
    expect(page.locator(".readout")).to_contain_text("Time 0.00 s")


def test_a_swing_by_keyboard(put_on_page):
    page = put_on_page(SwingExplorer(links=2))
    slider = page.get_by_role("slider", name="time [s], slider")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("0.1")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    page.wait_for_function("slider => Number(slider.value) > 0.4", arg=slider.element_handle())
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="play")).to_be_visible()
    at = slider.input_value()
    page.wait_for_timeout(100)
    expect(slider).to_have_value(at)
    page.get_by_role("application").focus()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    button = page.get_by_role("button", name="pause")
    button.focus()
    page.keyboard.press(" ")  # the button's own, and only that
    expect(page.get_by_role("button", name="play")).to_be_focused()
    joint = page.get_by_role("slider", name="rod 2 [\u00b0], slider")
    joint.focus()
    page.keyboard.press("ArrowRight")
    assert settled(page)["q"][1] > -0.25
    expect(slider).to_have_value("0")
    page.get_by_label("Chain", exact=True).select_option(label="5 equal rods")
    assert len(settled(page)["q"]) == 5
    expect(page.locator(".readout")).to_contain_text("Time 0.00 s: tip at (")
    page.get_by_text("Speeds at the start").click()
    page.get_by_role("spinbutton", name="speed of rod 5 [rad/s]").fill("2")
    assert settled(page)["qd"] == [0, 0, 0, 0, 2]
    expect(page.locator(".readout")).to_contain_text("kinetic energy 0.67 J")  # a rod about its end


def test_a_swing_is_read_out(put_on_page):
    """A rod at rest, level: the tip at 1 m, no energy; told to who cannot see it, too."""
    page = put_on_page(SwingExplorer(links=1, q=[0]))
    words = "Time 0.00 s: tip at (1.00, 0.00, 0.00) m, kinetic energy 0.00 J, potential 0.00 J, total 0.00 J."
    expect(page.locator(".readout")).to_have_text(words)
    expect(page.locator("[role=status]")).to_contain_text(words)
    label = page.get_by_role("img", name="Energy [J] against time").get_attribute("aria-label")
    assert "kinetic from 0.00 to 4.90, potential from \u22124.90 to 0.00" in (label or "")


def test_a_swing_starts_only_when_told_to_and_ends_with_its_view(put_on_page):
    page = put_on_page(SwingExplorer(links=1))
    slider = page.get_by_role("slider", name="time [s], slider")
    page.wait_for_timeout(200)
    expect(slider).to_have_value("0")
    page.evaluate(
        """() => { window.frames_asked = 0; const ask = window.requestAnimationFrame;
        window.requestAnimationFrame = (call) => (window.frames_asked++, ask(call)); }"""
    )
    page.get_by_role("button", name="play").click()
    page.wait_for_function("frames_asked > 3")
    page.evaluate("close_view()")
    page.wait_for_timeout(100)
    asked = page.evaluate("frames_asked")
    page.wait_for_timeout(300)
    assert page.evaluate("frames_asked") == asked
    assert page.evaluate("Object.values(listeners).flat().length") == 0


def test_who_wants_no_motion_sees_stills(put_on_page):
    page = put_on_page(SwingExplorer(links=1), reduced_motion="reduce")
    page.get_by_role("button", name="play").click()
    seen = page.evaluate(
        """async () => { const slider = document.querySelector("[aria-label='time [s], slider']"), seen = new Set();
        const end = performance.now() + 1300;
        while (performance.now() < end) { seen.add(Number(slider.value)); await new Promise(requestAnimationFrame); }
        return [...seen]; }"""
    )
    assert seen in ([0, 0.5], [0, 0.5, 1])


def test_a_swing_by_touch(put_on_page):
    page = put_on_page(SwingExplorer(links=2), **PHONE)
    before = request_of(page)["q"]
    touch(page, centre(page.locator("[data-grab='1']").first), (5, 25))
    assert settled(page)["q"] != before
    assert page.evaluate("scrollY") == 0


def test_python_swings_the_chain_by_the_functions_given(put_on_page):
    def no_feedback(chain, q, qd, *, qdd_desired, kp, **options):
        if kp > 60:
            raise ArithmeticError("too stiff")
        return chaindyn.rnea(chain, q, qd, qdd_desired)

    widget = SwingExplorer(links=1, t=np.linspace(0, 2, 21), computed_torque=no_feedback)
    page = put_on_page(widget, kernel=True)
    source, verdict = page.locator(".source"), page.locator(".work")
    expect(source).to_have_text("Computed by Python with your simulate, computed_torque.")
    page.get_by_label("Motors", exact=True).select_option(label="hold the target")
    expect(source).to_contain_text("Computed by Python")
    expect(verdict).to_contain_text(
        re.compile(r"strays from its closed form by at most 1\.\d\d\srad")
    )
    page.get_by_role("spinbutton", name="frequency [rad/s]").fill("9")
    expect(page.get_by_role("alert")).to_contain_text("too stiff; in computed_torque, line")
    page.get_by_role("spinbutton", name="frequency [rad/s]").fill("2")
    expect(page.locator(".error")).to_be_empty()
    expect(source).to_contain_text("Computed by Python")


def test_while_python_computes_the_page_says_so(put_on_page):
    page = put_on_page(SwingExplorer(links=1, t=np.linspace(0, 1, 11)), kernel=True)
    source = page.locator(".source")
    expect(source).to_contain_text("Computed by Python")
    page.evaluate(
        """() => { const python = window.python;
        window.python = (request) => new Promise((go) => (window.go = go)).then(() => python(request)); }"""
    )
    page.get_by_role("spinbutton", name="rod 1 [\u00b0]").fill("30")
    expect(source).to_contain_text("Python is computing")
    expect(page.locator(".chaindyn")).to_have_attribute("aria-busy", "true")
    page.evaluate("go()")
    expect(source).to_contain_text("Computed by Python")
    expect(page.locator(".chaindyn")).to_have_attribute("aria-busy", "false")
