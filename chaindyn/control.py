# Generated from chapters/11_control.md by `python -m book export`; edit it there.
# sha256 of the text below: 4116c94f27d73a3fca9111b07f67238ab4bf2e882729aa46c6256f8d23007079
"""Control: the joint forces that make a chain follow a given motion.

Derived in chapter 11, "Control".
"""

from typing import Any

from chaindyn._check import check_gain, checked
from chaindyn._ops import Array
from chaindyn.chain import Chain, difference, in_columns
from chaindyn.inverse_dynamics import rnea
from chaindyn.lie import Ad, ad, exp_se3, exp_so3
from chaindyn.spatial import skew

__all__ = ["carried", "commanded_acceleration", "computed_torque", "each_carried", "tracking_error"]


# Chapter 11, "Control": Computed torque
def carried(joint: Any, x: Array, v: Array, w: Array) -> tuple[Array, Array]:
    """Return velocities v (..., k) that are known a step x away, as seen from here, and their rate as w turns us.

    Angles and lengths are the same everywhere. A ball's angular velocity, or a free body's twist, is turned
    from the axes there to the axes here, and these move with the velocity w.
    """
    if joint.nq == joint.nv:
        return v, 0 * v
    T, turning = (exp_so3(x), skew(w)) if joint.nv == 3 else (Ad(*exp_se3(x)), ad(w))
    seen = T @ v[..., None]
    return seen[..., 0], -(turning @ seen)[..., 0]


def each_carried(chain: Chain, e: Array, v: Array, qd: Array) -> tuple[Array, Array]:
    """Return for all joints what `carried` does: the velocities and their rates, both (..., nv)."""
    pairs = [carried(joint, e[..., j], v[..., j], qd[..., j]) for joint, _, j in chain.groups]
    seen, rates = zip(*pairs, strict=True)
    columns = [j for _, _, j in chain.groups]
    return in_columns(seen, columns), in_columns(rates, columns)


@checked(q="nq", qd="nv", q_desired="nq", qd_desired="nv")
def tracking_error(
    chain: Chain, q: Array, qd: Array, *, q_desired: Array, qd_desired: Array
) -> tuple[Array, Array]:
    """Return how far, and how fast, what is desired is ahead of what is: e and e' (..., nv).

    q, q_desired : (..., nq); qd, qd_desired : (..., nv). For angles and lengths these are differences; for a ball
    or a free body e is the `difference`, and e' that of the velocities, both in the child's axes.
    """
    e = difference(chain, q, q_desired)
    return e, each_carried(chain, e, qd_desired, qd)[0] - qd


@checked(q="nq", qd="nv", q_desired="nq", qd_desired="nv", qdd_desired="nv")
def commanded_acceleration(
    chain: Chain,
    q: Array,
    qd: Array,
    *,
    q_desired: Array,
    qd_desired: Array,
    qdd_desired: Array,
    kp: Array,
    kd: Array,
) -> Array:
    """Return the acceleration (..., nv) that brings a chain back to a desired motion.

    It is qdd_desired + kd e' + kp e with the errors of `tracking_error`: where it is obeyed,
    e'' + kd e' + kp e = 0. On balls and free bodies what is desired is turned into the child's axes. kp [1/s^2],
    kd [1/s] : positive, one number or (nv,). ValueError if they are not. "Two rigid bodies with a constraint",
    computed torque.
    """
    kp, kd = check_gain(kp, "kp", chain.nv), check_gain(kd, "kd", chain.nv)
    e, rate = tracking_error(chain, q, qd, q_desired=q_desired, qd_desired=qd_desired)
    ahead, _ = each_carried(chain, e, qdd_desired, qd)
    _, turning = each_carried(chain, e, qd_desired, qd)
    return ahead + turning + kd * rate + kp * e


@checked(q="nq", qd="nv", q_desired="nq", qd_desired="nv", qdd_desired="nv")
def computed_torque(
    chain: Chain,
    q: Array,
    qd: Array,
    *,
    q_desired: Array,
    qd_desired: Array,
    qdd_desired: Array,
    kp: Array,
    kd: Array,
) -> Array:
    """Return the joint forces tau (..., nv) [N m, N] that make a chain follow a desired motion.

    They are what inverse dynamics asks for `commanded_acceleration`, whose arguments these are; every joint
    velocity must have a motor. "Two rigid bodies with a constraint", computed torque.
    """
    desired = {"q_desired": q_desired, "qd_desired": qd_desired, "qdd_desired": qdd_desired}
    return rnea(chain, q, qd, commanded_acceleration(chain, q, qd, **desired, kp=kp, kd=kd))
