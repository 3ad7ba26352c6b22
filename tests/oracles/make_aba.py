"""What Pinocchio computes of forward dynamics, kept as data: accelerations of robots and random trees.

Run from tests/ as ``python -m oracles.make_aba``; needs pin and example-robot-data. Written to aba.json.gz, with
the model that each result is of. Pinocchio reads the robots' files itself; the random trees are built joint by joint.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from oracles.make_pinocchio import (
    ROBOTS,
    chain_data,
    columns,
    configuration,
    model_of_chain,
    model_of_file,
    robot_path,
    velocity,
    write,
)
from trees import Case, motion, random_tree

from chaindyn import Chain, Prismatic, Revolute, load_urdf

FILE = Path(__file__).with_name("aba.json.gz")
# The Panda cut at its last link is left out: Pinocchio's model of that file has the hand's bodies too.
NAMES = [name for name in ROBOTS if name != "Panda arm"]
TREES = [
    Case(1, seed=200, kinds=(Revolute,)),
    Case(1, seed=201, kinds=(Prismatic,)),
    Case(2, seed=202, kinds=(Revolute, Prismatic)),
    Case(3, branching=True, seed=203),
    Case(4, seed=204),
    Case(5, branching=True, seed=205),
    Case(7, seed=206, kinds=(Revolute,)),
    Case(8, seed=207, variety="wild"),
    Case(10, branching=True, seed=208),
    Case(12, branching=True, seed=209, variety="tiny"),
    Case(15, seed=210),
    Case(20, branching=True, seed=211),
    Case(25, seed=212),
    Case(30, seed=213, kinds=(Revolute, Prismatic)),
    Case(30, branching=True, seed=214),
    Case(30, branching=True, seed=215, kinds=(Revolute, Prismatic)),
]


def model_with_bodies(chain: Chain) -> tuple[Any, list[int]]:
    """Return Pinocchio's model of a chain with its links' masses, and the frame of each link."""
    model, frames = model_of_chain(chain)
    for link, f in zip(chain.links, frames, strict=True):
        body = pin.Inertia(float(link.mass), np.array(link.com), np.array(link.inertia))
        model.appendBodyToJoint(model.frames[f].parentJoint, body, model.frames[f].placement)
    return model, frames


def acceleration(
    model: Any, frames: list[int], chain: Chain, q: Any, qd: Any, tau: Any, external: Any
) -> Any:
    """Return Pinocchio's qdd in our order; external : (n, 6) [tau; f] on each link, in its frame."""
    joints = columns(model, chain, frames)
    forces = [pin.Force.Zero() for _ in range(model.njoints)]
    for f, wrench in zip(frames, external, strict=True):
        frame = model.frames[f]
        forces[frame.parentJoint] += frame.placement.act(pin.Force(wrench[3:], wrench[:3]))
    full = [configuration(model, joints, q), *(velocity(model, joints, x) for x in (qd, tau))]
    qdd = pin.aba(model, model.createData(), *full, forces)
    return qdd[[model.idx_vs[j] for j in joints]]


def record(name: str, chain: Chain, model: Any, frames: list[int], case: Case) -> dict[str, Any]:
    """Return the chain, two states and their accelerations."""
    rng = np.random.default_rng(case.seed)
    q, qd, tau = motion(case, chain, (2,))
    external = rng.normal(size=(2, chain.n, 6))
    states = [
        {"q": q[k], "qd": qd[k], "tau": tau[k], "external": external[k]} for k in range(len(q))
    ]
    return {
        "name": name,
        "links": chain_data(chain),
        "states": states,
        "qdd": [acceleration(model, frames, chain, **state) for state in states],
    }


def robot(name: str) -> dict[str, Any]:
    """Return a robot's record."""
    file, options = ROBOTS[name]
    chain = load_urdf(robot_path(file), **options)
    model, frames = model_of_file(robot_path(file), chain, options.get("lock", {}))
    return record(name, chain, model, frames, Case(chain.n, seed=sum(map(ord, name))))


def tree(case: Case) -> dict[str, Any]:
    """Return a random tree's record."""
    chain = random_tree(case)
    return record(str(case), chain, *model_with_bodies(chain), case)


if __name__ == "__main__":
    write(FILE, [robot(name) for name in NAMES] + [tree(case) for case in TREES])
