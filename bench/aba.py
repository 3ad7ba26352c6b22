"""Forward dynamics side by side: `aba` against Pinocchio and MuJoCo, on one machine in one run.

Run as ``python bench/aba.py``; needs the extra `peers`. Measured is what a Python program calls: our public, checked
function on a serial chain of hinges and slides, and the engines' own on the same chain. A peer is left out above the
size at which it cannot go on or takes longer than a second; what is printed says which. Also printed: how far the
engines' answers are from ours, the exponent with which our time grows from n = 100 to 3000, the time a state in a batch
of 10^4 at n = 7, and the rounding error on straight chains of up to 3000 links. ``--save`` keeps the numbers in
book/speed_aba.json, ``--plot FILE`` draws them.
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

from chaindyn import Chain, Link, Revolute, aba
from chaindyn.teaching import normwise

STRAIGHT = (10, 30, 100, 300, 1000, 3000)
STYLES = {"chaindyn": ("z", "-"), "MuJoCo": ("y", "--"), "Pinocchio": ("x", "--")}


def ours(chain: Chain) -> Call:
    """Return our forward dynamics of a chain."""
    state = side.state_of(chain)
    return lambda: aba(chain, *state)


def pinocchio(chain: Chain) -> Callable[..., Any]:
    """Return Pinocchio's forward dynamics of a chain, as a function of one state."""
    model = side.pinocchio_model(chain)
    data = model.createData()
    return lambda q, qd, tau: pin.aba(model, data, q, qd, tau)


def mujoco_spec(chain: Chain) -> Any:
    """Return what MuJoCo makes its model of a tree of hinges and slides from. ImportError without it."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.gravity = chain.gravity
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    bodies = [spec.worldbody]
    for link, name, parent in zip(chain.links, chain.names, chain.parent, strict=True):
        inertia = np.asarray(link.inertia)
        moments = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        body = bodies[parent + 1].add_body(
            name=name, pos=link.offset, mass=link.mass, ipos=link.com
        )
        body.fullinertia, body.explicitinertial = moments, True
        hinge = isinstance(link.joint, Revolute)
        kind = mujoco.mjtJoint.mjJNT_HINGE if hinge else mujoco.mjtJoint.mjJNT_SLIDE
        body.add_joint(type=kind, axis=link.joint.axis)
        bodies.append(body)
    return spec


def mujoco_model(chain: Chain) -> Any:
    """Return MuJoCo's model of a tree of hinges and slides. ImportError without it."""
    return mujoco_spec(chain).compile()


def mujoco_forward(model: Any) -> Callable[..., Any]:
    """Return the forward dynamics of one of MuJoCo's models, as a function of one state."""
    import mujoco

    data = mujoco.MjData(model)

    def call(q: Any, qd: Any, tau: Any) -> Any:
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, qd, tau
        mujoco.mj_forward(model, data)
        return data.qacc

    return call


def mujoco(chain: Chain) -> Callable[..., Any]:
    """Return MuJoCo's forward dynamics of a chain, as a function of one state. ImportError without it."""
    return mujoco_forward(mujoco_model(chain))


def on_state(engine: Callable[[Chain], Callable[..., Any]]) -> Callable[[Chain], Call]:
    """Return a maker of calls on a chain's one state."""

    def make(chain: Chain) -> Call:
        call, state = engine(chain), side.state_of(chain)
        return lambda: call(*state)

    return make


def batches() -> dict[str, tuple[Call, Call]]:
    """Return a batch by our one call, and by a Python loop over Pinocchio, checked to agree."""
    chain = side.chain_of(side.BATCH_LINKS)
    q, qd, tau = side.state_of(chain, (side.BATCH,))
    one = pinocchio(chain)

    def loop() -> list[Any]:
        return [one(*state) for state in zip(q, qd, tau, strict=True)]

    side.require_same(aba(chain, q, qd, tau), np.array(loop()))
    return {"aba": (lambda: aba(chain, q, qd, tau), loop)}


def accuracy() -> dict[str, dict[str, float]]:
    """Return the relative error of aba on straight chains, against the same function on longer numbers."""
    if np.finfo(np.longdouble).eps > np.finfo(float).eps / 100:
        return {}  # this machine's long double is no longer than a double
    rod = Link(Revolute(), 1, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12]), offset=(1, 0, 0))
    errors = {}
    for n in STRAIGHT:
        chain = Chain([rod] * n, gravity=(0, -9.81, 0))
        qd, tau = np.random.default_rng(n).normal(size=(2, n))
        state = np.zeros(n), qd, tau
        exact = aba(chain, *(x.astype(np.longdouble) for x in state))
        errors[str(n)] = {
            r: float(f"{normwise(aba(chain, *state, recursion=r), exact):.1e}")
            for r in ("body", "world")
        }
    return errors


def measure() -> dict[str, Any]:
    """Return all results."""
    peers = {
        "Pinocchio": side.Peer(on_state(pinocchio), "chaindyn", largest=side.LARGEST_PINOCCHIO),
        "MuJoCo": side.Peer(on_state(mujoco), "chaindyn"),
    }
    return {
        **side.calls({"chaindyn": ours}, peers),
        "growth": {"aba": side.growth(ours)},
        "batch": side.batches(batches()),
        "accuracy": accuracy(),
    }


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and write what is asked for."""
    results = side.run("aba", measure, STYLES, arguments)
    print("relative error on straight chains of rods, body and world recursion")
    for n, errors in results["accuracy"].items():
        print(f"{n:>8s} {errors['body']:10.1e} {errors['world']:10.1e}")


if __name__ == "__main__":
    main()
