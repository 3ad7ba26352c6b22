# Generated from chapters/13_maximal_coordinates.md by `python -m book export`; edit it there.
# sha256 of the text below: cea8f0020819444502b1e9c89f4f6aaae2cff380621821c1d17577520c8b0f3e
"""Constraints: a joint held as rows, and rows of several constraints as one matrix.

Derived in chapter 13, "Maximal coordinates".
"""

from dataclasses import dataclass
from typing import Any

from chaindyn._ops import Array, concatenate, solve
from chaindyn.array_types import ArrayM, ArrayMxNv, ArrayNq, ArrayNv
from chaindyn.chain import Chain
from chaindyn.guards.constraint_parts import as_constraints, errors_in, parts_in, rows_in
from chaindyn.guards.door import checked
from chaindyn.guards.joint_laws import as_guest
from chaindyn.lie import log_so3
from chaindyn.models.between_bodies import FramedConstraint
from chaindyn.nearest import nearest_coordinates
from chaindyn.spatial import X_motion, crm
from chaindyn.state import State

__all__ = ["Closure", "constraint_bias", "constraint_error", "constraint_jacobian"]


# Chapter 13, "Maximal coordinates": The joint as a class*
def relative_motion(state: State, held: FramedConstraint) -> tuple[Array, Array]:
    """Return the relative twist and acceleration (..., 6, 1) of the two frames."""
    (i, j), (R, p) = held.bodies(state.chain), held.relative_pose(state)
    V, A = state.twists, state.bias_accelerations
    link = X_motion(held.rotation.mT, held.offset)
    twist, acceleration = link @ V[..., i, :, :], link @ A[..., i, :, :]
    if j >= 0:
        onto = X_motion(R.mT, p) @ X_motion(held.onto_rotation.mT, held.onto_offset)
        carried = onto @ V[..., j, :, :]
        twist = twist - carried
        turned = crm(twist[..., 0]) @ carried
        acceleration = acceleration - onto @ A[..., j, :, :] + turned
    return twist, acceleration


# Chapter 13, "Maximal coordinates": The joint as a class*
@dataclass(frozen=True, eq=False)
class Closure(FramedConstraint):
    """A joint held as rows of equations, between a link and another one or the ground:
    it closes a loop.

    joint : any `Joint`; link : index or name of its child; onto : of its parent,
    "ground" by default; a frame's name serves for either. offset (3,) [m] and rotation
    (3, 3) place the joint in the link, onto_offset and onto_rotation in the other: the
    joint's point x lies at ``offset + rotation @ x`` in the one and, while the joint is
    in its zero position, at ``onto_offset + onto_rotation @ x`` in the other.
    ValueError names the impossible part; a link that a chain does not have is named
    when the rows are computed.

    The rows are T^T times the twist of the link relative to the other, T being the
    joint's constraint subspace in the frame that it has in the link: a multiplier is a
    moment [N m] or a force [N] on the link along a column of T. The error (..., m)
    [rad, m] is the rotation and shift, in these directions, from the nearest pose that
    the joint can have; its derivative is the rows where the constraint is kept. There
    the bias is exact; elsewhere, if T does not depend on the joint's coordinates.

    The interface of a constraint, for other kinds: any object with ``error(chain, q)``
    (..., m), which is zero where the constraint is kept (None if there is no such
    function), ``jacobian(chain, q)``, K (..., m, nv), and ``bias(chain, q, qd)``, dK/dt
    qd (..., m). Forces that hold it are K^T lambda. If it acts on the links and not
    along the joints, ``link_rows(chain, q)`` (..., m, n, 6) gives its rows: K qd is the
    sum of these rows times the links' twists, in link coordinates. "Notes on rigid body
    dynamics", constraints and subspaces: the rows are the complement of the joint's
    motions.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, name="rod")])
    >>> peg = Closure(Spherical(), "rod", offset=(1, 0, 0), onto_offset=(1, 0, 0.5))
    >>> constraint_error(rod, peg, np.zeros(1)).round(9) + 0.0
    array([ 0. ,  0. , -0.5])
    """

    def coordinates(self, chain: Chain, q: Array) -> Array:
        """Return the joint's own coordinates (..., nq of the joint) at q (..., nq).

        Where q does not keep the constraint, those of a pose near by.
        """
        return nearest_coordinates(self.joint, *self.relative_pose(State(chain, q)))

    def error_in(self, state: State) -> Array:
        """Return the `error` of a chain in an evaluated state."""
        (R, p), joint = self.relative_pose(state), as_guest(self.joint)
        nearest = nearest_coordinates(self.joint, R, p)
        R0, p0 = joint.pose(nearest)
        turn, shift = log_so3(R0.mT @ R)[..., None], R0.mT @ (p - p0)[..., None]
        T = joint.constraint_subspace(nearest)
        return (T.mT @ concatenate([turn, shift], axis=-2))[..., 0]

    def seen_rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return R, p in the world of the link's frame, and T^T (..., m, 6)."""
        R, p = self.placed(state, self.bodies(state.chain)[0])
        nearest = nearest_coordinates(self.joint, *self.relative_pose(state))
        return R, p[..., 0], as_guest(self.joint).constraint_subspace(nearest).mT

    def bias_in(self, state: State) -> Array:
        """Return the `bias` of a chain in an evaluated state."""
        twist, acceleration = relative_motion(state, self)
        nearest = nearest_coordinates(self.joint, *self.relative_pose(state))
        joint = as_guest(self.joint)
        S, T = joint.motion_subspace(nearest), joint.constraint_subspace(nearest)
        rate = solve(S.mT @ S, S.mT @ twist)
        turning = joint.motion_subspace_rate(nearest, rate[..., 0])
        return (T.mT @ (acceleration - turning @ rate))[..., 0]


# Chapter 13, "Maximal coordinates": The joint as a class*
@checked(q="nq")
def constraint_jacobian(chain: Chain, constraints: Any, q: ArrayNq) -> ArrayMxNv:
    """Return the rows K (..., m, nv) of all constraints: K qd = 0 on velocities.

    constraints : one or several, each a `Closure` or any object with its three methods;
    q : (..., nq). Their forces are K^T lambda (..., nv). ValueError names the
    constraint and its error. "Notes on rigid body dynamics", constraints.

    >>> from chaindyn.models.robots import four_bar, four_bar_posture
    >>> chain, loops = four_bar()
    >>> K = constraint_jacobian(chain, loops, four_bar_posture(2, 1.0))
    >>> (K @ np.array([1, -1, 1])).round(9) + 0.0
    array([0., 0., 0., 0., 0.])
    """
    return rows_in(State(chain, q), as_constraints(constraints))


@checked(q="nq")
def constraint_error(chain: Chain, constraints: Any, q: ArrayNq) -> ArrayM:
    """Return the errors of a posture in all constraints (..., m).

    Arguments and order as for `constraint_jacobian`. A constraint of velocities alone,
    whose ``error`` returns None, has zeros here.

    >>> from chaindyn.models.robots import four_bar, four_bar_posture
    >>> chain, loops = four_bar()
    >>> q, still = four_bar_posture(2, 1.0), np.zeros(3)
    >>> constraint_error(chain, loops, q).round(9) + 0.0
    array([0., 0., 0., 0., 0.])
    """
    return errors_in(State(chain, q), as_constraints(constraints))


@checked(q="nq", qd="nv")
def constraint_bias(chain: Chain, constraints: Any, q: ArrayNq, qd: ArrayNv) -> ArrayM:
    """Return dK/dt qd (..., m) of all constraints: K qdd = -dK/dt qd keeps them.

    Arguments as for `constraint_jacobian`; qd : (..., nv). "Notes on rigid body
    dynamics", constraints.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, name="rod")])
    >>> string = Distance("rod", length=1, offset=(1, 0, 0), onto_offset=(1, 0, 1))
    >>> constraint_bias(rod, string, np.zeros(1), np.array([2.0])).round(9)
    array([4.])
    """
    return parts_in(State(chain, q, qd), as_constraints(constraints), "bias")[0]
