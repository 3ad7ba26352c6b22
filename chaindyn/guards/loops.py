"""Loops: when a row depends on others or is only rounding, and which motions and motors do not fit them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

import numpy as np

from chaindyn._ops import (
    SMALL,
    concatenate,
    divide,
    expect,
    eye,
    holds_exact,
    holds_objects,
    positive,
    rows_from,
    where,
    zeros,
)
from chaindyn.guards.arguments import (
    check_array,
    check_matrix,
    check_positive_number,
    require_between,
    require_positive,
    require_same_batch,
    require_shape,
    unit,
)
from chaindyn.guards.equations import (
    require_rank_of_real_part,
)
from chaindyn.guards.numbers import (
    EPSILON,
    are_exact,
    as_array,
    frozen,
    in_double,
    is_recorded,
    power_of_two_near,
    read_only,
    require_finite,
    without_precision,
)

NEGLIGIBLE = 1e-10  # of the longest row, below which a row counts as zero
BROKEN = 1e-3  # of the largest possible K x, above which a motion breaks the constraints
CONTRADICTORY = 1e-6  # the same for accelerations that are prescribed

# which forces hold a closed chain, and what is done against drift: gains (kp, kd), None, or what one of the words says
ObjectiveWord = Literal["unique", "min_force", "min_torque"]
OBJECTIVES: set[str] = set(get_args(ObjectiveWord))
Gains = tuple[Any, Any] | None
StabilisationWord = Literal["projection"]
STABILISATIONS: set[str] = set(get_args(StabilisationWord))


# Rows that depend on each other --------------------------------------------------------------------


def are_floats(*arrays: Any) -> bool:
    """Whether all are plain NumPy numbers, which its factorisations take."""
    return all(
        isinstance(x, np.ndarray) and x.dtype.kind in "iuf" and x.dtype.itemsize <= 8
        for x in arrays
    )


def at_length_one(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows (..., m, n) at length one, the factors (..., m, 1) that make them so, and the rounding (..., 1).

    Negligible rows become zero, with the factor zero. Singular values of the result below this share of the largest
    are only rounding: errors are those of the longest row, and grow where a short one is stretched.
    """
    scale = power_of_two_near(rows)
    rows = rows / scale
    lengths = np.linalg.norm(rows, axis=-1)
    longest = lengths.max(-1, initial=0, keepdims=True)
    counts = lengths > NEGLIGIBLE * longest
    shrink = np.where(counts, 1 / np.where(counts, lengths, 1), 0)[..., None]
    shortest = np.where(counts, lengths, longest).min(
        -1, initial=np.inf, keepdims=True, where=longest > 0
    )
    stretched = shrink * rows
    rounding = 16 * max(rows.shape[-2:]) * np.finfo(stretched.dtype).eps * (longest / shortest)
    return stretched, shrink / scale, rounding


def inverse_of(sizes: np.ndarray, rank: Any) -> np.ndarray:
    """Return 1 / sizes (..., p, 1) of the singular values that count, zero for those beyond the rank (...)."""
    kept = np.arange(sizes.shape[-1]) < rank[..., None]
    return np.where(kept, 1 / np.where(kept, sizes, 1), 0)[..., None]


def lengths_and_doubt(K: Any, units: Any, felt: Any, row_error: Any) -> tuple[Any, Any]:
    """Return the squares of the lengths of rows (..., m, 1), 1 for zeros, and those that rounding may leave of them.

    K : (..., m, nv); units : (..., nv), the squares of the units of its columns; felt : (..., m, 1), the
    diagonal of K M^-1 K^T;
    row_error : (...), the relative error of the rows. A negligible row counts as nothing, and so does what is left of
    one, where it is no more than rounding beside all rows, or than the row's own error. Of exact numbers nothing is in
    doubt.
    """
    squares = of_each_row(
        lambda row: divide(row * row, units[..., None, :]).sum(-1, keepdims=True), K
    )
    size = squares + felt
    lengths = where(positive(squares), squares, 1)
    if are_exact(K, units) and not is_recorded(K):
        return lengths, zeros((K.shape[-2], 1))
    require_rank_of_real_part(in_double(K))
    whole = size.sum(-2, keepdims=True)
    rounding = 16 * max(np.finfo(K.dtype).eps if K.dtype.kind in "fc" else 0, EPSILON)
    noise = rounding * rounding * max(K.shape[-2:]) * whole
    error = np.asarray(row_error)[..., None, None]
    doubt = noise + error * error * size
    return lengths, where(positive(size - NEGLIGIBLE * NEGLIGIBLE * whole), doubt, whole)


def of_each_row(measure: Callable[[Any], Any], rows: Any, count: int = 1) -> Any:
    """Return some numbers (..., m, count) of each of some rows (..., m, n), zeros of zeros.

    Recorded once for all rows that act, if they are many.
    """
    if not is_recorded(rows):
        return measure(rows)
    acting = rows_that_act(rows)
    if not acting.any():
        return zeros((*rows.shape[:-1], count))
    own = rows if acting.all() else rows[..., acting, :]
    start = zeros((own.shape[-2], count))
    whole = rows_from(0, lambda row, _: (row, measure(row)), own, start)
    return spread(whole[1][..., :count], acting)


def rows_times(rows: Any, x: Any) -> Any:
    """Return rows (..., m, n) times a column (..., n, 1)."""
    return of_each_row(lambda row: row @ x, rows)


def rows_that_act(K: Any) -> Any:
    """Return which rows (..., m, n) are not known to be zeros, in all states: (m,) booleans; of symbols, all."""
    if is_recorded(K):
        return np.array([not all(map(is_zero, row.flat)) for row in np.moveaxis(K, -2, 0)], bool)
    if not (isinstance(K, np.ndarray) and K.dtype.kind in "iufc"):
        return np.ones(K.shape[-2], bool)
    return (K != 0).any(tuple(a for a in range(K.ndim) if a != K.ndim - 2))


def spread(x: Any, acting: np.ndarray) -> Any:
    """Return numbers (..., r, c) of the rows that act among those of all (..., m, c), with zeros for the others."""
    if acting.all():
        return x
    place = np.cumsum(acting) - 1
    zero = 0 * x[..., :1, :] if x.shape[-2] else zeros((*x.shape[:-2], 1, x.shape[-1]))
    return concatenate(
        [x[..., k : k + 1, :] if own else zero for k, own in zip(place, acting, strict=True)], -2
    )


def are_more(squares: Any, doubt: Any) -> Any:
    """Return which squares (..., 1, 1) are more than rounding may leave of them; symbols are, unless they vanish."""
    if holds_objects(squares) and not is_recorded(squares):
        vanish = np.vectorize(vanishes, otypes=[bool])(squares)
        return positive(squares - doubt) & ~vanish
    if is_recorded(squares) and all(map(is_zero, squares.flat)):
        return np.zeros(squares.shape, bool)
    return positive(squares - doubt)


def only_rounding(x: Any) -> Any:
    """Return what is zero but for rounding: of exact numbers and symbols, which it would only make longer, zeros."""
    return zeros(x.shape) if holds_exact(x) else x


def vanishes(entry: Any) -> bool:
    """Whether a symbolic expression is zero for all values of its symbols, by some values of them."""
    symbols = getattr(entry, "free_symbols", None)
    if not symbols or not hasattr(entry, "evalf"):
        return False
    number = sys.modules["sympy"].Rational
    values = {x: number(2 * k + 3, k + 7) for k, x in enumerate(sorted(symbols, key=str))}
    found = entry.evalf(30, subs=values)
    return bool(found.is_number and abs(found) < 1e-20)


def size_of_motions(M: Any) -> Any:
    """Return roots of the diagonal of M (..., nv), to compare motions of several units; 1 where there is no inertia."""
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    return np.where(diagonal > 0, np.sqrt(np.abs(diagonal)), 1)


def regular(reduced: Any, rank: Any) -> Any:
    """Return N^T M N (..., n, n), whose first rows and columns, as many as the rank (...), are zero, with ones there.

    ValueError if it is singular beyond them: M is, on a motion that K allows.
    """
    n = reduced.shape[-1]
    reduced = reduced + (np.arange(n) < rank[..., None])[..., None] * eye(n)
    smallest = np.linalg.eigvalsh(reduced).min(-1, initial=np.inf)
    if (smallest <= 10 * n * np.finfo(float).eps).any() and np.any(n - rank):
        raise ValueError(
            "M is not positive on the motions that K allows: there is a motion that no row forbids and "
            "that feels no inertia"
        )
    return reduced


def check_share(x: Any, name: str = "tolerance") -> Any:
    """Return a number between 0 and 1 as an array, or say what is wrong with it."""
    share = check_array(x, name, ())
    require_between(share, name, 0, 1)
    return share


def check_kkt(M: Any, K: Any, right: Any, k: Any, tolerance: Any) -> tuple[Any, ...]:
    """Return the arguments of `solve_kkt` as arrays, right and k as columns; ValueError if they do not fit.

    Of floats M must be symmetric: it may differ from its transpose by rounding.
    """
    M = check_matrix(M, "M", (None, None))
    n = M.shape[-2]
    require_shape(M, "M", (n, n))
    K, right, k = check_matrix(K, "K", (None, n)), as_array(right, "right"), as_array(k, "k")
    require_shape(right, "right", (n,), f": M is {n} x {n}")
    require_shape(k, "k", K.shape[-2:-1], f": K has {K.shape[-2]} rows")
    require_finite(right, "right")
    require_finite(k, "k")
    require_same_batch({"M": (M, 2), "K": (K, 2), "right": (right, 1), "k": (k, 1)})
    share = check_share(tolerance)
    if are_floats(M, K, right, k):
        differ = np.abs(M - M.mT).max(initial=0)
        if differ > 1e-8 * np.abs(M).max(initial=0):
            raise ValueError(
                f"M is not symmetric: it differs from its transpose by up to {differ:.3g}"
            )
    return M, K, right[..., None], k[..., None], share


# Loops that are not quite closed, and motions that break them ----------------------------------------


def gap_share(K: Any, error: Any) -> Any:
    """Return the relative error of rows (..., m, nv) in loops with gaps (..., m), from the joint motion of the gaps.

    Zero where the numbers are not known.
    """
    if K.shape[-2] and (is_recorded(K) or is_recorded(error)):
        return recorded_gap_share(K, error)
    known, gaps = in_double(K), in_double(error)
    if known is None or gaps is None:
        return np.zeros(())
    largest, gap = np.abs(known.real).max(-1, initial=0), gaps.real
    counts = largest > NEGLIGIBLE * largest.max(-1, initial=0, keepdims=True)
    moved = np.where(counts, np.abs(gap) / np.where(counts, largest, 1), 0).max(-1, initial=0)
    return np.minimum(10 * moved, 1e-4)


def magnitude(x: Any) -> Any:
    """Return absolute values, of recorded numbers too."""
    return where(positive(x), x, -x) if is_recorded(x) else np.abs(x)


def top(x: Any) -> Any:
    """Return the largest (..., 1) of numbers (..., m), recorded or not, which are not negative."""
    return largest(x) if is_recorded(x) else x.max(-1, initial=0, keepdims=True)


def larger(a: Any, b: Any) -> Any:
    """Return the larger of two recorded numbers that are not negative: of a zero and another, the other."""
    if a is b or is_zero(b):
        return a
    return b if is_zero(a) else (a - b).above_zero().where(a, b)


def is_zero(x: Any) -> bool:
    """Whether a number, recorded or not, is known to be zero."""
    return bool(getattr(x, "value", x) == 0)


def largest(x: Any) -> Any:
    """Return the largest (..., 1) of recorded numbers (..., m), which are not negative."""
    return np.frompyfunc(larger, 2, 1).reduce(x, axis=-1, keepdims=True)


def largest_of_each_row(K: Any) -> Any:
    """Return the largest (..., m, 1) of the absolute values in each row of a recording."""
    return of_each_row(lambda row: largest(magnitude(row)), K)


def recorded_gap_share(K: Any, error: Any) -> Any:
    """Return `gap_share` of a recording."""
    rows, gap = largest_of_each_row(K)[..., 0], magnitude(error)
    counts = positive(rows - NEGLIGIBLE * largest(rows))
    moved = 10 * largest(where(counts, gap / where(counts, rows, 1), 0))
    return where(positive(1e-4 - moved), moved, 1e-4)[..., 0]


def expect_kept(K: Any, x: Any, wanted: Any, share: float) -> None:
    """Note, in a recording, that K x (..., m, 1) must be what is wanted, to within what `broken_row` allows."""
    if not K.shape[-2]:
        return

    def both(row: Any) -> Any:
        return concatenate([largest(magnitude(row)), row @ x], axis=-1)

    found = of_each_row(both, K, 2)
    size = largest(found[..., 0]) * largest(magnitude(x[..., 0]))
    size = size + largest(magnitude(wanted[..., 0]))
    expect(1e-9 + share * size - magnitude(found[..., 1] - wanted[..., 0]))


def judged_rows(parts: Callable[..., list[Any]], share: float, *names: str) -> list[Any]:
    """Return K (..., m, nv), the relative error of its rows (...), the loops' errors (..., m), and other parts.

    parts : the law `parts_in` for a state and its constraints. share : where near a singular posture less than that
    is left of a row, it counts as zero.
    """
    K, error, *more = parts("jacobian", "error", *names, *(["row_bounds"] if share else []))
    row_error = gap_share(K, error)
    if share:
        bounds = more.pop()
        rows = top(bounds)  # radians and metres have no common size
        units = top((bounds / where(positive(rows), rows, 1)).mT).mT
        units = where(positive(units), units, 1)
        left, all_of_it = top(magnitude(K) / units), top(bounds / units)
        K = where(positive(left - share * all_of_it), K, 0 * K)
        row_error = where(positive(np.asarray(row_error - share)), row_error, share)
    return [K, row_error, error, *more]


def broken_row(K: Any, x: Any, wanted: Any, share: float) -> tuple[float, int] | None:
    """Return the error of K x (..., m, 1) against `wanted` and its row, or None if it is within a share.

    K : (..., m, nv); x : (..., nv, 1). The share is of the largest possible product of entries, plus a small constant.
    """
    missed = np.abs(K @ x - wanted)[..., 0]
    size = np.abs(K).max((-2, -1), initial=0) * np.abs(x).max((-2, -1), initial=0)
    size = size + np.abs(wanted).max((-2, -1), initial=0)
    wrong = np.argwhere(missed > 1e-9 + share * size[..., None])
    if not len(wrong):
        return None
    row = tuple(wrong[0])
    return float(missed[row]), int(row[-1])


def warn_if_inconsistent(K: Any, qd: Any, *others: Any) -> None:
    """Warn if velocities (..., nv) break the constraints; others : what must be floats too, or nothing is said."""
    if is_recorded(qd):
        expect_kept(K, qd[..., None], zeros((1, 1)), BROKEN)
    if not are_floats(K, qd, *others):
        return
    if broken := broken_row(K, qd[..., None], np.zeros((1, 1)), BROKEN):
        warnings.warn(
            "the velocities break the constraints: K qd is {:.3g} in row {}, but should be zero; the gap opens at "
            "this rate".format(*broken),
            RuntimeWarning,
            stacklevel=5,
        )


def warn_if_impossible(K: Any, qdd: Any, wanted: Any) -> None:
    """Warn if accelerations (..., nv, 1) break the constraints, as `warn_if_inconsistent` does for velocities."""
    if is_recorded(qdd):
        return expect_kept(K, qdd, wanted, BROKEN)
    if broken := broken_row(K, qdd, wanted, BROKEN):
        warnings.warn(
            "the accelerations break the constraints: K qdd misses its value by {:.3g} in row {}; no forces of "
            "motors bring this motion about".format(*broken),
            RuntimeWarning,
            stacklevel=4,
        )


def require_kept(K: Any, qdd: Any, wanted: Any) -> None:
    """Refuse accelerations (..., nv, 1) that break the constraints: the prescribed ones contradict them."""
    if is_recorded(qdd):
        expect_kept(K, qdd, wanted, CONTRADICTORY)
    if are_floats(K, qdd, wanted) and (broken := broken_row(K, qdd, wanted, CONTRADICTORY)):
        raise ValueError(
            "the prescribed accelerations break the constraints: K qdd misses its value by {:.3g} in row {}, "
            "whatever the other joints do; prescribe fewer".format(*broken)
        )


def check_stabilisation(stabilisation: Any) -> tuple[Any, Any] | None:
    """Return the gains (kp, kd), not negative, or None; ValueError for anything else."""
    if stabilisation is None:
        return None
    try:
        kp, kd = (
            without_precision(g, check_array(g, "stabilisation", ())[()]) for g in stabilisation
        )
        right = float(kp) >= 0 and float(kd) >= 0
    except (TypeError, ValueError):
        right = False
    if not right:
        raise ValueError(
            f"stabilisation is {stabilisation!r}, but must be None or two gains (kp, kd), not negative; "
            "(g**2, 2 * g) is critical damping"
        )
    return kp, kd


# Assembling -------------------------------------------------------------------------------------------


def within_reach(chain: Any, q: np.ndarray, moved: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Return a posture (nq,) with every joint beyond its limits moved to them.

    moved : (nv,) booleans; place : (nv,), what `plain_coordinates` returns. ValueError if one that may not move is
    beyond.
    """
    near: np.ndarray = np.clip(q, chain.lower_limit, chain.upper_limit)
    for j in np.flatnonzero(~moved & (place >= 0) & (near != q)[place]):
        own = place[j]
        raise ValueError(
            f"held[{j}] keeps the joint of link {chain.names[chain.link_of_column[j]]!r} at {q[own]:.6g}, but its "
            f"limits are {chain.lower_limit[own]:.6g} and {chain.upper_limit[own]:.6g}"
        )
    return near


def cannot_be_closed(chain: Any, least: float) -> ValueError:
    """Return the error for loops of which the nearest posture that was found leaves such a gap."""
    limited = np.isfinite([chain.lower_limit, chain.upper_limit]).any()
    return ValueError(
        f"the loops cannot be closed from here{' within the limits' if limited else ''}: the nearest that was "
        f"found leaves a gap of {least:.3g}; another start, fewer joints held or other lengths may do"
    )


# Motors -----------------------------------------------------------------------------------------------


def check_choice(
    K: Any, passive: np.ndarray, tau_passive: Any, objective: ObjectiveWord, weights: Any
) -> tuple[Any, Any, Any]:
    """Return the passive forces, the weights of the multipliers, None for ones, and those of the motors' forces.

    The last are None where the objective is another.
    """
    count, by_motor = int(passive.sum()), objective == "min_torque"
    own = as_array(tau_passive, "tau_passive")
    if own.shape != ():
        require_shape(own, "tau_passive", (count,), f": {count} velocities have no motor")
    require_finite(own, "tau_passive")
    motors = passive.size - count
    if weights is not None:
        weights = check_array(weights, "weights", (motors if by_motor else K.shape[-2],))
        require_positive(weights, "weights")
    elif by_motor:
        weights = np.ones(motors, SMALL)
    tau_passive = without_precision(tau_passive, own)
    return (tau_passive, None, weights) if by_motor else (tau_passive, weights, None)


def have_ranks(objective: ObjectiveWord, *arrays: Any) -> bool:
    """Whether numbers are floats, of which ranks can be found; ValueError if not, and the objective needs one."""
    floats = are_floats(*arrays)
    if not floats and any(map(is_recorded, arrays)):
        floats = objective != "min_torque"
    if objective == "min_torque" and not floats:
        raise ValueError('objective "min_torque" takes floats')
    return floats


def require_motors(rank: Any, held: Any, passive: np.ndarray, objective: ObjectiveWord) -> Any:
    """Return the number of free combinations of multipliers (...); ValueError if motors are missing or not unique.

    rank : (...) of K; held : (...), of its columns of the passive joints.
    """
    needed = int(passive.sum())
    if is_recorded(np.asarray(held)) or is_recorded(np.asarray(rank)):
        expect(
            np.array(
                [held - (needed - 0.5), *[needed + 0.5 - rank] * (objective == "unique")], object
            )
        )
        return rank - held
    missing = int((needed - held).max(initial=0))
    if missing:
        freedoms = int((passive.size - rank).min(initial=passive.size))
        raise ValueError(
            f"too few motors: the loops can balance {needed - missing} of the {needed} passive joint forces in this "
            f"posture, so at least {missing} more must be actuated (of {passive.size} velocities {freedoms} are free)"
        )
    choices = rank - held
    if objective == "unique" and (choices > 0).any():
        raise ValueError(
            f"the motors' forces are not unique: {int(choices.max())} of them can be chosen at will; objective "
            '"min_force" or "min_torque" chooses'
        )
    return choices


# Rods, gears and wheels ---------------------------------------------------------------------------------


def keep_checked(constraint: Any, label: str, **rules: Any) -> None:
    """Check fields of a frozen dataclass and keep them so that nobody can write into them; ValueError names one.

    rules : of each field "positive", a number above zero; "direction", a vector (3,), kept at length one, or None; or
    the shape that it must have.
    """
    for part, rule in rules.items():
        value, name = getattr(constraint, part), f"{label}: {part}"
        if rule == "positive":
            check_positive_number(value, name)
            value = frozen(value)
        elif rule == "direction":
            value = None if value is None else unit(check_array(value, name, (3,)), name)
        else:
            array = check_array(value, name, rule)
            value = read_only(array) if rule else frozen(value)
        object.__setattr__(constraint, part, value)


def check_factors(factors: Any) -> dict[Any, Any]:
    """Return the factors of a Coupling by link, so that nobody can write into them, or say what they are not."""
    if not isinstance(factors, Mapping) or not factors:
        raise ValueError(
            f"factors of a Coupling are {factors!r}, but must be a dict such as {{'wheel': 3, 'pinion': 1}}"
        )
    return {body: frozen(factor) for body, factor in factors.items()}


def factors_by_joint(chain: Any, factors: Mapping[Any, Any]) -> list[Any]:
    """Return a Coupling's factors for each joint (its nv,), zeros where it has none; ValueError names a link."""
    parts: dict[int, Any] = {}
    for body, factor in factors.items():
        try:
            i = chain.joint_index(body)
        except ValueError:
            raise ValueError(
                f"a Coupling names link {body!r}: an index below {chain.n} or one of {list(chain.names)} would do, or "
                f"a joint, one of {list(chain.joint_names)}"
            ) from None
        if i in parts:
            raise ValueError(f"a Coupling names link {chain.names[i]!r} twice: once as {body!r}")
        k = chain.joints[i].nv
        own = as_array(factor, f"factor of link {body!r}")
        if own.shape != (k,) and not (k == 1 and own.shape == ()):
            raise ValueError(
                f"factor of link {body!r} has shape {own.shape}, but its joint has {k} rates"
            )
        require_finite(own, f"factor of link {body!r}")
        parts[i] = own.reshape((k,))
    return [parts.get(i, zeros((joint.nv,))) for i, joint in enumerate(chain.joints)]
