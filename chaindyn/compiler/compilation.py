"""Functions of a chain as machine code: recorded, written as a program, compiled, and called like the functions."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from chaindyn import _ops
from chaindyn.compiler import store
from chaindyn.compiler.emission import (
    MOST_STRAIGHT,
    Output,
    Plan,
    c_program,
    js_kernel,
    of_the_model,
    put_in_order,
)
from chaindyn.compiler.native import LANES, Kernel, NoCompiler, built, opened
from chaindyn.compiler.recording import CannotRecord, Number, Tape, as_numbers, quietly
from chaindyn.compiler.rolled import (
    CannotRoll,
    Link,
    Opaque,
    Recording,
    Refine,
    Rolled,
    Walker,
    leaves_of,
    with_leaves,
)
from chaindyn.compiler.tangents import slopes_of_outputs
from chaindyn.compiler.ways import (
    INVERSES,
    PRODUCTS,
    SLOPES,
    Chain,
    aba,
    alternative,
    coordinate_rate,
)
from chaindyn.guards.arguments import FLAGS, check_chain, check_shapes, check_threads, check_word
from chaindyn.guards.door import _inside
from chaindyn.guards.model import JOINT, check_numbers
from chaindyn.guards.numbers import unmasked

__all__ = ["compiled"]

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

MOST_LINKS_STRAIGHT = 12  # of chains that are tried without loops
UNUSED = 4  # so many times as many may be recorded, of which some are not needed in the end
MOST_LIVE = 40_000  # of numbers that results hang on: beyond, C compilers take minutes


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
        for f in fields(own):
            object.__setattr__(twin, f.name, numbers(getattr(own, f.name)))
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
    for f in fields(joints[0]):
        values = [np.asarray(getattr(j, f.name)) for j in joints]
        object.__setattr__(ghost, f.name, recording.model(kind, f"joint.{f.name}", values)[None])
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


@dataclass(frozen=True, eq=False)
class Recorded:
    """A function recorded for a chain: its plan, and the shapes of what it takes and gives."""

    plan: Plan
    inputs: list[tuple[int, ...]]
    outputs: list[tuple[int, ...]]
    nest: Any

    @property
    def lengths(self) -> tuple[list[int], list[int]]:
        """How long each input is, and each result."""
        inputs, outputs = ([int(np.prod(x)) for x in own] for own in (self.inputs, self.outputs))
        return inputs, outputs


def record(
    function: Callable[..., Any],
    chain: Chain,
    arrays: dict[str, tuple[Any, ...]],
    options: dict[str, Any],
    *,
    open_model: bool = False,
    straight: int = 0,
    short: bool = False,
) -> Recorded:
    """Record what a function does with a chain and arrays of these shapes.

    Once for every kind of link if it can be; else link by link. open_model : whether the program is to serve other
    chains of the same kinds of links too; straight : how many numbers a recording link by link may have to be taken
    nevertheless: it has fewer operations, since the first link and the last have less to do, and keeps nothing from
    loop to loop, but its text soon outgrows what processors hold ready; short : whether to end there, CannotRecord
    if it takes more.
    """
    if straight and not open_model and chain.n <= MOST_LINKS_STRAIGHT:
        try:
            recorded = recorded_link_by_link(function, chain, arrays, options, UNUSED * straight)
        except CannotRecord:
            recorded = None
        if recorded is not None and len(recorded.plan.live) <= straight:
            return recorded
    if short:
        raise CannotRecord("it has too many links to be recorded one by one")
    kind, met = first_kinds(chain), None
    while True:
        try:
            recording = Recording(Tape(), chain.parent, kind, open=open_model)
            return recorded_by_kind(function, chain, recording, arrays, options)
        except Refine as differ:
            new = finer(kind, differ.labels)
            if new.max() == kind.max():
                break
            kind = new
        except CannotRecord:
            raise
        except Exception as error:  # whatever a function does with arrays that it did not expect
            met = error
            break
    if open_model:
        raise CannotRecord("it cannot be recorded once for every kind of link") from met
    return recorded_link_by_link(function, chain, arrays, options)


def in_one_line(text: str, most: int = 120) -> str:
    """Return a text without line breaks and, where it is long, without its end."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 4]} ..."


def called(
    function: Callable[..., Any],
    ghost: Chain,
    recording: Recording,
    arrays: dict[str, tuple[Any, ...]],
    given: dict[str, Any],
    options: dict[str, Any],
    walker: Any,
) -> Any:
    """Return what a function gives of recorded numbers, without the checks at its door."""

    def call() -> Any:
        _inside.set(True)
        _ops.walker.set(walker)
        _ops.recording.set(recording)
        for name, core in arrays.items():
            if core == ("nq",):
                expect_unit_quaternions(ghost, given[name])
        with quietly():
            result = function(ghost, **given, **options)
        if recording.refusals:
            raise recording.refusals[0]
        return result

    return copy_context().run(call)


def expect_unit_quaternions(chain: Chain, q: Any) -> None:
    """Note that quaternions must have length one, to within half of what the checks allow."""
    for joint, columns, _ in chain.groups:
        if joint.quaternion:
            x = q[..., columns][..., list(joint.quaternion)]
            off = (x * x).sum(-1) - 1
            _ops.expect(1e-12 - off * off)


def recorded_by_kind(
    function: Callable[..., Any],
    chain: Chain,
    recording: Recording,
    arrays: dict[str, tuple[Any, ...]],
    options: dict[str, Any],
) -> Recorded:
    """Record once for every kind of link."""
    given = {
        name: argument(chain, recording, k, core) for k, (name, core) in enumerate(arrays.items())
    }
    ghost, walker = ghost_chain(chain, recording), Walker(recording)
    result = called(function, ghost, recording, arrays, given, options, walker)
    return finished(chain, recording, arrays, result)


def recorded_link_by_link(
    function: Callable[..., Any],
    chain: Chain,
    arrays: dict[str, tuple[Any, ...]],
    options: dict[str, Any],
    most: int | None = None,
) -> Recorded:
    """Record every link by itself: text as long as the chain; most : as for `Tape`."""
    recording = Recording(Tape(most=most), (), np.zeros(0, int))
    given = {}
    for k, (name, core) in enumerate(arrays.items()):
        shape = shape_of(chain, core)
        entries = np.empty(shape, object)
        entries.reshape(-1)[:] = [
            recording.tape.unknown("input", k, "", 0, j, 0) for j in range(entries.size)
        ]
        given[name] = entries[list(core[0])] if core and isinstance(core[0], tuple) else entries
    try:
        ghost = straight_chain(chain, recording)
        result = called(function, ghost, recording, arrays, given, options, None)
        recorded = finished(chain, recording, arrays, result)
    except CannotRecord:
        raise
    except Exception as error:  # of whatever kind: the function itself says it of numbers
        raise CannotRecord(in_one_line(f"{type(error).__name__}: {error}")) from error
    if len(recorded.plan.live) > MOST_LIVE:
        raise CannotRecord(f"it takes {len(recorded.plan.live)} operations, link by link")
    return recorded


def finished(
    chain: Chain, recording: Recording, arrays: dict[str, tuple[Any, ...]], result: Any
) -> Recorded:
    """Put a recording in order; what is expected of it is its last result."""
    outputs, shapes = outputs_of(chain, recording, result)
    recording.expect_what_was_left_out()
    expected = list({x.index: x for x in recording.tape.expectations}.values())
    outputs += [Output(len(shapes), x, None, "", 0, k, 0) for k, x in enumerate(expected)]
    shapes.append((len(expected),))
    plan = put_in_order(recording, outputs)
    return Recorded(plan, [shape_of(chain, core) for core in arrays.values()], shapes, result)


def shape_of(chain: Chain, core: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the shape of an argument as the program takes it."""
    if core and isinstance(core[0], tuple):
        return (chain.nv,)
    sizes = {"n": chain.n, "nq": chain.nq, "nv": chain.nv}
    return tuple(sizes.get(c, c) for c in core)


def model_tables(recorded: Recorded, chain: Chain) -> tuple[Array, Array, Array]:
    """Return the table of links, six integers each, and the numbers of the model: of the links, and of nobody's."""
    plan = recorded.plan
    recording = plan.recording
    value = of_the_model(plan, recording.columns, recording.shared)
    common = np.array([*(value[i] for i in plan.common), *asked_of(plan), 0.0])
    tree = np.zeros((chain.n, 6), np.int64)
    kinds = recording.kind
    if not len(kinds):
        return tree, np.zeros(1), common
    width = {k: len(plan.data.get(k, {})) for k in plan.widths}
    tree[:, 0], tree[:, 1] = chain.parent, kinds
    tree[:, 2] = np.r_[0, np.cumsum([width[int(k)] for k in kinds])[:-1]]
    tree[:, 3] = plan.carried + np.r_[0, np.cumsum([plan.widths[int(k)] for k in kinds])[:-1]]
    tree[:, 4] = [c.start for c in chain.q_columns]
    tree[:, 5] = [c.start for c in chain.v_columns]
    data = np.zeros(sum(width[int(k)] for k in kinds) + 1)
    for kind, columns in plan.data.items():
        starts = tree[recording.members(kind), 2]
        for index, at in columns.items():
            data[starts + at] = value[index]
    return tree, data, common


def asked_of(plan: Plan) -> list[float]:
    """Return what the program that another one asks reads of the model; it has no loops, so all is nobody's."""
    if plan.asked is None:
        return []
    own = plan.asked.plan
    value = of_the_model(own, own.recording.columns, own.recording.shared)
    return [value[i] for i in own.common]


def kernel_for(
    function: Callable[..., Any],
    chain: Chain,
    cores: dict[str, tuple[Any, ...]],
    options: dict[str, Any],
    *,
    lanes: bool,
    open_model: bool = False,
    short: bool = False,
    along: Sequence[bool] | None = None,
) -> tuple[Kernel, Any]:
    """Return a function as machine code, and how its results are put together: recorded and compiled now or earlier.

    lanes : whether for batches, some states side by side; open_model, short : as for `record`; along : as for
    `c_program`.
    """
    key = store.key_of(function, chain, (lanes, open_model, cores, options))

    def made() -> Recorded:
        given = function, chain, cores, options
        return record(*given, open_model=open_model, straight=MOST_STRAIGHT, short=short)

    return kernel_of(made, key, chain, lanes, along)


def length_of_records(plan: Plan) -> int:
    """Return how many numbers the records of the ground and of all links hold."""
    return plan.carried + sum(plan.widths[int(k)] for k in plan.recording.kind)


def kernel_of(
    recorded_now: Callable[[], Recorded],
    key: str | None,
    chain: Chain,
    lanes: bool,
    along: Sequence[bool] | None = None,
    inverse: bool = False,
) -> tuple[Kernel, Any]:
    """Return what is kept under this key, or record it, compile it and keep it; a key of None keeps nothing.

    With it comes how the results are put together. lanes, along, inverse : as for `c_program`.
    """
    if key is not None and (kept := store.found(key)) is not None:
        return kept
    recorded = recorded_now()
    plan, inputs, outputs = recorded.plan, recorded.inputs, recorded.outputs
    counts = len(inputs), len(outputs)
    program = built(c_program(plan, *counts, lanes=lanes, along=along, inverse=inverse))
    room = length_of_records(plan)
    sizes = [chain.n, chain.nq, chain.nv, room]
    tables = model_tables(recorded, chain)
    kernel = Kernel(opened(program), sizes, inputs, outputs, room, *tables)
    if key is not None:
        store.keep(key, program, kernel, recorded.nest)
    return kernel, recorded.nest


# derivatives


def tangent_core(core: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the shape of a direction in which an argument changes: of places, a joint velocity."""
    return ("nv",) if core == ("nq",) else core


def tangent_record(
    function: Callable[..., Any],
    chain: Chain,
    cores: dict[str, tuple[Any, ...]],
    options: dict[str, Any],
    straight: int,
    judged: bool,
    open_model: bool = False,
) -> Recorded:
    """Record how the results of a function change with its arguments: it takes these, and directions after them.

    Places (nq,) change along `integrate`. judged : whether what is expected of the results is a last result here too;
    open_model : as for `record`.
    """
    directions = {f"{name} changes": tangent_core(core) for name, core in cores.items()}

    def with_changes(chain: Chain, **given: Any) -> Any:
        own = {name: given[name] for name in cores}
        result = function(chain, **own, **options)
        rates = []
        for name, core in cores.items():
            rate = given[f"{name} changes"]
            place = core == ("nq",)
            rates.append((own[name], coordinate_rate(chain, own[name], rate) if place else rate))
        return result, tuple(rates)

    given = cores | directions
    recorded = record(with_changes, chain, given, {}, open_model=open_model, straight=straight)
    recording, outputs = recorded.plan.recording, recorded.plan.outputs
    result, _ = recorded.nest
    count = len(leaves_of(result))
    seeds = seeds_among([o for o in outputs if o.result >= count], count, len(cores))
    expected = [
        replace(o, result=count)
        for o in outputs
        if judged and o.result == len(recorded.outputs) - 1
    ]
    if not judged:
        recording.tape.expectations.clear()
    slopes = slopes_of_outputs(recording, [o for o in outputs if o.result < count], seeds)
    plan = put_in_order(recording, [*slopes, *expected])
    return Recorded(plan, recorded.inputs, [*recorded.outputs[:count], (len(expected),)], result)


def seeds_among(outputs: Sequence[Output], first: int, pairs: int) -> dict[int, Number]:
    """Return the change of each number of the arguments, by its index.

    outputs : from the result `first` on, for each argument its own numbers, then their changes.
    """
    by_result: dict[int, list[Number]] = {}
    for o in outputs:
        by_result.setdefault(o.result - first, []).append(o.number)
    return {
        x.index: rate
        for k in range(pairs)
        for x, rate in zip(by_result.get(2 * k, []), by_result.get(2 * k + 1, []), strict=True)
        if x.op == "input"
    }


def tangent_kernel(
    function: Callable[..., Any],
    chain: Chain,
    cores: dict[str, tuple[Any, ...]],
    options: dict[str, Any],
    *,
    judged: bool = False,
    inverse: bool = False,
) -> tuple[Kernel, Any]:
    """Return the changes of a function's results as machine code, recorded and compiled now or earlier.

    judged : as for `tangent_record`; inverse : as for `c_slopes`.
    """
    key = store.key_of(function, chain, ("changes", judged, inverse, cores, options))

    def made() -> Recorded:
        recorded = tangent_record(function, chain, cores, options, MOST_STRAIGHT, judged)
        if not recorded.plan.recording.parent and not recorded.plan.straight:
            recorded = tangent_record(function, chain, cores, options, 0, judged)
        if len(recorded.plan.live) > MOST_LIVE:
            raise CannotRecord(f"it takes {len(recorded.plan.live)} operations")
        return recorded

    along = [core == ("nq",) for core in cores.values()]
    return kernel_of(made, key, chain, True, along, inverse)


def kernel_of_one(kernel: Kernel, count: int) -> Kernel:
    """Return the kernel of one state whose last inputs are taken along all unit vectors: `one` of `c_slopes`.

    count : of these inputs. For each of them and each result there is an array, the unit vectors last.
    """
    own, directions = kernel.inputs[:-count], kernel.inputs[-count:]
    outputs = [(*shape, int(np.prod(turn))) for turn in directions for shape in kernel.outputs[:-1]]
    room = (kernel.room + int(kernel.lengths[4:].sum()) + 1) * LANES
    return replace(kernel, inputs=own, outputs=[*outputs, kernel.outputs[-1]], room=room)


@dataclass(frozen=True, eq=False)
class DerivativePrograms:
    """The derivatives of a function's results, compiled for some of its arguments.

    program : in any directions, of which as many follow as there are arguments; one : in all, of one state; columns :
    for each argument which of the directions are its own, None if all are; inverse : as for `c_slopes`.
    """

    program: Program
    one: Kernel
    columns: list[Array | None]
    inverse: bool = False

    def of(
        self, values: Sequence[Array], batch: tuple[int, ...], threads: int
    ) -> tuple[list[Array], bool]:
        """Return the changes (..., *shape, directions), by argument and result, and whether some are no numbers."""
        if not batch:
            return self.one.one(values)
        kernel, half = self.program.kernel, len(values)
        shapes, wrong = kernel.inputs[half:], False
        results = [np.empty((*batch, *shape)) for shape in self.one.outputs[:-1]]
        parts = len(kernel.outputs) - 1
        for a, shape in enumerate(shapes):
            for j in range(int(np.prod(shape))):
                directions = [np.zeros(s) for s in shapes]
                directions[a].reshape(-1)[j] = 1
                found, bad = run(kernel, [*values, *directions], batch, threads)
                wrong |= bad
                for r, x in enumerate(found):
                    results[a * parts + r][..., j] = x.reshape((*batch, *x.shape[1:]))
        return (results, wrong) if wrong or not self.inverse else solved(*results)

    def sorted_out(self, slopes: Sequence[Array]) -> tuple[Any, ...]:
        """Return changes put together as results are, for each argument, the directions in its own shape."""
        parts, whole = len(self.program.kernel.outputs) - 1, []
        turns = self.program.kernel.inputs[len(self.columns) :]
        for a, (columns, turn) in enumerate(zip(self.columns, turns, strict=True)):
            own = slopes[a * parts : (a + 1) * parts]
            shaped = [
                x.reshape((*x.shape[:-1], *turn)) if columns is None else x[..., columns]
                for x in own
            ]
            whole.append(with_leaves(self.program.nest, iter(shaped)))
        return tuple(whole)


def derivative_programs(
    kernel: Kernel, nest: Any, cores: dict[str, tuple[Any, ...]], chain: Chain, inverse: bool
) -> DerivativePrograms:
    """Return the derivatives that a kernel of `tangent_kernel` computes for some arguments."""
    program = Program(kernel, tuple(cores), tuple(cores.values()), nest)
    some = [core[0] if core and isinstance(core[0], tuple) else None for core in cores.values()]
    columns = [None if x is None else np.array(x, int) for x in some]
    one = kernel_of_one(kernel, len(cores))
    if inverse:
        one = replace(one, room=one.room + chain.nv**2)
    return DerivativePrograms(program, one, columns, inverse)


def solved(along_q: Array, along_qd: Array, M: Array) -> tuple[list[Array], bool]:
    """Return -M^-1 times the first two (..., nv, nv), and M^-1, and whether there is no such matrix."""
    try:
        inverse = np.linalg.inv(M)
    except np.linalg.LinAlgError:
        return [along_q, along_qd, M], True
    found = [-inverse @ along_q, -inverse @ along_qd, inverse]
    return found, not all(np.isfinite(x).all() for x in found)


@dataclass(frozen=True, eq=False, repr=False)
class Differentiated:
    """A function of a chain with its derivatives, as machine code: called like the function, without the chain.

    inverse : as for `c_slopes`.
    """

    whole: Compiled
    inverse: bool = False
    made: dict[Any, DerivativePrograms] = field(default_factory=dict, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return anew(self.whole, derivatives=True)

    def __repr__(self) -> str:
        return f"<{name_of(self.whole.function)} and its derivatives, compiled for {self.whole.chain.n} links>"

    @property
    def runs(self) -> Runs:
        """How often the function itself, not its derivatives, ran in its program, and how often as it stands."""
        return self.whole.runs

    @cached_property
    def value(self) -> Any:
        """The function as machine code."""
        return self.whole.quick() or self.whole

    @cached_property
    def quick(self) -> Any:
        """The derivatives as machine code: without Python in between, of one state, if the result is one array."""
        whole = self.whole
        names = whole.required()
        try:
            own = None if names is None else self.slopes_for(dict.fromkeys(names), {})
        except RuntimeError:  # it may want options
            own = None
        simple = own is not None and isinstance(own.program.nest, Opaque | np.ndarray)
        flat = own is not None and all(len(turn) == 1 for turn in own.program.kernel.inputs)
        return (own.one.quick(self.derivatives, True) if own and simple and flat else None) or (
            self.derivatives
        )

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Any, tuple[Any, ...]]:
        """Return what the function does, and how that changes with each argument that is an array."""
        result = self.value(*args, **kwargs)  # which finds what is bad
        return result, (self.derivatives if kwargs else self.quick)(*args, **kwargs)

    def derivatives(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return how the function changes with each argument that is an array. ValueError if that is not finite."""
        whole = self.whole
        arrays, options = whole.sorted_out(whole.signature.bind(*args, **kwargs).arguments)
        slopes = self.slopes_for(arrays, options)
        prepared = prepare(slopes.program, whole.chain, arrays)
        if prepared is None:
            raise ValueError("derivatives are of floats, but an argument is of another kind")
        batch, values = prepared
        found, wrong = slopes.of(values, batch, whole.threads)
        if wrong:
            raise ValueError("the derivatives are not finite there")
        return slopes.sorted_out(found)

    def slopes_for(self, arrays: dict[str, Any], options: dict[str, Any]) -> DerivativePrograms:
        """Return the derivatives for these arguments, recorded and compiled at first; RuntimeError if that fails."""
        key = (tuple(arrays), tuple((k, comparable(v)) for k, v in sorted(options.items())))
        if key not in self.made:
            whole = self.whole
            cores = {name: whole.core(name, options) for name in arrays}
            try:
                kernel, nest = tangent_kernel(
                    whole.function, whole.chain, cores, options, inverse=self.inverse
                )
            except (CannotRecord, NoCompiler) as error:
                name = name_of(whole.function)
                raise RuntimeError(f"the derivatives of {name} are not compiled: {error}") from None
            self.made[key] = derivative_programs(kernel, nest, cores, whole.chain, self.inverse)
        return self.made[key]


@dataclass(frozen=True, eq=False, repr=False)
class DifferentiatedInverse(Differentiated):
    """Forward dynamics with its derivatives, by those of the forces that its accelerations take.

    forces : inverse dynamics, differentiated and solved for accelerations.
    """

    @cached_property
    def forces(self) -> Differentiated:
        """Inverse dynamics with its derivatives, solved for the accelerations."""
        whole = self.whole
        function = alternative(INVERSES, whole.function) or whole.function
        shapes = {**whole.shapes, "qdd": ("nv",)}
        own = Compiled(function, whole.chain, whole.threads, shapes, whole.open_model)
        return Differentiated(own, True)

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Any, tuple[Any, ...]]:
        """Return the accelerations, and how they change with each argument that is an array."""
        result = self.value(*args, **kwargs)
        if kwargs or len(args) != 3:
            given = self.whole.signature.bind(*args, **kwargs).arguments
            if given.get("external") is not None:
                return super().__call__(*args, **kwargs)
            args = given.pop("q"), given.pop("qd"), given.pop("tau")
            return result, self.forces.derivatives(*args[:2], result, **given)
        return result, self.forces.quick(*args[:2], result)


# the public function


@dataclass(frozen=True, eq=False)
class Program:
    """A function compiled for some of its arguments: which, their shapes, and how its results are put together."""

    kernel: Kernel
    names: tuple[str, ...]
    places: tuple[Any, ...]
    nest: Any

    @property
    def single(self) -> Kernel:
        """What computes one state."""
        return self.kernel

    def computed(
        self, values: Sequence[Array], batch: tuple[int, ...], threads: int
    ) -> tuple[list[Array], bool]:
        """Return the results of one state or of a batch, and whether some are not to be trusted."""
        return run(self.kernel, values, batch, threads)

    def assembled(self, arrays: Sequence[Array], batch: tuple[int, ...]) -> Any:
        """Return results in the form that the function gives them."""
        whole = [x.reshape((*batch, *x.shape[1:])) if batch else x for x in arrays]
        return with_leaves(self.nest, iter([x if x.ndim else x[()] for x in whole]))

    def quick(self, whole: Compiled) -> Any:
        """Return a callable that goes straight to the program, or to the whole function; None if it cannot be made."""
        return whole.door_to(self.single, isinstance(self.nest, tuple))


@dataclass(frozen=True, eq=False)
class ProductProgram(Program):
    """A matrix (nv, nv) by its products with all unit vectors, side by side; the kernel takes one more argument."""

    @cached_property
    def single(self) -> Kernel:
        """What computes one state."""
        return kernel_of_one(self.kernel, 1)

    def computed(
        self, values: Sequence[Array], batch: tuple[int, ...], threads: int
    ) -> tuple[list[Array], bool]:
        """Return the matrix of one state or of a batch, and whether it is not to be trusted."""
        if not batch:
            return self.single.one(values)
        (nv,) = self.kernel.inputs[-1]
        count = int(np.prod(batch))
        own = [
            np.repeat(x, nv, axis=0) if x.ndim > len(shape) else x
            for x, shape in zip(values, self.kernel.inputs, strict=False)
        ]
        columns = np.tile(np.eye(nv), (count, 1))
        (rows,), wrong = run(self.kernel, [*own, columns], (count * nv,), threads)
        return [rows.reshape((count, nv, nv)).mT], wrong


@dataclass(frozen=True, eq=False)
class SlopeProgram(Program):
    """What returns the derivatives of a function, by the slopes of that function's recording.

    forward : what computes the accelerations that the slopes take in place of the forces, if they do.
    """

    slopes: DerivativePrograms
    forward: Program | None

    def computed(
        self, values: Sequence[Array], batch: tuple[int, ...], threads: int
    ) -> tuple[list[Array], bool]:
        """Return the derivatives of one state or of a batch, and whether they are not to be trusted."""
        doubtful = False
        if self.forward is not None:
            (qdd,), doubtful = self.forward.computed(values, batch, threads)
            values = [*values[:-1], qdd]
        found, wrong = self.slopes.of(values, batch, threads)
        found = [x.reshape((-1, *x.shape[len(batch) :])) if batch else x for x in found]
        return found, doubtful or wrong

    def quick(self, whole: Compiled) -> Any:
        """Return a callable that goes straight to the programs, or to the whole function; None if it cannot be made."""
        if self.forward is None:
            return whole.door_to(self.slopes.one, True)
        forward = self.forward.kernel.quick(nothing, False)
        slopes = whole.door_to(self.slopes.one, True, nothing)
        return None if forward is None or slopes is None else OneAfterOther(forward, slopes, whole)


@dataclass(frozen=True, eq=False, repr=False)
class OneAfterOther:
    """The quick way to derivatives of accelerations: first the accelerations, then their slopes, else the whole."""

    forward: Callable[..., Any] = field(compare=False)
    slopes: Callable[..., Any] = field(compare=False)
    whole: Compiled

    def __reduce__(self) -> tuple[Any, ...]:
        return anew(self.whole)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the whole function does."""
        qdd = None if kwargs else self.forward(*args)
        found = None if qdd is None else self.slopes(*args[:-1], qdd)
        return self.whole(*args, **kwargs) if found is None else found

    def __repr__(self) -> str:
        return repr(self.whole)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.whole, name)


def product_program(
    product: Callable[..., Any],
    chain: Chain,
    cores: dict[str, tuple[Any, ...]],
    options: dict[str, Any],
    open_model: bool,
) -> ProductProgram:
    """Return the program of a matrix whose product with the argument `column` a function gives."""
    given = cores | {"column": ("nv",)}
    kernel, nest = kernel_for(
        product, chain, given, options, lanes=True, open_model=open_model, along=[True]
    )
    return ProductProgram(kernel, tuple(cores), tuple(cores.values()), nest)


def slope_program(
    source: Callable[..., Any],
    chain: Chain,
    cores: dict[str, tuple[Any, ...]],
    options: dict[str, Any],
    lanes: bool,
) -> SlopeProgram:
    """Return the program of the derivatives of a function by its arguments."""
    named, forward = (tuple(cores), tuple(cores.values())), None
    forces = alternative(INVERSES, source)
    if forces is not None:
        of_forces, nest = kernel_for(source, chain, cores, options, lanes=lanes)
        forward = Program(of_forces, *named, nest)
        cores = {"qdd" if k == "tau" else k: core for k, core in cores.items()}
    inverse = forward is not None
    kernel, nest = tangent_kernel(
        forces or source, chain, cores, options, judged=not inverse, inverse=inverse
    )
    slopes = derivative_programs(kernel, nest, cores, chain, inverse)
    return SlopeProgram(kernel, *named, (nest,) * len(cores), slopes, forward)


def nothing(*_: Any, **__: Any) -> None:
    """Return None: the program has no answer."""


class Runs(NamedTuple):
    """How many states a compiled function gave to its program, and how many the function itself did."""

    compiled: int
    interpreted: int


@dataclass(frozen=True, eq=False, repr=False)
class Compiled:
    """A function of a chain as machine code: called like the function, without the chain.

    programs : by arguments and options; doors : the kernels that are called without Python, which count for themselves;
    counts : of the other states, how many were compiled and how many interpreted.
    """

    function: Callable[..., Any]
    chain: Chain
    threads: int = field(compare=False)  # no result hangs on it
    shapes: dict[str, tuple[Any, ...]]
    open_model: bool = False
    programs: dict[Any, Program | None] = field(default_factory=dict, compare=False)
    doors: list[Kernel] = field(default_factory=list, compare=False)
    counts: list[int] = field(default_factory=lambda: [0, 0], compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return anew(self)

    @property
    def runs(self) -> Runs:
        """How many states ran in the program so far, and how many as the function stands."""
        own, interpreted = self.counts
        return Runs(own + sum(int(k.room_of_door[0][0]) for k in self.doors), interpreted)

    def door_to(self, kernel: Kernel, several: bool, fallback: Any = None) -> Any:
        """Return a callable that goes straight to a kernel, or to the fallback, this if None; None if there is none."""
        if kernel not in self.doors:
            kernel.room_of_door[0][0] = 0
            self.doors.append(kernel)
        return kernel.quick(self if fallback is None else fallback, several)

    @cached_property
    def signature(self) -> inspect.Signature:
        """The arguments of the function but the chain."""
        whole = inspect.signature(self.function)
        return whole.replace(parameters=list(whole.parameters.values())[1:])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function does, to rounding."""
        given = self.signature.bind(*args, **kwargs).arguments
        arrays, options = self.sorted_out(given)
        lanes = any(np.ndim(x) > len(self.core(name, options)) for name, x in arrays.items())
        program = self.program(arrays, options, lanes)
        prepared = None if program is None else prepare(program, self.chain, arrays)
        if program is not None and prepared is not None:
            batch, values = prepared
            results, wrong = program.computed(values, batch, self.threads)
            self.counts[bool(wrong)] += int(np.prod(batch))
            if not wrong:
                return program.assembled(results, batch)
        else:
            self.counts[1] += self.states_in(arrays, options)
        # something is not as it must be: the function itself says what, or judges it at leisure
        return self.function(self.chain, **given)

    def __repr__(self) -> str:
        return f"<{name_of(self.function)}, compiled for {self.chain.n} links>"

    def states_in(self, arrays: dict[str, Any], options: dict[str, Any]) -> int:
        """Return how many states arguments hold, 1 if they do not fit each other."""
        try:
            shapes = [
                np.shape(x)[: np.ndim(x) - len(self.core(k, options))] for k, x in arrays.items()
            ]
            return int(np.prod(np.broadcast_shapes(*shapes)))
        except ValueError:
            return 1

    def sorted_out(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the arguments that are arrays, and the others, by name."""
        arrays = {k: v for k, v in given.items() if k in self.shapes and v is not None}
        return arrays, {k: v for k, v in given.items() if k not in arrays}

    def program(
        self, arrays: dict[str, Any], options: dict[str, Any], lanes: bool, loud: bool = True
    ) -> Program | None:
        """Return the program for these arguments, recorded and compiled at first; None if it cannot be.

        lanes : whether there is a batch; loud : whether a warning says so.
        """
        try:
            said = tuple((k, comparable(v)) for k, v in sorted(options.items()))
            key = (lanes, tuple(arrays), said)
        except TypeError:  # an option that cannot be compared
            return None
        if key not in self.programs:
            program = self.made(arrays, options, lanes, loud)
            if program is None and not loud:
                return None
            self.programs[key] = program
        return self.programs[key]

    def made(
        self, arrays: dict[str, Any], options: dict[str, Any], lanes: bool, loud: bool
    ) -> Program | None:
        """Record and compile for these arguments; None, with a warning, where that cannot be done."""
        cores = {name: self.core(name, options) for name in arrays}
        words = getattr(self.function, "words", {})
        for name in words.keys() & options.keys():
            check_word(options[name], name, words[name])
        try:
            return self.program_of(cores, options, lanes)
        except (CannotRecord, NoCompiler) as error:
            if not loud:
                return None
            warnings.warn(
                f"{name_of(self.function)} is not compiled, and runs as it stands: {error}",
                RuntimeWarning,
                stacklevel=4,
            )
            return None

    def program_of(
        self, cores: dict[str, tuple[Any, ...]], options: dict[str, Any], lanes: bool
    ) -> Program:
        """Return the program: as the function stands or, where that takes too much text, by products or slopes."""
        product = alternative(PRODUCTS, self.function)
        plain = "external" not in cores and not self.open_model
        source = alternative(SLOPES, self.function) if plain else None
        try:
            kernel, nest = kernel_for(
                self.function,
                self.chain,
                cores,
                options,
                lanes=lanes,
                open_model=self.open_model,
                short=product is not None or source is not None,
            )
            return Program(kernel, tuple(cores), tuple(cores.values()), nest)
        except CannotRecord:
            if source is not None:
                return slope_program(source, self.chain, cores, options, lanes)
            if product is not None:
                return product_program(product, self.chain, cores, options, self.open_model)
            raise

    def for_chain(self, chain: Chain) -> Any:
        """Return the same for another chain with the same tree and kinds of joints; ValueError if it has not."""
        mine, others = ([type(j) for j in x.joints] for x in (self.chain, chain))
        if chain.parent != self.chain.parent or mine != others:
            raise ValueError(
                "the other chain has another tree or other joints: compile the function for it"
            )
        whole = Compiled(self.function, chain, self.threads, self.shapes, self.open_model)
        return whole.quick() or whole

    def required(self) -> list[str] | None:
        """Return the names of the required arguments, if all are arrays that may be given by position; else None."""
        required = [p for p in self.signature.parameters.values() if p.default is p.empty]
        plain = all(p.kind is p.POSITIONAL_OR_KEYWORD and p.name in self.shapes for p in required)
        return [p.name for p in required] if plain else None

    def quick(self) -> Any:
        """Return a quicker callable for one state given by position, if the required arguments are arrays."""
        names = self.required()
        program = None if names is None else self.program(dict.fromkeys(names), {}, False, False)
        if program is None or not (
            isinstance(program.nest, Opaque | np.ndarray) or is_flat_tuple(program.nest)
        ):
            return None
        return program.quick(self)

    def core(self, name: str, options: dict[str, Any]) -> tuple[Any, ...]:
        """Return the shape of an argument: of some velocities only, if the function is told so by a mask."""
        if "prescribed" in options and name in ("qdd", "tau"):
            mask = np.asarray(options["prescribed"], bool)
            return (tuple(np.flatnonzero(mask if name == "qdd" else ~mask).tolist()),)
        return self.shapes[name]


def anew(whole: Compiled, derivatives: bool = False) -> tuple[Any, ...]:
    """Return what makes a compiled function again, here or in another process: machine code cannot be sent."""
    make = partial(
        compiled,
        derivatives=derivatives,
        threads=whole.threads,
        parameters="data" if whole.open_model else "fixed",
        shapes=whole.shapes,
    )
    return make, (whole.function, whole.chain)


def name_of(function: Callable[..., Any]) -> str:
    """Return what to call a function in a message; partial functions and objects that are called have no name."""
    return str(getattr(function, "__name__", None) or type(function).__name__)


def is_flat_tuple(nest: Any) -> bool:
    """Whether results are several arrays, and nothing more."""
    return type(nest) is tuple and all(isinstance(x, Opaque | np.ndarray) for x in nest)


def comparable(value: Any) -> Any:
    """Return an option as a key: arrays and lists by their entries, others with their type, for True == 1."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return (value.shape, value.dtype.str, value.tobytes())
    if isinstance(value, np.ndarray | list):  # of objects: they, not where they lie
        return (type(value), *map(comparable, value))
    hash(value)
    return type(value), value


def prepare(
    program: Program, chain: Chain, arrays: dict[str, Any]
) -> tuple[tuple[int, ...], list[Array]] | None:
    """Return the batch axes of arguments, and these as the program takes them; None if the checks should see them."""
    values, batches = [], []
    for name, core in zip(program.names, program.places, strict=True):
        if (x := taken(chain, unmasked(arrays[name], name), core)) is None:
            return None
        values.append(x)
        batches.append(x.shape[: x.ndim - len(shape_of(chain, core))])
    try:
        batch = np.broadcast_shapes(*batches)
    except ValueError:
        return None
    return batch, [spread(x, own, batch) for x, own in zip(values, batches, strict=True)]


def taken(chain: Chain, x: Array, core: tuple[Any, ...]) -> Array | None:
    """Return an argument (..., *core) as floats, all velocities where some were given; None if checks should see it."""
    if x.dtype.kind not in "iuf" or x.dtype.itemsize > 8:
        return None
    some = bool(core) and isinstance(core[0], tuple)
    own = (len(core[0]),) if some else shape_of(chain, core)
    lead = x.ndim - len(own)
    if lead < 0 or x.shape[lead:] != own:
        return None
    x = x.astype(float, copy=False)
    if not some:
        return x
    whole = np.zeros((*x.shape[:-1], chain.nv))
    whole[..., list(core[0])] = x
    return whole


def spread(x: Array, own: tuple[int, ...], batch: tuple[int, ...]) -> Array:
    """Return an argument (*own, ...) with one axis for the whole batch, or with none if all states share it."""
    core = x.shape[len(own) :]
    if not own:
        return np.ascontiguousarray(x)
    if own != batch:
        x = np.broadcast_to(x, (*batch, *core))
    return np.ascontiguousarray(x).reshape((-1, *core))


def run(
    kernel: Kernel, values: Sequence[Array], batch: tuple[int, ...], threads: int
) -> tuple[list[Array], bool]:
    """Return the results of one state, or of a batch on some threads, and whether some are not to be trusted."""
    if not batch:
        return kernel.one(values)
    count = int(np.prod(batch))
    results = [np.empty((count, *shape)) for shape in kernel.outputs[:-1]]
    strides = [
        x.size // count if x.ndim > len(s) and count else 0
        for x, s in zip(values, kernel.inputs, strict=True)
    ]

    def work(piece: tuple[int, int]) -> bool:
        return kernel.many(values, strides, results, *piece)

    return results, shared_out(work, count, min(threads, count // 64))


def shared_out(work: Callable[[tuple[int, int]], bool], count: int, threads: int) -> bool:
    """Do some work on all states, in as many pieces as threads, each of whole lanes; return whether one says yes."""
    cuts = np.linspace(0, -(-count // LANES), max(threads, 1) + 1).astype(int) * LANES
    pieces = [
        (a, min(b, count))
        for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
        if a < b
    ]
    if len(pieces) <= 1:
        return any(work(p) for p in pieces)
    with ThreadPoolExecutor(len(pieces)) as pool:
        return any(list(pool.map(work, pieces)))


def compiled(
    function: Callable[..., Any],
    chain: Chain,
    *,
    target: str = "native",
    derivatives: bool = False,
    threads: int | None = None,
    parameters: str = "fixed",
    shapes: dict[str, tuple[Any, ...]] | None = None,
) -> Any:
    """Return a function of a chain, such as `aba`, as machine code: it takes what the function takes but the chain.

    function : of the package, or one's own made of such; chain : it is compiled for; threads : that a batch of states
    is shared among, all cores if None; shapes : of arguments that are arrays, by name, where the function's checks or
    the usual names do not tell: ("nq",), ("nv",), ("n", 6), (3,) or () for a number. Other arguments are options: for
    each set of them the function is recorded once, when it is first called so. parameters : "data" leaves the numbers
    of the model out of the program, so that `for_chain(other)` serves other chains of the same tree and joints without
    compiling. derivatives : each call gives a pair, the result and a tuple of its derivatives by each argument that is
    an array, in order: (..., *shape of the result, *shape of the argument), by q along `integrate`, (..., nv). They
    need a compiler (RuntimeError), and end where they are not finite (ValueError). target : "javascript" gives the text
    of an ES module instead, whose default export takes the required arguments. One state or a batch, the same results
    to rounding, and the same errors: what is doubtful is given to the function itself. `runs` says how many states the
    program computed so far, and how many the function did. RuntimeWarning, once, if a function cannot be recorded, or
    if there is no C compiler.
    """
    check_chain(chain)
    if not callable(function):
        raise ValueError(
            f"function is {function!r}, but must be a function of a chain, such as aba"
        )
    for name, value, words in (
        ("target", target, {"native", "javascript"}),
        ("parameters", parameters, {"fixed", "data"}),
        ("derivatives", derivatives, FLAGS),
    ):
        check_word(value, name, words)
    check_numbers(chain)
    names = list(inspect.signature(function).parameters)[1:]
    known = SHAPES | cores_of(function) | check_shapes(shapes, names)
    count = check_threads(threads)
    own = {name: shape for name, shape in known.items() if name in names}
    whole = Compiled(function, chain, count, own, parameters == "data")
    if derivatives:
        if target != "native" or parameters != "fixed":
            raise ValueError('derivatives need target="native" and parameters="fixed"')
        return (DifferentiatedInverse if alternative(INVERSES, function) else Differentiated)(whole)
    return javascript(whole) if target == "javascript" else whole.quick() or whole


def javascript(whole: Compiled) -> str:
    """Return an ES module whose default export is the function: it takes and gives arrays of numbers, for one state."""
    required = [p for p in whole.signature.parameters.values() if p.default is p.empty]
    if missing := [p.name for p in required if p.name not in whole.shapes]:
        raise ValueError(f"the shapes of {missing} are not known: name them in shapes")
    cores = {p.name: whole.shapes[p.name] for p in required}
    recorded = record(whole.function, whole.chain, cores, {}, open_model=whole.open_model)
    plan, chain = recorded.plan, whole.chain
    tree, data, common = model_tables(recorded, chain)
    keep = length_of_records(plan)
    room = keep + max(plan.kept, 1)
    lengths = recorded.lengths
    names = ",".join(f"a{k}" for k in range(len(cores)))
    word = name_of(whole.function)
    return f"""// {word if word.isidentifier() else "a function"} of a chain, recorded
{js_kernel(plan, "kernel", len(lengths[0]), len(lengths[1]))}
const floats=(x)=>Float64Array.from(x);
const sizes=[{chain.n},{chain.nq},{chain.nv},{keep}],lengths={lengths[0]};
const tree=Int32Array.from({tree.ravel().tolist()});
const D=floats({numbers_in(data)}),G=floats({numbers_in(common)});
const w=new Float64Array({room});
export default function({names}){{
  const inputs=[{names}].map((x)=>typeof x==="number"?[x]:x);
  inputs.forEach((x,k)=>{{
    if(x.length!==lengths[k])
      throw new RangeError(`argument ${{k}} has ${{x.length}} numbers, but must have ${{lengths[k]}}`);
  }});
  const outputs={lengths[1]}.map((size)=>new Float64Array(size));
  kernel(sizes,tree,D,G,inputs,outputs,w);
  if(!outputs.pop().every((x)=>x>0))
    throw new RangeError("no answer: an argument is not allowed, or some joint feels no inertia");
  return outputs.length===1?outputs[0]:outputs;
}}
"""


def numbers_in(x: Array) -> str:
    """Return numbers as JSON has them."""
    return json.dumps(x.tolist())


def cores_of(function: Callable[..., Any]) -> dict[str, tuple[Any, ...]]:
    """Return the shapes that a function's checks know of its arguments."""
    known: dict[str, tuple[Any, ...]] = getattr(function, "cores", {})
    return known


def forward_dynamics(chain: Chain, function: Callable[..., Array] = aba) -> Callable[..., Array]:
    """Return `aba`, or another function like it, compiled for a chain: once for each chain."""
    own = chain.__dict__.setdefault("programs", {})
    if function not in own:
        spans = "h" in inspect.signature(function).parameters
        own[function] = compiled(function, chain, shapes={"h": ()} if spans else None)
    forward: Callable[..., Array] = own[function]
    return forward
