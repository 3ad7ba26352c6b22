"""Random calls with one thing wrong, or written otherwise: some with every change, very many at night.

A case is a seed and a number. It is right if it returns what the plain call returns, all of it finite, or if one of
the package's own `raise` statements refuses it and, where a value can only be wrong, names the argument. It may not
end in another way, give NaN, let NumPy warn, change what it was given, or take longer than `LIMIT`.

    python tests/fuzz.py --seed 7 --seconds 60
    python tests/fuzz.py --seed 7 --case 123
"""

from __future__ import annotations

import argparse
import datetime
import inspect
import linecache
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from laws import ROWS, Row, made, swings
from laws import _few as few_constraints
from lcps import KINDS as LCP_KINDS
from lcps import problem
from pairs import KINDS as SHAPES
from pairs import WAYS, pair_of
from trees import EPS, EVERY_KIND, Case, random_tree

import chaindyn
from chaindyn import Chain, crba
from chaindyn.teaching import normwise

LIMIT = 10.0  # s, on a busy machine; the slowest right call takes two
PACKAGE = str(Path(chaindyn.__file__).parent)
Values = dict[str, Any]


# What is done to an argument ---------------------------------------------------------------------


@dataclass(frozen=True)
class Spoiling:
    """A way to write an array otherwise, or to spoil it."""

    change: Callable[[np.ndarray, np.random.Generator], Any]
    expect: str = "either"  # "same", "refused", or "either": refused, or a result that is finite
    batch: int = 0  # axes that it puts in front
    extreme: bool = False  # NumPy may say what overflows on the way; the result decides


def _entry(value: Any) -> Callable[[np.ndarray, np.random.Generator], Any]:
    """Put something in the place of one entry."""

    def change(x: np.ndarray, rng: np.random.Generator) -> Any:
        x = x.astype(np.asarray(value).dtype if isinstance(value, np.generic) else object)
        x[tuple(rng.integers(size) for size in x.shape)] = value
        return x if isinstance(value, np.generic) else x.astype(type(value))

    return change


def _object(value: Any) -> Callable[[np.ndarray, np.random.Generator], Any]:
    """Put something in the place of one entry of an array of objects."""

    def change(x: np.ndarray, rng: np.random.Generator) -> Any:
        x = x.astype(object)
        x[tuple(rng.integers(size) for size in x.shape)] = value
        return x

    return change


def _locked(x: np.ndarray, rng: np.random.Generator) -> Any:
    x = x.copy()
    x.flags.writeable = False
    return x


def _tuples(x: Any) -> Any:
    return tuple(map(_tuples, x)) if isinstance(x, list) else x


def _masked(x: np.ndarray, rng: np.random.Generator) -> Any:
    mask = np.zeros(x.shape, bool)
    mask[tuple(rng.integers(size) for size in x.shape)] = True
    return np.ma.array(x, mask=mask)


def _as(dtype: Any) -> Callable[[np.ndarray, np.random.Generator], Any]:
    return lambda x, rng: np.round(x).astype(dtype)


def _to(x: Any) -> Callable[[np.ndarray, np.random.Generator], Any]:
    return lambda _, rng: x


def _filled(value: Any) -> Callable[[np.ndarray, np.random.Generator], Any]:
    return lambda x, rng: np.full(x.shape, value)


def _resized(by: int) -> Callable[[np.ndarray, np.random.Generator], Any]:
    return lambda x, rng: np.resize(x, (*x.shape[:-1], max(x.shape[-1] + by, 0))) if x.ndim else x


SAME = {
    "read-only": Spoiling(_locked, "same"),
    "Fortran order": Spoiling(lambda x, rng: np.asfortranarray(x), "same"),
    "negative strides": Spoiling(lambda x, rng: np.flip(np.flip(x).copy()), "same"),
    "strides": Spoiling(lambda x, rng: np.stack([x, x + 1], -1)[..., 0], "same"),
    "other bytes": Spoiling(lambda x, rng: x.astype(x.dtype.newbyteorder()), "same"),
    "lists": Spoiling(lambda x, rng: x.tolist(), "same"),
    "tuples": Spoiling(lambda x, rng: _tuples(x.tolist()), "same"),
    "objects": Spoiling(lambda x, rng: x.astype(object), "same"),
    "memory": Spoiling(lambda x, rng: memoryview(np.ascontiguousarray(x)), "same"),
    "nothing masked": Spoiling(lambda x, rng: np.ma.array(x), "same"),
    "long double": Spoiling(lambda x, rng: x.astype(np.longdouble), "same"),
    "single precision": Spoiling(lambda x, rng: x.astype(np.float32), "same"),
    "a batch of one": Spoiling(lambda x, rng: x[None], "same", batch=1),
    "a batch without strides": Spoiling(
        lambda x, rng: np.broadcast_to(x, (2, 3, *x.shape)), "same", batch=2
    ),
    # these change values too, which are rounded in the plain call
    "integers": Spoiling(_as(int), "same"),
    "bytes": Spoiling(_as(np.int8), "same"),
    "fractions": Spoiling(
        lambda x, rng: np.vectorize(lambda e: Fraction(round(4 * e), 4), otypes=[object])(x), "same"
    ),
    "Python's integers": Spoiling(lambda x, rng: np.round(x).astype(int).astype(object), "same"),
}
WRONG = {
    "NaN": _entry(np.nan),
    "infinite": _entry(np.inf),
    "NaN in single precision": _entry(np.float32("nan")),
    "NaN in long double": _entry(np.longdouble("-inf")),
    "NaN among objects": _object(np.nan),
    "infinite among objects": _object(-np.inf),
    "nothing among objects": _object(None),
    "a word among objects": _object("1"),
    "a list among objects": _object([1.0]),
    "true among objects": _object(True),
    "too large an integer": _object(10**400),
    "half precision": lambda x, rng: x.astype(np.float16),
    "booleans": lambda x, rng: x > 0,
    "words": lambda x, rng: x.astype(str),
    "encoded": lambda x, rng: x.astype("S"),
    "nothing": _to(None),
    "a word": _to("zero"),
    "a table": _to({}),
    "a type": _to(float),
    "a function": lambda x, rng: lambda *_: x,
    "a generator": lambda x, rng: (e for e in x.flat),
    "dates": _filled(np.datetime64("2020-01-01")),
    "durations": _filled(np.timedelta64(1, "s")),
    "days": _object(datetime.date(2020, 1, 1)),
    "void": lambda x, rng: np.zeros(x.shape, "V8"),
    "fields": lambda x, rng: np.zeros(x.shape, [("a", float)]),
    "masked": _masked,
    "uneven rows": _to([[1.0, 2.0], [3.0]]),
    "an entry more": _resized(1),
    "an entry less": _resized(-1),
    "no entry": _resized(-100),
}
ODD = {
    "transposed": lambda x, rng: x.T,
    "a batch": lambda x, rng: np.stack([x, x, x]),
    "an empty batch": lambda x, rng: x[None][:0],
    "an axis less": lambda x, rng: x[..., 0] if x.ndim else x,
    "complex": lambda x, rng: x + 0j,
    "all zero": lambda x, rng: 0 * x,
    "minus": lambda x, rng: -x,
}
EXTREME = {
    **{f"an entry of {s:g}": _entry(s) for s in (1e20, -1e160, 1e308, 1e-160, 5e-324)},
    **{
        f"times {s:g}": lambda x, rng, s=s: x * s
        for s in (1e8, 1e160, 1e300, 1e-12, 1e-160, 1e-300)
    },
}
SPOILINGS = (
    SAME
    | {name: Spoiling(change, "refused") for name, change in WRONG.items()}
    | {name: Spoiling(change) for name, change in ODD.items()}
    | {name: Spoiling(change, extreme=True) for name, change in EXTREME.items()}
)
ROUNDING = {"integers", "bytes", "fractions", "Python's integers"}
# no rounded value is one of these; and three of them may be scalars, or have any number of columns
UNROUNDED = {"rotation", "direction", "unit quaternion", "X", "inertia", "inertia 3"}
ANY_SHAPE = {(), "subspace"}
RESIZED = {"an entry more", "an entry less", "no entry", "uneven rows"}

# What is given for an option, by all of which is no more said than that they may not do harm.
OPTIONS = [
    None, True, "", "misspelt", b"body", np.nan, np.inf, -np.inf, -1, 0, 1.5, 99, 2**70, -(10**400),
    1e-300, 5e-324, 1e300, 1j, [], (), {}, {1}, [None], ["body"], [0, 1], [[0, 1]], [[0], [1, 2]],
    np.array(["body"]), np.array(1.0), np.zeros((2, 3, 4)), np.ma.array([1.0, 2.0], mask=[0, 1]),
    np.float16(1), Fraction(1, 3),
    np.datetime64("2020-01-01"), object(), float, object,
]  # fmt: skip


# The judge ---------------------------------------------------------------------------------------


class Wrong(AssertionError):
    """What a call may not do."""


class TooLong(Exception):
    """It takes longer than it may."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer, where Python hears of it; a watch ends the process where it does not."""

    def stop(*_: Any) -> None:
        raise TooLong

    main = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    if main:
        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        if main:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def refusal(error: BaseException, name: str | None) -> str | None:
    """What is wrong with an exception; None if it is the package's own, and names the argument."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    assert trace is not None
    file, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
    if not file.startswith(PACKAGE) or not linecache.getline(file, line).strip().startswith(
        "raise"
    ):
        place = f"{Path(file).name}:{line}"
        return f"in others' words, at {place}: {type(error).__name__}: {error}"
    if not isinstance(error, ValueError | ArithmeticError | TypeError):
        return f"{type(error).__name__}: {error}"
    if name and name not in str(error):
        return f"{name} is not named: {error}"
    return None


def numbers(result: Any) -> list[np.ndarray]:
    """The arrays of a result, without its words and parts."""
    arrays = [
        np.asarray(x) for x in result if not isinstance(x, str | None | BaseException | Chain)
    ]
    return [x for x in arrays if x.dtype.kind in "iufcO"]


def require_finite(result: Any, but_infinite: bool) -> None:
    for x in numbers(result):
        if x.dtype.kind == "O":  # symbols are not asked
            x = np.array([e for e in x.flat if isinstance(e, float | complex)])
        good = ~np.isnan(x) if but_infinite else np.isfinite(x)
        if not good.all():
            raise Wrong(f"a result is {x[~good].flat[0]} without a word")


def asked(
    call: Callable[[], Any],
    given: Any,
    name: str | None = None,
    *,
    infinite: bool = False,
    extreme: bool = False,
) -> tuple[Any, BaseException | None]:
    """Return what a call returns, and what refuses it; Wrong if it does neither as it should."""
    before, refused, result = repr_of(given), None, None
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as said, limited(LIMIT):
        warnings.simplefilter("always")
        try:
            result = call()
        except TooLong:
            raise Wrong(f"no end after {LIMIT} s") from None
        except Exception as error:
            refused = error
            wrong = refusal(error, name)
            if wrong:
                raise Wrong(wrong) from error
    if time.perf_counter() - start > LIMIT:
        raise Wrong("it took too long")
    if repr_of(given) != before:
        raise Wrong("it changes what it was given")
    if refused is None:
        for warning in said:
            if ("encountered in" in str(warning.message) and not extreme) or issubclass(
                warning.category, np.exceptions.ComplexWarning
            ):
                place = f"{Path(warning.filename).name}:{warning.lineno}"
                raise Wrong(f"at {place} NumPy warns: {warning.message}")
        require_finite(result, infinite)
    return result, refused


def repr_of(given: Any) -> Any:
    """What tells whether an argument was changed."""
    if isinstance(given, dict):
        return {name: repr_of(x) for name, x in given.items()}
    if type(given) is np.ndarray and given.dtype != object:
        return given.shape, given.strides, given.tobytes()
    return repr(given)


# First part: functions and arrays -----------------------------------------------------------------


MORE = [
    Row("within_limits", {"q": "q"}),
    Row("impact_derivatives", {"q": "q", "qd": "qd", "point": (3,), "normal": "direction", "restitution": ()},
        fixed={"body": lambda chain: chain.n - 1}),
    Row("saltation_matrix",
        {"q": "q", "qd": "qd", "tau": "qd", "point": (3,), "normal": "direction", "restitution": ()},
        fixed={"body": lambda chain: chain.n - 1}),
    Row("constrained_forward_dynamics_derivatives", {"q": "q", "qd": "qd", "tau": "qd"},
        fixed={"constraints": few_constraints}),
    Row("fit_linear", {"regressor": (12, 4), "forces": (12,)}),
    Row("solve_lcp", {"A": "inertia 3", "b": (3,)}, {"method": ("lemke", "pgs", "enumerate")}),
]  # fmt: skip
# one problem at a time: a batch is refused, or something else
SINGLE = {
    "solve_full_system",
    "maximal_coordinate_dynamics",
    "fit_linear",
    "solve_lcp",
    "saltation_matrix",
}
SINGLE |= {"impact_derivatives", "constrained_forward_dynamics_derivatives"}
# their results jump where a rounding decides
JUMP = {"solve_lcp", "within_limits", "quaternion_from_rotation", "log_quaternion"}


def chain_for(row: Row, rng: np.random.Generator) -> Chain:
    """The row's own chain, or a random tree where the row knows nothing of links."""
    closed = "constraints" in row.fixed.keys() | row.options.keys()
    if closed or row.name.endswith("_serial") or rng.random() < 0.5:
        return row.chain()
    variety = str(rng.choice(["plain", "tiny", "wild"]))
    count, seed = int(rng.integers(1, 6)), int(rng.integers(1 << 30))
    return random_tree(Case(count, bool(rng.integers(2)), variety, seed, EVERY_KIND))


def limit_for(row: Row, chain: Chain, given: Any) -> float:
    """How far rounding may carry a result: by the precision of what was given and the mass matrix's condition."""
    eps = float(np.finfo(np.float32).eps) if getattr(given, "dtype", None) == np.float32 else EPS
    condition = 100.0
    if row.of_a_chain and chain.nv:
        condition = float(np.linalg.cond(crba(chain, made("q", chain, np.random.default_rng(0)))))
    if "constraints" in row.fixed or row.name in ("solve_kkt", "fit_linear"):
        condition *= 1e4
    if "derivative" in row.name or row.name == "linearise":  # M^-1 meets M^-1
        condition *= condition
    return 1e4 * eps * condition * max(chain.n, 3)


def spoiled_array(rng: np.random.Generator) -> str:
    """Make one case of the first part; return what it was."""
    rows = [*ROWS, *MORE]
    row = rows[rng.integers(len(rows))]
    chain = chain_for(row, rng)
    values = {name: made(kind, chain, rng) for name, kind in row.arguments.items()}
    choices = list(row.choices())
    option = choices[rng.integers(len(choices))]
    name = list(row.arguments)[rng.integers(len(row.arguments))]
    how = list(SPOILINGS)[rng.integers(len(SPOILINGS))]
    kind, spoiling = row.arguments[name], SPOILINGS[how]
    label = f"{row.name}({name}: {how}), {option}, {chain.n} links"
    x = np.asarray(values[name])
    if not x.size or (
        how in ROUNDING and (kind in UNROUNDED or (kind == "q" and chain.quaternions.size))
    ):
        return f"{label}: passed over"
    with np.errstate(all="ignore"):
        given = spoiling.change(x, rng)
    expect = spoiling.expect
    optional = inspect.signature(row.function).parameters[name].default is None
    if (given is None and optional) or (how in RESIZED and kind in ANY_SHAPE):
        expect = "either"
    if kind == () and how in ("an entry more", "an entry less", "no entry"):
        return f"{label}: passed over"
    call = {**values, name: given}
    infinite = row.name == "impact"
    with saying(label):
        found, refused = asked(
            lambda: row.call(chain, call, **option),
            call,
            name if expect == "refused" else None,
            infinite=infinite,
            extreme=spoiling.extreme,
        )
        if expect == "refused" and refused is None:
            raise Wrong("it is taken")
        if expect == "same" and not (spoiling.batch and row.name in SINGLE):
            compare(row, chain, values, option, name, given, found, refused)
    return label


def compare(
    row: Row,
    chain: Chain,
    values: Values,
    option: Values,
    name: str,
    given: Any,
    found: Any,
    refused: Any,
) -> None:
    """Compare with the plain call, whose argument is the same in double precision."""
    plain = np.asarray(given).astype(float)
    extra = plain.ndim - np.ndim(values[name])
    plain = plain[(0,) * extra]
    reference, unasked = asked(
        lambda: row.call(chain, {**values, name: plain}, **option),
        {},
        infinite=row.name == "impact",
    )
    if unasked is not None or refused is not None:
        # of fractions there is no sine; single precision may be as far off as its digits
        looser = isinstance(refused, TypeError) or getattr(given, "dtype", None) == np.float32
        if (unasked is None) != (refused is None) and not looser:
            raise Wrong(f"refused: {refused}; the plain call: {unasked or 'is not'}")
        return
    limit = limit_for(row, chain, given)
    if limit > 1e-2 or (row.name in JUMP and limit > 1e-6):
        return
    pairs = list(zip(numbers(found), numbers(reference), strict=True))
    if row.name == "solve_lcp":  # nor how many steps it took, and what they left
        pairs = pairs[:2]
    for x, wanted in pairs:
        if extra:
            x = x[(-1,) * extra]
        if x.shape != wanted.shape:
            raise Wrong(f"a result has shape {x.shape}, but the plain call's {wanted.shape}")
        x, wanted = (y.astype(complex if y.dtype.kind == "c" else float) for y in (x, wanted))
        error = normwise(x, wanted) if np.isfinite(wanted).all() else float((x != wanted).any())
        if not error <= limit:
            raise Wrong(f"a result is off by {error:.2g}, where {limit:.2g} is rounding")


@contextmanager
def saying(label: str) -> Iterator[None]:
    """Put what was called before what is wrong with it."""
    try:
        yield
    except Wrong as wrong:
        raise Wrong(f"{label}: {str(wrong)[:300]}") from wrong.__cause__


def spoiled_option(rng: np.random.Generator) -> str:
    """Give an option of a function, or its chain, a value that it hardly has."""
    rows = [row for row in [*ROWS, *MORE] if row.options or row.fixed or row.of_a_chain]
    row = rows[rng.integers(len(rows))]
    chain = row.chain()
    values = {name: made(kind, chain, rng) for name, kind in row.arguments.items()}
    names = [*row.options, *row.fixed, *(["chain"] if row.of_a_chain else [])]
    name = names[rng.integers(len(names))]
    value = OPTIONS[rng.integers(len(OPTIONS))]
    words = getattr(row.function, "words", {}).get(name)
    refuses = name == "chain" or (words is not None and not known_word(value, words))
    label = f"{row.name}({name}={value!r:.60})"
    options = {k: v(chain) if callable(v) else v for k, v in row.fixed.items()}
    given = values | options | ({"chain": chain} if row.of_a_chain else {}) | {name: value}
    with saying(label):
        _, refused = asked(
            lambda: tuple(parts_of(row.function(**given))),
            values,
            name if refuses else None,
            infinite=row.name == "impact",
        )
        if refuses and refused is None:
            raise Wrong("it is taken")
    return label


def known_word(value: Any, words: set[Any]) -> bool:
    try:
        return value in words
    except TypeError:
        return False


def parts_of(result: Any) -> Iterator[Any]:
    """The fields of a result, one after another; of a motion those that it has at once."""
    if isinstance(result, tuple | list):
        for part in result:
            yield from parts_of(part)
    elif isinstance(result, dict):
        yield from result.values()
    elif hasattr(result, "__dataclass_fields__") and not isinstance(result, Chain | type):
        for name in result.__dataclass_fields__:
            if name not in ("log", "constraints", "error", "radii"):
                yield from parts_of(getattr(result, name))
    else:
        yield result


# Second part: what runs over time, and what compiles ----------------------------------------------


def ball() -> tuple[Chain, list[Any]]:
    chain = Chain(
        [chaindyn.Link(chaindyn.Free(), 1, (0, 0, 0), np.eye(3) / 10)], gravity=(0, 0, -10)
    )
    return chain, [
        chaindyn.Geometry(chaindyn.Sphere(0.1), 0),
        chaindyn.Geometry(chaindyn.HalfSpace((0, 0, 1)), "ground"),
    ]


FEW = {"t": [0, 0.01, 0.02], "step": 0.005}
RUNS: dict[str, tuple[Callable[[], Values], list[str]]] = {
    "simulate": (
        lambda: {"chain": swings(), "q": [0.1, 0.2], "qd": [0, 1.0], **FEW, "method": "RK4", "progress": False},
        ["t", "step", "method", "torque", "external", "until", "rtol", "atol", "constraints", "stabilisation",
         "friction_width", "compiled", "q", "qd", "chain"],
    ),
    "simulate by DOP853": (
        lambda: {"chain": swings(), "q": [0.1, 0.2], "qd": [0, 1.0], "t": [0, 0.01], "progress": False},
        ["t", "step", "method", "torque", "external", "until", "rtol", "atol", "constraints", "stabilisation",
         "friction_width"],
    ),
    "simulate_contact": (
        lambda: {"chain": ball()[0], "geometries": ball()[1], "q": [0, 0, 0.1, 1, 0, 0, 0],
                 "qd": [0, 0, 0, 0, 0, -1.0], **FEW},
        ["t", "step", "method", "torque", "restitution", "friction", "law", "order", "margin", "constraints",
         "geometries", "q", "qd", "chain"],
    ),
    "rollout": (
        lambda: {"chain": swings(), "q": [0.1, 0.2], "qd": [0, 1.0], **FEW},
        ["t", "step", "method", "torque", "threads", "q", "qd", "chain"],
    ),
    "sweep": (
        lambda: {"function": crba, "chain": swings(), "states": np.zeros((5, 2)), "workers": 1, "progress": False},
        ["chunk", "states", "chain", "function", "out", "workers"],
    ),
    "compiled": (
        lambda: {"function": crba, "chain": swings()},
        ["target", "derivatives", "threads", "parameters", "shapes", "chain", "function"],
    ),
    "find_contacts": (
        lambda: {"chain": ball()[0], "geometries": ball()[1], "q": [0, 0, 0.1, 1, 0, 0, 0]},
        ["geometries", "q", "margin", "chain"],
    ),
}  # fmt: skip
# legitimate, and long or heavy: so many processes or threads, a folder of that name; functions that raise themselves
HEAVY = {"workers": (99,), "threads": (99,), "out": ("misspelt", ""), "margin": (2**70, 1e300)}
HEAVY |= dict.fromkeys(("function", "torque", "external", "until"), (object, float))


def spoiled_run(rng: np.random.Generator) -> str:
    """Give a function that runs over time, or compiles, a value that an option hardly has."""
    title = list(RUNS)[rng.integers(len(RUNS))]
    make, names = RUNS[title]
    name, value = names[rng.integers(len(names))], OPTIONS[rng.integers(len(OPTIONS))]
    label = f"{title}({name}={value!r:.60})"
    if isinstance(value, int | float | str | type) and value in HEAVY.get(name, ()):
        return f"{label}: passed over"
    given = make() | {name: value}
    with saying(label):
        asked(
            lambda: tuple(parts_of(getattr(chaindyn, title.split()[0])(**given))),
            {
                k: v
                for k, v in given.items()
                if isinstance(v, list | np.ndarray) and k not in ("geometries",)
            },
        )
    return label


# Third part: methods against each other -----------------------------------------------------------


def three_methods(rng: np.random.Generator) -> str:
    """A complementarity problem in odd units: who finds a solution has one, and nobody denies what another finds."""
    n = int(rng.integers(1, 7))
    kind = str(rng.choice([*LCP_KINDS, "any"]))
    if kind == "any":
        A, b = rng.integers(-2, 3, (n, n)).astype(float), rng.integers(-2, 3, n).astype(float)
    else:
        A, b = problem(kind, n, int(rng.integers(1000)))
    units = (
        10.0 ** rng.uniform(-1, 1, n) ** int(rng.integers(1, 6))
        if rng.random() < 0.5
        else np.ones(n)
    )
    A, b = units[:, None] * A * units, units * b * 10.0 ** rng.integers(-12, 13)
    label = f"LCP, {kind}, n = {n}"
    found = {}
    with saying(label):
        for method in ("enumerate", "lemke", "pgs"):
            try:
                found[method] = chaindyn.solve_lcp(A, b, method=method)
            except (ArithmeticError, ValueError) as error:  # PGS wants a positive diagonal
                found[method] = error
        for method in ("enumerate", "lemke"):
            answer = found[method]
            if isinstance(answer, ArithmeticError | ValueError):
                continue
            size = np.abs(b) + np.abs(A) @ answer.z
            if (
                not (answer.z >= 0).all()
                or (np.minimum(A @ answer.z + b, answer.z / units**2) < -1e-9 * size).any()
            ):
                raise Wrong(
                    f"{method}: z = {answer.z}, w = {answer.w} solve nothing: A = {A.tolist()}, b = {b.tolist()}"
                )
        denied = isinstance(found["enumerate"], ArithmeticError)
        if denied and not isinstance(found["lemke"], ArithmeticError):
            raise Wrong(f"enumerate finds none, lemke does: A = {A.tolist()}, b = {b.tolist()}")
        if not denied and "has no solution" in str(found["lemke"]):
            raise Wrong(f"lemke denies a solution: A = {A.tolist()}, b = {b.tolist()}")
    return label


def three_distances(rng: np.random.Generator) -> str:
    """The distance of two shapes is the other's, and in other units so many times as large."""
    kinds = SHAPES[rng.integers(len(SHAPES))], SHAPES[rng.integers(len(SHAPES))]
    pair = pair_of(kinds, str(rng.choice(WAYS)), int(rng.integers(1 << 30)))
    size = float(2.0 ** rng.integers(-40, 41))
    label = f"distance, {pair}, times {size}"
    with saying(label):
        here = chaindyn.distance(pair.a, pair.pose_a, pair.b, pair.pose_b)
        there = chaindyn.distance(pair.b, pair.pose_b, pair.a, pair.pose_a)
        a, b = scaled(pair.a, size), scaled(pair.b, size)
        (R, p), (S, r) = pair.pose_a, pair.pose_b
        large = chaindyn.distance(a, (R, size * p), b, (S, size * r))
        reach = 1 + np.abs(p).max() + np.abs(r).max()
        for other, what in (
            (there.distance, "the other way round"),
            (large.distance / size, "in other units"),
        ):
            if not abs(other - here.distance) <= 1e-12 * reach:
                raise Wrong(f"{here.distance}, and {what} {other}")
    return label


def scaled(shape: Any, size: float) -> Any:
    """A shape in other units."""
    values = {
        k: size * np.asarray(getattr(shape, k)) for k in inspect.signature(type(shape)).parameters
    }
    return type(shape)(**{k: float(v) if v.ndim == 0 else v for k, v in values.items()})


# All together ------------------------------------------------------------------------------------

PARTS = [*[spoiled_array] * 14, *[spoiled_option] * 3, spoiled_run, three_methods, three_distances]


def case(seed: int, number: int) -> str:
    """Make a case; Wrong says what is wrong with it."""
    rng = np.random.default_rng([seed, number])
    return PARTS[rng.integers(len(PARTS))](rng)


def command(seed: int, number: int) -> str:
    return f"python tests/fuzz.py --seed {seed} --case {number}"


def wrong_ones(seed: int, numbers: Iterator[int] | range) -> Iterator[str]:
    """Make cases; yield those that are wrong, each with the command that makes it again."""
    for number in numbers:
        try:
            case(seed, number)
        except Exception as error:
            yield f"{command(seed, number)}\n    {type(error).__name__}: {error}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--case", type=int)
    arguments = parser.parse_args()
    if arguments.case is not None:
        print(case(arguments.seed, arguments.case))
        return 0
    print(f"python tests/fuzz.py --seed {arguments.seed} --seconds {arguments.seconds}", flush=True)
    now = {"number": 0, "since": time.monotonic()}

    def watch() -> None:
        while time.monotonic() - now["since"] < 6 * LIMIT:
            time.sleep(1)
        print(f"{command(arguments.seed, int(now['number']))}\n    never ends", flush=True)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    end, found = time.monotonic() + arguments.seconds, 0

    def running() -> Iterator[int]:
        while time.monotonic() < end:
            now["since"] = time.monotonic()
            yield int(now["number"])
            now["number"] += 1

    for wrong in wrong_ones(arguments.seed, running()):
        found += 1
        print(wrong, flush=True)
    print(f"{int(now['number'])} cases, {found} wrong", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="the .* break the constraints")
    with tempfile.TemporaryDirectory() as folder:
        place = os.getcwd()
        os.chdir(folder)
        try:
            status = main()
        finally:
            os.chdir(place)
    sys.exit(status)
