"""Four-bar and five-bar from their energies alone: Lagrange's equations with multipliers, by SymPy, in fifty digits."""

from functools import cache

import numpy as np
import pytest
from trees import EPS

from chaindyn import (
    Chain,
    Closure,
    Link,
    Revolute,
    assemble,
    constrained_forward_dynamics,
    constraint_jacobian,
    forward_kinematics,
)
from chaindyn.models import robots
from chaindyn.teaching import normwise

sp = pytest.importorskip("sympy")
mpmath = pytest.importorskip("mpmath")

# Lengths and masses of the rods, one hung on the end of the other, and where on the ground the last one ends; then
# postures near which they close.
MECHANISMS = {
    "four-bar": (
        ("1", "1", "1"),
        ("1", "1", "1"),
        "1",
        [robots.four_bar_posture(2, angle) for angle in (0.7, 2.5, 4.2)],
    ),
    "crank and rocker": (
        ("0.4", "1", "0.8"),
        ("0.3", "0.7", "1.1"),
        "1.1",
        [(1.2, -0.6, -2.0), (2.8, -2.0, -2.2), (-1.0, 1.5, -2.3)],
    ),
    "five-bar": (
        ("0.5", "0.6", "0.6", "0.5"),
        ("0.5", "0.6", "0.6", "0.5"),
        "0.6",
        [(2.0, -1.0, -1.2, -1.0), (1.7, -1.3, -0.7, -1.6), (0.9, 0.4, -2.2, -0.8)],
    ),
}


@cache
def lagrangian(name):
    """Return what takes q, qd and tau to qdd and multipliers in mpmath's numbers, from the energies of thin rods.

    Coordinates are those of the tree: each turns its rod against the one before, from x towards z. The last rod's end
    is held at its two coordinates: the multipliers are the ground's force on it, along x and z.
    """
    lengths, masses, foot, _ = MECHANISMS[name]
    lengths, masses = [sp.Rational(x) for x in lengths], [sp.Rational(x) for x in masses]
    n = len(lengths)
    q, v, tau = (sp.Matrix(sp.symbols(f"{letter}:{n}")) for letter in "qvt")
    end, T, V = sp.zeros(2, 1), 0, 0
    for i in range(n):
        angle = sum(q[: i + 1])
        along = lengths[i] * sp.Matrix([sp.cos(angle), sp.sin(angle)])
        speeds = [point.jacobian(q) * v for point in (end, end + along)]
        a, b = speeds  # of both ends: a thin rod has m (a.a + a.b + b.b) / 6
        T += masses[i] * (a.dot(a) + a.dot(b) + b.dot(b)) / 6
        V += masses[i] * sp.Rational("9.81") * (end + along / 2)[1]
        end = end + along
    gap = end - sp.Matrix([sp.Rational(foot), 0])
    L = sp.Matrix([T - V])
    momenta = L.jacobian(v).T
    M, K = momenta.jacobian(v), gap.jacobian(q)
    right = tau + L.jacobian(q).T - momenta.jacobian(q) * v
    k = -(K * v).jacobian(q) * v
    terms = sp.lambdify([*q, *v, *tau], (M, K, right, k), "mpmath", cse=True)

    def solve(q, v, tau):
        M, K, right, k = terms(*(mpmath.mpf(x) for x in (*q, *v, *tau)))
        system = mpmath.zeros(n + 2)
        system[:n, :n], system[:n, n:], system[n:, :n] = M, -K.T, K
        x = mpmath.lu_solve(system, mpmath.matrix([*right, *k]))
        return x[:n], x[n:], system

    return solve


def mechanism(name):
    """Return the chain and its closure."""
    if name == "four-bar":
        return robots.four_bar()
    if name == "five-bar":
        return robots.five_bar()
    *rods, foot, _ = MECHANISMS[name]
    links, before = [], 0.0
    for length, mass in zip(*np.array(rods, float), strict=True):
        moments = mass * length**2 / 12 * np.diag([0, 1, 1])
        at = (before, 0, 0)
        links.append(Link(Revolute((0, -1, 0)), mass, (length / 2, 0, 0), moments, offset=at))
        before = length
    pin = Closure(Revolute((0, 1, 0)), 2, offset=(before, 0, 0), onto_offset=(float(foot), 0, 0))
    return Chain(links), (pin,)


@pytest.mark.parametrize("start", range(3))
@pytest.mark.parametrize("name", MECHANISMS)
def test_loops_move_as_their_lagrangian_says(name, start):
    chain, loops = mechanism(name)
    rng = np.random.default_rng(start)
    q = assemble(chain, loops, np.array(MECHANISMS[name][-1][start]))
    N = np.linalg.svd(constraint_jacobian(chain, loops, q))[2][2:]
    qd = 3 * N.T @ rng.normal(size=len(N))
    tau = 5 * rng.normal(size=chain.nv)
    with mpmath.workdps(50):
        answers = lagrangian(name)(q, qd, tau)
        expected, force, system = (np.array(x.tolist(), float).squeeze() for x in answers)
    qdd, multipliers = constrained_forward_dynamics(chain, loops, q, qd, tau)
    limit = 100 * EPS * np.linalg.cond(system)
    assert limit <= 1e-10
    assert normwise(qdd, expected) <= limit
    # of the hinge's five rows three vanish, and nobody feels their multipliers; the others are a force in link axes
    R, _ = forward_kinematics(chain, q)
    assert np.abs(multipliers[[0, 1, 3]]).max() <= limit * np.abs(force).max()
    assert normwise((R[-1] @ multipliers[2:])[[0, 2]], force) <= limit
