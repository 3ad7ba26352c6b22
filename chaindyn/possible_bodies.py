# Generated from chapters/38_fitting_possible_bodies.md by `python -m book export`; edit it there.
# sha256 of the text below: 7c79326a113f95c8cec0c0de12bfb532e11aaaf50d641a268b1b71e3ce7db47b
"""Possible bodies: the chain of links that can exist and fits measured forces best.

Derived in chapter 38, "Fitting possible bodies".
"""

import numpy as np

from chaindyn._ops import Array, block, zeros
from chaindyn.chain import Chain
from chaindyn.guards.door import checked
from chaindyn.guards.numbers import as_real
from chaindyn.guards.regression import check_fit, least
from chaindyn.identification import BaseParameters, LinearFit, with_parameters
from chaindyn.inertia import pseudo_inertia

__all__ = ["fit_bodies"]


# Chapter 38, "Fitting possible bodies": Ten numbers that are always a body
def body_factors(inertias: Array) -> Array:
    """Return F (..., 4, 4) with F F^T the pseudo-inertia of bodies (..., 6, 6)."""
    J = pseudo_inertia(inertias)
    mass = J[..., 3:, 3:]
    com = J[..., :3, 3:] / np.where(mass > 0, mass, 1)
    sizes, axes = np.linalg.eigh(J[..., :3, :3] - mass * com @ com.mT)
    root = (axes * np.sqrt(np.maximum(sizes, 0))[..., None, :]) @ axes.mT
    return block([[root, np.sqrt(mass) * com], [zeros((1, 3)), np.sqrt(mass)]])


# Chapter 38, "Fitting possible bodies": Ten numbers that are always a body
def deformation(theta: Array) -> Array:
    """Return the upper triangular T (..., 4, 4) of ten numbers (..., 10).

    They are a scale, three stretches, three shears and a shift.
    """
    scale, stretch, shear, shift = np.split(theta, [1, 4, 7], axis=-1)
    none, one, stretch = 0 * scale, 0 * scale + 1, np.exp(stretch)
    rows = [
        [stretch[..., :1], shear[..., :2], shift[..., :1]],
        [none, stretch[..., 1:2], shear[..., 2:], shift[..., 1:2]],
        [none, none, stretch[..., 2:], shift[..., 2:]],
        [none, none, none, one],
    ]
    T = np.stack([np.concatenate(row, axis=-1) for row in rows], axis=-2)
    return np.exp(scale)[..., None] * T


# Chapter 38, "Fitting possible bodies": Ten numbers that are always a body
def deformed_parameters(factors: Array, theta: Array) -> Array:
    """Return the ten parameters (..., 10) of bodies with factors F, deformed by theta.

    factors : (..., 4, 4); theta : (..., 10).
    """
    U = factors @ deformation(theta)
    J = U @ U.mT
    second = J[..., :3, :3]
    about = np.trace(second, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - second
    entries = about[..., [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    return np.concatenate([J[..., 3:, 3], J[..., :3, 3], entries], axis=-1)


def deformed_slopes(factors: Array, theta: Array) -> Array:
    """Return the slopes of each body's parameters by its theta (n, 10, 10), to
    rounding.
    """
    step = 1e-100
    stepped = theta[:, None] + 1j * step * np.eye(10)
    return (deformed_parameters(factors[:, None], stepped).imag / step).mT


# Chapter 38, "Fitting possible bodies": The search
@checked()
def fit_bodies(chain: Chain, base: BaseParameters, fit: LinearFit, *, spread: float = 1.0) -> Chain:
    """Return the chain of possible bodies that fits base parameters best.

    Where they are undetermined it is near a guess. chain : the guess, whose links are
    bodies; a link without extent in some direction, or without mass, stays so. base :
    `base_parameters` of the chain; fit : `fit_linear` with their columns; further
    columns, of friction for instance, are ignored. spread : expected error of the
    guess, in logarithms. Needs SciPy. After Rucker and Wensing (2022). ValueError if
    base and fit are not of this chain, or if the search does not converge.

    >>> guess = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), np.eye(3))])
    >>> base, still = base_parameters(guess), np.zeros(1)
    >>> measured = 2 * base.combinations @ inertial_parameters(guess)
    >>> fit = LinearFit(measured, 1e-6 * np.eye(3), np.ones(1))
    >>> rnea(fit_bodies(guess, base, fit), still, still, still).round(2)
    array([-9.81])
    """
    spread, (b, width) = check_fit(chain, base, fit, spread), base.combinations.shape
    factors = body_factors(as_real(chain.spatial_inertia, "the links' inertias"))
    weights = np.linalg.inv(np.linalg.cholesky(fit.covariance[:b, :b]))
    rows, goal = weights @ base.combinations, weights @ fit.estimate[:b]

    def residual(theta: Array) -> Array:
        ten = deformed_parameters(factors, theta.reshape(-1, 10))
        return np.concatenate([rows @ ten.reshape(-1) - goal, theta / spread])

    def slope(theta: Array) -> Array:
        by_body = deformed_slopes(factors, theta.reshape(-1, 10))
        own = rows.reshape(b, -1, 10).swapaxes(0, 1) @ by_body
        flat = own.swapaxes(0, 1).reshape(b, width)
        return np.concatenate([flat, np.eye(width) / spread])

    theta = least(residual, slope, width).reshape(-1, 10)
    return with_parameters(chain, deformed_parameters(factors, theta).reshape(-1))
