# Generated from chapters/13_loops_and_redundancy.md by `python -m book export`; edit it there.
# sha256 of the text below: 724fef05d166a3ea9a715bcaef99c86586900d9be0641a0a6822bc5cc27ed833
"""Loops: constraints between the links of a tree, and the dynamics that keeps them.

Derived in chapter 13, "Loops and redundancy".
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

import numpy as np

from chaindyn._ops import Array, block, concatenate, divide, eye, solve, sqrt, where, zeros
from chaindyn.articulated import FactorisedChain, factorise_state
from chaindyn.chain import Chain, integrate
from chaindyn.closure import BodyConstraint, Constraint
from chaindyn.composite import crba
from chaindyn.guards.arguments import FRAMES, check_array, check_mask
from chaindyn.guards.constraint_parts import as_constraints, bodies_of, parts_in
from chaindyn.guards.door import checked
from chaindyn.guards.equations import SINGULAR, solved
from chaindyn.guards.hybrid import check_hybrid
from chaindyn.guards.loops import (
    are_floats,
    are_more,
    at_length_one,
    check_choice,
    check_factors,
    check_kkt,
    check_share,
    check_stabilisation,
    factors_by_joint,
    have_ranks,
    inverse_of,
    judged_rows,
    keep_checked,
    lengths_and_doubt,
    only_rounding,
    regular,
    require_kept,
    require_motors,
    size_of_motions,
    warn_if_impossible,
    warn_if_inconsistent,
)
from chaindyn.guards.numbers import frozen
from chaindyn.hybrid import hybrid_dynamics, interleave
from chaindyn.inverse_dynamics import ground_acceleration, net_bias, rnea
from chaindyn.joints import Joint, across
from chaindyn.spatial import X_motion, crm
from chaindyn.state import State, evaluate

__all__ = [
    "Coupling",
    "Distance",
    "Held",
    "Rolling",
    "constrained_forward_dynamics",
    "constrained_hybrid_dynamics",
    "constrained_inverse_dynamics",
    "solve_kkt",
]


# Chapter 13, "Loops and redundancy": What counts as dependent
def independent_combinations(
    K: Array, size: Array, row_error: Array | float = 0
) -> tuple[Array, Array]:
    """Return independent combinations (..., m, p) of rows K (..., m, nv), and the rank.

    Column j times K is combination j; columns beyond the rank (...) are zero, p is the
    smaller of m and nv. size : (..., nv), the units of the columns. Rows are compared
    at length one; one below 1e-10 of the largest counts as zero. row_error : (...), the
    relative error of the rows: combinations smaller than that, or than rounding, count
    as zero.
    """
    rows, factors, rounding = at_length_one(K / size[..., None, :])
    U, sizes, _ = np.linalg.svd(rows, full_matrices=False)
    noise = np.maximum(rounding, np.asarray(row_error)[..., None])
    kept = sizes > noise * sizes[..., :1]
    return factors * U * kept[..., None, :], kept.sum(-1)


# Chapter 13, "Loops and redundancy": The null space
def subspaces(rows: Array, rank: Array) -> tuple[Array, Array, Array, Array]:
    """Return U (..., p, p), 1 / sizes (..., p, 1), R^T (..., p, n) and N^T (..., n, n).

    rows : (..., p, n), of which as many as the rank (...) are independent, the others
    zero; R : the motions that they forbid; N : those that they allow, zeros first.
    """
    U, sizes, Vh = np.linalg.svd(rows)
    forbidden = np.arange(Vh.shape[-1]) < rank[..., None]
    R = Vh[..., : sizes.shape[-1], :]
    return U, inverse_of(sizes, rank), R, (~forbidden)[..., None] * Vh


# Chapter 13, "Loops and redundancy": The null space
@dataclass(frozen=True, eq=False)
class Held:
    """Result of `solve_kkt`: x (..., nv), multipliers (..., m), rank of K (...).

    Unpacked it gives the first two.
    """

    x: Array
    multipliers: Array
    rank: Array

    def __iter__(self) -> Iterator[Array]:
        """Yield x and the multipliers, so that ``x, multipliers = solve_kkt(...)``."""
        yield self.x
        yield self.multipliers


# Chapter 13, "Loops and redundancy": The null space
def shortest(rows: Array, metric: Array, wanted: Array, doubt: Array) -> tuple[Array, Array, Array]:
    """Return u (..., n, c), where x = metric u is the shortest with rows x = wanted.

    rows : (..., m, n), of any rank; metric : (..., n, n), regular or diagonal, of the
    squares x^T metric^-1 x; wanted : (..., m, c); doubt : (..., m, 1), the squares that
    rounding may leave of rows. Also the shares (..., m, c), zero for rows that add
    nothing, and (..., m, m), lower triangular, of what rows are made: ones on its
    diagonal, and columns of zeros where rows add nothing.
    """
    u = zeros((*wanted.shape[:-2], rows.shape[-1], wanted.shape[-1]))
    steps, mix, shares = list[Any](), [zeros((rows.shape[-2], 0))], [wanted[..., :0, :]]
    for k in range(rows.shape[-2]):
        own, right, error = rows[..., :1, :], wanted[..., :1, :], doubt[..., :1, :]
        answer = metric @ own.mT
        square = own @ answer
        counts = are_more(square, error)
        inverse = where(counts, divide(1, where(counts, square, 1)), 0)
        multiple = rows[..., 1:, :] @ answer * inverse
        rows = rows[..., 1:, :] - multiple * own
        wanted = wanted[..., 1:, :] - multiple * right
        doubt = doubt[..., 1:, :] + multiple * multiple * error
        steps.insert(0, (own, answer, right, inverse))
        mix.append(concatenate([zeros((k, 1)), where(counts, 1, 0), multiple], -2))
    for own, answer, right, inverse in steps:
        shares.insert(0, inverse * (right - only_rounding(answer.mT @ u)))
        u = u + own.mT * shares[0]
    return u, concatenate(shares, -2), concatenate(mix, -1)


# Chapter 13, "Loops and redundancy": The null space
def smallest_multipliers(mix: Array, shares: Array, squares: Array) -> Array:
    """Return multipliers (..., m, c) with mix^T multipliers = shares, the shortest.

    mix, shares : as from `shortest`; squares : (..., m, 1), the squared lengths of the
    rows, by which the multipliers are compared.
    """
    metric = divide(1, squares) * eye(squares.shape[-2])
    rows, wanted = mix.mT[..., ::-1, :], shares[..., ::-1, :]
    return metric @ shortest(rows, metric, wanted, 0 * squares)[0]


def kkt_by_elimination(M: Array, K: Array, right: Array, k: Array, row_error: Array) -> Held:
    """Return what `solve_kkt` does of numbers that are not floats, for a regular M."""
    inverse = solved(M, eye(M.shape[-1]), SINGULAR)
    free, units = inverse @ right, M.diagonal(axis1=-2, axis2=-1)
    squares, doubt = lengths_and_doubt(K, units, K @ inverse @ K.mT, row_error)
    u, shares, mix = shortest(K, inverse, k - K @ free, doubt)
    multipliers = smallest_multipliers(mix, shares, squares)
    x = free + inverse @ u
    rank = (mix.diagonal(axis1=-2, axis2=-1) != 0).sum(-1) + zeros(x.shape[:-2])
    return Held(x[..., 0], multipliers[..., 0], rank[()])


# Chapter 13, "Loops and redundancy": The null space
@checked()
def solve_kkt(M: Array, K: Array, right: Array, k: Array, *, tolerance: float = 0) -> Held:
    """Return x and multipliers with M x = right + K^T multipliers and K x = k.

    x : (..., nv); multipliers : (..., m).
    M : (..., nv, nv), symmetric and positive on the motions that K (..., m, nv) allows;
    it need not be regular, and K may have any rank.
    right : (..., nv); k : (..., m). x and K^T multipliers are unique. If rows depend on
    each other the multipliers are not, and the smallest are given, for rows of length
    one; a contradictory k is met as nearly as possible. tolerance : the relative error
    at which rows still count as dependent, beside rounding. The result has the `rank`
    too. With numbers other than floats M must be regular. ValueError if shapes do
    not fit, if M is not symmetric, or is singular on a motion that K allows. "Notes on
    rigid body dynamics", constraints, with the sign of the multipliers restored; by a
    basis of the null space of K.
    """
    M, K, right, k, row_error = check_kkt(M, K, right, k, tolerance)
    if not are_floats(M, K, right, k):
        return kkt_by_elimination(M, K, right, k, row_error)
    size = size_of_motions(M)
    combine, rank = independent_combinations(K, size, row_error)
    M, right = M / (size[..., :, None] * size[..., None, :]), right / size[..., None]
    U, inverse, R, N = subspaces(combine.mT @ K / size[..., None, :], rank)
    first = R.mT @ (inverse * (U.mT @ (combine.mT @ k)))  # one that has K first = k
    reduced = regular(N @ M @ N.mT, rank)
    x = first + N.mT @ np.linalg.solve(reduced, N @ (right - M @ first))
    multipliers = combine @ (U @ (inverse * (R @ (M @ x - right))))
    x = (x / size[..., None])[..., 0]
    return Held(x, multipliers[..., 0], np.broadcast_to(rank, x.shape[:-1])[()])


# Chapter 13, "Loops and redundancy": The code: two sweeps and a small system
def held_response(
    factors: FactorisedChain, K: Array, wanted: Array, row_error: Array | float = 0
) -> tuple[Array, Array]:
    """Return multipliers (..., m, 1) and their accelerations M^-1 K^T multipliers.

    K times these (..., nv, 1) is `wanted` (..., m, 1). K : (..., m, nv) of the
    velocities that are free in the factors, of any rank: the multipliers are the
    smallest for rows of length one. One inward sweep for every row, one outward sweep
    for all of them together. row_error : (...), the relative error of the rows.
    """
    felt = [own.D for own in factors.links]
    units = concatenate([D.diagonal(axis1=-2, axis2=-1) for D in felt], axis=-1)
    rows = concatenate(factors.inward_forces(K.mT)[0], axis=-2).mT
    inverses = [solve(D, eye(D.shape[-1])) for D in felt]
    metric = block([[x if x is y else 0 for y in inverses] for x in inverses])
    squares, doubt = lengths_and_doubt(K, units, rows @ metric @ rows.mT, row_error)
    u, shares, mix = shortest(rows, metric, wanted, doubt)
    left = [u[..., own.start : own.stop, :] for own in factors.rows]
    return smallest_multipliers(mix, shares, squares), factors.outward_motions(left)[1]


# Chapter 13, "Loops and redundancy": The code: two sweeps and a small system
def rows_and_errors(state: State, constraints: Any, share: float, *names: str) -> list[Array]:
    """Return K (..., m, nv), the relative error of its rows (...), the loops' errors
    (..., m), and other parts.

    share : where near a singular posture less than that is left of a row, it counts as
    zero.
    """
    return judged_rows(partial(parts_in, state, constraints), share, *names)


def wanted_in(
    state: State, constraints: Any, gains: tuple[Any, Any] | None, share: float = 0
) -> tuple[Array, Array, Array | float]:
    """Return K (..., m, nv), K qdd (..., m, 1), and the rows' relative error (...)."""
    K, row_error, error, bias = rows_and_errors(state, constraints, share, "bias")
    k, qd = -bias[..., None], state.qd[..., None]
    if gains is None:
        warn_if_inconsistent(K, state.qd, k)
        return K, k, row_error
    return K, k - gains[1] * (K @ qd) - gains[0] * error[..., None], row_error


# Chapter 13, "Loops and redundancy": The code: two sweeps and a small system
@checked(q="nq", qd="nv", tau="nv", external=("n", 6), external_frame=FRAMES)
def constrained_forward_dynamics(
    chain: Chain,
    constraints: Any,
    q: Array,
    qd: Array,
    tau: Array,
    *,
    external: Array | None = None,
    external_frame: str = "body",
    stabilisation: Any = None,
    tolerance: float = 0,
) -> tuple[Array, Array]:
    """Return accelerations (..., nv) and multipliers (..., m) of a chain with loops.

    constraints : one or several, as for `constraint_jacobian`; q, qd, tau, external and
    external_frame as for `aba`. M qdd + h = tau + K^T multipliers + the forces from
    outside, and K qdd = -dK/dt qd. stabilisation : gains (kp, kd); then K qdd = -dK/dt
    qd - kd K qd - kp error. Rows may depend on each other: qdd and K^T multipliers do
    not change, and the multipliers are the smallest for rows of length one. tolerance :
    a row, or a combination of rows, of which a posture leaves no more than this share,
    counts as dependent. In O(n) for each row, plus the cost of rows alone.
    RuntimeWarning, with the size, if qd breaks the constraints and there is no
    stabilisation. ValueError as from `constraint_jacobian` and `aba`. Kim (2012),
    section 3.2, reconstructed here.
    """
    gains, constraints = check_stabilisation(stabilisation), as_constraints(constraints)
    check_share(tolerance)
    state = evaluate(chain, q, qd, tau, external)
    factors = factorise_state(state)
    loads = net_bias(state, external, external_frame) + factors.inertias @ state.eta
    left, _ = factors.inward_forces(tau[..., None], loads)
    _, free = factors.outward_motions(left, state.eta, ground_acceleration(chain))
    K, wanted, row_error = wanted_in(state, constraints, gains, tolerance)
    multipliers, more = held_response(factors, K, wanted - K @ free, row_error)
    return (free + more)[..., 0], multipliers[..., 0]


# Chapter 13, "Loops and redundancy": The code: two sweeps and a small system
def drawn_in(
    chain: Chain, constraints: Any, q: Array, qd: Array, share: float = 0
) -> tuple[Array, Array]:
    """Return q (..., nq) one step of Newton's nearer to closed loops, and the qd (...,
    nv) that keep the rows before that step.

    By least steps in the metric M. share : as for `rows_and_errors`.
    """
    state = State(chain, q)
    K, row_error, error = rows_and_errors(state, constraints, share)
    wanted = concatenate([-error[..., None], -(K @ qd[..., None])], axis=-1)
    _, moves = held_response(factorise_state(state), K, wanted, row_error)
    return integrate(chain, q, moves[..., 0]), qd + moves[..., 1]


def projected(
    chain: Chain, constraints: Any, q: Array, qd: Array, share: float = 0, draw: Any = None
) -> tuple[Array, Array]:
    """Return the state near q (..., nq), qd (..., nv) that keeps the constraints.

    By least steps in the metric M. share : as for `rows_and_errors`; draw : of q and
    qd, `drawn_in` compiled, or None.
    """
    draw = draw or partial(drawn_in, chain, as_constraints(constraints), share=share)
    for _ in range(3):
        q, _ = draw(q, qd)
    return q, draw(q, qd)[1]


# Chapter 13, "Loops and redundancy": Inverse dynamics of a loop
def least_multipliers(K: Array, right: Array, weights: Array | None) -> Array:
    """Return multipliers (..., m, 1) with K^T multipliers = right, of least square.

    The columns of K (..., m, p) are independent; weights : (m,) of the squares, None is
    ones.
    """
    metric = eye(K.shape[-2]) * (1 if weights is None else divide(1, weights))
    # of one kind of numbers: rows of integers would become floats
    return metric @ shortest(K.mT + 0 * right, metric, right, 0 * right)[0]


# Chapter 13, "Loops and redundancy": Inverse dynamics of a loop
def least_motors(
    K: Array, K_a: Array, needed: Array, first: Array, weights: Array, count: Array
) -> Array:
    """Return multipliers (..., m, 1) of the least needed - K_a^T multipliers.

    K : (..., m, p), of the passive joints, K_a : (..., m, n_a) of the motors; first :
    (..., m, 1) balances the passive ones, and so does the result. weights : (n_a,) of
    the squares; count : (...), of further combinations that act on the motors.
    """
    W = np.linalg.qr(K, mode="complete")[0][..., K.shape[-1] :]
    roots = np.sqrt(weights)[..., None]
    U, sizes, Vh = np.linalg.svd(roots * (K_a.mT @ W), full_matrices=False)
    left = roots * (needed - K_a.mT @ first)
    return first + W @ (Vh.mT @ (inverse_of(sizes, count) * (U.mT @ left)))


# Chapter 13, "Loops and redundancy": Inverse dynamics of a loop
def rank_of(K: Array, units: Array) -> Array:
    """Return the rank (...) of rows K (..., m, n).

    units : (..., n), the squares of the units of the columns.
    """
    metric = divide(1, units)[..., None, :] * eye(units.shape[-1])
    _, doubt = lengths_and_doubt(K, units, K @ metric @ K.mT, 0)
    return shortest(K, metric, K[..., :0], doubt)[2].diagonal(0, -2, -1).sum(-1)


@checked(q="nq", qd="nv", qdd="nv", objective={"unique", "min_force", "min_torque"})
def constrained_inverse_dynamics(
    chain: Chain,
    constraints: Any,
    q: Array,
    qd: Array,
    qdd: Array,
    *,
    actuated: Array,
    tau_passive: Array = 0,
    objective: str = "unique",
    weights: Any = None,
) -> tuple[Array, Array]:
    """Return joint forces tau (..., nv) and multipliers (..., m) for a given motion.

    q, qd, qdd : a motion that keeps the constraints. actuated : (nv,) booleans, true
    where there is a motor.
    tau_passive : a number or (..., n_p), the forces in the other joints, zero by
    default. objective : "unique", if there is only one solution; "min_force", the one
    with the least sum of weights times squares of multipliers; "min_torque", the same
    for the motors' forces. weights : (m,) or (n_a,), ones if None: for several units, N
    and N m, choose weights that make the squares comparable, such as 1/kg and 1/(kg
    m^2). ValueError gives the number of missing motors, or if the solution is not
    unique; RuntimeWarning, with the size, if qd or qdd break the constraints. With
    symbols and numbers other than floats none of this is checked, rows must be
    independent, and there is no "min_torque". Kim (2012), (54)-(66).
    """
    constraints = as_constraints(constraints)
    passive = ~check_mask(actuated, "actuated", chain.nv)
    K, wanted, _ = wanted_in(State(chain, q, qd), constraints, None)
    required = rnea(chain, q, qd, qdd)
    tau_passive, of_rows, of_motors = check_choice(K, passive, tau_passive, objective, weights)
    K_p, missing = K[..., passive], (required[..., passive] - tau_passive)[..., None]
    if have_ranks(objective, K, missing):
        warn_if_impossible(K, qdd[..., None], wanted)
        units = crba(chain, q).diagonal(axis1=-2, axis2=-1)
        found = rank_of(K, units), rank_of(K_p, units[..., passive])
        choices = require_motors(*found, passive, objective)
    multipliers = least_multipliers(K_p, missing, of_rows)
    if objective == "min_torque":
        K_a, needed = K[..., ~passive], required[..., ~passive][..., None]
        multipliers = least_motors(K_p, K_a, needed, multipliers, of_motors, choices)
    tau = required - (K.mT @ multipliers)[..., 0]
    given = tau_passive + 0 * missing[..., 0]  # the prescribed values, without rounding
    return interleave(passive, given, tau[..., ~passive]), multipliers[..., 0]


# Chapter 13, "Loops and redundancy": Some joints prescribed, others free
@checked(q="nq", qd="nv")
def constrained_hybrid_dynamics(
    chain: Chain,
    constraints: Any,
    q: Array,
    qd: Array,
    *,
    prescribed: Array,
    qdd: Array,
    tau: Array,
) -> tuple[Array, Array, Array]:
    """Return accelerations (..., nv), joint forces (..., nv), multipliers (..., m).

    Some of the first two are given. constraints : as for `constraint_jacobian`; q, qd,
    prescribed, qdd and tau as for `hybrid_dynamics`. In O(n) for each row. Rows may
    depend on each other, as in
    `constrained_forward_dynamics`: if a row involves prescribed joints only, forces and
    multipliers are not unique, and the smallest multipliers for rows of length one are
    given. ValueError if the prescribed accelerations break the constraints. Kim (2012),
    section 3.3, reconstructed here.
    """
    u, qdd, tau = check_hybrid(chain, prescribed, qdd, tau, q, qd)
    constraints = as_constraints(constraints)
    state = evaluate(chain, q, qd, qdd, tau)
    factors = factorise_state(state, u)
    K, wanted, row_error = wanted_in(state, constraints, None)
    free, _ = hybrid_dynamics(chain, q, qd, prescribed=u, qdd=qdd, tau=tau)
    multipliers, more = held_response(factors, K[..., ~u], wanted - K @ free[..., None], row_error)
    forces = (K.mT @ multipliers)[..., 0]
    _, needed = hybrid_dynamics(chain, q, qd, prescribed=u, qdd=qdd, tau=tau + forces[..., ~u])
    answer = interleave(u, qdd, free[..., ~u] + more[..., 0])
    require_kept(K, answer[..., None], wanted)
    return answer, interleave(u, (needed - forces)[..., u], tau), multipliers[..., 0]


# Chapter 13, "Loops and redundancy": Rods, gears, and what cannot be integrated
def dot(a: Array, b: Array) -> Array:
    """Return a . b (..., 1) of vectors (..., 3)."""
    return (a * b).sum(-1, keepdims=True)


def point_place(state: State, body: int, point: Array) -> Array:
    """Return the place (..., 3) of a body's point (3,); body -1 is the ground."""
    if body < 0:
        return point
    R, p = state.poses
    return p[..., body, :] + (R[..., body, :, :] @ point[:, None])[..., 0]


def point_motion(state: State, body: int, point: Array) -> tuple[Array, Array]:
    """Return twist and acceleration (..., 6) of a body about a point, while qdd = 0.

    In world axes. The linear part of each is that of the particle: its velocity, and
    the rate of it.
    """
    if body < 0:
        return zeros((6,)), zeros((6,))
    R, _ = state.poses
    there = X_motion(R[..., body, :, :], 0 * point) @ X_motion(eye(3), point)
    V = there @ state.twists[..., body, :, :]
    A = there @ state.bias_accelerations[..., body, :, :]
    return V[..., 0], (A + turned_on(V))[..., 0]


def turned_on(V: Array) -> Array:
    """Return [0; w x v] (..., 6, 1) of a twist (..., 6, 1).

    Added to a spatial acceleration it gives the particle's.
    """
    w = concatenate([V[..., :3, 0], 0 * V[..., 3:, 0]], axis=-1)
    return crm(w) @ concatenate([0 * V[..., :3, :], V[..., 3:, :]], axis=-2)


# Chapter 13, "Loops and redundancy": Rods, gears, and what cannot be integrated
@dataclass(frozen=True, eq=False)
class Distance(BodyConstraint):
    """A rod without mass, with a ball at each end: two points keep their distance.

    link : index or name; onto : the other, "ground" by default. offset (3,) [m] is the
    point in the link, onto_offset that in the other; length [m]. The error is (d.d -
    length^2) / (2 length) for d from the other's point to the link's: the multiplier is
    the force in the rod [N], positive if it pushes. ValueError as for a `Closure`, and
    if the length is not positive.
    """

    link: int | str
    onto: int | str = "ground"
    _: KW_ONLY
    length: Any
    offset: Any = (0, 0, 0)
    onto_offset: Any = (0, 0, 0)

    def __post_init__(self) -> None:
        keep_checked(
            self,
            f"Distance of {self.link!r} from {self.onto!r}",
            length="positive",
            offset=(3,),
            onto_offset=(3,),
        )

    def bodies(self, chain: Chain) -> tuple[int, int]:
        """Return the indices of the two bodies, the link's first; -1 is the ground."""
        return bodies_of("Distance", chain, self.link, self.onto)

    def ends(self, state: State, of: Callable[..., Any]) -> tuple[Any, Any]:
        """Return of(state, body, point) at the onto end and at the link's."""
        link, onto = self.bodies(state.chain)
        return of(state, onto, self.onto_offset), of(state, link, self.offset)

    def error_in(self, state: State) -> Array:
        """Return the `error` of a chain in an evaluated state."""
        start, end = self.ends(state, point_place)
        square = dot(end - start, end - start) - self.length * self.length
        return divide(square, 2 * np.asarray(self.length))

    def seen_rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return a frame at the link's end, in world axes, and the rod as a row."""
        start, end = self.ends(state, point_place)
        along = divide(end - start, np.asarray(self.length))[..., None, :]
        return eye(3), end, concatenate([0 * along, along], axis=-1)

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        start, end = self.ends(state, point_place)
        (V, A), (V_end, A_end) = self.ends(state, point_motion)
        v, a = (V_end - V)[..., 3:], (A_end - A)[..., 3:]
        square = (v * v + (end - start) * a).sum(-1, keepdims=True)
        return divide(square, np.asarray(self.length))


# Chapter 13, "Loops and redundancy": Rods, gears, and what cannot be integrated
def plain_coordinates(chain: Chain) -> Array:
    """Return for each velocity (nv,) the coordinate whose rate it is, or -1.

    Balls and free bodies have none.
    """
    found = np.full(chain.nv, -1)
    for joint, own, rates in zip(chain.joints, chain.q_columns, chain.v_columns, strict=True):
        if type(joint).rate is Joint.rate:
            found[rates] = np.arange(own.start, own.stop)
    return found


# Chapter 13, "Loops and redundancy": Rods, gears, and what cannot be integrated
@dataclass(frozen=True, eq=False)
class Coupling(Constraint):
    """A gear, a belt or a screw: the sum of factors times joint rates is zero.

    factors : for each joint concerned, by index or name of its link, one number, or as
    many as the joint has rates.
    total : the value of the same sum of coordinates, if it exists, for joints whose
    coordinates' rates are their velocities; the error is the difference from it. With a
    ball, a planar or a free joint it is None. The multiplier acts along the joints,
    times the factors, as motors would. ValueError names the entry that does not fit a
    chain.
    """

    factors: Mapping[int | str, Any]
    _: KW_ONLY
    total: Any = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "factors", check_factors(self.factors))
        check_array(self.total, "total of a Coupling", ())
        object.__setattr__(self, "total", frozen(self.total))

    def row(self, chain: Chain) -> Array:
        """Return the factors as one row (nv,)."""
        return np.concatenate(factors_by_joint(chain, self.factors))

    def error_in(self, state: State) -> Array | None:
        """Return the `error` of a chain in an evaluated state."""
        row = self.row(state.chain)
        own = np.flatnonzero(row)
        coordinates = plain_coordinates(state.chain)[own]
        if (coordinates < 0).any():
            return None
        q = state.q[..., coordinates]
        return (row[own] * q).sum(-1, keepdims=True) - self.total

    def jacobian_in(self, state: State) -> Array:
        """Return the `jacobian` of a chain in an evaluated state."""
        batch = state.q.shape[:-1]
        return self.row(state.chain)[None] + zeros((*batch, 1, state.chain.nv))

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        batch = np.broadcast_shapes(state.q.shape[:-1], state.qd.shape[:-1])
        return zeros((*batch, 1))


# Chapter 13, "Loops and redundancy": Rods, gears, and what cannot be integrated
def across_axis(normal: Array, u: Array) -> tuple[Array, Array]:
    """Return s / |s| (..., 3) and |s| (..., 1) of the normal (3,) across an axis u."""
    s = normal - dot(u, normal) * u
    size = sqrt(dot(s, s))
    return divide(s, size), size


def rate_across(normal: Array, V: Array, u: Array, along: Array, size: Array) -> Array:
    """Return the rate (..., 3) of `along`, s / |s|, when the disc has the twist V."""
    du = (crm(V)[..., :3, :3] @ u[..., None])[..., 0]  # w x u
    ds = -dot(normal, du) * u - dot(normal, u) * du
    return divide(ds - dot(along, ds) * along, size)


# Chapter 13, "Loops and redundancy": Rods, gears, and what cannot be integrated
@dataclass(frozen=True, eq=False)
class OnPlane(BodyConstraint):
    """A ball or a thin disc on a plane of the ground; fields as for `Rolling`."""

    link: int | str
    radius: Any
    _: KW_ONLY
    axis: Any = None
    offset: Any = (0, 0, 0)
    normal: Any = (0, 0, 1)
    height: Any = 0

    def __post_init__(self) -> None:
        keep_checked(
            self,
            f"Rolling of {self.link!r}",
            radius="positive",
            height=(),
            offset=(3,),
            axis="direction",
            normal="direction",
        )

    def bodies(self, chain: Chain) -> tuple[int, int]:
        """Return the index of the link, and -1 for the ground."""
        return bodies_of("Rolling", chain, self.link, "ground")

    def centre(self, state: State) -> tuple[int, Array]:
        """Return the link's index and the centre in it."""
        return self.bodies(state.chain)[0], self.offset

    def down(self, state: State) -> tuple[Array, Array, Array]:
        """Return the disc's axis (..., 3), s / |s| (..., 3) and |s| (..., 1)."""
        if self.axis is None:
            return 0 * self.normal, self.normal, eye(1)[0]
        R, _ = state.poses
        u = (R[..., self.centre(state)[0], :, :] @ self.axis[:, None])[..., 0]
        return u, *across_axis(self.normal, u)


# Chapter 13, "Loops and redundancy": Rods, gears, and what cannot be integrated
@dataclass(frozen=True, eq=False)
class Rolling(OnPlane):
    """A ball or a thin disc that rolls on a plane of the ground: three rows.

    It neither slips nor lifts off.
    link : index or name; radius [m]. axis : (3,) of the disc, in link axes; None is a
    ball. offset : (3,) of the centre in the link [m]; normal : (3,) of the plane, in
    the world, upwards; height : of the plane along it [m]. The particle at the contact
    does not move along two directions in the plane, nor along the normal; multipliers
    are the friction forces and the normal force on the link [N]. The error is zero in
    the first two rows, which are not the derivative of any function of q, and in the
    third the height of the lowest point over the plane.
    """

    @property
    def directions(self) -> Array:
        """Two directions in the plane and its normal (3, 3), as rows."""
        return concatenate([across(self.normal).mT, self.normal[None]], axis=-2)

    def error_in(self, state: State) -> Array:
        """Return the `error` of a chain in an evaluated state."""
        centre = point_place(state, *self.centre(state))
        _, _, size = self.down(state)
        lowest = dot(self.normal, centre) - self.radius * size
        return concatenate([0 * lowest, 0 * lowest, lowest - self.height], axis=-1)

    def seen_rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return a frame at the contact, in world axes, and its velocity's rows."""
        _, along, _ = self.down(state)
        contact = point_place(state, *self.centre(state)) - self.radius * along
        rows = concatenate([0 * self.directions, self.directions], axis=-1)
        return eye(3), contact, rows

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        V, A = point_motion(state, *self.centre(state))
        u, along, size = self.down(state)
        dr = -self.radius * rate_across(self.normal, V, u, along, size)
        moved = (X_motion(eye(3), -self.radius * along) @ A[..., None])[..., 3:, :]
        turned = crm(V)[..., :3, :3] @ dr[..., None]
        return (self.directions @ (moved + turned))[..., 0]
