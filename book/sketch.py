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

MARGIN = 72  # pixels around all points, for arrows and words
INK, PAPER = "var(--pst-color-primary,#05a)", "var(--pst-color-background,#fff)"
Point = tuple[Any, Any]
Shape = tuple[Any, ...]  # text, points and angles, in the order in which they are written


@dataclass(frozen=True)
class Angle:
    """Degrees, counterclockwise."""

    degrees: Any


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
    """An arrow of a force, whose head is at a point; if it pulls, whose tail is."""
    arrow, far = ("M2 0H40M31-5L40 0L31 5", 56) if pulls else ("M-40 0H-3M-12-5L-3 0L-12 5", -56)
    return (
        f'<path stroke="{INK}" stroke-width="2" d="{arrow}" transform="translate(', at, ")rotate(", Angle(degrees),
        ')"/><text stroke="none" fill="currentColor" dy="4" transform="translate(', at, ")rotate(", Angle(degrees),
        f")translate({far})rotate(", Angle(-degrees), f')">{escape(words, quote=False)}</text>',
    )  # fmt: skip


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
