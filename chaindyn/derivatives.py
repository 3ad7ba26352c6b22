# Generated from chapters/23_derivatives.md by `python -m book export`; edit it there.
# sha256 of the text below: 2e1073b5226dc6a1047d3e232c3137e9aa32674ac53486785181caf15311f85d
"""Derivatives: how forces and accelerations change with posture, rates and forces.

Derived in chapter 23, "Derivatives".
"""

from dataclasses import dataclass
from typing import Any

from chaindyn._ops import Array, concatenate, eye, solve, stack, unstack, zeros
from chaindyn.array_types import Array2Nvx2Nv, Array2NvxNv, ArrayNq, ArrayNv, ArrayNvxNv, ArrayNx6
from chaindyn.articulated import aba, factorise_state
from chaindyn.chain import Chain, inward, outward
from chaindyn.guards.arguments import FRAMES, FrameWord
from chaindyn.guards.door import checked
from chaindyn.inverse_dynamics import (
    ground_acceleration,
    transmitted_wrenches,
    with_rotors,
    wrenches_from,
)
from chaindyn.models.arrays import each_link
from chaindyn.models.rubbing import frictional
from chaindyn.spatial import crm
from chaindyn.stacked import crf_bar
from chaindyn.state import State, evaluate

__all__ = ["aba_derivatives", "linearise", "rnea_derivatives"]


# Chapter 23, "Derivatives": One rule
def subspace_slopes(joint: Any, q: Array) -> list[Array]:
    """Return how S changes along each coordinate of joints, k times (..., 6, k)."""
    return [joint.motion_subspace_rate(q, 0 * q[..., :1] + unit) for unit in eye(joint.nv)]


@dataclass(frozen=True, eq=False)
class JointSlopes:
    """How a joint's own terms change with its coordinates, a column for each.

    S_qd, S_qdd : S qd and S qdd by q (..., 6, k); bias_q, bias_qd : dS/dt qd by q and
    by qd (..., 6, k); S : the motion subspace itself by q (..., k, 6, k).
    """

    S_qd: Array
    S_qdd: Array
    bias_q: Array
    bias_qd: Array
    S: Array


def joint_slopes(joint: Any, q: Array, qd: Array, qdd: Array) -> tuple[Array, ...]:
    """Return the parts of `JointSlopes` for a group of joints, (..., m, ...) each."""
    none = 0 * joint.motion_subspace(q) + 0 * qd[..., None, :]
    if not joint.turns:  # S is constant in the link's axes
        return none, none, none, none, none[..., None, :, :] + zeros((joint.nv, 1, 1))
    units, slopes = eye(joint.nv), subspace_slopes(joint, q)
    rates = [joint.motion_subspace_second_rate(q, qd, 0 * qd + u) for u in units]
    S_qd, S_qdd, bias_q = (
        concatenate([matrix @ x[..., None] for matrix in matrices], axis=-1)
        for matrices, x in ((slopes, qd), (slopes, qdd), (rates, qd))
    )
    bias_qd = S_qd + joint.motion_subspace_rate(q, qd)
    return S_qd, S_qdd, bias_q, bias_qd, stack(slopes, axis=-3)


# Chapter 23, "Derivatives": One rule
def slopes_by_link(state: State, qdd: Array) -> list[JointSlopes]:
    """Return what the joint of each link contributes."""
    chain = state.chain
    slopes = [
        joint_slopes(joint, state.q[..., i], state.qd[..., j], qdd[..., j])
        for joint, i, j in chain.groups
    ]
    *columns, turned = zip(*slopes, strict=True)
    by_link = [each_link(chain, parts) for parts in columns]
    by_link.append(each_link(chain, turned, -4))
    return [JointSlopes(*parts) for parts in zip(*by_link, strict=True)]


def placed(block: Array, own: range, nv: int) -> Array:
    """Return a block (..., r, k) in its own columns of (..., r, nv), among zeros."""
    rows = block.shape[:-1]
    before, after = zeros((*rows, own.start)), zeros((*rows, nv - own.stop))
    return concatenate([before, block, after], axis=-1)


# Chapter 23, "Derivatives": One rule
def motion_change_step(
    parent: Any,
    X: Array,
    S: Array,
    V_in: Array,
    A_in: Array,
    V: Array,
    joint_twist: Array,
    own: range,
    slopes: JointSlopes,
) -> tuple[Array, ...]:
    """Link step outward: twist and acceleration by q and qd, (..., 6, nv) each."""
    dV_q, dV_v, dA_q, dA_v = parent
    nv, spin, ad = dV_q.shape[-1], crm(V[..., 0]), crm(joint_twist[..., 0])
    seen_V, seen_A = crm((X @ V_in)[..., 0]), crm((X @ A_in)[..., 0])
    dV_q = X @ dV_q + placed(seen_V @ S + slopes.S_qd, own, nv)
    dV_v = X @ dV_v + placed(S + 0 * slopes.S_qd, own, nv)
    joint_part = seen_A @ S + spin @ slopes.S_qd + slopes.bias_q + slopes.S_qdd
    dA_q = X @ dA_q - ad @ dV_q + placed(joint_part, own, nv)
    dA_v = X @ dA_v - ad @ dV_v + placed(spin @ S + slopes.bias_qd, own, nv)
    return dV_q, dV_v, dA_q, dA_v


def force_change_step(
    children: Any, X: Array, S: Array, f: Array, given: Array, own: range, slopes: JointSlopes
) -> tuple[Array, tuple[Array]]:
    """Link step inward: joint forces by q, qd, qdd (..., k, 3 nv), and what goes on.

    f : (..., 6, 1), the wrench in the joint; given : (..., 6, 3 nv), derivatives of the
    link's own needed wrench.
    """
    changed = given + children[0]
    width = changed.shape[-1]
    turning = (slopes.S.mT @ f[..., None, :, :])[..., 0].mT
    kept = S.mT @ changed + placed(turning, own, width)
    return kept, (X.mT @ (changed + placed(crf_bar(f[..., 0]) @ S, own, width)),)


# Chapter 23, "Derivatives": One rule
def external_change(state: State, loads: Array, frame: FrameWord, J: Array) -> Array:
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


# Chapter 23, "Derivatives": One rule
def link_changes(
    state: State, qdd: Array, A: Array, ground: Array
) -> tuple[list[Array], list[JointSlopes]]:
    """Return twists and accelerations by q and qd, four (..., n, 6, nv), and `slopes`.

    A : (..., n, 6, 1), the accelerations; ground : (6, 1).
    """
    parent, nv = state.chain.parent, state.chain.nv
    slopes = slopes_by_link(state, qdd)
    V, A = unstack(state.twists, -3), unstack(A, -3)
    V_in, A_in = (
        [start if p < 0 else x[p] for p in parent] for start, x in ((zeros((6, 1)), V), (ground, A))
    )
    of_links = V, unstack(state.joint_twists, -3), state.chain.v_columns
    start = (zeros((6, nv)),) * 4
    carried = outward(
        motion_change_step, parent, start, state.X, state.S, V_in, A_in, *of_links, slopes
    )
    return [stack(parts, axis=-3) for parts in zip(*carried, strict=True)], slopes


# Chapter 23, "Derivatives": One rule
def force_changes(
    state: State, qdd: Array, ground: Array, loads: Array | None = None, frame: FrameWord = "body"
) -> tuple[Array, Array, Array]:
    """Return derivatives of joint forces by q, qd and qdd (..., nv, nv) each.

    ground : (6, 1), its acceleration; loads : (..., n, 6, 1) on the links, in link
    coordinates, held fixed in `frame`.
    """
    nv, inertias = state.chain.nv, state.inertias
    A = state.accelerations(qdd, ground)
    (dV_q, dV_v, dA_q, dA_v), slopes = link_changes(state, qdd, A, ground)
    B = crf_bar((inertias @ state.twists)[..., 0]) - state.crm_twists.mT @ inertias
    net, given_q = inertias @ A + state.bias_forces, inertias @ dA_q + B @ dV_q
    if loads is not None:
        net, given_q = net - loads, given_q - external_change(state, loads, frame, dV_v)
    given = concatenate([given_q, inertias @ dA_v + B @ dV_v, inertias @ dV_v], axis=-1)
    f = unstack(transmitted_wrenches(state, net), -3)
    of_links = state.X, state.S, f, unstack(given, -3), state.chain.v_columns, slopes
    nothing = (zeros((6, 3 * nv)),)
    kept, _ = inward(force_change_step, state.chain.parent, nothing, *of_links)
    rows = concatenate(kept, axis=-2)
    return rows[..., :nv], rows[..., nv : 2 * nv], rows[..., 2 * nv :]


# Chapter 23, "Derivatives": One rule
@checked(q="nq", qd="nv", qdd="nv", external=("n", 6), external_frame=FRAMES)
def rnea_derivatives(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    qdd: ArrayNv,
    *,
    external: ArrayNx6 | None = None,
    external_frame: FrameWord = "body",
) -> tuple[ArrayNvxNv, ArrayNvxNv, ArrayNvxNv]:
    """Return the derivatives of `rnea` by q, qd and qdd: (..., nv, nv) each.

    The first is along `integrate`; the last is the mass matrix. q : (..., nq); qd, qdd
    : (..., nv); external : (..., n, 6), held fixed in `external_frame`.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> by_q, by_qd, by_qdd = rnea_derivatives(rod, still, still, still)
    >>> by_qdd.round(3)
    array([[0.333]])
    """
    state, ground = evaluate(chain, q, qd, qdd, external), ground_acceleration(chain)
    loads = None if external is None else wrenches_from(state, external, external_frame)
    along_q, along_qd, M = force_changes(state, qdd, ground, loads, external_frame)
    return along_q, along_qd, with_rotors(chain, M, eye(chain.nv))


# Chapter 23, "Derivatives": Forward dynamics
@checked(q="nq", qd="nv", tau="nv", external=("n", 6), external_frame=FRAMES)
def aba_derivatives(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    tau: ArrayNv,
    *,
    external: ArrayNx6 | None = None,
    external_frame: FrameWord = "body",
) -> tuple[ArrayNvxNv, ArrayNvxNv, ArrayNvxNv]:
    """Return the derivatives of `aba` by q, qd and tau: (..., nv, nv) each.

    The first is along `integrate`, the last is M^-1. By the implicit function theorem:
    tau - rnea(q, qd, qdd) stays zero.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> by_q, by_qd, by_tau = aba_derivatives(rod, still, still, still)
    >>> by_tau.round(3)
    array([[3.]])
    """
    qdd = aba(chain, q, qd, tau, external=external, external_frame=external_frame)
    along_q, along_qd, _ = rnea_derivatives(
        chain, q, qd, qdd, external=external, external_frame=external_frame
    )
    inverse = factorise_state(evaluate(chain, q)).solve(eye(chain.nv) + 0 * along_q)
    return -inverse @ along_q, -inverse @ along_qd, inverse


# Chapter 23, "Derivatives": A linear model of any motion
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
def linearise(
    chain: Chain, q: ArrayNq, qd: ArrayNv, tau: ArrayNv, *, friction_width: float | None = 0.01
) -> tuple[Array2Nvx2Nv, Array2NvxNv]:
    """Return A (..., 2 nv, 2 nv) and B (..., 2 nv, nv) with dz/dt = A z + B dtau.

    z = [delta, nu] : the deviation from the motion at q, qd under tau, of the posture
    along `integrate`, and of the rates;
    q : (..., nq); qd, tau : (..., nv). For balls and free bodies delta is in the axes
    of the undisturbed motion. Friction in the drives acts as in `simulate`;
    friction_width : as for `joint_friction` [rad/s, m/s], None leaves friction out. At
    rest Coulomb friction counts as viscous, coulomb / friction_width, which holds for
    rates far below the width. ValueError if M is singular (it names the joint), or the
    width is not positive.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> A, B = linearise(rod, still, still, still)
    >>> B.round(3)
    array([[0.],
           [3.]])
    """
    by_q, by_qd, by_tau = frictional(aba_derivatives, chain, q, qd, tau, friction_width)
    C, same = deviation_rate(chain, q, qd) + 0 * by_q, 0 * by_q + eye(chain.nv)
    upper = concatenate([C, same], axis=-1)
    A = concatenate([upper, concatenate([by_q, by_qd], axis=-1)], axis=-2)
    return A, concatenate([0 * by_tau, by_tau], axis=-2)
