# Generated from chapters/37_forward_dynamics_differentiated.md by `python -m book export`; edit it there.
# sha256 of the text below: d806365bc0ab3514af903daba4cb73727f31a5bf8f77af21a532ec38c809c669
"""How accelerations change with posture, rates and forces: one sweep over joints that yield.

Derived in chapter 37, "Forward dynamics, differentiated".
"""

from dataclasses import dataclass
from typing import Any

from chaindyn._ops import Array, eye, solve, stack, unstack, zeros
from chaindyn.array_types import ArrayNq, ArrayNv, ArrayNvxNv, ArrayNx6
from chaindyn.articulated import Articulated, factorise_state
from chaindyn.chain import Chain, inward, outward
from chaindyn.composite import on_the_way
from chaindyn.derivatives import JointSlopes, all_begun, held_loads
from chaindyn.guards.arguments import FRAMES, FrameWord
from chaindyn.guards.door import checked
from chaindyn.impulse import mobility_step
from chaindyn.inverse_dynamics import ground_acceleration, net_bias, wrenches_from
from chaindyn.stacked import body_coriolis, crf_bar
from chaindyn.state import State, evaluate

__all__ = ["aba_derivatives"]


# Chapter 37, "Forward dynamics, differentiated": The code
def carrier_step(parent: Any, X: Array, S: Array, own: Articulated) -> tuple[Array, Array]:
    """Link step outward: the inverse inertia of the link, and of its parent."""
    return mobility_step(parent[0], X, S, own), parent[0]


@dataclass(frozen=True, eq=False)
class Yielding:
    """A link that yields: X, S, its factors, the parent's inverse inertia (..., 6, 6)."""

    X: Array
    S: Array
    own: Articulated
    mobility: Array

    @property
    def push(self) -> Array:
        """The wrench on the parent (..., 6, k) by joint forces of one."""
        return -self.own.G.mT

    def answer(self, a: Array, wrench: Array, force: Array) -> tuple[Array, ...]:
        """Return the push on the parent, and the accelerations of joint and link.

        a : (..., 6, m), the link's before it yields; wrench : (..., 6, m), on it; force
        : (..., k, m), in the joint.
        """
        push = self.X.mT @ wrench + self.push @ force
        carried = self.mobility @ push
        qdd = solve(self.own.D, force) + self.push.mT @ carried
        return push, qdd, self.X @ carried + a + self.S @ qdd


# Chapter 37, "Forward dynamics, differentiated": The code
def response_step(
    children: Any, link: Yielding, body: Any, f: Array, begun: Any, slopes: JointSlopes
) -> tuple[Any, Any]:
    """Link step inward: what a link begins, its blocks by q, qd and tau and columns;
    and what it needs for columns that pass. It hands on N and T.

    body : its own N and T; f : (..., 6, 1), the wrench in the joint.
    """
    X, S, own, (v, a, a_qd) = link.X, link.S, link.own, begun
    N, *T = felt = [part + more for part, more in zip(body, children, strict=True)]
    turning = (slopes.S.mT @ f[..., None, :, :])[..., 0].mT
    by_q = own.inertia @ a + N @ v + sum(t @ S for t in T)
    by_qd = own.inertia @ a_qd + N @ S
    pushes, blocks, moved = zip(
        link.answer(a, -by_q - crf_bar(f[..., 0]) @ S, -S.mT @ by_q - turning),
        link.answer(a_qd, -by_qd, -S.mT @ by_qd),
        link.answer(0 * S, 0 * S, eye(S.shape[-1])),
        strict=True,
    )
    drags = [-X.mT @ part.mT @ solve(own.D, S.mT).mT for part in felt]
    start = stack(blocks, axis=-3), (*pushes, *drags)
    passing = X, S, link.mobility, (link.push, *drags), moved, v
    return (start, passing), tuple((X - S @ own.G).mT @ part @ X for part in felt)


# Chapter 37, "Forward dynamics, differentiated": The code
def response_on_the_way(
    columns: Any, X: Array, S: Array, mobility: Array, own: Any, moved: Any, v: Array
) -> tuple[Any, ...]:
    """Return what columns leave in rows and in columns of the matrices by q, qd and tau
    (..., 3, k, m), and what is passed on.
    """
    *pushes, drag, load = columns if len(columns) == 5 else (*columns, None)
    e, (A_q, A_qd, E) = pushes[2], (x.mT for x in moved)
    rows, torque = [E @ push for push in pushes], S.mT @ e
    held = 0 if load is None else S.mT @ load
    below = A_q @ e + v.mT @ drag + held, A_qd @ e + S.mT @ drag, rows[2]
    passed = [X.mT @ push + own[0] @ (S.mT @ push) for push in pushes]
    drags = zip(columns[3:], own[1:], strict=True)
    passed += [X.mT @ x + begun @ torque for x, begun in drags]
    return stack(rows, axis=-3), stack(below, axis=-3), tuple(passed)


def response_across(
    one: Any, other: Any, X: Array, S: Array, mobility: Array, *_: Any
) -> tuple[Array, Array]:
    """Return what columns of two branches leave in each other's rows, where they meet."""
    carried = [mobility @ push for push in one[:3]]
    there = [carried[2].mT @ push for push in other[:3]]
    back = [other[2].mT @ motion for motion in carried]
    return stack(there, axis=-3), stack(back, axis=-3)


# Chapter 37, "Forward dynamics, differentiated": The code
def acceleration_changes(
    state: State, tau: Array, ground: Array, external: Array | None, frame: FrameWord
) -> list[Array]:
    """Return derivatives of joint accelerations by q, qd and tau (..., nv, nv) each.

    ground : (6, 1), its acceleration; external : (..., n, 6), held fixed in `frame`.
    """
    parent, factors, none = state.chain.parent, factorise_state(state), zeros((6, 6))
    known = net_bias(state, external, frame) + factors.inertias @ state.eta
    left, bias = factors.inward_forces(tau[..., None], known)
    by_link, qdd = factors.outward_motions(left, state.eta, ground)
    A = stack(by_link, axis=-3)
    f = unstack(factors.inertias @ (A - state.eta) + stack(bias, axis=-3), -3)
    begun, slopes = all_begun(state, qdd[..., 0], A)
    loads = None if external is None else wrenches_from(state, external, frame)
    N = 2 * body_coriolis(state.inertias, state.twists[..., 0])
    parts = N, *held_loads(loads, frame)
    bodies = list(zip(*[unstack(x, -3) for x in parts], strict=True))
    links = state.X, state.S, factors.links
    carriers = [own for _, own in outward(carrier_step, parent, (none, None), *links)]
    yielding = [Yielding(*own) for own in zip(*links, carriers, strict=True)]
    nothing, of_links = [none] * len(parts), (yielding, bodies, f, begun, slopes)
    kept, _ = inward(response_step, parent, nothing, *of_links)
    start, passing = zip(*kept, strict=True)
    given, across = zip(*passing, strict=True), response_across
    whole = on_the_way(response_on_the_way, parent, start, *given, meeting=across)
    return unstack(whole, -3)


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

    The first is along `integrate`, the last is M^-1. q : (..., nq); qd : (..., nv); tau
    : (..., nv); external : (..., n, 6), held fixed in `external_frame`. ValueError
    names the joint that feels no inertia, if M is singular.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> by_q, by_qd, by_tau = aba_derivatives(rod, still, still, still)
    >>> by_tau.round(3)
    array([[3.]])
    """
    state, ground = evaluate(chain, q, qd, tau, external), ground_acceleration(chain)
    return tuple(acceleration_changes(state, tau, ground, external, external_frame))
