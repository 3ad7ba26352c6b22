"""Chains drawn with matplotlib: in space, flat in a plane, and as a tree of links and joints.

Everything here is strokes and filled outlines, so that a figure saved as SVG stays sharp and small. The
colours are of middle lightness (after Okabe and Ito), to be told apart by colour-blind readers and to be
seen on white and on black; the background is transparent. Matplotlib is imported when first needed.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from chaindyn.chain import Chain, forward_kinematics
from chaindyn.guards.arguments import check_chain
from chaindyn.guards.numbers import as_array, require_finite

__all__ = ["COLOURS", "draw_chain", "draw_tree", "style"]

COLOURS = {
    "link": "#7a8794",
    "revolute": "#1a7abb",
    "prismatic": "#b8860b",
    "fixed": "#767676",
    "com": "#b0609a",
    "x": "#d55e00",
    "y": "#009e73",
    "z": "#1a7abb",
    "ink": "#767676",
}
PlaneWord = Literal["xy", "xz", "yz"]
PLANES = {"xy": [0, 1], "xz": [0, 2], "yz": [1, 2]}
STYLE = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "font.size": 11,
    "axes.edgecolor": COLOURS["ink"],
    "axes.labelcolor": COLOURS["ink"],
    "text.color": COLOURS["ink"],
    "xtick.color": COLOURS["ink"],
    "ytick.color": COLOURS["ink"],
    "legend.framealpha": 0.0,
    "svg.hashsalt": "chaindyn",
}


def style() -> None:
    """Set matplotlib up for the book: transparent, mid-tone, and the same SVG from every run.

    In a notebook the inline figures become SVG without a date, so that an unchanged figure is an unchanged file.
    """
    _pyplot().rcParams.update(STYLE)
    try:
        from IPython import get_ipython
        from matplotlib_inline import backend_inline
    except ImportError:
        return  # outside IPython there is no inline format to set
    if get_ipython() is not None:
        inline: Any = backend_inline  # it has no types
        inline.set_matplotlib_formats("svg", metadata={"Date": None})


def draw_chain(
    chain: Chain,
    q: ArrayLike,
    *,
    ax: Any = None,
    plane: PlaneWord | None = None,
    frames: bool = True,
    coms: bool = True,
    labels: bool = False,
    tip: ArrayLike | None = None,
    scale: float | None = None,
) -> Any:
    """Draw a chain or tree in one posture; return the axes.

    q : (nq,). plane : None draws in space, "xy", "xz" or "yz" flat. A revolute joint is a drum about its
    axis, a prismatic one a box with an arrow along it, a fixed one a small tie. frames, coms, labels :
    whether to draw the link frames, the centres of mass, the links' names. tip : (3,) where the last link
    ends, in its frame [m]; without it a link with no children ends at its centre of mass.
    scale : size of joints and frames [m], by default a share of the drawing's extent.
    ax : axes to draw on, made by ``projection="3d"`` if plane is None.
    ValueError if q is not one posture, tip no point or scale no length, or there is no such plane;
    ImportError without matplotlib.
    """
    check_chain(chain)
    q = _numbers("q", q, (chain.nq,), ": one posture of this chain")
    tip = None if tip is None else _numbers("tip", tip, (3,))
    if scale is not None and not _numbers("scale", scale, ()) > 0:
        raise ValueError(f"scale is {scale!r}, but must be a length above zero [m]")
    if plane is not None and plane not in list(PLANES):
        raise ValueError(
            f"plane is {plane!r}, but must be None (in space) or one of {list(PLANES)}"
        )
    R, p = forward_kinematics(chain, q)
    ends = _ends(chain, R, p, tip)
    extent = np.ptp(np.vstack([p, np.zeros(3), *ends]), axis=0).max()
    scale = scale or 0.05 * extent or 0.05
    pen = _Pen(ax, plane, scale)
    _draw_ground(pen, chain, scale)
    for i, joint in enumerate(chain.joints):
        for end in ends[i]:
            pen.line(
                [p[i], end], color=COLOURS["link"], linewidth=5, alpha=0.75, solid_capstyle="round"
            )
        _JOINTS.get(type(joint).__name__, _draw_tie)(pen, joint, R[i], p[i], scale)
        k = chain.parent[i]
        seat = p[k] + R[k] @ chain.offset[i] if k >= 0 else chain.offset[i]
        pen.line(
            [seat, p[i]], color=COLOURS["prismatic"], linewidth=2
        )  # what a slide has come out by
    for i, name in enumerate(chain.names):
        if frames:
            for axis, letter in zip(R[i].T, "xyz", strict=True):
                pen.line([p[i], p[i] + 1.6 * scale * axis], color=COLOURS[letter], linewidth=1.5)
        if coms:
            pen.dot(p[i] + R[i] @ chain.com[i], color=COLOURS["com"])
        if labels:
            pen.text(np.mean([p[i], *ends[i]], axis=0), name)
    return pen.finish()


def _numbers(name: str, x: ArrayLike, shape: tuple[int, ...], why: str = "") -> np.ndarray:
    """Return real, finite numbers of exactly this shape: nothing else can be drawn."""
    array = as_array(x, name)
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, but must have shape {shape}{why}")
    try:
        if array.dtype.kind == "c":
            raise TypeError
        array = np.asarray(array, float)
    except TypeError:
        raise ValueError(f"{name} is {x!r}: only real numbers can be drawn") from None
    require_finite(array, name)
    return array


def _ends(
    chain: Chain, R: np.ndarray, p: np.ndarray, tip: np.ndarray | None
) -> list[list[np.ndarray]]:
    """Return for each link the points (3,) in the world that it reaches to from its origin."""
    ends: list[list[np.ndarray]] = []
    for i in range(chain.n):
        children = [k for k in range(chain.n) if chain.parent[k] == i]
        joints = [p[i] + R[i] @ chain.offset[k] for k in children]
        ends.append(joints or [p[i] + R[i] @ chain.com[i]])
    if tip is not None:
        leaf = chain.index(None)  # ValueError if there are several
        ends[leaf] = [p[leaf] + R[leaf] @ tip]
    return ends


def _draw_ground(pen: _Pen, chain: Chain, scale: float) -> None:
    """Draw thin world axes at the world origin, and from there stalks to where the roots' joints sit."""
    for k in (k for k in range(chain.n) if chain.parent[k] < 0):
        pen.line([np.zeros(3), chain.offset[k]], color=COLOURS["fixed"], linewidth=1.5)
    for axis, letter in zip(np.eye(3), "xyz", strict=True):
        pen.line(
            [0 * axis, 3 * scale * axis],
            color=COLOURS[letter],
            linewidth=0.8,
            linestyle=(0, (4, 2)),
        )


def _draw_drum(pen: _Pen, joint: Any, R: np.ndarray, p: np.ndarray, scale: float) -> None:
    """Draw a revolute joint: a cylinder about its axis."""
    pen.prism(
        p,
        R @ np.asarray(joint.axis, float),
        0.45 * scale,
        1.4 * scale,
        sides=20,
        color=COLOURS["revolute"],
    )


def _draw_slide(pen: _Pen, joint: Any, R: np.ndarray, p: np.ndarray, scale: float) -> None:
    """Draw a prismatic joint: a box along its axis, and the axis with a head on the positive end."""
    axis = R @ np.asarray(joint.axis, float)
    pen.prism(p, axis, 0.45 * scale, 1.6 * scale, sides=4, color=COLOURS["prismatic"])
    _draw_way(pen, axis, p, scale, color=COLOURS["prismatic"])


def _draw_way(pen: _Pen, axis: np.ndarray, p: np.ndarray, scale: float, *, color: str) -> None:
    """Draw the line along which a joint slides, with a head on the positive end."""
    point = p + 2.4 * scale * axis
    pen.line([p - 1.6 * scale * axis, point], color=color, linewidth=1.2)
    for side in (1, -1):
        barb = point - 0.5 * scale * axis + side * 0.25 * scale * _across(axis)
        pen.line([barb, point], color=color, linewidth=1.2)


def _draw_ring(pen: _Pen, joint: Any, R: np.ndarray, p: np.ndarray, scale: float) -> None:
    """Draw a helical or cylindrical joint: a drum, and the axis that it moves along with a head on the positive end."""
    _draw_drum(pen, joint, R, p, scale)
    _draw_way(pen, R @ np.asarray(joint.axis, float), p, scale, color=COLOURS["revolute"])


def _draw_plate(pen: _Pen, joint: Any, R: np.ndarray, p: np.ndarray, scale: float) -> None:
    """Draw a planar joint: a thin plate across its normal."""
    normal = R @ np.asarray(joint.normal, float)
    pen.prism(p, normal, 1.1 * scale, 0.12 * scale, sides=4, color=COLOURS["prismatic"])


def _draw_cross(pen: _Pen, joint: Any, R: np.ndarray, p: np.ndarray, scale: float) -> None:
    """Draw a universal joint: a bar along the axis that the child holds, and one across it."""
    second = R @ np.asarray(joint.second, float)
    for axis in (second, np.cross(second, _across(second))):
        pen.prism(p, axis, 0.2 * scale, 1.6 * scale, sides=12, color=COLOURS["revolute"])


def _draw_ball(pen: _Pen, joint: Any, R: np.ndarray, p: np.ndarray, scale: float) -> None:
    """Draw a ball in its socket: three discs across one another."""
    for axis in R.T:
        pen.prism(p, axis, 0.6 * scale, 0.15 * scale, sides=20, color=COLOURS["revolute"])


def _draw_tie(pen: _Pen, joint: Any, R: np.ndarray, p: np.ndarray, scale: float) -> None:
    """Draw a joint with no axis of its own: three short bars across one another."""
    for axis in R.T:
        ends = [p - 0.4 * scale * axis, p + 0.4 * scale * axis]
        pen.line(ends, color=COLOURS["fixed"], linewidth=2.5, solid_capstyle="butt")


_JOINTS = {
    "Revolute": _draw_drum,
    "Prismatic": _draw_slide,
    "Helical": _draw_ring,
    "Cylindrical": _draw_ring,
    "Planar": _draw_plate,
    "Universal": _draw_cross,
    "Spherical": _draw_ball,
}


def _across(axis: np.ndarray) -> np.ndarray:
    """Return some unit vector at right angles to a unit vector (3,)."""
    other = np.eye(3)[np.argmin(np.abs(axis))]
    across: np.ndarray = np.cross(axis, other)
    return across / float(np.linalg.norm(across))


class _Pen:
    """Draws points of space on axes in space, or on flat axes by dropping the coordinate that plane lacks."""

    def __init__(self, ax: Any, plane: str | None, margin: float) -> None:
        self.keep = PLANES[plane] if plane else [0, 1, 2]
        self.names = plane or "xyz"
        self.margin = margin
        self.touched: list[np.ndarray] = []
        if ax is None:
            ax = _pyplot().figure().add_subplot(projection=None if plane else "3d")
        elif hasattr(ax, "get_zlim") != (plane is None):
            kind = 'made with projection="3d"' if plane is None else "flat"
            raise ValueError(f"plane is {plane!r}, so ax must be {kind}")
        self.ax = ax

    def _flat(self, points: Any) -> np.ndarray:
        points = np.asarray(points)
        self.touched.append(points)
        flat: np.ndarray = points[..., self.keep]
        return flat

    def line(self, points: Any, **how: Any) -> None:
        self.ax.plot(*self._flat(points).T, **how)

    def dot(self, point: np.ndarray, **how: Any) -> None:
        self.ax.plot(
            *self._flat([point]).T,
            marker="o",
            markersize=5,
            fillstyle="none",
            linestyle="none",
            **how,
        )

    def text(self, point: np.ndarray, words: str) -> None:
        (at,) = self._flat([point])
        if len(at) == 3:
            self.ax.text(*at, words, zorder=10)
        else:
            self.ax.annotate(words, at, (8, -14), textcoords="offset points", zorder=10)

    def prism(
        self,
        centre: np.ndarray,
        axis: np.ndarray,
        radius: float,
        length: float,
        *,
        sides: int,
        color: str,
    ) -> None:
        """Fill a right prism of so many sides about an axis; with many sides it is a cylinder."""
        angle = 2 * np.pi * (np.arange(sides) + 0.5) / sides
        u = _across(axis)
        ring = radius * (np.outer(np.cos(angle), u) + np.outer(np.sin(angle), np.cross(axis, u)))
        bottom, top = centre - length / 2 * axis + ring, centre + length / 2 * axis + ring
        before_bottom, before_top = np.roll(bottom, 1, axis=0), np.roll(top, 1, axis=0)
        ends = self._flat(np.stack([bottom, top]))
        walls = self._flat(np.stack([before_bottom, bottom, top, before_top], axis=1))
        if len(self.keep) == 3:
            from mpl_toolkits.mplot3d.art3d import Poly3DCollection

            # In one collection of ends and walls, matplotlib 3.11 would fill up the shorter outlines with
            # uninitialised numbers and scale the axes by them.
            for faces in (ends, walls):
                solid = Poly3DCollection(faces, facecolors=color, alpha=0.8, linewidths=0)
                self.ax.add_collection3d(solid)
        else:
            from matplotlib.collections import PolyCollection

            flat = PolyCollection(
                [*ends, *walls], facecolors=color, edgecolors=color, linewidths=0.5
            )
            flat.set_zorder(3)
            self.ax.add_collection(flat)

    def finish(self) -> Any:
        """Give the axes equal units and room for what was drawn, and name them."""
        if len(self.keep) == 2:
            self.ax.set_aspect("equal", adjustable="datalim")
            self.ax.spines[["top", "right"]].set_visible(False)
        else:
            from matplotlib.ticker import MaxNLocator

            points = np.vstack([t.reshape(-1, 3) for t in self.touched])
            centre = (points.max(axis=0) + points.min(axis=0)) / 2
            span = np.ptp(points, axis=0) + 2 * self.margin
            # A flat chain still gets a box whose labels can be read.
            span = np.maximum(span, 0.4 * span.max())
            xlim, ylim, zlim = zip(centre - span / 2, centre + span / 2, strict=True)
            self.ax.set(xlim=xlim, ylim=ylim, zlim=zlim)
            self.ax.set_box_aspect(span)
            for axis in (self.ax.xaxis, self.ax.yaxis, self.ax.zaxis):
                axis.set_pane_color((0, 0, 0, 0))
                axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
                axis._axinfo["grid"].update(color=COLOURS["ink"], linewidth=0.3)
        for axis, name in zip(["x", "y", "z"], self.names, strict=False):
            getattr(self.ax, f"set_{axis}label")(f"{name} [m]")
        return self.ax


def draw_tree(chain: Chain, *, ax: Any = None) -> Any:
    """Draw which link hangs on which, the ground at the bottom; return the axes.

    A box is a link, with its name; the line below it is the joint that hangs it on its parent, with the joint's kind.
    ImportError without matplotlib.
    """
    check_chain(chain)
    x, depth = _tree_layout(chain.parent)
    if ax is None:
        size = (1.5 + 1.6 * np.ptp(x), 1.1 + 0.75 * max(depth))
        ax = _pyplot().figure(figsize=size).add_subplot()
    box = {
        "boxstyle": "round,pad=0.35",
        "facecolor": "none",
        "edgecolor": COLOURS["link"],
        "linewidth": 1.5,
    }
    for i, (joint, name) in enumerate(zip(chain.joints, chain.names, strict=True)):
        kind, parent = type(joint).__name__.lower(), chain.parent[i]
        below = (x[parent], depth[parent]) if parent >= 0 else (x[-1], 0)
        colour = COLOURS.get(kind, COLOURS["ink"])
        # The way to the parent turns at right angles: upright lines leave room for the words beside them.
        fork = depth[i] - 0.6
        _stroke(ax, (x[i], fork), (x[i], depth[i]), colour)
        _stroke(ax, (below[0], fork), below, COLOURS["link"])
        ax.plot([x[i], below[0]], [fork, fork], color=COLOURS["link"], linewidth=2, zorder=0)
        ax.annotate(
            kind,
            (x[i], fork),
            (5, 8),
            textcoords="offset points",
            va="center",
            fontsize="small",
            color=colour,
        )
        ax.text(x[i], depth[i], name, ha="center", va="center", bbox=box)
    ax.text(
        x[-1],
        0,
        "ground",
        ha="center",
        va="center",
        bbox={**box, "boxstyle": "square,pad=0.35", "linewidth": 3},
    )
    ax.set(xlim=(min(x) - 0.7, max(x) + 0.7), ylim=(-0.4, max(depth) + 0.4))
    ax.axis("off")
    return ax


def _stroke(ax: Any, start: Any, box: Any, color: str) -> None:
    """Draw a line from a point to a box, of which it keeps clear."""
    how = {"arrowstyle": "-", "color": color, "linewidth": 2, "shrinkA": 0, "shrinkB": 13}
    ax.annotate("", box, start, arrowprops=how, zorder=1)


def _tree_layout(parent: tuple[int, ...]) -> tuple[list[float], list[int]]:
    """Return x and depth of each link and, last, of the ground: leaves side by side, parents in the middle."""
    n = len(parent)
    children: list[list[int]] = [[] for _ in range(n + 1)]
    depth = [0] * (n + 1)
    for i, p in enumerate(parent):
        children[p].append(i)  # p = -1 is the last entry, the ground
        depth[i] = depth[p] + 1
    order, waiting = [], [-1]
    while waiting:  # depth first, left to right
        i = waiting.pop()
        order.append(i)
        waiting.extend(reversed(children[i]))
    x = [0.0] * (n + 1)
    leaves = [i for i in order if not children[i]]
    for i in reversed(order):
        middle = sum(x[child] for child in children[i]) / max(len(children[i]), 1)
        x[i] = middle if children[i] else leaves.index(i)
    return x, depth


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError("drawing needs matplotlib: pip install 'chaindyn[widgets]'") from error
    return matplotlib.pyplot
