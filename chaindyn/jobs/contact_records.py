"""What a motion with contacts is made of and leaves behind: the scene, the states, and the log of its contacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.chain import Chain
from chaindyn.constraints import projected
from chaindyn.guards.arguments import check_load, check_positive_number
from chaindyn.guards.constraint_parts import as_constraints
from chaindyn.guards.contacts import coefficients, doubles_of_one_state, finder, require_apart
from chaindyn.guards.motion import check_step, check_times, require_possible, warn_of_end
from chaindyn.jobs.marching import require_closed
from chaindyn.jobs.runs import columns_of, run
from chaindyn.models.scenes import find_contacts
from chaindyn.simulation import Driven, Simulation, kinetic_energy

__all__ = ["Collision", "ContactLog", "ContactMotion"]


@dataclass(frozen=True, eq=False)
class Collision:
    """Response of a chain to blows at several contacts.

    impulses : (m, 3) on the first body of each contact, in world axes [N s]; qd_jump :
    (nv,) of the joint rates;
    energy_before, energy_after : kinetic [J]; blows : their number, one after another;
    multipliers : (r,), the impulses in the loop closures, if any.
    """

    impulses: Array
    qd_jump: Array
    energy_before: float
    energy_after: float
    blows: int
    multipliers: Array


@dataclass(frozen=True, eq=False)
class ContactLog:
    """Record of contacts, one row for each contact and each blow or step with an
    impulse.

    t : (k,) [s]; kind : (k,) "blow", "push" (a step of contact) or "rest" (bouncing has
    ended, at this time); bodies : (k, 2) links' indices, -1 the ground; points,
    normals, impulses : (k, 3) in the world, impulses on the first [N s].
    """

    t: Array
    kind: Array
    bodies: Array
    points: Array
    normals: Array
    impulses: Array


@dataclass(frozen=True, eq=False)
class ContactMotion(Simulation):
    """A `Simulation` with the log of its contacts."""

    log: ContactLog = field(default_factory=lambda: ContactLog(*columns_of([])))


@dataclass(frozen=True, eq=False)
class Scene:
    """A chain with its loads, the search for its contacts, and their laws.

    find : a function of q (nq,) that returns contacts; margin : the gap up to which one
    counts as closed [m].
    """

    driven: Driven
    find: Callable[[Array], Sequence[Any]]
    restitution: Any
    friction: Any
    law: str
    order: str
    margin: float

    def closed(self, q: Array) -> list[Any]:
        """Return the contacts whose gap is closed."""
        return [contact for contact in self.find(q) if contact.gap <= self.margin]

    def coefficients(self, contacts: Sequence[Any]) -> tuple[Array, ...]:
        """Return restitution and friction (m,) each."""
        given = {"restitution": self.restitution, "friction": self.friction}
        return coefficients(contacts, **given)

    def kept(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return the nearby state with closed loops."""
        loops = self.driven.constraints
        return projected(self.driven.chain, loops, q, qd) if loops else (q, qd)

    def marched(
        self, one: Callable[..., Any], start: tuple[Array, Array], times: Array, step: float
    ) -> ContactMotion:
        """Return the motion from a start (q, qd) by steps `one`, none longer than `step`, at all times.

        What is wrong at the start is raised: loops that are open, bodies in each other, loads that fail.
        """
        chain = self.driven.chain
        require_closed(self.driven, *start)
        require_apart(self.find(start[0]), chain.names)
        self.driven.acceleration(times[0], *start)
        judge = partial(require_possible, chain, kinetic_energy=kinetic_energy)
        (t, q, qd), rows, reason, problem = run(one, judge, start, times, step)
        given = chain, t, q, qd, reason, problem, self.driven.constraints
        return warn_of_end(ContactMotion(*given, log=ContactLog(*columns_of(rows))), stacklevel=5)


def as_start(
    chain: Chain, q: Any, qd: Any, t: Any, step: Any, margin: Any
) -> tuple[tuple[Array, Array], Array, float, float]:
    """Return the state (q, qd) at the start, the times, the longest step and the margin, checked."""
    q, qd = doubles_of_one_state("simulate_contact", chain, q=q, qd=qd)
    times = check_times(t)
    return (q, qd), times, check_step(step, times), check_positive_number(margin, "margin")


def slopes(driven: Driven, t: float, q: Array, rates: Array) -> Array:
    """Return the accelerations (k, nv) in one posture q (nq,) at rates (k, nv); in one call without user functions."""
    if callable(driven.torque):
        return np.stack([driven.acceleration(t, q, qd) for qd in rates])
    return driven.acceleration(t, q, rates)


def scene_of(
    chain: Chain,
    geometries: Any,
    torque: Any,
    constraints: Any,
    laws: tuple[Any, Any, str, str],
    margin: float,
) -> Scene:
    """Return the scene of a chain; laws : restitution, friction, law and order of blows."""
    load = check_load(torque, "torque", (chain.nv,), ())
    driven = Driven(chain, load, None, as_constraints(constraints), (0, 0))
    return Scene(driven, finder(chain, geometries, find_contacts, margin), *laws, margin)
