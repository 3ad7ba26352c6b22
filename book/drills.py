"""Drills: questions by hand whose numbers are drawn anew, and where a chapter says them.

A drill stands in the solution of its exercise. It is Python that ends with a `Drill`, and may use what the chapter and
its earlier drills have above it. The page does not show this, but asks the question below the solution
(book/practice.py):

```{drill} ex-1-door
def power(width, speed, force):
    return speed * screw([width, 0, 0], [0, 0, 1]) @ (force * wrench([0, 0, 0], [0, -1, 0]))

Drill("A door of {width} m ...", power, given={"width": Grid(0.6, 1.2, 0.1), ...}, asked={"the power": "W"}, ...)
```
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from book import sketch
from book.judging import given_for, module_for
from book.pages import BookError, code_cells, notebook_from

TRIES = 1000  # draws until one is good: a drill that needs more draws from too few
APART = 3  # tolerances that lie at least between a right answer and a wrong one
Numbers = dict[str, float]
_FENCE = re.compile(r"(?ms)^(`{3,})\{drill\}[ ]*(\S+)[ ]*\n(.*?)^\1[ ]*$")
# In an edition without solutions a drill is what its page is told of it, below its exercise (book/practice.py).
_SHOWN = re.compile(r"(?ms)^(`{3,})\{(drill|practice)\}[ ]*(\S+)[ ]*\n(.*?)^\1[ ]*$")
_TITLE = re.compile(r'(?m)^(?: *title="|:title: )(.*?)(?:",)?$')
_OWNER = {
    "drill": re.compile(r"(?m)^`{3,}\{solution-start\}[ ]*(\S+)"),
    "practice": re.compile(r"(?m)^:label: (ex-\S+)"),
}


@dataclass(frozen=True)
class Grid:
    """The numbers low, low + step, ..., high: round ones, for they are reckoned with by hand."""

    low: float
    high: float
    step: float = 1

    def pick(self, chance: float) -> float:
        """Return one of them, for a number in [0, 1)."""
        count = round((self.high - self.low) / self.step) + 1
        value = round(self.low + self.step * int(chance * count), 9)
        return int(value) if value == int(value) else value


@dataclass(frozen=True)
class Drill:
    """A question and what becomes of an answer.

    text, solution : with {name} where a number stands; in a solution {answer_0} is the first answer.
    answer, again : functions of the numbers, by two routes; each gives what is asked, in its order.
    asked : what is asked, as `text`, each with its unit.
    wrong : for each usual mistake the sentence that it deserves, and the function that makes it.
    within : relative tolerance of an answer; title : of a further drill of an exercise, what it is about.
    picture : a sketch of it (book/sketch.py).
    """

    text: str
    answer: Callable[..., Any]
    given: Mapping[str, Grid]
    asked: Mapping[str, str]
    again: Callable[..., Any]
    solution: str
    wrong: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    within: float = 0.01
    title: str = ""
    picture: sketch.Picture | None = None

    @property
    def template(self) -> str:
        """The picture with slots for what its numbers give, with room for all draws; nothing if there is none."""
        if self.picture is None:
            return ""
        ends = [(grid.low, grid.high) for grid in self.given.values()]
        corners = (dict(zip(self.given, end, strict=True)) for end in itertools.product(*ends))
        return self.picture.template(corners)


@dataclass(frozen=True)
class Question:
    """A drill with numbers."""

    drill: Drill
    numbers: Numbers
    answers: list[float]
    mistakes: dict[str, list[float]]

    @property
    def text(self) -> str:
        return self.drill.text.format(**self.numbers)

    @property
    def asked(self) -> list[tuple[str, str]]:
        """What is asked, with the numbers in it, and its unit."""
        return [(what.format(**self.numbers), unit) for what, unit in self.drill.asked.items()]

    @property
    def solution(self) -> str:
        named = {f"answer_{k}": _short(value) for k, value in enumerate(self.answers)}
        return self.drill.solution.format(**self.numbers, **named)

    @property
    def picture(self) -> str:
        """The picture of these numbers, as SVG, or nothing."""
        if self.drill.picture is None:
            return ""
        slots = self.drill.picture.numbers(self.numbers)
        return sketch.filled(self.drill.picture.template([self.numbers]), slots, self.numbers)

    @property
    def alt(self) -> str:
        """What the picture shows."""
        return self.drill.picture.alt.format(**self.numbers) if self.drill.picture else ""

    def tolerance(self, k: int) -> float:
        return self.drill.within * abs(self.answers[k])


@dataclass(frozen=True)
class Item:
    """A question of the bank: its drill's label, and which draw it is."""

    label: str
    draw: str
    question: Question

    @property
    def name(self) -> str:
        return f"{self.label}-{self.draw}"


def _short(value: float) -> str:
    """Four digits of a number."""
    return np.format_float_positional(float(f"{value:.4g}"), trim="-")


def chances(text: str) -> Iterator[float]:
    """Numbers in [0, 1) that hang on a text alone: the same for ever, in any language (FNV-1a, then mulberry32)."""
    state = 0x811C9DC5
    for byte in text.encode():
        state = (state ^ byte) * 0x01000193 & 0xFFFFFFFF
    while True:
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        mixed = (state ^ state >> 15) * (state | 1) & 0xFFFFFFFF
        mixed ^= (mixed + ((mixed ^ mixed >> 7) * (mixed | 61) & 0xFFFFFFFF)) & 0xFFFFFFFF
        yield (mixed ^ mixed >> 14) / 0x100000000


def drawn(drill: Drill, label: str, seed: str) -> Question:
    """Return the question of a seed: the first whose answers are not zero and not those of a mistake.

    BookError if there is none.
    """
    chance = chances(f"{label}/{seed}")
    for _ in range(TRIES):
        numbers = {name: grid.pick(next(chance)) for name, grid in drill.given.items()}
        question = with_numbers(drill, numbers)
        if fault_of(question) is None:
            return question
    raise BookError(f"{label}: no draw of seed {seed} is good: {fault_of(question)}")


def with_numbers(drill: Drill, numbers: Numbers) -> Question:
    """Return the question of some numbers."""
    mistakes = {said: values(wrong, numbers) for said, wrong in drill.wrong.items()}
    return Question(drill, numbers, values(drill.answer, numbers), mistakes)


def values(function: Callable[..., Any], numbers: Numbers) -> list[float]:
    return [float(value) for value in np.ravel(function(**numbers))]


def fault_of(question: Question) -> str | None:
    """Return why a draw makes no good question, or nothing."""
    answers = np.array(question.answers)
    if not np.isfinite(answers).all() or not (np.abs(answers) > 1e-9).all():
        return f"answers {question.answers}"
    far = APART * np.array([question.tolerance(k) for k in range(len(answers))])
    for said, wrong in question.mistakes.items():
        if not (np.abs(np.array(wrong) - answers) > far).any():
            return f"{said!r} gives the right answer"
    return None


def labels(page: Path) -> dict[str, str]:
    """The labels of a chapter's drills, each with that of its exercise. BookError if it does not stand in one.

    A drill has its exercise's label; a further one has a word more: ex-1-door, ex-1-door-hinge.
    """
    source, found = page.read_text(encoding="utf-8"), dict[str, str]()
    for match in _SHOWN.finditer(source):
        label, owners = match[3], _OWNER[match[2]].findall(source[: match.start()])
        owner = owners[-1] if owners else ""
        if not f"{label}-".startswith(f"{owner}-") or not owner or label in found:
            raise BookError(
                f"{page.name}: a drill {label} must stand in the solution of its exercise"
            )
        found[label] = owner
    return found


def titles_of(page: Path) -> dict[str, str]:
    """The titles of a chapter's drills, by label, as they are written; nothing where it is the exercise's."""
    blocks = _SHOWN.finditer(page.read_text(encoding="utf-8"))
    return {block[3]: ((found := _TITLE.search(block[4])) and found[1]) or "" for block in blocks}


def drills(page: Path) -> dict[str, Drill]:
    """The drills of a chapter, by label. BookError if one is none."""
    source, found, owners = page.read_text(encoding="utf-8"), dict[str, Drill](), labels(page)
    earlier = list[str]()  # what other drills draw, say; a name of the page goes before theirs
    for match in _FENCE.finditer(source):
        label, code = match[2], match[3]
        above = [cell.source for cell in code_cells(notebook_from(source[: match.start()]))]
        found[label] = _made([*earlier, *above], code, f"{page.name}, drill {label}")
        earlier.append("\n".join(code.splitlines()[: ast.parse(code).body[-1].lineno - 1]))
        if (owners[label] == label) == bool(found[label].title):
            raise BookError(
                f"{page.name}: a further drill has a title, the first its exercise's: {label}"
            )
    return found


def _made(above: list[str], code: str, where: str) -> Drill:
    space = module_for("drill_cells")
    space |= {"Drill": Drill, "Grid": Grid, "np": np, "sketch": sketch}
    try:
        for one in given_for(above, code):
            exec(one.code, space)
        *body, last = ast.parse(code).body
        exec(compile(ast.Module(body, []), where, "exec", dont_inherit=True), space)
        made = eval(compile(ast.Expression(last.value), where, "eval"), space)  # type: ignore[attr-defined]
    except Exception as error:
        raise BookError(f"{where}: {type(error).__name__}: {error}") from error
    if not isinstance(made, Drill):
        raise BookError(f"{where}: its last line gives no Drill")
    return made
