# Generated from chapters/04_joints_links_chains_trees.md by `python -m book export`; edit it there.
# sha256 of the text below: 53c8210246c958cd262cbea8fc9cf46d4221545ce592193f6c27d25dbeca3051
"""Links, the chains and trees that joints make of them, and sweeps along the branches.

Derived in chapter 4, "Joints, links, chains, trees".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from chaindyn._ops import Array, eye, replaceable, stack, unstack, zeros
from chaindyn.array_types import Array3, Array3x3, ArrayNq, ArrayNx3, ArrayNx3x3
from chaindyn.guards.bodies import pose_of_body
from chaindyn.guards.door import checked
from chaindyn.models.arrays import LinkArrays, by_link
from chaindyn.models.parts import Drive, Frame, Limits

__all__ = ["Chain", "Link", "forward_kinematics", "inward", "outward"]


# Chapter 4, "Joints, links, chains, trees": Links and chains
@dataclass(frozen=True, eq=False)
class Link:
    """One rigid body and the joint between it and its parent.

    joint : Revolute, Prismatic, Helical, Cylindrical, Planar, Universal, Spherical,
    Free, Fixed, or any other `Joint`; mass [kg]; com (3,) centre of mass in the link
    frame [m]; inertia (3, 3) about the centre of mass in link axes [kg m^2]; offset
    (3,) [m] and rotation (3, 3) place the joint's frame in the parent's: the joint's
    point x is ``offset + rotation @ x`` there. parent : None is the previous link (the
    first hangs on the ground); or an index, a link's or a frame's name, "ground".
    drive : the joint's motor and gear, a `Drive`; limits : its `Limits`. The values are
    checked when a `Chain` is made of the links.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, name="rod")
    >>> crba(Chain([rod]), np.zeros(1)).round(4)
    array([[0.3333]])
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

    >>> I = np.diag([0, 1, 1]) / 12
    >>> upper = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, name="upper")
    >>> lower = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, offset=(1, 0, 0))
    >>> arm = Chain([upper, lower])
    >>> arm.n, arm.nq, arm.nv
    (2, 2, 2)
    >>> rnea(arm, np.zeros(2), np.zeros(2), np.zeros(2)).round(3)
    array([-19.62 ,  -4.905])
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


# Chapter 4, "Joints, links, chains, trees": One walk for every machine
@replaceable
def outward(step: Callable[..., Any], parent: Sequence[int], ground: Any, *links: Any) -> list[Any]:
    """Sweep from the ground outwards along the branches.

    step(value of the parent, *data of the link) -> value of the link.
    `ground` is the ground's value; `links` are sequences with an entry for each link.
    A link comes after its parent. Returns the value of each link.

    >>> parent, lengths = (-1, 0, 1), (3, 2, 1)
    >>> outward(lambda before, length: before + length, parent, 0, lengths)
    [3, 5, 6]
    """
    carried: list[Any] = []
    for p, *link in zip(parent, *links, strict=True):
        carried.append(step(ground if p < 0 else carried[p], *link))
    return carried


# Chapter 4, "Joints, links, chains, trees": One walk for every machine
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


# Chapter 4, "Joints, links, chains, trees": One walk for every machine
@checked(q="nq")
def forward_kinematics(
    chain: Chain, q: ArrayNq, body: int | str | None = None
) -> tuple[ArrayNx3x3 | Array3x3, ArrayNx3 | Array3]:
    """Return the pose of every link frame in the world, or of one body.

    q : (..., nq). Returns R (..., n, 3, 3), which takes link axes to world axes, and p
    (..., n, 3), the link origins in the world [m]. body : index or name of a link, or a
    frame's name: R is (..., 3, 3) then, and p (..., 3); None is all links. Alexiou
    (2023), (1)-(2), with the length of the right link. ValueError if q has another
    shape or is not finite, or if there is no such body.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> upper = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)
    >>> lower = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, offset=(1, 0, 0))
    >>> R, p = forward_kinematics(Chain([upper, lower]), np.array([-np.pi / 2, 0]))
    >>> p.round(9) + 0.0
    array([[0., 0., 0.],
           [0., 0., 1.]])
    """
    R, p = world_poses(chain, *joint_poses(chain, q))
    return (R, p) if body is None else pose_of_body(chain, R, p, body)


# Chapter 4, "Joints, links, chains, trees": A tree, and two ways to walk it
def added(sums: Any, own: Sequence[Any], nothing: Any) -> Any:
    """Return sums that are still `nothing`, or a tuple's entries, and another tuple."""
    return own if sums is nothing else [a + b for a, b in zip(sums, own, strict=True)]


@replaceable
def inward(
    step: Callable[..., Any], parent: Sequence[int], nothing: Sequence[Any], *links: Any
) -> tuple[list[Any], list[Any]]:
    """Sweep from the leaves inwards to the ground.

    step(sum of the children's contributions, *data of the link) -> (kept,
    contribution). A contribution is a tuple; tuples are added entry by entry, and
    `nothing` is that of a leaf. Returns what each link keeps, and the sum at the
    ground.

    >>> parent, masses = (-1, 0, 1), (3, 2, 1)
    >>> def carry(outside, mass):
    ...     return mass + outside[0], (mass + outside[0],)
    >>> inward(carry, parent, (0,), masses)
    ([6, 3, 1], [6])
    """
    below, at_ground = [nothing] * len(parent), nothing
    kept: list[Any] = [None] * len(parent)
    for i, (p, *link) in reversed(list(enumerate(zip(parent, *links, strict=True)))):
        kept[i], own = step(below[i], *link)
        if p < 0:
            at_ground = added(at_ground, own, nothing)
        else:
            below[p] = added(below[p], own, nothing)
    return kept, list(at_ground)
