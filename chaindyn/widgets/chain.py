"""A chain to turn joint by joint, with the screws of its joints and the Jacobian of a body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import chaindyn
from chaindyn import Chain
from chaindyn._check import FRAMES, check_chain
from chaindyn.widgets._base import Explorer, source


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

    _esm = source("base.js", "tree.js", "chain.js")

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
        _require_drawable(chain)
        if frame not in list(FRAMES):
            raise ValueError(f"frame is {frame!r}, but must be one of {sorted(FRAMES)}")
        scene = _scene(chain, tip, limits)
        q = np.zeros(chain.nq) if q is None else _shaped("q", q, (chain.nq,))
        self.chain = chain
        functions = {"forward_kinematics": forward_kinematics, "body_jacobian": body_jacobian}
        start = {"q": q, "body": chain.index(chain.n - 1 if body is None else body), "frame": frame}
        super().__init__(functions, start, scene)

    def compute(self, request: dict) -> dict[str, Any]:
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


def _kinds(chain: Chain) -> list[str]:
    """Return the joints' kinds by name: in a chapter's notebook the joints are classes of its own cells."""
    return [type(joint).__name__ for joint in chain.joints]


def _require_drawable(chain: Chain) -> None:
    for name, kind in zip(chain.names, _kinds(chain), strict=True):
        if kind not in ("Revolute", "Prismatic", "Fixed"):
            raise ValueError(
                f"joint of link {name!r} is {kind}: only revolute, prismatic and fixed can be shown"
            )


def _tree(chain: Chain) -> dict[str, Any]:
    """Return what the page needs of a chain to pose it: the product of its joints' transforms, outward."""
    return {
        "names": chain.names,
        "parent": chain.parent,
        "kind": _kinds(chain),
        "axis": [getattr(joint, "axis", (0, 0, 0)) for joint in chain.joints],
        "column": [columns[0] if columns else None for columns in map(list, chain.q_columns)],
        "offset": chain.offset,
        "rotation": chain.rotation,
        "com": chain.com,
    }


def _scene(chain: Chain, tip: ArrayLike | None, limits: ArrayLike | None) -> dict[str, Any]:
    """Return the tree, where its last link ends, how far it reaches, and how far its sliders go."""
    tip = chain.com[-1] if tip is None else _shaped("tip", tip, (3,))
    reach = _reach(chain, tip)
    return {**_tree(chain), "tip": tip, "reach": reach, "limits": _limits(chain, limits, reach)}


def _reach(chain: Chain, tip: np.ndarray) -> float:
    """Return how far from the ground the chain could stretch, were its joints to let it [m]."""
    step = np.linalg.norm(chain.offset, axis=-1)
    last = np.linalg.norm([*chain.com[:-1], tip], axis=-1)
    return max(step[list(chain.path(i))].sum() + last[i] for i in range(chain.n)) or 1.0


def _limits(chain: Chain, limits: ArrayLike | None, reach: float) -> np.ndarray:
    if limits is not None:
        limits = _shaped("limits", limits, (chain.nq, 2))
        for k, (lower, upper) in enumerate(limits):
            if not lower < upper:
                raise ValueError(
                    f"limits[{k}] (link {chain.link_of('nq', k)!r}) is {lower:g} to {upper:g}: "
                    "the first must be below the second"
                )
        return limits
    largest = [np.pi if kind == "Revolute" else reach for kind in _kinds(chain) if kind != "Fixed"]
    return np.outer(largest, [-1, 1]).reshape(-1, 2)


def _shaped(name: str, x: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    x = np.asarray(x, float)
    if x.shape != shape or not np.isfinite(x).all():
        raise ValueError(f"{name} has shape {x.shape}, but must be finite and of shape {shape}")
    return x
