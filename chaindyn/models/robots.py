"""Robots and mechanisms entered as data, for where no file of them can be read."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from chaindyn.chain import Chain, Link
from chaindyn.closure import Closure
from chaindyn.guards.arguments import check_array, check_word, require_rotation
from chaindyn.joints import Revolute, Spherical
from chaindyn.lie import exp_so3, quaternion_from_rotation
from chaindyn.models.parts import Frame
from chaindyn.other_joints import Cylindrical, Free, Universal

__all__ = [
    "UR5_FLANGE",
    "delta_robot",
    "delta_robot_posture",
    "five_bar",
    "four_bar",
    "four_bar_posture",
    "stewart_platform",
    "stewart_platform_posture",
    "ur5",
    "ur5_uncorrected",
]

# Where tools are screwed on, in the frame of the UR5's last link, wrist_3_link [m]; its axis is y.
UR5_FLANGE = (0.0, 0.0823, 0.0)


def ur5() -> Chain:
    """Return the UR5, an arm of six revolute joints with a reach of 0.85 m, standing on the ground.

    The lengths are those that Universal Robots publish ("DH parameters for calculations of kinematics and
    dynamics", UR5); names, frames, masses, centres of mass and inertias those of ROS-Industrial's ur_description,
    version 1.2.6 of 2019. Each link is taken there for a solid cylinder, and rotors are left out.
    `ur5_uncorrected` is the arm of earlier versions, which many robot files still have.
    """
    return _ur5(
        (0.06, 0.15, z := (0, 0, 1), (0, 0, 0)),
        (0.06, 0.56, z, (0, 0, 0.28)),
        (0.06, 0.39225, z, (0, 0, 0.39225 / 2)),
        (0.06, 0.12, z, (0, 0.093, 0)),
        (0.06, 0.12, z, (0, 0, 0.09465)),
        (0.0375, 0.0345, (0, 1, 0), (0, 0.0823 - 0.0345 / 2, 0)),
    )


def ur5_uncorrected() -> Chain:
    """Return the UR5 as files of before 2019 have it, with wrists that no UR5 has.

    These are the numbers of ur5_robot.urdf, which example-robot-data distributes: `load_urdf` gives the same chain,
    but for the 5e-12 rad by which that file rounds its quarter turns, and 4e-7 of the moments of inertia, for which it
    takes 0.0833333 for 1/12. Its wrists are cylinders of 0.6 m radius in place of 0.06, with their middles on the
    joints, and its forearm is 0.11 m too long. Take `ur5`. The chapter on identification asks how one would notice.
    """
    z, middle = (0, 0, 1), (0, 0, 0)
    wrist = (0.6, 0.12, z, middle)
    upper = (0.06, 0.15, z, middle), (0.06, 0.56, z, (0, 0, 0.28)), (0.06, 0.5, z, (0, 0, 0.25))
    return _ur5(*upper, wrist, wrist, wrist)


def _ur5(
    *cylinders: tuple[float, float, tuple[int, int, int], tuple[float, float, float]],
) -> Chain:
    """Return the arm whose links are solid cylinders: radius, length [m], axis, middle [m] in the link's frame."""
    y, z = (0, 1, 0), (0, 0, 1)
    straight = np.eye(3, dtype=int)
    forward = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # a quarter about y
    # of link and joint, as in the same files
    called = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
    joints = (  # name, axis, offset [m], rotation, mass [kg]
        ("shoulder_link", z, (0, 0, 0.089159), straight, 3.7),
        ("upper_arm_link", y, (0, 0.13585, 0), forward, 8.393),
        ("forearm_link", y, (0, -0.1197, 0.425), straight, 2.275),
        ("wrist_1_link", y, (0, 0, 0.39225), forward, 1.219),
        ("wrist_2_link", z, (0, 0.093, 0), straight, 1.219),
        ("wrist_3_link", y, (0, 0, 0.09465), straight, 0.1879),
    )
    links = []
    for word, (name, axis, offset, turn, mass), (radius, length, along, middle) in zip(
        called, joints, cylinders, strict=True
    ):
        across = mass * (3 * radius**2 + length**2) / 12
        inertia = np.diag(np.where(along, mass * radius**2 / 2, across))
        joint = Revolute(axis, name=f"{word}_joint")
        links.append(Link(joint, mass, middle, inertia, offset, turn, name=name))
    return Chain(links, frames=(Frame("flange", "wrist_3_link", UR5_FLANGE),))


CutWord = Literal["foot", "rod"]  # where the loops of `four_bar` are cut
CUTS: set[str] = set(get_args(CutWord))


def check_cranks(cranks: int) -> None:
    """Refuse what is no number of cranks."""
    if not isinstance(cranks, int) or cranks < 2:
        raise ValueError(f"cranks is {cranks!r}, but must be a whole number, 2 at least")


def four_bar(cranks: int = 2, *, cut: CutWord = "foot") -> tuple[Chain, tuple[Closure, ...]]:
    """Return a line of parallel cranks with rods between their ends, and the closures of its loops.

    The benchmark problem "N four-bar mechanism" of the IFToMM library of computational multibody problems has N loops:
    cranks = N + 1 and N rods between, each uniform, thin, 1 m long and of 1 kg, in the x-z plane with z up. The first
    crank stands on the ground at the origin, and crank k at x = k. cut : where each loop is cut, at the "foot" of its
    second crank, which then hangs on the rod, and all rods on each other; or at the end of its "rod", where all cranks
    stand on the ground, and a loop shares links with its neighbours alone. Joint coordinates turn about -y, so that
    angles go from x to z: with all cranks at the angle a to the ground, `four_bar_posture` has the coordinates.
    """
    check_cranks(cranks)
    check_word(cut, "cut", CUTS)
    across = 1 / 12
    bar = 1.0, (0.5, 0, 0), np.diag([0, across, across])
    hinge, pin, end = Revolute((0, -1, 0)), Revolute((0, 1, 0)), (1, 0, 0)
    links = [Link(hinge, *bar, name="crank 0")]
    loops = []
    for k in range(1, cranks):
        rod, crank, foot = f"rod {k}", f"crank {k}", (k, 0, 0)
        hung = cut == "foot" and k > 1
        before = f"rod {k - 1}" if hung else f"crank {k - 1}"
        links.append(Link(hinge, *bar, offset=end, parent=before, name=rod))
        if cut == "foot":
            links.append(Link(hinge, *bar, offset=end, parent=rod, name=crank))
            loops.append(Closure(pin, crank, offset=end, onto_offset=foot))
        else:
            links.append(Link(hinge, *bar, offset=foot, parent="ground", name=crank))
            loops.append(Closure(pin, rod, crank, offset=end, onto_offset=end))
    return Chain(links), tuple(loops)


def four_bar_posture(cranks: int, angle: float, *, cut: CutWord = "foot") -> np.ndarray:
    """Return the coordinates of `four_bar` in which all cranks stand at an angle to the ground [rad].

    cranks : how many, and cut : where, as for `four_bar`.
    """
    check_cranks(cranks)
    check_word(cut, "cut", CUTS)
    if cut == "rod":
        return angle * (-1.0) ** np.arange(2 * cranks - 1)
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


# The Stewart platform: the density of steel [kg/m^3], and where the platform is at home [m].
_STEEL = 76e3 / 9.81
_HOME = (0.0, 0.0, 2.0)


def _cylinder(length: float, outer: float, inner: float = 0.0) -> tuple[float, np.ndarray]:
    """Return the mass and the inertia (3, 3) of a steel tube along z; outer, inner : radii [m]."""
    mass = _STEEL * np.pi * (outer**2 - inner**2) * length
    round_ = outer**2 + inner**2
    across = mass * (3 * round_ + length**2) / 12
    return mass, np.diag([across, across, mass * round_ / 2])


def _stewart_legs() -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return feet (6, 3) in the world, heads (6, 3) in the platform, leg axes at home (6, 3, 3), and a leg's length.

    The third axis is along the leg, upwards; the first is level.
    """

    def ring(radius: float, middle: np.ndarray, spread: float) -> np.ndarray:
        angle = np.radians(middle + spread * np.array([-1, 1, -1, 1, -1, 1]))
        return radius * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)

    feet = ring(3.0, np.array([0, 0, 120, 120, 240, 240]), 2.5)
    heads = ring(1.0, np.array([-60, 60, 60, 180, 180, 300]), -10.0)
    legs = heads + _HOME - feet
    lengths = np.linalg.norm(legs, axis=-1)  # all the same
    along = legs / lengths[:, None]
    level = np.cross(along, [0, 0, 1])
    level = level / np.linalg.norm(level, axis=-1, keepdims=True)
    return feet, heads, np.stack([level, np.cross(along, level), along], axis=-1), float(lengths[0])


def stewart_platform() -> tuple[Chain, tuple[Closure, ...]]:
    """Return a Stewart platform, a plate on six legs that can be lengthened, and the closures of its legs.

    Dimensions and materials are those of the example that goes with The MathWorks, "Creating a Stewart Platform Model
    Using SimMechanics" (its data file of 2002-2003): feet on a circle of 3 m, 2.5 degrees to either side of 0, 120
    and 240; heads on the rim of a steel disc of 1 m radius and 50 mm thickness, 10 degrees to either side of 60, 180
    and 300; legs of two steel parts of three quarters of a leg's length at home, a tube of 50 and 30 mm radius, which
    stands on the ground on a universal joint, and a rod of 30 mm that slides and turns in it. Universal joints at the
    heads are cut. Coordinates: of each leg, the two angles at the foot, then turn and lengthening, zero at home,
    where the disc is level at a height of 2 m; then pose of the disc.
    `stewart_platform_posture` has those of any pose. Links: "tube 0", "rod 0", ... "rod 5", "platform".
    """
    feet, heads, axes, length = _stewart_legs()
    tube, rod = _cylinder(0.75 * length, 0.05, 0.03), _cylinder(0.75 * length, 0.03)
    x, y, z = np.eye(3, dtype=int)
    links, loops = [], []
    for k in range(6):
        middle = (0, 0, 3 / 8 * length)
        links.append(
            Link(Universal(x, y), tube[0], middle, tube[1], feet[k], axes[k], "ground", f"tube {k}")
        )
        # the rod's frame is at the head
        links.append(
            Link(
                Cylindrical(z),
                rod[0],
                (0, 0, -3 / 8 * length),
                rod[1],
                (0, 0, length),
                name=f"rod {k}",
            )
        )
        loops.append(
            Closure(Universal(x, y), "platform", f"rod {k}", offset=heads[k], rotation=axes[k])
        )
    disc = _cylinder(0.05, 1.0)
    links.append(Link(Free(), disc[0], (0, 0, 0), disc[1], parent="ground", name="platform"))
    return Chain(links), tuple(loops)


def stewart_platform_posture(
    position: Any = _HOME, rotation: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
) -> np.ndarray:
    """Return the coordinates (31,) of `stewart_platform` with its disc in a pose: position (3,) [m], rotation (3, 3).

    A leg reaches from its foot to its head: that gives its length and both angles at the foot. The rod turns in the
    tube until the axes of the universal joint at its head are at right angles. ValueError if the rotation is none.
    """
    p, R = check_array(position, "position", (3,)), check_array(rotation, "rotation", (3, 3))
    require_rotation(R, "rotation")
    feet, heads, axes, length = _stewart_legs()
    legs = p + heads @ R.T - feet
    reach = np.linalg.norm(legs, axis=-1)
    x, y, z = np.moveaxis((axes.mT @ legs[..., None])[..., 0] / reach[:, None], -1, 0)
    first, second = np.arctan2(-y, z), np.arcsin(x)
    # the axis that is fixed in the disc, seen from the tube, of which only what is across the leg counts
    held = (axes.mT @ R @ axes)[..., 1]
    c, s = np.cos(first), np.sin(first)
    down = s * held[:, 1] - c * held[:, 2]
    across = np.cos(second) * held[:, 0] + np.sin(second) * down
    turn = np.arctan2(-across, c * held[:, 1] + s * held[:, 2])
    legs = np.stack([first, second, turn, reach - length], axis=-1)
    return np.concatenate([legs.ravel(), p, quaternion_from_rotation(R)])


# The delta robot [m]: how far hips are from the middle of the base, and the middles of the platform's joints from its
# own; length of the arms and of the rods; width of the parallelograms. Azimuth of the arms [rad].
_DELTA = {"base": 0.164, "platform": 0.044, "arm": 0.524, "rod": 1.244, "width": 0.131}
_AZIMUTHS = np.radians([-90, 30, 150])


def delta_robot() -> tuple[Chain, tuple[Closure, ...]]:
    """Return a delta robot, whose three arms carry a platform on pairs of parallel rods, and the closures of the rods.

    The dimensions are those of an ABB FlexPicker IRB 360-1/1600 in Williams ("The Delta Parallel Robot: Kinematics
    Solutions", Ohio University, 2016). He gives no masses; ours are: an arm 1.2 kg and a rod 0.15 kg, both thin and
    uniform, and the platform 0.5 kg, a disc with a radius of 44 mm and 10 mm thick. The base is at the origin, the
    platform below it; an arm turns downwards from the level. Rods have a universal joint at the arm and a ball in the
    platform, which is cut. Nothing but the six rods keeps the platform level. Coordinates: of each arm, its own angle
    and two of each of its rods; then pose of the platform. `delta_robot_posture` has those of any place. Links:
    "arm 0", "left rod 0", "right rod 0", "arm 1", ... "platform".
    """
    arm, rod, width = _DELTA["arm"], _DELTA["rod"], _DELTA["width"]
    x, y = (1, 0, 0), (0, 1, 0)
    links, loops = [], []
    for k, azimuth in enumerate(_AZIMUTHS):
        turn = exp_so3(np.array([0, 0, azimuth]))
        moments = 1.2 * arm**2 / 12 * np.diag([0, 1, 1])
        hip = turn @ (_DELTA["base"], 0, 0)
        links.append(
            Link(Revolute(y), 1.2, (arm / 2, 0, 0), moments, hip, turn, "ground", f"arm {k}")
        )
        for side, place in (("left", width / 2), ("right", -width / 2)):
            name, moments = f"{side} rod {k}", 0.15 * rod**2 / 12 * np.diag([1, 1, 0])
            knee = (arm, place, 0)
            links.append(
                Link(
                    Universal(y, x),
                    0.15,
                    (0, 0, -rod / 2),
                    moments,
                    knee,
                    parent=f"arm {k}",
                    name=name,
                )
            )
            head = turn @ (_DELTA["platform"], place, 0)
            loops.append(
                Closure(Spherical(), "platform", name, offset=head, onto_offset=(0, 0, -rod))
            )
    round_, high = 3 * _DELTA["platform"] ** 2, 0.01**2
    inertia = 0.5 / 12 * np.diag([round_ + high, round_ + high, 2 * round_])
    links.append(Link(Free(), 0.5, (0, 0, 0), inertia, parent="ground", name="platform"))
    return Chain(links), tuple(loops)


def delta_robot_posture(position: Any = (0.0, 0.0, -0.9)) -> np.ndarray:
    """Return the coordinates (22,) of `delta_robot` with its platform at a position (3,) [m], all knees outwards.

    An arm's angle is where the circle of its knee meets the sphere of the rods, whose middle is the platform's joint.
    ValueError if an arm does not reach.
    """
    p = check_array(position, "position", (3,))
    arm, rod = _DELTA["arm"], _DELTA["rod"]
    # from the hip to the joint at the platform: outwards, along the hip's axis, upwards
    out, aside, up = np.array([exp_so3(np.array([0, 0, -azimuth])) @ p for azimuth in _AZIMUTHS]).T
    out = out + _DELTA["platform"] - _DELTA["base"]
    far = np.hypot(out, up)
    across = (far**2 + aside**2 + arm**2 - rod**2) / (2 * arm)
    late = np.flatnonzero(np.abs(across) > far)
    if late.size:
        raise ValueError(f"the platform cannot be at {p}: arm {late[0]} does not reach it")
    angle = np.arctan2(-up, out) - np.arccos(across / far)
    # of a rod from its knee
    out, up = out - arm * np.cos(angle), up + arm * np.sin(angle)
    first, second = np.arctan2(-out, -up) - angle, np.arcsin(aside / rod)
    arms = np.stack([angle, first, second, first, second], axis=-1)
    return np.concatenate([arms.ravel(), p, [1, 0, 0, 0]])
