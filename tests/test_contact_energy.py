"""Who gains energy: the counts that chapter 17 shows, each law in the same blows."""

import json

import numpy as np
import pytest
from energies import LAWS, SETS, counted
from oracles import make_energy

from chaindyn.contact import series_of_blows

STORED = json.loads(make_energy.FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "seeds", [range(5000, 5040), pytest.param(range(10_000), marks=pytest.mark.nightly)]
)
def test_the_counts_are_what_the_laws_do(name, law, seeds):
    found = counted(name, law, seeds)
    for what in ("gains", "none"):
        stored = set(STORED[name][law][what]) & set(seeds)
        assert found[what] == sorted(stored)


def test_what_the_chapter_says_of_the_counts():
    """Smooth blows of one restitution never gain; with friction Newton's law does; Moreau's never, and it answers."""
    assert STORED["count"] == 10_000
    for law in LAWS:
        assert STORED["smooth"][law] == {"gains": [], "none": []}
    for name in SETS:
        assert STORED[name]["moreau"] == {"gains": [], "none": []}
    for name in ("pendulum", "together", "sequence"):
        assert len(STORED[name]["newton"]["gains"]) > 100
    assert np.all([len(STORED[name]["newton"]["none"]) > 100 for name in ("together", "sequence")])


def test_poissons_law_gains_seldom_and_much():
    """Not only with restitutions that differ: the second set gains with 0.9 for both contacts too."""
    assert SETS["together"](3241, "poisson") == pytest.approx(2.389, abs=1e-3)
    assert SETS["sequence"](1410, "poisson") == pytest.approx(1.381, abs=1e-3)
    assert STORED["together"]["poisson"]["gains"] == [3241]
    assert STORED["sequence"]["poisson"]["gains"] == [1410]
    rng = np.random.default_rng(1410)
    m, nv = rng.integers(1, 5), rng.integers(2, 9)
    K, v = rng.normal(size=(3 * m, nv)), rng.normal(size=nv)
    rng.uniform(size=m)
    mu = rng.uniform(0, 1.5, size=m)
    p, _ = series_of_blows(K @ K.T, K @ v, np.full(m, 0.9), mu, "poisson", "sequence")
    assert (v + K.T @ p) @ (v + K.T @ p) > 1.1 * v @ v
