# Generated from chapters/31_solving_contact.md by `python -m book export`; edit it there.
# sha256 of the text below: 8a889284fe722c42b785cd41a421c61ec960f1938abb5c1f508a76cede8eed59
"""Complementarity: linear problems, and impulses with friction.

Derived in chapter 31, "Solving contact problems".
"""

from functools import partial
from itertools import product

import numpy as np

from chaindyn._ops import Array, concatenate, eye, positive, where
from chaindyn.array_types import ArrayN, ArrayNxN
from chaindyn.friction import cone_margins, cone_slopes, coulomb_miss, forces_of_unknowns, shortened
from chaindyn.guards.complementarity import (
    LCP,
    METHODS,
    ROUNDING,
    MethodWord,
    are_not_negative,
    as_problem,
    balanced,
    distinct,
    ends_of_face,
    fitting,
    is_singular,
    require_few,
    result_of,
    settling,
)
from chaindyn.guards.cones import impulses_on_cones, sticking_impulses
from chaindyn.guards.door import checked
from chaindyn.guards.ties import island_by_island, lemke, most_even, or_nearby

__all__ = ["solve_lcp"]


# Chapter 31, "Solving contact problems": One mode after another
def solutions_of_mode(A: Array, b: Array, active: Array) -> list[Array]:
    """Return the z (n,) of one mode: none, the only one, or two of a continuum.

    active : (n,) booleans.
    """
    own, right = A[np.ix_(active, active)], -b[active]
    if is_singular(own, A):
        return fitting(A, b, active, ends_of_face(A, b, active))
    return fitting(A, b, active, np.linalg.solve(own, right)[None])


@balanced
def enumerate_modes(A: Array, b: Array) -> tuple[Array, int]:
    """Return all solutions (k, n) of an LCP, the smallest first, and how many modes.

    Of a continuum one or two points. ArithmeticError if there is none; ValueError if n
    is above 12.
    """
    require_few(len(b))
    modes = (np.array(mode, bool) for mode in product((False, True), repeat=len(b)))
    found = (z for mode in modes for z in solutions_of_mode(A, b, mode))
    return distinct(A, b, found), 2 ** len(b)


# Chapter 31, "Solving contact problems": Projected Gauss-Seidel
@balanced
def projected_gauss_seidel(A: Array, b: Array, sweeps: int, tolerance: float) -> tuple[Array, int]:
    """Return z (1, n) after so many sweeps, or fewer if it settles, and their number.

    It settles when no |min(A_ii z_i, w_i)| is above a share of max |b|. ValueError if a
    diagonal entry is not positive; ArithmeticError if z grows without bound.
    """
    settled, diagonal = settling(A, b, tolerance), np.diagonal(A)
    z = np.zeros(len(b))
    for count in range(1, sweeps + 1):
        for i in range(len(b)):
            z[i] = max(0.0, z[i] - (A[i] @ z + b[i]) / diagonal[i])
        if settled(z, count):
            break
    return z[None], count


# Chapter 31, "Solving contact problems": Projected Gauss-Seidel
@checked(method=METHODS)
def solve_lcp(
    A: ArrayNxN,
    b: ArrayN,
    *,
    method: MethodWord = "lemke",
    sweeps: int = 1000,
    tolerance: float = 1e-14,
) -> LCP:
    """Return z (n,) and w (n,) with w = A z + b, z >= 0, w >= 0 and z.w = 0: a linear
    complementarity problem.

    A : (n, n); b : (n,); floats, one problem at a time. method : "lemke", which finds
    one solution for the matrices of contact problems and many others, ties decided
    lexicographically, so that it ends; "pgs", projected Gauss-Seidel, which improves z
    in at most so many `sweeps` and stops when the residual is `tolerance` times the
    largest |b|: check the `residual` of the result; "enumerate", which tries all modes,
    for n up to 12, and gives in `count` whether there is one solution or many.
    ArithmeticError if there is no solution, if Lemke's path ends on a ray, or if PGS
    grows without bound: the message distinguishes them. ValueError for bad input.
    Cottle, Pang and Stone (1992), chapters 4 and 5.

    >>> solve_lcp(np.array([[2.0]]), np.array([-4.0])).z
    array([2.])
    """
    A, b, sweeps, tolerance = as_problem(A, b, sweeps, tolerance)
    if method == "enumerate":
        found, count = enumerate_modes(A, b)
        several = "one" if len(found) == 1 else "many"
        return result_of(A, b, found[0], count, several, found)
    if method == "pgs":
        (z,), count = projected_gauss_seidel(A, b, sweeps, tolerance)
    else:
        (z,), count = lemke(A, b)
    return result_of(A, b, z, count)


# Chapter 31, "Solving contact problems": Friction: a pyramid in place of the cone
def pyramid_impulse(z: Array, directions: Array) -> Array:
    """Return the impulse p (..., 1 + k) of z (..., d + 2): of its normal part and its d
    parts of friction.

    directions : (d, k), of friction, in the tangent plane (k = 2) or along the only
    tangent (k = 1).
    """
    return concatenate([z[..., :1], z[..., 1:-1] @ directions], axis=-1)


def coulomb_conditions(z: Array, v: Array, mu: Array, known: Array, directions: Array) -> Array:
    """Return w (..., d + 2), with which z >= 0, w >= 0 and z.w = 0 are Coulomb's law:
    Stewart and Trinkle (1996).

    z : (..., d + 2), of a contact the normal impulse, d parts of friction, and the
    speed of slip; v : (..., 1 + k), how it moves after the blow; mu (...); known (...),
    friction allowed beyond mu times the normal impulse;
    directions : as for `pyramid_impulse`.
    """
    normal, friction, slip = z[..., :1], z[..., 1:-1], z[..., -1:]
    room = mu[..., None] * normal + known[..., None] - friction.sum(-1, keepdims=True)
    return concatenate([v[..., :1], v[..., 1:] @ directions.mT + slip, room], axis=-1)


# Chapter 31, "Solving contact problems": Friction: a pyramid in place of the cone
def in_pyramids(W: Array, b: Array, mu: Array, known: Array, facets: int) -> Array:
    """Return impulses as `contact_impulses` does, by an LCP with pyramids in place of
    cones.
    """
    angles = 2 * np.pi * np.arange(facets) / facets
    fan = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    place = np.arange(len(mu) * (facets + 2)).reshape(len(mu), -1)
    rough = np.flatnonzero(mu > 0)
    own = np.concatenate([place[:, 0], place[rough, 1:-1].ravel(), place[rough, -1]])
    z = np.eye(place.size)[own].reshape(-1, *place.shape)  # a unit of each unknown
    p = pyramid_impulse(z, fan)
    size = np.trace(W) / len(W) or 1.0
    effects = p.reshape(len(z), -1) @ W.T / size
    w = coulomb_conditions(z, effects.reshape(p.shape), mu, 0 * known, fan)
    start = coulomb_conditions(0 * z[0], b.reshape(-1, 3), mu, size * known, fan)
    A = w.reshape(len(z), -1)[:, own].T
    found = solve_lcp(A, start.ravel()[own])
    return most_even(A, found.z, found.w) @ p.reshape(len(z), -1) / size


# Chapter 31, "Solving contact problems": One contact at a time
def contact_turn(p: Array, v: Array, W: Array, mu: Array, known: Array) -> Array:
    """Return the impulse (..., 1 + k) of a contact after its turn of projected
    Gauss-Seidel.

    p, v : (..., 1 + k), its impulse and velocity before; W : (..., 1 + k, 1 + k), how
    it yields to its own impulse;
    mu, known : (...). What does not yield is left as it is.
    """
    tangents = W[..., 1:, 1:] * eye(W.shape[-1] - 1)
    yields = W[..., 0, :1], tangents.sum((-2, -1), keepdims=True)[..., 0]
    for_normal, for_friction = (where(positive(x), x, np.inf) for x in yields)
    normal = p[..., :1] - v[..., :1] / for_normal
    normal = where(positive(normal), normal, 0)
    slip = v[..., 1:] + W[..., 1:, 0] * (normal - p[..., :1])
    friction = p[..., 1:] - slip / for_friction
    most = mu[..., None] * normal + known[..., None]
    return concatenate([normal, shortened(friction, most)], axis=-1)


# Chapter 31, "Solving contact problems": One contact at a time
def impulses_by_turns(
    W: Array, b: Array, mu: Array, known: Array, sweeps: int, start: Array | None = None
) -> Array:
    """Return impulses p (c,) after so many sweeps from a start or zero, in which each
    contact has one turn, or until none changes.

    W : (c, c), b : (c,), with c = 2 m in a plane and 3 m in space; mu, known : (m,).
    """
    m = len(mu)
    speeds, blocks = b.reshape(m, -1), W.reshape(m, -1, m, len(b) // m)
    p = 0 * speeds if start is None else start.reshape(m, -1).copy()
    for _ in range(sweeps):
        before = p.copy()
        for k in range(m):
            v = speeds[k] + np.tensordot(blocks[k], p)
            p[k] = contact_turn(p[k], v, blocks[k, :, k], mu[k], known[k])
        if (p == before).all():
            break
    return p.ravel()


# Chapter 31, "Solving contact problems": One contact at a time
def contact_modes() -> Array:
    """Return the modes (7, 3) of a contact in a plane: open, sticks, slips forwards,
    slips backwards.

    The last three take the place of the first where friction is known to be allowed
    without a normal impulse.
    """
    pushing = [[1, 1, 0], [1, 0, -1], [1, 0, 1]]
    return np.array([[0, 0, 0], *pushing, [0, 1, 0], [0, 0, -1], [0, 0, 1]])


def mode_equations(p: Array, v: Array, mu: Array, known: Array, mode: Array) -> Array:
    """Return what must be zero (..., 2) in a mode (..., 3) of a contact in a plane; p,
    v (..., 2); mu, known (...).
    """
    pushes, sticks, side = (mode[..., k : k + 1] for k in range(3))
    most = mu[..., None] * p[..., :1] + known[..., None]
    along = sticks * v[..., 1:] + (1 - sticks) * (p[..., 1:] - side * most)
    return concatenate([pushes * v[..., :1] + (1 - pushes) * p[..., :1], along], axis=-1)


def mode_margins(p: Array, v: Array, mu: Array, known: Array, mode: Array) -> tuple[Array, Array]:
    """Return what must not be negative in a mode (..., 3): impulses (..., 2) and speeds
    (..., 2).
    """
    pushes, sticks, side = (mode[..., k : k + 1] for k in range(3))
    impulses = concatenate([pushes, sticks], axis=-1) * cone_margins(p, mu, known)
    speeds = concatenate([(1 - pushes) * v[..., :1], -side * v[..., 1:]], axis=-1)
    return impulses, speeds


# Chapter 31, "Solving contact problems": One contact at a time
def impulses_by_modes(W: Array, b: Array, mu: Array, known: Array) -> list[Array]:
    """Return the impulses p (2 m,) of contacts in a plane that obey Coulomb's law, of
    each of the modes that fits.

    W : (2 m, 2 m); b : (2 m,); mu, known : (m,). A mode whose equations are singular is
    left out.
    """
    m, found = len(mu), []
    unit, still = np.eye(2 * m).reshape(-1, m, 2), np.zeros((m, 2))
    responses, start = W.T.reshape(-1, m, 2), b.reshape(m, 2)
    modes = contact_modes()[1:] if known.any() else contact_modes()[:4]
    for mode in map(np.array, product(modes, repeat=m)):
        A = mode_equations(unit, responses, mu, 0 * known, mode).reshape(2 * m, -1).T
        if is_singular(A, A):
            continue
        p = -np.linalg.solve(A, mode_equations(still, start, mu, known, mode).ravel())
        v = W @ p + b
        given = p.reshape(m, 2), v.reshape(m, 2), mu, known, mode
        if are_not_negative(mode_margins(*given), p, np.append(v, b)):
            found.append(p)
    return found


# Chapter 31, "Solving contact problems": All contacts at once
def newton_step(W: Array, b: Array, mu: Array, known: Array, p: Array) -> tuple[Array, Array]:
    """Return by how much impulses p (3 m,) miss Coulomb's law, and Newton's step.

    W : (3 m, 3 m), b : (3 m,), in units in which contacts yield by about 1; mu, known :
    (m,).
    """
    n, own, v = len(p), p.reshape(-1, 3), (W @ p + b).reshape(-1, 3)
    miss = coulomb_miss(own, v, mu, known).ravel()
    moved = cone_slopes(own - v, mu, known) @ (np.eye(n) - W).reshape(-1, 3, n)
    matrix = np.eye(n) - moved.reshape(n, n)
    return miss, -np.linalg.lstsq(matrix, miss, rcond=ROUNDING)[0]


# Chapter 31, "Solving contact problems": All contacts at once
@island_by_island
def contact_impulses(
    W: Array, b: Array, mu: Array, known: Array, facets: int, sliding: Array, size: float
) -> Array:
    """Return impulses p (3 m,): normal parts complementary to W p + b there, and
    friction by Coulomb's law.

    W : (3 m, 3 m); b : (3 m,), for each contact the speeds along the normal and two
    tangents without p; mu : (m,); known : (m,), friction allowed beyond mu times the
    normal part; facets : the number of sides of a pyramid in place of the cone
    (Stewart and Trinkle, 1996), or 0 for the cone itself;
    sliding : (m,) booleans, where friction is mu times the normal part, against the
    first tangent; size : of the speeds from which b was computed, if they are larger
    than b [m/s]. Forces and accelerations may take the place of impulses and speeds.
    ArithmeticError if no impulses are found that obey the law to 1e-10 of the largest
    (in a simulation 1e-6), or as from `solve_lcp`.
    """
    stuck = None if sliding.any() else sticking_impulses(W, b, mu, known, cone_margins)
    if stuck is not None:
        return stuck
    forces = forces_of_unknowns(mu, sliding)
    asked, mu = np.diagonal(forces), np.where(sliding, 0, mu)
    W, b = asked[:, None] * (W @ forces), asked * b
    pyramids = partial(or_nearby, in_pyramids, W, b, size, mu, known, facets or 32)
    if facets or not mu.any():
        return forces @ pyramids()
    laws = impulses_by_turns, newton_step, pyramids
    return forces @ impulses_on_cones(laws, W, b, mu, known, size)
