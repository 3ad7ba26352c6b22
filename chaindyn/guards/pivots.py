# Generated from chapters/28_when_a_pivot_is_only_rounding.md by `python -m book export`; edit it there.
# sha256 of the text below: 8fd3fc9191f9ea4c8f40d12eb33962088a09a5bb518ddb50730914005ed03023
"""Pivots that are only rounding: what a joint must feel, and the refusal that names it.

Derived in chapter 28, "When a pivot is only rounding".
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chaindyn._ops import Array, expect_regular, eye, holds_objects, stack, zeros
from chaindyn.guards.equations import no_inertia, overflow
from chaindyn.guards.numbers import known_values

__all__: list[str] = []


# Chapter 28, "When a pivot is only rounding": A bound that follows the rounding
def rounding_step(children: Any, X: Array, S: Array, own: Any) -> tuple[Array, tuple[Array]]:
    """Link step inward: bound for the rounding of D, in rounding units."""
    size = own.inertia * eye(6)  # the diagonal
    E = children[0] + size
    PX = X - S @ own.G
    return S.mT @ E @ S, (PX.mT @ E @ PX + X.mT @ size @ X,)


# Chapter 28, "When a pivot is only rounding": Numbers that are compared with it
def smallest(D: Array) -> Array:
    """Return the smallest eigenvalue (...) of symmetric matrices (..., k, k).

    Infinity if k = 0, NaN if undefined.
    """
    if D.shape[-1] == 1:
        return D[..., 0, 0]
    D = D.astype(float)
    defined = np.isfinite(D).all((-2, -1))  # LAPACK raises an error for NaN
    values = np.linalg.eigvalsh(np.where(defined[..., None, None], D, 0))
    return np.where(defined, values.min(axis=-1, initial=np.inf), np.nan)


# Chapter 28, "When a pivot is only rounding": Numbers that are compared with it
def feels_nothing(D: Array, noise: Array) -> bool:
    """Whether D is known, and no larger than its rounding by `noise`, if it has any."""
    known, size = known_values(D), known_values(noise)
    if known is None or size is None:
        return False
    exact = holds_objects(D) and not any(isinstance(x, float) for x in D.flat)
    bound = 0 if exact else 32 * np.finfo(float).eps * size
    return not (smallest(known - bound) > 0).all()


# Chapter 28, "When a pivot is only rounding": Numbers that are compared with it
def are_clearly_regular(felt: Sequence[Array], inertias: Array) -> bool:
    """Whether all D are known, and rounding is nothing to them beside the inertias."""
    known = known_values(inertias)
    if known is None:
        return False
    limit = 1e-9 * known.max(initial=0)
    for k in {D.shape[-1] for D in felt} - {0}:
        D = known_values(stack([D for D in felt if D.shape[-1] == k], axis=-3))
        if D is None or not (smallest(D) > limit).all():
            return False
    return True


# Chapter 28, "When a pivot is only rounding": Numbers that are compared with it
def require_inertia(factors: Any, inward: Callable[..., Any]) -> None:
    """Refuse a posture in which a joint feels no inertia, naming the outermost such.

    factors : the factorised chain, its inertias (..., n, 6, 6); inward : the sweep.
    Symbols and traced arrays pass. ValueError too if the inertias overflow.
    """
    state, inertias = factors.state, factors.inertias
    chain, felt = state.chain, [own.D for own in factors.links]
    expect_regular(state, felt, factors.S, inertias)
    if are_clearly_regular(felt, inertias):
        return
    if any([known_values(x) is None for x in (*felt, inertias)]):
        return
    given = state.X, factors.S, factors.links
    with np.errstate(all="ignore"):  # inertias inward of a zero are undefined
        noise, _ = inward(rounding_step, chain.parent, (zeros((6, 6)),), *given)
    for i in reversed(range(chain.n)):
        if feels_nothing(felt[i], noise[i]):
            finite = np.isfinite(np.asarray(felt[i], float)).all()
            raise no_inertia(chain.names[i]) if finite else overflow(chain.names[i])


# Chapter 28, "When a pivot is only rounding": Numbers that are compared with it
def past_zeros(
    inward: Callable[..., Any], step: Any, parent: Any, nothing: Any, *links: Any
) -> Any:
    """Return a sweep inward; of exact numbers that meet a pivot of zero, in floats."""
    with np.errstate(all="ignore"):
        try:
            return inward(step, parent, nothing, *links)
        except ZeroDivisionError:
            floats = [[np.asarray(x, float) for x in part] for part in links]
            return inward(step, parent, nothing, *floats)
