"""What the tests share: random chains with a state of motion."""

import functools
import importlib.metadata
from pathlib import Path

import numpy as np
import pytest
from trees import CASES, EPS, motion, random_tree

LONG = (
    Path(__file__).parent / "long.txt"
)  # functions that take over half a second, by `python -m book measure tests`


def pytest_collection_modifyitems(items):
    """Mark those that take long."""
    long = frozenset(LONG.read_text(encoding="utf-8").split())
    for item in items:
        if item.nodeid.partition("[")[0] in long:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(params=CASES, ids=str)
def moving(request):
    """Give a random chain and its q, qd, qdd, one case after another."""
    chain = random_tree(request.param)
    return chain, *motion(request.param, chain)


@pytest.fixture(params=CASES, ids=str)
def case(request):
    """Give each case itself."""
    return request.param


@pytest.fixture(scope="session")
def robot_file():
    """Give the function that finds a robot's file in example-robot-data, or skip the test."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    paths = {str(f).partition("robots/")[2]: f for f in files if f.suffix == ".urdf"}

    def find(name: str) -> Path:
        return Path(paths[name].locate())

    return find


@pytest.fixture
def extended():
    """Give a number type with more digits than double precision, for arrays that NumPy computes with."""
    if np.finfo(np.longdouble).eps > EPS / 100:
        pytest.skip("this machine's long double is no longer than a double")
    return np.longdouble


@pytest.fixture(scope="session")
def jax():
    """Give JAX in double precision, for good: switched back and forth it confuses its compiled programs."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_disable_most_optimizations", True)  # each program runs once
    return jax


@pytest.fixture(scope="session")
def jit(jax):
    """Give a `jax.jit` that compiles soon rather than well, in a quarter of the time."""
    soon = {"xla_backend_optimization_level": 0, "xla_cpu_use_fusion_emitters": False}
    try:
        jax.jit(lambda x: x, compiler_options=soon)(0.0)
    except Exception:  # another version's compiler has other options
        return jax.jit
    return functools.partial(jax.jit, compiler_options=soon)
