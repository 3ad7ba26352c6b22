"""The Python half of RotationExplorer: what it computes, from whose functions, and what it says when those fail."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp
from widget_cases import EPS, tell

import chaindyn
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import RotationExplorer


def test_a_brick_is_turned_as_scipy_turns_it():
    rng = np.random.default_rng(6)
    widget = RotationExplorer()
    for _ in range(5):
        w, target = rng.normal(size=(2, 3))
        values = tell(widget, w=w.tolist(), target=target.tolist())["values"]
        start, end = Rotation.from_rotvec(w), Rotation.from_rotvec(target)
        assert normwise(values["R"], start.as_matrix()) <= 20 * EPS
        assert normwise(values["target"], end.as_matrix()) <= 20 * EPS
        assert normwise(values["log"], start.as_rotvec()) <= 50 * EPS
        way = Slerp([0, 1], Rotation.concatenate([start, end]))(np.linspace(0, 1, 41))
        assert normwise(values["way"], way.as_matrix()) <= 100 * EPS


def test_beyond_half_a_turn_the_logarithm_is_the_other_way_round():
    widget = RotationExplorer()
    for angle in (np.pi - 1e-3, np.pi + 1e-3):
        log = tell(widget, w=[0, 0, angle])["values"]["log"]
        assert normwise(log, [0, 0, angle if angle < np.pi else angle - 2 * np.pi]) <= 100 * EPS


def test_rotations_are_those_of_the_functions_given():
    def the_other_hand(w):
        return chaindyn.exp_so3(-w)

    def doubled(R):
        return 2 * chaindyn.log_so3(R)

    book = RotationExplorer().answer["values"]
    reader = RotationExplorer(exp_so3=the_other_hand).answer["values"]
    assert normwise(reader["R"], np.transpose(book["R"])) <= 10 * EPS
    twice = RotationExplorer(log_so3=doubled).answer["values"]
    assert normwise(twice["log"], 2 * np.array(book["log"])) <= 10 * EPS
    assert normwise(twice["way"][20], book["target"]) <= 100 * EPS  # is there half-way, and goes on
    assert normwise(twice["way"][40], book["target"]) > 0.1


def test_an_error_of_log_so3_is_shown_and_goes_away():
    def fails_far_round(R):
        if np.trace(R) < -0.9:
            raise ArithmeticError("too far round")
        return chaindyn.log_so3(R)

    widget = RotationExplorer(log_so3=fails_far_round)
    line = fails_far_round.__code__.co_firstlineno + 2
    answer = tell(widget, w=[0, 0, 3.1])
    assert answer["error"] == f"ArithmeticError: too far round; in log_so3, line {line}"
    assert "error" not in tell(widget, w=[0, 0, 1.0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"w": (1, 2)}, r"w has shape \(2,\), but must be finite and of shape \(3,\)"),
        ({"target": (0, np.inf, 0)}, "target has shape .* must be finite"),
        ({"w": (4, 4, 4)}, "w is 6.93 long: it must be at most a whole turn, 2 pi"),
        ({"exp_so3": lambda w: w}, r"exp_so3 returned shape \(3,\), not \(3, 3\)"),
        ({"log_so3": lambda R: R}, r"log_so3 returned shape \(3, 3\), not \(3,\)"),
        ({"exp_so3": lambda w: 2 * np.eye(3)}, "R"),
    ],
)
def test_a_bad_rotation_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        RotationExplorer(**options)


def test_the_page_computes_what_python_computes_rotation(on_page):
    widget = RotationExplorer()
    rng = np.random.default_rng(7)
    vectors = [*rng.normal(size=(4, 3)), np.zeros(3), [3.1, 0.3, -0.2], [1e-9, 0, 0], [0, -4, 2]]
    vectors += [[0, 0, 1 - 1e-12], [0, 1, 0], [np.pi, 0, 0], [0.06, 0, 0], [2, -2, np.sqrt(8)]]
    for w in vectors:
        request = {"w": list(w), "target": rng.normal(size=3).tolist()}
        there = on_page(widget, "fromVectors", widget.scene, request)
        here = widget.compute(request)
        assert set(there) == set(here)
        for name in here:
            error = np.linalg.norm(np.subtract(there[name], here[name]))
            assert error <= 100 * EPS * max(1, np.linalg.norm(here[name])), (name, w)
