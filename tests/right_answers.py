"""Right answers to the coded exercises in another form than the solution's: see wrong_answers."""

RIGHT: dict[str, list[tuple[str, str, str]]] = {
    "ex-1-distance": [
        (
            "directions made unit vectors",
            "    mutual =",
            "    line_1 = line_1 / np.linalg.norm(line_1[..., :3], axis=-1, keepdims=True)\n"
            "    line_2 = line_2 / np.linalg.norm(line_2[..., :3], axis=-1, keepdims=True)\n"
            "    mutual =",
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
            "compose(inverse((R0, p0)), (R1, p1))))\n    return compose((R0, p0), moved)",
            "compose((R1, p1), inverse((R0, p0)))))\n    return compose(moved, (R0, p0))",
        ),
    ],
    "ex-2-rate": [
        (
            "a linear system",
            "return times(np.eye(3) + W / 2 + b * (W @ W), w)",
            "return np.linalg.solve(left_jacobian_so3(phi).mT, w[..., None])[..., 0]",
        ),
    ],
    "ex-5-point": [
        (
            "central differences",
            "    to_point =",
            "    def place(q):\n"
            "        R, p = forward_kinematics(chain, q)\n"
            "        return p[chain.index(body)] + R[chain.index(body)] @ point\n"
            "    steps = 1e-6 * np.eye(chain.nv)\n"
            "    return np.transpose([(place(q + h) - place(q - h)) / 2e-6 for h in steps])\n"
            "    to_point =",
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
            "J = [body_jacobian(chain, q, i) for i in range(chain.n)]\n"
            "    return sum(j.T @ I @ j for j, I in zip(J, chain.spatial_inertia))",
        ),
    ],
    "ex-7-ltl": [
        ("zeros in L", "return L", "return np.nan_to_num(L)"),
    ],
    "ex-7-passive": [
        ("Christoffel's C", "coriolis_matrix(chain, q, qd)", "christoffel_matrix(chain, q, qd)"),
    ],
    "ex-9-turn": [
        (
            "by the momentum about the centre of mass",
            "M = crba(talos, q)\n    return -np.linalg.solve(M[:6, :6], M[:6, 6:] @ rates)",
            "from chaindyn import centroidal_momentum_matrix\n\n"
            "    A = centroidal_momentum_matrix(talos, q)\n"
            "    return -np.linalg.solve(A[:, :6], A[:, 6:] @ rates)",
        ),
    ],
}
