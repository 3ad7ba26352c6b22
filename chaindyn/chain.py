# Generated from chapters/04_joints_links_chains_trees.md by `python -m book export`; edit it there.
# sha256 of the text below: f83584d6d3f2c8788854f6adc777763c996d2e287d1ca46c4167f101b9739ed9
"""Links, the chains and trees that joints make of them, and sweeps along the branches.

Derived in chapter 4, "Joints, links, chains, trees".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import Array, broadcast_batch, eye, replaceable, stack, unstack, zeros
from chaindyn.guards.arguments import check_batch
from chaindyn.guards.bodies import pose_of_body
from chaindyn.guards.door import checked
from chaindyn.models.arrays import LinkArrays, by_link, in_columns
from chaindyn.models.parts import Drive, Frame, Limits

__all__ = [
    "Chain",
    "Link",
    "coordinate_rate",
    "difference",
    "forward_kinematics",
    "integrate",
    "inward",
    "outward",
    "random_state",
    "within_limits",
]


# Chapter 4, "Joints, links, chains, trees": A link and its frame
@dataclass(frozen=True, eq=False)
class Link:
    """One rigid body and the joint between it and its parent.

    joint : Revolute, Prismatic, Helical, Cylindrical, Planar, Universal, Spherical,
    Free, Fixed, or any other `Joint`; mass [kg]; com (3,) centre of mass in the link
    frame [m]; inertia (3, 3) about the centre of mass in link axes [kg m^2]; offset
    (3,) [m] and rotation (3, 3) place the joint's frame in the parent's: the joint's
    point x is ``offset + rotation @ x`` there. parent : None is the previous link (the
    first hangs on the ground); or an index, a name, "ground". drive : the joint's motor
    and gear, a `Drive`; limits : its `Limits`. The values are checked when a `Chain` is
    made of the links.
    """

    joint: Any
    mass: Any
    com: Any
    inertia: Any
    offset: Any = (0, 0, 0)
    rotation: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    parent: int | str | None = None
    name: str | None = None
    drive: Drive | None = None
    limits: Limits | None = None


# Chapter 4, "Joints, links, chains, trees": Chains and trees: the parent array
@dataclass(frozen=True, eq=False)
class Chain(LinkArrays):
    """Links joined to one another, and their parameters as arrays, link axis first.

    links : each after its parent; gravity : (3,) acceleration of free fall in the world
    [m/s^2]; frames : each a `Frame`, named poses on links. ValueError names the link
    whose mass, inertia, joint, placement, name or parent is impossible, or the frame.
    """

    links: Sequence[Link]
    gravity: Any = (0, 0, -9.81)
    frames: Sequence[Frame] = ()

    def path(self, body: int | str | None = None) -> tuple[int, ...]:
        """Return the indices of the links from the ground out to a body and itself."""
        path, i = [], self.index(body)
        while i >= 0:
            path.append(i)
            i = self.parent[i]
        return tuple(reversed(path))


# Chapter 4, "Joints, links, chains, trees": Two ways to walk a tree
@replaceable
def outward(step: Callable[..., Any], parent: Sequence[int], ground: Any, *links: Any) -> list[Any]:
    """Sweep from the ground outwards along the branches.

    step(value of the parent, *data of the link) -> value of the link.
    `ground` is the ground's value; `links` are sequences with an entry for each link.
    A link comes after its parent. Returns the value of each link.
    """
    carried: list[Any] = []
    for p, *link in zip(parent, *links, strict=True):
        carried.append(step(ground if p < 0 else carried[p], *link))
    return carried


# Chapter 4, "Joints, links, chains, trees": Two ways to walk a tree
@replaceable
def inward(
    step: Callable[..., Any], parent: Sequence[int], nothing: Sequence[Any], *links: Any
) -> tuple[list[Any], list[Any]]:
    """Sweep from the leaves inwards to the ground.

    step(sum of the children's contributions, *data of the link) -> (kept,
    contribution). A contribution is a tuple; tuples are added entry by entry, and
    `nothing` is that of a leaf. Returns what each link keeps, and the sum at the
    ground.
    """
    received = [nothing] * (len(parent) + 1)  # the last one is the ground's
    kept: list[Any] = [None] * len(parent)
    for i, (p, *link) in reversed(list(enumerate(zip(parent, *links, strict=True)))):
        kept[i], own = step(received[i], *link)
        if received[p] is nothing:
            received[p] = own
        else:
            received[p] = [a + b for a, b in zip(received[p], own, strict=True)]
    return kept, list(received[-1])


# Chapter 4, "Joints, links, chains, trees": Where everything is
def joint_poses(chain: Chain, q: Array) -> tuple[Array, Array]:
    """Return the pose of each link in its parent; q : (..., nq).

    Returns R (..., n, 3, 3) and p (..., n, 3) [m].
    """
    poses = [joint.pose(q[..., columns]) for joint, columns, _ in chain.groups]
    R = by_link(chain, [R for R, _ in poses], axis=-3)
    p = by_link(chain, [p for _, p in poses], axis=-2)
    return chain.rotation @ R, chain.offset + (chain.rotation @ p[..., None])[..., 0]


def pose_step(parent: tuple[Array, Array], R: Array, p: Array) -> tuple[Array, Array]:
    """Link step: the pose in the world, from the parent's and that in the parent."""
    R_parent, p_parent = parent
    return R_parent @ R, p_parent + R_parent @ p


def world_poses(chain: Chain, R: Array, p: Array) -> tuple[Array, Array]:
    """Return R (..., n, 3, 3), p (..., n, 3) in the world, from those in parents."""
    ground, columns = (eye(3), zeros((3, 1))), unstack(p[..., None], -3)
    poses = outward(pose_step, chain.parent, ground, unstack(R, -3), columns)
    p_world = stack([p for _, p in poses], axis=-3)
    return stack([R for R, _ in poses], axis=-3), p_world[..., 0]


# Chapter 4, "Joints, links, chains, trees": Where everything is
@checked(q="nq")
def forward_kinematics(
    chain: Chain, q: Array, body: int | str | None = None
) -> tuple[Array, Array]:
    """Return the pose of every link frame in the world, or of one body.

    q : (..., nq). Returns R (..., n, 3, 3), which takes link axes to world axes, and p
    (..., n, 3), the link origins in the world [m]. body : index or name of a link, or a
    frame's name: R is (..., 3, 3) then, and p (..., 3); None is all links. Alexiou
    (2023), (1)-(2), with the length of the right link. ValueError if q has another
    shape or is not finite, or if there is no such body.
    """
    R, p = world_poses(chain, *joint_poses(chain, q))
    return (R, p) if body is None else pose_of_body(chain, R, p, body)


# Chapter 4, "Joints, links, chains, trees": Where everything is
@checked()
def random_state(
    chain: Chain,
    rng: np.random.Generator | int | None = None,
    *,
    batch: tuple[int, ...] = (),
) -> tuple[Array, Array]:
    """Return q (*batch, nq), spread over the joints' range, and normal qd (*batch, nv).

    rng : a NumPy generator or a seed. ValueError if batch is no tuple of counts.
    """
    check_batch(batch)
    rng, q = np.random.default_rng(rng), np.zeros((*batch, chain.nq))
    for joint, columns, _ in chain.groups:
        q[..., columns] = joint.random(rng, (*batch, len(columns)))
    return q, rng.normal(size=(*batch, chain.nv))


@checked(q="nq")
def within_limits(chain: Chain, q: Array) -> Array:
    """Return whether every coordinate keeps its limits, booleans (...); q : (..., nq).

    ``np.clip(q, chain.lower_limit, chain.upper_limit)`` brings the others to theirs.
    """
    return ((q >= chain.lower_limit) & (q <= chain.upper_limit)).all(-1)


# Chapter 4, "Joints, links, chains, trees": Where everything is
@checked(q="nq", qd="nv")
def coordinate_rate(chain: Chain, q: Array, qd: Array) -> Array:
    """Return dq/dt (..., nq) of a chain at q (..., nq) that moves with qd (..., nv).

    It is qd where a joint's coordinates are its angles or lengths; a quaternion changes
    by half of its product with [0; w].
    """
    q, qd = broadcast_batch([q, qd], 1)
    parts = [joint.rate(q[..., i], qd[..., j]) for joint, i, j in chain.groups]
    return in_columns(parts, [i for _, i, _ in chain.groups])


@checked(q="nq", step="nv")
def integrate(chain: Chain, q: Array, step: Array) -> Array:
    """Return q (..., nq) after one second at the joint velocities `step` (..., nv).

    q : (..., nq); step : a velocity times a time. A sum where a joint's
    coordinates are its angles or lengths; on a ball or a free body the exponential,
    with the quaternion renormalised.
    """
    parts = [joint.integrate(q[..., i], step[..., j]) for joint, i, j in chain.groups]
    return in_columns(parts, [i for _, i, _ in chain.groups])


@checked(q0="nq", q1="nq")
def difference(chain: Chain, q0: Array, q1: Array) -> Array:
    """Return the shortest step (..., nv) with integrate(chain, q0, step) = q1.

    q0, q1 : (..., nq); a quaternion is met up to its sign. Angles of hinges are not
    wrapped: they count turns.
    """
    parts = [joint.difference(q0[..., i], q1[..., i]) for joint, i, _ in chain.groups]
    return in_columns(parts, [j for _, _, j in chain.groups])
