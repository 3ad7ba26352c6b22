"""The Python half of HeftExplorer: what it computes, from whose functions, and what it says when those fail."""

import numpy as np
import pytest
from widget_cases import EPS, arm

import chaindyn
from chaindyn.teaching import normwise

pytest.importorskip("anywidget")
from chaindyn.widgets import HeftExplorer


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


def test_the_page_computes_what_python_computes_heft(on_page):
    chain = arm()
    widget = HeftExplorer(chain)
    for seed in range(3):
        q, _ = chaindyn.random_state(chain, seed)
        for body in range(chain.n):
            request = {"q": q.tolist(), "body": body}
            there = on_page(widget, "fromInertias", widget.scene, request)["values"]
            here = widget.compute(request)
            assert set(there) == set(here)
            for name in here:
                assert normwise(there[name], here[name]) <= 1000 * EPS * chain.n, (name, body)
