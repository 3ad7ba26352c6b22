"""Sweeps: the same bits whatever the chunks, the workers and the interruptions; and a store that Zarr can read."""

from __future__ import annotations

import functools
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from chaindyn import (
    Chain,
    Link,
    Revolute,
    aba,
    body_jacobian,
    crba,
    forward_kinematics,
    impact,
    inverse_operational_space_inertia,
    random_state,
    sweep,
)
from chaindyn.atlas import strike
from chaindyn.jobs.fingerprint import digest
from chaindyn.jobs.processes import in_processes
from chaindyn.jobs.store import StoredArray
from chaindyn.jobs.workers import default_workers, may_copy
from chaindyn.models.robots import ur5
from chaindyn.sweeps import Drawn, block_size, chunk_size, uniform

ARM = ur5()
BLOCK = block_size(ARM)
COUNT = 5 * BLOCK + 1  # the last block has one state, for which BLAS may take another routine
W = np.random.default_rng(1).normal(size=(6, 6))
HERE = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}

quiet = functools.partial(sweep, progress=False)


def turned(chain, q):
    """A product of all states at once: NumPy leaves one row to another routine of BLAS than many."""
    return q @ W


def states(count=COUNT, seed=0):
    return (np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, 6)),)


def blows(u):
    """Postures and directions from six and two uniform numbers."""
    up, turn = 2 * u[:, 6] - 1, 2 * np.pi * u[:, 7]
    level = np.sqrt(1 - up * up)
    return 2 * np.pi * u[:, :6] - np.pi, np.stack(
        [level * np.cos(turn), level * np.sin(turn), up], -1
    )


@dataclass(frozen=True, eq=False)
class Pair:
    mass: Any
    which: Any


class Named(NamedTuple):
    first: Any
    second: Any


def pair(chain, q):
    M = crba(chain, q)
    return Pair(M, np.argmax(M[:, 0], -1))


def rest(chain, q, d):
    return (q * q).sum(-1) + d[:, 2]


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# A sweep is one call -----------------------------------------------------------------------------


def test_a_sweep_is_a_loop_over_states():
    q, qd = random_state(ARM, 3, batch=(40,))
    tau = np.random.default_rng(4).normal(size=(40, 6))
    swept = quiet(aba, ARM, (q, qd, tau), workers=1)
    looped = np.array([aba(ARM, *x) for x in zip(q, qd, tau, strict=True)])
    assert np.abs(swept - looped).max() <= 1e-12 * np.abs(looped).max()


def test_results_come_as_the_function_gives_them():
    (q,) = states(70)
    R, p = quiet(forward_kinematics, ARM, q, workers=1)
    assert same(R, forward_kinematics(ARM, q)[0]) and same(p, forward_kinematics(ARM, q)[1])
    got = quiet(pair, ARM, q, workers=1)
    assert isinstance(got, Pair) and same(got.mass, crba(ARM, q)) and got.which.dtype == np.intp
    named = quiet(lambda chain, q: Named(q, -q), ARM, q, workers=1)
    assert isinstance(named, Named) and same(named.second, -q)
    hit = {
        "q": q,
        "qd": -q,
        "normal": np.tile([1.0, 0, 0], (70, 1)),
        "restitution": np.linspace(0, 1, 70),
    }
    blow = quiet(impact, ARM, hit, workers=1)
    assert same(blow.impulse, impact(ARM, **hit).impulse)
    fixed = functools.partial(impact, normal=(1, 0, 0), restitution=0)
    assert same(quiet(fixed, ARM, (q, -q), workers=1).qd_jump, fixed(ARM, q, -q).qd_jump)


def test_an_array_and_a_tuple_of_one_are_the_same():
    (q,) = states(50)
    assert same(quiet(turned, ARM, q), quiet(turned, ARM, (q,)))
    assert same(quiet(turned, ARM, q), quiet(turned, ARM, {"q": q}))


# Bit for bit -------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [turned, pair])
def test_the_same_bits_whatever_chunk_workers_and_store(function, tmp_path):
    def bits(result):
        if isinstance(result, np.ndarray | StoredArray):
            return np.asarray(result).tobytes()
        parts = result.values() if isinstance(result, dict) else vars(result).values()
        return b"".join(np.asarray(x).tobytes() for x in parts)

    reference = bits(quiet(function, ARM, states(), workers=1))
    for chunk in (1, BLOCK, BLOCK + 1, 3 * BLOCK, 10 * COUNT):
        assert bits(quiet(function, ARM, states(), chunk=chunk, workers=1)) == reference
    assert bits(quiet(function, ARM, states(), chunk=1, workers=2)) == reference
    assert bits(quiet(function, ARM, states(), chunk=2 * BLOCK, workers=3)) == reference
    with ThreadPoolExecutor(2) as threads:
        assert bits(quiet(function, ARM, states(), chunk=1, workers=threads)) == reference
    stored = quiet(function, ARM, states(), chunk=1, workers=1, out=tmp_path / "a")
    if function is turned:
        stored = stored["result"]
    assert bits(stored) == reference
    # laid out otherwise in memory, the same numbers are the same states
    assert bits(quiet(function, ARM, np.asfortranarray(states()[0]), workers=2)) == reference


def test_a_last_state_alone_is_why_blocks_stand_still():
    """If chunks were cut anywhere, the last digits would follow the cut where BLAS has another routine for one row."""
    (q,) = states(257)
    whole = q @ W
    if same(np.concatenate([q[:256] @ W, q[256:] @ W]), whole):
        pytest.skip("here one row takes the routine of many")
    assert same(quiet(turned, ARM, q, chunk=256, workers=1), whole)


def test_blocks_and_chunks():
    chains = [Chain([Link(Revolute(), 1, (0, 0, 0), np.eye(3))] * n) for n in (1, 6, 7, 40)]
    assert [block_size(chain) for chain in chains] == [4096, 1024, 1024, 128]
    for chain in chains:
        assert 2**20 < 36 * 8 * chain.n * block_size(chain) <= 2**21
    assert chunk_size(10**7, 1024, None) == 64 * 1024
    assert chunk_size(20_000, 1024, None) == 1024
    assert chunk_size(10**6, 1024, None) == 16 * 1024
    assert [chunk_size(10, 1024, wish) for wish in (1, 1024, 1025)] == [1024] * 3
    assert [chunk_size(5000, 1024, wish) for wish in (1025, 3 * 10**7)] == [2048, 5120]


# States that are drawn when needed ---------------------------------------------------------------


def test_rows_of_the_endless_table_do_not_depend_on_where_one_begins():
    whole = uniform(5, 0, 1000, 7)
    for start, stop in ((0, 1), (1, 2), (3, 999), (500, 500), (998, 1000)):
        assert same(uniform(5, start, stop, 7), whole[start:stop])
    reference = np.random.Generator(np.random.Philox(key=5)).random((1000, 7))
    assert same(whole, reference)
    assert (uniform(6, 0, 9, 7) != whole[:9]).all()
    assert 0 <= whole.min() and whole.max() < 1 and abs(whole.mean() - 0.5) < 4 / np.sqrt(12 * 7000)


def test_drawn_states_are_those_of_their_indices(tmp_path):
    drawn = Drawn(blows, width=8, count=COUNT, seed=9)
    assert len(drawn) == COUNT
    q, d = blows(uniform(9, 0, COUNT, 8))

    want = quiet(rest, ARM, (q, d), workers=1)
    for workers in (1, 2):
        assert same(quiet(rest, ARM, drawn, chunk=1, workers=workers), want)
    assert same(np.asarray(quiet(rest, ARM, drawn, out=tmp_path / "s", workers=1)["result"]), want)
    with pytest.raises(ValueError, match="another states"):
        quiet(rest, ARM, Drawn(blows, width=8, count=COUNT, seed=8), out=tmp_path / "s")


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copies on Linux")
def test_a_plain_script_sweeps_over_what_only_it_knows():
    """On two copies of a process: a function and a rule that no other could import."""
    code = (
        "import numpy as np; from chaindyn import sweep; from chaindyn.models.robots import ur5\n"
        "from chaindyn.sweeps import Drawn\n"
        "drawn = Drawn(lambda u: (u,), 6, 5000)\n"
        "two, one = (sweep(lambda c, q: q + 1, ur5(), drawn, workers=k) for k in (2, 1))\n"
        "print((two == one).all())"
    )
    assert (
        subprocess.check_output([sys.executable, "-c", code], env=HERE, text=True, timeout=60)
        == "True\n"
    )


def test_where_there_are_no_processes_one_sweeps_alone():
    """As in a browser."""
    code = (
        "import sys; sys.modules['_multiprocessing'] = None\n"
        "import numpy as np; from chaindyn import sweep; from chaindyn.models.robots import ur5\n"
        "print(sweep(lambda c, q: q + 1, ur5(), np.zeros((5, 6)), workers=1).sum())"
    )
    told = subprocess.check_output([sys.executable, "-c", code], env=HERE, text=True, timeout=60)
    assert told == "30.0\n"


# Stores ------------------------------------------------------------------------------------------


def noted(calls, limit, chain, q):
    """Add a line to a file for each call, from whatever process, and stop like Ctrl-C once there are `limit`."""
    if limit.exists() and len(calls.read_text().split()) >= int(limit.read_text()):
        raise KeyboardInterrupt
    with calls.open("a") as file:
        file.write(f"{len(q)}\n")
    return crba(chain, q)[:, 0]


def test_a_stopped_sweep_goes_on_and_computes_nothing_twice(tmp_path):
    out, calls, limit = tmp_path / "atlas", tmp_path / "calls", tmp_path / "limit"
    calls.touch()
    once = functools.partial(
        quiet, functools.partial(noted, calls, limit), ARM, states(), out=out, workers=1
    )
    limit.write_text("2")
    with pytest.raises(KeyboardInterrupt):
        once(chunk=1)
    limit.write_text("4")
    with pytest.raises(KeyboardInterrupt):
        once()  # goes on with the chunks that it began with
    assert len(list((out / "result").glob("c.*"))) == 4
    (out / "result" / "c.5.0.77.part").write_bytes(b"what a death leaves")
    limit.unlink()
    result = once()["result"]
    assert calls.read_text().split() == 5 * [str(BLOCK)] + ["1"]
    assert same(np.asarray(result), quiet(lambda chain, q: crba(chain, q)[:, 0], ARM, states()))
    assert same(np.asarray(once(workers=None)["result"]), np.asarray(result))
    assert len(calls.read_text().split()) == 6  # a finished sweep computes nothing
    assert not list(out.rglob("*.part"))


def test_a_lost_chunk_alone_is_computed_again(tmp_path):
    out, calls = tmp_path / "atlas", tmp_path / "calls"
    calls.touch()
    once = functools.partial(
        quiet, functools.partial(noted, calls, tmp_path / "no"), ARM, states(), out=out, workers=1
    )
    whole = np.asarray(once(chunk=1)["result"])
    (out / "result" / "c.2.0").unlink()
    calls.write_text("")
    assert same(np.asarray(once()["result"]), whole) and calls.read_text() == f"{BLOCK}\n"


SCRIPT = """
import signal, sys, time
from pathlib import Path
import numpy as np
from chaindyn import crba, sweep
from chaindyn.models.robots import ur5

def slow(chain, q):
    folder = Path(sys.argv[1])
    with (folder / "calls").open("a") as file:
        file.write("x")
    time.sleep(0.15)
    while (folder / "calls").stat().st_size > 6 and not (folder / "struck").exists():
        time.sleep(0.01)  # that it is not done before it is killed
    return crba(chain, q)[:, 0]

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what is started in the background may ignore it
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (24 * 1024, 6))
    sweep(slow, ur5(), q, out=Path(sys.argv[1]) / "atlas", chunk=1, workers=2, progress=False)
"""


def wait_for(what, seconds=20.0):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)


def children(pid):
    return [int(x) for x in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_killed_it_goes_on_and_leaves_no_process(tmp_path, number):
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, str(tmp_path / "script.py"), str(tmp_path)]
    chunks = tmp_path / "atlas" / "result"
    with subprocess.Popen(command, env=HERE, stderr=subprocess.PIPE, text=True) as run:
        wait_for(lambda: len(list(chunks.glob("c.*.0"))) >= 3)
        pids = children(run.pid)
        assert len(pids) >= 2
        if number == signal.SIGINT:  # as a terminal does it: to all of them
            for pid in pids:
                os.kill(pid, number)
        run.send_signal(number)
        (tmp_path / "struck").touch()
        told = run.communicate(timeout=20)[1]
    assert run.returncode != 0
    assert told.count("Traceback") == (number == signal.SIGINT), told  # the children say nothing
    wait_for(lambda: not any(map(alive, pids)))
    there = len(list(chunks.glob("c.*.0")))
    assert 3 <= there < 24
    first = len((tmp_path / "calls").read_text())
    subprocess.run(command, env=HERE, check=True, timeout=60)
    second = len((tmp_path / "calls").read_text()) - first
    assert second == 24 - there
    (q,) = states(24 * 1024)
    got = StoredArray(chunks, (24 * 1024, 6), np.dtype(float), 1024)
    assert same(np.asarray(got), quiet(lambda chain, q: crba(chain, q)[:, 0], ARM, q))


@pytest.mark.parametrize("where", ["results.Memory.keep", "workers.show_progress"])
def test_an_interrupt_in_the_midst_leaves_no_process(where, monkeypatch):
    """Also while its traceback is kept, which holds all that was under way."""

    def interrupted(*_):
        raise KeyboardInterrupt

    clock = iter(range(0, 10_000, 25))
    late = SimpleNamespace(monotonic=lambda: float(next(clock)))
    monkeypatch.setattr("chaindyn.jobs.workers.time", late)
    monkeypatch.setattr(f"chaindyn.jobs.{where}", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        sweep(turned, ARM, states(), chunk=1, workers=2)
    assert caught and not multiprocessing.active_children()


def end_once(marker, chain, q):
    """Kill the process that this runs in, the first time."""
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return turned(chain, q)


@pytest.mark.skipif(sys.platform != "linux", reason="kills a process")
def test_a_killed_process_of_the_pool_costs_its_chunk(tmp_path):
    got = quiet(functools.partial(end_once, tmp_path / "killed"), ARM, states(), chunk=1, workers=2)
    assert (tmp_path / "killed").exists() and same(got, quiet(turned, ARM, states()))


def always_end(chain, q):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(params=["copies", "started anew"])
def how_processes_start(request, monkeypatch):
    if request.param == "copies" and not may_copy():
        pytest.skip("this process has threads")
    monkeypatch.setattr("chaindyn.jobs.workers.may_copy", lambda: request.param == "copies")
    return request.param == "copies"


@pytest.mark.skipif(sys.platform != "linux", reason="kills a process")
def test_a_chunk_that_kills_again_and_again_is_given_up(how_processes_start):
    """Its states take 240 kB, and a pipe holds 64."""
    with pytest.raises(RuntimeError, match=r"chunk \d was killed \(by signal 9\).*memory"):
        quiet(always_end, ARM, np.zeros((300 * BLOCK, 6)), workers=2)


def square(rule, i):
    return rule[0], i * i


def test_a_process_gets_what_is_asked_for_and_a_rule_once(how_processes_start):
    rule = (np.arange(9),)
    pieces = {2: (rule, 2), 4: (rule, 4)}
    got = dict(in_processes(square, pieces.__getitem__, [4, 2], 1, how_processes_start))
    assert {i: n for i, (_, n) in got.items()} == {2: 4, 4: 16}
    assert all(same(table, rule[0]) for table, _ in got.values())


def end_soon(folder, chain, q):
    """Kill the process that this runs in soon: while it computes, sends or waits; at most twice."""
    with suppress(FileExistsError, IndexError):
        (folder / "01"[len(list(folder.iterdir()))]).touch(exist_ok=False)
        signal.setitimer(signal.ITIMER_REAL, 1e-6 + 0.01 * os.urandom(1)[0] / 256)
    return turned(chain, q)


@pytest.mark.skipif(sys.platform != "linux", reason="kills a process")
@pytest.mark.parametrize("chunk", [1, 32 * BLOCK])
@pytest.mark.parametrize(
    "time", [0, *(pytest.param(k, marks=pytest.mark.nightly) for k in range(1, 50))]
)
def test_whenever_a_process_is_killed_the_result_is_right(
    how_processes_start, chunk, time, tmp_path
):
    q = np.random.default_rng(time).uniform(-np.pi, np.pi, (96 * BLOCK if chunk > 1 else COUNT, 6))
    got = quiet(functools.partial(end_soon, tmp_path), ARM, q, chunk=chunk, workers=2)
    assert same(got, quiet(turned, ARM, q, workers=1))
    assert len(list(tmp_path.iterdir())) == 2


def resign(chain, q):
    os._exit(3)


class Twofold(Exception):
    """Cannot be made again from what it was made of."""

    def __init__(self, number, text):
        super().__init__(f"{number} {text}")


def refuse(chain, q):
    raise Twofold(3, "of these are too many")


def unspeakable(chain, q):
    class Own(NamedTuple):
        q: Any

    return Own(q)


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (refuse, RuntimeError, "^Twofold: 3 of these are too many"),
        (unspeakable, (AttributeError, pickle.PicklingError), "pickle .*Own"),
        (resign, RuntimeError, r"ended by itself \(exit status 3\)"),
        (sys.exit, TypeError, "exit expected at most 1 argument"),
    ],
)
def test_what_ends_a_process_is_told(function, kind, message):
    with pytest.raises(kind, match=message) as caught:
        quiet(function, ARM, states(), chunk=1, workers=2)
    if function is refuse:
        told = "".join(caught.value.__notes__)
        assert "in its states" in told and "in refuse" in told


def test_a_function_that_a_fresh_process_cannot_import_is_told(monkeypatch):
    monkeypatch.setattr("chaindyn.jobs.workers.may_copy", lambda: False)
    with pytest.raises((AttributeError, pickle.PicklingError), match=r"<lambda>|pickle"):
        quiet(lambda chain, q: q, ARM, states(), chunk=1, workers=2)


def test_the_store_is_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")

    def kinds(chain, q):
        return (
            q.astype(np.float32),
            np.round(q[:, 0]).astype(np.int8),
            q[:, :2] > 0,
            (q + 1j * q).reshape(-1, 2, 3),
            np.zeros((len(q), 0)),
        )

    stored = quiet(kinds, ARM, states(), out=tmp_path / "z", chunk=2 * BLOCK, workers=1)
    want = kinds(ARM, *states())
    group = zarr.open_group(tmp_path / "z", mode="r")
    for i, x in enumerate(want):
        assert same(np.asarray(stored[str(i)]), x), i
        read = group[str(i)]
        assert read.shape == x.shape and read.dtype == x.dtype
        assert same(read[:], x), i
    assert group["0"].chunks == (2 * BLOCK, 6)
    (tmp_path / "z" / "3" / "c.0.0.0").unlink()  # what is not there yet is no number
    assert np.isnan(group["3"][:BLOCK]).all() and not np.isnan(group["3"][2 * BLOCK :]).any()
    assert not group["2"][:].all()


s_ = np.s_
INDICES = [
    *(s_[0], s_[-1], s_[COUNT - 1], s_[BLOCK], np.int64(7), np.uint8(3), s_[3, 2], s_[-2, -1], s_[5, 1:4]),
    *(s_[0:5], s_[BLOCK - 2 : 3 * BLOCK + 7], s_[-3:], s_[7:7], s_[9:2], s_[COUNT:], s_[:], s_[::2]),
    *(s_[1 :: 2 * BLOCK + 3], s_[::-1], s_[9:2:-3], s_[2 * BLOCK + 1 : 4 : -700], s_[2:9:-1], s_[4:2, 3]),
    *(s_[...], s_[..., 0], s_[..., 1:3], s_[3, ...], s_[2:5, ..., ::-1], s_[3, 2, ...], s_[()], s_[None]),
    *(s_[None, 3], s_[:, None, 2:4], s_[2:6, :, None], s_[..., None], s_[None, ..., None, 4]),
]  # fmt: skip


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    out = tmp_path_factory.mktemp("kept") / "s"
    return quiet(turned, ARM, states(), out=out, chunk=1, workers=1)["result"]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_a_stored_array_takes_numpy_s_basic_indices(kept, index):
    want = quiet(turned, ARM, states(), workers=1)[index]
    got = kept[index]
    assert type(got) is type(want) and same(np.asarray(got), np.asarray(want))


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (COUNT, "out of bounds"),
        (-COUNT - 1, "out of bounds"),
        ((0, 6), "out of bounds"),
        ((0, 0, 0), "too many indices"),
        ((..., ...), "only have a single ellipsis"),
        (True, "takes numbers, slices"),
        ([1, 2], "takes numbers, slices"),
        ((slice(3), np.array([0, 1])), "takes numbers, slices"),
        (1.0, "takes numbers, slices"),
        ("mass", "takes numbers, slices"),
    ],
)
def test_a_stored_array_refuses_other_indices(kept, index, message):
    with pytest.raises(IndexError, match=message):
        kept[index]


def test_a_stored_array_reads_the_chunks_that_it_needs(kept, monkeypatch):
    read = []
    whole = StoredArray.read
    monkeypatch.setattr(StoredArray, "read", lambda self, i: read.append(i) or whole(self, i))
    kept[BLOCK, 2], kept[-1], kept[BLOCK - 1 : BLOCK + 1], kept[3:3]
    assert read == [1, 5, 0, 1]
    assert same(np.array(list(kept)), np.asarray(kept)) and read[4:] == 2 * [*range(6)]


def test_a_stored_array_is_an_array(kept):
    whole = quiet(turned, ARM, states(), workers=1)
    assert len(kept) == COUNT and kept.shape == whole.shape and kept.dtype == whole.dtype
    assert same(np.asarray(kept, np.float32), whole.astype(np.float32))
    with pytest.raises(ValueError, match="copy"):
        np.array(kept, copy=False)


def cut_short(path, other):
    path.write_bytes(path.read_bytes()[:-9])


def emptied(path, other):
    path.write_bytes(b"")


def lengthened(path, other):
    path.write_bytes(path.read_bytes() + other.read_bytes())


def a_flipped_bit(path, other):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def a_flipped_bit_in_front(path, other):
    content = bytearray(path.read_bytes())
    content[5] ^= 4  # of a time, which means nothing
    content[3] ^= 2
    path.write_bytes(content)


def another_s_content(path, other):
    path.write_bytes(other.read_bytes())


def a_link(path, other):
    path.unlink()
    path.symlink_to(other)


@pytest.mark.parametrize(
    "harm",
    [
        cut_short,
        emptied,
        lengthened,
        a_flipped_bit,
        a_flipped_bit_in_front,
        another_s_content,
        a_link,
    ],
)
def test_what_is_damaged_is_computed_again(harm, tmp_path):
    out, calls = tmp_path / "atlas", tmp_path / "calls"
    calls.touch()
    once = functools.partial(
        quiet, functools.partial(noted, calls, tmp_path / "no"), ARM, states(), out=out, workers=1
    )
    stored = once(chunk=1)["result"]
    whole = np.asarray(stored)
    harm(out / "result" / "c.2.0", out / "result" / "c.3.0")
    calls.write_text("")
    with pytest.raises(ValueError, match=r"c\.2\.0 is missing or damaged"):
        stored[2 * BLOCK]
    assert same(stored[:BLOCK], whole[:BLOCK])  # the others can still be read
    assert same(np.asarray(once()["result"]), whole) and calls.read_text() == f"{BLOCK}\n"
    assert not (out / "result" / "c.2.0").is_symlink()


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "5", '{"attributes": 3}', '{"attributes": {"sweep": 5}}']
)
def test_a_damaged_description_is_no_sweep_s(content, tmp_path):
    quiet(turned, ARM, states(), out=tmp_path / "s", workers=1)
    (tmp_path / "s" / "zarr.json").write_text(content)
    with pytest.raises(ValueError, match=r"zarr.json is damaged"):
        quiet(turned, ARM, states(), out=tmp_path / "s", workers=1)


def test_a_damaged_description_of_an_array_is_written_again(tmp_path):
    zarr = pytest.importorskip("zarr")
    stored = quiet(turned, ARM, states(), out=tmp_path / "s", workers=1)["result"]
    (tmp_path / "s" / "result" / "zarr.json").write_text("")
    quiet(turned, ARM, states(), out=tmp_path / "s", workers=1)
    read = zarr.open_array(tmp_path / "s" / "result", mode="r")
    assert same(read[:], np.asarray(stored))


def test_dask_reads_the_store(kept):
    array = pytest.importorskip("dask.array")
    pytest.importorskip("zarr")
    assert same(array.from_zarr(str(kept.folder)).compute(scheduler="sync"), np.asarray(kept))


def changed(chain, q):
    return q @ W + 0


def test_another_sweep_s_folder_is_refused(tmp_path):
    out = tmp_path / "s"
    (q,) = states()
    quiet(turned, ARM, q, out=out, workers=1)
    heavier = Chain([*ARM.links[:-1], Link(Revolute((0, 1, 0)), 1, (0, 0, 0), np.eye(3))])
    other = q.copy()
    other[-1, -1] = np.nextafter(other[-1, -1], 9)
    for message, function, chain, x in (
        ("another chain", turned, heavier, q),
        ("another function", changed, ARM, q),
        ("another states", turned, ARM, other),
        ("another states", turned, ARM, q[:-1]),
    ):
        with pytest.raises(ValueError, match=message):
            quiet(function, chain, x, out=out, workers=1)
    with pytest.raises(ValueError, match="leave `chunk` out"):
        quiet(turned, ARM, q, out=out, chunk=5 * BLOCK, workers=1)
    quiet(turned, ARM, q.copy(), out=out, workers=1)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    for place in (tmp_path / "mine", tmp_path / "mine" / "thesis.txt"):
        with pytest.raises(ValueError, match="holds no sweep"):
            quiet(turned, ARM, q, out=place, workers=1)
    for place in (b"mine", 1.0, np.zeros(3)):
        with pytest.raises(ValueError, match=r"out is .*, but must name a folder"):
            quiet(turned, ARM, q, out=place, workers=1)
    (tmp_path / "mine" / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    with pytest.raises(ValueError, match="no sweep"):
        quiet(turned, ARM, q, out=tmp_path / "mine", workers=1)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
    with pytest.raises(TypeError, match="cannot keep"):
        quiet(lambda chain, q: q.astype(object), ARM, q, out=tmp_path / "o", workers=1)


def test_a_store_begun_and_not_described_is_begun_again(tmp_path):
    """As if it had died between making the folder and its first chunk."""
    whole = quiet(pair, ARM, states(), out=tmp_path / "s", workers=1)
    note = tmp_path / "s" / "zarr.json"
    content = json.loads(note.read_text())
    del content["attributes"]["sweep"]["arrays"]
    note.write_text(json.dumps(content))
    again = quiet(pair, ARM, states(), out=tmp_path / "s", workers=1)
    assert same(np.asarray(again["mass"]), np.asarray(whole["mass"])) and again.keys() == {
        "mass",
        "which",
    }


def made(text, name="f"):
    space = {"np": np, "__name__": "made"}
    exec(text, space)
    return space[name]


def test_digests_tell_functions_apart_and_no_more():
    base = (
        "factor = 2\ndef g(x):\n    return factor * x\ndef f(chain, q, k=1):\n    return g(q) + k\n"
    )
    assert digest(made(base), "function") == digest(made(base), "function")
    for old, new in (
        ("factor = 2", "factor = 3"),
        ("k=1", "k=2"),
        ("* x", "+ x"),
        ("g(q) + k", "g(q) - k"),
    ):
        assert digest(made(base.replace(old, new)), "function") != digest(made(base), "function"), (
            new
        )

    def closing(k):
        return lambda chain, q: k * q

    assert (
        digest(closing(1), "function")
        == digest(closing(1), "function")
        != digest(closing(2), "function")
    )
    partial = functools.partial
    assert digest(partial(aba, external=1), "function") != digest(
        partial(aba, external=2), "function"
    )
    assert len({digest(f, "function") for f in (aba, crba, np.sin, np.cos, len, ARM.index)}) == 6
    assert digest(ARM, "chain") == digest(ur5(), "chain")
    assert digest(np.zeros(4), "states") != digest(np.zeros((2, 2)), "states")
    assert digest(np.zeros(4), "states") != digest(np.zeros(4, np.float32), "states")
    with pytest.raises(TypeError, match="cannot be told"):
        digest((x for x in "ab"), "states")


def test_digests_are_those_of_the_next_run():
    code = (
        "from chaindyn import aba, impact; from chaindyn.models.robots import ur5; from functools import partial\n"
        "from chaindyn.jobs.fingerprint import digest\n"
        "f = partial(impact, normal=(0, 0, 1), restitution=0)\n"
        "print(digest(ur5(), 'chain'), digest(aba, 'function'), digest(f, 'function'))"
    )
    told = set()
    for seed in ("1", "2"):
        environment = HERE | {"PYTHONHASHSEED": seed}
        told.add(subprocess.check_output([sys.executable, "-c", code], env=environment, text=True))
    assert len(told) == 1


# Dask --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as it,
    ):
        yield it


def end_once_slowly(marker, chain, q):
    time.sleep(0.05)
    return end_once(marker, chain, q)


def test_dask_gives_the_same_bits(client, tmp_path):
    whole = quiet(turned, ARM, states(), workers=1)
    assert same(quiet(turned, ARM, states(), chunk=1, workers=client), whole)
    stored = quiet(
        turned,
        ARM,
        Drawn(blows, 8, COUNT).make(uniform(0, 0, COUNT, 8))[0],
        out=tmp_path / "d",
        workers=client,
    )
    drawn = Drawn(lambda u: (blows(u)[0],), 8, COUNT)
    assert same(np.asarray(stored["result"]), quiet(turned, ARM, drawn, workers=1))


def test_a_killed_worker_of_dask_costs_its_chunk(client, tmp_path):
    """The worker kills itself in the middle of a chunk, as a machine that fails would."""
    before = set(client.run(os.getpid).values())
    got = quiet(
        functools.partial(end_once_slowly, tmp_path / "killed"),
        ARM,
        states(),
        chunk=1,
        workers=client,
    )
    assert (tmp_path / "killed").exists() and same(got, quiet(turned, ARM, states()))
    wait_for(lambda: len(client.scheduler_info()["workers"]) == 2)
    assert len(before & set(client.run(os.getpid).values())) == 1  # the other one stayed


def test_map_blocks_of_dask_runs_the_same_function(client):
    array = pytest.importorskip("dask.array")
    (q,) = states()
    table = array.from_array(q, chunks=(2 * BLOCK, 6))
    lazy = table.map_blocks(lambda q: quiet(turned, ARM, q, workers=1), dtype=float)
    assert same(lazy.compute(scheduler=client), quiet(turned, ARM, q, workers=1))


# At the door -------------------------------------------------------------------------------------


MASKED = np.ma.array(np.zeros((3, 6)), mask=np.arange(18).reshape(3, 6) == 7)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ((np.zeros((3, 6)), np.zeros((4, 6))), r"states\[0\] has 3, states\[1\] has 4"),
        ({"q": np.zeros((3, 6)), "qd": np.zeros((2, 6))}, r"states\['q'\] has 3"),
        ((np.zeros((3, 6)), 1.0), r"states\[1\] is one number"),
        ([np.zeros((3, 6))], "states is a list"),
        (np.zeros((0, 6)), "no states"),
        (7, "states is int"),
        ((), "no states"),
        (MASKED, "states holds 1 masked entry"),
        ((MASKED,), r"states\[0\] holds 1 masked entry"),
        ({"q": MASKED}, r"states\['q'\] holds 1 masked entry"),
        (Drawn(lambda u: MASKED, 6, 3), "states holds 1 masked entry"),
        (Drawn(lambda u: {"q": MASKED}, 6, 3), "q holds 1 masked entry"),
    ],
)
def test_states_that_are_none(states, message):
    with pytest.raises(ValueError, match=message):
        quiet(turned, ARM, states)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chunk": 0}, "chunk is 0"),
        ({"chunk": 1.5}, "chunk is 1.5"),
        ({"chunk": True}, "chunk is True"),
        ({"workers": 0}, "workers is 0"),
        ({"workers": "all"}, "workers is 'all'"),
    ],
)
def test_options_that_are_none(options, message):
    with pytest.raises(ValueError, match=message):
        quiet(turned, ARM, states(), **options)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (MASKED, "the result holds 1 masked entry"),
        ((MASKED,), "result 0 holds 1 masked entry"),
        (Pair(np.zeros(3), MASKED), "which holds 1 masked entry"),
    ],
)
def test_results_with_a_masked_entry(result, message):
    with pytest.raises(ValueError, match=message):
        quiet(lambda chain, q: result, ARM, np.zeros((3, 6)), workers=1)


def test_functions_that_are_none():
    with pytest.raises(ValueError, match="must be callable"):
        quiet(3, ARM, states())
    with pytest.raises(ValueError, match="chain must be a Chain"):
        quiet(turned, None, states())
    with pytest.raises(ValueError, match=r"'result' .* has shape \(6,\)"):
        quiet(lambda chain, q: q.sum(0), ARM, states(), workers=1)
    with pytest.raises(ValueError, match="from state 1024 on"):
        quiet(
            lambda chain, q: q[:, : 2 + (q[0, 0] != states()[0][0, 0])],
            ARM,
            states(),
            chunk=1,
            workers=1,
        )


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_says_in_which_states(workers):
    (q,) = states()
    q[2 * BLOCK + 3, 1] = np.nan
    with pytest.raises(ValueError, match="q") as caught:
        quiet(crba, ARM, (q,), workers=workers, chunk=2 * BLOCK)
    assert f"in its states {2 * BLOCK} to {3 * BLOCK - 1}" in "".join(caught.value.__notes__)


def test_progress_goes_to_standard_error_once_it_takes_time(capsys, monkeypatch):
    clock = iter(range(0, 10_000, 25))
    monkeypatch.setattr(
        "chaindyn.jobs.workers.time", SimpleNamespace(monotonic=lambda: float(next(clock)))
    )
    sweep(turned, ARM, states(), chunk=1, workers=1)
    out, err = capsys.readouterr()
    assert out == ""
    first, *_, last = err.splitlines()
    assert "1,024 of 5,121 states, 20 %" in first and "100 s left" in first
    assert "5,121 of 5,121 states, 100 %" in last
    sweep(turned, ARM, states(), chunk=1, workers=1, progress=False)
    assert capsys.readouterr() == ("", "")


def test_beside_jax_or_threads_no_process_is_copied(monkeypatch):
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    monkeypatch.setattr("threading.active_count", lambda: 1)
    assert default_workers(0) == default_workers(1) == 1
    if sys.platform == "linux":
        assert default_workers(10**6) == len(os.sched_getaffinity(0))
    monkeypatch.setattr("threading.active_count", lambda: 2)
    assert default_workers(10**6) == 1
    monkeypatch.setattr("threading.active_count", lambda: 1)
    monkeypatch.setitem(sys.modules, "jax", None)
    assert default_workers(10**6) == 1


def test_vmap_of_jax_is_the_same_function():
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        fast = jax.jit(jax.vmap(lambda q: inverse_operational_space_inertia(ARM, q)))
        got = quiet(lambda chain, q: fast(q), ARM, states(300), workers=1)
    want = inverse_operational_space_inertia(ARM, *states(300))
    assert np.abs(got - want).max() <= 1e-12 * np.abs(want).max()


# Blows and the recipe of the hub -------------------------------------------------------------------


def test_a_strike_against_the_operational_space_and_momentum():
    """Mass by J M^-1 J^T; the last joint hands on what the wall gives less what its link takes."""
    q, d = blows(uniform(2, 0, 50, 8))
    blow = strike(ARM, q, d, body="flange")
    J = (body_jacobian(ARM, q, "flange", frame="mixed")[:, 3:] * d[..., None]).sum(1)
    inverse = (J[:, None] @ np.linalg.solve(crba(ARM, q), J[..., None]))[:, 0, 0]
    assert np.abs(blow.mass * inverse - 1).max() < 1e-11
    # the arm's change of momentum is what wall and ground give together
    jump = -np.linalg.solve(crba(ARM, q), J[..., None])[..., 0] * blow.mass[:, None]
    gained = sum(
        m * np.einsum("bij,bj->bi", body_jacobian_at(q, i, ARM.com[i]), jump)
        for i, m in enumerate(ARM.mass)
    )
    ground = gained + blow.mass[:, None] * d
    assert np.abs(np.linalg.norm(ground, axis=-1) - blow.force[:, 0]).max() < 1e-9 * blow.mass.max()


def body_jacobian_at(q, i, point):
    """The Jacobian (k, 3, 6) of the velocity of a point of link i, given in the link, along world axes."""
    J = body_jacobian(ARM, q, i, frame="mixed")
    lever = forward_kinematics(ARM, q)[0][:, i] @ point
    return J[:, 3:] - np.cross(lever[:, :, None], J[:, :3], axisa=1, axisb=1, axisc=1)


def test_moments_of_a_strike_do_not_turn_the_joints():
    """A free hinge takes no moment about its axis: all moments are the bearings', square to the axis."""
    q, d = blows(uniform(3, 0, 20, 8))
    row = (body_jacobian(ARM, q, "flange", frame="mixed")[:, 3:] * d[..., None]).sum(1)
    hit = impact(
        ARM, q, row / (row * row).sum(-1, keepdims=True), normal=-d, restitution=0, body="flange"
    )
    R, p = forward_kinematics(ARM, q)
    axes = np.stack(
        [R[:, i] @ np.asarray(joint.axis, float) for i, joint in enumerate(ARM.joints)], 1
    )
    own = hit.joint_impulses[..., :3] - np.cross(p, hit.joint_impulses[..., 3:])
    assert np.abs((own * axes).sum(-1)).max() < 1e-9 * np.abs(own).max()
    assert (
        np.abs(np.linalg.norm(own, axis=-1) - strike(ARM, q, d, body="flange").moment).max() < 1e-9
    )


def test_the_kept_atlas_is_that_of_these_functions():
    kept = json.loads(
        (Path(__file__).parents[1] / "chapters" / "27_ten_million_postures.json").read_text()
    )
    for case in kept["worst"]:
        again = strike(ARM, np.array(case["q"]), np.array(case["direction"]), body="flange").mass
        assert abs(again / case["mass"] - 1) < 1e-4
    mass = quiet(
        functools.partial(strike, body="flange"), ARM, Drawn(blows, 8, 4000, 21), workers=1
    ).mass
    for p, x in zip(kept["shares"][1:7], kept["mass_quantiles"][1:7], strict=True):
        assert abs((mass < x).mean() - p) < 4 * np.sqrt(p * (1 - p) / 4000)
    assert (
        sum(kept["mass_counts"]) + (kept["worst"][0]["mass"] > 1e4) == kept["count"] == 10_000_000
    )


def test_the_recipe_of_the_hub_adds_up():
    traitlets = pytest.importorskip("traitlets.config")
    path = Path(__file__).parents[1] / "book" / "hub" / "jupyterhub_config.py"
    settings = traitlets.Config()
    space = {"get_config": lambda: settings}
    exec(compile(path.read_text(), str(path), "exec"), space)
    people = space["STUDENTS"] + space["TEACHERS"]
    assert settings.JupyterHub.active_server_limit == people >= 200
    assert int(settings.Spawner.mem_guarantee[:-1]) * people < 1024 * space["MEMORY_GB"]
    assert int(settings.Spawner.mem_limit[:-1]) * people * space["AT_WORK"] > space["MEMORY_GB"]
    for role in settings.JupyterHub.load_roles:
        assert set(role["services"]) <= {
            service["name"] for service in settings.JupyterHub.services
        }
    assert settings.Spawner.environment["PYTHON_CPU_COUNT"] == "1"
