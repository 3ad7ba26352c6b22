# Generated from chapters/02_rigid_motions_as_a_lie_group.md by `python -m book export`; edit it there.
# sha256 of the text below: 012afdfa24f8651e51cd75e646817df54823be0afb2fdbefbba4558b0e109622
"""Rotations and rigid motions as groups: exponentials, logarithms, quaternions.

Derived in chapter 2, "Rigid motions as a Lie group; moving coordinates".
"""

import math

import numpy as np

from chaindyn._ops import (
    Array,
    atan2,
    block,
    concatenate,
    cos,
    divide,
    eye,
    holds_exact,
    largest_place,
    positive,
    sin,
    sqrt,
    take_along_last,
    where,
)
from chaindyn.guards.door import checked
from chaindyn.guards.quaternions import of_moderate_size
from chaindyn.spatial import crm, skew

__all__ = [
    "Ad",
    "ad",
    "exp_quaternion",
    "exp_se3",
    "exp_so3",
    "left_jacobian_so3",
    "log_quaternion",
    "log_se3",
    "log_so3",
    "quaternion_from_rotation",
    "quaternion_product",
    "rotation_from_quaternion",
]


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Turning at a constant rate: the
# exponential
def stumpff(square: Array, order: int) -> Array:
    """Return the sum of (-square)^k / (2k + order)! over k = 0, 1, ...; order from 0 to
    4.

    Of square = t^2, order 0 is cos(t), order 1 is sin(t) / t, order 2 is (1 - cos(t)) /
    t^2, order 3 is (t - sin(t)) / t^3. The series is summed where the quotients would
    cancel, below t = 1; exact numbers other than zero and symbols use the quotient.
    """
    small = ~positive(square - (0 if holds_exact(square) else 1))
    x = where(small, 1, square)  # so that no branch, nor its derivative, divides by zero
    if order == 0:
        quotient = cos(sqrt(x))
    elif order == 1:
        t = sqrt(x)
        quotient = divide(sin(t), t)
    else:
        first = math.factorial(order - 2)
        quotient = divide(1 - first * stumpff(x, order - 2), first * x)  # no float among symbols
    x, series = where(small, square, 0), 1
    for m in range(order + 19, order, -2):
        series = 1 - divide(x, m * (m + 1)) * series  # nested, from the last term on
    return where(small, divide(series, math.factorial(order)), quotient)


@checked(w=3)
def exp_so3(w: Array) -> Array:
    """Return the rotation (..., 3, 3) about w (..., 3) by the angle |w| [rad].

    The solution at time 1 of dR/dt = w~ R, R = 1 at time 0.
    """
    W = skew(w)
    square = (w * w).sum(-1, keepdims=True)[..., None]
    return eye(3) + stumpff(square, 1) * W + stumpff(square, 2) * (W @ W)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Quaternions
@checked(a=4, b=4)
def quaternion_product(a: Array, b: Array) -> Array:
    """Return the quaternion (..., 4) of the rotation b followed, in the same fixed
    axes, by a; [w, x, y, z].
    """
    s, u = a[..., :1], a[..., 1:]
    t, v = b[..., :1], b[..., 1:]
    dot = (u * v).sum(-1, keepdims=True)
    return concatenate([s * t - dot, s * v + t * u + (skew(u) @ v[..., None])[..., 0]], axis=-1)


def normalised(x: Array) -> Array:
    """Return vectors (..., m) divided by their lengths."""
    return divide(x, sqrt((x * x).sum(-1, keepdims=True)))


def conjugate(quaternion: Array) -> Array:
    """Return the quaternion (..., 4) of the rotation back, for one of length one."""
    return concatenate([quaternion[..., :1], -quaternion[..., 1:]], axis=-1)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Quaternions
@checked(quaternion=4)
def rotation_from_quaternion(quaternion: Array) -> Array:
    """Return the rotation (..., 3, 3) of a quaternion (..., 4) [w, x, y, z], whose
    length is divided out.

    ValueError if it is zero.
    """
    quaternion = of_moderate_size(quaternion)
    w, v = quaternion[..., :1, None], skew(quaternion[..., 1:])
    square = (quaternion * quaternion).sum(-1, keepdims=True)[..., None]
    return eye(3) + divide(2 * (w * v + v @ v), square)


@checked(w=3)
def exp_quaternion(w: Array) -> Array:
    """Return the unit quaternion (..., 4) of the rotation about w (..., 3) by the angle
    |w| [rad].
    """
    quarter = divide((w * w).sum(-1, keepdims=True), 4)
    half = divide(w, 2)
    return concatenate([stumpff(quarter, 0), stumpff(quarter, 1) * half], axis=-1)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Quaternions
@checked(quaternion=4)
def log_quaternion(quaternion: Array) -> Array:
    """Return the rotation vector (..., 3), by the angle from 0 to pi [rad], of a
    quaternion (..., 4).

    Its sign and its length do not matter. ValueError if it is zero. Where |v| is below
    w / 32, the series of the arctangent is summed, so that derivatives keep their
    digits too.
    """
    quaternion = of_moderate_size(quaternion)
    # the shorter way
    towards = where(positive(quaternion[..., :1]), quaternion, -quaternion)
    w, v = towards[..., :1], towards[..., 1:]
    square = (v * v).sum(-1, keepdims=True)
    small = ~positive(square - (0 if holds_exact(square) else w * w / 1024))
    s = sqrt(where(small, 1, square))
    angle = divide(2 * atan2(s, w), s)  # for each unit of v
    w = where(small, w, 1)
    x, series = where(small, divide(square, w * w), 0), 1
    for m in range(13, 0, -2):
        series = 1 - divide(m * x, m + 2) * series  # of arctan(t) / t, with x = t^2
    return v * where(small, divide(2 * series, w), angle)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Back from the matrix: the logarithm
@checked(R="rotation")
def quaternion_from_rotation(R: Array) -> Array:
    """Return the unit quaternion (..., 4) [w, x, y, z] with w >= 0 of a rotation R
    (..., 3, 3).

    Every column of 4 q q^T, which is linear in R, is a multiple of q; the longest is
    taken.
    """
    twice = R - R.mT
    axial = twice[..., np.array([2, 0, 1]), np.array([1, 2, 0])][..., None]
    trace = (R * eye(3)).sum((-2, -1), keepdims=True)
    outer = block([[1 + trace, axial.mT], [axial, R + R.mT + (1 - trace) * eye(3)]])
    diagonal = (outer * eye(4)).sum(-1)
    longest = largest_place(positive(diagonal) if holds_exact(R) else diagonal)
    column = take_along_last(outer, longest[..., None, None])[..., 0]
    quaternion = normalised(column)
    return where(positive(quaternion[..., :1]), quaternion, -quaternion)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Back from the matrix: the logarithm
@checked(R="rotation")
def log_so3(R: Array) -> Array:
    """Return the rotation vector (..., 3), by the angle from 0 to pi [rad], of a
    rotation R (..., 3, 3).

    By way of the quaternion, which is well determined also near 0 and near pi.
    """
    return log_quaternion(quaternion_from_rotation(R))


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": When the rotation vector changes:
# the left Jacobian
@checked(w=3)
def left_jacobian_so3(w: Array) -> Array:
    """Return V(w) (..., 3, 3), the mean of exp_so3(s w) over 0 <= s <= 1; w : (..., 3)
    [rad].

    A change dw of w turns exp_so3(w) by V dw, in the axes that are not turned.
    """
    W = skew(w)
    square = (w * w).sum(-1, keepdims=True)[..., None]
    return eye(3) + stumpff(square, 2) * W + stumpff(square, 3) * (W @ W)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": A constant twist is a screw motion
@checked(twist=6)
def exp_se3(twist: Array) -> tuple[Array, Array]:
    """Return the pose of a body after one second of motion with a constant twist, seen
    from the start.

    twist : (..., 6) [w; v] [rad, m]. Returns the pose R (..., 3, 3), p (..., 3) [m]. A
    twist constant in the body's axes is constant in the fixed ones too.
    """
    w, v = twist[..., :3], twist[..., 3:]
    return exp_so3(w), (left_jacobian_so3(w) @ v[..., None])[..., 0]


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": And back
@checked(R="rotation", p=3)
def log_se3(R: Array, p: Array) -> Array:
    """Return the twist [w; v] (..., 6) whose constant motion for one second leads to
    the pose R, p.

    R : (..., 3, 3); p : (..., 3) [m]. The angle |w| is from 0 to pi. Undoes `exp_se3`.
    """
    w = log_so3(R)
    W = skew(w)
    square = (w * w).sum(-1, keepdims=True)[..., None]
    rest = stumpff(square, 3) - 2 * stumpff(square, 4)  # never a difference of near numbers
    inverse = eye(3) - divide(W, 2) + divide(rest, 2 * stumpff(square, 2)) * (W @ W)
    return concatenate([w, (inverse @ p[..., None])[..., 0]], axis=-1)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Its rate at the identity: ad
@checked(R="rotation", p=3)
def Ad(R: Array, p: Array) -> Array:
    """Return Ad_T of a pose T = (R, p): takes twists in child coordinates to parent
    coordinates.

    R : (..., 3, 3); p : (..., 3). Returns (..., 6, 6) = [R 0; p~R R], the inverse of
    X_motion(R^T, p). Its transpose takes wrenches from parent to child. Kim (2012),
    (7)-(8).
    """
    return block([[R, 0], [skew(p) @ R, R]])


@checked(v=6)
def ad(v: Array) -> Array:
    """Return ad_v (..., 6, 6) = [w~ 0; v~ w~], the rate of Ad along exp_se3(t v) at t =
    0: `crm`.

    v : (..., 6) [w; v]. ad(a) @ b is the bracket of a and b. Kim (2012), (27)-(28),
    whose ad* is its transpose.
    """
    return crm(v)
