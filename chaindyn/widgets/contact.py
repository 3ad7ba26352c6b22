"""A chain, a stack or a cradle that is thrown: its contacts, and what laws and solvers make of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

import chaindyn
from chaindyn import Chain, Link, Prismatic, Revolute
from chaindyn.contact import contact_rows
from chaindyn.guards.arguments import check_word, require_positive
from chaindyn.guards.contacts import check_coefficients
from chaindyn.state import evaluate
from chaindyn.widgets.explorer import Explorer, fields_of, linked, source

TURN = Revolute((0, -1, 0))  # from x towards z
SLIDES = Prismatic((1, 0, 0)), Prismatic((0, 0, 1))
GROUNDS = ("floor", "stairs", "slope")
LAWS = ("newton", "poisson", "moreau")
ORDERS = ("together", "sequence")
SOLVERS = ("lemke", "pgs", "modes")
STEPS = (0.01, 0.005, 0.002, 0.001)  # what the page offers beside the given one [s]
FASTEST = 6.0  # a throw [m/s]
LONGEST = 10.0  # a throw, on the page [s]
RESTING = 1e-9  # slower approaches are no blows [m/s]


@dataclass(frozen=True)
class Kind:
    """What a scene starts with, if nothing else is asked for: `count` bodies, `most` at most; SI units."""

    count: int
    most: int
    speed: float
    restitution: float
    friction: float
    order: str
    step: float


KINDS = {
    "chain": Kind(5, 8, 3.0, 0.3, 0.4, "together", 0.002),
    "stack": Kind(6, 10, 0.0, 0.0, 0.5, "together", 0.005),
    "cradle": Kind(5, 7, 2.0, 1.0, 0.0, "sequence", 0.001),
}


def _carried(joint: Any, parent: Any) -> Link:
    """Return a massless link that slides."""
    return Link(joint, 0, (0, 0, 0), np.zeros((3, 3)), parent=parent)


def chain_of(scene: str, count: int) -> Chain:
    """Return the bodies of a scene, in the x-z plane: rods, boxes or balls on strings, each of 1 kg."""
    if scene == "chain":  # rods of 0.4 m, the first afloat
        moments = np.diag([0, 1, 1]) * 0.4**2 / 12
        rods = [
            Link(TURN, 1, (0.2, 0, 0), moments, offset=(0.4 if k else 0, 0, 0))
            for k in range(count)
        ]
        return Chain([_carried(SLIDES[0], "ground"), _carried(SLIDES[1], 0), *rods])
    if scene == "stack":  # boxes of 0.4 m x 0.4 m x 0.2 m
        moments = np.diag([0.2, 0.2, 0.32]) / 12
        links: list[Link] = []
        for k in range(count):
            links += [_carried(SLIDES[0], "ground"), _carried(SLIDES[1], 3 * k)]
            links.append(Link(TURN, 1, (0, 0, 0), moments, parent=3 * k + 1))
        return Chain(links)
    moments = 0.1**2 * np.diag([0.25, 0.5, 0.25])  # discs of radius 0.1 m on strings of 1 m
    pivots = [(0.1 * (2 * k - count + 1), 0, 1.3) for k in range(count)]
    return Chain([Link(TURN, 1, (0, 0, -1), moments, offset=at, parent="ground") for at in pivots])


class ContactExplorer(Explorer):
    """Throw a chain, let a stack stand or a cradle swing, and see the forces, cones and modes of all contacts.

    scene : "chain", "stack" or "cradle", of so many bodies (`count`); ground : "floor", "stairs" or "slope", at an
    `angle` from the level [rad]; the cradle hangs above it. speed : of the throw, along the stack's ground, or with
    which the cradle's first ball arrives [m/s]. restitution (0 to 1), friction (0 or more), law : "newton",
    "poisson" or "moreau", order : "together" or "sequence", as for `collision_impulses`; solver : "lemke", "pgs"
    with so many `sweeps`, or "modes", which tries all. step : of Moreau and Jean [s]. None is the scene's own.
    The reader can change all of them while it runs. While it runs the page computes; when it is paused Python takes
    the step that is shown, at the page's contacts. simulate_contact(chain, contacts, q, qd, *, t, step, restitution,
    friction, law) -> a `Simulation`, for steps that are one problem; collision_impulses(chain, q, qd, contacts, *,
    restitution, friction, law, order) -> a `Collision`, where blows come first: the book's own if not given.
    ValueError if there is no such scene, ground, law, order or solver, or a number is out of range.
    """

    _esm = linked("contact.js")
    _css = source("base.css", "stage.css", "motion.css", "contact.css")

    def __init__(
        self,
        scene: str = "chain",
        ground: str = "stairs",
        *,
        count: int | None = None,
        angle: float = np.pi / 12,
        speed: float | None = None,
        restitution: float | None = None,
        friction: float | None = None,
        law: str = "newton",
        order: str | None = None,
        solver: str = "lemke",
        sweeps: int = 10,
        step: float | None = None,
        simulate_contact: Callable[..., Any] = chaindyn.simulate_contact,
        collision_impulses: Callable[..., Any] = chaindyn.collision_impulses,
    ) -> None:
        check_word(scene, "scene", set(KINDS))
        kind = KINDS[scene]
        given: dict[str, Any] = {"count": count, "speed": speed, "restitution": restitution}
        given |= {"friction": friction}
        given |= {"order": order, "step": step}
        start = {name: getattr(kind, name) if x is None else x for name, x in given.items()}
        start |= {"scene": scene, "ground": ground, "law": law, "solver": solver}
        choices = {"ground": GROUNDS, "law": LAWS, "order": ORDERS, "solver": SOLVERS}
        for name, allowed in choices.items():
            check_word(start[name], name, set(allowed))
        _require_whole("count", start["count"], kind.most)
        _require_whole("sweeps", sweeps, 1000)
        check_coefficients(start["restitution"], "restitution", 1)
        check_coefficients(start["friction"], "friction", np.inf)
        _require_within("angle", angle, np.pi / 4)
        _require_within("speed", start["speed"], FASTEST)
        require_positive(start["step"], "step")
        start |= {"angle": float(angle), "sweeps": int(sweeps), "q": None, "qd": None}
        fixed: dict[str, Any] = {"kinds": {name: asdict(each) for name, each in KINDS.items()}}
        fixed |= {"steps": sorted({*STEPS, float(start["step"])}, reverse=True)}
        fixed |= {"longest": LONGEST, "fastest": FASTEST}
        functions = {
            "simulate_contact": fields_of(simulate_contact, "qd"),
            "collision_impulses": fields_of(collision_impulses, "qd_jump"),
        }
        super().__init__(functions, start | {"contacts": []}, fixed)

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return q and qd (nv,) a step after the request's, by impulses at its contacts; {} without such a solver."""
        if request["q"] is None or request["solver"] == "pgs":
            return {}
        chain = chain_of(request["scene"], request["count"])
        q, qd = (np.array(request[name], float) for name in ("q", "qd"))
        contacts = [_in_space(contact) for contact in request["contacts"]]
        together = request["order"] == "together" and request["law"] != "poisson"
        taken = self._one_problem if together else self._blows_first
        rates = taken(chain, q, qd, contacts, request)
        return {"q": q + request["step"] / 2 * (qd + rates), "qd": rates}

    def _step(
        self, chain: Chain, q: np.ndarray, qd: np.ndarray, contacts: list[Any], **options: Any
    ) -> np.ndarray:
        """Return the rates (nv,) after one step of `simulate_contact` with these contacts."""
        h = options["step"]

        def touching(now: np.ndarray) -> list[Any]:
            """Nothing at the start, where it is asked whether bodies overlap: on the page they may."""
            return [] if np.array_equal(now, q) else contacts

        (rates,) = self.call(
            "simulate_contact",
            chain,
            touching,
            q,
            qd,
            t=[0, h],
            shapes=[(2, chain.nv)],
            **options,
        )
        last: np.ndarray = rates[-1]
        return last

    def _one_problem(
        self,
        chain: Chain,
        q: np.ndarray,
        qd: np.ndarray,
        contacts: list[Any],
        request: dict[str, Any],
    ) -> np.ndarray:
        """Return the rates after a step whose blows and pushes are one problem."""
        named = ("step", "restitution", "friction", "law")
        return self._step(chain, q, qd, contacts, **{name: request[name] for name in named})

    def _blows_first(
        self,
        chain: Chain,
        q: np.ndarray,
        qd: np.ndarray,
        contacts: list[Any],
        request: dict[str, Any],
    ) -> np.ndarray:
        """Return the rates after a step in which blows come first, and what is left is then only held up."""
        h, friction = request["step"], request["friction"]
        free = self._step(chain, q, qd, [], step=h)
        middle = q + h / 2 * qd
        gained = h * chaindyn.aba(chain, middle, 0 * qd, 0 * qd)
        there, before = middle + h / 2 * free, free - gained
        laws = {name: request[name] for name in ("restitution", "law", "order")}
        if _approach(chain, there, before, contacts) > RESTING:
            before = before + self._jump(chain, there, before, contacts, friction=friction, **laws)
        rates: np.ndarray = before + gained
        rates = rates + self._jump(chain, there, rates, contacts, friction=friction, restitution=0)
        return rates

    def _jump(self, chain: Chain, *given: Any, **options: Any) -> np.ndarray:
        """Return the jump of the rates (nv,) by `collision_impulses`."""
        (jump,) = self.call("collision_impulses", chain, *given, shapes=[(chain.nv,)], **options)
        return jump


def _in_space(contact: dict[str, Any]) -> SimpleNamespace:
    """Return a contact of the page, whose points and normals have x and z, as one of chaindyn."""
    point, normal = ((x, 0.0, z) for x, z in (contact["point"], contact["normal"]))
    given = {"bodies": contact["bodies"], "gap": contact["gap"], "restitution": 0, "friction": 0}
    return SimpleNamespace(point=point, normal=normal, **given)


def _approach(chain: Chain, q: np.ndarray, qd: np.ndarray, contacts: list[Any]) -> float:
    """Return how fast the fastest contact approaches [m/s], at least 0."""
    if not contacts:
        return 0.0
    normals = np.array([contact.normal for contact in contacts])
    velocities = contact_rows(evaluate(chain, q), contacts) @ qd
    return float(max(0, -(normals * velocities).sum(-1).min()))


def _require_whole(name: str, x: Any, most: int) -> None:
    if not isinstance(x, int | np.integer) or isinstance(x, bool) or not 1 <= x <= most:
        raise ValueError(f"{name} is {x!r}, but must be a whole number from 1 to {most}")


def _require_within(name: str, x: Any, most: float) -> None:
    if not 0 <= x <= most:
        raise ValueError(f"{name} is {x!r}, but must lie between 0 and {most:.6g}")
