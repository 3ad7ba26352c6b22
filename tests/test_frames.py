"""Frames: named poses on links, which forward_kinematics, body_jacobian, jacobian_dot_qd and impact take as bodies."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from trees import EPS

import chaindyn
from chaindyn import (
    Chain,
    Closure,
    Fixed,
    Frame,
    Free,
    Geometry,
    Link,
    Prismatic,
    Revolute,
    Sphere,
    Spherical,
    body_jacobian,
    find_contacts,
    forward_kinematics,
    impact,
    integrate,
    jacobian_dot_qd,
    random_state,
    rotation_about,
    to_maximal,
)
from chaindyn.models.robots import UR5_FLANGE, ur5
from chaindyn.teaching import normwise

FRAMES = ("body", "world", "mixed")
OFFSET = np.array([0.3, -0.2, 0.5])
ROTATION = rotation_about(np.array([1, 2, 2]) / 3, np.array([0.8]))
PLACE: dict[str, Any] = {"offset": OFFSET, "rotation": ROTATION}
BODY: dict[str, Any] = {"mass": 1.5, "com": (0.1, 0.2, 0), "inertia": np.diag([1.0, 1.2, 1.5])}


def tree(frames: tuple[Frame, ...]) -> Chain:
    rng = np.random.default_rng(1)
    joints = [Free(), Revolute((1, 2, 3)), Spherical(), Prismatic((0, 1, 1)), Revolute((1, 0, 0))]
    return Chain(
        [
            Link(joint, **BODY, offset=rng.normal(size=3), parent=parent, name=f"b{i}")
            for i, (joint, parent) in enumerate(zip(joints, ["ground", 0, 1, 1, 3], strict=True))
        ],
        frames=frames,
    )


@pytest.fixture(scope="module", params=["b0", "b2", "b4"])
def pair(request):
    """A frame on a link, and a massless link welded there: the second is the oracle of the first."""
    plain = tree((Frame("tool", request.param, **PLACE), Frame("corner", "ground", (1, 2, 3))))
    ghost = Link(Fixed(), 0, (0, 0, 0), np.zeros((3, 3)), OFFSET, ROTATION, request.param, "tool")
    return plain, Chain([*plain.links, ghost])


@pytest.fixture(scope="module")
def state(pair):
    return random_state(pair[0], 3, batch=(4,))


def test_pose(pair, state):
    plain, welded = pair
    q, _ = state
    R, p = forward_kinematics(plain, q, "tool")
    R_all, p_all = forward_kinematics(welded, q)
    assert R.shape == (4, 3, 3) and p.shape == (4, 3)
    assert normwise(R, R_all[:, -1]) <= 20 * EPS and normwise(p, p_all[:, -1]) <= 20 * EPS
    for name in ("b3", 3, -2):
        R, p = forward_kinematics(plain, q, name)
        assert (R == R_all[:, 3]).all() and (p == p_all[:, 3]).all()
    R, p = forward_kinematics(plain, q, "corner")
    assert (np.broadcast_to(np.eye(3), (4, 3, 3)) == R).all() and (p == [1, 2, 3]).all()


@pytest.mark.parametrize("frame", FRAMES)
def test_jacobian(pair, state, frame):
    plain, welded = pair
    q, _ = state
    J = body_jacobian(plain, q, "tool", frame=frame)
    assert normwise(J, body_jacobian(welded, q, "tool", frame=frame)) <= 100 * EPS
    none = body_jacobian(plain, q, "corner", frame=frame)
    assert none.shape == J.shape and not none.any()


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("classical", [False, True])
def test_bias_acceleration(pair, state, frame, classical):
    plain, welded = pair
    options: dict[str, Any] = {"frame": frame, "classical": classical}
    a = jacobian_dot_qd(plain, *state, "tool", **options)
    assert normwise(a, jacobian_dot_qd(welded, *state, "tool", **options)) <= 100 * EPS
    none = jacobian_dot_qd(plain, *state, "corner", **options)
    assert none.shape == (4, 6) and not none.any()


@pytest.mark.parametrize("frame", FRAMES)
def test_jacobian_and_its_rate_by_differences(pair, frame):
    """A route that knows of no screws: poses along the motion, and Jacobians along it."""
    plain, _ = pair
    q, qd = random_state(plain, 8)
    step = 1e-6
    ahead, behind = (integrate(plain, q, s * step * qd) for s in (1, -1))
    (R, p), (R1, p1), (R0, p0) = (forward_kinematics(plain, x, "tool") for x in (q, ahead, behind))
    turning, v = (R1 - R0) @ R.T / (2 * step), (p1 - p0) / (2 * step)
    w = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
    expected = {
        "body": np.r_[R.T @ w, R.T @ v],
        "world": np.r_[w, v - np.cross(w, p)],
        "mixed": np.r_[w, v],
    }
    J = body_jacobian(plain, q, "tool", frame=frame)
    assert normwise(J @ qd, expected[frame]) <= 1e-8
    rate = [body_jacobian(plain, x, "tool", frame=frame) @ qd for x in (ahead, behind)]
    bias = jacobian_dot_qd(plain, q, qd, "tool", frame=frame, classical=frame == "mixed")
    slope = (rate[0] - rate[1]) / (2 * step)
    assert np.abs(bias - slope).max() <= 1e-7 * (1 + np.abs(slope).max())


@pytest.mark.parametrize("recursion", ["body", "world"])
def test_impact(pair, state, recursion):
    plain, welded = pair
    options: dict[str, Any] = {
        "normal": (-0.6, 0.8, 0),
        "restitution": 0.3,
        "body": "tool",
        "recursion": recursion,
    }
    _, origin = forward_kinematics(plain, state[0], "tool")
    there = impact(welded, *state, point=origin, **options)
    assert (there.impulse > 0).any()
    for blow in (impact(plain, *state, point=origin, **options), impact(plain, *state, **options)):
        assert normwise(blow.impulse, there.impulse) <= 1e-11
        assert normwise(blow.qd_jump, there.qd_jump) <= 1e-11
        assert normwise(blow.twist_jumps, there.twist_jumps[:, :-1]) <= 1e-11
    own = impact(plain, *state, **{**options, "body": "b4"})
    with_point = forward_kinematics(plain, state[0], "b4")[1]
    assert (
        own.impulse == impact(plain, *state, point=with_point, **{**options, "body": "b4"}).impulse
    ).all()
    with pytest.raises(ValueError, match="'corner', a frame on the ground, which no blow moves"):
        impact(plain, *state, **{**options, "body": "corner"})


def test_against_pinocchio():
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    links = [
        Link(Revolute((0, 0, 1)), **BODY, offset=(0, 0, 1)),
        Link(Prismatic((0, 1, 0)), **BODY, offset=(1, 0, 0)),
        Link(Revolute((1, 0, 0)), **BODY, offset=(0.5, 1, 0)),
    ]
    chain = Chain(links, frames=(Frame("tool", None, **PLACE), Frame("camera", 0, **PLACE)))
    kinds = [pin.JointModelRZ(), pin.JointModelPY(), pin.JointModelRX()]
    for i, (link, kind) in enumerate(zip(links, kinds, strict=True)):
        j = model.addJoint(i, kind, pin.SE3(np.eye(3), np.array(link.offset, float)), f"j{i}")
        inertia = pin.Inertia(link.mass, np.array(link.com, float), link.inertia)
        model.appendBodyToJoint(j, inertia, pin.SE3.Identity())
    place = pin.SE3(ROTATION, OFFSET)
    ids = {
        name: model.addFrame(pin.Frame(name, joint, 0, place, pin.FrameType.OP_FRAME))
        for name, joint in (("tool", 3), ("camera", 1))
    }
    data, swap = model.createData(), np.r_[3:6, 0:3]
    q, qd = random_state(chain, 2)
    kinds = {
        "body": pin.ReferenceFrame.LOCAL,
        "world": pin.ReferenceFrame.WORLD,
        "mixed": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    }
    for name, index in ids.items():
        for frame, kind in kinds.items():
            J = pin.computeFrameJacobian(model, data, q, index, kind)[swap]
            assert normwise(body_jacobian(chain, q, name, frame=frame), J) <= 100 * EPS
            pin.forwardKinematics(model, data, q, qd, 0 * qd)
            a = pin.getFrameAcceleration(model, data, index, kind).vector[swap]
            assert normwise(jacobian_dot_qd(chain, q, qd, name, frame=frame), a) <= 100 * EPS


def test_frames_add_nothing_to_the_motion(pair):
    plain, _ = pair
    q, qd = random_state(plain, 4)
    bare = Chain(plain.links)
    assert (chaindyn.aba(plain, q, qd, qd) == chaindyn.aba(bare, q, qd, qd)).all()
    assert plain.names == bare.names and plain.n == bare.n


def test_copies_keep_frames(pair):
    plain, _ = pair
    copy = pickle.loads(pickle.dumps(plain))
    assert [frame.name for frame in copy.frames] == ["tool", "corner"]
    assert (copy.place("tool")[1] == OFFSET).all()
    assert to_maximal(plain)[0].place("tool")[0] == plain.place("tool")[0]
    with pytest.raises(ValueError, match="read-only"):
        plain.place("tool")[1][0] = 1


def test_a_ur5_has_its_flange():
    arm = ur5()
    q, _ = random_state(arm, 1)
    R, p = forward_kinematics(arm, q)
    there = forward_kinematics(arm, q, "flange")[1]
    assert normwise(there, p[-1] + R[-1] @ UR5_FLANGE) <= 4 * EPS


# Bad input ---------------------------------------------------------------------------------------


def refused(message: str, *frames: Any) -> None:
    with pytest.raises(ValueError, match=message):
        Chain([Link(Revolute(), **BODY, name="arm")], frames=frames)


def test_bad_frames_are_told():
    refused("frame 'arm': names must differ among links and frames", Frame("arm", 0))
    refused("frame 'ground': names must differ", Frame("ground", 0))
    refused("frame 'a': names must differ", Frame("a", 0), Frame("a", "ground"))
    refused("frame 'a': its link: body is 'leg'.*'arm'", Frame("a", "leg"))
    refused("frame 'b': its link: body is 'a'", Frame("a", 0), Frame("b", "a"))
    refused("frame 'a': its link: body is 1:", Frame("a", 1))
    refused("frame 'a': offset has shape", Frame("a", 0, (1, 2)))
    refused("frame 'a': offset.* is nan", Frame("a", 0, (1, 2, np.nan)))
    refused("frame 'a': rotation is no rotation matrix", Frame("a", 0, rotation=2 * np.eye(3)))
    refused("a frame is named None", Frame(None, 0))  # type: ignore[arg-type]
    refused("a frame is named ''", Frame("", 0))
    refused(r"frames\[0\] is 'a', but must be a Frame", "a")
    refused(r"frames\[0\].*must be a Frame", Frame)
    with pytest.raises(ValueError, match="must be a sequence of Frame"):
        Chain([Link(Revolute(), **BODY)], frames="tool")
    with pytest.raises(ValueError, match="must be a sequence of Frame"):
        Chain([Link(Revolute(), **BODY)], frames=3)  # type: ignore[arg-type]


def test_what_wants_a_link_says_so(pair):
    """A frame's offset must not be dropped without a word."""
    plain, _ = pair
    for call in (
        lambda: plain.index("tool"),
        lambda: plain.path("tool"),
        lambda: find_contacts(plain, [Geometry(Sphere(1), "tool")], plain.neutral),
    ):
        with pytest.raises(ValueError, match="'tool'"):
            call()
    pin = Closure(Revolute(), "tool")
    with pytest.raises(ValueError, match="'tool'"):
        chaindyn.constraint_error(plain, pin, plain.neutral)
    with pytest.raises(ValueError, match="'tool', a frame on link"):
        plain.index("tool")
    with pytest.raises(ValueError, match="'corner', a frame on the ground"):
        plain.index("corner")
    for function in (forward_kinematics, body_jacobian):
        with pytest.raises(ValueError, match="body is 'hammer'"):
            function(plain, plain.neutral, "hammer")
