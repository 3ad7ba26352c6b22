"""Every URDF and MJCF file that the installed packages ship: what loads, and how near it moves to other engines.

    python bench/robots.py [PACKAGE or FOLDER ...]

A folder stands for all that lies in it, as in a clone of others' robots. A file counts once, whoever ships it. A URDF
is compared with Pinocchio, joint by joint of the same name, an MJCF with the engine whose compiler read it: mass matrix
and bias force in random states, relative to their size. Prints a table by package, and what was refused with its
reason; `tests/test_every_robot.py` holds it to bounds.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chaindyn import convention, crba, from_json, load_mjcf, load_model, random_state, rnea, to_json
from chaindyn.models.urdf import parsed

STATES = 3
# Ours by name of a type: what Pinocchio reads of a URDF, and a convention translates.
COMPARED = {"Revolute", "Prismatic", "Free"}


@dataclass
class Outcome:
    """What became of one file: "refused" with a reason, "loads" with one for no comparison, or "agrees" to `error`."""

    package: str
    path: Path
    kind: str
    state: str
    reason: str = ""
    error: float = 0.0
    seconds: float = 0.0
    left_out: int = 0
    warned: bool = False
    kept: bool = True  # by JSON, to the last bit


def shipped(*sources: str) -> Iterator[tuple[str, Path, str]]:
    """Yield package, path and kind, "robot" or "mujoco", of every robot's file in packages and folders, each once."""
    seen = set()
    for name, path in files_of(*sources):
        kind = root_of(path) if path.suffix in (".urdf", ".xml") else None
        if kind is None:
            continue
        digest = hashlib.sha256(path.read_bytes()).digest()
        if digest not in seen:
            seen.add(digest)
            yield name, path, kind


def files_of(*sources: str) -> Iterator[tuple[str, Path]]:
    """Yield package and path of all files of the installed packages, or of the packages and folders that are named."""
    folders = [Path(source) for source in sources if Path(source).is_dir()]
    for folder in folders:
        yield from ((folder.name, path) for path in sorted(folder.rglob("*.*")))
    names = [source for source in sources if not Path(source).is_dir()]
    if names or not sources:
        for distribution in importlib.metadata.distributions():
            name = distribution.metadata["Name"]
            if not names or name in names:
                yield from ((name, Path(str(file.locate()))) for file in distribution.files or [])


def root_of(path: Path) -> str | None:
    """Return "robot" or "mujoco" if this is such a file, which is no part of another."""
    if not path.is_file() or path.stat().st_size > 10**8:
        return None
    if path.suffix == ".xml" and b"<mujoco" not in path.read_bytes():
        return None
    try:
        tag = parsed(path).tag
    except ValueError:
        return "robot" if path.suffix == ".urdf" else None
    return tag if tag in ("robot", "mujoco") else None


def tried(package: str, path: Path, kind: str) -> Outcome:
    """Return what becomes of a file."""
    outcome = Outcome(package, path, "URDF" if kind == "robot" else "MJCF", "loads")
    start = time.process_time()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            if kind == "robot":
                robot, other = load_model(path, inertia="warn"), None
            else:
                other = compiled_by_mujoco(path)
                robot = load_mjcf(other, inertia="warn")
        except (ValueError, ImportError) as error:
            outcome.state, outcome.reason = "refused", str(error).removeprefix(f"{path}: ")
            return outcome
    outcome.seconds, outcome.warned = time.process_time() - start, bool(warned)
    outcome.left_out = len(robot.left_out)
    outcome.kept = from_json(to_json(robot.chain)) == robot.chain
    try:
        compare = (
            against_pinocchio(robot, path) if kind == "robot" else against_mujoco(robot, other)
        )
        outcome.error, outcome.state = max(compare), "agrees"
    except Unlike as why:
        outcome.reason = str(why)
    return outcome


class Unlike(Exception):
    """The other engine does not read the file, or reads something else."""


def compiled_by_mujoco(path: Path) -> Any:
    """Return MuJoCo's model, with nothing that `load_mjcf` says it leaves out; ValueError if it does not compile."""
    import mujoco

    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        raise ValueError(f"MuJoCo does not compile it: {error}") from None
    free = [v for v in range(model.nv) if model.jnt_type[model.dof_jntid[v]] < 2]
    model.dof_armature[free] = 0
    model.tendon_armature[:] = 0
    model.body_gravcomp[:] = 0
    model.jnt_stiffness[:], model.tendon_stiffness[:], model.dof_damping[:] = 0, 0, 0
    model.opt.density, model.opt.viscosity = 0, 0
    return model


def against_mujoco(robot: Any, model: Any) -> Iterator[float]:
    """Yield how far mass matrix and bias force are from MuJoCo's."""
    import mujoco

    theirs, chain, data = convention("MuJoCo"), robot.chain, mujoco.MjData(model)
    rng = np.random.default_rng(0)
    for _ in range(STATES):
        q, qd = random_state(chain, rng)
        data.qpos[:], data.qvel[:] = theirs.to_q(chain, q), theirs.to_qd(chain, q, qd)
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        M, dense = crba(chain, q), np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, dense)
        bias = theirs.to_bias(chain, q, qd, rnea(chain, q, qd, 0 * qd), M)
        yield from errors(theirs.to_matrix(chain, q, M), dense, bias, data.qfrc_bias, qd)


def against_pinocchio(robot: Any, path: Path) -> Iterator[float]:
    """Yield how far mass matrix and bias force are from Pinocchio's, joint by joint of the same name."""
    try:
        import pinocchio
    except ImportError:
        raise Unlike("Pinocchio is not installed") from None
    chain = robot.chain
    try:
        model = pinocchio.buildModelFromUrdf(str(path))
    except (ValueError, RuntimeError) as error:
        raise Unlike(f"Pinocchio does not read it: {error}") from None
    names = list(model.names)[1:]
    strange = sorted({type(joint).__name__ for joint in chain.joints} - COMPARED)
    if strange:
        raise Unlike(f"it has {', '.join(strange)} joints")
    if sorted(names) != sorted(chain.joint_names):
        raise Unlike("Pinocchio finds other joints in it")
    order = [chain.names[chain.joint_index(name)] for name in names]
    unbounded = [
        link
        for link, joint in zip(order, list(model.joints)[1:], strict=True)
        if joint.nv == 1 and joint.nq == 2
    ]
    theirs = convention("Pinocchio", order=order, unbounded=unbounded)
    data, rng = model.createData(), np.random.default_rng(0)
    for _ in range(STATES):
        q, qd = random_state(chain, rng)
        full = theirs.to_q(chain, q), theirs.to_qd(chain, q, qd)
        dense = pinocchio.crba(model, data, full[0])
        dense = np.triu(dense) + np.triu(dense, 1).T
        known = pinocchio.nonLinearEffects(model, data, *full)
        M = crba(chain, q)
        bias = theirs.to_bias(chain, q, qd, rnea(chain, q, qd, 0 * qd), M)
        yield from errors(theirs.to_matrix(chain, q, M), dense, bias, known, qd)


def errors(M: Any, dense: Any, bias: Any, known: Any, qd: Any) -> Iterator[float]:
    """Yield the errors of M and of the bias force, relative to what rounding makes of them."""
    size = np.abs(dense).max()
    yield float(np.abs(M - dense).max() / (size or 1))
    size = np.abs(known).max() + size * (qd @ qd)
    yield float(np.abs(bias - known).max() / (size or 1))


def table(outcomes: list[Outcome]) -> str:
    """Return a table by package and kind, and the reasons for what is missing."""
    lines = [f"{'package':32}{'kind':6}{'files':>6}{'load':>6}{'agree':>6}  {'worst':>8}  median s"]
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault((one.package, one.kind), []).append(one)
    groups[("all", "URDF")] = [one for one in outcomes if one.kind == "URDF"]
    groups[("all", "MJCF")] = [one for one in outcomes if one.kind == "MJCF"]
    for (package, kind), own in groups.items():
        loaded = [one for one in own if one.state != "refused"]
        same = [one for one in own if one.state == "agrees"]
        worst = max((one.error for one in same), default=0.0)
        took = np.median([one.seconds for one in loaded]) if loaded else 0
        lines.append(
            f"{package[:31]:32}{kind:6}{len(own):6}{len(loaded):6}{len(same):6}  {worst:8.1e}  {took:8.3f}"
        )
    loaded = [one for one in outcomes if one.state != "refused"]
    whole = sum(not one.left_out for one in loaded)
    lines += [
        "",
        f"{whole} of {len(loaded)} that load are taken whole, {sum(one.warned for one in loaded)} warn",
    ]
    for state, what in (("refused", "refused"), ("loads", "not compared")):
        why = Counter(reason_of(one) for one in outcomes if one.state == state)
        lines += ["", *(f"{count:4} {what}: {reason}" for reason, count in why.most_common())]
    return "\n".join(lines)


def reason_of(one: Outcome) -> str:
    """Return a reason without what is of one file alone."""
    words = re.sub(r"'[^']*'", "'...'", one.reason.splitlines()[0])
    return re.sub(r"[-\d.]{2,}\S*|\S*/\S+", "...", words)[:100]


def main(packages: list[str]) -> None:
    """Try all files, and print the table."""
    outcomes = []
    for found in shipped(*packages):
        outcomes.append(tried(*found))
        print(".", end="", file=sys.stderr, flush=True)
    print(f"\n{table(outcomes)}")


if __name__ == "__main__":
    main(sys.argv[1:])
