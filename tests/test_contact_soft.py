"""What chapter 22 says of soft contact: stiffness and damping in MuJoCo, restitution, and the implicit step."""

import numpy as np
import pytest

BALL = """<mujoco><option gravity="0 0 -9.81" timestep="0.001"/><worldbody>
<geom type="plane" size="1 1 1" condim="1" solref="{ref}" solimp="{imp}"/>
<body pos="0 0 .1"><freejoint/><geom size=".1" mass="{m}" condim="1" solref="{ref}" solimp="{imp}"/></body>
</worldbody></mujoco>"""
G = 9.81


@pytest.fixture
def mujoco():
    return pytest.importorskip("mujoco", reason="MuJoCo is not installed")


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize(
    ("time", "ratio", "d"), [(0.02, 1, 0.9), (0.05, 0.7, 0.8), (0.02, 1, 0.95)]
)
def test_mujocos_solref_in_newtons_per_metre(mujoco, m, time, ratio, d):
    """f = k depth + c rate + m d g with k = m / (t zeta)^2 and c = 2 m / t."""
    model = mujoco.MjModel.from_xml_string(
        BALL.format(m=m, ref=f"{time} {ratio}", imp=f"{d} {d} .001")
    )
    data = mujoco.MjData(model)
    k, c = m / (time * ratio) ** 2, 2 * m / time
    for depth, rate in ((1e-3, 0), (2e-3, 0), (1e-3, 0.01), (1e-3, -0.01)):
        data.qpos[2], data.qvel[2] = 0.1 - depth, -rate
        mujoco.mj_forward(model, data)
        assert data.efc_force[0] == pytest.approx(k * depth + c * rate + m * d * G, rel=1e-9)


def test_how_deep_a_ball_lies_in_mujoco(mujoco):
    for m in (1, 3):
        model = mujoco.MjModel.from_xml_string(BALL.format(m=m, ref="0.02 1", imp=".9 .9 .001"))
        data = mujoco.MjData(model)
        for _ in range(2000):
            mujoco.mj_step(model, data)
        assert 0.1 - data.qpos[2] == pytest.approx(0.1 * G * 0.02**2, rel=1e-6)


@pytest.mark.parametrize("ratio", [0.05, 0.2, 0.5])
def test_the_restitution_of_a_spring_and_a_damper(ratio):
    """In closed form: depth exp(-b t) sin(w t) / w, until the floor no longer pushes; any stiffness."""
    beta = ratio / np.sqrt(1 - ratio**2)
    said = np.exp(-beta * (np.pi - np.arctan(2 * beta / (1 - beta**2))))
    for stiff in (1.0, 1e6):
        b, w = ratio * np.sqrt(stiff), np.sqrt(stiff * (1 - ratio**2))
        t = np.linspace(0, np.pi, 400001)[1:] / w
        depth = np.exp(-b * t) * np.sin(w * t) / w
        rate = np.exp(-b * t) * (np.cos(w * t) - b / w * np.sin(w * t))
        last = np.argmax(stiff * depth + 2 * b * rate < 0)
        assert -rate[last] == pytest.approx(said, abs=1e-5)


def test_the_implicit_step_is_stable_and_ends_on_the_floor():
    """By the balance of one step; with a stiff contact the body is on the floor after it."""
    m, h, depth, v = 2.0, 0.01, 1e-3, -0.3
    for k, c in ((1e3, 10.0), (1e12, 0.0)):
        after = (m * (v - h * G) + h * k * depth) / (m + h * c + h * h * k)
        force = k * (depth - h * after) - c * after
        assert m * (after - v) == pytest.approx(h * (force - m * G), rel=1e-3, abs=1e-3)
    assert after == pytest.approx(depth / h, rel=1e-6)
