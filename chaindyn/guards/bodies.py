"""Which body is meant: links and frames by index or name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from chaindyn._ops import Array


def is_index(x: Any, low: int, high: int) -> bool:
    """Whether this is a whole number, and no truth value, from `low` up to but not with `high`."""
    return isinstance(x, int | np.integer) and not isinstance(x, bool) and bool(low <= x < high)


def parent_index(i: int, parent: int | str | None, places: Mapping[str, int]) -> int:
    """Return the index of link i's parent, -1 for the ground; places : the index of each name, in order.

    ValueError if it is no earlier link.
    """
    if parent is None:
        return i - 1
    named = isinstance(parent, str)
    if named and parent == "ground":
        return -1
    index: Any = places.get(str(parent), parent) if named else parent
    if is_index(index, 0, i):
        return int(index)
    names = list(places)
    raise ValueError(
        f"link {i} ({names[i]!r}) has parent {parent!r}: a parent is None (the previous "
        f'link), "ground", or the index or name of an earlier link: {names[:i]}'
    )


def link_index(body: int | str | None, names: Sequence[str], parent: Sequence[int]) -> int:
    """Return the index of a body given by index or name; None is the only leaf."""
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
    raise ValueError(f"body is {body!r}: an index below {n} or one of {list(names)} would do")


def pose_of_body(chain: Any, R: Array, p: Array, body: int | str | None) -> tuple[Array, Array]:
    """Return R (..., 3, 3) and p (..., 3) in the world of one link or frame, from those of all links."""
    link, offset, rotation = chain.place(body)
    if link < 0:  # as many as there are postures
        return rotation + 0 * R[..., 0, :, :], offset + 0 * p[..., 0, :]
    R, p = R[..., link, :, :], p[..., link, :]
    if offset is None:
        return R, p
    return R @ rotation, p + (R @ offset[:, None])[..., 0]
