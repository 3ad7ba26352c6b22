"""Numbers and lines as text, the same for C and JavaScript but for their words."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from chaindyn.compiler.operations import FOLDS, IN_BOTH, IN_C, IN_JAVASCRIPT
from chaindyn.compiler.plan import Output, Plan, kind_that_has
from chaindyn.compiler.recording import Number

__all__: list[str] = []


def literal(value: float, infinity: str) -> str:
    """Return a number as text that stands for it exactly."""
    if value in (np.inf, -np.inf):
        return infinity if value > 0 else f"(-{infinity})"
    return f"({value!r})" if value < 0 else repr(value)


def address(base: str, times: int, plus: int, over: int) -> str:
    """Return the place of an entry: `times` after the link's own, `over` whole rows further."""
    if base == "":
        return str(plus)
    own, length = {"link": ("i", "n"), "q": ("q", "nq"), "v": ("v", "nv")}[base]
    text = f"{own}+{over}*{length}" if over else own
    if times != 1:
        text = f"({text})*{times}" if over else f"{text}*{times}"
    return f"{text}+{plus}" if plus else text


@dataclass(frozen=True, eq=False)
class Writer:
    """Writes numbers as text, in C ("c") or JavaScript ("javascript"); loop : where it stands, None between loops."""

    plan: Plan
    language: str
    loop: int | None

    def model(self, x: Number) -> str | None:
        """Return how a number of the model is written, None for others."""
        if x.op == "constant":
            return literal(x.args[0], "INFINITY" if self.language == "c" else "Infinity")
        if x.index not in self.plan.fixed:
            return None
        if x.owner is None:
            return f"G[{self.plan.common[x.index]}]"
        at = self.plan.data[kind_that_has(x)][x.index]
        return f"D[{at}]" if self.language == "c" else f"D[d+{at}]"

    def record(self, whose: str, at: int) -> str:
        """Return a place in a record: a link's "own", its "parent"'s, or the "ground"'s."""
        if whose == "ground":
            return f"w[{at}]"
        if self.language == "c":
            return f"{whose}[{at}]"
        return f"w[{whose[0]}+{at}]"

    def kept(self, x: Number) -> str:
        """Return where a number is kept for later loops."""
        return self.record("own", self.plan.slot[x.index])

    def swept(self, x: Number) -> str:
        """Return how what a sweep carries is written."""
        s, place = x.args
        whose = {"carried": "parent", "received": "own", "grounded": "ground"}[x.op]
        return self.record(whose, self.plan.base[s] + self.plan.classes[s].index(place))

    def name(self, x: Number) -> str:
        """Return how a number is written where it is used."""
        plan, model = self.plan, self.model(x)
        if model is not None:
            return model
        if x.op == "input":
            name, *where = x.args
            return f"in{name}[{address(*where)}]"
        if x.op in ("carried", "grounded") or (
            x.op == "received" and plan.place[x.index] == self.loop
        ):
            return self.swept(x)
        if x.owner is None:
            return f"x{x.index}" if plan.straight else f"g[{plan.slot[x.index]}]"
        return f"x{x.index}" if plan.place[x.index] == self.loop else self.kept(x)

    def wide(self, x: Number) -> str:
        """Return the same as an entry of every lane, where it is one number for all."""
        narrow = self.language == "c" and x.op == "constant"
        return f"WIDE({self.name(x)})" if narrow else self.name(x)

    def expression(self, x: Number) -> str:
        """Return the operation that makes a number."""
        if x.op in IN_BOTH:
            return IN_BOTH[x.op].format(*[self.name(y) for y in x.args])
        if x.op == "same":
            return self.wide(x.operand)
        if x.op == "answered":
            call, at = x.args[:2]
            return f"answer{call}[{at}]"
        if x.op == "read":
            number, link = x.args
            return f"w[K({link})+{self.plan.slot[number.index]}]"
        return self.call(x.op, [self.wide(y) for y in x.args])

    def call(self, op: str, args: Sequence[str]) -> str:
        """Return a function of some operands."""
        known = IN_C if self.language == "c" else IN_JAVASCRIPT
        return known[op].format(*args)

    def folded(self, fold: Number, x: Number) -> str:
        """Return the line that takes one link's number into a fold."""
        g, own = f"g[{self.plan.slot[fold.index]}]", self.wide(x)
        if fold.op == "total":
            return f"{g}+={own};"
        word = {"least": "min", "greatest": "max"}[fold.op]
        return f"{g}={self.call(word, [g, own])};"


def loop_lines(plan: Plan, language: str, loop: int, kind: int) -> list[str]:
    """Return what one link of a kind does in a loop: numbers, each followed by where it is laid down.

    In JavaScript in the order of the recording: text with its likes together packs best.
    """
    write, in_c = Writer(plan, language, loop), language == "c"
    declare = "const T " if in_c else "const "
    own = [x for x in plan.live if x.owner == kind and plan.place[x.index] == loop]
    here = {x.index for x in own if in_c}
    after: dict[int, list[str]] = {x.index: [] for x in own}
    rest: list[str] = []
    for x in own:
        if x.index in plan.slot:
            after[x.index].append(f"{write.kept(x)}={write.wide(x)};")
    for x, line in [
        *handed(write, loop, kind),
        *laid_down(write, loop, kind),
        *taken_in(write, loop, kind),
    ]:
        (after[x.index] if x.index in here else rest).append(line)
    lines = []
    for x in in_turn(own, [x for x in own if after[x.index]]) if in_c else own:
        if x.index not in plan.fixed and x.op not in ("input", "carried", "received"):
            lines.append(f"{declare}x{x.index}={write.expression(x)};")
        lines += after[x.index]
    return lines + rest


def in_turn(numbers: Sequence[Number], wanted: Sequence[Number]) -> list[Number]:
    """Return numbers in an order in which few wait for their use at any time: processors keep few at hand.

    Next comes always the wanted number that lacks the fewest others, those that it lacks before it.
    """
    bit = {x.index: 1 << k for k, x in enumerate(numbers)}
    need: dict[int, int] = {}
    for x in numbers:
        before = [need.get(y.index, 0) for y in x.args if isinstance(y, Number)]
        need[x.index] = reduce(operator.or_, before, bit[x.index])
    order: list[Number] = []
    done, waiting = 0, [*wanted]
    while waiting:
        lacking = [(need[x.index] & ~done).bit_count() for x in waiting]
        best = waiting.pop(lacking.index(min(lacking)))
        stack = [best]
        while stack:
            x = stack[-1]
            parts = [y for y in x.args if isinstance(y, Number) and bit.get(y.index, 0) & ~done]
            if parts and not bit[x.index] & done:
                stack.append(max(parts, key=lambda y: (need[y.index] & ~done).bit_count()))
                continue
            stack.pop()
            if not bit[x.index] & done:
                done |= bit[x.index]
                order.append(x)
    return order


def handed(write: Writer, loop: int, kind: int) -> list[tuple[Number, str]]:
    """Return what a link of a kind hands on in a loop, with the line: to its children, or added to its parent's."""
    plan, lines = write.plan, []
    for s in [s for s in plan.classes if plan.loop[s] == loop]:
        sweep = plan.recording.sweeps[s]
        for at, c in enumerate(plan.classes[s], plan.base[s]):
            x = sweep.made[kind][c]
            if not sweep.inward:
                lines.append((x, f"{write.record('own', at)}={write.wide(x)};"))
            elif x.mark:
                lines.append((x, f"{write.record('parent', at)}+={write.wide(x)};"))
    return lines


def laid_down(write: Writer, loop: int, kind: int) -> list[tuple[Number, str]]:
    """Return what a link of a kind writes into results in a loop, with the line."""
    return [
        (
            o.number,
            f"out{o.result}[{address(o.base, o.times, o.plus, o.over)}]={write.wide(o.number)};",
        )
        for o in write.plan.outputs
        if o.kind == kind and max(output_loop(write.plan, o), 1) == loop
    ]


def taken_in(write: Writer, loop: int, kind: int) -> list[tuple[Number, str]]:
    """Return what a link of a kind adds to folds in a loop, with the line."""
    plan = write.plan
    return [
        (y, write.folded(x, y))
        for x in plan.live
        if x.op in FOLDS
        for y in x.args
        if y.owner == kind and plan.place[y.index] == loop
    ]


def output_loop(plan: Plan, o: Output) -> int:
    """Return the loop in which a result is written."""
    own = plan.place[o.number.index]
    return own + 1 if o.number.owner is None and own else own


def straight_lines(plan: Plan, language: str) -> list[str]:
    """Return a program without loops: numbers, each followed by the results that it is."""
    write = Writer(plan, language, None)
    declare = "const T " if language == "c" else "const "
    numbers = [x for x in plan.live if x.index not in plan.fixed and x.op != "input"]
    own = {x.index for x in numbers}
    after: dict[int, list[str]] = {}
    for o in plan.outputs:
        line = f"out{o.result}[{o.plus}]={write.wide(o.number)};"
        after.setdefault(o.number.index, []).append(line)
    lines = [line for index, own_lines in after.items() if index not in own for line in own_lines]
    called = set()
    for x in in_turn(numbers, [x for x in numbers if x.index in after]):
        if x.op == "answered" and x.args[0] not in called:
            called.add(x.args[0])
            lines.append(call_of(write, x))
        lines.append(f"{declare}x{x.index}={write.expression(x)};")
        lines += after.get(x.index, [])
    return lines


def call_of(write: Writer, x: Number) -> str:
    """Return the line that asks another program, of whose answers a number is one."""
    plan, (call, _, *arguments) = write.plan, x.args
    if plan.asked is None:
        raise TypeError("there is no program to ask")
    ends, lengths = [], (plan.asked.inputs, plan.asked.results)
    for whose, own in zip(("given", "answer"), lengths, strict=True):
        starts = np.cumsum([0, *own[:-1]])
        ends += [f"{whose}{call}+{at}" for at in starts]
    given = ",".join(write.wide(y) for y in arguments)
    return (
        f"T given{call}[]={{{given}}},answer{call}[{sum(plan.asked.results)}];"
        f"run_asked_@(n,nq,nv,tree,D,G+{len(plan.common)},{','.join(ends)},w,g);"
    )


def lines_between(plan: Plan, language: str, after: int) -> list[str]:
    """Return what is done after a loop with nobody's numbers (0: before the first)."""
    if plan.straight:
        return straight_lines(plan, language)
    write = Writer(plan, language, None)
    lines = []
    for x in plan.live:
        if x.owner is not None or x.index in plan.fixed or plan.place[x.index] != after:
            continue
        if x.op not in FOLDS and x.op not in ("input", "grounded"):
            lines.append(f"g[{plan.slot[x.index]}]={write.expression(x)};")
    for o in plan.outputs:
        if o.kind is None and plan.place[o.number.index] == after:
            lines.append(f"out{o.result}[{o.plus}]={write.wide(o.number)};")
    for s, classes in plan.classes.items():
        start = plan.recording.sweeps[s].start
        if start is not None and plan.loop[s] == after + 1:
            lines += [
                f"{write.record('ground', at)}={write.wide(start[c])};"
                for at, c in enumerate(classes, plan.base[s])
            ]
    return lines


def first_values(plan: Plan, language: str) -> list[str]:
    """Return where folds begin."""
    infinity = "INFINITY" if language == "c" else "Infinity"
    start = {"total": "0.0", "least": infinity, "greatest": f"(-{infinity})"}
    wide = "WIDE({})" if language == "c" else "{}"
    return [
        f"g[{plan.slot[x.index]}]={wide.format(start[x.op])};" for x in plan.live if x.op in FOLDS
    ]
