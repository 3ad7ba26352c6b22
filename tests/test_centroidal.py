"""A chain as a whole: its centre of mass, its momentum about it, and what can change that."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from trees import (
    EPS,
    EVERY_KIND,
    Case,
    assert_near,
    assert_within,
    bound,
    motion,
    oracle,
    random_tree,
    stored_chain,
    vanishes,
)

from chaindyn import (
    Chain,
    Fixed,
    Free,
    Link,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    X_motion,
    aba,
    body_jacobian,
    center_of_mass,
    center_of_mass_jacobian,
    centroidal_momentum_bias,
    centroidal_momentum_matrix,
    forward_kinematics,
    integrate,
    joint_wrenches,
    kinetic_energy,
    momentum,
    potential_energy,
    random_state,
    simulate,
)

MODELS = dict(
    zip(
        [model["name"] for model in oracle("dynamics")["models"]],
        zip(oracle("dynamics")["models"], oracle("centroidal")["models"], strict=True),
        strict=True,
    )
)
TREES = [
    *(Case(2, seed=500 + k, kinds=(kind,)) for k, kind in enumerate(EVERY_KIND) if kind != Fixed),
    Case(1, seed=510, kinds=(Free,)),
    Case(7, seed=511, kinds=EVERY_KIND),
    Case(12, branching=True, seed=512, kinds=EVERY_KIND),
    Case(20, branching=True, seed=513, kinds=EVERY_KIND),
]
STEP = 1e-30
OF_POSTURE = center_of_mass, center_of_mass_jacobian, centroidal_momentum_matrix
WHOLE = *OF_POSTURE, centroidal_momentum_bias


@pytest.fixture(params=TREES, ids=lambda case: f"{case}-{case.seed}")
def moving(request):
    """A random tree under a slanted weight, with its state of motion."""
    chain = Chain(random_tree(request.param).links, gravity=(1, -2, -9))
    return chain, *motion(request.param, chain)


def moments_of(chain, q):
    """How large the momenta are about the links' own origins, and the way to the centre of mass: what cancels."""
    sizes = [np.linalg.norm(x) for x in (chain.spatial_inertia, forward_kinematics(chain, q)[1])]
    return sizes[0] * (1 + sizes[1]) ** 2


# --- Pinocchio ---


def all_that_moves(chain):
    """The chain, massless where it is welded to the ground: Pinocchio counts no such body to the whole, we do."""
    none = {"mass": 0, "inertia": np.zeros((3, 3))}
    still = [not any(chain.joints[i].nv for i in chain.path(b)) for b in range(chain.n)]
    pairs = zip(chain.links, chain.parent, still, strict=True)
    return Chain(
        [
            replace(link, parent=parent if parent >= 0 else "ground", **(none if at_rest else {}))
            for link, parent, at_rest in pairs
        ]
    )


@pytest.mark.parametrize("name", MODELS, ids=lambda name: name.replace(" ", "-"))
def test_pinocchio_computes_the_same(name):
    model, expected = MODELS[name]
    assert expected["name"] == name
    chain = all_that_moves(stored_chain(model))
    q, qd = (np.array(model["state"][k]) for k in ("q", "qd"))
    assert_near(center_of_mass(chain, q), np.array(expected["center"]), chain.n)
    assert_near(center_of_mass_jacobian(chain, q), np.array(expected["jacobian"]), chain.n)
    A = centroidal_momentum_matrix(chain, q)
    assert_near(A, np.array(expected["matrix"]), chain.n)
    terms = np.linalg.norm(A) * (qd @ qd)
    bias = centroidal_momentum_bias(chain, q, qd)
    assert_within(bias, np.array(expected["bias"]), terms, bound(chain.n))


@pytest.mark.parametrize("name", MODELS, ids=lambda name: name.replace(" ", "-"))
def test_pinocchio_still_gives_the_stored_results(name, robot_file):
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    from oracles import make_centroidal as make

    model, stored = MODELS[name]
    again, n = make.made(model), len(model["links"])
    for key in ("center", "jacobian", "matrix"):
        assert_near(np.array(again[key]), np.array(stored[key]), n)
    terms = np.linalg.norm(stored["matrix"]) * np.linalg.norm(model["state"]["qd"]) ** 2
    assert_within(np.array(again["bias"]), np.array(stored["bias"]), terms, bound(n))


# --- the sums over the links ---


def test_the_centre_is_where_the_weight_acts(moving):
    """The energy of the weight is that of all mass at one point; so for every direction of the weight."""
    chain, q, *_ = moving
    for gravity in np.eye(3):
        tilted = Chain(chain.links, gravity=gravity)
        height = -potential_energy(tilted, q) / chain.mass.sum()
        assert_within(gravity @ center_of_mass(chain, q), height, 1.0, bound(chain.n))


def test_momentum_is_the_sum_over_the_links(moving):
    chain, q, qd, _ = moving
    center = center_of_mass(chain, q)
    A = centroidal_momentum_matrix(chain, q)
    expected = momentum(chain, q, qd, point=center)
    assert_within(A @ qd, expected, moments_of(chain, q) * np.linalg.norm(qd), bound(chain.n))
    R, p = forward_kinematics(chain, q)
    to_links = X_motion(R.mT, p - center)
    parts = zip(to_links, chain.spatial_inertia, range(chain.n), strict=True)
    dense = sum(X.T @ inertia @ body_jacobian(chain, q, i) for X, inertia, i in parts)
    assert_within(A, dense, moments_of(chain, q), bound(chain.n))


def test_rates_are_derivatives_along_the_motion(moving):
    chain, q, qd, _ = moving
    step = integrate(chain, q, 1j * STEP * np.eye(chain.nv))
    slopes = center_of_mass(chain, step).imag.T / STEP
    J = center_of_mass_jacobian(chain, q)
    assert_near(J, slopes, chain.n)
    A = centroidal_momentum_matrix(chain, q)
    assert np.array_equal(A[3:] / chain.mass.sum(), J)
    later = centroidal_momentum_matrix(chain, integrate(chain, q, 1j * STEP * qd))
    bias = centroidal_momentum_bias(chain, q, qd)
    terms = moments_of(chain, q) * (qd @ qd)
    assert_within(bias, later.imag @ qd / STEP, terms, bound(chain.n))


def test_energy_of_the_whole_is_no_more_than_its_own(moving):
    """Koenig: m |dc/dt|^2 / 2 is part of the energy, and more of it with the joints' motion about the centre."""
    chain, q, qd, _ = moving
    velocity = center_of_mass_jacobian(chain, q) @ qd
    assert chain.mass.sum() * velocity @ velocity / 2 <= kinetic_energy(chain, q, qd) * (1 + 1e-12)


# --- what comes from outside ---


def test_only_what_comes_from_outside_changes_the_momentum(moving):
    """Weight, wrenches on the links, and what the ground does to the roots; whatever the joints do."""
    chain, q, qd, qdd = moving
    rng = np.random.default_rng(5)
    external = rng.normal(size=(chain.n, 6))
    wrenches = joint_wrenches(chain, q, qd, qdd, external=external, frame="world")
    R, p = forward_kinematics(chain, q)
    from_outside = sum(f for f, parent in zip(wrenches, chain.parent, strict=True) if parent < 0)
    from_outside = from_outside + (X_motion(R.mT, p).mT @ external[..., None]).sum(0)[:, 0]
    center = center_of_mass(chain, q)
    weight = chain.mass.sum() * np.array(chain.gravity)
    moment = from_outside[:3] - np.cross(center, from_outside[3:])
    expected = np.concatenate([moment, from_outside[3:] + weight])
    rate = centroidal_momentum_matrix(chain, q) @ qdd + centroidal_momentum_bias(chain, q, qd)
    terms = np.linalg.norm(wrenches) + moments_of(chain, q) * (qd @ qd + np.linalg.norm(qdd))
    assert_within(rate, expected, terms, bound(chain.n))


def floating(seed):
    """A tree of joints of every kind but Free, on a trunk that floats."""
    kinds = tuple(kind for kind in EVERY_KIND if kind not in (Free, Fixed))
    trunk = random_tree(Case(1, seed=seed, kinds=(Free,))).links[0]
    limbs = random_tree(Case(7, branching=True, seed=seed, kinds=kinds)).links
    hung = [
        replace(limb, parent="trunk" if limb.parent == "ground" else limb.parent + 1)
        for limb in limbs
    ]
    return Chain([replace(trunk, name="trunk"), *hung], gravity=(1, -2, -9))


@pytest.mark.parametrize("seed", range(5))
def test_motors_of_a_floating_tree_change_nothing(seed):
    chain = floating(seed)
    q, qd = random_state(chain, seed)
    tau = np.random.default_rng(seed).normal(size=chain.nv)
    tau[:6] = 0
    A = centroidal_momentum_matrix(chain, q)
    qdd = aba(chain, q, qd, tau)
    rate = A @ qdd + centroidal_momentum_bias(chain, q, qd)
    expected = np.concatenate([np.zeros(3), chain.mass.sum() * np.array(chain.gravity)])
    terms = np.linalg.norm(A) * np.linalg.norm(qdd)
    assert np.linalg.norm(rate - expected) <= 1e3 * EPS * chain.n * terms


def test_momentum_stays_along_a_flight():
    """Weight apart it is constant, and the centre of mass flies along a parabola, while motors bend the joints."""
    chain = floating(1)
    q, qd = random_state(chain, 1)

    def motors(t, q, qd):
        tau = np.sin(3 * t + np.arange(chain.nv))
        return np.where(np.arange(chain.nv) < 6, 0, tau)

    t = np.linspace(0, 0.5, 6)
    path = simulate(chain, q, qd, t=t, torque=motors, rtol=1e-10, atol=1e-10)
    momenta = (centroidal_momentum_matrix(chain, path.q) @ path.qd[..., None])[..., 0]
    mass, gravity = chain.mass.sum(), np.array(chain.gravity)
    size = np.linalg.norm(momenta[0])
    assert np.abs(momenta[:, :3] - momenta[0, :3]).max() <= 1e-7 * size
    falling = momenta[0, 3:] + mass * t[:, None] * gravity
    assert np.abs(momenta[:, 3:] - falling).max() <= 1e-7 * size
    start = center_of_mass(chain, q)
    flown = start + momenta[0, 3:] / mass * t[:, None] + gravity * t[:, None] ** 2 / 2
    assert np.abs(center_of_mass(chain, path.q) - flown).max() <= 1e-7
    assert np.abs(path.qd[-1] - qd).max() > 0.1  # and something happened


# --- where digits go, and other numbers ---


def test_a_chain_far_away_has_the_same_momentum():
    """A million metres from the world's origin only the digits of the places are lost."""
    links = random_tree(Case(8, seed=3, kinds=(Revolute, Spherical, Prismatic))).links
    near = Chain(links)
    far = Chain([replace(links[0], offset=np.add(links[0].offset, [1e6, 0, 0])), *links[1:]])
    q, qd = random_state(near, 3)
    assert_near(center_of_mass(far, q) - [1e6, 0, 0], center_of_mass(near, q), 1, 1e-9)
    for function, state in ((OF_POSTURE[2], (q,)), (WHOLE[3], (q, qd))):
        assert_near(function(far, *state), function(near, *state), 1, 1e-8)


@pytest.mark.parametrize("joint", [Revolute(), Prismatic(), Spherical(), Planar()], ids=repr)
@pytest.mark.parametrize("com", [(0, 0, 0), (0.1, 0.2, 0.3)])
def test_batches_where_little_depends_on_the_posture(joint, com):
    chain = Chain([Link(joint, 2, com, np.diag([1, 2, 2]))])
    q, qd = random_state(chain, 1, batch=(4,))
    shapes = {center_of_mass: (4, 3), center_of_mass_jacobian: (4, 3, chain.nv)}
    shapes[centroidal_momentum_matrix] = (4, 6, chain.nv)
    for function, shape in shapes.items():
        assert function(chain, q).shape == shape
    for rates in (qd, qd[0]):
        assert centroidal_momentum_bias(chain, q, rates).shape == (4, 6)


def test_a_free_body_alone_has_its_own_momentum():
    inertia = np.diag([1, 2, 2.5])
    body = Chain([Link(Free(), 3, (0.1, -0.2, 0.3), inertia)])
    q, qd = random_state(body, 2)
    R, p = (x[0] for x in forward_kinematics(body, q))
    w, v = qd[:3], qd[3:]
    own = R @ inertia @ w, 3 * R @ (v + np.cross(w, [0.1, -0.2, 0.3]))
    assert_near(centroidal_momentum_matrix(body, q) @ qd, np.concatenate(own), 1)
    assert_near(center_of_mass(body, q), p + R @ [0.1, -0.2, 0.3], 1)


def test_symbols_give_the_closed_form():
    q, u = (np.array(sp.symbols(f"{name}1:3")) for name in ("q", "u"))
    m1, m2, c1, c2, L, J1, J2 = sp.symbols("m1 m2 c1 c2 L J1 J2", positive=True)

    def flat(moment):
        return np.array([[0, 0, 0], [0, 0, 0], [0, 0, moment]], dtype=object)

    arm = Chain(
        [
            Link(Revolute(), m1, (c1, 0, 0), flat(J1)),
            Link(Revolute(), m2, (c2, 0, 0), flat(J2), (L, 0, 0)),
        ]
    )
    a, b = q[0], q[0] + q[1]
    x = (m1 * c1 * sp.cos(a) + m2 * (L * sp.cos(a) + c2 * sp.cos(b))) / (m1 + m2)
    y = (m1 * c1 * sp.sin(a) + m2 * (L * sp.sin(a) + c2 * sp.sin(b))) / (m1 + m2)
    found = center_of_mass(arm, q)
    assert all(vanishes(one - other) for one, other in zip(found, (x, y, 0), strict=True))
    J = center_of_mass_jacobian(arm, q)
    assert all(vanishes(J[0, k] - sp.diff(x, q[k])) for k in (0, 1))
    A = centroidal_momentum_matrix(arm, q)
    reduced = m1 * m2 / (m1 + m2)  # about the common centre, two masses are one at their distance
    dx, dy = (L - c1) * sp.cos(a) + c2 * sp.cos(b), (L - c1) * sp.sin(a) + c2 * sp.sin(b)
    spin = J1 * u[0] + J2 * (u[0] + u[1])
    rate = [sum(sp.diff(z, q[k]) * u[k] for k in (0, 1)) for z in (dx, dy)]
    spin += reduced * (dx * rate[1] - dy * rate[0])
    assert vanishes((A @ u)[2] - spin)
    bias = centroidal_momentum_bias(arm, q, u)
    rate = sum(sp.diff((A @ u)[2], q[k]) * u[k] for k in (0, 1))
    assert vanishes(bias[2] - rate)


def test_fractions_stay_exact():
    slides = Chain(
        [
            Link(Prismatic((0, 0, 1)), m, (1, 0, 0), np.zeros((3, 3), int), (k, 0, 0))
            for k, m in enumerate((2, 3))
        ]
    )
    third = np.array([Fraction(1, 3), Fraction(2, 3)], object)
    assert center_of_mass(slides, third).tolist() == [Fraction(8, 5), 0, Fraction(11, 15)]
    assert center_of_mass_jacobian(slides, third)[2].tolist() == [1, Fraction(3, 5)]


def test_massless_links_count_for_nothing():
    ring = Link(Fixed(), 0, (9, 9, 9), np.zeros((3, 3)), name="ring")
    body = Link(Universal((1, 0, 0), (0, 1, 0)), 2, (0, 0, 1), np.eye(3), name="body")
    q, _ = random_state(Chain([body]), 1)
    for function in OF_POSTURE:
        assert_near(function(Chain([ring, body]), q), function(Chain([body]), q), 1)


# --- what is refused ---


@pytest.mark.parametrize("function", WHOLE)
def test_a_chain_without_mass_has_no_centre(function):
    ghost = Chain([Link(Revolute(), 0, (0, 0, 0), np.eye(3)) for _ in range(2)])
    state = np.zeros((2 if function is centroidal_momentum_bias else 1, 2))
    with pytest.raises(ValueError, match="none of the 2 links of the chain has mass"):
        function(ghost, *state)


def test_bad_input_is_told():
    chain = Chain([Link(Revolute(), 1, (1, 0, 0), np.eye(3), name="bar")])
    for function in OF_POSTURE:
        with pytest.raises(ValueError, match="chain must be a Chain"):
            function([1], np.zeros(1))
        with pytest.raises(ValueError, match=r"q has shape \(2,\).*nq = 1"):
            function(chain, np.zeros(2))
        with pytest.raises(ValueError, match="bar"):
            function(chain, [np.inf])
    with pytest.raises(ValueError, match=r"qd has shape \(3,\)"):
        centroidal_momentum_bias(chain, np.zeros(1), np.zeros(3))
