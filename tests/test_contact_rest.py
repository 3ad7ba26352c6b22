"""Forces at rest: tables, slopes, wheels and Painleve's rod, in closed form and by difference quotients."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from contacts import Touch, ball, box, corners

from chaindyn import (
    Chain,
    Closure,
    Fixed,
    Link,
    Prismatic,
    Revolute,
    aba,
    forward_kinematics,
    integrate,
    resting_contact,
    rotation_about,
    solve_lcp,
)
from chaindyn.complementarity import contact_impulses
from chaindyn.contact import contact_response, contact_rows, normals_of
from chaindyn.rest import contact_bias
from chaindyn.state import State

G = 9.81


def level(chain, size, q, **more):
    """Contacts of the lower corners of the only box."""
    R, p = forward_kinematics(chain, q)
    low = corners(size)[corners(size)[:, 2] < 0]
    return [Touch((0, -1), at, (0, 0, 1), **more) for at in p[0] + low @ R[0].T]


# --- a table ---


def test_a_table_stands_and_its_legs_share_the_weight():
    size, m = (1.0, 0.6, 0.5), 7.0
    chain = Chain([box(m, size)], gravity=(0, 0, -G))
    q = chain.neutral
    qdd, forces = resting_contact(chain, q, np.zeros(6), np.zeros(6), level(chain, size, q))
    assert np.abs(qdd).max() < 1e-12
    assert forces[:, 2] == pytest.approx(np.full(4, m * G / 4))
    # three legs carry it as well, and the fourth may be short: the motion is the same
    fewer = level(chain, size, q)
    fewer[0] = Touch((0, -1), fewer[0].point, (0, 0, 1), gap=1e-3)
    again, other = resting_contact(chain, q, np.zeros(6), np.zeros(6), fewer)
    assert again == pytest.approx(qdd, abs=1e-12)
    assert other[0] == pytest.approx([0, 0, 0])
    assert other[:, 2].sum() == pytest.approx(m * G)
    assert np.abs(other - forces).max() > 1


def test_a_load_beyond_the_legs_tips_the_table():
    size, m = (1.0, 1.0, 0.5), 2.0
    chain = Chain([box(m, size)], gravity=(0, 0, -G))
    q = chain.neutral
    torque = m * G * 0.5 + 3.0  # more than the weight about the edge
    tau = np.array([0, torque, 0, 0, 0, 0])
    qdd, forces = resting_contact(
        chain, q, np.zeros(6), tau, level(chain, size, q, friction=0.9), friction=None
    )
    feet = [c.point[0] > 0 for c in level(chain, size, q)]
    assert np.abs(forces[np.logical_not(feet)]).max() < 1e-12
    inertia = m / 12 * (1 + 0.25) + m * (0.25 + 0.0625)
    assert qdd[1] == pytest.approx(3.0 / inertia)


@pytest.mark.parametrize("turn", [0.0, 0.7])
@pytest.mark.parametrize("slope", [5, 15, 40])
def test_a_block_on_a_slope_sticks_or_slides(slope, turn):
    """It sticks while tan slope < mu; from rest it slides with g (sin - mu cos), down the slope."""
    mu, size = 0.5, (1.0, 0.8, 0.2)
    a = np.radians(slope)
    down = G * np.array([np.sin(a) * np.cos(turn), np.sin(a) * np.sin(turn), -np.cos(a)])
    chain = Chain([box(3.0, size)], gravity=down)
    q = chain.neutral
    contacts = level(chain, size, q, friction=mu)
    qdd, forces = resting_contact(chain, q, np.zeros(6), np.zeros(6), contacts, friction=None)
    along = np.array([np.cos(turn), np.sin(turn), 0])
    expected = max(0.0, G * (np.sin(a) - mu * np.cos(a)))
    assert qdd[3:] == pytest.approx(expected * along, abs=1e-11)
    assert np.abs(qdd[:3]).max() < 1e-11
    assert forces.sum(0) == pytest.approx(3 * (expected * along - down), abs=1e-10)
    # sliding up, friction and weight pull together; the slip may have any direction
    for heading in (0.3, 2.0):
        v = np.array([np.cos(heading), np.sin(heading), 0])
        qd = np.concatenate([[0, 0, 0], v])
        qdd, forces = resting_contact(chain, q, qd, np.zeros(6), contacts, friction=None)
        expected = down + np.array([0, 0, G * np.cos(a)]) - mu * G * np.cos(a) * v
        assert qdd[3:] == pytest.approx(expected, abs=1e-10)
        assert (forces[:, 2] > 0).all()  # no leg is left out


# --- how a contact moves ---


def test_a_rolling_ball_does_not_lift_off():
    r, m = 0.3, 2.0
    chain = Chain([ball(m, r)], gravity=(0, 0, -G))
    q = chain.neutral
    qd = np.array([0, 5 / r, 0, 5, 0, 0])  # it rolls
    contact = Touch((0, -1), (0, 0, -r), (0, 0, 1), friction=1, radii=(r, np.inf))
    for mu in (0, 1):
        qdd, forces = resting_contact(chain, q, qd, np.zeros(6), [contact], friction=mu)
        # rates of the components in turning axes: the middle has no acceleration
        assert qdd[:3] == pytest.approx(np.zeros(3), abs=1e-10)
        assert qdd[3:] + np.cross(qd[:3], qd[3:]) == pytest.approx(np.zeros(3), abs=1e-10)
        assert forces[0] == pytest.approx([0, 0, m * G])
    # taken for a corner, it would be thrown up with r w^2
    corner = Touch((0, -1), (0, 0, -r), (0, 0, 1))
    _, forces = resting_contact(chain, q, qd, np.zeros(6), [corner])
    assert not forces.any()  # the point rises by itself


def test_a_ball_on_a_slope_rolls_with_five_sevenths():
    r, a = 0.2, np.radians(20)
    chain = Chain([ball(1.0, r)], gravity=(G * np.sin(a), 0, -G * np.cos(a)))
    contact = Touch((0, -1), (0, 0, -r), (0, 0, 1), radii=(r, np.inf))
    for speed in (0.0, 3.0):
        qd = np.array([0, speed / r, 0, speed, 0, 0])
        qdd, _ = resting_contact(chain, chain.neutral, qd, np.zeros(6), [contact], friction=0.5)
        assert qdd[3] == pytest.approx(5 / 7 * G * np.sin(a))
        assert qdd[1] == pytest.approx(5 / 7 * G * np.sin(a) / r)


def test_a_ball_that_slides_over_a_dome_is_lighter():
    """Its middle goes round with R + r: the dome carries m g - m v^2 / (R + r), or nothing."""
    r, dome, m = 0.2, 0.8, 2.0
    chain = Chain([ball(m, r)], gravity=(0, 0, -G))
    top = Touch((0, -1), (0, 0, -r), (0, 0, 1), radii=(r, dome))
    for v in (0.0, 2.0, 4.0):
        qd = np.array([0, 0, 0, v, 0, 0])
        _, forces = resting_contact(chain, chain.neutral, qd, np.zeros(6), [top])
        assert forces[0, 2] == pytest.approx(max(0, m * (G - v * v / (dome + r))))


@pytest.mark.parametrize(
    "radii", [(0.0, np.inf), (0.3, np.inf), (np.inf, 0.3), (0.3, 0.5), (np.inf, np.inf)]
)
@pytest.mark.parametrize("carried", [False, True])
def test_the_second_derivative_of_the_gap(radii, carried):
    """Against difference quotients of a gap between two bodies that move as they like, on what turns itself."""
    rng = np.random.default_rng(2)
    bodies = [box(size=(1, 1, 1)), box(size=(1, 1, 1))]
    if carried:
        carriers = [box(joint=Revolute(axis), offset=axis) for axis in ((1, 2, 2), (2, -1, 2))]
        bodies = carriers + [replace(body, parent=k) for k, body in enumerate(bodies)]
    chain = Chain(bodies)
    i, j = chain.n - 2, chain.n - 1
    moving = rng.normal(size=(2, chain.nv))
    q, qd = integrate(chain, chain.neutral, moving[0]), moving[1]
    own, other = rng.normal(size=3), rng.normal(size=3)
    face = rng.normal(size=3) / 2
    face /= np.linalg.norm(face)
    r_a, r_b = (0.0 if np.isinf(r) else r for r in radii)

    def gap_and_contact(q):
        R, p = forward_kinematics(chain, q)
        a, b = p[i] + R[i] @ own, p[j] + R[j] @ other
        if np.isinf(radii[1]) and not np.isinf(radii[0]):
            n = R[j] @ face
            gap = n @ (a - b) - r_a
            x = a - r_a * n  # of the ball; the face is gap away from it
        elif np.isinf(radii[0]):
            n = R[i] @ face
            gap = n @ (a - b) - r_b
            x = b + r_b * n
        else:
            apart = np.linalg.norm(a - b)
            n, gap = (a - b) / apart, apart - r_a - r_b
            x = a - r_a * n
        return gap, n, x

    # begin in contact: move the first body along the normal by the gap
    gap, n, _ = gap_and_contact(q)
    R, _ = forward_kinematics(chain, q)
    step = np.zeros(chain.nv)
    step[chain.v_columns[i].start + 3 : chain.v_columns[i].stop] = -gap * (R[i].T @ n)
    q = integrate(chain, q, step)
    gap, n, x = gap_and_contact(q)
    assert abs(gap) < 1e-12
    h = 1e-4
    path = [gap_and_contact(integrate(chain, q, s * h * qd))[0] for s in (-2, -1, 0, 1, 2)]
    second = (-path[0] + 16 * path[1] - 30 * path[2] + 16 * path[3] - path[4]) / (12 * h * h)
    contact = Touch((i, j), x, n, radii=radii)
    rates, turns = contact_bias(State(chain, q, qd), [contact], normals_of([contact]))
    assert n @ rates[0] + turns[0] == pytest.approx(second, abs=1e-5)


def test_a_corner_on_a_turning_table_is_thrown_outwards():
    """A block slides on a turning table without friction: the table cannot hold it, and does not lift it."""
    table = Link(Revolute((0, 0, 1)), 5, (0, 0, 0), np.eye(3), name="table")
    block = box(1.0, (0.1, 0.1, 0.1), name="block")
    chain = Chain([table, block], gravity=(0, 0, -G))
    q = np.concatenate([[0.3], [1.0, 0, 0.05], [1, 0, 0, 0]])
    qd = np.array([2.0, 0, 0, 0, 0, 0, 0])
    low = corners((0.1, 0.1, 0.1))
    low = low[low[:, 2] < 0]
    contacts = [Touch((1, 0), np.array([1.0, 0, 0.05]) + x, (0, 0, 1)) for x in low]
    qdd, forces = resting_contact(chain, q, qd, np.zeros(7), contacts)
    assert qdd == pytest.approx(np.zeros(7), abs=1e-11)
    assert forces[:, 2] == pytest.approx(np.full(4, G / 4))
    qdd, forces = resting_contact(chain, q, qd, np.zeros(7), contacts, friction=0.4)
    assert qdd[5] > 1  # dragged along y, as the table moves there
    assert forces.sum(0)[1] == pytest.approx(0.4 * G, rel=2e-2)


# --- Painleve ---


def rod(angle, mass=1.0, half=1.0):
    """A rod in the x-z plane whose lower end touches; its end slides along +x."""
    across = mass * half**2 / 3
    none = (0, (0, 0, 0), np.zeros((3, 3)))
    chain = Chain(
        [
            Link(Prismatic((1, 0, 0)), *none),
            Link(Prismatic((0, 0, 1)), *none),
            Link(Revolute((0, -1, 0)), mass, (0, 0, 0), np.diag([0, across, across])),
        ],
        gravity=(0, 0, -G),
    )
    q = np.array([0, half * np.sin(angle), angle])
    low = np.array([-half * np.cos(angle), 0, 0])
    return chain, q, Touch((2, -1), low, (0, 0, 1))


def moving(angle, spin, half=1.0):
    """Rates at which the lower end slides to the left with 1 m/s, while the rod turns with `spin`."""
    # the end is at (x - cos, z - sin): its velocity must be (-1, 0)
    return np.array([-1 - half * np.sin(angle) * spin, half * np.cos(angle) * spin, spin])


@pytest.mark.parametrize("angle", [0.4, np.arctan(2), 1.3])
@pytest.mark.parametrize("mu", [0.5, 1.2, 1.6, 3.0])
@pytest.mark.parametrize("spin", [0.5, 6.0])
def test_painleves_rod(angle, mu, spin):
    """Three cases: one solution, none, two. A = (1 + 3 cos^2 - 3 mu sin cos) / m, b = a w^2 sin - g."""
    s, c = np.sin(angle), np.cos(angle)
    A, b = 1 + 3 * c * c - 3 * mu * s * c, spin**2 * s - G
    chain, q, contact = rod(angle)
    qd, still = moving(angle, spin), np.zeros(3)
    args = (chain, q, qd, still, [contact])
    if A > 0:
        _, forces = resting_contact(*args, friction=mu)
        assert forces[0, 2] == pytest.approx(max(0, -b / A))
        assert forces[0, 0] == pytest.approx(mu * forces[0, 2])
    elif b < 0:
        with pytest.raises(ArithmeticError, match="Coulomb's law"):
            resting_contact(*args, friction=mu)
    else:
        with pytest.warns(RuntimeWarning, match="more than one motion"):
            _, forces = resting_contact(*args, friction=mu)
        assert min(abs(forces[0, 2]), abs(forces[0, 2] + b / A)) < 1e-9
    try:
        count = solve_lcp([[A]], [b], method="enumerate").count
    except ArithmeticError:
        count = "none"
    assert count == ("one" if A > 0 else "none" if b < 0 else "many")


def test_the_least_friction_for_painleves_paradox():
    angles = np.linspace(0.01, np.pi / 2 - 0.01, 200001)
    mu = (1 + 3 * np.cos(angles) ** 2) / (3 * np.sin(angles) * np.cos(angles))
    assert mu.min() == pytest.approx(4 / 3, abs=1e-9)
    assert np.tan(angles[mu.argmin()]) == pytest.approx(2, abs=1e-3)


def test_at_the_level_of_velocities_there_is_always_a_solution():
    """Where no force is possible, an impulse is: it does not vanish with the step."""
    angle, mu, spin = np.arctan(2), 2.0, 0.5
    chain, q, contact = rod(angle)
    qd = moving(angle, spin)
    qdd = aba(chain, q, qd, np.zeros(3))
    impulses = []
    for h in (1e-2, 1e-4, 1e-6):
        state = State(chain, q, qd)
        rows = contact_rows(state, [contact])
        here = contact_response(state, normals_of([contact]), rows, rows @ qd)
        impulses.append(contact_impulses(here.W, here.K @ (qd + h * qdd), np.array([mu]))[0])
    assert impulses[2] == pytest.approx(impulses[1], rel=1e-2)
    assert impulses[2] > 0.05


# --- what it is made of ---


def test_nothing_that_parts_is_held():
    chain = Chain([ball(1.0, 0.1)], gravity=(0, 0, -G))
    q, still = chain.neutral, np.zeros(6)
    up = np.array([0, 0, 0, 0, 0, 1e-3])
    touch = Touch((0, -1), (0, 0, -0.1), (0, 0, 1), radii=(0.1, np.inf))
    for qd, contacts in [
        (up, [touch]),
        (still, []),
        (still, [Touch((0, -1), (0, 0, -0.1), (0, 0, 1), 1e-3)]),
    ]:
        qdd, forces = resting_contact(chain, q, qd, still, contacts)
        assert qdd == pytest.approx(aba(chain, q, qd, still), abs=1e-14)
        assert not forces.any()
    with pytest.raises(ValueError, match=r"contacts\[0\] is closed and approaches at 0.001 m/s"):
        resting_contact(chain, q, -up, still, [touch])
    qdd, _ = resting_contact(chain, q, -up, still, [touch], tolerance=1e-2)
    assert np.abs(qdd).max() < 1e-12


@pytest.mark.parametrize(("share", "sticks"), [(0.0, True), (1.0, True), (1.25, False)])
def test_what_slips_no_faster_than_the_tolerance_may_stick(share, sticks):
    """The slip alone decides: how fast a contact closes, or another one, plays no part."""
    size, slope, mu, tolerance = (1.0, 0.8, 0.2), np.radians(5), 0.5, 2.0**-7
    chain = Chain([box(3.0, size)], gravity=G * np.array([np.sin(slope), 0, -np.cos(slope)]))
    q = chain.neutral
    qd = tolerance * np.array([0, 0, 0, share, 0, -0.75])
    given = chain, q, qd, np.zeros(6), level(chain, size, q)
    qdd, _ = resting_contact(*given, friction=mu, tolerance=tolerance)
    slowed = 0 if sticks else G * (np.sin(slope) - mu * np.cos(slope))
    assert qdd == pytest.approx([0, 0, 0, slowed, 0, 0], abs=1e-11)


def test_a_ladder_between_wall_and_floor():
    """Two contacts with friction: statics has many answers; all of them hold the weight."""
    chain, q, low = rod(1.2)
    high = Touch((2, -1), -np.asarray(low.point) * [1, 1, 0] + [0, 0, 2 * np.sin(1.2)], (-1, 0, 0))
    qdd, forces = resting_contact(chain, q, np.zeros(3), np.zeros(3), [low, high], friction=0.5)
    assert np.abs(qdd).max() < 1e-10
    assert forces.sum(0) == pytest.approx([0, 0, G], abs=1e-10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        qdd, forces = resting_contact(chain, q, np.zeros(3), np.zeros(3), [low, high])
    assert qdd[2] < -0.1  # on ice it falls


def test_bad_input_is_told():
    chain = Chain([ball()])
    q, still = chain.neutral, np.zeros(6)
    touch = Touch((0, -1), (0, 0, 0), (0, 0, 1))
    for options, match in [
        ({"friction": -0.1}, "friction is -0.1"),
        ({"tolerance": 0}, "tolerance is 0"),
        ({"constraints": 1}, "constraints"),
    ]:
        with pytest.raises(ValueError, match=match):
            resting_contact(chain, q, still, still, [touch], **options)
    with pytest.raises(ValueError, match="one state at a time"):
        resting_contact(chain, q, np.zeros((2, 6)), still, [touch])


def test_a_loop_is_held_too():
    """A box welded to the ground by a constraint feels no floor."""
    chain = Chain([box(2.0)], gravity=(0, 0, -G))
    q, still = chain.neutral, np.zeros(6)
    weld = Closure(Fixed(), 0)
    contacts = level(chain, (1, 1, 1), q)
    qdd, forces = resting_contact(chain, q, still, still, contacts, constraints=weld)
    assert np.abs(qdd).max() < 1e-12
    guide = Closure(Prismatic((0, 0, 1)), 0)
    qdd, forces = resting_contact(chain, q, still, still, contacts, constraints=guide)
    assert np.abs(qdd).max() < 1e-12
    assert forces[:, 2].sum() == pytest.approx(2 * G)


def test_rotation_does_not_matter():
    """The same scene, turned as a whole."""
    rng = np.random.default_rng(0)
    R = rotation_about(np.array([0.6, 0, 0.8]), np.array([1.1]))
    chain = Chain([box(2.0, (1, 1, 0.4))], gravity=(1.5, 0.5, -G))
    turned = Chain([box(2.0, (1, 1, 0.4), rotation=R)], gravity=R @ [1.5, 0.5, -G])
    q, qd, tau = chain.neutral, np.zeros(6), rng.normal(size=6)
    contacts = level(chain, (1, 1, 0.4), q)
    moved = [Touch((0, -1), R @ c.point, R @ c.normal) for c in contacts]
    first = resting_contact(chain, q, qd, tau, contacts, friction=0.6)
    second = resting_contact(turned, q, qd, tau, moved, friction=0.6)
    assert second[0] == pytest.approx(first[0], abs=1e-9)
    assert second[1] == pytest.approx(first[1] @ R.T, abs=1e-9)
