"""Drills on their pages: what a browser needs to draw numbers, to judge an answer and to explain, without Python.

The law of a drill is recorded and written as JavaScript. One that cannot be recorded, since it branches on its numbers
or calls a library, brings a table of draws instead, which Python made.

An edition without solutions keeps its drills: what a page is told, and no code. It has no worked solutions of them, as
the first drill of an exercise is that exercise with other numbers; right numbers are shown after a try.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from book.drills import Drill, drawn, drills
from chaindyn.compiler.operations import IN_BOTH, IN_JAVASCRIPT
from chaindyn.compiler.recording import CannotRecord, Number, Tape, quietly, reached_from
from chaindyn.compiler.text import literal
from chaindyn.widgets.physics import compact

KEPT = 60  # draws of a drill that cannot be recorded
LARGEST = 6000  # characters of a law, beyond which the table of draws is shorter


@cache
def without_solutions(page: Path) -> dict[str, list[str]]:
    """The drills of a chapter as blocks of a page that has no solution, by label."""
    return {
        label: [
            "",
            f"```{{practice}} {label}",
            *([f":title: {drill.title}"] if drill.title else []),
            script_of(drill, label, solved=False),
            "```",
        ]
        for label, drill in drills(page).items()
    }


def script_of(drill: Drill, label: str, solved: bool = True) -> str:
    """What the page is told of a drill, as a script that adds it to `window.drills`."""
    told = {
        "text": drill.text,
        "asked": list(drill.asked.items()),
        "given": [[name, grid.low, grid.high, grid.step] for name, grid in drill.given.items()],
        "within": drill.within,
        "said": list(drill.wrong),
    }
    if solved:
        told["solution"] = drill.solution
    if drill.picture:
        told["picture"] = drill.template
    law = law_of(drill)
    if law is None:
        told["kept"] = [_row(drill, label, str(k)) for k in range(1, KEPT + 1)]
    text = json.dumps(told, ensure_ascii=False)[:-1].replace("</", "<\\/")  # which would end it
    added = f",law:{law}" if law else ""
    return f"(window.drills??={{}})[{json.dumps(label)}]={text}{added}}};"


def law_of(drill: Drill) -> str | None:
    """The answers, those of each mistake, and the slots of a picture, as a function in JavaScript.

    None where they cannot be recorded.
    """
    tape = Tape()
    inputs = {name: tape.unknown("input", k) for k, name in enumerate(drill.given)}
    try:
        with quietly():
            rows = [_recorded(tape, f, inputs) for f in (drill.answer, *drill.wrong.values())]
            if drill.picture:
                rows.append(_recorded(tape, lambda **given: drill.picture.numbers(given), inputs))
    except (CannotRecord, TypeError, ValueError, AttributeError, np.linalg.LinAlgError):
        return None  # NumPy says in many ways that it wants plain numbers
    made = reached_from(x for row in rows for x in row)
    lines = [
        f"const {_name(x)}={_operation(x)};" for x in made if x.op not in ("input", "constant")
    ]
    answers = ",".join("[" + ",".join(map(_name, row)) + "]" for row in rows)
    given = ",".join(_name(x) for x in inputs.values())
    text = "".join(
        compact([f"export function law({given}){{", *lines, f"return [{answers}];", "}"])
    )
    return text.removeprefix("export ") if len(text) <= LARGEST else None


def _recorded(tape: Tape, function: Callable[..., Any], inputs: dict[str, Number]) -> list[Number]:
    answer = function(**inputs)
    parts = answer if isinstance(answer, tuple | list) else [answer]
    found = np.concatenate([np.ravel(np.asarray(part, object)) for part in parts])
    return [x if isinstance(x, Number) else tape.constant(x) for x in found]


def _name(x: Number) -> str:
    if x.op == "constant":
        return literal(x.args[0], "Infinity")
    return f"in{x.args[0]}" if x.op == "input" else f"x{x.index}"


def _operation(x: Number) -> str:
    return (IN_BOTH | IN_JAVASCRIPT)[x.op].format(*map(_name, x.args))


def _row(drill: Drill, label: str, seed: str) -> list[list[float]]:
    """A draw: its numbers, its answers, those of each mistake, and the slots of a picture."""
    question = drawn(drill, label, seed)
    row = [[*question.numbers.values()], question.answers, *question.mistakes.values()]
    if drill.picture:
        row.append([round(float(x), 1) for x in drill.picture.numbers(question.numbers)])
    return row
