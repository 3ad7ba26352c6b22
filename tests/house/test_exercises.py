"""What every exercise says of itself, and what every chapter offers."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from pathlib import Path

import pytest
import test_assignments
import test_editions
import test_words

import chaindyn
from book.exercises import Facts, all_exercises, exercises, facts
from book.numbering import texts
from book.pages import chapters, main_chapters

BOOK = Path(__file__).parents[2] / "book"
CHAPTERS = [pytest.param(page, id=page.stem) for page in chapters()]
MAIN = [pytest.param(page, id=page.stem) for page in main_chapters()]


@pytest.mark.parametrize("page", CHAPTERS)
def test_every_exercise_has_kind_stars_minutes_hint_and_solution(page):
    lacking = [
        (exercise.label or exercise.title, what)
        for exercise in exercises(page)
        for what, there in [
            ("a label", exercise.label),
            ("kind-...", exercise.facts.kind),
            ("stars-...", exercise.facts.stars),
            ("minutes-...", exercise.facts.minutes),
            ("a {hint} of class dropdown before its solution", exercise.hint),
            ("a solution", exercise.solved),
        ]
        if not there
    ]
    assert lacking == []


@pytest.mark.parametrize("page", MAIN)
def test_every_chapter_has_three_drills_by_hand(page):
    drills = [
        exercise.label
        for exercise in exercises(page)
        if exercise.facts.kind == "by hand"
        and exercise.facts.stars == 1
        and (exercise.facts.minutes or 99) <= 15
    ]
    assert len(drills) >= 3, drills


@pytest.mark.parametrize("page", CHAPTERS)
def test_what_a_check_says_of_its_number_is_so(page):
    """Exercises are numbered as they come; a check names its own in words."""
    for exercise in exercises(page):
        number = f"Exercise {exercise.chapter}.{exercise.number}"
        for source in exercise.checks + exercise.solution:
            named = set(re.findall(r"Exercise \d+\.\d+", source))
            assert named <= {number}, (exercise.label, number, named)


def test_the_exercise_that_a_reader_is_shown_can_be_published(tmp_path, monkeypatch):
    """That of `your_edition`, put where the page says, passes whatever is asked of a chapter's exercises."""
    shown = (BOOK / "your_edition.md").read_text(encoding="utf-8").split("\n````\n")[1]
    first = chapters()[0]
    page = tmp_path / "chapters" / first.name
    page.parent.mkdir()
    end = "\n## Further reading\n"
    text = first.read_text(encoding="utf-8")
    assert text.count(end) == 1
    page.write_text(text.replace(end, f"\n{shown}\n{end}"), encoding="utf-8")
    assert len(exercises(page)) == len(exercises(first)) + 1
    monkeypatch.setattr("book.assignments.texts", lambda: texts(tmp_path))
    for module in sys.modules[__name__], test_assignments, test_editions, test_words:
        for name, test in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("test_") and list(inspect.signature(test).parameters) == ["page"]:
                test(page)


def test_facts_are_read_from_the_classes():
    assert facts("kind-by-hand stars-2 minutes-20 wide") == Facts("by hand", 2, 20)
    assert facts("kind-by-hand stars-2 minutes-20").words() == "by hand · ★★ · 20 min"
    withheld = facts("kind-coding without-articulated-step without-aba")
    assert withheld.without == ("articulated_step", "aba")
    assert withheld.words() == "coding · without articulated_step, aba"


def test_what_an_exercise_does_without_is_in_the_library():
    withheld = {one.label: one.facts.without for one in all_exercises() if one.facts.without}
    assert withheld.keys() >= {"ex-6-mass", "ex-6-sums", "ex-9-serial"}
    assert {name for names in withheld.values() for name in names} <= set(chaindyn.__all__)
    assert facts("").words() == ""


@pytest.mark.parametrize("wrong", ["kind-hard", "stars-4", "stars-0", "minutes-7"])
def test_a_class_that_no_exercise_can_have_is_refused(wrong):
    with pytest.raises(ValueError, match=f"{wrong}: .* is one of"):
        facts(wrong)


def test_an_exercise_is_told_from_its_cells_and_its_solution(project, chapter):
    text = """
```{exercise-start} A door
:label: ex-3-door
:class: kind-coding stars-1 minutes-10
```
Push.
```{exercise-end}
```

```{hint}
:class: dropdown
Where is the hinge?
```

```{code-cell} ipython3
attempt("Exercise 3.1", test)
```

```{solution-start} ex-3-door
:class: dropdown
```
Pull.
```{code-cell} ipython3
:tags: [solution]

pull
```
```{solution-end}
```

```{exercise-start} Another
:label: ex-3-other
```
```{exercise-end}
```
"""
    chapter.write_text(chapter.read_text(encoding="utf-8") + text, encoding="utf-8")
    door, other = exercises(chapter)
    assert (door.chapter, door.number, door.title, door.hint) == (3, 1, "A door", True)
    assert door.checked and door.solved and door.solution == ["pull"]
    assert (other.number, other.hint, other.checked, other.solved) == (2, False, False, False)


@pytest.mark.parametrize("page", MAIN)
def test_every_chapter_ends_with_summary_exercises_and_reading(page):
    sections = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert sections[-3:] == ["Summary", "Exercises", "Further reading"]


def messages(source):
    """Return what the asserts of a cell say, with {} for what is computed; None for one that says nothing."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert):
            said = node.msg
            if isinstance(said, ast.JoinedStr):
                yield "".join(x.value if isinstance(x, ast.Constant) else "{}" for x in said.values)
            else:
                yield said.value if isinstance(said, ast.Constant) else None


def is_a_sentence(message):
    return message is not None and re.fullmatch(r"[A-Z`({].* .*[.?]", message) is not None


@pytest.mark.parametrize("page", CHAPTERS)
def test_what_a_check_says_is_a_sentence(page):
    """The reader sees it after "not yet right."."""
    judged = [one for exercise in exercises(page) if exercise.checked for one in exercise.checks]
    assert [said for cell in judged for said in messages(cell) if not is_a_sentence(said)] == []


def test_a_check_that_says_too_little_is_found():
    said = list(messages('assert x\nassert y, "off"\nassert z, f"It is off by {z:.2g} m."'))
    assert said == [None, "off", "It is off by {} m."]
    assert [is_a_sentence(one) for one in said] == [False, False, True]
