"""Compiled functions: the same numbers, and the same refusals."""

import copy
import json
import operator
import pickle
import shutil
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest
import sympy
from trees import EPS, EVERY_KIND, Case, bound, random_tree

import chaindyn as cd
from chaindyn import _ops, compiled, rollout
from chaindyn.chain import inward
from chaindyn.compiler import native
from chaindyn.compiler.c import c_program
from chaindyn.compiler.operations import VALUE
from chaindyn.compiler.recorded import record
from chaindyn.compiler.recording import (
    PRIME,
    CannotRecord,
    Tape,
    cross_takes_mixed_arrays,
    mark_of_constant,
)
from chaindyn.compiler.rolled import leaves_of
from chaindyn.compiler.rollouts import recorded_step, step_of
from chaindyn.inverse_dynamics import sum_wrenches
from chaindyn.models import robots
from chaindyn.models.robots import ur5
from chaindyn.state import evaluate
from chaindyn.teaching import normwise

pytestmark = pytest.mark.skipif(
    not any(shutil.which(c) for c in ("cc", "gcc", "clang")), reason="there is no C compiler here"
)
TREE = random_tree(Case(9, branching=True, seed=3, kinds=EVERY_KIND))
RNG = np.random.default_rng(20)
Q, QD = cd.random_state(TREE, 1, batch=(11,))
QDD, TAU = RNG.normal(size=(2, 11, TREE.nv))
EXTERNAL = RNG.normal(size=(11, TREE.n, 6))


def weighted(chain, q, qd, tau, weight=2.0):
    return weight * cd.aba(chain, q, qd, tau)


TOLD = np.arange(TREE.nv) % 3 == 0
DESIRED = {"q_desired": cd.integrate(TREE, Q, 0.2 * QD), "qd_desired": -QD, "qdd_desired": QDD}


@pytest.fixture(autouse=True, scope="module")
def quick_compiler(tmp_path_factory):
    """Compile without optimising, into a folder of the test's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHAINDYN_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(native, "FLAGS", tuple("-O0" if f == "-O2" else f for f in native.FLAGS))
        yield


# what is compiled: a function, its arrays, its options
CASES = {
    "aba": (cd.aba, (Q, QD, TAU), {}),
    "aba, world, external": (
        cd.aba,
        (Q, QD, TAU),
        {"external": EXTERNAL, "external_frame": "mixed", "recursion": "world"},
    ),
    "rnea": (cd.rnea, (Q, QD, QDD), {}),
    "rnea, external": (cd.rnea, (Q, QD, QDD), {"external": EXTERNAL, "external_frame": "world"}),
    "bias_force": (cd.bias_force, (Q, QD), {}),
    "forward_kinematics": (cd.forward_kinematics, (Q,), {}),
    "forward_kinematics, one": (cd.forward_kinematics, (Q,), {"body": 4}),
    "body_twists": (cd.body_twists, (Q, QD), {"frame": "mixed"}),
    "body_accelerations": (
        cd.body_accelerations,
        (Q, QD, QDD),
        {"frame": "world", "classical": True},
    ),
    "body_jacobian": (cd.body_jacobian, (Q,), {"body": 6, "frame": "mixed"}),
    "joint_wrenches": (cd.joint_wrenches, (Q, QD, QDD), {}),
    "inverse_operational_space_inertia": (cd.inverse_operational_space_inertia, (Q,), {}),
    "hybrid_dynamics": (
        cd.hybrid_dynamics,
        (Q, QD),
        {"prescribed": TOLD, "qdd": QDD[:, TOLD], "tau": TAU[:, ~TOLD]},
    ),
    "impact": (
        cd.impact,
        (Q, QD),
        {"body": 6, "normal": np.array([0, 3.0, 4.0]), "restitution": 0.5},
    ),
    "computed_torque": (cd.computed_torque, (Q, QD), {**DESIRED, "kp": 4.0, "kd": 2.0}),
    "integrate": (cd.integrate, (Q, QD), {}),
    "difference": (cd.difference, (Q, cd.integrate(TREE, Q, 0.4 * QD)), {}),
    "kinetic_energy": (cd.kinetic_energy, (Q, QD), {}),
    "momentum": (cd.momentum, (Q, QD), {}),
    "center_of_mass": (cd.center_of_mass, (Q,), {}),
    "crba": (cd.crba, (Q,), {}),
    "crba, world": (cd.crba, (Q,), {"recursion": "world"}),
    "coriolis_matrix": (cd.coriolis_matrix, (Q, QD), {}),
    "coriolis_matrix, world": (cd.coriolis_matrix, (Q, QD), {"recursion": "world"}),
    "rnea_derivatives": (cd.rnea_derivatives, (Q, QD, QDD), {}),
    "aba_derivatives": (cd.aba_derivatives, (Q, QD, TAU), {}),
}
ANSWERS_WITH_M = (
    "aba",
    "aba_derivatives",
    "aba, world, external",
    "inverse_operational_space_inertia",
    "hybrid_dynamics",
    "impact",
)


@pytest.mark.parametrize("name", CASES)
def test_compiled_is_the_function(name):
    function, arrays, options = CASES[name]
    fast = compiled(function, TREE)
    expected = leaves_of(function(TREE, *arrays, **options))
    found = leaves_of(fast(*arrays, **options))
    limit = bound(TREE.n)
    if name in ANSWERS_WITH_M:
        limit = max(100 * EPS * np.linalg.cond(cd.crba(TREE, Q)).max(), limit)
    for mine, theirs in zip(found, expected, strict=True):
        assert mine.shape == theirs.shape
        if theirs.size:
            assert normwise(mine, theirs) <= limit
    assert all(program is not None for program in fast.programs.values()), "it was not compiled"
    one = {k: v[3] if np.ndim(v) and np.shape(v)[0] == 11 else v for k, v in options.items()}
    single = leaves_of(fast(*[x[3] for x in arrays], **one))
    for mine, theirs in zip(single, found, strict=True):
        assert np.shape(mine) == theirs.shape[1:]
        assert normwise(mine, theirs[3]) <= limit if theirs.size else True


def test_the_program_answers_and_not_the_function_behind_it():
    fast = compiled(cd.aba, TREE)
    calls = []
    fast(Q, QD, TAU)  # from here on there is a program for batches too
    object.__setattr__(fast.program.__self__, "function", lambda *a, **k: calls.append(a))
    fast(Q[0], QD[0], TAU[0])
    fast(Q, QD, TAU)
    assert not calls
    fast(Q, QD, np.full_like(TAU, np.nan))
    assert len(calls) == 1


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_bits_hang_neither_on_chunks_nor_on_threads(threads):
    count = 400
    q, qd = cd.random_state(TREE, 5, batch=(count,))
    tau = np.random.default_rng(6).normal(size=(count, TREE.nv))
    everything = compiled(cd.aba, TREE, threads=1)(q, qd, tau)
    fast = compiled(cd.aba, TREE, threads=threads)
    assert np.array_equal(fast(q, qd, tau), everything)
    for size in (1, 3, 4, 130):
        pieces = [
            fast(q[k : k + size], qd[k : k + size], tau[k : k + size])
            for k in range(0, count, size)
        ]
        assert np.array_equal(np.concatenate(pieces), everything)
    grid = fast(q.reshape((20, 20, -1)), qd.reshape((20, 20, -1)), tau[0])
    assert grid.shape == (20, 20, TREE.nv)


BAD = {
    "nan": lambda q, qd, tau: (q, qd, np.where(np.arange(len(tau)) == 2, np.nan, tau)),
    "infinite": lambda q, qd, tau: (q, np.where(np.arange(len(qd)) == 0, np.inf, qd), tau),
    "short": lambda q, qd, tau: (q[:-1], qd, tau),
    "masked": lambda q, qd, tau: (q, np.ma.array(qd, mask=np.arange(len(qd)) == 1), tau),
    "masked in a batch": lambda q, qd, tau: (q, qd, np.ma.masked_equal([tau, tau], tau[0])),
    "text": lambda q, qd, tau: (q, qd, "twelve"),
    "quaternion": lambda q, qd, tau: (1.01 * q, qd, tau),
    "batches": lambda q, qd, tau: (np.stack([q] * 2), np.stack([qd] * 3), tau),
}


@pytest.mark.parametrize("how", BAD)
def test_bad_input_is_refused_in_the_same_words(how):
    arguments = BAD[how](Q[0], QD[0], TAU[0])
    with pytest.raises(ValueError) as plain:
        cd.aba(TREE, *arguments)
    with pytest.raises(ValueError) as fast:
        compiled(cd.aba, TREE)(*arguments)
    assert str(fast.value) == str(plain.value)


def test_arguments_that_do_not_exist_are_refused():
    with pytest.raises(TypeError, match="colour"):
        compiled(cd.aba, TREE)(Q[0], QD[0], TAU[0], colour="red")
    with pytest.raises(ValueError, match="recursion"):
        compiled(cd.aba, TREE)(Q[0], QD[0], TAU[0], recursion="sideways")


def test_a_joint_without_inertia_is_named():
    links = [
        cd.Link(cd.Revolute((0, 0, 1)), 1.0, (0.5, 0, 0), np.eye(3) * 0.1),
        cd.Link(cd.Revolute((1, 0, 0)), 0.0, (0, 0, 0), np.zeros((3, 3)), (1, 0, 0), name="ghost"),
    ]
    chain = cd.Chain(links)
    fast = compiled(cd.aba, chain)
    for batch in ((), (5,)):
        q = np.zeros((*batch, 2))
        with pytest.raises(ValueError, match="ghost"):
            fast(q, q, q)


def test_a_posture_near_a_singular_one_is_judged_by_the_function_itself():
    hinge = partial(cd.Link, cd.Revolute((0, 0, 1)), com=(0, 0, 0))
    for inertia in (1e-3, 1e-9, 1e-13):
        chain = cd.Chain([hinge(1.0, inertia=np.eye(3)), hinge(1.0, inertia=inertia * np.eye(3))])
        q, tau = np.array([0.3, 0.2]), np.array([1.0, 1e-3])
        assert (
            normwise(compiled(cd.aba, chain)(q, q, tau), cd.aba(chain, q, q, tau))
            <= 100 * EPS * 1 / inertia
        )


def scaled(chain: cd.Chain, length: float, mass: float) -> cd.Chain:
    """Return a chain of hinges, slides and balls in other units of length and mass."""
    links = [
        replace(
            x,
            mass=x.mass * mass,
            com=length * np.asarray(x.com),
            inertia=mass * length**2 * np.asarray(x.inertia),
            offset=length * np.asarray(x.offset),
        )
        for x in chain.links
    ]
    return cd.Chain(links, gravity=length * np.asarray(chain.gravity))


def runs_on(function, chain, *arrays):
    """Return what a compiled function gives, which its program must have computed."""
    fast = compiled(function, chain)
    found = fast(*arrays)
    assert fast.runs == (1, 0)
    return found


@pytest.mark.parametrize(
    ("size", "mass"),
    [(1e-3, 1e-6), (0.045, 0.027), (0.1, 1.0), (0.2, 8.0), (1.0, 1.0), (10.0, 1e6)],
)
def test_bodies_of_all_sizes_run_in_their_programs(size, mass):
    """A small body's moment of inertia [kg m^2] is no small part of its mass [kg]."""
    cube = cd.Link(cd.Free(), mass, (0, 0, 0), mass * size**2 / 6 * np.eye(3))
    for chain in (cd.Chain([cube]), cd.Chain([replace(cube, parent="ground")] * 15)):
        q, qd = cd.random_state(chain, 1)
        q = q * np.where(np.arange(chain.nq) % 7 < 3, 1e3, 1)  # far from the origin
        found = runs_on(cd.aba, chain, q, qd, mass * qd)
        assert normwise(found, cd.aba(chain, q, qd, mass * qd)) <= 1e-10


@pytest.mark.parametrize("n", [4, 20])
@pytest.mark.parametrize("seed", range(3))
def test_chains_in_all_units_run_in_their_programs(n, seed):
    kinds = (cd.Revolute, cd.Prismatic, cd.Spherical)
    tree = random_tree(Case(n, branching=True, seed=seed, kinds=kinds))
    for length, mass in [(1, 1), (1e-3, 1e-6), (1e-3, 1e6), (1e3, 1e-6), (1e3, 1e6)]:
        chain = scaled(tree, length, mass)
        q, qd = cd.random_state(chain, 2)
        runs_on(cd.aba, chain, q, qd, mass * length**2 * qd)


def test_robots_with_small_and_large_parts_run_in_their_programs():
    robot, _ = robots.delta_robot()
    still = np.zeros(robot.nv)
    q = robots.delta_robot_posture()
    found = runs_on(cd.aba, robot, q, still, still)
    limit = 100 * EPS * np.linalg.cond(cd.crba(robot, q))
    assert normwise(found, cd.aba(robot, q, still, still)) <= limit
    finger = cd.Link(cd.Revolute((1, 0, 0)), 1e-3, (0, 0, 0.01), 1e-8 * np.eye(3), (0, 0, 1.5))
    arm = cd.Link(cd.Revolute((0, 1, 0)), 100.0, (0, 0, 1.0), 30 * np.eye(3), (0, 0, 1.0))
    chain = cd.Chain([arm, arm, finger, replace(finger, offset=(0, 0, 0.02))])
    q = np.array([0.1, 0.2, 0.3, 0.4])
    runs_on(cd.aba, chain, q, q, q)


def long_lever(inertia: float) -> cd.Chain:
    """Return a hinge that feels little: the mass on its long arm slides out of the way, whose rounding it feels."""
    hinge = cd.Link(cd.Revolute((0, 0, 1)), 0.0, (0, 0, 0), inertia * np.diag([0.5, 0.5, 1]))
    slide = cd.Link(cd.Prismatic((0, 1, 0)), 0.0, (0, 0, 0), np.zeros((3, 3)), (10, 0, 0))
    tip = cd.Link(cd.Prismatic((0, 0, 1)), 1.0, (0, 0, 0), np.zeros((3, 3)))
    return cd.Chain([hinge, slide, tip])


def nearly_parallel(count: int) -> cd.Chain:
    """Return slides of which two are all but parallel."""
    slide = cd.Link(cd.Prismatic((1, 0, 0)), 0.0, (0, 0, 0), np.zeros((3, 3)))
    other = replace(slide, joint=cd.Prismatic((1, 1e-9, 0)), mass=3.0)
    return cd.Chain([slide] * count + [other])


@pytest.mark.parametrize("length", [1e-3, 1, 1e3])
@pytest.mark.parametrize("mass", [1e-6, 1, 1e6])
@pytest.mark.parametrize("name", ["lever", "slides"])
def test_what_is_singular_to_rounding_is_the_functions_own_affair(name, mass, length):
    chain = {"lever": long_lever(1e-13), "slides": nearly_parallel(1)}[name]
    chain = scaled(chain, length, mass)
    fast = compiled(cd.aba, chain)
    assert outcome(fast, chain, mass) == outcome(partial(cd.aba, chain), chain, mass)
    assert fast.runs == (0, 1)
    if length <= 1:
        assert "feels no inertia" in outcome(fast, chain, mass)


def outcome(function, chain, mass):
    """Return what a function says of a chain at rest, and why it refuses."""
    q = np.zeros(chain.nq)
    try:
        return function(q, q, q + mass).tolist()
    except ValueError as error:
        return str(error)


def test_a_compiled_function_counts_its_states():
    fast = compiled(cd.aba, TREE)
    for _ in range(3):
        fast(Q[0], QD[0], TAU[0])
    assert fast.runs == (3, 0)
    fast(Q, QD, TAU)
    fast(Q[0].tolist(), QD[0], TAU[0])
    fast(Q[:, None], QD, TAU)
    assert fast.runs == (3 + 11 + 1 + 121, 0)
    fast(Q[0].astype(object), QD[0], TAU[0])
    fast(Q.astype(np.longdouble), QD, TAU)
    assert fast.runs == (136, 12)
    with pytest.raises(ValueError, match="nan"):
        fast(np.nan * Q[0], QD[0], TAU[0])
    assert fast.runs == (136, 13)
    assert compiled(cd.aba, TREE).runs == (0, 0)
    assert compiled(cd.aba, TREE, parameters="data").for_chain(TREE).runs == (0, 0)
    own = compiled(lambda chain, q: q if q[0] > 0 else -q, ur5())
    with pytest.warns(RuntimeWarning, match="is not compiled"):
        own(np.ones(6)), own(np.ones(6))
    assert own.runs == (0, 2)


@pytest.mark.parametrize("n", [3, 30])
@pytest.mark.parametrize("function", [cd.crba, cd.rnea_derivatives, cd.aba_derivatives])
def test_functions_by_another_way_count_their_states(function, n):
    chain = geared_tree(n)
    q, qd = cd.random_state(chain, 1, batch=(5,))
    fast, given = compiled(function, chain), arguments_of(function, q, qd, qd)
    for k in range(3):
        fast(*[x[k] for x in given])
    fast(*given)
    assert fast.runs == (8, 0)
    pair = compiled(cd.aba, chain, derivatives=True)
    for k in range(3):
        pair(q[k], qd[k], qd[k])
    assert pair.runs == (3, 0)


@pytest.mark.parametrize(
    ("word", "value"), [("restitution", 1.5), ("restitution", -0.1), ("normal", np.zeros(3))]
)
def test_blows_are_refused_in_the_same_words(word, value):
    good = {"normal": np.array([1.0, 0, 0]), "restitution": 0.3, "body": 6} | {word: value}
    with pytest.raises(ValueError) as plain:
        cd.impact(TREE, Q[0], QD[0], **good)
    with pytest.raises(ValueError) as fast:
        compiled(cd.impact, TREE)(Q[0], QD[0], **good)
    assert str(fast.value) == str(plain.value)


@pytest.mark.parametrize("restitution", [0, 1])
def test_both_ends_of_restitution_are_compiled(restitution):
    given = {"normal": np.array([1.0, 0, 0]), "restitution": restitution, "body": 6}
    fast = compiled(cd.impact, TREE)
    mine, theirs = fast(Q[0], QD[0], **given), cd.impact(TREE, Q[0], QD[0], **given)
    assert abs(mine.impulse - theirs.impulse) <= 1e-9 * max(abs(theirs.impulse), 1)


@pytest.mark.parametrize(
    "name",
    [
        "talos_data/robots/talos_reduced.urdf",
        "allegro_hand_description/urdf/allegro_right_hand.urdf",
        "solo_description/robots/solo12.urdf",
    ],
)
def test_robots_from_files_are_compiled(robot_file, name):
    chain = cd.load_urdf(robot_file(name))
    q, qd = cd.random_state(chain, 3, batch=(4,))
    fast = compiled(cd.aba, chain)
    limit = 100 * EPS * np.linalg.cond(cd.crba(chain, q)).max()
    assert normwise(fast(q, qd, qd), cd.aba(chain, q, qd, qd)) <= limit
    assert None not in fast.programs.values()


# a reader's own


def virtual_work(chain, q, qd, tau):
    """Return the power of joint forces and of what they must fight."""
    return ((tau - cd.bias_force(chain, q, qd)) * qd).sum(-1)


def test_a_function_of_ones_own_is_compiled():
    fast = compiled(virtual_work, TREE)
    assert normwise(fast(Q, QD, TAU), virtual_work(TREE, Q, QD, TAU)) <= bound(TREE.n)
    assert list(fast.programs.values()) != [None]


@dataclass(frozen=True, eq=False)
class Bolt(cd.Joint):
    """A reader's own joint: a turn about z that climbs."""

    lead: object = 0.1

    def pose(self, q):
        from chaindyn._ops import concatenate

        R = cd.rotation_about(np.array([0, 0, 1]), q)
        return R, concatenate([0 * q, 0 * q, np.asarray(self.lead)[..., None] * q], axis=-1)

    def motion_subspace(self, q):
        from chaindyn._ops import concatenate

        lead = np.asarray(self.lead)[..., None] + 0 * q
        return concatenate([0 * q, 0 * q, 0 * q + 1, 0 * q, 0 * q, lead], axis=-1)[..., None]


def test_a_joint_of_ones_own_is_compiled():
    links = [
        cd.Link(Bolt(0.1 * (i + 1)), 1.0, (0.2, 0.1, 0), np.eye(3) * 0.1, (0.3, 0, 0))
        for i in range(3)
    ]
    chain = cd.Chain(links)
    q, qd = cd.random_state(chain, 4, batch=(6,))
    fast = compiled(cd.aba, chain)
    assert normwise(fast(q, qd, qd), cd.aba(chain, q, qd, qd)) <= 1e-11
    assert None not in fast.programs.values()


def test_what_hangs_on_values_is_not_compiled_and_says_so():
    def choosy(chain, q):
        return q if q[0] > 0 else -q

    q, fast = -np.ones(6), compiled(choosy, ur5())
    with pytest.warns(RuntimeWarning, match="is not compiled"):
        assert np.array_equal(fast(q), -q)


def reached(a, b):
    """Return whether two arrays have the same entries, as a number."""
    return np.float64(np.array_equal(a, b))


LOOKS = {
    "==": lambda q: np.where(q == 0, 1.0, 2.0),
    "!=": lambda q: np.where(q != 0, 1.0, 2.0),
    "== of one": lambda q: np.float64(1.0 if q[0] == 0 else 2.0),
    "== of a sum": lambda q: np.where(q + q == 0, 1.0, 2.0),
    "in": lambda q: np.float64(0.3 in q),
    "array_equal": lambda q: reached(q, np.zeros(len(q))),
    "array_equal, kinds of links": lambda q: reached(np.zeros(len(q)), q),
    "a set": lambda q: np.float64(len(set(q))),
    "a dictionary": lambda q: np.float64({x: 1.0 for x in q}.get(0.3, 2.0)),
    "astype": lambda q: q.astype(int).astype(float),
    "astype, of another": lambda q: (2 * q).astype("int32").astype(float),
    "astype, single": lambda q: (q / 3).astype(np.float32).astype(float),
    "int": lambda q: np.array([float(int(x)) for x in q]),
    "round": lambda q: np.round(q),
    "str": lambda q: np.float64(len(str(q))),
    "str of one": lambda q: np.float64(len(str(q[0]))),
    "format": lambda q: np.float64(len(f"{q[0]:.3f}")),
    "repr": lambda q: np.float64(len(repr(q))),
    "repr of one": lambda q: np.float64(len(repr(q[0]))),
    "index": lambda q: np.float64(list(q).index(0.3)),
    "count": lambda q: np.float64(list(q).count(0)),
}


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize("n", [6, 20])
def test_who_looks_at_a_number_is_not_compiled(name, n):
    """Python compares by identity what has no equality of its own: that must not pass for an answer."""
    chain = ur5() if n == 6 else random_tree(Case(20, seed=1, kinds=(cd.Revolute,)))
    q = np.arange(float(n))
    q[1] = 0.3

    def looking(chain, q):
        return LOOKS[name](q)

    with pytest.warns(RuntimeWarning, match="is not compiled") as told:
        found = compiled(looking, chain)(q)
    assert np.array_equal(found, LOOKS[name](q))
    (message,) = [str(w.message) for w in told]
    assert len(message) < 200 and "\n" not in message


def old_cross(a, b):
    """Return the cross product as NumPy 2.0 computes it, which cannot hold objects in what it takes for floats."""
    a, b = np.asarray(a), np.asarray(b)
    found = np.empty(3, np.promote_types(a.dtype, b.dtype))
    np.multiply(a[1], b[2], out=found[0, ...])
    scratch = np.array(a[2] * b[1])
    found[0] = found[0] - scratch
    for place, i, j in ((1, 2, 0), (2, 0, 1)):
        np.multiply(a[i], b[j], out=found[place, ...])
        np.multiply(a[j], b[i], out=scratch)
        found[place] = found[place] - scratch
    return found


@pytest.mark.parametrize("n", [6, 20])
@pytest.mark.parametrize("cross", [np.cross, old_cross], ids=["this NumPy", "NumPy 2.0"])
def test_products_of_vectors_are_recorded_by_every_numpy(monkeypatch, cross, n):
    monkeypatch.setattr(np, "cross", cross)
    cross_takes_mixed_arrays.cache_clear()
    if cross is old_cross:
        assert not cross_takes_mixed_arrays()

    def turned(chain, q):
        r, w = np.array([0 * q[0], 0, q[1]]), np.array([0.5, 0.1, -0.2])
        return np.stack([np.cross(w, r), np.cross(r, w), np.cross(r, np.array([1, q[2], 0]))])

    chain = ur5() if n == 6 else random_tree(Case(20, seed=1, kinds=(cd.Revolute,)))
    fast, q = compiled(turned, chain), np.arange(float(n)) + 0.3
    assert np.allclose(fast(q), turned(chain, q), rtol=1e-14)
    assert fast.runs == (1, 0)
    assert np.cross is cross
    cross_takes_mixed_arrays.cache_clear()


PRODUCTS_OF_ARRAYS = {
    "outer": lambda q, w: np.outer(w, q),
    "dot": lambda q, w: np.dot(w, q),
    "vdot": lambda q, w: np.vdot(q, w),
    "inner": lambda q, w: np.inner(q, w),
    "kron": lambda q, w: np.kron(w, q),
    "einsum": lambda q, w: np.einsum("i,j->ij", q, w),
    "tensordot": lambda q, w: np.tensordot(q, w, 0),
    "norm": lambda q, w: np.linalg.norm(q),
    "norm along an axis": lambda q, w: np.linalg.norm(np.stack([q, w]), axis=0),
    "var": lambda q, w: np.var(q),
    "sum": lambda q, w: np.sum(q * w) + np.mean(q) + np.prod(q[:2]),
}


@pytest.mark.parametrize("name", PRODUCTS_OF_ARRAYS)
def test_numpys_products_and_sums_are_recorded(name):
    w = np.array([0.5, 0, 1, -2, 3, 0.1])
    fast, q = compiled(lambda chain, q: PRODUCTS_OF_ARRAYS[name](q, w), ur5()), w[::-1] + 0.3
    assert np.allclose(fast(q), PRODUCTS_OF_ARRAYS[name](q, w), rtol=1e-14)
    assert fast.runs == (1, 0)


def test_a_copy_is_the_number_itself():
    def copying(chain, q):
        return copy.deepcopy(q) * q + copy.copy(q)

    for chain in (ur5(), random_tree(Case(20, seed=1, kinds=(cd.Revolute,)))):
        q, fast = np.arange(float(chain.n)), compiled(copying, chain)
        assert np.array_equal(fast(q), q * q + q)
        assert None not in fast.programs.values()


FAILS = {
    "ZeroDivisionError": lambda q: 1 / (0 * q),
    "ArithmeticError": lambda q: q + {0: 1.0}[len(q) - 6] / (q[0] - q[0]),
    "KeyError": lambda q: {float: q}[type(q[0]) if type(q[0]) is not np.float64 else float],
    "AssertionError": lambda q: q if isinstance(q[0], float) else [][1:].pop(),
    "NotImplementedError": lambda q: not_of_numbers(q),
    "many words": lambda q: not_of_numbers([q] * 1000),
}


def not_of_numbers(q):
    """Return numbers, or refuse other things at length."""
    if isinstance(q, list):
        q = q[0]
        words = "very " * 1000
    else:
        words = "\n"
    if not isinstance(q[0], float):
        raise NotImplementedError(f"not of {words} strange things")
    return q


@pytest.mark.parametrize("name", FAILS)
def test_whatever_fails_in_a_recording_ends_it_and_not_the_user(name):
    q = np.arange(6.0) + 1

    def failing(chain, q):
        return FAILS[name](q)

    with np.errstate(all="ignore"):
        with pytest.warns(RuntimeWarning, match="is not compiled") as told:
            found = compiled(failing, ur5())(q)
        assert np.array_equal(found, FAILS[name](q))
    (message,) = [str(w.message) for w in told if w.category is RuntimeWarning]
    assert len(message) < 200 and "\n" not in message


def test_forces_at_the_tip_of_one_link_are_as_interpreted():
    chain = cd.Chain([cd.Link(cd.Revolute((0, 0, 1)), 1.0, (0.1, 0.2, 0.3), np.eye(3))])
    function = partial(cd.inverse_operational_space_inertia)
    fast = compiled(cd.inverse_operational_space_inertia, chain)
    q = np.array([0.3])
    assert normwise(fast(q), cd.inverse_operational_space_inertia(chain, q)) <= bound(1)
    with pytest.raises(ValueError) as plain:
        cd.operational_space_inertia(chain, q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError) as told:
            compiled(cd.operational_space_inertia, chain)(q)
    assert str(told.value) == str(plain.value)
    assert repr(compiled(function, chain)) == "<partial, compiled for 1 links>"


def test_a_compiled_function_says_in_a_line_what_it_is():
    for chain in (ur5(), TREE):
        for options in ({}, {"derivatives": True}, {"parameters": "data"}):
            for function in (cd.aba, cd.aba_derivatives, cd.crba):
                if options == {"derivatives": True} and function is not cd.aba:
                    continue
                words = repr(compiled(function, chain, **options))
                assert function.__name__ in words and len(words) < 100


def test_too_long_a_recording_is_given_up(monkeypatch):
    monkeypatch.setattr(sys.modules[Tape.__module__], "MOST", 1_000)  # the real one takes long
    chain = random_tree(Case(20, seed=1, kinds=(cd.Revolute,)))
    q, qd = cd.random_state(chain, 2)
    fast = compiled(lambda chain, q, qd: cd.coriolis_matrix(chain, q, qd), chain)
    with pytest.warns(RuntimeWarning, match="operations"):
        assert np.array_equal(fast(q, qd), cd.coriolis_matrix(chain, q, qd))


# what would take too much text: matrices by columns on their way to the ground

BY_OTHER_WAY = (cd.crba, cd.coriolis_matrix, cd.rnea_derivatives, cd.aba_derivatives)


def geared_tree(n: int) -> cd.Chain:
    """Return a tree of hinges and slides with rotors; a chain, if it is short."""
    tree = random_tree(Case(n, branching=n > 3, seed=8, kinds=(cd.Revolute, cd.Prismatic)))
    drives = [cd.Drive(rotor_inertia=0.01 * (i + 1), gear_ratio=3.0) for i in range(n)]
    return cd.Chain([replace(x, drive=d) for x, d in zip(tree.links, drives, strict=True)])


def arguments_of(function, q, qd, tau):
    return (q, qd, tau)[: {cd.crba: 1, cd.coriolis_matrix: 2}.get(function, 3)]


@pytest.mark.parametrize("n", [3, 30])
@pytest.mark.parametrize("function", BY_OTHER_WAY)
def test_matrices_and_derivatives_of_chains_of_any_length(function, n):
    chain = geared_tree(n)
    q, qd = cd.random_state(chain, 2, batch=(2, 3))
    tau = np.random.default_rng(3).normal(size=q.shape)
    given, fast = arguments_of(function, q, qd, tau), compiled(function, chain)
    limit = 100 * EPS * np.linalg.cond(cd.crba(chain, q)).max()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch = leaves_of(fast(*given))
        one = leaves_of(fast(*[x[1, 2] for x in given]))
        shared = leaves_of(fast(q[0, 0], *given[1:]))
    for mine, single, common, whole, first in zip(
        batch,
        one,
        shared,
        leaves_of(function(chain, *given)),
        leaves_of(function(chain, q[0, 0], *given[1:])),
        strict=True,
    ):
        assert mine.shape == whole.shape == (2, 3, n, n)
        assert normwise(mine, whole) <= limit
        assert normwise(single, whole[1, 2]) <= limit
        assert common.shape == first.shape
        assert normwise(common, first) <= limit


@pytest.mark.parametrize("frame", [None, "body", "world", "mixed"])
def test_forward_dynamics_of_branches_is_differentiated(frame):
    """Against complex steps: joints of every kind, and branches that meet at one link and at the next."""
    chain = random_tree(Case(8, branching=True, seed=40, kinds=EVERY_KIND))
    assert len(set(chain.parent)) < chain.n - 2
    q, qd = cd.random_state(chain, 4)
    rng, n = np.random.default_rng(5), chain.nv
    tau, wrench = rng.normal(size=n), rng.normal(size=(chain.n, 6))
    held = {} if frame is None else {"external": wrench, "external_frame": frame}
    fast = compiled(cd.aba_derivatives, chain)
    found, steps = fast(q, qd, tau, **held), 1e-30j * np.eye(n)
    same = np.zeros((n, 1))
    at = [(cd.integrate(chain, q + same, steps), qd + same, tau + same)]
    at += [(q + same, qd + steps, tau + same), (q + same, qd + same, tau + steps)]
    limit = 100 * EPS * np.linalg.cond(cd.crba(chain, q))
    for mine, state in zip(found, at, strict=True):
        assert normwise(mine, cd.aba(chain, *state, **held).imag.T / 1e-30) <= limit
    assert fast.runs == (1, 0)


def relabelled(chain: cd.Chain, order: list[int]) -> cd.Chain:
    """Return the same chain, its links in another order."""
    place = {i: k for k, i in enumerate(order)}
    links = [
        replace(chain.links[i], parent=place[p] if (p := chain.parent[i]) >= 0 else "ground")
        for i in order
    ]
    return cd.Chain(links)


def trees_with_columns() -> dict[str, cd.Chain]:
    """Return chains on which columns pass links of all kinds, branches that follow each other or not, and nothing."""
    mixed = random_tree(Case(14, branching=True, seed=4, kinds=EVERY_KIND))
    depth = [0] * 14
    for i, p in enumerate(mixed.parent):
        depth[i] = depth[p] + 1 if p >= 0 else 0
    by_depth = sorted(range(14), key=lambda i: (depth[i], -i))
    flat = [cd.Link(cd.Revolute((0, 0, 1)), 1, (1, 0, 0), np.eye(3), (1, 0, 0))] * 13
    free = cd.Link(cd.Free(), 2, (0, 0, 0.1), np.eye(3))
    return {
        "every kind": mixed,
        "level by level": relabelled(mixed, by_depth),
        "serial, a free base": cd.Chain([free, *random_tree(Case(13, seed=2)).links]),
        "rotors": geared_tree(14),
        "in a plane": cd.Chain(flat),
        "all on the ground": cd.Chain([replace(x, parent="ground") for x in flat]),
    }


@pytest.mark.parametrize("name", trees_with_columns())
@pytest.mark.parametrize("function", [cd.crba, cd.coriolis_matrix, cd.rnea_derivatives])
def test_columns_on_their_way_fill_the_matrix_and_leave_its_zeros(name, function):
    chain = trees_with_columns()[name]
    cores = dict(arguments_of(function, ("q", ("nq",)), ("qd", ("nv",)), ("qdd", ("nv",))))
    recorded = record(function, chain, cores, {})
    assert recorded.plan.on_the_way or name == "all on the ground"
    q, qd = cd.random_state(chain, 2, batch=(5,))
    given, fast = arguments_of(function, q, qd, qd), compiled(function, chain)
    whole = function(chain, *given)
    carries = cd.tree_matrix(chain)[:, chain.link_of_column][chain.link_of_column] > 0
    apart = ~(carries | carries.T)
    one = [
        np.stack(x)
        for x in zip(*[leaves_of(fast(*x)) for x in zip(*given, strict=True)], strict=True)
    ]
    for found in (leaves_of(whole), leaves_of(fast(*given)), one):
        for mine, theirs in zip(found, leaves_of(whole), strict=True):
            assert normwise(mine, theirs) <= bound(chain.n)
            assert not mine[:, apart].any()
    assert fast.runs.interpreted == 0


def test_a_mass_matrix_has_derivatives_where_its_columns_would_be_on_their_way():
    chain = geared_tree(13)
    q, _ = cd.random_state(chain, 2)
    M, (by_q,) = compiled(cd.crba, chain, derivatives=True)(q)
    steps = [cd.crba(chain, q + 1e-30j * e).imag / 1e-30 for e in np.eye(13)]
    assert normwise(M, cd.crba(chain, q)) <= bound(13)
    assert normwise(by_q, np.stack(steps, axis=-1)) <= bound(13)


@pytest.mark.parametrize("function", BY_OTHER_WAY)
def test_they_are_refused_in_the_same_words(function):
    chain = geared_tree(30)
    q, qd = cd.random_state(chain, 2)
    fast = compiled(function, chain)
    for spoilt in (q[:-1], np.where(np.arange(30) == 4, np.nan, q)):
        given = arguments_of(function, spoilt, qd, qd)
        with pytest.raises(ValueError) as theirs:
            function(chain, *given)
        with pytest.raises(ValueError) as mine:
            fast(*given)
        assert str(mine.value) == str(theirs.value)


def test_slopes_of_forward_dynamics_are_refused_where_a_joint_feels_no_inertia():
    tree = random_tree(Case(29, branching=True, seed=8, kinds=(cd.Revolute,)))
    chain = cd.Chain(
        [*tree.links, cd.Link(cd.Revolute(), 0, (0, 0, 0), np.zeros((3, 3)), name="ghost")]
    )
    q, qd = cd.random_state(chain, 2)
    for batch in (q, np.stack([q, q])):
        with pytest.raises(ValueError, match=r"ghost.* feels no inertia"):
            compiled(cd.aba_derivatives, chain)(batch, qd, qd)


def test_quaternions_of_another_length_are_refused_by_matrices_too():
    chain = random_tree(Case(30, seed=1, kinds=(cd.Spherical,)))
    q, _ = cd.random_state(chain, 2)
    assert compiled(cd.crba, chain)(q).shape == (90, 90)
    with pytest.raises(ValueError, match=r"length 1\.1"):
        compiled(cd.crba, chain)(1.1 * q)
    for given in (1.1 * q, np.stack([q, 1.1 * q])):
        with pytest.raises(ValueError, match=r"length 1\.1"):
            compiled(cd.rnea_derivatives, chain)(given, np.ones(90), np.ones(90))


def test_wrenches_from_outside_stay_with_the_function_as_it_stands():
    chain = geared_tree(3)
    q, qd = cd.random_state(chain, 2)
    external = np.random.default_rng(1).normal(size=(3, 6))
    for frame in ("body", "world"):
        options = {"external": external, "external_frame": frame}
        found = compiled(cd.rnea_derivatives, chain)(q, qd, qd, **options)
        for mine, theirs in zip(
            found, cd.rnea_derivatives(chain, q, qd, qd, **options), strict=True
        ):
            assert normwise(mine, theirs) <= bound(3)


def test_an_open_model_has_its_mass_matrix_too():
    chain, other = geared_tree(14), geared_tree(14)
    other = cd.Chain([replace(x, mass=2 * x.mass) for x in other.links])
    q, _ = cd.random_state(chain, 2)
    fast = compiled(cd.crba, chain, parameters="data")
    assert normwise(fast.for_chain(other)(q), cd.crba(other, q)) <= bound(14)


# the text


def texts(chain, function=cd.aba, *, straight=0):
    """Return the programs of a function for a chain, for one state and for batches, as one text."""
    cores = {"q": ("nq",), "qd": ("nv",), "tau": ("nv",)}
    recorded = record(function, chain, cores, {}, straight=straight)
    counts = len(recorded.inputs), len(recorded.outputs)
    return "".join(c_program(recorded.plan, *counts, lanes=lanes) for lanes in (False, True))


def test_short_chains_are_straight_text_and_long_ones_loops():
    short, long = (random_tree(Case(n, seed=1, kinds=(cd.Revolute,))) for n in (3, 14))
    assert "link0_1" not in texts(short, straight=3000)
    assert "g[0]=" not in texts(short, straight=3000)  # its numbers have names
    assert texts(long, straight=3000) == texts(long)
    assert "link0_1" in texts(long)


def test_text_is_as_long_as_there_are_kinds_of_links():
    hinges = {n: random_tree(Case(n, seed=1, kinds=(cd.Revolute,))) for n in (5, 200)}
    assert len(texts(hinges[5])) == len(texts(hinges[200]))
    assert len(texts(TREE)) < 12 * len(texts(hinges[5]))


def test_names_and_numbers_of_a_model_do_not_reach_the_text():
    name = 'x"; puts("here"); int y = 1; // */ #include <stdio.h>'
    links = [
        cd.Link(cd.Revolute((0, 0, 1)), 123.456789, (0.1, 0, 0), np.eye(3), name=name),
        cd.Link(cd.Prismatic((1, 0, 0)), 1.0, (0, 0, 0), np.eye(3)),
    ]
    chain = cd.Chain(links, frames=[cd.Frame(name + "?", 0)])
    text = texts(chain) + texts(chain, straight=3000)
    assert 'puts("here' not in text
    assert "123.456" not in text
    assert 'puts("here' not in compiled(cd.aba, chain, target="javascript")
    q = np.array([0.2, 0.3])
    assert normwise(compiled(cd.aba, chain)(q, q, q), cd.aba(chain, q, q, q)) <= bound(2)


def test_no_text_hangs_on_the_numbers_of_an_open_model():
    first, second = (random_tree(Case(6, seed=s, kinds=(cd.Revolute,))) for s in (1, 2))
    cores = {"q": ("nq",), "qd": ("nv",), "tau": ("nv",)}
    both = [record(cd.aba, c, cores, {}, open_model=True) for c in (first, second)]
    first_text, second_text = (c_program(x.plan, 3, 2, lanes=False) for x in both)
    assert first_text == second_text
    other = cd.Chain(
        [
            cd.Link(x.joint, 2 * x.mass, x.com, 3 * x.inertia, x.offset, x.rotation)
            for x in first.links
        ]
    )
    fast = compiled(cd.aba, first, parameters="data").for_chain(other)
    q, qd = cd.random_state(other, 3)
    assert normwise(fast(q, qd, qd), cd.aba(other, q, qd, qd)) <= 100 * EPS * np.linalg.cond(
        cd.crba(other, q)
    )
    with pytest.raises(ValueError, match="another tree or other joints"):
        compiled(cd.aba, first, parameters="data").for_chain(TREE)


def test_the_articulated_inertia_is_found_to_be_symmetric():
    chain = random_tree(Case(5, seed=1, kinds=(cd.Revolute,)))
    recorded = record(cd.articulated_inertia, chain, {"q": ("nq",)}, {})
    (swept,) = [s for s in recorded.plan.recording.sweeps if s.inward]
    assert len(next(iter(swept.made.values()))) == 21


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
def test_javascript_gives_the_same_numbers(tmp_path):
    module = tmp_path / "aba.mjs"
    module.write_text(compiled(cd.aba, TREE, target="javascript"))
    given = json.dumps([x[0].tolist() for x in (Q, QD, TAU)])
    lines = [
        f"import f from {json.dumps(module.as_uri())};",
        f"console.log(JSON.stringify([...f(...{given})]));",
        "try { f([1], [2], [3]); } catch (problem) { console.log(problem.message); }",
    ]
    text = "\n".join(lines)
    done = subprocess.run(
        ["node", "--input-type=module", "-e", text], capture_output=True, text=True, check=True
    )
    numbers, refusal = done.stdout.splitlines()
    limit = 100 * EPS * np.linalg.cond(cd.crba(TREE, Q[0]))
    assert normwise(np.array(json.loads(numbers)), cd.aba(TREE, Q[0], QD[0], TAU[0])) <= limit
    assert "argument 0 has 1 numbers" in refusal


def test_a_compiled_blow_along_stretched_rods_warns_as_the_interpreted_one():
    """Where rods in line yield by rounding alone, a program must not decide: the interpreted function takes over."""
    rods = [
        cd.Link(cd.Revolute((0, 0, 1)), 1.0, (0.5, 0, 0), np.diag([0.01, 1 / 12, 1 / 12]), offset)
        for offset in ((0, 0, 0), (1, 0, 0))
    ]
    chain, along = cd.Chain(rods), np.array([np.cos(0.7), np.sin(0.7), 0])
    blow = {"point": 2 * along, "normal": along, "restitution": np.array(0.5)}
    for strike in (partial(cd.impact, chain), compiled(cd.impact, chain)):
        with pytest.warns(RuntimeWarning, match="less than 1e-12"):
            hit = strike(np.array([0.7, 0.0]), np.array([1.0, 2.0]), **blow)
        assert hit.impulse == 0
        assert hit.effective_mass == np.inf


def wrench_on_the_ground(chain, q):
    """Return the wrench (6,) that the ground receives if every link accelerates by 1 along its z axis."""
    state = evaluate(chain, q)
    own = _ops.unstack(state.inertias @ _ops.eye(6)[:, 5:], -3)
    _, (whole,) = inward(sum_wrenches, chain.parent, (_ops.zeros((6, 1)),), state.X, own)
    return whole[..., 0]


def test_what_the_ground_receives_is_not_added_up_from_call_to_call():
    chain = random_tree(Case(20, branching=True, seed=3, kinds=EVERY_KIND))
    q, _ = cd.random_state(chain, 1)
    fast, whole = compiled(wrench_on_the_ground, chain), wrench_on_the_ground(chain, q)
    for _ in range(3):
        assert normwise(fast(q), whole) <= 100 * EPS * chain.n


# motions


@pytest.mark.parametrize("method", ["RK4", "semi-implicit Euler"])
def test_a_rollout_is_a_simulation(method):
    chain = random_tree(
        Case(4, branching=True, seed=5, kinds=(cd.Revolute, cd.Spherical, cd.Prismatic))
    )
    q, qd = cd.random_state(chain, 2, batch=(6,))
    tau = np.random.default_rng(1).normal(size=(6, chain.nv))
    t = np.array([0, 0.02, 0.05])
    many = rollout(chain, q, qd, t=t, torque=tau, method=method, step=0.005)
    for k in range(6):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            one = cd.simulate(chain, q[k], qd[k], t=t, torque=tau[k], method=method, step=0.005)
        assert normwise(many.q[:, k], one.q) <= 1e-11
        assert normwise(many.qd[:, k], one.qd) <= 1e-10
    alone = rollout(chain, q[0], qd[0], t=t, torque=tau[0], method=method, step=0.005)
    assert normwise(alone.q, many.q[:, 0]) <= 1e-12
    fast = cd.simulate(
        chain, q[0], qd[0], t=t, torque=tau[0], method=method, step=0.005, compiled=True
    )
    assert normwise(fast.q, many.q[:, 0]) <= 1e-12


@pytest.mark.parametrize("links", [4, 40])
@pytest.mark.parametrize("method", ["RK4", "semi-implicit Euler"])
def test_a_rollout_of_few_links_or_many_is_a_simulation(links, method):
    drive = cd.Drive(rotor_inertia=0.2, viscous=0.3, coulomb=0.1)
    tree = random_tree(Case(links, seed=7, kinds=(cd.Revolute,)))
    chain = cd.Chain([replace(link, drive=drive) for link in tree.links])
    q, qd = cd.random_state(chain, 4, batch=(5,))
    given = {"t": [0, 0.01, 0.02], "torque": np.cos(np.arange(links)), "method": method}
    many, one = (run(chain, q, qd, step=0.002, **given) for run in (rollout, cd.simulate))
    assert normwise(many.q, one.q) <= 1e-11
    assert normwise(many.qd, one.qd) <= 1e-9


def test_short_chains_ask_one_program_for_each_slope():
    slopes = {"RK4": 4, "semi-implicit Euler": 1}
    for method, count in slopes.items():
        step = step_of(method)
        whole = recorded_step(step, ur5())
        text = c_program(whole.plan, 4, 3, lanes=False)
        assert text.count("run_asked_s(") == count + 1
        alone = recorded_step(step, random_tree(Case(20, seed=2))).plan.asked is None
        assert alone


def test_a_mass_matrix_that_becomes_singular_on_the_way_is_refused():
    hinge = cd.Revolute((1, 2, 3))
    # two hinges on one line: what the first feels is zero but for rounding
    turned = cd.rotation_about(hinge.axis, np.array([0.7]))
    body = cd.Link(hinge, 1.0, (0.1, 0.2, -0.3), np.diag([1.0, 2.0, 2.5]), 0.3 * hinge.axis, turned)
    twice = [cd.Link(hinge, 0, (0, 0, 0), np.zeros((3, 3))), body]
    before = cd.Link(cd.Revolute((0, 0, 1)), 1.0, (0.1, 0.0, 0.0), np.eye(3))
    for links in (twice, [before, *twice], [before] * 30 + twice):
        q = np.zeros((2, len(links)))
        for states in (q[0], q):
            with pytest.raises(ValueError, match="becomes singular"):
                given = {"t": [0, 0.01], "step": 0.01, "method": "semi-implicit Euler"}
                rollout(cd.Chain(links), states + 0.3, states + 1, **given)


def test_forces_may_change_from_stretch_to_stretch():
    chain = ur5()
    q, qd = cd.random_state(chain, 2, batch=(3,))
    t = np.array([0, 0.01, 0.03])
    tau = np.random.default_rng(1).normal(size=(2, 3, chain.nv))
    many = rollout(chain, q, qd, t=t, torque=tau, step=0.005)
    first = rollout(chain, q, qd, t=t[:2], torque=tau[0], step=0.005)
    second = rollout(chain, first.q[-1], first.qd[-1], t=t[1:], torque=tau[1], step=0.005)
    assert np.array_equal(many.q[2], second.q[-1])
    with pytest.raises(ValueError, match="2 stretches"):
        rollout(chain, q, qd, t=np.array([0, 0.01]), torque=tau)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"t": [0, 0]}, "t"),
        ({"step": -1.0}, "step"),
        ({"method": "Adams"}, "method"),
        ({"torque": np.full(6, np.nan)}, "torque"),
        ({"torque": np.zeros(5)}, "torque"),
        ({"step": 1e-300}, "step is 1e-300 s, but near t = 0.01 s times are"),
        ({"step": 5e-324}, "step"),
        ({"threads": "x"}, "threads is 'x'"),
        ({"threads": 0}, "threads is 0"),
        ({"method": []}, r"method is \[\]"),
    ],
)
def test_bad_rollouts_are_refused(bad, words):
    q = np.zeros(6)
    with pytest.raises(ValueError, match=words):
        rollout(ur5(), q, q, **({"t": [0, 0.01]} | bad))


def test_a_motion_that_leaves_all_bounds_says_when():
    q = np.zeros(6)
    with pytest.raises(ValueError, match=r"between t = 0 and 0\.5"):
        rollout(ur5(), q, q + 1e200, t=[0, 0.5, 1])


def test_of_many_motions_the_one_that_fails_is_named(monkeypatch):
    q, qd = np.zeros((2, 5, 6)), np.zeros((2, 5, 6))
    qd[1, 3] = 1e200
    for at_once in (100_000, 1):
        monkeypatch.setattr("chaindyn.compiler.rollouts.MOST_AT_ONCE", at_once)
        for threads in (1, 2):
            with pytest.raises(ValueError, match=r"motion \[1, 3\] leaves"):
                rollout(ur5(), q, qd, t=[0, 0.01], threads=threads)
    for bad in range(10):
        qd = np.zeros((10, 6))
        qd[[bad, -1]] = 1e200
        with pytest.raises(ValueError, match=rf"motion \[{bad}\] leaves"):
            rollout(ur5(), q.reshape(10, 6), qd, t=[0, 0.002])


@pytest.mark.parametrize("method", ["RK4", "semi-implicit Euler"])
def test_of_many_motions_the_one_that_becomes_faster_than_light_is_named(method):
    """Under 1e12 N a kilogram is so after 0.3 ms, under 2.9e11 N not within 1 ms."""
    slide = cd.Link(cd.Prismatic((1, 0, 0)), 1.0, (0, 0, 0), np.eye(3))
    chain, still, pushes = cd.Chain([slide]), np.zeros((2, 3, 1)), np.full((2, 3, 1), 2.9e11)
    given = {"t": [0, 0.0005, 0.001], "step": 1e-4, "method": method}
    fast = rollout(chain, still, still, torque=pushes, **given)
    assert fast.qd[-1] == pytest.approx(2.9e8, rel=1e-12)
    pushes[1, 1:] = 1e12
    with pytest.raises(ValueError, match=r"0\.0005 s motion \[1, 1\] becomes faster than light"):
        rollout(chain, still, still, torque=pushes, **given)
    with pytest.raises(ValueError, match=r"0\.0005 s motion becomes faster than light"):
        rollout(chain, still[0, 0], still[0, 0], torque=[1e12], **given)


@pytest.mark.parametrize("count", [1, 7])
def test_a_march_in_portions_is_the_same_to_the_bit(monkeypatch, count):
    chain = ur5()
    q, qd = cd.random_state(chain, 2, batch=(count,))
    given = {"t": [0, 0.011, 0.03], "step": 0.001}
    whole = rollout(chain, q, qd, **given)
    for at_once in (1, 5, 17):
        monkeypatch.setattr("chaindyn.compiler.rollouts.MOST_AT_ONCE", at_once)
        parts = rollout(chain, q, qd, **given)
        assert np.array_equal(parts.q, whole.q) and np.array_equal(parts.qd, whole.qd)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
def test_a_rollout_can_be_interrupted():
    chain = cd.Chain([cd.Link(cd.Revolute((0, 0, 1)), 1.0, (0.5, 0, 0), np.eye(3))])
    rollout(chain, np.zeros(1), np.zeros(1), t=[0, 0.01])  # is compiled

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    start = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            rollout(chain, np.zeros(1), np.zeros(1), t=[0, 20], step=1e-6)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - start < 2


def test_nonsense_about_arrays_is_refused_in_clear_words():
    for shapes, words in [
        ({"x": 3}, "the shape of x is 3"),
        ({"x": ("nz",)}, r"the shape of x is \('nz',\)"),
        ({"x": (2.5,)}, "the shape of x"),
        ({"x": (-1,)}, "the shape of x"),
        ({"x": None}, "the shape of x"),
        ({"y": ("nq",)}, r"names 'y', but the function's arguments are \['x'\]"),
        (["x"], "shapes is"),
    ]:
        with pytest.raises(ValueError, match=words):
            compiled(lambda chain, x: x, ur5(), shapes=shapes)
    assert compiled(lambda chain, x: 2 * x, ur5(), shapes={"x": (np.int64(2),)})(np.ones(2))[1] == 2


def test_a_chain_of_symbols_is_refused_in_clear_words():
    m = sympy.Symbol("m", positive=True)
    chain = cd.Chain([cd.Link(cd.Revolute((0, 0, 1)), m, (0, 0, 0), np.zeros((3, 3)))])
    with pytest.raises(ValueError, match=r"the chain's mass is .* must hold real numbers"):
        compiled(cd.aba, chain)
    with pytest.raises(ValueError, match="the chain's mass"):
        rollout(chain, np.zeros(1), np.zeros(1), t=[0, 1])


def test_compiled_simulations_refuse_what_they_cannot():
    q = np.zeros(6)
    with pytest.raises(ValueError, match="variational"):
        cd.simulate(ur5(), q, q, t=[0, 0.1], method="variational", step=0.01, compiled=True)


# numbers that record


def test_equal_formulas_are_one_number():
    tape = Tape()
    a, b, c = (tape.unknown("input", k) for k in range(3))
    assert (a + b) * c is a * c + c * b
    assert (a + b) * (a - b) is a * a - b * b
    assert a.sin() * a.sin() + a.cos() * a.cos() is tape.constant(1)
    assert a / b * b is a
    assert (a - a) is tape.constant(0)
    assert (b - a) is not (a - b)
    assert (-(b - a)).mark == (a - b).mark
    assert a.sin() is not b.sin()
    assert a * b is not a * c


def test_of_equal_formulas_none_is_lost_to_rounding():
    """One minus the square of a cosine is the square of the sine, but not for small angles in floating point."""
    tape = Tape()
    a, b = (tape.unknown("input", k) for k in range(2))
    near = 1 - a.cos() * a.cos()
    square = a.sin() * a.sin()
    assert square is not near and square is a.sin() * a.sin()
    assert 1 - a.cos() * a.cos() is near
    assert square * b is b * square
    steep = 1 - b.sin() * b.sin()
    assert b.cos() * b.cos() is not steep
    apart = a * a - b * b
    assert (a + b) * (a - b) is not apart
    assert (a - b) * (b + a) is (a + b) * (a - b)
    # the other way round the better one is there already
    other = Tape()
    a, b = (other.unknown("input", k) for k in range(2))
    assert a.sin() * a.sin() is 1 - a.cos() * a.cos()
    assert (a + b) * (a - b) is a * a - b * b
    # a constant is never what was computed
    for make in (lambda t, a: a.sin() * a.sin() + a.cos() * a.cos(), lambda t, a: a / a):
        third = Tape()
        assert make(third, third.unknown("input", 0)) is third.constant(1)
    third = Tape()
    a = third.unknown("input", 0)
    half = (a + 0.5) - a
    assert half.op == "constant" and half is third.constant(0.5)


def of_a_cosine_first(chain, q, qd):
    return np.stack([1 - np.cos(q) * np.cos(q), np.sin(q) * np.sin(q)])


def of_squares_first(chain, q, qd):
    r = np.pi / 2 - q
    return np.stack([1 - np.sin(r) * np.sin(r), np.cos(r) * np.cos(r)])


def of_a_difference_first(chain, q, qd):
    return np.stack([q * q - qd * qd, (q + qd) * (q - qd)])


@pytest.mark.parametrize("n", [6, 20])
@pytest.mark.parametrize("law", [of_a_cosine_first, of_squares_first, of_a_difference_first])
def test_each_formula_keeps_its_own_digits(law, n):
    chain = ur5() if n == 6 else random_tree(Case(20, seed=1, kinds=(cd.Revolute,)))
    fast = compiled(law, chain)
    for size in (1e-9, 1e-5, 1.0):
        q = size * (1 + np.arange(float(n)))
        qd = q * (1 + 1e-9)
        wanted = law(chain, q, qd)
        first, second = fast(q, qd)
        assert np.allclose(first, wanted[0], rtol=1e-14, atol=4 * EPS * max(q.max(), 1) ** 2)
        assert np.allclose(second, wanted[1], rtol=1e-14, atol=0)
    assert fast.runs == (3, 0)


VANISHING = {
    "zero of a quotient": lambda q: 0 * q / q + 1,
    "a quotient of itself": lambda q: q / q,
    "twice": lambda q: (q / (q - 1)) * (q - 1),
    "minus itself": lambda q: 1 / q - 1 / q + 2,
    "a sum of nothing": lambda q: (q * (1 / (q - 1)) - (1 / (q - 1)) * q) + q,
    "a root": lambda q: 0 * np.sqrt(q - 0.5) + 1,
    "a root and its square": lambda q: np.sqrt(q - 0.5) ** 2 / np.sqrt(q - 0.5) - np.sqrt(q - 0.5),
    "a sine": lambda q: np.sin(q) / np.sin(q) * q,
    "a product": lambda q: 0 * (q * np.cos(q) / (q - 1)),
}


@pytest.mark.parametrize("n", [6, 20])
@pytest.mark.parametrize("name", VANISHING)
def test_what_is_left_out_is_left_out_where_it_is_finite_alone(name, n):
    chain = ur5() if n == 6 else random_tree(Case(20, seed=1, kinds=(cd.Revolute,)))
    law = VANISHING[name]
    fast = compiled(lambda chain, q: law(q), chain)
    with np.errstate(all="ignore"):
        for at in (0.0, 1.0):
            q = np.linspace(2.0, 3.0, n)
            q[2] = at
            assert np.allclose(fast(q), law(q), rtol=1e-12, atol=1e-12, equal_nan=True)
            assert np.allclose(fast(q[None])[0], law(q), rtol=1e-12, atol=1e-12, equal_nan=True)
        q = np.linspace(2.0, 3.0, n)
        before = fast.runs.compiled
        assert np.allclose(fast(q), law(q), rtol=1e-12, atol=1e-12)
        assert fast.runs.compiled == before + 1


def test_no_joint_at_rest_is_told_off_its_program():
    """Divisions that every recording leaves out must not make a special place of zero."""
    for chain in (TREE, ur5()):
        q, qd = chain.neutral, np.zeros(chain.nv)
        for function in (cd.aba, cd.rnea):
            fast = compiled(function, chain)
            fast(q, qd, qd)
            assert fast.runs == (1, 0)


def test_numbers_that_differ_have_other_marks():
    tape = Tape()
    a, b = tape.unknown("input", 0), tape.unknown("input", 1)
    different = [
        a,
        b,
        a + b,
        a - b,
        a * b,
        a / b,
        b / a,
        a * a,
        a + 1,
        2 * a,
        a.sin(),
        a.cos(),
        a.sqrt(),
        a.atan2(b),
        b.atan2(a),
        a.above_zero(),
        a.maximum(b),
        a.minimum(b),
        b.sqrt(),
        a.above_zero().where(a, b),
        a.above_zero().where(b, a),
        b.above_zero().where(a, b),
        a.above_zero() & b.above_zero(),
        a.above_zero() & (a + b).above_zero(),
        0.1 * a,
        (0.1 + EPS / 8) * a,
    ]
    assert len({x.mark for x in different}) == len(different)


def value_of(x, inputs):
    """What a recorded number is, by the operations that every text of a program stands for."""
    if x.op in ("constant", "input"):
        return x.args[0] if x.op == "constant" else inputs[x.args[0]]
    return float(VALUE[x.op](*(value_of(y, inputs) for y in x.args)))


LAWS = {
    "atan2": np.arctan2,
    "maximum": max,
    "minimum": min,
    "__add__": operator.add,
    "__sub__": operator.sub,
    "__rsub__": lambda x, y: y - x,
    "__mul__": operator.mul,
    "__truediv__": operator.truediv,
    "__rtruediv__": lambda x, y: y / x,
}
LAWS_OF_ONE = {
    "__neg__": operator.neg,
    "inverse": lambda x: 1 / x,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "above_zero": lambda x: x > 0,
}


@pytest.mark.parametrize("inputs", [(2.0, -0.5), (-0.5, 2.0), (-3.0, -0.25), (1.5, 1.5)], ids=str)
def test_a_number_is_what_its_operation_says_known_now_or_later(inputs):
    """Of constants it is computed at once, of inputs when they are there, and so it is of their opposites."""
    now, later = Tape(), Tape()
    x, y = (later.unknown("input", k) for k in range(2))
    opposite = tuple(-k for k in inputs)
    for name, law in LAWS.items():
        wanted = pytest.approx(law(*inputs), rel=4 * EPS)
        assert value_of(getattr(x, name)(y), inputs) == wanted, name
        assert value_of(getattr(-x, name)(-y), opposite) == wanted, name
        assert value_of(getattr(x, name)(-y), (inputs[0], opposite[1])) == wanted, name
        known = getattr(now.constant(inputs[0]), name)(now.constant(inputs[1]))
        assert known.value == wanted, name
    for name, law in LAWS_OF_ONE.items():
        if name == "sqrt" and inputs[0] < 0:
            continue
        wanted = pytest.approx(float(law(inputs[0])), rel=4 * EPS)
        assert value_of(getattr(x, name)(), inputs) == wanted, name
        if name != "sqrt":
            assert value_of(getattr(-x, name)(), opposite) == wanted, name
        known = getattr(now.constant(inputs[0]), name)()
        assert float(getattr(known, "value", known)) == wanted, name
    assert value_of(x**3, inputs) == inputs[0] ** 3
    above = x.above_zero()
    assert value_of(above.where(x, y), inputs) == inputs[0 if inputs[0] > 0 else 1]
    both = above & y.above_zero()
    assert value_of(both, inputs) == (min(inputs) > 0)
    assert (both & True) is both
    assert (both & False) is False
    assert now.constant(0.0).above_zero() is False


def test_marks_are_values_modulo_the_prime():
    assert mark_of_constant(0.75) * 4 % PRIME == 3
    assert mark_of_constant(-2.0) == PRIME - 2
    x, y = Fraction(0.1), Fraction(0.3)
    assert (mark_of_constant(0.1) + mark_of_constant(0.3)) % PRIME == (x + y).numerator * pow(
        (x + y).denominator, -1, PRIME
    ) % PRIME


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (cd.aba, {}),
        (cd.aba, {"derivatives": True}),
        (cd.aba_derivatives, {}),
        (weighted, {"parameters": "data", "threads": 1}),
    ],
)
def test_copies_and_other_processes_make_it_anew(function, options):
    state = Q[0], QD[0], TAU[0]
    fast = compiled(function, TREE, **options)
    fast(*state)
    fast(Q, QD, TAU)
    for other in (copy.copy(fast), copy.deepcopy(fast), pickle.loads(pickle.dumps(fast))):
        assert type(other) is type(fast) and other.runs == (0, 0)
        for given in (state, (Q, QD, TAU)):
            for a, b in zip(leaves_of(other(*given)), leaves_of(fast(*given)), strict=True):
                assert normwise(a, b) < 1e-11  # axes are made units anew
        assert other.runs == (12, 0)
    if options.get("parameters") == "data":
        assert other.threads == 1 and other.for_chain(TREE).open_model
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        there = pool.submit(fast, *state).result(timeout=60)
    for a, b in zip(leaves_of(there), leaves_of(fast(*state)), strict=True):
        assert normwise(a, b) < 1e-11


def test_powers_of_two_have_marks_of_their_own():
    marks = {mark_of_constant(2.0**k) for k in range(-1000, 1000)}
    assert len(marks | {PRIME - m for m in marks}) == 4000


def test_a_recorded_number_refuses_to_be_judged():
    a = Tape().unknown("input", 0)
    with pytest.raises(TypeError, match="no value yet"):
        bool(a.above_zero())
    with pytest.raises(TypeError, match="whole powers"):
        a**0.5


def test_recordings_have_an_end(monkeypatch):
    monkeypatch.setattr("chaindyn.compiler.recording.MOST", 10)
    tape = Tape()
    x = tape.unknown("input", 0)
    with pytest.raises(CannotRecord, match="operations"):
        for k in range(20):
            x = x * x + k
    shorter = Tape(most=2)
    shorter.constant(5)
    shorter.unknown("input", 0)
    with pytest.raises(CannotRecord, match="more than 2 operations"):
        shorter.constant(7)


def test_bad_options_are_refused():
    with pytest.raises(ValueError, match="threads"):
        compiled(cd.aba, TREE, threads=0)
    with pytest.raises(ValueError, match="target"):
        compiled(cd.aba, TREE, target="fortran")
    with pytest.raises(ValueError, match="parameters"):
        compiled(cd.aba, TREE, parameters="loose")
    with pytest.raises(ValueError, match="function"):
        compiled("aba", TREE)
    with pytest.raises(ValueError, match="chain"):
        compiled(cd.aba, "robot")
