"""What Pinocchio computes, kept as data: poses, twists, accelerations, Jacobians of robots and random trees.

Run from tests/ as ``python -m oracles.make_pinocchio``; needs pin and example-robot-data. The model that each
result is of stands beside it in pinocchio.json.gz, so that the comparison needs neither. Pinocchio reads the
robots' files itself, and the random trees are built with its own functions: only numbers are shared.
"""

from __future__ import annotations

import gzip
import importlib.metadata
import json
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from trees import Case, motion, random_tree

from chaindyn import Chain, Fixed, Revolute, Universal, load_urdf, swap_order

FILE = Path(__file__).with_name("pinocchio.json.gz")
FRAMES = {
    "body": pin.ReferenceFrame.LOCAL,
    "world": pin.ReferenceFrame.WORLD,
    "mixed": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}

PANDA = "panda_description/urdf/panda.urdf"
ROBOTS: dict[str, tuple[str, dict[str, Any]]] = {
    "UR5": ("ur_description/urdf/ur5_robot.urdf", {}),
    "Panda arm": (PANDA, {"tip": "panda_link7"}),
    "Panda with its gripper locked": (
        PANDA,
        {"lock": {"panda_finger_joint1": 0.03, "panda_finger_joint2": 0.03}},
    ),
    "xArm7": ("xarm_description/urdf/xarm7.urdf", {}),
    "Allegro hand": ("allegro_hand_description/urdf/allegro_right_hand.urdf", {}),
    "Solo12": ("solo_description/robots/solo12.urdf", {}),
}
TREES = [
    Case(1, seed=100, kinds=(Revolute,)),
    Case(2, seed=101),
    Case(3, branching=True, seed=102),
    Case(5, seed=103),
    Case(8, branching=True, seed=104),
    Case(8, seed=105, variety="wild"),
    Case(12, branching=True, seed=106, variety="tiny"),
    Case(20, seed=107),
    Case(20, branching=True, seed=108),
    Case(30, seed=109),
    Case(30, branching=True, seed=110),
]


def robot_path(name: str) -> Path:
    """Return where example-robot-data keeps a robot's file."""
    files = importlib.metadata.files("example-robot-data") or []
    return Path(next(f for f in files if str(f).endswith(f"robots/{name}")).locate())


# --- Pinocchio's models of our chains: for each link a frame, and where its joint's numbers stand ---


def model_of_file(path: Path, chain: Chain, lock: dict[str, float]) -> tuple[Any, list[int]]:
    """Return Pinocchio's model of a URDF file with joints locked, and the frame of each of our links."""
    model = pin.buildModelFromUrdf(str(path))
    if lock:
        held = [model.getJointId(name) for name in lock]
        q = pin.neutral(model)
        for j, position in zip(held, lock.values(), strict=True):
            q[model.idx_qs[j]] = position
        model = pin.buildReducedModel(model, held, q)
    return model, [model.getFrameId(name, pin.FrameType.BODY) for name in chain.names]


def model_of_chain(chain: Chain) -> tuple[Any, list[int]]:
    """Return a model built joint by joint, and the frame of each link; a fixed link is but a frame."""
    model = pin.Model()
    homes: list[tuple[int, Any]] = []  # each link's joint, and its pose there
    frames = []
    for i, link in enumerate(chain.links):
        joint, pose = homes[chain.parent[i]] if chain.parent[i] >= 0 else (0, pin.SE3.Identity())
        pose = pose * pin.SE3(np.array(link.rotation, float), np.array(link.offset, float))
        if not isinstance(link.joint, Fixed):
            kind = (
                pin.JointModelRevoluteUnaligned
                if isinstance(link.joint, Revolute)
                else pin.JointModelPrismaticUnaligned
            )
            joint = model.addJoint(joint, kind(np.array(link.joint.axis, float)), pose, f"joint{i}")
            pose = pin.SE3.Identity()
        homes.append((joint, pose))
        frame = pin.Frame(chain.names[i], joint, 0, pose, pin.FrameType.OP_FRAME)
        frames.append(model.addFrame(frame))
    return model, frames


def columns(model: Any, chain: Chain, frames: list[int]) -> list[int]:
    """Return which of Pinocchio's joints each entry of our q belongs to: its order is another."""
    return [model.frames[frames[i]].parentJoint for i in chain.link_of_column]


def configuration(model: Any, joints: list[int], q: Any) -> Any:
    """Return Pinocchio's q: in its order, and a joint that turns for ever as cosine and sine."""
    result = pin.neutral(model)
    for j, value in zip(joints, q, strict=True):
        at, size = model.idx_qs[j], model.nqs[j]
        result[at : at + size] = (np.cos(value), np.sin(value)) if size == 2 else value
    return result


def velocity(model: Any, joints: list[int], qd: Any) -> Any:
    """Return Pinocchio's v: ours in its order."""
    result = np.zeros(model.nv)
    result[[model.idx_vs[j] for j in joints]] = qd
    return result


# --- results ---


def results(
    model: Any, frames: list[int], chain: Chain, state: tuple[Any, Any, Any]
) -> dict[str, Any]:
    """Return what Pinocchio computes of one state, angular parts first, columns in our order."""
    data, joints = model.createData(), columns(model, chain, frames)
    q, qd, qdd = state
    full = (
        configuration(model, joints, q),
        velocity(model, joints, qd),
        velocity(model, joints, qdd),
    )
    pin.forwardKinematics(model, data, *full)
    pin.computeJointJacobians(model, data, full[0])
    pin.computeJointJacobiansTimeVariation(model, data, full[0], full[1])
    pin.updateFramePlacements(model, data)
    order = [model.idx_vs[j] for j in joints]

    def motion_of(f: int, kind: str, frame: Any) -> Any:
        return swap_order(getattr(pin, kind)(model, data, f, frame).vector)

    def matrix_of(f: int, kind: str, frame: Any) -> Any:
        J = np.reshape(getattr(pin, kind)(model, data, f, frame), (6, -1))  # a vector where nv = 1
        return swap_order(J[:, order].T).T

    result: dict[str, Any] = {
        "R": [data.oMf[f].rotation for f in frames],
        "p": [data.oMf[f].translation for f in frames],
    }
    bodies = leaves(chain)
    for name, frame in FRAMES.items():
        result[name] = {
            "twists": [motion_of(f, "getFrameVelocity", frame) for f in frames],
            "spatial": [motion_of(f, "getFrameAcceleration", frame) for f in frames],
            "classical": [motion_of(f, "getFrameClassicalAcceleration", frame) for f in frames],
            "jacobians": [matrix_of(frames[b], "getFrameJacobian", frame) for b in bodies],
            "bias": [
                matrix_of(frames[b], "getFrameJacobianTimeVariation", frame) @ qd for b in bodies
            ],
        }
    return result


def leaves(chain: Chain) -> list[int]:
    """Return the links whose Jacobians are kept: those that carry none."""
    return [i for i in range(chain.n) if i not in chain.parent]


def axes_of(joint: Any) -> Any:
    """Return the axis of a joint, both of a universal one, none of what has none."""
    return (
        [joint.first, joint.second]
        if isinstance(joint, Universal)
        else getattr(joint, "axis", None)
    )


def chain_data(chain: Chain) -> list[dict[str, Any]]:
    """Return a chain as plain data."""
    return [
        {
            "name": chain.names[i],
            "joint": type(link.joint).__name__,
            "axis": axes_of(link.joint),
            "mass": link.mass,
            "com": link.com,
            "inertia": link.inertia,
            "offset": link.offset,
            "rotation": link.rotation,
            "parent": chain.parent[i] if chain.parent[i] >= 0 else "ground",
        }
        for i, link in enumerate(chain.links)
    ]


def bodies_of(model: Any, frames: list[int]) -> dict[str, Any]:
    """Return mass, centre of mass and inertia that Pinocchio gives each link's joint, welds merged."""
    bodies = [model.inertias[model.frames[f].parentJoint] for f in frames]
    return {
        "mass": [body.mass for body in bodies],
        "com": [body.lever for body in bodies],
        "inertia": [body.inertia for body in bodies],
    }


def robot(name: str) -> dict[str, Any]:
    """Return one robot's chain as `load_urdf` reads it, and what Pinocchio makes of the same file."""
    file, options = ROBOTS[name]
    chain = load_urdf(robot_path(file), **options)
    model, frames = model_of_file(robot_path(file), chain, options.get("lock", {}))
    case = Case(chain.n, seed=sum(map(ord, name)))
    if "tip" in options:  # Pinocchio has the branches too, whose joints rest at zero
        bodies = {}
    else:
        bodies = bodies_of(model, frames)
    return record(name, chain, model, frames, case) | {
        "file": file,
        "options": options,
        "bodies": bodies,
    }


def tree(case: Case) -> dict[str, Any]:
    """Return one random tree and what Pinocchio computes of it."""
    chain = random_tree(case)
    model, frames = model_of_chain(chain)
    return record(str(case), chain, model, frames, case)


def record(name: str, chain: Chain, model: Any, frames: list[int], case: Case) -> dict[str, Any]:
    """Return the chain, two states and their results."""
    states = list(zip(*motion(case, chain, (2,)), strict=True))
    return {
        "name": name,
        "links": chain_data(chain),
        "states": [dict(zip(("q", "qd", "qdd"), state, strict=True)) for state in states],
        "results": [results(model, frames, chain, state) for state in states],
    }


def write(file: Path, models: list[dict[str, Any]]) -> None:
    """Write models to a file, with what computed them; floats so that they are read back to the bit."""
    content = {
        "engine": f"Pinocchio {pin.__version__}",
        "robots": f"example-robot-data {importlib.metadata.version('example-robot-data')}",
        "models": models,
    }
    text = json.dumps(content, default=lambda x: x.tolist(), separators=(",", ":"))
    file.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{file.name}: {len(models)} models, {file.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    write(FILE, [robot(name) for name in ROBOTS] + [tree(case) for case in TREES])
