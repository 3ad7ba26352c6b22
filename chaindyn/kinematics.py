# Generated from chapters/05_velocity_acceleration_jacobians.md by `python -m book export`; edit it there.
# sha256 of the text below: 49d1f07979502034d907f4a0bab80ddee0e6ec4a1723992e86107aa6b97d9c86
"""How fast the bodies of a chain move, and how that changes: twists, accelerations, Jacobians.

Derived in chapter 5, "Velocity, acceleration, Jacobians".
"""

import numpy as np

from chaindyn._ops import SMALL, Array, concatenate, eye, zeros
from chaindyn.array_types import Array3, Array6, Array6xNv, ArrayNq, ArrayNv, ArrayNx6
from chaindyn.chain import Chain
from chaindyn.guards.arguments import FLAGS, FRAMES, RECURSIONS, FrameWord, RecursionWord
from chaindyn.guards.bodies import pose_of_body
from chaindyn.guards.door import checked
from chaindyn.models.grouped import motion_of_body
from chaindyn.spatial import X_motion, skew
from chaindyn.state import State

__all__ = [
    "body_accelerations",
    "body_jacobian",
    "body_twists",
    "classical_acceleration",
    "jacobian_dot_qd",
    "point_velocity",
]


# Chapter 5, "Velocity, acceleration, Jacobians": The particle that happens to pass the origin
@checked(twist=6, point=3)
def point_velocity(twist: Array6, point: Array3) -> Array3:
    """Return the velocity of the particle that is at a point, v + w x r (..., 3) [m/s].

    twist : (..., 6) [w; v]; point : (..., 3) [m], measured from the origin that the
    twist is about. Alexiou, "The dynamics of a serial chain of bodies", below (6).

    >>> point_velocity(np.array([0, 0, 2, 0, 0, 0]), np.array([1, 0, 0]))
    array([0, 2, 0])
    """
    return (X_motion(eye(3), point) @ twist[..., None])[..., 3:, 0]


# Chapter 5, "Velocity, acceleration, Jacobians": Two accelerations
@checked(acceleration=6, twist=6)
def classical_acceleration(acceleration: Array6, twist: Array6) -> Array6:
    """Return [dw/dt; acceleration of the particle at the origin] from the spatial
    acceleration.

    acceleration, twist : (..., 6), angular first, in the same coordinates. Adds w x v
    below.

    >>> twist = np.array([0, 0, 3, 0, 2, 0])
    >>> classical_acceleration(np.zeros(6), twist) + 0.0
    array([ 0.,  0.,  0., -6.,  0.,  0.])
    """
    w, v = twist[..., :3], twist[..., 3:]
    return acceleration + concatenate([0 * w, (skew(w) @ v[..., None])[..., 0]], axis=-1)


# Chapter 5, "Velocity, acceleration, Jacobians": The code: a posture, evaluated once*
@checked(q="nq", qd="nv", frame=FRAMES, recursion=RECURSIONS)
def body_twists(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    body: int | str | None = None,
    *,
    frame: FrameWord = "body",
    recursion: RecursionWord = "body",
) -> ArrayNx6 | Array6:
    """Return the twist [w; v] of every link (..., n, 6), or of one body [rad/s, m/s].

    q : (..., nq), qd : (..., nv). body : index or name of a link, or a frame's name:
    its twist alone (..., 6); None is all links. frame : of the result: "body" (about
    the link origin, link axes), "world" (about the world origin, world axes), "mixed"
    (about the link origin, world axes), where a frame has its own origin and axes.
    recursion : the coordinates of the computation. Alexiou (2023), (7); Kim (2012),
    Table 2.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> upper = Link(Revolute((0, 0, 1)), 1, (0.5, 0, 0), I)
    >>> lower = Link(Revolute((0, 0, 1)), 1, (0.5, 0, 0), I, offset=(1, 0, 0))
    >>> chain = Chain([upper, lower])
    >>> body_twists(chain, np.zeros(2), np.array([2.0, 1.0])) + 0.0
    array([[0., 0., 2., 0., 0., 0.],
           [0., 0., 3., 0., 2., 0.]])
    """
    state = State(chain, q, qd, recursion)
    return state.in_frame(state.twists, frame, body)


# Chapter 5, "Velocity, acceleration, Jacobians": The code: a posture, evaluated once*
def screws_seen_from(state: State, R: Array, p: Array, columns: Array | None = None) -> Array:
    """Return the screw of each degree of freedom (..., nv, 6), of a posture in link
    coordinates, in another frame.

    R : (..., 3, 3), p : (..., 3) of that frame in the world; columns : indices of those
    degrees of freedom that are asked for, all by default.
    """
    R_link, p_link = state.poses
    owner, screws = state.chain.link_of_column, state.screws
    if columns is not None:
        owner, screws = owner[columns], screws[..., columns, :]
    R_owner, p_owner = R_link[..., owner, :, :], p_link[..., owner, :]
    in_world_axes = X_motion(R_owner, 0 * p_owner) @ screws[..., None]
    return (X_motion(R[..., None, :, :].mT, p[..., None, :] - p_owner) @ in_world_axes)[..., 0]


@checked(q="nq", frame=FRAMES)
def body_jacobian(
    chain: Chain, q: ArrayNq, body: int | str | None = None, *, frame: FrameWord = "body"
) -> Array6xNv:
    """Return the Jacobian J of one link or frame (..., 6, nv): its twist is J qd.

    q : (..., nq); body : index or name of a link, or a frame's name, None is the only
    leaf; frame : as for `body_twists`, with the body's own origin and axes. A column is
    the screw of one degree of freedom, zero if it does not move the body. ValueError if
    there is no such body. "Notes on rigid body dynamics", linked motion.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> upper = Link(Revolute((0, 0, 1)), 1, (0.5, 0, 0), I)
    >>> lower = Link(Revolute((0, 0, 1)), 1, (0.5, 0, 0), I, offset=(1, 0, 0))
    >>> body_jacobian(Chain([upper, lower]), np.zeros(2)).T + 0.0
    array([[0., 0., 1., 0., 1., 0.],
           [0., 0., 1., 0., 0., 0.]])
    """
    link, _, _ = chain.place(body)
    state = State(chain, q)
    R, p = pose_of_body(chain, *state.poses, body)
    axes = R if frame == "body" else eye(3)
    origin = zeros((3,)) if frame == "world" else p
    path = set(chain.path(link)) if link >= 0 else set()
    carries = np.array([link in path for link in chain.link_of_column], SMALL)
    return (screws_seen_from(state, axes, origin) * carries[:, None]).mT


# Chapter 5, "Velocity, acceleration, Jacobians": The code: a posture, evaluated once*
@checked(q="nq", qd="nv", qdd="nv", frame=FRAMES, classical=FLAGS, recursion=RECURSIONS)
def body_accelerations(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    qdd: ArrayNv,
    body: int | str | None = None,
    *,
    frame: FrameWord = "body",
    classical: bool = False,
    recursion: RecursionWord = "body",
) -> ArrayNx6 | Array6:
    """Return the spatial acceleration of every link (..., n, 6), or of one body
    [rad/s^2, m/s^2], gravity not included.

    q : (..., nq); qd, qdd : (..., nv); body, frame, recursion : as for `body_twists`.
    With `classical`, the linear part is the acceleration of the particle at the frame's
    origin. Alexiou, "The dynamics of a serial chain of bodies", (7), with the motion
    cross product that belongs there.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> upper = Link(Revolute((0, 0, 1)), 1, (0.5, 0, 0), I)
    >>> lower = Link(Revolute((0, 0, 1)), 1, (0.5, 0, 0), I, offset=(1, 0, 0))
    >>> state = Chain([upper, lower]), np.zeros(2), np.array([2, 0]), np.zeros(2)
    >>> body_accelerations(*state, body=1, classical=True) + 0.0
    array([ 0.,  0.,  0., -4.,  0.,  0.])
    """
    state = State(chain, q, qd, recursion)
    A = state.in_frame(state.accelerations(qdd), frame, body)
    if not classical:
        return A
    return classical_acceleration(A, state.in_frame(state.twists, frame, body))


# Chapter 5, "Velocity, acceleration, Jacobians": The code: a posture, evaluated once*
@checked(q="nq", qd="nv", frame=FRAMES, classical=FLAGS)
def jacobian_dot_qd(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    body: int | str | None = None,
    *,
    frame: FrameWord = "body",
    classical: bool = False,
) -> Array6:
    """Return the bias acceleration dJ/dt qd of one link or frame (..., 6).

    It is the acceleration if qdd = 0. Arguments as for `body_accelerations` and
    `body_jacobian`. dJ/dt is the componentwise rate of the Jacobian in "body" and in
    "world"; in "mixed" coordinates, whose origin moves, this holds with
    ``classical=True``. "Notes on rigid body dynamics", linked motion, without the term
    counted twice.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> upper = Link(Revolute((0, 0, 1)), 1, (0.5, 0, 0), I)
    >>> lower = Link(Revolute((0, 0, 1)), 1, (0.5, 0, 0), I, offset=(1, 0, 0))
    >>> chain, q, qd = Chain([upper, lower]), np.zeros(2), np.array([3.0, 0.0])
    >>> jacobian_dot_qd(chain, q, qd, classical=True) + 0.0
    array([ 0.,  0.,  0., -9.,  0.,  0.])
    """
    state = State(chain, q, qd)
    A = motion_of_body(state, state.bias_accelerations, body, frame)
    if not classical:
        return A
    return classical_acceleration(A, motion_of_body(state, state.twists, body, frame))
