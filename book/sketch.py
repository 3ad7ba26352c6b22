"""A small picture of a drill, drawn from the drill's own numbers: a few shapes as SVG, with an alternative text.

A drill's picture is a function of its numbers that returns shapes, with points in metres, y up. What it draws is
written once, with a slot for each coordinate: Python fills the slots for other systems (book/bank.py), and a page does
with what the recorded function gives. Lines have the colour of the text around them, so that they are seen on a dark
page.

```
def door(width, speed, force):
    return [sketch.rod((0, 0), (width, 0)), sketch.hinge((width, 0)), sketch.force((0, 0), -90, "{force} N")]

Drill(..., picture=sketch.Picture(door, "A door seen from above.", scale=150))
```
"""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

MARGIN = np.array([120, 72])  # pixels beside and above all points, for arrows and words
LETTER = 7  # pixels of one
INK, PAPER = "var(--pst-color-primary,#05a)", "var(--pst-color-background,#fff)"
Point = tuple[Any, Any]
# text, points, angles, lengths and pixels, in the order in which they are written
Shape = tuple[Any, ...]


@dataclass(frozen=True)
class Angle:
    """Degrees, counterclockwise."""

    degrees: Any


@dataclass(frozen=True)
class Length:
    """Metres that are no coordinate: a radius."""

    metres: Any


@dataclass(frozen=True)
class Picture:
    """Shapes of a drill's numbers, what they show in words, and pixels for a metre."""

    shapes: Callable[..., list[Shape]]
    alt: str
    scale: float

    def numbers(self, given: Mapping[str, Any]) -> list[Any]:
        """What stands in the slots."""
        found = list[Any]()
        for part in itertools.chain(*self.shapes(**given)):
            if isinstance(part, tuple):
                found += [self.scale * part[0], -self.scale * part[1]]
            elif isinstance(part, Angle):
                found.append(-part.degrees)
            elif isinstance(part, Length):
                found.append(self.scale * part.metres)
            elif not isinstance(part, str):
                found.append(part)
        return found

    def template(self, corners: Iterable[Mapping[str, Any]]) -> str:
        """The text of the picture with its slots, {p0}, {p1}, ..., large enough for all of some draws."""
        slots, text, points = itertools.count(), list[str](), list[tuple[float, float]]()
        corners = list(corners)
        for part in itertools.chain(*self.shapes(**corners[0])):
            if isinstance(part, str):
                text.append(part)
            else:
                names = [f"{{p{next(slots)}}}" for _ in range(1 + isinstance(part, tuple))]
                text.append(" ".join(names))
        for given in corners:
            parts = itertools.chain(*self.shapes(**given))
            points += [
                (self.scale * p[0], -self.scale * p[1]) for p in parts if isinstance(p, tuple)
            ]
        left, top = np.floor(np.min(points, axis=0)).astype(int) - MARGIN
        wide, high = np.ceil(np.max(points, axis=0)).astype(int) + MARGIN - (left, top)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {wide} {high}" '
            f'width="{wide}" height="{high}" '
            f'role="img" aria-label="{escape(self.alt)}" font-family="sans-serif" font-size="13" text-anchor="middle" '
            'fill="none" stroke="currentColor">'
        )
        return f"{head}{''.join(text)}</svg>"


def filled(template: str, slots: Iterable[Any], given: Mapping[str, Any]) -> str:
    """A picture with its numbers, to a tenth of a pixel."""
    return template.format(**given, **{f"p{k}": f"{float(x):.1f}" for k, x in enumerate(slots)})


def as_file(svg: str) -> str:
    """A picture that stands alone: black on white, without the colours of a page."""
    plain = re.sub(r"var\(--[\w-]+,(#\w+)\)", r"\1", svg)
    return plain.replace("<svg ", '<svg style="background:#fff;color:#000" ', 1)


def in_base64(svg: str) -> str:
    """The picture of a file, as letters."""
    return base64.b64encode(as_file(svg).encode()).decode()


# Shapes -----------------------------------------------------------------------------------------


def along(at: Point, degrees: Any, length: Any) -> Point:
    """The point at some length from another one, in a direction."""
    turn = np.radians(degrees)
    return at[0] + length * np.cos(turn), at[1] + length * np.sin(turn)


def rod(a: Point, b: Point) -> Shape:
    """A rod between two points."""
    return '<path stroke-width="5" stroke-linecap="round" d="M', a, "L", b, '"/>'


def thin(a: Point, b: Point) -> Shape:
    """A dashed line: an axis, or a measure beside its words."""
    return '<path stroke-dasharray="4 3" d="M', a, "L", b, '"/>'


def wall(a: Point, b: Point) -> Shape:
    """A wall or floor, hatched."""
    return '<path stroke-width="9" stroke-dasharray="1.5 4" d="M', a, "L", b, '"/>'


def hinge(at: Point) -> Shape:
    """A hinge, whose axis comes out of the picture."""
    return f'<circle r="5" fill="{PAPER}" stroke-width="2" transform="translate(', at, ')"/>'


def bead(at: Point) -> Shape:
    """A point mass."""
    return '<circle r="8" fill="currentColor" transform="translate(', at, ')"/>'


def body(at: Point, width: Any, height: Any, degrees: Any = 0) -> Shape:
    """A block about its middle, turned."""
    left, right = along(at, degrees, -width / 2), along(at, degrees, width / 2)
    down, up = -height / 2, height / 2
    ways = (left, down), (right, down), (right, up), (left, up)
    a, b, c, d = (along(end, degrees + 90, h) for end, h in ways)
    return f'<path fill="{PAPER}" stroke-width="2" d="M', a, "L", b, "L", c, "L", d, 'Z"/>'


def force(at: Point, degrees: Any, words: str, pulls: bool = False) -> Shape:
    """An arrow of a force or velocity, whose head is at a point; if it pulls, whose tail is."""
    arrow, sign = ("M2 0H40M31-5L40 0L31 5", 1) if pulls else ("M-40 0H-3M-12-5L-3 0L-12 5", -1)
    far = sign * (50 + (LETTER / 2 * _letters(words) - 4) * np.cos(np.radians(degrees)) ** 2)
    return (
        f'<path stroke="{INK}" stroke-width="2" d="{arrow}" transform="translate(', at, ")rotate(", Angle(degrees),
        ')"/><text stroke="none" fill="currentColor" dy="4" transform="translate(', at, ")rotate(", Angle(degrees),
        ")translate(", far, ")rotate(", Angle(-degrees), f')">{escape(words, quote=False)}</text>',
    )  # fmt: skip


def _letters(words: str) -> int:
    return len(re.sub(r"\{\w+\}", "0.0", words))


def turn(at: Point, words: str, clockwise: bool = False) -> Shape:
    """An arrow around a point: a rate, or a torque."""
    arc = "M17-8A19 19 0 1 0 10 16M1 16.6L10 16L5.5 23.8"
    flip = "scale(-1 1)" if clockwise else ""
    return (
        f'<path stroke="{INK}" stroke-width="2" d="{arc}" transform="translate(', at, f'){flip}"/>',
        *label(at, words, 0, -30),
    )  # fmt: skip


def label(at: Point, words: str, right: int = 0, down: int = 0) -> Shape:
    """Words beside a point, so many pixels from it."""
    place = f'x="{right}" y="{down + 4}" transform="translate('
    return (
        f'<text stroke="none" fill="currentColor" {place}',
        at,
        f')">{escape(words, quote=False)}</text>',
    )


def measure(a: Point, b: Point, words: str, right: int = 0, down: int = 0) -> Shape:
    """A dashed line between two points, and beside its middle what it measures."""
    return *thin(a, b), *label(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), words, right, down)


def dot(at: Point, words: str = "", right: int = 0, down: int = 16) -> Shape:
    """A point with its name."""
    return (
        '<circle r="3" fill="currentColor" transform="translate(',
        at,
        ')"/>',
        *label(at, words, right, down),
    )


def disc(at: Point, radius: Any, filled: bool = True) -> Shape:
    """A disc, a wheel or a ball; or a circle, through which one sees."""
    ends = [along(at, degrees, radius) for degrees in (180, 90, 0, -90, 180)]
    arcs = [
        part
        for end in ends[1:]
        for part in ("A", Length(radius), " ", Length(radius), " 0 0 1 ", end)
    ]
    return (
        f'<path fill="{PAPER if filled else "none"}" stroke-width="2" d="M',
        ends[0],
        *arcs,
        '"/>',
    )


def spring(a: Point, b: Point) -> Shape:
    """A spring between two points."""
    ways = zip(range(1, 10), itertools.cycle((0.06, -0.06)), strict=False)
    x, y = b[0] - a[0], b[1] - a[1]
    turns = [(a[0] + k / 10 * x - side * y, a[1] + k / 10 * y + side * x) for k, side in ways]
    return (
        '<path stroke-width="2" d="M',
        a,
        *[part for end in (*turns, b) for part in ("L", end)],
        '"/>',
    )


def angle(at: Point, start: Any, sweep: Any, words: str, radius: Any, out: Any = None) -> Shape:
    """The arc of an angle of less than half a turn, counterclockwise, and outside its middle what it measures.

    In a narrow angle the words stand further out, where there is room; `out` says where, if that is not good.
    """
    a, b, middle = along(at, start, radius), along(at, start + sweep, radius), start + sweep / 2
    arc = '<path d="M', a, "A", Length(radius), " ", Length(radius), " 0 0 0 ", b, '"/>'
    half = np.radians(sweep / 2)
    aside = 6 + 6 * np.cos(half) / np.sin(half) if out is None else 0
    return (
        *arc, '<text stroke="none" fill="currentColor" dy="4" transform="translate(', at, ")rotate(", Angle(middle),
        ")translate(", Length(1.3 * radius if out is None else out), ")translate(", aside, ")rotate(", Angle(-middle),
        f')">{escape(words, quote=False)}</text>',
    )  # fmt: skip


def axes(x: Any, y: Any, at: Point = (0, 0), names: str = "xy") -> list[Shape]:
    """Two axes from a point, so long."""
    ends = (at[0] + x, at[1]), (at[0], at[1] + y)
    return [
        thin(at, ends[0]),
        thin(at, ends[1]),
        label(ends[0], names[0], 10, 0),
        label(ends[1], names[1], 0, -10),
    ]


def chain(*joints: Point) -> list[Shape]:
    """Rods from point to point, with a hinge where each begins."""
    rods = [rod(a, b) for a, b in itertools.pairwise(joints)]
    return [*rods, *(hinge(at) for at in joints[:-1])]


def cart(at: Point, width: Any, height: Any, words: str = "") -> list[Shape]:
    """A carriage about its middle, on two wheels, with words on it."""
    x, y = at
    wheels = [hinge((x + side * width, y - height / 2)) for side in (-0.3, 0.3)]
    return [body(at, width, height), *wheels, label(at, words)]


def train(*words: str) -> list[Shape]:
    """Carriages in a row from the origin, 1.8 apart, on slides, and what stands on each."""
    carts = [cart((1.8 * k, 0), 1.1, 0.45, on_it) for k, on_it in enumerate(words)]
    slides = [thin((1.8 * k + 0.55, 0), (1.8 * k + 1.25, 0)) for k in range(len(words) - 1)]
    return [*slides, *itertools.chain(*carts)]


def curve(a: Point, towards: Point, b: Point) -> Shape:
    """A parabola between two points; its tangents there meet at a third."""
    return '<path d="M', a, "Q", towards, " ", b, '"/>'


def bounces(heights: Iterable[Any], first: Any, width: Any, start: Any = 0) -> list[Shape]:
    """The flights of a ball that falls from a height, and then rises to others; a fall from 1 goes so far aside."""
    x, arcs = start + width * np.sqrt(first), list[Shape]()
    arcs = [curve((start, first), ((start + x) / 2, first), (x, 0))]
    for height in heights:
        half = width * np.sqrt(height)
        arcs.append(curve((x, 0), (x + half, 2 * height), (x + 2 * half, 0)))
        x = x + 2 * half
    return arcs


def slope(degrees: Any, length: Any, words: str = "{slope}°") -> list[Shape]:
    """A slope that rises to the right from the origin, with the level below it."""
    level = angle((0, 0), 0, degrees, words, length * 0.45)
    return [wall((0, 0), along((0, 0), degrees, length)), thin((0, 0), (length * 0.8, 0)), level]
