"""An atlas of blows: how hard a UR5 strikes over ten million postures and directions, and what its bearings feel.

Run as ``python bench/atlas.py``; it needs no other engine. The sweep goes to build/atlas, a Zarr store of some 600 MB,
and may be stopped and run again: it goes on. ``--save`` writes the summary that the chapter on sweeps shows,
chapters/27_ten_million_postures.json. ``--count`` and ``--workers`` say how many states, and on how many processes.
"""

from __future__ import annotations

import os

os.environ.update(
    dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
)  # before numpy

import argparse
import json
import platform
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from chaindyn import __version__, sweep
from chaindyn.atlas import strike
from chaindyn.models.robots import ur5
from chaindyn.sweeps import Drawn

ROOT = Path(__file__).parents[1]
SUMMARY = ROOT / "chapters" / "27_ten_million_postures.json"
SHARES = (0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999, 0.9999)
EDGES = np.geomspace(0.1, 1e4, 251)  # of the distribution of masses [kg]
TURN = np.linspace(-np.pi, np.pi, 61)  # of the map over two joints [rad]
SEED = 21
Array = Any


def blows(u: Array) -> tuple[Array, Array]:
    """Return postures (k, 6) and directions (k, 3) from numbers u (k, 8) in [0, 1), all alike likely."""
    up, turn = 2 * u[:, 6] - 1, 2 * np.pi * u[:, 7]
    level = np.sqrt(1 - up * up)
    direction = np.stack([level * np.cos(turn), level * np.sin(turn), up], axis=-1)
    return 2 * np.pi * u[:, :6] - np.pi, direction


def record(chain: Any, q: Array, direction: Array) -> tuple[Array, Array, Array]:
    """Return mass [kg], and force [N s] and moment [N m s] of every joint, these in single precision."""
    blow = strike(chain, q, direction, body="flange")
    return blow.mass, blow.force.astype(np.float32), blow.moment.astype(np.float32)


def standard_errors(ordered: Array) -> list[float]:
    """Return the standard error of each quantile: half of how far one standard deviation of its rank moves it."""
    n = len(ordered)
    spread = [np.sqrt(n * p * (1 - p)) for p in SHARES]
    ends = [
        [ordered[int(np.clip(n * p + s, 0, n - 1))] for s in (-d, d)]
        for p, d in zip(SHARES, spread, strict=True)
    ]
    return [float(f"{(high - low) / 2:.2g}") for low, high in ends]


def summary(states: Drawn, stored: dict[str, Any]) -> dict[str, Any]:
    """Return what the chapter shows, read from the store in pieces."""
    mass = np.asarray(stored["0"])
    count, joints = len(mass), stored["1"].shape[1]
    hardest = np.zeros((2, joints), int)
    share = np.zeros((joints, 2))  # of the blow that reaches each joint: mean, and the largest
    total, hits = np.zeros((2, 60, 60))
    for a in range(0, count, 2**18):
        part = slice(a, min(a + 2**18, count))
        q, _ = states[part]
        force, moment = stored["1"][part], stored["2"][part]
        for k, x in enumerate((force, moment)):
            hardest[k] += np.bincount(x.argmax(1), minlength=joints)
        reaching = force / mass[part, None]
        share[:, 0] += reaching.sum(0)
        share[:, 1] = np.maximum(share[:, 1], reaching.max(0))
        where = np.minimum(np.searchsorted(TURN, q[:, [2, 4]], side="right") - 1, 59)
        np.add.at(total, tuple(where.T), np.log(mass[part]))
        np.add.at(hits, tuple(where.T), 1)
    worst = np.argsort(mass)[-6:][::-1]
    drawn = [states[i : i + 1] for i in worst]
    ordered = np.sort(mass)
    return {
        "count": count,
        "shares": SHARES,
        "mass_quantiles": [float(f"{x:.6g}") for x in np.quantile(ordered, SHARES)],
        "mass_standard_errors": standard_errors(ordered),
        "inverse_mass_mean": float((1 / mass).mean()),
        "inverse_mass_error": float(f"{(1 / mass).std() / np.sqrt(count):.2g}"),
        "mass_mean": float(f"{mass.mean():.6g}"),
        "mass_counts": np.histogram(mass, EDGES)[0].tolist(),
        "heavier_than": {str(x): int((mass > x).sum()) for x in 2.5 * 2.0 ** np.arange(12)},
        "hardest_force": (hardest[0] / count).round(5).tolist(),
        "hardest_moment": (hardest[1] / count).round(5).tolist(),
        "force_share_mean": (share[:, 0] / count).round(4).tolist(),
        "force_share_largest": share[:, 1].round(3).tolist(),
        "map_joints": [2, 4],
        "map_mass": np.exp(total / np.maximum(hits, 1)).round(2).tolist(),
        "worst": [
            {
                "mass": float(f"{mass[i]:.5g}"),
                "q": q[0].tolist(),
                "direction": d[0].tolist(),
            }
            for i, (q, d) in zip(worst, drawn, strict=True)
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000_000)
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "atlas")
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    states = Drawn(blows, width=8, count=options.count, seed=SEED)
    begin, spent = time.perf_counter(), time.process_time()
    stored = sweep(record, ur5(), states, out=options.into, workers=options.workers)
    told = {
        "what": "UR5, flange, 1 m/s: angles and directions drawn evenly",
        "date": datetime.now(UTC).date().isoformat(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "chaindyn": __version__,
        "wall_s": round(time.perf_counter() - begin, 1),
        "cpu_s_of_this_process": round(time.process_time() - spent, 1),
    }
    told |= summary(states, stored)
    print(
        json.dumps(
            {name: x for name, x in told.items() if name not in ("mass_counts", "map_mass")},
            indent=1,
        )
    )
    if options.save:
        SUMMARY.write_text(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
