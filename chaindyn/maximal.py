# Generated from chapters/12_maximal_coordinates.md by `python -m book export`; edit it there.
# sha256 of the text below: 60b768ae2fdf7281fbd0a0e6d7ff412e1fcd92c7877f86a768548d80d95d47e4
"""Maximal coordinates: every link free, every joint a set of equations that holds it.

Derived in chapter 12, "Maximal coordinates".
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chaindyn._ops import Array, broadcast_batch, concatenate, eye, solve, stack, unstack, zeros
from chaindyn.articulated import factorise_state
from chaindyn.chain import Chain
from chaindyn.closure import Closure
from chaindyn.guards.arguments import FRAMES
from chaindyn.guards.door import checked
from chaindyn.guards.model import require_doubles, require_no_rotors
from chaindyn.guards.numbers import as_real, require_no_overflow
from chaindyn.inertia import weight_wrench
from chaindyn.inverse_dynamics import net_bias
from chaindyn.lie import quaternion_from_rotation
from chaindyn.other_joints import Free
from chaindyn.state import State, split_by_joint

__all__ = ["MaximalDynamics", "maximal_coordinate_dynamics", "to_maximal", "to_maximal_state"]


# Chapter 12, "Maximal coordinates": A tree in maximal coordinates
@checked()
def to_maximal(chain: Chain) -> tuple[Chain, tuple[Closure, ...]]:
    """Return the same bodies with nothing between them, and the joints as constraints
    that hold them.

    The returned chain has the links, names and gravity of the given one, each link
    `Free` in the world, and for each link one `Closure`, in order: its joint, onto its
    parent. `to_maximal_state` gives its coordinates. Friction and limits of joints are
    left out; ValueError for a chain with rotors. "Two rigid bodies with a constraint",
    reduced and maximal coordinates.
    """
    require_no_rotors(chain, "to_maximal")
    alone = {"joint": Free(), "offset": (0, 0, 0), "rotation": eye(3), "parent": "ground"}
    links = [
        replace(link, **alone, name=name, drive=None, limits=None)
        for link, name in zip(chain.links, chain.names, strict=True)
    ]
    held = tuple(
        Closure(
            link.joint,
            name,
            "ground" if parent < 0 else chain.names[parent],
            onto_offset=link.offset,
            onto_rotation=link.rotation,
        )
        for link, name, parent in zip(chain.links, chain.names, chain.parent, strict=True)
    )
    return Chain(links, chain.gravity, chain.frames), held


@checked(q="nq", qd="nv")
def to_maximal_state(chain: Chain, q: Array, qd: Array) -> tuple[Array, Array]:
    """Return the state of a chain in maximal coordinates: q (..., 7 n) and qd (..., 6
    n) of its links, each free.

    q : (..., nq), qd : (..., nv) of the chain itself. A link has its position in the
    world and its quaternion, and its twist [w; v] in link coordinates, as `Free` has
    them.
    """
    state = State(chain, *broadcast_batch([q, qd], 1))
    R, p = state.poses
    places = concatenate([p, quaternion_from_rotation(R)], axis=-1)
    twists = state.twists[..., 0]
    return (
        places.reshape((*places.shape[:-2], 7 * chain.n)),
        twists.reshape((*twists.shape[:-2], 6 * chain.n)),
    )


# Chapter 12, "Maximal coordinates": A tree in maximal coordinates
@dataclass(frozen=True, eq=False)
class MaximalDynamics:
    """Accelerations of links held together by joints, and the joints' wrenches: see
    `maximal_coordinate_dynamics`.

    accelerations : (..., n, 6) of the links, spatial and true, in link coordinates
    [rad/s^2, m/s^2]; multipliers : (..., m), for each link in order the 6 - nv moments
    and forces that its joint carries, along the columns of its constraint subspace [N
    m, N]; wrenches : (..., n, 6) of each parent on its link [tau; f], in link
    coordinates, the motor's part included.
    """

    accelerations: Array
    multipliers: Array
    wrenches: Array


def constraint_subspaces(state: State) -> list[Array]:
    """Return the constraint subspace of each joint (..., 6, 6 - k), in link
    coordinates.
    """
    kept: list[Array] = []
    for joint, columns, _ in state.chain.groups:
        kept += unstack(joint.constraint_subspace(state.q[..., columns]), -3)
    return [kept[place] for place in state.chain.group_order]


def across_joints(parent: Sequence[int], X: Array) -> Any:
    """Return the sparse matrix L (6 n, 6 n) of the joints' motions: L a are the links'
    motions less the parents'.

    X : (n, 6, 6), from parent to link. Its transpose takes the joints' wrenches to
    those on the links.
    """
    from scipy import sparse

    n, hanging = len(parent), [i for i, p in enumerate(parent) if p >= 0]
    columns = [parent[i] for i in hanging]
    starts = np.searchsorted(hanging, np.arange(n + 1))  # a block row has one block, or none
    blocks = X[hanging].reshape(-1, 6, 6), columns, starts
    return sparse.eye_array(6 * n) - sparse.bsr_array(blocks, shape=(6 * n, 6 * n))


def maximal_system(
    chain: Chain, X: Array, T: Sequence[Array], eta: Array, load: Array, motors: Array
) -> tuple[Any, Array]:
    """Return matrix and right side of all equations of one state in maximal
    coordinates, in link coordinates.

    X : (n, 6, 6); T : (6, 6 - k) of each joint; eta : (n, 6), the joints' velocity
    terms; load : (n, 6) on the links, of weight, velocity and external wrenches; motors
    : (n, 6) wrench in each joint. The matrix is SciPy's, sparse, symmetric and
    indefinite: the inertias and K^T above, K and 0 below, with K = T^T L. Unknown are
    the accelerations (6 n) and the multipliers with a minus.
    """
    from scipy import sparse

    L = across_joints(chain.parent, X)
    array = sparse.coo_array((0, 0))  # without one, block_diag would give SciPy's older matrices
    K = sparse.block_diag([array, *T]).T @ L
    inertias = sparse.block_diag([array, *chain.spatial_inertia])
    matrix = sparse.block_array([[inertias, K.T], [K, None]], format="csc")
    matrix.eliminate_zeros()  # SciPy stores blocks whole
    kept = [own.T @ across for own, across in zip(T, eta, strict=True)]
    return matrix, np.concatenate([load.ravel() + L.T @ motors.ravel(), *kept])


def motor_wrenches(state: State, tau: Array) -> Array:
    """Return a wrench in each joint (..., n, 6, 1) that gives the joint forces tau
    (..., nv): S^T times it is tau.

    Others differ from it by a wrench that the joint carries; this one is a combination
    of the columns of S.
    """
    parts = split_by_joint(state.chain, tau[..., None])
    return stack([S @ solve(S.mT @ S, own) for S, own in zip(state.S, parts, strict=True)], axis=-3)


def weights(state: State) -> Array:
    """Return the weight of each link as a wrench on it (..., n, 6, 1), in link
    coordinates.
    """
    chain, (R, _) = state.chain, state.poses
    down = (R.mT @ chain.gravity[:, None])[..., 0]
    return weight_wrench(chain.mass, chain.com, down)[..., None]


@checked(q="nq", qd="nv", tau="nv", external=("n", 6), external_frame=FRAMES)
def maximal_coordinate_dynamics(
    chain: Chain,
    q: Array,
    qd: Array,
    tau: Array,
    *,
    external: Array | None = None,
    external_frame: str = "body",
) -> MaximalDynamics:
    """Return the accelerations of the links of a chain or tree, and the wrenches in its
    joints, by one sparse system.

    Arguments as for `aba`, in the chain's own coordinates, numbers only. For each state
    a system of order 6 n, with 6 - nv more for each joint, is made and factorised.
    Needs SciPy. "Two rigid bodies with a constraint", general form, with the force of
    the constraints as +K^T lambda. ValueError names the joint that feels no inertia, if
    M is singular, or the first joint with a rotor.
    """
    from scipy.sparse.linalg import splu

    require_no_rotors(chain, "maximal_coordinate_dynamics")
    require_doubles(chain, "maximal_coordinate_dynamics")
    pushed = zeros((chain.n, 6)) if external is None else external
    named = {"q": (q, 1), "qd": (qd, 1), "tau": (tau, 1), "external": (pushed, 2)}
    batch = np.broadcast_shapes(*[x.shape[: x.ndim - core] for x, core in named.values()])
    count, n = math.prod(batch), chain.n
    rows = []
    for name, (x, core) in named.items():
        own = x.shape[x.ndim - core :]
        rows.append(np.broadcast_to(as_real(x, name), batch + own).reshape((count, *own)))
    q, qd, tau, pushed = rows
    state = State(chain, q, qd)
    factorise_state(state)  # for its checks of the input
    X, T, eta = state.transforms, constraint_subspaces(state), state.eta
    motors, load = (
        motor_wrenches(state, tau),
        weights(state) - net_bias(state, pushed, external_frame),
    )
    require_no_overflow("the equations", X, load, eta)
    ends = 6 * n + np.cumsum([0, *(own.shape[-1] for own in T)])
    solutions = np.zeros((count, ends[-1]))
    for k in range(count):
        own = [np.broadcast_to(x, (count, *x.shape[-2:]))[k] for x in T]
        given = X[k], own, eta[k, ..., 0], load[k, ..., 0], motors[k, ..., 0]
        matrix, right = maximal_system(chain, *given)
        factors = splu(matrix)
        x = factors.solve(right)
        solutions[k] = x + factors.solve(right - matrix @ x)
    carried = [x @ -solutions[:, a:b, None] for x, a, b in zip(T, ends, ends[1:], strict=False)]
    return MaximalDynamics(
        solutions[:, : 6 * n].reshape((*batch, n, 6)),
        -solutions[:, 6 * n :].reshape((*batch, ends[-1] - 6 * n)),
        (motors + stack(carried, axis=-3)).reshape((*batch, n, 6)),
    )
