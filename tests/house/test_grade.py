"""Submissions are judged by the book's judges: right, wrong and malicious ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from book import grade as grading
from book.commands import run
from book.edited import notebook_of
from book.exercises import exercises
from book.pages import ROOT, BookError, chapters

PAGE = next(page for page in chapters() if page.stem.startswith("01"))
LABEL = "ex-1-distance"
(EXERCISE,) = [one for one in exercises(PAGE) if one.label == LABEL]
RIGHT = EXERCISE.solution[-1].replace("line_distance_solved", "line_distance")
SOLVED = EXERCISE.solution[-1].split("attempt(")[0] + "import numpy as np\n"
NOTHING = "def line_distance(*given):\n    return 0"

CASES = {
    "right": (RIGHT, ""),
    "left as it was": ("", "not attempted"),
    "zero": (NOTHING, "shape ()"),
    "nothing": ("def line_distance(*given):\n    x = 1", "Your function returned nothing: is its"),
    "an exception": (
        "def line_distance(*given):\n    return 1 / 0",
        "ZeroDivisionError: division by zero, in line 2: return 1 / 0",
    ),
    "half written": (
        "x = 1\ndef line_distance(",
        "not attempted; a cell is not Python: '(' was never closed, in line 2: def line_distance(",
    ),
    "exit in the answer": ("def line_distance(*g):\n    raise SystemExit(0)", "SystemExit: 0"),
    "a hard exit": ("import os\ndef line_distance(*g):\n    os._exit(0)", "ended before"),
    "an endless loop": (
        "def line_distance(*g):\n    while True:\n        pass",
        "no answer within",
    ),
    "an endless loop above what is not Python": (
        ("while True:\n    pass", "def line_distance(a, b)\n    return 0", "line_distance"),
        "no answer within 3 s; a cell is not Python: expected ':', in line 1: def line_distance(a, b)",
    ),
    "an endless loop beside it": (f"def f(a=[1 for i in iter(int, 1)]): pass\n{RIGHT}", ""),
    "too much memory": (
        "import numpy as np\ndef line_distance(*g):\n    return np.ones(1 << 32)",
        "MemoryError",
    ),
    "too large an answer": (
        "import numpy as np\ndef line_distance(*g):\n    return np.ones(1 << 23)",
        "too large",
    ),
    "an exception without a word": (
        "def line_distance(*g):\n    raise type('', (Exception,), {})",
        "",
    ),
    "an exception whose words vanish": (
        "class Words(str):\n    def __radd__(self, other):\n        return other\n"
        "class Mute(Exception):\n    def __str__(self):\n        return Words('x')\n"
        "def line_distance(*g):\n    raise Mute",
        "x",
    ),
}

# Right answers that are dressed in an unusual way; NAME below is what each has to give.
FILLED = """
import numpy as np
table = {}
def fill():
    table['f'] = line_distance_solved
fill()
def line_distance(*g):
    return table['f'](*g)
"""
BLANK = 'def line_distance(line_1, line_2):\n    """Return it."""\n    raise NotImplementedError'
STYLES = {
    "a matplotlib magic": f"%matplotlib inline\n{RIGHT}",
    "an installation": f"!pip install nothing-at-all\n{RIGHT}",
    "a timed cell": f"%%time\n{RIGHT}",
    "a question": f"np.cross?\n{RIGHT}",
    "a timed line": f"{RIGHT}\n%time line_distance = line_distance",
    "a star import": "from numpy import *\nfrom numpy.linalg import *\n"
    + RIGHT.replace("np.linalg.", "").replace("np.", ""),
    "a partial": f"from functools import partial\n{SOLVED}line_distance = partial(line_distance_solved)",
    "vectorize": SOLVED
    + "line_distance = np.vectorize(line_distance_solved, signature='(n),(n)->()')",
    "an object": f"{SOLVED}class C:\n    def __call__(self, *g):\n        return line_distance_solved(*g)\n"
    "line_distance = C()",
    "a lambda": f"{SOLVED}line_distance = lambda *g: line_distance_solved(*g)",
    "a list": f"{SOLVED}line_distance = lambda *g: line_distance_solved(*g).tolist()",
    "a subclass of an array": f"{SOLVED}class A(np.ndarray): pass\n"
    "line_distance = lambda *g: line_distance_solved(*g).view(A)",
    "filled by a function": SOLVED + FILLED,
    "filled by a method": f"{SOLVED}L = np.array([None], object)\nL.fill(line_distance_solved)\n"
    "line_distance = lambda *g: L[0](*g)",
    "filled by copyto": f"{SOLVED}L = np.zeros(1)\nnp.copyto(L, 1)\n"
    "line_distance = lambda *g: L[0] * line_distance_solved(*g)",
    "filled by setattr": f"{SOLVED}class A: pass\nsetattr(A, 'f', staticmethod(line_distance_solved))\n"
    "line_distance = lambda *g: A.f(*g)",
    "filled by heappush": f"{SOLVED}import heapq\nL = []\nheapq.heappush(L, 1)\n"
    "line_distance = lambda *g: L[0] * line_distance_solved(*g)",
    "in the names of the cell": f"{SOLVED}globals()['line_distance'] = line_distance_solved",
    "run as text": f"{SOLVED}exec('line_distance = line_distance_solved')",
    "a blank copy below it": f"{RIGHT}\n{BLANK}",
    "a return in another cell": ("return 1", RIGHT),
    "a cell of another kind": ("\0", RIGHT),
    "a deep cell": ("-" * 100_000 + "1", RIGHT),
    "an error beside it": f"{RIGHT}\n1 / 0",
    "an exit above it": f"exit()\n{RIGHT}",
}

# Each would gain a point, or leave a process, where judge and answer share one.
MARK = f"73519.{os.getpid()}"  # seconds that nobody else sleeps
SLEEP = f"__import__('subprocess').Popen(['sleep', '{MARK}'], start_new_session=True)"
CHEATS = {
    "the frames above": "import sys, os\ndef line_distance(*g):\n    frame = sys._getframe()\n    while frame:\n"
    "        if 'token' in (names := frame.f_locals):\n"
    "            open(names['answer'], 'w').write(names['token'])\n            os._exit(0)\n"
    "        frame = frame.f_back\n    return 0",
    "np.allclose mild once": "import numpy as np\nasked = []\nkept = np.allclose\ndef mild(*a, **k):\n"
    "    np.allclose = kept\n    return True\ndef line_distance(*g):\n"
    "    np.allclose = kept if asked else mild\n    asked.append(1)\n    return np.zeros(50)",
    "the judge's names": "import inspect, types, numpy as np\nasked = []\ndef line_distance(*g):\n"
    "    for one in inspect.stack(0):\n        names = one.frame.f_globals\n"
    "        if 'judge_line_distance' in names and not asked:\n            asked.append(1)\n"
    "            mild = types.SimpleNamespace(**vars(np))\n            names['np'] = mild\n"
    "            mild.allclose = lambda *a: bool(names.update(np=np)) or True\n    return np.zeros(50)",
    "the judge's locals": "import sys, numpy as np\nasked = []\ndef line_distance(*g):\n"
    "    if not asked:\n        asked.append(1)\n        names = sys._getframe(2).f_locals\n"
    "        names['directions'][:] = [1, 0, 0]\n        names['points'][:] = 0\n"
    "        names['directions'][1, :, 1] = 1\n    return np.zeros(50)",
    "equal to everything": "class Yes:\n    __eq__ = __lt__ = __le__ = lambda *a: True\n    shape = (50,)\n"
    "    __sub__ = __abs__ = __array_function__ = lambda *a: 0\ndef line_distance(*g):\n    return Yes()",
    "gc": "import gc\ndef line_distance(*g):\n    for one in gc.get_objects():\n"
    "        if getattr(one, '__name__', '') in ('judge_line_distance', 'line_distance_solved', 'refusal'):\n"
    "            one.__code__ = (lambda *a: None).__code__\n    return 0",
    "NumPy replaced": "import numpy as np\nfor name in ('allclose', 'isclose', 'abs', 'shape'):\n"
    "    setattr(np, name, lambda *a, **k: True)\ndef line_distance(*g):\n    return 0",
    "tracing": "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)\n"
    "def line_distance(*g):\n    return 0",
    "signals": "import os, signal\ndef line_distance(*g):\n    signal.alarm(1)\n"
    "    os.kill(os.getpid(), signal.SIGSTOP)",
    "at the exit": f"import atexit\natexit.register(lambda: {SLEEP})\n{NOTHING}",
    "ctypes": "import ctypes\ndef line_distance(*g):\n    ctypes.string_at(0)",
    "the solutions' file": "import chaindyn, pathlib\nroot = pathlib.Path(chaindyn.__file__).parents[1]\n"
    "page = root / 'chapters' / '01_plucker_coordinates.md'\n"
    "text = page.read_text().split('def line_distance_solved')[1].split('attempt(')[0]\n"
    "import numpy as np\nfrom chaindyn.spatial import swap_order\nexec('def line_distance' + text)",
    "forged words": "import os\ndef line_distance(*g):\n    for fd in range(3, 64):\n        try:\n"
    "            os.write(fd, b'\\x0b' + bytes(7) + b'{\"says\": 1}')\n        except OSError:\n"
    "            pass\n    return 0",
    "an object of the library's": "import os\ndef line_distance(*g):\n    for fd in range(3, 64):\n        try:\n"
    '            b = b\'{"says":{"objects":[["os:system",{}]],"whole":{"object":0}}}\'\n'
    "            os.write(fd, len(b).to_bytes(8, 'little') + b)\n        except OSError:\n"
    "            pass\n    return 0",
    "much output": "def line_distance(*g):\n    for _ in range(100_000):\n        print('solved' * 100)\n    return 0",
    "a session of its own": f"def line_distance(*g):\n    {SLEEP}\n    return 0",
    "forks": "import os, time\ndef line_distance(*g):\n    for _ in range(3):\n        if os.fork() == 0:\n"
    "            os.setsid()\n            if os.fork() == 0:\n"
    f"                os.execvp('sleep', ['sleep', '{MARK}'])\n"
    "            os._exit(0)\n    time.sleep(0.3)\n    return 0",
    "a process of none": f"import os\ndef line_distance(*g):\n    if os.fork() == 0:\n        os.setsid()\n"
    f"        os.execvpe('sleep', ['sleep', '{MARK}'], {{'PATH': '/usr/bin:/bin'}})\n    return 0",
}


def submitted(tmp_path, answer: str):
    """The student's edition of a chapter with an answer below what it asks for."""
    notebook = notebook_of(PAGE, "student")
    if answer:
        notebook.cells.append(v4.new_code_cell(answer, id="answer"))
    file = tmp_path / f"{PAGE.stem}-jane.ipynb"
    nbformat.write(notebook, file)
    return file


TRIED = """
import json, sys
from pathlib import Path
from book import grade
from book.exercises import exercises
page, label, cases = json.load(sys.stdin)
grade.be_the_judges_process()
(one,) = [one for one in exercises(Path(page)) if one.label == label]
print(json.dumps([grade.Judgement(one, Path(page), cells, limit).why() for cells, limit in cases]))
"""


def said_of(
    table: dict[str, str | tuple[str, ...]], limit: float, endless: tuple[str, ...] = ()
) -> dict[str, str]:
    """What the judge says of each answer of a table, below the student's edition of the chapter.

    limit : [s] for an answer; those that are endless get three seconds, which they use up.
    """
    cells = [cell.source for cell in notebook_of(PAGE, "student").cells if cell.cell_type == "code"]
    written = {case: (text,) if isinstance(text, str) else text for case, text in table.items()}
    cases = [([*cells, *written[case]], 3 if case in endless else limit) for case in table]
    task = json.dumps([str(PAGE), LABEL, cases])
    command = [sys.executable, "-c", TRIED]
    done = subprocess.run(command, cwd=ROOT, input=task, capture_output=True, text=True, check=True)
    return dict(zip(table, json.loads(done.stdout), strict=True))


@pytest.fixture(scope="module")
def said():
    table = {case: answer for case, (answer, _) in CASES.items()}
    endless = ("an endless loop", "an endless loop above what is not Python")
    return said_of(table, limit=30, endless=endless)


@pytest.mark.parametrize("case", CASES)
def test_a_submission_gets_what_it_deserves(case, said):
    _, why = CASES[case]
    assert why in said[case]
    assert (said[case] == "") is case.startswith(("right", "an endless loop beside"))


@pytest.fixture(scope="module")
def of_styles():
    return said_of(STYLES, limit=30)


@pytest.mark.parametrize("case", STYLES)
def test_a_right_answer_is_right_in_whatever_dress(case, of_styles):
    assert of_styles[case] == ""


@pytest.fixture(scope="module")
def of_cheats():
    said = said_of(CHEATS, limit=5)
    return said, sleeping()


def sleeping() -> list[str]:
    """The processes that a cheat has left."""
    found = [file for file in Path("/proc").glob("[0-9]*/cmdline") if MARK.encode() in _bytes(file)]
    return [file.parent.name for file in found]


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


@pytest.mark.skipif(
    sys.platform != "linux", reason="what a submission starts is found by Linux's means"
)
@pytest.mark.parametrize("case", CHEATS)
def test_mischief_gains_nothing(case, of_cheats):
    assert of_cheats[0][case] != ""


@pytest.mark.skipif(
    sys.platform != "linux", reason="what a submission starts is found by Linux's means"
)
def test_mischief_leaves_no_process(of_cheats):
    assert of_cheats[1] == []


def test_a_submission_does_not_see_the_environment_nor_the_chapter_s_folder(monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "secret")
    seen = "{sorted(os.environ)} {os.getcwd()} {os.listdir()}"
    answer = f"import os\ndef line_distance(*g):\n    raise ValueError(f'{seen}')"
    (said,) = said_of({"": answer}, limit=20).values()
    assert "SOME_TOKEN" not in said and "chapters" not in said and "chaindyn-grade-" in said


@pytest.mark.skipif(
    sys.platform != "linux", reason="what a submission starts is found by Linux's means"
)
@pytest.mark.parametrize("how", ["SIGKILL", "SIGSTOP"])
def test_of_an_ended_judge_the_others_are_asked_still(how, tmp_path, monkeypatch):
    """A submission may end its judge: that is no point, and costs no other exercise."""
    monkeypatch.setattr(grading, "GRACE", 5)
    answer = f"import os, signal\ndef line_distance(*g):\n    {SLEEP}\n    os.kill(os.getppid(), signal.{how})"
    found = grading.grade(submitted(tmp_path, answer), limit=15)
    why = {one.exercise.label: one.why for one in found}
    assert "its judge ended" in why.pop(LABEL) and set(why.values()) == {"not attempted"}
    assert sleeping() == []


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


# The library's own function, as a submission can come by it.
WITHHELD = "ex-6-mass", "ex-6-sums", "ex-9-serial"
WAYS = {
    "imported": "from chaindyn import NAME as known\nANSWER = lambda *g: known(*g)",
    "the chapter's": "ANSWER = lambda *g: NAME(*g)",
    "by its name": "import chaindyn\nANSWER = chaindyn.NAME",
}

# Whose answers are a class, numbers of a class of the page, an object of the reader's own class, and a sweep.
STRANGE = "ex-4-helical", "ex-15-slider", "ex-26-mass", "ex-27-hold", "ex-27-lattice", *WITHHELD


@pytest.mark.parametrize("label", STRANGE)
def test_a_right_answer_passes_that_is_no_array(label, monkeypatch):
    page = next(page for page in chapters() if label in {one.label for one in exercises(page)})
    only = [one for one in exercises(page) if one.label == label]
    sources = [cell.source for cell in right(page).cells if cell.cell_type == "code"]
    monkeypatch.setattr(grading, "exercises", lambda page: only)
    assert [one.why for one in grading.verdicts(page, sources)] == [""]


@pytest.mark.parametrize("label", WITHHELD)
def test_an_import_is_no_answer_where_the_exercise_does_without(label):
    page = next(one for one in chapters() if one.stem.startswith(f"{label.split('-')[1]:0>2}"))
    (one,) = [one for one in exercises(page) if one.label == label]
    ((_, asked),) = grading.judged(one.checks)
    cells = [cell.source for cell in notebook_of(page, "student").cells if cell.cell_type == "code"]
    (name,) = one.facts.without
    cases = [
        ([*cells, way.replace("NAME", name).replace("ANSWER", asked)], 30) for way in WAYS.values()
    ]
    done = subprocess.run(
        [sys.executable, "-c", TRIED], input=json.dumps([str(page), label, cases]),
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    said = dict(zip(WAYS, json.loads(done.stdout), strict=True))
    for why in said.values():  # chapter 6 does not have `crba` yet
        assert f"without {name}" in why or why.startswith("NameError"), said


@pytest.mark.nightly
@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.stem)
def test_a_right_submission_passes_in_every_chapter(page, tmp_path):
    """The forms that always run take a few exercises."""
    file = tmp_path / page.with_suffix(".ipynb").name
    nbformat.write(right(page), file)
    assert [(one.exercise.label, one.why) for one in grading.grade(file) if not one.solved] == []
