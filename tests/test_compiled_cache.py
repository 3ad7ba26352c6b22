"""The compiler of compiled functions, and the cache of their programs: never another's, never a damaged one."""

import functools
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from trees import EPS, EVERY_KIND, Case, random_tree

import chaindyn as cd
from chaindyn import compiled, rollout
from chaindyn.compiler import native, store
from chaindyn.compiler.compilation import Compiled
from chaindyn.guards.door import checked
from chaindyn.models.robots import ur5
from chaindyn.simulation import rk4_step
from chaindyn.teaching import normwise

COMPILER = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler here")
TREE = random_tree(Case(9, branching=True, seed=3, kinds=EVERY_KIND))
Q, QD = cd.random_state(TREE, 1, batch=(11,))
TAU = np.random.default_rng(20).normal(size=(11, TREE.nv))
PLACE = np.array([0.3, -0.4])
only_posix = pytest.mark.skipif(os.name != "posix", reason="there are no such permissions here")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Compile without optimising, into a folder of the test's own, which is given."""
    monkeypatch.setenv("CHAINDYN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(native, "FLAGS", tuple("-O0" if f == "-O2" else f for f in native.FLAGS))
    monkeypatch.setattr(native, "hanging", {})
    return tmp_path / "cache"


def pair(**changes):
    """Return a chain of two links, the second changed."""
    link = cd.Link(cd.Revolute((0, 1, 0)), 1.0, (0.3, 0, 0), 0.1 * np.eye(3), (0.5, 0, 0))
    tool = cd.Frame("tool", 1, np.array([0.1, 0.2, 0.3]), np.eye(3))
    return cd.Chain([link, replace(link, **changes)], frames=[tool])


def forward(chain, fast=None):
    """Return accelerations at one state, compiled for the chain anew, or by `fast`."""
    return (fast or compiled(cd.aba, chain))(PLACE, PLACE, PLACE)


def right(chain):
    """Whether the compiled accelerations are the interpreted ones."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return normwise(forward(chain), cd.aba(chain, PLACE, PLACE, PLACE)) < 1e-13


BEGIN = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background
from test_compiled_cache import *
from chaindyn.compiler import native
native.FLAGS = tuple("-O0" if f == "-O2" else f for f in native.FLAGS)
"""


def process(code, **environment):
    """Start a process that has what this file has, and runs some code."""
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN + code],
        env={**os.environ, "PYTHONPATH": path, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def elsewhere(code, **environment):
    """Run code in a process of its own, and return what it prints."""
    with process(code, **environment) as own:
        out, wrong = own.communicate()
    assert not own.returncode, wrong
    return out.strip()


# whose program it is


@functools.wraps(cd.aba)
def damped(chain, q, qd, tau):
    """Return accelerations with friction."""
    return cd.aba(chain, q, qd, tau - 0.5 * qd)


@dataclass(frozen=True, eq=False)
class Offset(cd.Revolute):
    """A hinge that turns from elsewhere."""

    def pose(self, q):
        """Return the pose."""
        return super().pose(q + 1)


Offset.__module__, Offset.__qualname__ = cd.Revolute.__module__, cd.Revolute.__qualname__


class Geared(cd.Coupling):
    """A gear that others wrote."""


class Heavier(cd.Chain):
    """A chain that falls faster."""


def test_a_function_in_anothers_clothes_has_a_program_of_its_own():
    for first, second in ((damped, cd.aba), (cd.aba, damped)):
        chain = pair(mass=1.0 if first is damped else 2.0)
        for function in (first, second):
            expected = function(chain, PLACE, PLACE, PLACE)
            assert normwise(forward(chain, compiled(function, chain)), expected) < 1e-13


@pytest.mark.parametrize(
    "function",
    [
        damped,
        functools.partial(cd.aba, recursion="world"),
        checked(q="nq")(lambda chain, q: q),
        checked(q="nq")(cd.aba.__wrapped__),
        Compiled(cd.aba, TREE, 1, {}).core,
        lambda chain, q: q,
    ],
    ids=["wraps", "partial", "checked", "ours in ours", "method", "lambda"],
)
def test_what_is_not_the_packages_own_is_not_kept(function):
    assert store.key_of(cd.aba, TREE, ())
    assert store.key_of(rk4_step, TREE, ())
    assert store.key_of(function, TREE, ()) is None


@pytest.mark.parametrize("function", [damped, checked(q="nq")(damped)], ids=["bare", "checked"])
def test_what_replaces_a_function_of_the_package_is_not_kept_as_that(monkeypatch, function):
    monkeypatch.setattr("chaindyn.articulated.aba", function)
    assert store.key_of(function, TREE, ()) is None


@pytest.mark.parametrize("chain", [pair(joint=Offset((0, 1, 0))), Heavier(TREE.links)])
def test_classes_made_of_the_packages_are_not_kept_as_those(chain):
    assert store.key_of(cd.aba, chain, ()) is None


@pytest.mark.parametrize(
    "value",
    [[Geared({0: 1})], lambda t: t, {1}, np.longdouble(1), np.array([TREE])],
    ids=["others' constraints", "function", "set", "long double", "objects"],
)
def test_options_that_cannot_be_told_are_not_kept(value):
    assert store.key_of(cd.aba, TREE, {"option": value}) is None


def test_constraints_of_the_package_are_told_by_what_they_hold():
    tip = {"offset": (1, 0, 0)}
    said = [
        cd.Coupling({0: 1}),
        cd.Coupling({0: 2}),
        cd.Coupling({1: 1}),
        cd.Closure(cd.Spherical(), 1, **tip),
        cd.Closure(cd.Fixed(), 1, **tip),
        cd.Closure(cd.Revolute((0, 1, 0)), 1, **tip),
        cd.Closure(cd.Revolute((0, 0, 1)), 1, **tip),
        cd.Closure(cd.Revolute((0, 0, 1)), 1, onto_offset=(1, 0, 0)),
    ]
    keys = [store.key_of(cd.aba, TREE, {"constraints": (x,)}) for x in said]
    assert None not in keys and len(set(keys)) == len(said)
    again = cd.Closure(cd.Spherical(), 1, **tip)
    assert store.key_of(cd.aba, TREE, {"constraints": (again,)}) == keys[3]


def test_exact_masses_are_compiled_but_not_kept(cache):
    from fractions import Fraction

    chain = pair(mass=Fraction(1, 3))
    assert store.key_of(cd.aba, chain, ()) is None
    assert right(chain)


# what it hangs on


def nudged(**parts):
    """Return a pair whose frame is another."""
    return replace(pair(), frames=[replace(pair().frames[0], **parts)])


QUARTER = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
OTHERS = {
    "mass": pair(mass=np.nextafter(1, 2)),
    "axis": pair(joint=cd.Revolute((0, 0, 1))),
    "joint": pair(joint=cd.Prismatic((0, 1, 0))),
    "name": pair(name="arm"),
    "parent": pair(parent="ground"),
    "friction": pair(drive=cd.Drive(viscous=1e-9)),
    "rotor": pair(drive=cd.Drive(rotor_inertia=1e-9)),
    "lower limit": pair(limits=cd.Limits(lower=-1)),
    "effort limit": pair(limits=cd.Limits(effort=1 + 1e-9)),
    "gravity": replace(pair(), gravity=(0, 0, -9.810000000001)),
    "frame's place": nudged(offset=np.array([0.1, 0.2, 0.3 + 1e-9])),
    "frame's axes": nudged(rotation=QUARTER),
    "frame's name": nudged(name="camera"),
    "frame's link": nudged(link=0),
}


@pytest.mark.parametrize("what", OTHERS)
def test_two_chains_that_differ_share_no_program(what):
    with np.printoptions(precision=2):
        assert store.key_of(cd.aba, OTHERS[what], ()) != store.key_of(cd.aba, pair(), ())
    assert store.key_of(cd.aba, pair(), ()) == store.key_of(cd.aba, pair(), ())


def test_a_frames_place_does_not_hang_on_how_numbers_are_printed():
    with np.printoptions(precision=2):
        for chain in (pair(), nudged(offset=np.array([0.1, 0.2, 0.301]))):
            fast = compiled(cd.forward_kinematics, chain)
            own, expected = fast(PLACE, body="tool"), cd.forward_kinematics(chain, PLACE, "tool")
            assert all(normwise(*both) < 1e-15 for both in zip(own, expected, strict=True))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, 1.0),
        ("1", 1),
        ((np.zeros(1), "1"), (np.zeros(1), 1)),
        ((1, 2), [1, 2]),
        ((1, (2, 3)), (1, 2, 3)),
        (np.zeros(2), np.zeros((2, 1))),
        (np.zeros(2), np.zeros(4, np.float32)),
        (np.linspace(0, 1, 2000), np.linspace(0, 1, 2000) ** 2),
        ({"a": 1}, [("a", 1)]),
        (("a", "b"), ("a', 'b",)),
    ],
)
def test_two_options_that_differ_share_no_program(one, other):
    first, second = (store.key_of(cd.aba, TREE, {"option": x}) for x in (one, other))
    assert first and second and first != second


def test_what_programs_are_made_by_is_in_their_name(monkeypatch):
    names = [store.key_of(cd.aba, TREE, ())]
    monkeypatch.setattr(native, "FLAGS", (*native.FLAGS, "-O1"))
    names += [store.key_of(cd.aba, TREE, ())]
    monkeypatch.setenv("CC", f"{COMPILER} -DNOTHING")
    names += [store.key_of(cd.aba, TREE, ())]
    monkeypatch.setattr(np, "__version__", "0")
    names += [store.key_of(cd.aba, TREE, ())]
    monkeypatch.setattr(store, "package_digest", lambda: "another")
    names += [store.key_of(cd.aba, TREE, ())]
    assert len(set(names)) == len(names)


def test_a_package_that_changed_after_it_was_loaded_keeps_nothing(monkeypatch):
    monkeypatch.setattr(store, "LOADED", 0.0)
    store.package_digest.cache_clear()
    try:
        assert store.key_of(cd.aba, TREE, ()) is None
    finally:
        store.package_digest.cache_clear()


class Thing:
    """An option with a number."""

    def __init__(self, number):
        self.number = number


@pytest.mark.parametrize("kind", [list, np.array])
def test_an_option_that_is_gone_is_not_taken_for_the_one_in_its_place(kind):
    def times(chain, q, things=()):
        return q * things[0].number

    fast = compiled(times, pair())
    for number in range(1, 7):
        things = kind([Thing(number)])
        assert fast(PLACE, things=things)[0] == PLACE[0] * number
        del things


def test_equal_options_of_other_types_are_others():
    def chosen(chain, q, many=1):
        return q * (2.0 if many is True else 3.0)

    fast = compiled(chosen, pair())
    assert [fast(PLACE, many=many)[0] / PLACE[0] for many in (True, 1, 1.0)] == [2, 3, 3]


@pytest.mark.parametrize(
    "flag", ["-ffast-math", "-Ofast", "-ffinite-math-only", "-funsafe-math-optimizations"]
)
def test_flags_that_change_numbers_are_taken_back(cache, monkeypatch, flag):
    monkeypatch.setattr(native, "FLAGS", tuple("-O2" if f == "-O0" else f for f in native.FLAGS))
    monkeypatch.setattr(native, "door", lambda: None)
    for told in (f"{COMPILER} {flag}", COMPILER):
        monkeypatch.setenv("CC", told)
        assert right(pair())
    assert len(list(cache.glob("*.so"))) == 1  # byte for byte the same
    smallest = np.nextafter(0.0, 1.0)
    assert smallest * 1.0 > 0  # and the process still knows small numbers


# what is damaged


DAMAGES = {
    "half": lambda whole: whole[: len(whole) // 2],
    "garbage": lambda whole: b"no program",
    "empty": lambda whole: b"",
    "flipped": lambda whole: bytes([*whole[:50], whole[50] ^ 1, *whole[51:]]),
}


@pytest.fixture(scope="module")
def whole_cache(tmp_path_factory):
    """Give what a cache holds after one function was compiled, by name."""
    folder = tmp_path_factory.mktemp("whole")
    assert elsewhere("print(right(pair()))", CHAINDYN_CACHE=str(folder)) == "True"
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {Path(name).suffix for name in files} == {".so", ".program", ".record"}
    return files


@pytest.mark.parametrize("hit", [(".so",), (".record",), (".program", ".record")], ids=str)
@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_made_anew(whole_cache, cache, damage, hit):
    cache.mkdir(mode=0o700)
    for name, content in whole_cache.items():
        damaged = DAMAGES[damage](content) if name.endswith(hit) else content
        (cache / name).write_bytes(damaged)
    assert elsewhere("print(right(pair()))") == "True"
    assert {path.name: path.read_bytes() for path in cache.iterdir()} == whole_cache


def test_a_program_that_is_gone_is_made_anew(cache):
    assert right(pair())
    for path in cache.glob("*.so"):
        path.unlink()
    assert right(pair())
    assert list(cache.glob("*.so"))


def falling_box(side=0.2, friction=0.5, restitution=0.0, law="newton"):
    """Return where a box is that fell on its edge, in machine code."""
    chain = cd.Chain([cd.Link(cd.Free(), 1, (0, 0, 0), np.eye(3) / 150)])
    shapes = [
        cd.Geometry(cd.Box((side, 0.2, 0.1)), 0),
        cd.Geometry(cd.HalfSpace((0, 0, 1)), "ground"),
    ]
    q, qd = np.array([0, 0, 0.3, 0.8, 0.6, 0, 0]), np.array([0, 0, 0, 1.0, 0, 0])
    more = {"friction": friction, "restitution": restitution, "law": law}
    given = {"t": [0, 0.4], "step": 0.01, "compiled": True, **more}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return cd.simulate_contact(chain, shapes, q, qd, **given).q[-1]


def test_steps_with_contacts_are_kept(cache, monkeypatch):
    """A second start neither records nor compiles; what is another scene is none that was kept."""
    first = falling_box()
    others = [{"side": 0.3}, {"friction": 0.1}, {"restitution": 0.5}, {"law": "moreau"}]
    found = [falling_box(**other) for other in others]
    assert all((x != first).any() for x in found[:3])
    assert len(list(cache.glob("*.record"))) == 1 + len(others)
    monkeypatch.setattr("chaindyn.compiler.touching.recorded_link_by_link", None)
    monkeypatch.setattr(native, "compiled_now", None)
    assert (falling_box() == first).all()
    for x, other in zip(found, others, strict=True):
        assert (falling_box(**other) == x).all()


@pytest.mark.parametrize("spoilt", [b"", b"x" * 4000])
def test_a_damaged_step_is_made_anew(cache, spoilt):
    first = falling_box()
    for path in cache.glob("*.record"):
        path.write_bytes(spoilt)
    assert (falling_box() == first).all()


def test_others_lines_are_not_kept(cache, monkeypatch):
    """A step made of somebody else's function is recorded each time."""
    own = cd.stepping.gap_half_way
    monkeypatch.setattr(cd.stepping, "gap_half_way", lambda gap, speed, h: own(gap, speed, h) + 0)
    falling_box()
    assert not list(cache.glob("*.record"))


def test_a_second_start_records_and_compiles_nothing(monkeypatch):
    motion = {"t": [0, 0.1], "step": 0.05}
    first = rollout(pair(), PLACE, PLACE, **motion)
    assert right(pair())
    monkeypatch.setattr("chaindyn.compiler.recorded.record", None)
    monkeypatch.setattr("chaindyn.compiler.rollouts.recorded_step", None)
    monkeypatch.setattr(native, "compiled_now", None)
    assert right(pair())
    assert (rollout(pair(), PLACE, PLACE, **motion).q == first.q).all()


def test_what_cannot_be_written_down_is_computed_all_the_same(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert right(pair())


# the compiler


@pytest.fixture
def no_system_compiler(monkeypatch):
    """Hide what the system has."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(native.shutil, "which", lambda name: None)


def test_the_compiler_is_the_one_told_or_the_systems_or_zigs(monkeypatch):
    found = {"gcc", "clang", "my-cc"}
    monkeypatch.setattr(native.shutil, "which", lambda name: name if name in found else None)
    monkeypatch.setenv("CC", "my-cc -m64")
    assert native.compiler() == ["my-cc", "-m64"]
    for wrong in ("other-cc", ""):
        monkeypatch.setenv("CC", wrong)
        with pytest.raises(native.NoCompiler, match="CC names"):
            native.compiler()
    monkeypatch.delenv("CC")
    assert native.compiler() == ["gcc"]
    found.clear()
    zig = [sys.executable, "-m", "ziglang", "cc"]
    monkeypatch.setattr(native.importlib.util, "find_spec", lambda name: name == "ziglang" or None)
    assert native.compiler() == zig
    monkeypatch.setattr(native.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(native.NoCompiler, match=r"chaindyn\[compiler\]"):
        native.compiler()


def test_zigs_compiler_does_where_the_system_has_none(no_system_compiler, monkeypatch):
    pytest.importorskip("ziglang", reason="Zig's C compiler is not installed")
    monkeypatch.setattr(native, "FLAGS", tuple("-O2" if f == "-O0" else f for f in native.FLAGS))
    fast, limit = compiled(cd.aba, TREE), 100 * EPS * np.linalg.cond(cd.crba(TREE, Q))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, many = fast(Q[0], QD[0], TAU[0]), fast(Q, QD, TAU)
    exact = cd.aba(TREE, Q, QD, TAU)
    assert normwise(one, exact[0]) <= limit[0]
    assert (np.array([normwise(*pair) for pair in zip(many, exact, strict=True)]) <= limit).all()


def falls_back(match):
    """See everything work without a compiler, each with one warning."""
    chain = pair()
    expected = cd.aba(chain, PLACE, PLACE, PLACE)
    start = {"t": [0, 0.01], "method": "RK4", "step": 0.005}
    plain = cd.simulate(chain, PLACE, PLACE, **start)
    with pytest.warns(RuntimeWarning, match=match) as said:
        fast = compiled(cd.aba, chain)
        assert (forward(chain, fast) == expected).all()
        assert (forward(chain, fast) == expected).all()
    assert len(said) == 1 and "aba is not compiled, and runs as it stands" in str(said[0].message)
    with pytest.warns(RuntimeWarning, match=match) as said:
        assert (rollout(chain, PLACE, PLACE, **start).q == plain.q).all()
    assert len(said) == 1 and "simulate takes over" in str(said[0].message)
    with pytest.warns(RuntimeWarning, match=match) as said:
        assert (cd.simulate(chain, PLACE, PLACE, compiled=True, **start).q == plain.q).all()
    assert len(said) == 1


CUT = 'for made; do case "$made" in *.so) truncate -s 8192 "$made";; esac; done'
WRONG = {
    "missing": ("no-such-compiler", "there is no C compiler"),
    "unclosed": ("gcc 'half", "there is no C compiler"),
    "empty": ("", "there is no C compiler"),
    "fails": ("exit 1", "failed"),
    "makes nothing": ("exit 0", "made no program"),
    "makes nothing of use": (
        f"echo 'int nothing;' | {COMPILER} -shared -x c -o $(dirname \"$made\")/program.so -",
        "lacks its functions",
    ),
    "makes text": ('seq 100 > $(dirname "$made")/program.so', "cannot be loaded"),
    "makes a part": (f'{COMPILER} "$@"; {CUT}', "only a part"),
    "speaks Latin-1": ("printf '\\351\\n'; printf '\\351\\n' >&2; exit 3", "failed"),
    "refuses": ("exec /nothing/here", "failed"),
}


def script(folder, body):
    """Return the command of a compiler that says its version, and then does what it is told."""
    path = folder / "odd cc"
    path.write_text(f"""#!/bin/sh
for made; do [ "$made" = --version ] && printf 'odd \\351\\n' && exit 0; done
for made; do case "$made" in *.so) break;; esac; done
{body}
""")
    path.chmod(0o700)
    return shlex.quote(str(path))


@only_posix
@pytest.mark.parametrize("kind", WRONG)
def test_a_compiler_that_does_not_do_is_told_once(kind, monkeypatch, tmp_path):
    told, match = WRONG[kind]
    named = kind in ("missing", "unclosed", "empty")
    monkeypatch.setenv("CC", told if named else script(tmp_path, told))
    falls_back(match)


def hanging(folder, before="", after=""):
    """Return a script that never ends, and the file that grows as long as it runs."""
    asked, beat = (shlex.quote(str(folder / name)) for name in ("asked", "beat"))
    body = f"{before} while sleep 0.05; do echo >> {beat}; done {after}"
    return f"echo >> {asked}; {body}", folder / "beat"


def grows(beat):
    """Whether a file grows."""
    size = beat.stat().st_size
    time.sleep(0.5)
    return beat.stat().st_size > size


@only_posix
@pytest.mark.parametrize("around", [("", ""), ("(", ")"), ("(", ")&")])
@pytest.mark.parametrize("version", [True, False], ids=["version", "program"])
def test_a_compiler_that_hangs_is_ended_and_asked_no_more(version, around, monkeypatch, tmp_path):
    hangs, beat = hanging(tmp_path, *around)
    monkeypatch.setenv("CC", script(tmp_path, hangs))
    if version:
        (tmp_path / "odd cc").write_text(f"#!/bin/sh\n{hangs}\n")
    monkeypatch.setattr(native, "TO_ANSWER", 1 if version else 60)
    monkeypatch.setattr(native, "TO_COMPILE", 1)
    falls_back("had not ended after 1 s")
    assert (tmp_path / "asked").read_text() == "\n"
    assert not grows(beat)


@only_posix
def test_an_interrupt_ends_the_compiler_and_leaves_nothing(tmp_path, cache):
    hangs, beat = hanging(tmp_path, "touch $TMPDIR/x;")
    with process("forward(pair())", CC=script(tmp_path, hangs)) as own:
        while own.poll() is None and not beat.exists():
            time.sleep(0.1)
        assert [x.name for x in cache.glob("*/x")] == ["x"]
        own.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in own.communicate(timeout=60)[1]
    assert not grows(beat)
    assert not list(cache.iterdir())


# where it is kept


@only_posix
def test_a_folder_that_others_can_write_is_not_used(monkeypatch, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("CHAINDYN_CACHE", str(shared))
    assert native.cache_folder() != shared
    own = native.cache_folder()
    assert not own.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    compiled(cd.bias_force, ur5())
    assert not list(shared.iterdir())


def no_home():
    """Fail as where a user has no entry and no HOME."""
    raise RuntimeError("Could not determine home directory.")


def test_who_has_no_home_has_a_cache_all_the_same(cache, monkeypatch):
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert right(pair())
    assert list(cache.glob("*.so"))
    monkeypatch.delenv("CHAINDYN_CACHE")
    assert native.cache_folder() == native.private_folder()
    assert right(pair())


@pytest.mark.parametrize("kind", ["a file", "below a file", "read-only"])
def test_a_folder_that_cannot_be_written_is_not_used(kind, monkeypatch, tmp_path):
    folder = tmp_path / "taken" / ("below" if kind == "below a file" else "")
    if kind == "read-only":
        folder.mkdir(mode=0o500)
        monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)  # as root, too
    else:
        (tmp_path / "taken").write_text("")
    monkeypatch.setenv("CHAINDYN_CACHE", str(folder))
    assert native.cache_folder() == native.private_folder()
    assert right(pair())


def test_without_any_folder_functions_run_as_they_stand(monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(native.tempfile, "TemporaryDirectory", full)
    falls_back("cannot be kept: .*No space left")
    monkeypatch.setattr(native.tempfile, "mkdtemp", full)
    monkeypatch.setenv("CHAINDYN_CACHE", os.devnull)
    native.private_folder.cache_clear()
    falls_back("cannot be kept: .*No space left")


@only_posix
def test_a_disk_that_is_full_is_told_once(cache):
    """Let files have so many bytes and no more, before each of what is written in turn."""
    code = """
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
for room in (0, 50, 3000, 9000, 12000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    falls_back("kept|failed|part")
    print(room, end=" ")
"""
    assert elsewhere(code) == "0 50 3000 9000 12000"
    assert not [path for path in cache.iterdir() if path.is_dir()]
    assert elsewhere("print(right(pair()))") == "True"


@only_posix
def test_a_folder_of_ones_own_goes_with_the_process(tmp_path, cache):
    cache.mkdir()
    cache.chmod(0o777)
    (tmp_path / "temporary").mkdir()
    code = """
import os
print(right(pair()), end=" ")
if os.fork():
    os.wait()
    own = list(native.private_folder().glob("*.so"))
    print(len(own) - (native.door() is not None))  # which needs Python's headers
"""
    out = elsewhere(code, TMPDIR=str(tmp_path / "temporary"))
    assert out.split()[-2:] == ["True", "1"]
    assert not list((tmp_path / "temporary").iterdir())


def test_a_relative_folder_for_caches_is_none(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CHAINDYN_CACHE")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    for told, folder in (
        ("caches", tmp_path / "home" / ".cache"),
        ("", tmp_path / "home" / ".cache"),
        (str(tmp_path / "caches"), tmp_path / "caches"),
    ):
        monkeypatch.setenv("XDG_CACHE_HOME", told)
        assert native.cache_folder() == folder / "chaindyn"


def test_two_processes_may_compile_the_same_at_once(cache):
    both = [process("print(right(pair()))") for _ in range(2)]
    assert [own.communicate()[0].strip() for own in both] == ["True", "True"]
    assert not [path for path in cache.iterdir() if path.is_dir()]
