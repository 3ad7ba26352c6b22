"""Robots as packages ship them: every file loads or is refused for a known reason, and moves as in other engines."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from chaindyn import Geometry, HalfSpace, load_model, overlapping_pairs, simulate_contact

pytest.importorskip("yourdfpy")
pytest.importorskip("mujoco")
pytest.importorskip("pinocchio")
EPS = np.finfo(float).eps

# Why a file may be refused. Each says what is wrong with the file.
KNOWN = (
    "no joint moves",  # scenes, tools, parts
    "MuJoCo does not compile it",  # parts of others, meshes that are not shipped
    "must be one of the file's links",
    "there are no links",
    "but must mimic another joint of the file",
    "but must have 3 numbers, finite",  # with commas between them
    "not an XML file",
)


@pytest.fixture(scope="module")
def robots():
    path = Path(__file__).parents[1] / "bench" / "robots.py"
    spec = importlib.util.spec_from_file_location("bench_robots", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for their names
    spec.loader.exec_module(module)
    return module


def judged(outcomes) -> None:
    """Hold outcomes to bounds: the largest error that was seen is 2.4e-15."""
    for one in outcomes:
        assert one.kept, one.path
        if one.state == "refused":
            assert any(words in one.reason for words in KNOWN), (one.path, one.reason)
        elif one.state == "agrees":
            assert one.error <= 50 * EPS, (one.path, one.error)
    loaded = [one for one in outcomes if one.state != "refused"]
    assert sum(one.state == "agrees" for one in loaded) >= 0.9 * len(loaded)


@pytest.mark.parametrize(
    "name", ["panda_description/urdf/panda.urdf", "talos_data/robots/talos_reduced.urdf"]
)
def test_a_published_robot_agrees(robots, robot_file, name):
    one = robots.tried("example-robot-data", robot_file(name), "robot")
    assert one.state == "agrees" and one.error <= 50 * EPS, one
    assert "example-robot-data" in robots.table([one]) and f"{one.error:8.1e}" in robots.table(
        [one]
    )


def test_what_is_refused_is_told_with_its_reason(robots, tmp_path):
    path = tmp_path / "broken.urdf"
    path.write_text('<robot name="r"><link name="a"/></robot>')
    one = robots.tried("mine", path, "robot")
    assert one.state == "refused" and "no joint moves" in one.reason
    judged([one, robots.Outcome("mine", path, "URDF", "agrees")])
    assert "1 refused: no joint moves" in robots.table([one])
    with pytest.raises(AssertionError):
        judged([robots.Outcome("mine", path, "URDF", "agrees", error=1e-12)])
    with pytest.raises(AssertionError):
        judged([robots.Outcome("mine", path, "URDF", "agrees", kept=False)])
    with pytest.raises(AssertionError):
        judged([robots.Outcome("mine", path, "URDF", "refused", "KeyError")])


def test_folders_and_packages_are_searched(robots, tmp_path):
    """Each file once, and no part of another."""
    text = '<robot name="r"><link name="a"/></robot>'
    for name in ("a/one.urdf", "b/again.urdf", "b/notes.xml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text if name.endswith("urdf") else "<notes/>")
    (tmp_path / "b" / "swing.xml").write_text("<mujoco/>")
    found = [*robots.shipped(str(tmp_path))]
    assert [(path.name, kind) for _, path, kind in found] == [
        ("one.urdf", "robot"),
        ("swing.xml", "mujoco"),
    ]
    assert {package for package, *_ in found} == {tmp_path.name}
    assert not [*robots.shipped("numpy")]
    both = [*robots.shipped("mujoco-core", str(tmp_path))]
    assert len(both) > len(found) and both[: len(found)] == found


def test_a_dog_lands_on_straight_legs(robot_file):
    """Its feet nearly depend on each other; sweeps and Newton's method alone ended it at the landing."""
    robot = load_model(robot_file("go2_description/urdf/go2.urdf"), floating=True, friction=0.6)
    chain = robot.chain
    shapes = [*robot.geometries, Geometry(HalfSpace((0, 0, 1)), "ground", friction=0.6)]
    q = chain.neutral.copy()
    q[2] = 0.5
    apart = overlapping_pairs(chain, shapes, q)
    assert apart and not any(len(shapes) - 1 in pair for pair in apart)  # it stands above the floor
    t, still = np.arange(0, 0.26, 0.02), np.zeros(chain.nv)
    fall = simulate_contact(chain, shapes, q, still, t=t, step=0.005, exclude=apart)
    assert not fall.reason and fall.t[-1] == t[-1]
    assert len(set(fall.log.bodies[:, 0])) >= 4  # on four feet
    assert 0.3 < fall.q[-1, 2] < 0.45


@pytest.mark.nightly
def test_every_robot_that_is_installed(robots):
    outcomes = [robots.tried(*found) for found in robots.shipped()]
    print(robots.table(outcomes))
    assert len(outcomes) > 50
    judged(outcomes)
