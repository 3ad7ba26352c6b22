"""Count the code that a page asks its reader to read: ``python -m book measure pages [PAGE ...]``.

Of each page: the lines of exported cells; those that stand open (not folded, no solution, and no judge of an exercise,
which theme/book.js folds); the longest exported cell, and how many are above `BUDGET`; the widest line of all cells,
and how many are above it; how often its prose names one of the sources that the book reconciles, which errata and
notation are about. A line is counted if it holds code: docstrings, comments and blank lines are not. The words of the
prose are counted too, and have no budget.

tests/house/test_budget.py holds every page to `BUDGET`. Pages that are above it stand with their present numbers in
`TABLE`, which may only go down; ``--write`` writes it anew.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from pathlib import Path

from book.extensions.folding import label
from book.pages import ROOT, code_cells, pages, read_page, tags

BUDGET = {
    "exported": 150,
    "open": 250,
    "longest": 30,
    "long": 0,
    "widest": 88,
    "wide": 0,
    "sources": 3,
}
ABOUT_SOURCES = {"book/errata", "book/notation", "book/conventions"}
_SOURCE = re.compile(r"\b(?:Kim|Alexiou|Notes)\b")
_FENCED = re.compile(r"^(`{3,}|:{3,}|\${2}).*?^\1", re.MULTILINE | re.DOTALL)
TABLE = ROOT / "tests" / "house" / "budget.json"
_NOT_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER
}  # fmt: skip

Counts = dict[str, int]


def code_lines(source: str) -> int:
    """How many lines of some code are neither blank nor comments nor docstrings."""
    found = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NOT_CODE:
            found |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            found -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(found)


def open_lines(source: str) -> int:
    """How many lines of some code a reader sees at once: its judges are folded below their first line."""
    judges = [
        ast.get_source_segment(source, node) or ""
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("judge_")
    ]
    return code_lines(source) - sum(code_lines(judge) - 1 for judge in judges)


def prose(page: Path) -> str:
    """What a page says between its cells."""
    return "\n\n".join(
        cell.source for cell in read_page(page).cells if cell.cell_type == "markdown"
    )


def words(page: Path) -> int:
    """How many words of running text a page has: formulas, boxes and exercises are left out."""
    return len(re.findall(r"[^\W\d_]{2,}", _FENCED.sub("", prose(page))))


def count(page: Path) -> Counts:
    """What a page asks its reader to read, by the names of `BUDGET`."""
    cells = code_cells(read_page(page))
    exported = [code_lines(cell.source) for cell in cells if "export" in tags(cell)]
    shown = [cell for cell in cells if "solution" not in tags(cell) and not label(cell.metadata)]
    widths = [len(line) for cell in cells for line in cell.source.split("\n")]
    return {
        "exported": sum(exported),
        "open": sum(open_lines(cell.source) for cell in shown),
        "longest": max(exported, default=0),
        "long": sum(lines > BUDGET["longest"] for lines in exported),
        "widest": max(widths, default=0),
        "wide": sum(width > BUDGET["widest"] for width in widths),
        "sources": 0 if name_of(page) in ABOUT_SOURCES else len(_SOURCE.findall(prose(page))),
    }


def above(counts: Counts) -> Counts:
    """Those numbers that are above the budget."""
    return {name: number for name, number in counts.items() if number > BUDGET[name]}


def table() -> dict[str, Counts]:
    """The numbers above the budget that are allowed for now, by page."""
    kept: dict[str, Counts] = json.loads(TABLE.read_text(encoding="utf-8"))
    return kept


def name_of(page: Path) -> str:
    """A page's name, as in ``chapters/14_loops_and_redundancy``."""
    return page.relative_to(ROOT).with_suffix("").as_posix()


def line_of(name: str, numbers: Counts) -> str:
    """A page's line in `TABLE`."""
    return f"  {json.dumps(name)}: {json.dumps(numbers)}"


def measure(names: list[str], write: bool) -> None:
    """Print the numbers of some pages, of all if none is named, and write `TABLE` if asked to."""
    chosen = {name_of(page): page for page in pages() if not names or name_of(page) in names}
    counts = {name: count(page) for name, page in chosen.items()}
    print(" ".join(f"{name:>8}" for name in (*BUDGET, "words")) + "  page")
    for name, numbers in counts.items():
        shown = (*numbers.values(), words(chosen[name]))
        print(" ".join(f"{number:8}" for number in shown) + f"  {name}")
    print(" ".join(f"{number:8}" for number in BUDGET.values()) + " " * 11 + "(the budget)")
    if write:
        kept = {} if not names else table()
        for name, numbers in counts.items():
            kept.pop(name, None)
            if over := above(numbers):
                kept[name] = over
        lines = ",\n".join(line_of(name, kept[name]) for name in sorted(kept))
        TABLE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
        print(f"\n{TABLE.relative_to(ROOT)}: written, {len(kept)} pages above the budget")
