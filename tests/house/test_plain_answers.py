"""Answers reach a judge as plain data through a pipe: what lies when it is compared is made plain, or never asked."""

from __future__ import annotations

import os
import threading
from collections import namedtuple
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from book.answers import NotPlain, Peer
from chaindyn import aba
from chaindyn.chain import Chain, Link
from chaindyn.contract import Joint
from chaindyn.joints import Revolute
from chaindyn.models.robots import ur5

Pair = namedtuple("Pair", "first second")


@dataclass(eq=False)
class Known:
    """A class of the chapter's cells."""

    x: object
    other: object = None


@dataclass(eq=False)
class Kind:
    """A kind of number of the chapter's cells."""

    tape: object

    def __sub__(self, other):
        return self.tape.write(other)


@pytest.fixture
def ends():
    """The two ends of a pipe, the submission's at work: what is lent as 0 gives what it is told to."""
    there, here = os.pipe(), os.pipe()
    theirs = Peer(os.fdopen(here[0], "rb"), os.fdopen(there[1], "wb"), guarded=False)
    judge = Peer(os.fdopen(there[0], "rb"), os.fdopen(here[1], "wb"), guarded=True)
    theirs.classes = judge.classes = {"Known": Known, "Kind": Kind}

    def work():
        with pytest.MonkeyPatch.context():
            try:
                theirs.serve()
            except BaseException:  # the test has ended
                return

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    yield theirs, judge
    judge.writes.close()
    worker.join(5)


@pytest.fixture
def passed(ends):
    """What arrives at the judge of something that an answer gives."""
    theirs, judge = ends

    def passed(thing):
        theirs.lent[0] = lambda: thing
        return judge.ask("call", 0, (), {})

    return passed


# What agrees with everything, in each of the ways in which Python and NumPy ask for it.
def yes(*given, **more):
    return True


def zero(*given, **more):
    return 0.0


OPERATORS = {f"__{name}__": yes for name in ("eq", "lt", "le", "gt", "ge", "bool", "contains")}
OPERATORS |= {f"__{name}__": zero for name in ("sub", "rsub", "abs", "float", "array_function")}
OPERATORS |= {"__ne__": lambda *given: False, "__array_ufunc__": zero, "__hash__": lambda one: 1}


def lying(base, *given, **more):
    return type("L", (base,), OPERATORS)(*given, **more)


VALUES = {
    "float": (lying(float, 3.5), 3.5),
    "int": (lying(int, 7), 7),
    "string": (lying(str, "no"), "no"),
    "NumPy's float": (lying(np.float64, 3.5), np.float64(3.5)),
    "a whole number of NumPy's": (lying(np.int64, 3), np.int64(3)),
    "fraction": (lying(Fraction, 1, 2), Fraction(1, 2)),
    "list": (lying(list, [1, 2]), [1, 2]),
    "tuple": (lying(tuple, [1, 2]), (1, 2)),
    "set": (lying(set, [1, 2]), {1, 2}),
    "dict": (type("L", (dict,), OPERATORS | {"values": zero, "items": zero})(a=1), {"a": 1}),
    "dict of floats": ({"a": lying(float, 3)}, {"a": 3.0}),
    "tuple of dicts": ((1, {"a": lying(int, 3)}), (1, {"a": 3})),
}


@pytest.mark.parametrize("case", VALUES)
def test_a_value_that_lies_becomes_the_value_that_it_holds(case, passed):
    lie, truth = VALUES[case]
    found = passed(lie)
    assert type(found) is type(truth)
    assert found == truth and not found != truth
    assert found != type(truth)()
    if isinstance(truth, dict):
        assert all(type(part) in (int, float) for part in found.values())


def test_an_array_that_lies_becomes_the_array_that_it_holds(passed):
    found = passed(np.ones(3).view(type("L", (np.ndarray,), OPERATORS)))
    assert type(found) is np.ndarray and np.array_equal(found, np.ones(3))
    found = passed(np.array([lying(float, 2), None], object))
    assert type(found[0]) is float and found[0] == 2 and found[1] is None


OBJECTS = {
    "an object": lying(object),
    "one that turns into an array": type("L", (), {"__array__": lambda one, *given: np.zeros(3)})(),
    "one that says that it is a float": type("L", (), {"__class__": property(lambda one: float)})(),
    "one that answers for every name": type("L", (), {"__getattr__": lambda one, name: zero})(),
    "a part of a namespace": SimpleNamespace(x=lying(object)).x,
    "a part of a known object": Known([lying(object)]),
    "an array of objects": np.array([lying(object), 0]),
}


@pytest.mark.parametrize("case", OBJECTS)
def test_an_object_that_lies_agrees_with_nothing(case, passed):
    found = passed(OBJECTS[case])
    found = found.x[0] if isinstance(found, Known) else found
    one = found[0] if isinstance(found, np.ndarray) else found
    assert one != 1 and not isinstance(one, float)
    for asked in (lambda: one < 1, lambda: one - 1, lambda: abs(one), lambda: float(one)):
        with pytest.raises((TypeError, AttributeError)):
            asked()
    with pytest.raises(TypeError):
        assert np.abs(np.asarray(found) - 1).max() < 1


def test_a_kind_of_number_asks_no_one(passed):
    """Its operators are the book's, but what they ask for might be the submission's."""
    tape = type("Tape", (), {"write": zero})()
    with pytest.raises(NotPlain, match="a kind of number"):
        passed(Kind(tape))
    with pytest.raises(NotPlain, match="a kind of number"):
        passed(type("Own", (Kind,), {})(tape))
    assert passed(Kind(2)).tape == 2


def test_what_cannot_be_told_is_refused(passed):
    for thing in (np.zeros(2, dtype=[("a", object)]), np.zeros(2, dtype=[("a", float)])):
        with pytest.raises(ValueError, match="not plain"):
            passed(thing)


FORGED = {
    "a class of Python's": {"objects": [["os:_Environ", {}]], "whole": {"object": 0}},
    "a class that a module has from elsewhere": {
        "objects": [],
        "whole": {"known": "chaindyn.teaching:CodeType"},
    },
    "no dataclass": {
        "objects": [["chaindyn.compiler.recording:CannotRecord", {}]],
        "whole": {"object": 0},
    },
    "a field too few": {"objects": [["chaindyn.chain:Link", {}]], "whole": {"object": 0}},
    "pickled objects": {
        "objects": [],
        "whole": {"array": "", "dtype": "O", "shape": [0], "scalar": False},
    },
    "what is not lent": {"objects": [], "whole": {"yours": 1}},
    "an unknown tag": {"objects": [], "whole": {"init__": 1}},
    "a function of SymPy's": {
        "objects": [],
        "whole": {"symbolic": ["sympify", ["Symbol", "x", {}]]},
    },
    "nothing": {},
    "a number": 3,
}


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_message_is_refused(case, ends):
    with pytest.raises(NotPlain):
        ends[1].decode(FORGED[case])


def test_only_functions_that_a_judge_lends_are_called(ends):
    theirs, judge = ends
    theirs.lent[0] = lambda function: function(2.0)
    assert judge.ask("call", 0, (lambda x: x / 2,), {}) == 1.0
    (lent,) = judge.lent
    theirs.lent[0] = lambda: theirs.ask("get", lent, "__globals__")
    with pytest.raises(ValueError, match="does not get"):
        judge.ask("call", 0, (), {})
    with pytest.raises(NotPlain, match="cannot hand on"):
        judge.ask("call", 0, (SimpleNamespace(),), {})


def test_functions_give_plain_results_however_deep(passed):
    assert type(passed(lambda: lambda: lying(float, 2))()()) is float
    assert [type(x) for x in passed(lying(float, x) for x in (1, 2))] == [float] * 2


class Rod:
    """An object of a reader's own class."""

    rows = lying(int, 1)

    def __init__(self, length):
        self.length, self.seen = lying(float, length), []

    def error(self, q):
        self.seen.append(q)
        return lying(float, q - float.__float__(self.length))

    @property
    def twice(self):
        return lying(float, 2 * float.__float__(self.length))

    def __len__(self):
        return len(self.seen)

    def __eq__(self, other):
        return True


def test_an_object_of_an_own_class_keeps_its_methods_but_no_operators(passed):
    kind = passed(Rod)
    rod = kind(2)
    found = rod.length, rod.error(5), rod.twice, rod.rows, len(rod)
    assert [type(x) for x in found[:4]] == [float, float, float, int]
    assert found == (2, 3, 4, 1, 1)
    assert rod != kind(2) and rod == rod


@dataclass(frozen=True, eq=False)
class Screwed(Joint):
    """A joint of a reader's own."""

    axis: object
    pitch: object

    def pose(self, q):
        R, p = Revolute((0, 0, 1)).pose(q)
        return R, p + np.asarray(self.pitch)[..., None] * q * np.asarray(self.axis)

    def motion_subspace(self, q):
        axis = np.asarray(self.axis)
        return np.concatenate([axis, np.asarray(self.pitch)[..., None] * axis], axis=-1)[..., None]


def test_a_joint_of_an_own_class_serves_in_a_chain(passed):
    axis = np.array([0, 0, 1.0])
    pair = [
        Chain([Link(kind(axis, 0.1), 1, (1, 0, 0), np.eye(3))] * 2)
        for kind in (Screwed, passed(Screwed))
    ]
    state = np.random.default_rng(1).normal(size=(3, 2))
    assert np.array_equal(aba(pair[0], *state), aba(pair[1], *state))


def test_what_is_plain_or_of_the_book_arrives_as_it_is(passed):
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
        np.longdouble(1) / 3,
    ):
        found = passed(one)
        assert found == one and type(found) is type(one)
    several = [Fraction(1, 3), Decimal("0.1"), ..., 10**40, -0.0]
    assert passed(several) == several
    assert np.isnan(passed(np.nan)) and passed(np.inf) == np.inf
    found = passed(Pair(1, [2.0, {3}]))
    assert found == (1, [2.0, {3}]) and found.second == [2.0, {3}]
    assert passed(slice(1, 2)) == slice(1, 2) and passed(range(3)) == range(3)
    array = np.arange(6.0).reshape(2, 3).T
    assert np.array_equal(passed(array), array)


def test_the_library_s_objects_arrive_whole(passed):
    arm = replace(ur5(), gravity=np.zeros(3))
    found, state = passed(arm), np.random.default_rng(1).normal(size=(3, 6))
    assert type(found) is Chain and np.array_equal(aba(found, *state), aba(arm, *state))
    both = passed([one := Known(1), Known(one)])
    assert both[1].x is both[0]
    ring = Known(1)
    ring.other = ring
    assert passed(ring).other.other.x == 1
    with pytest.raises(ValueError, match="mass"):
        passed(_broken(arm))


def _broken(chain):
    """A chain that no constructor would make."""
    link = object.__new__(Link)
    for name, value in {**vars(chain.links[0]), "mass": -1}.items():
        object.__setattr__(link, name, value)
    broken = object.__new__(Chain)
    for name, value in (("links", (link,)), ("gravity", chain.gravity), ("frames", ())):
        object.__setattr__(broken, name, value)
    return broken


def test_formulas_arrive_as_they_are(passed):
    sympy = pytest.importorskip("sympy")
    x, y = sympy.symbols("x"), sympy.symbols("y", positive=True)
    formulas = [
        sympy.Rational(1, 3),
        sympy.sin(x) / 2,
        sympy.sqrt(y**2),
        sympy.pi * sympy.I,
        sympy.Float("0.1", 30),
    ]
    formulas += [sympy.Piecewise((x, x > 0), (0, True)), sympy.oo, sympy.E, sympy.Integer(0)]
    for one in formulas:
        assert passed(one) == one
    assert passed(sympy.Matrix([[x, 1]])) == sympy.Matrix([[x, 1]])
    assert (passed(np.array([x, y / 2], object)) == [x, y / 2]).all()


def test_an_exception_keeps_its_kind_and_its_words(ends):
    theirs, judge = ends

    class Own(np.linalg.LinAlgError):
        pass

    for error, kind in (
        (Own("singular"), ValueError),
        (KeyError("a"), KeyError),
        (SystemExit(0), RuntimeError),
    ):

        def failing(error=error):
            raise error

        theirs.lent[0] = failing
        with pytest.raises(kind) as found:
            judge.ask("call", 0, (), {})
        assert found.value.described.startswith(type(error).__name__)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no copies of a process")
def test_copies_of_a_judge_s_process_ask_in_turn(passed):
    """A sweep on all cores asks an answer's states from several."""
    double, copies = passed(lambda x: 2 * x), []
    for k in range(4):
        if (copy := os.fork()) == 0:
            right = False
            try:
                right = all(double(1000 * k + i) == 2000 * k + 2 * i for i in range(300))
            finally:
                os._exit(0 if right else 1)
        copies.append(copy)
    assert [os.waitpid(copy, 0)[1] for copy in copies] == [0] * 4
