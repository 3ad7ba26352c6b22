"""The check of a coded exercise takes its solution, and refuses answers that are wrong but plausible."""

from __future__ import annotations

import pytest

from book.exercises import exercises
from book.pages import chapters
from solved import judged, verdicts
from wrong_answers import WRONG

CHECKED = [
    pytest.param(page, exercise.label, id=exercise.label)
    for page in chapters()
    for exercise in exercises(page)
    if exercise.checked and exercise.label in WRONG
]
COVERED = range(1, 20)  # the chapters whose every check is tried here


@pytest.mark.parametrize(("page", "label"), CHECKED)
def test_a_check_takes_the_solution_and_refuses_what_is_wrong(page, label):
    said = verdicts(page)[label]
    assert said.pop("the solution") is None
    assert len(said) >= 3
    accepted = [answer for answer, refusal in said.items() if refusal is None]
    assert accepted == []


def test_every_check_is_tried():
    coded = [
        exercise for page in chapters() for exercise in exercises(page) if exercise.checked
    ]
    assert [one.label for one in coded if one.chapter in COVERED and one.label not in WRONG] == []
    assert WRONG.keys() <= {one.label for one in coded}


@pytest.mark.parametrize("page", [page for page in chapters()[:19]])
def test_a_check_is_a_judge_of_one_answer(page):
    """`attempt("...", lambda: judge_it(answer))`, so that a machine finds both."""
    for exercise in exercises(page):
        if exercise.checked:
            assert len(judged(exercise.checks)) == 1, exercise.label
            assert judged(exercise.solution), exercise.label
