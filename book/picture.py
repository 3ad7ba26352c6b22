"""The README's picture: the figure of the opening page, as its executed twin holds it."""

from __future__ import annotations

from pathlib import Path

import nbformat

from book.pages import ROOT, BookError

TWIN = ROOT / "book" / "intro.ipynb"
PICTURE = ROOT / "book" / "figures" / "a_chain_hits_a_wall.svg"
FIGURE = "fig-wall"  # the name of the figure in the metadata of the cell that draws it


def drawn(twin: Path = TWIN) -> str:
    """Return the SVG that the cell of the figure drew. Raises `BookError` where the twin has none."""
    for cell in nbformat.read(str(twin), as_version=4).cells:
        if cell.metadata.get("mystnb", {}).get("figure", {}).get("name") == FIGURE:
            for output in cell.outputs:
                if svg := output.get("data", {}).get("image/svg+xml"):
                    return "".join(svg)
    raise BookError(f"{twin.name} holds no SVG of {FIGURE}: run python -m book twins first")


def write() -> Path:
    """Write the picture and return where it is."""
    PICTURE.write_text(drawn(), encoding="utf-8")
    return PICTURE
