# Generated from chapters/05_velocity_acceleration_jacobians.md by `python -m book export`; edit it there.
# sha256 of the text below: 8ac8e4fbbadbeeaec24f7478520c77204b2557270861c0d8d347b60fe521cc87
"""How fast the bodies of a chain move, and how that changes: twists, accelerations, Jacobians.

Derived in chapter 5, "Velocity, acceleration, Jacobians".
"""

from collections.abc import Sequence

import numpy as np

from chaindyn._check import FLAGS, FRAMES, RECURSIONS, checked
from chaindyn._ops import Array, concatenate, eye, stack, unstack, zeros
from chaindyn.chain import Chain, by_link, forward_kinematics, joint_poses, outward
from chaindyn.lie import Ad
from chaindyn.spatial import X_motion, crm, skew

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
def point_velocity(twist: Array, point: Array) -> Array:
    """Return the velocity of the particle that is at a point, v + w x r (..., 3) [m/s].

    twist : (..., 6) [w; v]; point : (..., 3) [m], measured from the origin that the twist is about.
    Alexiou, "The dynamics of a serial chain of bodies", below (6).
    """
    return (X_motion(eye(3), point) @ twist[..., None])[..., 3:, 0]


# Chapter 5, "Velocity, acceleration, Jacobians": One recursion, two frames
def pass_on(parent: Array, X: Array, joint_part: Array) -> Array:
    """Link step: the parent's motion in the link's coordinates, and what the joint adds."""
    return X @ parent + joint_part


def transforms(chain: Chain, q: Array, recursion: str) -> list[Array]:
    """Return what takes the parent's motion to each link's coordinates: n matrices (..., 6, 6)."""
    if recursion == "world":
        return [eye(6)] * chain.n  # one origin and one set of axes for all: nothing to transform
    R, p = joint_poses(chain, q)
    return unstack(X_motion(R.mT, p), -3)


def accumulate(chain: Chain, X: list[Array], joint_parts: Array) -> Array:
    """Add up along the branches what each joint contributes to the motion of its link (..., n, 6)."""
    parts = unstack(joint_parts[..., None], -3)
    return stack(outward(pass_on, chain.parent, zeros((6, 1)), X, parts), axis=-3)[..., 0]


# Chapter 5, "Velocity, acceleration, Jacobians": One recursion, two frames
def joint_motion(chain: Chain, q: Array, rates: Array) -> Array:
    """Return S @ rates of every joint (..., n, 6), in its link's coordinates; rates : (..., nv)."""
    motions = [
        (joint.motion_subspace(q[..., i]) @ rates[..., j, None])[..., 0]
        for joint, i, j in chain.groups
    ]
    return by_link(chain, motions, axis=-2)


# Chapter 5, "Velocity, acceleration, Jacobians": One recursion, two frames
def frame_transforms(R: Array, p: Array, source: str, target: str) -> Array:
    """Return what takes motions from one frame, "body" or "world", to another (..., n, 6, 6).

    R (..., n, 3, 3), p (..., n, 3) : the links' poses in the world.
    """
    if source == target:
        return eye(6)
    if source == "body":
        return Ad(R, p if target == "world" else 0 * p)
    return X_motion(R.mT if target == "body" else eye(3), p)


def reframe(chain: Chain, q: Array, motions: Array, source: str, target: str) -> Array:
    """Express each link's motion vector (..., n, 6), given in one frame ("body", "world"), in another."""
    if source == target:
        return motions
    T = frame_transforms(*forward_kinematics(chain, q), source, target)
    return (T @ motions[..., None])[..., 0]


# Chapter 5, "Velocity, acceleration, Jacobians": One recursion, two frames
@checked(q="nq", qd="nv", frame=FRAMES, recursion=RECURSIONS)
def body_twists(
    chain: Chain, q: Array, qd: Array, *, frame: str = "body", recursion: str = "body"
) -> Array:
    """Return the twist [w; v] of every link (..., n, 6) [rad/s, m/s].

    q : (..., nq), qd : (..., nv). frame : what the result is expressed in: "body" (about the link origin,
    link axes), "world" (about the world origin, world axes), "mixed" (about the link origin, world axes).
    recursion : the coordinates computed in. Alexiou (2023), (7); Kim (2012), Table 2.
    """
    joint_parts = reframe(chain, q, joint_motion(chain, q, qd), "body", recursion)
    twists = accumulate(chain, transforms(chain, q, recursion), joint_parts)
    return reframe(chain, q, twists, recursion, frame)


# Chapter 5, "Velocity, acceleration, Jacobians": The Jacobian
def by_column(chain: Chain, parts: Sequence[Array]) -> Array:
    """Lay the columns of what each group of joints gave, (..., m, 6, k), one under another (..., nv, 6)."""
    columns = [j for _, _, j in chain.groups]
    rows = [
        part.mT.reshape((*part.shape[:-3], own.size, 6))
        for part, own in zip(parts, columns, strict=True)
    ]
    order = np.argsort(np.concatenate([own.ravel() for own in columns]))
    return concatenate(rows, axis=-2)[..., order, :]


def joint_screws(chain: Chain, q: Array) -> Array:
    """Return the columns of every S one under another (..., nv, 6), each in its link's coordinates."""
    return by_column(chain, [joint.motion_subspace(q[..., i]) for joint, i, _ in chain.groups])


@checked(q="nq", frame=FRAMES)
def body_jacobian(
    chain: Chain, q: Array, body: int | str | None = None, *, frame: str = "body"
) -> Array:
    """Return the Jacobian J of one link (..., 6, nv): its twist is J qd.

    q : (..., nq); body : index or name, None is the only leaf; frame : as for `body_twists`. A column
    is the screw of one degree of freedom, zero where the body does not hang on it.
    ValueError if there is no such body. "Notes on rigid body dynamics", linked motion.
    """
    b = chain.index(body)
    R, p = forward_kinematics(chain, q)
    axes = eye(3) if frame in ("world", "mixed") else R[..., b : b + 1, :, :].mT
    origin = zeros((1, 3)) if frame == "world" else p[..., b : b + 1, :]
    owner = chain.link_of_column
    R_owner, p_owner = R[..., owner, :, :], p[..., owner, :]
    turned = X_motion(R_owner, 0 * p_owner) @ joint_screws(chain, q)[..., None]  # to world axes
    columns = (X_motion(axes, origin - p_owner) @ turned)[..., 0]  # to the observer
    path = set(chain.path(b))
    carries = np.array([int(link in path) for link in owner])
    return (columns * carries[:, None]).mT


# Chapter 5, "Velocity, acceleration, Jacobians": In the link's own coordinates
def joint_bias(chain: Chain, q: Array, qd: Array) -> Array:
    """Return dS/dt @ qd of every joint (..., n, 6), in its link's coordinates."""
    biases = [
        (joint.motion_subspace_rate(q[..., i], qd[..., j]) @ qd[..., j, None])[..., 0]
        for joint, i, j in chain.groups
    ]
    return by_link(chain, biases, axis=-2)


# Chapter 5, "Velocity, acceleration, Jacobians": Two accelerations
@checked(acceleration=6, twist=6)
def classical_acceleration(acceleration: Array, twist: Array) -> Array:
    """Return [dw/dt; acceleration of the particle at the origin] from the spatial acceleration.

    acceleration, twist : (..., 6), angular first, in the same coordinates. Adds w x v below.
    """
    w, v = twist[..., :3], twist[..., 3:]
    return acceleration + concatenate([0 * w, (skew(w) @ v[..., None])[..., 0]], axis=-1)


# Chapter 5, "Velocity, acceleration, Jacobians": Two accelerations
@checked(q="nq", qd="nv", qdd="nv", frame=FRAMES, classical=FLAGS, recursion=RECURSIONS)
def body_accelerations(
    chain: Chain,
    q: Array,
    qd: Array,
    qdd: Array,
    *,
    frame: str = "body",
    classical: bool = False,
    recursion: str = "body",
) -> Array:
    """Return the spatial acceleration of every link (..., n, 6) [rad/s^2, m/s^2], gravity not included.

    q : (..., nq); qd, qdd : (..., nv); frame, recursion : as for `body_twists`. With `classical`, the
    linear part is the acceleration of the particle at the frame's origin. Alexiou, "The dynamics of a
    serial chain of bodies", (7), with the motion cross product that belongs there.
    """
    X = transforms(chain, q, recursion)
    velocity = reframe(chain, q, joint_motion(chain, q, qd), "body", recursion)
    twists = accumulate(chain, X, velocity)
    own = joint_motion(chain, q, qdd) + joint_bias(chain, q, qd)
    turning = (crm(twists) @ velocity[..., None])[..., 0]
    joint_parts = reframe(chain, q, own, "body", recursion) + turning
    accelerations = reframe(chain, q, accumulate(chain, X, joint_parts), recursion, frame)
    if not classical:
        return accelerations
    return classical_acceleration(accelerations, reframe(chain, q, twists, recursion, frame))


# Chapter 5, "Velocity, acceleration, Jacobians": The bias acceleration $\dot J \dot q$
@checked(q="nq", qd="nv", frame=FRAMES, classical=FLAGS)
def jacobian_dot_qd(
    chain: Chain,
    q: Array,
    qd: Array,
    body: int | str | None = None,
    *,
    frame: str = "body",
    classical: bool = False,
) -> Array:
    """Return the bias acceleration dJ/dt qd of one link (..., 6): what it accelerates with if qdd = 0.

    Arguments as for `body_accelerations` and `body_jacobian`. dJ/dt is the componentwise rate of the
    Jacobian in "body" and in "world"; in "mixed" coordinates, whose origin travels, it is so with
    ``classical=True``. "Notes on rigid body dynamics", linked motion, without the term counted twice.
    """
    b = chain.index(body)
    still = 0 * qd
    return body_accelerations(chain, q, qd, still, frame=frame, classical=classical)[..., b, :]
