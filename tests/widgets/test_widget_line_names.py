"""Sampled sketches: the names behind a number as they are read from the lines, and what the page says of them."""

from __future__ import annotations

import ast
import linecache
import re
from functools import cache

import numpy as np
import pytest

from chaindyn import Chain, Link, Revolute, forward_kinematics

pytest.importorskip("anywidget")
from chaindyn.widgets.line_names import Scope, gifts, names_in
from chaindyn.widgets.marks import Arrow, Dot, Value
from chaindyn.widgets.sketch import Clock, Sketch, Slider

ROD = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), np.eye(3))])
WEIGHT = 9.81
LONG = np.arange(20.0)


@pytest.mark.parametrize(
    ("piece", "names"),
    [
        ("a + b * a", "a b"),
        ("a.b.c", "a"),
        ("a[k, :2].max()", "a k"),
        ("f(a, axis=b)", "f a b"),
        ("[x * s for x in xs if x > low]", "s xs low"),
        ("{k: v + c for k, v in d.items()}", "c d"),
        ("sum(x @ y for x in a for y in x)", "sum a"),
        ("(lambda x, *y, z=a: x + w)(b)", "a w b"),
        ("max(a, key=lambda own: own.gap)", "max a"),
        ("a if c else b", "c a b"),
        ("f'{a} of {b}'", "a b"),
        ("np.array([c, *rest])", "np c rest"),
    ],
)
def test_names_in_a_piece_are_those_that_it_reads_from_around_it(piece, names):
    assert set(names_in(ast.parse(piece, mode="eval").body)) == set(names.split())


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("a = b = c", {"a": "c", "b": "c"}),
        ("a, b = c, d", {"a": "c", "b": "d"}),
        ("a, (b, *e) = c, d", {"a": "c", "b": "d", "e": "d"}),
        ("a, b = c", {"a": "c", "b": "c"}),
        ("a: float = c", {"a": "c"}),
        ("a: float", {}),
        ("a += c", {"a": "c"}),
        ("a[k] = c", {"a": "c k"}),
        ("a.b[k] += c", {"a": "c k"}),
        ("a.append(c)", {"a": "c"}),
        ("print(c)", {}),
        ("for a, b in zip(c, d): pass", {"a": "c", "b": "d"}),
        ("for a, b in pairs: pass", {"a": "pairs", "b": "pairs"}),
        ("def f(x):\n    y = x + c\n    return y * d", {"f": "c d"}),
    ],
)
def test_a_statement_gives_each_name_its_own_pieces(statement, wanted):
    found = {
        gift.name: {name for piece in gift.pieces for name in names_in(piece)}
        for gift in gifts(ast.parse(statement).body[0])
    }
    assert found == {name: set(own.split()) for name, own in wanted.items()}


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ("x = 1\nx = 2\nuse", ["x = 2"]),
        ("x = 1\nx += 2\nuse", ["x = 1", "x += 2"]),
        ("x = 1\nx[0] = 2\nx = 3\nx[1] = 4\nuse", ["x = 3", "x[1] = 4"]),
        ("x = 1\nif c:\n    x = 2\nuse", ["x = 1", "x = 2"]),
        ("if c:\n    x = 1\nelse:\n    x = 2\n    use", ["x = 2"]),
        ("try:\n    x = 1\nexcept E:\n    x = 2\nuse", ["x = 1", "x = 2"]),
        ("x = 0\nfor k in n:\n    x = x + k\nuse", ["x = x + k"]),
        ("for k in n:\n    use\n    x = k", ["x = k"]),
        ("def f():\n    x = 1\nuse", []),
        ("use\nx = 1", []),
    ],
)
def test_the_lines_that_reach_a_place(lines, wanted):
    scope = Scope(lines, ast.parse(lines).body)
    use = next(place for node, place in scope.all if ast.unparse(node) == "use")
    assert [given.text for given in scope.reaching("x", use)] == wanted


# What a sketch says ---------------------------------------------------------------------------------


@cache
def swing(slow):
    return np.linspace(0, 1, 11) ** 2 * slow


def pushed(angle, time):
    c, s = np.cos(angle), np.sin(angle)
    force = np.zeros(3)
    force[:2] = WEIGHT * c, WEIGHT * s
    R, p = forward_kinematics(ROD, np.array([angle]))
    tip = p[0] + R[0] @ np.array([2.0, 0, 0])

    def moved(by):
        return tip + by

    places = [moved(k * force) for k in range(2)]
    k = round(10 * time)
    far = swing(2)[k]
    yield Dot(tip)
    yield Arrow(tip, 0.5 * force, "force", symbol="f", words="force")
    yield Value("far", far, "m")
    yield Value("height", places[1][2], "m", 3)
    total = 0.0
    for share in (c, s):
        total += share
    yield Value("sum", total)
    s = s + 1
    yield Value("after", total + s)
    yield Value("ends", swing(1)[-1] + LONG.sum())
    yield Value("nothing", 3.5)


SLIDERS = {"angle": Slider(30, -90, 90, "°", 30), "time": Clock(1)}
CHOSEN = [30, 0.4]
# By hand: the names behind a number, from it back, each with what it is worth at these positions.
C, S, WEIGHT_NOW = np.sqrt(3) / 2, 0.5, ("WEIGHT", 9.81)
FORCE = [("force", [9.81 * C, 9.81 * S, 0]), ("s", S), ("c", C), WEIGHT_NOW]
TURN = [[C, 0, S], [0, 1, 0], [-S, 0, C]]
SHARES = [("share", ""), ("s", S), ("c", C)]
BEHIND = {
    "force": ["force", *FORCE, ("angle", 30)],
    "far": ["far", ("k", 4), ("swing", "a function"), ("time", 0.4)],
    "height": [
        "height",
        ("places", [2 * C, 0, -1, 2 * C + 9.81 * C, 9.81 * S, -1]),
        ("moved", "a function"),
        ("tip", [2 * C, 0, -1]),
        ("p", [0, 0, 0]),
        ("R", np.ravel(TURN)),
        *FORCE,
        ("ROD", "a Chain"),
        ("angle", 30),
    ],
    "sum": ["sum", *SHARES, ("angle", 30)],
    "after": [
        "after",
        ("s", S + 1),
        ("total", S + C),
        SHARES[0],
        ("s", ""),
        ("c", C),
        ("angle", 30),
    ],
    "ends": ["ends", ("swing", "a function"), ("LONG", "20 numbers")],
    "nothing": ["nothing"],
}
WORTH = {
    "far": 0.32,
    "height": -1,
    "sum": S + C,
    "after": 1 + 2 * S + C,
    "ends": 191,
    "nothing": 3.5,
}


@pytest.fixture(scope="module")
def sketch():
    return Sketch(pushed, SLIDERS, title="Pushed", sampled=True)


def origin(on_page, sketch, name, chosen=CHOSEN):
    marks = sketch.scene["marks"]
    mark = next(m for m in marks if name in (m.get("words"), m["kind"] == "Value" and m["name"]))
    return on_page(sketch, "originOf", sketch.scene, mark, chosen)


def numbers(text):
    return [float(x.replace("\u2212", "-")) for x in re.findall("\u2212?[\\d.]+", text)]


@pytest.mark.parametrize("name", BEHIND)
def test_a_number_comes_from_the_names_and_values_that_it_comes_from_by_hand(sketch, on_page, name):
    (_, *steps), (_, *wanted) = origin(on_page, sketch, name)["steps"], BEHIND[name]
    assert [step["name"] for step in steps] == [own for own, _ in wanted]
    for step, (_, value) in zip(steps, wanted, strict=True):
        if isinstance(value, str):
            assert step["value"] == value
        else:
            np.testing.assert_allclose(numbers(step["value"]), np.ravel(value), atol=6e-4)


@pytest.mark.parametrize("name", WORTH)
def test_what_is_asked_is_what_is_shown(sketch, on_page, name):
    first, *_ = origin(on_page, sketch, name)["steps"]
    assert abs(numbers(first["value"])[0] - WORTH[name]) <= 0.0051


def test_between_samples_a_whole_number_stays_whole(sketch, on_page):
    k = next(x for x in origin(on_page, sketch, "far", [30, 0.42])["steps"] if x["name"] == "k")
    assert k["value"] == "4"


def test_lines_laws_and_the_sentence_are_told_as_of_a_recorded_sketch(sketch, on_page):
    told = origin(on_page, sketch, "height")
    lines = {step["name"]: step for step in told["steps"]}
    assert lines["height"]["line"] == "places[1][2]"
    assert lines["moved"]["line"] == "def moved(by)"
    assert lines["force"]["line"] == "force = np.zeros(3); force[:2] = WEIGHT * c, WEIGHT * s"
    assert lines["R"]["laws"][0][1].endswith("#export-forward_kinematics")
    assert lines["tip"]["formula"] == "from p, R"
    told = origin(on_page, sketch, "sum")
    assert told["sentence"] == "sum is 1.37, through share, s 0.500, c 0.866, from angle 30.00°."
    assert told["at"] == CHOSEN


def test_a_list_of_marks_rests_on_its_arguments(on_page):
    def listed(x):
        return [Value("twice", 2 * x)]

    own = Sketch(listed, {"x": Slider(0, 0, 1)}, title="A list", sampled=True)
    assert own.scene["lines"] == []
    told = origin(on_page, own, "twice", [0.25])
    assert told["sentence"] == "twice is 0.50, from x 0.25."


def test_a_function_whose_lines_are_not_at_hand_rests_on_its_arguments(on_page):
    space = {"Value": Value}
    exec("def draw(x):\n    y = x * x\n    yield Value('square', y)", space)
    own = Sketch(space["draw"], {"x": Slider(0, 0, 1)}, title="Hidden", sampled=True)
    assert origin(on_page, own, "square", [0.5])["sentence"] == "square is 0.25, from x 0.50."


def test_a_name_that_is_a_number_only_at_some_positions_is_told_without_a_value(on_page):
    def drawn(x):
        if x > 0:
            root = np.sqrt(x)
        other = "low" if x < 0.5 else np.zeros(2)
        yield Value("root", root if x > 0 else len(other))

    own = Sketch(drawn, {"x": Slider(1, 0, 1, step=0.5)}, title="Some", sampled=True)
    (_, *steps) = origin(on_page, own, "root", [1])["steps"]
    told = [(step["name"], step["value"]) for step in steps]
    assert told == [("other", ""), ("root", ""), ("x", "1.00")]


def test_a_function_reads_what_its_names_hold_when_it_is_called(on_page):
    def drawn(x):
        def doubled():
            return 2 * size

        size = 3 * x
        yield Value("twice", doubled())

    own = Sketch(drawn, {"x": Slider(1, 0, 1, step=0.5)}, title="Late", sampled=True)
    (_, *steps) = origin(on_page, own, "twice", [1])["steps"]
    told = [(step["name"], step["value"]) for step in steps]
    assert told == [("size", "3.000"), ("doubled", "a function"), ("x", "1.00")]


CELLS = (
    """
rate = 2.0
rates = np.array([rate, 3])
rate = 5 * rate

def grown(x):
    return x * rates[0]
""",
    """
slow = rate / 10
def draw(x):
    y = grown(x) * slow
    yield Value("y", y)
""",
)


def test_lines_of_earlier_cells_are_told_and_end_there(on_page):
    space = {"np": np, "Value": Value, "In": ["", *CELLS]}
    for k, text in enumerate(CELLS):
        linecache.cache[f"<cell {k}>"] = len(text), None, text.splitlines(True), f"<cell {k}>"
        exec(compile(text, f"<cell {k}>", "exec"), space)
    own = Sketch(space["draw"], {"x": Slider(0, 0, 1)}, title="Cells", sampled=True)
    steps = origin(on_page, own, "y", [0.5])["steps"]
    told = [(step["name"], step["value"], step.get("line", "")) for step in steps]
    assert told == [
        ("y", "1.00", "y = grown(x) * slow"),
        ("slow", "1.000", "slow = rate / 10"),
        ("grown", "a function", "def grown(x)"),
        ("rate", "10.000", "rate = 5 * rate"),
        ("x", "0.50", ""),
    ]
