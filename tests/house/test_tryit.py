"""What a cell needs from above when it runs on its page: found by names, without a browser."""

from __future__ import annotations

import ast
import builtins
import sys
from pathlib import Path

import pytest

from book import tryit
from book.judging import Statement, given_for, judged, needed
from book.pages import ROOT, chapters, main_chapters

PAGES = [pytest.param(page, id=page.stem) for page in main_chapters()]
KNOWN = {*dir(builtins), "__name__", "__annotations__"}
sys.path.insert(0, str(ROOT / "book" / "theme" / "tryit"))
sys.path.insert(0, str(ROOT / "book"))  # in the browser judging.py lies beside run.py


def unbound(above: list[str], code: str) -> set[str]:
    """The names that are read where nothing that runs before has bound them; a function reads when all is there."""
    own = [Statement(node) for node in ast.parse(code).body]
    missing, bound = set[str](), set(KNOWN)
    for one in [*given_for(above, code), *own]:
        missing |= one.reads - bound - one.binds
        bound |= one.binds
    for one in [*given_for(above, code), *own]:
        missing |= {name for name in one.reads_late - bound if not name.startswith("__")}
    return missing


@pytest.mark.parametrize("page", PAGES)
def test_no_exercise_ends_in_a_name_error(page):
    cells = tryit.page_data(page)["cells"]
    tries = tryit.tries(page)
    assert len({one.name for one in tries}) == len(tries) >= 5
    for one in tries:
        assert unbound(cells[: one.above], one.source) == set(), one.name
        assert one.cell is None or cells[one.cell] == one.source


@pytest.mark.parametrize("page", PAGES)
def test_a_solution_finds_its_names_too(page):
    """With more names than its exercise uses, it stands in the same place."""
    cells = tryit.page_data(page)["cells"]
    solutions = {one.label: one.solution for one in tryit.exercises(page)}
    for one in tryit.tries(page):
        if solutions.get(one.name) and one.cell is not None:
            text = "\n".join([one.source, *solutions[one.name]])
            assert unbound(cells[: one.above], text) == set(), one.name


def test_only_what_is_needed_is_given():
    above = ["import numpy as np\nimport sympy", "a = np.ones(2)", "def f(x):\n    return a + x"]
    names = [one.binds for one in given_for(above, "f(1)")]
    assert names == [{"np"}, {"a"}, {"f"}]
    assert given_for(above, "print(1)") == []
    assert unbound(above, "b") == {"b"}
    assert unbound(above[2:], "f(1)") == {"a"}
    with pytest.raises(SyntaxError):
        given_for(above, "x = = 1")


def chosen(lines: list[str], asked: str) -> set[int]:
    """Which of some lines give a name that is asked for after the last of them."""
    statements = [Statement(ast.parse(line).body[0]) for line in lines]
    return needed(statements, {len(lines) - 1: {asked}})


@pytest.mark.parametrize(
    ("method", "most"),
    [
        *(("append", 1), ("extend", 1), ("insert", 2), ("update", 1), ("add", 1)),
        *(("setdefault", 2), ("clear", 0), ("pop", 2), ("sort", 0)),
    ],
)
def test_a_method_that_changes_what_it_is_called_on_is_needed(method: str, most: int) -> None:
    """With one argument more than it takes it is a function of some module."""
    given = ", ".join("1" * most)
    assert chosen(["x = make()", f"x.{method}({given})"], "x") == {0, 1}
    assert chosen(["x = make()", f"x.{method}({', '.join('1' * (most + 1))})"], "x") == {0}
    assert chosen(["x = make()", f"x.like({given})"], "x") == {0}


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["x = 0", "x = 1"], {1}),
        (["x = 0", "x = x + 1"], {0, 1}),
        (["x = 0", "x += 1"], {0, 1}),
        (["x = 0", "for x in []: pass"], {0, 1}),
        (["x = 0", "if x: x = 1"], {0, 1}),
        (["x = [0]", "x[0] = 1"], {0, 1}),
        (["x = f", "x.y = 1"], {0, 1}),
        (["x = f", "x.y[0].z = 1"], {0, 1}),
        (["x = [0]", "y = x[0]", "z = x.y"], {0}),
        (["x = 0", "def x(): pass"], {1}),
        (["x = 0", "class x: pass"], {1}),
        (["x = 0", "import x"], {1}),
        (["x = []", "class A:\n    def f(self): x.append(1)"], {0}),
        (["n = 1", "x = [[n for _ in [1]] for _ in [1]]", "n = 2"], {0, 1}),
        (["n = 1", "x = list(n for _ in [1])", "n = 2"], {0, 1}),
        (["def x(): return a", "a = 1"], {0, 1}),
        (["def x():\n    def f(): return a\n    return f", "a = 1"], {0, 1}),
        (["def x():\n    class A:\n        y = a\n    return A", "a = 1"], {0, 1}),
        (["y = 0", "class x:\n    y = 1\n    z = y"], {1}),
        (["a = 1", "def f(): return a", "def g(): return f()", "x = g()"], {0, 1, 2, 3}),
        (["a = 1", "b = 2", "def x(): return a", "x.y = lambda: b", "x.z = 3"], {0, 1, 2, 3, 4}),
    ],
    ids=str,
)
def test_what_is_changed_in_part_or_read_late_is_needed(lines, wanted):
    """A new value replaces what was there, a change of a part and a loop do not; a function reads when it is called."""
    assert chosen(lines, "x") == wanted


def test_each_name_is_given_as_it_stands_where_it_is_asked_for():
    """What comes after plays no part; a cell that binds a name anew has no need of it."""
    lines = "x = 1", "x = 2", "x = 3"
    statements = [Statement(ast.parse(line).body[0]) for line in lines]
    assert needed(statements, {1: {"x"}}) == {1}
    assert needed(statements, {0: {"x"}, 2: {"x"}}) == {0, 2}
    assert given_for(["a = 1", "x = 2"], "x = 3") == []
    (one,) = given_for(["a = 1", "x = 2"], "def f():\n    return a")
    assert one.binds == {"a"}
    (empty,) = [Statement(node) for node in ast.parse("class A: pass").body]
    assert empty.reads == set()  # what Python itself puts there is no name of the page


# What happens in the browser, here ----------------------------------------------------------------


def told(
    above: list[str], code: str, monkeypatch: pytest.MonkeyPatch, check: str = ""
) -> list[tuple[str, str]]:
    """What a reader sees: pieces of one kind joined."""
    import run

    monkeypatch.chdir(ROOT / "chapters")
    heard: list[tuple[str, str]] = []
    missing = run.run(above, code, lambda kind, text: heard.append((kind, text)), check)
    assert missing is None
    joined: list[tuple[str, str]] = []
    for kind, text in heard:
        before = joined.pop()[1] if joined and joined[-1][0] == kind else ""
        joined.append((kind, before + text))
    return joined


@pytest.mark.nightly
@pytest.mark.parametrize("page", PAGES)
def test_every_exercise_runs_by_itself(page, monkeypatch):
    run_exercises(page, monkeypatch)


@pytest.mark.parametrize("page", [p for p in chapters() if p.stem[:2] in ("01", "09")])
def test_exercises_run_by_themselves(page, monkeypatch):
    run_exercises(page, monkeypatch)


def run_exercises(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = tryit.page_data(page)["cells"]
    for one in tryit.tries(page):
        if "attempt(" not in one.source:
            continue
        own, check = one.parts
        assert "judge_" not in own and judged([check]), one.name
        heard = told(cells[: one.above], own, monkeypatch, check)
        assert heard == [("out", f"{one.title}: not attempted yet\n")], one.name


CHECK = """def judge_double(candidate):
    a, b = candidate(BASE)
    assert (a, b) == (2, 4), "not twice as much"

attempt("Exercise 1.1", lambda: judge_double(double))
"""
ABOVE = ["from chaindyn.teaching import attempt", "BASE = 1, 2"]
WRONG = "Exercise 1.1: not yet right. "


@pytest.mark.parametrize(
    ("code", "heard"),
    [
        ("def double(x): return 2 * x[0], 2 * x[1]\n'mine'", "'mine'\nExercise 1.1: solved\n"),
        ("def double(x): return x", f"{WRONG}not twice as much\n"),
        ("def double(x): 2 * x[0], 2 * x[1]", f"{WRONG}Your function returned nothing: is its `return` missing?"),
        ("def double(x): raise NotImplementedError", "Exercise 1.1: not attempted yet\n"),
        ("BASE", "(1, 2)\n"),  # something else than the answer
        ("def twice(x): return x\nattempt('Mine', lambda: judge_double(twice))", "Mine: not yet right. not twice as"),
    ],
)  # fmt: skip
def test_the_check_runs_behind_the_readers_code(code, heard, monkeypatch):
    (kind, said), *more = told(ABOVE, code, monkeypatch, CHECK)
    assert (kind, more) == ("out", [])
    assert said.startswith(heard)
    assert said.count("Exercise 1.1") <= 1


@pytest.mark.parametrize(
    ("code", "heard"),
    [
        ("1 + 1", [("out", "2\n")]),
        ("x = 2\nx;", []),
        ("None", []),
        ("print('a')\n1 / 0", [("out", "a\n"), ("problem", "ZeroDivisionError: division by zero\n  line 2: 1 / 0\n")]),
        ("x = (", [("problem", "SyntaxError: '(' was never closed\n  line 1: x = (\n")]),
        ("raise SystemExit", [("problem", "SystemExit\n  line 1: raise SystemExit\n")]),
        ("def f():\n  g\nf()", [("problem", "NameError: name 'g' is not defined\n  line 2, in f: g\n  line 3: f()\n")]),
        ("import warnings\nwarnings.warn('far')", [("warning", "line 2: UserWarning: far\n")]),
    ],
)  # fmt: skip
def test_what_a_reader_sees(code, heard, monkeypatch):
    assert told([], code, monkeypatch) == heard


def test_output_ends_somewhere(monkeypatch):
    (_, text), (kind, why) = told([], "for _ in range(300): print('x' * 999)", monkeypatch)
    assert len(text) == 200_000
    assert (kind, why) == ("problem", "\nThe rest of the output is left out.")


def test_figures_are_told(monkeypatch):
    code = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
    (_, text), *more = [x for x in told([], code, monkeypatch) if x[0] == "svg"]
    assert "<svg" in text
    assert not more


def test_a_module_that_is_missing_is_named():
    import run

    assert run.run([], "import zork.inside", lambda kind, text: None) == "zork"


# Explorers that follow ----------------------------------------------------------------------------

STEP = "(parent[..., k:] - parent[..., :k] @ G,)"


def followed(
    change: tuple[str, str], name: str = "articulated_step", chapter: str = "09"
) -> tuple[str | None, str]:
    """The module that is recorded of a changed cell, that of `articulated_step`, and what the reader is told."""
    import follow

    (page,) = [page for page in chapters() if page.stem.startswith(chapter)]
    data = tryit.page_data(page)
    code = data["tries"][name]["source"]
    assert change[0] in code
    code = code.replace(*change)
    names = [name for name in follow.redefined(code, data["cells"]) if name in data["followed"]]
    heard: list[str] = []
    functions = sorted({x for name in names for x in data["followed"][name]})
    text = follow.follow([code], names, functions, lambda _, words: heard.append(words))
    return text, "".join(heard)


def test_an_explorer_follows_what_is_redefined():
    from chaindyn import articulated

    book = articulated.articulated_step
    text, said = followed((STEP, "(parent[..., k:],)"))
    assert text is not None
    assert "masses_felt_run" in text
    assert "export const runs={masses_felt_run:" in text
    assert "differ from the book's: masses_felt by 52 %" in said
    assert articulated.articulated_step is book
    again, _ = followed((STEP, STEP + "  # as it was"))
    assert again is None


@pytest.mark.parametrize(
    ("name", "chapter", "change", "runs", "said"),
    [
        ("rk4_step", "11", ("h / 6 *", "h / 5 *"), "runs={rk4_step}", "differ from the book's: rk4_step by"),
        ("semi_implicit_euler_step", "11", ("q, h * qd", "q, 2 * h * qd"), "runs={semi_imp", "euler_step by"),
        ("contact_turn", "31", ("- slip /", "+ slip /"), "runs={contact_turn}", "contact_turn by"),
        ("pyramid_impulse", "31", ("z[..., :1]", "2 * z[..., :1]"), "{coulomb_conditions,pyramid_", "impulse by"),
        ("log_so3", "02", ("return log", "return 2 * log"), "runs={log_so3}", "follows your log_so3"),
    ],
)  # fmt: skip
def test_an_explorer_follows_steps_and_functions_without_a_chain(name, chapter, change, runs, said):
    text, words = followed(change, name, chapter)
    assert runs in text
    assert said in words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((STEP, "(1 * parent[..., k:] - parent[..., :k] @ G,)"), "computes just what the book's does"),
        (("I_hat = inertia", "I_hat = inertiaa"), "cannot follow your articulated_step"),
        (("I_hat = inertia", "I_hat = inertiaa"), "NameError: name 'inertiaa' is not defined"),
        (("felt = both.mT", "felt = both.mT if children[0].sum() > 0 else both.mT"), "cannot follow"),
    ],
)  # fmt: skip
def test_what_cannot_be_followed_is_said(change, words):
    text, said = followed(change)
    assert text is None
    assert words in said


def test_what_is_recorded_is_found_by_recording():
    names = tryit.followed(frozenset({"HeftExplorer"}))
    assert names["articulated_step"] == ["masses_felt"]
    assert "aba" not in names  # no page computes by it: by its steps
    assert tryit.followed(frozenset()) == {}
