# Generated from chapters/08_the_mass_matrix_by_composite_inertia.md by `python -m book export`; edit it there.
# sha256 of the text below: 222f6640ae7141c322a58571db8923927fe145c4b5df594be5030e337064a39b
"""Composite inertia: the mass and Coriolis matrices, and the momentum of a whole chain.

Derived in chapter 8, "The mass matrix by composite inertia".
"""

from typing import Any

import numpy as np

from chaindyn._ops import SMALL, Array, concatenate, divide, eye, stack, unstack, zeros
from chaindyn.array_types import Array3, Array3xNv, Array6, Array6xNv, ArrayNq, ArrayNv, ArrayNvxNv
from chaindyn.chain import Chain, inward
from chaindyn.guards.arguments import RECURSIONS, RecursionWord
from chaindyn.guards.door import checked
from chaindyn.guards.model import require_mass
from chaindyn.inverse_dynamics import with_rotors
from chaindyn.models.arrays import each_link, split_by_joint
from chaindyn.spatial import X_motion
from chaindyn.stacked import body_coriolis
from chaindyn.state import State, evaluate

__all__ = [
    "center_of_mass",
    "center_of_mass_jacobian",
    "centroidal_momentum_bias",
    "centroidal_momentum_matrix",
    "coriolis_matrix",
    "crba",
]


# Chapter 8, "The mass matrix by composite inertia": The code: one sweep inward
def composite_step(
    children: Any, X: Array, S: Array, inertia: Array, own: Array
) -> tuple[Array, Any]:
    """Link step: composite inertia, and the forces that move the subtree, one column
    for each joint rate.

    own : (k, nv) picks the link's joint out of all. Keeps the rows (..., k, nv) of M to
    the right of it.
    """
    composite = inertia + children[0]
    forces = composite @ S @ own + children[1]
    return S.mT @ forces, (X.mT @ composite @ X, X.mT @ forces)


def of_one_joint(chain: Chain) -> Array:
    """Return (nv, nv) of integers: 1 where row and column belong to the same joint."""
    owner = chain.link_of_column
    return (owner[:, None] == owner).astype(SMALL)


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
    return with_rotors(chain, M, eye(chain.nv))


@checked(q="nq", recursion=RECURSIONS)
def crba(chain: Chain, q: ArrayNq, *, recursion: RecursionWord = "body") -> ArrayNvxNv:
    """Return the mass matrix M (..., nv, nv), symmetric: composite inertia.

    q : (..., nq). recursion : the coordinates of the computation. The kinetic energy is
    qd^T M qd / 2. The reflected inertias of rotors are added on the diagonal.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> crba(rod, np.zeros(1)).round(3)
    array([[0.333]])
    """
    return mass_matrix(evaluate(chain, q, recursion=recursion))


# Chapter 8, "The mass matrix by composite inertia": Where the mass is
def total_mass(chain: Chain) -> Array:
    """Return the mass of the whole chain (1,) [kg]; ValueError if it is zero."""
    mass = chain.mass.sum(keepdims=True)
    require_mass(mass, chain.n)
    return mass


def center_in(state: State) -> Array:
    """Return the centre of mass of an evaluated chain (..., 3), in the world [m]."""
    chain, (R, p) = state.chain, state.poses
    centers = p + (R @ chain.com[..., None])[..., 0]
    return divide((chain.mass[:, None] * centers).sum(-2), total_mass(chain))


@checked(q="nq")
def center_of_mass(chain: Chain, q: ArrayNq) -> Array3:
    """Return the centre of mass of the whole chain (..., 3), in the world [m].

    q : (..., nq). The mean of the links' centres, weighted by mass; links
    welded to the ground count too. ValueError if no link has mass.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> center_of_mass(rod, np.zeros(1))
    array([0.5, 0. , 0. ])
    """
    return center_in(evaluate(chain, q))


# Chapter 8, "The mass matrix by composite inertia": Only external wrenches change it
def composite_inertia_step(children: Any, X: Array, inertia: Array) -> tuple[Array, tuple[Array]]:
    """Link step: inertia of a link with its subtree, and that in the parent's frame."""
    composite = inertia + children[0]
    return composite, (X.mT @ composite @ X,)


def composite_inertias(state: State) -> Array:
    """Return the inertia (..., n, 6, 6) of every link with its subtree, as one body."""
    links = state.X, unstack(state.inertias, -3)
    nothing = (zeros((6, 6)),)
    composites, _ = inward(composite_inertia_step, state.chain.parent, nothing, *links)
    return stack(composites, axis=-3)


def from_center(state: State) -> Array:
    """Return transforms (..., n, 6, 6) of motions about the centre to each link's."""
    R, p = state.poses
    return X_motion(R.mT, p - center_in(state)[..., None, :])


def momentum_columns(state: State) -> Array:
    """Return the centroidal momentum matrix (..., 6, nv), in link coordinates."""
    owner = state.chain.link_of_column
    momenta = composite_inertias(state)[..., owner, :, :] @ state.screws[..., None]
    return (from_center(state)[..., owner, :, :].mT @ momenta)[..., 0].mT


@checked(q="nq")
def centroidal_momentum_matrix(chain: Chain, q: ArrayNq) -> Array6xNv:
    """Return A (..., 6, nv): the chain's momentum is A qd, angular first [N m s, N s].

    q : (..., nq). It is about the chain's centre of mass, in world axes. One inward
    sweep: column j is the momentum of the subtree of joint j. ValueError if no link has
    mass. Orin and Goswami (2008).

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> centroidal_momentum_matrix(rod, np.zeros(1))[:, 0].round(3) + 0.0
    array([ 0.   ,  0.083,  0.   ,  0.   ,  0.   , -0.5  ])
    """
    return momentum_columns(evaluate(chain, q))


@checked(q="nq")
def center_of_mass_jacobian(chain: Chain, q: ArrayNq) -> Array3xNv:
    """Return J (..., 3, nv): the centre of mass moves with J qd [m/s], in world axes.

    q : (..., nq). The linear half of `centroidal_momentum_matrix`, by the mass.
    ValueError if no link has mass.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> center_of_mass_jacobian(rod, np.zeros(1))[:, 0].round(3) + 0.0
    array([ 0. ,  0. , -0.5])
    """
    return divide(momentum_columns(evaluate(chain, q))[..., 3:, :], total_mass(chain))


@checked(q="nq", qd="nv")
def centroidal_momentum_bias(chain: Chain, q: ArrayNq, qd: ArrayNv) -> Array6:
    """Return dA/dt qd (..., 6): the rate of the momentum about the centre of mass if
    qdd = 0 [N m, N].

    q : (..., nq); qd : (..., nv); A as from `centroidal_momentum_matrix`. A qdd + dA/dt
    qd is the sum of all external wrenches about the centre of mass: weight, and those
    of the ground on the roots. ValueError if no link has mass.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> centroidal_momentum_bias(rod, np.zeros(1), np.ones(1)).round(3) + 0.0
    array([ 0. ,  0. ,  0. , -0.5,  0. ,  0. ])
    """
    state = evaluate(chain, q, qd)
    forces = state.inertias @ state.bias_accelerations + state.bias_forces
    return (from_center(state).mT @ forces).sum(-3)[..., 0]


# Chapter 8, "The mass matrix by composite inertia": The Coriolis matrix by the same sweep*
def coriolis_step(
    children: Any, X: Array, S: Array, rate: Array, inertia: Array, B: Array, own: Array
) -> tuple[tuple[Array, Array], Any]:
    """Link step: rows of C right of a joint, and columns of C below it, transposed."""
    inertia, B = inertia + children[0], B + children[1]
    moving = inertia @ S @ own + children[2]
    turning = (inertia @ rate + B @ S) @ own + children[3]
    dragging = B.mT @ S @ own + children[4]
    kept = S.mT @ turning, rate.mT @ moving + S.mT @ dragging
    passed = X.mT @ moving, X.mT @ turning, X.mT @ dragging
    return kept, (X.mT @ inertia @ X, X.mT @ B @ X, *passed)


@checked(q="nq", qd="nv", recursion=RECURSIONS)
def coriolis_matrix(
    chain: Chain, q: ArrayNq, qd: ArrayNv, *, recursion: RecursionWord = "body"
) -> ArrayNvxNv:
    """Return C (..., nv, nv) with C qd = h without weight, and dM/dt = C + C^T along
    the motion.

    q : (..., nq); qd : (..., nv). Of the many matrices with the first property, the one
    built body by body from B(I, v) = (v x* I - I v x + (I v) x*) / 2; it has the second
    for every type of joint.

    >>> from chaindyn.models.robots import ur5
    >>> q, qd = np.arange(6) / 2, np.ones(6)
    >>> h = coriolis_matrix(ur5(), q, qd) @ qd + bias_force(ur5(), q, 0 * qd)
    >>> np.allclose(h, bias_force(ur5(), q, qd))
    True
    """
    state = evaluate(chain, q, qd, recursion=recursion)
    own_rates = each_link(chain, state.express_groups(state.subspace_rates))
    turning = unstack(state.crm_twists, -3)
    rates = [v @ s + rate for v, s, rate in zip(turning, state.S, own_rates, strict=True)]
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
