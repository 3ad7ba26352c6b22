"""Chains whose parameters are recorded: data of kinds of links, or a number each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from chaindyn.compiler.plan import PAIRS, Output
from chaindyn.compiler.recording import as_numbers
from chaindyn.compiler.rolled import CannotRoll, Link, Pairs, Recording, Rolled, leaves_of
from chaindyn.compiler.ways import Chain
from chaindyn.guards.joint_defaults import parameters
from chaindyn.guards.model import JOINT

__all__: list[str] = []

Array = Any


# parameters of chains that are recorded, and what chains work out of them when they are first asked
PER_LINK = ("rotation", "offset", "spatial_inertia", "mass", "com", "inertia")
PER_VELOCITY = ("reflected_inertia", "viscous", "coulomb")
WORKED_OUT = (
    "v_columns",
    "q_columns",
    "groups",
    "group_order",
    "group_columns",
    "link_of_column",
    "members",
    "any_turns",
    "has_rotors",
    "has_friction",
    "has_coulomb",
    "spatial_inertia",
    "names",
    "joints",
    "nq",
    "nv",
    "quaternions",
)
# answers of joints that are matrices, with the axis of links before them
MATRICES = (
    "motion_subspace",
    "motion_subspace_rate",
    "motion_subspace_second_rate",
    "constraint_subspace",
)


@dataclass(frozen=True, eq=False)
class GhostJoint:
    """Joints of one kind in a recording: each method is asked once for every kind of link."""

    recording: Recording
    joints: dict[int, Any]
    links: Array

    def __getattr__(self, name: str) -> Any:
        first = next(iter(self.joints.values()))
        value = getattr(type(first), name, None)
        if not callable(value) or name not in JOINT:
            return getattr(first, name)
        return partial(self.ask, name)

    def ask(self, name: str, *args: Any) -> Any:
        """Return what the method of each kind's joint says, as arrays of links."""
        args = tuple(x.settled() if isinstance(x, Rolled) else x for x in args)
        answers = {
            kind: getattr(joint, name)(*[self.part(x, kind) for x in args])
            for kind, joint in self.joints.items()
        }
        if not isinstance(next(iter(answers.values())), tuple):
            return self.rolled(name, 0, answers)
        count = len(next(iter(answers.values())))
        return tuple(
            self.rolled(name, place, {kind: answer[place] for kind, answer in answers.items()})
            for place in range(count)
        )

    def rolled(self, name: str, place: int, answers: dict[int, Any]) -> Rolled:
        """Return one answer of each kind's joint as an array of links."""
        blocks = {}
        for kind, answer in answers.items():
            block = as_numbers(self.recording.tape, answer)
            core = self.core(name, place, block)
            blocks[kind] = block if core is None else np.broadcast_to(block, core)
        rows = np.zeros(len(self.links), int)
        return Rolled(self.recording, self.axis_of(name, place), blocks, self.links, rows)

    @staticmethod
    def part(x: Any, kind: int) -> Array:
        """Return what a kind's joint is given: of a joint without coordinates, nothing."""
        return x.blocks[kind] if isinstance(x, Rolled) else np.empty((1, 0), object)

    @staticmethod
    def axis_of(name: str, place: int) -> int:
        """Return where the axis of links stands in an answer."""
        return -3 if name in MATRICES or (name == "pose" and place == 0) else -2

    def core(self, name: str, place: int, block: Array) -> tuple[int, ...] | None:
        """Return the shape that an answer must have with its axis of links, which it may lack."""
        axis = self.axis_of(name, place)
        return (1, *block.shape) if block.ndim == -axis - 1 else None


def attributes_of(chain: Chain) -> dict[str, Any]:
    """Return all that a chain has, by name, with what it works out when it is first asked."""
    for name in WORKED_OUT:
        getattr(chain, name)
    return dict(chain.__dict__)


def ghost_chain(chain: Chain, recording: Recording) -> Chain:
    """Return a chain whose parameters are those of a recording: data of its kinds of links."""
    ghost = object.__new__(Chain)
    links, order = np.arange(chain.n), np.zeros(chain.n, int)
    kinds = sorted(set(recording.kind.tolist()))

    def per_link(name: str) -> Rolled:
        values = np.asarray(getattr(chain, name))
        blocks = {
            k: recording.model(k, name, list(values[recording.members(k)]))[None] for k in kinds
        }
        return Rolled(recording, -np.ndim(values), blocks, links, order)

    def per_velocity(name: str) -> Rolled:
        values, blocks = np.asarray(getattr(chain, name)), {}
        for k in kinds:
            members = [values[list(chain.v_columns[i])] for i in recording.members(k)]
            blocks[k] = recording.model(k, name, members)
        own = np.repeat(links, [len(c) for c in chain.v_columns])
        rows = np.concatenate([np.arange(len(c)) for c in chain.v_columns]).astype(int)
        return Rolled(recording, -1, blocks, own, rows)

    values = attributes_of(chain)
    for name in PER_LINK:
        values[name] = per_link(name)
    for name in PER_VELOCITY:
        values[name] = per_velocity(name)
    values["gravity"] = recording.whole_chain("gravity", chain.gravity)
    groups = []
    for joint, q_columns, v_columns in chain.groups:
        members = [i for i in range(chain.n) if type(chain.joints[i]) is kind_of(joint)]
        own = sorted({int(recording.kind[i]) for i in members})
        joints = {k: kind_joint(chain, recording, k) for k in own}
        groups.append((GhostJoint(recording, joints, np.array(members)), q_columns, v_columns))
    values["groups"] = tuple(groups)
    ghost.__dict__.update(values)
    return ghost


def straight_chain(chain: Chain, recording: Recording) -> Chain:
    """Return a chain whose every parameter is a number of its own: each link is recorded by itself."""
    ghost = object.__new__(Chain)
    values = attributes_of(chain)

    def numbers(x: Any) -> Array:
        entries = np.empty(np.shape(x), object)
        for place, entry in np.ndenumerate(np.asarray(x)):
            entries[place] = recording.common(entry)
        return entries

    for name in (*PER_LINK, *PER_VELOCITY, "gravity"):
        values[name] = numbers(getattr(chain, name))
    groups = []
    for joint, q_columns, v_columns in chain.groups:
        own = getattr(joint, "joint", joint)
        twin = object.__new__(type(own))
        for name in parameters(own):
            object.__setattr__(twin, name, numbers(getattr(own, name)))
        groups.append((twin if own is joint else type(joint)(twin), q_columns, v_columns))
    values["groups"] = tuple(groups)
    ghost.__dict__.update(values)
    return ghost


def kind_of(joint: Any) -> type:
    """Return the class of a group's joints."""
    return type(getattr(joint, "joint", joint))


def kind_joint(chain: Chain, recording: Recording, kind: int) -> Any:
    """Return one joint that stands for those of all links of a kind, its parameters (1, ...) data."""
    members = recording.members(kind)
    joints = [chain.joints[i] for i in members]
    ghost = object.__new__(type(joints[0]))
    for name in parameters(joints[0]):
        values = [np.asarray(getattr(j, name)) for j in joints]
        object.__setattr__(ghost, name, recording.model(kind, f"joint.{name}", values)[None])
    return ghost


def argument(chain: Chain, recording: Recording, place: int, core: tuple[Any, ...]) -> Any:
    """Return an argument of a function as numbers that come later."""
    unknown = recording.tape.unknown
    if isinstance(core[0] if core else None, tuple):  # some of the velocities
        return argument(chain, recording, place, ("nv",)).along(np.asarray(core[0]))
    kinds = sorted(set(recording.kind.tolist()))
    if not core or isinstance(core[0], int):
        flat = [unknown("input", place, "", 0, k, 0) for k in range(int(np.prod(core)))]
        entries = np.empty(len(flat), object)
        entries[:] = flat
        return entries.reshape(core)
    size = int(np.prod(core[1:]))
    base = {"n": "link", "nq": "q", "nv": "v"}[core[0]]
    columns = {"n": [range(1)] * chain.n, "nq": chain.q_columns, "nv": chain.v_columns}[core[0]]
    blocks = {}
    for k in kinds:
        width = len(columns[recording.members(k)[0]])
        entries = np.empty(width * size, object)
        entries[:] = [
            unknown("input", place, base, size, r, 0, owner=k) for r in range(width * size)
        ]
        blocks[k] = entries.reshape((width, *core[1:]))
    links = np.repeat(np.arange(chain.n), [len(c) for c in columns])
    rows = np.concatenate([np.arange(len(c)) for c in columns]).astype(int)
    return Rolled(recording, -len(core), blocks, links, rows)


def outputs_of(
    chain: Chain, recording: Recording, result: Any
) -> tuple[list[Output], list[tuple[Any, ...]]]:
    """Return where every number of a result goes, and the shape of each of its arrays."""
    outputs: list[Output] = []
    shapes: list[tuple[Any, ...]] = []
    for place, leaf in enumerate(leaves_of(result)):
        if isinstance(leaf, Link):
            leaf = leaf.alone()
        if isinstance(leaf, Pairs):
            outputs += outputs_of_pairs(place, leaf)
            shapes.append(leaf.shape)
            continue
        if not isinstance(leaf, Rolled):
            entries = as_numbers(recording.tape, leaf)
            shapes.append(entries.shape)
            outputs += [Output(place, x, None, "", 0, k, 0) for k, x in enumerate(entries.flat)]
            continue
        outputs += outputs_of_links(chain, place, leaf.settled())
        shapes.append(leaf.shape)
    return outputs, shapes


def outputs_of_links(chain: Chain, place: int, leaf: Rolled) -> list[Output]:
    """Return where every number of an array of links goes, the result with the number `place`."""
    if not (np.diff(leaf.links) >= 0).all():
        raise CannotRoll("a result in another order than that of the links")
    base = base_of(chain, leaf)
    before = int(np.prod(leaf.shape[: leaf.axis]))
    after = int(np.prod(leaf.shape[leaf.axis + leaf.ndim + 1 :]))
    return [
        Output(place, x, kind, base, after, r * after + c, int(o))
        for kind, block in leaf.blocks.items()
        for (o, r, c), x in np.ndenumerate(
            as_numbers(leaf.recording.tape, block).reshape((before, -1, after))
        )
    ]


def outputs_of_pairs(place: int, leaf: Pairs) -> list[Output]:
    """Return where every number of a matrix of pairs of joints goes; its zeros stay what they are at first."""
    if leaf.ndim > 2:
        raise CannotRoll("matrices of pairs of joints in one array")
    outputs = []
    for kind, parts in leaf.blocks.items():
        own, rows, columns, *met = parts
        blocks = [own, rows, columns.mT, *met]
        for base, block in zip(PAIRS[: len(blocks)], blocks, strict=True):
            outputs += [
                Output(place, x, kind, base, a, b, leaf.sweep)
                for (a, b), x in np.ndenumerate(block)
                if x.mark
            ]
    return outputs


def base_of(chain: Chain, leaf: Rolled) -> str:
    """Return what an array has one entry for: each "link", or each of the links' coordinates "q" or velocities "v"."""
    counts = np.bincount(leaf.links, minlength=chain.n).tolist()
    known = {"link": [range(1)] * chain.n, "v": chain.v_columns, "q": chain.q_columns}
    for base, columns in known.items():
        if counts == [len(c) for c in columns]:
            return base
    raise CannotRoll("a result of some links only")


def first_kinds(chain: Chain) -> Array:
    """Return the kind of every link: that of its joint."""
    known: dict[Any, int] = {}
    return np.array([known.setdefault(type(j), len(known)) for j in chain.joints])


def finer(kind: Array, labels: Sequence[Any]) -> Array:
    """Return kinds of links that differ in their labels too."""
    known: dict[Any, int] = {}
    return np.array(
        [
            known.setdefault((int(k), label), len(known))
            for k, label in zip(kind, labels, strict=True)
        ]
    )
