"""All that the compiler knows of the laws: which it names, and which it has other ways for.

What steps in time knows motions too: rollouts, and contacts (`touching`, `closed`, `pairs`, `contacts`).

Inverse and forward dynamics have laws for their derivatives, which are compiled instead of the slopes of recordings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chaindyn.articulated import aba
from chaindyn.chain import Chain
from chaindyn.constraints import constrained_forward_dynamics
from chaindyn.derivatives import rnea_derivatives
from chaindyn.forward_derivatives import aba_derivatives
from chaindyn.inverse_dynamics import rnea
from chaindyn.postures import coordinate_rate
from chaindyn.projection import drawn_in

__all__ = ["Chain", "aba", "coordinate_rate", "drawn_in"]

Array = Any


def held_acceleration(
    chain: Chain,
    q: Array,
    qd: Array,
    tau: Array,
    *,
    external: Array | None = None,
    constraints: Any,
    stabilisation: Any,
    tolerance: float,
) -> Array:
    """Return the accelerations (..., nv) of a chain with loops, without multipliers, as equations of motion ask."""
    options = {"stabilisation": stabilisation, "tolerance": tolerance}
    return constrained_forward_dynamics(
        chain, constraints, q, qd, tau, external=external, **options
    )[0]


# what gives the derivatives of a function by the arguments that it needs, which are arrays
DERIVATIVES = ((aba, aba_derivatives), (rnea, rnea_derivatives))


def alternative(table: Any, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return what a table has for a function, None if nothing."""
    return next((other for own, other in table if own is function), None)
