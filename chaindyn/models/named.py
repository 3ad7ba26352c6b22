"""A chain by name: its links, frames and joints, and where the joints have their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.guards.arguments import require_shape
from chaindyn.guards.bodies import index_of_link, link_index
from chaindyn.guards.numbers import as_array, without_precision
from chaindyn.models.shown import same_chain, structure_of, table_of

__all__: list[str] = []


class Named:
    """What `Chain` answers by name. A joint without a name is called as the link that it moves."""

    links: Any
    gravity: Any
    frames: Any

    def __init_subclass__(cls) -> None:
        """Keep the table for what is derived: a dataclass would write a `__repr__` of its own, of all numbers."""
        if "__repr__" not in vars(cls):
            cls.__repr__ = Named.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return table_of(self)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or same_chain(self, other)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(structure_of(self))

    def __len__(self) -> int:
        return len(self.links)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.links)

    def __contains__(self, link: object) -> bool:
        """Whether there is a link of this name, or this very link."""
        return link in self.names if isinstance(link, str) else any(link is x for x in self.links)

    def __getitem__(self, link: int | str) -> Any:
        """Return the `Link` of an index or a name; ValueError if there is none."""
        if link is None:
            raise ValueError("a link is asked for by None, but must be by an index or a name")
        return self.links[index_of_link(self, link)]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Each link's name; a nameless one is called by its index, "link3"."""
        return tuple(link.name or f"link{i}" for i, link in enumerate(self.links))

    @cached_property
    def joint_names(self: Any) -> tuple[str, ...]:
        """The name of each link's joint; one without a name is called as its link."""
        given = [getattr(joint, "name", None) for joint in self.joints]
        names = []
        for called, name in zip(given, self.names, strict=True):
            while not called and name in given:  # of another joint, called as this one's link
                name = f"{name} (joint)"
            names.append(called or name)
        return tuple(names)

    def joint_index(self: Any, joint: int | str) -> int:
        """Return the index of the link that a joint moves; joint : its name, or index or name of the link.

        Its entries of q are then ``chain.q_columns[index]``, of qd, qdd and tau ``chain.v_columns[index]``. ValueError
        if there is no such joint.
        """
        if isinstance(joint, str):
            if joint in self.joint_names:
                return list(self.joint_names).index(joint)
            if joint not in self.names:
                raise ValueError(
                    f"joint is {joint!r}, but this chain's joints are {list(self.joint_names)}"
                )
        elif joint is None:
            raise ValueError("joint is None, but must be a name or an index")
        found: int = link_index(joint, self.names, self.parent)
        return found

    def q_of(self: Any, places: Mapping[str, Any], otherwise: Array | None = None) -> Array:
        """Return q (..., nq) with named joints at places [rad, m], the others as in `otherwise`.

        places : from names of joints to a number or (...,), and to (..., k) where the joint has k coordinates;
        otherwise : (..., nq), by default zero, ``chain.neutral``. A message JointState of ROS gives
        ``chain.q_of(dict(zip(message.name, message.position)))``. ValueError for an unknown joint, one named twice, or
        another number of coordinates.
        """
        given = self.whole_neutral if otherwise is None else otherwise
        return in_columns_by_name(self, places, given, "otherwise", self.q_columns, "coordinates")

    def qd_of(self: Any, rates: Mapping[str, Any], otherwise: Array | None = None) -> Array:
        """Return qd (..., nv) with the rates of named joints, the others as in `otherwise`, by default zero.

        As `q_of`. Accelerations and forces of joints, qdd and tau, have the same columns.
        """
        given = np.zeros(self.nv) if otherwise is None else otherwise
        return in_columns_by_name(self, rates, given, "otherwise", self.v_columns, "rates")

    def named_q(self: Any, q: Array) -> dict[str, Array]:
        """Return the coordinates of each joint that moves by its name: (...,), or (..., k) where it has k.

        q : (..., nq); `q_of` is the way back. ValueError for another shape.
        """
        return by_name(self, q, "q", self.q_columns)

    def named_qd(self: Any, qd: Array) -> dict[str, Array]:
        """Return the entries of qd, qdd or tau (..., nv) of each joint that moves by its name, as `named_q`."""
        return by_name(self, qd, "qd", self.v_columns)


def in_columns_by_name(
    chain: Any,
    values: Mapping[str, Any],
    given: Any,
    name: str,
    columns: Sequence[range],
    what: str,
) -> Array:
    """Return an array (..., total) with named joints' entries put in the place of those of a given one."""
    if not isinstance(values, Mapping):
        raise ValueError(
            f"{values!r} is no mapping from names of joints to {what}, such as {{{chain.joint_names[-1]!r}: 0.3}}"
        )
    given = as_array(given, name)
    require_shape(given, name, (columns[-1].stop,))
    parts: dict[int, Any] = {}
    kinds: list[Any] = [given]
    for joint, value in values.items():
        i = chain.joint_index(joint)
        if i in parts:
            raise ValueError(f"joint {chain.joint_names[i]!r} is named twice: once as {joint!r}")
        size, own = len(columns[i]), as_array(value, f"the {what} of joint {joint!r}")
        kinds.append(without_precision(value, own))
        own = own[..., None] if size == 1 else own
        if own.shape[-1:] != (size,):
            raise ValueError(
                f"joint {joint!r} has {size} {what}, but is given an array of shape {np.shape(value)}"
            )
        parts[i] = own
    try:
        batch = np.broadcast_shapes(given.shape[:-1], *(own.shape[:-1] for own in parts.values()))
    except ValueError:
        shapes = {chain.joint_names[i]: own.shape[:-1] for i, own in parts.items()}
        raise ValueError(
            f"the batch axes of {name} {given.shape[:-1]} and of the joints {shapes} cannot be broadcast together"
        ) from None
    precise = [kind for kind in kinds if np.asarray(kind).dtype.kind not in "iu"]
    whole = np.empty((*batch, given.shape[-1]), np.result_type(*precise or [float]))
    whole[...] = given
    for i, own in parts.items():
        whole[..., list(columns[i])] = own
    return whole


def by_name(chain: Any, x: Any, name: str, columns: Sequence[range]) -> dict[str, Array]:
    """Return the columns of an array (..., total) that belong to each joint that moves."""
    x = as_array(x, name)
    require_shape(x, name, (columns[-1].stop,))
    moving = [(j, own) for j, own in zip(chain.joint_names, columns, strict=True) if len(own)]
    return {
        joint: x[..., own.start] if len(own) == 1 else x[..., own.start : own.stop]
        for joint, own in moving
    }
