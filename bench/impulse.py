"""Blows side by side: how a chain yields and what an impact does to it, against Pinocchio, in one run.

Run as ``python bench/impulse.py``; needs the extra `peers`. Ours are the public, checked functions on a serial chain of
hinges and slides. Pinocchio has no one call for how every link yields: its dense route is `computeMinverse`, then
J M^-1 J^T for every link, in Python, and for an impact the same with the one row of J that the blow needs.
`computeDelassusMatrix` is its own function for the last link. Also measured: the exponent with which our times grow
from n = 100 to 3000, and the time a state in a batch of 10^4 at n = 7. ``--save`` keeps the numbers in
book/speed_impulse.json, ``--plot FILE`` draws them.
"""

from __future__ import annotations

# isort: off
import side_by_side as side  # first: it sets BLAS to one thread
# isort: on

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
from kinematics import Call

from chaindyn import (
    Chain,
    forward_kinematics,
    impact,
    inverse_operational_space_inertia,
    inverse_operational_space_inertia_serial,
    swap_order,
)

EVERY, SERIAL, IMPACT = (
    "inverse_operational_space_inertia",
    "inverse_operational_space_inertia_serial",
    "impact",
)
DENSE, DELASSUS, BLOW = (
    "Pinocchio, every link",
    "Pinocchio, Delassus matrix",
    "Pinocchio, impact",
)
STYLES = {
    IMPACT: ("x", "-"),
    EVERY: ("z", "-"),
    SERIAL: ("y", "-"),
    BLOW: ("x", "--"),
    DENSE: ("z", "--"),
    DELASSUS: ("com", "--"),
}
NORMAL, RESTITUTION = np.array([0.6, 0.0, 0.8]), 0.5

# --- ours ---


def blow(chain: Chain, q: Any) -> dict[str, Any]:
    """Return a blow on the tip, 0.1 m from the last link's origin."""
    return {
        "point": forward_kinematics(chain, q)[1][..., -1, :] + [0, 0.1, 0],
        "normal": NORMAL,
        "restitution": RESTITUTION,
    }


def ours(function: Callable[..., Any]) -> side.Maker:
    """Return the maker of calls of an inverse inertia."""

    def make(chain: Chain) -> Call:
        q, *_ = side.state_of(chain)
        return lambda: function(chain, q)

    return make


def our_impact(chain: Chain) -> Call:
    """Return our impact of a chain."""
    q, qd, _ = side.state_of(chain)
    qd, contact = approaching(chain, q, qd), blow(chain, q)
    return lambda: impact(chain, q, qd, **contact)


def approaching(chain: Chain, q: Any, qd: Any) -> Any:
    """Return the joint rates, reversed where the tip would leave the obstacle."""
    struck = impact(chain, q, qd, **blow(chain, q)).impulse > 0
    return np.where(np.asarray(struck)[..., None], qd, -qd)


# --- Pinocchio's, as functions of a state ---


def dense(chain: Chain) -> Callable[..., Any]:
    """Return J M^-1 J^T of every link."""
    model = side.pinocchio_model(chain)
    data = model.createData()

    def call(q: Any) -> Any:
        inverse = pin.computeMinverse(model, data, q)
        pin.computeJointJacobians(model, data, q)
        yields = []
        for j in range(1, model.njoints):
            J = pin.getJointJacobian(model, data, j, pin.LOCAL)
            yields.append(J @ inverse @ J.T)
        return yields

    return call


def delassus(chain: Chain) -> Callable[..., Any]:
    """Return Pinocchio's Delassus matrix of a tip that is held."""
    model = side.pinocchio_model(chain)
    data = model.createData()
    held = pin.StdVec_RigidConstraintModel()
    held.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_6D, model, model.njoints - 1))
    its_data = pin.StdVec_RigidConstraintData()
    its_data.append(held[0].createData())
    pin.initConstraintDynamics(model, data, held, its_data)
    return lambda q: pin.computeDelassusMatrix(model, data, q, held, its_data, 0.0)


def dense_impact(chain: Chain) -> Callable[..., Any]:
    """Return the impulse on the tip and the jumps of the joint rates."""
    model = side.pinocchio_model(chain)
    data = model.createData()
    tip = model.njoints - 1

    def call(q: Any, qd: Any, point: Any) -> Any:
        inverse = pin.computeMinverse(model, data, q)
        J = pin.computeJointJacobian(model, data, q, tip)
        place = data.oMi[tip]
        arm, normal = place.actInv(point), place.rotation.T @ NORMAL
        row = normal @ J[:3] + np.cross(arm, normal) @ J[3:]
        response = inverse @ row
        impulse = max(0.0, -(1 + RESTITUTION) * (row @ qd) / (row @ response))
        return np.append(response * impulse, impulse)

    return call


def on_state(route: Callable[[Chain], Callable[..., Any]]) -> side.Maker:
    """Return a maker of calls on a chain's one state."""

    def make(chain: Chain) -> Call:
        call, (q, qd, _) = route(chain), side.state_of(chain)
        if route is dense_impact:
            qd, point = approaching(chain, q, qd), blow(chain, q)["point"]
            return lambda: call(q, qd, point)
        return lambda: call(q)

    return make


def swapped(matrices: Any) -> Any:
    """Return matrices (..., 6, 6) in the other engine's order, linear or angular parts first."""
    return swap_order(swap_order(np.asarray(matrices)).mT)


# --- together ---


def jumps(hit: Any) -> Any:
    """Return what the dense route gives of an impact."""
    return np.append(hit.qd_jump, hit.impulse)


def batches() -> dict[str, tuple[Call, Call]]:
    """Return a batch by our one call, and by a Python loop over Pinocchio, checked to agree."""
    chain = side.chain_of(side.BATCH_LINKS)
    q, qd, _ = side.state_of(chain, (side.BATCH,))
    qd, contact = approaching(chain, q, qd), blow(chain, q)
    every, tip = dense(chain), dense_impact(chain)

    def loop() -> list[Any]:
        return [every(state) for state in q]

    def hits() -> list[Any]:
        return [tip(*state) for state in zip(q, qd, contact["point"], strict=True)]

    side.require_same(inverse_operational_space_inertia(chain, q), swapped(loop()))
    side.require_same(impact(chain, q, qd, **contact).qd_jump, np.array(hits())[:, :-1])
    return {
        EVERY: (lambda: inverse_operational_space_inertia(chain, q), loop),
        SERIAL: (lambda: inverse_operational_space_inertia_serial(chain, q), loop),
        IMPACT: (lambda: impact(chain, q, qd, **contact), hits),
    }


def measure() -> dict[str, Any]:
    """Return all results."""
    makers = {
        EVERY: ours(inverse_operational_space_inertia),
        SERIAL: ours(inverse_operational_space_inertia_serial),
        IMPACT: our_impact,
    }
    far = {"largest": side.LARGEST_PINOCCHIO}
    peers = {
        DENSE: side.Peer(on_state(dense), EVERY, swapped, **far),
        DELASSUS: side.Peer(on_state(delassus), EVERY, lambda each: swapped(each)[-1], **far),
        BLOW: side.Peer(on_state(dense_impact), IMPACT, jumps, **far),
    }
    return {
        **side.calls(makers, peers),
        "growth": {name: side.growth(make) for name, make in makers.items()},
        "batch": side.batches(batches()),
    }


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and write what is asked for."""
    side.run("impulse", measure, STYLES, arguments)


if __name__ == "__main__":
    main()
