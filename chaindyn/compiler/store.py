"""Recorded functions kept beside their programs, so that a second start need not record."""

from __future__ import annotations

import functools
import hashlib
import importlib
import io
import json
import sys
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from chaindyn.compiler import native
from chaindyn.compiler.native import Kernel
from chaindyn.guards.joint_defaults import parameters

__all__: list[str] = []

OWN = "chaindyn."
PLAIN = (type(None), bool, int, float, str, bytes)
PARTS = (
    *("parent", "names", "rotation", "offset", "mass", "com", "inertia", "gravity"),
    *("reflected_inertia", "viscous", "coulomb"),
    *("lower_limit", "upper_limit", "velocity_limit", "effort_limit"),
)
PACKAGE = Path(__file__).parents[1]
LOADED = time.time()


class OfOthers(Exception):
    """What cannot be told by a name: others' code has a part in it, or values that are no floats."""


@functools.cache
def package_digest() -> str:
    """Return a digest of this package: what another version recorded is not taken for this one's.

    OfOthers if a file has changed since it was loaded.
    """
    own = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.stat().st_mtime > LOADED:
            raise OfOthers(f"{path.name} is not what was loaded")
        own.update(path.read_bytes())
    return own.hexdigest()


def place_of(x: Any) -> str:
    """Return where in this package a function or a class stands; OfOthers if it is not the one that stands there.

    `functools.wraps` gives others' functions the names of ours, so the code itself is looked at.
    """
    module, name = getattr(x, "__module__", ""), getattr(x, "__qualname__", "")
    ours = str(module).startswith(OWN) and getattr(sys.modules.get(module), name, None) is x
    inner = x
    while ours and not isinstance(x, type) and inner is not None:
        ours = isinstance(inner, FunctionType) and Path(inner.__code__.co_filename).is_relative_to(
            PACKAGE
        )
        inner = getattr(inner, "__wrapped__", None)
    if not ours:
        raise OfOthers(f"{x!r} is not of this package")
    return f"{module}.{name}"


def spelt(x: Any) -> bytes:
    """Return a value as bytes that no other value has; OfOthers if it cannot be told so."""
    kind = type(x)
    if kind in PLAIN or (kind in (tuple, list) and all(type(part) in PLAIN for part in x)):
        return repr(x).encode()
    if kind in (tuple, list, dict):
        parts = [spelt(part) for part in (x.items() if kind is dict else x)]
        return kind.__name__.encode() + b"".join(b"(%d:%b)" % (len(part), part) for part in parts)
    if isinstance(x, type | FunctionType):
        return place_of(x).encode()
    if is_dataclass(x):
        return spelt([place_of(kind), *(getattr(x, f.name) for f in fields(x))])
    if kind is not np.ndarray and not isinstance(x, np.generic):
        raise OfOthers(f"{kind} has no spelling")
    if x.dtype.kind not in "biuf" or x.itemsize > 8:
        raise OfOthers(f"{x.dtype} is computed in floats")
    return f"{x.dtype.str}{x.shape}".encode() + bytes(x.tobytes())


def parts_of(chain: Any) -> list[Any]:
    """Return all that a function may find in a chain."""
    kinds = list(dict.fromkeys(type(joint) for joint in chain.joints))
    places = [place_of(x) for x in (type(chain), *kinds, *map(type, chain.frames))]
    members = [[i for i, joint in enumerate(chain.joints) if type(joint) is k] for k in kinds]
    joints = [
        [np.array([getattr(chain.joints[i], name) for i in own]) for name in parameters(kind)]
        for kind, own in zip(kinds, members, strict=True)
    ]
    parts = [getattr(chain, name) for name in PARTS]
    return [places, members, joints, chain.frame_places, *parts]


def key_of(function: Callable[..., Any], chain: Any, said: Any) -> str | None:
    """Return a name for what a function does with a chain and such arguments; None if others' code has a part in it."""
    try:
        whole = [package_digest(), np.__version__, function, parts_of(chain), said]
        text = native.machine().encode() + spelt(whole)
    except OfOthers:
        return None
    return hashlib.sha256(text).hexdigest()


def described(nest: Any) -> Any:
    """Return how results are put together, as JSON can say it."""
    if isinstance(nest, tuple):
        return [described(x) for x in nest]
    kind = type(nest)
    ours = is_dataclass(nest) and kind.__module__.startswith(OWN)
    if not ours or hasattr(nest, "recording") or kind.__name__ == "Number":  # an array, or a number
        return 0
    parts = [described(getattr(nest, f.name)) for f in fields(nest)]
    return {kind.__module__: kind.__qualname__, "of": parts}


def rebuilt(text: Any) -> Any:
    """Return such a nest with an empty array for each array."""
    if isinstance(text, list):
        return tuple(rebuilt(x) for x in text)
    if isinstance(text, dict):
        parts = [rebuilt(x) for x in text.pop("of")]
        ((module, name),) = text.items()
        if not module.startswith(OWN):
            raise ValueError(f"{module} is not of this package")
        return getattr(importlib.import_module(module), name)(*parts)
    return np.empty(0)


def keep(key: str, program: Path, kernel: Kernel, nest: Any) -> None:
    """Write down a kernel and how its results are put together, if there is room."""
    said = {
        "program": program.stem,
        "sizes": list(map(int, kernel.sizes)),
        "room": int(kernel.room),
        "inputs": kernel.inputs,
        "outputs": kernel.outputs,
        "nest": described(nest),
    }
    arrays = {"tree": kernel.tree, "data": kernel.data, "common": kernel.common}
    whole = io.BytesIO()
    np.savez(whole, said=json.dumps(said), **arrays)
    native.keep(f"{key}.record", whole.getvalue())


def found(key: str) -> tuple[Kernel, Any] | None:
    """Return a kernel that was kept, and the nest of its results; None if there is none, or if it is damaged."""
    whole = native.kept(f"{key}.record")
    if whole is None:
        return None
    with np.load(io.BytesIO(whole), allow_pickle=False) as record:
        said = json.loads(str(record["said"]))
        arrays = record["tree"], record["data"], record["common"]
    program = native.program_named(said["program"])
    if program is None:
        return None
    inputs, outputs = ([tuple(shape) for shape in said[k]] for k in ("inputs", "outputs"))
    library = native.opened(program)
    kernel = Kernel(library, said["sizes"], inputs, outputs, said["room"], *arrays)
    return kernel, rebuilt(said["nest"])
