"""Submissions are judged by the book's judges: right, wrong and malicious ones."""

from __future__ import annotations

import nbformat
import pytest
from nbformat import v4

from book import grade as grading
from book.commands import run
from book.editions import notebook_of
from book.exercises import exercises
from book.pages import BookError, chapters

PAGE = next(page for page in chapters() if page.stem.startswith("01"))
LABEL = "ex-1-distance"
(EXERCISE,) = [one for one in exercises(PAGE) if one.label == LABEL]
RIGHT = EXERCISE.solution[-1].replace("line_distance_solved", "line_distance")
NOTHING = "def line_distance(*given):\n    return 0"

CASES = {
    "right": (RIGHT, ""),
    "left as it was": ("", "not attempted"),
    "zero": (NOTHING, "."),
    "an exception": ("def line_distance(*given):\n    return 1 / 0", "division by zero"),
    "half written": ("def line_distance(", "not attempted"),
    "exit in the answer": ("def line_distance(*g):\n    raise SystemExit(0)", "ended before"),
    "a hard exit": ("import os\ndef line_distance(*g):\n    os._exit(0)", "ended before"),
    "exit while it is defined": ("def line_distance(*g, x=exit()):\n    return 0", "ended before"),
    "an endless loop": (
        "def line_distance(*g):\n    while True:\n        pass",
        "no answer within",
    ),
    "a judge of its own": (
        f"{NOTHING}\ndef judge_line_distance(candidate):\n    pass\nattempt = print",
        ".",
    ),
    "the judge redefined in __main__": (
        "import sys\ndef line_distance(*g):\n    import __main__\n"
        "    __main__.judge_line_distance = print\n    return 0",
        ".",
    ),
    "NumPy made mild": (
        "import numpy as np\ndef line_distance(*g):\n    np.allclose = lambda *a: True\n"
        "    return np.zeros(50)",
        "accepts zeros",
    ),
    "an array that agrees with everything": (
        "import numpy as np\nclass Agreeing(np.ndarray):\n"
        "    def __array_function__(self, function, *given):\n        return (50,) if function is np.shape else True\n"
        "def line_distance(*g):\n    return np.ones(50).view(Agreeing)",
        "A search along both lines",
    ),
    "an object that agrees with everything": (
        "import numpy as np\nclass Agreeing:\n"
        "    def __array_function__(self, function, *given):\n        return (50,) if function is np.shape else True\n"
        "def line_distance(*g):\n    return Agreeing()",
        "an answer is of the class Agreeing with its own __array_function__",
    ),
    "an exception without a word": (
        "def line_distance(*g):\n    raise type('', (Exception,), {})",
        "refused",
    ),
    "an exception whose words vanish": (
        "class Words(str):\n    def __radd__(self, other):\n        return other\n"
        "class Mute(Exception):\n    def __str__(self):\n        return Words('x')\n"
        "def line_distance(*g):\n    raise Mute",
        "x",
    ),
    "the judge's own code replaced": (
        "import sys\ndef line_distance(*g):\n    code = sys._getframe(1).f_globals['judge_line_distance']\n"
        "    code.__code__ = (lambda candidate: None).__code__\n    return 0",
        ".",
    ),
}


def submitted(tmp_path, answer: str):
    """The student's edition of a chapter with an answer below what it asks for."""
    notebook = notebook_of(PAGE, "student")
    if answer:
        notebook.cells.append(v4.new_code_cell(answer, id="answer"))
    file = tmp_path / f"{PAGE.stem}-jane.ipynb"
    nbformat.write(notebook, file)
    return file


@pytest.mark.parametrize("case", CASES)
def test_a_submission_gets_what_it_deserves(case, tmp_path, monkeypatch):
    answer, why = CASES[case]
    monkeypatch.setattr(grading, "exercises", lambda page: [EXERCISE])
    limit = 6 if "endless" in case else 60
    (found,) = grading.grade(submitted(tmp_path, answer), limit=limit)
    assert found.solved is (case == "right"), found.why
    assert why.strip(".") in found.why and bool(why) == bool(found.why)


def test_the_command_says_which_pass(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(grading, "exercises", lambda page: [EXERCISE])
    assert run("grade", [str(submitted(tmp_path, RIGHT))]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == ["1.5    How far are two lines apart?: solved", "1 of 1 solved"]


def test_what_is_no_submission_is_refused(tmp_path):
    (tmp_path / "jane.ipynb").write_text("{", encoding="utf-8")
    with pytest.raises(BookError, match="not a notebook"):
        grading.grade(tmp_path / "jane.ipynb")
    nbformat.write(v4.new_notebook(), tmp_path / "jane.ipynb")
    with pytest.raises(BookError, match=r"--chapter 1"):
        grading.grade(tmp_path / "jane.ipynb")


def right(page):
    """The cells of a chapter with a right answer to each of its exercises."""
    notebook = notebook_of(page, "solutions")
    for one in (one for one in exercises(page) if grading.judged(one.checks) and one.solution):
        ((_, asked), *_) = grading.judged(one.checks)
        ((_, solved), *_) = grading.judged(one.solution)
        notebook.cells.append(v4.new_code_cell(f"{asked} = {solved}", id=f"answer-{one.number}"))
    return notebook


# Whose answers are a class, numbers of a class of the page, an object of the reader's own class, and a sweep.
STRANGE = "ex-4-helical", "ex-13-slider", "ex-20-mass", "ex-21-hold", "ex-21-lattice"


@pytest.mark.parametrize("label", STRANGE)
def test_a_right_answer_passes_that_is_no_array(label, monkeypatch):
    page = next(one for one in chapters() if one.stem.startswith(f"{label.split('-')[1]:0>2}"))
    only = [one for one in exercises(page) if one.label == label]
    sources = [cell.source for cell in right(page).cells if cell.cell_type == "code"]
    monkeypatch.setattr(grading, "exercises", lambda page: only)
    assert [one.why for one in grading.verdicts(page, sources)] == [""]


@pytest.mark.nightly
@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.stem)
def test_a_right_submission_passes_in_every_chapter(page, tmp_path):
    """The forms that always run take a few exercises."""
    file = tmp_path / page.with_suffix(".ipynb").name
    nbformat.write(right(page), file)
    assert [(one.exercise.label, one.why) for one in grading.grade(file) if not one.solved] == []
