"""What the chapters' cells use to show a result to the reader, and to let the reader try."""

from __future__ import annotations

from collections.abc import Callable
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
    """Run an exercise's check: say that it is solved, not begun (NotImplementedError), or what failed."""
    try:
        test()
    except NotImplementedError:
        print(f"{exercise}: not attempted yet")
    except (AssertionError, ValueError) as error:  # such as an answer of the wrong shape
        print(f"{exercise}: not yet right. {error}")
    else:
        print(f"{exercise}: solved")
