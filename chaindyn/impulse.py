# Generated from chapters/17_impulse_response_of_a_chain.md by `python -m book export`; edit it there.
# sha256 of the text below: 4a8c8fc84c0319e1d36fc77673283c676352fe423b188424bf3fc518a770d755
"""Blows on a chain: the response of every link, and the jump of every joint's rate.

Derived in chapter 17, "The impulse response of a chain".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import Array, divide, eye, positive, solve, stack, where, zeros
from chaindyn.array_types import (
    Array3,
    Array3x3,
    Array6x6,
    ArrayM,
    ArrayNq,
    ArrayNv,
    ArrayNvx3,
    ArrayNvx6,
    ArrayNx6,
    ArrayNx6x6,
    Scalar,
)
from chaindyn.articulated import Articulated, FactorisedChain, factorise_state
from chaindyn.chain import Chain, forward_kinematics, outward
from chaindyn.constraints import held_response
from chaindyn.guards.arguments import (
    FRAMES,
    RECURSIONS,
    FrameWord,
    RecursionWord,
    require_between,
    unit,
)
from chaindyn.guards.bodies import pose_of_body
from chaindyn.guards.constraint_parts import as_constraints, forces_in, parts_in
from chaindyn.guards.directions import movable_along, rounded_motion
from chaindyn.guards.door import checked
from chaindyn.guards.loops import gap_share, warn_if_inconsistent
from chaindyn.guards.mobility import require_movable, struck_link, struck_response
from chaindyn.inverse_dynamics import wrenches_in
from chaindyn.kinematics import body_jacobian
from chaindyn.models.arrays import scalar
from chaindyn.spatial import X_force, X_motion
from chaindyn.state import State, evaluate

__all__ = [
    "Impact",
    "dynamically_consistent_inverse",
    "impact",
    "inverse_operational_space_inertia",
    "operational_space_inertia",
]


# Chapter 17, "The impulse response of a chain": The code of the response
def mobility_step(parent: Array, X: Array, S: Array, own: Articulated) -> Array:
    """Link step: the link's inverse inertia, from its parent's."""
    PX = X - S @ own.G
    return PX @ parent @ PX.mT + S @ solve(own.D, S.mT)


# Chapter 17, "The impulse response of a chain": The code of the response
@checked(q="nq", frame=FRAMES, recursion=RECURSIONS)
def inverse_operational_space_inertia(
    chain: Chain,
    q: ArrayNq,
    body: int | str | None = None,
    *,
    frame: FrameWord = "body",
    recursion: RecursionWord = "body",
) -> ArrayNx6x6 | Array6x6:
    """Return the inverse inertia of every link (..., n, 6, 6), as blows on it feel.

    q : (..., nq). It takes an impulse on a link to the jump of its twist. The matrix is
    J M^-1 J^T, symmetric and positive semidefinite. body : index or name of a link, or
    a frame's name: its matrix alone (..., 6, 6); None is all links. frame : where twist
    and impulse [tau; f] are expressed, "body" (about the link origin, link axes),
    "world" (about the world origin, world axes) or "mixed" (about the link origin,
    world axes), where a frame has its own origin and axes. recursion : the coordinates
    of the computation. Chains and trees, also with massless links; ValueError names the
    joint without inertia if M is singular.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> inverse_operational_space_inertia(rod, np.zeros(1))[0].diagonal().round(3)
    array([0., 3., 0., 0., 0., 0.])
    """
    state = evaluate(chain, q, recursion=recursion)
    links = state.X, state.S, factorise_state(state).links
    inverses = outward(mobility_step, chain.parent, zeros((6, 6)), *links)
    return state.maps_in_frame(stack(inverses, axis=-3), frame, body)


# Chapter 17, "The impulse response of a chain": When there is no blow*
def contact_impulse(
    speed: Array, yielding: Array, trace: Array, noise: Array, restitution: Array
) -> tuple[Array, Array]:
    """Return the impulse and the effective mass at a contact.

    All (..., 1, 1), since NumPy makes objects without axes scalars. speed : along the
    normal; yielding : the inverse mass there; trace, noise : as for `movable_along`,
    which says where the chain cannot move.
    """
    movable = movable_along(yielding, trace, noise)
    inverse_mass = where(movable, yielding, 1)
    stopping = divide(-speed, inverse_mass)
    impulse = where(movable & positive(-speed), (1 + restitution) * stopping, 0)
    return impulse, where(movable, divide(1, inverse_mass), np.inf)


# Chapter 17, "The impulse response of a chain": The code of an impact
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

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> wall = {"point": np.array([1.0, 0, 0]), "normal": (0, 0, 1), "restitution": 0}
    >>> blow = impact(rod, np.zeros(1), np.ones(1), **wall)
    >>> round(float(blow.effective_mass), 4), round(float(blow.impulse), 4)
    (0.3333, 0.3333)
    >>> blow.joint_impulses[0].round(4) + 0.0
    array([0.    , 0.    , 0.    , 0.    , 0.    , 0.1667])
    """

    impulse: Scalar
    effective_mass: Scalar
    qd_jump: ArrayNv
    twist_jumps: ArrayNx6
    joint_impulses: ArrayNx6
    energy_before: Scalar
    energy_after: Scalar
    multipliers: ArrayM


# Chapter 17, "The impulse response of a chain": The code of an impact
def unit_impulses(R: Array, p: Array, point: Array, recursion: RecursionWord) -> Array:
    """Return unit impulses at a point as wrenches (..., 6, 6) on the link at R, p.

    The first three are 1 N m s about each world axis, the others 1 N s along each.
    """
    if recursion == "world":
        return X_force(eye(3), -point)
    return X_force(R.mT, p - point)


def on_link(chain: Chain, b: int, blows: Array) -> Array:
    """Return wrenches on all links (..., n, 6, m): these (..., 6, m) on b, else zero."""
    return eye(chain.n)[b][:, None, None] * blows[..., None, :, :]


def impulse_response(
    factors: FactorisedChain, blows: Array, along: Array | None = None
) -> tuple[Array, Array, Array]:
    """Return the jumps of m blows: of twists (..., n, 6, m) and rates (..., nv, m); and
    p.

    p : (..., n, 6, m), as in chapter 9. blows : (..., n, 6, m) on the links, each
    column the only one, in the coordinates of the state; along : (..., nv, m) impulses
    along the joints, None for zero. Forward dynamics of a chain at rest without weight,
    with impulses for forces and jumps for accelerations.
    """
    along = zeros((factors.state.chain.nv, 1)) if along is None else along
    left, p = factors.inward_forces(along, -blows)
    jumps, rates = factors.outward_motions(left)
    return stack(jumps, axis=-3), rates, stack(p, axis=-3)


# Chapter 17, "The impulse response of a chain": The code of an impact
def kinetic_energy_of(state: State, V: Array, qd: Array) -> Array:
    """Return the kinetic energy (..., 1, 1) of links and rotors [J].

    V : (..., n, 6, 1) of the links, in the coordinates of the state; qd : (..., nv).
    """
    chain, twice = state.chain, (V.mT @ state.inertias @ V).sum(-3)
    if chain.has_rotors:
        spin = (chain.reflected_inertia * qd * qd).sum(-1, keepdims=True)
        twice = twice + spin[..., None]
    return twice / 2


# Chapter 17, "The impulse response of a chain": The code of an impact
def scaled_response(
    factors: FactorisedChain, qd: Array, impulse: Array, mass: Array, response: Any
) -> Impact:
    """Return what an impulse (..., 1, 1) does, of the response to a unit blow."""
    state, (twists, rates, known, held) = factors.state, response
    V, dV, jump = state.twists, twists * impulse[..., None, :, :], rates * impulse
    # the impulses of the parents, by chapter 9
    reactions = factors.inertias @ dV + known * impulse[..., None, :, :]
    same = 0 * impulse  # to give all the same batch axes
    return Impact(
        impulse=scalar(impulse),
        effective_mass=scalar(mass + same),
        qd_jump=jump[..., 0],
        twist_jumps=state.in_frame(dV, "world"),
        joint_impulses=wrenches_in(state, reactions, "world"),
        energy_before=scalar(kinetic_energy_of(state, V, qd) + same),
        energy_after=scalar(kinetic_energy_of(state, V + dV, qd + jump[..., 0])),
        multipliers=(held * impulse)[..., 0],
    )


# Chapter 17, "The impulse response of a chain": What loops add*
def held_impulse_response(
    factors: FactorisedChain, constraints: Any, blows: Array, open_rates: Array
) -> tuple[Array, Array, Array, Array]:
    """Return what `impulse_response` does, loops kept closed, and their impulses.

    These are (..., m, c). blows : (..., n, 6, c) on the links; open_rates : (..., nv,
    c), the jumps of the joint rates with the loops open.
    """
    state = factors.state
    posture = State(state.chain, state.q, state.qd)  # rows are in link coordinates
    K, error = parts_in(posture, constraints, "jacobian", "error")
    warn_if_inconsistent(K, state.qd, error)
    multipliers, _ = held_response(factors, K, -K @ open_rates, gap_share(K, error))
    on_links, along = forces_in(posture, constraints, multipliers)
    if state.recursion == "world":
        on_links = state.to_frame("body").mT @ on_links
    return *impulse_response(factors, blows + on_links, along), multipliers


# Chapter 17, "The impulse response of a chain": The function `impact`
@checked(q="nq", qd="nv", point=3, normal=3, restitution=(), recursion=RECURSIONS)
def impact(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    *,
    point: Array3 | None = None,
    normal: Array3,
    restitution: Scalar,
    body: int | str | None = None,
    recursion: RecursionWord = "body",
    constraints: Any = (),
) -> Impact:
    """Return the response of a moving chain or tree when a link strikes an obstacle.

    The obstacle is smooth and immovable. q : (..., nq); qd : (..., nv) before; point :
    (..., 3) of contact, in the world [m], None is the body's origin; normal : (..., 3)
    from the obstacle into the body, in world axes, normalised here; restitution : (...)
    from 0 to 1, the ratio of the normal speeds after and before; body : index or name
    of the struck link, or the name of a frame on it, None is the only leaf. constraints
    : loop closures, one or several, as for `constraint_jacobian`; qd must keep them,
    and so does qd + qd_jump. There is no friction. A contact that is separating, or at
    rest, takes no impulse; symbols are taken to approach. Where the chain cannot move
    along the normal, the impulse is 0 and the effective mass infinite; RuntimeWarning
    if it moves only by rounding, or if qd breaks the constraints. ValueError if there
    is no such body, the normal is zero, restitution is out of range, or M is singular
    (it names the joint).

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> blow = impact(rod, np.zeros(1), np.ones(1), point=(1, 0, 0), normal=(0, 0, 1),
    ...               restitution=0)
    >>> float(blow.impulse.round(4)), float(blow.energy_after)
    (0.3333, 0.0)
    """
    normal, constraints = unit(normal, "normal"), as_constraints(constraints)
    require_between(restitution, "restitution", 0, 1)
    b = struck_link(chain, body)
    state = evaluate(chain, q, qd, point, normal, restitution, recursion=recursion)
    R, p = state.poses
    point = pose_of_body(chain, R, p, body)[1] if point is None else point
    at_point = unit_impulses(R[..., b, :, :], p[..., b, :], point, recursion)
    blow = at_point[..., 3:] @ normal[..., None]
    factors = factorise_state(state)
    response, sizes = struck_response(impulse_response, factors, b, blow, at_point)
    if constraints:
        given = factors, constraints, on_link(chain, b, blow), response[1]
        response = held_impulse_response(*given)
    speed = blow.mT @ state.twists[..., b, :, :]
    yielding = blow.mT @ response[0][..., b, :, :]
    noise = rounded_motion(sizes[0], p, point)
    epsilon = restitution[..., None, None]
    impulse, mass = contact_impulse(speed, yielding, sizes[1], noise, epsilon)
    return scaled_response(factors, qd, impulse, mass, response)


# Chapter 17, "The impulse response of a chain": The code
def task_jacobian(
    chain: Chain, q: Array, body: Any, point: Array | None, frame: FrameWord
) -> Array:
    """Return the Jacobian of a link's twist (..., 6, nv), or of a point's velocity.

    That is (..., 3, nv), of the particle there. point : (..., 3) in the world. frame :
    "body" is link axes; "world" and "mixed" are world axes at a point.
    """
    if point is None:
        return body_jacobian(chain, q, body, frame=frame)
    R, p = pose_of_body(chain, *forward_kinematics(chain, q), body)
    at_point = X_motion(eye(3), point - p)[..., 3:, :]
    J = at_point @ body_jacobian(chain, q, body, frame="mixed")
    return R.mT @ J if frame == "body" else J


# Chapter 17, "The impulse response of a chain": The code
def operational_space(
    chain: Chain, q: Array, body: Any, point: Array | None, frame: FrameWord
) -> tuple[FactorisedChain, Array, Array]:
    """Return the factorised chain, J and Lambda, for `operational_space_inertia`."""
    factors = factorise_state(evaluate(chain, q, point))
    J = task_jacobian(chain, q, body, point, frame)
    W = factors.delassus(J)
    require_movable(W, body, chain)
    return factors, J, solve(W, eye(J.shape[-2]))


@checked(q="nq", point=3, frame=FRAMES)
def operational_space_inertia(
    chain: Chain,
    q: ArrayNq,
    *,
    body: int | str | None = None,
    point: Array3 | None = None,
    frame: FrameWord = "body",
) -> Array6x6 | Array3x3:
    """Return Lambda = (J M^-1 J^T)^-1, the inertia felt by a hand on a link.

    It takes accelerations to forces, at rest. q : (..., nq); body : index or name of
    the link, or a frame's name, None is the only leaf. Without a point, Lambda (..., 6,
    6) takes accelerations of the body to wrenches [tau; f] on it, in `frame`: "body"
    (about its origin, in its axes), "world" (about the world origin, world axes) or
    "mixed" (about its origin, world axes). With a point (..., 3) of the body, given in
    the world [m], it is (..., 3, 3) [kg], for forces at the point, and the body is free
    to turn; its axes are the body's ("body") or the world's. ValueError if some force
    moves nothing, so that Lambda does not exist (it names the force), if there is no
    such body, or M is singular. Khatib (1987).

    >>> brick = Chain([Link(Free(), 2, (0, 0, 0), 2 * np.eye(3))])
    >>> q, corner = np.array([0, 0, 0, 1, 0, 0, 0]), np.array([1, 0, 0])
    >>> operational_space_inertia(brick, q, point=corner).round(9) + 0.0
    array([[2., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    return operational_space(chain, q, body, point, frame)[2]


@checked(q="nq", point=3, frame=FRAMES)
def dynamically_consistent_inverse(
    chain: Chain,
    q: ArrayNq,
    *,
    body: int | str | None = None,
    point: Array3 | None = None,
    frame: FrameWord = "body",
) -> ArrayNvx6 | ArrayNvx3:
    """Return M^-1 J^T Lambda (..., nv, 6): the joint rates of least kinetic energy.

    With a point (..., nv, 3). Arguments and errors as for `operational_space_inertia`;
    J is that of the link's twist, or of the point's velocity. Its product with a
    velocity of the link has the least energy of all joint rates with that velocity. Its
    transpose takes joint forces to the force on the link that accelerates it as they
    do. Khatib (1987).

    >>> from chaindyn.models.robots import ur5
    >>> q, qd = np.arange(6) / 2, np.ones(6)
    >>> J = body_jacobian(ur5(), q)
    >>> np.allclose(J @ dynamically_consistent_inverse(ur5(), q), np.eye(6))
    True
    """
    factors, J, inertia = operational_space(chain, q, body, point, frame)
    return factors.solve(J.mT) @ inertia
