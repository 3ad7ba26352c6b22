# Generated from chapters/14_impulse_response_of_a_chain.md by `python -m book export`; edit it there.
# sha256 of the text below: 29b3fd9e5c445910103b6ee48024f3dd4c1f353636895de7abe0e730a19f8937
"""Blows on a chain: the response of every link, and the jump of every joint's rate.

Derived in chapter 14, "The impulse response of a chain".
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import (
    Array,
    concatenate,
    divide,
    expect,
    eye,
    holds_objects,
    positive,
    solve,
    solve_pivoted,
    stack,
    unstack,
    where,
    zeros,
)
from chaindyn.articulated import Articulated, FactorisedChain, factorise_state, rotor_blocks
from chaindyn.chain import Chain, forward_kinematics, outward
from chaindyn.constraints import held_response
from chaindyn.guards.arguments import FRAMES, RECURSIONS, require_between, unit
from chaindyn.guards.bodies import pose_of_body
from chaindyn.guards.constraint_parts import as_constraints, forces_in, parts_in
from chaindyn.guards.door import checked
from chaindyn.guards.loops import are_floats, gap_share, warn_if_inconsistent
from chaindyn.guards.numbers import at_least_rounding, known_values, require_no_overflow
from chaindyn.guards.pivots import feels_nothing
from chaindyn.inverse_dynamics import wrenches_in
from chaindyn.kinematics import body_jacobian
from chaindyn.spatial import X_force, X_motion
from chaindyn.state import State, evaluate

__all__ = [
    "Impact",
    "dynamically_consistent_inverse",
    "impact",
    "inverse_operational_space_inertia",
    "inverse_operational_space_inertia_serial",
    "operational_space_inertia",
]


# Chapter 14, "The impulse response of a chain": When there is no blow
def contact_impulse(
    speed: Array, yielding: Array, trace: Array, noise: Array, restitution: Array
) -> tuple[Array, Array]:
    """Return the impulse and the effective mass at a contact, from normal speed and
    inverse mass there.

    All (..., 1, 1), since NumPy makes objects without axes scalars. speed : along the
    normal; trace : that of the contact point's 3x3 inverse mass; noise : the trace that
    rounding alone can make. A direction with less than 1e-12 of the trace, or a trace
    no larger than noise, counts as one in which the chain cannot move; RuntimeWarning
    then, unless the inverse mass there is exactly zero.
    """
    movable = positive(yielding) & positive(10**12 * yielding - trace) & positive(trace - noise)
    expect(movable)
    if known_values(yielding) is not None and (~movable & (yielding != 0)).any():
        warnings.warn(
            "the chain yields in the direction of the normal by less than 1e-12 of what it does in others, or "
            "by no more than rounding: taken as a direction in which it cannot move, with no impulse and "
            "infinite effective mass",
            RuntimeWarning,
            stacklevel=4,
        )
    inverse_mass = where(movable, yielding, 1)
    stopping = divide(-speed, inverse_mass)
    impulse = where(movable & positive(-speed), (1 + restitution) * stopping, 0)
    return impulse, where(movable, divide(1, inverse_mass), np.inf)


# Chapter 14, "The impulse response of a chain": What it gains
def mobilities_in(state: State, mobilities: Array, frame: str) -> Array:
    """Return each link's map from impulses to twists (..., n, 6, 6), from the
    recursion, in another frame.
    """
    if frame == state.recursion:
        return mobilities
    T = state.to_frame(frame)
    return T @ mobilities @ T.mT


# Chapter 14, "The impulse response of a chain": What it gains
def mobility_step(parent: Array, X: Array, S: Array, own: Articulated) -> Array:
    """Link step: the link's inverse inertia, from its parent's."""
    PX = X - S @ own.G
    return PX @ parent @ PX.mT + S @ solve(own.D, S.mT)


@checked(q="nq", frame=FRAMES, recursion=RECURSIONS)
def inverse_operational_space_inertia(
    chain: Chain, q: Array, *, frame: str = "body", recursion: str = "body"
) -> Array:
    """Return the inverse inertia of every link (..., n, 6, 6): the jump of its twist by
    an impulse on it.

    q : (..., nq). The matrix is J M^-1 J^T, symmetric and positive semidefinite. frame
    : where twist and impulse [tau; f] are expressed, "body" (about the link origin,
    link axes), "world" (about the world origin, world axes) or "mixed" (about the link
    origin, world axes). recursion : the coordinates of the computation. Chains and
    trees, also with massless links; ValueError names the joint without inertia if M is
    singular. For the last link of a serial chain, Alexiou (2023), (16).
    """
    state = evaluate(chain, q, recursion=recursion)
    links = state.X, state.S, factorise_state(state).links
    inverses = outward(mobility_step, chain.parent, zeros((6, 6)), *links)
    return mobilities_in(state, stack(inverses, axis=-3), frame)


# Chapter 14, "The impulse response of a chain": The code of an impact
@dataclass(frozen=True, eq=False)
class Impact:
    """Response of a chain to a blow; spatial vectors about the world origin, in world
    axes.

    impulse : (...) along the normal [N s]; effective_mass : (...) of the chain at the
    contact, along the normal [kg], infinite if it cannot move along it; qd_jump : (...,
    nv) of the joint rates; twist_jumps : (..., n, 6) of the links; joint_impulses :
    (..., n, 6) of each parent on its link; energy_before,
    energy_after : (...) kinetic [J]; multipliers : (..., m), the impulses in the loop
    closures, if any, in the units of their multipliers times seconds.
    """

    impulse: Array
    effective_mass: Array
    qd_jump: Array
    twist_jumps: Array
    joint_impulses: Array
    energy_before: Array
    energy_after: Array
    multipliers: Array


# Chapter 14, "The impulse response of a chain": The code of an impact
def unit_impulses(R: Array, p: Array, point: Array, recursion: str) -> Array:
    """Return unit impulses at a point as wrenches (..., 6, 6) on the link at pose R, p
    [tau; f].

    The first three are 1 N m s about each world axis, the others 1 N s along each.
    """
    if recursion == "world":
        return X_force(eye(3), -point)
    return X_force(R.mT, p - point)


def on_link(chain: Chain, b: int, blows: Array) -> Array:
    """Return wrenches on every link (..., n, 6, m): these (..., 6, m) on link b, zero
    on the others.
    """
    return eye(chain.n)[b][:, None, None] * blows[..., None, :, :]


def impulse_response(
    factors: FactorisedChain, blows: Array, along: Array | None = None
) -> tuple[Array, Array, Array]:
    """Return the jumps of twists (..., n, 6, m) and of joint rates (..., nv, m), and p
    (..., n, 6, m), of m blows.

    blows : (..., n, 6, m) on the links, each column the only one, in the coordinates of
    the state; along : (..., nv, m) impulses along the joints, None for zero. Forward
    dynamics of a chain at rest without weight, with impulses for forces and jumps for
    accelerations.
    """
    along = zeros((factors.state.chain.nv, 1)) if along is None else along
    left, p = factors.inward_forces(along, -blows)
    jumps, rates = factors.outward_motions(left)
    return stack(jumps, axis=-3), rates, stack(p, axis=-3)


# Chapter 14, "The impulse response of a chain": The code of an impact
def held_impulse_response(
    factors: FactorisedChain, constraints: tuple[Any, ...], blows: Array, open_rates: Array
) -> tuple[Array, Array, Array, Array]:
    """Return the results of `impulse_response` with the loops kept closed, and the
    loops' impulses (..., m, c).

    blows : (..., n, 6, c) on the links; open_rates : (..., nv, c), the jumps of the
    joint rates with the loops open.
    """
    state = factors.state
    posture = State(state.chain, state.q, state.qd)  # rows are in link coordinates
    K, error = parts_in(posture, constraints, "jacobian", "error")
    if are_floats(K, error, state.qd):
        warn_if_inconsistent(K, state.qd)
    multipliers, _ = held_response(factors, K, -K @ open_rates, gap_share(K, error))
    on_links, along = forces_in(posture, constraints, multipliers)
    if state.recursion == "world":
        on_links = state.to_frame("body").mT @ on_links
    return *impulse_response(factors, blows + on_links, along), multipliers


# Chapter 14, "The impulse response of a chain": The code of an impact
def traces(impulses: Array, twists: Array) -> tuple[Array, Array]:
    """Return the traces (..., 1, 1) of the rotational and the linear 3x3 block of
    impulses^T twists.
    """
    diagonal = (impulses * twists).sum(-2, keepdims=True)
    return diagonal[..., :3].sum(-1, keepdims=True), diagonal[..., 3:].sum(-1, keepdims=True)


def scalar(x: Array) -> Array:
    """Drop the last two axes of (..., 1, 1); if there are no others, return a number,
    not an array.
    """
    return x.reshape(x.shape[:-2])[()]


def kinetic_energy_of(state: State, V: Array, qd: Array) -> Array:
    """Return half of the sum of V^T I V over the links, and the energy of rotors (...,
    1, 1) [J].

    V : (..., n, 6, 1) of the links, in the coordinates of the state; qd : (..., nv).
    """
    chain, twice = state.chain, (V.mT @ state.inertias @ V).sum(-3)
    if chain.has_rotors:
        twice = twice + (chain.reflected_inertia * qd * qd).sum(-1, keepdims=True)[..., None]
    return twice / 2


# Chapter 14, "The impulse response of a chain": The code of an impact
@checked(q="nq", qd="nv", point=3, normal=3, restitution=(), recursion=RECURSIONS)
def impact(
    chain: Chain,
    q: Array,
    qd: Array,
    *,
    point: Array | None = None,
    normal: Array,
    restitution: Array,
    body: int | str | None = None,
    recursion: str = "body",
    constraints: Any = (),
) -> Impact:
    """Return the response of a moving chain or tree when a link strikes a smooth
    immovable obstacle.

    q : (..., nq); qd : (..., nv) before; point : (..., 3) of contact, in the world [m],
    None is the body's origin;
    normal : (..., 3) from the obstacle into the body, in world axes, normalised here;
    restitution : (...) from 0 to 1, the ratio of the normal speeds after and before;
    body : index or name of the struck link, or the name of a frame on it, None is the
    only leaf. constraints : loop closures, one or several, as for
    `constraint_jacobian`; qd must keep them, and so does qd + qd_jump. There is no
    friction. A contact that is separating, or at rest, takes no impulse; symbols are
    taken to approach. Where the chain cannot move along the normal, the impulse is 0
    and the effective mass infinite; RuntimeWarning if it moves only by rounding, or if
    qd breaks the constraints. ValueError if there is no such body, the normal is zero,
    restitution is out of range, or M is singular (it names the joint). Alexiou (2023),
    (19)-(29), whose normal points the other way; here for any link of any tree, and
    with loops.
    """
    normal, constraints = unit(normal, "normal"), as_constraints(constraints)
    require_between(restitution, "restitution", 0, 1)
    b, _, _ = chain.place(body)
    if b < 0:
        raise ValueError(f"body is {body!r}, a frame on the ground, which no blow moves")
    state = evaluate(chain, q, qd, point, normal, restitution, recursion=recursion)
    R, p = state.poses
    point = pose_of_body(chain, R, p, body)[1] if point is None else point
    at_point = unit_impulses(R[..., b, :, :], p[..., b, :], point, recursion)
    unit_blow = at_point[..., 3:] @ normal[..., None]
    # the blow itself, and one about and along each axis, as a scale for small inverse
    # masses
    blows = concatenate([unit_blow, at_point], axis=-1)
    factors, struck = factorise_state(state), on_link(chain, b, blows)
    twists, rates, known = impulse_response(factors, struck)
    turning, trace = traces(at_point, twists[..., b, :, 1:])
    twists, rates, known = twists[..., :1], rates[..., :1], known[..., :1]
    held = zeros((*rates.shape[:-2], 0, 1))
    if constraints:
        response = held_impulse_response(factors, constraints, struck[..., :1], rates)
        twists, rates, known, held = response

    V = state.twists
    speed, yielding = (
        unit_blow.mT @ V[..., b, :, :],
        unit_blow.mT @ twists[..., b, :, :],
    )
    reach = (p * p).sum((-2, -1), keepdims=True) + (point * point).sum(-1, keepdims=True)[..., None]
    # the motion of a fixed point if positions are rounded to 8 eps
    noise = divide(turning * reach, 2**98 if holds_objects(turning) else 2.0**98)
    impulse, mass = contact_impulse(speed, yielding, trace, noise, restitution[..., None, None])

    dV, jump = twists * impulse[..., None, :, :], (rates * impulse)[..., 0]
    # the impulses of the parents, by chapter 8
    reactions = factors.inertias @ dV + known * impulse[..., None, :, :]
    same = 0 * impulse  # to give all the same batch axes
    return Impact(
        impulse=scalar(impulse),
        effective_mass=scalar(mass + same),
        qd_jump=jump,
        twist_jumps=state.in_frame(dV, "world"),
        joint_impulses=wrenches_in(state, reactions, "world"),
        energy_before=scalar(kinetic_energy_of(state, V, qd) + same),
        energy_after=scalar(kinetic_energy_of(state, V + dV, qd + jump)),
        multipliers=(held * impulse)[..., 0],
    )


# Chapter 14, "The impulse response of a chain": The code
def task_jacobian(chain: Chain, q: Array, body: Any, point: Array | None, frame: str) -> Array:
    """Return the Jacobian of a link's twist (..., 6, nv), or of the velocity of its
    particle at a point (..., 3, nv).

    point : (..., 3) in the world. frame : "body" is link axes; "world" and "mixed" are
    world axes at a point.
    """
    if point is None:
        return body_jacobian(chain, q, body, frame=frame)
    R, p = pose_of_body(chain, *forward_kinematics(chain, q), body)
    at_point = X_motion(eye(3), point - p)[..., 3:, :]
    J = at_point @ body_jacobian(chain, q, body, frame="mixed")
    return R.mT @ J if frame == "body" else J


def equal_units(W: Array) -> Array:
    """Return factors (..., m) that bring the angular and the linear 3x3 block of W to
    like size; 1 for a zero block.
    """
    size = np.diagonal(W, axis1=-2, axis2=-1)
    size = size.reshape(*size.shape[:-1], W.shape[-1] // 3, 3).mean(-1, keepdims=True)
    factors = 1 / np.sqrt(np.where(size > 0, size, 1))
    return np.broadcast_to(factors, (*factors.shape[:-1], 3)).reshape(W.shape[:-1])


def require_movable(W: Array, link: str) -> None:
    """Refuse J M^-1 J^T (..., m, m) of a link if its response to some force is below
    1e-12 of that to others.

    The message names the first state, the rank and the direction. Symbols and traced
    arrays pass.
    """
    known = known_values(W)
    if known is None:
        return
    require_no_overflow("J M^-1 J^T", known)
    scale = equal_units(known)
    values, vectors = np.linalg.eigh(scale[..., :, None] * known * scale[..., None, :])
    stuck = values <= at_least_rounding(1e-12, known) * values[..., -1:]
    if not stuck.any():
        return
    state = tuple(np.argwhere(stuck[..., 0])[0].tolist())
    force = scale[state] * vectors[state][:, 0]
    force = np.round(force / force[np.abs(force).argmax()], 3) + 0.0
    pushed = "a force on the point along" if len(force) == 3 else "a wrench [tau; f] along"
    raise ValueError(
        f"{pushed} {force.tolist()} does not move body {link!r}{f' in state {state}' if state else ''}: its "
        f"operational space inertia is infinite there, since J M^-1 J^T has rank {(~stuck[state]).sum()} of "
        f"{len(force)}. Leave such directions out: np.linalg.inv(factorise(chain, q).delassus(rows)) takes any "
        "rows of J that do not depend on each other"
    )


def operational_space(
    chain: Chain, q: Array, body: Any, point: Array | None, frame: str
) -> tuple[FactorisedChain, Array, Array]:
    """Return the factorised chain, J and Lambda, for `operational_space_inertia`."""
    factors = factorise_state(evaluate(chain, q, point))
    J = task_jacobian(chain, q, body, point, frame)
    W = factors.delassus(J)
    require_movable(W, body if isinstance(body, str) else chain.names[chain.index(body)])
    return factors, J, solve(W, eye(J.shape[-2]))


@checked(q="nq", point=3, frame=FRAMES)
def operational_space_inertia(
    chain: Chain,
    q: Array,
    *,
    body: int | str | None = None,
    point: Array | None = None,
    frame: str = "body",
) -> Array:
    """Return Lambda = (J M^-1 J^T)^-1, the inertia felt by a hand on a link: force for
    acceleration, at rest.

    q : (..., nq); body : index or name of the link, or a frame's name, None is the only
    leaf. Without a point, Lambda (..., 6, 6) takes accelerations of the body to
    wrenches [tau; f] on it, in `frame`: "body" (about its origin, in its axes), "world"
    (about the world origin, world axes) or "mixed" (about its origin, world axes). With
    a point (..., 3) of the body, given in the world [m], it is (..., 3, 3) [kg], for
    forces at the point, and the body is free to turn; its axes are the body's ("body")
    or the world's. ValueError if some force moves nothing, so that Lambda does not
    exist (it names the force), if there is no such body, or M is singular. Khatib
    (1987).
    """
    return operational_space(chain, q, body, point, frame)[2]


@checked(q="nq", point=3, frame=FRAMES)
def dynamically_consistent_inverse(
    chain: Chain,
    q: Array,
    *,
    body: int | str | None = None,
    point: Array | None = None,
    frame: str = "body",
) -> Array:
    """Return M^-1 J^T Lambda (..., nv, 6), or (..., nv, 3) with a point: the joint
    rates of least kinetic energy.

    Arguments and errors as for `operational_space_inertia`; J is that of the link's
    twist, or of the point's velocity. Its product with a velocity of the link has the
    least energy of all joint rates with that velocity. Its transpose takes joint forces
    to the force on the link that accelerates it as they do. Khatib (1987).
    """
    factors, J, inertia = operational_space(chain, q, body, point, frame)
    return factors.solve(J.mT) @ inertia


# Chapter 14, "The impulse response of a chain": The printed recursion as a function
def extension_step(parent: Array, X: Array, S: Array, inertia: Array, rotor: Array) -> Array:
    """Link step: inverse inertia at the end of a chain, one link further out (Alexiou
    2023, (15)-(16)).

    rotor : (k, k), the reflected inertia of the joint's rotor.
    """
    shorter = X @ parent @ X.mT
    G = S @ solve(S.mT @ inertia @ S + rotor, S.mT)
    Psi = (eye(6) - G @ inertia) @ shorter
    return solve_pivoted(eye(6) + Psi @ inertia, G + Psi)


def require_serial(chain: Chain) -> None:
    """Refuse a tree, naming the first link whose parent is not the link before it."""
    for i, parent in enumerate(chain.parent):
        if parent != i - 1:
            hangs = "the ground" if parent < 0 else repr(chain.names[parent])
            raise ValueError(
                f"link {i} ({chain.names[i]!r}) hangs on {hangs}: the serial recursion needs each link to "
                "hang on the one before; inverse_operational_space_inertia takes trees"
            )


def require_own_inertia(
    chain: Chain, S: list[Array], inertias: list[Array], rotors: list[Array]
) -> None:
    """Refuse a link without inertia of its own about its joint: the serial recursion
    divides by it.
    """
    for name, s, inertia, rotor in zip(chain.names, S, inertias, rotors, strict=True):
        size = s.mT @ (inertia * eye(6)) @ s  # the diagonal bounds all of I
        D = s.mT @ inertia @ s + rotor
        if feels_nothing(D, size):
            raise ValueError(
                f"link {name!r} alone has no inertia that its joint moves, and the serial recursion divides "
                "by it; inverse_operational_space_inertia does not"
            )


@checked(q="nq", frame=FRAMES, recursion=RECURSIONS)
def inverse_operational_space_inertia_serial(
    chain: Chain, q: Array, *, frame: str = "body", recursion: str = "body"
) -> Array:
    """Return, for every link of a serial chain, the inverse inertia of the chain cut
    off after it.

    q : (..., nq); frame, recursion : as for `inverse_operational_space_inertia`, whose
    last entry equals the last one here (..., n, 6, 6). Alexiou (2023), (15)-(18), as
    printed in the world recursion. ValueError for a tree, and for a link that alone has
    no inertia about its joint, such as a massless one.
    """
    require_serial(chain)
    state = evaluate(chain, q, recursion=recursion)
    inertias = unstack(state.inertias, -3)
    rotors = rotor_blocks(chain)
    require_own_inertia(chain, state.S, inertias, rotors)
    links = state.X, state.S, inertias, rotors
    inverses = outward(extension_step, chain.parent, zeros((6, 6)), *links)
    return mobilities_in(state, stack(inverses, axis=-3), frame)
