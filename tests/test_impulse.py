"""Blows: against Pinocchio and a dense solve, laws that impulses obey, other numbers, and what is refused."""

import warnings
from dataclasses import fields, replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from maximal import dense
from trees import (
    CASES,
    EPS,
    Case,
    allowed,
    assert_near,
    at_point,
    mass_matrix_and_bias,
    motion,
    oracle,
    projected,
    random_inertia,
    random_rotation,
    random_tree,
    stored_chain,
    wrench_at,
)

from chaindyn import (
    Chain,
    Fixed,
    Free,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    X_motion,
    body_jacobian,
    body_twists,
    forward_kinematics,
    impact,
    inverse_operational_space_inertia,
    inverse_operational_space_inertia_serial,
    random_state,
)
from chaindyn.teaching import normwise

MODELS = oracle("impulse")["models"]
RECURSIONS = ("body", "world")
FRAMES = ("body", "world", "mixed")
MOVING = [
    # the dense solve of wild sizes takes many digits, and time
    replace(case, n=6) if case.variety == "wild" else case
    for case in CASES
    if case.n <= 30 and random_tree(case).nv > 0
]
SERIAL = [case for case in MOVING if not case.branching]
MASSLESS = (0, (0, 0, 0), np.zeros((3, 3), int))
SOLID = (1.0, (0.2, 0.1, 0.3), np.eye(3))
ROD = Link(Revolute(), 1, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12]), offset=(1, 0, 0))
RESULTS = ("impulse", "effective_mass", "qd_jump", "twist_jumps", "joint_impulses")
ENERGIES = ("energy_before", "energy_after")


def name_of(model):
    return model["name"].replace(" ", "-")


def blow_on(case, chain, q, qd, b):
    """A contact near a link's origin which it approaches; None if it cannot move, or only by rounding."""
    rng = np.random.default_rng([case.seed, b])
    size = {"plain": 0.5, "tiny": 1e-8, "wild": 0.5}[case.variety]
    point = forward_kinematics(chain, q)[1][b] + size * rng.normal(size=3)
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    velocity = at_point(body_twists(chain, q, qd, frame="world")[b], point)
    sign = -1 if normal @ velocity > 0 else 1
    blow = {"body": b, "point": point, "normal": sign * normal, "restitution": rng.uniform()}
    return blow if any(chain.joints[i].nv for i in chain.path(b)) else None


@cache
def struck(case):
    """A random chain in motion, and a blow on each link that can move."""
    chain = random_tree(case)
    q, qd, _ = motion(case, chain)
    blows = [blow_on(case, chain, q, qd, b) for b in range(chain.n)]
    return chain, q, qd, [blow for blow in blows if blow]


@cache
def answers(case):
    """What the dense solve says of unit impulses on a random chain, to 19 digits or more."""
    chain, q, *_ = struck(case)
    if case.variety != "wild":
        return dense(chain, q)
    mp = pytest.importorskip("mpmath")
    with mp.workdps(60):
        exact = dense(chain, q, mp.mpf)
    parts = (getattr(exact, field.name).astype(np.longdouble) for field in fields(exact))
    return type(exact)(*parts)


@pytest.fixture(params=MOVING, ids=str)
def case(request):
    """Each case that can move."""
    return request.param


def loss(chain, q, recursion):
    """How much more the recursion in world coordinates may lose where small links are far from the origin."""
    reach = np.abs(forward_kinematics(chain, q)[1]).max()
    size = np.abs(chain.offset).min() + 0.1
    return 1 if recursion == "body" or reach < 100 * size else 1e6


def tolerance(chain, q, recursion="body"):
    """How near a result must be: 100 roundings for each unit of M's condition, never above 1e-8."""
    M, _ = mass_matrix_and_bias(chain, q, np.zeros(chain.nv))
    return loss(chain, q, recursion) * allowed(M)


# --- Pinocchio ---


@pytest.mark.parametrize("model", MODELS, ids=name_of)
@pytest.mark.parametrize("recursion", RECURSIONS)
def test_pinocchio_computes_the_same(model, recursion):
    chain, q, qd = stored_chain(model), np.array(model["q"]), np.array(model["qd"])
    bound = tolerance(chain, q, recursion)
    inverses = inverse_operational_space_inertia(chain, q, recursion=recursion)
    for inverse, expected in zip(inverses, np.array(model["inverse_inertias"]), strict=True):
        assert_near(inverse, expected, chain.n, bound)
    in_world = inverse_operational_space_inertia(chain, q, frame="world")
    twists = body_twists(chain, q, qd, frame="world")
    for b, (blow, expected) in enumerate(zip(model["blows"], model["results"], strict=True)):
        result = impact(chain, q, qd, body=b, recursion=recursion, **blow)
        still = not any(chain.joints[i].nv for i in chain.path(b))
        scale = 1 if still else projected(in_world[b], twists[b], blow)
        for key, value in expected.items():
            assert_near(getattr(result, key), np.array(value), chain.n, scale * bound)


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_pinocchio_still_gives_the_stored_results(model, robot_file):
    """Its version or its way of reading files may change: then the file is to be made again."""
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    from oracles import make_impulse as make

    if model["name"] in make.NAMES:
        pytest.importorskip("yourdfpy")
        again = make.robot(model["name"])
    else:
        listed = [case for case in make.TREES if str(case) == model["name"]]
        again = next(
            tree for tree in map(make.tree, listed) if np.array_equal(tree["q"], model["q"])
        )
    bound = tolerance(stored_chain(model), np.array(model["q"]))
    assert_near(np.array(again["inverse_inertias"]), np.array(model["inverse_inertias"]), 1, bound)
    for before, after in zip(model["results"], again["results"], strict=True):
        for key, value in before.items():
            assert_near(np.array(after[key]), np.array(value), 1, 100 * bound)


def test_every_asked_for_model_is_there():
    names = {model["name"] for model in MODELS}
    assert {"UR5", "Panda with its gripper locked", "xArm7", "Allegro hand", "Solo12"} <= names
    trees = [stored_chain(model) for model in MODELS[5:]]
    branching = [any(p != i - 1 for i, p in enumerate(chain.parent)) for chain in trees]
    sizes = [
        {chain.n for chain, tree in zip(trees, branching, strict=True) if tree is kind}
        for kind in (True, False)
    ]
    assert {3, 30} <= sizes[0] and {1, 2, 30} <= sizes[1]
    assert {type(joint) for chain in trees for joint in chain.joints} == {
        Revolute,
        Prismatic,
        Fixed,
    }
    assert all(len(model["results"]) == len(model["links"]) for model in MODELS)


# --- the dense solve in maximal coordinates ---


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_every_link_yields_as_the_dense_solve_says(case, recursion, extended):
    chain, q, _, blows = struck(case)
    bound = tolerance(chain, q, recursion)
    inverses = inverse_operational_space_inertia(chain, q, frame="mixed", recursion=recursion)
    can_move = {blow["body"] for blow in blows}
    for i, inverse in enumerate(inverses):
        if i in can_move:
            assert_near(inverse, answers(case).twists[i, :, i].astype(float), chain.n, bound)
        else:
            assert not inverse.any()


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_blows_on_every_link_are_as_the_dense_solve_says(case, recursion, extended):
    chain, q, qd, blows = struck(case)
    bound, unit = tolerance(chain, q, recursion), answers(case)
    _, p = forward_kinematics(chain, q.astype(np.longdouble))
    before = body_twists(chain, q.astype(np.longdouble), qd.astype(np.longdouble), frame="mixed")
    for blow in blows:
        b, e = blow["body"], blow["restitution"]
        result = impact(chain, q, qd, recursion=recursion, **blow)
        normal = blow["normal"] / np.sqrt(blow["normal"].astype(np.longdouble) @ blow["normal"])
        arm = blow["point"].astype(np.longdouble) - p[b]
        along = wrench_at(arm, normal)
        yields = along @ unit.twists[b, :, b] @ along
        impulse = -(1 + np.longdouble(e)) * (along @ before[b]) / yields
        twists, reactions = (
            x[:, :, b] @ along * impulse for x in (unit.twists, unit.joint_impulses)
        )
        twists[:, 3:] += np.cross(p, twists[:, :3])  # to about the world origin
        reactions[:, :3] += np.cross(p, reactions[:, 3:])
        expected = {
            "impulse": impulse,
            "effective_mass": 1 / yields,
            "qd_jump": unit.qd[:, b] @ along * impulse,
            "twist_jumps": twists,
            "joint_impulses": reactions,
        }
        scale = projected(unit.twists[b, :, b], before[b], blow | {"point": arm})
        for key, value in expected.items():
            value = np.asarray(value).astype(float)
            assert_near(getattr(result, key), value, chain.n, scale * bound)


# --- laws ---


def about_world(chain, q):
    """Spatial inertias about the world origin."""
    R, p = forward_kinematics(chain, q)
    X = X_motion(R.mT, p)
    return X.mT @ chain.spatial_inertia @ X


def total_momentum(chain, q, qd):
    """Momentum of all links about the world's origin, from each centre's velocity and each link's turning."""
    R, p = forward_kinematics(chain, q)
    V = body_twists(chain, q, qd, frame="mixed")
    arm = (R @ chain.com[..., None])[..., 0]
    linear = chain.mass[:, None] * (V[:, 3:] + np.cross(V[:, :3], arm))
    spin = (R @ chain.inertia @ R.mT @ V[:, :3, None])[..., 0]
    return np.concatenate([spin + np.cross(p + arm, linear), linear], axis=-1).sum(0)


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_laws_of_impact(case, recursion):
    chain, q, qd, blows = struck(case)
    bound = tolerance(chain, q, recursion)
    inertias, inverses = (
        about_world(chain, q),
        inverse_operational_space_inertia(chain, q, frame="world"),
    )
    V = body_twists(chain, q, qd, frame="world")
    for blow in blows:
        b, e, n, point = (blow[key] for key in ("body", "restitution", "normal", "point"))
        result = impact(chain, q, qd, recursion=recursion, **blow)
        scale = bound * projected(inverses[b], V[b], blow)
        push = result.impulse * wrench_at(point, n)
        carried = result.joint_impulses
        momenta = (inertias @ result.twist_jumps[..., None])[..., 0]

        # of each link: what its parent gives, less what it hands on, and the blow
        given = carried.copy()
        given[b] += push
        for i, parent in enumerate(chain.parent):
            if parent >= 0:
                given[parent] -= carried[i]
        size = np.linalg.norm(carried) + np.linalg.norm(push)
        assert np.linalg.norm(given - momenta) <= scale * size
        # of the whole tree: what it has after less before, from the joint rates
        ground = sum(carried[i] for i, parent in enumerate(chain.parent) if parent < 0)
        gained = total_momentum(chain, q, qd + result.qd_jump) - total_momentum(chain, q, qd)
        had = np.linalg.norm(inertias @ V[..., None], axis=1).sum()
        assert np.linalg.norm(ground + push - gained) <= scale * (size + had)

        # what a joint leaves free it cannot push
        J = [body_jacobian(chain, q, i, frame="world") for i in range(chain.n)]
        for i, columns in enumerate(chain.v_columns):
            S = J[i][:, columns]
            assert np.linalg.norm(S.T @ carried[i]) <= scale * size * np.linalg.norm(S)
            # and the twist jumps are those of the joints' jumps
        moved = np.stack([Ji @ result.qd_jump for Ji in J])
        assert normwise(result.twist_jumps, moved) <= scale

        before, jump = at_point(V[b], point), at_point(result.twist_jumps[b], point)
        after = n @ (before + jump)
        assert abs(after + e * (n @ before)) <= scale * np.linalg.norm(before)
        assert result.impulse > 0 and n @ before < 0
        lost = (1 - e**2) * (n @ before) ** 2 * result.effective_mass / 2
        energies = result.energy_before, result.energy_after
        assert abs(energies[0] - energies[1] - lost) <= scale * (sum(energies) + lost)
        kinetic = (V[:, None] @ inertias @ V[..., None]).sum() / 2
        assert abs(kinetic - energies[0]) <= scale * kinetic


def test_reactions_are_perpendicular_to_what_the_joints_leave_free():
    """The same as above with numbers one can check: a hinge along z gives no moment about its own axis."""
    chain = Chain([ROD] * 3, gravity=(0, 0, 0))
    q, qd = np.array([0.2, 0.5, -0.3]), np.ones(3)
    R, p = forward_kinematics(chain, q)
    tip = p[2] + R[2] @ [1, 0, 0]
    hit = impact(chain, q, qd, point=tip, normal=(0.3, -1, 0), restitution=0.5)
    for origin, wrench in zip(p, hit.joint_impulses, strict=True):
        about_joint = wrench[:3] - np.cross(origin, wrench[3:])
        assert abs(about_joint[2]) <= 1e-14 * np.abs(wrench).max() and np.abs(wrench).max() > 0.01


def test_how_a_link_yields_is_symmetric_positive_and_of_the_jacobian_s_rank(case):
    chain, q, *_ = struck(case)
    bound = tolerance(chain, q)
    for i, inverse in enumerate(inverse_operational_space_inertia(chain, q)):
        size = np.linalg.norm(inverse)
        assert np.linalg.norm(inverse - inverse.T) <= 100 * EPS * chain.n * size
        assert np.linalg.eigvalsh(inverse).min() >= -bound * size
        if case.variety == "plain":
            J = body_jacobian(chain, q, i)
            rank = np.linalg.matrix_rank(J)
            assert np.linalg.matrix_rank(inverse, tol=max(1e3 * bound, 1e-11) * size) == rank
            assert rank == min(6, sum(chain.joints[k].nv for k in chain.path(i)))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("recursion", RECURSIONS)
def test_frames_are_those_of_the_jacobian(frame, recursion):
    case = Case(9, branching=True, seed=33)
    chain = random_tree(case)
    q, qd, _ = motion(case, chain)
    M, _ = mass_matrix_and_bias(chain, q, qd)
    inverses = inverse_operational_space_inertia(chain, q, frame=frame, recursion=recursion)
    for i, inverse in enumerate(inverses):
        J = body_jacobian(chain, q, i, frame=frame)
        assert_near(inverse, J @ np.linalg.solve(M, J.T), chain.n, allowed(M))


@pytest.mark.parametrize("length", [1e-3, 2.0])
def test_a_normal_is_a_direction_whatever_its_length(length):
    """The effective mass of the other rods of this file is stated for normals of length 1."""
    hit, of_length = (
        impact(STRAIGHT, np.zeros(2), np.ones(2), point=TIP, normal=(0, -s, 0), restitution=0)
        for s in (1, length)
    )
    assert np.isclose(hit.effective_mass, 7 / 24)
    for name in RESULTS + ENERGIES:
        assert np.allclose(getattr(of_length, name), getattr(hit, name), rtol=4 * EPS, atol=0), name


def straight_mass(n):
    """How heavy the tip of n straight equal rods is across them, exactly: the joints' impulses are 1, -2, 7, -26 ..."""
    before, last = 1, 2
    for _ in range(n - 1):
        before, last = last, 4 * last - before
    return Fraction(last, 4 * last - 2 * before)


def test_the_recursion_is_the_one_that_was_asked_for():
    """Body coordinates keep all digits of a straight chain; about the world's origin its length costs some."""
    n = 300
    chain, truth = Chain([replace(ROD, offset=(k > 0, 0, 0)) for k in range(n)]), straight_mass(n)
    blow = {"point": (n, 0, 0), "normal": (0, -1, 0), "restitution": 0}
    tip = wrench_at(np.array([1.0, 0, 0]), np.array([0.0, 1, 0]))  # about the last link's origin
    for recursion, least, most in (("body", 0, 1e-14), ("world", 1e-13, 1e-6)):
        hit = impact(chain, np.zeros(n), np.ones(n), recursion=recursion, **blow)
        masses = [hit.effective_mass]
        for function in (
            inverse_operational_space_inertia,
            inverse_operational_space_inertia_serial,
        ):
            masses.append(1 / (tip @ function(chain, np.zeros(n), recursion=recursion)[-1] @ tip))
        for mass in masses:
            assert least <= abs(mass / float(truth) - 1) <= most


# --- the printed recursion ---


@pytest.mark.parametrize("case", SERIAL, ids=str)
@pytest.mark.parametrize("recursion", RECURSIONS)
def test_the_printed_recursion_cuts_the_chain_off(case, recursion):
    chain, q, *_ = struck(case)
    # it solves 6x6 systems, in which sizes from 1e-4 to 1e4 mix
    bound = tolerance(chain, q, recursion) * (100 if case.variety == "wild" else 1)
    inverses = inverse_operational_space_inertia_serial(chain, q, recursion=recursion)
    assert inverses.shape == (chain.n, 6, 6)
    for i in range(chain.n):
        cut = Chain(chain.links[: i + 1])
        expected = inverse_operational_space_inertia(cut, q[: cut.nq])[-1]
        assert_near(inverses[i], expected, chain.n, bound)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("recursion", RECURSIONS)
def test_the_printed_recursion_in_every_frame(frame, recursion):
    case = Case(9, seed=34)
    chain = random_tree(case)
    q, _, _ = motion(case, chain)
    options = {"frame": frame, "recursion": recursion}
    last = inverse_operational_space_inertia_serial(chain, q, **options)[-1]
    expected = inverse_operational_space_inertia(chain, q, frame=frame)[-1]
    assert_near(last, expected, chain.n, tolerance(chain, q))


# --- batches ---


def test_axes_of_different_arguments_are_broadcast():
    chain = Chain([ROD] * 3, gravity=(0, 0, 0))
    q, qd = np.full((5, 1, 3), 0.3), np.ones(3)
    hit = impact(chain, q, qd, point=(2, 1, 0), normal=(0, -1, 0), restitution=np.linspace(0, 1, 4))
    assert hit.impulse.shape == hit.effective_mass.shape == hit.energy_before.shape == (5, 4)
    assert hit.qd_jump.shape == (5, 4, 3) and hit.joint_impulses.shape == (5, 4, 3, 6)


# --- contacts that take no impulse ---


def assert_nothing_happens(hit):
    assert np.all(hit.impulse == 0)
    for name in ("qd_jump", "twist_jumps", "joint_impulses"):
        assert not np.any(getattr(hit, name)), name
    assert np.array_equal(hit.energy_before, hit.energy_after)


STRAIGHT = Chain([ROD, ROD], gravity=(0, 0, 0))  # the first joint is at x = 1, the tip at x = 3
TIP = (3.0, 0.0, 0.0)


@pytest.mark.parametrize("qd", [(1.0, 0.5), (0.0, 0.0), (1.0, -2.0)])
def test_separating_and_resting_contacts_take_exactly_nothing(qd):
    """(1, -2) leaves the tip at rest while the links turn."""
    hit = impact(STRAIGHT, np.zeros(2), qd, point=TIP, normal=(0, 1, 0), restitution=0.7)
    assert_nothing_happens(hit)
    assert np.isclose(hit.effective_mass, 7 / 24)  # as if it were struck
    many = impact(
        STRAIGHT,
        np.zeros(2),
        np.stack([qd, np.ones(2)]),
        point=TIP,
        normal=[(0, 1, 0), (0, -1, 0)],
        restitution=0.7,
    )
    assert many.impulse[0] == 0 and many.impulse[1] > 0 and not many.qd_jump[0].any()


@pytest.mark.parametrize(
    ("point", "normal"),
    [(TIP, (1, 0, 0)), (TIP, (0, 0, 2)), ((1, 0, 0), (0, 1, 0)), ((1, 0, 4), (1, 2, 3))],
)
@pytest.mark.parametrize("recursion", RECURSIONS)
def test_directions_in_which_nothing_can_move(point, normal, recursion):
    """Exactly so: along the straight chain, out of its plane, on the first joint's axis. No warning."""
    chain = STRAIGHT if point[0] > 1 else Chain([ROD], gravity=(0, 0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hit = impact(
            chain,
            np.zeros(chain.nq),
            np.ones(chain.nv),
            point=point,
            normal=normal,
            restitution=1,
            recursion=recursion,
        )
    assert hit.effective_mass == np.inf
    assert_nothing_happens(hit)


MESSAGE = "yields in the direction of the normal by less than 1e-12"


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_directions_in_which_only_rounding_moves(recursion):
    """Straight chains at slanting angles, struck along themselves but for a billionth: said once, in a batch too."""
    angles = np.array([0.3, 0.7, 1.1])
    q = np.stack([angles, 0 * angles], axis=-1)
    point = np.array([1, 0, 0]) + 2 * np.stack([np.cos(angles), np.sin(angles), 0 * angles], -1)
    slant = angles + 1e-9
    along = np.stack([np.cos(slant), np.sin(slant), 0 * angles], -1)
    same = {"restitution": 0.5, "recursion": recursion}
    with pytest.warns(RuntimeWarning, match=MESSAGE) as told:
        hit = impact(STRAIGHT, q, np.ones(2), point=point, normal=along, **same)
    assert len(told) == 1 and told[0].filename == __file__
    assert np.all(hit.effective_mass == np.inf)
    assert_nothing_happens(hit)
    with pytest.warns(RuntimeWarning, match=MESSAGE) as told:
        across = np.array([[-np.sin(0.3), np.cos(0.3), 0], along[0]])
        hit = impact(STRAIGHT, q[0], -np.ones(2), point=point[0], normal=across, **same)
    assert len(told) == 1
    assert np.isclose(hit.effective_mass[0], 7 / 24) and hit.effective_mass[1] == np.inf
    assert hit.impulse[0] > 0 and hit.impulse[1] == 0 and not hit.qd_jump[1].any()


# a threshold on lengths must not change with the unit that they are measured in
LENGTHS = (0.01, 1.0, 100.0)


def rod_struck_nearly_lengthwise(share, length, recursion):
    """A hinged rod's tip yields across the rod alone; a normal that is tilted by an angle, by its sine squared."""
    tilt = np.arcsin(np.sqrt(share))
    rod = Link(Revolute(), 1, (length / 2, 0, 0), length**2 * ROD.inertia)
    return impact(
        Chain([rod], gravity=(0, 0, 0)),
        np.zeros(1),
        np.ones(1),
        point=(length, 0, 0),
        normal=(np.cos(tilt), -np.sin(tilt), 0),
        restitution=0.5,
        recursion=recursion,
    )


@pytest.mark.parametrize("recursion", RECURSIONS)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("share", [1e-11, 1.1e-12])
def test_just_above_the_threshold_it_acts(share, length, recursion):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hit = rod_struck_nearly_lengthwise(share, length, recursion)
    assert np.isclose(hit.effective_mass, 1 / 3 / share, rtol=1e-3)
    assert np.isclose(hit.qd_jump[0], -1.5, rtol=1e-3)  # as if it were struck squarely


@pytest.mark.parametrize("recursion", RECURSIONS)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("share", [9e-13, 1e-20])
def test_just_below_the_threshold_it_does_not(share, length, recursion):
    with pytest.warns(RuntimeWarning, match=MESSAGE):
        hit = rod_struck_nearly_lengthwise(share, length, recursion)
    assert hit.effective_mass == np.inf
    assert_nothing_happens(hit)


# --- special chains ---


@pytest.mark.parametrize("recursion", RECURSIONS)
@pytest.mark.parametrize("seed", range(8))
def test_a_point_of_the_axis_takes_no_blow(seed, recursion):
    """Far out, where the place of the axis is known to rounding, and everything that the point yields is rounding."""
    rng = np.random.default_rng(seed)
    axis = random_rotation(rng)[0]
    body = (1, 0.3 * rng.normal(size=3), random_inertia(rng))
    weld = Link(Fixed(), *body, offset=100 * rng.normal(size=3), rotation=random_rotation(rng))
    chain = Chain([weld, Link(Revolute(axis), *body, offset=rng.normal(size=3))])
    R, p = forward_kinematics(chain, [0.4])
    point = p[1] + 3 * R[1] @ axis
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whether it yields by rounding or by nothing is chance
        hit = impact(
            chain,
            [0.4],
            [2.0],
            point=point,
            normal=rng.normal(size=3),
            restitution=1,
            recursion=recursion,
        )
    assert hit.effective_mass == np.inf
    assert_nothing_happens(hit)


# A hinge along z whose origin is at x; it is struck on the x axis, or above it, at a distance from the axis.
# Rounded places are known to 8 eps of the root of the sum of their squares, and all numbers here are exact.
NEAR_THE_AXIS = {
    "at the origin of its link": (1.0, 0.0, 8 * np.sqrt(2)),
    "far along its axis": (0.0, 1024.0, 8 * 1024),
    "behind a link that is far away": (0.0, 0.0, 8 * 1024),
}


def struck_near_the_axis(where, share, recursion):
    """A blow on a rod at a share of the distance below which only rounding moves the point."""
    x, height, roundings = NEAR_THE_AXIS[where]
    links = [Link(Revolute(), 1, (0.5, 0, 0), ROD.inertia, offset=(x, 0, 0))]
    if "behind" in where:
        out = Link(Fixed(), *MASSLESS, offset=(1024, 0, 0))
        links = [out, Link(Revolute(), 1, (0.5, 0, 0), ROD.inertia, offset=(-1024, 0, 0))]
    distance = round(share * roundings) * EPS
    blow = {"point": (x + distance, 0, height), "normal": (0, -1, 0), "restitution": 0}
    return distance, impact(Chain(links), [0.0], [1.0], recursion=recursion, **blow)


@pytest.mark.parametrize("recursion", RECURSIONS)
@pytest.mark.parametrize("where", NEAR_THE_AXIS)
def test_a_point_is_on_the_axis_or_off_it_by_eight_roundings_of_its_place(where, recursion):
    with pytest.warns(RuntimeWarning, match="by no more than rounding"):
        _, on = struck_near_the_axis(where, 0.9, recursion)
    assert on.effective_mass == np.inf
    assert_nothing_happens(on)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        distance, off = struck_near_the_axis(where, 1.1, recursion)
    # about the world's origin the distance is what is left of two numbers of the size 1
    assert np.isclose(off.effective_mass, 1 / 3 / distance**2, rtol=0.2)
    assert off.impulse > 0


def test_a_point_near_the_axis_takes_one():
    """A nanometre off the axis is no rounding: the blow has a lever arm, if a short one."""
    hit = impact(
        Chain([ROD]), [0.0], [1.0], point=(1 + 1e-9, 0, 0), normal=(0, -1, 0), restitution=0
    )
    assert np.isclose(hit.effective_mass, 1e18 / 3, rtol=1e-6) and np.isclose(hit.qd_jump[0], -1)


def test_welds_and_nothing_else():
    chain = Chain([Link(Fixed(), *SOLID)] * 3)
    none = np.zeros(0)
    assert inverse_operational_space_inertia(chain, none).tolist() == np.zeros((3, 6, 6)).tolist()
    assert (
        inverse_operational_space_inertia_serial(chain, none).tolist()
        == np.zeros((3, 6, 6)).tolist()
    )
    assert inverse_operational_space_inertia(chain, np.zeros((5, 0))).shape == (5, 3, 6, 6)
    assert inverse_operational_space_inertia_serial(chain, np.zeros((5, 0))).shape == (5, 3, 6, 6)
    for recursion in RECURSIONS:
        hit = impact(
            chain, none, none, point=(1, 2, 3), normal=(1, 0, 0), restitution=1, recursion=recursion
        )
        assert_nothing_happens(hit)
        assert hit.effective_mass == np.inf and hit.qd_jump.shape == (0,)
        many = impact(
            chain,
            np.zeros((5, 0)),
            none,
            point=(1, 2, 3),
            normal=(1, 0, 0),
            restitution=1,
            recursion=recursion,
        )
        assert all(getattr(many, field.name).shape[:1] == (5,) for field in fields(many))


def test_a_free_body_yields_by_its_own_inverse_inertia():
    """On six massless joints, in the posture in which their axes are the world's."""
    joints = [kind(axis) for kind in (Prismatic, Revolute) for axis in np.eye(3)]
    rng = np.random.default_rng(5)
    body = Link(Fixed(), 2.0, rng.normal(size=3), random_inertia(rng))
    chain = Chain([*(Link(joint, *MASSLESS) for joint in joints), body])
    inverse = inverse_operational_space_inertia(chain, np.zeros(6))[-1]
    assert_near(inverse @ chain.spatial_inertia[-1], np.eye(6), 7, tolerance(chain, np.zeros(6)))


def test_a_blow_at_the_centre_of_percussion_is_not_felt_by_the_joint():
    """A rod on a hinge, struck at two thirds of its length: Huygens."""
    rod = Chain([ROD], gravity=(0, 0, 0))
    hit = impact(
        rod, np.zeros(1), np.ones(1), point=(1 + 2 / 3, 0, 0), normal=(0, -1, 0), restitution=0.5
    )
    assert hit.impulse > 0 and np.abs(hit.joint_impulses).max() <= 4 * EPS * hit.impulse


def test_an_inner_body_is_struck():
    """The same blow, felt by the inner link, or by a weightless plate welded to it."""
    case = Case(6, seed=38, kinds=(Revolute, Prismatic))
    chain = random_tree(case)
    q, qd, _ = motion(case, chain)
    plated = Chain(
        [*chain.links, Link(Fixed(), *MASSLESS, offset=(0.1, 0.2, 0.3), parent=2, name="plate")]
    )
    blow = {"point": (0.3, 0.2, 0.1), "normal": (1, 2, -1), "restitution": 0.3}
    if impact(chain, q, qd, body=2, **blow).impulse == 0:
        blow["normal"] = (-1, -2, 1)
    inner, plate = impact(chain, q, qd, body=2, **blow), impact(plated, q, qd, body="plate", **blow)
    bound = 100 * tolerance(chain, q)
    assert inner.impulse > 0
    assert_near(plate.impulse, inner.impulse, 6, bound)
    assert_near(plate.qd_jump, inner.qd_jump, 6, bound)
    assert_near(plate.joint_impulses[:6], inner.joint_impulses, 6, bound)
    push = inner.impulse * wrench_at(
        np.array([0.3, 0.2, 0.1]), np.array(blow["normal"]) / np.sqrt(6)
    )
    assert_near(plate.joint_impulses[6], -push, 6, bound)


def with_wrist():
    """A chain with two massless links inside."""
    wrist = [Link(Revolute(axis), *MASSLESS) for axis in ((0, 0, 1), (1, 0, 0))]
    return Chain(
        [Link(Revolute((0, 1, 0)), *SOLID), *wrist, Link(Revolute((0, 1, 0)), *SOLID, name="hand")]
    )


def test_massless_links_within_a_chain_are_fine(extended):
    chain = with_wrist()
    q, qd = random_state(chain, 6)
    bound = tolerance(chain, q)
    unit = dense(chain, q)
    inverses = inverse_operational_space_inertia(chain, q, frame="mixed")
    for i, inverse in enumerate(inverses):
        assert_near(inverse, unit.twists[i, :, i].astype(float), 4, bound)
    hit = impact(chain, q, qd, body=1, point=(0.3, 0.4, 0.5), normal=(0, 0, 1), restitution=0.2)
    back = impact(chain, q, qd, body=1, point=(0.3, 0.4, 0.5), normal=(0, 0, -1), restitution=0.2)
    assert (hit.impulse > 0) != (back.impulse > 0)
    with pytest.raises(
        ValueError,
        match=r"link 'link1' alone has no inertia .* inverse_operational_space_inertia does not",
    ):
        inverse_operational_space_inertia_serial(chain, q)


# --- accuracy ---


def error_in_long_chains(chain, q, extended):
    """The largest normwise error over the links."""
    exact = inverse_operational_space_inertia(chain, q.astype(extended))
    assert exact.dtype == extended
    pairs = zip(inverse_operational_space_inertia(chain, q), exact, strict=True)
    return max(normwise(inverse, longer) for inverse, longer in pairs)


def test_straight_chain_of_a_thousand_links(extended):
    assert error_in_long_chains(Chain([ROD] * 1000), np.zeros(1000), extended) <= 1e-14


@pytest.mark.parametrize("seed", [1, 2])
def test_chains_of_a_thousand_links_in_space(seed, extended):
    case = Case(1000, seed=seed)
    chain = random_tree(case)
    assert error_in_long_chains(chain, motion(case, chain)[0], extended) <= 1e-11


# --- other numbers ---


def two_rods():
    """The impulse paper's two rods, with symbols for mass and length."""
    sp = pytest.importorskip("sympy")
    m, L = sp.symbols("m L", positive=True)
    rod = m * L**2 * np.diag([0, 1, 1]) / 12
    links = [Link(Revolute(), m, (L / 2, 0, 0), rod, offset=(x, 0, 0)) for x in (0, L)]
    return Chain(links, gravity=(0, 0, 0)), m, L


@pytest.mark.parametrize("recursion", RECURSIONS)
def test_two_rods_in_closed_form(recursion):
    """The end of Alexiou (2023): straight, the second joint's rate relative to the first; struck at the tip."""
    sp = pytest.importorskip("sympy")
    chain, m, L = two_rods()
    w1, w2, e = sp.symbols("w1 w2 e", positive=True)
    hit = impact(
        chain,
        np.array([sp.Integer(0)] * 2),
        np.array([w1, w2]),
        point=np.array([2 * L, 0, 0]),
        normal=np.array([0, -1, 0]),
        restitution=np.array(e),
        recursion=recursion,
    )
    w = 2 * w1 + w2
    jumps = (1 + e) * w / 4, -3 * (1 + e) * w / 2
    lost = (1 - e**2) * (L * w) ** 2 * sp.Rational(7, 48) * m
    expected = [7 * m * L / 24 * (1 + e) * w, 7 * m / 24, *jumps, lost]
    found = [hit.impulse, hit.effective_mass, *hit.qd_jump, hit.energy_before - hit.energy_after]
    assert [sp.simplify(x - y) for x, y in zip(found, expected, strict=True)] == [0] * 5
    for field in fields(hit):
        assert not sp.Matrix(np.ravel(getattr(hit, field.name))).atoms(sp.Float), field.name
    # the last joint of two: what moves the second rod less what the wall gives
    spin, centre = jumps[0] + jumps[1], L * jumps[0] + (jumps[0] + jumps[1]) * L / 2
    assert sp.simplify(hit.joint_impulses[1, 4] - (m * centre + hit.impulse)) == 0
    moment = m * L**2 / 3 * spin + m * L / 2 * L * jumps[0]  # of momentum about the second joint
    assert sp.simplify(moment + L * hit.impulse) == 0


def test_symbols_know_a_direction_in_which_nothing_can_move():
    """A plain zero among symbols: the straight arm, struck lengthwise, yields by 0 there and by symbols elsewhere."""
    sp = pytest.importorskip("sympy")
    m, L = sp.symbols("m L")  # of which nobody knows the sign
    rod = m * L**2 * np.diag([0, 1, 1]) / 12
    links = [Link(Revolute(), m, (L / 2, 0, 0), rod, offset=(x, 0, 0)) for x in (0, L)]
    chain, rates = Chain(links, gravity=(0, 0, 0)), np.array(sp.symbols("w1 w2"))
    zero, tip = np.array([sp.Integer(0)] * 2), np.array([2 * L, 0, 0])
    hit = impact(chain, zero, rates, point=tip, normal=np.array([-1, 0, 0]), restitution=1)
    assert hit.impulse == 0 and hit.effective_mass == np.inf
    assert not any(np.ravel(hit.joint_impulses)) and not any(hit.qd_jump)


def test_inverse_inertia_of_symbols_is_exact_and_the_recursions_agree():
    sp = pytest.importorskip("sympy")
    chain, *_ = two_rods()
    b = sp.Symbol("b")
    at = {sp.sin(b): sp.Rational(4, 5), sp.cos(b): sp.Rational(3, 5)}
    functions = inverse_operational_space_inertia, inverse_operational_space_inertia_serial
    general, serial = (
        sp.Matrix(function(chain, np.array([sp.Integer(0), b]))[-1]) for function in functions
    )
    assert not general.atoms(sp.Float) and not serial.atoms(sp.Float)
    assert (general - serial).subs(at).applyfunc(sp.simplify) == sp.zeros(6, 6)
    assert general.rank() == 2


def test_fractions_stay_fractions_where_nothing_turns():
    slides = Chain(
        [Link(Prismatic((1, 0, 0)), mass, (0, 0, 0), np.eye(3, dtype=int)) for mass in (2, 3)],
        gravity=(0, 0, 0),
    )
    third = np.array([Fraction(1, 3), Fraction(1)], object)
    half = np.array(Fraction(1, 2), object)
    hit = impact(slides, third, third, point=(0, 0, 0), normal=(-1, 0, 0), restitution=half)
    # the second slide takes the blow alone, the first keeps going: 3 kg at 4/3 m/s
    assert (hit.impulse, hit.effective_mass) == (6, 3)
    assert hit.qd_jump.tolist() == [0, -2]
    assert (hit.energy_before, hit.energy_after) == (
        Fraction(1, 9) + Fraction(8, 3),
        Fraction(1, 9) + Fraction(2, 3),
    )
    for field in fields(hit):
        assert not any(isinstance(x, float) for x in np.ravel(getattr(hit, field.name))), field.name
    away = impact(slides, third, third, point=(0, 0, 0), normal=(1, 0, 0), restitution=half)
    assert_nothing_happens(away)
    across = impact(slides, third, third, point=(0, 0, 0), normal=(0, 1, 0), restitution=half)
    assert_nothing_happens(across)
    assert across.effective_mass == np.inf


def approached(case):
    """A tree in motion and a blow on its last link."""
    chain, q, qd, blows = struck(case)
    return chain, q, qd, blows[-1]


OTHER = Case(5, branching=True, seed=53, kinds=(Revolute, Prismatic))


def test_forty_digits():
    mp = pytest.importorskip("mpmath")
    chain, q, qd, blow = approached(OTHER)
    precise = np.vectorize(lambda x: mp.mpf(float(x)), otypes=[object])
    with mp.workdps(40):
        normal = precise(blow["normal"])
        normal = normal / mp.sqrt(sum(x * x for x in normal))
        exact = impact(
            chain,
            precise(q),
            precise(qd),
            body=blow["body"],
            point=precise(blow["point"]),
            normal=normal,
            restitution=precise(blow["restitution"]),
        )
    result = impact(chain, q, qd, **blow)
    for name in RESULTS + ENERGIES:
        value = np.asarray(getattr(exact, name), object).astype(float)
        assert_near(getattr(result, name), value, 5, 10 * tolerance(chain, q))


def test_balls_enclose_the_result():
    flint = pytest.importorskip("flint", reason="python-flint is not installed")
    chain, q, _, _ = approached(OTHER)
    balls = np.array([flint.arb(float(x)) for x in q], object)
    certified = inverse_operational_space_inertia(chain, balls)
    inverse = inverse_operational_space_inertia(chain, q)
    size = np.abs(inverse).max()
    for ball, x in zip(certified.flat, inverse.flat, strict=True):
        ball = flint.arb(ball)
        assert float(ball.rad()) <= 1e-6 * size
        assert abs(float(ball.mid()) - x) <= float(ball.rad()) + tolerance(chain, q) * size


def slope(chain, q, qd, blow, name):
    """The derivative of a field with respect to q, by a complex step."""
    rows = [
        getattr(impact(chain, q + 1e-30j * e, qd, **blow), name).imag / 1e-30
        for e in np.eye(chain.nq)
    ]
    return np.stack(rows, axis=-1)


def test_complex_numbers_differentiate():
    chain, q, qd, blow = approached(OTHER)
    h = 1e-6
    for name in ("impulse", "qd_jump", "effective_mass", "energy_after"):
        ends = [
            np.stack(
                [getattr(impact(chain, q + s * h * e, qd, **blow), name) for e in np.eye(chain.nq)],
                axis=-1,
            )
            for s in (1, -1)
        ]
        exact = slope(chain, q, qd, blow, name)
        assert_near((ends[0] - ends[1]) / (2 * h), exact, 5, 1e-7)


def test_jax_compiles_batches_and_differentiates(jax, jit):
    chain, q, qd, blow = approached(Case(2, seed=55, kinds=(Revolute, Prismatic)))
    bound = 10 * tolerance(chain, q)

    def of(qd):
        hit = impact(chain, q, qd, **blow)
        return [getattr(hit, name) for name in RESULTS]

    both = np.stack([qd, -qd])  # struck, and separating
    for mapped, number in zip(jit(jax.vmap(of))(both), of(both), strict=True):
        assert_near(np.asarray(mapped), np.broadcast_to(number, mapped.shape), 2, bound)
    gradient = jit(jax.grad(lambda q: impact(chain, q, qd, **blow).impulse))(q)
    assert_near(np.asarray(gradient), slope(chain, q, qd, blow, "impulse"), 2, 100 * bound)


def test_jax_knows_what_cannot_move(jax, jit):
    def struck(q, qd):
        hit = impact(STRAIGHT, q, qd, point=TIP, normal=(1, 0, 0), restitution=1)
        return hit.impulse, hit.effective_mass

    state = jax.numpy.zeros(2), np.ones(2)
    impulse, effective_mass = jit(struck)(*state)
    assert impulse == 0 and effective_mass == np.inf
    # traced, for which no value can be refused
    serial = jit(lambda q: inverse_operational_space_inertia_serial(STRAIGHT, q))(state[0])
    assert isinstance(serial, jax.Array)
    assert_near(
        np.asarray(serial), inverse_operational_space_inertia_serial(STRAIGHT, np.zeros(2)), 2
    )


# --- what is refused ---

FORK = Chain(
    [Link(Revolute(), *SOLID, name="left"), Link(Revolute(), *SOLID, parent="ground", name="right")]
)
TREE = Chain(
    [
        Link(Revolute(), *SOLID, name="trunk"),
        *(Link(Revolute(), *SOLID, parent=0, name=x) for x in "ab"),
    ]
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(2)}, r"q has shape \(2,\), but must have shape \(\.\.\., 3\): this chain has nq = 3"),
        ({"qd": [0, np.nan, 0]}, r"qd\[1\] \(link 'link1'\) is nan"),
        ({"point": (0, 0)}, r"point has shape \(2,\), but must have shape \(\.\.\., 3\)"),
        ({"point": (0, 0, np.inf)}, r"point\[2\] is inf: every entry must be finite"),
        ({"normal": (1, 0)}, r"normal has shape \(2,\), but must have shape \(\.\.\., 3\)"),
        ({"normal": (0, 0, 0)}, r"normal is \[0, 0, 0\]: a direction must not be zero"),
        ({"normal": [(1, 0, 0), (0, 0, 0)]}, r"normal is \[\[1, 0, 0\], \[0, 0, 0\]\]: a direction must not be zero"),
        ({"normal": (np.nan, 0, 1)}, r"normal\[0\] is nan: every entry must be finite"),
        ({"normal": (0, -np.inf, 1)}, r"normal\[1\] is -inf: every entry must be finite"),
        ({"restitution": -0.1}, "restitution is -0.1, but must lie between 0 and 1"),
        ({"restitution": 1.1}, "restitution is 1.1, but must lie between 0 and 1"),
        ({"restitution": [0.5, 2]}, "restitution is 2, but must lie between 0 and 1"),
        ({"restitution": Fraction(7)}, "restitution is 7, but must lie between 0 and 1"),
        ({"restitution": np.nan}, "restitution is nan: every entry must be finite"),
        ({"restitution": "bouncy"}, "restitution must hold numbers"),
        ({"body": 3}, "body is 3: an index below 3 or one of"),
        ({"body": "hand"}, r"body is 'hand': an index below 3 or one of \['link0', 'link1', 'link2'\]"),
        ({"chain": FORK, "q": [0, 0], "qd": [0, 0]}, r"body is None, the only leaf, .* 2: \['left', 'right'\]"),
        ({"recursion": "mixed"}, "recursion is 'mixed', but must be 'body' or 'world'"),
        ({"q": np.zeros((2, 3)), "point": np.zeros((4, 3))}, r"of q \(2, 3\), .*point \(4, 3\).* cannot be broadcast"),
        ({"chain": "arm"}, "chain must be a Chain"),
    ],
)  # fmt: skip
def test_bad_input_is_told(change, message):
    good = {
        "chain": Chain([ROD] * 3), "q": np.zeros(3), "qd": np.zeros(3),
        "point": TIP, "normal": (0, 1, 0), "restitution": 0.5,
    }  # fmt: skip
    impact(**good)
    with pytest.raises(ValueError, match=message):
        impact(**good | change)


@pytest.mark.parametrize(
    "function", [inverse_operational_space_inertia, inverse_operational_space_inertia_serial]
)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(2)}, r"q has shape \(2,\), but must have shape \(\.\.\., 3\)"),
        ({"q": [0, 0, np.inf]}, r"q\[2\] \(link 'link2'\) is inf"),
        ({"frame": "tool"}, "frame is 'tool', but must be 'body' or 'mixed' or 'world'"),
        ({"recursion": "mixed"}, "recursion is 'mixed', but must be 'body' or 'world'"),
    ],
)
def test_bad_postures_are_told(function, change, message):
    good = {"chain": Chain([ROD] * 3), "q": np.zeros(3)}
    with pytest.raises(ValueError, match=message):
        function(**good | change)


@pytest.mark.parametrize(
    "joint", [Revolute((0, 0, 1)), Prismatic((1, 2, 3))], ids=["hinge", "slide"]
)
def test_a_massless_leaf_is_named(joint):
    chain = Chain([Link(Revolute(), *SOLID), Link(joint, *MASSLESS, name="tip")])
    q = np.array([0.3, 0.4])
    message = "M is singular: the joint of link 'tip' feels no inertia in this posture"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for recursion in RECURSIONS:
            with pytest.raises(ValueError, match=message):
                inverse_operational_space_inertia(chain, q, recursion=recursion)
            with pytest.raises(ValueError, match=message):
                impact(chain, q, q, point=TIP, normal=(0, 1, 0), restitution=0, recursion=recursion)
            with pytest.raises(
                ValueError, match=r"link 'tip' alone has no inertia that its joint moves"
            ):
                inverse_operational_space_inertia_serial(chain, q, recursion=recursion)


@pytest.mark.parametrize("base", [Free(), Spherical(), Universal()], ids=["free", "ball", "cross"])
def test_a_leaf_that_is_a_point_on_a_ball_joint_is_named(base):
    point = Link(Spherical(), 1, (1, 0, 0), np.zeros((3, 3)), (1, 0, 0), name="tip")
    chain = Chain([Link(base, *SOLID), point])  # whose D is undefined, and of several rows
    q, qd = random_state(chain, 3)
    blow = {"point": TIP, "normal": (0, 1, 0), "restitution": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for recursion in RECURSIONS:
            with pytest.raises(ValueError, match="M is singular: the joint of link 'tip'"):
                inverse_operational_space_inertia(chain, q, recursion=recursion)
            with pytest.raises(ValueError, match="M is singular: the joint of link 'tip'"):
                impact(chain, q, qd, recursion=recursion, **blow)


# --- thresholds inside ---


def point_beside_a_slanting_axis(roundings, mass):
    """A hinge that feels this many rounding units of what its link's inertia has in the axes of the link.

    A mass point near the axis (1, 1, 0), about which its inertia is the difference of two numbers of its mass's size.
    """
    place = (1, 1 + np.sqrt(2 * roundings * EPS), 0)
    return Chain([Link(Revolute((1, 1, 0)), mass, place, np.zeros((3, 3)), name="tip")])


@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("recursion", RECURSIONS)
def test_a_link_s_own_inertia_is_told_from_rounding_at_32_units(recursion, mass):
    for roundings in (8, 24, 30):
        with pytest.raises(ValueError, match="link 'tip' alone has no inertia"):
            inverse_operational_space_inertia_serial(
                point_beside_a_slanting_axis(roundings, mass), [0.0], recursion=recursion
            )
    for roundings in (34, 64, 1e6):
        chain = point_beside_a_slanting_axis(roundings, mass)
        (inverse,) = inverse_operational_space_inertia_serial(chain, [0.0], recursion=recursion)
        axis = np.array([1, 1, 0, 0, 0, 0]) / np.sqrt(2)
        # an inertia of so many units is itself known to a unit or two
        assert np.isclose(axis @ inverse @ axis, 1 / (mass * roundings * EPS), rtol=2 / roundings)


def test_the_printed_recursion_refuses_trees():
    with pytest.raises(
        ValueError,
        match=r"link 2 \('b'\) hangs on 'trunk': .* inverse_operational_space_inertia takes trees",
    ):
        inverse_operational_space_inertia_serial(TREE, np.zeros(3))
    with pytest.raises(ValueError, match=r"link 1 \('right'\) hangs on the ground"):
        inverse_operational_space_inertia_serial(FORK, np.zeros(2))
