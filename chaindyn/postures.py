# Generated from chapters/36_a_joint_of_your_own.md by `python -m book export`; edit it there.
# sha256 of the text below: fa8ec2f8ef4d20c69b8d84dc16a84dee24130b7a83c3fa66eef857de90e87c84
"""Random postures, limits, and steps from one posture of a chain to another.

Derived in chapter 36, "A joint of your own, and the rest of a machine".
"""

import numpy as np

from chaindyn._ops import broadcast_batch
from chaindyn.array_types import ArrayNq, ArrayNv, Scalar
from chaindyn.chain import Chain
from chaindyn.guards.arguments import check_batch
from chaindyn.guards.door import checked
from chaindyn.models.arrays import in_columns

__all__ = ["coordinate_rate", "difference", "integrate", "random_state", "within_limits"]


# Chapter 36, "A joint of your own, and the rest of a machine": Random postures and limits
@checked()
def random_state(
    chain: Chain,
    rng: np.random.Generator | int | None = None,
    *,
    batch: tuple[int, ...] = (),
) -> tuple[ArrayNq, ArrayNv]:
    """Return q (*batch, nq), spread over the joints' range, and normal qd (*batch, nv).

    rng : a NumPy generator or a seed. ValueError if batch is no tuple of counts.

    >>> ball = Chain([Link(Spherical(), 1, (0, 0, 0), np.eye(3))])
    >>> q, qd = random_state(ball, 0, batch=(1000,))
    >>> q.shape, qd.shape
    ((1000, 4), (1000, 3))
    >>> np.allclose(np.linalg.norm(q, axis=-1), 1)
    True
    """
    check_batch(batch)
    rng, q = np.random.default_rng(rng), np.zeros((*batch, chain.nq))
    for joint, columns, _ in chain.groups:
        q[..., columns] = joint.random(rng, (*batch, len(columns)))
    return q, rng.normal(size=(*batch, chain.nv))


@checked(q="nq")
def within_limits(chain: Chain, q: ArrayNq) -> Scalar:
    """Return whether every coordinate keeps its limits, booleans (...); q : (..., nq).

    ``np.clip(q, chain.lower_limit, chain.upper_limit)`` brings the others to theirs.

    >>> I, limits = np.diag([0, 1, 1]) / 12, Limits(-1, 2)
    >>> rod = Chain([Link(Revolute(), 1, (0.5, 0, 0), I, limits=limits)])
    >>> within_limits(rod, np.array([[-1.0], [0.0], [2.5]]))
    array([ True,  True, False])
    """
    return ((q >= chain.lower_limit) & (q <= chain.upper_limit)).all(-1)


# Chapter 36, "A joint of your own, and the rest of a machine": A step of a whole machine
@checked(q="nq", qd="nv")
def coordinate_rate(chain: Chain, q: ArrayNq, qd: ArrayNv) -> ArrayNq:
    """Return dq/dt (..., nq) of a chain at q (..., nq) that moves with qd (..., nv).

    It is qd where a joint's coordinates are its angles or lengths; a quaternion changes
    by half of its product with [0; w].

    >>> ball = Chain([Link(Spherical(), 1, (0, 0, 0), np.eye(3))])
    >>> q, qd = np.array([1.0, 0, 0, 0]), np.array([2.0, 4.0, 6.0])
    >>> coordinate_rate(ball, q, qd) + 0.0
    array([0., 1., 2., 3.])
    """
    q, qd = broadcast_batch([q, qd], 1)
    parts = [joint.rate(q[..., i], qd[..., j]) for joint, i, j in chain.groups]
    return in_columns(parts, [i for _, i, _ in chain.groups])


@checked(q="nq", step="nv")
def integrate(chain: Chain, q: ArrayNq, step: ArrayNv) -> ArrayNq:
    """Return q (..., nq) after one second at the joint velocities `step` (..., nv).

    q : (..., nq); step : a velocity times a time. A sum where a joint's
    coordinates are its angles or lengths; on a ball or a free body the exponential,
    with the quaternion renormalised.

    >>> ball = Chain([Link(Spherical(), 1, (0, 0, 0), np.eye(3))])
    >>> q = np.array([1.0, 0, 0, 0])
    >>> integrate(ball, q, np.array([0, 0, np.pi])).round(9) + 0.0
    array([0., 0., 0., 1.])
    """
    parts = [joint.integrate(q[..., i], step[..., j]) for joint, i, j in chain.groups]
    return in_columns(parts, [i for _, i, _ in chain.groups])


@checked(q0="nq", q1="nq")
def difference(chain: Chain, q0: ArrayNq, q1: ArrayNq) -> ArrayNv:
    """Return the shortest step (..., nv) with integrate(chain, q0, step) = q1.

    q0, q1 : (..., nq); a quaternion is met up to its sign. Angles of hinges are not
    wrapped: they count turns.

    >>> ball = Chain([Link(Spherical(), 1, (0, 0, 0), np.eye(3))])
    >>> still, turned = np.array([1, 0, 0, 0]), exp_quaternion(np.array([0, 0, 0.5]))
    >>> difference(ball, still, turned).round(9) + 0.0
    array([0. , 0. , 0.5])
    """
    parts = [joint.difference(q0[..., i], q1[..., i]) for joint, i, _ in chain.groups]
    return in_columns(parts, [j for _, _, j in chain.groups])
