# Generated from chapters/27_ten_million_postures.md by `python -m book export`; edit it there.
# sha256 of the text below: 1e927cd8d2391b5ba8e7dc4ce899e76552f4f2cbe70824d597c544b1a004ec87
"""Blows at a metre per second: how heavy a chain is where it strikes, and what its bearings carry.

Derived in chapter 27, "Ten million postures".
"""

from dataclasses import dataclass

import numpy as np

from chaindyn._ops import Array
from chaindyn.chain import Chain, forward_kinematics
from chaindyn.impulse import impact
from chaindyn.kinematics import body_jacobian

__all__: list[str] = []


# Chapter 27, "Ten million postures": The code
@dataclass(frozen=True, eq=False)
class Strike:
    """Response to a blow with the tip, for each metre per second of its speed.

    mass : (...) effective mass [kg], and so the impulse [N s] without bounce; force,
    moment : (..., n), the sizes of the impulse [N s] in each joint's bearings, and of
    its moment about the joint [N m s].
    """

    mass: Array
    force: Array
    moment: Array


def strike(chain: Chain, q: Array, direction: Array, *, body: int | str | None = None) -> Strike:
    """Return the response if a link strikes a wall with its origin moving at 1 m/s
    along a direction, without bounce.

    q : (..., nq); direction : (..., 3), unit vectors in world axes; body : index or
    name of a link, or a frame's name, None for the only leaf. The joints' motion before
    matters only by that speed, since the response is linear in the impulse; the
    smallest such motion is taken. Where the tip cannot move so, the mass is infinite
    and the rest 0.
    """
    row = (body_jacobian(chain, q, body, frame="mixed")[..., 3:, :] * direction[..., None]).sum(-2)
    square = (row * row).sum(-1, keepdims=True)
    qd = row / np.where(square == 0, 1, square)
    blow = impact(chain, q, qd, normal=-direction, restitution=0, body=body)
    moment, force = blow.joint_impulses[..., :3], blow.joint_impulses[..., 3:]
    moment = moment - np.cross(forward_kinematics(chain, q)[1], force)
    return Strike(blow.effective_mass, norm(force), norm(moment))


def norm(x: Array) -> Array:
    """Return the lengths (...) of vectors (..., 3)."""
    return np.sqrt((x * x).sum(-1))
