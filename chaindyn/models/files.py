"""A robot's file, of whichever kind, as a `Model`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path

from chaindyn.models.mjcf import load_mjcf
from chaindyn.models.model import Model
from chaindyn.models.urdf import collision_of, load_couplings, load_urdf, parsed, read

__all__ = ["load_model"]


def load_model(
    path: str | PathLike[str],
    *,
    lock: Mapping[str, float] | Iterable[str] | None = None,
    floating: bool = False,
    inertia: str = "strict",
    friction: float = 0.0,
    restitution: float = 0.0,
) -> Model:
    """Return the robot of a URDF or an MJCF file: its chain, and what stands beside it by name.

    A URDF's chain is that of `load_urdf` with mimic="free"; `load_collision` gives the shapes and `load_couplings` the
    constraints. Shapes that are unknown, degenerate or not there are in `left_out`. lock, floating, inertia, friction,
    restitution : as there. An MJCF file is read by `load_mjcf`, which takes all but inertia from the file.

    ImportError, FileNotFoundError and ValueError as by these functions.
    """
    if not isinstance(path, str | PathLike):
        raise ValueError(f"path is {path!r}, but must name a URDF or MJCF file")
    path = Path(path)
    if path.is_file() and _root(path) == "mujoco":
        if lock or floating or friction or restitution:
            raise ValueError(f"{path}: lock, floating, friction and restitution are for a URDF")
        return load_mjcf(path, inertia=inertia)
    chain = load_urdf(path, lock=lock, floating=floating, inertia=inertia, mimic="free")
    geometries, skipped = collision_of(path, chain, lock, friction, restitution, "skip")
    joints = {joint.name: joint.child for joint in read(path).joints if joint.child in chain.names}
    frames = {frame.name: frame.name for frame in chain.frames}
    return Model(
        chain,
        geometries=tuple(geometries),
        constraints=tuple(load_couplings(path, chain, lock=lock)),
        joints=joints,
        bodies={name: name for name in chain.names} | frames,
        left_out=tuple(skipped),
    )


def _root(path: Path) -> str:
    """Return the name of a file's root element, empty if it is no XML."""
    try:
        return parsed(path).tag
    except ValueError:
        return ""
