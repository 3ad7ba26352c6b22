"""Each SVG of matplotlib's says how large it is, so that its room is there before it comes, and how wide it must be
shown for its words to stay legible on a phone.

theme/book.css makes it so wide on a narrow screen, where it is panned if need be. On a dark page figures are turned
light; one whose colours stand for values, or tell many things apart, is shown as it was drawn.
"""

from __future__ import annotations

import base64
import io
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

SMALLEST = 9  # px

_IMAGE = re.compile(r'(<img\b[^>]*?\bsrc="[^"]*/_images/([^"/]+\.svg)")')
_WIDTH = re.compile(r'<svg\b[^>]*?\bwidth="([\d.]+)pt"')
_HEIGHT = re.compile(r'<svg\b[^>]*?\bheight="([\d.]+)pt"')
_FILL = re.compile(r"fill: ?(#[0-9a-f]{6})")
_PICTURE = re.compile(r'data:image/png;base64,([^"]+)"')
_POINT = 4 / 3  # px
MANY = 12, 4  # colours of areas, and hues of an embedded picture, more than which are a scale
_TEXT = re.compile(
    r"scale\((0\.\d+) -0\.\d+\)"
)  # matplotlib draws glyphs in hundredths of the size of the type


def legible_width(svg: str) -> int | None:
    """The width [px] at which the smallest words of a figure are as high as `SMALLEST`; None if it has none."""
    width, sizes = _WIDTH.search(svg), [100 * float(scale) for scale in _TEXT.findall(svg)]
    return math.ceil(SMALLEST * float(width[1]) / min(sizes)) if width and sizes else None


def has_scale(svg: str) -> bool:
    """Whether the colours of a figure stand for values."""
    hues = (_hues(base64.b64decode(found)) for found in _PICTURE.findall(svg))
    return len(set(_FILL.findall(svg))) > MANY[0] or max(hues, default=0) > MANY[1]


def _hues(png: bytes) -> int:
    """How many colours a picture has, told apart by quarters of red, green and blue, that are not grey."""
    with Image.open(io.BytesIO(png)) as picture:
        colours = {tuple(int(part) // 64 for part in pixel) for pixel in _coloured(picture)}
    return len(colours)


def _coloured(picture: Image.Image) -> np.ndarray:
    pixels = np.asarray(picture.convert("RGB"), int).reshape(-1, 3)
    return np.unique(pixels[np.ptp(pixels, axis=1) > 40], axis=0)


def attributes(svg: str) -> str:
    """What an image's tag says of such a figure; nothing of one that does not say its size."""
    sizes = _WIDTH.search(svg), _HEIGHT.search(svg)
    if not all(sizes):
        return ""
    width, height = (round(_POINT * float(size[1])) for size in sizes if size)
    legible, kept = legible_width(svg), ' class="as-drawn"' if has_scale(svg) else ""
    style = f' style="--legible: {legible}px"' if legible else ""
    return f' width="{width}" height="{height}"{kept}{style}'


@cache
def _of_file(path: Path, changed: int) -> str:
    return attributes(path.read_text(encoding="utf-8"))


def say_sizes(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    sources = {name: Path(app.srcdir, path) for path, (_, name) in app.env.images.items()}

    def say(image: re.Match[str]) -> str:
        path = sources.get(image[2])
        if path is None or not path.is_file():
            return image[1]
        return image[1] + _of_file(path, path.stat().st_mtime_ns)

    context["body"] = _IMAGE.sub(say, context.get("body", ""))


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", say_sizes)
