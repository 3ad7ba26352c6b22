"""The Python half of MassMatrixExplorer: what it computes, from whose functions, and what it says when those fail."""

import numpy as np
import pytest
from widget_cases import EPS, INERTIA, arm, tell

import chaindyn
from chaindyn import Chain, Fixed, Link
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import MassMatrixExplorer


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


def test_the_page_computes_what_python_computes_mass(on_page):
    chain = arm()
    widget = MassMatrixExplorer(chain)
    for seed in range(3):
        request = {"q": chaindyn.random_state(chain, seed)[0].tolist()}
        there = on_page(widget, "fromComposites", widget.scene, request)
        here = widget.compute(request)
        assert set(there) == set(here)
        for name in here:
            assert normwise(there[name], here[name]) <= 100 * EPS * chain.n, name
