"""What Pinocchio computes of dynamics with joints of every kind, kept as data: robots, free bases and trees.

Run from tests/ as ``python -m oracles.make_dynamics``; needs pin and example-robot-data. Written to
dynamics.json.gz, with the model that each result is of. Pinocchio reads the robots' files itself; the random trees are
built joint by joint, a universal joint as two hinges with nothing between.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from oracles.make_impulse import blow_on, inverse_inertias, jacobians, reactions, response
from oracles.make_pinocchio import chain_data, robot_path, write
from trees import STORED_KINDS, Case, motion, random_tree

from chaindyn import (
    Chain,
    Convention,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    convention,
    load_urdf,
    swap_order,
)
from chaindyn.contract import across

FILE = Path(__file__).with_name("dynamics.json.gz")
ROBOTS: dict[str, tuple[str, dict[str, Any]]] = {
    "UR5": ("ur_description/urdf/ur5_robot.urdf", {}),
    "Allegro hand": ("allegro_hand_description/urdf/allegro_right_hand.urdf", {}),
    "Solo12, free": ("solo_description/robots/solo12.urdf", {"floating": True}),
    "Talos, free": ("talos_data/robots/talos_reduced.urdf", {"floating": True}),
}
TREES = [
    *(Case(1, seed=300 + k, kinds=(kind,)) for k, kind in enumerate(STORED_KINDS) if kind != Fixed),
    Case(2, seed=310, kinds=(Spherical, Universal)),
    Case(3, branching=True, seed=311, kinds=STORED_KINDS),
    Case(5, seed=312, kinds=STORED_KINDS),
    Case(6, branching=True, seed=313, kinds=(Free,)),
    Case(8, branching=True, seed=314, kinds=STORED_KINDS),
    Case(8, seed=315, kinds=(Universal, Spherical)),
    Case(10, branching=True, seed=316, kinds=STORED_KINDS),
    Case(12, branching=True, seed=317, variety="tiny", kinds=STORED_KINDS),
    Case(15, seed=318, kinds=STORED_KINDS),
    Case(20, branching=True, seed=319, kinds=STORED_KINDS),
    Case(25, branching=True, seed=320, kinds=(Revolute, Universal, Fixed)),
    Case(30, seed=321, kinds=STORED_KINDS),
    Case(30, branching=True, seed=322, kinds=STORED_KINDS),
]


@dataclass(frozen=True)
class Model:
    """Pinocchio's model of a chain, and for each of our links a frame and the joints that stand for its joint."""

    model: Any
    chain: Chain
    frames: list[int]
    joints: list[list[int]]

    @cached_property
    def theirs(self) -> Convention:
        """Return how this model has our coordinates and velocities: where joints stand, and which have no bounds."""
        moving = [i for i in range(self.chain.n) if self.joints[i]]
        first = {i: self.joints[i][0] for i in moving}
        hinges = [i for i in moving if isinstance(self.chain.joints[i], Revolute)]
        return convention(
            "Pinocchio",
            order=sorted(moving, key=first.__getitem__),
            unbounded=[i for i in hinges if self.model.nqs[first[i]] == 2],
        )

    @property
    def order(self) -> list[int]:
        """Return where each entry of our qd stands."""
        chain = self.chain
        places: list[int] = np.argsort(
            self.theirs.to_qd(chain, chain.neutral, np.arange(chain.nv))
        ).tolist()
        return places

    def configuration(self, q: Any) -> Any:
        """Return Pinocchio's q."""
        return self.theirs.to_q(self.chain, q)

    def velocity(self, qd: Any) -> Any:
        """Return Pinocchio's v, or joint forces: ours in its order."""
        return self.theirs.to_qd(self.chain, self.chain.neutral, qd)

    def wrenches(self, external: Any) -> list[Any]:
        """Return wrenches (n, 6) [tau; f] on our links, in their frames, as forces on Pinocchio's joints."""
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for f, wrench in zip(self.frames, external, strict=True):
            frame = self.model.frames[f]
            forces[frame.parentJoint] += frame.placement.act(pin.Force(wrench[3:], wrench[:3]))
        return forces


def kinds_of(joint: Any) -> list[Any]:
    """Return Pinocchio's joints, one after the other, that make one of ours."""
    if isinstance(joint, Universal):
        axes = joint.first, joint.second
        return [pin.JointModelRevoluteUnaligned(np.array(axis, float)) for axis in axes]
    axis = np.array(getattr(joint, "axis", (0, 0, 1)), float)
    pitch = float(getattr(joint, "pitch", 0))
    turns, slides = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
    return {
        Revolute: lambda: [turns(axis)],
        Prismatic: lambda: [slides(axis)],
        Cylindrical: lambda: [turns(axis), slides(axis)],
        Helical: lambda: [pin.JointModelHelicalUnaligned(axis, pitch)],
        Planar: lambda: [pin.JointModelPlanar()],
        Spherical: lambda: [pin.JointModelSpherical()],
        Free: lambda: [pin.JointModelFreeFlyer()],
        Fixed: list,
    }[type(joint)]()


def in_plane(joint: Any) -> Any:
    """Return how a planar joint is turned from Pinocchio's, which moves in the plane of x and y."""
    if not isinstance(joint, Planar):
        return pin.SE3.Identity()
    axes = np.concatenate([across(joint.normal), joint.normal[:, None]], axis=1)
    return pin.SE3(axes, np.zeros(3))


def model_of_tree(chain: Chain) -> Model:
    """Return the model of a chain, joints added branch by branch: Pinocchio's `crba` relies on it."""
    model = pin.Model()
    model.gravity.linear = np.array(chain.gravity, float)
    homes: dict[int, tuple[int, Any]] = {-1: (0, pin.SE3.Identity())}
    frames, joints = [0] * chain.n, [[] for _ in range(chain.n)]
    for i in sorted(range(chain.n), key=chain.path):
        link = chain.links[i]
        home, pose = homes[chain.parent[i]]
        pose = pose * pin.SE3(np.array(link.rotation, float), np.array(link.offset, float))
        turned = in_plane(link.joint)
        pose = pose * turned
        for k, kind in enumerate(kinds_of(link.joint)):
            home = model.addJoint(home, kind, pose, f"joint{i}.{k}")
            pose = pin.SE3.Identity()
            joints[i].append(home)
        pose = pose * turned.inverse()
        body = pin.Inertia(float(link.mass), np.array(link.com), np.array(link.inertia))
        model.appendBodyToJoint(home, body, pose)
        homes[i] = home, pose
        frame = pin.Frame(chain.names[i], home, 0, pose, pin.FrameType.OP_FRAME)
        frames[i] = model.addFrame(frame)
    return Model(model, chain, frames, joints)


def model_of_robot(path: Path, chain: Chain, *, floating: bool = False) -> Model:
    """Return the model that Pinocchio makes of a file."""
    base = [pin.JointModelFreeFlyer()] if floating else []
    model = pin.buildModelFromUrdf(str(path), *base)
    frames = [model.getFrameId(name, pin.FrameType.BODY) for name in chain.names]
    return Model(model, chain, frames, [[model.frames[f].parentJoint] for f in frames])


def jointed(chain: Chain) -> Chain:
    """Return the chain with a hinge for each weld, so that each link has a joint of its own."""
    links = [
        replace(link, joint=Revolute()) if isinstance(link.joint, Fixed) else link
        for link in chain.links
    ]
    return Chain(links, chain.gravity)


def across_welds(chain: Chain, values: Any, which: str) -> Any:
    """Return q, qd or qdd of `jointed`: the hinges that stand for welds are at zero, and rest."""
    own = chain.q_columns if which == "q" else chain.v_columns
    parts = [values[list(c)] if len(c) else np.zeros(1) for c in own]
    return np.concatenate(parts)


def reaction_wrenches(whole: Model, state: tuple[Any, Any, Any], external: Any) -> list[Any]:
    """Return what each link's parent exerts on it (n, 6) [tau; f], in the link's frame."""
    q, qd, qdd = state
    data = whole.model.createData()
    full = whole.configuration(q), whole.velocity(qd), whole.velocity(qdd)
    pin.rnea(whole.model, data, *full, whole.wrenches(external))
    return [swap_order(data.f[own[-1]].vector) for own in whole.joints]


def struck(
    theirs: Model, whole: Model, q: Any, qd: Any, rng: Any, size: float
) -> list[dict[str, Any]]:
    """Return blows on up to four links, and what each does."""
    model, chain, order = theirs.model, theirs.chain, theirs.order
    full, before = theirs.configuration(q), theirs.velocity(qd)
    data = model.createData()
    pin.framesForwardKinematics(model, data, full)
    J = jacobians(model, theirs.frames, order, full, pin.ReferenceFrame.WORLD)
    own = [joints[-1] for joints in whole.joints]
    rest = whole.configuration(across_welds(chain, q, "q"))
    blows = []
    for b in sorted({*np.linspace(0, chain.n - 1, 4).astype(int).tolist()}):
        blow, row = blow_on(rng, size, data.oMf[theirs.frames[b]].translation, J[b], qd)
        jump, impulse = response(model, full, before, theirs.velocity(row), blow["restitution"])
        jump = jump[order]
        wrench = impulse * np.concatenate([np.cross(blow["point"], blow["normal"]), blow["normal"]])
        turned = whole.velocity(across_welds(chain, jump, "qd"))
        blows.append(
            {"body": b, **blow, "impulse": impulse, "qd_jump": jump}
            | {"twist_jumps": [swap_order(Jc @ jump) for Jc in J]}
            | {"joint_impulses": reactions(whole.model.copy(), own, rest, turned, b, wrench)}
        )
    return blows


def record(name: str, theirs: Model, whole: Model, case: Case) -> dict[str, Any]:
    """Return the chain, one state, and what Pinocchio computes of it; `whole` has no welds."""
    chain, model, order = theirs.chain, theirs.model, theirs.order
    rng = np.random.default_rng(case.seed)
    q, qd, qdd = motion(case, chain)
    tau, external = rng.normal(size=chain.nv), rng.normal(size=(chain.n, 6))
    full = theirs.configuration(q), theirs.velocity(qd)
    pushed = theirs.wrenches(external)

    def ours(forces: Any) -> Any:
        return forces[order]

    M = np.atleast_2d(pin.crba(model, model.createData(), full[0]))
    M = np.triu(M) + np.triu(M, 1).T
    C = np.atleast_2d(pin.computeCoriolisMatrix(model, model.createData(), *full))
    state = [across_welds(chain, x, w) for x, w in ((q, "q"), (qd, "qd"), (qdd, "qdd"))]
    return {
        "name": name,
        "links": chain_data(chain),
        "state": {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "external": external},
        "rnea": ours(pin.rnea(model, model.createData(), *full, theirs.velocity(qdd), pushed)),
        "crba": M[np.ix_(order, order)],
        "bias_force": ours(pin.nonLinearEffects(model, model.createData(), *full)),
        "coriolis": ours(C @ full[1]),
        "wrenches": reaction_wrenches(whole, tuple(state), external),
        "aba": ours(pin.aba(model, model.createData(), *full, theirs.velocity(tau), pushed)),
        "inverse_inertias": inverse_inertias(model, theirs.frames, order, full[0]),
        "blows": struck(theirs, whole, q, qd, rng, 1e-8 if case.variety == "tiny" else 1.0),
    }


def name_of(case: Case) -> str:
    """Return what a random tree is called."""
    kinds = (
        "every" if case.kinds == STORED_KINDS else "-".join(kind.__name__ for kind in case.kinds)
    )
    return f"{case}-{kinds}"


def robot(name: str) -> dict[str, Any]:
    """Return a robot's record."""
    file, options = ROBOTS[name]
    chain = load_urdf(robot_path(file), **options)
    theirs = model_of_robot(robot_path(file), chain, **options)
    case = Case(chain.n, seed=sum(map(ord, name)))
    return record(name, theirs, theirs, case) | {"file": file, "options": options}


def tree(case: Case) -> dict[str, Any]:
    """Return a random tree's record."""
    chain = random_tree(case)
    whole = model_of_tree(jointed(chain))
    return record(name_of(case), model_of_tree(chain), whole, case)


if __name__ == "__main__":
    write(FILE, [robot(name) for name in ROBOTS] + [tree(case) for case in TREES])
