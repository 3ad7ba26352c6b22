"""Random calls with one thing wrong, of `fuzz.py`: some with every change, those of ten minutes at night."""

import datetime
import functools
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import fuzz
import numpy as np
import pytest

import chaindyn
from chaindyn.guards.numbers import as_array

pytestmark = pytest.mark.filterwarnings("ignore:the .* break the constraints")


@pytest.mark.parametrize("hundred", range(10))
def test_a_sample_of_calls(hundred, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = list(fuzz.wrong_ones(1, range(100 * hundred, 100 * (hundred + 1))))
    assert not wrong, "\n".join(wrong)


@pytest.mark.nightly
def test_ten_minutes_of_calls():
    """By the seed of the day, which is printed; a process of its own can be ended where a library never returns."""
    seed = datetime.date.today().strftime("%Y%m%d")
    file = Path(fuzz.__file__)
    run = subprocess.run(
        [sys.executable, file, "--seed", seed, "--seconds", "600"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(file.parents[1]), str(file.parent)])},
        check=False,
    )
    print(run.stdout)
    assert run.returncode == 0, run.stdout + run.stderr


# The judge itself --------------------------------------------------------------------------------


def changes(x):
    x[0] = 2


def warns():
    with np.errstate(all="warn"):
        return (np.array([1.0]) / np.array([0.0]) * 0,)


@pytest.mark.parametrize(
    ("call", "name", "words"),
    [
        (lambda x: (np.array([1, np.nan]),), None, "nan without a word"),
        (lambda x: (1.0, (2 + 1j) * np.inf), None, "without a word"),
        (lambda x: ([][0],), None, "IndexError"),
        (lambda x: np.linalg.cholesky(-np.eye(2)), None, "in others' words"),
        (lambda x: float("one"), None, "in others' words"),
        (lambda x: as_array("one", "angle"), "q", "q is not named"),
        (changes, None, "it changes what it was given"),
        (lambda x: warns(), None, "NumPy warns"),
    ],
)
def test_the_judge_sees_what_is_wrong(call, name, words):
    x = np.ones(3)
    with pytest.raises(fuzz.Wrong, match=words):
        fuzz.asked(lambda: call(x), {"x": x}, name)


def test_the_judge_ends_what_does_not_end(monkeypatch):
    monkeypatch.setattr(fuzz, "LIMIT", 0.2)
    with pytest.raises(fuzz.Wrong, match="no end"):
        fuzz.asked(lambda: [time.sleep(0.01) for _ in range(1000)], {})


def test_the_judge_lets_pass_what_is_right():
    fuzz.asked(lambda: (np.ones(3), "words", None), {})
    _, refused = fuzz.asked(lambda: as_array("one", "angle"), {}, "angle")
    assert "must hold numbers" in str(refused)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the reader's own settings do not matter
        fuzz.asked(
            lambda: warnings.warn("a closure is open", UserWarning, stacklevel=1) or (1.0,), {}
        )


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("crba", lambda right: lambda chain, q, **more: right(chain, np.float64(q), **more)),
        ("skew", lambda right: lambda a: right(a) * np.nan),
        ("crm", lambda right: lambda v: np.float64(right(np.asarray(v, np.float16).astype(float)))),
        ("momentum", lambda right: lambda chain, q, qd, point: right(chain, qd, q, point)),
        ("rnea", lambda right: lambda *given, **more: right(*given, **more)),
    ],
)
def test_a_broken_function_is_found(name, broken, monkeypatch):
    """Among a hundred calls of it alone; the last is not broken."""
    right = getattr(chaindyn, name)
    wrong = functools.wraps(right)(broken(right))
    monkeypatch.setattr(chaindyn, name, wrong)
    monkeypatch.setattr(fuzz, "ROWS", [row for row in fuzz.ROWS if row.name == name])
    monkeypatch.setattr(fuzz, "MORE", [])
    monkeypatch.setattr(fuzz, "PARTS", [fuzz.spoiled_array])
    assert any(fuzz.wrong_ones(0, range(100))) == (name != "rnea")


def test_a_case_is_made_again():
    rng = np.random.default_rng
    numbers = [
        n
        for n in range(40)
        if fuzz.PARTS[rng([5, n]).integers(len(fuzz.PARTS))] is fuzz.spoiled_array
    ]
    first = [fuzz.case(5, n).partition(", {")[0] for n in numbers[:3]]
    assert first == [fuzz.case(5, n).partition(", {")[0] for n in numbers[:3]]
