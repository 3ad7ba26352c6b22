"""Checks at the public door: bad input is told what is wrong, where, and what would be right.

Only concrete real numbers can be judged by value. Symbols, traced and complex arrays pass that part;
shapes are checked always. A public function that calls another is inside the house already: there
the checks are not made again.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
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
    if array.dtype.kind not in "biufcO" or any(
        e is None or isinstance(e, str | list | dict) for e in array.flat if array.dtype == object
    ):
        raise ValueError(f"{name} must hold numbers or symbols, not {x!r}")
    return array


def require_finite(x: Any, name: str, where: Callable[[tuple[int, ...]], str] | None = None) -> None:
    """Refuse NaN and infinity, naming the first bad entry and, by `where`, what it belongs to."""
    if not is_concrete(x) or np.isfinite(x).all():
        return
    index = tuple(int(i) for i in np.argwhere(~np.isfinite(x))[0])
    entry = f"{name}[{', '.join(map(str, index))}]" if index else name
    belongs = f" ({where(index)})" if where else ""
    raise ValueError(f"{entry}{belongs} is {x[index]}: every entry must be finite")


def require_shape(x: Any, name: str, core: tuple[int, ...], why: str = "") -> None:
    """Refuse an array whose last axes are not `core`."""
    if x.shape[-len(core) :] != core:
        wanted = "(..., " + ", ".join(map(str, core)) + ")"
        raise ValueError(f"{name} has shape {x.shape}, but must have shape {wanted}{why}")


def require_same_batch(arrays: dict[str, tuple[Any, int]]) -> None:
    """Refuse arguments whose batch axes cannot be broadcast together."""
    try:
        np.broadcast_shapes(*(x.shape[: x.ndim - core] for x, core in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {x.shape}" for name, (x, _) in arrays.items())
        raise ValueError(f"the batch axes of {shapes} cannot be broadcast together") from None


def _check_array(value: Any, name: str, core: Core, chain: Any) -> Any:
    """Check one array argument; 'nq' and 'nv' in `core` stand for the chain's own numbers."""
    value = as_array(value, name)
    core = core if isinstance(core, tuple) else (core,)
    symbols = [c for c in core if isinstance(c, str)]
    sizes = tuple(getattr(chain, c) if isinstance(c, str) else c for c in core)
    why = "".join(f": this chain has {s} = {getattr(chain, s)}" for s in symbols)
    require_shape(value, name, sizes, why)
    where = (lambda index: f"link {chain.link_of(core[-1], index[-1])!r}") if symbols else None
    require_finite(value, name, where)
    return value


def checked(**specification: Core | Iterable[str]) -> Callable[[F], F]:
    """Check a public function's arguments by name before it runs.

    A tuple, a number or 'nq' / 'nv' is the shape that an array must end in; a set of words is what an
    option may be. The unchecked function stays within reach as ``function.__wrapped__``.
    """

    def decorate(function: F) -> F:
        names = list(inspect.signature(function).parameters)

        def check(name: str, value: Any, chain: Any) -> Any:
            rule = specification.get(name)
            if rule is None:
                return value
            if isinstance(rule, int | str | tuple):
                return _check_array(value, name, rule, chain)
            if value not in rule:
                options = " or ".join(repr(option) for option in sorted(rule))
                raise ValueError(f"{name} is {value!r}, but must be {options}")
            return value

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if _inside.get():
                return function(*args, **kwargs)
            given = dict(zip(names, args, strict=False)) | kwargs
            chain = given.get("chain")
            if "chain" in names and chain is not None and not hasattr(chain, "link_of"):
                raise ValueError(f"chain must be a Chain, not {chain!r}")
            args = tuple(check(n, x, chain) for n, x in zip(names, args, strict=False)) + args[len(names):]
            kwargs = {n: check(n, x, chain) for n, x in kwargs.items()}
            arrays = {
                n: (x, len(rule) if isinstance(rule := specification[n], tuple) else 1)
                for n, x in (dict(zip(names, args, strict=False)) | kwargs).items()
                if isinstance(specification.get(n), int | str | tuple)
            }
            if len(arrays) > 1:
                require_same_batch(arrays)
            token = _inside.set(True)
            try:
                return function(*args, **kwargs)
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
    square = (axis * axis).sum(-1, keepdims=True)
    if (square == 1).all():
        return axis
    if (square == 0).any():
        raise ValueError(f"{name} is {axis.tolist()}: a direction must not be zero")
    largest = np.abs(axis).max(-1, keepdims=True)  # first, so that no square overflows
    axis = axis / largest
    return axis / np.sqrt((axis * axis).sum(-1, keepdims=True))


def check_gravity(gravity: Any) -> Any:
    """Return gravity as an array (3,), or say what is wrong with it."""
    gravity = as_array(gravity, "gravity")
    if gravity.shape != (3,):
        raise ValueError(f"gravity has shape {gravity.shape}, but is an acceleration vector (3,)")
    require_finite(gravity, "gravity")
    return gravity


def check_links(links: tuple[Any, ...], names: tuple[str, ...]) -> None:
    """Refuse links that cannot be: each message names the link, the value and what would be right."""
    if not links:
        raise ValueError("a Chain needs at least one link")
    for i, (link, name) in enumerate(zip(links, names, strict=True)):
        if name == "ground" or name in names[:i]:
            raise ValueError(f"link {i} is named {name!r}: names must differ, and 'ground' is taken")
        label = f"link {i} ({name!r})"
        check_joint(link.joint, label)
        check_placement(link, label)
        check_mass_and_inertia(link, label)


def check_joint(joint: Any, label: str) -> None:
    """Refuse what is no joint, and a joint that stands for several."""
    if not hasattr(joint, "motion_subspace") or isinstance(joint, type):
        raise ValueError(f"{label}: joint is {joint!r}, but must be one such as Revolute((0, 0, 1))")
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
    largest = np.abs(inertia).max()
    if np.abs(inertia - inertia.T).max() > 1e-9 * largest:
        raise ValueError(f"{label}: inertia is not symmetric: {inertia.tolist()}")
    a, b, c = np.linalg.eigvalsh(inertia)  # a <= b <= c
    moments = f"its principal moments are {a:.6g}, {b:.6g} and {c:.6g} kg m^2"
    if a < -1e-9 * largest:
        raise ValueError(f"{label}: inertia is not positive semidefinite: {moments}")
    if a + b < c - 1e-9 * largest:
        raise ValueError(
            f"{label}: inertia breaks the triangle inequality, so no body has it: {moments}, and the two "
            "smaller must add up to at least the largest"
        )
