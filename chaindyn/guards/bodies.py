"""Which body is meant: links and frames by index or name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from chaindyn._ops import Array


def is_index(x: Any, low: int, high: int) -> bool:
    """Whether this is a whole number, and no truth value, from `low` up to but not with `high`."""
    return isinstance(x, int | np.integer) and not isinstance(x, bool) and bool(low <= x < high)


def parent_index(
    i: int,
    parent: int | str | None,
    places: Mapping[str, int],
    frames: Mapping[str, int | str | None],
) -> int:
    """Return the index of link i's parent, -1 for the ground.

    places : the index of each link's name, in order; frames : what each frame is on, which may be another frame.
    ValueError if it is no earlier link, nor a frame on one.
    """
    if parent is None:
        return i - 1
    index: Any = parent
    for _ in range(len(frames) + 1):  # frames on frames, which might go round in a ring
        if isinstance(index, str):
            index = places.get(index, frames.get(index, index))
    if isinstance(index, str) and index == "ground":
        return -1
    if is_index(index, 0, i):
        return int(index)
    names = list(places)
    raise ValueError(
        f"link {i} ({names[i]!r}) has parent {parent!r}: a parent is None (the previous "
        f'link), "ground", or the index or name of an earlier link, {names[:i]}, or a frame on one'
    )


def placed_on(
    places: Mapping[str, tuple[int, Any, Any]], body: Any, offset: Any, rotation: Any
) -> tuple[Any, Any, Any]:
    """Return what a place is on if frames stand for links: the link, -1 for the ground, and the place there.

    places : of each frame its link, offset and rotation; a body that is no frame is returned with what was given.
    """
    if not isinstance(body, str) or body not in places:
        return body, offset, rotation
    link, at, turn = places[body]
    return link, at + turn @ np.asarray(offset), turn @ np.asarray(rotation)


def link_index(
    body: int | str | None,
    names: Sequence[str],
    parent: Sequence[int],
    frames: Iterable[str] = (),
) -> int:
    """Return the index of a body given by index or name; None is the only leaf.

    frames : what else would have done, for the error.
    """
    n = len(names)
    if body is None:
        leaves = sorted(set(range(n)) - set(parent))
        if len(leaves) > 1:
            raise ValueError(
                "body is None, the only leaf, but there are "
                f"{len(leaves)}: {[names[i] for i in leaves]}"
            )
        return leaves[0]
    if isinstance(body, str) and body in names:
        return names.index(body)
    if is_index(body, -n, n):
        return int(body) % n
    also = f", or one of the frames {list(frames)}" if frames else ""
    raise ValueError(f"body is {body!r}: an index below {n} or one of {list(names)} would do{also}")


def index_of_link(chain: Any, body: int | str | None) -> int:
    """Return the index of a body that must be a link: a frame's place on it would be dropped without a word."""
    if isinstance(body, str) and body in chain.frame_places:
        link = chain.frame_places[body][0]
        where = "the ground" if link < 0 else f"link {chain.names[link]!r}"
        raise ValueError(f"body is {body!r}, a frame on {where}, but must be a link here")
    return link_index(body, chain.names, chain.parent)


def pose_of_body(chain: Any, R: Array, p: Array, body: int | str | None) -> tuple[Array, Array]:
    """Return R (..., 3, 3) and p (..., 3) in the world of one link or frame, from those of all links."""
    link, offset, rotation = chain.place(body)
    if link < 0:  # as many as there are postures
        return rotation + 0 * R[..., 0, :, :], offset + 0 * p[..., 0, :]
    R, p = R[..., link, :, :], p[..., link, :]
    if offset is None:
        return R, p
    return R @ rotation, p + (R @ offset[:, None])[..., 0]
