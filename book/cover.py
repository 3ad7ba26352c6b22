"""The cover: the arm of the opening page on its way into the wall, drawn as the figures of the chapters are.

``python -m book cover`` writes ``book/figures/cover.svg``, which the PDF begins with (its background is clear and its
colours are of middle lightness, so that it is seen on light and on dark), and ``cover.png``, with the title, which
those show who link to the book. `card` puts the title of one page in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from book.pages import ROOT
from chaindyn import Chain, forward_kinematics, impact, simulate
from chaindyn.drawing import COLOURS, draw_chain, style
from chaindyn.models.robots import UR5_FLANGE, ur5

PICTURE = ROOT / "book" / "figures" / "cover.svg"
WIDE = PICTURE.with_suffix(".png")
TITLE, SUBTITLE = "Chains of rigid bodies", "A textbook whose chapters are its library"
Q = np.array([-0.3, -1.2, 1.3, -0.2, 1.4, 0.4])  # of the opening page [rad]
QD = np.array([0.2, 1.5, -1.0, -0.6, 0.5, 0.4])  # [rad/s]
NORMAL = np.array([-1, 0, 0])
BEFORE = 0.42 * np.array([1, 0.75, 0.5, 0.25])  # the blow [s]
PAPER, INK = "#fcfcf7", "#20262d"
WORDS = 612  # px, the part of the wide picture that is left to its title


def draw(ax: Any) -> None:
    """Draw on axes in space: postures on the way, the one at the blow, the wall, and what each bearing carries."""
    arm = ur5()
    weightless = Chain(arm.links, gravity=(0, 0, 0))  # motors carry the weight
    times = np.array([0.0, *BEFORE[::-1]])
    back = simulate(weightless, Q, -QD, t=times).q[:0:-1]
    for share, posture in zip(np.linspace(0.12, 0.4, len(back)), back, strict=True):
        _ghost(ax, arm, posture, share)
    R, p = forward_kinematics(arm, Q)
    tip = p[-1] + R[-1] @ UR5_FLANGE
    _wall(ax, tip)
    draw_chain(arm, Q, ax=ax, frames=False, coms=False, tip=UR5_FLANGE)
    blow = impact(arm, Q, QD, point=tip, normal=NORMAL, restitution=0.5)
    metres = 0.22 / blow.impulse  # for a newton second
    look = {"arrow_length_ratio": 0.25, "zorder": 9}
    push = metres * blow.impulse * NORMAL
    ax.quiver(*(tip - push), *push, color=COLOURS["x"], linewidth=4, **look)
    for place, wrench in zip(p, blow.joint_impulses, strict=True):
        ax.quiver(*place, *(metres * wrench[3:]), color=COLOURS["x"], linewidth=2, **look)


def _ghost(ax: Any, arm: Chain, posture: np.ndarray, share: float) -> None:
    """The links of an earlier posture as one pale line."""
    R, p = forward_kinematics(arm, posture)
    line = np.vstack([np.zeros(3), p, p[-1] + R[-1] @ UR5_FLANGE])
    ax.plot(*line.T, color=COLOURS["z"], linewidth=4, alpha=share, solid_joinstyle="round")


def _wall(ax: Any, tip: np.ndarray) -> None:
    """The wall's front, top and side."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    x, y, _ = tip
    front = np.array([[x, y - 0.2, 0], [x, y + 0.2, 0], [x, y + 0.2, 0.7], [x, y - 0.2, 0.7]])
    behind = front - 0.05 * NORMAL
    faces = [front, *([front[i], front[j], behind[j], behind[i]] for i, j in ((2, 3), (3, 0)))]
    look = {"facecolor": COLOURS["link"], "edgecolor": COLOURS["ink"], "alpha": 0.16}
    ax.add_collection3d(Poly3DCollection(faces, zorder=0, **look))


def write() -> list[Path]:
    """Write both pictures and return where they are."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    style()
    with mpl.rc_context({"svg.hashsalt": "chaindyn"}):
        figure = plt.figure(figsize=(6, 4.6))
        draw(_space(figure, [0, -0.14, 1, 1]))
        figure.savefig(PICTURE, metadata={"Date": None})
        wide = plt.figure(figsize=(12, 6.3), facecolor=PAPER)
        ax = _space(wide, [0.46, -0.13, 0.52, 1.0])
        draw(ax)
        for artist in ax.get_children():
            artist.set_clip_on(False)
        words = {"family": "serif", "color": INK}
        wide.text(0.05, 0.56, TITLE.replace(" of ", "\nof "), fontsize=46, va="center", **words)
        wide.text(0.052, 0.3, SUBTITLE, fontsize=19, **words)
        wide.savefig(WIDE, dpi=100, facecolor=PAPER, metadata={"Software": None})
        plt.close("all")
    return [PICTURE, WIDE]


def card(title: str, number: int | None = None) -> Any:
    """The wide picture with the title of a page, and its number if it is a chapter, in place of the book's; an image of
    few colours."""
    from matplotlib import font_manager
    from PIL import Image, ImageDraw, ImageFont

    path = font_manager.findfont("DejaVu Serif")
    picture = Image.open(WIDE).convert("RGB")
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, 0, WORDS, picture.height), fill=PAPER)

    def write(words: str, size: int, y: float) -> None:
        pen.multiline_text(
            (60, y), words, INK, ImageFont.truetype(path, size), spacing=size // 4, anchor="ls"
        )

    size, lines = _in_lines(
        title, lambda words, size: ImageFont.truetype(path, size).getlength(words)
    )
    middle = picture.height / 2 - 0.6 * size * (len(lines) - 1)
    if number is not None:
        write(f"Chapter {number}", 28, middle - 1.6 * size)
    write("\n".join(lines), size, middle)
    if title != TITLE:
        write(TITLE, 26, picture.height - 60)
    return picture.quantize(64)


def _in_lines(title: str, width: Callable[[str, int], float]) -> tuple[int, list[str]]:
    """The size, and the lines, in which a title is as large as its room allows."""
    for size in range(58, 20, -2):
        lines = [""]
        for word in title.split():
            longer = f"{lines[-1]} {word}".strip()
            if width(longer, size) <= WORDS - 80:
                lines[-1] = longer
            else:
                lines.append(word)
        if len(lines) <= 5 and max(width(line, size) for line in lines) <= WORDS - 80:
            break
    return size, lines


def _space(figure: Any, box: list[float]) -> Any:
    """Axes in space without their frame, seen as on the opening page."""
    ax = figure.add_axes(box, projection="3d", proj_type="ortho", computed_zorder=False)
    ax.set(xlim=(-0.25, 1.15), ylim=(-0.6, 0.3), zlim=(-0.05, 0.95))
    ax.set_box_aspect((1.4, 0.9, 1.0), zoom=1.35)
    ax.view_init(elev=16, azim=-112)
    ax.set_axis_off()
    return ax
