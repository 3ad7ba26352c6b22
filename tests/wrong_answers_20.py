"""Answers to the coded exercises of chapter 26 that look right: see wrong_answers."""

WRONG: dict[str, list[tuple[str, str, str]]] = {
    # Chapter 26
    "ex-26-levels": [
        ("sorted operands", '"b": "marks"', '"b": "shares"'),
        ("folding needs marks", '"a": "folds"', '"a": "marks"'),
        ("each link its own", '"c": "shares"', '"c": "nobody"'),
        ("no trigonometry", '"d": "marks"', '"d": "nobody"'),
        ("the double angle", '"e": "nobody"', '"e": "marks"'),
    ],
    "ex-26-zeros": [
        ("the upper right block alone", '"by zero": 22', '"by zero": 9'),
        (
            "ones are products",
            '"by one": 2, "products left": 12',
            '"by one": 0, "products left": 14',
        ),
        ("an addition for each entry", '"sums left": 8', '"sums left": 14'),
        (
            "general X",
            '"by zero": 22, "by one": 2, "products left": 12',
            '"by zero": 9, "by one": 0, "products left": 27',
        ),
    ],
    "ex-26-modulo": [
        ("a fraction", '"inverse": 4', '"inverse": 0.1'),
        ("minus the inverse", '"inverse": 4', '"inverse": 9'),
        ("not reduced", '"s": 11', '"s": 24'),
        ("the other point", '"c": 7', '"c": 6'),
        ("t = 2", '"c": 7, "s": 11', '"c": 2, "s": 6'),
        ("the bound and one more", '"agree": 3', '"agree": 4'),
    ],
    "ex-26-adjoint": [
        ("the second use overwrites", '"y1": 14', '"y1": 6'),
        ("the first use alone", '"y1": 14', '"y1": 8'),
        ("without the part by y2", '"x1": 48', '"x1": 42'),
        ("from an incomplete adjoint", '"x2": 28', '"x2": 12'),
        ("values", '"y2": 6', '"y2": 8'),
    ],
    "ex-26-mass": [
        (
            "slopes once, squared",
            "backward(slope, inputs) for",
            "slope * backward(result, inputs) for",
        ),
        (
            "the diagonal",
            "np.stack([backward(slope, inputs) for slope in backward(result, inputs)])",
            "backward(result, inputs)",
        ),
        ("twice", "np.stack([backward(slope, inputs)", "np.stack([2 * backward(slope, inputs)"),
        ("the energy itself", "backward(slope, inputs) for", "backward(result, inputs) for"),
    ],
}
