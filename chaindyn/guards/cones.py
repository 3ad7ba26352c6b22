"""Impulses on friction cones: units, starts and steps of Newton's method, and what is taken for an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from chaindyn.guards.ties import smallest_solution

STARTS = (0, 5, 50)  # sweeps before Newton's method, further ones where it fails
LATER = (500, 3000)  # the same, where contacts that yield a little more have not helped either


EXACT = 1e-13  # of the largest impulse, in units of speed, up to which a residual is rounding


GOOD = 1e-10  # of the same, up to which impulses are an answer
GOOD_IN_STEPS = 1e-6  # of the same, in a simulation, whose steps are far less exact


YIELDED = 100  # problems with contacts that yield more, at most
UNBOUNDED = 1e4  # times the speeds, above which the impulses of these grow for want of a solution


enough: ContextVar[float] = ContextVar("chaindyn_enough", default=GOOD)


LONGEST = 30  # Newton steps from one start


Turns = Callable[..., np.ndarray]


Step = Callable[..., tuple[np.ndarray, np.ndarray]]


class NoImpulses(ArithmeticError):
    """Sweeps and Newton's method have found no impulses on the cones."""


@contextmanager
def in_steps() -> Iterator[None]:
    """Take impulses within that obey Coulomb's law to 1e-6 of the largest, where better ones are not found soon."""
    before = enough.set(GOOD_IN_STEPS)
    try:
        yield
    finally:
        enough.reset(before)


def sticking_impulses(
    W: np.ndarray,
    b: np.ndarray,
    mu: np.ndarray,
    known: np.ndarray,
    margins: Callable[..., np.ndarray],
) -> np.ndarray | None:
    """Return the smallest impulses (3 m,) with which all of W p + b vanishes, if they lie in their cones; else None.

    For contacts without friction only the normal components count. known (m,) : friction allowed beyond mu times the
    normal impulse; margins : by how much impulses lie in their cones.
    """
    held = np.stack([np.ones(len(mu), bool), mu > 0, mu > 0], axis=-1).ravel()
    p = smallest_solution(W, b, held)
    inside = p is not None and (margins(p.reshape(-1, 3), mu, known) >= 0).all()
    return p if inside else None


def impulses_on_cones(
    laws: tuple[Turns, Step, Callable[[], np.ndarray]],
    W: np.ndarray,
    b: np.ndarray,
    mu: np.ndarray,
    known: np.ndarray,
    size: float,
) -> np.ndarray:
    """Return impulses (3 m,) that obey Coulomb's law to 1e-10 of the largest, mostly to rounding.

    Within `in_steps` 1e-6 is enough.

    laws : sweeps over the contacts; the residual of impulses and a Newton step; impulses in pyramids, another start.
    size : of speeds. ArithmeticError, which says what failed, if none are found.
    """
    turns, step, pyramids = laws
    W, b, known, units = in_own_units(W, b, known)
    size = max(size * float(units.max()), float(np.abs(b).max(initial=0)))
    given = W, b, mu, known
    try:
        found = from_sweeps(turns, step, given, size)
    except NoImpulses as error:
        try:
            start = pyramids()
        except ArithmeticError as other:
            raise ArithmeticError(
                f"{error}. With pyramids in place of the cones: {other}"
            ) from None
        found, residual = newton(step, given, start / units, size)
        if residual > enough.get():
            raise ArithmeticError(f"{error}. From pyramids it leaves {residual:.0e}") from None
    impulses: np.ndarray = units * found
    return impulses


def in_own_units(
    W: np.ndarray, b: np.ndarray, known: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return W, b and known in units in which each contact yields by 1 at most, and these units of impulse (3 m,)."""
    yields = np.diagonal(W).reshape(-1, 3).max(-1)
    yields = np.where(yields > 0, yields, yields.max(initial=0) or 1)
    units = np.repeat(1 / np.sqrt(yields), 3)
    return units[:, None] * W * units, units * b, known / units[0::3], units


def from_sweeps(turns: Turns, step: Step, given: tuple[np.ndarray, ...], size: float) -> np.ndarray:
    """Return impulses (3 m,) by Newton's method after some sweeps, or more where that fails; NoImpulses if it does.

    Between them contacts are let yield, which helps where some nearly depend on others: under a leg that is straight
    sweeps creep, and Newton's method tries one mode after another.
    """
    best, least, p, before = np.zeros(len(given[1])), np.inf, None, np.inf
    for sweeps in (*STARTS, *LATER):
        if sweeps in LATER[:1]:
            found, residual = from_yielding(step, given, size)
            if residual < least:
                best, least = found, residual
            if least <= max(10 * EXACT, enough.get()):
                break
        with np.errstate(over="ignore", invalid="ignore"):
            p = turns(*given, sweeps, p)
        now = float(np.abs(p).max())
        if not now <= 1e8 * size or (sweeps > 50 and now > 5 * before):  # without bound
            break
        before = now
        found, residual = newton(step, given, p, size)
        if residual < least:
            best, least = found, residual
        if least <= 10 * EXACT:
            break
    if least > enough.get():
        raise NoImpulses(
            "no impulses that obey Coulomb's law were found: after sweeps, Newton's method leaves a residual of "
            f"{least:.0e} of the largest"
        )
    return best


def from_yielding(
    step: Step, given: tuple[np.ndarray, ...], size: float
) -> tuple[np.ndarray, float]:
    """Return impulses (3 m,) and their residual, as the end of problems in which each contact yields a little more.

    Each problem has W + e and b - e p, with the impulses p of the one before: where nothing changes any more e does not
    matter (a proximal point). The smaller e is the fewer are needed, and the harder is each for Newton's method.
    """
    W, b, mu, known = given
    best, least, p, e = np.zeros(len(b)), np.inf, np.zeros(len(b)), 1.0
    for _ in range(YIELDED):
        found, residual = newton(step, (W + e * np.eye(len(b)), b - e * p, mu, known), p, size)
        if residual > 10 * EXACT:
            e *= 3
            if e > 1:
                break
            continue
        if np.abs(found).max() > UNBOUNDED * size:
            break
        p, e = found, e / 5
        miss = np.abs(step(*given, p)[0]).max() / max(size, np.abs(p).max())
        if miss < least:
            best, least = p, float(miss)
        if least <= (10 * EXACT if enough.get() == GOOD else enough.get()):
            break
    return best, least


def newton(
    step: Step, given: tuple[np.ndarray, ...], p: np.ndarray, size: float
) -> tuple[np.ndarray, float]:
    """Return where damped steps from impulses p (3 m,) lead, and the residual there as a share of the largest."""
    miss, change = step(*given, p)
    for _ in range(LONGEST):
        now = np.abs(miss).max()
        if now <= EXACT * max(size, np.abs(p).max()):
            break
        for part in 0.5 ** np.arange(4):  # the last one wherever it leads
            again = p + part * change
            further, following = step(*given, again)
            if np.abs(further).max() < (1 - 1e-3 * part) * now:
                break
        p, miss, change = again, further, following
    return p, float(np.abs(miss).max() / max(size, np.abs(p).max()))
