"""Trees whose loops are closed, in general position."""

import numpy as np
from trees import EVERY_KIND, Case, random_joint, random_rotation, random_tree

from chaindyn import (
    Closure,
    Cylindrical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    constraint_error,
    constraint_jacobian,
    forward_kinematics,
    random_state,
)


def allowed_motions(chain, loops, q):
    """Return independent velocities that keep the constraints, as rows."""
    K = constraint_jacobian(chain, loops, q)
    _, sizes, Vh = np.linalg.svd(K)
    return Vh[int((sizes > 1e-9 * sizes.max(initial=1)).sum()) :]


def random_loops(
    seed, n=8, joints=(Spherical, Universal, Cylindrical, Planar, Revolute, Prismatic)
):
    """Return a random tree with two or three loops, which are closed in a posture, and a velocity that fits.

    The loops are laid through a posture: each joint is put where it closes there.
    """
    rng = np.random.default_rng(seed)
    tree = random_tree(Case(n, branching=True, seed=seed, kinds=EVERY_KIND))
    q, _ = random_state(tree, rng)
    R, p = forward_kinematics(tree, q)
    loops = []
    for _ in range(2 + seed % 2):
        i, j = rng.permutation(n)[:2]
        joint = random_joint(joints[rng.integers(len(joints))], rng)
        turn, offset = random_rotation(rng), rng.normal(size=3)
        x = joint.random(rng, ())
        R_J, p_J = joint.pose(x)
        # the frame in the link, seen from j: where the other end must be for the pose (R_J, p_J)
        R_i, p_i = R[i] @ turn, p[i] + R[i] @ offset
        R_on = R[j].T @ R_i @ R_J.T
        p_on = R[j].T @ (p_i - p[j]) - R_on @ p_J
        loops.append(
            Closure(
                joint,
                int(i),
                int(j),
                offset=offset,
                rotation=turn,
                onto_offset=p_on,
                onto_rotation=R_on,
            )
        )
    assert np.abs(constraint_error(tree, loops, q)).max() <= 1e-12
    basis = allowed_motions(tree, loops, q)
    qd = basis.T @ rng.normal(size=len(basis))
    return tree, loops, q, qd, rng
