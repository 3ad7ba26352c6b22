"""What identifies an object from run to run: a digest of all that its results hang on.

Of the standard library and of installed packages the version counts; of everything else the code and the values, as
far as they are reached from the object. What cannot be told surely from another is refused. What a function asks the
world for, files, the clock, the environment, is not seen.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import importlib
import site
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import fields
from importlib import metadata, util
from pathlib import Path
from types import (
    CodeType,
    EllipsisType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

PLAIN = bool | int | float | complex | str | bytes | range | slice | EllipsisType | None
LOOKS_UP_ANYTHING = {"eval", "exec", "globals", "__import__", "import_module"}
LOOKS_INTO_ALL = {"getattr", "vars", "__dict__"}
# Of a class these say where it stands, what it is called elsewhere, or again what its methods say.
ASIDE = {
    *("__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__"),
    *("__dataclass_fields__", "__dataclass_params__", "__match_args__", "_abc_impl"),
}  # fmt: skip
# What objects of these classes work out when they are called first.
FOUND_LATER = {"numpy.vectorize": "_ufunc"}
PART = 2**16  # states of a stored array, read at once


def software() -> str:
    """Return what else the last digits hang on."""
    from chaindyn.compiler.store import package_digest

    own = sys.modules["chaindyn"].__version__  # there by now; to import it would close a circle
    python = ".".join(map(str, sys.version_info[:2]))
    return f"chaindyn {own} ({package_digest()[:8]}), NumPy {np.__version__}, Python {python}"


def digest(thing: Any, what: str) -> str:
    """Return 32 letters that identify this object, the same in every run.

    TypeError if it cannot be told surely from another; what : its name in the message.
    """
    try:
        return Fingerprint().token(thing).hex()
    except Exception as error:  # objects say in many ways that they cannot be taken apart
        raise TypeError(
            f"the {what} holds something that cannot be told from another in the next run ({error}): leave `out` "
            "out, or use numbers, arrays, dataclasses and functions"
        ) from error


@functools.cache
def version(name: str) -> str | None:
    """Return the package that a module belongs to, with its version; None if it is the reader's own."""
    top = name.partition(".")[0]
    if top == "chaindyn":
        return software()
    file = getattr(sys.modules.get(top), "__file__", None)
    if file is None:
        return "Python" if top in sys.stdlib_module_names else None
    places = [*site.getsitepackages(), site.getusersitepackages()]
    places += [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    if any(Path(file).is_relative_to(place) for place in places):
        try:
            return (
                f"{top} {getattr(sys.modules[top], '__version__', None) or metadata.version(top)}"
            )
        except metadata.PackageNotFoundError:
            return None
    return "Python" if Path(file).is_relative_to(sysconfig.get_path("stdlib")) else None


def named(thing: Any, name: str) -> list[Any] | None:
    """Return package, module and name of what a package has under this name; None if it has something else there."""
    module = getattr(thing, "__module__", None) or where_stands(thing, name)
    home, found = version(module), under(module, name)
    ours = isinstance(thing, type) and module.partition(".")[0] == "chaindyn"  # which renames some
    return [home, module, name] if home and (found is thing or ours) else None


def under(module: str, name: str) -> Any:
    """Return what a module has under a name, which may have points; nothing there is loaded for that."""
    # what stands among modules need not be one
    there = getattr(sys.modules.get(module), "__dict__", {})
    found = there.get(name.partition(".")[0])
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def where_stands(thing: Any, name: str) -> str:
    """Return the packages' module that has a thing which does not say where it stands; "" if none has.

    NumPy's functions say it since version 2.1. The outermost counts, and not the first that was loaded, as for
    `pickle`: that may be the reader's own, which imported it, and another one in the next run.
    """
    homes = [m for m in list(sys.modules) if under(m, name) is thing and version(m)]
    return min(homes, key=lambda m: (m.count("."), m), default="")


class Fingerprint:
    """Takes objects apart, each once; those that hold themselves are known by how deep they stand."""

    def __init__(self) -> None:
        self.seen: dict[
            int, tuple[Any, bytes]
        ] = {}  # the objects too, or another could get their number
        self.depth = 0

    def token(self, thing: Any) -> bytes:
        """Return 16 bytes for an object."""
        if id(thing) in self.seen:
            return self.seen[id(thing)][1]
        self.seen[id(thing)] = thing, b"loop %d" % self.depth
        self.depth += 1
        own = hashlib.blake2b(type(thing).__name__.encode(), digest_size=16)
        for part in self.parts(thing):
            content = part if isinstance(part, memoryview) else self.token(part)
            own.update(b"%d:" % len(content) + content if len(content) < 64 else content)
        self.depth -= 1
        self.seen[id(thing)] = thing, own.digest()
        return own.digest()

    def parts(self, thing: Any) -> Any:
        """Return what distinguishes an object from others of its type: bytes, in a memoryview, and objects."""
        kind = type(thing)
        if isinstance(thing, PLAIN) and kind.__module__ == "builtins":
            return [memoryview(repr(thing).encode())]
        if kind in (tuple, list):
            return thing
        if kind in (dict, MappingProxyType):
            return [x for item in thing.items() for x in item]
        if kind in (set, frozenset):
            return [memoryview(x) for x in sorted(map(self.token, thing))]
        if kind in (np.ndarray, np.memmap) and not thing.dtype.hasobject:
            return [
                repr(thing.dtype),
                thing.shape,
                memoryview(np.ascontiguousarray(thing).tobytes()),
            ]
        if kind in TAKEN_APART:
            return [getattr(thing, name) for name in TAKEN_APART[kind]]
        if isinstance(thing, type):
            return named(thing, thing.__qualname__) or list(parts_of_class(thing))
        if isinstance(thing, ModuleType):
            return parts_of_module(thing, None)
        if kind is FunctionType:
            return parts_of_function(thing)
        if hasattr(thing, "__array__") and hasattr(thing, "shape") and kind.__module__ != "numpy":
            return [kind, *parts_of_array(thing)]
        return parts_of_object(thing)


TAKEN_APART: dict[type, tuple[str, ...]] = {
    MethodType: ("__func__", "__self__"),
    property: ("fget", "fset", "fdel"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    functools.cached_property: ("func",),
    type(functools.lru_cache(len)): ("__wrapped__",),
    MemberDescriptorType: ("__name__",),
    GetSetDescriptorType: ("__name__",),
    CodeType: (
        *("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_flags"),
        *("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_exceptiontable"),
    ),
}  # fmt: skip


def parts_of_class(kind: type) -> Iterator[Any]:
    """Yield the parts of a class that no package has: its name, bases, and what stands in it."""
    yield from (kind.__qualname__, type(kind), kind.__bases__)
    for name, value in sorted(vars(kind).items()):
        if name not in ASIDE and not name.startswith("__annot"):
            yield from (name, value)


def parts_of_module(module: ModuleType, names: set[str] | None) -> list[Any]:
    """Return a package's version; or the values that one's own module has under these names, all if None."""
    if home := version(module.__name__):
        return [home, module.__name__]
    found = vars(module).keys() if names is None else names & vars(module).keys()
    return [x for name in sorted(found) if name[:2] != "__" for x in (name, getattr(module, name))]


def parts_of_function(function: FunctionType) -> list[Any]:
    """Return a package's version and a function's name there; of others all that it is made of and looks up."""
    home = version(function.__globals__.get("__name__") or "")
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    given = [function.__defaults__, function.__kwdefaults__, cells]
    if home and "<locals>" not in function.__qualname__ and not cells:
        return [home, function.__module__, function.__qualname__]
    parts = [function.__qualname__, function.__code__, *given]
    return [home, *parts] if home else [*parts, vars(function), *looked_up(function)]


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a function's code, and that of the functions written in it."""
    yield code
    for x in code.co_consts:
        if isinstance(x, CodeType):
            yield from codes(x)


def looked_up(function: FunctionType) -> Iterator[Any]:
    """Yield the names that a function looks up outside, and what it finds there, also in modules of one's own."""
    steps = [step for code in codes(function.__code__) for step in dis.get_instructions(code)]
    asked = {x.argval for x in steps if x.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    words = {
        x
        for code in codes(function.__code__)
        for x in (*code.co_names, *code.co_consts)
        if isinstance(x, str)
    }
    if hidden := (words & LOOKS_UP_ANYTHING):
        raise TypeError(f"{function.__qualname__} uses {min(hidden)}, and may look up anything")
    scope = None if words & LOOKS_INTO_ALL else words
    found = {name: function.__globals__[name] for name in asked & function.__globals__.keys()}
    for name in {x.argval for x in steps if x.opname == "IMPORT_NAME"}:
        found[f"import {name}"] = imported(name, function.__globals__.get("__package__"))
    for name, value in sorted(found.items()):
        yield name
        if isinstance(value, ModuleType):
            yield from within(value, scope, {value.__name__})
        else:
            yield value


def within(module: ModuleType, names: set[str] | None, seen: set[str]) -> Iterator[Any]:
    """Yield what a function that knows these names can find in a module, and in modules of one's own inside it."""
    for part in parts_of_module(module, names):
        if isinstance(part, ModuleType) and part.__name__ not in seen:
            yield from within(part, names, seen | {part.__name__})
        elif not isinstance(part, ModuleType):
            yield part


def imported(name: str, package: str | None) -> Any:
    """Return the module that a function imports, or None where that fails, as the function may expect."""
    for full in (name, f".{name}") if package else (name,):
        try:
            return importlib.import_module(util.resolve_name(full, package))
        except ImportError:
            continue
    return None


def parts_of_array(thing: Any) -> Iterator[Any]:
    """Yield the numbers of what is not NumPy's and can be made an array, and what else it consists of."""
    yield thing.shape
    if thing.shape:
        yield from (np.asarray(thing[i : i + PART]) for i in range(0, thing.shape[0], PART))
    else:
        yield np.asarray(thing)
    own = version(type(thing).__module__) == version("chaindyn")
    if not own:  # a sweep's store may lie anywhere
        yield from parts_of_object(thing)


def parts_of_object(thing: Any) -> list[Any]:
    """Return an object's class and state, as a copy is made of it, but for what it has worked out meanwhile."""
    kind = type(thing)
    if version(kind.__module__) == version("chaindyn") and hasattr(thing, "__dataclass_fields__"):
        compared = [part.name for part in fields(thing) if part.init and part.compare]
        return [kind, *(getattr(thing, name) for name in compared)]
    reducer = copyreg.dispatch_table.get(kind)
    made: Any = reducer(thing) if reducer else thing.__reduce_ex__(4)
    if isinstance(made, str):
        found = named(thing, made)
        if found is None:
            raise TypeError(f"{thing!r} is known by its name only")
        return found
    make, args, state, items, pairs = (*made, None, None, None)[:5]
    if isinstance(state, dict):
        later = {
            n
            for c in kind.__mro__
            for n, x in vars(c).items()
            if isinstance(x, functools.cached_property)
        }
        later.add(FOUND_LATER.get(f"{kind.__module__}.{kind.__qualname__}", ""))
        state = {name: x for name, x in state.items() if name not in later}
    return [kind, make, args, state, list(items or ()), list(pairs or ())]
