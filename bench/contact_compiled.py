"""Contacts in machine code beside MuJoCo's, as ratios of times in one run.

Run as ``python bench/contact_compiled.py``; needs the extra `peers` and a C compiler. It is the fall of
``bench/contact.py``: ten capsules on hinges, 0.4 s, onto a rough floor. Kept are only ratios, the median over rounds
in each of which all are timed one after the other, so that a busy machine tells on all: the time of our compiled steps
over that of MuJoCo's, with soft and with stiff springs. What our call takes before its first step is in it, some
milliseconds, which tells less when the steps are many. Beside them stand the seconds until the first fall is answered
by a new process, with an empty cache, and by the next one, from the cache. ``--save`` keeps the numbers in
book/speed_contact_compiled.json.
"""

from __future__ import annotations

# isort: off
import side_by_side as side  # first: it sets BLAS to one thread
# isort: on

import subprocess
import sys
import tempfile
import time
from typing import Any

import contact
import numpy as np
from compiled import environment

PEERS = ("MuJoCo, soft", "MuJoCo, stiff")
ROUNDS = 15
FIRST = "import contact; contact.stepping('chaindyn, compiled', 0.004)()"


def seconds_to_first() -> dict[str, float]:
    """Return seconds that a fall takes in a new process, with nothing compiled before, and again."""
    times = {}
    with tempfile.TemporaryDirectory() as folder, environment(CHAINDYN_CACHE=folder):
        for what in ("first", "again"):
            begin = time.perf_counter()
            subprocess.run(
                [sys.executable, "-c", FIRST], check=True, cwd=side.BOOK.parent / "bench"
            )
            times[what] = round(time.perf_counter() - begin, 1)
    return times


def ratios(step: float) -> dict[str, float]:
    """Return the time of a fall in our compiled steps over that in each peer's."""
    names = ("chaindyn, compiled", *PEERS)
    calls = {name: contact.stepping(name, step) for name in names}
    for call in calls.values():  # programs are made before
        call()
    times = [[contact.timed(call) for call in calls.values()] for _ in range(ROUNDS)]
    own, *others = np.array(times).T
    found = {
        peer: round(float(np.median(own / taken)), 2)
        for peer, taken in zip(PEERS, others, strict=True)
    }
    print(f"steps of {1e3 * step:g} ms: {found}", flush=True)
    return found


def measure() -> dict[str, Any]:
    """Return all results."""
    import mujoco

    ends = {f"{step:g}": contact.ours(step, compiled=True)[0] for step in contact.STEPS}
    for step, places in ends.items():
        side.require_same(places, contact.ours(float(step))[0])
    return {
        "mujoco": mujoco.__version__,
        "seconds": seconds_to_first(),
        "ratios": {f"{step:g}": ratios(step) for step in contact.STEPS},
    }


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and write what is asked for."""
    side.run("contact_compiled", measure, {}, arguments, report=lambda results: str(results))


if __name__ == "__main__":
    main()
