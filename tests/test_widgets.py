"""The Python half of the widgets: what they compute, from whose functions, and what they say when those fail."""

import json
import time

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.spatial.transform import Rotation, Slerp

import chaindyn
import chaindyn.robots
from chaindyn import (
    Chain,
    Fixed,
    Link,
    Prismatic,
    Revolute,
    X_force,
    X_motion,
    newton_euler,
    screw,
)
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import (
    ChainExplorer,
    EffortExplorer,
    Explorer,
    HeftExplorer,
    HybridExplorer,
    ImpactExplorer,
    InertiaExplorer,
    MassMatrixExplorer,
    RotationExplorer,
    ScrewExplorer,
    SwingExplorer,
)
from chaindyn.widgets.explorer import AFFINE, ANGLE, LINEAR, SCALAR, contract, plain, tabulate
from chaindyn.widgets.inertia import SQUARES

EPS = np.finfo(float).eps
INERTIA = 0.01 * np.eye(3)


def arm() -> Chain:
    """A tree with every joint kind and two leaves."""
    turned = chaindyn.rotation_about(np.array([0.6, 0, 0.8]), np.array([0.7]))
    return Chain(
        [
            Link(Revolute((0, 0, 1)), 1, (0, 0, 0.2), INERTIA, name="base"),
            Link(Revolute((0, 3, 4)), 1, (0.2, 0, 0), INERTIA, offset=(0, 0, 0.4), rotation=turned),
            Link(Prismatic((1, 1, 0)), 1, (0.1, 0, 0), INERTIA, offset=(0.4, 0, 0), name="slide"),
            Link(
                Fixed(), 1, (0.05, 0, 0), INERTIA, offset=(0.2, 0, 0), rotation=turned, name="tool"
            ),
            Link(
                Revolute((1, 0, 0)),
                1,
                (0, 0, 0.15),
                INERTIA,
                offset=(0, 0.1, 0),
                parent="base",
                name="finger",
            ),
        ]
    )


def tell(widget: Explorer, **change) -> dict:
    """Send a request as the page does, and return the answer."""
    request = {**widget.request, **change, "serial": widget.request["serial"] + 1}
    widget.set_state({"request": json.loads(json.dumps(request))})
    assert widget.answer["serial"] == request["serial"]
    return widget.answer


def moved(widget: Explorer, part: str, **change) -> dict:
    return tell(widget, **{part: {**widget.request[part], **change}})


# --- ScrewExplorer ----------------------------------------------------------------------------------------------------


def test_a_screw_is_shown_by_its_numbers_about_both_origins():
    """By vectors alone, not by the functions that the widget itself calls."""
    widget = ScrewExplorer()
    moved(widget, "motion", point=[0.3, -0.2, 0.5], direction=[0.6, 0, 0.8], pitch=0.25, size=2.0)
    moved(widget, "frame", origin=[0.4, 0.1, -0.9], turn=90.0)
    values = moved(widget, "force", point=[0, 1, 0], direction=[0, 0, 1], pitch=-0.5, size=3.0)[
        "values"
    ]
    w, f = 2 * np.array([0.6, 0, 0.8]), 3 * np.array([0, 0, 1])
    point, at, other = np.array([0.3, -0.2, 0.5]), np.array([0, 1, 0]), np.array([0.4, 0.1, -0.9])
    to_B = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    expected = {
        ("motion", "O"): [*w, *(np.cross(w, -point) + 0.25 * w)],
        ("motion", "B"): [*(to_B @ w), *(to_B @ (np.cross(w, other - point) + 0.25 * w))],
        ("force", "O"): [*(np.cross(at, f) - 0.5 * f), *f],
        ("force", "B"): [*(to_B @ (np.cross(at - other, f) - 0.5 * f)), *(to_B @ f)],
    }
    for (part, frame), numbers in expected.items():
        assert normwise(values[part][frame], numbers) <= 20 * EPS, (part, frame)
    power = f @ (np.cross(w, at - point) + 0.25 * w) - 0.5 * f @ w
    assert abs(values["power"]["O"] - power) <= 50 * EPS * abs(power)
    assert abs(values["power"]["B"] - power) <= 50 * EPS * abs(power)
    field = [np.cross(w, np.array(P) - point) + 0.25 * w for P in widget.scene["lattice"]]
    assert normwise(values["field"], field) <= 20 * EPS


def wrong_X_force(E, r):
    return X_motion(E, r)


def left_handed_screw(point, direction, pitch=0):
    return np.array([*direction, *(np.cross(direction, point) + pitch * np.asarray(direction))])


def test_it_shows_the_functions_it_was_given():
    right, wrong = ScrewExplorer(), ScrewExplorer(X_force=wrong_X_force)
    assert wrong.answer["values"]["motion"] == right.answer["values"]["motion"]
    assert wrong.answer["values"]["force"]["O"] == right.answer["values"]["force"]["O"]
    assert wrong.answer["values"]["force"]["B"] != right.answer["values"]["force"]["B"]
    power = wrong.answer["values"]["power"]
    assert abs(power["O"] - power["B"]) > 0.1  # the frames disagree, which the page says in words
    left = ScrewExplorer(screw=left_handed_screw).answer["values"]["motion"]["O"]
    assert left == left_handed_screw((0.6, 0.2, 0), (0, 0, 1), 0.1).tolist()


@pytest.mark.parametrize("given", [{}, {"X_force": wrong_X_force}, {"screw": left_handed_screw}])
def test_tables_say_everywhere_what_the_functions_say(given):
    """Also of functions that are wrong: without Python the page shows the reader's mistake, not our formula."""
    functions = {"screw": screw, "X_motion": X_motion, "X_force": X_force, **given}
    scene = ScrewExplorer(**given).scene
    tables = {name: np.array(table) for name, table in scene["tables"].items()}
    assert scene["exact"] is True
    rng = np.random.default_rng(3)
    for _ in range(20):
        point, direction, pitch, turn = (
            rng.normal(size=3),
            rng.normal(size=3),
            rng.normal(),
            rng.uniform(-180, 180),
        )
        direction /= np.linalg.norm(direction)
        from_table = contract(tables["screw"], [1, *point], direction, [1, pitch])
        assert normwise(from_table, functions["screw"](point, direction, pitch)) <= 50 * EPS
        c, s = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
        E = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        for name in ("X_motion", "X_force"):
            from_table = contract(tables[name], [1, c, s], [1, *point])
            assert normwise(from_table, functions[name](E, point)) <= 50 * EPS


def test_a_function_that_no_table_holds_is_told_from_one_that_does():
    def curved(point, direction, pitch=0):
        return screw(np.asarray(point) ** 2, direction, pitch)

    assert ScrewExplorer(screw=curved).scene["exact"] is False


def test_tabulate_against_a_function_with_every_kind_of_argument():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(3, 4, 3, 2, 5))

    def function(angle, point, direction, pitch):
        return contract(
            truth,
            ANGLE.basis(angle),
            AFFINE.basis(point),
            LINEAR.basis(direction),
            SCALAR.basis(pitch),
        )

    assert normwise(tabulate(function, ANGLE, AFFINE, LINEAR, SCALAR), truth) <= 20 * EPS


def test_where_it_starts_can_be_chosen():
    widget = ScrewExplorer(motion={"direction": (0, 3, 4), "size": 2}, frame={"turn": -90})
    assert widget.request["motion"] == {
        "point": [0.6, 0.2, 0.0],
        "direction": [0, 0.6, 0.8],
        "pitch": 0.1,
        "size": 2,
    }
    assert widget.request["frame"]["turn"] == -90


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"motion": {"rate": 1}},
            r"motion has no 'rate': it has \['point', 'direction', 'pitch', 'size'\]",
        ),
        (
            {"force": {"point": (1, 2)}},
            r"force\['point'\] is \(1, 2\): it must be three finite numbers",
        ),
        ({"frame": {"turn": np.nan}}, r"frame\['turn'\] is nan: it must be one finite number"),
        ({"motion": {"direction": (0, 0, 0)}}, r"direction is .*: it must not be zero"),
    ],
)
def test_a_bad_start_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        ScrewExplorer(**options)


# --- What the reader's functions may do -------------------------------------------------------------------------------


def fails_far_out(E, r):
    if np.max(np.abs(r)) > 4:
        raise ArithmeticError("too far out")
    return X_motion(E, r)


def test_an_error_during_a_drag_is_shown_and_goes_away():
    widget = ScrewExplorer(X_motion=fails_far_out)
    line = fails_far_out.__code__.co_firstlineno + 2
    answer = moved(widget, "frame", origin=[5, 0, 0])
    assert answer["error"] == f"ArithmeticError: too far out; in X_motion, line {line}"
    assert "values" not in answer
    answer = moved(widget, "frame", origin=[1, 0, 0])
    assert "error" not in answer
    assert answer["values"]["power"]["O"] == pytest.approx(
        answer["values"]["power"]["B"], abs=1e-12
    )


def test_an_error_at_the_start_is_raised_where_the_widget_is_made():
    with pytest.raises(ArithmeticError, match="too far out") as caught:
        ScrewExplorer(X_motion=fails_far_out, frame={"origin": (9, 0, 0)})
    assert caught.value.__notes__[0].startswith("in X_motion, line ")


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda E, r: np.eye(3), r"X_motion returned shape \(3, 3\), not \(6, 6\)"),
        (lambda E, r: None, r"X_motion returned shape \(\), not \(6, 6\)|NoneType"),
    ],
)
def test_a_result_of_another_shape_is_told(result, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ScrewExplorer(X_motion=result)


def test_what_is_not_finite_reaches_the_page():
    """JSON has no NaN, and a message with one would be lost on its way."""
    widget = ScrewExplorer(
        screw=lambda point, direction, pitch=0: screw(point, direction, pitch) * np.nan
    )
    state = json.dumps(widget.get_state(["request", "answer", "scene"]), allow_nan=False)
    assert json.loads(state)["answer"]["values"]["motion"]["O"] == [None] * 6


def test_plain_turns_arrays_into_what_json_holds():
    mixed = {
        "a": np.arange(3),
        "b": (np.float64(1.5), np.inf),
        "c": np.bool_(True),
        "d": "text",
        "e": None,
    }
    assert plain(mixed) == {"a": [0, 1, 2], "b": [1.5, None], "c": True, "d": "text", "e": None}
    json.dumps(plain(mixed), allow_nan=False)


# --- ChainExplorer ----------------------------------------------------------------------------------------------------


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


# --- HeftExplorer -----------------------------------------------------------------------------------------------------


def test_heft_is_the_apparent_inertia_of_the_articulated_one():
    chain = arm()
    q, _ = chaindyn.random_state(chain, 0)
    R, _ = chaindyn.forward_kinematics(chain, q)
    inertias = chaindyn.articulated_inertia(chain, q)
    for body in range(chain.n):
        widget = HeftExplorer(chain, q, body=body)
        S = chain.joints[body].motion_subspace(q[list(chain.q_columns[body])])
        felt = chaindyn.apparent_inertia(inertias[body], S)[3:, 3:]
        np.testing.assert_array_equal(widget.answer["values"]["felt"], R[body] @ felt @ R[body].T)


def test_heft_is_shown_by_the_functions_it_was_given():
    def doubled(chain, q):
        return 2 * chaindyn.articulated_inertia(chain, q)

    book, reader = HeftExplorer(arm()), HeftExplorer(arm(), articulated_inertia=doubled)
    np.testing.assert_allclose(
        reader.answer["values"]["felt"], 2 * np.array(book.answer["values"]["felt"]), rtol=1e-14
    )
    with pytest.raises(ValueError, match=r"articulated_inertia returned shape \(6, 6\)"):
        HeftExplorer(arm(), articulated_inertia=lambda chain, q: np.eye(6))
    with pytest.raises(ValueError, match=r"view is 'top', but must be one of \['space'"):
        HeftExplorer(arm(), view="top")


# --- InertiaExplorer --------------------------------------------------------------------------------------------------


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


def test_without_anywidget_the_extra_is_named(monkeypatch):
    import importlib
    import sys

    for name in [name for name in sys.modules if name.startswith("chaindyn.widgets")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"pip install 'chaindyn\[widgets\]'"):
        importlib.import_module("chaindyn.widgets")


# --- ImpactExplorer ---------------------------------------------------------------------------------------------------


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
        return chaindyn.Impact(
            2 * blow.impulse,
            blow.effective_mass,
            2 * blow.qd_jump,
            2 * blow.twist_jumps,
            2 * blow.joint_impulses,
            blow.energy_before,
            blow.energy_after,
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


def test_a_blow_is_answered_in_time():
    """With its map, which takes most of it. By the processor's clock, which other work on the machine leaves alone."""
    widget = ImpactExplorer(chaindyn.robots.ur5(), tip=chaindyn.robots.UR5_FLANGE)
    took = []
    for k in range(9):
        start = time.process_time()
        tell(widget, restitution=k / 10, map=str(k))
        took.append(time.process_time() - start)
    assert np.median(took) < 0.1


# --- RotationExplorer -------------------------------------------------------------------------------------------------


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


# --- MassMatrixExplorer -----------------------------------------------------------------------------------------------


def test_a_mass_matrix_is_twice_the_kinetic_energy():
    """By the bodies' twists, which crba does not use."""
    chain = arm()
    widget = MassMatrixExplorer(chain)
    for seed in range(3):
        q, qd = chaindyn.random_state(chain, seed)
        values = tell(widget, q=q.tolist())["values"]
        twists = chaindyn.body_twists(chain, q, qd)
        energy = np.einsum("ki,kij,kj->", twists, chain.spatial_inertia, twists) / 2
        M = np.array(values["M"])
        assert abs(qd @ M @ qd / 2 - energy) <= 100 * EPS * chain.n * energy
        np.testing.assert_array_equal(values["p"], chaindyn.forward_kinematics(chain, q)[1])
    assert (M[3, 1:3] == 0).all()  # nothing hangs on both the finger and the arm
    assert (M[:3, :3] != 0).all()


def test_a_mass_matrix_is_that_of_the_function_given():
    widget = MassMatrixExplorer(arm(), crba=lambda chain, q: np.diag(np.arange(4)))
    np.testing.assert_array_equal(widget.answer["values"]["M"], np.diag(np.arange(4)))

    def fails_when_folded(chain, q):
        if q[0] > 2:
            raise ArithmeticError("folded")
        return chaindyn.crba(chain, q)

    widget = MassMatrixExplorer(arm(), crba=fails_when_folded)
    line = fails_when_folded.__code__.co_firstlineno + 2
    answer = tell(widget, q=[3, 0, 0, 0])
    assert answer["error"] == f"ArithmeticError: folded; in crba, line {line}"
    assert "error" not in tell(widget, q=[1, 0, 0, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"q": np.zeros(3)}, r"q has shape \(3,\), but must be finite and of shape \(4,\)"),
        ({"entry": (0, 4)}, r"entry is \(0, 4\), but must be a row and a column from 0 to 3"),
        ({"entry": (0, 1, 2)}, "entry is .* must be a row and a column"),
        ({"limits": np.zeros((3, 2))}, r"limits has shape \(3, 2\)"),
        ({"crba": lambda chain, q: np.eye(3)}, r"crba returned shape \(3, 3\), not \(4, 4\)"),
    ],
)
def test_a_bad_mass_matrix_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        MassMatrixExplorer(arm(), **options)


def test_a_mass_matrix_without_entries_is_told():
    with pytest.raises(ValueError, match="no joint that moves"):
        MassMatrixExplorer(Chain([Link(Fixed(), 1, (0, 0, 0), INERTIA)]))
    with pytest.raises(ValueError, match="chain must be a Chain, not None"):
        MassMatrixExplorer(None)


# --- EffortExplorer ---------------------------------------------------------------------------------------------------


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
        ({"joint": "hand"}, "body is 'hand'"),
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


# --- HybridExplorer ---------------------------------------------------------------------------------------------------

MASKS = [np.array([k >> j & 1 for j in range(4)], bool) for k in range(16)]


def mixed_up(chain: Chain, seed: int, told: np.ndarray) -> dict[str, list]:
    """A request with a number for every acceleration and every force, also for those that are not given."""
    q, qd = chaindyn.random_state(chain, seed)
    qdd, tau = np.random.default_rng(seed).normal(size=(2, chain.nv))
    request = {"q": q, "qd": qd, "prescribed": told, "qdd": 5 * qdd, "tau": 3 * tau}
    return plain(request)


@pytest.mark.parametrize("told", MASKS, ids=str)
def test_what_is_given_stays_and_what_is_answered_obeys_the_equation_of_motion(told):
    """M qdd + h = tau for every choice, with the composite inertia, which the recursion under test does not use."""
    chain = arm()
    request = mixed_up(chain, 3, told)
    values = tell(HybridExplorer(chain), **request)["values"]
    qdd, tau = np.array(values["qdd"]), np.array(values["tau"])
    np.testing.assert_array_equal(qdd[told], np.array(request["qdd"])[told])
    np.testing.assert_array_equal(tau[~told], np.array(request["tau"])[~told])
    M = chaindyn.crba(chain, np.array(request["q"]))
    h = chaindyn.bias_force(chain, np.array(request["q"]), np.array(request["qd"]))
    size = np.linalg.norm(M, 2) * np.linalg.norm(qdd) + np.linalg.norm(h)
    assert np.linalg.norm(M @ qdd + h - tau) <= 100 * EPS * chain.n * size
    np.testing.assert_array_equal(
        values["p"], chaindyn.forward_kinematics(chain, np.array(request["q"]))[1]
    )


def test_all_told_is_inverse_and_all_free_forward_dynamics():
    chain = arm()
    widget = HybridExplorer(chain)
    request = mixed_up(chain, 4, np.ones(4, bool))
    q, qd, qdd, tau = (np.array(request[name]) for name in ("q", "qd", "qdd", "tau"))
    answered = tell(widget, **request)["values"]["tau"]
    assert normwise(answered, chaindyn.rnea(chain, q, qd, qdd)) <= 100 * EPS * chain.n
    answered = tell(widget, **request | {"prescribed": [False] * 4})["values"]["qdd"]
    expected = chaindyn.aba(chain, q, qd, tau)
    bound = 100 * EPS * chain.n * np.linalg.cond(chaindyn.crba(chain, q))
    assert normwise(answered, expected) <= bound


def test_hybrid_dynamics_starts_as_it_is_told():
    widget = HybridExplorer(arm())
    assert widget.request["prescribed"] == [True, False, False, False]
    assert widget.request["qdd"] == widget.request["tau"] == [0] * 4
    given = {"prescribed": [False, True, False, True], "qdd": [1, 2], "tau": [3, 4]}
    widget = HybridExplorer(arm(), [0.1] * 4, view="xz", **given)
    assert widget.request["qdd"] == [0, 1, 0, 2]
    assert widget.request["tau"] == [3, 0, 4, 0]
    assert widget.scene["view"] == "x\u2013z"


def test_the_forces_that_can_be_given_hold_twice_the_weight_at_most():
    """Weights at 10 m/s^2, what hangs on each joint stretched out level, rounded up to 1, 2, 5, 10 ..."""
    links = [
        Link(Prismatic((1, 0, 0)), 3, (0, 0, 0), INERTIA, name="cart"),
        Link(Revolute((0, 1, 0)), 1, (0, 0, -0.3), INERTIA, offset=(0, 0, -0.1)),
        Link(Revolute((0, 1, 0)), 1, (0, 0, -0.2), INERTIA, offset=(0, 0, -0.6)),
    ]
    widget = HybridExplorer(Chain(links), tip=(0, 0, -0.5))
    assert widget.scene["strongest"] == [100, 50, 10]  # of 100 N, 44 N m, 10 N m
    idle = Link(Revolute(), 0, (0, 0, 0), 0 * INERTIA)
    assert HybridExplorer(Chain([idle])).scene["strongest"] == [1]


def test_hybrid_dynamics_is_that_of_the_function_given():
    def pushed_twice(chain, q, qd, *, prescribed, qdd, tau):
        return chaindyn.hybrid_dynamics(chain, q, qd, prescribed=prescribed, qdd=qdd, tau=2 * tau)

    request = mixed_up(arm(), 5, MASKS[5])
    reader = tell(HybridExplorer(arm(), hybrid_dynamics=pushed_twice), **request)["values"]
    doubled = request | {"tau": [2 * x for x in request["tau"]]}
    assert reader == tell(HybridExplorer(arm()), **doubled)["values"]
    dense = HybridExplorer(arm(), hybrid_dynamics=chaindyn.hybrid_dynamics_dense)
    book = tell(HybridExplorer(arm()), **request)["values"]
    bound = 100 * EPS * 5 * np.linalg.cond(chaindyn.crba(arm(), np.array(request["q"])))
    values = tell(dense, **request)["values"]
    assert normwise(values["qdd"] + values["tau"], book["qdd"] + book["tau"]) <= bound


def spindle() -> Chain:
    """A rod, and at its end a massless link that could spin about its own axis."""
    return Chain(
        [
            Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), INERTIA, name="rod"),
            Link(Revolute((1, 0, 0)), 0, (0, 0, 0), 0 * INERTIA, offset=(1, 0, 0), name="spindle"),
        ]
    )


def test_a_joint_that_feels_no_inertia_is_told_and_goes_when_it_is_prescribed():
    widget = HybridExplorer(spindle(), prescribed=[True, True])
    answer = tell(widget, prescribed=[True, False])
    assert "the joint of link 'spindle' feels no inertia" in answer["error"]
    answer = tell(widget, prescribed=[False, True])
    assert "error" not in answer
    assert answer["values"]["tau"] == [0, 0]
    with pytest.raises(ValueError, match="'spindle' feels no inertia"):
        HybridExplorer(spindle())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"qd": np.zeros(3)}, r"qd has shape \(3,\), but must be finite and of shape \(4,\)"),
        ({"q": [0, 0, np.inf, 0]}, "q .* must be finite"),
        ({"prescribed": [True, False]}, r"prescribed is \[True, False\], but must be 4 booleans"),
        ({"prescribed": [1, 0, 0, 0]}, "prescribed is .* but must be 4 booleans"),
        ({"qdd": [1, 2]}, r"qdd has shape \(2,\), but must be finite and of shape \(1,\)"),
        ({"tau": [1, 2, np.nan]}, "tau has shape .* but must be finite"),
        ({"view": "top"}, r"view is 'top', but must be one of \['space'"),
        ({"limits": np.zeros((3, 2))}, r"limits has shape \(3, 2\)"),
        (
            {"hybrid_dynamics": lambda *state, **o: (np.zeros(4), np.zeros(3))},
            r"hybrid_dynamics returned shape \(4,\) and \(3,\), not \(4,\) and \(4,\)",
        ),
    ],
)
def test_bad_hybrid_dynamics_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        HybridExplorer(arm(), **options)


def test_hybrid_dynamics_of_no_joint_is_told():
    with pytest.raises(ValueError, match="no joint that moves"):
        HybridExplorer(Chain([Link(Fixed(), 1, (0, 0, 0), INERTIA)]))
    with pytest.raises(ValueError, match="chain must be a Chain, not None"):
        HybridExplorer(None)


# --- SwingExplorer ----------------------------------------------------------------------------------------------------

SWINGING = {"t": np.linspace(0.5, 1.5, 11), "target": [0.2, 0.1, 0.05, 0.3], "step": 0.02}


def swinging_arm(**options) -> SwingExplorer:
    return SwingExplorer(arm(), [0.4, -0.5, 0.1, 0.5], [1, 2, 0.3, -1], **SWINGING, **options)


@pytest.mark.parametrize("method", ["RK4", "semi-implicit Euler", "variational", "DOP853"])
def test_a_swing_is_the_one_of_simulate(method):
    widget = swinging_arm(method=method)
    values = widget.answer["values"]
    step = None if method == "DOP853" else 0.02
    q, qd = widget.request["q"], widget.request["qd"]
    motion = chaindyn.simulate(arm(), q, qd, t=SWINGING["t"], method=method, step=step)
    assert values["reason"] == motion.reason == ""
    assert values["tau"] is None
    for name in ("q", "kinetic", "potential"):
        np.testing.assert_allclose(values[name], getattr(motion, name), rtol=0, atol=1e-12)


def test_a_rod_swings_as_a_pendulum_does():
    """Of length l, a uniform rod's angle from the level obeys a'' = -3 g cos(a) / (2 l), whatever its mass."""
    values = SwingExplorer(links=1, q=[0.3], qd=[0.5], method="RK4", step=0.01).answer["values"]
    t = np.linspace(0, 8, 201)
    pendulum = solve_ivp(
        lambda _, y: [y[1], -1.5 * 9.81 * np.cos(y[0])],
        (0, 8),
        [0.3, 0.5],
        t_eval=t,
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
    )
    error = normwise(np.array(values["q"])[:, 0], pendulum.y[0])
    assert error <= 1e-7  # RK4's own at this step; of order 4: a sixteenth at the half, soon
    half = tell(SwingExplorer(links=1, q=[0.3], qd=[0.5]), step=0.005)["values"]
    assert normwise(np.array(half["q"])[:, 0], pendulum.y[0]) <= error / 10


@pytest.mark.parametrize(("damping", "motors"), [(0.4, "hold"), (1.0, "sway"), (1.6, "sway")])
def test_motors_obey_the_error_equation(damping, motors):
    """e'' + 2 z w e' + w^2 e = 0, solved by a matrix exponential; the joints of the tree do not disturb each other."""
    widget = swinging_arm()
    values = tell(widget, motors=motors, frequency=5.0, damping=damping, step=0.005)["values"]
    time = SWINGING["t"] - 0.5
    own = widget.scene["chains"][0]
    rate = 2 * np.pi / widget.scene["period"]
    sway = np.array(own["sway"]) * (motors == "sway")
    desired = np.array(own["target"]) + np.sin(rate * time)[:, None] * sway
    start = np.array([desired[0] - widget.request["q"], rate * sway - widget.request["qd"]])
    slope = np.array([[0, 1], [-25.0, -2 * damping * 5.0]])
    errors = np.array([(expm(slope * now) @ start)[0] for now in time])
    assert np.abs(desired - values["q"] - errors).max() <= 2e-6  # RK4's own at this step
    tau = chaindyn.computed_torque(
        arm(),
        np.array(widget.request["q"]),
        np.array(widget.request["qd"]),
        q_desired=desired[0],
        qd_desired=rate * sway,
        qdd_desired=np.zeros(4),
        kp=25,
        kd=2 * damping * 5,
    )
    np.testing.assert_allclose(values["tau"][0], tau, rtol=0, atol=1e-6)


def test_a_swing_is_shown_by_the_functions_given():
    def without_weight(chain, q, qd, **options):
        afloat = Chain(rods_of(chain), gravity=(0, 0, 0))
        return chaindyn.simulate(afloat, q, qd, **options)

    def rods_of(chain):
        names = ("joints", "mass", "com", "inertia", "offset")
        return [
            Link(*parts[:-1], offset=parts[-1])
            for parts in zip(*(getattr(chain, name) for name in names), strict=True)
        ]

    def no_bias(chain, q, qd, *, q_desired, qd_desired, qdd_desired, kp, kd):
        return chaindyn.crba(chain, q) @ (kp * (q_desired - q) + kd * (qd_desired - qd))

    values = SwingExplorer(links=2, simulate=without_weight).answer["values"]
    np.testing.assert_array_equal(values["kinetic"], np.zeros(201))  # at rest it stays
    sagging = SwingExplorer(links=2, computed_torque=no_bias, motors=True, target=[0, 0])
    values = sagging.answer["values"]
    sag = np.array(values["q"][-1])  # where M kp e balances the weight
    M, weight = (
        chaindyn.crba(sagging.swung[1].chain, sag),
        chaindyn.bias_force(sagging.swung[1].chain, sag, np.zeros(2)),
    )
    np.testing.assert_allclose(-9 * M @ sag, weight, rtol=0, atol=0.01)
    assert sag[0] < -0.3


def test_rods_are_offered_beside_a_chain_that_swings():
    widget = swinging_arm()
    assert widget.scene["labels"] == [
        "this chain",
        "1 rod",
        *[f"{n} equal rods" for n in range(2, 6)],
    ]
    start = widget.scene["chains"][4]["start"]
    values = tell(widget, chain=4, **start)["values"]
    assert values["chain"] == 4
    assert np.array(values["q"]).shape == (11, 4)
    assert SwingExplorer(links=2, target=[0.1, 0.2]).scene["chains"][1]["target"] == [0.1, 0.2]


def test_a_swing_that_ends_early_says_why():
    widget = SwingExplorer(links=3, q=[0.5, 0.5, 0.5], method="variational", step=0.04)
    values = json.loads(json.dumps(widget.answer["values"]))
    assert "the variational step of 0.04 s does not converge" in values["reason"]
    reached = [row for row in values["q"] if None not in row]
    assert 0 < len(reached) < 201 == len(values["q"])
    assert values["kinetic"][len(reached) :] == [None] * (201 - len(reached))
    widget = SwingExplorer(
        links=5, q=[1.0] * 5, method="semi-implicit Euler", step=0.04, motors=True
    )
    answer = tell(widget, frequency=60.0, damping=2.0)
    assert "torque[0] is nan" in answer["values"]["reason"]
    json.dumps(answer, allow_nan=False)
    assert tell(widget, frequency=3.0, damping=1.0)["values"]["reason"] == ""


def test_an_error_of_computed_torque_is_shown_and_goes_away():
    def fails_when_stiff(chain, q, qd, *, kp, **options):
        if kp > 50:
            raise ArithmeticError("too stiff")
        return chaindyn.computed_torque(chain, q, qd, kp=kp, **options)

    widget = SwingExplorer(links=1, computed_torque=fails_when_stiff, motors=True, t=[0, 0.5, 1])
    line = fails_when_stiff.__code__.co_firstlineno + 2
    answer = tell(widget, frequency=8.0)
    assert f"too stiff; in computed_torque, line {line}" in answer["error"]
    assert "error" not in tell(widget, frequency=2.0)


def test_times_that_simulate_leaves_out_are_told():
    def half(chain, q, qd, *, t, **options):
        return chaindyn.simulate(chain, q, qd, t=t[::2], **options)

    with pytest.raises(ValueError, match="100 of the 201 times are missing, for no reason"):
        SwingExplorer(links=1, simulate=half)


def test_the_state_of_a_swing_is_small():
    widget = swinging_arm(motors=True)
    assert len(json.dumps([widget.scene, widget.request, widget.answer])) < 20_000
    widget = SwingExplorer(links=5, motors=True)
    assert len(json.dumps([widget.scene, widget.request, widget.answer])) < 60_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"links": 0}, "links is 0, but must be a number from 1 to 5"),
        ({"links": 6}, "links is 6"),
        ({"links": 2, "chain": arm()}, "links is 2, but a chain was given too"),
        ({"t": [0, 1, 1]}, r"t must increase, but t\[1\] is 1.0 and t\[2\] is 1.0"),
        ({"t": [0]}, r"t has shape \(1,\)"),
        ({"t": [0, np.nan]}, "t "),
        ({"t": np.arange(2000.0)}, "t has 2000 times, but must have at most 1001"),
        ({"q": [1, 2]}, r"q has shape \(2,\), but must be finite and of shape \(3,\)"),
        ({"qd": [1, 2, np.inf]}, "qd .* must be finite"),
        ({"target": [0]}, r"target has shape \(1,\)"),
        ({"tip": [0]}, r"tip has shape \(1,\)"),
        ({"method": "Euler"}, "method is 'Euler', but must be one of"),
        ({"step": 0}, "step is 0, but must be positive"),
        ({"frequency": -1}, "frequency is -1, but must be positive"),
        ({"damping": 0}, "damping is 0, but must be positive"),
        ({"view": "side"}, "view is 'side', but must be one of"),
        ({"chain": Chain([Link(Fixed(), 1, (0, 0, 0), INERTIA)])}, "no joint that moves"),
        ({"chain": 3}, "chain must be a Chain, not 3"),
        (
            {"chain": Chain([Link(chaindyn.Spherical(), 1, (0, 0, 0), INERTIA, name="ball")])},
            "joint of link 'ball' is Spherical: only",
        ),
    ],
)
def test_a_bad_swing_is_told(options, message):
    with pytest.raises(ValueError, match=message):
        SwingExplorer(**options)
