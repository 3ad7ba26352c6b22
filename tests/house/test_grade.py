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


@pytest.mark.nightly
@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.stem)
def test_a_right_submission_passes_in_every_chapter(page, tmp_path):
    """The form that always runs takes one exercise of chapter 1."""
    notebook = notebook_of(page, "solutions")
    for one in (one for one in exercises(page) if grading.judged(one.checks) and one.solution):
        ((_, asked), *_), ((_, solved), *_) = (
            grading.judged(one.checks),
            grading.judged(one.solution),
        )
        notebook.cells.append(v4.new_code_cell(f"{asked} = {solved}", id=f"answer-{one.number}"))
    file = tmp_path / page.with_suffix(".ipynb").name
    nbformat.write(notebook, file)
    assert [(one.exercise.label, one.why) for one in grading.grade(file) if not one.solved] == []
