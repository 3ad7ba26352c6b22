"""Derivatives side by side: `rnea_derivatives` and `aba_derivatives` against Pinocchio and JAX, in one run.

Run as ``python bench/derivatives.py``; needs the extra `peers`. Ours are the public, checked functions on a serial
chain of hinges and slides, whose three matrices are (n, n). Pinocchio's are `computeRNEADerivatives` and
`computeABADerivatives`; JAX differentiates our own `rnea` and `aba` forwards, `jax.jacfwd` by all three arguments,
and compiles the result for each n: the time of a compiled call is measured, and that of the compilation is told beside
it. A size is left to no compiler that took longer than a minute for the one before. Then a state in a batch of 10^4 at
n = 7, in pieces of 500 that fit into memory: ours and JAX's (`jax.vmap`) one call a piece, Pinocchio in a Python loop;
and the exponent with which our time grows from n = 100 to 800. All is on one thread. ``--save`` keeps the numbers in
book/speed_derivatives.json, ``--plot FILE`` draws them.
"""

from __future__ import annotations

# isort: off
import side_by_side as side  # first: it sets BLAS to one thread
# isort: on

import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from kinematics import Call

from chaindyn import Chain, aba, rnea
from chaindyn.derivatives import rnea_derivatives
from chaindyn.forward_derivatives import aba_derivatives

SIZES = (7, 20, 50, 100)
LONG = (100, 200, 400, 800)
PIECE = 500  # states at once
COMPILING = 60.0  # seconds
ROUNDS, LONG_ROUNDS = 9, 3
OURS = {"rnea_derivatives": rnea_derivatives, "aba_derivatives": aba_derivatives}
DIFFERENTIATED = {"rnea_derivatives": rnea, "aba_derivatives": aba}
PINOCCHIOS = {
    "rnea_derivatives": pin.computeRNEADerivatives,
    "aba_derivatives": pin.computeABADerivatives,
}
ENGINES = ("chaindyn", "Pinocchio", "JAX")
STYLES = {
    "rnea_derivatives, chaindyn": ("z", "-"),
    "aba_derivatives, chaindyn": ("x", "-"),
    "rnea_derivatives, Pinocchio": ("z", "--"),
    "aba_derivatives, Pinocchio": ("x", "--"),
    "rnea_derivatives, JAX": ("z", ":"),
    "aba_derivatives, JAX": ("x", ":"),
}

Derivatives = Callable[[Any, Any, Any], Any]  # of q, qd and qdd or tau


def ours(name: str, chain: Chain) -> Derivatives:
    """Return our derivatives of a chain."""
    return partial(OURS[name], chain)


def pinocchio(name: str, chain: Chain) -> Derivatives:
    """Return Pinocchio's, as it leaves them: of the last, symmetric matrix the upper half."""
    model = side.pinocchio_model(chain)
    return partial(PINOCCHIOS[name], model, model.createData())


def jax_on_one_thread() -> Any:
    """Return JAX in double precision, on the processor. ImportError without it."""
    one = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ.setdefault("XLA_FLAGS", one)
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
    return jax


def differentiated(name: str, chain: Chain, *, many: bool = False) -> tuple[Derivatives, float]:
    """Return JAX's derivatives of our own function, compiled for one state or a piece, and how long that took [s]."""
    jax = jax_on_one_thread()
    function = jax.jacfwd(partial(DIFFERENTIATED[name], chain), argnums=(0, 1, 2))
    example = side.state_of(chain, (PIECE,) if many else ())
    begin = time.perf_counter()
    compiled = jax.jit(jax.vmap(function) if many else function).lower(*example).compile()
    taken = time.perf_counter() - begin
    return lambda *state: jax.block_until_ready(compiled(*state)), taken


def whole(matrices: Any) -> Any:
    """Return three matrices (..., 3, n, n), the last of Pinocchio's with both halves."""
    first, second, third = (np.asarray(x) for x in matrices)
    if np.any(third) and not np.any(np.tril(third, -1)):
        third = np.triu(third) + np.triu(third, 1).mT
    return np.stack([first, second, third], axis=-3)


def require_same(what: str, name: str, answer: Any, reference: Any) -> None:
    """Print how far a peer's matrices are from ours; raise if further than conditioning explains."""
    error = side.require_same(whole(answer), whole(reference))
    print(f"{what}: {name} differs from chaindyn by {error:.1e}", flush=True)


def single_calls() -> dict[str, Any]:
    """Return microseconds a call by name and size, seconds of compilation, and where the compiler stopped."""
    times: dict[str, dict[str, float]] = {name: {} for name in STYLES}
    compilation: dict[str, dict[str, float]] = {name: {} for name in OURS}
    stopped: dict[str, str] = {}
    for n in SIZES:
        chain = side.chain_of(n)
        state, timed = side.state_of(chain), {}
        for name in OURS:
            timed[f"{name}, chaindyn"] = partial(ours(name, chain), *state)
            peers = {"Pinocchio": pinocchio(name, chain)}
            label = f"{name}, JAX"
            if label not in stopped:
                peers["JAX"], seconds = differentiated(name, chain)
                compilation[name][str(n)] = round(seconds, 2)
                if seconds > COMPILING:
                    stopped[label] = (
                        f"compiles for more than {COMPILING:g} s at n = {n}: no more asked"
                    )
            reference = timed[f"{name}, chaindyn"]()
            for peer, derivatives in peers.items():
                timed[f"{name}, {peer}"] = partial(derivatives, *state)
                require_same(f"n = {n}, {name}", peer, derivatives(*state), reference)
        for label, taken in side.in_turns(timed, ROUNDS).items():
            times[label][str(n)] = round(1e6 * taken, 2)
    return {"calls": times, "compilation_s": compilation, "stopped": stopped}


def batches() -> dict[str, Any]:
    """Return microseconds a state in a batch, by name and engine."""
    chain = side.chain_of(side.BATCH_LINKS)
    states = side.state_of(chain, (side.BATCH,))
    pieces = [
        tuple(x[k : k + PIECE] for x in states) for k in range(0, side.BATCH, PIECE)
    ]  # all of one size
    calls: dict[tuple[str, str], Call] = {}
    for name in OURS:
        here, there = ours(name, chain), pinocchio(name, chain)
        compiled, _ = differentiated(name, chain, many=True)
        calls[name, "chaindyn"] = partial(in_pieces, here, pieces)
        calls[name, "Pinocchio"] = partial(one_by_one, there, states)
        calls[name, "JAX"] = partial(in_pieces, compiled, pieces)
        reference = here(*pieces[0])
        require_same(f"{PIECE} states, {name}", "JAX", compiled(*pieces[0]), reference)
        copies = [[np.array(x) for x in there(*s)] for s in zip(*pieces[0], strict=True)]
        stacked = [np.array(x) for x in zip(*copies, strict=True)]
        require_same(f"{PIECE} states, {name}", "Pinocchio", stacked, reference)
    taken = side.in_turns(calls, min(ROUNDS, 5))
    functions = {
        name: {e: round(1e6 * taken[name, e] / side.BATCH, 2) for e in ENGINES} for name in OURS
    }
    return {"states": side.BATCH, "piece": PIECE, "links": chain.n, "functions": functions}


def in_pieces(derivatives: Derivatives, pieces: list[tuple[Any, ...]]) -> None:
    """Compute piece after piece; nothing is kept, as a program would use it and go on."""
    for piece in pieces:
        derivatives(*piece)


def one_by_one(derivatives: Derivatives, states: tuple[Any, ...]) -> None:
    """Compute state after state."""
    for state in zip(*states, strict=True):
        derivatives(*state)


def growth() -> dict[str, float]:
    """Return the exponents with which our times grow over the long sizes."""
    exponents = {}
    for name in OURS:
        calls = {}
        for n in LONG:
            chain = side.chain_of(n)
            calls[n] = partial(ours(name, chain), *side.state_of(chain))
        times = list(side.in_turns(calls, LONG_ROUNDS).values())
        exponents[name] = round(float(np.polyfit(np.log(LONG), np.log(times), 1)[0]), 3)
    return exponents


def measure() -> dict[str, Any]:
    """Return all results."""
    import jax

    return {
        "jax": jax.__version__,
        **single_calls(),
        "batch": batches(),
        "growth_over": LONG,
        "growth": growth(),
    }


def report(results: dict[str, Any]) -> str:
    """Return what was measured as lines of text."""
    width = max(map(len, STYLES))
    lines = [f"{'microseconds a call':{width}s}" + "".join(f"{n:>11d}" for n in SIZES)]
    for name, times in results["calls"].items():
        cells = [f"{times[str(n)]:11.1f}" if str(n) in times else f"{'-':>11s}" for n in SIZES]
        lines.append(f"{name:{width}s}" + "".join(cells))
    lines += [f"{name} {why}" for name, why in results["stopped"].items()]
    for name, seconds in results["compilation_s"].items():
        lines.append(f"{name}, JAX compiles for [s]: {seconds}")
    for name, exponent in results["growth"].items():
        lines.append(f"{name} from n = {LONG[0]} to {LONG[-1]}: n^{exponent}")
    batch = results["batch"]
    lines.append(f"microseconds a state in a batch of {batch['states']} at n = {batch['links']}")
    lines += [f"{name}: {us}" for name, us in batch["functions"].items()]
    return "\n".join(lines)


def plot(results: dict[str, Any], styles: dict[str, tuple[str, str]], file: str) -> None:
    """Draw microseconds a call, and of a state in a batch; styles : name -> colour, line."""
    import matplotlib.pyplot as plt

    from chaindyn.drawing import COLOURS, style

    style()
    fig, (left, right) = plt.subplots(
        1, 2, figsize=(8.4, 3.8), width_ratios=[3, 2], layout="constrained"
    )
    for name, (colour, line) in styles.items():
        times = results["calls"][name]
        kind = {"color": COLOURS[colour], "marker": "o", "markersize": 4, "label": name}
        left.loglog([int(n) for n in times], list(times.values()), line, **kind)
    left.set(xlabel="links", ylabel="microseconds a call", ylim=(1, 1e7))
    left.set_xticks(SIZES, SIZES, minor=False)
    left.set_xticks([], minor=True)
    left.legend(loc="upper left", fontsize=7, labelcolor="linecolor", frameon=False, handlelength=3)
    for name, marker in (("rnea_derivatives", "o"), ("aba_derivatives", "s")):
        colour = COLOURS[styles[f"{name}, chaindyn"][0]]
        for row, engine in enumerate(ENGINES):
            us = results["batch"]["functions"][name][engine]
            right.plot(us, row, marker, color=colour)
            above = 7 if marker == "o" else -14
            where = {"xytext": (0, above), "textcoords": "offset points", "ha": "center"}
            right.annotate(f"{float(f'{us:.3g}'):g}", (us, row), fontsize=8, **where)
    batch = results["batch"]
    title = f"● rnea, ■ aba: a state of {batch['states']}, {batch['links']} links"
    right.set(xscale="log", xlabel="microseconds a state", xlim=(1, 5e3))
    right.set_title(title, fontsize=9)
    right.set(yticks=range(len(ENGINES)), yticklabels=ENGINES, ylim=(len(ENGINES) - 0.5, -0.5))
    right.grid(axis="y", alpha=0.3)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    fig.savefig(file, transparent=True, metadata={"Date": None})


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and write what is asked for."""
    side.run("derivatives", measure, STYLES, arguments, report, plot)


if __name__ == "__main__":
    main()
