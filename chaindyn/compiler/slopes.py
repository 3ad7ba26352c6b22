"""Recordings of derivatives, and the programs that compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chaindyn.compiler import store
from chaindyn.compiler.native import LANES, Kernel
from chaindyn.compiler.plan import MOST_STRAIGHT, Output, put_in_order
from chaindyn.compiler.programs import Program, run
from chaindyn.compiler.recorded import MOST_LIVE, Recorded, kernel_of, record
from chaindyn.compiler.recording import CannotRecord, Number
from chaindyn.compiler.rolled import leaves_of, with_leaves
from chaindyn.compiler.tangents import slopes_of_outputs
from chaindyn.compiler.ways import Chain, coordinate_rate

__all__: list[str] = []

Array = Any


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
    model: dict[str, Any] = {"open_model": open_model, "straight": straight, "passing": False}
    recorded = record(with_changes, chain, given, {}, **model)
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
) -> tuple[Kernel, Any]:
    """Return the changes of a function's results as machine code, recorded and compiled now or earlier."""
    key = store.key_of(function, chain, ("changes", cores, options))

    def made() -> Recorded:
        recorded = tangent_record(function, chain, cores, options, MOST_STRAIGHT, False)
        if not recorded.plan.recording.parent and not recorded.plan.straight:
            recorded = tangent_record(function, chain, cores, options, 0, False)
        if len(recorded.plan.live) > MOST_LIVE:
            raise CannotRecord(f"it takes {len(recorded.plan.live)} operations")
        return recorded

    along = [core == ("nq",) for core in cores.values()]
    return kernel_of(made, key, chain, True, along)


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
    for each argument which of the directions are its own, None if all are.
    """

    program: Program
    one: Kernel
    columns: list[Array | None]

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
        return results, wrong

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
    kernel: Kernel, nest: Any, cores: dict[str, tuple[Any, ...]]
) -> DerivativePrograms:
    """Return the derivatives that a kernel of `tangent_kernel` computes for some arguments."""
    program = Program(kernel, tuple(cores), tuple(cores.values()), nest)
    some = [core[0] if core and isinstance(core[0], tuple) else None for core in cores.values()]
    columns = [None if x is None else np.array(x, int) for x in some]
    return DerivativePrograms(program, kernel_of_one(kernel, len(cores)), columns)
