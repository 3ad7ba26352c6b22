# Generated from chapters/18_derivatives.md by `python -m book export`; edit it there.
# sha256 of the text below: 90641ef46f3c10553373288ee778496cf974adc91dac6f145ef1c4e7ee6715ff
"""Derivatives: how forces and accelerations change with posture, rates and forces.

Derived in chapter 18, "Derivatives".
"""

from typing import Any

import numpy as np

from chaindyn._check import FRAMES, checked, require_one_state
from chaindyn._ops import Array, concatenate, eye, stack, unstack, zeros
from chaindyn.articulated import aba, factorise_state
from chaindyn.chain import Chain, integrate, inward, outward
from chaindyn.closure import as_constraints, constraint_bias, errors_in, rows_in
from chaindyn.constraints import constrained_forward_dynamics, gap_share, held_response
from chaindyn.inverse_dynamics import ground_acceleration, transmitted_wrenches, wrenches_from
from chaindyn.joints import Joint
from chaindyn.spatial import crm, skew
from chaindyn.state import State, as_columns, evaluate, split_by_joint

__all__: list[str] = []


# Chapter 18, "Derivatives": One rule
def crf_of(f: Array) -> Array:
    """Return the matrix B (..., 6, 6) with V x* f = B V, of wrenches f (..., 6)."""
    turning, pushing = skew(f[..., :3]), skew(f[..., 3:])
    rows = [turning, pushing], [pushing, 0 * pushing]
    return -concatenate([concatenate(row, axis=-1) for row in rows], axis=-2)


def subspace_turns(joint: Any) -> bool:
    """Whether a joint's motion subspace depends on its coordinates."""
    return type(joint).motion_subspace_rate is not Joint.motion_subspace_rate


def rate_along(joint: Any, q: Array, qd: Array, direction: Array) -> Array:
    """Return how dS/dt (..., 6, k), at rates qd (..., k), changes along a direction (k,), by a complex step."""
    step = 1e-100
    return joint.motion_subspace_rate(joint.integrate(q, 1j * step * direction), qd).imag / step


def joint_changes(joint: Any, q: Array, qd: Array, qdd: Array) -> tuple[Array, ...]:
    """Return what a group of joints' coordinates change: dS qd, dS qdd, d(dS/dt qd) along q and along qd; and dS.

    The first four are (..., m, 6, k), a column for each coordinate, dS is (..., m, k, 6, k).
    """
    S = joint.motion_subspace(q)
    none = 0 * S + 0 * qd[..., None, :]
    if not subspace_turns(joint):
        still = concatenate([none[..., None, :, :]] * max(qd.shape[-1], 1), axis=-3)
        return none, none, none, none, still[..., : qd.shape[-1], :, :]
    units = eye(qd.shape[-1])
    turned = [joint.motion_subspace_rate(q, 0 * qd + unit) for unit in units]

    def times(matrices: list[Array], rates: Array) -> Array:
        return concatenate([matrix @ rates[..., None] for matrix in matrices], axis=-1)

    along_q = [rate_along(joint, q, qd, unit) for unit in units]
    along_qd = times(turned, qd) + joint.motion_subspace_rate(q, qd)
    return (
        times(turned, qd),
        times(turned, qdd),
        times(along_q, qd),
        along_qd,
        stack(turned, axis=-3),
    )


def changes_by_link(state: State, qdd: Array) -> list[list[Array]]:
    """Return the five of `joint_changes` link by link: four lists of (..., 6, k), and one of (..., k, 6, k)."""
    chain = state.chain
    changes = [
        joint_changes(joint, state.q[..., i], state.qd[..., j], qdd[..., j])
        for joint, i, j in chain.groups
    ]
    *columns, turned = zip(*changes, strict=True)
    by_link = [
        [rows.mT for rows in split_by_joint(chain, as_columns(chain, parts))] for parts in columns
    ]
    laid = [part for parts in turned for part in unstack(parts, -4)]
    return [*by_link, [laid[k] for k in chain.group_order]]


def placed(block: Array, own: range, nv: int) -> Array:
    """Return a block (..., r, k) in its own columns of (..., r, nv), the others zero."""
    rows = block.shape[:-1]
    return concatenate([zeros((*rows, own.start)), block, zeros((*rows, nv - own.stop))], axis=-1)


def motion_change_step(
    parent: Any,
    X: Array,
    S: Array,
    V_in: Array,
    A_in: Array,
    V: Array,
    joint_twist: Array,
    own: range,
    *changes: Array,
) -> tuple[Array, ...]:
    """Link step outward: what q and qd change of twist and acceleration, (..., 6, nv) each."""
    dV_q, dV_v, dA_q, dA_v = parent
    S_qd, S_qdd, rate_q, rate_v = changes
    nv, spin, ad = dV_q.shape[-1], crm(V[..., 0]), crm(joint_twist[..., 0])
    seen_V, seen_A = crm((X @ V_in)[..., 0]), crm((X @ A_in)[..., 0])
    dV_q = X @ dV_q + placed(seen_V @ S + S_qd, own, nv)
    dV_v = X @ dV_v + placed(S + 0 * S_qd, own, nv)
    dA_q = X @ dA_q - ad @ dV_q + placed(seen_A @ S + spin @ S_qd + rate_q + S_qdd, own, nv)
    dA_v = X @ dA_v - ad @ dV_v + placed(spin @ S + rate_v, own, nv)
    return dV_q, dV_v, dA_q, dA_v


def force_change_step(
    children: Any, X: Array, S: Array, f: Array, given: Array, own: range, turned: Array
) -> tuple[Array, tuple[Array]]:
    """Link step inward: what q, qd and qdd change of the joint forces (..., k, 3 nv), and of what the parent feels.

    f : (..., 6, 1), what goes through the joint; given : (..., 6, 3 nv), the changes of what the link needs itself.
    """
    changed = given + children[0]
    width = changed.shape[-1]
    turning = (turned.mT @ f[..., None, :, :])[..., 0].mT
    kept = S.mT @ changed + placed(turning, own, width)
    return kept, (X.mT @ (changed + placed(crf_of(f[..., 0]) @ S, own, width)),)


def external_change(state: State, loads: Array, frame: str, J: Array) -> Array:
    """Return how external wrenches (..., n, 6, 1), fixed in a frame, change in link axes with q (..., n, 6, nv).

    J : (..., n, 6, nv), the links' twists by rates. A wrench fixed in "body" does not change.
    """
    if frame == "body":
        return 0 * J
    turning = crf_of(loads[..., 0])
    if frame == "mixed":  # the place moves along, the axes do not
        turning = concatenate([turning[..., :3], 0 * turning[..., 3:]], axis=-1)
    return -turning @ J


@checked(q="nq", qd="nv", qdd="nv", external=("n", 6), external_frame=FRAMES)
def rnea_derivatives(
    chain: Chain,
    q: Array,
    qd: Array,
    qdd: Array,
    *,
    external: Array | None = None,
    external_frame: str = "body",
) -> tuple[Array, Array, Array]:
    """Return how `rnea` changes with q, qd and qdd: (..., nv, nv) each, the first along `integrate`.

    q : (..., nq); qd, qdd : (..., nv); external : (..., n, 6), held fixed in `external_frame`. The last one is the
    mass matrix. Kim (2012), section 4, derived anew.
    """
    state, nv = evaluate(chain, q, qd, qdd, external), chain.nv
    ground = ground_acceleration(chain)
    *changes, turned = changes_by_link(state, qdd)
    A = state.accumulate(state.along_joints(state.subspaces, qdd) + state.eta, ground)
    motions = [
        [start if p < 0 else x[p] for p in chain.parent]
        for start, x in ((zeros((6, 1)), unstack(state.twists, -3)), (ground, unstack(A, -3)))
    ]
    of_links = unstack(state.twists, -3), unstack(state.joint_twists, -3), chain.v_columns
    start = (zeros((6, nv)),) * 4
    carried = outward(
        motion_change_step, chain.parent, start, state.X, state.S, *motions, *of_links, *changes
    )
    dV_q, dV_v, dA_q, dA_v = (stack(parts, axis=-3) for parts in zip(*carried, strict=True))
    h = state.inertias @ state.twists
    B = crf_of(h[..., 0]) - state.crm_twists.mT @ state.inertias
    net, given_q = state.inertias @ A + state.bias_forces, state.inertias @ dA_q + B @ dV_q
    if external is not None:
        loads = wrenches_from(state, external, external_frame)
        net, given_q = net - loads, given_q - external_change(state, loads, external_frame, dV_v)
    given = concatenate([given_q, state.inertias @ dA_v + B @ dV_v, state.inertias @ dV_v], axis=-1)
    f = unstack(transmitted_wrenches(state, net), -3)
    nothing = (zeros((6, 3 * nv)),)
    kept, _ = inward(
        force_change_step,
        chain.parent,
        nothing,
        state.X,
        state.S,
        f,
        unstack(given, -3),
        chain.v_columns,
        turned,
    )
    rows = concatenate(kept, axis=-2)
    return rows[..., :nv], rows[..., nv : 2 * nv], rows[..., 2 * nv :]


@checked(q="nq", qd="nv", tau="nv", external=("n", 6), external_frame=FRAMES)
def aba_derivatives(
    chain: Chain,
    q: Array,
    qd: Array,
    tau: Array,
    *,
    external: Array | None = None,
    external_frame: str = "body",
) -> tuple[Array, Array, Array]:
    """Return how `aba` changes with q, qd and tau: (..., nv, nv) each, the first along `integrate`.

    By the implicit function theorem: tau - rnea(q, qd, qdd) stays zero. The last one is M^-1.
    """
    qdd = aba(chain, q, qd, tau, external=external, external_frame=external_frame)
    along_q, along_qd, _ = rnea_derivatives(
        chain, q, qd, qdd, external=external, external_frame=external_frame
    )
    inverse = factorise_state(evaluate(chain, q)).solve(eye(chain.nv))
    return -inverse @ along_q, -inverse @ along_qd, inverse


# Chapter 18, "Derivatives": With loops
def by_complex_step(function: Any, x: Array) -> Array:
    """Return the derivative (m, nv) of an analytic function of a tangent (nv,), at zero; x says how long that is."""
    step = 1e-100
    return stack([function(1j * step * unit).imag / step for unit in np.eye(x.shape[-1])], axis=-1)


@checked(q="nq", qd="nv", tau="nv")
def constrained_forward_dynamics_derivatives(
    chain: Chain, constraints: Any, q: Array, qd: Array, tau: Array
) -> tuple[tuple[Array, Array, Array], tuple[Array, Array, Array]]:
    """Return how qdd (nv, nv) and the multipliers (m, nv) of a chain with loops change with q, qd and tau.

    q : (nq,); qd, tau : (nv,), one state in floats that keeps the loops; along `integrate`, every coordinate for
    itself, as if the loops could open. constraints : as for `constraint_jacobian`, whose rows must be analytic.
    """
    require_one_state(q=q, qd=qd, tau=tau)
    constraints = as_constraints(constraints)
    qdd, multipliers = constrained_forward_dynamics(chain, constraints, q, qd, tau)
    state = evaluate(chain, q, qd)
    K, factors = rows_in(state, constraints), factorise_state(state)
    loose = gap_share(K, errors_in(state, constraints))

    def held(step: Array) -> Array:
        return (
            rows_in(State(chain, integrate(chain, q, step)), constraints).mT @ multipliers[:, None]
        )[..., 0]

    def closing(q: Array, qd: Array) -> Array:
        rows = rows_in(State(chain, q), constraints)
        return (rows @ qdd[:, None])[..., 0] + constraint_bias(chain, constraints, q, qd)

    along_q, along_qd, _ = rnea_derivatives(chain, q, qd, qdd)
    pushed = by_complex_step(held, qd) - along_q, -along_qd, eye(chain.nv)
    opened = (
        by_complex_step(lambda step: closing(integrate(chain, q, step), qd + 0 * step), qd),
        by_complex_step(lambda step: closing(q + 0j, qd + step), qd),
        0 * K,
    )
    answers = []
    for push, opening in zip(pushed, opened, strict=True):
        free = factors.solve(push)
        change, more = held_response(factors, K, -opening - K @ free, loose)
        answers.append((free + more, change))
    accelerations, forces = zip(*answers, strict=True)
    return accelerations, forces


# Chapter 18, "Derivatives": What a robot weighs, from how it moves
def unit_inertias() -> Array:
    """Return the spatial inertias (10, 6, 6) of unit parameters: m, m c (3), then I_xx, I_xy, I_xz, I_yy, I_yz, I_zz."""
    axes, none = eye(3), zeros((3, 3))
    blocks = [(none, none, axes)]
    blocks += [(none, skew(axis), none) for axis in axes]
    for r, c in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        product = axes[r][:, None] * axes[c]
        blocks.append((product if r == c else product + product.mT, none, none))
    rows = [([about, moment], [moment.mT, mass]) for about, moment, mass in blocks]
    joined = [[concatenate(row, axis=-1) for row in pair] for pair in rows]
    return stack([concatenate(pair, axis=-2) for pair in joined], axis=0)


def inertial_parameters(chain: Chain) -> Array:
    """Return the ten parameters of each link (10 n,): m [kg], m c [kg m], and the inertia about its origin [kg m^2]."""
    inertias = chain.spatial_inertia
    upper = inertias[:, 0, :3], inertias[:, 1, 1:3], inertias[:, 2, 2:3]
    moment = concatenate([inertias[:, 2:3, 4], inertias[:, 0:1, 5], inertias[:, 1:2, 3]], axis=-1)
    return concatenate([inertias[:, 3:4, 3], moment, *upper], axis=-1).reshape(-1)


def gathered_step(children: Any, X: Array, S: Array, own: Array) -> tuple[Array, tuple[Array]]:
    """Link step: what a joint gives of columns of wrenches (..., 6, m), and what the parent feels of them."""
    through = own + children[0]
    return S.mT @ through, (X.mT @ through,)


@checked(q="nq", qd="nv", qdd="nv")
def torque_regressor(chain: Chain, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the matrix Y (..., nv, 10 n) with Y times the links' inertial parameters = `rnea`.

    q : (..., nq); qd, qdd : (..., nv). The order of the parameters is that of `inertial_parameters`.
    """
    state, width = evaluate(chain, q, qd, qdd), 10 * chain.n
    A = state.accumulate(
        state.along_joints(state.subspaces, qdd) + state.eta, ground_acceleration(chain)
    )
    units = unit_inertias()
    needed = (
        units @ A[..., None, :, :]
        - state.crm_twists.mT[..., None, :, :] @ (units @ state.twists[..., None, :, :])
    )[..., 0]
    columns = [
        placed(own.mT, range(10 * i, 10 * i + 10), width)
        for i, own in enumerate(unstack(needed, -3))
    ]
    kept, _ = inward(gathered_step, chain.parent, (zeros((6, width)),), state.X, state.S, columns)
    return concatenate(kept, axis=-2)
