# Generated from chapters/18_derivatives.md by `python -m book export`; edit it there.
# sha256 of the text below: bccaa735be26d3665a7962ca47d7e151bc4726075ceee11c863c990053c6693e
"""Derivatives: how forces and accelerations change with posture, rates and forces.

Derived in chapter 18, "Derivatives".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import (
    SMALL,
    Array,
    concatenate,
    divide,
    eye,
    holds_objects,
    solve,
    stack,
    unstack,
    zeros,
)
from chaindyn.articulated import aba, factorise_state
from chaindyn.chain import Chain, integrate, inward, outward
from chaindyn.closure import constraint_bias
from chaindyn.constraints import constrained_forward_dynamics, held_response
from chaindyn.guards.arguments import FRAMES, require_between, unit
from chaindyn.guards.blows import quietly, require_blow
from chaindyn.guards.bodies import pose_of_body
from chaindyn.guards.constraint_parts import as_constraints, parts_in, rows_in
from chaindyn.guards.door import checked
from chaindyn.guards.loops import gap_share
from chaindyn.guards.model import require_no_friction
from chaindyn.guards.states import one_real_state
from chaindyn.impulse import impact
from chaindyn.inverse_dynamics import (
    ground_acceleration,
    transmitted_wrenches,
    with_rotors,
    wrenches_from,
)
from chaindyn.kinematics import body_jacobian
from chaindyn.models.arrays import each_link
from chaindyn.spatial import X_motion, crm, skew
from chaindyn.stacked import crf_bar
from chaindyn.state import State, evaluate

__all__ = [
    "ImpactDerivatives",
    "aba_derivatives",
    "body_jacobian_derivative",
    "constrained_forward_dynamics_derivatives",
    "impact_derivatives",
    "linearise",
    "rnea_derivatives",
    "saltation_matrix",
]


# Chapter 18, "Derivatives": One rule
def subspace_slopes(joint: Any, q: Array) -> list[Array]:
    """Return how S changes along each coordinate of joints, k times (..., 6, k)."""
    return [joint.motion_subspace_rate(q, 0 * q[..., :1] + unit) for unit in eye(joint.nv)]


def joint_changes(joint: Any, q: Array, qd: Array, qdd: Array) -> tuple[Array, ...]:
    """Return how a group of joints changes with its coordinates.

    Of S qd, of S qdd, of dS/dt qd along q and along qd, (..., m, 6, k) each, a column
    for each coordinate; and dS (..., m, k, 6, k).
    """
    S, units = joint.motion_subspace(q), eye(joint.nv)
    none = 0 * S + 0 * qd[..., None, :]
    if not joint.turns:
        still = concatenate([none[..., None, :, :]] * max(qd.shape[-1], 1), axis=-3)
        return none, none, none, none, still[..., : qd.shape[-1], :, :]
    turned = subspace_slopes(joint, q)
    along_q = [joint.motion_subspace_second_rate(q, qd, 0 * qd + u) for u in units]

    def times(matrices: list[Array], rates: Array) -> Array:
        return concatenate([matrix @ rates[..., None] for matrix in matrices], axis=-1)

    along_qd = times(turned, qd) + joint.motion_subspace_rate(q, qd)
    changes = times(turned, qd), times(turned, qdd), times(along_q, qd), along_qd
    return *changes, stack(turned, axis=-3)


# Chapter 18, "Derivatives": One rule
def changes_by_link(state: State, qdd: Array) -> list[list[Array]]:
    """Return the five of `joint_changes` by links: (..., 6, k), dS (..., k, 6, k)."""
    chain = state.chain
    changes = [
        joint_changes(joint, state.q[..., i], state.qd[..., j], qdd[..., j])
        for joint, i, j in chain.groups
    ]
    *columns, turned = zip(*changes, strict=True)
    by_link = [each_link(chain, parts) for parts in columns]
    return [*by_link, each_link(chain, turned, -4)]


def placed(block: Array, own: range, nv: int) -> Array:
    """Return a block (..., r, k) in its own columns of (..., r, nv), among zeros."""
    rows = block.shape[:-1]
    before, after = zeros((*rows, own.start)), zeros((*rows, nv - own.stop))
    return concatenate([before, block, after], axis=-1)


# Chapter 18, "Derivatives": One rule
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
    """Link step outward: twist and acceleration by q and qd, (..., 6, nv) each."""
    dV_q, dV_v, dA_q, dA_v = parent
    S_qd, S_qdd, rate_q, rate_v = changes
    nv, spin, ad = dV_q.shape[-1], crm(V[..., 0]), crm(joint_twist[..., 0])
    seen_V, seen_A = crm((X @ V_in)[..., 0]), crm((X @ A_in)[..., 0])
    dV_q = X @ dV_q + placed(seen_V @ S + S_qd, own, nv)
    dV_v = X @ dV_v + placed(S + 0 * S_qd, own, nv)
    joint_part = seen_A @ S + spin @ S_qd + rate_q + S_qdd
    dA_q = X @ dA_q - ad @ dV_q + placed(joint_part, own, nv)
    dA_v = X @ dA_v - ad @ dV_v + placed(spin @ S + rate_v, own, nv)
    return dV_q, dV_v, dA_q, dA_v


def force_change_step(
    children: Any, X: Array, S: Array, f: Array, given: Array, own: range, turned: Array
) -> tuple[Array, tuple[Array]]:
    """Link step inward: joint forces by q, qd, qdd (..., k, 3 nv), and what goes on.

    f : (..., 6, 1), the wrench in the joint; given : (..., 6, 3 nv), derivatives of the
    link's own needed wrench.
    """
    changed = given + children[0]
    width = changed.shape[-1]
    turning = (turned.mT @ f[..., None, :, :])[..., 0].mT
    kept = S.mT @ changed + placed(turning, own, width)
    return kept, (X.mT @ (changed + placed(crf_bar(f[..., 0]) @ S, own, width)),)


# Chapter 18, "Derivatives": One rule
def external_change(state: State, loads: Array, frame: str, J: Array) -> Array:
    """Return how wrenches (..., n, 6, 1), fixed in a frame, change in link axes with q.

    J : (..., n, 6, nv), the links' twists by rates. Returns (..., n, 6, nv), zero where
    the wrench is fixed in "body".
    """
    if frame == "body":
        return 0 * J
    turning = crf_bar(loads[..., 0])
    if frame == "mixed":  # the point of application moves along, the axes do not
        turning = concatenate([turning[..., :3], 0 * turning[..., 3:]], axis=-1)
    return -turning @ J


# Chapter 18, "Derivatives": One rule
def link_changes(state: State, qdd: Array, A: Array, ground: Array) -> tuple[list[Array], ...]:
    """Return twists and accelerations by q and qd, four (..., n, 6, nv), and dS.

    A : (..., n, 6, 1), the accelerations; ground : (6, 1).
    """
    parent, nv = state.chain.parent, state.chain.nv
    *changes, turned = changes_by_link(state, qdd)
    V, A = unstack(state.twists, -3), unstack(A, -3)
    V_in, A_in = (
        [start if p < 0 else x[p] for p in parent] for start, x in ((zeros((6, 1)), V), (ground, A))
    )
    of_links = V, unstack(state.joint_twists, -3), state.chain.v_columns
    start = (zeros((6, nv)),) * 4
    carried = outward(
        motion_change_step, parent, start, state.X, state.S, V_in, A_in, *of_links, *changes
    )
    return *(stack(parts, axis=-3) for parts in zip(*carried, strict=True)), turned


# Chapter 18, "Derivatives": One rule
def force_changes(
    state: State, qdd: Array, ground: Array, loads: Array | None = None, frame: str = "body"
) -> tuple[Array, Array, Array]:
    """Return derivatives of joint forces by q, qd and qdd (..., nv, nv) each.

    ground : (6, 1), its acceleration; loads : (..., n, 6, 1) on the links, in link
    coordinates, held fixed in `frame`.
    """
    nv, inertias = state.chain.nv, state.inertias
    A = state.accelerations(qdd, ground)
    dV_q, dV_v, dA_q, dA_v, turned = link_changes(state, qdd, A, ground)
    B = crf_bar((inertias @ state.twists)[..., 0]) - state.crm_twists.mT @ inertias
    net, given_q = inertias @ A + state.bias_forces, inertias @ dA_q + B @ dV_q
    if loads is not None:
        net, given_q = net - loads, given_q - external_change(state, loads, frame, dV_v)
    given = concatenate([given_q, inertias @ dA_v + B @ dV_v, inertias @ dV_v], axis=-1)
    f = unstack(transmitted_wrenches(state, net), -3)
    of_links = state.X, state.S, f, unstack(given, -3), state.chain.v_columns, turned
    nothing = (zeros((6, 3 * nv)),)
    kept, _ = inward(force_change_step, state.chain.parent, nothing, *of_links)
    rows = concatenate(kept, axis=-2)
    return rows[..., :nv], rows[..., nv : 2 * nv], rows[..., 2 * nv :]


# Chapter 18, "Derivatives": One rule
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
    """Return the derivatives of `rnea` by q, qd and qdd: (..., nv, nv) each.

    The first is along `integrate`; the last is the mass matrix. q : (..., nq); qd, qdd
    : (..., nv); external : (..., n, 6), held fixed in `external_frame`. Kim (2012),
    section 4, derived anew.
    """
    state, ground = evaluate(chain, q, qd, qdd, external), ground_acceleration(chain)
    loads = None if external is None else wrenches_from(state, external, external_frame)
    along_q, along_qd, M = force_changes(state, qdd, ground, loads, external_frame)
    return along_q, along_qd, with_rotors(chain, M, eye(chain.nv))


# Chapter 18, "Derivatives": Forward dynamics
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
    """Return the derivatives of `aba` by q, qd and tau: (..., nv, nv) each.

    The first is along `integrate`, the last is M^-1. By the implicit function theorem:
    tau - rnea(q, qd, qdd) stays zero.
    """
    qdd = aba(chain, q, qd, tau, external=external, external_frame=external_frame)
    along_q, along_qd, _ = rnea_derivatives(
        chain, q, qd, qdd, external=external, external_frame=external_frame
    )
    inverse = factorise_state(evaluate(chain, q)).solve(eye(chain.nv) + 0 * along_q)
    return -inverse @ along_q, -inverse @ along_qd, inverse


# Chapter 18, "Derivatives": A linear model
def joint_deviation(joint: Any, q: Array, qd: Array) -> Array:
    """Return by which (..., m, k, k) deviations of joints change at constant qd."""
    S, k = joint.motion_subspace(q), qd[..., 0, :].shape[-1]
    if not k:
        return S.mT @ S
    moving = crm((S @ qd[..., None])[..., 0]) @ S
    turned = [slope @ qd[..., None] for slope in subspace_slopes(joint, q)]
    change = concatenate(turned, axis=-1) - joint.motion_subspace_rate(q, qd) - moving
    return solve(S.mT @ S, S.mT @ change)


def deviation_rate(chain: Chain, q: Array, qd: Array) -> Array:
    """Return C (..., nv, nv) with d(delta)/dt = C delta + nu.

    delta, nu : of motions integrate(q, delta), qd + nu. C is zero for joints whose
    coordinates add; minus the cross product with qd for balls and free bodies.
    """
    parts = [joint_deviation(joint, q[..., i], qd[..., j]) for joint, i, j in chain.groups]
    pairs = zip(each_link(chain, parts, -3), chain.v_columns, strict=True)
    return concatenate([placed(block, own, chain.nv) for block, own in pairs], axis=-2)


@checked(q="nq", qd="nv", tau="nv")
def linearise(chain: Chain, q: Array, qd: Array, tau: Array) -> tuple[Array, Array]:
    """Return A (..., 2 nv, 2 nv) and B (..., 2 nv, nv) with dz/dt = A z + B dtau.

    z = [delta, nu] : the deviation from the motion at q, qd under tau, of the posture
    along `integrate`, and of the rates;
    q : (..., nq); qd, tau : (..., nv). For balls and free bodies delta is in the axes
    of the undisturbed motion. ValueError if the chain's drives have friction, which
    `aba` leaves out, but a motion includes.
    """
    require_no_friction(chain, "linearise")
    along_q, along_qd, along_tau = aba_derivatives(chain, q, qd, tau)
    C, same = deviation_rate(chain, q, qd) + 0 * along_q, 0 * along_q + eye(chain.nv)
    upper = concatenate([C, same], axis=-1)
    A = concatenate([upper, concatenate([along_q, along_qd], axis=-1)], axis=-2)
    return A, concatenate([0 * along_tau, along_tau], axis=-2)


# Chapter 18, "Derivatives": Jacobians
def own_changes(state: State, path: tuple[int, ...], axes: Array, origin: Array) -> list[Array]:
    """Return each column of a Jacobian by its own joint, (..., 6, nv)."""
    chain, nv = state.chain, state.chain.nv
    R, p = state.poses
    changes = [zeros((6, nv))] * nv
    for i in path:
        joint, own = chain.joints[i], chain.v_columns[i]
        if not joint.turns:
            continue
        q = state.q[..., chain.q_columns[i].start : chain.q_columns[i].stop]
        X = X_motion(axes.mT, origin - p[..., i, :])
        X = X @ X_motion(R[..., i, :, :], 0 * p[..., i, :])
        turned = [X @ slope for slope in subspace_slopes(joint, q)]
        for k, column in enumerate(own):
            alone = [dS[..., k : k + 1] for dS in turned]
            changes[column] = placed(concatenate(alone, axis=-1), own, nv)
    return changes


# Chapter 18, "Derivatives": Jacobians
@checked(q="nq", frame=FRAMES)
def body_jacobian_derivative(
    chain: Chain, q: Array, body: int | str | None = None, *, frame: str = "body"
) -> Array:
    """Return the derivatives of a link's Jacobian, (..., 6, nv, nv).

    [..., :, j, k] is column j along coordinate k. q : (..., nq); body, frame : as for
    `body_jacobian`. ValueError if there is no such body.
    """
    state, (link, _, _) = State(chain, q), chain.place(body)
    path = chain.path(link) if link >= 0 else ()
    R, p = pose_of_body(chain, *state.poses, body)
    axes = R if frame == "body" else eye(3) + 0 * R
    own = own_changes(state, path, axes, 0 * p if frame == "world" else p)
    J = body_jacobian(chain, q, body, frame=frame)
    turning = {
        "body": 0 * J,
        "world": J,
        "mixed": concatenate([J[..., :3, :], 0 * J[..., 3:, :]], axis=-2),
    }[frame]
    depth = np.array([path.index(i) if i in path else -1 for i in chain.link_of_column])
    beyond = (depth > depth[:, None]).astype(SMALL)
    across = [crm(screw) for screw in unstack(J.mT, -2)]
    columns = [
        change + cross @ (mask * J - turning)
        for change, cross, mask in zip(own, across, beyond, strict=True)
    ]
    return stack(columns, axis=-2) if columns else J[..., :, None] * J[..., None, :]


# Chapter 18, "Derivatives": A blow
def contact_row(state: State, body: Any, point: Array | None, normal: Array) -> tuple[Array, Array]:
    """Return r (..., 1, nv), and how r^T changes with q (..., nv, nv).

    r qd is the normal speed of a link's point.
    """
    R, p = pose_of_body(state.chain, *state.poses, body)
    arm = R.mT @ (0 * p if point is None else point - p)[..., None]  # in body axes
    n = R.mT @ normal[..., None]
    J = body_jacobian(state.chain, state.q, body)
    dJ = body_jacobian_derivative(state.chain, state.q, body)
    turned = skew(n[..., 0]) @ J[..., :3, :]
    load = concatenate([skew(arm[..., 0]) @ n, n], axis=-2)
    turned_load = concatenate([skew(arm[..., 0]) @ turned, turned], axis=-2)
    along = (load[..., None] * dJ).sum(-3)
    return load.mT @ J, along + J.mT @ turned_load


@dataclass(frozen=True, eq=False)
class ImpactDerivatives:
    """Derivatives of a blow by the state before it, on a flat obstacle.

    The struck point is fixed on its link. impulse_dq, impulse_dqd : (..., nv);
    qd_jump_dq, qd_jump_dqd : (..., nv, nv), the first of each along `integrate`.
    """

    impulse_dq: Array
    impulse_dqd: Array
    qd_jump_dq: Array
    qd_jump_dqd: Array


# Chapter 18, "Derivatives": A blow
def blow_changes(
    chain: Chain,
    q: Array,
    qd: Array,
    point: Array | None,
    normal: Array,
    restitution: Array,
    body: Any,
) -> tuple[Array, Array, ImpactDerivatives]:
    """Return the row (..., 1, nv), the jump (..., nv) and the `ImpactDerivatives`."""
    require_between(restitution, "restitution", 0, 1)
    state = evaluate(chain, q, qd, point, normal, restitution)
    struck = quietly(
        impact, chain, q, qd, point=point, normal=normal, restitution=restitution, body=body
    )
    row, turned = contact_row(state, body, point, unit(normal, "normal"))
    require_blow(struck.effective_mass, row, qd)
    jump = struck.qd_jump[..., None]
    impulse = stack([struck.impulse], axis=-1)[..., None]
    factors, change = factorise_state(state), 1 + restitution[..., None, None]
    response = factors.solve(row.mT)
    yielding = row @ response
    weightless = State(chain, q, 0 * qd, "body", state.exact)
    given, _, _ = force_changes(weightless, jump[..., 0], zeros((6, 1)))
    free = factors.solve(turned * impulse - given)
    by_q = divide(-(jump + change * qd[..., None]).mT @ turned - row @ free, yielding)
    by_qd = divide(-change * row, yielding) + 0 * by_q
    of_jump = free + response @ by_q, response @ by_qd
    changes = ImpactDerivatives(by_q[..., 0, :], by_qd[..., 0, :], *of_jump)
    return row, struck.qd_jump, changes


# Chapter 18, "Derivatives": A blow
@checked(q="nq", qd="nv", point=3, normal=3, restitution=())
def impact_derivatives(
    chain: Chain,
    q: Array,
    qd: Array,
    *,
    point: Array | None = None,
    normal: Array,
    restitution: Array,
    body: int | str | None = None,
) -> ImpactDerivatives:
    """Return the derivatives of impulse and jump of `impact` by q and by qd.

    Those by q are along `integrate`. Arguments as for `impact`, without loops. The
    point moves with its link; the normal stays, as a flat wall's does. ValueError if
    the point does not approach the obstacle faster than rounding, where there is no
    derivative (a grazing blow), or if the chain cannot move along the normal.
    """
    return blow_changes(chain, q, qd, point, normal, restitution, body)[2]


# Chapter 18, "Derivatives": Two motions, two times
@checked(q="nq", qd="nv", tau="nv", point=3, normal=3, restitution=())
def saltation_matrix(
    chain: Chain,
    q: Array,
    qd: Array,
    tau: Array,
    *,
    point: Array | None = None,
    normal: Array,
    restitution: Array,
    body: int | str | None = None,
) -> Array:
    """Return how (..., 2 nv, 2 nv) a blow changes a small deviation [delta, nu].

    Both, before and after, are measured at the same time, shortly before and shortly
    after, from the motion that strikes at q with qd under tau, as for `linearise`;
    another motion strikes a little earlier or later. The other arguments are those of
    `impact_derivatives`.
    """
    row, jump, changes = blow_changes(chain, q, qd, point, normal, restitution, body)
    same = eye(chain.nv) + 0 * changes.qd_jump_dq
    upper = concatenate([same, 0 * same], axis=-1)
    lower = concatenate([changes.qd_jump_dq, same + changes.qd_jump_dqd], axis=-1)
    struck = concatenate([upper, lower], axis=-2)
    before, later = (
        concatenate([v, aba(chain, q, v, tau)], axis=-1)[..., None] for v in (qd, qd + jump)
    )
    kick = divide(later - struck @ before, row @ qd[..., None])
    return struck + kick @ concatenate([row, 0 * row], axis=-1)


# Chapter 18, "Derivatives": With loops
def by_complex_step(function: Any, x: Array) -> Array:
    """Return the derivative (m, nv) of a function of a tangent like x, at zero."""
    step, columns = 1e-100, []
    for along in np.eye(x.shape[-1]):
        value = function(1j * step * along)
        value = value.astype(complex) if holds_objects(value) else value
        columns.append(value.imag / step)
    return stack(columns, axis=-1)


def loop_changes(
    chain: Chain, constraints: Any, q: Array, qd: Array, qdd: Array, multipliers: Array
) -> tuple[Array, Array, Array]:
    """Return K^T lambda by q, and K qdd + dK/dt qd by q and by qd."""

    def held(step: Array) -> Array:
        moved = State(chain, integrate(chain, q, step))
        return (rows_in(moved, constraints).mT @ multipliers[:, None])[..., 0]

    def closing(q: Array, qd: Array) -> Array:
        own = (rows_in(State(chain, q), constraints) @ qdd[:, None])[..., 0]
        return own + constraint_bias(chain, constraints, q, qd)

    def moved(step: Array) -> Array:
        return closing(integrate(chain, q, step), qd + 0 * step)

    def faster(step: Array) -> Array:
        return closing(q + 0j, qd + step)

    return by_complex_step(held, qd), by_complex_step(moved, qd), by_complex_step(faster, qd)


# Chapter 18, "Derivatives": With loops
@checked(q="nq", qd="nv", tau="nv")
def constrained_forward_dynamics_derivatives(
    chain: Chain, constraints: Any, q: Array, qd: Array, tau: Array
) -> tuple[tuple[Array, Array, Array], tuple[Array, Array, Array]]:
    """Return derivatives by q, qd and tau of qdd (nv, nv) and multipliers (m, nv).

    q : (nq,); qd, tau : (nv,), one state in floats that keeps the loops; along
    `integrate`, every coordinate alone, as if the loops could open. constraints : as
    for `constraint_jacobian`, whose rows must be analytic.
    """
    q, qd, tau = one_real_state(q=q, qd=qd, tau=tau)
    constraints = as_constraints(constraints)
    qdd, multipliers = constrained_forward_dynamics(chain, constraints, q, qd, tau)
    state = evaluate(chain, q, qd)
    K, error = parts_in(state, constraints, "jacobian", "error")
    factors, loose = factorise_state(state), gap_share(K, error)
    held, moved, faster = loop_changes(chain, constraints, q, qd, qdd, multipliers)
    along_q, along_qd, _ = rnea_derivatives(chain, q, qd, qdd)
    pushed, opened = (held - along_q, -along_qd, eye(chain.nv)), (moved, faster, 0 * K)
    answers = []
    for push, opening in zip(pushed, opened, strict=True):
        free = factors.solve(push)
        change, more = held_response(factors, K, -opening - K @ free, loose)
        answers.append((free + more, change))
    accelerations, forces = zip(*answers, strict=True)
    return accelerations, forces
