"""Frames: named poses on links, which stand wherever a function takes a body."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from trees import EPS

import chaindyn
from chaindyn import (
    Box,
    Chain,
    Closure,
    Coupling,
    Distance,
    Fixed,
    Frame,
    Free,
    Geometry,
    Link,
    Prismatic,
    Revolute,
    Rolling,
    Sphere,
    Spherical,
    Target,
    bias_force,
    body_accelerations,
    body_jacobian,
    body_twists,
    constraint_bias,
    constraint_error,
    constraint_jacobian,
    crba,
    find_contacts,
    forward_kinematics,
    impact,
    integrate,
    inverse_kinematics,
    inverse_operational_space_inertia,
    jacobian_dot_qd,
    random_state,
    rotation_about,
    simulate,
    to_maximal,
)
from chaindyn.guards.bodies import index_of_link
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


def of_one_body(chain, state, body, choice):
    """Return the twist, both accelerations and the inverse inertia of a body, or of all links if it is None."""
    q, qd, qdd = state
    accelerations = [
        body_accelerations(chain, q, qd, qdd, body, classical=classical, **choice)
        for classical in (False, True)
    ]
    W = inverse_operational_space_inertia(chain, q, body, **choice)
    return [body_twists(chain, q, qd, body, **choice), *accelerations, W]


@pytest.mark.parametrize("recursion", ["body", "world"])
@pytest.mark.parametrize("frame", FRAMES)
def test_one_body_moves_as_a_link_welded_there_and_as_its_jacobian_says(
    pair, state, frame, recursion
):
    plain, welded = pair
    state = (*state, np.random.default_rng(5).normal(size=state[1].shape))
    q, qd, qdd = state
    choice: dict[str, Any] = {"frame": frame, "recursion": recursion}
    found = of_one_body(plain, state, "tool", choice)
    for one, every in zip(found, of_one_body(welded, state, None, choice), strict=True):
        assert normwise(one, every[:, -1]) <= 1000 * EPS

    J, M = body_jacobian(plain, q, "tool", frame=frame), crba(plain, q)
    bounds = [1000 * EPS] * 3 + [1000 * EPS * np.linalg.cond(M).max()]
    told = [(J @ qd[..., None])[..., 0]] + [
        (J @ qdd[..., None])[..., 0]
        + jacobian_dot_qd(plain, q, qd, "tool", frame=frame, classical=classical)
        for classical in (False, True)
    ]
    told.append(J @ np.linalg.solve(M, J.mT))
    for one, other, bound in zip(found, told, bounds, strict=True):
        assert normwise(one, other) <= bound


@pytest.mark.parametrize("recursion", ["body", "world"])
@pytest.mark.parametrize("frame", FRAMES)
def test_one_body_is_one_row_of_all_links(pair, state, frame, recursion):
    plain, _ = pair
    state = (*state, 2 * state[1])
    choice: dict[str, Any] = {"frame": frame, "recursion": recursion}
    every = of_one_body(plain, state, None, choice)
    for body in ("b3", 3, -2):
        for one, all_links in zip(of_one_body(plain, state, body, choice), every, strict=True):
            assert normwise(one, all_links[:, 3]) <= 10 * EPS
    for one, all_links in zip(of_one_body(plain, state, "corner", choice), every, strict=True):
        assert one.shape == all_links[:, 0].shape and not one.any()


@pytest.mark.parametrize("body", ["nobody", 5, 1.0, True])
def test_a_body_that_there_is_not_is_told(pair, body):
    q, qd = random_state(pair[0], 3)
    calls = [
        lambda: body_twists(pair[0], q, qd, body),
        lambda: body_accelerations(pair[0], q, qd, qd, body),
        lambda: inverse_operational_space_inertia(pair[0], q, body),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=f"body is {body!r}"):
            call()


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


def test_a_misspelt_body_is_told_the_frames_too():
    with pytest.raises(
        ValueError, match=r"body is 'flang': .* would do, or one of the frames .*'flange'"
    ):
        forward_kinematics(ur5(), np.zeros(6), "flang")
    with pytest.raises(ValueError, match=r"one of the frames .*'flange'"):
        inverse_kinematics(ur5(), Target("flang", (0.4, 0.2, 0.5)))


def test_bad_frames_are_told():
    refused("frame 'arm': names must differ among links and frames", Frame("arm", 0))
    refused("frame 'ground': names must differ", Frame("ground", 0))
    refused("frame 'a': names must differ", Frame("a", 0), Frame("a", "ground"))
    refused("frame 'a': its link: body is 'leg'.*'arm'", Frame("a", "leg"))
    refused("frame 'b': its link: body is 'c'", Frame("a", 0), Frame("b", "c"), Frame("c", 0))
    refused("frame 'a': its link: body is 1:", Frame("a", 1))
    refused("frame 'a': offset has shape", Frame("a", 0, (1, 2)))
    refused("frame 'a': offset.* is nan", Frame("a", 0, (1, 2, np.nan)))
    refused("frame 'a': rotation is no rotation matrix", Frame("a", 0, rotation=2 * np.eye(3)))
    refused(r"frames\[0\] is named None", Frame(None, 0))  # type: ignore[arg-type]
    refused(r"frames\[0\] is named ''", Frame("", 0))
    refused(r"frames\[0\] is 'a', but must be a Frame", "a")
    refused(r"frames\[0\].*must be a Frame", Frame)
    with pytest.raises(ValueError, match="must be a sequence of Frame"):
        Chain([Link(Revolute(), **BODY)], frames="tool")
    with pytest.raises(ValueError, match="must be a sequence of Frame"):
        Chain([Link(Revolute(), **BODY)], frames=3)  # type: ignore[arg-type]


def test_index_and_path_are_those_of_the_link_that_carries_a_frame(pair):
    plain, welded = pair
    link = welded.parent[-1]
    assert plain.index("tool") == link and plain.path("tool") == plain.path(link)
    assert plain.index("corner") == -1 and plain.path("corner") == ()


ARM: dict[str, Any] = {"offset": (0.2, 0.1, -0.4), "rotation": ROTATION.T, **BODY}


@pytest.mark.parametrize("law", [crba, bias_force, body_twists, forward_kinematics])
def test_a_link_hangs_on_a_frame_as_on_a_link_welded_there(pair, law):
    plain, welded = pair
    arm = Link(Revolute((1, 1, 0)), **ARM, parent="tool", name="arm")
    one = Chain([*plain.links, arm], frames=plain.frames)
    other = Chain([*welded.links, arm])
    assert one.parent[-1] == plain.index("tool")
    q, qd = random_state(one, 5, batch=(3,))
    given = (q,) if law in (crba, forward_kinematics) else (q, qd)
    values, wanted = law(one, *given), law(other, *given)
    if law in (body_twists, forward_kinematics):  # the welded link comes before the arm
        values, wanted = (x[0] if isinstance(x, tuple) else x for x in (values, wanted))
        wanted = np.delete(wanted, len(welded.links) - 1, axis=1)
    assert normwise(values, wanted) <= 100 * EPS


def test_frames_of_frames_and_links_on_them():
    """Place after place is the product of the poses; the ground carries frames and links, too."""
    corner = Frame("corner", "ground", OFFSET, ROTATION)
    shelf = Frame("shelf", "corner", (0, 1, 0), ROTATION)
    chain = Chain([Link(Revolute(), **ARM, parent="shelf", name="arm")], frames=(corner, shelf))
    R, p = forward_kinematics(chain, np.zeros(1))
    assert chain.parent == (-1,)
    assert normwise(R[0], ROTATION @ ROTATION @ ROTATION.T) <= 10 * EPS
    by_hand = OFFSET + ROTATION @ (np.array([0, 1, 0]) + ROTATION @ ARM["offset"])
    assert normwise(p[0], by_hand) <= 10 * EPS
    for frames, words in (
        ((Frame("a", "b"), Frame("b", "a")), "has parent 'a'"),
        ((Frame("a", "arm"),), "has parent 'a'"),
        ((Frame("a", "arm 2"),), "has parent 'a'"),
        ((Frame("a", None),), "has parent 'a'"),
    ):
        links = [Link(Revolute(), **BODY, parent="a", name="arm")]
        with pytest.raises(ValueError, match=words):
            Chain([*links, Link(Revolute(), **BODY, name="arm 2")], frames=frames)


@pytest.mark.parametrize(
    "make",
    [
        lambda at: Closure(Revolute((1, 2, 0)), at, "b1", **PLACE),
        lambda at: Closure(Fixed(), "b1", at, onto_offset=OFFSET, onto_rotation=ROTATION.T),
        lambda at: Distance("b3", at, length=2.0, offset=(1, 0, 0), onto_offset=OFFSET),
        lambda at: Rolling(at, 0.3, axis=(0, 0.6, 0.8), offset=OFFSET),
    ],
    ids=["link of a closure", "onto of a closure", "a rod", "a disc"],
)
def test_constraints_hold_frames_as_links_welded_there(pair, state, make):
    plain, welded = pair
    held, (q, qd) = make("tool"), state
    for law, given in (
        (constraint_error, (q,)),
        (constraint_jacobian, (q,)),
        (constraint_bias, (q, qd)),
    ):
        wanted = law(welded, held, *given)  # zero where both bodies move as one
        assert np.abs(law(plain, held, *given) - wanted).max() <= 200 * EPS * (
            1 + np.abs(wanted).max()
        )
    assert normwise(held.jacobian(plain, q), held.jacobian(welded, q)) <= 200 * EPS
    if isinstance(held, Closure):
        wanted = held.coordinates(welded, q)
        assert normwise(held.coordinates(plain, q), wanted) <= 200 * EPS


def test_a_closure_between_frames_moves_as_one_between_links(pair):
    plain, _ = pair
    if plain.index("tool") < 3:
        pytest.skip("the loop is closed by the outermost link")
    R, p = forward_kinematics(plain, plain.neutral, "tool")
    corner = Frame("there", "ground", p, R)
    chain = Chain(plain.links, frames=(plain.frames[0], corner))
    by_name = Closure(Spherical(), "tool", "there")
    by_place = Closure(Spherical(), chain.index("tool"), **PLACE, onto_offset=p, onto_rotation=R)
    t, rest = [0, 0.05], np.full(chain.nv, 0.0)
    one, other = (
        simulate(chain, chain.neutral, rest, t=t, constraints=held, progress=False)
        for held in (by_name, by_place)
    )
    assert normwise(one.q[-1], other.q[-1]) <= 1e-12


@pytest.mark.parametrize("on", ["tool", "corner"])
def test_shapes_stand_on_frames(pair, on):
    plain, welded = pair
    corner = Link(
        Fixed(), 0, (0, 0, 0), np.zeros((3, 3)), (1, 2, 3), parent="ground", name="corner"
    )
    q = plain.neutral
    R, p = forward_kinematics(plain, q, on)
    ball = Geometry(Sphere(0.1), on, offset=(0.4, 0.3, 0.2))
    wall = Geometry(Box((1, 1, 1)), "ground", offset=p + R @ ball.offset + (0, 0.55, 0))
    if on == "corner":  # what is on the ground does not meet the ground
        wall = Geometry(Sphere(0.1), "b1", offset=p + R @ ball.offset)
        wall = replace(wall, offset=wall.offset - forward_kinematics(plain, q, "b1")[1] + 0.05)
    found = find_contacts(plain, [ball, wall], q)
    other = find_contacts(Chain([*welded.links, corner]), [ball, wall], q)
    assert len(found) == len(other) == 1
    assert normwise(found[0].point, other[0].point) <= 100 * EPS
    assert found[0].gap == pytest.approx(other[0].gap, abs=100 * EPS) and found[0].gap < 0
    assert found[0].bodies == ((plain.index("tool"), -1) if on == "tool" else (1, -1))


def test_what_wants_a_link_says_so(pair):
    """A frame's offset must not be dropped without a word."""
    plain, _ = pair
    with pytest.raises(ValueError, match="'tool', a frame on link"):
        index_of_link(plain, "tool")
    with pytest.raises(ValueError, match="'corner', a frame on the ground"):
        index_of_link(plain, "corner")
    with pytest.raises(ValueError, match="link of a Closure is 'ground'"):
        chaindyn.constraint_error(plain, Closure(Revolute(), "corner", "b1"), plain.neutral)
    with pytest.raises(ValueError, match="to itself"):
        held = Closure(Revolute(), "tool", plain.names[plain.index("tool")])
        chaindyn.constraint_error(plain, held, plain.neutral)
    with pytest.raises(ValueError, match="a Coupling names link 'tool'"):
        Coupling({"tool": 1, "b3": 2}).jacobian(plain, plain.neutral)
    for function in (forward_kinematics, body_jacobian):
        with pytest.raises(ValueError, match="body is 'hammer'"):
            function(plain, plain.neutral, "hammer")
