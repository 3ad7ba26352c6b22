"""What the explorers of a chain share: the tree that travels to the page, and the checks of what they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chaindyn import Chain
from chaindyn.widgets.bodies import bodies_of

VIEWS = {
    "space": "space",
    "xy": "x\u2013y",
    "xz": "x\u2013z",
    "yz": "y\u2013z",
}  # by their names on the page


def joint_kinds(chain: Chain) -> list[str]:
    """Return the joints' kinds by name: in a chapter's notebook the joints are classes of its own cells."""
    return [type(joint).__name__ for joint in chain.joints]


def require_drawable(chain: Chain) -> None:
    """Refuse a chain with a joint that the page does not pose, naming its link."""
    for name, kind in zip(chain.names, joint_kinds(chain), strict=True):
        if kind not in ("Revolute", "Prismatic", "Fixed"):
            raise ValueError(
                f"joint of link {name!r} is {kind}: only revolute, prismatic and fixed can be shown"
            )


def tree_of(chain: Chain) -> dict[str, Any]:
    """Return what the page needs of a chain to pose and to move it."""
    return {
        "names": chain.names,
        "parent": chain.parent,
        "kind": joint_kinds(chain),
        "axis": [getattr(joint, "axis", (0, 0, 0)) for joint in chain.joints],
        "column": [columns[0] if columns else None for columns in map(list, chain.q_columns)],
        "offset": chain.offset,
        "rotation": chain.rotation,
        "com": chain.com,
        "mass": chain.mass,
        "inertia": chain.inertia,
        "gravity": chain.gravity,
    }


def scene_of(chain: Chain, tip: ArrayLike | None, limits: ArrayLike | None) -> dict[str, Any]:
    """Return the tree, where its last link ends, how far it and its sliders reach, and what it looks like."""
    tip = chain.com[-1] if tip is None else shaped("tip", tip, (3,))
    reach = reach_of(chain, tip)
    return {
        **tree_of(chain),
        "tip": tip,
        "reach": reach,
        "limits": limits_of(chain, limits, reach),
        "bodies": bodies_of(chain, tip, reach),
    }


def reach_of(chain: Chain, tip: np.ndarray) -> float:
    """Return how far from the ground the chain could stretch, were its joints to let it [m]."""
    step = np.linalg.norm(chain.offset, axis=-1)
    last = np.linalg.norm([*chain.com[:-1], tip], axis=-1)
    return max(step[list(chain.path(i))].sum() + last[i] for i in range(chain.n)) or 1.0


def limits_of(chain: Chain, limits: ArrayLike | None, reach: float) -> np.ndarray:
    """Return the range of each coordinate (nq, 2): as given, or a turn either way, or a slide by the reach."""
    if limits is not None:
        limits = shaped("limits", limits, (chain.nq, 2))
        for k, (lower, upper) in enumerate(limits):
            if not lower < upper:
                raise ValueError(
                    f"limits[{k}] (link {chain.link_of('nq', k)!r}) is {lower:g} to {upper:g}: "
                    "the first must be below the second"
                )
        return limits
    largest = [
        np.pi if kind == "Revolute" else reach for kind in joint_kinds(chain) if kind != "Fixed"
    ]
    return np.outer(largest, [-1, 1]).reshape(-1, 2)


def shaped(name: str, x: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    """Return the argument of this name as floats; ValueError unless it is finite and of this shape."""
    x = np.asarray(x, float)
    if x.shape != shape or not np.isfinite(x).all():
        raise ValueError(f"{name} has shape {x.shape}, but must be finite and of shape {shape}")
    return x
