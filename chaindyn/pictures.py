"""Chains drawn with their bodies, still and moving: shapes and meshes, shaded, and films as GIF or MP4.

Written for scripts: no window is opened, and no backend of matplotlib's is chosen. Strokes, without bodies, are
`draw_chain`'s.
"""

from __future__ import annotations

import importlib
import shutil
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.array_types import ArrayNq
from chaindyn.chain import Chain, forward_kinematics
from chaindyn.drawing import COLOURS, draw_chain
from chaindyn.guards.arguments import check_chain, check_positive_number, is_several, require_shape
from chaindyn.guards.numbers import as_array, as_real, read_only, require_finite
from chaindyn.guards.xml_text import require_file
from chaindyn.models.files import is_mjcf, root_of
from chaindyn.models.mjcf import drawn_by
from chaindyn.models.shapes import Geometry, HalfSpace, body_of, on_its_link
from chaindyn.models.urdf import (
    form_of,
    homes,
    labelled_shape,
    mesh_parts,
    numbers_in,
    positions,
    read,
)
from chaindyn.models.urdf import require_from_file as require_own
from chaindyn.postures import difference, integrate

__all__ = ["Surface", "animate", "draw_shapes", "load_visual"]

LIGHT = np.array([0.4, -0.5, 0.77])
MOST_FACES, FEWEST_FACES = (
    1500,
    100,
)  # of one body, of a part of one: matplotlib draws each by itself
AROUND = 12  # directions around a ball's or a capsule's axis, half as many from pole to pole


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles that move with a link: corners (k, 3) in its frame [m], faces (f, 3) as indices of them.

    link : index or name of a link, name of a frame, or "ground"; colour : any of matplotlib's.

    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]])
    >>> flag = Surface(0, corners, faces=np.array([[0, 1, 2], [0, 2, 3]]), colour="tomato")
    >>> flag.corners[flag.faces[1]]
    array([[0., 0., 0.],
           [1., 0., 1.],
           [0., 0., 1.]])
    """

    link: int | str
    corners: Array
    faces: Array
    colour: Any = COLOURS["link"]

    def __repr__(self) -> str:
        return f"Surface on {self.link!r} of {len(self.faces)} triangles"

    def __post_init__(self) -> None:
        corners = as_real(as_array(self.corners, "corners"), "corners")
        faces = np.asarray(self.faces)
        for x, name in ((corners, "corners"), (faces, "faces")):
            if x.ndim != 2 or x.shape[1] != 3 or not len(x):
                raise ValueError(f"{name} has shape {x.shape}, but must be (k, 3)")
        require_finite(corners, "corners")
        if faces.dtype.kind not in "iu" or not 0 <= faces.min() <= faces.max() < len(corners):
            raise ValueError(f"faces must be indices of corners, from 0 to {len(corners) - 1}")
        object.__setattr__(self, "corners", read_only(corners))
        object.__setattr__(self, "faces", faces)


def load_visual(
    path: str | PathLike[str] | Any,
    chain: Chain,
    *,
    lock: Mapping[str, float] | Iterable[str] | None = None,
) -> list[Surface]:
    """Return what a robot's file draws, on the links of the chain that `load_urdf` or `load_mjcf` made of it.

    path : of a URDF, whose <visual> elements are taken, or of an MJCF file (or what else `load_mjcf` takes), of which
    the geoms in groups 0 to 2 are, as in MuJoCo's viewer, but for planes: a `Geometry` of a `HalfSpace` draws a floor.
    lock : as it was given to `load_urdf`. Meshes of a URDF are found as by `load_collision`, and need trimesh; those
    with very many faces are made coarser. What cannot be drawn is left out, with one UserWarning that lists it. A film
    or a picture of them: `animate`, `draw_shapes`. ImportError without yourdfpy or mujoco, or if there is a mesh and no
    trimesh. ValueError, with the file's name, for what is no such file or not that of the chain.

    >>> from pathlib import Path
    >>> rod = Chain([Link(Revolute(), 1, (0, 0, 0), np.eye(3), name="rod")])
    >>> box = '<visual><geometry><box size="1 2 3"/></geometry></visual></link>'
    >>> _ = Path("rod.urdf").write_text(to_urdf(rod).replace("</link>", box))
    >>> (surface,) = load_visual("rod.urdf", rod)
    >>> np.ptp(surface.corners, axis=0)
    array([1., 2., 3.])
    """
    check_chain(chain)
    if not isinstance(path, str | PathLike) or str(path).lstrip().startswith("<"):
        made, called = visuals_of_mjcf(path, chain), "the MJCF"
    else:
        file, called = Path(path), str(path)
        require_file(file, "path", "a URDF or MJCF file")
        root = root_of(file)
        mjcf = is_mjcf(file, root)
        made = (
            visuals_of_mjcf(file, chain) if mjcf else visuals_of_urdf(read(file, root), chain, lock)
        )
    surfaces, left_out = made
    if left_out:
        warnings.warn(f"{called}: left out: {'; '.join(left_out)}", UserWarning, stacklevel=2)
    return surfaces


def visuals_of_mjcf(source: Any, chain: Chain) -> tuple[list[Surface], list[str]]:
    """Return the geoms that MuJoCo's viewer shows, on the links of a chain, and what cannot be drawn."""
    reader, surfaces = drawn_by(source), []
    strange = sorted(set(reader.hinges) - {*chain.names})
    if strange:
        raise ValueError(
            f"the file's {strange} are not in the chain: give what load_mjcf made of it"
        )
    for link, pose, form, scale, colour in reader.drawn():
        corners, faces = form if isinstance(form, tuple) else triangulated(form, 1.0)
        corners = (scale * corners) @ pose[:3, :3].T + pose[:3, 3]
        surfaces.append(Surface(link, *coarser(corners, faces, MOST_FACES), colour))
    return surfaces, [x for x in reader.left_out if x.startswith("geom ")]


def visuals_of_urdf(robot: Any, chain: Chain, lock: Any) -> tuple[list[Surface], list[str]]:
    """Return the <visual> elements of what was read, on the links of a chain, and what cannot be drawn."""
    surfaces, left_out = [], []
    try:
        require_own(chain, robot)
        home = homes(robot, chain, positions(lock, {joint.name for joint in robot.joints}))
    except ValueError as error:
        raise ValueError(f"{robot.path}: {error}") from None
    materials = [x for x in robot.root.iter("material") if x.find("color") is not None]
    colours = {material.get("name"): material.find("color") for material in materials}
    for element in robot.root.iter("link"):
        name = str(element.get("name"))
        for visual in element.findall("visual") if name in home else ():
            try:
                parts = triangles_of(visual, f"link {name!r}", robot.path.parent)
            except ValueError as error:
                left_out.append(str(error))
                continue
            link, pose = home[name]
            total = sum(len(faces) for _, faces, _ in parts)
            for corners, faces, own in parts:
                corners = corners @ pose[:3, :3].T + pose[:3, 3]
                colour = own or colour_of(visual, colours) or COLOURS["link"]
                most = max(MOST_FACES * len(faces) // total, FEWEST_FACES)
                surfaces.append(Surface(link, *coarser(corners, faces, most), colour))
    return surfaces, left_out


def triangles_of(visual: Any, label: str, folder: Path) -> list[tuple[Array, Array, Any]]:
    """Return corners (k, 3) in the link, faces (f, 3) and colour of each part of a <visual>; None is no colour."""
    form, pose = form_of(visual, label)
    if form.tag == "mesh":
        parts = [
            (np.asarray(part.vertices, float), np.asarray(part.faces, int), colour_of_mesh(part))
            for part in mesh_parts(form, label, folder)
            if len(getattr(part, "faces", ()))
        ]
        if not parts:
            raise ValueError(f"{label}: the mesh {form.get('filename')!r} has no faces")
    else:
        shape, pose = labelled_shape(visual, label.removeprefix("link ").strip("'"), folder)
        parts = [(*triangulated(shape, 1.0), None)]
    return [(x @ pose[:3, :3].T + pose[:3, 3], faces, colour) for x, faces, colour in parts]


def colour_of_mesh(part: Any) -> Any:
    """Return the colour that a mesh's own file gives most of it, None if it gives none."""
    visual = part.visual
    if not getattr(visual, "defined", False):
        return None
    rgba = np.ravel(
        getattr(visual if visual.kind != "texture" else visual.material, "main_color", ())
    )
    return tuple(rgba[:3] / 255) if len(rgba) == 4 else None


def colour_of(visual: Any, colours: Mapping[Any, Any]) -> Any:
    """Return the colour that a <visual>'s material says, here or elsewhere in the file, None if none does."""
    material = visual.find("material")
    if material is None:
        return None
    color = material.find("color")
    color = colours.get(material.get("name")) if color is None else color
    rgba = numbers_in(color.get("rgba", "")) if color is not None else []
    known = len(rgba) == 4 and all(0 <= x <= 1 for x in rgba)
    return tuple(rgba[:3]) if known and rgba[3] else None


def coarser(corners: Array, faces: Array, most: int) -> tuple[Array, Array]:
    """Return a mesh of at most so many faces or so: corners in one cell of a grid become one, at their mean."""
    cells = 64
    while len(faces) > most and cells > 2:
        low, size = corners.min(0), np.ptp(corners, axis=0).max() or 1.0
        grid = np.floor((corners - low) / size * cells).astype(int)
        _, own = np.unique(grid, axis=0, return_inverse=True)
        own = own.ravel()
        count = np.bincount(own)
        merged = np.stack([np.bincount(own, x) / count for x in corners.T], axis=1)
        kept = own[faces]
        a, b, c = kept.T
        kept = kept[(a != b) & (b != c) & (c != a)]
        kept = np.unique(np.sort(kept, axis=1), axis=0)
        if len(kept):
            corners, faces = merged, kept
        cells = cells * 3 // 4
    return corners, faces


def triangulated(shape: Any, extent: float) -> tuple[Array, Array]:
    """Return corners (k, 3) and faces (f, 3) of a shape; extent : half the side of what is seen of a half-space [m]."""
    if isinstance(shape, HalfSpace):
        u = np.cross(shape.normal, np.eye(3)[np.abs(shape.normal).argmin()])
        u = extent * u / np.linalg.norm(u)
        v = np.cross(shape.normal, u)
        return np.array([u + v, v - u, -u - v, u - v]), np.array([[0, 1, 2], [0, 2, 3]])
    from scipy.spatial import ConvexHull

    core = shape.core
    turn = np.pi * np.arange(2 * AROUND) / AROUND
    fall = np.pi * np.arange(AROUND // 2 + 1) / (AROUND // 2)
    ball = [(np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)) for a in fall for b in turn]
    around = core.radius * np.array(ball) if core.radius else np.zeros((1, 3))
    points = (core.corners[:, None] + around).reshape(-1, 3)
    return points, ConvexHull(points).simplices


def in_links(chain: Chain, shapes: Any, extent: float) -> list[tuple[int, Array, Any]]:
    """Return for each shape its link, -1 for the ground, corners (f, 3, 3) of its faces there, and its colour."""
    if not is_several(shapes):
        raise ValueError(f"shapes is {shapes!r}, but must be a list of Geometry or Surface")
    found: list[tuple[int, Array, Any]] = []
    for k, shape in enumerate(shapes):
        if isinstance(shape, Surface):
            ground = isinstance(shape.link, str) and shape.link == "ground"
            link, at, turn = (-1, None, None) if ground else chain.place(shape.link)
            corners = shape.corners if at is None else at + shape.corners @ np.asarray(turn).T
            found.append((link, corners[shape.faces], shape.colour))
            continue
        link = body_of(shape, k, chain)
        own = on_its_link(shape, chain)
        corners, faces = triangulated(own.shape, extent)
        corners = corners @ np.asarray(own.rotation, float).T + own.offset
        colour = "#b9c0c7" if isinstance(own.shape, HalfSpace) else COLOURS["link"]
        found.append((link, corners[faces], colour))
    return found


def draw_shapes(
    chain: Chain,
    q: ArrayNq,
    shapes: Iterable[Geometry | Surface],
    *,
    ax: Any = None,
    view: tuple[float, float] = (20, -60),
) -> Any:
    """Draw the bodies of a chain at the posture q (nq,) in space, shaded; return the axes.

    shapes : from `load_visual`, `load_collision` or `load_model`, or your own; half-spaces lie behind all others, and
    are not drawn for an eye on their inner side. Without others links and joints are drawn. ax : axes by
    ``projection="3d"``, by default of a figure of its own, ``ax.figure``, which no window shows. view : height and turn
    of the eye [degrees]. ValueError for several postures or what is no shape; ImportError without matplotlib.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> body = Geometry(Box((1, 0.1, 0.1)), 0, offset=(0.5, 0, 0))
    >>> ax = draw_shapes(rod, np.zeros(1), [body])
    >>> ax.figure.savefig("rod.png")
    >>> ax.name, len(ax.collections)
    ('3d', 1)
    """
    return Scene(chain, as_postures(chain, q, 1), shapes, ax, view).show(0)


def animate(
    chain: Chain,
    motion: Any,
    path: str | PathLike[str],
    *,
    shapes: Iterable[Geometry | Surface] = (),
    fps: float = 25,
    speed: float = 1,
    view: tuple[float, float] = (20, -60),
    size: tuple[float, float] = (6.4, 4.8),
) -> Path:
    """Write a film of a moving chain, and return its path.

    motion : what `simulate` or `simulate_contact` returns, shown at `speed` times its own; or postures (m, nq), one for
    each picture. path : of a .gif, or of an .mp4, which takes ffmpeg. shapes : as for `draw_shapes`; without them links
    and joints are drawn as by `draw_chain`. fps : pictures a second; view : height and turn of the eye [degrees];
    size : width and height [hundreds of pixels].

    ValueError for another kind of file, a batch of motions, or no postures; ImportError without matplotlib;
    RuntimeError where there is no ffmpeg for an .mp4.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> film = animate(rod, np.array([[0], [0.1], [0.2]]), "rod.gif")
    >>> film.read_bytes()[:3]
    b'GIF'
    """
    check_chain(chain)
    fps, speed = check_positive_number(fps, "fps"), check_positive_number(speed, "speed")
    if not isinstance(path, str | PathLike):
        raise ValueError(f"path is {path!r}, but must name a .gif or .mp4 file")
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in (".gif", ".mp4"):
        raise ValueError(f"{path}: a film is written as .gif or .mp4, not as {kind or 'no kind'!r}")
    if hasattr(motion, "t") and hasattr(motion, "q"):
        motion = in_equal_steps(chain, motion, speed / fps)
    scene = Scene(chain, as_postures(chain, motion, 2), shapes, None, view, size)
    writer = writer_of(kind, fps, path)
    with writer.saving(scene.ax.figure, str(path), dpi=100):
        for k in range(len(scene.q)):
            scene.show(k)
            writer.grab_frame()
    return path


def as_postures(chain: Chain, q: Any, ndim: int) -> Array:
    """Return postures (m, nq) of one (nq,), or of several, or say what is wrong with them."""
    check_chain(chain)
    q = as_real(as_array(q, "q"), "q")
    require_shape(q, "q", (chain.nq,))
    require_finite(q, "q")
    if q.ndim != ndim or not q.size:
        wanted = f"one posture ({chain.nq},)" if ndim == 1 else f"postures (m, {chain.nq})"
        raise ValueError(f"q has shape {q.shape}, but must be {wanted} here")
    return np.atleast_2d(q)


def in_equal_steps(chain: Chain, motion: Any, step: float) -> Array:
    """Return the postures (m, nq) of a motion in equal steps, between two states on the way from one to the other."""
    t, q = np.asarray(motion.t, float), np.asarray(motion.q, float)
    if q.ndim != 2:
        raise ValueError(f"q of the motion has shape {q.shape}: a film shows one motion (m, nq)")
    if not len(t):
        raise ValueError("the motion has no states")
    asked = t[0] + step * np.arange(int((t[-1] - t[0]) / step + 1e-9) + 1)
    k = np.clip(np.searchsorted(t, asked, side="right") - 1, 0, max(len(t) - 2, 0))
    following = np.minimum(k + 1, len(t) - 1)
    long = t[following] - t[k]
    share = np.where(long > 0, (asked - t[k]) / np.where(long > 0, long, 1), 0)
    way = difference(chain, q[k], q[following])
    return integrate(chain, q[k], share[:, None] * way)


def writer_of(kind: str, fps: float, path: Path) -> Any:
    """Return matplotlib's writer of a kind of film, or say what it lacks."""
    animation = imported("matplotlib.animation")
    if kind == ".gif":
        return animation.PillowWriter(fps=fps)
    command = shutil.which("ffmpeg")
    if command is None:
        try:  # a wheel that brings one
            command = importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
        except (ImportError, RuntimeError):
            raise RuntimeError(
                f"{path}: an .mp4 is written by ffmpeg, which is not installed: install it, or pip install "
                "imageio-ffmpeg, or name a .gif"
            ) from None
    imported("matplotlib").rcParams["animation.ffmpeg_path"] = command
    return animation.FFMpegWriter(fps=fps, extra_args=["-pix_fmt", "yuv420p"])


def imported(name: str) -> Any:
    """Return a module of matplotlib's, or say how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError("drawing needs matplotlib: pip install 'chaindyn[widgets]'") from error


class Scene:
    """Bodies in space, of which one posture (nq,) of several (m, nq) is seen at a time, all at one scale."""

    def __init__(
        self,
        chain: Chain,
        q: Array,
        shapes: Any,
        ax: Any,
        view: Sequence[float],
        size: Sequence[float] = (6.4, 4.8),
    ) -> None:
        self.chain, self.q = chain, q
        self.R, self.p = forward_kinematics(chain, q)
        if ax is None:
            figure = imported("matplotlib.figure").Figure(figsize=tuple(size), facecolor="white")
            imported("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
            ax = figure.add_axes((0, 0, 1, 1), projection="3d")
        elif not hasattr(ax, "get_zlim"):
            raise ValueError('ax must be made with projection="3d"')
        self.ax, self.view = ax, view
        shapes = list(shapes) if is_several(shapes) else shapes
        small, endless = in_links(chain, shapes, 1.0), [is_endless(shape) for shape in shapes]
        reach = self.reached([x for x, far in zip(small, endless, strict=True) if not far])
        self.centre, self.half = reach.mean(0), max(float(np.ptp(reach, axis=0).max()) / 2, 1e-6)
        parts = [*zip(in_links(chain, shapes, 2.5 * self.half), endless, strict=True)]
        self.parts = [part for part, far in parts if not far]
        self.floors = [part for part, far in parts if far]
        self.painted: dict[int, Any] = {}
        if self.floors:
            ax.computed_zorder = False  # a floor lies behind all that stands on it

    def reached(self, parts: Any) -> Array:
        """Return the least and the greatest coordinates (2, 3) of all bodies in all postures."""
        low, high = self.p.min((0, 1)), self.p.max((0, 1))
        for link, faces, _ in parts:
            corners = faces.reshape(-1, 3)
            if link >= 0:
                span = np.array([corners.min(0), corners.max(0)])
                box = np.stack(np.meshgrid(*span.T), axis=-1).reshape(-1, 3)
                corners = box @ self.R[:, link].mT + self.p[:, link, None]
            low = np.minimum(low, corners.reshape(-1, 3).min(0))
            high = np.maximum(high, corners.reshape(-1, 3).max(0))
        if not parts:  # without bodies, links end in their centres of mass
            com = self.p + (self.R @ self.chain.com[..., None].astype(float))[..., 0]
            low = np.minimum(np.minimum(low, com.min((0, 1))), 0)
            high = np.maximum(np.maximum(high, com.max((0, 1))), 0)
        return np.array([low, high])

    def show(self, k: int) -> Any:
        """Draw the k-th posture; return the axes."""
        ax = self.ax
        if not self.parts:
            ax.clear()
            self.painted.clear()
            draw_chain(
                self.chain, self.q[k], ax=ax, frames=False, coms=False, scale=0.08 * self.half
            )
        self._paint(k)
        ax.set_axis_off()
        for name, middle in zip("xyz", self.centre, strict=True):
            getattr(ax, f"set_{name}lim")(middle - self.half, middle + self.half)
        ax.set_box_aspect((1, 1, 1), zoom=1.4)
        ax.view_init(elev=self.view[0], azim=self.view[1])
        return ax

    def _paint(self, k: int) -> None:
        """Put all faces where they are, each as bright as the light makes it: first floors, then bodies."""
        floors = [self._seen_floor(k, *part) for part in self.floors]
        self._put(0, [floor for floor in floors if floor is not None])
        self._put(
            1, [(self._in_world(k, link, corners), colour) for link, corners, colour in self.parts]
        )

    def _in_world(self, k: int, link: int, corners: Array) -> Array:
        """Return corners of a link, which may be the ground, in the world."""
        return corners if link < 0 else corners @ self.R[k, link].T + self.p[k, link]

    def _seen_floor(self, k: int, link: int, corners: Array, colour: Any) -> Any:
        """Return faces and colour of a floor below the middle of the picture, None if the eye is on its other side."""
        corners = self._in_world(k, link, corners)
        normal = np.cross(corners[0, 1] - corners[0, 0], corners[0, 2] - corners[0, 0])
        normal /= np.linalg.norm(normal)
        up, around = np.radians(self.view)
        eye = (np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up))
        away = self.centre - corners.reshape(-1, 3).mean(0)
        return (corners + away - normal * (normal @ away), colour) if normal @ eye > 0 else None

    def _put(self, order: int, parts: Sequence[tuple[Array, Any]]) -> None:
        """Paint faces (f, 3, 3) of each part's colour; those of a greater order are in front."""
        if not parts:
            return
        to_rgb = imported("matplotlib.colors").to_rgb
        colours = []
        for corners, colour in parts:
            normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            size = np.linalg.norm(normal, axis=1)
            bright = np.abs(normal @ LIGHT) / np.where(size > 0, size, 1)
            colours.append(
                np.clip((0.45 + 0.55 * bright)[:, None] * np.array(to_rgb(colour)), 0, 1)
            )
        faces = np.concatenate([corners for corners, _ in parts])
        if order not in self.painted:
            solid = imported("mpl_toolkits.mplot3d.art3d").Poly3DCollection
            self.painted[order] = solid(faces, linewidths=0, antialiased=False, zorder=order)
            self.ax.add_collection3d(self.painted[order])
        self.painted[order].set_verts(faces)
        self.painted[order].set_facecolor(np.concatenate(colours))


def is_endless(shape: Any) -> bool:
    """Whether what is drawn is a half-space."""
    return isinstance(getattr(shape, "shape", shape), HalfSpace)
