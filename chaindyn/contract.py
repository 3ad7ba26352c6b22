# Generated from chapters/36_a_joint_of_your_own.md by `python -m book export`; edit it there.
# sha256 of the text below: 97242a75a8926838dd3d3425c381b6856130238768da8fcdcd76da2b4549a9a5
"""What every joint provides.

Derived in chapter 36, "A joint of your own, and the rest of a machine".
"""

from dataclasses import dataclass
from typing import ClassVar

from chaindyn._ops import Array, divide, eye, positive, stack, where
from chaindyn.guards.joint_defaults import JointDefaults

__all__ = ["Joint"]


# Chapter 36, "A joint of your own, and the rest of a machine": What every joint provides
@dataclass(frozen=True, eq=False)
class Joint(JointDefaults):
    """A joint: the pose of the child in the joint frame, and the motions it allows.

    To make one, derive a frozen dataclass whose fields are its parameters, and write
    `pose` and `motion_subspace`; nq and nv if it has not one coordinate and one
    velocity, `motion_subspace_rate` if S depends on q (and, for derivatives on symbols,
    `motion_subspace_second_rate`), and `neutral`, `rate`, `integrate` and `difference`
    if a coordinate's rate is not its velocity.

    A `Chain` tests these laws at a random posture for joints from outside the package:

    R is a rotation matrix. While q moves as integrate(q, t qd), S qd = [w; v] with
    w~ = R^T dR/dt and v = R^T dp/dt.

    Along the same way dS/dt is `motion_subspace_rate`, and dq/dt is `rate`.

    S has nv independent columns, T has 6 - nv, and S^T T = 0.

    integrate(q0, difference(q0, q1)) puts the child where q1 does.

    With parameters of one more axis, (m, ...), and q (..., m, nq) one object stands for
    m joints.

    >>> class Lift(Joint):
    ...     def pose(self, q):
    ...         return np.eye(3) + 0 * q[..., None], q * np.array([0, 0, 1])
    ...     def motion_subspace(self, q):
    ...         return np.eye(6)[:, 5:]
    >>> cabin = Chain([Link(Lift(), 100, (0, 0, 0), np.eye(3))])
    >>> rnea(cabin, np.zeros(1), np.zeros(1), np.ones(1)).round(9)
    array([1081.])
    """

    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    quaternion: ClassVar[range] = range(0)  # which entries of q are one

    @property
    def neutral(self) -> tuple[int, ...]:
        """The coordinates (nq,) of the zero position."""
        return (0,) * self.nq

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame at q."""
        raise NotImplementedError

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, nv), in child coordinates: the joint's twist is S qd.

        Constant, it may lack batch axes.
        """
        raise NotImplementedError

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dq/dt (..., nq): by default, qd itself."""
        return qd

    def integrate(self, q: Array, step: Array) -> Array:
        """Return the coordinates after one second at the velocity `step` (..., nv)."""
        return q + step

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the step (..., nv) that takes q0 to q1."""
        return q1 - q0


# Chapter 36, "A joint of your own, and the rest of a machine": Two directions across an axis
def across(axis: Array) -> Array:
    """Return unit vectors b1, b2 (..., 3, 2) with b1 x b2 = axis, a unit axis (..., 3).

    Of axes along z they are x and y. Rational in the axis, so exact where it is.
    """
    upward = where(positive(axis[..., 2:]), 1, -1)  # so that `size` is never near zero
    middle = axis + upward * eye(3)[2]
    size = 1 + upward * axis[..., 2:]
    product = axis[..., :2, None] * middle[..., None, :]
    whole = axis.dtype.kind == "i"  # then the quotients are integers too
    share = product // size[..., None] if whole else divide(product, size[..., None])
    b1, b2 = eye(3)[0] - share[..., 0, :], upward * (eye(3)[1] - share[..., 1, :])
    return stack([b1, b2], axis=-1)
