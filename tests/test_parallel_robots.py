"""A Stewart platform and a delta robot: closed by formulas of their own, and moved as other routes say."""

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from trees import EPS

from chaindyn import (
    assemble,
    bias_force,
    body_twists,
    constrained_forward_dynamics,
    constrained_inverse_dynamics,
    constraint_bias,
    constraint_error,
    constraint_jacobian,
    crba,
    forward_kinematics,
    simulate,
)
from chaindyn.models import robots
from chaindyn.teaching import normwise

G = np.array([0, 0, -9.81])
TILT = Rotation.from_rotvec([0.15, -0.2, 0.3]).as_matrix()
POSES = {"home": ((0, 0, 2), np.eye(3)), "moved": ((0.3, -0.2, 2.15), TILT)}
PLACES = [(0, 0, -0.9), (0.2, -0.25, -1.0), (0.3, 0.5, -1.1)]
MACHINES = {
    "Stewart": (robots.stewart_platform, robots.stewart_platform_posture(*POSES["moved"]), "rod"),
    "delta": (robots.delta_robot, robots.delta_robot_posture(PLACES[1]), "arm"),
}


@pytest.fixture(params=MACHINES)
def machine(request):
    """Give a robot, a closed posture, its motors as a mask, and a velocity and acceleration that keep it closed."""
    make, q, driven = MACHINES[request.param]
    chain, loops = make()
    motors = motors_of(chain, driven)
    K = constraint_jacobian(chain, loops, q)
    rng = np.random.default_rng(1)
    N = np.linalg.svd(K)[2][len(K) :].T
    qd = N @ rng.normal(size=N.shape[1])
    qdd = N @ rng.normal(size=N.shape[1])
    qdd = qdd - np.linalg.pinv(K) @ constraint_bias(chain, loops, q, qd)
    return chain, loops, q, motors, qd, qdd


def motors_of(chain, driven):
    """Return a mask of the velocities with motors: the last of each link whose name begins so."""
    motors = np.zeros(chain.nv, bool)
    for i, name in enumerate(chain.names):
        if name.startswith(driven):
            motors[chain.v_columns[i].stop - 1] = True
    return motors


def points(radius, degrees):
    """Return points on a level circle (n, 3)."""
    around = radius * np.exp(1j * np.radians(degrees))
    return np.stack([around.real, around.imag, 0 * around.real], axis=-1)


FEET = points(3, [-2.5, 2.5, 117.5, 122.5, 237.5, 242.5])
HEADS = points(1, [-50, 50, 70, 170, 190, 290])
HOME = np.sqrt(3**2 + 1 + 2**2 - 2 * 3 * np.cos(np.radians(47.5)))  # cosine rule, and the height


# The Stewart platform ---------------------------------------------------------------------------


@pytest.mark.parametrize("pose", POSES)
def test_legs_are_as_long_as_from_foot_to_head(pose):
    p, R = POSES[pose]
    chain, loops = robots.stewart_platform()
    q = robots.stewart_platform_posture(p, R)
    assert np.abs(constraint_error(chain, loops, q)).max() <= 10 * EPS
    lengths = np.linalg.norm(p + HEADS @ np.transpose(R) - FEET, axis=1)
    legs = q[:24].reshape(6, 4)
    assert legs[:, 3] == pytest.approx(lengths - HOME, abs=20 * EPS)
    if pose == "home":
        assert np.abs(legs).max() <= 10 * EPS
    R_links, p_links = forward_kinematics(chain, q)
    assert R_links[-1] == pytest.approx(np.array(R)) and p_links[-1] == pytest.approx(p)
    assert p_links[0:12:2] == pytest.approx(FEET)
    assert p_links[1:12:2] == pytest.approx(p + HEADS @ np.transpose(R))


def test_parts_are_of_steel():
    chain, _ = robots.stewart_platform()
    steel = 76e3 / 9.81
    disc = steel * np.pi * 0.05
    tube, rod = (steel * np.pi * a * 0.75 * HOME for a in (0.05**2 - 0.03**2, 0.03**2))
    assert chain.mass == pytest.approx([tube, rod] * 6 + [disc])
    assert np.diag(chain.links[-1].inertia) == pytest.approx(
        disc * np.array([1 / 4 + 0.05**2 / 12, 1 / 4 + 0.05**2 / 12, 1 / 2])
    )
    assert np.diag(chain.links[0].inertia) == pytest.approx(
        tube * np.array([0.0034 / 4 + (0.75 * HOME) ** 2 / 12] * 2 + [0.0034 / 2])
    )
    assert np.diag(chain.links[1].inertia) == pytest.approx(
        rod * np.array([0.0009 / 4 + (0.75 * HOME) ** 2 / 12] * 2 + [0.0009 / 2])
    )


@pytest.mark.parametrize("pose", POSES)
def test_legs_carry_what_statics_by_hand_say(pose):
    """Moments about the feet give what a leg bears across itself; six equations of the disc give what along.

    A rod can turn in its tube, and so no joint of a leg bears a moment about it, nor another one.
    """
    p, R = np.array(POSES[pose][0]), np.array(POSES[pose][1])
    chain, loops = robots.stewart_platform()
    tube, rod, disc = chain.mass[[0, 1, -1]]
    arms = HEADS @ R.T
    legs = p + arms - FEET
    lengths = np.linalg.norm(legs, axis=1)
    u = legs / lengths[:, None]
    along = (u @ G)[:, None] * u
    share = (3 / 8 * HOME * tube + (lengths - 3 / 8 * HOME) * rod) / lengths
    # of a leg on the disc: what its weight adds, and the motor's push along u
    fixed = share[:, None] * (G - along) + rod * along
    system = np.concatenate([np.cross(arms, u).T, u.T])
    right = -np.concatenate([np.cross(arms, fixed).sum(0), fixed.sum(0) + disc * G])
    pushes = np.linalg.solve(system, right)
    still = np.zeros(30)
    motors = motors_of(chain, "rod")
    q = robots.stewart_platform_posture(p, R)
    tau, _ = constrained_inverse_dynamics(chain, loops, q, still, still, actuated=motors)
    assert tau[motors] == pytest.approx(pushes, rel=1e-11)
    assert np.all(tau[~motors] == 0)
    if pose == "home":  # all alike: the disc, the rods, and of the tubes what the disc holds up
        level = 1 - (2 / HOME) ** 2
        lift = disc * 9.81 / 6 + rod * 9.81 * (2 / HOME) ** 2 + share[0] * 9.81 * level
        assert pushes == pytest.approx([lift * HOME / 2] * 6)


# The delta robot --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "degrees"),
    [((0, 0, -0.9), (-20.5, -20.5, -20.5)), ((0.3, 0.5, -1.1), (47.5, -11.6, 21.4))],
)
def test_arms_stand_as_printed(place, degrees):
    """Examples of Williams, to the digits that he gives."""
    q = robots.delta_robot_posture(place)
    assert np.degrees(q[[0, 5, 10]]) == pytest.approx(degrees, abs=0.05)


@pytest.mark.parametrize("place", PLACES)
def test_knees_are_a_rod_away_from_the_platform(place):
    chain, loops = robots.delta_robot()
    q = robots.delta_robot_posture(place)
    assert np.abs(constraint_error(chain, loops, q)).max() <= 10 * EPS
    R, p = forward_kinematics(chain, q)
    assert p[-1] == pytest.approx(place) and R[-1] == pytest.approx(np.eye(3))
    for k, azimuth in enumerate((-90, 30, 150)):
        out, aside = points(1, [azimuth, azimuth + 90])
        angle = q[5 * k]
        for j, side in ((1, 0.131 / 2), (2, -0.131 / 2)):
            knee = (0.164 + 0.524 * np.cos(angle)) * out + side * aside
            knee = knee - [0, 0, 0.524 * np.sin(angle)]
            assert p[3 * k + j] == pytest.approx(knee, abs=1e-15)
            head = place + 0.044 * out + side * aside
            assert np.linalg.norm(head - knee) == pytest.approx(1.244, abs=1e-14)
            assert knee + R[3 * k + j] @ [0, 0, -1.244] == pytest.approx(head, abs=1e-14)
        assert knee @ out > head @ out  # outwards


def test_the_platform_stays_level():
    """Pairs of rods let it move in three ways, and none of them is a turn."""
    chain, loops = robots.delta_robot()
    q = robots.delta_robot_posture(PLACES[1])
    K = constraint_jacobian(chain, loops, q)
    moves = np.linalg.svd(K)[2][len(K) :]
    twists = np.stack([body_twists(chain, q, qd)[-1] for qd in moves])
    assert np.abs(twists[:, :3]).max() <= 1e-13
    assert np.linalg.matrix_rank(twists[:, 3:]) == 3


def test_the_arms_carry_what_statics_by_hand_say():
    """At home each motor holds an arm, its rods and a third of the platform; half of the rods hangs on the knee."""
    chain, loops = robots.delta_robot()
    q = robots.delta_robot_posture()
    motors = motors_of(chain, "arm")
    still = np.zeros(21)
    tau, _ = constrained_inverse_dynamics(chain, loops, q, still, still, actuated=motors)
    g, a = 9.81, q[0]
    knee = 0.164 + 0.524 * np.cos(a), -0.524 * np.sin(a)
    # a third of the platform and half of two rods, on the lower ends, pull the rods straight, down and inwards
    down = (0.5 / 3 + 0.15) * g
    inwards = down * (knee[0] - 0.044) / (knee[1] + 0.9)
    moment = 1.2 * g * 0.262 * np.cos(a)
    moment += 0.524 * ((0.15 * g + down) * np.cos(a) + inwards * np.sin(a))
    assert tau[motors] == pytest.approx([-moment] * 3, rel=1e-12)


def test_rods_are_thin_and_the_platform_is_a_disc():
    chain, _ = robots.delta_robot()
    assert chain.mass == pytest.approx([1.2, 0.15, 0.15] * 3 + [0.5])
    arm, rod = 1.2 * 0.524**2 / 12, 0.15 * 1.244**2 / 12
    across, along = 0.5 * (0.044**2 / 4 + 0.01**2 / 12), 0.5 * 0.044**2 / 2
    moments = [(0, arm, arm), (rod, rod, 0), (rod, rod, 0)] * 3 + [(across, across, along)]
    assert [np.diag(link.inertia) for link in chain.links] == pytest.approx(np.array(moments))
    half = [(0.262, 0, 0), (0, 0, -0.622), (0, 0, -0.622)] * 3 + [(0, 0, 0)]
    assert [link.com for link in chain.links] == pytest.approx(np.array(half))


# Both -------------------------------------------------------------------------------------------


def test_freedoms_are_counted_by_the_rank(machine):
    chain, loops, q, motors, *_ = machine
    K = constraint_jacobian(chain, loops, q)
    sizes = np.linalg.svd(K, compute_uv=False)
    assert sizes[-1] > 1e-3 * sizes[0]  # no row depends on the others
    assert chain.nv - len(K) == motors.sum() == {30: 6, 21: 3}[chain.nv]


def test_the_nearest_closed_posture_is_that_of_the_formulas():
    """The platform is moved and held, and legs and arms follow by `assemble`."""
    chain, loops = robots.stewart_platform()
    start, goal = (
        robots.stewart_platform_posture(),
        robots.stewart_platform_posture(*POSES["moved"]),
    )
    moved = np.concatenate([start[:-7], goal[-7:]])
    held = np.arange(30) >= 24
    assert assemble(chain, loops, moved, held=held) == pytest.approx(goal, abs=1e-12)
    chain, loops = robots.delta_robot()
    start, goal = robots.delta_robot_posture(), robots.delta_robot_posture(PLACES[1])
    moved = np.concatenate([start[:-7], goal[-7:]])
    held = np.arange(21) >= 15
    assert assemble(chain, loops, moved, held=held) == pytest.approx(goal, abs=1e-12)
    again = assemble(chain, loops, moved)  # all may move: nearest, wherever that is
    assert np.abs(constraint_error(chain, loops, again)).max() <= 1e-12


def test_they_move_as_the_dense_system_says_in_forty_digits(machine):
    chain, loops, q, _, qd, _ = machine
    tau = np.random.default_rng(2).normal(size=chain.nv) * np.sqrt(np.diag(crba(chain, q))) * 10
    found = np.concatenate(constrained_forward_dynamics(chain, loops, q, qd, tau))
    with mpmath.workdps(40):
        exact = [np.array([mpmath.mpf(x) for x in y], object) for y in (q, qd)]
        M, K = crba(chain, exact[0]), constraint_jacobian(chain, loops, exact[0])
        right = [*(tau - bias_force(chain, *exact)), *-constraint_bias(chain, loops, *exact)]
        m = len(K)
        system = np.block([[M, -K.T], [K, np.zeros((m, m), int)]])
        solution = mpmath.lu_solve(mpmath.matrix(system.tolist()), mpmath.matrix(right))
        expected = np.array([float(x) for x in solution])
    n = chain.nv
    scale = np.concatenate([1 / np.sqrt(np.diag(M).astype(float)), np.ones(m)])
    limit = 100 * EPS * np.linalg.cond(system.astype(float) * np.outer(scale, scale))
    assert limit <= 1e-9
    assert normwise(found[:n], expected[:n]) <= limit
    assert normwise(found[n:], expected[n:]) <= limit


def test_forward_dynamics_undoes_inverse_dynamics(machine):
    chain, loops, q, motors, qd, qdd = machine
    tau, multipliers = constrained_inverse_dynamics(chain, loops, q, qd, qdd, actuated=motors)
    assert np.all(tau[~motors] == 0)
    again, same = constrained_forward_dynamics(chain, loops, q, qd, tau)
    assert normwise(again, qdd) <= 1e-11
    assert normwise(same, multipliers) <= 1e-11


@pytest.mark.parametrize(
    ("given", "says"),
    [((0, 0, -2.0), "arm 0 does not reach"), ((0, 0, np.nan), "nan"), ((0, 1), "position")],
)
def test_places_that_cannot_be_are_refused(given, says):
    with pytest.raises(ValueError, match=says):
        robots.delta_robot_posture(given)


def test_poses_that_cannot_be_are_refused():
    for given, says in [
        (((0, 0),), "position"),
        (((0, 0, 2), 2 * np.eye(3)), "rotation"),
        (((0, 0, np.inf),), "inf"),
    ]:
        with pytest.raises(ValueError, match=says):
            robots.stewart_platform_posture(*given)


def test_a_loop_that_drifts_apart_is_told_what_helps():
    """Steps of a second tear the loop of a parallelogram."""
    chain, loops = robots.four_bar()
    start = robots.four_bar_posture(2, np.pi / 4), np.zeros(3)
    given = {"t": [0, 100], "torque": np.array([1e3, 0, 0]), "method": "RK4", "step": 1.0}
    with pytest.warns(RuntimeWarning, match="shorter steps, or stabilisation of the loops, may"):
        simulate(chain, *start, **given, constraints=loops)


@pytest.mark.parametrize("cranks", [1, 2.0, np.pi / 4])
def test_what_counts_no_cranks_is_refused(cranks):
    """An angle in the place of the number, too."""
    for made in (lambda: robots.four_bar(cranks), lambda: robots.four_bar_posture(cranks, 2)):
        with pytest.raises(ValueError, match=r"cranks is .*, but must be a whole number, 2 at"):
            made()
