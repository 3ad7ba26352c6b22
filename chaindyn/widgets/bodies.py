"""Links as bodies to look at: round ones made of where their joints sit, and those that have the same inertia.

Everything is in the link's own frame, in metres, as the page takes it (`stage.js`): a capsule or cylinder from one
point to another, or a box or ellipsoid with its axes (columns of R), centre and three sides or diameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chaindyn import Chain

THICKNESS = 0.04  # radius of the heaviest link, in reaches of the chain
THINNEST = 0.55  # of the lightest, in radii of the heaviest
Shape = dict[str, Any]


def bodies_of(chain: Chain, tip: ArrayLike, reach: float) -> dict[str, Any]:
    """Return what the page draws of a chain's links and joints.

    tip : (3,) end of the last link in its frame [m]; reach [m] sets the thickness. The result has `radius` (n,),
    and for each link the shapes of `links`, which lead to its children's seats, of `joints`, in its own frame, of
    `seats`, on its parent, and one `box` and one `ellipsoid` with the same mass, centre and inertia at uniform
    density, None for a link without volume.
    """
    radius = _radii(chain, reach)
    n = range(chain.n)
    return {
        "radius": radius,
        "links": [
            [
                shape
                for end, axis in _ends(chain, i, tip, radius[i])
                for shape in leg(end, axis, radius[i])
            ]
            for i in n
        ],
        "joints": [_joint(chain, i, radius) for i in n],
        "seats": [_seat(chain, i, radius) for i in n],
        "box": [same_inertia(chain, i, "box") for i in n],
        "ellipsoid": [same_inertia(chain, i, "ellipsoid") for i in n],
    }


def _radii(chain: Chain, reach: float) -> np.ndarray:
    """Return a radius for each link (n,), thicker for the heavier: its section goes with its mass."""
    share = np.sqrt(chain.mass / (chain.mass.max() or 1.0))
    return np.asarray(THICKNESS * reach * np.maximum(share, THINNEST))


def _ends(
    chain: Chain, i: int, tip: ArrayLike, radius: float
) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """Return where link i leads to, and the axis of the joint that sits there, if one turns there.

    A leaf leads to the tip or centre of mass, less the radius of its round end, which then reaches that point.
    """
    ends = []
    for k in range(chain.n):
        if chain.parent[k] == i:
            axis = chain.rotation[k] @ _axis(chain, k) if _kind(chain, k) == "Revolute" else None
            ends.append((np.asarray(chain.offset[k], float), axis))
    if not ends:
        last = np.asarray(tip, float) if i == chain.n - 1 else np.asarray(chain.com[i], float)
        length = np.linalg.norm(last)
        ends.append((last * max(0.5, 1 - radius / length) if length else last, None))
    return ends


def leg(end: np.ndarray, axis: np.ndarray | None, radius: float) -> list[Shape]:
    """Return the capsules of a link that leads from its origin to `end`: across the next hinge's axis, then along it.

    So the housing of a hinge lies along its axis, as those of real arms do; it is a little thicker, so that one of two
    round ends is seen where they meet. axis : (3,) unit, or None for one capsule.
    """
    along = np.zeros(3) if axis is None else (axis @ end) * axis
    points = [np.zeros(3), end - along, end]
    pieces = zip(points[:-1], points[1:], (radius, 1.03 * radius), strict=True)
    return [
        {"shape": "capsule", "from": a, "to": b, "radius": r}
        for a, b, r in pieces
        if np.linalg.norm(b - a) > 1e-9
    ]


def _joint(chain: Chain, i: int, radius: np.ndarray) -> list[Shape]:
    """Return the drum of a hinge, along its axis, or the block of a slide; both ride on the link.

    The drum is wider and longer than the ends of both links that it joins.
    """
    axis, r, parent = _axis(chain, i), radius[i], chain.parent[i]
    if _kind(chain, i) == "Revolute":
        r = max(r, radius[parent]) if parent >= 0 else r
        half = 1.2 * r * axis
        return [{"shape": "cylinder", "from": -half, "to": half, "radius": 1.12 * r}]
    if _kind(chain, i) == "Prismatic":
        return [_block(axis, 2.2 * r * np.array([1, 1, 1.4]))]
    return []


def _seat(chain: Chain, i: int, radius: np.ndarray) -> list[Shape]:
    """Return the guide that a slide comes out of, in the joint's frame at zero; nothing for other joints."""
    if _kind(chain, i) != "Prismatic":
        return []
    return [_block(_axis(chain, i), 2.9 * radius[i] * np.array([1, 1, 0.8]))]


def _block(axis: np.ndarray, sides: np.ndarray) -> Shape:
    """Return a box about the origin whose third side lies along an axis."""
    aside = np.eye(3)[np.argmin(np.abs(axis))]
    x = np.cross(aside, axis) / np.linalg.norm(np.cross(aside, axis))
    R = np.stack([x, np.cross(axis, x), axis], axis=-1)
    return {"shape": "box", "R": R, "centre": np.zeros(3), "sides": sides}


def same_inertia(chain: Chain, i: int, shape: str) -> Shape | None:
    """Return the uniform box or ellipsoid with the mass, centre of mass and inertia of link i; None without mass.

    About its centre a box with sides a, b, c has the moments m (b^2 + c^2)/12, ...; an ellipsoid with diameters a, b,
    c has m (b^2 + c^2)/20, ...: with k = 12 or 20, a^2 = k (I_2 + I_3 - I_1) / 2m. A rod gets sides of length zero.
    """
    mass = float(chain.mass[i])
    if mass == 0:
        return None
    moments, axes = np.linalg.eigh(np.asarray(chain.inertia[i], float))
    if np.linalg.det(axes) < 0:
        axes = axes * [1, 1, -1]
    k = {"box": 12, "ellipsoid": 20}[shape]
    squares = k * (moments.sum() / 2 - moments) / mass
    sides = np.sqrt(np.maximum(squares, 0))
    return {"shape": shape, "R": axes, "centre": np.asarray(chain.com[i], float), "sides": sides}


def _kind(chain: Chain, i: int) -> str:
    return type(chain.joints[i]).__name__


def _axis(chain: Chain, i: int) -> np.ndarray:
    axis = np.asarray(getattr(chain.joints[i], "axis", (0, 0, 1)), float)
    return np.asarray(axis / np.linalg.norm(axis))
