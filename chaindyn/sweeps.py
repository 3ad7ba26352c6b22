# Generated from chapters/21_ten_million_postures.md by `python -m book export`; edit it there.
# sha256 of the text below: e003bef6b64111502385a549b49f94d8f0530ef94f02f33150dc58807f7f2e4e
"""Sweeps: one function over millions of states, on all cores, resumable.

Derived in chapter 21, "Ten million postures".
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.chain import Chain, forward_kinematics
from chaindyn.guards.arguments import check_chain
from chaindyn.impulse import impact
from chaindyn.jobs.results import evaluated, joined
from chaindyn.jobs.states import as_states, check_chunk, check_function, cut
from chaindyn.jobs.store import kept_in
from chaindyn.jobs.workers import computed, reported
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


# Chapter 21, "Ten million postures": States that are not stored
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


# Chapter 21, "Ten million postures": The same to the last bit
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


# Chapter 21, "Ten million postures": All cores, and more than one machine
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
