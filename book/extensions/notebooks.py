"""A reader who downloads a page's notebook gets its twin, the one that the repository keeps, where there is one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def offer_twin(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    twin = Path(app.srcdir, f"{page}.ipynb")
    offered = Path(
        app.outdir, "_sources", f"{page}.ipynb"
    )  # the theme's own: what the build has executed
    if twin.is_file() and offered.is_file():
        shutil.copyfile(twin, offered)


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", offer_twin, priority=900)  # after the theme
