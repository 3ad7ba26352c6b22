"""What the stage tells three.js, and what the film of a blow shows: numbers, by node, without a browser."""

from __future__ import annotations

import numpy as np
import pytest
from widget_cases import arm

import chaindyn
from chaindyn import Chain, Fixed, Link
from chaindyn.models.robots import UR5_FLANGE, ur5

pytest.importorskip("anywidget")
from chaindyn.widgets import ImpactExplorer, StrikeExplorer
from chaindyn.widgets.explorer import equal_rods

Q, QD = [-0.3, -1.2, 1.3, -0.2, 1.4, 0.4], [0.2, 1.5, -1.0, -0.6, 0.5, 0.4]
SPAN, STEPS, SLOWER, FLASH = 0.42, 63, 6, 2.6


def striking(**options) -> StrikeExplorer:
    return StrikeExplorer(ur5(), Q, QD, **{"normal": (-1, 0, 0), "tip": UR5_FLANGE, **options})


def test_upright_is_a_rotation_with_the_direction_for_its_second_column(on_page):
    for direction in ([0, 0, 2], [0, 0, -1], [1, 2, 3], [-1, 0, 0.001]):
        R = np.array(on_page(ImpactExplorer, "upright", direction))
        assert R.T @ R == pytest.approx(np.eye(3), abs=1e-15)
        assert np.linalg.det(R) == pytest.approx(1)
        assert R[:, 1] == pytest.approx(np.array(direction) / np.linalg.norm(direction))


def corner(on_page, shape: dict, unit: list[float]) -> np.ndarray:
    """Where a point of the unit solid lands, by the matrix that three.js is given."""
    placed = on_page(ImpactExplorer, "solidOf", shape)
    matrix = np.array(on_page(ImpactExplorer, "matrixOf", placed)).reshape(4, 4)
    assert matrix[3] == pytest.approx([0, 0, 0, 1])
    return (matrix @ [*unit, 1])[:3]


def test_shapes_land_where_they_are_said_to_be(on_page):
    drum = {"shape": "cylinder", "from": [1, 0, 0], "to": [1, 2, 0], "radius": 0.3}
    assert corner(on_page, drum, [0, 0.5, 0]) == pytest.approx([1, 2, 0])
    assert corner(on_page, drum, [0, -0.5, 0]) == pytest.approx([1, 0, 0])
    assert np.linalg.norm(corner(on_page, drum, [0.5, 0, 0]) - [1, 1, 0]) == pytest.approx(0.3)
    R = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    box = {"shape": "box", "R": R, "centre": [1, 2, 3], "sides": [2, 4, 6]}
    assert corner(on_page, box, [0.5, 0.5, 0.5]) == pytest.approx([1 - 2, 2 + 1, 3 + 3])
    capsule = on_page(ImpactExplorer, "solidOf", {**drum, "shape": "capsule"})
    assert capsule["solid"] == ["capsule", 0.3, 2]
    assert capsule["size"] == [1, 1, 1]


def test_a_carried_shape_goes_with_its_frame(on_page):
    rng = np.random.default_rng(3)
    R = chaindyn.exp_so3(rng.normal(size=3))
    p = rng.normal(size=3)
    own = on_page(
        ImpactExplorer,
        "solidOf",
        {"shape": "cylinder", "from": [0, 0, 0], "to": [0.3, 0.1, -0.2], "radius": 0.1},
    )
    carried = on_page(ImpactExplorer, "carriedBy", {"R": R, "p": p}, own)
    assert np.array(carried["R"]) == pytest.approx(R @ np.array(own["R"]))
    assert carried["p"] == pytest.approx(p + R @ own["p"])


def test_arrows_end_where_their_vector_does(on_page):
    shaft, tip = on_page(ImpactExplorer, "arrowShapes", [1, 1, 1], [0, 0, 2], 0.1)
    assert shaft["from"] == [1, 1, 1]
    assert shaft["to"] == tip["from"] == pytest.approx([1, 1, 2.5])
    assert tip["to"] == pytest.approx([1, 1, 3])
    (alone,) = on_page(ImpactExplorer, "arrowShapes", [0, 0, 0], [0.2, 0, 0], 0.1)
    assert alone["to"] == pytest.approx([0.2, 0, 0])
    assert on_page(ImpactExplorer, "arrowShapes", [0, 0, 0], [0, 0, 0], 0.1) == []


def boxes(places: list, labels: list) -> list[tuple[float, ...]]:
    return [
        (x, y - 14, x + 7.6 * len(label["words"]), y + 4)
        for (x, y), label in zip(places, labels, strict=True)
    ]


def apart(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_labels_avoid_each_other_the_edge_and_what_is_kept_free(on_page):
    at = [[200, 150], [203, 152], [198, 149], [478, 3], [2, 398], [240, 160]]
    labels = [{"at": place, "words": "1.94 N s"} for place in at]
    places = on_page(ImpactExplorer, "spread", labels, [480, 400], [[212, 140]])
    found = boxes(places, labels)
    for i, box in enumerate(found):
        assert box[0] >= 0 and box[1] >= 0 and box[2] <= 480 and box[3] <= 400
        assert all(apart(box, other) for other in found[:i])
        assert apart(box, (202, 130, 222, 150))


# The film ---------------------------------------------------------------------------------------


def course_of(on_page, widget: StrikeExplorer) -> tuple[dict, dict]:
    (tree,) = widget.scene["chains"]
    values = widget.answer["values"]
    course = on_page(widget, "courseOf", tree, widget.request, values["qd_after"])
    return course, values


def test_the_arm_moves_as_the_library_says_that_it_does(on_page):
    """Freely, its weight carried: by the library's simulation, and by the energy, which only the blow takes."""
    widget = striking()
    course, values = course_of(on_page, widget)
    chain = Chain(ur5().links, gravity=(0, 0, 0))
    for states, qd, sign in (
        (course["before"], QD, -1),
        (course["after"], values["qd_after"], 1),
    ):
        q, v = np.array(Q), np.array(qd)
        assert states[0] == [q.tolist(), v.tolist()]
        times = np.linspace(0, sign * SPAN, STEPS + 1)[: len(states)]
        result = chaindyn.simulate(
            chain, q, v * sign, t=np.abs(times)
        )  # backwards is forwards, reversed
        assert np.array([x for x, _ in states]) == pytest.approx(result.q, abs=1e-6)
    energy = [
        chaindyn.kinetic_energy(chain, np.array(q), np.array(v))
        for q, v in (course["before"][-1], course["after"][-1])
    ]
    assert energy == pytest.approx(values["energy"], rel=1e-6)


def test_the_course_keeps_before_the_wall(on_page):
    for restitution in (0.0, 1.0):
        widget = striking(restitution=restitution)
        course, values = course_of(on_page, widget)
        chain = ur5()
        for states in (course["before"], course["after"]):
            R, p = chaindyn.forward_kinematics(chain, np.array([q for q, _ in states]))
            tips = p[:, -1] + R[:, -1] @ UR5_FLANGE
            # the wall's normal is -x
            assert (tips[:, 0] <= values["point"][0] + 2e-3).all()
            assert len(states) > STEPS // 4


def test_a_rod_that_would_come_from_behind_the_wall_is_shown_from_where_it_is_before_it(on_page):
    """At 8 rad/s it passes the wall's plane half a turn earlier, pi/8 s before the blow; the course is 0.42 s long."""
    rod = equal_rods(1, (0, 0, 1), gravity=(0, 0, 0))
    widget = StrikeExplorer(rod, [0.0], [8.0], normal=(0, -1, 0), tip=(1, 0, 0))
    course, _ = course_of(on_page, widget)
    shown = course["h"] * (len(course["before"]) - 1)
    assert np.pi / 8 - 2 * course["h"] < shown <= np.pi / 8 + 1e-3
    assert shown < SPAN - 2 * course["h"]


def test_the_film_comes_stops_and_goes(on_page):
    widget = striking()
    course, _ = course_of(on_page, widget)
    cut = on_page(widget, "cutOf", course)
    long = SLOWER * SPAN / STEPS * (len(course["before"]) - 1)
    assert cut["blow"] == pytest.approx(long)
    assert cut["leave"] == pytest.approx(long + FLASH)
    seen = {
        clock: on_page(widget, "sceneAt", course, clock)
        for clock in (0, cut["blow"], cut["blow"] + FLASH / 2, cut["leave"], cut["end"])
    }
    first, blow, flash, leave, last = seen.values()
    assert first["q"] == pytest.approx(course["before"][-1][0])
    assert blow["q"] == flash["q"] == Q
    assert flash["qd"] == QD
    assert (first["flash"], flash["flash"]) == (0, pytest.approx(0.5))
    assert leave["q"] == pytest.approx(Q)
    assert leave["qd"] == pytest.approx(course["after"][0][1])
    assert last["q"] == pytest.approx(course["after"][-1][0])
    assert last["left"] == 0


def test_joints_light_up_from_the_struck_end_inward(on_page):
    arrivals = [on_page(StrikeExplorer, "turnOfJoint", i, 6) for i in range(6)]
    assert arrivals == sorted(arrivals, reverse=True)
    assert 0 < arrivals[-1] and arrivals[0] + 0.1 < 1
    assert on_page(StrikeExplorer, "glowOf", 2, 6, {"flash": 0, "left": 1}) == 0
    assert on_page(StrikeExplorer, "glowOf", 0, 6, {"flash": 1, "left": 1}) > 0.3
    assert on_page(StrikeExplorer, "glowOf", 0, 6, {"flash": 1, "left": 0}) == 0


def test_the_page_answers_as_python_does(on_page):
    widget = striking()
    (tree,) = widget.scene["chains"]
    embedded = on_page(widget, "fromBlow", tree, widget.request)["values"]
    values = widget.answer["values"]
    assert embedded["impulse"] == pytest.approx(values["impulse"], rel=1e-12)
    assert embedded["qd_after"] == pytest.approx(values["qd_after"], rel=1e-11)


def test_it_needs_a_chain_that_moves():
    with pytest.raises(TypeError, match="must be a Chain"):
        StrikeExplorer(3, [0], [0])
    fixed = Chain([Link(Fixed(), 1, (0, 0, 0), np.eye(3))])
    with pytest.raises(ValueError, match="no joint lets it move"):
        StrikeExplorer(fixed, [], [])


def test_only_its_own_chain_is_offered():
    widget = StrikeExplorer(arm(), [0.4, -0.5, 0.1, 0.5], [0.8, -1.2, 0.3, 0.9], body="tool")
    assert widget.scene["labels"] == ["this chain"]
    assert len(widget.scene["chains"]) == 1
