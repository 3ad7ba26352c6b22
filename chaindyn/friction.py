# Generated from chapters/21_rest_and_friction.md by `python -m book export`; edit it there.
# sha256 of the text below: 6c74d6e676062ec22c5da79bc2479d59919e90cd451cdf397356d99d48aa5d60
"""Friction: Coulomb's law as an equation.

Derived in chapter 21, "Rest and friction".
"""

import numpy as np

from chaindyn._ops import Array, block, concatenate, eye, positive, sqrt, where, zeros

__all__: list[str] = []


# Chapter 21, "Rest and friction": Friction at rest and in motion
def forces_of_unknowns(mu: Array, sliding: Array) -> Array:
    """Return the matrix (3 m, 3 m) that makes forces of unknowns: of a contact that
    slides only the normal force is one, and brings its friction along.

    The first tangent of a sliding contact is along its slip.

    mu : (m,); sliding : (m,) booleans.
    """
    m, normal = len(mu), np.diag([1.0, 0, 0])
    slides = normal - mu[:, None, None] * [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    own = np.where(sliding[:, None, None], slides, np.eye(3))
    return (np.eye(m)[:, None, :, None] * own[:, :, None]).reshape(3 * m, 3 * m)


# Chapter 21, "Rest and friction": Which way friction points
def shortened(x: Array, most: Array) -> Array:
    """Return vectors x (..., k), none of them longer than most (..., 1)."""
    length = sqrt((x * x).sum(-1, keepdims=True))
    too_long = positive(length - most)
    return where(too_long, most / where(too_long, length, 1), 1) * x


def into_cone(p: Array, mu: Array, known: Array) -> Array:
    """Return impulses p (..., 1 + k) without what pulls, and with friction shortened to
    mu times the normal part and what is `known`; mu, known : (...).
    """
    normal = where(positive(p[..., :1]), p[..., :1], 0)
    most = mu[..., None] * normal + known[..., None]
    return concatenate([normal, shortened(p[..., 1:], most)], axis=-1)


def coulomb_miss(p: Array, v: Array, mu: Array, known: Array) -> Array:
    """Return what vanishes (..., 1 + k) where impulses p obey Coulomb's law with the
    velocities v after them.

    p, v : (..., 1 + k), normal first, in units in which contacts yield by about 1; mu,
    known : (...). Alart and Curnier (1991).
    """
    return p - into_cone(p - v, mu, known)


# Chapter 21, "Rest and friction": Which way friction points
def cone_slopes(p: Array, mu: Array, known: Array) -> Array:
    """Return the derivative (..., 3, 3) of `into_cone` by p (..., 3); mu, known :
    (...).
    """
    pushes, friction = where(positive(p[..., :1]), 1, 0), p[..., 1:]
    most = mu[..., None] * pushes * p[..., :1] + known[..., None]
    length = sqrt((friction * friction).sum(-1, keepdims=True))
    slips = positive(length - most)
    length = where(slips, length, 1)
    along = friction / length
    turns = most / length * where(slips, 1, 0)
    turned = turns[..., None] * (eye(2) - along[..., :, None] * along[..., None, :])
    stays = where(slips, 0, 1)[..., None] * eye(2)
    grows = where(slips, mu[..., None] * pushes * along, 0)
    return block([[pushes[..., None], zeros((1, 2))], [grows[..., None], turned + stays]])


def cone_margins(p: Array, mu: Array, known: Array) -> Array:
    """Return what must not be negative (..., 2) for impulses p (..., 1 + k) to lie in
    their cones.

    The normal part, and by how much friction is below mu times it and what is `known`.
    """
    friction = p[..., 1:]
    size = sqrt((friction * friction).sum(-1, keepdims=True))
    return concatenate([p[..., :1], mu[..., None] * p[..., :1] + known[..., None] - size], axis=-1)
