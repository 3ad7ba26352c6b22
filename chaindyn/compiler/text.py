"""Numbers and lines as text, the same for C and JavaScript but for their words."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from chaindyn.compiler.operations import (
    FOLDS,
    IN_BOTH,
    IN_C,
    IN_JAVASCRIPT,
    PASSING,
    STATEMENTS,
)
from chaindyn.compiler.plan import LEFT, MET, PAIRS, Output, Plan, kind_that_has
from chaindyn.compiler.recording import Number
from chaindyn.compiler.repeated import COMPUTED

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
    if base in PAIRS:  # of a matrix: the other joint's column is c, that of one that it meets d
        places = {"block": f"(v+{times})*nv+v+{plus}", "row": f"(v+{times})*nv+c"}
        places |= {"column": f"c*nv+v+{plus}", "there": "c*nv+d", "back": "d*nv+c"}
        return places[base]
    own, length = {"link": ("i", "n"), "q": ("q", "nq"), "v": ("v", "nv")}[base]
    text = f"{own}+{over}*{length}" if over else own
    if times != 1:
        text = f"({text})*{times}" if over else f"{text}*{times}"
    return f"{text}+{plus}" if plus else text


@dataclass(frozen=True, eq=False)
class Writer:
    """Writes numbers as text, in C ("c") or JavaScript ("javascript").

    loop : where it stands, None between loops; here : nobody's numbers that have names, None if all or none have.
    """

    plan: Plan
    language: str
    loop: int | None
    here: set[int] | None = None

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
        if x.op in PASSING:
            return f"{'yzu'[PASSING.index(x.op)]}{x.args[0]}_{x.args[1]}"
        if x.op in ("carried", "grounded") or (
            x.op == "received" and plan.place[x.index] == self.loop
        ):
            return self.swept(x)
        if x.owner is None:
            alone = (
                (plan.straight or x.scope) if self.here is None else x.scope or x.index in self.here
            )
            return f"x{x.index}" if alone else f"g[{plan.slot[x.index]}]"
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
        if x.op == "taken":
            return self.held(x)
        if x.op == "read":
            number, link = x.args
            return f"w[K({link})+{self.plan.slot[number.index]}]"
        return self.call(x.op, [self.wide(y) for y in x.args])

    def call(self, op: str, args: Sequence[str]) -> str:
        """Return a function of some operands."""
        known = IN_C if self.language == "c" else IN_JAVASCRIPT
        return known[op].format(*args)

    def column(self, s: int, place: int, turn: str) -> str:
        """Return an entry of a column on its way in a sweep, the one in the place of this turn."""
        plan = self.plan
        return f"w[{plan.rows_of_columns[s]}+{plan.classes[s].index(place)}*nv+{turn}]"

    def on_the_way(self, x: Number, turn: str) -> str:
        """Return the line that makes a number of a column, or reads one of its entries."""
        made = self.column(x.args[0], x.args[1], turn) if x.op in PASSING else self.expression(x)
        return f"{self.declared} {self.name(x)}={made};"

    @property
    def declared(self) -> str:
        """The words before the name of a number that is made here."""
        return "const T" if self.language == "c" else "const"

    def held(self, x: Number, value: str | None = None) -> str:
        """Return the entry that a number is taken from: columns lie side by side. With a value, what puts it there."""
        number, *where = x.args[:7]
        memory = self.plan.recording.tape.memories[number]
        rows, plain, parts = memory.rows, self.plan.rooms[number], list[str]()
        for (loop, times, plus), step in zip((where[:3], where[3:]), (1, rows), strict=True):
            plain += plus * step
            parts += [f"k{loop}*{times * step}"] * (loop >= 0)
        place, entry = "+".join([*parts, str(plain)]), ""
        for loop, count, step in ((where[0], rows, 1), (where[3], memory.columns, rows)):
            if loop == COMPUTED:
                entry = self.computed(place, x.args[7], count, step, value)
        entry = entry or f"w[{place}]"
        return entry if value is None or entry.endswith(";") else f"{entry}={value};"

    def computed(self, place: str, k: Number, count: int, step: int, value: str | None) -> str:
        """Return the k-th of so many entries from a place on, with such steps between them; with a value, what puts it.

        The nearest stands in for one that is not there.
        """
        if self.language == "c":
            given = f"w+{place},{self.wide(k)},{count},{step}"
            return f"AT({given})" if value is None else f"LAY({given},{value});"
        return f"w[{place}+Math.min(Math.max({self.name(k)},0),{count - 1})*{step}]"

    def statements(self, x: Number) -> list[str]:
        """Return the lines that make a number, or fill, change or run through the arrays of a loop."""
        if x.op == "put":
            return self.put(x)
        if x.op == "filled":
            return self.filled(x)
        if x.op != "loop":
            return [f"{self.declared} x{x.index}={self.expression(x)};"]
        turns, word = self.plan.recording.tape.loops[x.args[0]], f"k{x.args[0]}"
        loop, times, plus = turns.start
        first = f"k{loop}*{times}+{plus}" if loop >= 0 else str(plus)
        kind = "I" if self.language == "c" else "let"
        body = [line for y in self.plan.turns[turns.path] for line in self.statements(y)]
        if turns.still is not None:
            zero, still = "WIDE(0.0)", f"STILL(m{turns.number})"
            if self.language != "c":
                zero, still = "0", f"m{turns.number}===0"
            declared = "T" if self.language == "c" else "let"
            body = [f"{declared} m{turns.number}={zero};", *body, f"if({still})break;"]
        if turns.only is not None:
            place = f"w[{self.plan.rooms[turns.only]}+{word}]"
            nothing = f"STILL({place})" if self.language == "c" else f"{place}===0"
            body = [f"if({nothing})continue;", *body]
        return [f"for({kind} {word}={first};{word}<{turns.end};{word}++){{", *body, "}"]

    def put(self, x: Number) -> list[str]:
        """Return the lines that change an array, and count that in loops that end as soon as nothing changes."""
        value, loops = self.wide(x.args[-1]), self.plan.recording.tape.loops
        place = self.held(x)
        counting = [k for k in x.scope if x.args[0] in (loops[k].still or ())]
        differs = f"DIFFERS({place},{value})" if self.language == "c" else f"{place}!=={value}?1:0"
        return [*[f"m{k}+={differs};" for k in counting], self.held(x, value)]

    def filled(self, x: Number) -> list[str]:
        """Return the lines that fill an array of a loop: with zeros, and then with what is none, or as a copy."""
        (number, *entries), rooms = x.args, self.plan.rooms
        start, end = rooms[number], rooms[number + 1]
        if isinstance(entries[0], int):
            word = "I" if self.language == "c" else "let"
            return [f"for({word} j={start};j<{end};j++)w[j]=w[j-{start - rooms[entries[0]]}];"]
        zero = f"w.fill(0,{start},{end});"
        if self.language == "c":
            zero = f"for(I j={start};j<{end};j++)w[j]=WIDE(0.0);"
        own = [f"w[{at}]={self.wide(y)};" for at, y in enumerate(entries, start) if y.value != 0]
        return [zero, *own] if len(own) < len(entries) else own

    def result(self, o: Output) -> str:
        """Return the line that lays down a result of a link's."""
        place = address(o.base, o.times, o.plus, o.over)
        return f"out{o.result}[{place}]={self.wide(o.number)};"

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
    own = [x for x in plan.live if x.owner == kind and plan.place[x.index] == loop and not x.scope]
    asked, inside = passing_lines(write, loop, kind)
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
    wanted = [x for x in own if after[x.index] or x.index in asked]
    for x in in_turn(own, wanted) if in_c else own:
        if x.index not in plan.fixed and x.op not in ("input", "carried", "received"):
            lines += write.statements(x)
        lines += after[x.index]
    return lines + rest + inside


def passing_lines(write: Writer, loop: int, kind: int) -> tuple[set[int], list[str]]:
    """Return which numbers links of a kind ask for in a loop for columns on their way to the ground, and the lines.

    First with those from further out, one after another; then they lay down their own; last all meet those of branches
    that have reached the parent before.
    """
    plan, lines, asked = write.plan, list[str](), set[int]()
    for s in [s for s in plan.on_the_way if plan.loop[s] == loop]:
        sweep, classes = plan.recording.sweeps[s], plan.classes[s]
        begun, room = (sweep.begun or {})[kind], plan.rows_of_columns[s]
        own = [sweep.made[kind][c] for c in classes]
        left = outputs_on_the_way(plan, LEFT, kind, s)
        ends = [*own, *[o.number for o in left]]
        inner = scoped(plan, kind, (-1 - s,))
        lines += turn_of_columns(write, "u", f"tree[6*n+2*i]+{len(begun)}", "tree[6*n+2*i+1]", "c")
        lines += [write.on_the_way(x, "u") for x in in_turn(inner, [x for x in ends if x.scope])]
        lines += [write.result(o) for o in left]
        lines += [
            f"{write.column(s, c, 'u')}={write.wide(x)};" for c, x in zip(classes, own, strict=True)
        ]
        lines.append("}")
        for k, column in enumerate(begun):
            place = f"w[{room}+{{}}*nv+tree[6*n+2*i]+{k}]={{}};"
            lines += [place.format(at, write.wide(column[c])) for at, c in enumerate(classes)]
            asked |= {column[c].index for c in classes}
        asked |= {y.index for x in [*inner, *ends] for y in x.args if isinstance(y, Number)}
        asked |= {x.index for x in ends}
        met = meeting_lines(write, kind, s)
        lines, asked = lines + met[1], asked | met[0]
    return asked, lines


def meeting_lines(write: Writer, kind: int, s: int) -> tuple[set[int], list[str]]:
    """Return what `passing_lines` does, of the columns of a branch with those of other branches at its parent."""
    plan = write.plan
    met = outputs_on_the_way(plan, MET, kind, s)
    if not met:
        return set(), []
    one, two = (scoped(plan, kind, (-1 - s, *more)) for more in ((0,), (0, 0)))
    wanted = [o.number for o in met]
    asked = {y.index for x in [*one, *two, *wanted] for y in x.args if isinstance(y, Number)}
    used = [x for x in one if x.index in asked or x in wanted]
    end = "(tree[6*i]<0?0:tree[6*n+2*tree[6*i]+1])"
    return asked | {x.index for x in wanted}, [
        *turn_of_columns(write, "u", "tree[6*n+2*i]", "tree[6*n+2*i+1]", "c", False),
        *[write.on_the_way(x, "u") for x in in_turn(one, used)],
        *turn_of_columns(write, "t", "tree[6*n+2*i+1]", end, "d"),
        *[write.on_the_way(x, "t") for x in in_turn(two, wanted)],
        *[write.result(o) for o in met],
        "}",
        "}",
    ]


def outputs_on_the_way(plan: Plan, bases: Sequence[str], kind: int, s: int) -> list[Output]:
    """Return the entries of matrices of pairs that links of a kind write in a sweep of columns."""
    return [o for o in plan.outputs if o.base in bases and (o.kind, o.over) == (kind, s)]


def scoped(plan: Plan, kind: int, scope: tuple[int, ...]) -> list[Number]:
    """Return the numbers that links of a kind make for each column, or for each two that meet."""
    return [x for x in plan.live if x.owner == kind and x.scope == scope]


def turn_of_columns(
    write: Writer, turn: str, start: str, end: str, name: str, alone: bool = True
) -> list[str]:
    """Return the head of a loop over columns in their places, and which of all columns each is; alone : innermost."""
    order, in_c = write.plan.order, write.language == "c"
    word = "I" if in_c else "let"
    which = turn if (order == np.arange(order.size)).all() else f"tree[8*n+{turn}]"
    head = f"for({word} {turn}={start};{turn}<{end};{turn}++){{const {'I ' if in_c else ''}{name}={which};"
    return ["#pragma GCC ivdep", head] if in_c and alone else [head]


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
    for s in [s for s in plan.base if plan.loop[s] == loop]:
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
        (o.number, write.result(o))
        for o in write.plan.outputs
        if o.kind == kind and o.base not in PAIRS[1:] and max(output_loop(write.plan, o), 1) == loop
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


def straight_lines(plan: Plan, language: str, piece: int | None = None) -> list[list[str]]:
    """Return a program without walks along links, in pieces of about so many numbers (None: in one).

    Numbers are followed by the results that they are. What one piece makes for others is kept.
    """
    after: dict[int, list[Output]] = {}
    for o in plan.outputs:
        after.setdefault(o.number.index, []).append(o)
    own = [x for x in plan.live if x.index not in plan.fixed and x.op != "input" and not x.scope]
    # a long text is in pieces, which only hands on what lies far apart: the order of the results will do
    wanted = [x for x in own if x.index in after]
    order = in_turn(own, wanted) if plan.straight else one_by_one(own, wanted)
    size = piece or max(len(order), 1)
    parts = [order[k : k + size] for k in range(0, len(order), size)]
    where = {x.index: k for k, part in enumerate(parts) for x in part}
    shared = {
        y.index
        for x in plan.live
        for y in x.args
        if isinstance(y, Number) and where.get(y.index) != where.get(outermost(plan, x).index)
    }
    write = Writer(plan, language, None)
    first = [
        line for k, given in after.items() if k not in where for line in given_out(write, given)
    ]
    pieces, called = [first], set()
    for part in parts:
        here = {x.index for x in part} if len(parts) > 1 else None
        write, lines = replace(write, here=here), list[str]()
        for x in part:
            if x.op == "answered" and x.args[0] not in called:
                called.add(x.args[0])
                lines.append(call_of(write, x))
            lines += write.statements(x)
            if len(parts) > 1 and x.index in shared and x.op not in STATEMENTS:
                lines.append(f"g[{plan.slot[x.index]}]=x{x.index};")
            lines += given_out(write, after.get(x.index, []))
        pieces.append(lines)
    return pieces


def one_by_one(numbers: Sequence[Number], wanted: Sequence[Number]) -> list[Number]:
    """Return numbers in an order in which each wanted one follows what it lacks."""
    left, order = {x.index for x in numbers}, []
    for last in wanted:
        stack = [last]
        while stack:
            x = stack[-1]
            parts = [y for y in x.args if isinstance(y, Number) and y.index in left]
            if x.index in left and parts:
                stack += reversed(parts)
                continue
            stack.pop()
            if x.index in left:
                left.discard(x.index)
                order.append(x)
    return order


def outermost(plan: Plan, x: Number) -> Number:
    """Return the loop in none that a number is made in, or the number itself."""
    return plan.loops[x.scope[0]] if x.scope else x


def given_out(write: Writer, outputs: Sequence[Output]) -> list[str]:
    """Return the lines that lay down results of nobody's."""
    return [f"out{o.result}[{o.plus}]={write.wide(o.number)};" for o in outputs]


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
        f"run_asked_@(n,nq,nv,tree,D,G+{len(plan.common)},{','.join(ends)},w+{plan.rooms[-1]},g+{plan.kept});"
    )


def lines_between(plan: Plan, language: str, after: int) -> list[str]:
    """Return what is done after a loop with nobody's numbers (0: before the first)."""
    if plan.straight:
        return [line for piece in straight_lines(plan, language) for line in piece]
    write = Writer(plan, language, None)
    lines = []
    for x in plan.live:
        fixed = x.owner is not None or x.scope or x.index in plan.fixed
        if fixed or plan.place[x.index] != after:
            continue
        if x.op in STATEMENTS:
            lines.append("".join(write.statements(x)))
        elif x.op not in FOLDS and x.op not in ("input", "grounded"):
            lines.append(f"g[{plan.slot[x.index]}]={write.expression(x)};")
    own = [o for o in plan.outputs if o.kind is None and plan.place[o.number.index] == after]
    lines += given_out(write, own)
    for s, classes in plan.classes.items():
        start = plan.recording.sweeps[s].start
        if start is not None and plan.loop[s] == after + 1:
            lines += [
                f"{write.record('ground', at)}={write.wide(start[c])};"
                for at, c in enumerate(classes, plan.base[s])
            ]
    return lines


def first_values(plan: Plan, language: str) -> list[str]:
    """Return where folds begin, and matrices that are not filled."""
    infinity = "INFINITY" if language == "c" else "Infinity"
    emptied = "for(I j=0;j<nv*nv;j++)out{0}[j]=WIDE(0.0);" if language == "c" else "out{0}.fill(0);"
    start = {"total": "0.0", "least": infinity, "greatest": f"(-{infinity})"}
    wide = "WIDE({})" if language == "c" else "{}"
    folds = [x for x in plan.live if x.op in FOLDS]
    lines = [f"g[{plan.slot[x.index]}]={wide.format(start[x.op])};" for x in folds]
    return [*lines, *[emptied.format(r) for r in plan.sparse]]
