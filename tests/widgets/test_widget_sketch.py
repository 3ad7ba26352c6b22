"""Sketches: what is recorded or sampled of a function is what the function says, in Python and on the page."""

import dataclasses
import warnings

import numpy as np
import pytest
from widget_cases import EPS, arm

import chaindyn
from chaindyn import _ops

pytest.importorskip("anywidget")
from chaindyn.compiler.recording import CannotRecord
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


def test_how_it_is_seen_travels_as_it_was_told():
    """Without a height the ground lies half a width below the centre; seen from above, far out of sight."""
    arguments = {"x": Slider(1, 0, 2, "°", 0.5), "t": Clock(2, 1, slow=4), "P": Place((1, 2, 3))}

    def dot(x, t, P):
        yield Dot(P)

    seen = {"title": "A dot", "width": 4.0, "centre": (1, 2, 3)}
    for options, view, floor in (
        ({"view": "xz"}, "x\u2013z", 1),
        ({"view": "space", "floor": 0.5}, "space", 0.5),
        ({}, "x\u2013y", -17),
    ):
        scene = Sketch(dot, arguments, **seen, **options).scene
        assert (scene["view"], scene["floor"]) == (view, floor)
        assert (scene["title"], scene["width"], scene["centre"]) == ("A dot", 4, [1, 2, 3])
    slider, clock, place = scene["arguments"]
    assert slider == {
        **{"kind": "Slider", "argument": "x", "start": 1, "low": 0, "high": 2, "step": 0.5},
        **{"unit": "°", "bounds": [0, 2]},
    }
    assert clock == {
        **{"kind": "Clock", "argument": "t", "start": 1, "length": 2, "slow": 4},
        **{"unit": "s", "bounds": [0, 2]},
    }
    assert place == {
        **{"kind": "Place", "argument": "P", "start": [1, 2, 3]},
        **{"name": "point", "colour": "ink"},
    }


def test_rods_lead_from_each_joint_to_those_of_its_children_or_to_a_tip():
    """A fork: the second and the third link hang on the first, a fourth on the third; tips lie in their links' axes."""
    body = {"mass": 1, "com": (0, 0, 0), "inertia": np.eye(3)}
    joint = chaindyn.Revolute((0, 0, 1))
    chain = chaindyn.Chain(
        [
            chaindyn.Link(joint, **body, offset=(0.5, 0, 0)),
            chaindyn.Link(joint, **body, offset=(1, 0, 0)),
            chaindyn.Link(joint, **body, offset=(0, 1, 0), parent=0),
            chaindyn.Link(joint, **body, offset=(1, 0, 0)),
        ]
    )
    quarter = np.pi / 2
    marks = list(rods(chain, [quarter, 0, quarter, 0], (2, 0, 0), radius=0.1, colour="struck"))
    drawn = [(m.start, m.end, m.radius, m.colour) for m in marks if isinstance(m, Rod)]
    wanted = [
        ([0.5, 0, 0], [0.5, 1, 0]),
        ([0.5, 0, 0], [-0.5, 0, 0]),
        ([0.5, 1, 0], [0.5, 3, 0]),
        ([-0.5, 0, 0], [-1.5, 0, 0]),
        ([-1.5, 0, 0], [-3.5, 0, 0]),
    ]
    for (start, end, *looks), places in zip(drawn, wanted, strict=True):
        assert np.abs(np.subtract([start, end], places)).max() <= 10 * EPS
        assert looks == [0.1, "struck"]
    balls = [m for m in marks if isinstance(m, Ball)]
    joints = [start for start, _ in wanted[1:]]
    assert np.abs(np.subtract([m.centre for m in balls], joints)).max() <= 10 * EPS
    assert all(0.1 < m.radius < 0.2 for m in balls)  # a joint is seen around its rods


MARKS = [
    Arrow([0, 0, 0], [1, 0, 0]),
    Line([[0, 0, 0]]),
    Dot([0, 0, 0]),
    Rod([0, 0, 0], [1, 0, 0]),
    Box(np.eye(3), [0, 0, 0], [1, 1, 1]),
    Ball([0, 0, 0]),
    Axes(np.eye(3), [0, 0, 0]),
    Value("x", 1.0),
]


@pytest.mark.parametrize("mark", MARKS, ids=lambda mark: type(mark).__name__)
def test_numbers_of_a_mark_have_its_shapes(mark):
    """One entry more along any axis of any of them, or one axis more, is refused, but for the points of a line."""
    for name, numbers in mark.numbers.items():
        shape = np.array(numbers.shape, int)
        more = [shape + own for own in np.eye(len(shape), dtype=int)][isinstance(mark, Line) :]
        for wrong in (*more, (2, *shape)):
            with pytest.raises(ValueError, match=f"{name} of {type(mark).__name__} has shape"):
                _ = dataclasses.replace(mark, **{name: np.zeros(wrong)}).numbers
    assert len(Line(np.zeros((7, 3))).numbers["points"]) == 7
    with pytest.raises(ValueError, match=r"must have \(k, 3\)"):
        _ = Line(np.zeros((7, 2))).numbers


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
        assert scene["samples"]["columns"] == [places_of(scene)[2]]
        assert scene["samples"]["rows"][-1] == [pytest.approx(-19.62)]


def test_columns_that_agree_travel_once_and_what_is_only_written_has_three_decimals():
    def half(x):
        share = x / 7
        yield Dot([x, x, 0])
        yield Value("x", 2 * share)

    scene = Sketch(half, {"x": Slider(0, 0, 2, step=1)}, title="", sampled=True).scene
    assert places_of(scene).tolist() == [0, 0, 1, 2]
    assert scene["lines"][0]["places"] == 3
    assert scene["samples"]["columns"] == [0, 2, 3]
    assert scene["samples"]["fixed"] == [0, 0, 0, 0]
    assert scene["samples"]["rows"] == [[0, 0, 0], [1, 0.285714, 0.143], [2, 0.571429, 0.286]]


def test_what_is_the_same_at_both_ends_may_change_between():
    """A number that every position shares travels once; the steps of a slider are counted by rounding."""

    def swing(x):
        yield Dot([x * (0.3 - x), 2, 0])

    samples = Sketch(swing, {"x": Slider(0, 0, 0.3, step=0.1)}, title="", sampled=True).scene[
        "samples"
    ]
    assert samples["counts"] == [4]
    assert samples["columns"] == [0]
    assert samples["fixed"][1] == 2
    np.testing.assert_allclose(samples["rows"], [[0], [0.02], [0.02], [0]], atol=1e-6)


def test_a_recording_is_compared_where_a_reader_can_come():
    """Twice: at the start, and where each argument has changed within its range, each by another share of it."""
    seen = []

    def noted(a, b, c, t, P):
        if isinstance(a, float):
            seen.append((a, b, c, t, *P))
        yield Value("sum", a + b + c + t + P[0])

    arguments = {name: Slider(5, 5, 6) for name in "abc"}
    Sketch(noted, {**arguments, "t": Clock(2), "P": Place((7, 8, 9))}, title="")
    start, other = np.array(seen)
    assert start.tolist() == [5, 5, 5, 0, 7, 8, 9]
    assert (other != start).all()
    assert ((other[:3] >= 5) & (other[:3] <= 6)).all() and 0 <= other[3] <= 2
    moved = [*(other[:3] - 5), other[3] / 2, *(other[4:] - start[4:])]
    assert len(set(np.round(moved, 6))) == len(moved)


def test_rounding_is_no_difference():
    """Neither of large numbers nor of sums that cancel."""

    def rounded(x):
        yield Value("large", 1e12 * x / 7)
        yield Value("nothing", np.sin(x) ** 2 + np.cos(x) ** 2 - 1)

    turns = np.linspace(0.1, 1.4, 40)
    start = next(x for x in turns if abs(next(rounded(x)).value - 1e12 * x * (1 / 7)) > 1e-6)
    Sketch(rounded, {"x": Slider(start, 0, 2)}, title="")
    start = next(x for x in turns if list(rounded(x))[1].value)
    Sketch(rounded, {"x": Slider(start, 0, 2)}, title="")


@pytest.mark.parametrize("sampled", [False, True])
def test_a_mark_that_cannot_be_drawn_somewhere_warns_of_nothing(sampled):
    """Of a place with an entry that is no number the others may be numbers."""

    def half(x):
        yield Dot([np.sqrt(x), 1, 0])
        yield Value("pole", np.divide(1, x))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Sketch(half, {"x": Slider(1, -1, 1, step=0.5)}, title="", sampled=sampled)
    assert played([["input", 0], ["inverse", 0], ["sqrt", 0]], [0.0]) == [0, np.inf, 0]


def test_a_root_that_is_undefined_elsewhere_warns_of_nothing():
    """Numbers are tried, while they are recorded, at values of their own: 0.4 / x - 1 / x^2 is negative at some."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Sketch(heavy, {"x": Slider(3, 2.6, 4, "kg")}, title="Heavy")


def heavy(x):
    yield Value("spread", np.sqrt(0.4 / x - 1 / x**2), "m")


def bent(x):
    yield Dot([x, 0])


def shy(x):
    yield Value("square root", np.sqrt(x - 2))


def forgetful(x, calls=[]):  # noqa: B006
    calls.append(x)
    yield Value("calls", len(calls) * x)


def growing(x):
    yield from [Dot([x, 0, 0])] * (1 + (x > 0))


def half_shy(x):
    yield Dot([np.sqrt(x - 2), 0, 0])


def known(x):
    """Whether it is drawn and not recorded."""
    return isinstance(x, float | np.ndarray) and np.asarray(x).dtype == float


def wrong_below_zero(x):
    yield Value("size", abs(x) if known(x) else x)


def wrong_by_a_ten_millionth(x):
    yield Value("x", x * (1 + 1e-7) if known(x) else x)


def missing_below_zero(x):
    yield Value("x", np.nan if known(x) and x < 0 else x)


def mistaken_for_the_other(x, y):
    yield Value("x", x if known(x) else y)


def mistaken_axis(P):
    yield Value("x", P[0] if known(P) else P[1])


def other_between(x):
    yield from [Dot([x, 0, 0])] * (1 + (abs(x) < 0.5))


def renamed(x):
    yield Dot([x, 0, 0], "P" if x > 0 else "Q")


def longer(x):
    yield Line([[x, 0, 0]] * (2 if x > 0 else 3))


def three(x, y, z):
    yield Dot([x, y, z])


def still():
    yield Dot([0, 0, 0])


X = {"x": Slider(1, -1, 1)}
RISING = {"x": Slider(-1, -1, 5)}  # compared next where x is above zero
BOTH = {"x": Slider(0.5, 0, 1), "y": Slider(0.5, 0, 1)}
FEW = {name: Slider(0, 0, 1, step=1) for name in "xyz"}


@pytest.mark.parametrize(
    ("draw", "arguments", "options", "error", "words"),
    [
        (bent, {"y": Slider(0, 0, 1)}, {}, TypeError, r"draw takes \['x'\], but .* \['y'\]"),
        (bent, X, {}, ValueError, r"place of Dot has shape \(2,\), but must have \(3,\)"),
        (bent, X, {"view": "top"}, ValueError, "view is 'top', but must be one of"),
        (shy, X, {}, ValueError, "value of Value is nan at the start"),
        (half_shy, X, {}, ValueError, "place of Dot is .* at the start"),
        (lambda x: forgetful(x), X, {}, ValueError, "but its recording"),
        (wrong_below_zero, X, {}, ValueError, "but its recording"),
        (wrong_below_zero, RISING, {}, ValueError, "but its recording"),
        (wrong_by_a_ten_millionth, X, {}, ValueError, "but its recording"),
        (missing_below_zero, X, {}, ValueError, "is .nan., but its recording"),
        (mistaken_for_the_other, BOTH, {}, ValueError, "but its recording"),
        (mistaken_axis, {"P": Place((0, 0, 0))}, {}, ValueError, "but its recording"),
        (other_between, X, {"sampled": True}, ValueError, "other marks at some positions"),
        (renamed, X, {"sampled": True}, ValueError, "other marks at some positions"),
        (longer, X, {"sampled": True}, ValueError, "other marks at some positions"),
        (three, FEW, {"sampled": True}, ValueError, "3 arguments with 8 positions"),
        (still, {}, {"sampled": True}, ValueError, "0 arguments"),
        (growing, X, {"sampled": True}, ValueError, "other marks at some positions"),
        (growing, {"x": Place((0, 0, 0))}, {"sampled": True}, TypeError, "x is a place"),
        (growing, {"x": Slider(0, 0, 1, step=1e-4)}, {"sampled": True}, ValueError, "10001 pos"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, arguments, options, error, words):
    with pytest.raises(error, match=words):
        Sketch(draw, arguments, title="", **options)


def test_a_recording_that_grows_too_long_says_what_else_would_do(monkeypatch):
    monkeypatch.setattr("chaindyn.compiler.recording.MOST", 2)
    with pytest.raises(CannotRecord) as told:
        Sketch(lambda x: [Value("x", x * x * x)], X, title="")
    assert "else use sampled" in str(told.value.__notes__)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: Slider(2, 0, 1), "low <= start <= high"),
        (lambda: Slider(-1, 0, 1), "low <= start <= high"),
        (lambda: Slider(0, 0, 0), "low < high"),
        (lambda: Slider(0, 0, 1, step=0), "step > 0"),
        (lambda: Slider(float("nan"), 0, 1), "low <= start"),
        (lambda: Clock(0), "length > 0"),
        (lambda: Clock(1, 2), "start <= length"),
        (lambda: Clock(1, -1), "0 <= start"),
        (lambda: Clock(1, slow=0), "slow > 0"),
        (lambda: Place((0, 0)), "three finite numbers"),
        (lambda: Place((0, 0, float("inf"))), "three finite numbers"),
    ],
)
def test_arguments_that_cannot_be_chosen_are_refused(made, words):
    with pytest.raises(ValueError, match=words):
        made()
