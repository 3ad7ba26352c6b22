"""Run a reader's cell in the browser: first what it needs from above, then itself. worker.js calls this.

Each run begins with nothing, so that what a cell does hangs on its text alone.
"""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

from judging import Statement, given_for, judged, statements_of  # type: ignore[import-not-found]  # book/judging.py, brought along

Tell = Callable[[str, str], None]
NAME, CHECK = "your code", "the check"
MOST = 200_000  # characters of output
os.environ["MPLBACKEND"] = "agg"


class Told(io.TextIOBase):
    """A stream whose text goes to the page, up to a limit."""

    def __init__(self, tell: Tell, kind: str) -> None:
        self.tell, self.kind, self.left = tell, kind, MOST

    def write(self, text: str) -> int:
        """Pass text on."""
        if self.left > 0:
            self.tell(self.kind, text[: self.left])
            self.left -= len(text)
            if self.left <= 0:
                self.tell("problem", "\nThe rest of the output is left out.")
        return len(text)


def prepare(cells: list[str]) -> None:
    """Read the cells of a page before they are asked for."""
    for source in cells:
        statements_of(source)


def run(above: list[str], code: str, tell: Tell, check: str = "") -> str | None:
    """Run a cell, and the check of what it defines; tell what it prints, shows and draws, or the error.

    Return a module that is missing, if one is.
    """
    remember(code)
    remember(check, CHECK)
    try:
        with contextlib.redirect_stdout(Told(tell, "out")), _warnings_told(tell):
            _run(above, code, check, tell)
    except BaseException as error:  # SystemExit and KeyboardInterrupt end no more than the cell
        if missing := _missing(error):
            return missing
        tell("problem", in_words(error))
    finally:
        _close_figures()
    return None


def remember(code: str, name: str = NAME) -> None:
    """Let tracebacks show the reader's lines."""
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)


def _missing(error: BaseException | None) -> str | None:
    """The module without which an import failed, if it is none of Python's own."""
    while isinstance(error, ImportError):
        if isinstance(error, ModuleNotFoundError) and error.name:
            top = error.name.split(".")[0]
            return None if top in sys.stdlib_module_names else top
        error = error.__cause__ or error.__context__
    return None


def _run(above: list[str], code: str, check: str, tell: Tell) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    body = ast.parse(code, NAME).body
    before, after = _check_of(body, check)
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()), _silent_figures():
        for statement in given_for(above, "\n".join([code, *map(ast.unparse, before + after)])):
            exec(statement.code, space)
        _execute(before, CHECK, space)
        _close_figures()
    with _silent_figures():
        _execute(body, NAME, space)
        if last is not None:
            shown = ast.Expression(last.value)  # type: ignore[attr-defined]
            value = eval(compile(shown, NAME, "eval", dont_inherit=True), space)
            if value is not None and not code.rstrip().endswith(";"):
                print(repr(value))
        _execute(after, CHECK, space)
        _draw(tell)


def _check_of(body: list[ast.stmt], check: str) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """What of a check runs before the reader's code, and what after it.

    It runs after a code that defines what it asks for. One that asks the judge itself finds it, and is not asked again.
    """
    wanted = {answer for _, answer in judged([check])}
    parts = ast.parse(check, CHECK).body
    if "attempt(" in "\n".join(map(ast.unparse, body)):
        return [one for one in parts if not isinstance(one, ast.Expr)], []
    bound = set().union(*(Statement(one).binds for one in body))
    return ([], parts) if wanted <= bound else ([], [])


def _execute(body: list[ast.stmt], name: str, space: dict[str, Any]) -> None:
    exec(compile(ast.Module(body, []), name, "exec", dont_inherit=True), space)


@contextlib.contextmanager
def _silent_figures() -> Any:
    """Let `plt.show()` wait for the end, when figures are drawn; without a word about a missing window."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*non-interactive.*")
        yield


@contextlib.contextmanager
def _warnings_told(tell: Tell) -> Any:
    """Tell each warning in a line, where it is of the reader's code with the number of its line."""

    def show(message: Any, kind: type, file: str, line: int, *_: Any) -> None:
        where = f"line {line}: " if file == NAME else ""
        tell("warning", f"{where}{kind.__name__}: {message}\n")

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for hidden in (DeprecationWarning, PendingDeprecationWarning):
            warnings.simplefilter("ignore", hidden)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _draw(tell: Tell) -> None:
    """Tell all open figures, as SVG."""
    if "matplotlib.pyplot" not in sys.modules:
        return
    import matplotlib.pyplot as plt

    for number in plt.get_fignums():
        drawn = io.StringIO()
        plt.figure(number).savefig(drawn, format="svg", bbox_inches="tight")
        tell("svg", drawn.getvalue())


def _close_figures() -> None:
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


# Errors -------------------------------------------------------------------------------------------


def in_words(error: BaseException) -> str:
    """What went wrong, in one line, and below it the reader's lines that led there, the last first."""
    if isinstance(error, SyntaxError) and error.filename == NAME:
        place = f"line {error.lineno}: {(error.text or '').strip()}"
        return f"{type(error).__name__}: {error.msg}\n  {place}\n"
    said = traceback.format_exception_only(error)
    return "".join([*said, *map(_line, reversed(_frames(error)))])


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The lines of the reader's, and the last one, in the book's package, that they led to."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if one.filename in (NAME, "<cell>")]
    deeper = [one for one in frames[-1:] if one not in own and own]
    return own[-8:] + deeper


def _line(frame: traceback.FrameSummary) -> str:
    if frame.filename == "<cell>":
        return f"  in a cell above, {frame.name}\n"
    name = "" if frame.name == "<module>" else f", in {frame.name}"
    if frame.filename == NAME:
        return f"  line {frame.lineno}{name}: {frame.line}\n"
    return f"  in {os.path.basename(frame.filename)}, line {frame.lineno}{name}: {frame.line}\n"
