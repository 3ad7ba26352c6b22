"""Impulses on the friction cones by Newton's method on contacts that yield a little more, less and less.

Where nothing changes any more, what they yield more does not matter (a proximal point). A step solves for as many
numbers as contacts feel of each other through, not for three of each contact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from chaindyn._ops import (
    concatenate,
    eye,
    positive,
    put,
    repeat,
    rows_from,
    solve,
    sqrt,
    take,
    until_still,
    where,
    zeros,
)
from chaindyn.friction import cone_slopes, coulomb_miss
from chaindyn.guards.cones import EXACT

__all__: list[str] = []

Array = Any

MOST_TURNS = 1500  # points that are tried before impulses count as not found
LONGEST = 30  # steps around one centre
YIELDS, LESS, MORE = (
    1e-3,
    1 / 5,
    3,
)  # of contacts that yield by 1: how much more, first; its factors
LEAST_PART = 1 / 8  # of a step, which is taken wherever it leads
INSIDE = 1e-12  # of impulses, up to which a problem with contacts that yield more counts as solved
FAR = 1e30  # more than any square of what is missed
HALF = 0.5


class How(NamedTuple):
    """Numbers (1, 1) of a search.

    part : of the step that is tried; now : square of what p misses, FAR if it is not known; e : by how much contacts
    yield more; steps : around this centre; going : 1, in the end 0; turns : so far; size : square of an impulse that
    matters.
    """

    part: Array
    now: Array
    e: Array
    steps: Array
    going: Array
    turns: Array
    size: Array


class Search(NamedTuple):
    """Where a search is, in units in which contacts yield by 1 at most.

    p : impulses (m, 3); step : from them (m, 3); centre : impulses that those before yielded to (m, 3); x, along :
    (1, n), what p and step make; tried, miss, at : (m, 3), impulses that are tried, by how much they miss Coulomb's
    law, and where they are brought into the cone from; sums : (1, 2), squares of miss and tried; how : (1, 7).
    """

    p: Array
    step: Array
    centre: Array
    x: Array
    along: Array
    tried: Array
    miss: Array
    at: Array
    sums: Array
    how: Array
    acts: Array
    K: Array
    A: Array
    speeds: Array
    given: Array

    @property
    def state(self) -> How:
        """Its numbers, as they are now."""
        own = take(self.how, 0)
        return How(*[own[:, j : j + 1] for j in range(own.shape[-1])])


def of_contact(given: Array, k: Any) -> list[Array]:
    """Return friction and what is known of it (1,) of contact k."""
    return [take(given, k)[..., j] for j in range(2)]


def impulses_by_yielding(
    p: Array, x: Array, going: Array, acts: Array, rows: tuple[Array, ...], size: Array
) -> tuple[Array, Array, Array]:
    """Return impulses (m, 3) from others that make x (1, n), what they make, and 1 if they are not found (1, 1).

    going : (1, 1), 0 if nothing is to be done; rows : K, A, speeds, yields and given, as of `turn_on_rows`; size :
    (1,), of speeds.
    """
    K, A, speeds, yields, given = rows
    m, n, zero = p.shape[0], K.shape[-1] // 3, 0 * going
    acts, start = acts * going, (p, zeros((m, 1)) + zero + 1, zero, yields, K, A, speeds, given)
    p, units, size, _, K, A, speeds, given = repeat(m, in_own_units(size), start, acts)
    how = concatenate([zero + 1, zero + FAR, zero + YIELDS, zero, going, zero, size + 0], axis=-1)
    empty, wide = zeros((m, 3)) + zero, zeros((1, n)) + zero
    x = where(positive(going), 0, x + 0)
    x, _, A = repeat(m, added_up, (x, where(positive(going), p + 0, 0), A), acts)
    sums = concatenate([zero, zero], axis=-1)
    kept = p, empty, p, x, wide, empty, empty, empty, sums, how, acts, K, A, speeds, given

    def on_the_way(state: Any) -> Any:
        return repeat(1, turn, state, Search(*state).state.going)

    found = Search(*until_still(MOST_TURNS, on_the_way, kept))

    def in_given_units(k: Any, state: Any) -> Any:
        p, units = state
        return put(p, k, take(p, k) * take(units, k)), units

    return repeat(m, in_given_units, (found.p, units), acts)[0], found.x, found.state.going


def in_own_units(size: Array) -> Any:
    """Return the turn of a loop that brings a contact into units in which it yields by 1 at most; size : of speeds."""

    def turn(k: Any, state: Any) -> Any:
        p, units, most, yields, K, A, speeds, given = state
        own = take(yields, k)
        yielded = own[:, 0:1]
        for j in (4, 8):
            yielded = where(positive(own[:, j : j + 1] - yielded), own[:, j : j + 1], yielded)
        yielded = where(positive(yielded), yielded, 1)
        unit = 1 / sqrt(yielded)
        more, known = size * size / yielded, take(given, k)[:, 1:2] / unit
        most = put(most, 0, where(positive(more - take(most, 0)), more, take(most, 0)))
        given = put(given, k, concatenate([take(given, k)[:, :1], known, known], axis=-1))
        K, A, speeds = (put(x, k, take(x, k) * unit) for x in (K, A, speeds))
        return put(p, k, take(p, k) / unit), put(units, k, unit), most, yields, K, A, speeds, given

    return turn


def turn(_: Any, state: Any) -> Any:
    """Return a search after one more point: which is taken or not, and if it is, the step from it."""
    search = Search(*state)
    how, m = search.state, search.p.shape[0]
    x = take(search.x, 0) + how.part * take(search.along, 0)
    search = search._replace(sums=put(search.sums, 0, 0 * take(search.sums, 0)))
    search = Search(*repeat(m, tried_at(how, x), search, search.acts))
    miss, square = (take(search.sums, 0)[:, j : j + 1] for j in range(2))
    size, fresh = how.size + square, positive(HALF - how.steps)
    shorter = where(positive(0.998 * how.now - miss), 1, 1.5 * LEAST_PART - how.part)
    taken = positive(shorter) & positive(how.going)
    done = fresh & taken & positive((2 * EXACT) ** 2 * size - miss)
    settled = where(fresh, 0, where(positive(INSIDE**2 * size - miss), 1, 0))
    lost = where(positive(settled), 0, where(positive(how.steps - LONGEST), 1, 0))
    again = positive(settled + lost)
    e = how.e * where(positive(settled), LESS, where(positive(lost), MORE, 1))
    going = where(positive(how.going), 1, 0)
    after = How(
        where(taken, 1, how.part - how.part / 2 * going),
        where(taken, where(again, FAR, miss), how.now),
        where(taken, e, how.e),
        where(taken, where(again, 0, how.steps + 1), how.steps),
        where(done, 0, how.going),
        how.turns + going,
        how.size,
    )
    search = search._replace(
        how=put(search.how, 0, concatenate(list(after), axis=-1)),
        x=put(search.x, 0, where(taken, 0, take(search.x, 0))),
        along=put(search.along, 0, where(taken, 0, take(search.along, 0))),
    )
    search = Search(*repeat(m, moved(taken, settled, lost), search, search.acts))
    aims = where(taken, where(again, 0, where(done, 0, 1)), 0)
    return repeat(1, aimed(how.e, aims), search, aims)


def tried_at(how: How, x: Array) -> Any:
    """Return the turn of a loop that finds by how much a contact misses the law; x : (1, n), what impulses make."""

    def turn(k: Any, state: Any) -> Any:
        search = Search(*state)
        own = take(search.p, k) + how.part * take(search.step, k)
        v = take(search.speeds, k) + x @ take(search.K, k).reshape(3, -1).T
        v = v + how.e * (own - take(search.centre, k))
        miss = coulomb_miss(own, v, *of_contact(search.given, k))
        squares = [(y * y).sum(-1, keepdims=True) for y in (miss, own)]
        return search._replace(
            tried=put(search.tried, k, own),
            miss=put(search.miss, k, miss),
            at=put(search.at, k, own - v),
            sums=put(search.sums, 0, take(search.sums, 0) + concatenate(squares, axis=-1)),
        )

    return turn


def moved(taken: Array, settled: Array, lost: Array) -> Any:
    """Return the turn of a loop that takes for a contact what was tried; (1, 1) each, what becomes of it."""

    def turn(k: Any, state: Any) -> Any:
        search = Search(*state)
        tried, centre, p = (take(x, k) for x in (search.tried, search.centre, search.p))
        p = where(taken, where(positive(lost), centre, tried), p)
        more = where(taken, p, 0) @ take(search.A, k).reshape(3, -1)
        return search._replace(
            p=put(search.p, k, p),
            step=put(search.step, k, where(taken, 0, take(search.step, k))),
            centre=put(search.centre, k, where(taken & positive(settled), tried, centre)),
            x=put(search.x, 0, take(search.x, 0) + more),
        )

    return turn


def aimed(e: Array, aims: Array) -> Any:
    """Return the turn that finds Newton's step from where a search is, if it is asked to (1, 1).

    A step d solves B d + G (A p' speeds of d) = -miss, contact by contact, with slopes G of the cones and B = 1 - (1 -
    e) G: what it makes, A^T d, follows from n equations.
    """

    def turn(_: Any, state: Any) -> Any:
        search = Search(*state)
        m, n = search.p.shape[0], search.x.shape[-1]
        rows = concatenate([eye(n), zeros((n, 1))], axis=-1) + 0 * e
        given = rows, zeros((n, 3)) + 0 * e, zeros((m, 12)) + 0 * e, *search
        rows, _, own, *kept = repeat(m, added_to_rows(e), given, search.acts)
        rows, _ = repeat(n, eliminated, (rows, zeros((n, 1)) + 0 * e))
        made = -take(rows, n, axis=-1).reshape(1, -1)

        def stepped(k: Any, state: Any) -> Any:
            own, *kept = state
            search = Search(*kept)
            found = take(own, k).reshape(3, 4)
            felt = made @ take(search.K, k).reshape(3, -1).T
            step = -found[:, 3:].T - felt @ found[:, :3].T
            step = where(positive(aims), step, take(search.step, k))
            more = where(positive(aims), step, 0) @ take(search.A, k).reshape(3, -1)
            along = put(search.along, 0, take(search.along, 0) + more)
            return own, *search._replace(step=put(search.step, k, step), along=along)

        return repeat(m, stepped, (own, *kept), Search(*kept).acts)[1:]

    return turn


def added_to_rows(e: Array) -> Any:
    """Return the turn of a loop that adds a contact to the n equations of a step; e : how much more it yields."""

    def turn(k: Any, state: Any) -> Any:
        rows, columns, own, *kept = state
        search = Search(*kept)
        slopes = cone_slopes(take(search.at, k), *of_contact(search.given, k))[0]
        right = concatenate([slopes, take(search.miss, k).T], axis=-1)
        found = solve(eye(3) - (1 - e) * slopes, right)
        wide = concatenate([found[:, :3] @ take(search.K, k).reshape(3, -1), found[:, 3:]], axis=-1)
        answers = take(search.A, k).reshape(3, -1).T
        for i in range(answers.shape[0]):
            columns = put(columns, i, answers[i : i + 1])
        rows, columns = rows_from(0, lambda row, a: (row + a @ wide, a), rows, columns)
        return rows, columns, put(own, k, found.reshape(1, 12)), *kept

    return turn


def eliminated(k: Any, state: Any) -> Any:
    """Return equations (n, n + 1) after the k-th unknown is left in the k-th alone, and its shares (n, 1) before."""
    rows, shares = state
    column = take(rows, k, axis=-1)
    for i in range(column.shape[0]):
        shares = put(shares, i, column[i : i + 1])
    own = take(rows, k) / take(shares, k)
    rows, shares = rows_from(0, lambda row, share: (row - share * own, share), rows, shares)
    return put(rows, k, own), shares


def added_up(k: Any, state: Any) -> Any:
    """Return what impulses (m, 3) make, A^T p (1, n), with that of contact k."""
    x, p, A = state
    return x + take(p, k) @ take(A, k).reshape(3, -1), p, A
