# Generated from chapters/04_joints_links_chains_trees.md by `python -m book export`; edit it there.
# sha256 of the text below: 93433f78866f0cf11afe87e16b545e8898efb67e500d77d18b1be4f139c77ed3
"""Links, the chains and trees that joints make of them, and sweeps along the branches.

Derived in chapter 4, "Joints, links, chains, trees".
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from chaindyn._ops import Array, broadcast_batch, concatenate, eye, stack, unstack, walker, zeros
from chaindyn.guards.arguments import check_batch
from chaindyn.guards.door import checked
from chaindyn.guards.joint_laws import as_guest, check_laws
from chaindyn.guards.model import as_frames, as_links, check_frame, check_gravity, check_links
from chaindyn.guards.numbers import as_array, may_be_nonzero, protected, read_only
from chaindyn.spatial import spatial_inertia

__all__ = [
    "Chain",
    "Drive",
    "Frame",
    "Limits",
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
class Drive:
    """The motor of a joint and its gear: reflected inertia and friction.

    rotor_inertia : of the rotor about its own axis [kg m^2]; gear_ratio : its turns for
    each turn of the joint, or, where the joint slides, its radians for each metre. The
    joint feels the reflected inertia gear_ratio^2 rotor_inertia [kg m^2, kg]. viscous :
    friction for each unit of the joint's rate [N m s, N s/m];
    coulomb : friction whatever the rate [N m, N]; both as the joint feels them: see
    `joint_friction`. One number each, or one for each rate of the joint.
    """

    rotor_inertia: Any = 0
    gear_ratio: Any = 1
    viscous: Any = 0
    coulomb: Any = 0


# Chapter 4, "Joints, links, chains, trees": A link and its frame
@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of a joint's coordinates, rates and forces; infinite is no limit.

    lower, upper : of its coordinates [rad, m]; velocity : of the size of its rates
    [rad/s, m/s]; effort : of the size of its forces [N m, N]. One number each, or one
    for each coordinate or rate. `assemble` keeps lower and upper; the dynamics enforces
    none of them.
    """

    lower: Any = -math.inf
    upper: Any = math.inf
    velocity: Any = math.inf
    effort: Any = math.inf


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


# Chapter 4, "Joints, links, chains, trees": A link and its frame
@dataclass(frozen=True, eq=False)
class Frame:
    """A named pose on a link or on the ground: a tool, a camera, the corner of a table.

    link : index or name of the link that carries it, "ground", or None for the only
    leaf; offset (3,) [m] of its origin and rotation (3, 3) of its axes there: the
    frame's point x is ``offset + rotation @ x`` in the link's frame. The values are
    checked when a `Chain` is made with it.
    """

    name: str
    link: int | str | None
    offset: Any = (0, 0, 0)
    rotation: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


# Chapter 4, "Joints, links, chains, trees": Chains and trees: the parent array
def parent_index(i: int, parent: int | str | None, places: Mapping[str, int]) -> int:
    """Return the index of link i's parent, -1 for the ground; places : the index of
    each name, in order.

    ValueError if it is no earlier link.
    """
    if parent is None:
        return i - 1
    named = isinstance(parent, str)
    if named and parent == "ground":
        return -1
    index: Any = places.get(str(parent), parent) if named else parent
    if isinstance(index, int | np.integer) and not isinstance(index, bool) and 0 <= index < i:
        return int(index)
    names = list(places)
    raise ValueError(
        f"link {i} ({names[i]!r}) has parent {parent!r}: a parent is None (the previous "
        f'link), "ground", or the index or name of an earlier link: {names[:i]}'
    )


def link_index(body: int | str | None, names: Sequence[str], parent: Sequence[int]) -> int:
    """Return the index of a body given by index or name; None is the only leaf."""
    n = len(names)
    if body is None:
        leaves = sorted(set(range(n)) - set(parent))
        if len(leaves) > 1:
            raise ValueError(
                "body is None, the only leaf, but there are "
                f"{len(leaves)}: {[names[i] for i in leaves]}"
            )
        return leaves[0]
    if isinstance(body, str) and body in names:
        return names.index(body)
    if isinstance(body, int | np.integer) and not isinstance(body, bool) and -n <= body < n:
        return int(body) % n
    raise ValueError(f"body is {body!r}: an index below {n} or one of {list(names)} would do")


# Chapter 4, "Joints, links, chains, trees": Chains and trees: the parent array
def consecutive(counts: Sequence[int]) -> tuple[range, ...]:
    """Return ranges of the given lengths, each starting where the one before ends."""
    ends = accumulate(counts)
    return tuple(range(end - count, end) for end, count in zip(ends, counts, strict=True))


def members_by_kind(joints: Sequence[Any]) -> list[list[int]]:
    """Return, for each kind of joint that occurs, the indices of its joints."""
    kinds = list(dict.fromkeys(type(joint) for joint in joints))
    return [[i for i, joint in enumerate(joints) if type(joint) is kind] for kind in kinds]


def stack_joints(joints: Sequence[Any]) -> Any:
    """Return one joint whose parameters are those of several of its kind, stacked."""
    kind = type(joints[0])
    names = [field.name for field in fields(kind)]
    return kind(*(np.array([getattr(joint, name) for joint in joints]) for name in names))


def in_one_row(parts: Sequence[Any], columns: Sequence[range]) -> Array:
    """Return values of each link's joint, one number or one for each of its columns, as
    one row.

    Whole numbers, such as the zeros where there is no drive, take the precision of the
    others.
    """
    rows = [
        np.broadcast_to(as_array(part, "part of a link"), (len(own),))
        for part, own in zip(parts, columns, strict=True)
    ]
    precise = [row for row in rows if row.dtype.kind != "i"] or rows
    return read_only(np.concatenate(rows).astype(np.result_type(*precise)))


# Chapter 4, "Joints, links, chains, trees": Chains and trees: the parent array
@dataclass(frozen=True, eq=False)
class Chain:
    """Links joined to one another, and their parameters as arrays, link axis first.

    links : each after its parent; gravity : (3,) acceleration of free fall in the world
    [m/s^2]; frames : each a `Frame`, named poses on links. ValueError names the link
    whose mass, inertia, joint, placement, name or parent is impossible, or the frame.
    """

    links: Sequence[Link]
    gravity: Any = (0, 0, -9.81)
    frames: Sequence[Frame] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "links", as_links(self.links))
        object.__setattr__(self, "gravity", check_gravity(self.gravity))
        object.__setattr__(self, "frames", as_frames(self.frames))
        check_links(self.links, self.names)
        # Made now, so that a bad parent is an error at once, and later changes outside
        # have no effect.
        _ = self.parent, self.mass, self.com, self.inertia, self.offset, self.rotation
        _ = self.reflected_inertia, self.viscous, self.coulomb, self.frame_places
        _ = self.lower_limit, self.upper_limit, self.velocity_limit, self.effort_limit
        check_laws(self.groups, self.joints, self.names)

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild copies from links, gravity and frames, checked and protected as the
        original.
        """
        return type(self), (self.links, self.gravity, self.frames)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Each link's name; a nameless one is called by its index, "link3"."""
        return tuple(link.name or f"link{i}" for i, link in enumerate(self.links))

    @cached_property
    def parent(self) -> tuple[int, ...]:
        """Index of each link's parent, -1 for the ground."""
        places = {name: i for i, name in enumerate(self.names)}
        return tuple(parent_index(i, link.parent, places) for i, link in enumerate(self.links))

    @cached_property
    def n(self) -> int:
        """Number of links."""
        return len(self.links)

    @cached_property
    def joints(self) -> tuple[Any, ...]:
        """Each link's joint."""
        return tuple(link.joint for link in self.links)

    @cached_property
    def mass(self) -> Array:
        """Masses (n,) [kg]."""
        return read_only([link.mass for link in self.links])

    @cached_property
    def com(self) -> Array:
        """Centres of mass in link frames (n, 3) [m]."""
        return read_only([link.com for link in self.links])

    @cached_property
    def inertia(self) -> Array:
        """Inertias about the centres of mass in link axes (n, 3, 3) [kg m^2]."""
        return read_only([link.inertia for link in self.links])

    @cached_property
    def offset(self) -> Array:
        """Origins of the joints in their parents (n, 3) [m]."""
        return read_only([link.offset for link in self.links])

    @cached_property
    def rotation(self) -> Array:
        """Rotations of the joints' frames in their parents (n, 3, 3)."""
        return read_only([link.rotation for link in self.links])

    @cached_property
    def spatial_inertia(self) -> Array:
        """Spatial inertias about the link origins in link axes (n, 6, 6)."""
        return read_only(spatial_inertia(self.mass, self.com, self.inertia))

    @cached_property
    def drives(self) -> tuple[Drive, ...]:
        """Each link's drive; one without inertia and friction where there is none."""
        return tuple(link.drive or Drive() for link in self.links)

    @cached_property
    def limits(self) -> tuple[Limits, ...]:
        """Each link's limits; infinite ones where there are none."""
        return tuple(link.limits or Limits() for link in self.links)

    @cached_property
    def reflected_inertia(self) -> Array:
        """The reflected inertia of each joint's rotor, gear ratio squared times rotor
        inertia (nv,).
        """
        return in_one_row(
            [
                as_array(drive.rotor_inertia, "rotor_inertia")
                * as_array(drive.gear_ratio, "gear_ratio") ** 2
                for drive in self.drives
            ],
            self.v_columns,
        )

    @cached_property
    def viscous(self) -> Array:
        """Friction of each joint for each unit of its rate (nv,)."""
        return in_one_row([drive.viscous for drive in self.drives], self.v_columns)

    @cached_property
    def coulomb(self) -> Array:
        """Coulomb friction of each joint, for any rate (nv,)."""
        return in_one_row([drive.coulomb for drive in self.drives], self.v_columns)

    @cached_property
    def lower_limit(self) -> Array:
        """The lower limit of each coordinate (nq,) [rad, m], -inf where there is no
        limit.
        """
        return in_one_row([limits.lower for limits in self.limits], self.q_columns)

    @cached_property
    def upper_limit(self) -> Array:
        """The upper limit of each coordinate (nq,) [rad, m], inf where there is no
        limit.
        """
        return in_one_row([limits.upper for limits in self.limits], self.q_columns)

    @cached_property
    def velocity_limit(self) -> Array:
        """The largest size of each joint rate (nv,) [rad/s, m/s], inf where there is no
        limit.
        """
        return in_one_row([limits.velocity for limits in self.limits], self.v_columns)

    @cached_property
    def effort_limit(self) -> Array:
        """The largest size of each joint force (nv,) [N m, N], inf where there is no
        limit.
        """
        return in_one_row([limits.effort for limits in self.limits], self.v_columns)

    @cached_property
    def has_rotors(self) -> bool:
        """Whether a rotor adds to the inertia of some joint."""
        return may_be_nonzero(self.reflected_inertia)

    @cached_property
    def has_friction(self) -> bool:
        """Whether some joint has friction."""
        return may_be_nonzero(self.viscous) or may_be_nonzero(self.coulomb)

    @cached_property
    def frame_places(self) -> dict[str, tuple[int, Array, Array]]:
        """For each frame's name the index of its link, -1 for the ground, its offset
        (3,) and its rotation (3, 3).
        """
        places: dict[str, tuple[int, Array, Array]] = {}
        for frame in self.frames:
            check_frame(frame, (*self.names, *places))
            try:
                on_ground = isinstance(frame.link, str) and frame.link == "ground"
                link = -1 if on_ground else link_index(frame.link, self.names, self.parent)
            except ValueError as error:
                raise ValueError(f"frame {frame.name!r}: its link: {error}") from None
            places[frame.name] = link, read_only(frame.offset), read_only(frame.rotation)
        return places

    @cached_property
    def q_columns(self) -> tuple[range, ...]:
        """Which entries of q belong to each link's joint."""
        return consecutive([joint.nq for joint in self.joints])

    @cached_property
    def v_columns(self) -> tuple[range, ...]:
        """Which entries of qd belong to each link's joint."""
        return consecutive([joint.nv for joint in self.joints])

    @cached_property
    def nq(self) -> int:
        """Number of joint coordinates."""
        return sum(joint.nq for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        """Number of joint velocities, the degrees of freedom."""
        return sum(joint.nv for joint in self.joints)

    @cached_property
    def neutral(self) -> Array:
        """Coordinates (nq,) in which every joint is in its zero position: a quaternion
        is [1, 0, 0, 0].
        """
        return read_only([x for joint in self.joints for x in joint.neutral])

    @cached_property
    def quaternions(self) -> Array:
        """Which entries of q are quaternions, (m, 4)."""
        columns = [
            [own[k] for k in joint.quaternion]
            for joint, own in zip(self.joints, self.q_columns, strict=True)
            if joint.quaternion
        ]
        return protected(np.array(columns, int).reshape(-1, 4))

    @cached_property
    def groups(self) -> tuple[tuple[Any, Array, Array], ...]:
        """Joints of one kind as one joint, parameters stacked; columns (m, nq), (m,
        nv).
        """
        return tuple(
            (
                as_guest(stack_joints([self.joints[i] for i in members])),
                protected(np.array([self.q_columns[i] for i in members], int)),
                protected(np.array([self.v_columns[i] for i in members], int)),
            )
            for members in members_by_kind(self.joints)
        )

    @cached_property
    def members(self) -> tuple[Array, ...]:
        """The links of each group (m,)."""
        return tuple(protected(np.array(own)) for own in members_by_kind(self.joints))

    @cached_property
    def any_turns(self) -> bool:
        """Whether the motion subspace of some joint depends on q."""
        return any(joint.turns for joint in self.joints)

    @cached_property
    def group_order(self) -> Array:
        """The place of each link when the groups are concatenated (n,)."""
        return protected(np.argsort(np.concatenate(self.members)))

    @cached_property
    def group_columns(self) -> Array:
        """The place of each entry of qd when those of the groups are concatenated
        (nv,).
        """
        return protected(np.argsort(np.concatenate([j.ravel() for _, _, j in self.groups])))

    @cached_property
    def link_of_column(self) -> Array:
        """The link that each entry of qd moves (nv,)."""
        return protected(np.repeat(np.arange(self.n), [joint.nv for joint in self.joints]))

    def index(self, body: int | str | None = None) -> int:
        """Return the index of a link given by index or name; None is the only leaf.

        ValueError if there is no such link, or if None is ambiguous.
        """
        if isinstance(body, str) and body in self.frame_places:
            link = self.frame_places[body][0]
            where = "the ground" if link < 0 else f"link {self.names[link]!r}"
            raise ValueError(f"body is {body!r}, a frame on {where}, but must be a link here")
        return link_index(body, self.names, self.parent)

    def place(self, body: int | str | None = None) -> tuple[int, Array, Array]:
        """Return the index of a body's link, or of the link that carries it, and the
        body's place on it.

        body : index or name of a link, or a frame's name; None is the only leaf. The
        index is -1 for a frame on the ground. For a frame offset (3,) and rotation (3,
        3) follow, for a link None and None. ValueError as by `index`.
        """
        if isinstance(body, str) and body in self.frame_places:
            return self.frame_places[body]
        return self.index(body), None, None

    def path(self, body: int | str | None = None) -> tuple[int, ...]:
        """Return the indices of the links from the ground out to a body and itself."""
        path, i = [], self.index(body)
        while i >= 0:
            path.append(i)
            i = self.parent[i]
        return tuple(reversed(path))

    def link_of(self, which: str, column: int) -> str:
        """Return the name of the link that owns a column of q ("nq") or of qd
        ("nv").
        """
        columns = self.q_columns if which == "nq" else self.v_columns
        return next(name for name, own in zip(self.names, columns, strict=True) if column in own)


# Chapter 4, "Joints, links, chains, trees": Two ways to walk a tree
def outward(step: Callable[..., Any], parent: Sequence[int], ground: Any, *links: Any) -> list[Any]:
    """Sweep from the ground outwards along the branches.

    step(value of the parent, *data of the link) -> value of the link.
    `ground` is the ground's value; `links` are sequences with an entry for each link.
    A link comes after its parent. Returns the value of each link.
    """
    if (recorder := walker.get()) is not None:  # chapter 20: each kind of link once
        whole: list[Any] = recorder.outward(step, parent, ground, links)
        return whole
    carried: list[Any] = []
    for p, *link in zip(parent, *links, strict=True):
        carried.append(step(ground if p < 0 else carried[p], *link))
    return carried


def inward(
    step: Callable[..., Any], parent: Sequence[int], nothing: Sequence[Any], *links: Any
) -> tuple[list[Any], list[Any]]:
    """Sweep from the leaves inwards to the ground.

    step(sum of the children's contributions, *data of the link) -> (kept,
    contribution). A contribution is a tuple; tuples are added entry by entry, and
    `nothing` is that of a leaf. Returns what each link keeps, and the sum at the
    ground.
    """
    if (recorder := walker.get()) is not None:
        whole: tuple[list[Any], list[Any]] = recorder.inward(step, parent, nothing, links)
        return whole
    n = len(parent)
    received = [nothing] * (n + 1)  # the last one is the ground's
    kept: list[Any] = [None] * n
    for i, (p, *link) in reversed(list(enumerate(zip(parent, *links, strict=True)))):
        kept[i], handed = step(received[i], *link)
        first = received[p] is nothing
        received[p] = handed if first else [a + b for a, b in zip(received[p], handed, strict=True)]
    return kept, list(received[-1])


# Chapter 4, "Joints, links, chains, trees": Where everything is
def by_link(chain: Chain, parts: Sequence[Array], axis: int) -> Array:
    """Concatenate the results of the groups, in the order of the links."""
    if len(parts) == 1:
        return parts[0]
    joined = concatenate(parts, axis=axis)
    return joined[(..., chain.group_order) + (slice(None),) * (-axis - 1)]


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
    """Return the pose of each link in the world, R (..., n, 3, 3) and p (..., n, 3),
    from those in the parents.
    """
    ground = eye(3), zeros((3, 1))
    poses = outward(pose_step, chain.parent, ground, unstack(R, -3), unstack(p[..., None], -3))
    columns = stack([p for _, p in poses], axis=-3)
    return stack([R for R, _ in poses], axis=-3), columns[..., 0]


def pose_of_body(chain: Chain, R: Array, p: Array, body: int | str | None) -> tuple[Array, Array]:
    """Return R (..., 3, 3) and p (..., 3) in the world of one link or frame, from those
    of all links.
    """
    link, offset, rotation = chain.place(body)
    if link < 0:  # as many as there are postures
        return rotation + 0 * R[..., 0, :, :], offset + 0 * p[..., 0, :]
    R, p = R[..., link, :, :], p[..., link, :]
    if offset is None:
        return R, p
    return R @ rotation, p + (R @ offset[:, None])[..., 0]


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
    rng = np.random.default_rng(rng)
    q = np.zeros((*batch, chain.nq))
    for joint, columns, _ in chain.groups:
        q[..., columns] = joint.random(rng, (*batch, len(columns)))
    return q, rng.normal(size=(*batch, chain.nv))


# Chapter 4, "Joints, links, chains, trees": Where everything is
@checked(q="nq")
def within_limits(chain: Chain, q: Array) -> Array:
    """Return whether every coordinate keeps its limits, booleans (...); q : (..., nq),
    numbers.

    ``np.clip(q, chain.lower_limit, chain.upper_limit)`` brings the others to theirs.
    """
    return ((q >= chain.lower_limit) & (q <= chain.upper_limit)).all(-1)


# Chapter 4, "Joints, links, chains, trees": Where everything is
def in_columns(parts: Sequence[Array], columns: Sequence[Array]) -> Array:
    """Return the results of the groups (..., m, k) as rows (..., total), in the order
    of their columns.
    """
    flat = [
        part.reshape((*part.shape[:-2], own.size)) for part, own in zip(parts, columns, strict=True)
    ]
    order = np.argsort(np.concatenate([own.ravel() for own in columns]))
    return concatenate(flat, axis=-1)[..., order]


@checked(q="nq", qd="nv")
def coordinate_rate(chain: Chain, q: Array, qd: Array) -> Array:
    """Return dq/dt (..., nq) when a chain at q (..., nq) moves with the joint
    velocities qd (..., nv).

    It is qd where a joint's coordinates are its angles or lengths; a quaternion changes
    by half of its product with [0; w].
    """
    q, qd = broadcast_batch([q, qd], 1)
    parts = [joint.rate(q[..., i], qd[..., j]) for joint, i, j in chain.groups]
    return in_columns(parts, [i for _, i, _ in chain.groups])


@checked(q="nq", step="nv")
def integrate(chain: Chain, q: Array, step: Array) -> Array:
    """Return the coordinates (..., nq) that the constant joint velocities `step` lead
    to in one second.

    q : (..., nq); step : (..., nv), a velocity times a time. A sum where a joint's
    coordinates are its angles or lengths; on a ball or a free body the exponential,
    with the quaternion renormalised.
    """
    parts = [joint.integrate(q[..., i], step[..., j]) for joint, i, j in chain.groups]
    return in_columns(parts, [i for _, i, _ in chain.groups])


@checked(q0="nq", q1="nq")
def difference(chain: Chain, q0: Array, q1: Array) -> Array:
    """Return the shortest step (..., nv) with integrate(chain, q0, step) = q1, up to a
    quaternion's sign.

    q0, q1 : (..., nq). Angles of hinges are not wrapped: they count turns.
    """
    parts = [joint.difference(q0[..., i], q1[..., i]) for joint, i, _ in chain.groups]
    return in_columns(parts, [j for _, _, j in chain.groups])
