# Generated from chapters/05_velocity_acceleration_jacobians.md by `python -m book export`; edit it there.
# sha256 of the text below: ef6fc965eec01fe33a43af9eebbf169b9149765d9202e1c77b8942a440402d98
"""A chain in a given posture and motion: the quantities that sweeps need, each computed once.

Derived in chapter 5, "Velocity, acceleration, Jacobians".
"""

from dataclasses import dataclass
from functools import cached_property

from chaindyn._ops import Array, eye, holds_objects, stack, unstack, zeros
from chaindyn.chain import Chain, joint_poses, outward, world_poses
from chaindyn.guards.arguments import RecursionWord
from chaindyn.lie import Ad
from chaindyn.models.grouped import GroupedState
from chaindyn.spatial import X_motion, crm

__all__: list[str] = []


# Chapter 5, "Velocity, acceleration, Jacobians": One recursion, two frames
def propagate_motion(parent: Array, X: Array, joint_part: Array) -> Array:
    """Link step: the parent's motion in link coordinates, plus the joint's own."""
    return X @ parent + joint_part


# Chapter 5, "Velocity, acceleration, Jacobians": The code: a posture, evaluated once*
@dataclass(frozen=True, eq=False)
class Posture(GroupedState):
    """A chain in a given posture: poses and transforms, each computed on first use."""

    chain: Chain
    q: Array
    qd: Array = None
    recursion: RecursionWord = "body"
    exact: bool = False

    @cached_property
    def local_poses(self) -> tuple[Array, Array]:
        """The pose of each link in its parent, R (..., n, 3, 3), p (..., n, 3)."""
        return joint_poses(self.chain, self.q)

    @cached_property
    def poses(self) -> tuple[Array, Array]:
        """The pose of each link in the world, R (..., n, 3, 3), p (..., n, 3)."""
        return world_poses(self.chain, *self.local_poses)

    @cached_property
    def to_world(self) -> Array:
        """The transforms of motions from link coordinates to the world's."""
        return Ad(*self.poses)

    @cached_property
    def transforms(self) -> Array:
        """The transforms of motions from the parent's coordinates (..., n, 6, 6)."""
        if self.recursion == "world":  # one origin and one set of axes for all
            return stack([eye(6)] * self.chain.n, axis=-3)
        R, p = self.local_poses
        return X_motion(R.mT, p)

    @cached_property
    def X(self) -> list[Array]:
        """The same, link by link (..., 6, 6)."""
        return unstack(self.transforms, -3)


# Chapter 5, "Velocity, acceleration, Jacobians": The code: a posture, evaluated once*
@dataclass(frozen=True, eq=False)
class State(Posture):
    """A chain in a given posture and motion: what sweeps need, computed on first use.

    q : (..., nq); qd : (..., nv), None if no velocities are needed. recursion : the
    coordinates of all motions and forces here, "body" (about each link's origin, in its
    axes) or "world" (about the world origin, in its axes). exact : whether integers in
    the inertias must stay exact, as for symbols.
    """

    @cached_property
    def joint_twists(self) -> Array:
        """The part of each joint in the motion of its link, S qd (..., n, 6, 1)."""
        return self.along_joints(self.subspaces, self.qd)

    @cached_property
    def twists(self) -> Array:
        """The twist of each link (..., n, 6, 1)."""
        return self.accumulate(self.joint_twists)

    @cached_property
    def crm_twists(self) -> Array:
        """The products V x (..., n, 6, 6); on forces, V x* is minus the transpose."""
        return crm(self.twists[..., 0])

    @cached_property
    def eta(self) -> Array:
        """The velocities' part in accelerations, V x S qd + dS/dt qd (..., n, 6, 1)."""
        eta = self.crm_twists @ self.joint_twists
        if not self.chain.any_turns:
            return eta
        return eta + self.along_joints(self.subspace_rates, self.qd)

    @cached_property
    def bias_accelerations(self) -> Array:
        """The acceleration of each link if qdd = 0 (..., n, 6, 1)."""
        return self.accumulate(self.eta)

    @cached_property
    def bias_forces(self) -> Array:
        """The force on each link due to its velocity alone, V x* I V (..., n, 6, 1)."""
        return -(self.crm_twists.mT @ (self.inertias @ self.twists))

    def accumulate(self, joint_parts: Array, ground: Array | None = None) -> Array:
        """Return the sums of (..., n, 6, 1) along the branches, ground included."""
        start = zeros((6, 1)) if ground is None else ground
        links = self.X, unstack(joint_parts, -3)
        return stack(outward(propagate_motion, self.chain.parent, start, *links), -3)

    def accelerations(self, qdd: Array, ground: Array | None = None) -> Array:
        """Return the links' accelerations (..., n, 6, 1) for qdd (..., nv)."""
        joint_parts = self.along_joints(self.subspaces, qdd) + self.eta
        return self.accumulate(joint_parts, ground)


# Chapter 5, "Velocity, acceleration, Jacobians": The code: a posture, evaluated once*
def evaluate(
    chain: Chain,
    q: Array,
    qd: Array | None = None,
    *others: Array | None,
    recursion: RecursionWord = "body",
) -> State:
    """Return a chain's state; others : operands that may hold symbols if q does not."""
    exact = any([holds_objects(x) for x in (q, qd, *others)])
    return State(chain, q, qd, recursion, exact)
