"""Forward dynamics side by side: `aba` against Pinocchio and MuJoCo, on one machine in one run.

Run from the project root as ``python bench/aba.py``; needs the extra `peers`. Measured is what a Python program calls:
our public, checked function on a serial chain of hinges and slides, and the engines' own on the same chain. A peer is
left out above the size at which it cannot go on or takes longer than `PATIENCE`; what is printed says which. Times are
medians. Also printed: how far the engines' answers are from ours, the exponent with which our time grows from n = 100
to 3000, the time a state in a batch of 10^4 at n = 7, and the rounding error on straight chains of up to 3000 links.
With ``--plot FILE`` the times are drawn.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from chaindyn import Chain, Link, Prismatic, Revolute, aba
from chaindyn.teaching import normwise

SIZES = (2, 7, 20, 50, 100, 200, 500, 1000)
LONG = (100, 200, 500, 1000, 2000, 3000)
STRAIGHT = (10, 30, 100, 300, 1000, 3000)
BATCH = 10_000
PATIENCE = 1.0  # seconds a call
# The memory of Pinocchio's data grows with n^3, and it is killed before it can say so.
LARGEST = {"Pinocchio": 500}


def chain_of(n: int) -> Chain:
    """Return a serial chain of hinges and slides, four to one, about as large as an arm however long."""
    rng = np.random.default_rng(n)
    links = []
    for i in range(n):
        kind = Prismatic if i % 5 == 4 else Revolute
        inertia = 0.01 * np.diag(rng.uniform(1, 1.5, 3))
        offset = 0.2 * rng.normal(size=3)
        links.append(Link(kind(rng.normal(size=3)), 1.0, 0.1 * rng.normal(size=3), inertia, offset))
    return Chain(links)


def state_of(chain: Chain, batch: tuple[int, ...] = ()) -> tuple[Any, Any, Any]:
    """Return q, qd and tau; slides stay near where they are."""
    rng = np.random.default_rng(0)
    q = rng.uniform(-1, 1, (*batch, chain.nq))
    return q, 0.3 * rng.normal(size=q.shape), rng.normal(size=q.shape)


def median(call: Callable[..., Any], *arguments: Any, least: float = 0.3) -> float:
    """Return the median time of a call [s], of at least five and of as many as take `least` seconds."""
    call(*arguments)
    times: list[float] = []
    while len(times) < 5 or (sum(times) < least and len(times) < 2000):
        begin = time.perf_counter()
        call(*arguments)
        times.append(time.perf_counter() - begin)
    return float(np.median(times))


def pinocchio(chain: Chain) -> Callable[..., Any]:
    """Return Pinocchio's forward dynamics of a chain, as a function of one state."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.array(chain.gravity)
    for i, link in enumerate(chain.links):
        hinge = isinstance(link.joint, Revolute)
        kind = pin.JointModelRevoluteUnaligned if hinge else pin.JointModelPrismaticUnaligned
        place = pin.SE3(np.array(link.rotation, float), np.array(link.offset))
        joint = model.addJoint(i, kind(np.array(link.joint.axis)), place, chain.names[i])
        body = pin.Inertia(link.mass, np.array(link.com), np.array(link.inertia))
        model.appendBodyToJoint(joint, body, pin.SE3.Identity())
    data = model.createData()
    return lambda q, qd, tau: pin.aba(model, data, q, qd, tau)


def mujoco(chain: Chain) -> Callable[..., Any]:
    """Return MuJoCo's forward dynamics of a chain, as a function of one state. ImportError without it."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.gravity = chain.gravity
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    parent = spec.worldbody
    for link in chain.links:
        inertia = np.asarray(link.inertia)
        moments = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        parent = parent.add_body(pos=link.offset, mass=link.mass, ipos=link.com)
        parent.fullinertia, parent.explicitinertial = moments, True
        hinge = isinstance(link.joint, Revolute)
        kind = mujoco.mjtJoint.mjJNT_HINGE if hinge else mujoco.mjtJoint.mjJNT_SLIDE
        parent.add_joint(type=kind, axis=link.joint.axis)
    model = spec.compile()
    data = mujoco.MjData(model)

    def call(q: Any, qd: Any, tau: Any) -> Any:
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, qd, tau
        mujoco.mj_forward(model, data)
        return data.qacc

    return call


def calls() -> dict[str, dict[int, float]]:
    """Time single calls over the sizes; print and return seconds by engine and size."""
    makers = {"Pinocchio": pinocchio, "MuJoCo": mujoco}
    times: dict[str, dict[int, float]] = {"chaindyn": {}, **{name: {} for name in makers}}
    stopped: dict[str, str] = {}
    for n in SIZES:
        chain = chain_of(n)
        state = state_of(chain)
        ours = aba(chain, *state)
        times["chaindyn"][n] = median(aba, chain, *state)
        for name, make in makers.items():
            if name in stopped:
                continue
            if n > LARGEST.get(name, n):
                stopped[name] = f"{name} is not asked beyond n = {LARGEST[name]}: memory"
                continue
            try:
                call = make(chain)
                error = normwise(call(*state), ours)
                times[name][n] = median(call, *state)
            except Exception as problem:  # whatever an engine says when it cannot go on
                stopped[name] = f"{name} stops at n = {n}: {type(problem).__name__}: {problem}"
                continue
            print(f"n = {n}: {name} differs from chaindyn by {error:.1e}")
            if times[name][n] > PATIENCE:
                stopped[name] = f"{name} takes longer than {PATIENCE} s from n = {n} on"
    print("\nmicroseconds a call\n" + " ".join(f"{name:>10s}" for name in ("n", *times)))
    for n in SIZES:
        row = [f"{1e6 * t[n]:10.1f}" if n in t else f"{'-':>10s}" for t in times.values()]
        print(f"{n:10d} " + " ".join(row))
    print("\n".join(stopped.values()))
    return times


def growth() -> float:
    """Return the exponent with which the time of aba grows over the long sizes."""
    times = []
    for n in LONG:
        chain = chain_of(n)
        state = state_of(chain)
        times.append(median(aba, chain, *state))
    return float(np.polyfit(np.log(LONG), np.log(times), 1)[0])


def batches() -> tuple[float, float]:
    """Return seconds a state in a batch at n = 7: ours in one call, and a Python loop over Pinocchio."""
    chain = chain_of(7)
    q, qd, tau = state_of(chain, (BATCH,))
    one = pinocchio(chain)
    looped = [one(*state) for state in zip(q, qd, tau, strict=True)]
    error = normwise(aba(chain, q, qd, tau), looped)
    print(f"\nbatch of {BATCH} states at n = 7: differs from Pinocchio by {error:.1e}")
    ours, theirs = [], []
    for _ in range(9):  # turn by turn, so that both see the same machine
        begin = time.perf_counter()
        aba(chain, q, qd, tau)
        middle = time.perf_counter()
        for state in zip(q, qd, tau, strict=True):
            one(*state)
        ours.append(middle - begin)
        theirs.append(time.perf_counter() - middle)
    return float(np.median(ours)) / BATCH, float(np.median(theirs)) / BATCH


def accuracy() -> None:
    """Print the relative error of aba on straight chains, against the same function on longer numbers."""
    if np.finfo(np.longdouble).eps > np.finfo(float).eps / 100:
        print("\nno accuracy: this machine's long double is no longer than a double")
        return
    rod = Link(Revolute(), 1, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12]), offset=(1, 0, 0))
    print("\nrelative error on a straight chain of rods\n         n       body      world")
    for n in STRAIGHT:
        chain = Chain([rod] * n, gravity=(0, -9.81, 0))
        qd, tau = np.random.default_rng(n).normal(size=(2, n))
        state = np.zeros(n), qd, tau
        exact = aba(chain, *(x.astype(np.longdouble) for x in state))
        errors = [normwise(aba(chain, *state, recursion=r), exact) for r in ("body", "world")]
        print(f"{n:10d} " + " ".join(f"{error:10.1e}" for error in errors))


def plot(times: dict[str, dict[int, float]], file: str) -> None:
    """Draw microseconds a call against the number of links."""
    import matplotlib.pyplot as plt

    from chaindyn.drawing import COLOURS, style

    style()
    fig, ax = plt.subplots(figsize=(5, 3.6))
    for (name, of_size), colour in zip(times.items(), ("z", "x", "y"), strict=True):
        if not of_size:
            continue
        sizes, spent = list(of_size), [1e6 * seconds for seconds in of_size.values()]
        ax.loglog(sizes, spent, "-o", color=COLOURS[colour], markersize=4)
        shift = -15 if name == "Pinocchio" else 13  # the lowest curve is named below it
        ax.annotate(
            name,
            (sizes[0], spent[0]),
            (0, shift),
            textcoords="offset points",
            color=COLOURS[colour],
        )
    ax.set(xlabel="links", ylabel="microseconds a call", xlim=(1.5, 1500), ylim=(0.2, 1e5))
    ax.spines[["top", "right"]].set_visible(False)
    fig.savefig(file, bbox_inches="tight", transparent=True, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description="Time forward dynamics.")
    parser.add_argument(
        "--plot", metavar="FILE", help="where to draw the times, for example aba.svg"
    )
    options = parser.parse_args()
    times = calls()
    print(f"\nfrom n = {LONG[0]} to {LONG[-1]} the time grows like n^{growth():.3f}")
    ours, theirs = batches()
    print(
        f"microseconds a state: {1e6 * ours:.2f} batched, {1e6 * theirs:.2f} in a Python loop over Pinocchio, "
        f"ratio {ours / theirs:.1f}"
    )
    accuracy()
    if options.plot:
        plot(times, options.plot)


if __name__ == "__main__":
    main()
