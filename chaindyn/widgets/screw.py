"""A motion screw and a force screw to drag about, and what six numbers each they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import chaindyn
from chaindyn.widgets.explorer import (
    AFFINE,
    ANGLE,
    LINEAR,
    SCALAR,
    Explorer,
    contract,
    linked,
    source,
    tabulate,
)

LATTICE = [
    (x, y, z) for x in (-1.5, -0.5, 0.5, 1.5) for y in (-1.5, -0.5, 0.5, 1.5) for z in (-1, 0, 1)
]
MOTION = {"point": (0.6, 0.2, 0.0), "direction": (0, 0, 1), "pitch": 0.1, "size": 1.0}
FORCE = {"point": (-0.8, 0.5, 0.3), "direction": (0, 1, 0), "pitch": 0.0, "size": 2.0}
FRAME = {"origin": (-1.2, -0.6, -0.5), "turn": 30.0}


class ScrewExplorer(Explorer):
    """Drag a screw and a wrench; see their Plücker coordinates about O and B, the velocity field and the power.

    screw(point, direction, pitch) -> (6,), the unit motion [w; v] about O; X_motion(E, r) and X_force(E, r)
    -> (6, 6), from O to B, where E turns O's axes into B's and r is B's origin seen from O. Each is the
    book's own if not given, and everything shown is made with them: the twist is its rate times `screw`, the
    wrench its magnitude times `screw` with the halves exchanged, and the velocity at a point P the linear
    part of ``X_motion(1, P) @ twist``.
    motion, force : where the two start, any of point (3,) [m], direction (3,), pitch [m] and size
    [rad/s or N]. frame : where B starts, origin (3,) [m] and turn about z [degrees].
    """

    _esm = linked("screw.js")
    _css = source("base.css", "stage.css")

    def __init__(
        self,
        *,
        screw: Callable[..., Any] = chaindyn.screw,
        X_motion: Callable[..., Any] = chaindyn.X_motion,
        X_force: Callable[..., Any] = chaindyn.X_force,
        motion: Mapping[str, Any] | None = None,
        force: Mapping[str, Any] | None = None,
        frame: Mapping[str, Any] | None = None,
    ) -> None:
        functions = {"screw": screw, "X_motion": X_motion, "X_force": X_force}
        start = {
            "motion": _unit_direction(_filled("motion", MOTION, motion)),
            "force": _unit_direction(_filled("force", FORCE, force)),
            "frame": _filled("frame", FRAME, frame),
        }
        self.functions = functions  # the tables call them before there is a widget
        super().__init__(functions, start, {"lattice": LATTICE, **self._tables()})

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return both screws about O and B, their power in each, and the velocity at the points of the lattice."""
        motion, force, frame = request["motion"], request["force"], request["frame"]
        twist = motion["size"] * self._screw(motion["point"], motion["direction"], motion["pitch"])
        wrench = force["size"] * np.roll(
            self._screw(force["point"], force["direction"], force["pitch"]), 3
        )
        twist_B = self._transform("X_motion", frame["turn"], frame["origin"]) @ twist
        wrench_B = self._transform("X_force", frame["turn"], frame["origin"]) @ wrench
        return {
            "motion": {"O": twist, "B": twist_B},
            "force": {"O": wrench, "B": wrench_B},
            "power": {"O": twist @ wrench, "B": twist_B @ wrench_B},
            "field": [(self._transform("X_motion", 0, P) @ twist)[3:] for P in LATTICE],
        }

    def _screw(self, point: Any, direction: Any, pitch: float) -> np.ndarray:
        (unit_twist,) = self.call(
            "screw", np.array(point, float), np.array(direction, float), pitch, shapes=[(6,)]
        )
        return unit_twist

    def _transform(self, name: str, turn: float, origin: Any) -> np.ndarray:
        """Return X_motion or X_force from O to a frame at `origin`, turned by so many degrees about z."""
        c, s = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
        E = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        (X,) = self.call(name, E, np.array(origin, float), shapes=[(6, 6)])
        return X

    def _tables(self) -> dict[str, Any]:
        """Return the functions as tables, and whether these say at some other place what the functions say."""
        tables = {"screw": tabulate(self._screw, AFFINE, LINEAR, SCALAR)}
        for name in ("X_motion", "X_force"):
            tables[name] = tabulate(
                lambda turn, r, name=name: self._transform(name, turn, r), ANGLE, AFFINE
            )
        point, direction, pitch, turn = (0.3, -0.7, 1.1), (2 / 7, 3 / 7, 6 / 7), 0.4, 37.0
        from_table = contract(tables["screw"], [1, *point], direction, [1, pitch])
        pairs = [(from_table, self._screw(point, direction, pitch))]
        for name in ("X_motion", "X_force"):
            from_table = contract(tables[name], ANGLE.basis(turn), [1, *point])
            pairs.append((from_table, self._transform(name, turn, point)))
        exact = all(np.linalg.norm(a - b) <= 1e-12 * np.linalg.norm(b) for a, b in pairs)
        return {"tables": tables, "exact": exact}


def _filled(
    name: str, default: Mapping[str, Any], given: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the default with what was given in its place; ValueError for a key or shape that it does not have."""
    filled = dict(default)
    for key, value in (given or {}).items():
        if key not in default:
            raise ValueError(f"{name} has no {key!r}: it has {list(default)}")
        array = np.asarray(value, float)
        if array.shape != np.shape(default[key]) or not np.isfinite(array).all():
            wanted = "three finite numbers" if np.shape(default[key]) else "one finite number"
            raise ValueError(f"{name}[{key!r}] is {value!r}: it must be {wanted}")
        filled[key] = array.tolist()
    return filled


def _unit_direction(screw: dict[str, Any]) -> dict[str, Any]:
    length = np.linalg.norm(screw["direction"])
    if not length > 0:
        raise ValueError(f"direction is {screw['direction']!r}: it must not be zero")
    return {**screw, "direction": np.array(screw["direction"]) / length}
