"""A robot as its file describes it: the chain, and what stands beside it by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.chain import Chain
from chaindyn.guards.arguments import check_word
from chaindyn.models.shapes import Geometry
from chaindyn.models.shown import model_as_text
from chaindyn.postures import difference

__all__ = ["Model"]


@dataclass(frozen=True, eq=False)
class Model:
    """What a file says of a robot; `load_mjcf` and `load_model` make it.

    chain : its links, joints, drives, limits and gravity; geometries : the shapes that may touch, for
    `simulate_contact`; constraints : what closes its loops and couples its joints, for `simulate`, `assemble` and all
    that take constraints. joints : from the file's name of a joint to the link that it moves; bodies, sites : from its
    name of a body or site to the link or `Frame` of the chain that has its pose. postures : named coordinates q (nq,).
    stiffness (nv,) [N m/rad, N/m], relaxed (nq,) : springs in the joints, and the coordinates at which they rest.
    apart : pairs of indices of geometries that the file lets pass through each other. left_out : what the file says
    and nothing here holds, by name; empty where all was taken.

    >>> ball = "<body><freejoint/><geom size='.1' mass='1'/></body>"
    >>> model = load_mjcf(f"<mujoco><worldbody>{ball}</worldbody></mujoco>")
    >>> model.chain.nv, model.geometries[0].shape
    (6, Sphere(radius=0.1))
    """

    chain: Chain
    geometries: tuple[Geometry, ...] = ()
    constraints: tuple[Any, ...] = ()
    joints: Mapping[str, str] = field(default_factory=dict)
    bodies: Mapping[str, str] = field(default_factory=dict)
    sites: Mapping[str, str] = field(default_factory=dict)
    postures: Mapping[str, Array] = field(default_factory=dict)
    stiffness: Any = None
    relaxed: Any = None
    apart: frozenset[tuple[int, int]] = frozenset()
    left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return model_as_text(self)

    def position_columns(self, joint: str) -> slice:
        """Return where q has the coordinates of a joint of this name; ValueError for an unknown one."""
        columns = self.chain.q_columns[self._link(joint)]
        return slice(columns.start, columns.stop)

    def velocity_columns(self, joint: str) -> slice:
        """Return where qd, qdd and tau have the entries of a joint, which is called as in the file; ValueError for
        another name.
        """
        columns = self.chain.v_columns[self._link(joint)]
        return slice(columns.start, columns.stop)

    def posture(self, places: Mapping[str, Any]) -> Array:
        """Return q (nq,) with named joints at places [rad, m], all others at zero: `q_of` of the chain."""
        return self.chain.q_of(places)

    def places(self, q: Array) -> dict[str, Array]:
        """Return the coordinates of each joint by its name: `named_q` of the chain."""
        return self.chain.named_q(q)

    def springs(self, t: Any, q: Array, qd: Array) -> Array:
        """Return the joint forces (..., nv) of the springs, as a `torque` of `simulate`; zero without springs.

        Each is stiffness times what is missing to the relaxed coordinates: for a ball, the rotation vector.
        """
        if self.stiffness is None:
            return np.zeros_like(qd)
        return self.stiffness * difference(self.chain, q, self.relaxed)

    def _link(self, joint: str) -> int:
        check_word(joint, "joint", set(self.joints))
        return self.chain.index(self.joints[joint])
