"""Chapter 26: its compiler without a C compiler, its judges and wrong answers, its marks, slopes and patterns."""

import contextlib
import io
import json
import random
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

jupytext = pytest.importorskip("jupytext")

PAGE = Path(__file__).resolve().parents[1] / "chapters" / "26_from_readable_to_fast.md"
ABSENT = ("casadi", "jax")  # the page says the same without them, and sooner


def silenced(cell):
    return "nbval-ignore-output" in cell.metadata.get("tags", [])


@pytest.fixture(scope="module")
def page():
    """The names of the page, and what its cells printed, on a machine without a C compiler, CasADi and JAX."""
    import matplotlib

    matplotlib.use("Agg")
    module, printed = types.ModuleType("chapter_20"), []
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is no compiler
        patch.setitem(sys.modules, module.__name__, module)
        patch.setattr("shutil.which", lambda *_: None)
        patch.delenv("CC", raising=False)
        for name in ABSENT:
            patch.setitem(sys.modules, name, None)  # an import fails
        for cell in jupytext.read(PAGE).cells:
            if cell.cell_type == "code":
                with contextlib.redirect_stdout(io.StringIO()) as said:
                    exec(compile(cell.source, str(PAGE), "exec"), module.__dict__)
                if not silenced(cell):
                    printed.append((cell.source, said.getvalue()))
    return module.__dict__, printed


def test_the_page_prints_the_same_without_a_compiler(page):
    twin = PAGE.with_suffix(".ipynb")
    if not twin.exists():
        pytest.skip("the page was not executed yet")
    executed = {
        "".join(cell["source"]): "".join(
            "".join(out["text"]) for out in cell["outputs"] if out.get("name") == "stdout"
        )
        for cell in json.loads(twin.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    }
    assert [source for source, said in page[1] if executed.get(source) != said] == []


def test_exercises_are_open_and_their_solutions_pass(page):
    lines = [
        line for _, said in page[1] for line in said.splitlines() if line.startswith("Exercise")
    ]
    for number in (1, 2, 3, 4, 6):
        assert f"Exercise 26.{number}: not attempted yet" in lines
        assert f"Exercise 26.{number}: solved" in lines
    assert [line for line in lines if "not yet right" in line] == []


LEVELS = {"a": "folds", "b": "marks", "c": "shares", "d": "marks", "e": "nobody"}
MODULO = {"inverse": 4, "c": 7, "s": 11, "first": 0, "second": 0, "agree": 3}
ADJOINTS = {"y2": 6, "y1": 14, "x1": 48, "x2": 28}


@pytest.mark.parametrize(
    ("judge", "right", "wrong"),
    [
        (
            "judge_levels",
            LEVELS,
            {"b": "shares", "c": "folds", "d": "shares", "e": "marks", "a": "nobody"},
        ),
        (
            "judge_modulo",
            MODULO,
            {"inverse": 10, "c": 6, "s": 2, "first": 13, "second": 3, "agree": 2},
        ),
        ("judge_adjoints", ADJOINTS, {"y2": 8, "y1": 8, "x1": 42, "x2": 18}),
    ],
)
def test_judges_of_words_and_numbers_refuse_each_wrong_one(page, judge, right, wrong):
    page[0][judge](right)
    for name, value in wrong.items():
        with pytest.raises(AssertionError):
            page[0][judge]({**right, name: value})
    with pytest.raises(NotImplementedError):
        page[0][judge](dict.fromkeys(right))


def test_a_mirrored_point_of_the_circle_is_refused(page):
    for c, s in ((7, 2), (6, 11), (7, 13 - 11)):
        with pytest.raises(AssertionError):
            page[0]["judge_modulo"]({**MODULO, "c": c, "s": s})


@pytest.mark.parametrize(
    "answer", [(23, 2, 11, 5), (22, 2, 12, 30), (22, 0, 14, 8), (24, 2, 10, 8), (22, 2, 12, 6)]
)
def test_the_judge_of_zeros_refuses(page, answer):
    names = "by zero", "by one", "products left", "sums left"
    page[0]["judge_pillar"](dict(zip(names, (22, 2, 12, 8), strict=True)))
    with pytest.raises(AssertionError):
        page[0]["judge_pillar"](dict(zip(names, answer, strict=True)))


def test_the_judge_of_second_slopes_refuses(page):
    names = page[0]
    backward, judge = names["backward"], names["judge_second_slopes"]

    def diagonal_only(result, inputs):
        whole = names["second_slopes_solved"](result, inputs)
        return np.where(np.eye(len(inputs), dtype=bool), whole, 0 * whole)

    def upper_only(result, inputs):
        whole = names["second_slopes_solved"](result, inputs)
        return np.where(np.tri(len(inputs), dtype=bool), whole, 0 * whole)

    def products_of_slopes(result, inputs):
        slopes = backward(result, inputs)
        return slopes[:, None] * slopes

    def halved(result, inputs):
        return names["second_slopes_solved"](result, inputs) / 2

    def gradient(result, inputs):
        return backward(result, inputs)

    for wrong in (diagonal_only, upper_only, products_of_slopes, halved, gradient):
        with pytest.raises(AssertionError):
            judge(wrong)


def random_formula(draw, leaves, depth):
    """Return a formula as nested tuples."""
    if depth == 0 or draw.random() < 0.15:
        return draw.choice(leaves)
    op = draw.choice("+-*+-*/")
    return op, random_formula(draw, leaves, depth - 1), random_formula(draw, leaves, depth - 1)


def evaluated(formula, leaf):
    """Return the value of a formula, by what each leaf is."""
    if not isinstance(formula, tuple):
        return leaf(formula)
    op, a, b = formula
    a, b = evaluated(a, leaf), evaluated(b, leaf)
    return a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a / (b * b + 1)


def test_marks_are_equal_just_when_sympy_says_so(page):
    """Random formulas in few variables, of which many are equal; quotients by what is never zero."""
    sp = pytest.importorskip("sympy")
    draw = random.Random(20)
    tape, symbols = page[0]["Tape"](), {name: sp.Symbol(name) for name in "xy"}
    recorded, exact = [], []
    for _ in range(40):
        formula = random_formula(draw, ["x", "y", 1, 2], 2)
        number = evaluated(
            formula, lambda e: tape.unknown(e) if isinstance(e, str) else tape.constant(e)
        )
        recorded.append(number)
        exact.append(
            sp.cancel(
                sp.sympify(
                    evaluated(
                        formula, lambda e: symbols.get(e, sp.Integer(e) if e not in symbols else 0)
                    )
                )
            )
        )
    equal = 0
    for i in range(40):
        for j in range(i):
            same = sp.cancel(exact[i] - exact[j]) == 0 if exact[i] != exact[j] else True
            equal += same
            assert (recorded[i] is recorded[j]) == same, (exact[i], exact[j])
    assert equal > 10


def test_slopes_are_those_of_complex_steps(page):
    """Of random formulas with sines and quotients, forwards and backwards."""
    names, draw = page[0], random.Random(21)
    for _ in range(20):
        formula = random_formula(draw, ["x", "y", "z", 3], 4)
        tape = names["Tape"]()
        inputs = np.array([tape.unknown(name) for name in "xyz"], object)
        place = dict(zip("xyz", inputs, strict=True))
        result = evaluated(
            formula,
            lambda e, place=place, tape=tape: place[e].sin() if e in place else tape.constant(e),
        )
        at = dict(zip("xyz", (0.3, -1.1, 0.7), strict=True))
        expected = []
        for name in "xyz":
            moved = {k: v + 1e-30j * (k == name) for k, v in at.items()}
            value = evaluated(
                formula, lambda e, moved=moved: np.sin(moved[e]) if e in moved else complex(e)
            )
            expected.append(value.imag / 1e-30)
        scale = 1 + np.abs(expected).max()
        back = names["played"](names["backward"](result, inputs), at)
        ahead = [
            names["played"](names["forward"](np.array([result], object), x), at)[0] for x in inputs
        ]
        assert np.abs(back - expected).max() < 1e-12 * scale
        assert np.abs(np.array(ahead) - expected).max() < 1e-12 * scale


def test_a_pattern_is_what_a_long_chain_of_links_has(page):
    """Marks of the whole chain, link by link, have the zeros and the equal entries that the fixed point claims."""
    names = page[0]
    assert names["settled"](turning)[0][[0, 1, 3, 4], [1, 0, 5, 2]].tolist() == [1, -1, 2, 2]
    assert names["settled"](passing)[0][0].tolist() == [1, 2, 3, 4, 5, 0]
    crossed = names["link_of"](names["quarter"], ["a", 0, 0], ["x", "y", "z"], names["anything"])
    wrist = names["link_of"](names["quarter"], [0, 0, 0], [0, 0, 0], names["ball"])
    for step in (*names["STEPS"].values(), crossed, wrist, turning, passing):
        pattern = names["settled"](step)[0]
        tape = names["Tape"]()
        carried = names["lifted"](tape, np.zeros((6, 6)))
        for k in range(6):
            own = OtherNames(tape, k)
            carried = step(own, carried)
        marks = np.array([[x.mark for x in row] for row in carried], object)
        assert ((marks == 0) == (pattern == 0)).all()
        for number in range(1, abs(pattern).max() + 1):
            signed = {
                int(m if k > 0 else -m % names["PRIME"])
                for m, k in zip(marks.flat, pattern.flat, strict=True)
                if abs(k) == number
            }
            assert len(signed) == 1


def turning(tape, received):
    """A step that hands on a matrix equal to its negative transpose."""
    a, b = tape.unknown("a"), tape.unknown("b")
    whole = received + np.zeros((6, 6), object)
    whole[0, 1], whole[1, 0] = whole[0, 1] - a, whole[1, 0] + a
    whole[4, 2], whole[3, 5] = whole[4, 2] + a * b, whole[3, 5] + b * a
    return np.array(
        [x if hasattr(x, "mark") else tape.constant(x) for x in whole.flat], object
    ).reshape(6, 6)


def passing(tape, received):
    """A step that puts a number into the first of five entries, and passes the others on to the next."""
    whole = received + np.zeros((6, 6), object)
    for k in range(4, 0, -1):
        whole[0, k] = received[0, k - 1]
    whole[0, 0] = tape.unknown("a")
    return whole


class OtherNames:
    """A tape on which each link has unknowns of its own."""

    def __init__(self, tape, link):
        self.tape, self.link = tape, link

    def unknown(self, name):
        return self.tape.unknown((name, self.link))

    def constant(self, value):
        return self.tape.constant(value)
