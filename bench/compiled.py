"""Compiled functions side by side: `compiled(aba, chain)` and its kin against Pinocchio and MuJoCo, in one run.

Run as ``python bench/compiled.py``; needs the extra `peers` and a C compiler. Ours are the public, checked callables,
one state a call from Python, on a serial chain of hinges and slides, and on trees with balls and a free trunk too;
Pinocchio has no one call for how every link yields, so its dense route stands beside. Also measured: how the time of
`aba` grows from n = 100 to 10 000; the time a state in a batch of 10^5 at n = 7, on one thread and on two, beside a
loop over Pinocchio; how long recording and compiling take, and a start from the cache; the link step that chapter 26
shows as lines, recording, C and JavaScript; the programs of two compilers; rollouts by RK4 of one motion and of a
thousand, beside MuJoCo's own `rollout`, on one thread; derivatives and matrices beside Pinocchio's; and what bounds
all this from below: how many operations the programs have, and how many the machine can do in a second. ``--save``
keeps the numbers in book/speed_compiled.json, ``--plot FILE`` draws them.
"""

from __future__ import annotations

# isort: off
import side_by_side as side  # first: it sets BLAS to one thread
# isort: on

import ctypes
import io
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import jupytext
import numpy as np
import pinocchio as pin
from aba import mujoco_forward, mujoco_model
from impulse import dense
from simulation import LINKS, STEP, hinges, mujoco_rollout, starts

from chaindyn import (
    Chain,
    X_motion,
    aba,
    aba_derivatives,
    compiled,
    coriolis_matrix,
    crba,
    inverse_operational_space_inertia,
    rnea,
    rnea_derivatives,
    rollout,
)
from chaindyn.compiler.native import LANES, built, opened
from chaindyn.compiler.plan import MOST_STRAIGHT
from chaindyn.compiler.recorded import record
from chaindyn.drawing import COLOURS, style
from chaindyn.teaching import normwise

CHAPTER = Path(__file__).parent.parent / "chapters" / "26_from_readable_to_fast.md"
SIZES = (2, 5, 7, 20, 100, 500, 1000)
TREES = (2, 5, 7, 20, 100)
LONG = (100, 300, 1000, 3000, 10_000)
LARGEST_PEER = 500
MANY, LINKS_OF_MANY = 100_000, 7
ROUNDS = 15
SIZES_OF_SLOPES = (2, 7, 20, 50)
STATE = {"q": ("nq",), "qd": ("nv",), "tau": ("nv",)}
RESTS = (
    "trees",
    "growth",
    "batch",
    "starting",
    "link step",
    "compilers",
    "tools",
    "rollouts",
    "slopes",
    "matrices",
    "limits",
)
COUNTED = ("+", "-", "*", "inverse", "max", "min", "sqrt", "sin", "cos")
BATCH_OF_JAX = 10_000
COMPILERS = {"gcc": "gcc", "Zig": shlex.join([sys.executable, "-m", "ziglang", "cc"])}
STYLES = {
    "aba": ("x", "-"),
    "rnea": ("y", "-"),
    "inverse_operational_space_inertia": ("z", "-"),
    "Pinocchio, aba": ("x", "--"),
    "Pinocchio, rnea": ("y", "--"),
    "Pinocchio, every link": ("z", "--"),
    "MuJoCo, forward": ("x", ":"),
}

Call = Callable[[], Any]


def calls_at(chain: Chain) -> dict[str, Call]:
    """Return the calls that are timed for a chain: ours, and those of the engines that take it."""
    q, qd, tau = side.state_of(chain)
    ours = {f: compiled(f, chain) for f in (aba, rnea, inverse_operational_space_inertia)}
    timed: dict[str, Call] = {
        "aba": lambda: ours[aba](q, qd, tau),
        "rnea": lambda: ours[rnea](q, qd, tau),
        "inverse_operational_space_inertia": lambda: ours[inverse_operational_space_inertia](q),
    }
    if chain.n <= LARGEST_PEER:
        model = side.pinocchio_model(chain)
        data, every = model.createData(), dense(chain)
        timed["Pinocchio, aba"] = lambda: pin.aba(model, data, q, qd, tau)
        timed["Pinocchio, rnea"] = lambda: pin.rnea(model, data, q, qd, tau)
        if chain.n <= 100:
            timed["Pinocchio, every link"] = lambda: every(q)
        forward = mujoco_forward(mujoco_model(chain))
        timed["MuJoCo, forward"] = lambda: forward(q, qd, tau)
    return timed


def single() -> dict[str, dict[str, float]]:
    """Return microseconds a call, by name and number of links."""
    times: dict[str, dict[str, float]] = {name: {} for name in STYLES}
    for n in SIZES:
        timed = calls_at(side.chain_of(n))
        answers = {
            name: np.array(call(), copy=True) for name, call in timed.items() if "every" not in name
        }
        for mine, theirs in (
            ("aba", "Pinocchio, aba"),
            ("rnea", "Pinocchio, rnea"),
            ("aba", "MuJoCo, forward"),
        ):
            if theirs in answers:
                print(
                    n,
                    theirs,
                    f"differs by {side.require_same(answers[mine], answers[theirs]):.1e}",
                    flush=True,
                )
        for name, taken in side.in_turns(timed, ROUNDS).items():
            times[name][str(n)] = round(1e6 * taken, 3)
    return times


def on_trees() -> dict[str, dict[str, float]]:
    """Return microseconds a call on trees with balls and a free trunk, ours and Pinocchio's, by number of links."""
    times: dict[str, dict[str, float]] = {}
    for n in TREES:
        chain = side.tree_of(n)
        state = side.state_of_tree(chain)
        model, (q_order, v_order) = side.pinocchio_model(chain), side.pinocchio_order(chain)
        theirs = model, model.createData(), state[0][q_order], *(x[v_order] for x in state[1:])
        timed: dict[str, Call] = {}
        for name, own, other in (("aba", aba, pin.aba), ("rnea", rnea, pin.rnea)):
            timed[name] = partial(compiled(own, chain), *state)
            timed[f"Pinocchio, {name}"] = partial(other, *theirs)
            answer = np.array(timed[f"Pinocchio, {name}"](), copy=True)
            error = side.require_same(answer, timed[name]()[v_order])
            print(f"tree of {n}: {name} differs by {error:.1e}", flush=True)
        for name, taken in side.in_turns(timed, ROUNDS).items():
            times.setdefault(name, {})[str(n)] = round(1e6 * taken, 3)
    return times


def growth() -> dict[str, Any]:
    """Return the times of `aba` for long chains [us], and the exponent with which they grow."""
    calls = {}
    for n in LONG:
        links = side.chain_of(min(n, 1000)).links
        chain = Chain([links[i % len(links)] for i in range(n)])
        q, qd, tau = side.state_of(chain)
        fast = compiled(aba, chain)
        calls[n] = lambda fast=fast, q=q, qd=qd, tau=tau: fast(q, qd, tau)
    taken = side.in_turns(calls, ROUNDS)
    exponent = np.polyfit(np.log(list(taken)), np.log(list(taken.values())), 1)[0]
    return {
        "microseconds": {str(n): round(1e6 * t, 2) for n, t in taken.items()},
        "exponent": round(float(exponent), 3),
    }


def batch() -> dict[str, float]:
    """Return microseconds a state of forward dynamics in a large batch."""
    chain = side.chain_of(LINKS_OF_MANY)
    q, qd, tau = side.state_of(chain, (MANY,))
    model = side.pinocchio_model(chain)
    data, few = model.createData(), 10_000
    threads = {k: compiled(aba, chain, threads=k) for k in (1, 2)}

    def loop() -> None:
        for k in range(few):
            pin.aba(model, data, q[k], qd[k], tau[k])

    calls = {k: lambda fast=fast: fast(q, qd, tau) for k, fast in threads.items()} | {"loop": loop}
    taken = side.in_turns(calls, 7)
    return {
        "one thread": round(1e6 * taken[1] / MANY, 4),
        "two threads": round(1e6 * taken[2] / MANY, 4),
        "Pinocchio in a loop": round(1e6 * taken["loop"] / few, 4),
    }


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """Set environment variables for a while, as if programs were compiled for the first time."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def starting() -> dict[str, float]:
    """Return seconds to record and compile `aba`, and to take it from the cache, for 7 and for 1000 links."""
    times = {}
    with tempfile.TemporaryDirectory() as folder, environment(CHAINDYN_CACHE=folder):
        for n in (7, 1000):
            chain = side.chain_of(n)
            for what in ("first", "again"):
                begin = time.perf_counter()
                compiled(aba, chain)
                times[f"{what}, {n} links"] = round(time.perf_counter() - begin, 4)
    return times


def compilers() -> dict[str, dict[str, float]]:
    """Return for each compiler seconds to compile `aba`, and microseconds a state of its program, or a batch's."""
    chain = side.chain_of(LINKS_OF_MANY)
    states = {"one": side.state_of(chain), "many": side.state_of(chain, (BATCH_OF_JAX,))}
    results = {}
    for name, command in COMPILERS.items():
        for _ in range(2):  # at first Zig makes itself ready, once on a machine
            with tempfile.TemporaryDirectory() as folder:
                with environment(CC=command, CHAINDYN_CACHE=folder):
                    begin = time.perf_counter()
                    calls = {
                        key: partial(compiled(aba, chain, threads=1), *state)
                        for key, state in states.items()
                    }
                    calls["one"]()
                    seconds = time.perf_counter() - begin
                    calls["many"]()
        taken = side.in_turns(calls, ROUNDS)
        results[name] = {
            "seconds": round(seconds, 2),
            "one state": round(1e6 * taken["one"], 3),
            "in a batch": round(1e6 * taken["many"] / BATCH_OF_JAX, 3),
        }
    return results


LOOP_IN_C = """#include <math.h>
long long one(long long steps, double *V) {
  double q = 0.7, a = 0.5, qd = 0.9, out[3];
  for (long long k = 0; k < steps; k++) {
    { %s }
    for (int j = 0; j < 3; j++) V[j] = out[j];
    q += 1e-3;
  }
  return 0;
}
"""
LOOP_IN_JAVASCRIPT = """
function run(steps, V, out) {
  let q = 0.7, a = 0.5, qd = 0.9;
  for (let k = 0; k < steps; k++) {
    { %s }
    for (let j = 0; j < 3; j++) V[j] = out[j];
    q += 1e-3;
  }
}
let least = Infinity;
for (let k = 0; k < 9; k++) {
  const begin = performance.now();
  run(1e6, [0.3, -1.2, 2], [0, 0, 0]);
  least = Math.min(least, performance.now() - begin);
}
console.log(least);
"""


def link_step() -> dict[str, float]:
    """Return microseconds that the link step takes which chapter 26 shows as lines, a recording, C and JavaScript.

    The lines are NumPy's, with X among them and without checks; the recording is played by Python.
    """
    page = vars(sys.modules.setdefault("chapter_20", types.ModuleType("chapter_20")))
    for cell in jupytext.read(CHAPTER).cells:
        if cell.cell_type == "code":
            with redirect_stdout(io.StringIO()):
                exec(compile(cell.source, "chapter 26", "exec", dont_inherit=True), page)
        if "moving = " in cell.source:
            break
    moving, written, played, by_name = (page[x] for x in ("moving", "written", "played", "by_name"))
    given = {"q": 0.7, "a": 0.5, "qd": 0.9, **by_name(V=(0.3, -1.2, 2.0))}
    V, S = np.array([0, 0, 0.3, -1.2, 2, 0])[:, None], np.eye(6)[:, 2:3]

    def lines() -> Any:
        c, s = np.cos(0.7), np.sin(0.7)
        E, r = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]), np.array([0.5, 0, 0])
        return X_motion.__wrapped__(E, r) @ V + S * 0.9

    side.require_same(played(moving, given), lines()[[2, 3, 4], 0])
    steps, start = 1_000_000, np.array([0.3, -1.2, 2.0])
    program = opened(built(LOOP_IN_C % written(moving, "c")))
    in_c = partial(program.one, ctypes.c_longlong(steps), ctypes.c_void_p(start.ctypes.data))
    calls = {"lines": lines, "recording": partial(played, moving, given), "C": in_c}
    taken = side.in_turns(calls, ROUNDS)
    times = {"lines": taken["lines"], "recording": taken["recording"], "C": taken["C"] / steps}
    if node := shutil.which("node"):
        text = LOOP_IN_JAVASCRIPT % written(moving, "javascript")
        said = subprocess.run([node, "-e", text], capture_output=True, text=True, check=True)
        times["JavaScript"] = 1e-3 * float(said.stdout) / steps
    return {name: round(1e6 * t, 4) for name, t in times.items()}


def rollouts() -> dict[str, dict[str, float]]:
    """Return microseconds a step of RK4 with five links, for one motion and for a thousand."""
    chain = hinges()
    theirs = mujoco_rollout(chain)
    times = {}
    for name, count, steps in (("one", 1, 2000), ("a thousand", 1000, 100)):
        states = starts(count)
        q, qd = np.split(states if count > 1 else states[0], 2, axis=-1)

        def ours(q: Any = q, qd: Any = qd, steps: int = steps) -> Any:
            motion = rollout(chain, q, qd, t=[0, steps * STEP], step=STEP, threads=1)
            return np.concatenate([motion.q[-1], motion.qd[-1]], axis=-1)

        short = rollout(chain, q, qd, t=[0, 50 * STEP], step=STEP, threads=1)
        error = normwise(
            np.atleast_2d(np.concatenate([short.q[-1], short.qd[-1]], axis=-1)), theirs(states, 50)
        )
        print(f"rollouts differ by {error:.1e}", flush=True)
        calls = {
            "chaindyn": ours,
            "MuJoCo": lambda states=states, steps=steps: theirs(states, steps),
        }
        times[name] = {
            k: round(1e6 * t / count / steps, 3) for k, t in side.in_turns(calls, 7).items()
        }
    return times


def casadi_calls(
    chain: Chain, state: tuple[Any, ...], folder: str
) -> tuple[dict[str, Call], float]:
    """Return forward dynamics recorded by CasADi, in its own machine and as its C, and the seconds to get there."""
    import casadi

    begin = time.perf_counter()
    symbols = [casadi.SX.sym(name, chain.nv) for name in ("q", "qd", "tau")]
    columns = [np.array([x[i] for i in range(chain.nv)], object) for x in symbols]
    function = casadi.Function("aba", symbols, [casadi.vertcat(*aba(chain, *columns))])
    generator = casadi.CodeGenerator("casadi_aba.c")
    generator.add(function)
    generator.generate(f"{folder}/")
    target = f"{folder}/casadi_aba.so"
    command = [
        "cc",
        "-O2",
        "-march=native",
        "-fPIC",
        "-shared",
        f"{folder}/casadi_aba.c",
        "-o",
        target,
        "-lm",
    ]
    subprocess.run(command, check=True)
    library = casadi.external("aba", target)
    buffer, call = library.buffer()
    taken = time.perf_counter() - begin
    answer = np.zeros(chain.nv)
    for i, x in enumerate(state):
        buffer.set_arg(i, memoryview(x))
    buffer.set_res(0, memoryview(answer))
    call()
    side.require_same(answer, aba(chain, *state))
    alive = library, buffer, state, answer  # what the call writes to and reads from

    def its_c() -> Any:
        call()
        return alive

    return {"CasADi, its C": its_c, "CasADi, its own machine": lambda: function(*state)}, taken


def jax_calls(chain: Chain, state: tuple[Any, ...]) -> tuple[Call, float]:
    """Return forward dynamics of many states compiled by JAX, and the seconds to get there."""
    import jax

    jax.config.update("jax_enable_x64", True)
    many = [np.broadcast_to(x, (BATCH_OF_JAX, chain.nv)).copy() for x in state]
    begin = time.perf_counter()
    fast = jax.jit(jax.vmap(partial(aba, chain))).lower(*many).compile()
    taken = time.perf_counter() - begin
    side.require_same(np.asarray(fast(*many))[0], aba(chain, *state))
    return lambda: jax.block_until_ready(fast(*many)), taken


def beside_tools() -> dict[str, dict[str, float]]:
    """Return microseconds a state and seconds to compile of `aba` for 7 links, by tools that record the same lines."""
    chain = side.chain_of(LINKS_OF_MANY)
    state = side.state_of(chain)
    fast = compiled(aba, chain, threads=1)
    with tempfile.TemporaryDirectory() as folder:
        calls, casadi_seconds = casadi_calls(chain, state, folder)
        many, jax_seconds = jax_calls(chain, state)
        batch = [np.broadcast_to(x, (BATCH_OF_JAX, chain.nv)).copy() for x in state]
        calls |= {"compiled, one state": lambda: fast(*state)}
        calls |= {"compiled, a batch": lambda: fast(*batch), "JAX, a batch": many}
        taken = side.in_turns(calls, 7)
    micro = {k: round(1e6 * t / (BATCH_OF_JAX if "batch" in k else 1), 3) for k, t in taken.items()}
    return {
        "microseconds": micro,
        "seconds": {"CasADi": round(casadi_seconds, 1), "JAX": round(jax_seconds, 1)},
    }


def slopes() -> dict[str, dict[str, float]]:
    """Return microseconds a call of forward dynamics with all its derivatives, by number of links."""
    times: dict[str, dict[str, float]] = {"compiled": {}, "Pinocchio": {}}
    for n in SIZES_OF_SLOPES:
        chain = side.chain_of(n)
        state, model = side.state_of(chain), side.pinocchio_model(chain)
        data, fast = model.createData(), compiled(aba, chain, derivatives=True)
        own = {
            "compiled": partial(fast, *state),
            "Pinocchio": partial(pin.computeABADerivatives, model, data, *state),
        }
        mine, theirs = own["compiled"]()[1], own["Pinocchio"]()
        print(n, f"slopes differ by {max(map(normwise, mine, theirs)):.1e}", flush=True)
        for name, taken in side.in_turns(own, 7).items():
            times[name][str(n)] = round(1e6 * taken, 2)
    return times


def matrices() -> dict[str, dict[str, float]]:
    """Return microseconds a call of matrices and of derivatives as functions of their own, by number of links."""
    times: dict[str, dict[str, float]] = {}
    for n in SIZES_OF_SLOPES:
        chain = side.chain_of(n)
        (q, qd, tau), model = side.state_of(chain), side.pinocchio_model(chain)
        data = model.createData()
        calls = {
            crba: (pin.crba, (q,)),
            coriolis_matrix: (pin.computeCoriolisMatrix, (q, qd)),
            rnea_derivatives: (pin.computeRNEADerivatives, (q, qd, tau)),
            aba_derivatives: (pin.computeABADerivatives, (q, qd, tau)),
        }
        own: dict[str, Call] = {}
        for function, (theirs, state) in calls.items():
            own[function.__name__] = partial(compiled(function, chain), *state)
            own[f"Pinocchio, {theirs.__name__}"] = partial(theirs, model, data, *state)
        for name, taken in side.in_turns(own, 7).items():
            times.setdefault(name, {})[str(n)] = round(1e6 * taken, 2)
    return times


PEAK = """
#if LANES == 1
typedef double T;
#else
typedef double T __attribute__((vector_size(8 * LANES)));
#endif
#define PART(x, l) ((double *)&(x))[l]
long long one(long long rounds, double *out) {
  T x[12];
  for (int k = 0; k < 12; k++) for (int l = 0; l < LANES; l++) PART(x[k], l) = 1e-9 * (k + l + out[0]);
  for (long long r = 0; r < rounds; r++)
#pragma GCC unroll 12
    for (int k = 0; k < 12; k++) x[k] = x[k] * 0.999999 + 1e-6;
  for (int k = 0; k < 12; k++) for (int l = 0; l < LANES; l++) out[0] += PART(x[k], l);
  return 0;
}
long long march(void) { return 0; }
"""


def peak(lanes: int) -> float:
    """Return how many operations a second the machine does on doubles in so many lanes, products and sums."""
    program = opened(built(f"#define LANES {lanes}\n{PEAK}"))
    rounds, out = 2_000_000, np.zeros(1)
    call = partial(program.one, ctypes.c_longlong(rounds), ctypes.c_void_p(out.ctypes.data))
    return 24 * rounds * lanes / side.in_turns({"peak": call}, 7)["peak"]


def operations(chain: Chain) -> float:
    """Return how many sums, products and the like a program of `aba` has for a chain."""
    plan = record(aba, chain, STATE, {}, straight=MOST_STRAIGHT).plan
    kinds = plan.recording.kind.tolist()
    counted = [x for x in plan.live if x.index not in plan.fixed and x.op in COUNTED]
    return sum(1 if x.owner is None else kinds.count(x.owner) for x in counted)


def limits() -> dict[str, Any]:
    """Return how many operations programs of `aba` have, and how many the machine does in a second."""
    chains = {n: side.chain_of(n) for n in SIZES}
    return {
        "operations": {str(n): operations(c) for n, c in chains.items()},
        "a second": {"one": round(peak(1) / 1e9, 2), "lanes": round(peak(LANES) / 1e9, 2)},
        "batch": batches(),
    }


def batches() -> dict[str, float]:
    """Return microseconds a state of `aba` in a batch on one thread, by number of links."""
    calls = {}
    for n in SIZES:
        chain = side.chain_of(n)
        state = side.state_of(chain, (max(64, 20_000 // n),))
        calls[n] = partial(compiled(aba, chain, threads=1), *state), len(state[0])
    taken = side.in_turns({n: call for n, (call, _) in calls.items()}, 7)
    return {str(n): round(1e6 * t / calls[n][1], 3) for n, t in taken.items()}


def measure() -> dict[str, Any]:
    """Return all that is measured."""
    return {
        "calls": single(),
        "trees": on_trees(),
        "growth": growth(),
        "batch": {"states": MANY, "links": LINKS_OF_MANY, "microseconds": batch()},
        "starting": starting(),
        "link step": link_step(),
        "compilers": compilers(),
        "tools": beside_tools(),
        "rollouts": {"links": LINKS, "microseconds": rollouts()},
        "slopes": slopes(),
        "matrices": matrices(),
        "limits": limits(),
    }


def report(results: dict[str, Any]) -> str:
    """Return what was measured as lines of text."""
    width = max(map(len, results["calls"]))
    lines = [f"{'microseconds a call':{width}s}" + "".join(f"{n:>10d}" for n in SIZES)]
    for name, times in results["calls"].items():
        lines.append(
            f"{name:{width}s}" + "".join(f"{times.get(str(n), np.nan):10.2f}" for n in SIZES)
        )
    for name, theirs in (
        ("aba", "Pinocchio, aba"),
        ("rnea", "Pinocchio, rnea"),
        ("aba", "MuJoCo, forward"),
    ):
        own, other = results["calls"][name], results["calls"][theirs]
        lines.append(
            f"{name} / {theirs}: " + ", ".join(f"{n}: {own[n] / t:.2f}" for n, t in other.items())
        )
    return "\n".join(
        [
            *lines,
            *(f"{k}: {results[k]}" for k in RESTS),
        ]
    )


def plot(results: dict[str, Any], styles: dict[str, tuple[str, str]], file: str) -> None:
    """Draw microseconds a call against the number of links, and nanoseconds a link beside what is the least."""
    import matplotlib.pyplot as plt

    style()
    fig, (ax, right) = plt.subplots(1, 2, figsize=(9.6, 4.2), width_ratios=(1.2, 1))
    for name, (colour, line) in styles.items():
        times = results["calls"][name]
        kind = {"color": COLOURS[colour], "marker": "o", "markersize": 4, "label": name}
        ax.loglog([int(n) for n in times], list(times.values()), line, **kind)
    ax.set(xlabel="links", ylabel="microseconds a call")
    limits = results["limits"]
    measured = {"one": results["calls"]["aba"], "lanes": limits["batch"]}
    for key, colour, name in (("one", "x", "one state"), ("lanes", "y", "in a batch")):
        n = [int(k) for k in measured[key]]
        own = [1e3 * t / k for t, k in zip(measured[key].values(), n, strict=True)]
        least = [limits["operations"][str(k)] / limits["a second"][key] / k for k in n]
        right.loglog(n, own, "o-", color=COLOURS[colour], markersize=4, label=f"aba, {name}")
        right.loglog(n, least, ":", color=COLOURS[colour], label=f"operations alone, {name}")
    right.set(xlabel="links", ylabel="nanoseconds a link")
    for axes in (ax, right):
        axes.legend(fontsize=8, labelcolor="linecolor", frameon=False, handlelength=3)
        axes.spines[["top", "right"]].set_visible(False)
    fig.savefig(file, bbox_inches="tight", transparent=True, metadata={"Date": None})


def main(arguments: list[str] | None = None) -> None:
    """Run from the command line."""
    side.run("compiled", measure, STYLES, arguments, report, plot)


if __name__ == "__main__":
    main()
