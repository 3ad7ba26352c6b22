# Generated from chapters/21_ten_million_postures.md by `python -m book export`; edit it there.
# sha256 of the text below: 81d0eb0c7639ae68d7388f1511c4ada8f65832c73e9cf1bcbe7d805978e57c4f
"""Sweeps: one function over millions of states, on all cores, resumable.

Derived in chapter 21, "Ten million postures".
"""

import functools
import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.chain import Chain, forward_kinematics
from chaindyn.guards.arguments import check_chain, check_folder
from chaindyn.guards.numbers import require_unmasked, unmasked
from chaindyn.impulse import impact
from chaindyn.jobs.chunks import rows, sealed, unsealed
from chaindyn.jobs.fingerprint import digest, software
from chaindyn.kinematics import body_jacobian

__all__ = ["sweep"]


# Chapter 21, "Ten million postures": A sweep is a function of arrays
@dataclass(frozen=True, eq=False)
class Strike:
    """Response to a blow with the tip, for each metre per second of its speed.

    mass : (...) effective mass [kg], and so the impulse [N s] without bounce; force,
    moment : (..., n), the sizes of the impulse [N s] in each joint's bearings, and of
    its moment about the joint [N m s].
    """

    mass: Array
    force: Array
    moment: Array


def strike(chain: Chain, q: Array, direction: Array, *, body: int | str | None = None) -> Strike:
    """Return the response if a link strikes a wall with its origin moving at 1 m/s
    along a direction, without bounce.

    q : (..., nq); direction : (..., 3), unit vectors in world axes; body : index or
    name of a link, or a frame's name, None for the only leaf. The joints' motion before
    matters only by that speed, since the response is linear in the impulse; the
    smallest such motion is taken. Where the tip cannot move so, the mass is infinite
    and the rest 0.
    """
    row = (body_jacobian(chain, q, body, frame="mixed")[..., 3:, :] * direction[..., None]).sum(-2)
    square = (row * row).sum(-1, keepdims=True)
    qd = row / np.where(square == 0, 1, square)
    blow = impact(chain, q, qd, normal=-direction, restitution=0, body=body)
    moment, force = blow.joint_impulses[..., :3], blow.joint_impulses[..., 3:]
    moment = moment - np.cross(forward_kinematics(chain, q)[1], force)
    return Strike(blow.effective_mass, norm(force), norm(moment))


def norm(x: Array) -> Array:
    """Return the lengths (...) of vectors (..., 3)."""
    return np.sqrt((x * x).sum(-1))


# Chapter 21, "Ten million postures": Memory
def block_size(chain: Chain) -> int:
    """Return the number of states in one call: the largest power of two whose
    transforms X fit 2 MiB, 1 at least.
    """
    states = 2**21 // (36 * 8 * chain.n)
    return 1 << max(0, states.bit_length() - 1)


def chunk_size(count: int, block: int, chunk: int | None) -> int:
    """Return the number of states computed and written at once: a multiple of the
    block.

    By default (None) one 64th of all states, but 64 blocks at most.
    """
    if chunk is not None and (not isinstance(chunk, int) or isinstance(chunk, bool) or chunk < 1):
        raise ValueError(f"chunk is {chunk!r}, but must be a number of states, 1 at least")
    size = min(-(-count // 64), 64 * block) if chunk is None else min(chunk, count)
    return -(-size // block) * block


# Chapter 21, "Ten million postures": States that are not stored
def uniform(seed: int, start: int, stop: int, width: int) -> Array:
    """Return rows start to stop (stop - start, width) of one endless table of random
    numbers in [0, 1).

    The generator Philox is a function of a seed and a counter: four numbers for each
    count, without those before.
    """
    bits = np.random.Philox(key=seed)
    turns, rest = divmod(start * width, 4)
    bits.advance(turns)
    numbers = np.random.Generator(bits).random(rest + (stop - start) * width)
    return numbers[rest:].reshape(stop - start, width)


@dataclass(frozen=True)
class Drawn:
    """States drawn on demand, each always the same: the argument `states` of `sweep`.

    make(u) : makes states, a tuple or dict of arrays, from random numbers u (k, width)
    in [0, 1); width : how many for one state; count : the number of states; seed : a
    whole number, other states for another one.
    """

    make: Callable[[Array], Any]
    width: int
    count: int
    seed: int = 0

    def __len__(self) -> int:
        """Return the number of states."""
        return self.count

    def __getitem__(self, part: slice) -> Any:
        """Return the states of a range of indices."""
        start, stop, _ = part.indices(self.count)
        return self.make(uniform(self.seed, start, stop, self.width))


def as_states(states: Any) -> tuple[Any, int]:
    """Return states, with lists as arrays, and their number; refuse those without a
    common first axis.
    """
    if isinstance(states, list):
        raise ValueError(
            "states is a list: give one array, a tuple or dict of arrays, or what can be sliced"
        )
    if isinstance(states, Mapping):
        named = {name: unmasked(x, f"states[{name!r}]") for name, x in states.items()}
        states, arrays = named, {f"states[{name!r}]": x for name, x in named.items()}
    elif isinstance(states, tuple):
        states = tuple(unmasked(x, f"states[{i}]") for i, x in enumerate(states))
        arrays = {f"states[{i}]": x for i, x in enumerate(states)}
    elif isinstance(states, np.ndarray):
        states = unmasked(states, "states")
        arrays = {"states": states}
    elif hasattr(states, "__len__") and hasattr(states, "__getitem__"):
        require_unmasked(states, "states")
        arrays = {}
    else:
        raise ValueError(
            f"states is {type(states).__name__}, but must be an array, a tuple or dict of arrays, or have a length and "
            "give the states of a slice"
        )
    for name, x in arrays.items():
        if x.ndim == 0:
            raise ValueError(f"{name} is one number, but its first axis must be that of the states")
    lengths = {name: len(x) for name, x in arrays.items()} or {"states": len(states)}
    if len(set(lengths.values())) > 1:
        lengths_text = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(
            f"the first axis is that of the states and must be equally long in all: {lengths_text}"
        )
    count = next(iter(lengths.values()))
    if count == 0:
        raise ValueError("there are no states to sweep over")
    return states, count


def cut(states: Any, start: int, stop: int) -> tuple[Any, int]:
    """Return a rule for the states of a range, small enough to send, and the index of
    its first state.
    """
    if isinstance(states, Mapping):
        return {name: x[start:stop] for name, x in states.items()}, start
    if isinstance(states, tuple):
        return tuple(x[start:stop] for x in states), start
    return (states[start:stop], start) if isinstance(states, np.ndarray) else (states, 0)


def arguments(states: Any, start: int, stop: int) -> tuple[tuple[Array, ...], dict[str, Array]]:
    """Return the states of a range as arguments after the chain: by position, and by
    name.

    Their memory layout is always the same, since the order of a sum, and so its last
    digit, can depend on it.
    """
    if isinstance(states, Mapping):
        return (), {name: np.ascontiguousarray(x[start:stop]) for name, x in states.items()}
    if isinstance(states, tuple):
        return tuple(np.ascontiguousarray(x[start:stop]) for x in states), {}
    made = states[start:stop]
    if isinstance(made, Mapping):
        return (), {name: np.ascontiguousarray(unmasked(x, name)) for name, x in made.items()}
    made = made if isinstance(made, tuple) else (made,)
    return tuple(np.ascontiguousarray(unmasked(x, "states")) for x in made), {}


# Chapter 21, "Ten million postures": The same to the last bit
def leaves(result: Any) -> dict[str, Array]:
    """Return the arrays of a result by name: fields of a dataclass, places in a tuple,
    or "result" alone.
    """
    if is_dataclass(result):
        return {
            part.name: unmasked(getattr(result, part.name), part.name) for part in fields(result)
        }
    if isinstance(result, tuple):
        names = getattr(result, "_fields", range(len(result)))
        return {
            str(name): unmasked(x, f"result {name}") for name, x in zip(names, result, strict=True)
        }
    return {"result": unmasked(result, "the result")}


def like(result: Any, arrays: dict[str, Array]) -> Any:
    """Return a result of the same kind with other arrays."""
    if is_dataclass(result) and not isinstance(result, type):
        return replace(result, **arrays)
    if hasattr(result, "_fields"):
        return type(result)(**arrays)
    return tuple(arrays.values()) if isinstance(result, tuple) else arrays["result"]


def compute(
    function: Callable[..., Any], chain: Chain, states: Any, first: int, start: int, stop: int
) -> Any:
    """Return the function's result for states start to stop, computed block by block;
    `states` begin at index `first`.

    Blocks begin at multiples of their size in every process.
    """
    block, results = block_size(chain), []
    for a in range(start, stop, block):
        b = min(a + block, stop)
        try:
            args, named = arguments(states, a - first, b - first)
            results.append(function(chain, *args, **named))
        except Exception as error:
            error.add_note(f"This was in a sweep, in its states {a} to {b - 1}.")
            raise
        for name, x in leaves(results[-1]).items():
            if x.shape[:1] != (b - a,):
                raise ValueError(
                    f"{name!r} of what the function returned has shape {x.shape}, but for {b - a} states its first "
                    f"axis must be theirs, ({b - a}, ...)"
                )
    parts = [leaves(result) for result in results]
    return like(
        results[0], {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    )


# Chapter 21, "Ten million postures": The same to the last bit
def check_alike(chunks: dict[str, Array], arrays: Mapping[str, Any], start: int) -> None:
    """Refuse a chunk whose arrays differ in names, shapes or types from those of the
    chunks before.
    """
    want = {name: (x.shape[1:], x.dtype) for name, x in arrays.items()}
    have = {name: (x.shape[1:], x.dtype) for name, x in chunks.items()}
    if have != want:
        raise ValueError(
            f"from state {start} on the function returned {have}, but before {want}: shapes and types must not "
            "depend on the states"
        )


@dataclass(frozen=True, eq=False)
class Memory:
    """Where results are kept if there is no folder."""

    count: int
    chunk: int
    arrays: dict[str, Array] = field(default_factory=dict)
    kind: list[Any] = field(default_factory=list)

    def missing(self) -> list[int]:
        """Return the numbers of the chunks that are to be computed: all."""
        return list(range(-(-self.count // self.chunk)))

    def keep(self, i: int, result: Any) -> None:
        """Keep chunk i."""
        chunks, start = leaves(result), i * self.chunk
        if not self.kind:
            self.kind.append(result)
            shapes = {name: (self.count, *x.shape[1:]) for name, x in chunks.items()}
            self.arrays.update(
                {name: np.empty(shapes[name], x.dtype) for name, x in chunks.items()}
            )
        check_alike(chunks, self.arrays, start)
        for name, x in chunks.items():
            self.arrays[name][start : start + self.chunk] = x

    def result(self) -> Any:
        """Return all, as the function returned it."""
        return like(self.kind[0], self.arrays)


# Chapter 21, "Ten million postures": What an interruption costs
def write_whole(path: Path, content: bytes) -> None:
    """Write a file completely or not at all, even if the power fails."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.replace(draft, path)
    except FileNotFoundError:  # another process of the same sweep was first, and removed it
        if not path.exists():
            raise
    with suppress(OSError):  # some systems cannot open a folder
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def array_metadata(shape: tuple[int, ...], dtype: np.dtype[Any], chunk: int) -> dict[str, Any]:
    """Return Zarr's metadata of an array that is cut along its first axis only, each
    chunk with a checksum.

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
    """One array of a store: np.asarray reads it whole, an index that part;
    zarr.open_array reads it too.
    """

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
        """Return the numbers of chunk i, or None if its file is not there, or not as it
        was written.
        """
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
        """Read what an index of NumPy's basic kind asks for: numbers, slices, ... and
        None.
        """
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


@dataclass(frozen=True, eq=False)
class Store:
    """A folder that is a Zarr group, with one array for each part of the result; each
    chunk exists or not.
    """

    folder: Path
    count: int
    chunk: int
    labels: dict[str, Any]
    arrays: dict[str, StoredArray] = field(default_factory=dict)

    def write_group(self, **more: Any) -> None:
        """Write the file that makes the folder a Zarr group, with the sweep's
        labels.
        """
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
        """Return the numbers of the chunks of which not all files are there, and
        whole.
        """
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
    """Return the labels of the sweep in a folder by its description; ValueError if that
    is none, or damaged.
    """
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
    """Return the store in a folder, a new one or that of this sweep; refuse
    another's.
    """
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


# Chapter 21, "Ten million postures": All cores, and more than one machine
def finished(
    submit: Callable[[int], Future[Any]], todo: list[int], ahead: int
) -> Iterator[tuple[int, Any]]:
    """Yield chunks and their results as they finish; at most `ahead` run at once."""
    left, under_way = iter(todo), dict[Future[Any], int]()
    while True:
        for i in islice(left, ahead - len(under_way)):
            under_way[submit(i)] = i
        if not under_way:
            return
        done, _ = wait(under_way, return_when=FIRST_COMPLETED)
        for future in sorted(
            done, key=lambda f: f.exception() is not None
        ):  # lost chunks come last
            yield under_way.pop(future), future.result()


def may_copy() -> bool:
    """Whether a process can be started as a copy of this one, which has the function
    already.

    True on Linux, in a process without other threads: a copy lacks the threads, but
    keeps their locks closed for ever.
    """
    return sys.platform == "linux" and threading.active_count() == 1 and "jax" not in sys.modules


def default_workers(chunks: int) -> int:
    """Return the default number of processes: one for each available core, or 1 where
    processes cannot be copied.
    """
    count = getattr(
        os, "process_cpu_count", lambda: len(os.sched_getaffinity(0))
    )  # the first is Python 3.13's
    return max(1, min(count() or 1, chunks)) if may_copy() else 1


def computed(
    function: Callable[..., Any],
    chain: Chain,
    piece: Callable[[int], Any],
    todo: list[int],
    workers: Any,
) -> Iterator[tuple[int, Any]]:
    """Yield chunks and their results: from here, from processes, or from the executor
    that is given.
    """
    if hasattr(workers, "get_executor"):  # a client of Dask
        workers = workers.get_executor()
    if isinstance(workers, Executor):
        pool = workers
        return finished(lambda i: pool.submit(compute, function, chain, *piece(i)), todo, 128)
    if workers is None:
        workers = default_workers(len(todo))
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
        raise ValueError(
            f"workers is {workers!r}, but must be a number of processes, 1 for none but this, an executor of "
            "concurrent.futures, or a client of Dask"
        )
    if workers == 1 or not todo:
        return ((i, compute(function, chain, *piece(i))) for i in todo)
    from chaindyn.jobs.processes import in_processes  # a browser has none

    return in_processes(
        functools.partial(compute, function, chain), piece, todo, workers, may_copy()
    )


# Chapter 21, "Ten million postures": All cores, and more than one machine
def show_progress(done: int, before: int, count: int, begin: float, last: bool) -> None:
    """Write a line on standard error: states done, and the time for the rest at the
    pace of this run.
    """
    spent = time.monotonic() - begin
    left = spent * (count - done) / max(done - before, 1)
    pace = f"{spent:.0f} s" if last else f"{left:.0f} s left"
    line = f"sweep: {done:,} of {count:,} states, {100 * done / count:.0f} %, {pace}"
    end = "\n" if last or not sys.stderr.isatty() else ""
    print(f"\r{line:<70}" if sys.stderr.isatty() else line, end=end, file=sys.stderr, flush=True)


def sweep(
    function: Callable[..., Any],
    chain: Chain,
    states: Any,
    *,
    out: Any = None,
    chunk: int | None = None,
    workers: Any = None,
    progress: bool = True,
) -> Any:
    """Return function(chain, *states) for very many states: in chunks, on all cores,
    resuming where it stopped.

    function : takes the chain and arrays with the states along their first axis, and
    returns an array, a tuple or a dataclass of such arrays, each state's result by
    itself; wrap one that takes no chain, lambda chain, *x: f(*x).
    states : an array or a tuple of arrays, which follow the chain; a dict, given by
    name; or an object with a length whose slices are these, such as `Drawn`. out : None
    for results in memory, as the function returns them; or a folder, a Zarr store, new
    or continued, and a dict of arrays on disk is returned. chunk : states computed and
    written at once, rounded up to a multiple of `block_size`; None is automatic.
    workers : a number of processes, 1 for this one only; an executor of
    concurrent.futures; a client of Dask; None is every core, where that is safe.
    progress : whether to report on standard error, after two seconds.

    The result is the same to the last bit for any chunk, workers and interruptions.
    ValueError if the states have no common first axis, a result has another, or the
    folder holds something else.
    """
    check_chain(chain)
    if not callable(function):
        raise ValueError(
            f"function is {function!r}, but must be callable as function(chain, *states)"
        )
    states, count = as_states(states)
    block = block_size(chain)
    size = chunk_size(count, block, chunk)
    kept: Memory | Store = Memory(count, size)
    if out is not None:
        labels = {
            what: digest(x, what)
            for what, x in (("chain", chain), ("function", function), ("states", states))
        }
        kept = open_store(
            out,
            labels | {"software": software(), "count": count, "block": block, "chunk": size},
            chunk,
        )
        size = kept.chunk

    def piece(i: int) -> tuple[Any, int, int, int]:
        start, stop = i * size, min((i + 1) * size, count)
        return *cut(states, start, stop), start, stop

    todo = kept.missing()
    before = done = count - sum(min(size, count - i * size) for i in todo)
    begin = shown = time.monotonic()
    for i, result in computed(function, chain, piece, todo, workers):
        kept.keep(i, result)
        done += min(size, count - i * size)
        now = time.monotonic()
        if (
            progress
            and now - begin > 2
            and (done == count or now - shown > (0.5 if sys.stderr.isatty() else 20))
        ):
            show_progress(done, before, count, begin, done == count)
            shown = now
    return kept.result()
