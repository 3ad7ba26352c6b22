"""A chain that swings, free or driven by motors: its motion, its energy, and what the method of integration adds."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

import chaindyn
from chaindyn import Chain
from chaindyn.guards.arguments import check_chain, require_positive
from chaindyn.guards.model import require_no_friction, require_no_rotors
from chaindyn.guards.motion import check_times
from chaindyn.widgets.bodies import bodies_of
from chaindyn.widgets.explorer import Explorer, equal_rods, linked, source, without_none
from chaindyn.widgets.motion import padded
from chaindyn.widgets.tree import (
    VIEWS,
    joint_kinds,
    limits_of,
    reach_of,
    require_drawable,
    shaped,
    tree_of,
)

MOST_RODS = 5
MOST_TIMES = 1001  # each is a posture that travels to the page
METHODS = ("RK4", "semi-implicit Euler", "variational", "DOP853")
STEPS = (0.04, 0.02, 0.01, 0.005)  # what the page offers beside the given one [s]
SWAY = 0.5  # of each joint about its target, if it is to sway: radians, or fifths of the reach
PERIOD = 4.0  # of swaying [s]
START = -0.25  # each rod against the one before, at the start [rad]
RESULTS = ("t", "q", "qd", "kinetic", "potential")


class Swung(NamedTuple):
    """One of the chains that the reader can choose: what never changes of it, and where it starts."""

    chain: Chain
    scene: dict[str, Any]
    start: dict[str, Any]


class SwingExplorer(Explorer):
    """Let a chain swing; play and scrub its motion, and see its energy, its motors, and the method's error.

    chain, q, qd : the chain and its state (nq,), (nv,) at the first time, zero if not given. Without a chain,
    `links` equal rods of 1 m and 1 kg with level hinges, three if not given; the reader can change to 1 to 5 of
    them in either case. t : (m,) increasing [s], the times that are shown: 8 s, 25 a second, if not given.
    simulate(chain, q, qd, *, t, torque, method, step, progress) -> a `Simulation`, computed_torque(chain, q, qd,
    *, q_desired, qd_desired, qdd_desired, kp, kd) -> (nv,): the book's own if not given. method : "RK4",
    "semi-implicit Euler", "variational" or "DOP853"; step : of the first three [s]. motors : whether there are any;
    target : (nq,) what they hold, or sway about, straight up or zero if not given; frequency, damping : their
    gains are kp = frequency^2 [1/s^2] and kd = 2 damping frequency [1/s]. tip, limits : as for `ChainExplorer`;
    view : "space", "xy", "xz" or "yz", how it is looked at first. ValueError if a joint is not revolute,
    prismatic or fixed, no joint moves, there is no such method or view, t does not increase, step, frequency or
    damping is not positive, or an argument has another shape.
    """

    _esm = linked("swing.js")
    _css = source("base.css", "stage.css", "motion.css")

    def __init__(
        self,
        chain: Chain | None = None,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        *,
        links: int | None = None,
        t: ArrayLike | None = None,
        simulate: Callable[..., Any] = chaindyn.simulate,
        computed_torque: Callable[..., Any] = chaindyn.computed_torque,
        method: str = "RK4",
        step: float = 0.02,
        motors: bool = False,
        target: ArrayLike | None = None,
        frequency: float = 3.0,
        damping: float = 0.7,
        tip: ArrayLike | None = None,
        limits: ArrayLike | None = None,
        view: str | None = None,
    ) -> None:
        given: dict[str, Any] = {"q": q, "qd": qd, "target": target}
        given |= {"tip": tip, "limits": limits, "view": view}
        if chain is not None and links is not None:
            raise ValueError(
                f"links is {links!r}, but a chain was given too: it must be one of them"
            )
        count = 3 if links is None else links
        if count not in range(1, MOST_RODS + 1):
            raise ValueError(f"links is {links!r}, but must be a number from 1 to {MOST_RODS}")
        if method not in METHODS:
            raise ValueError(f"method is {method!r}, but must be one of {list(METHODS)}")
        for name, x in {"step": step, "frequency": frequency, "damping": damping}.items():
            require_positive(x, name)
        self.t = check_times(np.linspace(0, 8, 201) if t is None else t)
        if len(self.t) > MOST_TIMES:
            raise ValueError(f"t has {len(self.t)} times, but must have at most {MOST_TIMES}")
        self.swung = [] if chain is None else [_swung(chain, **given)]
        for n in range(1, MOST_RODS + 1):
            own = given if chain is None and n == count else {}
            self.swung.append(
                _swung(equal_rods(n, (0, -1, 0)), **_rods_start(n) | without_none(own))
            )
        first = count - 1 if chain is None else 0
        scene = {
            "chains": [swung.scene | {"start": swung.start} for swung in self.swung],
            "labels": ([] if chain is None else ["this chain"])
            + ["1 rod", *[f"{n} equal rods" for n in range(2, MOST_RODS + 1)]],
            "t": self.t,
            "methods": METHODS,
            "steps": sorted({*STEPS, float(step)}, reverse=True),
            "period": PERIOD,
        }
        start = {"chain": first, **self.swung[first].start, "method": method, "step": float(step)}
        start |= {"motors": "hold" if motors else "off"}
        start |= {"frequency": float(frequency), "damping": float(damping)}
        self.reason = ""
        functions = {"simulate": self._unpacked(simulate), "computed_torque": computed_torque}
        super().__init__(functions, start, scene)

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the motion: q (m, nq), tau (m, nv), energies (m,), NaN from an early end on, and its reason."""
        swung = self.swung[request["chain"]]
        chain, m = swung.chain, len(self.t)
        torque = None if request["motors"] == "off" else self._torque(swung, request)
        state = [np.array(request[name], float) for name in ("q", "qd")]
        options = {"t": self.t, "torque": torque, "method": request["method"], "progress": False}
        options["step"] = None if request["method"] == "DOP853" else request["step"]
        shapes = [(m,), (m, chain.nq), (m, chain.nv), (m,), (m,)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the view tells the reason
            t, q, qd, kinetic, potential = self.call(
                "simulate", chain, *state, shapes=shapes, **options
            )
            tau = None
            if torque is not None:
                tau = np.full((m, chain.nv), np.nan)
                for k in np.flatnonzero(np.isfinite(kinetic)):
                    tau[k] = torque(t[k], q[k], qd[k]).round(9)
        values = {"chain": request["chain"], "q": q.round(12), "tau": tau, "reason": self.reason}
        values |= {"kinetic": kinetic.round(12), "potential": potential.round(12)}
        return values

    def _torque(self, swung: Swung, request: dict[str, Any]) -> Callable[..., np.ndarray]:
        """Return the motors' torque (nv,) as a function of (t, q, qd)."""
        chain, began = swung.chain, self.t[0]
        frequency, damping = request["frequency"], request["damping"]
        gains = {"kp": frequency**2, "kd": 2 * damping * frequency}
        target, rate = np.asarray(swung.scene["target"], float), 2 * np.pi / PERIOD
        sway = np.asarray(swung.scene["sway"], float) * (request["motors"] == "sway")

        def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
            phase = rate * (t - began)
            desired = {
                "q_desired": target + sway * np.sin(phase),
                "qd_desired": rate * sway * np.cos(phase),
                "qdd_desired": -(rate**2) * sway * np.sin(phase),
            }
            (tau,) = self.call(
                "computed_torque", chain, q, qd, **desired, **gains, shapes=[(chain.nv,)]
            )
            return tau

        return torque

    def _unpacked(self, simulate: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with its result as arrays, always as long as t; `reason` keeps why it ended early."""

        @functools.wraps(simulate)
        def unpacked(*args: Any, **options: Any) -> list[np.ndarray]:
            result = simulate(*args, **options)
            self.reason = result.reason
            return padded(result, self.t, RESULTS)

        return unpacked


def _rods_start(n: int) -> dict[str, Any]:
    """Return rods that lie, a little bent, and are to stand."""
    upright = np.pi / 2 * np.eye(n)[0]
    return {"q": START * np.ones(n), "target": upright, "tip": (1, 0, 0), "view": "xz"}


def _swung(
    chain: Chain,
    *,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    target: ArrayLike | None = None,
    tip: ArrayLike | None = None,
    limits: ArrayLike | None = None,
    view: str | None = None,
) -> Swung:
    check_chain(chain)
    require_drawable(chain)
    require_no_rotors(chain, "SwingExplorer")
    require_no_friction(chain, "SwingExplorer")
    if chain.nv == 0:
        raise ValueError("chain has no joint that moves: nothing swings")
    view = "space" if view is None else view
    if view not in VIEWS:
        raise ValueError(f"view is {view!r}, but must be one of {list(VIEWS)}")
    tip = chain.com[-1] if tip is None else shaped("tip", tip, (3,))
    reach = reach_of(chain, tip)
    kinds = [kind for kind in joint_kinds(chain) if kind != "Fixed"]
    scene = {
        **tree_of(chain),
        "tip": tip,
        "reach": reach,
        "limits": limits_of(chain, limits, reach),
        "bodies": bodies_of(chain, tip, reach),
        "mass": chain.mass,
        "inertia": chain.inertia,
        "gravity": chain.gravity,
        "view": VIEWS[view],
        "target": np.zeros(chain.nq) if target is None else shaped("target", target, (chain.nq,)),
        "sway": [SWAY if kind == "Revolute" else SWAY * reach / 5 for kind in kinds],
    }
    start = {
        "q": np.zeros(chain.nq) if q is None else shaped("q", q, (chain.nq,)),
        "qd": np.zeros(chain.nv) if qd is None else shaped("qd", qd, (chain.nv,)),
    }
    return Swung(chain, scene, start)
