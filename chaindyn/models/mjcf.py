"""Robots from MJCF files, through MuJoCo's own compiler: what it has made of a file is read, not the file.

MuJoCo hangs several joints on a body, one after the other; here each but the last moves a link without mass. A joint
turns about an anchor, which is the origin of its link here; a body's own frame is then a `Frame` on that link.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.chain import Chain, Link
from chaindyn.closure import Closure
from chaindyn.conventions import convention
from chaindyn.guards.arguments import check_word
from chaindyn.guards.mjcf import check_mjcf, check_numbers_of
from chaindyn.guards.model import INERTIA_RULES, InertiaRule, check_corners
from chaindyn.guards.xml_text import require_file
from chaindyn.joints import Prismatic, Revolute, Spherical, rotation_about
from chaindyn.lie import rotation_from_quaternion
from chaindyn.models.model import Model
from chaindyn.models.parts import Drive, Frame, Limits
from chaindyn.models.shapes import Box, Capsule, ConvexHull, Geometry, HalfSpace, Sphere
from chaindyn.models.welded import (
    Body,
    as_published,
    fault_of,
    one_body,
    prism,
    with_corners,
)
from chaindyn.other_constraints import Coupling
from chaindyn.other_joints import Fixed, Free

__all__ = ["load_mjcf"]

# Of the groups of geoms: MuJoCo's viewer shows 0 to 2, and robots keep what collides in 3.
LAST_SHOWN = 2


def load_mjcf(
    source: str | PathLike[str] | Any,
    *,
    inertia: InertiaRule = "strict",
    corners: int | None = None,
) -> Model:
    """Return the robot that an MJCF file describes; needs ``pip install "chaindyn[mjcf]"``.

    source : a file's path, the XML itself, or a compiled ``mujoco.MjModel``. inertia : what to do where it is
    impossible for any body: "strict" refuses it, "warn" takes the numbers as they are, with one UserWarning. corners :
    of a mesh's hull that are kept at most, as for `load_collision`.

    Links have the names of their bodies and come in MuJoCo's order: ``convention("MuJoCo")`` takes states there and
    back. Where a body has several joints, those before the last move links without mass that are called after the
    joint. Bodies that are welded together are one link, and the others of their names, and those of sites, are frames.
    Armature, damping and frictionloss are the `Drive`, range and the force of motors the `Limits`, <equality> connect,
    weld and joint the constraints, keyframes the postures, springs of joints the stiffness of `Model.springs`. Shapes
    are those with a contype or conaffinity; cylinders become prisms of 32 sides, meshes their convex hulls, and what
    may touch what is in `Model.apart`. Each shape has its sliding friction. What is soft in MuJoCo (solref, solimp) is
    rigid here. `Model.left_out` names all else: tendons, muscles, servos, fluid, ellipsoids, height fields.

    What a file includes, and its meshes, must lie in the same package (the nearest folder above with a package.xml or
    a .git, or the uppermost with an __init__.py), or else in the folder above its own; what a compiled model was made
    of is not judged.

    ImportError without mujoco; FileNotFoundError; ValueError for entities, NaN, copies and sizes without end, and files
    elsewhere; in MuJoCo's words, for what it does not compile; and where a body's inertia is impossible or no joint
    moves.

    >>> arm = '<body><joint axis="0 1 0"/><geom size=".1" pos="1 0 0" mass="2"/></body>'
    >>> model = load_mjcf(f"<mujoco><worldbody>{arm}</worldbody></mujoco>")
    >>> crba(model.chain, np.zeros(1)).round(3)
    array([[2.008]])
    """
    check_word(inertia, "inertia", INERTIA_RULES)
    check_corners(corners)
    mujoco, model, where = from_mujoco(source)
    try:
        check_numbers_of(model)
        reader = Reader(mujoco, model, corners)
        chain = reader.chain(strict=inertia == "strict")
        if reader.faults:
            warnings.warn(
                f"{where}: taken as published: {'; '.join(reader.faults)}",
                UserWarning,
                stacklevel=2,
            )
        return reader.model(chain)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def drawn_by(source: Any) -> Reader:
    """Return the reader of a model whose geoms are to be drawn; arguments as for `load_mjcf`."""
    mujoco, model, where = from_mujoco(source)
    try:
        check_numbers_of(model)
        reader = Reader(mujoco, model)
        reader.chain(strict=False)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return reader


def from_mujoco(source: Any) -> tuple[Any, Any, str]:
    """Return MuJoCo, its model, and what to call the source."""
    try:
        import mujoco
    except ImportError as error:
        raise ImportError(
            'load_mjcf reads MJCF files with MuJoCo, which is not installed: pip install "chaindyn[mjcf]"'
        ) from error
    if isinstance(source, mujoco.MjModel):
        return mujoco, source, "the model"
    if not isinstance(source, str | PathLike):
        raise ValueError(f"source is {source!r}, but must be a path, XML, or a mujoco.MjModel")
    if isinstance(source, str) and source.lstrip().startswith("<"):
        return mujoco, compiled_by(mujoco.MjModel.from_xml_string, source, "the XML"), "the XML"
    path = Path(source)
    require_file(path, "source", "an MJCF file")
    return mujoco, compiled_by(mujoco.MjModel.from_xml_path, path, str(path)), str(path)


def compiled_by(compiler: Any, source: str | Path, where: str) -> Any:
    """Return what MuJoCo makes of a file or a text; refuse what it should not be given, and what it refuses."""
    try:
        if isinstance(source, Path):
            check_mjcf(source.read_bytes(), source)
        else:
            check_mjcf(source.encode())
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    try:
        return compiler(str(source))
    except (ValueError, UnicodeError, RuntimeError, MemoryError) as error:
        raise ValueError(f"{where}: MuJoCo does not compile it: {error}") from None


def posed(place: Any, quaternion: Any = None) -> Array:
    """Return a pose (4, 4); MuJoCo's quaternions are rounded, and are made units again."""
    pose = np.eye(4)
    pose[:3, 3] = place
    if quaternion is not None:
        unit = np.asarray(quaternion, float)
        pose[:3, :3] = rotation_from_quaternion(unit / np.linalg.norm(unit))
    return pose


def placed(pose: Array) -> dict[str, Array]:
    """Return a pose as the offset and rotation of a link, frame or shape."""
    return {"offset": pose[:3, 3], "rotation": pose[:3, :3]}


@dataclass
class Reader:
    """One compiled model, m, as it is read: where each body is, by its number, and what is left out.

    corners : of a mesh's hull, at most.
    """

    mujoco: Any
    m: Any
    corners: int | None = None
    home: dict[int, tuple[str, Array]] = field(default_factory=lambda: {0: ("ground", np.eye(4))})
    moves: dict[int, str] = field(default_factory=dict)
    parts: dict[str, list[Body]] = field(default_factory=lambda: {"ground": []})
    hinges: dict[str, dict[str, Any]] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    bodies: dict[str, str] = field(default_factory=dict)
    sites: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def name(self, kind: str, i: int) -> str:
        """Return the file's name of a thing, or its kind and number."""
        try:
            return getattr(self.m, kind)(i).name or f"{kind}{i}"
        except UnicodeDecodeError:
            raise ValueError(
                f"{kind} {i}: its name is not written in UTF-8, as MuJoCo reads it: save the file in UTF-8"
            ) from None

    def word(self, kind: str, value: Any) -> str:
        """Return MuJoCo's word for one of its numbers, as "HINGE" for 3 among joints."""
        return str(getattr(self.mujoco, f"mjt{kind}")(int(value)).name.partition("_")[2])

    def unused(self, name: str, kind: str) -> str:
        """Return a name for a link or frame that no other has: MuJoCo's kinds of things have names of their own."""
        taken = {"ground", *self.hinges, *(frame.name for frame in self.frames)}
        while name in taken:
            name = f"{name} ({kind})"
        return name

    def chain(self, *, strict: bool) -> Chain:
        """Return the links and frames."""
        m = self.m
        for b in range(1, m.nbody):
            self._read_body(b)
        if not self.hinges:
            raise ValueError("no joint moves: a chain needs one")
        carriers = {one["parent"] for one in self.hinges.values()}
        links = []
        for name, described in self.hinges.items():
            body = one_body(self.parts[name])
            link = Link(**described, name=name, mass=body.mass, com=body.com, inertia=body.inertia)
            fault = fault_of(link, "its joint", is_leaf=name not in carriers)
            links.append(as_published(link) if fault else link)
            self.faults += [fault] if fault else []
        if self.faults and strict:
            raise ValueError(f"{'; '.join(self.faults)} (inertia='warn' takes them as published)")
        sites = dict(self._sites())
        self.sites = {name: frame.name for name, frame in sites.items()}
        gravity = (
            np.zeros(3)
            if m.opt.disableflags & self.mujoco.mjtDisableBit.mjDSBL_GRAVITY
            else m.opt.gravity.copy()
        )
        return Chain(links, gravity=gravity, frames=[*self.frames, *sites.values()])

    def _read_body(self, b: int) -> None:
        m, name = self.m, self.name("body", b)
        carrier, pose = self.home[int(m.body_parentid[b])]
        pose = pose @ posed(m.body_pos[b], m.body_quat[b])
        anchor = np.zeros(3)
        joints = range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
        for j in joints:
            last = j == joints[-1]
            link = self.unused(name if last else self.name("jnt", j), "body" if last else "joint")
            shift = posed(m.jnt_pos[j] - anchor)
            start = np.eye(4) if self.kind(j) == "FREE" else pose @ shift @ self._reference(j)
            self.hinges[link] = {"parent": carrier, **placed(start), **self._joint(j)}
            self.moves[j], self.parts[link] = link, []
            carrier, pose, anchor = link, np.eye(4), m.jnt_pos[j]
        pose = pose @ posed(-anchor)
        self.home[b] = carrier, pose
        self.parts[carrier].append(self._own(b).seen_from(pose))
        self.bodies[name] = carrier
        if not len(joints) or anchor.any():
            self.bodies[name] = self.unused(name, "body")
            self.frames.append(Frame(self.bodies[name], carrier, **placed(pose)))
        if m.body_mocapid[b] >= 0:
            self.left_out.append(f"mocap of body {name!r}, which stands still")
        if m.body_gravcomp[b]:
            self.left_out.append(f"gravcomp of body {name!r}")

    def kind(self, j: int) -> str:
        """Return the type of a joint in MuJoCo's words."""
        return self.word("Joint", self.m.jnt_type[j])

    def _own(self, b: int) -> Body:
        """Return a body's mass and inertia in its own frame."""
        m = self.m
        own = Body(float(m.body_mass[b]), np.zeros(3), np.diag(m.body_inertia[b]))
        return own.seen_from(posed(m.body_ipos[b], m.body_iquat[b]))

    def _reference(self, j: int) -> Array:
        """Return the pose that takes a joint to where its coordinate is zero; MuJoCo's may count from another place."""
        start, axis = self.m.qpos0[self.m.jnt_qposadr[j]], self.m.jnt_axis[j]
        pose = np.eye(4)
        if self.kind(j) == "HINGE" and start:
            pose[:3, :3] = rotation_about(axis, np.array([-start]))
        elif self.kind(j) == "SLIDE":
            pose[:3, 3] = -start * axis
        return pose

    def _joint(self, j: int) -> dict[str, Any]:
        """Return the joint, drive and limits of one of MuJoCo's joints."""
        m, name = self.m, self.name("jnt", j)
        axis, kind = m.jnt_axis[j], self.kind(j)
        joint: Any
        match kind:
            case "FREE":
                joint = Free(name=name)
            case "BALL":
                joint = Spherical(name=name)
            case "HINGE":
                joint = Revolute(axis, name=name)
            case _:
                joint = Prismatic(axis, name=name)
        v = m.jnt_dofadr[j]  # a joint's entries are all the same
        drive = Drive(m.dof_armature[v], 1, m.dof_damping[v], m.dof_frictionloss[v])
        if joint.nv > 1 and drive.rotor_inertia:
            self.left_out.append(f"armature of joint {name!r}, which is no hinge or slide")
            drive = Drive(0, 1, drive.viscous, drive.coulomb)
        if kind == "FREE" and drive.coulomb:
            self.left_out.append(f"frictionloss of the free joint {name!r}")
            drive = Drive(0, 1, drive.viscous, 0)
        if np.any(getattr(m, "dof_dampingpoly", np.zeros((m.nv, 1)))[v]):
            self.left_out.append(f"nonlinear damping of joint {name!r}")
        bounded = m.jnt_limited[j] and joint.nv == 1
        if m.jnt_limited[j] and not bounded:
            self.left_out.append(f"range of the ball joint {name!r}")
        places = m.jnt_range[j] if bounded else (-np.inf, np.inf)
        effort = self._effort(j) if joint.nv == 1 else np.inf
        free = not (bounded or np.isfinite(effort))
        still = not (drive.rotor_inertia or drive.viscous or drive.coulomb)
        return {
            "joint": joint,
            "drive": None if still else drive,
            "limits": None if free else Limits(places[0], places[1], effort=effort),
        }

    def _effort(self, j: int) -> float:
        """Return the largest force that motors and the joint's own bound allow, infinite without one."""
        m, efforts = self.m, []
        if m.jnt_actfrclimited[j]:
            efforts.append(np.abs(m.jnt_actfrcrange[j]).max())
        motors = [a for a in range(m.nu) if self._is_motor(a) and m.actuator_trnid[a, 0] == j]
        if motors and all(m.actuator_ctrllimited[a] or m.actuator_forcelimited[a] for a in motors):
            efforts.append(sum(self._strength(a) for a in motors))
        return float(min(efforts, default=np.inf))

    def _is_motor(self, a: int) -> bool:
        """Whether an actuator's force on a joint is its command times a factor."""
        m = self.m
        return (
            self.word("Trn", m.actuator_trntype[a]) == "JOINT"
            and self.word("Dyn", m.actuator_dyntype[a]) == "NONE"
            and self.word("Gain", m.actuator_gaintype[a]) == "FIXED"
            and self.word("Bias", m.actuator_biastype[a]) == "NONE"
        )

    def _strength(self, a: int) -> float:
        """Return the largest joint force of a motor."""
        m, bounds = self.m, []
        if m.actuator_ctrllimited[a]:
            bounds.append(np.abs(m.actuator_ctrlrange[a]).max() * abs(m.actuator_gainprm[a, 0]))
        if m.actuator_forcelimited[a]:
            bounds.append(np.abs(m.actuator_forcerange[a]).max())
        return float(min(bounds) * abs(m.actuator_gear[a, 0]))

    def _sites(self) -> Iterator[tuple[str, Frame]]:
        for s in range(self.m.nsite):
            carrier, pose = self._site(s)
            name = self.name("site", s)
            yield name, Frame(self.unused(name, "site"), carrier, **placed(pose))

    def _site(self, s: int) -> tuple[str, Array]:
        carrier, pose = self.home[int(self.m.site_bodyid[s])]
        return carrier, pose @ posed(self.m.site_pos[s], self.m.site_quat[s])

    def model(self, chain: Chain) -> Model:
        """Return all that was read."""
        m, mujoco = self.m, convention("MuJoCo")
        geometries, numbers = self._geometries()
        stiffness, relaxed = self._springs(chain)
        constraints = tuple(self._constraints())
        self._note_the_rest()
        return Model(
            chain,
            geometries=tuple(geometries),
            constraints=constraints,
            joints={self.name("jnt", j): link for j, link in self.moves.items()},
            bodies=self.bodies,
            sites=self.sites,
            postures={
                self.name("key", k): mujoco.from_q(chain, m.key_qpos[k]) for k in range(m.nkey)
            },
            stiffness=stiffness,
            relaxed=relaxed,
            apart=self._apart(numbers),
            left_out=tuple(self.left_out),
        )

    def _springs(self, chain: Chain) -> tuple[Any, Any]:
        """Return stiffness (nv,) and relaxed coordinates (nq,) of the joints' springs, None if there are none."""
        m, stiffness = self.m, np.zeros(chain.nv)
        for j, link in self.moves.items():
            if self.kind(j) == "FREE" and m.jnt_stiffness[j]:
                self.left_out.append(f"spring of the free joint {self.name('jnt', j)!r}")
            elif m.jnt_stiffness[j]:
                stiffness[chain.v_columns[chain.index(link)]] = m.jnt_stiffness[j]
            if np.any(getattr(m, "jnt_stiffnesspoly", np.zeros((m.njnt, 1)))[j]):
                self.left_out.append(f"nonlinear spring of joint {self.name('jnt', j)!r}")
        if not stiffness.any():
            return None, None
        return stiffness, convention("MuJoCo").from_q(chain, m.qpos_spring.copy())

    def _constraints(self) -> Iterator[Any]:
        for e in range(self.m.neq):
            kind, name = self.word("Eq", self.m.eq_type[e]), self.name("eq", e)
            if not self.m.eq_active0[e]:
                self.left_out.append(f"equality {name!r}, which is inactive at the start")
            elif kind == "JOINT":
                yield from self._coupling(e, name)
            elif kind in ("CONNECT", "WELD"):
                yield self._closure(e)
            else:
                self.left_out.append(f"equality {name!r}, which is none of connect, weld, joint")

    def _closure(self, e: int) -> Closure:
        """Return a connect or weld as the joint that closes the loop, from the first body or site to the second.

        A connect has the common point in either body; a weld has it in the second, and the second's pose in the first.
        """
        m, data = self.m, self.m.eq_data[e]
        connects = self.word("Eq", m.eq_type[e]) == "CONNECT"
        one, other = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
        if self.word("Obj", m.eq_objtype[e]) == "SITE":
            (base, at_base), (body, at_body) = self._site(one), self._site(other)
        else:
            (base, at_base), (body, at_body) = self.home[one], self.home[other]
            if connects:
                at_base, at_body = at_base @ posed(data[:3]), at_body @ posed(data[3:6])
            else:
                at_base = at_base @ posed(data[3:6], data[6:10])
                at_body = at_body @ posed(data[:3])
        if body == "ground":
            (base, at_base), (body, at_body) = (body, at_body), (base, at_base)
        return Closure(
            Spherical() if connects else Fixed(),
            body,
            base,
            **placed(at_body),
            **{f"onto_{key}": value for key, value in placed(at_base).items()},
        )

    def _coupling(self, e: int, name: str) -> Iterator[Coupling]:
        """Return a joint that follows another: MuJoCo counts both from their reference."""
        m, data = self.m, self.m.eq_data[e]
        one, other = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
        if data[2:5].any():
            self.left_out.append(f"equality {name!r}, whose polynomial is not linear")
            return
        factors: dict[int | str, Any] = {self.moves[one]: 1.0}
        total = m.qpos0[m.jnt_qposadr[one]] + data[0]
        if other >= 0:
            factors[self.moves[other]] = -data[1]
            total -= data[1] * m.qpos0[m.jnt_qposadr[other]]
        yield Coupling(factors, total=float(total))

    def _geometries(self) -> tuple[list[Geometry], list[int]]:
        """Return the shapes that collide, and their numbers in MuJoCo's list."""
        m, found, numbers = self.m, [], []
        for g in range(m.ngeom):
            if not (m.geom_contype[g] or m.geom_conaffinity[g]):
                continue
            shape = self._shape(g)
            if shape is None:
                continue
            carrier, pose = self.home[int(m.geom_bodyid[g])]
            pose = pose @ posed(m.geom_pos[g], m.geom_quat[g])
            friction = float(m.geom_friction[g, 0])
            found.append(Geometry(shape, carrier, **placed(pose), friction=friction))
            numbers.append(g)
        return found, numbers

    def _shape(self, g: int) -> Any:
        """Return what a geom is here, None if it is nothing."""
        m, size = self.m, self.m.geom_size[g]
        kind = self.word("Geom", m.geom_type[g])
        match kind:
            case "PLANE":
                return HalfSpace((0, 0, 1))
            case "SPHERE":
                return Sphere(size[0])
            case "CAPSULE":
                return Capsule(size[0], 2 * size[1])
            case "BOX":
                return Box(2 * size)
            case "CYLINDER":
                return prism(size[0], 2 * size[1])
            case "MESH":
                hull = ConvexHull(self._mesh(int(m.geom_dataid[g]))[0])
                return with_corners(hull, self.corners)
        self.left_out.append(f"geom {self.name('geom', g)!r}, {kind.lower()}")
        return None

    def drawn(self) -> Iterator[tuple[str, Array, Any, Array, tuple[float, ...]]]:
        """Yield what MuJoCo's viewer shows at first, but for planes.

        Each is a link, the pose (4, 4) there, the form, its scale (3,) and colour. A form is a shape, or corners (k, 3)
        and faces (f, 3).
        """
        m = self.m
        for g in range(m.ngeom):
            kind, material = self.word("Geom", m.geom_type[g]), int(m.geom_matid[g])
            plain = (m.geom_rgba[g] == 0.5).sum() == 3  # as where a file says none
            rgba = m.mat_rgba[material] if material >= 0 and plain else m.geom_rgba[g]
            if m.geom_group[g] > LAST_SHOWN or not rgba[3] or kind == "PLANE":
                continue
            form: Any = None
            scale = np.ones(3)
            if kind == "MESH":
                form = self._mesh(int(m.geom_dataid[g]))
            elif kind == "ELLIPSOID":
                form, scale = Sphere(1.0), m.geom_size[g].copy()
            else:
                form = self._shape(g)
            if form is not None:
                carrier, pose = self.home[int(m.geom_bodyid[g])]
                pose = pose @ posed(m.geom_pos[g], m.geom_quat[g])
                yield carrier, pose, form, scale, tuple(rgba[:3].tolist())

    def _mesh(self, k: int) -> tuple[Array, Array]:
        """Return corners (k, 3) and faces (f, 3) of a mesh."""
        m = self.m
        corners = slice(m.mesh_vertadr[k], m.mesh_vertadr[k] + m.mesh_vertnum[k])
        faces = slice(m.mesh_faceadr[k], m.mesh_faceadr[k] + m.mesh_facenum[k])
        return m.mesh_vert[corners].astype(float), m.mesh_face[faces].astype(int)

    def _apart(self, numbers: list[int]) -> frozenset[tuple[int, int]]:
        """Return the pairs of shapes that may not touch: by their bits, or because their bodies are excluded."""
        m = self.m
        excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in m.exclude_signature}
        pairs = set()
        for i, g in enumerate(numbers):
            for k, h in enumerate(numbers[:i]):
                meet = m.geom_contype[g] & m.geom_conaffinity[h]
                meet |= m.geom_contype[h] & m.geom_conaffinity[g]
                bodies = int(m.geom_bodyid[h]), int(m.geom_bodyid[g])
                if not meet or excluded & {bodies, bodies[::-1]}:
                    pairs.add((k, i))
        return frozenset(pairs)

    def _note_the_rest(self) -> None:
        """Note what is not read at all."""
        m = self.m
        self.left_out += [f"tendon {self.name('tendon', i)!r}" for i in range(m.ntendon)]
        self.left_out += [
            f"actuator {self.name('actuator', a)!r}, which is no motor"
            for a in range(m.nu)
            if not self._is_motor(a)
        ]
        self.left_out += [f"contact pair {self.name('pair', i)!r}" for i in range(m.npair)]
        self.left_out += [f"flex {i}" for i in range(m.nflex)]
        self.left_out += [f"plugin {i}" for i in range(m.nplugin)]
        if m.opt.density or m.opt.viscosity or np.any(m.opt.wind):
            self.left_out.append("fluid: density, viscosity or wind")
