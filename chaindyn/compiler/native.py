"""C programs as functions: compiled once, kept in the user's cache folder, called through ctypes."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import hashlib
import importlib.machinery
import importlib.util
import os
import platform
import shlex
import shutil
import signal
import struct
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

__all__: list[str] = []

# what CC may say, a later flag takes back: with these infinities, NaN and what must be positive would not be judged
EXACT = (
    "-fno-fast-math",
    "-fno-unsafe-math-optimizations",
    "-fno-associative-math",
    "-fno-reciprocal-math",
    "-fno-finite-math-only",
    "-fsigned-zeros",
)
# what is to run side by side is written so: looking for more takes up to a quarter of a compiler's time, for nothing
FLAGS = (
    *EXACT,
    "-O2",
    "-fno-tree-vectorize",
    "-fno-tree-slp-vectorize",
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
TO_ANSWER, TO_COMPILE = 60, 900  # seconds after which a compiler is taken to hang

Array = Any


class NoCompiler(Exception):
    """There is no C compiler here, or it failed, or what it makes cannot be kept or loaded."""


def compiler() -> list[str]:
    """Return the C compiler's command: what CC says; else cc, gcc or clang; else that of the package ziglang.

    NoCompiler if there is none.
    """
    if (given := os.environ.get("CC")) is not None:
        with contextlib.suppress(ValueError):  # a quotation without an end
            command = shlex.split(given, posix=os.name == "posix")
            if command and shutil.which(command[0]):
                return command
        raise NoCompiler(
            f"there is no C compiler {given!r}, which the environment variable CC names"
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


hanging: dict[tuple[str, ...], str] = {}  # compilers that hang, and what to say of them


def answer(
    command: Sequence[str], words: Sequence[str], seconds: float, folder: str | None = None
) -> str:
    """Return what a compiler prints; NoCompiler if it fails, or hangs: then it is not asked again.

    folder : for its temporary files. Whatever ends the wait ends the compiler, and what it started.
    """
    said = shlex.join(command)
    if tuple(command) in hanging:
        raise NoCompiler(hanging[tuple(command)])
    room = os.environ | ({"TMPDIR": folder} if folder else {})
    pipes: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        with subprocess.Popen(
            [*command, *words], env=room, start_new_session=True, **pipes
        ) as process:
            try:
                out, wrong = process.communicate(timeout=seconds)
            except BaseException:
                end(process)
                raise
    except OSError as error:
        raise NoCompiler(f"the C compiler {said} does not start: {error}") from None
    except subprocess.TimeoutExpired:
        hanging[tuple(command)] = f"the C compiler {said} had not ended after {seconds} s"
        raise NoCompiler(hanging[tuple(command)]) from None
    if process.returncode:
        wrong = str(wrong, errors="replace").strip()[:500]
        raise NoCompiler(f"the C compiler {said} failed: {wrong}")
    return str(out, errors="replace")


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started."""
    if not hasattr(os, "killpg"):
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def machine() -> str:
    """Return what a program for this machine hangs on: its processor, and the compiler with its flags."""
    command = compiler()
    place = shutil.which(command[0]) or command[0]
    return "\n".join([processor(), place, *command[1:], version_of(*command), *FLAGS])


@functools.cache
def version_of(*command: str) -> str:
    """Return what a compiler says of itself; NoCompiler if it does not answer."""
    return answer(command, ["--version"], TO_ANSWER)


@functools.cache
def processor() -> str:
    """Return what instructions this machine's processor has."""
    cpu = platform.processor()
    if os.path.exists("/proc/cpuinfo"):
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
        cpu = next((line for line in lines if line.startswith(("flags", "Features"))), cpu)
    return "\n".join([cpu, platform.machine(), sys.platform])


# files that are kept


def is_private(folder: Path) -> bool:
    """Whether a folder is the user's own, and nobody else can write in it."""
    status = folder.stat()
    return not hasattr(os, "getuid") or (
        status.st_uid == os.getuid() and not status.st_mode & 0o022
    )


@functools.cache
def private_folder() -> Path:
    """Return a folder of this process alone, which goes with it. NoCompiler if there is no room for one."""
    owner = os.getpid()
    try:
        folder = tempfile.mkdtemp(prefix="chaindyn-")
    except OSError as error:
        raise NoCompiler(f"programs cannot be kept: {error}") from None

    def remove() -> None:
        if os.getpid() == owner:  # not a copy of the process
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return Path(folder)


def cache_folder() -> Path:
    """Return where programs are kept: CHAINDYN_CACHE, or chaindyn in the user's cache folder.

    A private folder of this process if others can write there, if it cannot, or if the user has no home.
    """
    try:
        folder = Path(os.environ.get("CHAINDYN_CACHE") or user_cache() / "chaindyn")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_private(folder) and os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            return folder
    except (OSError, RuntimeError):  # the second where there is no home
        pass
    return private_folder()


def user_cache() -> Path:
    """Return the user's cache folder; a relative XDG_CACHE_HOME is none, says its specification."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return given if given.is_absolute() else Path.home() / ".cache"


def content_of(path: Path) -> bytes:
    """Return what a file holds that nobody but the user can have written; nothing if there is none."""
    try:
        ours = not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()
        return path.read_bytes() if ours and is_private(path.parent) else b""
    except OSError:
        return b""


def keep(name: str, content: bytes) -> None:
    """Write a file into the cache, its digest before its content; whole, or not at all where there is no room."""
    folder = cache_folder()
    with contextlib.suppress(OSError), tempfile.TemporaryDirectory(dir=folder) as own:
        path = Path(own) / name
        path.write_bytes(hashlib.sha256(content).digest() + content)
        os.replace(path, folder / name)


def kept(name: str) -> bytes | None:
    """Return what was kept under this name; None if nothing was, or if it is damaged."""
    whole = content_of(cache_folder() / name)
    return whole[32:] if whole and hashlib.sha256(whole[32:]).digest() == whole[:32] else None


def program_named(digest: str) -> Path | None:
    """Return the path of the program whose content has this digest; None if it is not there, or is damaged.

    A file that is cut short must not be loaded: it would end Python.
    """
    path = cache_folder() / f"{digest}.so"
    return path if hashlib.sha256(content_of(path)).hexdigest() == digest else None


def is_cut(program: bytes) -> bool:
    """Whether an ELF file ends before its last part does: linkers leave that on a full disk, without an error."""
    if len(program) < 64 or program[:5] != b"\x7fELF\x02":
        return len(program) < 64
    (start,), (size, count) = (
        struct.unpack_from(*x) for x in (("=Q", program, 40), ("=HH", program, 58))
    )
    return bool(start + size * count > len(program))


def built(text: str, *flags: str) -> Path:
    """Return the path of a program compiled from this text, now or earlier. NoCompiler if that fails.

    It is named after its content, and renamed so when it is whole: two processes do not disturb each other.
    """
    whole = "\n".join([machine(), *flags, text])
    name = hashlib.sha256(whole.encode()).hexdigest() + ".program"
    try:
        known = kept(name)
        path = program_named(known.decode()) if known else None
        return path or compiled_now(name, text, flags)
    except OSError as error:
        raise NoCompiler(f"programs cannot be kept: {error}") from None


def compiled_now(name: str, text: str, flags: Sequence[str]) -> Path:
    """Compile a program and keep it, and under this name what it is named."""
    folder, command = cache_folder(), compiler()
    with tempfile.TemporaryDirectory(dir=folder) as own:
        source, made = Path(own) / "program.c", Path(own) / "program.so"
        source.write_text('#line 1 "program.c"\n' + text)  # so that no trace of the folder is left
        answer(command, [*FLAGS, *flags, str(source), "-o", str(made), "-lm"], TO_COMPILE, own)
        program = made.read_bytes() if made.exists() else b""
        if is_cut(program):
            raise NoCompiler(
                f"the C compiler {shlex.join(command)} made no program, or only a part"
            )
        digest = hashlib.sha256(program).hexdigest()
        path = folder / f"{digest}.so"
        os.replace(made, path)
    keep(name, digest.encode())
    return path


@functools.cache
def door() -> Any:
    """Return the extension module that calls programs without Python in between; None where it cannot be made.

    It needs Python's headers, which a program does not.
    """
    try:
        text = (Path(__file__).parent / "door.c").read_text()
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
    """Return a compiled program, ready to be called: it has `march`, and `one` or `many`. NoCompiler if it has none."""
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise NoCompiler(f"what the C compiler made cannot be loaded: {error}") from None
    names = [name for name in ("one", "many", "march") if hasattr(library, name)]
    if not names:
        raise NoCompiler("what the C compiler made lacks its functions")
    for name in names:
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
        again: int | None = None,
    ) -> bool:
        """Write where some states of a batch are after every so many steps; return whether something did not hold.

        The first results of the program are what its next step begins with: those that are written down, or `again` of
        them. results : (states, steps // every, ...), of one state complete up to the step that did not hold.
        """
        given, _alive = self.among(values, strides, results, *span)
        first = len(results) if again is None else again
        count = [ctypes.c_longlong(k) for k in (first, len(results), steps, every)]
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
