"""Against Pinocchio: its results are kept as data, so that this runs where it is not installed."""

import numpy as np
import pytest
from trees import assert_near, assert_within, bound, oracle, stored_chain

from chaindyn import (
    body_accelerations,
    body_jacobian,
    body_twists,
    forward_kinematics,
    jacobian_dot_qd,
    load_urdf,
)

MODELS = oracle("pinocchio")["models"]
ROBOTS = [model for model in MODELS if "file" in model]
FRAMES = ("body", "world", "mixed")


def name_of(model):
    return model["name"].replace(" ", "-")


@pytest.fixture(params=MODELS, ids=name_of)
def stored(request):
    """Each model's chain, with its two states as a batch and the results of both."""
    model = request.param
    states = {key: np.array([s[key] for s in model["states"]]) for key in ("q", "qd", "qdd")}

    def expected(*keys):
        results = model["results"]
        for key in keys:
            results = [result[key] for result in results]
        return np.array(results)

    return stored_chain(model), states, expected


def leaves(chain):
    return [i for i in range(chain.n) if i not in chain.parent]


def test_poses(stored):
    chain, state, expected = stored
    R, p = forward_kinematics(chain, state["q"])
    assert_near(R, expected("R"), chain.n)
    assert_near(p, expected("p"), chain.n)


@pytest.mark.parametrize("frame", FRAMES)
def test_twists(stored, frame):
    chain, state, expected = stored
    twists = body_twists(chain, state["q"], state["qd"], frame=frame)
    assert_near(twists, expected(frame, "twists"), chain.n)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("kind", ["spatial", "classical"])
def test_accelerations(stored, frame, kind):
    chain, state, expected = stored
    result = body_accelerations(chain, **state, frame=frame, classical=kind == "classical")
    assert_near(result, expected(frame, kind), chain.n)


@pytest.mark.parametrize("frame", FRAMES)
def test_jacobians(stored, frame):
    chain, state, expected = stored
    result = [body_jacobian(chain, state["q"], body, frame=frame) for body in leaves(chain)]
    assert_near(np.stack(result, axis=1), expected(frame, "jacobians"), chain.n)


@pytest.mark.parametrize("frame", FRAMES)
def test_jacobian_dot_qd(stored, frame):
    """Pinocchio's time variation of a Jacobian is componentwise; so "mixed" wants the classical bias."""
    chain, state, expected = stored
    options = {"frame": frame, "classical": frame == "mixed"}
    bodies, reference = leaves(chain), expected(frame, "bias")
    result = [jacobian_dot_qd(chain, state["q"], state["qd"], body, **options) for body in bodies]
    # terms as large as this cancel: to nothing, where no second hinge is on the path
    terms = np.linalg.norm(expected(frame, "jacobians")) * (state["qd"] ** 2).sum()
    error = np.linalg.norm(np.stack(result, axis=1) - reference)
    assert error <= bound(chain.n) * (terms + np.linalg.norm(reference))


@pytest.mark.parametrize("model", [m for m in ROBOTS if m["bodies"]], ids=name_of)
def test_merged_bodies(model):
    """What `load_urdf` made of the welds, kept with the model, against what Pinocchio made of them."""
    chain, bodies = stored_chain(model), model["bodies"]
    assert_near(chain.mass, np.array(bodies["mass"]), 1)
    assert_near(chain.com, np.array(bodies["com"]), 1)
    assert_near(chain.inertia, np.array(bodies["inertia"]), 1)


@pytest.mark.parametrize("model", ROBOTS, ids=name_of)
def test_the_file_still_gives_the_stored_chain(model, robot_file):
    pytest.importorskip("yourdfpy")
    chain, stored = load_urdf(robot_file(model["file"]), **model["options"]), stored_chain(model)
    assert chain.names == stored.names and chain.parent == stored.parent
    assert [type(joint) for joint in chain.joints] == [type(joint) for joint in stored.joints]
    for name in ("mass", "com", "inertia", "offset", "rotation"):
        assert_near(getattr(chain, name), getattr(stored, name), 1)
    assert_near([j.axis for j in chain.joints], [j.axis for j in stored.joints], 1)


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_pinocchio_still_gives_the_stored_results(model, robot_file):
    """Its version or its way of reading files may change: then the file is to be made again."""
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    from oracles import make_pinocchio as make

    if "file" in model:
        again = make.robot(model["name"])
    else:
        again = make.tree(next(case for case in make.TREES if str(case) == model["name"]))
    n = len(model["links"])
    for before, after in zip(model["results"], again["results"], strict=True):
        assert_near(np.array(after["R"]), np.array(before["R"]), n)
        for frame in FRAMES:
            # the bias is what is left when the parts of the accelerations cancel
            size = float(np.linalg.norm(before[frame]["spatial"]))
            for key, value in before[frame].items():
                terms = size if key == "bias" else 0.0
                assert_within(np.array(after[frame][key]), np.array(value), terms, bound(n))


def test_every_asked_for_model_is_there():
    names = [model["name"] for model in MODELS]
    for robot in ("UR5", "Panda arm", "Panda with its gripper locked", "Allegro hand"):
        assert robot in names
    sizes = {len(model["links"]) for model in MODELS if "file" not in model}
    kinds = {link["joint"] for model in MODELS for link in model["links"]}
    assert {1, 30} <= sizes and kinds == {"Revolute", "Prismatic", "Fixed"}
