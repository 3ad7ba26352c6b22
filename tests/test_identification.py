"""What links weigh, from how they move: the regressor, what of it can be known, fits, and bodies that can exist."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy
from trees import EPS, EVERY_KIND, Case, motion, random_tree

from chaindyn import (
    BaseParameters,
    Chain,
    Drive,
    Fixed,
    Frame,
    Free,
    Limits,
    LinearFit,
    Link,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    base_parameters,
    fit_bodies,
    fit_linear,
    forward_kinematics,
    inertia_from_parameters,
    inertial_parameters,
    pseudo_inertia,
    random_state,
    rnea,
    torque_regressor,
    with_parameters,
)
from chaindyn.guards.regression import unit_columns
from chaindyn.identification import independent_columns
from chaindyn.models.robots import ur5
from chaindyn.possible_bodies import (
    body_factors,
    deformation,
    deformed_parameters,
    deformed_slopes,
)
from chaindyn.teaching import normwise

CASES = [Case(n, branching=n % 2 == 0, seed=40 + n, kinds=EVERY_KIND) for n in (1, 2, 3, 5, 8, 13)]
X, Y_AXIS, Z = np.eye(3, dtype=int)


def pseudo_inertias(parameters):
    """The pseudo-inertia (n, 4, 4) of ten parameters a link."""
    return pseudo_inertia(inertia_from_parameters(np.reshape(parameters, (-1, 10))))


# The regressor ----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=str)
def test_forces_are_linear_in_the_inertial_parameters(case):
    chain = random_tree(case)
    q, qd, qdd = motion(case, chain, (4,))
    Y, parameters = torque_regressor(chain, q, qd, qdd), inertial_parameters(chain)
    assert Y.shape == (4, chain.nv, 10 * chain.n)
    scale = np.abs(Y * parameters).sum(-1).max(initial=0)
    assert (
        np.abs(Y @ parameters - rnea(chain, q, qd, qdd)).max(initial=0)
        <= 100 * chain.n * EPS * scale
    )


@pytest.mark.parametrize("case", CASES[1:5], ids=str)
def test_each_column_is_what_a_little_more_of_its_parameter_takes(case):
    """Chains that differ in one parameter, and inverse dynamics of both: no regressor in it."""
    thin = random_tree(case)
    parameters = inertial_parameters(thin) + np.tile([0, 0, 0, 0, 1, 0, 1, 0, 0, 1], thin.n)
    chain = with_parameters(thin, parameters)
    q, qd, qdd = motion(case, chain, ())
    Y, here = torque_regressor(chain, q, qd, qdd), rnea(chain, q, qd, qdd)
    scale = np.abs(Y).max() + np.abs(here).max()
    for k in range(10 * chain.n):
        step = 1e-3 * parameters[10 * (k // 10)]  # so small that a body stays one
        there = parameters.copy()
        there[k] += step
        slope = (rnea(with_parameters(chain, there), q, qd, qdd) - here) / step
        assert np.abs(slope - Y[:, k]).max(initial=0) <= 1e-8 * scale, k


def test_the_hinge_of_the_chapter_in_symbols():
    sympy = pytest.importorskip("sympy")
    q, qd, qdd, g = sympy.symbols("q qd qdd g", real=True)
    hinge = Chain(
        [Link(Revolute(Z), 1, (0, 0, 0), np.eye(3, dtype=int))], np.array([0, -g, 0], object)
    )
    row = torque_regressor(hinge, *(np.array([x], object) for x in (q, qd, qdd)))[0]
    right = {2: g * sympy.cos(q), 3: -g * sympy.sin(q), 9: qdd}
    # m c_x, m c_y and I_zz are entries 1, 2 and 9
    right = {1: right[2], 2: right[3], 9: right[9]}
    assert [sympy.simplify(row[k] - right.get(k, 0)) for k in range(10)] == [0] * 10


@pytest.mark.parametrize("which", ["UR5", "chain", "tree"])
def test_pinocchio_has_the_same_columns_in_the_same_order(which):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    from oracles.make_pinocchio import columns, configuration, model_of_chain, velocity

    kinds = (Revolute, Prismatic)
    chain = {
        "UR5": ur5,
        "chain": lambda: random_tree(Case(7, seed=3, kinds=kinds)),
        "tree": lambda: random_tree(Case(9, branching=True, seed=4, kinds=kinds)),
    }[which]()
    model, frames = model_of_chain(chain)
    model.gravity.linear = np.array(chain.gravity, float)
    joints = columns(model, chain, frames)
    q, qd = random_state(chain, 5)
    qdd = np.random.default_rng(6).normal(size=chain.nv)
    theirs = pin.computeJointTorqueRegressor(
        model,
        model.createData(),
        configuration(model, joints, q),
        velocity(model, joints, qd),
        velocity(model, joints, qdd),
    )
    theirs = theirs[[model.idx_vs[j] for j in joints]]
    in_our_order = [10 * (j - 1) + k for j in joints for k in range(10)]
    assert normwise(torque_regressor(chain, q, qd, qdd), theirs[:, in_our_order]) < 1e-13


# What can be known ------------------------------------------------------------------------------


def on(*joints, gravity=(0, 0, -9.81), offset=(0.3, 0.2, 0.4), turned=True):
    """Links on these joints, in general position one on another."""
    turn = np.array([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3
    links = [
        Link(joint, 1, (0, 0, 0), np.eye(3), offset, turn if turned and i else np.eye(3))
        for i, joint in enumerate(joints)
    ]
    return Chain(links, gravity=gravity)


HINGE, SLIDE = Revolute(X), Prismatic(X)
KNOWN = {
    "level hinge": (on(HINGE), 3),
    "upright hinge": (on(Revolute(Z)), 1),
    "hinge where nothing falls": (on(HINGE, gravity=(0, 0, 0)), 1),
    "leaning hinge": (on(Revolute((1, 2, 2))), 3),
    "slide": (on(SLIDE), 1),
    "two slides": (on(SLIDE, SLIDE), 2),
    "slide and hinge": (on(SLIDE, HINGE, turned=False), 1 + 3 - 0),
    "ball": (on(Spherical()), 9),
    "ball where nothing falls": (on(Spherical(), gravity=(0, 0, 0)), 6),
    "free body": (on(Free()), 10),
    "free body where nothing falls": (on(Free(), gravity=(0, 0, 0)), 10),
    "free body and a hinge": (on(Free(), HINGE), 17),
    "free body and a slide": (on(Free(), SLIDE), 14),
    "free body and a ball": (on(Free(), Spherical()), 19),
    "two free bodies, one on the other": (on(Free(), Free()), 20),
    "welded": (on(Free(), Fixed(), Fixed()), 10),
    "on the ground": (on(Fixed()), 0),
    "planar": (on(Planar(Z)), 4),
    "two hinges of one plane": (on(HINGE, HINGE, turned=False), 6),
    "three hinges of one plane": (on(HINGE, HINGE, HINGE, turned=False), 9),
    "upright hinges of a plane": (on(Revolute(Z), Revolute(Z), turned=False), 4),
    "general arm": (on(HINGE, *5 * [HINGE]), 3 + 35),
    "arm on an upright hinge": (on(Revolute(Z), *5 * [HINGE]), 1 + 35),
    "arm that ends in a slide": (on(HINGE, HINGE, SLIDE), 3 + 7 + 4),
    "arm with a slide": (on(HINGE, HINGE, SLIDE, HINGE), 3 + 7 + 4 + 7),
    "UR5": (ur5(), 36),
    "UR5 on a wall": (Chain(ur5().links, gravity=(0, 9.81, 0)), 38),
    "UR5 in space": (Chain(ur5().links, gravity=(0, 0, 0)), 34),
}


@pytest.mark.parametrize("name", KNOWN)
def test_as_many_are_known_as_reasoning_says(name):
    """Seven a hinge, four a slide, ten a free body; fewer next to the ground. The gap must be clear."""
    chain, count = KNOWN[name]
    base = base_parameters(chain)
    assert len(base.columns) == count
    assert base.combinations.shape == (count, 10 * chain.n)
    kept = np.isin(np.arange(10 * chain.n), base.columns)
    assert base.distances[kept].min(initial=1) > 1e-3
    assert base.distances[~kept].max(initial=0) < 1e-12


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rank_is_the_one_that_singular_values_show(case):
    chain = random_tree(case)
    q, qd = random_state(chain, 77, batch=(40 * chain.n,))
    qdd = np.random.default_rng(78).normal(size=qd.shape)
    stacked = torque_regressor(chain, q, qd, qdd).reshape(-1, 10 * chain.n)
    lengths = np.linalg.norm(stacked, axis=0)
    matrix = stacked / np.where(lengths > 1e-9 * lengths.max(initial=0), lengths, np.inf)
    sizes = np.linalg.svd(matrix, compute_uv=False) if matrix.any() else np.zeros(10 * chain.n)
    count = int((sizes > 1e-9).sum())
    base = base_parameters(chain)
    assert len(base.columns) == count
    assert np.append(sizes, 0)[count] < 1e-12 < 1e-5 < np.append(sizes[:count], 1).min()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_kept_columns_make_all_others_in_states_that_were_not_drawn(case):
    chain = random_tree(case)
    base = base_parameters(chain)
    q, qd, qdd = motion(case, chain, (7,))
    Y = torque_regressor(chain, q, qd, qdd)
    made = Y[..., base.columns] @ base.combinations
    assert np.abs(made - Y).max(initial=0) <= 1e-10 * np.abs(Y).max(initial=1)
    own = base.combinations[:, base.columns]
    np.testing.assert_allclose(own, np.eye(len(own)), rtol=0, atol=1e-10)


def test_chains_of_equal_base_parameters_need_equal_forces():
    arm = ur5()
    base = base_parameters(arm)
    rng = np.random.default_rng(1)
    hidden = scipy.linalg.null_space(base.combinations)
    assert hidden.shape == (60, 24)
    q, qd = random_state(arm, 2, batch=(20,))
    qdd = rng.normal(size=(20, 6))
    for _ in range(3):
        other = with_parameters(arm, inertial_parameters(arm) + 2e-4 * hidden @ rng.normal(size=24))
        assert np.abs(other.mass - arm.mass).max() > 1e-5
        assert normwise(rnea(other, q, qd, qdd), rnea(arm, q, qd, qdd)) < 1e-13


def test_masses_play_no_part_and_neither_does_the_seed():
    arm = ur5()
    first = base_parameters(arm)
    for chain, seed in ((arm, 5), (with_parameters(arm, 2 * inertial_parameters(arm)), 0)):
        again = base_parameters(chain, seed=seed)
        np.testing.assert_array_equal(again.columns, first.columns)
        np.testing.assert_allclose(again.combinations, first.combinations, rtol=0, atol=1e-11)


def test_the_elbow_of_the_ur5_carries_what_hangs_on_it():
    """The combination that begins with the upper arm's m c_z has the masses beyond the elbow, 0.425 m away."""
    base = base_parameters(ur5())
    row = base.combinations[list(base.columns).index(13)]
    expected = np.zeros(60)
    expected[[13, 20, 30, 40, 50]] = 1, 0.425, 0.425, 0.425, 0.425
    np.testing.assert_allclose(row, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("general arm", []),
        ("arm on an upright hinge", []),
        ("UR5", []),
        ("arm that ends in a slide", [2]),
    ],
)
def test_of_whom_the_mass_is_known_alone(name, known):
    """None in an arm of hinges: each gives its mass on to its parent. A slide at the end keeps it."""
    chain, _ = KNOWN[name]
    rows = base_parameters(chain).combinations
    of_rows = np.linalg.pinv(rows) @ rows  # projects on what the forces tell
    assert np.flatnonzero(np.isclose(np.diagonal(of_rows)[::10], 1, atol=1e-9)).tolist() == known


def test_a_rank_that_is_not_clear_is_told():
    """Gravity is almost along the hinge, by 1e-9."""
    with pytest.warns(RuntimeWarning, match=r"not clear: a column is [1-9]\.\de-08 away"):
        base_parameters(on(Revolute(Z), gravity=(3e-8, 0, -9.81)))


def test_base_parameters_refuse_symbols_and_what_is_no_chain():
    sympy = pytest.importorskip("sympy")
    length = sympy.Symbol("a", positive=True)
    link = Link(HINGE, 1, (0, 0, 0), np.eye(3))
    with pytest.raises(ValueError, match="regressor"):
        base_parameters(Chain([link, replace(link, offset=np.array([0, length, 0], object))]))
    with pytest.raises(ValueError, match="chain must be a Chain"):
        base_parameters("UR5")


def test_independent_columns_are_chosen_from_left_to_right():
    e = np.eye(4)
    matrix = np.column_stack([0 * e[0], e[0], e[0] + 1e-12 * e[1], e[1] + e[0], 3 * e[1], e[2]])
    kept, distances = independent_columns(matrix)
    assert kept.tolist() == [1, 3, 5]
    np.testing.assert_allclose(distances, [0, 1, 1e-12, 1, 0, 1], rtol=0, atol=1e-15)
    assert independent_columns(matrix, 1e-13)[0].tolist() == [1, 2, 5]
    assert independent_columns(e[:, :2] + 1e-6 * e[:, 2:])[0].tolist() == [0, 1]
    assert independent_columns(np.column_stack([e[0], e[0] + 1e-6 * e[1]]))[0].tolist() == [0, 1]
    aside = np.array([[1, 1], [0, 0.125]])  # as far as the tolerance is not farther
    assert independent_columns(aside, 0.125)[0].tolist() == [0]
    # nearly parallel ones: projected once, the second would not be square to the first, and the third not in their span
    near = np.array([[1, 1 + 2.0**-26, 1], [1, 1, 0], [1, 1, 0]])
    assert independent_columns(near)[0].tolist() == [0, 1]


def test_columns_at_length_one():
    """But for those that may be rounding, and none of a matrix of zeros."""
    matrix = np.diag([3.0, 3e-3, 3e-8])
    units, lengths = unit_columns(matrix)
    np.testing.assert_allclose(units.diagonal(), [1, 1, 1e-8], rtol=1e-15)
    np.testing.assert_array_equal(lengths, [3, 3e-3, 3])
    np.testing.assert_allclose(unit_columns(matrix, 1e-9)[0], np.eye(3), rtol=1e-15)
    np.testing.assert_array_equal(unit_columns(np.zeros((2, 2)))[0], np.zeros((2, 2)))


# There and back ---------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=str)
def test_parameters_there_and_back(case):
    chain = random_tree(case)
    parameters = inertial_parameters(chain)
    again = with_parameters(chain, parameters)
    assert normwise(inertial_parameters(again), parameters) < 1e-14
    assert again.names == chain.names and again.parent == chain.parent
    np.testing.assert_array_equal(again.gravity, chain.gravity)
    for name in ("mass", "com", "inertia"):
        np.testing.assert_allclose(
            getattr(again, name), getattr(chain, name), rtol=1e-9, atol=1e-12
        )
    q, qd, qdd = motion(case, chain, ())
    wanted = rnea(chain, q, qd, qdd)
    assert np.abs(rnea(again, q, qd, qdd) - wanted).max(initial=0) <= 1e-11 * np.abs(wanted).max(
        initial=1
    )


def test_gravity_stays_what_it_was():
    wall = Chain(ur5().links, gravity=(1, 2, -9))
    assert with_parameters(wall, inertial_parameters(wall)).gravity.tolist() == [1, 2, -9]


def test_ten_parameters_mean_what_the_chapter_says():
    link = Link(HINGE, 2, (1, 2, 3), np.diag([5, 6, 7]))
    # about the origin: I_C + m (c^2 - c c^T)
    expected = [2, 2, 4, 6, 5 + 26, -4, 6 + 20, -6, -12, 7 + 10]
    np.testing.assert_array_equal(inertial_parameters(Chain([link, link])), 2 * expected)


def test_exact_parameters_stay_exact():
    third = Fraction(1, 3)
    chain = Chain([Link(HINGE, 1, (0, 0, 0), np.eye(3, dtype=int))])
    cube = np.array([third, third, 0, 0, 2, 0, 3, 0, 0, 4], object)
    made = with_parameters(chain, cube)
    assert made.com[0].tolist() == [1, 0, 0]
    assert made.inertia[0].diagonal().tolist() == [2, 3 - third, 4 - third]
    assert all(isinstance(x, int | Fraction) for x in inertial_parameters(made))
    assert inertial_parameters(made).tolist() == cube.tolist()


def test_parameters_may_be_symbols():
    sympy = pytest.importorskip("sympy")
    m, a, b = sympy.symbols("m a b", positive=True)
    chain = Chain([Link(HINGE, 1, (0, 0, 0), np.eye(3, dtype=int))])
    made = with_parameters(chain, np.array([m, m * a, 0, 0, b, 0, b, 0, 0, b], object))
    assert made.com[0].tolist() == [a, 0, 0]
    assert sympy.simplify(made.inertia[0, 1, 1] - (b - m * a**2)) == 0


def test_a_link_without_mass_stays_one():
    chain = Chain(
        [Link(HINGE, 0, (0, 0, 0), np.zeros((3, 3))), Link(HINGE, 1, (0, 0, 1), np.eye(3))]
    )
    again = with_parameters(chain, inertial_parameters(chain))
    assert again.mass.tolist() == [0, 1]
    assert not again.com[0].any()


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({10: -1.0}, ["link 1 ('upper_arm_link')", "mass is -1.0", "must not be negative"]),
        ({10: 0.0}, ["link 1 ('upper_arm_link')", "mass is 0", "positive mass"]),
        ({13: 30.0}, ["link 1 ('upper_arm_link')", "not positive semidefinite"]),
        ({34: 9.0}, ["link 3 ('wrist_1_link')", "triangle inequality"]),
        ({7: np.nan}, ["parameters[7]", "finite"]),
    ],
)
def test_a_link_that_is_no_body_is_refused_by_name(entries, says):
    arm = ur5()
    parameters = inertial_parameters(arm).copy()
    for k, value in entries.items():
        parameters[k] = value
    with pytest.raises(ValueError) as error:
        with_parameters(arm, parameters)
    assert all(words in str(error.value) for words in says), str(error.value)


def test_with_parameters_wants_ten_a_link():
    with pytest.raises(ValueError, match=r"parameters has shape \(10,\), but must be \(60,\)"):
        with_parameters(ur5(), np.ones(10))


# Fits -------------------------------------------------------------------------------------------


def experiment(seed=0, samples=200, b=5, noise=(1.0, 20.0, 0.01)):
    """A regressor (samples, 3, b), unknowns, and forces with noise of its own at each joint."""
    rng = np.random.default_rng(seed)
    columns, unknowns = rng.normal(size=(samples, 3, b)), rng.normal(size=b)
    shaken = columns @ unknowns + noise * rng.normal(size=(samples, 3))
    return columns, unknowns, shaken


def test_a_fit_is_the_weighted_one_of_the_normal_equations():
    """With the noise that it found as weights, and the noise is what its own residuals say."""
    columns, _, forces = experiment()
    fit = fit_linear(columns, forces)
    rows, right = (columns / fit.noise[:, None]).reshape(-1, 5), (forces / fit.noise).reshape(-1)
    np.testing.assert_allclose(fit.covariance, np.linalg.inv(rows.T @ rows), rtol=1e-10)
    np.testing.assert_allclose(fit.estimate, fit.covariance @ rows.T @ right, rtol=0, atol=1e-8)
    hat = rows @ fit.covariance @ rows.T
    used = hat.diagonal().reshape(-1, 3).sum(0)
    assert used.sum() == pytest.approx(5)
    left = ((forces - columns @ fit.estimate) ** 2).sum(0)
    np.testing.assert_allclose(fit.noise, np.sqrt(left / (200 - used)), rtol=1e-6)


def test_noise_and_confidence_are_right_on_average():
    """With few samples, so that the degrees of freedom matter for the noise; with more, for the confidence."""
    for samples, found in ((20, "noise"), (120, "confidence")):
        noise, inside = [], []
        for seed in range(400):
            columns, unknowns, forces = experiment(seed, samples=samples, noise=(1.0, 1.5, 2.0))
            fit = fit_linear(columns, forces)
            noise.append(fit.noise**2)
            e = np.abs(fit.estimate - unknowns)
            inside.append(e <= 1.96 * np.sqrt(np.diag(fit.covariance)))
        if found == "noise":  # to divide by 20, and not by what is free, would give 8 % less
            np.testing.assert_allclose(np.mean(noise, axis=0), [1, 2.25, 4], rtol=0.04)
        else:
            assert np.mean(inside) == pytest.approx(0.95, abs=0.015)


def test_weights_matter():
    """A joint without noise to speak of decides, whatever the others say."""
    columns, unknowns, forces = experiment(noise=(50.0, 50.0, 1e-6))
    fit = fit_linear(columns, forces)
    assert np.abs(fit.estimate - unknowns).max() < 1e-5
    even = np.linalg.lstsq(columns.reshape(-1, 5), forces.reshape(-1), rcond=None)[0]
    assert np.abs(even - unknowns).max() > 1e-1


def test_forces_without_noise_are_fitted_to_rounding():
    columns, unknowns, _ = experiment()
    fit = fit_linear(columns.reshape(10, 20, 3, 5), (columns @ unknowns).reshape(10, 20, 3))
    np.testing.assert_allclose(fit.estimate, unknowns, rtol=1e-12)
    assert fit.noise.max() < 1e-12
    still = fit_linear(columns, 0 * columns[..., 0])
    assert not still.estimate.any()


def test_bad_samples_are_refused():
    columns, _, forces = experiment()
    with pytest.raises(ValueError, match=r"\(200, 3, 5\) and forces \(200, 2\)"):
        fit_linear(columns, forces[:, :2])
    with pytest.raises(ValueError, match="at least one axis of samples"):
        fit_linear(columns[0], forces[0])
    with pytest.raises(ValueError, match="5 samples cannot tell 5 columns"):
        fit_linear(columns[:5], forces[:5])
    with pytest.raises(ValueError, match=r"forces\[3, 1\] is nan"):
        fit_linear(columns, np.where(np.arange(600).reshape(200, 3) == 10, np.nan, forces))
    with pytest.raises(ValueError, match=r"(?s)regressor.*must hold real numbers"):
        fit_linear(columns + 1j, forces)
    doubled = np.concatenate([columns, columns[..., :1] - 2 * columns[..., 3:4]], axis=-1)
    with pytest.raises(ValueError, match=r"columns \[5\] of the regressor depend"):
        fit_linear(doubled, forces)
    with pytest.raises(ValueError, match=r"columns \[0, 1, 2, 3, 4\] of the regressor depend"):
        fit_linear(0 * columns, forces)


def test_units_of_the_unknowns_play_no_part():
    columns, _, forces = experiment()
    units = 10.0 ** np.array([0, -5, 3, 2, -4])
    fit, other = fit_linear(columns, forces), fit_linear(columns * units, forces)
    np.testing.assert_allclose(other.estimate * units, fit.estimate, rtol=1e-9)
    np.testing.assert_allclose(
        other.covariance * np.outer(units, units), fit.covariance, rtol=1e-6, atol=1e-12
    )


# The UR5 ----------------------------------------------------------------------------------------


def exciting_motion(samples=400):
    """Angles of a short Fourier series, with rates and accelerations (samples, 6)."""
    rng = np.random.default_rng(12)
    a, b = 0.5 * rng.normal(size=(2, 5, 6))
    rate = 2 * np.pi / 10 * np.arange(1, 6)
    t = np.linspace(0, 10, samples, endpoint=False)
    s, c = np.sin(np.outer(t, rate)), np.cos(np.outer(t, rate))
    return s @ a + c @ b, (c * rate) @ a - (s * rate) @ b, -(s * rate**2) @ a - (c * rate**2) @ b


@pytest.fixture(scope="module")
def a_hundred():
    """The UR5, its base parameters, and fits of a hundred noisy experiments: 1 % of each torque's root mean square."""
    arm, moves = ur5(), exciting_motion()
    base, clean = base_parameters(arm), rnea(arm, *moves)
    columns = torque_regressor(arm, *moves)[..., base.columns]
    noise = 0.01 * np.sqrt((clean**2).mean(0))
    fits = [
        fit_linear(columns, clean + noise * np.random.default_rng(seed).normal(size=clean.shape))
        for seed in range(100)
    ]
    return arm, base, fits, noise


def distances_squared(errors, fits):
    """The squares of errors, each in units of its fit's confidence, all parameters at once."""
    return np.array(
        [e @ np.linalg.solve(f.covariance, e) for e, f in zip(errors, fits, strict=True)]
    )


def assert_within_confidence(errors, fits):
    """Intervals of 68, 95 and 99 % hold the truth so often, and the squares are those of chi-squared with 36."""
    spreads = np.array([np.sqrt(np.diag(fit.covariance)) for fit in fits])
    for share, width in ((0.683, 1.0), (0.95, 1.96), (0.99, 2.576)):
        # errors of one experiment depend on each other: four deviations of 36 x 100 would be 0.015 to 0.03
        assert (np.abs(errors) <= width * spreads).mean() == pytest.approx(share, abs=0.025)
    squares = distances_squared(errors, fits)
    assert squares.mean() == pytest.approx(36, abs=4 * np.sqrt(72 / 100))
    assert squares.max() < scipy.stats.chi2.ppf(1 - 1e-6, 36)


def test_base_parameters_of_a_ur5_are_found_within_the_stated_confidence(a_hundred):
    arm, base, fits, noise = a_hundred
    truth = base.combinations @ inertial_parameters(arm)
    assert_within_confidence(np.array([fit.estimate - truth for fit in fits]), fits)
    np.testing.assert_allclose(np.mean([fit.noise for fit in fits], axis=0), noise, rtol=0.02)


def guess_by_eye(arm):
    """The arm's links as balls of round masses."""
    balls = []
    for mass, height in ((4, 0), (8, 0.3), (3, 0.2), (1, 0), (1, 0), (0.3, 0)):
        across = 0.04 * mass + mass * height**2
        balls += [mass, 0, 0, mass * height, across, 0, across, 0, 0, 0.04 * mass]
    return with_parameters(arm, balls)


def test_no_link_is_ever_unphysical(a_hundred):
    """A hundred experiments, and a guess far from the truth: bodies, within the confidence of the base parameters."""
    arm, base, fits, _ = a_hundred
    guess, truth = guess_by_eye(arm), base.combinations @ inertial_parameters(arm)
    found = [inertial_parameters(fit_bodies(guess, base, fit)) for fit in fits]
    least = np.linalg.eigvalsh(pseudo_inertias(found))[:, 0]
    assert len(least) == 600 and least.min() > 0
    errors = np.array([base.combinations @ ten - truth for ten in found])
    spreads = np.array([np.sqrt(np.diag(fit.covariance)) for fit in fits])
    assert (np.abs(errors) <= 1.96 * spreads).mean() > 0.93
    assert distances_squared(errors, fits).max() < scipy.stats.chi2.ppf(1 - 1e-6, 36)


def test_without_care_links_would_be_unphysical(a_hundred):
    """What the test above refuses: the nearest parameters to the true ones are often those of no body."""
    arm, base, fits, _ = a_hundred
    truth = inertial_parameters(arm)
    nearest = np.linalg.pinv(base.combinations)
    naive = [truth + nearest @ (fit.estimate - base.combinations @ truth) for fit in fits]
    assert (np.linalg.eigvalsh(pseudo_inertias(naive))[:, 0] < 0).any()


# Bodies from a fit ------------------------------------------------------------------------------


def theta_of(J, J0):
    """The ten numbers of a body seen from another, by a root and a Cholesky factorisation of libraries."""
    m, c = J0[3, 3], J0[:3, 3] / J0[3, 3]
    F = np.eye(4)
    F[:3, :3] = scipy.linalg.sqrtm(J0[:3, :3] - m * np.outer(c, c)).real
    F[:3, 3], F[3, 3] = np.sqrt(m) * c, np.sqrt(m)
    seen = np.linalg.solve(F, np.linalg.solve(F, J).T)
    V = np.linalg.cholesky(seen[::-1, ::-1])[::-1, ::-1]  # upper triangular, from the last corner
    scale = V[3, 3]
    V = V / scale
    return np.r_[np.log(scale), np.log(V.diagonal()[:3]), V[0, 1], V[0, 2], V[1, 2], V[:3, 3]]


def cost_of(ten, guess, base, fit, spread):
    """What `fit_bodies` says it makes small, by other means."""
    e = base.combinations @ ten - fit.estimate
    pairs = zip(pseudo_inertias(ten), pseudo_inertias(inertial_parameters(guess)), strict=True)
    return (
        e @ np.linalg.solve(fit.covariance, e)
        + sum((theta_of(J, J0) ** 2).sum() for J, J0 in pairs) / spread**2
    )


@pytest.mark.parametrize("spread", [0.3, 1.0, 5.0])
def test_no_body_nearby_explains_the_fit_better(a_hundred, spread):
    arm, base, fits, _ = a_hundred
    guess, fit, rng = guess_by_eye(arm), fits[3], np.random.default_rng(7)
    ten = inertial_parameters(fit_bodies(guess, base, fit, spread=spread))
    least = cost_of(ten, guess, base, fit, spread)
    hidden = scipy.linalg.null_space(base.combinations)
    for size in (1e-3, 1e-4):
        for _ in range(20):
            step = size * hidden @ rng.normal(size=24) * 0.1
            deformed = deformed_parameters(
                body_factors(inertia_from_parameters(ten.reshape(6, 10))),
                size * rng.normal(size=(6, 10)),
            ).ravel()
            for other in (ten + step, deformed):
                if np.linalg.eigvalsh(pseudo_inertias(other)).min() > 0:
                    assert cost_of(other, guess, base, fit, spread) >= least - 1e-9 * (1 + least)


def test_the_covariance_and_the_guess_are_weighed_against_each_other(a_hundred):
    """Where the cost, found by other means, is least its slope is zero: of a fit that is a hundred times less sure."""
    arm, base, fits, _ = a_hundred
    guess = guess_by_eye(arm)
    fit = LinearFit(fits[5].estimate, 1e4 * fits[5].covariance, fits[5].noise)
    found, start = (
        pseudo_inertias(inertial_parameters(chain))
        for chain in (fit_bodies(guess, base, fit, spread=0.5), guess)
    )
    theta = np.array([theta_of(J, J0) for J, J0 in zip(found, start, strict=True)])
    factors, step = body_factors(guess.spatial_inertia), 1e-5

    def cost(theta):
        return cost_of(deformed_parameters(factors, theta).ravel(), guess, base, fit, 0.5)

    for k in range(60):
        along = step * np.eye(60)[k].reshape(6, 10)
        slope = (cost(theta + along) - cost(theta - along)) / (2 * step)
        assert abs(slope) < 1e-3, k  # the guess alone pulls with 2 theta / spread^2
    assert np.abs(theta).max() > 0.3
    e = base.combinations @ inertial_parameters(guess) - fit.estimate
    assert e @ np.linalg.solve(fit.covariance, e) > 100


def test_deformations_are_the_bodies_of_ten_numbers():
    rng = np.random.default_rng(9)
    theta = 0.7 * rng.normal(size=(6, 10))
    clouds = np.concatenate([rng.normal(size=(6, 3, 7)), np.ones((6, 1, 7))], axis=-2)
    plainest = deformed_parameters(np.eye(4), 0 * theta)
    np.testing.assert_array_equal(plainest, 6 * [[1, 0, 0, 0, 2, 0, 2, 0, 0, 2]])
    J = clouds @ clouds.mT
    turned = np.trace(J[:, :3, :3], axis1=1, axis2=2)[:, None, None] * np.eye(3) - J[:, :3, :3]
    ten = np.column_stack(
        [J[:, 3, 3], J[:, :3, 3], turned[:, [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]]
    )
    inertias = inertia_from_parameters(ten)
    factors = body_factors(inertias)
    np.testing.assert_allclose(factors @ factors.mT, J, rtol=0, atol=1e-12)
    np.testing.assert_allclose(factors[:, 3, :3], 0, atol=0)
    np.testing.assert_array_equal(deformation(np.zeros(10)), np.eye(4))
    same = deformed_parameters(factors, 0 * theta)
    np.testing.assert_allclose(same, ten, rtol=0, atol=1e-12)
    bodies = pseudo_inertias(deformed_parameters(factors, theta))
    assert np.linalg.eigvalsh(bodies).min() > 0
    seen = [theta_of(J, J0) for J, J0 in zip(bodies, pseudo_inertia(inertias), strict=True)]
    np.testing.assert_allclose(seen, theta, rtol=0, atol=1e-7)


def test_slopes_of_deformations_against_differences():
    rng = np.random.default_rng(10)
    theta, factors = 0.5 * rng.normal(size=(6, 10)), body_factors(ur5().spatial_inertia)
    slopes, step = deformed_slopes(factors, theta), 1e-6
    for k in range(10):
        along = step * np.eye(10)[k]
        rise = deformed_parameters(factors, theta + along) - deformed_parameters(
            factors, theta - along
        )
        np.testing.assert_allclose(slopes[:, :, k], rise / (2 * step), rtol=0, atol=1e-8)


def told(chain, base, relative=1e-3):
    """A fit that says what the base parameters of a chain are, and how sure it is."""
    estimate = base.combinations @ inertial_parameters(chain)
    size = relative * (np.abs(estimate) + 1e-3)
    return LinearFit(estimate, np.diag(size**2), np.ones(chain.nv))


def test_a_guess_that_is_right_is_kept():
    arm = ur5()
    base = base_parameters(arm)
    again = fit_bodies(arm, base, told(arm, base))
    assert normwise(inertial_parameters(again), inertial_parameters(arm)) < 1e-9
    assert again.names == arm.names


def test_the_spread_says_how_much_the_guess_weighs():
    arm = ur5()
    base = base_parameters(arm)
    guess, fit = guess_by_eye(arm), told(arm, base)

    def off(ten):
        return np.abs(base.combinations @ ten - fit.estimate) / np.sqrt(np.diag(fit.covariance))

    free, weak, firm = (
        inertial_parameters(fit_bodies(guess, base, fit, spread=spread)) for spread in (30, 1, 1e-6)
    )
    assert normwise(firm, inertial_parameters(guess)) < 1e-3
    assert off(free).max() < 1e-2 < off(weak).max() < 5 < off(firm).max()


def test_what_has_no_extent_or_no_mass_keeps_none():
    """A rod, a link without mass, and a body: the second is left alone."""
    rod = Link(Universal(X, Y_AXIS), 2, (0, 0, 0.5), np.diag([0.2, 0.2, 0]))
    none = Link(Revolute(Z), 0, (0, 0, 0), np.zeros((3, 3)))
    body = Link(Revolute(X), 1, (0.1, 0.2, 0.3), np.diag([0.2, 0.25, 0.3]), offset=(0, 0, 1))
    chain = Chain([rod, none, body])
    base = base_parameters(chain)
    heavier = with_parameters(chain, 1.2 * inertial_parameters(chain))
    found = fit_bodies(chain, base, told(heavier, base), spread=10)
    assert found.mass[1] == 0
    assert np.linalg.eigvalsh(pseudo_inertia(found.spatial_inertia[0]))[:2] == pytest.approx(
        0, abs=1e-12
    )
    misses = base.combinations @ (inertial_parameters(found) - inertial_parameters(heavier))
    assert np.abs(misses).max() < 2e-2


def test_what_follows_the_base_parameters_plays_no_part():
    arm = ur5()
    base = base_parameters(arm)
    fit, guess = told(arm, base), guess_by_eye(arm)
    more = LinearFit(
        np.r_[fit.estimate, 7, 8],
        scipy.linalg.block_diag(fit.covariance, np.diag([1e-9, 1e9])),
        fit.noise,
    )
    alone, both = (inertial_parameters(fit_bodies(guess, base, f)) for f in (fit, more))
    np.testing.assert_array_equal(alone, both)


def test_bad_input_to_fit_bodies_is_told(monkeypatch):
    arm = ur5()
    base = base_parameters(arm)
    fit = told(arm, base)
    with pytest.raises(ValueError, match=r"spread is -1\.0, but must be positive"):
        fit_bodies(arm, base, fit, spread=-1)
    with pytest.raises(
        ValueError, match="base is of 6 links with 36 base parameters, but the chain has 1"
    ):
        fit_bodies(on(HINGE), base, fit)
    with pytest.raises(ValueError, match="the fit 35 unknowns"):
        fit_bodies(arm, base, LinearFit(fit.estimate[:35], fit.covariance[:35, :35], fit.noise))
    search = scipy.optimize.least_squares
    monkeypatch.setattr(
        scipy.optimize, "least_squares", lambda *args, **more: search(*args, max_nfev=2, **more)
    )
    with pytest.raises(ValueError, match="did not settle in 2 steps"):
        fit_bodies(guess_by_eye(arm), base, fit)


def test_results_are_what_their_names_say():
    base = base_parameters(on(HINGE))
    assert isinstance(base, BaseParameters)
    assert base.columns.tolist() == [2, 3, 4]  # m c_y, m c_z and I_xx, about x


def test_other_parameters_leave_drives_limits_and_frames():
    link = Link(
        Revolute((0, 0, 1)),
        1.0,
        (0.1, 0, 0),
        np.eye(3) / 10,
        drive=Drive(rotor_inertia=1e-3, gear_ratio=50),
        limits=Limits(lower=-1, upper=1),
    )
    chain = Chain([link], frames=[Frame("tool", 0, offset=(1, 2, 3))])
    other = with_parameters(chain, 2 * inertial_parameters(chain))
    assert other.mass[0] == 2.0
    assert other.reflected_inertia[0] == chain.reflected_inertia[0] == 2.5
    assert other.upper_limit[0] == 1
    places = [forward_kinematics(one, np.zeros(1), "tool")[1] for one in (chain, other)]
    assert (places[0] == places[1]).all()
