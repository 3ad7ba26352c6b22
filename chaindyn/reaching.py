# Generated from chapters/15_assembly_inverse_dynamics_and_redundancy.md by `python -m book export`; edit it there.
# sha256 of the text below: 7beb258676591ee1d434901a379cb3b51a7ba81f4bce9c0542c1f067511dc2ab
"""Inverse kinematics: the joint angles at which bodies are where they should be.

Derived in chapter 15, "Assembly, inverse dynamics and redundancy".
"""

from typing import Any

from chaindyn._ops import Array, concatenate, eye, solve
from chaindyn.array_types import Array3, Array3x3, Array6, ArrayNq, ArrayNv
from chaindyn.chain import Chain, forward_kinematics
from chaindyn.guards.arguments import FLAGS
from chaindyn.guards.door import checked
from chaindyn.guards.targets import (
    LEAST_DAMPING,
    beginning,
    between,
    limited_places,
    room,
    stopped,
    turned_back,
)
from chaindyn.jobs.searching import Reached, search_of
from chaindyn.joints import Revolute
from chaindyn.kinematics import body_jacobian
from chaindyn.lie import log_so3
from chaindyn.other_constraints import plain_coordinates
from chaindyn.postures import difference, integrate

__all__ = ["inverse_kinematics", "pose_error"]


# Chapter 15, "Assembly, inverse dynamics and redundancy": Inverse kinematics
@checked(q="nq", rotation="rotation", position=3)
def pose_error(
    chain: Chain,
    q: ArrayNq,
    body: int | str | None = None,
    *,
    rotation: Array3x3,
    position: Array3,
) -> Array6:
    """Return what is missing to a pose: [turn; way] (..., 6) [rad, m], in world axes.

    The turn is a rotation vector. q : (..., nq); body : index or name of a link, or a
    frame's name, None is the only leaf; rotation (..., 3, 3) and position (..., 3) [m]:
    the pose that it should have in the world. The rate of the way is minus the lower
    half of the body's twist in "mixed" coordinates, and that of the turn, where it is
    small, minus the upper half.

    >>> from chaindyn.models.robots import ur5
    >>> q = np.zeros(6)
    >>> R, p = forward_kinematics(ur5(), q, "flange")
    >>> pose_error(ur5(), q, "flange", rotation=R, position=p + [0, 0, 1]).round(9)
    array([0., 0., 0., 0., 0., 1.])
    """
    R, p = forward_kinematics(chain, q, chain.index(body) if body is None else body)
    return concatenate([log_so3(rotation @ R.mT), position - p], axis=-1)


def damped_step(
    J: Array, missing: Array, damping: Array, mobility: Array, reference: Array
) -> Array:
    """Return the step (..., nv) with the least |missing - J step|^2 + damping |step -
    reference|^2.

    J : (..., m, nv); missing : (..., m); damping : (..., 1); mobility : (nv,), one for
    joints that may leave the reference (..., nv), zero for the others.
    """
    movable = J * mobility[..., None, :]
    left = missing[..., None] - J @ reference[..., None]
    pull = solve(movable @ J.mT + damping[..., None] * eye(J.shape[-2]), left)
    return reference + (movable.mT @ pull)[..., 0]


# Chapter 15, "Assembly, inverse dynamics and redundancy": Inverse kinematics
def wanted_rows(
    chain: Chain, q: Array, rotations: Array, positions: Array, bodies: Any
) -> tuple[Array, Array]:
    """Return what is missing (..., m) to several targets, and the rows J (..., m, nv).

    rotations : (..., k, 3, 3), positions : (..., k, 3); bodies : k of (body, first row,
    end), the rows of six that count.
    """
    missing, rows = [], []
    for k, (body, first, end) in enumerate(bodies):
        pose = {"rotation": rotations[..., k, :, :], "position": positions[..., k, :]}
        missing.append(pose_error(chain, q, body, **pose)[..., first:end])
        J = body_jacobian(chain, q, body, frame="mixed")
        rows.append(J[..., first:end, :])
    return concatenate(missing, axis=-1), concatenate(rows, axis=-2)


def step_to_targets(
    chain: Chain,
    q: Array,
    rotations: Array,
    positions: Array,
    weights: Array,
    mobility: Array,
    rest: Array,
    share: Array,
    *,
    bodies: Any,
    limits: bool,
) -> tuple[Array, Array]:
    """Return the posture (..., nq) after a step, and the square of what was missing.

    The latter (..., 1) is weighted: weights (m,), of rows. mobility : as for
    `damped_step`; rest : (..., nq), to which the joints go a share (..., 1) of the way
    besides; limits : whether they are kept. Others as for `wanted_rows`.
    """
    missing, J = wanted_rows(chain, q, rotations, positions, bodies)
    missing, J = weights * missing, weights[..., None] * J
    square = (missing * missing).sum(-1, keepdims=True)
    damping = square / 2 + LEAST_DAMPING
    reference = share * mobility * difference(chain, q, rest)
    step = damped_step(J, missing, damping, mobility, reference)
    if not limits:
        return integrate(chain, q, step), square
    place, low, high = limited_places(chain, plain_coordinates(chain), Revolute)
    down, up = room(chain, place, q)
    mobility, reference = stopped(step, mobility, reference, down, up)
    step = damped_step(J, missing, damping, mobility, reference)
    ahead = integrate(chain, q, between(step, down, up))
    return turned_back(ahead, low, high), square


# Chapter 15, "Assembly, inverse dynamics and redundancy": Inverse kinematics
@checked(q="nq", rest="nq", tolerance=(), limits=FLAGS, compiled=FLAGS)
def inverse_kinematics(
    chain: Chain,
    targets: Any,
    *,
    q: ArrayNq | None = None,
    rest: ArrayNq | None = None,
    held: ArrayNv | None = None,
    limits: bool = True,
    restarts: int = 20,
    steps: int = 50,
    tolerance: float = 1e-8,
    compiled: bool = False,
) -> Reached:
    """Return joint coordinates at which bodies are where they should be.

    targets : a `Target`, several, or poses (R, p) by body; leading axes are a batch. q
    : (..., nq), where to begin, None is the middle of the joints' limits; rest : (...,
    nq), a posture to be as near as the targets allow, None is any; held : (nv,)
    booleans, true for joints that do not move; limits : whether to keep the joints'
    `Limits`. Damped least squares, `steps` at most from one start, until at most
    `tolerance` is missing [rad, m]; up to `restarts` other starts, always the same,
    where it is not reached; 0 keeps near q. compiled : whether steps run as machine
    code. Targets out of reach are no error: `reached` is false for them. ValueError if
    a target is none or its body unknown, or a held joint is beyond its limits.

    >>> from chaindyn.models.robots import ur5
    >>> found = inverse_kinematics(ur5(), Target("flange", position=(0.4, 0.2, 0.5)))
    >>> forward_kinematics(ur5(), found.q, "flange")[1].round(6)
    array([0.4, 0.2, 0.5])
    """
    begun = beginning(chain, q, held, plain_coordinates(chain), limits)
    given = step_to_targets, chain, targets, *begun, rest, limits, compiled
    return search_of(*given, restarts, steps, tolerance).result()
