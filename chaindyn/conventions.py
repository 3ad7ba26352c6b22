"""The conventions of other engines and books, as data, and what takes a state, a force or a matrix there and back.

Velocities of two conventions differ by an orthogonal matrix, qd' = T(q) qd, made of exchanged entries and rotations.
Forces therefore go as velocities do, tau' = T tau, and matrices as M' = T M T^T. Only accelerations ask for more:
qdd' = T qdd + dT/dt qd.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

from chaindyn._ops import Array, atan2, block, concatenate, cos, eye, sin, sqrt, zeros
from chaindyn.chain import Chain, joint_poses, world_poses
from chaindyn.guards.arguments import FrameWord, check_word, require_shape
from chaindyn.guards.bodies import link_index
from chaindyn.guards.door import checked
from chaindyn.guards.numbers import as_array, require_finite
from chaindyn.joints import Revolute, Spherical
from chaindyn.lie import (
    conjugate,
    exp_quaternion,
    quaternion_from_rotation,
    quaternion_product,
    rotation_from_quaternion,
)
from chaindyn.other_joints import Free, Planar
from chaindyn.spatial import skew, swap_order

__all__ = ["Convention", "convention"]

# What fields of a convention may say.
TwistWord = Literal["w v", "v w"]
WrenchWord = Literal["tau f", "f tau"]
QuaternionWord = Literal["w x y z", "x y z w"]
SphericalWord = Literal["quaternion", "roll pitch yaw"]
FreeWord = Literal["p quaternion", "quaternion p"]
AxesWord = Literal["child", "parent"]
OriginWord = Literal["joint", "world"]
AngleWord = Literal["angle", "cos sin"]
ExternalFrameWord = Literal[FrameWord, "com"]
SignWord = Literal[1, -1]


@dataclass(frozen=True)
class Convention:
    """How an engine or a book writes what this package writes its own way; `convention` has those that are known.

    twist, wrench : which half comes first. quaternion : where its scalar w is. spherical_q : the coordinates of a
    spherical joint; such angles turn about the parent's x, y and z, one after the other. free_q, free_qd : the halves
    of the coordinates and velocities of a free joint. angular_axes, linear_axes : the axes in which free and spherical
    joints have their velocities, the child's or the parent's. free_from : whether the coordinates of a free joint are
    measured from its place in the parent ("joint") or, if that is the ground, from the world. planar_angle,
    planar_axes : how a planar joint has its angle, and the axes of its velocity in the plane. external,
    external_frame, external_sign : of a wrench on a link its halves, where it is measured ("com": about the centre of
    mass in world axes), and whether it acts on the link (1) or on what the link touches (-1). lacks : names of kinds
    of joints that there are not. order : the links in the order in which the engine's model has their joints; None is
    the chain's. unbounded : links whose hinge has cosine and sine in place of its angle. ValueError for words that are
    none of these.

    What a book does not say has this package's words, and joints of other kinds keep their numbers. What is called
    `theirs` below is in this convention, and all else in this package's; leading axes are batch axes.

    >>> linear_first = Convention("mine", twist="v w")
    >>> linear_first.convert_twist(np.arange(6))
    array([3, 4, 5, 0, 1, 2])
    """

    name: str
    twist: TwistWord = "w v"
    wrench: WrenchWord = "tau f"
    quaternion: QuaternionWord = "w x y z"
    spherical_q: SphericalWord = "quaternion"
    free_q: FreeWord = "p quaternion"
    free_qd: TwistWord = "w v"
    angular_axes: AxesWord = "child"
    linear_axes: AxesWord = "child"
    free_from: OriginWord = "joint"
    planar_angle: AngleWord = "angle"
    planar_axes: AxesWord = "parent"
    external: WrenchWord = "tau f"
    external_frame: ExternalFrameWord = "body"
    external_sign: SignWord = 1
    lacks: tuple[str, ...] = ()
    order: Sequence[int | str] | None = None
    unbounded: Sequence[int | str] = ()

    def __post_init__(self) -> None:
        for field, options in WORDS.items():
            check_word(getattr(self, field), field, options)

    # Six numbers, and six by six ------------------------------------------------------------------

    def convert_twist(self, twist: Array) -> Array:
        """Return twists, accelerations or other motions (..., 6), halves exchanged if need be; its own inverse."""
        return _exchanged(self.twist == "v w", as_array(twist, "twist"), "twist")

    def convert_wrench(self, wrench: Array) -> Array:
        """Return wrenches, momenta or impulses (..., 6), halves exchanged if need be; its own inverse."""
        return _exchanged(self.wrench == "f tau", as_array(wrench, "wrench"), "wrench")

    def convert_matrix(self, matrix: Array, *, takes: str, gives: str) -> Array:
        """Return a spatial matrix (..., 6, 6) with blocks exchanged if need be; its own inverse.

        takes, gives : "twist" or "wrench". A spatial inertia takes a twist and gives a wrench, X a twist for a twist.
        """
        for word, name in ((takes, "takes"), (gives, "gives")):
            check_word(word, name, {"twist", "wrench"})
        matrix = as_array(matrix, "matrix")
        require_shape(matrix, "matrix", (6, 6))
        require_finite(matrix, "matrix")
        exchange = {"twist": self.twist == "v w", "wrench": self.wrench == "f tau"}
        rows = _exchanged(exchange[gives], matrix.mT, "matrix").mT
        return _exchanged(exchange[takes], rows, "matrix")

    # States ---------------------------------------------------------------------------------------

    @checked(q="nq")
    def to_q(self, chain: Chain, q: Array) -> Array:
        """Return the coordinates as the engine has them; q : (..., nq).

        ValueError, here and below, if the engine has no such joint, or `order` or `unbounded` does not fit the chain.
        """
        parts = [
            self._to_joint(chain, i, q[..., _cut(chain.q_columns[i])]) for i in self._links(chain)
        ]
        return concatenate(parts, axis=-1)

    def from_q(self, chain: Chain, theirs: Array) -> Array:
        """Return q (..., nq) of coordinates as the engine has them; ValueError if a quaternion has not length one."""
        links = self._links(chain)
        sizes = [self._size(chain, i) for i in links]
        theirs = _theirs(theirs, (sum(sizes),))
        parts: dict[int, Array] = {}
        for i, size in zip(links, sizes, strict=True):
            parts[i], theirs = self._from_joint(chain, i, theirs[..., :size]), theirs[..., size:]
        q = concatenate([parts[i] for i in sorted(parts)], axis=-1)
        return _as_coordinates(chain, q)

    @checked(q="nq", qd="nv")
    def to_qd(self, chain: Chain, q: Array, qd: Array) -> Array:
        """Return the velocities (..., nv) as the engine has them; q : (..., nq), qd : (..., nv)."""
        return self._turned(chain, q, qd[..., None])[..., 0]

    @checked(q="nq", theirs="nv")
    def from_qd(self, chain: Chain, q: Array, theirs: Array) -> Array:
        """Return qd (..., nv) of the engine's velocities; q : (..., nq), ours."""
        return self._turned_back(chain, q, theirs[..., None])[..., 0]

    @checked(q="nq", qd="nv", qdd="nv")
    def to_qdd(self, chain: Chain, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the engine's accelerations (..., nv), the rates of its velocities; q, qd, qdd are ours."""
        return self.to_qd(chain, q, qdd) + self._turning(chain, q, qd, qd[..., None])[..., 0]

    @checked(q="nq", qd="nv", theirs="nv")
    def from_qdd(self, chain: Chain, q: Array, qd: Array, theirs: Array) -> Array:
        """Return qdd (..., nv) of the engine's accelerations; q, qd are ours."""
        turning = self._turning(chain, q, qd, qd[..., None])[..., 0]
        return self.from_qd(chain, q, theirs - turning)

    # Forces and matrices --------------------------------------------------------------------------

    @checked(q="nq", tau="nv")
    def to_tau(self, chain: Chain, q: Array, tau: Array) -> Array:
        """Return joint forces or impulses (..., nv) as the engine has them: those of the same power."""
        return self.to_qd(chain, q, tau)

    @checked(q="nq", theirs="nv")
    def from_tau(self, chain: Chain, q: Array, theirs: Array) -> Array:
        """Return tau (..., nv) of the engine's joint forces."""
        return self.from_qd(chain, q, theirs)

    @checked(q="nq", matrix=("nv", "nv"))
    def to_matrix(self, chain: Chain, q: Array, matrix: Array) -> Array:
        """Return T M T^T (..., nv, nv) of a mass matrix, its inverse, or any other between velocities and forces."""
        return self._turned(chain, q, self._turned(chain, q, matrix).mT).mT

    @checked(q="nq", theirs=("nv", "nv"))
    def from_matrix(self, chain: Chain, q: Array, theirs: Array) -> Array:
        """Return M (..., nv, nv) of the engine's matrix."""
        return self._turned_back(chain, q, self._turned_back(chain, q, theirs).mT).mT

    @checked(q="nq", J=(6, "nv"))
    def to_jacobian(self, chain: Chain, q: Array, J: Array) -> Array:
        """Return the Jacobian (..., 6, nv) as the engine has it: rows and columns; the frame stays J's own."""
        columns = self._turned(chain, q, J.mT)
        return _exchanged(self.twist == "v w", columns, "J").mT

    @checked(q="nq", theirs=(6, "nv"))
    def from_jacobian(self, chain: Chain, q: Array, theirs: Array) -> Array:
        """Return J (..., 6, nv) of the engine's Jacobian."""
        columns = _exchanged(self.twist == "v w", theirs.mT, "theirs")
        return self._turned_back(chain, q, columns).mT

    @checked(q="nq", qd="nv", bias="nv", M=("nv", "nv"))
    def to_bias(self, chain: Chain, q: Array, qd: Array, bias: Array, M: Array) -> Array:
        """Return the engine's bias force (..., nv), what its motion takes where *its* accelerations are zero.

        bias : (..., nv) and M : (..., nv, nv), ours: bias' = T (bias - M T^T dT/dt qd).
        """
        turning = M @ self._own_turning(chain, q, qd, qd[..., None])
        return self.to_qd(chain, q, bias - turning[..., 0])

    @checked(q="nq", qd="nv", theirs="nv", M=("nv", "nv"))
    def from_bias(self, chain: Chain, q: Array, qd: Array, theirs: Array, M: Array) -> Array:
        """Return the bias force (..., nv) of the engine's; M : (..., nv, nv), ours."""
        turning = M @ self._own_turning(chain, q, qd, qd[..., None])
        return self.from_qd(chain, q, theirs) + turning[..., 0]

    @checked(q="nq", qd="nv", C=("nv", "nv"), M=("nv", "nv"))
    def to_coriolis(self, chain: Chain, q: Array, qd: Array, C: Array, M: Array) -> Array:
        """Return the engine's Coriolis matrix (..., nv, nv), which keeps dM'/dt = C' + C'^T if C keeps it for M.

        C, M : (..., nv, nv), ours: C' = T (C - M T^T dT/dt) T^T, so that C' qd' is the bias force without weight.
        """
        return self.to_matrix(chain, q, C - M @ self._own_turning(chain, q, qd, eye(chain.nv)))

    @checked(q="nq", qd="nv", theirs=("nv", "nv"), M=("nv", "nv"))
    def from_coriolis(self, chain: Chain, q: Array, qd: Array, theirs: Array, M: Array) -> Array:
        """Return C (..., nv, nv) of the engine's Coriolis matrix; M : (..., nv, nv), ours."""
        turning = self._own_turning(chain, q, qd, eye(chain.nv))
        return self.from_matrix(chain, q, theirs) + M @ turning

    @checked(q="nq", external=("n", 6))
    def to_external(self, chain: Chain, q: Array, external: Array) -> Array:
        """Return wrenches on the links (..., n, 6), in body frames, as the engine wants them; links stay in order."""
        there = self._external_map(chain, q) @ external[..., None]
        return _exchanged(self.external == "f tau", self.external_sign * there[..., 0], "external")

    @checked(q="nq", theirs=("n", 6))
    def from_external(self, chain: Chain, q: Array, theirs: Array) -> Array:
        """Return wrenches on the links (..., n, 6) in body frames, of those that the engine wants."""
        theirs = self.external_sign * _exchanged(self.external == "f tau", theirs, "theirs")
        return (self._external_map(chain, q, back=True) @ theirs[..., None])[..., 0]

    # How it is done -------------------------------------------------------------------------------

    def _links(self, chain: Chain) -> list[int]:
        """Return the links in the engine's order; ValueError if it cannot have them."""
        for i, joint in enumerate(chain.joints):
            kind = type(joint).__name__
            if kind in self.lacks:
                raise ValueError(
                    f"link {chain.names[i]!r} has a joint of kind {kind}, which {self.name} lacks; "
                    f"it lacks {', '.join(self.lacks)}"
                )
        if self.order is None:
            return list(range(chain.n))
        order = [link_index(body, chain.names, chain.parent) for body in self.order]
        moving = {i for i, joint in enumerate(chain.joints) if joint.nq}
        if len(set(order)) < len(order) or not moving <= set(order):
            raise ValueError(
                f"order is {list(self.order)}, but must name each link that moves once: "
                f"{[chain.names[i] for i in sorted(moving)]}"
            )
        return order + sorted(set(range(chain.n)) - set(order))

    def _unbounded(self, chain: Chain, i: int) -> bool:
        """Return whether link i has cosine and sine in place of its angle; ValueError if such a link is no hinge."""
        links = [link_index(body, chain.names, chain.parent) for body in self.unbounded]
        for j in links:
            if not isinstance(chain.joints[j], Revolute):
                raise ValueError(
                    f"unbounded names link {chain.names[j]!r}, whose joint is {type(chain.joints[j]).__name__}, but "
                    "must name links on a Revolute"
                )
        return i in links

    def _in_world(self, chain: Chain, i: int) -> bool:
        """Return whether the coordinates of link i, which is free, are measured from the world."""
        return self.free_from == "world" and chain.parent[i] < 0

    def _size(self, chain: Chain, i: int) -> int:
        """Return how many coordinates the engine has for link i."""
        joint = chain.joints[i]
        if isinstance(joint, Spherical) and self.spherical_q == "roll pitch yaw":
            return 3
        pairs = isinstance(joint, Planar) and self.planar_angle == "cos sin"
        return int(joint.nq) + (pairs or self._unbounded(chain, i))

    def _to_joint(self, chain: Chain, i: int, q: Array) -> Array:
        """Return the coordinates of one joint as the engine has them."""
        joint = chain.joints[i]
        if isinstance(joint, Spherical):
            as_angles = self.spherical_q == "roll pitch yaw"
            return _angles_from_quaternion(q) if as_angles else self._scalar_moved(q, 1)
        if isinstance(joint, Planar) and self.planar_angle == "cos sin":
            return concatenate([q[..., :2], cos(q[..., 2:]), sin(q[..., 2:])], axis=-1)
        if self._unbounded(chain, i):
            return concatenate([cos(q), sin(q)], axis=-1)
        if not isinstance(joint, Free):
            return q
        p, quaternion = q[..., :3], q[..., 3:]
        if self._in_world(chain, i):
            p = chain.offset[i] + _times(chain.rotation[i], p)
            quaternion = quaternion_product(quaternion_from_rotation(chain.rotation[i]), quaternion)
        halves = [p, self._scalar_moved(quaternion, 1)]
        return concatenate(halves if self.free_q == "p quaternion" else halves[::-1], axis=-1)

    def _from_joint(self, chain: Chain, i: int, theirs: Array) -> Array:
        """Return our coordinates of one joint."""
        joint = chain.joints[i]
        if isinstance(joint, Spherical):
            as_angles = self.spherical_q == "roll pitch yaw"
            return _quaternion_from_angles(theirs) if as_angles else self._scalar_moved(theirs, -1)
        if isinstance(joint, Planar) and self.planar_angle == "cos sin":
            return concatenate([theirs[..., :2], atan2(theirs[..., 3:], theirs[..., 2:3])], axis=-1)
        if self._unbounded(chain, i):
            return atan2(theirs[..., 1:], theirs[..., :1])
        if not isinstance(joint, Free):
            return theirs
        first = 3 if self.free_q == "p quaternion" else 4
        halves = theirs[..., :first], theirs[..., first:]
        p, quaternion = halves if first == 3 else halves[::-1]
        quaternion = self._scalar_moved(quaternion, -1)
        if self._in_world(chain, i):
            p = _times(chain.rotation[i].mT, p - chain.offset[i])
            placed = conjugate(quaternion_from_rotation(chain.rotation[i]))
            quaternion = quaternion_product(placed, quaternion)
        return concatenate([p, quaternion], axis=-1)

    def _scalar_moved(self, quaternion: Array, way: int) -> Array:
        """Return [w, x, y, z] with w where it belongs (way 1), or back (way -1)."""
        if self.quaternion == "w x y z":
            return quaternion
        first = 1 if way == 1 else 3
        return concatenate([quaternion[..., first:], quaternion[..., :first]], axis=-1)

    def _map(self, chain: Chain, i: int, q: Array, qd: Array | None = None) -> Array | None:
        """Return T of one joint (..., nv, nv), None where it is 1; with qd its rate, None where that is zero."""
        joint = chain.joints[i]
        q = q[..., _cut(chain.q_columns[i])]
        if qd is not None:
            qd = qd[..., _cut(chain.v_columns[i])]
        if isinstance(joint, Planar):
            return None if self.planar_axes == "parent" else _planar_map(q, qd)
        if not isinstance(joint, Spherical | Free):
            return None
        R, _ = joint.pose(q)
        if isinstance(joint, Free) and self._in_world(chain, i):
            R = chain.rotation[i] @ R
        same = eye(3)
        if qd is not None:
            R, same = R @ skew(qd[..., :3]), zeros((3, 3))
        angular = R if self.angular_axes == "parent" else same
        if isinstance(joint, Spherical):
            return angular
        linear = R if self.linear_axes == "parent" else same
        rows = [[angular, 0], [0, linear]]
        return block(rows if self.free_qd == "w v" else rows[::-1])

    def _turned(self, chain: Chain, q: Array, rows: Array) -> Array:
        """Return T times the rows (..., nv, m), in the engine's order."""
        parts = []
        for i in self._links(chain):
            own, T = rows[..., _cut(chain.v_columns[i]), :], self._map(chain, i, q)
            parts.append(own if T is None else T @ own)
        return concatenate(parts, axis=-2)

    def _turned_back(self, chain: Chain, q: Array, rows: Array) -> Array:
        """Return T^T times the engine's rows (..., nv, m), in our order."""
        parts: dict[int, Array] = {}
        for i in self._links(chain):
            own, rows = rows[..., : chain.joints[i].nv, :], rows[..., chain.joints[i].nv :, :]
            T = self._map(chain, i, q)
            parts[i] = own if T is None else T.mT @ own
        return concatenate([parts[i] for i in sorted(parts)], axis=-2)

    def _turning(self, chain: Chain, q: Array, qd: Array, rows: Array) -> Array:
        """Return dT/dt times the rows (..., nv, m): of qd, what the engine's accelerations have and ours have not."""
        parts = []
        for i in self._links(chain):
            own, rate = rows[..., _cut(chain.v_columns[i]), :], self._map(chain, i, q, qd)
            parts.append(0 * own if rate is None else rate @ own)
        return concatenate(parts, axis=-2)

    def _own_turning(self, chain: Chain, q: Array, qd: Array, rows: Array) -> Array:
        """Return T^T dT/dt times the rows (..., nv, m): the same in our coordinates."""
        return self._turned_back(chain, q, self._turning(chain, q, qd, rows))

    def _external_map(self, chain: Chain, q: Array, *, back: bool = False) -> Array:
        """Return what takes a wrench on each link to where the engine measures it (..., n, 6, 6), or back."""
        if self.external_frame == "body":
            return eye(6)
        R, p = world_poses(chain, *joint_poses(chain, q))
        arms = {"world": p, "mixed": 0 * p, "com": -_times(R, chain.com)}
        arm = skew(arms[self.external_frame])  # from there to the link's origin, in world axes
        return block([[R.mT, -R.mT @ arm], [0, R.mT]] if back else [[R, arm @ R], [0, R]])


def _cut(columns: range) -> slice:
    return slice(columns.start, columns.stop)


def _times(matrix: Array, vector: Array) -> Array:
    """Return matrix times vector, with batch axes."""
    return (matrix @ vector[..., None])[..., 0]


def _exchanged(really: bool, vector: Array, name: str) -> Array:
    """Return spatial vectors (..., 6), their halves exchanged or not, once they are seen to be such."""
    require_shape(vector, name, (6,))
    require_finite(vector, name)
    return swap_order(vector) if really else vector


def _theirs(x: Any, core: tuple[int, ...]) -> Array:
    x = as_array(x, "theirs")
    require_shape(x, "theirs", core)
    require_finite(x, "theirs")
    return x


@checked(q="nq")
def _as_coordinates(chain: Chain, q: Array) -> Array:
    """Return q once its quaternions are seen to have length one."""
    return q


def _angles_from_quaternion(quaternion: Array) -> Array:
    """Return [roll, pitch, yaw] (..., 3) of R = Rz(yaw) Ry(pitch) Rx(roll); at a pitch of 90 degrees one of many."""
    R = rotation_from_quaternion(quaternion)
    level = sqrt(R[..., 0, 0] * R[..., 0, 0] + R[..., 1, 0] * R[..., 1, 0])
    roll, pitch = atan2(R[..., 2, 1:2], R[..., 2, 2:]), atan2(-R[..., 2, :1], level[..., None])
    return concatenate([roll, pitch, atan2(R[..., 1, :1], R[..., 0, :1])], axis=-1)


def _quaternion_from_angles(angles: Array) -> Array:
    """Return the quaternion [w, x, y, z] (..., 4) of R = Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = (exp_quaternion(eye(3)[k] * angles[..., k : k + 1]) for k in range(3))
    return quaternion_product(yaw, quaternion_product(pitch, roll))


def _planar_map(q: Array, qd: Array | None) -> Array:
    """Return what takes [dx, dy, d angle] of a planar joint to the child's axes (..., 3, 3), or with qd its rate."""
    c, s = cos(q[..., 2:])[..., None], sin(q[..., 2:])[..., None]
    if qd is None:
        return block([[c, s, 0 * c], [-s, c, 0 * c], [0 * c, 0 * c, 1 + 0 * c]])
    c, s = qd[..., 2:, None] * c, qd[..., 2:, None] * s
    return block([[-s, c, 0 * c], [-c, -s, 0 * c], [0 * c, 0 * c, 0 * c]])


# what is checked of each field: the words that its type names
WORDS: dict[str, set[Any]] = {
    name: set(get_args(hint))
    for name, hint in get_type_hints(Convention).items()
    if get_origin(hint) is Literal
}

SERIAL_ONLY = ("Spherical", "Free")  # what a list of single screw axes cannot hold

ConventionName = Literal[
    "Featherstone", "Pinocchio", "MuJoCo", "Drake", "Modern Robotics", "Mirtich", "Kim", "Alexiou"
]
CONVENTIONS = {
    convention.name: convention
    for convention in (
        Convention("Featherstone", external_frame="world"),
        Convention(
            "Pinocchio",
            twist="v w",
            wrench="f tau",
            quaternion="x y z w",
            free_qd="v w",
            planar_angle="cos sin",
            planar_axes="child",
            external="f tau",
        ),
        Convention(
            "MuJoCo",
            free_qd="v w",
            linear_axes="parent",
            free_from="world",
            external="f tau",
            external_frame="com",
            lacks=("Helical",),
        ),
        Convention(
            "Drake",
            spherical_q="roll pitch yaw",
            free_q="quaternion p",
            angular_axes="parent",
            linear_axes="parent",
            external_frame="mixed",
        ),
        Convention("Modern Robotics", external_sign=-1, lacks=SERIAL_ONLY),
        Convention("Mirtich", wrench="f tau", external="f tau"),
        Convention("Kim"),
        Convention(
            "Alexiou", twist="v w", wrench="f tau", external="f tau", external_frame="world"
        ),
    )
}


def convention(name: ConventionName, **fields: Any) -> Convention:
    """Return the convention of "Featherstone", "Pinocchio", "MuJoCo", "Drake", "Modern Robotics", "Mirtich", ....

    "Kim" and "Alexiou" are the others. fields : any of `Convention` that are otherwise in one model, as a rule `order`
    and `unbounded`. ValueError if the name is none of these.

    >>> stone = Chain([Link(Free(), 1, (0, 0, 0), np.eye(3))])
    >>> ours = np.array([1, 2, 3, 1, 0, 0, 0])
    >>> convention("Pinocchio").to_q(stone, ours)
    array([1, 2, 3, 0, 0, 0, 1])
    """
    check_word(name, "name", set(CONVENTIONS))
    return replace(CONVENTIONS[name], **fields)
