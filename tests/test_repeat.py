"""Loops that are recorded once: against the same loops on numbers, exact numbers, complex steps and a dense solve."""

import gc
import shutil
import subprocess
import warnings

import numpy as np
import pytest
import sympy as sp
from trees import EPS

from chaindyn import Chain, Link, Revolute, compiled, rollout, simulate
from chaindyn._ops import (
    positive,
    put,
    repeat,
    rows_from,
    sin,
    sqrt,
    take,
    until_still,
    where,
    zeros,
)
from chaindyn.compiler import repeated
from chaindyn.compiler.recorded import flags_for, record
from chaindyn.compiler.recording import CannotRecord
from chaindyn.constraints import constrained_forward_dynamics, shortest
from chaindyn.models.robots import four_bar, four_bar_posture
from chaindyn.teaching import normwise

ROD = (1.0, (0.5, 0, 0), np.diag([0.01, 0.1, 0.1]))
CHAIN = Chain([Link(Revolute((0, 1, 0)), *ROD, offset=(k > 0, 0, 0)) for k in range(4)])
TABLE = np.random.default_rng(0).integers(-3, 4, (6, 4))


@pytest.fixture(autouse=True)
def loops_stay_loops(monkeypatch):
    monkeypatch.setattr(repeated, "MOST_WRITTEN_OUT", 0)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*is not compiled")
        yield


def swept(chain, q, qd, count=6):
    """Return numbers of rows that change each other: a loop in a loop, then one that reads what it left, backwards."""
    A = TABLE * q[..., None, :] + qd[..., None, :] * TABLE[::-1]
    batch = A.shape[:-2]

    def step(k, state):
        A, total, parts = state
        own = take(A, k)

        def change(row, part):
            part = (row * own).sum(-1, keepdims=True)
            part = (
                where(positive(part), 1 + 0 * part, -1) / 2
            )  # few digits, in which nothing rounds
            return row - part * own, part

        A, parts = rows_from(k + 1, change, A, parts)
        before, A = take(A, k), put(A, k, own / 2)
        return A, total + before * take(A, k), put(parts, k, own[..., :1])

    def back(k, state):
        (u,), row = state, count - 1 - k
        return (u - take(A, row) * take(parts, row) + take(A, 1),)

    A, total, parts = repeat(count, step, (A, zeros((*batch, 1, 4)), zeros((*batch, 6, 1))))
    (u,) = repeat(count, back, (0 * total,))
    return (u + total + take(A, 1))[..., 0, :]


def smooth(chain, q, qd):
    """Return numbers of a loop with sines, roots of sums, quotients and a choice."""
    A = TABLE * q[..., None, :] + qd[..., None, :] * TABLE[::-1]

    def step(k, state):
        A, u = state
        own = take(A, k)
        size = 1 / (1 + (own * own).sum(-1, keepdims=True))

        def change(row):
            part = (row * own).sum(-1, keepdims=True) * size
            return (row - where(positive(part), part, 2 * part) * own,)

        (A,) = rows_from(k + 1, change, A)
        return A, sin(u) + own * size

    def back(k, state):
        return (sin(state[0]) + take(A, 5 - k),)

    A, u = repeat(6, step, (A, zeros((*A.shape[:-2], 1, 4))))
    (u,) = repeat(6, back, (u,))
    return u[..., 0, :] + A.sum(-2)


def halved(chain, q, qd, most=40):
    """Return whole numbers that are halved while they are above one, row by row in an inner loop, and their sums.

    The inner loop works on arrays of the outer one. Numbers of different sizes settle after different turns.
    """
    rows = 64 * (q[..., None, :] + TABLE) + 0 * qd[..., None, :]

    def turn(k, state):
        rows, total = state
        own = take(rows, k)
        less = where(positive(own - 1), own / 2, own)
        return put(rows, k, less), total + less - own

    def sweep(state):
        return repeat(6, turn, state)

    rows, total = until_still(most, sweep, (rows, 64 * q[..., None, :] + 0 * rows[..., :1, :]))
    return (rows.sum(-2) + total[..., 0, :]) + take(rows, 2)[..., 0, :]


def whole_numbers(count=None):
    """Return q and qd of small whole numbers, with which no operation rounds; a batch of them."""
    return np.random.default_rng(1).integers(-2, 3, (2, *([] if count is None else [count]), 4)) / 4


def test_bit_for_bit_what_python_does():
    """In eighths and few digits nothing rounds, in whatever order a processor adds."""
    fast = compiled(swept, CHAIN)
    q, qd = whole_numbers()
    wanted = swept(CHAIN, q, qd)
    assert np.array_equal(fast(q, qd), wanted)
    many = whole_numbers(11)
    assert np.array_equal(fast(*many), swept(CHAIN, *many))
    assert fast.runs == (12, 0)


def test_symbols_walk_through_the_same_loop():
    q, qd = whole_numbers()
    exact = swept(
        CHAIN, np.array([sp.Rational(x) for x in q]), np.array([sp.Rational(x) for x in qd])
    )
    assert np.array_equal(exact.astype(float), swept(CHAIN, q, qd))


def in_node(text, folder, *given):
    """What a program in JavaScript returns; skipped where there is no Node.js."""
    if not (node := shutil.which("node")):
        pytest.skip("no Node.js here")
    (folder / "own.mjs").write_text(text)
    listed = ",".join(str(x.tolist()) for x in given)
    call = f"import f from './own.mjs';console.log(Array.from(f({listed})).join())"
    (folder / "call.mjs").write_text(call)
    said = subprocess.run([node, folder / "call.mjs"], capture_output=True, text=True, check=True)
    return np.array(said.stdout.split(","), float)


def test_a_program_in_javascript_has_the_loop_too(tmp_path):
    text = compiled(swept, CHAIN, target="javascript")
    q, qd = whole_numbers()
    assert np.array_equal(in_node(text, tmp_path, q, qd), swept(CHAIN, q, qd))


@pytest.mark.parametrize("most", [40, 3, 1])
def test_a_loop_ends_once_nothing_changes(most):
    """The same in machine code, one state or several side by side, whichever settles first: nothing rounds here."""

    def some(chain, q, qd):
        return halved(chain, q, qd, most)

    fast = compiled(some, CHAIN)
    q, qd = whole_numbers(11)
    q = q * np.array([1.0, 64, 2**-9, 0])[np.arange(11) % 4, None]
    wanted = some(CHAIN, q, qd)
    assert np.array_equal(fast(q, qd), wanted)
    assert all(np.array_equal(fast(x, y), z) for x, y, z in zip(q, qd, wanted, strict=True))
    assert fast.runs == (22, 0)


def test_turns_after_the_last_change_are_not_run():
    """A billion of them would take longer than any test may."""

    def settles(chain, q, qd):
        return until_still(10**9, lambda s: ((s[0] + q / 8) / 2,), (q[None] + 0 * qd,))[0][0]

    fast = compiled(settles, CHAIN)
    q = np.array([0.3, -7.0, 1e-300, 0.0])
    assert normwise(fast(q, 0 * q), q / 8) <= 4 * EPS
    many = np.stack([q, 2 * q, 0 * q])
    assert normwise(fast(many, 0 * many), many / 8) <= 4 * EPS


def test_what_is_no_number_in_a_settling_loop_is_found():
    def roots(chain, q, qd):
        return until_still(9, lambda s: (sqrt(s[0]),), (q[None] + 0 * qd,))[0][0]

    fast = compiled(roots, CHAIN)
    q = np.array([1.0, 4, 9, 16])
    assert normwise(fast(q, q), roots(CHAIN, q, q)) <= EPS and fast.runs == (1, 0)
    q[2] = -1
    with np.errstate(all="ignore"):
        assert np.isnan(fast(q, q)[2]) and fast.runs == (1, 1)


def test_javascript_ends_a_loop_too(tmp_path):
    (q, qd), text = whole_numbers(), compiled(halved, CHAIN, target="javascript")
    assert np.array_equal(in_node(text, tmp_path, q, qd), halved(CHAIN, q, qd))
    assert "break;" in text


def some_turns(chain, q, qd, lies=0):
    """Sums of rows that are not zero, over and over in a loop in a loop; what else is added if `only` lies."""
    rows = TABLE * where(positive(q), q, 0).sum() * np.arange(-1, 5)[:, None] + 0 * qd
    only = (rows * rows).sum(-1, keepdims=True)

    def add(k, state):
        total, rows = state
        return total + take(rows, k) + lies, rows

    def sweep(state):
        total, turns, rows, only = state
        total, rows = repeat(6, add, (total, rows), only)
        more = where(positive(4 - turns), 1, 0)
        return total * more, turns + more, rows, only

    first, _ = repeat(6, add, (zeros((1, 4)) + 0 * qd, rows), only)
    start = zeros((1, 4)) + 0 * qd, zeros((1, 1)) + 0 * qd[:1], rows, only
    total, turns, *_ = until_still(9, sweep, start)
    return first[0] + take(turns, 0)[0], total[0]


def test_turns_that_change_nothing_may_be_left_out(tmp_path):
    """Where all rows are zero, where one is, and of states side by side that differ in it."""
    q, qd = whole_numbers(11)
    q[::3] = -np.abs(q[::3])
    fast = compiled(some_turns, CHAIN)
    wanted = [some_turns(CHAIN, *own) for own in zip(q, qd, strict=True)]
    for own, *two in zip(zip(q, qd, strict=True), wanted, strict=True):
        for x, y in zip(fast(*own), two[0], strict=True):
            assert np.array_equal(x, y)
    for x, y in zip(fast(q, qd), zip(*wanted, strict=True), strict=True):
        assert np.array_equal(x, np.array(y))
    assert fast.runs == (22, 0)
    text = compiled(some_turns, CHAIN, target="javascript")
    assert text.count("continue;") == 2
    if node := shutil.which("node"):
        (tmp_path / "own.mjs").write_text(text)
        given = f"{q[1].tolist()},{qd[1].tolist()}"
        call = f"import f from './own.mjs';console.log(f({given}).map((x)=>Array.from(x)).join())"
        (tmp_path / "call.mjs").write_text(call)
        run = [node, tmp_path / "call.mjs"]
        said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
        assert np.array_equal(np.array(said.split(","), float), np.concatenate(wanted[1]))


def test_turns_are_left_out_indeed():
    """A turn that would change something although it says that it does not: six are taken as they stand, some not."""

    def lying(chain, q, qd):
        return some_turns(chain, q, qd, lies=1)[0]

    q = np.array([0.5, 0.25, 0.0, 0.0])
    assert np.array_equal(lying(CHAIN, q, q) - compiled(lying, CHAIN)(q, q), np.ones(4))


def test_slopes_through_a_settling_loop_are_refused():
    slopes = compiled(halved, CHAIN, derivatives=True)
    with pytest.raises(RuntimeError, match=r"until nothing changes has no slopes.*take theirs"):
        slopes(*whole_numbers())


def test_a_settling_loop_of_other_arrays_than_matrices_is_refused():
    def flat(chain, q, qd):
        return until_still(9, lambda s: (s[0] / 2,), (q + qd,))[0]

    with pytest.warns(RuntimeWarning, match="recorded of matrices alone"):
        compiled(flat, CHAIN)(*whole_numbers())


def test_slopes_go_through_the_loop():
    rng = np.random.default_rng(2)
    q, qd = rng.normal(size=(2, 4))
    value, slopes = compiled(smooth, CHAIN, derivatives=True)(q, qd)
    assert normwise(value, smooth(CHAIN, q, qd)) <= 100 * EPS
    h = 1e-100
    for j, e in enumerate(np.eye(4)):
        for slope, moved in zip(slopes, ((q + 1j * h * e, qd), (q, qd + 1j * h * e)), strict=True):
            wanted = smooth(CHAIN, *[x + 0j for x in moved]).imag / h
            assert np.abs(slope[:, j] - wanted).max() <= 1000 * EPS * np.abs(slope).max()


def test_text_does_not_grow_with_the_turns():
    sizes = []
    for count in (4, 400):
        recorded = record(
            lambda chain, q, qd, count=count: repeat(
                count, lambda k, s: (s[0] + sin(take(s[1], k)), s[1]), (q[None], np.ones((count, 4)) * qd)
            )[0][0],
            CHAIN, {"q": ("nq",), "qd": ("nv",)}, {}, straight=10**6,
        )  # fmt: skip
        own = [x for x in recorded.plan.live if x.scope]
        sizes.append(len(own))
    assert sizes[0] == sizes[1] > 0


def thrice(chain, q, qd, changing=(False, True, False)):
    """Return numbers of three loops over the rows of one array, some of which change their own copy of it."""
    A = TABLE * q[..., None, :] + qd[..., None, :] * TABLE[::-1]
    total = 0
    for k, changes in enumerate(changing):

        def change(row, _, k=k, changes=changes):
            return (2 + k) * row if changes else row, row * (q[..., None, :] + k)

        own, parts = rows_from(0, change, A, zeros(A.shape))
        total = total + own + 3 * parts
    return total.sum(-2)


@pytest.mark.parametrize("changing", [(0, 1, 0), (1, 0, 0), (0, 0, 0), (1, 1, 1)])
def test_loops_over_rows_one_after_another_keep_what_the_others_changed(changing):
    """As interpreted, whichever loops change the array. Slopes too."""
    q, qd = whole_numbers()
    given = {"changing": changing}
    fast = compiled(thrice, CHAIN, given=given)
    assert np.array_equal(fast(q, qd), thrice(CHAIN, q, qd, **given))
    _, slopes = compiled(thrice, CHAIN, derivatives=True, given=given)(q, qd)
    h = 1e-100
    for j, e in enumerate(np.eye(4)):
        for slope, moved in zip(slopes, ((q + 1j * h * e, qd), (q, qd + 1j * h * e)), strict=True):
            wanted = thrice(CHAIN, *[x + 0j for x in moved], **given).imag / h
            assert np.abs(slope[:, j] - wanted).max() <= 100 * EPS * np.abs(slope).max()


def test_a_long_program_is_compiled_quickly_and_the_same(monkeypatch):
    plan = record(swept, CHAIN, {"q": ("nq",), "qd": ("nv",)}, {}, straight=10**6).plan
    assert "-O1" not in flags_for(plan)
    monkeypatch.setattr("chaindyn.compiler.recorded.MOST_AT_LEISURE", 0)
    assert "-O1" in flags_for(plan)
    fast = compiled(swept, Chain(CHAIN.links))
    q, qd = whole_numbers()
    assert np.array_equal(fast(q, qd), swept(CHAIN, q, qd)) and fast.runs == (1, 0)


def test_python_looks_for_garbage_again_after_a_recording():
    def fails(chain, q):
        assert not gc.isenabled()
        return q if q[0] > 0 else -q

    with pytest.raises(CannotRecord):
        record(fails, CHAIN, {"q": ("nq",)}, {})
    assert gc.isenabled()
    gc.disable()  # of who wants none, none
    try:
        record(swept, CHAIN, {"q": ("nq",), "qd": ("nv",)}, {})
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("wrong", ["stale", "outer", "expects"])
def test_what_a_loop_cannot_keep_is_refused(wrong):
    from chaindyn._ops import expect

    def bad(chain, q, qd):
        def step(k, state):
            A, u = state
            own = take(A, k)
            if wrong == "stale":
                put(A, k, 2 * own)
                return A, u + take(A, k)
            if wrong == "outer":
                return repeat(4, lambda j, s: (put(A, j, own), s[1]), (A, u))
            if wrong == "expects":
                expect(own)
            return A, u + own

        return repeat(6, step, (TABLE * q, zeros((1, 4)) * qd))[1][0]

    with pytest.warns(RuntimeWarning, match="bad is not compiled"):
        fast = compiled(bad, CHAIN)
        fast(np.ones(4), np.ones(4))


def test_a_quotient_that_is_left_out_must_be_finite_in_each_turn():
    """Zero times an inverse is zero, unless there is no inverse: then the law itself answers."""

    def idle(chain, q, qd):
        def step(k, state):
            places, u = state
            return places, u + 0 * (1 / (q - take(places, k)))

        places = np.arange(8.0)[:, None] + 0 * qd
        return repeat(8, step, (places, q[None]))[1][0]

    fast = compiled(idle, CHAIN)
    q = np.array([0.5, 1.5, 2.5, 3.5])
    assert np.array_equal(fast(q, q), idle(CHAIN, q, q)) and fast.runs == (1, 0)
    q[1] = 3
    with np.errstate(all="ignore"):
        assert np.isnan(fast(q, q)[1]) and fast.runs == (1, 1)


@pytest.mark.parametrize(("rows", "columns", "rank"), [(7, 9, 7), (9, 5, 5), (8, 8, 3), (5, 5, 0)])
def test_elimination_in_a_loop_is_the_least_squares_solution(rows, columns, rank):
    """Rows that depend on each other, against the pseudoinverse; four columns of `wanted` are the arguments."""
    rng = np.random.default_rng(rows)
    A = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))

    def solved(chain, q, qd):
        right = A @ np.ones((columns, 1)) * q + A[:, :1] * qd
        doubt = 0 * right[:, :1] + 1e-20
        return shortest(A + 0 * q[0], lambda x: x, right, doubt)[0]

    q, qd = rng.normal(size=(2, 4))
    fast = compiled(solved, CHAIN)
    right = A @ np.ones((columns, 1)) * q + A[:, :1] * qd
    wanted = np.linalg.pinv(A, rcond=1e-10) @ right
    assert np.abs(fast(q, qd) - wanted).max() <= 1e-12 * max(np.abs(wanted).max(), 1)
    assert fast.runs == (1, 0)


@pytest.mark.parametrize("angle", [1.0, 1e-6, 0.0])
def test_closed_chains_of_any_rank(angle):
    """Parallel cranks, of which the middle one is redundant: through the line, where the rank falls."""
    chain, loops = four_bar(3)
    turning = four_bar_posture(3, 1.0) - four_bar_posture(3, 0.0)
    q, qd, tau = four_bar_posture(3, angle), -2.0 * turning, np.arange(5.0)
    fast = compiled(constrained_forward_dynamics, chain, given={"constraints": loops})
    wanted = constrained_forward_dynamics(chain, loops, q, qd, tau)
    for own, other in zip(fast(q, qd, tau), wanted, strict=True):
        assert normwise(own, other) <= 1e4 * EPS / (angle or 1)
    assert fast.runs == (1, 0)


def test_motions_with_such_loops():
    chain, loops = four_bar(2)
    slope = four_bar_posture(2, 1.0) - four_bar_posture(2, 0.0)
    given = {"t": [0, 0.02], "constraints": loops, "stabilisation": (400, 40), "step": 0.01}
    speeds = np.linspace(-1, 1, 5)[:, None] * slope
    many = rollout(chain, four_bar_posture(2, 1.0), speeds, **given)
    for k in (0, 3):
        one = simulate(chain, four_bar_posture(2, 1.0), speeds[k], method="RK4", **given)
        assert normwise(many.q[:, k], one.q) <= 1e-12


def gathered(chain, rows):
    """Those of six rows that begin with a positive number, with room for four, and the sum of the last two."""

    def taken_in(k, state):
        rows, count, found = state
        own = take(rows, k)
        yes = positive(own[..., :1])
        found = put(found, count, where(yes, own, take(found, count)))
        return rows, count + where(yes, 1, 0), found

    nothing = 0 * rows[:1, :1]
    _, count, found = repeat(6, taken_in, (rows, nothing, zeros((4, 3)) + nothing))

    def backwards(_, state):
        total, found, place = state
        return total + take(found, place), found, place - 1

    total, *_ = repeat(2, backwards, (zeros((1, 3)) + nothing, found, count - 1))
    return found, count, total


@pytest.mark.parametrize("written_out", [False, True])
def test_places_that_are_computed(written_out, monkeypatch):
    """One state and many at once; the nearest row stands in for one that is not there."""
    monkeypatch.setattr(repeated, "MOST_WRITTEN_OUT", 10_000 * written_out)
    fast, rng = compiled(gathered, CHAIN, shapes={"rows": (6, 3)}), np.random.default_rng(0)
    rows = rng.normal(size=(40, 6, 3))
    counts = []
    for x, *many in zip(rows, *fast(rows), strict=True):
        kept = x[x[:, 0] > 0]
        found, count, total = gathered(CHAIN, x)
        counts.append(len(kept))
        assert count == len(kept)
        np.testing.assert_array_equal(found[: min(len(kept), 3)], kept[:3])
        for own, one, other in zip((found, count, total), fast(x), many, strict=True):
            np.testing.assert_array_equal(one, own)
            np.testing.assert_array_equal(other, own)
    assert min(counts) == 0 and max(counts) > 4 and fast.runs == (80, 0)


def test_places_that_are_computed_have_no_slopes():
    slopes = compiled(gathered, CHAIN, shapes={"rows": (6, 3)}, derivatives=True)
    with pytest.raises(RuntimeError, match="a place that is computed has no slopes"):
        slopes(np.ones((6, 3)))
