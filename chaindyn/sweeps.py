"""Sweeps: one function over millions of states, on all cores, resumable.

Chapter 27 sweeps in twelve lines; what they lack for millions of states is here and in `chaindyn.jobs`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.chain import Chain
from chaindyn.guards.arguments import check_chain
from chaindyn.jobs.results import evaluated, joined
from chaindyn.jobs.states import as_states, check_chunk, check_function, cut
from chaindyn.jobs.store import kept_in
from chaindyn.jobs.workers import computed, reported

__all__ = ["sweep"]


def block_size(chain: Chain) -> int:
    """Return the number of states in one call, 1 at least.

    It is the largest power of two whose transforms X fit 2 MiB.
    """
    states = 2**21 // (36 * 8 * chain.n)
    return 1 << max(0, states.bit_length() - 1)


def chunk_size(count: int, block: int, chunk: int | None) -> int:
    """Return the number of states computed and written at once, in whole blocks.

    By default (None) one 64th of all states, but 64 blocks at most.
    """
    given = check_chunk(chunk)
    size = min(-(-count // 64), 64 * block) if given is None else min(given, count)
    return -(-size // block) * block


def uniform(seed: int, start: int, stop: int, width: int) -> Array:
    """Return rows start to stop of one endless table of random numbers in [0, 1).

    The result is (stop - start, width). The generator Philox is a function of a seed
    and a counter: four numbers for each count, without those before.
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


def compute(
    function: Callable[..., Any], chain: Chain, states: Any, first: int, start: int, stop: int
) -> Any:
    """Return the function's result for states start to stop, computed block by block.

    states : begin at index `first`. Blocks begin at multiples of their size in every
    process.
    """
    block = block_size(chain)
    return joined(
        evaluated(function, chain, states, first, a, min(a + block, stop))
        for a in range(start, stop, block)
    )


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
    """Return function(chain, *states) for very many states, in chunks, on all cores.

    It resumes where it stopped. function : takes the chain and arrays with the states
    along their first axis, and
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

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> q, qd = random_state(rod, 0, batch=(100_000,))
    >>> energy = sweep(kinetic_energy, rod, (q, qd), workers=1)
    >>> energy.shape, round(float(energy.mean()), 2)
    ((100000,), 0.17)
    """
    check_chain(chain)
    check_function(function)
    (states, count), block = as_states(states), block_size(chain)
    size = chunk_size(count, block, chunk)
    kept = kept_in(out, function, chain, states, count=count, block=block, chunk=size, given=chunk)

    def piece(i: int) -> tuple[Any, int, int, int]:
        start, stop = i * kept.chunk, min((i + 1) * kept.chunk, count)
        return *cut(states, start, stop), start, stop

    todo, work = kept.missing(), partial(compute, function, chain)
    for i, result in reported(
        computed(work, piece, todo, workers), todo, kept.chunk, count, progress
    ):
        kept.keep(i, result)
    return kept.result()
