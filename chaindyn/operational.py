# Generated from chapters/12_control.md by `python -m book export`; edit it there.
# sha256 of the text below: 577f6b8e12a67a278084d365160193a1580c88983074b945d1ba34275e21d229
"""Operational space: joint forces by which a body moves, and pushes, as commanded.

Derived in chapter 12, "Control".
"""

from chaindyn._ops import eye, solve
from chaindyn.array_types import Array6, ArrayMx6, ArrayNq, ArrayNv
from chaindyn.articulated import factorise_state
from chaindyn.chain import Chain
from chaindyn.guards.arguments import check_matrix
from chaindyn.guards.door import checked
from chaindyn.guards.mobility import require_commandable
from chaindyn.inverse_dynamics import bias_force
from chaindyn.kinematics import body_jacobian, jacobian_dot_qd
from chaindyn.state import evaluate

__all__ = ["operational_space_torque"]


# Chapter 12, "Control": Operational space*
@checked(q="nq", qd="nv", acceleration=6, wrench=6, tau="nv")
def operational_space_torque(
    chain: Chain,
    q: ArrayNq,
    qd: ArrayNv,
    acceleration: Array6,
    *,
    body: int | str | None = None,
    directions: ArrayMx6 | None = None,
    wrench: Array6 | None = None,
    tau: ArrayNv | None = None,
) -> ArrayNv:
    """Return the joint forces (..., nv) by which a body accelerates as commanded.

    q : (..., nq); qd : (..., nv); acceleration : (..., 6) of the body, [dw/dt; of the
    particle at its origin] in world axes; body : index or name of a link, or a frame's
    name, None is the only leaf. directions : (m, 6), the combinations of these six that
    are commanded, all if None; no other counts. wrench : (..., 6) that the body exerts
    besides on what it touches, [moment; force] about its origin in world axes; tau :
    (..., nv), left to the joints where the body does not feel it; both zero by default.
    Weight and the rates' forces are made up for. ValueError if some direction cannot be
    commanded in this posture. Khatib (1987).

    >>> from chaindyn.models.robots import ur5
    >>> q, qd, a = np.arange(6) / 2, np.ones(6), np.arange(6.0)
    >>> tau = operational_space_torque(ur5(), q, qd, a)
    >>> state = ur5(), q, qd, aba(ur5(), q, qd, tau)
    >>> body_accelerations(*state, frame="mixed", classical=True)[-1].round(9) + 0.0
    array([0., 1., 2., 3., 4., 5.])
    """
    K = eye(6)
    if directions is not None:
        K = check_matrix(directions, "directions", (None, 6))
    J = body_jacobian(chain, q, body, frame="mixed")
    bias = jacobian_dot_qd(chain, q, qd, body, frame="mixed", classical=True)
    factors = factorise_state(evaluate(chain, q))
    rows = K @ J
    response = factors.delassus(rows)
    require_commandable(response, body, chain)
    left = 0 * qd[..., None] if tau is None else tau[..., None]
    missing = K @ (acceleration - bias)[..., None] - rows @ factors.solve(left)
    forces = left + rows.mT @ solve(response, missing)
    if wrench is not None:
        forces = forces + J.mT @ wrench[..., None]
    return bias_force(chain, q, qd) + forces[..., 0]
