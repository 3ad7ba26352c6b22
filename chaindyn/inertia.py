# Generated from chapters/03_inertia_momentum_equation_of_motion.md by `python -m book export`; edit it there.
# sha256 of the text below: 682fcb20540cb5dbeefa19cc0751593b3e484e0be7223a3ebf6d7cbc734e2dca
"""Inertia: ten numbers of a body, its momentum, and its equation of motion.

Derived in chapter 3, "Inertia, momentum and one equation of motion".
"""

import numpy as np

from chaindyn._ops import Array, block, concatenate, eye, solve
from chaindyn.guards.arguments import check_motion_subspace
from chaindyn.guards.door import checked
from chaindyn.guards.equations import require_joint_inertia
from chaindyn.guards.numbers import as_array
from chaindyn.spatial import crf, crm, skew

__all__ = [
    "apparent_inverse_inertia",
    "inertia_from_parameters",
    "inertia_parameters",
    "inertia_rate",
    "newton_euler",
    "pseudo_inertia",
    "weight_wrench",
]


# Chapter 3, "Inertia, momentum and one equation of motion": Ten numbers
@checked(inertia=(6, 6))
def inertia_parameters(inertia: Array) -> Array:
    """Return the ten parameters of a spatial inertia, on which it depends linearly.

    inertia : (..., 6, 6). Returns (..., 10): the mass [kg], the first moment m c [kg
    m], and about the origin Ixx, Ixy, Iyy, Ixz, Iyz, Izz [kg m^2], in Pinocchio's
    order. The matrix is not checked.
    """
    rows = np.array([5, 2, 0, 1, 0, 0, 1, 0, 1, 2])
    columns = np.array([5, 4, 5, 3, 0, 1, 1, 2, 2, 2])
    return inertia[..., rows, columns]


@checked(parameters=10)
def inertia_from_parameters(parameters: Array) -> Array:
    """Return the spatial inertia (..., 6, 6) with these ten parameters: undoes
    `inertia_parameters`.
    """
    m, first = parameters[..., :1, None], skew(parameters[..., 1:4])
    entries = parameters[..., np.array([4, 5, 7, 5, 6, 8, 7, 8, 9])]
    rotational = entries.reshape((*parameters.shape[:-1], 3, 3))
    return block([[rotational, first], [first.mT, m * eye(3)]])


# Chapter 3, "Inertia, momentum and one equation of motion": What a body can be
@checked(inertia=(6, 6))
def pseudo_inertia(inertia: Array) -> Array:
    """Return the sum of mu [r; 1] [r; 1]^T over the particles of a body, from its
    spatial inertia.

    inertia : (..., 6, 6). Returns (..., 4, 4) = [S, m c; m c^T, m] with the second
    moments S = tr(I) / 2 - I about the origin [kg m^2]. The ten numbers belong to a
    body if and only if it has no negative eigenvalue. Wensing, Kim and Slotine (2018).
    """
    ten = inertia_parameters(inertia)[..., None]
    m, first = ten[..., :1, :], ten[..., 1:4, :]
    half_trace = (ten[..., 4:5, :] + ten[..., 6:7, :] + ten[..., 9:10, :]) / 2
    return block([[half_trace * eye(3) - inertia[..., :3, :3], first], [first.mT, m]])


# Chapter 3, "Inertia, momentum and one equation of motion": How fast an inertia changes
@checked(inertia=(6, 6), v=6)
def inertia_rate(inertia: Array, v: Array) -> Array:
    """Return dI/dt (..., 6, 6) of a body that moves with twist v, for an observer at
    rest.

    inertia : (..., 6, 6) and v : (..., 6) [w; v] about the same fixed origin, in the
    same fixed axes. "Notes on rigid body dynamics", inertia: crf(v) I - I crm(v).
    """
    return crf(v) @ inertia - inertia @ crm(v)


# Chapter 3, "Inertia, momentum and one equation of motion": One equation of motion
@checked(inertia=(6, 6), a=6, v=6)
def newton_euler(inertia: Array, a: Array, v: Array) -> Array:
    """Return the wrench (..., 6) [tau; f] that a rigid body needs: I a + v x* I v.

    inertia : (..., 6, 6); a : (..., 6) spatial acceleration, v : (..., 6) twist; all in
    one frame, at rest or the body's own (there a is the componentwise rate of v). The
    wrench is the sum of all forces, weight included. Kim (2012), (31); "Notes on rigid
    body dynamics", equation of motion.
    """
    v_column = v[..., None]
    return (inertia @ a[..., None] + crf(v) @ (inertia @ v_column))[..., 0]


# Chapter 3, "Inertia, momentum and one equation of motion": Weight is a wrench
@checked(mass=(), com=3, gravity=3)
def weight_wrench(mass: Array, com: Array, gravity: Array) -> Array:
    """Return the weight of a body as a wrench (..., 6) [tau; f], about the origin.

    mass : (...) [kg]; com : (..., 3) centre of mass [m]; gravity : (..., 3)
    acceleration of free fall [m/s^2]. Alexiou, "The dynamics of a serial chain of
    bodies", (9), there with the force first.
    """
    force = as_array(mass, "mass")[..., None] * gravity
    return concatenate([(skew(com) @ force[..., None])[..., 0], force], axis=-1)


# Chapter 3, "Inertia, momentum and one equation of motion": Which way does it yield?
@checked(inertia=(6, 6))
def apparent_inverse_inertia(inertia: Array, S: Array) -> Array:
    """Return S (S^T I S)^-1 S^T, which maps a wrench to the acceleration of a body held
    by a joint.

    inertia : (..., 6, 6); S : (..., 6, k) the motions that the joint allows, about the
    same origin; k may be 0. Returns (..., 6, 6) of rank k, for a body at rest; with S =
    1 it is the inverse of the inertia. ValueError if columns of S depend on each other,
    or if S^T I S is singular. "Notes on rigid body dynamics", vector subspaces.
    """
    S = check_motion_subspace(S, inertia=(inertia, 2))
    D = S.mT @ inertia @ S  # the inertia that the joint feels
    require_joint_inertia(D)
    return S @ solve(D, S.mT)
