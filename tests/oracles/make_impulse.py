"""What Pinocchio computes of blows, kept as data: how robots and random trees yield, and jump when struck.

Run from tests/ as ``python -m oracles.make_impulse``; needs pin and example-robot-data. Written to
impulse.json.gz, with the model that each result is of. Pinocchio reads the robots' files itself. Three of its own
algorithms are used: `computeMinverse` and frame Jacobians for the inverse inertias, `impulseDynamics` for the blow
and the joints' jumps, and `rnea`, without weight and motion, for the joints' reactions.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from oracles.make_aba import NAMES, TREES, model_with_bodies
from oracles.make_pinocchio import (
    ROBOTS,
    chain_data,
    columns,
    configuration,
    model_of_file,
    robot_path,
    velocity,
    write,
)
from trees import Case, motion, random_tree

from chaindyn import Chain, Fixed, Revolute, load_urdf, swap_order

FILE = Path(__file__).with_name("impulse.json.gz")


def depth_first(chain: Chain) -> tuple[Any, list[int]]:
    """Return Pinocchio's model of a tree and each link's frame, joints added branch by branch.

    Pinocchio's `crba` and `computeMinverse` want it so: in any other order they are wrong without a word.
    """
    order = sorted(range(chain.n), key=chain.path)
    parents = ["ground" if p < 0 else chain.names[p] for p in chain.parent]
    links = [replace(chain.links[i], name=chain.names[i], parent=parents[i]) for i in order]
    model, frames = model_with_bodies(Chain(links))
    return model, [frames[order.index(i)] for i in range(chain.n)]


def jacobians(model: Any, frames: list[int], order: list[int], full: Any, frame: Any) -> list[Any]:
    """Return each link's Jacobian (6, nv) in Pinocchio's order of rows, and our order of columns."""
    data = model.createData()
    pin.computeJointJacobians(model, data, full)
    pin.updateFramePlacements(model, data)
    each = [pin.getFrameJacobian(model, data, f, frame) for f in frames]
    return [np.reshape(J, (6, -1))[:, order] for J in each]


def inverse_inertias(model: Any, frames: list[int], order: list[int], full: Any) -> Any:
    """Return J M^-1 J^T of every link (n, 6, 6), about its origin in its axes, angular parts first."""
    inverse = np.atleast_2d(pin.computeMinverse(model, model.createData(), full))
    inverse = np.triu(inverse) + np.triu(inverse, 1).T
    inverse = inverse[np.ix_(order, order)]
    both = []
    for J in jacobians(model, frames, order, full, pin.ReferenceFrame.LOCAL):
        J = swap_order(J.T).T
        both.append(J @ inverse @ J.T)
    return np.array(both)


def blow_on(rng: Any, size: float, origin: Any, J: Any, qd: Any) -> tuple[dict[str, Any], Any]:
    """Return a contact near a link's origin, which it approaches, and the row that maps qd to its speed."""
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    point = origin + size * rng.uniform(-0.2, 0.2, 3)
    row = normal @ J[:3] + np.cross(point, normal) @ J[3:]
    sign = -1 if row @ qd > 0 else 1
    blow = {"point": point, "normal": sign * normal, "restitution": rng.uniform()}
    return blow, sign * row


def response(model: Any, full: Any, before: Any, row: Any, restitution: float) -> tuple[Any, float]:
    """Return the jump of Pinocchio's velocities and the impulse; none where the contact cannot move."""
    if not np.any(row):
        return 0 * before, 0.0
    data = model.createData()
    after = pin.impulseDynamics(model, data, full, before, row[None], restitution, 0.0)
    return after - before, float(data.impulse_c[0])


def reactions(
    model: Any, joints: list[int], full: Any, jump: Any, b: int, wrench: Any
) -> list[Any]:
    """Return the impulse of each link's parent on it (n, 6) about the world origin, by inverse dynamics.

    Every link of the model has a joint of its own, so that a weld is one that stays at rest.
    """
    model.gravity.setZero()
    data = model.createData()
    pin.forwardKinematics(model, data, full)
    forces = [pin.Force.Zero() for _ in range(model.njoints)]
    forces[joints[b]] = data.oMi[joints[b]].actInv(pin.Force(wrench[3:], wrench[:3]))
    pin.rnea(model, data, full, 0 * jump, jump, forces)
    return [swap_order(data.oMi[j].act(data.f[j]).vector) for j in joints]


def record(
    name: str,
    chain: Chain,
    model: Any,
    frames: list[int],
    jointed: tuple[Any, list[int]],
    case: Case,
) -> dict[str, Any]:
    """Return the chain, one state, how its links yield, and a blow on each; `jointed` is for the reactions."""
    rng = np.random.default_rng(case.seed)
    q, qd, _ = motion(case, chain)
    joints = columns(model, chain, frames)
    order = [model.idx_vs[j] for j in joints]
    full, before = configuration(model, joints, q), velocity(model, joints, qd)
    data = model.createData()
    pin.framesForwardKinematics(model, data, full)
    J = jacobians(model, frames, order, full, pin.ReferenceFrame.WORLD)

    whole, whole_frames = jointed
    own = [whole.frames[f].parentJoint for f in whole_frames]  # each link's
    moving = [own[i] for i in chain.link_of_column]
    size = 1e-8 if case.variety == "tiny" else 1.0
    blows, results = [], []
    for b in range(chain.n):
        blow, row = blow_on(rng, size, data.oMf[frames[b]].translation, J[b], qd)
        row = velocity(model, joints, row)
        jump, impulse = response(model, full, before, row, blow["restitution"])
        qd_jump = jump[order]
        wrench = impulse * np.concatenate([np.cross(blow["point"], blow["normal"]), blow["normal"]])
        state = configuration(whole, moving, q), velocity(whole, moving, qd_jump)
        blows.append(blow)
        results.append(
            {
                "impulse": impulse,
                "qd_jump": qd_jump,
                "twist_jumps": [swap_order(Jc @ qd_jump) for Jc in J],
                "joint_impulses": reactions(whole, own, *state, b, wrench),
            }
        )
    return {
        "name": name,
        "links": chain_data(chain),
        "q": q,
        "qd": qd,
        "inverse_inertias": inverse_inertias(model, frames, order, full),
        "blows": blows,
        "results": results,
    }


def robot(name: str) -> dict[str, Any]:
    """Return a robot's record."""
    file, options = ROBOTS[name]
    chain = load_urdf(robot_path(file), **options)
    model, frames = model_of_file(robot_path(file), chain, options.get("lock", {}))
    case = Case(chain.n, seed=sum(map(ord, name)))
    return record(name, chain, model, frames, (model.copy(), frames), case)


def tree(case: Case) -> dict[str, Any]:
    """Return a random tree's record."""
    chain = random_tree(case)
    hinged = [
        replace(link, joint=Revolute()) if isinstance(link.joint, Fixed) else link
        for link in chain.links
    ]
    return record(str(case), chain, *depth_first(chain), depth_first(Chain(hinged)), case)


if __name__ == "__main__":
    write(FILE, [robot(name) for name in NAMES] + [tree(case) for case in TREES])
