"""Checks at the public door: bad input is told what is wrong, where, and what would be right.

Only concrete real numbers can be judged by value, in arrays of objects too. Symbols, traced and complex
arrays pass that part; shapes are checked always. A public function that calls another is inside the
house already: there the checks are not made again.
"""

from __future__ import annotations

import functools
import inspect
import math
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar, copy_context
from numbers import Complex, Rational, Real
from typing import Any, TypeVar

import numpy as np

from chaindyn._ops import expect, holds_exact, holds_objects, recording, solve, sqrt

F = TypeVar("F", bound=Callable[..., Any])
Core = int | str | tuple[int | str, ...]

FRAMES = {"body", "world", "mixed"}
RECURSIONS = {"body", "world"}
FLAGS = {False, True}
# what every joint offers, most of it inherited from `chaindyn.Joint`
JOINT = (
    "nq",
    "nv",
    "quaternion",
    "neutral",
    "pose",
    "motion_subspace",
    "motion_subspace_rate",
    "motion_subspace_second_rate",
    "turns",
    "constraint_subspace",
    "rate",
    "integrate",
    "difference",
    "random",
)
# the shapes of what joints are made of, where one object stands for one joint
PARAMETERS: dict[str, tuple[int, ...]] = {
    "axis": (3,),
    "first": (3,),
    "second": (3,),
    "normal": (3,),
    "pitch": (),
}
INERTIA_RULES = {"strict", "warn"}
# what a chain multiplies, and what of a result is infinite where a contact cannot move
NUMBERS_OF_A_CHAIN = (
    "mass",
    "com",
    "inertia",
    "offset",
    "rotation",
    "gravity",
    "reflected_inertia",
)
MAY_BE_INFINITE = {"effective_mass"}
EPSILON = float(np.finfo(float).eps)
# Where this share is left of a loop's row, projection fixes the state to EPSILON / NOISE, and the accelerations' error
# of EPSILON / NOISE^3 is as large as they are.
NOISE = EPSILON ** (1 / 3)
LARGEST_INTEGER = 1024  # a product of six such integers still fits into 64 bits

_inside: ContextVar[bool] = ContextVar("chaindyn_inside", default=False)


def is_concrete(x: np.ndarray) -> bool:
    """Whether entries are plain real numbers, which can be compared and so be checked by value."""
    return isinstance(x, np.ndarray) and x.dtype.kind in "iuf"


def known_values(x: Any) -> np.ndarray | None:
    """Return an array's entries as floats or integers by which it can be judged, None where they are not known.

    Known are plain real numbers, also those in an array of objects: integers, floats, fractions.
    """
    if is_concrete(x):
        # LAPACK has no long doubles
        known: np.ndarray = x.astype(float) if x.dtype.char == "g" else x
        return known
    if not holds_objects(x) or not all(isinstance(entry, Real) for entry in x.flat):
        return None
    return np.asarray(x, float)


def check_limits(link: Any, label: str) -> None:
    """Refuse limits with other numbers than the joint's, a lower one above the upper one, or a size below zero."""
    limits, joint = link.limits, link.joint
    if limits is None:
        return
    if not hasattr(limits, "velocity") or isinstance(limits, type):
        raise ValueError(f"{label}: limits is {limits!r}, but must be Limits")
    known: dict[str, np.ndarray] = {}
    for name, size in (
        ("lower", joint.nq),
        ("upper", joint.nq),
        ("velocity", joint.nv),
        ("effort", joint.nv),
    ):
        value = as_array(getattr(limits, name), f"{label}: {name} limit")
        if value.shape not in ((), (size,)):
            raise ValueError(
                f"{label}: {name} limit has shape {value.shape}, but must be a number, or ({size},) for its joint"
            )
        known[name] = as_real(value, f"{label}: {name} limit")
        if np.isnan(known[name]).any():
            raise ValueError(
                f"{label}: {name} limit is {getattr(limits, name)}, but must be a number or infinite"
            )
    for name in ("velocity", "effort"):
        if (known[name] < 0).any():
            raise ValueError(
                f"{label}: {name} limit is {getattr(limits, name)}, but is a size and must not be negative"
            )
    if (known["lower"] > known["upper"]).any():
        raise ValueError(
            f"{label}: the lower limit, {limits.lower}, is above the upper one, {limits.upper}"
        )
    if joint.quaternion and np.isfinite([known["lower"].max(), known["upper"].min()]).any():
        raise ValueError(
            f"{label}: the coordinates of {type(joint).__name__} are a quaternion, which has no limits"
        )


def may_be_nonzero(x: np.ndarray) -> bool:
    """Whether an entry is other than zero, or is not known."""
    known = known_values(x)
    return known is None or bool(known.any())


def are_exact(*arrays: Any) -> bool:
    """Whether no entry is a number with rounding errors: integers, fractions and symbols alone."""
    return all(
        x.dtype.kind in "iu"
        or (
            holds_objects(x)
            and all(isinstance(e, Rational) or not isinstance(e, Complex) for e in x.flat)
        )
        for x in arrays
    )


def in_double(x: Any) -> np.ndarray | None:
    """Return entries of any kind in double precision, complex ones too, None where they are not known."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "iufc":
        return x.astype(complex if x.dtype.kind == "c" else float, copy=False)
    if not holds_objects(x) or not all(isinstance(entry, Complex) for entry in x.flat):
        return None
    real = all(isinstance(entry, Real) for entry in x.flat)
    return np.asarray(x, float if real else complex)


DEPENDENT = (
    "rows of K depend on each other: leave out those that the others make, or give NumPy's float64, of which "
    "independent combinations are found"
)


SINGULAR = (
    "M is singular: of symbols, and of numbers other than NumPy's float64, it must be regular"
)


def require_no_more(rows: int, velocities: int) -> None:
    """Refuse rows that must be independent, but are more than there are velocities."""
    if rows > velocities:
        raise ValueError(DEPENDENT)


def require_rank_of_real_part(rank: Any, of_real_part: Any) -> None:
    """Refuse complex rows that depend on each other, but not as their real parts do."""
    if (rank != of_real_part).any():
        raise ValueError(f"{DEPENDENT}; complex ones are judged by their real parts")


def solved(A: Any, b: Any, why: str) -> Any:
    """Return the solution of A x = b by `solve`; ValueError with these words if it is undefined."""
    with np.errstate(all="ignore"):
        try:
            x = solve(A, b)
        except ZeroDivisionError:
            raise ValueError(why) from None
    if x.dtype.kind in "fc" and isinstance(x, np.ndarray) and not np.isfinite(x).all():
        raise ValueError(why)
    if holds_objects(x) and any(is_undefined(entry) for entry in x.flat):
        raise ValueError(why)
    return x


def is_undefined(entry: Any) -> bool:
    """Whether one entry of an array of objects is what is left of a division by zero."""
    if isinstance(entry, Complex):
        return bool(entry != entry or abs(entry) == np.inf)
    finite = getattr(entry, "is_finite", None)  # of python-flint's balls
    return type(entry).__name__ in {"NaN", "ComplexInfinity"} or (callable(finite) and not finite())


def as_array(x: Any, name: str) -> Any:
    """Return `x` as an array; JAX arrays stay what they are.

    Floats are computed with in the precision that they have: single, double or long double. Half precision
    is refused: its three digits are too few for a sweep. Integers stay integers up to 1024; larger ones
    become floats, for products of integers are cut to 64 bits without a word (in 8 bits, -1 is 255).
    Objects stay what they are, so that what is exact stays exact; ValueError if one is too large for a float,
    or if an entry is masked.
    """
    if type(x) is np.ndarray:  # most often
        array = x
    elif not isinstance(x, np.ndarray | np.generic) and hasattr(x, "__array_namespace__"):
        return x.astype(float) if x.dtype.kind in "iu" else x
    else:
        require_unmasked(x, name)
        try:
            array = np.asarray(x)
        except ValueError as error:
            raise ValueError(
                f"{name} is not an array: its rows differ in length ({error})"
            ) from None
        except OverflowError as error:
            raise ValueError(f"{name} holds a number too large for a float: {error}") from None
    kind = array.dtype.kind
    if kind in "fc" and array.dtype.itemsize > 2:
        return array
    if kind in "iu":
        return narrowed(array)
    if kind == "f":
        raise ValueError(
            f"{name} is of type {array.dtype}, which has three digits: give it as float32 or float64"
        )
    if kind == "O" and not any(
        isinstance(e, str | list | tuple | bool) or not hasattr(e, "__mul__") for e in array.flat
    ):
        return of_objects(array, name, given=isinstance(x, np.ndarray))
    raise ValueError(f"{name} must hold numbers or symbols, not {x!r}")


def require_unmasked(x: Any, name: str) -> None:
    """Refuse masked entries, also in a list of masked arrays: NumPy would compute with what is below the mask."""
    parts = x if isinstance(x, list | tuple) else [x]
    masked = sum(
        int(np.ma.getmaskarray(p).sum()) for p in parts if isinstance(p, np.ma.MaskedArray)
    )
    if masked:
        entries = "entry" if masked == 1 else "entries"
        raise ValueError(
            f"{name} holds {masked} masked {entries}, without a value to compute with: fill them, or leave them out"
        )


def narrowed(array: np.ndarray) -> np.ndarray:
    """Return integers of any kind as Python's own kind, or as floats if one is beyond 1024."""
    if array.size and (array.max() > LARGEST_INTEGER or array.min() < -LARGEST_INTEGER):
        return array.astype(float)
    return array.astype(int, copy=False)


def of_objects(array: np.ndarray, name: str, *, given: bool) -> np.ndarray:
    """Return objects as they are, but as floats where they came from a list of integers too large for NumPy's."""
    try:
        known = known_values(array)
    except OverflowError as error:
        raise ValueError(f"{name} holds a number too large for a float: {error}") from None
    listed = not given and all(isinstance(entry, int | float) for entry in array.flat)
    return array if known is None or not listed else known


def first_wrong(x: Any, is_wrong: Callable[[Any], Any]) -> tuple[int, ...] | None:
    """Return the index of the first entry of which this holds, if any; of objects, real numbers alone are asked."""
    if is_concrete(x):
        wrong = np.asarray(is_wrong(x))
    elif holds_objects(x):
        wrong = np.empty(x.shape, bool)
        for index, entry in np.ndenumerate(x):
            wrong[index] = isinstance(entry, Real) and bool(is_wrong(entry))
    else:
        return None
    return tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else None


def all_finite(x: np.ndarray) -> bool:
    """Whether real numbers are finite, by one sum: quicker than to ask each, as only a sum that overflows is."""
    total = np.vdot(x, x) if x.size < 100 or x.flags.c_contiguous else x.sum()
    return math.isfinite(total) or bool(np.isfinite(x).all())


def require_finite(
    x: Any, name: str, where: Callable[[tuple[int, ...]], str] | None = None
) -> None:
    """Refuse NaN and infinity, naming the first bad entry and, by `where`, what it belongs to."""
    if is_concrete(x) and all_finite(x):
        return
    index = first_wrong(x, lambda entry: (entry != entry) | (abs(entry) == np.inf))
    if index is None:
        return
    entry = f"{name}[{', '.join(map(str, index))}]" if index else name
    belongs = f" ({where(index)})" if where else ""
    raise ValueError(f"{entry}{belongs} is {x[index]}: every entry must be finite")


def require_shape(x: Any, name: str, core: tuple[int, ...], why: str = "") -> None:
    """Refuse an array whose last axes are not `core`."""
    if x.shape[max(x.ndim - len(core), 0) :] != core:
        wanted = "(..., " + ", ".join(map(str, core)) + ")"
        raise ValueError(f"{name} has shape {x.shape}, but must have shape {wanted}{why}")


def require_rows(x: Any, name: str, m: int | str, core: tuple[int, ...]) -> None:
    """Refuse what is not an array (..., m, *core); m is a number of rows, or "m" for any."""
    own = x.shape[max(x.ndim - len(core) - 1, 0) :]
    if len(own) != len(core) + 1 or own[1:] != core or m not in ("m", own[0]):
        wanted = ", ".join(map(str, ("...", m, *core)))
        why = "" if m == "m" else f": this constraint has {m} rows"
        raise ValueError(f"{name} has shape {x.shape}, but must have shape ({wanted}){why}")


def require_same_batch(arrays: dict[str, tuple[Any, int]]) -> None:
    """Refuse arguments whose batch axes cannot be broadcast together."""
    batches = [x.shape[: x.ndim - core] for x, core in arrays.values()]
    try:
        if batches.count(batches[0]) < len(batches):
            np.broadcast_shapes(*batches)
    except ValueError:
        shapes = ", ".join(f"{name} {x.shape}" for name, (x, _) in arrays.items())
        raise ValueError(f"the batch axes of {shapes} cannot be broadcast together") from None


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


def require_unit_quaternions(q: Any, name: str, chain: Any) -> None:
    """Refuse coordinates whose quaternions are off the unit sphere by more than 1e-6, naming the link."""
    columns = chain.quaternions
    quaternions = known_values(q[..., columns]) if columns.size else None
    if quaternions is None:
        return
    lengths = np.sqrt((quaternions**2).sum(-1))
    wrong = np.argwhere(~(np.abs(lengths - 1) <= 1e-6))
    if len(wrong):
        first = tuple(wrong[0])
        own = columns[first[-1]]
        raise ValueError(
            f"{name}: the quaternion of link {chain.link_of('nq', own[0])!r}, entries {own[0]} to {own[-1]}, has "
            f"length {lengths[first]:.6g}, but must have 1 to within 1e-6; chain.neutral has the identity's"
        )


def check_chain(chain: Any) -> None:
    """Refuse what is no Chain; in a chapter's notebook `Chain` is a class of its own cells."""
    if not hasattr(chain, "link_of") or isinstance(chain, type):
        raise ValueError(f"chain must be a Chain, not {chain!r}")


def check_mask(mask: Any, name: str, nv: int) -> np.ndarray:
    """Return a mask as booleans (nv,), one for each joint velocity, or say what is wrong with it."""
    require_unmasked(mask, name)
    try:
        array = np.asarray(mask)
    except ValueError:  # rows that differ in length
        array = np.empty(0)
    if array.dtype != bool or array.shape != (nv,):
        raise ValueError(
            f"{name} is {mask!r}, but must be {nv} booleans, one for each joint velocity of this chain (nv = {nv})"
        )
    return array


def check_times(t: Any) -> np.ndarray:
    """Return times (m,) as floats, m at least 2; refuse those that do not increase, naming the first."""
    t = as_array(t, "t")
    if t.ndim != 1 or len(t) < 2:
        raise ValueError(f"t has shape {t.shape}, but must be (m,): a start, and one or more times")
    require_finite(t, "t")
    times = as_real(t, "t")
    wrong = np.flatnonzero(np.diff(times) <= 0)
    if len(wrong):
        k = int(wrong[0])
        raise ValueError(
            f"t must increase, but t[{k}] is {times[k]} and t[{k + 1}] is {times[k + 1]}"
        )
    return times


def as_real(x: Any, name: str) -> np.ndarray:
    """Return an array as NumPy's floats; refuse symbols and complex numbers."""
    array = np.asarray(as_array(x, name))
    require_not_complex(array, name)
    try:
        return array.astype(float)
    except (TypeError, ValueError):  # a symbol
        raise ValueError(f"{name} is {x!r}, but must hold real numbers") from None


def require_doubles(chain: Any, what: str) -> None:
    """Refuse a chain whose numbers a library of double precision does not take: symbols, exact ones, long doubles."""
    for name in NUMBERS_OF_A_CHAIN:
        own = getattr(chain, name)
        if own.dtype.kind not in "iuf" or own.dtype.itemsize > 8:
            kind = type(own.flat[0]).__name__ if own.dtype.kind == "O" else own.dtype
            raise ValueError(
                f"{what} computes in double precision: the chain's {name} must hold real numbers, as floats, and not "
                f"{kind}"
            )


def require_made_by(function: str, x: Any, name: str, part: str) -> None:
    """Refuse what is no result of this function, which has such a part."""
    if not hasattr(x, part) or isinstance(x, type):
        raise ValueError(f"{name} is {x!r}, but must be what {function} returns")


def require_positive(x: Any, name: str) -> None:
    """Refuse numbers that are not finite and above zero, naming the first."""
    x = as_array(x, name)
    require_finite(x, name)
    index = first_wrong(x, lambda entry: entry <= 0)
    if index is not None:
        entry = f"{name}[{', '.join(map(str, index))}]" if index else name
        raise ValueError(f"{entry} is {x[index]}, but must be positive")


def check_positive_number(x: Any, name: str) -> float:
    """Return one real number above zero as a float, or say what is wrong with it."""
    x = as_array(x, name)
    if x.shape != ():
        raise ValueError(f"{name} has shape {x.shape}, but must be one number")
    require_positive(as_real(x, name), name)
    return float(x)


def check_step(step: Any, times: np.ndarray) -> float:
    """Return a step of time [s] as a float; refuse one below what tells times apart."""
    own, latest = check_positive_number(step, "step"), np.abs(times).max()
    if own < np.spacing(latest):
        raise ValueError(
            f"step is {own:g} s, but near t = {latest:g} s times are {np.spacing(latest):.2g} s apart"
        )
    return own


def check_threads(threads: Any) -> int:
    """Return a number of threads, all cores for None, or say what is wrong with it."""
    count = os.cpu_count() or 1 if threads is None else threads
    if not isinstance(count, int | np.integer) or count < 1:
        raise ValueError(f"threads is {threads!r}, but must be a number of threads, at least 1")
    return int(count)


def check_shapes(shapes: Any, names: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Return the shapes of a function's arguments by name, {} for None, or say what is wrong with them."""
    if not isinstance(shapes or {}, dict):
        raise ValueError(f"shapes is {shapes!r}, but must be a dictionary of shapes by name")
    for name, shape in (shapes or {}).items():
        if name not in names:
            raise ValueError(f"shapes names {name!r}, but the function's arguments are {[*names]}")
        if not isinstance(shape, tuple) or not all(
            x in ("n", "nq", "nv")
            if isinstance(x, str)
            else isinstance(x, int | np.integer) and x >= 0
            for x in shape
        ):
            raise ValueError(
                f"the shape of {name} is {shape!r}, but must be a tuple of numbers and 'n', 'nq' or 'nv'"
            )
    return {
        name: tuple(x if isinstance(x, str) else int(x) for x in shape)
        for name, shape in (shapes or {}).items()
    }


def check_numbers(chain: Any) -> None:
    """Refuse a chain whose parameters are not all real numbers, naming one: machines compute with floats."""
    for name in NUMBERS_OF_A_CHAIN:
        as_real(getattr(chain, name), f"the chain's {name}")


def check_gain(gain: Any, name: str, nv: int) -> Any:
    """Return a gain, one number or one for each joint velocity, or say what is wrong with it."""
    given = as_array(gain, name)
    if given.shape not in ((), (nv,)):
        raise ValueError(
            f"{name} has shape {given.shape}, but must be a number or ({nv},): nv = {nv}"
        )
    require_positive(given, name)
    return without_precision(gain, given)


def without_precision(x: Any, array: Any) -> Any:
    """Return an array without axes as Python's number if it was one, which takes the precision of what it meets."""
    return array.item() if type(x) in (int, float) else array


def check_load(load: Any, name: str, core: tuple[int, ...], batch: tuple[int, ...]) -> Any:
    """Return what acts on a chain in states (*batch, ...): a function, None, or real numbers (..., *core)."""
    if load is None or callable(load):
        return load
    load = as_array(load, name)
    require_fit(load, name, core, batch)
    require_finite(load, name)
    return as_real(load, name)


def require_fit(x: Any, name: str, core: tuple[int, ...], batch: tuple[int, ...]) -> None:
    """Refuse an array whose last axes are not `core`, or whose others do not broadcast to those of the states."""
    require_shape(x, name, core)
    own = x.shape[: x.ndim - len(core)]
    pairs = zip(reversed(own), reversed(batch), strict=False)
    if len(own) > len(batch) or any(m not in (1, states) for m, states in pairs):
        wanted = f"broadcast to {(*batch, *core)}" if core else "be one number"
        raise ValueError(f"{name} has shape {x.shape}, but must {wanted}")


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


def warn_if_far(chain: Any, p: Any) -> None:
    """Warn if inertias about the world origin lose more than half of their digits: p (..., n, 3) is that far away.

    About a point at a distance d an inertia holds terms m d^2, of which the joints feel only what is left when
    they cancel.
    """
    heavy = chain.mass > 0 if is_concrete(chain.mass) else np.False_
    if not (is_concrete(p) and p.size and heavy.any()):
        return
    own = np.trace(chain.spatial_inertia[heavy, :3, :3], axis1=-2, axis2=-1) / chain.mass[heavy]
    away, spread = (p * p).sum(-1).max(), np.ptp(p, axis=-2).max()
    if np.finfo(float).eps * away > 1e-8 * (own.max() + spread * spread):
        warnings.warn(
            f"the chain is {np.sqrt(away):.2g} m away from the world origin, about which recursion='world' computes: "
            "results lose half of their digits or more; recursion='body' does not",
            RuntimeWarning,
            stacklevel=6,
        )


def overflow(link: str) -> ValueError:
    """Return the error that says whose inertia is too large, or too far away, for numbers of this kind."""
    return ValueError(
        f"the inertia of link {link!r}, with what it carries, overflows: its mass, or the distance of its mass "
        "from the joint, is too large"
    )


def check_matrix(x: Any, name: str, shape: tuple[int | None, int | None]) -> Any:
    """Return matrices as an array (..., rows, columns), finite; of the two counts, None is any."""
    x = as_array(x, name)
    if x.ndim < 2 or any(m not in (None, own) for m, own in zip(shape, x.shape[-2:], strict=True)):
        wanted = ", ".join("m" if m is None else str(m) for m in shape)
        raise ValueError(f"{name} has shape {x.shape}, but must have shape (..., {wanted})")
    require_finite(x, name)
    return x


def require_no_overflow(what: str, *arrays: Any) -> None:
    """Refuse matrices that finite arguments made infinite or undefined: LAPACK might never return."""
    if not all(x.dtype.kind not in "fc" or np.isfinite(x).all() for x in arrays):
        raise ValueError(
            f"{what} overflow: a coordinate, a velocity, a force or a number of the chain is too large"
        )


def read_only_view(x: Any) -> Any:
    """Return a view of a NumPy array into which nobody can write; others cannot be written into."""
    if not isinstance(x, np.ndarray):
        return x
    view = x.view()
    view.flags.writeable = False
    return view


def require_not_complex(x: Any, name: str) -> None:
    """Refuse complex numbers, also in an array of objects; symbols pass."""
    entries = x.flat if x.dtype.kind == "O" else ()
    if x.dtype.kind == "c" or any(
        isinstance(e, Complex) and not isinstance(e, Real) for e in entries
    ):
        raise ValueError(f"{name} is {x!r}, but must hold real numbers")


def no_inertia(link: str) -> ValueError:
    """Return the error that says which joint makes the mass matrix singular."""
    return ValueError(
        f"M is singular: the joint of link {link!r} feels no inertia in this posture; the link, or what it "
        "carries, needs mass that this joint moves"
    )


def check_batch(batch: Any) -> None:
    """Refuse batch axes that are not whole numbers, zero or more, in a tuple."""
    integers = isinstance(batch, tuple | list) and all(
        isinstance(m, int | np.integer) and not isinstance(m, bool) and m >= 0 for m in batch
    )
    if not integers:
        raise ValueError(f"batch is {batch!r}, but must be a tuple of counts, such as (5,)")


def check_word(value: Any, name: str, options: set[Any]) -> None:
    """Refuse an option that is none of the values it may have."""
    try:
        known = value in options
    except TypeError:  # what cannot be hashed
        known = False
    if not known:
        listed = " or ".join(repr(option) for option in sorted(options))
        raise ValueError(f"{name} is {value!r}, but must be {listed}")


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


def is_number(x: Any) -> bool:
    """Whether numbers are finite; what is no real number is not asked."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind != "f" or all_finite(x)
    return not isinstance(x, float | np.floating) or math.isfinite(x)


def are_numbers(result: Any) -> bool:
    """Whether no part of a function's result overflowed, or became NaN."""
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


def unit(axis: Any, name: str = "axis") -> Any:
    """Return direction vectors (..., 3) at length one, which cannot be written; one that is exact stays exact.

    Symbols must have length one already; exact numbers that do not are refused.
    """
    axis = as_array(axis, name)
    require_shape(axis, name, (3,))
    require_finite(axis, name)
    if not isinstance(axis, np.ndarray):  # JAX's, whose values may not be known yet
        return axis / sqrt((axis * axis).sum(-1, keepdims=True))
    if axis.dtype == object:
        rows = [_unit_of_objects(row, name) for row in axis.reshape(-1, 3)]
        return read_only(np.stack(rows).reshape(axis.shape) if rows else axis)
    with np.errstate(over="ignore", under="ignore"):
        if ((axis * axis).sum(-1) == 1).all():
            return read_only(axis)
    largest = np.abs(axis).max(-1, keepdims=True)
    if (largest == 0).any():
        raise ValueError(f"{name} is {axis.tolist()}: a direction must not be zero")
    axis = axis / largest  # first, so that no square overflows or vanishes
    return read_only(axis / np.sqrt((axis * axis).sum(-1, keepdims=True)))


def _unit_of_recorded(direction: np.ndarray) -> np.ndarray:
    """Return a direction that is known later (3,) at length one."""
    square = (direction * direction).sum(keepdims=True)
    expect(square)
    return np.asarray(direction / sqrt(square))


def _unit_of_objects(direction: np.ndarray, name: str) -> np.ndarray:
    """Return one direction (3,) at length one, if it has floats; refuse an exact one of another length.

    To divide by the length would make it inexact. Symbols pass.
    """
    entries = direction.tolist()
    if not all(isinstance(x, Real) for x in entries):
        return direction if holds_exact(direction) else _unit_of_recorded(direction)
    if not any(entries):
        raise ValueError(f"{name} is {entries}: a direction must not be zero")
    exact, largest = all(isinstance(x, Rational) for x in entries), max(abs(x) for x in entries)
    square = (direction * direction).sum() if exact or largest <= 1 else largest
    if square == 1:
        return direction
    if exact:
        raise ValueError(
            f"{name} is {entries}, of length sqrt({square}): a direction of exact numbers must have "
            "length one already; or give it as floats, which are normalised"
        )
    direction = direction / largest  # first, so that no square overflows or vanishes
    return np.asarray(direction / sqrt((direction * direction).sum(keepdims=True)))


def check_motion_subspace(S: Any, name: str = "S", **beside: tuple[Any, int]) -> Any:
    """Return a motion subspace (..., 6, k) as an array; refuse columns that are not finite or not independent.

    k may be 0. Columns are compared at length one, so that units play no part. beside : arrays whose batch axes must
    fit those of S, each with the number of its other axes.
    """
    S = as_array(S, name)
    if S.ndim < 2 or S.shape[-2] != 6:
        raise ValueError(f"{name} has shape {S.shape}, but must have shape (..., 6, k)")
    require_finite(S, name)
    require_same_batch(beside | {name: (S, 2)})
    known, k = known_values(S), S.shape[-1]
    if known is None or not known.size:
        return S
    largest = np.abs(known).max(-2, keepdims=True)
    zero = np.argwhere(largest[..., 0, :] == 0)
    if len(zero):
        raise ValueError(
            f"column {zero[0][-1]} of {name} is zero: each must be a motion that the joint allows"
        )
    columns = known / largest  # first, so that no square overflows or vanishes
    columns = columns / np.sqrt((columns * columns).sum(-2, keepdims=True))
    ranks = np.linalg.matrix_rank(columns, tol=at_least_rounding(1e-12, columns))
    if (ranks < k).any():
        raise ValueError(
            f"the columns of {name} depend on each other, and {name}^T I {name} is singular: of {k} motions, "
            f"{ranks.min()} are independent; leave out those that the others make"
        )
    return S


def require_joint_inertia(D: Any) -> None:
    """Refuse S^T I S (..., k, k) that is singular to rounding, where its values are known."""
    k, known = D.shape[-1], known_values(D)
    if not k or known is None:
        return
    size = np.sqrt(np.abs(np.diagonal(known, axis1=-2, axis2=-1)))
    size = np.where(size == 0, 1, size)  # so that units play no part
    scaled = known / size[..., :, None] / size[..., None, :]
    if (np.linalg.matrix_rank(scaled, hermitian=True) < k).any():
        raise ValueError(
            "S^T I S is singular: the body has no inertia along a motion that S allows"
        )


def in_floats(*arrays: Any) -> tuple[Any, ...]:
    """Return arrays, exact numbers in them rounded to floats."""
    return tuple(x.astype(float) if x.dtype.char == "O" else x for x in arrays)


LIGHT = 299_792_458  # the speed of light [m/s]
UNSUSPICIOUS = 1e8  # rates that are looked at no further [rad/s, m/s]


def require_possible(chain: Any, q: Any, qd: Any, kinetic_energy: Callable[..., Any]) -> None:
    """Refuse states that are not finite, or whose kinetic energy would make the whole chain faster than light."""
    if not (np.isfinite(q).all() and np.isfinite(qd).all()):
        raise ArithmeticError("the state is no longer finite: shorter steps may help")
    fastest = np.abs(qd).max(initial=0)
    if fastest <= UNSUSPICIOUS:
        return
    with np.errstate(all="ignore"):
        speeds = np.sqrt(2 * kinetic_energy(chain, q, qd) / chain.mass.sum())
    if not (speeds <= LIGHT).all():  # nor undefined
        raise ArithmeticError(
            f"the chain is faster than light, with rates of up to {fastest:.2g}: shorter steps may help"
        )


def require_one_state(**arrays: Any) -> None:
    """Refuse a batch where only one state can be taken."""
    for name, x in arrays.items():
        if x.ndim > 1:
            raise ValueError(f"{name} has shape {x.shape}, but this takes one state at a time")


def require_between(x: Any, name: str, low: int, high: int) -> None:
    """Refuse an entry that lies outside [low, high], naming the first; symbols pass."""
    if (
        recording.get() is not None
    ):  # both ends allowed, and a little more: who is told is judged again
        expect(1 - (2 * x - low - high) ** 2 / (high - low) ** 2 + EPSILON)
        return
    index = first_wrong(x, lambda entry: np.logical_not((entry >= low) & (entry <= high)))
    if index is not None:
        raise ValueError(f"{name} is {float(x[index]):.16g}, but must lie between {low} and {high}")


def frozen(x: Any) -> Any:
    """Return a parameter so that nobody can write into it: of an array a copy, of a list a tuple."""
    if isinstance(x, np.ndarray):
        return read_only(x)
    return tuple(x) if isinstance(x, list) else x


def read_only(x: Any) -> np.ndarray:
    """Return a copy that cannot be written: what was checked once and computed with must not change.

    Integers are treated as at the door.
    """
    array = np.array(as_array(x, "what a chain keeps"))
    array.setflags(write=False)
    return array


def protected(array: np.ndarray) -> np.ndarray:
    """Return an array as it is, which cannot be written from now on."""
    array.setflags(write=False)
    return array


def at_least_rounding(tolerance: float, x: np.ndarray) -> float:
    """Return a relative tolerance, or 32 roundings in the precision of `x` where these are more."""
    eps = np.finfo(x.dtype).eps if x.dtype.kind == "f" else 0
    return max(tolerance, 32 * float(eps))


def require_rotation(R: Any, name: str) -> None:
    """Refuse matrices (..., 3, 3) that do not turn vectors: stretched, sheared or mirrored ones.

    They must be orthonormal to 1e-8, those in single precision to 32 roundings.
    """
    known = known_values(R)
    if known is None or not known.size:
        return
    tolerance = at_least_rounding(1e-8, known)
    error = np.abs(known @ known.mT - np.eye(3)).max()
    determinant = np.linalg.det(known).min()
    if error > tolerance or determinant < 0:
        digits = f"{tolerance:.0e}".replace("e-0", "e-")
        raise ValueError(
            f"{name} is no rotation matrix: R R^T differs from 1 by {error:.1e} and det R = "
            f"{determinant:.3g}; the columns must be orthonormal, to {digits}, and right-handed"
        )


def require_not_parallel(first: Any, second: Any) -> None:
    """Refuse unit axes (..., 3) of a universal joint that lie along each other, to 1e-6."""
    one, other = known_values(first), known_values(second)
    if one is None or other is None:
        return
    if (np.linalg.norm(np.cross(one, other), axis=-1) <= 1e-6).any():
        raise ValueError(
            f"the axes {first.tolist()} and {second.tolist()} of a universal joint are parallel: that is one "
            "hinge, Revolute, whose two angles could not be told apart"
        )


def check_gravity(gravity: Any) -> Any:
    """Return gravity as an array (3,), or say what is wrong with it."""
    gravity = as_array(gravity, "gravity")
    if gravity.shape != (3,):
        raise ValueError(f"gravity has shape {gravity.shape}, but is an acceleration vector (3,)")
    require_finite(gravity, "gravity")
    return read_only(gravity) if isinstance(gravity, np.ndarray) else gravity


def as_links(links: Any) -> tuple[Any, ...]:
    """Return links as a tuple, or say what is not a link."""
    if not isinstance(links, Iterable):
        raise ValueError(f"links is {links!r}, but must be a sequence of Link")
    given = tuple(links)
    for i, link in enumerate(given):
        if not all(hasattr(link, part) for part in ("joint", "mass", "parent")):
            raise ValueError(f"links[{i}] is {link!r}, but must be a Link")
        if not isinstance(link.name, str | None):
            raise ValueError(f"link {i} is named {link.name!r}, but a name must be a string")
    return given


def check_links(links: Sequence[Any], names: Sequence[str]) -> None:
    """Refuse links that cannot be: each message names the link, the value and what would be right."""
    if not links:
        raise ValueError("a Chain needs at least one link")
    taken = {"ground"}
    for i, (link, name) in enumerate(zip(links, names, strict=True)):
        if name in taken:
            raise ValueError(
                f"link {i} is named {name!r}: names must differ, and 'ground' is taken"
            )
        taken.add(name)
        label = f"link {i} ({name!r})"
        check_parent(link.parent, label)
        check_joint(link.joint, label)
        check_drive(link, label)
        check_limits(link, label)
        check_placement(link, label)
        check_mass(link, label)
        if getattr(link, "judged", True):
            require_inertia_of_a_body(link, label)


def check_drive(link: Any, label: str) -> None:
    """Refuse a drive with other numbers than its joint's rates, negative ones, or a rotor that no rate of q turns."""
    drive = link.drive
    if drive is None:
        return
    if not hasattr(drive, "rotor_inertia") or isinstance(drive, type):
        raise ValueError(f"{label}: drive is {drive!r}, but must be a Drive")
    nv = link.joint.nv
    if nv == 0:
        raise ValueError(f"{label} has a drive, but its joint does not move: leave the drive out")
    for name in ("rotor_inertia", "gear_ratio", "viscous", "coulomb"):
        value = as_array(getattr(drive, name), f"{label}: {name}")
        if value.shape not in ((), (nv,)):
            raise ValueError(
                f"{label}: {name} has shape {value.shape}, but must be a number, or ({nv},) for the joint's rates"
            )
        require_finite(value, f"{label}: {name}")
        wrong = first_wrong(value, lambda entry: entry < 0)
        if wrong is not None and name != "gear_ratio":  # which may turn the other way
            raise ValueError(f"{label}: {name} is {value[wrong]}, but must not be negative")
    probe = np.arange(1.0, nv + 1)
    rate = np.asarray(link.joint.rate(np.array(link.joint.neutral), probe))
    turns_with_q = rate.shape == probe.shape and bool((rate == probe).all())
    if may_be_nonzero(as_array(drive.rotor_inertia, "rotor_inertia")) and not turns_with_q:
        raise ValueError(
            f"{label}: a rotor turns with a coordinate, but the velocities of {type(link.joint).__name__} are not the "
            "rates of its coordinates; rotors belong on hinges and slides"
        )


def require_no_friction(chain: Any, what: str) -> None:
    """Refuse a chain with friction in its joints where it would be left out, naming the first link that has it."""
    if chain.has_friction:
        column = next(
            k for k, x in enumerate(zip(chain.viscous, chain.coulomb, strict=True)) if x != (0, 0)
        )
        raise ValueError(
            f"{what} knows no friction in joints, but the drive of link {chain.link_of('nv', column)!r} has it: "
            "leave it out"
        )


def require_no_rotors(chain: Any, what: str) -> None:
    """Refuse a chain with rotors where they would be left out, naming the first link that has one."""
    if chain.has_rotors:
        column = next(k for k, x in enumerate(chain.reflected_inertia) if not (x == 0))
        raise ValueError(
            f"{what} knows no rotors, but the drive of link {chain.link_of('nv', column)!r} has one: leave out the "
            "drives, or put each rotor in as a link with a Coupling"
        )


def as_frames(frames: Any) -> tuple[Any, ...]:
    """Return frames as a tuple, or say what is none."""
    if not isinstance(frames, Iterable) or isinstance(frames, str):
        raise ValueError(f"frames is {frames!r}, but must be a sequence of Frame")
    given = tuple(frames)
    for i, frame in enumerate(given):
        if isinstance(frame, type) or not all(
            hasattr(frame, part) for part in ("name", "link", "offset", "rotation")
        ):
            raise ValueError(f"frames[{i}] is {frame!r}, but must be a Frame")
    return given


def check_frame(frame: Any, taken: Sequence[str]) -> None:
    """Refuse a frame without a name, or with a link's or another frame's, and one that is no pose."""
    if not isinstance(frame.name, str) or not frame.name:
        raise ValueError(f"a frame is named {frame.name!r}, but a name must be a string")
    label = f"frame {frame.name!r}"
    if frame.name in taken or frame.name == "ground":
        raise ValueError(
            f"{label}: names must differ among links and frames, and 'ground' is taken"
        )
    check_placement(frame, label)


def check_parent(parent: Any, label: str) -> None:
    """Refuse what names no link at all, an array for instance; whether it is an earlier one is seen later."""
    if not isinstance(parent, int | np.integer | str | None):
        raise ValueError(
            f"{label} has parent {parent!r}: a parent is None (the previous link), "
            '"ground", or the index or name of an earlier link'
        )


def check_joint(joint: Any, label: str) -> None:
    """Refuse what is no joint, and a joint that stands for several."""
    if not hasattr(joint, "motion_subspace") or isinstance(joint, type):
        raise ValueError(
            f"{label}: joint is {joint!r}, but must be one such as Revolute((0, 0, 1))"
        )
    lacking = [name for name in JOINT if not hasattr(joint, name)]
    if lacking:
        raise ValueError(
            f"{label}: its joint, {type(joint).__name__}, has no {', '.join(lacking)}: a class derived from "
            "chaindyn.Joint has them"
        )
    for part, shape in PARAMETERS.items():
        value = getattr(joint, part, np.zeros(shape))
        if np.shape(value) != shape:
            raise ValueError(
                f"{label}: the joint's {part} has shape {np.shape(value)}, but must be {shape}"
            )


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
    require_rotation(check_array(link.rotation, f"{label}: rotation", (3, 3)), f"{label}: rotation")


def check_mass(link: Any, label: str) -> None:
    """Refuse a mass below zero, and parameters of other shapes or not finite."""
    mass = known_values(check_array(link.mass, f"{label}: mass", ()))
    check_array(link.com, f"{label}: com", (3,))
    check_array(link.inertia, f"{label}: inertia", (3, 3))
    if mass is not None and mass < 0:
        raise ValueError(f"{label}: mass is {mass}, but must not be negative")


def require_inertia_of_a_body(link: Any, label: str) -> None:
    """Refuse an inertia that no distribution of mass has; shapes were checked."""
    mass, com, inertia = (
        known_values(as_array(getattr(link, p), p)) for p in ("mass", "com", "inertia")
    )
    if inertia is None:
        return
    tolerance = at_least_rounding(1e-9, inertia) * np.abs(inertia).max()
    if mass is not None and com is not None:
        # an inertia moved here from the origin carries the rounding of m c^2
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
