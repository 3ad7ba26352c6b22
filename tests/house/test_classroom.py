"""A class is graded: who handed in what, what is kept, and what the tables say. The judges: test_grade.py."""

from __future__ import annotations

import csv
import json

import nbformat
import pytest
from nbformat import v4

from book import classroom
from book.classroom import Handed, Store, grade_class, handed_in, page_of, to_hand_in
from book.commands import run
from book.exercises import exercises
from book.grade import Grade
from book.judging import judged
from book.pages import BookError, chapters

PAGE = next(page for page in chapters() if page.stem.startswith("01"))
CODED = [one for one in exercises(PAGE) if judged(one.checks)]
NAMES = [judged(one.checks)[0][1] for one in CODED]


def notebook(*sources: str):
    return v4.new_notebook(cells=[v4.new_code_cell(source) for source in sources])


@pytest.fixture
def folder(tmp_path):
    """Of a class of seven."""
    put = {
        f"alice/{PAGE.stem}.ipynb": notebook("right = 1"),
        f"bob/{PAGE.stem}/hw1.ipynb": notebook("wrong = 1"),
        "carol/homework.ipynb": notebook(f"def {NAMES[0]}(x):\n    return right", "%who", "return"),
        "dave/other.ipynb": notebook("x = 1"),
        f"{PAGE.stem}-frank.ipynb": notebook("right = 1"),
        "alice/.ipynb_checkpoints/old.ipynb": notebook("right = 1"),
    }
    for name, made in put.items():
        file = tmp_path / "in" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(made, file)
    (tmp_path / "in" / "erin").mkdir()
    (tmp_path / "in" / "=mallory").mkdir()
    (tmp_path / "in" / "=mallory" / f"{PAGE.stem}.ipynb").write_text("{<b>", encoding="utf-8")
    return tmp_path / "in"


@pytest.fixture
def asked(monkeypatch):
    """Judges that look for a word, and what they were asked."""
    asked = list[tuple[str, str]]()

    def verdicts(page, sources, limit, only):
        text = "\n".join(sources)
        said = "" if "right" in text else "off by <2>"
        for one in (one for one in CODED if one.label in only):
            asked.append((text, one.label))
            yield Grade(one, not said, said)

    monkeypatch.setattr(classroom, "verdicts", verdicts)
    return asked


def rows(file):
    with file.open(encoding="utf-8", newline="") as opened:
        return {row["student"]: row for row in csv.DictReader(opened)}


def test_each_has_a_row_and_a_page_and_what_is_not_read_has_no_points(folder, asked, tmp_path):
    out = tmp_path / "out"
    handed = grade_class(folder, out, None, None, 2, 60)
    table, unread = rows(out / "grades.csv"), rows(out / "not_read.csv")
    assert table.keys() == {"alice", "bob", "carol", "dave", "erin", "frank", "'=mallory"}
    worth = str(sum(classroom.points(one) for one in CODED))
    assert {name: row["points"] for name, row in table.items() if row["points"]} == {
        "alice": worth, "frank": worth, "carol": worth, "bob": "0",
    }  # fmt: skip
    assert {row["of"] for row in table.values() if row["of"]} == {worth}
    assert unread.keys() == {"dave", "erin", "'=mallory"}
    assert "--chapter 1" in unread["dave"]["why"] and "no notebook" in unread["erin"]["why"]
    assert "not a notebook" in unread["'=mallory"]["why"] == table["'=mallory"]["remark"]
    pages = [file.read_text(encoding="utf-8") for file in (out / "feedback").iterdir()]
    assert len(pages) == len(handed) == 7
    (bob,) = [page for page in pages if "<h1>bob</h1>" in page]
    assert (
        bob.count("off by &lt;2&gt;") == len(CODED) and f"0 of {classroom.points(CODED[0])}" in bob
    )
    (mallory,) = [page for page in pages if "mallory" in page]
    assert "could not be read" in mallory and "<b>" not in mallory


def test_who_starts_again_goes_on_from_there(folder, asked, tmp_path):
    out = tmp_path / "out"
    grade_class(folder, out, None, {CODED[0].label}, 1, 60)
    first = len(asked)
    assert first == 3  # two have handed in the same
    before = (out / "grades.csv").read_bytes()
    store = out / "verdicts.jsonl"
    *lines, last = store.read_text(encoding="utf-8").splitlines(keepends=True)
    store.write_text("".join(lines) + last[:20], encoding="utf-8")  # broken off
    grade_class(folder, out, None, {CODED[0].label}, 1, 60)
    assert len(asked) == first + 1 and (out / "grades.csv").read_bytes() == before
    grade_class(folder, out, None, {CODED[0].label}, 1, 60)
    assert len(asked) == first + 1
    nbformat.write(notebook("right = 2"), folder / "bob" / PAGE.stem / "hw1.ipynb")
    grade_class(folder, out, None, {CODED[0].label}, 1, 60)
    assert len(asked) == first + 2 and rows(out / "grades.csv")["bob"]["points"] != "0"
    for text in store.read_text(encoding="utf-8").splitlines():
        assert text == last[:20] or json.loads(text)["why"] in ("", "off by <2>")


def test_an_interrupted_run_keeps_what_was_said(folder, tmp_path, monkeypatch):
    def verdicts(page, sources, limit, only):
        yield Grade(CODED[0], True)
        raise KeyboardInterrupt

    monkeypatch.setattr(classroom, "verdicts", verdicts)
    with pytest.raises(KeyboardInterrupt):
        grade_class(folder, tmp_path / "out", None, None, 1, 60)
    assert len(Store(tmp_path / "out" / "verdicts.jsonl").said) >= 1


def test_students_are_named_by_folder_or_file(folder):
    assert sorted(one.student for one in handed_in(folder)) == sorted(
        ["=mallory", "alice", "bob", "carol", "dave", "erin", "frank"]
    )


def test_a_chapter_is_known_by_what_a_notebook_defines(tmp_path):
    for page in chapters():
        own = [judged(one.checks)[0][1] for one in exercises(page) if judged(one.checks)]
        if len(own) > 2:
            sources = [f"!ls\n{name} = 1" for name in own]
            assert page_of(tmp_path / "hw.ipynb", sources) == page
    with pytest.raises(BookError, match="--chapter 1"):
        page_of(tmp_path / "hw.ipynb", ["x = 1"])


def test_a_week_is_what_the_plan_has_handed_in():
    assert to_hand_in(9) == to_hand_in(9, "fourteen") == {"ex-9-serial"}
    assert "ex-20-backspin" in to_hand_in(14, "fourteen")
    with pytest.raises(BookError, match="no week 13"):
        to_hand_in(13)


def test_the_command_asks_for_a_folder_and_for_exercises_that_exist(
    folder, tmp_path, asked, capsys
):
    assert run("grade", [str(folder)]) == 1
    assert run("grade", [str(folder), "--out", str(tmp_path / "o"), "--only", "ex-1-none"]) == 1
    assert run("grade", [str(folder), "--out", str(tmp_path / "o"), "--only", CODED[0].label]) == 0
    said = capsys.readouterr()
    assert "--out graded" in said.err and "ex-1-none" in said.err
    assert said.out.endswith(f"4 graded, 3 not read: {tmp_path / 'o'}\n")
    assert rows(tmp_path / "o" / "grades.csv")["alice"].keys() == {
        "student", "chapter", f"1.{CODED[0].number}", "points", "of", "remark",
    }  # fmt: skip


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(BookError, match="no folders and no notebooks"):
        grade_class(tmp_path, tmp_path / "out", None, None, 1, 60)
    assert Handed("x", tmp_path).own == []
