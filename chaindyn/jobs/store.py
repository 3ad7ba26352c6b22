"""Results on disk: a folder that is a Zarr group, in which each chunk is whole, or is not there."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import EllipsisType
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.arguments import check_folder
from chaindyn.jobs.files import sealed, unsealed, write_whole
from chaindyn.jobs.fingerprint import digest, software
from chaindyn.jobs.results import Memory, check_alike, leaves


def array_metadata(shape: tuple[int, ...], dtype: np.dtype[Any], chunk: int) -> dict[str, Any]:
    """Return Zarr's metadata of an array that is cut along its first axis only, each chunk with a checksum.

    Zarr core specification, version 3. Missing chunks are read as NaN, or as 0 for
    types without NaN.
    """
    fill: Any = {"f": "NaN", "c": ["NaN", "NaN"], "b": False}.get(dtype.kind, 0)
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": dtype.name,
        "chunk_grid": {
            "name": "regular",
            "configuration": {"chunk_shape": (chunk, *(max(1, m) for m in shape[1:]))},
        },
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "fill_value": fill,
        "codecs": [
            {"name": "bytes", "configuration": {"endian": "little"}},
            {"name": "gzip", "configuration": {"level": 0}},
        ],
        "attributes": {},
    }


@dataclass(frozen=True, eq=False)
class StoredArray:
    """One array of a store: np.asarray reads it whole, an index that part; zarr.open_array reads it too."""

    folder: Path
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    chunk: int

    def __len__(self) -> int:
        """Return the number of states."""
        return self.shape[0]

    def path(self, i: int) -> Path:
        """Return the file of chunk i."""
        return self.folder / ".".join(["c", str(i), *("0" for _ in self.shape[1:])])

    def name(self, i: int) -> str:
        """Return what the file of chunk i says that it is."""
        return f"{self.folder.name}.{self.path(i).name}"

    def write(self, i: int, x: Array) -> None:
        """Write chunk i; the last one is padded with zeros, as Zarr requires."""
        whole = np.zeros((self.chunk, *self.shape[1:]), self.dtype.newbyteorder("<"))
        whole[: len(x)] = x
        write_whole(self.path(i), sealed(self.name(i), whole.tobytes()))

    def content(self, i: int) -> bytes | None:
        """Return the numbers of chunk i, or None if its file is not there, or not as it was written."""
        try:
            size = self.chunk * math.prod(self.shape[1:]) * self.dtype.itemsize
            return unsealed(self.name(i), self.path(i).read_bytes(), size)
        except OSError:
            return None

    def read(self, i: int) -> Array:
        """Read chunk i."""
        content = self.content(i)
        if content is None:
            raise ValueError(
                f"{self.path(i)} is missing or damaged: the same sweep, called again, mends it"
            )
        numbers = np.frombuffer(content, self.dtype.newbyteorder("<")).astype(self.dtype)
        return numbers.reshape(self.chunk, *self.shape[1:])

    def __getitem__(self, key: Any) -> Any:
        """Read what an index of NumPy's basic kind asks for: numbers, slices, ... and None."""
        part, key = rows(key, self.shape)
        chunks = range(part.start // self.chunk, -(-part.stop // self.chunk) if part else 0)
        bounds = [
            (i, max(part.start - i * self.chunk, 0), part.stop - i * self.chunk) for i in chunks
        ]
        nothing = np.empty((0, *self.shape[1:]), self.dtype)
        return np.concatenate([nothing, *(self.read(i)[a:b] for i, a, b in bounds)])[key]

    def __iter__(self) -> Iterator[Any]:
        """Read the states one after another, a chunk at a time."""
        return (x for i in range(0, len(self), self.chunk) for x in self[i : i + self.chunk])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Read it whole."""
        if copy is False:
            raise ValueError("an array on disk cannot be had without a copy")
        return self[...].astype(dtype or self.dtype, copy=False)


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


@dataclass(frozen=True, eq=False)
class Store:
    """A folder that is a Zarr group, with one array for each part of the result; each chunk exists or not."""

    folder: Path
    count: int
    chunk: int
    labels: dict[str, Any]
    arrays: dict[str, StoredArray] = field(default_factory=dict)

    def write_group(self, **more: Any) -> None:
        """Write the file that makes the folder a Zarr group, with the sweep's labels."""
        attributes = {"sweep": self.labels | more}
        content = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
        write_whole(self.folder / "zarr.json", json.dumps(content, indent=2).encode())

    def begin(self, chunks: dict[str, Array]) -> None:
        """Make the arrays for results such as these, and record them last."""
        for name, x in chunks.items():
            if x.dtype.kind not in "biufc" or x.dtype.char in "gG":
                raise TypeError(
                    f"{name!r} of the result holds {x.dtype}, which a store cannot keep: leave `out` out"
                )
        kinds = {name: [x.dtype.name, list(x.shape[1:])] for name, x in chunks.items()}
        self.open(kinds)
        self.write_group(arrays=kinds)

    def open(self, kinds: dict[str, Any]) -> None:
        """Make the arrays, or use those that are there."""
        for name, (dtype, shape) in kinds.items():
            array = StoredArray(
                self.folder / name, (self.count, *shape), np.dtype(dtype), self.chunk
            )
            array.folder.mkdir(exist_ok=True)
            text = json.dumps(
                array_metadata(array.shape, array.dtype, self.chunk), indent=2
            ).encode()
            note = array.folder / "zarr.json"
            if not note.exists() or note.read_bytes() != text:
                write_whole(note, text)
            self.arrays[name] = array

    def missing(self) -> list[int]:
        """Return the numbers of the chunks of which not all files are there, and whole."""
        chunks = range(-(-self.count // self.chunk))
        arrays = self.arrays.values()
        return [i for i in chunks if not arrays or any(x.content(i) is None for x in arrays)]

    def keep(self, i: int, result: Any) -> None:
        """Write chunk i."""
        chunks = leaves(result)
        if not self.arrays:
            self.begin(chunks)
        check_alike(chunks, self.arrays, i * self.chunk)
        for name, x in chunks.items():
            self.arrays[name].write(i, x)

    def result(self) -> dict[str, StoredArray]:
        """Return the arrays by name; drafts of killed processes are removed."""
        for draft in self.folder.rglob("*.part"):
            draft.unlink(missing_ok=True)
        return dict(self.arrays)


def labels_in(note: Path) -> Any:
    """Return the labels of the sweep in a folder by its description; ValueError if that is none, or damaged."""
    try:
        there = json.loads(note.read_bytes()).get("attributes", {}).get("sweep")
        if there is not None and not 0 == there["chunk"] % there["block"] < there["chunk"]:
            raise ValueError("no chunk has this size")
    except (ValueError, AttributeError, KeyError, TypeError, ArithmeticError) as error:
        raise ValueError(
            f"{note} is damaged, so nobody knows what sweep this is: name another folder, or remove that one"
        ) from error
    if there is None:
        raise ValueError(
            f"{note.parent} is a Zarr group, but no sweep: name a new folder, or an empty one"
        )
    return there


def open_store(out: Any, labels: dict[str, Any], chunk: int | None) -> Store:
    """Return the store in a folder, a new one or that of this sweep; refuse another's."""
    folder = check_folder(out, "out")
    note = folder / "zarr.json"
    if not note.exists():
        if folder.exists() and (
            not folder.is_dir() or any(p.suffix != ".part" for p in folder.iterdir())
        ):
            raise ValueError(
                f"{folder} is there already and holds no sweep: name a new folder, or an empty one"
            )
        folder.mkdir(parents=True, exist_ok=True)
        store = Store(folder, labels["count"], labels["chunk"], labels)
        store.write_group()
        return store
    there = labels_in(note)
    for what in ("software", "chain", "function", "states", "count", "block"):
        if there.get(what) != labels[what]:
            raise ValueError(
                f"{folder} holds the sweep of another {what} ({there.get(what)}, and now {labels[what]}): "
                "name another folder, or remove that one"
            )
    if chunk is not None and labels["chunk"] != there["chunk"]:
        raise ValueError(
            f"{folder} was begun with chunks of {there['chunk']} states, not {labels['chunk']}: "
            "leave `chunk` out to go on"
        )
    kinds = there.pop("arrays", None)
    store = Store(folder, there["count"], there["chunk"], there)
    if kinds is not None:
        store.open(kinds)
    return store


def kept_in(
    out: Any,
    function: Callable[..., Any],
    chain: Any,
    states: Any,
    *,
    count: int,
    block: int,
    chunk: int,
    given: int | None,
) -> Memory | Store:
    """Return where a sweep keeps its results: in memory where `out` is None, or in that folder.

    chunk : states in a file, where the folder is new; given : what the caller said of it, None for nothing.
    """
    if out is None:
        return Memory(count, chunk)
    labels: dict[str, Any] = {
        what: digest(x, what)
        for what, x in (("chain", chain), ("function", function), ("states", states))
    }
    labels |= {"software": software(), "count": count, "block": block, "chunk": chunk}
    return open_store(out, labels, given)
