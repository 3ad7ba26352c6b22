# Generated from chapters/08_the_mass_matrix_by_composite_inertia.md by `python -m book export`; edit it there.
# sha256 of the text below: 8935db54c1f39ad953ee0c35bb3bff0dc25895006b169dffe67d84aa04d0360f
"""Composite inertia: the mass and Coriolis matrices, and the momentum of a whole chain.

Derived in chapter 8, "The mass matrix by composite inertia".
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from chaindyn._ops import Array, concatenate, divide, eye, replaceable, stack, unstack, zeros
from chaindyn.array_types import Array3, Array3xNv, Array6, Array6xNv, ArrayNq, ArrayNv, ArrayNvxNv
from chaindyn.chain import Chain, inward
from chaindyn.guards.arguments import RECURSIONS, RecursionWord
from chaindyn.guards.door import checked
from chaindyn.guards.model import require_mass
from chaindyn.models.arrays import each_link
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
    children: Any, X: Array, S: Array, inertia: Array, rotors: Array
) -> tuple[tuple[Array, Any], Any]:
    """Link step: composite inertia; the link's block of M, and the force that moves its
    subtree.

    rotors : (..., k, k), the inertia of the joint's own rotors, on the diagonal.
    """
    composite = inertia + children[0]
    F = composite @ S
    return (S.mT @ F + rotors, (X.mT @ F,)), (X.mT @ composite @ X,)


def force_on_the_way(columns: Any, X: Array, S: Array) -> tuple[Array, Array, Any]:
    """Return what a force leaves in M at a joint on its way, and what is passed on."""
    (F,) = columns
    felt = S.mT @ F
    return felt, felt, (X.mT @ F,)


# Chapter 8, "The mass matrix by composite inertia": The code: one sweep inward
@replaceable
def on_the_way(
    step: Callable[..., Any],
    parent: Sequence[int],
    start: Sequence[Any],
    *links: Any,
    meeting: Callable[..., Any] | None = None,
) -> Array:
    """Return a matrix (..., nv, nv): what columns leave at the joints on their way
    inwards.

    start : for each link its block on the diagonal (..., k, k), and a tuple of columns
    (..., 6, k) as its parent gets them. step(such columns, *data of a link) -> (rows,
    columns, passed on): what stays in the link's rows, what in its columns, transposed,
    and the columns as the next parent gets them; each column by itself, and nothing of
    zeros. meeting(the link's columns, those of other branches at its parent, *data of
    the link) -> what stays in the rows of the first and the columns of the others, and
    the other way round; without it the matrix is zero between different branches.
    """
    widths = [block.shape[-1] for block, _ in start]
    nv, ends, n = sum(widths), accumulate(widths), len(parent)
    own = [eye(nv)[end - k : end] for k, end in zip(widths, ends, strict=True)]
    nothing = (zeros((6, nv)),) * len(start[0][1])
    outside, left, met = [nothing] * n, [(own[0], own[0])] * n, zeros((nv, nv))
    each = zip(parent, start, *links, strict=True)
    for i, (p, begun, *link) in reversed([*enumerate(each)]):
        rows, below, passed = step(outside[i], *link)
        left[i] = rows + begun[0] @ own[i], below
        if p >= 0:
            added = zip(passed, begun[1], strict=True)
            at_parent = [x + c @ own[i] for x, c in added]
            if meeting is not None and outside[p] is not nothing:
                here, there = meeting(at_parent, outside[p], *link)
                met = met + here + there
            both = zip(at_parent, outside[p], strict=True)
            outside[p] = tuple(x + y for x, y in both)
    upper = concatenate([rows for rows, _ in left], axis=-2)
    return met + upper + concatenate([below for _, below in left], axis=-2).mT


# Chapter 8, "The mass matrix by composite inertia": The code: one sweep inward
def mass_matrix(state: State) -> Array:
    """Return the mass matrix (..., nv, nv) of an evaluated chain."""
    links = state.X, state.S, unstack(state.inertias, -3), rotor_blocks(state)
    nothing = (zeros((6, 6)),)
    start, _ = inward(composite_step, state.chain.parent, nothing, *links)
    return on_the_way(force_on_the_way, state.chain.parent, start, *links[:2])


def rotor_blocks(state: State) -> list[Array]:
    """Return the inertia of each joint's rotors (..., k, k), zero where it has none."""
    chain, batch = state.chain, state.q.shape[:-1]
    none = [zeros((*batch, len(own), len(own))) for own in chain.v_columns]
    if not chain.has_rotors:
        return none
    own = [chain.reflected_inertia[c.start : c.stop] for c in chain.v_columns]
    return [x[:, None] * eye(len(x)) + zero for x, zero in zip(own, none, strict=True)]


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
    children: Any, X: Array, S: Array, rate: Array, inertia: Array, B: Array
) -> tuple[tuple[Array, Any], Any]:
    """Link step: composite I and B; the link's block of C, and what it begins."""
    inertia, B = inertia + children[0], B + children[1]
    turning = inertia @ rate + B @ S
    begun = X.mT @ (inertia @ S), X.mT @ turning, X.mT @ (B.mT @ S)
    return (S.mT @ turning, begun), (X.mT @ inertia @ X, X.mT @ B @ X)


def coriolis_on_the_way(columns: Any, X: Array, S: Array, rate: Array) -> tuple[Array, Array, Any]:
    """Return what wrenches leave in rows and in columns of C, and what is passed on."""
    moving, turning, dragging = columns
    passed = X.mT @ moving, X.mT @ turning, X.mT @ dragging
    return S.mT @ turning, rate.mT @ moving + S.mT @ dragging, passed


# Chapter 8, "The mass matrix by composite inertia": The Coriolis matrix by the same sweep*
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
    rates = [v @ s + own for v, s, own in zip(turning, state.S, own_rates, strict=True)]
    inertias = unstack(state.inertias, -3)
    B = unstack(body_coriolis(state.inertias, state.twists[..., 0]), -3)
    links, nothing = (state.X, state.S, rates), [zeros((6, 6))] * 2
    start, _ = inward(coriolis_step, chain.parent, nothing, *links, inertias, B)
    return on_the_way(coriolis_on_the_way, chain.parent, start, *links)
