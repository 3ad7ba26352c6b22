"""The Python half of InertiaExplorer: what it computes, from whose functions, and what it says when those fail."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from widget_cases import EPS, tell

import chaindyn
from chaindyn import newton_euler
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import InertiaExplorer
from chaindyn.widgets.explorer import contract
from chaindyn.widgets.inertia import SQUARES


def in_space(values: dict) -> tuple[np.ndarray, np.ndarray]:
    """Momentum in space (n, 3) and energy (n,) along a flight that a widget answered."""
    moments, spin, attitude = (np.array(values[name]) for name in ("moments", "spin", "attitude"))
    momentum = Rotation.from_quat(np.roll(attitude, -1, axis=-1)).apply(moments * spin)
    return momentum, (moments * spin**2).sum(-1) / 2


def largest(x: np.ndarray) -> float:
    return np.linalg.norm(x, axis=-1).max()


FLIGHT = 1e-4  # of the size: above 400 steps of order four at up to 9 rad/s, far below what a reader sees


@pytest.mark.parametrize("spin", [(0.1, 3, 0), (3, 0.1, 0), (0, 0.1, 3), (5, -5, 5)])
def test_a_free_brick_keeps_momentum_and_energy(spin):
    values = tell(InertiaExplorer(), sides=[1.2, 0.8, 0.2], spin=spin)["values"]
    momentum, energy = in_space(values)
    assert momentum.shape == (201, 3)
    assert largest(momentum - momentum[0]) <= FLIGHT * np.linalg.norm(momentum[0])
    assert np.ptp(energy) <= FLIGHT * energy[0]


def test_a_flight_is_that_of_eulers_equation():
    """By SciPy's integrator and the cross product, which the widget does not use."""
    widget = InertiaExplorer(sides=(1.0, 0.6, 0.3), spin=(1, 2, -1.5))
    values = widget.answer["values"]
    moments = np.array([0.6**2 + 0.3**2, 1 + 0.3**2, 1 + 0.6**2]) / 12
    np.testing.assert_allclose(values["moments"], moments, rtol=10 * EPS)
    seconds = widget.scene["step"] * widget.scene["kept"] * np.arange(len(values["spin"]))
    flight = solve_ivp(
        lambda t, w: np.cross(moments * w, w) / moments,
        (0, seconds[-1]),
        (1, 2, -1.5),
        "DOP853",
        seconds,
        rtol=1e-10,
        atol=1e-12,
    )
    assert normwise(values["spin"], flight.y.T) <= FLIGHT


def test_only_the_middle_axis_lets_the_spin_turn_over():
    """Along x, y and z the sides are longest, middle and shortest, so that y has the middle moment."""
    widget = InertiaExplorer(sides=(1.2, 0.8, 0.2))
    for axis, turns_over in enumerate([False, True, False]):
        spin = np.full(3, 0.1)
        spin[axis] = 3
        least = np.array(tell(widget, spin=spin.tolist())["values"]["spin"])[:, axis].min()
        assert (least < -2) if turns_over else (least > 2.8), axis


def no_bias(inertia, a, v):
    return inertia @ a


def wrong_sign(inertia, a, v):
    return inertia @ a - chaindyn.crf(v) @ inertia @ v


@pytest.mark.parametrize("wrong", [no_bias, wrong_sign])
def test_a_wrong_equation_of_motion_flies_another_way(wrong):
    book, reader = (
        InertiaExplorer(newton_euler=function, spin=(1, 2, 1)) for function in (newton_euler, wrong)
    )
    assert normwise(reader.answer["values"]["spin"], book.answer["values"]["spin"]) > 0.1
    momentum, _ = in_space(reader.answer["values"])
    assert largest(momentum - momentum[0]) > 0.1 * np.linalg.norm(momentum[0])


@pytest.mark.parametrize("function", [newton_euler, no_bias, wrong_sign])
def test_tables_say_everywhere_what_newton_euler_says(function):
    scene = InertiaExplorer(newton_euler=function).scene
    assert scene["exact"] is True
    needed, bias = (np.array(scene["tables"][name]) for name in ("needed", "bias"))
    rng = np.random.default_rng(4)
    for _ in range(20):
        moments, a, w = rng.uniform(0.1, 1, 3), rng.normal(size=3), rng.normal(size=3)
        inertia, still = np.diag([*moments, 1, 1, 1]), np.zeros(3)
        wrench = function(inertia, np.array([*a, *still]), np.array([*w, *still]))
        from_table = contract(needed, moments) @ a + contract(bias, moments, SQUARES.basis(w))
        assert normwise(from_table, wrench[:3]) <= 50 * EPS


def test_a_drag_that_is_not_quadratic_fits_no_table():
    def dragged(inertia, a, v):
        return newton_euler(inertia, a, v) + (v @ v) * v

    assert InertiaExplorer(newton_euler=dragged).scene["exact"] is False


def test_a_spin_that_runs_away_is_cut_short():
    def fed(inertia, a, v):
        return inertia @ a - np.linalg.norm(v) * v

    values = InertiaExplorer(newton_euler=fed).answer["values"]
    assert 1 <= len(values["spin"]) == len(values["attitude"]) < 50
    assert np.isfinite(np.array(values["spin"])).all()


def fails_when_fast(inertia, a, v):
    if np.max(np.abs(v)) > 4:
        raise ArithmeticError("too fast")
    return newton_euler(inertia, a, v)


def test_an_error_of_newton_euler_is_shown_and_goes_away():
    widget = InertiaExplorer(newton_euler=fails_when_fast, spin=(0.2, 3, 0))
    line = fails_when_fast.__code__.co_firstlineno + 2
    answer = tell(widget, spin=[0, 5, 0])
    assert answer["error"] == f"ArithmeticError: too fast; in newton_euler, line {line}"
    assert "values" not in answer
    assert "error" not in tell(widget, spin=[0, 3, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sides": (1, 2)}, r"sides has shape \(2,\), but must be finite and of shape \(3,\)"),
        ({"sides": (1, 0, 1)}, r"sides is \(1, 0, 1\): each must be from 0.05 to 2.0 m"),
        ({"sides": (1, 3, 1)}, r"sides is \(1, 3, 1\): each must be"),
        ({"spin": (0, np.nan, 0)}, "spin has shape .* must be finite"),
        ({"spin": (0, -6, 0)}, r"spin is \(0, -6, 0\): each must be from -5.0 to 5.0 rad/s"),
        ({"newton_euler": lambda inertia, a, v: a[:3]}, r"newton_euler returned shape \(3,\)"),
        ({"newton_euler": lambda inertia, a, v: 0 * a}, "newton_euler asks for no moment"),
        ({"newton_euler": lambda inertia, a, v: np.nan * a}, "newton_euler asks for no moment"),
    ],
)
def test_a_bad_brick_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        InertiaExplorer(**options)


def runs_away(inertia, a, v):
    return inertia @ (a - np.r_[v[:3] ** 2, v[3:]])


@pytest.mark.parametrize("function", [newton_euler, no_bias, runs_away])
def test_the_page_computes_what_python_computes_inertia(on_page, function):
    widget = InertiaExplorer(newton_euler=function)
    rng = np.random.default_rng(5)
    for _ in range(4):
        request = {
            "sides": rng.uniform(0.3, 1.5, 3).tolist(),
            "spin": rng.uniform(-4, 4, 3).tolist(),
        }
        there = on_page(widget, "fromTables", widget.scene, request)
        here = widget.compute(request)
        assert set(there) == set(here)
        for name in here:  # Python rounds to six places, and near the middle axis flights part
            assert np.shape(there[name]) == np.shape(here[name])
            assert normwise(there[name], here[name]) <= 1e-5, name


def test_the_page_tells_momentum_and_energy_as_scipy_does(on_page):
    widget = InertiaExplorer(sides=(1.0, 0.6, 0.3), spin=(1, 2, -1.5))
    values = widget.answer["values"]
    there = on_page(widget, "flightOf", values, widget.scene)
    momentum, energy = in_space(values)
    own = np.array(values["moments"]) * values["spin"]
    for name, here in {"momentum": momentum, "energy": energy, "own": own}.items():
        assert normwise(there[name], here) <= 20 * EPS, name
