# Generated from chapters/23_derivatives.md by `python -m book export`; edit it there.
# sha256 of the text below: fc1ec0e2ddecd299b4e4d9a42ac5c2bdd61568b3db11866e33edf9f78384af74
"""The linear model of a chain near any motion.

Derived in chapter 23, "Derivatives".
"""

from typing import Any

from chaindyn._ops import Array, concatenate, eye, solve
from chaindyn.array_types import Array2Nvx2Nv, Array2NvxNv, ArrayNq, ArrayNv
from chaindyn.chain import Chain
from chaindyn.derivatives import placed, subspace_slopes
from chaindyn.forward_derivatives import aba_derivatives
from chaindyn.guards.door import checked
from chaindyn.models.arrays import each_link
from chaindyn.models.rubbing import frictional
from chaindyn.spatial import crm

__all__ = ["linearise"]


# Chapter 23, "Derivatives": A linear model of any motion
def joint_deviation(joint: Any, q: Array, qd: Array) -> Array:
    """Return by which (..., m, k, k) deviations of joints change at constant qd."""
    S, k = joint.motion_subspace(q), qd[..., 0, :].shape[-1]
    if not k:
        return S.mT @ S
    moving = crm((S @ qd[..., None])[..., 0]) @ S
    turned = [slope @ qd[..., None] for slope in subspace_slopes(joint, q)]
    change = concatenate(turned, axis=-1) - joint.motion_subspace_rate(q, qd) - moving
    return solve(S.mT @ S, S.mT @ change)


def deviation_rate(chain: Chain, q: Array, qd: Array) -> Array:
    """Return C (..., nv, nv) with d(delta)/dt = C delta + nu.

    delta, nu : of motions integrate(q, delta), qd + nu. C is zero for joints whose
    coordinates add; minus the cross product with qd for balls and free bodies.
    """
    parts = [joint_deviation(joint, q[..., i], qd[..., j]) for joint, i, j in chain.groups]
    pairs = zip(each_link(chain, parts, -3), chain.v_columns, strict=True)
    return concatenate([placed(block, own, chain.nv) for block, own in pairs], axis=-2)


@checked(q="nq", qd="nv", tau="nv")
def linearise(
    chain: Chain, q: ArrayNq, qd: ArrayNv, tau: ArrayNv, *, friction_width: float | None = 0.01
) -> tuple[Array2Nvx2Nv, Array2NvxNv]:
    """Return A (..., 2 nv, 2 nv) and B (..., 2 nv, nv) with dz/dt = A z + B dtau.

    z = [delta, nu] : the deviation from the motion at q, qd under tau, of the posture
    along `integrate`, and of the rates;
    q : (..., nq); qd, tau : (..., nv). For balls and free bodies delta is in the axes
    of the undisturbed motion. Friction in the drives acts as in `simulate`;
    friction_width : as for `joint_friction` [rad/s, m/s], None leaves friction out. At
    rest Coulomb friction counts as viscous, coulomb / friction_width, which holds for
    rates far below the width. ValueError if M is singular (it names the joint), or the
    width is not positive.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> still = np.zeros(1)
    >>> A, B = linearise(rod, still, still, still)
    >>> B.round(3)
    array([[0.],
           [3.]])
    """
    by_q, by_qd, by_tau = frictional(aba_derivatives, chain, q, qd, tau, friction_width)
    C, same = deviation_rate(chain, q, qd) + 0 * by_q, 0 * by_q + eye(chain.nv)
    upper = concatenate([C, same], axis=-1)
    A = concatenate([upper, concatenate([by_q, by_qd], axis=-1)], axis=-2)
    return A, concatenate([0 * by_tau, by_tau], axis=-2)
