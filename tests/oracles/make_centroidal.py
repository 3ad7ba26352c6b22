"""What Pinocchio computes of a chain as a whole, kept as data: centre of mass, its Jacobian, momentum and its rate.

Run from tests/ as ``python -m oracles.make_centroidal``; needs pin and example-robot-data. Written to
centroidal.json.gz. Models and states are those of dynamics.json.gz, and stand there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from oracles.make_dynamics import ROBOTS, TREES, Model, model_of_robot, model_of_tree, name_of
from oracles.make_pinocchio import robot_path, write
from trees import oracle, stored_chain

from chaindyn import swap_order

FILE = Path(__file__).with_name("centroidal.json.gz")


def record(name: str, theirs: Model, state: dict[str, Any]) -> dict[str, Any]:
    """Return what is computed of one model in one state; angular parts first, columns in our order."""
    model, order = theirs.model, theirs.order
    q = theirs.configuration(np.array(state["q"]))
    v = theirs.velocity(np.array(state["qd"]))
    data = model.createData()
    jacobian = np.reshape(pin.jacobianCenterOfMass(model, data, q), (3, -1))
    center = data.com[0].copy()
    A = np.reshape(pin.ccrba(model, model.createData(), q, v), (6, -1))
    rate = np.reshape(pin.dccrba(model, model.createData(), q, v), (6, -1))
    return {
        "name": name,
        "center": center,
        "jacobian": jacobian[:, order],
        "matrix": swap_order(A[:, order].T).T,
        "bias": swap_order(rate @ v),
    }


def made(model: dict[str, Any]) -> dict[str, Any]:
    """Return the record of one stored model: a robot's from its file, a tree's joint by joint."""
    name, chain = model["name"], stored_chain(model)
    if "file" in model:
        file, options = ROBOTS[name]
        theirs = model_of_robot(robot_path(file), chain, **options)
    else:
        assert name in map(name_of, TREES)
        theirs = model_of_tree(chain)
    return record(name, theirs, model["state"])


if __name__ == "__main__":
    write(FILE, [made(model) for model in oracle("dynamics")["models"]])
