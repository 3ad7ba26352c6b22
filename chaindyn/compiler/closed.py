"""Contacts that are closed, one after another: found among all that there may be, each a row of a table.

Which they are is known only as a program runs, so their rows are put at places that are counted. All else is then done
for them alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import concatenate, positive, put, repeat, stack, take, where, zeros
from chaindyn.compiler.boxes import MOST_POINTS, Solid, between_boxes, crossed, dot
from chaindyn.compiler.pairs import Pair, Touches, pose_of
from chaindyn.models.shapes import Core
from chaindyn.stacked import tree_matrix
from chaindyn.state import State

__all__: list[str] = []

Array = Any

# a closed contact is a row: its point and normal, its gap, its two links, counted from 1, with 0 the ground, friction
# and restitution, and its number among all that there may be
POINT, NORMAL, GAP, FIRST, SECOND, FRICTION, RESTITUTION, NUMBER = (
    slice(0, 3), slice(3, 6), slice(6, 7), slice(7, 8), slice(8, 9), slice(9, 10), slice(10, 11), slice(11, 12),
)  # fmt: skip
WIDTH = 12


@dataclass(frozen=True, eq=False)
class Closed:
    """Closed contacts. rows : (m, WIDTH), of which the first `count` (1, 1) are in use."""

    rows: Array
    count: Array

    def with_row(self, row: Array, closed: Array) -> Closed:
        """Return these and one more (1, WIDTH), if it is closed (1, 1)."""
        rows = put(self.rows, self.count, where(closed, row, take(self.rows, self.count)))
        return Closed(rows, self.count + where(closed, 1, 0))


def none_closed(room: int, zero: Array) -> Closed:
    """Return a table without contacts, with room for so many; zero : (1, 1), of this recording."""
    return Closed(zeros((room, WIDTH)) + zero, zero)


def with_all_of(closed: Closed, touches: Touches, surfaces: Array, margin: float) -> Closed:
    """Return closed contacts, and those of k more whose gaps are closed; surfaces : (k, 5), of each."""
    gaps = touches.gaps[:, None]
    acts = where(positive(margin - gaps), 1, 0)
    rows = concatenate([touches.points, touches.normals, gaps, surfaces], axis=-1)

    def taken_in(k: Any, state: Any) -> Any:
        rows, acts, *own = state
        found = Closed(*own).with_row(take(rows, k), positive(take(acts, k)))
        return rows, acts, found.rows, found.count

    state = rows, acts, closed.rows, closed.count
    return Closed(*repeat(len(surfaces), taken_in, state, acts)[2:])


def surfaces_of(contacts: Sequence[Pair], eps: Array, mu: Array, first: int) -> Array:
    """Return links, friction, restitution and number (k, 5) of contacts, which are numbered from `first` on."""
    links = np.array([contact.bodies for contact in contacts], float).reshape(-1, 2) + 1
    return np.column_stack([links, mu, eps, first + np.arange(len(links))])


# Boxes --------------------------------------------------------------------------------------------


def solid_of(core: Core) -> Solid:
    """Return a box in the frame of its link."""
    middle = core.corners.mean(0)
    half = ((core.corners - middle) @ core.edges.T).max(0)
    return Solid(middle, core.edges, half)


def solids_of(pairs: Sequence[Pair]) -> tuple[list[tuple[int, Solid]], Array]:
    """Return the links and boxes of some pairs, each box once, and which two each pair has (k, 2)."""
    known: dict[Any, int] = {}
    boxes: list[tuple[int, Solid]] = []
    both = []
    for pair in pairs:
        for body, core in zip(pair.bodies, (pair.a, pair.b), strict=True):
            key = body, core.corners.tobytes(), core.edges.tobytes()
            if key not in known:
                known[key] = len(boxes)
                boxes.append((body, solid_of(core)))
            both.append(known[key])
    return boxes, np.array(both, float).reshape(-1, 2)


def with_boxes(
    closed: Closed,
    pairs: Sequence[Pair],
    surfaces: Array,
    poses: tuple[Array, Array],
    margin: float,
) -> tuple[Closed, Array]:
    """Return closed contacts and those of pairs of boxes, and (1, 1) what is positive if these are to be trusted.

    surfaces : (MOST_POINTS k, 5). Of pairs whose balls do not meet nothing is computed.
    """
    boxes, both = solids_of(pairs)
    placed = []
    for body, own in boxes:
        R, p = pose_of(body, *poses)
        placed.append(Solid(p + R @ own.middle, own.edges @ R.T, own.half + 0 * p).row)
    radii = [float(np.linalg.norm(own.half)) for _, own in boxes]
    near = []
    for i, j in both.astype(int).tolist():
        apart, reach = placed[i][:3] - placed[j][:3], radii[i] + radii[j] + margin
        near.append(where(positive(reach * reach - dot(apart, apart)), 1, 0))
    # of the nine points of a pair all but the number are the same
    given = np.column_stack([both, surfaces[::MOST_POINTS]])

    def looked_at(k: Any, state: Any) -> Any:
        places, given, trust, *own = state
        said, found = take(given, k), Closed(*own)
        a, b = [Solid.of(take(places, said[..., j : j + 1])[0]) for j in (0, 1)]
        points, n, gaps, acts, sure = between_boxes(a, b, margin)
        for j in range(MOST_POINTS):
            number = said[0, 6:] + j
            row = concatenate([points[j], n, gaps[j : j + 1], said[0, 2:6], number], axis=-1)
            found = found.with_row(row[None], acts[None, j : j + 1])
        before = take(trust, 0)
        trust = where(positive(before - sure), sure, before)
        return places, given, trust, found.rows, found.count

    state = stack(placed, axis=-2), given, 1 + 0 * closed.count, closed.rows, closed.count
    _, _, trust, rows, count = repeat(len(pairs), looked_at, state, stack(near, axis=-2))
    return Closed(rows, count), trust


# Rows ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Rows:
    """What closed contacts that close within half a step make a chain feel.

    K : (m, 3 nv), the rows of the first body's velocity seen from the second, along the normal and two tangents, zeros
    of others; frames : (m, 9), these directions; speeds : (m, 6), without impulses, and those that restitution returns;
    acts : (m, 1), not zero of those that close.
    """

    K: Array
    frames: Array
    speeds: Array
    acts: Array


def rows_of(
    closed: Closed,
    state: State,
    rates: tuple[Array, Array],
    closes: Callable[[Array, Array], Array],
) -> Rows:
    """Return the rows of closed contacts. rates : (nv,) each, whose speeds are asked for; closes : by gap and speed."""
    chain, m = state.chain, closed.rows.shape[0]
    screws = (state.to_world[chain.link_of_column] @ state.screws[..., None])[..., 0]
    turning, moving = screws[:, :3].T, screws[:, 3:].T
    moved = tree_matrix(chain)[:, chain.link_of_column]  # which joint rates move each link
    moved = np.concatenate([np.zeros((1, chain.nv)), moved])
    used = [where(positive(closed.count - k), 1, 0) for k in range(m)]

    def made(k: Any, state: Any) -> Any:
        table, moved, K, frames, speeds, acts, used = state
        row = take(table, k)
        x, n = row[0, POINT], row[0, NORMAL]
        sign = (take(moved, row[..., FIRST]) - take(moved, row[..., SECOND]))[0]
        frame = frame_along(n)
        own = frame @ (sign * (moving + crossed(turning, x[:, None])))
        v, came = (own @ rate for rate in rates)
        yes = positive(take(used, k)) & positive(closes(row[..., GAP], v[:1]))
        own, v, came = (where(yes, x.reshape(1, -1), 0) for x in (own, v, came))
        K, frames = put(K, k, own), put(frames, k, frame.reshape(1, 9))
        speeds = put(speeds, k, concatenate([v, came], axis=-1))
        return table, moved, K, frames, speeds, put(acts, k, where(yes, 1, 0)), used

    arrays = [zeros((m, k)) + 0 * closed.count for k in (3 * chain.nv, 9, 6, 1)]
    found = repeat(
        m,
        made,
        (closed.rows, moved, *arrays, concatenate(used, axis=-2)),
        concatenate(used, axis=-2),
    )
    return Rows(*found[2:6])


def frame_along(n: Array) -> Array:
    """Return the frame (3, 3) whose rows are a unit vector (3,) and two tangents, without asking which axis is near."""
    x, y, z = n[0:1], n[1:2], n[2:3]
    side = where(positive(z), 1, -1)
    a = -1 / (side + z)
    b = x * y * a
    first = concatenate([1 + side * x * x * a, side * b, -side * x], axis=-1)
    second = concatenate([b, side + y * y * a, -y], axis=-1)
    return stack([n, first, second], axis=-2)


def of_the_closed(closed: Closed, numbers: Array, acts: Array) -> Array:
    """Return what belongs to closed contacts (m, 3) of numbers of all that there may be (k, 3); zeros where acts is."""

    def taken_out(k: Any, state: Any) -> Any:
        own, numbers, rows, acts = state
        there = take(numbers, take(rows, k)[..., NUMBER])
        return put(own, k, where(positive(take(acts, k)), there, 0)), numbers, rows, acts

    own = zeros((closed.rows.shape[0], 3)) + 0 * closed.count
    return repeat(closed.rows.shape[0], taken_out, (own, numbers, closed.rows, acts), acts)[0]


def of_all(
    closed: Closed, own: Array, acts: Array, frames: Array, total: int
) -> tuple[Array, Array]:
    """Return numbers (m, 3) of closed contacts at the places (total, 3) that these have, and along the world's axes."""

    def laid_down(k: Any, state: Any) -> Any:
        whole, world, own, rows, acts, frames = state
        p, number, yes = take(own, k), take(rows, k)[..., NUMBER], positive(take(acts, k))
        whole = put(whole, number, where(yes, p, take(whole, number)))
        turned = p @ take(frames, k).reshape(3, 3)
        return whole, put(world, k, where(yes, turned, 0)), own, rows, acts, frames

    nothing = 0 * closed.count
    state = zeros((total, 3)) + nothing, zeros((closed.rows.shape[0], 3)) + nothing
    found = repeat(closed.rows.shape[0], laid_down, (*state, own, closed.rows, acts, frames), acts)
    return found[0], found[1]
