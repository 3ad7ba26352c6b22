"""``nbgrader export`` with a remark.

To what it could not read, a renamed notebook say, nbgrader gives a zero like that of a wrong answer.
"""

from __future__ import annotations

import csv
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.plugins import CsvExportPlugin


class Export(CsvExportPlugin):  # type: ignore[misc]
    """The table of grades, in which what was not graded says so."""

    def export(self, gradebook: Gradebook) -> None:
        super().export(gradebook)
        file, course = Path(self.to or "grades.csv"), Path(self.parent.coursedir.root)
        with file.open(newline="") as table:
            names, *rows = csv.reader(table)
        with file.open("w", newline="") as table:
            writer = csv.writer(table)
            writer.writerow([*names, "remark"])
            for row in rows:
                told = dict(zip(names, row, strict=True))
                writer.writerow([*row, remark(course, told["student_id"], told["assignment"])])


def remark(course: Path, student: str, assignment: str) -> str:
    """Return why a student has no grade for an assignment, if there is none."""
    if (course / "autograded" / student / assignment).is_dir():
        return ""
    there = (course / "submitted" / student / assignment).is_dir()
    return "not read: autograde says why" if there else "not handed in"
