# Generated from chapters/05_velocity_acceleration_jacobians.md by `python -m book export`; edit it there.
# sha256 of the text below: 5d929289e017a0cb212f30da9a0b5cb56235d81eb6b5fc2e2867de512af4ea93
"""A chain in a given posture and motion: the quantities that sweeps need, each computed once.

Derived in chapter 5, "Velocity, acceleration, Jacobians".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from chaindyn._ops import Array, concatenate, eye, holds_objects, stack, unstack, zeros
from chaindyn.chain import Chain, joint_poses, outward, world_poses
from chaindyn.guards.equations import warn_if_far
from chaindyn.lie import Ad
from chaindyn.models.arrays import by_link
from chaindyn.spatial import X_motion, crm

__all__: list[str] = []


# Chapter 5, "Velocity, acceleration, Jacobians": One recursion, two frames
def propagate_motion(parent: Array, X: Array, joint_part: Array) -> Array:
    """Link step: the parent's motion in the link's coordinates, plus the joint's
    own.
    """
    return X @ parent + joint_part


# Chapter 5, "Velocity, acceleration, Jacobians": A posture, evaluated once
def split_by_joint(chain: Chain, rows: Array) -> list[Array]:
    """Return the rows (..., k, m) of (..., nv, m) that belong to each link's joint."""
    return [rows[..., own.start : own.stop, :] for own in chain.v_columns]


def as_columns(chain: Chain, parts: Sequence[Array]) -> Array:
    """Return the columns of each group's matrices (..., m, 6, k), one under another
    (..., nv, 6).
    """
    rows = [
        part.mT.reshape((*part.shape[:-3], own.size, 6))
        for part, (_, _, own) in zip(parts, chain.groups, strict=True)
    ]
    if len(rows) == 1:
        return rows[0]
    return concatenate(rows, axis=-2)[..., chain.group_columns, :]


def by_group(chain: Chain, matrices: Array) -> list[Array]:
    """Return the matrices (..., m, 6, 6) of each group's links, of those of all links
    (..., n, 6, 6).
    """
    if len(chain.members) == 1:
        return [matrices]
    return [matrices[..., own, :, :] for own in chain.members]


def each_link(chain: Chain, parts: Sequence[Array], axis: int = -3) -> list[Array]:
    """Return the results of each group of joints, along an axis, as a list in the order
    of the links.
    """
    laid = [own for part in parts for own in unstack(part, axis)]
    return laid if len(parts) == 1 else [laid[k] for k in chain.group_order]


@dataclass(frozen=True, eq=False)
class State:
    """A chain in a given posture and motion: the quantities that sweeps need, each
    computed on first use.

    q : (..., nq); qd : (..., nv), None if no velocities are needed. recursion : the
    coordinates of all motions and forces here, "body" (about each link's origin, in its
    axes) or "world" (about the world origin, in its axes). exact : whether integers in
    the inertias must stay exact, as for symbols.
    """

    chain: Chain
    q: Array
    qd: Array = None
    recursion: str = "body"
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
        """The transforms of motions from link coordinates to the world's (..., n, 6,
        6).
        """
        return Ad(*self.poses)

    @cached_property
    def transforms(self) -> Array:
        """The transforms of motions from the parent's coordinates to the link's (...,
        n, 6, 6).
        """
        if self.recursion == "world":  # one origin and one set of axes for all
            return stack([eye(6)] * self.chain.n, axis=-3)
        R, p = self.local_poses
        return X_motion(R.mT, p)

    @cached_property
    def X(self) -> list[Array]:
        """The same, link by link (..., 6, 6)."""
        return unstack(self.transforms, -3)

    @cached_property
    def subspaces(self) -> list[Array]:
        """The motion subspaces of each group of joints (..., m, 6, k), in link
        coordinates.
        """
        parts = [
            (joint.motion_subspace(self.q[..., i]), len(i)) for joint, i, _ in self.chain.groups
        ]
        return [S if S.ndim > 2 else stack([S] * m, axis=-3) for S, m in parts]  # one S for all

    @cached_property
    def subspace_rates(self) -> list[Array]:
        """Their rates dS/dt by component (..., m, 6, k), in link coordinates."""
        return [
            joint.motion_subspace_rate(self.q[..., i], self.qd[..., j])
            for joint, i, j in self.chain.groups
        ]

    @cached_property
    def expressed_subspaces(self) -> list[Array]:
        """The motion subspaces of each group (..., m, 6, k), in the coordinates of the
        recursion.
        """
        return self.express_groups(self.subspaces)

    @cached_property
    def screws(self) -> Array:
        """The columns of every S, one under another (..., nv, 6)."""
        return as_columns(self.chain, self.expressed_subspaces)

    @cached_property
    def S(self) -> list[Array]:
        """The motion subspace of each joint (..., 6, k)."""
        return each_link(self.chain, self.expressed_subspaces)

    @cached_property
    def both(self) -> list[Array]:
        """For each link [S X] (..., 6, k + 6), which takes joint rates and the parent's
        motion to its motion.
        """
        pairs = zip(self.expressed_subspaces, by_group(self.chain, self.transforms), strict=True)
        return each_link(self.chain, [concatenate(pair, axis=-1) for pair in pairs])

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
        """The cross products with the twists, V x (..., n, 6, 6); on forces, V x* is
        minus the transpose.
        """
        return crm(self.twists[..., 0])

    @cached_property
    def eta(self) -> Array:
        """The part of the velocities in each link's acceleration, V x S qd + dS/dt qd
        (..., n, 6, 1).
        """
        eta = self.crm_twists @ self.joint_twists
        if not self.chain.any_turns:
            return eta
        return eta + self.along_joints(self.subspace_rates, self.qd)

    @cached_property
    def bias_accelerations(self) -> Array:
        """The acceleration of each link due to the velocities alone, that of qdd = 0
        (..., n, 6, 1).
        """
        return self.accumulate(self.eta)

    @cached_property
    def inertias(self) -> Array:
        """The inertia of each link (..., n, 6, 6)."""
        inertias = self.chain.spatial_inertia
        if self.exact:
            inertias = inertias.astype(object)
        if self.recursion == "body":
            return inertias
        R, p = self.poses
        warn_if_far(self.chain, p)
        to_link = X_motion(R.mT, p)
        return to_link.mT @ inertias @ to_link

    @cached_property
    def bias_forces(self) -> Array:
        """The force on each link due to its velocity alone, V x* I V (..., n, 6, 1)."""
        return -(self.crm_twists.mT @ (self.inertias @ self.twists))

    def express(self, motions: Array) -> Array:
        """Return motions (..., n, 6, m), each in its link's coordinates, in those of
        the recursion.
        """
        return motions if self.recursion == "body" else self.to_world @ motions

    def express_groups(self, parts: list[Array]) -> list[Array]:
        """Return each group's matrices (..., m, 6, k), in link coordinates, in those of
        the recursion.
        """
        if self.recursion == "body":
            return parts
        to_world = by_group(self.chain, self.to_world)
        return [T @ part for T, part in zip(to_world, parts, strict=True)]

    def along_joints(self, parts: Sequence[Array], rates: Array) -> Array:
        """Return matrices of each group of joints (..., m, 6, k) times joint rates
        (..., nv): (..., n, 6, 1).
        """
        motions = [
            part @ rates[..., j, None]
            for part, (_, _, j) in zip(parts, self.chain.groups, strict=True)
        ]
        return self.express(by_link(self.chain, motions, axis=-3))

    def accumulate(self, joint_parts: Array, ground: Array | None = None) -> Array:
        """Return the sums along the branches of the joints' contributions (..., n, 6,
        1), ground included.
        """
        start = zeros((6, 1)) if ground is None else ground
        parts = unstack(joint_parts, -3)
        return stack(outward(propagate_motion, self.chain.parent, start, self.X, parts), axis=-3)

    def accelerations(self, qdd: Array, ground: Array | None = None) -> Array:
        """Return the acceleration of each link (..., n, 6, 1) for those of the joints
        (..., nv), ground included.
        """
        return self.accumulate(self.along_joints(self.subspaces, qdd) + self.eta, ground)

    def to_frame(self, frame: str) -> Array:
        """Return the transforms from the recursion's coordinates to "body", "world" or
        "mixed" (..., n, 6, 6).
        """
        if frame == self.recursion:
            return eye(6)
        R, p = self.poses
        if self.recursion == "body":
            return self.to_world if frame == "world" else Ad(R, 0 * p)
        return X_motion(R.mT if frame == "body" else eye(3), p)

    def in_frame(self, motions: Array, frame: str) -> Array:
        """Return each link's motion (..., n, 6), given as (..., n, 6, 1), in "body",
        "world" or "mixed".
        """
        return (
            motions[..., 0] if frame == self.recursion else (self.to_frame(frame) @ motions)[..., 0]
        )


def evaluate(
    chain: Chain, q: Array, qd: Array | None = None, *others: Array | None, recursion: str = "body"
) -> State:
    """Return a chain's state; others : further operands, which may hold symbols if q
    does not.
    """
    exact = any([holds_objects(x) for x in (q, qd, *others)])
    return State(chain, q, qd, recursion, exact)
