"""Recorded functions kept beside their programs, so that a second start need not record."""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chaindyn import _native
from chaindyn._native import Kernel

OWN = "chaindyn."


@functools.cache
def package_digest() -> str:
    """Return a digest of this package: what another version recorded is not taken for this one's."""
    own = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        own.update(path.read_bytes())
    return own.hexdigest()


def key_of(function: Callable[..., Any], chain: Any, said: Any) -> str | None:
    """Return a name for what a function does with a chain and such arguments; None if others' code has a part in it."""
    whole = [function, *{type(joint) for joint in chain.joints}]
    if not all(str(getattr(x, "__module__", "")).startswith(OWN) for x in whole):
        return None
    joints = [type(joint).__name__ for joint in chain.joints]
    text = [package_digest(), _native.machine(), function.__module__, function.__qualname__]
    text += [repr(said), repr((chain.parent, chain.names, chain.frames, joints))]
    own = hashlib.sha256("\n".join(text).encode())
    arrays = [chain.rotation, chain.offset, chain.mass, chain.com, chain.inertia, chain.gravity]
    arrays += [chain.reflected_inertia, chain.viscous, chain.coulomb]
    arrays += [getattr(joint, f.name) for joint in chain.joints for f in fields(joint)]
    for x in arrays:
        own.update(np.asarray(x, float).tobytes())
    return own.hexdigest()


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
    """Write down a kernel and how its results are put together, whole or not at all."""
    folder = _native.cache_folder()
    said = {
        "program": program.name,
        "sizes": list(map(int, kernel.sizes)),
        "room": int(kernel.room),
        "inputs": kernel.inputs,
        "outputs": kernel.outputs,
        "nest": described(nest),
    }
    with tempfile.TemporaryDirectory(dir=folder) as own:
        path = Path(own) / "recorded.npz"
        np.savez(
            path, said=json.dumps(said), tree=kernel.tree, data=kernel.data, common=kernel.common
        )
        os.replace(path, folder / f"{key}.npz")


def found(key: str) -> tuple[Kernel, Any] | None:
    """Return a kernel that was kept, and the nest of its results; None if there is none that can be trusted."""
    folder = _native.cache_folder()
    path = folder / f"{key}.npz"
    if not _native.is_ours(path):
        return None
    try:
        with np.load(path, allow_pickle=False) as kept:
            said = json.loads(str(kept["said"]))
            arrays = kept["tree"], kept["data"], kept["common"]
        program = folder / Path(said["program"]).name
        if not _native.is_ours(program):
            return None
        library = _native.opened(program)
        inputs, outputs = ([tuple(shape) for shape in said[k]] for k in ("inputs", "outputs"))
        kernel = Kernel(library, said["sizes"], inputs, outputs, said["room"], *arrays)
        return kernel, rebuilt(said["nest"])
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return None
