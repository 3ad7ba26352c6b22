"""What Pinocchio's `constraintDynamics` says of trees with loops, kept as data.

Run from tests/ as ``python -m oracles.make_constraints``; needs pin. Written to constraints.json.gz, with the
model that each result is of. Loops are pins (three rows) and welds (six), laid through a posture; the rows are
independent there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from oracles.make_dynamics import model_of_tree
from oracles.make_pinocchio import chain_data, write
from trees import Case, motion, random_rotation, random_tree

from chaindyn import (
    Closure,
    Fixed,
    Prismatic,
    Revolute,
    Spherical,
    constraint_jacobian,
    forward_kinematics,
)

FILE = Path(__file__).with_name("constraints.json.gz")
KINDS = (Revolute, Revolute, Prismatic)
CASES = [
    (Case(5, seed=500, kinds=KINDS), 1),
    (Case(8, seed=501, kinds=KINDS), 2),
    (Case(8, branching=True, seed=502, kinds=KINDS), 1),
    (Case(12, branching=True, seed=503, kinds=KINDS), 2),
    (Case(16, seed=504, kinds=KINDS), 3),
    (Case(20, branching=True, seed=505, kinds=KINDS), 3),
]


def loops_through(chain: Any, q: Any, count: int, rng: Any) -> list[dict[str, Any]]:
    """Return pins and welds, as arguments of a `Closure`, that a posture keeps and whose rows are independent."""
    R, p = forward_kinematics(chain, q)
    loops: list[dict[str, Any]] = []
    for _ in range(200):
        i, j = (int(k) for k in rng.permutation(chain.n)[:2])
        turn, offset = random_rotation(rng), rng.normal(size=3)
        place = p[i] + R[i] @ offset
        loop = {
            "joint": "Spherical" if rng.integers(3) else "Fixed",
            "link": i,
            "onto": j,
            "offset": offset.tolist(),
            "rotation": turn.tolist(),
            "onto_offset": (R[j].T @ (place - p[j])).tolist(),
            "onto_rotation": (R[j].T @ R[i] @ turn).tolist(),
        }
        K = constraint_jacobian(chain, [closure(x) for x in [*loops, loop]], q)
        if len(K) < chain.nv and np.linalg.cond(K) < 1e3:
            loops.append(loop)
        if len(loops) == count:
            return loops
    raise ValueError("no independent loops found")


def closure(loop: dict[str, Any]) -> Closure:
    """Return the closure that its data describe."""
    data = dict(loop)
    return Closure({"Spherical": Spherical, "Fixed": Fixed}[data.pop("joint")](), **data)


def record(case: Case, count: int) -> dict[str, Any]:
    """Return a tree, its loops, a state and what Pinocchio says of it."""
    chain, rng = random_tree(case), np.random.default_rng(case.seed)
    q, qd, tau = motion(case, chain)
    loops = loops_through(chain, q, count, rng)
    K = constraint_jacobian(chain, [closure(x) for x in loops], q)
    qd = qd - np.linalg.pinv(K) @ (K @ qd)
    described = model_of_tree(chain)  # branch by branch: Pinocchio's factorisation relies on it
    model, frames = described.model, described.frames
    models = pin.StdVec_RigidConstraintModel()
    for loop in loops:
        ends = []
        for body, which in ((loop["link"], ""), (loop["onto"], "onto_")):
            frame = model.frames[frames[body]]
            own = pin.SE3(np.array(loop[which + "rotation"]), np.array(loop[which + "offset"]))
            ends += [frame.parentJoint, frame.placement * own]
        kind = (
            pin.ContactType.CONTACT_3D
            if loop["joint"] == "Spherical"
            else pin.ContactType.CONTACT_6D
        )
        models.append(pin.RigidConstraintModel(kind, model, *ends, pin.ReferenceFrame.LOCAL))
    datas = pin.StdVec_RigidConstraintData()
    datas.extend([m.createData() for m in models])
    data = model.createData()
    pin.initConstraintDynamics(model, data, models, datas)
    acceleration = pin.constraintDynamics(
        model,
        data,
        described.configuration(q),
        described.velocity(qd),
        described.velocity(tau),
        models,
        datas,
        pin.ProximalSettings(1e-14, 1e-14, 0.0, 20),
    )
    return {
        "links": chain_data(chain),
        "loops": loops,
        "q": q.tolist(),
        "qd": qd.tolist(),
        "tau": tau.tolist(),
        "qdd": acceleration[described.order].tolist(),
    }


if __name__ == "__main__":
    write(FILE, [record(case, count) for case, count in CASES])
