"""A chapter is a walk: its head says how long it is, each section what it takes and where it leads, and each exercise
waits as one line. Who has been here before is taken on by theme/walk.js."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_exercise.nodes import is_exercise_node

from book.exercises import exercises
from book.extensions.numbers import chapter_number
from book.reading import STAR, main_path, sections, spoken


class SecondReading(nodes.Element):
    """What of a section follows its title, where all of it is for a second reading: it waits too.

    A `details`, which needs no script: browsers open it by a tap, by the keyboard, and where they find in it what one
    seeks on the page. Links into it, and what stays open, are theme/book.js and theme/walk.js.
    """


class FoldedExercise(nodes.Element):
    """An exercise with all that belongs to it, below its title, which is the first of its children."""


def take_on(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Runs when the exercises have their titles, and what these say (exercises.py)."""
    if app.builder.format != "html" or chapter_number(app.env, docname) is None:
        return
    numbers = app.env.toc_fignumbers.get(docname, {}).get("exercise", {})
    for exercise in list(doctree.findall(is_exercise_node)):
        _fold(exercise, ".".join(map(str, numbers.get(exercise["label"], ()))))
    page = Path(app.env.doc2path(docname))
    title = next(iter(doctree.findall(nodes.section)))
    around = [part for part in title.children if isinstance(part, nodes.section)]
    # what stands before the first of them has no heading
    for k, (section, said) in enumerate(zip(around, sections(page)[1:], strict=True)):
        if said.minutes:
            section[0] += [nodes.Text(" "), _quiet(f"{said.minutes} min")]
        if said.second:
            _leave(section)
        if k + 1 < len(around):
            end = section[-1] if said.second else section
            end += _onward(around[k + 1])
    for section in title.findall(nodes.section):
        if section not in around and section[0].astext().endswith(STAR):
            _leave(section)
    title.insert(1, nodes.raw("", _head(page), format="html"))


def _quiet(words: str) -> nodes.inline:
    return nodes.inline("", words, classes=["minutes"])


def _onward(section: nodes.Element) -> nodes.paragraph:
    """The line at the end of a section that leads on, which one who reads on past it does not need."""
    words = [node.deepcopy() for node in _words(section)]
    link = nodes.reference("", "", *words, internal=True, refuri=f"#{section['ids'][0]}")
    return nodes.paragraph("", "Next: ", link, classes=["onward"])


def _words(section: nodes.Element) -> list[nodes.Node]:
    """What the title of a section says, without its minutes."""
    return [node for node in section[0].children if "minutes" not in _classes(node)]


def _leave(section: nodes.Element) -> None:
    """Fold a section that is for a second reading below its title."""
    rest = section.children[1:]
    for node in rest:
        section.remove(node)
    said = "".join(node.astext() for node in _words(section)).strip().removesuffix(STAR)
    waits = SecondReading(title=said)
    section += waits
    waits += rest


def _classes(node: nodes.Node) -> list[str]:
    found: list[str] = getattr(node, "attributes", {}).get("classes", [])
    return found


def _head(page: Path) -> str:
    """One line: the main path, what may be left out, the exercises."""
    own = sections(page)
    second = sum(one.minutes if one.second else one.later for one in own)
    said = [f"{spoken(main_path(page))} to read"]
    if second:
        said.append(f"{spoken(second)} more with the sections that have a star")
    if found := exercises(page):
        took = sum(one.facts.minutes or 0 for one in found)
        where = f'<a href="#exercises">{len(found)} exercises</a>'
        labels = escape(" ".join(one.label for one in found))
        count = f'<span class="solved-count" data-exercises="{labels}"></span>'
        said.append(f"{where}, {spoken(30 * round(took / 30))}{count}")
    return f'<p class="walk-head">{" · ".join(said)}</p>'


def _fold(exercise: nodes.Element, number: str) -> None:
    """Put an exercise and what follows, up to the next one, below a line with its number and title."""
    parent = exercise.parent
    own = [exercise, *_belonging(exercise)]
    words = [node.deepcopy() for node in exercise[0].children]
    # the brackets around the title stand in texts of their own
    bare = [node for node in words if node.astext() not in (" (", ")")]
    title = nodes.inline("", f"{number} ".lstrip(), *bare)
    folded = FoldedExercise(label=exercise["label"])
    parent.insert(parent.index(exercise), folded)
    for node in own:
        parent.remove(node)
    folded += [title, *own]


def _belonging(exercise: nodes.Element) -> Iterator[nodes.Node]:
    siblings = exercise.parent.children
    for node in siblings[siblings.index(exercise) + 1 :]:
        if is_exercise_node(node) or isinstance(node, nodes.section | FoldedExercise):
            return
        yield node


def open_fold(self: Any, node: FoldedExercise) -> None:
    self.body.append(f'<details class="folded-exercise" data-exercise="{escape(node["label"])}">')
    self.body.append('<summary><span class="line">')
    node[0].walkabout(self)
    self.body.append("</span></summary>\n")
    for child in node.children[1:]:
        child.walkabout(self)
    self.body.append("</details>\n")
    raise nodes.SkipNode


def open_reading(self: Any, node: SecondReading) -> None:
    # whoever hears the page's buttons one by one hears of which section this one is
    title = f'<span class="visually-hidden">: {escape(node["title"])}</span>'
    self.body.append(
        f'<details class="second-reading"><summary>For a second reading{title}</summary>\n'
    )


def close_reading(self: Any, node: SecondReading) -> None:
    self.body.append("</details>\n")


def setup(app: Sphinx) -> None:
    app.add_node(SecondReading, html=(open_reading, close_reading))
    app.add_node(FoldedExercise, html=(open_fold, None))
    app.connect("doctree-resolved", take_on, priority=700)
