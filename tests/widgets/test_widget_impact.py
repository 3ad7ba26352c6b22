"""The Python half of ImpactExplorer: what it computes, from whose functions, and what it says when those fail."""

import json
from dataclasses import replace

import numpy as np
import pytest
from widget_cases import EPS, INERTIA, arm, tell

import chaindyn
import chaindyn.models.robots
from chaindyn import Chain, Fixed, Link
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import ImpactExplorer
from chaindyn.widgets.explorer import plain


def struck_arm(**options) -> ImpactExplorer:
    options = {"body": "tool", "point": (0.05, 0.02, -0.1), **options}
    return ImpactExplorer(arm(), [0.4, -0.5, 0.1, 0.5], [0.8, -1.2, 0.3, 0.9], **options)


def struck_by_library(chain: Chain, request: dict) -> tuple[np.ndarray, chaindyn.Impact]:
    R, p = chaindyn.forward_kinematics(chain, np.array(request["q"]))
    b = request["body"]
    point = p[b] + R[b] @ request["point"]
    blow = chaindyn.impact(
        chain,
        np.array(request["q"]),
        np.array(request["qd"]),
        point=point,
        normal=np.array(request["normal"]),
        restitution=request["restitution"],
        body=b,
    )
    return point, blow


@pytest.mark.parametrize("body", ["slide", "tool", "finger"])
def test_a_blow_is_shown_as_the_library_has_it(body):
    chain = arm()
    widget = struck_arm(body=body)
    q, qd = chaindyn.random_state(chain, 5)
    normal = np.array([2, -3, 6]) / 7
    if normal @ widget.compute({**widget.request, "q": q, "qd": qd})["before"] > 0:
        qd = -qd
    change = {"q": q.tolist(), "qd": qd.tolist(), "normal": normal.tolist(), "restitution": 0.25}
    values = tell(widget, **change)["values"]
    point, blow = struck_by_library(chain, widget.request)
    assert blow.impulse > 0
    assert values["impulse"] == blow.impulse
    assert values["mass"] == blow.effective_mass
    assert values["point"] == point.tolist()
    assert values["qd_after"] == (qd + blow.qd_jump).tolist()
    assert values["energy"] == [blow.energy_before, blow.energy_after]
    assert values["reactions"] == blow.joint_impulses[:, 3:].tolist()
    # By another road: velocities of the point from its Jacobian, moments of the reactions about the joints.
    b = chain.index(body)
    J = chaindyn.body_jacobian(chain, q, b, frame="world")
    at_point = J[3:] + np.cross(J[:3].T, point).T
    assert normwise(values["before"], at_point @ qd) <= 100 * EPS * chain.n
    assert normwise(values["after"], at_point @ (qd + blow.qd_jump)) <= 1000 * EPS * chain.n
    assert normal @ values["after"] == pytest.approx(-0.25 * (normal @ values["before"]), rel=1e-12)
    about_world = [
        np.add(moment, np.cross(p, force))
        for moment, force, p in zip(
            values["moments"], values["reactions"], values["p"], strict=True
        )
    ]
    assert normwise(about_world, blow.joint_impulses[:, :3]) <= 100 * EPS


@pytest.mark.parametrize("feel", [["jump", 1], ["reaction", 3]])
@pytest.mark.parametrize("axes", [("base", "slide"), ("along", 0), (1, "along")])
def test_the_map_is_the_present_answer_elsewhere(axes, feel):
    widget = struck_arm(axes=axes)
    chain, scene, request = arm(), widget.scene["chains"][0], widget.request
    shown = tell(widget, map="k", feel=feel)["values"]["map"]
    assert shown["key"] == "k"
    cells, end = scene["cells"], np.array(scene["end"][request["body"]])
    for i, j in [(0, 0), (3, 17), (cells - 1, 5)]:
        there = json.loads(json.dumps(request))
        for axis, k in zip(request["axes"], (i, j), strict=True):
            share = (k + 0.5) / cells
            if axis == "along":
                across = np.array(request["point"]) - end * (end @ request["point"]) / (end @ end)
                there["point"] = across + share * end
            else:
                low, high = scene["limits"][scene["column"][axis]]
                there["q"][scene["column"][axis]] = low + share * (high - low)
        _, blow = struck_by_library(chain, there)
        _, other = struck_by_library(chain, {**there, "qd": np.negative(there["qd"])})
        hit = blow if blow.impulse else other
        kind, link = feel
        column = scene["column"][link]
        felt = (
            hit.qd_jump[column]
            if kind == "jump"
            else hit.joint_impulses[link, 3:] @ there["normal"]
        )
        assert shown["impulse"][j][i] == pytest.approx(blow.impulse, rel=1e-10)
        assert shown["mass"][j][i] == pytest.approx(blow.effective_mass, rel=1e-10)
        assert shown["felt"][j][i] == pytest.approx(felt / hit.impulse, rel=1e-8, abs=1e-10)


def test_the_line_of_a_rod_is_its_centre_of_percussion():
    """Struck across at two thirds of its length, a rod does not push its hinge; at an angle, at 2/(3 cos^2)."""
    widget = ImpactExplorer(links=1, q=[0.0], normal=(0, -1, 0))
    assert widget.request["axes"] == [0, "along"]
    assert widget.request["feel"] == ["reaction", 0]
    push = tell(widget, point=[2 / 3, 0, 0])["values"]["reactions"][0]
    assert np.linalg.norm(push) <= 100 * EPS
    felt = np.array(tell(widget, map="k")["values"]["map"]["felt"], float)
    cells = len(felt)
    share = (np.arange(cells) + 0.5) / cells
    angles = -np.pi + 2 * np.pi * share
    expected = 1.5 * share[:, None] * np.cos(angles) ** 2 - 1
    np.testing.assert_allclose(felt, expected, atol=1e-12)


def test_rods_are_offered_beside_a_chain():
    widget = struck_arm()
    assert widget.scene["labels"][:3] == ["this chain", "1 rod", "2 equal rods"]
    start = widget.scene["chains"][3]["start"]
    values = tell(widget, chain=3, **start)["values"]
    assert len(values["reactions"]) == 3
    rods = ImpactExplorer(links=3)
    assert rods.request["chain"] == 2
    assert rods.answer["values"] == {**values, "chain": 2}
    assert ImpactExplorer().request["chain"] == 1


def test_a_blow_starts_head_on_at_the_end_of_the_link():
    widget = ImpactExplorer(links=2, q=[0.3, 0.5], qd=[1, -0.4])
    values, request = widget.answer["values"], widget.request
    assert request["point"] == [1, 0, 0]
    assert np.cross(values["before"], request["normal"]) == pytest.approx([0, 0, 0], abs=1e-15)
    assert np.dot(values["before"], request["normal"]) < 0 < values["impulse"]
    at_rest = ImpactExplorer(links=2, qd=[0, 0])
    assert at_rest.request["normal"] == [1, 0, 0]
    assert at_rest.answer["values"]["impulse"] == 0


def test_a_direction_in_which_nothing_moves_reaches_the_page():
    values = ImpactExplorer(links=1, q=[0.0], normal=(1, 0, 0)).answer["values"]
    assert values["impulse"] == 0
    assert values["mass"] is None
    assert "error" not in values


def test_a_blow_is_shown_by_the_function_it_was_given():
    def harder(chain, q, qd, **options):
        blow = chaindyn.impact(chain, q, qd, **options)
        return replace(
            blow,
            impulse=2 * blow.impulse,
            qd_jump=2 * blow.qd_jump,
            twist_jumps=2 * blow.twist_jumps,
            joint_impulses=2 * blow.joint_impulses,
        )

    book, reader = ImpactExplorer(links=3), ImpactExplorer(links=3, impact=harder)
    assert reader.answer["values"]["impulse"] == 2 * book.answer["values"]["impulse"]
    one, other = (tell(widget, map="k")["values"]["map"] for widget in (book, reader))
    np.testing.assert_allclose(other["impulse"], 2 * np.array(one["impulse"]), rtol=1e-15)
    np.testing.assert_array_equal(other["mass"], one["mass"])


def test_a_readers_impact_that_fails_is_told():
    def one_at_a_time(chain, q, qd, **options):
        if q.ndim > 1:
            raise ArithmeticError("one at a time")
        return chaindyn.impact(chain, q, qd, **options)

    line = one_at_a_time.__code__.co_firstlineno + 2
    widget = ImpactExplorer(links=2, impact=one_at_a_time)
    values = tell(widget, map="k")["values"]
    assert values["impulse"] > 0  # the present posture has its answer all the same
    assert values["map"] == {
        "key": "k",
        "error": f"ArithmeticError: one at a time; in impact, line {line}",
    }
    with pytest.raises(AttributeError, match="impulse") as caught:
        ImpactExplorer(links=2, impact=lambda *args, **options: None)
    assert caught.value.__notes__[0].startswith("in impact")
    answer = tell(ImpactExplorer(links=2), restitution=2)
    assert "restitution is 2" in answer["error"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"links": 3}, "links is 3, but a chain was given too"),
        ({"body": None}, "body"),
        ({"body": "hand"}, "body is 'hand'"),
        ({"q": [0, 0]}, r"q has shape \(2,\), but must be finite and of shape \(4,\)"),
        ({"qd": [0, 0, np.inf, 0]}, "qd .* must be finite"),
        ({"point": (1, 2)}, r"point has shape \(2,\)"),
        ({"normal": (0, 0, 0)}, r"normal is .*: a direction must not be zero"),
        ({"normal": (0, 1)}, r"normal has shape \(2,\)"),
        ({"restitution": 1.5}, "restitution is 1.5, but must lie between 0 and 1"),
        ({"restitution": np.nan}, "restitution is nan"),
        ({"view": "top"}, r"view is 'top', but must be one of \['space'"),
        ({"axes": "along"}, "axes is 'along', but must be two coordinates"),
        ({"axes": (0,)}, r"axes is \(0,\), but must be two coordinates"),
        ({"axes": (0, "tool")}, "axes has 'tool', whose joint does not move"),
        ({"axes": ("base", 0)}, "the two coordinates must differ"),
        ({"axes": ("base", "elbow")}, "'elbow'"),
    ],
)
def test_a_bad_blow_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        ImpactExplorer(arm(), **{"body": "tool", **options})


def test_what_cannot_be_struck_is_told():
    with pytest.raises(ValueError, match="links is 7, but must be a number from 1 to 6"):
        ImpactExplorer(links=7)
    fixed = Chain([Link(Fixed(), 1, (0, 0, 0), INERTIA, name="post")])
    with pytest.raises(ValueError, match="link 'post' is struck, but no joint lets it move"):
        ImpactExplorer(fixed)
    with pytest.raises(ValueError, match="chain must be a Chain, not 3"):
        ImpactExplorer(3)


@pytest.mark.parametrize("feel", [["jump", 2], ["reaction", 0]])
@pytest.mark.parametrize("body", ["slide", "tool", "finger"])
def test_the_page_computes_what_python_computes_impact(on_page, body, feel):
    chain = arm()
    widget = struck_arm(body=body, axes=(1, "along"))
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
            sent["map"] = "k" if seed == 0 else None
            answer = on_page(widget, "fromBlow", widget.scene["chains"][0], sent)
            assert answer["fault"] == ""
            there = answer["values"]
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
