"""Contact side by side: `simulate_contact` and MuJoCo on a chain that falls onto a floor, on one machine in one run.

Run as ``python bench/contact.py``; needs the extra `peers`. A chain of ten links, capsules on hinges that lie across,
falls for 0.4 s in a plane onto a rough floor, without restitution. Our steps are taken as they stand and in machine
code. Measured are steps a second, and beside them how far the links are at the end from where rigid bodies would be,
and how deep they sank in. What stands for the rigid motion is our own with steps of 0.1 ms; how far from it MuJoCo ends
with its stiffest springs and steps of 5 microseconds is written too. MuJoCo is asked with its springs as they come, and
with springs as stiff as its step allows. Then the time of one step against the number of contacts: boxes side by side
that slide over the floor, four corners each; with the times of its parts, and of Lemke's method and projected
Gauss-Seidel on the same normal contacts of a stack.
``--save`` keeps the numbers in book/speed_contact.json, ``--plot FILE`` draws them.
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
from kinematics import Call

from chaindyn import (
    Box,
    Capsule,
    Chain,
    Free,
    Geometry,
    HalfSpace,
    Link,
    Revolute,
    find_contacts,
    forward_kinematics,
    simulate_contact,
    solve_lcp,
)
from chaindyn.complementarity import contact_impulses
from chaindyn.contact import contact_response, contact_rows, normals_of
from chaindyn.state import State

LINKS, LENGTH, RADIUS, MASS, FRICTION = 10, 0.2, 0.03, 0.3, 0.5
G = (0.0, 0.0, -9.81)
TIME = 0.4  # seconds
STEPS = (0.004, 0.002, 0.001)
REFERENCE, STIFFEST = 1e-4, 5e-6
BOXES = (1, 2, 3, 5, 7, 10)
SHORT = 0.01  # the step of the boxes
ROUNDS = 3  # of the fall; three times as many of single calls
STYLES = {
    "chaindyn": ("z", "-"),
    "chaindyn, compiled": ("x", "-"),
    "MuJoCo, soft": ("y", ":"),
    "MuJoCo, stiff": ("y", "--"),
}

Motion = tuple[
    Any, float
]  # places of the links (n, 3) at the end, and how deep one was in the floor at most


# --- the chain that falls ---


def capsule() -> Capsule:
    """Return the shape of a link, as long as the link less its two round ends."""
    return Capsule(RADIUS, LENGTH - 2 * RADIUS)


def falling_chain() -> tuple[Chain, list[Geometry], Any]:
    """Return ten capsules, their geometries with the floor, and where they start: straight, tilted, 5 cm above."""
    thick, long = MASS * RADIUS**2 / 2, MASS * LENGTH**2 / 12
    common = MASS, (LENGTH / 2, 0, 0), np.diag([thick, long, long])
    hinge = Link(Revolute((0, 1, 0)), *common, offset=(LENGTH, 0, 0))
    chain = Chain([Link(Free(), *common), *[hinge] * (LINKS - 1)], gravity=G)
    along = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])  # from z, the capsule's axis, to x
    own = {"offset": (LENGTH / 2, 0, 0), "rotation": along, "friction": FRICTION}
    geometries = [Geometry(HalfSpace((0, 0, 1)), "ground", friction=FRICTION)]
    geometries += [Geometry(capsule(), i, **own) for i in range(LINKS)]
    q, tilt = chain.neutral.astype(float).copy(), -0.3
    q[2], q[3], q[5] = 0.05 + RADIUS, np.cos(tilt / 2), np.sin(tilt / 2)
    return chain, geometries, q


def ours(step: float, compiled: bool = False) -> Motion:
    """Return the end and the depth of our motion."""
    chain, geometries, q = falling_chain()
    times = np.linspace(0, TIME, round(TIME / step) + 1)
    given = {"t": times, "step": step, "compiled": compiled}
    motion = simulate_contact(chain, geometries, q, np.zeros(chain.nv), **given)
    if motion.reason:
        raise AssertionError(motion.reason)
    some = motion.q[:: max(len(times) // 80, 1)]
    gaps = [contact.gap for q in some for contact in find_contacts(chain, geometries, q)]
    depth = -min(gaps, default=0.0)
    return forward_kinematics(chain, motion.q[-1])[1], depth


def mujoco_of(chain: Chain, step: float, *, stiff: bool) -> Any:
    """Return MuJoCo's model of the chain of capsules over a floor. ImportError without it."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.gravity, spec.option.timestep = chain.gravity, step
    surface: dict[str, Any] = {"friction": [FRICTION, 0, 0], "condim": 3}
    if stiff:
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.impratio = 100
        # a large damping ratio: at 1 what lands goes up again with an eighth of its speed
        surface |= {"solref": [2 * step, 10], "solimp": [0.9999, 0.9999, 0.001, 0.5, 2]}
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[9, 9, 1], **surface)
    half = capsule().length / 2
    ends = [LENGTH / 2 - half, 0, 0, LENGTH / 2 + half, 0, 0]
    body = spec.worldbody
    for i, link in enumerate(chain.links):
        body = body.add_body(pos=link.offset, mass=link.mass, ipos=link.com)
        body.inertia, body.explicitinertial = np.diag(link.inertia), True
        if i:
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=link.joint.axis)
        else:
            body.add_freejoint()
        size = [RADIUS, 0, 0]
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=size, fromto=ends, **surface)
    return spec.compile()


def theirs(step: float, *, stiff: bool) -> Motion:
    """Return the end and the depth of MuJoCo's motion. ImportError without it."""
    import mujoco

    chain, _, q = falling_chain()
    model = mujoco_of(chain, step, stiff=stiff)
    data = mujoco.MjData(model)
    data.qpos[:] = q
    count, depth = round(TIME / step), 0.0
    for k in range(count):
        mujoco.mj_step(model, data)
        if k % max(count // 80, 1) == 0 and data.ncon:
            depth = max(depth, -float(data.contact.dist.min()))
    mujoco.mj_kinematics(model, data)
    return data.xpos[1:].copy(), depth


def timed(call: Call) -> float:
    """Return the time that the processor spends on a call [s]."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def stepping(name: str, step: float) -> Call:
    """Return what makes an engine step through the whole fall, and nothing else."""
    chain, geometries, q = falling_chain()
    count = round(TIME / step)
    if name.startswith("chaindyn"):
        given = {"t": [0, TIME], "step": step, "compiled": name.endswith("compiled")}
        return partial(simulate_contact, chain, geometries, q, np.zeros(chain.nv), **given)
    import mujoco

    model = mujoco_of(chain, step, stiff=name.endswith("stiff"))
    data = mujoco.MjData(model)

    def call() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = q
        for _ in range(count):
            mujoco.mj_step(model, data)

    return call


def fall() -> dict[str, Any]:
    """Return steps a second, errors and depths, by engine and step; least times over rounds, all in turn."""
    truth, _ = ours(REFERENCE, compiled=True)
    stiffest, _ = theirs(STIFFEST, stiff=True)
    runs: dict[str, Callable[[float], Motion]] = {
        "chaindyn": ours,
        "chaindyn, compiled": partial(ours, compiled=True),
        "MuJoCo, soft": partial(theirs, stiff=False),
        "MuJoCo, stiff": partial(theirs, stiff=True),
    }
    calls = {(name, step): stepping(name, step) for name in runs for step in STEPS}
    for name, step in calls:  # programs are made before
        if name.endswith("compiled"):
            calls[name, step]()
    times = [[timed(call) for call in calls.values()] for _ in range(ROUNDS)]
    least = dict(zip(calls, np.min(times, axis=0).tolist(), strict=True))
    results: dict[str, Any] = {name: {} for name in runs}
    for name, step in calls:
        places, depth = runs[name](step)
        results[name][f"{step:g}"] = {
            "steps_a_second": round(TIME / step / least[name, step], 1),
            "error_m": rounded(np.linalg.norm(places - truth, axis=-1).max()),
            "depth_m": rounded(depth),
        }
        print(f"{name}, {1e3 * step:g} ms: {results[name][f'{step:g}']}", flush=True)
    apart = rounded(np.linalg.norm(stiffest - truth, axis=-1).max())
    print(f"MuJoCo's stiffest ends {apart} m from our finest")
    return {"engines": results, "references_apart_m": apart}


def rounded(x: float) -> float:
    """Return two digits of a number."""
    return float(f"{x:.1e}")


# --- one step, and the number of contacts ---


def sliding_boxes(count: int) -> tuple[Chain, list[Geometry], Any, Any]:
    """Return boxes side by side on a rough floor, each sliding its own way, and their state."""
    size, inertia = (0.2, 0.2, 0.1), np.diag([5, 5, 8]) / 1200
    chain = Chain([Link(Free(), 1, (0, 0, 0), inertia, parent="ground")] * count, gravity=G)
    geometries = [Geometry(HalfSpace((0, 0, 1)), "ground", friction=FRICTION)]
    geometries += [Geometry(Box(size), i, friction=FRICTION) for i in range(count)]
    q, qd = chain.neutral.astype(float).copy(), np.zeros(chain.nv)
    q[0::7], q[2::7] = np.arange(count), size[2] / 2
    qd[3::6], qd[4::6] = np.cos(np.arange(count)), np.sin(np.arange(count))
    return chain, geometries, q, qd


def mujoco_step(count: int) -> Call:
    """Return one step of MuJoCo's from the same state. ImportError without it."""
    import mujoco

    _, _, q, qd = sliding_boxes(count)
    spec = mujoco.MjSpec()
    spec.option.timestep = SHORT
    surface: dict[str, Any] = {"friction": [FRICTION, 0, 0], "condim": 3}
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[90, 90, 1], **surface)
    for i in range(count):
        body = spec.worldbody.add_body(pos=q[7 * i : 7 * i + 3])
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.05], mass=1, **surface)
        body.add_freejoint()
    model = spec.compile()
    data = mujoco.MjData(model)
    speeds = qd.reshape(count, 2, 3)[:, ::-1].ravel()

    def call() -> None:
        data.qpos[:], data.qvel[:] = q, speeds
        data.qacc_warmstart[:] = 0
        mujoco.mj_step(model, data)

    call()
    if data.ncon != 4 * count:
        raise AssertionError(f"MuJoCo finds {data.ncon} contacts of {4 * count}: nothing is timed")
    return call


def parts(count: int) -> dict[str, Call]:
    """Return our step of the boxes, its parts, and MuJoCo's step."""
    chain, geometries, q, qd = sliding_boxes(count)
    contacts, state = find_contacts(chain, geometries, q, margin=1e-9), State(chain, q)
    if len(contacts) != 4 * count:
        raise AssertionError(f"{len(contacts)} contacts of {4 * count} are found: nothing is timed")
    moved = qd + SHORT * np.tile([0, 0, 0, *G], count)
    rows = contact_rows(state, contacts)
    normals, slips = normals_of(contacts), rows @ moved

    def response() -> Any:
        fresh = State(chain, q)  # what a state keeps is to be computed anew
        return contact_response(fresh, normals, contact_rows(fresh, contacts), slips)

    here, mu = response(), np.full(len(contacts), FRICTION)
    step = {"t": [0, SHORT], "step": SHORT}
    return {
        "step": partial(simulate_contact, chain, geometries, q, qd, **step),
        "find": partial(find_contacts, chain, geometries, q, margin=1e-9),
        "response": response,
        "friction": partial(contact_impulses, here.W, here.K @ moved, mu),
        "MuJoCo": mujoco_step(count),
    }


def stacked(count: int) -> tuple[Any, Any]:
    """Return A and b of the normal contacts of a stack of boxes that falls onto the floor, four corners each."""
    size = (0.2, 0.2, 0.1)
    chain, geometries, q, _ = sliding_boxes(count)
    q[0::7], q[2::7] = 0, size[2] * (0.5 + np.arange(count))
    contacts, state = find_contacts(chain, geometries, q, margin=1e-9), State(chain, q)
    rows, normals = contact_rows(state, contacts), normals_of(contacts)
    falling = np.tile([0, 0, 0, 0, 0, -1.0], count)
    here = contact_response(state, normals, rows, 0 * normals)
    return here.W[0::3, 0::3], (here.K @ falling)[0::3]


def growing() -> dict[str, Any]:
    """Return microseconds of a step and its parts, and of two solvers with their residuals, by number of contacts."""
    times: dict[str, dict[str, float]] = {}
    residuals: dict[str, dict[str, float]] = {"lemke": {}, "pgs": {}}
    for count in BOXES:
        calls = parts(count)
        A, b = stacked(count)
        for method, options in (("lemke", {}), ("pgs", {"sweeps": 50, "tolerance": 1e-12})):
            solve = partial(solve_lcp, A, b, method=method, **options)
            calls[method] = solve
            residuals[method][str(4 * count)] = rounded(solve().residual)
        for name, taken in side.in_turns(calls, 3 * ROUNDS).items():
            times.setdefault(name, {})[str(4 * count)] = round(1e6 * taken, 1)
    return {"us": times, "residuals": residuals, "sweeps": 50}


def measure() -> dict[str, Any]:
    """Return all results."""
    import mujoco

    fallen = fall()
    return {"mujoco": mujoco.__version__, "time_s": TIME, "fall": fallen, "contacts": growing()}


def report(results: dict[str, Any]) -> str:
    """Return what was measured as lines of text."""
    lines = ["a chain falls: steps a second, error and depth [m]"]
    for name, steps in results["fall"]["engines"].items():
        for step, found in steps.items():
            numbers = found["steps_a_second"], found["error_m"], found["depth_m"]
            lines.append(f"{name:15s}{step:>8s} s" + "".join(f"{x:>12g}" for x in numbers))
    contacts = results["contacts"]
    lines.append(f"{'contacts':15s}" + "".join(f"{4 * n:>10d}" for n in BOXES))
    for name, us in contacts["us"].items():
        lines.append(f"{name:15s}" + "".join(f"{x:>10.0f}" for x in us.values()))
    for name, sizes in contacts["residuals"].items():
        lines.append(f"{name + ' residual':15s}" + "".join(f"{x:>10.0e}" for x in sizes.values()))
    return "\n".join(lines)


def plot(results: dict[str, Any], styles: dict[str, tuple[str, str]], file: str) -> None:
    """Draw errors against steps a second, and the time of a step against contacts; styles : name -> colour, line."""
    import matplotlib.pyplot as plt

    from chaindyn.drawing import COLOURS, style

    style()
    fig, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
    measured = results["fall"]["engines"]
    for name, (colour, line) in styles.items():
        found = measured.get(name, {}).values()
        points = [x["steps_a_second"] for x in found], [x["error_m"] for x in found]
        kind = {"color": COLOURS[colour], "marker": "o", "markersize": 4, "label": name}
        left.loglog(*points, line, **kind)
    left.set(xlabel="steps a second", ylabel="error, m", title="a chain falls")
    names = {
        "step": ("chaindyn, a step", "z", "-"),
        "friction": ("its friction, by Lemke", "z", "--"),
        "lemke": ("normals alone, Lemke", "x", "-"),
        "pgs": ("normals alone, Gauss-Seidel", "x", ":"),
        "MuJoCo": ("MuJoCo, a step", "y", "-"),
    }
    for name, (label, colour, line) in names.items():
        us = results["contacts"]["us"][name]
        kind = {"color": COLOURS[colour], "marker": "o", "markersize": 4, "label": label}
        right.loglog([int(n) for n in us], list(us.values()), line, **kind)
    right.set(xlabel="contacts", ylabel="microseconds", title="one step", ylim=(4, 3e7))
    ticks = [int(n) for n in results["contacts"]["us"]["step"]]
    right.set_xticks(ticks, ticks, minor=False)
    right.set_xticks([], minor=True)
    for ax in (left, right):
        ax.legend(
            loc="upper left", fontsize=8, labelcolor="linecolor", frameon=False, handlelength=3
        )
        ax.spines[["top", "right"]].set_visible(False)
    fig.savefig(file, transparent=True, metadata={"Date": None})


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and write what is asked for."""
    side.run("contact", measure, STYLES, arguments, report, plot)


if __name__ == "__main__":
    main()
