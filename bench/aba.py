"""Forward dynamics side by side: `aba` against Pinocchio and MuJoCo, on one machine in one run.

Run from the project root as ``python bench/aba.py``; needs pin, and mujoco for its column (``pip install
'chaindyn[peers]'``). Measured is what a Python program calls: our public, checked function on a serial chain of hinges
and slides, and the engines' own functions on the same chain. A peer is left out above the size at which it cannot go on
or takes longer than `PATIENCE`; the table says which. Times are medians. Also printed: the exponent with which our time
grows from n = 100 to 3000, the time a state in a batch of 10^4 at n = 7, and how far the engines' answers are from ours.
With ``--plot FILE`` the table is drawn.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by NumPy's linear algebra when it is loaded

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1] / "tests")]

from oracles.make_aba import model_with_bodies
from trees import Case, motion, random_tree

from chaindyn import Chain, Link, Prismatic, Revolute, aba
from chaindyn.teaching import normwise

SIZES = (2, 7, 20, 50, 100, 200, 500, 1000)
LONG = (100, 200, 500, 1000, 2000, 3000)
BATCH = 10_000
PATIENCE = 1.0  # seconds a call
LARGEST = {"Pinocchio": 500}  # the memory of its data grows with n^3, and it is killed before it can say so


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


def median(call: Callable[[], Any], least: float = 0.3) -> float:
    """Return the median time of a call [s], of at least five and of as many as take `least` seconds."""
    call()
    times: list[float] = []
    while len(times) < 5 or (sum(times) < least and len(times) < 2000):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return float(np.median(times))


def pinocchio(chain: Chain) -> Callable[..., Any]:
    """Return Pinocchio's forward dynamics of a chain, as a function of one state."""
    import pinocchio as pin

    model, _ = model_with_bodies(chain)
    data = model.createData()
    return lambda q, qd, tau: pin.aba(model, data, q, qd, tau)


def mujoco(chain: Chain) -> Callable[..., Any]:
    """Return MuJoCo's forward dynamics of a chain, as a function of one state. ImportError without it."""
    import mujoco

    def numbers(x: Any) -> str:
        return " ".join(repr(float(entry)) for entry in x)

    text = ""
    for link in reversed(chain.links):
        kind = "hinge" if isinstance(link.joint, Revolute) else "slide"
        tensor = np.asarray(link.inertia)
        full = numbers([*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]])
        text = (
            f'<body pos="{numbers(link.offset)}"><joint type="{kind}" axis="{numbers(link.joint.axis)}"/>'
            f'<inertial mass="{link.mass}" pos="{numbers(link.com)}" fullinertia="{full}"/>{text}</body>'
        )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="{numbers(chain.gravity)}"><flag contact="disable"/></option>'
        f"<worldbody>{text}</worldbody></mujoco>"
    )
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
        times["chaindyn"][n] = median(lambda: aba(chain, *state))
        for name, make in makers.items():
            if name in stopped:
                continue
            if n > LARGEST.get(name, n):
                stopped[name] = f"{name} is not asked beyond n = {LARGEST[name]}: memory"
                continue
            try:
                call = make(chain)
                error = normwise(call(*state), ours)
                times[name][n] = median(lambda: call(*state))
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
        times.append(median(lambda: aba(chain, *state)))
    return float(np.polyfit(np.log(LONG), np.log(times), 1)[0])


def batches() -> tuple[float, float]:
    """Return seconds a state in a batch at n = 7: ours in one call, and a Python loop over Pinocchio."""
    case = Case(7, seed=5, kinds=(Revolute, Prismatic))
    chain = random_tree(case)
    q, qd, tau = motion(case, chain, (BATCH,))
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


def plot(times: dict[str, dict[int, float]], file: str) -> None:
    """Draw microseconds a call against the number of links."""
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(5, 3.6))
    for name, of_size in times.items():
        if of_size:
            ax.loglog(list(of_size), 1e6 * np.array(list(of_size.values())), "-o", label=name)
    ax.set(xlabel="links", ylabel="microseconds a call")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend()
    plt.savefig(file, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--plot", metavar="FILE", help="where to draw the times, for example aba.svg")
    options = parser.parse_args()
    times = calls()
    print(f"\nfrom n = {LONG[0]} to {LONG[-1]} the time grows like n^{growth():.3f}")
    ours, theirs = batches()
    print(
        f"microseconds a state: {1e6 * ours:.2f} batched, {1e6 * theirs:.2f} in a Python loop over Pinocchio, "
        f"ratio {ours / theirs:.1f}"
    )
    if options.plot:
        plot(times, options.plot)


if __name__ == "__main__":
    main()
