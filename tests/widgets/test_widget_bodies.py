"""Links as bodies: the box and the ellipsoid weigh and turn as the link does; legs lead from joint to joint."""

from __future__ import annotations

import numpy as np
import pytest
from widget_cases import EPS, arm

from chaindyn import Chain, Fixed, Link, Prismatic, Revolute
from chaindyn.models.robots import UR5_FLANGE, ur5

pytest.importorskip("anywidget")
from chaindyn.widgets.bodies import THICKNESS, bodies_of, leg, same_inertia


def random_link(rng: np.random.Generator) -> Link:
    """A cloud of point masses, whose inertia any body could have."""
    points = rng.normal(size=(9, 3)) * [1, 2, 0.3]
    masses = rng.uniform(0.1, 1, 9)
    com = masses @ points / masses.sum()
    r = points - com
    inertia = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, r, strict=True))
    return Link(Revolute((0, 0, 1)), masses.sum(), com, inertia)


def moments_by_sampling(shape: dict, mass: float) -> np.ndarray:
    """The inertia of a uniform body about its centre, by Gauss-Legendre points through all of it."""
    x, w = np.polynomial.legendre.leggauss(24)
    grid = np.stack(np.meshgrid(x, x, x, indexing="ij"), -1).reshape(-1, 3)
    weight = np.einsum("i,j,k->ijk", w, w, w).ravel()
    if shape["shape"] == "ellipsoid":  # the ball from the cube: radius, height, turn
        r, c, turn = (grid[:, 0] + 1) / 2, grid[:, 1], np.pi * (grid[:, 2] + 1)
        s = np.sqrt(1 - c**2)
        weight = weight * r**2
        grid = r[:, None] * np.stack([s * np.cos(turn), s * np.sin(turn), c], -1)
    points = (grid * shape["sides"] / 2) @ np.asarray(shape["R"]).T
    weight = mass * weight / weight.sum()
    second = np.einsum("n,ni,nj->ij", weight, points, points)
    return np.trace(second) * np.eye(3) - second


@pytest.mark.parametrize("kind", ["box", "ellipsoid"])
@pytest.mark.parametrize("seed", range(5))
def test_a_body_of_the_same_inertia_has_it_by_adding_up_its_mass(kind, seed):
    chain = Chain([random_link(np.random.default_rng(seed))], gravity=(0, 0, 0))
    shape = same_inertia(chain, 0, kind)
    assert np.allclose(shape["centre"], chain.com[0], rtol=0, atol=0)
    assert np.linalg.det(shape["R"]) == pytest.approx(1, abs=20 * EPS)
    summed = moments_by_sampling(shape, chain.mass[0])
    size = np.abs(chain.inertia[0]).max()
    assert np.abs(summed - chain.inertia[0]).max() < 1e-12 * size


def test_a_rod_is_thin_and_as_long_as_it_is():
    rod = Chain([Link(Revolute((0, 0, 1)), 2, (0.5, 0, 0), np.diag([0, 1 / 6, 1 / 6]))])
    sides = same_inertia(rod, 0, "box")["sides"]
    assert sorted(sides) == pytest.approx([0, 0, 1], abs=1e-7)  # the square of zero is rounding


def test_what_has_no_mass_has_no_body():
    links = [
        Link(Revolute((0, 0, 1)), 1, (1, 0, 0), np.eye(3)),
        Link(Fixed(), 0, (0, 0, 0), np.zeros((3, 3))),
    ]
    bodies = bodies_of(Chain(links), (0.2, 0, 0), 1.0)
    assert bodies["box"][1] is None
    assert bodies["ellipsoid"][1] is None
    assert bodies["links"][1]  # still drawn to its tip


@pytest.mark.parametrize("chain", [ur5(), arm()], ids=["ur5", "arm"])
def test_legs_lead_to_the_children_and_drums_lie_along_their_axes(chain):
    reach = 1.3
    bodies = bodies_of(chain, UR5_FLANGE, reach)
    radius = bodies["radius"]
    assert radius.max() == pytest.approx(THICKNESS * reach)
    assert radius[np.argmax(chain.mass)] == radius.max()
    for k in range(chain.n):
        if chain.parent[k] >= 0 and np.linalg.norm(chain.offset[k]) > 0:
            ends = [shape["to"] for shape in bodies["links"][chain.parent[k]]]
            assert min(np.linalg.norm(end - chain.offset[k]) for end in ends) < 1e-12
        for drum in bodies["joints"][k]:
            if isinstance(chain.joints[k], Revolute):
                along = drum["to"] - drum["from"]
                assert np.cross(along, chain.joints[k].axis) == pytest.approx(0, abs=1e-15)
                assert drum["radius"] > radius[k]


def test_a_leg_turns_once_where_the_next_hinge_lies_across_its_way():
    axis, end = np.array([0, 1, 0]), np.array([0.1, -0.2, 0.4])
    first, second = leg(end, axis, 0.05)
    assert first["from"] == pytest.approx([0, 0, 0])
    assert first["to"] == pytest.approx([0.1, 0, 0.4])
    assert second["from"] == pytest.approx(first["to"])
    assert second["to"] == pytest.approx(end)
    assert len(leg(end, None, 0.05)) == 1
    assert leg(np.zeros(3), axis, 0.05) == []


def test_a_housing_lies_along_the_axis_as_the_parent_sees_it():
    """The child's frame is turned by 40 degrees about x, and so is its axis."""
    c, s = np.cos(np.deg2rad(40)), np.sin(np.deg2rad(40))
    turned = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    hinge, body = Revolute((0, 0, 1)), (1, (0.1, 0, 0), np.eye(3))
    child = Link(hinge, *body, offset=(0.5, 0.2, 0.4), rotation=turned)
    chain = Chain([Link(hinge, *body), child])
    _, housing = bodies_of(chain, (0.2, 0, 0), 1.0)["links"][0]
    along = housing["to"] - housing["from"]
    assert np.cross(along, [0, -s, c]) == pytest.approx(0, abs=1e-15)


def test_a_leaf_s_round_end_reaches_its_tip():
    (shape,) = bodies_of(ur5(), UR5_FLANGE, 1.3)["links"][-1]
    end = np.linalg.norm(shape["to"])
    assert end + shape["radius"] >= np.linalg.norm(UR5_FLANGE) - 1e-12


def test_joints_are_told_apart_by_kind():
    joints = [Revolute((0, 0, 1)), Prismatic((1, 0, 0)), Fixed()]
    links = [Link(joint, 1, (0.1, 0, 0), np.eye(3), offset=(0.3, 0, 0)) for joint in joints]
    bodies = bodies_of(Chain(links), (0.2, 0, 0), 1.0)
    kinds = [[shape["shape"] for shape in joint] for joint in bodies["joints"]]
    assert kinds == [["cylinder"], ["box"], []]
    assert [len(seat) for seat in bodies["seats"]] == [0, 1, 0]
    assert bodies["joints"][1][0]["R"][:, 2] == pytest.approx([1, 0, 0])
