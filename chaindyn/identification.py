# Generated from chapters/19_identification.md by `python -m book export`; edit it there.
# sha256 of the text below: 8022065fcfae055a146f908099a1e24df7ac205984d8d1be5ed616d994d96390
"""Identification: what a robot's links weigh, from how it moves.

Derived in chapter 19, "Identification".
"""

from typing import Any

from chaindyn._check import checked
from chaindyn._ops import Array, concatenate, eye, stack, unstack, zeros
from chaindyn.chain import Chain, inward
from chaindyn.derivatives import placed
from chaindyn.inverse_dynamics import ground_acceleration
from chaindyn.spatial import skew
from chaindyn.state import evaluate

__all__: list[str] = []


# Chapter 19, "Identification": What a robot weighs, from how it moves
def unit_inertias() -> Array:
    """Return the spatial inertias (10, 6, 6) of unit parameters: m, m c (3), then I_xx, I_xy, I_xz, I_yy, I_yz, I_zz."""
    axes, none = eye(3), zeros((3, 3))
    blocks = [(none, none, axes)]
    blocks += [(none, skew(axis), none) for axis in axes]
    for r, c in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        product = axes[r][:, None] * axes[c]
        blocks.append((product if r == c else product + product.mT, none, none))
    rows = [([about, moment], [moment.mT, mass]) for about, moment, mass in blocks]
    joined = [[concatenate(row, axis=-1) for row in pair] for pair in rows]
    return stack([concatenate(pair, axis=-2) for pair in joined], axis=0)


def inertial_parameters(chain: Chain) -> Array:
    """Return the ten parameters of each link (10 n,): m [kg], m c [kg m], and the inertia about its origin [kg m^2]."""
    inertias = chain.spatial_inertia
    upper = inertias[:, 0, :3], inertias[:, 1, 1:3], inertias[:, 2, 2:3]
    moment = concatenate([inertias[:, 2:3, 4], inertias[:, 0:1, 5], inertias[:, 1:2, 3]], axis=-1)
    return concatenate([inertias[:, 3:4, 3], moment, *upper], axis=-1).reshape(-1)


def gathered_step(children: Any, X: Array, S: Array, own: Array) -> tuple[Array, tuple[Array]]:
    """Link step: what a joint gives of columns of wrenches (..., 6, m), and what the parent feels of them."""
    through = own + children[0]
    return S.mT @ through, (X.mT @ through,)


@checked(q="nq", qd="nv", qdd="nv")
def torque_regressor(chain: Chain, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the matrix Y (..., nv, 10 n) with Y times the links' inertial parameters = `rnea`.

    q : (..., nq); qd, qdd : (..., nv). The order of the parameters is that of `inertial_parameters`.
    """
    state, width = evaluate(chain, q, qd, qdd), 10 * chain.n
    A = state.accumulate(
        state.along_joints(state.subspaces, qdd) + state.eta, ground_acceleration(chain)
    )
    units = unit_inertias()
    needed = (
        units @ A[..., None, :, :]
        - state.crm_twists.mT[..., None, :, :] @ (units @ state.twists[..., None, :, :])
    )[..., 0]
    columns = [
        placed(own.mT, range(10 * i, 10 * i + 10), width)
        for i, own in enumerate(unstack(needed, -3))
    ]
    kept, _ = inward(gathered_step, chain.parent, (zeros((6, width)),), state.X, state.S, columns)
    return concatenate(kept, axis=-2)
