"""A robot entered as data, for where no file of it can be read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from chaindyn.chain import Chain, Link
from chaindyn.joints import Revolute

__all__ = ["UR5_FLANGE", "ur5"]

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
