"""Coulomb friction in joints, through a step of time: one impulse that is never more than the step times the friction.

A force that switches sign with the rate would overshoot in any step longer than the switch. So the rates at the end of
the step and the friction that acts on them are found together.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chaindyn._ops import Array, altered, eye, positive, solve, sqrt, until_still, where
from chaindyn.articulated import factorise_state
from chaindyn.contact import response_in_loops
from chaindyn.guards.constraint_parts import parts_in
from chaindyn.guards.loops import gap_share
from chaindyn.simulation import Driven
from chaindyn.state import State

TURNS = 20  # of Newton's method: few joints need more than 12


def slopes(driven: Driven, t: float, q: Array, rates: Array) -> Array:
    """Return the accelerations (k, nv) in one posture q (nq,) at rates (k, nv), without Coulomb friction.

    In one call where there are no user functions.
    """
    driven = without_coulomb(driven)
    if callable(driven.torque):
        return np.stack([driven.acceleration(t, q, qd) for qd in rates])
    return driven.acceleration(t, q, rates)


def without_coulomb(driven: Driven) -> Driven:
    """Return what drives a chain whose joints have no Coulomb friction."""
    chain = driven.chain
    if not chain.has_coulomb:
        return driven
    return replace(driven, chain=altered(chain, coulomb=0 * chain.coulomb, programs={}))


def rates_with_friction(driven: Driven, q: Array, moved: Array, h: float) -> Array:
    """Return the rates (nv,) at the end of a step h in which Coulomb friction acts too; moved : (nv,), without it.

    They are x with M (x - moved) = -c p, p = x / sqrt(x^2 + w^2) for each joint, where c = h F is the most that
    friction F can give in the step, w the width of `joint_friction`, and M the inertia at q, in loops that stay
    closed. One x does: M (x - moved) + c p is the slope of a convex function. Newton's method takes x and p as
    unknowns of p sqrt(x^2 + w^2) = x. With x alone it may leap to and fro across zero for ever.
    """
    if not driven.chain.has_coulomb:
        return moved
    c, w = h * driven.chain.coulomb + 0 * moved, driven.friction_width
    G = yielding(driven, q)

    def turn(unknowns: tuple[Array, ...]) -> tuple[Array, ...]:
        x, p, G = unknowns
        x, p = x[0], p[0]
        size = sqrt(x * x + w * w)
        share = x / size
        slope = ((1 - p * share) / size)[:, None]  # positive, for p is bounded below
        wanted = share[:, None] + slope * (moved - x)[:, None]
        p = solve(eye(len(c)) + slope * G * c, wanted)[:, 0]  # pivots of at least one
        there = moved - (G @ (c * p)[:, None])[:, 0]
        p = p / sqrt(where(positive(p * p - 1), p * p, 1))
        return there[None], p[None], G

    still = 0 * moved[None]
    _, p, G = until_still(TURNS, turn, (still, still, G))
    return moved - (G @ (c * p[0])[:, None])[:, 0]


def yielding(driven: Driven, q: Array) -> Array:
    """Return by how much each of the rates changes by one unit of impulse in each joint (nv, nv): M^-1, with closed
    loops.
    """
    state = State(driven.chain, q)
    factors, units = factorise_state(state), eye(driven.chain.nv)
    if not driven.constraints:
        return factors.solve(units)
    L, error = parts_in(state, driven.constraints, "jacobian", "error")
    return response_in_loops(factors, L, gap_share(L, error), units)[0]
