"""Where a sketch's numbers come from: ten of them traced by hand, and what the page says of them."""

from __future__ import annotations

import numpy as np
import pytest

import chaindyn
from chaindyn.impulse import contact_impulse
from chaindyn.models.robots import UR5_FLANGE, ur5
from chaindyn.widgets.impact import StrikeExplorer
from chaindyn.widgets.marks import Arrow, Dot, Value
from chaindyn.widgets.sketch import Clock, Place, Sketch, Slider

MASS = 0.4
CHOSEN = [0.5, 30.0, [0.3, -0.2, 0.0], 1.5]


def blow_and_lever(restitution, angle, hand, time):
    c, s = np.cos(angle), np.sin(angle)
    force = np.array([c, s, 0 * c])
    moment = np.cross(hand, force)[2]
    yield Dot(hand, "P")
    yield Arrow(hand, 0.5 * force, "force", "f", symbol="f", words="force")
    yield Value("moment", moment, "N m", 3)
    yield Value("lever", np.sqrt(hand @ hand), "m", 3)
    speed = -2 * time
    parts = [np.array([[x]]) for x in (speed, 1 / MASS, 3 / MASS, 0, restitution)]
    number = contact_impulse(*parts)[0][0, 0]
    yield Value("impulse", number, "N s", 3)
    after = speed + number / MASS
    lost = MASS * (speed**2 - after**2) / 2
    yield Value("energy lost", lost, "J", 3)
    total = 0
    for share in (c, s):
        total = total + share
    yield Value("sum", total)
    R, p = chaindyn.forward_kinematics(ROD, np.array([angle]))
    tip = p[0] + R[0] @ np.array([2.0, 0, 0])
    yield Value("height", tip[2], "m", 3)
    yield Value("ratio", after / speed, "", 3)
    yield Value("constant", 3.5)
    yield Value("twice the angle", 2 * angle)


ROD = chaindyn.Chain([chaindyn.Link(chaindyn.Revolute((0, 1, 0)), 1, (0.5, 0, 0), np.eye(3))])
SLIDERS = {
    "restitution": Slider(0.5, 0, 1),
    "angle": Slider(30, -90, 90, "°", 1),
    "hand": Place((0.3, -0.2, 0.0), "P"),
    "time": Clock(2.0, 1.5),
}
COS = np.sqrt(3) / 2
MOVED = [0.2, -40.0, [0.1, 0.4, 0.0], 0.7]
# By hand: the page's names behind a number, from it back, with their values as numbers; and what the reader set.
BY_HAND = {
    "moment": (["moment", "force", "s", "c"], [0.15 + 0.2 * COS, None, 0.5, COS], ["angle", "P"]),
    "lever": (["lever"], [np.sqrt(0.13)], ["P"]),
    "impulse": (["impulse", "parts", "speed"], [1.8, None, -3], ["restitution", "time"]),
    "energy lost": (
        ["energy lost", "after", "number", "parts", "speed"],
        [1.35, 1.5, 1.8, None, -3],
        ["restitution", "time"],
    ),
    "sum": (["sum", "s", "c"], [0.5 + COS, 0.5, COS], ["angle"]),
    "height": (["height", "tip", "R", "s"], [-1, None, None, 0.5], ["angle"]),
    "ratio": (
        ["ratio", "after", "number", "parts", "speed"],
        [-0.5, 1.5, 1.8, None, -3],
        ["restitution", "time"],
    ),
    "constant": (["constant"], [3.5], []),
    "twice the angle": (["twice the angle"], [np.pi / 3], ["angle"]),
    "force": (["force", "force", "s", "c"], [None, None, 0.5, COS], ["angle"]),
}


@pytest.fixture(scope="module")
def sketch():
    return Sketch(blow_and_lever, SLIDERS, title="A blow and a lever")


def origin(on_page, sketch, name, chosen=CHOSEN):
    mark = next(
        m
        for m in sketch.scene["marks"]
        if name in (m.get("words"), m["kind"] == "Value" and m["name"])
    )
    return on_page(sketch, "originOf", sketch.scene, mark, chosen)


def number(text):
    return float(text.split("\u00a0")[0].replace("\u2212", "-"))


@pytest.mark.parametrize("name", BY_HAND)
def test_a_number_comes_from_what_it_comes_from_by_hand(sketch, on_page, name):
    steps = origin(on_page, sketch, name)["steps"]
    names, values, given = BY_HAND[name]
    assert [step["name"] for step in steps] == [*names, *given]
    for step, value in zip(steps, values, strict=False):
        if value is not None:
            assert abs(number(step["value"]) - value) <= 0.006


@pytest.mark.parametrize("name", ["moment", "energy lost", "ratio"])
def test_formulas_in_numbers_are_worth_what_they_say(sketch, on_page, name):
    """They are written with three decimals: what they are worth is read with the arithmetic of Python."""
    tried = 0
    for step in origin(on_page, sketch, name, MOVED)["steps"]:
        formula = step.get("formula", "").split("; ")[0]
        if formula.startswith("= "):
            text = formula[2:].replace("\u00b7", "*").replace("\u2212", "-")
            found = eval(text, {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt})
            assert abs(found - number(step["value"])) < 0.01, formula
            tried += 1
    assert tried >= 3


def test_a_step_says_the_pages_line_and_the_chapter_of_its_law(sketch, on_page):
    step, *_ = origin(on_page, sketch, "impulse")["steps"]
    assert step["line"] == "number = contact_impulse(*parts)[0][0, 0]"
    page = "17_impulse_response_of_a_chain.html#export-contact_impulse"
    assert step["laws"] == [["contact_impulse: chapter 17", page]]
    lines = [own["line"] for own in origin(on_page, sketch, "sum")["steps"] if own.get("line")]
    assert "total = total + share" in lines


def test_the_sentence_and_the_address_say_where_the_sliders_stand(sketch, on_page):
    told = origin(on_page, sketch, "lever", MOVED)
    assert told["sentence"] == "lever is 0.412\u00a0m, from P (0.10, 0.40, 0.00) m."
    assert told["at"] == [0.2, -40, 0.1, 0.4, 0, 0.7]
    asked = on_page(sketch, "askedIn", "#where=a-b.c&at=0.2,-40")
    assert asked == {"key": "a-b.c", "at": [0.2, -40]}
    assert on_page(sketch, "askedIn", "#where=a&at=1,x") == {"key": "a", "at": []}
    assert on_page(sketch, "askedIn", "#sec-1") is None


def test_a_list_of_marks_has_no_lines():
    def listed(x):
        return [Value("x", 2 * x)]

    assert Sketch(listed, {"x": Slider(0, 0, 1)}, title="A list").scene["lines"] == []


def test_what_is_changed_in_place_and_named_again_is_told_as_it_was(on_page):
    def draw(x):
        y = np.array([x, 2 * x])
        yield Value("first", y[1])
        y[1] = 5 * y[1]
        yield Value("second", y[1])
        y = y[1] + 1
        yield Value("third", y)

    own = Sketch(draw, {"x": Slider(1, 0, 2)}, title="Changed")
    first, second, *_ = origin(on_page, own, "third", [1])["steps"]
    assert first["value"] == "11.00"
    assert (second["value"], second["line"]) == ("(1.000, 10.000)", "y[1] = 5 * y[1]")
    assert len(own.scene["lines"]) == 3


# The opening page's blow ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def strike():
    q, qd = [-0.3, -1.2, 1.3, -0.2, 1.4, 0.4], [0.2, 1.5, -1.0, -0.6, 0.5, 0.4]
    return StrikeExplorer(ur5(), q, qd, normal=[-1, 0, 0], tip=UR5_FLANGE)


def other_request(strike, seed):
    """Return a request of the same arm in another posture, at another wall."""
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=3)
    new = {
        "q": rng.uniform(-2, 2, 6).tolist(),
        "qd": rng.normal(size=6).tolist(),
        "normal": (normal / np.linalg.norm(normal)).tolist(),
        "restitution": float(rng.uniform()),
    }
    return {**strike.request, **new}


def blow_of(strike, request):
    """Return the same blow by `impact`, and the speed of approach by `point_velocity`."""
    arm, q, qd = ur5(), np.array(request["q"]), np.array(request["qd"])
    R, p = chaindyn.forward_kinematics(arm, q)
    tip = p[-1] + R[-1] @ np.array(request["point"])
    normal = np.array(request["normal"])
    twist = chaindyn.body_twists(arm, q, qd, frame="world")[-1]
    own = {"point": tip, "normal": normal, "restitution": request["restitution"]}
    speed = -normal @ chaindyn.point_velocity(twist, tip)
    return chaindyn.impact(arm, q, qd, **own), speed


@pytest.mark.parametrize("seed", range(8))
def test_the_numbers_of_a_blow_are_traced_to_those_of_impact(strike, on_page, seed):
    request = other_request(strike, seed)
    blow, speed = blow_of(strike, request)
    after = np.array(request["qd"]) + blow.qd_jump
    loads = np.linalg.norm(blow.joint_impulses[:, 3:], axis=-1)
    asked = [("impulse", 0, blow.impulse)]
    asked += [("speed", i, after[i]) for i in range(6)]
    asked += [("bearing", i, loads[i]) for i in range(6)]
    for kind, i, value in asked:
        found = on_page(strike, "originOfBlow", strike.scene["chains"][0], request, kind, i)
        steps = {step["name"]: number(step["value"]) for step in found["steps"][:-5]}
        assert abs(number(found["steps"][0]["value"]) - value) <= 0.0051
        assert abs(steps["effective mass"] - blow.effective_mass) <= 0.00051
        assert abs(steps["speed of approach"] - speed) <= 0.00051
        assert abs(steps["impulse"] - blow.impulse) <= 0.0051
        assert found["sentence"].startswith(found["steps"][0]["name"])


@pytest.mark.parametrize("seed", range(8))
def test_formulas_of_a_blow_are_worth_what_they_say(strike, on_page, seed):
    request = other_request(strike, seed)
    tried = 0
    for kind, i in [("impulse", 0), ("speed", 2), ("bearing", 4)]:
        found = on_page(strike, "originOfBlow", strike.scene["chains"][0], request, kind, i)
        for step in found["steps"]:
            formula = step.get("formula", "").split("; ")[0]
            if formula.startswith("= "):
                text = formula[2:].replace("\u00b7", "*").replace("\u2212", "-")
                worth, value = eval(text), number(step["value"])
                assert abs(worth - value) <= 0.01 + 0.005 * abs(value), formula
                tried += 1
    assert tried >= 8


def test_an_address_tells_a_blow(strike, on_page):
    tree = strike.scene["chains"][0]
    request = other_request(strike, 3)
    at = on_page(strike, "originOfBlow", tree, request, "impulse", 0)["at"]
    found = on_page(strike, "requestAt", tree, at)
    for name in ("q", "qd", "normal", "restitution"):
        np.testing.assert_allclose(found[name], request[name], atol=1e-15)
    for wrong in ([], at[:-1], [*at[:-1], 2], [*at[:-4], 0, 0, 0, 0.5]):
        assert on_page(strike, "requestAt", tree, wrong) is None


def test_a_blow_without_an_answer_says_why(strike, on_page):
    request = {**other_request(strike, 1), "restitution": 2}
    found = on_page(strike, "originOfBlow", strike.scene["chains"][0], request, "impulse", 0)
    assert [step["value"] for step in found["steps"]] == ["unknown"]
    assert "between 0 and 1" in found["sentence"]


def test_a_wall_that_the_tip_leaves_is_not_struck(strike, on_page):
    request = other_request(strike, 2)
    _, speed = blow_of(strike, request)
    request["normal"] = (-np.sign(speed) * np.array(request["normal"])).tolist()
    first, *_ = on_page(strike, "originOfBlow", strike.scene["chains"][0], request, "impulse", 0)[
        "steps"
    ]
    assert number(first["value"]) == 0
    assert "does not approach" in first["words"]
