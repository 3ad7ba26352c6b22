"""Motions in time: which times and steps can be marched, and which motions no body makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chaindyn.guards.arguments import check_positive_number
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


def check_step(step: Any, times: np.ndarray) -> float:
    """Return a step of time [s] as a float; refuse one below what tells times apart."""
    own, latest = check_positive_number(step, "step"), np.abs(times).max()
    if own < np.spacing(latest):
        raise ValueError(
            f"step is {own:g} s, but near t = {latest:g} s times are {np.spacing(latest):.2g} s apart"
        )
    return own


LIGHT = 299_792_458  # the speed of light [m/s]


UNSUSPICIOUS = 1e8  # rates that are looked at no further [rad/s, m/s]


def require_possible(chain: Any, q: Any, qd: Any, kinetic_energy: Callable[..., Any]) -> None:
    """Refuse states that are not finite, or whose kinetic energy would make the whole chain faster than light."""
    if not (np.isfinite(q).all() and np.isfinite(qd).all()):
        raise ArithmeticError("the state is no longer finite: shorter steps may help")
    fastest = np.abs(qd).max(initial=0)
    if fastest <= UNSUSPICIOUS:
        return
    with np.errstate(all="ignore"):
        speeds = np.sqrt(2 * kinetic_energy(chain, q, qd) / chain.mass.sum())
    if not (speeds <= LIGHT).all():  # nor undefined
        raise ArithmeticError(
            f"the chain is faster than light, with rates of up to {fastest:.2g}: shorter steps may help"
        )
