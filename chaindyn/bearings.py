# Generated from chapters/36_a_joint_of_your_own.md by `python -m book export`; edit it there.
# sha256 of the text below: 95909562833218b81a9cd532a90e71b6834f3e616b1bfb4d244547181d3a9b25
"""Friction in the bearings of joints.

Derived in chapter 36, "A joint of your own, and the rest of a machine".
"""

from chaindyn._ops import Array, divide, sqrt
from chaindyn.chain import Chain
from chaindyn.guards.arguments import check_positive_number
from chaindyn.guards.door import checked

__all__ = ["joint_friction"]


# Chapter 36, "A joint of your own, and the rest of a machine": Motors, stops and tools
@checked(qd="nv")
def joint_friction(chain: Chain, qd: Array, *, width: float = 0.01) -> Array:
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
