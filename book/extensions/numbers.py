"""Number a chapter by its front matter, so that chapter 4 is chapter 4 while 2 and 3 are still to be written."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors.toctree import TocTreeCollector

from book.pages import front_matter

_count_figures = TocTreeCollector.assign_figure_numbers


def chapter_number(env: BuildEnvironment, docname: str) -> int | None:
    """The number in the front matter of a page; None where it has none."""
    number: int | None = (
        front_matter(Path(env.doc2path(docname))).get("chaindyn", {}).get("chapter")
    )
    return number


def assign_figure_numbers(self: TocTreeCollector, env: BuildEnvironment) -> list[str]:
    """Sphinx's own count of figures and equations, after chapters have their numbers from the front matter."""
    for docname, sections in env.toc_secnumbers.items():
        number = chapter_number(env, docname)
        if number is None:
            continue
        for anchor, counted in sections.items():
            if counted:
                sections[anchor] = (number, *counted[1:])
        for node in _numbered(env, docname):
            node["secnumber"] = [number, *node["secnumber"][1:]]
    return _count_figures(self, env)


def _numbered(env: BuildEnvironment, docname: str) -> Iterator[nodes.Element]:
    """The title of a page and the entries of its table of contents, as far as they are numbered."""
    for node in (env.titles[docname], *env.tocs[docname].findall(nodes.reference)):
        if node.get("secnumber"):
            yield node


def compare_counts(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Let Sphinx compare its new count with its own old one, or every page would seem to have changed.

    What it finds for itself is changed at once, by sphinx_external_toc and then by us.
    """
    count = TocTreeCollector.assign_section_numbers

    def counted(self: TocTreeCollector, env: BuildEnvironment) -> list[str]:
        env.toc_secnumbers = getattr(env, "chaindyn_counted", env.toc_secnumbers)
        changed = count(self, env)
        env.chaindyn_counted = copy.deepcopy(env.toc_secnumbers)  # type: ignore[attr-defined]
        return changed

    TocTreeCollector.assign_section_numbers = counted  # type: ignore[method-assign]


def setup(app: Sphinx) -> None:
    app.connect("env-before-read-docs", compare_counts)
    # Called right after the sections are counted, by Sphinx or by sphinx_external_toc: no event lies between.
    TocTreeCollector.assign_figure_numbers = assign_figure_numbers  # type: ignore[method-assign]
