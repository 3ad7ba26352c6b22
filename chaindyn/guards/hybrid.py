"""Motions given for some joints, forces for the others: what fits together, and what can be solved for."""

from __future__ import annotations

from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.arguments import check_mask, require_same_batch, require_shape
from chaindyn.guards.equations import no_inertia
from chaindyn.guards.numbers import as_array, known_values, require_finite


def check_hybrid(
    chain: Any,
    prescribed: Array,
    qdd: Array,
    tau: Array,
    q: Array,
    qd: Array,
    external: Array | None = None,
) -> tuple[Array, Array, Array]:
    """Return mask, qdd and tau as arrays; ValueError if they do not fit the state."""
    mask = check_mask(prescribed, "prescribed", chain.nv)

    def entries(x: Array, name: str, own: Array, does: str) -> Array:
        columns = np.flatnonzero(own)
        why = f": the mask {does} {len(columns)} of the {chain.nv} velocities"
        x = as_array(x, name)
        require_shape(x, name, (len(columns),), why)
        require_finite(x, name, lambda i: f"link {chain.link_of('nv', columns[i[-1]])!r}")
        return x

    qdd = entries(qdd, "qdd", mask, "prescribes")
    tau = entries(tau, "tau", ~mask, "leaves open")
    arrays = {"q": (q, 1), "qd": (qd, 1), "qdd": (qdd, 1), "tau": (tau, 1)}
    require_same_batch(arrays if external is None else arrays | {"external": (external, 2)})
    return mask, qdd, tau


def require_regular(chain: Any, M_vv: Array, u: Array) -> None:
    """Refuse a mass matrix (..., n_v, n_v) singular to rounding, naming a joint.

    u : where the velocities are prescribed. Symbols and traced arrays pass.
    """
    known = known_values(M_vv)
    if known is None or not known.size:
        return
    sizes = np.sqrt(np.diagonal(known, axis1=-2, axis2=-1))[..., None]
    sizes = np.where(sizes > 0, sizes, 1)
    moments, vectors = np.linalg.eigh(known / (sizes * sizes.mT))  # independent of units
    singular = np.argwhere(moments[..., 0] <= 10 * M_vv.shape[-1] * np.finfo(float).eps)
    if len(singular):
        column = np.flatnonzero(~u)[np.abs(vectors[(*singular[0], ..., 0)]).argmax()]
        raise no_inertia(chain.link_of("nv", column))
