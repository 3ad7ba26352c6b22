"""Words in figures stay legible on a phone: each SVG of matplotlib's says how wide it must be shown for that.

theme/book.css makes it so wide on a narrow screen, where it is panned if need be.
"""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

SMALLEST = 9  # px

_IMAGE = re.compile(r'(<img\b[^>]*?\bsrc="[^"]*/_images/([^"/]+\.svg)")')
_WIDTH = re.compile(r'<svg\b[^>]*?\bwidth="([\d.]+)pt"')
_TEXT = re.compile(
    r"scale\((0\.\d+) -0\.\d+\)"
)  # matplotlib draws glyphs in hundredths of the size of the type


def legible_width(svg: str) -> int | None:
    """The width [px] at which the smallest words of a figure are as high as `SMALLEST`; None if it has none."""
    width, sizes = _WIDTH.search(svg), [100 * float(scale) for scale in _TEXT.findall(svg)]
    return math.ceil(SMALLEST * float(width[1]) / min(sizes)) if width and sizes else None


@cache
def _of_file(path: Path, changed: int) -> int | None:
    return legible_width(path.read_text(encoding="utf-8"))


def say_widths(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    sources = {name: Path(app.srcdir, path) for path, (_, name) in app.env.images.items()}

    def say(image: re.Match[str]) -> str:
        path = sources.get(image[2])
        width = _of_file(path, path.stat().st_mtime_ns) if path and path.is_file() else None
        return f'{image[1]} style="--legible: {width}px"' if width else image[1]

    context["body"] = _IMAGE.sub(say, context.get("body", ""))


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", say_widths)
