"""Contacts as programs take them: impulses on the friction cones by sweeps over rows, or else by Newton's method."""

from __future__ import annotations

from typing import Any

from chaindyn._ops import (
    positive,
    put,
    repeat,
    stack,
    take,
    until_still,
    where,
    zeros,
)
from chaindyn.compiler.yielding import added_up, impulses_by_yielding
from chaindyn.complementarity import contact_turn
from chaindyn.guards.cones import EXACT

__all__: list[str] = []

Array = Any

MOST_SWEEPS = 10_000  # before impulses count as not found
FIRST_SWEEPS = 40  # before contacts are let yield more
HALF = 0.5


def turn_on_rows(k: Any, state: Any) -> Any:
    """Return the state of a sweep after the turn of contact k, as `contact_turn` has it; what is too small is left out.

    state : impulses p (m, 3); x (1, n), which all of them make, A^T p; how many turns changed something (1, 1); of each
    contact its rows of K and of A (m, 3 n), its velocity without impulses (m, 3), its response to itself (m, 9), and
    friction, what is known of it, and the square of the speed up to which a change is none (m, 3).
    """
    p, x, changes, K, A, speeds, yields, given = state
    before, own = take(p, k), take(yields, k).reshape(1, 3, 3)
    mu, known, quiet = (take(given, k)[..., j] for j in range(3))
    v = take(speeds, k) + x @ take(K, k).reshape(3, -1).T
    after = contact_turn(before, v, own, mu, known)
    moved = after - before
    felt = (moved[..., None, :] @ own.mT)[..., 0, :]
    counts = positive((felt * felt).sum(-1, keepdims=True) - quiet[..., None])
    x = x + where(counts, moved, 0) @ take(A, k).reshape(3, -1)
    changes = changes + where(counts, 1, 0)
    return put(p, k, where(counts, after, before)), x, changes, K, A, speeds, yields, given


def response_to_itself(k: Any, state: Any) -> Any:
    """Return the responses (m, 9) of contacts to their own impulses with that of contact k, and their rows (m, 3 n)."""
    yields, K, A = state
    own, answers = (take(x, k).reshape(3, -1) for x in (K, A))
    return put(yields, k, (own @ answers.T).reshape(1, 9)), K, A


def impulses_on_rows(
    K: Array,
    A: Array,
    b: Array,
    mu: Array,
    known: Array,
    size: Array,
    start: Array | None = None,
    acts: Array | None = None,
) -> tuple[Array, Array, Array]:
    """Return impulses p (3 m,) as `contact_impulses` does with W = K A^T, x = A^T p (n,), and the sweeps (1,) it took.

    K, A : (m, 3 n), for each contact its three rows side by side; b : (3 m,); mu, known : (m,); size : (1,), of speeds:
    a turn that changes velocities by less than rounding of it is none. What FIRST_SWEEPS leave open contacts that
    yield a little more find (`impulses_by_yielding`). start : impulses (3 m,) to begin with; acts :
    (m, 1), zero for contacts whose rows are zeros. After MOST_SWEEPS the impulses are not to be trusted. W is never
    formed: what contacts feel of each other goes through n numbers. Where several motions obey Coulomb's law, as of a
    box on four corners that slides and spins, it finds one of them, not always the same as other methods do.
    """
    m, n = len(mu), K.shape[-1] // 3
    acts = 1 + 0 * b.reshape(m, 3)[:, :1] if acts is None else acts
    yields, K, A = repeat(m, response_to_itself, (zeros((m, 9)), K, A), acts)
    quiet = (EXACT * size) * (EXACT * size) + zeros((m,))
    given = stack([mu + 0 * quiet, known + 0 * quiet, quiet], axis=-1)
    p = 0 * b.reshape(m, 3) if start is None else start.reshape(m, 3)
    x, p, A = repeat(m, added_up, (zeros((1, n)) + 0 * size, p, A), acts)

    def sweep(state: Any) -> Any:
        p, x, sweeps, acts, *rest = state
        given = p, x, 0 * take(sweeps, 0), *rest
        p, x, changes, *rest = repeat(m, turn_on_rows, given, acts)
        return p, x, sweeps + where(positive(take(changes, 0)), 1, 0), acts, *rest

    state = p, x, 0 * x[:, :1], acts, K, A, b.reshape(m, 3), yields, given
    p, x, sweeps, acts, K, A, *rest = until_still(FIRST_SWEEPS, sweep, state)
    going = where(positive(sweeps + 0 - (FIRST_SWEEPS - HALF)), 1, 0)
    p, x, failed = impulses_by_yielding(p, x, going, acts, (K, A, *rest), size)
    return p.reshape(3 * m), x[0], (sweeps + 0 + failed * MOST_SWEEPS)[0]
