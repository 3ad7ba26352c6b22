"""Drills: every draw is a good question, the same seed gives the same numbers, and other systems can read them."""

from __future__ import annotations

import base64
import csv
import io
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from lxml import etree

from book import sketch
from book.bank import (
    FOR_EVER,
    QTI,
    TABLE,
    first_of,
    items,
    keys,
    moodle,
    pages_of,
    qti,
    sheets,
    students,
)
from book.commands import run
from book.drills import (
    APART,
    Drill,
    Grid,
    Item,
    chances,
    drawn,
    drills,
    fault_of,
    labels,
    titles_of,
    values,
    with_numbers,
)
from book.handed_in import notebook
from book.pages import ROOT, BookError, chapters, main_chapters
from book.plain import plain
from book.practice import KEPT, law_of, script_of
from book.sketch import as_file

MANY, FEW = 1000, 40


@cache
def drills_of(page):
    return drills(page)


EVERY = [
    pytest.param(label, page, id=label)
    for page in chapters()
    if "{drill}" in page.read_text(encoding="utf-8")
    for label in re.findall(r"(?m)^```\{drill\} (\S+)", page.read_text(encoding="utf-8"))
]


@pytest.mark.nightly
@pytest.mark.parametrize(("label", "page"), EVERY)
def test_a_thousand_draws_are_good_questions(label, page):
    assert len(good_questions(label, page, MANY)) >= 100


@pytest.mark.parametrize(("label", "page"), EVERY)
def test_draws_are_good_questions(label, page):
    assert len(good_questions(label, page, FEW)) >= FEW / 2
    grids = drills_of(page)[label].given.values()
    assert math.prod(round((grid.high - grid.low) / grid.step) + 1 for grid in grids) >= 100


def good_questions(label, page, draws):
    """The numbers of so many draws, each of which must be a good question."""
    drill, seen = drills_of(page)[label], set[tuple[float, ...]]()
    assert len(drill.wrong) >= 2 and drill.within < 0.1
    for k in range(draws):
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
        if drill.picture:
            fits(question)
        for name in question.numbers:  # each number is told
            assert f"{{{name}}}" in drill.text + " ".join(drill.asked)
    return seen


def fits(question):
    """The picture of a question is small, has words beside it, and stays within the room that its page keeps."""
    for svg in (question.picture, as_file(question.picture)):
        root = ElementTree.fromstring(svg)
        assert len(svg.encode()) <= 2600 and not re.search(r"[{}]|nan|inf", svg)
    assert root.get("aria-label") == question.alt and len(question.alt) > 40
    assert "var(" not in svg and "background:#fff" in svg
    left, top, wide, high = map(
        float, ElementTree.fromstring(question.drill.template).get("viewBox").split()
    )
    slots, parts = iter(question.drill.picture.numbers(question.numbers)), []
    for part in itertools.chain(*question.drill.picture.shapes(**question.numbers)):
        if isinstance(part, tuple):
            parts.append((float(next(slots)), float(next(slots))))
        elif not isinstance(part, str):
            next(slots)
    x, y = np.array(parts).T
    assert left < x.min() and x.max() < left + wide and top < y.min() and y.max() < top + high


def test_a_disc_and_an_angle_are_drawn_to_scale():
    picture = sketch.Picture(
        lambda: [sketch.disc((1, 2), 0.5), sketch.angle((0, 0), 0, 90, "a", 2)], "", 10
    )
    slots = np.array(picture.numbers({}), float)
    ends = slots[:2], *slots[2:18].reshape(4, 4)
    assert np.allclose(
        [end[-2:] for end in ends], [(5, -20), (10, -25), (15, -20), (10, -15), (5, -20)]
    )
    assert np.allclose([end[:2] for end in ends[1:]], 5)
    assert np.allclose(slots[18:24], [20, 0, 20, 20, 0, -20])


@pytest.mark.parametrize("sweep", [15, 30, 60, 120, 170])
@pytest.mark.parametrize("radius", [20, 60])
def test_the_words_of_an_angle_lie_between_its_sides_and_outside_its_arc(sweep, radius):
    picture = sketch.Picture(lambda: [sketch.angle((0, 0), 10, sweep, "12°", radius)], "", 1)
    *_, way, more, _ = picture.numbers({})
    assert (way + more) * np.sin(np.radians(sweep / 2)) > 9  # pixels: more than half of a letter
    assert way + more > radius + 11


def test_a_ball_bounces_along_parabolas():
    flights = sketch.bounces([0.25], 1, 2, start=3)
    for shape, top, middle in zip(flights, (1, 0.25), (3, 6), strict=True):
        a, towards, b = (np.array(part) for part in shape if isinstance(part, tuple))
        t = np.linspace(0, 1, 5)[:, None]
        x, y = ((1 - t) ** 2 * a + 2 * t * (1 - t) * towards + t**2 * b).T  # as SVG draws it
        assert np.allclose(y, top - ((x - middle) / 2) ** 2)


@pytest.mark.parametrize("page", main_chapters(), ids=lambda page: page.stem)
def test_every_chapter_has_eight_drills(page):
    found = drills_of(page)
    assert len(found) >= 8 and labels(page).keys() == found.keys()
    assert titles_of(page) == {label: drill.title for label, drill in found.items()}


def test_the_same_seed_gives_the_same_numbers_for_ever():
    """As they were in the first year: whoever changes them changes examinations that were written."""
    assert [round(x, 9) for x, _ in zip(chances("a"), range(3), strict=False)] == CHANCES
    drill = Drill("", lambda a, b: a / b, {"a": Grid(1, 9), "b": Grid(0.5, 4, 0.5)}, {"": ""},
                  lambda a, b: a / b, "")  # fmt: skip
    assert [drawn(drill, "ex-0", f"2027/{k}").numbers for k in range(4)] == NUMBERS


REMEMBERED = json.loads(TABLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("label", "page"), EVERY)
def test_this_year_s_numbers_stay(label, page):
    found = first_of(drawn(drills_of(page)[label], label, FOR_EVER))
    wanted = REMEMBERED.get(
        label, "no numbers yet: python -m book bank --seed 1 --out OUT --remember"
    )
    assert found[0] == wanted[0] and found[1] == pytest.approx(wanted[1], rel=1e-8)


def test_no_drill_is_forgotten():
    assert REMEMBERED.keys() == {param.values[0] for param in EVERY}


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
        assert ("@@PLUGINFILE@@/sketch.svg" in text) is bool(item.question.picture)
        if item.question.picture:
            file = one.find("questiontext/file[@name='sketch.svg']")
            assert base64.b64decode(file.text).decode() == as_file(item.question.picture)


def test_moodle_says_both_of_two_mistakes_that_give_one_number():
    drill = Drill("{a}", lambda a: (2 * a, 3 * a), {"a": Grid(1, 9)}, {"x": "m", "y": "m"},
                  lambda a: (2 * a, 3 * a), "",
                  {"first.": lambda a: (3 * a, 4 * a), "second.": lambda a: (3.02 * a, 7 * a)})  # fmt: skip
    blanks = re.findall(
        r"NUMERICAL:(.*?)\}", moodle([Item("ex-0", "1", with_numbers(drill, {"a": 1}))])
    )
    said = [re.findall(r"#([\w. ]+)", blank) for blank in blanks]
    assert said == [["first. second."], ["first.", "second."]]


def test_qti_is_a_package_of_what_it_lists_and_judges_by_its_tolerance(bank):
    made = qti(bank)
    assert made == qti(bank)
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        manifest = ElementTree.fromstring(archive.read("imsmanifest.xml"))
        listed = {file.get("href") for file in manifest.iter() if file.tag.endswith("}file")}
        assert listed == set(archive.namelist()) - {"imsmanifest.xml"}
        assert {name for name in listed if name.endswith(".xml")} == {f"{i.name}.xml" for i in bank}
        seen = {f"{item.name}.svg" for item in bank if item.question.picture}
        assert seen and {name for name in listed if name.endswith(".svg")} == seen
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


@cache
def schema(name):
    """A schema written after the documentation; those of QTI and of its packages may not be passed on freely."""
    return etree.RelaxNG(etree.parse(Path(__file__).parent / "schemas" / f"{name}.rng"))


NUMBER = r"-?\d+(\.\d+)?(e[-+]?\d+)?"
SAID = r"([^\\~#}]|\\[\\~=#}/\"])+"
BLANK = re.compile(rf"\{{1:NUMERICAL:={NUMBER}:{NUMBER}(~%0%{NUMBER}:{NUMBER}#{SAID})*\}}")


def test_the_questions_of_all_chapters_fit_their_schemas():
    every = items(main_chapters(), "2027", ["001"])
    root = etree.fromstring(moodle(every).encode())
    schema("moodle").assertValid(root)
    texts = root.xpath("question[@type='cloze']/questiontext/text/text()")
    for text, item in zip(texts, every, strict=True):
        assert len(list(BLANK.finditer(text))) == len(item.question.answers)
        assert not re.search(r"[{}]", BLANK.sub("", text))  # which Moodle would take for a blank
    with zipfile.ZipFile(io.BytesIO(qti(every))) as archive:
        for name in (name for name in archive.namelist() if name.endswith(".xml")):
            kind = "manifest" if name == "imsmanifest.xml" else "qti_item"
            schema(kind).assertValid(etree.fromstring(archive.read(name)))
        for name in (name for name in archive.namelist() if name.endswith(".svg")):
            assert etree.fromstring(archive.read(name)).tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize(
    ("kind", "there", "instead"),
    [
        ("qti_item", 'title="', 'titel="'),
        ("qti_item", 'adaptive="false"', 'adaptive="no"'),
        ("qti_item", 'identifier="A0"', 'identifier="0A"'),
        ("qti_item", 'baseType="float"', 'baseType="number"'),
        ("qti_item", "<value>", "<value>about "),
        ("qti_item", 'responseIdentifier="A0"', ""),
        ("qti_item", '<correct identifier="A0"/>', ""),
        ("qti_item", r"(<outcome.*</outcomeDeclaration>)(<itemBody>.*</itemBody>)", r"\2\1"),
        ("manifest", "<organizations/>", ""),
        ("manifest", 'identifier="R-ex-1-door-001"', 'identifier="R-ex-1-door-002"'),
        ("moodle", 'type="cloze"', 'type="close"'),
        ("moodle", 'encoding="base64">', 'encoding="base64">!'),
        ("moodle", "<name><text>[^<]*</text></name>", ""),
        ("moodle", "<text>.course./", "<text>course: "),
    ],
)
def test_what_is_wrong_fits_no_schema(bank, kind, there, instead):
    if kind == "moodle":
        text = moodle(bank)
    else:
        name = {"qti_item": "ex-1-door-001.xml", "manifest": "imsmanifest.xml"}[kind]
        with zipfile.ZipFile(io.BytesIO(qti(bank))) as archive:
            text = archive.read(name).decode()
    changed = re.sub(there, instead, text)
    assert changed != text and schema(kind).validate(etree.fromstring(text.encode()))
    assert not schema(kind).validate(etree.fromstring(changed.encode()))


def test_the_command_writes_all_of_it_and_each_student_has_numbers_of_her_own(tmp_path, capsys):
    (tmp_path / "list.csv").write_text("name,mail\nAda,a@x\nBob <b>,b@x\n", encoding="utf-8")
    command = ["--chapters", "1", "--seed", "2027", "--draws", "2", "--out", str(tmp_path / "b")]
    assert run("bank", [*command, "--students", str(tmp_path / "list.csv")]) == 0
    out = tmp_path / "b"
    assert {file.name for file in out.iterdir()} == {
        *("moodle.xml", "qti.zip", "sheets.html", "keys.csv"),
        *("drills.ipynb", "answers.csv", "gradescope.zip"),
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
    for name in ("Ada", "Bob <b>"):
        grades(out, name, tmp_path)
    assert run("bank", ["--chapters", "99", "--seed", "1", "--out", str(out)]) == 1
    assert "there is no chapter 99" in capsys.readouterr().err


def test_a_list_names_each_student_once(tmp_path):
    file = tmp_path / "list.csv"
    for text in ("name\n", "name\nAda\nAda\n"):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(BookError, match="names that differ"):
            students(file)


def test_a_drill_stands_in_the_solution_of_its_exercise(tmp_path):
    text = "\n".join(["```{solution-start} ex-1-door", "```", "```{drill} %s", "1", "```"])
    made = tmp_path / "01_page.md"
    for label in ("ex-1-door", "ex-1-door-hinge"):
        made.write_text(text % label)
        assert labels(made) == {label: "ex-1-door"}
    outside = "```{drill} ex-1-door\n1\n```"
    twice = "\n".join([text % "ex-1-door", text % "ex-1-door"])
    for bad in (text % "ex-1-doors", text % "ex-1-do", outside, twice):
        made.write_text(bad)
        with pytest.raises(BookError, match="must stand in the solution of its exercise"):
            labels(made)


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


# whose laws branch on their numbers, or call a library, so that they bring a table of draws
TABLES = """
ex-3-bat-rod ex-4-helical-nut ex-4-inverse-posture ex-6-payload-box ex-11-read-order ex-11-read-order-ahead
ex-12-settle-swing ex-13-baumgarte-hand ex-13-projection-hand ex-13-percussion ex-15-share ex-15-share-unequal
ex-19-ball-in-box ex-19-balls-hand ex-19-segments-hand ex-20-hand ex-20-heavy-hand ex-20-puck-hand
ex-20-puck-hand-stick ex-21-beam-hand ex-21-chalk-hand ex-22-zeno-hand ex-22-step-hand ex-23-complex-hand
ex-23-broom-hand ex-25-weights-hand ex-26-modulo ex-27-before
""".split()
NODE = """
import {{ drawn, judged, told }} from "{judge}";
globalThis.window = globalThis;
{script}
const drill = window.drills["{label}"];
const found = [];
for (let seed = 1; seed <= {draws}; seed++) {{
  const question = drawn(drill, "{label}", String(seed));
  const {{ numbers, answers, mistakes }} = question;
  const {{ slots }} = question;
  const said = [answers, ...mistakes].map((given) => judged(drill, question, given).said);
  found.push({{ numbers, answers, mistakes, said, slots, text: told(drill.text, drill, question),
    solution: told(drill.solution, drill, question) }});
}}
console.log(JSON.stringify(found));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="there is no Node.js")
@pytest.mark.parametrize(
    "draws", [pytest.param(FEW, id="few"), pytest.param(200, marks=pytest.mark.nightly, id="200")]
)
@pytest.mark.parametrize(("label", "page"), EVERY)
def test_a_page_draws_and_judges_as_python_does(label, page, draws, tmp_path):
    drill = drills_of(page)[label]
    script = script_of(drill, label)
    assert "</" not in script.replace("<\\/", "")
    assert bool(law_of(drill)) is (label not in TABLES)
    draws = KEPT if label in TABLES else draws
    judge = (ROOT / "book" / "theme" / "drills" / "judge.js").as_uri()
    (tmp_path / "run.mjs").write_text(
        NODE.format(judge=judge, script=script, label=label, draws=draws)
    )
    made = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, check=True)
    for seed, found in enumerate(json.loads(made.stdout), 1):
        question = drawn(drill, label, str(seed))
        assert found["numbers"] == list(question.numbers.values())
        assert found["text"] == question.text
        numbers = re.compile(r"-?\d[\d.]*")  # which may be rounded at the fourth digit
        assert numbers.sub("", found["solution"]) == numbers.sub("", question.solution)
        for there, here in [
            (found["answers"], question.answers),
            *zip(found["mistakes"], question.mistakes.values(), strict=True),
        ]:
            assert np.allclose(there, here, rtol=2e-14, atol=2e-14 * np.abs(here).max())
        slots = drill.picture.numbers(question.numbers) if drill.picture else []
        within = 0.0501 if label in TABLES else 1e-9  # pixels
        assert np.allclose(found["slots"], np.array(slots, float), rtol=0, atol=within)
        assert found["said"][0] == "Right."
        for said in found["said"][1:]:  # what one mistake gives another one may give too
            assert said in drill.wrong


JUDGED = """
import {{ judged, read }} from "{judge}";
const drill = {{ within: 0.01, said: ["doubled", "added"] }};
const question = {{ answers: [4, 9], mistakes: [[8, 18], [6, 9]] }};
console.log(JSON.stringify([
  [[4.03, 9], [4.05, 9], [8, 18], [6, 9], [8, 9], [6, 18], [-4, 9], [4, 900], [4, 9 * 57.3], [NaN, 9], [1, 1]]
    .map((given) => judged(drill, question, given)),
  ["1,5", " 3/4", "-2", "−2", "2e-3", "2 · 10^-3", "", "a", "1/", "1/2/3"].map(read).map(String),
]));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="there is no Node.js")
def test_an_answer_is_judged_by_what_is_wrong_with_it(tmp_path):
    judge = (ROOT / "book" / "theme" / "drills" / "judge.js").as_uri()
    (tmp_path / "run.mjs").write_text(JUDGED.format(judge=judge))
    made = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, check=True)
    verdicts, numbers = json.loads(made.stdout)
    assert [one["right"] for one in verdicts[:4]] == [
        [True, True], [False, True], [False, False], [False, True],
    ]  # fmt: skip
    said = [one["said"] for one in verdicts]
    assert said[0] == "Right." and said[1] == said[10] == "Not yet right."
    assert said[2:6] == ["doubled", "added", "doubled", "doubled"]
    assert "sign" in said[6] and "power of ten" in said[7] and "degrees" in said[8]
    assert "missing" in said[9]
    assert numbers == ["1.5", "0.75", "-2", "-2", "0.002", "0.002", "NaN", "NaN", "NaN", "NaN"]


KEPT_TEST = """
const store = new Map();
globalThis.localStorage = {{ getItem: (k) => store.get(k) ?? null, setItem: (k, v) => {{
  if (globalThis.full) throw new Error("full");
  store.set(k, v); }} }};
globalThis.dispatchEvent = () => true;
const {{ advance, again, all, due, file, note, of, take }} = await import("{kept}");
const day = 86400000, found = [];
note("a", true, 0); found.push(of("a").due / day, again(of("a"), 0));
note("a", true, day); found.push(of("a").due / day);
note("a", false, 2 * day); found.push(of("a").due / day, of("a").right, of("a").wrong);
advance("a"); found.push(of("a").next);
note("b", true, 0);
found.push(due(["a", "b", "c"], 2 * day), due(["a", "b", "c"], 0));
const saved = file(0);
store.clear();
found.push(take(saved), take(saved), of("a").wrong);
for (const bad of ["{{}}", "x", '{{"kind":"chaindyn:drills","drills":{{"a":{{"right":9}}}}}}'])
  try {{ found.push(take(bad)); }} catch (error) {{ found.push("refused"); }}
globalThis.full = true;
found.push(note("a", true, 0));
store.set("chaindyn:drills", "no JSON"); found.push(all());
console.log(JSON.stringify(found));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="there is no Node.js")
def test_what_is_kept_comes_again_and_goes_through_a_file(tmp_path):
    kept = (ROOT / "book" / "theme" / "drills" / "kept.js").as_uri()
    (tmp_path / "run.mjs").write_text(KEPT_TEST.format(kept=kept))
    made = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(made.stdout) == [
        1, "It comes again in 1 day.", 1 + 3, 2, 2, 1, 5, ["b", "a"], [],
        2, 0, 1, "refused", "refused", 0, False, {},
    ]  # fmt: skip


def test_a_law_that_branches_brings_a_table_of_draws():
    drill = Drill("{a}", lambda a: a if a > 2 else 2 * a, {"a": Grid(1, 9)}, {"x": "m"},
                  lambda a: a if a > 2 else 2 * a, "", {"tripled": lambda a: 3 * a})  # fmt: skip
    assert law_of(drill) is None
    told = json.loads(script_of(drill, "ex-0").partition("=")[2].partition("=")[2][:-1])
    assert len(told["kept"]) == KEPT
    for seed, (numbers, answers, wrong) in enumerate(told["kept"], 1):
        question = drawn(drill, "ex-0", str(seed))
        assert numbers == [*question.numbers.values()] and answers == question.answers
        assert wrong == [3 * numbers[0]]


def grades(out, name, tmp_path):
    """Hand in right answers, a mistake, no number and no file at Gradescope, as one of the list and as a stranger."""
    top = tmp_path / name[:3]
    with zipfile.ZipFile(out / "gradescope.zip") as archive:
        archive.extractall(top / "source")
    assert (top / "source" / "run_autograder").read_text().startswith("#!/bin/sh")
    key = json.loads((top / "source" / "key.json").read_text())[name]
    (top / "submission").mkdir()

    def handed_in(change, who=name, form="answers.csv"):
        rows = list(csv.DictReader(io.StringIO((out / "answers.csv").read_text())))
        assert len(rows) == sum(map(len, key.values()))
        for row in rows:
            row["answer"] = change(key[row["drill"]][int(row["part"]) - 1])
        with (top / "submission" / form).open("w", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)
        (top / "submission_metadata.json").write_text(json.dumps({"users": [{"name": who}]}))
        command = [sys.executable, str(top / "source" / "gradescope.py")]
        environment = {**os.environ, "GRADESCOPE": str(top)}
        subprocess.run(command, env=environment, check=True, cwd=top)
        (top / "submission" / form).unlink()
        return json.loads((top / "results" / "results.json").read_text())

    for written in (
        lambda part: f"{part['answer']:.6g}",
        lambda part: f"{part['answer']:.6g}".replace(".", ","),
    ):
        tests = handed_in(written)["tests"]
        assert [one["score"] for one in tests] == [one["max_score"] for one in tests]
    tests = handed_in(lambda part: str(next(iter(part["mistakes"].values()), "")))["tests"]
    assert {one["score"] for one in tests} == {0}
    said = [word for parts in key.values() for part in parts for word in part["mistakes"]]
    assert any(word in one["output"] for one in tests for word in said)
    tests = handed_in(lambda part: "x")["tests"]
    assert all("x: no number" in one["output"] for one in tests)
    assert "not on the list" in handed_in(lambda part: "1", who="Eve")["output"]
    assert "hand in one file" in handed_in(lambda part: "1", form="other.csv")["output"]


def test_the_notebook_for_nbgrader_takes_its_own_solution_and_no_mistake(bank):
    made = notebook([item for item in bank if item.draw == "001"])
    cells = [cell for cell in made.cells if cell.cell_type == "code"]
    names = [cell.metadata["nbgrader"]["grade_id"] for cell in cells]
    assert len(set(names)) == len(names) and len(cells) == 2 * len({i.label for i in bank})
    for answer, test in zip(cells[::2], cells[1::2], strict=True):
        assert answer.metadata["nbgrader"]["solution"] and test.metadata["nbgrader"]["locked"]
        given = re.sub("(?s)### BEGIN SOLUTION.*", "", answer.source)
        hidden = re.sub("(?s)### BEGIN HIDDEN.*", "", test.source)  # what a student gets
        space = {}
        exec(answer.source, space)
        exec(test.source, space)
        name = answer.metadata["nbgrader"]["grade_id"]
        item = next(i for i in bank if i.name.replace("-", "_") == name)
        assert test.metadata["nbgrader"]["points"] == len(item.question.answers)
        for wrong in item.question.mistakes.values():
            with pytest.raises(AssertionError):
                exec(test.source, {name: wrong})
        exec(given, space)
        with pytest.raises(AssertionError, match="missing"):
            exec(hidden, space)
        right = [f"{x:.6g}" for x in item.question.answers if abs(x) > 2]
        assert not any(x in hidden or x in given for x in right if "." in x)
