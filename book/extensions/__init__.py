"""The book's own Sphinx extensions, loaded as one (`book.extensions` in _config.yml)."""

from __future__ import annotations

from sphinx.application import Sphinx

from book.extensions import (
    api,
    chapter_map,
    exported,
    glossary,
    hosting,
    markup,
    notebooks,
    numbers,
)


def setup(app: Sphinx) -> dict[str, bool]:
    for extension in (hosting, numbers, exported, api, chapter_map, glossary, markup, notebooks):
        extension.setup(app)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
