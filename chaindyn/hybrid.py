# Generated from chapters/09_hybrid_dynamics.md by `python -m book export`; edit it there.
# sha256 of the text below: 60588e0fac3b849765e4a51d7c17679410acee5a54308b0b68501ee7d1127c68
"""Hybrid dynamics: the acceleration is given at some joints, the force at the others.

Derived in chapter 9, "Hybrid dynamics".
"""

import numpy as np

from chaindyn._ops import Array, concatenate, solve, stack
from chaindyn.articulated import factorise_state
from chaindyn.chain import Chain
from chaindyn.composite import mass_matrix
from chaindyn.guards.arguments import (
    FRAMES,
    RECURSIONS,
    check_mask,
    require_same_batch,
    require_shape,
)
from chaindyn.guards.door import checked
from chaindyn.guards.equations import no_inertia
from chaindyn.guards.numbers import as_array, known_values, require_finite
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


def check_hybrid(
    chain: Chain,
    prescribed: Array,
    qdd: Array,
    tau: Array,
    q: Array,
    qd: Array,
    external: Array | None = None,
) -> tuple[Array, Array, Array]:
    """Return mask, qdd and tau as arrays; ValueError if they do not fit the state."""
    mask = check_mask(prescribed, "prescribed", chain.nv)

    def entries(x: Array, name: str, own: Array, does: str) -> Array:
        columns = np.flatnonzero(own)
        why = f": the mask {does} {len(columns)} of the {chain.nv} velocities"
        x = as_array(x, name)
        require_shape(x, name, (len(columns),), why)
        require_finite(x, name, lambda i: f"link {chain.link_of('nv', columns[i[-1]])!r}")
        return x

    qdd = entries(qdd, "qdd", mask, "prescribes")
    tau = entries(tau, "tau", ~mask, "leaves open")
    arrays = {"q": (q, 1), "qd": (qd, 1), "qdd": (qdd, 1), "tau": (tau, 1)}
    require_same_batch(arrays if external is None else arrays | {"external": (external, 2)})
    return mask, qdd, tau


def require_regular(chain: Chain, M_vv: Array, u: Array) -> None:
    """Refuse a mass matrix (..., n_v, n_v) singular to rounding, naming a joint.

    u : where the velocities are prescribed. Symbols and traced arrays pass.
    """
    known = known_values(M_vv)
    if known is None or not known.size:
        return
    sizes = np.sqrt(np.diagonal(known, axis1=-2, axis2=-1))[..., None]
    sizes = np.where(sizes > 0, sizes, 1)
    moments, vectors = np.linalg.eigh(known / (sizes * sizes.mT))  # independent of units
    singular = np.argwhere(moments[..., 0] <= 10 * M_vv.shape[-1] * np.finfo(float).eps)
    if len(singular):
        column = np.flatnonzero(~u)[np.abs(vectors[(*singular[0], ..., 0)]).argmax()]
        raise no_inertia(chain.link_of("nv", column))


@checked(q="nq", qd="nv")
def hybrid_dynamics_dense(
    chain: Chain, q: Array, qd: Array, *, prescribed: Array, qdd: Array, tau: Array
) -> tuple[Array, Array]:
    """Return the results of `hybrid_dynamics` from the mass matrix: O(n^2) + O(n_v^3),
    and no external wrenches.

    ValueError names a joint that feels no inertia, if M_vv of the free joints is
    singular. Kim (2012), (34), and the upper row of the same equations, which gives the
    forces that are not printed.
    """
    u, qdd, tau = check_hybrid(chain, prescribed, qdd, tau, q, qd)
    state = evaluate(chain, q, qd, qdd, tau)
    factorise_state(state, u)  # names the joint if M_vv is singular
    M, wrenches = mass_matrix(state), needed_wrenches(state, 0 * qd, state.bias_forces)
    h = joint_forces(state, wrenches)[..., None]
    M_uu, M_uv, M_vv = (
        M[..., u, :][..., u],
        M[..., u, :][..., ~u],
        M[..., ~u, :][..., ~u],
    )
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
