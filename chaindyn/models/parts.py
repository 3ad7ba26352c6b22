"""What a link may carry beside its body: its joint's drive and limits, a named frame; and where one is to go."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

__all__ = ["Drive", "Frame", "Limits", "Target"]


@dataclass(frozen=True, eq=False)
class Drive:
    """The motor of a joint and its gear: reflected inertia and friction.

    rotor_inertia : of the rotor about its own axis [kg m^2]; gear_ratio : its turns for each turn of the joint, or,
    where the joint slides, its radians for each metre. The joint feels the reflected inertia
    gear_ratio^2 rotor_inertia [kg m^2, kg]. viscous : friction for each unit of the joint's rate [N m s, N s/m];
    coulomb : friction whatever the rate [N m, N]; both as the joint feels them: see `joint_friction`. One number each,
    or one for each rate of the joint.

    >>> I, motor = np.diag([0, 1, 1]) / 12, Drive(rotor_inertia=1e-4, gear_ratio=100)
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, drive=motor)])
    >>> crba(rod, np.zeros(1)).round(4)
    array([[1.3333]])
    """

    rotor_inertia: Any = 0
    gear_ratio: Any = 1
    viscous: Any = 0
    coulomb: Any = 0


@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of a joint's coordinates, rates and forces; infinite is no limit.

    lower, upper : of its coordinates [rad, m]; velocity : of the size of its rates [rad/s, m/s]; effort : of the size
    of its forces [N m, N]. One number each, or one for each coordinate or rate. `assemble` and `inverse_kinematics`
    keep lower and upper; the dynamics enforces none of them.

    >>> I, limits = np.diag([0, 1, 1]) / 12, Limits(-1, 1)
    >>> rod = Chain([Link(Revolute(), 1, (0.5, 0, 0), I, limits=limits)])
    >>> within_limits(rod, np.array([[0.5], [1.5]]))
    array([ True, False])
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

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, name="rod")
    >>> chain = Chain([rod], frames=[Frame("tip", "rod", (1, 0, 0))])
    >>> R, p = forward_kinematics(chain, np.array([-np.pi / 2]), "tip")
    >>> p.round(9) + 0.0
    array([0., 0., 1.])
    """

    name: str
    link: int | str | None
    offset: Any = (0, 0, 0)
    rotation: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@dataclass(frozen=True, eq=False)
class Target:
    """Where a body is to go, for `inverse_kinematics`: a place, an attitude or both.

    body : index or name of a link, or a frame's name, None is the only leaf. position : (..., 3) of its origin in the
    world [m]; rotation : (..., 3, 3), which takes its axes to the world's; None leaves it free. weights : of the
    angle that is missing [1/rad], and of the way [1/m].

    >>> Target("flange", position=(0.4, 0.2, 0.5)).weights
    (1, 1)
    """

    body: int | str | None = None
    position: Any = None
    rotation: Any = None
    weights: Any = (1, 1)
