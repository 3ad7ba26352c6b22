"""Right answers to the coded exercises in another form than the solution's: see wrong_answers."""

RIGHT: dict[str, list[tuple[str, str, str]]] = {
    "ex-1-distance": [
        (
            "directions made unit vectors",
            "    mutual =",
            (
                "    line_1 = line_1 / np.linalg.norm(line_1[..., :3], axis=-1, keepdims=True)\n"
                "    line_2 = line_2 / np.linalg.norm(line_2[..., :3], axis=-1, keepdims=True)\n"
                "    mutual ="
            ),
        ),
    ],
    "ex-2-rate": [
        (
            "a linear system",
            "return times(np.eye(3) + W / 2 + b * (W @ W), w)",
            "return np.linalg.solve(left_jacobian_so3(phi).mT, w[..., None])[..., 0]",
        ),
    ],
    "ex-2-way": [
        (
            "lists",
            "return compose((R0, p0), moved)",
            "return [x.tolist() for x in compose((R0, p0), moved)]",
        ),
        (
            "the motion seen from the ground",
            ("compose(inverse((R0, p0)), (R1, p1))))\n    return compose((R0, p0), moved)"),
            ("compose((R1, p1), inverse((R0, p0)))))\n    return compose(moved, (R0, p0))"),
        ),
    ],
    "ex-5-point": [
        (
            "central differences",
            "    to_point =",
            (
                "    def place(q):\n"
                "        R, p = forward_kinematics(chain, q)\n"
                "        return p[chain.index(body)] + R[chain.index(body)] @ point\n"
                "    steps = 1e-6 * np.eye(chain.nv)\n"
                "    return np.transpose([(place(q + h) - place(q - h)) / 2e-6 for h in steps])\n"
                "    to_point ="
            ),
        ),
    ],
    "ex-6-mass": [
        (
            "a list",
            "return rnea(floating, q, np.zeros(chain.nv), np.eye(chain.nv))",
            "return rnea(floating, q, np.zeros(chain.nv), np.eye(chain.nv)).tolist()",
        ),
        (
            "a sum over the bodies",
            "return rnea(floating, q, np.zeros(chain.nv), np.eye(chain.nv))",
            (
                "J = [body_jacobian(chain, q, i) for i in range(chain.n)]\n"
                "    return sum(j.T @ I @ j for j, I in zip(J, chain.spatial_inertia))"
            ),
        ),
    ],
    "ex-8-ltl": [
        (
            "zeros in L",
            "return L",
            "return np.nan_to_num(L)",
        ),
    ],
    "ex-7-passive": [
        (
            "Christoffel's C",
            "coriolis_matrix(chain, q, qd)",
            "christoffel_matrix(chain, q, qd)",
        ),
    ],
    "ex-10-turn": [
        (
            "by the momentum about the centre of mass",
            ("M = crba(talos, q)\n    return -np.linalg.solve(M[:6, :6], M[:6, 6:] @ rates)"),
            (
                "from chaindyn import centroidal_momentum_matrix\n"
                "\n"
                "    A = centroidal_momentum_matrix(talos, q)\n"
                "    return -np.linalg.solve(A[:, :6], A[:, 6:] @ rates)"
            ),
        ),
    ],
    "ex-12-collocated": [
        (
            "an array of one number",
            "return m12 * shoulder + m22 * a + h2",
            "return np.array([m12 * shoulder + m22 * a + h2])",
        ),
    ],
    "ex-12-held": [
        (
            "an array of one number",
            "return min(4 * zeta, 1 / zeta) / hold",
            "return np.array([min(4 * zeta, 1 / zeta) / hold])",
        ),
    ],
    "ex-12-pole": [
        (
            "an array of one number",
            "return m11 * cart_acceleration + m12 * a + h1",
            "return np.array([m11 * cart_acceleration + m12 * a + h1])",
        ),
    ],
    "ex-18-recursion": [
        (
            "SymPy's matrices",
            "return found[1:]",
            "return [sp.Matrix(x) for x in found[1:]]",
        ),
        (
            "one array",
            "return found[1:]",
            "return np.stack(found[1:])",
        ),
    ],
    "ex-18-rods": [
        (
            "a quotient that SymPy has not worked out",
            "return sp.sympify(blow.effective_mass)",
            "return sp.Mul(6, blow.effective_mass, sp.Pow(6, -1, evaluate=False), evaluate=False)",
        ),
        (
            "a fraction of Python's",
            "return sp.sympify(blow.effective_mass)",
            "return __import__('fractions').Fraction(str(blow.effective_mass))",
        ),
    ],
    "ex-23-throw": [
        (
            "central differences in each step",
            "slopes = one_step(states[k] + around[:, :4], torques[k] + around[:, 4:]).imag @ p / h",
            (
                "around = 1e-5 * np.eye(6)\n"
                "        ends = [one_step(states[k] + w[:, :4], torques[k] + w[:, 4:]) for w in (around, -around)]\n"
                "        slopes = (ends[0] - ends[1]) @ p / 2e-5"
            ),
        ),
    ],
    "ex-26-zeros": [
        (
            "in another order",
            '{"by zero": 22, "by one": 2,',
            '{"by one": 2, "by zero": 22,',
        ),
    ],
}
