"""An atlas of blows: how heavy a chain is where it strikes, over its postures and directions, and how rare that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chaindyn import Chain, forward_kinematics
from chaindyn.atlas import strike as strike_of_book
from chaindyn.guards.arguments import check_chain, unit
from chaindyn.guards.model import require_no_rotors
from chaindyn.sweeps import Drawn
from chaindyn.widgets.explorer import Explorer, fields_of, linked, source
from chaindyn.widgets.tree import VIEWS, require_drawable, scene_of, shaped

RESULTS = ("mass", "force", "moment")
CELLS = 41  # of the map, each way
MOST_DRAWN = 500  # blows that are drawn in one go
WIDEST = 30  # of the axis of masses on either side of the chain's own, if no atlas is given
RARE = 5e-4  # the share of an atlas that may lie beyond the axis


class AtlasExplorer(Explorer):
    """See how heavy a chain is where it strikes, how rare that is, and what its bearings carry.

    It can be bent and turned. Beside it stand a map over two joints, and a histogram of effective masses, which blows
    drawn at random fill.
    q, direction : (nq,) and (3,), where it starts; direction is that in which the chain strikes, in world axes.
    strike(chain, q, direction, *, body) -> a `Strike`, for one blow and for a batch, with arrays mass (...), force and
    moment (..., n) of blows at 1 m/s: the book's own if not given. body : index or name of the link whose origin
    strikes, or a frame's name, None for the only leaf. atlas : (edges (m + 1,), counts (m,)) of masses [kg] in a
    large sweep, if there is one. cases : name -> (q, direction), blows to look at by a button. axes : the two joints
    of the map, each the index or name of a link, the second and third that carry the body if not given. limits : as
    for `ChainExplorer`; the blows are drawn between them. view : "space", "xy", "xz" or "yz", how it is looked at
    first. ValueError if a joint is not revolute, prismatic or fixed, fewer than two joints carry the body, there is
    no such view, body or axis, the atlas's edges do not increase, or an argument has another shape.
    """

    _esm = linked("atlas.js")
    _css = source("base.css", "stage.css", "map.css", "atlas.css")

    def __init__(
        self,
        chain: Chain,
        q: ArrayLike | None = None,
        direction: ArrayLike = (1, 0, 0),
        *,
        strike: Callable[..., Any] = strike_of_book,
        body: int | str | None = None,
        atlas: tuple[ArrayLike, ArrayLike] | None = None,
        cases: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
        axes: Sequence[int | str] | None = None,
        limits: ArrayLike | None = None,
        view: str = "space",
    ) -> None:
        check_chain(chain)
        require_drawable(chain)
        require_no_rotors(chain, "AtlasExplorer")
        if view not in VIEWS:
            raise ValueError(f"view is {view!r}, but must be one of {list(VIEWS)}")
        struck, offset, _ = chain.place(body)
        if struck < 0:
            raise ValueError(f"body is {body!r}, a frame on the ground, which strikes nothing")
        point = np.zeros(3) if offset is None else offset
        tip = point if struck == chain.n - 1 and point.any() else None
        self.chain, self.body = chain, body
        scene = {
            **scene_of(chain, tip, limits),
            "view": VIEWS[view],
            "body": struck,
            "point": point,
            "cells": CELLS,
            "drawn": MOST_DRAWN,
        }
        scene |= {"total": chain.mass.sum(), **_atlas(atlas, chain.mass.sum())}
        self.limits = scene["limits"]
        here = _case(chain, "the start", np.zeros(chain.nq) if q is None else q, direction)
        others = {name: _case(chain, name, *case) for name, case in (cases or {}).items()}
        scene["cases"] = [{"name": name, **case} for name, case in others.items()]
        start = {**here, "axes": _axes(chain, axes, struck), "quantity": ["mass", 0]}
        functions = {"strike": fields_of(strike, *RESULTS)}
        super().__init__(functions, {**start, "map": None, "sample": None}, scene)

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the blow in the present posture, and the map and the drawn masses that the request asks for."""
        q, direction = np.array(request["q"], float), np.array(request["direction"], float)
        R, p = forward_kinematics(self.chain, q)
        values = {"R": R, "p": p, **self._struck(q, direction)}
        if request["map"] is not None:
            values["map"] = {"key": request["map"], "cells": self._map(request)}
        if request["sample"] is not None:
            values["sample"] = {
                "start": request["sample"],
                "mass": self._drawn(request["sample"])["mass"],
            }
        return values

    def _struck(self, q: np.ndarray, direction: np.ndarray) -> dict[str, np.ndarray]:
        """Return mass (...), force and moment (..., n), by name; an infinite mass is NaN."""
        batch = q.shape[:-1]
        shapes = [batch, (*batch, self.chain.n), (*batch, self.chain.n)]
        results = self.call("strike", self.chain, q, direction, body=self.body, shapes=shapes)
        return dict(zip(RESULTS, results, strict=True))

    def _map(self, request: dict[str, Any]) -> np.ndarray:
        """Return the chosen quantity over the two joints of the map (cells, cells), rows upwards."""
        q = np.tile(np.array(request["q"], float), (CELLS, CELLS, 1))
        shares = (np.arange(CELLS) + 0.5) / CELLS
        for axis, along in zip(request["axes"], (shares, shares[:, None]), strict=True):
            k = self.chain.q_columns[axis][0]
            low, high = self.limits[k]
            q[..., k] = low + (high - low) * along
        kind, joint = request["quantity"]
        found = self._struck(q, np.broadcast_to(request["direction"], (CELLS, CELLS, 3)))[kind]
        return found if kind == "mass" else found[..., joint]

    def _drawn(self, start: int) -> dict[str, np.ndarray]:
        """Return the blows from this index on of an endless row of random ones."""
        blows = Drawn(self._make, width=self.chain.nq + 2, count=start + MOST_DRAWN)
        return self._struck(*blows[start : start + MOST_DRAWN])

    def _make(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return postures between the limits and directions, all alike likely, from numbers (k, nq + 2)."""
        low, high = self.limits.T
        up, turn = 2 * u[:, -2] - 1, 2 * np.pi * u[:, -1]
        level = np.sqrt(1 - up * up)
        directions = np.stack([level * np.cos(turn), level * np.sin(turn), up], axis=-1)
        return low + (high - low) * u[:, :-2], directions


def _case(chain: Chain, name: str, q: ArrayLike, direction: ArrayLike) -> dict[str, np.ndarray]:
    """Return a posture and a unit direction, checked."""
    along = shaped(f"direction of {name}", direction, (3,))
    return {
        "q": shaped(f"q of {name}", q, (chain.nq,)),
        "direction": unit(along, f"direction of {name}"),
    }


def _axes(chain: Chain, axes: Sequence[int | str] | None, struck: int) -> list[int]:
    """Return the map's two joints as indices of links."""
    moving = [i for i in chain.path(struck) if chain.joints[i].nv]
    if len(moving) < 2:
        raise ValueError(f"link {chain.names[struck]!r} strikes, but fewer than two joints move it")
    if axes is None:
        return moving[len(moving) > 2 :][:2]
    if isinstance(axes, str) or len(axes) != 2:
        raise ValueError(f"axes is {axes!r}, but must be two joints")
    chosen = [chain.joint_index(axis) for axis in axes]
    for axis, link in zip(axes, chosen, strict=True):
        if not chain.joints[link].nv:
            raise ValueError(f"axes has {axis!r}, whose joint does not move")
    if chosen[0] == chosen[1]:
        raise ValueError(f"axes is {axes!r}: the two joints must differ")
    return chosen


def _atlas(atlas: tuple[ArrayLike, ArrayLike] | None, total: float) -> dict[str, Any]:
    """Return the atlas, None without one, and between which masses the page's axis goes, whole powers of ten."""
    if atlas is None:
        low, high = total / WIDEST, total * WIDEST
        return {"atlas": None, "range": _powers(low, high)}
    edges = np.asarray(atlas[0], float)
    counts = shaped("counts of the atlas", atlas[1], (len(edges) - 1,))
    if not (
        edges[0] > 0 and (np.diff(edges) > 0).all() and counts.sum() > 0 and (counts >= 0).all()
    ):
        raise ValueError("atlas has edges that do not increase from above zero, or no blow")
    below = np.cumsum(counts) / counts.sum()
    low, high = edges[np.argmax(below > 0)], edges[1 + np.argmax(below >= 1 - RARE)]
    return {"atlas": {"edges": edges, "counts": counts}, "range": _powers(low, high)}


def _powers(low: float, high: float) -> list[float]:
    """Return the powers of ten next below and above."""
    return [10 ** np.floor(np.log10(low)), 10 ** np.ceil(np.log10(high))]
