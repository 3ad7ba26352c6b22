"""Answers reach a judge as plain data: objects that lie when they are compared are made plain, or refused."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from book.answers import NotPlain, Plain, words
from book.judging import module_for
from chaindyn.robots import ur5

Pair = namedtuple("Pair", "first second")


@dataclass
class Known:
    """A class that is there before the submission."""

    x: object


# What agrees with everything, in each of the ways in which Python and NumPy ask for it.
YES = """
def yes(*given, **more):
    return True
def zero(*given, **more):
    return 0.0
OPERATORS = {f"__{name}__": yes for name in ("eq", "lt", "le", "gt", "ge", "bool", "contains")}
OPERATORS |= {f"__{name}__": zero for name in ("sub", "rsub", "abs", "float", "array_function")}
OPERATORS |= {"__ne__": lambda *given: False, "__array_ufunc__": zero, "__hash__": lambda one: 1}
"""
SCALARS = {
    "float": ("type('L', (float,), OPERATORS)(3.5)", 3.5),
    "int": ("type('L', (int,), OPERATORS)(7)", 7),
    "string": ("type('L', (str,), OPERATORS)('no')", "no"),
    "NumPy's float": ("type('L', (np.float64,), OPERATORS)(3.5)", 3.5),
}
CONTAINERS = {
    "list": ("type('L', (list,), OPERATORS)([1, 2])", [1, 2]),
    "tuple": ("type('L', (tuple,), OPERATORS)([1, 2])", (1, 2)),
    "set": ("type('L', (set,), OPERATORS)([1, 2])", {1, 2}),
    "dict": ("type('L', (dict,), OPERATORS | {'values': zero, 'items': zero})(a=1)", {"a": 1}),
    "dict of floats": ("{'a': type('L', (float,), OPERATORS)(3)}", {"a": 3.0}),
    "tuple of dicts": ("(1, {'a': type('L', (int,), OPERATORS)(3)})", (1, {"a": 3})),
}
REFUSED = {
    "an object": "type('L', (), OPERATORS)()",
    "the method that compares": "type('L', (), {'__eq__': yes, '__lt__': yes})()",
    "one that turns into an array": "type('L', (), {'__array__': lambda one, *given: np.zeros(3)})()",
    "one that says that it is a float": "type('L', (), {'__class__': property(lambda one: float)})()",
    "one that answers for every name": "type('L', (), {'__getattr__': lambda one, name: zero})()",
    "a class of its own class": "type('M', (type,), {'__eq__': yes, '__hash__': zero})('L', (), {})()",
    "a whole number of NumPy's": "type('L', (np.int64,), OPERATORS)(3)",
    "an array of objects": "np.array([type('L', (), OPERATORS)(), 0])",
    "a record": "np.zeros(2, dtype=[('a', object)])",
    "a fraction": "type('L', (Fraction,), {'__sub__': zero})(1, 2)",
    "a part of a known object": "Known([type('L', (), OPERATORS)()])",
    "an array in a known object": "Known(np.array([type('L', (), OPERATORS)(), 0]))",
    "a part of a namespace": "SimpleNamespace(x=type('L', (), OPERATORS)())",
    "a function in a known object": "Known(lambda: type('L', (), OPERATORS)())",
    "a method in a known object": "Known(type('L', (), {'f': yes})().f)",
    "a known object in a tuple": "(1, Known(type('L', (float,), OPERATORS)(3)))",
}


def made(text):
    """A function that makes what a submission answers plain, and the answer."""
    plain = Plain()
    space = module_for("submitted")
    space |= {"np": np, "Known": Known, "Fraction": Fraction, "SimpleNamespace": SimpleNamespace}
    exec(f"{YES}\ndef answer(*given):\n    return {text}", space)
    return plain(space["answer"])


@pytest.mark.parametrize(("text", "truth"), [*SCALARS.values(), *CONTAINERS.values()])
def test_a_value_that_lies_becomes_the_value_that_it_holds(text, truth):
    found = made(text)()
    assert type(found) is type(truth)
    assert found == truth and not found != truth
    assert found != type(truth)()
    if isinstance(truth, dict):
        assert all(type(part) in (int, float) for part in found.values())


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_an_object_that_lies_is_refused(text):
    with pytest.raises(NotPlain):
        made(text)()


def test_an_array_that_lies_becomes_the_array_that_it_holds():
    found = made("np.ones(3).view(type('L', (np.ndarray,), OPERATORS))")()
    assert type(found) is np.ndarray and np.array_equal(found, np.ones(3))
    found = made("np.array([type('L', (float,), OPERATORS)(2), None], object)")()
    assert type(found[0]) is float and found[0] == 2 and found[1] is None


def test_functions_give_plain_results_however_deep():
    assert type(made("lambda: type('L', (float,), OPERATORS)(2)")()()) is float
    assert [type(x) for x in made("(type('L', (float,), OPERATORS)(x) for x in (1, 2))")()] == [
        float
    ] * 2
    kind = made("type('L', (float,), OPERATORS)")()
    assert type(kind(3)) is float


OWN = """
class Rod:
    rows = type('L', (int,), OPERATORS)(1)
    def __init__(self, length):
        self.length, self.seen = type('L', (float,), OPERATORS)(length), []
        BODY
    def error(self, q):
        self.seen.append(q)
        return type('L', (float,), OPERATORS)(q - self.length)
    @property
    def twice(self):
        return type('L', (float,), OPERATORS)(2 * self.length)
    def __len__(self):
        return len(self.seen)
    def __eq__(self, other):
        return True
"""


def rods(body="pass"):
    plain = Plain()
    space = module_for("submitted") | {"np": np}
    exec(YES + OWN.replace("BODY", body), space)
    return plain(space["Rod"])


def test_an_object_of_an_own_class_keeps_its_methods_but_no_operators():
    rod = rods()(2)
    assert [type(x) for x in (rod.length, rod.error(5), rod.twice, rod.rows)] == [
        float,
        float,
        float,
        int,
    ]
    assert (rod.length, rod.error(5), rod.twice, rod.rows, len(rod)) == (2, 3, 4, 1, 2)
    assert rod != rods()(2) and rod == rod
    with pytest.raises(AttributeError):
        type(rod)(2).error = print
    with pytest.raises(AttributeError, match="replace its methods"):
        type(rods("self.error = yes")(2))(2)


INSTEAD = """
class A:
    pass
def answer():
    a = A()
    a.f = lambda: type('L', (float,), OPERATORS)(2)
    return a
"""


def test_a_function_that_an_object_holds_gives_plain_results_too():
    plain = Plain()
    space = module_for("submitted")
    exec(YES + INSTEAD, space)
    assert type(plain(space["answer"])().f()) is float


def test_an_own_kind_of_number_is_compared_as_its_book_s():
    half = made("type('L', (Fraction,), {'__eq__': yes, '__hash__': zero})(1, 2)")()
    assert half == Fraction(1, 2) and half != Fraction(1, 3)


def test_what_is_plain_or_of_the_book_stays_as_it_is():
    plain, arm = Plain(), ur5()
    for one in (
        True,
        1,
        2.5,
        1j,
        "a",
        None,
        b"a",
        np.float64(1),
        np.int64(2),
        np.bool_(True),
        Fraction(1, 2),
        arm,
        Known([1]),
    ):
        assert plain(one) is one
    assert plain(lambda: arm)() is arm
    found = plain(Pair(1, [2.0, {3}]))
    assert type(found) is Pair and found == Pair(1, [2.0, {3}])
    assert plain(slice(1, 2)) == slice(1, 2) and plain(range(3)) == range(3)
    geared = replace(arm, gravity=np.zeros(3))
    assert plain(geared) is geared
    sympy = pytest.importorskip("sympy")
    plain = Plain()
    assert plain(sympy.Rational(1, 3)) == sympy.Rational(1, 3)
    x = sympy.symbols("x")
    assert plain(sympy.sin(x) / 2) == sympy.sin(x) / 2


def test_named_tuples_of_a_submission_keep_their_names():
    plain = Plain()
    other = namedtuple("Other", "a b")
    assert plain(other(1, 2)).b == 2


def test_a_judge_s_arrays_are_not_for_an_answer_to_change():
    def spoil(x, more):
        x[:] = more[0][:] = 0
        return x

    x, y = np.ones(2), np.ones(2)
    assert not Plain()(spoil)(x, [y]).any()
    assert x.all() and y.all()


def test_an_exception_without_words_says_something():
    class Mute(str):
        def __radd__(self, other):
            return other

    class Silent(Exception):
        def __str__(self):
            return Mute("no")

    assert words(ValueError("off by 2")) == "off by 2" and words(ValueError()) == "ValueError"
    assert words(type("", (Exception,), {})()) == "refused"
    assert type(words(Silent())) is str and "token" + words(Silent()) == "tokenno"
