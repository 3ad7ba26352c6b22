"""The exercises of the chapters, and what each says of itself in the classes of its directive.

```{exercise-start} A stop for the door
:label: ex-9-stop
:class: kind-by-hand stars-2 minutes-20
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from book.pages import chapter_of, chapters, options, read_page, tags

KINDS = ("recall", "by hand", "coding", "proof", "explore", "research")
STARS = 3
MINUTES = (5, 10, 15, 20, 30, 45, 60, 90, 120)

_CLASS = re.compile(r"(kind|stars|minutes|without)-(.+)")
_DIRECTIVE = re.compile(r"`{3,}\{([\w-]+)\}[ ]*(.*)((?:\n:[\w-]+:.*)*)")


@dataclass
class Facts:
    """What the classes of an exercise say; None where they do not."""

    kind: str | None = None
    stars: int | None = None
    minutes: int | None = None
    without: tuple[str, ...] = ()  # functions of the library that an answer does not call

    def words(self) -> str:
        """The facts in a line: "coding · ★★ · 20 min · without aba"."""
        said = [
            self.kind,
            "★" * self.stars if self.stars else None,
            f"{self.minutes} min" if self.minutes else None,
            self.restriction(),
        ]
        return " · ".join(word for word in said if word)

    def restriction(self) -> str | None:
        """What an answer does without: "without aba"."""
        return f"without {', '.join(self.without)}" if self.without else None


@dataclass
class Exercise:
    """One exercise of a chapter; `checks` and `solution` are the sources of its cells."""

    chapter: int
    number: int  # within the chapter
    label: str
    title: str
    facts: Facts
    hint: bool = False
    solved: bool = False
    checks: list[str] = field(default_factory=list)
    solution: list[str] = field(default_factory=list)

    @property
    def checked(self) -> bool:
        """Whether a cell of the exercise tries the reader's answer."""
        return any("attempt(" in source for source in self.checks)


def facts(classes: str) -> Facts:
    """Read the classes of an exercise. ValueError if one of them says what no exercise can be."""
    found = Facts()
    for name in classes.split():
        match = _CLASS.fullmatch(name)
        if match is None:
            continue
        if match[1] == "without":
            found.without += (match[2].replace("-", "_"),)
            continue
        what, value = match[1], match[2].replace("-", " ")
        allowed = {"kind": KINDS, "stars": range(1, STARS + 1), "minutes": MINUTES}[what]
        if value not in map(str, allowed):
            raise ValueError(f"{name}: {what} is one of {', '.join(map(str, allowed))}")
        setattr(found, what, value if what == "kind" else int(value))
    return found


def exercises(page: Path) -> list[Exercise]:
    """The exercises of a chapter, in order.

    An exercise lasts until the next one; what follows the start of its solution belongs to the solution.
    """
    chapter = chapter_of(page)["chapter"]
    found = list[Exercise]()
    for cell in read_page(page).cells:
        if cell.cell_type == "markdown":
            for name, argument, options in _directives(cell.source):
                _take(found, chapter, name, argument, options)
        elif cell.cell_type == "code" and found:
            inside = "solution" in tags(cell)
            (found[-1].solution if inside else found[-1].checks).append(cell.source)
    return found


def all_exercises(root: Path | None = None) -> list[Exercise]:
    """The exercises of the book."""
    return [
        exercise
        for page in (chapters(root) if root else chapters())
        for exercise in exercises(page)
    ]


def _directives(markdown: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    for match in _DIRECTIVE.finditer(markdown):
        yield match[1], match[2].strip(), options(match[3])


def _take(
    found: list[Exercise], chapter: int, name: str, argument: str, options: dict[str, str]
) -> None:
    """Note what a directive adds to the exercises found so far."""
    if name == "exercise-start":
        label, said = options.get("label", ""), options.get("class", "")
        try:
            found.append(Exercise(chapter, len(found) + 1, label, argument, facts(said)))
        except ValueError as error:
            raise ValueError(f"exercise {label}: {error}") from None
    elif name == "hint" and found and not found[-1].solved:
        found[-1].hint = "dropdown" in options.get("class", "")
    elif name == "solution-start" and found and argument == found[-1].label:
        found[-1].solved = True
