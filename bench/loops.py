"""Loops side by side: `constrained_forward_dynamics` against Pinocchio and MuJoCo, on one machine in one run.

Run as ``python bench/loops.py``; needs the extra `peers`. Measured is what a Python program calls: our public, checked
function, as it stands and compiled; Pinocchio's `constraintDynamics` and `lcaba`, its solver for loops; MuJoCo's
`mj_forward`. First some mechanisms with what compiling takes, and the error against a dense solve. Then a five-bar
linkage, one state and a batch of 10^4, which is one call here and a Python loop elsewhere. Then a line of parallel
cranks with N loops (the benchmark problem "N four-bar mechanism"), each loop cut at the foot of its crank or at the end
of its rod, and the exponents with which the times grow with N.
Last a chain of n links with one loop, as n grows: its tip is held by a ball in the ground, or its last link by a
ball in the third one before. Nothing is timed before the engines agree: `constraintDynamics` to conditioning; `lcaba`,
which lets loops yield a little, to 1e-4; MuJoCo, whose loops are springs, to 1e-3. ``--save`` keeps the numbers in
book/speed_loops.json, ``--plot FILE`` draws them.
"""

from __future__ import annotations

# isort: off
import side_by_side as side  # first: it sets BLAS to one thread
# isort: on

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, get_args
from unittest import mock

import numpy as np
import pinocchio as pin
from aba import mujoco_forward, mujoco_spec
from kinematics import Call

from chaindyn import (
    Chain,
    Closure,
    Spherical,
    aba,
    bias_force,
    compiled,
    constrained_forward_dynamics,
    constraint_bias,
    constraint_error,
    constraint_jacobian,
    crba,
    forward_kinematics,
    solve_kkt,
)
from chaindyn.models.robots import (
    CutWord,
    delta_robot,
    delta_robot_posture,
    five_bar,
    four_bar,
    four_bar_posture,
    stewart_platform,
    stewart_platform_posture,
)

COMPILED = 100  # loops up to which ours are compiled: beyond, the text outgrows compilers
LOOPS = (2, 5, 10, 20, 50, 100, 200)
GROWING = 20  # loops from which on growth is measured
STYLES = {
    "chaindyn": ("z", "-"),
    "chaindyn, compiled": ("z", "--"),
    "Pinocchio": ("x", "--"),
    "Pinocchio, lcaba": ("x", ":"),
    "MuJoCo": ("y", "--"),
}

State = tuple[Any, Any, Any]
Solver = Callable[[Any, Any, Any], Any]  # of q, qd, tau: the accelerations


# --- mechanisms and their states ---


def five_bar_states(count: int) -> State:
    """Return q, qd and tau (count, 4) of closed five-bars with the pen over the feet and both elbows outwards."""
    rng = np.random.default_rng(0)
    pen = rng.uniform((0.1, 0.5), (0.5, 0.9), (count, 2))
    angles = []
    for foot, side_ in (((0, 0), 1), ((0.6, 0), -1)):
        reach = pen - foot
        far = np.linalg.norm(reach, axis=-1)
        bend = np.arccos((0.5**2 + far**2 - 0.6**2) / (2 * 0.5 * far))
        arm = np.arctan2(reach[:, 1], reach[:, 0]) + side_ * bend
        fore = reach - 0.5 * np.stack([np.cos(arm), np.sin(arm)], axis=-1)
        angles.append((arm, np.arctan2(fore[:, 1], fore[:, 0])))
    (left, left_fore), (right, right_fore) = angles
    upwards = np.stack([left, left_fore, right_fore + np.pi, right + np.pi], axis=-1)
    q = np.diff(upwards, axis=-1, prepend=0)
    chain, loops = five_bar()
    allowed = np.linalg.svd(constraint_jacobian(chain, loops, q))[2][..., 2:, :]
    qd = (rng.normal(size=(count, 1, 2)) @ allowed)[:, 0]
    return q, qd, rng.normal(size=q.shape)


def four_bars(loops: int, cut: CutWord) -> tuple[Chain, Sequence[Closure], State]:
    """Return cranks with as many loops between, all turned by one radian and turning together, and torques."""
    flat, q = (four_bar_posture(loops + 1, angle, cut=cut) for angle in (0.0, 1.0))
    tau = np.random.default_rng(loops).normal(size=q.size)
    return *four_bar(loops + 1, cut=cut), (q, 0.5 * (q - flat), tau)


def held(n: int, onto: int | str) -> tuple[Chain, Sequence[Closure], State]:
    """Return a serial chain whose last link a ball holds, where it is, to the ground or another link, and a state."""
    chain = side.chain_of(n)
    q, qd, tau = side.state_of(chain)
    R, p = forward_kinematics(chain, q)
    tip = np.array([0.1, 0.2, 0])
    place = p[-1] + R[-1] @ tip
    if onto != "ground":
        place = R[onto].T @ (place - p[onto])
    ball = Closure(Spherical(), n - 1, onto, offset=tip, onto_offset=place)
    K = constraint_jacobian(chain, ball, q)
    return chain, (ball,), (q, qd - np.linalg.pinv(K) @ (K @ qd), tau)


# --- the engines ---


def ours(chain: Chain, loops: Sequence[Closure]) -> Solver:
    """Return our accelerations of a mechanism."""
    return lambda q, qd, tau: constrained_forward_dynamics(chain, loops, q, qd, tau)[0]


def ours_compiled(chain: Chain, loops: Sequence[Closure]) -> Solver:
    """Return the same as machine code."""
    fast = compiled(constrained_forward_dynamics, chain, given={"constraints": tuple(loops)})
    return lambda q, qd, tau: fast(q, qd, tau)[0]


def dense(chain: Chain, loops: Sequence[Closure]) -> Solver:
    """Return the accelerations by the mass matrix and the null space of the rows, as `solve_kkt` finds it."""

    def solve(q: Any, qd: Any, tau: Any) -> Any:
        K, bias = constraint_jacobian(chain, loops, q), constraint_bias(chain, loops, q, qd)
        return solve_kkt(crba(chain, q), K, tau - bias_force(chain, q, qd), -bias).x

    return solve


def in_pinocchio(chain: Chain, loops: Sequence[Closure]) -> tuple[Any, Any, Any, Any]:
    """Return Pinocchio's model, its data, and loops as points that stay together, with theirs."""
    model = side.pinocchio_model(chain)
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for loop in loops:
        link, onto = loop.bodies(chain)
        ends = [
            link + 1,
            pin.SE3(np.eye(3), np.array(loop.offset, float)),
            onto + 1,
            pin.SE3(np.eye(3), np.array(loop.onto_offset, float)),
        ]
        point = pin.ContactType.CONTACT_3D
        models.append(pin.RigidConstraintModel(point, model, *ends, pin.ReferenceFrame.LOCAL))
    datas.extend([m.createData() for m in models])
    return model, model.createData(), models, datas


def constraint_dynamics(chain: Chain, loops: Sequence[Closure]) -> Solver:
    """Return Pinocchio's accelerations of a mechanism."""
    model, data, *constraints = in_pinocchio(chain, loops)
    pin.initConstraintDynamics(model, data, *constraints)
    # in the plane one row of each loop says nothing: what is added there must not be zero
    settings = pin.ProximalSettings(1e-12, 1e-12, 1e-12, 20)
    return lambda q, qd, tau: pin.constraintDynamics(
        model, data, q, qd, tau, *constraints, settings
    )


def lcaba(chain: Chain, loops: Sequence[Closure]) -> Solver:
    """Return Pinocchio's accelerations by its solver for loops, with the penalty that it advises."""
    model, data, *constraints = in_pinocchio(chain, loops)
    pin.computeJointMinimalOrdering(model, data, constraints[0])
    settings = pin.ProximalSettings(1e-10, 1e-10, 1e-6, 20)
    return lambda q, qd, tau: pin.lcaba(model, data, q, qd, tau, *constraints, settings)


def mujoco(chain: Chain, loops: Sequence[Closure]) -> Solver:
    """Return MuJoCo's accelerations of a planar mechanism, with loops as stiff as they may be.

    It takes no thin rods; what is added along a rod no motion in the plane feels. ImportError without it.
    """
    import mujoco

    thick = [
        replace(link, inertia=link.inertia + np.diag([link.inertia[1, 1], 0, 0]))
        for link in chain.links
    ]
    spec = mujoco_spec(Chain(thick, gravity=chain.gravity))
    for k, loop in enumerate(loops):
        for end, name, place in (
            (loop.link, f"from {k}", loop.offset),
            (loop.onto, f"to {k}", loop.onto_offset),
        ):
            body = spec.worldbody if end == "ground" else spec.body(end)
            body.add_site(name=name, pos=place)
        pin_ = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_SITE)
        pin_.name1, pin_.name2 = f"from {k}", f"to {k}"
        pin_.solref, pin_.solimp = [0.002, 1], [0.9999, 0.9999, 0.001, 0.5, 2]
    return mujoco_forward(spec.compile())


class Peer(NamedTuple):
    """Another engine: how its solver is made, and how near it must come to our accelerations."""

    make: Callable[[Chain, Sequence[Closure]], Solver]
    bound: float


PEERS = {
    "Pinocchio": Peer(constraint_dynamics, 1e-8),
    "Pinocchio, lcaba": Peer(lcaba, 1e-4),
    "MuJoCo": Peer(mujoco, 1e-3),
}


# --- measurements ---


def same(what: str, name: str, answer: Any, reference: Any) -> None:
    """Print how far a peer's answer is from ours; raise if further than it may be."""
    error = side.require_same(answer, reference, PEERS[name].bound)
    print(f"{what}: {name} differs from chaindyn by {error:.1e}", flush=True)


def mechanisms() -> dict[str, Any]:
    """Return for some mechanisms the seconds of the first compiled call, microseconds of others, and the error."""
    found = {}
    spatial = {
        "delta robot": (*delta_robot(), delta_robot_posture()),
        "Stewart platform": (*stewart_platform(), stewart_platform_posture()),
    }
    states = {"five-bar": (*five_bar(), tuple(x[0] for x in five_bar_states(1)))}
    for name, (chain, loops, q) in spatial.items():
        tau = np.random.default_rng(0).normal(size=chain.nv)
        states[name] = chain, loops, (q, 0 * tau, tau)
    for name, (chain, loops, state) in states.items():
        with tempfile.TemporaryDirectory() as folder:
            with mock.patch.dict(
                os.environ, {"CHAINDYN_CACHE": folder}
            ):  # so that nothing is compiled already
                begin = time.perf_counter()
                fast = partial(ours_compiled(chain, loops), *state)
                answer, seconds = fast(), time.perf_counter() - begin
        reference = dense(chain, loops)(*state)
        timed = side.in_turns({"plain": partial(ours(chain, loops), *state), "fast": fast}, 7)
        found[name] = {
            "first_s": round(seconds, 2),
            "chaindyn_us": round(1e6 * timed["plain"], 1),
            "compiled_us": round(1e6 * timed["fast"], 2),
            "error": float(f"{np.abs(answer - reference).max() / np.abs(reference).max():.1e}"),
        }
    return found


def five_bars() -> dict[str, Any]:
    """Return microseconds of a call on one five-bar, and for each state of many."""
    chain, loops = five_bar()
    solve, fast = ours(chain, loops), ours_compiled(chain, loops)
    many = five_bar_states(side.BATCH)
    gap = np.abs(constraint_error(chain, loops, many[0])).max()
    if gap > 1e-12:
        raise AssertionError(f"a five-bar is open by {gap:.1e}: nothing is timed")
    first = tuple(x[0] for x in many)
    one, batch = (
        {"chaindyn": partial(solve, *given), "chaindyn, compiled": partial(fast, *given)}
        for given in (first, many)
    )
    reference = solve(*many)
    for name, peer in PEERS.items():
        theirs = peer.make(chain, loops)

        def loop(theirs: Solver = theirs) -> list[Any]:
            return [theirs(*state) for state in zip(*many, strict=True)]

        copies = [np.array(theirs(*state)) for state in zip(*many, strict=True)]
        same(f"{side.BATCH} five-bars", name, np.array(copies), reference)
        one[name], batch[name] = partial(theirs, *first), loop
    return {
        "one_us": {k: round(1e6 * t, 2) for k, t in side.in_turns(one, side.ROUNDS).items()},
        "states": side.BATCH,
        "state_us": {k: round(1e6 * t / side.BATCH, 2) for k, t in side.in_turns(batch, 7).items()},
    }


def lines_of_cranks(cut: CutWord) -> dict[str, Any]:
    """Return microseconds a call by engine and number of loops, where each engine stopped, and exponents of growth."""
    times: dict[str, dict[str, float]] = {name: {} for name in STYLES}
    stopped: dict[str, str] = {}
    for n in LOOPS:
        chain, loops, state = four_bars(n, cut)
        timed: dict[str, Call] = {"chaindyn": partial(ours(chain, loops), *state)}
        reference = timed["chaindyn"]()
        if n <= COMPILED:
            timed["chaindyn, compiled"] = partial(ours_compiled(chain, loops), *state)
        else:
            stopped["chaindyn, compiled"] = f"is not asked beyond N = {COMPILED}: too much text"
        for name, peer in PEERS.items():
            if name in stopped:
                continue
            call = partial(peer.make(chain, loops), *state)
            try:
                same(f"N = {n}, cut at each {cut}", name, np.array(call()), reference)
            except AssertionError:
                stopped[name] = f"differs from chaindyn by more than {peer.bound} at N = {n}"
                continue
            begin = time.perf_counter()
            call()
            if time.perf_counter() - begin > side.PATIENCE:
                stopped[name] = f"takes longer than {side.PATIENCE} s from N = {n} on"
                continue
            timed[name] = call
        for name, taken in side.in_turns(timed, side.ROUNDS).items():
            times[name][str(n)] = round(1e6 * taken, 2)
    return {
        "calls": times,
        "stopped": stopped,
        "growth_from": GROWING,
        "growth": {name: exponent(us, GROWING) for name, us in times.items()},
    }


def exponent(times: dict[str, float], start: int = 0) -> float | None:
    """Return the exponent with which times grow with sizes, from a size on; None of a single one."""
    points = np.array([(int(n), t) for n, t in times.items() if int(n) >= start])
    if len(points) < 2:
        return None
    return round(float(np.polyfit(*np.log(points).T, 1)[0]), 3)


def one_loop() -> dict[str, float | None]:
    """Return the exponents with which our times grow with the links of a chain, with one loop and without any."""
    makers: dict[str, Callable[[int], tuple[Chain, Sequence[Closure], State]]] = {
        "tip held to the ground": lambda n: held(n, "ground"),
        "last link held to the third before": lambda n: held(n, n - 4),
    }
    calls: dict[tuple[str, int], Call] = {}
    for name, make in makers.items():
        for n in side.LONG:
            chain, loops, state = make(n)
            calls[name, n] = partial(ours(chain, loops), *state)
            calls["no loop: aba", n] = partial(aba, chain, *state)
            if n == side.LONG[0]:
                theirs = constraint_dynamics(chain, loops)
                same(f"n = {n}, {name}", "Pinocchio", theirs(*state), calls[name, n]())
    times = side.in_turns(calls, side.ROUNDS)
    return {
        name: exponent({str(n): times[name, n] for n in side.LONG})
        for name in (*makers, "no loop: aba")
    }


def measure() -> dict[str, Any]:
    """Return all results."""
    import mujoco

    return {
        "mujoco": mujoco.__version__,
        "mechanisms": mechanisms(),
        "five_bar": five_bars(),
        "four_bars": {cut: lines_of_cranks(cut) for cut in get_args(CutWord)},
        "growth": one_loop(),
    }


def report(results: dict[str, Any]) -> str:
    """Return what was measured as lines of text."""
    five = results["five_bar"]
    lines = [f"{name:18s}{said}" for name, said in results["mechanisms"].items()]
    lines += [
        f"five-bar: microseconds for one, and for each of {five['states']}; compiled / theirs"
    ]
    for name, us in five["one_us"].items():
        each = five["state_us"][name]
        ratios = [
            five[k]["chaindyn, compiled"] / t for k, t in (("one_us", us), ("state_us", each))
        ]
        lines.append(f"{name:18s}{us:10.2f}{each:10.2f}{ratios[0]:10.2f}{ratios[1]:10.2f}")
    for cut, cranks in results["four_bars"].items():
        head = f"loops, by the {cut}"
        lines.append(f"{head:18s}" + "".join(f"{n:>11d}" for n in LOOPS) + "   growth")
        for name, times in cranks["calls"].items():
            cells = [f"{times[str(n)]:11.1f}" if str(n) in times else f"{'-':>11s}" for n in LOOPS]
            lines.append(f"{name:18s}" + "".join(cells) + f"   N^{cranks['growth'][name] or '?'}")
        lines += [f"{name} {why}" for name, why in cranks["stopped"].items()]
    for name, power in results["growth"].items():
        lines.append(f"{name}, from n = {side.LONG[0]} to {side.LONG[-1]}: n^{power}")
    return "\n".join(lines)


def plot(results: dict[str, Any], styles: dict[str, tuple[str, str]], file: str) -> None:
    """Draw microseconds against the number of loops, and those of a five-bar; styles : name -> colour, line."""
    import matplotlib.pyplot as plt

    from chaindyn.drawing import COLOURS, style

    style()
    fig, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
    five = results["five_bar"]
    for row, (name, (colour, line)) in enumerate(styles.items()):
        times = results["four_bars"]["rod"]["calls"][name]
        kind = {"color": COLOURS[colour], "markersize": 4, "label": name}
        left.loglog([int(n) for n in times], list(times.values()), line, marker="o", **kind)
        for us, marker, above in (
            (five["one_us"][name], "o", 7),
            (five["state_us"][name], "s", -14),
        ):
            right.plot(us, row, marker, color=COLOURS[colour])
            label = f"{float(f'{us:.3g}'):g}"  # three digits, never with an exponent
            where = {"xytext": (0, above), "textcoords": "offset points", "ha": "center"}
            right.annotate(label, (us, row), fontsize=8, **where)
    left.set(xlabel="loops", ylabel="microseconds a call", title="parallel cranks, cut at the rods")
    left.set_xticks(LOOPS, LOOPS, minor=False)
    left.set_xticks([], minor=True)
    left.legend(fontsize=8, labelcolor="linecolor", frameon=False, handlelength=3)
    title = f"five-bar: ● one state, ■ of {five['states']}"
    right.set(xscale="log", xlabel="microseconds a state", title=title, xlim=(0.1, 1e4))
    right.set(yticks=range(len(styles)), yticklabels=list(styles), ylim=(len(styles) - 0.5, -0.5))
    right.grid(axis="y", alpha=0.3)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    fig.savefig(file, transparent=True, metadata={"Date": None})


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and write what is asked for."""
    side.run("loops", measure, STYLES, arguments, report, plot)


if __name__ == "__main__":
    main()
