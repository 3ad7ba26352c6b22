"""A chain that stands on its head: feedback from a linear model, a knock, and the knocks that it survives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from chaindyn import Chain, Link, Prismatic, Revolute
from chaindyn.guards.arguments import check_word, require_positive
from chaindyn.linear_models import linearise as linearise_of_book
from chaindyn.widgets.explorer import Explorer, equal_rods, linked, source
from chaindyn.widgets.tree import tree_of

TURN = Revolute((0, -1, 0))  # from x towards z
CART, POLE = 1.0, 0.2  # [kg]
LENGTH = 1.0  # of the pole, and of the rods [m]
MOST = 10  # rods
DRIVES = (
    "every",
    "others",
    "first",
)  # joints that have motors: all, all but the first, the first alone
PLACES, RATES, EFFORT = (-1, 3), (-2, 1), (-1, 3)  # the weights' powers of ten, from and to


@dataclass(frozen=True)
class System:
    """What a system starts with, if nothing else is asked for, and how far its sliders go; SI units.

    count : of its links; drives : what may drive it, with how many links at most. places, rates, effort : powers of
    ten. limit : of each motor's force or torque, strongest : on
    the slider. joint : which is knocked; widest,
    fastest : how far the basin goes.
    """

    count: int
    drives: dict[str, int]
    places: float
    rates: float
    effort: float
    limit: float
    strongest: float
    joint: int
    aside: float
    rate: float
    widest: float
    fastest: float


SYSTEMS = {
    "cart-pole": System(2, {"first": 2}, 1, 0, 0, 10, 50, 1, 0.2, 0.5, 1.2, 6.0),
    "acrobot": System(2, {"others": 2}, 1, 0, 0, 50, 200, 0, 0.0, 0.05, 0.1, 0.35),
    "chain": System(
        5, {"every": 10, "others": 10, "first": 3}, 2, 1, 0, 200, 1000, 0, 0.1, 0.5, 1.0, 3.0
    ),
}


def chain_of(system: str, count: int) -> Chain:
    """Return a system in the x-z plane: a cart with a pole, or rods of 1 kg and 1 m that hang together."""
    if system == "cart-pole":
        cart = Link(Prismatic((1, 0, 0)), CART, (0, 0, 0), np.zeros((3, 3)), name="cart")
        pole = Link(
            TURN, POLE, (LENGTH / 2, 0, 0), POLE * LENGTH**2 / 12 * np.diag([0, 1, 1]), name="pole"
        )
        return Chain([cart, pole])
    return equal_rods(count, (0, -1, 0))


def upright(system: str, count: int) -> np.ndarray:
    """Return where a system stands (nq,)."""
    place = np.zeros(count)
    place[1 if system == "cart-pole" else 0] = np.pi / 2
    return place


def motors_of(drive: str, count: int) -> np.ndarray:
    """Return which joints have motors."""
    chosen = {"every": slice(None), "others": slice(1, None), "first": slice(0, 1)}
    return np.arange(count)[chosen[drive]]


class BalanceExplorer(Explorer):
    """Knock a balanced chain; change what its feedback is weighed by, and see eigenvalues and basin move.

    system : "cart-pole", "acrobot" or "chain", of so many rods (`count`, 1 to 10). drive : which joints of the chain
    have motors: "every", the "others" than the first, or the "first" alone, which holds three rods at most. places,
    rates, effort : powers of ten of the weights on all coordinates' deviations, on their rates (Q) and on the motors'
    forces (R). limit : the largest force or torque of a motor [N or N m]. joint : which is knocked, from 0; aside :
    so far [rad or m], rate : so fast [rad/s or m/s]. None is the system's own. The reader can change all of them.
    linearise(chain, q, qd, tau) -> A (2 nv, 2 nv), B (2 nv, nv): the book's own if not given; where Python answers,
    the gain is computed from these. What moves is the chain itself, not its linear model.
    ValueError if there is no such system or drive, or a number is out of range.
    """

    _esm = linked("balance.js")
    _css = source("base.css", "stage.css", "motion.css", "balance.css")

    def __init__(
        self,
        system: str = "cart-pole",
        *,
        count: int | None = None,
        drive: str | None = None,
        places: float | None = None,
        rates: float | None = None,
        effort: float | None = None,
        limit: float | None = None,
        joint: int | None = None,
        aside: float | None = None,
        rate: float | None = None,
        linearise: Callable[..., Any] = linearise_of_book,
    ) -> None:
        check_word(system, "system", set(SYSTEMS))
        own = SYSTEMS[system]
        given: dict[str, Any] = {"count": count, "places": places, "rates": rates, "effort": effort}
        given |= {"limit": limit, "joint": joint, "aside": aside, "rate": rate}
        start = {name: getattr(own, name) if x is None else x for name, x in given.items()}
        start |= {"system": system, "drive": next(iter(own.drives)) if drive is None else drive}
        check_word(start["drive"], "drive", set(own.drives))
        fewest = 2 if start["drive"] == "others" or system != "chain" else 1
        _require_whole("count", start["count"], fewest, own.drives[start["drive"]])
        _require_whole("joint", start["joint"], 0, start["count"] - 1)
        for name, (low, high) in {"places": PLACES, "rates": RATES, "effort": EFFORT}.items():
            _require_within(name, start[name], low, high)
        if limit is None:  # what holds more rods must be stronger as the square of their number
            start["limit"] = own.limit * (start["count"] / own.count) ** 2
        require_positive(start["limit"], "limit")
        _require_within("aside", start["aside"], -np.pi, np.pi)
        _require_within("rate", start["rate"], -100, 100)
        start |= {"widest": own.widest, "fastest": own.fastest}
        systems = {}
        for name, each in SYSTEMS.items():
            most = max(each.drives.values())
            chain = chain_of(name, most)
            tree = tree_of(chain) | {
                "mass": chain.mass,
                "inertia": chain.inertia,
                "gravity": chain.gravity,
            }
            tree |= {"tip": (LENGTH, 0, 0)}
            systems[name] = {**asdict(each), "tree": tree, "upright": upright(name, most)}
        ranges = {"places": PLACES, "rates": RATES, "effort": EFFORT}
        super().__init__({"linearise": linearise}, start, {"systems": systems, "ranges": ranges})

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return A (2 nv, 2 nv) and B (2 nv, m) by the reader's function, and the gain K (m, 2 nv) for them."""
        system, count = request["system"], request["count"]
        chain, none = chain_of(system, count), np.zeros(count)
        shapes: list[tuple[int, ...]] = [(2 * count, 2 * count), (2 * count, count)]
        A, B = self.call("linearise", chain, upright(system, count), none, none, shapes=shapes)
        B = B[:, motors_of(request["drive"], count)]
        Q = np.repeat([10.0 ** request["places"], 10.0 ** request["rates"]], count)
        return {"A": A, "B": B, "K": gain(A, B, Q, 10.0 ** request["effort"])}


def gain(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: float) -> np.ndarray:
    """Return K (m, 2 nv) of the feedback u = -K x with the smallest integral of x'diag(Q) x + R u'u, by SciPy."""
    from scipy.linalg import solve_continuous_are

    if not (np.isfinite(A).all() and np.isfinite(B).all()):
        raise ValueError("linearise returned numbers that are not finite")
    K: np.ndarray = B.T @ solve_continuous_are(A, B, np.diag(Q), R * np.eye(B.shape[1])) / R
    return K


def _require_whole(name: str, x: Any, least: int, most: int) -> None:
    if not isinstance(x, int | np.integer) or isinstance(x, bool) or not least <= x <= most:
        raise ValueError(f"{name} is {x!r}, but must be a whole number from {least} to {most}")


def _require_within(name: str, x: Any, least: float, most: float) -> None:
    if not least <= x <= most:
        raise ValueError(f"{name} is {x!r}, but must lie between {least:.6g} and {most:.6g}")
