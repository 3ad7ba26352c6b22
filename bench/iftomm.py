"""Results of the first five problems of the IFToMM library, in the form in which the library takes them.

Run as ``python bench/iftomm.py``; it needs SciPy and no other engine. Each problem of `chaindyn.models.benchmarks` is
simulated for its whole duration, on one thread, and a line says what the library lists of each solution: its accuracy,
by the problem's own criterion, and the processor time of the simulation. ``--save`` writes the text files that it asks
for to build/iftomm, ``--into FOLDER`` elsewhere: A01.txt and so on, with a line for each time [s] and after it the
coordinates [m] of the point that the problem asks for; and summary.json, with accuracies, times, methods and the
machine. Name problems to run these alone: ``python bench/iftomm.py A01 A04``.
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
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from chaindyn import Simulation, __version__
from chaindyn.models.benchmarks import (
    Problem,
    andrews_mechanism,
    bricard_mechanism,
    flyball_governor,
    n_four_bar,
    simple_pendulum,
)

FOLDER = Path(__file__).parents[1] / "build" / "iftomm"
LINES = 1000  # of a file, after that of the start
SHARE = 1.0  # of each problem's duration
FINE = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-12, "stabilisation": "projection"}
STIFF = {"method": "Radau", "rtol": 1e-7, "atol": 1e-9}


@dataclass(frozen=True)
class Entry:
    """A problem, how it is solved, and by what its error is judged."""

    title: str
    make: Callable[[], Problem]
    how: dict[str, Any]
    error: Callable[[Problem, Simulation], float]
    criterion: str


def unbalanced(problem: Problem, motion: Simulation) -> float:
    """Return the largest change of the energy less the motor's work [J]."""
    energy = problem.energy(motion.q, motion.qd)
    return float(np.abs(energy - energy[0]).max())


def displaced(problem: Problem, motion: Simulation) -> float:
    """Return how far the point is at most from where tolerances a hundred times smaller have it [m]."""
    tighter = {name: STIFF[name] / 100 for name in ("rtol", "atol")}
    finer = problem.simulate(motion.t, **STIFF | tighter)
    return float(np.abs(problem.place(motion.q) - problem.place(finer.q)).max())


ENERGY = "largest change of the energy [J]"
ENTRIES = {
    "A01": Entry("simple pendulum", simple_pendulum, FINE, unbalanced, ENERGY),
    "A02": Entry(
        "N four-bar mechanism, N = 2",
        n_four_bar,
        {"method": "RK4", "step": 0.005, "stabilisation": "projection"},
        unbalanced,
        ENERGY,
    ),
    "A03": Entry(
        "Andrews' mechanism",
        andrews_mechanism,
        FINE,
        unbalanced,
        "largest change of the energy less the motor's work [J]",
    ),
    "A04": Entry("Bricard's mechanism", bricard_mechanism, FINE, unbalanced, ENERGY),
    "A05": Entry(
        "stiff flyball governor",
        flyball_governor,
        STIFF,
        displaced,
        "largest difference of s from a run with tolerances 100 times smaller [m]",
    ),
}


def solve(entry: Entry) -> tuple[Any, dict[str, Any]]:
    """Return the lines of the file (LINES + 1, 1 + coordinates), and what is told of the solution."""
    problem = entry.make()
    t = np.linspace(0, SHARE * problem.duration, LINES + 1)
    begin = time.process_time()
    motion = problem.simulate(t, **entry.how)
    spent = time.process_time() - begin
    if motion.reason:
        raise RuntimeError(f"{entry.title} was not solved: {motion.reason}")
    told = {
        "title": entry.title,
        "method": entry.how,
        "duration_s": float(t[-1]),
        "criterion": entry.criterion,
        "error": float(f"{entry.error(problem, motion):.2g}"),
        "cpu_s": round(spent, 3),
    }
    if problem.constraints:
        told["gap"] = float(f"{np.abs(motion.gap).max():.2g}")
    return np.column_stack([motion.t, problem.place(motion.q)]), told


def machine() -> dict[str, Any]:
    """Return what the times were measured on."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": platform.processor() or platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "chaindyn": __version__,
    }


def main(arguments: list[str] | None = None) -> None:
    """Solve, say what came out, and write it where that is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("problems", nargs="*", metavar="A01", help="all five by default")
    parser.add_argument("--save", action="store_true", help="write the files")
    parser.add_argument("--into", type=Path, default=FOLDER, metavar="FOLDER")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.problems) - set(ENTRIES)
    if unknown:
        parser.error(f"no problem {sorted(unknown)[0]!r}: {', '.join(ENTRIES)} there are")
    summary: dict[str, Any] = {"machine": machine(), "problems": {}}
    for name in chosen.problems or ENTRIES:
        table, told = solve(ENTRIES[name])
        summary["problems"][name] = told
        print(
            f"{name} {told['title']}: {told['criterion']} {told['error']:g}, "
            f"processor time {told['cpu_s']:g} s",
            flush=True,
        )
        if chosen.save:
            chosen.into.mkdir(parents=True, exist_ok=True)
            np.savetxt(chosen.into / f"{name}.txt", table, fmt="%.16e")
    if chosen.save:
        text = json.dumps(summary, indent=1) + "\n"
        (chosen.into / "summary.json").write_text(text)
        print(f"written to {chosen.into}")


if __name__ == "__main__":
    main()
