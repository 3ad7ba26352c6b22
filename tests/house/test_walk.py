"""How long chapters take, section by section, and the paths of the page of goals."""

from __future__ import annotations

import re

import pytest
from docutils import nodes
from docutils.utils import new_document

from book.extensions.folding import FoldedCode, fold_cells, signatures
from book.extensions.goals import StopMissing, stops
from book.pages import ROOT, chapter_of, chapters
from book.reading import main_path, sections, spoken

PAGES = [pytest.param(page, id=page.stem) for page in chapters()]
# the rule counts them anew at each change, and the first line of the page says them
SAID = re.compile(r"main\s+path\s+takes|path\s+of\s+\S+\s+minutes")


@pytest.mark.parametrize("page", PAGES)
def test_no_chapter_says_its_minutes_by_hand(page):
    assert "minutes" not in chapter_of(page)
    assert not SAID.search(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if not chapter_of(page.values[0]).get("appendix")]
)
def test_the_main_path_answers_its_question_in_a_section_called_so(page):
    own = [one for one in sections(page) if not one.second]
    assert sum(one.title.split(":")[0] == "The answer" for one in own) == 1


@pytest.mark.parametrize("page", PAGES)
def test_no_main_path_is_longer_than_a_lecture(page):
    assert main_path(page) <= 90


@pytest.mark.parametrize("page", PAGES)
def test_the_sections_of_the_main_path_add_up_to_it(page):
    own = sections(page)
    main = sum(one.minutes for one in own if not one.second)
    # each is rounded to a minute, a short one up
    assert abs(main - main_path(page)) <= len(own)
    assert all(one.minutes > 0 or one.exercises for one in own)
    headings = re.findall(r"^## +(.*\S)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [one.title for one in own][1:] == headings


def test_a_part_with_a_star_of_its_own_is_not_on_the_main_path(tmp_path):
    words = "word " * 900
    page = tmp_path / "01_page.md"
    page.write_text(
        f"# T\n\n## One\n\n{words}\n\n### Later*\n\n{words}\n\n### Again\n\n{words}\n\n## Two*\n\n"
        f"{words}\n\n### Part*\n\n{words}\n",
        encoding="utf-8",
    )
    said = {one.title: (one.minutes, one.later) for one in sections(page)}
    assert said == {"": (1, 0), "One": (10, 5), "Two*": (10, 0)}
    assert main_path(page) == 10


PROGRAM = '''from math import sin


def height(angle):
    """Return the height of the tip.

    angle : from the level.
    """
    return sin(angle)
'''


def test_minutes_are_counted_from_what_a_page_holds(tmp_path):
    page = tmp_path / "01_page.md"
    kernel = "jupytext:\n  text_representation: {extension: .md, format_name: myst}\n"
    kernel += "kernelspec: {display_name: Python 3, language: python, name: python3}\n"
    hour, display = "word " * 178 * 60, "\n$$\nx = 1\n$$\n" * 8
    folded = '```{code-cell} ipython3\n:fold: "Draw"\n\nx = 1\n```\n\n' * 4
    page.write_text(
        f"---\n{kernel}chaindyn: {{chapter: 1}}\n---\n\n# Page\n\n{hour}\n\n"
        f"## One\n{display}\n{folded}\n## A pass by hand\n\n**By hand.** One.\n\n"
        f"## Code\n\n```{{code-cell}} ipython3\n{PROGRAM * 8}```\n\n## Another*\n\n{hour}\n\n## Exercises\n\n{hour}",
        encoding="utf-8",
    )
    # of the program the two lines of code and six words of the docstring count
    assert [(one.title, one.minutes) for one in sections(page)] == [
        ("", 59),
        ("One", 5),
        ("A pass by hand", 6),
        ("Code", 4),
        ("Another*", 59),
        ("Exercises", 0),
    ]
    assert [one.second for one in sections(page)] == [False] * 4 + [True, False]
    assert main_path(page) == 75  # 59 + 5 + 6 + 4, in fives


def test_times_are_said_as_one_says_them():
    said = [spoken(minutes) for minutes in (0, 50, 60, 70, 150)]
    assert said == ["0 minutes", "50 minutes", "1 hour", "1 hour 10 minutes", "2 hours 30 minutes"]


def test_every_path_leads_through_sections_that_are_there():
    text = (ROOT / "book" / "goals.md").read_text(encoding="utf-8")
    paths = re.findall(r"```\{path\}\n(.*?)```", text, re.DOTALL)
    assert len(paths) == text.count("\n## I want") - 1  # the last is for teachers
    for line in "".join(paths).splitlines():
        _, named, minutes = stops(line)
        assert minutes > 0 and len(named) == line.count(";") + (": " in line)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("99_nowhere: One", "chapters/99_nowhere.md, which is not there"),
        ("01_plucker_coordinates: Summary; Cheese", "01_plucker_coordinates.md has not: Cheese"),
    ],
)
def test_a_path_to_nowhere_is_refused(line, says):
    with pytest.raises(StopMissing, match=re.escape(says)):
        stops(line)


CODE = '''@checked
def one(
    a: int, b: int = 2
) -> int:
    """Return the one.

    a : of all.
    """
    return a


class Other:
    x = 1
'''


def test_of_laws_that_fold_the_signatures_stand():
    lines = signatures(CODE).split("\n")
    assert lines[:4] == [
        "def one(",
        "    a: int, b: int = 2",
        ") -> int:",
        '    """Return the one."""',
    ]
    assert lines[4:] == ["", "class Other:", "    ..."]
    code = nodes.container("", nodes.literal_block("", CODE), nb_element="cell_code_source")
    metadata = {"tags": ["export", "signatures"]}
    page = new_document("page")
    page += nodes.container("", code, nb_element="cell_code", cell_metadata=metadata)
    fold_cells(None, page)
    shown, folded = page[0].children
    assert "Return the one" in shown.astext() and "return a" not in shown.astext()
    assert isinstance(folded, FoldedCode) and folded.astext().strip() == CODE.strip()
