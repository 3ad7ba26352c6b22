"""Answers to the coded exercises that look right: by label, what is wrong, and how the solution has to be changed.

Zeros of the answer's shape are tried too.
"""

WRONG: dict[str, list[tuple[str, str, str]]] = {
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
        ("small", "return rows[rank:]", "return 1e-13 * rows[::-1][: 6 - rank]"),
    ],
    "ex-1-far": [
        ("no loss", "1 + D", "1 + 0 * D"),
        ("the root of D", "1 + D", "1 + D**0.5"),
        ("the square of D", "1 + D", "1 + D**2"),
        ("the number of digits", "1 + D", "1 + np.log10(D)"),
    ],
}
