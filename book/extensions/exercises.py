"""What an exercise says of itself in its classes stands in its title; ``{exercise-table}`` lists all exercises."""

from __future__ import annotations

from collections import Counter
from html import escape

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise.nodes import is_exercise_node

from book.exercises import KINDS, STARS, Exercise, Facts, exercises, facts
from book.pages import chapter_of, chapters


def star_markup(number: int) -> str:
    """Stars, which a screen reader counts."""
    label = f"{number} of {STARS} stars"
    return f'<span class="stars" role="img" aria-label="{label}">{"★" * number}</span>'


def stars(number: int) -> nodes.raw:
    return nodes.raw("", star_markup(number), format="html")


def said_of(exercise: Facts) -> nodes.inline:
    """The quiet words in an exercise's title."""
    said = [
        nodes.Text(exercise.kind) if exercise.kind else None,
        stars(exercise.stars) if exercise.stars else None,
        nodes.Text(f"{exercise.minutes} min") if exercise.minutes else None,
        nodes.Text(exercise.restriction()) if exercise.without else None,
    ]
    line = nodes.inline(classes=["exercise-facts"])
    for word in filter(None, said):
        line += [nodes.Text(" · "), word] if len(line) else word
    return line


def say_in_titles(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Runs when sphinx_exercise has written the titles."""
    for exercise in doctree.findall(is_exercise_node):
        line = said_of(facts(" ".join(exercise["classes"])))
        if len(line):
            exercise[0] += [nodes.Text(" "), line]


class ExerciseTable(SphinxDirective):
    """The exercises of every chapter, and how many there are of each kind; made from what the pages say."""

    def run(self) -> list[nodes.Node]:
        found = {page: exercises(page) for page in chapters()}
        for page in found:
            self.env.note_dependency(str(page))
        every = [exercise for of_page in found.values() for exercise in of_page]
        return [
            self.parsed(f"Together: {_counts(every)}."),
            *(
                self.chapter_section(chapter_of(page)["title"], of_page)
                for page, of_page in found.items()
                if of_page
            ),
        ]

    def chapter_section(self, title: str, of_page: list[Exercise]) -> nodes.section:
        """The exercises of a chapter in a list that unfolds, which says how many of each kind they are."""
        chapter = of_page[0].chapter
        section = nodes.section(names=[f"exercises-{chapter}"])
        self.state.document.note_explicit_target(section, section)
        section += nodes.title("", f"{chapter} {title}")
        labels = escape(" ".join(exercise.label for exercise in of_page))
        solved = f'<span class="solved-count" data-exercises="{labels}"></span>'
        fold = f"<details><summary>{_counts(of_page)}{solved}</summary>"
        section += nodes.raw("", fold, format="html")
        section += self.parsed(_list_of(of_page))
        section += nodes.raw("", "</details>", format="html")
        return section

    def parsed(self, markdown: str) -> nodes.Element:
        holder = nodes.container(classes=["exercise-table"])
        lines = StringList(markdown.splitlines(), source=self.env.doc2path(self.env.docname))
        self.state.nested_parse(lines, self.content_offset, holder)
        return holder


def _counts(chosen: list[Exercise]) -> str:
    """How many exercises there are of each kind, and how long they take together."""
    of_kinds = Counter(exercise.facts.kind for exercise in chosen)
    kinds = ", ".join(f"{of_kinds[kind]} {kind}" for kind in KINDS if of_kinds[kind])
    hours = sum(exercise.facts.minutes or 0 for exercise in chosen) / 60
    return f"{len(chosen)} exercises, {hours:.0f} hours: {kinds}"


def _list_of(of_page: list[Exercise]) -> str:
    rows = [["No.", "Exercise", "kind", "stars", "minutes", "hint", "check"]]
    for exercise in of_page:
        own = exercise.facts
        rows.append(
            [
                f"{exercise.chapter}.{exercise.number}",
                f"{{ref}}`{exercise.title} <{exercise.label}>`",
                own.kind or "",
                star_markup(own.stars) if own.stars else "",
                str(own.minutes or ""),
                "yes" if exercise.hint else "",
                "yes" if exercise.checked else "",
            ]
        )
    return _table(rows)


def _table(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def setup(app: Sphinx) -> None:
    app.add_directive("exercise-table", ExerciseTable)
    app.connect("doctree-resolved", say_in_titles)
