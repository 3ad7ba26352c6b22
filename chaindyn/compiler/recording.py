"""Numbers that record what is done to them, and know when two of them are equal."""

from __future__ import annotations

import functools
import gc
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from chaindyn import _ops
from chaindyn.compiler.operations import (
    ERROR,
    MARK,
    PRIME,
    SHORTER,
    VALUE,
    mark_of,
    mark_of_constant,
)

__all__: list[str] = []

Array = Any

UNIT = 2.0**-53
MOST = 300_000  # numbers in one recording: beyond, compilers take minutes


class CannotRecord(Exception):
    """What a function does hangs on values, or goes beyond what a recording knows."""


class Later:
    """What has no value before the program runs: nobody may look at it, and copies are the same thing.

    Equality is looked at as any value is, though Python would answer by identity. Outside a recording, what was
    recorded may be shown.
    """

    __slots__ = ()

    def refuse(self, *_: Any) -> Any:
        """Refuse to say a value. CannotRecord always; the recording keeps it, for NumPy drops errors in places."""
        error = CannotRecord("it compares, rounds or writes numbers, whose values come later")
        if (notes := _ops.recording.get()) is not None:
            notes.refusals.append(error)
        raise error

    __eq__ = __ne__ = __hash__ = __int__ = __str__ = __format__ = refuse

    def __repr__(self) -> str:
        return object.__repr__(self) if _ops.recording.get() is None else self.refuse()

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _memory: Any) -> Any:
        return self


# values that inputs are tried at: anywhere, next to zero, next to a quarter turn, next to each other
TRIALS: tuple[Callable[[float], float], ...] = (
    lambda x: x,
    lambda x: 1e-9 * x,
    lambda x: np.pi / 2 + 1e-9 * x,
    lambda x: 1 + 1e-9 * x,
)
WORSE = 64  # so many times as large the error of a number may be, by which another one is replaced
Trial = tuple[tuple[float, float], ...]  # a value, and a bound for its rounding, at each of these


def tried_at_random(op: str, mark: int) -> Trial:
    """Return what a number of which nothing is known is taken to be."""
    x = 0.5 + mark / PRIME
    values = [f(x) for f in TRIALS] if op == "input" else [x] * len(TRIALS)
    return tuple((v, 0.0) for v in values)


def tried(op: str, args: tuple[Any, ...], mark: int) -> Trial:
    """Return what an operation makes of its operands' values, and how far rounding may move it."""
    if op == "constant":
        return ((args[0], 0.0),) * len(TRIALS)
    if op not in ERROR:
        return tried_at_random(op, mark)
    found = []
    for operands in zip(*[x.trial if isinstance(x, Number) else TRIALS for x in args], strict=True):
        try:
            value, error = ERROR[op](*operands)
        except (ArithmeticError, ValueError):  # by zero, of what is negative, too large
            value = error = math.nan
        found.append((value, error + UNIT * abs(value)))
    return tuple(found)


def is_no_worse(one: Number, other: Trial) -> bool:
    """Whether a number may stand in for another formula of it: where that is exact, it must not be lost to rounding."""
    return all(
        a[1] <= WORSE * b[1] or not b[1] < math.inf for a, b in zip(one.trial, other, strict=True)
    )


CONSTANTS = {0: 0.0, 1: 1.0, PRIME - 1: -1.0}  # that formulas may turn out to be, by their marks


@dataclass(frozen=True, eq=False, repr=False)
class Tape:
    """What was recorded: numbers in the order of their making, and each by what makes it, and by owner and mark.

    expectations : numbers that must come out positive for the recording to hold; most : how many numbers it may have;
    doubts : quotients and roots that were left out, by their index, though they may not be finite where the rest is;
    certain : numbers that are known not to vanish, by their index; loops, memories : of the recording; path : the loops
    whose bodies are being recorded, by their numbers, from without; constants : by their values; watch : the array in
    which the outermost of these loops sees whether all is finite; fills : the arrays of loops, by what they are first.
    """

    numbers: list[Number] = field(default_factory=list)
    made: dict[Any, Number] = field(default_factory=dict)
    known: dict[tuple[int | None, int], Number] = field(default_factory=dict)
    expectations: list[Number] = field(default_factory=list)
    most: int | None = None
    doubts: set[int] = field(default_factory=set)
    certain: set[int] = field(default_factory=set)
    loops: list[Any] = field(default_factory=list)
    memories: list[Any] = field(default_factory=list)
    path: list[int] = field(default_factory=list)
    constants: dict[float, Number] = field(default_factory=dict)
    watch: list[Any] = field(default_factory=list)
    fills: dict[Any, Any] = field(default_factory=dict)

    def sees(self, x: Number) -> bool:
        """Whether a number is one of this loop, of those around it, or of none."""
        return not x.scope or list(x.scope) == self.path[: len(x.scope)]

    def write(
        self,
        op: str,
        args: tuple[Any, ...],
        mark: int,
        owner: int | None = None,
        scope: tuple[int, ...] | None = None,
    ) -> Number:
        """Return what an operation makes of its operands, recorded now if it is not known yet.

        scope : the loops that it is done in, from without; None: those of its operands.

        Equal marks are equal formulas: what was computed before, in whatever way it was written, is not computed again,
        unless that lost digits which this way keeps.
        """
        places: list[Any] = [x.index if isinstance(x, Number) else x for x in args]
        key = (op, owner, mark, *(sorted(places) if op in ("+", "*") else places))
        if key in self.made and self.sees(self.made[key]):
            return self.made[key]
        if op != "constant" and mark in CONSTANTS:
            self.leave_out(*args)
            return self.constant(CONSTANTS[mark])
        trial, worse = tried(op, args, mark), False
        alike = op in ERROR and op != "negative"  # of all others nothing tells how they lose digits
        for sign, own in ((1, mark), (-1, PRIME - mark)) if alike else ():
            for whose in {None: None, owner: None}:
                if (other := self.known.get((whose, own))) is not None and self.sees(other):
                    if is_no_worse(other, trial):
                        self.leave_out(*args, kept=other.wild)
                        return other if sign == 1 else -other
                    worse = True
        most = MOST if self.most is None else self.most
        if len(self.numbers) >= most:
            raise CannotRecord(f"it takes more than {most} operations, link by link")
        doubtful = op in ("inverse", "sqrt") and not is_guarded(args[0])
        source = {len(self.numbers)} if doubtful else frozenset()
        wild = frozenset(source).union(*[x.wild for x in args if isinstance(x, Number)])
        if scope is None:
            scope = max([x.scope for x in args if isinstance(x, Number)], key=len, default=())
        if scope and scope[0] >= 0 and owner is not None:  # below zero: of columns on their way
            raise CannotRecord("a loop works on what every link has")
        place = len(self.numbers)
        if op == "taken":  # finite if it is after its loop, or if its loop keeps what is finite so
            wild = frozenset({self.memories[args[0]].filled.index if scope else place})
        number = Number(self, op, args, owner, mark, place, trial, wild, scope)
        self.numbers.append(number)
        self.made[key] = number
        before = self.known.get((owner, mark))
        if op == "constant" or worse or before is None or not self.sees(before):
            self.known[owner, mark] = number
        return number

    def leave_out(self, *numbers: Any, kept: frozenset[int] = frozenset()) -> None:
        """Note that these are not computed: where one of them is not finite, a recording without them does not hold.

        kept : the quotients and roots that are in what stands for them.
        """
        for x in numbers:
            if isinstance(x, Number) and x.wild:
                self.doubts.update(x.wild - kept)

    def is_finite(self, x: Number) -> bool:
        """Whether a quotient or a root is known to be finite: of what does not vanish, or is guarded."""
        return x.operand.index in self.certain or is_guarded(x.operand)

    def finite(self, x: Number) -> Number:
        """Return a number that is positive where another one is finite."""
        nothing = self.write("-", (x, x), mark_of("nothing", x.index), x.owner)
        return self.write("+", (nothing, self.constant(1)), mark_of("finite", x.index), x.owner)

    def constant(self, value: Any) -> Number:
        """Return a number whose value is known now."""
        if (known := self.constants.get(value)) is not None:
            return known
        value = float(value)
        made = self.write("constant", (value,), mark_of_constant(value))
        self.constants[value] = made
        return made

    def unknown(self, op: str, *args: Any, owner: int | None = None) -> Number:
        """Return a number of which nothing is known: an entry of an argument, a parameter of the model."""
        return self.write(op, args, mark_of(op, owner, args), owner)


def is_guarded(x: Number) -> bool:
    """Whether a number is one that its author put a constant above zero for where it vanishes, or its root."""
    if x.op == "sqrt":
        return is_guarded(x.operand)
    return x.op == "where" and any(y.value is not None and y.value > 0 for y in x.args[1:])


def owner_of(*numbers: Number) -> int | None:
    """Return whose a result of these numbers is: of a kind of link, or of nobody if all are nobody's."""
    owners = {x.owner for x in numbers} - {None}
    if len(owners) > 1:
        raise TypeError("numbers of different kinds of link meet")
    return owners.pop() if owners else None


def is_array(x: Any) -> bool:
    """Whether it is an array, which does what numbers do entry by entry."""
    return hasattr(x, "__array_namespace__")


def unary(op: str) -> Callable[[Any], Any]:
    """Return the method of numbers that records an operation on one."""
    return lambda self: self.apply(op)


def binary(op: str) -> Callable[[Any, Any], Any]:
    """Return the method of numbers that records an operation on this one and another, as `apply` does, but quickly."""
    value, shorter, mark = VALUE[op], SHORTER.get(op), MARK[op]

    def method(self: Number, other: Any) -> Any:
        if not isinstance(other, Number):
            if is_array(other):
                return NotImplemented
            other = self.tape.constant(other)
        if self.op == "constant" and other.op == "constant":
            return self.tape.constant(value(self.args[0], other.args[0]))
        short = None if shorter is None else shorter(self, other)
        return self.record(op, mark(self, other), other) if short is None else short

    return method


def swapped(op: str) -> Callable[[Any, Any], Any]:
    """Return the method of numbers that records an operation on another one and this."""
    return lambda self, other: self.lift(other).apply(op, self)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Number(Later):
    """A number that is computed later: an operation and its operands.

    op : what makes it; args : of what; owner : the kind of link that has one of these each, None if there is but one;
    mark : its value modulo PRIME at random places, by which equal numbers know each other; index : its place; trial :
    its value and error where they are tried; wild : the quotients and roots in it, by their index; scope : the loops in
    whose turns it is made, from without.
    """

    tape: Tape
    op: str
    args: tuple[Any, ...]
    owner: int | None
    mark: int
    index: int
    trial: Trial
    wild: frozenset[int]
    scope: tuple[int, ...] = ()

    def lift(self, other: Any) -> Number:
        """Return a plain number as one of this recording."""
        return other if isinstance(other, Number) else self.tape.constant(other)

    def record(self, op: str, mark: int, *others: Number) -> Number:
        """Return the result of an operation on this number and others."""
        return self.tape.write(op, (self, *others), mark, owner_of(self, *others))

    @property
    def operand(self) -> Number:
        """What an operation on one number is done to."""
        own: Number = self.args[0]
        return own

    @property
    def value(self) -> float | None:
        """What a constant is; None of all others."""
        return self.args[0] if self.op == "constant" else None

    def apply(self, op: str, *others: Any) -> Any:
        """Return the result of an operation on this number and others: known now, shorter, or recorded."""
        numbers = (self, *[self.lift(x) for x in others])
        if self.op == "constant" and all(x.op == "constant" for x in numbers):
            return self.tape.constant(VALUE[op](*[x.args[0] for x in numbers]))
        shorter = SHORTER[op](*numbers) if op in SHORTER else None
        return self.record(op, MARK[op](*numbers), *numbers[1:]) if shorter is None else shorter

    __add__ = __radd__ = binary("+")
    __sub__, __rsub__ = binary("-"), swapped("-")
    __mul__ = __rmul__ = binary("*")
    __neg__, inverse = unary("negative"), unary("inverse")
    sin, cos, sqrt = unary("sin"), unary("cos"), unary("sqrt")
    atan2, maximum, minimum = binary("atan2"), binary("max"), binary("min")
    arctan2 = atan2  # NumPy's name for it, which `np.arctan2` looks for
    __invert__ = unary("not")  # of a truth

    def __pos__(self) -> Number:
        """Return the number itself."""
        return self

    def __truediv__(self, other: Any) -> Any:
        """Return the quotient: the product with the inverse, which others may use too."""
        return NotImplemented if is_array(other) else self * self.lift(other).inverse()

    def __rtruediv__(self, other: Any) -> Any:
        """Return the quotient the other way round."""
        return self.lift(other) * self.inverse()

    def __pow__(self, exponent: int) -> Any:
        """Return a whole power."""
        if not isinstance(exponent, int | np.integer) or exponent < 1:
            raise TypeError(f"a recording knows whole powers, not {exponent!r}")
        return self if exponent == 1 else self * self ** (exponent - 1)

    def conjugate(self) -> Number:
        """Return the number itself, which is real: `np.vdot`, `np.var` and norms along axes ask for it."""
        return self

    def radians(self) -> Any:
        """Return an angle in radians, which `np.radians` asks for."""
        return self * (math.pi / 180)

    def degrees(self) -> Any:
        """Return an angle in degrees, which `np.degrees` asks for."""
        return self * (180 / math.pi)

    def tan(self) -> Any:
        """Return the tangent."""
        return self.sin() / self.cos()

    def arctan(self) -> Any:
        """Return the angle of a tangent."""
        return self.atan2(1)

    def arccos(self) -> Any:
        """Return the angle of a cosine."""
        return ((1 - self) * (1 + self)).sqrt().atan2(self)

    def above_zero(self) -> Any:
        """Return whether it is above zero: a truth that is found later, or now if it is known."""
        return self.args[0] > 0 if self.op == "constant" else self.apply("positive")

    def __and__(self, other: Any) -> Any:
        """Return whether both are true."""
        if isinstance(other, bool | np.bool_):
            return self if other else False
        return NotImplemented if is_array(other) else self.apply("and", other)

    __rand__ = __and__

    def where(self, a: Any, b: Any) -> Any:
        """Return `a` where this is true, `b` where it is not."""
        return self.apply("where", a, b)

    def __bool__(self) -> bool:
        """Refuse to be judged: the value comes later."""
        raise TypeError("a recorded number has no value yet, and no branch can hang on it")


@functools.cache
def cross_takes_mixed_arrays() -> bool:
    """Whether `np.cross` takes arrays of objects some of which are plain numbers: before NumPy 2.1 it does not."""
    try:
        np.cross(np.array([Fraction(1), 0, 0.5], object), np.ones(3))
    except TypeError:
        return False
    return True


@contextmanager
def at_a_stretch() -> Iterator[None]:
    """Keep Python from looking for garbage meanwhile: in what only grows it finds none, in a third of the time."""
    looks = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looks:
            gc.enable()


@contextmanager
def quietly() -> Iterator[None]:
    """Let a function be called with numbers that are only recorded: NumPy takes them, and says nothing of values.

    Each number is tried at values of its own (`tried`), at which a root or a quotient may be undefined. NumPy's flags
    of that are no affair of the function's.
    """
    with np.errstate(all="ignore"), with_cross():
        yield


@contextmanager
def with_cross() -> Iterator[None]:
    """Let `np.cross` take mixed arrays meanwhile; all others it treats as ever, for other threads too."""
    if cross_takes_mixed_arrays():
        yield
        return
    own = np.cross

    def cross(a: Any, b: Any, *args: Any, **options: Any) -> Any:
        x, y = np.asarray(a), np.asarray(b)
        if (
            args
            or options
            or "O" not in (x.dtype.char, y.dtype.char)
            or x.shape[-1:] != y.shape[-1:]
            or x.shape[-1:] != (3,)
        ):
            return own(a, b, *args, **options)
        return np.stack(
            [x[..., i] * y[..., j] - x[..., j] * y[..., i] for i, j in ((1, 2), (2, 0), (0, 1))], -1
        )

    np.cross = cross
    try:
        yield
    finally:
        np.cross = own


def as_numbers(tape: Tape, x: Any) -> Array:
    """Return an array's entries as numbers of a recording."""
    entries = np.empty(np.shape(x), object)
    for place, entry in np.ndenumerate(np.asarray(x, object)):
        entries[place] = entry if isinstance(entry, Number) else tape.constant(entry)
    return entries


def reached_from(roots: Iterable[Number]) -> list[Number]:
    """Return all numbers that these are made of, and themselves, in the order of their making."""
    seen: dict[int, Number] = {}
    waiting = list(roots)
    while waiting:
        x = waiting.pop()
        if x.index not in seen:
            seen[x.index] = x
            waiting.extend(arg for arg in x.args if isinstance(arg, Number))
    return [seen[i] for i in sorted(seen)]
