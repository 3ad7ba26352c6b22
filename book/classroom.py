"""``python -m book grade FOLDER --out GRADED``: the submissions of a class, several at a time.

Below FOLDER each student has a folder, or a notebook named after the student. GRADED gets

* ``grades.csv``: a row for each notebook, a column for each exercise; what could not be read has a remark, no points;
* ``not_read.csv``: what could not be read, and why;
* ``feedback``: a page for each notebook;
* ``verdicts.jsonl``: what the judges said, as soon as they have. Whoever starts again goes on from there: a submission
  is judged anew only if it has changed, or the exercise has.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from book.assignments import points
from book.exercises import Exercise, exercises
from book.grade import LIMIT, Grade, grade, page_named, python, sources_of, verdicts
from book.judging import judged, statements_of
from book.pages import ROOT, BookError, chapter_of, chapters

PLANS = {"twelve": "Twelve weeks", "fourteen": "Fourteen weeks"}


@dataclass
class Handed:
    """A notebook that somebody has handed in, and what came of it; `fault` says why it could not be read."""

    student: str
    file: Path
    page: Path | None = None
    sources: list[str] = field(default_factory=list)
    grades: list[Grade] = field(default_factory=list)
    fault: str = ""

    @property
    def own(self) -> list[Exercise]:
        """The exercises of its chapter that have a judge."""
        return [one for one in exercises(self.page) if judged(one.checks)] if self.page else []


def grade_class(
    folder: Path, out: Path, page: Path | None, only: set[str] | None, jobs: int, limit: float
) -> list[Handed]:
    """Grade all notebooks below a folder; write table, report and feedback. BookError if there is none."""
    handed = [read(one, page) for one in handed_in(folder)]
    if not handed:
        raise BookError(f"{folder} has no folders and no notebooks")
    out.mkdir(parents=True, exist_ok=True)
    store = Store(out / "verdicts.jsonl")
    with ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(judge, one, store, only, limit): one for one in handed}
        try:
            for count, done in enumerate(as_completed(waiting), 1):
                done.result()
                print(f"{count} of {len(handed)}: {line(waiting[done])}", flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    write_tables(handed, out)
    return handed


def line(one: Handed) -> str:
    """What came of a submission, in a line."""
    if one.fault:
        return f"{one.student}: not read: {one.fault}"
    return f"{one.student}: {sum(g.solved for g in one.grades)} of {len(one.grades)} solved"


# Reading ----------------------------------------------------------------------------------------


def handed_in(folder: Path) -> list[Handed]:
    """The notebooks below a folder with their students, and students whose folders have none."""
    found = list[Handed]()
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            inside = [file for file in sorted(entry.rglob("*.ipynb")) if not _hidden(file, entry)]
            found += [Handed(entry.name, file) for file in inside]
            if not inside:
                found.append(Handed(entry.name, entry, fault="there is no notebook in the folder"))
        elif entry.suffix == ".ipynb":
            stem = entry.stem
            name = next((page.stem for page in chapters() if stem.startswith(page.stem)), "")
            found.append(Handed(stem.removeprefix(name).strip("-_. ") or stem, entry))
    return found


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def read(one: Handed, page: Path | None) -> Handed:
    """Read a notebook, and find out of which chapter it is."""
    if one.fault:
        return one
    try:
        one.sources = sources_of(one.file)
        one.page = page or page_of(one.file, one.sources)
    except BookError as error:
        one.fault = str(error).removeprefix(f"{one.file}: ")
    return one


def page_of(file: Path, sources: list[str]) -> Path:
    """The chapter of a notebook: as its name says, its folder's, or what it defines. BookError if nothing does."""
    for name in (file.name, file.parent.name):
        try:
            return page_named(name)
        except BookError:
            continue
    plain = [python(source)[0] for source in sources]
    given = {name for source in plain for one in statements_of(source) for name in one.binds}
    common = {page: len(given & asked_of(page)) for page in chapters()}
    most = max(common.values())
    best = [page for page, count in common.items() if count == most]
    if not most or len(best) > 1:
        raise BookError("its name does not say of which chapter it is: --chapter 1, say")
    return best[0]


@cache
def asked_of(page: Path) -> set[str]:
    """The names that a chapter's exercises ask for, and no other chapter's do."""
    asked = {p: {name for x in exercises(p) for _, name in judged(x.checks)} for p in chapters()}
    others = set[str]().union(*(names for other, names in asked.items() if other != page))
    return asked[page] - others


def to_hand_in(week: int, plan: str = "twelve") -> set[str]:
    """The labels of what a plan of the course page has handed in in a week. BookError if it has no such week."""
    text = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^## (.*)\n((?:(?!^## ).*\n?)*)", text, re.M))
    for name in (PLANS[plan], PLANS["twelve"]):  # the first ten weeks are the same
        for row in re.findall(rf"^\| {week} \|.*$", parts[name], re.M):
            labels = re.findall(r"`(ex-[\w-]+)`", row.rstrip("| ").rpartition("|")[2])
            return set(labels)
    raise BookError(f"the plan of {plan} weeks has no week {week}")


def weeks_of(plan: str) -> dict[str, set[str]]:
    """What a plan has handed in, by the names of its weeks."""
    count = {"twelve": 12, "fourteen": 14}[plan]
    return {f"week-{week:02d}": to_hand_in(week, plan) for week in range(1, count + 1)}


# Judging ----------------------------------------------------------------------------------------


class Store:
    """What judges have said, kept in a file as it is said."""

    def __init__(self, file: Path) -> None:
        self.file, self.turn = file, threading.Lock()
        self.said = dict[str, str]()
        if file.is_file():
            for text in file.read_text(encoding="utf-8").splitlines():
                try:
                    kept = json.loads(text)
                except ValueError:  # written when all was broken off
                    continue
                self.said[kept["key"]] = kept["why"]

    def keep(self, key: str, why: str, **about: Any) -> None:
        with self.turn, self.file.open("a", encoding="utf-8") as file:
            self.said[key] = why
            file.write("\n" * _broken_off(self.file))
            file.write(json.dumps({"key": key, "why": why, **about}) + "\n")


def _broken_off(file: Path) -> bool:
    """Whether a file ends within a line."""
    with file.open("rb") as opened:
        size = opened.seek(0, 2)
        opened.seek(max(0, size - 1))
        return opened.read() not in (b"", b"\n")


def key_of(one: Handed, exercise: Exercise, limit: float) -> str:
    """What a verdict hangs on."""
    hangs = [one.sources, exercise.label, exercise.checks, exercise.facts.without, limit]
    return hashlib.sha256(json.dumps(hangs).encode()).hexdigest()


def judge(one: Handed, store: Store, only: set[str] | None, limit: float) -> None:
    """Ask for the verdicts that are not known yet."""
    if not one.page:
        return
    own = [exercise for exercise in one.own if only is None or exercise.label in only]
    keys = {exercise.label: key_of(one, exercise, limit) for exercise in own}
    missing = {label for label, key in keys.items() if key not in store.said}
    if missing:
        for new in verdicts(one.page, one.sources, limit, missing):
            label = new.exercise.label
            store.keep(keys[label], new.why, student=one.student, file=str(one.file), label=label)
    said = {exercise.label: store.said[keys[exercise.label]] for exercise in own}
    one.grades = [Grade(x, not said[x.label], said[x.label]) for x in own]


# Writing ----------------------------------------------------------------------------------------


def write_tables(handed: Iterable[Handed], out: Path) -> None:
    """Write the table of grades, the report of what could not be read, and a page for each submission."""
    handed = sorted(handed, key=lambda one: (one.student, str(one.file)))
    asked = {
        number(grade.exercise): points(grade.exercise) for one in handed for grade in one.grades
    }
    numbers = sorted(asked, key=lambda text: tuple(map(int, text.split("."))))
    with (out / "grades.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["student", "chapter", *numbers, "points", "of", "remark"])
        for one in handed:
            table.writerow(_row(one, numbers))
    with (out / "not_read.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["student", "file", "why"])
        table.writerows(
            [_cell(one.student), str(one.file), one.fault] for one in handed if one.fault
        )
    (out / "feedback").mkdir(exist_ok=True)
    for one in handed:
        name = re.sub(r"[^\w-]+", "_", f"{one.student}-{one.file.stem}")
        page = out / "feedback" / f"{name}-{_digest(one)}.html"
        page.write_text(feedback(one), encoding="utf-8")


def _digest(one: Handed) -> str:
    """What tells apart notebooks whose names differ in other signs than letters."""
    return hashlib.sha256(str(one.file).encode()).hexdigest()[:6]


def number(exercise: Exercise) -> str:
    return f"{exercise.chapter}.{exercise.number}"


def _row(one: Handed, numbers: list[str]) -> list[Any]:
    worth = {number(grade.exercise): grade.solved * points(grade.exercise) for grade in one.grades}
    student = _cell(one.student)
    if one.fault or not one.page:
        return [student, "", *[""] * len(numbers), "", "", one.fault]
    most = sum(points(grade.exercise) for grade in one.grades)
    given = [worth.get(text, "") for text in numbers]
    return [student, chapter_of(one.page)["chapter"], *given, sum(worth.values()), most, ""]


def _cell(text: str) -> str:
    """A name as a spreadsheet may have it, which takes what begins so for a formula."""
    return f"'{text}" if text[:1] in "=+-@" else text


def feedback(one: Handed) -> str:
    """The page that a student gets."""
    parts = [f"<h1>{escape(one.student)}</h1>", f"<p><code>{escape(one.file.name)}</code></p>"]
    if one.fault:
        parts.append(f"<p>This could not be read: {escape(one.fault)}</p>")
    for given in one.grades:
        most = points(given.exercise)
        got = f"{most if given.solved else 0} of {most} points"
        parts.append(f"<h2>{number(given.exercise)} {escape(given.exercise.title)}</h2>")
        parts.append(f"<p>{'Solved' if given.solved else 'Not yet right'}: {got}.</p>")
        parts += [f"<pre>{escape(given.why)}</pre>"] if given.why else []
    style = "body{font:16px/1.5 sans-serif;max-width:44em;margin:2em auto;padding:0 1em}"
    style += "pre{white-space:pre-wrap;background:#f2f2f2;padding:.6em}"
    title = escape(f"{one.student}: {one.file.stem}")
    head = f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    view = '<meta name="viewport" content="width=device-width">'
    return f"{head}{view}<style>{style}</style></head><body>{''.join(parts)}</body></html>\n"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m book grade")
    parser.add_argument(
        "submission", type=Path, help="a notebook, or a folder with those of a class"
    )
    parser.add_argument("--chapter", type=int, help="its number, where the name does not say it")
    parser.add_argument("--only", nargs="+", metavar="LABEL", help="exercises, as ex-1-distance")
    parser.add_argument("--week", type=int, help="what the plan of the course has handed in then")
    parser.add_argument("--plan", choices=PLANS, default="twelve", help="(default: twelve)")
    parser.add_argument(
        "--limit", type=float, default=LIMIT, help="seconds for an exercise (default: 60)"
    )
    parser.add_argument("--out", type=Path, help="where the results of a class go")
    parser.add_argument(
        "-j", "--jobs", type=int, default=os.cpu_count() or 1, help="submissions at a time (default: cores)"
    )  # fmt: skip
    arguments = parser.parse_args(argv)
    page = None if arguments.chapter is None else _chapter(arguments.chapter)
    only = _chosen(arguments.only, arguments.week, arguments.plan)
    if arguments.submission.is_dir():
        if arguments.out is None:
            raise BookError("of a class the results go into a folder: --out graded")
        handed = grade_class(
            arguments.submission, arguments.out, page, only, arguments.jobs, arguments.limit
        )
        faults = [one for one in handed if one.fault]
        print(f"{len(handed) - len(faults)} graded, {len(faults)} not read: {arguments.out}")
        return 0
    grades = grade(arguments.submission, page, arguments.limit, only)
    for one in grades:
        number = f"{one.exercise.chapter}.{one.exercise.number}"
        print(f"{number:6} {one.exercise.title}: {'solved' if one.solved else 'no: ' + one.why}")
    print(f"{sum(one.solved for one in grades)} of {len(grades)} solved")
    return 0


def _chapter(number: int) -> Path:
    for page in chapters():
        if page.stem.startswith(f"{number:02d}_"):
            return page
    raise BookError(f"there is no chapter {number}")


def _chosen(labels: list[str] | None, week: int | None, plan: str) -> set[str] | None:
    """The exercises that are asked for by label or week; None stands for all. BookError if there is no such."""
    if labels is None and week is None:
        return None
    chosen = set(labels or []) | (to_hand_in(week, plan) if week is not None else set())
    known = {one.label for page in chapters() for one in exercises(page) if judged(one.checks)}
    if strange := sorted(set(labels or []) - known):
        raise BookError(f"no exercise with a judge is called {', '.join(strange)}")
    return chosen & known
