# Generated from chapters/35_a_recursion_for_serial_chains.md by `python -m book export`; edit it there.
# sha256 of the text below: aff892541bce0c009d9dc708fcee86ad3c95507aba0090993ed14e4bbf37c8de
"""How a serial chain yields that is cut off behind each of its links, one link after the other.

Derived in chapter 35, "A recursion for serial chains".
"""

from chaindyn._ops import Array, eye, solve, solve_pivoted, stack, unstack, zeros
from chaindyn.array_types import ArrayNq, ArrayNx6x6
from chaindyn.articulated import rotor_blocks
from chaindyn.chain import Chain, outward
from chaindyn.guards.arguments import FRAMES, RECURSIONS, FrameWord, RecursionWord
from chaindyn.guards.door import checked
from chaindyn.guards.mobility import require_own_inertia, require_serial
from chaindyn.state import evaluate

__all__ = ["inverse_operational_space_inertia_serial"]


# Chapter 35, "A recursion for serial chains": The printed recursion as a function
def extension_step(parent: Array, X: Array, S: Array, inertia: Array, rotor: Array) -> Array:
    """Link step: inverse inertia at the end of a chain, one link further out.

    rotor : (k, k), the reflected inertia of the joint's rotor.
    """
    shorter = X @ parent @ X.mT
    G = S @ solve(S.mT @ inertia @ S + rotor, S.mT)
    Psi = (eye(6) - G @ inertia) @ shorter
    return solve_pivoted(eye(6) + Psi @ inertia, G + Psi)


@checked(q="nq", frame=FRAMES, recursion=RECURSIONS)
def inverse_operational_space_inertia_serial(
    chain: Chain, q: ArrayNq, *, frame: FrameWord = "body", recursion: RecursionWord = "body"
) -> ArrayNx6x6:
    """Return the inverse inertia at each link of a serial chain, cut off after it.

    q : (..., nq); frame, recursion : as for `inverse_operational_space_inertia`, whose
    last entry equals the last one here (..., n, 6, 6). Alexiou (2023), (15)-(18), as
    printed in the world recursion. ValueError for a tree, and for a link that alone has
    no inertia about its joint, such as a massless one.

    >>> I = np.diag([0, 1, 1]) / 12
    >>> rod = Chain([Link(Revolute((0, 1, 0)), 1, (0.5, 0, 0), I)])
    >>> found = inverse_operational_space_inertia_serial(rod, np.zeros(1))
    >>> found[0].diagonal().round(6)
    array([0., 3., 0., 0., 0., 0.])
    """
    require_serial(chain)
    state = evaluate(chain, q, recursion=recursion)
    inertias = unstack(state.inertias, -3)
    rotors = rotor_blocks(chain)
    require_own_inertia(chain, state.S, inertias, rotors)
    links = state.X, state.S, inertias, rotors
    inverses = outward(extension_step, chain.parent, zeros((6, 6)), *links)
    return state.maps_in_frame(stack(inverses, axis=-3), frame)
