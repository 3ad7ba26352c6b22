"""Answers to the coded exercises that look right: by label, what is wrong, and how the solution has to be changed.

Zeros of the answer's shape are tried too.
"""

from wrong_answers_10_to_19 import WRONG as LATER

WRONG: dict[str, list[tuple[str, str, str]]] = {
    **LATER,
    # Chapter 1
    "ex-1-distance": [
        ("directions taken for unit vectors", "abs(mutual) / sine", "abs(mutual)"),
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
        ("motions in place of wrenches", "return rows[rank:]", "return np.roll(rows[rank:], 3, axis=-1)"),
        ("one missing", "return rows[rank:]", "return rows[rank + 1 :]"),
        ("as if all motions were independent", "rank = (sizes > 1e-10 * sizes.max()).sum()", "rank = len(motions)"),
        ("the wrenches that do work", "return rows[rank:]", "return rows[:rank]"),
        ("small", "return rows[rank:]", "return 1e-13 * rows[: 6 - rank]"),
    ],
    "ex-1-far": [
        ("no loss", "1 + D", "1 + 0 * D"),
        ("the root of D", "1 + D", "1 + D**0.5"),
        ("the square of D", "1 + D", "1 + D**2"),
        ("the number of digits", "1 + D", "1 + np.log10(D)"),
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
        ("a mean of matrices", "return compose((R0, p0), moved)", "return R0 + share * (R1 - R0), p0 + share * (p1 - p0)"),
    ],
    "ex-2-rate": [
        ("not transposed", "+ W / 2", "- W / 2"),
        ("without the bend", "+ b * (W @ W)", ""),
        ("w itself", "return times(np.eye(3) + W / 2 + b * (W @ W), w)", "return w"),
        ("the Jacobian, not its inverse", "return times(", "return times(left_jacobian_so3(phi).mT, w) if True else times("),
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
        ("about the origin", "I[..., :3, :3] - m[..., None, None] * skew(c) @ skew(c).mT", "I[..., :3, :3]"),
        ("the parallel-axis term added", ":3, :3] - m", ":3, :3] + m"),
        ("the first moment", "c = ten[..., 1:4] / m[..., None]", "c = ten[..., 1:4]"),
    ],
    "ex-3-identify": [
        ("without the bias force", "newton_euler(units[:, None], a, v)", "newton_euler(units[:, None], a, 0 * v)"),
        ("a and v exchanged", "a, v)                ", "v, a)                "),
        ("one sample", "np.linalg.lstsq(columns.reshape(10, -1).T, f.ravel())", "np.linalg.lstsq(columns[:, :2].reshape(10, -1).T, f[:2].ravel())"),
    ],
    "ex-3-bat": [
        ("the centre of mass", "return screw_axis(motion)[0][0]", "return inertia[5, 1] / inertia[5, 5]"),
        ("the place of the blow", "return screw_axis(motion)[0][0]", "return x"),
        ("on the other side", "return screw_axis(motion)[0][0]", "return 2 * x - screw_axis(motion)[0][0]"),
        ("as if the centre were the origin", "return screw_axis(motion)[0][0]", "return -inertia[2, 2] / (inertia[5, 5] * x) if x else 0.0"),
    ],
}
