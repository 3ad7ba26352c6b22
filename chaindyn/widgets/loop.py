"""A four-bar or a five-bar: where its loop closes, where it locks, and how far it opens while it falls."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

import chaindyn
from chaindyn import Chain, Closure, Link, Revolute
from chaindyn.guards.arguments import require_positive
from chaindyn.guards.motion import check_times
from chaindyn.models.robots import five_bar, four_bar
from chaindyn.widgets.explorer import Explorer, linked, source
from chaindyn.widgets.motion import padded
from chaindyn.widgets.tree import shaped

MOST_TIMES = 1001  # each is a posture that travels to the page
STEPS = (0.02, 0.01, 0.005, 0.0025)  # what the page offers beside the given one [s]
DENSITY = 1.0  # of all rods [kg/m]
SWEEP = np.deg2rad(np.arange(-180, 181, 2))  # of the first crank, where singular values are drawn
CURES = ("none", "Baumgarte", "projection")
CLOSED = 1e-12  # gaps that are rounding [m]


class Mechanism(NamedTuple):
    """A row of rods that is pinned to the ground at both ends; lengths and base in metres."""

    names: Sequence[str]
    lengths: np.ndarray
    base: float
    held: dict[str, float]
    """The cranks in the hand, and the angles at which they start [rad]."""
    adjustable: dict[str, list[int]]
    """What the reader can make longer or shorter, and which rods that is."""

    def built(self, lengths: np.ndarray) -> tuple[Chain, Closure]:
        """Return the chain with rods of these lengths, and the pin at its end."""
        rods = [
            Link(
                Revolute((0, -1, 0)),
                DENSITY * length,
                (length / 2, 0, 0),
                DENSITY * length**3 / 12 * np.diag([0, 1, 1]),
                offset=(before, 0, 0),
                name=name,
            )
            for name, length, before in zip(self.names, lengths, (0, *lengths[:-1]), strict=True)
        ]
        pin = Closure(
            Revolute((0, 1, 0)),
            self.names[-1],
            offset=(lengths[-1], 0, 0),
            onto_offset=(self.base, 0, 0),
        )
        return Chain(rods), pin


def _mechanism(made: Any, held: dict[str, float], adjustable: dict[str, list[int]]) -> Mechanism:
    """Return the data of a mechanism of `chaindyn.models.robots`."""
    chain, (pin,) = made
    lengths = np.append(chain.offset[1:, 0], pin.offset[0]).astype(float)
    return Mechanism(chain.names, lengths, float(pin.onto_offset[0]), held, adjustable)


MECHANISMS = {
    "four-bar": _mechanism(four_bar(), {"crank": np.pi / 3}, {"crank": [0], "rod between": [1]}),
    "five-bar": _mechanism(
        five_bar(),
        {"left arm": 7 * np.pi / 12, "right arm": 5 * np.pi / 12},
        {"arms": [0, 3], "forearms": [1, 2]},
    ),
}


class LoopExplorer(Explorer):
    """Turn a crank of a four-bar or five-bar and see its loop close or lock; drop it and see the loop open.

    mechanism : "four-bar" or "five-bar", of `chaindyn.models.robots`, with which it starts; the reader can change to
    the other. angles : of the cranks in the hand from x towards z [rad], (1,) of the four-bar, (2,) of the five-bar;
    lengths : (3,) or (4,) of the rods [m], all of 1 kg/m. flipped : the other of the two ways to put it together.
    cure : "none", "Baumgarte" with kp = rate^2 and kd = 2 rate, or "projection"; step : of RK4 [s], and no
    longer than between two of the times t.
    t : (m,) increasing [s], the times that are shown of a fall: 5 s, 50 a second, if not given. dropped : whether it
    falls at once. constraint_jacobian(chain, pin, q) -> (..., 5, nv), simulate(chain, q, qd, *, t, constraints,
    stabilisation, method, step, progress) -> a `Simulation`: the book's own if not given. ValueError if there is no
    such mechanism or cure, t does not increase, a length, rate or step is not positive, or an argument has another
    shape.
    """

    _esm = linked("loop.js")
    _css = source("base.css", "stage.css", "motion.css")

    def __init__(
        self,
        mechanism: str = "four-bar",
        angles: ArrayLike | None = None,
        *,
        lengths: ArrayLike | None = None,
        flipped: bool = False,
        cure: str = "none",
        rate: float = 10.0,
        step: float = 0.02,
        t: ArrayLike | None = None,
        dropped: bool = False,
        constraint_jacobian: Callable[..., Any] = chaindyn.constraint_jacobian,
        simulate: Callable[..., Any] = chaindyn.simulate,
    ) -> None:
        if mechanism not in MECHANISMS:
            raise ValueError(f"mechanism is {mechanism!r}, but must be one of {list(MECHANISMS)}")
        if cure not in CURES:
            raise ValueError(f"cure is {cure!r}, but must be one of {list(CURES)}")
        for name, x in {"step": step, "rate": rate}.items():
            require_positive(x, name)
        self.t = check_times(np.linspace(0, 5, 251) if t is None else t)
        if len(self.t) > MOST_TIMES:
            raise ValueError(f"t has {len(self.t)} times, but must have at most {MOST_TIMES}")
        chosen = MECHANISMS[mechanism]
        held = np.array([*chosen.held.values()])
        if angles is not None:
            held = shaped("angles", angles, held.shape)
        long = chosen.lengths
        if lengths is not None:
            long = shaped("lengths", lengths, long.shape)
            require_positive(long, "lengths")
        scene = {
            "mechanisms": [
                {
                    "name": name,
                    "names": each.names,
                    "lengths": each.lengths,
                    "base": each.base,
                    "held": list(each.held),
                    "start": list(each.held.values()),
                    "adjustable": [[text, rods] for text, rods in each.adjustable.items()],
                }
                for name, each in MECHANISMS.items()
            ],
            "gravity": 9.81,
            "density": DENSITY,
            "sweep": SWEEP,
            "t": self.t,
            "cures": CURES,
            "steps": sorted({*STEPS, float(step)}, reverse=True),
        }
        start = {"mechanism": list(MECHANISMS).index(mechanism), "lengths": long, "held": held}
        start |= {"flipped": bool(flipped), "cure": cure, "rate": float(rate), "step": float(step)}
        start |= {"dropped": bool(dropped)}
        functions = {"constraint_jacobian": constraint_jacobian, "simulate": self._fields(simulate)}
        self.reason = ""
        super().__init__(functions, start, scene)

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the posture q (n,), its gap, its singular values, those of all crank angles, and the fall."""
        mechanism = [*MECHANISMS.values()][request["mechanism"]]
        lengths, held = (np.array(request[name], float) for name in ("lengths", "held"))
        chain, pin = mechanism.built(lengths)
        there = np.tile(held, (len(SWEEP), 1))
        there[:, 0] = SWEEP
        flipped = flipped_on_the_way(lengths, mechanism.base, held, SWEEP) != request["flipped"]
        q, gap = closed(lengths, mechanism.base, held, np.array(request["flipped"]))
        other, gaps = closed(lengths, mechanism.base, there, flipped)
        (K,) = self.call(
            "constraint_jacobian",
            chain,
            pin,
            np.vstack([q, other]),
            shapes=[(len(SWEEP) + 1, 5, chain.nv)],
        )
        turns = np.eye(chain.nv) - np.eye(chain.nv, k=-1)  # joint rates of rods that turn alone
        sizes, passive = (
            np.where(
                np.append(gap, gaps)[:, None] > 0,
                np.nan,
                np.linalg.svd(rows, compute_uv=False)[:, :2],
            )
            for rows in (K, K @ turns[:, 1:3])
        )
        values = {"mechanism": request["mechanism"], "q": q, "gap": gap}
        values |= {"sizes": sizes[0], "passive": passive[0]}
        values["sweep"] = {"sizes": sizes[1:, 1].round(9), "passive": passive[1:, 1].round(9)}
        values["run"] = (
            self._fall(chain, pin, q, request) if request["dropped"] and gap == 0 else None
        )
        return values

    def _fall(
        self, chain: Chain, pin: Closure, q: np.ndarray, request: dict[str, Any]
    ) -> dict[str, Any]:
        """Return q (m, n), gap (m,) and energies (m,) of a fall from rest, NaN from an early end on, and its reason."""
        m, rate = len(self.t), request["rate"]
        gains = {"none": None, "Baumgarte": (rate**2, 2 * rate), "projection": "projection"}
        options = {"t": self.t, "constraints": pin, "stabilisation": gains[request["cure"]]}
        options |= {"method": "RK4", "step": request["step"], "progress": False}
        shapes = [(m, chain.nq), (m, 5), (m,), (m,)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the view tells the reason
            q, gap, kinetic, potential = self.call(
                "simulate", chain, q, 0 * q, shapes=shapes, **options
            )
        whole = np.isfinite(q).all(-1)
        sizes = np.full((m, 2), np.nan)
        (K,) = self.call(
            "constraint_jacobian", chain, pin, q[whole], shapes=[(whole.sum(), 5, chain.nv)]
        )
        sizes[whole] = np.linalg.svd(K, compute_uv=False)[:, :2]
        run = {"q": q.round(12), "gap": np.linalg.norm(gap, axis=-1), "sizes": sizes.round(9)}
        return run | {"kinetic": kinetic, "potential": potential, "reason": self.reason}

    def _fields(self, simulate: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with its result as arrays, as long as t; `reason` keeps why it ended early."""

        @functools.wraps(simulate)
        def fields(*args: Any, **options: Any) -> list[np.ndarray]:
            result = simulate(*args, **options)
            self.reason = result.reason
            return padded(result, self.t, ("q", "gap", "kinetic", "potential"))

        return fields


def closed(
    lengths: np.ndarray, base: float, held: np.ndarray, flipped: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the joint coordinates (..., n) that close the loop, and the gap (...), zero if they do.

    held : (..., 1 or 2) angles of the cranks; flipped : (...) booleans. Rods 1 and 2 meet where their circles
    about the ends of the cranks do, on the left of the way from the first to the second, or on the right if
    flipped. If the circles do not meet, the rods lie in line, as near to closing the loop as they come.
    """
    first, second = lengths[1:3]
    A = lengths[0] * np.exp(1j * held[..., 0])  # x + iz
    B = base + (lengths[3] * np.exp(1j * held[..., 1]) if len(lengths) > 3 else 0) + 0 * A
    far = np.abs(B - A)
    apart = far > CLOSED
    with np.errstate(divide="ignore", invalid="ignore"):
        towards = np.where(apart, (B - A) / far, -1j * np.exp(1j * held[..., 0]))
        excess = (first - second) * (first + second)
        along = far / 2 + (0 if abs(excess) <= CLOSED else excess / (2 * far))
    gap = np.maximum(far - first - second, abs(first - second) - far)
    reach = np.clip(along, -first, first)
    aside = np.where(flipped, -1, 1) * np.sqrt((first - reach) * (first + reach))
    knee = A + (reach + 1j * aside) * towards
    last = np.where(apart | (aside != 0), B - knee, -towards)
    angles = [held[..., 0], np.angle(knee - A), np.angle(last)]
    if len(lengths) > 3:
        angles.append(held[..., 1] + np.pi)
    q = np.diff(np.stack(angles, -1), prepend=0)
    return _wrapped(q), np.where(gap > CLOSED, gap, 0)


def flipped_on_the_way(
    lengths: np.ndarray, base: float, held: np.ndarray, angles: np.ndarray
) -> np.ndarray:
    """Return whether the first crank, turned to these angles (m,), goes through a meeting of the two assemblies.

    They meet where all rods lie in line; a crank that goes straight on is then on the other side.
    """
    B = base + (lengths[3] * np.exp(1j * held[1]) if len(lengths) > 3 else 0)
    away, line = np.abs(B), np.angle(B)
    meets_near = abs(abs(away - lengths[0]) - abs(lengths[1] - lengths[2])) <= CLOSED
    meets_far = abs(away + lengths[0] - lengths[1] - lengths[2]) <= CLOSED
    start, end = _wrapped(held[0] - line), _wrapped(angles - line)
    through = np.where(np.abs(end - start) < np.pi, meets_near, meets_far)
    crosses: np.ndarray = ((start < 0) != (end < 0)) & through
    return crosses


def _wrapped(angles: np.ndarray) -> np.ndarray:
    """Return the same directions as angles above -pi, up to pi."""
    wrapped: np.ndarray = angles - 2 * np.pi * np.ceil(angles / (2 * np.pi) - 1 / 2)
    return wrapped
