"""The Python half of LoopExplorer: where loops close and lock, what falls, and that the page computes the same."""

import json

import numpy as np
import pytest
from widget_cases import tell

import chaindyn
from chaindyn.models import robots

pytest.importorskip("anywidget")
from chaindyn.widgets import LoopExplorer
from chaindyn.widgets.explorer import plain
from chaindyn.widgets.loop import MECHANISMS, closed, flipped_on_the_way

FOUR, FIVE = MECHANISMS.values()
FLIPS = np.array([False, True])
SHORT = np.linspace(0.5, 0.7, 6)


def gap_of(mechanism, lengths, q) -> float:
    chain, pin = mechanism.built(np.array(lengths, float))
    return float(np.linalg.norm(chaindyn.constraint_error(chain, pin, q)))


def turn_between(a, b) -> float:
    return np.abs(np.angle(np.exp(1j * (np.asarray(a) - b)))).max()


@pytest.mark.parametrize(("mechanism", "made"), [(FOUR, robots.four_bar), (FIVE, robots.five_bar)])
def test_mechanisms_are_those_of_robots(mechanism, made):
    chain, (pin,) = made()
    own, own_pin = mechanism.built(mechanism.lengths)
    assert own.names == chain.names
    assert own_pin.bodies(own) == pin.bodies(chain)
    for name in ("mass", "com", "inertia", "offset", "rotation", "gravity"):
        np.testing.assert_array_equal(getattr(own, name), getattr(chain, name))
    q = np.random.default_rng(0).normal(size=chain.nq)
    ours = chaindyn.constraint_error(own, own_pin, q)
    np.testing.assert_array_equal(ours, chaindyn.constraint_error(chain, pin, q))


def some_postures():
    """Random cranks on random rods, some of which cannot close."""
    rng = np.random.default_rng(1)
    for k in range(60):
        mechanism = (FOUR, FIVE)[k % 2]
        size = len(mechanism.lengths)
        lengths = mechanism.lengths * rng.uniform(0.6, 1.5, size)
        yield mechanism, lengths, rng.uniform(-np.pi, np.pi, len(mechanism.held))


def test_both_assemblies_close_and_are_those_that_assemble_finds():
    closing = 0
    for mechanism, lengths, held in some_postures():
        q, gap = closed(lengths, mechanism.base, np.array([held, held]), FLIPS)
        angles = np.cumsum(q, -1)
        assert turn_between(angles[:, 0], held[0]) < 1e-14
        if len(held) > 1:
            assert turn_between(angles[:, -1], held[1] + np.pi) < 1e-14
        if gap[0] > 0:
            continue
        closing += 1
        sides = [np.sin(a[2] - a[1]) for a in angles]  # which way the knee is bent
        assert sides[0] * sides[1] < 0
        chain, pin = mechanism.built(lengths)
        for posture in q:
            assert gap_of(mechanism, lengths, posture) < 1e-12
            if len(held) == 1:
                crank = np.array([True, False, False])
                near = chaindyn.assemble(
                    chain, pin, posture + np.array([0, 0.02, -0.03]), held=crank
                )
                assert turn_between(near, posture) < 1e-6
    assert closing > 20


def test_a_loop_that_cannot_close_comes_as_near_as_it_can():
    """The least gap over all angles of the two rods between, by trying: the first points about, the second follows."""
    tried, turn = 0, np.exp(1j * np.linspace(-np.pi, np.pi, 20001))
    for mechanism, lengths, held in some_postures():
        q, gap = closed(lengths, mechanism.base, held, np.array(False))
        A = lengths[0] * np.exp(1j * held[0])
        B = mechanism.base + (lengths[3] * np.exp(1j * held[1]) if len(held) > 1 else 0)
        least = np.abs(np.abs(B - A - lengths[1] * turn) - lengths[2]).min()
        assert abs(gap - least) < 1e-3
        if gap > 0:
            tried += 1
            assert abs(gap_of(mechanism, lengths, q) - gap) < 1e-12
            if len(held) == 1:
                chain, pin = mechanism.built(lengths)
                with pytest.raises(ValueError, match="cannot be closed"):
                    chaindyn.assemble(chain, pin, q, held=np.array([True, False, False]))
    assert tried > 10


def test_singular_values_are_those_of_how_the_pin_moves():
    """By differences of where the last rod ends; held cranks leave the turning of the two rods between them."""
    for mechanism in (FOUR, FIVE):
        values = LoopExplorer([*MECHANISMS][len(mechanism.held) - 1]).answer["values"]
        lengths, q = mechanism.lengths, np.array(values["q"])

        def end(angles, lengths=lengths):
            return np.array([lengths @ np.cos(angles), lengths @ np.sin(angles)])

        angles, h = np.cumsum(q), 1e-6
        turning = [(end(angles + h * e) - end(angles - h * e)) / (2 * h) for e in np.eye(len(q))]
        joints = [sum(turning[k:]) for k in range(len(q))]
        sizes = np.linalg.svd(np.array(joints).T, compute_uv=False)
        np.testing.assert_allclose(values["sizes"], sizes, atol=1e-8)
        passive = np.linalg.svd(np.array(turning[1:3]).T, compute_uv=False)
        np.testing.assert_allclose(values["passive"], passive, atol=1e-8)


@pytest.mark.parametrize("angle", [0.0, np.pi])
def test_rods_in_line_are_a_singular_posture(angle):
    values = LoopExplorer(angles=[angle]).answer["values"]
    assert values["sizes"][0] > 1
    assert values["sizes"][1] < 1e-8 * values["sizes"][0]
    assert values["passive"][1] < 1e-8


def test_a_crank_locks_where_the_rods_between_lie_in_line(on_page):
    """At the page's edges the loop closes on one side only, and there is no motion without the crank's."""
    locking = 0
    for mechanism, lengths, held in some_postures():
        model = {"lengths": lengths, "base": mechanism.base}
        for edge in on_page(LoopExplorer, "reachOf", model, held, 0)["edges"]:
            locking += 1
            there = np.array([[edge + turn, *held[1:]] for turn in (-1e-6, 1e-6)])
            _, gap = closed(lengths, mechanism.base, there, np.array(False))
            assert (gap > 0).sum() == 1
            q, _ = closed(lengths, mechanism.base, np.array([edge, *held[1:]]), np.array(False))
            assert abs(np.sin(np.cumsum(q)[2] - np.cumsum(q)[1])) < 1e-6
    assert locking > 20


def test_grashof_says_which_cranks_turn_round():
    rng = np.random.default_rng(3)
    round_ = np.linspace(-np.pi, np.pi, 721)[:, None]
    seen = set()
    for _ in range(60):
        lengths = rng.uniform(0.3, 1.6, 3)
        sides = sorted([*lengths, 1.0])
        _, gap = closed(lengths, 1.0, round_, np.array(False))
        turns = bool((gap == 0).all())
        if sides[0] + sides[3] > sides[1] + sides[2]:
            assert not turns
        else:  # the shortest turns, and if it is the ground both cranks do
            assert turns == (sides[0] in (lengths[0], 1.0))
        seen.add((turns, sides[0] + sides[3] > sides[1] + sides[2]))
    assert len(seen) == 3


def test_a_parallelogram_goes_straight_on_where_its_assemblies_meet(on_page):
    """The rod between stays level, through both postures with all rods in line, and so does what is folded."""
    lengths, base = FOUR.lengths, FOUR.base
    angles = np.deg2rad(np.arange(-175, 180, 10))
    for flipped in (False, True):
        held = np.array([np.pi / 3])
        on_way = flipped_on_the_way(lengths, base, held, angles) != flipped
        model = {"lengths": lengths, "base": base}
        for angle, other in zip(angles, on_way, strict=True):
            assert on_page(LoopExplorer, "flippedAt", model, held, flipped, 0, angle) == other
        q, _ = closed(lengths, base, angles[:, None], on_way)
        direction = np.cumsum(q, -1)[:, 1]  # of the rod between: level, or back on the crank
        inside = np.abs(angles - held[0]) < np.pi  # the way beyond leads through the other meeting
        wanted = angles + np.pi if flipped else 0 * angles
        assert turn_between(direction[inside], wanted[inside]) < 1e-7
        assert inside.sum() > 25


@pytest.mark.parametrize(
    ("lengths", "meeting", "flips"),
    [
        ([0.6, 1.2, 0.8], 0.0, True),
        ([0.6, 1.2, 0.8], np.pi, False),
        ([0.6, 0.7, 0.9], np.pi, True),
        ([0.6, 0.7, 0.9], 0.0, False),
        ([0.6, 1.0, 1.0], 0.0, False),
    ],
)
def test_a_crank_that_goes_on_goes_on_smoothly(on_page, lengths, meeting, flips):
    """Through a meeting of the assemblies or past where there is none: four steps of the crank, rods turn evenly."""
    steps = meeting + 1e-3 * np.array([-3, -1, 1, 3])
    model = {"lengths": lengths, "base": 1.0}
    start = steps[0] - 0.1
    for turned in (0, 2 * np.pi):  # the same angles, called otherwise
        angles = steps - turned
        on_way = flipped_on_the_way(np.array(lengths), 1.0, np.array([start]), angles)
        assert on_way.tolist() == [False, False, flips, flips]
        for angle, other in zip(angles, on_way, strict=True):
            assert on_page(LoopExplorer, "flippedAt", model, [start], False, 0, angle) == other
        q, _ = closed(np.array(lengths), 1.0, angles[:, None], on_way)
        ahead = np.angle(np.exp(1j * np.diff(np.cumsum(q, -1), axis=0)))
        np.testing.assert_allclose(ahead, ahead[:1].repeat(3, axis=0), atol=1e-4)


CASES = [
    {},
    {"flipped": True, "cure": "Baumgarte", "rate": 20},
    {"lengths": [0.6, 1, 1], "cure": "projection"},
    {"lengths": [1.3, 1.0, 1.0], "angles": [2.5]},
    {"lengths": [1.0, 1.6, 0.5], "angles": [0.3]},  # too near for the longer rod
    {"lengths": [0.6, 1.2, 0.8], "angles": [0.7]},  # its assemblies meet at 0 only
    {"lengths": [0.6, 0.7, 0.9], "angles": [0.7]},  # and these at 180 degrees only
    {"angles": [0.0], "cure": "projection"},
    {"angles": [np.pi], "cure": "Baumgarte"},
    {"mechanism": "five-bar"},
    {"mechanism": "five-bar", "flipped": True, "cure": "Baumgarte"},
    {"mechanism": "five-bar", "lengths": [0.5, 0.7, 0.4, 0.6], "cure": "projection"},
    {"mechanism": "five-bar", "angles": [3.0, 0.1]},
]


@pytest.mark.parametrize("options", CASES)
def test_the_page_computes_what_python_computes_loop(on_page, options):
    widget = LoopExplorer(**options, t=SHORT, dropped=True)
    here, there = widget.answer["values"], on_page(widget, "fromRods", widget.scene, widget.request)
    assert set(here) == set(there)
    assert turn_between(here["q"], there["q"]) < 1e-12
    compared = [(here[name], there[name], 1e-8) for name in ("gap", "sizes", "passive")]
    compared += [(here["sweep"][name], there["sweep"][name], 1e-7) for name in here["sweep"]]
    assert (here["run"] is None) == (there["run"] is None) == (here["gap"] > 0)
    if here["run"]:
        assert here["run"]["reason"] == there["run"]["reason"] == ""
        for name, bound in {"q": 1e-9, "gap": 1e-10, "sizes": 1e-8, "kinetic": 1e-9}.items():
            compared.append((here["run"][name], there["run"][name], bound))
        compared.append((here["run"]["potential"], there["run"]["potential"], 1e-9))
    for mine, page, bound in compared:
        mine, page = np.array(mine, float), np.array(page, float)
        np.testing.assert_array_equal(np.isfinite(mine), np.isfinite(page))
        assert np.nanmax(np.abs(mine - page), initial=0) <= bound


def test_a_fall_is_the_one_of_simulate():
    widget = LoopExplorer(lengths=[0.6, 1, 1], cure="Baumgarte", rate=15, t=SHORT, dropped=True)
    run, values = widget.answer["values"]["run"], widget.answer["values"]
    chain, pin = FOUR.built(np.array([0.6, 1, 1]))
    given = {"t": SHORT, "method": "RK4", "step": 0.02, "constraints": pin}
    motion = chaindyn.simulate(chain, values["q"], np.zeros(3), stabilisation=(225, 30), **given)
    np.testing.assert_allclose(run["q"], motion.q, atol=1e-12)
    np.testing.assert_allclose(run["gap"], np.linalg.norm(motion.gap, axis=-1), atol=1e-15)
    np.testing.assert_array_equal(run["kinetic"], motion.kinetic)
    np.testing.assert_array_equal(run["potential"], motion.potential)


def test_what_falls_is_computed_only_when_it_is_dropped():
    calls = []

    def counting(*args, **options):
        calls.append(options["stabilisation"])
        return chaindyn.simulate(*args, **options)

    widget = LoopExplorer(t=SHORT, simulate=counting)
    assert widget.answer["values"]["run"] is None
    tell(widget, held=[1.2])
    assert not calls
    assert tell(widget, dropped=True, cure="projection")["values"]["run"] is not None
    assert tell(widget, cure="Baumgarte")["values"]["run"] is not None
    assert calls == ["projection", (100, 20)]
    assert tell(widget, lengths=[1.3, 1, 1], held=[2.5])["values"]["run"] is None  # it is locked


def test_a_fall_that_breaks_off_says_why():
    def cut(chain, q, qd, *, t, **options):
        return chaindyn.simulate(chain, q, qd, t=t, until=lambda t, q, qd: 0.55 - t, **options)

    run = LoopExplorer(t=SHORT, simulate=cut, dropped=True).answer["values"]["run"]
    assert "fell to zero at t = 0.55 s" in run["reason"]
    assert run["kinetic"][2:] == [None] * 4
    assert run["sizes"][2:] == run["q"][2:4] * 0 + [[None] * 2] * 4
    json.dumps(run, allow_nan=False)


def test_functions_that_fail_are_named():
    def of_three_rods(chain, constraints, q):
        if chain.n > 3:
            raise ArithmeticError("too long for me")
        return chaindyn.constraint_jacobian(chain, constraints, q)

    widget = LoopExplorer(constraint_jacobian=of_three_rods)
    line = of_three_rods.__code__.co_firstlineno + 2
    five = {"mechanism": 1, "lengths": list(FIVE.lengths), "held": [2.0, 1.0]}
    answer = tell(widget, **five)
    assert f"too long for me; in constraint_jacobian, line {line}" in answer["error"]
    with pytest.raises(ValueError, match=r"constraint_jacobian returned shape \(5, 3\), not \(182"):
        LoopExplorer(constraint_jacobian=lambda chain, pin, q: np.ones((5, 3)))


def test_the_state_of_a_loop_is_small():
    for mechanism in MECHANISMS:
        widget = LoopExplorer(mechanism)
        assert len(json.dumps(plain([widget.scene, widget.request, widget.answer]))) < 20_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mechanism": "six-bar"}, "mechanism is 'six-bar', but must be one of"),
        ({"cure": "tape"}, "cure is 'tape', but must be one of"),
        ({"angles": [1, 2]}, r"angles has shape \(2,\), but must be finite and of shape \(1,\)"),
        ({"angles": [np.nan]}, "angles .* must be finite"),
        ({"lengths": [1, 1]}, r"lengths has shape \(2,\)"),
        ({"lengths": [1, 0, 1]}, "lengths.* is 0.0, but must be positive"),
        ({"step": 0}, "step is 0, but must be positive"),
        ({"rate": -1}, "rate is -1, but must be positive"),
        ({"t": [0, 1, 1]}, r"t must increase"),
        ({"t": np.arange(2000.0)}, "t has 2000 times, but must have at most 1001"),
    ],
)
def test_a_bad_loop_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        LoopExplorer(**options)
