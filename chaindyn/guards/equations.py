"""Equations that cannot be solved: what is singular, dependent, or too far away for its digits."""

from __future__ import annotations

import warnings
from numbers import Complex
from typing import Any

import numpy as np

from chaindyn._ops import holds_objects, solve
from chaindyn.guards.numbers import is_concrete, known_values

SINGULAR = (
    "M is singular: of symbols, and of numbers other than NumPy's float64, it must be regular"
)


def require_rank_of_real_part(rows: np.ndarray | None) -> None:
    """Refuse complex rows (..., m, n) that depend on each other, but not as their real parts do."""
    if rows is None or not np.iscomplexobj(rows):
        return
    lengths = np.linalg.norm(rows.real, axis=-1, keepdims=True)
    whole = rows / np.where(lengths > 0, lengths, 1)
    rank = np.linalg.matrix_rank
    if (rank(whole, rtol=1e-12) != rank(whole.real, rtol=1e-12)).any():
        raise ValueError(
            "rows of K depend on each other in their real parts alone: complex ones are judged by these"
        )


def solved(A: Any, b: Any, why: str) -> Any:
    """Return the solution of A x = b by `solve`; ValueError with these words if it is undefined."""
    with np.errstate(all="ignore"):
        try:
            x = solve(A, b)
        except ZeroDivisionError:
            raise ValueError(why) from None
    if x.dtype.kind in "fc" and isinstance(x, np.ndarray) and not np.isfinite(x).all():
        raise ValueError(why)
    if holds_objects(x) and any(is_undefined(entry) for entry in x.flat):
        raise ValueError(why)
    return x


def is_undefined(entry: Any) -> bool:
    """Whether one entry of an array of objects is what is left of a division by zero."""
    if isinstance(entry, Complex):
        return bool(entry != entry or abs(entry) == np.inf)
    finite = getattr(entry, "is_finite", None)  # of python-flint's balls
    return type(entry).__name__ in {"NaN", "ComplexInfinity"} or (callable(finite) and not finite())


def warn_if_far(chain: Any, p: Any) -> None:
    """Warn if inertias about the world origin lose more than half of their digits: p (..., n, 3) is that far away.

    About a point at a distance d an inertia holds terms m d^2, of which the joints feel only what is left when
    they cancel.
    """
    heavy = chain.mass > 0 if is_concrete(chain.mass) else np.False_
    if not (is_concrete(p) and p.size and heavy.any()):
        return
    own = np.trace(chain.spatial_inertia[heavy, :3, :3], axis1=-2, axis2=-1) / chain.mass[heavy]
    away, spread = (p * p).sum(-1).max(), np.ptp(p, axis=-2).max()
    if np.finfo(float).eps * away > 1e-8 * (own.max() + spread * spread):
        warnings.warn(
            f"the chain is {np.sqrt(away):.2g} m away from the world origin, about which recursion='world' computes: "
            "results lose half of their digits or more; recursion='body' does not",
            RuntimeWarning,
            stacklevel=6,
        )


def overflow(link: str) -> ValueError:
    """Return the error that says whose inertia is too large, or too far away, for numbers of this kind."""
    return ValueError(
        f"the inertia of link {link!r}, with what it carries, overflows: its mass, or the distance of its mass "
        "from the joint, is too large"
    )


def no_inertia(link: str) -> ValueError:
    """Return the error that says which joint makes the mass matrix singular."""
    return ValueError(
        f"M is singular: the joint of link {link!r} feels no inertia in this posture; the link, or what it "
        "carries, needs mass that this joint moves"
    )


def require_joint_inertia(D: Any) -> None:
    """Refuse S^T I S (..., k, k) that is singular to rounding, where its values are known."""
    k, known = D.shape[-1], known_values(D)
    if not k or known is None:
        return
    size = np.sqrt(np.abs(np.diagonal(known, axis1=-2, axis2=-1)))
    size = np.where(size == 0, 1, size)  # so that units play no part
    scaled = known / size[..., :, None] / size[..., None, :]
    if (np.linalg.matrix_rank(scaled, hermitian=True) < k).any():
        raise ValueError(
            "S^T I S is singular: the body has no inertia along a motion that S allows"
        )
