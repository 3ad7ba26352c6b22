"""Contacts made by hand: what a search for them would find, of balls and boxes over planes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn import Chain, Free, Link, forward_kinematics


@dataclass(frozen=True)
class Touch:
    """What solvers ask of a contact."""

    bodies: tuple[int, int]
    point: Any
    normal: Any
    gap: float = 0.0
    friction: float = 0.0
    restitution: float = 0.0
    radii: tuple[float, float] = (0.0, np.inf)


def corners(size):
    """The eight corners (8, 3) of a box of these edges about its middle."""
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1], indexing="ij")).reshape(3, 8).T
    return signs * np.asarray(size) / 2


def points_on_plane(chain, points, normal=(0, 0, 1), radius=0.0, margin=np.inf, **more):
    """A finder: points {link: (m, 3)} of links, each the middle of a ball, over a plane through the origin."""
    normal = np.asarray(normal, float) / np.linalg.norm(normal)

    def find(q):
        R, p = forward_kinematics(chain, q)
        found = []
        for link, own in points.items():
            for place in p[link] + np.asarray(own) @ R[link].T:
                gap = float(normal @ place) - radius
                if gap <= margin:
                    at = place - (gap + radius) * normal
                    found.append(Touch((link, -1), at, normal, gap, radii=(radius, np.inf), **more))
        return found

    return find


def box(mass=1.0, size=(1, 1, 1), joint=None, **more):
    """A solid box about its frame's origin."""
    a, b, c = size
    inertia = mass / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    return Link(joint or Free(), mass, (0, 0, 0), inertia, parent="ground", **more)


def ball(mass=1.0, radius=0.1, joint=None, **more):
    """A solid ball about its frame's origin."""
    inertia = 0.4 * mass * radius**2 * np.eye(3)
    return Link(joint or Free(), mass, (0, 0, 0), inertia, parent="ground", **more)


def stack(count, size=(1.0, 1.0, 0.5), friction=0.5):
    """Boxes one upon the other, and a finder of the corners between them."""
    chain = Chain([box(size=size, name=f"box {i}") for i in range(count)])
    low = corners(size)[corners(size)[:, 2] < 0]
    half = size[2] / 2

    def find(q):
        R, p = forward_kinematics(chain, q)
        found = []
        for i in range(count):
            up = np.array([0.0, 0, 1]) if i == 0 else R[i - 1][:, 2]
            ground = 0.0 if i == 0 else up @ p[i - 1] + half
            for place in p[i] + low @ R[i].T:
                gap = float(up @ place - ground)
                found.append(Touch((i, i - 1), place - gap * up, up, gap, friction, 0.0))
        return found

    q = chain.neutral.astype(float).copy()
    q[2::7] = half + size[2] * np.arange(count)
    return chain, find, q
