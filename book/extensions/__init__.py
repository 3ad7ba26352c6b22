"""The book's own Sphinx extensions, loaded as one (`book.extensions` in _config.yml)."""

from __future__ import annotations

from sphinx.application import Sphinx

from book.extensions import (
    api,
    chapter_graph,
    chapter_map,
    exercises,
    exported,
    figures,
    find,
    folding,
    glossary,
    heads,
    hosting,
    markup,
    notebooks,
    numbers,
    teacher,
    tryit,
)


def setup(app: Sphinx) -> dict[str, bool]:
    own = (
        chapter_graph,
        heads,
        hosting,
        numbers,
        exported,
        api,
        chapter_map,
        exercises,
        figures,
        find,
        folding,
        glossary,
        markup,
        notebooks,
        teacher,
        tryit,
    )
    for extension in own:
        extension.setup(app)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
