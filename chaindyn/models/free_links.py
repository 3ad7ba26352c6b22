"""A tree with every link free: the same bodies and their states in maximal coordinates. Written by hand."""

from __future__ import annotations

from dataclasses import replace

from chaindyn._ops import broadcast_batch, concatenate, eye
from chaindyn.array_types import Array6N, Array7N, ArrayNq, ArrayNv
from chaindyn.chain import Chain
from chaindyn.closure import Closure
from chaindyn.guards.door import checked
from chaindyn.guards.model import require_no_rotors
from chaindyn.lie import quaternion_from_rotation
from chaindyn.other_joints import Free
from chaindyn.state import State

__all__ = ["to_maximal", "to_maximal_state"]


@checked()
def to_maximal(chain: Chain) -> tuple[Chain, tuple[Closure, ...]]:
    """Return the same bodies, all free, and the joints as constraints that hold them.

    The returned chain has the links, names and gravity of the given one, each link
    `Free` in the world, and for each link one `Closure`, in order: its joint, onto its
    parent. `to_maximal_state` gives its coordinates. Friction and limits of joints are
    left out; ValueError for a chain with rotors. "Two rigid bodies with a constraint",
    reduced and maximal coordinates.

    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), np.eye(3) / 12)])
    >>> free, closures = to_maximal(rod)
    >>> q, qd = to_maximal_state(rod, np.zeros(1), np.zeros(1))
    >>> qdd, forces = constrained_forward_dynamics(free, closures, q, qd, np.zeros(6))
    >>> qdd.round(6) + 0.0
    array([ 0.   , 14.715,  0.   ,  0.   ,  0.   ,  0.   ])
    """
    require_no_rotors(chain, "to_maximal")
    alone = {"joint": Free(), "offset": (0, 0, 0), "rotation": eye(3), "parent": "ground"}
    links = [
        replace(link, **alone, name=name, drive=None, limits=None)
        for link, name in zip(chain.links, chain.names, strict=True)
    ]
    held = tuple(
        Closure(
            link.joint,
            name,
            "ground" if parent < 0 else chain.names[parent],
            onto_offset=offset,
            onto_rotation=rotation,
        )
        for link, name, parent, offset, rotation in zip(
            chain.links, chain.names, chain.parent, chain.offset, chain.rotation, strict=True
        )
    )
    return Chain(links, chain.gravity, chain.frames), held


@checked(q="nq", qd="nv")
def to_maximal_state(chain: Chain, q: ArrayNq, qd: ArrayNv) -> tuple[Array7N, Array6N]:
    """Return the state in maximal coordinates: q (..., 7 n), qd (..., 6 n), links free.

    q : (..., nq), qd : (..., nv) of the chain itself. A link has its position in the
    world and its quaternion, and its twist [w; v] in link coordinates, as `Free` has
    them.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I, offset=(0, 0, 2))])
    >>> q, qd = to_maximal_state(rod, np.zeros(1), np.ones(1))
    >>> q + 0.0, qd + 0.0
    (array([0., 0., 2., 1., 0., 0., 0.]), array([0., 1., 0., 0., 0., 0.]))
    """
    state = State(chain, *broadcast_batch([q, qd], 1))
    R, p = state.poses
    places = concatenate([p, quaternion_from_rotation(R)], axis=-1)
    twists = state.twists[..., 0]
    return (
        places.reshape((*places.shape[:-2], 7 * chain.n)),
        twists.reshape((*twists.shape[:-2], 6 * chain.n)),
    )
