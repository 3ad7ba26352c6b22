"""Which tests take long, for ``python -m book measure tests``: `make test` leaves them to `make test-long`.

As a plugin of pytest (``-p book.durations``) this adds up what each test takes, and keeps the names of the functions
that have one of more than half a second.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from book.pages import ROOT, BookError

LONG = ROOT / "tests" / "long.txt"
LIMIT = 0.5  # seconds

_taken: Counter[str] = Counter()


def function_of(nodeid: str) -> str:
    """Return the name of a test without its parameters."""
    return nodeid.partition("[")[0]


def long_functions(file: Path = LONG) -> frozenset[str]:
    """Return the names of the functions that take long, none if they were never measured."""
    return frozenset(file.read_text(encoding="utf-8").split()) if file.is_file() else frozenset()


def longer_than(limit: float, taken: Iterable[tuple[str, float]]) -> list[str]:
    """Return, sorted, the functions that have a test which takes longer than so many seconds."""
    return sorted({function_of(name) for name, seconds in taken if seconds > limit})


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what a test, what it needs and what it leaves take."""
    _taken[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep the names, where all workers report."""
    if not hasattr(session.config, "workerinput"):
        LONG.write_text("\n".join([*longer_than(LIMIT, _taken.items()), ""]), encoding="utf-8")


def measure() -> None:
    """Run all tests but the nightly ones and those in a browser, and keep which take long. BookError if one fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal"]
    command += ["-p", "book.durations", "-m", "not nightly", "tests", "--ignore=tests/browser"]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        raise BookError(
            "some tests failed; the names of those that take long are kept all the same"
        )
    print(f"{LONG.relative_to(ROOT)}: {len(long_functions())} functions")
