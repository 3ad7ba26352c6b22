# Generated from chapters/36_a_joint_of_your_own.md by `python -m book export`; edit it there.
# sha256 of the text below: 5d90f1d0c93533267ef874cbaccf5254c5790251e9dd03154de0e5fb885907be
"""Friction in the bearings of joints.

Derived in chapter 36, "A joint of your own, and the rest of a machine".
"""

from chaindyn._ops import divide, sqrt
from chaindyn.array_types import ArrayNv
from chaindyn.chain import Chain
from chaindyn.guards.arguments import check_positive_number
from chaindyn.guards.door import checked

__all__ = ["joint_friction"]


# Chapter 36, "A joint of your own, and the rest of a machine": Motors, stops and tools
@checked(qd="nv")
def joint_friction(chain: Chain, qd: ArrayNv, *, width: float = 0.01) -> ArrayNv:
    """Return the joint forces of friction (..., nv) [N m, N] in the chain's drives.

    qd : (..., nv). Minus viscous times qd, minus coulomb times qd / sqrt(qd^2 +
    width^2), for each rate alone;
    width : of the smooth step from -coulomb to coulomb [rad/s, m/s], positive. Its
    power is never positive.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> link = Link(Revolute(), 1, (0.5, 0, 0), I, drive=Drive(viscous=0.5))
    >>> joint_friction(Chain([link]), np.array([2.0]))
    array([-1.])
    """
    width = check_positive_number(width, "width")
    smooth_sign = divide(qd, sqrt(qd * qd + width * width))
    return -(chain.viscous * qd + chain.coulomb * smooth_sign)
