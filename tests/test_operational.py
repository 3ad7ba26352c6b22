"""The inertia that a hand feels at a link or a point: by dense inverses, blows and energy, and where there is none."""

import re

import numpy as np
import pytest
import sympy as sp
from trees import (
    EPS,
    EVERY_KIND,
    Case,
    allowed,
    assert_near,
    at_point,
    motion,
    oracle,
    random_tree,
    stored_chain,
    vanishes,
)

from chaindyn import (
    Chain,
    Fixed,
    Frame,
    Free,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    aba,
    bias_force,
    body_accelerations,
    body_jacobian,
    body_twists,
    crba,
    dynamically_consistent_inverse,
    factorise,
    forward_kinematics,
    impact,
    integrate,
    inverse_operational_space_inertia,
    jacobian_dot_qd,
    operational_space_inertia,
    operational_space_torque,
    random_state,
)
from chaindyn.guards.mobility import require_movable

FRAMES = ("body", "world", "mixed")
BOTH = operational_space_inertia, dynamically_consistent_inverse
TREES = [
    Case(1, seed=600, kinds=(Free,)),
    Case(7, seed=601, kinds=(Revolute,)),
    Case(7, seed=602, kinds=(Spherical, Prismatic)),
    Case(12, branching=True, seed=603, kinds=(Free, *EVERY_KIND)),
    Case(20, branching=True, seed=604, kinds=(Spherical, *EVERY_KIND)),
]
SOLID = (1.0, (0.2, 0.1, 0.3), np.eye(3))
ROD = Link(Revolute(), 1, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12]), offset=(1, 0, 0))


def free_links(chain, q):
    """The links that can move in all six directions, or all but a hundred times less in some."""
    W = inverse_operational_space_inertia(chain, q)
    return [b for b in range(chain.n) if np.linalg.cond(W[b]) < 1e6]


@pytest.fixture(params=TREES, ids=lambda case: f"{case}-{case.seed}")
def moving(request):
    """A random tree with its state, and a link of it that can move in every direction."""
    chain = random_tree(request.param)
    state = motion(request.param, chain)
    return chain, *state, free_links(chain, state[0])[-1]


def near(chain, q, b):
    """A point near the origin of a link."""
    return forward_kinematics(chain, q)[1][b] + [0.3, -0.2, 0.1]


def point_rows(chain, q, b, point):
    """The Jacobian of the point's velocity, from velocities: one joint rate after another."""
    twists = body_twists(chain, q, np.eye(chain.nv), frame="world")[:, b]
    return at_point(twists, point).T


def inverse_of(J, M):
    return np.linalg.inv(J @ np.linalg.solve(M, J.T))


def conditioned(J, M):
    """100 roundings for each unit of the condition of M, and of the matrix that is inverted."""
    return min(100 * EPS * np.linalg.cond(M) * np.linalg.cond(J @ np.linalg.solve(M, J.T)), 1e-6)


# --- the definition ---


@pytest.mark.parametrize("frame", FRAMES)
def test_a_link_s_inertia_is_the_dense_inverse(moving, frame):
    chain, q, _, _, b = moving
    M, J = crba(chain, q), body_jacobian(chain, q, b, frame=frame)
    found = operational_space_inertia(chain, q, body=b, frame=frame)
    assert_near(found, inverse_of(J, M), chain.n, conditioned(J, M))
    W = inverse_operational_space_inertia(chain, q, frame=frame)[b]
    assert_near(found @ W, np.eye(6), chain.n, conditioned(J, M))
    assert np.linalg.eigvalsh((found + found.T) / 2).min() > 0


def test_a_point_s_inertia_is_the_dense_inverse(moving):
    chain, q, _, _, b = moving
    point, M = near(chain, q, b), crba(chain, q)
    J = point_rows(chain, q, b, point)
    for frame in ("world", "mixed"):
        found = operational_space_inertia(chain, q, body=b, point=point, frame=frame)
        assert_near(found, inverse_of(J, M), chain.n, conditioned(J, M))
    R = forward_kinematics(chain, q)[0][b]
    in_link = operational_space_inertia(chain, q, body=b, point=point)
    assert_near(in_link, R.T @ found @ R, chain.n, conditioned(J, M))


@pytest.mark.parametrize("model", oracle("dynamics")["models"], ids=lambda m: m["name"])
def test_pinocchio_computes_the_same(model):
    chain, q = stored_chain(model), np.array(model["state"]["q"])
    inverses, bound = np.array(model["inverse_inertias"]), allowed(np.array(model["crba"]))
    for b in free_links(chain, q)[-3:]:
        found = operational_space_inertia(chain, q, body=b)
        limit = bound * np.linalg.cond(inverses[b])
        assert_near(found, np.linalg.inv(inverses[b]), chain.n, limit)


def test_what_a_wall_feels_is_in_it(moving):
    """1 / (n . Lambda^-1 n) is the mass of a blow along n, and n . Lambda n, on a rail, is no less."""
    chain, q, qd, _, b = moving
    point, normal = near(chain, q, b), np.array([2, -1, 2]) / 3
    inertia = operational_space_inertia(chain, q, body=b, point=point, frame="world")
    hit = impact(chain, q, qd, body=b, point=point, normal=normal, restitution=0)
    felt = 1 / (normal @ np.linalg.solve(inertia, normal))
    J, M = point_rows(chain, q, b, point), crba(chain, q)
    assert abs(felt / hit.effective_mass - 1) <= conditioned(J, M)
    assert normal @ inertia @ normal >= felt


def test_a_force_and_the_acceleration_it_makes(moving):
    """At rest and without weight, Lambda times what a wrench makes of the link's acceleration is the wrench."""
    chain, q, qd, _, b = moving
    weightless, still = Chain(chain.links, gravity=(0, 0, 0)), 0 * qd
    push = np.zeros((chain.n, 6))
    push[b] = [1, -2, 3, -1, 2, 1]
    for frame in FRAMES:
        outside = {"external": push, "external_frame": frame}
        qdd = aba(weightless, q, still, still, **outside)
        acceleration = body_accelerations(chain, q, still, qdd, frame=frame)[b]
        felt = operational_space_inertia(chain, q, body=b, frame=frame) @ acceleration
        J, M = body_jacobian(chain, q, b, frame=frame), crba(chain, q)
        assert_near(felt, push[b], chain.n, conditioned(J, M))


def test_a_body_that_floats_shows_its_own_inertia():
    body = Chain([Link(Free(), 3, (0.1, -0.2, 0.3), np.diag([1, 2, 2.5]))])
    q, _ = random_state(body, 1)
    assert_near(operational_space_inertia(body, q), body.spatial_inertia[0], 1, 1e-13)
    R, p = (x[0] for x in forward_kinematics(body, q))
    at_centre = operational_space_inertia(body, q, point=p + R @ [0.1, -0.2, 0.3])
    assert_near(at_centre, 3 * np.eye(3), 1, 1e-13)


def test_two_rods_at_a_right_angle():
    """Three joints, so that the tip can move in space: hinged across, as far as the plane goes, 1/3 and 4/3."""
    tower = Link(Prismatic((0, 0, 1)), 5, (0, 0, 0), np.zeros((3, 3)))
    root = Link(Revolute(), 1, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12]))
    arm, q = Chain([tower, root, ROD]), np.array([0, 0, np.pi / 2])
    found = operational_space_inertia(arm, q, point=(1, 1, 0), frame="world")
    assert_near(found, np.diag([1 / 3, 4 / 3, 7]), 3)
    in_link = operational_space_inertia(arm, q, point=(1, 1, 0))  # the forearm's x is the world's y
    assert_near(in_link, np.diag([4 / 3, 1 / 3, 7]), 3)


# --- the inverse of least energy ---


@pytest.mark.parametrize("at", ["link", "point"])
@pytest.mark.parametrize("frame", FRAMES)
def test_the_inverse_is_the_one_of_least_energy(moving, at, frame):
    chain, q, _, _, b = moving
    M, J = crba(chain, q), body_jacobian(chain, q, b, frame=frame)
    options = {"body": b, "frame": frame}
    if at == "point":
        point = near(chain, q, b)
        options["point"], J = point, point_rows(chain, q, b, point)
        J = forward_kinematics(chain, q)[0][b].T @ J if frame == "body" else J
    found, limit = dynamically_consistent_inverse(chain, q, **options), conditioned(J, M)
    assert_near(J @ found, np.eye(len(J)), chain.n, limit)
    factor = np.linalg.cholesky(M)
    shortest = np.linalg.pinv(np.linalg.solve(factor, J.T).T)
    assert_near(found, np.linalg.solve(factor.T, shortest), chain.n, limit)
    inertia = operational_space_inertia(chain, q, **options)
    assert_near(found.T @ M @ found, inertia, chain.n, limit)


def test_what_is_left_of_joint_forces_does_not_move_the_link(moving):
    chain, q, qd, tau, b = moving
    weightless, still = Chain(chain.links, gravity=(0, 0, 0)), 0 * qd
    J_bar = dynamically_consistent_inverse(chain, q, body=b)
    J, M = body_jacobian(chain, q, b), crba(chain, q)

    def acceleration(tau):
        qdd = aba(weightless, q, still, tau)
        return body_accelerations(chain, q, still, qdd)[b]

    unseen = tau - J.T @ (J_bar.T @ tau)
    size = np.linalg.norm(acceleration(tau))
    assert np.linalg.norm(acceleration(unseen)) <= 10 * conditioned(J, M) * size


# --- batches and other numbers ---


def test_batches_of_postures_and_of_points():
    chain = random_tree(Case(7, seed=605, kinds=(Revolute,)))
    q, _ = random_state(chain, 1, batch=(3,))
    points = np.random.default_rng(1).normal(size=(2, 1, 3))
    for function, shape in zip(BOTH, [(2, 3, 3, 3), (2, 3, 7, 3)], strict=True):
        many = function(chain, q, point=points)
        assert many.shape == shape
        one = function(chain, q[2], point=points[1, 0])
        assert_near(many[1, 2], one, 7, 1e-9)


def test_symbols_give_the_closed_form():
    """A slide along z carries two massless rods with a point mass at each end, bent by an angle."""
    angle, m, L = sp.symbols("angle m L", positive=True)
    rod = {"mass": m, "com": (L, 0, 0), "inertia": np.zeros((3, 3), int)}
    chain = Chain(
        [
            Link(Prismatic((0, 0, 1)), 0, (0, 0, 0), np.zeros((3, 3), int)),
            Link(Revolute(), **rod),
            Link(Revolute(), **rod, offset=(L, 0, 0)),
        ]
    )
    q = np.array([0, 0, angle], object)
    tip = np.array([L + L * sp.cos(angle), L * sp.sin(angle), 0])
    found = operational_space_inertia(chain, q, point=tip, frame="world")
    # along the forearm the first mass has to come along, across it the tip alone moves
    along = np.array([sp.cos(angle), sp.sin(angle), 0])
    across = np.array([-sp.sin(angle), sp.cos(angle), 0])
    assert vanishes(across @ found @ across - m)
    assert vanishes(along @ found @ along - m - m / sp.sin(angle) ** 2)
    assert vanishes(found[2, 2] - 2 * m)
    assert vanishes(along @ found @ across)


def test_complex_steps_differentiate():
    chain = random_tree(Case(7, seed=605, kinds=(Revolute,)))
    q, qd = random_state(chain, 2)
    step = integrate(chain, q, 1e-30j * qd)
    slope = operational_space_inertia(chain, step).imag / 1e-30
    h = 1e-6
    ends = [operational_space_inertia(chain, q + sign * h * qd) for sign in (1, -1)]
    assert_near(slope, (ends[0] - ends[1]) / (2 * h), 1, 1e-6)


def test_single_precision_stays_single():
    chain = random_tree(Case(7, seed=605, kinds=(Revolute,)))
    q, _ = random_state(chain, 2)
    point = near(chain, q, 6)
    exact = operational_space_inertia(chain, q, point=point, frame="world")
    found = operational_space_inertia(
        chain, q.astype(np.float32), point=point.astype(np.float32), frame="world"
    )
    assert_near(found, exact, 1, 1e-2)


# --- where there is none ---


def rank_told(error):
    return tuple(int(x) for x in re.search(r"rank (\d) of (\d)", str(error.value)).groups())


@pytest.mark.parametrize("function", BOTH)
def test_a_plane_is_no_space(function):
    arm = Chain([ROD, ROD])
    q = np.array([0.3, 0.8])
    with pytest.raises(ValueError, match=r"force .* along \[0.0, 0.0, 1.0\] .*'link1'") as error:
        function(arm, q, point=(2, 1, 0))
    assert rank_told(error) == (2, 3)
    with pytest.raises(ValueError, match=r"wrench \[tau; f\]") as error:
        function(arm, q)
    assert rank_told(error) == (2, 6)


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_a_stretched_arm_cannot_be_pulled(length):
    """Two hinges and a slide span the space, until the rods are in one line; whatever the unit of length."""
    lift = Link(Prismatic((0, 0, 1)), 1, (0, 0, 0), np.zeros((3, 3)))
    thin = length**2 / 12 * np.diag([0, 1, 1])
    rods = [Link(Revolute(), 1, (length / 2, 0, 0), thin, (k * length, 0, 0)) for k in (0, 1)]
    arm, turned = Chain([lift, *rods]), 0.3
    along = np.array([np.cos(turned), np.sin(turned), 0])

    def inertia(bend):
        q = np.array([0, turned, bend])
        R, p = forward_kinematics(arm, q)
        return operational_space_inertia(
            arm, q, point=p[-1] + R[-1] @ [length, 0, 0], frame="world"
        )

    with pytest.raises(ValueError, match="does not move body 'link2'") as error:
        inertia(0.0)
    assert rank_told(error) == (2, 3)
    told = np.array([float(x) for x in re.search(r"\[(.*?)\]", str(error.value))[1].split(",")])
    assert np.abs(np.cross(told, along)).max() < 2e-3
    with pytest.raises(ValueError, match="does not move"):
        inertia(1e-7)
    assert along @ inertia(1e-4) @ along > 1e6


def test_the_state_is_named():
    lift = Link(Prismatic((0, 0, 1)), 1, (0, 0, 0), np.zeros((3, 3)))
    arm = Chain([lift, Link(Revolute(), *SOLID), Link(Revolute(), *SOLID, offset=(1, 0, 0))])
    q = np.array([[0, 0.3, 0.5], [0, 0, 0]])
    with pytest.raises(ValueError, match=r"in state \(1,\)"):
        operational_space_inertia(arm, q, point=(2, 0, 0))


def test_the_direction_is_one_that_moves_nothing():
    """Among wrenches too, whose halves have units of their own."""
    for seed in range(5):
        chain = random_tree(Case(5, seed=seed, kinds=(Revolute,)))
        q, _ = random_state(chain, seed)
        J = body_jacobian(chain, q)
        with pytest.raises(ValueError, match="rank 5 of 6") as error:
            operational_space_inertia(chain, q)
        told = re.search(r"along \[(.*?)\]", str(error.value))[1].split(",")
        wrench = np.array([float(x) for x in told])
        assert np.linalg.norm(J.T @ wrench) < 5e-3 * np.linalg.norm(J) * np.linalg.norm(wrench)


@pytest.mark.parametrize(("share", "refused"), [(0.9e-12, True), (1.1e-12, False)])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("size", [3, 6])
def test_the_limit_is_a_millionth_of_a_millionth(share, refused, scale, size):
    """Of what yields most; each half of a wrench is brought to the same size before."""
    yields = np.ones(3) if size == 3 else np.array([1e10, 1e10, 1e10, 1, 1, 1])
    yields[-1] = share
    W = scale * np.diag(yields)
    if refused:
        with pytest.raises(ValueError, match=f"rank {size - 1} of {size}"):
            require_movable(W, "hand")
    else:
        require_movable(W, "hand")


def test_rows_that_can_move_are_left():
    """What the message advises."""
    arm, q = Chain([ROD, ROD]), np.array([0.3, 0.8])
    R, p = forward_kinematics(arm, q)
    rows = point_rows(arm, q, 1, p[1] + R[1] @ [1, 0, 0])[:2]
    found = np.linalg.inv(factorise(arm, q).delassus(rows))
    assert_near(found, inverse_of(rows, crba(arm, q)), 2, 1e-12)


@pytest.mark.parametrize("function", BOTH)
def test_bad_input_is_told(function):
    chain = random_tree(Case(7, seed=605, kinds=(Revolute,)))
    q, _ = random_state(chain, 2)
    for change, message in [
        ({"body": "hand"}, "hand"),
        ({"point": (1, 2)}, r"point has shape \(2,\)"),
        ({"point": (1, 2, np.nan)}, "point"),
        ({"frame": "local"}, "frame is 'local'"),
    ]:
        with pytest.raises(ValueError, match=message):
            function(chain, q, **change)
    fork = Chain([ROD, ROD, Link(Revolute(), *SOLID, parent=0)])
    with pytest.raises(ValueError, match="lea"):
        function(fork, np.zeros(3))
    welded = Chain([Link(Fixed(), *SOLID), ROD])
    with pytest.raises(ValueError, match="rank 0 of 3"):
        function(welded, np.zeros(1), body=0, point=(0, 0, 0))
    ghost = Chain([ROD, Link(Revolute(), 0, (0, 0, 0), np.zeros((3, 3)), name="ghost")])
    with pytest.raises(ValueError, match="M is singular: the joint of link 'ghost'"):
        function(ghost, np.zeros(2))


# Joint forces that move a hand as commanded ---------------------------------------------------------


def commanded(chain, seed, batch=()):
    """A state, an acceleration of the hand, a wrench that it exerts, and forces left to the joints."""
    rng = np.random.default_rng(seed)
    q, qd = random_state(chain, rng, batch=batch)
    own = (rng.normal(size=(*batch, size)) for size in (6, 6, chain.nv))
    return q, qd, *own


@pytest.mark.parametrize("case", TREES[:3], ids=str)
def test_the_hand_accelerates_as_commanded(case):
    chain = random_tree(case)
    for tip in free_links(chain, random_state(chain, 5)[0])[-1:]:
        q, qd, a, w, spare = commanded(chain, 5)
        tau = operational_space_torque(chain, q, qd, a, body=tip, wrench=w, tau=spare)
        # what the hand pushes on pushes back
        back = np.zeros((chain.n, 6))
        R, _ = forward_kinematics(chain, q, tip)
        back[tip] = -np.concatenate([R.T @ w[:3], R.T @ w[3:]])
        qdd = aba(chain, q, qd, tau, external=back)
        found = body_accelerations(chain, q, qd, qdd, frame="mixed", classical=True)[tip]
        assert np.abs(found - a).max() < 1e-7


def test_forces_left_to_the_joints_move_them_and_not_the_hand():
    chain = stored_hand()
    q, qd, a, _, spare = commanded(chain, 6)
    rows = np.eye(6)[3:]
    given = {"body": "tip", "directions": rows}
    accelerations = [
        aba(chain, q, qd, operational_space_torque(chain, q, qd, a, **given, tau=tau))
        for tau in (None, spare)
    ]
    J = body_jacobian(chain, q, "tip", frame="mixed")
    bias = jacobian_dot_qd(chain, q, qd, "tip", frame="mixed", classical=True)
    for qdd in accelerations:
        assert np.abs(rows @ (J @ qdd + bias) - a[3:]).max() < 1e-9
    moved = accelerations[1] - accelerations[0]
    assert np.abs(moved).max() > 0.1
    # of all ways to obey, the one without such forces has the least energy of acceleration
    assert abs(moved @ crba(chain, q) @ accelerations[0]) < 1e-8


def test_combinations_of_directions_and_batches():
    chain = stored_hand()
    rng = np.random.default_rng(7)
    K = rng.normal(size=(4, 6))
    q, qd, a, w, spare = commanded(chain, 8, (3,))
    given = {"body": "tip", "directions": K}
    whole = operational_space_torque(chain, q, qd, a, **given, wrench=w, tau=spare)
    for k in range(3):
        one = operational_space_torque(chain, q[k], qd[k], a[k], **given, wrench=w[k], tau=spare[k])
        assert np.abs(whole[k] - one).max() < 1e-12
        J = body_jacobian(chain, q[k], "tip", frame="mixed")
        bias = jacobian_dot_qd(chain, q[k], qd[k], "tip", frame="mixed", classical=True)
        qdd = np.linalg.solve(crba(chain, q[k]), one - J.T @ w[k] - bias_force(chain, q[k], qd[k]))
        assert np.abs(K @ (J @ qdd + bias - a[k])).max() < 1e-8


def test_directions_that_cannot_be_commanded_are_named():
    chain = stored_hand()
    straight = np.zeros(chain.nq)
    a = np.ones(6)
    with pytest.raises(ValueError, match=r"body 'tip' cannot be accelerated in all 6 directions"):
        operational_space_torque(chain, straight, straight, a, body="tip")
    with pytest.raises(ValueError, match=r"acceleration has shape \(3,\)"):
        operational_space_torque(chain, straight, straight, a[3:], body="tip")
    with pytest.raises(ValueError, match=r"directions has shape \(2, 3\)"):
        operational_space_torque(chain, straight, straight, a, directions=np.ones((2, 3)))
    with pytest.raises(ValueError, match="body is 'nobody'"):
        operational_space_torque(chain, straight, straight, a, body="nobody")


def stored_hand():
    """An arm of seven hinges about alternating axes, with a frame at its end."""
    links = []
    for k in range(7):
        axis = (0, 0, 1) if k % 2 == 0 else (0, 1, 0)
        links.append(
            Link(
                Revolute(axis),
                2 - k / 5,
                (0, 0.02, 0.1),
                np.diag([0.02, 0.03, 0.01]),
                offset=(0, 0, 0.2),
            )
        )
    return Chain(links, frames=[Frame("tip", None, (0, 0, 0.15))])
