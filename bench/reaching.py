"""Inverse kinematics of robots side by side: how many poses are reached, from one start and from more, and how long.

Run as ``python bench/reaching.py [POSES]`` where pin and its robots' files (example-robot-data) are installed; mink,
with MuJoCo, and ikpy are measured where they are installed too. The poses are those of random joint angles within the
limits, of a hand the places of its four finger tips at once; each search begins in the middle of the limits. They count
as reached if place and attitude are within 1e-6 m and rad, and all joints within their limits. Times are of one
processor, and do not count what is compiled at first.
"""

from __future__ import annotations

import os

os.environ.update(
    dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
)  # before numpy

import importlib.metadata
import importlib.util
import logging
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

from chaindyn import (
    Chain,
    Closure,
    Fixed,
    Spherical,
    Target,
    assemble,
    forward_kinematics,
    inverse_kinematics,
    load_urdf,
    within_limits,
)

NEAR = 1e-6
STEPS = 100  # of the other libraries' loops, which begin once
# Of each robot: its file, the bodies that are to reach, and whether their attitudes count.
ROBOTS = {
    "Panda": ("panda_description/urdf/panda.urdf", ("panda_hand",), True),
    "UR5": ("ur_description/urdf/ur5_robot.urdf", ("tool0",), True),
    "Allegro hand": (
        "allegro_hand_description/urdf/allegro_right_hand.urdf",
        ("link_3.0_tip", "link_7.0_tip", "link_11.0_tip", "link_15.0_tip"),
        False,
    ),
}

# From attitudes (k, 3, 3) and places (k, 3) of the bodies to joint angles, or None.
Solve = Callable[[np.ndarray, np.ndarray], "np.ndarray | None"]


@dataclass(frozen=True)
class Robot:
    """A robot, the bodies that are to reach, and whether their attitudes count."""

    chain: Chain
    path: Path
    bodies: tuple[str, ...]
    turned: bool

    @property
    def middle(self) -> np.ndarray:
        """The middle of the limits, where each search begins."""
        return np.asarray(self.chain.lower_limit + self.chain.upper_limit) / 2


def bare_file(name: str, bodies: tuple[str, ...], folder: Path) -> Path:
    """Write a robot's file up to its bodies, without shapes, which other libraries would look for."""
    files = importlib.metadata.files("example-robot-data") or []
    (found,) = [f for f in files if str(f).endswith("robots/" + name)]
    tree = ElementTree.parse(str(found.locate()))
    robot = tree.getroot()
    joints = {
        j.find("child").get("link"): j  # type: ignore[union-attr]
        for j in robot.iter("joint")
        if j.find("child") is not None
    }
    kept = set(bodies)
    for link in bodies:
        while link in joints:
            link = joints[link].find("parent").get("link")  # type: ignore[union-attr,assignment]
            kept.add(link)
    for part in [*robot]:
        child = part.find("child")
        name_of = child.get("link") if child is not None else part.get("name")
        if part.tag not in ("link", "joint") or name_of not in kept:
            robot.remove(part)
    for part in robot.iter("link"):
        for shape in [*part.findall("visual"), *part.findall("collision")]:
            part.remove(shape)
    path = folder / f"{bodies[0]}.urdf"
    tree.write(path)
    return path


def ours(robot: Robot, restarts: int) -> Solve:
    """The search of this package, compiled."""

    def solve(R: np.ndarray, p: np.ndarray) -> np.ndarray:
        targets = [
            Target(body, p[k], R[k] if robot.turned else None)
            for k, body in enumerate(robot.bodies)
        ]
        found = inverse_kinematics(robot.chain, targets, restarts=restarts, compiled=True)
        q: np.ndarray = found.q
        return q

    return solve


def as_a_loop(robot: Robot) -> Solve:
    """`assemble`, with the bodies welded to their targets, or pinned there by balls."""
    places = [robot.chain.place(body) for body in robot.bodies]
    joint = Fixed() if robot.turned else Spherical()

    def solve(R: np.ndarray, p: np.ndarray) -> np.ndarray | None:
        ties = [
            Closure(joint, link, offset=offset, rotation=turn, onto_offset=at, onto_rotation=to)
            for (link, offset, turn), at, to in zip(places, p, R, strict=True)
        ]
        try:
            q: np.ndarray = assemble(robot.chain, ties, robot.middle)
        except ValueError:
            return None
        return q

    return solve


def with_pinocchio(robot: Robot) -> Solve:
    """Damped least squares in a Python loop, as Pinocchio's examples have it, cut off at the limits."""
    model = pin.buildModelFromUrdf(str(robot.path))
    data = model.createData()
    frames = [model.getFrameId(body) for body in robot.bodies]
    low, high = model.lowerPositionLimit, model.upperPositionLimit
    order = [robot.chain.joint_names.index(name) for name in list(model.names)[1:]]

    def rows(q: np.ndarray, frame: int, R: np.ndarray, p: np.ndarray) -> tuple[Any, Any]:
        if not robot.turned:
            J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED)
            return p - data.oMf[frame].translation, -J[:3]
        missing = data.oMf[frame].actInv(pin.SE3(R, p))
        J = pin.computeFrameJacobian(model, data, q, frame)
        return pin.log(missing).vector, -pin.Jlog6(missing.inverse()) @ J

    def solve(R: np.ndarray, p: np.ndarray) -> np.ndarray:
        q = robot.middle[order]
        for _ in range(STEPS):
            pin.framesForwardKinematics(model, data, q)
            each = [rows(q, *one) for one in zip(frames, R, p, strict=True)]
            error, J = np.concatenate([e for e, _ in each]), np.vstack([part for _, part in each])
            if np.linalg.norm(error) < NEAR / 10:
                break
            step = -J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(len(J)), error)
            q = np.clip(pin.integrate(model, q, step), low, high)
        found = np.empty(len(order))
        found[order] = q
        return found

    return solve


def with_mink(robot: Robot) -> Solve:
    """Steps of mink's quadratic programs, with its limits."""
    import mink
    import mujoco

    text = robot.path.read_text().replace(
        "<link", '<mujoco><compiler fusestatic="false" balanceinertia="true"/></mujoco><link', 1
    )
    model = mujoco.MjModel.from_xml_string(text)
    costs = {"position_cost": 1.0, "orientation_cost": float(robot.turned), "lm_damping": 1e-3}
    tasks = [mink.FrameTask(body, "body", **costs) for body in robot.bodies]
    limits = [mink.ConfigurationLimit(model)]
    order = [robot.chain.joint_names.index(model.joint(j).name) for j in range(model.njnt)]
    rows = slice(0, 6 if robot.turned else 3)  # places come first

    def solve(R: np.ndarray, p: np.ndarray) -> np.ndarray:
        configuration = mink.Configuration(model, q=robot.middle[order])
        for task, turn, place in zip(tasks, R, p, strict=True):
            pose = np.block([[turn, place[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
            task.set_target(mink.SE3.from_matrix(pose))
        for _ in range(STEPS):
            missing = [task.compute_error(configuration)[rows] for task in tasks]
            if np.linalg.norm(missing) < NEAR / 10:
                break
            velocity = mink.solve_ik(configuration, tasks, 1.0, "daqp", limits=limits)
            configuration.integrate_inplace(velocity, 1.0)
        q = np.empty(len(order))
        q[order] = configuration.q
        return q

    return solve


def with_ikpy(robot: Robot) -> Solve:
    """ikpy, which calls SciPy's least squares, for one body."""
    logging.disable(logging.WARNING)
    from ikpy.chain import Chain as IkChain

    tree = ElementTree.parse(robot.path).getroot()
    children = {j.find("child").get("link") for j in tree.iter("joint")}  # type: ignore[union-attr]
    (root,) = [x.get("name") for x in tree.iter("link") if x.get("name") not in children]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chain = IkChain.from_urdf_file(str(robot.path), base_elements=[root])
        moving = [link.joint_type in ("revolute", "prismatic") for link in chain.links]
        chain = IkChain.from_urdf_file(
            str(robot.path), base_elements=[root], active_links_mask=moving
        )
    middle = np.array(
        [np.mean(x.bounds) if m else 0.0 for x, m in zip(chain.links, moving, strict=True)]
    )

    def solve(R: np.ndarray, p: np.ndarray) -> np.ndarray:
        pose = np.block([[R[0], p[0][:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
        found = chain.inverse_kinematics_frame(
            pose, initial_position=middle, orientation_mode="all"
        )
        return np.array(found)[moving]

    return solve


def solvers(robot: Robot) -> Iterator[tuple[str, Solve]]:
    """Give each library's search, with its name, where it is installed."""
    yield "chaindyn, one start", ours(robot, 0)
    yield "chaindyn, up to 21 starts", ours(robot, 20)
    yield "chaindyn, assemble", as_a_loop(robot)
    yield f"Pinocchio {pin.__version__}, a loop in Python", with_pinocchio(robot)
    for name, make in (("mink", with_mink), ("ikpy", with_ikpy)):
        if importlib.util.find_spec(name) and (name != "ikpy" or len(robot.bodies) == 1):
            yield f"{name} {importlib.metadata.version(name)}", make(robot)


def is_reached(robot: Robot, q: np.ndarray, R: np.ndarray, p: np.ndarray) -> bool:
    """Whether a posture within the limits has the bodies where they should be."""
    chain = robot.chain
    low, high = chain.lower_limit - NEAR, chain.upper_limit + NEAR
    for k, body in enumerate(robot.bodies):
        R_now, p_now = forward_kinematics(chain, q, body)
        if np.abs(p_now - p[k]).max() > NEAR:
            return False
        if robot.turned and np.abs(R_now - R[k]).max() > NEAR:
            return False
    return bool(within_limits(chain, q) or ((q >= low) & (q <= high)).all())


def measure(count: int = 200) -> Iterator[tuple[str, str, float, float, float]]:
    """Yield robot, library, share of the poses reached, and milliseconds: in the middle, and on average."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (file, bodies, turned) in ROBOTS.items():
            path = bare_file(file, bodies, Path(folder))
            robot = Robot(load_urdf(path), path, bodies, turned)
            chain, rng = robot.chain, np.random.default_rng(2026)
            made_by = rng.uniform(chain.lower_limit, chain.upper_limit, (count, chain.nq))
            poses = [forward_kinematics(chain, made_by, body) for body in bodies]
            R, p = (np.stack(parts, axis=1) for parts in zip(*poses, strict=True))
            for library, solve in solvers(robot):
                solve(R[0], p[0])  # what is compiled at first
                reached, times = 0, []
                for k in range(count):
                    start = time.process_time()
                    q = solve(R[k], p[k])
                    times.append(1e3 * (time.process_time() - start))
                    reached += q is not None and is_reached(robot, q, R[k], p[k])
                middle, mean = float(np.median(times)), float(np.mean(times))
                yield name, library, reached / count, middle, mean


def main() -> None:
    """Print the table."""
    print(f"{'robot':14s}{'library':36s}{'reached':>8s}{'median ms':>11s}{'mean ms':>9s}")
    for robot, library, share, median, mean in measure(int(sys.argv[1]) if sys.argv[1:] else 200):
        print(f"{robot:14s}{library:36s}{share:8.1%}{median:11.2f}{mean:9.2f}", flush=True)


if __name__ == "__main__":
    main()
