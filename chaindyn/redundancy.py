# Generated from chapters/15_assembly_inverse_dynamics_and_redundancy.md by `python -m book export`; edit it there.
# sha256 of the text below: f0a9ed63540ac690f4eb33f8668250e5a9ead0ab17197eb3b9cefe6773c2e403
"""Forces of motors in mechanisms with loops, and a choice where there are too many motors.

Derived in chapter 15, "Assembly, inverse dynamics and redundancy".
"""

from typing import Any

import numpy as np

from chaindyn._ops import Array, divide, eye
from chaindyn.array_types import ArrayM, ArrayNf, ArrayNp, ArrayNq, ArrayNv, Scalar
from chaindyn.articulated import factorise_state
from chaindyn.chain import Chain
from chaindyn.composite import crba
from chaindyn.constraints import held_response, shortest, wanted_in
from chaindyn.guards.arguments import check_mask
from chaindyn.guards.constraint_parts import as_constraints
from chaindyn.guards.door import checked
from chaindyn.guards.hybrid import check_hybrid
from chaindyn.guards.loops import (
    OBJECTIVES,
    ObjectiveWord,
    check_choice,
    have_ranks,
    inverse_of,
    lengths_and_doubt,
    require_kept,
    require_motors,
    warn_if_impossible,
)
from chaindyn.hybrid import hybrid_dynamics, interleave
from chaindyn.inverse_dynamics import rnea
from chaindyn.state import State, evaluate

__all__ = ["constrained_hybrid_dynamics", "constrained_inverse_dynamics"]


# Chapter 15, "Assembly, inverse dynamics and redundancy": Too many motors
def least_multipliers(K: Array, right: Array, weights: Array | None) -> Array:
    """Return multipliers (..., m, 1) with K^T multipliers = right, of least square.

    The columns of K (..., m, p) are independent; weights : (m,) of the squares, None is
    ones.
    """
    scale = eye(1) if weights is None else divide(1, weights)[:, None]
    # of one kind of numbers: rows of integers would become floats
    return scale * shortest(K.mT + 0 * right, lambda x: scale * x, right, 0 * right)[0]


# Chapter 15, "Assembly, inverse dynamics and redundancy": Too many motors
def least_motors(
    K: Array, K_a: Array, needed: Array, first: Array, weights: Array, count: Array
) -> Array:
    """Return multipliers (..., m, 1) of the least needed - K_a^T multipliers.

    K : (..., m, p), of the passive joints, K_a : (..., m, n_a) of the motors; first :
    (..., m, 1) balances the passive ones, and so does the result. weights : (n_a,) of
    the squares; count : (...), of further combinations that act on the motors.
    """
    W = np.linalg.qr(K, mode="complete")[0][..., K.shape[-1] :]
    roots = np.sqrt(weights)[..., None]
    U, sizes, Vh = np.linalg.svd(roots * (K_a.mT @ W), full_matrices=False)
    left = roots * (needed - K_a.mT @ first)
    return first + W @ (Vh.mT @ (inverse_of(sizes, count) * (U.mT @ left)))


# Chapter 15, "Assembly, inverse dynamics and redundancy": Too many motors
def rank_of(K: Array, units: Array) -> Array:
    """Return the rank (...) of rows K (..., m, n).

    units : (..., n), the squares of the units of the columns.
    """
    scale = divide(1, units)[..., None]
    doubt = lengths_and_doubt(K, units, K * K @ scale, 0)[1]
    mix = shortest(K, lambda x: scale * x, K[..., :0], doubt)[2]
    return mix[..., ::-1, :].diagonal(0, -2, -1).sum(-1)


# Chapter 15, "Assembly, inverse dynamics and redundancy": Too many motors
@checked(q="nq", qd="nv", qdd="nv", objective=OBJECTIVES)
def constrained_inverse_dynamics(
    chain: Chain,
    constraints: Any,
    q: ArrayNq,
    qd: ArrayNv,
    qdd: ArrayNv,
    *,
    actuated: ArrayNv,
    tau_passive: Scalar | ArrayNp = 0,
    objective: ObjectiveWord = "unique",
    weights: ArrayM | None = None,
) -> tuple[ArrayNv, ArrayM]:
    """Return joint forces tau (..., nv) and multipliers (..., m) for a given motion.

    q : (..., nq); qd, qdd : (..., nv), a motion that keeps the constraints. actuated :
    (nv,) booleans, true where there is a motor.
    tau_passive : a number or (..., n_p), the forces in the other joints, zero by
    default. objective : "unique", if there is only one solution; "min_force", the one
    with the least sum of weights times squares of multipliers; "min_torque", the same
    for the motors' forces. weights : (m,) or (n_a,), ones if None: for several units, N
    and N m, choose weights that make the squares comparable, such as 1/kg and 1/(kg
    m^2). ValueError gives the number of missing motors, or if the solution is not
    unique; RuntimeWarning, with the size, if qd or qdd break the constraints. With
    symbols and numbers other than floats none of this is checked, rows must be
    independent, and there is no "min_torque". Kim (2012), (54)-(66).

    >>> from chaindyn.models.robots import four_bar, four_bar_posture
    >>> chain, loops = four_bar()
    >>> q, still = four_bar_posture(2, 1.0), np.zeros(3)
    >>> motor = np.array([True, False, False])
    >>> tau, multipliers = constrained_inverse_dynamics(
    ...     chain, loops, q, still, still, actuated=motor)
    >>> tau.round(3)
    array([10.601,  0.   ,  0.   ])
    """
    constraints = as_constraints(constraints)
    passive = ~check_mask(actuated, "actuated", chain.nv)
    K, wanted, _ = wanted_in(State(chain, q, qd), constraints, None)
    required = rnea(chain, q, qd, qdd)
    tau_passive, of_rows, of_motors = check_choice(K, passive, tau_passive, objective, weights)
    K_p, missing = K[..., passive], (required[..., passive] - tau_passive)[..., None]
    if have_ranks(objective, K, missing):
        warn_if_impossible(K, qdd[..., None], wanted)
        units = crba(chain, q).diagonal(axis1=-2, axis2=-1)
        found = rank_of(K, units), rank_of(K_p, units[..., passive])
        choices = require_motors(*found, passive, objective)
    multipliers = least_multipliers(K_p, missing, of_rows)
    if objective == "min_torque":
        K_a, needed = K[..., ~passive], required[..., ~passive][..., None]
        multipliers = least_motors(K_p, K_a, needed, multipliers, of_motors, choices)
    tau = required - (K.mT @ multipliers)[..., 0]
    given = tau_passive + 0 * missing[..., 0]  # the prescribed values, without rounding
    return interleave(passive, given, tau[..., ~passive]), multipliers[..., 0]


# Chapter 15, "Assembly, inverse dynamics and redundancy": Some joints prescribed, others free*
@checked(q="nq", qd="nv")
def constrained_hybrid_dynamics(
    chain: Chain,
    constraints: Any,
    q: ArrayNq,
    qd: ArrayNv,
    *,
    prescribed: ArrayNv,
    qdd: ArrayNp,
    tau: ArrayNf,
) -> tuple[ArrayNv, ArrayNv, ArrayM]:
    """Return accelerations (..., nv), joint forces (..., nv), multipliers (..., m).

    Some of the first two are given. constraints : as for `constraint_jacobian`; q, qd,
    prescribed, qdd and tau as for `hybrid_dynamics`. In O(n) for each row. Rows may
    depend on each other, as in
    `constrained_forward_dynamics`: if a row involves prescribed joints only, forces and
    multipliers are not unique, and the smallest multipliers for rows of length one are
    given. ValueError if the prescribed accelerations break the constraints.

    >>> pair = Chain([Link(Revolute(), 1, (0, 0, 0), np.eye(3), parent="ground")] * 2)
    >>> gear, still = Coupling({0: 1, 1: 1}), np.zeros(2)
    >>> given = {"prescribed": [True, False], "qdd": np.array([2]), "tau": np.zeros(1)}
    >>> qdd, tau, force = constrained_hybrid_dynamics(pair, gear, still, still, **given)
    >>> qdd.round(9) + 0.0, tau.round(9) + 0.0
    (array([ 2., -2.]), array([4., 0.]))
    """
    u, qdd, tau = check_hybrid(chain, prescribed, qdd, tau, q, qd)
    constraints = as_constraints(constraints)
    state = evaluate(chain, q, qd, qdd, tau)
    factors = factorise_state(state, u)
    K, wanted, row_error = wanted_in(state, constraints, None)
    free, _ = hybrid_dynamics(chain, q, qd, prescribed=u, qdd=qdd, tau=tau)
    multipliers, more = held_response(factors, K[..., ~u], wanted - K @ free[..., None], row_error)
    forces = (K.mT @ multipliers)[..., 0]
    _, needed = hybrid_dynamics(chain, q, qd, prescribed=u, qdd=qdd, tau=tau + forces[..., ~u])
    answer = interleave(u, qdd, free[..., ~u] + more[..., 0])
    require_kept(K, answer[..., None], wanted)
    return answer, interleave(u, (needed - forces)[..., u], tau), multipliers[..., 0]
