"""The measurements still run, and both engines still agree before they are timed."""

import importlib
import importlib.util
import json
import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
BENCH = Path(__file__).parents[1] / "bench"


def load(name):
    spec = importlib.util.spec_from_file_location(f"bench_{name}", BENCH / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for their names
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


def test_inverse_kinematics_is_measured(robot_file):
    rows = load("reaching").measure(3)
    reached = {(robot, library): share for robot, library, share, *_ in rows}
    for robot in ("Panda", "UR5", "Allegro hand"):
        assert reached[robot, "chaindyn, up to 21 starts"] == 1
        assert reached[robot, "chaindyn, one start"] <= 1
        assert sum(name == robot for name, _ in reached) >= 4


@pytest.mark.parametrize("name", ["aba", "dynamics", "impulse"])
def test_dynamics_is_measured_kept_and_drawn(name, tmp_path, monkeypatch, capsys):
    """Small and few: that each peer answers the same, that what stops is told, that files are written."""
    pytest.importorskip("matplotlib").use("agg")
    if name != "impulse":
        pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    monkeypatch.syspath_prepend(BENCH)
    bench = load(name)
    side = bench.side
    small = {"SIZES": (2, 5), "LONG": (2, 5), "BATCH": 20, "ROUNDS": 1, "LARGEST_PINOCCHIO": 2}
    for constant, value in small.items():
        monkeypatch.setattr(side, constant, value)
    monkeypatch.setattr(side, "BOOK", tmp_path)
    monkeypatch.setattr(bench, "STRAIGHT", (10,), raising=False)
    bench.main(["--save", "--plot", str(tmp_path / "plot.svg")])
    results = json.loads((tmp_path / f"speed_{name}.json").read_text())
    assert set(results["calls"]) == set(bench.STYLES)
    for engine, times in results["calls"].items():
        if engine.startswith("Pinocchio"):
            assert list(times) == ["2"] and "memory" in results["stopped"][engine]
        else:
            assert list(times) == ["2", "5"] and engine not in results["stopped"]
    printed = capsys.readouterr().out
    assert "n^" in printed and "in a loop" in printed and "differs from" in printed
    differences = [
        float(line.rpartition(" ")[2]) for line in printed.splitlines() if "differs" in line
    ]
    assert len(differences) >= 3 and max(differences) < 1e-12
    assert "<svg" in (tmp_path / "plot.svg").read_text()


def test_simulation_is_measured_kept_and_drawn(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib").use("agg")
    pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    monkeypatch.syspath_prepend(BENCH)
    bench = load("simulation")
    small = {"STEPS": 20, "BATCH": 3, "BATCH_STEPS": 4, "ROUNDS": 1}
    for constant, value in small.items():
        monkeypatch.setattr(bench, constant, value)
    monkeypatch.setattr(bench.side, "BOOK", tmp_path)
    bench.main(["--save", "--plot", str(tmp_path / "plot.svg")])
    results = json.loads((tmp_path / "speed_simulation.json").read_text())
    assert "load_before" in results["machine"]
    assert set(results["rollout"]["step_us"]) == set(bench.STYLES)
    assert set(results["batch"]["step_us"]) == set(bench.ENGINES)
    assert all(us > 0 for kind in ("rollout", "batch") for us in results[kind]["step_us"].values())
    assert all(0 < error < 1e-6 for error in results["errors"].values())
    printed = capsys.readouterr().out
    differences = [
        float(line.rpartition(" ")[2]) for line in printed.splitlines() if "differs" in line
    ]
    assert len(differences) == 6 and max(differences) < 1e-13
    assert "<svg" in (tmp_path / "plot.svg").read_text()


def test_rollouts_that_end_elsewhere_are_not_timed(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    bench = load("simulation")
    late = lambda chain: lambda states, steps: bench.ours(chain)(states, steps + 1)  # noqa: E731
    monkeypatch.setattr(bench, "ENGINES", {"chaindyn": bench.ours, "late": late})
    with pytest.raises(AssertionError, match=r"late differs by .*: nothing is timed"):
        bench.checked_calls(bench.hinges(), 2, 3)


def test_loops_are_measured_kept_and_drawn(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib").use("agg")
    pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    monkeypatch.syspath_prepend(BENCH)
    bench = load("loops")
    for constant, value in {"BATCH": 5, "ROUNDS": 1, "LONG": (5, 10)}.items():
        monkeypatch.setattr(bench.side, constant, value)
    monkeypatch.setattr(bench, "LOOPS", (2, 3))
    monkeypatch.setattr(bench, "GROWING", 2)
    monkeypatch.setattr(bench.side, "BOOK", tmp_path)
    bench.main(["--save", "--plot", str(tmp_path / "plot.svg")])
    results = json.loads((tmp_path / "speed_loops.json").read_text())
    assert "load_before" in results["machine"]
    for times in (results["five_bar"]["one_us"], results["five_bar"]["state_us"]):
        assert set(times) == set(bench.STYLES) and all(us > 0 for us in times.values())
    assert all(own["error"] < 1e-12 for own in results["mechanisms"].values())
    for cranks in results["four_bars"].values():
        assert cranks["stopped"] == {}
        assert all(list(times) == ["2", "3"] for times in cranks["calls"].values())
    assert len(results["growth"]) == 3
    printed = capsys.readouterr().out
    assert printed.count("n^") == 3 and printed.count("N^") == 10
    differences = {"Pinocchio": [], "Pinocchio, lcaba": [], "MuJoCo": []}
    for line in printed.splitlines():
        if "differs from" in line:
            name = line.partition(": ")[2].partition(" differs")[0]
            differences[name].append(float(line.rpartition(" ")[2]))
    assert {name: len(errors) for name, errors in differences.items()} == {
        "Pinocchio": 7,
        "Pinocchio, lcaba": 5,
        "MuJoCo": 5,
    }
    for name, bound in (("Pinocchio", 1e-11), ("Pinocchio, lcaba", 1e-7), ("MuJoCo", 1e-3)):
        assert max(differences[name]) < bound
    assert "<svg" in (tmp_path / "plot.svg").read_text()


def test_contact_is_measured_kept_and_drawn(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib").use("agg")
    pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    monkeypatch.syspath_prepend(BENCH)
    bench = load("contact")
    small = {"TIME": 0.16, "STEPS": (0.004,), "REFERENCE": 0.002, "STIFFEST": 1e-4, "ROUNDS": 1}
    for constant, value in {**small, "BOXES": (1, 2)}.items():
        monkeypatch.setattr(bench, constant, value)
    monkeypatch.setattr(bench.side, "BOOK", tmp_path)
    bench.main(["--save", "--plot", str(tmp_path / "plot.svg")])
    results = json.loads((tmp_path / "speed_contact.json").read_text())
    fall, contacts = results["fall"], results["contacts"]
    assert set(fall["engines"]) == set(bench.STYLES)
    for steps in fall["engines"].values():
        (found,) = steps.values()
        assert found["steps_a_second"] > 0 and 0 < found["error_m"] < 0.02 > found["depth_m"] > 0
    assert fall["references_apart_m"] < 0.01
    assert all(list(us) == ["4", "8"] and min(us.values()) > 0 for us in contacts["us"].values())
    assert all(x < 1e-9 for sizes in contacts["residuals"].values() for x in sizes.values())
    assert "<svg" in (tmp_path / "plot.svg").read_text()
    assert capsys.readouterr().out.count("steps_a_second") == 4


def test_derivatives_are_measured_kept_and_drawn(jax, tmp_path, monkeypatch, capsys):
    """Small and few; a compiler that takes too long is asked for nothing larger."""
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.syspath_prepend(BENCH)
    bench = load("derivatives")
    for constant, value in {"BATCH": 6, "BATCH_LINKS": 2, "BOOK": tmp_path}.items():
        monkeypatch.setattr(bench.side, constant, value)
    small = {"SIZES": (2, 3), "LONG": (2, 4), "PIECE": 3, "COMPILING": 0, "ROUNDS": 1}
    for constant, value in {**small, "LONG_ROUNDS": 1}.items():
        monkeypatch.setattr(bench, constant, value)
    bench.main(["--save", "--plot", str(tmp_path / "plot.svg")])
    results = json.loads((tmp_path / "speed_derivatives.json").read_text())
    assert "load_before" in results["machine"] and set(results["calls"]) == set(bench.STYLES)
    for name, times in results["calls"].items():
        alone = "JAX" in name
        assert list(times) == (["2"] if alone else ["2", "3"])
        assert ("no more asked" in results["stopped"].get(name, "")) == alone
    for name in bench.OURS:
        assert results["compilation_s"][name]["2"] > 0
        assert set(results["batch"]["functions"][name]) == set(bench.ENGINES)
    printed = capsys.readouterr().out
    differences = [
        float(line.rpartition(" ")[2]) for line in printed.splitlines() if "differs" in line
    ]
    assert len(differences) == 10 and max(differences) < 1e-12
    assert printed.count("n^") == 2 and "<svg" in (tmp_path / "plot.svg").read_text()


def test_derivatives_that_differ_are_not_timed(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    bench = load("derivatives")
    late = lambda name, chain: lambda q, qd, x: bench.ours(name, chain)(q, qd * 1.001, x)  # noqa: E731
    monkeypatch.setattr(bench, "pinocchio", late)
    monkeypatch.setattr(bench, "SIZES", (2,))
    monkeypatch.setattr(bench, "differentiated", lambda name, chain: (bench.ours(name, chain), 0.0))
    with pytest.raises(AssertionError, match="nothing is timed"):
        bench.single_calls()


def test_mechanisms_that_move_otherwise_are_not_timed(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    bench = load("loops")

    def heavier(chain, loops):
        solve = bench.constraint_dynamics(chain, loops)
        return lambda q, qd, tau: solve(q, qd, tau * (1 + 1e-6))

    monkeypatch.setattr(bench, "PEERS", {"Pinocchio": bench.Peer(heavier, 1e-8)})
    monkeypatch.setattr(bench, "LOOPS", (2,))
    found = bench.lines_of_cranks("rod")
    assert found["stopped"]["Pinocchio"] == "differs from chaindyn by more than 1e-08 at N = 2"
    assert "2" in found["calls"]["chaindyn"] and not found["calls"]["Pinocchio"]


def test_a_peer_that_cannot_go_on_is_left_out(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    side = importlib.import_module("side_by_side")
    for constant, value in {"SIZES": (2, 3), "ROUNDS": 1, "PATIENCE": 0}.items():
        monkeypatch.setattr(side, constant, value)

    def breaks(chain):
        raise MemoryError("too long")

    peers = {
        "broken": side.Peer(breaks, "ours"),
        "slow": side.Peer(lambda chain: lambda: 1.0, "ours"),
    }
    results = side.calls({"ours": lambda chain: lambda: 1.0}, peers)
    assert results["stopped"]["broken"] == "stops at n = 2: MemoryError: too long"
    assert "longer than 0 s" in results["stopped"]["slow"]
    assert results["calls"]["broken"] == {} and list(results["calls"]["ours"]) == ["2", "3"]
    with pytest.raises(AssertionError, match="nothing is timed"):
        side.require_same([1.0], [1.1])


def test_compiled_functions_are_measured_kept_and_drawn(jax, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib").use("agg")
    pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    pytest.importorskip("casadi", reason="CasADi is not installed")
    if not any(shutil.which(c) for c in ("cc", "gcc", "clang")):
        pytest.skip("there is no C compiler here")
    from chaindyn.compiler import native

    monkeypatch.setattr(native, "FLAGS", tuple("-O0" if f == "-O2" else f for f in native.FLAGS))
    monkeypatch.setenv("CHAINDYN_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(BENCH))
    bench = load("compiled")
    monkeypatch.setattr(bench.side, "BOOK", tmp_path)
    for name, value in {
        "SIZES": (2, 3),
        "LONG": (4, 8),
        "TREES": (2, 6),
        "MANY": 20,
        "ROUNDS": 1,
        "BATCH_OF_JAX": 8,
        "COMPILERS": {"gcc": "gcc"},
    }.items():
        monkeypatch.setattr(bench, name, value)
    monkeypatch.setattr(bench, "LINKS_OF_MANY", 2)
    monkeypatch.setattr(
        bench.side, "in_turns", lambda calls, _: {k: (call(), 1.0)[1] for k, call in calls.items()}
    )
    monkeypatch.setattr(bench, "batch", lambda: {"one thread": 1.0})
    bench.main(["--save", "--plot", str(tmp_path / "plot.svg")])
    kept = json.loads((tmp_path / "speed_compiled.json").read_text())
    assert set(kept["calls"]) == set(bench.STYLES)
    assert all(us > 0 for times in kept["calls"].values() for us in times.values())
    assert set(kept["trees"]["Pinocchio, aba"]) == {"2", "6"}
    assert kept["link step"].keys() >= {"lines", "recording", "C"}
    assert kept["compilers"]["gcc"]["one state"] > 0
    assert "<svg" in (tmp_path / "plot.svg").read_text()
    assert "aba / Pinocchio, aba" in capsys.readouterr().out


def test_compiled_contact_is_measured_and_kept(tmp_path, monkeypatch, capsys):
    """A compiled fall that ends elsewhere is not timed."""
    pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    if not any(shutil.which(c) for c in ("cc", "gcc", "clang")):
        pytest.skip("there is no C compiler here")
    monkeypatch.syspath_prepend(str(BENCH))
    bench = load("contact_compiled")
    for name, value in {"TIME": 0.04, "STEPS": (0.004,), "LINKS": 2}.items():
        monkeypatch.setattr(bench.contact, name, value)
    monkeypatch.setattr(bench, "ROUNDS", 1)
    monkeypatch.setattr(bench, "seconds_to_first", lambda: {"first": 2.0, "again": 1.0})
    monkeypatch.setattr(bench.side, "BOOK", tmp_path)
    bench.main(["--save"])
    kept = json.loads((tmp_path / "speed_contact_compiled.json").read_text())
    assert "load_before" in kept["machine"] and set(kept["ratios"]) == {"0.004"}
    assert set(kept["ratios"]["0.004"]) == set(bench.PEERS)
    assert all(x > 0 for x in kept["ratios"]["0.004"].values())
    ours = bench.contact.ours
    late = lambda step, compiled=False: (ours(step)[0] + 1e-3 * compiled, 0.0)  # noqa: E731
    monkeypatch.setattr(bench.contact, "ours", late)
    with pytest.raises(AssertionError, match="nothing is timed"):
        bench.main([])
