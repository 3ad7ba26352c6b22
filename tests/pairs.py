"""Pairs of shapes, the same ones in every run and with every version of NumPy: apart, touching, deep, far, parallel."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn import (
    Box,
    Capsule,
    ConvexHull,
    Sphere,
    distance,
    exp_so3,
    rotation_from_quaternion,
)

KINDS = (Sphere, Capsule, Box, ConvexHull)
# "touching" ones are moved by the distance that `distance` gives: a wrong one shows in what others say of them
WAYS = ("apart", "touching", "deep", "far", "parallel")


class Source:
    """Numbers from a seed: of Python's generator, because `random()` is promised to stay what it is."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self, low: float, high: float) -> float:
        return low + (high - low) * self.random.random()

    def vector(self, size: float, *shape: int) -> np.ndarray:
        count = int(np.prod(shape or (3,)))
        return np.array([self.number(-size, size) for _ in range(count)]).reshape(shape or (3,))

    def rotation(self) -> np.ndarray:
        quaternion = self.vector(1, 4)
        return rotation_from_quaternion(quaternion / np.linalg.norm(quaternion))

    def shape(self, kind: type) -> Any:
        if kind is Sphere:
            return Sphere(self.number(0.1, 1))
        if kind is Capsule:
            return Capsule(self.number(0.1, 0.6), self.number(0.2, 2))
        if kind is Box:
            return Box([self.number(0.2, 2) for _ in range(3)])
        return ConvexHull(self.vector(1, int(self.number(4, 24)), 3))


@dataclass(frozen=True, eq=False)
class Pair:
    """Two shapes at two poses (R, p), and how they were placed."""

    way: str
    a: Any
    b: Any
    pose_a: tuple[np.ndarray, np.ndarray]
    pose_b: tuple[np.ndarray, np.ndarray]

    def __str__(self) -> str:
        return f"{type(self.a).__name__}-{type(self.b).__name__}-{self.way}"


def pair_of(kinds: tuple[type, type], way: str, seed: int) -> Pair:
    """Return one pair."""
    source = Source(seed)
    a, b = (source.shape(kind) for kind in kinds)
    spread = {"deep": 0.2, "far": 100.0}.get(way, 1.5)
    R, p = source.rotation(), source.vector(spread)
    pose_b = source.rotation(), source.vector(spread)
    if way == "parallel":  # turned alike, or by a quarter, and shifted along one axis
        axis = R[:, int(source.number(0, 3))]
        turn = exp_so3(np.pi / 2 * round(source.number(0, 1)) * axis)
        pose_b = turn @ R, p + source.number(-3, 3) * axis
    if way in ("apart", "touching"):
        found = distance(a, (R, p), b, pose_b)
        wanted = source.number(0.05, 2) if way == "apart" else 0.0
        p = p + (wanted - found.distance) * found.normal
    return Pair(way, a, b, (R, p), pose_b)


def pairs(each: int, every: int = 1) -> Iterator[Pair]:
    """Yield so many pairs of each two kinds and each way, which is fifty times as many; or every so-manyth of these."""
    cases = itertools.product(itertools.combinations_with_replacement(KINDS, 2), WAYS)
    numbered = (
        (*case, 10_000 * block + k) for block, case in enumerate(cases) for k in range(each)
    )
    for kinds, way, seed in itertools.islice(numbered, 0, None, every):
        yield pair_of(kinds, way, seed)


def cores_of(pair: Pair) -> tuple[Any, Any]:
    """Return both shapes' cores in the world."""
    return pair.a.core.placed(*pair.pose_a), pair.b.core.placed(*pair.pose_b)
