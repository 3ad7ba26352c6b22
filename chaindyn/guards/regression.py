"""Fits of parameters: samples that do not suffice, columns that depend on each other, and bodies that no mass has."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from chaindyn._ops import divide
from chaindyn.guards.arguments import check_positive_number, require_made_by
from chaindyn.guards.numbers import (
    EPSILON,
    as_real,
    known_values,
    require_finite,
    require_no_overflow,
)

Columns = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def unit_columns(matrix: np.ndarray, smallest: float = 1e-6) -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix (m, k) with its columns at length one, and the divisors (k,).

    Columns below this share of the longest are divided by the longest, so that rounding does not grow.
    """
    lengths = np.linalg.norm(matrix, axis=0)
    largest = lengths.max(initial=0)
    lengths = np.where(lengths > smallest * largest, lengths, largest or 1)
    return matrix / lengths, lengths


def without_rounding(shares: np.ndarray) -> np.ndarray:
    """Return shares of one another's columns, those that are only rounding as zeros."""
    return np.where(np.abs(shares) < 1e-9, 0, shares)


def warn_if_unclear(distances: np.ndarray) -> None:
    """Warn if a column is at a distance from those before it that is neither rounding nor clearly more."""
    unclear = distances[(distances > 1e-11) & (distances < 1e-7)]
    if unclear.size:
        warnings.warn(
            f"the rank of the regressor is not clear: a column is {unclear[0]:.1e} away from those before it, neither "
            "rounding nor a distance; gravity or an axis may be almost, but not quite, in a special direction",
            RuntimeWarning,
            stacklevel=4,
        )


def check_samples(regressor: Any, forces: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return a regressor as floats (m, nv, b) and forces as (m, nv); ValueError if they do not fit."""
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


def require_independent(columns: np.ndarray, independent_columns: Columns) -> None:
    """Refuse columns (m, b) that depend on those before them, by the law that finds the others."""
    kept, distances = independent_columns(unit_columns(columns, smallest=1e-12)[0])
    lost = [k for k in range(len(distances)) if k not in kept]
    if lost:
        raise ValueError(
            f"columns {lost} of the regressor depend on those before them: take those of base parameters alone, and "
            "a motion in which every joint moves"
        )


def rounding_of(forces: np.ndarray) -> float:
    """Return the noise of forces that have none but their rounding, never zero."""
    return EPSILON * float(np.abs(forces).max(initial=0)) or 1.0


def centre_of_mass(ten: Any, label: str) -> Any:
    """Return the centre of mass (3,) of ten inertial parameters; refuse a moment without a mass, naming the link."""
    mass, moment, known = ten[:1], ten[1:4], known_values(ten[:4])
    if known is None or known[0] != 0:
        return divide(moment, mass)
    if known[1:].any():
        raise ValueError(
            f"{label}: the mass is 0, but m c is {known[1:].tolist()} kg m: a link without mass has m c = 0, and one "
            "with m c has a positive mass"
        )
    return moment


def check_fit(chain: Any, base: Any, fit: Any, spread: Any) -> float:
    """Return the spread of a search as a float; refuse base parameters and a fit that are not of this chain."""
    require_made_by("base_parameters", base, "base", "combinations")
    require_made_by("fit_linear", fit, "fit", "covariance")
    own, (b, width) = check_positive_number(spread, "spread"), base.combinations.shape
    if width != 10 * chain.n or len(fit.estimate) < b:
        raise ValueError(
            f"base is of {width // 10} links with {b} base parameters, but the chain has {chain.n} links and the fit "
            f"{len(fit.estimate)} unknowns: base must be of this chain, and the fit begin with its base parameters"
        )
    return own


def least(
    residual: Callable[[np.ndarray], np.ndarray],
    slope: Callable[[np.ndarray], np.ndarray],
    width: int,
) -> np.ndarray:
    """Return the unknowns (width,) with the least sum of squares, searched from zeros; ValueError if it fails."""
    from scipy.optimize import least_squares

    tight = {"ftol": 1e-12, "xtol": 1e-12, "gtol": 1e-12}
    found = least_squares(residual, np.zeros(width), slope, **tight)
    if not found.success:
        raise ValueError(
            f"the search did not settle in {found.nfev} steps: {found.message}; a larger spread may help"
        )
    unknowns: np.ndarray = found.x
    return unknowns
