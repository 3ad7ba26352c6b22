"""Blows by the dense route: every link a free body, every joint a set of equations that holds it.

Nothing of the recursions is in it, no joint coordinates, no spatial algebra: 6n jumps of centres' velocities and
spins, an impulse for each direction in which a joint does not yield, one symmetric linear system in world axes. It is
solved, after scaling, in longer numbers than those that are tested, so that its rounding does not tell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn import Chain, Fixed, Revolute, forward_kinematics

Number = Callable[[Any], Any]


def cross(a: Any) -> Any:
    """Return the matrix of a cross product."""
    x, y, z = a
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def unit(a: Any) -> Any:
    """Return a vector at length one."""
    return a / (a @ a) ** 0.5


def across(axis: Any) -> Any:
    """Return two rows, perpendicular to an axis and to each other."""
    least = np.eye(3, dtype=int)[np.argmin(np.abs(axis))]
    first = unit(cross(axis) @ least)
    return np.array([first, cross(axis) @ first])


def eliminate(A: Any, B: Any) -> Any:
    """Solve A X = B for a symmetric A, in numbers too long for NumPy's own solver: scaled, by largest pivots."""
    n = len(A)
    scale = np.abs(A).max(1) ** 0
    for _ in range(10):  # towards rows whose largest entry is 1
        scale = scale / np.abs(A * np.outer(scale, scale)).max(1) ** 0.5
    rows = np.hstack([A * np.outer(scale, scale), scale[:, None] * B])
    for k in range(n):
        pivot = k + np.argmax(np.abs(rows[k:, k]))
        rows[[k, pivot]] = rows[[pivot, k]]
        below = rows[k + 1 :]
        below[:, k:] -= np.outer(below[:, k] / rows[k, k], rows[k, k:])
    X = rows[:, n:].copy()
    for k in reversed(range(n)):
        X[k] = (X[k] - rows[k, k + 1 : n] @ X[k + 1 :]) / rows[k, k]
    return scale[:, None] * X


@dataclass(frozen=True)
class Dense:
    """How a chain answers unit impulses; world axes, each link's about its own origin, angular parts first.

    twists : (n, 6, n, 6) jump of each link's twist, by the link that is struck and the component of the impulse on it;
    joint_impulses : (n, 6, n, 6) of each parent on its link, likewise; qd : (nv, n, 6) jump of the joint rates.
    """

    twists: Any
    joint_impulses: Any
    qd: Any


def dense(chain: Chain, q: Any, number: Number = np.longdouble) -> Dense:
    """Return a chain's answers to unit impulses in one posture; q : (nq,), number : the type computed with."""
    n = chain.n
    long = np.vectorize(number, otypes=[np.longdouble if number is np.longdouble else object])
    R, p = forward_kinematics(chain, long(np.asarray(q, float)))
    R, p = long(R), long(p)  # where nothing turned, they are integers
    arms = (R @ long(chain.com)[..., None])[..., 0]
    zeros = long(np.zeros((6 * n, 6 * n)))
    mass, to_origin = (
        zeros.copy(),
        zeros.copy(),
    )  # twists about the origins from those about the centres
    for i in range(n):
        s = slice(6 * i, 6 * i + 6)
        mass[s, s][:3, :3] = R[i] @ long(chain.inertia[i]) @ R[i].T
        mass[s, s][3:, 3:] = number(float(chain.mass[i])) * long(np.eye(3))
        to_origin[s, s] = np.eye(6, dtype=int)
        to_origin[s, s][3:, :3] = cross(arms[i])
    G, at_origin, rates = joints(chain, R, p, p + arms, long)
    none = long(np.zeros((len(G), 6 * n + len(G))))
    system = np.block([[mass, G.T], [G, none[:, 6 * n :]]])
    solution = eliminate(system, np.vstack([to_origin.T, none[:, : 6 * n]]))
    jumps, impulses = solution[: 6 * n], -solution[6 * n :]
    return Dense(
        (to_origin @ jumps).reshape(n, 6, n, 6),
        (at_origin @ impulses).reshape(n, 6, n, 6),
        (rates @ jumps).reshape(-1, n, 6),
    )


def joints(chain: Chain, R: Any, p: Any, centres: Any, long: Number) -> tuple[Any, Any, Any]:
    """Return three matrices of all joints together.

    What must stay zero, from spins and velocities of the centres; the impulses on the links about their
    origins (6n, ...), from those along each of these; the joint rates (nv, 6n), from spins and velocities.
    """
    n = chain.n
    held, wrenches, rates = [], [], [long(np.zeros((6, 6 * n)))[:0]]
    for i, (parent, joint) in enumerate(zip(chain.parent, chain.joints, strict=True)):
        # relative spin, and relative velocity of the two particles that are at the link's origin
        relative = long(np.zeros((6, 6 * n)))
        for body, sign in ((i, 1), (parent, -1)):
            if body >= 0:
                relative[:, 6 * body : 6 * body + 6] = sign * np.eye(6, dtype=int)
                relative[3:, 6 * body : 6 * body + 3] = -sign * cross(p[i] - centres[body])
        spins, slides = long(np.eye(3)), long(np.eye(3))
        if not isinstance(joint, Fixed):
            axis = unit(R[i] @ long(joint.axis))
            turns = isinstance(joint, Revolute)
            rates.append(axis[None] @ (relative[:3] if turns else relative[3:]))
            spins, slides = (across(axis), slides) if turns else (spins, across(axis))
        held += [spins @ relative[:3], slides @ relative[3:]]
        forces = np.hstack([0 * spins.T, slides.T])
        moments = np.hstack([spins.T, 0 * slides.T])
        wrenches.append(np.vstack([moments, forces]))
    at_origin = long(np.zeros((6 * n, sum(w.shape[1] for w in wrenches))))
    first = 0
    for i, wrench in enumerate(wrenches):
        at_origin[6 * i : 6 * i + 6, first : first + wrench.shape[1]] = wrench
        first += wrench.shape[1]
    return np.vstack(held), at_origin, np.vstack(rates)
