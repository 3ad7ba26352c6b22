"""What a submission answers, as plain data for a judge.

A judge compares, and an object can say of itself that it is equal to anything, or less than it. So the judge gets
numbers, strings, arrays, tuples, lists, sets and dicts, made anew without asking the answer's own operators; functions
whose results are made plain; and objects whose class has methods but no operators, with their results made plain.
"""

from __future__ import annotations

import functools
import gc
import sys
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_ATOMS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), Decimal)
_VALUES: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    complex: complex.__complex__,
    str: str.__str__,
    bytes: bytes.__bytes__,
}
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, functools.partial, np.ufunc)
_ASKED = ("__call__", "__len__", "__getitem__", "__iter__")  # a judge may do this with an object
_REPLACED = ("__eq__", "__ne__", "__hash__", "__repr__", "__str__", "__format__")
_HARMLESS = {
    *("__module__", "__qualname__", "__name__", "__doc__", "__dict__", "__weakref__", "__slots__"),
    *("__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__"),
    *("__init__", "__post_init__", "__setattr__", "__delattr__", "__match_args__", "__replace__"),
    *("__dataclass_fields__", "__dataclass_params__", "__firstlineno__", "__static_attributes__"),
    *("__parameters__", "__orig_bases__", "__abstractmethods__", "__getstate__", "__setstate__"),
    *("__reduce__", "__type_params__"),
}


class NotPlain(ValueError):
    """An answer that no judge can take."""


def words(error: BaseException) -> str:
    """What an exception says, in a string that is one, and never nothing."""
    return (
        str.__str__(str(error))
        or str.__str__(type.__dict__["__name__"].__get__(type(error)))
        or "refused"
    )


def _classes() -> dict[int, type]:
    """All classes that there are, by identity: one may say that it is equal to another."""
    found, waiting = dict[int, type](), [object]
    while waiting:
        one = waiting.pop()
        if id(one) not in found:
            found[id(one)] = one
            waiting += type.__subclasses__(one)
    return found


def _globals() -> set[int]:
    """The names of all modules that there are, by identity."""
    return {id(vars(one)) for one in list(sys.modules.values()) if type(one) is ModuleType}


@dataclass
class Plain:
    """Makes answers plain; what was there before it was made is the book's, not the submission's."""

    classes: dict[int, type] = field(default_factory=_classes)
    modules: set[int] = field(default_factory=_globals)
    views: dict[int, type] = field(default_factory=dict)

    def __call__(self, thing: Any) -> Any:
        """Return an answer as plain data. NotPlain if it is none."""
        kind = type(thing)
        if any(kind is one for one in (slice, range)):
            return kind(*map(self, (thing.start, thing.stop, thing.step)))
        if self.atomic(kind):
            return thing
        if issubclass(kind, np.ndarray):
            return self.array(np.ndarray.view(thing, np.ndarray))
        if issubclass(kind, dict):
            return {self(key): self(value) for key, value in dict.items(thing)}
        if issubclass(kind, tuple):
            return self.tuple(thing, kind)
        for base in (list, set, frozenset):
            if issubclass(kind, base):
                return base(map(self, base.__iter__(thing)))
        if issubclass(kind, _FUNCTIONS) and self.known(kind):
            return self.function(thing)
        if issubclass(kind, type):
            return thing if self.known(thing) else self.function(thing)
        if self.known(kind):
            return map(self, thing) if issubclass(kind, Iterator) else self.inspected(thing)
        return self.foreign(thing, kind)

    def known(self, kind: type) -> bool:
        """Whether a class was there before the submission ran."""
        return id(kind) in self.classes

    def atomic(self, kind: type) -> bool:
        """Whether the objects of a class hold no others."""
        if issubclass(kind, np.generic):
            return self.known(kind) and kind is not np.void
        return any(kind is one for one in _ATOMS)

    def array(self, bare: Any) -> Any:
        """Return a copy of an array, made plain where it holds objects."""
        if bare.dtype.kind == "V":
            raise NotPlain(f"an answer holds an array of {bare.dtype}, not plain")
        made = np.array(bare)
        if bare.dtype.kind == "O":
            flat = made.reshape(-1)
            for i, part in enumerate(bare.flat):
                flat[i] = self(part)
            made = flat.reshape(bare.shape)
        return made

    def tuple(self, thing: Any, kind: type) -> Any:
        """Return a tuple; one with names keeps them."""
        parts = tuple(map(self, tuple.__iter__(thing)))
        if kind is tuple or self.known(kind):
            return tuple.__new__(kind, parts)
        if not (names := getattr(kind, "_fields", ())):
            return parts
        return namedtuple("Answer", self(names))(*parts)

    def function(self, thing: Any) -> Any:
        """Return a function with plain results, which gets copies of the judge's arrays."""

        def shown(*given: Any, **more: Any) -> Any:
            return self(
                thing(*map(_copied, given), **{name: _copied(x) for name, x in more.items()})
            )

        shown.__name__ = self(getattr(thing, "__name__", "answer"))
        return shown

    # Objects ------------------------------------------------------------------------------------

    def inspected(self, thing: Any) -> Any:
        """Return an object of a class of the book's, if nothing in it is the submission's."""
        waiting, seen = [thing], dict[int, Any]()
        while waiting:
            one = waiting.pop()
            if id(one) not in seen and not self.atomic(type(one)):
                seen[id(one)] = one
                waiting += self.parts(one)
        return thing

    def parts(self, one: Any) -> Iterable[Any]:
        """Return what an object holds, for inspection. NotPlain if it is the submission's."""
        kind = type(one)
        if issubclass(kind, type | ModuleType):
            return ()
        if not self.known(kind):
            raise NotPlain(f"an answer holds an object of its own class, {kind.__name__}")
        if issubclass(kind, FunctionType):
            if id(one.__globals__) not in self.modules:
                raise NotPlain("an answer holds a function of its own within an object")
            return ()
        if issubclass(kind, np.ndarray):
            return one.ravel().tolist() if one.dtype.kind in "OV" else ()
        return gc.get_referents(one)

    def foreign(self, thing: Any, kind: type) -> Any:
        """Return what stands for an object of a class of the submission's."""
        for base, value in _VALUES.items():
            if issubclass(kind, base):
                return value(thing)
        view = self.view(kind)
        try:
            made: Any = object.__new__(view)
        except TypeError:
            raise NotPlain(f"an answer is of the class {kind.__name__}, not plain") from None
        for name, value in state(thing).items():
            object.__setattr__(made, name, self(value))
        return made

    def view(self, kind: type) -> type:
        """Return a class derived from one of the submission's: with plain results, and without operators."""
        if id(kind) not in self.views:
            if not self.known(type(kind)):
                raise NotPlain(f"the class {kind.__name__} is of a class of its own")
            body = dict[str, Any]()
            for one in reversed(kind.__mro__):
                if not self.known(one):
                    body |= self.members(one)
            view = type(kind)(kind.__name__, (kind,), {**body, "__module__": __name__})
            self.views[id(kind)] = self.classes[id(view)] = view
        return self.views[id(kind)]

    def members(self, kind: type) -> dict[str, Any]:
        """Return what stands for the members of a class in a view."""
        return {
            name: self.member(kind, name, value)
            for name, value in vars(kind).items()
            if name not in _HARMLESS and type(value) is not _SLOT
        }

    def member(self, kind: type, name: str, value: Any) -> Any:
        """Return what stands for a member of a class in its view."""
        if name in _REPLACED:
            return getattr(next(filter(self.known, kind.__mro__)), name)
        if name.startswith("__") and name.endswith("__") and name not in _ASKED:
            raise NotPlain(f"an answer is of the class {kind.__name__} with its own {name}")
        return Member(self, value) if hasattr(type(value), "__get__") else self(value)


class Member:
    """A method or property of a view: what it gives is plain, and no object can put something else in its place."""

    def __init__(self, plain: Plain, value: Any) -> None:
        self.plain, self.value = plain, value

    def __get__(self, one: Any, kind: type | None = None) -> Any:
        if one is None:
            return self
        return self.plain(self.value.__get__(one, kind))

    def __set__(self, one: Any, value: Any) -> None:
        raise AttributeError("an object of an answer must not replace its methods")


def _copied(given: Any) -> Any:
    """An argument that may be changed without the judge's being so."""
    if type(given) in (tuple, list):
        return type(given)(map(_copied, given))
    return np.array(given) if type(given) is np.ndarray else given


def state(thing: Any) -> dict[str, Any]:
    """What an object holds by name."""
    held = dict[str, Any]()
    for one in type(thing).__mro__:
        for name, slot in vars(one).items():
            if type(slot) is _SLOT and hasattr(thing, name):
                held[name] = slot.__get__(thing)
            elif name == "__dict__" and type(slot) is _ATTRIBUTES:
                held |= dict(slot.__get__(thing))
    return held


class _Slotted:
    __slots__ = ("slot",)


_SLOT = type(vars(_Slotted)["slot"])
_ATTRIBUTES = type(vars(Member)["__dict__"])
