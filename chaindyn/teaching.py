"""What the chapters' cells use to show a result to the reader, and to let the reader try."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import dropwhile
from linecache import getline
from traceback import walk_tb
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np


def check(what: str, error: Any, bound: float) -> None:
    """Print that an error is within its bound, or raise AssertionError with what it was.

    error : a number, or an array whose largest magnitude counts. NaN is never within a bound.
    The bound is printed, not the error: the last digits differ from machine to machine.
    """
    largest = float(np.abs(np.asarray(error, float)).max(initial=0.0))
    if not largest <= bound:
        raise AssertionError(f"{what}: error {largest:.3g} exceeds {bound:.3g}")
    print(f"{what}: agrees within {bound:.0e}" if bound else f"{what}: agrees exactly")


def normwise(result: Any, reference: Any) -> float:
    """Return |result - reference| / |reference|, in the Frobenius norm over all entries."""
    result, reference = np.asarray(result), np.asarray(reference)
    if result.shape != reference.shape:
        raise ValueError(f"shapes differ: {result.shape} and {reference.shape}")
    scale = np.linalg.norm(reference.ravel())
    return float(np.linalg.norm((result - reference).ravel()) / (scale if scale else 1.0))


def attempt(exercise: str, test: Callable[[], None]) -> None:
    """Run an exercise's check: say that it is solved, not begun (NotImplementedError), or what failed.

    Whatever the reader's answer raises is told in one line. NameError and ImportError of the check itself are raised.
    """
    match refusal(test):
        case None:
            print(f"{exercise}: solved")
        case "":
            print(f"{exercise}: not attempted yet")
        case why:
            print(f"{exercise}: not yet right. {why}")


def refusal(test: Callable[[], None]) -> str | None:
    """Return what `lambda: judge(answer)` has against the answer: None if nothing, "" if that is not begun."""
    if not isinstance(test, FunctionType):
        return refusal(lambda: test())
    space, names = test.__globals__, test.__code__.co_names
    gave = list[tuple[bool, bool]]()  # whether each call of the answer gave nothing, and nan
    answers = {name: _with_arrays(space[name], gave) for name in names[1:] if name in space}
    try:
        FunctionType(test.__code__, space | answers, None, test.__defaults__, test.__closure__)()
    except NotImplementedError:
        return ""
    except Exception as error:
        calls = list(walk_tb(error.__traceback__))
        own = list(dropwhile(lambda call: not _enters(call[0].f_code, answers), calls))
        if own or hasattr(error, "described"):
            return described(error, space, own)
        judged = f"{_said(error)} " if isinstance(error, AssertionError) else ""
        if gave and all(nothing for nothing, _ in gave):
            return f"{judged}Your function returned nothing: is its `return` missing?"
        if any(nan for _, nan in gave):
            return f"{judged}Your function returned nan, which is no number: 0/0, say, or the root of a negative one."
        if calls[-1][0].f_code is test.__code__ or isinstance(error, NameError | ImportError):
            raise  # no answer's fault
        if isinstance(error, AssertionError | ValueError):  # such as an answer of the wrong shape
            return _said(error) or type(error).__name__
        return f"The check cannot go on with your answer: {described(error, space)}"
    return None


def described(
    error: BaseException,
    space: dict[str, Any],
    calls: Iterable[tuple[FrameType, int]] | None = None,
) -> str:
    """Return an error's kind, what it says, and the last line of the cells with these names that it passed through."""
    if hasattr(error, "described"):
        return str(error.described)
    passed = walk_tb(error.__traceback__) if calls is None else calls
    lines = [_line(*call) for call in passed if call[0].f_globals is space]
    return f"{type(error).__name__}: {_said(error)}{lines[-1] if lines else ''}"


def _line(frame: FrameType, number: int) -> str:
    text = getline(frame.f_code.co_filename, number).strip()
    return f", in line {number}: {text}" if text else f", in line {number}"


def _said(error: BaseException) -> str:
    try:
        return str.__str__(str(error))
    except Exception:  # the reader's own class of errors
        return ""


def _enters(code: CodeType, answers: dict[str, Any]) -> bool:
    """Whether some code is an answer's: called through `_with_arrays`, or in the body of a class."""
    return code.co_qualname == "_with_arrays.<locals>.shown" or any(
        isinstance(one, type) and code.co_qualname.startswith(f"{one.__name__}.")
        for one in answers.values()
    )


def _has_nan(result: Any) -> bool:
    if type(result) in (tuple, list):
        return any(map(_has_nan, result))
    plain = isinstance(result, float | complex) or type(result) is np.ndarray
    return plain and np.asarray(result).dtype.kind in "fc" and bool(np.isnan(result).any())


def _with_arrays(answer: Any, gave: list[tuple[bool, bool]]) -> Any:
    """Return an answer, or a function that gives it, with arrays in place of lists of numbers.

    gave : to which each call of such a function adds whether it returned nothing, and nan that it was not given.
    """
    if callable(answer) and not isinstance(answer, type):

        def shown(*given: Any, **more: Any) -> Any:
            result = answer(*given, **more)
            gave.append((result is None, _has_nan(result) and not _has_nan(given)))
            return _with_arrays(result, gave)

        return shown
    if type(answer) is tuple:
        return tuple(_with_arrays(part, gave) for part in answer)
    if type(answer) is list:
        try:
            made = np.array(answer)
        except ValueError:  # parts of several shapes
            return [_with_arrays(part, gave) for part in answer]
        return made if made.dtype.kind in "biufc" else answer
    return answer
