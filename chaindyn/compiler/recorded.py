"""Functions of a chain, recorded: by kinds of link, or link by link where that is short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn import _ops
from chaindyn.compiler import store
from chaindyn.compiler.c import c_program
from chaindyn.compiler.ghosts import (
    argument,
    finer,
    first_kinds,
    ghost_chain,
    outputs_of,
    straight_chain,
)
from chaindyn.compiler.native import Kernel, built, opened
from chaindyn.compiler.plan import MOST_STRAIGHT, Output, Plan, of_the_model, put_in_order
from chaindyn.compiler.recording import CannotRecord, Tape, at_a_stretch, quietly
from chaindyn.compiler.repeated import entries_of
from chaindyn.compiler.rolled import Recording, Refine, leaves_of, with_leaves
from chaindyn.compiler.walks import Walker
from chaindyn.compiler.ways import Chain
from chaindyn.guards.door import _inside

__all__: list[str] = []

Array = Any


SIDE_BY_SIDE = (
    "-ftree-loop-vectorize",
    "-fvect-cost-model=dynamic",
)  # turns of a loop, where they can be
QUICKLY = ("-O1",)  # a third less of a compiler's time; programs of loops run as fast
MOST_AT_LEISURE = 5_000  # numbers of a program with loops that is not compiled so
MOST_LINKS_STRAIGHT = 12  # of chains that are tried without loops
FEW_LINKS = 4  # of chains for which nothing is looked at before
CLEARLY = 1.4  # so many times as many numbers as it may have link by link: then that is not tried
UNUSED = 4  # so many times as many may be recorded, of which some are not needed in the end
MUCH_TEXT = 20_000  # numbers of a program without loops from which on it is compiled so
MOST_LIVE = 40_000  # of numbers that results hang on: beyond, C compilers take minutes
MOST_LIVE_QUICKLY = 75_000  # the same of one program: some seconds, as `QUICKLY` does it
MOST_LIVE_IN_LOOPS = (
    120_000  # the same of a program with loops: half a minute, as `QUICKLY` does it
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


@at_a_stretch()
def record(
    function: Callable[..., Any],
    chain: Chain,
    arrays: dict[str, tuple[Any, ...]],
    options: dict[str, Any],
    *,
    open_model: bool = False,
    straight: int = 0,
    passing: bool = True,
) -> Recorded:
    """Record what a function does with a chain and arrays of these shapes.

    Once for every kind of link if it can be; else link by link. open_model : whether the program is to serve other
    chains of the same kinds of links too; straight : how many numbers a recording link by link may have to be taken
    nevertheless: it has fewer operations, since the first link and the last have less to do, and keeps nothing from
    loop to loop, but its text soon outgrows what processors hold ready; passing : as of `Recording`.
    """
    recorded = rolled = None
    if straight and not open_model and FEW_LINKS < chain.n <= MOST_LINKS_STRAIGHT:
        rolled = at_once(function, chain, arrays, options, passing)
        if rolled is not None and rolled.plan.link_by_link > CLEARLY * straight:
            return rolled
    if straight and not open_model and chain.n <= MOST_LINKS_STRAIGHT:
        try:
            recorded = recorded_link_by_link(function, chain, arrays, options, UNUSED * straight)
        except CannotRecord:
            pass
        if recorded is not None and len(recorded.plan.live) <= straight:
            return recorded
    if rolled is not None:
        return rolled
    kind, met = first_kinds(chain), None
    while True:
        try:
            recording = Recording(Tape(), chain.parent, kind, open=open_model, passing=passing)
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
    return recorded or recorded_link_by_link(function, chain, arrays, options)


def at_once(
    function: Callable[..., Any],
    chain: Chain,
    arrays: dict[str, tuple[Any, ...]],
    options: dict[str, Any],
    passing: bool,
) -> Recorded | None:
    """Return what is recorded once for every kind of joint; None if links of one kind differ, or it cannot be."""
    try:
        recording = Recording(Tape(), chain.parent, first_kinds(chain), passing=passing)
        return recorded_by_kind(function, chain, recording, arrays, options)
    except Exception:  # whatever it is: it is met again in what follows
        return None


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
    limit = MOST_LIVE_IN_LOOPS if recording.tape.loops else MOST_LIVE_QUICKLY
    if len(recorded.plan.live) > limit:
        raise CannotRecord(f"it takes {len(recorded.plan.live)} operations, link by link")
    return recorded


def finished(
    chain: Chain, recording: Recording, arrays: dict[str, tuple[Any, ...]], result: Any
) -> Recorded:
    """Put a recording in order; what is expected of it is its last result."""
    result = with_leaves(result, iter([entries_of(x) for x in leaves_of(result)]))
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
    # behind the links' six, where columns on their way to the ground stand
    behind = [x.ravel() for x in plan.branches] if plan.on_the_way else []
    return np.concatenate([tree.ravel(), *behind]).astype(np.int64), data, common


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
    along: Sequence[bool] | None = None,
) -> tuple[Kernel, Any]:
    """Return a function as machine code, and how its results are put together: recorded and compiled now or earlier.

    lanes : whether for batches, some states side by side; open_model : as for `record`; along : as for
    `c_program`.
    """
    key = store.key_of(function, chain, (lanes, open_model, cores, options))

    def made() -> Recorded:
        given = function, chain, cores, options
        return record(*given, open_model=open_model, straight=MOST_STRAIGHT)

    return kernel_of(made, key, chain, lanes, along)


def flags_for(plan: Plan) -> tuple[str, ...]:
    """Return what a compiler is told of a program beside the usual."""
    if not plan.recording.tape.loops:
        if len(plan.live) > MUCH_TEXT:
            return QUICKLY
        return SIDE_BY_SIDE if plan.on_the_way else ()
    return SIDE_BY_SIDE if len(plan.live) <= MOST_AT_LEISURE else (*QUICKLY, *SIDE_BY_SIDE)


def kernel_of(
    recorded_now: Callable[[], Recorded],
    key: str | None,
    chain: Chain,
    lanes: bool,
    along: Sequence[bool] | None = None,
) -> tuple[Kernel, Any]:
    """Return what is kept under this key, or record it, compile it and keep it; a key of None keeps nothing.

    With it comes how the results are put together. lanes, along : as for `c_program`.
    """
    if key is not None and (kept := store.found(key)) is not None:
        return kept
    recorded = recorded_now()
    plan, inputs, outputs = recorded.plan, recorded.inputs, recorded.outputs
    counts = len(inputs), len(outputs)
    text = c_program(plan, *counts, lanes=lanes, along=along)
    program = built(text, *flags_for(plan))
    sizes = [chain.n, chain.nq, chain.nv, plan.records]
    tables = model_tables(recorded, chain)
    kernel = Kernel(opened(program), sizes, inputs, outputs, plan.room, *tables)
    if key is not None:
        store.keep(key, program, kernel, recorded.nest)
    return kernel, recorded.nest
