"""A state's bookkeeping: groups of joints of one kind, inertias as the recursion wants them, frames of results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from chaindyn._ops import Array, concatenate, eye, stack
from chaindyn.guards.arguments import FrameWord, RecursionWord
from chaindyn.guards.bodies import pose_of_body
from chaindyn.guards.equations import warn_if_far
from chaindyn.lie import Ad
from chaindyn.models.arrays import as_columns, by_group, by_link, each_link
from chaindyn.spatial import X_motion

__all__: list[str] = []


class GroupedState:
    """What a `State` derives from. Joints of one kind form a group and are evaluated in one call."""

    chain: Any
    q: Array
    qd: Array
    recursion: RecursionWord
    exact: bool
    poses: Any
    transforms: Array
    to_world: Array

    @cached_property
    def subspaces(self) -> list[Array]:
        """The motion subspaces of each group of joints (..., m, 6, k), in link coordinates."""
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
        """The motion subspaces of each group (..., m, 6, k), in the coordinates of the recursion."""
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
        """For each link [S X] (..., 6, k + 6), which takes joint rates and the parent's motion to its motion."""
        pairs = zip(self.expressed_subspaces, by_group(self.chain, self.transforms), strict=True)
        return each_link(self.chain, [concatenate(pair, axis=-1) for pair in pairs])

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

    def express(self, motions: Array) -> Array:
        """Return motions (..., n, 6, m), each in its link's coordinates, in those of the recursion."""
        return motions if self.recursion == "body" else self.to_world @ motions

    def express_groups(self, parts: list[Array]) -> list[Array]:
        """Return each group's matrices (..., m, 6, k), in link coordinates, in those of the recursion."""
        if self.recursion == "body":
            return parts
        to_world = by_group(self.chain, self.to_world)
        return [T @ part for T, part in zip(to_world, parts, strict=True)]

    def along_joints(self, parts: Sequence[Array], rates: Array) -> Array:
        """Return matrices of each group of joints (..., m, 6, k) times joint rates (..., nv): (..., n, 6, 1)."""
        motions = [
            part @ rates[..., j, None]
            for part, (_, _, j) in zip(parts, self.chain.groups, strict=True)
        ]
        return self.express(by_link(self.chain, motions, axis=-3))

    def to_frame(self, frame: FrameWord) -> Array:
        """Return the transforms from the recursion's coordinates to "body", "world" or "mixed" (..., n, 6, 6)."""
        if frame == self.recursion:
            return eye(6)
        R, p = self.poses
        if self.recursion == "body":
            return self.to_world if frame == "world" else Ad(R, 0 * p)
        return X_motion(R.mT if frame == "body" else eye(3), p)

    def in_frame(self, motions: Array, frame: FrameWord, body: int | str | None = None) -> Array:
        """Return each link's motion (..., n, 6), given as (..., n, 6, 1), in "body", "world" or "mixed".

        With a body, that of this link or frame alone (..., 6).
        """
        if body is not None:
            return motion_of_body(self, motions, body, frame)
        if frame == self.recursion:
            return motions[..., 0]
        return (self.to_frame(frame) @ motions)[..., 0]

    def maps_in_frame(self, maps: Array, frame: FrameWord, body: int | str | None = None) -> Array:
        """Return each link's map from wrenches to motions (..., n, 6, 6) in "body", "world" or "mixed".

        With a body, that of this link or frame alone (..., 6, 6).
        """
        if body is not None:
            link, steps = steps_to_body(self, body, frame)
            if link < 0:
                return 0 * maps[..., 0, :, :]
            own = maps[..., link, :, :]
            for T in steps:
                own = T @ own @ T.mT
            return own
        if frame == self.recursion:
            return maps
        T = self.to_frame(frame)
        return T @ maps @ T.mT


def motion_of_body(state: Any, motions: Array, body: int | str | None, frame: FrameWord) -> Array:
    """Return the motion of one link or frame (..., 6) in "body", "world" or "mixed".

    motions : (..., n, 6, 1), in the coordinates of the recursion. What is on the ground stands still.
    """
    link, steps = steps_to_body(state, body, frame)
    if link < 0:
        return 0 * motions[..., 0, :, 0]
    own = motions[..., link, :, :]
    for T in steps:
        own = T @ own
    return own[..., 0]


def steps_to_body(state: Any, body: int | str | None, frame: FrameWord) -> tuple[int, list[Array]]:
    """Return a body's link, -1 for the ground, and the transforms (..., 6, 6), to be applied one after another.

    They take the link's motion from the coordinates of the recursion to that of the body in "body", "world" or
    "mixed".
    """
    link, offset, rotation = state.chain.place(body)
    if link < 0 or frame == state.recursion == "world":
        return link, []
    if frame == "world":
        return link, [state.to_world[..., link, :, :]]
    if state.recursion == "world":
        R_link, p_link = state.poses
        R, p = pose_of_body(state.chain, R_link, p_link, body)
        return link, [X_motion(R.mT if frame == "body" else eye(3), p)]
    steps = [] if offset is None else [X_motion(rotation.mT, offset)]
    if frame == "mixed":
        R_link, p_link = state.poses
        R, _ = pose_of_body(state.chain, R_link, p_link, body)
        steps.append(Ad(R, 0 * R[..., 0]))
    return link, steps
