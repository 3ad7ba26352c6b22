"""The Python half of HybridExplorer: what it computes, from whose functions, and what it says when those fail."""

import numpy as np
import pytest
from widget_cases import EPS, INERTIA, arm, spindle, tell

import chaindyn
from chaindyn import Chain, Fixed, Link, Prismatic, Revolute
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import HybridExplorer
from chaindyn.widgets.explorer import plain

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


@pytest.mark.parametrize("told", range(16))
def test_the_page_computes_what_python_computes_hybrid(on_page, told):
    chain = arm()
    widget = HybridExplorer(chain)
    rng = np.random.default_rng(told)
    q, qd = chaindyn.random_state(chain, told)
    given = {"qdd": 5 * rng.normal(size=4), "tau": rng.normal(size=4)}
    mask = [bool(told >> k & 1) for k in range(4)]
    request = plain({"q": q, "qd": qd, "prescribed": mask, **given})
    there = on_page(widget, "fromEquations", widget.scene, request)
    here = widget.compute(request)
    assert there["values"].keys() == here.keys()
    bound = 100 * EPS * chain.n * np.linalg.cond(chaindyn.crba(chain, q))
    for name in here:
        assert normwise(there["values"][name], here[name]) <= bound, name
