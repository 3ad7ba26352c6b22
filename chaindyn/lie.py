# Generated from chapters/02_rigid_motions_as_a_lie_group.md by `python -m book export`; edit it there.
# sha256 of the text below: dacb1234ca009b5c0e24af5ce731b8fa675e8c79a376f74b795ece4cdcd84b45
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
    is_small,
    largest_place,
    positive,
    sin,
    sqrt,
    take_along_last,
    where,
)
from chaindyn.array_types import Array3, Array3x3, Array4, Array6, Array6x6
from chaindyn.guards.door import checked
from chaindyn.guards.quaternions import of_moderate_size
from chaindyn.spatial import crm, cross, skew

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
    small = is_small(square, 1)
    x = where(small, 1, square)  # no branch, nor its derivative, divides by zero
    if order == 0:
        quotient = cos(sqrt(x))
    elif order == 1:
        t = sqrt(x)
        quotient = divide(sin(t), t)
    else:
        first = math.factorial(order - 2)  # whole, so that no float is among symbols
        quotient = divide(1 - first * stumpff(x, order - 2), first * x)
    x, series = where(small, square, 0), 1
    for m in range(order + 19, order, -2):
        series = 1 - divide(x, m * (m + 1)) * series  # nested, from the last term on
    return where(small, divide(series, math.factorial(order)), quotient)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Turning at a constant rate: the
# exponential
@checked(w=3)
def exp_so3(w: Array3) -> Array3x3:
    """Return the rotation (..., 3, 3) about w (..., 3) by the angle |w| [rad].

    The solution at time 1 of dR/dt = w~ R, R = 1 at time 0.

    >>> exp_so3(np.array([0, 0, np.pi / 2])).round(9) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    W = skew(w)
    square = (w * w).sum(-1, keepdims=True)[..., None]
    return eye(3) + stumpff(square, 1) * W + stumpff(square, 2) * (W @ W)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Quaternions
@checked(a=4, b=4)
def quaternion_product(a: Array4, b: Array4) -> Array4:
    """Return the quaternion (..., 4) of the rotation b followed, in the same fixed
    axes, by a.

    a, b : (..., 4) [w, x, y, z].

    >>> i, j = np.array([0, 1, 0, 0]), np.array([0, 0, 1, 0])
    >>> quaternion_product(i, j)
    array([0, 0, 0, 1])
    """
    s, u = a[..., :1], a[..., 1:]
    t, v = b[..., :1], b[..., 1:]
    dot = (u * v).sum(-1, keepdims=True)
    return concatenate([s * t - dot, s * v + t * u + cross(u, v)], axis=-1)


def normalised(x: Array) -> Array:
    """Return vectors (..., m) divided by their lengths."""
    return divide(x, sqrt((x * x).sum(-1, keepdims=True)))


def conjugate(quaternion: Array) -> Array:
    """Return the quaternion (..., 4) of the rotation back, for one of length one."""
    return concatenate([quaternion[..., :1], -quaternion[..., 1:]], axis=-1)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Quaternions
@checked(quaternion=4)
def rotation_from_quaternion(quaternion: Array4) -> Array3x3:
    """Return the rotation (..., 3, 3) of a quaternion (..., 4) [w, x, y, z], whose
    length is divided out.

    ValueError if it is zero.

    >>> rotation_from_quaternion(np.array([1, 0, 0, 1])) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    quaternion = of_moderate_size(quaternion)
    w, v = quaternion[..., :1, None], skew(quaternion[..., 1:])
    square = (quaternion * quaternion).sum(-1, keepdims=True)[..., None]
    return eye(3) + divide(2 * (w * v + v @ v), square)


@checked(w=3)
def exp_quaternion(w: Array3) -> Array4:
    """Return the unit quaternion (..., 4) of the rotation about w (..., 3) by the angle
    |w| [rad].

    >>> exp_quaternion(np.array([0, 0, np.pi])).round(9) + 0.0
    array([0., 0., 0., 1.])
    """
    quarter = divide((w * w).sum(-1, keepdims=True), 4)
    half = divide(w, 2)
    return concatenate([stumpff(quarter, 0), stumpff(quarter, 1) * half], axis=-1)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Quaternions
def arctan_over(square: Array, s: Array) -> Array:
    """Return arctan(n / s) / n, a smooth function of square = n^2."""
    small = is_small(square, s * s / 1024)  # with derivatives that keep their digits
    n = sqrt(where(small, 1, square))
    s_small = where(small, s, 1)
    x, series = where(small, divide(square, s_small * s_small), 0), 1
    for m in range(13, 0, -2):
        series = 1 - divide(m * x, m + 2) * series  # of arctan(t) / t, with x = t^2
    return where(small, divide(series, s_small), divide(atan2(n, s), n))


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Quaternions
@checked(quaternion=4)
def log_quaternion(quaternion: Array4) -> Array3:
    """Return the rotation vector (..., 3), by the angle from 0 to pi [rad], of a
    quaternion (..., 4).

    Its sign and its length do not matter. ValueError if it is zero.

    >>> log_quaternion(np.array([1, 0, 0, 1])).round(4) + 0.0
    array([0.    , 0.    , 1.5708])
    """
    quaternion = of_moderate_size(quaternion)
    s, u = quaternion[..., :1], quaternion[..., 1:]
    shorter = where(positive(s), 1, -1)  # of q and -q, the shorter way
    return 2 * shorter * arctan_over((u * u).sum(-1, keepdims=True), shorter * s) * u


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": A constant twist is a screw motion
@checked(w=3)
def left_jacobian_so3(w: Array3) -> Array3x3:
    """Return J_l(w) (..., 3, 3), the mean of exp_so3(s w) over 0 <= s <= 1.

    w : (..., 3) [rad]. A change dw of w turns exp_so3(w) by J_l dw, in the axes that
    are not turned.

    >>> left_jacobian_so3(np.array([0, 0, np.pi])).round(4) + 0.0
    array([[ 0.    , -0.6366,  0.    ],
           [ 0.6366,  0.    ,  0.    ],
           [ 0.    ,  0.    ,  1.    ]])
    """
    W = skew(w)
    square = (w * w).sum(-1, keepdims=True)[..., None]
    return eye(3) + stumpff(square, 2) * W + stumpff(square, 3) * (W @ W)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": A constant twist is a screw motion
@checked(twist=6)
def exp_se3(twist: Array6) -> tuple[Array3x3, Array3]:
    """Return the pose of a body after one second of motion with a constant twist, seen
    from the start.

    twist : (..., 6) [w; v] [rad, m]. Returns the pose R (..., 3, 3), p (..., 3) [m]. A
    twist constant in the body's axes is constant in the fixed ones too.

    >>> R, p = exp_se3(np.array([0, 0, np.pi, np.pi, 0, 0]))
    >>> p.round(9) + 0.0
    array([0., 2., 0.])
    """
    w, v = twist[..., :3], twist[..., 3:]
    return exp_so3(w), (left_jacobian_so3(w) @ v[..., None])[..., 0]


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Its rate at the identity: ad
@checked(R="rotation", p=3)
def Ad(R: Array3x3, p: Array3) -> Array6x6:
    """Return Ad_T of a pose T = (R, p): takes twists in child coordinates to parent
    coordinates.

    R : (..., 3, 3); p : (..., 3). Returns (..., 6, 6) = [R 0; p~R R], the inverse of
    X_motion(R^T, p). Its transpose takes wrenches from parent to child. The adjoint
    action: Kim (2012), (7)-(8).

    >>> R, p = np.eye(3), np.array([1, 0, 0])
    >>> Ad(R, p) @ np.array([0, 0, 1, 0, 0, 0])
    array([ 0.,  0.,  1.,  0., -1.,  0.])
    """
    return block([[R, 0], [skew(p) @ R, R]])


@checked(v=6)
def ad(v: Array6) -> Array6x6:
    """Return ad_v (..., 6, 6) = [w~ 0; v~ w~], the rate of Ad along exp_se3(t v) at t =
    0: `crm`.

    v : (..., 6) [w; v]. ad(a) @ b is the bracket of a and b. Kim (2012), (27)-(28),
    whose ad* is its transpose.

    >>> turn_x, turn_y = np.array([1, 0, 0, 0, 0, 0]), np.array([0, 1, 0, 0, 0, 0])
    >>> ad(turn_x) @ turn_y
    array([0, 0, 1, 0, 0, 0])
    """
    return crm(v)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Back from the matrix: the
# logarithm*
@checked(R="rotation")
def quaternion_from_rotation(R: Array3x3) -> Array4:
    """Return the unit quaternion (..., 4) [w, x, y, z] with w >= 0 of a rotation R
    (..., 3, 3).

    Every column of 4 q q^T, which is linear in R, is a multiple of q; the longest is
    taken.

    >>> R = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    >>> quaternion_from_rotation(R).round(4) + 0.0
    array([0.7071, 0.    , 0.    , 0.7071])
    """
    twice = R - R.mT
    axial = twice[..., np.array([2, 0, 1]), np.array([1, 2, 0])][..., None]
    trace = (R * eye(3)).sum((-2, -1), keepdims=True)
    outer = block([[1 + trace, axial.mT], [axial, R + R.mT + (1 - trace) * eye(3)]])
    diagonal = (outer * eye(4)).sum(-1)
    longest = largest_place(diagonal)[..., None, None]
    column = take_along_last(outer, longest)[..., 0]
    quaternion = normalised(column)
    return where(positive(quaternion[..., :1]), quaternion, -quaternion)


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": Back from the matrix: the
# logarithm*
@checked(R="rotation")
def log_so3(R: Array3x3) -> Array3:
    """Return the rotation vector (..., 3), by the angle from 0 to pi [rad], of a
    rotation R (..., 3, 3).

    By way of the quaternion, which is well determined also near 0 and near pi.

    >>> log_so3(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])).round(4) + 0.0
    array([0.    , 0.    , 1.5708])
    """
    return log_quaternion(quaternion_from_rotation(R))


# Chapter 2, "Rigid motions as a Lie group; moving coordinates": The twist between two poses*
@checked(R="rotation", p=3)
def log_se3(R: Array3x3, p: Array3) -> Array6:
    """Return the twist [w; v] (..., 6) whose constant motion for one second leads to
    the pose R, p.

    R : (..., 3, 3); p : (..., 3) [m]. The angle |w| is from 0 to pi. Undoes `exp_se3`.

    >>> R, p = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), np.array([1, 1, 0])
    >>> log_se3(R, p).round(4) + 0.0
    array([0.    , 0.    , 1.5708, 1.5708, 0.    , 0.    ])
    """
    w = log_so3(R)
    W = skew(w)
    square = (w * w).sum(-1, keepdims=True)[..., None]
    # never a difference of near numbers
    rest = stumpff(square, 3) - 2 * stumpff(square, 4)
    inverse = eye(3) - divide(W, 2) + divide(rest, 2 * stumpff(square, 2)) * (W @ W)
    return concatenate([w, (inverse @ p[..., None])[..., 0]], axis=-1)
