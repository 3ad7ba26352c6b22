"""Robots and mechanisms entered as data, for where no file of them can be read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from chaindyn.chain import Chain, Link
from chaindyn.closure import Closure
from chaindyn.joints import Revolute

__all__ = ["UR5_FLANGE", "five_bar", "four_bar", "four_bar_posture", "ur5"]

# Where tools are screwed on, in the frame of the UR5's last link, wrist_3_link [m]; its axis is y.
UR5_FLANGE = (0.0, 0.0823, 0.0)


def ur5() -> Chain:
    """Return the UR5, an arm of six revolute joints with a reach of 0.85 m, standing on the ground.

    The lengths are those that Universal Robots publish ("DH parameters for calculations of kinematics and
    dynamics", UR5); names, frames, masses, centres of mass and inertias those of the URDF in ROS-Industrial's
    ur_description, which example-robot-data distributes as ur5_robot.urdf: `load_urdf` gives the same
    chain, but for the 5e-12 rad by which that file rounds its quarter turns. Each link is taken there for a
    solid cylinder; the three wrists' inertias are those of cylinders of 0.6 m radius, ten times the real
    ones, and are kept as they are so that results agree with those of other programs on that file.
    """
    return Chain(tuple(_ur5_links()))


def _ur5_links() -> Iterator[Link]:
    y, z = (0, 1, 0), (0, 0, 1)
    straight, forward = (
        np.eye(3, dtype=int),
        np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    )  # a quarter about y
    # name, axis, offset [m], rotation, mass [kg], height of the centre of mass [m], moments across and about z
    for name, axis, offset, rotation, mass, height, across, along in (
        ("shoulder_link", z, (0, 0, 0.089159), straight, 3.7, 0, 0.010267495893, 0.00666),
        ("upper_arm_link", y, (0, 0.13585, 0), forward, 8.393, 0.28, 0.22689067591, 0.0151074),
        ("forearm_link", y, (0, -0.1197, 0.425), straight, 2.275, 0.25, 0.049443313556, 0.004095),
        ("wrist_1_link", y, (0, 0, 0.39225), forward, 1.219, 0, 0.111172755531, 0.21942),
        ("wrist_2_link", z, (0, 0.093, 0), straight, 1.219, 0, 0.111172755531, 0.21942),
        ("wrist_3_link", y, (0, 0, 0.09465), straight, 0.1879, 0, 0.0171364731454, 0.033822),
    ):
        inertia = np.diag([across, across, along])
        yield Link(Revolute(axis), mass, (0, 0, height), inertia, offset, rotation, name=name)


def four_bar(cranks: int = 2) -> tuple[Chain, tuple[Closure, ...]]:
    """Return a line of parallel cranks with rods between their ends, and the closures of its loops.

    The benchmark problem "N four-bar mechanism" of the IFToMM library of computational multibody problems has N loops:
    cranks = N + 1 and N rods between, each uniform, thin, 1 m long and of 1 kg, in the x-z plane with z up. The first
    crank stands on the ground at the origin, and crank k at x = k. Joint coordinates turn about -y, so that angles go
    from x to z: with all cranks at the angle a to the ground, `four_bar_posture` has the coordinates.
    """
    if not isinstance(cranks, int) or cranks < 2:
        raise ValueError(f"cranks is {cranks!r}, but must be a whole number, 2 at least")
    across = 1 / 12
    rod = 1.0, (0.5, 0, 0), np.diag([0, across, across])
    hinge = Revolute((0, -1, 0))
    links = [Link(hinge, *rod, name="crank 0")]
    loops = []
    for k in range(1, cranks):
        start = (1, 0, 0)
        before = "crank 0" if k == 1 else f"rod {k - 1}"
        links.append(Link(hinge, *rod, offset=start, parent=before, name=f"rod {k}"))
        links.append(Link(hinge, *rod, offset=start, parent=f"rod {k}", name=f"crank {k}"))
        loops.append(
            Closure(Revolute((0, 1, 0)), f"crank {k}", offset=(1, 0, 0), onto_offset=(k, 0, 0))
        )
    return Chain(links), tuple(loops)


def four_bar_posture(cranks: int, angle: float) -> np.ndarray:
    """Return the coordinates of `four_bar` in which all cranks stand at an angle to the ground [rad]."""
    q = [angle]
    for k in range(1, cranks):
        q += [-angle if k == 1 else 0.0, angle + np.pi]
    return np.array(q)


def five_bar() -> tuple[Chain, tuple[Closure, ...]]:
    """Return a five-bar linkage, four thin uniform rods that close a loop with the ground, and its closure.

    Two arms of 0.5 m stand on the ground at x = 0 and x = 0.6 m, and two of 0.6 m join their ends: of 1 kg/m, in the
    x-z plane with z up. The loop is cut at the second foot. Joints turn about -y, from x to z. The lengths are ours.
    """
    lengths = (0.5, 0.6, 0.6, 0.5)
    links = [
        Link(
            Revolute((0, -1, 0)),
            length,
            (length / 2, 0, 0),
            length**3 / 12 * np.diag([0, 1, 1]),
            offset=(before, 0, 0),
            name=name,
        )
        for name, length, before in zip(
            ("left arm", "left forearm", "right forearm", "right arm"),
            lengths,
            (0, *lengths),
            strict=False,
        )
    ]
    foot = Closure(Revolute((0, 1, 0)), "right arm", offset=(0.5, 0, 0), onto_offset=(0.6, 0, 0))
    return Chain(links), (foot,)
