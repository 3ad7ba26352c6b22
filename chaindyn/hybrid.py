# Generated from chapters/10_hybrid_dynamics.md by `python -m book export`; edit it there.
# sha256 of the text below: 2502a483d226ac7df278d79adb78130e92c4d3dc2ce76a271612027b19ef413e
"""Hybrid dynamics: the acceleration is given at some joints, the force at the others.

Derived in chapter 10, "Hybrid dynamics".
"""

import numpy as np

from chaindyn._ops import Array, concatenate, solve, stack
from chaindyn.array_types import ArrayNf, ArrayNp, ArrayNq, ArrayNv, ArrayNx6
from chaindyn.articulated import factorise_state
from chaindyn.chain import Chain
from chaindyn.composite import mass_matrix
from chaindyn.guards.arguments import FRAMES, RECURSIONS, FrameWord, RecursionWord
from chaindyn.guards.door import checked
from chaindyn.guards.hybrid import check_hybrid, require_regular
from chaindyn.inverse_dynamics import (
    ground_acceleration,
    joint_forces,
    needed_wrenches,
    net_bias,
    with_rotors,
)
from chaindyn.state import evaluate

__all__ = ["hybrid_dynamics", "hybrid_dynamics_dense"]


# Chapter 10, "Hybrid dynamics": The dense route
def interleave(mask: Array, given: Array, other: Array) -> Array:
    """Return (..., nv): `given` (..., n_p) where the mask is true, else `other`."""
    order = np.argsort(np.concatenate([np.flatnonzero(mask), np.flatnonzero(~mask)]))
    return concatenate([given, other], axis=-1)[..., order]


@checked(q="nq", qd="nv")
def hybrid_dynamics_dense(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    *,
    prescribed: ArrayNv,
    qdd: ArrayNp,
    tau: ArrayNf,
) -> tuple[ArrayNv, ArrayNv]:
    """Return the results of `hybrid_dynamics` from the mass matrix.

    It takes O(n^2) + O(n_f^3) operations, and no external wrenches.
    ValueError names a joint that feels no inertia, if M_ff of the free joints is
    singular.

    >>> from chaindyn.models.robots import ur5
    >>> q, qd = np.arange(6) / 2, np.ones(6)
    >>> driven = np.arange(6) < 3
    >>> qdd, tau = hybrid_dynamics_dense(
    ...     ur5(), q, qd, prescribed=driven, qdd=np.ones(3), tau=np.zeros(3))
    >>> qdd[:3].round(9)
    array([1., 1., 1.])
    """
    mask, qdd, tau = check_hybrid(chain, prescribed, qdd, tau, q, qd)
    state = evaluate(chain, q, qd, qdd, tau)
    factorise_state(state, mask)  # names the joint if M_ff is singular
    M, wrenches = mass_matrix(state), needed_wrenches(state, 0 * qd, state.bias_forces)
    h = joint_forces(state, wrenches)[..., None]
    M_p, M_ff = M[..., mask, :], M[..., ~mask, :][..., ~mask]
    M_pp, M_pf = M_p[..., mask], M_p[..., ~mask]
    require_regular(chain, M_ff, mask)
    given = qdd[..., None]
    other = solve(M_ff, tau[..., None] - h[..., ~mask, :] - M_pf.mT @ given)
    needed = M_pp @ given + M_pf @ other + h[..., mask, :]
    return interleave(mask, qdd, other[..., 0]), interleave(mask, needed[..., 0], tau)


# Chapter 10, "Hybrid dynamics": The code
@checked(q="nq", qd="nv", external=("n", 6), external_frame=FRAMES, recursion=RECURSIONS)
def hybrid_dynamics(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    *,
    prescribed: ArrayNv,
    qdd: ArrayNp,
    tau: ArrayNf,
    external: ArrayNx6 | None = None,
    external_frame: FrameWord = "body",
    recursion: RecursionWord = "body",
) -> tuple[ArrayNv, ArrayNv]:
    """Return all of qdd (..., nv) and tau (..., nv) when some of each are given.

    q : (..., nq); qd : (..., nv); prescribed : (nv,) booleans, true where the
    acceleration is given and the force wanted; qdd : (..., n_p) the given accelerations
    [rad/s^2, m/s^2], tau : (..., n_f) the given forces [N m, N], both in the order of
    the velocities; a joint may be prescribed in part. external : (..., n, 6) external
    wrench [tau; f] on each link, in `external_frame`, as for `aba`. recursion : the
    coordinates of the computation. All true is `rnea`, all false is `aba`. ValueError
    names the joint that feels no inertia among those that are free to move.

    >>> from chaindyn.models.robots import ur5
    >>> q, qd = np.arange(6) / 2, np.ones(6)
    >>> driven = np.arange(6) < 3
    >>> qdd, tau = hybrid_dynamics(
    ...     ur5(), q, qd, prescribed=driven, qdd=np.ones(3), tau=np.zeros(3))
    >>> qdd[:3], tau[3:].round(9) + 0.0
    (array([1., 1., 1.]), array([0., 0., 0.]))
    """
    mask, qdd, tau = check_hybrid(chain, prescribed, qdd, tau, q, qd, external)
    state = evaluate(chain, q, qd, qdd, tau, external, recursion=recursion)
    factors = factorise_state(state, mask)
    # the prescribed joints' part of their links' accelerations is known, as eta is
    given = interleave(mask, qdd, 0 * tau)
    eta = state.eta + state.along_joints(state.subspaces, given)
    loads = net_bias(state, external, external_frame) + factors.inertias @ eta
    left, p = factors.inward_forces(tau[..., None], loads)
    A, answers = factors.outward_motions(left, eta, ground_acceleration(chain))
    wrenches = factors.inertias @ (stack(A, axis=-3) - eta) + stack(p, axis=-3)
    accelerations = interleave(mask, qdd, answers[..., 0])
    needed = with_rotors(chain, joint_forces(state, wrenches), accelerations)
    return accelerations, interleave(mask, needed[..., mask], tau)
