"""What a motion with contacts is made of and leaves behind: the scene, the states, and the log of its contacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chaindyn._ops import Array
from chaindyn.array_types import ArrayK, ArrayKx2, ArrayKx3, ArrayMx3, ArrayNv, ArrayR
from chaindyn.chain import Chain
from chaindyn.guards.arguments import check_load, check_positive_number, is_several
from chaindyn.guards.cones import in_steps
from chaindyn.guards.constraint_parts import as_constraints
from chaindyn.guards.contacts import (
    LawWord,
    MethodWord,
    OrderWord,
    check_options,
    coefficients,
    doubles_of_one_state,
    finder,
    require_apart,
    require_compilable,
)
from chaindyn.guards.motion import check_step, check_times, require_possible, warn_of_end
from chaindyn.jobs.marching import require_closed
from chaindyn.jobs.runs import columns_of, run
from chaindyn.models.scenes import find_contacts
from chaindyn.projection import projected
from chaindyn.simulation import Driven, Simulation, kinetic_energy

__all__ = ["Collision", "ContactLog", "ContactMotion"]


@dataclass(frozen=True, eq=False)
class Collision:
    """Response of a chain to blows at several contacts.

    impulses : (m, 3) on the first body of each contact, in world axes [N s]; qd_jump :
    (nv,) of the joint rates;
    energy_before, energy_after : kinetic [J]; blows : their number, one after another;
    multipliers : (r,), the impulses in the loop closures, if any.

    >>> ball = Chain([Link(Free(), 2, (0, 0, 0), np.eye(3))])
    >>> floor = Contact((0, -1), point=(0, 0, 0), normal=(0, 0, 1))
    >>> q, fall = np.array([0, 0, 1, 1, 0, 0, 0.0]), np.array([0, 0, 0, 0, 0, -1.0])
    >>> blow = collision_impulses(ball, q, fall, [floor], restitution=0.5)
    >>> round(blow.energy_before, 9), round(blow.energy_after, 9)
    (1.0, 0.25)
    """

    impulses: ArrayMx3
    qd_jump: ArrayNv
    energy_before: float
    energy_after: float
    blows: int
    multipliers: ArrayR


@dataclass(frozen=True, eq=False)
class ContactLog:
    """Record of contacts, one row for each contact and each blow or step with an
    impulse.

    t : (k,) [s]; kind : (k,) "blow", "push" (a step of contact) or "rest" (bouncing has
    ended, at this time); bodies : (k, 2) links' indices, -1 the ground; points,
    normals, impulses : (k, 3) in the world, impulses on the first [N s].

    >>> ball = Link(Free(), 1, (0, 0, 0), np.eye(3), name="ball")
    >>> shapes = Geometry(Sphere(0.1), "ball"), Geometry(HalfSpace((0, 0, 1)), "ground")
    >>> start = np.array([0, 0, 1.1, 1, 0, 0, 0]), np.zeros(6)
    >>> how = {"t": [0, 0.5], "step": 0.1, "method": "events"}
    >>> log = simulate_contact(Chain([ball]), shapes, *start, **how).log
    >>> str(log.kind[0]), round(float(log.t[0]), 3), log.impulses[0].round(3) + 0.0
    ('blow', 0.452, array([0.   , 0.   , 4.429]))
    """

    t: ArrayK
    kind: ArrayK
    bodies: ArrayKx2
    points: ArrayKx3
    normals: ArrayKx3
    impulses: ArrayKx3


@dataclass(frozen=True, eq=False)
class ContactMotion(Simulation):
    """A `Simulation` with the log of its contacts.

    >>> ball = Link(Free(), 1, (0, 0, 0), np.eye(3), name="ball")
    >>> shapes = Geometry(Sphere(0.1), "ball"), Geometry(HalfSpace((0, 0, 1)), "ground")
    >>> start = np.array([0, 0, 0.1, 1, 0, 0, 0]), np.zeros(6)
    >>> motion = simulate_contact(Chain([ball]), shapes, *start, t=[0, 0.1], step=0.01)
    >>> motion.q[-1, :3].round(6) + 0.0
    array([0. , 0. , 0.1])
    >>> motion.log.impulses.sum(axis=0).round(3) + 0.0
    array([0.   , 0.   , 0.981])
    """

    log: ContactLog = field(default_factory=lambda: ContactLog(*columns_of([])))


@dataclass(frozen=True, eq=False)
class Scene:
    """A chain with its loads, the search for its contacts, and their laws.

    find : a function of q (nq,) that returns contacts; margin : the gap up to which one
    counts as closed [m]; seen : geometries, and the pairs of them that are excluded, for
    those who look for contacts themselves.
    """

    driven: Driven
    find: Callable[[Array], Sequence[Any]]
    restitution: Any
    friction: Any
    law: LawWord
    order: OrderWord
    margin: float
    seen: tuple[Any, Any] = ((), ())

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
        self,
        one: Callable[..., Any],
        method: str,
        lines: Any,
        start: tuple[Array, Array],
        times: Array,
        step: float,
    ) -> ContactMotion:
        """Return the motion from a start (q, qd) by steps `one` of a method, none longer than `step`, at all times.

        lines : the functions of a step that machine code is made of, or False for steps as they stand. Steps that
        `run` by themselves, as those in machine code, do. What is wrong at the start is raised: loops that are open,
        bodies in each other, loads that fail.
        """
        chain, one = self.driven.chain, self.stepping(one, method, lines)
        require_closed(self.driven, *start)
        require_apart(self.find(start[0]), chain.names)
        self.driven.acceleration(times[0], *start)
        judge = partial(require_possible, chain, kinetic_energy=kinetic_energy)
        march = getattr(one, "run", None) or partial(noted_steps, one)
        with in_steps():
            (t, q, qd), columns, reason, problem = march(judge, start, times, step)
        given = chain, t, q, qd, reason, problem, self.driven.constraints
        return warn_of_end(ContactMotion(*given, log=ContactLog(*columns)), stacklevel=5)

    def stepping(self, one: Callable[..., Any], method: str, lines: Any) -> Callable[..., Any]:
        """Return the step of a method in this scene, in machine code if asked for; ValueError for what has none."""
        step = partial(one, self)
        if not lines:
            return step
        require_compilable(method, self.driven, self.seen[0])
        from chaindyn.compiler.touching import StepLines, compiled_steps  # not loaded before

        made: Callable[..., Any] = compiled_steps(self, step, self.driven.chain, StepLines(*lines))
        return made


def noted_steps(
    one: Callable[..., Any], *given: Any
) -> tuple[list[Array], tuple[Array, ...], str, BaseException | None]:
    """Return what `run` does with what steps noted as the columns of a log."""
    states, rows, reason, problem = run(one, *given)
    return states, columns_of(rows), reason, problem


def as_start(
    chain: Chain, q: Any, qd: Any, t: Any, step: Any, margin: Any
) -> tuple[tuple[Array, Array], Array, float, float]:
    """Return the state (q, qd) at the start, the times, the longest step and the margin, checked."""
    q, qd = doubles_of_one_state("simulate_contact", chain, q=q, qd=qd)
    times = check_times(t)
    return (q, qd), times, check_step(step, times), check_positive_number(margin, "margin")


def scene_of(
    chain: Chain,
    geometries: Any,
    torque: Any,
    constraints: Any,
    laws: tuple[MethodWord, Any, Any, LawWord, OrderWord],
    margin: float,
    exclude: Any,
) -> Scene:
    """Return the scene of a chain; laws : method, restitution, friction, law and order; exclude : pairs left out."""
    method, restitution, friction, law, order = laws
    check_options(method, law, order, restitution=restitution, friction=friction)
    load = check_load(torque, "torque", (chain.nv,), ())
    driven = Driven(chain, load, None, as_constraints(constraints), (0, 0))
    geometries = list(geometries) if is_several(geometries) else geometries
    find = finder(chain, geometries, find_contacts, margin, exclude)
    return Scene(driven, find, *laws[1:], margin, (geometries, exclude))
