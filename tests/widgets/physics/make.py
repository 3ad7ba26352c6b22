"""Write cases.json: what chaindyn computes for chains and postures that tell one implementation from another.

    python tests/widgets/physics/make.py

Any implementation in any language can be held to it: the page's own dynamics are, in test_widget_physics.py. A case is
{name, function, inputs, expected, tolerance}: a public function of chaindyn, its arguments by their names ("chain" is
one of `chains`), its results by theirs, and for each the largest norm of its error. Infinity is written as null. Where
the function refuses, `expected` is {"error": what the message must name}.

The tolerances are rounding units times the number of links, times the condition of the mass matrix where a result
divides by it (of the one scaled to a unit diagonal, which units leave alone), times the size of what is added up.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import chaindyn
from chaindyn import Chain, Closure, Fixed, Link, Prismatic, Revolute
from chaindyn.models.robots import five_bar, four_bar, four_bar_posture, ur5

FILE = Path(__file__).with_name("cases.json")
EPS = np.finfo(float).eps
ROD: dict[str, Any] = {"mass": 1, "com": (0.5, 0, 0), "inertia": np.diag([0.001, 1 / 12, 1 / 12])}
NOTHING: dict[str, Any] = {"mass": 0, "com": (0, 0, 0), "inertia": np.zeros((3, 3))}
TURNED = chaindyn.rotation_about(np.array([0.6, 0, 0.8]), np.array([0.7]))

Case = dict[str, Any]


def lump(size: float) -> dict[str, Any]:
    """Return a body whose moments about its centre of mass are `size`, off the axes of its frame."""
    return {
        "mass": 1,
        "com": (0.2, 0.1, -0.05),
        "inertia": size * np.array([[3, 1, 0], [1, 4, 1], [0, 1, 5]]),
    }


def chains() -> dict[str, Chain]:
    z, skew = (0, 0, 1), (1, 2, 3)
    return {
        "tree": Chain(
            [
                Link(Revolute(z), **lump(0.01), name="base"),
                Link(Revolute((0, 3, 4)), **lump(0.02), offset=(0, 0, 0.4), rotation=TURNED),
                Link(Prismatic((1, 1, 0)), **lump(0.01), offset=(0.4, 0, 0), name="slide"),
                Link(Fixed(), **lump(0.03), offset=(0.2, 0, 0), rotation=TURNED, name="tool"),
                Link(
                    Revolute((1, 0, 0)),
                    **lump(0.01),
                    offset=(0, 0.1, 0),
                    parent="base",
                    name="finger",
                ),
            ]
        ),
        "two roots": Chain(
            [
                Link(Fixed(), **lump(0.01), offset=(1, 2, 3), name="post"),
                Link(Prismatic(skew), **lump(0.01), offset=(0.1, 0, 0), name="lift"),
                Link(
                    Revolute(skew), **lump(0.01), parent="ground", offset=(0, -1, 0), name="other"
                ),
            ],
            gravity=(1, 2, -9),
        ),
        "rods": Chain(
            [Link(Revolute(z), **ROD, offset=(min(i, 1), 0, 0), name=f"rod {i}") for i in range(3)],
            gravity=(0, -9.81, 0),
        ),
        "hinge": Chain([Link(Revolute(skew), **lump(0.01), offset=(0.3, -0.2, 0.7), name="door")]),
        "gimbal": Chain(  # the massless ring is carried along by what hangs in it
            [
                Link(Revolute(z), **NOTHING, name="ring"),
                Link(Revolute((1, 0, 0)), **lump(0.01), name="rotor"),
            ]
        ),
        "ur5": ur5(),
        "spindle": Chain(  # a massless body that only spins: nothing resists
            [
                Link(Revolute((0, 1, 0)), **ROD, name="rod"),
                Link(Revolute((1, 0, 0)), **NOTHING, offset=(1, 0, 0), name="spindle"),
            ]
        ),
        "skew spindle": Chain(  # a thin rod about its own axis: D is not 0 but 2e-17, rounding
            [
                Link(Revolute(skew), **lump(0.01), rotation=TURNED, name="arm"),
                Link(
                    Revolute((-3, -1, -3)),
                    1,
                    -0.4 * np.array([3, 1, 3]) / np.sqrt(19),
                    needle((-3, -1, -3)),
                    offset=(0.3, 0.1, 0.2),
                    rotation=TURNED,
                    name="needle",
                ),
            ]
        ),
        "twin hinges": Chain(  # both turn about one axis: the inner one feels nothing, the outer one its body
            [
                Link(Revolute(skew), **NOTHING, name="inner"),
                Link(Revolute(skew), **lump(0.01), name="outer"),
            ]
        ),
        "small motor": Chain(  # the inner link is light, but not massless
            [
                Link(Revolute(skew), 0, (0, 0, 0), 1e-12 * np.eye(3), name="rotor"),
                Link(Revolute(skew), **lump(0.01), name="body"),
            ]
        ),
        "crossed slides": Chain(  # three slides in a plane
            [
                Link(Prismatic((1, 0, 0)), 1, (0, 0, 0), np.zeros((3, 3)), name="across"),
                Link(Prismatic((0, 1, 0)), 3, (0, 0, 0), np.zeros((3, 3)), name="up"),
                Link(Prismatic((3, 4, 0)), 2, (0, 0, 0), np.zeros((3, 3)), name="both"),
            ]
        ),
        "crank and rocker": Chain(  # with the ground, 1.1 m of it, a four-bar whose crank turns round
            [
                Link(
                    Revolute((0, -1, 0)),
                    length,
                    (length / 2, 0, 0),
                    length**3 / 12 * np.diag([0, 1, 1]),
                    offset=(before, 0, 0),
                )
                for length, before in ((0.4, 0), (1.0, 0.4), (0.8, 1.0))
            ]
        ),
        "parallelogram": four_bar()[0],
        "five-bar": five_bar()[0],
    }


# The pins that close their loops: where in the last link, and where on the ground, both along x. A case's "constraints"
# is such a pin, a hinge about y.
PINS = {"crank and rocker": (0.8, 1.1), "parallelogram": (1, 1), "five-bar": (0.5, 0.6)}


def pinned(chain: Chain, pin: dict[str, Any]) -> Closure:
    places = {"offset": (pin["offset"], 0, 0), "onto_offset": (pin["onto_offset"], 0, 0)}
    return Closure(Revolute((0, 1, 0)), chain.n - 1, **places)


def needle(direction: tuple[float, float, float]) -> np.ndarray:
    """Return the moments of a thin rod of 1 kg and 0.8 m, which are zero about its own direction."""
    e = np.array(direction) / np.linalg.norm(direction)
    return 0.8**2 / 12 * (np.eye(3) - np.outer(e, e))


def condition(chain: Chain, q: np.ndarray) -> float:
    M = chaindyn.crba(chain, q)
    size = np.sqrt(np.diag(M))
    return float(np.linalg.cond(M / np.outer(size, size)))


def state(chain: Chain, seed: int) -> tuple[np.ndarray, np.ndarray]:
    q, qd = chaindyn.random_state(chain, seed)
    return q.round(3), qd.round(3)


def case(
    name: str, function: str, chain: str, inputs: dict[str, Any], sizes: Callable[..., dict]
) -> Case:
    """Return a case; sizes(the results by name) says how large the rounding of each can be, over EPS n."""
    model = ALL[chain]
    arguments = {
        key: np.array(x) if isinstance(x, list | tuple) else x for key, x in inputs.items()
    }
    made: Case = {"name": name, "function": function, "inputs": {"chain": chain, **inputs}}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", RuntimeWarning
            )  # a direction that yields by rounding alone
            results = CALLS[function](model, **arguments)
    except ValueError as error:
        named = [link for link in model.names if repr(link) in str(error)]
        named += [key for key in inputs if str(error).startswith(key)]
        return made | {"expected": {"error": named[0]}, "tolerance": {}}
    tolerance = {key: 100 * EPS * model.n * size for key, size in sizes(results).items()}
    assert tolerance.keys() == results.keys(), (tolerance.keys(), results.keys())
    return made | {"expected": results, "tolerance": tolerance}


def norm(x: Any) -> float:
    """Return the norm of what is finite."""
    return float(np.linalg.norm(np.where(np.isfinite(x), x, 0)))


def impact(chain: Chain, q: Any, qd: Any, **options: Any) -> dict[str, Any]:
    blow = dict(vars(chaindyn.impact(chain, q, qd, **options)))
    del blow["multipliers"]  # of loops, which the page's chains have none of
    return blow


def held(chain: Chain, q: Any, qd: Any, tau: Any, constraints: Any, **options: Any) -> Any:
    pin = pinned(chain, constraints)
    qdd, _ = chaindyn.constrained_forward_dynamics(chain, pin, q, qd, tau, **options)
    return {"qdd": qdd}  # the multipliers are those of five rows, of which two say something


def simulate(chain: Chain, q: Any, qd: Any, **options: Any) -> dict[str, Any]:
    if "constraints" in options:
        options["constraints"] = pinned(chain, options["constraints"])
    motion = chaindyn.simulate(chain, q, qd, **options, progress=False)
    if motion.reason:
        raise ValueError(motion.reason)
    names = ("q", "kinetic", "potential", *["gap"] * bool(motion.constraints))
    return {name: getattr(motion, name) for name in names}


CALLS: dict[str, Callable[..., dict[str, Any]]] = {
    "forward_kinematics": lambda *a, **o: dict(
        zip("Rp", chaindyn.forward_kinematics(*a, **o), strict=True)
    ),
    "body_jacobian": lambda *a, **o: {"J": chaindyn.body_jacobian(*a, **o)},
    "rnea": lambda *a, **o: {"tau": chaindyn.rnea(*a, **o)},
    "joint_wrenches": lambda *a, **o: {"wrenches": chaindyn.joint_wrenches(*a, **o)},
    "crba": lambda *a, **o: {"M": chaindyn.crba(*a, **o)},
    "articulated_inertia": lambda *a, **o: {"inertias": chaindyn.articulated_inertia(*a, **o)},
    "hybrid_dynamics": lambda *a, **o: dict(
        zip(("qdd", "tau"), chaindyn.hybrid_dynamics(*a, **o), strict=True)
    ),
    "simulate": simulate,
    "constraint_jacobian": lambda chain, q, constraints: {
        "K": chaindyn.constraint_jacobian(chain, pinned(chain, constraints), q)
    },
    "constraint_error": lambda chain, q, constraints: {
        "gap": chaindyn.constraint_error(chain, pinned(chain, constraints), q)
    },
    "constrained_forward_dynamics": held,
    "impact": impact,
}


# --- How large the rounding of the results can be, over EPS n -----------------------------------


def reach(chain: Chain, q: np.ndarray) -> float:
    return 1 + np.linalg.norm(chaindyn.forward_kinematics(chain, q)[1], axis=-1).max()


def forces(chain: Chain, q: Any, qd: Any, qdd: Any = 0) -> float:
    """Return the size of the forces of which a joint's force is the sum."""
    lengths = reach(chain, q) ** 2
    return chain.mass.sum() * lengths * (norm(chain.gravity) + norm(qd) ** 2 + norm(qdd))


def of_impact(chain: Chain, inputs: dict[str, Any]) -> Callable[..., dict]:
    q, qd, point, b = (inputs[name] for name in ("q", "qd", "point", "body"))

    def sizes(x: dict) -> dict[str, float]:
        J = chaindyn.body_jacobian(chain, q, b, frame="world")
        turning, J = norm(J[:3]), J[3:] - np.cross(point, J[:3], axisb=0, axisc=0)
        M = chaindyn.crba(chain, q)
        mass = x["effective_mass"] if np.isfinite(x["effective_mass"]) else 0.0
        arms = reach(chain, q) + norm(point)
        places = norm(J) + arms * turning  # of what the point's velocity is made
        # by rounding in other directions, and of the places
        share = condition(chain, q) * (1 + np.trace(J @ np.linalg.solve(M, J.T)) * mass)
        share += places / (norm(inputs["normal"] @ J) or 1) * norm(inputs["normal"])
        impulse = share * x["impulse"] + mass * places * norm(qd)
        lost, share = share, impulse / x["impulse"] if x["impulse"] else 0.0
        energy = norm(M) * (norm(qd) + norm(x["qd_jump"])) ** 2
        return {
            "impulse": impulse,
            "effective_mass": lost * mass,
            "qd_jump": share * norm(x["qd_jump"]) + norm(qd),
            "twist_jumps": share * norm(x["twist_jumps"]),
            "joint_impulses": share * (norm(x["joint_impulses"]) + x["impulse"] * arms),
            "energy_before": energy,
            "energy_after": energy + 4 * share * x["energy_before"],  # which is lost, at most
        }

    return sizes


def of_hybrid(chain: Chain, inputs: dict[str, Any]) -> Callable[..., dict]:
    q, qd, told = inputs["q"], inputs["qd"], np.array(inputs["prescribed"])

    def sizes(x: dict) -> dict[str, float]:
        M = chaindyn.crba(chain, q)
        given = forces(chain, q, qd) + norm(inputs["tau"]) + norm(M) * norm(inputs["qdd"])
        M_vv = M[~told][:, ~told]
        inverse = norm(np.linalg.inv(M_vv))
        qdd = inverse * (given + norm(M_vv) * norm(x["qdd"])) + norm(inputs["qdd"])
        return {"qdd": qdd, "tau": given + norm(M[told]) * qdd}

    return sizes


def of_held(chain: Chain, inputs: dict[str, Any]) -> Callable[..., dict]:
    """How far rounding goes in a chain whose loop is closed: by what the loop answers to a small change."""
    q, qd = np.array(inputs["q"]), np.array(inputs["qd"])
    pin, (kp, kd) = pinned(chain, inputs["constraints"]), inputs["stabilisation"] or (0, 0)
    M, K = chaindyn.crba(chain, q), chaindyn.constraint_jacobian(chain, pin, q)
    yields = np.linalg.solve(M, K.T)
    answer = norm(yields @ np.linalg.pinv(K @ yields, rcond=1e-12))
    spread = 1 + answer * norm(K)
    wanted = reach(chain, q) * (norm(qd) ** 2 + kd * norm(qd) + kp)
    size = spread * (norm(np.linalg.inv(M)) * forces(chain, q, qd) + answer * wanted)
    return lambda x: {"qdd": spread * size}


# --- The cases ----------------------------------------------------------------------------------


def struck(
    name: str,
    chain: str,
    body: int,
    local: Any,
    *,
    seed: int = 0,
    approach: int = 1,
    **options: Any,
) -> Case:
    """A blow on a point of a link, given in its frame; approach: 1, or -1 for the rates that go away."""
    model = ALL[chain]
    q, qd = state(model, seed)
    q, qd = np.array(options.pop("q", q), float), np.array(options.pop("qd", qd), float)
    R, p = chaindyn.forward_kinematics(model, q)
    point = p[body] + R[body] @ np.array(local, float)
    normal = np.array(options.pop("normal", (2, -3, 6)), float)
    velocity = chaindyn.point_velocity(
        chaindyn.body_twists(model, q, qd, frame="world")[body], point
    )
    if velocity @ normal * approach > 1e-13:  # more than rounding, which is another on each machine
        qd = -qd
    inputs = {"q": q, "qd": qd, "point": point, "normal": normal, "restitution": 0.5, "body": body}
    inputs |= options
    return case(name, "impact", chain, plain(inputs), of_impact(model, inputs))


def impacts() -> Iterator[Case]:
    for chain, bodies in {
        "tree": range(5),
        "two roots": (1, 2),
        "rods": range(3),
        "ur5": (3, 5),
    }.items():
        for body in bodies:
            for e in (0, 0.3, 1):
                yield struck(
                    f"a blow, e = {e}", chain, body, (0.3, 0.1, -0.2), seed=body, restitution=e
                )
            yield struck("leaving", chain, body, (0.3, 0.1, -0.2), seed=body, approach=-1)
    for chain, body in {"hinge": 0, "gimbal": 1, "crossed slides": 2}.items():
        yield struck("a blow", chain, body, (0.3, 0.1, -0.2))
    yield struck("from rest", "tree", 3, (0.1, 0, 0), qd=np.zeros(4))
    yield struck("struck back at the root of a tree", "two roots", 2, (0, 0, 0.5), seed=4)
    # on the axis of a hinge only rounding moves the point; a little off it, it moves
    axis = np.array([1, 2, 3]) / np.sqrt(14)
    for away in (0, 0.1, -2, 1000):
        for normal in ((2, -3, 6), (3, 0, -1), axis):
            place = f"{away} m along the axis, normal {np.round(normal, 2).tolist()}"
            yield struck(place, "hinge", 0, away * axis, normal=normal, qd=[1.5])
    for off in (1e-3, 1e-6, 1e-8, 1e-10):
        local = 0.1 * axis + off * np.array([3, 0, -1]) / np.sqrt(10)
        yield struck(f"{off} m off the axis", "hinge", 0, local, q=[0], normal=(-2, 1, 0), qd=[1.5])
    # along a rod it cannot be moved; nearly so, a little
    for tilt in (0, 1e-7, 2e-5, 1e-3):
        yield struck(
            f"along a stretched chain, {tilt} rad off",
            "rods",
            2,
            (1, 0, 0),
            q=[0.7] + [0] * 2,
            qd=[1, 0.2, -0.1],
            normal=(-np.cos(0.7 + tilt), -np.sin(0.7 + tilt), 0),
        )
    yield struck("folded", "rods", 2, (1, 0, 0), q=[0.1, np.pi, np.pi], seed=2)
    yield struck(
        "in the centre of percussion", "rods", 0, (2 / 3, 0, 0), q=[0, 0.3, 0.4], normal=(0, -1, 0)
    )
    yield struck(
        "across a slide's own direction",
        "crossed slides",
        0,
        (0, 0, 0),
        normal=(0, 0, 1),
        qd=[1, 2, 3],
    )
    yield struck("a normal of length 2", "tree", 2, (0.1, 0, 0), normal=(0, 2, 0))
    yield struck("no normal", "tree", 2, (0.1, 0, 0), normal=(0, 0, 0))
    yield struck("more than all comes back", "tree", 2, (0.1, 0, 0), restitution=1.5)
    yield struck("less than nothing comes back", "tree", 2, (0.1, 0, 0), restitution=-0.1)
    for chain in ("spindle", "skew spindle", "twin hinges", "small motor"):
        yield struck("near no inertia", chain, 0, (0.3, 0.1, -0.2), seed=1)


def told(name: str, chain: str, mask: Any, seed: int, **options: Any) -> Case:
    model, rng = ALL[chain], np.random.default_rng(seed)
    q, qd = state(model, seed)
    q, mask = np.array(options.get("q", q), float), np.array(mask, bool)
    inputs = {"q": q, "qd": qd, "prescribed": mask}
    inputs["qdd"] = rng.normal(size=mask.sum()).round(3)
    inputs["tau"] = rng.normal(size=(~mask).sum()).round(3)
    return case(name, "hybrid_dynamics", chain, plain(inputs), of_hybrid(model, inputs))


def hybrids() -> Iterator[Case]:
    for k in range(16):
        mask = [bool(k >> j & 1) for j in range(4)]
        yield told(f"mask {k:04b}", "tree", mask, k)
    for chain in ("two roots", "gimbal", "spindle", "skew spindle", "twin hinges", "small motor"):
        for mask in ([False, False], [True, False], [False, True], [True, True]):
            yield told(f"told {mask}", chain, mask, 1)
    for k in (0, 1, 2, 5, 7):
        yield told(f"mask {k:03b}", "rods", [bool(k >> j & 1) for j in range(3)], k)
        yield told(f"mask {k:03b}", "crossed slides", [bool(k >> j & 1) for j in range(3)], k)
    yield told("stretched", "rods", [False] * 3, 3, q=[0.7, 0, 0])
    yield told("all free", "ur5", [False] * 6, 2)
    yield told("the wrist told", "ur5", [False] * 3 + [True] * 3, 3)


def closed(chain: str, q: Any) -> np.ndarray:
    pin = dict(zip(("offset", "onto_offset"), PINS[chain], strict=True))
    model = ALL[chain]
    first = np.arange(model.nv) == 0
    return chaindyn.assemble(model, pinned(model, pin), np.array(q, float), held=first)


def loops() -> Iterator[Case]:
    """Closed, open, and in line, where rows depend on each other, or nearly do."""
    line = [four_bar_posture(2, angle) for angle in (0.0, np.pi, 1e-3, 0.01)]
    ajar = [four_bar_posture(2, 0.01), four_bar_posture(2, 0.3)]
    ajar[0][0] += 1e-3
    ajar[1][2] += 1e-6
    postures = {
        "crank and rocker": [closed("crank and rocker", q) for q in ((1.2, -0.8, -1.6), (2, -2, 2))]
        + [[0.3, 0.5, -1.1]],
        "parallelogram": [four_bar_posture(2, 1.1), *line, *ajar],
        "five-bar": [closed("five-bar", q) for q in ((2, -1.3, -1.5, -0.7), (2, 0.5, 2, 1))]
        + [[0.3, 0.5, -1.1, 0.7]],
    }
    for chain, several in postures.items():
        model = ALL[chain]
        pin = dict(zip(("offset", "onto_offset"), PINS[chain], strict=True))
        for k, q in enumerate(np.array(several, float)):
            at = plain({"q": q, "constraints": pin})
            far = reach(model, q)
            yield case(f"posture {k}", "constraint_jacobian", chain, at, lambda x, s=far: {"K": s})
            yield case(f"posture {k}", "constraint_error", chain, at, lambda x, s=far: {"gap": s})
            K = chaindyn.constraint_jacobian(model, pinned(model, pin), q)
            # of this velocity what the loop allows; through a posture with all rods in line, cranks stay parallel
            some = np.cos(np.arange(K.shape[-1]))
            allowed = some - np.linalg.pinv(K, rcond=1e-6) @ (K @ some)
            going = np.array([1, -1, 1]) if chain == "parallelogram" else allowed
            for gains in (None, (100.0, 20.0)):
                inputs = {"q": q, "qd": going, "tau": 0 * q, "constraints": pin}
                inputs |= {"stabilisation": gains}
                yield case(
                    f"posture {k}, gains {gains}",
                    "constrained_forward_dynamics",
                    chain,
                    plain(inputs),
                    of_held(model, inputs),
                )
        start = several[1] if chain == "five-bar" else several[0]
        starts = [start, four_bar_posture(2, 0.3)] if chain == "parallelogram" else [start]
        for k, q in enumerate(starts):  # the second falls through the line
            for cure in (None, (100.0, 20.0), "projection"):
                if k and cure is None:
                    continue  # without a cure rounding decides how it goes on
                inputs = {"q": q, "qd": 0 * q, "t": np.linspace(0, 0.6, 7), "method": "RK4"}
                inputs |= {"step": 0.02, "constraints": pin, "stabilisation": cure}
                scale, far = 1e3 * condition(model, q), reach(model, q)
                heavy = forces(model, q, 0 * q)
                yield case(
                    f"fall {k}, {cure}",
                    "simulate",
                    chain,
                    plain(inputs),
                    lambda x, s=scale, f=heavy, far=far: {
                        "q": s * norm(x["q"]),
                        "kinetic": s * f,
                        "potential": s * f,
                        "gap": s * far,
                    },
                )


def others() -> Iterator[Case]:
    for chain in (
        "tree",
        "two roots",
        "rods",
        "hinge",
        "gimbal",
        "crossed slides",
        "spindle",
        "ur5",
    ):
        model = ALL[chain]
        q, qd = state(model, 7)
        qdd = np.random.default_rng(8).normal(size=model.nv).round(3)
        size, far, at = forces(model, q, qd, qdd), reach(model, q), plain({"q": q})
        motion = plain({"q": q, "qd": qd, "qdd": qdd})
        yield case("posed", "forward_kinematics", chain, at, lambda x, far=far: {"R": 1, "p": far})
        for body in (0, model.n - 1):
            for frame in ("world", "body", "mixed"):
                inputs = at | {"body": body, "frame": frame}
                yield case(
                    f"of link {body}", "body_jacobian", chain, inputs, lambda x, far=far: {"J": far}
                )
        yield case("moving", "rnea", chain, motion, lambda x, size=size: {"tau": size})
        mixed = motion | {"frame": "mixed"}
        yield case(
            "moving", "joint_wrenches", chain, mixed, lambda x, size=size: {"wrenches": size}
        )
        yield case("posed", "crba", chain, at, lambda x: {"M": norm(x["M"])})
    for chain, model in ALL.items():
        q, qd = state(model, 9)
        yield case(
            "posed",
            "articulated_inertia",
            chain,
            plain({"q": q}),
            lambda x: {"inertias": 1e6 * norm(x["inertias"])},
        )
        if chain == "small motor":
            continue  # stiffer than any of these steps
        # rounding grows as the motion parts from its neighbours
        for method, step in [("RK4", 0.01), ("semi-implicit Euler", 0.01), ("variational", 0.01)]:
            inputs = plain(
                {"q": q, "qd": qd, "t": np.linspace(0, 0.2, 6), "method": method, "step": step}
            )
            yield case(
                f"for a while, by {method}",
                "simulate",
                chain,
                inputs,
                lambda x, q=q, m=model, qd=qd: {
                    "q": 1e3 * condition(m, q) * norm(x["q"]),
                    "kinetic": 1e3 * condition(m, q) * (norm(x["kinetic"]) + forces(m, q, qd)),
                    "potential": 1e3 * condition(m, q) * (norm(x["potential"]) + forces(m, q, qd)),
                },
            )


def plain(x: Any) -> Any:
    """Return arrays as lists and numbers as Python's; infinity as None."""
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, np.ndarray | np.generic):
        x = x.tolist()
    if isinstance(x, list | tuple):
        return [plain(value) for value in x]
    return None if isinstance(x, float) and not np.isfinite(x) else x


def described(chain: Chain) -> dict[str, Any]:
    links = []
    for i, joint in enumerate(chain.joints):
        links.append(
            {"name": chain.names[i], "joint": type(joint).__name__, "parent": chain.parent[i]}
        )
        links[-1] |= {"axis": getattr(joint, "axis", (0, 0, 0)), "mass": chain.mass[i]}
        links[-1] |= {
            name: getattr(chain, name)[i] for name in ("com", "inertia", "offset", "rotation")
        }
    return plain({"gravity": chain.gravity, "links": links})


ALL = chains()


def made() -> dict[str, Any]:
    cases = [*impacts(), *hybrids(), *others(), *loops()]
    return plain(
        {"chains": {name: described(chain) for name, chain in ALL.items()}, "cases": cases}
    )


if __name__ == "__main__":
    text = made()
    lines = ",\n".join(json.dumps(each, allow_nan=False) for each in text["cases"])
    head = json.dumps(text["chains"], allow_nan=False)
    FILE.write_text(f'{{"chains": {head},\n"cases": [\n{lines}\n]}}\n', encoding="utf-8")
