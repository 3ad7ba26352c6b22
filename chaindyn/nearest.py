# Generated from chapters/36_a_joint_of_your_own.md by `python -m book export`; edit it there.
# sha256 of the text below: ff05d84487dcf37c4fbf7b90a7c5a79a5bf1b9c1f6f859d135c829d7ed8a3cdf
"""The coordinates of a joint that are nearest to a pose.

Derived in chapter 36, "A joint of your own, and the rest of a machine".
"""

from typing import Any

import numpy as np

from chaindyn._ops import Array, atan2, concatenate, cos, divide, eye, sin, solve, zeros
from chaindyn.contract import across
from chaindyn.guards.door import outside
from chaindyn.guards.joint_laws import as_guest
from chaindyn.joints import Prismatic, Revolute, Spherical, rotation_about
from chaindyn.lie import log_se3, quaternion_from_rotation
from chaindyn.other_joints import Cylindrical, Fixed, Free, Helical, Planar, Universal
from chaindyn.spatial import skew

__all__: list[str] = []


# Chapter 36, "A joint of your own, and the rest of a machine": The coordinates nearest to a pose
def turn_about(axis: Array, R: Array) -> Array:
    """Return the angle (..., 1) about a unit axis (3,) whose turn is nearest to R."""
    sines = R[..., np.array([2, 0, 1]), np.array([1, 2, 0])]
    sines = sines - R[..., np.array([1, 2, 0]), np.array([2, 0, 1])]
    around = eye(3) - axis[:, None] * axis
    cosine = (around * R).sum(-1).sum(-1, keepdims=True)
    return atan2((axis * sines).sum(-1, keepdims=True), cosine)


# Chapter 36, "A joint of your own, and the rest of a machine": The coordinates nearest to a pose
def nearest_angles(joint: Universal, R: Array) -> Array:
    """Return angles (..., 2) with which a universal joint is turned nearly like R."""
    first, second = joint.first, joint.second
    seen = (R.mT @ first[:, None])[..., 0]  # the axis of the parent, from the child
    around = eye(3) - second[:, None] * second
    sine = (seen * (skew(first) @ second)).sum(-1, keepdims=True)
    cosine = (seen * (around @ first)).sum(-1, keepdims=True)
    angle = atan2(sine, cosine)
    rest = R @ rotation_about(second, angle).mT
    return concatenate([turn_about(first, rest), angle], axis=-1)


def nearest_turn(joint: Helical, R: Array, p: Array) -> Array:
    """Return the angle (..., 1) of a nut: of all that fit R, the one nearest to p."""
    angle = turn_about(joint.axis, R)
    if not np.any(joint.pitch != 0):
        return angle
    turned = divide((joint.axis * p).sum(-1, keepdims=True), joint.pitch)
    s, c = sin(turned - angle), cos(turned - angle)
    return turned - atan2(s, c)


# Chapter 36, "A joint of your own, and the rest of a machine": The coordinates nearest to a pose
def sought_coordinates(joint: Any, R: Array, p: Array) -> Array:
    """Return coordinates (..., nq) near a pose, by Gauss and Newton, from neutral."""
    guest = as_guest(joint)
    q = np.zeros((*p.shape[:-1], joint.nq)) + joint.neutral
    for _ in range(12):
        R0, p0 = guest.pose(q)
        S = guest.motion_subspace(q)
        miss = log_se3(R0.mT @ R, (R0.mT @ (p - p0)[..., None])[..., 0])
        q = guest.integrate(q, solve(S.mT @ S, S.mT @ miss[..., None])[..., 0])
    return q


# Chapter 36, "A joint of your own, and the rest of a machine": The coordinates nearest to a pose
def nearest_coordinates(joint: Any, R: Array, p: Array) -> Array:
    """Return the coordinates (..., nq) that bring a joint to the pose R, p, or near it.

    If the joint can have this pose, they give it exactly. A user's joint may have a
    method ``nearest(R, p)`` for them; otherwise they are sought, from the zero
    position.
    """

    def along(axis: Array) -> Array:
        return (axis * p).sum(-1, keepdims=True)

    match joint:
        case Fixed():
            return zeros((*p.shape[:-1], 0))
        case Revolute(axis):
            return turn_about(axis, R)
        case Prismatic(axis):
            return along(axis)
        case Helical():
            return nearest_turn(joint, R, p)
        case Cylindrical(axis):
            return concatenate([turn_about(axis, R), along(axis)], axis=-1)
        case Planar(normal):
            return concatenate([p @ across(normal), turn_about(normal, R)], axis=-1)
        case Universal():
            return nearest_angles(joint, R)
        case Spherical():
            return quaternion_from_rotation(R)
        case Free():
            return concatenate([p, quaternion_from_rotation(R)], axis=-1)
    own = getattr(joint, "nearest", None)
    return outside(own)(R, p) if own else sought_coordinates(joint, R, p)
