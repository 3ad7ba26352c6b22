# Generated from chapters/07_the_stacked_form_and_composite_inertia.md by `python -m book export`; edit it there.
# sha256 of the text below: 06060472c0ee42964f0c2b5c54f0e64909d7ce18a321b2e99f6fa850e2287050
"""The stacked form: the tree in one matrix, and one body's part of the Coriolis matrix.

Derived in chapter 7, "The stacked form".
"""

import numpy as np

from chaindyn._ops import Array, block, divide, zeros
from chaindyn.array_types import ArrayNxN
from chaindyn.chain import Chain
from chaindyn.guards.door import checked
from chaindyn.spatial import crf, crm, skew

__all__ = ["tree_matrix"]


# Chapter 7, "The stacked form": All bodies at once
@checked()
def tree_matrix(chain: Chain) -> ArrayNxN:
    """Return Delta (n, n): 1 in row i, column j where link i is j or comes after it.

    In world coordinates V = Delta times the joints' parts, and f = Delta^T times the
    links' wrenches. For a serial chain it is the lower triangle.

    >>> trunk = Link(Revolute(), 1, (0, 0, 0), np.eye(3))
    >>> twig = Link(Revolute(), 1, (0, 0, 0), np.eye(3), parent=0)
    >>> tree_matrix(Chain([trunk, twig, twig]))
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 0, 1]])
    """
    Delta = np.zeros((chain.n, chain.n), int)
    for i in range(chain.n):
        Delta[i, list(chain.path(i))] = 1
    return Delta


# Chapter 7, "The stacked form": Body by body
def crf_bar(f: Array) -> Array:
    """Return the matrix (..., 6, 6) of f (..., 6) with crf_bar(f) @ m = crf(m) @ f."""
    moment, force = skew(f[..., :3]), skew(f[..., 3:])
    return block([[-moment, -force], [-force, zeros((3, 3))]])


def body_coriolis(inertia: Array, v: Array) -> Array:
    """Return B (..., 6, 6) of a body: B v = v x* I v, and dI/dt = B + B^T."""
    momentum = (inertia @ v[..., None])[..., 0]
    return divide(crf(v) @ inertia - inertia @ crm(v) + crf_bar(momentum), 2)
