"""The public door: arguments are checked once, before a public function runs.

A public function that calls another is inside the house already: there the checks are not made again.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

import numpy as np

from chaindyn.guards.arguments import (
    check_chain,
    check_word,
    require_fit,
    require_rotation,
    require_same_batch,
    require_shape,
    require_unit_quaternions,
)
from chaindyn.guards.model import NUMBERS_OF_A_CHAIN
from chaindyn.guards.numbers import (
    all_finite,
    as_array,
    is_concrete,
    is_number,
    known_values,
    read_only_view,
    require_finite,
    require_not_complex,
)

F = TypeVar("F", bound=Callable[..., Any])


Core = int | str | tuple[int | str, ...]


MAY_BE_INFINITE = {"effective_mass"}


_inside: ContextVar[bool] = ContextVar("chaindyn_inside", default=False)


def _check_array(value: Any, name: str, core: tuple[int | str, ...], chain: Any) -> Any:
    """Check one array argument; 'n', 'nq' and 'nv' in `core` stand for the chain's own numbers."""
    value = as_array(value, name)
    sizes = tuple([getattr(chain, c) if isinstance(c, str) else c for c in core])
    if value.shape[max(value.ndim - len(sizes), 0) :] != sizes:
        symbols = [c for c in core if isinstance(c, str)]
        why = "".join(f": this chain has {s} = {getattr(chain, s)}" for s in symbols)
        require_shape(value, name, sizes, why)
    if sizes == core:
        require_finite(value, name)
        return value

    def owner(index: tuple[int, ...]) -> str:
        link = chain.names[index[-2]] if core[0] == "n" else chain.link_of(core[-1], index[-1])
        return f"link {link!r}"

    require_finite(value, name, owner)
    if core[-1] == "nq":
        require_unit_quaternions(value, name, chain)
    return value


def call_user_function(
    function: Callable[..., Any], name: str, core: tuple[int, ...], t: float, *state: Any
) -> Any:
    """Return what a user's function of (t, q, qd) gives, (..., *core); ValueError says when it is bad.

    Its batch axes must be those of the states; an empty core is one number for them all. A complex value is bad
    where the states are real. It may not write into the states. Arguments of what it calls are checked again: it
    is not part of the house.
    """
    if not callable(function):
        raise ValueError(f"{name} is {function!r}, but must be a function of (t, q, qd)")
    value = outside(function)(t, *(read_only_view(x) for x in state))
    try:
        value = as_array(value, name)
        require_fit(value, name, core, state[0].shape[:-1] if core else ())
        require_finite(value, name)
        if all(is_concrete(x) for x in state):
            require_not_complex(value, name)
    except ValueError as error:
        raise ValueError(f"at t = {t:.6g} s: {error}") from None
    return value


def outside(function: F) -> F:
    """Return a user's function so that the public functions that it calls check what they are given."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        context = copy_context()
        context.run(_inside.set, False)
        return context.run(function, *args, **kwargs)

    return call  # type: ignore[return-value]


def checked(**specification: Core | set[Any]) -> Callable[[F], F]:
    """Check a public function's arguments by name before it runs.

    A tuple, a number or 'nq' / 'nv' is the shape that an array must end in, "rotation" a rotation matrix;
    a set is what an option may be. What is None by default may be None. The unchecked function stays
    within reach as ``function.__wrapped__``.

    The function runs in a copy of the caller's context, where alone it is noted that the checks are made:
    nothing has to be taken back, so no interrupt, wherever it strikes, leaves them off. A context variable
    that the function sets is set in that copy.
    """
    words = {name: rule for name, rule in specification.items() if isinstance(rule, set)}
    rotations = {name for name, rule in specification.items() if rule == "rotation"}
    cores = {
        name: rule if isinstance(rule, tuple) else (3, 3) if name in rotations else (rule,)
        for name, rule in specification.items()
        if not isinstance(rule, set)
    }

    def decorate(function: F) -> F:
        parameters = inspect.signature(function).parameters
        names = [p.name for p in parameters.values() if p.kind is not p.KEYWORD_ONLY]
        optional = {name for name in cores if parameters[name].default is None}

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if _inside.get():
                return function(*args, **kwargs)
            given = dict(zip(names, args, strict=False)) | kwargs
            surplus = len(given) < len(args) + len(kwargs)  # too many, or one twice
            if surplus or ("chain" in names and "chain" not in given):  # Python says it best
                return function(*args, **kwargs)
            chain = given.get("chain")
            if "chain" in given:
                check_chain(chain)
            for name, options in words.items():
                if name in given:
                    check_word(given[name], name, options)
            arrays = {
                name: (_check_array(given[name], name, core, chain), len(core))
                for name, core in cores.items()
                if name in given and not (name in optional and given[name] is None)
            }
            for name in rotations:
                if name in arrays:
                    require_rotation(arrays[name][0], name)
            if len(arrays) > 1:
                require_same_batch(arrays)
            context = copy_context()
            context.run(_inside.set, True)
            own = {name: array for name, (array, _) in arrays.items()}
            result = context.run(function, **given | own)
            if not are_numbers(result):
                raise too_large(function.__name__, own, chain)
            return result

        call.cores, call.words = cores, words  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate


def are_numbers(result: Any) -> bool:
    """Whether no part of a function's result overflowed, or became NaN."""
    if isinstance(result, np.ndarray):  # most often, and quicker than to ask it for what it has not
        return result.dtype.kind != "f" or all_finite(result)
    if isinstance(result, tuple):
        return all(map(is_number, result))
    if not hasattr(result, "__dataclass_fields__"):
        return is_number(result)
    for name in result.__dataclass_fields__:
        part = getattr(result, name)
        if not is_number(part) and (name not in MAY_BE_INFINITE or np.isnan(part).any()):
            return False
    return True


def too_large(what: str, arguments: dict[str, Any], chain: Any) -> ValueError:
    """Return the error for a result that is no number though the arguments are: it names the largest of these."""
    given = dict(arguments)
    if chain is not None:
        given |= {f"the chain's {name}": getattr(chain, name) for name in NUMBERS_OF_A_CHAIN}
    largest = []
    for name, x in given.items():
        known = known_values(x)
        if known is not None and known.size:
            index = np.unravel_index(np.abs(known).argmax(), known.shape)
            largest.append((abs(float(known[index])), name, index, known[index]))
    if not largest:
        return ValueError(f"{what} overflows: its result is too large for a float")
    _, name, index, value = max(largest, key=lambda entry: entry[0])
    place = f"[{', '.join(map(str, index))}]" if index else ""
    return ValueError(
        f"{what} overflows: its result is too large for a float, or of numbers that are; the largest number given, "
        f"{name}{place}, is {value:.6g}"
    )
