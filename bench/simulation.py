"""Rollouts side by side: `simulate` against Pinocchio and MuJoCo, on one machine in one run.

Run as ``python bench/simulation.py``; needs the extra `peers`. A chain of five hinges about random axes falls and
swings, by the classic Runge-Kutta method with steps of 2 ms in every engine: `chaindyn.simulate`; Pinocchio, whose
steps are written here in Python around `pin.aba` and `pin.integrate`; MuJoCo, whose own steps a Python loop asks for
one by one; and `mujoco.rollout`, which loops over steps and starts in C. First one rollout of a second, where the time
that SciPy's DOP853 takes stands beside; then 1000 rollouts of a fifth of a second from different starts: one call here
and of `mujoco.rollout`, Python loops elsewhere. All of it runs on one thread, `mujoco.rollout` too, and what is kept is
the processor's time. Final states must be the same before anything is timed. Also printed: how far RK4 and DOP853 end
from where DOP853 with a tolerance of 1e-12 does. ``--save`` keeps the numbers in book/speed_simulation.json,
``--plot FILE`` draws them.
"""

from __future__ import annotations

# isort: off
import side_by_side as side  # first: it sets BLAS to one thread
# isort: on

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from aba import mujoco_model
from kinematics import Call

from chaindyn import Chain, Link, Revolute, simulate
from chaindyn.teaching import normwise

LINKS = 5
STEP = 0.002  # seconds
STEPS = 500  # of one rollout
BATCH, BATCH_STEPS = 1000, 100
ROUNDS = 7
TOLERANCE = 1e-12  # of what stands for the true motion
STYLES = {
    "chaindyn": ("z", "o"),
    "chaindyn, DOP853": ("z", "D"),
    "Pinocchio, Python loop": ("x", "o"),
    "MuJoCo, Python loop": ("y", "o"),
    "MuJoCo, rollout": ("y", "s"),
}

# What rolls out: starts (m, 2 nv), the coordinates and then their rates, and a number of steps; answers are the states
# (m, 2 nv) at the end.
Roller = Callable[[Any, int], Any]


def hinges() -> Chain:
    """Return a serial chain of hinges about random axes, which swings about the first one."""
    rng = np.random.default_rng(LINKS)
    inertia = 0.01 * np.diag([1, 1.2, 1.4])
    places = rng.normal(size=(2, LINKS, 3))
    return Chain(
        [
            Link(Revolute(rng.normal(size=3)), 1.0, 0.1 * com, inertia, 0.2 * offset)
            for com, offset in zip(*places, strict=True)
        ]
    )


def starts(count: int) -> Any:
    """Return states (count, 2 nv)."""
    return np.random.default_rng(0).uniform(-1, 1, (count, 2 * LINKS))


# --- the engines ---


def ours(chain: Chain, **options: Any) -> Roller:
    """Return our rollout, by steps of RK4 if the options do not say otherwise."""
    options = {"method": "RK4", "step": STEP, "progress": False} | options

    def roll(states: Any, steps: int) -> Any:
        states = states[0] if len(states) == 1 else states
        q, qd = np.split(states, 2, axis=-1)
        motion = simulate(chain, q, qd, t=[0, steps * STEP], **options)
        return np.atleast_2d(np.concatenate([motion.q[-1], motion.qd[-1]], axis=-1))

    return roll


def pinocchio(chain: Chain) -> Roller:
    """Return a rollout in Python around Pinocchio's forward dynamics."""
    model = side.pinocchio_model(chain)
    data, no_torque, h = model.createData(), np.zeros(model.nv), STEP
    after = partial(pin.integrate, model)

    def acceleration(q: Any, v: Any) -> Any:
        return pin.aba(model, data, q, v, no_torque).copy()  # the engine writes over its answer

    def step(q: Any, v1: Any) -> tuple[Any, Any]:
        a1 = acceleration(q, v1)
        v2 = v1 + h / 2 * a1
        a2 = acceleration(after(q, h / 2 * v1), v2)
        v3 = v1 + h / 2 * a2
        a3 = acceleration(after(q, h / 2 * v2), v3)
        v4 = v1 + h * a3
        a4 = acceleration(after(q, h * v3), v4)
        return after(q, h / 6 * (v1 + 2 * (v2 + v3) + v4)), v1 + h / 6 * (a1 + 2 * (a2 + a3) + a4)

    def roll(states: Any, steps: int) -> Any:
        ends = []
        for state in states:
            q, v = np.split(state, 2)
            for _ in range(steps):
                q, v = step(q, v)
            ends.append(np.concatenate([q, v]))
        return np.array(ends)

    return roll


def with_runge_kutta(chain: Chain) -> Any:
    """Return MuJoCo's model, which steps by RK4. ImportError without MuJoCo."""
    import mujoco

    model = mujoco_model(chain)
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP
    return model


def mujoco_loop(chain: Chain) -> Roller:
    """Return a Python loop over MuJoCo's steps. ImportError without it."""
    import mujoco

    model = with_runge_kutta(chain)
    data = mujoco.MjData(model)

    def roll(states: Any, steps: int) -> Any:
        ends = []
        for state in states:
            mujoco.mj_resetData(model, data)
            data.qpos[:], data.qvel[:] = np.split(state, 2)
            for _ in range(steps):
                mujoco.mj_step(model, data)
            ends.append(np.concatenate([data.qpos, data.qvel]))
        return np.array(ends)

    return roll


def mujoco_rollout(chain: Chain) -> Roller:
    """Return MuJoCo's own rollout, with one `MjData` and so on one thread. ImportError without it."""
    import mujoco
    from mujoco import rollout

    model = with_runge_kutta(chain)
    data = mujoco.MjData(model)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    if size != 1 + 2 * LINKS:
        raise NotImplementedError(f"MuJoCo's state is not time, place and velocity, but {size}")

    def roll(states: Any, steps: int) -> Any:
        from_zero = np.pad(states, ((0, 0), (1, 0)))  # the time comes first
        return rollout.rollout(model, data, from_zero, nstep=steps)[0][:, -1, 1:]

    return roll


ENGINES: dict[str, Callable[[Chain], Roller]] = {
    "chaindyn": ours,
    "Pinocchio, Python loop": pinocchio,
    "MuJoCo, Python loop": mujoco_loop,
    "MuJoCo, rollout": mujoco_rollout,
}

# --- together ---


def checked_calls(chain: Chain, count: int, steps: int) -> dict[str, Call]:
    """Return every engine's rollouts, which have been made to agree to a rounding error for each step."""
    calls = {name: partial(make(chain), starts(count), steps) for name, make in ENGINES.items()}
    reference, *others = calls
    end, bound = calls[reference](), 100 * np.finfo(float).eps * steps
    for name in others:
        error = normwise(calls[name](), end)
        if not error <= bound:
            raise AssertionError(f"{name} differs by {error:.1e}: nothing is timed")
        print(
            f"{count} x {steps} steps: {name} differs from {reference} by {error:.1e}", flush=True
        )
    return calls


def in_microseconds(calls: dict[str, Call], steps: int) -> dict[str, float]:
    """Return the shortest time of each call over rounds, in microseconds for each of the steps it makes.

    Time that the processor spent on this process: a rollout lasts too long for a busy machine to leave it alone.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            begin = time.process_time()
            call()
            times[name].append(time.process_time() - begin)
    return {name: round(1e6 * min(taken) / steps, 3) for name, taken in times.items()}


def measure() -> dict[str, Any]:
    """Return all results."""
    import mujoco

    chain = hinges()
    single = checked_calls(chain, 1, STEPS)
    adaptive = {"method": "DOP853", "step": None}
    single["chaindyn, DOP853"] = partial(ours(chain, **adaptive), starts(1), STEPS)
    truth = ours(chain, **adaptive, rtol=TOLERANCE, atol=TOLERANCE)(starts(1), STEPS)
    errors = {
        name: float(f"{normwise(single[name](), truth):.1e}")
        for name in ("chaindyn", "chaindyn, DOP853")
    }
    batch = checked_calls(chain, BATCH, BATCH_STEPS)
    return {
        "mujoco": mujoco.__version__,
        "links": LINKS,
        "step_s": STEP,
        "rollout": {"steps": STEPS, "step_us": in_microseconds(single, STEPS)},
        "errors": errors,
        "batch": {
            "states": BATCH,
            "steps": BATCH_STEPS,
            "step_us": in_microseconds(batch, BATCH * BATCH_STEPS),
        },
    }


def report(results: dict[str, Any]) -> str:
    """Return what was measured as lines of text."""
    lines = []
    for kind, states in (("rollout", 1), ("batch", results["batch"]["states"])):
        steps, times = results[kind]["steps"], results[kind]["step_us"]
        lines.append(f"{states} x {steps} steps: microseconds for each, ours / theirs")
        for name, us in times.items():
            lines.append(f"{name:24s}{us:10.2f}{times['chaindyn'] / us:10.2f}")
    for name, error in results["errors"].items():
        lines.append(f"{name} ends {error:.1e} from DOP853 with a tolerance of {TOLERANCE}")
    return "\n".join(lines)


def plot(results: dict[str, Any], styles: dict[str, tuple[str, str]], file: str) -> None:
    """Draw microseconds a step as points: one rollout, and many; styles : name -> colour, marker."""
    import matplotlib.pyplot as plt

    from chaindyn.drawing import COLOURS, style

    style()
    fig, panels = plt.subplots(1, 2, figsize=(8.4, 2.6), layout="constrained", sharey=True)
    rows = {name: row for row, name in enumerate(styles)}
    titles = {"rollout": "one rollout", "batch": f"{results['batch']['states']} rollouts"}
    for ax, (kind, title) in zip(panels, titles.items(), strict=True):
        for name, us in results[kind]["step_us"].items():
            colour, marker = styles[name]
            ax.plot(us, rows[name], marker, color=COLOURS[colour])
            label = f"{float(f'{us:.3g}'):g}"  # three digits, never with an exponent
            where = (us, rows[name])
            ax.annotate(label, where, (7, -3), textcoords="offset points", fontsize=8)
        ax.set(xscale="log", xlim=(3, 5e3), xlabel="microseconds a step", title=title)
        ax.grid(axis="y", alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    panels[0].set(yticks=list(rows.values()), yticklabels=list(rows), ylim=(len(rows) - 0.5, -0.5))
    fig.savefig(file, transparent=True, metadata={"Date": None})


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and write what is asked for."""
    side.run("simulation", measure, STYLES, arguments, report, plot)


if __name__ == "__main__":
    main()
