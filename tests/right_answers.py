"""Answers to coded exercises that look unlike their solutions, and are right: see wrong_answers."""

RIGHT: dict[str, list[tuple[str, str, str]]] = {
    "ex-11-held": [
        (
            "an array of one number",
            "return min(4 * zeta, 1 / zeta) / hold",
            "return np.array([min(4 * zeta, 1 / zeta) / hold])",
        ),
    ],
    "ex-11-collocated": [
        (
            "an array of one number",
            "return m12 * shoulder + m22 * a + h2",
            "return np.array([m12 * shoulder + m22 * a + h2])",
        ),
    ],
    "ex-11-pole": [
        (
            "an array of one number",
            "return m11 * cart_acceleration + m12 * a + h1",
            "return np.array([m11 * cart_acceleration + m12 * a + h1])",
        ),
    ],
}
