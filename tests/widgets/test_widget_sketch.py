"""Sketches: what is recorded or sampled of a function is what the function says, in Python and on the page."""

import numpy as np
import pytest
from widget_cases import EPS, arm

import chaindyn
from chaindyn import _ops

pytest.importorskip("anywidget")
from chaindyn.widgets.marks import Arrow, Axes, Ball, Box, Dot, Line, Rod, Value, rods
from chaindyn.widgets.sketch import Clock, Place, Sketch, Slider, played

CHAIN = arm()


def all_marks(place, angle, size, time):
    """Every kind of mark, and nearly every operation that a tape knows."""
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]], dtype=object)
    length = np.sqrt(1 + place @ place)
    q = np.array([angle, time, size, -angle, time * size, 1 / (2 + size)])[: CHAIN.nq]
    qdd = chaindyn.aba(CHAIN, q, 0.3 * q, 0 * q)
    yield from rods(CHAIN, q, (0.3, 0, 0))
    yield Arrow(place, time * place, symbol="r")
    yield Line([place, R @ place, place - size])
    yield Dot(R @ place, "P")
    yield Rod(place, [size, 0, time])
    yield Box(R, place, [1, size, 2])
    yield Ball(place)
    yield Axes(R, place)
    yield Value("length", length)
    yield Value("angle", np.arctan2(s, c + size), against="angle")
    yield Value("one side", _ops.where(_ops.positive(place), place, 2 * place)[1])
    for k, rate in enumerate(qdd):
        yield Value(f"qdd {k}", rate)


ARGUMENTS = {
    "place": Place((0.1, -0.2, 0.3)),
    "angle": Slider(30, -180, 180, "°", 1),
    "size": Slider(0.5, 0, 1),
    "time": Clock(2.0),
}


def numbers_of(marks):
    return np.concatenate([np.ravel(x).astype(float) for m in marks for x in m.numbers.values()])


def places_of(scene):
    return np.concatenate(
        [np.ravel(places) for mark in scene["marks"] for places in mark["numbers"].values()]
    ).astype(int)


@pytest.fixture(scope="module")
def sketch():
    return Sketch(all_marks, ARGUMENTS, title="All marks", view="space")


def test_a_recording_gives_what_the_function_gives_here_and_on_the_page(sketch, on_page):
    rng = np.random.default_rng(0)
    for _ in range(5):
        place, (angle, size, time) = rng.normal(size=3), rng.uniform(0, 1, 3)
        wanted = numbers_of(all_marks(place, np.deg2rad(90 * angle), size, time))
        chosen = [place.tolist(), 90 * angle, size, time]
        here = np.array(played(sketch.scene["tape"], [*place, np.deg2rad(90 * angle), size, time]))
        there = np.array(on_page(sketch, "numbersFor", sketch.scene, chosen))
        for values in (here, there):
            found = values[places_of(sketch.scene)]
            cond = np.linalg.cond(chaindyn.crba(CHAIN, np.ones(CHAIN.nq)))
            assert np.linalg.norm(found - wanted) <= 1000 * EPS * cond * np.linalg.norm(wanted)


def test_marks_travel_with_their_looks(sketch):
    arrow = next(mark for mark in sketch.scene["marks"] if mark["kind"] == "Arrow")
    assert (arrow["symbol"], arrow["colour"]) == ("r", "motion")
    assert [own["kind"] for own in sketch.scene["arguments"]] == [
        type(own).__name__ for own in ARGUMENTS.values()
    ]


def test_samples_are_the_function_where_they_were_taken_and_between_them_a_straight_line(on_page):
    def branching(angle, size):
        yield Line([[0, 0, 0], [size, 1 if angle > 1 else 0, 0]])
        yield Value("angle", angle)

    arguments = {"angle": Slider(0, 0, 90, "°", 30), "size": Slider(0, -1, 1, step=0.5)}
    with pytest.raises(TypeError, match="not supported") as told:
        Sketch(branching, arguments, title="")
    assert "else use sampled" in str(told.value.__notes__)
    sampled = Sketch(branching, arguments, title="", sampled=True)
    where = places_of(sampled.scene)
    for angle, size in ((0, -1), (30, 0.5), (60, 0), (90, 1)):
        found = np.array(on_page(sampled, "numbersFor", sampled.scene, [angle, size]))[where]
        wanted = numbers_of(branching(np.deg2rad(angle), size))
        np.testing.assert_allclose(found, wanted, atol=1e-5)  # six digits are kept
    (*_, x, y, _, angle) = np.array(on_page(sampled, "numbersFor", sampled.scene, [45, 0.25]))[
        where
    ]
    np.testing.assert_allclose([x, y, angle], [0.25, 0.5, np.deg2rad(45)], atol=1e-5)


def test_a_clock_is_sampled_as_often_as_it_is_slow():
    def falling(t):
        yield Dot([0, 0, -9.81 * t * t / 2])

    for slow, count in ((1, 51), (4, 201)):
        scene = Sketch(falling, {"t": Clock(2, slow=slow)}, title="", sampled=True).scene
        assert scene["samples"]["counts"] == [count]
        assert scene["samples"]["columns"] == [2]
        assert scene["samples"]["rows"][-1] == [pytest.approx(-19.62)]


def bent(x):
    yield Dot([x, 0])


def shy(x):
    yield Value("square root", np.sqrt(x - 2))


def forgetful(x, calls=[]):  # noqa: B006
    calls.append(x)
    yield Value("calls", len(calls) * x)


def growing(x):
    yield from [Dot([x, 0, 0])] * (1 + (x > 0))


X = {"x": Slider(1, -1, 1)}


@pytest.mark.parametrize(
    ("draw", "arguments", "options", "error", "words"),
    [
        (bent, {"y": Slider(0, 0, 1)}, {}, TypeError, r"draw takes \['x'\], but .* \['y'\]"),
        (bent, X, {}, ValueError, r"place of Dot has shape \(2,\), but must have \(3,\)"),
        (bent, X, {"view": "top"}, ValueError, "view is 'top', but must be one of"),
        (shy, X, {}, ValueError, "value of Value is nan at the start"),
        (lambda x: forgetful(x), X, {}, ValueError, "but its recording"),
        (growing, X, {"sampled": True}, ValueError, "other marks at some positions"),
        (growing, {"x": Place((0, 0, 0))}, {"sampled": True}, TypeError, "x is a place"),
        (growing, {"x": Slider(0, 0, 1, step=1e-4)}, {"sampled": True}, ValueError, "10001 pos"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, arguments, options, error, words):
    with pytest.raises(error, match=words):
        Sketch(draw, arguments, title="", **options)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: Slider(2, 0, 1), "low <= start <= high"),
        (lambda: Slider(0, 0, 0), "low < high"),
        (lambda: Slider(0, 0, 1, step=0), "step > 0"),
        (lambda: Slider(float("nan"), 0, 1), "low <= start"),
        (lambda: Clock(0), "length > 0"),
        (lambda: Clock(1, 2), "start <= length"),
        (lambda: Clock(1, slow=0), "slow > 0"),
        (lambda: Place((0, 0)), "three finite numbers"),
        (lambda: Place((0, 0, float("inf"))), "three finite numbers"),
    ],
)
def test_arguments_that_cannot_be_chosen_are_refused(made, words):
    with pytest.raises(ValueError, match=words):
        made()
