# Generated from chapters/06_inverse_dynamics.md by `python -m book export`; edit it there.
# sha256 of the text below: 226e4ae16a854517cc375141a7cc05716dccbc51ec6e0b1901babae65d48a031
"""Inverse dynamics: the forces that a motion takes, by one system and by a recursion.

Derived in chapter 6, "Inverse dynamics".
"""

from typing import Any

import numpy as np

from chaindyn._check import FRAMES, RECURSIONS, checked, no_inertia, require_one_state, unit
from chaindyn._ops import Array, concatenate, eye, holds_objects, stack, unstack, zeros
from chaindyn.chain import Chain, forward_kinematics, inward, joint_poses, outward
from chaindyn.joints import rotation_about
from chaindyn.kinematics import joint_bias, joint_motion, joint_screws, pass_on, reframe
from chaindyn.lie import Ad
from chaindyn.spatial import X_force, X_motion, crm

__all__ = ["bias_force", "joint_wrenches", "rnea", "solve_full_system"]


# Chapter 6, "Inverse dynamics": What a sweep needs of a chain
def by_joint(chain: Chain, rows: Array) -> list[Array]:
    """Return the rows (..., k, m) of (..., nv, m) that belong to each link's joint."""
    return [rows[..., own.start : own.stop, :] for own in chain.v_columns]


def columns_to_world(chain: Chain, R: Array, p: Array, columns: Array) -> Array:
    """Express motions (..., nv, 6), one for each joint rate in its link's coordinates, in the world's.

    R, p : the links' poses in the world.
    """
    return (Ad(R, p)[..., chain.link_of_column, :, :] @ columns[..., None])[..., 0]


def mechanism(
    chain: Chain, q: Array, recursion: str, *others: Array | None
) -> tuple[list[Array], list[Array], Array]:
    """Return of each link X (..., 6, 6) and S (..., 6, k), and I (..., n, 6, 6), as the recursion wants them.

    others : what else will be computed with; where it or q holds symbols, integers in I stay exact.
    """
    screws, inertias = joint_screws(chain, q), chain.spatial_inertia
    if any(holds_objects(x) for x in (q, *others)):
        inertias = inertias.astype(object)
    if recursion == "world":
        R, p = forward_kinematics(chain, q)
        to_link = X_motion(R.mT, p)
        screws = columns_to_world(chain, R, p, screws)
        inertias = to_link.mT @ inertias @ to_link
        X = [eye(6)] * chain.n
    else:
        R, p = joint_poses(chain, q)
        X = unstack(X_motion(R.mT, p), -3)
    return X, [rows.mT for rows in by_joint(chain, screws)], inertias


def link_twists(chain: Chain, X: list[Array], S: list[Array], qd: Array) -> Array:
    """Return every link's twist (..., n, 6, 1), in the coordinates of X and S."""
    rates = by_joint(chain, qd[..., None])
    joint_parts = [s @ rate for s, rate in zip(S, rates, strict=True)]
    return stack(outward(pass_on, chain.parent, zeros((6, 1)), X, joint_parts), axis=-3)


# Chapter 6, "Inverse dynamics": What a sweep needs of a chain
def velocity_terms(
    chain: Chain, q: Array, qd: Array, X: list[Array], inertias: Array, recursion: str
) -> tuple[Array, Array]:
    """Return eta = V x S qd + dS/dt qd and the bias force V x* I V of every link, both (..., n, 6, 1)."""
    rates = reframe(chain, q, joint_motion(chain, q, qd), "body", recursion)[..., None]
    own = reframe(chain, q, joint_bias(chain, q, qd), "body", recursion)[..., None]
    V = stack(outward(pass_on, chain.parent, zeros((6, 1)), X, unstack(rates, -3)), axis=-3)
    turning = crm(V[..., 0])  # on forces it is minus the transpose
    return turning @ rates + own, -(turning.mT @ (inertias @ V))


# Chapter 6, "Inverse dynamics": One large matrix
def full_system(chain: Chain, q: Array, qd: Array, tau: Array) -> tuple[Any, Array]:
    """Return matrix and right side of all equations of motion at once, about the world origin.

    Unknown are the accelerations a (6 n), the wrenches f (6 n) of each parent on its link, and qdd (nv). The
    matrix is SciPy's, sparse, and square of order 12 n + nv, 13 n with hinges and slides alone. Its rows:
    a - a of the parent - S qdd = eta; I a - f + f of the children = weight - v x* I v; S^T f = tau.
    Alexiou, "The dynamics of a serial chain of bodies", the table of unknowns and equations.
    """
    from scipy import sparse

    _, S, inertias = mechanism(chain, q, "world")
    eta, bias = velocity_terms(chain, q, qd, [eye(6)] * chain.n, inertias, "world")
    falling = np.concatenate([np.zeros(3), chain.gravity])[:, None]
    hanging = [i for i, parent in enumerate(chain.parent) if parent >= 0]
    ones = np.ones(len(hanging))
    of_parent = sparse.coo_array(
        (ones, (hanging, [chain.parent[i] for i in hanging])), shape=(chain.n, chain.n)
    )
    less_parent = sparse.eye_array(6 * chain.n) - sparse.kron(of_parent, eye(6))
    screws = sparse.block_diag(S)
    rows = [
        [less_parent, None, -screws],
        [sparse.block_diag(inertias), -less_parent.T, None],
        [None, screws.T, None],
    ]
    right = np.concatenate([eta.ravel(), (inertias @ falling - bias).ravel(), tau])
    matrix = sparse.block_array(rows, format="csc")
    matrix.eliminate_zeros()  # SciPy stores blocks whole
    return matrix, right


# Chapter 6, "Inverse dynamics": One large matrix
def is_singular(chain: Chain, matrix: Any, factors: Any) -> bool:
    """Return whether rounding the entries of the large matrix may change qdd by a thousandth.

    matrix : as by `full_system`; factors : its `splu`. The entries are rounded in axes with which no joint is
    aligned, and the right side is made of the rows' sums, so that units play no part.
    """
    from scipy import sparse

    turned = sparse.kron(sparse.eye_array(4 * chain.n), rotation_about(unit((1, 2, 3)), np.ones(1)))
    turn = sparse.block_diag([turned, sparse.eye_array(chain.nv)], format="csc")
    entries = abs(turn @ matrix @ turn.T)
    mixed = np.cos(np.arange(matrix.shape[0]))  # no symmetry of the chain cancels these signs
    probe = factors.solve(turn.T @ (mixed * entries.sum(axis=1)))
    noise = np.finfo(float).eps * mixed * (entries @ np.abs(turn @ probe))
    size, error = (
        np.linalg.norm(x[12 * chain.n :]) for x in (probe, factors.solve(turn.T @ noise))
    )
    return not (np.isfinite(error) and error <= 1e-3 * size)


@checked(q="nq", qd="nv", tau="nv")
def solve_full_system(chain: Chain, q: Array, qd: Array, tau: Array) -> tuple[Array, Array, Array]:
    """Return accelerations (n, 6), joint wrenches (n, 6) and qdd (nv) from one large sparse system.

    q : (nq,); qd : (nv,); tau : (nv,), one state of numbers. Accelerations are spatial and true ones, gravity
    not taken off; wrenches are what each parent exerts on its link, as by `joint_wrenches`. Both are about the
    world origin, in world axes. Needs SciPy. Alexiou, "The dynamics of a serial chain of bodies", the table.
    ValueError for a batch, and if M is singular: it names a joint that feels no inertia.
    """
    from scipy.sparse.linalg import splu

    require_one_state(q=q, qd=qd, tau=tau)
    matrix, right = full_system(chain, q, qd, tau)
    try:
        factors = splu(matrix)
        singular = is_singular(chain, matrix, factors)
    except RuntimeError:  # a pivot is exactly zero
        singular = True
    if singular:
        free = np.linalg.svd(matrix.toarray())[2][-1, 12 * chain.n :]
        link = chain.link_of("nv", int(np.abs(free).argmax()))
        raise no_inertia(link)
    solution = factors.solve(right)
    a, f, qdd = np.split(solution, [6 * chain.n, 12 * chain.n])
    return a.reshape(chain.n, 6), f.reshape(chain.n, 6), qdd


# Chapter 6, "Inverse dynamics": The code
def gather(children: Any, X: Array, own: Array) -> tuple[Array, tuple[Array]]:
    """Link step: what goes through the joint, for the link itself and for what hangs on it."""
    through = own + children[0]
    return through, (X.mT @ through,)


# Chapter 6, "Inverse dynamics": The code
def reframe_wrenches(chain: Chain, q: Array, wrenches: Array, source: str, target: str) -> Array:
    """Express each link's wrench (..., n, 6), given in one frame ("body", "world", "mixed"), in another."""
    if source == target:
        return wrenches
    R, p = forward_kinematics(chain, q)
    f = wrenches[..., None]
    if source != "mixed":  # to the link origin and world axes
        f = (X_force(R, 0 * p) if source == "body" else X_force(eye(3), p)) @ f
    if target != "mixed":
        f = (X_force(R.mT, 0 * p) if target == "body" else X_force(eye(3), -p)) @ f
    return f[..., 0]


def less_external(
    chain: Chain, q: Array, bias: Array, external: Array | None, source: str, recursion: str
) -> Array:
    """Return the bias forces (..., n, 6, 1) less the wrenches from outside, given in a frame, if there are any."""
    if external is None:
        return bias
    return bias - reframe_wrenches(chain, q, external, source, recursion)[..., None]


# Chapter 6, "Inverse dynamics": The code
def transmitted(
    chain: Chain,
    state: tuple[Array, Array, Array],
    external: Array | None,
    external_frame: str,
    recursion: str,
) -> tuple[list[Array], list[Array]]:
    """Return S and the wrench that each parent exerts on its link, in the recursion's coordinates."""
    q, qd, qdd = state
    X, S, inertias = mechanism(chain, q, recursion, qd, qdd, external)
    eta, bias = velocity_terms(chain, q, qd, X, inertias, recursion)
    bias = less_external(chain, q, bias, external, external_frame, recursion)
    joint_parts = [
        own + s @ rate
        for own, s, rate in zip(unstack(eta, -3), S, by_joint(chain, qdd[..., None]), strict=True)
    ]
    rising = concatenate([zeros((3,)), -chain.gravity], axis=-1)[:, None]
    A = stack(outward(pass_on, chain.parent, rising, X, joint_parts), axis=-3)
    net = unstack(inertias @ A + bias, -3)
    through, _ = inward(gather, chain.parent, (zeros((6, 1)),), X, net)
    return S, through


# Chapter 6, "Inverse dynamics": The code
@checked(q="nq", qd="nv", qdd="nv", external=("n", 6), external_frame=FRAMES, recursion=RECURSIONS)
def rnea(
    chain: Chain,
    q: Array,
    qd: Array,
    qdd: Array,
    *,
    external: Array | None = None,
    external_frame: str = "body",
    recursion: str = "body",
) -> Array:
    """Return the joint forces tau (..., nv) [N m, N] that a motion of a chain or tree takes: inverse dynamics.

    q : (..., nq); qd, qdd : (..., nv); external : (..., n, 6) wrench [tau; f] on each link from outside, in
    `external_frame`: "body" (about the link origin, link axes), "world" (about the world origin, world axes)
    or "mixed" (about the link origin, world axes). recursion : the coordinates computed in. Gravity is the
    chain's. Kim (2012), (35)-(42) and Table 2, with the base accelerating by -g.
    """
    S, through = transmitted(chain, (q, qd, qdd), external, external_frame, recursion)
    forces = [s.mT @ f for s, f in zip(S, through, strict=True)]
    return concatenate(forces, axis=-2)[..., 0]


# Chapter 6, "Inverse dynamics": The code
@checked(q="nq", qd="nv", recursion=RECURSIONS)
def bias_force(chain: Chain, q: Array, qd: Array, *, recursion: str = "body") -> Array:
    """Return h (..., nv), the joint forces that take a chain through q with qd and qdd = 0.

    q : (..., nq); qd : (..., nv). Weight is in it: M qdd + h = tau + the sum of J^T times external wrenches.
    """
    return rnea(chain, q, qd, 0 * qd, recursion=recursion)


# Chapter 6, "Inverse dynamics": The code
@checked(
    q="nq",
    qd="nv",
    qdd="nv",
    external=("n", 6),
    external_frame=FRAMES,
    frame=FRAMES,
    recursion=RECURSIONS,
)
def joint_wrenches(
    chain: Chain,
    q: Array,
    qd: Array,
    qdd: Array,
    *,
    external: Array | None = None,
    external_frame: str = "body",
    frame: str = "body",
    recursion: str = "body",
) -> Array:
    """Return what each parent exerts on its link (..., n, 6) [tau; f], the motors' part included.

    Arguments as for `rnea`, whose joint forces are S^T times these; frame : what they are expressed in.
    Alexiou, "The dynamics of a serial chain of bodies", (13); Kim (2012), (42).
    """
    _, through = transmitted(chain, (q, qd, qdd), external, external_frame, recursion)
    wrenches = stack(through, axis=-3)[..., 0]
    return reframe_wrenches(chain, q, wrenches, recursion, frame)
