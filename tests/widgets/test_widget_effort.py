"""The Python half of EffortExplorer: what it computes, from whose functions, and what it says when those fail."""

import numpy as np
import pytest
from widget_cases import EPS, INERTIA, arm, tell

import chaindyn
from chaindyn import Chain, Fixed, Link
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import EffortExplorer


def motion_of(chain: Chain, seed: int) -> dict[str, list[float]]:
    q, qd = chaindyn.random_state(chain, seed)
    return {
        "q": q.tolist(),
        "qd": qd.tolist(),
        "qdd": np.random.default_rng(seed).normal(size=4).tolist(),
    }


def test_efforts_are_split_by_their_causes():
    """Weight as the slope of the potential energy, acceleration by the mass matrix, velocity by the Coriolis one."""
    chain = arm()
    tip, weight = np.array([0.1, 0.2, -0.3]), 1.5 * chain.gravity
    widget = EffortExplorer(chain, tip=tip)
    for seed in range(3):
        motion = motion_of(chain, seed)
        q, qd, qdd = (np.array(motion[name]) for name in ("q", "qd", "qdd"))
        values = tell(widget, **motion, load=1.5)["values"]

        def energies(q):
            R, p = chaindyn.forward_kinematics(chain, q)
            own = chain.mass @ (p + (R @ chain.com[:, :, None])[..., 0]) @ chain.gravity
            return -np.array([own, (p[-1] + R[-1] @ tip) @ weight])

        h = 1e-5
        slopes = np.array(
            [(energies(q + h * e) - energies(q - h * e)) / (2 * h) for e in np.eye(4)]
        )
        parts = dict(zip(widget.scene["parts"], np.array(values["parts"]), strict=True))
        largest = np.linalg.norm(values["parts"])
        slope_error = (
            1e-9 * largest
        )  # of the central difference: its step squared, and rounding by the step
        assert np.linalg.norm(parts["weight"] - slopes[:, 0]) <= slope_error
        assert np.linalg.norm(parts["load"] - slopes[:, 1]) <= slope_error
        rounding = 100 * EPS * chain.n * largest
        inertial = chaindyn.crba(chain, q) @ qdd
        assert np.linalg.norm(parts["acceleration"] - inertial) <= rounding
        centrifugal = chaindyn.coriolis_matrix(chain, q, qd) @ qd
        assert np.linalg.norm(parts["velocity"] - centrifugal) <= rounding


def test_what_goes_through_a_joint_holds_the_rest_up():
    """At rest, the force through each root is the weight of all that hangs on it, load included."""
    values = EffortExplorer(arm(), load=2).answer["values"]
    weight = -(2 + 5) * arm().gravity
    assert normwise(np.array(values["wrench"])[0, 3:], weight) <= 50 * EPS


def test_efforts_are_those_of_the_functions_given():
    def no_bias(chain, q, qd, qdd, **options):
        return chaindyn.crba(chain, q) @ qdd

    def upside_down(*state, **options):
        return -chaindyn.joint_wrenches(*state, **options)

    motion = motion_of(arm(), 1)
    book = tell(EffortExplorer(arm()), **motion)["values"]
    reader = EffortExplorer(arm(), rnea=no_bias, joint_wrenches=upside_down)
    values = tell(reader, **motion)["values"]
    np.testing.assert_array_equal(np.array(values["parts"])[[0, 1, 3]], np.zeros((3, 4)))
    assert normwise(values["parts"][2], book["parts"][2]) <= 1000 * EPS
    np.testing.assert_array_equal(values["wrench"], -np.array(book["wrench"]))


def test_an_error_of_rnea_is_shown_and_goes_away():
    def fails_when_fast(chain, q, qd, qdd, **options):
        if np.abs(qd).max() > 5:
            raise ArithmeticError("too fast")
        return chaindyn.rnea(chain, q, qd, qdd, **options)

    widget = EffortExplorer(arm(), rnea=fails_when_fast)
    line = fails_when_fast.__code__.co_firstlineno + 2
    answer = tell(widget, qd=[6, 0, 0, 0])
    assert answer["error"] == f"ArithmeticError: too fast; in rnea, line {line}"
    assert "error" not in tell(widget, qd=[1, 0, 0, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"qd": np.zeros(3)}, r"qd has shape \(3,\), but must be finite and of shape \(4,\)"),
        ({"qdd": [0, 0, np.inf, 0]}, "qdd .* must be finite"),
        ({"joint": "tool"}, "joint is 'tool', which is fixed: it must be one that moves"),
        ({"joint": "hand"}, "joint is 'hand', but this chain's joints are"),
        ({"load": -1}, "load is -1 kg, but must be finite and not negative"),
        ({"load": np.nan}, "load is nan kg, but must be"),
        ({"rnea": lambda *state, **o: np.zeros(5)}, r"rnea returned shape \(5,\), not \(4,\)"),
        (
            {"joint_wrenches": lambda *state, **o: np.zeros(6)},
            r"joint_wrenches returned shape \(6,\), not \(5, 6\)",
        ),
    ],
)
def test_bad_efforts_are_told(options, message):
    with pytest.raises(ValueError, match=message):
        EffortExplorer(arm(), **options)


def test_efforts_of_no_joint_are_told():
    with pytest.raises(ValueError, match="no joint that moves"):
        EffortExplorer(Chain([Link(Fixed(), 1, (0, 0, 0), INERTIA)]))


def test_the_page_computes_what_python_computes_effort(on_page):
    chain = arm()
    widget = EffortExplorer(chain, tip=(0.1, 0.2, -0.3))
    for seed in range(3):
        q, qd = chaindyn.random_state(chain, seed)
        qdd = np.random.default_rng(seed).normal(size=4)
        request = {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist(), "load": 0.7}
        there = on_page(widget, "fromLaws", widget.scene, request)
        here = widget.compute(request)
        assert set(there) == set(here)
        for name in here:
            assert normwise(there[name], here[name]) <= 200 * EPS * chain.n, name
