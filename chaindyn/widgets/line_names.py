"""The names behind a number of a page's function, found by reading its lines: for sketches that are sampled.

What was not recorded can still be read: the line that gave a name its value, the names in that line, and so on, back to
what the reader sets and to the page's own data. The lines of the function and of its cell are followed; those of
earlier cells are told, and end there.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from chaindyn.widgets.lines import chapter_of
from chaindyn.widgets.marks import Mark

Statement = ast.stmt | ast.ExceptHandler
LONGEST = 9  # entries of an array that travel; of more the page says how many
BINDING = (  # names of their own
    *(ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def names_in(node: ast.AST, bound: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the names that a piece of a page reads from around it, in order; not those that it binds itself."""
    if isinstance(node, ast.Name):
        return () if node.id in bound else (node.id,)
    if isinstance(node, BINDING):
        inside = list(ast.walk(node))
        stored = (x.id for x in inside if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store))
        bound = bound.union(stored, (x.arg for x in inside if isinstance(x, ast.arg)))
    parts = ast.iter_child_nodes(node)
    return tuple(dict.fromkeys(name for part in parts for name in names_in(part, bound)))


class Gift(NamedTuple):
    """What a statement does to a name: of which pieces it makes its value, or only changes it (`whole` is false)."""

    name: str
    whole: bool
    pieces: tuple[ast.AST, ...]


def gifts(node: ast.AST) -> Iterator[Gift]:
    """Yield what a statement does to names."""
    match node:
        case ast.Assign():
            for target in node.targets:
                yield from shared(target, node.value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from shared(target, value)
        case ast.AugAssign(target=target, value=value):
            yield from (gift._replace(whole=False) for gift in shared(target, value))
        case ast.For(target=target, iter=value):
            yield from shared(target, value)
        case ast.FunctionDef(name=name):
            yield Gift(name, True, (node,))
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name))) as call):
            yield Gift(name, False, (*call.args, *call.keywords))  # as list.append


def shared(target: ast.AST, value: ast.AST) -> Iterator[Gift]:
    """Yield what a target is given of a value; of several the own part of each, where the page writes it as such."""
    match target:
        case ast.Name(id=name):
            yield Gift(name, True, (value,))
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            parts = parts_of(value)
            each = parts if len(parts) == len(targets) else [value] * len(targets)
            for one, own in zip(targets, each, strict=True):
                yield from shared(one, own)
        case ast.Starred(value=inner):
            yield from shared(inner, value)
        case ast.Subscript(value=inner) | ast.Attribute(value=inner):
            index = (target.slice,) if isinstance(target, ast.Subscript) else ()
            for gift in shared(inner, value):
                yield Gift(gift.name, False, (*gift.pieces, *index))


def parts_of(value: ast.AST) -> list[ast.expr]:
    """Return the parts of a tuple, or what a loop goes through side by side, as far as they stand one by one."""
    match value:
        case ast.Tuple(elts=parts):
            pass
        case ast.Call(func=ast.Name(id="zip"), args=parts):
            pass
        case _:
            parts = []
    return [] if any(isinstance(x, ast.Starred) for x in parts) else parts


class Place(NamedTuple):
    """Where something stands: its line and column, the branches and the loops around it."""

    at: tuple[float, float]
    arms: frozenset[tuple[int, str]]
    loops: frozenset[int]


END = Place((float("inf"), 0), frozenset(), frozenset())


class Given(NamedTuple):
    """A statement that gives a name its value, or changes it."""

    place: Place
    gift: Gift
    text: str


def statements(
    body: Iterable[Statement], arms: frozenset[tuple[int, str]], loops: frozenset[int]
) -> Iterator[tuple[Statement, Place]]:
    """Yield all statements with their places, but not those of functions within."""
    for node in body:
        within = loops | {id(node)} if isinstance(node, ast.For | ast.While) else loops
        yield node, Place((node.lineno, node.col_offset), arms, within)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        for name, value in ast.iter_fields(node):
            inner = (
                [x for x in value if isinstance(x, ast.stmt | ast.ExceptHandler)]
                if isinstance(value, list)
                else []
            )
            side = {(id(node), name if isinstance(node, ast.If) else "")}
            maybe = isinstance(node, ast.If | ast.Try | ast.ExceptHandler)
            yield from statements(inner, arms | side if maybe else arms, within)


class Scope:
    """The statements of a function or of a cell that give names their values."""

    def __init__(self, text: str, body: Iterable[Statement]) -> None:
        self.text, self.all = text, list(statements(body, frozenset(), frozenset()))
        self.given = [
            Given(place, gift, self.headed(node))
            for node, place in self.all
            for gift in gifts(node)
        ]

    def written(self, node: ast.AST) -> str:
        """Return a piece of the text on one line."""
        return re.sub(r"\s*\n\s*", " ", ast.get_source_segment(self.text, node) or "")

    def headed(self, node: ast.AST) -> str:
        """Return a statement; of a loop and of a function only what stands before the colon."""
        if isinstance(node, ast.For):
            return f"for {self.written(node.target)} in {self.written(node.iter)}"
        if isinstance(node, ast.FunctionDef):
            takes = [x.arg for x in ast.walk(node.args) if isinstance(x, ast.arg)]
            return f"def {node.name}({', '.join(takes)})"
        return self.written(node)

    def reaching(self, name: str, use: Place) -> tuple[Given, ...]:
        """Return what may have given a name its value where it is used: back to what has done so in any case."""
        own = [x for x in self.given if x.gift.name == name and not apart(x.place, use)]
        found = list[Given]()
        for one in reversed([x for x in own if x.place.at < use.at]):
            found.insert(0, one)
            if one.gift.whole and one.place.arms <= use.arms:
                return tuple(found)
        return tuple(found or [x for x in own if x.place.loops & use.loops])  # the turn before


def apart(one: Place, other: Place) -> bool:
    """Whether two places stand in different branches of one question."""
    sides = dict(one.arms)
    return any(sides.get(node, side) != side for node, side in other.arms)


Key = tuple[
    int, tuple[float, float], str
]  # how near: the function, its cell, a cell before; where it stands; its name
FUNCTION, CELL = 2, 1


class Step(NamedTuple):
    """A name on the way back from a number: its lines, what they read, and the laws of the book in them.

    known : whether the name still holds, where the number is drawn, what these lines read or gave.
    """

    key: Key
    name: str
    text: str
    known: bool
    names: tuple[str, ...]
    place: Place
    rests: tuple[Key, ...] = ()
    arguments: tuple[str, ...] = ()
    laws: tuple[tuple[str, str], ...] = ()


class Page:
    """The lines around a running function, whose own arguments are given: its own, its cell's, and earlier cells'."""

    def __init__(self, frame: FrameType, arguments: Sequence[str]) -> None:
        code = frame.f_code
        self.arguments, self.values = arguments, {**frame.f_globals, **frame.f_locals}
        text = "".join(linecache.getlines(code.co_filename))
        history = frame.f_globals.get("In")  # of IPython, unless the page calls something so
        earlier = reversed(history) if isinstance(history, list) else []
        cells = [text, *(own for own in earlier if isinstance(own, str))]
        self.cell, *self.earlier = [Scope(own, tree_of(own).body) for own in cells]
        defined = [x for x in ast.walk(tree_of(text)) if isinstance(x, ast.FunctionDef)]
        own = [
            x.body
            for x in defined
            if x.name == code.co_name and first_line(x) == code.co_firstlineno
        ]
        self.function = Scope(text, own[0] if own else [])

    def behind(self, mark: Mark, now: int) -> list[Step]:
        """Return the steps back from a mark that is yielded on this line; the first is its number, as it is written."""
        drawn, made = self.yielded(mark, now)
        if made is None:
            return [Step((0, (0, 0), ""), "", "", False, (), END, arguments=tuple(self.arguments))]
        first = Step((3, (0, 0), ""), "", self.function.written(made), False, names_in(made), drawn)
        found, waiting = dict[Key, Step](), [first]
        while waiting:
            step = waiting.pop()
            if step.key in found:
                continue
            each = {name: self.step(name, step, drawn) for name in step.names}
            used = [x for x in each.values() if x and x.key != step.key]
            free = [name for name in step.names if each[name] is None]
            chapters = ((name, chapter_of(self.values.get(name))) for name in free)
            found[step.key] = step._replace(
                rests=tuple(dict.fromkeys(x.key for x in used)),
                arguments=tuple(name for name in free if name in self.arguments),
                laws=tuple((name, chapter) for name, chapter in chapters if chapter),
            )
            waiting += used
        return sorted(found.values(), key=lambda step: step.key, reverse=True)

    def yielded(self, mark: Mark, now: int) -> tuple[Place, ast.AST | None]:
        """Return where a function waits at a mark, and the piece that its number is made of."""
        for node, place in self.function.all:
            value = node.value if isinstance(node, ast.Expr) else None
            if not isinstance(value, ast.Yield) or not node.lineno <= now <= (node.end_lineno or 0):
                continue
            call, shown = value.value, next((x for x in SHOWN if x in mark.SHAPES), "points")
            if isinstance(call, ast.Call):
                by_order = dict(zip((x.name for x in fields(mark)), call.args, strict=False))
                return place, by_order.get(shown) or {x.arg: x.value for x in call.keywords}.get(
                    shown
                )
        return END, None

    def step(self, name: str, by: Step, drawn: Place) -> Step | None:
        """Return the step of a name that another one reads; None for an argument, and for what is only imported."""
        if by.key[0] > CELL:
            if given := self.function.reaching(name, by.place):
                return stepped(FUNCTION, name, given, self.function, by.place, drawn)
            if name in self.arguments:
                return None
        place = by.place if by.key[0] == CELL else END
        if given := self.cell.reaching(name, place):
            return stepped(CELL, name, given, self.cell, place, END)
        for k, scope in enumerate(self.earlier):
            if given := scope.reaching(name, END):
                return stepped(-k, name, given, scope, END, END)
        known = numbers_of(self.values.get(name)) is not None
        return Step((-len(self.earlier), (0, 0), name), name, "", True, (), END) if known else None


SHOWN = ("value", "along", "place")  # which of a mark's fields is its number


def stepped(
    near: int, name: str, given: tuple[Given, ...], scope: Scope, use: Place, drawn: Place
) -> Step:
    """Return the step of a name which these statements give its value, for a use in a scope."""
    loops = use.loops - drawn.loops  # in which the name had one value after the other
    known = given == scope.reaching(name, drawn) and not any(x.place.loops & loops for x in given)
    pieces = [piece for x in given for piece in x.gift.pieces]
    defined = any(isinstance(piece, ast.FunctionDef) for piece in pieces)
    read = dict.fromkeys(own for piece in pieces for own in names_in(piece)) if near >= CELL else {}
    names = tuple(own for own in read if own != name or len(given) == 1)
    texts = dict.fromkeys(x.text for x in given)
    key = (near, given[-1].place.at, name)
    return Step(key, name, "; ".join(texts), known, names, drawn if defined else given[-1].place)


def tree_of(text: str) -> ast.Module:
    """Return what some code says, nothing where it is no Python."""
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])


def first_line(node: ast.FunctionDef) -> int:
    """Return the line where a function begins, which is its first decorator's."""
    return min([node.lineno, *(x.lineno for x in node.decorator_list)])


class Watched:
    """A function that is called at one position after another, and what stands behind each mark that it yields."""

    def __init__(self, draw: Callable[..., Iterable[Mark]], arguments: Sequence[str]) -> None:
        self.draw, self.arguments = draw, arguments
        self.page: Page | None = None
        self.behind: list[list[Step]] = []
        self.values: list[list[np.ndarray | str]] = []  # position by position, of all steps
        self.fixed: dict[Key, np.ndarray | str] = {}  # of steps outside of the function

    def marks(self, **values: Any) -> list[Mark]:
        """Return the marks at a position, and keep the values of the names behind them."""
        drawing, marks, kept = self.draw(**values), list[Mark](), list[np.ndarray | str]()
        for mark in drawing:
            frame: FrameType | None = getattr(drawing, "gi_frame", None)
            if len(self.behind) == len(marks) and not self.values:
                self.behind.append(self.steps(mark, frame))
            marks.append(mark)
            if here := self.behind[len(marks) - 1 : len(marks)]:
                kept += [self.worth(step, frame) for step in here[0]]
        self.values.append(kept)
        return marks

    def steps(self, mark: Mark, frame: FrameType | None) -> list[Step]:
        """Return the steps behind a mark that can be asked; of a list of marks all that is known are the arguments."""
        if "value" not in mark.SHAPES and not mark.looks.get("symbol"):
            return []
        if frame is None:
            return [Step((0, (0, 0), ""), "", "", False, (), END, arguments=tuple(self.arguments))]
        self.page = self.page or Page(frame, self.arguments)
        return self.page.behind(mark, frame.f_lineno)

    def worth(self, step: Step, frame: FrameType | None) -> np.ndarray | str:
        """Return what a step's name holds in a frame, "" if it does not hold what its lines gave it."""
        if frame is None or not step.known:
            return ""
        if step.key[0] == FUNCTION:
            return told(frame.f_locals.get(step.name))  # some branches give it none
        if step.key not in self.fixed:
            self.fixed[step.key] = told({**frame.f_globals, **frame.f_locals}.get(step.name))
        return self.fixed[step.key]


def numbers_of(value: Any) -> np.ndarray | None:
    """Return numbers as an array of its own; None if it is something else."""
    if not isinstance(value, int | float | list | tuple | np.ndarray | np.generic):
        return None
    try:
        found = np.array(value)
    except ValueError:
        return None
    return found if found.dtype.kind in "biuf" else None


def told(value: Any) -> np.ndarray | str:
    """Return a few numbers as they are, and of anything else what it is."""
    if value is None or isinstance(value, str):
        return f"\u201c{value}\u201d" if value else ""
    if (numbers := numbers_of(value)) is not None:
        size = " \u00d7 ".join(map(str, numbers.shape))
        return numbers if 0 < numbers.size <= LONGEST else f"{size} numbers"
    kind = "function" if callable(value) else type(value).__name__.removeprefix("nd")
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"
