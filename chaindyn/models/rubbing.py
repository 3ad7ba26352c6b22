"""Friction in joints as a linear model has it: the force, and how it changes with the rates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chaindyn._ops import Array, divide, sqrt
from chaindyn.bearings import joint_friction
from chaindyn.chain import Chain

__all__: list[str] = []


def friction_and_slopes(chain: Chain, qd: Array, width: float | None) -> tuple[Array, Array]:
    """Return the forces of `joint_friction` and their slopes (..., nv), of each joint with its rate.

    qd : (..., nv); width : as there, None for no friction. Both are zero for a chain that has none. The slope of
    qd / sqrt(qd^2 + width^2) is width^2 / sqrt(qd^2 + width^2)^3, which at rest is 1 / width.
    """
    if width is None or not chain.has_friction:
        return 0 * qd, 0 * qd
    force, size = joint_friction(chain, qd, width=width), sqrt(qd * qd + width * width)
    return force, -(chain.viscous + divide(chain.coulomb * (width * width), size * size * size))


def frictional(
    derivatives: Callable[..., Any],
    chain: Chain,
    q: Array,
    qd: Array,
    tau: Array,
    width: float | None,
) -> tuple[Array, Array, Array]:
    """Return the derivatives (..., nv, nv) of qdd by q, qd and tau, friction included.

    derivatives : `aba_derivatives`. Friction is one more joint force, of each rate alone; its slope scales columns of
    M^-1.
    """
    force, slopes = friction_and_slopes(chain, qd, width)
    by_q, by_qd, by_tau = derivatives(chain, q, qd, tau + force)
    return by_q, by_qd + by_tau * slopes[..., None, :], by_tau
