"""What a link may carry beside its body: the drive of its joint, the joint's limits, a named frame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

__all__ = ["Drive", "Frame", "Limits"]


@dataclass(frozen=True, eq=False)
class Drive:
    """The motor of a joint and its gear: reflected inertia and friction.

    rotor_inertia : of the rotor about its own axis [kg m^2]; gear_ratio : its turns for each turn of the joint, or,
    where the joint slides, its radians for each metre. The joint feels the reflected inertia
    gear_ratio^2 rotor_inertia [kg m^2, kg]. viscous : friction for each unit of the joint's rate [N m s, N s/m];
    coulomb : friction whatever the rate [N m, N]; both as the joint feels them: see `joint_friction`. One number each,
    or one for each rate of the joint.
    """

    rotor_inertia: Any = 0
    gear_ratio: Any = 1
    viscous: Any = 0
    coulomb: Any = 0


@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of a joint's coordinates, rates and forces; infinite is no limit.

    lower, upper : of its coordinates [rad, m]; velocity : of the size of its rates [rad/s, m/s]; effort : of the size
    of its forces [N m, N]. One number each, or one for each coordinate or rate. `assemble` keeps lower and upper; the
    dynamics enforces none of them.
    """

    lower: Any = -math.inf
    upper: Any = math.inf
    velocity: Any = math.inf
    effort: Any = math.inf


@dataclass(frozen=True, eq=False)
class Frame:
    """A named pose on a link or on the ground: a tool, a camera, the corner of a table.

    link : index or name of the link that carries it, "ground", or None for the only leaf; offset (3,) [m] of its origin
    and rotation (3, 3) of its axes there: the frame's point x is ``offset + rotation @ x`` in the link's frame. The
    values are checked when a `Chain` is made with it.
    """

    name: str
    link: int | str | None
    offset: Any = (0, 0, 0)
    rotation: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
