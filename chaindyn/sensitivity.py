# Generated from chapters/24_derivatives_of_loops_and_blows.md by `python -m book export`; edit it there.
# sha256 of the text below: 8345074792bf271f88a6b1cd3ab2eae17480bf554f8ca96f576445971d129ef9
"""How Jacobians, blows and the motion of loops change with the state.

Derived in chapter 24, "Derivatives of loops and blows".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import SMALL, Array, concatenate, divide, eye, stack, unstack, zeros
from chaindyn.array_types import (
    Array2Nvx2Nv,
    Array3,
    Array6xNvxNv,
    ArrayMxNv,
    ArrayNq,
    ArrayNv,
    ArrayNvxNv,
    Scalar,
)
from chaindyn.articulated import aba, factorise_state
from chaindyn.chain import Chain
from chaindyn.closure import constraint_bias
from chaindyn.constraints import constrained_forward_dynamics, held_response
from chaindyn.derivatives import force_changes, placed, rnea_derivatives, subspace_slopes
from chaindyn.guards.arguments import FRAMES, FrameWord, require_between, unit
from chaindyn.guards.blows import quietly, require_blow
from chaindyn.guards.bodies import pose_of_body
from chaindyn.guards.constraint_parts import as_constraints, parts_in, rows_in
from chaindyn.guards.door import checked
from chaindyn.guards.loops import gap_share
from chaindyn.guards.numbers import by_complex_step
from chaindyn.guards.states import one_real_state
from chaindyn.impulse import impact
from chaindyn.kinematics import body_jacobian
from chaindyn.postures import integrate
from chaindyn.spatial import X_motion, crm, skew
from chaindyn.state import State, evaluate

__all__ = [
    "ImpactDerivatives",
    "body_jacobian_derivative",
    "constrained_forward_dynamics_derivatives",
    "impact_derivatives",
    "saltation_matrix",
]


# Chapter 24, "Derivatives of loops and blows": Jacobians
def own_changes(state: State, path: tuple[int, ...], axes: Array, origin: Array) -> list[Array]:
    """Return each column of a Jacobian by its own joint, (..., 6, nv)."""
    chain, nv = state.chain, state.chain.nv
    R, p = state.poses
    changes = [zeros((6, nv))] * nv
    for i in (i for i in path if chain.joints[i].turns):
        joint, own = chain.joints[i], chain.v_columns[i]
        q = state.q[..., chain.q_columns[i].start : chain.q_columns[i].stop]
        X = X_motion(axes.mT, origin - p[..., i, :])
        X = X @ X_motion(R[..., i, :, :], 0 * p[..., i, :])
        turned = [X @ slope for slope in subspace_slopes(joint, q)]
        for k, column in enumerate(own):
            alone = concatenate([dS[..., k : k + 1] for dS in turned], axis=-1)
            changes[column] = placed(alone, own, nv)
    return changes


# Chapter 24, "Derivatives of loops and blows": Jacobians
@checked(q="nq", frame=FRAMES)
def body_jacobian_derivative(
    chain: Chain, q: ArrayNq, body: int | str | None = None, *, frame: FrameWord = "body"
) -> Array6xNvxNv:
    """Return the derivatives of a link's Jacobian, (..., 6, nv, nv).

    [..., :, j, k] is column j along coordinate k. q : (..., nq); body, frame : as for
    `body_jacobian`. ValueError if there is no such body.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> upper = Link(Revolute((0, 0, 1)), 1, (0.5, 0, 0), I)
    >>> lower = Link(Revolute((0, 0, 1)), 1, (0.5, 0, 0), I, offset=(1, 0, 0))
    >>> by_q = body_jacobian_derivative(Chain([upper, lower]), np.zeros(2))
    >>> by_q[:, 0, 1] + 0.0
    array([0., 0., 0., 1., 0., 0.])
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


# Chapter 24, "Derivatives of loops and blows": A blow
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

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> wall = {"point": np.array([1.0, 0, 0]), "normal": (0, 0, 1), "restitution": 0.5}
    >>> found = impact_derivatives(rod, np.zeros(1), np.ones(1), **wall)
    >>> found.impulse_dqd.round(9), found.qd_jump_dqd.round(9)
    (array([0.5]), array([[-1.5]]))
    """

    impulse_dq: ArrayNv
    impulse_dqd: ArrayNv
    qd_jump_dq: ArrayNvxNv
    qd_jump_dqd: ArrayNvxNv


# Chapter 24, "Derivatives of loops and blows": A blow
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


# Chapter 24, "Derivatives of loops and blows": A blow
@checked(q="nq", qd="nv", point=3, normal=3, restitution=())
def impact_derivatives(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    *,
    point: Array3 | None = None,
    normal: Array3,
    restitution: Scalar,
    body: int | str | None = None,
) -> ImpactDerivatives:
    """Return the derivatives of impulse and jump of `impact` by q and by qd.

    Those by q are along `integrate`. Arguments as for `impact`, without loops. The
    point moves with its link; the normal stays, as a flat wall's does. ValueError if
    the point does not approach the obstacle faster than rounding, where there is no
    derivative (a grazing blow), or if the chain cannot move along the normal.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> tip, upwards = np.array([1.0, 0, 0]), np.array([0, 0, 1])
    >>> blow = {"point": tip, "normal": upwards, "restitution": 0.5}
    >>> impact_derivatives(rod, np.zeros(1), np.ones(1), **blow).qd_jump_dqd.round(9)
    array([[-1.5]])
    """
    return blow_changes(chain, q, qd, point, normal, restitution, body)[2]


# Chapter 24, "Derivatives of loops and blows": Two motions, two times
@checked(q="nq", qd="nv", tau="nv", point=3, normal=3, restitution=())
def saltation_matrix(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    tau: ArrayNv,
    *,
    point: Array3 | None = None,
    normal: Array3,
    restitution: Scalar,
    body: int | str | None = None,
) -> Array2Nvx2Nv:
    """Return how (..., 2 nv, 2 nv) a blow changes a small deviation [delta, nu].

    Both, before and after, are measured at the same time, shortly before and shortly
    after, from the motion that strikes at q with qd under tau, as for `linearise`;
    another motion strikes a little earlier or later. The other arguments are those of
    `impact_derivatives`.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)], gravity=(0, 0, 0))
    >>> wall = {"point": np.array([1.0, 0, 0]), "normal": (0, 0, 1), "restitution": 0.5}
    >>> q, qd, tau = np.zeros(1), np.ones(1), np.zeros(1)
    >>> saltation_matrix(rod, q, qd, tau, **wall).round(9) + 0.0
    array([[-0.5,  0. ],
           [ 0. , -0.5]])
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


# Chapter 24, "Derivatives of loops and blows": With loops
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

    by_q = by_complex_step(lambda d: closing(integrate(chain, q, d), qd + 0 * d), qd)
    by_qd = by_complex_step(lambda d: closing(q + 0j, qd + d), qd)
    return by_complex_step(held, qd), by_q, by_qd


# Chapter 24, "Derivatives of loops and blows": With loops
@checked(q="nq", qd="nv", tau="nv")
def constrained_forward_dynamics_derivatives(
    chain: Chain, constraints: Any, q: ArrayNq, qd: ArrayNv, tau: ArrayNv
) -> tuple[tuple[ArrayNvxNv, ArrayNvxNv, ArrayNvxNv], tuple[ArrayMxNv, ArrayMxNv, ArrayMxNv]]:
    """Return derivatives by q, qd and tau of qdd (nv, nv) and multipliers (m, nv).

    q : (nq,); qd, tau : (nv,), one state in floats that keeps the loops; along
    `integrate`, every coordinate alone, as if the loops could open. constraints : as
    for `constraint_jacobian`, whose rows must be analytic.

    >>> pair = Chain([Link(Revolute(), 1, (0, 0, 0), np.eye(3), parent="ground")] * 2)
    >>> gear, state = Coupling({0: 1, 1: -1}), (np.zeros(2), np.zeros(2), np.zeros(2))
    >>> found = constrained_forward_dynamics_derivatives(pair, gear, *state)
    >>> by_q, by_qd, by_tau = found[0]
    >>> by_tau.round(9) + 0.0
    array([[0.5, 0.5],
           [0.5, 0.5]])
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
