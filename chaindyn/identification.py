# Generated from chapters/25_identification.md by `python -m book export`; edit it there.
# sha256 of the text below: f3b899b6b6f5f34bcf6899b894dc3c9ab0b70d5dad2b0efca9c8d2d8014a303e
"""Identification: the inertial parameters of a robot's links, from measured motion.

Derived in chapter 25, "Identification".
"""

from dataclasses import dataclass, replace

import numpy as np

from chaindyn._ops import Array, concatenate, eye, unstack, zeros
from chaindyn.array_types import (
    Array10N,
    ArrayB,
    ArrayBx10N,
    ArrayBxB,
    ArrayNq,
    ArrayNv,
    ArrayNvx10N,
    ArrayNvxB,
)
from chaindyn.chain import Chain, Link, inward
from chaindyn.derivatives import placed
from chaindyn.guards.arguments import check_array
from chaindyn.guards.door import checked
from chaindyn.guards.numbers import as_real
from chaindyn.guards.regression import (
    centre_of_mass,
    check_samples,
    require_independent,
    rounding_of,
    unit_columns,
    warn_if_unclear,
    without_rounding,
)
from chaindyn.inertia import inertia_from_parameters, inertia_parameters
from chaindyn.inverse_dynamics import ground_acceleration, sum_wrenches
from chaindyn.postures import random_state
from chaindyn.spatial import skew
from chaindyn.state import evaluate

__all__ = [
    "BaseParameters",
    "LinearFit",
    "base_parameters",
    "fit_linear",
    "inertial_parameters",
    "torque_regressor",
    "with_parameters",
]


# Chapter 25, "Identification": The code
@checked()
def inertial_parameters(chain: Chain) -> Array10N:
    """Return the ten parameters of all links, one link after the other (10 n,).

    Each link's are those of `inertia_parameters`, in Pinocchio's order: m [kg], m c [kg
    m], and about the link's origin Ixx, Ixy, Iyy, Ixz, Iyz, Izz [kg m^2].

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> inertial_parameters(rod).round(3)
    array([1.   , 0.5  , 0.   , 0.   , 0.   , 0.   , 0.333, 0.   , 0.   ,
           0.333])
    """
    return inertia_parameters(chain.spatial_inertia).reshape(-1)


# Chapter 25, "Identification": The code
@checked(q="nq", qd="nv", qdd="nv")
def torque_regressor(chain: Chain, q: ArrayNq, qd: ArrayNv, qdd: ArrayNv) -> ArrayNvx10N:
    """Return the matrix Y (..., nv, 10 n) of joint forces for unit parameters.

    q : (..., nq); qd, qdd : (..., nv). Y @ inertial_parameters(chain) is rnea(chain, q,
    qd, qdd). It depends on the chain's joints, lengths and
    gravity, not on its masses. The torque of the rotors, chain.reflected_inertia * qdd,
    belongs to no link and must be added. Atkeson, An and Hollerbach (1986), for every
    joint and for trees.

    >>> from chaindyn.models.robots import ur5
    >>> q, qd = np.arange(6) / 2, np.ones(6)
    >>> Y = torque_regressor(ur5(), q, qd, qd)
    >>> np.allclose(Y @ inertial_parameters(ur5()), rnea(ur5(), q, qd, qd))
    True
    """
    state, width = evaluate(chain, q, qd, qdd), 10 * chain.n
    A = state.accelerations(qdd, ground_acceleration(chain))
    units = inertia_from_parameters(eye(10))
    ad, V = state.crm_twists[..., None, :, :], state.twists[..., None, :, :]
    needed = (units @ A[..., None, :, :] - ad.mT @ (units @ V))[..., 0].mT
    columns = [
        placed(own, range(10 * i, 10 * i + 10), width) for i, own in enumerate(unstack(needed, -3))
    ]
    nothing = (zeros((6, width)),)
    through, _ = inward(sum_wrenches, chain.parent, nothing, state.X, columns)
    kept = [S.mT @ f for S, f in zip(state.S, through, strict=True)]
    return concatenate(kept, axis=-2)


# Chapter 25, "Identification": What can be known
@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The combinations of inertial parameters that determine a chain's joint forces.

    columns (b,) : the columns of `torque_regressor` that are independent; combinations
    (b, 10 n) : the matrix B with Y = Y[..., columns] @ B in every state, so that B @
    inertial_parameters(chain) are the base parameters; distances (10 n,) : how far each
    column is from those before it that were kept, as a share of its length.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> base = base_parameters(rod)
    >>> base.columns
    array([1, 3, 6])
    >>> (base.combinations @ inertial_parameters(rod)).round(4) + 0.0
    array([0.5   , 0.    , 0.3333])
    """

    columns: ArrayB
    combinations: ArrayBx10N
    distances: Array10N


# Chapter 25, "Identification": What can be known
def independent_columns(matrix: Array, tolerance: float = 1e-9) -> tuple[Array, Array]:
    """Return which columns (m, k) are farther than this from those kept; all distances."""
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


# Chapter 25, "Identification": What can be known
@checked()
def base_parameters(chain: Chain, *, seed: int = 0) -> BaseParameters:
    """Return the combinations of parameters that determine a chain's joint forces.

    They follow from its joints, lengths and gravity, in states drawn at random from
    this seed, not from its masses. Gautier (1991). ValueError if the chain holds
    symbols; RuntimeWarning if the rank is not clear.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> base_parameters(rod).columns
    array([1, 3, 6])
    """
    rng, width = np.random.default_rng(seed), 10 * chain.n
    q, qd = random_state(chain, rng, batch=(2 + 2 * width // max(chain.nv, 1),))
    regressor = torque_regressor(chain, q, qd, rng.normal(size=qd.shape))
    stacked = as_real(regressor.reshape(-1, width), "the chain's regressor")
    matrix, lengths = unit_columns(stacked)
    columns, distances = independent_columns(matrix)
    warn_if_unclear(distances)
    shares = np.linalg.lstsq(matrix[:, columns], matrix, rcond=None)[0]
    shares = without_rounding(shares)
    return BaseParameters(columns, shares * lengths / lengths[columns, None], distances)


# Chapter 25, "Identification": A chain of given parameters
def reweighed(link: Link, label: str, ten: Array) -> Link:
    """Return a link with other inertial parameters (10,)."""
    com = centre_of_mass(ten, label)
    about = inertia_from_parameters(ten)[:3, :3] + ten[:1] * skew(com) @ skew(com)
    return replace(link, mass=ten[0], com=com, inertia=about)


@checked()
def with_parameters(chain: Chain, parameters: Array10N) -> Chain:
    """Return a chain with these inertial parameters (10 n,).

    Their order is that of `inertial_parameters`, which this undoes. Joints, lengths and
    gravity stay. ValueError names the link that is impossible, and the condition: a
    mass not negative, m c = 0 without mass, and moments about the centre of mass of
    which none is negative or larger than the sum of the others.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> heavier = with_parameters(rod, 2 * inertial_parameters(rod))
    >>> heavier.mass
    array([2.])
    """
    rows = check_array(parameters, "parameters", (10 * chain.n,)).reshape(chain.n, 10)
    named = zip(chain.links, chain.names, rows, strict=True)
    links = [
        reweighed(link, f"link {i} ({name!r})", ten) for i, (link, name, ten) in enumerate(named)
    ]
    return Chain(tuple(links), chain.gravity, chain.frames)


# Chapter 25, "Identification": A fit, and how sure it is
@dataclass(frozen=True, eq=False)
class LinearFit:
    """Result of a linear fit: estimate (b,), covariance (b, b), noise (nv,) of forces.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 20, 1))
    >>> Y = torque_regressor(rod, q, qd, qdd)[..., base_parameters(rod).columns]
    >>> fit_linear(Y, rnea(rod, q, qd, qdd)).estimate.round(4) + 0.0
    array([0.5   , 0.    , 0.3333])
    """

    estimate: ArrayB
    covariance: ArrayBxB
    noise: ArrayNv


# Chapter 25, "Identification": A fit, and how sure it is
def weighted_fit(rows: Array, right: Array, noise: Array) -> tuple[Array, Array, Array]:
    """Return estimate (b,), Q and R of least squares; joint j's rows (nv, k, b) and
    right sides (nv, k) are divided by its noise (nv,).
    """
    Q, R = np.linalg.qr((rows / noise[:, None, None]).reshape(-1, rows.shape[-1]))
    return np.linalg.solve(R, Q.mT @ (right / noise[:, None]).reshape(-1)), Q, R


# Chapter 25, "Identification": A fit, and how sure it is
@checked()
def fit_linear(regressor: ArrayNvxB, forces: ArrayNv) -> LinearFit:
    """Return the unknowns (b,) by which a regressor gives forces best in all samples.

    regressor : (..., nv, b); forces : (..., nv). The noise of each joint's forces is
    taken from the residuals, and weights its rows; it must be independent from sample
    to sample, and the regressor without noise. ValueError if the samples are too few,
    or the columns not independent.

    >>> t = np.linspace(0, 1, 50)[:, None]
    >>> fit = fit_linear(np.stack([t, t * t], -1), 3 * t + 2 * t * t)
    >>> fit.estimate.round(6)
    array([3., 2.])
    """
    columns, tau = check_samples(regressor, forces)
    m, nv, b = columns.shape
    # of each joint's m rows, b are enough: the others are orthogonal to all columns
    Q, rows = np.linalg.qr(columns.swapaxes(0, 1))
    right = (Q.mT @ tau.mT[..., None])[..., 0]
    require_independent(rows.reshape(-1, b), independent_columns)
    noise = np.ones(nv)
    for _ in range(4):
        estimate, Q, _ = weighted_fit(rows, right, noise)
        used = (Q**2).reshape(nv, -1).sum(-1)
        left = ((tau - columns @ estimate) ** 2).sum(0)
        noise = np.maximum(np.sqrt(left / (m - used)), rounding_of(tau))
    inverse = np.linalg.inv(weighted_fit(rows, right, noise)[2])
    return LinearFit(estimate, inverse @ inverse.T, noise)
