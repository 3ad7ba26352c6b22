"""Models of our chains that other engines read, joint by joint: only numbers are shared."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from chaindyn import (
    Chain,
    Convention,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Link,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    convention,
    forward_kinematics,
)
from chaindyn.contract import across

# Hinges and slides, one after another, that make one of our joints: what turns or slides, and along what.
SINGLE = {
    Revolute: lambda joint: [("turn", joint.axis)],
    Prismatic: lambda joint: [("slide", joint.axis)],
    Universal: lambda joint: [("turn", joint.first), ("turn", joint.second)],
    Cylindrical: lambda joint: [("turn", joint.axis), ("slide", joint.axis)],
    Planar: lambda joint: [
        *(("slide", direction) for direction in across(joint.normal).T),
        ("turn", joint.normal),
    ],
    Fixed: lambda joint: [],
}


# MuJoCo -----------------------------------------------------------------------------------------


def mujoco_model(mujoco: Any, chain: Chain) -> Any:
    """Return MuJoCo's model of a chain; a free joint is three slides and a ball where it hangs on a link."""
    spec = mujoco.MjSpec()
    spec.option.gravity = chain.gravity
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    kinds = mujoco.mjtJoint
    of = {"turn": kinds.mjJNT_HINGE, "slide": kinds.mjJNT_SLIDE}
    bodies = {-1: spec.worldbody}
    for i, link in enumerate(chain.links):
        turned = np.roll(Rotation.from_matrix(link.rotation).as_quat(), 1)
        body = bodies[chain.parent[i]].add_body(pos=link.offset, quat=turned, mass=link.mass)
        J = np.asarray(link.inertia)
        body.ipos, body.explicitinertial = link.com, True
        body.fullinertia = [*np.diag(J), J[0, 1], J[0, 2], J[1, 2]]
        joint = link.joint
        if isinstance(joint, Free) and chain.parent[i] < 0:
            body.add_joint(type=kinds.mjJNT_FREE)
        elif isinstance(joint, Free):
            for axis in np.eye(3):
                body.add_joint(type=kinds.mjJNT_SLIDE, axis=axis)
        for kind, axis in SINGLE.get(type(joint), lambda _: [])(joint):
            body.add_joint(type=of[kind], axis=axis)
        if isinstance(joint, Spherical) or (isinstance(joint, Free) and chain.parent[i] >= 0):
            body.add_joint(type=kinds.mjJNT_BALL)
        bodies[i] = body
    return spec.compile()


def as_in_mujoco(chain: Chain) -> Convention:
    """Return how `mujoco_model` has a chain: it counts joints depth first."""
    order = tuple(sorted(range(chain.n), key=chain.path))
    return convention("MuJoCo", order=order)


# Modern Robotics --------------------------------------------------------------------------------


def modern_robotics_model(chain: Chain) -> dict[str, Any]:
    """Return M_list, G_list and S_list of a serial chain, and the last link's home pose.

    The frames are at the centres of mass, in link axes, and the last one is that of the last link; of a joint made of
    several screws all but the last carry a body without mass.
    """
    R, p = forward_kinematics(chain, chain.neutral)
    homes, inertias, screws = [np.eye(4)], [], []
    for i, link in enumerate(chain.links):
        for w, v in _screws(link.joint):
            w, v = R[i] @ w, R[i] @ v
            screws.append(np.concatenate([w, v - np.cross(w, p[i])]))
            homes.append(_pose(R[i], p[i] + R[i] @ np.asarray(link.com)))
            inertias.append(np.zeros((6, 6)))
        inertias[-1][:3, :3] = link.inertia
        inertias[-1][3:, 3:] = link.mass * np.eye(3)
    homes.append(_pose(R[-1], p[-1]))
    steps = [np.linalg.inv(a) @ b for a, b in pairwise(homes)]
    return {"M": steps, "G": inertias, "S": np.array(screws).T, "home": homes[-1]}


def _screws(joint: Any) -> list[tuple[Any, Any]]:
    zero = np.zeros(3)
    if isinstance(joint, Helical):
        return [(joint.axis, joint.pitch * joint.axis)]
    return [
        (axis, zero) if kind == "turn" else (zero, axis)
        for kind, axis in SINGLE[type(joint)](joint)
    ]


def _pose(R: Any, p: Any) -> Any:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


# Drake ------------------------------------------------------------------------------------------

Z = (0, 0, 1)
# Each kind of joint that Drake has too: its planar and universal joints are along the axes of their frames.
DRAKE_JOINTS = [Free(), Revolute((1, 2, 3)), Spherical(), Planar(Z), Prismatic((3, -1, 2))]
DRAKE_JOINTS += [Universal((1, 0, 0), (0, 1, 0)), Helical(Z, 0.3), Free()]
DRAKE_PARENTS = ["ground", 0, 1, 0, 2, 3, 4, 1]


def drake_tree(numbers: list[dict[str, Any]]) -> Chain:
    """Return the tree of these joints; numbers : the rest of each link, as drake.json.gz has it."""
    links = [Link(joint, **each) for joint, each in zip(DRAKE_JOINTS, numbers, strict=True)]
    return Chain(links, gravity=(1, 2, -9))
