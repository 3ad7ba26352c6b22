"""The page of tasks: every block runs as it stands, and what it finds keeps a law."""

import re
from pathlib import Path

import numpy as np
import pytest

import chaindyn as cd
import chaindyn.models.robots

PAGE = Path(__file__).parents[1] / "book" / "i_want_to.md"
TASK = re.compile(r"^### (.+?)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
TASKS = {title: text for title, text in TASK.findall(PAGE.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("title", TASKS)
def test_a_task_has_one_block_of_a_few_lines_and_says_what_to_read(title):
    (block,) = BLOCK.findall(TASKS[title])
    lines = [line for line in block.splitlines() if line.strip()]
    assert 3 <= len(lines) <= 13, len(lines)
    assert max(map(len, lines)) <= 100
    assert "To read: " in TASKS[title]


# What each task finds must be true ------------------------------------------------------------------

URDF = """<robot name="two rods">
  <link name="foot"><inertial><mass value="3"/>
    <inertia ixx="0.05" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 0.25"/><mass value="2"/>
    <inertia ixx="0.05" iyy="0.05" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0 0 0.25"/><mass value="1"/>
    <inertia ixx="0.03" iyy="0.03" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.25"/><geometry><box size="0.05 0.05 0.5"/></geometry></visual>
    <collision><origin xyz="0 0 0.25"/><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="hip" type="revolute"><parent link="foot"/><child link="lower"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
  <joint name="knee" type="continuous"><parent link="lower"/><child link="upper"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/></joint>
</robot>"""
MJCF = """<mujoco><worldbody><body name="rod"><joint name="hinge" axis="0 1 0"/>
  <geom type="capsule" size="0.05" fromto="0 0 0 0 0 0.5"/></body></worldbody></mujoco>"""


def near(found, expected, bound=1e-8):
    assert np.abs(np.asarray(found) - expected).max() <= bound


def moving(x):
    """The state of a task, and its arm."""
    return cd.models.robots.ur5(), x["q"], x["qd"]


def reaches(x):
    R, p = cd.forward_kinematics(x["arm"], x["found"].q, "flange")
    near(p, [0.4, 0.2, 0.5], 1e-7)
    near(
        cd.forward_kinematics(x["arm"], x["turned"].q, "flange")[1], p + np.array([0, 0, 0.1]), 1e-7
    )
    near(cd.forward_kinematics(x["arm"], x["turned"].q, "flange")[0], R, 1e-7)


def is_jacobian(x):
    arm, qd, h = cd.models.robots.ur5(), np.arange(6.0), 1e-6
    ahead, behind = (cd.forward_kinematics(arm, x["q"] + s * h * qd, "flange")[1] for s in (1, -1))
    near((x["J"] @ qd)[3:], (ahead - behind) / (2 * h), 1e-6)


def speeds(x):
    arm, h = cd.models.robots.ur5(), 1e-4
    poses = [x["q"] + k * h * x["qd"] for k in (-1, 0, 1)]
    links = [cd.forward_kinematics(arm, q)[1] for q in poses]
    near(x["V"][:, 3:], (links[2] - links[0]) / (2 * h), 1e-6)
    flange = [cd.forward_kinematics(arm, q, "flange")[1] for q in poses]
    near(x["v"][3:], (flange[2] - flange[0]) / (2 * h), 1e-6)
    near(x["a"][3:], (flange[2] - 2 * flange[1] + flange[0]) / h**2, 1e-5)


def torques(x):
    state = cd.models.robots.ur5(), x["q"], x["qd"]
    near(cd.aba(*state, x["tau"]), x["qdd"], 1e-8)


def weight(x):
    arm, h = cd.models.robots.ur5(), 1e-5
    slope = [
        cd.potential_energy(arm, x["q"] + h * e) - cd.potential_energy(arm, x["q"] - h * e)
        for e in np.eye(6)
    ]
    near(cd.bias_force(arm, x["q"], np.zeros(6)), np.array(slope) / (2 * h), 1e-6)


def matrices(x):
    arm, q, qd = moving(x)
    still = cd.bias_force(arm, q, 0 * qd)
    near(x["C"] @ qd + still, cd.bias_force(arm, q, qd))
    near(cd.kinetic_energy(arm, q, qd), qd @ x["M"] @ qd / 2)


def pushed(x):
    arm, q, _ = moving(x)
    J = cd.body_jacobian(arm, q, "forearm_link", frame="mixed")
    own = J.T @ [0, 0, 0, 0, 0, 20] - cd.bias_force(arm, q, np.zeros(6))
    near(
        cd.aba(arm, q, np.zeros(6), np.zeros(6), external=x["external"], external_frame="mixed"),
        np.linalg.solve(cd.crba(arm, q), own),
        1e-7,
    )


def hybrid(x):
    near(x["qdd"][:3], 1)
    near(x["tau"][3:], 0)
    near(cd.rnea(*moving(x), x["qdd"]), x["tau"])


def pressed(x):
    arm, q, qd = moving(x)
    external = np.zeros((6, 6))
    link, offset, _ = arm.place("flange")
    R = cd.forward_kinematics(arm, q, link)[0]
    external[link] = [
        *np.cross(R @ offset, [0, 0, 10.0]),
        0,
        0,
        10.0,
    ]  # what is pressed on pushes back
    qdd = cd.aba(arm, q, qd, x["tau"], external=external, external_frame="mixed")
    near(cd.body_jacobian(arm, q, "flange", frame="mixed") @ qdd, x["along"], 1e-7)


def held(x):
    near(cd.constraint_error(x["chain"], x["loops"], x["q"]), 0, 1e-9)
    K = cd.constraint_jacobian(x["chain"], x["loops"], x["q"])
    near(K @ x["qdd"], 0, 1e-8)


def holds(x):
    chain, loops, q = x["chain"], x["loops"], x["q"]
    qdd, _ = cd.constrained_forward_dynamics(chain, loops, q, 0 * q, x["tau"])
    near(qdd, 0, 1e-7)


def struck(x):
    J = cd.body_jacobian(cd.models.robots.ur5(), x["q"], "flange", frame="mixed")[4]
    before, after = -J @ x["qd"], -J @ (x["qd"] + x["blow"].qd_jump)
    assert before < 0
    near(after, -0.5 * before)


def came_to_rest(x):
    z = x["run"].q[:, 2]
    assert z.min() > 0.0999
    near(z[-1], 0.1, 0.02)


def fell(x):
    z, robot = x["run"].q[:, 2], x["robot"]
    assert not x["run"].reason and robot.names[0] == "foot" and len(x["run"].log.t)
    near(z[1], 0.3 - 9.81 * x["run"].t[1] ** 2 / 2, 1e-3)


def named(x):
    near(x["q"], [0.1, 0.4])
    near(x["robot"].named_q(x["q"])["hip"], 0.1)


def filmed(_):
    pictures = pytest.importorskip("PIL.Image").open("fall.gif")
    assert pictures.n_frames == 26  # 25 a second, and the last


def written(x):
    assert x["header"].parent.name == "for_c" and "aba" in x["source"].read_text()


def touching(x):
    found = cd.find_contacts(cd.models.robots.ur5(), [x["forearm"], x["floor"]], x["q"], margin=1.0)
    assert found


def formula(x):
    sp, q1, q2 = x["sp"], *x["sp"].symbols("q1 q2")
    M = sp.Matrix(cd.crba(x["double"], np.array([q1, q2])))
    assert sp.simplify(M[1, 1] - x["m"] * x["length"] ** 2) == 0


def pinocchio(x):
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
    inertia = pin.Inertia(2.0, np.array([0.1, 0, 0]), np.diag([0.1, 0.2, 0.25]))
    model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    M = pin.crba(model, model.createData(), x["pinocchio"].to_q(x["body"], x["q"]))
    near(x["pinocchio"].to_matrix(x["body"], x["q"], cd.crba(x["body"], x["q"])), M)


def stands(x):
    robot, q = x["robot"], x["q"]
    near(x["tau"][:6], 0)
    near(x["ground"].sum(0)[3:], [0, 0, 9.81 * robot.mass.sum()])
    # a motor carries the moment of what is above it
    R, p = cd.forward_kinematics(robot, q)
    above = (R[2] @ robot.com[2] + p[2] - p[2])[0] * robot.mass[2] * 9.81
    near(x["tau"][7], -above)


def fastest(x):
    arm, (first, *_) = cd.models.robots.ur5(), x["T"][(x["most"] <= x["limit"]).all(-1)]
    motion = list(zip(x["q"], x["qd"], x["qdd"], strict=True))
    for T, allowed in ((first.item(), True), (first.item() - 0.01, False)):
        tau = [cd.rnea(arm, q, qd / T, qdd / T**2) for q, qd, qdd in motion]
        assert bool((np.abs(tau) <= x["limit"]).all()) == allowed
    near(x["q"][-1], x["start"] + x["way"])
    near(np.trapezoid(x["qd"], x["x"], axis=0), x["way"], 1e-4)


LAWS = {
    "Load a URDF": lambda x: near(x["robot"].upper_limit[0], 1),
    "Load an MJCF": lambda x: near(x["robot"].nv, 1),
    "Go between joint names and coordinates": named,
    "Make a film of it": filmed,
    "Let my robot fall on the floor": fell,
    "Hand it to a program in C": written,
    "Build a robot by hand": lambda x: near(
        cd.forward_kinematics(x["arm"], np.zeros(2), "tip")[1], [2, 0, 0]
    ),
    "Let the base float": lambda x: near(x["floating"].nv, 12),
    "Attach a payload": lambda x: near(x["loaded"].mass.sum() - x["arm"].mass.sum(), 2),
    "Write it to a file": lambda x: near(
        cd.crba(cd.load_urdf("ur5.urdf"), np.ones(6)), cd.crba(cd.models.robots.ur5(), np.ones(6))
    ),
    "Find the torques with which it stands": stands,
    "Find how fast it can go there": fastest,
    "Identify the friction in its joints": lambda x: near(
        x["fit_linear"](x["columns"], x["rest"][:, 5:]).estimate, [3, 5], 0.05
    ),
    "Draw my robot": lambda _: Path("robot.png").stat(),
    "Find where the hand is": lambda x: near(x["R"] @ x["R"].T, np.eye(3)),
    "Find the joint angles for a pose": reaches,
    "Find the Jacobian": is_jacobian,
    "Find speeds and accelerations": speeds,
    "Compute the torques of my robot's motion": torques,
    "Hold it against its weight": weight,
    "Find the mass matrix": matrices,
    "Push on a link": pushed,
    "Move some joints and free the others": hybrid,
    "Simulate a fall": lambda x: near(np.ptp(x["fall"].energy), 0, 1e-5),
    "Follow a trajectory": lambda x: near(x["run"].q[-1], np.sin(1), 1e-4),
    "Move the hand, and press with it": pressed,
    "Balance it": lambda x: near(
        np.linalg.eigvals(x["A"] - x["B"] @ x["gains"]).real.clip(0), 0, 0
    ),
    "Close a loop": held,
    "Find the motor torques of a mechanism": holds,
    "Hit a wall": struck,
    "Drop it on the floor": came_to_rest,
    "Find out whether parts collide": touching,
    "Differentiate the dynamics": lambda x: near(
        x["by_tau"] @ cd.crba(cd.models.robots.ur5(), x["q"]), np.eye(6)
    ),
    "Identify a payload": lambda x: near(x["fit"].estimate[0], 2, 0.02),
    "Make it fast": lambda x: near(
        x["qdd"][:50], cd.aba(cd.models.robots.ur5(), x["q"][:50], x["qd"][:50], np.zeros(6)), 1e-6
    ),
    "Run very many states, and go on where it stopped": lambda x: near(
        x["heaviest"][:9], x["heaviness"](cd.models.robots.ur5(), x["q"][:9])
    ),
    "Get a formula": formula,
    "Compare with Pinocchio or MuJoCo": pinocchio,
}


@pytest.mark.parametrize("title", TASKS)
def test_a_task_runs_as_it_stands(title, tmp_path, monkeypatch, capsys):
    if "matplotlib" in TASKS[title] or "animate" in TASKS[title]:
        pytest.importorskip("matplotlib").use("agg")
    for needed in ("sympy", "scipy"):
        if f"import {needed}" in TASKS[title] or f"from {needed}" in TASKS[title]:
            pytest.importorskip(needed)
    if title == "Load an MJCF":
        pytest.importorskip("mujoco")
    (tmp_path / "robot.urdf").write_text(URDF, encoding="utf-8")
    (tmp_path / "robot.xml").write_text(MJCF, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (block,) = BLOCK.findall(TASKS[title])
    names = {"__name__": "task"}
    exec(compile(block, title, "exec"), names)
    if title in LAWS:
        LAWS[title](names)


def test_each_law_is_of_a_task():
    assert LAWS.keys() <= TASKS.keys()
    assert len(TASKS) >= 30
