"""Joints, links, chains: poses by an independent route, sweeps against explicit sums, a model's bookkeeping."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from trees import EPS, KINDS, Case, assert_near, bound, random_tree

from chaindyn import (
    Chain,
    Fixed,
    Limits,
    Link,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    forward_kinematics,
    inward,
    outward,
    random_state,
    rotation_about,
    skew,
    within_limits,
)
from chaindyn.models.arrays import consecutive
from chaindyn.teaching import normwise

BODY = {"mass": 1, "com": (0, 0, 0), "inertia": np.eye(3)}


def poses_by_matrices(chain, q):
    """World poses (n, 4, 4) as products of homogeneous matrices, rotations from quaternions."""
    poses = []
    for i, link in enumerate(chain.links):
        placed, joint = np.eye(4), np.eye(4)
        placed[:3, :3], placed[:3, 3] = link.rotation, link.offset
        own = q[list(chain.q_columns[i])]
        if isinstance(link.joint, Revolute):
            joint[:3, :3] = Rotation.from_rotvec(own[0] * link.joint.axis).as_matrix()
        elif isinstance(link.joint, Prismatic):
            joint[:3, 3] = own[0] * link.joint.axis
        parent = poses[chain.parent[i]] if chain.parent[i] >= 0 else np.eye(4)
        poses.append(parent @ placed @ joint)
    return np.array(poses)


def test_poses_are_products_of_homogeneous_matrices(moving):
    chain, q, _, _ = moving
    R, p = forward_kinematics(chain, q)
    T = poses_by_matrices(chain, q)
    assert_near(R, T[:, :3, :3], chain.n)
    assert_near(p, T[:, :3, 3], chain.n)


def test_rotations_stay_orthonormal(moving):
    chain, q, _, _ = moving
    R, _ = forward_kinematics(chain, q)
    assert np.abs(R @ R.mT - np.eye(3)).max() <= 10 * EPS * chain.n
    assert np.abs(np.linalg.det(R) - 1).max() <= 10 * EPS * chain.n


def test_the_second_link_hangs_where_the_first_one_ends():
    """Alexiou (2023), (2), corrected: with lengths 0.5 and 0.8 the second joint is at 0.5, not at 0.8."""
    chain = Chain(
        [
            Link(Revolute(), **BODY),
            Link(Revolute(), **BODY, offset=(0.5, 0, 0)),
            Link(Fixed(), **BODY, offset=(0.8, 0, 0)),
        ]
    )
    _, p = forward_kinematics(chain, np.zeros(2))
    assert p[:, 0].tolist() == [0, 0.5, 1.3]


def test_rotation_about_is_the_exponential_and_keeps_its_axis():
    rng = np.random.default_rng(0)
    axis = rng.normal(size=(50, 3))
    axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
    angle = np.concatenate([rng.uniform(-7, 7, 30), 1e-7 * rng.normal(size=20)])[:, None]
    R = rotation_about(axis, angle)
    assert normwise(R, Rotation.from_rotvec(angle * axis).as_matrix()) <= 10 * EPS
    assert normwise((R @ axis[..., None])[..., 0], axis) <= 10 * EPS
    assert (
        normwise(
            rotation_about(axis, angle) @ rotation_about(axis, 2 * angle),
            rotation_about(axis, 3 * angle),
        )
        <= 30 * EPS
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_joint_s_subspace_is_the_rate_of_its_pose(kind):
    """S qd = [w; v] in child axes, with w~ = R^T Rdot and v = R^T pdot, by complex step."""
    rng = np.random.default_rng(1)
    joint = kind() if kind is Fixed else kind(rng.normal(size=3))
    q, qd = rng.normal(size=joint.nq), rng.normal(size=joint.nv)
    R, _ = joint.pose(q)
    dR, dp = (np.imag(x) / 1e-30 for x in joint.pose(q + 1e-30j * qd))
    twist = joint.motion_subspace(q) @ qd
    assert np.abs(R.T @ dR - skew(twist[:3])).max() <= 10 * EPS
    assert np.abs(R.T @ dp - twist[3:]).max() <= 10 * EPS
    assert not joint.motion_subspace_rate(q, qd).any()
    assert joint.motion_subspace_rate(q, qd).shape == (6, joint.nv)


def test_axes_are_normalised_even_huge_and_tiny_ones():
    for size in (1, 1e-200, 1e200, 3):
        assert np.abs(Revolute((0, 3 * size, 4 * size)).axis - (0, 0.6, 0.8)).max() <= EPS
    axis = np.array([0, 0, 1])
    kept = Revolute(axis).axis  # a unit axis of integers stays exact
    assert kept.dtype == axis.dtype and kept.tolist() == [0, 0, 1]


def test_outward_adds_up_what_lies_on_the_path(case):
    chain = random_tree(case)
    values = np.random.default_rng(2).integers(-9, 9, chain.n)
    carried = outward(lambda parent, x: parent + x, chain.parent, 0, values)
    assert carried == [values[list(chain.path(i))].sum() for i in range(chain.n)]


def test_inward_adds_up_what_hangs_below(case):
    chain = random_tree(case)
    values = np.random.default_rng(3).integers(-9, 9, chain.n)

    def step(received, x):
        total = received[0] + x
        return total, (total, 1 + received[1])

    kept, (total, count) = inward(step, chain.parent, (0, 0), values)
    below = [[k for k in range(chain.n) if i in chain.path(k)] for i in range(chain.n)]
    assert kept == [values[subtree].sum() for subtree in below]
    assert total == values.sum() and count == chain.n


@pytest.mark.parametrize("given", [[1], [1, 2, 3]], ids=["too few", "too many"])
def test_both_sweeps_want_an_entry_for_each_link(given):
    with pytest.raises(ValueError, match="zip"):
        outward(lambda parent, x: parent + x, (-1, 0), 0, given)
    with pytest.raises(ValueError, match="zip"):
        inward(lambda received, x: (x, (x,)), (-1, 0), (0,), given)


def test_outward_and_inward_are_transposes(case):
    chain = random_tree(case)
    rng = np.random.default_rng(4)
    x, y = rng.integers(-9, 9, chain.n), rng.integers(-9, 9, chain.n)
    out = outward(lambda parent, a: parent + a, chain.parent, 0, x)
    gathered, _ = inward(lambda got, a: (got[0] + a, (got[0] + a,)), chain.parent, (0,), y)
    assert np.dot(out, y) == np.dot(x, gathered)


def test_parents_by_name_index_and_default_agree():
    def tree(parents):
        names = ("a", "b", "c", "d")
        return Chain(
            [
                Link(Revolute(), **BODY, parent=parent, name=name)
                for parent, name in zip(parents, names, strict=True)
            ]
        )

    for parents in (
        (None, None, "a", "ground"),
        ("ground", 0, 0, "ground"),
        (None, "a", np.int64(0), "ground"),
    ):
        assert tree(parents).parent == (-1, 0, 0, -1)


def test_bodies_by_name_and_index_agree():
    chain = Chain([Link(Revolute(), **BODY, name="arm"), Link(Revolute(), **BODY)])
    assert chain.names == ("arm", "link1")
    assert [chain.index(body) for body in ("arm", 0, "link1", 1, -1, None)] == [0, 0, 1, 1, 1, 1]
    assert chain.path() == (0, 1) and chain.path("arm") == (0,)


def test_columns_follow_the_links(case):
    chain = random_tree(case)
    assert chain.nq == chain.nv == sum(not isinstance(joint, Fixed) for joint in chain.joints)
    assert [i for columns in chain.v_columns for i in columns] == list(range(chain.nv))
    assert [chain.names[i] for i in chain.link_of_column] == [
        chain.link_of("nv", k) for k in range(chain.nv)
    ]


def test_consecutive_ranges_tile_their_sum():
    assert consecutive([1, 0, 3]) == (range(0, 1), range(1, 1), range(1, 4))
    assert consecutive([]) == ()


def test_a_chain_holds_its_links_parameters_as_arrays(case):
    chain = random_tree(case)
    for name, shape in {
        "mass": (),
        "com": (3,),
        "inertia": (3, 3),
        "offset": (3,),
        "rotation": (3, 3),
    }.items():
        stacked = getattr(chain, name)
        assert stacked.shape == (chain.n, *shape)
        assert all(
            np.array_equal(stacked[i], getattr(link, name)) for i, link in enumerate(chain.links)
        )
    v = np.random.default_rng(5).normal(size=6)
    for I, link in zip(chain.spatial_inertia, chain.links, strict=True):
        at_com = v[3:] + np.cross(v[:3], link.com)
        energy = link.mass * at_com @ at_com + v[:3] @ link.inertia @ v[:3]
        assert abs(v @ I @ v - energy) <= 20 * EPS * np.linalg.norm(I) * (v @ v)


def test_a_chain_s_parameters_cannot_be_written():
    """What was checked and computed with once would else disagree with what was written."""
    chain = random_tree(Case(3, seed=20))
    for name in ("mass", "com", "inertia", "offset", "rotation", "spatial_inertia", "gravity"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(chain, name)[0] = 0


def test_random_states_have_their_shapes_and_are_repeatable(case):
    chain = random_tree(case)
    for batch in ((), (3,), (2, 5)):
        q, qd = random_state(chain, 0, batch=batch)
        assert q.shape == (*batch, chain.nq) and qd.shape == (*batch, chain.nv)
        again, _ = random_state(chain, np.random.default_rng(0), batch=batch)
        assert np.array_equal(q, again)
    assert random_state(chain)[0].shape == (chain.nq,)


def test_random_states_spread_over_the_joints_range():
    chain = Chain([Link(Revolute(), **BODY), Link(Prismatic(), **BODY)])
    q, qd = random_state(chain, 1, batch=(4000,))
    angle, slide = q.T
    assert -np.pi <= angle.min() < -0.99 * np.pi and 0.99 * np.pi < angle.max() <= np.pi
    for normal in (slide, *qd.T):
        assert abs(normal.mean()) < 4 / 4000**0.5  # four standard errors
        assert abs(normal.std() - 1) < 4 / 8000**0.5


def test_the_bound_never_exceeds_1e_10():
    assert bound(1) == 100 * EPS and bound(10**6) == 1e-10


# Limits ------------------------------------------------------------------------------------------


def limited(joint, **limits):
    return Link(joint, 1, (1, 0, 0), np.eye(3), name="arm", limits=Limits(**limits))


def test_limits_are_kept_as_rows():
    chain = Chain(
        [
            limited(Revolute(), lower=-1, upper=2, velocity=3, effort=4),
            Link(Spherical(), 1, (1, 0, 0), np.eye(3)),
            Link(
                Universal(), 1, (1, 0, 0), np.eye(3), limits=Limits((-1, -np.inf), (1, 5), effort=7)
            ),
        ]
    )
    inf = np.inf
    assert chain.lower_limit.tolist() == [-1, *[-inf] * 4, -1, -inf]
    assert chain.upper_limit.tolist() == [2, *[inf] * 4, 1, 5]
    assert chain.velocity_limit.tolist() == [3, *[inf] * 3, inf, inf]
    assert chain.effort_limit.tolist() == [4, *[inf] * 3, 7, 7]
    q = np.array([0.0, 1, 0, 0, 0, 0, 0])
    assert within_limits(chain, q)
    outside = [q + 2.1 * np.eye(7)[0], q - 1.1 * np.eye(7)[0], q - 1.1 * np.eye(7)[5]]
    edges = [q + 2 * np.eye(7)[0], q - np.eye(7)[0], q + 5 * np.eye(7)[6], q - 99 * np.eye(7)[6]]
    assert within_limits(chain, np.array(outside + edges)).tolist() == [False] * 3 + [True] * 4
    clipped = np.clip(outside, chain.lower_limit, chain.upper_limit)
    assert within_limits(chain, clipped).all()


@pytest.mark.parametrize(
    ("joint", "limits", "words"),
    [
        (Revolute(), {"lower": 2, "upper": 1}, "'arm'.*lower limit, 2, is above the upper one, 1"),
        (Revolute(), {"velocity": -1}, "velocity limit is -1, but is a size"),
        (Revolute(), {"effort": np.nan}, "effort limit is nan"),
        (Revolute(), {"lower": [0, 1]}, r"lower limit has shape \(2,\)"),
        (Spherical(), {"lower": 0}, "quaternion, which has no limits"),
        (Spherical(), {"upper": [9, 9, 9, np.inf]}, "quaternion, which has no limits"),
    ],
)
def test_bad_limits_are_told(joint, limits, words):
    with pytest.raises(ValueError, match=words):
        Chain([limited(joint, **limits)])


def test_limits_are_limits():
    with pytest.raises(ValueError, match="limits is 3, but must be Limits"):
        Chain([Link(Revolute(), 1, (1, 0, 0), np.eye(3), limits=3)])
