"""The numbers that some pages' answers say in words, computed anew."""

import json
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from chaindyn import Chain, Link, Revolute, X_force, X_motion, forward_kinematics, impact, wrench
from chaindyn.models.robots import UR5_FLANGE, ur5

ROOT = Path(__file__).resolve().parents[2]
RUNS = ("aba", "compiled", "loops", "contact", "contact_compiled")


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
    page = " ".join((ROOT / "book" / "intro.md").read_text("utf-8").split())
    short = page[page.index("In short: ") : page.index("Try it yourself.")]
    assert f"{blow.impulse:.2f} N s" in short and f"{blow.effective_mass:.2f} kg" in short
    arrives = blow.impulse / blow.effective_mass / 1.5
    assert f"at {arrives:.2f} m/s and leaves it with half" in short
    large, wrists = np.abs(blow.qd_jump[:3]), np.abs(blow.qd_jump[3:5])
    assert 0.2 < large.max() < 0.25 and f"by {wrists[0]:.1f} and {wrists[1]:.1f} rad/s" in short
    assert f"from {carried.min():.2f} N s" in short and f"to {carried.max():.2f} N s" in short
    assert [carried.argmin() in (0, 1), carried.argmax()] == [True, 5]


def test_the_rod_that_the_opening_page_solves_by_hand():
    rod = Chain([Link(Revolute(), 3, (0.5, 0, 0), np.diag([0, 0.25, 0.25]))])
    hit = impact(rod, [0.0], [-1.0], point=(1, 0, 0), normal=(0, 1, 0), restitution=0.5)
    found = hit.effective_mass, hit.impulse, hit.qd_jump[0], hit.joint_impulses[0, 4]
    assert np.allclose(found, [1, 1.5, 1.5, 0.75], rtol=0, atol=1e-14)


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


def five_rods(t, y):
    """The rates of five rods by Newton's law for their centres, where the chapter has Lagrange's equations."""
    angles, rates = y[:5], y[5:]
    share = np.tril(np.ones((5, 5)), -1) + np.eye(5) / 2  # of rod i, on the way to the centre of k
    across = np.stack([-np.cos(angles), np.sin(angles)], axis=-1)
    along = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    J = share[:, :, None] * across
    M = np.einsum("kic,kjc->ij", J, J) + np.eye(5) / 12
    pull = np.array([0, -9.81]) - share @ (along * rates[:, None] ** 2)
    return np.concatenate([rates, np.linalg.solve(M, np.einsum("kic,kc->i", J, pull))])


def tips_of_five_rods(until, higher, tolerance):
    times = np.linspace(0, until, 20 * until + 1)
    start = np.concatenate([np.full(5, -np.pi / 2 - higher), np.zeros(5)])
    y = solve_ivp(five_rods, (0, until), start, "DOP853", times, rtol=tolerance, atol=tolerance).y
    return times, -np.stack([np.sin(y[:5]).sum(0), np.cos(y[:5]).sum(0)])


def test_where_the_five_rods_of_chapter_11_are_and_when_a_wooden_chain_is_lost():
    said = answer("chapters/11")
    _, exact = tips_of_five_rods(10, 0, 1e-12)
    assert (
        f"{-100 * exact[1, -1]:.0f} cm below it and {100 * exact[0, -1]:.0f} cm to the side" in said
    )
    times, beside = tips_of_five_rods(7, 1e-4 / 5, 1e-9)
    apart = np.linalg.norm(beside - exact[:, : len(times)], axis=0)
    lost = [times[apart > length][0] for length in (0.01, 0.1, 1)]
    words = (
        "a centimetre off after {:.0f} s, a decimetre after {:.1f} s, and a metre after {:.1f} s"
    )
    assert words.format(*lost) in said


def test_what_finding_contacts_costs_in_chapter_19():
    us = json.loads((ROOT / "book/speed_contact.json").read_text("utf-8"))["contacts"]["us"]
    said, find, theirs = answer("chapters/19"), us["find"], us["MuJoCo"]
    assert f"takes {find['4'] / 1e3:.1f} ms for one box" in said
    assert f"and {find['40'] / 1e3:.1f} ms for ten boxes" in said
    assert f"some {(find['40'] - find['4']) / 36:.0f} µs for each" in said
    assert (
        f"{theirs['4']:.0f} µs for a whole step" in said
        and f"{theirs['40']:.0f} µs with forty" in said
    )
    assert min(find[n] / theirs[n] for n in find) > 50 and "at least 50 times" in said


def test_what_the_page_on_speed_says_of_engines():
    """Its first words and its table hold the numbers of the runs that are kept."""
    kept = {x: json.loads((ROOT / f"book/speed_{x}.json").read_text("utf-8")) for x in RUNS}
    page = " ".join((ROOT / "book/speed.md").read_text("utf-8").split())
    opening, table = page.split("## The answer")[0], page.split("## Which engine for what")[1]
    aba, compiled, loops, contact, beside = kept.values()
    one, many = compiled["calls"], compiled["batch"]["microseconds"]
    slow, slow_batch = aba["calls"]["chaindyn"]["7"], aba["batch"]["functions"]["aba"]
    assert f"takes {one['aba']['7']:.1f} µs" in opening
    assert f"and {many['one thread']:.2f} µs in a batch" in opening
    assert f"Pinocchio takes {one['Pinocchio, aba']['7']:.1f} µs" in opening
    assert f"{slow:.0f} µs, and {slow_batch['chaindyn']:.0f} µs in a batch" in opening
    assert (
        f"Pinocchio {one['Pinocchio, aba']['7']:.1f}, MuJoCo {one['MuJoCo, forward']['7']:.1f}"
        in table
    )
    motions = compiled["rollouts"]["microseconds"]["a thousand"]
    assert f"motions {motions['chaindyn']:.2f}, `mujoco.rollout` {motions['MuJoCo']:.1f}" in table
    five = loops["five_bar"]["one_us"]
    assert f"five-bar {five['chaindyn, compiled']:.1f} µs" in table
    assert f"`lcaba` {five['Pinocchio, lcaba']:.1f}, MuJoCo {five['MuJoCo']:.1f}" in table
    foot, rod = (loops["four_bars"][cut]["calls"] for cut in ("foot", "rod"))
    best = [
        min(cut[name]["100"] for cut in (foot, rod) if "100" in cut[name])
        for name in ("Pinocchio, lcaba", "MuJoCo")
    ]
    own = rod["chaindyn, compiled"]["100"]
    assert f"100 loops {own:.0f}, their best {best[0]:.0f} and {best[1]:.0f} |" in table
    lcaba, MuJoCo, own = (
        foot[name] for name in ("Pinocchio, lcaba", "MuJoCo", "chaindyn, compiled")
    )
    some = f"at 20 loops {lcaba['20']:.0f} µs, MuJoCo {MuJoCo['20']:.0f}, ours, compiled, {own['20']:.0f}"
    many = f"at 100 loops {lcaba['100']:.0f} and {MuJoCo['100']:.0f}, ours {own['100']:.0f}"
    assert f"{some}; {many} |" in table
    kept = list(compiled["matrices"].values())
    ratios = [
        own[n] / peer[n] for own, peer in zip(kept[::2], kept[1::2], strict=True) for n in own
    ]
    assert f"2 to 50 links, {min(ratios):.1f} to {max(ratios):.1f} of Pinocchio's" in table
    starts, worst = compiled["starting"], loops["mechanisms"]["Stewart platform"]["first_s"]
    assert f"{starts['first, 7 links']:.1f} s for a chain, {worst:.0f} s for a Stewart" in table
    speeds = {
        name: [x["steps_a_second"] for x in steps.values()]
        for name, steps in contact["fall"]["engines"].items()
    }
    theirs = speeds["MuJoCo, soft"] + speeds["MuJoCo, stiff"]
    thousands = [1000 * round(x / 1000) for x in (min(theirs), max(theirs))]
    assert "{:,} to {:,} steps a second".format(*thousands).replace(",", " ") in table
    assert f"{min(speeds['chaindyn']):.0f} to {max(speeds['chaindyn']):.0f} interpreted" in table
    ratios = [x for step in beside["ratios"].values() for x in step.values()]
    assert f"{min(ratios):.1f} to {max(ratios):.0f} times as long as MuJoCo" in table
    tools = compiled["tools"]["microseconds"]
    assert f"{tools['CasADi, its C']:.2f} µs in its C" in table
    assert f"{tools['JAX, a batch']:.1f} µs a state; ours {tools['compiled, a batch']:.2f}" in table
