"""Kinematics, a call and a state in a batch, side by side with Pinocchio in one run.

Run as ``python bench/kinematics.py`` where pin and matplotlib are installed. Writes book/speed_kinematics.json and
book/figures/kinematics_times.svg. Before anything is timed, both must give the same numbers.
"""

from __future__ import annotations

import os

os.environ.update(
    dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
)  # before numpy

import json
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pinocchio as pin

from chaindyn import (
    Chain,
    Link,
    Revolute,
    __version__,
    body_accelerations,
    body_jacobian,
    body_twists,
    forward_kinematics,
    random_state,
    swap_order,
)
from chaindyn.teaching import normwise

LINKS = (2, 7, 20, 100)
BATCH, BATCH_LINKS = 10_000, 7
ROUNDS = 31  # each times both engines, one after the other; medians of these are kept
AT_LEAST = 2e-3  # seconds that one timing lasts, by repeating the call
BOOK = Path(__file__).parents[1] / "book"  # its page speed.md reads what is kept beside it

Call = Callable[[], Any]
Timing = dict[str, float]
Key = TypeVar("Key")


def serial_chain(n: int, rng: np.random.Generator) -> Chain:
    """Return a chain of revolute joints about random axes, half a metre apart."""
    place = rng.normal(size=(n, 3))
    offsets = place / np.linalg.norm(place, axis=-1, keepdims=True) / 2
    return Chain(
        [Link(Revolute(rng.normal(size=3)), 1, (0, 0, 0), np.eye(3), offset=o) for o in offsets]
    )


def in_pinocchio(chain: Chain) -> Any:
    """Return Pinocchio's model of a serial chain of revolute joints."""
    model, joint = pin.Model(), 0
    for i, link in enumerate(chain.links):
        kind = pin.JointModelRevoluteUnaligned(np.array(link.joint.axis))
        joint = model.addJoint(joint, kind, pin.SE3(np.eye(3), np.array(link.offset)), f"joint{i}")
    return model


def single_calls(n: int) -> dict[str, tuple[Call, Call]]:
    """Return for each function a call of ours and of Pinocchio's on one state, checked to agree."""
    rng = np.random.default_rng(n)
    chain = serial_chain(n, rng)
    q, qd = random_state(chain, rng)
    qdd = rng.normal(size=n)
    model = in_pinocchio(chain)
    data = model.createData()

    def theirs(kind: str) -> Any:
        return [getattr(data, kind)[i + 1] for i in range(n)]

    pin.forwardKinematics(model, data, q, qd, qdd)
    agree(forward_kinematics(chain, q)[1], [T.translation for T in theirs("oMi")], n)
    agree(body_twists(chain, q, qd), [swap_order(v.vector) for v in theirs("v")], n)
    agree(body_accelerations(chain, q, qd, qdd), [swap_order(a.vector) for a in theirs("a")], n)
    J = pin.computeJointJacobian(model, data, q, n)
    agree(body_jacobian(chain, q, n - 1).T, swap_order(J.T), n)
    return {
        "forward_kinematics": (
            lambda: forward_kinematics(chain, q),
            lambda: pin.forwardKinematics(model, data, q),
        ),
        "body_twists": (
            lambda: body_twists(chain, q, qd),
            lambda: pin.forwardKinematics(model, data, q, qd),
        ),
        "body_accelerations": (
            lambda: body_accelerations(chain, q, qd, qdd),
            lambda: pin.forwardKinematics(model, data, q, qd, qdd),
        ),
        "body_jacobian": (
            lambda: body_jacobian(chain, q, n - 1),
            lambda: pin.computeJointJacobian(model, data, q, n),
        ),
    }


def batched_calls(n: int, batch: int) -> dict[str, tuple[Call, Call]]:
    """Return for each function one call of ours on all states, and Pinocchio's in a Python loop."""
    rng = np.random.default_rng(n)
    chain = serial_chain(n, rng)
    q, qd = random_state(chain, rng, batch=(batch,))
    qdd = rng.normal(size=qd.shape)
    model = in_pinocchio(chain)
    data = model.createData()

    def loop(call: Callable[..., Any], *states: Any) -> Call:
        return lambda: [call(model, data, *state) for state in zip(*states, strict=True)]

    def jacobian(model: Any, data: Any, q: Any) -> Any:
        return pin.computeJointJacobian(model, data, q, n)

    return {
        "forward_kinematics": (
            lambda: forward_kinematics(chain, q),
            loop(pin.forwardKinematics, q),
        ),
        "body_twists": (lambda: body_twists(chain, q, qd), loop(pin.forwardKinematics, q, qd)),
        "body_accelerations": (
            lambda: body_accelerations(chain, q, qd, qdd),
            loop(pin.forwardKinematics, q, qd, qdd),
        ),
        "body_jacobian": (lambda: body_jacobian(chain, q, n - 1), loop(jacobian, q)),
    }


def agree(ours: Any, theirs: Any, n: int) -> None:
    """Raise unless both engines give the same numbers, to 100 roundings a link."""
    error, bound = normwise(ours, np.array(theirs)), 100 * np.finfo(float).eps * n
    if not error <= bound:
        raise AssertionError(f"at n = {n} the engines differ by {error:.1e}: nothing is timed")


def seconds(call: Call) -> float:
    """Return the seconds of one call, from as many as last long enough to be timed."""
    number, elapsed = 1, 0.0
    while True:
        start = time.perf_counter()
        for _ in range(number):
            call()
        elapsed = time.perf_counter() - start
        if elapsed >= AT_LEAST:
            return elapsed / number
        number *= max(2, int(AT_LEAST / max(elapsed, 1e-9)))


def compare(pairs: dict[Key, tuple[Call, Call]], rounds: int, states: int = 1) -> dict[Key, Timing]:
    """Return medians in microseconds a state, and the median of the ratios within each round."""
    timings: dict[Key, list[tuple[float, float]]] = {key: [] for key in pairs}
    for _ in range(rounds + 1):
        for key, (ours, theirs) in pairs.items():
            timings[key].append((seconds(ours), seconds(theirs)))
    result = {}
    for key, rows in timings.items():
        warm = np.array(rows[1:])  # the first round only warms up
        median = np.median(1e6 * warm / states, axis=0)
        result[key] = {
            "chaindyn_us": round(float(median[0]), 3),
            "pinocchio_us": round(float(median[1]), 3),
            "ratio": round(float(np.median(warm[:, 0] / warm[:, 1])), 2),
        }
    return result


def machine() -> dict[str, Any]:
    """Return what the numbers were measured on."""
    cpu = platform.processor()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(
            (line.partition(": ")[2] for line in lines if line.startswith("model name")), cpu
        )
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": cpu,
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 1),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "pinocchio": pin.__version__,
        "chaindyn": __version__,
    }


def plot(results: dict[str, Any], path: Path) -> None:
    """Draw the time of a call against the number of links, and of a state in a batch."""
    import matplotlib.pyplot as plt

    from chaindyn.drawing import COLOURS, style

    style()
    names = list(results["batch"]["functions"])
    colours = [COLOURS[key] for key in ("x", "y", "z", "com")]
    fig, (left, right) = plt.subplots(
        1, 2, figsize=(9, 4), width_ratios=(3, 2), layout="constrained"
    )
    for name, colour, marker in zip(names, colours, "osD^", strict=True):
        for engine, line in (("chaindyn", "-"), ("pinocchio", "--")):
            times = [results["calls"][str(n)][name][f"{engine}_us"] for n in LINKS]
            left.loglog(
                LINKS,
                times,
                line,
                color=colour,
                marker=marker,
                markersize=4,
                label=name if engine == "chaindyn" else None,
            )
    left.plot([], [], "--", color=COLOURS["ink"], label="Pinocchio, likewise")
    left.set(xlabel="links n", ylabel="a call [µs]", xticks=LINKS, xticklabels=LINKS)
    left.minorticks_off()
    left.legend(fontsize=8)
    rows = np.arange(len(names))
    for shift, engine, alpha in ((-0.2, "chaindyn", 1.0), (0.2, "pinocchio", 0.45)):
        times = [results["batch"]["functions"][name][f"{engine}_us"] for name in names]
        bars = right.barh(rows + shift, times, 0.36, color=colours, alpha=alpha)
        labels = [
            f"{t:.1f}" + (" Pinocchio, a loop" if engine == "pinocchio" else "") for t in times
        ]
        right.bar_label(bars, labels, padding=3, fontsize=8)
    right.set(
        yticks=rows,
        yticklabels=names,
        xlabel=f"a state [µs], {BATCH_LINKS} links",
        title=f"a batch of {BATCH} states",
    )
    left.set_title("one state a call")
    right.margins(x=0.6)
    right.invert_yaxis()
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    fig.savefig(path, metadata={"Date": None})


def table(results: dict[str, Any]) -> str:
    """Return the results as lines of text: ours / Pinocchio's (ratio)."""

    def cell(result: Timing) -> str:
        ours, theirs, ratio = result["chaindyn_us"], result["pinocchio_us"], result["ratio"]
        return f"{ours:9.1f} /{theirs:6.2f} ({ratio:5.1f})"

    heads = [*(f"n = {n}" for n in LINKS), "a state in a batch"]
    lines = [" " * 20 + "".join(f"{head:>25s}" for head in heads)]
    for name, batched in results["batch"]["functions"].items():
        row = [*(results["calls"][str(n)][name] for n in LINKS), batched]
        lines.append(f"{name:20s}" + "".join(f"{cell(result):>25s}" for result in row))
    return "\n".join(lines)


def main() -> None:
    """Measure, write and draw."""
    results: dict[str, Any] = {
        "machine": machine(),
        "unit": "microseconds, medians; ratio ours to Pinocchio's",
    }
    calls = {(n, name): pair for n in LINKS for name, pair in single_calls(n).items()}
    measured = compare(
        calls, ROUNDS
    )  # all lengths in each round, so that a busy spell tells on all
    results["calls"] = {
        str(n): {name: r for (k, name), r in measured.items() if k == n} for n in LINKS
    }
    functions = compare(batched_calls(BATCH_LINKS, BATCH), 7, BATCH)
    results["batch"] = {"states": BATCH, "links": BATCH_LINKS, "functions": functions}
    (BOOK / "speed_kinematics.json").write_text(json.dumps(results, indent=1) + "\n")
    plot(results, BOOK / "figures" / "kinematics_times.svg")
    print(json.dumps(results["machine"]))
    print(table(results))


if __name__ == "__main__":
    main()
