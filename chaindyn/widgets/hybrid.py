"""A chain whose joints are each told an acceleration or given a force, and what the joints answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import chaindyn
from chaindyn import Chain, forward_kinematics
from chaindyn.guards.arguments import check_chain, check_mask
from chaindyn.guards.model import require_no_rotors
from chaindyn.widgets.explorer import Explorer, linked, source
from chaindyn.widgets.tree import VIEWS, joint_kinds, require_drawable, scene_of, shaped


class HybridExplorer(Explorer):
    """Tell some joints how to accelerate, push the others; see the forces of the first, the motion of the second.

    q, qd : (nv,) where the chain starts, zero if not given. prescribed : (nv,) booleans, true where the
    acceleration is told at first, by default at the first joint alone; qdd : (n_u,) those accelerations,
    tau : (n_v,) the forces of the others, zero if not given. hybrid_dynamics(chain, q, qd, *, prescribed, qdd,
    tau) -> qdd (nv,), tau (nv,): the book's own if not given. view : "space", "xy", "xz" or "yz", how the chain
    is looked at first. tip, limits : as for `ChainExplorer`. ValueError if a joint is not revolute, prismatic
    or fixed, no joint moves, there is no such view, prescribed is not nv booleans, or another argument has
    another shape.
    """

    _esm = linked("hybrid.js")
    _css = source("base.css", "stage.css", "hybrid.css")

    def __init__(
        self,
        chain: Chain,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        *,
        prescribed: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        hybrid_dynamics: Callable[..., Any] = chaindyn.hybrid_dynamics,
        view: str = "space",
        tip: ArrayLike | None = None,
        limits: ArrayLike | None = None,
    ) -> None:
        check_chain(chain)
        require_drawable(chain)
        require_no_rotors(chain, "HybridExplorer")
        nv = chain.nv
        if nv == 0:
            raise ValueError("chain has no joint that moves: there is nothing to tell or to push")
        if view not in VIEWS:
            raise ValueError(f"view is {view!r}, but must be one of {list(VIEWS)}")
        told = np.arange(nv) == 0 if prescribed is None else prescribed
        told = check_mask(told, "prescribed", nv)
        start = {
            name: np.zeros(nv) if x is None else shaped(name, x, (nv,))
            for name, x in {"q": q, "qd": qd}.items()
        }
        for name, x, where in [("qdd", qdd, told), ("tau", tau, ~told)]:
            start[name] = np.zeros(nv)
            if x is not None:
                start[name][where] = shaped(name, x, (int(where.sum()),))
        scene = scene_of(chain, tip, limits)
        scene |= {
            "mass": chain.mass,
            "inertia": chain.inertia,
            "gravity": chain.gravity,
            "view": VIEWS[view],
            "strongest": _strongest(chain, scene["tip"]),
        }
        self.chain = chain
        super().__init__({"hybrid_dynamics": hybrid_dynamics}, {**start, "prescribed": told}, scene)

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the poses, and all accelerations and all joint forces, (nv,) each, given and answered."""
        chain, told = self.chain, np.array(request["prescribed"], bool)
        q, qd, qdd, tau = (np.array(request[name], float) for name in ("q", "qd", "qdd", "tau"))
        R, p = forward_kinematics(chain, q)
        given = {"prescribed": told, "qdd": qdd[told], "tau": tau[~told]}
        shapes: list[tuple[int, ...]] = [(chain.nv,), (chain.nv,)]
        qdd, tau = self.call("hybrid_dynamics", chain, q, qd, **given, shapes=shapes)
        return {"R": R, "p": p, "qdd": qdd, "tau": tau}


def _strongest(chain: Chain, tip: np.ndarray) -> list[float]:
    """Return how far the slider of each joint's force goes: twice what the weight of all it carries could ask of it."""
    step = np.linalg.norm(chain.offset, axis=-1)
    last = np.linalg.norm([*chain.com[:-1], tip], axis=-1)
    most = []
    for i in chain.link_of_column:
        beyond = [k for k in range(chain.n) if i in chain.path(k)]
        lengths = [step[[j for j in chain.path(k) if j > i]].sum() + last[k] for k in beyond]
        arm = max(lengths) if joint_kinds(chain)[i] == "Revolute" else 1
        most.append(_rounded_up(20 * chain.mass[beyond].sum() * arm or 1.0))  # at 10 m/s^2
    return most


def _rounded_up(x: float) -> float:
    power = 10.0 ** np.floor(np.log10(x))
    return next(float(m * power) for m in (1, 2, 5, 10) if m * power >= x)
