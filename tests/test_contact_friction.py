"""Coulomb's law in its three forms: as a linear complementarity problem, by turns, and by modes."""

import numpy as np
import pytest

from chaindyn.complementarity import (
    contact_impulses,
    contact_turn,
    coulomb_conditions,
    impulses_by_modes,
    impulses_by_turns,
    pyramid_impulse,
)
from chaindyn.friction import cone_margins
from chaindyn.guards.cones import sticking_impulses


def random_contacts(seed, m, k, nv):
    """W and b of m contacts with k components each, with random rows."""
    rng = np.random.default_rng(seed)
    K = rng.normal(size=(k * m, nv))
    return K @ K.T, K @ rng.normal(size=nv)


def test_conditions_of_a_box_that_slides_to_the_right_in_a_plane():
    """It pushes with 2 and slips with 3, friction is against it and full: all products vanish."""
    both = np.array([[1.0], [-1.0]])
    z, v, none = np.array([2.0, 0, 1.0, 3.0]), np.array([0.0, 3.0]), np.array(0.0)
    np.testing.assert_array_equal(pyramid_impulse(z, both), [2, -1])
    np.testing.assert_array_equal(coulomb_conditions(z, v, np.array(0.5), none, both), [0, 6, 0, 0])
    with_more = coulomb_conditions(z, v, np.array(0.5), np.array(0.25), both)
    assert with_more[-1] == 0.25


def test_what_a_cone_leaves():
    p = np.array([[2.0, 0.6, -0.8], [1.0, 0, 0.5], [-1.0, 0, 0]])
    margins = cone_margins(p, np.array([0.4, 0.5, 0]), np.array([0.0, 0.1, 0]))
    np.testing.assert_allclose(margins, [[2, -0.2], [1, 0.1], [-1, 0]], atol=1e-15)


def test_turns_find_what_sticks_in_space():
    W, b = random_contacts(1, 3, 3, 14)
    much = np.full(3, 50.0)
    b[0::3] = -np.abs(b[0::3])
    stuck = sticking_impulses(W, b, much, np.zeros(3), cone_margins)
    if stuck is None:  # some contact would have to pull
        b = -W @ np.tile([1.0, 0.2, -0.3], 3)
        stuck = sticking_impulses(W, b, much, np.zeros(3), cone_margins)
    np.testing.assert_allclose(impulses_by_turns(W, b, much, np.zeros(3), 20000), stuck, atol=1e-9)


def test_pyramids_of_more_sides_come_nearer_to_the_cone():
    W, b = random_contacts(3, 3, 3, 12)
    mu, known = np.array([0.2, 0.3, 0.4]), np.array([0.0, 0.1, 0.05])
    cones = impulses_by_turns(W, b, mu, known, 3000)
    off = [
        np.abs(contact_impulses(W, b, mu, known, facets=facets) - cones).max()
        for facets in (4, 16, 64)
    ]
    assert off[0] > 2 * off[1] > 4 * off[2]
    assert off[2] < 0.1 * off[0]


@pytest.mark.parametrize("yields", [0.1, 1, 30])
def test_impulses_that_obey_the_law_change_in_no_turn(yields):
    """Whatever stands for how a contact yields."""
    W, b = random_contacts(4, 4, 3, 15)
    mu, known = np.array([0, 0.2, 0.3, 0.5]), np.array([0, 0, 0.1, 0])
    p = impulses_by_turns(W, b, mu, known, 3000)
    v = W @ p + b
    assert (p[0::3] > 0).any()
    turned = contact_turn(
        p.reshape(4, 3), v.reshape(4, 3), yields * np.broadcast_to(np.eye(3), (4, 3, 3)), mu, known
    )
    np.testing.assert_allclose(turned.ravel(), p, atol=1e-12)
    off = contact_turn(
        1.1 * p.reshape(4, 3), v.reshape(4, 3), np.eye(3) + np.zeros((4, 3, 3)), mu, known
    )
    assert np.abs(off.ravel() - 1.1 * p).max() > 1e-3


def test_what_does_not_yield_is_left():
    p, v, zero = np.array([1.0, 0.1]), np.array([-2.0, 3.0]), np.zeros((2, 2))
    np.testing.assert_array_equal(contact_turn(p, v, zero, np.array(0.5), np.array(0.0)), p)


def test_modes_and_turns_agree_in_a_plane():
    seen = set()
    for seed in range(20):
        W, b = random_contacts(seed, 2, 2, 6)
        mu, known = np.array([0.2, 0.1]), np.zeros(2)
        (p,) = impulses_by_modes(W, b, mu, known)
        np.testing.assert_allclose(impulses_by_turns(W, b, mu, known, 4000), p, atol=1e-9)
        v = (W @ p + b)[1::2]
        seen |= {
            "open" if n == 0 else int(np.sign(np.round(s, 9)))
            for n, s in zip(p[::2], v, strict=True)
        }
    assert seen == {"open", -1, 0, 1}


def test_painleves_modes():
    """1 - 2 mu is negative: open, sticking and slipping all obey the law, or only a jam does."""
    W, mu, none = np.array([[1.0, 2], [2, 5]]), np.array([0.8]), np.zeros(1)
    assert len(impulses_by_modes(W, np.array([0.1, 3]), mu, none)) == 3
    (jam,) = impulses_by_modes(W, np.array([-0.1, 3]), mu, none)
    np.testing.assert_allclose(jam, [6.5, -3.2], atol=1e-12)


def test_an_open_contact_has_the_friction_that_is_known():
    """As in the restitution of Poisson's law: friction slows the slip, or ends it."""
    W, mu, known = np.eye(2), np.array([0.5]), np.array([0.2])
    (slowed,) = impulses_by_modes(W, np.array([1.0, 0.7]), mu, known)
    np.testing.assert_allclose(slowed, [0, -0.2], atol=1e-15)
    (ended,) = impulses_by_modes(W, np.array([1.0, -0.1]), mu, known)
    np.testing.assert_allclose(ended, [0, 0.1], atol=1e-15)
