"""What a joint offers where its class says nothing else, by numerical routes and by copying."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from chaindyn._ops import Array, namespace, zeros
from chaindyn.guards.arguments import unit
from chaindyn.guards.numbers import as_array, read_only, require_finite


def keep_unit(joint: Any, **names: str) -> None:
    """Normalise directions of a joint that is being made; names : for each part what an error calls it."""
    for part, name in names.items():
        object.__setattr__(joint, part, unit(getattr(joint, part), name))


def keep_finite(joint: Any, field: str) -> None:
    """Keep a number of a joint that is being made, or several, so that nobody can write it; refuse infinite ones."""
    object.__setattr__(joint, field, read_only(as_array(getattr(joint, field), field)))
    require_finite(getattr(joint, field), field)


def random_angle(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return angles over the whole circle (*shape, 1) [rad]."""
    return rng.uniform(-np.pi, np.pi, (*shape, 1))


def parameters(kind: Any) -> list[str]:
    """Return the names of what a kind of joint is made of; what it is called is none of it."""
    return [part.name for part in fields(kind) if part.compare]


def rebuilt(kind: Any, values: dict[str, Any]) -> Any:
    """Return a joint of this kind: a copy's parameters are checked and protected as the original's."""
    return kind(**values)


@dataclass(frozen=True, eq=False)
class JointDefaults:
    """What `Joint` derives from.

    name : what the joint is called, as in the file that it comes from; None is what its link is called.
    """

    name: str | None = field(default=None, kw_only=True, repr=False, compare=False)

    nq: ClassVar[int]
    nv: ClassVar[int]
    motion_subspace: ClassVar[Any]
    integrate: ClassVar[Any]

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild copies from the parameters and the name."""
        own: Any = self
        return rebuilt, (type(self), {part.name: getattr(self, part.name) for part in fields(own)})

    def motion_subspace_rate(self, q: Array, qd: Array) -> Array:
        """Return dS/dt (..., 6, nv), by component in child coordinates: zero unless S depends on q."""
        return zeros((*q.shape[:-1], 6, self.nv))

    @property
    def turns(self) -> bool:
        """Whether S depends on q."""
        return type(self).motion_subspace_rate is not JointDefaults.motion_subspace_rate

    def motion_subspace_second_rate(self, q: Array, qd: Array, other: Array) -> Array:
        """Return the rate (..., 6, nv) of dS/dt at rates qd while q moves with the rates `other`.

        By default by a complex step, for which `motion_subspace_rate` must use analytic operations on numbers only.
        """
        step = 1e-100
        return self.motion_subspace_rate(self.integrate(q, 1j * step * other), qd).imag / step

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (..., 6, 6 - nv), in child coordinates: T x are the wrenches that the joint can carry.

        By default an orthonormal one, of numbers only, from a QR factorisation of S.
        """
        S = self.motion_subspace(q)
        return namespace([S]).linalg.qr(S, mode="complete")[0][..., self.nv :]

    def random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return coordinates (*shape, nq), spread over the joint's range: by default, normally distributed."""
        return rng.normal(size=(*shape, self.nq))
