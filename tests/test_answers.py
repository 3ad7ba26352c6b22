"""The check of a coded exercise takes its solution, and refuses answers that are wrong but plausible."""

from __future__ import annotations

import ast
import pickle

import pytest
from right_answers import RIGHT
from solved import ODD, Statement, judged, needed, tried, tried_answers, verdicts
from wrong_answers import WRONG

from book.exercises import Exercise, Facts, exercises
from book.judging import module_for
from book.pages import chapters

CHECKED = [
    pytest.param(page, exercise.label, id=exercise.label)
    for page in chapters()
    for exercise in exercises(page)
    if exercise.checked
]


@pytest.mark.parametrize(("page", "label"), CHECKED)
def test_a_check_takes_the_solution_and_refuses_what_is_wrong(page, label):
    said = verdicts(page)[label]
    right = ["the solution", *(words for words, _, _ in RIGHT.get(label, []))]
    assert {words: why for words in right if (why := said.pop(words)) is not None} == {}
    assert len(said) >= 3
    accepted = [answer for answer, refusal in said.items() if refusal is None]
    assert accepted == []


@pytest.mark.parametrize(("page", "label"), CHECKED)
def test_an_answer_that_is_none_is_not_solved_and_stops_no_notebook(page, label):
    _, said = tried(page)[label]
    assert said.keys() == ODD.keys()
    assert [words for words, refusal in said.items() if refusal is None] == []


def test_every_check_is_tried():
    coded = [exercise for page in chapters() for exercise in exercises(page) if exercise.checked]
    assert [one.label for one in coded if one.label not in WRONG] == []
    assert WRONG.keys() | RIGHT.keys() <= {one.label for one in coded}


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.stem)
def test_a_check_is_a_judge_of_one_answer(page):
    """`attempt("...", lambda: judge_it(answer))`, so that a machine finds both."""
    for exercise in exercises(page):
        if exercise.checked:
            assert len(judged(exercise.checks)) == 1, exercise.label
            assert judged(exercise.solution), exercise.label


# The tool itself ----------------------------------------------------------------------------------


def test_only_what_is_needed_is_run():
    """A function reads when it is called: the second h, not the first."""
    lines = "h = 1", "def f(): return h", "h = 2", "x = [f()]", "z = 3", "x[0] = z", "h = 4"
    statements = [Statement(ast.parse(line).body[0]) for line in lines]
    assert needed(statements, {5: {"x"}}) == {1, 2, 3, 4, 5}
    assert needed(statements, {3: {"x"}}) == {1, 2, 3}
    assert needed(statements, {4: {"z"}}) == {4}


def test_a_check_that_takes_everything_is_found_out():
    solution = 'def half(x):\n    return x / 2\n\nattempt("Exercise 1.1", lambda: judge(half))'
    exercise = Exercise(1, 1, "ex-1-half", "Half", Facts(), solution=[solution])
    space = {"half": lambda x: x / 2, "judge": lambda candidate: None}
    assert tried_answers(exercise, space) == {"the solution": None, "zeros": None}

    def judge(candidate):
        if candidate(4) != 2:
            raise AssertionError("not half")

    space["judge"] = judge
    assert tried_answers(exercise, space) == {"the solution": None, "zeros": "not half"}


def test_a_list_that_is_filled_by_a_call_is_filled():
    lines = "rows = []", "rows.append(1)", "other = []", "def f(): rows.append(2)", "x = rows[0]"
    statements = [Statement(ast.parse(line).body[0]) for line in lines]
    assert needed(statements, {4: {"x"}}) == {0, 1, 4}


def test_a_function_of_a_module_changes_nothing_of_it():
    """`np.add(x, y)` is no `seen.add(x)`."""
    lines = "import numpy as np", "x = 1", "y = np.add(x, x)", "z = np.sort([x])", "w = np.pi"
    statements = [Statement(ast.parse(line).body[0]) for line in lines]
    assert needed(statements, {4: {"w"}}) == {0, 4}


def test_the_body_of_a_class_and_a_comprehension_read_at_once():
    """`way` is bound anew after the class has used it, and a method reads what it is then."""
    lines = "way = property", "class A:\n    @way\n    def x(self): return late", "late = 1"
    lines += "way = 2", "late = 3", "a = A()", "n = 1", "b = [n for _ in [1]]", "n = 2"
    statements = [Statement(ast.parse(line).body[0]) for line in lines]
    assert needed(statements, {5: {"a"}}) == {0, 1, 4, 5}
    assert needed(statements, {8: {"b"}}) == {6, 7}


def test_annotations_read_at_once():
    """From Python 3.14 on too: a dataclass asks them what is a field."""
    lines = "from typing import ClassVar as C", "n = int", "class A:\n    x: C[n] = 1", "a = A()"
    lines += "def f(x: n) -> n: return 1", "k: n = 1", "m: n = 2", "b = f(m)"
    statements = [Statement(ast.parse(line).body[0]) for line in lines]
    assert needed(statements, {3: {"a"}}) == {0, 1, 2, 3}
    assert needed(statements, {7: {"b"}}) == {1, 4, 6, 7}


def test_what_cells_define_can_be_sent_to_another_process():
    """A pool waits for ever for a function that its queue cannot find by name: a sweep sends one of the page's."""
    space = module_for("cells")
    exec("def f(): return 1", space)
    assert pickle.loads(pickle.dumps(space["f"])) is space["f"]
