# Generated from chapters/23_derivatives.md by `python -m book export`; edit it there.
# sha256 of the text below: 2c48092b6776c42605434673464ed422ac575ffbfe7138437951c3c78edc7692
"""Derivatives: how forces change with posture, rates and accelerations.

Derived in chapter 23, "Derivatives".
"""

from dataclasses import dataclass
from typing import Any

from chaindyn._ops import Array, concatenate, eye, stack, unstack, zeros
from chaindyn.array_types import ArrayNq, ArrayNv, ArrayNvxNv, ArrayNx6
from chaindyn.chain import Chain, inward
from chaindyn.composite import on_the_way, rotor_blocks
from chaindyn.guards.arguments import FRAMES, FrameWord
from chaindyn.guards.door import checked
from chaindyn.inverse_dynamics import ground_acceleration, transmitted_wrenches, wrenches_from
from chaindyn.models.arrays import each_link
from chaindyn.spatial import crm
from chaindyn.stacked import body_coriolis, crf_bar
from chaindyn.state import State, evaluate

__all__ = ["rnea_derivatives"]


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
def begun_changes(
    S: Array, V_in: Array, A_in: Array, V: Array, slopes: JointSlopes
) -> tuple[Array, Array, Array]:
    """Return v and a by q, and a by qd, that a joint's coordinates begin (..., 6, k).

    V_in, A_in, V : (..., 6, 6), the products with what arrives at the joint, and with
    the link's own twist.
    """
    v = V_in @ S + slopes.S_qd
    a = A_in @ S + V_in @ v + V @ slopes.S_qd + slopes.bias_q + slopes.S_qdd
    return v, a, (V + V_in) @ S + slopes.bias_qd


def all_begun(
    state: State, qdd: Array, A: Array
) -> tuple[list[tuple[Array, ...]], list[JointSlopes]]:
    """Return `begun_changes` of each link; A : (..., n, 6, 1), the accelerations."""
    slopes = slopes_by_link(state, qdd)
    A_in = A - state.along_joints(state.subspaces, qdd) - state.eta
    arriving = [unstack(crm(x[..., 0]), -3) for x in (state.twists - state.joint_twists, A_in)]
    of_links = state.S, *arriving, unstack(state.crm_twists, -3), slopes
    return [begun_changes(*own) for own in zip(*of_links, strict=True)], slopes


# Chapter 23, "Derivatives": One rule
def held_loads(loads: Array | None, frame: FrameWord) -> list[Array]:
    """Return T (..., n, 6, 6): links that move by x need T x more, as loads stay.

    loads : (..., n, 6, 1) in link axes, fixed in a frame; there is no T if that is
    "body".
    """
    if loads is None or frame == "body":
        return []
    turning = crf_bar(loads[..., 0])
    if frame == "world":
        return [turning]
    # "mixed": the point of application moves along, the axes do not
    return [concatenate([turning[..., :3], 0 * turning[..., 3:]], axis=-1)]


# Chapter 23, "Derivatives": One rule
def change_step(
    children: Any,
    X: Array,
    S: Array,
    body: Any,
    f: Array,
    rotors: Array,
    begun: Any,
    slopes: JointSlopes,
) -> tuple[tuple[Array, Any], Any]:
    """Link step: composite I, N and T; the link's blocks by q, qd and qdd, and the
    columns that begin.

    body : the link's own; f : (..., 6, 1), the wrench in the joint.
    """
    I, N, *T = (own + more for own, more in zip(body, children, strict=True))
    v, a, a_qd = begun
    F, turning = I @ S, (slopes.S.mT @ f[..., None, :, :])[..., 0].mT
    by_q, by_qd = I @ a + N @ v + sum(t @ S for t in T), I @ a_qd + N @ S
    blocks = S.mT @ by_q + turning, S.mT @ by_qd, S.mT @ F + rotors
    columns = by_q + crf_bar(f[..., 0]) @ S, by_qd, F, *[t.mT @ S for t in (N, *T)]
    passed = tuple(X.mT @ composite @ X for composite in (I, N, *T))
    return (stack(blocks, axis=-3), tuple(X.mT @ x for x in columns)), passed


def change_on_the_way(columns: Any, X: Array, S: Array, begun: Any) -> tuple[Any, ...]:
    """Return what columns leave in rows and in columns of the matrices by q, qd and qdd
    (..., 3, k, m), and what is passed on.
    """
    by_q, by_qd, F, drag, *load = columns
    v, a, a_qd = (x.mT for x in begun)
    felt = S.mT @ F
    rows = S.mT @ by_q, S.mT @ by_qd, felt
    below = a @ F + v @ drag + sum(S.mT @ x for x in load), a_qd @ F + S.mT @ drag, felt
    passed = tuple(X.mT @ x for x in columns)
    return stack(rows, axis=-3), stack(below, axis=-3), passed


# Chapter 23, "Derivatives": One rule
def force_changes(
    state: State, qdd: Array, ground: Array, loads: Array | None = None, frame: FrameWord = "body"
) -> list[Array]:
    """Return derivatives of joint forces by q, qd and qdd (..., nv, nv) each.

    ground : (6, 1), its acceleration; loads : (..., n, 6, 1) on the links, in link
    coordinates, held fixed in `frame`. The last is the mass matrix, with rotors.
    """
    parent, inertias = state.chain.parent, state.inertias
    A = state.accelerations(qdd, ground)
    net = inertias @ A + state.bias_forces
    f = unstack(transmitted_wrenches(state, net if loads is None else net - loads), -3)
    begun, slopes = all_begun(state, qdd, A)
    N = 2 * body_coriolis(inertias, state.twists[..., 0])
    parts = inertias, N, *held_loads(loads, frame)
    bodies = list(zip(*[unstack(x, -3) for x in parts], strict=True))
    links, nothing = (state.X, state.S), [zeros((6, 6))] * len(parts)
    of_links = *links, bodies, f, rotor_blocks(state), begun, slopes
    start, _ = inward(change_step, parent, nothing, *of_links)
    return unstack(on_the_way(change_on_the_way, parent, start, *links, begun), -3)


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
    return tuple(force_changes(state, qdd, ground, loads, external_frame))
