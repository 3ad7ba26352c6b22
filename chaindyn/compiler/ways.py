"""All that the compiler knows of the laws: which it names, and which it has other ways for.

What steps in time knows motions too: rollouts, and contacts (`touching`, `closed`, `pairs`, `contacts`).

What takes too much text link by link goes by another way: matrices by what they do to a vector, derivatives by slopes.
A matrix of a chain has nv columns, and a derivative as many directions. Recorded as they stand in the chapters, every
link would carry all of them. Their products with one vector are sweeps with a few numbers for each link.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chaindyn.articulated import aba
from chaindyn.chain import Chain
from chaindyn.composite import coriolis_matrix, crba
from chaindyn.constraints import constrained_forward_dynamics
from chaindyn.derivatives import aba_derivatives, rnea_derivatives
from chaindyn.guards.arguments import RecursionWord
from chaindyn.inverse_dynamics import joint_forces, rnea, transmitted_wrenches, with_rotors
from chaindyn.postures import coordinate_rate
from chaindyn.projection import drawn_in
from chaindyn.stacked import body_coriolis
from chaindyn.state import evaluate

__all__ = ["Chain", "aba", "coordinate_rate", "drawn_in"]

Array = Any


def mass_times(
    chain: Chain, q: Array, column: Array, *, recursion: RecursionWord = "body"
) -> Array:
    """Return M(q) times joint accelerations (..., nv): the forces that take a chain from rest, without weight."""
    state = evaluate(chain, q, recursion=recursion)
    moving = state.accumulate(state.along_joints(state.subspaces, column))
    forces = joint_forces(state, transmitted_wrenches(state, state.inertias @ moving))
    return with_rotors(chain, forces, column)


def coriolis_times(
    chain: Chain, q: Array, qd: Array, column: Array, *, recursion: RecursionWord = "body"
) -> Array:
    """Return C(q, qd) times joint rates (..., nv): the sum of J^T (I dJ/dt + B J) over the links, times these."""
    state = evaluate(chain, q, qd, recursion=recursion)
    part = state.along_joints(state.subspaces, column)
    rate = state.crm_twists @ part + state.along_joints(state.subspace_rates, column)
    moving, turning = state.accumulate(part), state.accumulate(rate)
    B = body_coriolis(state.inertias, state.twists[..., 0])
    return joint_forces(state, transmitted_wrenches(state, state.inertias @ turning + B @ moving))


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


# matrices (nv, nv), and what gives their product with the argument `column`
PRODUCTS = ((crba, mass_times), (coriolis_matrix, coriolis_times))
# what returns the derivatives of a function by its first three arguments
SLOPES = ((rnea_derivatives, rnea), (aba_derivatives, aba))
# what gives the forces (q, qd, qdd) that the accelerations of a function of (q, qd, tau) take
INVERSES = ((aba, rnea),)


def alternative(table: Any, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return what a table has for a function, None if nothing."""
    return next((other for own, other in table if own is function), None)
