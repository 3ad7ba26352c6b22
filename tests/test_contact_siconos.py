"""Against motions that another program computed: numbers from the reference files of Siconos's tutorials.

The files are BouncingBallTS.ref, BouncingBallED.ref, ImpactingStick.ref and
SliderCrankMoreauJeanDirectProjectionOSI.ref of github.com/siconos/siconos-tutorials, examples/mechanics, as of July
2024 (commit b6c9bfd). Some rows of each are quoted here.
"""

import numpy as np
import pytest
from contacts import Touch

from chaindyn import Chain, Link, Prismatic, Revolute, forward_kinematics, simulate_contact
from chaindyn.simulation import kinetic_energy, potential_energy

NONE = (0, (0, 0, 0), np.zeros((3, 3)))

# t [s], height [m], velocity [m/s] of a ball dropped from 1 m, e = 0.9, g = 9.81; Moreau-Jean, h = 0.005, theta = 1/2
BALL = np.array([
    [1, 0.7140385, -1.373399999999999],
    [2, 0.00105996250000067, -3.585554999999998],
    [3, 0.4229361921250006, -0.3144595499999977],
    [4, 0.2648918597162505, 0.4991862645000014],
    [5, 0.151353680262514, -0.7522581257549901],
    [6, 0.06651538446213634, -0.742746976324602],
    [7, 0.02739785245603675, 0.2848801105499127],
    [8, 0.003772093865338502, -0.1007900025002139],
    [9, -2.288618062346925e-05, -2.143488775363522e-09],
    [10, -2.288618090550717e-05, 0],
])  # fmt: skip

# the same ball by events: number of the blow, its time [s], the speed with which it arrives [m/s]
BLOWS = np.array([
    [0, 0.4515236409857308, 4.429446918070019],
    [1, 1.264266194760045, 3.98650222626301],
    [2, 1.995734493156927, 3.587852003636701],
    [9, 5.43021800258527, 1.716058490998146],
    [19, 7.481054503936557, 0.5983525977613898],
    [29, 8.196136976127221, 0.2086326504166936],
    [43, 8.491374025642981, 0.04772845842674625],
])  # fmt: skip

# a stick of 1 kg and 1 m whose end slides over a floor, e = 1, mu = 0.01, g = 10, h = 1e-4: t; x, y, angle; their rates
STICK = np.array([
    [0.0604, 0.3233532036515409, 0.3513712847668901, 0.7915171645398604,
     -0.5037388347232359, -0.1301165276764109, 1.680022848791993],
    [0.1, 0.303405145796493, 0.3383778702709042, 0.8580460693520362,
     -0.5037388347232359, -0.5261165276764048, 1.680022848791993],
    [0.1636, 0.2713671994867853, 0.2847077012404237, 0.9649721249217256,
     -0.50686726067093, -0.8492739329069745, 3.212070578753687],
    [0.2, 0.2529172311983667, 0.2471693300826099, 1.081891493988364,
     -0.50686726067093, -1.213273932906967, 3.212070578753687],
])  # fmt: skip
STICK_BLOWS = np.array([[0.3738834723235903, -0.003738834723235902],
                        [0.3128425947694162, -0.003128425947694162]])  # fmt: skip

# slider-crank: t; turns of the crank, angle of the rod; their rates [1/s]; the slider keeps straight. A blow at 0.0029
CRANK = np.array([
    [0.001, 0.02325427977634569, -0.07260763177989915, 139.232668072484, -68.3446758711218],
    [0.002, 0.04393614652195465, -0.135101852877576, 120.8242092110994, -56.68029347554309],
    [0.0028, 0.05849139036606102, -0.1773070469554079, 108.5475359715187, -48.60285236837927],
])  # fmt: skip


def dropped():
    """A ball over a floor, at 1 m, by one coordinate."""
    chain = Chain(
        [Link(Prismatic((0, 0, 1)), 1, (0, 0, 0), np.zeros((3, 3)))], gravity=(0, 0, -9.81)
    )

    def find(q):
        return [Touch((0, -1), (0, 0, 0), (0, 0, 1), q[0], 0, 0.9)]

    return chain, find, np.array([1.0]), np.zeros(1)


@pytest.mark.parametrize("end", [2, pytest.param(10, marks=pytest.mark.nightly)])
def test_a_bouncing_ball_step_by_step(end):
    """The same method and step: 2000 steps and all blows agree to rounding."""
    motion = simulate_contact(*dropped(), t=np.arange(end + 1.0), step=0.005)
    assert motion.q[1:, 0] == pytest.approx(BALL[:end, 1], abs=1e-13)
    assert motion.qd[1:, 0] == pytest.approx(BALL[:end, 2], abs=1e-12)
    if end == 10:
        assert len(motion.log.t) == 345


def test_a_bouncing_ball_by_events():
    motion = simulate_contact(*dropped(), t=[0, 8.5], step=0.5, method="events")
    blows = motion.log.kind == "blow"
    assert blows.sum() == 44
    k = BLOWS[:, 0].astype(int)
    assert motion.log.t[blows][k] == pytest.approx(BLOWS[:, 1], abs=1e-11)
    assert motion.log.impulses[blows, 2][k] == pytest.approx(1.9 * BLOWS[:, 2], abs=1e-10)


def stick():
    """A stick in a plane: two slides and a hinge at its middle; its angle is that to the vertical."""
    body = 1, (0, 0, 0), np.diag([0, 1 / 12, 1 / 12])
    joints = Prismatic((1, 0, 0)), Prismatic((0, 0, 1)), Revolute((0, -1, 0))
    chain = Chain(
        [Link(j, *x) for j, x in zip(joints, (NONE, NONE, body), strict=True)], gravity=(0, 0, -10)
    )

    def find(q):
        place = np.array([q[0] + np.sin(q[2]) / 2, 0, 0])
        return [Touch((2, -1), place, (0, 0, 1), q[1] - np.cos(q[2]) / 2, 0.01, 1)]

    middle = np.sqrt(0.125)
    return chain, find, np.array([middle, middle + 0.01, np.pi / 4]), np.array([-0.5, 0.1, 0.1])


def test_a_stick_that_strikes_and_slides():
    """Siconos takes the rows of a blow where the step begins, we where it ends: the stick turns by 1e-4 between."""
    end = 2  # of the first flight and blow; all four rows in the nightly run
    motion = simulate_contact(*stick(), t=[0, *STICK[:end, 0]], step=1e-4)
    assert motion.log.t == pytest.approx(STICK[:1, 0])
    assert motion.log.impulses[:, [2, 0]] == pytest.approx(STICK_BLOWS[:1], abs=1e-5)
    assert motion.q[1:] == pytest.approx(STICK[:end, 1:4], abs=1e-5)
    assert motion.qd[1:] == pytest.approx(STICK[:end, 4:], abs=5e-5)


@pytest.mark.nightly
def test_a_stick_that_strikes_twice():
    motion = simulate_contact(*stick(), t=[0, *STICK[:, 0]], step=1e-4)
    assert motion.log.t == pytest.approx(STICK[[0, 2], 0])
    assert motion.log.impulses[:, [2, 0]] == pytest.approx(STICK_BLOWS, abs=1e-4)
    assert motion.q[1:] == pytest.approx(STICK[:, 1:4], abs=2e-5)
    assert motion.qd[1:] == pytest.approx(STICK[:, 4:], abs=4e-4)


def test_the_stick_by_events():
    """Blows are found where they are, up to a step before Siconos's."""
    motion = simulate_contact(*stick(), t=[0, 0.2], step=2e-3, method="events")
    late = STICK[[0, 2], 0] - motion.log.t
    assert (late > 0).all()
    assert (late < 3.5e-4).all()  # the second inherits what the first lost
    assert motion.log.impulses[:, [2, 0]] == pytest.approx(STICK_BLOWS, rel=2e-3)


CRANKSHAFT, ROD, HALF, WIDE, PLAY = 0.153, 0.306, 0.05, 0.025, 0.001


def slider_crank():
    """Flores, Leine and Glocker (2010), Table 1: crank, rod, and a slider whose corners have play in their guide."""
    parts = [
        (0.038, (CRANKSHAFT / 2, 0, 0), 7.4e-5, 0),
        (0.038, (ROD / 2, 0, 0), 5.9e-4, CRANKSHAFT),
        (0.076, (0, 0, 0), 2.7e-6, ROD),
    ]
    pin = Revolute((0, -1, 0))
    chain = Chain(
        [Link(pin, m, c, np.diag([0, J, J]), offset=(x, 0, 0)) for m, c, J, x in parts],
        gravity=(0, 0, -9.81),
    )

    def find(q):
        R, p = (x[-1] for x in forward_kinematics(chain, q))
        found = []
        for x in (-HALF, HALF):
            for side in (1, -1):
                place = p + R @ [x, 0, side * WIDE]
                gap = WIDE + PLAY - side * place[2]
                found.append(Touch((2, -1), place, (0, 0, -side), gap, 0.01, 0.4))
        return found

    return chain, find, np.zeros(3), np.array([150.0, -225.0, 75.0])  # the slider does not turn


def test_the_slider_crank_comes_to_its_first_blow():
    """The energy of Siconos's reference changes by 1% before anything touches; ours by less than 1e-6.

    A step with M(q) of its end, which is of first order, gives its rates to 1e-4. So no more than this can be
    compared: until the guide is struck the rates differ by less than 0.5%; the blow comes within two and a half of its
    steps, and both corners of one side take it.
    """
    chain, find, q, qd = slider_crank()
    motion = simulate_contact(
        chain, find, q, qd, t=[0, *CRANK[:2, 0], 0.0029], step=1e-4, method="events"
    )
    rates = np.cumsum(motion.qd[1:3], axis=1)
    angles = np.cumsum(motion.q[1:3], axis=1)
    assert rates[:, :2] == pytest.approx(CRANK[:2, 3:], rel=5e-3)
    assert angles[:, 0] == pytest.approx(2 * np.pi * CRANK[:2, 1], rel=1.2e-3)
    assert angles[:, 1] == pytest.approx(CRANK[:2, 2], rel=1.2e-3)
    assert np.abs(angles[:, 2]).max() < 1e-12
    assert motion.energy[:3] == pytest.approx(motion.energy[0], rel=1e-6)
    places = np.stack([2 * np.pi * CRANK[:, 1], CRANK[:, 2], 0 * CRANK[:, 0]], axis=-1)
    turning = np.stack([CRANK[:, 3], CRANK[:, 4], 0 * CRANK[:, 0]], axis=-1)
    apart = [np.diff(x, axis=-1, prepend=0) for x in (places, turning)]
    theirs = kinetic_energy(chain, *apart) + potential_energy(chain, apart[0])
    assert 0.005 < np.ptp(theirs) / motion.energy[0] < 0.02
    log = motion.log
    assert log.t == pytest.approx(np.full(2, log.t[0]))
    assert 0.0026 < log.t[0] < 0.0029
    assert log.normals == pytest.approx(np.full((2, 3), (0, 0, -1)))
    after = np.cumsum(motion.qd[-1])
    speeds = [CRANKSHAFT * np.cos(motion.q[-1, 0]), ROD * np.cos(motion.q[-1, :2].sum())] @ after[
        :2
    ]
    assert -2 < speeds < 0  # it comes back from the guide
