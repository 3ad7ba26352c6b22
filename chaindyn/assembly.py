# Generated from chapters/29_assembling_with_limits.md by `python -m book export`; edit it there.
# sha256 of the text below: ca5d05ad32f139d08e6dc53a0c62c7971bc961a6387e6d3df0a80d2e8b095c03
"""Assembling: the nearest posture that closes the loops, within the limits of the joints.

Derived in chapter 29, "Assembling with limits".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.array_types import ArrayNq, ArrayNv
from chaindyn.chain import Chain
from chaindyn.closure import constraint_error, constraint_jacobian
from chaindyn.composite import crba
from chaindyn.constraints import solve_kkt
from chaindyn.guards.arguments import check_mask
from chaindyn.guards.constraint_parts import as_constraints
from chaindyn.guards.door import checked
from chaindyn.guards.loops import cannot_be_closed, within_reach
from chaindyn.guards.numbers import as_real
from chaindyn.guards.targets import room
from chaindyn.hybrid import interleave
from chaindyn.other_constraints import plain_coordinates
from chaindyn.postures import difference, integrate

__all__ = ["assemble"]


# Chapter 29, "Assembling with limits": A search, and its steps
@dataclass(frozen=True, eq=False)
class Assembly:
    """A search for a posture that closes loops, within the limits of the joints.

    M : (nv, nv), the metric in which steps are short; moved : (nv,) booleans, which
    velocities may change.
    """

    chain: Chain
    constraints: Any
    M: Array
    moved: Array

    def gap(self, q: Array) -> float:
        """Return the norm of all errors of a posture."""
        return float(np.linalg.norm(constraint_error(self.chain, self.constraints, q)))

    def after(self, q: Array, step: Array) -> Array:
        """Return the posture (nq,) after a step (nv,)."""
        ahead = integrate(self.chain, q, step)
        return np.clip(ahead, self.chain.lower_limit, self.chain.upper_limit)


# Chapter 29, "Assembling with limits": A search, and its steps
def nearest_step(search: Assembly, q: Array, reference: Array, tolerance: float) -> Array:
    """Return the step (nv,) nearest to a reference (nv,) that closes the gap.

    To first order, and within the limits. tolerance : as for `solve_kkt`.
    """
    chain, moved, m = search.chain, search.moved, int(search.moved.sum())
    K = constraint_jacobian(chain, search.constraints, q)[:, moved]
    error = constraint_error(chain, search.constraints, q)
    M = search.M[np.ix_(moved, moved)]
    forces = np.concatenate([(M @ reference[moved])[None], np.eye(m)])
    wanted = np.concatenate([-error[None], np.zeros((m, len(K)))])
    step, *answers = solve_kkt(M, K, forces, wanted, tolerance=tolerance).x
    down, up = (way[moved] for way in room(chain, plain_coordinates(chain), q))
    if ((step < down) | (step > up)).any():
        step = pushed_back(step, np.array(answers), down, up)
    return interleave(moved, step, np.zeros(chain.nv - m))


# Chapter 29, "Assembling with limits": Limits push, and never pull
def pushed_back(step: Array, C: Array, down: Array, up: Array) -> Array:
    """Return the step (n,) after the least forces of limits, which push joints back.

    They never pull. C : (n, n), steps by unit forces; down, up : (n,), bounds of the
    step. Where no forces achieve them, each joint stops at its limit. Lawson and Hanson
    (1974), chapter 29.
    """
    from scipy.optimize import nnls

    sizes, V = np.linalg.eigh(C)
    F = V * np.sqrt(np.maximum(sizes, 0))
    rows, short = np.concatenate([F, -F]), np.concatenate([down - step, step - up])
    limited = np.isfinite(short)
    E = np.vstack([rows[limited].T, short[limited]])
    goal = np.eye(len(E))[-1]
    left = goal - E @ nnls(E, goal)[0]
    if left[-1] > 1e-12:
        step = step - F @ (left[:-1] / left[-1])
    return np.clip(step, down, up)


# Chapter 29, "Assembling with limits": Steps that do not open the gap
def closed(search: Assembly, q: Array) -> tuple[Array, float]:
    """Return the posture (nq,) after Newton's steps, and the remaining gap.

    No step opens the gap.
    """
    gap, still = search.gap(q), np.zeros(search.chain.nv)
    for _ in range(60):
        if gap <= 1e-14:
            break
        step = nearest_step(search, q, still, 1e-3 if gap > 1e-3 else 1e-8)
        step = step / max(1.0, 2 * np.abs(step).max(initial=0))
        for share in 0.5 ** np.arange(12):
            ahead = search.after(q, share * step)
            if search.gap(ahead) < gap:
                break
        else:
            break
        q, gap = ahead, search.gap(ahead)
    return q, gap


# Chapter 29, "Assembling with limits": Steps that do not open the gap
def drawn_near(search: Assembly, q: Array, start: Array) -> Array:
    """Return the closed posture (nq,) nearest to `start`, from one that is closed."""

    def far(q: Array) -> float:
        away = difference(search.chain, start, q)
        return float(away @ search.M @ away)

    for _ in range(50):
        step = nearest_step(search, q, difference(search.chain, q, start), 1e-8)
        if np.abs(step).max(initial=0) <= 1e-10:
            return q
        for share in 0.5 ** np.arange(8):
            ahead, gap = closed(search, search.after(q, share * step))
            if gap <= 1e-10 and far(ahead) < far(q) * (1 - 1e-10):
                break
        else:
            return q
        q = ahead
    return q


# Chapter 29, "Assembling with limits": When it gets stuck
def assembled(chain: Chain, constraints: Any, start: Array, moved: Array) -> Array:
    """Return the posture (nq,) that `assemble` finds from one (nq,)."""
    search = Assembly(chain, constraints, crba(chain, start), moved)
    begin = within_reach(chain, start, moved, plain_coordinates(chain))
    rng, least = np.random.default_rng(0), np.inf
    for attempt in range(6):
        jolt = 0.2 * attempt * rng.normal(size=chain.nv) * moved
        q, gap = closed(search, search.after(begin, jolt))
        if gap <= 1e-10:
            return drawn_near(search, q, start)
        least = min(least, gap)
    raise cannot_be_closed(chain, least)


@checked(q="nq")
def assemble(chain: Chain, constraints: Any, q: ArrayNq, *, held: ArrayNv | None = None) -> ArrayNq:
    """Return the posture (..., nq) nearest to q that closes the loops.

    Every joint stays within its `Limits`. constraints : as for `constraint_jacobian`;
    q : (..., nq) floats; held : (nv,)
    booleans, true for velocities that stay zero throughout, so that their joints do not
    move. Newton's steps close the loops, and steps along them approach q as far as
    possible, in the metric of the mass matrix at q: a local search. If a loop can be
    assembled in two ways, it finds the nearer one. If it gets stuck, it starts again
    from five postures near q, always the same. With a closure of a hand onto the ground
    it is inverse kinematics. ValueError with the remaining gap if the loops cannot be
    closed from here, or if a held joint is beyond its limits.

    >>> from chaindyn.models.robots import four_bar
    >>> chain, loops = four_bar()
    >>> q = assemble(chain, loops, np.array([1.2, -1.0, 3.0]))
    >>> constraint_error(chain, loops, q).round(9) + 0.0
    array([0., 0., 0., 0., 0.])
    """
    constraints, start = as_constraints(constraints), as_real(q, "q")
    moved = ~(np.zeros(chain.nv, bool) if held is None else check_mask(held, "held", chain.nv))
    starts = start.reshape(-1, chain.nq)
    answers = [assembled(chain, constraints, one, moved) for one in starts]
    return np.array(answers).reshape(start.shape)
