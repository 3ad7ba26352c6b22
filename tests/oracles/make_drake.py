"""What Drake computes, kept as data: a tree with each kind of joint that it shares with us, in states set by meaning.

Run from tests/ as ``python -m oracles.make_drake``; needs drake. Written to drake.json.gz. Positions and velocities are
given to Drake's joints by their own functions, as poses, angles and vectors of which its documentation says in which
axes they are; what its whole state then is, is read off, and so are mass matrix, bias and a Jacobian.
"""

from __future__ import annotations

import gzip
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from engines import DRAKE_PARENTS, drake_tree
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix
from pydrake.multibody import tree as drake
from pydrake.multibody.plant import MultibodyPlant

from chaindyn import (
    Chain,
    Free,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    random_state,
)

FILE = Path(__file__).with_name("drake.json.gz")
STATES = 20


def links() -> list[dict[str, Any]]:
    """Return the links' numbers, joints aside."""
    rng = np.random.default_rng(1500)
    made = []
    for parent in DRAKE_PARENTS:
        A = rng.normal(size=(3, 3))
        cloud = A @ A.T
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn = turn * np.linalg.det(turn)
        inertia = 0.1 * (np.trace(cloud) * np.eye(3) - cloud)
        numbers = {"mass": rng.uniform(0.5, 2), "com": rng.normal(size=3), "inertia": inertia}
        made.append(numbers | {"offset": rng.normal(size=3), "rotation": turn, "parent": parent})
    return made


def joint_of(name: str, joint: Any, F: Any, M: Any) -> Any:
    """Return Drake's joint of the same kind."""
    axis = np.array(getattr(joint, "axis", (0, 0, 1)), float)
    return {
        Free: lambda: drake.QuaternionFloatingJoint(name, F, M),
        Spherical: lambda: drake.BallRpyJoint(name, F, M),
        Planar: lambda: drake.PlanarJoint(name, F, M),
        Universal: lambda: drake.UniversalJoint(name, F, M),
        Revolute: lambda: drake.RevoluteJoint(name, F, M, axis),
        Prismatic: lambda: drake.PrismaticJoint(name, F, M, axis),
        # Drake's pitch is the advance for a whole turn
        Helical: lambda: drake.ScrewJoint(
            name, F, M, axis, 2 * np.pi * float(getattr(joint, "pitch", 0)), 0.0
        ),
    }[type(joint)]()


def model(chain: Chain) -> tuple[Any, list[Any], list[Any]]:
    """Return Drake's plant of a chain, its bodies and its joints."""
    plant = MultibodyPlant(0.0)
    plant.mutable_gravity_field().set_gravity_vector(np.array(chain.gravity, float))
    bodies, joints = [], []
    for i, link in enumerate(chain.links):
        about_com = drake.RotationalInertia(
            *np.diag(link.inertia), link.inertia[0, 1], link.inertia[0, 2], link.inertia[1, 2]
        )
        inertia = drake.SpatialInertia.MakeFromCentralInertia(link.mass, link.com, about_com)
        body = plant.AddRigidBody(chain.names[i], inertia)
        on = plant.world_body() if chain.parent[i] < 0 else bodies[chain.parent[i]]
        pose = RigidTransform(RotationMatrix(np.array(link.rotation)), np.array(link.offset))
        F = plant.AddFrame(drake.FixedOffsetFrame(f"F{i}", on.body_frame(), pose))
        joints.append(plant.AddJoint(joint_of(f"joint{i}", link.joint, F, body.body_frame())))
        bodies.append(body)
    plant.Finalize()
    return plant, bodies, joints


def put(context: Any, ours: Any, theirs: Any, q: Any, qd: Any) -> None:
    """Give a joint its place and velocity by Drake's own functions: of a vector it is said in which axes it is."""
    R, p = ours.pose(q)
    twist = ours.motion_subspace(q) @ qd
    w, v = R @ twist[:3], R @ twist[3:]  # of M's origin in F, in the axes of F
    if isinstance(ours, Free):
        theirs.SetPose(context, RigidTransform(RotationMatrix(R), p))
        theirs.set_angular_velocity(context, w)
        theirs.set_translational_velocity(context, v)
    elif isinstance(ours, Spherical):
        theirs.set_angles(context, RollPitchYaw(RotationMatrix(R)).vector())
        theirs.set_angular_velocity(context, w)
    elif isinstance(ours, Planar):
        theirs.set_translation(context, p[:2])
        theirs.set_rotation(context, np.arctan2(R[1, 0], R[0, 0]))
        theirs.set_translational_velocity(context, v[:2])
        theirs.set_angular_velocity(context, w[2])
    elif isinstance(ours, Universal):
        theirs.set_angles(context, q)
        theirs.set_angular_rates(context, qd)
    elif isinstance(ours, Prismatic):
        theirs.set_translation(context, q[0])
        theirs.set_translation_rate(context, qd[0])
    elif isinstance(ours, Helical):
        theirs.set_translation(context, ours.pitch * q[0])
        theirs.set_translational_velocity(context, ours.pitch * qd[0])
    else:
        theirs.set_angle(context, q[0])
        theirs.set_angular_rate(context, qd[0])


def result(chain: Chain, q: Any, qd: Any) -> dict[str, Any]:
    """Return Drake's state, poses, mass matrix, bias, and Jacobian of the last link, about its origin in world axes."""
    plant, bodies, joints = model(chain)
    context = plant.CreateDefaultContext()
    for i, (ours, theirs) in enumerate(zip(chain.joints, joints, strict=True)):
        put(context, ours, theirs, q[list(chain.q_columns[i])], qd[list(chain.v_columns[i])])
    world = plant.world_frame()
    poses = [plant.EvalBodyPoseInWorld(context, body) for body in bodies]
    bias = plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context)
    J = plant.CalcJacobianSpatialVelocity(
        context, drake.JacobianWrtVariable.kV, bodies[-1].body_frame(), np.zeros(3), world, world
    )
    order = sorted(range(chain.n), key=lambda i: joints[i].velocity_start())
    return {
        "q": q,
        "qd": qd,
        "order": order,
        "theirs": {"q": plant.GetPositions(context), "v": plant.GetVelocities(context)},
        "R": [pose.rotation().matrix() for pose in poses],
        "p": [pose.translation() for pose in poses],
        "M": plant.CalcMassMatrix(context),
        "bias": bias,
        "J": J,
    }


if __name__ == "__main__":
    numbers = links()
    chain = drake_tree(numbers)
    q, qd = random_state(chain, 1501, batch=(STATES,))
    content = {
        "engine": f"Drake {version('drake')}",
        "links": numbers,
        "results": [result(chain, *state) for state in zip(q, qd, strict=True)],
    }
    text = json.dumps(content, default=lambda x: x.tolist(), separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{FILE.name}: {STATES} states, {FILE.stat().st_size / 1e3:.0f} kB")
