"""What keeps the chunks of a stored array from being misread: seals, and NumPy's indices."""

from __future__ import annotations

import gzip
import io
import zlib
from types import EllipsisType
from typing import Any

import numpy as np


def sealed(name: str, content: bytes) -> bytes:
    """Return the content of a file of this name: gzip's container, without compression but with its checksum.

    Readers of Zarr know it as the codec gzip. It tells the name, so that a file in another's place is found out.
    """
    whole = io.BytesIO()
    with gzip.GzipFile(name, "wb", compresslevel=0, fileobj=whole, mtime=0) as file:
        file.write(content)
    return whole.getvalue()


def unsealed(name: str, content: bytes, size: int) -> bytes | None:
    """Return what was sealed under this name; None if this is anything else, or damaged, or of another size."""
    named = content[3:4] == b"\x08" and content[10:].startswith(name.encode("latin-1") + b"\0")
    try:
        inside = gzip.decompress(content) if named else b""
    except (OSError, EOFError, zlib.error):
        return None
    return inside if named and len(inside) == size else None


def rows(key: Any, shape: tuple[int, ...]) -> tuple[range, tuple[Any, ...]]:
    """Return which rows of an array an index of NumPy's basic kind needs, and that index for these rows alone.

    IndexError for any other kind of index, and as NumPy does.
    """
    key = key if isinstance(key, tuple) else (key,)
    for k in key:
        if isinstance(k, bool) or not isinstance(k, int | np.integer | slice | EllipsisType | None):
            raise IndexError(
                f"{k!r} is no index of a stored array, which takes numbers, slices, ... and None: "
                "np.asarray(...) has it all"
            )
    np.broadcast_to(np.int8(0), shape)[
        key
    ]  # says what is wrong with an index, and holds no numbers
    place = next((i for i, k in enumerate(key) if k is not None), len(key))
    every = range(shape[0])
    if place == len(key) or key[place] is ...:
        return every, key
    if not isinstance(key[place], slice):
        row = every[key[place]]
        return range(row, row + 1), (*key[:place], 0, *key[place + 1 :])
    chosen = every[key[place]]
    step = slice(None, None, chosen.step)
    ends = sorted((chosen[0], chosen[-1])) if chosen else (0, -1)
    return range(ends[0], ends[1] + 1), (*key[:place], step, *key[place + 1 :])
