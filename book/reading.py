"""How long a chapter takes to read, section by section, counted by one rule from what its page holds.

Nobody says a chapter's minutes by hand: they would be wrong after the next change. Its exercises say their own.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from book.pages import read_page, tags

# Minutes for each. A label is what one sees of a cell that folds: its picture, or a line with a check's result.
WORD, DISPLAY, LINE, LABEL, HAND = 1 / 180, 0.5, 0.25, 0.25, 3.0
EXERCISES = "Exercises"
STAR = "*"  # at the end of a title: for a second reading

_HEADING = re.compile(r"^(###?) +(.*\S)", re.MULTILINE)
_DISPLAY = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_BY_HAND = re.compile(r"^(?:#+ |\*\*)[^*\n]*\bby hand\b", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class Section:
    """One section of a chapter; the first, before all headings of the second level, has no title.

    later : the minutes of those parts of a section of the main path that have a star of their own.
    """

    title: str
    minutes: int
    later: int = 0

    @property
    def second(self) -> bool:
        """Whether it is for a second reading, which a star at the end of its title says."""
        return self.title.endswith(STAR)

    @property
    def exercises(self) -> bool:
        return self.title == EXERCISES


@lru_cache(200)
def sections(page: Path) -> tuple[Section, ...]:
    """The sections of a chapter, in order, the exercises (which say their own minutes) with none."""
    held, waits = [("", [0.0, 0.0])], False
    for cell in read_page(page).cells:
        if cell.cell_type == "code":
            folded = cell.metadata.get("fold") or {"hide-input", "signatures"} & {*tags(cell)}
            held[-1][1][waits] += LABEL if folded else _of_code(cell.source)
            continue
        first, *others = _HEADING.split(cell.source)
        held[-1][1][waits] += _of_text(first)
        for level, title, text in zip(*(others[k::3] for k in range(3)), strict=True):
            if level == "##":
                held.append((title, [0.0, 0.0]))
            waits = level != "##" and title.endswith(STAR)
            held[-1][1][waits] += _of_text(f"{level} {title}{text}")
    return tuple(_section(title, *minutes) for title, minutes in held)


def _section(title: str, minutes: float, later: float) -> Section:
    if title == EXERCISES:
        return Section(title, 0)
    if title.endswith(STAR):
        return Section(title, max(1, round(minutes + later)))
    return Section(title, max(1, round(minutes)), round(later))


def _of_text(markdown: str) -> float:
    counted = DISPLAY * len(_DISPLAY.findall(markdown)) + HAND * len(_BY_HAND.findall(markdown))
    return counted + WORD * len(_DISPLAY.sub(" ", markdown).split())


def _of_code(source: str) -> float:
    """The minutes of code that stands open: imports fold, and of a docstring all but its first sentence."""
    folds, words = list[ast.stmt](), 0
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            folds.append(node)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and (said := ast.get_docstring(node)):
            folds.append(node.body[0])
            words += len(said.split("\n\n")[0].split())
    closed = {k for one in folds for k in range(one.lineno, (one.end_lineno or 0) + 1)}
    lines = [line for k, line in enumerate(source.splitlines(), 1) if k not in closed]
    return WORD * words + LINE * sum(bool(line.strip()) for line in lines)


def main_path(page: Path) -> int:
    """The minutes of a chapter's main path, in fives."""
    return 5 * round(sum(s.minutes for s in sections(page) if not s.second) / 5)


def spoken(minutes: int) -> str:
    """A time as one says it: "50 minutes", "1 hour 10 minutes"."""
    hours, rest = divmod(minutes, 60)
    said = [f"{hours} hour{'s' * (hours > 1)}"] if hours else []
    said += [f"{rest} minutes"] if rest or not hours else []
    return " ".join(said)
