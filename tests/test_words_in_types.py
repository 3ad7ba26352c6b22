"""Words that functions take: an editor and a type checker know them, and they are those that are checked."""

from __future__ import annotations

import re
from inspect import signature
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import chaindyn as cd
from chaindyn.compiler.compilation import PARAMETERS, TARGETS
from chaindyn.compiler.rollouts import STEPS
from chaindyn.conventions import CONVENTIONS, WORDS
from chaindyn.drawing import PLANES, draw_chain
from chaindyn.guards.arguments import FLAGS, FRAMES, RECURSIONS
from chaindyn.guards.loops import STABILISATIONS
from chaindyn.guards.model import INERTIA_RULES
from chaindyn.models.robots import ur5
from chaindyn.models.urdf import BROKEN_RULES, MIMIC_RULES


def words_of(function: Any, name: str) -> set[str]:
    """Return the words that a parameter's type names, none if it names none."""
    hint = get_type_hints(function)[name]
    parts = [hint, *get_args(hint)]
    return {word for part in parts if get_origin(part) is Literal for word in get_args(part)}


@pytest.mark.parametrize(
    "function, name, words",
    [
        (cd.load_urdf, "inertia", INERTIA_RULES),
        (cd.load_urdf, "mimic", MIMIC_RULES),
        (cd.load_mjcf, "inertia", INERTIA_RULES),
        (cd.load_model, "inertia", INERTIA_RULES),
        (cd.load_collision, "broken", BROKEN_RULES),
        (cd.convention, "name", set(CONVENTIONS)),
        (cd.compiled, "target", TARGETS),
        (cd.compiled, "parameters", PARAMETERS),
        (cd.rollout, "method", set(STEPS)),
        (draw_chain, "plane", set(PLANES)),
        (cd.simulate, "stabilisation", STABILISATIONS),
        (cd.rollout, "stabilisation", STABILISATIONS),
    ],
)
def test_types_name_the_words_that_are_checked(function, name, words):
    assert words_of(function, name) == words


CHECKED = [
    (name, option, words)
    for name in cd.__all__
    for option, words in getattr(getattr(cd, name), "words", {}).items()
    if words != FLAGS
]


@pytest.mark.parametrize("name, option, words", CHECKED)
def test_types_of_checked_functions_name_their_words(name, option, words):
    assert words_of(getattr(cd, name), option) == words


@pytest.mark.parametrize("name", cd.__all__)
def test_an_option_that_is_a_word_by_default_names_its_words(name):
    """What is a word and not checked at the door stands in the table above, or is a name that a user gives."""
    for option in signature(getattr(cd, name)).parameters.values():
        if isinstance(option.default, str) and (name, option.name) not in FREE:
            assert option.default in words_of(getattr(cd, name), option.name), option


# defaults that are one of many: the name of a robot, the link that a thing is on, a colour of matplotlib's, a remark
FREE = {
    ("to_urdf", "name"),
    *((name, "onto") for name in ("Closure", "Distance")),
    ("Surface", "colour"),
    *((name, "reason") for name in ("Simulation", "ContactMotion")),
    ("LCP", "count"),
}


def test_methods_of_simulate_are_those_that_it_lists():
    chain, still = cd.Chain([cd.Link(cd.Revolute(), 1, (0, 0, 0), np.eye(3))]), np.zeros(1)
    run: Any = cd.simulate
    with pytest.raises(ValueError, match="must be one of") as refusal:
        run(chain, still, still, t=[0, 1], method="leapfrog")
    listed = re.findall(r"'([^']+)'", str(refusal.value).partition("one of")[2])
    assert len(listed) == len(set(listed)) and set(listed) == words_of(cd.simulate, "method")


def test_words_of_a_convention_are_checked():
    for field, words in WORDS.items():
        assert words_of(cd.Convention, field) == words
        for word in words:
            assert getattr(cd.Convention("mine", **{field: word}), field) == word
        with pytest.raises(ValueError, match=field):
            cd.Convention("mine", **{field: "sideways"})  # type: ignore[arg-type]
    assert len(WORDS) == 14


def test_frames_and_recursions_are_those_of_the_design():
    assert {"body", "world", "mixed"} == FRAMES and {"body", "world"} == RECURSIONS
    for word in ("Body", "axis"):
        with pytest.raises(ValueError, match="frame"):
            cd.constraint_wrenches(ur5(), (), np.zeros(6), [], frame=word)
