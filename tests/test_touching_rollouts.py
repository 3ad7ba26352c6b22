"""Many motions with contacts at once, in machine code: each as it is by itself, whatever the threads."""

import warnings

import numpy as np
import pytest
from test_compiled_steps import SCENES, piled, side_by_side, tumbling

from chaindyn import Coupling, rollout, simulate_contact
from chaindyn.compiler import touching
from chaindyn.compiler.native import NoCompiler

TIMES = np.linspace(0, 0.2, 4)


def several(scene, count, seed=0):
    """States near that of a scene, with other rates, the options of its contacts, and a load."""
    chain, shapes, q, qd, more = scene()
    rng = np.random.default_rng(seed)
    rates = qd + 0.2 * rng.normal(size=(count, chain.nv)) * (np.arange(count) > 0)[:, None]
    more = dict(more)
    torque = more.pop("torque", np.zeros(chain.nv))
    return chain, np.tile(q, (count, 1)), rates, {"geometries": shapes, **more}, torque


def rolled(scene, count=6, **given):
    chain, q, qd, contacts, torque = several(scene, count)
    given = {"t": TIMES, "step": 0.002, "torque": torque, "contacts": contacts, **given}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*as they stand")
        return rollout(chain, q, qd, **given)


@pytest.mark.parametrize("scene", SCENES)
def test_each_is_what_it_is_by_itself(scene):
    """To the last bit, and as by steps as they stand to rounding."""
    found = rolled(scene)
    chain, q, qd, contacts, torque = several(scene, 6)
    for k in range(6):
        given = {"t": TIMES, "step": 0.002, "torque": torque, **contacts}
        own = simulate_contact(
            chain, start := given.pop("geometries"), q[k], qd[k], compiled=True, **given
        )
        np.testing.assert_array_equal(found.q[:, k], own.q)
        np.testing.assert_array_equal(found.qd[:, k], own.qd)
    slow = simulate_contact(chain, start, q[0], qd[0], **given)
    assert np.abs(found.q[:, 0] - slow.q).max() < 1e-8 * max(np.abs(slow.qd).max(), 1)
    assert np.ptp(found.q[-1], axis=0).max() > 1e-3


@pytest.mark.parametrize("scene", [tumbling, piled])
def test_the_same_to_the_bit_whatever_the_threads(scene):
    one, *others = [rolled(scene, 23, threads=k) for k in (1, 2, 5)]
    for other in others:
        np.testing.assert_array_equal(one.q, other.q)
        np.testing.assert_array_equal(one.qd, other.qd)


def test_portions_do_not_matter(monkeypatch):
    whole = rolled(tumbling)
    monkeypatch.setattr("chaindyn.compiler.touching_rollouts.MOST_AT_ONCE", 7)
    np.testing.assert_array_equal(rolled(tumbling).q, whole.q)


def test_axes_and_loads_are_those_of_rollout():
    """A load for each stretch of time, another one for each motion, and two axes of motions."""
    chain, q, qd, contacts, _ = several(tumbling, 4)
    loads = np.random.default_rng(1).normal(size=(3, 4, chain.nv))
    given = {"t": TIMES, "step": 0.0005, "contacts": contacts}
    found = rollout(
        chain, q.reshape(2, 2, -1), qd.reshape(2, 2, -1), torque=loads.reshape(3, 2, 2, -1), **given
    )
    assert found.q.shape == (4, 2, 2, 7) and found.qd.shape == (4, 2, 2, 6)
    state = q[3], qd[3]
    for k in range(3):
        own = simulate_contact(
            chain,
            contacts["geometries"],
            *state,
            t=TIMES[k : k + 2],
            step=0.0005,
            torque=loads[k, 3],
            compiled=True,
        )
        state = own.q[-1], own.qd[-1]
        np.testing.assert_allclose(found.q[k + 1, 1, 1], state[0], atol=1e-9)
    alone = rollout(chain, q[0], qd[0], torque=loads[0, 0], **given)
    assert alone.q.shape == (4, 7)


def test_steps_that_programs_doubt_are_taken_as_they_stand():
    chain, q, qd, contacts, _ = several(side_by_side, 2)
    qd[1] = 0
    with pytest.warns(RuntimeWarning, match=r"40 of 40 steps with contacts ran as they stand"):
        found = rollout(chain, q, qd, t=[0, 0.04], step=0.002, contacts=contacts)
    slow = simulate_contact(chain, contacts["geometries"], q[0], qd[0], t=[0, 0.04], step=0.002)
    np.testing.assert_array_equal(found.q[:, 0], slow.q)


def test_without_a_compiler(monkeypatch):
    def fails(*_):
        raise NoCompiler("there is none")

    monkeypatch.setattr(touching, "program_of", fails)
    chain, q, qd, contacts, _ = several(tumbling, 2)
    with pytest.warns(RuntimeWarning, match="run as they stand: there is none"):
        found = rollout(chain, q, qd, t=[0, 0.02], step=0.01, contacts=contacts)
    slow = simulate_contact(chain, contacts["geometries"], q[1], qd[1], t=[0, 0.02], step=0.01)
    np.testing.assert_array_equal(found.q[:, 1], slow.q)


def test_starts_inside_each_other_are_refused():
    chain, q, qd, contacts, _ = several(tumbling, 4)
    q[2, 2] = 0.05
    with pytest.raises(ValueError, match=r"motion \[2\]: .* starts 0\..* m deep inside 'ground'"):
        rollout(chain, q, qd, t=TIMES, step=0.002, contacts=contacts)


def test_motions_that_fail_are_named():
    chain, q, qd, contacts, _ = several(tumbling, 4)
    torque = np.zeros((4, chain.nv))
    torque[1, 3] = 1e150
    with pytest.raises(ValueError, match=r"motion \[1\]"):
        rollout(chain, q, qd, t=TIMES, step=0.002, torque=torque, contacts=contacts)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"contacts": 3}, "contacts is 3, but must be a dictionary with geometries"),
        ({"contacts": {"friction": 0.3}}, "must be a dictionary with geometries"),
        ({"contacts": {"geometries": [], "step": 1}}, "contacts has 'step', but takes geometries, friction,"),
        ({"contacts": {"geometries": []}}, "no two of these geometries may touch"),
        ({"contacts": {"geometries": lambda q: []}}, "geometries as a function"),
        ({"constraints": Coupling({1: 1.0, 2: 1.0})}, "contacts and constraints"),
    ],
)  # fmt: skip
def test_what_is_refused(given, message):
    chain, q, qd, contacts, _ = several(SCENES[-1], 2)
    given = {"contacts": contacts, **given}
    with pytest.raises(ValueError, match=message):
        rollout(chain, q, 0 * qd, t=TIMES, step=0.002, **given)
