"""Shapes in the heads of public functions: they are what the door checks, what is returned, and what docstrings say."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from laws import ROWS, _parts, every_joint
from test_every_function import values_of

import chaindyn as cd
from chaindyn import array_types

NAMES = {name: hint for name, hint in vars(array_types).items() if get_origin(hint) is Annotated}
FUNCTIONS = [name for name in cd.__all__ if not inspect.isclass(getattr(cd, name))]
# What is annotated by Any and is no array of one shape.
NO_ARRAY = {
    "ax": "a figure's axes",
    "constraints": "one or several",
    "contacts": "a list, or options",
    "exclude": "pairs, or links",
    "external": "an array, or a function of time and state",
    "fields": "words",
    "friction": "one number, one each, or None",
    "ground": "what a step hands on",
    "geometries": "a list, or a function",
    "links": "what a step takes",
    "motion": "a Simulation, or postures",
    "out": "a folder, or None",
    "restitution": "one number, one each, or None",
    "shape_a": "a shape",
    "shape_b": "a shape",
    "states": "arrays of any shape, which a function takes",
    "targets": "poses, or a list",
    "torque": "an array, or a function of time and state",
    "workers": "a number, or an executor",
}

# What returns `Any`: a user's function decides, or it is a figure.
NO_RESULT = {"compiled", "sweep", "draw_shapes", "animate", "outward", "inward"}


def axes_of(hint: Any) -> list[tuple[str, ...]]:
    """The last axes that a type names, of each of its alternatives: [("n", "6"), ("6",)]; none if it names none."""
    if get_origin(hint) is Annotated:
        inner = hint.__metadata__[0].removeprefix("(...").removesuffix(")").removeprefix(", ")
        return [tuple(inner.split(", ")) if inner else ()]
    return [axes for part in get_args(hint) for axes in axes_of(part)]


def hints_of(thing: Any) -> dict[str, Any]:
    return get_type_hints(inspect.unwrap(thing), include_extras=True)


def parts_of(hint: Any) -> Iterator[Any]:
    """What a result consists of, one after another, as `laws._parts` does it."""
    if get_origin(hint) is tuple:
        for part in get_args(hint):
            yield from parts_of(part)
    elif is_dataclass(hint):
        for name in (f.name for f in fields(hint)):
            yield from parts_of(get_type_hints(hint, include_extras=True)[name])
    else:
        yield hint


def fits(shape: tuple[int, ...], axes: tuple[str, ...], sizes: dict[str, int]) -> bool:
    """Whether an array without a batch has these axes; a letter that is met first may be any size from then on."""
    if len(shape) != len(axes):
        return False
    for size, axis in zip(shape, axes, strict=True):
        times, letter = re.fullmatch(r"(\d*) ?([a-z_]*)", axis).groups()
        one = sizes.setdefault(letter, size // int(times or 1)) if letter else 1
        if size != int(times or 1) * one:
            return False
    return True


# The names themselves ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_name_says_the_last_axes(name):
    said = [] if name == "Scalar" else name.removeprefix("Array").split("x")
    spaced = [re.sub(r"(?<=\d)(?=[A-Z])", " ", part) for part in said]
    (axes,) = axes_of(NAMES[name])
    assert [axis.replace("_", "") for axis in axes] == [part.lower() for part in spaced]


def test_every_name_is_used():
    used = {
        str(hint)
        for name in cd.__all__
        for whole in hints_of(getattr(cd, name)).values()
        for hint in (whole, *get_args(whole), *(x for y in get_args(whole) for x in get_args(y)))
    }
    assert {name for name, hint in NAMES.items() if str(hint) not in used} == set()


# Arguments --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_have_the_shapes_that_are_checked(name):
    function = getattr(cd, name)
    hints = hints_of(function)
    for argument, core in getattr(function, "cores", {}).items():
        if hints[argument] is not float:
            assert axes_of(hints[argument]) == [tuple(map(str, core))], argument


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_names_no_shape_is_no_array_of_one_shape(name):
    for argument, hint in hints_of(getattr(cd, name)).items():
        if hint is Any and argument != "return":
            assert argument in NO_ARRAY, argument


def test_what_is_no_array_is_an_argument():
    taken = {
        x for name in FUNCTIONS for x, hint in hints_of(getattr(cd, name)).items() if hint is Any
    }
    assert taken - {"return"} == NO_ARRAY.keys()


SHAPE = r"\((?:(?:\.\.\.|\*batch),? ?)?((?:\d+|n|n[qv]|n_[a-z]|[mkbr])\b[^()]*|)\)"


def said(text: str, name: str = "") -> list[str]:
    """The shapes that a docstring gives right after a name, "q, qd : (..., nq)"; without a name, all."""
    found = re.findall(rf"\b{name}\b[^().;]*?{SHAPE}" if name else SHAPE, text)
    return [", ".join(axis.strip() for axis in axes.split(",") if axis.strip()) for axes in found]


def docstrings(name: str, seen: tuple[str, ...] = ()) -> str:
    """A function's docstring, and those of the functions that it names: "arguments as for `rnea`"."""
    text = " ".join((inspect.getdoc(getattr(cd, name)) or "").split()).partition(">>>")[0]
    named = set(re.findall(r"`(\w+)`", text)) & set(FUNCTIONS) - {name, *seen}
    return " ".join([text, *(docstrings(other, (name, *seen, *named)) for other in sorted(named))])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_have_the_shapes_of_their_docstrings(name):
    for argument, hint in hints_of(getattr(cd, name)).items():
        wanted, text = {", ".join(axes) for axes in axes_of(hint)}, docstrings(name)
        if get_origin(hint) is tuple:  # a pose (R, p)
            assert wanted <= set(said(text)), (argument, wanted)
        elif argument != "return" and wanted:
            assert wanted & set(said(text, argument)), (argument, wanted)


# Results ----------------------------------------------------------------------------------------


def returned(name: str) -> Any:
    return hints_of(getattr(cd, name))["return"]


def of_classes(hint: Any) -> str:
    """The docstrings of the dataclasses in a result."""
    if get_origin(hint) is tuple:
        return " ".join(map(of_classes, get_args(hint)))
    return " ".join((inspect.getdoc(hint) or "").split()) if is_dataclass(hint) else ""


@pytest.mark.parametrize(
    "name, result",
    [(name, returned(name)) for name in FUNCTIONS if name != "simulate_contact"]
    + [("simulate_contact", cd.ContactLog)],
)
def test_results_have_the_shapes_of_their_docstrings(name, result):
    text = docstrings(name) + of_classes(result)
    for hint in parts_of(result):
        assert {", ".join(axes) for axes in axes_of(hint)} <= set(said(text)), hint


def shape_fits(result: Any, hint: Any, sizes: dict[str, int]) -> bool:
    """Whether a result has the axes that its type names first, or others that it names."""
    shape = np.shape(result)
    for axes in axes_of(hint):
        if fits(shape, axes, trial := dict(sizes)):
            sizes.update(trial)
            return True
    return False


def sizes_of(chain: Any) -> dict[str, int]:
    return {"n": chain.n, "nq": chain.nq, "nv": chain.nv}


@pytest.mark.filterwarnings("ignore:the velocities break", "ignore:the accelerations break")
@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in ROWS])
def test_results_have_the_shapes_that_are_named(row):
    """By default the shape that is named first, and in a batch the same behind its axes."""
    chain, hints = row.chain(), list(parts_of(returned(row.name)))
    values = values_of(row, chain)
    for options in row.choices():
        results = row.call(chain, values, **options)
        sizes = sizes_of(chain) if row.of_a_chain else {}
        assert len(results) == len(hints)
        for result, hint in zip(results, hints, strict=True):
            assert shape_fits(result, hint, sizes), (options, np.shape(result), hint)
            if not options and "body" not in row.fixed:
                assert fits(np.shape(result), axes_of(hint)[0], sizes)


# Functions that the table of laws does not run: a tree in a state, and a body that falls on the ground.
TREE, (Q, QD) = every_joint(), cd.random_state(every_joint(), 1)
BODY = cd.Chain([cd.Link(cd.Free(), 2, (0.1, 0, 0), np.eye(3))])
PLACE, ABOVE, FALL = (
    BODY.neutral,
    np.array([0, 0, 0.1, 1, 0, 0, 0]),
    np.array([0, 0, 0, 0, 0, -1.0]),
)
BLOW = {"point": np.array([0.3, 0.2, -0.1]), "normal": np.array([0, 0, 1.0]), "restitution": 0.5}
TOUCHING = [cd.Contact((0, -1), (x, 0, 0), (0, 0, 1)) for x in (-0.2, 0.3)]
FLOOR = cd.Geometry(cd.Sphere(0.1), 0), cd.Geometry(cd.HalfSpace((0, 0, 1)), "ground")
HELD = [cd.Distance(0, length=2, offset=(0, 0, 2))]
SAMPLES = np.random.default_rng(2).normal(size=(9, 2, 3))
SHAPES = (cd.Sphere(1), (np.eye(3), np.zeros(3)), cd.Sphere(1), (np.eye(3), np.array([3.0, 0, 0])))

OTHERS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "assemble": (TREE, lambda: cd.assemble(TREE, (), Q)),
    "base_parameters": (TREE, lambda: cd.base_parameters(TREE)),
    "collision_impulses": (
        BODY,
        lambda: cd.collision_impulses(BODY, PLACE, FALL, TOUCHING, restitution=0),
    ),
    "constrained_forward_dynamics_derivatives": (
        BODY,
        lambda: cd.constrained_forward_dynamics_derivatives(BODY, HELD, PLACE, 0 * FALL, FALL),
    ),
    "distance": (None, lambda: cd.distance(*SHAPES)),
    "fit_linear": (None, lambda: cd.fit_linear(SAMPLES, SAMPLES.sum(-1))),
    "impact_derivatives": (BODY, lambda: cd.impact_derivatives(BODY, PLACE, FALL, **BLOW)),
    "inertial_parameters": (TREE, lambda: cd.inertial_parameters(TREE)),
    "random_state": (TREE, lambda: (Q, QD)),
    "resting_contact": (BODY, lambda: cd.resting_contact(BODY, PLACE, 0 * FALL, FALL, TOUCHING)),
    "saltation_matrix": (BODY, lambda: cd.saltation_matrix(BODY, PLACE, FALL, 0 * FALL, **BLOW)),
    "solve_lcp": (None, lambda: cd.solve_lcp(np.eye(3), -np.ones(3), method="enumerate")),
    "tree_matrix": (TREE, lambda: cd.tree_matrix(TREE)),
    "within_limits": (TREE, lambda: cd.within_limits(TREE, Q)),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_results_have_the_shapes_that_are_named(name):
    chain, call = OTHERS[name]
    sizes = {} if chain is None else sizes_of(chain)
    results, hints = list(_parts(call())), list(parts_of(returned(name)))
    assert len(results) == len(hints)
    for result, hint in zip(results, hints, strict=True):
        if axes_of(hint):
            assert shape_fits(result, hint, sizes), (np.shape(result), hint)


def test_every_result_with_a_shape_is_held_to_it():
    shaped = {name for name in FUNCTIONS if any(map(axes_of, parts_of(returned(name))))}
    assert shaped == {row.name for row in ROWS} | OTHERS.keys() | {"simulate_contact"}


def test_the_log_of_contacts_has_the_shapes_that_are_named():
    motion = cd.simulate_contact(BODY, FLOOR, ABOVE, FALL, t=[0, 0.1], step=0.05, restitution=0)
    sizes: dict[str, int] = {}
    for result, hint in zip(_parts(motion.log), parts_of(cd.ContactLog), strict=True):
        assert len(result) and shape_fits(result, hint, sizes), (np.shape(result), hint)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_result_is_an_array_without_a_shape(name):
    hint = returned(name)
    whole = get_args(hint) if get_origin(hint) is tuple else (hint,)
    assert name in NO_RESULT or Any not in whole
