"""Pictures and films of bodies: judged by where their faces are, and by what is in the files."""

from __future__ import annotations

import importlib
import shutil
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from trees import EPS

import chaindyn as cd
from chaindyn import (
    Box,
    Capsule,
    Chain,
    ConvexHull,
    Frame,
    Free,
    Geometry,
    HalfSpace,
    Link,
    Revolute,
    Sphere,
    forward_kinematics,
    load_collision,
    load_mjcf,
    load_urdf,
    simulate,
)
from chaindyn.pictures import (
    Surface,
    animate,
    coarser,
    draw_shapes,
    in_equal_steps,
    load_visual,
    triangulated,
)

pytest.importorskip("matplotlib")
Image = pytest.importorskip("PIL.Image")
art3d = importlib.import_module("mpl_toolkits.mplot3d.art3d")

BODY: dict[str, Any] = {"mass": 1, "com": (0.5, 0, 0), "inertia": np.eye(3)}
TURN = cd.rotation_about(np.array([0, 0.6, 0.8]), np.array([0.7]))
TETRA = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def arm() -> Chain:
    frames = [Frame("tool", "b", (0.2, 0.3, 0.1), TURN), Frame("desk", "ground", (0, 0, -1))]
    return Chain(
        [
            Link(Revolute(), **BODY, name="a"),
            Link(Revolute((0, 1, 0)), **BODY, offset=(1, 0, 0), name="b"),
        ],
        frames=frames,
    )


@pytest.fixture
def painted(monkeypatch):
    """The faces that are given to matplotlib, picture by picture."""
    faces: list[Any] = []
    kept = art3d.Poly3DCollection.set_verts

    def noted(self, verts, *args, **options):
        faces.append(np.asarray(verts))
        return kept(self, verts, *args, **options)

    monkeypatch.setattr(art3d.Poly3DCollection, "set_verts", noted)
    return faces


@pytest.mark.parametrize("on", ["a", 1, "tool", "desk", "ground"])
def test_faces_are_where_their_bodies_are(painted, on):
    chain, q = arm(), np.array([0.3, -0.8])
    place = {"offset": (0.1, 0.2, 0.3), "rotation": TURN}
    draw_shapes(chain, q, [Surface(on, TETRA, FACES)])
    R, p = (np.eye(3), np.zeros(3)) if on == "ground" else forward_kinematics(chain, q, on)
    wanted = (TETRA @ R.T + p)[FACES]
    assert np.abs(painted[-1] - wanted).max() <= 10 * EPS
    draw_shapes(chain, q, [Geometry(Box((2, 2, 2)), on, **place)])
    centre = p + R @ np.array(place["offset"])
    local = (painted[-1] - centre) @ R @ TURN
    assert np.abs(np.abs(local) - 1).max() <= 20 * EPS  # corners of the box


@pytest.mark.parametrize(
    "shape", [Sphere(0.3), Capsule(0.2, 0.7), Box((1, 2, 3)), ConvexHull(TETRA)], ids=str
)
def test_faces_of_shapes_lie_on_them(shape):
    corners, faces = triangulated(shape, 1.0)
    apart = cd.distance
    for corner in corners[np.unique(faces)]:
        out = apart(Sphere(1e-3), (np.eye(3), corner), shape, (np.eye(3), np.zeros(3))).distance
        assert out == pytest.approx(-1e-3, abs=1e-9)
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()  # closed


def test_a_floor_is_a_square_across_its_normal():
    corners, faces = triangulated(HalfSpace((0, 3, 4)), 2.0)
    assert np.abs(corners @ [0, 0.6, 0.8]).max() <= 4 * EPS and len(faces) == 2
    assert np.linalg.norm(corners, axis=1) == pytest.approx(2 * np.sqrt(2))


def pixels(ax: Any) -> Any:
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba())[..., :3].astype(int)


@pytest.mark.parametrize("far", [0, 20])
def test_a_floor_lies_behind_what_stands_on_it(far):
    """Large faces, sorted by their middles with the others, hid feet, and whole robots that lay down."""
    chain = Chain([Link(Free(), 1, (0, 0, 0), np.eye(3), name="foot")])
    foot = Geometry(Box((2, 0.5, 0.1)), "foot")
    floors = [
        Geometry(HalfSpace((0, 0, 1)), "ground"),
        Geometry(HalfSpace((0, 0, 2)), "ground", offset=(50, 70, 0)),  # the same, said otherwise
    ]
    q = np.array([far, 0.7 * far, 0.05, 1, 0, 0, 0])
    alone = pixels(draw_shapes(chain, q, [foot]))
    body = (alone < 250).any(-1)
    pictures = [pixels(draw_shapes(chain, q, [foot, floor])) for floor in floors]
    for picture in pictures:
        assert (picture[body] == alone[body]).all() and body.sum() > 1000
        assert (picture[~body] < 250).any(-1).sum() > 5 * body.sum()  # all around it
    assert (pictures[0] == pictures[1]).all()
    below = {"view": (-20, 30)}  # from there a floor would hide all
    alone, under = (pixels(draw_shapes(chain, q, [foot, *f], **below)) for f in ([], floors))
    assert (alone == under).all()


def test_a_floor_alone_is_drawn_below_links_and_joints():
    ax = draw_shapes(arm(), np.array([0.3, -0.8]), [Geometry(HalfSpace((0, 0, 1)), "ground")])
    assert len(ax.lines) > 2 and len({tuple(x) for x in pixels(ax).reshape(-1, 3)}) > 3
    first = min(artist.zorder for artist in [*ax.collections, *ax.lines])
    assert [x.zorder for x in ax.collections].count(first) == 1


def test_large_meshes_are_made_coarser():
    turn, fall = np.meshgrid(np.linspace(0, 2 * np.pi, 120), np.linspace(0.01, 3.13, 80))
    ball = np.stack([np.sin(fall) * np.cos(turn), np.sin(fall) * np.sin(turn), np.cos(fall)], -1)
    k = np.arange(80 * 120).reshape(80, 120)
    a, b, c = k[:-1, :-1].ravel(), k[1:, :-1].ravel(), k[:-1, 1:].ravel()
    corners, faces = coarser(ball.reshape(-1, 3), np.stack([a, b, c], 1), 1500)
    assert 300 < len(faces) <= 1500
    size = np.linalg.norm(corners[faces.ravel()], axis=1)
    assert 0.9 < size.min() and size.max() <= 1
    same = coarser(TETRA, FACES, 4)
    assert same[0] is TETRA and same[1] is FACES


def test_times_between_states_are_filled_by_the_way_between_them():
    """A quaternion half way along a turn is that of half the angle, and no mean of entries."""
    chain = Chain([Link(Free(), **BODY), Link(Revolute(), **BODY)])
    t = np.array([0, 0.5, 0.6, 2.0])
    angle = 1.4 * t
    still = 0 * t
    q = np.stack([2 * t, still, -t, np.cos(angle / 2), still, still, np.sin(angle / 2), 5 * t], 1)
    steps = in_equal_steps(chain, SimpleNamespace(t=t, q=q), 0.1)
    assert len(steps) == 21
    assert np.abs(steps[:, 7] - 5 * 0.1 * np.arange(21)).max() <= 1e-14
    assert np.abs(steps[:, 6] - np.sin(0.07 * np.arange(21))).max() <= 1e-14
    assert len(in_equal_steps(chain, SimpleNamespace(t=t[:1], q=q[:1]), 0.1)) == 1


def test_a_film_has_a_picture_for_each_posture(tmp_path, painted):
    chain = arm()
    q = np.linspace([0, 0], [1, -1], 4)
    path = animate(chain, q, tmp_path / "a.gif", shapes=[Surface("b", TETRA, FACES)], fps=10)
    with Image.open(path) as film:
        assert film.n_frames == 4 and film.size == (640, 480) and film.info["duration"] == 100
        film.seek(3)
        last = np.asarray(film.convert("L"), float)
    assert (last < 230).any()
    R, p = forward_kinematics(chain, q[-1], "b")
    assert np.abs(painted[-1] - (TETRA @ R.T + p)[FACES]).max() <= 10 * EPS


def test_a_motion_is_shown_in_its_time(tmp_path):
    """Half a second at half the speed is a second; without bodies, links and joints are strokes."""
    chain = arm()
    motion = simulate(chain, [0, 0], [1, 0], t=[0, 0.1, 0.5], progress=False)
    path = animate(chain, motion, str(tmp_path / "b.GIF"), fps=8, speed=0.5, size=(2, 2))
    with Image.open(path) as film:
        assert film.n_frames == 9 and film.size == (200, 200)


def test_mp4_is_written_by_ffmpeg(tmp_path, monkeypatch):
    chain, q = arm(), np.zeros((2, 2))
    if shutil.which("ffmpeg") or importlib.util.find_spec("imageio_ffmpeg"):
        path = animate(chain, q, tmp_path / "a.mp4", size=(2, 2))
        assert path.read_bytes()[4:8] == b"ftyp"
    monkeypatch.setattr(shutil, "which", lambda name: None)
    found = importlib.import_module

    def without(name):
        if name == "imageio_ffmpeg":
            raise ImportError(name)
        return found(name)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(
        RuntimeError, match=r"b.mp4: an .mp4 is written by ffmpeg, which is not.*\.gif"
    ):
        animate(chain, q, tmp_path / "b.mp4")


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda c: animate(c, [[0, 0]], "a.avi"),
            "a film is written as .gif or .mp4, not as '.avi'",
        ),
        (lambda c: animate(c, [[0, 0]], "a"), "not as 'no kind'"),
        (lambda c: animate(c, [[0, 0]], 3), "path is 3"),
        (
            lambda c: animate(c, [0, 0], "a.gif"),
            r"q has shape \(2,\), but must be postures \(m, 2\)",
        ),
        (lambda c: animate(c, np.zeros((0, 2)), "a.gif"), "q has shape"),
        (lambda c: animate(c, [[0, np.nan]], "a.gif"), "nan"),
        (lambda c: animate(c, [[0, 0, 0]], "a.gif"), "q has shape"),
        (lambda c: animate(c, [[0, 0]], "a.gif", fps=0), "fps is 0"),
        (lambda c: animate(c, [[0, 0]], "a.gif", shapes=3), "shapes is 3, but must be a list"),
        (lambda c: animate(c, [[0, 0]], "a.gif", shapes=["box"]), r"geometries\[0\] is 'box'"),
        (lambda c: animate(3, [[0, 0]], "a.gif"), "chain must be a Chain"),
        (lambda c: draw_shapes(c, [[0, 0]], []), "but must be one posture"),
        (lambda c: draw_shapes(c, [0, 0], [], ax=object()), "projection"),
        (lambda c: draw_shapes(c, [0, 0], [Surface("d", TETRA, FACES)]), "body is 'd'"),
        (lambda c: Surface("a", TETRA, FACES + 1), "indices of corners, from 0 to 3"),
        (lambda c: Surface("a", TETRA, [[0, 1, 2.5]]), "indices of corners"),
        (lambda c: Surface("a", TETRA[:, :2], FACES), "corners has shape"),
        (lambda c: Surface("a", TETRA, []), "faces has shape"),
    ],
)
def test_bad_pictures(call, words):
    with pytest.raises(ValueError, match=words):
        call(arm())


def test_a_missing_matplotlib_is_named(monkeypatch):
    kept = importlib.import_module

    def without(name):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return kept(name)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(ImportError, match="drawing needs matplotlib"):
        draw_shapes(arm(), [0, 0], [])


ROBOT = """<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="base"><visual><geometry><box size="1 1 0.1"/></geometry></visual></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><geometry><mesh filename="t.obj" scale="2 2 2"/></geometry>
<material name="red"/></visual>
<visual><geometry><mesh filename="../../../secret.obj"/></geometry></visual></link>
<link name="hand"><visual><geometry><sphere radius="0.1"/></geometry>
<material name="own"><color rgba="0 0.5 0 1"/></material></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
<joint name="k" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="0 0 3"/></joint></robot>"""


def test_what_a_urdf_draws(tmp_path):
    pytest.importorskip("yourdfpy")
    pytest.importorskip("trimesh")
    folder = tmp_path / "robot" / "urdf"
    folder.mkdir(parents=True)
    (folder / "r.urdf").write_text(ROBOT)
    lines = [f"v {x} {y} {z}" for x, y, z in TETRA] + [f"f {a} {b} {c}" for a, b, c in FACES + 1]
    (folder / "t.obj").write_text("\n".join(lines))
    chain = load_urdf(folder / "r.urdf")
    with pytest.warns(
        UserWarning, match=r"left out: link 'arm': the mesh '../../../secret.obj' lies"
    ):
        base, body, hand = load_visual(folder / "r.urdf", chain)
    assert (base.link, body.link, hand.link) == ("ground", "arm", "arm")
    assert body.colour == (1, 0, 0) and hand.colour == (0, 0.5, 0)
    assert np.ptp(base.corners, axis=0).tolist() == [1, 1, 0.1]
    moved = [[0, 0, 1], [0, 2, 1], [-2, 0, 1], [0, 0, 3]]
    assert sorted(body.corners.round(12).tolist()) == sorted(moved)
    assert np.abs(hand.corners.mean(0) - (0, 0, 3)).max() < 1e-12
    with pytest.raises(ValueError, match="are not in this file"):
        load_visual(folder / "r.urdf", arm())
    with pytest.raises(ValueError, match="source is 3, but must be a path"):
        load_visual(3, chain)


MJCF = """<mujoco><asset><material name="red" rgba="1 0 0 1"/>
<mesh name="t" vertex="0 0 0  1 0 0  0 2 0  0 0 3"/>
<hfield name="hills" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 1 0"/></asset>
<worldbody><geom type="plane" size="1 1 1"/><geom type="hfield" hfield="hills"/>
<body name="arm" pos="0 0 1" euler="20 30 40"><joint axis="0 1 0" pos="0.1 0.2 0.3"/>
<geom name="box" type="box" size="0.5 0.1 0.2" pos="1 0 0" euler="10 0 50" material="red"/>
<geom name="egg" type="ellipsoid" size="0.1 0.2 0.3" rgba="0 0.5 0 1"/>
<geom type="sphere" size="0.4" group="3"/><geom type="sphere" size="0.4" rgba="1 1 1 0"/>
<body name="hand" pos="2 0 0"><geom name="part" type="mesh" mesh="t" euler="0 0 90"/></body></body>
</worldbody></mujoco>"""


def test_what_an_mjcf_draws(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "r.xml").write_text(MJCF)
    chain = load_mjcf(MJCF).chain
    with pytest.warns(UserWarning, match="r.xml: left out: geom 'geom1', hfield"):
        surfaces = load_visual(tmp_path / "r.xml", chain)
    box, egg, part = surfaces
    assert box.colour == (1, 0, 0) and egg.colour == (0, 0.5, 0) and part.link == "arm"
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    data.qpos[:] = q = 0.7
    mujoco.mj_forward(model, data)
    R, p = forward_kinematics(chain, np.array([q]), "arm")
    (tetra,) = [model.mesh_vert.astype(float)]
    half = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.1, 0.1) for z in (-0.2, 0.2)])
    for surface, name, corners in ((box, "box", half), (part, "part", tetra)):
        geom = data.geom(name)
        theirs = geom.xpos + corners @ geom.xmat.reshape(3, 3).T
        ours = p + surface.corners @ R.T
        gaps = np.abs(ours[:, None] - theirs).max(-1)
        assert gaps.min(0).max() < 1e-12 and gaps.min(1).max() < 1e-12, name
    geom = data.geom("egg")
    inside = (p + egg.corners @ R.T - geom.xpos) @ geom.xmat.reshape(3, 3) / (0.1, 0.2, 0.3)
    assert np.abs(np.linalg.norm(inside, axis=1) - 1).max() < 1e-12
    with pytest.warns(UserWarning, match="the MJCF: left out"):
        assert len(load_visual(model, chain)) == len(load_visual(MJCF, chain)) == 3
    with pytest.raises(ValueError, match=r"the file's \['arm'\] are not in the chain"):
        load_visual(model, arm())


def test_a_published_robot_is_drawn(robot_file, painted):
    pytest.importorskip("trimesh")
    path = robot_file("panda_description/urdf/panda.urdf")
    robot = load_urdf(path, mimic="free")
    q = robot.q_of({"panda_joint2": -0.5, "panda_joint4": -2})
    surfaces = load_visual(path, robot)
    assert {s.link for s in surfaces} >= {"ground", "panda_link1", "panda_link7"}
    draw_shapes(robot, q, surfaces)
    drawn = painted[-1].reshape(-1, 3)
    draw_shapes(robot, q, load_collision(path, robot, broken="skip"))
    hulls = painted[-1].reshape(-1, 3)
    for end in (
        np.min,
        np.max,
    ):  # what is seen and what collides fill the same room, to centimetres
        assert np.abs(end(drawn, axis=0) - end(hulls, axis=0)).max() < 0.03
