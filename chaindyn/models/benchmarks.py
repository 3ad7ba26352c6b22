"""Mechanisms that others have solved too: the first five problems of the IFToMM library, each with its start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chaindyn._ops import Array, sqrt
from chaindyn.chain import Chain, Link, forward_kinematics
from chaindyn.closure import Closure
from chaindyn.joints import Prismatic, Revolute
from chaindyn.models.robots import four_bar, four_bar_posture
from chaindyn.other_constraints import Distance
from chaindyn.simulation import Simulation, kinetic_energy, potential_energy, simulate
from chaindyn.state import State

__all__ = [
    "ANDREWS_ORDER",
    "ANDREWS_REFERENCE",
    "Problem",
    "Spring",
    "andrews_mechanism",
    "bricard_mechanism",
    "flyball_governor",
    "n_four_bar",
    "simple_pendulum",
]

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
DOWN_Y = (0, -9.81, 0)  # the library's plane problems have y upwards

# Where the coordinates of Andrews' mechanism in the literature (beta, theta, gamma, phi, delta, omega, epsilon) stand
# in our q: a tree lists parents first, and delta and epsilon belong to the parents of phi and omega.
ANDREWS_ORDER = (0, 1, 2, 4, 3, 6, 5)

# Andrews' mechanism at 0.03 s, from the Test Set for IVP Solvers (Mazzia and Magherini), problem "Andrews' squeezing
# mechanism": the 7 coordinates [rad], velocities, accelerations, and the 6 multipliers [N].
ANDREWS_REFERENCE = (
    (
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ),
    (
        1139.920302151208,
        -1424.379294994111,
        11.03291221937134,
        19.29337464421385,
        0.5735699284790808,
        -19.29337464421385,
        0.3231791658026955,
    ),
    (
        -24631.76316945196,
        51850.37701610329,
        324102.5686413781,
        566749.3645176213,
        16743.62929479361,
        -566749.3645176222,
        9826.520791458422,
    ),
    (
        199.1753333731910,
        -29.75531228015052,
        23.06654119098399,
        31.45271365475927,
        22.64249232082739,
        11.61740700019673,
    ),
)


@dataclass(frozen=True, eq=False)
class Spring:
    """A spring, and a damper beside it, between two points: where a rod would be that keeps the length at rest.

    rod : `Distance` that names the two points and the length at rest [m]. stiffness [N/m]; damping [N s/m].
    """

    rod: Distance
    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.rod, Distance):
            raise ValueError(f"rod of a Spring is {self.rod!r}, but must be a Distance")
        for name in ("stiffness", "damping"):
            value = getattr(self, name)
            if not (np.isreal(value) and 0 <= value < np.inf):
                raise ValueError(
                    f"{name} of a Spring is {value!r}, but must be a number, zero or more"
                )

    def stretched(self, state: State) -> tuple[Array, Array]:
        """Return the length (..., 1) [m] and its slope (..., 1, nv) over the velocities, from the rod's error and row.

        The rod's error is (length^2 - rest^2) / (2 rest), so its slope is the length's, times length / rest.
        """
        rest = self.rod.length
        length = sqrt(rest * rest + 2 * rest * self.rod.error_in(state))
        return length, rest / length[..., None] * self.rod.jacobian_in(state)

    def torque(self, chain: Chain, q: Array, qd: Array) -> Array:
        """Return the joint forces (..., nv) by which it acts on a chain."""
        length, slope = self.stretched(State(chain, q))
        rate = (slope @ qd[..., None])[..., 0]
        pull = self.stiffness * (length - self.rod.length) + self.damping * rate
        return -(slope.mT @ pull[..., None])[..., 0]

    def energy(self, chain: Chain, q: Array) -> Array:
        """Return what the spring stores (...) [J]."""
        length, _ = self.stretched(State(chain, q))
        return (self.stiffness / 2 * (length - self.rod.length) ** 2)[..., 0]


@dataclass(frozen=True, eq=False)
class Problem:
    """A mechanism, its start and what is asked of it.

    chain, constraints : as for `simulate`; q (nq,), qd (nv,) : the start; duration [s]. springs act in it, and a motor
    with the constant joint forces (nv,), None for no motor. link, point : a link and a point in it (3,), whose place in
    the world is asked for; columns : in which of its coordinates, in the order of the library's axes.
    """

    chain: Chain
    q: Array
    qd: Array
    duration: float
    link: str
    point: tuple[float, float, float] = (0, 0, 0)
    columns: tuple[int, ...] = (0, 1)
    constraints: tuple[Any, ...] = ()
    springs: tuple[Spring, ...] = ()
    motor: Array | None = None

    def torque(self, t: float, q: Array, qd: Array) -> Array:
        """Return the joint forces of motor and springs (..., nv), for `simulate`."""
        tau = 0 * qd if self.motor is None else self.motor + 0 * qd
        for spring in self.springs:
            tau = tau + spring.torque(self.chain, q, qd)
        return tau

    def energy(self, q: Array, qd: Array) -> Array:
        """Return what is constant where nothing damps (...) [J].

        Kinetic energy, that of the weight and the springs, less what the motor has done since the start.
        """
        energy = kinetic_energy(self.chain, q, qd) + potential_energy(self.chain, q)
        for spring in self.springs:
            energy = energy + spring.energy(self.chain, q)
        return energy if self.motor is None else energy - (q - self.q) @ self.motor

    def place(self, q: Array) -> Array:
        """Return where the point that is asked for is (..., 2 or so) [m], in the library's axes."""
        R, p = forward_kinematics(self.chain, q)
        i = self.chain.index(self.link)
        place = p[..., i, :] + R[..., i, :, :] @ np.array(self.point)
        return place[..., list(self.columns)]

    def simulate(self, t: Any, **options: Any) -> Simulation:
        """Return the motion at the times t, which begin with the start's; options as for `simulate`."""
        acts = self.springs or self.motor is not None
        given: dict[str, Any] = {"torque": self.torque if acts else None, "progress": False}
        given |= {"constraints": self.constraints} | options
        return simulate(self.chain, self.q, self.qd, t=t, **given)


def rod_along(axis: int, length: float, width: float, mass: float) -> np.ndarray:
    """Return the moments of inertia (3, 3) about the centre of a straight rod of square section [kg m^2]."""
    moments = np.full(3, mass * (length**2 + width**2) / 12)
    moments[axis] = mass * width**2 / 6
    return np.diag(moments)


def simple_pendulum() -> Problem:
    """Return problem A01, a point mass of 1 kg on a rod of 1 m without mass, at rest in the horizontal.

    As a joint angle it would need no constraint. It is a benchmark in the coordinates x and y of the mass: two slides,
    of which the first carries nothing, and a `Distance` of 1 m from the origin. It starts at x = -1 m and swings for
    10 s; asked for are x and y. (The older version of the library starts at x = +1 m and swings for 2000 s.)
    """
    nothing = 0.0, (0, 0, 0), np.zeros((3, 3))
    chain = Chain(
        [
            Link(Prismatic(X), *nothing, name="x"),
            Link(Prismatic(Y), 1.0, (0, 0, 0), np.zeros((3, 3)), name="P1"),
        ],
        gravity=DOWN_Y,
    )
    start = np.array([-1.0, 0]), np.zeros(2)
    return Problem(chain, *start, 10.0, "P1", constraints=(Distance("P1", length=1.0),))


def n_four_bar(loops: int = 2) -> Problem:
    """Return problem A02, N four-bar loops side by side: `robots.four_bar` with N + 1 cranks, for N = `loops`.

    2 N + 1 rods of 1 m and 1 kg. It starts upright, and the end B0 of the first crank moves with 1 m/s in the
    direction of x. Each time the rods come into line, one freedom becomes N + 1. N is 2 in the present version of the
    library, with 10 s, and 40 in the older one, with 20 s. Asked for are x and y of B0; our second axis is z.
    """
    if not isinstance(loops, int) or loops < 1:
        raise ValueError(f"loops is {loops!r}, but must be a whole number, 1 at least")
    chain, closures = four_bar(loops + 1)
    together = four_bar_posture(loops + 1, 1.0) - four_bar_posture(loops + 1, 0.0)
    q = four_bar_posture(loops + 1, np.pi / 2)
    return Problem(chain, q, -together, 10.0, "crank 0", X, (0, 2), closures)


def andrews_mechanism() -> Problem:
    """Return problem A03, Andrews' squeezing mechanism: seven bodies in a plane, three loops, a spring and a motor.

    The crank OF is driven with 0.033 N m. From its end F the rod FE goes to E, where three loops meet: by the triangle
    BDE, which a spring pulls at D, to B; by EG and GA, and by EH and HA, to A. No weight. It starts at rest, and is
    asked where F is for 0.05 s, or in the Test Set for IVP Solvers for all coordinates at 0.03 s:
    `ANDREWS_REFERENCE`, in the order of `ANDREWS_ORDER`.

    Data and start are those of the Test Set, which are Schiehlen's (Multibody Systems Handbook, 1990). A table that is
    distributed with a model for OpenSim (Tagliapietra, Vivian and Reggiani, "MBS benchmarks in OpenSim", A03) differs,
    and is misprinted: B is there at x = +0.03635, but then it is farther from A than the rods between reach; the
    triangle's mass is there 0.02372 kg, with which nobody's solution comes out; and of the angles EGA and EHA, which
    are equal since their triangles have the same sides, it prints one's supplement.
    """
    A, B, C = (-0.06934, -0.00227, 0), (-0.03635, 0.03273, 0), (0.014, 0.072, 0)
    OF, FE, EG, AG, AH, EH = 0.007, 0.028, 0.02, 0.04, 0.04, 0.02
    # name, parent, joint in it [m], mass [kg], centre of mass [m], moment of inertia about it [kg m^2]
    table = (
        ("OF", "ground", (0, 0, 0), 0.04325, (0.00092, 0, 0), 2.194e-6),
        ("FE", "OF", (OF, 0, 0), 0.00365, (-0.0115, 0, 0), 4.410e-7),
        ("BDE", "ground", B, 0.02373, (0.01043, -0.01874, 0), 5.255e-6),
        ("AG", "ground", A, 0.07050, (0.02308, 0.00916, 0), 1.169e-5),
        ("GE", "AG", (AG, 0, 0), 0.00706, (0, 0.01421 - EG, 0), 5.667e-7),
        ("AH", "ground", A, 0.05498, (-0.00449, -0.01228, 0), 1.912e-5),
        ("HE", "AH", (0, -AH, 0), 0.00706, (EH - 0.01421, 0, 0), 5.667e-7),
    )
    links = [
        # moments in the plane, which nothing feels, as of a thin plate: any that a body can have
        Link(
            Revolute(), mass, com, np.diag([0.5, 0.5, 1]) * moment, place, parent=parent, name=name
        )
        for name, parent, place, mass, com, moment in table
    ]
    ends = {"BDE": (0, -0.035, 0), "GE": (0, -EG, 0), "HE": (EH, 0, 0)}
    loops = tuple(
        Closure(Revolute(), "FE", onto, offset=(-FE, 0, 0), onto_offset=end)
        for onto, end in ends.items()
    )
    rod = Distance("BDE", length=0.07785, offset=(0.02, -0.018, 0), onto_offset=C)
    turned = 0.222668390165885884674  # how far the two corners G and H are from a right angle
    angles = -0.0617138900142764496359, 0, 0.455279819163070380256, -turned, 0.487364979543842550226
    q = np.array([*angles[:3], angles[4], turned, 1.23054744454982119249735, -turned])
    return Problem(
        Chain(links, gravity=(0, 0, 0)),
        q,
        np.zeros(7),
        0.05,
        "OF",
        (OF, 0, 0),
        constraints=loops,
        springs=(Spring(rod, 4530.0),),
        motor=0.033 * np.eye(7)[0],
    )


def bricard_mechanism() -> Problem:
    """Return problem A04, Bricard's mechanism: five rods and six hinges, each at a right angle to the next.

    Rods of 1 m and 1 kg with a square section of 0.1 m, along edges of a cube; y is upwards. Of the five rows that
    close the loop one always depends on the others, so that there is one freedom where a count finds none. It starts
    at rest and is let go for 10 s. Asked for are x, y and z of P3, the joint between second and third rod.
    """
    edges = np.array([X, (0, -1, 0), Z, (-1, 0, 0), Y])
    axes = (Y, Z, X, Y, Z)
    links = [
        Link(
            Revolute(axis),
            1.0,
            edge / 2,
            rod_along(int(np.abs(edge).argmax()), 1.0, 0.1, 1.0),
            offset=before,
            name=f"rod {k}",
        )
        for k, (axis, edge, before) in enumerate(
            zip(axes, edges, [np.zeros(3), *edges[:-1]], strict=True), start=1
        )
    ]
    last = Closure(Revolute(X), "rod 5", offset=edges[-1], onto_offset=edges.sum(0))
    return Problem(
        Chain(links, gravity=DOWN_Y),
        np.zeros(5),
        np.zeros(5),
        10.0,
        "rod 2",
        (0, -1, 0),
        (0, 1, 2),
        (last,),
    )


def flyball_governor() -> Problem:
    """Return problem A05, a stiff flyball governor: a shaft that turns, two arms with balls, and a slider on the shaft.

    The two rods that would join the middles of the arms to the slider are springs of 8e5 N/m with dampers of
    4e4 N s/m: the problem has no loop, and is stiff instead. Shaft and arms are 1 m long with a square section of
    0.01 m, the slider a cube of 0.1 m, all of 3000 kg/m^3; each arm has 5 kg at its end, hangs on the shaft's upper end
    0.05 m from the middle, and starts 30 degrees below the horizontal. The slider starts at a height of 0.5 m, with the
    springs of 0.5 m at rest, and all turn with 2 pi rad/s about z, which is upwards. Asked for is the slider's height
    over 10 s.

    Use a method for stiff problems ("Radau", "BDF", "LSODA"). Damping takes energy away, so there is nothing to be
    constant but the angular momentum about the shaft.
    """
    thin, ball, cube = 3000 * 0.01**2, 5.0, 3000 * 0.1**3
    centre = (thin * 0.5 + ball) / (thin + ball)
    moments = rod_along(0, 1.0, 0.01, thin) + np.diag([0, 1, 1]) * (
        thin * (centre - 0.5) ** 2 + ball * (1 - centre) ** 2
    )
    arm = thin + ball, (centre, 0, 0), moments
    tilt = np.radians(30)
    links = [
        Link(Revolute(Z), thin, (0, 0, 0.5), rod_along(2, 1.0, 0.01, thin), name="shaft"),
        Link(Prismatic(Z), cube, (0, 0, 0), rod_along(0, 0.1, 0.1, cube), name="slider"),
    ]
    springs = []
    for side, turned in ((1, np.eye(3)), (-1, np.diag([-1.0, -1, 1]))):
        name = f"arm {side:+d}"
        links.append(
            Link(
                Revolute(Y),
                *arm,
                offset=(0.05 * side, 0, 1),
                rotation=turned,
                parent="shaft",
                name=name,
            )
        )
        rod = Distance(
            name, "slider", length=0.5, offset=(0.5, 0, 0), onto_offset=(0.05 * side, 0, 0)
        )
        springs.append(Spring(rod, 8e5, 4e4))
    return Problem(
        Chain(links),
        np.array([0, 0.5, tilt, tilt]),
        np.array([2 * np.pi, 0, 0, 0]),
        10.0,
        "slider",
        columns=(2,),
        springs=tuple(springs),
    )
