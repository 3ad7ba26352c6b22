# Generated from chapters/03_inertia_momentum_equation_of_motion.md by `python -m book export`; edit it there.
# sha256 of the text below: dd0b5ce62c522d318a38e82afcb3dd3b1b3a2758e1bc2b4b638eeb4b90d209e5
"""Inertia: ten numbers of a body, its momentum, and its equation of motion.

Derived in chapter 3, "Inertia, momentum and one equation of motion".
"""

import numpy as np

from chaindyn._ops import block, concatenate, eye, solve
from chaindyn.array_types import (
    Array3,
    Array3x3,
    Array4x4,
    Array6,
    Array6x6,
    Array6xK,
    Array10,
    Scalar,
)
from chaindyn.guards.arguments import check_motion_subspace
from chaindyn.guards.door import checked
from chaindyn.guards.equations import require_joint_inertia
from chaindyn.guards.numbers import as_array
from chaindyn.spatial import crf, crm, cross, skew

__all__ = [
    "apparent_inverse_inertia",
    "inertia_from_parameters",
    "inertia_parameters",
    "inertia_rate",
    "newton_euler",
    "pseudo_inertia",
    "spatial_inertia",
    "weight_wrench",
]


# Chapter 3, "Inertia, momentum and one equation of motion": A body is a cloud of particles
@checked(mass=(), com=3, inertia=(3, 3))
def spatial_inertia(mass: Scalar, com: Array3, inertia: Array3x3) -> Array6x6:
    """Return the spatial inertia about the origin, which maps a twist to a momentum.

    mass : (...) [kg]; com : (..., 3) centre of mass [m]; inertia : (..., 3, 3) about
    the centre of mass, in the axes of `com` [kg m^2]. Values are not checked: a hole is
    a body of negative mass. Returns (..., 6, 6) = [Ic + m c~ c~^T, m c~; m c~^T, m 1].
    "Notes on rigid body dynamics", inertia.

    >>> rod = spatial_inertia(1, (0.5, 0, 0), np.diag([0, 1, 1]) / 12)
    >>> about_y = np.array([0, 1, 0, 0, 0, 0])
    >>> round(float(about_y @ rod @ about_y), 4)
    0.3333
    """
    m = as_array(mass, "mass")[..., None, None]
    c = skew(com)
    return block([[inertia + m * (c @ c.mT), m * c], [m * c.mT, m * eye(3)]])


# Chapter 3, "Inertia, momentum and one equation of motion": Ten numbers
@checked(inertia=(6, 6))
def inertia_parameters(inertia: Array6x6) -> Array10:
    """Return the ten parameters of a spatial inertia, on which it depends linearly.

    inertia : (..., 6, 6). Returns (..., 10): the mass [kg], the first moment m c [kg
    m], and about the origin Ixx, Ixy, Iyy, Ixz, Iyz, Izz [kg m^2], in Pinocchio's
    order. The matrix is not checked.

    >>> inertia_parameters(spatial_inertia(2, (1, 0, 0), np.zeros((3, 3))))
    array([2., 2., 0., 0., 0., 0., 2., 0., 0., 2.])
    """
    mass = inertia[..., 5:, 5]
    first = inertia[..., np.array([2, 0, 1]), np.array([4, 5, 3])]  # three of m c~
    six = inertia[..., np.array([0, 0, 1, 0, 1, 2]), np.array([0, 1, 1, 2, 2, 2])]
    return concatenate([mass, first, six], axis=-1)


@checked(parameters=10)
def inertia_from_parameters(parameters: Array10) -> Array6x6:
    """Return the spatial inertia (..., 6, 6) with these ten parameters.

    parameters : (..., 10). Undoes `inertia_parameters`.

    >>> inertia_from_parameters(np.array([2, 0, 0, 0, 1, 0, 1, 0, 0, 1])).diagonal()
    array([1, 1, 1, 2, 2, 2])
    """
    m, first = parameters[..., :1, None], skew(parameters[..., 1:4])
    entries = parameters[..., np.array([4, 5, 7, 5, 6, 8, 7, 8, 9])]
    rotational = entries.reshape((*parameters.shape[:-1], 3, 3))
    return block([[rotational, first], [first.mT, m * eye(3)]])


# Chapter 3, "Inertia, momentum and one equation of motion": How fast an inertia changes
@checked(inertia=(6, 6), v=6)
def inertia_rate(inertia: Array6x6, v: Array6) -> Array6x6:
    """Return dI/dt (..., 6, 6) of a body that moves with twist v, for an observer at
    rest.

    inertia : (..., 6, 6) and v : (..., 6) [w; v] about the same fixed origin, in the
    same fixed axes. "Notes on rigid body dynamics", inertia: crf(v) I - I crm(v).

    >>> rod = spatial_inertia(1, (0.5, 0, 0), np.diag([0, 1, 1]) / 12)
    >>> inertia_rate(rod, np.array([0, 0, 1, 0, 0, 0]))[:3, :3].round(4)
    array([[ 0.    , -0.3333,  0.    ],
           [-0.3333,  0.    ,  0.    ],
           [ 0.    ,  0.    ,  0.    ]])
    """
    return crf(v) @ inertia - inertia @ crm(v)


# Chapter 3, "Inertia, momentum and one equation of motion": One equation of motion
@checked(inertia=(6, 6), a=6, v=6)
def newton_euler(inertia: Array6x6, a: Array6, v: Array6) -> Array6:
    """Return the wrench (..., 6) [tau; f] that a rigid body needs: I a + v x* I v.

    inertia : (..., 6, 6); a : (..., 6) spatial acceleration, v : (..., 6) twist; all in
    one frame, at rest or the body's own (there a is the componentwise rate of v). The
    wrench is the sum of all forces, weight included. Kim (2012), (31); "Notes on rigid
    body dynamics", equation of motion.

    >>> mass = spatial_inertia(2, (1, 0, 0), np.zeros((3, 3)))
    >>> newton_euler(mass, np.zeros(6), np.array([0, 0, 3, 0, 0, 0])) + 0.0
    array([  0.,   0.,   0., -18.,   0.,   0.])
    """
    v_column = v[..., None]
    return (inertia @ a[..., None] + crf(v) @ (inertia @ v_column))[..., 0]


# Chapter 3, "Inertia, momentum and one equation of motion": Weight is a wrench
@checked(mass=(), com=3, gravity=3)
def weight_wrench(mass: Scalar, com: Array3, gravity: Array3) -> Array6:
    """Return the weight of a body as a wrench (..., 6) [tau; f], about the origin.

    mass : (...) [kg]; com : (..., 3) centre of mass [m]; gravity : (..., 3)
    acceleration of free fall [m/s^2]. Alexiou, "The dynamics of a serial chain of
    bodies", (9), there with the force first.

    >>> weight_wrench(2, (0.5, 0, 0), (0, 0, -9.81)) + 0.0
    array([  0.  ,   9.81,   0.  ,   0.  ,   0.  , -19.62])
    """
    force = as_array(mass, "mass")[..., None] * gravity
    return concatenate([cross(com, force), force], axis=-1)


# Chapter 3, "Inertia, momentum and one equation of motion": What a body can be*
@checked(inertia=(6, 6))
def pseudo_inertia(inertia: Array6x6) -> Array4x4:
    """Return the sum of mu [r; 1] [r; 1]^T over the particles of a body, from its
    spatial inertia.

    inertia : (..., 6, 6). Returns (..., 4, 4) = [S, m c; m c^T, m] with the second
    moments S = tr(I) / 2 - I about the origin [kg m^2]. The ten numbers belong to a
    body if and only if it has no negative eigenvalue. Wensing, Kim and Slotine (2018).

    >>> pair = spatial_inertia(2, (0, 0, 0), np.diag([0, 2, 2]))
    >>> pseudo_inertia(pair)
    array([[2., 0., 0., 0.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.],
           [0., 0., 0., 2.]])
    """
    ten = inertia_parameters(inertia)[..., None]
    m, first = ten[..., :1, :], ten[..., 1:4, :]
    half_trace = (ten[..., 4:5, :] + ten[..., 6:7, :] + ten[..., 9:10, :]) / 2
    return block([[half_trace * eye(3) - inertia[..., :3, :3], first], [first.mT, m]])


# Chapter 3, "Inertia, momentum and one equation of motion": Which way does it yield?*
@checked(inertia=(6, 6))
def apparent_inverse_inertia(inertia: Array6x6, S: Array6xK) -> Array6x6:
    """Return S (S^T I S)^-1 S^T, which maps a wrench to the acceleration of a body held
    by a joint.

    inertia : (..., 6, 6); S : (..., 6, k) the motions that the joint allows, about the
    same origin; k may be 0. Returns (..., 6, 6) of rank k, for a body at rest; with S =
    1 it is the inverse of the inertia. ValueError if columns of S depend on each other,
    or if S^T I S is singular. "Notes on rigid body dynamics", vector subspaces.

    >>> rod = spatial_inertia(1, (0.5, 0, 0), np.diag([0, 1, 1]) / 12)
    >>> about_y = np.array([[0], [1], [0], [0], [0], [0]])
    >>> apparent_inverse_inertia(rod, about_y).diagonal().round(9)
    array([0., 3., 0., 0., 0., 0.])
    """
    S = check_motion_subspace(S, inertia=(inertia, 2))  # two axes: a matrix
    D = S.mT @ inertia @ S  # the inertia that the joint feels
    require_joint_inertia(D)
    return S @ solve(D, S.mT)
