"""What a function returns for many states: its arrays by name, joined, and kept in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.numbers import unmasked
from chaindyn.jobs.states import arguments


def leaves(result: Any) -> dict[str, Array]:
    """Return the arrays of a result by name: fields of a dataclass, places in a tuple, or "result" alone."""
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


def evaluated(
    function: Callable[..., Any], chain: Any, states: Any, first: int, start: int, stop: int
) -> Any:
    """Return the function's result for states start to stop; `states` begin at index `first`.

    What it raises says which states these were; ValueError if the first axis of a result is not theirs.
    """
    try:
        args, named = arguments(states, start - first, stop - first)
        result = function(chain, *args, **named)
    except Exception as error:
        error.add_note(f"This was in a sweep, in its states {start} to {stop - 1}.")
        raise
    for name, x in leaves(result).items():
        if x.shape[:1] != (stop - start,):
            raise ValueError(
                f"{name!r} of what the function returned has shape {x.shape}, but for {stop - start} states its first "
                f"axis must be theirs, ({stop - start}, ...)"
            )
    return result


def joined(results: Iterable[Any]) -> Any:
    """Return results of one kind as one, along their first axis."""
    results = list(results)
    parts = [leaves(result) for result in results]
    return like(
        results[0], {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    )


def check_alike(chunks: dict[str, Array], arrays: Mapping[str, Any], start: int) -> None:
    """Refuse a chunk whose arrays differ in names, shapes or types from those of the chunks before."""
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
