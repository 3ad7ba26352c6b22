"""Who gains energy: the counts that chapter 17 shows, each law in the same blows."""

import json

import numpy as np
import pytest
from energies import LAWS, SETS, counted
from oracles import make_energy

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
