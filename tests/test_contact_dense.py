"""Contact anywhere in trees with loops, by dense matrices: M by virtual power, loops by a basis of what they allow.

Nothing here comes from the factorised chain: rows are relative velocities of two particles for each joint rate, biases
are difference quotients, and complementarity is tried mode by mode.
"""

import functools
from itertools import product

import numpy as np
import pytest
from contacts import Touch
from loops import allowed_motions, random_loops, ring
from trees import EVERY_KIND, Case, at_point, mass_matrix_and_bias, random_tree

from chaindyn import (
    body_twists,
    collision_impulses,
    constraint_jacobian,
    forward_kinematics,
    integrate,
    random_state,
    resting_contact,
)

H = 1e-3  # of difference quotients of fourth order [s]
LAWS = ("newton", "poisson", "moreau")


class Scene:
    """A chain, its loops, a state, and two or three contacts of links with links or the ground."""

    def __init__(self, chain, loops, q, qd, rng):
        self.chain, self.loops, self.q, self.qd = chain, loops, q, qd
        self.L = constraint_jacobian(chain, loops, q) if loops else np.zeros((0, chain.nv))
        self.M, self.h = mass_matrix_and_bias(chain, q, qd)
        free = allowed_motions(chain, loops, q) if loops else np.eye(chain.nv)
        self.free = free
        self.Y = free.T @ np.linalg.solve(
            free @ self.M @ free.T, free
        )  # motion by forces, loops held
        self.contacts, rows = [], []
        count, every = 2 + rng.integers(2), body_twists(chain, q, np.eye(chain.nv), frame="world")
        while len(self.contacts) < count:
            contact = self.random_contact(rng)
            rows.append(self.relative(every, contact).T)
            self.contacts.append(contact)
            self.normals = np.array([contact.normal for contact in self.contacts])
            self.rows = np.array(rows)
            self.K = (self.normals[:, None] @ self.rows)[:, 0]
            W, own = self.K @ self.Y @ self.K.T, self.K @ np.linalg.solve(self.M, self.K.T)
            if (
                W[-1, -1] < 1e-6 * own[-1, -1] or np.linalg.cond(W) > 1e4
            ):  # locked, or not by itself
                rows.pop()
                self.contacts.pop()

        if (self.K @ qd).min() > 0:
            self.qd = -qd

    def random_contact(self, rng):
        """A contact of the ground with a link, or of two links; anywhere near the first."""
        _, p = forward_kinematics(self.chain, self.q)
        a, b = (int(x) for x in rng.permutation(self.chain.n)[:2])
        normal = rng.normal(size=3)
        bodies = (a, -1 if not self.contacts else b)
        place = p[a] + 0.3 * rng.normal(size=3)
        return Touch(bodies, place, normal / np.linalg.norm(normal))

    def relative(self, twists, contact):
        """The velocity of the first body's particle relative to the second's."""
        a, b = contact.bodies
        point = np.asarray(contact.point)
        v = at_point(twists[..., a, :], point)
        return v - at_point(twists[..., b, :], point) if b >= 0 else v

    def gap(self, q):
        """The gaps of corners of the first bodies over planes of the second, closed in this scene's posture."""
        there, here = (forward_kinematics(self.chain, x) for x in (q, self.q))
        gaps = []
        for contact in self.contacts:
            (a, b), x = contact.bodies, np.asarray(contact.point)
            moved, n, origin = self.carried(here, there, a, x), contact.normal, x
            if b >= 0:
                n = there[0][b] @ here[0][b].T @ n
                origin = self.carried(here, there, b, x)
            gaps.append(n @ (moved - origin))
        return np.array(gaps)

    @staticmethod
    def carried(here, there, body, x):
        """A particle of a body, at x here, where it is there."""
        return there[1][body] + there[0][body] @ here[0][body].T @ (x - here[1][body])

    def on_its_way(self, function):
        """A function of q at five places along the velocity."""
        return [function(integrate(self.chain, self.q, s * H * self.qd)) for s in (-2, -1, 0, 1, 2)]


def scenes():
    """Trees of every joint, rings, and trees with two or three loops that leave six motions or more."""
    for seed in range(4):
        chain = random_tree(Case(7, branching=True, seed=seed, kinds=EVERY_KIND))
        rng = np.random.default_rng(seed)
        yield f"tree {seed}", (chain, (), *random_state(chain, rng), rng)
    yield "ring", ring(1)
    for seed in range(40):
        chain, loops, q, qd, rng = random_loops(seed)
        if len(allowed_motions(chain, loops, q)) >= 6:
            yield f"loops {seed}", (chain, tuple(loops), q, qd, rng)


NAMES = [
    "tree 0", "tree 1", "tree 2", "tree 3", "ring",
    "loops 0", "loops 1", "loops 2", "loops 3", "loops 4", "loops 5",
]  # fmt: skip


@functools.cache
def every_scene():
    return {name: given for name, given in scenes() if name in NAMES}


@pytest.fixture(params=NAMES)
def scene(request):
    chain, loops, q, qd, _ = every_scene()[request.param]
    return Scene(chain, loops, q, qd, np.random.default_rng(NAMES.index(request.param)))


def by_modes(A, b):
    """The solution of a complementarity problem; several with one w are one."""
    found = []
    for mode in product((False, True), repeat=len(b)):
        own, z = np.array(mode), np.zeros(len(b))
        z[own] = np.linalg.solve(A[np.ix_(own, own)], -b[own])
        if (z >= 0).all() and (A @ z + b >= -1e-9 * np.abs(b).max()).all():
            found.append(z)
    return found


def near(result, truth, size, digits=1e-9):
    assert np.abs(result - truth).max() <= digits * size


@pytest.mark.parametrize("order", ["together", "sequence"])
@pytest.mark.parametrize("eps", [0.0, 0.6])
def test_smooth_blows(scene, order, eps):
    found = collision_impulses(
        scene.chain, scene.q, scene.qd, scene.contacts,
        restitution=eps, order=order, constraints=scene.loops,
    )  # fmt: skip
    W, v = scene.K @ scene.Y @ scene.K.T, scene.K @ scene.qd
    p, blows = np.zeros(len(v)), 0
    while blows < 90 and (v + W @ p).min() < -1e-11 * np.abs(v).max():
        now = v + W @ p
        k = np.arange(len(v)) if order == "together" else [int(now.argmin())]
        (more,) = by_modes(W[np.ix_(k, k)], (1 + eps) * now[k])
        p[k] += more
        blows += 1
    truth = scene.Y @ scene.K.T @ p
    size = np.abs(truth).max() + np.abs(scene.qd).max()
    near(found.qd_jump, truth, size, 1e-8)
    near(found.impulses, p[:, None] * scene.normals, max(p.max(), 1e-3), 1e-7)
    assert order == "sequence" or found.blows == blows
    near(
        scene.L.T @ found.multipliers, scene.M @ truth - scene.K.T @ p, size * np.abs(scene.M).max()
    )
    after = scene.qd + truth
    assert found.energy_after == pytest.approx(after @ scene.M @ after / 2, rel=1e-8)


@pytest.mark.parametrize("law", LAWS)
def test_rough_blows(scene, law):
    """Momentum, cones, loops, and friction against the slip that is left."""
    mu, eps = 0.3, 0.5
    found = collision_impulses(
        scene.chain, scene.q, scene.qd, scene.contacts,
        restitution=eps, friction=mu, law=law, constraints=scene.loops,
    )  # fmt: skip
    push = (found.impulses * scene.normals).sum(1)
    drag = np.linalg.norm(found.impulses - push[:, None] * scene.normals, axis=1)
    assert (push >= -1e-12 * push.max()).all()
    assert (drag <= mu * push + 1e-12 * push.max()).all()
    forces = np.einsum("kxn,kx->n", scene.rows, found.impulses)
    size = np.abs(scene.qd).max() + np.abs(found.qd_jump).max()
    near(found.qd_jump, scene.Y @ forces, size, 1e-8)
    near(
        scene.M @ found.qd_jump,
        forces + scene.L.T @ found.multipliers,
        size * np.abs(scene.M).max(),
    )
    before, after = scene.K @ scene.qd, scene.K @ (scene.qd + found.qd_jump)
    assert after.min() >= -1e-9 * np.abs(before).max()
    if law == "newton" and found.blows == 1:
        fast = after + eps * before
        assert (
            np.abs(np.minimum(push, fast * push.max())).max() <= 1e-8 * max(push.max(), 1e-3) * size
        )
    if law == "moreau":
        assert found.energy_after <= found.energy_before * (1 + 1e-10)


def test_the_scenes_have_loops_and_blows(scene, request):
    name = request.node.callspec.params["scene"]
    assert bool(scene.loops) != name.startswith("tree")
    assert len(scene.free) >= (3 if name == "ring" else 6)
    assert (scene.K @ scene.qd).min() < -1e-3


def test_what_loops_lock_takes_no_blow_and_no_force():
    """Only rounding is left of how its contacts yield, and of how fast they come."""
    chain, loops, q, qd, _ = every_scene()["loops 3"]
    free = allowed_motions(chain, loops, q)
    still = [i for i in range(chain.n) if np.abs(body_twists(chain, q, free)[:, i]).max() < 1e-12]
    assert len(still) >= 2
    bodies = [(still[0], -1), (still[1], still[0]), (still[1], -1)]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        normals = rng.normal(size=(3, 3))
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        contacts = [Touch(b, rng.normal(size=3), n) for b, n in zip(bodies, normals, strict=True)]
        for mu in (0, 0.5):
            found = collision_impulses(
                chain, q, qd, contacts, restitution=0.6, friction=mu, constraints=loops
            )
            assert found.blows == 0
            assert not found.qd_jump.any()
            qdd, forces = resting_contact(
                chain, q, qd, np.ones(chain.nv), contacts, friction=mu, constraints=loops
            )
            assert not forces.any()
            alone, _ = resting_contact(chain, q, qd, np.ones(chain.nv), [], constraints=loops)
            assert (qdd == alone).all()


@pytest.mark.parametrize("mu", [0.0, 0.2])
def test_forces_at_rest(scene, mu):
    """Contacts that neither part nor approach; with friction all of them slide, each as it moves."""
    null = np.linalg.svd(np.vstack([scene.K @ scene.free.T]))[2][len(scene.K) :]
    if not len(null):  # the ring's motions are all taken: it may rest
        null = np.zeros((1, len(scene.free)))
    rng = np.random.default_rng(5)
    qd = scene.free.T @ (null.T @ rng.normal(size=len(null)))
    qd = 0.5 * qd / max(np.abs(qd).max(), 1e-12)
    chain, q, contacts = scene.chain, scene.q, scene.contacts
    scene = copy_with(scene, qd)
    tau = 5 * rng.normal(size=chain.nv)
    a, b, c, d, e = scene.on_its_way(scene.gap)
    bias = (-a + 16 * b - 30 * c + 16 * d - e) / (12 * H * H)
    pull = np.zeros(len(scene.L))
    if scene.loops:
        a, b, _, d, e = scene.on_its_way(lambda x: constraint_jacobian(chain, scene.loops, x) @ qd)
        pull = (a - 8 * b + 8 * d - e) / (12 * H)
    particular = (
        np.linalg.lstsq(scene.L, -pull, rcond=1e-10)[0] if scene.loops else np.zeros(chain.nv)
    )
    free = particular + scene.Y @ (tau - scene.h - scene.M @ particular)
    slip = scene.rows @ qd
    slip = slip - (slip * scene.normals).sum(1, keepdims=True) * scene.normals
    speed = np.linalg.norm(slip, axis=1, keepdims=True)
    moving = (speed > 1e-9).all()
    against = slip / np.where(speed > 1e-9, speed, 1)
    lines = scene.normals - mu * against  # of the forces
    columns = np.einsum("kxn,kx->nk", scene.rows, lines)
    A = scene.K @ scene.Y @ columns
    solutions = by_modes(A, scene.K @ free + bias)
    if mu and not moving:
        return  # it may stick: other tests have that
    assert len(solutions) == 1
    (f,) = solutions
    truth = free + scene.Y @ columns @ f
    qdd, forces = resting_contact(
        chain, q, qd, tau, contacts, friction=mu, constraints=scene.loops, tolerance=1e-8
    )
    size = np.abs(truth).max() + np.abs(free).max()
    near(qdd, truth, size, 1e-6)
    near(forces, f[:, None] * lines, max(f.max(), 1.0), 1e-5)


def copy_with(scene, qd):
    """The same scene in another motion."""
    other = object.__new__(Scene)
    other.__dict__.update(scene.__dict__)
    other.qd = qd
    other.M, other.h = mass_matrix_and_bias(scene.chain, scene.q, qd)
    return other
