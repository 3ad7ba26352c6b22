"""Numbers that record what is done to them, and know when two of them are equal."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chaindyn import _ops

__all__: list[str] = []

Array = Any

# so large that two different formulas agree once in 10^18; modulo 2^61 - 1 the powers of two would repeat
PRIME = 2**61 - 2373
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


@functools.lru_cache(100_000)
def mark_of_constant(value: float) -> int:
    """Return a number as an element of the field modulo PRIME, an integer or a ratio exactly."""
    if value in (np.inf, -np.inf) or value != value:
        return mark_of("constant", str(value))
    above, below = value.as_integer_ratio()
    return above * pow(below, -1, PRIME) % PRIME


def mark_of(*words: Any) -> int:
    """Return an element of the field drawn for these words: the same for the same words, on every machine."""
    text = repr(words).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") % PRIME


@dataclass(frozen=True, eq=False, repr=False)
class Tape:
    """What was recorded: numbers in the order of their making, and each by its owner and its mark.

    expectations : numbers that must come out positive for the recording to hold; most : how many numbers it may have.
    """

    numbers: list[Number] = field(default_factory=list)
    known: dict[tuple[int | None, int], Number] = field(default_factory=dict)
    expectations: list[Number] = field(default_factory=list)
    most: int | None = None

    def write(self, op: str, args: tuple[Any, ...], mark: int, owner: int | None = None) -> Number:
        """Return the number with this mark, recorded now if it is not known yet.

        Equal marks are equal formulas: what was computed before is not computed again, in whatever way it was written.
        """
        if (none := self.known.get((None, mark))) is not None:
            return none
        if owner is not None and (mine := self.known.get((owner, mark))) is not None:
            return mine
        if op not in ("constant", "negative"):
            for whose in (owner, None):
                if (opposite := self.known.get((whose, PRIME - mark))) is not None:
                    return -opposite
        most = MOST if self.most is None else self.most
        if len(self.numbers) >= most:
            raise CannotRecord(f"it takes more than {most} operations, link by link")
        number = Number(self, op, args, owner, mark, len(self.numbers))
        self.numbers.append(number)
        self.known[owner, mark] = number
        return number

    def constant(self, value: Any) -> Number:
        """Return a number whose value is known now."""
        value = float(value)
        return self.write("constant", (value,), mark_of_constant(value))

    def unknown(self, op: str, *args: Any, owner: int | None = None) -> Number:
        """Return a number of which nothing is known: an entry of an argument, a parameter of the model."""
        return self.write(op, args, mark_of(op, owner, args), owner)


def owner_of(*numbers: Number) -> int | None:
    """Return whose a result of these numbers is: of a kind of link, or of nobody if all are nobody's."""
    owners = {x.owner for x in numbers} - {None}
    if len(owners) > 1:
        raise TypeError("numbers of different kinds of link meet")
    return owners.pop() if owners else None


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Number(Later):
    """A number that is computed later: an operation and its operands.

    op : what makes it; args : of what; owner : the kind of link that has one of these each, None if there is but one;
    mark : its value modulo PRIME at random places, by which equal numbers know each other; index : its place.
    """

    tape: Tape
    op: str
    args: tuple[Any, ...]
    owner: int | None
    mark: int
    index: int

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

    def __add__(self, other: Any) -> Number:
        """Return the sum."""
        if hasattr(other, "__array_namespace__"):  # arrays do it entry by entry
            return NotImplemented
        x, y = self, self.lift(other)
        if x.op == "constant" and y.op == "constant":
            return x.tape.constant(x.args[0] + y.args[0])
        if x.mark == 0:
            return y
        if y.mark == 0:
            return x
        if y.op == "negative":
            return x - y.operand
        if x.op == "negative":
            return y - x.operand
        return x.record("+", (x.mark + y.mark) % PRIME, y)

    __radd__ = __add__

    def __neg__(self) -> Number:
        """Return the opposite."""
        if self.op == "constant":
            return self.tape.constant(-self.args[0])
        if self.op == "negative":
            return self.operand
        return self.record("negative", -self.mark % PRIME)

    def __pos__(self) -> Number:
        """Return the number itself."""
        return self

    def __sub__(self, other: Any) -> Number:
        """Return the difference."""
        if hasattr(other, "__array_namespace__"):  # arrays do it entry by entry
            return NotImplemented
        x, y = self, self.lift(other)
        if x.op == "constant" and y.op == "constant":
            return x.tape.constant(x.args[0] - y.args[0])
        if y.mark == 0:
            return x
        if x.mark == 0:
            return -y
        if x.mark == y.mark:
            return x.tape.constant(0)
        if y.op == "negative":
            return x + y.operand
        if x.op == "negative":
            return -(x.operand + y)
        return x.record("-", (x.mark - y.mark) % PRIME, y)

    def __rsub__(self, other: Any) -> Number:
        """Return the difference the other way round."""
        return self.lift(other) - self

    def __mul__(self, other: Any) -> Number:
        """Return the product."""
        if hasattr(other, "__array_namespace__"):  # arrays do it entry by entry
            return NotImplemented
        x, y = self, self.lift(other)
        if x.op == "constant" and y.op == "constant":
            return x.tape.constant(x.args[0] * y.args[0])
        for a, b in ((x, y), (y, x)):
            if a.op == "constant":
                if a.args[0] == 0:
                    return a
                if a.args[0] == 1:
                    return b
                if a.args[0] == -1:
                    return -b
        if x.op == "negative":
            return -(x.operand * y)
        if y.op == "negative":
            return -(x * y.operand)
        return x.record("*", x.mark * y.mark % PRIME, y)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Number:
        """Return the quotient: the product with the inverse, which others may use too."""
        if hasattr(other, "__array_namespace__"):  # arrays do it entry by entry
            return NotImplemented
        return self * self.lift(other).inverse()

    def __rtruediv__(self, other: Any) -> Number:
        """Return the quotient the other way round."""
        return self.lift(other) * self.inverse()

    def inverse(self) -> Number:
        """Return one over this number."""
        if self.op == "constant":
            return self.tape.constant(1 / self.args[0])
        if self.op == "negative":
            return -self.operand.inverse()
        mark = pow(self.mark, -1, PRIME) if self.mark else mark_of("inverse", self.index)
        return self.record("inverse", mark)

    def __pow__(self, exponent: int) -> Number:
        """Return a whole power."""
        if not isinstance(exponent, int | np.integer) or exponent < 1:
            raise TypeError(f"a recording knows whole powers, not {exponent!r}")
        return self if exponent == 1 else self * self ** (exponent - 1)

    def sin(self) -> Number:
        """Return the sine; its mark and the cosine's lie on the unit circle, so that their squares add up to one."""
        if self.op == "constant":
            return self.tape.constant(np.sin(self.args[0]))
        t = mark_of("angle", self.mark)
        return self.record("sin", 2 * t * pow(1 + t * t, -1, PRIME) % PRIME)

    def cos(self) -> Number:
        """Return the cosine."""
        if self.op == "constant":
            return self.tape.constant(np.cos(self.args[0]))
        t = mark_of("angle", self.mark)
        return self.record("cos", (1 - t * t) * pow(1 + t * t, -1, PRIME) % PRIME)

    def sqrt(self) -> Number:
        """Return the square root."""
        if self.op == "constant":
            return self.tape.constant(np.sqrt(self.args[0]))
        return self.record("sqrt", mark_of("sqrt", self.mark))

    def atan2(self, other: Any) -> Number:
        """Return the angle of the point (other, self)."""
        x = self.lift(other)
        if self.op == "constant" and x.op == "constant":
            return self.tape.constant(np.arctan2(self.args[0], x.args[0]))
        return self.record("atan2", mark_of("atan2", self.mark, x.mark), x)

    arctan2 = atan2  # NumPy's name for it, which `np.arctan2` looks for

    def above_zero(self) -> Any:
        """Return whether it is above zero: a truth that is found later, or now if it is known."""
        if self.op == "constant":
            return self.args[0] > 0
        return self.record("positive", mark_of("positive", self.mark))

    def maximum(self, other: Any) -> Number:
        """Return the larger of the two."""
        y = self.lift(other)
        if self.op == "constant" and y.op == "constant":
            return self if self.args[0] >= y.args[0] else y
        if self.mark == y.mark:
            return self
        return self.record("max", mark_of("max", *sorted((self.mark, y.mark))), y)

    def minimum(self, other: Any) -> Number:
        """Return the smaller of the two."""
        y = self.lift(other)
        if self.op == "constant" and y.op == "constant":
            return self if self.args[0] <= y.args[0] else y
        if self.mark == y.mark:
            return self
        return self.record("min", mark_of("min", *sorted((self.mark, y.mark))), y)

    def __and__(self, other: Any) -> Any:
        """Return whether both are true."""
        if isinstance(other, bool | np.bool_):
            return self if other else False
        if hasattr(other, "__array_namespace__"):  # arrays do it entry by entry
            return NotImplemented
        return self.record("and", mark_of("and", *sorted((self.mark, other.mark))), other)

    __rand__ = __and__

    def __invert__(self) -> Number:
        """Return whether it is not true."""
        return self.record("not", mark_of("not", self.mark))

    def where(self, a: Any, b: Any) -> Number:
        """Return `a` where this is true, `b` where it is not."""
        x, y = self.lift(a), self.lift(b)
        if x.mark == y.mark:
            return x
        return self.record("where", mark_of("where", self.mark, x.mark, y.mark), x, y)

    def __bool__(self) -> bool:
        """Refuse to be judged: the value comes later."""
        raise TypeError("a recorded number has no value yet, and no branch can hang on it")


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
