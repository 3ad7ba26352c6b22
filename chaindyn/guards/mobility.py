"""Chains that cannot move as they are asked to: along some direction, from the ground, or by a link's own inertia."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chaindyn._ops import eye
from chaindyn.guards.numbers import at_least_rounding, known_values, require_no_overflow
from chaindyn.guards.pivots import feels_nothing


def struck_link(chain: Any, body: Any) -> int:
    """Return the place of the link that is struck, on which a named frame may be; refuse frames on the ground."""
    b: int = chain.place(body)[0]
    if b < 0:
        raise ValueError(f"body is {body!r}, a frame on the ground, which no blow moves")
    return b


def equal_units(W: np.ndarray) -> np.ndarray:
    """Return factors (..., m) that bring the angular and the linear 3x3 block of W to like size; 1 for a zero block."""
    size = np.diagonal(W, axis1=-2, axis2=-1)
    size = size.reshape(*size.shape[:-1], W.shape[-1] // 3, 3).mean(-1, keepdims=True)
    factors = 1 / np.sqrt(np.where(size > 0, size, 1))
    return np.broadcast_to(factors, (*factors.shape[:-1], 3)).reshape(W.shape[:-1])


def require_movable(W: Any, link: str) -> None:
    """Refuse J M^-1 J^T (..., m, m) of a link if its response to some force is below 1e-12 of that to others.

    The message names the first state, the rank and the direction. Symbols and traced arrays pass.
    """
    known = known_values(W)
    if known is None:
        return
    require_no_overflow("J M^-1 J^T", known)
    scale = equal_units(known)
    values, vectors = np.linalg.eigh(scale[..., :, None] * known * scale[..., None, :])
    stuck = values <= at_least_rounding(1e-12, known) * values[..., -1:]
    if not stuck.any():
        return
    state = tuple(np.argwhere(stuck[..., 0])[0].tolist())
    force = scale[state] * vectors[state][:, 0]
    force = np.round(force / force[np.abs(force).argmax()], 3) + 0.0
    pushed = "a force on the point along" if len(force) == 3 else "a wrench [tau; f] along"
    raise ValueError(
        f"{pushed} {force.tolist()} does not move body {link!r}{f' in state {state}' if state else ''}: its "
        f"operational space inertia is infinite there, since J M^-1 J^T has rank {(~stuck[state]).sum()} of "
        f"{len(force)}. Leave such directions out: np.linalg.inv(factorise(chain, q).delassus(rows)) takes any "
        "rows of J that do not depend on each other"
    )


def require_serial(chain: Any) -> None:
    """Refuse a tree, naming the first link whose parent is not the link before it."""
    for i, parent in enumerate(chain.parent):
        if parent != i - 1:
            hangs = "the ground" if parent < 0 else repr(chain.names[parent])
            raise ValueError(
                f"link {i} ({chain.names[i]!r}) hangs on {hangs}: the serial recursion needs each link to "
                "hang on the one before; inverse_operational_space_inertia takes trees"
            )


def require_own_inertia(
    chain: Any, S: Sequence[Any], inertias: Sequence[Any], rotors: Sequence[Any]
) -> None:
    """Refuse a link without inertia of its own about its joint: the serial recursion divides by it."""
    for name, s, inertia, rotor in zip(chain.names, S, inertias, rotors, strict=True):
        size = s.mT @ (inertia * eye(6)) @ s  # the diagonal bounds all of I
        D = s.mT @ inertia @ s + rotor
        if feels_nothing(D, size):
            raise ValueError(
                f"link {name!r} alone has no inertia that its joint moves, and the serial recursion divides "
                "by it; inverse_operational_space_inertia does not"
            )
