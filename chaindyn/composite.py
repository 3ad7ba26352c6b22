# Generated from chapters/07_the_stacked_form_and_composite_inertia.md by `python -m book export`; edit it there.
# sha256 of the text below: 6bf9db1c2bf886130528178f6d118385952b414256edc29ff25b384cca033d17
"""The stacked form: the tree in one matrix, composite inertia, the mass and Coriolis matrices.

Derived in chapter 7, "The stacked form and composite inertia".
"""

from typing import Any

import numpy as np

from chaindyn._check import RECURSIONS, checked
from chaindyn._ops import Array, block, concatenate, divide, eye, unstack, zeros
from chaindyn.chain import Chain, inward
from chaindyn.spatial import crf, crm, skew
from chaindyn.state import State, evaluate, split_by_joint

__all__ = ["coriolis_matrix", "crba", "tree_matrix"]


# Chapter 7, "The stacked form and composite inertia": All bodies at once
@checked()
def tree_matrix(chain: Chain) -> Array:
    """Return Delta (n, n) of integers: 1 in row i, column j where link i is link j or hangs on it.

    In world coordinates V = Delta times the joints' parts, and f = Delta^T times the links' wrenches. Alexiou,
    "The dynamics of a serial chain of bodies", (16), there for a serial chain: the lower triangle.
    """
    Delta = np.zeros((chain.n, chain.n), int)
    for i in range(chain.n):
        Delta[i, list(chain.path(i))] = 1
    return Delta


# Chapter 7, "The stacked form and composite inertia": The code: one sweep inward
def composite_step(
    children: Any, X: Array, S: Array, inertia: Array, own: Array
) -> tuple[Array, Any]:
    """Link step: composite inertia, and the forces that move what hangs here, one column for each joint rate.

    own : (k, nv) picks the link's joint out of all. Keeps the rows (..., k, nv) of M to the right of it.
    """
    composite = inertia + children[0]
    forces = composite @ S @ own + children[1]
    return S.mT @ forces, (X.mT @ composite @ X, X.mT @ forces)


def of_one_joint(chain: Chain) -> Array:
    """Return (nv, nv) of integers: 1 where row and column belong to the same joint."""
    owner = chain.link_of_column
    return (owner[:, None] == owner).astype(int)


def mass_matrix(state: State) -> Array:
    """Return the mass matrix (..., nv, nv) of an evaluated chain."""
    chain = state.chain
    own = split_by_joint(chain, eye(chain.nv))
    # as many as there are states, also where no inertia depends on q
    nothing = zeros((6, 6)), zeros((*state.q.shape[:-1], 6, chain.nv))
    inertias = unstack(state.inertias, -3)
    rows, _ = inward(composite_step, chain.parent, nothing, state.X, state.S, inertias, own)
    upper = concatenate(rows, axis=-2)
    M = upper + upper.mT * (1 - of_one_joint(chain))
    return M + chain.reflected_inertia * eye(chain.nv) if chain.has_rotors else M


@checked(q="nq", recursion=RECURSIONS)
def crba(chain: Chain, q: Array, *, recursion: str = "body") -> Array:
    """Return the mass matrix M (..., nv, nv) of a chain or tree, symmetric: composite inertia.

    q : (..., nq). recursion : the coordinates computed in. The kinetic energy is qd^T M qd / 2. What the rotors of
    drives reflect stands on the diagonal. Alexiou, "The dynamics of a serial chain of bodies", (20).
    """
    return mass_matrix(evaluate(chain, q, recursion=recursion))


# Chapter 7, "The stacked form and composite inertia": Body by body
def crf_bar(f: Array) -> Array:
    """Return the matrix (..., 6, 6) for which crf_bar(f) @ m = crf(m) @ f, for a force vector f (..., 6)."""
    moment, force = skew(f[..., :3]), skew(f[..., 3:])
    return block([[-moment, -force], [-force, zeros((3, 3))]])


def body_coriolis(inertia: Array, v: Array) -> Array:
    """Return B (..., 6, 6) of one body, for which B v = v x* I v and dI/dt = B + B^T."""
    momentum = (inertia @ v[..., None])[..., 0]
    return divide(crf(v) @ inertia - inertia @ crm(v) + crf_bar(momentum), 2)


# Chapter 7, "The stacked form and composite inertia": The code
def coriolis_step(
    children: Any, X: Array, S: Array, rate: Array, inertia: Array, B: Array, own: Array
) -> tuple[tuple[Array, Array], Any]:
    """Link step: rows of C to the right of a joint, and columns of C below it, transposed."""
    inertia, B = inertia + children[0], B + children[1]
    moving = inertia @ S @ own + children[2]
    turning = (inertia @ rate + B @ S) @ own + children[3]
    dragging = B.mT @ S @ own + children[4]
    kept = S.mT @ turning, rate.mT @ moving + S.mT @ dragging
    passed = X.mT @ moving, X.mT @ turning, X.mT @ dragging
    return kept, (X.mT @ inertia @ X, X.mT @ B @ X, *passed)


@checked(q="nq", qd="nv", recursion=RECURSIONS)
def coriolis_matrix(chain: Chain, q: Array, qd: Array, *, recursion: str = "body") -> Array:
    """Return C (..., nv, nv) with C qd = h without weight, and dM/dt = C + C^T along the motion.

    q : (..., nq); qd : (..., nv). Of the many matrices with the first property, the one that is made body by
    body from B(I, v) = (v x* I - I v x + (I v) x*) / 2; it has the second for every type of joint.
    """
    state = evaluate(chain, q, qd, recursion=recursion)
    own_rates = split_by_joint(chain, state.express_columns(state.subspace_rates))
    turning = unstack(state.crm_twists, -3)
    rates = [v @ s + rows.mT for v, s, rows in zip(turning, state.S, own_rates, strict=True)]
    inertias = unstack(state.inertias, -3)
    B = unstack(body_coriolis(state.inertias, state.twists[..., 0]), -3)
    batch = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1])
    nothing = [zeros((6, 6))] * 2 + [zeros((*batch, 6, chain.nv))] * 3
    own = split_by_joint(chain, eye(chain.nv))
    links = state.X, state.S, rates, inertias, B, own
    rows, _ = inward(coriolis_step, chain.parent, nothing, *links)
    upper = concatenate([right for right, _ in rows], axis=-2)
    lower = concatenate([below for _, below in rows], axis=-2).mT
    return upper + lower * (1 - of_one_joint(chain))
