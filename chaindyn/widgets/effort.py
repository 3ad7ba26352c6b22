"""An arm to pose and to move, and what each joint must do for it: against weight, for velocity, for acceleration."""

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

PARTS = ("weight", "velocity", "acceleration", "load")


class EffortExplorer(Explorer):
    """Set posture, velocities, accelerations and a load; see what each joint's torque is made of.

    The parts are differences of rnea(chain, q, qd, qdd, external=..., external_frame="mixed") -> (nv,): at rest
    (weight), with qd (velocity), with qdd (acceleration), with the load; the arrows are the force parts of
    joint_wrenches(the same, frame="mixed") -> (n, 6), what each parent exerts on its link. Both are the book's
    own if not given. q, qd, qdd : (nv,) where it starts, zero if not given. load : mass [kg] whose weight
    hangs at the tip; its own inertia is left out. joint : index or name of the link whose joint is looked at
    first, the first that moves if None. tip, limits : as for `ChainExplorer`.
    ValueError if a joint is not revolute, prismatic or fixed, no joint moves, the one to look at does not,
    load is negative or not finite, or q, qd, qdd, tip or limits have another shape.
    """

    _esm = linked("effort.js")
    _css = source("base.css", "stage.css")

    def __init__(
        self,
        chain: Chain,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        rnea: Callable[..., Any] = chaindyn.rnea,
        joint_wrenches: Callable[..., Any] = chaindyn.joint_wrenches,
        load: float = 0.0,
        joint: int | str | None = None,
        tip: ArrayLike | None = None,
        limits: ArrayLike | None = None,
    ) -> None:
        check_chain(chain)
        require_drawable(chain)
        require_no_rotors(chain, "EffortExplorer")
        if chain.nv == 0:
            raise ValueError("chain has no joint that moves: there is no torque to show")
        moving = sorted(set(chain.link_of_column))
        looked_at = int(moving[0]) if joint is None else chain.joint_index(joint)
        if looked_at not in moving:
            raise ValueError(f"joint is {joint!r}, which is fixed: it must be one that moves")
        load = float(load)
        if not 0 <= load < np.inf:
            raise ValueError(f"load is {load:g} kg, but must be finite and not negative")
        mass = float(chain.mass.sum())
        scene = {
            **scene_of(chain, tip, limits),
            "mass": chain.mass,
            "inertia": chain.inertia,
            "gravity": chain.gravity,
            "parts": PARTS,
            "joint": looked_at,
            "heaviest": max(1.0, np.ceil(mass), np.ceil(load)),
        }
        start = {
            name: np.zeros(chain.nv) if x is None else shaped(name, x, (chain.nv,))
            for name, x in {"q": q, "qd": qd, "qdd": qdd}.items()
        }
        self.chain = chain
        self.tip = np.array(scene["tip"], float)
        functions = {"rnea": rnea, "joint_wrenches": joint_wrenches}
        super().__init__(functions, {**start, "load": load}, scene)

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the poses, the parts (4, nv) of the joint forces, and each joint's wrench (n, 6), "mixed"."""
        chain = self.chain
        q, qd, qdd = (np.array(request[name], float) for name in ("q", "qd", "qdd"))
        R, p = forward_kinematics(chain, q)
        weight = request["load"] * np.asarray(chain.gravity, float)
        external = np.zeros((chain.n, 6))
        external[-1] = [*np.cross(R[-1] @ self.tip, weight), *weight]
        still = 0 * qd
        steps = [(still, still, 0), (qd, still, 0), (qd, qdd, 0), (qd, qdd, 1)]
        efforts = [self._call("rnea", q, v, a, on * external, (chain.nv,)) for v, a, on in steps]
        wrench = self._call("joint_wrenches", q, qd, qdd, external, (chain.n, 6), frame="mixed")
        return {"R": R, "p": p, "parts": np.diff(efforts, axis=0, prepend=0), "wrench": wrench}

    def _call(
        self,
        name: str,
        q: np.ndarray,
        qd: np.ndarray,
        qdd: np.ndarray,
        external: np.ndarray,
        shape: tuple[int, ...],
        **options: str,
    ) -> np.ndarray:
        options |= {"external_frame": "mixed"}
        (result,) = self.call(
            name, self.chain, q, qd, qdd, external=external, shapes=[shape], **options
        )
        return result
