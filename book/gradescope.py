"""Grade a file of answers to drills: Gradescope runs this, which `python -m book bank` packs into its zip.

It needs the standard library alone. Beside it stands key.json: for each student of the list, by drill, what is asked,
each with its answer, its tolerance and what each usual mistake gives. A student hands in answers.csv, the form with its
last column filled. ``GRADESCOPE`` names another folder than /autograder.
"""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

NAME, HANDED_IN = "answer", "answers.csv"


def number(text: str) -> float | None:
    """What a student wrote, as a number: 0.25, 0,25, 1/4 or 2.5e-1; None if it is none."""
    above, _, below = text.strip().replace("−", "-").replace(",", ".").partition("/")
    try:
        return float(above) / float(below) if below else float(above)
    except (ValueError, ZeroDivisionError):
        return None


def read(folder: Path) -> dict[tuple[str, str], str]:
    """The answers handed in, by drill and place in it. ValueError if there is no such file, or it is no table."""
    found = sorted(folder.rglob(HANDED_IN))
    if len(found) != 1:
        raise ValueError(
            f"hand in one file {HANDED_IN}, the form that you got; here are {len(found)}"
        )
    with found[0].open(encoding="utf-8-sig", newline="") as opened:
        text = opened.read()
    table = csv.DictReader(text.splitlines(), delimiter=";" if ";" in text.split("\n")[0] else ",")
    if not {"drill", "part", NAME} <= set(table.fieldnames or ()):
        raise ValueError(f"{HANDED_IN} must keep its columns drill, part and {NAME}")
    return {(row["drill"], row["part"]): row[NAME] or "" for row in table}


def student(key: dict[str, Any], metadata: dict[str, Any]) -> str:
    """Whose numbers count: the one of the list that has the name, the address or the number of who hands in."""
    users = metadata.get("users", [])
    for user in users:
        for known in ("name", "email", "sid"):
            if str(user.get(known) or "") in key:
                return str(user[known])
    who = ", ".join(str(user.get("name")) for user in users)
    raise ValueError(f"{who or 'nobody'} is not on the list for which these numbers were drawn")


def graded(key: dict[str, Any], given: dict[tuple[str, str], str]) -> list[dict[str, Any]]:
    """A test for each drill, as Gradescope shows it: a point for each right number, a sentence for a wrong one."""
    tests = []
    for drill, parts in key.items():
        score, lines = 0, []
        for k, part in enumerate(parts):
            text = given.get((drill, str(k + 1)), "")
            said = verdict(part, number(text))
            score += said == "right"
            lines.append(f"{part['asked']}: {text.strip() or 'nothing'}: {said}")
        tests.append(
            {"name": drill, "score": score, "max_score": len(parts), "output": "\n".join(lines)}
        )
    return tests


def verdict(part: dict[str, Any], value: float | None) -> str:
    """What a number deserves."""
    if value is None:
        return "no number"
    if abs(value - part["answer"]) <= part["within"]:
        return "right"
    for said, wrong in part["mistakes"].items():
        if abs(value - wrong) <= part["within"]:
            return str(said)
    return "not right"


def main(top: Path) -> None:
    """Grade what stands in a folder of Gradescope's."""
    key = json.loads((top / "source" / "key.json").read_text(encoding="utf-8"))
    metadata = json.loads((top / "submission_metadata.json").read_text(encoding="utf-8"))
    try:
        who = student(key, metadata)
        results: dict[str, Any] = {"tests": graded(key[who], read(top / "submission"))}
    except (ValueError, csv.Error) as error:
        results = {"score": 0, "output": str(error)}
    out = top / "results"
    out.mkdir(exist_ok=True)
    (out / "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(Path(os.environ.get("GRADESCOPE", "/autograder")))
