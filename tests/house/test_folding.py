"""What a cell's code folds under is read from its tags and its syntax."""

from __future__ import annotations

import pytest

from book.extensions.folding import DRAWING, LABEL, label
from book.pages import pages, read_page, tags

EXPORT = {"tags": ["export"]}
LINES = "\n".join(f"x{k} = {k}" for k in range(6))
METHOD = "\n    def f(self):\n" + "\n".join(f"        y{k} = {k}" for k in range(26))


@pytest.mark.parametrize(
    ("source", "metadata", "says"),
    [
        ("import a\n" * 6, {}, "Imports"),
        ("import a", {}, ""),
        (LINES + '\ncheck("mass", 0, 1)\ncheck("mass", 0, 1)\ncheck(f"{x}: force", 0, 1)', {}, "Check: mass; force"),
        ('check("mass", 0, 1)', {}, ""),
        (LINES + "\nassert x1 == 1", {}, "Check: The section"),
        (LINES + '\nprint("rank", normwise(a, b))', {}, "Check: rank"),
        (LINES + "\nprint(x1)", {}, ""),
        ("\n".join([LINES] * 5), {}, "Code: The section"),
        (LINES + '\nattempt("1.1", lambda: check("x", 0, 1))', {}, ""),
        (LINES + '\ncheck("x", 0, 1)', {"tags": ["solution"]}, ""),
        ("import a\nclass Joint:" + METHOD, EXPORT, "The exported class Joint"),
        ("class Joint:" + METHOD + "\n\ndef f():\n    return 1", EXPORT, ""),
        ("def f():\n" + "    x = 1\n" * 40 + '    check("x", 0, 1)', EXPORT, ""),
        ("plt.subplots()", {"tags": ["hide-input"]}, DRAWING),
        (LINES + "\nfig, ax = plt.subplots()", {"mystnb": {"image": {"alt": "A line"}}}, DRAWING),
        (LINES + "\nshow(x)", {"fold": "The model"}, "The model"),
        ("import a\n" * 6, {"fold": False}, ""),
    ],
)  # fmt: skip
def test_labels(source, metadata, says):
    assert label(source, metadata, "The section") == says


def test_every_cell_of_the_book_has_a_short_label_or_none():
    for page in pages():
        for cell in read_page(page).cells:
            if cell.cell_type == "code":
                said = label(cell.source, dict(cell.metadata), "The section")
                assert len(said) <= LABEL + 40, f"{page.name}: {said}"
                assert not said.endswith((": ", ":")), f"{page.name}: {said!r} says nothing"
                assert "export" not in tags(cell) or "def " not in said
