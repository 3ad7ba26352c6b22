"""Inverse kinematics: which targets can be meant, how far joints may still go, and which posture is searched from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from chaindyn._ops import Array, positive, where
from chaindyn.guards.arguments import (
    check_array,
    check_mask,
    is_several,
    require_positive,
    require_rotation,
    require_shape,
)
from chaindyn.guards.bodies import is_index
from chaindyn.guards.numbers import as_real, require_finite
from chaindyn.models.parts import Target

# the least damping, so that a hand that has arrived where some joint does nothing still has a step
LEAST_DAMPING = 1e-12


def as_targets(chain: Any, targets: Any) -> tuple[Target, ...]:
    """Return targets as a tuple: of one, of several, or of poses (R, p) by body; ValueError if they are none."""
    if isinstance(targets, Mapping):
        targets = [as_pose(body, pose) for body, pose in targets.items()]
    elif isinstance(targets, Target):
        targets = [targets]
    given: list[Any] = [*targets] if is_several(targets) else [None]
    if not all(isinstance(x, Target) for x in given):
        raise ValueError(
            f"targets is {targets!r}, but must be a Target, several, or a dictionary of poses (R, p) by body"
        )
    if not given:
        raise ValueError("targets is empty: say where a body is to go")
    for k, target in enumerate(given):
        try:
            chain.place(target.body)
        except ValueError as error:
            raise ValueError(f"target {k}: {error}") from None
        if target.position is None and target.rotation is None:
            raise ValueError(f"target {k} asks for nothing: give a position, a rotation or both")
    return tuple(given)


def as_pose(body: Any, pose: Any) -> Target:
    """Return a target of a pose (R, p) as `forward_kinematics` gives it, of which one may be None."""
    if not isinstance(pose, tuple | list) or len(pose) != 2:
        raise ValueError(
            f"the target of {body!r} must be a pair (R, p), as forward_kinematics returns; one of the two may be None"
        )
    return Target(body, rotation=pose[0], position=pose[1])


def in_rows(targets: tuple[Target, ...]) -> tuple[tuple[Any, ...], Array, Array, Array]:
    """Return what targets ask for: bodies with the rows that count, rotations, positions, weights.

    A body goes with the first and the last of the six rows that are wanted of it. rotations (..., k, 3, 3), positions
    (..., k, 3): what is not asked for is anything; weights : (m,) of the rows.
    """
    bodies, rotations, positions, weights = [], [], [], []
    for k, target in enumerate(targets):
        name = f"of target {k}"
        turns, places = target.rotation is not None, target.position is not None
        R = as_real(target.rotation if turns else np.eye(3), f"the rotation {name}")
        p = as_real(target.position if places else np.zeros(3), f"the position {name}")
        require_shape(R, f"the rotation {name}", (3, 3))
        require_shape(p, f"the position {name}", (3,))
        require_finite(R, f"the rotation {name}")
        require_finite(p, f"the position {name}")
        require_rotation(R, f"the rotation {name}")
        w = as_real(check_array(target.weights, f"the weights {name}", (2,)), "weights")
        require_positive(w, f"the weights {name}")
        rows = slice(0 if turns else 3, 6 if places else 3)
        bodies.append((target.body, rows.start, rows.stop))
        rotations.append(R)
        positions.append(p)
        weights.append(np.repeat(w, 3)[rows])
    return (
        tuple(bodies),
        np.stack(np.broadcast_arrays(*rotations), axis=-3),
        np.stack(np.broadcast_arrays(*positions), axis=-2),
        np.concatenate(weights),
    )


def limited_places(chain: Any, place: np.ndarray, hinge: type) -> tuple[np.ndarray, Array, Array]:
    """Return the coordinate of each velocity (nv,) that has limits, else -1, and the limits of hinges that come round.

    A hinge whose limits leave a whole turn has none: its posture is the same one turn on. Its limits (nq,) are where it
    is turned back; others are infinite there. place : (nv,), what `plain_coordinates` returns; hinge : that kind of
    joint.
    """
    low, high = np.full(chain.nq, -np.inf), np.full(chain.nq, np.inf)
    for joint, own in zip(chain.joints, chain.q_columns, strict=True):
        k = own.start
        # files write a whole turn to some digits
        if type(joint) is hinge and chain.upper_limit[k] - chain.lower_limit[k] > 2 * np.pi - 1e-6:
            low[k], high[k] = chain.lower_limit[k], chain.upper_limit[k]
            place = np.where(place == k, -1, place)
    return place, low, high


def turned_back(q: Array, low: Array, high: Array) -> Array:
    """Return q (..., nq) with what is beyond its bounds brought back by a whole turn."""
    turn = 2 * np.pi
    return where(positive(q - high), q - turn, where(positive(low - q), q + turn, q))


def room(chain: Any, place: np.ndarray, q: Array) -> tuple[Array, Array]:
    """Return how far each joint (..., nv) is from its lower and from its upper limit, infinite where it has none.

    place : (nv,), the coordinate that has the limits, -1 for none.
    """
    here = q[..., place]
    return (
        where(place < 0, -np.inf, chain.lower_limit[place] - here),
        where(place < 0, np.inf, chain.upper_limit[place] - here),
    )


def stopped(
    step: Array, mobility: Array, reference: Array, down: Array, up: Array
) -> tuple[Array, Array]:
    """Return mobility and reference (..., nv) with joints that a step takes too far sent to their limits."""
    below, above = positive(down - step), positive(step - up)
    return (
        where(below, 0, where(above, 0, mobility)),
        where(below, down, where(above, up, reference)),
    )


def between(step: Array, down: Array, up: Array) -> Array:
    """Return a step (..., nv) cut off at its bounds."""
    return where(positive(down - step), down, where(positive(step - up), up, step))


def middle(chain: Any) -> np.ndarray:
    """Return the posture (nq,) with each joint in the middle of its limits, at zero where it has none."""
    low, high = chain.lower_limit, chain.upper_limit
    both = np.isfinite(low) & np.isfinite(high)
    half = np.where(both, low, 0) / 2 + np.where(both, high, 0) / 2
    return np.where(both, half, np.clip(chain.neutral, low, high))


def beginning(chain: Any, q: Any, held: Any, place: np.ndarray, limits: bool) -> tuple[Any, Any]:
    """Return the posture (..., nq) to search from, and which joints may move, ones and zeros (nv,).

    ValueError if a joint that may not move is beyond its limits.
    """
    moved = ~(np.zeros(chain.nv, bool) if held is None else check_mask(held, "held", chain.nv))
    start = middle(chain) if q is None else as_real(q, "q")
    if not limits:
        return start, moved.astype(float)
    near = np.clip(start, chain.lower_limit, chain.upper_limit)
    wrong = ~moved & (place >= 0) & (near != start)[..., place].reshape(-1, chain.nv).any(0)
    for j in np.flatnonzero(wrong):
        raise ValueError(
            f"held[{j}] keeps the joint of link {chain.names[chain.link_of_column[j]]!r} beyond its limits: start "
            f"between {chain.lower_limit[place[j]]:.6g} and {chain.upper_limit[place[j]]:.6g}, or let it move"
        )
    return near, moved.astype(float)


def check_search(steps: Any, restarts: Any) -> None:
    """Refuse numbers of steps or of new starts that are none."""
    for name, count, least in (("steps", steps, 1), ("restarts", restarts, 0)):
        if not is_index(count, least, 1 << 31):
            raise ValueError(f"{name} is {count!r}, but must be a whole number, at least {least}")
