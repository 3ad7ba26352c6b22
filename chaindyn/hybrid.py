# Generated from chapters/09_hybrid_dynamics.md by `python -m book export`; edit it there.
# sha256 of the text below: 086b2acd134cf427aeb7110a7f026940e71722773669504dc5423cdab3f84d16
"""Hybrid dynamics: the acceleration is given at some joints, the force at the others.

Derived in chapter 9, "Hybrid dynamics".
"""

import numpy as np

from chaindyn._ops import Array, concatenate, solve, stack
from chaindyn.articulated import factorise_state
from chaindyn.chain import Chain
from chaindyn.composite import mass_matrix
from chaindyn.guards.arguments import FRAMES, RECURSIONS
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


# Chapter 9, "Hybrid dynamics": The dense route
def interleave(mask: Array, given: Array, other: Array) -> Array:
    """Return (..., nv): `given` (..., n_u) where the mask is true, else `other`."""
    order = np.argsort(np.concatenate([np.flatnonzero(mask), np.flatnonzero(~mask)]))
    return concatenate([given, other], axis=-1)[..., order]


@checked(q="nq", qd="nv")
def hybrid_dynamics_dense(
    chain: Chain, q: Array, qd: Array, *, prescribed: Array, qdd: Array, tau: Array
) -> tuple[Array, Array]:
    """Return the results of `hybrid_dynamics` from the mass matrix.

    It takes O(n^2) + O(n_v^3) operations, and no external wrenches.
    ValueError names a joint that feels no inertia, if M_vv of the free joints is
    singular. Kim (2012), (34), and the upper row of the same equations, which gives the
    forces that are not printed.
    """
    u, qdd, tau = check_hybrid(chain, prescribed, qdd, tau, q, qd)
    state = evaluate(chain, q, qd, qdd, tau)
    factorise_state(state, u)  # names the joint if M_vv is singular
    M, wrenches = mass_matrix(state), needed_wrenches(state, 0 * qd, state.bias_forces)
    h = joint_forces(state, wrenches)[..., None]
    M_u, M_vv = M[..., u, :], M[..., ~u, :][..., ~u]
    M_uu, M_uv = M_u[..., u], M_u[..., ~u]
    require_regular(chain, M_vv, u)
    given = qdd[..., None]
    other = solve(M_vv, tau[..., None] - h[..., ~u, :] - M_uv.mT @ given)
    needed = M_uu @ given + M_uv @ other + h[..., u, :]
    return interleave(u, qdd, other[..., 0]), interleave(u, needed[..., 0], tau)


# Chapter 9, "Hybrid dynamics": The code
@checked(q="nq", qd="nv", external=("n", 6), external_frame=FRAMES, recursion=RECURSIONS)
def hybrid_dynamics(
    chain: Chain,
    q: Array,
    qd: Array,
    *,
    prescribed: Array,
    qdd: Array,
    tau: Array,
    external: Array | None = None,
    external_frame: str = "body",
    recursion: str = "body",
) -> tuple[Array, Array]:
    """Return all of qdd (..., nv) and tau (..., nv) when some of each are given.

    q : (..., nq); qd : (..., nv); prescribed : (nv,) booleans, true where the
    acceleration is given and the force wanted; qdd : (..., n_u) the given accelerations
    [rad/s^2, m/s^2], tau : (..., n_v) the given forces [N m, N], both in the order of
    the velocities; a joint may be prescribed in part. external : (..., n, 6) external
    wrench [tau; f] on each link, in `external_frame`, as for `aba`. recursion : the
    coordinates of the computation. All true is `rnea`, all false is `aba`. ValueError
    names the joint that feels no inertia among those that are free to move. Kim (2012),
    (51)-(53) and Table 4.
    """
    u, qdd, tau = check_hybrid(chain, prescribed, qdd, tau, q, qd, external)
    state = evaluate(chain, q, qd, qdd, tau, external, recursion=recursion)
    factors = factorise_state(state, u)
    # the prescribed joints' part of their links' accelerations is known, as eta is
    given = interleave(u, qdd, 0 * tau)
    eta = state.eta + state.along_joints(state.subspaces, given)
    loads = net_bias(state, external, external_frame) + factors.inertias @ eta
    left, p = factors.inward_forces(tau[..., None], loads)
    A, answers = factors.outward_motions(left, eta, ground_acceleration(chain))
    wrenches = factors.inertias @ (stack(A, axis=-3) - eta) + stack(p, axis=-3)
    accelerations = interleave(u, qdd, answers[..., 0])
    needed = with_rotors(chain, joint_forces(state, wrenches), accelerations)
    return accelerations, interleave(u, needed[..., u], tau)
