"""Blows at random, and whether a law of impact makes energy in them: the sets that chapter 20 counts."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from contacts import Touch

from chaindyn import Chain, Link, Revolute, collision_impulses, forward_kinematics
from chaindyn.contact import series_of_blows

LAWS = ("newton", "poisson", "moreau")
GAIN = 1e-9  # as a share of the energy before; rounding makes 1e-12


@functools.cache
def two_rods() -> Chain:
    """Return two thin rods of 1 kg and 1 m, one hanging on the other, on pins along y."""
    rod = {"mass": 1, "com": (0.5, 0, 0), "inertia": np.diag([0, 1 / 12, 1 / 12])}
    pin = Revolute((0, 1, 0))
    return Chain([Link(pin, **rod), Link(pin, offset=(1, 0, 0), **rod)])


def pendulum(seed: int, law: str) -> float:
    """Return energy after over energy before of Kane's pendulum, whose tip meets a rough plane; 1 if it leaves."""
    rng = np.random.default_rng(seed)
    chain, q = two_rods(), np.array([0, rng.uniform(0.5, 2.5)])
    R, p = forward_kinematics(chain, q)
    tilt = rng.uniform(0, 2 * np.pi)
    plane = Touch((1, -1), p[1] + R[1] @ [1, 0, 0], (np.sin(tilt), 0, np.cos(tilt)))
    found = collision_impulses(
        chain, q, rng.normal(size=2), [plane], restitution=0.8, friction=0.5, law=law
    )
    return found.energy_after / found.energy_before


def contacts(seed: int, law: str, order: str = "together", smooth: bool = False) -> float:
    """Return the same for one to four contacts with random rows, of bodies with two to eight freedoms.

    Each contact has its own restitution and friction; smooth ones have no friction, and one restitution. Infinite if
    the series was stopped since each blow gained, nan if no answer was found.
    """
    rng = np.random.default_rng(seed)
    m, nv = rng.integers(1, 5), rng.integers(2, 9)
    K, v = rng.normal(size=(3 * m, nv)), rng.normal(size=nv)
    eps, mu = rng.uniform(size=m), rng.uniform(0, 1.5, size=m)
    if smooth:
        eps, mu = np.full(m, eps[0]), np.zeros(m)
    try:
        p, _ = series_of_blows(K @ K.T, K @ v, eps, mu, law, order)
    except ArithmeticError as error:
        return np.inf if "gains energy" in str(error) else np.nan
    after = v + K.T @ p
    return float(after @ after / (v @ v))


SETS: dict[str, Callable[[int, str], float]] = {
    "smooth": functools.partial(contacts, smooth=True),
    "pendulum": pendulum,
    "together": contacts,
    "sequence": functools.partial(contacts, order="sequence"),
}


def counted(name: str, law: str, seeds: range) -> dict[str, list[int]]:
    """Return the seeds in which the law gains energy, and those in which no answer was found."""
    shares = np.array([SETS[name](seed, law) for seed in seeds])
    at = np.array(seeds)
    return {"gains": at[shares > 1 + GAIN].tolist(), "none": at[np.isnan(shares)].tolist()}
