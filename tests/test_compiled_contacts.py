"""Contacts in machine code: impulses on the cones by sweeps over rows, against those that Newton's method finds."""

import warnings

import numpy as np
import pytest
from contacts import ball, box, corners, points_on_plane, stack
from test_contact_cone import broken

from chaindyn import Chain, Link, Revolute, compiled, simulate_contact
from chaindyn import contact as blows
from chaindyn.compiler import contacts
from chaindyn.compiler.contacts import impulses_on_rows
from chaindyn.complementarity import contact_impulses, impulses_by_turns

ROD = Chain([Link(Revolute((0, 1, 0)), 1.0, (0.5, 0, 0), np.eye(3) / 12)])


@pytest.fixture(autouse=True)
def nothing_is_interpreted_in_silence():
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*is not compiled")
        yield


def solved(K, A, *given):
    """`impulses_on_rows` of matrices (3 m, n)."""
    rows = [x.reshape(len(x) // 3, -1) for x in (K, A)]
    return impulses_on_rows(*rows, *given)


def on_rows(m, n):
    """`impulses_on_rows` compiled for m contacts and n numbers between them."""

    def cone(chain, K, A, b, mu, known, size):
        return solved(K, A, b, mu, known, size)

    shapes = {"K": (3 * m, n), "A": (3 * m, n), "b": (3 * m,)}
    return compiled(cone, ROD, shapes={**shapes, "mu": (m,), "known": (m,), "size": (1,)})


def padded(x, *shape):
    """An array with zeros after it: contacts that do not move need no impulse."""
    return np.pad(x, [(0, k - own) for k, own in zip(shape, x.shape, strict=True)])


def random_problem(rng, most=8, widest=12):
    """Rows, speeds and friction of some contacts of bodies with few freedoms: rows often depend on each other."""
    m, n = rng.integers(1, most + 1), rng.integers(2, widest + 1)
    K = rng.normal(size=(3 * m, n))
    return K, K @ rng.normal(size=n), rng.uniform(0, 1.5, m)


@pytest.mark.parametrize("known", [False, True])
def test_a_thousand_random_problems(known):
    """All at once, some side by side. Those that do not settle say so; all others obey the law to rounding."""
    rng = np.random.default_rng(7 + known)
    given = [random_problem(rng) for _ in range(500)]
    K = np.stack([padded(K, 24, 12) for K, _, _ in given])
    b, mu = (np.stack([padded(x[k], size) for x in given]) for k, size in ((1, 24), (2, 8)))
    more = known * mu * rng.uniform(0, 1, mu.shape)
    size = np.abs(b).max(-1, keepdims=True)
    fast = on_rows(8, 12)
    p, x, sweeps = fast(K, K, b, mu, more, size)
    assert fast.runs == (500, 0)
    np.testing.assert_allclose(x, (K.mT @ p[..., None])[..., 0], atol=1e-11)
    settled = sweeps[:, 0] < contacts.MOST_SWEEPS
    assert settled.mean() > 0.95 and np.median(sweeps) < 150
    several, compared = 0, 0
    for k in np.flatnonzero(settled):
        W = K[k] @ K[k].T
        assert broken(W, b[k], mu[k], more[k], p[k]) < 1e-8
        if k % 4:
            continue
        own = given[k][1].size
        other = contact_impulses(W[:own, :own], b[k, :own], mu[k, : own // 3], more[k, : own // 3])
        apart = np.abs(W[:, :own] @ (other - p[k, :own])).max()
        several += apart > 1e-10 * size[k, 0]
        compared += 1
    # Coulomb's law has more than one motion in few of them: each obeys it
    assert compared > 100 and several < 0.04 * compared


def problems_of(motion, monkeypatch):
    """Return W, b and mu of all contact problems that a motion solves."""
    met = []

    def noted(W, b, mu, known, **options):
        met.append((W, b, mu))
        return contact_impulses(W, b, mu, known, **options)

    monkeypatch.setattr(blows, "contact_impulses", noted)
    assert not motion().reason
    return met


def slides(spin=0.0):
    """A box that is thrown along a floor, flat on it."""
    chain = Chain([box(size=(0.4, 0.3, 0.2))])
    q, qd = chain.neutral.astype(float), np.array([0, 0, spin, 1.5, 0.4, 0])
    q[2] = 0.1
    floor = points_on_plane(chain, {0: corners((0.4, 0.3, 0.2))}, friction=0.4)
    return simulate_contact(chain, floor, q, qd, t=np.linspace(0, 0.3, 31), step=0.01)


def spins():
    """The same, which also turns: how the weight is shared among its corners is open, and so is what slows the turn."""
    return slides(spin=2.0)


def stands(count=3):
    """Boxes one upon the other."""
    chain, find, q = stack(count)[:3]
    return simulate_contact(chain, find, q, np.zeros(chain.nv), t=np.linspace(0, 0.1, 6), step=0.02)


def bounces():
    """A ball that falls, spins and bounces."""
    chain = Chain([ball()])
    q, qd = chain.neutral.astype(float), np.array([3.0, 20, 0, 1, 0, 0])
    q[2] = 0.15
    find = points_on_plane(chain, {0: [[0, 0, 0]]}, radius=0.1, friction=0.3, restitution=0.6)
    return simulate_contact(chain, find, q, qd, t=np.linspace(0, 0.6, 61), step=0.01)


@pytest.mark.parametrize("motion", [slides, spins, stands, bounces])
def test_problems_of_scenes(motion, monkeypatch):
    """The same velocities as by Newton's method, where they are unique, with K = W and A = 1: singular W too."""
    fast, met = on_rows(12, 36), problems_of(motion, monkeypatch)
    for W, b, mu in met:
        c, m = len(b), len(mu)
        K, A = padded(W, 36, 36), padded(np.eye(c), 36, 36)
        size = np.array([np.abs(b).max()])
        given = padded(b, 36), padded(mu, 12)
        p, _, sweeps = fast(K, A, *given, np.zeros(12), size)
        assert sweeps < 1000
        assert broken(W, b, mu, 0 * mu, p[:c]) < 1e-8
        apart = np.abs(W @ (contact_impulses(W, b, mu) - p[:c])).max()
        assert apart <= (1e-10 if motion is not spins else 1e-2) * size
        if sweeps < contacts.FIRST_SWEEPS:  # nothing else was needed
            turned = impulses_by_turns(W, b, mu, 0 * mu, int(sweeps[0]) + 1)
            np.testing.assert_allclose(p[: 3 * m], turned, atol=1e-9 * np.abs(turned).max())
    assert len(met) >= 5 and fast.runs == (len(met), 0)


def test_machine_code_turns_as_python_does():
    rng = np.random.default_rng(0)
    fast = on_rows(8, 12)
    for _ in range(3):
        K, b, mu = random_problem(rng, most=3)
        given = padded(K, 24, 12), padded(K, 24, 12), padded(b, 24), padded(mu, 8)
        size = np.array([np.abs(b).max()])
        own, slow = fast(*given, np.zeros(8), size), solved(*given, np.zeros(8), size)
        assert own[2] == slow[2]
        for one, other in zip(own, slow, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12 * (1 + np.abs(other).max()))


def test_a_start_that_solves_it_takes_no_sweep():
    rng = np.random.default_rng(1)
    K, b, mu = random_problem(rng)
    size = np.array([np.abs(b).max()])
    p, _, sweeps = solved(K, K, b, mu, 0 * mu, size)
    again, x, none = solved(K, K, b, mu, 0 * mu, size, p)
    assert sweeps > 1 and none <= 1
    np.testing.assert_allclose(again, p, atol=1e-12 * np.abs(p).max())
    np.testing.assert_allclose(x, K.T @ p, atol=1e-12 * np.abs(p).max())


def test_yielding_leads_sooner_to_where_sweeps_lead(monkeypatch):
    """The first step of five boxes that stand on each other: a fifth of the sweeps, and the law holds as well."""
    met = problems_of(lambda: stands(5), monkeypatch)
    W, b, mu = met[0]
    c, m = len(b), len(mu)
    given = W, np.eye(c), b, mu, 0 * mu, np.array([np.abs(b).max()])
    p, _, sweeps = on_rows(m, c)(*given)
    monkeypatch.setattr(contacts, "FIRST_SWEEPS", contacts.MOST_SWEEPS)
    slow, _, many = on_rows(m, c)(*given)
    assert 5 * sweeps < many < contacts.MOST_SWEEPS
    for own in (p, slow):
        assert broken(W, b, mu, 0 * mu, own) < 1e-8
    np.testing.assert_allclose(W @ p, W @ slow, atol=1e-10 * np.abs(b).max())
