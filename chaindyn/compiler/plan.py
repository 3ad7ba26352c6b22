"""A recording put in order: which loop over links computes what, and what is kept from loop to loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chaindyn.compiler.operations import STATEMENTS, SWEPT, UNKNOWN, VALUE
from chaindyn.compiler.recording import Number, reached_from
from chaindyn.compiler.rolled import Recording

__all__: list[str] = []

Array = Any


MOST_STRAIGHT = 7_000  # numbers of a program without loops: compilers take a second for these, loops as long to run
LEFT = ("row", "column")  # by a column on its way, in matrices of pairs of joints
MET = ("there", "back")  # by two that meet, one in the row of the other
PAIRS = ("block", *LEFT, *MET)
MOST_IN_ONE = 1_000  # numbers of one function without loops: compilers take more than linear time


@dataclass(frozen=True, eq=False)
class Output:
    """Where a number goes: into which result, and where in it.

    kind : of the links that write it, None if nobody's; base : "link", "q" or "v", of which the place is `times` times
    a link's own, plus `plus`, and `over` whole rows; "" is the place `plus` itself. Of a matrix of pairs of joints:
    entry (`times`, `plus`) of a link's "block", or of its "row" or "column" with a column that passes in sweep `over`;
    "there" and "back" are those of two columns that meet.
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
    made = [x for kind in sweep.made for x in sweep.handed_on(kind, place)]
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
        made = [x for kind in sweep.made for c in own for x in sweep.handed_on(kind, c)]
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

    @cached_property
    def turns(self) -> dict[tuple[int, ...], list[Number]]:
        """What is done in each turn of a loop, by the path of loops to it."""
        own: dict[tuple[int, ...], list[Number]] = {x.path: [] for x in self.recording.tape.loops}
        for x in self.live:
            if x.scope:
                own[x.scope].append(x)
        return own

    @cached_property
    def loops(self) -> dict[int, Number]:
        """What stands for each loop, by its number."""
        return {x.args[0]: x for x in self.live if x.op == "loop"}

    @cached_property
    def records(self) -> int:
        """How many numbers the records of the ground and of all links hold."""
        return self.carried + sum(self.widths[int(k)] for k in self.recording.kind)

    @cached_property
    def rooms(self) -> list[int]:
        """Where the arrays of loops begin, behind all records, and where the last one ends."""
        sizes = [x.rows * x.columns for x in self.recording.tape.memories]
        return [self.records, *(self.records + np.cumsum(sizes, dtype=int)).tolist()]

    @property
    def handed_on(self) -> int:
        """How many numbers are kept for later loops, or later functions, those of the program that it asks too."""
        return self.kept + (0 if self.asked is None else self.asked.plan.handed_on)

    @property
    def room(self) -> int:
        """How many numbers it needs to work, those of the program that it asks among them."""
        columns = sum(map(len, self.on_the_way.values())) * self.order.size
        return int(self.rooms[-1] + columns) + (0 if self.asked is None else self.asked.plan.room)

    @cached_property
    def on_the_way(self) -> dict[int, list[int]]:
        """What the columns are made of that sweeps take to the ground, by sweep."""
        return {s: c for s, c in self.classes.items() if self.recording.sweeps[s].begun is not None}

    @cached_property
    def begun(self) -> dict[int, list[list[Number]]]:
        """The columns that begin at the links of each kind, alike in all sweeps that take some to the ground."""
        return next((self.recording.sweeps[s].begun for s in self.on_the_way), None) or {}

    @cached_property
    def branches(self) -> tuple[Array, Array]:
        """Where columns stand on their way, a branch's one after another, and which of all columns each is (nv,).

        (n, 2) : where those of each link begin, and where those of all that hang on it end.
        """
        recording = self.recording
        kinds = recording.kind.tolist() if self.begun else []
        width = np.array([len(self.begun[k]) for k in kinds], int)
        size, free = width.copy(), np.zeros(len(width) + 1, int)  # behind them the ground's
        for i in reversed(range(len(size))):
            if recording.parent[i] >= 0:
                size[recording.parent[i]] += size[i]
        start = np.zeros_like(size)
        for i in range(len(size)):
            p = recording.parent[i]
            start[i], free[p] = free[p], free[p] + size[i]
            free[i] = start[i] + width[i]
        order = np.argsort(np.concatenate([[], *map(np.arange, start, start + width)]))
        return np.stack([start, start + size], axis=-1), order

    @property
    def order(self) -> Array:
        """Which of all columns stands in each place of those on their way (nv,)."""
        return self.branches[1]

    @property
    def link_by_link(self) -> int:
        """About how many numbers it would have link by link, for columns on their way one by one."""
        recording, passing = self.recording, {k: 0 for k in self.widths}
        starts = self.branches[0] if self.begun else np.zeros((recording.kind.size, 2), int)
        for kind, (start, end) in zip(recording.kind.tolist(), starts.tolist(), strict=True):
            passing[kind] += end - start - len(self.begun.get(kind, []))
        members = {k: len(recording.members(k)) for k in self.widths}
        return sum(
            1 if x.owner is None else (passing if x.scope else members)[x.owner] for x in self.live
        )

    @cached_property
    def sparse(self) -> list[int]:
        """Which results are matrices of pairs of joints not all of whose entries are laid down."""
        own = Counter(o.result for o in self.outputs if o.base in PAIRS)
        full = sum(len(x) * (len(x) + 2) for x in self.begun.values())
        parent = self.recording.parent
        serial = parent == tuple(range(-1, len(parent) - 1))
        return [r for r, count in own.items() if not serial or count < full]

    @cached_property
    def rows_of_columns(self) -> dict[int, int]:
        """Where the columns of each sweep stand, behind the arrays of loops: an entry of all columns after another."""
        at, places = self.rooms[-1], {}
        for s, classes in self.on_the_way.items():
            places[s] = at
            at += len(classes) * self.order.size
        return places

    @property
    def gathered(self) -> int:
        """How much of a record sweeps inward add up, from its beginning."""
        return sum(len(self.classes[s]) for s in self.base if self.recording.sweeps[s].inward)

    @property
    def carried(self) -> int:
        """How much of a record belongs to sweeps: the length of the ground's."""
        return sum(len(self.classes[s]) for s in self.base)


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
    own = [s for s in classes if recording.sweeps[s].begun is None]
    for s in sorted(own, key=lambda s: not recording.sweeps[s].inward):
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
        for kind in recording.sweeps[s].made:
            for x in [x for c in own for x in recording.sweeps[s].handed_on(kind, c)]:
                loops.setdefault(x.index, []).append(loop[s])
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
    carried = sum(len(classes[s]) for s in bases(recording, classes))
    widths = dict.fromkeys(sorted(set(recording.kind.tolist())), carried)
    kept = 0
    for x in live:
        if x.owner is None:
            lasting = x.index in fixed or x.scope or x.op in ("input", "grounded", *STATEMENTS)
            if not (straight and len(live) <= MOST_IN_ONE) and not lasting:
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
