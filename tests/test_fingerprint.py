"""What identifies a function from run to run: every change that its results hang on, and no other."""

# ruff: noqa: E501  # a script in one line each

from __future__ import annotations

import copy
import functools
import subprocess
import sys
import threading
import types

import numpy as np
import pytest
from test_sweep import ARM, HERE, quiet

from chaindyn import Chain, Link, Revolute, aba, aba_derivatives, compiled, crba, rnea
from chaindyn.jobs.fingerprint import digest, named, version
from chaindyn.models.robots import ur5

BEGIN = """
import functools
import operator
from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace

import numpy as np
import settings
from chaindyn import aba, compiled, crba
from chaindyn.models.robots import ur5
from scipy.interpolate import CubicSpline
"""

# What stands between, a number in it that the result hangs on, and a function f.
SOURCES = {
    "a value": "k = 2.0\ndef f(c, q): return k * q",
    "a constant": "def f(c, q): return 2.0 * q",
    "a name": "a = 2.0; b = 3.0\ndef f(c, q): return a * q",
    "a default": "def f(c, q, k=2.0): return k * q",
    "a default by name": "def f(c, q, *, k=2.0): return k * q",
    "a cell": "def make(k): return lambda c, q: k * q\nf = make(2.0)",
    "a function": "def g(q): return 2.0 * q\ndef f(c, q): return g(q)",
    "a function inside": "def f(c, q):\n    def g(q): return 2.0 * q\n    return g(q)",
    "a function's attribute": "def g(): pass\ng.k = 2.0\ndef f(c, q): return g.k * q",
    "a partial": "g = functools.partial(np.multiply, 2.0)\ndef f(c, q): return g(q)",
    "a partial itself": "def g(k, c, q): return k * q\nf = functools.partial(g, 2.0)",
    "a partial of a partial's keyword": "def g(c, q, k): return k * q\nf = functools.partial(functools.partial(g), k=2.0)",
    "a spline": "s = CubicSpline([0, 1, 2], [0, 2.0, 9])\ndef f(c, q): return s(q)",
    "a polynomial": "s = np.poly1d([2.0, 1])\ndef f(c, q): return s(q)",
    "a polynomial of now": "s = np.polynomial.Polynomial([2.0, 1])\ndef f(c, q): return s(q)",
    "vectorize": "s = np.vectorize(lambda x: 2.0 * x)\ndef f(c, q): return s(q)",
    "vectorize, typed": "s = np.vectorize(lambda x: 2.0 * x, otypes=[float])\ns(1.0)\ndef f(c, q): return s(q)",
    "compiled": "def g(c, q): return crba(c, q) * 2.0\ns = compiled(g, ur5())\ndef f(c, q): return s(q)",
    "a method of a callable object": "class S:\n    def __call__(self, q): return 2.0 * q\ns = S()\ndef f(c, q): return s(q)",
    "a callable object's state": "class S:\n    def __init__(self, k): self.k = k\n    def __call__(self, q): return self.k * q\ns = S(2.0)\ndef f(c, q): return s(q)",
    "slots": "class S:\n    __slots__ = ('k',)\n    def __call__(self, q): return self.k * q\ns = S(); s.k = 2.0\ndef f(c, q): return s(q)",
    "a callable object itself": "class S:\n    def __call__(self, c, q): return 2.0 * q\nf = S()",
    "a base class": "class B:\n    def g(self, q): return 2.0 * q\nclass S(B): pass\ndef f(c, q): return S().g(q)",
    "a class attribute": "class S:\n    k = 2.0\ndef f(c, q): return S.k * q",
    "a property": "class S:\n    @property\n    def k(self): return 2.0\ndef f(c, q): return S().k * q",
    "a static method": "class S:\n    @staticmethod\n    def k(): return 2.0\ndef f(c, q): return S.k() * q",
    "a class method": "class S:\n    @classmethod\n    def k(cls): return 2.0\ndef f(c, q): return S.k() * q",
    "a cached property": "class S:\n    @functools.cached_property\n    def k(self): return 2.0\ns = S(); s.k\ndef f(c, q): return s.k * q",
    "a bound method": "class S:\n    k = 2.0\n    def g(self, c, q): return self.k * q\nf = S().g",
    "a method of a dataclass": "@dataclass\nclass S:\n    k: float\n    def __call__(self, q): return 2.0 * q\ns = S(3)\ndef f(c, q): return s(q)",
    "a field": "@dataclass(frozen=True)\nclass S:\n    k: float\n    def __call__(self, q): return self.k * q\ns = S(2.0)\ndef f(c, q): return s(q)",
    "a field's default": "@dataclass\nclass S:\n    k: float = 2.0\ndef f(c, q): return S().k * q",
    "an enum": "class S(Enum):\n    K = 2.0\ndef f(c, q): return S.K.value * q",
    "a decorated function": "def twice(g):\n    @functools.wraps(g)\n    def call(c, q): return 2.0 * g(c, q)\n    return call\n@twice\ndef f(c, q): return q",
    "a wrapper that is an object": "class Damped:\n    def __init__(self, g):\n        functools.update_wrapper(self, g)\n    def __call__(self, c, q, *x): return 2.0 * q\nf = Damped(aba)",
    "a cached function": "@functools.lru_cache\ndef g(): return 2.0\ndef f(c, q): return g() * q",
    "a namespace": "s = SimpleNamespace(k=2.0)\ndef f(c, q): return s.k * q",
    "a dict": "s = {'k': [2.0]}\ndef f(c, q): return s['k'][0] * q",
    "an array": "s = np.array([2.0])\ndef f(c, q): return s * q",
    "an array of objects": "s = np.array([2.0, None], object)\ndef f(c, q): return s[0] * q",
    "masked": "s = np.ma.array([1.0, 2.0], mask=[0, 1]); s.data[0] = 2.0\ndef f(c, q): return s[0] * q",
    "what except meets": "def f(c, q):\n    try: return 2.0 * q\n    except ValueError: return q",
    "module.K": "def f(c, q): return settings.K * q",
    "module.K by a string": "def f(c, q): return getattr(settings, 'K') * q",
    "module.K by some string": "def f(c, q): return getattr(settings, chr(75)) * q",
    "module.K by its dict": "def f(c, q): return vars(settings)[chr(75)] * q",
    "module.K, imported inside": "def f(c, q):\n    import settings\n    return settings.K * q",
    "from module import K, inside": "def f(c, q):\n    from settings import K\n    return K * q",
    "module.function": "def f(c, q): return settings.g(q)",
    "module.function's helper": "from settings import g\ndef f(c, q): return g(q)",
    "module.class": "from settings import Own\ns = Own()\ndef f(c, q): return s(q)",
    "two functions that call each other": "def g(q, n=1): return f(None, q, n - 1)\ndef f(c, q, n=1): return 2.0 * q if n < 1 else g(q, n)",
}  # fmt: skip

SETTINGS = """
K = 2.0
def h(): return K
def g(q): return h() * q
class Own:
    def __call__(self, q): return 2.0 * q
"""


def made(source, monkeypatch, settings=SETTINGS):
    """Return f of a script, beside another file, as if both had just been read."""
    module = types.ModuleType("settings")
    exec(settings, vars(module))
    monkeypatch.setitem(sys.modules, "settings", module)
    script = types.ModuleType("script")
    monkeypatch.setitem(sys.modules, "script", script)
    exec(BEGIN + source, vars(script))
    return script.f


@pytest.mark.parametrize("what", SOURCES)
def test_what_a_result_hangs_on_is_told_and_nothing_else(what, monkeypatch):
    source = SOURCES[what]
    once, again = (digest(made(source, monkeypatch), "function") for _ in range(2))
    assert once == again
    f = made(source, monkeypatch)
    if "compiled" not in what and "wrapper" not in what:
        f(None, np.ones(3))
    assert digest(f, "function") == once  # also after it was called
    aside = "other = 2.5\n" + source + "\ndef mine(): return other"
    assert digest(made(aside, monkeypatch), "function") == once
    if "odule" in what:
        changed = made(source, monkeypatch, SETTINGS.replace("2.0", "3.0"))
    else:
        changed = made(source.replace("2.0", "3.0", 1), monkeypatch)
    assert digest(changed, "function") != once


def test_a_compiled_function_is_told_by_what_it_was_made_of():
    def told(*given, **options):
        return digest(compiled(*given, **options), "function")

    once = told(crba, ARM)
    for kind in (crba, aba_derivatives):
        fast = compiled(kind, ARM, threads=2)
        fast(*[np.ones((130, 6))] * (1 if kind is crba else 3))
        assert digest(fast, "function") == told(kind, ARM, threads=1)  # the results are the same
        assert digest(copy.copy(fast), "function") == digest(fast, "function")
    longer = Chain([*ARM.links[:-1], Link(Revolute((0, 1, 0)), 1, (0, 0, 0), np.eye(3))])
    others = [told(crba, longer), told(rnea, ARM), told(crba, ARM, derivatives=True)]
    others += [told(crba, ARM, parameters="data"), told(lambda chain, q: crba(chain, q), ARM)]
    assert len({once, *others}) == 6


def test_names_and_what_is_tried_are_told(monkeypatch):
    pairs = [
        ("a = 2.0; b = 3.0\ndef f(c, q): return a * q", "a = 2.0; b = 3.0\ndef f(c, q): return b * q"),
        ("def f(c, q): return q + 1", "def f(c, q): return q + 1.0"),
        ("def f(c, q): return q + 1", "def f(c, q): return q + True"),
        ("def f(c, q): return q * 0.0", "def f(c, q): return q * -0.0"),
        ("def f(c, q): return aba(c, q)", "def f(c, q): return crba(c, q)"),
        ("def f(c, q): return operator.add(q, 2)", "def f(c, q): return operator.mul(q, 2)"),
        ("g = operator.itemgetter(0)\ndef f(c, q): return g(q)", "g = operator.itemgetter(1)\ndef f(c, q): return g(q)"),
        ("g = [1].count\ndef f(c, q): return g(q)", "g = [2].count\ndef f(c, q): return g(q)"),
        ("g = np.sin\ndef f(c, q): return g(q)", "g = np.cos\ndef f(c, q): return g(q)"),
    ]  # fmt: skip
    for one, other in pairs:
        assert digest(made(one, monkeypatch), "f") != digest(made(other, monkeypatch), "f"), other


@pytest.mark.parametrize(
    "source",
    [
        "def f(c, q): return eval('2 * q')",
        "def f(c, q): return globals()['k'] * q",
        "import importlib\ndef f(c, q): return importlib.import_module('sett' + 'ings').K * q",
        "g = np.frompyfunc(lambda x: 2 * x, 1, 1)\ndef f(c, q): return g(q)",
        "import threading\nlock = threading.Lock()\ndef f(c, q):\n    with lock: return q",
        "g = (x for x in 'ab')\ndef f(c, q): return next(g)",
        "file = open(__import__('os').devnull)\ndef f(c, q): return file",
        "import ctypes\ng = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 2)\ndef f(c, q): return g() * q",
    ],
)
def test_what_cannot_be_told_is_refused(source, monkeypatch):
    with pytest.raises(TypeError, match="the function holds something that cannot be told"):
        digest(made(source, monkeypatch), "function")


def test_a_sweep_does_not_go_on_with_another_function(tmp_path, monkeypatch):
    """End to end: no result holds twos and threes."""
    q = np.ones((3000, 6))
    for i, what in enumerate(
        ("a partial", "a spline", "vectorize", "module.K", "a callable object's state")
    ):
        source, out = SOURCES[what], tmp_path / str(i)
        first = made(source, monkeypatch)
        stored = quiet(first, ARM, q, out=out, chunk=1, workers=1)["result"]
        whole = np.asarray(stored)
        stored.path(1).unlink()
        if "odule" in what:
            changed = made(source, monkeypatch, SETTINGS.replace("2.0", "3.0"))
        else:
            changed = made(source.replace("2.0", "3.0"), monkeypatch)
        with pytest.raises(ValueError, match="another function"):
            quiet(changed, ARM, q, out=out, workers=1)
        again = quiet(made(source, monkeypatch), ARM, q, out=out, workers=1)["result"]
        assert (np.asarray(again) == whole).all()


def test_other_software_does_not_go_on(tmp_path, monkeypatch):
    q = np.ones((10, 6))
    quiet(crba, ARM, q, out=tmp_path / "s", workers=1)
    monkeypatch.setattr("chaindyn.compiler.store.package_digest", lambda: "another version")
    with pytest.raises(ValueError, match=r"another software \(chaindyn .*NumPy .*Python .*another"):
        quiet(crba, ARM, q, out=tmp_path / "s", workers=1)


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from chaindyn.jobs.fingerprint import digest
from chaindyn.sweeps import Drawn
import settings
source = open(sys.argv[1] + "/sources").read()
for one in source.split("#next"):
    space = {"__name__": "__main__"}
    exec(one, space)
    print(digest(space["f"], "f"), digest(Drawn(space["f"], 2, 9), "s"))
"""


def test_the_next_run_tells_the_same(tmp_path):
    (tmp_path / "settings.py").write_text(SETTINGS)
    (tmp_path / "sources").write_text("#next".join(BEGIN + source for source in SOURCES.values()))
    told = set()
    for seed in ("1", "2"):
        environment = HERE | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
        told.add(subprocess.check_output(command, env=environment, text=True, timeout=120))
    assert len(told) == 1 and len(set(told.pop().split())) == 2 * len(SOURCES)


def test_chains_and_states():
    assert digest(ARM, "chain") == digest(ur5(), "chain")
    heavier = Chain([*ARM.links[:-1], Link(Revolute((0, 1, 0)), 1, (0, 0, 0), np.eye(3))])
    assert digest(ARM, "chain") != digest(heavier, "chain")
    assert digest(np.zeros(4), "s") != digest(np.zeros((2, 2)), "s")
    assert digest(np.zeros(4), "s") != digest(np.zeros(4, np.float32), "s")
    q = np.arange(12.0).reshape(4, 3)
    assert digest(q, "s") == digest(np.asfortranarray(q), "s") != digest(q.T, "s")
    a, b = np.zeros(3), np.ones(3)
    assert digest((a, a), "s") == digest((a, a.copy()), "s") != digest((a, b), "s")
    loop = []
    loop.append(loop)
    assert digest(loop, "s") != digest([[]], "s")


def test_a_store_as_states_is_told_by_its_numbers(tmp_path):
    q = np.random.default_rng(0).normal(size=(3000, 6))
    told = []
    for name, x in (("a", q), ("b", q), ("c", q + 1)):
        stored = quiet(lambda chain, q: q, ARM, x, out=tmp_path / name, workers=1)["result"]
        told.append(digest(stored, "states"))
    assert told[0] == told[1] != told[2]
    zarr = pytest.importorskip("zarr")
    arrays = [zarr.open_array(tmp_path / "a" / "result", mode="r") for _ in range(2)]
    assert digest(arrays[0], "states") == digest(arrays[1], "states")
    whole = quiet(crba, ARM, stored, out=tmp_path / "m", workers=1)["result"]
    assert (np.asarray(whole) == crba(ARM, q + 1)).all()


def test_whose_a_module_is():
    assert version("numpy.linalg") == f"numpy {np.__version__}" and version("functools") == "Python"
    assert version("chaindyn.chain").startswith("chaindyn ")
    assert version("__main__") is version(__name__) is version("nowhere") is None


def test_jax_is_told_or_refused():
    jax = pytest.importorskip("jax")

    def of(k):
        fast = jax.jit(jax.vmap(lambda q: k * q))
        return lambda chain, q: fast(q)

    try:
        once = digest(of(2.0), "function")
    except TypeError:
        return
    assert once == digest(of(2.0), "function") != digest(of(3.0), "function")


def test_a_lock_says_so():
    with pytest.raises(TypeError, match=r"lock.*leave `out` out"):
        digest(functools.partial(aba, external=threading.Lock()), "function")


class Silent:
    """Stands for what does not say its module, as functions of NumPy before 2.1."""

    def __init__(self):
        self.__module__ = None

    def __reduce__(self):
        return "silent"


def test_what_does_not_say_its_module_is_told_by_the_package_that_has_it(monkeypatch):
    """And not by a module of the reader's that imported it, though that was loaded first."""
    thing, mine = Silent(), types.ModuleType("mine")
    with pytest.raises(TypeError, match="is known by its name only"):
        digest(thing, "function")
    mine.silent = thing
    monkeypatch.setattr(sys, "modules", {"mine": mine, "none": object(), **sys.modules})
    with pytest.raises(TypeError, match="is known by its name only"):
        digest(thing, "function")
    monkeypatch.setattr(np.linalg, "silent", thing, raising=False)
    inner = digest(thing, "function")
    monkeypatch.setattr(np, "silent", thing, raising=False)
    outer = digest(thing, "function")
    assert inner != outer and named(thing, "silent")[1] == "numpy"
    monkeypatch.setattr(sys, "modules", dict(reversed(sys.modules.items())))
    assert digest(thing, "function") == outer


def test_a_ufunc_is_told_by_its_name():
    """Under any NumPy: before 2.1 they say no module."""
    assert named(np.sqrt, "sqrt")[1] == "numpy"
    assert digest(np.sqrt, "function") != digest(np.cbrt, "function")
