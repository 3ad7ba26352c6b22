"""States of a sweep: arrays by place or by name, or a rule that makes those of a slice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.numbers import require_unmasked, unmasked


def as_states(states: Any) -> tuple[Any, int]:
    """Return states, with lists as arrays, and their number; refuse those without a common first axis."""
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
    """Return a rule for the states of a range, small enough to send, and the index of its first state."""
    if isinstance(states, Mapping):
        return {name: x[start:stop] for name, x in states.items()}, start
    if isinstance(states, tuple):
        return tuple(x[start:stop] for x in states), start
    return (states[start:stop], start) if isinstance(states, np.ndarray) else (states, 0)


def arguments(states: Any, start: int, stop: int) -> tuple[tuple[Array, ...], dict[str, Array]]:
    """Return the states of a range as arguments after the chain: by position, and by name.

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


def check_chunk(chunk: Any) -> int | None:
    """Return the number of states in a chunk, or None, or say what is wrong with it."""
    if chunk is not None and (not isinstance(chunk, int) or isinstance(chunk, bool) or chunk < 1):
        raise ValueError(f"chunk is {chunk!r}, but must be a number of states, 1 at least")
    return chunk


def check_function(function: Any) -> None:
    """Refuse what cannot be called for every state."""
    if not callable(function):
        raise ValueError(
            f"function is {function!r}, but must be callable as function(chain, *states)"
        )
