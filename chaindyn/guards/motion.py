"""Motions in time: which times and steps can be marched, and which motions no body makes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from chaindyn.guards.arguments import check_positive_number
from chaindyn.guards.door import call_user_function
from chaindyn.guards.numbers import as_array, as_real, require_finite


def check_times(t: Any) -> np.ndarray:
    """Return times (m,) as floats, m at least 2; refuse those that do not increase, naming the first."""
    t = as_array(t, "t")
    if t.ndim != 1 or len(t) < 2:
        raise ValueError(f"t has shape {t.shape}, but must be (m,): a start, and one or more times")
    require_finite(t, "t")
    times = as_real(t, "t")
    wrong = np.flatnonzero(np.diff(times) <= 0)
    if len(wrong):
        k = int(wrong[0])
        raise ValueError(
            f"t must increase, but t[{k}] is {times[k]} and t[{k + 1}] is {times[k + 1]}"
        )
    return times


def check_start(t: Any, q: Any, qd: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the times (m,) of a motion and its first state as floats, q (..., nq) and qd (..., nv) of one batch."""
    times = check_times(t)
    batch = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1])
    q, qd = as_real(q, "q"), as_real(qd, "qd")
    q, qd = (np.broadcast_to(x, (*batch, x.shape[-1])) for x in (q, qd))
    return times, q, qd


def load_at(load: Any, name: str, core: tuple[int, ...], t: float, *state: Any) -> Any:
    """Return a load (..., *core) at a time, in a state: a user's function of these is called, all else is as it is."""
    return call_user_function(load, name, core, t, *state) if callable(load) else load


def check_step(step: Any, times: np.ndarray) -> float:
    """Return a step of time [s] as a float; refuse one below what tells times apart."""
    own, latest = check_positive_number(step, "step"), np.abs(times).max()
    if own < np.spacing(latest):
        raise ValueError(
            f"step is {own:g} s, but near t = {latest:g} s times are {np.spacing(latest):.2g} s apart"
        )
    return own


def settle(correct: Callable[[Any], Any], first: Any, places: Any, method: str, h: float) -> Any:
    """Return a motion of the joints (..., nv) with corrections added until these are only rounding.

    places : of the links (..., n, 3) [m]; method, h : of a step that is too long if they never are.
    """
    moved, reach = first, np.abs(places).max(initial=1)
    for _ in range(50):
        correction = correct(moved)
        moved = moved + correction
        if np.abs(correction).max(initial=0) <= 64 * np.finfo(float).eps * reach:
            return moved
    raise ArithmeticError(f"the {method} step of {h:g} s does not converge: a shorter one would")


Motion = TypeVar("Motion")  # that has a reason and an error


LIGHT = 299_792_458  # the speed of light [m/s]


UNSUSPICIOUS = 1e8  # rates that are looked at no further [rad/s, m/s]


def require_possible(
    chain: Any, q: Any, qd: Any, kinetic_energy: Callable[..., Any], *, loops: bool = False
) -> None:
    """Refuse states that are not finite, or whose kinetic energy would make the whole chain faster than light.

    loops : whether there are some, whose drift may be the cause.
    """
    cure = f"shorter steps{', or stabilisation of the loops,' if loops else ''} may help"
    if not (np.isfinite(q).all() and np.isfinite(qd).all()):
        raise ArithmeticError(f"the state is no longer finite: {cure}")
    fastest = np.abs(qd).max(initial=0)
    if fastest <= UNSUSPICIOUS:
        return
    with np.errstate(all="ignore"):
        speeds = np.sqrt(2 * kinetic_energy(chain, q, qd) / chain.mass.sum())
    if not (speeds <= LIGHT).all():  # nor undefined
        raise ArithmeticError(
            f"the chain is faster than light, with rates of up to {fastest:.2g}: {cure}"
        )


def reason_of(problem: BaseException | None, t: float) -> str:
    """Return why a motion ended early, after which time; empty without a problem."""
    if problem is None:
        return ""
    stopped = isinstance(problem, KeyboardInterrupt)
    what = "interrupted" if stopped else str(problem) or repr(problem)
    return f"{what} (the last state reached is that at t = {t:.6g} s)"


def warn_of_end(motion: Motion, stacklevel: int) -> Motion:
    """Return a motion, with a warning if a problem ended it early.

    Where warnings are errors, the error has the motion in its attribute `simulation`.
    """
    if motion.error is None:  # type: ignore[attr-defined]
        return motion
    try:
        text = f"the simulation ended early: {motion.reason}"  # type: ignore[attr-defined]
        warnings.warn(text, RuntimeWarning, stacklevel=stacklevel)
    except RuntimeWarning as raised:
        raised.simulation = motion  # type: ignore[attr-defined]
        raised.add_note("what was computed is in this exception's attribute `simulation`")
        raise
    except Exception:  # the warning cannot be written: `reason` has the same text
        return motion
    return motion
