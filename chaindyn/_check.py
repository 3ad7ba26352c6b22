"""Checks at the public door: bad input is told what is wrong, where, and what would be right.

Only concrete real numbers can be judged by value. Symbols, traced and complex arrays pass that part;
shapes are checked always. A public function that calls another is inside the house already: there
the checks are not made again.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
Core = int | str | tuple[int | str, ...]

FRAMES = {"body", "world", "mixed"}
RECURSIONS = {"body", "world"}

_inside: ContextVar[bool] = ContextVar("chaindyn_inside", default=False)


def is_concrete(x: np.ndarray) -> bool:
    """Whether entries are plain real numbers, which can be compared and so be checked by value."""
    return isinstance(x, np.ndarray) and x.dtype.kind in "biuf"


def as_array(x: Any, name: str) -> Any:
    """Return `x` as an array without casting; JAX arrays stay what they are."""
    if not isinstance(x, np.ndarray) and hasattr(x, "__array_namespace__"):
        return x
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise ValueError(f"{name} is not an array: its rows differ in length ({error})") from None
    odd = array.dtype == object and any(
        e is None or isinstance(e, str | list | dict) for e in array.flat
    )
    if odd or array.dtype.kind not in "biufcO":
        raise ValueError(f"{name} must hold numbers or symbols, not {x!r}")
    return array


def require_finite(
    x: Any, name: str, where: Callable[[tuple[int, ...]], str] | None = None
) -> None:
    """Refuse NaN and infinity, naming the first bad entry and, by `where`, what it belongs to."""
    if not is_concrete(x) or np.isfinite(x).all():
        return
    index = tuple(int(i) for i in np.argwhere(~np.isfinite(x))[0])
    entry = f"{name}[{', '.join(map(str, index))}]" if index else name
    belongs = f" ({where(index)})" if where else ""
    raise ValueError(f"{entry}{belongs} is {x[index]}: every entry must be finite")


def require_shape(x: Any, name: str, core: tuple[int, ...], why: str = "") -> None:
    """Refuse an array whose last axes are not `core`."""
    if x.shape[max(x.ndim - len(core), 0) :] != core:
        wanted = "(..., " + ", ".join(map(str, core)) + ")"
        raise ValueError(f"{name} has shape {x.shape}, but must have shape {wanted}{why}")


def require_same_batch(arrays: dict[str, tuple[Any, int]]) -> None:
    """Refuse arguments whose batch axes cannot be broadcast together."""
    batches = [x.shape[: x.ndim - core] for x, core in arrays.values()]
    try:
        if any(batch != batches[0] for batch in batches):
            np.broadcast_shapes(*batches)
    except ValueError:
        shapes = ", ".join(f"{name} {x.shape}" for name, (x, _) in arrays.items())
        raise ValueError(f"the batch axes of {shapes} cannot be broadcast together") from None


def _check_array(value: Any, name: str, core: tuple[int | str, ...], chain: Any) -> Any:
    """Check one array argument; 'n', 'nq' and 'nv' in `core` stand for the chain's own numbers."""
    value = as_array(value, name)
    symbols = [c for c in core if isinstance(c, str)]
    if not symbols:
        require_shape(value, name, core)  # type: ignore[arg-type]
        require_finite(value, name)
        return value
    sizes = tuple(getattr(chain, c) if isinstance(c, str) else c for c in core)
    why = "".join(f": this chain has {s} = {getattr(chain, s)}" for s in symbols)
    require_shape(value, name, sizes, why)

    def owner(index: tuple[int, ...]) -> str:
        link = chain.names[index[-2]] if core[0] == "n" else chain.link_of(core[-1], index[-1])
        return f"link {link!r}"

    require_finite(value, name, owner)
    return value


def _check_word(value: Any, name: str, options: Iterable[str]) -> None:
    """Refuse an option that is none of the words it may be."""
    if not isinstance(value, str) or value not in options:
        listed = " or ".join(repr(option) for option in sorted(options))
        raise ValueError(f"{name} is {value!r}, but must be {listed}")


def checked(**specification: Core | set[str]) -> Callable[[F], F]:
    """Check a public function's arguments by name before it runs.

    A tuple, a number or 'nq' / 'nv' is the shape that an array must end in; a set of words is what an
    option may be. What is None by default may be None. The unchecked function stays within reach as
    ``function.__wrapped__``.
    """
    words = {name: rule for name, rule in specification.items() if isinstance(rule, set)}
    cores = {
        name: rule if isinstance(rule, tuple) else (rule,)
        for name, rule in specification.items()
        if not isinstance(rule, set)
    }

    def decorate(function: F) -> F:
        parameters = inspect.signature(function).parameters
        names = list(parameters)
        optional = {name for name in cores if parameters[name].default is None}

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if _inside.get():
                return function(*args, **kwargs)
            given = dict(zip(names, args, strict=False)) | kwargs
            if len(given) < len(args) + len(kwargs):  # too many, or one twice: Python says it best
                return function(*args, **kwargs)
            chain = given.get("chain")
            if "chain" in given and not hasattr(chain, "link_of"):
                raise ValueError(f"chain must be a Chain, not {chain!r}")
            for name in words.keys() & given.keys():
                _check_word(given[name], name, words[name])
            arrays = {
                name: (_check_array(given[name], name, core, chain), len(core))
                for name, core in cores.items()
                if name in given and not (name in optional and given[name] is None)
            }
            if len(arrays) > 1:
                require_same_batch(arrays)
            token = _inside.set(True)
            try:
                return function(**given | {name: array for name, (array, _) in arrays.items()})
            finally:
                _inside.reset(token)

        return call  # type: ignore[return-value]

    return decorate


def unit(axis: Any, name: str = "axis") -> Any:
    """Return direction vectors (..., 3) at length one; a direction that is exact stays exact."""
    axis = as_array(axis, name)
    require_shape(axis, name, (3,))
    require_finite(axis, name)
    if not is_concrete(axis):
        return axis
    largest = np.abs(axis).max(-1, keepdims=True)
    if (largest == 0).any():
        raise ValueError(f"{name} is {axis.tolist()}: a direction must not be zero")
    if (largest <= 1).all() and ((axis * axis).sum(-1) == 1).all():
        return axis
    axis = axis / largest  # first, so that no square overflows or vanishes
    return axis / np.sqrt((axis * axis).sum(-1, keepdims=True))


def check_gravity(gravity: Any) -> Any:
    """Return gravity as an array (3,), or say what is wrong with it."""
    gravity = as_array(gravity, "gravity")
    if gravity.shape != (3,):
        raise ValueError(f"gravity has shape {gravity.shape}, but is an acceleration vector (3,)")
    require_finite(gravity, "gravity")
    return gravity


def as_links(links: Any) -> tuple[Any, ...]:
    """Return links as a tuple, or say what is not a link."""
    if not isinstance(links, Iterable):
        raise ValueError(f"links is {links!r}, but must be a sequence of Link")
    links = tuple(links)
    for i, link in enumerate(links):
        if not all(hasattr(link, part) for part in ("joint", "mass", "parent")):
            raise ValueError(f"links[{i}] is {link!r}, but must be a Link")
        if not isinstance(link.name, str | None):
            raise ValueError(f"link {i} is named {link.name!r}, but a name must be a string")
    return links


def check_links(links: Sequence[Any], names: Sequence[str]) -> None:
    """Refuse links that cannot be: each message names the link, the value and what would be right."""
    if not links:
        raise ValueError("a Chain needs at least one link")
    for i, (link, name) in enumerate(zip(links, names, strict=True)):
        if name == "ground" or name in names[:i]:
            raise ValueError(
                f"link {i} is named {name!r}: names must differ, and 'ground' is taken"
            )
        label = f"link {i} ({name!r})"
        check_joint(link.joint, label)
        check_placement(link, label)
        check_mass_and_inertia(link, label)


def check_joint(joint: Any, label: str) -> None:
    """Refuse what is no joint, and a joint that stands for several."""
    if not hasattr(joint, "motion_subspace") or isinstance(joint, type):
        raise ValueError(
            f"{label}: joint is {joint!r}, but must be one such as Revolute((0, 0, 1))"
        )
    axis = getattr(joint, "axis", np.zeros(3))
    if np.shape(axis) != (3,):
        raise ValueError(f"{label}: the joint's axis has shape {np.shape(axis)}, but must be (3,)")


def check_array(value: Any, name: str, shape: tuple[int, ...]) -> Any:
    """Return one parameter as an array of exactly this shape with finite entries."""
    value = as_array(value, name)
    if value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}, but must be {shape}")
    require_finite(value, name)
    return value


def check_placement(link: Any, label: str) -> None:
    """Refuse an offset that is no vector and a rotation that is none."""
    check_array(link.offset, f"{label}: offset", (3,))
    R = check_array(link.rotation, f"{label}: rotation", (3, 3))
    if is_concrete(R):
        error = np.abs(R @ R.T - np.eye(3)).max()
        if error > 1e-8 or np.linalg.det(R) < 0:
            raise ValueError(
                f"{label}: rotation is no rotation matrix: R R^T differs from 1 by {error:.1e} and "
                f"det R = {np.linalg.det(R):.3g}; the columns must be orthonormal and right-handed"
            )


def check_mass_and_inertia(link: Any, label: str) -> None:
    """Refuse a mass below zero and an inertia that no distribution of mass has."""
    mass = check_array(link.mass, f"{label}: mass", ())
    check_array(link.com, f"{label}: com", (3,))
    inertia = check_array(link.inertia, f"{label}: inertia", (3, 3))
    if is_concrete(mass) and mass < 0:
        raise ValueError(f"{label}: mass is {mass}, but must not be negative")
    if not is_concrete(inertia):
        return
    com = np.asarray(link.com)
    tolerance = 1e-9 * np.abs(inertia).max()
    if is_concrete(mass) and is_concrete(
        com
    ):  # an inertia moved here from the origin carries the rounding of m c^2
        tolerance += 4 * np.finfo(float).eps * mass * (com @ com)
    if np.abs(inertia - inertia.T).max() > tolerance:
        raise ValueError(f"{label}: inertia is not symmetric: {inertia.tolist()}")
    a, b, c = np.linalg.eigvalsh(inertia)  # a <= b <= c
    moments = f"its principal moments are {a:.6g}, {b:.6g} and {c:.6g} kg m^2"
    if a < -tolerance:
        raise ValueError(f"{label}: inertia is not positive semidefinite: {moments}")
    if a + b < c - tolerance:
        raise ValueError(
            f"{label}: inertia breaks the triangle inequality, so no body has it: {moments}, and the two "
            "smaller must add up to at least the largest"
        )
