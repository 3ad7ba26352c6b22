"""From a recording to a program: loops over links, in C and in JavaScript."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from chaindyn.compiler.operations import FOLDS, IN_BOTH, IN_C, IN_JAVASCRIPT, SWEPT, UNKNOWN, VALUE
from chaindyn.compiler.recording import Number, reached_from
from chaindyn.compiler.rolled import Recording

__all__: list[str] = []

PIECE = 400  # lines of straight text that one function holds: compilers take more than linear time

# what every program starts with, and what its words mean for one state and for some side by side
PRELUDE = """#include <math.h>
#include <stdint.h>
#include <string.h>
typedef long long I;
#define LANES 4
typedef double V __attribute__((vector_size(8 * LANES)));
typedef long long M __attribute__((vector_size(8 * LANES)));
#define K(link) tree[6 * (link) + 3]

static inline double atan2_s(double y, double x) { return atan2(y, x); }
static inline V splat(double x) { V v; for (int l = 0; l < LANES; l++) v[l] = x; return v; }
static inline V each_atan2(V y, V x) {
  V r; for (int l = 0; l < LANES; l++) r[l] = atan2(y[l], x[l]); return r;
}
static inline V each_sqrt(V x) { V r; for (int l = 0; l < LANES; l++) r[l] = sqrt(x[l]); return r; }
static inline V choose_v(V c, V a, V b) { M m = c != 0.0; return (V)((m & (M)a) | (~m & (M)b)); }
static inline V min_v(V a, V b) { M m = a < b; return (V)((m & (M)a) | (~m & (M)b)); }
static inline V max_v(V a, V b) { M m = a > b; return (V)((m & (M)a) | (~m & (M)b)); }
/* the model's numbers in every lane, laid down where there is room */
static V *wide_model(const double *x, I size, V **free) {
  V *wide = *free;
  for (I j = 0; j < size; j++) wide[j] = splat(x[j]);
  *free += size;
  return wide;
}
static inline V positive_v(V x) { return (V)((x > 0.0) & (M)splat(1.0)); }

/* sine and cosine: quarter turns taken off in three parts of pi/2, then Taylor's polynomials up to pi/4 */
#define PARTS(x, turns) \\
  ((((x) - (turns) * 0x1.921fb544p+0) - (turns) * 0x1.0b4611a6p-34) - (turns) * 0x1.3198a2e037073p-69)
#define SINE(r, s) \\
  ((r) + (r) * (s) * (-1.0/6 + (s) * (1.0/120 + (s) * (-1.0/5040 + (s) * (1.0/362880 + (s) * (-1.0/39916800 \\
   + (s) * (1.0/6227020800.0 + (s) * (-1.0/1307674368000.0))))))))
#define COSINE(s) \\
  (1.0 + (s) * (-0.5 + (s) * (1.0/24 + (s) * (-1.0/720 + (s) * (1.0/40320 + (s) * (-1.0/3628800 \\
   + (s) * (1.0/479001600.0 + (s) * (-1.0/87178291200.0 + (s) * (1.0/20922789888000.0)))))))))
#define FAR 1e5
static inline long long bits_of(double x) { long long bits; memcpy(&bits, &x, 8); return bits; }
static inline __attribute__((always_inline)) double turn_s(double x, long long quarter) {
  if (!(fabs(x) < FAR)) return quarter ? cos(x) : sin(x);
  double shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, turns = shifted - 0x1.8p52, r = PARTS(x, turns), s = r * r, y;
  long long bits = bits_of(shifted) + quarter, odd = -(bits & 1), sign = (bits & 2) << 62;
  bits = ((odd & bits_of(COSINE(s))) | (~odd & bits_of(SINE(r, s)))) ^ sign;
  memcpy(&y, &bits, 8);
  return y;
}
static inline __attribute__((always_inline)) V turn_v(V x, long long quarter) {
  V shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, turns = shifted - 0x1.8p52, r = PARTS(x, turns), s = r * r;
  M bits = (M)shifted + quarter, odd = -(bits & 1), sign = (bits & 2) << 62;
  V y = (V)((odd & (M)(COSINE(s))) | (~odd & (M)(SINE(r, s))));
  y = (V)((M)y ^ sign);
  M near = (x < FAR) & (x > -FAR);
  if (!(near[0] & near[1] & near[2] & near[3]))
    for (int l = 0; l < LANES; l++) if (!near[l]) y[l] = quarter ? cos(x[l]) : sin(x[l]);
  return y;
}
"""

SINGLE = """#define T double
#define WIDE_MODEL(x, size, free) (x)
#define WIDE(x) (x)
#define EACH(from, j) (from)[0][j]
#define SIN(x) turn_s(x, 0)
#define COS(x) turn_s(x, 1)
#define SQRT(x) sqrt(x)
#define ATAN2(y, x) atan2(y, x)
#define POSITIVE(x) ((x) > 0.0 ? 1.0 : 0.0)
#define WHERE(c, a, b) ((c) != 0.0 ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
"""

SIDE_BY_SIDE = """#define T V
#define WIDE_MODEL(x, size, free) wide_model(x, size, free)
#define WIDE(x) splat(x)
#define EACH(from, j) (V){(from)[0][j], (from)[1][j], (from)[2][j], (from)[3][j]}
#define SIN(x) turn_v(x, 0)
#define COS(x) turn_v(x, 1)
#define SQRT(x) each_sqrt(x)
#define ATAN2(y, x) each_atan2(y, x)
#define POSITIVE(x) positive_v(x)
#define WHERE(c, a, b) choose_v(c, a, b)
#define MIN(a, b) min_v(a, b)
#define MAX(a, b) max_v(a, b)
"""

MOST_STRAIGHT = 7_000  # numbers of a program without loops: compilers take a second for these, loops as long to run


@dataclass(frozen=True, eq=False)
class Output:
    """Where a number goes: into which result, and where in it.

    kind : of the links that write it, None if nobody's; base : "link", "q" or "v", of which the place is `times` times
    a link's own, plus `plus`, and `over` whole rows; "" is the place `plus` itself.
    """

    result: int
    number: Number
    kind: int | None
    base: str
    times: int
    plus: int
    over: int


def kind_that_has(x: Number) -> int:
    """Return the kind of link that has one of a number each."""
    if x.owner is None:
        raise ValueError("a number of nobody's has no kind")
    return x.owner


def sources_of(recording: Recording, x: Number) -> list[Number]:
    """Return what a carried number is made of: what the links of every kind hand on, and what the ground does."""
    sweep, place = recording.sweeps[x.args[0]], x.args[1]
    made = [entries[place] for entries in sweep.made.values()]
    return made if sweep.start is None else [*made, sweep.start[place]]


def live_numbers(recording: Recording, roots: Sequence[Number]) -> list[Number]:
    """Return all numbers that these hang on, through sweeps too, in the order of their making."""
    found: dict[int, Number] = {}
    waiting = list(roots)
    while waiting:
        fresh = [x for x in reached_from(waiting) if x.index not in found]
        found.update((x.index, x) for x in fresh)
        waiting = [y for x in fresh if x.op in SWEPT for y in sources_of(recording, x)]
        waiting = [y for y in waiting if y.index not in found]
    return [found[i] for i in sorted(found)]


def depths(live: Sequence[Number], loop: dict[int, int]) -> dict[int, int]:
    """Return the first loop in which each number can be computed, 0 if any will do; loop : of the sweeps known so far.

    What is read off the links is there after their loop, and links can use it in the next.
    """
    depth: dict[int, int] = {}
    for x in live:
        own = loop.get(x.args[0], 0) if x.op in SWEPT else 0
        for y in x.args:
            if isinstance(y, Number):
                below = depth[y.index]
                if x.owner is None and y.owner is not None:
                    below = max(below, 1)
                elif x.owner is not None and y.owner is None and below:
                    below += 1
                own = max(own, below)
        depth[x.index] = own
    return depth


def loops_of(
    recording: Recording, live: Sequence[Number], classes: dict[int, list[int]]
) -> dict[int, int]:
    """Return the loop in which each sweep walks: the odd ones walk outward, the even ones inward."""
    loop: dict[int, int] = {}
    for s, own in classes.items():
        sweep, depth = recording.sweeps[s], depths(live, loop)
        made = [entries[c] for entries in sweep.made.values() for c in own]
        need = [1, *(depth[x.index] + (x.owner is None and depth[x.index] > 0) for x in made)]
        if sweep.start is not None:
            first = [depth[sweep.start[c].index] for c in own]
            need += [d + 1 for d in first if d]
        loop[s] = max(need) + (max(need) % 2 == int(sweep.inward))
    return loop


@dataclass(frozen=True, eq=False)
class Plan:
    """A recording put in order, for a program to be written down.

    live : the numbers that results hang on; fixed : those of them that hang on the model alone; classes : what each
    sweep carries; loop : of each sweep; place : the loop of each number; data : for each kind what is read from the
    model, common : of nobody's; slot : where a number is kept for later loops, in its link's record or among nobody's;
    widths : how much a link of each kind keeps, its record; kept : how many are nobody's. A record begins with what
    sweeps carry, those inward first; the ground's record is no more than that. asked : the program that numbers which
    are "answered" come from, as often as they ask.
    """

    recording: Recording
    outputs: list[Output]
    live: list[Number]
    fixed: set[int]
    classes: dict[int, list[int]]
    loop: dict[int, int]
    place: dict[int, int]
    last: int
    data: dict[int, dict[int, int]]
    common: dict[int, int]
    slot: dict[int, int]
    widths: dict[int, int]
    kept: int
    asked: Subprogram | None = None

    @property
    def straight(self) -> bool:
        """Whether it is one piece of straight text, whose numbers have a name each and need not be kept."""
        return is_straight(self.recording, self.live)

    @cached_property
    def base(self) -> dict[int, int]:
        """Where in a record each sweep has what it carries."""
        return bases(self.recording, self.classes)

    @property
    def gathered(self) -> int:
        """How much of a record sweeps inward add up, from its beginning."""
        inward = [len(c) for s, c in self.classes.items() if self.recording.sweeps[s].inward]
        return sum(inward)

    @property
    def carried(self) -> int:
        """How much of a record belongs to sweeps: the length of the ground's."""
        return sum(len(c) for c in self.classes.values())


@dataclass(frozen=True, eq=False)
class Subprogram:
    """A program without loops that another one runs more than once; inputs, results : how long each is."""

    plan: Plan
    inputs: Sequence[int]
    results: Sequence[int]


def is_straight(recording: Recording, live: Sequence[Number]) -> bool:
    """Whether a recording link by link is short enough for one piece of text."""
    return not recording.parent and len(live) <= MOST_STRAIGHT


def bases(recording: Recording, classes: dict[int, list[int]]) -> dict[int, int]:
    """Return where in a link's record each sweep has what it carries, those inward first."""
    base, at = {}, 0
    for s in sorted(classes, key=lambda s: not recording.sweeps[s].inward):
        base[s] = at
        at += len(classes[s])
    return base


def fixed_numbers(live: Sequence[Number]) -> set[int]:
    """Return the numbers that hang on the model alone."""
    fixed: set[int] = set()
    for x in live:
        if x.op not in UNKNOWN and all(y.index in fixed for y in x.args if isinstance(y, Number)):
            fixed.add(x.index)
    return fixed


def laid_down_in(o: Output, depth: dict[int, int], place: dict[int, int]) -> int:
    """Return the loop in which a link's result is written."""
    if o.number.owner is None:
        own = depth[o.number.index]
        return own + 1 if own else 1
    return place[o.number.index]


def classes_in(live: Sequence[Number]) -> dict[int, list[int]]:
    """Return what each sweep carries of what is asked for: the numbers of its classes."""
    classes: dict[int, set[int]] = {}
    for x in live:
        if x.op in SWEPT:
            classes.setdefault(x.args[0], set()).add(x.args[1])
    return {s: sorted(classes[s]) for s in sorted(classes)}


def users_of(live: Sequence[Number]) -> dict[int, list[Number]]:
    """Return for each number the numbers that are made of it."""
    users: dict[int, list[Number]] = {x.index: [] for x in live}
    for x in live:
        for y in x.args:
            if isinstance(y, Number):
                users[y.index].append(x)
    return users


def handing_loops(
    recording: Recording, classes: dict[int, list[int]], loop: dict[int, int]
) -> dict[int, list[int]]:
    """Return for each number that links hand on the loops in which they do."""
    loops: dict[int, list[int]] = {}
    for s, own in classes.items():
        for entries in recording.sweeps[s].made.values():
            for c in own:
                loops.setdefault(entries[c].index, []).append(loop[s])
    return loops


def tables(
    recording: Recording,
    outputs: Sequence[Output],
    live: Sequence[Number],
    fixed: set[int],
    classes: dict[int, list[int]],
    handed_in: dict[int, list[int]],
) -> tuple[dict[int, dict[int, int]], dict[int, int]]:
    """Return the places of the model's numbers that are read: for each kind those of its links, and nobody's."""
    asked = {y.index for x in live if x.index not in fixed for y in x.args if is_fixed(y, fixed)}
    asked |= {o.number.index for o in outputs}
    asked |= {x.index for x in recording.tape.expectations}
    asked |= handed_in.keys()
    for s, own in classes.items():
        if (start := recording.sweeps[s].start) is not None:
            asked |= {start[c].index for c in own}
    needed = asked & fixed
    data: dict[int, dict[int, int]] = {}
    common: dict[int, int] = {}
    for x in live:
        if x.index in needed and x.op != "constant":
            own_table = common if x.owner is None else data.setdefault(x.owner, {})
            own_table[x.index] = len(own_table)
    return data, common


def slots(
    recording: Recording,
    live: Sequence[Number],
    fixed: set[int],
    classes: dict[int, list[int]],
    place: dict[int, int],
    users: dict[int, list[Number]],
    handed_in: dict[int, list[int]],
) -> tuple[dict[int, int], dict[int, int], int]:
    """Return where each number is kept for later loops, the lengths of records, and how many are nobody's."""
    slot: dict[int, int] = {}
    straight = is_straight(recording, live)
    widths = dict.fromkeys(sorted(set(recording.kind.tolist())), sum(map(len, classes.values())))
    kept = 0
    for x in live:
        if x.owner is None:
            if not straight and x.index not in fixed and x.op not in ("input", "grounded"):
                slot[x.index] = kept
                kept += 1
            continue
        own = users[x.index]
        later = [place[u.index] for u in own if u.owner is not None and u.index not in fixed]
        later += handed_in.get(x.index, [])
        lasting = x.op in ("input", "carried") or x.index in fixed
        read = any(u.op == "read" for u in own)
        if read or (not lasting and any(p > place[x.index] for p in later)):
            slot[x.index] = widths[x.owner]
            widths[x.owner] += 1
    return slot, widths, kept


def put_in_order(recording: Recording, outputs: list[Output]) -> Plan:
    """Decide in which loop every number is computed, and what is kept from loop to loop."""
    live = live_numbers(recording, [*[o.number for o in outputs], *recording.tape.expectations])
    fixed, classes, users = fixed_numbers(live), classes_in(live), users_of(live)
    loop = loops_of(recording, live, classes)
    depth = depths(live, loop)
    handed_in = handing_loops(recording, classes, loop)
    place = places(live, depth, users, handed_in)
    written = [laid_down_in(o, depth, place) for o in outputs if o.kind is not None]
    of_links = [place[x.index] for x in live if x.owner is not None]
    last = max([0, *loop.values(), *of_links, *written])
    data, common = tables(recording, outputs, live, fixed, classes, handed_in)
    slot, widths, kept = slots(recording, live, fixed, classes, place, users, handed_in)
    return Plan(
        recording,
        outputs,
        live,
        fixed,
        classes,
        loop,
        place,
        last,
        data,
        common,
        slot,
        widths,
        kept,
    )


def is_fixed(y: Any, fixed: set[int]) -> bool:
    """Whether an operand is a number that hangs on the model alone."""
    return isinstance(y, Number) and y.index in fixed


def places(
    live: Sequence[Number],
    depth: dict[int, int],
    users: dict[int, list[Number]],
    handed_in: dict[int, list[int]],
) -> dict[int, int]:
    """Return the loop of every number: what any loop could compute is computed in the first that asks for it."""
    place: dict[int, int] = {}
    for x in reversed(live):
        own = depth[x.index]
        if own == 0 and x.owner is not None:
            asks = [
                place[u.index] if u.owner is not None else depth[u.index] for u in users[x.index]
            ]
            own = max(1, min([*asks, *handed_in.get(x.index, [])], default=1))
        place[x.index] = own
    return place


def of_the_model(
    plan: Plan, columns: dict[int, dict[Any, Any]], shared: dict[Any, Any]
) -> dict[int, Any]:
    """Return the values of all numbers that hang on the model alone; columns : for each kind, (..., members) each."""
    value: dict[int, Any] = {}
    for x in plan.live:
        if x.index not in plan.fixed:
            continue
        if x.op == "constant":
            value[x.index] = x.args[0]
        elif x.op == "data":
            value[x.index] = columns[kind_that_has(x)][x.args[0]]
        elif x.op == "shared":
            value[x.index] = shared[x.args[0]]
        else:
            value[x.index] = VALUE[x.op](*[value[y.index] for y in x.args])
    return value


# text


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


def c_shared(plan: Plan, inputs: int, results: int) -> tuple[str, str]:
    """Return the parameters that all functions of a program in C have, and the arguments passed on for them."""
    arrays = [f"in{a}" for a in range(inputs)]
    state = [*[f"out{r}" for r in range(results)], "g"]
    const = "".join(f", const T *restrict {a}" for a in arrays)
    changed = "".join(f", T *restrict {x}" for x in state)
    passed = "".join(f", {x}" for x in [*arrays, *state])
    return f"const T *restrict G{const}{changed}, I n, I nq, I nv", f"G{passed}, n, nq, nv"


def c_emptied(plan: Plan) -> tuple[str, str]:
    """Return what empties the ground's record of what sweeps inward add up, and what empties a link's."""
    if not plan.gathered:
        return "", ""
    empty = f"for (int j = 0; j < {plan.gathered}; j++)"
    return f"{empty} w[j] = WIDE(0.0);", f"T *own = w + K(i); {empty} own[j] = WIDE(0.0);"


def c_loop(plan: Plan, loop: int, head: str, passed: str) -> tuple[list[str], list[str]]:
    """Return the functions of a loop, one for each kind of link, and the lines that walk along the links."""
    functions, calls = [], {}
    for kind in plan.widths:
        if not (lines := loop_lines(plan, "c", loop, kind)):
            continue
        name = f"link{kind}_{loop}_@"
        top = (
            f"static inline void {name}({head}, const T *restrict D, T *restrict own, T *restrict parent, "
            "I i, I q, I v) {"
        )
        functions.append("\n".join([top, *lines, "}"]))
        calls[kind] = f"{name}({passed}, D + t[2], w + t[3], parent, i, t[4], t[5]);"
    # records are emptied in the first walk, which holds them anyway: nothing is added before the second
    empty = c_emptied(plan)[1] if loop == 1 else ""
    walk = "for (I i = 0; i < n; i++)" if loop % 2 else "for (I i = n - 1; i >= 0; i--)"
    if not calls:
        return [], [f"{walk} {{ {empty} }}"] if empty else []
    cases = "\n".join(f"case {kind}: {call} break;" for kind, call in calls.items())
    body = f"switch (t[1]) {{ {cases} }}"
    if len(plan.widths) == 1:
        (body,) = calls.values()
    place = "const I *t = tree + 6 * i; T *parent = w + (t[0] < 0 ? 0 : K(t[0]));"
    first = f"{{ {empty} }} " if empty else ""
    return functions, [f"{walk} {{ {first}{place} {body} }}"]


def c_between(plan: Plan, after: int, head: str, passed: str) -> tuple[list[str], list[str]]:
    """Return what is done after a loop with nobody's numbers: functions, if it is much, and the lines themselves."""
    lines = lines_between(plan, "c", after)
    if len(lines) <= PIECE or plan.straight:
        return [], lines
    functions, calls = [], []
    for part, start in enumerate(range(0, len(lines), PIECE)):
        name = f"piece_{after}_{part}_@"
        top = f"static __attribute__((noinline)) void {name}(const I *tree, T *w, {head}) {{"
        functions.append("\n".join([top, *lines[start : start + PIECE], "}"]))
        calls.append(f"{name}(tree, w, {passed});")
    return functions, calls


def c_kernel(plan: Plan, inputs: int, results: int) -> str:
    """Return the program in C for one type of number T, single or in lanes, as text with @ for its suffix."""
    head, passed = c_shared(plan, inputs, results)
    text, body = [], [c_emptied(plan)[0], *first_values(plan, "c")]
    if (own := plan.asked) is not None:
        text.append(c_kernel(own.plan, len(own.inputs), len(own.results)).replace("@", "asked_@"))
    for loop in range(plan.last + 1):
        if loop:
            functions, lines = c_loop(plan, loop, head, passed)
            text += functions
            body += lines
        functions, lines = c_between(plan, loop, head, passed)
        text += functions
        body += lines
    arguments = "".join(f", const T *restrict in{a}" for a in range(inputs))
    arguments += "".join(f", T *restrict out{r}" for r in range(results))
    top = (
        "static void run_@(I n, I nq, I nv, const I *restrict tree, const T *restrict D, "
        f"const T *restrict G{arguments}, T *restrict w, T *restrict g) {{"
    )
    return "\n".join([*text, top, *body, "}"])


def js_loop(plan: Plan, loop: int, name: str, shared: str) -> tuple[list[str], list[str]]:
    """Return the functions of a loop, one for each kind of link, and the lines that walk along the links."""
    functions, cases = [], []
    for kind in plan.widths:
        if not (lines := loop_lines(plan, "javascript", loop, kind)):
            continue
        own = f"{name}_{kind}_{loop}"
        functions.append("\n".join([f"function {own}({shared},i,d,o,p,q,v){{", *lines, "}"]))
        call = f"{own}({shared},i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);"
        cases.append(f"if(tree[t+1]==={kind}) {call}")
    if not cases:
        return [], []
    walk = "for(let i=0;i<n;i++)" if loop % 2 else "for(let i=n-1;i>=0;i--)"
    place = "const t=6*i,p=tree[t]<0?0:K(tree[t]);"
    return functions, [walk + "{" + place + "\n" + "\nelse ".join(cases) + "\n}"]


def js_names(plan: Plan, inputs: int, results: int) -> list[str]:
    """Return the lines that name what a program in JavaScript works on, and empty what sweeps inward add up."""
    lines = ["const [n,nq,nv,keep]=sizes,K=(link)=>tree[6*link+3];"]
    lines += [f"const in{a}=inputs[{a}];" for a in range(inputs)]
    lines += [f"const out{r}=outputs[{r}];" for r in range(results)]
    lines.append("const g=w.subarray(keep);")
    if plan.gathered:
        empty = (
            f"w.fill(0,0,{plan.gathered});for(let i=0;i<n;i++)w.fill(0,K(i),K(i)+{plan.gathered});"
        )
        lines.append(empty)
    return lines


def js_kernel(plan: Plan, name: str, inputs: int, results: int) -> str:
    """Return the program in JavaScript, a function that works in place on arrays of numbers.

    name(sizes, tree, D, G, inputs, outputs, w): sizes are n, nq, nv and the length of all records, tree six whole
    numbers a link, D and G the model, w room to work: the records, then nobody's numbers; inputs and outputs are arrays
    of arrays. The last output is what must be positive.
    """
    arrays = [f"in{a}" for a in range(inputs)] + [f"out{r}" for r in range(results)]
    shared = ",".join(["D", "G", *arrays, "w", "g", "n", "nq", "nv"])
    text, body = [], [*js_names(plan, inputs, results), *first_values(plan, "javascript")]
    for loop in range(plan.last + 1):
        if loop:
            functions, lines = js_loop(plan, loop, name, shared)
            text += functions
            body += lines
        body += lines_between(plan, "javascript", loop)
    top = f"export function {name}(sizes,tree,D,G,inputs,outputs,w){{"
    return "\n".join([*text, top, *body, "}"]) + "\n"


def c_entries(inputs: int, results: int) -> str:
    """Return the inputs and results of a program, as arguments of its kernel."""
    names = [f"vin[{a}]" for a in range(inputs)] + [f"vout[{r}]" for r in range(results)]
    return "".join(f", {name}" for name in names)


LAID_OUT = """  const I *length = sizes + 6;
  T *free = w;
  const T *vD = WIDE_MODEL(D, sizes[4], &free), *vG = WIDE_MODEL(G, sizes[5], &free);
  for (int a = 0; a < INPUTS; a++) { vin[a] = free; free += length[a]; }
  for (int r = 0; r < RESULTS; r++) { vout[r] = free; free += length[INPUTS + r]; }"""

# the inputs of the states from b on; where fewer are left than there are lanes, the first stands in
GATHERED = """    for (int a = 0; a < INPUTS; a++) {
      const double *from[LANES];
      for (int l = 0; l < LANES; l++) from[l] = in[a] + (b + (l < own ? l : 0)) * strides[a];
      for (I j = 0; j < length[a]; j++) vin[a][j] = EACH(from, j);
    }"""

# added to a sum that stays zero, unless some input or result is no number, or what must be positive is not
GIVEN = "for (int a = 0; a < INPUTS; a++) for (I j = 0; j < length[a]; j++) sum += vin[a][j] - vin[a][j];"
JUDGED = """    for (int r = 0; r < RESULTS; r++) {
      for (I j = 0; j < length[INPUTS + r]; j++) sum += vout[r][j] - vout[r][j];
    }
    for (I j = 0; j < length[INPUTS + RESULTS - 1]; j++) {
      sum += WHERE(POSITIVE(vout[RESULTS - 1][j]), WIDE(0.0), WIDE(NAN));
    }"""


def c_march(plan: Plan, inputs: int, results: int, suffix: str) -> str:
    """Return the function of a program that runs it again and again, for one motion ("s") or some ("v")."""
    given = c_entries(inputs, results)
    return f"""
/* The first `again` results are the next step's first inputs; those of every `every`-th step are kept, states before
   steps. Returns whether something did not hold. */
I march(const I *restrict sizes, const I *restrict tree, const double *restrict D,
    const double *restrict G, const double *const *in, double *const *out, T *restrict w,
    I states, const I *restrict strides, I again, I steps,
    I every) {{
  T g[{max(plan.kept, 1)}], *vin[{max(inputs, 1)}], *vout[{max(results, 1)}];
{LAID_OUT}
  I wrong = 0, lanes = sizeof(T) / sizeof(double);
  for (I b = 0; b < states && !wrong; b += lanes) {{
    I own = states - b < lanes ? states - b : lanes;
{GATHERED}
    for (I s = 1; s <= steps && !wrong; s++) {{
      T sum = WIDE(0.0);
      run_{suffix}(sizes[0], sizes[1], sizes[2], tree, vD, vG{given}, free, g);
{JUDGED}
      for (int r = 0; r < again; r++) for (I j = 0; j < length[r]; j++) vin[r][j] = vout[r][j];
      for (int l = 0; l < own; l++) wrong |= !(((double *)&sum)[l] == 0.0);
      if (s % every == 0) for (int l = 0; l < own; l++) for (int r = 0; r < again; r++) {{
        double *to = out[r] + ((b + l) * (steps / every) + s / every - 1) * length[r];
        for (I j = 0; j < length[r]; j++) to[j] = ((double *)&vout[r][j])[l];
      }}
    }}
  }}
  return wrong;
}}
"""


def c_one(plan: Plan, inputs: int, results: int) -> str:
    """Return the function of a program that computes one state: whether all that it must be holds.

    How often it did is counted in the first place of the room to work.
    """
    return f"""
I one(const I *restrict sizes, const I *restrict tree, const double *restrict D, const double *restrict G,
         const double *const *vin, double *const *vout, double *restrict w) {{
  double g[{max(plan.kept, 1)}];
  const I *length = sizes + 6;
  double sum = 0.0;
  {GIVEN}
  run_s(sizes[0], sizes[1], sizes[2], tree, D, G{c_entries(inputs, results)}, w + 1, g);
{JUDGED}
  w[0] += sum == 0.0;
  return sum == 0.0;
}}
"""


def c_many(plan: Plan, inputs: int, results: int) -> str:
    """Return the function of a program that computes a batch of states, some side by side."""
    return f"""
/* Returns the first state in which something does not hold, or an input is no number; -1 if there is none. What must be
   positive is not written down. strides : how far one state of each input lies from the next, 0 where all share it. */
I many(const I *restrict sizes, const I *restrict tree, const double *restrict D, const double *restrict G,
          const double *const *in, double *const *out, V *restrict w, I states, const I *restrict strides) {{
  V g[{max(plan.kept, 1)}], *vin[{max(inputs, 1)}], *vout[{max(results, 1)}];
{LAID_OUT}
  I wrong = -1;
  for (I b = 0; b < states; b += LANES) {{
    I own = states - b < LANES ? states - b : LANES;
{GATHERED}
    V sum = splat(0.0);
    {GIVEN}
    run_v(sizes[0], sizes[1], sizes[2], tree, vD, vG{c_entries(inputs, results)}, free, g);
{JUDGED}
    for (int l = 0; l < own; l++) {{
      for (int r = 0; r < RESULTS - 1; r++) {{
        double *to = out[r] + (b + l) * length[INPUTS + r];
        for (I j = 0; j < length[INPUTS + r]; j++) to[j] = vout[r][j][l];
      }}
      if (wrong < 0 && !(sum[l] == 0.0)) wrong = b + l;
    }}
  }}
  return wrong;
}}
"""


INVERSE = """
/* Works on the rows of [M | -A | -B | 1] until M, given in C, is 1: A becomes -M^-1 A, B the same, and C M^-1. Returns
   whether M was not positive definite. */
static __attribute__((noinline, optimize("O3"))) int inverted(I n, double *restrict A, double *restrict B,
                                                              double *restrict C, double *restrict M) {
  for (I i = 0; i < n * n; i++) { M[i] = C[i]; C[i] = 0.0; A[i] = -A[i]; B[i] = -B[i]; }
  for (I i = 0; i < n; i++) C[i * n + i] = 1.0;
  for (I k = 0; k < n; k++) {
    if (!(M[k * n + k] > 0.0)) return 1;
    for (I i = k + 1; i < n; i++) {
      double f = M[i * n + k] / M[k * n + k];
      for (I j = k + 1; j < n; j++) M[i * n + j] -= f * M[k * n + j];
      for (I j = 0; j < n; j++) { A[i * n + j] -= f * A[k * n + j]; B[i * n + j] -= f * B[k * n + j]; }
      for (I j = 0; j <= k; j++) C[i * n + j] -= f * C[k * n + j];
    }
  }
  for (I k = n - 1; k >= 0; k--) {
    double f = 1.0 / M[k * n + k];
    for (I j = 0; j < n; j++) { A[k * n + j] *= f; B[k * n + j] *= f; C[k * n + j] *= f; }
    for (I i = 0; i < k; i++) {
      f = M[i * n + k];
      for (I j = 0; j < n; j++) {
        A[i * n + j] -= f * A[k * n + j]; B[i * n + j] -= f * B[k * n + j]; C[i * n + j] -= f * C[k * n + j];
      }
    }
  }
  return 0;
}
"""


def c_slopes(
    plan: Plan, along: Sequence[bool], inputs: int, results: int, inverse: bool = False
) -> str:
    """Return `one` of a program whose inputs are arguments and then directions: of one state, all unit vectors in turn.

    along : for each direction whether it is a joint velocity, else it is as long as the argument in its place. The
    results are ordered by direction; each has the unit vectors of its direction as its last axis. inverse : the third
    of three is a mass matrix M, and the results are -M^-1 times the first and the second, and M^-1.
    """
    solved = "if (inverted(sizes[2], out[0], out[1], out[2], (double *)free)) return 0;"
    flags = ",".join(str(int(x)) for x in along)
    return f"""{INVERSE if inverse else ""}
I one(const I *restrict sizes, const I *restrict tree, const double *restrict D, const double *restrict G,
         const double *const *in, double *const *out, double *restrict work) {{
  enum {{ TURNED = {len(along)}, OWN = INPUTS - TURNED, PARTS = RESULTS - 1 }};
  static const int along[] = {{{flags}}};
  const I *length = sizes + 6;
  I turns[TURNED], size[RESULTS], total = 0;
  V g[{max(plan.kept, 1)}], *vin[INPUTS], *vout[RESULTS];
  V *free = (V *)(((uintptr_t)work / sizeof(V) + 1) * sizeof(V)); /* behind work[0], the count */
  const V *vD = wide_model(D, sizes[4], &free), *vG = wide_model(G, sizes[5], &free);
  for (int a = 0; a < OWN; a++) {{
    vin[a] = free; free += length[a];
    for (I j = 0; j < length[a]; j++) vin[a][j] = splat(in[a][j]);
  }}
  for (int a = 0; a < TURNED; a++) {{
    turns[a] = along[a] ? sizes[2] : length[a];
    total += turns[a];
    vin[OWN + a] = free; free += turns[a];
    for (I j = 0; j < turns[a]; j++) vin[OWN + a][j] = splat(0.0);
    if (turns[a]) for (int r = 0; r < PARTS; r++) size[r] = length[OWN + a * PARTS + r] / turns[a];
  }}
  size[PARTS] = length[OWN + TURNED * PARTS];
  if (total) for (int r = 0; r < RESULTS; r++) {{ vout[r] = free; free += size[r]; }}
  double sum = 0.0;
  for (I b = 0, a = 0, j = 0; b < total; b += LANES) {{
    I own = total - b < LANES ? total - b : LANES, which[LANES], at[LANES];
    for (int l = 0; l < own; l++) {{
      while (j == turns[a]) {{ a++; j = 0; }}
      which[l] = a; at[l] = j++;
      vin[OWN + a][at[l]][l] = 1.0;
    }}
    run_v(sizes[0], sizes[1], sizes[2], tree, vD, vG{c_entries(inputs, results)}, free, g);
    for (int l = 0; l < own; l++) {{
      vin[OWN + which[l]][at[l]][l] = 0.0;
      for (I i = 0; i < size[PARTS]; i++) if (!(vout[PARTS][i][l] > 0.0)) sum = NAN;
      for (int r = 0; r < PARTS; r++) {{
        double *to = out[which[l] * PARTS + r] + at[l];
        for (I i = 0; i < size[r]; i++) {{
          to[i * turns[which[l]]] = vout[r][i][l];
          sum += vout[r][i][l] - vout[r][i][l];
        }}
      }}
    }}
  }}
  {solved if inverse else ""}
  work[0] += sum == 0.0;
  return sum == 0.0;
}}
"""


def c_program(
    plan: Plan,
    inputs: int,
    results: int,
    *,
    lanes: bool,
    along: Sequence[bool] | None = None,
    inverse: bool = False,
) -> str:
    """Return the whole program: for one state at a time, `one`, or for a batch, some side by side, `many`.

    along, inverse : of a program whose last inputs are directions, as for `c_slopes`.

    `march` takes many steps. one(sizes, tree, D, G, in, out, w): sizes are n, nq, nv, the length of all records, of D
    and of G, then that of each input and result; the last result is what must be positive.
    """
    suffix = "v" if lanes else "s"
    parts = [
        f"#define INPUTS {inputs}\n#define RESULTS {results}\n",
        PRELUDE,
        SIDE_BY_SIDE if lanes else SINGLE,
        c_kernel(plan, inputs, results).replace("@", suffix),
        c_march(plan, inputs, results, suffix),
        (c_many if lanes else c_one)(plan, inputs, results),
        "" if along is None else c_slopes(plan, along, inputs, results, inverse),
    ]
    return "".join(parts)
