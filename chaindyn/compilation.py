"""Compiled functions."""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import os
import platform
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, fields
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from chaindyn import _check, _ops
from chaindyn.chain import Chain
from chaindyn.emission import Output, Plan, c_program, of_the_model, put_in_order
from chaindyn.recording import Number, Tape, as_numbers
from chaindyn.rolled import CannotRoll, Link, Recording, Refine, Rolled, Walker, leaves_of, with_leaves

Array = Any


@dataclass(frozen=True, eq=False)
class GhostJoint:
    """Joints of one kind in a recording: each method is asked once for every kind of link."""

    recording: Recording
    joints: dict[int, Any]

    def __getattr__(self, name: str) -> Any:
        first = next(iter(self.joints.values()))
        value = getattr(type(first), name, None)
        if not callable(value) or name not in _check.JOINT:
            return getattr(first, name)
        return partial(self.ask, name)

    def ask(self, name: str, *args: Any) -> Any:
        """Return what the method of each kind's joint says, as arrays of links."""
        args = tuple(x.settled() for x in args)
        answers = {
            kind: getattr(joint, name)(*[x.blocks[kind] for x in args]) for kind, joint in self.joints.items()
        }
        links = args[0].links
        first = next(iter(answers.values()))
        many = isinstance(first, tuple)
        parts = []
        for place in range(len(first) if many else 1):
            blocks = {}
            for kind, answer in answers.items():
                block = as_numbers(self.recording.tape, answer[place] if many else answer)
                lead = args[0].blocks[kind].ndim + args[0].axis
                core = self.core(name, place, block, lead)
                blocks[kind] = block if core is None else np.broadcast_to(block, core)
            axis = self.axis_of(name, place)
            rows = np.zeros(len(links), int)
            parts.append(Rolled(self.recording, axis, blocks, links, rows))
        return tuple(parts) if many else parts[0]

    @staticmethod
    def axis_of(name: str, place: int) -> int:
        """Return where the axis of links stands in an answer."""
        matrices = ("motion_subspace", "motion_subspace_rate", "motion_subspace_second_rate", "constraint_subspace")
        return -3 if name in matrices or (name == "pose" and place == 0) else -2

    def core(self, name: str, place: int, block: Array, lead: int) -> tuple[int, ...] | None:
        """Return the shape that an answer must have with its axis of links, which it may lack."""
        axis = self.axis_of(name, place)
        return (1, *block.shape) if block.ndim == -axis - 1 else None


def ghost_chain(chain: Chain, recording: Recording, model_is_data: bool) -> Chain:
    """Return a chain whose parameters are those of a recording: data of its kinds of links."""
    ghost = object.__new__(Chain)
    links, order = np.arange(chain.n), np.zeros(chain.n, int)
    kinds = sorted(set(recording.kind.tolist()))

    def per_link(values: Array) -> Rolled:
        blocks = {k: recording.each(k, list(np.asarray(values)[recording.members(k)]))[None] for k in kinds}
        return Rolled(recording, -np.ndim(values), blocks, links, order)

    def per_velocity(values: Array) -> Rolled:
        blocks = {}
        for k in kinds:
            rows = [np.asarray(values)[list(chain.v_columns[i])] for i in recording.members(k)]
            blocks[k] = recording.each(k, rows)
        own = np.repeat(links, [len(c) for c in chain.v_columns])
        rows = np.concatenate([np.arange(len(c)) for c in chain.v_columns]).astype(int)
        return Rolled(recording, -1, blocks, own, rows)

    _ = chain.v_columns, chain.q_columns, chain.groups, chain.group_order, chain.group_columns
    _ = chain.link_of_column, chain.both_columns, chain.has_rotors, chain.has_friction
    _ = chain.spatial_inertia, chain.names, chain.joints, chain.nq, chain.nv, chain.quaternions
    values = dict(chain.__dict__)
    for name in ("rotation", "offset", "spatial_inertia", "mass", "com", "inertia"):
        values[name] = per_link(getattr(chain, name))
    for name in ("reflected_inertia", "viscous", "coulomb"):
        values[name] = per_velocity(getattr(chain, name))
    gravity = [recording.common(x) for x in chain.gravity]
    values["gravity"] = as_numbers(recording.tape, np.array(gravity, object))
    groups = []
    for joint, q_columns, v_columns in chain.groups:
        members = [i for i in range(chain.n) if type(chain.joints[i]) is kind_of(joint)]
        own = sorted({int(recording.kind[i]) for i in members})
        groups.append((GhostJoint(recording, {k: kind_joint(chain, recording, k) for k in own}), q_columns, v_columns))
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
    for f in fields(joints[0]):
        values = [np.asarray(getattr(j, f.name)) for j in joints]
        object.__setattr__(ghost, f.name, recording.each(kind, values)[None])
    return ghost


# shapes of arguments by name, where a function does not say
SHAPES: dict[str, tuple[Any, ...]] = {
    "q": ("nq",),
    "qd": ("nv",),
    "qdd": ("nv",),
    "tau": ("nv",),
    "step": ("nv",),
    "external": ("n", 6),
    "point": (3,),
    "normal": (3,),
    "restitution": (),
    "q_desired": ("nq",),
    "qd_desired": ("nv",),
    "qdd_desired": ("nv",),
    "q0": ("nq",),
    "q1": ("nq",),
}


def argument(chain: Chain, recording: Recording, place: int, core: tuple[Any, ...]) -> Any:
    """Return an argument of a function as numbers that come later."""
    unknown = recording.tape.unknown
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
        entries[:] = [unknown("input", place, base, size, r, 0, owner=k) for r in range(width * size)]
        blocks[k] = entries.reshape((width, *core[1:]))
    links = np.repeat(np.arange(chain.n), [len(c) for c in columns])
    rows = np.concatenate([np.arange(len(c)) for c in columns]).astype(int)
    return Rolled(recording, -len(core), blocks, links, rows)


def outputs_of(chain: Chain, recording: Recording, result: Any) -> tuple[list[Output], list[tuple[Any, ...]]]:
    """Return where every number of a result goes, and the shape of each of its arrays."""
    outputs: list[Output] = []
    shapes: list[tuple[Any, ...]] = []
    for place, leaf in enumerate(leaves_of(result)):
        if isinstance(leaf, Link):
            leaf = leaf.alone()
        if not isinstance(leaf, Rolled):
            entries = as_numbers(recording.tape, leaf)
            shapes.append(entries.shape)
            outputs += [Output(place, x, None, "", 0, k, 0) for k, x in enumerate(entries.flat)]
            continue
        leaf = leaf.settled()
        if not (np.diff(leaf.links) >= 0).all():
            raise CannotRoll("a result in another order than that of the links")
        counts = np.bincount(leaf.links, minlength=chain.n)
        base = next(
            (
                b
                for b, columns in (("link", [range(1)] * chain.n), ("v", chain.v_columns), ("q", chain.q_columns))
                if counts.tolist() == [len(c) for c in columns]
            ),
            None,
        )
        if base is None:
            raise CannotRoll("a result of some links only")
        shapes.append(leaf.shape)
        before = leaf.shape[: leaf.axis]
        after = int(np.prod(leaf.shape[leaf.axis + leaf.ndim + 1 :]))
        for kind, block in leaf.blocks.items():
            block = as_numbers(recording.tape, block)
            flat = block.reshape((int(np.prod(before)), -1, after))
            for (o, r, c), x in np.ndenumerate(flat):
                outputs.append(Output(place, x, kind, base, after, r * after + c, int(o)))
    return outputs, shapes


def first_kinds(chain: Chain) -> Array:
    """Return the kind of every link: that of its joint."""
    known: dict[Any, int] = {}
    return np.array([known.setdefault(type(j), len(known)) for j in chain.joints])


def finer(kind: Array, labels: Sequence[Any]) -> Array:
    """Return kinds of links that differ in their labels too."""
    known: dict[Any, int] = {}
    return np.array([known.setdefault((int(k), label), len(known)) for k, label in zip(kind, labels, strict=True)])


@dataclass(frozen=True, eq=False)
class Recorded:
    """A function recorded for a chain: its plan, and the shapes of what it takes and gives."""

    plan: Plan
    inputs: list[tuple[int, ...]]
    outputs: list[tuple[int, ...]]
    nest: Any


def record(
    function: Callable[..., Any],
    chain: Chain,
    arrays: dict[str, tuple[Any, ...]],
    options: dict[str, Any],
    *,
    roll: bool = True,
) -> Recorded:
    """Record what a function does with a chain and arrays of these shapes."""
    kind = first_kinds(chain)
    while True:
        recording = Recording(Tape(), chain.parent, kind)
        try:
            return recorded_with(function, chain, recording, arrays, options)
        except Refine as differ:
            new = finer(kind, differ.labels)
            if len(set(new.tolist())) == len(set(kind.tolist())):
                raise CannotRoll("links of one kind differ, and cannot be told apart") from None
            kind = new


def recorded_with(
    function: Callable[..., Any],
    chain: Chain,
    recording: Recording,
    arrays: dict[str, tuple[Any, ...]],
    options: dict[str, Any],
) -> Recorded:
    """Record with links of these kinds."""
    ghost = ghost_chain(chain, recording, True)
    given = {name: argument(chain, recording, k, core) for k, (name, core) in enumerate(arrays.items())}

    def call() -> Any:
        _check._inside.set(True)
        _ops.walker.set(Walker(recording))
        return function(ghost, **given, **options)

    result = copy_context().run(call)
    outputs, shapes = outputs_of(chain, recording, result)
    plan = put_in_order(recording, outputs)
    sizes = {"n": chain.n, "nq": chain.nq, "nv": chain.nv}
    inputs = [tuple(sizes.get(c, c) for c in core) for core in arrays.values()]
    return Recorded(plan, inputs, shapes, result)


FLAGS = ("-O2", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-shared", "-fPIC", "-std=gnu11")


def model_tables(recorded: Recorded, chain: Chain) -> tuple[Array, Array, Array]:
    """Return the table of links, six integers each, and the numbers of the model: of the links, and of nobody's."""
    plan = recorded.plan
    recording = plan.recording
    value = of_the_model(plan, recording.columns, recording.shared)
    tree = np.zeros((chain.n, 6), np.int64)
    width = {k: len(plan.data.get(k, {})) for k in plan.widths}
    kinds = recording.kind
    tree[:, 0], tree[:, 1] = chain.parent, kinds
    tree[:, 2] = np.r_[0, np.cumsum([width[int(k)] for k in kinds])[:-1]]
    tree[:, 3] = np.r_[0, np.cumsum([plan.widths[int(k)] for k in kinds])[:-1]]
    tree[:, 4] = [c.start for c in chain.q_columns]
    tree[:, 5] = [c.start for c in chain.v_columns]
    data = np.zeros(sum(width[int(k)] for k in kinds) + 1)
    for kind, columns in plan.data.items():
        starts = tree[recording.members(kind), 2]
        for index, at in columns.items():
            data[starts + at] = value[index]
    common = np.array([*(value[i] for i in plan.common), 0.0])
    return tree, data, common
