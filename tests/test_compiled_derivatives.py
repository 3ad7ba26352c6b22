"""Derivatives of compiled functions: those of chapter 23, and complex steps through the functions themselves."""

import shutil
import warnings
from functools import partial

import numpy as np
import pytest
from trees import EPS, EVERY_KIND, Case, bound, random_tree

import chaindyn as cd
from chaindyn import compiled
from chaindyn.compiler import native
from chaindyn.compiler.rolled import leaves_of
from chaindyn.teaching import normwise

pytestmark = pytest.mark.skipif(
    not any(shutil.which(c) for c in ("cc", "gcc", "clang")), reason="there is no C compiler here"
)
WHOLE = random_tree(Case(9, branching=True, seed=3, kinds=EVERY_KIND))
TREE = random_tree(
    Case(4, branching=True, seed=3, kinds=(cd.Spherical, cd.Revolute, cd.Helical, cd.Planar))
)
RNG = np.random.default_rng(20)
Q, QD = cd.random_state(TREE, 1, batch=(3,))
QDD, TAU = RNG.normal(size=(2, 3, TREE.nv))
EXTERNAL = RNG.normal(size=(3, TREE.n, 6))
TOLD = np.arange(TREE.nv) % 3 == 0
SHORT = random_tree(Case(2, seed=5, kinds=(cd.Revolute, cd.Prismatic)))


@pytest.fixture(autouse=True, scope="module")
def quick_compiler(tmp_path_factory):
    """Compile without optimising, into a folder of the test's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHAINDYN_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(native, "FLAGS", tuple("-O0" if f == "-O2" else f for f in native.FLAGS))
        yield


def limit_of(chain, q):
    """Return 100 eps cond M, squared where M's inverse is differentiated."""
    return 100 * EPS * np.linalg.cond(cd.crba(chain, q)).max()


@pytest.mark.parametrize("chain", [WHOLE, SHORT], ids=["tree", "short"])
@pytest.mark.parametrize(
    ("function", "reference"),
    [(cd.aba, cd.aba_derivatives), (cd.rnea, cd.rnea_derivatives)],
    ids=["aba", "rnea"],
)
def test_the_derivatives_are_those_of_chapter_18(chain, function, reference):
    q, qd = cd.random_state(chain, 4, batch=(6,))
    other = np.random.default_rng(5).normal(size=(6, chain.nv))
    fast = compiled(function, chain, derivatives=True)
    value, slopes = fast(q, qd, other)
    assert normwise(value, function(chain, q, qd, other)) <= limit_of(chain, q)
    for mine, theirs in zip(slopes, reference(chain, q, qd, other), strict=True):
        assert mine.shape == theirs.shape
        assert normwise(mine, theirs) <= limit_of(chain, q)
    one, own = fast(q[2], qd[2], other[2])
    assert normwise(one, value[2]) <= limit_of(chain, q)
    for mine, theirs in zip(own, slopes, strict=True):
        assert normwise(mine, theirs[2]) <= limit_of(chain, q)


def by_complex_step(function, directions):
    """Return the derivatives of all results of a function of a step (k,), at zero, the step's axis last."""
    steps = [leaves_of(function(1e-100j * unit)) for unit in np.eye(directions)]
    return [np.stack([x.imag for x in own], axis=-1) / 1e-100 for own in zip(*steps, strict=True)]


NAMED = {
    "forward_kinematics": (cd.forward_kinematics, {"q": Q[1]}, {}),
    "body_twists": (cd.body_twists, {"q": Q[1], "qd": QD[1]}, {"frame": "mixed"}),
    "body_accelerations": (cd.body_accelerations, {"q": Q[1], "qd": QD[1], "qdd": QDD[1]}, {}),
    "body_jacobian": (cd.body_jacobian, {"q": Q[1]}, {"body": 3, "frame": "world"}),
    "inverse_operational_space_inertia": (
        cd.inverse_operational_space_inertia,
        {"q": Q[1]},
        {},
    ),
    "kinetic_energy": (cd.kinetic_energy, {"q": Q[1], "qd": QD[1]}, {}),
    "momentum": (cd.momentum, {"q": Q[1], "qd": QD[1]}, {}),
    "center_of_mass": (cd.center_of_mass, {"q": Q[1]}, {}),
    "hybrid_dynamics": (
        cd.hybrid_dynamics,
        {"q": Q[1], "qd": QD[1], "qdd": QDD[1, TOLD], "tau": TAU[1, ~TOLD]},
        {"prescribed": TOLD},
    ),
    "rnea, external": (
        cd.rnea,
        {"q": Q[1], "qd": QD[1], "qdd": QDD[1], "external": EXTERNAL[1]},
        {"external_frame": "world"},
    ),
    "aba, external": (
        cd.aba,
        {"q": Q[1], "qd": QD[1], "tau": TAU[1], "external": EXTERNAL[1]},
        {"external_frame": "world"},
    ),
    "aba, in the world": (
        cd.aba,
        {"q": Q[1], "qd": QD[1], "tau": TAU[1]},
        {"external_frame": "world"},
    ),
    "aba, by name": (cd.aba, {"q": Q[1], "qd": QD[1], "tau": TAU[1]}, {"recursion": "world"}),
}


@pytest.mark.parametrize("name", NAMED)
def test_derivatives_are_complex_steps(name):
    function, arrays, options = NAMED[name]
    value, slopes = compiled(function, TREE, derivatives=True)(**arrays, **options)
    for mine, theirs in zip(
        leaves_of(value), leaves_of(function(TREE, **arrays, **options)), strict=True
    ):
        assert normwise(mine, theirs) <= limit_of(TREE, Q[1])
    assert len(slopes) == len(arrays)
    for (changed, x), own in zip(arrays.items(), slopes, strict=True):
        turn = (TREE.nv,) if changed == "q" else x.shape

        def moved(step, changed=changed, x=x, turn=turn):
            step = step.reshape(turn)
            new = cd.integrate(TREE, x, step) if changed == "q" else x + step
            whole = {k: v + 0j for k, v in arrays.items()} | {changed: new}
            return function(TREE, **whole, **options)

        expected = by_complex_step(moved, int(np.prod(turn)))
        for mine, theirs in zip(leaves_of(own), expected, strict=True):
            assert mine.shape == (*theirs.shape[:-1], *turn)
            scale = max(np.abs(theirs).max(initial=0), 1)
            difference = np.abs(mine.reshape(theirs.shape) - theirs).max(initial=0)
            assert difference <= limit_of(TREE, Q[1]) * scale, changed


def test_a_blow_has_the_slopes_of_chapter_18():
    said = {"body": 3, "normal": np.array([0, 0.6, 0.8]), "restitution": 0.5}
    _, slopes = compiled(cd.impact, TREE, derivatives=True)(Q[2], QD[2], **said)
    expected = cd.impact_derivatives(TREE, Q[2], QD[2], **said)
    velocity = [leaves_of(x)[0] for x in slopes[:2]]
    for mine, theirs in zip(velocity, leaves_of(expected)[:2], strict=True):
        assert normwise(mine, theirs) <= limit_of(TREE, Q[2]) * 10


def test_computed_torque_changes_with_all_that_is_desired():
    fast = compiled(cd.computed_torque, SHORT, derivatives=True)
    q, qd = cd.random_state(SHORT, 3)
    _, slopes = fast(q, qd, q_desired=1.1 * q, qd_desired=-qd, qdd_desired=qd, kp=4.0, kd=2.0)
    M = cd.crba(SHORT, q)
    for mine, theirs in zip(
        slopes[2:], (4 * M, 2 * M, M), strict=True
    ):  # place, velocity, acceleration
        assert normwise(mine, theirs) <= limit_of(SHORT, q)


def test_a_long_chain_has_the_text_of_its_kinds_of_links():
    chain = random_tree(Case(40, branching=True, seed=2, kinds=(cd.Revolute, cd.Prismatic)))
    q, qd = cd.random_state(chain, 3)
    _, slopes = compiled(cd.rnea, chain, derivatives=True)(q, qd, qd)
    for mine, theirs in zip(slopes, cd.rnea_derivatives(chain, q, qd, qd), strict=True):
        assert normwise(mine, theirs) <= bound(40)


def test_a_function_of_ones_own_with_branches_of_values():
    def soft(chain, q):
        from chaindyn._ops import positive, where

        drop = cd.center_of_mass(chain, q)[..., 2:] - 0.35
        return where(positive(drop), drop * drop, 0 * drop)

    chain = random_tree(Case(3, seed=1, kinds=(cd.Revolute,)))
    q = cd.random_state(chain, 1, batch=(8,))[0]
    value, (slopes,) = compiled(soft, chain, derivatives=True)(q)
    assert (value > 0).any()
    assert (value == 0).any()
    for k in range(8):
        step = by_complex_step(lambda s, k=k: cd.center_of_mass(chain, q[k] + s)[2], chain.nv)[0]
        height = cd.center_of_mass(chain, q[k])[2] - 0.35
        expected = 2 * height * step if height > 0 else 0 * step
        assert np.abs(slopes[k, 0] - expected).max() <= bound(3)


def test_roots_angles_and_quotients_have_their_slopes():
    def mixed(chain, q):
        from chaindyn._ops import atan2, divide, sqrt, stack

        x, y = q[..., 0], q[..., 1]
        return stack([sqrt(2 + x * y), atan2(x * x, y), divide(x, 3 + y)], axis=-1)

    q = np.array([0.7, -0.4])
    x, y = q
    root, square = np.sqrt(2 + x * y), x**4 + y**2
    expected = [
        [y / 2 / root, x / 2 / root],
        [2 * x * y / square, -x * x / square],
        [1 / (3 + y), -x / (3 + y) ** 2],
    ]
    for chain in (SHORT, random_tree(Case(2, seed=1, kinds=(cd.Revolute,)))):
        _, (slopes,) = compiled(mixed, chain, derivatives=True)(q)
        assert np.abs(slopes - expected).max() <= bound(2)


def test_threads_and_batches_change_nothing():
    many = compiled(cd.rnea, TREE, derivatives=True, threads=2)
    alone = compiled(cd.rnea, TREE, derivatives=True, threads=1)
    q, qd = cd.random_state(TREE, 5, batch=(200,))
    for mine, theirs in zip(many(q, qd, qd)[1], alone(q, qd, qd)[1], strict=True):
        assert np.array_equal(mine, theirs)
    grid = alone(q.reshape((20, 10, -1)), qd[0], qd[0])[1][0]
    assert grid.shape == (20, 10, TREE.nv, TREE.nv)


def test_what_is_bad_is_refused_in_the_functions_own_words():
    fast = compiled(cd.aba, TREE, derivatives=True)
    bad = np.where(np.arange(TREE.nv) == 2, np.nan, TAU[0])
    with pytest.raises(ValueError) as expected:
        cd.aba(TREE, Q[0], QD[0], bad)
    with pytest.raises(ValueError) as found:
        fast(Q[0], QD[0], bad)
    assert str(found.value) == str(expected.value)
    for other in ({"target": "javascript"}, {"parameters": "data"}):
        with pytest.raises(ValueError, match="derivatives need"):
            compiled(cd.aba, TREE, derivatives=True, **other)


def test_a_mass_matrix_that_is_singular_to_rounding_is_refused_in_the_functions_own_words():
    place = (0.3, 0.1, 0.2)  # of a point mass on the axis of its hinge, to rounding
    point = cd.Link(cd.Revolute(place), 1.0, place, inertia=np.zeros((3, 3)))
    chain = cd.Chain([cd.Link(cd.Revolute((0, 0, 1)), 1.0, (0, 0, 0), inertia=np.eye(3)), point])
    q = np.array([0.3, 0.2])
    with pytest.raises(ValueError) as expected:
        cd.aba(chain, q, q, q)
    for fast in (compiled(cd.aba_derivatives, chain), compiled(cd.aba, chain, derivatives=True)):
        for given in (q, np.stack([q, q])):
            with pytest.raises(ValueError) as found:
                fast(given, given, given)
            assert str(found.value).split(":")[0] == str(expected.value).split(":")[0]


def test_a_slope_that_is_not_finite_is_said():
    def length(chain, q):
        from chaindyn._ops import sqrt

        return sqrt((q * q).sum(-1))

    chain = random_tree(Case(3, seed=1, kinds=(cd.Revolute,)))
    with pytest.raises(ValueError, match="not finite"):
        compiled(length, chain, derivatives=True)(np.zeros(3))


def test_without_a_compiler_it_says_so(monkeypatch):
    chain, zero = random_tree(Case(2, seed=9, kinds=(cd.Revolute,))), np.zeros(2)
    monkeypatch.setattr(native, "compiler", partial(_fail))
    monkeypatch.setattr(native, "machine", partial(_fail))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        fast = compiled(cd.kinetic_energy, chain, derivatives=True)
        with pytest.raises(RuntimeError, match="not compiled"):
            fast(zero, zero)
    with pytest.warns(RuntimeWarning, match="runs as it stands"):
        _, slopes = compiled(cd.aba, chain, derivatives=True)(zero, zero, zero)
    for mine, theirs in zip(slopes, cd.aba_derivatives(chain, zero, zero, zero), strict=True):
        assert np.array_equal(mine, theirs)


def _fail():
    raise native.NoCompiler("there is none")
