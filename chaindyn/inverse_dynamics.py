# Generated from chapters/06_inverse_dynamics.md by `python -m book export`; edit it there.
# sha256 of the text below: 809244a7cb3e1fa56c67d85a9c56fbec444d1cf6f2ebef8eef5554c3abac7170
"""Inverse dynamics: the forces for a motion, by one system and by a recursion.

Derived in chapter 6, "Inverse dynamics".
"""

from typing import Any

import numpy as np

from chaindyn._ops import Array, concatenate, eye, stack, unstack, zeros
from chaindyn.array_types import ArrayNq, ArrayNv, ArrayNx6
from chaindyn.chain import Chain, inward
from chaindyn.guards.arguments import (
    FRAMES,
    RECURSIONS,
    FrameWord,
    RecursionWord,
    require_one_state,
    unit,
)
from chaindyn.guards.door import checked
from chaindyn.guards.large_system import regular_factors
from chaindyn.guards.model import require_doubles
from chaindyn.guards.numbers import as_real
from chaindyn.joints import rotation_about
from chaindyn.spatial import X_inverse
from chaindyn.state import State, evaluate

__all__ = ["bias_force", "joint_wrenches", "rnea", "solve_full_system"]


# Chapter 6, "Inverse dynamics": The code
def sum_wrenches(children: Any, X: Array, own: Array) -> tuple[Array, tuple[Array]]:
    """Link step: the wrench in the joint, for the link and all links after it."""
    through = own + children[0]
    return through, (X.mT @ through,)


# Chapter 6, "Inverse dynamics": The code
def wrenches_from(state: State, wrenches: Array, frame: FrameWord) -> Array:
    """Return wrenches (..., n, 6) of a frame as the recursion's (..., n, 6, 1)."""
    columns = wrenches[..., None]
    return columns if frame == state.recursion else state.to_frame(frame).mT @ columns


def wrenches_in(state: State, wrenches: Array, frame: FrameWord) -> Array:
    """Return the recursion's wrenches (..., n, 6, 1) as a frame's (..., n, 6)."""
    if frame == state.recursion:
        return wrenches[..., 0]
    return (X_inverse(state.to_frame(frame)).mT @ wrenches)[..., 0]


def net_bias(state: State, external: Array | None, frame: FrameWord) -> Array:
    """Return the bias forces (..., n, 6, 1) less the external wrenches, if any."""
    if external is None:
        return state.bias_forces
    return state.bias_forces - wrenches_from(state, external, frame)


# Chapter 6, "Inverse dynamics": The code
def ground_acceleration(chain: Chain) -> Array:
    """Return the upward acceleration of the ground that replaces gravity (6, 1)."""
    return concatenate([zeros((3,)), -chain.gravity], axis=-1)[:, None]


def transmitted_wrenches(state: State, wrenches: Array) -> Array:
    """Return the wrenches in the joints if the links need these, all (..., n, 6, 1)."""
    own = unstack(wrenches, -3)
    through, _ = inward(sum_wrenches, state.chain.parent, (zeros((6, 1)),), state.X, own)
    return stack(through, axis=-3)


def needed_wrenches(state: State, qdd: Array, bias: Array) -> Array:
    """Return each parent's wrench on its link (..., n, 6, 1) for qdd (..., nv)."""
    A = state.accelerations(qdd, ground_acceleration(state.chain))
    return transmitted_wrenches(state, state.inertias @ A + bias)


def joint_forces(state: State, wrenches: Array) -> Array:
    """Return what motors give, S^T f (..., nv), of joint wrenches f (..., n, 6, 1)."""
    return (state.screws * wrenches[..., 0][..., state.chain.link_of_column, :]).sum(-1)


def with_rotors(chain: Chain, forces: Array, qdd: Array) -> Array:
    """Return joint forces (..., nv), plus those of the rotors at qdd (..., nv).

    Given a mass matrix as forces and 1 as qdd, it returns that matrix with rotors.
    """
    return forces + chain.reflected_inertia * qdd if chain.has_rotors else forces


# Chapter 6, "Inverse dynamics": The code
@checked(q="nq", qd="nv", qdd="nv", external=("n", 6), external_frame=FRAMES, recursion=RECURSIONS)
def rnea(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    qdd: ArrayNv,
    *,
    external: ArrayNx6 | None = None,
    external_frame: FrameWord = "body",
    recursion: RecursionWord = "body",
) -> ArrayNv:
    """Return the joint forces tau (..., nv) [N m, N] for a motion: inverse dynamics.

    q : (..., nq); qd, qdd : (..., nv); external : (..., n, 6) external wrench [tau; f]
    on each link, in `external_frame`: "body" (about the link origin, link axes),
    "world" (about the world origin, world axes) or "mixed" (about the link origin,
    world axes). recursion : the coordinates of the computation. Gravity is the chain's;
    the torque of the drives' rotors is included, friction (`joint_friction`) is not.
    Kim (2012), (35)-(42) and Table 2, with the base accelerating by -g.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> rnea(rod, still, still, still).round(6)
    array([-4.905])
    """
    state = evaluate(chain, q, qd, qdd, external, recursion=recursion)
    bias = net_bias(state, external, external_frame)
    return with_rotors(chain, joint_forces(state, needed_wrenches(state, qdd, bias)), qdd)


# Chapter 6, "Inverse dynamics": The code
@checked(q="nq", qd="nv", recursion=RECURSIONS)
def bias_force(
    chain: Chain, q: ArrayNq, qd: ArrayNv, *, recursion: RecursionWord = "body"
) -> ArrayNv:
    """Return h (..., nv), the joint forces for the state q, qd with qdd = 0.

    q : (..., nq); qd : (..., nv). Weight is included: M qdd + h = tau + the sum of J^T
    times external wrenches.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> bias_force(rod, np.array([np.pi / 3]), np.ones(1)).round(4)
    array([-2.4525])
    """
    return rnea(chain, q, qd, 0 * qd, recursion=recursion)


# Chapter 6, "Inverse dynamics": The code
@checked(
    q="nq",
    qd="nv",
    qdd="nv",
    external=("n", 6),
    external_frame=FRAMES,
    frame=FRAMES,
    recursion=RECURSIONS,
)
def joint_wrenches(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    qdd: ArrayNv,
    *,
    external: ArrayNx6 | None = None,
    external_frame: FrameWord = "body",
    frame: FrameWord = "body",
    recursion: RecursionWord = "body",
) -> ArrayNx6:
    """Return each parent's wrench on its link (..., n, 6) [tau; f], motors included.

    Arguments as for `rnea`, whose joint forces are S^T times these, plus the rotors';
    frame : of the result. Alexiou, "The dynamics of a serial chain of bodies", (13);
    Kim (2012), (42).

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> joint_wrenches(rod, still, still, still)[0].round(6) + 0.0
    array([ 0.   , -4.905,  0.   ,  0.   ,  0.   ,  9.81 ])
    """
    state = evaluate(chain, q, qd, qdd, external, recursion=recursion)
    bias = net_bias(state, external, external_frame)
    return wrenches_in(state, needed_wrenches(state, qdd, bias), frame)


# Chapter 6, "Inverse dynamics": All equations at once*
def full_system(chain: Chain, q: Array, qd: Array, tau: Array) -> tuple[Any, Array]:
    """Return matrix and right side of all equations of motion at once, about the world
    origin.

    Unknown are the accelerations a (6 n), the wrenches f (6 n) of each parent on its
    link, and qdd (nv). The matrix is SciPy's, sparse, and square of order 12 n + nv, 13
    n with hinges and slides alone. Its rows: a - a of the parent - S qdd = eta; I a - f
    + f of the children = weight - v x* I v; S^T f + N^2 I_r qdd = tau, with the inertia
    N^2 I_r of the rotors. Alexiou, "The dynamics of a serial chain of bodies", the
    table of unknowns and equations.
    """
    from scipy import sparse

    state = State(chain, q, qd, "world")
    falling = np.concatenate([np.zeros(3), chain.gravity])[:, None]
    hanging = [i for i, parent in enumerate(chain.parent) if parent >= 0]
    ones = np.ones(len(hanging))
    of_parent = sparse.coo_array(
        (ones, (hanging, [chain.parent[i] for i in hanging])), shape=(chain.n, chain.n)
    )
    less_parent = sparse.eye_array(6 * chain.n) - sparse.kron(of_parent, eye(6))
    # of exact numbers and long doubles, which SciPy does not take, the nearest floats
    array = sparse.coo_array((0, 0))  # without one, block_diag gives older matrices
    screws = sparse.block_diag([array, *(as_real(S, "S") for S in state.S)])
    inertias = sparse.block_diag([array, *as_real(state.inertias, "inertias")])
    geared = chain.reflected_inertia.astype(float)
    rotors = sparse.diags_array(geared) if chain.has_rotors else None
    rows = [
        [less_parent, None, -screws],
        [inertias, -less_parent.T, None],
        [None, screws.T, rotors],
    ]
    net = state.inertias @ falling - state.bias_forces
    right = as_real(np.concatenate([state.eta.ravel(), net.ravel(), tau]), "the right side")
    matrix = sparse.block_array(rows, format="csc")
    matrix.eliminate_zeros()  # SciPy stores blocks whole
    return matrix, right


# Chapter 6, "Inverse dynamics": All equations at once*
@checked(q="nq", qd="nv", tau="nv")
def solve_full_system(
    chain: Chain, q: ArrayNq, qd: ArrayNv, tau: ArrayNv
) -> tuple[ArrayNx6, ArrayNx6, ArrayNv]:
    """Return accelerations (n, 6), joint wrenches (n, 6) and qdd (nv), all at once.

    q : (nq,); qd : (nv,); tau : (nv,), one state of numbers. Accelerations are spatial
    and true, gravity not subtracted; wrenches are those of each parent on its link, as
    by `joint_wrenches`. Both are about the world origin, in world axes. Needs SciPy.
    Alexiou, "The dynamics of a serial chain of bodies", the table. ValueError for a
    batch, for symbols or complex numbers, and if M is singular: it names a joint that
    feels no inertia.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> accelerations, wrenches, qdd = solve_full_system(rod, still, still, still)
    >>> qdd.round(6), wrenches[0].round(6) + 0.0
    (array([14.715]), array([0.    , 0.    , 0.    , 0.    , 0.    , 2.4525]))
    """
    require_one_state(q=q, qd=qd, tau=tau)
    q, qd, tau = as_real(q, "q"), as_real(qd, "qd"), as_real(tau, "tau")
    require_doubles(chain, "solve_full_system")
    with np.errstate(over="ignore", invalid="ignore"):
        matrix, right = full_system(chain, q, qd, tau)
    tilted = rotation_about(unit((1, 2, 3)), np.ones(1))
    solution = regular_factors(chain, matrix, right, tilted).solve(right)
    a, f, qdd = np.split(solution, [6 * chain.n, 12 * chain.n])
    return a.reshape(chain.n, 6), f.reshape(chain.n, 6), qdd
