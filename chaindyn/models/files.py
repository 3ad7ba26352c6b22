"""A robot's file, of whichever kind, as a `Model`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from xml.etree import ElementTree

from chaindyn.guards.model import InertiaRule
from chaindyn.guards.xml_text import require_file
from chaindyn.models.mjcf import load_mjcf
from chaindyn.models.model import Model
from chaindyn.models.urdf import chain_of, collision_of, couplings_of, parsed, read

__all__ = ["load_model"]


def load_model(
    path: str | PathLike[str],
    *,
    lock: Mapping[str, float] | Iterable[str] | None = None,
    floating: bool = False,
    inertia: InertiaRule = "strict",
    friction: float = 0.0,
    restitution: float = 0.0,
    corners: int | None = None,
) -> Model:
    """Return the robot of a URDF or an MJCF file: its chain, and what stands beside it by name.

    A URDF's chain is that of `load_urdf` with mimic="free"; `load_collision` gives the shapes and `load_couplings` the
    constraints. Shapes that are unknown, degenerate or not there are in `left_out`. lock, floating, inertia, friction,
    restitution, corners : as there. An MJCF file is read by `load_mjcf`, which takes all but inertia and corners from
    the file.

    ImportError, FileNotFoundError and ValueError as by these functions.

    >>> from pathlib import Path
    >>> rod = Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), np.eye(3), name="rod")
    >>> _ = Path("rod.urdf").write_text(to_urdf(Chain([rod])))
    >>> model = load_model("rod.urdf")
    >>> model.joints, model.left_out
    ({'rod': 'rod'}, ())
    """
    if not isinstance(path, str | PathLike):
        raise ValueError(f"path is {path!r}, but must name a URDF or MJCF file")
    path = Path(path)
    require_file(path, "path", "a URDF or MJCF file")
    root = root_of(path)
    if is_mjcf(path, root):
        if lock or floating or friction or restitution:
            raise ValueError(f"{path}: lock, floating, friction and restitution are for a URDF")
        return load_mjcf(path, inertia=inertia, corners=corners)
    robot = read(path, root)
    chain, faults = chain_of(robot, lock=lock, floating=floating, inertia=inertia, mimic="free")
    if faults:
        warnings.warn(f"{path}: {faults}", UserWarning, stacklevel=2)
    given = lock, friction, restitution, "skip", corners
    geometries, skipped = collision_of(robot, chain, *given)
    joints = {joint.name: joint.child for joint in robot.joints if joint.child in chain.names}
    frames = {frame.name: frame.name for frame in chain.frames}
    return Model(
        chain,
        geometries=tuple(geometries),
        constraints=tuple(couplings_of(robot, chain, lock)),
        joints=joints,
        bodies={name: name for name in chain.names} | frames,
        left_out=tuple(skipped),
    )


def root_of(path: Path) -> ElementTree.Element | None:
    """Return a file's root element, None if there is none; what is wrong with it its reader says."""
    try:
        return parsed(path)
    except ValueError:
        return None


def is_mjcf(path: Path, root: ElementTree.Element | None) -> bool:
    """Whether a file is an MJCF by its root element, or, where it is no XML file, begins as one does."""
    if root is not None:
        return root.tag == "mujoco"
    return b"<mujoco" in path.read_bytes()
