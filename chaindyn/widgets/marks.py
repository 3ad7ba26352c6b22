"""What a sketch is drawn of: arrows, rods, boxes and other marks, whose numbers may still be recorded ones.

All places are in metres, in world axes; colours are those of the palette in `base.css`, by name. A mark with `symbol`,
in TeX, stands for that symbol in the formulas around the sketch; `words` say what it is in the sketch's key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from chaindyn import Chain, forward_kinematics

Colour = Literal[
    "ink", "faint", "motion", "force", "slide", "x", "y", "z", "body", "struck", "joint", "wall"
]

Shapes = dict[str, tuple[int | None, ...]]


@dataclass(frozen=True)
class Mark:
    """What every mark may say of itself; subclasses bring its numbers, as fields that are arrays of `SHAPES`."""

    SHAPES: ClassVar[Shapes] = {}

    @property
    def numbers(self) -> dict[str, np.ndarray]:
        """The fields that are numbers. ValueError if one has another shape than its kind of mark needs."""
        found = {name: np.asarray(getattr(self, name)) for name in self.SHAPES}
        for name, shape in self.SHAPES.items():
            given = found[name].shape
            fits = len(given) == len(shape) and all(
                k is None or k == size for k, size in zip(shape, given, strict=True)
            )
            if not fits:
                wanted = str(shape).replace("None", "k")
                raise ValueError(
                    f"{name} of {type(self).__name__} has shape {given}, but must have {wanted}"
                )
        return found

    @property
    def looks(self) -> dict[str, Any]:
        """The other fields, and the kind of mark."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in self.SHAPES}
        return {"kind": type(self).__name__, **own}


@dataclass(frozen=True)
class Arrow(Mark):
    """A vector from `start` (3,), as long as `along` (3,); `name` stands at its head."""

    start: ArrayLike
    along: ArrayLike
    colour: Colour = "motion"
    name: str = ""
    symbol: str = ""
    words: str = ""
    SHAPES: ClassVar[Shapes] = {"start": (3,), "along": (3,)}


@dataclass(frozen=True)
class Line(Mark):
    """A line through `points` (k, 3); dashed if `dashed`."""

    points: ArrayLike
    colour: Colour = "ink"
    dashed: bool = False
    name: str = ""
    symbol: str = ""
    words: str = ""
    SHAPES: ClassVar[Shapes] = {"points": (None, 3)}


@dataclass(frozen=True)
class Dot(Mark):
    """A point at `place` (3,), with a name beside it."""

    place: ArrayLike
    name: str = ""
    colour: Colour = "ink"
    symbol: str = ""
    words: str = ""
    SHAPES: ClassVar[Shapes] = {"place": (3,)}


@dataclass(frozen=True)
class Rod(Mark):
    """A round rod from `start` to `end`, (3,) each; `flat` ends make a wheel or a drum of it."""

    start: ArrayLike
    end: ArrayLike
    radius: float = 0.04
    colour: Colour = "body"
    flat: bool = False
    SHAPES: ClassVar[Shapes] = {"start": (3,), "end": (3,)}


@dataclass(frozen=True)
class Box(Mark):
    """A box about `centre` (3,) with its sides (3,) along the columns of R (3, 3)."""

    R: ArrayLike
    centre: ArrayLike
    sides: ArrayLike
    colour: Colour = "body"
    SHAPES: ClassVar[Shapes] = {"R": (3, 3), "centre": (3,), "sides": (3,)}


@dataclass(frozen=True)
class Ball(Mark):
    """A ball about `centre` (3,)."""

    centre: ArrayLike
    radius: float = 0.05
    colour: Colour = "joint"
    SHAPES: ClassVar[Shapes] = {"centre": (3,)}


@dataclass(frozen=True)
class Axes(Mark):
    """A frame: arrows along the columns of R (3, 3) from `origin` (3,)."""

    R: ArrayLike
    origin: ArrayLike
    name: str = ""
    length: float = 0.4
    SHAPES: ClassVar[Shapes] = {"R": (3, 3), "origin": (3,)}


@dataclass(frozen=True)
class Value(Mark):
    """A number under the picture. `against` : the parameter along which the sketch draws it as a curve."""

    name: str
    value: ArrayLike
    unit: str = ""
    digits: int = 2
    against: str = ""
    colour: Colour = "ink"
    symbol: str = ""
    words: str = ""
    SHAPES: ClassVar[Shapes] = {"value": ()}


def rods(
    chain: Chain,
    q: ArrayLike,
    tip: ArrayLike,
    *,
    radius: float = 0.04,
    colour: Colour = "body",
) -> Iterator[Mark]:
    """Yield the links of a chain at q as rods, each from its joint to those of its children, and the joints as balls.

    tip : (3,) where links without children end, in their own frames [m].
    """
    R, p = forward_kinematics(chain, q)
    for i in range(chain.n):
        children = [chain.offset[k] for k in range(chain.n) if chain.parent[k] == i]
        for end in children or [np.asarray(tip, float)]:
            yield Rod(p[i], p[i] + R[i] @ end, radius, colour)
        yield Ball(p[i], 1.5 * radius)
