"""A brick to turn by hand, its rotation vector, and the ways from one attitude to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import chaindyn
from chaindyn.widgets.explorer import Explorer, linked, source
from chaindyn.widgets.tree import shaped

STEPS = 40  # of the way, from 0 to 1


class RotationExplorer(Explorer):
    """Turn a brick by hand; see its rotation vector, quaternion and matrix, and its way to another attitude.

    exp_so3(w) -> (3, 3) and log_so3(R) -> (3,): the book's own if not given. The attitude is exp_so3 of the
    vector that is set, the arrow what log_so3 finds in it, and the way from R to the target's R1 is
    ``R @ exp_so3(s * log_so3(R.T @ R1))``. w, target : (3,) rotation vectors where the two start [rad], each
    at most a whole turn long. ValueError if they are longer, not finite or of another shape.
    """

    _esm = linked("rotation.js")
    _css = source("base.css", "stage.css")

    def __init__(
        self,
        *,
        exp_so3: Callable[..., Any] = chaindyn.exp_so3,
        log_so3: Callable[..., Any] = chaindyn.log_so3,
        w: ArrayLike = (1.3, 0.8, 0.9),
        target: ArrayLike = (0.4, -1.4, 1.6),
    ) -> None:
        start = {"w": _at_most_a_turn("w", w), "target": _at_most_a_turn("target", target)}
        super().__init__({"exp_so3": exp_so3, "log_so3": log_so3}, start, {"steps": STEPS})

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return both attitudes (3, 3), the arrow (3,), and the way (n, 3, 3), evenly in s from 0 to 1."""
        start, end = (self._exp(request[name]) for name in ("w", "target"))
        step = self._log(start.T @ end)
        way = [start @ self._exp(s * step) for s in np.linspace(0, 1, STEPS + 1)]
        return {"R": start, "target": end, "log": self._log(start), "way": way}

    def _exp(self, w: ArrayLike) -> np.ndarray:
        (R,) = self.call("exp_so3", np.array(w, float), shapes=[(3, 3)])
        return R

    def _log(self, R: np.ndarray) -> np.ndarray:
        (w,) = self.call("log_so3", R, shapes=[(3,)])
        return w


def _at_most_a_turn(name: str, w: ArrayLike) -> np.ndarray:
    w = shaped(name, w, (3,))
    if np.linalg.norm(w) > 2 * np.pi:
        raise ValueError(
            f"{name} is {np.linalg.norm(w):.3g} long: it must be at most a whole turn, 2 pi"
        )
    return w
