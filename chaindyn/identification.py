# Generated from chapters/19_identification.md by `python -m book export`; edit it there.
# sha256 of the text below: 624bb049df44ff8223aea99acc0eb8e8c1532173ce2e2bf95f9921ad5ecb8c22
"""Identification: the inertial parameters of a robot's links, from measured motion.

Derived in chapter 19, "Identification".
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chaindyn._ops import Array, block, concatenate, divide, eye, unstack, zeros
from chaindyn.chain import Chain, Link, inward, random_state
from chaindyn.derivatives import placed
from chaindyn.guards.arguments import check_array, check_positive_number, require_made_by
from chaindyn.guards.door import checked
from chaindyn.guards.numbers import as_real, known_values, require_finite, require_no_overflow
from chaindyn.inertia import inertia_from_parameters, inertia_parameters, pseudo_inertia
from chaindyn.inverse_dynamics import ground_acceleration, sum_wrenches
from chaindyn.spatial import skew
from chaindyn.state import evaluate

__all__ = [
    "BaseParameters",
    "LinearFit",
    "base_parameters",
    "fit_bodies",
    "fit_linear",
    "inertial_parameters",
    "torque_regressor",
    "with_parameters",
]


# Chapter 19, "Identification": The code
@checked()
def inertial_parameters(chain: Chain) -> Array:
    """Return the ten parameters of all links, one link after the other (10 n,).

    Each link's are those of `inertia_parameters`, in Pinocchio's order: m [kg], m c [kg
    m], and about the link's origin Ixx, Ixy, Iyy, Ixz, Iyz, Izz [kg m^2].
    """
    return inertia_parameters(chain.spatial_inertia).reshape(-1)


@checked(q="nq", qd="nv", qdd="nv")
def torque_regressor(chain: Chain, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the matrix Y (..., nv, 10 n) with Y @ inertial_parameters(chain) =
    rnea(chain, q, qd, qdd).

    q : (..., nq); qd, qdd : (..., nv). It depends on the chain's joints, lengths and
    gravity, not on its masses. The torque of the rotors, chain.reflected_inertia * qdd,
    belongs to no link and must be added. Atkeson, An and Hollerbach (1986), for every
    joint and for trees.
    """
    state, width = evaluate(chain, q, qd, qdd), 10 * chain.n
    A = state.accelerations(qdd, ground_acceleration(chain))
    units = inertia_from_parameters(eye(10))
    ad, V = state.crm_twists[..., None, :, :], state.twists[..., None, :, :]
    needed = (units @ A[..., None, :, :] - ad.mT @ (units @ V))[..., 0].mT
    columns = [
        placed(own, range(10 * i, 10 * i + 10), width) for i, own in enumerate(unstack(needed, -3))
    ]
    through, _ = inward(sum_wrenches, chain.parent, (zeros((6, width)),), state.X, columns)
    kept = [S.mT @ f for S, f in zip(state.S, through, strict=True)]
    return concatenate(kept, axis=-2)


# Chapter 19, "Identification": What can be known
@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The combinations of a chain's inertial parameters that determine its joint
    forces.

    columns (b,) : the columns of `torque_regressor` that are independent; combinations
    (b, 10 n) : the matrix B with Y = Y[..., columns] @ B in every state, so that B @
    inertial_parameters(chain) are the base parameters; distances (10 n,) : how far each
    column is from those before it that were kept, as a share of its length.
    """

    columns: Array
    combinations: Array
    distances: Array


def independent_columns(matrix: Array, tolerance: float = 1e-9) -> tuple[Array, Array]:
    """Return which columns of a matrix (m, k) are farther than this from those kept
    before; and all distances.
    """
    kept: list[int] = []
    basis, distances = np.zeros((len(matrix), 0)), np.zeros(matrix.shape[1])
    for k, column in enumerate(matrix.mT):
        for _ in range(2):  # a second time, against rounding
            column = column - basis @ (basis.mT @ column)
        distances[k] = np.linalg.norm(column)
        if distances[k] > tolerance:
            kept.append(k)
            basis = np.column_stack([basis, column / distances[k]])
    return np.array(kept, int), distances


def unit_columns(matrix: Array, smallest: float = 1e-6) -> tuple[Array, Array]:
    """Return a matrix (m, k) with its columns at length one, and the divisors (k,).

    Columns below this share of the longest are divided by the longest, so that rounding
    does not grow.
    """
    lengths = np.linalg.norm(matrix, axis=0)
    largest = lengths.max(initial=0)
    lengths = np.where(lengths > smallest * largest, lengths, largest or 1)
    return matrix / lengths, lengths


@checked()
def base_parameters(chain: Chain, *, seed: int = 0) -> BaseParameters:
    """Return the combinations of the links' parameters that determine a chain's joint
    forces.

    They follow from its joints, lengths and gravity, in states drawn at random from
    this seed, not from its masses. Gautier (1991). ValueError if the chain holds
    symbols; RuntimeWarning if the rank is not clear.
    """
    rng, width = np.random.default_rng(seed), 10 * chain.n
    q, qd = random_state(chain, rng, batch=(2 + 2 * width // max(chain.nv, 1),))
    regressor = torque_regressor(chain, q, qd, rng.normal(size=qd.shape)).reshape(-1, width)
    matrix, lengths = unit_columns(as_real(regressor, "the chain's regressor"))
    columns, distances = independent_columns(matrix)
    unclear = distances[(distances > 1e-11) & (distances < 1e-7)]
    if unclear.size:
        warnings.warn(
            f"the rank of the regressor is not clear: a column is {unclear[0]:.1e} away from those before it, neither "
            "rounding nor a distance; gravity or an axis may be almost, but not quite, in a special direction",
            RuntimeWarning,
            stacklevel=5,
        )
    shares = np.linalg.lstsq(matrix[:, columns], matrix, rcond=None)[0]
    shares = np.where(np.abs(shares) < 1e-9, 0, shares)
    return BaseParameters(columns, shares * lengths / lengths[columns, None], distances)


# Chapter 19, "Identification": A chain of given parameters
def reweighed(link: Link, label: str, ten: Array) -> Link:
    """Return a link with other inertial parameters (10,)."""
    mass, moment, known = ten[:1], ten[1:4], known_values(ten[:4])
    if known is None or known[0] != 0:
        com = divide(moment, mass)
    elif not known[1:].any():
        com = moment
    else:
        raise ValueError(
            f"{label}: the mass is 0, but m c is {known[1:].tolist()} kg m: a link without mass has m c = 0, and one "
            "with m c has a positive mass"
        )
    about = inertia_from_parameters(ten)[:3, :3] + mass * skew(com) @ skew(com)
    return replace(link, mass=mass[0], com=com, inertia=about)


@checked()
def with_parameters(chain: Chain, parameters: Array) -> Chain:
    """Return a chain with these inertial parameters (10 n,), in the order of
    `inertial_parameters`, which it undoes.

    Joints, lengths and gravity stay. ValueError names the link that is impossible, and
    the condition: a mass not negative, m c = 0 without mass, and moments about the
    centre of mass of which none is negative or larger than the sum of the others.
    """
    rows = check_array(parameters, "parameters", (10 * chain.n,)).reshape(chain.n, 10)
    named = zip(chain.links, chain.names, rows, strict=True)
    links = [
        reweighed(link, f"link {i} ({name!r})", ten) for i, (link, name, ten) in enumerate(named)
    ]
    return Chain(tuple(links), chain.gravity, chain.frames)


# Chapter 19, "Identification": A fit, and how sure it is
@dataclass(frozen=True, eq=False)
class LinearFit:
    """Result of a linear fit: estimate (b,), its covariance (b, b), and the noise (nv,)
    of each joint's forces.
    """

    estimate: Array
    covariance: Array
    noise: Array


def check_samples(regressor: Any, forces: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return a regressor as floats (m, nv, b) and forces as (m, nv); ValueError if they
    do not fit.
    """
    columns, tau = as_real(regressor, "regressor"), as_real(forces, "forces")
    if columns.ndim < 3 or tau.shape != columns.shape[:-1]:
        raise ValueError(
            f"regressor has shape {columns.shape} and forces {tau.shape}, but must have shapes (..., nv, b) and "
            "(..., nv), with at least one axis of samples before nv"
        )
    require_finite(columns, "regressor")
    require_finite(tau, "forces")
    require_no_overflow("the equations", (columns * columns).sum(), (tau * tau).sum())
    columns = columns.reshape(-1, *columns.shape[-2:])
    if len(columns) <= columns.shape[-1]:
        raise ValueError(
            f"{len(columns)} samples cannot tell {columns.shape[-1]} columns and their noise: more samples are needed"
        )
    return columns, tau.reshape(columns.shape[:-1])


def require_independent_columns(columns: np.ndarray) -> None:
    """Refuse columns (m, b) that depend on those before them."""
    kept, distances = independent_columns(unit_columns(columns, smallest=1e-12)[0])
    lost = [k for k in range(len(distances)) if k not in kept]
    if lost:
        raise ValueError(
            f"columns {lost} of the regressor depend on those before them: take those of base parameters alone, and "
            "a motion in which every joint moves"
        )


@checked()
def fit_linear(regressor: Any, forces: Any) -> LinearFit:
    """Return the fit of unknowns (b,), by which the regressor (..., nv, b) gives forces
    (..., nv) best in all samples.

    The noise of each joint's forces is taken from the residuals, and weights its rows;
    it must be independent from sample to sample, and the regressor without noise.
    ValueError if the samples are too few, or the columns not independent.
    """
    columns, tau = check_samples(regressor, forces)
    m, nv, b = columns.shape
    # of each joint's m rows, b rows are enough: the others are orthogonal to all
    # columns
    Q, rows = np.linalg.qr(columns.swapaxes(0, 1))
    right = (Q.mT @ tau.mT[..., None])[..., 0]
    require_independent_columns(rows.reshape(-1, b))
    least = (
        np.finfo(float).eps * np.abs(tau).max(initial=0) or 1.0
    )  # of forces without noise, their rounding
    noise = np.ones(nv)
    for _ in range(4):
        Q, R = np.linalg.qr((rows / noise[:, None, None]).reshape(-1, b))
        estimate = np.linalg.solve(R, Q.mT @ (right / noise[:, None]).reshape(-1))
        used = (Q**2).reshape(nv, -1).sum(-1)
        left = ((tau - columns @ estimate) ** 2).sum(0)
        noise = np.maximum(np.sqrt(left / (m - used)), least)
    _, R = np.linalg.qr((rows / noise[:, None, None]).reshape(-1, b))
    inverse = np.linalg.solve(R, np.eye(b))
    return LinearFit(estimate, inverse @ inverse.T, noise)


# Chapter 19, "Identification": Physically possible links
def body_factors(inertias: Array) -> Array:
    """Return F (..., 4, 4) with F F^T the pseudo-inertia of spatial inertias (..., 6,
    6), which must be of bodies.
    """
    J = pseudo_inertia(inertias)
    mass = J[..., 3:, 3:]
    com = J[..., :3, 3:] / np.where(mass > 0, mass, 1)
    sizes, axes = np.linalg.eigh(J[..., :3, :3] - mass * com @ com.mT)
    root = (axes * np.sqrt(np.maximum(sizes, 0))[..., None, :]) @ axes.mT
    return block([[root, np.sqrt(mass) * com], [zeros((1, 3)), np.sqrt(mass)]])


def deformation(theta: Array) -> Array:
    """Return the upper triangular T (..., 4, 4) of ten numbers (..., 10): scale,
    stretches, shears, shift.
    """
    scale, stretch, shear, shift = np.split(theta, [1, 4, 7], axis=-1)
    none, one, stretch = 0 * scale, 0 * scale + 1, np.exp(stretch)
    rows = [
        [stretch[..., :1], shear[..., :2], shift[..., :1]],
        [none, stretch[..., 1:2], shear[..., 2:], shift[..., 1:2]],
        [none, none, stretch[..., 2:], shift[..., 2:]],
        [none, none, none, one],
    ]
    return np.exp(scale)[..., None] * np.stack(
        [np.concatenate(row, axis=-1) for row in rows], axis=-2
    )


def deformed_parameters(factors: Array, theta: Array) -> Array:
    """Return the ten parameters (..., 10) of bodies with factors F (..., 4, 4),
    deformed by theta (..., 10).
    """
    U = factors @ deformation(theta)
    J = U @ U.mT
    second = J[..., :3, :3]
    about = np.trace(second, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - second
    entries = about[..., [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    return np.concatenate([J[..., 3:, 3], J[..., :3, 3], entries], axis=-1)


def deformed_slopes(factors: Array, theta: Array) -> Array:
    """Return the derivatives of each body's parameters by its theta (n, 10, 10), by
    complex steps.
    """
    step = 1e-100
    stepped = theta[:, None] + 1j * step * np.eye(10)
    return (deformed_parameters(factors[:, None], stepped).imag / step).mT


@checked()
def fit_bodies(chain: Chain, base: BaseParameters, fit: LinearFit, *, spread: float = 1.0) -> Chain:
    """Return the chain of possible bodies that fits base parameters best, near a guess
    where they are undetermined.

    chain : the guess, whose links are bodies; a link without extent in some direction,
    or without mass, stays so.
    base : `base_parameters` of the chain; fit : `fit_linear` with their columns;
    further columns, of friction for instance, are ignored. spread : expected error of
    the guess, in logarithms. Needs SciPy. After Rucker and Wensing (2022). ValueError
    if base and fit are not of this chain, or if the search does not converge.
    """
    from scipy.optimize import least_squares

    require_made_by("base_parameters", base, "base", "combinations")
    require_made_by("fit_linear", fit, "fit", "covariance")
    spread, (b, width) = check_positive_number(spread, "spread"), base.combinations.shape
    if width != 10 * chain.n or len(fit.estimate) < b:
        raise ValueError(
            f"base is of {width // 10} links with {b} base parameters, but the chain has {chain.n} links and the fit "
            f"{len(fit.estimate)} unknowns: base must be of this chain, and the fit begin with its base parameters"
        )
    factors = body_factors(as_real(chain.spatial_inertia, "the links' inertias"))
    weights = np.linalg.inv(np.linalg.cholesky(fit.covariance[:b, :b]))
    rows, goal = weights @ base.combinations, weights @ fit.estimate[:b]

    def residual(theta: Array) -> Array:
        ten = deformed_parameters(factors, theta.reshape(-1, 10))
        return np.concatenate([rows @ ten.reshape(-1) - goal, theta / spread])

    def slope(theta: Array) -> Array:
        own = rows.reshape(b, -1, 10).swapaxes(0, 1) @ deformed_slopes(
            factors, theta.reshape(-1, 10)
        )
        return np.concatenate([own.swapaxes(0, 1).reshape(b, width), np.eye(width) / spread])

    found = least_squares(residual, np.zeros(width), slope, ftol=1e-12, xtol=1e-12, gtol=1e-12)
    if not found.success:
        raise ValueError(
            f"the search did not settle in {found.nfev} steps: {found.message}; a larger spread may help"
        )
    return with_parameters(chain, deformed_parameters(factors, found.x.reshape(-1, 10)).reshape(-1))
