# Generated from chapters/22_through_time.md by `python -m book export`; edit it there.
# sha256 of the text below: 85aab26cf7b0516fa37f1778a82bd4fdc7e67ac295c5dcf7f5742072de7fa852
"""Motion with contacts, from blow to blow or in equal steps.

Derived in chapter 22, "Through time".
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chaindyn._ops import Array
from chaindyn.array_types import ArrayM, ArrayNq, ArrayNv
from chaindyn.chain import Chain
from chaindyn.contact import (
    ContactResponse,
    ImpactProblem,
    contact_response,
    contact_rows,
    moreau_push,
    newton_push,
    normals_first,
    normals_of,
    series_of_blows,
)
from chaindyn.guards.arguments import FLAGS
from chaindyn.guards.contacts import (
    LAWS,
    METHODS,
    ORDERS,
    LawWord,
    MethodWord,
    OrderWord,
    comes_to_rest,
    first_time,
    is_pressed,
    longest_lateness,
)
from chaindyn.guards.door import checked
from chaindyn.jobs.contact_records import ContactMotion, Scene, as_start, scene_of
from chaindyn.jobs.floating import rates_in_new_axes
from chaindyn.jobs.sticking import rates_with_friction, slopes
from chaindyn.postures import integrate
from chaindyn.rest import contact_bias
from chaindyn.simulation import Driven, rk4_step
from chaindyn.state import State

__all__ = ["simulate_contact"]


# Chapter 22, "Through time": One step
def free_rates(driven: Driven, t: float, q: Array, qd: Array, h: float) -> tuple[Array, Array]:
    """Return the rates (nv,) after a step without contacts: without the loads on the
    chain at rest, and with them.

    Terms of the velocities, the rotation of a body's own axes among them, follow the
    midpoint rule: Euler's rule would make a spinning body faster and faster. For a
    chain at rest they vanish exactly. What `over` holds through the step, viscous
    friction, is a load.
    """
    at_rest, first = slopes(driven, t, q, np.stack([0 * qd, qd]))
    gained = h / 2 * at_rest
    half = qd + h / 2 * (first - at_rest)
    there, without = slopes(driven, t, q, np.stack([half + gained, gained]))
    before = qd + h * (there - without)
    return before, rates_with_friction(driven, q, before + h * at_rest, h)


def gap_half_way(gap: Array, speed: Array, h: Array) -> Array:
    """Return the gap (...) half a step h before its end, of that at the end and the
    speed of separation (...).
    """
    return gap - h / 2 * speed


# Chapter 22, "Through time": One step
def closing_contacts(scene: Scene, state: State, moved: Array, h: float) -> tuple[list[Any], Array]:
    """Return the contacts that are closed half a step h before a posture, and their
    rows (m, 3, nv).

    moved : (nv,), the rates there without contacts.
    """
    contacts = list(scene.find(state.q))
    if not contacts:
        return contacts, np.zeros((0, 3, state.chain.nv))
    rows = contact_rows(state, contacts)
    gaps = np.array([float(contact.gap) for contact in contacts])
    speeds = (normals_of(contacts) * (rows @ moved)).sum(-1)
    closed = np.flatnonzero(gap_half_way(gaps, speeds, h) <= scene.margin)
    return [contacts[k] for k in closed], rows[closed]


# Chapter 22, "Through time": One step
def impulses_of_step(
    scene: Scene, state: State, contacts: Sequence[Any], rows: Array, moved: Array, before: Array
) -> tuple[ContactResponse, Array]:
    """Return the response of contacts that close, and their impulses (3 m,) in a step.

    moved, before : (nv,), the rates without contacts, with and without loads.
    """
    eps, mu = scene.coefficients(contacts)
    loops, normals = scene.driven.constraints, normals_of(contacts)
    here = contact_response(state, normals, rows, rows @ moved, loops)
    v, came, eps = here.K @ moved, here.K @ before, np.repeat(eps, 3)
    problem = ImpactProblem(here.W, mu, float(np.abs(came).max()))
    if scene.law == "newton":
        return here, newton_push(problem, v, came, eps, normals_first(len(mu)))
    return here, moreau_push(problem, v, came, eps)


# Chapter 22, "Through time": One step
def moreau_jean_step(
    scene: Scene, t: float, q: Array, qd: Array, end: float
) -> tuple[Array, Array, list[tuple[float, str, Any, Array]]]:
    """Return q and qd at the time `end`, and rows to log: contacts that close within
    half a step act by one impulse each.

    Contact rows are taken where the step would end without contacts, in whose axes the
    new rates are, until they are carried on to where it ends. The first tangents are
    along the slip without contacts: along the slip before, where friction is large
    beside it, each small change of its direction would grow.
    """
    h, log = end - t, []
    driven = scene.driven.over(h, qd)
    middle = integrate(driven.chain, q, h / 2 * qd)
    before, moved = free_rates(driven, t + h / 2, middle, qd, h)
    there = integrate(driven.chain, middle, h / 2 * moved)
    state = State(driven.chain, there)
    contacts, rows = closing_contacts(scene, state, moved, h)
    if contacts:
        here, p = impulses_of_step(scene, state, contacts, rows, moved, before)
        rates = moved + here.jump(p)[0]
        last = integrate(driven.chain, middle, h / 2 * rates)
        moved, there = rates_in_new_axes(driven.chain, there, rates, last), last
        impulses, pushing = here.in_world(p), np.flatnonzero(p[0::3] > 0)
        log = [(t + h, "push", contacts[k], impulses[k]) for k in pushing]
    return *scene.kept(there, moved), log


# Chapter 22, "Through time": From blow to blow
def time_since_contact(scene: Scene, q: Array, qd: Array) -> float:
    """Return the longest time since a closed, approaching contact should have struck
    [s]; 0 if there is none.
    """
    contacts = [contact for contact in scene.find(q) if contact.gap < 0]
    if not contacts:
        return 0.0
    rows = contact_rows(State(scene.driven.chain, q), contacts)
    speeds = (normals_of(contacts) * (rows @ qd)).sum(-1)
    gaps = np.array([float(contact.gap) for contact in contacts])
    return longest_lateness(gaps, speeds)


def landing(scene: Scene, t: float, q: Array, qd: Array, h: float) -> float | None:
    """Return after how long a flight from q, qd has its first contact, within h, or
    None if it has none.
    """

    def late(tau: float) -> float:
        return time_since_contact(scene, *rk4_step(scene.driven, t, q, qd, tau))

    return first_time(late, t, h)


# Chapter 22, "Through time": From blow to blow
def gap_accelerations(
    scene: Scene, t: float, state: State, contacts: Sequence[Any], rows: Array
) -> Array:
    """Return how gaps accelerate (m,) without forces at the contacts; rows : (m, 3,
    nv).
    """
    normals = normals_of(contacts)
    rates, turns = contact_bias(state, contacts, normals)
    rates = rates + rows @ scene.driven.acceleration(t, state.q, state.qd)
    return (normals * rates).sum(-1) + turns


def blow_at(
    scene: Scene, t: float, q: Array, qd: Array
) -> tuple[Array, list[tuple[float, str, Any, Array]]]:
    """Return the rates (nv,) after a blow at all closed contacts, and rows to log.

    A contact that would bounce for less than 1e-5 s comes to rest, at the time at which
    bouncing would end.
    """
    contacts, loops = scene.closed(q), scene.driven.constraints
    state, (eps, mu) = State(scene.driven.chain, q, qd), scene.coefficients(contacts)
    rows = contact_rows(state, contacts)
    here = contact_response(state, normals_of(contacts), rows, rows @ qd, loops)
    v, pull = here.K @ qd, -gap_accelerations(scene, t, state, contacts, rows)
    approach = np.maximum(-v[0::3], 0)
    ends = comes_to_rest(approach, eps, pull)
    given = np.where(ends, 0, eps), mu, scene.law, scene.order
    p, _ = series_of_blows(here.W, v, *given)
    impulses, log = here.in_world(p), []
    for k in np.flatnonzero(p[0::3] > 0):
        log.append((t, "blow", contacts[k], impulses[k]))
        if ends[k]:
            left = 2 * eps[k] * approach[k] / (pull[k] * (1 - eps[k]))
            log.append((t + left, "rest", contacts[k], 0 * impulses[k]))
    return qd + here.jump(p)[0], log


# Chapter 22, "Through time": From blow to blow
def is_resting(scene: Scene, t: float, q: Array, qd: Array) -> bool:
    """Whether some closed contact has no speed along its normal and is pressed."""
    contacts = scene.closed(q)
    if not contacts:
        return False
    state = State(scene.driven.chain, q, qd)
    rows = contact_rows(state, contacts)
    speeds = (normals_of(contacts) * (rows @ qd)).sum(-1)
    return is_pressed(speeds, gap_accelerations(scene, t, state, contacts, rows))


# Chapter 22, "Through time": From blow to blow
def event_step(
    scene: Scene, t: float, q: Array, qd: Array, end: float
) -> tuple[Array, Array, list[tuple[float, str, Any, Array]]]:
    """Return q and qd at the time `end`, and rows to log: flights by RK4 between blows,
    rest by a Moreau-Jean step.

    After 1000 blows in one step its remainder is a Moreau-Jean step too.
    """
    log: list[tuple[float, str, Any, Array]] = []
    for _ in range(1000):
        if is_resting(scene, t, q, qd):
            break
        flown = landing(scene, t, q, qd, end - t)
        if flown is None:
            return *scene.kept(*rk4_step(scene.driven, t, q, qd, end - t)), log
        q, qd = rk4_step(scene.driven, t, q, qd, flown)
        t = t + flown
        qd, more = blow_at(scene, t, q, qd)
        log += more
        if t >= end:
            return q, qd, log
    q, qd, more = moreau_jean_step(scene, t, q, qd, end)
    return q, qd, log + more


# Chapter 22, "Through time": From blow to blow
@checked(q="nq", qd="nv", method=METHODS, law=LAWS, order=ORDERS, compiled=FLAGS)
def simulate_contact(
    chain: Chain,
    geometries: Any,
    q: ArrayNq,
    qd: ArrayNv,
    *,
    t: ArrayM,
    step: float,
    torque: Any = None,
    friction: Any = None,
    margin: float = 1e-9,
    exclude: Any = (),
    method: MethodWord = "steps",
    restitution: Any = None,
    law: LawWord = "newton",
    order: OrderWord = "together",
    constraints: Any = (),
    compiled: bool = False,
) -> ContactMotion:
    """Return the motion of a chain or tree that touches, from q (nq,), qd (nv,) at
    t[0], at all times t.

    geometries : the shapes that may touch, as for `find_contacts`, or a function of q
    that returns contacts. t : (m,) increasing [s]; step : the longest step [s]. torque
    : (nv,), or a function of (t, q, qd). method : "steps", Moreau-Jean time stepping of
    order one, for any number of contacts: bodies may sink in by the step times their
    speed in a blow; or "events", flights by RK4 with each landing found to rounding,
    and Moreau-Jean steps while something rests; a contact that is closed and open again
    within a quarter of a step is missed. restitution,
    friction : one number for all, or None for each contact's own. law, order : as for
    `collision_impulses`; "poisson" and "sequence" are for events; in "steps" the law
    "moreau" with equal restitutions gains no energy, or under loads a little, of order
    step^2. margin : the gap up to which a contact counts as closed [m]. exclude : pairs
    of indices of geometries that may pass through each other, as for `find_contacts`;
    what a file says is in `Model.apart`. constraints :
    loop closures; each step ends with closed loops. Friction in the chain's own joints
    acts as in `simulate`; in "steps" Coulomb's is an impulse of at most step times
    friction, before those of contacts. compiled : whether "steps" run as machine code
    (chapter 26),
    for open chains, constant torque, and shapes that touch in closed form: half-spaces
    with anything, boxes with boxes, balls and capsules with each other. It is the same
    motion to rounding where Coulomb's law has but one; RuntimeWarning if most steps run
    as they stand. The
    result is a `Simulation` with a `log` of contacts and impulses. If it ends early,
    also by the user's interruption, the result has the
    states so far and the reason, with a RuntimeWarning, which has the result in its
    attribute `simulation` where warnings are errors. ValueError for bad input, such as
    bodies that start more than 1e-3 m inside each other, or a chain whose numbers are
    no floats.

    >>> ball = Link(Free(), 1, (0, 0, 0), np.eye(3) / 1000, name="ball")
    >>> floor = Geometry(HalfSpace((0, 0, 1)), "ground", restitution=0.5)
    >>> shapes = [Geometry(Sphere(0.1), "ball"), floor]
    >>> start = np.array([0, 0, 1.1, 1, 0, 0, 0]), np.zeros(6)
    >>> how = {"t": [0, 1], "step": 0.1, "method": "events"}
    >>> simulate_contact(Chain([ball]), shapes, *start, **how).log.t.round(3)
    array([0.452, 0.903])
    """
    start, times, step, margin = as_start(chain, q, qd, t, step, margin)
    laws = method, restitution, friction, law, order
    scene = scene_of(chain, geometries, torque, constraints, laws, margin, exclude)
    lines = free_rates, gap_half_way, newton_push, moreau_push, normals_first
    one = {"steps": moreau_jean_step, "events": event_step}[method]
    return scene.marched(one, method, compiled and lines, start, times, step)
