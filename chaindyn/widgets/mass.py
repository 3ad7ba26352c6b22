"""A tree to bend, its mass matrix, and the bodies that make each entry of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import chaindyn
from chaindyn import Chain, forward_kinematics
from chaindyn.guards.arguments import check_chain
from chaindyn.guards.model import require_no_rotors
from chaindyn.widgets.explorer import Explorer, linked, source
from chaindyn.widgets.tree import require_drawable, scene_of, shaped


class MassMatrixExplorer(Explorer):
    """Point at an entry of the mass matrix; see the bodies that make it, their common mass and centre.

    The bodies are those that hang on both joints, that of the row and that of the column; where there is none
    the entry is zero in every posture. q : (nq,) where the chain starts, zero if not given. crba(chain, q)
    -> (nv, nv): the book's own if not given. entry : row and column to begin with, from 0. tip, limits : as
    for `ChainExplorer`. ValueError if a joint is not revolute, prismatic or fixed, no joint moves, there is no
    such entry, or q, tip or limits have another shape.
    """

    _esm = linked("mass.js")
    _css = source("base.css", "stage.css")

    def __init__(
        self,
        chain: Chain,
        q: ArrayLike | None = None,
        *,
        crba: Callable[..., Any] = chaindyn.crba,
        entry: tuple[int, int] = (0, 0),
        tip: ArrayLike | None = None,
        limits: ArrayLike | None = None,
    ) -> None:
        check_chain(chain)
        require_drawable(chain)
        require_no_rotors(chain, "MassMatrixExplorer")
        if chain.nv == 0:
            raise ValueError("chain has no joint that moves: its mass matrix is empty")
        if list(entry) not in [[i, j] for i in range(chain.nv) for j in range(chain.nv)]:
            raise ValueError(
                f"entry is {entry!r}, but must be a row and a column from 0 to {chain.nv - 1}"
            )
        scene = {
            **scene_of(chain, tip, limits),
            "inertia": chain.inertia,
            "mass": chain.mass,
            "entry": list(entry),
        }
        q = np.zeros(chain.nq) if q is None else shaped("q", q, (chain.nq,))
        self.chain = chain
        super().__init__({"crba": crba}, {"q": q}, scene)

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the poses and the mass matrix."""
        q, nv = np.array(request["q"], float), self.chain.nv
        R, p = forward_kinematics(self.chain, q)
        (M,) = self.call("crba", self.chain, q, shapes=[(nv, nv)])
        return {"R": R, "p": p, "M": M}
