"""Every public function keeps the laws that all share: the table is in `laws.py`."""

from __future__ import annotations

import inspect
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from laws import (
    ELSEWHERE,
    LAWS,
    ROWS,
    Row,
    every_joint,
    few_links,
    in_precision,
    made,
    shape_of,
    slides,
    small,
    swings,
    tangent,
)
from trees import EPS

import chaindyn
from chaindyn import Distance, crba
from chaindyn.teaching import normwise

# Velocities and accelerations are drawn at random here, and no law asks them to keep a loop closed.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:the {what} break the constraints")
    for what in ("velocities", "accelerations")
]


# What a small chain may refuse: tests/test_operational.py, tests/test_constraints.py, tests/test_impulse.py
REFUSE_SMALL = {
    "operational_space_inertia",
    "operational_space_torque",
    "dynamically_consistent_inverse",
    "constrained_hybrid_dynamics",
    "constrained_inverse_dynamics",
    "inverse_operational_space_inertia_serial",
}


def rows(law: str) -> list[Any]:
    """The rows for which a law holds, as a test's parameters."""
    return [pytest.param(row, id=row.name) for row in ROWS if law not in row.but]


def values_of(row: Row, chain: Any, seed: int = 0, **batches: tuple[int, ...]) -> dict[str, Any]:
    """The arguments of a row, each with the batch that is said of it, or of "every"."""
    rng = np.random.default_rng(seed)
    every = batches.get("every", ())
    return {
        name: made(kind, chain, rng, batches.get(name, every))
        for name, kind in row.arguments.items()
    }


def allowed(chain: Any) -> float:
    """100 roundings a link, for each unit of the mass matrix's condition."""
    q = made("q", chain, np.random.default_rng(0))
    return 100 * EPS * chain.n * float(np.linalg.cond(crba(chain, q)))


def assert_equal(result: Any, reference: Any, limit: float) -> None:
    result, reference = np.asarray(result), np.asarray(reference)
    assert result.shape == reference.shape
    assert normwise(result.astype(float), reference.astype(float)) <= limit


# The table itself -------------------------------------------------------------------------------


def test_every_public_name_is_in_one_table():
    named = [row.name for row in ROWS] + list(ELSEWHERE)
    assert sorted(named) == sorted(set(named))
    assert sorted(named) == sorted(chaindyn.__all__)


def test_a_law_that_does_not_apply_has_a_reason():
    assert all(law in LAWS and len(why) > 10 for row in ROWS for law, why in row.but.items())


@pytest.mark.parametrize(
    ("row", "law"),
    [
        pytest.param(row, law, id=f"{row.name}-{law}")
        for row in ROWS
        for law in row.but
        if law
        in (
            "batch",
            "symbols",
            "fractions",
            "digits",
            "precision",
        )  # CasADi and JAX need not be there
    ],
)
def test_an_exception_is_needed(row, law):
    """A law that a function keeps after all is to be tested."""
    with pytest.raises((AssertionError, TypeError, ValueError)):
        TESTS[law](row)


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in ROWS])
def test_the_table_knows_every_argument(row):
    """What a function takes is an argument, an option or fixed: a new one cannot be forgotten."""
    taken = set(inspect.signature(row.function).parameters) - {"chain"}
    assert taken == row.arguments.keys() | row.options.keys() | row.fixed.keys()


# Batches ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", rows("batch"))
def test_a_batch_is_a_loop(row):
    chain = row.chain()
    values = values_of(row, chain, every=(2, 3))
    for options in row.choices():
        together = row.call(chain, values, **options)
        for index in ((0, 0), (1, 2)):
            alone = row.call(chain, {name: x[index] for name, x in values.items()}, **options)
            for many, one in zip(together, alone, strict=True):
                assert np.shape(many)[:2] == (2, 3), options
                assert_equal(many[index], one, allowed(chain))


@pytest.mark.parametrize("row", rows("batch"))
def test_batches_broadcast(row):
    """One argument of (3, 1) states, all others of (2,), whichever is the one."""
    chain = row.chain()
    for many in row.arguments:
        values = values_of(row, chain, **{"every": (2,), many: (3, 1)})
        if len(values) == 1:
            return
        together = row.call(chain, values)
        alone = row.call(
            chain, {name: x[2, 0] if name == many else x[1] for name, x in values.items()}
        )
        for result, one in zip(together, alone, strict=True):
            assert np.shape(result)[:2] == (3, 2), many
            assert_equal(result[2, 1], one, allowed(chain))


@pytest.mark.parametrize("row", rows("batch"))
def test_an_empty_batch_has_results_of_its_shape(row):
    chain = row.chain()
    alone = row.call(chain, values_of(row, chain))
    none = row.call(chain, values_of(row, chain, every=(0,)))
    assert [np.shape(x) for x in none] == [(0, *np.shape(x)) for x in alone]


@pytest.mark.parametrize("chain", few_links().values(), ids=few_links())
@pytest.mark.parametrize("row", [p for p in rows("batch") if p.values[0].of_a_chain])
def test_small_chains_have_the_batch_of_their_arguments(row, chain):
    """Also where no inertia depends on q, and where there is no coordinate at all."""
    rod = {"constraints": [Distance(chain.n - 1, length=2, offset=(1, 0, 3))]}
    fixed = rod if "constraints" in row.fixed else {}
    if "multipliers" in row.arguments:
        row = replace(row, arguments=row.arguments | {"multipliers": (1,)})
    for option in row.choices():
        option = rod if "constraints" in option else option
        try:
            alone = row.call(chain, values_of(row, chain), **fixed, **option)
        except ValueError:  # a hand feels no inertia in six directions, motors are missing
            assert row.name in REFUSE_SMALL, row.name
            continue
        for batches in [
            {"every": (3,)},
            {"every": (2, 0)},
            *({name: (3,)} for name in row.arguments),
        ]:
            values = values_of(row, chain, **batches)
            (batch,) = set(batches.values())
            results = row.call(chain, values, **fixed, **option)
            assert [np.shape(x) for x in results] == [(*batch, *np.shape(x)) for x in alone], (
                batches
            )


# Precision --------------------------------------------------------------------------------------


def in_own_precision(row: Row, kind: Any) -> None:
    """Results of a chain, constraints and arguments in one precision have it, and are right to it."""
    chain = row.chain()
    values = values_of(row, chain)
    given = {name: x.astype(kind) for name, x in values.items()}
    limit = allowed(chain) * max(1, float(np.finfo(kind).eps) / EPS)
    for choice in row.choices():
        options = {k: x(chain) if callable(x) else x for k, x in (row.fixed | choice).items()}
        typed = ("constraints", "point", "directions")
        own = {k: in_precision(x, kind) for k, x in options.items() if k in typed}
        results = row.call(in_precision(chain, kind), given, **(options | own))
        for result, number in zip(results, row.call(chain, values, **options), strict=True):
            dtype = np.asarray(result).dtype
            assert dtype == kind or dtype.kind in "bi", choice
            assert_equal(result, number, limit)


@pytest.mark.parametrize("kind", [np.float32, np.longdouble], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("row", rows("precision"))
def test_every_precision_is_computed_in_its_own(row, kind):
    in_own_precision(row, kind)


# Other numbers ----------------------------------------------------------------------------------


def exact(kind: Any, chain: Any, number: Any) -> Any:
    """An argument whose entries are made by `number()`, or exact where they must fit each other."""

    def entries(*shape: int) -> np.ndarray:
        array = np.empty(shape, object)
        for index in np.ndindex(shape):
            array[index] = number()
        return array

    three, four = Fraction(3, 5), Fraction(4, 5)
    if isinstance(number, Symbols):
        three, four = number.rational(3, 5), number.rational(4, 5)
    if kind == "rotation":
        return np.array([[three, -four, 0], [four, three, 0], [0, 0, 1]], object)
    if kind == "unit quaternion":
        return np.array([four, 0, three, 0], object)
    if kind == "direction":
        return np.array([three, 0, four], object)
    if kind == "X":
        return chaindyn.X_motion(exact("rotation", chain, number), entries(3))
    if kind == "subspace":
        return np.array([[0, 0], [1, 0], [0, 0], [number(), 0], [0, 1], [0, number()]], object)
    if kind == ():  # a share or a pitch
        return np.array(-number(), object)
    if kind in ("inertia", "inertia 3"):
        a, b, c = (number() for _ in range(3))
        tensor = np.array([[5, 0, 0], [0, 6, 1], [0, 1, 7]], object)
        if kind == "inertia 3":
            return tensor * 1
        return chaindyn.spatial_inertia(np.array(3, object), np.array([a, b, c], object), tensor)
    return entries(*shape_of(kind, chain))


class Symbols:
    """A source of SymPy's symbols, each with a value."""

    def __init__(self, sympy: Any) -> None:
        self.sympy, self.rng = sympy, np.random.default_rng(3)
        self.values: dict[Any, float] = {}

    def __call__(self) -> Any:
        symbol = self.sympy.Symbol(f"x{len(self.values)}", real=True)
        self.values[symbol] = -float(self.rng.uniform(0.3, 0.9))  # so that a blow is one
        return symbol

    def rational(self, p: int, q: int) -> Any:
        return self.sympy.Rational(p, q)

    def numbers(self, array: Any) -> np.ndarray:
        """Put the values into some expressions."""
        array = np.asarray(array, object)
        function = self.sympy.lambdify(list(self.values), array.ravel().tolist())
        return np.array(function(*self.values.values()), float).reshape(array.shape)


@pytest.mark.parametrize("row", rows("symbols"))
def test_symbols_stay_exact(row):
    """No float enters, and the expressions have the values that floats give."""
    sympy = pytest.importorskip("sympy")
    chain, source = swings(), Symbols(sympy)
    arguments = {name: exact(kind, chain, source) for name, kind in row.arguments.items()}
    numbers = {name: source.numbers(x) for name, x in arguments.items()}
    for expression, number in zip(
        row.call(chain, arguments), row.call(chain, numbers), strict=True
    ):
        entries = np.asarray(expression, object).ravel()
        assert not any(sympy.sympify(x).atoms(sympy.Float) for x in entries)
        assert_equal(source.numbers(expression), number, allowed(chain))


@pytest.mark.parametrize("row", rows("fractions"))
def test_fractions_stay_fractions(row):
    """Where nothing turns."""
    chain, rng = slides(), np.random.default_rng(4)

    def fraction() -> Fraction:
        return -Fraction(int(rng.integers(1, 10)), int(rng.integers(10, 20)))

    arguments = {name: exact(kind, chain, fraction) for name, kind in row.arguments.items()}
    numbers = {name: as_float(x) for name, x in arguments.items()}
    for fractions, number in zip(row.call(chain, arguments), row.call(chain, numbers), strict=True):
        entries = np.asarray(fractions, object).ravel()
        assert all(isinstance(x, int | Fraction | np.integer) for x in entries)
        assert_equal(number, fractions, allowed(chain))  # the exact one may be zero


STEPS = 1e-15, 1e-18  # far below a rounding of the values, far above one of sixty digits


def tangents_of(row: Row, chain: Any, values: dict[str, Any]) -> dict[str, Any]:
    """A direction of change for each argument."""
    rng = np.random.default_rng(1)
    return {name: tangent(kind, values[name], chain, rng) for name, kind in row.arguments.items()}


def precise_slopes(row: Row, chain: Any, values: dict[str, Any], along: dict[str, Any]) -> Any:
    """The results with sixty digits, and their slopes by a step of 1e-15 and of 1e-18."""
    mp = pytest.importorskip("mpmath")
    with mp.workdps(60):
        precise = {
            name: np.array([mp.mpf(float(e)) for e in np.ravel(x)], object).reshape(np.shape(x))
            for name, x in values.items()
        }
        here = row.call(chain, precise)
        slopes = []
        for step in STEPS:
            there = row.call(
                chain, {name: x + mp.mpf(step) * along[name] for name, x in precise.items()}
            )
            slopes.append(
                [np.asarray((b - a) / mp.mpf(step)) for a, b in zip(here, there, strict=True)]
            )
    return here, *slopes


def as_float(array: Any) -> np.ndarray:
    return np.asarray(array, object).astype(float)


@pytest.mark.parametrize("row", rows("digits"))
def test_forty_digits_pass_through(row):
    """Every result with mpmath's digits is the floats', and so smooth that a step of 1e-18 shows.

    A cast to double anywhere on the way would leave steps of 1e-16 in it.
    """
    chain = row.chain()
    values = values_of(row, chain)
    along = tangents_of(row, chain, values)
    here, coarse, fine = precise_slopes(row, chain, values, along)
    for number, precise, one, other in zip(
        row.call(chain, values), here, coarse, fine, strict=True
    ):
        assert_equal(as_float(precise), number, allowed(chain))
        assert_equal(as_float(one), as_float(other), 1e3 * STEPS[0] * allowed(chain) / EPS)


@pytest.mark.parametrize("row", rows("jax"))
def test_jax_compiles_maps_and_differentiates(row, jax, jit):
    """One compiled call on two states gives what the loop gives, and the slopes that sixty digits have."""
    chain = small() if row.of_a_chain else every_joint()
    values = values_of(row, chain, every=(2,))
    along = tangents_of(row, chain, values)

    def both(values: Any, along: Any) -> Any:
        return jax.jvp(lambda values: row.call(chain, values), (values,), (along,))

    results, slopes = jit(jax.vmap(both))(values, along)
    for k in range(2):
        one = {name: x[k] for name, x in values.items()}
        _, _, fine = precise_slopes(row, chain, one, {name: x[k] for name, x in along.items()})
        for result, slope, number, exact_slope in zip(
            results, slopes, row.call(chain, one), fine, strict=True
        ):
            assert_equal(result[k], number, allowed(chain))
            assert_equal(slope[k], as_float(exact_slope), allowed(chain) * 100)


@pytest.mark.parametrize("row", rows("casadi"))
def test_casadi_expressions_compute_the_same(row):
    casadi = pytest.importorskip("casadi", reason="CasADi is not installed")
    chain = row.chain()
    values = values_of(row, chain)
    symbols, arguments = [], {}
    for name, x in values.items():
        symbol = casadi.SX.sym(name, np.size(x))
        symbols.append(symbol)
        entries = np.empty(np.size(x), object)
        entries[:] = [symbol[i] for i in range(np.size(x))]
        arguments[name] = entries.reshape(np.shape(x))
    results = row.call(chain, arguments)
    columns = [casadi.vertcat(*np.asarray(x, object).ravel()) for x in results]
    function = casadi.Function("f", symbols, columns)
    computed = function.call([np.ravel(x) for x in values.values()])
    for column, number in zip(computed, row.call(chain, values), strict=True):
        assert_equal(np.array(column).ravel(), np.ravel(number), allowed(chain))


# Large numbers ----------------------------------------------------------------------------------


def enlarged(kind: Any, x: np.ndarray, chain: Any, size: float) -> np.ndarray:
    """An argument so many times as large, where it may be; quaternions stay what they are."""
    if kind in ("direction", "unit quaternion", "rotation", "X"):
        return x
    factor = np.full(x.shape[-1:], size)
    if kind == "q":
        factor[chain.quaternions.ravel()] = 1
    return x * factor


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("size", [1e20, 1e80, 1e155, 1e300], ids=lambda size: f"{size:.0e}")
@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in ROWS])
def test_numbers_that_are_too_large_are_refused_and_never_give_nan(row, size):
    chain = row.chain()
    values = values_of(row, chain)
    for name, kind in row.arguments.items():
        for options in row.choices():
            try:
                results = row.call(
                    chain, values | {name: enlarged(kind, values[name], chain, size)}, **options
                )
            except ValueError:
                continue
            for x in results:
                assert not np.isnan(x).any(), (name, options)
                assert np.isfinite(x).all() or row.name == "impact", (name, options)


# Bad input --------------------------------------------------------------------------------------


def refused(row: Row, chain: Any, values: dict[str, Any], *says: str, **options: Any) -> None:
    with pytest.raises(ValueError) as error:
        row.call(chain, values, **options)
    assert all(word in str(error.value) for word in says), str(error.value)


@pytest.mark.parametrize("row", rows("refuses"))
def test_bad_arguments_are_refused_by_name(row):
    chain = row.chain()
    good = values_of(row, chain)
    row.call(chain, good)
    for name, x in good.items():
        for bad in (np.nan, np.inf):
            spoilt = np.array(x, float)
            spoilt[(-1,) * spoilt.ndim] = bad
            refused(row, chain, good | {name: spoilt}, name, str(bad))
        for bad in (complex(np.nan, 0), complex(0, np.inf)):  # also where complex steps are taken
            spoilt = np.array(x, complex)
            spoilt[(-1,) * spoilt.ndim] = bad
            refused(row, chain, good | {name: spoilt}, name)
        refused(row, chain, good | {name: "abc"}, name)
        refused(row, chain, good | {name: [[1.0], [1.0, 2.0]]}, name)
        if np.ndim(x):  # a motion subspace may have any number of columns, but has six rows
            rows_wrong = row.arguments[name] == "subspace"
            shape = (7, 2) if rows_wrong else (*np.shape(x)[:-1], np.shape(x)[-1] + 1)
            refused(row, chain, good | {name: np.zeros(shape)}, name, "shape")


@pytest.mark.parametrize("row", rows("refuses"))
def test_batches_that_do_not_fit_are_refused(row):
    chain = row.chain()
    first, *others = row.arguments
    for other in others:
        values = values_of(row, chain, **{first: (2,), other: (3,)})
        refused(row, chain, values, first, other, "broadcast")


@pytest.mark.parametrize("row", rows("refuses"))
def test_unknown_options_and_chains_are_refused(row):
    chain = row.chain()
    good = values_of(row, chain)
    words = [name for name, values in row.options.items() if not callable(values[-1])]
    for name in words:
        for bad in ("sideways", None, ["body"]):
            refused(row, chain, good, name, repr(bad), **{name: bad})
    if row.of_a_chain:
        with pytest.raises(ValueError, match="chain must be a Chain"):
            row.function(None, **good, **{name: None for name in row.fixed})


TESTS = {
    "batch": test_a_batch_is_a_loop,
    "symbols": test_symbols_stay_exact,
    "fractions": test_fractions_stay_fractions,
    "digits": test_forty_digits_pass_through,
    "precision": lambda row: in_own_precision(row, np.float32),
}


# The laws themselves ----------------------------------------------------------------------------

BROKEN = {
    "loses the batch": (test_a_batch_is_a_loop, lambda f: lambda v: f(v[(0,) * (v.ndim - 1)])),
    "takes the first state": (
        test_a_batch_is_a_loop,
        lambda f: lambda v: f(v[:1] + 0 * v if v.ndim > 1 else v),
    ),
    "breaks empty": (
        test_an_empty_batch_has_results_of_its_shape,
        lambda f: lambda v: f(v + 0 * v.max(axis=0)),
    ),
    "brings a float in": (test_symbols_stay_exact, lambda f: lambda v: f(1.0 * v)),
    "divides as floats do": (test_fractions_stay_fractions, lambda f: lambda v: f(v * (2 / 2))),
    "casts": (
        test_forty_digits_pass_through,
        lambda f: lambda v: f(np.asarray(v).astype(float).astype(v.dtype)),
    ),
    "is wrong for objects": (
        test_casadi_expressions_compute_the_same,
        lambda f: lambda v: f(v if v.dtype == float else 2 * v),
    ),
    "checks nothing": (test_bad_arguments_are_refused_by_name, lambda f: f.__wrapped__),
}


@pytest.mark.parametrize("law, broken", BROKEN.values(), ids=BROKEN)
def test_a_law_finds_a_function_that_breaks_it(law, broken, monkeypatch):
    (row,) = [row for row in ROWS if row.name == "crm"]
    law(row)
    monkeypatch.setattr(chaindyn, "crm", broken(chaindyn.crm))
    with pytest.raises((AssertionError, pytest.fail.Exception, TypeError, ValueError, IndexError)):
        law(row)


def test_the_law_of_jax_finds_a_slope_that_is_lost(jax, jit, monkeypatch):
    (row,) = [row for row in ROWS if row.name == "crm"]
    whole = chaindyn.crm
    stopped = lambda v: whole(jax.lax.stop_gradient(v) if isinstance(v, jax.Array) else v)  # noqa: E731
    monkeypatch.setattr(chaindyn, "crm", stopped)
    with pytest.raises(AssertionError):
        test_jax_compiles_maps_and_differentiates(row, jax, jit)
