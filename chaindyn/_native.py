"""C programs as functions: compiled once, kept in the user's cache folder, called through ctypes."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.machinery
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

FLAGS = (
    "-O2",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
    "-shared",
    "-std=gnu11",
    "-Wno-psabi",
)

COMPILERS = ("cc", "gcc", "clang")
LANES = 4  # states that are computed side by side

Array = Any


class NoCompiler(Exception):
    """There is no C compiler here, or it failed."""


def compiler() -> list[str]:
    """Return the C compiler's command: what CC says; else cc, gcc or clang; else that of the package ziglang."""
    if (told := os.environ.get("CC")) is not None:
        command = shlex.split(told, posix=os.name == "posix")
        if command and shutil.which(command[0]):
            return command
        raise NoCompiler(
            f"there is no C compiler {told!r}, which the environment variable CC names"
        )
    for name in COMPILERS:
        if shutil.which(name):
            return [name]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc"]
    raise NoCompiler(
        "there is no C compiler; with one it would be faster: a system's own (cc, gcc or clang), or "
        "`pip install 'chaindyn[compiler]'`"
    )


@functools.cache
def machine() -> str:
    """Return what a program for this machine hangs on: its processor and the compiler."""
    try:
        version = subprocess.run(
            [*compiler(), "--version"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoCompiler(f"the C compiler does not answer: {error}") from None
    cpu = platform.processor()
    if os.path.exists("/proc/cpuinfo"):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line for line in lines if line.startswith(("flags", "Features"))), cpu)
    return "\n".join([version, cpu, platform.machine(), sys.platform])


def is_private(folder: Path) -> bool:
    """Whether a folder is the user's own, and nobody else can write in it."""
    status = folder.stat()
    return not hasattr(os, "getuid") or (
        status.st_uid == os.getuid() and not status.st_mode & 0o022
    )


@functools.cache
def private_folder() -> Path:
    """Return a folder of this process alone."""
    return Path(tempfile.mkdtemp(prefix="chaindyn-"))


def cache_folder() -> Path:
    """Return where programs are kept: CHAINDYN_CACHE, or chaindyn in the user's cache folder.

    If others can write there, a private folder of this process.
    """
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(os.environ.get("CHAINDYN_CACHE") or Path(home) / "chaindyn")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if is_private(folder) else private_folder()
    except OSError:
        return private_folder()


def is_ours(path: Path) -> bool:
    """Whether a file is there that nobody but the user can have written."""
    if not path.exists() or not is_private(path.parent):
        return False
    return not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()


def built(text: str, *flags: str) -> Path:
    """Return the path of a program compiled from this text, now or earlier.

    Written under a name of its own and renamed when it is whole, so that two processes do not disturb each other.
    """
    name = hashlib.sha256("\n".join([machine(), *FLAGS, *flags, text]).encode()).hexdigest()
    folder = cache_folder()
    path = folder / f"{name}.so"
    if is_ours(path):
        return path
    with tempfile.TemporaryDirectory(dir=folder) as own:
        source, made = Path(own) / "program.c", Path(own) / "program.so"
        source.write_text(text)
        command = [*compiler(), *FLAGS, *flags, str(source), "-o", str(made), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoCompiler(f"the C compiler failed: {done.stderr.strip()[:500]}")
        os.replace(made, path)
    return path


@functools.cache
def door() -> Any:
    """Return the extension module that calls programs without Python in between; None where it cannot be made.

    It needs Python's headers, which a program does not.
    """
    try:
        text = (Path(__file__).parent / "_door.c").read_text()
        python, numpy = sysconfig.get_paths()["include"], np.get_include()
        path = built(
            f"/* {sys.version} NumPy {np.__version__} */\n" + text, f"-I{python}", f"-I{numpy}"
        )
        loader = importlib.machinery.ExtensionFileLoader("_door", str(path))
        module = importlib.util.module_from_spec(
            importlib.machinery.ModuleSpec("_door", loader, origin=str(path))
        )
        loader.exec_module(module)
    except (NoCompiler, OSError, ImportError):
        return None
    return module


@functools.cache
def opened(path: Path) -> Any:
    """Return a compiled program, ready to be called: it has `march`, and `one` or `many`."""
    library = ctypes.CDLL(str(path))
    for name in ("one", "many", "march"):
        if hasattr(library, name):
            getattr(library, name).restype = ctypes.c_longlong
    return library


def address(x: Array) -> ctypes.c_void_p:
    """Return where an array's numbers lie."""
    return ctypes.c_void_p(x.ctypes.data)


def addresses(arrays: Sequence[Array]) -> Any:
    """Return where the numbers of several arrays lie."""
    return (ctypes.c_void_p * max(len(arrays), 1))(*[x.ctypes.data for x in arrays])


@dataclass(frozen=True, eq=False)
class Kernel:
    """A compiled program with the model it works on.

    library : what `opened` gives; sizes : n, nq, nv and the length of all records; inputs, outputs : shapes, the last
    output what must be positive; room : how many numbers it needs to work; tree, data, common : the model.
    """

    library: Any
    sizes: Sequence[int]
    inputs: list[tuple[int, ...]]
    outputs: list[tuple[int, ...]]
    room: int
    tree: Array
    data: Array
    common: Array

    @cached_property
    def lengths(self) -> Array:
        """The sizes, those of the model, and the lengths of inputs and outputs."""
        own = [int(np.prod(shape)) for shape in (*self.inputs, *self.outputs)]
        return np.array([*self.sizes, self.data.size, self.common.size, *own], np.int64)

    @cached_property
    def model(self) -> tuple[Any, ...]:
        """Where sizes and model lie."""
        return tuple(address(x) for x in (self.lengths, self.tree, self.data, self.common))

    def one(self, values: Sequence[Array]) -> tuple[list[Array], bool]:
        """Return the results for one state, and whether something does not hold."""
        results = [np.empty(shape) for shape in self.outputs]
        work = np.empty(self.room + 1)
        holds = self.library.one(*self.model, addresses(values), addresses(results), address(work))
        return results[:-1], not holds

    @cached_property
    def room_of_door(self) -> tuple[Array, Array]:
        """Where the quick way in lets the program work and say what it expects."""
        return np.empty(self.room + 1), np.empty(self.outputs[-1])

    def quick(self, fallback: Any, several: bool) -> Any:
        """Return a callable that goes straight to the program, or to the fallback; None if it cannot be made."""
        own = door()
        if own is None or len(self.inputs) > 16 or len(self.outputs) > 16:
            return None
        arrays = (self.lengths, self.tree, self.data, self.common, *self.room_of_door)
        program = ctypes.cast(self.library.one, ctypes.c_void_p).value
        places = [x.ctypes.data for x in arrays]
        return own.make(
            program, *places, tuple(self.inputs), tuple(self.outputs[:-1]), several, fallback
        )

    def many(
        self,
        values: Sequence[Array],
        strides: Sequence[int],
        results: Sequence[Array],
        start: int,
        end: int,
    ) -> bool:
        """Write the results of some states of a batch; return whether something does not hold."""
        given, _alive = self.among(values, strides, results, start, end)
        return bool(self.library.many(*given) >= 0)

    def march(
        self,
        values: Sequence[Array],
        strides: Sequence[int],
        results: Sequence[Array],
        span: tuple[int, int],
        steps: int,
        every: int,
    ) -> bool:
        """Write where some states of a batch are after every so many steps; return whether something did not hold.

        The first results of the program are what its next step begins with; results : (states, steps // every, ...).
        """
        given, _alive = self.among(values, strides, results, *span)
        count = [ctypes.c_longlong(k) for k in (len(results), steps, every)]
        return bool(self.library.march(*given, *count))

    def among(
        self,
        values: Sequence[Array],
        strides: Sequence[int],
        results: Sequence[Array],
        start: int,
        end: int,
    ) -> tuple[tuple[Any, ...], list[Array]]:
        """Return the arguments of a call with some states of a batch, and the arrays that must live until its end."""
        work = np.empty((self.room + int(self.lengths[4:].sum()) + 1) * LANES + 8)
        skip = -work.ctypes.data // 8 % 8  # to where vectors may lie
        ours = [x.reshape(-1)[start * s :] for x, s in zip(values, strides, strict=True)]
        steps = np.array([*strides, 0], np.int64)
        given = (
            *self.model,
            addresses(ours),
            addresses([x[start:] for x in results]),
            ctypes.c_void_p(work.ctypes.data + 8 * skip),
            ctypes.c_longlong(end - start),
            address(steps),
        )
        return given, [work, steps, *ours]
