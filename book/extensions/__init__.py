"""The book's own Sphinx extensions, loaded as one (`book.extensions` in _config.yml)."""

from __future__ import annotations

from sphinx.application import Sphinx

from book.extensions import (
    api,
    chapter_graph,
    chapter_map,
    drills,
    essay,
    exercises,
    exported,
    figures,
    find,
    folding,
    glossary,
    goals,
    heads,
    hosting,
    linked_data,
    markup,
    notebooks,
    numbers,
    offline,
    teacher,
    tryit,
    walk,
)


def setup(app: Sphinx) -> dict[str, bool]:
    own = (
        chapter_graph,
        heads,
        hosting,
        numbers,
        offline,
        exported,
        api,
        chapter_map,
        drills,
        essay,
        exercises,
        figures,
        find,
        folding,
        glossary,
        goals,
        linked_data,
        markup,
        notebooks,
        teacher,
        tryit,
        walk,
    )
    for extension in own:
        extension.setup(app)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
