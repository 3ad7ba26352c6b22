"""The measurements still run, and both engines still agree before they are timed."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
BENCH = Path(__file__).parents[1] / "bench"


def load(name):
    spec = importlib.util.spec_from_file_location(f"bench_{name}", BENCH / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_kinematics_is_measured_and_drawn(tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    bench = load("kinematics")
    pairs = {(n, name): pair for n in bench.LINKS for name, pair in bench.single_calls(n).items()}
    calls = {str(n): {} for n in bench.LINKS}
    for (n, name), result in bench.compare(pairs, rounds=1).items():
        calls[str(n)][name] = result
    batch = bench.compare(bench.batched_calls(3, 50), 1, 50)
    results = {"calls": calls, "batch": {"functions": batch}}
    bench.plot(results, tmp_path / "plot.svg")
    assert "<svg" in (tmp_path / "plot.svg").read_text()
    assert bench.table(results).count("/") == 4 * 5
    assert all(r["ratio"] > 0 for functions in calls.values() for r in functions.values())


def test_engines_that_differ_are_not_timed():
    with pytest.raises(AssertionError, match="nothing is timed"):
        load("kinematics").agree([1.0], [1.0 + 1e-9], 1)
