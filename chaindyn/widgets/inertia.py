"""A brick to pull at and to let spin, and how its spin wanders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import chaindyn
from chaindyn.widgets.explorer import LINEAR, Axis, Explorer, contract, linked, source, tabulate
from chaindyn.widgets.physics import brick_moments, spin_rates
from chaindyn.widgets.tree import shaped

MASS = 1.0  # kg
SIDES = (0.05, 2.0)  # shortest and longest [m]
FASTEST = 5.0  # spin about each axis [rad/s]; the step below is short enough for it
STEP, STEPS, KEPT = 0.02, 400, 2  # of the integration [s]; every so many steps go to the page
RUNAWAY = 1e6  # where a flight is cut short, as a wrong function may have no end of it [rad/s]
STILL = np.zeros(3)
SQUARES = Axis(
    [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 0)],
    lambda w: [w[0] * w[0], w[1] * w[1], w[2] * w[2], w[1] * w[2], w[0] * w[2], w[0] * w[1]],
)


class InertiaExplorer(Explorer):
    """Pull at the sides of a brick, let it go with a spin, and see spin, momentum and energy of its flight.

    newton_euler(inertia, a, v) -> (6,), the wrench that a body needs; the book's own if not given. The free
    spin is what makes its moment about the centre of mass zero: all motion comes from this function.
    sides : (3,) of the brick, 0.05 to 2 m; its mass is 1 kg. spin : (3,) with which it is let go, in its own
    axes, at most 5 rad/s about each. ValueError if they are not, or if newton_euler asks for no moment.
    """

    _esm = linked("inertia.js")
    _css = source("base.css", "stage.css")

    def __init__(
        self,
        *,
        newton_euler: Callable[..., Any] = chaindyn.newton_euler,
        sides: ArrayLike = (1.2, 0.8, 0.2),
        spin: ArrayLike = (0.2, 4.0, 0.0),
    ) -> None:
        start = {"sides": shaped("sides", sides, (3,)), "spin": shaped("spin", spin, (3,))}
        shortest, longest = SIDES
        if not ((start["sides"] >= shortest) & (start["sides"] <= longest)).all():
            raise ValueError(f"sides is {sides!r}: each must be from {shortest} to {longest} m")
        if np.abs(start["spin"]).max() > FASTEST:
            raise ValueError(f"spin is {spin!r}: each must be from -{FASTEST} to {FASTEST} rad/s")
        self.functions = {"newton_euler": newton_euler}  # called before there is a widget
        scene = {"mass": MASS, "limits": SIDES, "fastest": FASTEST, "runaway": RUNAWAY}
        scene |= {"step": STEP, "steps": STEPS, "kept": KEPT, **self._tables()}
        super().__init__(self.functions, start, scene)

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the principal moments, and the flight: spin (n, 3), attitude (n, 4), a quaternion [w, x, y, z]."""
        moments = brick_moments(MASS, np.array(request["sides"], float))
        inertia = brick_inertia(moments)
        matrix = self._needed(inertia)
        if not np.isfinite(matrix).all() or np.linalg.matrix_rank(matrix) < 3:
            raise ValueError("newton_euler asks for no moment along some angular acceleration")
        spins, attitudes = free_spin(
            matrix, lambda w: self._moment(inertia, STILL, w), np.array(request["spin"], float)
        )
        return {"moments": moments, "spin": spins.round(6), "attitude": attitudes.round(6)}

    def _moment(self, inertia: np.ndarray, a: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return the moment about the centre of mass at angular acceleration a and velocity w, both (3,)."""
        arguments = inertia, np.concatenate([a, STILL]), np.concatenate([w, STILL])
        (wrench,) = self.call("newton_euler", *arguments, shapes=[(6,)])
        return wrench[:3]

    def _needed(self, inertia: np.ndarray) -> np.ndarray:
        """Return the matrix that takes an angular acceleration to the moment it needs."""
        return np.stack([self._moment(inertia, a, STILL) for a in np.eye(3)], axis=-1)

    def _tables(self) -> dict[str, Any]:
        """Return the function as tables, and whether these say at some other place what the function says."""

        def needed(moments: Any) -> np.ndarray:
            return self._needed(brick_inertia(moments))

        def bias(moments: Any, w: Any) -> np.ndarray:
            return self._moment(brick_inertia(moments), STILL, w)

        tables = {"needed": tabulate(needed, LINEAR), "bias": tabulate(bias, LINEAR, SQUARES)}
        moments, w = (0.7, 1.1, 0.9), (0.3, -1.2, 0.8)
        pairs = [
            (contract(tables["needed"], moments), needed(moments)),
            (contract(tables["bias"], moments, SQUARES.basis(w)), bias(moments, w)),
        ]
        exact = all(np.linalg.norm(a - b) <= 1e-12 * (1 + np.linalg.norm(b)) for a, b in pairs)
        return {"tables": tables, "exact": exact}


def brick_inertia(moments: Any) -> np.ndarray:
    """Return the spatial inertia (6, 6) about the centre of mass, in principal axes."""
    return np.diag([*moments, MASS, MASS, MASS])


def free_spin(
    matrix: np.ndarray, bias: Callable[[np.ndarray], np.ndarray], spin: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Integrate matrix w' + bias(w) = 0 and the attitude by Runge and Kutta's method of order four.

    Returns spin (n, 3) in body axes and attitude (n, 4), a quaternion [w, x, y, z], from the start on; n is
    smaller than usual if the spin runs away. The page has the same rates, so that both draw the same flight.
    """
    inverse = np.linalg.inv(matrix)

    def rates(state: np.ndarray) -> np.ndarray:
        w, attitude = state[:3], state[3:]
        return np.asarray(spin_rates(inverse, bias(w), w, attitude))

    state = np.concatenate([spin, [1.0], STILL])
    states = [state]
    for i in range(1, STEPS + 1):
        k1 = rates(state)
        k2 = rates(state + STEP / 2 * k1)
        k3 = rates(state + STEP / 2 * k2)
        k4 = rates(state + STEP * k3)
        state = state + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if not np.linalg.norm(state[:3]) < RUNAWAY:
            break
        state = np.concatenate([state[:3], state[3:] / np.linalg.norm(state[3:])])
        if i % KEPT == 0:
            states.append(state)
    flight = np.array(states)
    return flight[:, :3], flight[:, 3:]
