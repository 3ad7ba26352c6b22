"""The Python half of ScrewExplorer: what it computes, from whose functions, and what it says when those fail."""

import json

import numpy as np
import pytest
from widget_cases import EPS, tell

from chaindyn import X_force, X_motion, screw
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import Explorer, ScrewExplorer
from chaindyn.widgets.explorer import contract


def moved(widget: Explorer, part: str, **change) -> dict:
    return tell(widget, **{part: {**widget.request[part], **change}})


def test_a_screw_is_shown_by_its_numbers_about_both_origins():
    """By vectors alone, not by the functions that the widget itself calls."""
    widget = ScrewExplorer()
    moved(widget, "motion", point=[0.3, -0.2, 0.5], direction=[0.6, 0, 0.8], pitch=0.25, size=2.0)
    moved(widget, "frame", origin=[0.4, 0.1, -0.9], turn=90.0)
    values = moved(widget, "force", point=[0, 1, 0], direction=[0, 0, 1], pitch=-0.5, size=3.0)[
        "values"
    ]
    w, f = 2 * np.array([0.6, 0, 0.8]), 3 * np.array([0, 0, 1])
    point, at, other = np.array([0.3, -0.2, 0.5]), np.array([0, 1, 0]), np.array([0.4, 0.1, -0.9])
    to_B = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    expected = {
        ("motion", "O"): [*w, *(np.cross(w, -point) + 0.25 * w)],
        ("motion", "B"): [*(to_B @ w), *(to_B @ (np.cross(w, other - point) + 0.25 * w))],
        ("force", "O"): [*(np.cross(at, f) - 0.5 * f), *f],
        ("force", "B"): [*(to_B @ (np.cross(at - other, f) - 0.5 * f)), *(to_B @ f)],
    }
    for (part, frame), numbers in expected.items():
        assert normwise(values[part][frame], numbers) <= 20 * EPS, (part, frame)
    power = f @ (np.cross(w, at - point) + 0.25 * w) - 0.5 * f @ w
    assert abs(values["power"]["O"] - power) <= 50 * EPS * abs(power)
    assert abs(values["power"]["B"] - power) <= 50 * EPS * abs(power)
    field = [np.cross(w, np.array(P) - point) + 0.25 * w for P in widget.scene["lattice"]]
    assert normwise(values["field"], field) <= 20 * EPS


def wrong_X_force(E, r):
    return X_motion(E, r)


def left_handed_screw(point, direction, pitch=0):
    return np.array([*direction, *(np.cross(direction, point) + pitch * np.asarray(direction))])


def test_it_shows_the_functions_it_was_given():
    right, wrong = ScrewExplorer(), ScrewExplorer(X_force=wrong_X_force)
    assert wrong.answer["values"]["motion"] == right.answer["values"]["motion"]
    assert wrong.answer["values"]["force"]["O"] == right.answer["values"]["force"]["O"]
    assert wrong.answer["values"]["force"]["B"] != right.answer["values"]["force"]["B"]
    power = wrong.answer["values"]["power"]
    assert abs(power["O"] - power["B"]) > 0.1  # the frames disagree, which the page says in words
    left = ScrewExplorer(screw=left_handed_screw).answer["values"]["motion"]["O"]
    assert left == left_handed_screw((0.6, 0.2, 0), (0, 0, 1), 0.1).tolist()


@pytest.mark.parametrize("given", [{}, {"X_force": wrong_X_force}, {"screw": left_handed_screw}])
def test_tables_say_everywhere_what_the_functions_say(given):
    """Also of functions that are wrong: without Python the page shows the reader's mistake, not our formula."""
    functions = {"screw": screw, "X_motion": X_motion, "X_force": X_force, **given}
    scene = ScrewExplorer(**given).scene
    tables = {name: np.array(table) for name, table in scene["tables"].items()}
    assert scene["exact"] is True
    rng = np.random.default_rng(3)
    for _ in range(20):
        point, direction, pitch, turn = (
            rng.normal(size=3),
            rng.normal(size=3),
            rng.normal(),
            rng.uniform(-180, 180),
        )
        direction /= np.linalg.norm(direction)
        from_table = contract(tables["screw"], [1, *point], direction, [1, pitch])
        assert normwise(from_table, functions["screw"](point, direction, pitch)) <= 50 * EPS
        c, s = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
        E = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        for name in ("X_motion", "X_force"):
            from_table = contract(tables[name], [1, c, s], [1, *point])
            assert normwise(from_table, functions[name](E, point)) <= 50 * EPS


def test_a_function_that_no_table_holds_is_told_from_one_that_does():
    def curved(point, direction, pitch=0):
        return screw(np.asarray(point) ** 2, direction, pitch)

    assert ScrewExplorer(screw=curved).scene["exact"] is False


def test_where_it_starts_can_be_chosen():
    widget = ScrewExplorer(motion={"direction": (0, 3, 4), "size": 2}, frame={"turn": -90})
    assert widget.request["motion"] == {
        "point": [0.6, 0.2, 0.0],
        "direction": [0, 0.6, 0.8],
        "pitch": 0.1,
        "size": 2,
    }
    assert widget.request["frame"]["turn"] == -90


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"motion": {"rate": 1}},
            r"motion has no 'rate': it has \['point', 'direction', 'pitch', 'size'\]",
        ),
        (
            {"force": {"point": (1, 2)}},
            r"force\['point'\] is \(1, 2\): it must be three finite numbers",
        ),
        ({"frame": {"turn": np.nan}}, r"frame\['turn'\] is nan: it must be one finite number"),
        ({"motion": {"direction": (0, 0, 0)}}, r"direction is .*: it must not be zero"),
    ],
)
def test_a_bad_start_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        ScrewExplorer(**options)


def test_the_page_computes_what_python_computes_screw(on_page):
    widget = ScrewExplorer()
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
        here = widget.compute(request)
        there = on_page(
            widget, "fromTables", widget.scene["tables"], widget.scene["lattice"], request
        )
        for part in ("motion", "force"):
            for frame in "OB":
                assert normwise(there[part][frame], here[part][frame]) <= 100 * EPS
        scale = np.linalg.norm(here["motion"]["O"]) * np.linalg.norm(here["force"]["O"])
        assert abs(there["power"]["B"] - here["power"]["O"]) <= 100 * EPS * scale
        assert normwise(there["field"], here["field"]) <= 100 * EPS
