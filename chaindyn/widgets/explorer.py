"""What every explorer shares: requests from the page, answers from the reader's functions, and their errors.

The page sets `request`; Python computes and sets `answer`; `scene` holds what never changes, with the data
that lets the page do without Python. All three travel in the page's saved state, so the first picture is there
before, or without, any kernel. ipywidgets has at most one request under way and lets the latest one win,
so a fast drag does not queue up work.
"""

from __future__ import annotations

import functools
import inspect
import posixpath
import re
import traceback
from collections.abc import Callable
from importlib.resources import files
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from chaindyn import Chain, Link, Revolute

try:
    from anywidget import AnyWidget as AnyWidget
    from traitlets import Dict as Dict
except ImportError as error:
    raise ImportError(
        "widgets need anywidget and ipywidgets: pip install 'chaindyn[widgets]'"
    ) from error


def source(*names: str) -> str:
    """Return files of this package one after another, as the one text that anywidget takes."""
    return "\n".join((files(__package__) / name).read_text(encoding="utf-8") for name in names)


IMPORT = re.compile(r'(?m)^import \{([\w\s,]*)\} from "(\.[\w./]+)";\n+')
COMMENT = re.compile(r"(?m)^[ \t]*(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n")


def linked(view: str, *others: str) -> str:
    """Return JavaScript modules of this package, with all that they import, as the one text that anywidget takes.

    As bundlers do it, each module stands once, after those that it imports, and all in one scope: so no two modules
    of a view have a name in common at their top, and imports rename nothing. Comments on lines of their own, for who
    reads the files, stay behind.
    """
    texts: dict[str, str] = {}

    def bring(name: str) -> None:
        needs, text = module(name)
        for other in needs:
            if other not in texts:
                bring(other)
        texts[name] = text

    for name in (view, *others):
        bring(name)
    return "\n".join(texts.values())


@functools.cache
def module(name: str) -> tuple[list[str], str]:
    """Return the modules that one imports, and its text without imports, exports and comments."""
    text, folder = source(name), posixpath.dirname(name)
    needs = [posixpath.normpath(posixpath.join(folder, other)) for _, other in IMPORT.findall(text)]
    text = re.sub(r"(?m)^export (?!default )", "", IMPORT.sub("", text))
    return needs, COMMENT.sub("", text)


def without_none(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def equal_rods(n: int, axis: tuple[int, int, int], **options: Any) -> Chain:
    """Return a chain of uniform rods of 1 m and 1 kg that lie along x at zero, each hinged about an axis."""
    rod: dict[str, Any] = {"mass": 1, "com": (0.5, 0, 0), "inertia": np.diag([0, 1 / 12, 1 / 12])}
    offsets = [(0, 0, 0), *[(1, 0, 0)] * (n - 1)]
    links = [
        Link(Revolute(axis), offset=offset, name=f"rod {i}", **rod)
        for i, offset in enumerate(offsets, start=1)
    ]
    return Chain(links, **options)


class Explorer(AnyWidget):
    """A widget that shows what some functions return, for inputs that the reader sets.

    A subclass says what to compute from a request, and brings a view: an ES module (`linked`) that exports ``render``.
    functions : name -> callable; call them by `self.call`. start : the first request. scene : constants.
    What the functions raise for the first request is raised here; later it is shown in the widget.
    """

    request = Dict().tag(sync=True)
    answer = Dict().tag(sync=True)
    scene = Dict().tag(sync=True)
    _css = source("base.css")

    def __init__(
        self, functions: dict[str, Callable[..., Any]], start: dict[str, Any], scene: dict[str, Any]
    ) -> None:
        self.functions = functions
        request = {"serial": 0, **plain(start)}
        answer = {"serial": 0, "values": plain(self.compute(request))}
        scene = plain({"functions": list(functions), **scene})
        super().__init__(request=request, answer=answer, scene=scene)
        self.observe(self._reply, names="request")

    def compute(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return what the view draws, by name, for one request. May raise: the error is shown."""
        raise NotImplementedError

    def call(
        self, name: str, *args: Any, shapes: list[tuple[int, ...]], **options: Any
    ) -> list[np.ndarray]:
        """Call the reader's function; return its results as floats, one for each shape that the view relies on.

        An error says on the way which function it came from, and on which line.
        """
        function = self.functions[name]
        try:
            returned = function(*args, **options)
            results = [np.asarray(x, float) for x in ([returned] if len(shapes) == 1 else returned)]
        except Exception as error:
            error.add_note(f"in {name}{_line_within(function, error)}")
            raise
        returned_shapes = [x.shape for x in results]
        if returned_shapes != shapes:
            raise ValueError(
                f"{name} returned shape {_joined(returned_shapes)}, not {_joined(shapes)}"
            )
        return results

    def _reply(self, change: dict[str, Any]) -> None:
        request = change["new"]
        try:
            answer: dict[str, Any] = {"values": plain(self.compute(request))}
        except Exception as error:
            answer = {"error": error_in_words(error)}
        self.answer = {"serial": request.get("serial", 0), **answer}


def fields_of(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Return the function with these fields of its result as its result: one alone, several as a tuple.

    What goes wrong within is still said to be in the function.
    """

    @functools.wraps(function)
    def unpacked(*args: Any, **options: Any) -> Any:
        result = function(*args, **options)
        parts = tuple(getattr(result, name) for name in names)
        return parts[0] if len(parts) == 1 else parts

    return unpacked


def error_in_words(error: Exception) -> str:
    """Return what went wrong in one line, with where it did."""
    return "; ".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", [])])


def plain(x: Any) -> Any:
    """Return arrays as lists and numbers as floats, for JSON; what is not finite, which JSON lacks, becomes None."""
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, np.ndarray | np.generic):
        x = x.tolist()
    if isinstance(x, list | tuple):
        return [plain(value) for value in x]
    return None if isinstance(x, float) and not np.isfinite(x) else x


def _joined(shapes: list[tuple[int, ...]]) -> str:
    return " and ".join(map(str, shapes))


def _line_within(function: Callable[..., Any], error: BaseException) -> str:
    """Return ", line 3" for the deepest line of the function's own file or cell that the error passed through."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if code and frame.filename == code.co_filename]
    return f", line {lines[-1]}" if lines else ""


class Axis(NamedTuple):
    """One argument of a function to be tabulated: values to try, and the basis it is a combination of."""

    probes: list[Any]
    basis: Callable[[Any], Any]


E3 = np.eye(3)
LINEAR = Axis(list(E3), lambda x: x)
AFFINE = Axis([0 * E3[0], *E3], lambda x: [1, *x])
SCALAR = Axis([0, 1], lambda x: [1, x])
ANGLE = Axis(
    [0, 90, 180], lambda degrees: [1, np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))]
)


def tabulate(function: Callable[..., Any], *axes: Axis) -> np.ndarray:
    """Return the coefficients of a function that is, in each argument, a combination of that argument's basis.

    They are (len(basis 1), len(basis 2), ..., *result); `contract` evaluates them. With these numbers a page
    without Python has the function exactly, whatever its formula. It is called at every combination of probes.
    """
    values = np.array([function(*point) for point in product(*(axis.probes for axis in axes))])
    table = values.reshape([len(axis.probes) for axis in axes] + list(values.shape[1:]))
    for k, axis in enumerate(axes):
        solved = np.linalg.inv([axis.basis(probe) for probe in axis.probes])
        table = np.moveaxis(np.tensordot(solved, table, (1, k)), 0, k)
    return table


def contract(table: np.ndarray, *weights: Any) -> np.ndarray:
    """Return what a table of `tabulate` says at the point where the bases have these values."""
    for weight in weights:
        table = np.tensordot(weight, table, (0, 0))
    return table
