"""What a chain works out from its links once and keeps: parameters as arrays, columns, joints of one kind as one.

Nobody can write into what is kept, and copies are checked as the original was.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from chaindyn._ops import Array, concatenate, unstack
from chaindyn.guards.bodies import link_index, parent_index, placed_on
from chaindyn.guards.joint_defaults import parameters
from chaindyn.guards.joint_laws import as_guest, check_laws
from chaindyn.guards.model import as_frames, as_links, check_frame, check_gravity, check_links
from chaindyn.guards.numbers import as_array, may_be_nonzero, protected, read_only
from chaindyn.inertia import spatial_inertia
from chaindyn.models.named import Named
from chaindyn.models.parts import Drive, Limits

__all__: list[str] = []


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
    return kind(
        **{name: np.array([getattr(joint, name) for joint in joints]) for name in parameters(kind)}
    )


def in_one_row(parts: Sequence[Any], columns: Sequence[range], kind: Any) -> Array:
    """Return values of each link's joint, one number or one for each of its columns, as one row.

    Whole numbers, such as the zeros where there is no drive, take the precision of the others, or else that of the
    links' numbers, kind, where it is none that whole numbers have with others anyway.
    """
    rows = [
        np.broadcast_to(as_array(part, "part of a link"), (len(own),))
        for part, own in zip(parts, columns, strict=True)
    ]
    precise = [row for row in rows if row.dtype.kind != "i"] or rows
    row = np.concatenate(rows).astype(np.result_type(*precise))
    rare = row.dtype.kind == "i" and kind not in (int, float)
    return read_only(row.astype(kind) if rare else row)


def by_link(chain: Any, parts: Sequence[Array], axis: int) -> Array:
    """Concatenate the results of the groups, in the order of the links."""
    if len(parts) == 1:
        return parts[0]
    joined = concatenate(parts, axis=axis)
    return joined[(..., chain.group_order) + (slice(None),) * (-axis - 1)]


def in_columns(parts: Sequence[Array], columns: Sequence[Array]) -> Array:
    """Return the results of the groups (..., m, k) as rows (..., total), in the order of their columns."""
    flat = [
        part.reshape((*part.shape[:-2], own.size)) for part, own in zip(parts, columns, strict=True)
    ]
    order = np.argsort(np.concatenate([own.ravel() for own in columns]))
    return concatenate(flat, axis=-1)[..., order]


def split_by_joint(chain: Any, rows: Array) -> list[Array]:
    """Return the rows (..., k, m) of (..., nv, m) that belong to each link's joint."""
    return [rows[..., own.start : own.stop, :] for own in chain.v_columns]


def as_columns(chain: Any, parts: Sequence[Array]) -> Array:
    """Return the columns of each group's matrices (..., m, 6, k), one under another (..., nv, 6)."""
    rows = [
        part.mT.reshape((*part.shape[:-3], own.size, 6))
        for part, (_, _, own) in zip(parts, chain.groups, strict=True)
    ]
    if len(rows) == 1:
        return rows[0]
    return concatenate(rows, axis=-2)[..., chain.group_columns, :]


def by_group(chain: Any, matrices: Array) -> list[Array]:
    """Return the matrices (..., m, 6, 6) of each group's links, of those of all links (..., n, 6, 6)."""
    if len(chain.members) == 1:
        return [matrices]
    return [matrices[..., own, :, :] for own in chain.members]


def each_link(chain: Any, parts: Sequence[Array], axis: int = -3) -> list[Array]:
    """Return the results of each group of joints, along an axis, as a list in the order of the links."""
    laid = [own for part in parts for own in unstack(part, axis)]
    return laid if len(parts) == 1 else [laid[k] for k in chain.group_order]


class LinkArrays(Named):
    """The links' parameters as arrays, link axis first, and where each link's joint has its columns.

    A `Chain` derives from it. Everything is checked and worked out when the chain is made.
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "links", as_links(self.links))
        object.__setattr__(self, "gravity", check_gravity(self.gravity))
        object.__setattr__(self, "frames", as_frames(self.frames))
        check_links(self.links, self.names)
        # Made now, so that a bad parent is an error at once, and later changes outside have no effect.
        _ = self.parent, self.mass, self.com, self.inertia, self.offset, self.rotation
        _ = self.reflected_inertia, self.viscous, self.coulomb, self.frame_places
        _ = self.lower_limit, self.upper_limit, self.velocity_limit, self.effort_limit
        check_laws(self.groups, self.joints, self.names)

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild copies from links, gravity and frames, checked and protected as the original."""
        return type(self), (self.links, self.gravity, self.frames)

    @cached_property
    def parent(self) -> tuple[int, ...]:
        """Index of each link's parent, -1 for the ground; the parent may be given as a frame on it."""
        places = {name: i for i, name in enumerate(self.names)}
        on = {frame.name: frame.link for frame in self.frames}
        return tuple(parent_index(i, link.parent, places, on) for i, link in enumerate(self.links))

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
        return read_only([offset for offset, _ in self._seats])

    @cached_property
    def rotation(self) -> Array:
        """Rotations of the joints' frames in their parents (n, 3, 3)."""
        return read_only([rotation for _, rotation in self._seats])

    @cached_property
    def _seats(self) -> list[tuple[Any, Any]]:
        """Where each joint is in its parent; a frame that is given as the parent has a place there."""
        return [
            placed_on(self.frame_places, link.parent, link.offset, link.rotation)[1:]
            for link in self.links
        ]

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

    def _in_one_row(self, parts: Sequence[Any], columns: Sequence[range]) -> Array:
        return in_one_row(parts, columns, self.kind_of_numbers)

    @cached_property
    def rotor_inertia(self) -> Array:
        """The inertia of each joint's rotor about its own axis (nv,) [kg m^2]."""
        return self._in_one_row([drive.rotor_inertia for drive in self.drives], self.v_columns)

    @cached_property
    def gear_ratio(self) -> Array:
        """The turns of each joint's rotor for each turn of the joint, or radians for each metre (nv,)."""
        return self._in_one_row([drive.gear_ratio for drive in self.drives], self.v_columns)

    @cached_property
    def reflected_inertia(self) -> Array:
        """The reflected inertia of each joint's rotor, gear ratio squared times rotor inertia (nv,)."""
        return self._in_one_row(
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
        return self._in_one_row([drive.viscous for drive in self.drives], self.v_columns)

    @cached_property
    def coulomb(self) -> Array:
        """Coulomb friction of each joint, for any rate (nv,)."""
        return self._in_one_row([drive.coulomb for drive in self.drives], self.v_columns)

    @cached_property
    def lower_limit(self) -> Array:
        """The lower limit of each coordinate (nq,) [rad, m], -inf where there is no limit."""
        return self._in_one_row([limits.lower for limits in self.limits], self.q_columns)

    @cached_property
    def upper_limit(self) -> Array:
        """The upper limit of each coordinate (nq,) [rad, m], inf where there is no limit."""
        return self._in_one_row([limits.upper for limits in self.limits], self.q_columns)

    @cached_property
    def velocity_limit(self) -> Array:
        """The largest size of each joint rate (nv,) [rad/s, m/s], inf where there is no limit."""
        return self._in_one_row([limits.velocity for limits in self.limits], self.v_columns)

    @cached_property
    def effort_limit(self) -> Array:
        """The largest size of each joint force (nv,) [N m, N], inf where there is no limit."""
        return self._in_one_row([limits.effort for limits in self.limits], self.v_columns)

    @cached_property
    def has_rotors(self) -> bool:
        """Whether a rotor adds to the inertia of some joint."""
        return may_be_nonzero(self.reflected_inertia)

    @cached_property
    def has_friction(self) -> bool:
        """Whether some joint has friction."""
        return may_be_nonzero(self.viscous) or self.has_coulomb

    @cached_property
    def has_coulomb(self) -> bool:
        """Whether some joint has Coulomb friction."""
        return may_be_nonzero(self.coulomb)

    @cached_property
    def frame_places(self) -> dict[str, tuple[int, Array, Array]]:
        """For each frame's name the index of its link, -1 for the ground, its offset (3,) and its rotation
        (3, 3).
        """
        places: dict[str, tuple[int, Array, Array]] = {}
        for frame in self.frames:
            check_frame(frame, (*self.names, *places))
            link, offset, rotation = placed_on(places, frame.link, frame.offset, frame.rotation)
            try:
                if not isinstance(frame.link, str) or frame.link not in places:
                    on_ground = isinstance(link, str) and link == "ground"
                    link = -1 if on_ground else link_index(link, self.names, self.parent)
            except ValueError as error:
                raise ValueError(f"frame {frame.name!r}: its link: {error}") from None
            places[frame.name] = link, read_only(offset), read_only(rotation)
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
        """Coordinates (nq,) in which every joint is in its zero position: a quaternion is [1, 0, 0, 0].

        Its copies take what is written into them: they have the chain's precision, and are whole numbers only where all
        of the chain's own are, or are symbols or fractions.
        """
        return read_only(self.whole_neutral.astype(self.kind_of_numbers))

    @cached_property
    def whole_neutral(self) -> Array:
        """The same in whole numbers, which take the precision of others."""
        return read_only([x for joint in self.joints for x in joint.neutral])

    @cached_property
    def kind_of_numbers(self) -> Any:
        """The type of number in which the links are given, int where they are whole or no floats."""
        own = (self.mass, self.com, self.inertia, self.offset, self.rotation)
        kinds = {array.dtype for array in own}
        floats = [kind for kind in kinds if kind.kind == "f"]
        whole = not floats or any(kind.kind not in "if" for kind in kinds)
        return np.dtype(int) if whole else np.result_type(*floats)

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
        """Joints of one kind as one joint, parameters stacked; columns (m, nq), (m, nv)."""
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
        """The place of each entry of qd when those of the groups are concatenated (nv,)."""
        return protected(np.argsort(np.concatenate([j.ravel() for _, _, j in self.groups])))

    @cached_property
    def link_of_column(self) -> Array:
        """The link that each entry of qd moves (nv,)."""
        return protected(np.repeat(np.arange(self.n), [joint.nv for joint in self.joints]))

    def index(self, body: int | str | None = None) -> int:
        """Return the index of a link given by index or name, or of the one that carries a frame of this name.

        None is the only leaf; -1 is the ground, where a frame is on it. ValueError if there is no such link or frame,
        or if None is ambiguous.
        """
        return self.place(body)[0]

    def place(self, body: int | str | None = None) -> tuple[int, Array, Array]:
        """Return the index of a body's link, or of the link that carries it, and the body's place on it.

        body : index or name of a link, or a frame's name; None is the only leaf. The index is -1 for a frame
        on the ground. For a frame offset (3,) and rotation (3, 3) follow, for a link None and None.
        ValueError as by `index`.
        """
        if isinstance(body, str) and body in self.frame_places:
            return self.frame_places[body]
        return link_index(body, self.names, self.parent, self.frame_places), None, None

    def link_of(self, which: str, column: int) -> str:
        """Return the name of the link that owns a column of q ("nq") or of qd ("nv")."""
        columns = self.q_columns if which == "nq" else self.v_columns
        return next(name for name, own in zip(self.names, columns, strict=True) if column in own)


def scalar(x: Array) -> Array:
    """Drop the last two axes of (..., 1, 1); without others, return a number."""
    return x.reshape(x.shape[:-2])[()]
