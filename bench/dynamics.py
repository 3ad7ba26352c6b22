"""Inverse dynamics and the mass matrix side by side: `rnea`, `crba`, `coriolis_matrix` against Pinocchio and MuJoCo.

Run as ``python bench/dynamics.py``; needs the extra `peers`. Ours are the public, checked functions on a serial chain
of hinges and slides. MuJoCo's inverse dynamics is `mj_inverse`, which does all of its kinematics, too; its mass matrix
is `mj_kinematics`, `mj_comPos` and `mj_crb`, which leave it sparse: what makes it dense for the comparison is not
timed. MuJoCo has no Coriolis matrix. A peer is left out above the size at which it cannot go on or takes longer than
a second. Also measured: the exponent with which times of `rnea` and `crba` grow from n = 100 to 3000, and the time a
state in a batch of 10^4 at n = 7. ``--save`` keeps the numbers in book/speed_dynamics.json, ``--plot FILE`` draws them.
"""

from __future__ import annotations

# isort: off
import side_by_side as side  # first: it sets BLAS to one thread
# isort: on

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
from aba import mujoco_model, on_state
from kinematics import Call

from chaindyn import Chain, coriolis_matrix, crba, rnea

STYLES = {
    "rnea": ("x", "-"),
    "crba": ("y", "-"),
    "coriolis_matrix": ("z", "-"),
    "Pinocchio, rnea": ("x", "--"),
    "Pinocchio, crba": ("y", "--"),
    "Pinocchio, Coriolis matrix": ("z", "--"),
    "MuJoCo, inverse": ("x", ":"),
    "MuJoCo, mass matrix": ("y", ":"),
}

# --- ours ---

OURS: dict[str, Callable[..., Any]] = {
    "rnea": rnea,
    "crba": lambda chain, q, qd, qdd: crba(chain, q),
    "coriolis_matrix": lambda chain, q, qd, qdd: coriolis_matrix(chain, q, qd),
}


def ours(name: str) -> side.Maker:
    """Return the maker of calls of one of our functions."""

    def make(chain: Chain) -> Call:
        state = side.state_of(chain)
        return lambda: OURS[name](chain, *state)

    return make


# --- Pinocchio's, as functions of a state ---


ALGORITHMS: dict[str, Callable[..., Any]] = {
    "rnea": pin.rnea,
    "crba": lambda model, data, q, qd, qdd: pin.crba(model, data, q),
    "coriolis_matrix": lambda model, data, q, qd, qdd: pin.computeCoriolisMatrix(
        model, data, q, qd
    ),
}
PINOCCHIOS = {
    "rnea": "Pinocchio, rnea",
    "crba": "Pinocchio, crba",
    "coriolis_matrix": "Pinocchio, Coriolis matrix",
}


def pinocchio(name: str) -> Callable[[Chain], Callable[..., Any]]:
    """Return the maker of the algorithm of Pinocchio that computes the same as ours of that name."""

    def make(chain: Chain) -> Callable[..., Any]:
        model = side.pinocchio_model(chain)
        data, algorithm = model.createData(), ALGORITHMS[name]
        return lambda q, qd, qdd: algorithm(model, data, q, qd, qdd)

    return make


# --- MuJoCo's ---


def mujoco_inverse(chain: Chain) -> Callable[..., Any]:
    """Return MuJoCo's inverse dynamics. ImportError without it."""
    import mujoco

    model = mujoco_model(chain)
    data = mujoco.MjData(model)

    def call(q: Any, qd: Any, qdd: Any) -> Any:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse

    return call


def mujoco_mass_matrix(chain: Chain) -> Callable[..., Any]:
    """Return MuJoCo's mass matrix, within its data. ImportError without it."""
    import mujoco

    model = mujoco_model(chain)
    data = mujoco.MjData(model)

    def call(q: Any, qd: Any, qdd: Any) -> Any:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)
        return model, data

    return call


def dense(answer: Any) -> Any:
    """Return MuJoCo's mass matrix (nv, nv), column by column."""
    import mujoco

    model, data = answer
    M = np.zeros((model.nv, model.nv))
    for row, unit in zip(M, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, row, unit)
    return M


# --- together ---


def batches() -> dict[str, tuple[Call, Call]]:
    """Return batches by our one call, and by a Python loop over Pinocchio, checked to agree."""
    chain = side.chain_of(side.BATCH_LINKS)
    states = side.state_of(chain, (side.BATCH,))

    def pair(name: str) -> tuple[Call, Call]:
        one = pinocchio(name)(chain)
        whole = lambda: OURS[name](chain, *states)  # noqa: E731
        loop = lambda: [np.array(one(*state)) for state in zip(*states, strict=True)]  # noqa: E731
        side.require_same(whole(), np.array(loop()))
        return whole, loop

    return {name: pair(name) for name in OURS}


def measure() -> dict[str, Any]:
    """Return all results."""
    far = {"largest": side.LARGEST_PINOCCHIO}
    peers = {PINOCCHIOS[name]: side.Peer(on_state(pinocchio(name)), name, **far) for name in OURS}
    peers["MuJoCo, inverse"] = side.Peer(on_state(mujoco_inverse), "rnea")
    peers["MuJoCo, mass matrix"] = side.Peer(on_state(mujoco_mass_matrix), "crba", read=dense)
    return {
        **side.calls({name: ours(name) for name in OURS}, peers),
        "growth": {name: side.growth(ours(name)) for name in ("rnea", "crba")},
        "batch": side.batches(batches()),
    }


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and write what is asked for."""
    side.run("dynamics", measure, STYLES, arguments)


if __name__ == "__main__":
    main()
