"""Pages keep to a budget of code. Those above it have numbers of their own (budget.json), which only go down."""

from __future__ import annotations

import pytest

from book import budget
from book.pages import pages

PAGES = {budget.name_of(page): page for page in pages()}
TABLE = budget.table()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_keeps_to_its_budget(name):
    found, kept = budget.above(budget.count(PAGES[name])), TABLE.get(name, {})
    grown = {k: n for k, n in found.items() if n > max(kept.get(k, 0), budget.BUDGET[k])}
    assert not grown, f"{name} has more code than {kept or budget.BUDGET} allows: {grown}"
    line = budget.line_of(name, found) if found else "none: take its line out"
    assert found == kept, (
        f"{name} has less code than budget.json says; its line is now\n{line}\n"
        f"(python -m book measure pages --write {name})"
    )


def test_the_table_has_pages_that_there_are():
    assert TABLE.keys() <= PAGES.keys()


def test_what_is_a_line_of_code():
    source = '''
from math import pi  # for the law


def law(x):
    """Says
    what it is."""
    # a comment
    text = """
    counted"""

    return [
        x
    ]
'''
    assert budget.code_lines(source) == 7


def test_a_judge_is_one_line_to_the_reader():
    judge = "def judge_it(answer):\n    assert answer\n    assert answer > 1\n"
    assert budget.open_lines(f"x = 1\n{judge}attempt('1.1', lambda: judge_it(x))\n") == 3
