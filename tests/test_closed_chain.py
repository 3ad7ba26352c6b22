"""Five bars hinged in a ring that hangs from one hinge: it stays closed for as long as it swings.

All bars are equally long, and five is odd, so that they can never all be parallel: the rows always have full rank.
"""

import numpy as np
import pytest

from chaindyn import (
    Chain,
    Closure,
    Link,
    Revolute,
    assemble,
    constraint_jacobian,
    kinetic_energy,
    potential_energy,
    simulate,
)

STEP = 1 / 40  # seconds


def ring():
    """Return the ring, cut at its hinge in the ground, and a closed posture that is no equilibrium."""
    rod = 1.0, (0.5, 0, 0), np.diag([0, 1 / 12, 1 / 12])
    links = [Link(Revolute((0, -1, 0)), *rod, offset=(i > 0, 0, 0)) for i in range(5)]
    chain, hinge = Chain(links), Closure(Revolute((0, 1, 0)), 4, 0, offset=(1, 0, 0))
    return chain, hinge, assemble(chain, hinge, np.array([-2.2, 0.9, 1.1, 1.5, 1.3]))


def swing(end, step, marks):
    """Return the motion of the ring from rest, by steps of RK4 with projection."""
    chain, hinge, q = ring()
    return simulate(
        chain,
        q,
        np.zeros(5),
        t=np.linspace(0, end, marks + 1),
        constraints=hinge,
        stabilisation="projection",
        method="RK4",
        step=step,
        progress=False,
    )


def require_closed(motion, end):
    """Closed by the ends of the bars themselves, and at the velocities too."""
    assert not motion.reason and motion.t[-1] == end
    assert np.abs(motion.gap).max() < 1e-8 and np.abs(motion.gap_rate).max() < 1e-8
    upwards, turning = np.cumsum(motion.q, axis=1), np.cumsum(motion.qd, axis=1)
    along = np.exp(1j * upwards)
    assert np.abs(along.sum(1)).max() < 1e-8
    assert np.abs((turning * along).sum(1)).max() < 1e-8


def lost(motion):
    """Return by how much the energy is off what it was, at every mark [J], from the state alone."""
    chain, *_ = ring()
    energy = kinetic_energy(chain, motion.q, motion.qd) + potential_energy(chain, motion.q)
    return energy - energy[0]


def test_a_ring_of_five_has_three_freedoms_everywhere():
    chain, hinge, q = ring()
    K = constraint_jacobian(chain, hinge, q)
    assert np.linalg.matrix_rank(K, tol=1e-9) == 2
    motion = swing(1.0, STEP, 20)
    sizes = np.linalg.svd(constraint_jacobian(chain, hinge, motion.q), compute_uv=False)
    assert sizes[:, 1].min() > 0.3 and sizes[:, 2].max() < 1e-12


def test_a_ring_stays_closed_and_its_energy_errs_with_the_fourth_power_of_the_step():
    coarse, fine = swing(5.0, 2 * STEP, 10), swing(5.0, STEP, 10)
    for motion in (coarse, fine):
        require_closed(motion, 5.0)
    speed = np.abs(fine.qd).max()
    assert speed > 3  # it does swing
    ratio = np.abs(lost(coarse)).max() / np.abs(lost(fine)).max()
    assert 12 < ratio < 40  # between the fourth and the fifth power of two, and a little more
    assert np.abs(lost(fine)).max() < 3e-3


@pytest.mark.nightly
def test_a_ring_stays_closed_for_ten_minutes():
    """Its energy is off by no more than the rate of the first seconds, times a few, says."""
    short, long = swing(5.0, STEP, 20), swing(600.0, STEP, 600)
    require_closed(long, 600.0)
    assert np.abs(long.qd).max() > 3
    rate = np.abs(lost(short)).max() / 5
    assert np.abs(lost(long) / np.maximum(long.t, 5)).max() <= 3 * rate
    assert np.all(np.isfinite(long.q))
