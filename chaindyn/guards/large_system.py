"""The large sparse system of a chain's equations of motion: factors of a matrix that is not singular to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.equations import no_inertia
from chaindyn.guards.numbers import require_no_overflow


def regular_factors(chain: Any, matrix: Any, right: Array, tilted: Array) -> Any:
    """Return `splu` of a large matrix; ValueError if it overflows, or if it is singular and a joint feels no inertia.

    matrix, right : as by `full_system` of chapter 6; tilted : a rotation (3, 3) to axes with which no joint is aligned.
    """
    from scipy.sparse.linalg import splu

    require_no_overflow("the equations", matrix.data, right)
    try:
        factors = splu(matrix)
        singular = is_singular(chain, matrix, factors, tilted)
    except RuntimeError:  # a pivot is exactly zero
        singular = True
    if singular:
        free = np.linalg.svd(matrix.toarray())[2][-1, 12 * chain.n :]
        raise no_inertia(chain.link_of("nv", int(np.abs(free).argmax())))
    return factors


def is_singular(chain: Any, matrix: Any, factors: Any, tilted: Array) -> bool:
    """Return whether rounding the large matrix, in tilted axes, may change qdd by a thousandth.

    The right side on which this is tried is made of the rows' sums, so that units play no part.
    """
    from scipy import sparse

    turned = sparse.kron(sparse.eye_array(4 * chain.n), tilted)
    turn = sparse.block_diag([turned, sparse.eye_array(chain.nv)], format="csc")
    entries = abs(turn @ matrix @ turn.T)
    mixed = np.cos(np.arange(matrix.shape[0]))  # signs that no symmetry of the chain cancels
    probe = factors.solve(turn.T @ (mixed * entries.sum(axis=1)))
    noise = np.finfo(float).eps * mixed * (entries @ np.abs(turn @ probe))
    size, error = (
        np.linalg.norm(x[12 * chain.n :]) for x in (probe, factors.solve(turn.T @ noise))
    )
    return not (np.isfinite(error) and error <= 1e-3 * size)
