"""Constraints as they come, ours and the user's: what is one, whose rows these are, and how many.

A constraint of ours answers from an evaluated state (`error_in`, `jacobian_in`, `bias_in`); functions of others are the
user's, called with checked arguments that they cannot write into.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np

from chaindyn._ops import Array, concatenate, sqrt, zeros
from chaindyn.guards.arguments import (
    check_array,
    require_rotation,
    require_rows,
    require_same_batch,
    require_shape,
)
from chaindyn.guards.bodies import link_index, placed_on
from chaindyn.guards.door import outside
from chaindyn.guards.joint_laws import as_guest, check_laws
from chaindyn.guards.model import check_joint
from chaindyn.guards.numbers import as_array, read_only, read_only_view, require_finite


def as_constraints(constraints: Any) -> tuple[Any, ...]:
    """Return constraints as a tuple; ValueError names what is not a constraint."""
    try:
        given = (constraints,) if isinstance(constraints, str) else tuple(constraints)
    except TypeError:  # one alone
        given = (constraints,)
    for k, constraint in enumerate(given):
        lacking = [name for name in ("error", "jacobian", "bias") if not hasattr(constraint, name)]
        if lacking or isinstance(constraint, type):
            raise ValueError(
                f"constraints[{k}] is {constraint!r}, but must have error, jacobian and bias, as a Closure has"
            )
    return given


def bodies_of(kind: str, chain: Any, link: int | str, onto: int | str) -> tuple[int, int]:
    """Return the indices of the link that a constraint holds and of the body it is held to, -1 for the ground."""
    found = []
    for part, body in (("link", link), ("onto", onto)):
        if part == "onto" and body == "ground":
            found.append(-1)
            continue
        try:
            if body is None:
                raise ValueError
            found.append(link_index(body, chain.names, chain.parent))
        except ValueError:
            frames = [name for name, (link, *_) in chain.frame_places.items() if link >= 0]
            also = f", of a frame, {frames}" if frames else ""
            ground = ', or "ground"' if part == "onto" else ""
            raise ValueError(
                f"{part} of a {kind} is {body!r}: an index below {chain.n} or one of "
                f"{list(chain.names)}{also}{ground} would do"
            ) from None
    if found[0] == found[1]:
        raise ValueError(
            f"a {kind} holds link {chain.names[found[0]]!r} to itself: it takes two bodies"
        )
    return found[0], found[1]


def between_links(constraint: Any, chain: Any) -> Any:
    """Return a constraint on frames of a chain as one on the links that carry them; any other as it is."""
    places, changes = chain.frame_places, dict[str, Any]()
    for part, own in (("link", ""), ("onto", "onto_")):
        frame = getattr(constraint, part, None)
        if not is_dataclass(constraint) or not isinstance(frame, str) or frame not in places:
            continue
        offset, rotation = f"{own}offset", f"{own}rotation"
        turn = getattr(constraint, rotation, np.eye(3, dtype=int))
        body, place, turn = placed_on(places, frame, getattr(constraint, offset), turn)
        changes |= {part: "ground" if body < 0 else body, offset: place}
        if hasattr(constraint, rotation):
            changes[rotation] = turn
        axis = getattr(constraint, "axis", None)
        if axis is not None:  # of a disc
            changes["axis"] = places[frame][2] @ axis
    return replace(constraint, **changes) if changes else constraint


def part_of(
    constraints: Sequence[Any], k: int, part: str, core: tuple[int, ...], state: Any, m: Any = "m"
) -> Any:
    """Return the result (..., m, *core) of one of a constraint's functions; ValueError if its shape is wrong.

    One with `error_in`, `jacobian_in` and `bias_in`, such as a closure, uses the evaluated state. Functions of
    others are the user's, called with checked arguments that they cannot write into. The result may be None where
    it is optional: errors and rows of links. m : how many rows there must be, if that is known.
    """
    constraint = between_links(constraints[k], state.chain)
    own = getattr(constraint, f"{part}_in", None)
    if own is not None:
        return own(state)
    if part == "row_bounds" or (part == "link_rows" and not hasattr(constraint, part)):
        return None
    known = (state.q, state.qd) if part == "bias" else (state.q,)
    value = outside(getattr(constraint, part))(state.chain, *map(read_only_view, known))
    if value is None and part in ("error", "link_rows"):
        return None
    name = f"{part} of constraints[{k}]"
    value = as_array(value, name)
    require_rows(value, name, m, core)
    require_finite(value, name)
    return value


def parts_in(state: Any, constraints: Sequence[Any], *names: str) -> list[Array]:
    """Return parts of constraints, one under another: "jacobian", "row_bounds" (..., m, nv), "error", "bias" (...,
    m).

    One that does not exist is zero. ValueError if one constraint's parts have different numbers of rows.
    """
    row = (state.chain.nv,)
    cores = {"jacobian": row, "row_bounds": row, "error": (), "bias": ()}
    batch = state.q.shape[:-1]
    if "bias" in names:
        batch = np.broadcast_shapes(batch, state.qd.shape[:-1])
    columns = [[zeros((*batch, 0, *cores[name]))] for name in names]
    for k in range(len(constraints)):
        m: Any = "m"
        for column, name in zip(columns, names, strict=True):
            own = part_of(constraints, k, name, cores[name], state, m)
            own = zeros((m, *cores[name])) if own is None else own
            m = own.shape[-1 - len(cores[name])]
            column.append(own)
    return [
        concatenate(column, axis=-1 - len(cores[name]))
        for column, name in zip(columns, names, strict=True)
    ]


def rows_in(state: Any, constraints: Sequence[Any]) -> Array:
    """Return the rows K (..., m, nv) of constraints, of a chain in an evaluated state."""
    return parts_in(state, constraints, "jacobian")[0]


def errors_in(state: Any, constraints: Sequence[Any]) -> Array:
    """Return the errors (..., m) of constraints; where one is of velocities alone, zeros."""
    parts = [zeros((*state.q.shape[:-1], 0))]
    for k in range(len(constraints)):
        own = part_of(constraints, k, "error", (), state)
        if own is None:
            own = zeros(part_of(constraints, k, "jacobian", (state.chain.nv,), state).shape[-2:-1])
        parts.append(own)
    return concatenate(parts, axis=-1)


def forces_in(state: Any, constraints: Sequence[Any], multipliers: Array) -> tuple[Array, Array]:
    """Return the forces of multipliers (..., m, c) on links (..., n, 6, c), in their axes, and on joints (..., nv,
    c).

    Constraints without rows of links act along the joints, as motors would.
    """
    chain, batch = state.chain, state.q.shape[:-1]
    on_links, along = zeros((*batch, 6 * chain.n, 1)), zeros((*batch, chain.nv, 1))
    end = 0
    for k in range(len(constraints)):
        rows = part_of(constraints, k, "jacobian", (chain.nv,), state)
        start, end = end, end + rows.shape[-2]
        own = multipliers[..., start:end, :]
        links = part_of(constraints, k, "link_rows", (chain.n, 6), state, end - start)
        if links is None:
            along = along + rows.mT @ own
        else:
            on_links = on_links + links.reshape((*links.shape[:-2], 6 * chain.n)).mT @ own
    return on_links.reshape((*on_links.shape[:-2], chain.n, 6, on_links.shape[-1])), along


def check_closure(closure: Any, stacked: Callable[..., Any]) -> None:
    """Refuse a closure whose joint or place cannot be, and keep its places; stacked : makes of several joints one."""
    label = f"Closure of {closure.link!r} onto {closure.onto!r}"
    check_joint(closure.joint, label)
    check_laws(
        [(as_guest(stacked([closure.joint])), None, None)], [closure.joint], [str(closure.link)]
    )
    for name, shape in (("offset", (3,)), ("rotation", (3, 3))):
        for part in (name, f"onto_{name}"):
            value = check_array(getattr(closure, part), f"{label}: {part}", shape)
            if name == "rotation":
                require_rotation(value, f"{label}: {part}")
            object.__setattr__(closure, part, read_only(value))


def check_multipliers(multipliers: Any, rows: Array, state: Any) -> Array:
    """Return multipliers as an array (..., m), finite, one for each row (..., m, nv); ValueError says what is wrong."""
    multipliers = as_array(multipliers, "multipliers")
    m = rows.shape[-2]
    require_shape(multipliers, "multipliers", (m,), f": the constraints have {m} rows")
    require_finite(multipliers, "multipliers")
    require_same_batch({"q": (state.q, 1), "multipliers": (multipliers, 1)})
    return multipliers


def largest_rows(rows: Array, screws: Array) -> Array:
    """Return how large each entry of rows (..., m, 6) times screws (..., 6, nv) could be, if these were parallel."""

    def length(x: Array) -> Array:
        return sqrt((x * x).sum(-1))

    return sum(
        length(rows[..., :, None, x]) * length(screws.mT[..., None, :, x])
        for x in (slice(3), slice(3, 6))
    )
