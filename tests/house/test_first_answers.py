"""The numbers that the first pages' answers say in words, computed anew."""

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from chaindyn import X_force, X_motion, forward_kinematics, impact, wrench
from chaindyn.models.robots import UR5_FLANGE, ur5

ROOT = Path(__file__).resolve().parents[2]


def answer(page):
    """Return what stands under "The answer" of a page, in one line."""
    (path,) = ROOT.glob(f"{page}*.md")
    text = path.read_text(encoding="utf-8").split("\n## The answer\n")[1].split("\n## ")[0]
    return " ".join(text.split())


def test_the_blow_of_the_opening_page():
    arm, q = ur5(), np.array([-0.3, -1.2, 1.3, -0.2, 1.4, 0.4])
    qd = np.array([0.2, 1.5, -1.0, -0.6, 0.5, 0.4])
    R, p = forward_kinematics(arm, q)
    blow = impact(arm, q, qd, point=p[-1] + R[-1] @ UR5_FLANGE, normal=(-1, 0, 0), restitution=0.5)
    said = answer("book/intro")
    assert f"**The blow is {blow.impulse:.2f} N s**" in said
    assert f"a ball of {blow.effective_mass:.2f} kg" in said
    assert 1 / 8 < blow.effective_mass / arm.mass.sum() < 1 / 7
    carried = np.linalg.norm(blow.joint_impulses[:, 3:], axis=1)
    assert abs(carried[0] - carried[1]) < 1e-12 and (arm.com[0][:2] == 0).all()
    assert 1 / 8.5 < carried[0] / blow.impulse < 1 / 7.5


def test_the_powers_on_the_wheel_of_chapter_1():
    said, wheel = answer("chapters/01"), np.array([0, 20, 0, 0, 0, 0])
    hub = np.eye(3), [0, 0, 0.3]
    seen = X_motion(*hub) @ wheel
    assert seen.tolist() == [0, 20, 0, 6, 0, 0] and "[0, 20, 0;\\; 6, 0, 0]" in said
    road = X_force(*hub) @ (50 * wrench([0, 0, 0], [1, 0, 0]))
    assert road.tolist() == [0, -15, 0, 50, 0, 0] and "[0, -15, 0;\\; 50, 0, 0]" in said
    rest = np.array([0, 15, 0, -50, 0, 0])
    assert not (road + rest).any() and "[0, 15, 0;\\; -50, 0, 0]" in said
    assert [seen @ road, seen[1] * rest[1], seen[3] * rest[3]] == [0, 300, -300]


def test_the_turn_of_the_telescope_in_chapter_2():
    """The way with all three angles together by a fine polygon, where the chapter integrates."""
    share = np.linspace(0, 1, 20001)[:, None]
    way = Rotation.from_euler("XYZ", share * [170, 170, 170], degrees=True)
    together = np.degrees((way[:-1].inv() * way[1:]).magnitude().sum())
    said, turn = answer("chapters/02"), way[-1].as_rotvec(degrees=True)
    assert f"**{np.linalg.norm(turn):.1f}°**" in said
    assert f"all three angles together {together:.0f}" in said
    assert np.degrees(np.arccos(turn @ [-1, 1, -1] / np.linalg.norm(turn) / np.sqrt(3))) < 10


def test_how_fast_the_book_of_chapter_3_leaves_its_middle_axis():
    """By the moments of its particles, and by small steps of Euler's equation in place of the chapter's integrator."""
    sides, counts = np.array([0.24, 0.16, 0.03]), np.array([12, 8, 3])
    squares = 0.9 * sides**2 / 12 * (1 - 1 / counts**2)
    moments = squares.sum() - squares
    said = answer("chapters/03")
    for moment in moments:
        assert f"{1e4 * moment:.1f} about the" in said
    one, two, three = moments
    sigma = 10 * np.sqrt((three - two) * (two - one) / (one * three))
    assert f"$\\sigma = {sigma:.1f}$ per second" in said and 20 < np.exp(sigma / 2) < 21
    assert f"$\\ln 1000/\\sigma = {np.log(1000) / sigma:.1f}$ s" in said

    def rate(w):
        return np.cross(moments * w, w) / moments

    w, t, h = np.array([0.01, 10, 0.01]), 0.0, 1e-3
    while w[1] > 0:
        t, w = t + h, w + h * rate(w + h / 2 * rate(w))
    assert f"after {t:.1f} s the component" in said
