"""Answers to the coded exercises that look right: by label, what is wrong, and how the solution has to be changed.

Zeros of the answer's shape are tried too.
"""

from wrong_answers_10_to_19 import WRONG as MIDDLE
from wrong_answers_20 import WRONG as TWENTIETH
from wrong_answers_21 import WRONG as LAST

WRONG: dict[str, list[tuple[str, str, str]]] = {
    **MIDDLE,
    **TWENTIETH,
    **LAST,
    # Chapter 1
    "ex-1-distance": [
        ("directions taken for unit vectors", "abs(mutual) / sine", "abs(mutual)"),
        (
            "a sine for unit vectors only",
            "np.linalg.norm(np.cross(line_1[..., :3], line_2[..., :3]), axis=-1)",
            "np.sqrt(1 - (line_1[..., :3] * line_2[..., :3]).sum(-1) ** 2)",
        ),
        ("signed", "abs(mutual)", "mutual"),
        ("the dot product", "line_1 * swap_order(line_2)", "line_1 * line_2"),
        ("all lines at once", ".sum(-1)", ".sum()"),
    ],
    "ex-1-read": [
        ("minus r", "-E.T @", "E.T @"),
        ("r in B's axes", "r_tilde = -E.T @ X[3:, :3]", "r_tilde = -X[3:, :3] @ E.T"),
        ("E transposed", "return E,", "return E.T,"),
    ],
    "ex-1-constraint": [
        (
            "motions in place of wrenches",
            "return rows[rank:]",
            "return np.roll(rows[rank:], 3, axis=-1)",
        ),
        ("one missing", "return rows[rank:]", "return rows[rank + 1 :]"),
        (
            "as if all motions were independent",
            "rank = (sizes > 1e-10 * sizes.max()).sum()",
            "rank = len(motions)",
        ),
        ("the wrenches that do work", "return rows[rank:]", "return rows[:rank]"),
        ("small", "return rows[rank:]", "return 1e-13 * rows[: 6 - rank]"),
    ],
    "ex-1-far": [
        ("no loss", "1 + distance", "1 + 0 * distance"),
        ("the root of the distance", "1 + distance", "1 + distance**0.5"),
        ("the square of the distance", "1 + distance", "1 + distance**2"),
        ("the number of digits", "1 + distance", "1 + np.log10(distance)"),
    ],
    # Chapter 2
    "ex-2-way": [
        ("the motion seen from the ground", "compose((R0, p0), moved)", "compose(moved, (R0, p0))"),
        (
            "place and attitude each by itself",
            "moved = exp_se3(share * log_se3(*compose(inverse((R0, p0)), (R1, p1))))",
            "return R0 @ exp_so3(share * log_so3(R0.T @ R1)), p0 + share * (p1 - p0)",
        ),
        ("backwards", "share * log", "(1 - share) * log"),
        ("too fast at first", "share * log", "np.sqrt(share) * log"),
        (
            "a mean of matrices",
            "return compose((R0, p0), moved)",
            "return R0 + share * (R1 - R0), p0 + share * (p1 - p0)",
        ),
    ],
    "ex-2-rate": [
        ("not transposed", "+ W / 2", "- W / 2"),
        ("without the bend", "+ b * (W @ W)", ""),
        ("w itself", "return times(np.eye(3) + W / 2 + b * (W @ W), w)", "return w"),
        (
            "the Jacobian, not its inverse",
            "return times(",
            "return times(left_jacobian_so3(phi).mT, w) if True else times(",
        ),
    ],
    "ex-2-mean": [
        ("one of them", "range(30)", "range(0)"),
        ("one step", "range(30)", "range(1)"),
        ("differences on the other side", "mean.T @ R", "R @ mean.T"),
        (
            "the mean of the quaternions",
            "mean = R[0]",
            "return rotation_from_quaternion(normalised(quaternion_from_rotation(R).mean(0)))",
        ),
    ],
    # Chapter 3
    "ex-3-read": [
        (
            "about the origin",
            "I[..., :3, :3] - m[..., None, None] * skew(c) @ skew(c).mT",
            "I[..., :3, :3]",
        ),
        ("the parallel-axis term added", ":3, :3] - m", ":3, :3] + m"),
        ("the first moment", "c = ten[..., 1:4] / m[..., None]", "c = ten[..., 1:4]"),
    ],
    "ex-3-identify": [
        (
            "without the bias force",
            "newton_euler(units[:, None], a, v)",
            "newton_euler(units[:, None], a, 0 * v)",
        ),
        ("a and v exchanged", "a, v)                ", "v, a)                "),
        (
            "one sample",
            "np.linalg.lstsq(columns.reshape(10, -1).T, f.ravel())",
            "np.linalg.lstsq(columns[:, :2].reshape(10, -1).T, f[:2].ravel())",
        ),
    ],
    "ex-3-bat": [
        (
            "the centre of mass",
            "return screw_axis(motion)[0][0]",
            "return -inertia[5, 1] / inertia[5, 5]",
        ),
        ("the place of the blow", "return screw_axis(motion)[0][0]", "return x"),
        (
            "on the other side",
            "return screw_axis(motion)[0][0]",
            "return 2 * x - screw_axis(motion)[0][0]",
        ),
        (
            "as if the centre were the origin",
            "return screw_axis(motion)[0][0]",
            "return -inertia[2, 2] / (inertia[5, 5] * x) if x else 0.0",
        ),
    ],
    # Chapter 4
    "ex-4-cable": [
        ("the last piece", "carried + np.linalg.norm(b)", "np.linalg.norm(b)"),
        (
            "the air line",
            "lambda carried, b: carried + np.linalg.norm(b), chain.parent, 0, chain.offset",
            "lambda carried, b: np.hypot(carried, np.linalg.norm(b)), chain.parent, 0, chain.offset",
        ),
        ("as if all links stood in a row", "chain.parent, 0", "tuple(range(-1, chain.n - 1)), 0"),
    ],
    "ex-4-helical": [
        ("a hinge", "self.axis * (np.asarray(self.pitch)[..., None] * q)", "0 * self.axis * q"),
        (
            "the pitch forgotten in S",
            "[self.axis, np.asarray(self.pitch)[..., None] * self.axis]",
            "[self.axis, self.axis]",
        ),
        ("the other way round", "return R, self.axis", "return R, -self.axis"),
        (
            "linear first",
            "[self.axis, np.asarray(self.pitch)[..., None] * self.axis]",
            "[np.asarray(self.pitch)[..., None] * self.axis, self.axis]",
        ),
    ],
    "ex-4-inverse": [
        ("one elbow, twice", "np.array([1, -1])", "np.array([1, 1])"),
        (
            "turned the wrong way",
            "np.arctan2(y, x) - np.arctan2(L2",
            "np.arctan2(y, x) + np.arctan2(L2",
        ),
        (
            "the rods exchanged",
            "np.arctan2(L2 * np.sin(q2), L1 + L2 * np.cos(q2))",
            "np.arctan2(L1 * np.sin(q2), L2 + L1 * np.cos(q2))",
        ),
        (
            "stretched where it is too far",
            "if abs(cosine) > 1:",
            "cosine = np.clip(cosine, -1, 1)\n    if False:",
        ),
    ],
    "ex-4-weld": [
        ("inertias added where they are", "sum(carried)", "body[2] + other[2]"),
        ("carried the wrong way", "[I + m", "[I - m"),
        (
            "the middle of the two centres",
            "com = (body[0] * body[1] + other[0] * other[1]) / mass",
            "com = (body[1] + other[1]) / 2",
        ),
        ("carried to the origin", "skew(c - com) @ skew(c - com).T", "skew(c) @ skew(c).T"),
    ],
    # Chapter 5
    "ex-5-point": [
        (
            "the link's origin",
            'return (to_point @ body_jacobian(chain, q, body, frame="mixed"))[3:]',
            'return body_jacobian(chain, q, body, frame="mixed")[3:]',
        ),
        ("the point in world axes", "R[chain.index(body)] @ point", "point"),
        ("on the other side", "R[chain.index(body)] @ point", "-R[chain.index(body)] @ point"),
        (
            "in body axes",
            'R[chain.index(body)] @ point)\n    return (to_point @ body_jacobian(chain, q, body, frame="mixed"))',
            "point)\n    return (to_point @ body_jacobian(chain, q, body))",
        ),
        ("how it turns", ")[3:]", ")[:3]"),
    ],
    "ex-5-follow": [
        ("it stays", "q = q + h * np", "q = q + 0 * h * np"),
        (
            "the twist in body axes",
            'body_jacobian(chain, half, frame="mixed")',
            "body_jacobian(chain, half)",
        ),
        (
            "the linear part alone",
            'q = q + h * np.linalg.solve(\n            body_jacobian(chain, half, frame="mixed"), twist\n        )',
            'q = q + h * np.linalg.pinv(body_jacobian(chain, half, frame="mixed")[3:]) @ twist[3:]',
        ),
        (
            "one Jacobian for all steps",
            "half = follow_euler(chain, q, twist, h / 2, 1)",
            "half = posture",
        ),
        (
            "the transpose",
            'np.linalg.solve(\n            body_jacobian(chain, half, frame="mixed"), twist\n        )',
            'body_jacobian(chain, half, frame="mixed").T @ twist',
        ),
    ],
    "ex-5-hessian": [
        ("j < k", "k=-1).T[..., None]", "k=-1)[..., None]"),
        ("all pairs", "np.tri(chain.nv, k=-1).T[..., None]", "1"),
        (
            "made symmetric",
            "return inboard * (crm(s)[:, None] @ s[None, :, :, None])[..., 0]",
            "H = inboard * (crm(s)[:, None] @ s[None, :, :, None])[..., 0]\n    return (H + H.swapaxes(0, 1)) / 2",
        ),
        ("the sign", "return inboard", "return -inboard"),
    ],
    # Chapter 6
    "ex-6-lift": [
        ("the sign", ") - acceleration)", ") + acceleration)"),
        ("without weight", "np.asarray(chain.gravity) - acceleration", "-acceleration"),
        ("a ground at rest", "np.asarray(chain.gravity) - acceleration", "chain.gravity"),
    ],
    "ex-6-sums": [
        (
            "summed from the ground",
            "np.cumsum(net[::-1, :, 0], axis=0)[::-1]",
            "np.cumsum(net[:, :, 0], axis=0)",
        ),
        ("without the turning screws", "(crm(V[..., 0]) @ own[..., None])[..., 0] + ", ""),
        ("without the turning inertias", " + crf(V[..., 0]) @ inertias @ V", ""),
        ("falling", "-np.asarray(chain.gravity)]", "np.asarray(chain.gravity)]"),
        ("each link alone", "f = np.cumsum(net[::-1, :, 0], axis=0)[::-1]", "f = net[:, :, 0]"),
    ],
    "ex-6-mass": [
        ("with weight", "gravity=(0, 0, 0)", "gravity=chain.gravity"),
        ("moving", "np.zeros(chain.nv), np.eye", "np.ones(chain.nv), np.eye"),
        (
            "the diagonal",
            "return rnea(floating, q, np.zeros(chain.nv), np.eye(chain.nv))",
            "return np.diag(rnea(floating, q, np.zeros(chain.nv), np.eye(chain.nv)).diagonal())",
        ),
    ],
    "ex-6-payload": [
        ("the first moment", "np.array(moment) / mass", "np.array(moment)"),
        (
            "with the arm's own weight",
            "b = (torques - bias_force(bare, postures, 0 * postures)).ravel()",
            "b = torques.ravel()",
        ),
        (
            "about the last joint",
            "return mass, np.array(moment) / mass",
            "return mass, np.array(moment) / mass + UR5_FLANGE",
        ),
    ],
    # Chapter 7
    "ex-8-count": [
        ("all entries", "freedom @ related @ freedom", "freedom.sum() ** 2"),
        ("one triangle", "(D + D.T) > 0", "D > 0"),
        ("links in place of degrees of freedom", "freedom @ related @ freedom", "related.sum()"),
        ("the blocks on the diagonal", "(D + D.T) > 0", "np.eye(len(D))"),
    ],
    "ex-8-ltl": [
        ("Cholesky's", "L = np.tril(M)\n", "return np.linalg.cholesky(M)\n"),
        (
            "Cholesky's, backwards, which calculates with the zeros",
            "L = np.tril(M)\n",
            "return np.linalg.cholesky(M[::-1, ::-1])[::-1, ::-1].T\n",
        ),
        (
            "from the leaves, which calculates with the zeros",
            "L = np.tril(M)\n",
            "L = np.tril(M)\n    carrier = range(-1, len(M) - 1)\n",
        ),
        ("not all ancestors", "k = carrier[k]", "k = -1"),
        ("the triangle of M", "return L", "return np.tril(M)"),
        ("added", "L[i, k] -= ", "L[i, k] += "),
    ],
    "ex-7-passive": [
        ("the velocity for the reference", "C @ reference + tau_g", "C @ qd + tau_g"),
        (
            "another C",
            "C = coriolis_matrix(chain, q, qd)",
            "C = coriolis_matrix(chain, q, reference)",
        ),
        ("pushing on", "- gains[1] * x", "+ gains[1] * x"),
        (
            "the right energy without C",
            "C @ reference + tau_g",
            "bias_force(chain, q, qd) - rate_of_mass_matrix(chain, q, qd) @ x / 2",
        ),
        ("without weight", " + tau_g - ", " - "),
        ("the wanted acceleration", "@ reference_rate", "@ acceleration"),
        ("away from the path", "speed - gains[0] * (q - place)", "speed + gains[0] * (q - place)"),
    ],
    "ex-8-cat": [
        ("the other way", "return -(made", "return (made"),
        ("the total mass", "spin_row[:, spin]).sum()", "chain.mass.sum()).sum()"),
        ("the corners alone", "np.diff(path, axis=0)", "np.abs(np.diff(path, axis=0))"),
        ("the first shape for all", "made / spin_row[:, spin]", "made / spin_row[0, spin] ** 2"),
    ],
    # Chapter 9
    "ex-9-serial": [
        ("rigid", "I_hat = I_hat - np.outer(U, U) / D", "I_hat = I_hat"),
        ("without the velocity product", "eta = crm(v[i]) @ s[i] * qd[i]", "eta = 0 * s[i]"),
        (
            "without the gyroscopic force",
            "B_hat = B_hat + crf(v[i]) @ inertias[i] @ v[i]",
            "B_hat = B_hat",
        ),
        ("without weight", "-np.array(chain.gravity)", "np.zeros(3)"),
        ("the motor not passed on", " + U * u / D", ""),
        ("the parent's acceleration forgotten", "(u - U @ a) / D", "u / D"),
    ],
    "ex-9-inverse": [
        ("with weight", "gravity=(0, 0, 0)", "gravity=chain.gravity"),
        ("moving", "np.zeros(chain.nv), np.eye", "np.ones(chain.nv), np.eye"),
        (
            "the mass matrix",
            "return aba(floating, q, np.zeros(chain.nv), np.eye(chain.nv))",
            "return np.linalg.inv(aba(floating, q, np.zeros(chain.nv), np.eye(chain.nv)))",
        ),
        (
            "the diagonal",
            "return aba(floating, q, np.zeros(chain.nv), np.eye(chain.nv))",
            "return np.diag(aba(floating, q, np.zeros(chain.nv), np.eye(chain.nv)).diagonal())",
        ),
    ],
    "ex-9-rotor": [
        ("no rotor", "D = felt[:1, :1] + rotor", "D = felt[:1, :1]"),
        ("taken off", "+ rotor", "- rotor"),
        (
            "at the joint, not towards the parent",
            "G = felt[:1, 1:] / D",
            "G = felt[:1, 1:] / felt[:1, :1]",
        ),
        (
            "as a body that turns with the link",
            "I_hat = inertia + children[0]",
            "I_hat = inertia + children[0] + rotor * np.eye(6)",
        ),
    ],
    # Chapter 10
    "ex-10-sweep": [
        ("all free", "if mask[i]:", "if False:"),
        (
            "a prescribed joint yields",
            "B_hat = B_hat + I_hat @ (eta + s[i] * qdd[i])",
            "B_hat = B_hat + I_hat @ eta",
        ),
        ("without weight", "-np.array(chain.gravity)", "np.zeros(3)"),
        ("without the velocity product", "eta = crm(v[i]) @ s[i] * qd[i]", "eta = 0 * s[i]"),
        (
            "a free joint carries on as if rigid",
            "I_hat = I_hat - np.outer(U, U) / D",
            "I_hat = I_hat",
        ),
    ],
    "ex-10-coupling": [
        ("with weight", "gravity=(0, 0, 0)", "gravity=chain.gravity"),
        ("moving", "np.zeros(chain.nv),\n", "np.ones(chain.nv),\n"),
        ("the transpose", "return qdd[:, ~prescribed].T", "return qdd[:, ~prescribed]"),
        ("the sign", "return qdd[:, ~prescribed].T", "return -qdd[:, ~prescribed].T"),
    ],
    "ex-10-turn": [
        ("along with the joints", "return -np", "return np"),
        (
            "in the world's axes",
            "return -np.linalg.solve(M[:6, :6], M[:6, 6:] @ rates)",
            "V = -np.linalg.solve(M[:6, :6], M[:6, 6:] @ rates)\n"
            "    return (V.reshape(2, 3) @ forward_kinematics(talos, q)[0][0].T).ravel()",
        ),
        ("the base alone", "M[:6, 6:] @ rates", "M[6:, 6:][:6] @ rates"),
        (
            "without the coupling in the base",
            "np.linalg.solve(M[:6, :6], M[:6, 6:] @ rates)",
            "(M[:6, 6:] @ rates) / M[:6, :6].diagonal()",
        ),
    ],
}
