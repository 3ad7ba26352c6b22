"""python -m book: which Python runs a command, and what the table at the end says."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from book import commands, setup
from book.pages import ROOT


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
    for check in [check for check in commands.checks() if "pytest" in check.command]:
        if check.name != "notebooks":
            assert "not nightly" in check.command[check.command.index("-m", 3) + 1], check.name
    night = [check.command for check in commands.nightly_checks() if "nightly" in check.command]
    assert {command[-1] for command in night} >= {"tests/browser"} and len(night) == 2


def test_the_floor_of_coverage_holds_for_the_tests_of_every_change():
    (change,) = [check.command for check in commands.checks() if check.name == "tests"]
    (night,) = [check.command for check in commands.nightly_checks() if check.name == "coverage"]
    assert f"--cov-fail-under={commands.COVERAGE_FLOOR}" in night
    selected = change.index("not nightly")
    assert night[-len(change[selected:]) :] == change[selected:]


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
    assert sorted(listed) == sorted(check.name for check in commands.checks())
