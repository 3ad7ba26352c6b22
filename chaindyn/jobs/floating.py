"""What floats, between the steps of a motion with contacts: it keeps its momentum when the axes of its rates turn.

A free body's rates are in its own axes. A step through contact finds them in the axes of one posture and ends in
another; rates that were only copied would turn the momentum by the order of the step. A body that carries no other
keeps its energy too.
"""

from __future__ import annotations

import numpy as np

from chaindyn._ops import Array, positive, solve_pivoted, sqrt, where
from chaindyn.chain import Chain
from chaindyn.other_joints import Free
from chaindyn.state import State


def carried_momenta(chain: Chain, q: Array, qd: Array) -> tuple[Array, Array, Array]:
    """Return each link's R (n, 3, 3), and world momentum (n, 3) and mass (n, 1) of it
    with all that it carries.
    """
    state = State(chain, q, qd)
    R, twists = state.poses[0], state.twists[..., 0]
    speeds = twists[:, 3:] + np.cross(twists[:, :3], chain.com)
    mass = chain.mass[:, None]
    sums = np.append(mass * (R @ speeds[..., None])[..., 0], mass, axis=-1)
    for k, parent in reversed(list(enumerate(chain.parent))):
        if parent >= 0:
            sums[parent] += sums[k]
    return R, sums[:, :3], sums[:, 3:]


def turned_spin(w: Array, inertia: Array, turn: Array) -> Array:
    """Return angular velocities (m, 3) in axes turned by (m, 3, 3), of the same energy
    and direction of momentum.
    """
    spin = inertia @ w[..., None]
    turned = turn @ spin
    new = solve_pivoted(inertia, turned)
    twice, reached = (w[:, None] @ spin)[..., 0], (turned.mT @ new)[..., 0]
    turns = positive(reached)
    return new[..., 0] * sqrt(where(turns, twice / where(turns, reached, 1), twice))


def rates_in_new_axes(chain: Chain, q: Array, rates: Array, q1: Array) -> Array:
    """Return the rates (nv,) at q1 of a chain that has the given ones at q: what floats
    keeps its linear momentum.

    A free body that carries no other keeps its energy too, and the direction of its
    angular momentum about its centre.
    """
    roots, columns = floating_roots(chain)
    if not roots.size:
        return rates
    rates, alone = rates.copy(), ~np.isin(roots, chain.parent)
    own, turning = roots[alone], columns[alone, :3]
    R, before, _ = carried_momenta(chain, q, rates)
    R1 = State(chain, q1).poses[0]
    turn = R1[own].mT @ R[own]
    rates[turning] = turned_spin(rates[turning], chain.inertia[own], turn)
    _, after, mass = carried_momenta(chain, q1, rates)
    missing = ((before - after) / mass)[roots, :, None]
    rates[columns[:, 3:]] += (R1[roots].mT @ missing)[..., 0]
    return rates


def floating_roots(chain: Chain) -> tuple[Array, Array]:
    """Return the free bodies (k,) that hang on nothing, and the places (k, 6) of their
    rates.
    """
    free = [isinstance(joint, Free) for joint in chain.joints]
    roots = np.flatnonzero(free & (np.array(chain.parent) < 0))
    return roots, np.array([chain.v_columns[k] for k in roots])
