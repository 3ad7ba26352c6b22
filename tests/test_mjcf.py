"""Robots from MJCF files, against MuJoCo itself."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from chaindyn import (
    ConvexHull,
    Geometry,
    HalfSpace,
    constraint_error,
    constraint_jacobian,
    convention,
    crba,
    find_contacts,
    forward_kinematics,
    overlapping_pairs,
    random_state,
    rnea,
    simulate,
    simulate_contact,
)
from chaindyn.guards.mjcf import check_mjcf
from chaindyn.models.files import load_model
from chaindyn.models.mjcf import compiled_by, load_mjcf

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


LIMB = """<mujoco>
<worldbody><geom name="floor" type="plane" size="1 1 1" pos="0 0 -0.6"/>
 <body name="trunk" pos="0 0 0"><freejoint/><geom name="trunk" size=".3" mass="2"/>
  <body name="plate" pos=".2 0 0"><geom name="plate" size=".25" mass="1"/>
   <body name="thigh" pos=".3 0 0"><joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/>
    <geom name="thigh" size=".28" mass="1"/>
    <body name="shin" pos=".3 0 .1"><joint axis="0 1 0"/><geom name="shin" size=".3" mass="1"/>
     <body name="foot" pos=".1 0 -.2"><joint axis="0 1 0"/><geom name="foot" size=".3" mass="1"/></body>
    </body></body></body>
  <body name="arm" pos="-.2 .1 0"><joint axis="0 0 1"/><geom name="arm" size=".3" mass="1"/></body>
 </body></worldbody>
 <contact><exclude body1="arm" body2="thigh"/></contact></mujoco>"""


def test_the_same_pairs_touch_as_in_mujoco():
    """Welded bodies, a joint of three axes, neighbours, and a pair that the file excludes."""
    m, robot = mujoco.MjModel.from_xml_string(LIMB), load_mjcf(LIMB)
    data, seen = mujoco.MjData(m), set()
    links = [geometry.link for geometry in robot.geometries]  # the plate's is the trunk
    names = [*robot.chain.names, "ground"]
    for seed in range(20):
        q, _ = random_state(robot.chain, np.random.default_rng(seed))
        q[:3] *= 0.2
        data.qpos[:] = THEIRS.to_q(robot.chain, q)
        mujoco.mj_forward(m, data)
        theirs = [(links[c.geom1], links[c.geom2]) for c in data.contact[: data.ncon]]
        contacts = find_contacts(robot.chain, robot.geometries, q, exclude=robot.apart)
        found = {frozenset(names[b] for b in c.bodies) for c in contacts}
        assert found == set(map(frozenset, theirs))
        seen |= found
    assert {frozenset(x) for x in (("trunk", "shin"), ("arm", "shin"), ("foot", "ground"))} <= seen
    never = ("trunk", "thigh"), ("shin", "foot"), ("trunk", "arm"), ("arm", "thigh")
    assert not seen & {frozenset(x) for x in never}


def test_a_robot_that_overlaps_itself_at_the_start_can_be_simulated():
    robot = load_mjcf(LIMB)
    chain, shapes, q = robot.chain, robot.geometries, robot.chain.neutral
    given = {"t": [0, 0.02], "step": 0.01, "exclude": robot.apart}
    with pytest.raises(ValueError, match="`overlapping_pairs` says which overlap"):
        simulate_contact(chain, shapes, q, np.zeros(chain.nv), **given)
    pairs = overlapping_pairs(chain, shapes, q, exclude=robot.apart)
    assert pairs and not pairs & robot.apart
    assert all(len(set(pair)) == 2 and pair[0] < pair[1] for pair in pairs)
    given["exclude"] = robot.apart | pairs
    motion = simulate_contact(chain, shapes, q, np.zeros(chain.nv), **given)
    assert not motion.reason
    assert not overlapping_pairs(chain, shapes, q, exclude=given["exclude"])
    assert overlapping_pairs(chain, shapes, q, depth=10) == frozenset()


@pytest.mark.parametrize(
    ("exclude", "match"),
    [
        (3, "exclude is 3"),
        ([(0, 99)], "from 0 to 6"),
        ([(0, 1, 2)], "pairs"),
        ([(0, 0.5)], "pairs"),
    ],
)
def test_pairs_that_are_none(exclude, match):
    robot = load_mjcf(LIMB)
    with pytest.raises(ValueError, match=match):
        find_contacts(robot.chain, robot.geometries, robot.chain.neutral, exclude=exclude)
    with pytest.raises(ValueError, match="where geometries is a function"):
        simulate_contact(robot.chain, lambda q: [], robot.chain.neutral,
                         np.zeros(robot.chain.nv), t=[0, 1], step=1, exclude=[(0, 1)])  # fmt: skip


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
        ("<mujoco><worldbody><body/></worldbody>", ValueError, "not an XML file, which an MJCF is"),
        ("<mujoco><worldbody><joint/></worldbody></mujoco>", ValueError, "MuJoCo does not compile"),
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


# What must not be read --------------------------------------------------------------------------

PENDULUM = """<mujoco><worldbody><body name="rod"><joint name="pin" axis="0 1 0"/>
<geom name="bar" type="capsule" size="0.05 0.5" mass="1"/></body></worldbody></mujoco>"""
LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha" * 10}">' for i in range(12))


def written(folder, text, name="robot.xml"):
    """Write a text into a file of a folder two levels down, so that there is room above it."""
    path = folder / "robots" / "one" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "declared",
    [
        f"<!DOCTYPE mujoco [{LAUGHS}]>",
        '<!DOCTYPE mujoco [<!ENTITY file SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE mujoco [<!ENTITY % far SYSTEM "http://127.0.0.1:9/x.dtd"> %far;]>',
    ],
    ids=["laughs", "another file", "another host"],
)
def test_entities_are_refused(tmp_path, declared):
    """MuJoCo passes over them without a word, and would leave a name as "&l11;"."""
    path = written(tmp_path, declared + PENDULUM.replace("<mujoco", '<mujoco model="&l11;"'))
    for load, source in ((load_mjcf, path), (load_model, path), (load_mjcf, path.read_text())):
        with pytest.raises(ValueError, match=r"it declares the entity '\w+': write out"):
            load(source)
    main = written(tmp_path, '<mujoco><include file="robot.xml"/></mujoco>', "main.xml")
    with pytest.raises(ValueError, match=r"main\.xml: in robot\.xml, which it includes: .*entity"):
        load_mjcf(main)


@pytest.mark.parametrize("nan", ["nan", "NaN", "-nan", "nan(1)", "+nan()"])
@pytest.mark.parametrize(
    ("old", "where"),
    [
        ('mass="1"', "<geom> 'bar' has mass"),
        ('axis="0 1 0"', "<joint> 'pin' has axis"),
        ('<joint name="pin"', "<joint> 'pin' has springref"),
        ('<body name="rod"', "<body> 'rod' has pos"),
    ],
)
def test_numbers_that_are_none(nan, old, where):
    """MuJoCo takes NaN for "not given": a mass would become that of water, without an error."""
    attribute = where.split()[-1]
    given = f'{attribute}="{nan}"' if "mass" in old or "<" in old else f'axis="0 {nan} 0"'
    text = PENDULUM.replace(old, f"{old} {given}" if "<" in old else given)
    with pytest.raises(ValueError, match=f"the XML: {where} = .* but must have finite numbers"):
        load_mjcf(text)


def test_numbers_that_are_none_among_numbers_of_c():
    text = PENDULUM.replace('axis="0 1 0"', 'axis="0x0 1 0x.8p0"')
    axis = load_mjcf(text).chain.joints[0].axis
    assert np.allclose(axis, np.array([0, 1, 0.5]) / np.sqrt(1.25), rtol=4 * np.finfo(float).eps)
    with pytest.raises(ValueError, match=r"<joint> 'pin' has axis = '0x0 nan 1'"):
        load_mjcf(text.replace("0x0 1 0x.8p0", "0x0 nan 1"))


@pytest.mark.parametrize(
    ("asset", "says"),
    [
        ('<hfield name="h" nrow="20000" ncol="20000" size="1 1 1 1"/>', "<hfield> 'h' has nrow x"),
        ('<texture name="t" builtin="flat" width="20000" height="20000"/>', "'t' has width x he"),
        ('<size nkey="1000000000"/>', "<size> has nkey = 1000000000; 1000000 are the most"),
        ('<size nuser_geom="1000000000"/>', "<size> has nuser_geom = 1000000000"),
    ],
)
def test_sizes_without_end(asset, says):
    """MuJoCo takes the memory before it looks: the process would be killed."""
    element = asset if asset.startswith("<size") else f"<asset>{asset}</asset>"
    text = PENDULUM.replace("<worldbody>", f"{element}<worldbody>")
    with pytest.raises(ValueError, match=f"the XML: .*{says}.*if you trust it"):
        load_mjcf(text)
    usual = text.replace("20000", "20").replace("1000000000", "5")
    assert load_mjcf(usual).chain.names == ("rod",)


def test_a_name_in_another_alphabet(tmp_path):
    text = '<?xml version="1.0" encoding="latin-1"?>' + PENDULUM.replace('"rod"', '"r\xe4d"')
    path = written(tmp_path, "")
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=r"robot\.xml: body 1: its name is not .*in UTF-8"):
        load_mjcf(path)
    path.write_text(text.partition("?>")[2], encoding="utf-8")
    assert load_mjcf(path).chain.names == ("r\xe4d",)


def test_what_mujoco_cannot_hold_is_refused():
    def full(_):
        raise RuntimeError("Caught an unknown exception!")

    with pytest.raises(ValueError, match="the XML: MuJoCo does not compile it: Caught"):
        compiled_by(full, PENDULUM, "the XML")


def test_a_name_may_read_like_a_number():
    robot = load_mjcf(PENDULUM.replace('"rod"', '"nan"').replace('"pin"', '"inf"'))
    assert robot.chain.names == ("nan",)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('<body name="rod"', '<body name="rod" pos="inf 0 0"', "body 'rod': pos is"),
        ('<joint name="pin"', '<joint name="pin" stiffness="inf"', "joint 'pin': stiffness is"),
        ('<joint name="pin"', '<joint stiffness="inf"', "joint 'jnt0': stiffness is"),
        ('name="bar"', 'name="bar" pos="0 inf 0"', "body 'rod': ipos is"),
    ],
)
def test_infinite_numbers(old, new, where):
    for source in (
        PENDULUM.replace(old, new),
        mujoco.MjModel.from_xml_string(PENDULUM.replace(old, new)),
    ):
        with pytest.raises(ValueError, match=f"{where}.*inf.*but must be finite"):
            load_mjcf(source)


def test_copies_without_end():
    many = PENDULUM.replace("<body", '<replicate count="%s" offset="0 0 1"><body')
    many = many.replace("</body>", "</body></replicate>")
    assert load_mjcf(many % 3).chain.n == 3
    with pytest.raises(ValueError, match=r"<replicate> makes 10000000 copies; 100000 are the most"):
        load_mjcf(many % 10**7)
    nested = many % 1000
    nested = nested.replace("<body", '<replicate count="1000"><body')
    nested = nested.replace("</body>", "</body></replicate>")
    with pytest.raises(ValueError, match="makes 1000000 copies"):
        load_mjcf(nested)


@pytest.mark.parametrize("tag", ["replicate", "composite", "flexcomp"])
def test_copies_are_counted_along_every_axis_and_through_what_is_included(tmp_path, tag):
    """A thousand thousands, whatever MuJoCo makes of a sign; no copy along an axis is one all the same."""
    text = f'<mujoco><worldbody><{tag} name="many" count="%s">%s</{tag}></worldbody></mujoco>'
    said = f"<{tag}> 'many' makes 1000000 copies"
    for count in ("1000 1000 1", "-1000 1000 0"):
        with pytest.raises(ValueError, match=said):
            check_mjcf((text % (count, "")).encode())
    check_mjcf((text % ("1000 0 100", "")).encode())  # as many as may be
    written(tmp_path, text % ("1000", ""), "inner.xml")
    outer = written(tmp_path, text % ("1000", '<include file="inner.xml"/>'))
    with pytest.raises(ValueError, match=said):
        check_mjcf(outer.read_bytes(), outer)


@pytest.mark.parametrize(
    ("asset", "where"),
    [
        ('<mesh name="m" file="/etc/passwd.stl"/>', "<mesh> 'm'"),
        ('<mesh name="m" file="../../secret.stl"/>', "<mesh> 'm'"),
        ('<texture name="t" type="cube" fileup="../../secret.png"/>', "<texture> 't'"),
        ('<hfield name="h" size="1 1 1 1" file="../../secret.png"/>', "<hfield> 'h'"),
        ('<model name="n" file="../../secret.xml"/>', "<model> 'n'"),
    ],
)
def test_files_elsewhere_are_not_opened(tmp_path, asset, where):
    text = PENDULUM.replace("<worldbody", f"<asset>{asset}</asset><worldbody")
    with pytest.raises(ValueError, match=f"{where} names the file .* outside .*robots: if you"):
        load_mjcf(written(tmp_path, text))


def test_what_is_included_lies_in_the_folder_above_or_in_the_package(tmp_path):
    (tmp_path / "far.xml").write_text(PENDULUM)
    path = written(tmp_path, '<mujoco><include file="../../far.xml"/></mujoco>')
    with pytest.raises(ValueError, match=r"<include> names the file '../../far.xml', .*outside"):
        load_mjcf(path)
    for mark in ("package.xml", ".git", "__init__.py"):
        (tmp_path / mark).touch()
        assert load_mjcf(path).chain.names == ("rod",)
        (tmp_path / mark).unlink()
    near = written(tmp_path, '<mujoco><include file="../near.xml"/></mujoco>')
    (near.parent.parent / "near.xml").write_text(PENDULUM)
    assert load_mjcf(near).chain.names == ("rod",)


def test_where_meshes_lie_counts(tmp_path):
    """The compiler's folders, and paths that it strips."""
    mesh = '<asset><mesh name="m" file="../../a.stl"/></asset><worldbody'
    text = PENDULUM.replace("<worldbody", mesh)
    deep = text.replace("<asset", '<compiler meshdir="parts/of/it"/><asset', 1)
    stripped = text.replace("<asset", '<compiler strippath="true"/><asset', 1)
    bare = stripped.replace("../../", "")
    for inside in (deep, stripped, bare):
        with pytest.raises(ValueError, match=r"MuJoCo does not compile it: .*a\.stl"):
            load_mjcf(written(tmp_path, inside))
    far = stripped.replace("<asset>", '<include file="../../far.xml"/><asset>')  # stays as it is
    for outside in (text, text.replace("<asset", '<compiler meshdir="/etc"/><asset', 1), far):
        with pytest.raises(ValueError, match="outside"):
            load_mjcf(written(tmp_path, outside))


def test_what_names_no_file_may_read_like_one(tmp_path):
    """A folder elsewhere does no harm while nothing is taken from it, and slashes in names are usual."""
    flat = '<texture name="t" type="2d" builtin="flat" width="8" height="8" file=""/>'
    far = f'<compiler texturedir="/etc"/><asset>{flat}</asset><worldbody'
    text = PENDULUM.replace("<worldbody", far).replace('"rod"', '"/robot/rod"')
    assert load_mjcf(written(tmp_path, text)).chain.names == ("/robot/rod",)


def test_files_that_include_each_other(tmp_path):
    one = written(tmp_path, '<mujoco><include file="other.xml"/></mujoco>', "one.xml")
    written(tmp_path, '<mujoco><include file="one.xml"/></mujoco>', "other.xml")
    for load in (load_mjcf, load_model):
        with pytest.raises(
            ValueError, match=r"one\.xml: MuJoCo does not compile .*already included"
        ):
            load(one)


@pytest.mark.parametrize("include", ["<include/>", '<include file="nowhere.xml"/>'])
def test_an_include_of_nothing_is_left_to_mujoco(tmp_path, include):
    text = PENDULUM.replace("<worldbody", f"{include}<worldbody")
    for source in (text, written(tmp_path, text)):
        with pytest.raises(ValueError, match="MuJoCo does not compile it"):
            load_mjcf(source)


def test_what_lies_outside_is_refused_unread(tmp_path):
    """Else the refusal would tell what is in it."""
    (tmp_path / "far.xml").write_text(f"<!DOCTYPE mujoco [{LAUGHS}]>{PENDULUM}")
    path = written(tmp_path, '<mujoco><include file="../../far.xml"/></mujoco>')
    with pytest.raises(ValueError, match="lies outside") as refused:
        load_mjcf(path)
    assert "entity" not in str(refused.value)


def test_a_mesh_is_not_read_as_xml(tmp_path):
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    written(tmp_path, corners, "corner.obj")
    mesh = '<asset><mesh name="m" file="corner.obj"/></asset><worldbody'
    path = written(tmp_path, PENDULUM.replace("<worldbody", mesh))
    assert load_mjcf(path).chain.names == ("rod",)


def test_what_mujoco_takes_and_xml_does_not(tmp_path):
    path = written(
        tmp_path, f"<!-- a -- b <!ENTITY x 'y'> -->\n{PENDULUM}".replace('bar" ', 'bar"')
    )
    for load in (load_mjcf, load_model):
        assert load(path).chain.names == ("rod",)


def test_hulls_of_meshes_may_have_fewer_corners(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.icosphere(subdivisions=3).export(tmp_path / "ball.stl")
    text = """<mujoco><asset><mesh name="m" file="ball.stl"/></asset><worldbody><body><freejoint/>
        <geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    (tmp_path / "ball.xml").write_text(text)
    for load in (load_mjcf, load_model):
        (shape,) = [g.shape for g in load(tmp_path / "ball.xml", corners=20).geometries]
        assert len(shape.points) <= 20
        (whole,) = [g.shape for g in load(tmp_path / "ball.xml").geometries]
        assert len(whole.points) == 642
    with pytest.raises(ValueError, match="corners is 3"):
        load_mjcf(tmp_path / "ball.xml", corners=3)


def test_a_model_is_shown_in_a_screen(tmp_path):
    tail = '<geom size=".1" mass="1"/></body>' * 40
    actuators = "".join(f'<position name="servo {i}" joint="j{i}"/>' for i in range(40))
    body = "".join(
        f'<body name="body number {i} of many"><joint name="j{i}" stiffness="1" axis="0 1 0"/>'
        for i in range(40)
    )
    text = (
        f"<mujoco><worldbody>{body}{tail}</worldbody><actuator>{actuators}</actuator>"
        f"<keyframe><key name='home'/></keyframe></mujoco>"
    )
    shown = repr(load_mjcf(text)).splitlines()
    assert shown[0] == "Model: 40 shapes, 0 constraints, springs" and len(shown) <= 24
    assert max(map(len, shown)) <= 120
    assert "postures: home" in shown and shown[-1].startswith("left out, 40: actuator 'servo 0'")
    assert shown[-1].endswith("more")
    hull = ConvexHull(np.random.default_rng(0).normal(size=(500, 3)))
    assert repr(Geometry(hull, "a")).startswith("Geometry(shape=ConvexHull of 500 points, link='a'")
