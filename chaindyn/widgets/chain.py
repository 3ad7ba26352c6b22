"""A chain to turn joint by joint, with the screws of its joints and the Jacobian of a body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import chaindyn
from chaindyn import Chain
from chaindyn.guards.arguments import FRAMES, check_chain
from chaindyn.guards.bodies import index_of_link
from chaindyn.widgets.explorer import Explorer, linked, source
from chaindyn.widgets.tree import require_drawable, scene_of, shaped


class ChainExplorer(Explorer):
    """Turn a chain joint by joint; see its poses, its joints' screws, and a body's Jacobian column by column.

    q : (nq,) where it starts, zero if not given. forward_kinematics(chain, q) -> R (n, 3, 3), p (n, 3), and
    body_jacobian(chain, q, body, frame=...) -> (6, nv): the book's own if not given. The picture is drawn
    from what they return: links between the poses, joint axes from the Jacobian's columns.
    body : index or name of the body whose Jacobian is shown, the last link if None; frame : what it is
    expressed in, "world", "body" or "mixed". tip : (3,) where the last link ends, in its frame, its centre
    of mass if None. limits : (nq, 2) range of each coordinate; if None, a turn either way, or a slide by
    the reach of the chain. ValueError if a joint is not revolute, prismatic or fixed, or q, tip or
    limits have another shape.
    """

    _esm = linked("chain.js")
    _css = source("base.css", "stage.css")

    def __init__(
        self,
        chain: Chain,
        q: ArrayLike | None = None,
        *,
        forward_kinematics: Callable[..., Any] = chaindyn.forward_kinematics,
        body_jacobian: Callable[..., Any] = chaindyn.body_jacobian,
        body: int | str | None = None,
        frame: str = "world",
        tip: ArrayLike | None = None,
        limits: ArrayLike | None = None,
    ) -> None:
        check_chain(chain)
        require_drawable(chain)
        if frame not in list(FRAMES):
            raise ValueError(f"frame is {frame!r}, but must be one of {sorted(FRAMES)}")
        scene = scene_of(chain, tip, limits)
        q = np.zeros(chain.nq) if q is None else shaped("q", q, (chain.nq,))
        self.chain = chain
        functions = {"forward_kinematics": forward_kinematics, "body_jacobian": body_jacobian}
        start = {
            "q": q,
            "body": index_of_link(chain, chain.n - 1 if body is None else body),
            "frame": frame,
        }
        super().__init__(functions, start, scene)

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the poses, and the body's Jacobian in the chosen frame and in the world."""
        q, n = np.array(request["q"], float), self.chain.n
        R, p = self.call("forward_kinematics", self.chain, q, shapes=[(n, 3, 3), (n, 3)])
        J = {
            frame: self._jacobian(q, request["body"], frame)
            for frame in {request["frame"], "world"}
        }
        return {"R": R, "p": p, "J": J[request["frame"]], "J_world": J["world"]}

    def _jacobian(self, q: np.ndarray, body: int, frame: str) -> np.ndarray:
        (J,) = self.call(
            "body_jacobian", self.chain, q, body, frame=frame, shapes=[(6, self.chain.nv)]
        )
        return J
