"""What single precision goes in, and what comes out: what the page of the API says, function by function."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from laws import ROWS, _few, _parts, every_joint, in_precision

import chaindyn as cd
from chaindyn.models.robots import four_bar, four_bar_posture
from chaindyn.teaching import normwise

PAGE = " ".join((Path(__file__).parent.parent / "book" / "api.md").read_text("utf-8").split())
SENTENCE = PAGE[PAGE.index("Single, double and") : PAGE.index("## Every name")]

F = np.float32


def given(kind: Any) -> SimpleNamespace:
    """Return chains and what acts on them, in this precision."""
    body = cd.Chain([cd.Link(cd.Free(), 2, (0.1, 0, 0), np.eye(3))])
    tree, (chain, loop) = every_joint(), four_bar()
    q, qd = cd.random_state(tree, 1)
    up = np.array([0, 0, 1], kind)
    return SimpleNamespace(
        tree=in_precision(tree, kind),
        q=q.astype(kind),
        qd=qd.astype(kind),
        few=in_precision(_few(tree), kind),
        body=in_precision(body, kind),
        place=np.asarray(body.neutral, kind),
        above=np.array([0, 0, 0.1, 1, 0, 0, 0], kind),
        fall=np.array([0, 0, 0, 0, 0, -1], kind),
        one=np.eye(3, dtype=kind),
        up=up,
        blow={
            "point": np.array([0.3, 0.2, -0.1], kind),
            "normal": up,
            "restitution": np.array(0.5, kind),
        },
        touching=[cd.Contact((0, -1), np.array([x, 0, 0], kind), up) for x in (-0.2, 0.3)],
        held=in_precision([cd.Distance(0, length=2, offset=(0, 0, 2))], kind),
        samples=np.random.default_rng(2).normal(size=(9, 2, 3)).astype(kind),
        linkage=in_precision(chain, kind),
        loop=in_precision(loop, kind),
        stands=four_bar_posture(2, 1.0).astype(kind),
        still=np.zeros(3, kind),
        times={"t": np.array([0, 0.1], kind)},
    )


SINGLE = given(F)
ONE, UP = SINGLE.one, SINGLE.up
FLOOR = cd.Geometry(cd.Sphere(0.1), 0), cd.Geometry(cd.HalfSpace((0, 0, 1)), "ground")


def arrays_of(motion: Any) -> tuple[Any, ...]:
    return motion.q, motion.qd


# Beside what the table of laws runs in single precision.
OWN = {
    "FactorisedChain": lambda s: cd.factorise(s.tree, s.q).solve(
        np.eye(s.tree.nv, dtype=s.q.dtype)
    ),
    "from_json": lambda s: cd.rnea(cd.from_json(cd.to_json(s.tree)), s.q, s.qd, s.qd),
    "impact_derivatives": lambda s: cd.impact_derivatives(s.body, s.place, s.fall, **s.blow),
    "inertial_parameters": lambda s: cd.inertial_parameters(s.tree),
    "saltation_matrix": lambda s: cd.saltation_matrix(
        s.body, s.place, s.fall, 0 * s.fall, **s.blow
    ),
    "sweep": lambda s: cd.sweep(
        cd.rnea, s.tree, (s.q[None], s.qd[None], s.qd[None]), progress=False
    ),
    "with_parameters": lambda s: cd.inertial_parameters(
        cd.with_parameters(s.tree, cd.inertial_parameters(s.tree))
    ),
    "convention": lambda s: cd.convention("MuJoCo").to_qd(s.body, s.place, s.fall),
    "screw": lambda s: cd.screw(s.up, s.up),
    "wrench": lambda s: cd.wrench(s.up, s.up),
    "momentum": lambda s: cd.momentum(s.tree, s.q, s.qd),
    "linearise": lambda s: cd.linearise(s.tree, s.q, s.qd, s.qd, friction_width=0.02),
    "commanded_acceleration": lambda s: cd.commanded_acceleration(
        s.tree,
        s.q,
        s.qd,
        q_desired=s.q,
        qd_desired=s.qd,
        qdd_desired=s.qd,
        kp=4,
        kd=3.5,
    ),
    "constrained_forward_dynamics": lambda s: cd.constrained_forward_dynamics(
        s.tree, s.few, s.q, s.qd, s.qd, stabilisation=(4.5, 3.0)
    ),
    **{
        f"constrained_inverse_dynamics {objective}": lambda s, objective=objective: (
            cd.constrained_inverse_dynamics(
                s.linkage,
                s.loop,
                s.stands,
                s.still,
                s.still,
                actuated=np.array([True, True, False]),
                tau_passive=0.5,
                objective=objective,
            )
        )
        for objective in ("min_force", "min_torque")
    },
}

# Names as that page has them, and what computes in double.
DOUBLE = {
    "machine code": lambda s: cd.compiled(cd.rnea, s.tree)(s.q, s.qd, s.qd),
    "`simulate`": lambda s: arrays_of(
        cd.simulate(s.body, s.place, s.fall, progress=False, **s.times)
    ),
    "`rollout`": lambda s: arrays_of(cd.rollout(s.body, s.place, s.fall, **s.times)),
    "`assemble`": lambda s: cd.assemble(s.tree, (), s.q),
    "`inverse_kinematics`": lambda s: (
        cd.inverse_kinematics(s.body, cd.Target(0, position=s.up), q=s.place).q
    ),
    "`base_parameters`": lambda s: cd.base_parameters(s.body),
    "`fit_linear`": lambda s: cd.fit_linear(s.samples, s.samples.sum(-1)),
    "`random_state`": lambda s: cd.random_state(s.tree, 1),
    "`solve_full_system`": lambda s: cd.solve_full_system(s.tree, s.q, s.qd, s.qd),
    "`maximal_coordinate_dynamics`": lambda s: cd.maximal_coordinate_dynamics(
        s.body, s.place, s.fall, s.fall
    ),
    "`constrained_forward_dynamics_derivatives`": lambda s: (
        cd.constrained_forward_dynamics_derivatives(s.body, s.held, s.place, 0 * s.fall, s.fall)
    ),
    "`solve_lcp`": lambda s: cd.solve_lcp(s.one, -s.up),
    "distances": lambda s: (
        cd.distance(cd.Sphere(1), (s.one, 0 * s.up), cd.Sphere(1), (s.one, 3 * s.up)).points
    ),
    "contact": lambda s: [
        cd.collision_impulses(s.body, s.place, s.fall, s.touching, restitution=0).impulses,
        *cd.resting_contact(s.body, s.place, 0 * s.fall, s.fall, s.touching),
        cd.find_contacts(s.body, FLOOR, s.place)[0].point,
        *arrays_of(
            cd.simulate_contact(s.body, FLOOR, s.above, s.fall, step=0.05, restitution=0, **s.times)
        ),
    ],
}

# What the words above stand for, and what makes no array of numbers.
MEANT = {
    "contact": {"collision_impulses", "resting_contact", "find_contacts", "simulate_contact"},
    "distances": {"distance"},
    "machine code": {"compiled"},
}
NO_NUMBERS = {
    *("animate", "draw_shapes", "load_visual", "overlapping_pairs", "within_limits"),
    *("load_collision", "load_couplings", "load_mjcf", "load_model", "load_urdf"),
    *("to_json", "to_urdf", "to_maximal", "tree_matrix", "inward", "outward", "factorise"),
    "fit_bodies",  # a chain, of a fit
}


def kinds(results: Any) -> set[Any]:
    flat = results if isinstance(results, list) else [results]
    parts = [np.asarray(x) for result in flat for x in _parts(result) if x is not None]
    return {x.dtype for x in parts if x.dtype.kind == "f"}


@pytest.mark.parametrize(("kind", "limit"), [(F, 1e-4), (np.longdouble, 1e-11)])
@pytest.mark.parametrize("name", OWN)
def test_single_stays_single_and_long_double_long(name, kind, limit):
    """And both are right: none of these is ill-conditioned."""
    if "min_torque" in name and kind is np.longdouble:
        with pytest.raises(ValueError, match="takes floats"):
            OWN[name](given(kind))
        return
    results, reference = OWN[name](given(kind)), OWN[name](given(float))
    assert kinds(results) == {np.dtype(kind)}
    for x, y in zip(_parts(results), _parts(reference), strict=True):
        assert normwise(np.asarray(x, float), np.asarray(y, float)) <= limit


@pytest.mark.parametrize("name", DOUBLE)
def test_what_computes_in_double_is_named(name):
    assert kinds(DOUBLE[name](SINGLE)) == {np.dtype(float)}
    assert name in SENTENCE


def test_every_function_is_in_a_table():
    """In that of the laws, whose exceptions from the law of precision are in the table of doubles, or in one here."""
    lawful = {row.name for row in ROWS if "precision" not in row.but}
    double = {each for name in DOUBLE for each in MEANT.get(name, {name.strip("`")})}
    own = {name.partition(" ")[0] for name in OWN}
    functions = {name for name in cd.__all__ if not inspect.isclass(getattr(cd, name))}
    assert not double & (lawful | own)
    assert functions - lawful - double - own == NO_NUMBERS


def rod(link: dict[str, Any], **more: Any) -> Any:
    """Return a rod in single precision, but for what is said."""
    joint = cd.Revolute(np.array([0, 1, 0], F))
    own = {"offset": 0 * UP, "rotation": ONE} | link
    return cd.Chain(
        [replace(cd.Link(joint, F(1), UP, ONE, 0 * UP, ONE), **own)], **{"gravity": -UP} | more
    )


U = np.ones(1, F)
COUNTS_AS_DOUBLE = {
    "nothing": (lambda: rod({}), False),
    "Python's own numbers": (lambda: rod({"mass": 1.5}), True),
    "whole numbers": (lambda: rod({"mass": 2}), True),
    "the defaults of a joint": (lambda: rod({"joint": cd.Revolute()}), True),
    "link": (lambda: rod({"offset": (0, 0, 0)}), True),
    "gravity where none is given": (lambda: cd.Chain(rod({}).links), True),
}


@pytest.mark.parametrize("what", COUNTS_AS_DOUBLE)
def test_what_counts_as_double_is_named(what):
    make, double = COUNTS_AS_DOUBLE[what]
    assert kinds(cd.rnea(make(), U, U, U)) == {np.dtype(float if double else F)}
    assert not double or what in SENTENCE
