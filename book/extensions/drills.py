"""A drill has an empty place, which a script fills, below the solution in which it is written; so has what to repeat.

What the script needs of it stands in the page. Without scripts, and on paper, there is nothing.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise.nodes import solution_node

from book.drills import drills, labels, titles_of
from book.exercises import exercises
from book.pages import chapters
from book.practice import script_of


class Place(nodes.raw):
    """Where a drill is shown."""


class DrillPlace(SphinxDirective):
    """A drill (book/drills.py)."""

    has_content, required_arguments = True, 1

    def run(self) -> list[nodes.Node]:
        return [Place("", "", format="html", label=self.arguments[0], script="")]


class PracticePlace(SphinxDirective):
    """A drill in an edition without solutions, with what the page is told of it (book/practice.py)."""

    has_content, required_arguments, option_spec = True, 1, {"title": str}

    def run(self) -> list[nodes.Node]:
        script = "\n".join(self.content)
        return [Place("", "", format="html", label=self.arguments[0], script=script)]


class DrillRecord(SphinxDirective):
    """What a reader has done of all drills, and what is to be repeated."""

    def run(self) -> list[nodes.Node]:
        told = dict[str, list[str]]()
        for page in chapters():
            here = labels(page)
            if here:
                self.env.note_dependency(str(page))
            titles = titles_of(page)
            named = {
                one.label: f"{one.chapter}.{one.number} {one.title}" for one in exercises(page)
            }
            for label, owner in here.items():
                title = f"{named[owner]}: {own}" if (own := titles[label]) else named[owner]
                told[label] = [title, f"../chapters/{page.stem}.html#drill-{label}"]
        text = json.dumps(told, ensure_ascii=False).replace("</", "<\\/")
        script = f'<script type="application/json">{text}</script>'
        return [nodes.raw("", f'<div class="drill-record">{script}</div>', format="html")]


def fill(app: Sphinx, doctree: nodes.document) -> None:
    """Put each place below its solution, with what the page is told of the drill."""
    places = list(doctree.findall(Place))
    if not places:
        return
    page = Path(app.env.doc2path(app.env.docname))
    made, owners, further = drills(page), labels(page), titles_of(page)
    titles = {one.label: one.title for one in exercises(page)}
    last = dict[nodes.Element, nodes.Element]()  # of a solution: what stands below it so far
    for place in places:
        label, above = place["label"], place
        while above is not None and not isinstance(above, solution_node):
            above = above.parent
        title = f"With other numbers: {titles[owners[label]]}"
        if further[label]:
            title = f"Another question: {further[label]}"
        words = f'id="drill-{label}" data-drill="{label}" data-title="{escape(title)}"'
        script = place["script"] or script_of(made[label], label)
        text = f'<div class="drill" {words}></div><script>{script}</script>'
        own = nodes.raw("", text, format="html")
        if above is None:  # an edition without solutions
            place.replace_self(own)
            continue
        place.parent.remove(place)
        below = last.get(above, above)
        below.parent.insert(below.parent.index(below) + 1, own)
        last[above] = own


def setup(app: Sphinx) -> None:
    app.add_directive("drill", DrillPlace)
    app.add_directive("practice", PracticePlace)
    app.add_directive("drill-record", DrillRecord)
    app.connect("doctree-read", fill)
    app.add_js_file("drills/drills.js", loading_method="defer")
