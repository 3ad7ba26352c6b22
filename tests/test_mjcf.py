"""Robots from MJCF files, against MuJoCo itself."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from chaindyn import (
    ConvexHull,
    HalfSpace,
    constraint_error,
    constraint_jacobian,
    convention,
    crba,
    forward_kinematics,
    random_state,
    rnea,
    simulate,
)
from chaindyn.models.files import load_model
from chaindyn.models.mjcf import load_mjcf

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
EPS = np.finfo(float).eps
THEIRS = convention("MuJoCo")

# Several joints on a body, anchors and references that are not zero, welded bodies, loops of three kinds, springs.
ALL = """<mujoco model="all">
<option gravity="0.3 -1 -9"/>
<compiler angle="radian"/>
<worldbody>
  <geom name="floor" type="plane" size="5 5 1"/>
  <site name="mark" pos="1 2 3" euler="0.2 0 0"/>
  <body name="trunk" pos="0 0 1">
    <freejoint name="loose"/>
    <geom name="chest" type="box" size="0.2 0.1 0.3" mass="4" friction="0.7 0.1 0.1"/>
    <body name="thigh" pos="0.1 0 -0.3" euler="0.3 0.2 0.1">
      <joint name="hip_slide" type="slide" axis="1 0 1" pos="0 0.1 0" ref="0.05" range="-0.2 0.3" damping="0.2"/>
      <joint name="hip" axis="0 1 1" pos="0.05 0 0.02" ref="0.4" range="-1 2" armature="0.03" damping="0.5"
             frictionloss="0.1" stiffness="3" springref="0.7"/>
      <geom name="rod" type="capsule" size="0.05 0.2" pos="0 0 -0.2" mass="1.5"/>
      <body name="knee_cap" pos="0 0.05 -0.4" euler="0 0.4 0">
        <geom name="cap" type="cylinder" size="0.05 0.02" mass="0.2"/>
        <site name="scar" pos="0.01 0.02 0.03"/>
      </body>
      <body name="shin" pos="0 0 -0.45">
        <joint name="ball" type="ball" pos="0 0 0.05" damping="0.1" stiffness="2"/>
        <geom name="foot" type="sphere" size="0.06" pos="0 0 -0.3" mass="0.8"/>
        <geom name="seen" type="sphere" size="0.5" contype="0" conaffinity="0" mass="0"/>
      </body>
    </body>
    <body name="arm" pos="0 0.2 0.3">
      <joint name="shoulder" axis="1 0 0" ref="-0.2"/>
      <geom type="capsule" size="0.03 0.2" mass="0.6"/>
    </body>
  </body>
  <body name="crank" pos="2 0 1">
    <joint name="motor" axis="0 1 0"/>
    <geom type="box" size="0.2 0.02 0.02" pos="0.2 0 0" mass="0.5"/>
    <body name="coupler" pos="0.4 0 0">
      <joint name="pin" axis="0 1 0"/>
      <geom type="box" size="0.3 0.02 0.02" pos="0.3 0 0" mass="0.7"/>
      <site name="far" pos="0.6 0 0"/>
    </body>
  </body>
  <body name="rocker" pos="3 0 1">
    <joint name="rock" axis="0 1 0"/>
    <geom type="box" size="0.02 0.02 0.3" mass="0.4"/>
    <site name="near" pos="0 0 0.3"/>
  </body>
</worldbody>
<equality>
  <connect name="loop" body1="coupler" body2="rocker" anchor="0.6 0 0"/>
  <connect name="sites" site1="far" site2="near"/>
  <weld name="glue" body1="arm" body2="crank"/>
  <connect name="pinned" body1="crank" anchor="0.1 0.2 0"/>
  <joint name="belt" joint1="shoulder" joint2="motor" polycoef="0.3 -2 0 0 0"/>
  <joint name="held" joint1="hip" polycoef="0.1 0 0 0 0"/>
</equality>
<contact><exclude body1="trunk" body2="thigh"/></contact>
<actuator>
  <motor joint="motor" gear="20" ctrllimited="true" ctrlrange="-2 1.5"/>
</actuator>
<keyframe><key name="up" qpos="0 0 2 1 0 0 0 0.1 0.5 1 0 0 0 0.2 0.3 0.4 0.5"/></keyframe>
</mujoco>"""
CORD = '<tendon><fixed name="cord"><joint joint="hip" coef="1"/></fixed></tendon>'


@pytest.fixture
def theirs():
    return mujoco.MjModel.from_xml_string(ALL)


def states(robot, m, count=3):
    """Yield a state in both conventions, and MuJoCo's data there."""
    chain = robot.chain
    rng = np.random.default_rng(7)
    for _ in range(count):
        q, qd = random_state(chain, rng)
        data = mujoco.MjData(m)
        data.qpos[:], data.qvel[:] = THEIRS.to_q(chain, q), THEIRS.to_qd(chain, q, qd)
        mujoco.mj_fwdPosition(m, data)
        mujoco.mj_fwdVelocity(m, data)
        yield q, qd, data


def number_or_name(m, kind, name):
    """Return what MuJoCo finds a thing by: nameless ones are called by their number."""
    count = {"body": m.nbody, "site": m.nsite}[kind]
    return {f"{kind}{i}": i for i in range(count)}.get(name, name)


def check_dynamics(robot, m):
    chain = robot.chain
    for q, qd, data in states(robot, m):
        M, dense = crba(chain, q), np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, data, dense)
        assert (
            np.abs(THEIRS.to_matrix(chain, q, M) - dense).max() <= 1e2 * EPS * np.abs(dense).max()
        )
        bias = THEIRS.to_bias(chain, q, qd, rnea(chain, q, qd, 0 * qd), M)
        size = np.abs(data.qfrc_bias).max() + np.abs(dense).max() * (qd @ qd)
        assert np.abs(bias - data.qfrc_bias).max() <= 1e2 * EPS * size
        for kind, names in (("body", robot.bodies), ("site", robot.sites)):
            for name, place in names.items():
                if place == "ground":
                    continue
                R, p = forward_kinematics(chain, q, place)
                one = getattr(data, kind)(number_or_name(m, kind, name))
                far = 1 + np.abs(data.xpos).max()
                assert np.abs(p - one.xpos).max() <= 50 * EPS * far
                assert np.abs(R.ravel() - one.xmat).max() <= 50 * EPS


def test_all_that_moves_moves_as_in_mujoco(theirs):
    check_dynamics(load_mjcf(theirs), theirs)


def test_a_file_of_mujocos_own():
    path = Path(mujoco.__file__).parent / "testdata" / "model.xml"
    m = mujoco.MjModel.from_xml_path(str(path))
    robot = load_model(path)
    balls = [v for v in range(m.nv) if m.jnt_type[m.dof_jntid[v]] < 2]
    assert (np.flatnonzero(m.dof_armature[balls]).size > 0) == any(
        "armature" in one for one in robot.left_out
    )
    m.dof_armature[balls] = 0
    check_dynamics(robot, m)


def test_loops_are_closed_by_the_same_rows(theirs):
    """The rows of both span the same space, and vanish at the same postures: those of a weld only where it is kept."""
    robot = load_mjcf(theirs)
    chain, held = robot.chain, list(robot.constraints)
    assert len(held) == 6
    glue = held.pop(2)
    for q, _, data in states(robot, theirs):
        K = np.array([THEIRS.to_tau(chain, q, row) for row in constraint_jacobian(chain, held, q)])
        rows = np.zeros((data.nefc, theirs.nv))
        if mujoco.mj_isSparse(theirs):
            mujoco.mju_sparse2dense(
                rows, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind
            )
        else:
            rows[:] = data.efc_J.reshape(rows.shape)
        mine = [
            k
            for k in range(data.nefc)
            if data.efc_type[k] == mujoco.mjtConstraint.mjCNSTR_EQUALITY and data.efc_id[k] != 2
        ]
        J = rows[mine]
        assert J.shape == K.shape
        base = np.linalg.svd(K, full_matrices=False)
        own = base[2][base[1] > 1e-9 * base[1].max()]
        assert np.abs(J - J @ own.T @ own).max() <= 1e3 * EPS * np.abs(J).max()
        assert np.linalg.matrix_rank(J) == len(own)
        gap = np.abs(data.efc_pos[mine]).max()
        assert (
            0.3 <= np.abs(constraint_error(chain, held, q)).max() / gap <= 3
        )  # along other directions
    q = chain.neutral.copy()
    error = constraint_error(chain, glue, q)
    data = mujoco.MjData(theirs)
    data.qpos[:] = theirs.qpos0
    mujoco.mj_forward(theirs, data)
    at_start = THEIRS.from_q(chain, theirs.qpos0)
    assert np.abs(constraint_error(chain, glue, at_start)).max() <= 50 * EPS
    assert np.abs(error).max() > 0.01


def test_springs_pull_as_in_mujoco(theirs):
    robot = load_mjcf(theirs)
    for q, qd, data in states(robot, theirs):
        tau = THEIRS.to_tau(robot.chain, q, robot.springs(0.0, q, qd))
        assert np.abs(tau - data.qfrc_spring).max() <= 1e2 * EPS * np.abs(tau).max()
        assert np.abs(tau).max() > 0.1
    moved = simulate(robot.chain, q, qd, t=[0, 0.01], torque=robot.springs, progress=False)
    assert np.isfinite(moved.q).all()
    still = load_mjcf(ALL.replace('stiffness="3"', "").replace('stiffness="2"', ""))
    assert still.stiffness is None and not still.springs(0.0, q, qd).any()


def test_drives_limits_postures_and_names(theirs):
    robot = load_mjcf(theirs)
    chain = robot.chain
    hip = chain.index(robot.joints["hip"])
    drive, limits = chain.drives[hip], chain.limits[hip]
    assert (drive.rotor_inertia, drive.viscous, drive.coulomb) == (0.03, 0.5, 0.1)
    assert (limits.lower, limits.upper) == (-1, 2)
    assert chain.limits[chain.index("crank")].effort == 40
    assert chain.names == (
        *("trunk", "hip_slide", "thigh", "shin", "arm", "crank", "coupler", "rocker"),
    )
    assert robot.bodies["knee_cap"] == "knee_cap" and robot.bodies["thigh"] == "thigh (body)"
    assert robot.postures.keys() == {"up"}
    named = robot.places(robot.postures["up"])
    assert named["hip"] == 0.5 and named["motor"] == 0.3 and named["ball"].shape == (4,)
    q = robot.posture({"hip": 0.5, "ball": (0.6, 0.8, 0, 0)})
    assert q[robot.position_columns("hip")] == 0.5
    assert np.array_equal(q[robot.position_columns("ball")], [0.6, 0.8, 0, 0])
    assert robot.velocity_columns("loose") == slice(0, 6)
    assert not robot.left_out
    assert pickle.loads(pickle.dumps(robot)).joints == robot.joints


def test_shapes_and_what_may_touch(theirs):
    robot = load_mjcf(theirs)
    floor, chest, rod, cap, foot, arm, *bars = robot.geometries
    assert floor.link == "ground" and isinstance(floor.shape, HalfSpace) and len(bars) == 3
    assert chest.friction == 0.7 and isinstance(cap.shape, ConvexHull) and cap.link == "thigh"
    assert foot.shape.radius == 0.06 and rod.shape.radius == arm.shape.radius + 0.02
    assert robot.apart == {
        (1, 2)
    }  # the excluded bodies: what is welded to the thigh is another body
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    q = THEIRS.from_q(robot.chain, theirs.qpos0)
    for geometry, name in zip(
        (chest, rod, cap, foot), ("chest", "rod", "cap", "foot"), strict=True
    ):
        R, p = forward_kinematics(robot.chain, q, geometry.link)
        one = data.geom(name)
        assert np.abs(p + R @ geometry.offset - one.xpos).max() <= 50 * EPS
        assert np.abs((R @ geometry.rotation).ravel() - one.xmat).max() <= 50 * EPS


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('gravity="0.3', 'density="1.2" gravity="0.3', "fluid"),
        ('freejoint name', 'joint type="free" armature="0.1" name', "armature"),
        ('type="cylinder" size="', 'type="ellipsoid" size="0.1 ', "geom 'cap', ellipsoid"),
        ("<motor joint", "<position joint", "no motor"),
        ("0.3 -2 0 0 0", "0.3 -2 1 0 0", "equality 'belt'"),
        ('body name="knee_cap"', 'body name="knee_cap" gravcomp="1"', "gravcomp of body 'knee_cap'"),
        ("<actuator>", f"{CORD}<actuator>", "tendon 'cord'"),
        ('type="ball"', 'type="ball" range="0 1"', "range of the ball joint 'ball'"),
        ('name="glue"', 'name="glue" active="false"', "equality 'glue'"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_named(old, new, said):
    assert old in ALL
    left = load_mjcf(ALL.replace(old, new, 1)).left_out
    assert len(left) == 1 and said in left[0]


def test_gravity_can_be_off():
    text = ALL.replace("<compiler", '<option><flag gravity="disable"/></option><compiler')
    assert not load_mjcf(text).chain.gravity.any()


@pytest.mark.parametrize(
    ("source", "error", "said"),
    [
        ("nowhere.xml", FileNotFoundError, "no such file"),
        (".", FileNotFoundError, "folder"),
        ("<mujoco><worldbody><body/></worldbody>", ValueError, "MuJoCo does not compile it"),
        ("<mujoco><worldbody/></mujoco>", ValueError, "no joint moves"),
        (3, ValueError, "source is 3"),
    ],
)
def test_bad_sources(source, error, said):
    with pytest.raises(error, match=said):
        load_mjcf(source)


def test_unknown_joints_and_wrong_counts():
    robot = load_mjcf(ALL)
    with pytest.raises(ValueError, match="joint is 'knee'"):
        robot.posture({"knee": 1})
    with pytest.raises(ValueError, match="joint 'ball' has 4 coordinates"):
        robot.posture({"ball": 1.0})
    with pytest.raises(ValueError, match="inertia is 'lax'"):
        load_mjcf(ALL, inertia="lax")
