"""The Python half of SwingExplorer: what it computes, from whose functions, and what it says when those fail."""

import json

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from widget_cases import INERTIA, arm, tell

import chaindyn
from chaindyn import Chain, Fixed, Link
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import SwingExplorer
from chaindyn.widgets.explorer import plain

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
    t = np.linspace(0, 2, 51)
    rod = {"links": 1, "q": [0.3], "qd": [0.5], "t": t}
    values = SwingExplorer(**rod, method="RK4", step=0.01).answer["values"]
    pendulum = solve_ivp(
        lambda _, y: [y[1], -1.5 * 9.81 * np.cos(y[0])],
        (0, 2),
        [0.3, 0.5],
        t_eval=t,
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
    )
    error = normwise(np.array(values["q"])[:, 0], pendulum.y[0])
    assert error <= 1e-7  # RK4's own at this step; of order 4: a sixteenth at the half, soon
    half = tell(SwingExplorer(**rod, method="RK4"), step=0.005)["values"]
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
    assert "faster than light" in answer["values"]["reason"]
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
    assert len(json.dumps([widget.scene, widget.request, widget.answer])) < 22_000
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


@pytest.mark.parametrize("motors", ["off", "hold", "sway"])
@pytest.mark.parametrize("method", ["RK4", "semi-implicit Euler", "variational"])
def test_the_page_computes_what_python_computes_swing(on_page, method, motors):
    """Two ways: with transforms from link to link, and about the world's origin."""
    widget = swinging_arm(method=method)
    request = {**widget.request, "motors": motors, "frequency": 5.0, "damping": 1.2}
    there = on_page(widget, "bySteps", widget.scene, request)
    here = plain(widget.compute(request))
    assert set(there) == set(here)
    assert there["reason"] == here["reason"] == ""
    assert (here["tau"] is None) == (there["tau"] is None) == (motors == "off")
    for name in {"q", "kinetic", "potential", "tau"} - ({"tau"} if motors == "off" else set()):
        assert normwise(there[name], here[name]) <= 1e-10, name  # a second's growth of rounding


@pytest.mark.parametrize("lift", [0.0, 1.4])
def test_what_counts_as_exact_is_so_and_ends_where_it_is_not(on_page, lift):
    """Against SciPy; the lifted chain is chaotic, and what is told of it ends before eight seconds."""
    span = 8 if lift else 2
    t = np.linspace(0, span, 25 * span + 1)
    widget = SwingExplorer(
        links=3, q=[lift - 0.25, -0.25, -0.25], t=t, method="semi-implicit Euler"
    )
    told = np.array(on_page(widget, "exactly", widget.scene, widget.request))
    chain = widget.swung[2].chain
    swung = solve_ivp(
        lambda _, y: [*y[3:], *chaindyn.aba(chain, y[:3], y[3:], np.zeros(3))],
        (0, t[len(told) - 1]),
        [*widget.request["q"], 0, 0, 0],
        t_eval=t[: len(told)],
        method="DOP853",
        rtol=1e-10,
        atol=1e-10,
    )
    R, p = chaindyn.forward_kinematics(chain, swung.y[:3].T)
    Q, r = chaindyn.forward_kinematics(chain, told)
    tips = [x[:, -1] + A[:, -1] @ [1, 0, 0] for A, x in ((R, p), (Q, r))]
    off = np.linalg.norm(tips[0] - tips[1], axis=-1).max()
    assert (len(told) < len(t)) == (lift > 0)
    assert len(told) > 50
    # twice the step, which errs some ten times as much, strays by a twentieth of the reach of 3 m at most
    assert off < (0.01 * 3 if lift else 1e-6)
