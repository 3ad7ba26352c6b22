"""What the measurements of dynamics share: the chains, the peers, how time is taken, how results are kept and drawn."""

from __future__ import annotations

# isort: off
from kinematics import BOOK, Call, machine, seconds  # first: it sets BLAS to one thread
# isort: on

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from chaindyn import Chain, Free, Link, Prismatic, Revolute, Spherical, random_state
from chaindyn.teaching import normwise

SIZES = (2, 7, 20, 50, 100, 200, 500, 1000)
LONG = (100, 200, 500, 1000, 2000, 3000)
BATCH, BATCH_LINKS = 10_000, 7
PATIENCE = 1.0  # seconds a call
ROUNDS = 15
# The memory of Pinocchio's data grows with n^3, and it is killed before it can say so.
LARGEST_PINOCCHIO = 500

Maker = Callable[[Chain], Call]


@dataclass(frozen=True)
class Peer:
    """Another engine's call: how it is made, whose answer it must give and which part, and how far it can go.

    read : makes numbers of its answer, where that is no array.
    """

    make: Maker
    of: str
    part: Callable[[Any], Any] = lambda answer: answer
    largest: int = SIZES[-1]
    read: Callable[[Any], Any] = lambda answer: answer


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


def tree_of(n: int) -> Chain:
    """Return a tree of hinges, balls and slides on a trunk that is free to move, in branches of four links."""
    rng = np.random.default_rng(n)
    links = []
    for i in range(n):
        axis, inertia = rng.normal(size=3), 0.01 * np.diag(rng.uniform(1, 1.5, 3))
        kinds = [Revolute(axis), Spherical(), Revolute(axis), Prismatic(axis)]
        body = 1.0, 0.1 * rng.normal(size=3), inertia, 0.2 * rng.normal(size=3)
        # a branch begins at the trunk, or on the second link of the one before
        parent = i - 1 if i % 4 != 1 else max(i - 3, 0) if i % 8 == 5 else 0
        links.append(Link(kinds[i % 4] if i else Free(), *body, parent=parent if i else "ground"))
    return Chain(links)


def state_of(chain: Chain, batch: tuple[int, ...] = ()) -> tuple[Any, Any, Any]:
    """Return q, qd and tau of a chain of hinges and slides; slides stay near where they are."""
    rng = np.random.default_rng(0)
    q = rng.uniform(-1, 1, (*batch, chain.nq))
    return q, 0.3 * rng.normal(size=q.shape), rng.normal(size=q.shape)


def state_of_tree(chain: Chain) -> tuple[Any, Any, Any]:
    """Return q, qd and tau of any tree."""
    q, qd = random_state(chain, 0)
    return q, 0.3 * qd, np.random.default_rng(0).normal(size=chain.nv)


def pinocchio_joint(joint: Any) -> Any:
    """Return Pinocchio's joint of the same kind."""
    if isinstance(joint, Free):
        return pin.JointModelFreeFlyer()
    if isinstance(joint, Spherical):
        return pin.JointModelSpherical()
    hinge = isinstance(joint, Revolute)
    kind = pin.JointModelRevoluteUnaligned if hinge else pin.JointModelPrismaticUnaligned
    return kind(np.array(joint.axis))


def pinocchio_model(chain: Chain) -> Any:
    """Return Pinocchio's model of a tree of these kinds of joints, in which each branch follows the last."""
    model = pin.Model()
    model.gravity.linear = np.array(chain.gravity)
    for i, link in enumerate(chain.links):
        place = pin.SE3(np.array(link.rotation, float), np.array(link.offset))
        joint = model.addJoint(
            chain.parent[i] + 1, pinocchio_joint(link.joint), place, chain.names[i]
        )
        body = pin.Inertia(link.mass, np.array(link.com), np.array(link.inertia))
        model.appendBodyToJoint(joint, body, pin.SE3.Identity())
    return model


def pinocchio_order(chain: Chain) -> tuple[Any, Any]:
    """Return which of our q, and of our qd, stands in each place of Pinocchio's: w comes last, turning after moving."""
    q, v = [], []
    for link, own, rates in zip(chain.links, chain.q_columns, chain.v_columns, strict=True):
        at = list(own)
        q += at if not link.joint.quaternion else [*at[:-4], *at[-3:], at[-4]]
        v += np.roll(rates, -3).tolist() if isinstance(link.joint, Free) else list(rates)
    return np.array(q), np.array(v)


def in_turns(calls: dict[Any, Call], rounds: int) -> dict[Any, float]:
    """Return the shortest time of each call [s] over rounds, in each of which all are timed one after the other.

    What else the machine does can only add to a time.
    """
    times = [[seconds(call) for call in calls.values()] for _ in range(rounds + 1)]
    return dict(zip(calls, np.min(times, axis=0).tolist(), strict=True))


def calls(ours: dict[str, Maker], peers: dict[str, Peer]) -> dict[str, Any]:
    """Time single calls over the sizes; return microseconds by name and size, and where each peer stopped."""
    times: dict[str, dict[str, float]] = {name: {} for name in (*ours, *peers)}
    stopped: dict[str, str] = {}
    for n in SIZES:
        chain = chain_of(n)
        timed = {name: make(chain) for name, make in ours.items()}
        answers = {name: call() for name, call in timed.items()}
        for name, peer in peers.items():
            if name in stopped:
                continue
            if n > peer.largest:
                stopped[name] = f"not asked beyond n = {peer.largest}: memory"
                continue
            try:
                call = peer.make(chain)
                call()
                begin = time.perf_counter()
                answer = call()
                taken = time.perf_counter() - begin
            except Exception as problem:  # whatever an engine says when it cannot go on
                stopped[name] = f"stops at n = {n}: {type(problem).__name__}: {problem}"
                continue
            error = require_same(peer.read(answer), peer.part(answers[peer.of]))
            print(f"n = {n}: {name} differs from {peer.of} by {error:.1e}", flush=True)
            if taken > PATIENCE:
                stopped[name] = f"takes longer than {PATIENCE} s from n = {n} on"
                continue
            timed[name] = call
        for name, taken in in_turns(timed, ROUNDS).items():
            times[name][str(n)] = round(1e6 * taken, 2)
    return {"calls": times, "stopped": stopped}


def growth(make: Maker) -> float:
    """Return the exponent with which the time of a call grows over the long sizes."""
    times = in_turns({n: make(chain_of(n)) for n in LONG}, ROUNDS)
    return round(float(np.polyfit(np.log(LONG), np.log(list(times.values())), 1)[0]), 3)


def require_same(result: Any, reference: Any, bound: float = 1e-8) -> float:
    """Return how far two engines' numbers are apart; raise if further than long chains' conditioning explains."""
    error = normwise(result, reference)
    if not error <= bound:
        raise AssertionError(f"the engines differ by {error:.1e}: nothing is timed")
    return error


def table(results: dict[str, Any]) -> str:
    """Return the times of single calls as lines of text, a column for each size."""
    width = max(map(len, results["calls"]))
    lines = [f"{'microseconds a call':{width}s}" + "".join(f"{n:>11d}" for n in SIZES)]
    for name, times in results["calls"].items():
        cells = [f"{times[str(n)]:11.1f}" if str(n) in times else f"{'-':>11s}" for n in SIZES]
        lines.append(f"{name:{width}s}" + "".join(cells))
    return "\n".join(lines + [f"{name} {why}" for name, why in results["stopped"].items()])


def batches(pairs: dict[str, tuple[Call, Call]]) -> dict[str, Any]:
    """Time one call of ours on a batch, and a Python loop over Pinocchio; return microseconds a state."""
    both = {(name, k): call for name, pair in pairs.items() for k, call in enumerate(pair)}
    taken = {key: round(1e6 * t / BATCH, 2) for key, t in in_turns(both, 7).items()}
    functions = {name: {"chaindyn": taken[name, 0], "Pinocchio": taken[name, 1]} for name in pairs}
    return {"states": BATCH, "links": BATCH_LINKS, "functions": functions}


def report(results: dict[str, Any]) -> str:
    """Return what was measured as lines of text."""
    lines = [table(results)]
    for name, exponent in results["growth"].items():
        lines.append(f"{name} from n = {LONG[0]} to {LONG[-1]}: n^{exponent}")
    lines.append(f"microseconds a state in a batch of {BATCH} at n = {BATCH_LINKS}")
    for name, us in results["batch"]["functions"].items():
        ratio = us["chaindyn"] / us["Pinocchio"]
        lines.append(
            f"{name}: {us['chaindyn']}, Pinocchio in a loop {us['Pinocchio']}, {ratio:.2f}"
        )
    return "\n".join(lines)


def keep(name: str, results: dict[str, Any]) -> None:
    """Write results to book/speed_<name>.json."""
    (BOOK / f"speed_{name}.json").write_text(json.dumps(results, indent=1) + "\n")


def plot(results: dict[str, Any], styles: dict[str, tuple[str, str]], file: str) -> None:
    """Draw microseconds a call against the number of links; styles : name -> colour, line."""
    import matplotlib.pyplot as plt

    from chaindyn.drawing import COLOURS, style

    style()
    fig, ax = plt.subplots(figsize=(5.4, 4.2))
    for name, (colour, line) in styles.items():
        times = results["calls"][name]
        sizes = [int(n) for n in times]
        kind = {"color": COLOURS[colour], "marker": "o", "markersize": 4, "label": name}
        ax.loglog(sizes, list(times.values()), line, **kind)
    ax.set(xlabel="links", ylabel="microseconds a call", xlim=(1.5, 1500), ylim=(0.5, 3e6))
    ax.legend(loc="upper left", fontsize=8, labelcolor="linecolor", frameon=False, handlelength=3)
    ax.spines[["top", "right"]].set_visible(False)
    fig.savefig(file, bbox_inches="tight", transparent=True, metadata={"Date": None})


def run(
    name: str,
    measure: Callable[[], dict[str, Any]],
    styles: dict[str, tuple[str, str]],
    arguments: list[str] | None,
    report: Callable[[dict[str, Any]], str] = report,
    plot: Callable[[dict[str, Any], Any, str], None] = plot,
) -> dict[str, Any]:
    """Measure, print, write what the command line asks for, and return the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", action="store_true", help=f"keep them in book/speed_{name}.json")
    parser.add_argument("--plot", metavar="FILE", help=f"where to draw them, such as {name}.svg")
    options = parser.parse_args(arguments)
    results = {"machine": machine(), **measure()}
    print(report(results))
    if options.save:
        keep(name, results)
    if options.plot:
        plot(results, styles, options.plot)
    return results
