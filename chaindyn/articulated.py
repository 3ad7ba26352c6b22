# Generated from chapters/08_articulated_body_inertia.md by `python -m book export`; edit it there.
# sha256 of the text below: 97f87d28ef600737f8ac37fe9d0b9f4b239b45a1d8b14c9e73c1e380b602fade
"""Forward dynamics by articulated-body inertia: how a chain accelerates, link by link.

Derived in chapter 8, "Articulated-body inertia".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chaindyn._ops import (
    Array,
    concatenate,
    expect_regular,
    eye,
    holds_objects,
    solve,
    stack,
    unstack,
    zeros,
)
from chaindyn.chain import Chain, inward, outward
from chaindyn.guards.arguments import FRAMES, RECURSIONS, check_matrix, check_motion_subspace
from chaindyn.guards.door import checked
from chaindyn.guards.equations import no_inertia, overflow, require_joint_inertia
from chaindyn.guards.numbers import known_values
from chaindyn.inverse_dynamics import ground_acceleration, net_bias
from chaindyn.models.arrays import consecutive
from chaindyn.state import State, evaluate

__all__ = [
    "FactorisedChain",
    "aba",
    "apparent_inertia",
    "articulated_inertia",
    "decompose_force",
    "factorise",
]


# Chapter 8, "Articulated-body inertia": One joint: a part that moves, a part that is carried
@checked(f=6, inertia=(6, 6))
def decompose_force(f: Array, inertia: Array, S: Array) -> tuple[Array, Array]:
    """Split forces on a body at rest, held by a joint, into a part that accelerates it
    and one that the joint carries.

    f : (..., 6); inertia : (..., 6, 6); S : (..., 6, k) motion subspace; all in the
    same coordinates. Returns f_a (..., 6), a combination of the columns of ``inertia @
    S``, and f_c = f - f_a (..., 6), for which S^T f_c = 0. ValueError if columns of S
    depend on each other, or if S^T I S is singular. "Notes on rigid body dynamics",
    vector subspaces.
    """
    S = check_motion_subspace(S, f=(f, 1), inertia=(inertia, 2))
    U = inertia @ S
    D = S.mT @ U
    require_joint_inertia(D)
    f_a = (U @ solve(D, S.mT @ f[..., None]))[..., 0]
    return f_a, f - f_a


# Chapter 8, "Articulated-body inertia": What the door frame feels
@checked(inertia=(6, 6))
def apparent_inertia(inertia: Array, S: Array) -> Array:
    """Return the inertia (..., 6, 6) of a body felt through its joint: I - I S (S^T I
    S)^-1 S^T I.

    inertia : (..., 6, 6); S : (..., 6, k) motion subspace, in the same coordinates.
    ValueError if columns of S depend on each other, or if S^T I S is singular. Kim
    (2012), Pi in Table 3.
    """
    S = check_motion_subspace(S, inertia=(inertia, 2))
    U = inertia @ S
    D = S.mT @ U
    require_joint_inertia(D)
    return inertia - U @ solve(D, U.mT)


# Chapter 8, "Articulated-body inertia": The code
@dataclass(frozen=True, eq=False)
class Articulated:
    """The factors of one link.

    inertia : (..., 6, 6) articulated inertia of the link with its subtree; both : (...,
    6, k + 6) = [S X], its motion from the joint's and the parent's; D : (..., k, k) =
    S^T inertia S, the inertia that the joint feels, with its rotor's; G : (..., k, 6) =
    D^-1 S^T inertia X.
    """

    inertia: Array
    both: Array
    D: Array
    G: Array


def articulated_step(
    children: Any, both: Array, inertia: Array, rotor: Array | None = None
) -> tuple[Articulated, tuple[Array]]:
    """Link step inward: articulated inertia, and its part felt by the parent (Kim,
    Table 3).

    rotor : (k, k), reflected inertia added to D; None is zero.
    """
    k = both.shape[-1] - 6
    I_hat = inertia + children[0]
    felt = both.mT @ I_hat @ both
    joint, parent = felt[..., :k, :], felt[..., k:, :]
    D = joint[..., :k] if rotor is None else joint[..., :k] + rotor
    G = solve(D, joint[..., k:])
    # with G^T D for the other corner, the asymmetry of rounding would double at every
    # link
    return Articulated(I_hat, both, D, G), (parent[..., k:] - parent[..., :k] @ G,)


def force_step(
    children: Any, own: Articulated, load: Array, tau: Array
) -> tuple[tuple[Array, Array], tuple[Array]]:
    """Link step inward: the joint force left for acceleration, the bias force, and the
    parent's share.
    """
    k = tau.shape[-2]
    p = load + children[0]
    felt = own.both.mT @ p
    left = tau - felt[..., :k, :]
    return (left, p), (felt[..., k:, :] + own.G.mT @ left,)


def acceleration_step(
    parent: tuple[Array, Any], X: Array, S: Array, own: Articulated, eta: Array, left: Array
) -> tuple[Array, Array]:
    """Link step outward: acceleration of the link and of its joint, from the parent's
    acceleration.
    """
    qdd = solve(own.D, left) - own.G @ parent[0]
    return X @ parent[0] + eta + S @ qdd, qdd


# Chapter 8, "Articulated-body inertia": When no solution exists
def rounding_step(
    children: Any, X: Array, S: Array, own: Articulated
) -> tuple[Array, tuple[Array]]:
    """Link step inward: bound for the rounding of D, in rounding units, to first
    order.
    """
    size = own.inertia * eye(6)  # the diagonal
    E = children[0] + size
    PX = X - S @ own.G
    return S.mT @ E @ S, (PX.mT @ E @ PX + X.mT @ size @ X,)


def smallest(D: Array) -> Array:
    """Return the smallest eigenvalue (...) of symmetric matrices (..., k, k); infinity
    if k = 0, NaN if undefined.
    """
    if D.shape[-1] == 1:
        return D[..., 0, 0]
    D = D.astype(float)
    defined = np.isfinite(D).all((-2, -1))  # LAPACK raises an error for NaN
    values = np.linalg.eigvalsh(np.where(defined[..., None, None], D, 0))
    return np.where(defined, values.min(axis=-1, initial=np.inf), np.nan)


def feels_nothing(D: Array, noise: Array) -> bool:
    """Whether D is a number, and no larger than its rounding by `noise`; exact numbers
    have none.
    """
    known, size = known_values(D), known_values(noise)
    if known is None or size is None:
        return False
    exact = holds_objects(D) and not any(isinstance(x, float) for x in D.flat)
    return not (smallest(known if exact else known - 32 * np.finfo(float).eps * size) > 0).all()


def are_clearly_regular(felt: Sequence[Array], inertias: Array) -> bool:
    """Whether all D are numbers, and so large beside the inertias that rounding does
    not matter.
    """
    known = known_values(inertias)
    if known is None:
        return False
    limit = 1e-9 * known.max(initial=0)
    for k in {D.shape[-1] for D in felt} - {0}:
        D = known_values(stack([D for D in felt if D.shape[-1] == k], axis=-3))
        if D is None or not (smallest(D) > limit).all():
            return False
    return True


def require_inertia(
    state: State, S: list[Array], links: Sequence[Articulated], inertias: Array
) -> None:
    """Refuse a posture in which some joint feels no inertia, naming the outermost such
    joint.

    inertias : (..., n, 6, 6) of the links, articulated. Symbols and traced arrays pass.
    ValueError too if the inertias overflow.
    """
    chain, felt = state.chain, [own.D for own in links]
    expect_regular(state, felt, S, inertias)
    if are_clearly_regular(felt, inertias) or any(
        [known_values(x) is None for x in (*felt, inertias)]
    ):
        return
    with np.errstate(all="ignore"):  # inertias inward of a zero are undefined
        noise, _ = inward(rounding_step, chain.parent, (zeros((6, 6)),), state.X, S, links)
    for i in reversed(range(chain.n)):
        if feels_nothing(felt[i], noise[i]):
            finite = np.isfinite(np.asarray(felt[i], float)).all()
            raise no_inertia(chain.names[i]) if finite else overflow(chain.names[i])


# Chapter 8, "Articulated-body inertia": A factorised chain
@dataclass(frozen=True, eq=False)
class FactorisedChain:
    """The mass matrix M of a chain in a posture, factorised link by link by
    `factorise`.

    state : the posture; S : for each joint, the columns of its motion subspace that are
    free to move;
    links : the factors of each link, from the inward sweep. Forces and motions are in
    the coordinates of the state.
    """

    state: State
    S: list[Array]
    links: list[Articulated]

    @cached_property
    def inertias(self) -> Array:
        """The articulated inertia of every link (..., n, 6, 6)."""
        return stack([own.inertia for own in self.links], axis=-3)

    @cached_property
    def rows(self) -> tuple[range, ...]:
        """Which of the free velocities belong to each link's joint."""
        return consecutive([s.shape[-1] for s in self.S])

    @property
    def still(self) -> list[Array]:
        """For each link, zero force or motion."""
        return [zeros((6, 1))] * self.state.chain.n

    def inward_forces(
        self, tau: Array, loads: Array | None = None
    ) -> tuple[list[Array], list[Array]]:
        """Return for each link the joint force left for acceleration (..., k, m), and
        the bias force p (..., 6, m).

        tau : (..., nv, m) joint forces; loads : (..., n, 6, m), the forces for the
        links' known motion.
        """
        parts = self.still if loads is None else unstack(loads, -3)
        pushes = [tau[..., own.start : own.stop, :] for own in self.rows]
        nothing = (zeros((6, 1)),)
        kept, _ = inward(force_step, self.state.chain.parent, nothing, self.links, parts, pushes)
        return [left for left, _ in kept], [p for _, p in kept]

    def outward_motions(
        self, left: list[Array], eta: Array | None = None, ground: Array | None = None
    ) -> tuple[list[Array], Array]:
        """Return the links' accelerations (..., 6, m) each, and those of the joints
        (..., nv, m).

        left : as from `inward_forces`; eta : (..., n, 6, m), their known part; ground :
        (..., 6, m), its own.
        """
        parts = self.still if eta is None else unstack(eta, -3)
        start = (zeros((6, 1)) if ground is None else ground), None
        given = self.state.X, self.S, self.links, parts, left
        motions = outward(acceleration_step, self.state.chain.parent, start, *given)
        return [A for A, _ in motions], concatenate([qdd for _, qdd in motions], axis=-2)

    def solve(self, b: Array) -> Array:
        """Return x (..., nv, m) with M x = b, for right-hand sides b (..., nv, m), in
        O(n) each.
        """
        b = check_matrix(b, "b", (self.rows[-1].stop, None))
        left, _ = self.inward_forces(b)
        return self.outward_motions(left)[1]

    def delassus(self, K: Array) -> Array:
        """Return K M^-1 K^T (..., m, m), symmetric, for rows K (..., m, nv), in O(n)
        for each of them.
        """
        K = check_matrix(K, "K", (None, self.rows[-1].stop))
        left, _ = self.inward_forces(K.mT)
        parts = [solve(own.D, y) for own, y in zip(self.links, left, strict=True)]
        return concatenate(left, axis=-2).mT @ concatenate(parts, axis=-2)


def rotor_blocks(chain: Chain, prescribed: Array | None = None) -> list[Array]:
    """Return the reflected inertia added to each joint's D (k, k), for the rates that
    are free to move.
    """
    free = np.ones(chain.nv, bool) if prescribed is None else ~prescribed
    own = [
        chain.reflected_inertia[j.start : j.stop][free[j.start : j.stop]] for j in chain.v_columns
    ]
    return [x * eye(len(x)) for x in own]


def free_subspaces(state: State, prescribed: Array) -> list[Array]:
    """Return the columns of each joint's motion subspace that are free to move (..., 6,
    k).
    """
    free = [~prescribed[own.start : own.stop] for own in state.chain.v_columns]
    return [s[..., columns] for s, columns in zip(state.S, free, strict=True)]


def factorise_state(state: State, prescribed: Array | None = None) -> FactorisedChain:
    """Return the factorised chain of a state; prescribed : (nv,) booleans, true where a
    rate is not free to change.
    """
    if prescribed is None:
        both, S = state.both, state.S
    else:
        S = free_subspaces(state, prescribed)
        both = [concatenate([s, X], axis=-1) for s, X in zip(S, state.X, strict=True)]
    given = [both, unstack(state.inertias, -3)]
    if state.chain.has_rotors:
        given.append(rotor_blocks(state.chain, prescribed))
    with np.errstate(all="ignore"):  # `require_inertia` has the better message
        try:
            links, _ = inward(articulated_step, state.chain.parent, (zeros((6, 6)),), *given)
        except ZeroDivisionError:
            # exact numbers stop here, floats go on; the message names the joint
            floats = [[np.asarray(x, float) for x in part] for part in given]
            links, _ = inward(articulated_step, state.chain.parent, (zeros((6, 6)),), *floats)
    factors = FactorisedChain(state, S, links)
    require_inertia(state, S, links, factors.inertias)
    return factors


@checked(q="nq", recursion=RECURSIONS)
def factorise(chain: Chain, q: Array, *, recursion: str = "body") -> FactorisedChain:
    """Return the factorised M (nv, nv) of a chain or tree, to solve M x = b in O(n) for
    each right-hand side.

    q : (..., nq); recursion : the coordinates of the computation. ``factorise(chain,
    q).solve(b)`` takes b (..., nv, m) and ``.delassus(K)``, which is K M^-1 K^T, rows K
    (..., m, nv). ValueError names the joint that feels no inertia, if M is singular.
    Kim (2012), (43)-(50) and Table 3, without velocities and weight.
    """
    return factorise_state(evaluate(chain, q, recursion=recursion))


# Chapter 8, "Articulated-body inertia": Forward dynamics
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
    """Return the joint accelerations qdd (..., nv) [rad/s^2, m/s^2] of a chain or tree:
    forward dynamics.

    q : (..., nq); qd : (..., nv); tau : (..., nv) joint forces [N m, N]; external :
    (..., n, 6) external wrench [tau; f] on each link, in `external_frame`: "body"
    (about the link origin, link axes), "world" (about the world origin, world axes) or
    "mixed" (about the link origin, world axes). Gravity is the chain's. Rotors of its
    drives are included, friction (`joint_friction`) is not. recursion : the coordinates
    of the computation. ValueError names the joint that feels no inertia, if M is
    singular. Kim (2012), (43)-(50) and Table 3, with the base accelerating by -g.
    """
    state = evaluate(chain, q, qd, tau, external, recursion=recursion)
    factors = factorise_state(state)
    loads = net_bias(state, external, external_frame) + factors.inertias @ state.eta
    left, _ = factors.inward_forces(tau[..., None], loads)
    _, qdd = factors.outward_motions(left, state.eta, ground_acceleration(chain))
    return qdd[..., 0]


# Chapter 8, "Articulated-body inertia": Forward dynamics
@checked(q="nq")
def articulated_inertia(chain: Chain, q: Array) -> Array:
    """Return the articulated-body inertia of every link (..., n, 6, 6), about its
    origin in link axes.

    q : (..., nq). It is felt by a force on the link with its subtree, all joints of
    which are free to move, and its own joint cut; `apparent_inertia` of it with S is
    felt by the parent through a joint without a rotor. ValueError names the joint that
    feels no inertia, if M is singular. Kim (2012), (49).
    """
    inertias, batch = factorise_state(evaluate(chain, q)).inertias, q.shape[:-1]
    # where no link hangs on another, none depends on q
    return inertias if inertias.ndim == q.ndim + 2 else inertias + zeros((*batch, 1, 1, 1))
