# Generated from chapters/12_control.md by `python -m book export`; edit it there.
# sha256 of the text below: 8d2445b2adee07e65109c9937dc2c354afe18c683327860cf1a5d36ff3ba9937
"""Control: the joint forces that make a chain follow a given motion.

Derived in chapter 12, "Control".
"""

from typing import Any

from chaindyn._ops import Array, broadcast_batch
from chaindyn.array_types import ArrayNq, ArrayNv, Scalar
from chaindyn.chain import Chain
from chaindyn.guards.arguments import check_gain
from chaindyn.guards.door import checked
from chaindyn.inverse_dynamics import rnea
from chaindyn.lie import Ad, ad, exp_se3, exp_so3
from chaindyn.models.arrays import in_columns
from chaindyn.postures import difference
from chaindyn.spatial import skew

__all__ = ["commanded_acceleration", "computed_torque", "tracking_error"]


# Chapter 12, "Control": Balls and free bodies*
def transport_joint(joint: Any, x: Array, v: Array, w: Array) -> tuple[Array, Array]:
    """Return velocities v (..., k) of a joint a step x away, in its axes here, and
    their rate as these move with w.

    Angles and lengths are the same everywhere. A ball's angular velocity, or a free
    body's twist, is turned from the child's axes after the step x to its axes before
    it, and these have the velocity w.
    """
    if joint.nq == joint.nv:
        return v, 0 * v
    T, turning = (exp_so3(x), skew(w)) if joint.nv == 3 else (Ad(*exp_se3(x)), ad(w))
    seen = T @ v[..., None]
    return seen[..., 0], -(turning @ seen)[..., 0]


def transport(chain: Chain, e: Array, v: Array, qd: Array) -> tuple[Array, Array]:
    """Return velocities and rates (..., nv) of `transport_joint`, for all joints."""
    e, v, qd = broadcast_batch([e, v, qd], 1)
    pairs = [
        transport_joint(joint, e[..., j], v[..., j], qd[..., j]) for joint, _, j in chain.groups
    ]
    velocities, rates = zip(*pairs, strict=True)
    columns = [j for _, _, j in chain.groups]
    return in_columns(velocities, columns), in_columns(rates, columns)


# Chapter 12, "Control": Balls and free bodies*
@checked(q="nq", qd="nv", q_desired="nq", qd_desired="nv")
def tracking_error(
    chain: Chain, q: ArrayNq, qd: ArrayNv, *, q_desired: ArrayNq, qd_desired: ArrayNv
) -> tuple[ArrayNv, ArrayNv]:
    """Return the tracking error and its rate, desired less actual: e and e' (..., nv).

    q, q_desired : (..., nq); qd, qd_desired : (..., nv). For angles and lengths these
    are differences; for a ball or a free body e is the `difference`, and e' that of the
    velocities, both in the child's axes.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> wanted = {"q_desired": still + 0.1, "qd_desired": still}
    >>> tracking_error(rod, still, still, **wanted)
    (array([0.1]), array([0.]))
    """
    e = difference(chain, q, q_desired)
    velocity, _ = transport(chain, e, qd_desired, qd)
    e, rate = broadcast_batch([e, velocity - qd], 1)
    return e, rate


# Chapter 12, "Control": Balls and free bodies*
@checked(q="nq", qd="nv", q_desired="nq", qd_desired="nv", qdd_desired="nv")
def commanded_acceleration(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    *,
    q_desired: ArrayNq,
    qd_desired: ArrayNv,
    qdd_desired: ArrayNv,
    kp: Scalar | ArrayNv,
    kd: Scalar | ArrayNv,
) -> ArrayNv:
    """Return the acceleration (..., nv) that brings a chain back to a desired motion.

    It is qdd_desired + kd e' + kp e with the errors of `tracking_error`, for which e''
    + kd e' + kp e = 0. On balls and free bodies the desired velocity and acceleration
    are turned into the child's axes. qdd_desired : (..., nv); kp [1/s^2], kd [1/s] :
    positive, one number or (nv,). ValueError if they are not.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> wanted = {"q_desired": still + 0.1, "qd_desired": still, "qdd_desired": still}
    >>> commanded_acceleration(rod, still, still, **wanted, kp=9, kd=6)
    array([0.9])
    """
    kp, kd = check_gain(kp, "kp", chain.nv), check_gain(kd, "kd", chain.nv)
    e = difference(chain, q, q_desired)
    velocity, turning = transport(chain, e, qd_desired, qd)
    acceleration, _ = transport(chain, e, qdd_desired, qd)
    return acceleration + turning + kd * (velocity - qd) + kp * e


# Chapter 12, "Control": Balls and free bodies*
@checked(q="nq", qd="nv", q_desired="nq", qd_desired="nv", qdd_desired="nv")
def computed_torque(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    *,
    q_desired: ArrayNq,
    qd_desired: ArrayNv,
    qdd_desired: ArrayNv,
    kp: Scalar | ArrayNv,
    kd: Scalar | ArrayNv,
) -> ArrayNv:
    """Return the joint forces tau (..., nv) [N m, N] that follow a desired motion.

    Inverse dynamics of `commanded_acceleration`, with the same arguments; every joint
    velocity must have a motor. Friction in the drives is left out: subtract
    `joint_friction`.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> rest = {"qd_desired": still, "qdd_desired": still}
    >>> computed_torque(rod, still, still, q_desired=still, **rest, kp=9, kd=6).round(3)
    array([-4.905])
    """
    desired = {"q_desired": q_desired, "qd_desired": qd_desired, "qdd_desired": qdd_desired}
    return rnea(chain, q, qd, commanded_acceleration(chain, q, qd, **desired, kp=kp, kd=kd))
