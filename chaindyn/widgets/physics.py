"""The physics of the pages: functions of the book, recorded once and written down as JavaScript.

``python -m book physics`` writes each of `FUNCTIONS` to ``emitted/NAME.js``; an explorer joins those it needs to its
view, before ``physics.js``, which gives them numbers and takes their answers. One text serves every chain of hinges,
slides and fixed joints. `ALONE`, functions without a chain, and `STEPS` in time are written there too, as functions
that a view calls by their names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import chaindyn
from chaindyn import (
    Chain,
    Drive,
    Joint,
    Link,
    Spherical,
    X_motion,
    rotation_about,
    rotation_from_quaternion,
    spatial_inertia,
)
from chaindyn._ops import (
    Array,
    atan2,
    concatenate,
    cos,
    divide,
    eye,
    positive,
    sin,
    solve,
    sqrt,
    stack,
    unstack,
    where,
    zeros,
)
from chaindyn.articulated import (
    Articulated,
    FactorisedChain,
    articulated_step,
    factorise_state,
)
from chaindyn.chain import inward
from chaindyn.compiler.javascript import js_kernel
from chaindyn.compiler.plan import Plan
from chaindyn.compiler.recorded import Recorded, called, record, recorded_link_by_link
from chaindyn.compiler.recording import CannotRecord, Number, Tape, reached_from
from chaindyn.compiler.rolled import Recording, leaves_of
from chaindyn.compiler.slopes import tangent_core, tangent_record
from chaindyn.compiler.text import Writer, literal
from chaindyn.complementarity import (
    contact_modes,
    contact_turn,
    coulomb_conditions,
    mode_equations,
    mode_margins,
    pyramid_impulse,
)
from chaindyn.composite import composite_inertias
from chaindyn.contact import (
    moreau_blow,
    moreau_push,
    newton_blow,
    newton_push,
    poisson_blow,
)
from chaindyn.guards.joint_defaults import parameters
from chaindyn.guards.mobility import traces
from chaindyn.guards.pivots import require_inertia, rounding_step
from chaindyn.impulse import (
    contact_impulse,
    impulse_response,
    kinetic_energy_of,
    unit_impulses,
)
from chaindyn.inverse_dynamics import (
    ground_acceleration,
    joint_forces,
    needed_wrenches,
    net_bias,
    wrenches_in,
)
from chaindyn.kinematics import classical_acceleration, screws_seen_from
from chaindyn.models.arrays import scalar
from chaindyn.postures import integrate
from chaindyn.simulation import (
    discrete_momenta,
    generalised_force,
    rk4_step,
    semi_implicit_euler_step,
)
from chaindyn.state import State, evaluate
from chaindyn.stepping import free_rates, gap_half_way

EMITTED = Path(__file__).parent / "emitted"

# What the pages ask for, and the book's functions do not say in one call --------------------------


def screws(chain: Chain, q: Array, R: Array, p: Array) -> Array:
    """Return the screw of each joint (nv, 6) in a frame of the world, R (3, 3) and p (3,): columns of Jacobians."""
    return screws_seen_from(evaluate(chain, q), R, p)


def centre_accelerations(chain: Chain, q: Array, qd: Array, qdd: Array) -> Array:
    """Return how the links' centres of mass accelerate (n, 3), in world axes, gravity not included."""
    state = evaluate(chain, q, qd, qdd)
    R, _ = state.poses
    shift = X_motion(eye(3), chain.com)
    at_centre = [(shift @ x)[..., 0] for x in (state.accelerations(qdd), state.twists)]
    return (R @ classical_acceleration(*at_centre)[..., 3:, None])[..., 0]


def loads(chain: Chain, q: Array, qd: Array, qdd: Array, external: Array) -> tuple[Array, Array]:
    """Return joint forces (nv,), and what each parent exerts on its link (n, 6); external and this are "mixed"."""
    state = evaluate(chain, q, qd, qdd, external)
    wrenches = needed_wrenches(state, qdd, net_bias(state, external, "mixed"))
    return joint_forces(state, wrenches), wrenches_in(state, wrenches, "mixed")


def pin_in(state: State, pinned: Array, offset: Array, foot: Array) -> tuple[Array, Array]:
    """Return the screw of each joint (nv, 6) as seen from a point of a link, in its axes, and the gap (3,) from a foot.

    pinned : (n,) one for the link; offset : (3,) of the point in its frame; foot : (3,) in the world.
    """
    R, p = state.poses
    R_own, p_own = (pinned[:, None, None] * R).sum(-3), (pinned[:, None] * p).sum(-2)
    place = p_own + (R_own @ offset[:, None])[:, 0]
    gap = R_own.mT @ (place - foot)[:, None]
    return screws_seen_from(state, R_own, place), gap[:, 0]


def pin(chain: Chain, q: Array, pinned: Array, offset: Array, foot: Array) -> tuple[Array, Array]:
    """Return what `pin_in` does of a chain."""
    return pin_in(evaluate(chain, q), pinned, offset, foot)


IN_PLANE = np.array([3, 5])  # of a screw: how it moves a point along x and z


def held(
    chain: Chain, q: Array, qd: Array, pinned: Array, offset: Array, foot: Array, weights: Array
) -> Array:
    """Return weights[0] times the accelerations (nv,) of a chain, and what holds a point of it in the x-z plane.

    pinned, offset, foot : as for `pin_in`. weights : (3,), of the accelerations, of the rate and of the gap of the
    point: what is added by least kinetic energy takes all of their sum away. [1, kd, kp] gives accelerations by
    chapter 14, [0, 1, 0] and [0, 0, 1] the changes of the rates and, nearly, of the posture that close the loop.
    A row that is nothing beside the other, in units in which M is one, is left out.
    """
    state = evaluate(chain, q, qd)
    screws, gap = pin_in(state, pinned, offset, foot)
    K = [screws[..., k] for k in (3, 5)]
    at_point = X_motion(eye(3), offset)
    at_link = pinned[:, None, None]
    motions = [(at_link * x).sum(-3) for x in (state.twists, state.accelerations(0 * qd))]
    rate, bias = [(at_point @ x)[IN_PLANE, 0] for x in motions]
    factors = factorise_state(state)
    loads = net_bias(state, None, "body") + factors.inertias @ state.eta
    pulls = at_link * at_point.mT[:, IN_PLANE]
    left, _ = factors.inward_forces(zeros((chain.nv, 3)), concatenate([loads, -pulls], axis=-1))
    free = [x[..., :1] for x in left]
    _, alone = factors.outward_motions(free, state.eta, ground_acceleration(chain))
    open_rate = concatenate([(k * alone[..., 0]).sum(-1, keepdims=True) for k in K], axis=-1)
    wanted = -(weights[:1] * (bias + open_rate) + weights[1:2] * rate + weights[2:] * gap[::2])
    D = concatenate([own.D for own in factors.links], axis=-2)[..., 0]
    felt = concatenate([x[..., 1:] for x in left], axis=-2) / sqrt(D)[..., None]
    counts = that_count([(k * k / D).sum(-1, keepdims=True) for k in K])
    shares = least_shares([felt[..., k] for k in (0, 1)], counts, wanted)[:, None]
    _, answers = factors.outward_motions([x[..., 1:] @ shares for x in left])
    return weights[:1] * alone[..., 0] + answers[..., 0]


def that_count(squares: list[Array]) -> list[Array]:
    """Return whether two rows count, (1,) 1 or 0: not below 1e-10 of the other; squares : of their lengths (1,)."""
    a, b = squares
    return [where(positive(x - 1e-20 * y), 1, 0) for x, y in ((a, b), (b, a))]


def least_shares(rows: list[Array], counts: list[Array], wanted: Array) -> Array:
    """Return how much (2,) of two rows (nv,) makes the least x (nv,) with row . x = wanted (2,).

    counts : for each row (1,) 1, or 0 if it is left out.
    """
    rows = [c * row for c, row in zip(counts, rows, strict=True)]
    asked = concatenate(counts, axis=-1) * wanted
    turns = [eye(2)[0], eye(2)[1]]
    for _ in range(
        2
    ):  # a Jacobi rotation, after which the longer is first, and one for its rounding
        x, y = rows
        squares = [(u * v).sum(-1, keepdims=True) for u, v in ((x, x), (y, y), (x, y))]
        angle = divide(atan2(2 * squares[2], squares[0] - squares[1]), 2)
        c, s = cos(angle), sin(angle)
        rows, turns = ([c * u + s * v, c * v - s * u] for u, v in (rows, turns))
    first, second = [(row * row).sum(-1, keepdims=True) for row in rows]
    both = counts[0] * counts[1]
    along = [(turn * asked).sum(-1, keepdims=True) for turn in turns]
    along = [along[0] / first, both * along[1] / (both * second + 1 - both)]
    return along[0] * turns[0] + along[1] * turns[1]


def factorise_free(state: State, free: Array) -> FactorisedChain:
    """Return the factorised chain of the joints that are free to move; free : (nv,) ones, zeros where it is prescribed.

    A prescribed joint has an S of zeros and an inertia of one, so that it answers no force.
    """
    own = [free[j.start : j.stop] for j in state.chain.v_columns]
    S = [s * f for s, f in zip(state.S, own, strict=True)]
    both = [concatenate([s, X], axis=-1) for s, X in zip(S, state.X, strict=True)]
    held = [(1 - f) * eye(f.shape[-1]) for f in own]
    inertias = [state.inertias[i] for i in range(state.chain.n)]
    links, _ = inward(articulated_step, state.chain.parent, (zeros((6, 6)),), both, inertias, held)
    factors = FactorisedChain(state, S, links)
    require_inertia(factors, inward)
    return factors


def hybrid(
    chain: Chain, q: Array, qd: Array, free: Array, qdd: Array, tau: Array
) -> tuple[Array, Array, Array]:
    """Return what `hybrid_dynamics` does, (nv,) each, with its mask as numbers, and what `margins` needs.

    free : (nv,) ones where tau is given, zeros where qdd is; the other entries of these do not count.
    """
    state = evaluate(chain, q, qd)
    factors, prescribed = factorise_free(state, free), (1 - free) * qdd
    eta = state.eta + state.along_joints(state.subspaces, prescribed)
    loads = net_bias(state, None, "body") + factors.inertias @ eta
    left, p = factors.inward_forces((free * tau)[..., None], loads)
    A, answers = factors.outward_motions(left, eta, ground_acceleration(chain))
    wrenches = factors.inertias @ (stack(A, axis=-3) - eta) + stack(p, axis=-3)
    needed = joint_forces(state, wrenches)
    forces = (1 - free) * needed + free * tau
    return prescribed + answers[..., 0], forces, kept_of(factors)


def forward_dynamics(chain: Chain, q: Array, qd: Array, tau: Array) -> tuple[Array, Array]:
    """Return what `aba` does, and what `margins` needs."""
    state = evaluate(chain, q, qd, tau)
    factors = factorise_state(state)
    loads = net_bias(state, None, "body") + factors.inertias @ state.eta
    left, _ = factors.inward_forces(tau[..., None], loads)
    _, qdd = factors.outward_motions(left, state.eta, ground_acceleration(chain))
    return qdd[..., 0], kept_of(factors)


def kept_of(factors: FactorisedChain) -> Array:
    """Return D, G and the diagonal of the articulated inertia of every link (n, 1, 13)."""
    diagonals = [(own.inertia * eye(6)).sum(-1)[None, :] for own in factors.links]
    given = zip(factors.links, diagonals, strict=True)
    return stack([concatenate([own.D, own.G, size], axis=-1) for own, size in given], axis=-3)


def margins(chain: Chain, q: Array, kept: Array) -> Array:
    """Return the inertia that each joint feels, less what of it may be rounding (nv,): where positive, it feels some.

    kept : (n, 1, 13), as from `kept_of`.
    """
    state = evaluate(chain, q)
    parts = unstack(kept, -3)
    links = [Articulated(x[:, 7:].mT * eye(6), zeros((6, 7)), x[:, :1], x[:, 1:7]) for x in parts]
    given = state.X, [both[..., :-6] for both in state.both], links
    noise, _ = inward(rounding_step, chain.parent, (zeros((6, 6)),), *given)
    unit = 32 * 2.0**-52
    felt = [own.D - unit * size for own, size in zip(links, noise, strict=True)]
    return concatenate(felt, axis=-2)[..., 0]


def masses_felt(chain: Chain, q: Array) -> tuple[Array, Array]:
    """Return the mass felt at each joint, in every direction, (n, 3, 3) in world axes, and what `margins` needs."""
    state = evaluate(chain, q)
    factors, (R, _) = factorise_state(state), state.poses
    felt = [apparent(own, S) for own, S in zip(factors.links, factors.S, strict=True)]
    return R @ stack(felt, axis=-3)[..., 3:, 3:] @ R.mT, kept_of(factors)


def apparent(own: Articulated, S: Array) -> Array:
    """Return the inertia (6, 6) that a link shows through its joint, as `apparent_inertia` does."""
    U = own.inertia @ S
    return own.inertia - U @ solve(own.D, U.mT)


def weight(chain: Chain, q: Array) -> Array:
    """Return the joint forces (nv,) that hold a chain at rest."""
    return chaindyn.rnea(chain, q, 0 * q, 0 * q)


def crba(chain: Chain, q: Array) -> tuple[Array, Array]:
    """Return the screw of each joint (nv, 6), and the wrench that accelerates all that it carries by that screw.

    Both in the world. Where one joint carries the other, their entry of the mass matrix is a product of the two.
    """
    state = evaluate(chain, q)
    wrenches = composite_inertias(state) @ stack(state.S, axis=-3)
    return screws_seen_from(state, eye(3), zeros((3,))), wrenches_in(state, wrenches, "world")


def energies(chain: Chain, q: Array, qd: Array) -> tuple[Array, Array]:
    """Return kinetic and potential energy."""
    return chaindyn.kinetic_energy(chain, q, qd), chaindyn.potential_energy(chain, q)


def step_momenta(chain: Chain, q0: Array, q1: Array, h: Array) -> tuple[Array, Array]:
    """Return the momenta (nv,) along the joints at the start and at the end of a variational step."""
    start, end = discrete_momenta(chain, q0, q1, h)
    return generalised_force(State(chain, q0), start), generalised_force(State(chain, q1), end)


def blow(
    chain: Chain,
    q: Array,
    qd: Array,
    struck: Array,
    point: Array,
    normal: Array,
    restitution: Array,
) -> tuple[Array, ...]:
    """Return what `impact` does of a link that is struck, and what a blow of 1 N s on it does; struck : (n,) one.

    point : (3,) in the link's own frame; normal : (3,) in the world, a unit vector. Impulse, effective mass, energies
    before and after; the velocity of the point (3,), and by how much 1 N s along the normal changes it; by how much
    it changes the joint rates (nv,), and what it has every parent exert on its child (n, 6), "mixed". And what
    `margins` needs.
    """
    state = evaluate(chain, q, qd)
    R, p = state.poses
    mask = struck[:, None, None]
    R_b, p_b = (mask * R).sum(-3), (struck[:, None] * p).sum(-2)
    place = p_b + (R_b @ point[:, None])[:, 0]
    at_point = unit_impulses(R_b, p_b, place, "body")
    unit_blow = at_point[:, 3:] @ normal[:, None]
    blows = concatenate([unit_blow, at_point], axis=-1)
    factors = factorise_state(state)
    twists, rates, known = impulse_response(factors, mask * blows)
    turning, trace = traces(at_point, (mask * twists).sum(-3)[:, 1:])
    twists, rates, known = twists[..., :1], rates[:, :1], known[..., :1]
    V = state.twists
    moving, given = [at_point[:, 3:].mT @ (mask * x).sum(-3) for x in (V, twists)]
    speed, yielding = [normal[None, :] @ x for x in (moving, given)]
    reach = (p * p).sum((-2, -1), keepdims=True) + (place * place).sum(-1, keepdims=True)[:, None]
    noise = turning * reach / 2.0**98
    impulse, mass = contact_impulse(speed, yielding, trace, noise, restitution[None, None])
    dV, jump = twists * impulse, (rates * impulse)[:, 0]
    energies = kinetic_energy_of(state, V, qd), kinetic_energy_of(state, V + dV, qd + jump)
    reactions = wrenches_in(state, factors.inertias @ twists + known, "mixed")
    numbers = [scalar(x) for x in (impulse, mass, *energies)]
    return *numbers, moving[:, 0], given[:, 0], rates[:, 0], reactions, kept_of(factors)


def touched(
    chain: Chain, q: Array, qd: Array, tau: Array, side: Array, point: Array, axes: Array
) -> tuple[Array, ...]:
    """Return what `aba` does, and rows (nv,) of a contact of two links along each of two axes: K twice, L twice.

    side : (n,) one for the first body of the contact, minus one for the second; point : (3,) and axes : (2, 3) in the
    world, its normal and its tangent. K qd is the velocity of the first body there, seen from the second; L is K in
    units in which M is one: products of such rows are those of K M^-1 K^T.
    """
    state = evaluate(chain, q, qd, tau)
    impulses = unit_impulses(*state.poses, point, "body")[..., 3:]
    blows = side[:, None, None] * (impulses @ axes.mT)
    K = [generalised_force(state, blows[..., k : k + 1]) for k in (0, 1)]
    factors = factorise_state(state)
    loads = net_bias(state, None, "body") + factors.inertias @ state.eta
    left, _ = factors.inward_forces(tau[..., None], loads)
    _, qdd = factors.outward_motions(left, state.eta, ground_acceleration(chain))
    felt, _ = factors.inward_forces(zeros((chain.nv, 2)), -blows)
    parts = [y / sqrt(own.D) for y, own in zip(felt, factors.links, strict=True)]
    L = concatenate(parts, axis=-2)
    return qdd[..., 0], *K, L[..., 0], L[..., 1]


def moreau_jean(driven: Any, t: Array, q: Array, qd: Array, h: Array) -> tuple[Array, Array]:
    """Return what `moreau_jean_step` does, of whoever says to which rates the contacts on the way push."""
    middle = integrate(driven.chain, q, h / 2 * qd)
    before, moved = free_rates(driven, t + h / 2, middle, qd, h)
    there = integrate(driven.chain, middle, h / 2 * moved)
    after = driven.pushed(there, before, moved)
    return integrate(driven.chain, middle, h / 2 * after), after


def variational_start(driven: Any, t: Array, q: Array, qd: Array, h: Array) -> tuple[Array, Array]:
    """Return the joint momenta (nv,) with which a variational step sets out, and a first guess how far it goes (nv,).

    driven : who is asked for the `force` of `Driven`, for the momenta `carried` at some rates, M qd, for the rates that
    momenta are `moved` by, M^-1 pi, and for the `momenta` at both ends of a step.
    """
    pi = driven.carried(q, qd) + h / 2 * driven.force(t, q, qd)
    return pi, h * driven.moved(q, pi)


def variational_correction(
    driven: Any, t: Array, q: Array, qd: Array, h: Array, pi: Array, guess: Array
) -> Array:
    """Return how much further (nv,) a step goes than was guessed, by Newton's method as in `step_with_momentum`."""
    start, _ = driven.momenta(q, integrate(driven.chain, q, guess), h)
    return h * driven.moved(q, pi - start)


def variational_end(
    driven: Any, t: Array, q: Array, qd: Array, h: Array, guess: Array
) -> tuple[Array, Array]:
    """Return where a variational step leads to that goes so far (nv,), and the rates there."""
    there = integrate(driven.chain, q, guess)
    _, end = driven.momenta(q, there, h)
    foreseen = driven.moved(there, end + h / 2 * driven.force(t, q, qd))
    return there, driven.moved(there, end + h / 2 * driven.force(t + h, there, foreseen))


def brick_moments(mass: Array, sides: Array) -> Array:
    """Return the principal moments (3,) of a brick [kg m^2]; sides : (3,) [m]."""
    squares = mass * sides * sides / 12
    return squares.sum() - squares


def spin_rates(inverse: Array, moment: Array, spin: Array, attitude: Array) -> Array:
    """Return how the spin (3,) and the attitude (4,) of a free body change, in one row (7,).

    inverse : (3, 3), of what takes an angular acceleration to the moment that it needs; moment : (3,), which the spin
    needs; both about the centre of mass, in the axes of the body, as `newton_euler` says.
    """
    gained = -(inverse @ moment[:, None])[:, 0]
    return concatenate([gained, Spherical().rate(attitude, spin)], axis=-1)


def spinning(moments: Array, spin: Array, attitude: Array) -> tuple[Array, Array, Array]:
    """Return the angular momentum of a body in its principal axes (3,) and in space (3,), and the kinetic energy."""
    own = moments * spin
    return own, (rotation_from_quaternion(attitude) @ own[:, None])[:, 0], (own * spin).sum() / 2


def energy_given(p: Array, before: Array, moved: Array, after: Array, restitution: Array) -> Array:
    """Return the kinetic energy that an impulse gives a contact, less its share of what else happened in the step.

    p, before, moved, after : (2,), velocities at the start, with all but impulses, and at the end. An impulse p gives
    p.(moved + after) / 2, as chapter 20 says; a blow in a step also hands back its share of what other forces did.
    """
    own = p * ((moved + after) / 2 - divide(restitution, 1 + restitution) * (moved - before))
    return own.sum()


ALONG_AND_AGAINST = np.array([[1.0], [-1.0]])  # the directions of friction in a plane


class ChainFunction(NamedTuple):
    """A function to be emitted, the shapes of its arguments, and of each result what its rows are.

    rows : "links", "joints", "one" if there are none, or "kept" for what another function takes as it is; changes :
    whether not the results are asked for but how they change, along directions that follow the arguments.
    """

    function: Callable[..., Any]
    arrays: dict[str, tuple[Any, ...]]
    rows: str
    changes: bool = False

    @property
    def cores(self) -> list[tuple[Any, ...]]:
        """The shapes of all that the page gives."""
        own = list(self.arrays.values())
        return [*own, *map(tangent_core, own)] if self.changes else own


Q, V, WRENCHES = ("nq",), ("nv",), ("n", 6)
STATE = {"q": Q, "qd": V}
PINNED = {"pinned": ("n",), "offset": (3,), "foot": (3,)}
FUNCTIONS = {
    "forward_kinematics": ChainFunction(chaindyn.forward_kinematics, {"q": Q}, "links links"),
    "screws": ChainFunction(screws, {"q": Q, "R": (3, 3), "p": (3,)}, "joints"),
    "centre_accelerations": ChainFunction(centre_accelerations, {**STATE, "qdd": V}, "links"),
    "rnea": ChainFunction(chaindyn.rnea, {**STATE, "qdd": V}, "joints"),
    "loads": ChainFunction(loads, {**STATE, "qdd": V, "external": WRENCHES}, "joints links"),
    "aba": ChainFunction(forward_dynamics, {**STATE, "tau": V}, "joints kept"),
    "hybrid": ChainFunction(hybrid, {**STATE, "free": V, "qdd": V, "tau": V}, "joints joints kept"),
    "margins": ChainFunction(margins, {"q": Q, "kept": ("n", 1, 13)}, "joints"),
    "masses_felt": ChainFunction(masses_felt, {"q": Q}, "links kept"),
    "energies": ChainFunction(energies, STATE, "one one"),
    "step_momenta": ChainFunction(step_momenta, {"q0": Q, "q1": Q, "h": ()}, "joints joints"),
    "blow": ChainFunction(
        blow,
        {**STATE, "struck": ("n",), "point": (3,), "normal": (3,), "restitution": ()},
        "one one one one one one joints links kept",
    ),
    "pin": ChainFunction(pin, {"q": Q, **PINNED}, "joints one"),
    "held": ChainFunction(held, {**STATE, **PINNED, "weights": (3,)}, "joints"),
    "crba": ChainFunction(crba, {"q": Q}, "joints joints"),
    "touched": ChainFunction(
        touched,
        {**STATE, "tau": V, "side": ("n",), "point": (3,), "axes": (2, 3)},
        "joints joints joints joints joints",
    ),
    "weight_change": ChainFunction(weight, {"q": Q}, "joints", changes=True),
}

# Recording ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OneDegree(Joint):
    """A joint that turns about its axis (..., 3), slides along it, or neither: `turn`, `slide` (...) are 1 or 0."""

    axis: Array = (0, 0, 1)
    turn: Array = 1
    slide: Array = 0

    def __post_init__(self) -> None:
        for own in parameters(type(self)):
            object.__setattr__(self, own, np.asarray(getattr(self, own)))

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Return R (..., 3, 3), p (..., 3) of the child in the joint frame; q : (..., 1)."""
        turned = rotation_about(self.axis, self.turn[..., None] * q)
        return turned, self.slide[..., None] * self.axis * q

    def motion_subspace(self, q: Array) -> Array:
        """Return S (..., 6, 1), in child coordinates."""
        parts = [x[..., None] * self.axis for x in (self.turn, self.slide)]
        return concatenate(parts, axis=-1)[..., None]


LINKS = 17  # of the chain that is recorded: a number that is no other size


def template() -> Chain:
    """Return a chain of such joints, with rotors: where a joint is fixed, the page gives it one, and no motion."""
    drive = Drive(rotor_inertia=1)
    return Chain([Link(OneDegree(), 1, (0, 0, 0), np.eye(3), drive=drive) for _ in range(LINKS)])


def on_page(entry: ChainFunction) -> Callable[..., Any]:
    """Return the function, of a chain whose spatial inertias are made of mass, centre and moments."""

    def called(chain: Chain, *args: Any, **options: Any) -> Any:
        own = spatial_inertia(chain.mass, chain.com, chain.inertia)
        chain.__dict__["spatial_inertia"] = own
        return entry.function(chain, *args, **options)

    return called


def recorded(entry: ChainFunction) -> Recorded:
    """Return the function recorded for every chain of such joints. CannotRecord where it cannot be."""
    if entry.changes:
        return tangent_record(
            on_page(entry), template(), entry.arrays, {}, 0, True, open_model=True
        )
    return record(on_page(entry), template(), entry.arrays, {}, open_model=True)


# Functions without a chain ------------------------------------------------------------------------


class Alone(NamedTuple):
    """A function without a chain, to be emitted, and the shapes of its arguments; the page has rows of rows."""

    function: Callable[..., Any]
    arrays: dict[str, tuple[int, ...]]


FRICTION: dict[str, tuple[int, ...]] = {"mu": (), "known": ()}
IN_MODE: dict[str, tuple[int, ...]] = {"p": (2,), "v": (2,), **FRICTION, "mode": (3,)}
ALONE = {
    "exp_so3": Alone(chaindyn.exp_so3, {"w": (3,)}),
    "log_so3": Alone(chaindyn.log_so3, {"R": (3, 3)}),
    "rotation_from_quaternion": Alone(rotation_from_quaternion, {"quaternion": (4,)}),
    "brick_moments": Alone(brick_moments, {"mass": (), "sides": (3,)}),
    "spin_rates": Alone(
        spin_rates, {"inverse": (3, 3), "moment": (3,), "spin": (3,), "attitude": (4,)}
    ),
    "spinning": Alone(spinning, {"moments": (3,), "spin": (3,), "attitude": (4,)}),
    "pyramid_impulse": Alone(partial(pyramid_impulse, directions=ALONG_AND_AGAINST), {"z": (4,)}),
    "coulomb_conditions": Alone(
        partial(coulomb_conditions, directions=ALONG_AND_AGAINST),
        {"z": (4,), "v": (2,), **FRICTION},
    ),
    "contact_turn": Alone(contact_turn, {"p": (2,), "v": (2,), "W": (2, 2), **FRICTION}),
    "contact_modes": Alone(contact_modes, {}),
    "mode_equations": Alone(mode_equations, {**IN_MODE}),
    "mode_margins": Alone(mode_margins, {**IN_MODE}),
    "gap_half_way": Alone(gap_half_way, {"gap": (), "speed": (), "h": ()}),
    "energy_given": Alone(
        energy_given, {"p": (2,), "before": (2,), "moved": (2,), "after": (2,), "restitution": ()}
    ),
}


@dataclass(frozen=True, eq=False)
class InRows(Writer):
    """Writes numbers of a function without a chain: entries of arguments, of these shapes, as of rows of rows."""

    shapes: Sequence[tuple[int, ...]] = ()

    def name(self, x: Number) -> str:
        """Return how a number is written where it is used."""
        if x.op != "input":
            return super().name(x)
        argument, *_, at, _ = x.args
        place = np.unravel_index(at, self.shapes[argument])
        return f"in{argument}" + "".join(f"[{k}]" for k in place)


def emitted_alone(name: str, entry: Alone) -> str:
    """Return a function without a chain as JavaScript. CannotRecord if it is right for some arguments only."""
    result = recorded_link_by_link(
        lambda _, **given: entry.function(**given), template(), entry.arrays, {}
    )
    *shapes, expected = result.outputs
    if expected != (0,):
        raise CannotRecord(f"{name} is not right for all arguments, and nobody would know")
    write = InRows(result.plan, "javascript", None, shapes=list(entry.arrays.values()))
    given = ",".join(f"in{k}" for k in range(len(entry.arrays)))
    made = [x for x in result.plan.live if x.op not in ("input", "constant")]
    parts = [np.empty(shape, object) for shape in shapes]
    for o in result.plan.outputs:
        parts[o.result].flat[o.plus] = write.name(o.number)
    answer = in_rows(parts[0]) if len(parts) == 1 else f"[{','.join(map(in_rows, parts))}]"
    lines = [f"const x{x.index}={write.expression(x)};" for x in made]
    text = [f"export function {name}({given}){{", *lines, f"return {answer};", "}"]
    return "\n".join([*compact(text), ""])


def in_rows(x: Array) -> str:
    """Return an array of texts as rows of rows."""
    return f"[{','.join(map(in_rows, x))}]" if np.ndim(x) else str(x)


# Steps in time ------------------------------------------------------------------------------------


class Step(NamedTuple):
    """A step in time, to be emitted: a function of whom it asks and of arrays.

    asks : what it asks, functions by their names, with how many rows (nv,) each answer has. A step does the same to
    every joint where coordinates add, so that one text serves all chains, and whoever answers.
    """

    function: Callable[..., Any]
    asks: dict[str, int]
    arrays: dict[str, tuple[Any, ...]]


MOVING = {"t": (), **STATE, "h": ()}
VARIATIONAL = {"force": 1, "carried": 1, "moved": 1, "momenta": 2}
STRUCK = {"impulses": 1, "response": 1, "affordable": 1}
RETURNED = {"restitution": V, "normal": V}
STEPS = {
    "rk4_step": Step(rk4_step, {"acceleration": 1}, MOVING),
    "moreau_jean_step": Step(moreau_jean, {"acceleration": 1, "pushed": 1}, MOVING),
    "variational_start": Step(variational_start, VARIATIONAL, MOVING),
    "variational_correction": Step(
        variational_correction, VARIATIONAL, {**MOVING, "pi": V, "guess": V}
    ),
    "variational_end": Step(variational_end, VARIATIONAL, {**MOVING, "guess": V}),
    "newton_push": Step(newton_push, STRUCK, {"moved": V, "before": V, **RETURNED}),
    "moreau_push": Step(moreau_push, STRUCK, {"moved": V, "before": V, "restitution": V}),
    "newton_blow": Step(newton_blow, STRUCK, {"v": V, **RETURNED, "mu": V}),
    "poisson_blow": Step(poisson_blow, STRUCK, {"v": V, **RETURNED, "mu": V}),
    "moreau_blow": Step(moreau_blow, STRUCK, {"v": V, **RETURNED, "mu": V}),
    "semi_implicit_euler_step": Step(semi_implicit_euler_step, {"acceleration": 1}, MOVING),
}


@dataclass(frozen=True, eq=False)
class StepWriter(Writer):
    """Writes what a step does to a joint: rows (nv,) with a name stand as such, numbers of no joint as constants.

    rows : of each entry of such a row the name and the place, by its number's index; constants : numbers of no joint
    that were used; entry : the joint that is written for.
    """

    rows: dict[int, tuple[str, int]] = field(default_factory=dict)
    constants: dict[int, Number] = field(default_factory=dict)
    entry: int = 0

    def name(self, x: Number) -> str:
        """Return how a number is written where it is used."""
        if (known := self.rows.get(x.index)) is not None:
            if known[1] != self.entry:
                raise CannotRecord("a step in which joints differ")
            return f"{known[0]}[i]"
        if x.op == "input":
            return str(x.args[0])
        if x.op == "constant":
            return literal(x.args[0], "Infinity")
        if not any(y.index in self.rows for y in reached_from([x])):
            self.constants[x.index] = x
        return f"x{x.index}"

    def whole(self, x: Number) -> str:
        """Return an entry of a row with all operations that make it."""
        text = self.name(x)
        if text != f"x{x.index}" or x.index in self.constants:
            return text
        text = self.expression(x)
        for y in x.args:
            if self.name(y) == f"x{y.index}" and y.index not in self.constants:
                text = with_operand(text, f"x{y.index}", self.whole(y))
        return text


@dataclass(frozen=True, eq=False)
class Asked:
    """A step that is being recorded, and its text so far."""

    recording: Recording = field(default_factory=lambda: Recording(Tape(), (), np.zeros(0, int)))
    rows: dict[int, tuple[str, int]] = field(default_factory=dict)
    constants: dict[int, Number] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def given(self, name: str, core: tuple[Any, ...]) -> Any:
        """Return a number or a row (nv,) that comes later."""
        if not core:
            return self.recording.tape.unknown("input", name)
        entries = np.empty(LINKS, object)
        entries[:] = [self.recording.tape.unknown("input", name, k) for k in range(LINKS)]
        self.rows.update({x.index: (name, k) for k, x in enumerate(entries)})
        return entries

    def ask(self, what: str, count: int, *given: Any) -> Any:
        """Return what is answered later to what is known then: rows (nv,)."""
        asked = ",".join([self.named(x) for x in given])
        names = [f"y{len(self.lines)}{k * '_'}" for k in range(count)]
        answered = names[0] if count == 1 else f"[{','.join(names)}]"
        self.lines.append(f"const {answered}=in0.{what}({asked});")
        answers = [self.given(name, V) for name in names]
        return answers[0] if count == 1 else tuple(answers)

    def named(self, x: Any) -> str:
        """Return how a number or a row (nv,) is written, which has a line now if it has no name."""
        write = StepWriter(None, "javascript", None, None, self.rows, self.constants)  # type: ignore[arg-type]
        if not np.ndim(x):
            return write.name(x)
        first, *others = [replace(write, entry=k).whole(entry) for k, entry in enumerate(x)]
        if {*others} != {first}:
            raise CannotRecord("a step in which joints differ")
        if x[0].index in self.rows:
            return self.rows[x[0].index][0]
        name = f"y{len(self.lines)}"
        self.lines.append(f"const {name}=in2.map((_,i)=>{first});")
        self.rows.update({entry.index: (name, k) for k, entry in enumerate(x)})
        return name


class Answering(SimpleNamespace):
    """Whom a step asks, in place of a `Driven`."""

    def over(self, h: Any, qd: Any) -> Answering:
        """Return whom a step of h asks: the same, since joints on a page have no viscous friction."""
        return self


def emitted_step(name: str, entry: Step) -> str:
    """Return a step in time as JavaScript, a function of whom it asks and of its arguments."""
    asked = Asked()
    given = {
        key: asked.given(f"in{k}", core) for k, (key, core) in enumerate(entry.arrays.items(), 1)
    }
    asks = {what: partial(asked.ask, what, count) for what, count in entry.asks.items()}

    def step(chain: Chain, **given: Any) -> Any:
        driven = Answering(chain=chain, torque=print, **asks)  # some function: each rate asks
        return entry.function(driven, **given)

    result = called(step, template(), asked.recording, {}, given, {}, None)
    answer = ",".join([asked.named(x) for x in leaves_of(result)])
    scalars = [
        x for x in reached_from(asked.constants.values()) if x.op not in ("input", "constant")
    ]
    write = StepWriter(None, "javascript", None)  # type: ignore[arg-type]
    text = [
        f"export function {name}({','.join(f'in{k}' for k in range(len(given) + 1))}){{",
        *[f"const x{x.index}={write.expression(x)};" for x in scalars],
        *[short_constants(line) for line in asked.lines],
        f"return [{answer}];",
        "}",
    ]
    return "\n".join([*compact(text), ""])


# Text ---------------------------------------------------------------------------------------------


def emitted(name: str, entry: ChainFunction, model: Model) -> str:
    """Return a recorded function as JavaScript: a constant of its name in capitals, which `compute` takes.

    model : of which it reads, and to which it adds what it needs of a chain's numbers.
    """
    result = recorded(entry)
    plan = result.plan
    parts = {
        "keep": plan.widths[0],
        "carried": plan.carried,
        "kept": max(plan.kept, 1),
        "inputs": json.dumps([None if core in (Q, V) else symbolic(core) for core in entry.cores]),
        "rows": json.dumps(entry.rows.split()),
        "outputs": json.dumps([symbolic(x) for x in result.outputs]),
        "run": f"{name}_run",
    }
    kernel = js_kernel(plan, f"{name}_run", len(result.inputs), len(result.outputs))
    kernel = model.placed(kernel, plan)
    whole = ",".join(f"{key}:{value}" for key, value in parts.items())
    return "\n".join(
        [*compact(kernel.split("\n")), f"export const {name.upper()}={{{whole}}};", ""]
    )


def symbolic(shape: tuple[Any, ...]) -> list[Any]:
    """Return a shape for any number of links."""
    return ["n" if k in (LINKS, "n", "nq", "nv") else k for k in shape]


@dataclass(frozen=True, eq=False)
class Model:
    """The numbers that functions read of a chain: what each is made of, of a tree t on the page and its link i.

    links, common : for each the place among those of a link, and among those of nobody.
    """

    links: dict[str, int] = field(default_factory=dict)
    common: dict[str, int] = field(default_factory=dict)

    def place(self, x: Number) -> int:
        """Return the place of a number that hangs on the model alone, a new one if need be."""
        own = self.common if x.owner is None else self.links
        return own.setdefault(made_of(x), len(own))

    def placed(self, text: str, plan: Plan) -> str:
        """Return a program that reads its numbers where all functions do."""
        known = {x.index: x for x in plan.live}
        data, common = (
            {str(at): self.place(known[index]) for index, at in places.items()}
            for places in (plan.data.get(0, {}), plan.common)
        )
        text = re.sub(r"\bD\[d\+(\d+)\]", lambda m: f"D[d+{data[m[1]]}]", text)
        return re.sub(r"\bG\[(\d+)\]", lambda m: f"G[{common[m[1]]}]", text)

    def text(self) -> str:
        """Return the constant MODEL, which fills in the numbers of a tree."""
        links = "".join(f"D[d+{at}]={made};" for made, at in self.links.items())
        common = "".join(f"G[{at}]={made};" for made, at in self.common.items())
        sizes = f"links:{len(self.links)},shared:{len(self.common)}"
        return f"export const MODEL={{{sizes},fill(t,i,D,d){{{links}}},common(t,G){{{common}}}}};\n"


def made_of(x: Number) -> str:
    """Return what a number is made of, as an expression of a tree's parameters."""
    if x.op in ("data", "shared"):
        places: tuple[Any, ...] = x.args[0][1:]
        parameter: str = x.args[0][0]
        own = parameter.removeprefix("joint.") + ("[i]" if x.op == "data" else "")
        return "t." + own + "".join(f"[{k}]" for k in places)
    text: str = Named().expression(x)
    for y in x.args:
        if isinstance(y, Number) and y.op != "constant":
            text = with_operand(text, f"x{y.index}", made_of(y))
    return short_constants(text)


class Named(Writer):
    """Writes an operation with names for what it is made of."""

    def __init__(self) -> None:
        super().__init__(None, "javascript", None)  # type: ignore[arg-type]

    def name(self, x: Number) -> str:
        """Return a constant, or the name of any other number."""
        return (
            short_constants(literal(x.args[0], "Infinity")) if x.op == "constant" else f"x{x.index}"
        )


# What is used once is written where it is used, and names are short: a third of the text is left, and
# the same arithmetic.

NAME = re.compile(r"\bx\d+\b")
MADE = re.compile(r"const (x\d+)=(.*);$")
SHORT = [
    a + b
    for a in "abefhjklmrsuyzABEFHJLMPQRSTUVWXYZ_$"
    for b in ["", *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"]
]
SHORT = [x for x in SHORT if x not in ("as", "if", "in", "do", "of", "nq", "nv")]


def compact(lines: list[str]) -> Iterator[str]:
    """Yield a program's lines, each function's body made short."""
    lines = with_constants([line for line in lines if line])
    starts = [i for i, line in enumerate(lines) if line.startswith(("function ", "export "))]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[start].removeprefix("export ")
        body = [short_constants(line) for line in lines[start + 1 : end - 1]]
        yield from in_runs(shortened(inlined(body)))
        yield lines[end - 1]


def short_constants(line: str) -> str:
    """Return a line with whole numbers written as such."""
    return re.sub(r"(?<![\w.])(\d+)\.0(?!\d)", r"\1", line)


KEPT = re.compile(r"\bg\[(\d+)\]")


def with_constants(lines: list[str]) -> list[str]:
    """Return a program's lines with constants for the numbers of nobody's that no link reads."""
    last = max(i for i, line in enumerate(lines) if line.startswith("export function "))
    by_links = {k for line in lines[:last] for k in KEPT.findall(line)}

    def named(line: str) -> str:
        line = KEPT.sub(lambda m: m[0] if m[1] in by_links else f"x{m[1]}", line)
        return re.sub(r"^(x\d+=)", r"const \1", line)

    return [*lines[:last], *map(named, lines[last:])]


def in_runs(lines: list[str]) -> Iterator[str]:
    """Yield lines with neighbouring constants declared together."""
    run: list[str] = []
    for line in [*lines, ""]:
        if line.startswith("const ") and line.count(";") == 1 and line[6] != "[":
            run.append(line[len("const ") : -1])
            continue
        if run:
            yield "const " + ",".join(run) + ";"
            run = []
        if line:
            yield line


def inlined(lines: list[str]) -> list[str]:
    """Return lines in which what is used once stands where it is used, and what is not used is left out."""
    uses: dict[str, int] = {}
    for line in lines:
        for name in NAME.findall(line.split("=", 1)[1] if MADE.match(line) else line):
            uses[name] = uses.get(name, 0) + 1
    waiting: dict[str, str] = {}
    result = []
    for line in lines:
        made = MADE.match(line)
        text = made[2] if made else line
        for name in NAME.findall(text):
            if name in waiting:
                text = with_operand(text, name, waiting.pop(name))
        if made and uses.get(made[1], 0) <= 1:
            if made[1] in uses:
                waiting[made[1]] = text
        else:
            result.append(f"const {made[1]}={text};" if made else text)
    return result


SIGN, PRODUCT, SUM, CHOICE = 1, 2, 3, 4


def binding(text: str) -> int:
    """Return how loosely an expression is bound: 0 is a name or a call."""
    depth, found = 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and letter in "+-*/?":
            if letter == "?":
                return CHOICE
            operand = i > 0 and text[i - 1] not in "e+-*/"
            level = PRODUCT if letter in "*/" else SUM if operand else SIGN
            found = max(found, level)
    return found


def with_operand(text: str, name: str, operand: str) -> str:
    """Return text with an expression in place of the one occurrence of a name, in brackets where it needs them."""
    place = re.search(rf"\b{name}\b", text)
    assert place
    before, after = text[: place.start()], text[place.end() :]
    left, right, level = before[-1:], after[:1], binding(operand)
    loose = (
        level == CHOICE
        or (left in ("*", "/") and level >= SIGN)
        or (left in ("+", "-") and level in (SIGN, SUM))
        or (right in ("*", "/") and level == SUM)
        or (right in ("?", "!", ">") and level > 0)
    )
    return before + (f"({operand})" if loose else operand) + after


def shortened(lines: list[str]) -> list[str]:
    """Return lines with short names."""
    names: dict[str, str] = {}
    return [NAME.sub(lambda m: names.setdefault(m[0], SHORT[len(names)]), line) for line in lines]


def emitted_other(name: str) -> str:
    """Return a function without a chain, or a step in time, as JavaScript."""
    return emitted_alone(name, ALONE[name]) if name in ALONE else emitted_step(name, STEPS[name])


def replaceable(name: str) -> str:
    """Return such a function for a view, where what the reader makes of it on the page takes its place."""
    own = emitted_other(name).replace(f"function {name}(", f"function {name}_own(", 1)
    own = f'import {{ inForce }} from "../in_force.js";\n{own}'
    return f'{own}export const {name}=(...x)=>inForce("{name}",{name}_own)(...x);\n'


HEAD = (
    "// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.\n"
    "// @ts-nocheck: operations are written as they were recorded, choices that are settled too\n"
)


def written() -> dict[str, str]:
    """Return all emitted files by name."""
    model = Model()
    texts = {f"{name}.js": HEAD + emitted(name, entry, model) for name, entry in FUNCTIONS.items()}
    texts |= {f"{name}.js": HEAD + replaceable(name) for name in [*ALONE, *STEPS]}
    return texts | {"model.js": HEAD + model.text()}


def write(check: bool = False) -> list[str]:
    """Write what is emitted, or only look; return the names of the files that were not current."""
    texts, stale = written(), []
    for path in [EMITTED / name for name in texts] + sorted(EMITTED.glob("*.js")):
        wanted = texts.get(path.name)
        if (path.read_text(encoding="utf-8") if path.exists() else None) == wanted:
            continue
        stale.append(path.name)
        if not check and wanted is None:
            path.unlink()
        elif not check and wanted is not None:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted, encoding="utf-8")
    return stale
