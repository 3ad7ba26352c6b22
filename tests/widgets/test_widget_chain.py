"""The Python half of ChainExplorer: what it computes, from whose functions, and what it says when those fail."""

import json

import numpy as np
import pytest
from widget_cases import EPS, arm, tell

import chaindyn
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import ChainExplorer


@pytest.mark.parametrize("frame", ["world", "body", "mixed"])
@pytest.mark.parametrize("body", ["tool", 4])
def test_a_chain_is_shown_as_the_library_has_it(body, frame):
    chain = arm()
    widget = ChainExplorer(chain, body=body, frame=frame)
    q, _ = chaindyn.random_state(chain, 5)
    values = tell(widget, q=q.tolist())["values"]
    R, p = chaindyn.forward_kinematics(chain, q)
    np.testing.assert_array_equal(values["R"], R)
    np.testing.assert_array_equal(values["p"], p)
    np.testing.assert_array_equal(values["J"], chaindyn.body_jacobian(chain, q, body, frame=frame))
    np.testing.assert_array_equal(
        values["J_world"], chaindyn.body_jacobian(chain, q, body, frame="world")
    )


def test_a_chain_is_shown_by_the_functions_it_was_given():
    chain = arm()

    def mirrored(chain, q):
        R, p = chaindyn.forward_kinematics(chain, q)
        return R, -p

    def doubled(chain, q, body, frame="body"):
        return 2 * chaindyn.body_jacobian(chain, q, body, frame=frame)

    book, reader = (
        ChainExplorer(chain),
        ChainExplorer(chain, forward_kinematics=mirrored, body_jacobian=doubled),
    )
    np.testing.assert_array_equal(
        reader.answer["values"]["p"], -np.array(book.answer["values"]["p"])
    )
    np.testing.assert_array_equal(
        reader.answer["values"]["J"], 2 * np.array(book.answer["values"]["J"])
    )


def test_forward_kinematics_of_another_shape_is_told():
    message = r"forward_kinematics returned shape \(3, 3\) and \(3,\), not \(5, 3, 3\) and \(5, 3\)"
    with pytest.raises(ValueError, match=message):
        ChainExplorer(arm(), forward_kinematics=lambda chain, q: (np.eye(3), np.zeros(3)))


def test_sliders_reach_as_far_as_the_joints_are_let():
    chain = arm()
    limits = np.array(ChainExplorer(chain).scene["limits"])
    np.testing.assert_allclose(limits[[0, 1, 3]], [[-np.pi, np.pi]] * 3)
    reach = 0.4 + 0.4 + 0.2 + 0.05  # out to the tool; the other branch is shorter
    np.testing.assert_allclose(limits[2], [-reach, reach])
    given = np.array([[-1, 1], [0, 2], [0, 0.3], [-0.5, 0.5]])
    np.testing.assert_array_equal(ChainExplorer(chain, limits=given).scene["limits"], given)


def test_the_scene_survives_json():
    scene = ChainExplorer(arm(), tip=(0.1, 0, 0)).scene
    again = json.loads(json.dumps(scene, allow_nan=False))
    assert again == scene
    assert again["column"] == [0, 1, 2, None, 3]
    assert again["parent"] == [-1, 0, 1, 2, 0]
    assert again["tip"] == [0.1, 0, 0]


class Ball:
    nq, nv = 4, 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"q": np.zeros(3)}, r"q has shape \(3,\), but must be finite and of shape \(4,\)"),
        ({"q": [0, 0, np.nan, 0]}, "q .* must be finite"),
        ({"tip": (1, 0)}, r"tip has shape \(2,\)"),
        (
            {"limits": np.zeros((3, 2))},
            r"limits has shape \(3, 2\), but must be finite and of shape \(4, 2\)",
        ),
        (
            {"limits": [[-1, 1], [2, 0], [0, 1], [0, 1]]},
            r"limits\[1\] .*'[^']+'. is 2 to 0: the first must be below",
        ),
        ({"frame": ["body"]}, r"frame is \['body'\], but must be one of"),
        ({"frame": "tool"}, r"frame is 'tool', but must be one of \['body', 'mixed', 'world'\]"),
        ({"body": "hand"}, "body is 'hand'"),
    ],
)
def test_bad_arguments_are_told(options, message):
    with pytest.raises(ValueError, match=message):
        ChainExplorer(arm(), **options)


def test_what_is_no_chain_is_told():
    with pytest.raises(ValueError, match="chain must be a Chain, not None"):
        ChainExplorer(None)


def test_a_joint_without_a_slider_is_told(monkeypatch):
    chain = arm()
    monkeypatch.setitem(chain.__dict__, "joints", (*chain.joints[:-1], Ball()))
    with pytest.raises(
        ValueError, match="joint of link 'finger' is Ball: only revolute, prismatic and fixed"
    ):
        ChainExplorer(chain)


@pytest.mark.parametrize("frame", ["world", "body", "mixed"])
def test_the_page_computes_what_python_computes_chain(on_page, frame):
    chain = arm()
    widget = ChainExplorer(chain, frame=frame)
    for seed in range(3):
        q, _ = chaindyn.random_state(chain, seed)
        for body in range(chain.n):
            request = {"q": q.tolist(), "body": body, "frame": frame}
            there = on_page(widget, "fromTree", widget.scene, request)
            here = widget.compute(request)
            assert set(there) == set(here)
            for name in here:
                assert normwise(there[name], here[name]) <= 100 * EPS * chain.n, (name, body)
