"""What a notebook says where nobody reads MyST."""

from pathlib import Path

import pytest
from nbformat import v4

from book.plain import plain, plain_notebook

TEXTS = {
    "math:eq:eq-1-x": "1.12",
    "std:numref:fig-1-a": "Fig. 1.3",
    "std:ref:sec-b": "The other part",
    "cite:t:kim2012": "Kim [2012]",
    "exercise:ex-1-door": "1.2",
}


@pytest.mark.parametrize(
    ("myst", "said"),
    [
        ("see {eq}`eq-1-x`", "see (1.12)"),
        ("see {eq}`eq-1-X`", "see (1.12)"),
        ("{numref}`fig-1-a` shows", "Fig. 1.3 shows"),
        ("{ref}`there <sec-b>` and {ref}`sec-b`", "there and The other part"),
        ("{cite:t}`kim2012` has it", "Kim [2012] has it"),
        ("{py:func}`~chaindyn.aba`", "`aba`"),
        ("{ref}`ex-1-door`", "exercise 1.2"),
        ("(sec-b)=\n## Title", "## Title"),
        ("$$\nx = 1\n$$ (eq-1-x)", "$$\nx = 1\n\\tag{1.12}\n$$"),
        ("```{note}\nMind this.\n```", "> **Note**\n>\n> Mind this."),
        (
            "````{admonition} A misprint\n:class: warning\n$a$ {eq}`eq-1-x`\n````",
            "> **A misprint**\n>\n> $a$ (1.12)",
        ),
        ("```{chapter-map}\n```", ""),
        (
            "```{exercise-start} A door\n:label: ex-1-door\n```\nPush.\n```{exercise-end}\n```",
            "#### Exercise 1.2: A door\n\nPush.",
        ),
        (
            "```{exercise-start} A door\n:label: ex-1-door\n:class: kind-by-hand stars-2 minutes-20\n```\nPush.",
            "#### Exercise 1.2: A door\n\n*by hand · ★★ · 20 min*\n\nPush.",
        ),
        (
            "```{hint}\n:class: dropdown\nSee {eq}`eq-1-x`.\n```",
            "<details><summary>Hint</summary>\n\nSee (1.12).\n\n</details>",
        ),
        (
            "```{list-table} Letters\n:header-rows: 1\n\n* - one\n  - two\n* - $a$\n  - b\n    c\n```",
            "**Letters**\n\n| one | two |\n| --- | --- |\n| $a$ | b c |",
        ),
        ("```python\nf'{eq}`x`'\n```", "```python\nf'{eq}`x`'\n```"),
        ("a set {1}, code `{ref}`", "a set {1}, code `{ref}`"),
    ],
)
def test_says(myst, said):
    assert plain(myst, TEXTS).strip() == said


def test_a_solution_is_folded_away_and_a_picture_travels_along(tmp_path: Path):
    (tmp_path / "a.svg").write_text("<svg/>")
    source = "```{solution-start} ex-1-door\n:class: dropdown\n```\nPull.\n\n```{figure} a.svg\n:alt: A door\n```"
    code = v4.new_code_cell("1")
    made = plain_notebook(
        v4.new_notebook(cells=[v4.new_markdown_cell(source), code]), TEXTS, tmp_path
    )
    heading, text, last = made.cells
    assert heading.source == "##### Solution to exercise 1.2"
    assert heading.metadata["jp-MarkdownHeadingCollapsed"]
    assert "![A door](data:image/svg+xml;base64,PHN2Zy8+)" in text.source
    assert last == code
