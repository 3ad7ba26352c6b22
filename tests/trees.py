"""Random chains and trees, the same ones in every run, stored ones, and how near to the truth a result must be."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chaindyn import (
    Chain,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Link,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    body_accelerations,
    body_jacobian,
    body_twists,
    crf,
    difference,
    forward_kinematics,
    integrate,
    joint_wrenches,
    random_state,
)
from chaindyn.teaching import normwise

EPS = np.finfo(float).eps
KINDS = (Revolute, Prismatic, Fixed)
STORED_KINDS = (*KINDS, Universal, Spherical, Free)  # those of the stored results of Pinocchio
EVERY_KIND = (*STORED_KINDS, Helical, Cylindrical, Planar)
# how many axes a joint is made of
AXES = {Revolute: 1, Prismatic: 1, Universal: 2, Helical: 1, Cylindrical: 1, Planar: 1}


@dataclass(frozen=True)
class Case:
    """A random chain: how many links, whether it branches, of what sizes, and its seed."""

    n: int
    branching: bool = False
    variety: str = (
        "plain"  # "tiny": all within 1e-7 of the identity; "wild": sizes from 1e-4 to 1e4
    )
    seed: int = 0
    kinds: tuple[type, ...] = KINDS

    def __str__(self) -> str:
        return f"{self.variety}-{'tree' if self.branching else 'chain'}-{self.n}"


CASES = [
    Case(1, kinds=(Revolute,)),
    Case(1, kinds=(Prismatic,), seed=1),
    Case(1, kinds=(Fixed,), seed=2),
    Case(2, seed=3),
    Case(3, branching=True, seed=4),
    Case(7, seed=5, kinds=(Revolute,)),
    Case(7, branching=True, variety="tiny", seed=6),
    Case(12, variety="wild", seed=7),
    Case(12, branching=True, variety="wild", seed=8),
    Case(20, variety="tiny", seed=9),
    Case(30, seed=10),
    Case(30, branching=True, seed=11),
    Case(200, seed=12),
]


def random_joint(kind: type, rng: np.random.Generator, stacked: tuple[int, ...] = ()) -> Any:
    """Return a joint of a kind with random axes, or several in one."""
    axes = rng.normal(size=(AXES.get(kind, 0), *stacked, 3))
    return kind(*axes, rng.normal(size=stacked)) if kind is Helical else kind(*axes)


def random_rotation(rng: np.random.Generator) -> Any:
    """Return a rotation matrix, uniformly distributed."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.sign(np.linalg.det(Q))


def small_rotation(rng: np.random.Generator) -> Any:
    """Return a rotation by about 1e-7, from its Cayley transform, exact to rounding."""
    x, y, z = 1e-7 * rng.normal(size=3)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.linalg.solve(np.eye(3) - K, np.eye(3) + K)


def random_inertia(rng: np.random.Generator) -> Any:
    """Return an inertia that a cloud of mass points has (3, 3)."""
    A = rng.normal(size=(3, 3))
    cloud = A @ A.T
    return 0.1 * (np.trace(cloud) * np.eye(3) - cloud)


def random_tree(case: Case) -> Chain:
    """Return the chain of a case."""
    rng = np.random.default_rng(case.seed)
    links = []
    for i in range(case.n):
        kind = case.kinds[rng.integers(len(case.kinds))]
        size = {"plain": 0.5, "tiny": 1e-8, "wild": 10 ** rng.uniform(-4, 4)}[case.variety]
        rotation = small_rotation(rng) if case.variety == "tiny" else random_rotation(rng)
        parent = ["ground", *range(i)][rng.integers(i + 1)] if case.branching else None
        links.append(
            Link(
                joint=random_joint(kind, rng),
                mass=rng.uniform(0.1, 3) * size,
                com=size * rng.normal(size=3),
                inertia=size**2 * random_inertia(rng),
                offset=size * rng.normal(size=3),
                rotation=rotation,
                parent=parent,
            )
        )
    return Chain(links)


def motion(case: Case, chain: Chain, batch: tuple[int, ...] = ()) -> tuple[Any, Any, Any]:
    """Return q, qd and qdd for a case's chain; near zero where all else is near the identity."""
    rng = np.random.default_rng(1000 + case.seed)
    q, qd = random_state(chain, rng, batch=batch)
    if case.variety == "tiny":
        q = integrate(chain, chain.neutral, 1e-8 * difference(chain, chain.neutral, q))
    return q, qd, rng.normal(size=qd.shape)


def oracle(name: str) -> Any:
    """Return what an engine computed, from oracles/name.json.gz."""
    return json.loads(
        gzip.decompress(
            Path(__file__).with_name("oracles").joinpath(f"{name}.json.gz").read_bytes()
        )
    )


def stored_chain(model: dict[str, Any]) -> Chain:
    """Return the chain that an oracle's data describe."""
    kinds = {kind.__name__: kind for kind in EVERY_KIND}
    links = []
    for data in map(dict, model["links"]):
        kind, axes = kinds[data.pop("joint")], data.pop("axis")
        count = AXES.get(kind, 0)
        joint = kind(*np.reshape(axes, (count, 3))) if count else kind()
        links.append(Link(joint, **data))
    return Chain(links)


def mass_matrix_and_bias(chain: Chain, q: Any, qd: Any) -> tuple[Any, Any]:
    """Return M and h from each link's Jacobian, by virtual power: nothing is handed from link to link."""
    R, _ = forward_kinematics(chain, q)
    V, bias = body_twists(chain, q, qd), body_accelerations(chain, q, qd, 0 * qd)
    M, h = 0, 0
    for i, inertia in enumerate(chain.spatial_inertia):
        J = body_jacobian(chain, q, i)
        falling = np.concatenate([np.zeros(3), R[i].T @ np.asarray(chain.gravity)])
        M = M + J.T @ inertia @ J
        h = h + J.T @ (inertia @ (bias[i] - falling) + crf(V[i]) @ inertia @ V[i])
    return M, h


def at_point(twist: Any, point: Any) -> Any:
    """Return the velocity of the particle at a point of the world, from a twist about the world origin."""
    return twist[..., 3:] + np.cross(twist[..., :3], point)


def wrench_at(point: Any, force: Any) -> Any:
    """Return the wrench (..., 6) of a force at a point of the world, about the world origin."""
    return np.concatenate([np.cross(point, force), force], axis=-1)


def projected(inverse: Any, twist: Any, blow: dict[str, Any]) -> float:
    """Return how much larger the terms are that the normal speed and the inverse mass are projected from."""
    point, normal = np.asarray(blow["point"]), np.asarray(blow["normal"])
    along = np.stack([wrench_at(point, axis) for axis in np.eye(3)], axis=-1)
    there, velocity = along.T @ inverse @ along, at_point(twist, point)
    yields = np.trace(there) / (normal @ there @ normal)
    return float(max(yields, np.linalg.norm(velocity) / abs(normal @ velocity)))


def allowed(M: Any) -> float:
    """Return 100 roundings for each unit of the mass matrix's condition, never above 1e-8."""
    return min(100 * EPS * np.linalg.cond(M), 1e-8)


def bound(n: int) -> float:
    """Return the error allowed to a sweep over n links: 100 roundings a link, never above 1e-10."""
    return min(100 * EPS * n, 1e-10)


def assert_near(result: Any, reference: Any, n: int, allowed: float | None = None) -> None:
    """Assert that the normwise error of what was computed over n links is within the bound."""
    error = normwise(result, reference)
    allowed = bound(n) if allowed is None else allowed
    assert error <= allowed, f"error {error:.2e} exceeds {allowed:.2e}"


def reactions(chain: Chain, q: Any, qd: Any, qdd: Any, external: Any = None) -> float:
    """Return how large the wrenches are that joint forces are read off: what their rounding is measured by."""
    return float(np.linalg.norm(joint_wrenches(chain, q, qd, qdd, external=external)))


def assert_within(result: Any, reference: Any, size: float, limit: float) -> None:
    """Assert that two results differ by no more than a share of themselves, or of the terms they are made of."""
    reference = np.asarray(reference)
    assert np.shape(result) == reference.shape
    error = np.linalg.norm(result - reference)
    share = error / max(np.linalg.norm(reference), size) if error else 0.0
    assert share <= limit, f"error {share:.2e} exceeds {limit:.2e}"


def vanishes(expression: Any) -> bool:
    """Whether a rational expression of SymPy's symbols and of sines and cosines of their sums is zero: exactly, always.

    Its numerator is divided by sin^2 + cos^2 - 1 for each angle. `sympy.simplify` tries many things, and takes seconds.
    """
    import sympy as sp

    expression = sp.expand_trig(sp.sympify(expression))
    angles = sorted({f.args[0] for f in expression.atoms(sp.sin, sp.cos)}, key=str)
    pairs = [(sp.Dummy("s"), sp.Dummy("c")) for _ in angles]
    for angle, (s, c) in zip(angles, pairs, strict=True):
        expression = expression.subs({sp.sin(angle): s, sp.cos(angle): c})
    numerator = sp.expand(sp.fraction(sp.together(expression))[0])
    for s, c in pairs:
        numerator = sp.expand(sp.rem(numerator, s**2 + c**2 - 1, s))
    return bool(numerator == 0)
