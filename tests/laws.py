"""The public functions and the laws that all of them share, in one table.

A row says how the arguments of a function are made for a chain and which laws do not apply to it, with the reason.
`tests/test_every_function.py` crosses the rows with the laws and says which public name is in no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import numpy as np

import chaindyn
from chaindyn import (
    Chain,
    Closure,
    Coupling,
    Cylindrical,
    Distance,
    Drive,
    Fixed,
    Frame,
    Free,
    Helical,
    Link,
    Planar,
    Prismatic,
    Revolute,
    Rolling,
    Spherical,
    Universal,
    random_state,
    rotation_about,
    skew,
    spatial_inertia,
)

LAWS = ("batch", "symbols", "fractions", "digits", "precision", "jax", "casadi", "refuses")

# The arguments ----------------------------------------------------------------------------------


def shape_of(kind: Any, chain: Chain) -> tuple[int, ...]:
    """Return the last axes of an argument: what a batch stands in front of."""
    named = {
        "q": (chain.nq,),
        "external": (chain.n, 6),
        "unit quaternion": (4,),
        "rotation": (3, 3),
        "inertia 3": (3, 3),
        "inertia": (6, 6),
        "direction": (3,),
        "X": (6, 6),
        "subspace": (6, 2),
        "prescribed": ((chain.nv + 1) // 2,),
        "free": (chain.nv // 2,),
    }
    if isinstance(kind, tuple):
        return kind
    return named.get(kind, (chain.nv,))


def made(kind: Any, chain: Chain, rng: np.random.Generator, batch: tuple[int, ...] = ()) -> Any:
    """Return an argument of some kind, floats (*batch, ...)."""
    if kind == "q":
        return random_state(chain, rng, batch=batch)[0]
    if kind == "rotation":
        return rotation_about(
            made("direction", chain, rng, batch), rng.uniform(0.3, 2.5, (*batch, 1))
        )
    if kind in ("direction", "unit quaternion"):
        x = rng.normal(size=(*batch, *shape_of(kind, chain)))
        return x / np.linalg.norm(x, axis=-1, keepdims=True)
    if kind == "inertia 3":
        cloud = rng.normal(size=(*batch, 3, 5))
        return -(skew(cloud.mT) @ skew(cloud.mT)).sum(-3)
    if kind == "inertia":
        mass, com = rng.uniform(1, 2, batch), rng.normal(size=(*batch, 3))
        return spatial_inertia(mass, com, made("inertia 3", chain, rng, batch))
    if kind == "X":
        R, p = made("rotation", chain, rng, batch), rng.normal(size=(*batch, 3))
        return chaindyn.X_motion(R, p)
    if kind == ():
        return rng.uniform(0.3, 0.9, batch)
    return rng.normal(size=(*batch, *shape_of(kind, chain)))


def tangent(kind: Any, value: Any, chain: Chain, rng: np.random.Generator) -> Any:
    """Return a direction in which an argument may change and stay what it is."""
    x = rng.normal(size=np.shape(value))
    if kind in ("direction", "unit quaternion"):
        return x - value * (x * value).sum(-1, keepdims=True)
    if kind == "rotation":
        return value @ skew(x[..., 0])
    if kind == "q":
        qd = rng.normal(size=(*np.shape(value)[:-1], chain.nv))
        return chaindyn.coordinate_rate(chain, value, qd)
    return x


# The chains -------------------------------------------------------------------------------------


def every_joint() -> Chain:
    """Return a tree in which every joint occurs, between bodies in general position, with rotors where they may be."""
    rng = np.random.default_rng(70)
    joints = [Free(), Revolute((1, 2, 3)), Prismatic((3, -1, 2)), Fixed(), Spherical()]
    joints += [Universal((0, 1, 2), (2, 1, 0)), Revolute((-1, 0, 1)), Helical((1, 0, 2), 0.3)]
    joints += [Cylindrical((0, 1, 1)), Planar((2, -1, 1))]
    return _solid(joints, ["ground", 0, 1, 1, 3, 2, 4, 6, 5, 3], rng)


def without_rotors() -> Chain:
    """Return the same tree without drives."""
    chain = every_joint()
    return Chain([replace(link, drive=None) for link in chain.links], chain.gravity, chain.frames)


def small() -> Chain:
    """Return a floating body that carries a cardan and a slide: what JAX compiles in seconds, not minutes."""
    joints = [Free(), Universal((0, 1, 2), (2, 1, 0)), Prismatic((1, 2, 3))]
    return _solid(joints, ["ground", 0, 1], np.random.default_rng(72))


def serial() -> Chain:
    """Return a serial chain of six turning and sliding joints in general position: M^-1 and J are square."""
    rng = np.random.default_rng(71)
    kinds = [Revolute, Revolute, Prismatic, Revolute, Revolute, Revolute]
    return _solid([kind(rng.normal(size=3)) for kind in kinds], [None] * 6, rng)


def _tool(link: int) -> Frame:
    """Return a frame on a link, with whole numbers."""
    return Frame("tool", link, (1, -2, 3), ((0, -1, 0), (0, 0, -1), (1, 0, 0)))


def _solid(joints: list[Any], parents: list[Any], rng: np.random.Generator) -> Chain:
    none = Chain([Link(Revolute(), 1, (0, 0, 0), np.eye(3))])
    return Chain(
        [
            Link(
                joint,
                mass=rng.uniform(1, 2),
                com=0.3 * rng.normal(size=3),
                inertia=made("inertia 3", none, rng),
                offset=0.5 * rng.normal(size=3),
                rotation=made("rotation", none, rng),
                parent=parent,
                drive=None
                if joint.quaternion or not joint.nv
                else Drive(np.linspace(0.1, 0.4, joint.nv), 1.5 - i / 2),
            )
            for i, (joint, parent) in enumerate(zip(joints, parents, strict=True))
        ],
        gravity=(1, 2, -9),
        frames=[_tool(len(joints) - 1)],
    )


def whole_numbers(*joints: Any) -> Chain:
    """Return a serial chain whose parameters are integers: what is exact of a state stays exact."""
    return Chain(
        [
            Link(
                joint,
                mass=2 + i,
                com=(0, 1, i),
                inertia=np.diag([2, 3, 4]),
                offset=(1, i, 0),
                drive=Drive(1 + i, 2),
            )
            for i, joint in enumerate(joints)
        ],
        gravity=(0, -10, 0),
        frames=[_tool(len(joints) - 1)],
    )


def swings() -> Chain:
    """Return a slide with a pendulum."""
    return whole_numbers(Prismatic((1, 0, 0)), Revolute((0, 0, 1)))


def slides() -> Chain:
    """Return three slides, in which nothing turns."""
    return whole_numbers(Prismatic((1, 0, 0)), Prismatic((0, 1, 0)), Prismatic((0, 0, 1)))


PLACES = {"name", "parent", "link", "onto"}  # which say where a part belongs, and are no numbers


def in_precision(part: Any, kind: Any) -> Any:
    """Return a chain, or a part of one or of a constraint, with all its numbers in this precision."""
    if isinstance(part, Chain):
        return Chain(*(in_precision(x, kind) for x in (part.links, part.gravity, part.frames)))
    if is_dataclass(part):
        values = {f.name: getattr(part, f.name) for f in fields(part) if f.name not in PLACES}
        return replace(part, **{name: in_precision(x, kind) for name, x in values.items()})
    if isinstance(part, dict):
        return {name: in_precision(x, kind) for name, x in part.items()}
    if isinstance(part, list | tuple) and all(is_dataclass(x) for x in part):
        return type(part)(in_precision(x, kind) for x in part)
    return None if part is None else np.asarray(part, kind)


def few_links() -> dict[str, Chain]:
    """Return chains in which some sweep has nothing to do: a single link, welds alone, no link on another."""
    rng = np.random.default_rng(73)
    kinds = {
        "hinge": [Revolute((1, 2, 3))],
        "slide": [Prismatic((1, 2, 3))],
        "ball": [Spherical()],
        "free": [Free()],
        "weld": [Fixed()],
        "welds": [Fixed(), Fixed()],
        "a weld on a hinge": [Revolute((1, 2, 3)), Fixed()],
        "roots": [Prismatic((1, 2, 3)), Helical((1, 0, 2), 0.3)],
    }
    solid = {
        name: _solid(joints, ["ground" if name == "roots" else None] * len(joints), rng)
        for name, joints in kinds.items()
    }
    return {
        name: Chain(
            [replace(link, drive=None) for link in chain.links], chain.gravity, chain.frames
        )
        for name, chain in solid.items()
    }


# The table --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A public function, its arguments, and the laws that do not hold for it."""

    name: str
    arguments: dict[str, Any]  # kinds by parameter: see `made`
    options: dict[str, tuple[Any, ...]] = field(
        default_factory=dict
    )  # what they may be; first the default
    fixed: dict[str, Any] = field(default_factory=dict)  # given as they are, in every call
    but: dict[str, str] = field(default_factory=dict)  # law: why it does not apply
    chain: Callable[[], Chain] = every_joint

    @property
    def function(self) -> Callable[..., Any]:
        return getattr(chaindyn, self.name)

    @property
    def of_a_chain(self) -> bool:
        return "chain" in self.function.__annotations__

    def call(self, chain: Chain, values: dict[str, Any], **options: Any) -> tuple[Any, ...]:
        """Call the function; its results one after another."""
        more = {k: v(chain) if callable(v) else v for k, v in {**self.fixed, **options}.items()}
        first = (chain,) if self.of_a_chain else ()
        result = self.function(*first, **values, **more)
        return tuple(_parts(result))

    def choices(self) -> Iterator[dict[str, Any]]:
        """Yield no option, then each option at each value but its default."""
        yield {}
        for name, values in self.options.items():
            yield from ({name: value} for value in values[1:])


def _parts(result: Any) -> Iterator[Any]:
    if isinstance(result, tuple):
        for part in result:
            yield from _parts(part)
    elif hasattr(result, "__dataclass_fields__"):
        for name in result.__dataclass_fields__:
            yield from _parts(getattr(result, name))
    else:
        yield result


FRAME = {"frame": ("body", "world", "mixed")}
EXTERNAL = {"external_frame": ("body", "world", "mixed")}
RECURSION = {"recursion": ("body", "world")}
CLASSICAL = {"classical": (False, True)}
POINT = {"point": (None, lambda chain: np.array([0.3, -0.2, 0.4]))}
TOOL = {"body": (None, lambda chain: "tool")}
Q, QD = {"q": "q"}, {"q": "q", "qd": "qd"}
PURSUIT = {**QD, "q_desired": "q", "qd_desired": "qd"}
NV, V3, V6 = "qd", (3,), (6,)

ROOTS = "a root is taken, which fractions need not have"
TURNS = "sine and cosine of a fraction are none"
HALVES_ONLY = "an inverse of a rotation takes roots and angles, which fractions need not have"
NEARER = (
    "of a ball's two quaternions the nearer is taken, by value, which CasADi's symbols have not"
)
DENSE = "one state at a time, in floats: a dense system of 12 rows a link, which a library solves"
SPARSE = "a sparse system of floats, which a library factorises"
ANGLES = "where a joint stands is told by angles, whose tangents fractions need not be"
INTEGER_ROOT = "of a link that does not turn, a root of an integer is taken, and that is a float"
STUCK = "its chain moves in two or three ways, and a hand feels an inertia in six: tests/test_operational.py"
NO_STATE = "it takes a chain alone, no numbers"


def _half(chain: Chain) -> Any:
    """Prescribe every second joint velocity."""
    return np.arange(chain.nv) % 2 == 0


def _loops(chain: Chain) -> list[Any]:
    """Hold the last link to the first and to the ground by joints of several kinds, a rod, a disc and a gear."""
    turned = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    last = chain.n - 1
    return [
        Closure(Universal((1, 0, 0), (0, 1, 0)), last, 0, offset=(1, 0, 2), onto_offset=(0, 1, 0)),
        Closure(Helical((0, 0, 1), 2), last, offset=(0, 1, 1), onto_rotation=turned),
        Closure(Planar((0, 1, 0)), last, 0, rotation=turned),
        Distance(last, 0, length=2, offset=(1, 0, 3), onto_offset=(0, 2, 0)),
        Rolling(last, 2, axis=(1, 0, 0), offset=(0, 1, 2), height=3),
        Rolling(0, 3, normal=(0, 1, 0)),
        _gear(chain),
    ]


def _gear(chain: Chain) -> Coupling:
    """Couple the first two joints and the last."""
    links = {0, 1, chain.n - 1}
    return Coupling({i: np.arange(2 + i, 2 + i + chain.joints[i].nv) for i in links})


def _few(chain: Chain) -> list[Any]:
    """Rows that do not depend on each other: five for a floating body and what it carries, one for two slides."""
    if chain.nv <= 3:
        return [_gear(chain)]
    last = chain.n - 1
    return [
        Closure(Universal((1, 0, 0), (0, 1, 0)), last, offset=(1, 0, 2), onto_offset=(0, 1, 0)),
        Distance(chain.n - 2, length=2, offset=(1, 0, 3)),
    ]


def _motors(chain: Chain) -> Any:
    """Leave as many joints without a motor as `_few` has rows."""
    return np.arange(chain.nv) >= (1 if chain.nv <= 3 else 5)


def _row(name: str, arguments: dict[str, Any], *options: dict[str, Any], **more: Any) -> Row:
    return Row(name, arguments, {k: v for o in options for k, v in o.items()}, **more)


ROWS = [
    # 1 Spatial algebra
    _row("skew", {"a": V3}),
    _row("screw", {"point": V3, "direction": "direction", "pitch": ()}),
    _row("screw_axis", {"motion": V6}, but={"fractions": ROOTS}),
    _row("swap_order", {"vector": V6}),
    _row("swap_order_matrix", {"matrix": (6, 6)}),
    _row("wrench", {"point": V3, "direction": "direction", "pitch": ()}),
    _row("X_motion", {"E": "rotation", "r": V3}),
    _row("X_force", {"E": "rotation", "r": V3}),
    _row("X_inverse", {"X": "X"}),
    _row("crm", {"v": V6}),
    _row("crf", {"v": V6}),
    _row("spatial_inertia", {"mass": (), "com": V3, "inertia": "inertia 3"}),
    # 2 Rigid motions
    _row("exp_so3", {"w": V3}, but={"fractions": TURNS}),
    _row("exp_quaternion", {"w": V3}, but={"fractions": TURNS}),
    _row("exp_se3", {"twist": V6}, but={"fractions": TURNS}),
    _row("left_jacobian_so3", {"w": V3}, but={"fractions": TURNS}),
    _row("log_so3", {"R": "rotation"}, but={"fractions": HALVES_ONLY}),
    _row("log_se3", {"R": "rotation", "p": V3}, but={"fractions": HALVES_ONLY}),
    _row("log_quaternion", {"quaternion": "unit quaternion"},
         but={"fractions": HALVES_ONLY}),
    _row("quaternion_from_rotation", {"R": "rotation"},
         but={"fractions": HALVES_ONLY}),
    _row("quaternion_product", {"a": (4,), "b": (4,)}),
    _row("rotation_from_quaternion", {"quaternion": "unit quaternion"}),
    _row("Ad", {"R": "rotation", "p": V3}),
    _row("ad", {"v": V6}),
    # 3 Inertia
    _row("inertia_parameters", {"inertia": "inertia"}),
    _row("inertia_from_parameters", {"parameters": (10,)}),
    _row("pseudo_inertia", {"inertia": "inertia"}),
    _row("inertia_rate", {"inertia": "inertia", "v": V6}),
    _row("newton_euler", {"inertia": "inertia", "a": V6, "v": V6}),
    _row("weight_wrench", {"mass": (), "com": V3, "gravity": V3}),
    _row("apparent_inverse_inertia", {"inertia": "inertia", "S": "subspace"}),
    # 4 Chains
    _row("rotation_about", {"axis": "direction", "angle": (1,)}, but={"fractions": TURNS}),
    _row("forward_kinematics", Q, TOOL),
    _row("coordinate_rate", QD),
    _row("integrate", {"q": "q", "step": NV}),
    _row("difference", {"q0": "q", "q1": "q"}, but={"casadi": NEARER}),
    # 5 Kinematics
    _row("point_velocity", {"twist": V6, "point": V3}),
    _row("body_twists", QD, FRAME, TOOL, RECURSION),
    _row("body_jacobian", Q, FRAME, TOOL, fixed={"body": lambda chain: chain.n - 1}),
    _row("classical_acceleration", {"acceleration": V6, "twist": V6}),
    _row("body_accelerations", {**QD, "qdd": NV}, FRAME, CLASSICAL, TOOL, RECURSION),
    _row("jacobian_dot_qd", QD, FRAME, CLASSICAL, TOOL, fixed={"body": lambda chain: chain.n - 1}),
    # 6 Inverse dynamics
    _row("rnea", {**QD, "qdd": NV, "external": "external"}, EXTERNAL, RECURSION),
    _row("bias_force", QD, RECURSION),
    _row("joint_wrenches", {**QD, "qdd": NV, "external": "external"}, EXTERNAL, FRAME, RECURSION),
    _row("solve_full_system", {**QD, "tau": NV}, but=dict.fromkeys(LAWS[:-1], DENSE)),
    # 7 Composite inertia
    _row("crba", Q, RECURSION),
    _row("coriolis_matrix", QD, RECURSION),
    _row("center_of_mass", Q),
    _row("center_of_mass_jacobian", Q),
    _row("centroidal_momentum_matrix", Q),
    _row("centroidal_momentum_bias", QD),
    # 8, 9 Forward and hybrid dynamics
    _row("decompose_force", {"f": V6, "inertia": "inertia", "S": "subspace"}),
    _row("apparent_inertia", {"inertia": "inertia", "S": "subspace"}),
    _row("aba", {**QD, "tau": NV, "external": "external"}, EXTERNAL, RECURSION),
    _row("articulated_inertia", Q),
    _row("hybrid_dynamics", {**QD, "qdd": "prescribed", "tau": "free", "external": "external"}, EXTERNAL, RECURSION,
         fixed={"prescribed": _half}),
    _row("hybrid_dynamics_dense", {**QD, "qdd": "prescribed", "tau": "free"}, fixed={"prescribed": _half}),
    # 10, 11 Simulation and control
    _row("joint_friction", {"qd": NV}, fixed={"width": 0.5}, but={"fractions": ROOTS}),
    _row("kinetic_energy", QD),
    _row("potential_energy", Q),
    _row("momentum", {**QD, "point": V3}),
    _row("tracking_error", PURSUIT, but={"casadi": NEARER}),
    _row("commanded_acceleration", {**PURSUIT, "qdd_desired": NV}, fixed={"kp": 4, "kd": 3},
         but={"casadi": NEARER}),
    _row("computed_torque", {**PURSUIT, "qdd_desired": NV}, fixed={"kp": 4, "kd": 3},
         but={"casadi": NEARER}),
    _row("operational_space_torque", {**QD, "acceleration": V6, "wrench": V6, "tau": NV},
         {"directions": (None, lambda _: np.eye(6)[1:5])}, fixed={"body": lambda chain: chain.n - 1},
         but=dict.fromkeys(["symbols", "fractions"], STUCK)),
    # 12 Maximal coordinates
    _row("constraint_error", Q, fixed={"constraints": _loops}, but={"fractions": ANGLES}),
    _row("constraint_jacobian", Q, fixed={"constraints": _loops}, but={"fractions": ANGLES}),
    _row("constraint_bias", QD, fixed={"constraints": _loops}, but={"fractions": ANGLES}),
    _row("constraint_wrenches", {**Q, "multipliers": (20,)}, FRAME, fixed={"constraints": _loops},
         but={"fractions": ANGLES}),
    _row("to_maximal_state", QD, but={"fractions": HALVES_ONLY, "symbols": INTEGER_ROOT}),
    _row("maximal_coordinate_dynamics", {**QD, "tau": NV, "external": "external"}, EXTERNAL,
         but=dict.fromkeys(LAWS[1:-1], SPARSE), chain=without_rotors),
    # 13 Loops and redundancy
    _row("solve_kkt", {"M": "inertia 3", "K": (1, 3), "right": V3, "k": (1,)}, fixed={"tolerance": 0},
         but={"jax": "the rank in its result is a whole number, which has no slope"}),
    _row("constrained_forward_dynamics", {**QD, "tau": NV, "external": "external"}, EXTERNAL,
         fixed={"constraints": _few, "stabilisation": (4, 3), "tolerance": 0}),
    _row("constrained_inverse_dynamics", {**QD, "qdd": NV},
         fixed={"constraints": _few, "actuated": _motors, "tau_passive": 0, "objective": "unique", "weights": None}),
    _row("constrained_hybrid_dynamics", {**QD, "qdd": "prescribed", "tau": "free"},
         fixed={"constraints": lambda chain: _few(chain)[-1:], "prescribed": _half}),
    # 15 Inverse kinematics
    _row("pose_error", {**Q, "rotation": "rotation", "position": V3}, TOOL,
         fixed={"body": lambda chain: chain.n - 1}, but={"fractions": HALVES_ONLY}),
    # 14 Impulse response
    _row("inverse_operational_space_inertia", Q, FRAME, TOOL, RECURSION),
    _row("inverse_operational_space_inertia_serial", Q, FRAME, RECURSION, chain=serial),
    _row("operational_space_inertia", Q, FRAME, POINT,
         fixed={"body": lambda chain: chain.n - 1}, but=dict.fromkeys(["symbols", "fractions"], STUCK)),
    _row("dynamically_consistent_inverse", Q, FRAME, POINT,
         fixed={"body": lambda chain: chain.n - 1}, but=dict.fromkeys(["symbols", "fractions"], STUCK)),
    _row("impact", {**QD, "point": V3, "normal": "direction", "restitution": ()},
         {**RECURSION, **TOOL, "constraints": ((), _few)},
         fixed={"body": lambda chain: chain.n - 1}),
    # 18 Derivatives
    _row("rnea_derivatives", {**QD, "qdd": NV, "external": "external"}, EXTERNAL),
    _row("aba_derivatives", {**QD, "tau": NV, "external": "external"}, EXTERNAL),
    _row("linearise", {**QD, "tau": NV}, fixed={"friction_width": 0.01}),
    _row("body_jacobian_derivative", Q, FRAME, fixed={"body": lambda chain: chain.n - 1}),
    # 19 Identification
    _row("torque_regressor", {**QD, "qdd": NV}),
]  # fmt: skip

# Public names that are no function of numbers alone, and what tests them instead.
ELSEWHERE = {
    **dict.fromkeys(
        [
            "Cylindrical",
            "Fixed",
            "Free",
            "Helical",
            "Joint",
            "Planar",
            "Prismatic",
            "Revolute",
            "Spherical",
            "Universal",
        ],
        "a joint: its laws are in tests/test_joints.py and tests/test_joint_laws.py",
    ),
    **dict.fromkeys(["Chain", "Link"], "a model: tests/test_chain.py and tests/test_check.py"),
    **dict.fromkeys(["from_json", "to_json", "to_urdf"], "texts: tests/test_written.py"),
    **dict.fromkeys(
        ["Surface", "animate", "draw_shapes", "load_visual"], "pictures: tests/test_pictures.py"
    ),
    "Drive": "a part of a model: tests/test_drives.py",
    "Frame": "a part of a model: tests/test_frames.py",
    "Limits": "a part of a model: tests/test_chain.py",
    "within_limits": "it decides by values: tests/test_chain.py",
    **dict.fromkeys(
        [
            "Collision",
            "Contact",
            "ContactLog",
            "BaseParameters",
            "ContactMotion",
            "Driven",
            "Held",
            "Impact",
            "ImpactDerivatives",
            "LCP",
            "LinearFit",
            "MaximalDynamics",
            "Separation",
            "Simulation",
        ],
        "a result, which functions here return",
    ),
    **dict.fromkeys(
        ["FactorisedChain", "factorise"], "it solves for later arguments: tests/test_state.py"
    ),
    "inward": "it carries any step along a tree: the steps' own numbers decide",
    "outward": "it carries any step along a tree: the steps' own numbers decide",
    "Closure": "a constraint: tests/test_closure.py; the laws ask it by constraint_jacobian and its like",
    **dict.fromkeys(
        ["Coupling", "Distance", "Rolling"],
        "a constraint: tests/test_constraints.py; the laws ask it by constraint_jacobian and its like",
    ),
    **dict.fromkeys(
        ["collision_impulses", "resting_contact", "solve_lcp"],
        "a path of floats from mode to mode: tests/test_contact_lcp.py, _blows.py, _rest.py",
    ),
    **dict.fromkeys(
        ["impact_derivatives", "saltation_matrix"],
        "only where a blow is, which values decide: tests/test_derivatives.py",
    ),
    "constrained_forward_dynamics_derivatives": "complex steps of floats: tests/test_derivatives.py",
    **dict.fromkeys(
        ["base_parameters", "fit_bodies", "fit_linear"],
        "it decides and searches, in floats: tests/test_identification.py",
    ),
    "inertial_parameters": NO_STATE + ": tests/test_identification.py",
    "with_parameters": "it makes a chain: tests/test_identification.py",
    "assemble": "it searches, in floats: tests/test_constraints.py",
    **dict.fromkeys(
        ["Reached", "Target", "inverse_kinematics"],
        "it searches, in floats: tests/test_reaching.py",
    ),
    "to_maximal": NO_STATE + ": tests/test_maximal.py",
    **dict.fromkeys(
        ["Box", "Capsule", "ConvexHull", "Geometry", "HalfSpace", "Sphere"],
        "a shape, or where one is: tests/test_geometry.py",
    ),
    **dict.fromkeys(
        ["distance", "find_contacts", "overlapping_pairs"],
        "it decides by values, in floats: tests/test_geometry.py, tests/test_mjcf.py",
    ),
    **dict.fromkeys(
        ["Convention", "convention"], "how others write a state: tests/test_conventions.py"
    ),
    "load_collision": "it reads a file: tests/test_urdf.py",
    "load_couplings": "it reads a file: tests/test_urdf.py",
    "load_urdf": "it reads a file: tests/test_urdf.py",
    "load_mjcf": "it reads a file: tests/test_mjcf.py",
    "load_model": "it reads a file: tests/test_mjcf.py",
    "Model": "what these return: tests/test_mjcf.py",
    "random_state": "it draws at random: tests/test_chain.py",
    "simulate_contact": "it integrates floats over time: tests/test_contact_time.py",
    "sweep": "it runs a function that is here: tests/test_sweep.py",
    "compiled": "it compiles a function that is here: tests/test_compiled.py",
    "rollout": "numbers only, many motions of `simulate`: tests/test_compiled.py",
    "simulate": "it integrates floats over time: tests/test_simulation.py",
    "tree_matrix": NO_STATE + ": tests/test_composite.py",
}
