"""A chain that strikes a wall: the blow, what each joint does and bears, and a map of it over postures."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

import chaindyn
from chaindyn import (
    Chain,
    body_jacobian,
    body_twists,
    forward_kinematics,
    point_velocity,
)
from chaindyn.guards.arguments import check_chain, require_between, unit
from chaindyn.guards.bodies import index_of_link
from chaindyn.guards.model import require_no_rotors
from chaindyn.impulse import contact_impulse, impulse_response
from chaindyn.widgets.bodies import bodies_of
from chaindyn.widgets.explorer import (
    Explorer,
    equal_rods,
    error_in_words,
    fields_of,
    linked,
    source,
    without_none,
)
from chaindyn.widgets.lines import line_of
from chaindyn.widgets.tree import VIEWS, limits_of, reach_of, require_drawable, shaped, tree_of

MOST_RODS = 6
BEND = 0.4  # of each rod against the one before, at the start [rad]
RESULTS = (
    "impulse",
    "effective_mass",
    "qd_jump",
    "twist_jumps",
    "joint_impulses",
    "energy_before",
    "energy_after",
)


LINES = {  # of the chapters' laws, behind the numbers of a blow
    "impulse": line_of(contact_impulse, "impulse"),
    "rates": line_of(impulse_response, "rates"),
    "approach": line_of(chaindyn.point_velocity, "return"),
}


class Struck(NamedTuple):
    """One of the chains that the reader can choose: what never changes of it, and where it starts."""

    chain: Chain
    end: np.ndarray
    scene: dict[str, Any]
    start: dict[str, Any]


class ImpactExplorer(Explorer):
    """Let a moving chain strike a wall; see the impulse, every joint's jump and what every bearing has to carry.

    chain, q, qd : the chain, its posture (nq,), zero if not given, and its joint speeds before the blow (nv,), by
    default 1 rad/s or m/s at the first joint that carries the struck link. Without a chain, `links` equal rods of
    1 m and 1 kg, hinged about z, two if not given; the reader can change to 1 to 6 of them in either case.
    impact(chain, q, qd, *, point, normal, restitution, body) -> an `Impact`, for one posture and for a batch:
    the book's own if not given. body : index or name of the link that is struck, None the only leaf; point : (3,)
    where, in that link's frame, its far end if None; normal : (3,) from the wall into the link, in world axes,
    against the velocity of the point if None. tip, limits : as for `ChainExplorer`. axes : the two coordinates
    of the map, each the index or name of a link whose joint moves, or "along" for where along its link the blow is;
    view : "space", "xy", "xz" or "yz", how it is looked at first. The map asks `impact` for
    all its postures at once. Its film shows the blow in slow motion, as `StrikeExplorer` does.
    ValueError if a joint is not revolute, prismatic or fixed, no joint carries
    the struck link, there is no such view, body or axis, or an argument has another shape or is out of range.
    """

    _esm = linked("impact.js")
    _css = source("base.css", "stage.css", "map.css", "impact.css")
    _rods = range(1, MOST_RODS + 1)  # how many equal rods the reader can choose

    def __init__(
        self,
        chain: Chain | None = None,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        *,
        links: int | None = None,
        impact: Callable[..., Any] = chaindyn.impact,
        body: int | str | None = None,
        point: ArrayLike | None = None,
        normal: ArrayLike | None = None,
        restitution: float = 0.5,
        axes: Sequence[int | str] | None = None,
        view: str | None = None,
        tip: ArrayLike | None = None,
        limits: ArrayLike | None = None,
    ) -> None:
        given: dict[str, Any] = {"q": q, "qd": qd, "body": body, "point": point, "normal": normal}
        given |= {"axes": axes, "view": view, "tip": tip, "limits": limits}
        if chain is not None and links is not None:
            raise ValueError(
                f"links is {links!r}, but a chain was given too: it must be one of them"
            )
        require_between(np.asarray(restitution, float), "restitution", 0, 1)
        self.struck = [] if chain is None else [_struck(chain, **given)]
        count = 2 if links is None else links
        if count not in range(1, MOST_RODS + 1):
            raise ValueError(f"links is {links!r}, but must be a number from 1 to {MOST_RODS}")
        for n in self._rods:
            own = given if chain is None and n == count else {}
            rods: dict[str, Any] = {"q": BEND * np.ones(n), "tip": (1, 0, 0), "view": "xy"}
            self.struck.append(
                _struck(equal_rods(n, (0, 0, 1), gravity=(0, 0, 0)), **rods | without_none(own))
            )
        first = count - 1 if chain is None else 0
        scene = {
            "chains": [struck.scene | {"start": struck.start} for struck in self.struck],
            "labels": ([] if chain is None else ["this chain"])
            + ["1 rod" if n == 1 else f"{n} equal rods" for n in self._rods],
        }
        start = {"chain": first, **self.struck[first].start, "restitution": float(restitution)}
        start |= {"quantity": "impulse", "map": None}
        super().__init__({"impact": fields_of(impact, *RESULTS)}, start, scene)

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the blow at the present posture and, where the request names a map, the map."""
        struck = self.struck[request["chain"]]
        values = self._blow(struck, request)
        if request["map"] is not None:
            try:
                values["map"] = {"key": request["map"], **self._map(struck, request)}
            except (
                Exception
            ) as error:  # the reader's own; the present posture may well have an answer
                values["map"] = {"key": request["map"], "error": error_in_words(error)}
        return values

    def _strike(
        self,
        struck: Struck,
        request: dict[str, Any],
        q: np.ndarray,
        qd: np.ndarray,
        point: np.ndarray,
    ) -> dict[str, np.ndarray]:
        """Return the fields of `Impact`, by name, for a batch of states and points in the world."""
        chain, batch = struck.chain, q.shape[:-1]
        ends = [(), (), (chain.nv,), (chain.n, 6), (chain.n, 6), (), ()]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the view says it in its own words
            results = self.call(
                "impact",
                chain,
                q,
                qd,
                point=point,
                normal=np.array(request["normal"], float),
                restitution=request["restitution"],
                body=request["body"],
                shapes=[batch + end for end in ends],
            )
        return dict(zip(RESULTS, results, strict=True))

    def _blow(self, struck: Struck, request: dict[str, Any]) -> dict[str, Any]:
        chain, b = struck.chain, request["body"]
        q, qd = np.array(request["q"], float), np.array(request["qd"], float)
        R, p = forward_kinematics(chain, q)
        point = p[b] + R[b] @ np.array(request["point"], float)
        blow = self._strike(struck, request, q, qd, point)
        twist = body_twists(chain, q, qd, frame="world")[b]
        after = twist + blow["twist_jumps"][b]
        moments, forces = blow["joint_impulses"][:, :3], blow["joint_impulses"][:, 3:]
        return {
            "chain": request["chain"],
            "R": R,
            "p": p,
            "point": point,
            "impulse": blow["impulse"],
            "mass": blow["effective_mass"],
            "qd_after": qd + blow["qd_jump"],
            "before": point_velocity(twist, point),
            "after": after[3:]
            + np.cross(after[:3], point),  # unchecked: it may be the reader's NaN
            "reactions": forces,
            "moments": moments - np.cross(p, forces),  # about the joints
            "energy": [blow["energy_before"], blow["energy_after"]],
        }

    def _map(self, struck: Struck, request: dict[str, Any]) -> dict[str, Any]:
        """Return impulse, effective mass and what the chosen joint feels of 1 N s, (cells, cells), rows upwards."""
        chain, b = struck.chain, request["body"]
        q, local = _grid(struck, request)
        R, p = forward_kinematics(chain, q)
        point = p[..., b, :] + (R[..., b, :, :] @ local[..., None])[..., 0]
        qd = np.broadcast_to(np.array(request["qd"], float), (*q.shape[:-1], chain.nv))
        hit = self._strike(struck, request, q, qd, point)
        impulse, mass = hit["impulse"], hit["effective_mass"]
        felt = self._felt(struck, request, hit)
        # Where the point is leaving nothing is felt; what would be, were it approaching, tells where the line goes on.
        away = impulse == 0
        if away.any():
            q, point, normal = q[away], point[away], np.array(request["normal"], float)
            blow = np.hstack([np.cross(point, normal), np.broadcast_to(normal, point.shape)])
            levers = (body_jacobian(chain, q, b, frame="world").mT @ blow[..., None])[..., 0]
            hit = self._strike(struck, request, q, -levers, point)
            felt[away] = self._felt(struck, request, hit)
        return {"impulse": impulse, "mass": mass, "felt": felt}

    def _felt(
        self, struck: Struck, request: dict[str, Any], hit: dict[str, np.ndarray]
    ) -> np.ndarray:
        """Return what the chosen joint feels for each newton second of the blow; NaN where there is none."""
        kind, link = request["feel"]
        if kind == "jump":
            felt = hit["qd_jump"][..., struck.scene["column"][link]]
        else:
            felt = hit["joint_impulses"][..., link, 3:] @ np.array(request["normal"], float)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(hit["impulse"] > 0, felt / hit["impulse"], np.nan)


class StrikeExplorer(ImpactExplorer):
    """See a chain swing into a wall in slow motion, again and again; take hold of it, and see what the blow does.

    The three questions of the opening page are answered beside the picture: how strong the blow is, what the speed
    of each joint becomes, what each bearing has to carry. Arguments as for `ImpactExplorer`; there is no map. Before
    the blow and after it the chain moves freely, with motors that carry its weight and do no more. Readers who
    prefer reduced motion see it at the instant of the blow, until they press play.
    """

    _esm = linked("strike.js")
    _css = source("base.css", "stage.css", "strike.css", "whence.css")
    _rods = range(0)

    def __init__(self, chain: Chain, q: ArrayLike, qd: ArrayLike, **options: Any) -> None:
        if not isinstance(chain, Chain):
            raise TypeError(f"chain is {chain!r}, but must be a Chain")
        super().__init__(chain, q, qd, **options)
        self.scene = {**self.scene, "lines": LINES}


def _struck(
    chain: Chain,
    *,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    body: int | str | None = None,
    point: ArrayLike | None = None,
    normal: ArrayLike | None = None,
    axes: Sequence[int | str] | None = None,
    view: str | None = None,
    tip: ArrayLike | None = None,
    limits: ArrayLike | None = None,
) -> Struck:
    check_chain(chain)
    require_drawable(chain)
    require_no_rotors(chain, "ImpactExplorer")
    view = "space" if view is None else view
    if view not in VIEWS:
        raise ValueError(f"view is {view!r}, but must be one of {list(VIEWS)}")
    b = index_of_link(chain, body)
    moving = [i for i in chain.path(b) if chain.joints[i].nv]
    if not moving:
        raise ValueError(f"link {chain.names[b]!r} is struck, but no joint lets it move")
    tip = chain.com[-1] if tip is None else shaped("tip", tip, (3,))
    reach = reach_of(chain, tip)
    end = _ends(chain, tip)
    scene = {
        **tree_of(chain),
        "tip": tip,
        "end": end,
        "reach": reach,
        "bodies": bodies_of(chain, tip, reach),
        "limits": limits_of(chain, limits, reach),
        "mass": chain.mass,
        "inertia": chain.inertia,
        "view": VIEWS[view],
        "cells": 41 if chain.n <= 3 else 25,  # of the map, each way: some 50 ms of `impact`
    }
    q = np.zeros(chain.nq) if q is None else shaped("q", q, (chain.nq,))
    if qd is None:
        qd = np.eye(chain.nv)[scene["column"][moving[0]]]
    qd = shaped("qd", qd, (chain.nv,))
    point = end[b] if point is None else shaped("point", point, (3,))
    if normal is None:
        normal = _head_on(chain, q, qd, b, point)
    start = {
        "q": q,
        "qd": qd,
        "body": b,
        "point": point,
        "normal": unit(shaped("normal", normal, (3,)), "normal"),
        "axes": _axes(chain, axes, moving),
        "feel": ["reaction" if len(moving) == 1 else "jump", moving[0]],
    }
    return Struck(chain, end, scene, start)


def _ends(chain: Chain, tip: np.ndarray) -> np.ndarray:
    """Return where each link ends, in its frame (n, 3): its first child's seat, else centre of mass or tip."""
    ends = np.array(chain.com, float)
    ends[-1] = tip
    for i in reversed(range(chain.n)):
        if chain.parent[i] >= 0:
            ends[chain.parent[i]] = chain.offset[i]
    return ends


def _head_on(chain: Chain, q: np.ndarray, qd: np.ndarray, b: int, point: np.ndarray) -> np.ndarray:
    """Return the direction against the velocity of a point of link b; x, if the point rests."""
    R, p = forward_kinematics(chain, q)
    velocity = point_velocity(body_twists(chain, q, qd, frame="world")[b], p[b] + R[b] @ point)
    return -velocity if np.linalg.norm(velocity) > 0 else np.array([1.0, 0, 0])


def _axes(chain: Chain, axes: Sequence[int | str] | None, moving: list[int]) -> list[int | str]:
    """Return the map's coordinates as indices of links or "along"; by default two joints that carry the struck link."""
    if axes is None:
        return [moving[0], "along"] if len(moving) == 1 else list(moving[len(moving) > 2 :][:2])
    if isinstance(axes, str) or len(axes) != 2:
        raise ValueError(f"axes is {axes!r}, but must be two coordinates of the map")
    chosen: list[int | str] = []
    for axis in axes:
        if isinstance(axis, str) and axis == "along":
            chosen.append(axis)
            continue
        chosen.append(link := chain.joint_index(axis))
        if not chain.joints[link].nv:
            raise ValueError(f"axes has {axis!r}, whose joint does not move")
    if chosen[0] == chosen[1]:
        raise ValueError(f"axes is {axes!r}: the two coordinates must differ")
    return chosen


def _grid(struck: Struck, request: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return the postures of the map (cells, cells, nq), and where the link is struck in each, in its own frame."""
    cells = struck.scene["cells"]
    q = np.tile(np.array(request["q"], float), (cells, cells, 1))
    local = np.tile(np.array(request["point"], float), (cells, cells, 1))
    middles = (np.arange(cells) + 0.5) / cells
    for axis, across in zip(request["axes"], (True, False), strict=True):
        share = middles if across else middles[:, None]
        if axis == "along":
            end = struck.end[request["body"]]
            now = local @ end / (end @ end or 1.0)
            local = local + (share - now)[..., None] * end
        else:
            column = struck.scene["column"][axis]
            low, high = np.asarray(struck.scene["limits"])[column]
            q[..., column] = low + (high - low) * share
    return q, local
