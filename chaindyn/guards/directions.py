# Generated from chapters/28_when_a_pivot_is_only_rounding.md by `python -m book export`; edit it there.
# sha256 of the text below: e9f042f7eacba19d14d53b6b0486ea996e5362ced93dfa72ff4dfc26cb17be40
"""Directions in which a chain can move by no more than rounding.

Derived in chapter 28, "When a pivot is only rounding".
"""

import warnings

from chaindyn._ops import Array, divide, expect, holds_objects, positive
from chaindyn.guards.numbers import known_values

__all__: list[str] = []


# Chapter 28, "When a pivot is only rounding": Directions in which a chain cannot move
def rounded_motion(turning: Array, p: Array, point: Array) -> Array:
    """Return how much a fixed point (..., 3) seems to yield, for 8 roundings of places.

    turning : (..., 1, 1) trace of the body's response to torques; p : (..., n, 3) the
    origins of the links.
    """
    away = (point * point).sum(-1, keepdims=True)[..., None]
    reach = (p * p).sum((-2, -1), keepdims=True) + away
    return divide(turning * reach, 2**98 if holds_objects(turning) else 2.0**98)


# Chapter 28, "When a pivot is only rounding": Directions in which a chain cannot move
def movable_along(yielding: Array, trace: Array, noise: Array) -> Array:
    """Whether a chain can move along a normal, by its inverse mass there (..., 1, 1).

    trace : that of the point's 3x3 inverse mass; noise : the trace that rounding alone
    can make. RuntimeWarning if it cannot, unless the inverse mass is exactly zero.
    """
    movable = positive(yielding) & positive(10**12 * yielding - trace)
    movable = movable & positive(trace - noise)
    expect(movable)
    if known_values(yielding) is not None and (~movable & (yielding != 0)).any():
        warnings.warn(
            "the chain yields in the direction of the normal by less than 1e-12 of "
            "what "
            "it does in others, or by no more than rounding: taken as a direction in "
            "which it cannot move, with no impulse and infinite effective mass",
            RuntimeWarning,
            stacklevel=5,
        )
    return movable
