"""Chains that cannot move as they are asked to: along some direction, from the ground, or by a link's own inertia."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chaindyn._ops import Array, concatenate, eye, zeros
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


def traces(impulses: Array, twists: Array) -> tuple[Array, Array]:
    """Return the traces (..., 1, 1) of the 3x3 blocks of impulses^T twists."""
    diagonal = (impulses * twists).sum(-2, keepdims=True)
    turning, moving = diagonal[..., :3], diagonal[..., 3:]
    return turning.sum(-1, keepdims=True), moving.sum(-1, keepdims=True)


def struck_response(
    respond: Callable[..., Any], factors: Any, b: int, blow: Array, at_point: Array
) -> tuple[Any, tuple[Array, Array]]:
    """Return the response to a blow on link b, and the traces of its point's, a scale for small inverse masses.

    respond : `impulse_response`; blow : (..., 6, 1); at_point : (..., 6, 6), unit impulses at the point. The
    response is that of `impulse_response`, and no loops' impulses.
    """
    columns = concatenate([blow, at_point], axis=-1)
    struck = eye(factors.state.chain.n)[b][:, None, None] * columns[..., None, :, :]
    twists, rates, known = respond(factors, struck)
    sizes = traces(at_point, twists[..., b, :, 1:])
    own = twists[..., :1], rates[..., :1], known[..., :1]
    return (*own, zeros((*rates.shape[:-2], 0, 1))), sizes


def require_movable(W: Any, body: Any, chain: Any = None) -> None:
    """Refuse J M^-1 J^T (..., m, m) of a link if its response to some force is below 1e-12 of that to others.

    body : the link's name, or with its chain its index, or None for the only leaf. The message names the first state,
    the rank and the direction. Symbols and traced arrays pass.
    """
    link = body if isinstance(body, str) else chain.names[chain.index(body)]
    known = known_values(W)
    if known is None:
        return
    require_no_overflow("J M^-1 J^T", known)
    if (found := unmoved(known, equal_units(known))) is None:
        return
    state, rank, force = found
    pushed = "a force on the point along" if len(force) == 3 else "a wrench [tau; f] along"
    raise ValueError(
        f"{pushed} {force.tolist()} does not move body {link!r}{f' in state {state}' if state else ''}: its "
        f"operational space inertia is infinite there, since J M^-1 J^T has rank {rank} of "
        f"{len(force)}. Leave such directions out: np.linalg.inv(factorise(chain, q).delassus(rows)) takes any "
        "rows of J that do not depend on each other"
    )


def unmoved(W: np.ndarray, scale: np.ndarray) -> tuple[tuple[int, ...], int, np.ndarray] | None:
    """Return the first state in which some force (m,) moves nothing, the rank of W (..., m, m) there, and that force.

    scale : (..., m), of the units of forces. None if all forces move something.
    """
    values, vectors = np.linalg.eigh(scale[..., :, None] * W * scale[..., None, :])
    stuck = values <= at_least_rounding(1e-12, W) * values[..., -1:]
    if not stuck.any():
        return None
    state = tuple(np.argwhere(stuck[..., 0])[0].tolist())
    force = scale[state] * vectors[state][:, 0]
    force = np.round(force / force[np.abs(force).argmax()], 3) + 0.0
    return state, int((~stuck[state]).sum()), force


def require_commandable(W: Any, body: Any, chain: Any) -> None:
    """Refuse directions of a body, by their response W (..., m, m) to forces along them, if no force has some motion.

    Symbols and traced arrays pass.
    """
    known = known_values(W)
    if known is None or not known.shape[-1]:
        return
    require_no_overflow("J M^-1 J^T", known)
    size = np.diagonal(known, axis1=-2, axis2=-1)
    found = unmoved(known, 1 / np.sqrt(np.where(size > 0, size, 1)))
    if found is not None:
        state, rank, force = found
        link = body if isinstance(body, str) else chain.names[chain.index(body)]
        raise ValueError(
            f"body {link!r} cannot be accelerated in all {len(force)} directions"
            f"{f' in state {state}' if state else ''}, but in {rank}: forces along {force.tolist()} of them move "
            "nothing; command fewer directions, or leave the singular posture"
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
