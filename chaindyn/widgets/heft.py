"""A chain to bend, and how heavy it feels at a joint in each direction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import chaindyn
from chaindyn import Chain, forward_kinematics
from chaindyn.guards.bodies import index_of_link
from chaindyn.guards.model import require_no_rotors
from chaindyn.widgets.explorer import Explorer, linked, source
from chaindyn.widgets.tree import VIEWS, require_drawable, scene_of, shaped


class HeftExplorer(Explorer):
    """Bend a chain and hold it at a joint: a curve shows the mass that is felt there in each direction.

    The distance of the curve from the joint is the mass that resists being accelerated that way, without the
    hand turning. q : (nq,) where it starts, zero if not given. articulated_inertia(chain, q) -> (n, 6, 6) in
    link axes, and apparent_inertia(inertia, S) -> (6, 6): the book's own if not given; the mass is the linear
    3x3 block of the second of the first. body : index or name of the link whose joint is held. view : "space",
    "xy", "xz" or "yz", how it is looked at first. tip, limits : as for `ChainExplorer`.
    ValueError if a joint is not revolute, prismatic or fixed, there is no such view or body, or q, tip or
    limits have another shape.
    """

    _esm = linked("heft.js")
    _css = source("base.css", "stage.css")

    def __init__(
        self,
        chain: Chain,
        q: ArrayLike | None = None,
        *,
        articulated_inertia: Callable[..., Any] = chaindyn.articulated_inertia,
        apparent_inertia: Callable[..., Any] = chaindyn.apparent_inertia,
        body: int | str = 0,
        view: str = "space",
        tip: ArrayLike | None = None,
        limits: ArrayLike | None = None,
    ) -> None:
        require_drawable(chain)
        require_no_rotors(chain, "HeftExplorer")
        if view not in VIEWS:
            raise ValueError(f"view is {view!r}, but must be one of {list(VIEWS)}")
        scene = {
            **scene_of(chain, tip, limits),
            "inertia": chain.inertia,
            "mass": chain.mass,
            "view": VIEWS[view],
        }
        q = np.zeros(chain.nq) if q is None else shaped("q", q, (chain.nq,))
        self.chain = chain
        functions = {
            "articulated_inertia": articulated_inertia,
            "apparent_inertia": apparent_inertia,
        }
        super().__init__(functions, {"q": q, "body": index_of_link(chain, body)}, scene)

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the poses, and the mass felt at the joint that is held, (3, 3) in world axes."""
        chain, q, i = self.chain, np.array(request["q"], float), request["body"]
        R, p = forward_kinematics(chain, q)
        (inertia,) = self.call("articulated_inertia", chain, q, shapes=[(chain.n, 6, 6)])
        S = chain.joints[i].motion_subspace(q[list(chain.q_columns[i])])
        (felt,) = self.call("apparent_inertia", inertia[i], S, shapes=[(6, 6)])
        return {"R": R, "p": p, "felt": R[i] @ felt[3:, 3:] @ R[i].T}
