"""Answers to coded exercises that look unlike their solutions, and are right: see wrong_answers."""

RIGHT: dict[str, list[tuple[str, str, str]]] = {
    "ex-15-rods": [
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
    "ex-15-recursion": [
        ("SymPy's matrices", "return found[1:]", "return [sp.Matrix(x) for x in found[1:]]"),
        ("one array", "return found[1:]", "return np.stack(found[1:])"),
    ],
}
