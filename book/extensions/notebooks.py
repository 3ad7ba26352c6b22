"""A reader who downloads a page's notebook gets its twin, the one that the repository keeps, where there is one."""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.application import Sphinx


def offer_twins(app: Sphinx, exception: Exception | None) -> None:
    for page in app.env.found_docs:
        twin = Path(app.srcdir, f"{page}.ipynb")
        offered = Path(app.outdir, "_sources", f"{page}.ipynb")  # the theme's: what the build ran
        if twin.is_file() and offered.is_file():
            shutil.copyfile(twin, offered)


def setup(app: Sphinx) -> None:
    app.connect("build-finished", offer_twins)
