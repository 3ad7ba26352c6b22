"""What a teacher shows and says of a chapter: ``book/lectures/NAME.md``, written by hand, a part for each section.

A part has the section's heading, what stands on its slide (sentences, and equations of the chapter by their names, each
as ``{eq}`NAME``` on a line of its own), and three notes, which only the speaker sees::

    ## The heading of the section

    * What it comes to, in a sentence.

    {eq}`eq-1-shift`

    Minutes: 8
    Board: an example to work at the board, with its numbers.
    Mistake: what students usually get wrong, and what helps.

The heading of the chapter itself has a part too: the question with which the lecture opens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from book.pages import ROOT, BookError

LECTURES = ROOT / "book" / "lectures"
NOTES = ("Minutes", "Board", "Mistake")
MOST_WORDS, MOST_EQUATIONS = 70, 3  # of a slide: what can be read from the last row

_PART = re.compile(r"^(#{1,3}) +([^\n]*\S)[ ]*\n(.*?)(?=^#{1,3} |\Z)", re.MULTILINE | re.DOTALL)
_NOTE = re.compile(r"^(\w+):[ ]+(.*?)(?=^\w+:[ ]|\Z)", re.MULTILINE | re.DOTALL)
_EQUATION = re.compile(r"^\{eq\}`([\w-]+)`[ ]*$", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """What belongs to a section: the slide as Markdown, the minutes that it takes, and what to say."""

    level: int
    slide: str
    minutes: int
    board: str
    mistake: str

    @property
    def words(self) -> str:
        """The speaker's notes as Markdown."""
        return (
            f"**{self.minutes} minutes.**\n\n**At the board:** {self.board}\n\n"
            f"**A usual mistake:** {self.mistake}"
        )


@cache
def lecture_of(page: Path) -> Mapping[str, Part]:
    """The parts of a chapter's lecture by the heading of their section; none where nothing is written.

    BookError where a part lacks a note or something to show, or names an equation that the chapter does not have.
    """
    path = LECTURES / page.name
    if not path.is_file():
        return {}
    chapter = page.read_text(encoding="utf-8")
    parts = _PART.findall(path.read_text(encoding="utf-8"))
    return {
        heading: _part(len(marks), body, f"{path.name}, {heading!r}", chapter)
        for marks, heading, body in parts
    }


def _part(level: int, body: str, where: str, chapter: str) -> Part:
    notes = {name: " ".join(text.split()) for name, text in _NOTE.findall(body)}
    slide = _NOTE.sub("", body).strip()
    if tuple(notes) != NOTES or not notes["Minutes"].isdigit():
        raise BookError(
            f"{where}: after the slide stand {', '.join(NOTES)}, each once, not {', '.join(notes) or 'nothing'}"
        )
    if not slide:
        raise BookError(f"{where}: there is nothing to show")
    shown = _EQUATION.sub(lambda found: _equation(found[1], where, chapter), slide)
    return Part(level, shown, int(notes["Minutes"]), notes["Board"], notes["Mistake"])


def _equation(label: str, where: str, chapter: str) -> str:
    # every block is matched, also one without a name: else it would run on to the next name
    for found in re.finditer(
        r"^\$\$[ ]*\n.*?^\$\$(?:[ ]*\(([\w-]+)\))?", chapter, re.MULTILINE | re.DOTALL
    ):
        if found[1] == label:
            return found[0]
    raise BookError(f"{where}: the chapter has no equation {label!r}")


def with_notes(source: str, parts: Mapping[str, Part]) -> str:
    """The source of a chapter with the notes below the headings of its sections, as its teacher reads it."""

    def noted(found: re.Match[str]) -> str:
        part = parts.get(found[2])
        if part is None or part.level != len(found[1]):
            return found[0]
        return (
            f"{found[0]}\n\n:::{{admonition}} For the teacher\n:class: teacher\n{part.words}\n:::"
        )

    return re.sub(r"^(#{1,3}) +(.*\S)[ ]*$", noted, source, flags=re.MULTILINE)
