"""Drills: every draw is a good question, the same seed gives the same numbers, and other systems can read them."""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest

from book.bank import QTI, items, keys, moodle, pages_of, qti, sheets, students
from book.commands import run
from book.drills import APART, Drill, Grid, chances, drawn, drills, fault_of, values, with_numbers
from book.pages import ROOT, BookError, chapters
from book.plain import plain

MANY = 1000


@cache
def drills_of(page):
    return drills(page)


EVERY = [
    pytest.param(label, page, id=label)
    for page in chapters()
    if "{drill}" in page.read_text(encoding="utf-8")
    for label in re.findall(r"(?m)^```\{drill\} (\S+)", page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("label", "page"), EVERY)
def test_a_thousand_draws_are_good_questions(label, page):
    drill, seen = drills_of(page)[label], set[tuple[float, ...]]()
    assert len(drill.wrong) >= 2 and drill.within < 0.1
    for k in range(MANY):
        question = drawn(drill, label, f"test/{k}")
        seen.add(tuple(question.numbers.values()))
        answers = np.array(question.answers)
        assert len(answers) == len(drill.asked)
        again = np.array(values(drill.again, question.numbers))
        assert np.abs(answers - again).max() <= 1e-12 * np.abs(again).max()
        for wrong in question.mistakes.values():
            far = np.abs(np.array(wrong) - answers)
            assert (far > APART * drill.within * np.abs(answers)).any()
        for value in question.numbers.values():
            assert len(f"{value:g}") <= 4 and float(f"{value:g}") == value  # round
        asked = " ".join(what for what, _ in question.asked)
        said = question.text + asked + question.solution
        assert not re.search(r"[{}]", said)
        for name in question.numbers:  # each number is told
            assert f"{{{name}}}" in drill.text + " ".join(drill.asked)
    assert len(seen) >= 100


def test_chapters_have_drills():
    assert {"ex-1-door", "ex-1-shift", "ex-2-bolt", "ex-3-hammer", "ex-3-rod"} <= {
        param.values[0] for param in EVERY
    }


def test_the_same_seed_gives_the_same_numbers_for_ever():
    """As they were in the first year: whoever changes them changes examinations that were written."""
    assert [round(x, 9) for x, _ in zip(chances("a"), range(3), strict=False)] == CHANCES
    drill = Drill("", lambda a, b: a / b, {"a": Grid(1, 9), "b": Grid(0.5, 4, 0.5)}, {"": ""},
                  lambda a, b: a / b, "")  # fmt: skip
    assert [drawn(drill, "ex-0", f"2027/{k}").numbers for k in range(4)] == NUMBERS


# as JavaScript's Math.imul gives them too
CHANCES = [0.621685681, 0.308223474, 0.36686076]
NUMBERS = [{"a": 1, "b": 3.5}, {"a": 1, "b": 1.5}, {"a": 8, "b": 1.5}, {"a": 9, "b": 3}]


def test_chances_are_even():
    found = np.array(
        [x for k in range(200) for x, _ in zip(chances(f"seed {k}"), range(50), strict=False)]
    )
    counts, _ = np.histogram(found, 10, (0, 1))
    assert found.min() >= 0 and found.max() < 1
    assert np.abs(counts - 1000).max() < 5 * math.sqrt(900)  # five standard deviations
    firsts = [next(chances(f"seed {k}")) for k in range(200)]
    assert len(set(firsts)) == 200 and abs(np.mean(firsts) - 0.5) < 5 / math.sqrt(12 * 200)


def test_a_grid_has_its_ends_and_round_numbers():
    picked = {Grid(0.6, 1.2, 0.1).pick(k / 1000) for k in range(1000)}
    assert sorted(picked) == [0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2]


def test_a_draw_that_cannot_be_told_from_a_mistake_is_drawn_again():
    drill = Drill("", lambda a: a * a, {"a": Grid(0, 3)}, {"": ""}, lambda a: a**2, "",
                  {"doubled": lambda a: 2 * a})  # fmt: skip
    assert {drawn(drill, "x", str(k)).numbers["a"] for k in range(50)} == {1, 3}
    assert "doubled" in str(fault_of(with_numbers(drill, {"a": 2})))
    never = Drill("", lambda a: 0 * a, {"a": Grid(1, 3)}, {"": ""}, lambda a: 0, "")
    with pytest.raises(BookError, match="x: no draw of seed 1 is good"):
        drawn(never, "x", "1")


@pytest.fixture(scope="module")
def bank():
    return items([pages_of("1")[0]], "2027", ["001", "002", "003"])


def test_moodle_s_questions_are_read_back_with_their_answers(bank):
    root = ElementTree.fromstring(moodle(bank))
    questions = [one for one in root if one.get("type") == "cloze"]
    assert len(questions) == len(bank) and len(root) == len(bank) + len({i.label for i in bank})
    for one, item in zip(questions, bank, strict=True):
        text = one.findtext("questiontext/text")
        blanks = re.findall(r"\{1:NUMERICAL:(.*?)(?<!\\)\}", text)
        right = [re.match(r"=(-?[\d.e-]+):([\d.e-]+)", blank) for blank in blanks]
        found = [float(match[1]) for match in right]
        assert found == pytest.approx(item.question.answers, rel=1e-8)
        for blank, match, answer in zip(blanks, right, found, strict=True):
            for wrong in re.findall(r"~%0%(-?[\d.e-]+):", blank):
                assert abs(float(wrong) - answer) > 2 * float(match[2])
        assert str(next(iter(item.question.numbers.values()))) in text
        assert one.findtext("generalfeedback/text")


def test_qti_is_a_package_of_what_it_lists_and_judges_by_its_tolerance(bank):
    made = qti(bank)
    assert made == qti(bank)
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        manifest = ElementTree.fromstring(archive.read("imsmanifest.xml"))
        listed = {file.get("href") for file in manifest.iter() if file.tag.endswith("}file")}
        assert listed == set(archive.namelist()) - {"imsmanifest.xml"} and len(listed) == len(bank)
        for item in bank:
            root = ElementTree.fromstring(archive.read(f"{item.name}.xml"))
            space = {"q": QTI}
            order = [child.tag.rpartition("}")[2] for child in root]
            assert order == ["responseDeclaration"] * len(item.question.answers) + [
                "outcomeDeclaration", "itemBody", "responseProcessing",
            ]  # fmt: skip
            said = [float(x.text) for x in root.findall(".//q:correctResponse/q:value", space)]
            assert said == pytest.approx(item.question.answers, rel=1e-8)
            names = {x.get("identifier") for x in root.findall("q:responseDeclaration", space)}
            entries = root.findall(".//q:textEntryInteraction", space)
            assert {x.get("responseIdentifier") for x in entries} == names
            for k, equal in enumerate(root.findall(".//q:equal", space)):
                within = [float(x) for x in equal.get("tolerance").split()]
                assert within == pytest.approx([item.question.tolerance(k)] * 2, rel=1e-4)


def test_the_command_writes_all_of_it_and_each_student_has_numbers_of_her_own(tmp_path, capsys):
    (tmp_path / "list.csv").write_text("name,mail\nAda,a@x\nBob <b>,b@x\n", encoding="utf-8")
    command = ["--chapters", "1", "--seed", "2027", "--draws", "2", "--out", str(tmp_path / "b")]
    assert run("bank", [*command, "--students", str(tmp_path / "list.csv")]) == 0
    out = tmp_path / "b"
    assert {file.name for file in out.iterdir()} == {
        "moodle.xml",
        "qti.zip",
        "sheets.html",
        "keys.csv",
    }
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    assert run("bank", [*command, "--students", str(tmp_path / "list.csv")]) == 0
    assert before == {file.name: file.read_bytes() for file in out.iterdir()}
    printed = before["sheets.html"].decode()
    assert printed.count("<section>") == 2 and "Bob &lt;b&gt;" in printed
    rows = list(csv.DictReader(io.StringIO(before["keys.csv"].decode())))
    assert {row["draw"] for row in rows} == {"001", "002", "Ada", "Bob <b>"}
    drawn_for = {
        name: [r["numbers"] for r in rows if r["draw"] == name] for name in ("Ada", "Bob <b>")
    }
    assert drawn_for["Ada"] != drawn_for["Bob <b>"]
    assert run("bank", ["--chapters", "99", "--seed", "1", "--out", str(out)]) == 1
    assert "there is no chapter 99" in capsys.readouterr().err


def test_a_list_names_each_student_once(tmp_path):
    file = tmp_path / "list.csv"
    for text in ("name\n", "name\nAda\nAda\n"):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(BookError, match="names that differ"):
            students(file)


@pytest.mark.parametrize(
    ("code", "said"),
    [("1 / 0", "ZeroDivisionError"), ("x = 1\n2", "gives no Drill"), ("def (", "SyntaxError")],
)
def test_what_is_no_drill_is_refused(code, said, tmp_path):
    page = next(page for page in chapters() if page.stem.startswith("01"))
    made = tmp_path / page.name
    text = page.read_text(encoding="utf-8")
    made.write_text(
        re.sub(r"(?s)(\{drill\} ex-1-door\n).*?(\n```)", rf"\g<1>{code}\g<2>", text, count=1)
    )
    with pytest.raises(BookError, match=rf"drill ex-1-door: {said}|{said}"):
        drills(made)


def test_a_drill_is_in_no_notebook_and_in_no_student_s_page():
    block = "Before.\n\n```{drill} ex-1-door\nDrill()\n```\n\nAfter."
    made = plain(block, {})
    assert "Drill" not in made and "Before." in made and "After." in made
    for page in {param.values[1] for param in EVERY}:
        for match in re.finditer(r"(?m)^```\{drill\}", text := page.read_text(encoding="utf-8")):
            above = text[: match.start()]
            assert above.count("```{solution-start}") == above.count("```{solution-end}") + 1


def test_sheets_ask_what_the_keys_answer(bank):
    printed, table = sheets(bank), list(csv.DictReader(io.StringIO(keys(bank))))
    assert printed.count('class="blank"') == len(table)
    assert (ROOT / "chapters").is_dir()
