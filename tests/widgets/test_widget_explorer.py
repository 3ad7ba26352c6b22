"""What every widget does with a reader's functions: their results, their errors, their tables."""

import ast
import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from widget_cases import EPS, tell

import chaindyn
from chaindyn import X_motion, screw
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import Explorer, ScrewExplorer
from chaindyn.widgets.explorer import (
    AFFINE,
    ANGLE,
    IMPORT,
    LINEAR,
    SCALAR,
    contract,
    linked,
    plain,
    tabulate,
)

MODULES = Path(chaindyn.__file__).parent / "widgets"
VIEWS = [
    path.name
    for path in sorted(MODULES.glob("*.js"))
    if "export default" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_one_module(view):
    """Each name is declared once, nothing is imported any more, and only what anywidget asks for is exported."""
    text = linked(view)
    assert not re.search(r"(?m)^(?:import|export (?!default \{ render \}))", text)
    names = re.findall(r"(?m)^(?:async )?(?:function\*?|const|let|class) (\w+)\b(?!=)", text)
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_imports_are_of_names_as_they_are():
    """Another form would not be linked, and a name that is not exported would be found all the same."""
    for path in [*MODULES.glob("*.js"), *MODULES.glob("emitted/*.js")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?m)^import|^export \{", IMPORT.sub("", text)), path.name
        for names, other in IMPORT.findall(text):
            assert " as " not in names
            there = (path.parent / other).read_text(encoding="utf-8")
            for name in re.findall(r"\w+", names):
                assert re.search(
                    rf"(?m)^export (?:async )?(?:function\*?|const|class) {name}\b", there
                ), (path.name, name)


def moved(widget: Explorer, part: str, **change) -> dict:
    return tell(widget, **{part: {**widget.request[part], **change}})


def test_tabulate_against_a_function_with_every_kind_of_argument():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(3, 4, 3, 2, 5))

    def function(angle, point, direction, pitch):
        return contract(
            truth,
            ANGLE.basis(angle),
            AFFINE.basis(point),
            LINEAR.basis(direction),
            SCALAR.basis(pitch),
        )

    assert normwise(tabulate(function, ANGLE, AFFINE, LINEAR, SCALAR), truth) <= 20 * EPS


def fails_far_out(E, r):
    if np.max(np.abs(r)) > 4:
        raise ArithmeticError("too far out")
    return X_motion(E, r)


def test_an_error_during_a_drag_is_shown_and_goes_away():
    widget = ScrewExplorer(X_motion=fails_far_out)
    line = fails_far_out.__code__.co_firstlineno + 2
    answer = moved(widget, "frame", origin=[5, 0, 0])
    assert answer["error"] == f"ArithmeticError: too far out; in X_motion, line {line}"
    assert "values" not in answer
    answer = moved(widget, "frame", origin=[1, 0, 0])
    assert "error" not in answer
    assert answer["values"]["power"]["O"] == pytest.approx(
        answer["values"]["power"]["B"], abs=1e-12
    )


def test_an_error_at_the_start_is_raised_where_the_widget_is_made():
    with pytest.raises(ArithmeticError, match="too far out") as caught:
        ScrewExplorer(X_motion=fails_far_out, frame={"origin": (9, 0, 0)})
    assert caught.value.__notes__[0].startswith("in X_motion, line ")


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda E, r: np.eye(3), r"X_motion returned shape \(3, 3\), not \(6, 6\)"),
        (lambda E, r: None, r"X_motion returned shape \(\), not \(6, 6\)|NoneType"),
    ],
)
def test_a_result_of_another_shape_is_told(result, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ScrewExplorer(X_motion=result)


def test_what_is_not_finite_reaches_the_page():
    """JSON has no NaN, and a message with one would be lost on its way."""
    widget = ScrewExplorer(
        screw=lambda point, direction, pitch=0: screw(point, direction, pitch) * np.nan
    )
    state = json.dumps(widget.get_state(["request", "answer", "scene"]), allow_nan=False)
    assert json.loads(state)["answer"]["values"]["motion"]["O"] == [None] * 6


def test_plain_turns_arrays_into_what_json_holds():
    mixed = {
        "a": np.arange(3),
        "b": (np.float64(1.5), np.inf),
        "c": np.bool_(True),
        "d": "text",
        "e": None,
    }
    assert plain(mixed) == {"a": [0, 1, 2], "b": [1.5, None], "c": True, "d": "text", "e": None}
    json.dumps(plain(mixed), allow_nan=False)


def test_without_anywidget_the_extra_is_named(monkeypatch):
    import importlib

    for name in [name for name in sys.modules if name.startswith("chaindyn.widgets")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    widgets = importlib.import_module("chaindyn.widgets")
    assert importlib.import_module("chaindyn.widgets.physics").FUNCTIONS  # which needs none
    with pytest.raises(ImportError, match=r"pip install 'chaindyn\[widgets\]'"):
        _ = widgets.ChainExplorer
    with pytest.raises(ImportError, match=r"pip install 'chaindyn\[widgets\]'"):
        importlib.import_module("chaindyn.widgets.sketch")


def test_what_modules_of_widgets_share_has_public_names():
    taken = []
    for file in (Path(chaindyn.__file__).parent / "widgets").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                within = node.module.startswith("chaindyn.widgets.")
                names = [name.name for name in node.names] + [node.module.split(".")[-1]] * within
                taken += [(file.name, name) for name in names if name.startswith("_")]
    assert not taken
