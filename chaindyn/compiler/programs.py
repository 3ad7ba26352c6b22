"""Programs and how they are run: arguments laid out, states shared out among threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from chaindyn.compiler.native import LANES, Kernel
from chaindyn.compiler.recorded import shape_of
from chaindyn.compiler.rolled import Opaque, with_leaves
from chaindyn.compiler.ways import Chain
from chaindyn.guards.numbers import unmasked

__all__: list[str] = []

Array = Any
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Program:
    """A function compiled for some of its arguments: which, their shapes, and how its results are put together."""

    kernel: Kernel
    names: tuple[str, ...]
    places: tuple[Any, ...]
    nest: Any

    @property
    def single(self) -> Kernel:
        """What computes one state."""
        return self.kernel

    def computed(
        self, values: Sequence[Array], batch: tuple[int, ...], threads: int
    ) -> tuple[list[Array], bool]:
        """Return the results of one state or of a batch, and whether some are not to be trusted."""
        return run(self.kernel, values, batch, threads)

    def assembled(self, arrays: Sequence[Array], batch: tuple[int, ...]) -> Any:
        """Return results in the form that the function gives them."""
        whole = [x.reshape((*batch, *x.shape[1:])) if batch else x for x in arrays]
        return with_leaves(self.nest, iter([x if x.ndim else x[()] for x in whole]))

    def quick(self, whole: Any) -> Any:
        """Return a callable that goes straight to the program, or to the whole function; None if it cannot be made."""
        return whole.door_to(self.single, isinstance(self.nest, tuple))


class Runs(NamedTuple):
    """How many states a compiled function gave to its program, and how many the function itself did."""

    compiled: int
    interpreted: int


def kept(chain: Chain, key: Any, make: Callable[[], Made]) -> Made:
    """Return what `make` makes for a chain, once for each key: it stays with the chain."""
    own: dict[Any, Made] = chain.__dict__.setdefault("programs", {})
    if key not in own:
        own[key] = make()
    return own[key]


def name_of(function: Callable[..., Any]) -> str:
    """Return what to call a function in a message; partial functions and objects that are called have no name."""
    return str(getattr(function, "__name__", None) or type(function).__name__)


def is_flat_tuple(nest: Any) -> bool:
    """Whether results are several arrays, and nothing more."""
    return type(nest) is tuple and all(isinstance(x, Opaque | np.ndarray) for x in nest)


def comparable(value: Any) -> Any:
    """Return an option as a key: arrays and lists by their entries, others with their type, for True == 1."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return (value.shape, value.dtype.str, value.tobytes())
    if isinstance(value, np.ndarray | list):  # of objects: they, not where they lie
        return (type(value), *map(comparable, value))
    hash(value)
    return type(value), value


def prepare(
    program: Program, chain: Chain, arrays: dict[str, Any]
) -> tuple[tuple[int, ...], list[Array]] | None:
    """Return the batch axes of arguments, and these as the program takes them; None if the checks should see them."""
    values, batches = [], []
    for name, core in zip(program.names, program.places, strict=True):
        if (x := taken(chain, unmasked(arrays[name], name), core)) is None:
            return None
        values.append(x)
        batches.append(x.shape[: x.ndim - len(shape_of(chain, core))])
    try:
        batch = np.broadcast_shapes(*batches)
    except ValueError:
        return None
    return batch, [spread(x, own, batch) for x, own in zip(values, batches, strict=True)]


def taken(chain: Chain, x: Array, core: tuple[Any, ...]) -> Array | None:
    """Return an argument (..., *core) as floats, all velocities where some were given; None if checks should see it."""
    if x.dtype.kind not in "iuf" or x.dtype.itemsize > 8:
        return None
    some = bool(core) and isinstance(core[0], tuple)
    own = (len(core[0]),) if some else shape_of(chain, core)
    lead = x.ndim - len(own)
    if lead < 0 or x.shape[lead:] != own:
        return None
    x = x.astype(float, copy=False)
    if not some:
        return x
    whole = np.zeros((*x.shape[:-1], chain.nv))
    whole[..., list(core[0])] = x
    return whole


def spread(x: Array, own: tuple[int, ...], batch: tuple[int, ...]) -> Array:
    """Return an argument (*own, ...) with one axis for the whole batch, or with none if all states share it."""
    core = x.shape[len(own) :]
    if not own:
        return np.ascontiguousarray(x)
    if own != batch:
        x = np.broadcast_to(x, (*batch, *core))
    return np.ascontiguousarray(x).reshape((-1, *core))


def run(
    kernel: Kernel, values: Sequence[Array], batch: tuple[int, ...], threads: int
) -> tuple[list[Array], bool]:
    """Return the results of one state, or of a batch on some threads, and whether some are not to be trusted."""
    if not batch:
        return kernel.one(values)
    count = int(np.prod(batch))
    results = [np.empty((count, *shape)) for shape in kernel.outputs[:-1]]
    strides = [
        x.size // count if x.ndim > len(s) and count else 0
        for x, s in zip(values, kernel.inputs, strict=True)
    ]

    def work(piece: tuple[int, int]) -> bool:
        return kernel.many(values, strides, results, *piece)

    return results, shared_out(work, count, min(threads, count // 64))


def shared_out(work: Callable[[tuple[int, int]], bool], count: int, threads: int) -> bool:
    """Do some work on all states, in as many pieces as threads, each of whole lanes; return whether one says yes."""
    cuts = np.linspace(0, -(-count // LANES), max(threads, 1) + 1).astype(int) * LANES
    pieces = [
        (a, min(b, count))
        for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
        if a < b
    ]
    if len(pieces) <= 1:
        return any(work(p) for p in pieces)
    with ThreadPoolExecutor(len(pieces)) as pool:
        return any(list(pool.map(work, pieces)))
