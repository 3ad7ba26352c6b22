"""What the chapters' cells show with: an error within its bound is printed as such, and nothing else is."""

import linecache
import math
from functools import partial

import numpy as np
import pytest

from chaindyn.teaching import attempt, check, normwise


def test_check_prints_the_bound_and_not_the_error(capsys):
    check("energy", 3.2e-15, 1e-12)
    check("poses", np.array([[1e-13, -9e-13], [0, 0]]), 1e-12)
    assert capsys.readouterr().out == "energy: agrees within 1e-12\nposes: agrees within 1e-12\n"


def test_check_of_nothing_and_of_exact_agreement(capsys):
    check("integers", 0, 0)
    check("empty", np.zeros((0, 3)), 1e-9)
    assert capsys.readouterr().out == "integers: agrees exactly\nempty: agrees within 1e-09\n"


@pytest.mark.parametrize(
    "error, bound", [(2e-12, 1e-12), (-2e-12, 1e-12), ([0, 1], 0.5), (1e-300, 0), (math.inf, 1)]
)
def test_check_raises_beyond_the_bound(error, bound):
    with pytest.raises(AssertionError, match=r"^energy: error .* exceeds"):
        check("energy", error, bound)


def test_nan_is_within_no_bound():
    for error in (math.nan, [0, math.nan], [math.nan, 1]):
        with pytest.raises(AssertionError, match="nan exceeds"):
            check("energy", error, math.inf)


def test_normwise_is_relative_to_the_whole():
    reference = np.array([[3.0, 0.0], [0.0, 4.0]])
    assert normwise(reference, reference) == 0
    assert normwise([[3.0, 0.5], [0.0, 4.0]], reference) == 0.1
    assert normwise([1.0, 2.0], [0.0, 0.0]) == 5**0.5  # nothing to be relative to
    assert math.isnan(normwise([math.nan], [1.0]))


def test_normwise_refuses_other_shapes():
    with pytest.raises(ValueError, match=r"\(2,\) and \(1, 2\)"):
        normwise([1, 2], [[1, 2]])


def test_attempt_tells_solved_from_begun_and_from_not(capsys):
    def unsolved():
        raise NotImplementedError

    def wrong():
        check("your crm", 1, 1e-12)

    def misshapen():
        normwise(np.ones(3), np.ones(6))

    attempt("Exercise 1.1", unsolved)
    attempt("Exercise 1.1", wrong)
    attempt("Exercise 1.1", misshapen)
    attempt("Exercise 1.1", partial(check, "your crm", 1, 1e-12))
    attempt("Exercise 1.1", lambda: None)
    assert capsys.readouterr().out.splitlines() == [
        "Exercise 1.1: not attempted yet",
        "Exercise 1.1: not yet right. your crm: error 1 exceeds 1e-12",
        "Exercise 1.1: not yet right. shapes differ: (3,) and (6,)",
        "Exercise 1.1: not yet right. your crm: error 1 exceeds 1e-12",
        "Exercise 1.1: solved",
    ]


def test_attempt_lets_a_mistake_of_the_check_through():
    with pytest.raises(ZeroDivisionError):
        attempt("Exercise 1.1", lambda: 1 / 0)

    def judge(candidate):
        assert candidate(1) == misspelt  # noqa: F821

    space = {"judge": judge, "attempt": attempt, "double": lambda x: 2 * x}
    with pytest.raises(NameError, match="misspelt"):
        exec('attempt("Exercise 1.1", lambda: judge(double))', space)


CELL = """
def judge(candidate):
    found = candidate(2.0)
    assert found.shape == (2,), f"The answer has shape {found.shape}."
    assert abs(found - 2).max() < 1e-9, "not 2"

def helper(x):
    return x.nothing

class Kind:
    def __init__(self, x):
        self.shape = (1 / 0,)

ANSWER
attempt("Exercise 1.1", lambda: judge(answer))
"""
NOT_YET = "Exercise 1.1: not yet right. "
ATTEMPTS = {
    "answer = lambda x: [x, 2]": "Exercise 1.1: solved",
    "answer = lambda x: [x, [2]]": f"{NOT_YET}The check cannot go on with your answer: "
    "AttributeError: 'list' object has no attribute 'shape', in line 4: "
    'assert found.shape == (2,), f"The answer has shape {found.shape}."',
    "def answer(x): y = [x, x]": f"{NOT_YET}Your function returned nothing: is its `return` missing?",
    "answer = lambda x: [x, np.nan]": f"{NOT_YET}not 2 Your function returned nan, which is no number: "
    "0/0, say, or the root of a negative one.",
    "answer = lambda x: np.ones(3)": f"{NOT_YET}The answer has shape (3,).",
    "answer = lambda x: helper(x)": f"{NOT_YET}AttributeError: 'float' object has no attribute 'nothing', "
    "in line 8: return x.nothing",
    "def answer(x): return np.linalg.solve(np.zeros((2, 2)), [x, x])": f"{NOT_YET}LinAlgError: Singular matrix, "
    "in line 14: def answer(x): return np.linalg.solve(np.zeros((2, 2)), [x, x])",
    "def answer(): return y": f"{NOT_YET}TypeError: answer() takes 0 positional arguments but 1 was given",
    "answer = lambda x: y": f"{NOT_YET}NameError: name 'y' is not defined, in line 14: answer = lambda x: y",
    "answer = Kind": f"{NOT_YET}ZeroDivisionError: division by zero, in line 12: self.shape = (1 / 0,)",
    "answer = 3": f"{NOT_YET}The check cannot go on with your answer: TypeError: 'int' object is not callable, "
    "in line 3: found = candidate(2.0)",
}


@pytest.mark.parametrize("answer", ATTEMPTS)
def test_attempt_says_in_a_line_what_an_answer_raises(answer, capsys):
    source = CELL.replace("ANSWER", answer)
    linecache.cache["<try>"] = (len(source), None, source.splitlines(keepends=True), "<try>")
    exec(compile(source, "<try>", "exec"), {"np": np, "attempt": attempt})
    assert capsys.readouterr().out == ATTEMPTS[answer] + "\n"


def test_attempt_says_that_nothing_was_returned_beside_what_the_check_says(capsys):
    def judge(f):
        if f(1) is None or not f(2):
            raise AssertionError("It is not 2.")  # in the words of the check, not of pytest

    for answer in (lambda x: None, lambda x: None if x > 1 else 1):
        exec(
            'attempt("Exercise 1.1", lambda: judge(answer))',
            {"judge": judge, "answer": answer, "attempt": attempt},
        )
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith("It is not 2. Your function returned nothing: is its `return` missing?")
    assert second.endswith("It is not 2.")


def test_attempt_says_that_nan_was_returned_unless_it_was_given(capsys):
    """Some checks give nan where an answer should not look."""

    def judge(f, x):
        if np.isnan(np.linalg.svd(np.asarray(f(np.array([[1.0, x]]))))[1]).any():
            raise AssertionError("It looked.")

    for x in (1.0, np.nan):
        for answer in (lambda given: given[..., 1:], lambda given: (given[..., :1] / 0) * 0):
            space = {"judge": judge, "x": x, "answer": answer, "attempt": attempt}
            with np.errstate(all="ignore"):
                exec('attempt("Exercise 1.1", lambda: judge(answer, x))', space)
    solved, own, seen, hidden = capsys.readouterr().out.splitlines()
    assert solved.endswith("solved")
    assert "did not converge" not in own and "Your function returned nan" in own
    assert "Your function" not in seen + hidden


def test_attempt_survives_an_error_that_cannot_say_what_it_is(capsys):
    class Mute(Exception):
        def __str__(self):
            raise ValueError

    def answer():
        raise Mute

    exec(
        'attempt("Exercise 1.1", lambda: judge(answer))',
        {"judge": lambda f: f(), "answer": answer, "attempt": attempt},
    )
    assert capsys.readouterr().out.startswith("Exercise 1.1: not yet right. Mute")
