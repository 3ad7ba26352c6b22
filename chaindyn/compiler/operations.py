"""What numbers of a recording are made by: a table for each concern, with a line for each operation.

Whoever adds an operation adds a line to each: what it is worth (VALUE), what its result changes by (SLOPE), how far
rounding moves it (ERROR), the mark by which equal results know each other (MARK), what is left of it where an operand
says more (SHORTER), and its text (IN_BOTH, IN_C, IN_JAVASCRIPT).
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__: list[str] = []

PASSING = ("passing", "one", "other")  # of a column on its way, and of two that meet
SWEPT = ("carried", "received", "grounded", *PASSING)
FOLDS = ("total", "least", "greatest")
STATEMENTS = ("filled", "put", "loop")  # which have no value
UNKNOWN = ("input", "read", "answered", "taken", *SWEPT, *FOLDS, *STATEMENTS)
TRUTHS = ("positive", "and", "not")  # which jump and else stay

# values of operands to that of the result: numbers, or arrays of them
VALUE: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "same": lambda a: a,
    "negative": lambda a: -a,
    "inverse": lambda a: 1 / a,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "atan2": np.arctan2,
    "max": np.maximum,
    "min": np.minimum,
    "positive": lambda a: np.where(np.asarray(a) > 0, 1.0, 0.0),
    "and": lambda a, b: a * b,
    "not": lambda a: 1 - a,
    "where": lambda c, a, b: np.where(np.asarray(c) != 0, a, b),
}

# the result and its operands, and the changes of these, to the change of the result
SLOPE: dict[str, Callable[..., Any]] = {
    "+": lambda x, a, b, da, db: da + db,
    "-": lambda x, a, b, da, db: da - db,
    "*": lambda x, a, b, da, db: da * b + a * db,
    "negative": lambda x, a, da: -da,
    "inverse": lambda x, a, da: -(x * x * da),
    "sin": lambda x, a, da: a.cos() * da,
    "cos": lambda x, a, da: -(a.sin() * da),
    "sqrt": lambda x, a, da: da * (2 * x).inverse(),
    "atan2": lambda x, a, b, da, db: (b * da - a * db) * (a * a + b * b).inverse(),
    "where": lambda x, c, a, b, dc, da, db: c.where(da, db),
}

# values and their errors, before the rounding of the result, to first order
ERROR: dict[str, Callable[..., tuple[float, float]]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[0], a[1] + b[1]),
    "*": lambda a, b: (a[0] * b[0], abs(a[0]) * b[1] + abs(b[0]) * a[1]),
    "negative": lambda a: (-a[0], a[1]),
    "inverse": lambda a: (1 / a[0], a[1] / (a[0] * a[0])),
    "sin": lambda a: (math.sin(a[0]), abs(math.cos(a[0])) * a[1]),
    "cos": lambda a: (math.cos(a[0]), abs(math.sin(a[0])) * a[1]),
    "sqrt": lambda a: (math.sqrt(a[0]), a[1] / math.sqrt(a[0])),
    "same": lambda a: a,
    "read": lambda a, _: a,
    "where": lambda c, a, b: a if c[0] else b,
    "positive": lambda a: (float(a[0] > 0), 0.0),
    "and": lambda a, b: (a[0] * b[0], 0.0),
    "not": lambda a: (1 - a[0], 0.0),
    "max": max,
    "min": min,
}

# marks: values modulo a prime so large that two different formulas agree once in 10^18; modulo 2^61 - 1 the powers of
# two would repeat
PRIME = 2**61 - 2373


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


def on_the_circle(angle: int) -> tuple[int, int]:
    """Return the marks of an angle's cosine and sine, whose squares add up to one: a point of the unit circle."""
    t = mark_of("angle", angle)
    below = pow(1 + t * t, -1, PRIME)
    return (1 - t * t) * below % PRIME, 2 * t * below % PRIME


# operands, as recorded, to the mark of the result
MARK: dict[str, Callable[..., int]] = {
    "+": lambda a, b: (a.mark + b.mark) % PRIME,
    "-": lambda a, b: (a.mark - b.mark) % PRIME,
    "*": lambda a, b: a.mark * b.mark % PRIME,
    "negative": lambda a: -a.mark % PRIME,
    "inverse": lambda a: pow(a.mark, -1, PRIME) if a.mark else mark_of("inverse", a.index),
    "sin": lambda a: on_the_circle(a.mark)[1],
    "cos": lambda a: on_the_circle(a.mark)[0],
    "sqrt": lambda a: mark_of("sqrt", a.mark),
    "atan2": lambda a, b: mark_of("atan2", a.mark, b.mark),
    "max": lambda a, b: mark_of("max", *sorted((a.mark, b.mark))),
    "min": lambda a, b: mark_of("min", *sorted((a.mark, b.mark))),
    "positive": lambda a: mark_of("positive", a.mark),
    "and": lambda a, b: mark_of("and", *sorted((a.mark, b.mark))),
    "not": lambda a: mark_of("not", a.mark),
    "where": lambda c, a, b: mark_of("where", c.mark, a.mark, b.mark),
}


def shorter_sum(x: Any, y: Any) -> Any:
    """Return x + y where one is zero or an opposite."""
    for a, b in ((x, y), (y, x)):
        if a.mark == 0:
            a.tape.leave_out(a)
            return b
    if y.op == "negative":
        return x - y.operand
    return y - x.operand if x.op == "negative" else None


def shorter_difference(x: Any, y: Any) -> Any:
    """Return x - y where one is zero or an opposite, or both are equal."""
    if y.mark == 0 or x.mark == 0:
        x.tape.leave_out(y if y.mark == 0 else x)
        return x if y.mark == 0 else -y
    if x.mark == y.mark:
        x.tape.leave_out(x, y)
        return x.tape.constant(0)
    if y.op == "negative":
        return x + y.operand
    return -(x.operand + y) if x.op == "negative" else None


def shorter_product(x: Any, y: Any) -> Any:
    """Return x y where one is 0, 1, -1 or an opposite."""
    for a, b in ((x, y), (y, x)):
        if a.op != "constant":
            continue
        if a.args[0] == 0:
            a.tape.leave_out(b)
            return a
        if a.args[0] in (1, -1):
            return b if a.args[0] == 1 else -b
    if x.op == "negative":
        return -(x.operand * y)
    return -(x * y.operand) if y.op == "negative" else None


# operands, as recorded, to what needs no operation of this kind, None where nothing is shorter
SHORTER: dict[str, Callable[..., Any]] = {
    "+": shorter_sum,
    "-": shorter_difference,
    "*": shorter_product,
    "negative": lambda x: x.operand if x.op == "negative" else None,
    "inverse": lambda x: -x.operand.inverse() if x.op == "negative" else None,
    "max": lambda x, y: x if x is y else None,
    "min": lambda x, y: x if x is y else None,
    "where": lambda _, x, y: x if x is y else None,
}

# text, the same in C and in JavaScript
IN_BOTH = {
    "+": "{}+{}",
    "-": "{}-{}",
    "*": "{}*{}",
    "and": "{}*{}",
    "negative": "-{}",
    "inverse": "1.0/{}",
    "not": "1.0-{}",
}

# text of functions: in C words that mean something for one state and for several side by side
IN_C = {
    "sin": "SIN({})",
    "cos": "COS({})",
    "sqrt": "SQRT({})",
    "atan2": "ATAN2({},{})",
    "max": "MAX({},{})",
    "min": "MIN({},{})",
    "positive": "POSITIVE({})",
    "where": "WHERE({},{},{})",
}
IN_JAVASCRIPT = {
    "sin": "Math.sin({})",
    "cos": "Math.cos({})",
    "sqrt": "Math.sqrt({})",
    "atan2": "Math.atan2({},{})",
    "max": "Math.max({},{})",
    "min": "Math.min({},{})",
    "positive": "{}>0?1.0:0.0",
    "where": "{}!==0?{}:{}",
}
