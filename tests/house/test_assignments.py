"""The assignments for nbgrader: what is in them, and what grading makes of right, wrong and malicious submissions."""

from __future__ import annotations

import copy
import csv
import html
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_output

from book import grade as grading
from book.assignments import (
    BY_TEACHER,
    STUB,
    TEXT_STUB,
    Judge,
    Mend,
    as_handed_out,
    assignment_of,
    mend,
    points,
    split,
    write_assignments,
)
from book.bank import items
from book.classroom import weeks_of
from book.exercises import exercises
from book.formulas import beside, rendered
from book.handed_in import notebook as drills_notebook
from book.judging import judged
from book.pages import BookError, chapters, main_chapters

CHAPTERS = [pytest.param(page, id=page.stem) for page in chapters()]
MAIN = [pytest.param(page, id=page.stem) for page in main_chapters()]
WEEKS = weeks_of("twelve")
REGION = re.compile(r"### BEGIN SOLUTION\n.*?### END SOLUTION", re.DOTALL)
WORDS = re.compile(r"<!-- BEGIN SOLUTION -->\n.*?<!-- END SOLUTION -->", re.DOTALL)


@cache
def made_of(page):
    """A chapter's assignment, which no test changes."""
    return assignment_of(page)


def coded(page):
    """The exercises of a chapter that have a judge."""
    return [one for one in exercises(page) if judged(one.checks)]


def in_words(page):
    """The exercises of a chapter that its teacher grades."""
    return [
        one
        for one in exercises(page)
        if not judged(one.checks) and one.facts.kind in ("by hand", "recall", "proof", "explore")
    ]


def told(notebook, **kind):
    """The cells of which nbgrader is told this, by their ids there."""
    kind = {"cell_type": "code"} | kind
    cells = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    return {
        cell.metadata.nbgrader.grade_id: cell
        for cell in cells
        if kind.items() <= dict(cell.metadata.nbgrader).items()
    }


def ids(notebook):
    """What nbgrader calls the cells of a notebook that it is told of."""
    return [
        cell.metadata.nbgrader.grade_id for cell in notebook.cells if "nbgrader" in cell.metadata
    ]


def for_students(notebook):
    """What `nbgrader generate_assignment` makes of a notebook."""
    made = copy.deepcopy(notebook)
    for cell in made.cells:
        cell.source = WORDS.sub(TEXT_STUB, REGION.sub(STUB, cell.source))
    return made


def long_lines(text):
    """The lines of a text that are too long to be the same by chance."""
    return {line.strip() for line in text.splitlines() if len(line.strip()) >= 30}


def run(notebook):
    """The locked cells that raise when the cells of a notebook run, and what."""
    space, raised = {"__name__": "__main__"}, {}
    for name, cell in told(notebook).items():
        try:
            exec(cell.source, space)
        except Exception as error:
            raised[name] = error
    return raised


@pytest.mark.parametrize("page", CHAPTERS)
def test_each_coded_exercise_is_stated_answered_and_judged(page):
    made, own = made_of(page), coded(page)
    nbformat.validate(made)
    labels = [one.label for one in own]
    assert list(told(made, grade=True, locked=True, solution=False)) == labels
    assert list(told(made, solution=True, grade=False, locked=False)) == [
        f"{label}-answer" for label in labels
    ]
    prose = "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    for one in own:
        assert f"Exercise {one.chapter}.{one.number}: " in prose and one.title[:9] in prose
        assert told(made)[one.label].metadata.nbgrader.points == points(one) >= 1
    assert "{exercise" not in prose and "##### Solution" not in prose


@pytest.mark.parametrize("page", CHAPTERS)
def test_an_exercise_without_a_judge_has_a_cell_for_words(page):
    """It has points, and its teacher gives them: nbgrader leaves alone what is grade and solution in one."""
    made, own = made_of(page), in_words(page)
    cells = told(made, cell_type="markdown")
    assert list(cells) == [one.label for one in own]
    for one in own:
        kind = cells[one.label].metadata.nbgrader
        assert kind.items() >= {"grade": True, "solution": True, "locked": False}.items()
        assert kind.points == points(one) >= 1
        assert WORDS.fullmatch(cells[one.label].source) and len(cells[one.label].source) > 100
        above = made.cells[made.cells.index(cells[one.label]) - 1]
        assert f"Exercise {one.chapter}.{one.number}: " in above.source
        assert above.source.count("<details><summary>Hint</summary>") == 1


def test_all_exercises_are_in_but_the_projects():
    """In the order of the chapter."""
    for page in chapters():
        found = [name for name in ids(made_of(page)) if not name.endswith(("-given", "-answer"))]
        every = exercises(page)
        left_out = [one for one in every if one.label not in found]
        assert found == [one.label for one in every if one not in left_out]
        assert {one.facts.kind for one in left_out} <= {"research"}
    assert set(BY_TEACHER) == {one.facts.kind for page in chapters() for one in in_words(page)}


@pytest.mark.parametrize("page", MAIN)
def test_what_students_get_has_no_line_of_a_solution(page):
    own, made = coded(page), for_students(made_of(page))
    text = "\n".join(cell.source for cell in made.cells)
    given = long_lines("\n".join(source for one in own for source in one.solution))
    asked = long_lines("\n".join(source for one in own for source in one.checks))
    assert given - asked and not (given - asked) & long_lines(text)
    assert "_solved" not in text and text.count(STUB) == len(own)
    secret = long_lines("\n".join(solutions(page))) - asked
    assert secret and not secret & long_lines(text)
    assert text.count(TEXT_STUB) == len(in_words(page)) and "SOLUTION" not in text


def solutions(page):
    """The solutions in a chapter's source, found without the tools."""
    return re.findall(
        r"`{3,}\{solution-start\}.*?\{solution-end\}", page.read_text(encoding="utf-8"), re.DOTALL
    )


def test_points_are_for_time():
    worth = {one.facts.minutes: points(one) for page in chapters() for one in exercises(page)}
    assert worth.items() >= {5: 1, 10: 2, 15: 3, 30: 6, 60: 12}.items()


@pytest.mark.parametrize(
    "page",
    [p if p.id.startswith("05") else pytest.param(*p.values, id=p.id, marks=pytest.mark.nightly) for p in CHAPTERS],
)  # fmt: skip
def test_the_solutions_pass_with_what_is_given_and_nothing_else_does(page, monkeypatch):
    monkeypatch.chdir(page.parent)  # data lies beside the page
    made = made_of(page)
    assert run(made) == {}
    raised = run(for_students(made))
    assert raised.keys() >= {one.label for one in coded(page)}


@pytest.mark.parametrize(
    "week", [name if name == "week-02" else pytest.param(name, marks=pytest.mark.nightly) for name in WEEKS]
)  # fmt: skip
def test_a_week_of_a_plan_is_an_assignment_that_needs_no_other(week, tmp_path, monkeypatch):
    written = write_assignments(tmp_path, chapters(), {week: WEEKS[week]})
    assert {file.parent for file in written} == {tmp_path / "source" / week}
    graded = list[str]()
    for file in written:
        made, page = nbformat.read(file, as_version=4), grading.page_named(file.name)
        graded += [*told(made, grade=True), *told(made, grade=True, cell_type="markdown")]
        monkeypatch.chdir(page.parent)
        assert run(made) == {}
        assert run(for_students(made)).keys() >= told(made, grade=True).keys()
        # a submission is mended by what was handed out
        assert as_handed_out(page, set(ids(made))).cells == made.cells
    assert len(graded) == len(set(graded)) and set(graded) == WEEKS[week]


def test_the_page_on_teaching_names_what_its_teacher_reads():
    asked = set().union(*WEEKS.values(), *weeks_of("fourteen").values())
    unjudged = {one.label for page in chapters() for one in in_words(page)} & asked
    text = (PAGE.parents[1] / "book" / "teaching.md").read_text(encoding="utf-8")
    named = re.search(r"One answer you read yourself:(.*?)\. The page", text, re.DOTALL)[1]
    assert unjudged == set(re.findall(r"ex-[\w-]+", named)) and unjudged


def test_what_a_teacher_left_out_of_a_chapter_does_not_change_what_was_handed_out():
    handed_out = as_handed_out(PAGE, set(ids(made_of(PAGE))) - {FIRST})
    assert handed_out.cells == made_of(PAGE).cells


def test_a_cell_is_split_above_its_judge():
    assert split("x = 1\n\n# Sums.\ndef judge(x):\n    pass\n\nlast", "judge") == (
        "x = 1",
        "# Sums.\ndef judge(x):\n    pass\n\nlast",
    )
    with pytest.raises(BookError, match="judge stands above what it judges"):
        split("def judge(x):\n    pass\n\nx = 1", "judge")


# Grading ----------------------------------------------------------------------------------------

PAGE = next(page for page in chapters() if page.stem.startswith("19"))
FIRST, SECOND = (one.label for one in coded(PAGE))
ANSWER = {one.label: judged(one.checks)[0][1] for one in coded(PAGE)}


def submission(changes=None):
    """A student's notebook with some cells changed: code in place of theirs, or None to delete one."""
    made = for_students(made_of(PAGE))
    for name, code in (changes or {}).items():
        cell = told(made)[name]
        if code is None:
            made.cells.remove(cell)
        else:
            cell.source = code
    return made


def answered(label, code):
    """An answer to an exercise: `f` stands for the name that is asked for."""
    return {f"{label}-answer": code.replace("f(", f"{ANSWER[label]}(")}


def forged():
    """Of one who answers nothing and writes the outputs, the points and the judges himself."""
    made = submission({FIRST: "print('solved')"})
    for cell in told(made, grade=True).values():
        cell.outputs = [new_output("stream", name="stdout", text="solved\n")]
        cell.metadata.nbgrader.points = 100
    return made


def answered_in_words():
    """Of one who answers one exercise in words, and deletes the cell of another."""
    made = for_students(made_of(PAGE))
    first, second, *_ = told(made, cell_type="markdown").values()
    first.source = "It is twice as long, since $2 = 1 + 1$."
    made.cells.remove(second)
    return made


SUBMISSIONS = {
    "right": lambda: copy.deepcopy(made_of(PAGE)),
    "writer": answered_in_words,
    "wrong": lambda: submission(
        answered(FIRST, "def f(*given):\n    return 0")
        | answered(SECOND, "def f(*given):\n    return None")
    ),
    "forger": forged,
    "deleter": lambda: submission({FIRST: None, SECOND: None}),
    # the kernel that ran this would leave out what comes after it
    "muter": lambda: submission(
        answered(FIRST, "import ast\nclass Mute(ast.NodeTransformer):\n    def visit_Module(self, node):\n"
        "        node.body = []\n        return node\nget_ipython().ast_transformers.append(Mute())\n"
        "def f(*given):\n    return 0")
        | answered(SECOND, "import sys\nsys.exit(0)\ndef f(*given):\n    sys.exit(0)")
    ),
}  # fmt: skip


# Right answers in notebooks that nbgrader by itself gives nothing, without a word.
def without_metadata():
    made = copy.deepcopy(made_of(PAGE))
    for cell in made.cells:
        cell.metadata = nbformat.NotebookNode()
    return made


def renamed():
    made = copy.deepcopy(made_of(PAGE))
    told(made)[f"{FIRST}-answer"].metadata.nbgrader.grade_id = "mine"
    return made


def copied():
    """Two answers, in code and in words, each between copies of its cell that are as they were handed out."""
    made, blank = copy.deepcopy(made_of(PAGE)), for_students(made_of(PAGE))
    for name in (f"{FIRST}-answer", in_words(PAGE)[0].label):
        for below in (0, 2):
            one = copy.deepcopy(blank.cells[ids_of(blank).index(name)])
            one.id = f"{one.id}-{below}"
            made.cells.insert(ids_of(made).index(name) + below, one)
    return made


def old():
    """Of a notebook of the format before cells had ids, with the first answer's cell taken out and written anew."""
    made = copy.deepcopy(made_of(PAGE))
    place = ids_of(made).index(f"{FIRST}-answer")
    made.cells[place] = nbformat.v4.new_code_cell(made.cells[place].source)
    for cell in made.cells:
        del cell["id"]
    made.nbformat_minor = 4
    return made


def ids_of(made):
    """What nbgrader calls the cells of a notebook, each of them."""
    return [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in made.cells]


ODD = {"without metadata": without_metadata, "renamed": renamed, "copied": copied, "old": old}
ENDLESS = answered(FIRST, "def f(*given):\n    while True:\n        pass")


@pytest.mark.parametrize("how", [*ODD, *SUBMISSIONS])
def test_a_mended_submission_has_each_cell_once_and_what_was_written_in_it(how):
    names = [name for name in ids_of(made_of(PAGE)) if name]
    notebook = {**ODD, **SUBMISSIONS}[how]()
    before = [cell.source for cell in notebook.cells]
    mend(notebook, made_of(PAGE), set(names))
    nbformat.validate(notebook)
    assert sorted(name for name in ids_of(notebook) if name) == sorted(names)
    left = [cell.source for cell in notebook.cells if not cell.get("id", "").startswith("added-")]
    assert left == before  # nothing that was handed in is lost
    if how in ODD:
        for name, cell in told(notebook, cell_type="markdown").items():
            assert cell.source == told(made_of(PAGE), cell_type="markdown")[name].source
        assert "### BEGIN SOLUTION" in told(notebook)[f"{FIRST}-answer"].source


def test_a_mended_submission_has_no_cell_that_its_teacher_left_out():
    names = {name for name in ids_of(made_of(PAGE)) if name and not name.startswith(FIRST)}
    notebook = submission()
    notebook.cells = [
        cell for cell in notebook.cells
        if not str(cell.metadata.get("nbgrader", {}).get("grade_id")).startswith(FIRST)
    ]  # fmt: skip
    mend(notebook, made_of(PAGE), names)
    assert {name for name in ids_of(notebook) if name} == names


def test_the_judge_says_what_nbgrader_reads(monkeypatch):
    """An error is no point, and all else would be all of them; nobody asks whether the notebook says so itself."""
    only = [one for one in coded(PAGE) if one.label == FIRST]
    monkeypatch.setattr(grading, "exercises", lambda page: only)
    resources = {"nbgrader": {"notebook": PAGE.stem}}
    for made, kinds in ((forged(), ["error"]), (SUBMISSIONS["right"](), ["stream"])):
        judged_one, _ = Judge()(made, resources)
        assert [out.output_type for out in told(judged_one)[FIRST].outputs] == kinds


@pytest.fixture(autouse=True)
def _alembic_is_found(monkeypatch):
    """nbgrader calls alembic by its name, also where this Python's environment is not activated."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)


def nbgrader(course, *command):
    """A command that an instructor types."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    # `book` first, for what it spares who imports nbformat
    start = "import book, runpy; runpy.run_module('nbgrader', run_name='__main__', alter_sys=True)"
    done = subprocess.run(
        [sys.executable, "-c", start, *command],
        cwd=course, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("page", CHAPTERS)
def test_nbgrader_takes_the_metadata(page):
    pytest.importorskip("nbgrader", reason="nbgrader is not installed")
    from nbgrader.nbgraderformat import MetadataValidator

    MetadataValidator().validate_nb(made_of(page))


def test_nbgrader_gives_the_right_submission_all_points_and_the_others_none(tmp_path):
    pytest.importorskip("nbgrader", reason="nbgrader is not installed")
    course, name = tmp_path / "course", PAGE.stem
    write_assignments(course, [PAGE])
    nbgrader(course, "generate_assignment", name)
    released = nbformat.read(course / "release" / name / f"{name}.ipynb", as_version=4)
    ours = for_students(made_of(PAGE))
    assert [cell.source for cell in released.cells] == [cell.source for cell in ours.cells]
    odd = {name.replace(" ", "-"): made for name, made in ODD.items()}
    endless = {"endless": lambda: submission(ENDLESS)}
    for student, made in {**SUBMISSIONS, **odd, **endless}.items():
        folder = course / "submitted" / student / name
        folder.mkdir(parents=True)
        nbformat.write(made(), folder / f"{name}.ipynb")
    nbgrader(course, "autograde", name, "--student=endless", "--Judge.limit=5")
    nbgrader(course, "autograde", name)  # those that are not yet graded
    nbgrader(course, "export")
    with open(course / "grades.csv", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
        scores = {row["student_id"]: float(row["score"]) for row in rows}
        assert scores.keys() == {*SUBMISSIONS, *odd, *endless}
    worth = sum(points(one) for one in coded(PAGE) + in_words(PAGE))
    assert {float(row["max_score"]) for row in rows} == {worth}
    assert scores.pop("right") == sum(points(one) for one in coded(PAGE)) == 9
    assert {scores.pop(name) for name in odd} == {9}
    assert set(scores.values()) == {0}
    assert left_to_the_teacher(course, "right") == {one.label for one in in_words(PAGE)}
    written, deleted, *_ = (one.label for one in in_words(PAGE))
    assert left_to_the_teacher(course, "writer") == {written, deleted}
    assert left_to_the_teacher(course, "wrong") == set()  # what is as it was has no point


UNREADABLE = r"$x < \frac{$"


@pytest.fixture(scope="module")
def in_formgrader(tmp_path_factory):
    """A course in which somebody has answered in words, and what Formgrader makes of it."""
    pytest.importorskip("nbgrader", reason="nbgrader is not installed")
    pytest.importorskip("latex2mathml", reason="latex2mathml is not installed")
    from nbconvert.exporters import HTMLExporter
    from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension

    course, name = tmp_path_factory.mktemp("course"), PAGE.stem
    write_assignments(course, [PAGE])
    made = for_students(made_of(PAGE))
    for label, cell in told(made, cell_type="markdown").items():
        cell.source = f"My words on {label}: $\\tfrac12 m v^2$, and " + UNREADABLE
    file = course / "autograded" / "ann" / name / f"{name}.ipynb"
    file.parent.mkdir(parents=True)
    nbformat.write(made, file)
    formgrader = FormgradeExtension()
    formgrader.initialize([], root=str(course))
    asked = {"submission_id": "s", "notebook_id": name, "assignment_id": name, "index": 0}
    asked |= {"total": 1, "base_url": "", "student": "ann", "notebook_path": "x"}
    shown, _ = HTMLExporter(config=formgrader.config).from_filename(str(file), resources=asked)
    return course, file, html.unescape(shown)


def test_formgrader_shows_solution_and_points_below_each_answer_in_words(in_formgrader):
    course, file, shown = in_formgrader
    below = shown.split("<summary>Solution and points</summary>")
    assert len(below) == 1 + len(in_words(PAGE))
    for one, answer, solution in zip(in_words(PAGE), below, below[1:], strict=False):
        assert f"My words on {one.label}" in answer
        assert f"<strong>Points.</strong> Of {points(one)}: " in solution.partition("</details>")[0]
    # what the teacher writes into the source of the course is what stands there
    label = in_words(PAGE)[0].label
    source = course / "source" / PAGE.stem / file.name
    changed = nbformat.read(source, as_version=4)
    cell = told(changed, cell_type="markdown")[label]
    cell.source = "<!-- BEGIN SOLUTION -->\n\nPull at $r$.\n\n<!-- END SOLUTION -->"
    nbformat.write(changed, source)
    assert "Pull at <math" in beside(file.parent, PAGE.stem, label)
    assert not beside(file.parent, PAGE.stem, "ex-0-none") and not beside(file.parent, "hw", label)


def test_formulas_are_set_without_a_foreign_host(in_formgrader):
    """In Formgrader and in what students get, which has no solution."""
    from nbconvert.exporters import HTMLExporter
    from nbgrader.converters import GenerateFeedback
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import PyFileConfigLoader

    course, file, shown = in_formgrader
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    feedback = GenerateFeedback(coursedir=CourseDirectory(config=config), config=config)
    notebook = nbformat.read(file, as_version=4)
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader |= {"score": 0, "comment": ""}
    graded = {"score": 0, "max_score": 1, "late_penalty": 0, "notebook": PAGE.stem}
    given, _ = HTMLExporter(config=feedback.config).from_notebook_node(
        notebook, resources={"nbgrader": graded, "metadata": {"path": str(file.parent)}}
    )
    for page in (shown, html.unescape(given)):
        assert not re.findall(r"""(?:src|href)=["'](?:https?:)?//[^"']*""", page)
        assert "x-mathjax-config" not in page
        assert page.count("<math") > 20 and "<mfrac>" in page
        assert "<code>x < \\frac{</code>" in page  # what cannot be read stands as it is
    assert "Solution and points" not in given and "My words on" in given


def test_the_table_of_nbgrader_tells_what_was_not_read_from_what_is_wrong(tmp_path):
    pytest.importorskip("nbgrader", reason="nbgrader is not installed")
    from nbgrader.api import Gradebook

    course, name = tmp_path / "course", PAGE.stem
    write_assignments(course, [PAGE])
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        book.add_assignment(name)
        for student in ("wrong", "renamed", "absent"):
            book.add_student(student)
    for step, student in ("submitted", "renamed"), ("submitted", "wrong"), ("autograded", "wrong"):
        (course / step / student / name).mkdir(parents=True)
    nbgrader(course, "export")
    with open(course / "grades.csv", encoding="utf-8") as table:
        said = {row["student_id"]: (row["score"], row["remark"]) for row in csv.DictReader(table)}
    assert said.pop("wrong") == ("0.0", "")
    assert said == {
        "renamed": ("0.0", "not read: autograde says why"),
        "absent": ("0.0", "not handed in"),
    }


@pytest.mark.parametrize("page", MAIN)
def test_every_formula_of_an_exercise_can_be_set(page):
    pytest.importorskip("latex2mathml", reason="latex2mathml is not installed")
    cells = [cell.source for cell in made_of(page).cells if cell.cell_type == "markdown"]
    shown = "".join(rendered(source) for source in cells)
    assert shown.count("<math") > 10
    assert not re.findall(r"<m[a-z]+>\\\w+|<code>\\", shown)


def test_a_notebook_of_drills_is_graded_by_its_own_tests():
    pytest.importorskip("nbgrader", reason="nbgrader is not installed")
    made = drills_notebook(items([PAGE], "2027", ["001"])[:2])
    answers = [cell for cell in made.cells if cell.metadata.get("nbgrader", {}).get("solution")]
    answers[1].source = re.sub(r"\[.*\]", "[0, 0, 0]", answers[1].source)
    resources = {"nbgrader": {"notebook": "drills"}, "metadata": {"path": "."}}
    assert Mend().preprocess(made, resources)[0] is made
    done, _ = Judge().preprocess(made, resources)
    tests = [cell for cell in done.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    wrong = [any(out.output_type == "error" for out in cell.outputs) for cell in tests]
    assert wrong == [False, True]


def left_to_the_teacher(course, student):
    """The cells of a student's that nbgrader has no grade for."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        notebook = book.find_submission_notebook(PAGE.stem, PAGE.stem, student)
        return {grade.name for grade in notebook.grades if grade.needs_manual_grade}
