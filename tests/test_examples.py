"""The examples in docstrings print what they show."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import chaindyn

# what an example may use without an import: NumPy, and all that the package offers
NAMES = {"np": np} | {name: getattr(chaindyn, name) for name in chaindyn.__all__}
FINDER = doctest.DocTestFinder(recurse=False)


def examples_of(name):
    """Return the examples of one public name, none if its docstring has none."""
    value = getattr(chaindyn, name)
    found = FINDER.find(value, name, module=False, globs=dict(NAMES))
    return [x for x in found if x.examples]


# what an example takes beside NumPy
TAKES = {
    "Model": "mujoco",
    "animate": "matplotlib",
    "draw_shapes": "matplotlib",
    "load_collision": "yourdfpy",
    "load_couplings": "yourdfpy",
    "load_mjcf": "mujoco",
    "load_model": "yourdfpy",
    "load_urdf": "yourdfpy",
    "load_visual": "yourdfpy",
}

# public names without an example, each with the reason; a name that has one is taken out
WITHOUT: set[str] = set()

SHOWN = [name for name in chaindyn.__all__ if ">>> " in (getattr(chaindyn, name).__doc__ or "")]


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_prints_what_it_shows(name, tmp_path, monkeypatch):
    if name in TAKES:
        pytest.importorskip(TAKES[name])
    monkeypatch.chdir(tmp_path)  # some write files
    (example,) = examples_of(name)
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(example, out=said.append)
    assert not runner.failures, "".join(said)
    assert len(example.examples) <= 7
    assert any(line.want for line in example.examples)


def test_every_public_name_has_an_example():
    assert set(chaindyn.__all__) - set(SHOWN) == WITHOUT


def test_what_the_api_page_begins_with_is_offered():
    page = Path(__file__).parents[1] / "book" / "api.md"
    names = re.findall(r"`~chaindyn\.(\w+)`", page.read_text(encoding="utf-8"))
    assert len(names) > 60
    assert set(names) <= set(chaindyn.__all__)


def test_the_package_lists_what_it_offers():
    assert set(dir(chaindyn)) == {*chaindyn.__all__, "__version__"}
