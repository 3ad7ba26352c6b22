"""Inverse dynamics: laws that joint forces obey, three other routes, other numbers, and what is refused."""

import functools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
import trees
from trees import CASES, EPS, assert_near, random_inertia, random_rotation, random_tree, vanishes

from chaindyn import (
    Chain,
    Fixed,
    Free,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    aba,
    bias_force,
    body_accelerations,
    body_jacobian,
    body_twists,
    crf,
    forward_kinematics,
    integrate,
    joint_wrenches,
    operational_space_inertia,
    random_state,
    rnea,
    solve_full_system,
    weight_wrench,
)
from chaindyn.inverse_dynamics import full_system, wrenches_from, wrenches_in
from chaindyn.models.robots import ur5
from chaindyn.state import State
from chaindyn.teaching import normwise

STEP = 1e-30
MASSLESS = (0, (0, 0, 0), np.zeros((3, 3), int))
KINDS = ("Revolute", "Prismatic", "Fixed", "Universal", "Spherical", "Free")
SEEDS = [*range(40), *(pytest.param(k, marks=pytest.mark.nightly) for k in range(40, 200))]
FEW = range(0, 200, 10)


@dataclass(frozen=True)
class Motion:
    """A chain or tree, a state and its acceleration, and a wrench on each link."""

    chain: Chain
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    external: np.ndarray

    @property
    def state(self):
        return self.q, self.qd, self.qdd


def random_joint(rng, kind):
    """Return a joint of that kind, its axes anywhere."""
    first, second = rng.normal(size=(2, 3))
    return {
        "Revolute": lambda: Revolute(first),
        "Prismatic": lambda: Prismatic(first),
        "Fixed": Fixed,
        "Universal": lambda: Universal(first, second),
        "Spherical": Spherical,
        "Free": Free,
    }[kind]()


def random_link(rng, kind, parent, size=0.5):
    """Return a link of the order of half a metre, hung on its parent by a joint of that kind."""
    return Link(
        joint=random_joint(rng, kind),
        mass=rng.uniform(0.5, 2),
        com=size * rng.normal(size=3),
        inertia=size**2 * random_inertia(rng),
        offset=size * rng.normal(size=3),
        rotation=random_rotation(rng),
        parent=parent,
    )


@functools.cache
def random_motion(seed, batch=()):
    """Return a random tree of 1 to 12 links with joints of every kind, and a motion of it."""
    rng = np.random.default_rng(seed)
    n = 1 + seed % 12
    kinds = rng.permutation(KINDS) if n >= 6 else rng.choice(KINDS, 6)
    links = []
    for i in range(n):
        kind = kinds[i] if i < 6 else rng.choice(KINDS)
        parent = ["ground", *range(i)][rng.integers(i + 1)] if seed % 3 else None
        links.append(random_link(rng, kind, parent))
    chain = Chain(links, gravity=rng.normal(size=3) * 5)
    q, qd = random_state(chain, rng, batch=batch)
    return Motion(chain, q, qd, rng.normal(size=qd.shape), rng.normal(size=(*batch, n, 6)))


@functools.cache
def equations_of(seed):
    """M and h of a random motion."""
    motion = random_motion(seed)
    return mass_matrix_and_bias(motion.chain, motion.q, motion.qd)


def mass_matrix_and_bias(chain, q, qd):
    """M and h from each link's Jacobian, by virtual power: nothing is handed from link to link."""
    R, _ = forward_kinematics(chain, q)
    V, bias = body_twists(chain, q, qd), body_accelerations(chain, q, qd, 0 * qd)
    M, h = np.zeros((chain.nv, chain.nv)), np.zeros(chain.nv)
    for i, inertia in enumerate(chain.spatial_inertia):
        J = body_jacobian(chain, q, i)
        falling = np.concatenate([np.zeros(3), R[i].T @ np.asarray(chain.gravity)])
        M = M + J.T @ inertia @ J
        h = h + J.T @ (inertia @ (bias[i] - falling) + crf(V[i]) @ inertia @ V[i])
    return M, h


def allowed(M):
    """100 roundings for each unit of the mass matrix's condition, never above 1e-8."""
    return min(100 * EPS * (np.linalg.cond(M) if M.size else 1), 1e-8)


def scale_of(motion):
    """How large the wrenches are that the joint forces are read off: what rounding is measured by."""
    return np.linalg.norm(joint_wrenches(motion.chain, *motion.state, external=motion.external))


def assert_forces(result, reference, motion):
    """Assert that joint forces differ by 100 roundings a link of the wrenches that they are part of."""
    size = max(np.linalg.norm(reference), scale_of(motion))
    assert result.shape == reference.shape
    assert np.linalg.norm(result - reference) <= 100 * EPS * motion.chain.n * size


# --- laws ---


@pytest.mark.parametrize("seed", SEEDS)
def test_virtual_power(seed):
    motion = random_motion(seed)
    chain, external = motion.chain, motion.external
    M, h = equations_of(seed)
    pushed = sum(body_jacobian(chain, motion.q, i).T @ external[i] for i in range(chain.n))
    tau = rnea(chain, *motion.state, external=external)
    assert_forces(tau, M @ motion.qdd + h - pushed, motion)


@pytest.mark.parametrize("seed", SEEDS)
def test_aba_undoes_rnea(seed):
    motion = random_motion(seed)
    tau = rnea(motion.chain, *motion.state, external=motion.external)
    M, _ = equations_of(seed)
    again = aba(motion.chain, motion.q, motion.qd, tau, external=motion.external)
    assert_near(again, motion.qdd, motion.chain.n, 10 * allowed(M))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_large_system_undoes_rnea(seed):
    """13 n equations, or 12 n + nv: accelerations, all reactions and qdd at once."""
    motion = random_motion(seed)
    chain = motion.chain
    tau = rnea(chain, *motion.state)
    M, _ = equations_of(seed)
    a, f, qdd = solve_full_system(chain, motion.q, motion.qd, tau)
    assert a.shape == f.shape == (chain.n, 6)
    limit = 10 * chain.n * allowed(M)
    assert_near(qdd, motion.qdd, chain.n, limit)
    assert_near(a, body_accelerations(chain, *motion.state, frame="world"), chain.n, limit)
    assert_near(f, joint_wrenches(chain, *motion.state, frame="world"), chain.n, limit)


@pytest.mark.parametrize("seed", SEEDS)
def test_power_is_the_rate_of_energy(seed):
    """Along `integrate`, by a complex step, with forces from outside."""
    motion = random_motion(seed)
    chain, q, qd, qdd = motion.chain, *motion.state
    t = 1j * STEP
    moved, faster = integrate(chain, q + 0j, t * qd), qd + t * qdd
    V = body_twists(chain, moved, faster)[..., None]
    R, p = forward_kinematics(chain, moved)
    centres = p + (R @ chain.com[..., None])[..., 0]
    kinetic = (V.mT @ chain.spatial_inertia @ V)[:, 0, 0] / 2
    energies = np.concatenate([kinetic, -chain.mass * (centres @ np.asarray(chain.gravity))])
    rates = energies.imag / STEP
    tau = rnea(chain, q, qd, qdd, external=motion.external)
    given = tau @ qd + (body_twists(chain, q, qd) * motion.external).sum()
    size = np.abs(rates).sum() + np.abs(tau * qd).sum() + scale_of(motion)
    assert abs(given - rates.sum()) <= 100 * EPS * chain.n * size


@pytest.mark.parametrize("seed", SEEDS)
def test_joints_pass_on_only_their_motors_power(seed):
    """(v_i - v_parent) . f_i = qd_i . tau_i, joint by joint: Alexiou's first (15)."""
    motion = random_motion(seed)
    chain = motion.chain
    f = joint_wrenches(chain, *motion.state, frame="world", external=motion.external)
    v = body_twists(chain, motion.q, motion.qd, frame="world")
    v = np.vstack([v, np.zeros(6)])  # the last row: the ground, parent -1
    across = v[:-1] - v[list(chain.parent)]
    tau = rnea(chain, *motion.state, external=motion.external)
    given = [tau[list(own)] @ motion.qd[list(own)] for own in chain.v_columns]
    size = np.abs(v).max() * np.abs(f).max()
    assert np.abs((across * f).sum(-1) - given).max() <= 100 * EPS * chain.n * size


@pytest.mark.parametrize("seed", SEEDS)
def test_each_link_is_in_balance(seed):
    """Alexiou's (13): what comes through the joints, weight and outside forces make I a + v x* I v."""
    motion = random_motion(seed)
    chain, q, qd, qdd = motion.chain, *motion.state
    f = joint_wrenches(chain, q, qd, qdd, external=motion.external, frame="mixed")
    R, _ = forward_kinematics(chain, q)
    # Newton's half only, in world axes: forces add whatever point they are about
    outside = (R @ motion.external[:, 3:, None])[..., 0]
    weight = chain.mass[:, None] * np.asarray(chain.gravity)
    net = f[:, 3:] + outside + weight
    for i, parent in enumerate(chain.parent):
        if parent >= 0:
            net[parent] -= f[i, 3:]
    V = body_twists(chain, q, qd, frame="mixed")
    A = body_accelerations(chain, q, qd, qdd, frame="mixed", classical=True)
    arm = (R @ chain.com[..., None])[..., 0]
    w, dw = V[:, :3], A[:, :3]
    centre = A[:, 3:] + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
    assert_near(net, chain.mass[:, None] * centre, chain.n, 1000 * EPS * chain.n)


@pytest.mark.parametrize("seed", SEEDS)
def test_body_and_world_coordinates_agree(seed):
    motion = random_motion(seed)
    options = {"external": motion.external}
    by_body = rnea(motion.chain, *motion.state, **options)
    by_world = rnea(motion.chain, *motion.state, **options, recursion="world")
    reach = 1 + np.abs(forward_kinematics(motion.chain, motion.q)[1]).max()
    size = 100 * EPS * motion.chain.n * reach**2 * scale_of(motion)
    assert np.linalg.norm(by_world - by_body) <= size
    for frame in ("body", "world", "mixed"):
        one = joint_wrenches(motion.chain, *motion.state, **options, frame=frame)
        other = joint_wrenches(
            motion.chain, *motion.state, **options, frame=frame, recursion="world"
        )
        assert_near(other, one, motion.chain.n, 100 * EPS * motion.chain.n * reach**2)


@pytest.mark.parametrize("function", [rnea, joint_wrenches, bias_force])
def test_the_recursion_is_the_one_that_was_asked_for(function):
    """The results agree but for rounding, and that is different."""
    motion = random_motion(7)
    state = motion.state[:2] if function is bias_force else motion.state
    by_body, by_world = (function(motion.chain, *state, recursion=r) for r in ("body", "world"))
    assert 0 < normwise(by_world, by_body) < 1e-10


@pytest.mark.parametrize("seed", FEW)
def test_rnea_is_linear_in_qdd(seed):
    motion = random_motion(seed)
    chain, q, qd, qdd = motion.chain, *motion.state
    h = bias_force(chain, q, qd)
    assert_forces(h, rnea(chain, q, qd, 0 * qdd), motion)
    twice = rnea(chain, q, qd, 2 * qdd) - h
    assert_forces(twice, 2 * (rnea(chain, q, qd, qdd) - h), motion)
    M = rnea(Chain(chain.links, (0, 0, 0)), q, 0 * qd, np.eye(chain.nv))
    expected, bias = mass_matrix_and_bias(chain, q, qd)
    assert_near(M, expected, chain.n)
    assert_near(M, M.T, chain.n)
    assert_forces(h, bias, motion)


@pytest.mark.parametrize("frame", ["body", "world", "mixed"])
@pytest.mark.parametrize("recursion", ["body", "world"])
@pytest.mark.parametrize("seed", [8, 23, 47])
def test_external_wrenches_in_every_frame(frame, recursion, seed):
    motion = random_motion(seed)
    chain, external = motion.chain, motion.external
    options = {"external": external, "external_frame": frame, "recursion": recursion}
    torques = sum(
        body_jacobian(chain, motion.q, i, frame=frame).T @ external[i] for i in range(chain.n)
    )
    free = rnea(chain, *motion.state, recursion=recursion)
    assert_near(rnea(chain, *motion.state, **options), free - torques, chain.n, 1e-12)


@pytest.mark.parametrize("source", ["body", "world", "mixed"])
@pytest.mark.parametrize("target", ["body", "world", "mixed"])
def test_wrenches_do_the_same_power_in_every_frame(source, target):
    motion = random_motion(11)
    state = State(motion.chain, motion.q)
    moved = wrenches_in(state, wrenches_from(state, motion.external, source), target)
    before, after = (
        (body_twists(motion.chain, motion.q, motion.qd, frame=frame) * f).sum(-1)
        for frame, f in [(source, motion.external), (target, moved)]
    )
    assert_near(after, before, motion.chain.n)


@pytest.mark.parametrize("seed", FEW)
def test_weights_or_a_rising_ground(seed):
    """The same joint forces, and the same wrench in every joint."""
    motion = random_motion(seed)
    chain = motion.chain
    R, p = forward_kinematics(chain, motion.q)
    centres = p + (R @ chain.com[..., None])[..., 0]
    weights = weight_wrench(chain.mass, centres, np.asarray(chain.gravity))
    weightless = Chain(chain.links, (0, 0, 0))
    options = {"external": weights, "external_frame": "world"}
    assert_forces(rnea(weightless, *motion.state, **options), rnea(chain, *motion.state), motion)
    assert_near(
        joint_wrenches(weightless, *motion.state, **options),
        joint_wrenches(chain, *motion.state),
        chain.n,
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_free_bodies_keep_their_momentum(seed):
    """No gravity, no motor on the trunk: whatever the joints do, momentum about a fixed point stays."""
    rng = np.random.default_rng(seed)
    links = [random_link(rng, "Free", "ground")]
    links += [random_link(rng, rng.choice(KINDS[:5]), rng.integers(i + 1)) for i in range(5)]
    chain = Chain(links, gravity=(0, 0, 0))
    q, qd = random_state(chain, rng)
    tau = np.concatenate([np.zeros(6), rng.normal(size=chain.nv - 6)])
    qdd = aba(chain, q, qd, tau)
    t = 1j * STEP
    moved, faster = integrate(chain, q + 0j, t * qd), qd + t * qdd
    V = body_twists(chain, moved, faster)
    h = (chain.spatial_inertia @ V[..., None])[..., 0]
    total = wrenches_in(State(chain, moved), h[..., None], "world")
    M, _ = mass_matrix_and_bias(chain, q, qd)
    rates = total.imag / STEP
    assert np.abs(rates.sum(0)).max() <= allowed(M) * np.abs(rates).sum()
    # and the other way: rnea finds that the trunk needs no motor
    assert np.abs(rnea(chain, q, qd, qdd)[:6]).max() <= allowed(M) * np.abs(rates).sum()


def test_welds_and_nothing_else():
    chain = Chain([Link(Fixed(), 1, (0, 0, 0), np.eye(3))] * 3)
    none = np.zeros(0)
    assert rnea(chain, none, none, none).shape == (0,)
    assert rnea(chain, np.zeros((5, 0)), none, none).shape == (5, 0)
    carried = joint_wrenches(chain, none, none, none)
    assert np.array_equal(carried[:, 5], 9.81 * np.array([3, 2, 1]))
    a, f, qdd = solve_full_system(chain, none, none, none)
    assert_near(f, carried, 3)
    assert np.abs(a).max() <= 100 * EPS * 9.81 and qdd.shape == (0,)


def test_links_without_mass_are_welcome():
    chain = Chain([Link(Revolute((1, 0, 0)), *MASSLESS), Link(Universal(), *MASSLESS)])
    q, qd = random_state(chain, 1)
    assert not rnea(chain, q, qd, qd).any()


def test_a_pendulum():
    """A point of mass m on a rod of length l: m l^2 qdd + m g l sin q."""
    m, length = 2.0, 0.7
    chain = Chain([Link(Revolute((0, 1, 0)), m, (0, 0, -length), np.zeros((3, 3)))])
    q, qd, qdd = np.array([[0.4], [3.0], [-1.2]])
    tau = rnea(chain, q, qd, qdd)
    assert_near(tau, m * length**2 * qdd + m * 9.81 * length * np.sin(q), 1)
    # the string's tension, along the link: weight's part and centripetal force
    tension = joint_wrenches(chain, q, qd, qdd)[0, 5]
    expected = m * (9.81 * np.cos(q) + length * qd**2)
    assert abs(tension - expected[0]) <= 100 * EPS * abs(expected[0])


# --- the large system ---


@pytest.mark.parametrize("seed", FEW)
def test_the_large_systems_determinant_is_that_of_M(seed):
    motion = random_motion(seed)
    chain = motion.chain
    matrix, right = full_system(chain, motion.q, motion.qd, np.zeros(chain.nv))
    order = 12 * chain.n + chain.nv
    assert matrix.shape == (order, order) and right.shape == (order,)
    M, _ = equations_of(seed)
    sign, size = np.linalg.slogdet(matrix.toarray())
    expected = np.linalg.slogdet(M)[1] if chain.nv else 0.0
    assert sign and abs(size - expected) <= 1e-8


def test_the_large_system_is_sparse_and_stores_no_zeros():
    def entries(n):
        chain = Chain([random_link(np.random.default_rng(1), "Revolute", None)] * n)
        q, qd = random_state(chain, 2)
        matrix, _ = full_system(chain, q, qd, 0 * qd)
        assert matrix.nnz == np.count_nonzero(matrix.toarray())
        return matrix.nnz

    # each further link adds the same: 36 of I, 12 of screws, 24 of links and their parents
    assert entries(8) - entries(7) == entries(7) - entries(6) <= 36 + 12 + 24


def test_thirteen_equations_a_link_and_seven_in_the_plane():
    rod = Link(Revolute(), 1, (0.5, 0, 0), np.diag([0, 1, 1]) / 12, (1, 0, 0))
    n = 6
    chain = Chain([rod] * n, gravity=(0, -9.81, 0))
    q, qd = random_state(chain, 3)
    tau = np.arange(float(n))
    matrix, right = full_system(chain, q, qd, tau)
    assert matrix.shape == (13 * n, 13 * n)
    three = np.add.outer(6 * np.arange(2 * n), [2, 3, 4]).ravel()
    inside = np.concatenate([three, 12 * n + np.arange(n)])
    assert len(inside) == 7 * n
    planar = np.linalg.solve(matrix[inside][:, inside].toarray(), right[inside])
    M, _ = mass_matrix_and_bias(chain, q, qd)
    assert_near(planar[-n:], aba(chain, q, qd, tau), n, allowed(M))


# --- other numbers ---


@pytest.mark.parametrize("recursion", ["body", "world"])
def test_symbols_stay_exact_and_agree_with_lagrange(recursion):
    """A two-link arm in closed form, from symbols; sympy.physics.mechanics knows no spatial vector."""
    sp = pytest.importorskip("sympy")
    mechanics = pytest.importorskip("sympy.physics.mechanics")
    m1, m2, L, c1, c2, J1, J2, g = sp.symbols("m1 m2 L c1 c2 J1 J2 g", positive=True)
    letters = sp.symbols("q1 q2 qd1 qd2 qdd1 qdd2")
    flat = np.diag([0, 0, 1])
    chain = Chain(
        [
            Link(Revolute(), m1, (c1, 0, 0), J1 * flat),
            Link(Revolute(), m2, (c2, 0, 0), J2 * flat, offset=(L, 0, 0)),
        ],
        gravity=(0, -g, 0),
    )
    tau = rnea(chain, *(np.array(letters[k : k + 2]) for k in (0, 2, 4)), recursion=recursion)
    assert not any(x.atoms(sp.Float) for x in tau)

    a, b = mechanics.dynamicsymbols("a b")
    time = mechanics.dynamicsymbols._t
    first = sp.Matrix([sp.cos(a), sp.sin(a)])
    second = sp.Matrix([sp.cos(a + b), sp.sin(a + b)])
    one, two = c1 * first, L * first + c2 * second
    speeds = [x.diff(time).dot(x.diff(time)) for x in (one, two)]
    kinetic = m1 * speeds[0] / 2 + m2 * speeds[1] / 2
    kinetic += J1 * a.diff(time) ** 2 / 2 + J2 * (a + b).diff(time) ** 2 / 2
    method = mechanics.LagrangesMethod(kinetic - g * (m1 * one[1] + m2 * two[1]), [a, b])
    method.form_lagranges_equations()
    states = [x.diff(time, k) for k in (2, 1, 0) for x in (a, b)]
    plain = dict(zip(states, [*letters[4:], *letters[2:4], *letters[:2]], strict=True))
    for found, expected in zip(tau, method.eom, strict=True):
        assert vanishes(found - expected.subs(plain))


def test_fractions_stay_fractions_where_nothing_turns():
    chain = Chain(
        [Link(Prismatic((1, 0, 0)), m, (0, 0, 0), np.eye(3, dtype=int)) for m in (2, 3)],
        gravity=(0, 0, -10),
    )
    third = np.array([Fraction(1, 3), Fraction(1)], object)
    tau = rnea(chain, third, third, third)
    # 3 (1/3 + 1) = 4; 2/3 + 4
    assert tau.tolist() == [Fraction(14, 3), Fraction(4)]
    assert not any(isinstance(x, float) for x in tau)


def test_complex_numbers_differentiate():
    """d tau / d qdd = M, by a complex step."""
    motion = random_motion(35)
    chain, q, qd, qdd = motion.chain, *motion.state
    slopes = rnea(chain, q, qd, qdd + 1j * STEP * np.eye(chain.nv)).imag / STEP
    M, _ = mass_matrix_and_bias(chain, q, qd)
    assert_near(slopes, M, chain.n)


# --- accuracy ---


def test_straight_chain_of_a_thousand_links():
    """tau in body coordinates against cumulative sums in the plane, with more digits."""
    if np.finfo(np.longdouble).eps > EPS / 100:
        pytest.skip("this machine's long double is no longer than a double")
    rod = Link(Revolute(), 1, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12]), offset=(1, 0, 0))
    n = 1000
    chain = Chain([rod] * n, gravity=(0, -9.81, 0))
    rng = np.random.default_rng(0)
    state = np.zeros(n), rng.normal(size=n), rng.normal(size=n)
    exact = rnea(chain, *(x.astype(np.longdouble) for x in state))
    assert exact.dtype == np.longdouble
    assert normwise(rnea(chain, *state), exact) <= 1e-14


# --- what is refused ---


ARM = ur5()
SIX = np.zeros(6)


@pytest.mark.parametrize("function", [rnea, joint_wrenches])
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"external": np.zeros((5, 6))}, r"external has shape \(5, 6\), but must have shape \(..., 6, 6\)"),
        ({"external": np.zeros((6, 3))}, r"external has shape \(6, 3\)"),
        ({"external": np.full((6, 6), np.nan)}, "external.*'shoulder_link'.* is nan"),
        ({"external": np.zeros((6, 6)), "external_frame": "tool"}, "external_frame"),
        ({"recursion": "mixed"}, "recursion"),
        ({"q": np.zeros(5)}, r"q has shape \(5,\)"),
        ({"qdd": np.zeros((2, 5))}, r"qdd has shape \(2, 5\)"),
        ({"qd": np.zeros((2, 6)), "qdd": np.zeros((3, 6))}, "batch axes"),
    ],
)  # fmt: skip
def test_bad_input_is_told(function, options, says):
    arguments = {"q": SIX, "qd": SIX, "qdd": SIX} | options
    with pytest.raises(ValueError, match=says):
        function(ARM, **arguments)


def test_frames_of_wrenches_are_named():
    with pytest.raises(ValueError, match="frame"):
        joint_wrenches(ARM, SIX, SIX, SIX, frame="base")


def test_bias_force_and_the_large_system_check_too():
    with pytest.raises(ValueError, match=r"qd has shape \(7,\)"):
        bias_force(ARM, SIX, np.zeros(7))
    with pytest.raises(ValueError, match=r"tau has shape \(2,\)"):
        solve_full_system(ARM, SIX, SIX, np.zeros(2))


@pytest.mark.parametrize("which", ["q", "qd", "tau"])
def test_the_large_system_takes_one_state(which):
    arguments = {"q": SIX, "qd": SIX, "tau": SIX} | {which: np.zeros((2, 6))}
    with pytest.raises(ValueError, match=rf"{which} has shape \(2, 6\).*one state"):
        solve_full_system(ARM, **arguments)


SOLID = (1.0, (0.2, 0.1, 0.3), np.eye(3))
SINGULAR = {
    "massless hinge": Chain([Link(Revolute(), *SOLID), Link(Revolute(), *MASSLESS, name="tip")]),
    "massless slide": Chain([Link(Revolute(), *SOLID), Link(Prismatic(), *MASSLESS, name="tip")]),
    "massless ball": Chain([Link(Revolute(), *SOLID), Link(Spherical(), *MASSLESS, name="tip")]),
    "point on a ball": Chain([Link(Spherical(), 1.0, (0.0, 0.0, 0.3), np.zeros((3, 3)), name="tip")]),
}  # fmt: skip


@pytest.mark.parametrize("name", SINGULAR)
def test_a_singular_mass_matrix_names_the_joint(name):
    chain = SINGULAR[name]
    still = np.zeros(chain.nv)
    with pytest.raises(ValueError, match="M is singular: the joint of link 'tip' feels no inertia"):
        solve_full_system(chain, chain.neutral, still, still)


def gimbal(first, second):
    """Return two massless rings and a wheel, the outer axes in line when the second joint is at zero."""
    outer = Revolute(first)
    ring = np.zeros((3, 3), int)
    return Chain(
        [
            Link(outer, 0, (0, 0, 0), ring, name="outer"),
            Link(Revolute(second), 0, (0, 0, 0), ring, name="inner"),
            Link(outer, 1, (0, 0, 0), np.diag([1, 2, 2.5]), name="wheel"),
        ]
    )


@pytest.mark.parametrize("angle", [0, np.pi, 1e-14])
@pytest.mark.parametrize("seed", range(5))
def test_the_gimbal_is_singular_where_its_outer_axes_coincide(angle, seed):
    first, other = np.random.default_rng(seed).normal(size=(2, 3))
    chain = gimbal(first, np.cross(first, other)) if seed else gimbal((0, 0, 1), (1, 0, 0))
    posture, still = np.array([0.4, angle, 0.7]), np.zeros(3)
    with pytest.raises(ValueError, match=r"M is singular: the joint of link '(outer|wheel)'"):
        solve_full_system(chain, posture, still, np.ones(3))
    with pytest.raises(ValueError, match="M is singular"):  # whatever the load
        solve_full_system(chain, posture, still, still)


@pytest.mark.parametrize("angle", [1.0, 1e-3, 1e-6])
def test_the_gimbal_has_an_answer_near_by(angle):
    chain = gimbal((0, 0, 1), (1, 0, 0))
    posture, still = np.array([0.4, angle, 0.7]), np.zeros(3)
    _, _, qdd = solve_full_system(chain, posture, still, np.ones(3))
    assert_near(qdd, aba(chain, posture, still, np.ones(3)), 3, 1e-12 / angle**2)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_links_of_all_sizes_are_not_called_singular(case):
    chain = random_tree(case)
    q, qd, tau = trees.motion(case, chain)
    qdd = solve_full_system(chain, q, qd, tau)[2]
    assert_near(qdd, aba(chain, q, qd, tau), case.n, 1e-5 if case.variety == "wild" else 1e-9)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_that_overflow_are_refused_before_lapack_meets_them():
    """Its decomposition of a matrix with infinite entries may not return."""
    free = Chain([Link(Free(), 1.0, (0, 0, 0), np.eye(3))])
    far = np.array([0, 0, 1e160, 1, 0, 0, 0])
    with pytest.raises(ValueError, match="overflow"):
        solve_full_system(free, far, np.zeros(6), np.zeros(6))
    with pytest.raises(ValueError, match="overflow"):
        operational_space_inertia(free, free.neutral, point=(1e300, 0, 0))
