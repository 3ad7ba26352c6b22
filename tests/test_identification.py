"""What links weigh, from how they move."""

from __future__ import annotations

import numpy as np
import pytest
from trees import EPS, EVERY_KIND, Case, motion, random_tree

from chaindyn import rnea
from chaindyn.identification import inertial_parameters, torque_regressor

CASES = [Case(n, branching=n % 2 == 0, seed=40 + n, kinds=EVERY_KIND) for n in (1, 2, 3, 5, 8, 13)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_forces_are_linear_in_the_inertial_parameters(case):
    chain = random_tree(case)
    q, qd, qdd = motion(case, chain, (4,))
    Y, parameters = torque_regressor(chain, q, qd, qdd), inertial_parameters(chain)
    assert Y.shape == (4, chain.nv, 10 * chain.n)
    scale = np.abs(Y * parameters).sum(-1).max(initial=0)
    assert (
        np.abs(Y @ parameters - rnea(chain, q, qd, qdd)).max(initial=0)
        <= 100 * chain.n * EPS * scale
    )
