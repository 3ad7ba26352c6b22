"""Trees whose loops are closed, in general position."""

import numpy as np
from trees import EVERY_KIND, Case, random_joint, random_rotation, random_tree

from chaindyn import (
    Chain,
    Closure,
    Cylindrical,
    Free,
    Link,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    body_twists,
    constraint_error,
    constraint_jacobian,
    forward_kinematics,
    quaternion_from_rotation,
    random_state,
)


def allowed_motions(chain, loops, q):
    """Return independent velocities that keep the constraints, as rows."""
    K = constraint_jacobian(chain, loops, q)
    _, sizes, Vh = np.linalg.svd(K)
    return Vh[int((sizes > 1e-9 * sizes.max(initial=1)).sum()) :]


def laid_through(chain, q, joint, link, onto, rng):
    """Return a closure by a joint between two links, put where it closes in a posture, with the joint anywhere."""
    R, p = forward_kinematics(chain, q)
    turn, offset = random_rotation(rng), rng.normal(size=3)
    R_J, p_J = joint.pose(joint.random(rng, ()))
    # the frame in the link, seen from the other: where its own end must be for the pose (R_J, p_J)
    onto_rotation = R[onto].T @ R[link] @ turn @ R_J.T
    place = R[onto].T @ (p[link] + R[link] @ offset - p[onto])
    return Closure(
        joint,
        link,
        onto,
        offset=offset,
        rotation=turn,
        onto_offset=place - onto_rotation @ p_J,
        onto_rotation=onto_rotation,
    )


def random_loops(
    seed, n=8, joints=(Spherical, Universal, Cylindrical, Planar, Revolute, Prismatic)
):
    """Return a random tree with two or three loops, which are closed in a posture, and a velocity that fits.

    The loops are laid through a posture: each joint is put where it closes there.
    """
    rng = np.random.default_rng(seed)
    tree = random_tree(Case(n, branching=True, seed=seed, kinds=EVERY_KIND))
    q, _ = random_state(tree, rng)
    loops = []
    for _ in range(2 + seed % 2):
        i, j = rng.permutation(n)[:2]
        joint = random_joint(joints[rng.integers(len(joints))], rng)
        loops.append(laid_through(tree, q, joint, int(i), int(j), rng))
    assert np.abs(constraint_error(tree, loops, q)).max() <= 1e-12
    basis = allowed_motions(tree, loops, q)
    qd = basis.T @ rng.normal(size=len(basis))
    return tree, loops, q, qd, rng


def ring(seed):
    """Return a spatial ring without redundant rows: six bars, the ball that closes it, a posture and a velocity."""
    rng = np.random.default_rng(seed)
    hinge = [random_joint(Revolute, rng) for _ in range(6)]
    places, turns = rng.normal(size=(6, 3)), [random_rotation(rng) for _ in range(6)]
    solids = [
        (rng.uniform(1, 2), rng.normal(size=3), np.diag(rng.uniform(2, 3, 3))) for _ in range(6)
    ]
    bars = [Link(hinge[i], *solids[i], offset=places[i], rotation=turns[i]) for i in range(6)]
    chain, tip = Chain(bars), rng.normal(size=3)
    q, _ = random_state(chain, rng)
    R, p = forward_kinematics(chain, q)
    ball = Closure(Spherical(), 5, offset=tip, onto_offset=p[5] + R[5] @ tip)
    qd = allowed_motions(chain, ball, q).T @ rng.normal(size=3)
    return chain, ball, q, qd, rng


def opened(chain, q, qd, cut):
    """Return a chain of hinges with one of them cut, the closure for it, and the same posture and velocity.

    Bars from the cut on hang on nothing there: the first of them is free.
    """
    old = chain.links[cut]
    root = Link(Free(), old.mass, old.com, old.inertia, parent="ground")
    tree = Chain([*chain.links[:cut], root, *chain.links[cut + 1 :]])
    R, p = forward_kinematics(chain, q)
    there, own = [p[cut], quaternion_from_rotation(R[cut])], body_twists(chain, q, qd)[cut]
    pin = Closure(old.joint, cut, cut - 1, onto_offset=old.offset, onto_rotation=old.rotation)
    q = np.concatenate([q[:cut], *there, q[cut + 1 :]])
    return tree, pin, q, np.concatenate([qd[:cut], own, qd[cut + 1 :]])
