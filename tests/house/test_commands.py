"""python -m book: which Python runs a command, and what the table at the end says."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from book import commands, durations, setup, touched
from book.pages import ROOT, BookError


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "book", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_lists_every_command():
    text = run("--help").stdout
    assert all(re.search(rf"^  {name} ", text, re.M) for name in setup.COMMANDS)
    assert set(commands._COMMANDS) == set(setup.COMMANDS) - {"setup"}


def test_unknown_command():
    result = run("publish")
    assert result.returncode == 2
    assert "invalid choice: 'publish'" in result.stderr


def test_a_complete_environment_is_used_as_it_is():
    assert setup.missing() == []
    result = run("setup")
    assert result.returncode == 0
    assert result.stdout.strip() == f"setup: ready: {sys.executable}"


def test_variable_names_the_python():
    assert run("setup", CHAINDYN_PYTHON=sys.executable).stdout.strip().endswith(sys.executable)
    result = run("setup", CHAINDYN_PYTHON="no-such-python")
    assert result.returncode == 1
    assert "CHAINDYN_PYTHON=no-such-python: there is no such program" in result.stderr


def test_requirements_follow_the_extras():
    names = setup.requirements("dev")
    assert {"numpy", "yourdfpy", "anywidget", "jupytext", "nbval"} <= names
    assert "pin" not in names
    assert not any(name.startswith("chaindyn") for name in names)


def test_stamp_follows_pyproject(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("a = 1\n", encoding="utf-8")
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    first = setup._stamp()
    assert setup._stamp() == first
    (tmp_path / "pyproject.toml").write_text("a = 2\n", encoding="utf-8")
    assert setup._stamp() != first


def test_pip_installs_where_uv_cannot(monkeypatch, capsys, tmp_path):
    called = []

    def fake(command, **options):
        called.append(command)
        return subprocess.CompletedProcess(
            command, 2 if "-e" in command else 0, "", "no such index"
        )

    monkeypatch.setattr(setup.subprocess, "run", fake)
    monkeypatch.setattr(setup.shutil, "which", lambda name: None)
    monkeypatch.setattr(setup, "_by_pip", lambda wanted: called.append(["pip", wanted]) or 0)
    assert setup._install(("dev", "peers")) == 0
    assert [command[-1] for command in called] == ["uv", ".[dev,peers]", ".[dev,peers]"]
    assert called[-1][0] == "pip"
    assert "uv: no such index; by pip then" in capsys.readouterr().out


def test_uv_installs_where_it_can(monkeypatch):
    called = []

    def fake(command, **options):
        called.append((command, options["env"]))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(setup.subprocess, "run", fake)
    monkeypatch.setattr(setup.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example/simple")
    monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)
    assert setup._install(("dev",)) == 0
    ((command, environment),) = called
    assert command[:3] == ["/bin/uv", "pip", "install"] and command[-2:] == ["-e", ".[dev]"]
    assert environment["UV_DEFAULT_INDEX"] == "https://index.example/simple"


def test_what_is_nightly_is_left_out_of_test_and_run_by_nightly():
    checks = [*commands.checks(), *commands.long_checks()]
    for check in [check for check in checks if "pytest" in check.command]:
        if check.name != "notebooks":
            assert "not nightly" in check.command[check.command.index("-m", 3) + 1], check.name
    night = [check.command for check in commands.nightly_checks() if "nightly" in check.command]
    assert {command[-1] for command in night} >= {"tests/browser"} and len(night) == 2


def test_the_floor_of_coverage_holds_for_the_tests_of_every_change():
    (night,) = [check.command for check in commands.nightly_checks() if check.name == "coverage"]
    assert f"--cov-fail-under={commands.COVERAGE_FLOOR}" in night
    assert night[-len(commands.TESTS) - 1 :] == ["not nightly", *commands.TESTS]


def test_quick_and_long_tests_are_all_of_them():
    """What `test` leaves out `test-long` runs, of the same folders; the long ones are there by name."""
    (quick,) = [check.command for check in commands.checks() if check.name == "tests"]
    long, browser = (check.command for check in commands.long_checks())
    folders = len(commands.TESTS)
    assert quick[-folders:] == long[-folders:] == commands.TESTS
    assert (quick[-folders - 1], long[-folders - 1]) == (commands.QUICK, "slow and not nightly")
    assert browser[-2:] == ["not nightly", "tests/browser"]
    for name in sorted(durations.long_functions()):
        file, _, function = name.partition("::")
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8"), name


def test_functions_are_long_by_the_longest_of_their_tests():
    taken = [("a.py::f[x::1]", 1.2), ("a.py::f[y]", 0.1), ("a.py::g", 0.9), ("a.py::h", 1.1)]
    assert durations.longer_than(1, taken) == ["a.py::f", "a.py::h"]


def test_bootstrap_needs_the_standard_library_only():
    """With nothing importable but Python's own, the command still says what there is."""
    code = "import runpy, sys; sys.argv = ['book', '--help']; sys.path.insert(0, '.'); runpy.run_module('book')"
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "JupyterLab" in result.stdout, result.stderr


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("===== 3 passed, 1 skipped in 0.12s =====", "3 passed, 1 skipped"),
        ("1 failed, 38 passed, 2 warnings in 17.72s", "1 failed, 38 passed, 2 warnings"),
        ("== 412 passed in 75.02s (0:01:15) ==", "412 passed"),
        ("...F..... [100%]", ""),
        ("it took 3 passed exams in a row", ""),
    ],
)
def test_summary(line, counts):
    assert commands.summary(line) == counts


def test_table_counts_tests_and_names_failures():
    results = [
        commands.Result("export", 1.0, True, ""),
        commands.Result("tests", 60.0, False, "1 failed, 38 passed, 2 errors, 1 skipped"),
    ]
    lines = commands.table(results).splitlines()
    assert lines[0] == "export      1.0 s  ok"
    assert lines[1] == "tests      60.0 s  FAILED  1 failed, 38 passed, 2 errors, 1 skipped"
    assert lines[-1] == "39 passed, 3 failed, 1 skipped"


def test_a_failing_check_fails_all_but_lets_the_others_run(capsys):
    bad = commands.Check("bad", [sys.executable, "-c", "print('broken'); raise SystemExit(3)"])
    good = commands.Check("good", [sys.executable, "-c", "print('2 passed in 0.01s')"])
    assert commands._run_all([bad, good]) == 1
    told = capsys.readouterr().out
    assert "broken" in told
    assert told.endswith("2 passed, 1 failed, 0 skipped\n")
    assert commands._run_all([good]) == 0


def test_checks_cover_what_the_contributing_page_lists():
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(r"`([^`]+)`", "".join(re.findall(r"^\| (`.*?) \|", table, re.M)))
    checks = [*commands.checks(), *commands.long_checks()]
    assert sorted(listed) == sorted(check.name for check in checks)


def test_a_page_that_is_saved_is_built_and_one_that_fails_is_waited_for(monkeypatch, capsys):
    stages = [{"a": 1}, {"a": 1}, {"a": 2}, {"a": 2}, {"a": 3}]
    monkeypatch.setattr(commands, "_saved", lambda: stages.pop(0))
    monkeypatch.setattr(commands.time, "sleep", lambda seconds: None)
    built = list[int]()

    def build() -> None:
        built.append(len(stages))
        if len(built) == 1:
            raise BookError("a link leads nowhere")

    with pytest.raises(IndexError):  # no stage is left
        commands._whenever_saved(build)
    assert built == [2, 0]
    assert capsys.readouterr().out.split("\n\n") == [
        "\nserve: a link leads nowhere",
        "serve: built anew\n",
    ]


def test_what_is_saved_is_the_pages():
    assert {page.name for page in commands._saved()} >= {"intro.md", "06_inverse_dynamics.md"}


# What a change touches --------------------------------------------------------------------------

DOORS = """
from chaindyn.hinges import turned

def opening(door):
    \"\"\"How far it is open.\"\"\"
    return turned(door) * 2

def colour(door):
    return "green"
"""
TESTS = """
import chaindyn as cd
import pytest
from chaindyn import opening
from pairs import pair

@pytest.fixture
def door():
    return cd.opening(1)

def test_opening(): assert opening(1) == 2
def test_fixture(door): assert door == 2
def test_helper(): assert pair(1) == (2, 2)
def test_colour(): assert cd.colour(1) == "green"

@pytest.mark.parametrize("name", ["colour", "opening", "turned"])
def test_table(name): assert getattr(cd, name)(1)  # asks by strings
"""
FILES = {
    "chaindyn/__init__.py": "from chaindyn.doors import colour, opening\nfrom chaindyn.hinges import turned\n",
    "chaindyn/hinges.py": "def turned(x):\n    return x\n",
    "chaindyn/doors.py": DOORS,
    "book/doors.json": "{}",
    "book/pages.py": "def chapters():\n    return open('doors.json')\n",
    "tests/pairs.py": "import chaindyn\n\ndef pair(x):\n    return 2 * (chaindyn.opening(x),)\n",
    "tests/test_doors.py": TESTS,
    "tests/test_pages.py": "from book.pages import chapters\n\ndef test_chapters(): assert chapters()\n",
}


@pytest.fixture
def small(tmp_path):
    """A project under git, and a function that changes a file of it and finds what that touches."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], check=True)

    def changed(name: str, old: str, new: str) -> touched.Plan:
        text = FILES.get(name, "")
        assert old in text
        (tmp_path / name).write_text(text.replace(old, new) if old else new, encoding="utf-8")
        files = touched.changed_files("HEAD", tmp_path)
        assert files == [name]
        return touched.plan(files, "HEAD", 5, tmp_path)

    return tmp_path, changed


def steps(plan: touched.Plan) -> dict[str, int]:
    return {test.partition("::test_")[2]: steps for test, steps in plan.tests.items()}


def test_a_change_touches_the_tests_that_come_to_it_by_name(small):
    """Through the package's top, helpers, fixtures and other functions; the fewer steps, the nearer."""
    _, changed = small
    plan = changed("chaindyn/hinges.py", "return x", "return 2 * x / 2")
    assert steps(plan) == {"opening": 2, "fixture": 3, "helper": 3, "table": 1}
    assert plan.words == ["turned"] and plan.files == ["tests/test_doors.py"]


def test_words_about_a_function_touch_nothing(small):
    _, changed = small
    plan = changed("chaindyn/doors.py", "How far", "# far\n    How wide")
    assert plan.tests == {} and plan.files == [] and plan.words == []


@pytest.mark.parametrize(
    ("name", "old", "new", "found"),
    [
        ("tests/test_doors.py", '"green"', '"red"', {"colour": 0}),
        ("chaindyn/doors.py", '"green"', '"red"', {"colour": 1, "table": 1}),
        ("tests/pairs.py", "2 *", "3 *", {"helper": 1}),
        ("book/doors.json", "{}", "[]", {"chapters": 1}),
        ("tests/test_new.py", "", "def test_new():\n    pass\n", {"new": 0}),
    ],
)
def test_a_changed_test_a_helper_and_a_file_that_code_names(small, name, old, new, found):
    _, changed = small
    assert steps(changed(name, old, new)) == found


def test_tests_of_every_page_are_run_for_the_page_that_changed():
    plan = touched.plan(["chapters/06_inverse_dynamics.md"])
    assert plan.tests == {} and "tests/house/test_files.py" in plan.files
    test = "tests/house/test_files.py::test_solutions_are_tagged"
    assert plan.rank(f"{test}[06_inverse_dynamics]") == 0
    assert plan.rank(f"{test}[07_the_stacked_form_and_composite_inertia]") is None


def test_the_package_s_own_tests_come_to_its_functions():
    """No test is far from what it is there for: what its module offers is one step away."""
    sources = touched.Sources(ROOT)
    found = sources.tests(sources.steps({("chaindyn.inverse_dynamics", "rnea")}))
    assert min(n for test, n in found.items() if "test_inverse_dynamics.py" in test) == 1
    assert "tests/test_every_function.py::test_a_batch_is_a_loop" in found


def test_an_unknown_base_is_told():
    with pytest.raises(BookError, match="no-such-commit"):
        touched.changed_files("no-such-commit")


@pytest.mark.parametrize(
    ("seconds", "says"),
    [("60", "6 passed, 1 deselected"), ("0", "1 passed, 1 deselected")],
)
def test_the_nearest_run_whatever_the_time(small, seconds, says):
    """Those whose parameters name what changed; the others while there is time, and how many is said."""
    root, changed = small
    plan = changed("chaindyn/hinges.py", "return x", "return 2 * x / 2")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "book.touched"]
    with touched.planned(plan, float(seconds)):
        done = subprocess.run(
            [*command, "--rootdir=.", *plan.files], cwd=root, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{ROOT}"},
        )  # fmt: skip
    assert says in done.stdout, done.stdout
    assert (commands.LEFT in done.stdout) == (seconds == "0")


def test_checks_of_a_change():
    def names(*files: str) -> list[str]:
        return [check.name for check in commands.touched_checks([*files], ["tests/test_lie.py"])]

    assert names("README.md") == ["tests"]
    assert names("tests/pairs.py") == ["tests", "ruff check", "ruff format"]
    assert names("chapters/06_inverse_dynamics.md") == ["tests", "pages", "export"]
    assert set(names("chaindyn/lie.py")) >= {"export", "types"}
