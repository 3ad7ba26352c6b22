# Generated from chapters/08_articulated_body_inertia.md by `python -m book export`; edit it there.
# sha256 of the text below: 6548afb87505f480bdb626d7e45fa25c2710a3bd3b7110d57b2ae514ab2dbcc0
"""Forward dynamics by articulated-body inertia: how a chain accelerates, link by link.

Derived in chapter 8, "Articulated-body inertia".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._check import (
    FRAMES,
    RECURSIONS,
    as_array,
    checked,
    is_concrete,
    no_inertia,
    require_shape,
)
from chaindyn._ops import Array, concatenate, eye, solve, stack, unstack, zeros
from chaindyn.chain import Chain, inward, outward
from chaindyn.inverse_dynamics import by_joint, less_external, mechanism, velocity_terms

__all__ = ["Articulated", "aba", "apparent_inertia", "articulated_inertia", "decompose_force"]


# Chapter 8, "Articulated-body inertia": One joint: a part that moves, a part that is carried
@checked(f=6, inertia=(6, 6))
def decompose_force(f: Array, inertia: Array, S: Array) -> tuple[Array, Array]:
    """Split forces on a body at rest, held by a joint: what accelerates it, what the joint carries.

    f : (..., 6); inertia : (..., 6, 6); S : (..., 6, k) motion subspace; all in the same coordinates.
    Returns f_a (..., 6), a combination of the columns of ``inertia @ S``, and f_c = f - f_a (..., 6), for
    which S^T f_c = 0. "Notes on rigid body dynamics", vector subspaces.
    """
    S = as_array(S, "S")
    require_shape(S, "S", (6, S.shape[-1]))
    U = inertia @ S
    f_a = (U @ solve(S.mT @ U, S.mT @ f[..., None]))[..., 0]
    return f_a, f - f_a


# Chapter 8, "Articulated-body inertia": What the door frame feels
@checked(inertia=(6, 6))
def apparent_inertia(inertia: Array, S: Array) -> Array:
    """Return the inertia (..., 6, 6) that a body shows to what holds it by a joint: I - I S (S^T I S)^-1 S^T I.

    inertia : (..., 6, 6); S : (..., 6, k) motion subspace, in the same coordinates. Kim (2012), Pi in Table 3.
    """
    S = as_array(S, "S")
    require_shape(S, "S", (6, S.shape[-1]))
    U = inertia @ S
    return inertia - U @ solve(S.mT @ U, U.mT)


# Chapter 8, "Articulated-body inertia": The code
@dataclass(frozen=True, eq=False)
class Articulated:
    """What a link keeps of the sweep inward, for the sweep outward.

    inertia : (..., 6, 6) articulated inertia of the link with all that hangs on it; U : (..., 6, k) = inertia @ S;
    D : (..., k, k) = S^T U, the inertia that the joint feels; u : (..., k, 1) the joint force left for acceleration;
    bias : (..., 6, 1) the force on the link that takes no acceleration.
    """

    inertia: Array
    U: Array
    D: Array
    u: Array
    bias: Array


def articulate(
    children: Any, X: Array, S: Array, inertia: Array, eta: Array, bias: Array, tau: Array
) -> tuple[Articulated, tuple[Array, Array]]:
    """Link step: articulated inertia and bias, and what of them the parent feels (Kim, Table 3)."""
    I_hat, B = inertia + children[0], bias + children[1]
    U = I_hat @ S
    D = S.mT @ U
    u = tau - S.mT @ B
    # the joint yields; with U^T for S^T I_hat, what rounding leaves unsymmetric would double at every link
    I_up = I_hat - U @ solve(D, S.mT @ I_hat)
    B_up = B + I_up @ eta + U @ solve(D, u)
    return Articulated(I_hat, U, D, u, B), (X.mT @ I_up @ X, X.mT @ B_up)


def respond(
    parent: tuple[Array, Any], X: Array, S: Array, eta: Array, own: Articulated
) -> tuple[Array, Array]:
    """Link step: acceleration of the link and of its joint, from the parent's acceleration."""
    A = X @ parent[0] + eta
    qdd = solve(own.D, own.u - own.U.mT @ A)
    return A + S @ qdd, qdd


# Chapter 8, "Articulated-body inertia": When no answer exists
def uncertainty(children: Any, X: Array, S: Array, own: Articulated) -> tuple[Array, tuple[Array]]:
    """Link step: how large the rounding of D can be, in rounding units, to first order."""
    size = own.inertia * eye(6)  # the diagonal
    E = children[0] + size
    P = eye(6) - S @ solve(own.D, own.U.mT)
    return S.mT @ E @ S, (X.mT @ (P.mT @ E @ P + size) @ X,)


def smallest(D: Array) -> Array:
    """Return the smallest eigenvalue (...) of symmetric matrices (..., k, k); infinity if k = 0, NaN if undefined."""
    if D.shape[-1] == 1:
        return D[..., 0, 0]
    D = D.astype(float)
    defined = np.isfinite(D).all((-2, -1))  # NaN would be an error of LAPACK's
    values = np.linalg.eigvalsh(np.where(defined[..., None, None], D, 0))
    return np.where(defined, values.min(axis=-1, initial=np.inf), np.nan)


def require_inertia(chain: Chain, X: list[Array], S: list[Array], kept: list[Articulated]) -> None:
    """Refuse a chain in a posture in which some joint feels no inertia, naming the outermost such joint.

    Symbols and traced arrays pass.
    """
    if not all(is_concrete(own.D) for own in kept):
        return
    if all((smallest(own.D) > 1e-9 * own.inertia.max(initial=0)).all() for own in kept):
        return  # the usual case: so far from singular that rounding need not be looked into
    with np.errstate(all="ignore"):  # what lies inward of a zero is undefined
        noise, _ = inward(uncertainty, chain.parent, (zeros((6, 6)),), X, S, kept)
    for i in reversed(range(chain.n)):
        if not (smallest(kept[i].D - 32 * np.finfo(float).eps * noise[i]) > 0).all():
            raise no_inertia(chain.names[i])


# Chapter 8, "Articulated-body inertia": Forward dynamics
def fold(chain: Chain, X: list[Array], S: list[Array], *rest: list[Array]) -> list[Articulated]:
    """Run the sweep inward; `rest` is I, eta, bias and tau of every link. ValueError if M is singular."""
    nothing = zeros((6, 6)), zeros((6, 1))
    with np.errstate(divide="ignore", invalid="ignore"):  # the next line but one says it better
        kept, _ = inward(articulate, chain.parent, nothing, X, S, *rest)
    require_inertia(chain, X, S, kept)
    return kept


@checked(q="nq", qd="nv", tau="nv", external=("n", 6), external_frame=FRAMES, recursion=RECURSIONS)
def aba(
    chain: Chain,
    q: Array,
    qd: Array,
    tau: Array,
    *,
    external: Array | None = None,
    external_frame: str = "body",
    recursion: str = "body",
) -> Array:
    """Return the joint accelerations qdd (..., nv) [rad/s^2, m/s^2] of a chain or tree: forward dynamics.

    q : (..., nq); qd : (..., nv); tau : (..., nv) joint forces [N m, N]; external : (..., n, 6) wrench [tau; f]
    on each link from outside, in `external_frame`: "body" (about the link origin, link axes), "world" (about
    the world origin, world axes) or "mixed" (about the link origin, world axes). Gravity is the chain's.
    recursion : the coordinates computed in. ValueError names the joint that feels no inertia, if M is
    singular. Kim (2012), (43)-(50) and Table 3, with the base accelerating by -g.
    """
    X, S, inertias = mechanism(chain, q, recursion, qd, tau, external)
    eta, bias = velocity_terms(chain, q, qd, X, inertias, recursion)
    bias = less_external(chain, q, bias, external, external_frame, recursion)
    eta = unstack(eta, -3)
    rest = unstack(inertias, -3), eta, unstack(bias, -3), by_joint(chain, tau[..., None])
    kept = fold(chain, X, S, *rest)
    ground = concatenate([zeros((3,)), -chain.gravity], axis=-1)[:, None], None
    motions = outward(respond, chain.parent, ground, X, S, eta, kept)
    return concatenate([qdd for _, qdd in motions], axis=-2)[..., 0]


# Chapter 8, "Articulated-body inertia": Forward dynamics
@checked(q="nq")
def articulated_inertia(chain: Chain, q: Array) -> Array:
    """Return the articulated-body inertia of every link (..., n, 6, 6), about its origin in link axes.

    q : (..., nq). It is what the link, with all that hangs on it by joints free to move, shows to a force on
    the link itself, its own joint taken off; `apparent_inertia` of it with S is what the parent feels.
    ValueError names the joint that feels no inertia, if M is singular. Kim (2012), (49).
    """
    X, S, inertias = mechanism(chain, q, "body")
    rest = [zeros((6, 1))] * chain.n
    idle = by_joint(chain, zeros((chain.nv, 1)))
    kept = fold(chain, X, S, unstack(inertias, -3), rest, rest, idle)
    return stack([own.inertia for own in kept], axis=-3)
