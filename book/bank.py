"""``python -m book bank --chapters 1-3 --seed 2027 --out BANK``: drills with fresh numbers, for other systems.

================  =======================================================================
moodle.xml        a category for each drill, with questions of the type "cloze"
qti.zip           the same as a package of QTI 2.1 (Canvas, Blackboard)
drills.ipynb      the first draw of each as a source notebook of nbgrader
sheets.html       with ``--students list.csv``, a sheet for each, to be printed
answers.csv       with it too: the form that they fill
gradescope.zip    and what grades it there, each by numbers of one's own
keys.csv          the numbers and answers of all of them
================  =======================================================================

The same seed gives the same numbers. A student's numbers hang on the seed and the student's name in the list.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import zipfile
from html import escape
from pathlib import Path

import nbformat

from book import sketch
from book.drills import Item, Question, drawn, drills
from book.handed_in import blank, gradescope, notebook
from book.pages import ROOT, BookError, chapters, main_chapters

TABLE, FOR_EVER = ROOT / "tests" / "house" / "drills.json", "2027/001"
QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
PACKAGING = "http://www.imsglobal.org/xsd/imscp_v1p1"


def items(pages: list[Path], seed: str, draws: list[str]) -> list[Item]:
    """Draw each drill of some chapters as often as there are names of draws."""
    made = [
        Item(label, draw, drawn(drill, label, f"{seed}/{draw}"))
        for page in pages
        for label, drill in drills(page).items()
        for draw in draws
    ]
    if not made:
        raise BookError(
            "these chapters have no drills (an edition for students has none to draw from)"
        )
    return made


# Moodle -----------------------------------------------------------------------------------------


def moodle(bank: list[Item]) -> str:
    """The questions as Moodle's XML."""
    lines, last = ['<?xml version="1.0" encoding="UTF-8"?>', "<quiz>"], ""
    for item in bank:
        if item.label != last:
            path = f"$course$/chaindyn/{item.label}"
            lines.append(
                f'<question type="category"><category><text>{path}</text></category></question>'
            )
        last, question = item.label, item.question
        blanks = "".join(
            f"<p>{escape(what)} [{escape(unit)}]: {_blank(question, k)}</p>"
            for k, (what, unit) in enumerate(question.asked)
        )
        picture, file = "", ""
        if question.picture:
            picture = f'<p><img src="@@PLUGINFILE@@/sketch.svg" alt="{escape(question.alt)}"></p>'
            inside = sketch.in_base64(question.picture)
            file = f'<file name="sketch.svg" path="/" encoding="base64">{inside}</file>'
        text = _data(f"<p>{escape(question.text)}</p>{picture}{blanks}")
        solution = _data(f"<p>{escape(question.solution)}</p>")
        lines.append(
            f'<question type="cloze"><name><text>{item.name}</text></name>'
            f'<questiontext format="html"><text>{text}</text>{file}</questiontext>'
            f'<generalfeedback format="html"><text>{solution}</text></generalfeedback></question>'
        )
    return "\n".join([*lines, "</quiz>"]) + "\n"


def _blank(question: Question, k: int) -> str:
    """A field of a cloze question: the right answer, then those of mistakes, with what each deserves.

    Where mistakes give one number, all of them are said.
    """
    within, right = question.tolerance(k), question.answers[k]
    told = dict[float, list[str]]()
    for said, wrong in question.mistakes.items():
        number = next((x for x in told if abs(wrong[k] - x) <= 2 * within), wrong[k])
        if abs(wrong[k] - right) > 2 * within:
            told.setdefault(number, []).append(said)
    parts = [f"={right:.9g}:{within:.3g}"]
    for number, sentences in told.items():
        parts.append(f"%0%{number:.9g}:{within:.3g}#{_cloze(' '.join(sentences))}")
    return f"{{1:NUMERICAL:{'~'.join(parts)}}}"


def _cloze(text: str) -> str:
    return re.sub(r"([\\~=#}/\"])", r"\\\1", escape(text, quote=False))


def _data(text: str) -> str:
    return f"<![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]>"


# QTI --------------------------------------------------------------------------------------------


def qti(bank: list[Item]) -> bytes:
    """The questions as a package of QTI 2.1, the same bytes each time."""
    files, resources = dict[str, str](), ""
    for item in bank:
        own = {f"{item.name}.xml": qti_item(item)}
        if item.question.picture:
            own[f"{item.name}.svg"] = sketch.as_file(item.question.picture)
        listed = "".join(f'<file href="{escape(name)}"/>' for name in own)
        resources += (
            f'<resource identifier="R-{escape(item.name)}" type="imsqti_item_xmlv2p1" href="{escape(item.name)}.xml">'
            f"{listed}</resource>"
        )
        files |= own
    manifest = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<manifest xmlns="{PACKAGING}" identifier="chaindyn">'
        "<metadata><schema>QTIv2.1 Package</schema><schemaversion>1.0.0</schemaversion></metadata>"
        f"<organizations/><resources>{resources}</resources></manifest>\n"
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {"imsmanifest.xml": manifest, **files}.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return packed.getvalue()


def qti_item(item: Item) -> str:
    """A question as an item of QTI 2.1: a point for each answer within its tolerance."""
    question, declared, asked, judged = item.question, "", "", ""
    if question.picture:
        asked = f'<p><img src="{escape(item.name)}.svg" alt="{escape(question.alt)}"/></p>'
    for k, (what, unit) in enumerate(question.asked):
        within = f"{question.tolerance(k):.6g}"
        declared += (
            f'<responseDeclaration identifier="A{k}" cardinality="single" baseType="float"><correctResponse>'
            f"<value>{question.answers[k]:.9g}</value></correctResponse></responseDeclaration>"
        )
        asked += (
            f'<p>{escape(what)} [{escape(unit)}]: <textEntryInteraction responseIdentifier="A{k}"'
            ' expectedLength="12"/></p>'
        )
        judged += (
            f'<responseCondition><responseIf><equal toleranceMode="absolute" tolerance="{within} {within}">'
            f'<variable identifier="A{k}"/><correct identifier="A{k}"/></equal>'
            '<setOutcomeValue identifier="SCORE"><sum><variable identifier="SCORE"/>'
            '<baseValue baseType="float">1</baseValue></sum></setOutcomeValue></responseIf></responseCondition>'
        )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<assessmentItem xmlns="{QTI}" identifier="{escape(item.name)}"'
        f' title="{escape(item.name)}" adaptive="false" timeDependent="false">{declared}'
        '<outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float"><defaultValue>'
        "<value>0</value></defaultValue></outcomeDeclaration>"
        f"<itemBody><p>{escape(question.text)}</p>{asked}</itemBody>"
        f"<responseProcessing>{judged}</responseProcessing></assessmentItem>\n"
    )


# Paper ------------------------------------------------------------------------------------------


def sheets(bank: list[Item]) -> str:
    """A sheet for each draw, to be printed."""
    style = "body{font:12pt/1.5 serif;margin:2cm}section{break-after:page}"
    style += ".blank{border-bottom:1px solid;padding-left:6em}"
    parts = [
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Drills</title><style>{style}</style>'
    ]
    parts.append("</head><body>")
    for draw in dict.fromkeys(item.draw for item in bank):
        parts.append(f"<section><h1>{escape(draw)}</h1>")
        for k, item in enumerate((item for item in bank if item.draw == draw), 1):
            parts.append(f"<h2>{k}</h2><p>{escape(item.question.text)}</p>{item.question.picture}")
            for what, unit in item.question.asked:
                parts.append(f'<p>{escape(what)}: <span class="blank"></span> {escape(unit)}</p>')
        parts.append("</section>")
    return "\n".join([*parts, "</body></html>"]) + "\n"


def keys(bank: list[Item]) -> str:
    """The numbers and answers of all questions as a table."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["drill", "draw", "numbers", "asked", "unit", "answer", "tolerance"])
    for item in bank:
        numbers = " ".join(f"{name}={value}" for name, value in item.question.numbers.items())
        for k, (what, unit) in enumerate(item.question.asked):
            found = f"{item.question.answers[k]:.6g}", f"{item.question.tolerance(k):.3g}"
            table.writerow([item.label, item.draw, numbers, what, unit, *found])
    return text.getvalue()


def students(file: Path) -> list[str]:
    """The names in the first column of a list, whose first line is its heading. BookError if there is none."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        names = [row[0].strip() for row in csv.reader(opened) if row and row[0].strip()][1:]
    if not names or len(set(names)) < len(names):
        raise BookError(f"{file}: below its heading it needs names that differ")
    return names


def pages_of(text: str) -> list[Path]:
    """The chapters of "1-3,8". BookError if one is not there."""
    asked = set[int]()
    for part in text.split(","):
        if (span := re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)) is None:
            raise BookError(f"{text}: chapters are written 1-3,8")
        asked |= set(range(int(span[1]), int(span[2] or span[1]) + 1))
    found = {int(page.stem[:2]): page for page in chapters()}
    if missing := sorted(asked - found.keys()):
        raise BookError(f"there is no chapter {missing[0]}")
    return [found[number] for number in sorted(asked)]


def first_of(question: Question) -> list[list[float]]:
    """A question as the table keeps it: its numbers, and its answers to nine digits."""
    return [[*question.numbers.values()], [float(f"{x:.9g}") for x in question.answers]]


def remember(pages: list[Path]) -> None:
    """Add drills to the table of numbers that a seed gives for ever; what stands there stays."""
    kept = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.is_file() else {}
    for page in pages:
        for label, drill in drills(page).items():
            kept.setdefault(label, first_of(drawn(drill, label, FOR_EVER)))
    lines = ",\n".join(f" {json.dumps(label)}: {json.dumps(kept[label])}" for label in sorted(kept))
    TABLE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m book bank")
    parser.add_argument("--chapters", help="as 1-3,8 (default: all)")
    parser.add_argument(
        "--seed", required=True, help="a year, say: the same gives the same numbers"
    )
    parser.add_argument("--draws", type=int, default=20, help="of each drill (default: 20)")
    parser.add_argument(
        "--students", type=Path, help="a table: a draw for each name in its first column"
    )
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument(
        "--remember", action="store_true", help="add new drills to the table of numbers that stay"
    )
    arguments = parser.parse_args(argv)
    pages = pages_of(arguments.chapters) if arguments.chapters else main_chapters()
    draws = [f"{k:03d}" for k in range(1, arguments.draws + 1)]
    bank = items(pages, arguments.seed, draws)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "moodle.xml").write_text(moodle(bank), encoding="utf-8")
    (arguments.out / "qti.zip").write_bytes(qti(bank))
    nbformat.write(
        notebook([item for item in bank if item.draw == draws[0]]), arguments.out / "drills.ipynb"
    )
    if arguments.students:
        own = items(pages, arguments.seed, students(arguments.students))
        (arguments.out / "answers.csv").write_text(blank(own), encoding="utf-8")
        (arguments.out / "gradescope.zip").write_bytes(gradescope(own))
        (arguments.out / "sheets.html").write_text(sheets(own), encoding="utf-8")
        bank += own
    (arguments.out / "keys.csv").write_text(keys(bank), encoding="utf-8")
    if arguments.remember:
        remember(pages)
    print(f"bank: {len(bank)} questions in {arguments.out}")
    return 0
