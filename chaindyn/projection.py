# Generated from chapters/29_assembling_with_limits.md by `python -m book export`; edit it there.
# sha256 of the text below: 1d4aee5b6af141510da6f6a006f18edd375d3571c493adaae6f0e4f4686ae3d0
"""Back to closed loops: the state near by that keeps the constraints.

Derived in chapter 29, "Assembling with limits".
"""

from functools import partial
from typing import Any

from chaindyn._ops import Array, concatenate
from chaindyn.articulated import factorise_state
from chaindyn.chain import Chain
from chaindyn.constraints import held_response, rows_and_errors
from chaindyn.guards.constraint_parts import as_constraints
from chaindyn.postures import integrate
from chaindyn.state import State

__all__: list[str] = []


# Chapter 29, "Assembling with limits": Back to closed loops
def drawn_in(
    chain: Chain, constraints: Any, q: Array, qd: Array, share: float = 0
) -> tuple[Array, Array]:
    """Return q (..., nq) one step of Newton's nearer to closed loops, and the qd (...,
    nv) that keep the rows before that step.

    By least steps in the metric M. share : as for `rows_and_errors`.
    """
    state = State(chain, q)
    K, row_error, error = rows_and_errors(state, constraints, share)
    wanted = concatenate([-error[..., None], -(K @ qd[..., None])], axis=-1)
    _, moves = held_response(factorise_state(state), K, wanted, row_error)
    return integrate(chain, q, moves[..., 0]), qd + moves[..., 1]


def projected(
    chain: Chain, constraints: Any, q: Array, qd: Array, share: float = 0, draw: Any = None
) -> tuple[Array, Array]:
    """Return the state near q (..., nq), qd (..., nv) that keeps the constraints.

    By least steps in the metric M. share : as for `rows_and_errors`; draw : of q and
    qd, `drawn_in` compiled, or None.
    """
    draw = draw or partial(drawn_in, chain, as_constraints(constraints), share=share)
    for _ in range(3):
        q, _ = draw(q, qd)
    return q, draw(q, qd)[1]
