# Generated from chapters/09_articulated_body_inertia.md by `python -m book export`; edit it there.
# sha256 of the text below: 2d08fb2e6e9aa9ea7e507b1cbb9cd547655eb45350cb65a76268242ddc278c6b
"""Forward dynamics by articulated-body inertia: how a chain accelerates, link by link.

Derived in chapter 9, "Articulated-body inertia".
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chaindyn._ops import Array, concatenate, eye, solve, stack, unstack, zeros
from chaindyn.array_types import Array6, Array6x6, Array6xK, ArrayNq, ArrayNv, ArrayNx6, ArrayNx6x6
from chaindyn.chain import Chain, inward, outward
from chaindyn.guards.arguments import (
    FRAMES,
    RECURSIONS,
    FrameWord,
    RecursionWord,
    check_matrix,
    check_motion_subspace,
)
from chaindyn.guards.door import checked
from chaindyn.guards.equations import require_joint_inertia
from chaindyn.guards.fronts import column_by_column
from chaindyn.guards.pivots import past_zeros, require_inertia
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


# Chapter 9, "Articulated-body inertia": One joint: a part that moves, a part that is carried
@checked(f=6, inertia=(6, 6))
def decompose_force(f: Array6, inertia: Array6x6, S: Array6xK) -> tuple[Array6, Array6]:
    """Split forces on a jointed body at rest: what accelerates, what is carried.

    f : (..., 6); inertia : (..., 6, 6); S : (..., 6, k) motion subspace; all in the
    same coordinates. Returns f_a (..., 6), a combination of the columns of
    ``inertia @ S``, and f_c = f - f_a (..., 6), for which S^T f_c = 0. ValueError if
    columns of S depend on each other, or if S^T I S is singular.

    >>> rod = spatial_inertia(1, (0.5, 0, 0), np.diag([0, 1, 1]) / 12)
    >>> about_y = np.array([[0], [1], [0], [0], [0], [0]])
    >>> blow = np.array([0, -1, 0, 0, 0, 1])
    >>> accelerates, carried = decompose_force(blow, rod, about_y)
    >>> carried.round(9) + 0.0
    array([ 0. ,  0. ,  0. ,  0. ,  0. , -0.5])
    """
    S = check_motion_subspace(S, f=(f, 1), inertia=(inertia, 2))
    U = inertia @ S
    D = S.mT @ U
    require_joint_inertia(D)
    f_a = (U @ solve(D, S.mT @ f[..., None]))[..., 0]
    return f_a, f - f_a


# Chapter 9, "Articulated-body inertia": What the door frame feels
@checked(inertia=(6, 6))
def apparent_inertia(inertia: Array6x6, S: Array6xK) -> Array6x6:
    """Return the inertia (..., 6, 6) of a body felt through its joint.

    It is I - I S (S^T I S)^-1 S^T I. inertia : (..., 6, 6); S : (..., 6, k) motion
    subspace, in the same coordinates. ValueError if columns of S depend on each other,
    or if S^T I S is singular.

    >>> rod = spatial_inertia(1, (0.5, 0, 0), np.diag([0, 1, 1]) / 12)
    >>> about_y = np.array([[0], [1], [0], [0], [0], [0]])
    >>> apparent_inertia(rod, about_y)[3:, 3:].round(9)
    array([[1.  , 0.  , 0.  ],
           [0.  , 1.  , 0.  ],
           [0.  , 0.  , 0.25]])
    """
    S = check_motion_subspace(S, inertia=(inertia, 2))
    U = inertia @ S
    D = S.mT @ U
    require_joint_inertia(D)
    return inertia - U @ solve(D, U.mT)


# Chapter 9, "Articulated-body inertia": The code: factorise once, solve often
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


# Chapter 9, "Articulated-body inertia": The code: factorise once, solve often
def articulated_step(
    children: Any, both: Array, inertia: Array, rotor: Array | None = None
) -> tuple[Articulated, tuple[Array]]:
    """Link step inward: articulated inertia, and the parent's part.

    rotor : (k, k), reflected inertia added to D; None is zero.
    """
    k = both.shape[-1] - 6
    I_hat = inertia + children[0]
    felt = both.mT @ I_hat @ both
    joint, parent = felt[..., :k, :], felt[..., k:, :]
    D = joint[..., :k] if rotor is None else joint[..., :k] + rotor
    G = solve(D, joint[..., k:])
    # not G^T D for the other corner: rounding, see "Which coordinates keep the digits"
    return Articulated(I_hat, both, D, G), (parent[..., k:] - parent[..., :k] @ G,)


# Chapter 9, "Articulated-body inertia": The code: factorise once, solve often
@column_by_column
def force_step(
    children: Any, own: Articulated, load: Array, tau: Array
) -> tuple[tuple[Array, Array], tuple[Array]]:
    """Link step inward: joint force left for acceleration, bias, the parent's share."""
    k = tau.shape[-2]
    p = load + children[0]
    felt = own.both.mT @ p
    left = tau - felt[..., :k, :]
    return (left, p), (felt[..., k:, :] + own.G.mT @ left,)


def acceleration_step(
    parent: tuple[Array, Any], X: Array, S: Array, own: Articulated, eta: Array, left: Array
) -> tuple[Array, Array]:
    """Link step outward: acceleration of link and joint, from the parent's."""
    qdd = solve(own.D, left) - own.G @ parent[0]
    return X @ parent[0] + eta + S @ qdd, qdd


# Chapter 9, "Articulated-body inertia": A factorised chain
@dataclass(frozen=True, eq=False)
class LinkFactors:
    """The factors of a chain in a posture, and the two sweeps that go over them.

    state : the posture; S : for each joint, the free columns of its motion subspace;
    links : the factors of each link. All in the coordinates of the state.
    """

    state: State
    S: list[Array]
    links: list[Articulated]

    @cached_property
    def rows(self) -> tuple[range, ...]:
        """Which of the free velocities belong to each link's joint."""
        return consecutive([s.shape[-1] for s in self.S])

    def parts(self, forces: Array | None) -> list[Array]:
        """Return what (..., n, 6, m) holds for each link; None is zeros."""
        if forces is None:
            return [zeros((6, 1))] * self.state.chain.n
        return unstack(forces, -3)

    def inward_forces(self, tau: Array, loads: Array | None = None) -> Any:
        """Return each link's joint force left (..., k, m) and bias (..., 6, m).

        tau : (..., nv, m) joint forces; loads : (..., n, 6, m), for the known motion.
        """
        pushes = [tau[..., own.start : own.stop, :] for own in self.rows]
        given = self.links, self.parts(loads), pushes
        kept, _ = inward(force_step, self.state.chain.parent, (zeros((6, 1)),), *given)
        return [left for left, _ in kept], [p for _, p in kept]

    def outward_motions(
        self, left: list[Array], eta: Array | None = None, ground: Array | None = None
    ) -> tuple[list[Array], Array]:
        """Return accelerations: of each link (..., 6, m), of all joints (..., nv, m).

        left : as from `inward_forces`; eta : (..., n, 6, m), the known part; ground :
        (..., 6, m), its own.
        """
        start = (zeros((6, 1)) if ground is None else ground), None
        given = self.state.X, self.S, self.links, self.parts(eta), left
        made = outward(acceleration_step, self.state.chain.parent, start, *given)
        return [A for A, _ in made], concatenate([qdd for _, qdd in made], axis=-2)


# Chapter 9, "Articulated-body inertia": $M^{-1}$ in three factors*
@dataclass(frozen=True, eq=False)
class FactorisedChain(LinkFactors):
    """The mass matrix M of a chain in a posture, factorised link by link by
    `factorise`.

    state : the posture; S : for each joint, the columns of its motion subspace that are
    free to move;
    links : the factors of each link, from the inward sweep. Forces and motions are in
    the coordinates of the state.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> M = factorise(rod, np.zeros(1))
    >>> M.solve(np.array([[1.0]])).round(9)
    array([[3.]])
    """

    @cached_property
    def inertias(self) -> Array:
        """The articulated inertia of every link (..., n, 6, 6)."""
        return stack([own.inertia for own in self.links], axis=-3)

    def solve(self, b: Array) -> Array:
        """Return x (..., nv, m) with M x = b, for right-hand sides b (..., nv, m), in
        O(n) each.
        """
        left, _ = self.inward_forces(check_matrix(b, "b", (self.rows[-1].stop, None)))
        return self.outward_motions(left)[1]

    def delassus(self, K: Array) -> Array:
        """Return K M^-1 K^T (..., m, m), symmetric, for rows K (..., m, nv), in O(n)
        for each of them.
        """
        K = check_matrix(K, "K", (None, self.rows[-1].stop))
        left, _ = self.inward_forces(K.mT)
        parts = [solve(own.D, y) for own, y in zip(self.links, left, strict=True)]
        return concatenate(left, axis=-2).mT @ concatenate(parts, axis=-2)


# Chapter 9, "Articulated-body inertia": $M^{-1}$ in three factors*
def free_motions(state: State, prescribed: Array | None) -> tuple[Any, Any]:
    """Return S (..., 6, k) and [S X] of each link, of S the columns free to move."""
    if prescribed is None:
        return state.S, state.both
    free = [~prescribed[own.start : own.stop] for own in state.chain.v_columns]
    S = [s[..., columns] for s, columns in zip(state.S, free, strict=True)]
    return S, [concatenate([s, X], axis=-1) for s, X in zip(S, state.X, strict=True)]


def rotor_blocks(chain: Chain, prescribed: Array | None = None) -> list[Array]:
    """Return the inertia (k, k) that rotors add to D of each joint's free rates."""
    free = np.ones(chain.nv, bool) if prescribed is None else ~prescribed
    own = [
        chain.reflected_inertia[j.start : j.stop][free[j.start : j.stop]] for j in chain.v_columns
    ]
    return [x * eye(len(x)) for x in own]


# Chapter 9, "Articulated-body inertia": $M^{-1}$ in three factors*
def factorise_state(state: State, prescribed: Array | None = None) -> FactorisedChain:
    """Return the factorised chain of a state.

    prescribed : (nv,) booleans, true where a rate is not free to change.
    """
    S, both = free_motions(state, prescribed)
    given = [both, unstack(state.inertias, -3)]
    if state.chain.has_rotors:
        given.append(rotor_blocks(state.chain, prescribed))
    nothing = (zeros((6, 6)),)
    links, _ = past_zeros(inward, articulated_step, state.chain.parent, nothing, *given)
    factors = FactorisedChain(state, S, links)
    require_inertia(factors, inward)
    return factors


@checked(q="nq", recursion=RECURSIONS)
def factorise(chain: Chain, q: ArrayNq, *, recursion: RecursionWord = "body") -> FactorisedChain:
    """Return the factorised M (nv, nv) of a chain or tree, to solve M x = b in O(n).

    q : (..., nq); recursion : the coordinates of the computation. Its method ``solve``
    takes b (..., nv, m); ``delassus`` takes rows K (..., m, nv), for K M^-1 K^T.
    ValueError names the joint that feels no inertia, if M is singular.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> factorise(rod, np.zeros(1)).solve(np.ones((1, 1))).round(3)
    array([[3.]])
    """
    return factorise_state(evaluate(chain, q, recursion=recursion))


# Chapter 9, "Articulated-body inertia": Forward dynamics
@checked(q="nq", qd="nv", tau="nv", external=("n", 6), external_frame=FRAMES, recursion=RECURSIONS)
def aba(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    tau: ArrayNv,
    *,
    external: ArrayNx6 | None = None,
    external_frame: FrameWord = "body",
    recursion: RecursionWord = "body",
) -> ArrayNv:
    """Return the joint accelerations qdd (..., nv) of a chain or tree [rad/s^2, m/s^2].

    Forward dynamics. q : (..., nq); qd : (..., nv); tau : (..., nv) joint forces [N m,
    N]; external : (..., n, 6) external wrench [tau; f] on each link, in
    `external_frame`: "body" (about the link origin, link axes), "world" (about the
    world origin, world axes) or "mixed" (about the link origin, world axes). Gravity is
    the chain's. Rotors of its drives are included, friction (`joint_friction`) is not.
    recursion : the coordinates of the computation. ValueError names the joint that
    feels no inertia, if M is singular.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> aba(rod, still, still, still).round(3)
    array([14.715])
    """
    state = evaluate(chain, q, qd, tau, external, recursion=recursion)
    factors = factorise_state(state)
    loads = net_bias(state, external, external_frame) + factors.inertias @ state.eta
    left, _ = factors.inward_forces(tau[..., None], loads)
    _, qdd = factors.outward_motions(left, state.eta, ground_acceleration(chain))
    return qdd[..., 0]


# Chapter 9, "Articulated-body inertia": Forward dynamics
@checked(q="nq")
def articulated_inertia(chain: Chain, q: ArrayNq) -> ArrayNx6x6:
    """Return the articulated-body inertia of every link (..., n, 6, 6), in link axes.

    About the link's origin. q : (..., nq). It is felt by a force on the link with its
    subtree, all joints of which are free to move, and its own joint cut;
    `apparent_inertia` of it with S is felt by the parent through a joint without a
    rotor. ValueError names the joint that feels no inertia, if M is singular.

    >>> lift = Link(Prismatic((0, 0, 1)), 2, (0, 0, 0), np.eye(3))
    >>> puck = Link(Prismatic((1, 0, 0)), 1, (0, 0, 0), np.eye(3))
    >>> articulated_inertia(Chain([lift, puck]), np.zeros(2))[0].diagonal().round(9)
    array([2., 2., 2., 2., 3., 3.])
    """
    inertias, batch = factorise_state(evaluate(chain, q)).inertias, q.shape[:-1]
    if inertias.ndim == q.ndim + 2:
        return inertias
    return inertias + zeros((*batch, 1, 1, 1))  # no link hangs on another: all constant
