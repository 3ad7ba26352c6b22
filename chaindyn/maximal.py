# Generated from chapters/13_maximal_coordinates.md by `python -m book export`; edit it there.
# sha256 of the text below: a9130a6da57696086570239f7d526d561f2ed69077f7a7c53e4607817f9a2f4f
"""Maximal coordinates: every link free, every joint a set of equations that holds it.

Derived in chapter 13, "Maximal coordinates".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import Array, solve, stack, unstack, zeros
from chaindyn.array_types import ArrayM, ArrayNq, ArrayNv, ArrayNx6
from chaindyn.articulated import factorise_state
from chaindyn.chain import Chain
from chaindyn.guards.arguments import FRAMES, FrameWord
from chaindyn.guards.door import checked
from chaindyn.guards.model import require_doubles, require_no_rotors
from chaindyn.guards.sparse import each_state, solved_one_by_one
from chaindyn.guards.states import in_one_batch
from chaindyn.inertia import weight_wrench
from chaindyn.inverse_dynamics import net_bias
from chaindyn.models.arrays import split_by_joint
from chaindyn.state import State

__all__ = ["MaximalDynamics", "maximal_coordinate_dynamics"]


# Chapter 13, "Maximal coordinates": A tree in maximal coordinates*
def constraint_subspaces(state: State) -> list[Array]:
    """Return the constraint subspace of each joint (..., 6, 6 - k), in its link."""
    kept: list[Array] = []
    for joint, columns, _ in state.chain.groups:
        kept += unstack(joint.constraint_subspace(state.q[..., columns]), -3)
    return [kept[place] for place in state.chain.group_order]


def across_joints(parent: Sequence[int], X: Array) -> Any:
    """Return the sparse matrix L (6 n, 6 n): L a are motions less the parents'.

    X : (n, 6, 6), from parent to link. Its transpose takes the joints' wrenches to
    those on the links.
    """
    from scipy import sparse

    n, hanging = len(parent), [i for i, p in enumerate(parent) if p >= 0]
    columns = [parent[i] for i in hanging]
    starts = np.searchsorted(hanging, np.arange(n + 1))  # one block a row, or none
    blocks = X[hanging].reshape(-1, 6, 6), columns, starts
    return sparse.eye_array(6 * n) - sparse.bsr_array(blocks, shape=(6 * n, 6 * n))


# Chapter 13, "Maximal coordinates": A tree in maximal coordinates*
def maximal_system(
    chain: Chain, X: Array, T: Sequence[Array], eta: Array, load: Array, motors: Array
) -> tuple[Any, Array]:
    """Return matrix and right side of all equations of one state, in link coordinates.

    X : (n, 6, 6); T : (6, 6 - k) of each joint; eta : (n, 6), the joints' velocity
    terms; load : (n, 6) on the links, of weight, velocity and external wrenches; motors
    : (n, 6) wrench in each joint. The matrix is SciPy's, sparse, symmetric and
    indefinite: the inertias and K^T above, K and 0 below, with K = T^T L. Unknown are
    the accelerations (6 n) and the multipliers with a minus.
    """
    from scipy import sparse

    L = across_joints(chain.parent, X)
    array = sparse.coo_array((0, 0))  # without it, SciPy would make older matrices
    K = sparse.block_diag([array, *T]).T @ L
    inertias = sparse.block_diag([array, *chain.spatial_inertia])
    matrix = sparse.block_array([[inertias, K.T], [K, None]], format="csc")
    matrix.eliminate_zeros()  # SciPy stores blocks whole
    kept = [own.T @ across for own, across in zip(T, eta, strict=True)]
    return matrix, np.concatenate([load.ravel() + L.T @ motors.ravel(), *kept])


# Chapter 13, "Maximal coordinates": A tree in maximal coordinates*
def motor_wrenches(state: State, tau: Array) -> Array:
    """Return wrenches in the joints (..., n, 6, 1) with S^T times them = tau (..., nv).

    Others differ from them by wrenches that the joints carry; these are combinations
    of the columns of S.
    """
    parts = zip(state.S, split_by_joint(state.chain, tau[..., None]), strict=True)
    return stack([S @ solve(S.mT @ S, own) for S, own in parts], axis=-3)


def weights(state: State) -> Array:
    """Return the weight of each link as a wrench on it (..., n, 6, 1), in its axes."""
    chain, (R, _) = state.chain, state.poses
    down = (R.mT @ chain.gravity[:, None])[..., 0]
    return weight_wrench(chain.mass, chain.com, down)[..., None]


@dataclass(frozen=True, eq=False)
class MaximalDynamics:
    """Accelerations of links and wrenches of joints: `maximal_coordinate_dynamics`.

    accelerations : (..., n, 6) of the links, spatial and true, in link coordinates
    [rad/s^2, m/s^2]; multipliers : (..., m), for each link in order the 6 - nv moments
    and forces that its joint carries, along the columns of its constraint subspace [N
    m, N]; wrenches : (..., n, 6) of each parent on its link [tau; f], in link
    coordinates, the motor's part included.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> found = maximal_coordinate_dynamics(rod, np.zeros(1), np.zeros(1), np.zeros(1))
    >>> found.accelerations[0].round(6) + 0.0
    array([ 0.   , 14.715,  0.   ,  0.   ,  0.   ,  0.   ])
    >>> found.wrenches[0].round(6) + 0.0
    array([0.    , 0.    , 0.    , 0.    , 0.    , 2.4525])
    """

    accelerations: ArrayNx6
    multipliers: ArrayM
    wrenches: ArrayNx6


# Chapter 13, "Maximal coordinates": A tree in maximal coordinates*
@checked(q="nq", qd="nv", tau="nv", external=("n", 6), external_frame=FRAMES)
def maximal_coordinate_dynamics(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    tau: ArrayNv,
    *,
    external: ArrayNx6 | None = None,
    external_frame: FrameWord = "body",
) -> MaximalDynamics:
    """Return the accelerations of a tree's links, and its joints' wrenches.

    Arguments as for `aba`, in the chain's own coordinates, numbers only. For each state
    a system of order 6 n, with 6 - nv more for each joint, is made and factorised.
    Needs SciPy. "Two rigid bodies with a constraint", general form, with the force of
    the constraints as +K^T lambda. ValueError names the joint that feels no inertia, if
    M is singular, or the first joint with a rotor.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> found = maximal_coordinate_dynamics(rod, np.zeros(1), np.zeros(1), np.zeros(1))
    >>> found.accelerations[0].round(6) + 0.0
    array([ 0.   , 14.715,  0.   ,  0.   ,  0.   ,  0.   ])
    """
    require_no_rotors(chain, "maximal_coordinate_dynamics")
    require_doubles(chain, "maximal_coordinate_dynamics")
    pushed = zeros((chain.n, 6)) if external is None else external
    batch, (q, qd, tau, pushed) = in_one_batch(
        q=(q, 1), qd=(qd, 1), tau=(tau, 1), external=(pushed, 2)
    )
    state = State(chain, q, qd)
    factorise_state(state)  # names a joint that feels no inertia
    T, motors = constraint_subspaces(state), motor_wrenches(state, tau)
    load = weights(state) - net_bias(state, pushed, external_frame)
    ends = 6 * chain.n + np.cumsum([0, *(own.shape[-1] for own in T)])
    systems = each_state(maximal_system, state, T, load, motors)
    x = solved_one_by_one(systems, len(q), ends[-1])
    pairs = zip(T, ends, ends[1:], strict=False)
    carried = [own @ -x[:, a:b, None] for own, a, b in pairs]
    return MaximalDynamics(
        x[:, : ends[0]].reshape((*batch, chain.n, 6)),
        -x[:, ends[0] :].reshape((*batch, ends[-1] - ends[0])),
        (motors + stack(carried, axis=-3)).reshape((*batch, chain.n, 6)),
    )
